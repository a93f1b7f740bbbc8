//! Other programs as judges: the format by the book (`vectors/reference.py`, which shares no code with the core); age
//! for keys, which are the same strings there; OpenSSL and Python's `cryptography` for keys as PEM and DER; OpenSSL for
//! SM4 and AES in their bare modes; coreutils and OpenSSL for digests; `cryptography` for MACs, derived keys and AEADs.

mod support;

use sealstone::aead::Aead;
use sealstone::hash;
use sealstone::hazmat::ccm::Ccm;
use sealstone::hazmat::wrap::KeyWrap;
use sealstone::kdf::{self, Bounds, Cost, Input, Variant};
use sealstone::mac::Mac;
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use support::{Done, Sandbox, has, noise, python, repository, run, run_python, skip, skip_in_ci_too, target};

/// A program of age 1.3, which has hybrid keys: of PATH or of Go, or made by Go.
fn age(name: &str) -> Option<PathBuf> {
    static MAKING: Mutex<()> = Mutex::new(());
    let _making = MAKING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let own = target().join("oracle-bin");
    let mut folders: Vec<PathBuf> =
        std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
    if let Ok(said) = Command::new("go").args(["env", "GOPATH"]).output() {
        folders.push(Path::new(String::from_utf8_lossy(&said.stdout).trim()).join("bin"));
    }
    folders.push(own.clone());
    let find = || {
        let new = |program: &PathBuf| {
            let said = Command::new(program).arg("--help").output();
            // Older ones know no -pq; both programs came with it.
            said.is_ok() && run(Command::new(program.with_file_name("age-keygen")).arg("-pq"))
        };
        folders.iter().map(|folder| folder.join(name)).find(new)
    };
    let found = find().or_else(|| {
        let made = run(Command::new("go").args(["install", "filippo.io/age/cmd/...@v1.3.1"]).env("GOBIN", &own));
        made.then(find).flatten()
    });
    if found.is_none() {
        skip("no age of version 1.3 and no Go to make it with");
    }
    found
}

/// Whether OpenSSL is there, of version 3 or later: `LibreSSL` has the same name.
fn has_openssl() -> bool {
    if !has("openssl") {
        return false;
    }
    let said = Command::new("openssl").arg("version").output().unwrap().stdout;
    let said = String::from_utf8_lossy(&said).into_owned();
    let major = said.strip_prefix("OpenSSL ").and_then(|rest| rest.split('.').next()?.parse::<u32>().ok());
    major.is_some_and(|major| major >= 3) || skip(&format!("openssl is not OpenSSL 3, but {}", said.trim()))
}

/// The reference, which runs one command after another: a Python for each would begin for longer than it works.
struct Reference {
    process: Child,
    commands: ChildStdin,
    results: Lines<BufReader<ChildStdout>>,
}

impl Reference {
    fn start(python: &Path, sandbox: &Sandbox) -> Self {
        let mut command = sandbox.command(python.to_str().unwrap());
        command.arg(repository().join("vectors/reference.py")).arg("each");
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (commands, results) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        Self { process, commands, results: BufReader::new(results).lines() }
    }

    /// Runs a command; returns its status and what it said.
    fn run(&mut self, arguments: &[&str]) -> (i64, String) {
        writeln!(self.commands, "{}", serde_json::json!(arguments)).unwrap();
        let line = self.results.next().expect("the reference has ended").unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The secret strings in an identity file.
fn secret(sandbox: &Sandbox, name: &str) -> String {
    sandbox.ok(&format!("grep -v '^#' {name}")).trim().to_owned()
}

/// A sandbox with a key pair of each kind whose text form is PEM besides: `p256.key`, `p256.txt`, and so on.
fn sandbox_with_pem_keys() -> Sandbox {
    let sandbox = Sandbox::new();
    for kind in ["p256", "ml-kem-768"] {
        sandbox.ok(&format!(
            "sealstone keygen -q --kind {kind} -o {kind}.key; sealstone recipients {kind}.key > {kind}.txt"
        ));
    }
    sandbox
}

const SUITES: [&str; 2] = ["aes-256-gcm", "chacha20-poly1305"];
/// Recipient and identity of each kind, as our own options.
const KINDS: [(&str, &str); 6] = [
    ("-R alice.txt", "-i alice.key"),
    ("-R bob.txt", "-i bob.key"),
    ("-R p256.txt", "-i p256.key"),
    ("-R ml-kem-768.txt", "-i ml-kem-768.key"),
    ("--key-file shared.key", "--key-file shared.key"),
    ("-p --passphrase-file pass.txt", "-p --passphrase-file pass.txt"),
];
const FORMS: [&[&str]; 4] = [&[], &["-a"], &["--context", "letters/1"], &["-a", "--context", "letters/\u{e9}"]];

/// What the reference calls an option of [`KINDS`]; it takes strings as they are, and PEM as a file.
fn theirs(sandbox: &Sandbox, ours: &str) -> Vec<String> {
    let (option, name) = ours.rsplit_once(' ').unwrap();
    let value = match option {
        "-p --passphrase-file" => return vec!["--passphrase-file".to_owned(), name.to_owned()],
        _ if secret(sandbox, name).starts_with("-----BEGIN ") => name.to_owned(),
        _ => secret(sandbox, name),
    };
    vec![if option == "-R" { "-r" } else { option }.to_owned(), value]
}

#[test]
fn the_reference_opens_what_sealstone_writes() {
    let Some(python) = python() else { return };
    let sandbox = sandbox_with_pem_keys();
    let mut reference = Reference::start(&python, &sandbox);
    sandbox.write("plain", noise(40_000));
    for suite in SUITES {
        for (to, with) in KINDS {
            let with = theirs(&sandbox, &with.replace("--key-file", "-i"));
            for form in FORMS {
                let mut command = sandbox.sealstone(&format!("encrypt --force --suite {suite} {to} -o out.seal plain"));
                assert!(command.args(form).status().unwrap().success());
                let with = with.iter().map(String::as_str);
                let context = form.iter().copied().filter(|part| *part != "-a");
                let arguments: Vec<&str> =
                    ["decrypt"].into_iter().chain(with).chain(context).chain(["out.seal", "out"]).collect();
                let (status, said) = reference.run(&arguments);
                assert_eq!(status, 0, "{suite} {to} {form:?}: {said}");
                assert_eq!(sandbox.read("out"), sandbox.read("plain"), "{suite} {to} {form:?}");
            }
        }
    }
}

#[test]
fn sealstone_opens_what_the_reference_writes() {
    let Some(python) = python() else { return };
    let sandbox = sandbox_with_pem_keys();
    let mut reference = Reference::start(&python, &sandbox);
    sandbox.write("plain", noise(40_000));
    for suite in SUITES {
        for (to, with) in KINDS {
            let to = theirs(&sandbox, &to.replace("--key-file", "--key"));
            for form in FORMS {
                let to = to.iter().map(String::as_str);
                let arguments: Vec<&str> = ["encrypt", "--suite", suite]
                    .into_iter()
                    .chain(to)
                    .chain(form.iter().copied())
                    .chain(["plain", "out.seal"])
                    .collect();
                let (status, said) = reference.run(&arguments);
                assert_eq!(status, 0, "{suite} {with} {form:?}: {said}");
                let mut command = sandbox.sealstone(&format!("decrypt --force {with} -o out out.seal"));
                let context = form.iter().filter(|part| **part != "-a");
                let done: Done = command.args(context).output().unwrap().into();
                assert_eq!(done.status, Some(0), "{suite} {with} {form:?}: {done}");
                assert_eq!(sandbox.read("out"), sandbox.read("plain"), "{suite} {with} {form:?}");
            }
        }
    }
}

#[test]
fn the_reference_refuses_what_sealstone_refuses() {
    let Some(python) = python() else { return };
    let sandbox = sandbox_with_pem_keys();
    let mut reference = Reference::start(&python, &sandbox);
    sandbox.write("plain", noise(40_000));
    for kind in ["bob", "p256", "ml-kem-768"] {
        refuses_alike(&mut reference, &sandbox, kind);
    }
}

/// Gives both programs a file for `name.key` that is cut and changed in many places.
fn refuses_alike(reference: &mut Reference, sandbox: &Sandbox, name: &str) {
    sandbox.ok(&format!("sealstone encrypt --force -r {name}.txt -o whole plain"));
    sandbox.ok(&format!("sealstone encrypt --force -r {name}.txt -a -o text plain"));
    let (whole, text) = (sandbox.read("whole"), sandbox.read("text"));
    let key = &theirs(sandbox, &format!("-i {name}.key"))[1];
    let mut cases: Vec<Vec<u8>> =
        [0, 7, 10, 16, 60, 131, 132, 170, 187, 188, 204, 16_588, 30_000].map(|n| whole[..n].to_vec()).into();
    for at in [3, 8, 9, 10, 13, 17, 30, 70, 120, 140, 170, 190, 20_000, whole.len() - 1] {
        let mut changed = whole.clone();
        changed[at] ^= 0x40;
        cases.push(changed);
    }
    for at in [5, 40, 200, text.len() - 3] {
        let mut changed = text.clone();
        changed[at] = b'!';
        cases.push(changed);
    }
    for (i, case) in cases.iter().enumerate() {
        sandbox.write("case", case);
        let (status, theirs) = reference.run(&["decrypt", "-i", key, "case", "out"]);
        let ours = sandbox.run(&format!("decrypt -i {name}.key --json -o out case"));
        let line = ours.stderr.lines().last().unwrap_or_default();
        let said: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{name}, case {i}: {ours}"));
        let code = said["code"].as_str().unwrap();
        assert_ne!(status, 0, "{name}, case {i}: {theirs}");
        assert!(theirs.contains(code), "{name}, case {i}: we say {code}, the reference says {theirs}");
        assert!(!sandbox.path("out").exists());
    }
}

#[test]
fn keys_of_age_are_keys_of_sealstone() {
    let Some(keygen) = age("age-keygen") else { return };
    let sandbox = Sandbox::new();
    for options in ["", "-pq"] {
        let keygen = keygen.display();
        let said = sandbox.ok(&format!("rm -f age.key; {keygen} {options} -o age.key 2> said; {keygen} -y age.key"));
        assert_eq!(sandbox.ok("sealstone recipients age.key"), said, "{options}");
        sandbox.write("age.txt", &said);
        let opened = sandbox.ok("sealstone encrypt -o - -R age.txt bob.txt | sealstone decrypt -i age.key");
        assert_eq!(opened.into_bytes(), sandbox.read("bob.txt"), "{options}");
    }
}

#[test]
fn keys_of_sealstone_are_keys_of_age() {
    let Some(age) = age("age") else { return };
    let sandbox = Sandbox::new();
    let age = age.display();
    for name in ["alice", "bob"] {
        let keygen = format!("$(dirname {age})/age-keygen");
        assert_eq!(sandbox.ok(&format!("{keygen} -y {name}.key")), sandbox.ok(&format!("cat {name}.txt")));
        let opened = sandbox.ok(&format!(
            "{age} -r $(cat {name}.txt) -o out.age bob.txt && {age} -d -i {name}.key out.age; rm out.age"
        ));
        assert_eq!(opened.into_bytes(), sandbox.read("bob.txt"), "{name}");
    }
}

#[test]
fn files_of_age_are_exchanged_with_age() {
    let Some(age) = age("age") else { return };
    let sandbox = Sandbox::new();
    let mut keys = keys_for_files_of_age(&sandbox, &age.with_file_name("age-keygen"));
    let keygen = age.with_file_name("age-keygen").display().to_string();
    sandbox.ok(&format!("{keygen} -pq -o pq.key 2> pq.said; {keygen} -y pq.key > pq.pub"));
    keys.push("pq");
    exchange_files_of_age(&sandbox, &age, &keys);
}

#[test]
fn files_of_age_are_exchanged_with_rage() {
    let Some(rage) = rage() else { return };
    let sandbox = Sandbox::new();
    let keys = keys_for_files_of_age(&sandbox, &rage.with_file_name("rage-keygen"));
    exchange_files_of_age(&sandbox, &rage, &keys);
}

/// rage, of PATH or of the benchmark, which builds it in some minutes: no test does.
fn rage() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([target().join("bench-bin/bin")]);
    let found = folders.map(|folder| folder.join("rage")).find(|program| run(Command::new(program).arg("--version")));
    if found.is_none() {
        skip_in_ci_too("no rage (cargo install rage)");
    }
    found
}

/// Key pairs `NAME.key` and `NAME.pub` of the kinds that both programs take: of `keygen`, and of SSH.
fn keys_for_files_of_age(sandbox: &Sandbox, keygen: &Path) -> Vec<&'static str> {
    sandbox.ok(&format!("{} -o x.key 2> x.said; {0} -y x.key > x.pub", keygen.display()));
    sandbox.ok("sealstone keygen -q --kind ed25519 -o k.pem; sealstone key convert --to ssh -o ed.key k.pem");
    sandbox.ok("sealstone key public ed.key > ed.pub");
    let mut keys = vec!["x", "ed"];
    if has("ssh-keygen") {
        sandbox.ok("ssh-keygen -q -t rsa -b 2048 -N '' -f rsa.key; mv rsa.key.pub rsa.pub");
        keys.push("rsa");
    }
    keys
}

