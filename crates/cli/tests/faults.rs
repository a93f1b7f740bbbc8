//! What the system can refuse: every error of every call that makes an output, and an end at every such call.

#[path = "support/strace.rs"]
#[allow(dead_code, reason = "each test program uses a part of it")]
mod strace;
mod support;

use std::path::Path;
use strace::{Traced, fails};
use support::{Sandbox, has, is_root, noise};

/// The calls that change something on the disk.
const MUTATING: &str =
    "openat,fchmod,fallocate,ftruncate,write,pwritev,pwrite64,fsync,linkat,renameat,renameat2,unlinkat,unlink";

/// A sandbox with `plain`, of several units, `plain.seal`, `note`, which one thread reads and writes, and an empty folder `d`. The key
/// `k.pem` has signed both, as `plain.sig` and `note.signed`. The folder `t` is `t.tar` as an archive.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("plain", noise(700_000));
    sandbox.write("note", noise(100_000));
    sandbox.ok("sealstone encrypt -r alice.txt -o plain.seal plain");
    sandbox.ok("sealstone keygen -q --kind ed25519 -o k.pem; sealstone key public k.pem > k.pub");
    sandbox.ok("sealstone sign -k k.pem plain; sealstone sign --attach -k k.pem plain note");
    sandbox.ok("mkdir -p t/f; echo a > t/a; ln t/a t/h; ln -s a t/l; cp note t/f");
    sandbox.ok("sealstone encrypt --archive -r alice.txt t; sealstone decrypt -i alice.key -o t.tar t.tar.seal");
    sandbox.make_folder("d");
    sandbox
}

/// The fault that takes unnamed files away, as on file systems that have none.
fn without_unnamed(sandbox: &Sandbox, arguments: &str) -> Vec<String> {
    let call = Traced { sandbox, arguments, given: &[] }.find("openat", "O_TMPFILE");
    std::fs::remove_file(sandbox.path("d/out")).unwrap();
    vec![fails(&call, "EOPNOTSUPP")]
}

/// The ways that an output comes about: arguments, and whether unnamed files exist.
const WAYS: [(&str, bool); 16] = [
    ("encrypt -r alice.txt -o d/out plain", true),
    ("encrypt -r alice.txt -o d/out plain", false),
    ("encrypt --force -r alice.txt -o d/out plain", true),
    ("encrypt --force -r alice.txt -o d/out plain", false),
    ("encrypt --archive -r alice.txt -o d/out t", true),
    ("encrypt --archive --force -r alice.txt -o d/out t", false),
    ("decrypt -i alice.key -o d/out plain.seal", true),
    ("decrypt --force -i alice.key -o d/out plain.seal", false),
    ("sign -k k.pem -o d/out note", true),
    ("sign --force -k k.pem -o d/out note", false),
    ("sign --attach -k k.pem -o d/out note", false),
    ("sign --attach --force -k k.pem -o d/out note", true),
    ("verify-sig -k k.pub --attached -o d/out note.signed", true),
    ("verify-sig --force -k k.pub --attached -o d/out note.signed", false),
    ("keygen --kind ed25519 -o d/out", false),
    ("keygen --kind ed25519 --force -o d/out", true),
];

/// Puts an old file under the output's name where the run replaces it.
fn prepare(sandbox: &Sandbox, arguments: &str) {
    for name in sandbox.names("d") {
        std::fs::remove_file(sandbox.path("d").join(name)).unwrap();
    }
    if arguments.contains("--force") {
        sandbox.write("d/out", "old");
    }
}

/// What stands under the output's name.
#[derive(Debug, PartialEq)]
enum Found {
    Nothing,
    Old,
    Complete,
    Wrong,
}

fn found(sandbox: &Sandbox, arguments: &str) -> Found {
    let Ok(content) = std::fs::read(sandbox.path("d/out")) else { return Found::Nothing };
    if content == b"old" {
        return Found::Old;
    }
    let complete = match arguments.split(' ').next().unwrap() {
        // The same folder gives the same archive.
        "encrypt" if arguments.contains("--archive") => {
            sandbox.run("decrypt -o - -i alice.key d/out").bytes == sandbox.read("t.tar")
        }
        "encrypt" => sandbox.run("decrypt -o - -i alice.key d/out").bytes == sandbox.read("plain"),
        "sign" if arguments.contains("--attach") => is_ok(sandbox, "verify-sig -q -k k.pub --attached d/out"),
        "sign" => is_ok(sandbox, "verify-sig -q -k k.pub --signature d/out note"),
        "keygen" => is_ok(sandbox, "key public d/out"),
        "verify-sig" => content == sandbox.read("note"),
        _ => content == sandbox.read("plain"),
    };
    if complete { Found::Complete } else { Found::Wrong }
}

