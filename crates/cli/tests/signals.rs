//! Ends by signals: nothing is left, the exit status is 130, and what was to be ignored stays ignored.

#[path = "support/strace.rs"]
#[allow(dead_code, reason = "each test program uses a part of it")]
mod strace;
mod support;

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use strace::{Traced, fails};
use support::chance::wait_until;
use support::{Sandbox, has, is_root, noise};

const SIGNALS: [&str; 3] = ["INT", "TERM", "HUP"];

/// A sandbox with `plain`, of several units, `plain.seal`, `note`, which one thread reads and writes, and an empty folder `d`. The key
/// `k.pem` has signed both, as `plain.sig`, `plain.signed` and `note.signed`.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("plain", noise(700_000));
    sandbox.write("note", noise(100_000));
    sandbox.ok("sealstone encrypt -r alice.txt -o plain.seal plain");
    sandbox.ok("sealstone keygen -q --kind ed25519 -o k.pem; sealstone key public k.pem > k.pub");
    sandbox.ok("sealstone sign -k k.pem plain; sealstone sign --attach -k k.pem plain note");
    sandbox.make_folder("d");
    sandbox
}

/// A run that has read some of a pipe and waits for more.
fn waiting(mut command: Command, some: &[u8]) -> Child {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    // More than a pipe holds: when this returns, the rest has been read.
    assert!(some.len() > 600_000);
    child.stdin.as_mut().unwrap().write_all(some).unwrap();
    child
}

fn send(signal: &str, child: &Child) {
    assert!(Command::new("sh").args(["-c", &format!("kill -{signal} {}", child.id())]).status().unwrap().success());
}

/// Waits for the end while the pipe stays open, so that only the signal can be its cause.
fn end(child: &mut Child) -> ExitStatus {
    let pipe = child.stdin.take();
    let status = child.wait().unwrap();
    drop(pipe);
    status
}

#[test]
fn a_signal_while_a_pipe_is_read_leaves_nothing() {
    let sandbox = sandbox();
    for signal in SIGNALS {
        for (arguments, input) in [
            ("encrypt -r alice.txt -o d/out", "plain"),
            ("encrypt -a -r alice.txt -o d/out", "plain"),
            ("decrypt -i alice.key -o d/out", "plain.seal"),
            ("encrypt -r alice.txt -o /dev/null", "plain"),
            ("sign -k k.pem -o d/out", "plain"),
            ("sign --attach -k k.pem -o d/out", "plain"),
            ("verify-sig -k k.pub --signature plain.sig", "plain"),
            ("verify-sig -k k.pub --attached -o d/out", "plain.signed"),
        ] {
            let mut child = waiting(sandbox.sealstone(arguments), &sandbox.read(input));
            send(signal, &child);
            assert_eq!(end(&mut child).code(), Some(130), "{arguments}, SIG{signal}");
            assert_eq!(sandbox.names("d"), [""; 0], "{arguments}, SIG{signal}");
        }
    }
}

#[test]
fn a_signal_keeps_the_file_that_was_to_be_replaced() {
    let sandbox = sandbox();
    sandbox.write("d/out", "old");
    for (arguments, input) in [
        ("encrypt --force -r alice.txt -o d/out", "plain"),
        ("sign --attach --force -k k.pem -o d/out", "plain"),
        ("verify-sig --force -k k.pub --attached -o d/out", "plain.signed"),
    ] {
        let mut child = waiting(sandbox.sealstone(arguments), &sandbox.read(input));
        send("INT", &child);
        assert_eq!(end(&mut child).code(), Some(130), "{arguments}");
        assert_eq!(sandbox.names("d"), ["out"], "{arguments}");
        assert_eq!(sandbox.read("d/out"), b"old", "{arguments}");
    }
}