/// Both ways, to each kind of key, with armour and without, and around the ends of chunks.
fn exchange_files_of_age(sandbox: &Sandbox, program: &Path, keys: &[&str]) {
    let program = program.display();
    let mut ran = 0;
    for key in keys {
        for len in [0, 1, 65_535, 65_536, 65_537, 400_000] {
            sandbox.write("plain", noise(len));
            for armour in ["", "-a"] {
                sandbox.ok(&format!("rm -f theirs.age; {program} {armour} -R {key}.pub -o theirs.age plain"));
                sandbox.ok(&format!("sealstone decrypt -q --force -i {key}.key -o out theirs.age && cmp out plain"));
                sandbox.ok(&format!(
                    "{program} {armour} -R {key}.pub < plain | sealstone decrypt -i {key}.key -o - | cmp - plain"
                ));
                sandbox
                    .ok(&format!("sealstone encrypt -q --force --format age {armour} -R {key}.pub -o ours.age plain"));
                sandbox.ok(&format!("{program} -d -i {key}.key ours.age | cmp - plain"));
                sandbox.ok(&format!(
                    "sealstone encrypt --format age {armour} -R {key}.pub < plain | {program} -d -i {key}.key | cmp - plain"
                ));
                ran += 4;
            }
        }
        // What is given to others is read by it, too.
        if *key != "pq" {
            sandbox.ok(&format!(
                "rm -f theirs.age; {program} -R {key}.pub -o theirs.age plain; \
                 sealstone rewrap -q -i {key}.key -r bob.txt theirs.age"
            ));
            sandbox.ok(&format!(
                "{program} -d -i bob.key theirs.age | cmp - plain; {program} -d -i {key}.key theirs.age | cmp - plain"
            ));
        }
    }
    println!("{ran} files");
}

#[test]
fn files_for_a_plugin_are_exchanged_with_age_and_rage() {
    let programs = [age("age"), rage()];
    support::require_plugin();
    let sandbox = Sandbox::new();
    sandbox.write("plain", noise(70_000));
    sandbox.ok("age-plugin-sealtest --identity grease > id; chmod 600 id; age-plugin-sealtest --recipient grease > to");
    for program in programs.into_iter().flatten() {
        let program = program.display();
        for armour in ["", "-a"] {
            sandbox.ok(&format!("rm -f theirs.age; {program} {armour} -R to -o theirs.age plain"));
            sandbox.ok("sealstone decrypt -i id -o - theirs.age | cmp - plain");
            sandbox.ok(&format!("sealstone encrypt --force --format age {armour} -R to -o ours.age plain"));
            sandbox.ok(&format!("{program} -d -i id ours.age | cmp - plain"));
        }
        // By a file of several recipients, and given to one more.
        sandbox.ok("cat bob.txt to > all; sealstone encrypt --force --format age -R all -o ours.age plain");
        sandbox.ok("sealstone rewrap -i bob.key -R to ours.age");
        sandbox
            .ok(&format!("{program} -d -i id ours.age | cmp - plain; {program} -d -i bob.key ours.age | cmp - plain"));
    }
}