fn is_ok(sandbox: &Sandbox, arguments: &str) -> bool {
    sandbox.run(arguments).status == Some(0)
}

fn before(arguments: &str) -> Found {
    if arguments.contains("--force") { Found::Old } else { Found::Nothing }
}

#[test]
fn every_error_of_every_call_names_the_file_and_leaves_nothing() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    let mut tried = 0;
    for (arguments, unnamed) in WAYS {
        prepare(&sandbox, "");
        let given = if unnamed { Vec::new() } else { without_unnamed(&sandbox, arguments) };
        let traced = Traced { sandbox: &sandbox, arguments, given: &given };
        prepare(&sandbox, arguments);
        let calls = traced.calls(MUTATING);
        let first = calls.iter().position(|call| call.text.contains("O_TMPFILE")).expect("an output is made");
        for call in &calls[first..] {
            // strace can make one number of a call fail, and for openat that is taken; removing is not refused here.
            // The folder itself is flushed when its file is complete: the next test.
            let flushes_folder =
                call.name == "fsync" && calls.iter().rfind(|c| c.name == "fsync").unwrap().number == call.number;
            if call.name == "openat" || call.name.starts_with("unlink") || flushes_folder {
                continue;
            }
            for error in ["EIO", "ENOSPC", "EDQUOT", "EFBIG"] {
                prepare(&sandbox, arguments);
                let done = traced.run(&[fails(call, error)]);
                let what = format!("{arguments} (unnamed {unnamed}), {error} of {} {}: {done}", call.name, call.number);
                assert_eq!(done.status, Some(1), "{what}");
                assert!(done.stderr.contains("d/out") && done.stderr.contains("[io]"), "{what}");
                assert_eq!(found(&sandbox, arguments), before(arguments), "{what}");
                assert_eq!(sandbox.names("d").len(), usize::from(arguments.contains("--force")), "{what}");
                tried += 1;
            }
        }
    }
    assert!(tried >= 290, "only {tried} faults");
    println!("{tried} faults");
}

#[test]
fn errors_while_a_pipe_is_read_name_the_file_and_leave_nothing() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    for error in ["ENOSPC", "EIO", "EDQUOT", "EFBIG"] {
        for call in ["write:when=1", "writev:when=1", "writev:when=2", "fsync:when=1", "linkat:when=1"] {
            let (name, when) = call.split_once(':').unwrap();
            let line = format!(
                "cat plain | strace -f -qq -o strace.log -e trace={name} -e inject={name}:error={error}:{when} \
                 sealstone encrypt --threads 1 -r alice.txt -o d/out"
            );
            let done = sandbox.sh(&line);
            assert_eq!(done.status, Some(1), "{line}: {done}");
            assert!(done.stderr.contains("d/out"), "{line}: {done}");
            assert_eq!(sandbox.names("d"), [""; 0], "{line}");
        }
        // Where another thread writes, the first three of the main one are the message, which is to be seen.
        for (input, arguments, write) in [
            ("plain", "sign -k k.pem", "write:when=1"),
            ("plain", "sign --attach -k k.pem", "write:when=4"),
            ("plain.signed", "verify-sig -k k.pub --attached", "write:when=4"),
        ] {
            for call in [write, "fsync:when=1", "linkat:when=1"] {
                let (name, when) = call.split_once(':').unwrap();
                let line = format!(
                    "cat {input} | strace -f -qq -o strace.log -e trace={name} -e inject={name}:error={error}:{when} \
                     sealstone {arguments} -q -o d/out"
                );
                let done = sandbox.sh(&line);
                assert_eq!(done.status, Some(1), "{line}: {done}");
                assert!(done.stderr.contains("d/out"), "{line}: {done}");
                assert_eq!(sandbox.names("d"), [""; 0], "{line}");
            }
        }
    }
}

#[test]
fn an_error_of_stdout_is_named_so() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    let done = sandbox.sh("strace -f -qq -o strace.log -e trace=writev -e inject=writev:error=EIO:when=2 \
         sealstone decrypt -o - --threads 1 -i alice.key plain.seal | wc -c");
    assert!(done.stderr.contains("write stdout: Input/output error"), "{done}");
    assert!(done.stderr.contains("the output is incomplete"), "{done}");
}