#[test]
fn a_signal_before_the_input_is_there_ends_the_run() {
    let sandbox = sandbox();
    sandbox.ok("mkfifo fifo");
    let mut child = sandbox.sealstone("encrypt -r alice.txt -o d/out fifo").spawn().unwrap();
    wait_until("the signals are watched", || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        status.lines().any(|line| line.starts_with("SigCgt:") && line.ends_with('3')) || status.contains("Threads:\t2")
    });
    send("TERM", &child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(sandbox.names("d"), [""; 0]);
}

#[test]
fn a_signal_in_the_middle_of_a_file_leaves_nothing() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    for signal in SIGNALS {
        for (arguments, call) in [
            ("encrypt -r alice.txt -o d/out plain", "pwritev"),
            ("decrypt -i alice.key -o d/out plain.seal", "pwritev"),
            ("sign -k k.pem -o d/out plain", "preadv"),
            ("sign --attach -k k.pem -o d/out plain", "preadv"),
            ("verify-sig -k k.pub --attached -o d/out plain.signed", "preadv"),
        ] {
            let traced = Traced { sandbox: &sandbox, arguments, given: &[] };
            // The work cannot end before the signal has had its effect.
            let faults =
                [format!("inject={call}:signal={signal}:when=2"), "inject=fsync:delay_enter=60000000".to_owned()];
            let done = traced.run(&faults);
            assert_eq!(done.status, Some(130), "{arguments}, SIG{signal}: {done}");
            assert_eq!(sandbox.names("d"), [""; 0], "{arguments}, SIG{signal}");
        }
    }
}

#[test]
fn a_signal_at_any_call_leaves_the_old_file_or_a_whole_one_and_nothing_else() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    let mut tried = 0;
    for (arguments, unnamed) in [
        ("decrypt -i alice.key -o d/out plain.seal", true),
        ("decrypt -i alice.key -o d/out plain.seal", false),
        ("decrypt --force -i alice.key -o d/out plain.seal", true),
        ("decrypt --force -i alice.key -o d/out plain.seal", false),
        ("sign -k k.pem -o d/out note", true),
        ("sign --force -k k.pem -o d/out note", false),
        ("sign --attach -k k.pem -o d/out note", false),
        ("verify-sig -k k.pub --attached -o d/out note.signed", true),
        ("verify-sig --force -k k.pub --attached -o d/out note.signed", false),
        ("keygen --kind ed25519 -o d/out", true),
        ("keygen --kind ed25519 -o d/out", false),
    ] {
        let is_whole = |found: &[u8]| match arguments.split(' ').next().unwrap() {
            "sign" if arguments.contains("--attach") => found == sandbox.read("note.signed"),
            "sign" => sandbox.run("verify-sig -q -k k.pub --signature d/out note").status == Some(0),
            "verify-sig" => found == sandbox.read("note"),
            "keygen" => sandbox.run("key public d/out").status == Some(0),
            _ => found == sandbox.read("plain"),
        };
        let old = || {
            std::fs::remove_file(sandbox.path("d/out")).ok();
            if arguments.contains("--force") {
                sandbox.write("d/out", "old");
            }
        };
        old();
        let call = Traced { sandbox: &sandbox, arguments, given: &[] }.find("openat", "O_TMPFILE");
        let given = if unnamed { Vec::new() } else { vec![fails(&call, "EOPNOTSUPP")] };
        let traced = Traced { sandbox: &sandbox, arguments, given: &given };
        old();
        let calls = traced.calls("openat,fchmod,fallocate,write,pwritev,fsync,linkat,renameat,unlinkat");
        let first = calls.iter().position(|call| call.text.contains("O_TMPFILE")).expect("an output is made");
        for (i, call) in calls.iter().enumerate().skip(first).filter(|(_, call)| call.name != "openat") {
            old();
            let mut faults = vec![format!("inject={}:signal=INT:when={}", call.name, call.number)];
            // A later call of another name waits a little for the signal to have its effect; the run may end as well.
            let later = calls[i..].iter().find(|later| later.name != call.name);
            faults.extend(later.map(|later| format!("inject={}:delay_enter=300000:when={}", later.name, later.number)));
            let done = traced.run(&faults);
            let what = format!("{arguments} (unnamed {unnamed}), SIGINT at {} {}", call.name, call.number);
            assert!(matches!(done.status, Some(0 | 130)), "{what}: {done}");
            let names = sandbox.names("d");
            assert!(names.iter().all(|name| name == "out"), "{what}: {names:?}");
            match std::fs::read(sandbox.path("d/out")) {
                Ok(found) if done.status == Some(0) => assert!(is_whole(&found), "{what}"),
                Ok(found) => {
                    assert!((found == b"old" && arguments.contains("--force")) || is_whole(&found), "{what}");
                }
                Err(_) => assert!(done.status == Some(130) && !arguments.contains("--force"), "{what}: no file"),
            }
            tried += 1;
        }
    }
    assert!(tried >= 60, "only {tried} signals");
    println!("{tried} signals");
}

