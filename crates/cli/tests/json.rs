//! `--json`: one object a line, with an event or a result, on the stream that carries no data.

mod support;

use serde_json::Value;
use support::{Done, Sandbox, noise};

/// The lines of a text, each of which must be an object.
fn objects(text: &str) -> Vec<Value> {
    let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line:?} is no JSON: {error}"));
    let objects: Vec<Value> = text.lines().map(parse).collect();
    assert!(objects.iter().all(Value::is_object), "{text}");
    objects
}

fn events(done: &Done) -> Vec<Value> {
    let events = objects(&done.stderr);
    assert!(events.iter().all(|event| event["event"].is_string()), "{done}");
    events
}

#[test]
fn success_is_an_event_on_stderr() {
    let sandbox = Sandbox::new();
    sandbox.write("plain", noise(100_000));
    let done = sandbox.run("encrypt --json -r alice.txt -o plain.seal plain");
    let events = events(&done);
    assert_eq!(done.stdout, "");
    let last = events.last().unwrap();
    assert_eq!(last["event"], "done");
    assert_eq!(last["input"], "plain");
    assert_eq!(last["output"], "plain.seal");
    assert_eq!(last["plaintext_bytes"], 100_000);
    assert_eq!(last["ciphertext_bytes"], sandbox.read("plain.seal").len());
    assert!(last["seconds"].is_number());

    let done = sandbox.run("decrypt --json -o - -i alice.key plain.seal");
    assert_eq!(done.bytes, sandbox.read("plain"), "data goes to stdout alone");
    assert_eq!(objects(&done.stderr).last().unwrap()["event"], "done");
}

#[test]
fn texts_of_strangers_move_nothing_on_a_terminal() {
    let sandbox = Sandbox::new();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/nkct/bundles/cpp_ecc.nkkb");
    let mut bundle = std::fs::read(path).unwrap();
    let at = bundle.windows(5).position(|bytes| bytes == b"alice").unwrap();
    // CSI in one character, and a bidirectional override.
    let handle = "\u{9b}\u{202e}";
    bundle[at..at + 5].copy_from_slice(handle.as_bytes());
    sandbox.write("bundle", bundle);
    let done = sandbox.run("inspect --json bundle");
    assert!(done.stdout.contains(r"\u009b\u202e"), "{done}");
    assert_eq!(objects(&done.stdout)[0]["handle"], handle);
}

#[test]
fn every_error_is_an_event_with_its_code() {
    let sandbox = Sandbox::new();
    sandbox.write("plain", noise(100));
    sandbox.ok("sealstone encrypt -r alice.txt -o plain.seal plain");
    sandbox.ok("sealstone encrypt -r alice.txt --context c -o bound.seal plain");
    sandbox.ok("head -c 500 plain.seal > cut; (cat plain.seal; echo) > bad");
    for (arguments, code, status) in [
        ("encrypt -r alice.txt -o plain.seal plain", "output_exists", 1),
        ("encrypt --force -r alice.txt -o plain plain", "same_file", 1),
        ("encrypt -r alice.txt -o out nowhere", "io", 1),
        ("encrypt -o out plain", "invalid_recipients", 2),
        ("encrypt -r alice.txt -r bob.txt -o out plain", "mixed_recipients", 2),
        ("encrypt -r nowhere -o out plain", "invalid_recipient", 2),
        ("decrypt -i alice.txt -o out plain.seal", "invalid_identity", 2),
        ("decrypt -o out plain.seal", "usage", 2),
        ("decrypt -i alice.key -o out bound.seal", "context_required", 2),
        ("decrypt -i alice.key --context c -o out plain.seal", "context_not_bound", 2),
        ("decrypt -i alice.key --range 101..102 -o out plain.seal", "range_out_of_bounds", 2),
        ("decrypt -i bob.key -o out plain.seal", "no_matching_identity", 3),
        ("decrypt -i alice.key -o out plain", "not_sealstone", 4),
        ("decrypt -i alice.key -o out cut", "truncated", 4),
        ("decrypt -i alice.key -o out bad", "not_authentic", 4),
        ("decrypt -i alice.key --context d -o out bound.seal", "not_authentic", 4),
        ("verify -i alice.key bad", "not_authentic", 4),
    ] {
        let done = sandbox.run(&format!("{arguments} --json"));
        let errors: Vec<Value> = events(&done).into_iter().filter(|event| event["event"] == "error").collect();
        assert_eq!(errors.len(), 1, "{arguments}: {done}");
        assert_eq!(errors[0]["code"], code, "{arguments}");
        assert!(errors[0]["message"].is_string() && done.status == Some(status), "{arguments}: {done}");
    }
}