#[test]
fn an_error_of_reading_names_the_input() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    for arguments in [
        "encrypt -r alice.txt -o d/out plain",
        "decrypt -i alice.key -o d/out plain.seal",
        "sign -k k.pem -o d/out plain",
        "sign --attach -k k.pem -o d/out plain",
        "verify-sig -k k.pub plain",
        "verify-sig -k k.pub --attached plain.signed",
        "verify-sig -k k.pub --attached -o d/out plain.signed",
    ] {
        let traced = Traced { sandbox: &sandbox, arguments, given: &[] };
        for number in [1, 2] {
            let done = traced.run(&[format!("inject=preadv:error=EIO:when={number}")]);
            assert_eq!(done.status, Some(1), "{arguments}: {done}");
            let is_named =
                ["read plain", "plain: read", "plain.signed: read"].iter().any(|name| done.stderr.contains(name));
            assert!(is_named && done.stderr.contains("Input/output error"), "{arguments}: {done}");
            assert_eq!(sandbox.names("d"), [""; 0]);
        }
    }
}

#[test]
fn what_cannot_be_opened_to_sign_and_to_verify_is_named() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    sandbox.ok("(printf 'alice '; cat k.pub) > allowed");
    for (arguments, names) in [
        ("sign -k k.pem -o d/out plain", ["k.pem", "plain"]),
        ("sign --attach -k k.pem -o d/out plain", ["k.pem", "plain"]),
        ("verify-sig -k k.pub plain", ["k.pub", "plain"]),
        ("verify-sig --signers allowed plain", ["allowed", "plain.sig"]),
        ("verify-sig -k k.pub --attached -o d/out plain.signed", ["k.pub", "plain.signed"]),
    ] {
        let traced = Traced { sandbox: &sandbox, arguments, given: &[] };
        for name in names {
            let opened = traced.find("openat", &format!("\"{name}\""));
            for error in ["EIO", "EACCES", "EMFILE"] {
                prepare(&sandbox, "");
                let done = traced.run(&[fails(&opened, error)]);
                assert_eq!(done.status, Some(1), "{arguments}, {error} of {name}: {done}");
                assert!(done.stderr.contains(name) && done.stderr.contains("[io]"), "{arguments}, {error}: {done}");
                assert!(done.stdout.is_empty(), "{arguments}, {error} of {name}: {done}");
                assert_eq!(sandbox.names("d"), [""; 0], "{arguments}, {error} of {name}");
            }
            prepare(&sandbox, "");
        }
    }
}

#[test]
fn signatures_that_stdout_does_not_take_are_an_error() {
    let sandbox = sandbox();
    for arguments in [
        "sign -k k.pem -o - plain",
        "sign --attach -k k.pem -o - plain",
        "verify-sig -k k.pub plain",
        "verify-sig -k k.pub --attached plain.signed",
        "verify-sig -k k.pub --attached -o - plain.signed",
        "keygen --kind ed25519",
    ] {
        let done = sandbox.sh(&format!("sealstone {arguments} > /dev/full"));
        assert_eq!(done.status, Some(1), "{arguments}: {done}");
        assert!(done.stderr.contains("write stdout: No space left"), "{arguments}: {done}");
    }
    // Whoever reads has gone. That is for them to know, and no signal ends the run.
    for arguments in ["sign --attach -k k.pem -o - plain", "verify-sig -q -k k.pub --attached -o - plain.signed"] {
        let done = sandbox.sh(&format!("(sealstone {arguments}; echo $? >&2) | true"));
        assert_eq!(done.stderr, "1\n", "{arguments}: {done}");
    }
}

#[test]
fn a_failed_flush_of_the_folder_is_an_error_and_leaves_a_whole_file_or_none() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    for (arguments, _) in WAYS {
        prepare(&sandbox, arguments);
        let traced = Traced { sandbox: &sandbox, arguments, given: &[] };
        let done = traced.run(&["inject=fsync:error=EIO:when=2".to_owned()]);
        assert_eq!(done.status, Some(1), "{arguments}: {done}");
        assert!(done.stderr.contains("sync d"), "{arguments}: {done}");
        assert_ne!(found(&sandbox, arguments), Found::Wrong, "{arguments}");
        assert!(sandbox.names("d").iter().all(|name| name == "out"), "{arguments}");
    }
}