#[test]
fn a_signal_removes_a_named_temporary_file() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    let arguments = "encrypt -r alice.txt -o d/out";
    let call = Traced { sandbox: &sandbox, arguments, given: &[] }.find("openat", "O_TMPFILE");
    std::fs::remove_file(sandbox.path("d/out")).unwrap();
    for signal in SIGNALS {
        let line = format!(
            "exec strace -D -f -qq -o strace.log -e trace=openat -e {} sealstone {arguments} --threads 1",
            fails(&call, "EOPNOTSUPP")
        );
        let mut command = sandbox.command("sh");
        command.args(["-c", &line]);
        let mut child = waiting(command, &sandbox.read("plain"));
        wait_until("there is a temporary file", || !sandbox.names("d").is_empty());
        let name = sandbox.names("d").remove(0);
        assert!(name.starts_with(".sealstone-"), "{name}");
        send(signal, &child);
        assert_eq!(end(&mut child).code(), Some(130), "SIG{signal}");
        assert_eq!(sandbox.names("d"), [""; 0], "SIG{signal}");
    }
}

#[test]
fn a_temporary_file_that_is_just_being_made_is_removed_too() {
    // The signal comes between the registration of the name and the making of the file, and the end of the process is
    // a little late: what is made meanwhile must not stay.
    if !(has("strace") && is_root()) {
        return;
    }
    let sandbox = sandbox();
    let arguments = "encrypt -r alice.txt -o d/out plain";
    let looked = Traced { sandbox: &sandbox, arguments, given: &[] }.find("newfstatat", "/proc/self/fd/");
    std::fs::remove_file(sandbox.path("d/out")).unwrap();
    // strace takes one fault for a call, so without unnamed files is here without /proc, which they need.
    let given = [fails(&looked, "ENOENT")];
    let traced = Traced { sandbox: &sandbox, arguments, given: &given };
    let makes = traced.find("openat", "O_EXCL");
    std::fs::remove_file(sandbox.path("d/out")).unwrap();
    let mut child = traced.start(&[
        format!("inject=openat:delay_enter=3000000:when={}", makes.number),
        "inject=fchmod:delay_enter=12000000".to_owned(),
        "inject=exit_group:delay_enter=8000000".to_owned(),
    ]);
    let current = format!("/proc/{0}/task/{0}/syscall", child.id());
    // O_CREAT and O_EXCL of openat, on x86-64.
    let makes =
        |flags: &str| u64::from_str_radix(flags.trim_start_matches("0x"), 16).is_ok_and(|flags| flags & 0o300 == 0o300);
    wait_until("a temporary file is about to be made", || {
        let call = std::fs::read_to_string(&current).unwrap_or_default();
        call.starts_with("257 ") && call.split(' ').nth(3).is_some_and(makes)
    });
    send("INT", &child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(sandbox.names("d"), [""; 0]);
}

#[test]
fn a_killed_run_leaves_nothing_under_the_outputs_name() {
    let sandbox = sandbox();
    for (arguments, input) in [
        ("encrypt -r alice.txt -o d/out", "plain"),
        ("decrypt -i alice.key -o d/out", "plain.seal"),
        ("sign --attach -k k.pem -o d/out", "plain"),
        ("verify-sig -k k.pub --attached -o d/out", "plain.signed"),
    ] {
        let mut child = waiting(sandbox.sealstone(arguments), &sandbox.read(input));
        child.kill().unwrap();
        assert_eq!(end(&mut child).signal(), Some(9));
        assert!(!sandbox.path("d/out").exists());
    }
}

#[test]
fn a_signal_while_stdout_waits_ends_the_run() {
    let sandbox = sandbox();
    for arguments in [
        "decrypt -o - -i alice.key plain.seal",
        "sign --attach -k k.pem -o - plain",
        "verify-sig -k k.pub --attached -o - plain.signed",
    ] {
        let mut command = sandbox.sealstone(arguments);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut some = [0; 1000];
        child.stdout.as_mut().unwrap().read_exact(&mut some).unwrap();
        send("INT", &child);
        let mut rest = Vec::new();
        let stdout = child.stdout.take();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{arguments}");
        stdout.unwrap().read_to_end(&mut rest).unwrap();
        let plain = sandbox.read("plain");
        assert!([&some[..], &rest].concat() == plain[..1000 + rest.len()], "authentic as far as it goes: {arguments}");
    }
}

#[test]
fn ignored_signals_stay_ignored() {
    let sandbox = sandbox();
    let plain = sandbox.read("plain");
    for signal in SIGNALS {
        let mut command = sandbox.command("sh");
        command.args(["-c", &format!("trap '' {signal}; exec sealstone encrypt -r alice.txt -o d/{signal}")]);
        let mut child = waiting(command, &plain);
        send(signal, &child);
        drop(child.stdin.take());
        assert_eq!(child.wait().unwrap().code(), Some(0), "SIG{signal}");
        assert_eq!(sandbox.run(&format!("decrypt -o - -i alice.key d/{signal}")).bytes, plain);
    }
}

#[test]
fn signals_work_where_their_thread_was_refused() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    let line = "exec strace -D -f -qq -o strace.log -e trace=clone3 -e inject=clone3:error=EAGAIN \
                sealstone encrypt -r alice.txt -o d/out";
    let mut command = sandbox.command("sh");
    command.args(["-c", line]);
    let mut child = waiting(command, &sandbox.read("plain"));
    send("INT", &child);
    drop(child.stdin.take());
    let status = child.wait().unwrap();
    assert!(status.code() == Some(130) || status.signal() == Some(2), "the run went on to {status}");
    assert_eq!(sandbox.names("d"), [""; 0]);
}