#[test]
fn errors_of_several_files_name_their_inputs() {
    let sandbox = Sandbox::new();
    let done = sandbox.run("encrypt --json -r alice.txt alice.txt nowhere bob.txt");
    let events = events(&done);
    assert_eq!(done.status, Some(5));
    let codes: Vec<(&str, Option<&str>)> =
        events.iter().map(|event| (event["event"].as_str().unwrap(), event["input"].as_str())).collect();
    assert_eq!(
        codes,
        [("done", Some("alice.txt")), ("error", Some("nowhere")), ("done", Some("bob.txt")), ("error", None)]
    );
    assert_eq!(events[3]["code"], "some_failed");
}

#[test]
fn warnings_are_events_too() {
    let sandbox = Sandbox::new();
    sandbox.ok("chmod 644 alice.key; head -c 1000000 /dev/zero | sealstone encrypt -r alice.txt -o out.seal; (cat out.seal; echo) > bad");
    let done = sandbox.run("decrypt --json -o - -i alice.key bad");
    let kinds: Vec<String> = events(&done).iter().map(|event| event["event"].as_str().unwrap().to_owned()).collect();
    assert_eq!(
        kinds.iter().filter(|kind| *kind == "warning").count(),
        2,
        "a readable key, an incomplete output: {done}"
    );
}

#[test]
fn results_are_json_on_stdout() {
    let sandbox = Sandbox::new();
    sandbox.ok("sealstone encrypt -r alice.txt -o out.seal alice.txt");
    let seen = &objects(&sandbox.run("inspect --json out.seal").stdout)[0];
    assert_eq!((&seen["suite"], &seen["version"]), (&"aes-256-gcm".into(), &1.into()));
    assert_eq!(seen["stanzas"][0]["kind"], "hybrid");
    assert_eq!(seen["file_bytes"], sandbox.read("out.seal").len());
    let verified = &objects(&sandbox.run("verify --json -i alice.key out.seal").stdout)[0];
    assert_eq!((&verified["authentic"], &verified["input"]), (&true.into(), &"out.seal".into()));
    assert_eq!(verified["event"], "verified");
    let recipients = objects(&sandbox.run("recipients --json alice.key bob.key").stdout);
    assert_eq!(recipients.len(), 2);
    assert_eq!(recipients[1]["recipient"], String::from_utf8(sandbox.read("bob.txt")).unwrap().trim());
}

#[test]
fn a_new_key_tells_its_recipient_and_no_secret() {
    let sandbox = Sandbox::new();
    let done = sandbox.run("keygen --json -o new.key");
    let event = &events(&done)[0];
    assert!(event["recipient"].as_str().unwrap().starts_with("age1pq1"));
    assert!(!done.stderr.contains("SECRET") && done.stdout.is_empty(), "{done}");
}

#[test]
fn names_in_json_are_escaped() {
    let sandbox = Sandbox::new();
    let done = sandbox.sh("sealstone encrypt --json -r alice.txt -o out \"$(printf 'a\\033[31m\\n\\302\\233')\"");
    assert!(!done.stderr.contains(['\u{1b}', '\u{9b}']), "{done}");
    assert_eq!(events(&done).len(), 1);
}

/// Of each of its groups; before a release of all operations, which takes a quarter of a minute.
#[test]
fn speed_names_each_operation_that_it_measures() {
    let names = if support::chance::exhaustive() { "" } else { "aes-256-gcm sm3 x25519 ed25519 sm2/decrypt" };
    let done = Sandbox::new().ok(&format!("sealstone speed --json {names}"));
    let report = objects(&done).remove(0);
    let results = report["results"].as_array().unwrap();
    for group in ["aead/", "hash/", "kem/", "sign/", "exchange/", "sm2/"] {
        let is_there = results.iter().any(|result| result["operation"].as_str().unwrap().starts_with(group));
        assert!(is_there, "{group}: {done}");
    }
    assert!(results.iter().all(|result| result["per_second"].as_f64().unwrap() > 0.0), "{done}");
}