/// The plugin of age's own that has a passphrase, and is asked without an identity file.
#[test]
fn the_plugin_batchpass_serves_both() {
    let Some(batchpass) = age("age-plugin-batchpass") else { return };
    let sandbox = Sandbox::new();
    sandbox.write("plain", noise(70_000));
    let sh = |passphrase: &str, line: &str| -> Done {
        let path = format!("{}:{}", batchpass.parent().unwrap().display(), "$PATH");
        let line = format!("PATH={path}; export AGE_PASSPHRASE='{passphrase}' AGE_PASSPHRASE_WORK_FACTOR=10; {line}");
        sandbox.sh(&line)
    };
    for line in [
        "age -e -j batchpass -o theirs.age plain && sealstone decrypt -j batchpass -o - theirs.age | cmp - plain",
        "sealstone encrypt --format age -j batchpass -o ours.age plain && age -d -j batchpass ours.age | cmp - plain",
        "sealstone encrypt -j batchpass -o ours.seal plain && sealstone decrypt -j batchpass -o - ours.seal | cmp - plain",
    ] {
        let done = sh("correct horse", line);
        assert_eq!(done.status, Some(0), "{line}: {done}");
    }
    for file in ["ours.age", "ours.seal"] {
        let done = sh("wrong", &format!("sealstone decrypt -j batchpass -o - {file}"));
        assert!(done.status == Some(1) && done.stderr.contains("incorrect passphrase"), "{done}");
    }
    // Its label allows nothing beside it, in either format.
    for format in ["age", "sealstone"] {
        let done = sh("x", &format!("sealstone encrypt --format {format} -j batchpass -r bob.txt -o out plain"));
        assert!(done.status == Some(2) && done.stderr.contains("[invalid_recipients]"), "{done}");
    }
}