#[test]
fn a_signal_ends_a_plugin_that_waits_and_leaves_nothing() {
    let sandbox = Sandbox::new();
    support::require_plugin();
    sandbox.ok("echo letter > a; sealstone encrypt --format age -r $(age-plugin-sealtest --recipient x) a");
    sandbox.ok("age-plugin-sealtest --identity message,hang > id; chmod 600 id; mkdir tmp");
    for signal in SIGNALS {
        let mut command = sandbox.sealstone("decrypt -i id -o out a.age");
        command.env("TMPDIR", sandbox.path("tmp")).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // The plugin runs once it has said something.
        let mut said = [0; 64];
        assert!(child.stderr.as_mut().unwrap().read(&mut said).unwrap() > 0);
        let folder = sandbox.path("tmp").join(&sandbox.names("tmp")[0]);
        let is_there = || {
            let mut processes = std::fs::read_dir("/proc").unwrap().flatten();
            processes.any(|process| std::fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd == folder))
        };
        assert!(is_there(), "{signal}");
        send(signal, &child);
        let status = child.wait().unwrap();
        assert_eq!(status.code(), Some(130), "{signal}");
        assert!(!is_there(), "{signal}");
        assert_eq!(sandbox.names("tmp"), [""; 0], "{signal}");
    }
}
