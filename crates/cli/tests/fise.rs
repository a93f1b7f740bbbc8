//! `sealstone fise` as users and programs in other languages meet it. The crate's own tests are beside its code.

mod support;

use sealstone::encoding::{decode_base64, decode_hex};
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;
use support::chance::wait_until;
use support::{Done, Sandbox, noise, repository};

/// The cases of a file of vectors.
fn cases(name: &str) -> Vec<Value> {
    let path = repository().join(format!("vectors/fise/{name}.json"));
    let cases: Vec<Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert!(cases.len() > 50, "{name}: {} cases", cases.len());
    cases
}

/// Asserts that a command failed with this code, and said what to do.
fn assert_failed(done: &Done, code: &Value, about: &str) {
    let code = code.as_str().unwrap_or_else(|| panic!("{about} must not fail: {done}"));
    let status = if code == "fise_rules" { 2 } else { 4 };
    assert!(done.status == Some(status) && done.stderr.contains(&format!(" [{code}]\n")), "{about}: {done}");
    assert!(done.stderr.contains("\nsealstone: hint: "), "{about}: {done}");
}

/// Writes profiles as `0.json`, `1.json` and so on, and returns the options that name them.
fn write_profiles<'a>(sandbox: &Sandbox, profiles: impl IntoIterator<Item = &'a Value>) -> String {
    let write = |(i, profile): (usize, &Value)| {
        sandbox.write(&format!("{i}.json"), profile.to_string());
        format!(" --profile {i}.json")
    };
    profiles.into_iter().enumerate().map(write).collect()
}

/// Of each kind and form the first case, and each that is refused; all cases before a release.
fn sample(cases: Vec<Value>) -> Vec<Value> {
    let mut seen = std::collections::BTreeSet::new();
    let kind = |case: &Value| {
        let name = case["name"].as_str().unwrap();
        format!("{}{}", name.trim_end_matches(|c: char| c.is_ascii_digit()), case["form"])
    };
    let all = support::chance::exhaustive();
    cases.into_iter().filter(|case| all || case["error"].is_string() || seen.insert(kind(case))).collect()
}

#[test]
fn envelopes_are_opened_and_refused_as_the_vectors_say() {
    let sandbox = Sandbox::new();
    for case in sample(cases("envelopes")) {
        let rules = write_profiles(&sandbox, [&case["profile"]]);
        let text = |name: &str| case[name].as_str().unwrap();
        let is_text = case["form"] == "text";
        let bytes = |text: &str| if is_text { text.as_bytes().to_vec() } else { decode_hex(text).unwrap() };
        sandbox.write("envelope", bytes(text("envelope")));
        let form = if is_text { "" } else { "--bytes" };
        let done = sandbox.run(&format!("fise decode{rules} --timestamp {} {form} envelope", case["timestamp"]));
        match case["plaintext"].as_str() {
            Some(plaintext) if done.status == Some(0) => assert!(done.bytes == bytes(plaintext), "{case}: {done}"),
            _ => assert_failed(&done, &case["error"], &case.to_string()),
        }
    }
}