#[test]
fn a_new_file_is_taken_back_when_its_folder_cannot_be_flushed() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    let traced = Traced { sandbox: &sandbox, arguments: "encrypt -r alice.txt -o d/out plain", given: &[] };
    let done = traced.run(&["inject=fsync:error=EIO:when=2".to_owned()]);
    assert_eq!(done.status, Some(1), "{done}");
    assert_eq!(sandbox.names("d"), [""; 0]);
}

#[test]
fn folders_that_cannot_be_flushed_at_all_are_no_error() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    for error in ["EINVAL", "EBADF", "EOPNOTSUPP"] {
        let arguments = "encrypt -r alice.txt -o d/out plain";
        prepare(&sandbox, arguments);
        let done =
            Traced { sandbox: &sandbox, arguments, given: &[] }.run(&[format!("inject=fsync:error={error}:when=2")]);
        assert_eq!(done.status, Some(0), "{error}: {done}");
        assert_eq!(found(&sandbox, arguments), Found::Complete);
    }
}

#[test]
fn interrupted_calls_are_repeated() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    for (arguments, unnamed) in WAYS {
        prepare(&sandbox, "");
        let given = if unnamed { Vec::new() } else { without_unnamed(&sandbox, arguments) };
        let traced = Traced { sandbox: &sandbox, arguments, given: &given };
        for call in ["preadv", "pwritev", "write", "fallocate"] {
            for when in ["1", "2", "1+2"] {
                prepare(&sandbox, arguments);
                let done = traced.run(&[format!("inject={call}:error=EINTR:when={when}")]);
                assert_eq!(done.status, Some(0), "{arguments}: EINTR of {call} {when}: {done}");
                assert_eq!(found(&sandbox, arguments), Found::Complete);
            }
        }
    }
}

#[test]
fn interrupted_calls_on_pipes_are_repeated() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    for call in ["readv", "write", "writev"] {
        for when in ["1", "2", "1+2"] {
            let faults =
                format!("strace -f -qq -o strace.log -e trace={call} -e inject={call}:error=EINTR:when={when}");
            sandbox.ok(&format!("cat plain | {faults} sealstone encrypt --threads 1 -r alice.txt | cat > piped.seal"));
            sandbox.ok(&format!("cat piped.seal | {faults} sealstone decrypt --threads 1 -i alice.key | cmp - plain"));
            sandbox.ok(&format!("cat plain | {faults} sealstone sign -k k.pem | cmp - plain.sig"));
            sandbox.ok(&format!("cat plain | {faults} sealstone sign --attach -k k.pem | cmp - plain.signed"));
            sandbox.ok(&format!(
                "cat plain.signed | {faults} sealstone verify-sig -q -k k.pub --attached -o - | cmp - plain"
            ));
        }
    }
    // What is signed and verified is read as a stream.
    for (input, arguments, check) in [
        ("plain", "sign -k k.pem", "cmp - plain.sig"),
        ("plain", "sign --attach -k k.pem", "cmp - plain.signed"),
        ("plain", "verify-sig -k k.pub --signature plain.sig", "grep -q signed"),
        ("plain.signed", "verify-sig -q -k k.pub --attached -o -", "cmp - plain"),
    ] {
        let run = |faults: &str| {
            let strace = format!("strace -f -y -qq -o strace.log -e trace=read {faults}");
            sandbox.ok(&format!("cat {input} | {strace} sealstone {arguments} | {check}"));
        };
        run("");
        let log = String::from_utf8(sandbox.read("strace.log")).unwrap();
        let main = log.split(' ').next().unwrap();
        let mut reads = log.lines().filter(|line| line.starts_with(main));
        let first = 1 + reads.position(|line| line.contains("<pipe:")).expect("the pipe is read");
        for when in [first.to_string(), format!("{}", first + 1), format!("{first}+2")] {
            run(&format!("-e inject=read:error=EINTR:when={when}"));
        }
    }
    // Neither do reads and writes of a few bytes change anything.
    let few = "dd bs=999 status=none";
    sandbox.ok(&format!("{few} if=plain | sealstone sign --attach -k k.pem | {few} | cmp - plain.signed"));
    sandbox
        .ok(&format!("{few} if=plain.signed | sealstone verify-sig -q -k k.pub --attached -o - | {few} | cmp - plain"));
}

#[test]
fn an_interrupted_flush_is_repeated() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    for number in [1, 2] {
        let arguments = "encrypt --force -r alice.txt -o d/out plain";
        prepare(&sandbox, arguments);
        let traced = Traced { sandbox: &sandbox, arguments, given: &[] };
        let done = traced.run(&[format!("inject=fsync:error=EINTR:when={number}")]);
        assert_eq!(done.status, Some(0), "fsync {number}: {done}");
        assert_eq!(found(&sandbox, arguments), Found::Complete);
    }
}