/// `age1tag1…` is written natively, and opened by age's plugin of tests; `age1tagpq1…` by plugins both ways.
#[test]
fn tagged_recipients_are_those_of_age() {
    const TAGGED: &str = "age1tag1qwe0kafsjrar4txm6heqnhpfuggzr0gvznz7fvygxrlq90u5mq2pysxtw6h";
    let Some(age) = age("age") else { return };
    let folder = target().join("oracle-bin");
    let has_plugins = || ["tagtest", "tagpq"].iter().all(|name| folder.join(format!("age-plugin-{name}")).is_file());
    let make = |package: &str| {
        run(Command::new("go").args(["install", &format!("filippo.io/age/{package}@v1.3.1")]).env("GOBIN", &folder))
    };
    let are_there = has_plugins() || make("tag/internal/age-plugin-tagtest") && make("extra/age-plugin-tagpq");
    if !are_there || !has_plugins() {
        skip("no Go to make age-plugin-tagtest and age-plugin-tagpq with");
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write("plain", noise(70_000));
    let ok = |line: &str| sandbox.ok(&format!("PATH={}:$PATH; {line}", folder.display()));
    let age = age.display();
    // The plugin's post-quantum recipient is in its source alone.
    let module = Command::new("go").args(["env", "GOMODCACHE"]).output().unwrap().stdout;
    let module = PathBuf::from(String::from_utf8_lossy(&module).trim()).join("filippo.io/age@v1.3.1");
    let source = std::fs::read_to_string(module.join("tag/internal/age-plugin-tagtest/plugin-tagtest.go"));
    let hybrid = source.ok().and_then(|text| {
        Some(format!("age1tagpq1{}", text.split("age1tagpq1").find(|part| part.len() > 1900)?.split('"').next()?))
    });
    for recipient in [Some(TAGGED.to_owned()), hybrid].into_iter().flatten() {
        ok(&format!("sealstone encrypt --force --format age -r {recipient} -o ours.age plain"));
        ok(&format!(
            "{age} -d -j tagtest ours.age | cmp - plain; sealstone decrypt -j tagtest -o - ours.age | cmp - plain"
        ));
        ok(&format!(
            "rm -f theirs.age; {age} -r {recipient} -o theirs.age plain; sealstone decrypt -j tagtest -o - theirs.age | cmp - plain"
        ));
        ok(&format!(
            "sealstone encrypt --force -r {recipient} -o ours.seal plain; sealstone decrypt -j tagtest -o - ours.seal | cmp - plain"
        ));
    }
}

#[test]
fn openssl_reads_keys_of_sealstone() {
    if !has_openssl() {
        return;
    }
    let sandbox = Sandbox::new();
    for kind in ["p256", "x25519"] {
        sandbox.ok(&format!("sealstone keygen -q --force --kind {kind} -o made"));
        sandbox.ok("sealstone key convert --force --to pem --public -o public made");
        for form in ["pem", "der"] {
            let convert = format!("sealstone key convert --force --to {form}");
            let inform = format!("-inform {form}");
            for (given, taken) in [("", ""), ("--new-passphrase-file pass.txt", "-passin file:pass.txt")] {
                sandbox.ok(&format!("{convert} {given} -o key made"));
                let said = sandbox.ok(&format!("openssl pkey {inform} {taken} -in key -pubout"));
                assert_eq!(said.into_bytes(), sandbox.read("public"), "{kind} as {form}, {given}");
            }
            sandbox.ok(&format!("{convert} --public -o key made"));
            let said = sandbox.ok(&format!("openssl pkey {inform} -pubin -in key -pubout"));
            assert_eq!(said.into_bytes(), sandbox.read("public"), "{kind} as {form}");
        }
    }
    // Both halves belong together, and not only because the public one stands in the file.
    sandbox.ok(
        "sealstone keygen -q --kind p256 -o own; openssl pkey -in own -check -noout > said; grep -q 'is valid' said",
    );
    sandbox.ok("sealstone keygen -q --kind p256 --passphrase-file pass.txt -o locked");
    assert_eq!(sandbox.sh("openssl pkey -in locked -passin pass:wrong -noout").status, Some(1));
}

#[test]
fn openssl_sees_the_encryption_that_the_format_asks_for() {
    if !has_openssl() {
        return;
    }
    let sandbox = Sandbox::new();
    for kind in ["p256", "ml-kem-768"] {
        sandbox.ok(&format!("sealstone keygen -q --force --kind {kind} --passphrase-file pass.txt -o key"));
        let said = sandbox.ok("openssl asn1parse -in key");
        // 600,000 iterations; 16 bytes of salt and of IV.
        for part in ["PBES2", "PBKDF2", ":0927C0", "hmacWithSHA256", "aes-256-cbc"] {
            assert!(said.contains(part), "{kind}: no {part} in {said}");
        }
        assert_eq!(said.matches("l=  16 prim: OCTET STRING").count(), 2, "{kind}: {said}");
    }
}

/// Checks that an identity file of another program opens what is sealed to the public key that the program exports; both
/// stand in the sandbox, as `key` and `public`.
fn opens(sandbox: &Sandbox, with: &str, name: &str) {
    sandbox.ok("chmod 600 key; rm -f out out.seal");
    for line in [
        "sealstone encrypt -r public -o out.seal pass.txt".to_owned(),
        format!("sealstone decrypt -i key {with} -o out out.seal"),
        format!("sealstone key convert --to pem --public {with} key > found"),
        "sealstone key convert --to pem --public public > expected".to_owned(),
    ] {
        let done = sandbox.sh(&line);
        assert_eq!((done.status, done.stderr.as_str()), (Some(0), ""), "{name}: {line}: {done}");
    }
    assert_eq!(sandbox.read("out"), sandbox.read("pass.txt"), "{name}");
    assert_eq!(sandbox.read("found"), sandbox.read("expected"), "{name}");
}

#[test]
fn sealstone_reads_keys_of_openssl() {
    if !has_openssl() {
        return;
    }
    let sandbox = Sandbox::new();
    let generated = "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256";
    let curve = "openssl ecparam -name prime256v1 -genkey";
    let compressed = &format!("{curve} -noout | openssl ec -conv_form compressed");
    for (point, make) in [
        (65, format!("{generated} -out key")),
        (65, format!("{generated} -outform DER -out key")),
        (65, format!("{generated} -text -out key")),
        // SEC1, behind the curve's parameters and alone.
        (65, format!("{curve} -out key")),
        (65, format!("{curve} -noout -out key")),
        (65, format!("{curve} -noout -outform DER -out key")),
        (65, format!("{curve} -noout | openssl ec -text -out key")),
        (0, format!("{curve} -noout | openssl ec -no_public -out key")),
        (0, format!("{curve} -noout | openssl ec -no_public -outform DER -out key")),
        (33, format!("{compressed} -out key")),
        (33, format!("{compressed} -outform DER -out key")),
        (33, format!("{compressed} | openssl pkcs8 -topk8 -nocrypt -out key")),
        (33, format!("{compressed} | openssl pkcs8 -topk8 -nocrypt -outform DER -out key")),
        (65, format!("{curve} -noout | openssl pkcs8 -topk8 -nocrypt -out key")),
        (65, format!("{curve} -noout | openssl pkcs8 -topk8 -nocrypt -outform DER -out key")),
        (0, "openssl genpkey -algorithm X25519 -out key".to_owned()),
        (0, "openssl genpkey -algorithm X25519 -outform DER -out key".to_owned()),
        (0, "openssl genpkey -algorithm X25519 -text -out key".to_owned()),
    ] {
        sandbox.ok(&format!("rm -f key; {make}"));
        let uncompressed = if make.contains("X25519") { "" } else { "-ec_conv_form uncompressed" };
        for form in ["PEM", "DER"] {
            sandbox.ok(&format!("openssl pkey -in key {uncompressed} -pubout -outform {form} -out public"));
            opens(&sandbox, "", &make);
        }
        // The public key stands beside the private one as it is meant to: in SEC1, alone or within PKCS#8.
        let is_der = sandbox.read("key").starts_with(b"0");
        let said = sandbox.ok(if is_der {
            "openssl asn1parse -inform DER -in key"
        } else {
            "sed -n '/PRIVATE/,$p' key | openssl asn1parse"
        });
        let stands = |len: usize| {
            said.contains(&format!("l=  {} prim: BIT STRING", len + 1))
                || said.contains(&format!("03{:02X}00", len + 1))
        };
        let found = [65, 33].into_iter().find(|len| stands(*len)).unwrap_or(0);
        assert_eq!(found, point, "{make}: {said}");
    }
}

#[test]
fn sealstone_reads_encrypted_keys_of_openssl() {
    if !has_openssl() {
        return;
    }
    let sandbox = Sandbox::new();
    let mut ways: Vec<String> = Vec::new();
    for cipher in ["aes-128-cbc", "aes-192-cbc", "aes-256-cbc"] {
        for digest in ["SHA1", "SHA224", "SHA256", "SHA384", "SHA512"] {
            ways.push(format!("-v2 {cipher} -v2prf hmacWith{digest}"));
        }
        ways.push(format!("-v2 {cipher} -scrypt"));
    }
    ways.push("-v2 aes-256-cbc -iter 1".to_owned());
    ways.push("-v2 aes-256-cbc -iter 100000".to_owned());
    ways.push("-scrypt -scrypt_N 1024 -scrypt_r 4 -scrypt_p 3".to_owned());
    sandbox.write("wrong", "wrong\n");
    for algorithm in ["EC -pkeyopt ec_paramgen_curve:P-256", "X25519"] {
        sandbox.ok(&format!(
            "openssl genpkey -algorithm {algorithm} -out plain; openssl pkey -in plain -pubout -out public"
        ));
        for (i, way) in ways.iter().enumerate() {
            let form = ["PEM", "DER"][i % 2];
            sandbox
                .ok(&format!("openssl pkcs8 -topk8 {way} -in plain -passout file:pass.txt -outform {form} -out key"));
            opens(&sandbox, "--passphrase-file pass.txt", way);
            let done = sandbox.sh("sealstone recipients --passphrase-file wrong key");
            assert_eq!(done.status, Some(3), "{algorithm}, {way}: {done}");
        }
        sandbox.ok(&format!("openssl genpkey -algorithm {algorithm} -aes-256-cbc -pass file:pass.txt -out key"));
        sandbox.ok("openssl pkey -in key -passin file:pass.txt -pubout -out public");
        opens(&sandbox, "--passphrase-file pass.txt", "genpkey");
    }
}

#[test]
fn what_else_openssl_makes_is_refused() {
    if !has_openssl() {
        return;
    }
    let sandbox = Sandbox::new();
    let curve = |name: &str| format!("openssl ecparam -name {name} -genkey -noout");
    let p256 = curve("prime256v1");
    for make in [
        "openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024 -out key".to_owned(),
        "openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024 | openssl rsa -traditional -out key".to_owned(),
        "openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024 -outform DER -out key".to_owned(),
        "openssl genpkey -algorithm ED25519 -out key".to_owned(),
        "openssl genpkey -algorithm X448 -out key".to_owned(),
        format!("{} -out key", curve("secp384r1")),
        format!("{} -out key", curve("secp521r1")),
        format!("{} | openssl pkey -out key", curve("secp384r1")),
        format!("{} -outform DER -out key", curve("secp256k1")),
        format!("{p256} -param_enc explicit -out key"),
        format!("{p256} -param_enc explicit | openssl pkcs8 -topk8 -nocrypt -out key"),
        format!("{p256} | openssl ec -aes128 -passout file:pass.txt -out key"),
        format!("{p256} | openssl pkcs8 -topk8 -v1 PBE-SHA1-3DES -passout file:pass.txt -out key"),
        format!("{p256} | openssl pkcs8 -topk8 -v2 des3 -passout file:pass.txt -out key"),
        format!("{p256} > own; openssl req -x509 -new -key own -subj /CN=x -out key"),
    ] {
        sandbox.ok(&format!("rm -f key; {make}; chmod 600 key"));
        let done = sandbox.sh("sealstone recipients --passphrase-file pass.txt key");
        assert_eq!(done.status, Some(2), "{make}: {done}");
        assert!(done.stderr.contains("[unsupported_key]"), "{make}: {done}");
        let public = sandbox.sh("openssl pkey -in key -passin file:pass.txt -pubout -out public");
        if public.status == Some(0) && !make.contains("-aes128") && !make.contains("-topk8 -v") {
            let done = sandbox.sh("sealstone encrypt -r public pass.txt");
            assert_eq!(done.status, Some(2), "{make}: {done}");
            assert!(done.stderr.contains("[unsupported_key]"), "{make}: {done}");
        }
    }
    sandbox.ok(&format!("{p256} | openssl ec -conv_form compressed -pubout -out public"));
    let done = sandbox.sh("sealstone encrypt -r public pass.txt");
    assert_eq!(done.status, Some(2), "{done}");
    assert!(done.stderr.contains("the point is compressed") && done.stderr.contains("[invalid_recipient]"), "{done}");
}

/// Loads keys with `cryptography`, PEM or DER by its own means, and prints their raw public keys.
const LOAD: &str = r#"
import sys
from pathlib import Path
from cryptography.hazmat.primitives import serialization as s
for name in sys.argv[1:]:
    data = Path(name).read_bytes()
    form = "pem" if data.startswith(b"-----BEGIN ") else "der"
    if name.startswith("public"):
        key = getattr(s, f"load_{form}_public_key")(data)
    else:
        password = b"correct horse" if "locked" in name else None
        key = getattr(s, f"load_{form}_private_key")(data, password).public_key()
    if hasattr(key, "public_bytes_raw"):
        print(key.public_bytes_raw().hex())
    else:
        print(key.public_bytes(s.Encoding.X962, s.PublicFormat.UncompressedPoint).hex())
"#;

/// Makes a key of each kind with `cryptography` and writes it in all of its forms, as `key-KIND-…` and `public-KIND-…`.
const MAKE: &str = r#"
from pathlib import Path
from cryptography.hazmat.primitives import serialization as s
from cryptography.hazmat.primitives.asymmetric import ec, mlkem, x25519
keys = {
    "p256": ec.generate_private_key(ec.SECP256R1()),
    "ml-kem-768": mlkem.MLKEM768PrivateKey.generate(),
    "x25519": x25519.X25519PrivateKey.generate(),
}
for kind, key in keys.items():
    for ending, form in (("pem", s.Encoding.PEM), ("der", s.Encoding.DER)):
        public = key.public_key().public_bytes(form, s.PublicFormat.SubjectPublicKeyInfo)
        Path(f"public-{kind}-{ending}").write_bytes(public)
        forms = {"pkcs8": s.PrivateFormat.PKCS8}
        if kind == "p256":
            forms["sec1"] = s.PrivateFormat.TraditionalOpenSSL
        for name, private in forms.items():
            plain = key.private_bytes(form, private, s.NoEncryption())
            Path(f"key-{kind}-{ending}-{name}").write_bytes(plain)
        locked = key.private_bytes(form, s.PrivateFormat.PKCS8, s.BestAvailableEncryption(b"correct horse"))
        Path(f"key-{kind}-{ending}-locked").write_bytes(locked)
"#;

#[test]
fn cryptography_reads_keys_of_sealstone() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    for (kind, len) in [("p256", 65), ("ml-kem-768", 1184), ("x25519", 32)] {
        sandbox.ok(&format!("sealstone keygen -q --force --kind {kind} --passphrase-file pass.txt -o locked"));
        // A new X25519 identity is sealed, which is our own form.
        let mut names = if kind == "x25519" { Vec::new() } else { vec!["locked".to_owned()] };
        for form in ["pem", "der"] {
            let convert = format!("sealstone key convert --force --passphrase-file pass.txt --to {form} locked");
            sandbox.ok(&format!("{convert} -o key-{form}; {convert} --public -o public-{form}"));
            sandbox.ok(&format!("{convert} --new-passphrase-file pass.txt -o locked-{form}"));
            names.extend(["key", "public", "locked"].map(|name| format!("{name}-{form}")));
        }
        let done = run_python(&python, &sandbox, LOAD, &names);
        assert_eq!(done.status, Some(0), "{kind}: {done}");
        // The raw key is the end of a SubjectPublicKeyInfo.
        let raw = sandbox.ok(&format!("tail -c {len} public-der | od -An -v -tx1 | tr -d ' \\n'"));
        assert_eq!(done.stdout.lines().collect::<Vec<_>>(), vec![&raw[..]; names.len()], "{kind}: {names:?}");
    }
}