#[test]
fn streams_are_read_and_refused_as_the_vectors_say() {
    let sandbox = Sandbox::new();
    let mut by_range = 0;
    for case in cases("frames") {
        let name = case["name"].as_str().unwrap();
        let rules = write_profiles(&sandbox, case["rules"].as_array().unwrap());
        let rules = format!("{rules} --timestamp {}", case["timestamp"]);
        sandbox.write("stream", decode_base64(case["stream"].as_str().unwrap()).unwrap());
        let done = sandbox.run(&format!("fise frames decode{rules} -o out stream"));
        let Some(frames) = case["frames"].as_array() else {
            assert_failed(&done, &case["error"], name);
            assert!(!sandbox.path("out").exists(), "{name}");
            continue;
        };
        let content: Vec<u8> =
            frames.iter().flat_map(|frame| decode_base64(frame["content"].as_str().unwrap()).unwrap()).collect();
        assert!(done.status == Some(0) && sandbox.read("out") == content, "{name}: {done}");
        std::fs::remove_file(sandbox.path("out")).unwrap();
        let done = sandbox.run(&format!("fise frames decode{rules} --range 0.. stream"));
        by_range += usize::from(done.status == Some(0));
        assert!(
            done.bytes == content || done.stderr.contains("the stream has no index [fise_malformed]"),
            "{name}: {done}"
        );
        let listed = sandbox.run(&format!("fise frames list --json{rules} stream")).stdout;
        let metadata: Vec<usize> = listed
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["metadata_bytes"].as_u64().unwrap())
            .map(|len| usize::try_from(len).unwrap())
            .collect();
        let expected: Vec<usize> = frames.iter().map(|frame| frame["metadata"].as_str().unwrap().len() / 2).collect();
        assert_eq!(metadata, expected, "{name}");
    }
    assert!(by_range >= 5, "{by_range} streams with an index");
}

/// Texts of which nothing may be lost: line ends, spaces, and all kinds of characters of Unicode.
const TEXTS: [&str; 9] = [
    "",
    "a",
    "\n",
    "\r\n",
    " two lines \n\n",
    "{\"id\": 1}\n",
    "\u{feff}é漢😀\0\u{7f}",
    "\u{ffff}\u{10ffff}\t",
    "Zm9v",
];