#[test]
fn an_end_at_any_call_leaves_the_old_file_or_a_whole_one() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    let mut tried = 0;
    for (arguments, unnamed) in WAYS {
        prepare(&sandbox, "");
        let given = if unnamed { Vec::new() } else { without_unnamed(&sandbox, arguments) };
        let traced = Traced { sandbox: &sandbox, arguments, given: &given };
        prepare(&sandbox, arguments);
        let calls = traced.calls(MUTATING);
        let first = calls.iter().position(|call| call.text.contains("O_TMPFILE")).expect("an output is made");
        for call in &calls[first..] {
            if call.name == "openat" {
                continue;
            }
            prepare(&sandbox, arguments);
            let done = traced.run(&[format!("inject={}:signal=KILL:when={}", call.name, call.number)]);
            let what = format!("{arguments} (unnamed {unnamed}), killed at {} {}", call.name, call.number);
            assert_eq!(done.signal, Some(9), "{what}: {done}");
            let found = found(&sandbox, arguments);
            assert!(found == before(arguments) || found == Found::Complete, "{what}: {found:?}");
            tried += 1;
        }
    }
    assert!(tried >= 105, "only {tried} kills");
    println!("{tried} kills");
}

#[test]
fn without_unnamed_files_an_output_is_made_all_the_same() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    for (arguments, _) in WAYS {
        prepare(&sandbox, "");
        let given = without_unnamed(&sandbox, arguments);
        prepare(&sandbox, arguments);
        let done = Traced { sandbox: &sandbox, arguments, given: &given }.run(&[]);
        assert_eq!(done.status, Some(0), "{arguments}: {done}");
        assert_eq!(found(&sandbox, arguments), Found::Complete, "{arguments}");
        assert_eq!(sandbox.names("d"), ["out"]);
        let mode = sandbox.ok("umask; stat -c %a d/out");
        let is_shared = ["encrypt", "sign", "verify-sig"].contains(&arguments.split(' ').next().unwrap());
        let expected = if is_shared { "0022\n644\n" } else { "0022\n600\n" };
        assert!(mode == expected || !mode.starts_with("0022"), "{arguments}: {mode}");
    }
    // What has a name is never open to others, not for a moment: they would keep it open.
    let arguments = "decrypt -i alice.key -o d/out plain.seal";
    prepare(&sandbox, "");
    let given = without_unnamed(&sandbox, arguments);
    prepare(&sandbox, arguments);
    let made = Traced { sandbox: &sandbox, arguments, given: &given }.find("openat", "O_EXCL");
    assert!(made.text.contains("0600"), "{}", made.text);
    // An existing file is not replaced here either.
    let arguments = "encrypt -r alice.txt -o d/out plain";
    prepare(&sandbox, "");
    let given = without_unnamed(&sandbox, arguments);
    prepare(&sandbox, "--force");
    let done = Traced { sandbox: &sandbox, arguments, given: &given }.run(&[]);
    assert!(done.status == Some(1) && done.stderr.contains("[output_exists]"), "{done}");
}

#[test]
fn without_links_an_output_is_renamed_without_replacing() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    let arguments = "encrypt -r alice.txt -o d/out plain";
    let linking = ["EPERM", "EACCES", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EINVAL"].map(|error| (error, None));
    // FUSE and some network file systems have no flags of renaming either: the name is reserved.
    let renaming = ["EINVAL", "ENOSYS", "EOPNOTSUPP"].map(|error| ("EPERM", Some(error)));
    for (error, renaming) in linking.into_iter().chain(renaming) {
        prepare(&sandbox, "");
        let mut given = without_unnamed(&sandbox, arguments);
        given.push(format!("inject=linkat:error={error}"));
        given.extend(renaming.map(|error| format!("inject=renameat2:error={error}")));
        let done = Traced { sandbox: &sandbox, arguments, given: &given }.run(&[]);
        assert_eq!(done.status, Some(0), "{error}, {renaming:?}: {done}");
        assert_eq!(found(&sandbox, arguments), Found::Complete);
        assert_eq!(sandbox.names("d"), ["out"]);
    }
}