#[test]
fn sealstone_reads_keys_of_cryptography() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let done = run_python(&python, &sandbox, MAKE, &[]);
    assert_eq!(done.status, Some(0), "{done}");
    let names = sandbox.names("");
    let keys: Vec<&String> = names.iter().filter(|name| name.starts_with("key-")).collect();
    assert_eq!(keys.len(), 14, "{names:?}");
    for key in keys {
        let start = key.replacen("key-", "public-", 1).rsplit_once('-').unwrap().0.to_owned();
        sandbox.ok(&format!("cp {key} key; cp {start} public"));
        opens(&sandbox, if key.ends_with("-locked") { "--passphrase-file pass.txt" } else { "" }, key);
    }
}

fn random_lengths(count: usize) -> Vec<usize> {
    let mut state = support::chance::seed();
    let mut below = |bound: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((state >> 33) % bound).unwrap()
    };
    (0..count).map(|i| if i % 2 == 0 { below(100) } else { below(300_000) }).collect()
}

#[test]
fn openssl_encrypts_to_the_same_bytes() {
    if !has_openssl() {
        return;
    }
    let sandbox = Sandbox::new();
    let mut ran = 0;
    for cipher in ["sm4", "aes-128", "aes-192", "aes-256"] {
        for mode in ["ecb", "cbc", "ctr", "cfb", "ofb"] {
            for (round, len) in random_lengths(4).into_iter().enumerate() {
                let (key, iv) = (noise_hex(32, ran), noise_hex(16, ran + 7));
                let key = &key[..if cipher == "sm4" { 32 } else { cipher[4..].parse::<usize>().unwrap() / 4 }];
                let plaintext = noise(len + ran)[ran..].to_vec();
                std::fs::write(sandbox.path("in"), plaintext).unwrap();
                std::fs::write(sandbox.path("key"), key).unwrap();
                let (their_iv, our_iv) = if mode == "ecb" {
                    (String::new(), String::new())
                } else {
                    (format!("-iv {iv}"), format!("--iv-hex {iv}"))
                };
                // Without padding only whole blocks go through ECB and CBC.
                let pads = matches!(mode, "ecb" | "cbc");
                let (theirs, ours) =
                    if pads && len % 16 == 0 && round % 2 == 1 { ("-nopad", "--padding none") } else { ("", "") };
                let done = sandbox.ok(&format!(
                    "chmod 600 key; openssl enc -{cipher}-{mode} -K {key} {their_iv} {theirs} -in in -out theirs && \
                     sealstone hazmat cipher --algorithm {cipher}-{mode} --key-file key {our_iv} {ours} -o ours in && \
                     cmp ours theirs && \
                     sealstone hazmat cipher --algorithm {cipher}-{mode} --key-file key {our_iv} {ours} -d < theirs | \
                     cmp - in && rm ours && echo same"
                ));
                assert_eq!(done, "same\n", "{cipher}-{mode}, {len} bytes");
                ran += 1;
            }
        }
    }
    println!("{ran} messages");
    assert_eq!(ran, 80);
}

fn noise_hex(len: usize, from: usize) -> String {
    noise(from + len)[from..]
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)]))
        .collect()
}

/// Names that lines must escape, and others that only look so.
const NAMES: &str = "plain 'a b' 'back\\slash' 'a) = b' '*star' \"$(printf 'new\\nline')\"";
/// b3sum leaves it as it is.
const RETURN: &str = "\"$(printf 'return\\rx')\"";

#[test]
fn coreutils_write_the_same_lines_and_check_ours() {
    let sandbox = Sandbox::new();
    let mut ran = 0;
    for (program, algorithm) in [
        ("sha256sum", "sha256"),
        ("sha384sum", "sha384"),
        ("sha512sum", "sha512"),
        ("b2sum", "blake2b"),
        ("b3sum", "blake3"),
    ] {
        if !has(program) {
            continue;
        }
        // The b3sum of Debian 12 has no --tag.
        let (names, tags) = match program {
            "b3sum" => (NAMES.to_owned(), &[""][..]),
            _ => (format!("{NAMES} {RETURN}"), &["", "--tag"][..]),
        };
        for (round, len) in random_lengths(4).into_iter().enumerate() {
            std::fs::write(sandbox.path("in"), &noise(len + round)[round..]).unwrap();
            sandbox.ok(&format!("for n in {names}; do cp in \"$n\"; done"));
            for tag in tags {
                let done = sandbox.ok(&format!(
                    "{program} {tag} -- {names} > theirs; sealstone hash {tag} -a {algorithm} -- {names} > ours; \
                     cmp ours theirs && {program} --check --quiet ours && sealstone hash --quiet --check -a {algorithm} theirs && \
                     echo same"
                ));
                assert_eq!(done, "same\n", "{program} {tag}, {len} bytes");
            }
            let piped =
                sandbox.ok(&format!("{program} < in > theirs; cat in | sealstone hash -a {algorithm} | cmp - theirs"));
            assert_eq!(piped, "", "{program}, {len} bytes on stdin");
            ran += 1;
        }
    }
    println!("{ran} messages");
}

#[test]
fn openssl_computes_the_same_digests() {
    if !has_openssl() {
        return;
    }
    let sandbox = Sandbox::new();
    let mut ran = 0;
    for (theirs, ours) in [
        ("md5", "md5"),
        ("sha1", "sha1"),
        ("ripemd160", "ripemd160"),
        ("sha224", "sha224"),
        ("sha256", "sha256"),
        ("sha384", "sha384"),
        ("sha512", "sha512"),
        ("sha512-256", "sha512-256"),
        ("sha3-224", "sha3-224"),
        ("sha3-256", "sha3-256"),
        ("sha3-384", "sha3-384"),
        ("sha3-512", "sha3-512"),
        ("shake128 -xoflen 32", "shake128"),
        ("shake256 -xoflen 100", "shake256 --length 100"),
        ("blake2b512", "blake2b"),
        ("blake2s256", "blake2s"),
        ("sm3", "sm3"),
    ] {
        for (round, len) in random_lengths(4).into_iter().enumerate() {
            std::fs::write(sandbox.path("in"), &noise(len + round)[round..]).unwrap();
            let done = sandbox.ok(&format!(
                "openssl dgst -r -{theirs} in | cut -d ' ' -f 1 > digest; sealstone hash -a {ours} in | cut -d ' ' -f 1 | \
                 cmp - digest; openssl dgst -{theirs} in > list; sealstone hash --check --strict list"
            ));
            assert_eq!(done, "in: OK\n", "{theirs}, {len} bytes");
            ran += 1;
        }
    }
    println!("{ran} messages");
    assert_eq!(ran, 68);
}

