//! The scripts of `lanes/`, with stand-ins for what they run: what is red looks red, and what they began ends with them.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

const LEAST: &str =
    "# a comment\ngo/module 4\nnpm-browser/pages 2\nnpm/addon 5\npython/pytest 7\nrust/core 2\nrust/tests/a.rs 3\n";

const RUST: &str = "     Running unittests src/lib.rs (/a b/debug/deps/core-0123456789abcdef)
test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured
     Running tests/a.rs (/a b/debug/deps/a-0123456789abcdef)
test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured
";

const PYTHON: &str = "7 passed, 1 warning in 2.50s\n";

/// A folder with the scripts and the logs of a run in which all is well.
struct Lanes(PathBuf);

impl Lanes {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("lanes {name}"));
        fs::remove_dir_all(&folder).ok();
        fs::create_dir_all(folder.join("lanes")).unwrap();
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lanes");
        for script in ["count.sh", "options.sh", "release.sh", "run.sh", "tool.sh"] {
            fs::copy(sources.join(script), folder.join("lanes").join(script)).unwrap();
        }
        let lanes = Self(folder);
        lanes.write("lanes/least.txt", LEAST);
        lanes.write("target/lanes/rust.log", RUST);
        lanes.write("target/lanes/npm.log", "== tests in Node\n");
        lanes.write("target/lanes/python.log", PYTHON);
        lanes.write("target/lanes/go.log", "== Go: tests of the module\n");
        lanes.write("target/lanes/counts/go.txt", "go module 4 0 0\n");
        lanes.write("target/lanes/counts/npm-addon.txt", "npm addon 5 0 1\n");
        lanes.write("target/lanes/counts/npm-browser-pages.txt", "npm-browser pages 2 0 0\n");
        for lane in ["rust", "npm", "python", "go"] {
            lanes.write(&format!("target/lanes/{lane}.status"), "0\n");
        }
        lanes
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap()
    }

    /// A command in this folder, in which nothing of the run around it is set.
    fn sh(&self, script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]).current_dir(&self.0);
        for name in ["CI", "MAKE", "MAKEFLAGS", "CARGO_TARGET_DIR"] {
            command.env_remove(name);
        }
        command
    }

    /// What `count.sh check` says of the logs, and whether it passed.
    fn check(&self, is_ci: bool) -> (String, bool) {
        let mut command = self.sh("sh lanes/count.sh check target/lanes");
        said(if is_ci { command.env("CI", "true") } else { &mut command })
    }
}

fn said(command: &mut Command) -> (String, bool) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    (String::from_utf8(stdout).unwrap() + &String::from_utf8(stderr).unwrap(), status.success())
}

#[test]
fn a_run_in_which_all_passed_says_so_in_one_line() {
    for is_ci in [false, true] {
        assert_eq!(Lanes::new("all").check(is_ci), ("23 passed, 0 failed, 1 skipped\n".to_owned(), true));
    }
}

#[test]
fn a_suite_that_vanished_or_lost_a_test_is_a_failure_everywhere() {
    let lanes = Lanes::new("vanished");
    for (log, whole, from, to, lost) in [
        ("rust.log", RUST, "Running tests/a.rs", "Running tests/b.rs", "rust/tests/a.rs: 0 of 3"),
        ("rust.log", RUST, "3 passed; 0 failed; 0 ignored", "2 passed; 0 failed; 1 ignored", "rust/tests/a.rs: 2 of 3"),
        ("rust.log", RUST, RUST, "", "rust/core: 0 of 2"),
        ("python.log", PYTHON, PYTHON, "", "python/pytest: 0 of 7"),
    ] {
        lanes.write(&format!("target/lanes/{log}"), &whole.replace(from, to));
        for is_ci in [false, true] {
            let (text, passed) = lanes.check(is_ci);
            assert!(!passed && text.contains(lost) && text.contains(" passed, 1 failed"), "{text}");
        }
        lanes.write(&format!("target/lanes/{log}"), whole);
    }
}

#[test]
fn a_test_that_is_skipped_is_a_failure_where_nothing_may_be() {
    let lanes = Lanes::new("skipped");
    lanes.write("target/lanes/python.log", "6 passed, 1 skipped in 2.50s\n");
    assert!(lanes.check(false).1);
    let (text, passed) = lanes.check(true);
    assert!(!passed && text.contains("python/pytest: 6 of 7"), "{text}");
}