#[test]
fn an_unnamed_file_that_cannot_be_linked_leaves_nothing() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    let arguments = "encrypt -r alice.txt -o d/out plain";
    let done = Traced { sandbox: &sandbox, arguments, given: &[] }.run(&["inject=linkat:error=EPERM".to_owned()]);
    assert!(done.status == Some(1) && done.stderr.contains("create d/out"), "{done}");
    assert_eq!(sandbox.names("d"), [""; 0]);
}

#[test]
fn a_name_taken_meanwhile_is_not_replaced() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    let arguments = "encrypt -r alice.txt -o d/out plain";
    let traced = Traced { sandbox: &sandbox, arguments, given: &[] };
    let mut child = traced.start(&["inject=pwritev:signal=STOP:when=1".to_owned()]);
    traced.wait_for("stopped by SIGSTOP");
    sandbox.write("d/out", "theirs");
    sandbox.ok(&format!("kill -CONT {}", child.id()));
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(sandbox.read("d/out"), b"theirs");
    assert_eq!(sandbox.names("d"), ["out"]);
}

#[test]
fn the_outputs_space_is_reserved_before_the_work() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    let arguments = "encrypt -r alice.txt -o d/out plain";
    let traced = Traced { sandbox: &sandbox, arguments, given: &[] };
    let calls = traced.calls("fallocate,write,pwritev");
    assert_eq!(calls[0].name, "fallocate", "{}", calls[0].text);
    let len = sandbox.read("d/out").len();
    assert!(calls[0].text.contains(&format!(" {len})")), "{} of {len}", calls[0].text);
    for error in ["EOPNOTSUPP", "ENOSYS", "EINVAL"] {
        prepare(&sandbox, arguments);
        let done = traced.run(&[format!("inject=fallocate:error={error}")]);
        assert_eq!(done.status, Some(0), "{error}: {done}");
        assert_eq!(found(&sandbox, arguments), Found::Complete);
    }
}

#[test]
fn the_output_and_its_folder_are_flushed_unless_told_otherwise() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    let arguments = "encrypt -r alice.txt -o d/out plain";
    let calls = Traced { sandbox: &sandbox, arguments, given: &[] }.calls("fsync,linkat");
    let order: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(order, ["fsync", "linkat", "fsync"], "the file before it has a name, and the folder after");
    prepare(&sandbox, arguments);
    let arguments = "encrypt --no-sync -r alice.txt -o d/out plain";
    let calls = Traced { sandbox: &sandbox, arguments, given: &[] }.calls("fsync,linkat");
    assert!(calls.iter().all(|call| call.name == "linkat"));
}

#[test]
fn an_error_of_close_is_not_lost() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    let arguments = "encrypt --no-sync -r alice.txt -o d/out plain";
    let traced = Traced { sandbox: &sandbox, arguments, given: &[] };
    let calls = traced.calls("linkat,close,fallocate,pwritev");
    // A second descriptor of the output is closed before the file gets its name.
    let named = calls.iter().position(|call| call.name == "linkat").unwrap();
    let close = calls[..named].iter().rfind(|call| call.name == "close");
    prepare(&sandbox, arguments);
    let done = traced.run(&[fails(close.expect("the output is closed"), "EIO")]);
    assert!(!sandbox.path("d/out").exists());
    assert_eq!(done.status, Some(1), "some file systems report a lost write only here: {done}");
}

#[test]
fn a_full_disk_is_named_and_nothing_is_left() {
    if !(has("unshare") && is_root()) {
        return;
    }
    let sandbox = sandbox();
    sandbox.write("big", noise(3_000_000));
    sandbox.ok("sealstone encrypt -r alice.txt -o big.seal big");
    sandbox.ok("sealstone keygen -q --kind ed25519 -o k.pem; sealstone key public k.pem > k.pub");
    sandbox.ok("sealstone sign --attach -k k.pem big");
    for command in [
        "sealstone encrypt -r alice.txt -o d/out big",
        "cat big | sealstone encrypt -r alice.txt -o d/out",
        "sealstone encrypt -a -r alice.txt -o d/out big",
        "sealstone decrypt -i alice.key -o d/out big.seal",
        "cat big.seal | sealstone decrypt -i alice.key -o d/out",
        "sealstone sign --attach -k k.pem -o d/out big",
        "cat big | sealstone sign --attach -k k.pem -o d/out",
        "sealstone verify-sig -k k.pub --attached -o d/out big.signed",
        "cat big.signed | sealstone verify-sig -k k.pub --attached -o d/out",
        // Without room for a few bytes.
        "cat big > d/full 2> /dev/null; sealstone sign -k k.pem -o d/out big; echo $? > code; rm d/full; (exit $(cat code))",
        "cat big > d/full 2> /dev/null; sealstone keygen --sign -o d/out; echo $? > code; rm d/full; (exit $(cat code))",
    ] {
        let line = format!("unshare -m sh -c 'mount -t tmpfs -o size=1m none d && {{ {command}; echo $?; ls -A d; }}'");
        let done = sandbox.sh(&line);
        assert_eq!(done.stdout, "1\n", "{command}: {done}");
        assert!(done.stderr.contains("d/out") && done.stderr.contains("No space left"), "{command}: {done}");
        assert!(done.stderr.contains("sealstone: hint: free some space"), "{command}: {done}");
    }
}

