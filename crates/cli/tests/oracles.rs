//! Other programs as judges: the format by the book (`vectors/reference.py`, which shares no code with the core), and
//! age for keys, which are the same strings there.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock};
use support::{Done, SEALSTONE, Sandbox, noise, repository, skip};

/// Python with the libraries of `vectors/requirements.txt`.
fn python() -> Option<PathBuf> {
    static PYTHON: OnceLock<Option<PathBuf>> = OnceLock::new();
    let made = PYTHON.get_or_init(|| {
        let folder = target().join("oracle-venv");
        let python = folder.join("bin/python");
        let requirements = repository().join("vectors/requirements.txt");
        let works = || run(Command::new(&python).args(["-c", "import cryptography.hazmat.primitives.hpke"]));
        let made = works()
            || (run(Command::new("python3").arg("-m").arg("venv").arg(&folder))
                && run(Command::new(&python).args(["-m", "pip", "install", "-q", "-r"]).arg(&requirements))
                && works());
        made.then_some(python)
    });
    if made.is_none() {
        skip("no Python with the libraries of vectors/requirements.txt");
    }
    made.clone()
}

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

fn target() -> PathBuf {
    // target/debug/sealstone
    Path::new(SEALSTONE).ancestors().nth(2).expect("the binary stands in a target folder").to_path_buf()
}

fn run(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// A command line of the reference.
fn reference(python: &Path, sandbox: &Sandbox, arguments: &[&str]) -> Done {
    let mut command = sandbox.command(python.to_str().unwrap());
    command.arg(repository().join("vectors/reference.py")).args(arguments).output().unwrap().into()
}

/// The secret strings in an identity file.
fn secret(sandbox: &Sandbox, name: &str) -> String {
    sandbox.ok(&format!("grep -v '^#' {name}")).trim().to_owned()
}

const SUITES: [&str; 2] = ["aes-256-gcm", "chacha20-poly1305"];
/// Recipient and identity of each kind, as our own options.
const KINDS: [(&str, &str); 4] = [
    ("-R alice.txt", "-i alice.key"),
    ("-R bob.txt", "-i bob.key"),
    ("--key-file shared.key", "--key-file shared.key"),
    ("-p --passphrase-file pass.txt", "-p --passphrase-file pass.txt"),
];
const FORMS: [&[&str]; 4] = [&[], &["-a"], &["--context", "letters/1"], &["-a", "--context", "letters/\u{e9}"]];

#[test]
fn the_reference_opens_what_sealstone_writes() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    sandbox.write("plain", noise(40_000));
    let keys = ["alice.key", "bob.key", "shared.key"].map(|name| secret(&sandbox, name));
    for suite in SUITES {
        for (i, (to, _)) in KINDS.iter().enumerate() {
            for form in FORMS {
                let mut command = sandbox.sealstone(&format!("encrypt --force --suite {suite} {to} -o out.seal plain"));
                assert!(command.args(form).status().unwrap().success());
                let with = keys.get(i).map_or(vec!["--passphrase-file", "pass.txt"], |key| vec!["-i", key]);
                let context = form.iter().copied().filter(|part| *part != "-a");
                let arguments: Vec<&str> =
                    ["decrypt"].into_iter().chain(with).chain(context).chain(["out.seal", "out"]).collect();
                let done = reference(&python, &sandbox, &arguments);
                assert_eq!(done.status, Some(0), "{suite} {to} {form:?}: {done}");
                assert_eq!(sandbox.read("out"), sandbox.read("plain"), "{suite} {to} {form:?}");
            }
        }
    }
}

#[test]
fn sealstone_opens_what_the_reference_writes() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    sandbox.write("plain", noise(40_000));
    let recipients = ["alice.txt", "bob.txt"].map(|name| sandbox.ok(&format!("cat {name}")).trim().to_owned());
    let key = secret(&sandbox, "shared.key");
    for suite in SUITES {
        for (i, (_, with)) in KINDS.iter().enumerate() {
            for form in FORMS {
                let to = match i {
                    0 | 1 => vec!["-r", &recipients[i]],
                    2 => vec!["--key", &key],
                    _ => vec!["--passphrase-file", "pass.txt"],
                };
                let arguments: Vec<&str> = ["encrypt", "--suite", suite]
                    .into_iter()
                    .chain(to)
                    .chain(form.iter().copied())
                    .chain(["plain", "out.seal"])
                    .collect();
                let done = reference(&python, &sandbox, &arguments);
                assert_eq!(done.status, Some(0), "{suite} {with} {form:?}: {done}");
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
    let sandbox = Sandbox::new();
    sandbox.write("plain", noise(40_000));
    sandbox.ok("sealstone encrypt -r bob.txt -o whole plain; sealstone encrypt -r bob.txt -a -o text plain");
    let (whole, text) = (sandbox.read("whole"), sandbox.read("text"));
    let key = secret(&sandbox, "bob.key");
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
        let theirs = reference(&python, &sandbox, &["decrypt", "-i", &key, "case", "out"]);
        let ours = sandbox.run("decrypt -i bob.key --json -o out case");
        let line = ours.stderr.lines().last().unwrap_or_default();
        let said: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("case {i}: {ours}"));
        let code = said["code"].as_str().unwrap();
        assert_ne!(theirs.status, Some(0), "case {i}: {theirs}");
        assert!(theirs.stderr.contains(code), "case {i}: we say {code}, the reference says {}", theirs.stderr);
        assert!(!sandbox.path("out").exists());
    }
}

#[test]
fn the_reference_reads_every_vector() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let folder = repository().join("vectors/file");
    let done = reference(&python, &sandbox, &["check", folder.to_str().unwrap()]);
    assert_eq!(done.status, Some(0), "{done}");
    let total = std::fs::read_dir(folder).unwrap().count();
    let passed: usize =
        done.stdout.lines().rev().find_map(|line| line.split(" passed").next()?.trim().parse().ok()).unwrap_or(0);
    assert!(total > 400 && passed >= total, "{total} vectors: {}", done.stdout);
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
        let opened = sandbox.ok("sealstone encrypt -R age.txt bob.txt | sealstone decrypt -i age.key");
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
