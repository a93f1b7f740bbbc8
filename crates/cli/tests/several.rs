//! Several inputs at once: what is said stands in their order, no output is lost to another, and nothing is left.

#[path = "support/fuse.rs"]
#[allow(dead_code, reason = "each test program uses a part of it")]
mod fuse;
mod support;

use fuse::{Fuse, Traits};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use support::chance::wait_until;
use support::{Sandbox, noise};

/// Long enough for the next files, on other threads, to be done before it.
const LONG: usize = 3_000_000;

/// A folder `d` with so many files of `len` bytes, `0000`, `0001` and so on.
fn fill(sandbox: &Sandbox, count: usize, len: usize) -> Vec<String> {
    sandbox.make_folder("d");
    let content = noise(len + count);
    let names: Vec<String> = (0..count).map(|n| format!("{n:04}")).collect();
    for (n, name) in names.iter().enumerate() {
        sandbox.write(&format!("d/{name}"), &content[n..n + len]);
    }
    names
}

#[test]
fn what_is_said_stands_in_the_order_of_the_inputs() {
    let sandbox = Sandbox::new();
    let names = fill(&sandbox, 60, 100);
    // Long ones among short ones, one for all threads, and an empty one.
    for (name, len) in [("d/0003", LONG), ("d/0020", 5_000_000), ("d/0021", LONG), ("d/0030", 0)] {
        sandbox.write(name, noise(len));
    }
    sandbox.ok("sealstone encrypt --threads 7 --no-sync -r alice.txt --recursive d; rm d/????; ls d | wc -l");
    for name in ["0004", "0005", "0022", "0059"] {
        sandbox.ok(&format!("printf x >> d/{name}.seal"));
    }
    sandbox.write("d/0040", "old");
    let failing = ["0004", "0005", "0022", "0040", "0059"];
    for threads in [1, 2, 7] {
        let arguments = format!("--threads {threads} --no-sync -i alice.key --recursive d");
        let done = sandbox.run(&format!("decrypt {arguments}"));
        let said: Vec<&str> = done.stderr.lines().filter(|line| line.contains("error: d/")).collect();
        assert_eq!(said.len(), failing.len(), "{done}");
        assert!(said.iter().zip(failing).all(|(line, name)| line.contains(&format!("d/{name}"))), "{done}");
        assert!(done.stderr.contains("5 of 60 files failed [some_failed]"), "{done}");
        assert_eq!(done.status, Some(5), "{done}");
        for (n, name) in names.iter().enumerate().filter(|(_, name)| !failing.contains(&name.as_str())) {
            let read = sandbox.read(&format!("d/{name}"));
            let len = match n {
                3 | 21 => LONG,
                20 => 5_000_000,
                30 => 0,
                _ => 100,
            };
            assert_eq!(read.len(), len, "{name}");
            std::fs::remove_file(sandbox.path(&format!("d/{name}"))).unwrap();
        }
        let done = sandbox.run(&format!("verify {arguments}"));
        let said: Vec<&str> = done.stdout.lines().map(|line| &line[2..6]).collect();
        let authentic: Vec<&String> = names.iter().filter(|name| !said_to_fail(name)).collect();
        assert_eq!(said, authentic, "{done}");
    }
}

/// Whether `verify` finds that a file is not authentic.
fn said_to_fail(name: &str) -> bool {
    ["0004", "0005", "0022", "0059"].contains(&name)
}

#[test]
fn events_stand_in_the_order_of_the_inputs() {
    let sandbox = Sandbox::new();
    let names = fill(&sandbox, 40, 1000);
    sandbox.write("d/0000", noise(LONG));
    sandbox.write("d/0007.seal", "old");
    let inputs: Vec<String> = names.iter().map(|name| format!("d/{name}")).collect();
    let done = sandbox.run(&format!("encrypt --json --threads 5 --no-sync -r alice.txt {}", inputs.join(" ")));
    assert_eq!(done.status, Some(5), "{done}");
    let events: Vec<Value> = done.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of_files: Vec<&Value> = events.iter().filter(|event| event["event"] != "progress").collect();
    assert_eq!(of_files.len(), inputs.len() + 1, "{done}");
    for (event, input) in of_files.iter().zip(&inputs) {
        if input == "d/0007" {
            assert_eq!(event["code"], "output_exists", "{done}");
        } else {
            assert_eq!((event["event"].as_str(), event["input"].as_str()), (Some("done"), Some(&input[..])), "{done}");
            assert_eq!(event["output"].as_str(), Some(&format!("{input}.seal")[..]), "{done}");
        }
    }
    assert_eq!(of_files.last().unwrap()["code"], "some_failed", "{done}");
    assert_eq!(sandbox.read("d/0007.seal"), b"old");
}