#[test]
fn a_file_size_limit_is_named_and_nothing_is_left() {
    let sandbox = sandbox();
    // The unit is 512 bytes in some shells and 1,024 in others: less than the file either way.
    for (command, ignored) in [
        ("sealstone encrypt -r alice.txt -o d/out plain", true),
        ("cat plain | sealstone encrypt -r alice.txt -o d/out", true),
        ("sealstone encrypt -r alice.txt -o d/out plain", false),
        ("cat plain | sealstone encrypt -r alice.txt -o d/out", false),
        ("sealstone sign --attach -k k.pem -o d/out plain", true),
        ("cat plain | sealstone sign --attach -k k.pem -o d/out", false),
        ("sealstone verify-sig -k k.pub --attached -o d/out plain.signed", false),
    ] {
        let trap = if ignored { "trap '' XFSZ;" } else { "" };
        let done = sandbox.sh(&format!("{trap} ulimit -f 300; {command}"));
        assert_eq!(sandbox.names("d"), [""; 0], "{command}");
        assert_eq!(done.status, Some(1), "{command}, SIGXFSZ ignored {ignored}: {done}");
        assert!(done.stderr.contains("d/out") && done.stderr.contains("File too large"), "{command}: {done}");
    }
}

#[test]
fn refused_threads_do_not_stop_the_work() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    sandbox.write("plain", noise(3_000_000));
    let strace = "strace -f -qq -o strace.log -e trace=clone3 -e inject=clone3:error=EAGAIN";
    sandbox.ok(&format!("{strace} sealstone encrypt --threads 4 -r alice.txt -o d/out plain"));
    sandbox.ok(&format!("{strace} sealstone decrypt -o - --threads 4 -i alice.key d/out | cmp - plain"));
    sandbox.ok(&format!("cat d/out | {strace} sealstone decrypt --threads 4 -i alice.key | cmp - plain"));
    sandbox.ok("mkdir u; cp plain u; cp d/out u/sealed");
    sandbox.ok(&format!("{strace} sealstone encrypt --threads 4 --archive -r alice.txt -o d/u u"));
    sandbox.ok(&format!("{strace} sealstone decrypt --extract --threads 4 -i alice.key -o back d/u; diff -r u back/u"));
    sandbox.ok(&format!("{strace} sealstone sign --attach --threads 4 -k k.pem -o d/one plain"));
    sandbox.ok(&format!("{strace} sealstone sign --threads 4 -k k.pem --force plain d/one d/out"));
    sandbox.ok(&format!("{strace} sealstone verify-sig --threads 4 -k k.pub plain d/one d/out"));
    sandbox.ok(&format!("{strace} sealstone verify-sig -k k.pub --attached -o - d/one | cmp - plain"));
}

#[test]
fn no_randomness_is_an_error_and_nothing_weak_is_made() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    sandbox.ok("sealstone keygen -q --sign -o hybrid.pem; sealstone keygen -q --kind p256-sign -o p256.pem");
    for command in [
        "encrypt -r alice.txt -o d/out plain",
        "keygen -o d/out",
        "encrypt --key-file shared.key -o d/out plain",
        "encrypt --archive --key-file shared.key -o d/out t",
        // Of the name of the hidden folder.
        "decrypt --extract -i alice.key -o d/out t.tar.seal",
        "keygen --sign -o d/out",
        "keygen --kind ed25519 -o d/out",
        "sign -k hybrid.pem -o d/out plain",
        "sign --attach -k hybrid.pem -o d/out plain",
        "sign -k p256.pem -o d/out plain",
    ] {
        let line =
            format!("strace -f -qq -o strace.log -e trace=getrandom -e inject=getrandom:error=EIO sealstone {command}");
        let done = sandbox.sh(&line);
        assert_eq!(sandbox.names("d"), [""; 0], "{command}");
        assert_eq!(done.status, Some(1), "{command}: {done}");
        assert!(done.stderr.contains("[no_randomness]"), "{command}: {done}");
    }
}