#[test]
fn ssh_keygen_verifies_signature_files_of_sealstone_and_sealstone_those_of_ssh_keygen() {
    if !has("ssh-keygen") {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write("other", "other\n");
    let mut ran = 0;
    for (kind, theirs) in [("ed25519", "-t ed25519"), ("p256-sign", "-t ecdsa -b 256")] {
        // A key of either; `k` is in the form of ssh-keygen.
        for make in [
            format!("sealstone keygen -q --kind {kind} -o own && sealstone key convert --sign --to ssh -o k own"),
            format!("ssh-keygen -q {theirs} -N '' -C alice -f k"),
        ] {
            sandbox.ok(&format!("rm -f own k k.pub allowed; {make}; sealstone key public --sign k > r"));
            sandbox.ok("ssh-keygen -y -f k | cut -d ' ' -f 1-2 > theirs; cut -d ' ' -f 1-2 r | cmp - theirs");
            sandbox.ok("echo \"alice@example.org namespaces=\\\"file,git\\\" $(cat r)\" > allowed");
            for (round, len) in random_lengths(4).into_iter().enumerate() {
                let namespace = ["file", "git"][round % 2];
                sandbox.write("in", &noise(len + round)[round..]);
                let verify = format!("ssh-keygen -Y verify -f allowed -I alice@example.org -n {namespace}");
                let own = format!(
                    "sealstone verify-sig -q --signers allowed --principal alice@example.org --namespace {namespace}"
                );
                for hash in ["sha512", "sha256"] {
                    sandbox
                        .ok(&format!("rm -f in.sig; ssh-keygen -q -Y sign -f k -n {namespace} -O hashalg={hash} in"));
                    sandbox.ok(&format!("{own} --signature in.sig in; {verify} -s in.sig < in"));
                    assert_eq!(sandbox.sh(&format!("{own} --signature in.sig other")).status, Some(4));
                }
                sandbox.ok(&format!("sealstone sign -k k --namespace {namespace} --force -o s in"));
                sandbox.ok(&format!("{verify} -s s < in; {own} --signature s in"));
                assert_ne!(sandbox.sh(&format!("{verify} -s s < other")).status, Some(0));
                let other = if namespace == "file" { "git" } else { "file" };
                assert_ne!(sandbox.sh(&format!("{} -s s < in", verify.replace(namespace, other))).status, Some(0));
                let done = sandbox.sh(&format!("{} --signature s in", own.replace(namespace, other)));
                assert_eq!(done.status, Some(4), "{done}");
                ran += 3;
            }
        }
    }
    println!("{ran} signatures");
    assert_eq!(ran, 48);
}

/// User ids of signatures, as options of `sealstone sm2` and of `openssl pkeyutl`. OpenSSL signs for the empty user where
/// none is named.
const IDS: [(&str, &str); 5] = [
    ("", "-pkeyopt distid:1234567812345678"),
    ("--id ''", ""),
    ("--id alice@example.com", "-pkeyopt distid:alice@example.com"),
    ("--id \u{7528}\u{6237}", "-pkeyopt distid:\u{7528}\u{6237}"),
    ("--id 'a b'", "-pkeyopt hexdistid:612062"),
];

#[test]
fn openssl_verifies_sm2_signatures_of_sealstone_and_sealstone_those_of_openssl() {
    if !has_openssl() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.ok("sealstone keygen -q --kind sm2 -o k; sealstone recipients k > r; echo other > other");
    let theirs = "openssl pkeyutl -rawin -digest sm3 -in in";
    let mut ran = 0;
    for (ours, id) in IDS {
        for len in random_lengths(6) {
            sandbox.write("in", noise(len + 1));
            for line in [
                format!("sealstone sm2 sign -i k {ours} -o s --force in"),
                format!("{theirs} -verify -pubin -inkey r -sigfile s {id}"),
                format!("{theirs} -sign -inkey k -out s {id}"),
                format!("sealstone sm2 verify -r r {ours} --signature s in"),
                format!("openssl dgst -sm3 -sign k {} -out s in", id.replace("pkeyopt", "sigopt")),
                format!("sealstone sm2 verify -q -r r {ours} --signature s in"),
                format!("sealstone sm2 sign -i k {ours} -o t --force in"),
                format!("openssl dgst -sm3 -verify r {} -signature t in", id.replace("pkeyopt", "sigopt")),
            ] {
                let done = sandbox.sh(&line);
                assert_eq!(done.status, Some(0), "{len} bytes: {line}: {done}");
            }
            for line in [
                format!("openssl dgst -sm3 -verify r {} -signature t other", id.replace("pkeyopt", "sigopt")),
                format!("sealstone sm2 verify -r r {ours} --signature s other"),
                "sealstone sm2 verify -r r --id another --signature s in".to_owned(),
            ] {
                assert_ne!(sandbox.sh(&line).status, Some(0), "{line}");
            }
            ran += 4;
        }
    }
    println!("{ran} signatures");
    assert_eq!(ran, 120);
}

#[test]
fn openssl_decrypts_sm2_ciphertexts_of_sealstone_and_sealstone_those_of_openssl() {
    if !has_openssl() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.ok("sealstone keygen -q --kind sm2 -o k; sealstone recipients k > r");
    // OpenSSL 3.0 does not begin anew where t is zero (GB/T 32918.4 section 6.1, A5), so that the shortest are not its own.
    let lengths = random_lengths(60).into_iter().map(|len| 3 + len % 198).chain([5000, 40_000]);
    let mut ran = 0;
    for len in lengths.chain(1..3) {
        sandbox.write("in", noise(len));
        let done = sandbox.ok(
            "sealstone sm2 encrypt -r r --form der -o ours --force in && openssl pkeyutl -decrypt -inkey k -in ours | cmp - in && \
             sealstone sm2 decrypt -i k --form der ours | cmp - in && echo same",
        );
        assert_eq!(done, "same\n", "{len} bytes to OpenSSL");
        ran += 1;
        if len < 3 {
            continue;
        }
        let done = sandbox.ok("openssl pkeyutl -encrypt -pubin -inkey r -in in -out theirs && \
             sealstone sm2 decrypt -i k --form der theirs | cmp - in && \
             od -An -v -tx1 theirs | sealstone sm2 decrypt -i k --form der | cmp - in && echo same");
        assert_eq!(done, "same\n", "{len} bytes from OpenSSL");
        ran += 1;
    }
    println!("{ran} ciphertexts");
    assert_eq!(ran, 126);
}

#[test]
fn openssl_reads_sm2_keys_of_sealstone() {
    if !has_openssl() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.ok("sealstone keygen -q --kind sm2 -o made; sealstone key convert --to pem --public -o public made");
    for form in ["pem", "der"] {
        let convert = format!("sealstone key convert --force --to {form}");
        sandbox.ok(&format!("{convert} -o key made"));
        let said = sandbox.ok(&format!("openssl pkey -inform {form} -in key -pubout"));
        assert_eq!(said.into_bytes(), sandbox.read("public"), "{form}");
        sandbox.ok(&format!("{convert} --public -o key made"));
        let said = sandbox.ok(&format!("openssl pkey -inform {form} -pubin -in key -pubout"));
        assert_eq!(said.into_bytes(), sandbox.read("public"), "{form}");
        sandbox.ok(&format!("{convert} --new-passphrase-file pass.txt -o key made"));
        let done = sandbox.sh(&format!("openssl pkey -inform {form} -passin file:pass.txt -in key -pubout"));
        if done.stderr.contains("unsupported prf") {
            // OpenSSL 3.0 computes PBKDF2 with SM3, and has no key files with it: gmsm is asked in the core's tests.
            println!("this OpenSSL has no keys that are encrypted with SM3");
            continue;
        }
        assert_eq!(done.bytes, sandbox.read("public"), "{form}: {done}");
    }
    sandbox.ok("openssl pkey -in made -check -noout | grep -q 'is valid'");
    sandbox.ok("sealstone keygen -q --kind sm2 --passphrase-file pass.txt -o locked");
    assert_eq!(sandbox.sh("openssl pkey -in locked -passin pass:wrong -noout").status, Some(1));
    // The encryption is Chinese throughout; 16 bytes of salt and of IV. OpenSSL has another number for HMAC-SM3.
    let said = sandbox.ok("openssl asn1parse -in locked");
    for part in ["PBES2", "PBKDF2", ":0F4240", ":1.2.156.10197.1.401.2", "sm4-cbc"] {
        assert!(said.contains(part), "no {part} in {said}");
    }
    assert_eq!(said.matches("l=  16 prim: OCTET STRING").count(), 2, "{said}");
}

#[test]
fn sealstone_reads_sm2_keys_of_openssl() {
    if !has_openssl() {
        return;
    }
    let sandbox = Sandbox::new();
    let generated = "openssl genpkey -algorithm SM2";
    let curve = "openssl ecparam -name SM2 -genkey";
    let mut ran = 0;
    for make in [
        format!("{generated} -out key"),
        format!("{generated} -outform DER -out key"),
        format!("{generated} -text -out key"),
        "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:SM2 -out key".to_owned(),
        // Behind the curve's parameters and alone, as EC PRIVATE KEY or SM2 PRIVATE KEY.
        format!("{curve} -out key"),
        format!("{curve} -noout -out key"),
        format!("{curve} -noout -outform DER -out key"),
        format!("{generated} | openssl ec -out key"),
        format!("{generated} | openssl ec -outform DER -out key"),
        format!("{generated} | openssl ec -no_public -out key"),
        // So OpenSSL 1.1.1 calls it.
        format!("{generated} | openssl ec | sed 's/ SM2 / EC /' > key"),
        format!("{generated} | openssl ec -conv_form compressed -out key"),
        format!("{generated} | openssl pkcs8 -topk8 -nocrypt -outform DER -out key"),
    ] {
        sandbox.ok(&format!("rm -f key; {make}"));
        for form in ["PEM", "DER"] {
            sandbox.ok(&format!("openssl ec -in key -conv_form uncompressed -pubout -outform {form} -out public"));
            opens(&sandbox, "", &make);
            ran += 1;
        }
        sandbox.ok("sealstone key convert --to pem --public --force -o public key");
        sandbox.ok("sealstone sm2 sign -i key pass.txt | sealstone sm2 verify -r public --signature - pass.txt");
    }
    sandbox.ok(&format!("{generated} -out plain; openssl pkey -in plain -pubout -out public; echo wrong > wrong"));
    for cipher in ["sm4-cbc", "aes-128-cbc", "aes-192-cbc", "aes-256-cbc"] {
        for way in ["", "-v2prf hmacWithSHA1", "-v2prf hmacWithSHA512", "-scrypt", "-iter 1", "-iter 100000"] {
            for form in ["PEM", "DER"] {
                let way = format!("openssl pkcs8 -topk8 -v2 {cipher} {way} -outform {form}");
                sandbox.ok(&format!("{way} -in plain -passout file:pass.txt -out key"));
                opens(&sandbox, "--passphrase-file pass.txt", &way);
                ran += 1;
            }
            let done = sandbox.sh("sealstone recipients --passphrase-file wrong key");
            assert_eq!(done.status, Some(3), "{cipher}, {way}: {done}");
        }
    }
    println!("{ran} keys");
    assert_eq!(ran, 74);
    for form in ["PEM", "DER"] {
        sandbox.ok(&format!(
            "openssl ec -in plain -conv_form compressed -pubout -outform {form} -out public; cp plain key"
        ));
        opens(&sandbox, "", "compressed");
    }
}

/// Computes each line of `lines` again with `cryptography`: what, arguments in hexadecimal digits or numbers, and what is expected.
const RECOMPUTE: &str = r##"
from cryptography.hazmat.primitives import cmac, hashes, hmac, keywrap
from cryptography.hazmat.primitives.ciphers import algorithms
from cryptography.hazmat.primitives.ciphers.aead import AESCCM, AESGCM, AESGCMSIV
from cryptography.hazmat.primitives.kdf.argon2 import Argon2d, Argon2i, Argon2id
from cryptography.hazmat.primitives.kdf.concatkdf import ConcatKDFHash
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

HASHES = {
    "md5": hashes.MD5, "sha1": hashes.SHA1, "sha224": hashes.SHA224, "sha256": hashes.SHA256, "sha384": hashes.SHA384,
    "sha512": hashes.SHA512, "sha512-256": hashes.SHA512_256, "sha3-224": hashes.SHA3_224, "sha3-256": hashes.SHA3_256,
    "sha3-384": hashes.SHA3_384, "sha3-512": hashes.SHA3_512, "sm3": hashes.SM3,
}

def hmac_of(name, key, data):
    made = hmac.HMAC(key, HASHES[name]())
    made.update(data)
    return made.finalize()

def cmac_of(key, data):
    made = cmac.CMAC(algorithms.AES(key))
    made.update(data)
    return made.finalize()

def argon2(kind, length, memory, passes, lanes, password, salt, secret, data):
    cost = dict(length=length, iterations=passes, lanes=lanes, memory_cost=memory)
    return kind(salt=salt, **cost, ad=data or None, secret=secret or None).derive(password)

FUNCTIONS = {
    "hmac": hmac_of,
    "cmac": cmac_of,
    "hkdf": lambda name, n, secret, salt, info: HKDF(HASHES[name](), n, salt, info).derive(secret),
    "concat": lambda name, n, secret, info: ConcatKDFHash(HASHES[name](), n, info).derive(secret),
    "pbkdf2": lambda name, n, rounds, password, salt: PBKDF2HMAC(HASHES[name](), n, salt, rounds).derive(password),
    "scrypt": lambda n, log_n, r, p, password, salt: Scrypt(salt, n, 2**log_n, r, p).derive(password),
    "argon2d": lambda *of: argon2(Argon2d, *of),
    "argon2i": lambda *of: argon2(Argon2i, *of),
    "argon2id": lambda *of: argon2(Argon2id, *of),
    "gcm": lambda key, nonce, aad, text: AESGCM(key).encrypt(nonce, text, aad),
    "gcm-siv": lambda key, nonce, aad, text: AESGCMSIV(key).encrypt(nonce, text, aad),
    "ccm": lambda key, tag, nonce, aad, text: AESCCM(key, tag).encrypt(nonce, text, aad),
    "kw": keywrap.aes_key_wrap,
    "kwp": keywrap.aes_key_wrap_with_padding,
}

def argument(word):
    return word if word in HASHES else int(word[1:]) if word.startswith("#") else bytes.fromhex(word[1:])

for line in open("lines"):
    name, *words, expected = line.split()
    made = FUNCTIONS[name](*map(argument, words)).hex()
    assert "=" + made == expected, line + made
    print(name)
"##;

/// An argument of `RECOMPUTE`.
fn bytes(of: &[u8]) -> String {
    of.iter().fold("=".to_owned(), |digits, byte| digits + &format!("{byte:02x}"))
}

#[test]
fn cryptography_computes_the_same_macs_keys_and_ciphertexts() {
    let Some(python) = python() else { return };
    let random = |len: usize| {
        let mut out = vec![0; len];
        sealstone::random::fill(&mut out).unwrap();
        out
    };
    let mut lines = String::new();
    let mut expect = |words: &str, made: &[u8]| lines.push_str(&[words, " ", &bytes(made), "\n"].concat());
    for len in [1, 15, 16, 31, 64, 65, 200] {
        let (secret, salt, info, data) = (random(len), random(len % 40 + 8), random(len % 50), random(len * 3));
        let [of_secret, of_salt, of_info, of_data] = [&secret, &salt, &info, &data].map(|of| bytes(of));
        for hash in hash::Algorithm::ALL {
            let name = hash.name();
            // The latter two it does not have.
            if ["shake", "blake", "keccak", "ripemd"].iter().any(|family| name.starts_with(family)) {
                continue;
            }
            let key = Mac::new(format!("hmac-{name}").parse().unwrap(), &secret).unwrap();
            expect(&format!("hmac {name} {of_secret} {of_data}"), key.sign(&data).as_bytes());
            let mut out = vec![0; len];
            kdf::hkdf(hash, &secret, &salt, &info, &mut out).unwrap();
            expect(&format!("hkdf {name} #{len} {of_secret} {of_salt} {of_info}"), &out);
            kdf::concat(hash, &secret, &info, &mut out).unwrap();
            expect(&format!("concat {name} #{len} {of_secret} {of_info}"), &out);
            let cost = Cost::Pbkdf2 { hash, iterations: 9 };
            kdf::derive(&cost, &Input::new(&secret, &salt), Bounds::Usual, &mut out).unwrap();
            expect(&format!("pbkdf2 {name} #{len} #9 {of_secret} {of_salt}"), &out);
        }
        let mut out = vec![0; len + 16];
        let out_len = out.len();
        kdf::derive(&Cost::Scrypt { log_n: 4, r: 3, p: 2 }, &Input::new(&secret, &salt), Bounds::Usual, &mut out)
            .unwrap();
        expect(&format!("scrypt #{out_len} #4 #3 #2 {of_secret} {of_salt}"), &out);
        for (name, variant) in [("argon2d", Variant::D), ("argon2i", Variant::I), ("argon2id", Variant::Id)] {
            let cost = Cost::Argon2 { variant, memory_kib: 77, passes: 3, lanes: 2 };
            let input = Input { password: &secret, salt: &salt, secret: &info, data: &data };
            kdf::derive(&cost, &input, Bounds::Usual, &mut out).unwrap();
            expect(&format!("{name} #{out_len} #77 #3 #2 {of_secret} {of_salt} {of_info} {of_data}"), &out);
        }
        for key_len in [16, 24, 32] {
            let key = random(key_len);
            let (of_key, bits) = (bytes(&key), 8 * key_len);
            let cmac = Mac::new(format!("aes-{bits}-cmac").parse().unwrap(), &key).unwrap();
            expect(&format!("cmac {of_key} {of_data}"), cmac.sign(&data).as_bytes());
            let (nonce, tag_len) = (random(7 + len % 7), 4 + 2 * (len % 7));
            let ccm = Ccm::new(format!("aes-{bits}-ccm").parse().unwrap(), &key, tag_len).unwrap();
            let sealed = ccm.seal(&nonce, &info, &data).unwrap();
            expect(&format!("ccm {of_key} #{tag_len} {} {of_info} {of_data}", bytes(&nonce)), &sealed);
            let whole = random(len.next_multiple_of(8) + 8);
            for (form, secret) in [("kw", &whole), ("kwp", &secret)] {
                let wrap = KeyWrap::new(format!("aes-{bits}-{form}").parse().unwrap(), &key).unwrap();
                expect(&format!("{form} {of_key} {}", bytes(secret)), &wrap.wrap(secret).unwrap());
            }
            let gcm = Aead::new(format!("aes-{bits}-gcm").parse().unwrap(), &key).unwrap();
            for nonce in [8, 12, 16].map(random) {
                let sealed = gcm.seal(&nonce, &info, &data).unwrap();
                expect(&format!("gcm {of_key} {} {of_info} {of_data}", bytes(&nonce)), &sealed);
            }
            if key_len != 24 {
                let aead = Aead::new(format!("aes-{bits}-gcm-siv").parse().unwrap(), &key).unwrap();
                let nonce = random(12);
                let sealed = aead.seal(&nonce, &info, &data).unwrap();
                expect(&format!("gcm-siv {of_key} {} {of_info} {of_data}", bytes(&nonce)), &sealed);
            }
        }
    }
    let sandbox = Sandbox::new();
    sandbox.write("lines", &lines);
    let done = run_python(&python, &sandbox, RECOMPUTE, &[]);
    assert_eq!(done.status, Some(0), "{done}");
    assert_eq!(done.stdout.lines().count(), 7 * (12 * 4 + 1 + 3 + 3 * 7 + 2));
}

/// The Rust edition of nkCryptoTool, of PATH; no test builds it.
fn nk_crypto_tool() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .map(|folder| folder.join("nk-crypto-tool"))
        .find(|program| run(Command::new(program).arg("--version")));
    if found.is_none() {
        skip_in_ci_too("no nk-crypto-tool (nkCryptoTool-rust)");
    }
    found
}