#[test]
fn two_thousand_files_come_back() {
    let sandbox = Sandbox::new();
    let names = fill(&sandbox, 2000, 4096);
    sandbox.ok("cp -r d before; sealstone encrypt --no-sync --threads 4 --in-place -r alice.txt --recursive d");
    sandbox.ok("sealstone rewrap --no-sync --threads 4 --replace -i alice.key -r bob.txt --recursive d");
    sandbox.ok("sealstone decrypt --no-sync --threads 4 --in-place -i bob.key --recursive d; diff -r before d");
    assert_eq!(sandbox.names("d"), names);
}

#[test]
fn an_output_that_is_a_later_input_is_waited_for() {
    let sandbox = Sandbox::new();
    sandbox.write("a", noise(LONG));
    for _ in 0..5 {
        sandbox.ok("sealstone encrypt --no-sync --threads 4 -r alice.txt a a.seal");
        sandbox.ok("sealstone decrypt -i alice.key -o - a.seal.seal | cmp - a.seal; rm a.seal a.seal.seal");
    }
}

#[test]
fn names_that_a_folder_takes_for_one_lose_nothing() {
    let sandbox = Sandbox::new();
    sandbox.make_folder("x");
    for (name, content) in [("x/a", "1"), ("x/b", "2"), ("x/A", "3"), ("x/B", "4")] {
        sandbox.write(name, content);
    }
    let folder = sandbox.make_folder("d");
    let Some(_mounted) = Fuse::mount(&folder, Traits { key: str::to_lowercase, ..Traits::default() }) else { return };
    for force in ["", "--force"] {
        for _ in 0..5 {
            let done = sandbox.run(&format!("encrypt {force} --threads 4 -r alice.txt -o d/ x/a x/b x/A x/B"));
            assert_eq!(done.status, Some(5), "{done}");
            assert_eq!(done.stderr.matches("[output_exists]").count(), 2, "{force} {done}");
            assert_eq!(done.stderr.matches("treat two names as one").count(), 2, "{done}");
            let names = sandbox.names("d");
            assert_eq!(names.len(), 2, "{names:?}");
            for name in names {
                std::fs::remove_file(sandbox.path("d").join(name)).unwrap();
            }
        }
    }
}

#[test]
fn a_signal_among_many_files_leaves_whole_ones_alone() {
    let sandbox = Sandbox::new();
    fill(&sandbox, 3000, 20_000);
    // With an input that does not end the work does not either.
    sandbox.ok("mkfifo never");
    let _never = std::fs::File::options().read(true).write(true).open(sandbox.path("never")).unwrap();
    let made = || if sandbox.path("out/d").exists() { sandbox.names("out/d") } else { Vec::new() };
    let is_output = |name: &String| Path::new(name).extension().is_some_and(|ending| ending == "seal");
    for before in [1, 300, 1000, 3000] {
        let line = "encrypt --threads 4 -r alice.txt -o out --recursive d never";
        let mut child = sandbox.sealstone(line).stderr(Stdio::null()).spawn().unwrap();
        wait_until("there are outputs", || made().iter().filter(|name| is_output(name)).count() >= before);
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(130), "after {before}");
        let left = made();
        assert!(left.len() >= before && left.iter().all(is_output), "{left:?}");
        sandbox.ok("sealstone verify -q --threads 4 -i alice.key --recursive out; rm -rf out");
    }
}

#[test]
fn memory_and_open_files_are_bounded() {
    let sandbox = Sandbox::new();
    fill(&sandbox, 300, 1_048_576);
    // With 60 descriptors there are 7 tasks in flight at most. Of 300 MiB there is room for a few files.
    let line = "ulimit -n 60; ulimit -d 100000; sealstone encrypt --no-sync --threads 8 -r alice.txt -o out --recursive d && \
                sealstone verify -q --threads 8 -i alice.key --recursive out";
    sandbox.ok(line);
    sandbox.ok("ulimit -d 100000; sealstone encrypt --no-sync --threads 8 -r alice.txt -o again --recursive d");
}