/// Stops a run in the middle, changes its input, and lets it go on.
fn change(sandbox: &Sandbox, traced: Traced<'_>, number: usize, change: impl FnOnce(&Path)) -> support::Done {
    let child = traced.start(&[format!("inject=preadv:signal=STOP:when={number}")]);
    traced.wait_for("stopped by SIGSTOP");
    change(&sandbox.path("input"));
    sandbox.ok(&format!("kill -CONT {}", child.id()));
    child.wait_with_output().unwrap().into()
}

fn grow(path: &Path) {
    use std::io::Write;
    std::fs::OpenOptions::new().append(true).open(path).unwrap().write_all(b"more").unwrap();
}

fn shrink(path: &Path) {
    std::fs::OpenOptions::new().write(true).open(path).unwrap().set_len(99_000).unwrap();
}

fn touch(path: &Path) {
    let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    file.set_modified(std::time::UNIX_EPOCH).unwrap();
}

#[test]
fn an_input_that_changes_while_it_is_read_fails_the_run() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    // To stdout, which nobody reads until the end, the first reading is the only one.
    for (arguments, original, number) in [
        ("encrypt -r alice.txt -o d/out input", "plain", 2),
        ("decrypt -i alice.key -o d/out input", "plain.seal", 2),
        ("verify -i alice.key input", "plain.seal", 2),
        ("decrypt -i alice.key --range 0..600000 -o d/out input", "plain.seal", 2),
        ("encrypt -o - -r alice.txt input", "plain", 1),
        ("sign -k k.pem -o d/out input", "plain", 2),
        ("sign --attach -k k.pem -o d/out input", "note", 1),
        ("verify-sig -k k.pub --signature plain.sig input", "plain", 2),
        ("verify-sig -k k.pub --attached input", "plain.signed", 2),
        ("verify-sig -k k.pub --attached -o d/out input", "note.signed", 2),
        ("verify-sig -k k.pub --attached -o - input", "note.signed", 2),
    ] {
        for (name, how) in [("grows", grow as fn(&Path)), ("shrinks", shrink), ("is touched", touch)] {
            std::fs::copy(sandbox.path(original), sandbox.path("input")).unwrap();
            let traced = Traced { sandbox: &sandbox, arguments, given: &[] };
            let done = change(&sandbox, traced, number, how);
            // What is cut away may also be missed by the format itself.
            let codes = ["[input_changed]", "[not_authentic]", "[truncated]"];
            assert!(
                codes[..if name == "shrinks" { 3 } else { 1 }].iter().any(|code| done.stderr.contains(code)),
                "{arguments}, the input {name}: {done}"
            );
            assert!(matches!(done.status, Some(1 | 4)), "{arguments}, the input {name}: {done}");
            assert_eq!(sandbox.names("d"), [""; 0], "{arguments}, the input {name}");
            let releases_nothing = arguments.starts_with("verify-sig") || arguments.starts_with("sign");
            assert!(done.stdout.is_empty() || !releases_nothing, "{arguments}, the input {name}");
        }
    }
}

#[test]
fn an_input_on_stdin_that_changes_is_said_to_have_changed() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    for arguments in ["encrypt --threads 1 -r alice.txt -o d/out", "sign -k k.pem -o d/out"] {
        std::fs::copy(sandbox.path("plain"), sandbox.path("input")).unwrap();
        _ = std::fs::remove_file(sandbox.path("strace.log"));
        let faults = "-e trace=preadv -e inject=preadv:signal=STOP:when=2";
        let line = format!("exec strace -D -f -qq -o strace.log {faults} sealstone {arguments} < input");
        let mut command = sandbox.command("sh");
        let child = command.args(["-c", &line]).stderr(std::process::Stdio::piped()).spawn().unwrap();
        Traced { sandbox: &sandbox, arguments: "", given: &[] }.wait_for("stopped by SIGSTOP");
        grow(&sandbox.path("input"));
        sandbox.ok(&format!("kill -CONT {}", child.id()));
        let done: support::Done = child.wait_with_output().unwrap().into();
        assert_eq!(sandbox.names("d"), [""; 0], "{arguments}");
        assert!(done.stderr.contains("[input_changed]"), "{arguments}: {done}");
    }
}