#[test]
fn signatures_are_exchanged_with_nkcryptotool() {
    let Some(program) = nk_crypto_tool() else { return };
    let (sandbox, program) = (Sandbox::new(), program.display());
    sandbox.write("film", noise(300_000));
    for (mode, kind) in [("ecc", "p256-sign"), ("pqc", "ml-dsa-65"), ("hybrid", "ml-dsa-65")] {
        // Its private keys, which have a passphrase, and of ML-DSA no seed.
        let theirs = format!("export NK_PASSPHRASE=correct-horse; {program} --mode {mode} --key-dir keys");
        let (private, public) = (format!("keys/private_sign_{mode}.key"), format!("keys/public_sign_{mode}.key"));
        sandbox.ok(&format!("echo correct-horse > pass.txt; {theirs} --gen-sign-key 2> said"));
        sandbox.ok(&format!("{theirs} --sign --signing-privkey {private} --signature theirs.sig --force film 2> said"));
        let said = sandbox.ok(&format!("sealstone verify-sig -k {public} --signature theirs.sig film"));
        assert!(said.starts_with(&format!("film: signed by {kind} SHA256:")), "{mode}: {said}");
        let verify = format!("{theirs} --verify --signing-pubkey {public} --signature film.sig film 2> said");
        let sign = format!("sealstone sign --force --format nkcs -k {private} --passphrase-file pass.txt film");
        sandbox.ok(&format!("{sign} && {verify}"));
        let other = sandbox.sh(&format!("echo more >> film; {verify}"));
        assert_ne!(other.status, Some(0), "{mode}: {other}");
    }
    // And keys that are made here.
    for (mode, kind) in [("ecc", "p256-sign"), ("pqc", "ml-dsa-65")] {
        sandbox.ok(&format!("sealstone keygen -q --force --sign --kind {kind} -o k.pem"));
        sandbox.ok("sealstone key convert --sign --public --to pem k.pem > k.pub");
        sandbox.ok("sealstone sign --force --format nkcs -k k.pem film");
        sandbox.ok(&format!(
            "{program} --mode {mode} --verify --signing-pubkey ./k.pub --signature film.sig film 2> said"
        ));
    }
}