#[test]
fn a_lane_that_lacks_what_it_needs_may_be_missing_where_it_says_so_and_not_in_ci() {
    let lanes = Lanes::new("without");
    lanes.write("target/lanes/python.log", "the Python package: skipped: needs CPython\n");
    fs::remove_file(lanes.0.join("target/lanes/counts/npm-browser-pages.txt")).unwrap();
    lanes.write("target/lanes/npm.log", "the npm package in a browser: skipped: needs Chromium\n");
    fs::remove_file(lanes.0.join("target/lanes/counts/go.txt")).unwrap();
    lanes.write("target/lanes/go.log", "the Go module: skipped: there is no go\n");
    assert_eq!(lanes.check(false), ("10 passed, 0 failed, 1 skipped\n".to_owned(), true));
    let (text, passed) = lanes.check(true);
    assert!(!passed && text.contains("python/pytest: 0 of 7") && text.contains("npm-browser/pages: 0 of 2"), "{text}");
}

#[test]
fn a_lane_that_failed_without_a_test_that_did_is_one_failure() {
    let lanes = Lanes::new("failed");
    lanes.write("target/lanes/rust.status", "137\n");
    let wrong = "the lane rust has failed: target/lanes/rust.log\n23 passed, 1 failed, 1 skipped\n";
    assert_eq!(lanes.check(true), (wrong.to_owned(), false));
    // One that was killed with its shell leaves none.
    fs::remove_file(lanes.0.join("target/lanes/rust.status")).unwrap();
    assert_eq!(lanes.check(true), (wrong.to_owned(), false));
}

#[test]
fn counts_are_raised_and_never_lowered() {
    let lanes = Lanes::new("raised");
    lanes.write("target/lanes/rust.log", &RUST.replace("3 passed", "4 passed").replace("2 passed", "1 passed"));
    lanes.write("target/lanes/python.log", "");
    let (text, _) = said(&mut lanes.sh("sh lanes/count.sh write target/lanes"));
    assert!(text.contains("rust/core") && text.contains("python/pytest") && !text.contains("a.rs"), "{text}");
    let suites: Vec<_> = LEAST.lines().skip(1).map(|line| line.replace("a.rs 3", "a.rs 4")).collect();
    assert_eq!(lanes.read("lanes/least.txt").lines().skip(1).collect::<Vec<_>>(), suites);
}

/// Each lane of this one says that it begins, and then waits for what never comes.
const WAITS: &str = "#!/bin/sh\nexec 9>alive\necho begun >&9\nsh -c 'read line <never; :'\n";

#[test]
fn what_the_lanes_began_ends_with_them_and_they_run_once_at_a_time() {
    let lanes = Lanes::new("signal");
    lanes.write("make", WAITS);
    assert!(said(&mut lanes.sh("chmod +x make && mkfifo alive never")).1);
    let run = || {
        let mut command = lanes.sh("exec sh lanes/run.sh");
        command.env("MAKE", "./make").stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    let mut first = run().spawn().unwrap();
    let mut alive = BufReader::new(fs::File::open(lanes.0.join("alive")).unwrap());
    for _ in 0..4 {
        let mut line = String::new();
        alive.read_line(&mut line).unwrap();
        assert_eq!(line, "begun\n");
    }
    let (text, passed) = said(&mut run());
    assert!(!passed && text.contains("runs in this folder already"), "{text}");

    assert!(said(&mut lanes.sh(&format!("kill -TERM {}", first.id()))).1);
    let (sender, receiver) = mpsc::channel();
    // The FIFO ends when nobody has it open.
    thread::spawn(move || sender.send(alive.read_to_end(&mut Vec::new())));
    receiver.recv_timeout(Duration::from_secs(600)).expect("what the lanes began goes on").unwrap();
    assert_eq!(first.wait().unwrap().code(), Some(130));
    // Nothing is in the way of the next one, which this stand-in fails at once: nor what one that was killed said, whose number another
    // process has since.
    lanes.write("target/lanes.pid", &format!("{}\n", std::process::id()));
    let (text, passed) = said(run().env("MAKE", "false"));
    assert!(!passed && text.ends_with("0 passed, 1 failed\n"), "{text}");
}

#[test]
fn with_options_that_run_nothing_or_hide_failures_nothing_passes() {
    let lanes = Lanes::new("options");
    for options in ["n", "wi", "t --no-print-directory", "q -- A=b"] {
        for script in ["run.sh", "release.sh part"] {
            let (text, passed) =
                said(lanes.sh(&format!("sh lanes/{script}")).env("MAKE", "true").env("MAKEFLAGS", options));
            assert!(!passed && text.contains("with -i, -n, -q or -t"), "{options}: {text}");
        }
    }
    assert!(lanes.0.join("target/lanes/rust.log").exists(), "the logs of the last run stay");
}

/// `part` is run; `changes` changes a file meanwhile; `skips` lacks something; `fails` fails.
const PARTS: &str = "#!/bin/sh\necho \"ran $2\"\ncase $2 in changes) echo more >>file ;; fails) exit 1 ;;
skips) mkdir -p target/tmp && echo 'needs Java' >>target/tmp/skipped.txt ;;
elsewhere) mkdir -p target/own/tmp && echo 'needs C' >>target/own/tmp/skipped.txt ;; esac\n";

