//! Outputs on a file system without files without names, hard links and flags of `renameat2`, as FUSE and some network
//! file systems are: a name is reserved by an empty file, for the time of two calls.

#[path = "support/fuse.rs"]
#[allow(dead_code, reason = "each test program uses a part of it")]
mod fuse;
#[path = "support/strace.rs"]
#[allow(dead_code, reason = "each test program uses a part of it")]
mod strace;
mod support;

use fuse::{Fuse, Traits};
use std::path::Path;
use strace::{Traced, fails};
use support::chance::wait_until;
use support::{Sandbox, has, noise};

const ENCRYPT: &str = "encrypt -r alice.txt -o d/out plain";
const DECRYPT: &str = "decrypt -i alice.key -o d/out plain.seal";
const REPLACE: &str = "decrypt --force -i alice.key -o d/out plain.seal";

/// The calls that change something on the disk.
const MUTATING: &str = "openat,fchmod,write,pwritev,fsync,linkat,renameat,renameat2,unlinkat";

/// A sandbox with `plain`, of several units, `plain.seal`, and the file system on `d`.
fn sandbox() -> Option<(Fuse, Sandbox)> {
    let sandbox = Sandbox::new();
    sandbox.write("plain", noise(700_000));
    sandbox.ok("sealstone encrypt -r alice.txt -o plain.seal plain");
    let folder = sandbox.make_folder("d");
    let mounted = Fuse::mount(&folder, Traits { hard_links: false, rename_flags: false, ..Traits::default() })?;
    Some((mounted, sandbox))
}

/// Empties `d`, and puts an old file there where the run replaces it.
fn prepare(sandbox: &Sandbox, arguments: &str) {
    for name in sandbox.names("d") {
        std::fs::remove_file(sandbox.path("d").join(name)).unwrap();
    }
    if arguments == REPLACE {
        sandbox.write("d/out", "old");
    }
}

/// The calls from the making of the output on.
fn calls(sandbox: &Sandbox, arguments: &str) -> Vec<strace::Call> {
    prepare(sandbox, arguments);
    let mut calls = Traced { sandbox, arguments, given: &[] }.calls(MUTATING);
    let first = calls.iter().position(|call| call.text.contains(".sealstone-")).expect("an output is made");
    calls.split_off(first)
}

fn is_temporary(name: &str) -> bool {
    name.starts_with(".sealstone-") && Path::new(name).extension().is_some_and(|ending| ending == "tmp")
}

#[test]
fn outputs_are_made_and_nothing_else_stays() {
    let Some((_mounted, sandbox)) = sandbox() else { return };
    sandbox.ok("umask 022; sealstone encrypt -r alice.txt -o d/out plain; test \"$(stat -c %a d/out)\" = 644");
    sandbox.ok("sealstone decrypt -i alice.key -o - d/out | cmp - plain");
    sandbox
        .ok("sealstone decrypt -i alice.key -o d/plain d/out; cmp d/plain plain; test \"$(stat -c %a d/plain)\" = 600");
    sandbox.ok("cat plain | sealstone encrypt -r alice.txt -o d/piped; : | sealstone encrypt -r alice.txt -o d/empty");
    sandbox.ok("sealstone keygen -q -o d/key; sealstone recipients d/key > /dev/null");
    assert_eq!(sandbox.names("d"), ["empty", "key", "out", "piped", "plain"]);
    // What exists is replaced when asked, and only then.
    let done = sandbox.run("encrypt -r alice.txt -o d/plain d/out");
    assert!(done.status == Some(1) && done.stderr.contains("[output_exists]"), "{done}");
    sandbox.ok("cmp d/plain plain; sealstone encrypt --force -r alice.txt -o d/out d/plain");
    sandbox.ok(
        "sealstone encrypt --in-place -r alice.txt d/plain; sealstone decrypt -i alice.key -o - d/plain | cmp - plain",
    );
    assert_eq!(sandbox.names("d"), ["empty", "key", "out", "piped", "plain"]);
}