#[test]
fn a_text_comes_back_through_a_pipe_and_a_file_whatever_the_profile() {
    let sandbox = Sandbox::new();
    // Envelopes that begin and end with spaces, and a profile of each place of the salt.
    sandbox.write(
        "0.json",
        r#"{"fise": 1, "salt": {"alphabet": " ~"}, "marker": {"alphabet": " .", "width": 8, "prefix": " "}}"#,
    );
    sandbox.write("1.json", r#"{"fise": 1, "salt": {"alphabet": " ~", "place": "head"}}"#);
    sandbox.write(
        "2.json",
        r#"{"fise": 1, "salt": {"place": "interleaved"}, "decoys": {"head": 3, "tail": 5, "every": 7}}"#,
    );
    for (i, seed) in ["even", "odd", "", "2026-11-28"].into_iter().enumerate() {
        sandbox.ok(&format!("sealstone fise profile --seed '{seed}' > {}.json", i + 3));
    }
    for (i, text) in TEXTS.into_iter().map(str::to_owned).chain(["漢字\n".repeat(20_000)]).enumerate() {
        sandbox.write("text", &text);
        let rules = format!("--profile {}.json --timestamp {}", i % 7, i * 1_000_003);
        sandbox.ok(&format!(
            "sealstone fise encode {rules} text | sealstone fise decode {rules} | cmp - text &&
             sealstone fise encode {rules} --force -o envelope text && sealstone fise decode {rules} --force -o out envelope && cmp out text &&
             test $(wc -l < envelope) = 1 && printf '%s' \"$(cat envelope)\" > bare && sealstone fise decode {rules} bare | cmp - text &&
             printf '%s\\r\\n' \"$(cat envelope)\" | sealstone fise decode {rules} | cmp - text"
        ));
    }
}

#[test]
fn bytes_come_back_whatever_the_profile() {
    let sandbox = Sandbox::new();
    for (i, len) in [0, 1, 255, 100_000].into_iter().enumerate() {
        sandbox.write("data", noise(len));
        sandbox.ok(&format!(
            "sealstone fise profile --seed {i} > p; sealstone fise encode --bytes --profile p --timestamp -{i} data > envelope &&
             sealstone fise decode --bytes --profile p --timestamp -{i} envelope | cmp - data && ! cmp -s envelope data"
        ));
    }
}

#[test]
fn a_content_comes_back_at_every_boundary_of_its_frames() {
    const LEN: usize = 1 << 14;
    let sandbox = Sandbox::new();
    for seed in ["a", "b", "c"] {
        sandbox.ok(&format!("sealstone fise profile --seed {seed} > {seed}.json"));
    }
    for (i, len) in [0, 1, LEN - 1, LEN, LEN + 1, 2 * LEN, 3 * LEN + 5].into_iter().enumerate() {
        sandbox.write("data", noise(len));
        let rules = [
            " --profile a.json",
            " --profile b.json --profile c.json",
            " --profile c.json --profile a.json --profile b.json",
        ][i % 3];
        let rules = format!("{rules} --timestamp {i}");
        sandbox.ok(&format!(
            "cat data | sealstone fise frames encode{rules} --frame-length {LEN} | sealstone fise frames decode{rules} | cmp - data &&
             sealstone fise frames encode{rules} --frame-length {LEN} --index --force -o stream data &&
             sealstone fise frames decode{rules} --force -o out stream && cmp out data"
        ));
        // The last frame is empty only if the content is.
        let frames: Vec<Value> = sandbox
            .ok(&format!("sealstone fise frames list --json{rules} stream"))
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(frames.len(), len.div_ceil(LEN).max(1), "{len}");
        for (n, frame) in frames.iter().enumerate() {
            let content_len = LEN.min(len - n * LEN);
            let expected = (n, n % (i % 3 + 1), content_len, n + 1 == frames.len());
            let number = |name: &str| usize::try_from(frame[name].as_u64().unwrap()).unwrap();
            let found = (number("number"), number("rule"), number("content_bytes"), frame["last"].as_bool().unwrap());
            assert_eq!(found, expected, "{len}: {frame}");
        }
        let total: u64 = frames.iter().map(|frame| frame["frame_bytes"].as_u64().unwrap()).sum();
        assert_eq!(sandbox.read("stream").len() as u64, 20 + total + 8 * frames.len() as u64 + 24, "{len}");
        let data = noise(len);
        for (from, to) in
            [(0, len), (len / 2, len / 2), (len / 3, len), (LEN.saturating_sub(1), LEN + 1), (len, len + 9)]
        {
            if from <= len {
                let done = sandbox.run(&format!("fise frames decode{rules} --range {from}..{to} stream"));
                assert!(done.status == Some(0) && done.bytes == data[from..to.min(len)], "{len}: {from}..{to}: {done}");
            }
        }
    }
}

/// Two frames of the prefix `~~`, which no salt, digit or base64 has: no other place can be taken for that of the marker.
const MARKED: &str = r#"{"fise": 1, "marker": {"prefix": "~~"}, "offset": {"multiplier": 0}}"#;

#[test]
fn another_timestamp_opens_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("p", MARKED);
    sandbox.ok("printf 'a longer text' > text; sealstone fise encode --profile p --timestamp 3 text > three");
    sandbox.ok("sealstone fise encode --profile p --timestamp 4 text > four; sealstone fise frames encode --profile p --timestamp 3 text > stream");
    for line in [
        "fise decode --profile p --timestamp 4 three",
        "fise decode --profile p --timestamp 3 four",
        "fise decode --profile p four",
        "fise frames decode --profile p --timestamp 4 stream",
    ] {
        let done = sandbox.run(line);
        assert_failed(&done, &"fise_no_salt".into(), line);
        assert!(done.stderr.contains("--timestamp differ") && done.bytes.is_empty(), "{line}: {done}");
    }
    // 14 is 3 modulo 11.
    assert_eq!(sandbox.ok("sealstone fise decode --profile p --timestamp 14 three"), "a longer text");
}

/// A stream of three frames in parts: the header, the frames, and the index.
fn parts(sandbox: &Sandbox, stream: &str) -> Vec<Vec<u8>> {
    let bytes = sandbox.read(stream);
    let listed = sandbox.ok(&format!("sealstone fise frames list --json --profile p {stream}"));
    let frames =
        listed.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["frame_bytes"].as_u64().unwrap());
    let mut rest = &bytes[..];
    let mut parts = Vec::new();
    for len in [20].into_iter().chain(frames) {
        let (part, behind) = rest.split_at(usize::try_from(len).unwrap());
        parts.push(part.to_vec());
        rest = behind;
    }
    parts.push(rest.to_vec());
    parts
}