#[test]
fn a_part_of_the_release_has_passed_for_the_commit_that_it_ran_of_alone() {
    let lanes = Lanes::new("release");
    lanes.write("make", PARTS);
    lanes.write("file", "a\n");
    lanes.write(".gitignore", "target\n");
    let commit = "git add -A && git -c user.name=a -c user.email=a@example.org commit -qm a --no-gpg-sign";
    let (text, passed) = said(&mut lanes.sh(&format!("chmod +x make && git init -q . && {commit}")));
    assert!(passed, "{text}");
    let release = |parts: &str| said(lanes.sh(&format!("sh lanes/release.sh {parts}")).env("MAKE", "./make"));

    let (text, passed) = release("part skips");
    assert!(passed && text.contains("ran part") && text.contains("1 skipped, such as: needs Java"), "{text}");
    assert!(text.contains(", with rustc "), "{text}");
    let (text, passed) = release("part");
    assert!(passed && !text.contains("ran part") && text.contains("part has passed: "), "{text}");
    lanes.write("untracked", "");
    assert!(said(&mut lanes.sh("git config status.showUntrackedFiles no")).1);
    let (text, passed) = release("part");
    assert!(passed && text.contains("-with-changes passed"), "a file that git hides is a change: {text}");
    fs::remove_file(lanes.0.join("untracked")).unwrap();
    let (text, passed) = release("elsewhere");
    assert!(passed && text.contains("1 skipped, such as: needs C"), "{text}");
    let (text, passed) = said(lanes.sh("sh lanes/release.sh fails").env("MAKE", "./make").env("MAKEFLAGS", "-n"));
    assert!(!passed && text.contains("with -i, -n, -q or -t"), "{text}");
    let (text, passed) = release("fails part");
    assert!(!passed && !text.contains("passed"), "{text}");

    // Changes that are not committed are others the next time.
    lanes.write("file", "b\n");
    for _ in 0..2 {
        let (text, passed) = release("part");
        assert!(passed && text.contains("ran part") && text.contains("-with-changes passed"), "{text}");
    }
    assert!(said(&mut lanes.sh(commit)).1);
    let (text, passed) = release("changes");
    assert!(passed && text.contains("-with-changes passed"), "{text}");
    assert!(said(&mut lanes.sh(commit)).1);
    assert!(release("changes").0.contains("ran changes"));
}

/// A cargo that has two crates, downloads one as `info` and builds it as `install`.
const CARGO: &str = "#!/bin/sh\necho \"ran $1\"\ncase $1 in info) mkdir -p home/registry/cache/a &&
printf crate >home/registry/cache/a/program-1.2.3.crate ;;
install) case \" $* \" in *' --force '*) ;; *) exit 0 ;; esac; mkdir -p target/tools/bin && cp cargo target/tools/bin/program ;; esac\n";

#[test]
fn a_program_is_built_once_and_only_from_the_crate_whose_hash_is_known() {
    let lanes = Lanes::new("tool");
    lanes.write("cargo", CARGO);
    assert!(said(&mut lanes.sh("chmod +x cargo")).1);
    let tool = || said(lanes.sh("sh lanes/tool.sh program").env("CARGO", "./cargo").env("CARGO_HOME", "home"));
    let sha256 = "00".repeat(32);

    lanes.write("lanes/tools.txt", &format!("program 1.2.3 {sha256}\n"));
    let (text, passed) = tool();
    assert!(!passed && text.contains("lanes/tools.txt says 0000") && !text.contains("ran install"), "{text}");

    let (sha256, hashed) = said(&mut lanes.sh("printf crate | sha256sum | cut -c 1-64"));
    assert!(hashed);
    lanes.write("lanes/tools.txt", &format!("program 1.2.3 {sha256}"));
    let (text, passed) = tool();
    assert!(passed && text.contains("ran install"), "{text}");
    assert_eq!(tool(), (String::new(), true));

    lanes.write("lanes/tools.txt", &format!("program 1.2.4 {sha256}"));
    let (text, passed) = tool();
    assert!(!passed && text.contains("no program-1.2.4.crate"), "{text}");
    lanes.write("lanes/tools.txt", "other 1.2.3\n");
    let (text, passed) = tool();
    assert!(!passed && text.contains("no line for program"), "{text}");
}