#[test]
fn a_name_taken_meanwhile_is_not_replaced() {
    if !has("strace") {
        return;
    }
    let Some((_mounted, sandbox)) = sandbox() else { return };
    // While the work goes on; and when the name is reserved already, by a file that then replaces the empty one or by
    // what is written into it.
    let reserving = calls(&sandbox, ENCRYPT).into_iter().find(|call| call.text.contains("\"out\"")).unwrap();
    for (fault, takes) in [
        ("inject=pwritev:signal=STOP:when=1".to_owned(), "echo theirs > d/out"),
        (format!("inject=openat:signal=STOP:when={}", reserving.number), "echo theirs > d/other; mv d/other d/out"),
        (format!("inject=openat:signal=STOP:when={}", reserving.number), "echo theirs > d/out"),
    ] {
        prepare(&sandbox, ENCRYPT);
        let traced = Traced { sandbox: &sandbox, arguments: ENCRYPT, given: &[] };
        let mut child = traced.start(&[fault]);
        traced.wait_for("stopped by SIGSTOP");
        sandbox.ok(takes);
        sandbox.ok(&format!("kill -CONT {}", child.id()));
        assert_eq!(child.wait().unwrap().code(), Some(1), "{takes}");
        assert_eq!(sandbox.read("d/out"), b"theirs\n", "{takes}");
        assert_eq!(sandbox.names("d"), ["out"], "{takes}");
    }
}

#[test]
fn every_error_of_every_call_leaves_nothing() {
    if !has("strace") {
        return;
    }
    let Some((_mounted, sandbox)) = sandbox() else { return };
    let mut tried = 0;
    for arguments in [ENCRYPT, DECRYPT, REPLACE] {
        let calls = calls(&sandbox, arguments);
        let flushes_folder = calls.iter().rfind(|call| call.name == "fsync").map(|call| call.number);
        for call in &calls {
            // Removing is not refused here, and a folder that is not flushed is another test's.
            if call.name == "unlinkat" || (call.name == "fsync" && Some(call.number) == flushes_folder) {
                continue;
            }
            // An error of looking for what others have left is none.
            let is_looking = call.name == "openat" && !call.text.contains("O_CREAT");
            prepare(&sandbox, arguments);
            let done = Traced { sandbox: &sandbox, arguments, given: &[] }.run(&[fails(call, "EIO")]);
            let what = format!("{arguments}, EIO of {}: {done}", call.text);
            assert_eq!(done.status, Some(i32::from(!is_looking)), "{what}");
            if !is_looking {
                assert!(done.stderr.contains("d/out") && done.stderr.contains("[io]"), "{what}");
                let expected: &[&str] = if arguments == REPLACE { &["out"] } else { &[] };
                assert_eq!(sandbox.names("d"), expected, "{what}");
                assert!(arguments != REPLACE || sandbox.read("d/out") == b"old", "{what}");
            }
            tried += 1;
        }
    }
    assert!(tried >= 30, "only {tried} faults");
    println!("{tried} faults");
}

#[test]
fn a_signal_at_any_call_leaves_a_whole_file_or_nothing() {
    if !has("strace") {
        return;
    }
    let Some((_mounted, sandbox)) = sandbox() else { return };
    let plain = sandbox.read("plain");
    let calls = calls(&sandbox, DECRYPT);
    for (i, call) in calls.iter().enumerate() {
        prepare(&sandbox, DECRYPT);
        let mut faults = vec![format!("inject={}:signal=INT:when={}", call.name, call.number)];
        // A later call of another name waits a little for the signal to have its effect; the run may end as well.
        let later = calls[i..].iter().find(|later| later.name != call.name);
        faults.extend(later.map(|later| format!("inject={}:delay_enter=300000:when={}", later.name, later.number)));
        let done = Traced { sandbox: &sandbox, arguments: DECRYPT, given: &[] }.run(&faults);
        let what = format!("SIGINT at {}: {done}", call.text);
        assert!(matches!(done.status, Some(0 | 130)), "{what}");
        if done.status == Some(0) || !sandbox.names("d").is_empty() {
            assert!(sandbox.names("d") == ["out"] && sandbox.read("d/out") == plain, "{what}");
        }
    }
    assert!(calls.len() >= 10, "only {} signals", calls.len());
}