#[test]
fn a_fault_of_a_stream_is_an_error_and_leaves_the_output_as_it_was() {
    let sandbox = Sandbox::new();
    let content = noise(40_000);
    sandbox.write("data", &content);
    sandbox.write("p", MARKED);
    sandbox.ok("sealstone fise frames encode --profile p --frame-length 16384 --index -o stream data");
    sandbox.ok("sealstone fise frames encode --profile p --frame-length 16384 --index -o other data");
    let (stream, other) = (parts(&sandbox, "stream"), parts(&sandbox, "other"));
    let [header, first, second, last, index] = &stream[..] else { panic!("{} parts", stream.len()) };
    let names = sandbox.names("");
    let cut = |bytes: &[u8], len: usize| bytes[..bytes.len() - len].to_vec();
    for (fault, bytes, code, frames) in [
        ("lost", [header, second, last, index].map(Vec::as_slice).concat(), "fise_order", 0),
        ("the last lost", [header, first, second, index].map(Vec::as_slice).concat(), "fise_order", 2),
        ("repeated", [header, first, first, second, last, index].map(Vec::as_slice).concat(), "fise_order", 1),
        ("exchanged", [header, second, first, last, index].map(Vec::as_slice).concat(), "fise_order", 0),
        ("mixed", [header, first, &other[2], last, index].map(Vec::as_slice).concat(), "fise_order", 1),
        ("cut in the header", cut(header, 1), "fise_truncated", 0),
        ("cut behind a frame", [header, first].map(Vec::as_slice).concat(), "fise_truncated", 1),
        ("cut in a frame", cut(&[header, first, second].map(Vec::as_slice).concat(), 1), "fise_truncated", 1),
        ("cut in the index", cut(&stream.concat(), 1), "fise_truncated", 3),
        ("without the index", [header, first, second, last].map(Vec::as_slice).concat(), "fise_truncated", 3),
        ("longer", [&stream.concat(), &b"\n"[..]].concat(), "fise_malformed", 3),
        ("twice", [stream.concat(), stream.concat()].concat(), "fise_malformed", 3),
    ] {
        sandbox.write("faulty", bytes);
        sandbox.write("out", "old");
        let done = sandbox.run("fise frames decode --force --profile p -o out faulty");
        assert_failed(&done, &code.into(), fault);
        assert!(done.stderr.contains("error: faulty: ") && sandbox.read("out") == b"old", "{fault}: {done}");
        // The frames before the fault go to a pipe, and are listed.
        let done = sandbox.sh("sealstone fise frames decode --profile p < faulty");
        assert_failed(&done, &code.into(), fault);
        let sound = content.len().min(frames * 16_384);
        assert!(done.bytes == content[..sound], "{fault}: {} bytes", done.bytes.len());
        let done = sandbox.run("fise frames list --profile p faulty");
        assert_failed(&done, &code.into(), fault);
        assert_eq!(done.stdout.lines().count(), frames, "{fault}: {done}");
        sandbox.ok("rm faulty out");
        assert_eq!(sandbox.names(""), names, "{fault}");
    }
    // By the index, only the frames that a range touches are looked at.
    let mut changed = stream.concat();
    changed[header.len() + first.len()] = 0xff;
    sandbox.write("changed", changed);
    for (range, is_right) in [("0..16384", true), ("32768..", true), ("16383..16385", false), ("20000..20001", false)] {
        let done = sandbox.run(&format!("fise frames decode --profile p --range {range} -o part changed"));
        if is_right {
            sandbox.ok("rm part");
        } else {
            assert_failed(&done, &"fise_malformed".into(), range);
        }
        assert!(!sandbox.path("part").exists(), "{range}: {done}");
    }
}

