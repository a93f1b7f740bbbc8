//! How programs of plugins begin and end: nothing of them is left, whatever fails or ends meanwhile. What they say is in
//! scripts/plugins.txt, and what they ask a person in terminal.rs.

mod support;

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use support::chance::wait_until;
use support::{Done, SEALSTONE, Sandbox, has};

/// A sandbox with `a.age`, for the plugin of tests, an empty folder `tmp` for temporary folders, and a folder `bin` of PATH.
fn sandbox() -> Sandbox {
    support::require_plugin();
    let sandbox = Sandbox::new();
    sandbox
        .ok("echo letter > a; sealstone encrypt --format age -r $(age-plugin-sealtest --recipient x) a; mkdir tmp bin");
    sandbox
}

/// Makes the program of a plugin of lines of shell.
fn make(sandbox: &Sandbox, name: &str, lines: &str) {
    let path = sandbox.write(&format!("bin/age-plugin-{name}"), format!("#!/bin/sh\n{lines}\n"));
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
}

/// A program that finds the plugins of `bin` too.
fn command(sandbox: &Sandbox, program: &str) -> Command {
    let mut command = sandbox.command("sh");
    let line = format!("PATH=$PWD/bin:$PATH TMPDIR=$PWD/tmp; export PATH TMPDIR; exec {program} \"$@\"");
    command.args(["-c", &line, "sh"]);
    command
}

/// The exit status of a run that opens `a.age` by a plugin, with faults. The plugin may say nothing for so many seconds.
fn with_faults(sandbox: &Sandbox, plugin: &str, timeout: &str, faults: &[&str]) -> Option<i32> {
    let mut command = command(sandbox, "strace");
    command.args([
        "-D",
        "-f",
        "-qq",
        "-o",
        "strace.log",
        "-e",
        "trace=?mkdir,mkdirat,pipe2,?clone3,clone,?vfork,close",
    ]);
    for fault in faults {
        command.args(["-e", fault]);
    }
    command.arg(SEALSTONE).args([
        "decrypt",
        "--threads",
        "1",
        "--plugin-timeout",
        timeout,
        "-j",
        plugin,
        "-o",
        "-",
        "a.age",
    ]);
    // Pipes would wait for a program that was left.
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().code()
}

/// Asserts that no program runs in a folder of `tmp`, and that no folder is there.
fn assert_nothing_left(sandbox: &Sandbox, when: &str) {
    let folder = sandbox.path("tmp").canonicalize().unwrap();
    let is_there = || {
        let mut processes = std::fs::read_dir("/proc").unwrap().flatten();
        processes
            .any(|process| std::fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(&folder)))
    };
    // The last of them may be just about to end: none does so by itself.
    wait_until(&format!("no program is left: {when}"), || !is_there());
    assert_eq!(sandbox.names("tmp"), [""; 0], "{when}");
}

/// How many threads and programs the last run has started.
fn starts(sandbox: &Sandbox) -> usize {
    let log = String::from_utf8(sandbox.read("strace.log")).unwrap();
    log.lines().filter(|line| ["clone3(", "clone(", "vfork("].iter().any(|call| line.contains(call))).count()
}

#[test]
fn a_signal_while_a_program_is_started_leaves_neither_it_nor_its_folder() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    sandbox.ok("mkfifo never");
    make(&sandbox, "deaf", "exec cat ../../never");
    // The folder is there, and the program late.
    let faults = ["inject=?mkdir,mkdirat:signal=TERM", "inject=pipe2:delay_enter=200000"];
    assert_eq!(with_faults(&sandbox, "deaf", "600", &faults), Some(130));
    assert_nothing_left(&sandbox, "as the folder was made");
    // The program is there, and whoever started it late. Threads are started by the same call, all of them before it is waited for.
    assert_eq!(with_faults(&sandbox, "deaf", "1", &[]), Some(1));
    let starts = starts(&sandbox);
    assert!(starts >= 4, "{starts}");
    for number in 1..=starts {
        let signal = format!("inject=?clone3,clone,?vfork:signal=TERM:when={number}");
        let status = with_faults(&sandbox, "deaf", "600", &[&signal, "inject=close:delay_enter=20000"]);
        assert_eq!(status, Some(130), "start {number}");
        assert_nothing_left(&sandbox, &format!("start {number}"));
    }
}

#[test]
fn a_start_that_fails_leaves_neither_the_program_nor_its_folder() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    let mut failed = 0;
    for number in 1..=6 {
        let fault = format!("inject=?clone3,clone,?vfork:error=EAGAIN:when={number}");
        failed += usize::from(with_faults(&sandbox, "sealtest", "600", &[&fault]) == Some(1));
        assert_nothing_left(&sandbox, &format!("start {number}"));
    }
    // The program, and the threads for its three pipes.
    assert!(failed >= 4, "{failed}");
}

#[test]
fn a_program_has_ended_though_what_it_started_holds_its_output() {
    let sandbox = sandbox();
    sandbox.ok("mkfifo never");
    let held = "cat ../../never & echo $! > ../../held";
    make(&sandbox, "dies", &format!("{held}; echo no card >&2; exit 3"));
    make(&sandbox, "held", &format!("{held}; exec age-plugin-sealtest \"$@\""));
    for (plugin, status, stdout, stderr) in
        [("dies", 1, "", "exit status 3; its last output was: no card"), ("held", 0, "letter\n", "")]
    {
        let done: Done =
            command(&sandbox, SEALSTONE).args(["decrypt", "-j", plugin, "-o", "-", "a.age"]).output().unwrap().into();
        assert_eq!((done.status, &done.stdout[..]), (Some(status), stdout), "{plugin}: {done}");
        assert!(done.stderr.contains(stderr), "{plugin}: {done}");
        // It still held the output for nobody: this kill is the first that ends it.
        sandbox.ok("kill $(cat held)");
    }
}