#[test]
fn what_a_killed_run_leaves_is_removed_by_the_next_one() {
    if !has("strace") {
        return;
    }
    let Some((_mounted, sandbox)) = sandbox() else { return };
    let plain = sandbox.read("plain");
    let (mut left, mut empty) = (0, 0);
    for arguments in [DECRYPT, REPLACE] {
        for call in calls(&sandbox, arguments) {
            prepare(&sandbox, arguments);
            let fault = format!("inject={}:signal=KILL:when={}", call.name, call.number);
            let done = Traced { sandbox: &sandbox, arguments, given: &[] }.run(&[fault]);
            let what = format!("{arguments}, killed at {}: {done}", call.text);
            assert_eq!(done.signal, Some(9), "{what}");
            // Under the name is nothing, the old file, the whole one or, for two calls, an empty one that reserves it.
            match std::fs::read(sandbox.path("d/out")) {
                Ok(found) if found.is_empty() => {
                    assert_ne!(arguments, REPLACE, "{what}");
                    empty += 1;
                }
                Ok(found) => assert!(found == plain || (found == b"old" && arguments == REPLACE), "{what}"),
                Err(_) => assert_ne!(arguments, REPLACE, "{what}"),
            }
            left += sandbox.names("d").iter().filter(|name| is_temporary(name)).count();
            sandbox.ok("sealstone encrypt -r alice.txt -o d/next bob.txt");
            let names = sandbox.names("d");
            assert!(!names.iter().any(|name| is_temporary(name)), "{what}, {names:?}");
        }
    }
    assert!(left >= 10 && (1..=3).contains(&empty), "{left} left, {empty} empty");
}

#[test]
fn what_a_running_process_needs_is_not_removed_by_another() {
    if !has("strace") {
        return;
    }
    let Some((_mounted, sandbox)) = sandbox() else { return };
    let traced = Traced { sandbox: &sandbox, arguments: ENCRYPT, given: &[] };
    let mut child = traced.start(&["inject=pwritev:signal=STOP:when=1".to_owned()]);
    traced.wait_for("stopped by SIGSTOP");
    wait_until("its file is there", || sandbox.names("d").iter().any(|name| is_temporary(name)));
    let before = sandbox.names("d");
    sandbox.ok("sealstone encrypt -r alice.txt -o d/next bob.txt; rm d/next");
    assert_eq!(sandbox.names("d"), before);
    sandbox.ok(&format!("kill -CONT {}", child.id()));
    assert_eq!(child.wait().unwrap().code(), Some(0));
    sandbox.ok("sealstone decrypt -i alice.key -o - d/out | cmp - plain");
    assert_eq!(sandbox.names("d"), ["out"]);
}

#[test]
fn hard_links_of_an_archive_are_copies() {
    let Some((_mounted, sandbox)) = sandbox() else { return };
    sandbox.ok(
        "mkdir tree; printf shared > tree/a; ln tree/a tree/b; truncate -s 1M tree/hole; printf end >> tree/hole; \
         ln tree/hole tree/whole; chmod 640 tree/a; touch -d @1000000000 tree/a; \
         sealstone encrypt --archive -r alice.txt -o tree.seal tree",
    );
    for arguments in ["-o d/all tree.seal", "-o d/some tree.seal tree/b tree/whole tree/a", "-o d/one tree.seal tree/b"]
    {
        sandbox.ok(&format!("sealstone decrypt --extract -i alice.key {arguments}"));
    }
    sandbox.ok("diff -r tree d/all/tree; cmp tree/b d/one/tree/b; cmp tree/whole d/some/tree/whole; \
         test \"$(stat -c '%a %Y %h' d/all/tree/b d/some/tree/a d/one/tree/b | uniq)\" = '640 1000000000 1'");
    assert_eq!(sandbox.names("d"), ["all", "one", "some"]);
}