#[test]
fn a_frame_is_printed_before_the_next_one_comes() {
    let sandbox = Sandbox::new();
    let content = noise(20_000);
    sandbox.write("data", &content);
    sandbox.write("p", MARKED);
    sandbox.ok("sealstone fise frames encode --profile p --frame-length 16384 -o stream data");
    let stream = parts(&sandbox, "stream");
    let out = std::fs::File::create(sandbox.path("out")).unwrap();
    let mut decoder = sandbox.sealstone("fise frames decode --profile p");
    let mut decoder = decoder.stdin(Stdio::piped()).stdout(out).spawn().unwrap();
    let mut input = decoder.stdin.take().unwrap();
    input.write_all(&stream[..2].concat()).unwrap();
    wait_until("the first frame is printed", || sandbox.read("out") == content[..16_384]);
    input.write_all(&stream[2..].concat()).unwrap();
    drop(input);
    assert!(decoder.wait().unwrap().success() && sandbox.read("out") == content);
}

#[test]
fn each_line_of_a_feed_is_a_frame_before_the_next_one_comes() {
    let sandbox = Sandbox::new();
    sandbox.write("p", MARKED);
    let out = std::fs::File::create(sandbox.path("stream")).unwrap();
    let mut encoder = sandbox.sealstone("fise frames encode --profile p --each-line");
    let mut encoder = encoder.stdin(Stdio::piped()).stdout(out).spawn().unwrap();
    let mut input = encoder.stdin.take().unwrap();
    let lines = || {
        let begun = sandbox.sealstone("fise frames decode --profile p stream").output().unwrap();
        String::from_utf8(begun.stdout).unwrap()
    };
    input.write_all(b"one\ntwo").unwrap();
    wait_until("the first line is there", || lines() == "one\n");
    input.write_all(b"\n").unwrap();
    wait_until("the second line is there", || lines() == "one\ntwo\n");
    input.write_all(b"three").unwrap();
    drop(input);
    assert!(encoder.wait().unwrap().success());
    assert_eq!(lines(), "one\ntwo\nthree");
    let listed = sandbox.ok("sealstone fise frames list --profile p stream");
    assert_eq!(listed.lines().filter(|line| line.contains("content 4 ")).count(), 2, "{listed}");
    assert!(listed.lines().last().unwrap().ends_with("last"), "{listed}");
}

#[test]
fn frames_need_little_memory_whatever_the_length() {
    let sandbox = Sandbox::new();
    sandbox.ok("sealstone fise profile --seed long > p; head -c 300000000 /dev/zero > big");
    // As for signatures: less address space than the content has.
    let limit = "ulimit -v 280000";
    sandbox.ok(&format!("{limit}; sealstone fise frames encode --profile p --index -o stream big"));
    sandbox.ok(&format!("{limit}; sealstone fise frames decode --profile p < stream | cmp - big"));
    sandbox
        .ok(&format!("{limit}; sealstone fise frames decode --profile p --range 1.. stream | cmp -n 299999999 - big"));
}

#[test]
fn the_lines_of_the_guide_do_what_they_say() {
    let sandbox = Sandbox::new();
    let guide = std::fs::read_to_string(repository().join("docs/guide/fise.md")).unwrap();
    let block = guide.split("## In the shell").nth(1).unwrap().split("```").nth(1).unwrap();
    let film = noise(2_500_000);
    sandbox.write("film.mp4", &film);
    let said = sandbox.ok(&format!("set -e{}", block.strip_prefix("sh").unwrap()));
    assert!(
        said.starts_with("bytes: ok") && said.contains("\n{\"id\":1}\n       0  rule 0 ") && said.ends_with("  last\n"),
        "{said}"
    );
    assert!(sandbox.read("part") == film[1_000_000..2_000_000]);
}