#[test]
fn bundles_and_keys_of_a_keyring_of_nkcryptotool_are_read() {
    let Some(program) = nk_crypto_tool() else { return };
    let (sandbox, program) = (Sandbox::new(), program.display());
    let theirs = format!("export NK_PASSPHRASE=correct-horse; {program} --mode hybrid --key-dir keys");
    sandbox.ok(&format!("{theirs} --gen-sign-key 2> said; {theirs} --gen-enc-key 2> said"));
    let bundle =
        "--signing-privkey keys/private_sign_hybrid.key --keybundle-handle alice --keybundle-output alice.nkkb";
    let said = sandbox.ok(&format!("{theirs} --gen-keybundle {bundle} 2> said"));
    let fingerprint = said.lines().last().unwrap().trim();
    sandbox.ok(&format!("echo hello > film; sealstone encrypt -r alice.nkkb --fingerprint {fingerprint} film"));
    assert!(sandbox.ok("sealstone inspect film.seal").contains("1: ml-kem-768"));
    sandbox.ok(&format!("sealstone encrypt --format nkct -r alice.nkkb --fingerprint {fingerprint} film"));
    let own = "--user-mlkem-privkey private_enc_hybrid_mlkem.key --user-ecdh-privkey private_enc_hybrid_ecdh.key";
    sandbox.ok(&format!("{theirs} --decrypt {own} --output-file out film.nkct 2> said; cmp out film"));
    // The line of docs/guide/from-nkcryptotool.md that takes keys out of a keyring.
    if !has("perl") {
        return;
    }
    for (algorithm, role) in [("ML-DSA-65", "sign"), ("P-256", "sign"), ("P-256", "enc"), ("ML-KEM-768", "enc")] {
        let slot = format!("--key-algo {algorithm} --key-role {role} --keybundle-handle me");
        sandbox.ok(&format!("{theirs} --keyring-db keyring.db --keyring-cmd gen-my-key {slot} 2> said"));
    }
    let guide = std::fs::read_to_string(repository().join("docs/guide/from-nkcryptotool.md")).unwrap();
    let lines = guide.lines().filter(|line| line.starts_with("perl ") || line.starts_with("csplit "));
    assert_eq!(lines.clone().count(), 2);
    lines.for_each(|line| drop(sandbox.ok(line)));
    sandbox.write("pass.txt", "correct-horse\n");
    let signed = sandbox.ok(
        "for key in key-0?; do sealstone sign --force --format nkcs -k $key --passphrase-file pass.txt film 2> said && echo $key; done; true",
    );
    assert_eq!(signed.lines().count(), 3, "two of P-256 and one of ML-DSA-65: {signed}");
}
