//! What the process allows others, and what it needs from them.

mod support;

use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::{Child, Command, Stdio};
use support::{Sandbox, has, is_root, noise};

/// A run that has begun and waits for its input.
fn waiting(mut command: Command) -> Child {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    child.stdin.as_mut().unwrap().write_all(&noise(600_000)).unwrap();
    child
}

fn finish(mut child: Child) {
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn no_core_is_dumped() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command("sh");
    command.args(["-c", "ulimit -c unlimited 2> /dev/null; exec sealstone encrypt -r alice.txt"]);
    let child = waiting(command);
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", child.id())).unwrap();
    let core = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
    assert_eq!(core.split_whitespace().skip(4).take(2).collect::<Vec<_>>(), ["0", "0"], "{core}");
    finish(child);
}

/// A copy of the binary and the sandbox that any user may use.
fn for_anybody(sandbox: &Sandbox) -> String {
    std::fs::set_permissions(sandbox.folder(), PermissionsExt::from_mode(0o777)).unwrap();
    std::fs::copy(support::SEALSTONE, sandbox.path("sealstone")).unwrap();
    for name in ["alice.key", "shared.key", "pass.txt"] {
        std::os::unix::fs::chown(sandbox.path(name), Some(65534), Some(65534)).unwrap();
    }
    "setpriv --reuid 65534 --regid 65534 --clear-groups ./sealstone".to_owned()
}

#[test]
fn other_processes_of_the_user_cannot_read_its_memory() {
    if !(has("setpriv") && is_root()) {
        return;
    }
    let sandbox = Sandbox::new();
    let sealstone = for_anybody(&sandbox);
    let mut command = sandbox.command("sh");
    command.args(["-c", &format!("exec {sealstone} encrypt -r alice.txt")]);
    let child = waiting(command);
    // The kernel gives the files of a process that may be dumped to its user, and all others to root.
    for name in ["mem", "environ", "maps"] {
        assert_eq!(std::fs::metadata(format!("/proc/{}/{name}", child.id())).unwrap().uid(), 0, "{name}");
    }
    let read = format!("setpriv --reuid 65534 --regid 65534 --clear-groups cat /proc/{}/maps", child.id());
    assert_ne!(sandbox.sh(&read).status, Some(0));
    finish(child);
}

#[test]
fn an_ordinary_user_can_do_everything() {
    // What /proc says of a process that may not be dumped belongs to root; linking an unnamed file goes through it.
    if !(has("setpriv") && is_root()) {
        return;
    }
    let sandbox = Sandbox::new();
    let sealstone = for_anybody(&sandbox);
    sandbox.write("plain", noise(2_000_000));
    for (i, options) in ["", "--force", "--threads 1", "--threads 7", "--no-sync"].iter().enumerate() {
        sandbox.ok(&format!("{sealstone} encrypt {options} -r alice.txt -o {i}.seal plain"));
        sandbox.ok(&format!("{sealstone} decrypt {options} -i alice.key -o {i} {i}.seal && cmp {i} plain"));
        sandbox.ok(&format!("{sealstone} decrypt --force -i alice.key -o {i} {i}.seal && cmp {i} plain"));
        assert_eq!(sandbox.ok(&format!("stat -c '%u %a' {i}")), "65534 600\n");
    }
    sandbox
        .ok(&format!("cat plain | {sealstone} encrypt -r alice.txt | {sealstone} decrypt -i alice.key | cmp - plain"));
    sandbox.ok(&format!("cp 0 inside && chown 65534 inside && {sealstone} encrypt --in-place -r alice.txt inside"));
    sandbox.ok(&format!("{sealstone} keygen -q -o new.key && {sealstone} recipients new.key"));
    sandbox.ok(&format!("{sealstone} encrypt -p --passphrase-fd 3 -o p.seal plain 3< pass.txt"));
    if has("strace") {
        let log = sandbox.ok(
            "rm -f strace.log && touch strace.log && chmod 666 strace.log && setpriv --reuid 65534 --regid 65534 --clear-groups \
             strace -f -o strace.log -e trace=linkat ./sealstone encrypt -r alice.txt -o linked plain && cat strace.log"
        );
        // A tracer of the same user may not even read the names. Before Linux 6.10 it is linked by its name in /proc.
        let is_linked = ["AT_EMPTY_PATH) = 0", "AT_SYMLINK_FOLLOW) = 0"].iter().any(|end| log.contains(end));
        assert!(is_linked, "an unnamed file was linked: {log}");
    }
}

#[test]
fn a_passphrase_is_read_from_a_descriptor_that_the_user_could_not_open() {
    // As from a pipe of the user who calls `sudo -u`: what is given open is read, and not opened once more.
    if !(has("setpriv") && is_root()) {
        return;
    }
    let sandbox = Sandbox::new();
    let sealstone = for_anybody(&sandbox);
    sandbox.ok("sealstone encrypt -p --passphrase-file pass.txt -o p.seal alice.txt && chmod 644 p.seal");
    sandbox.ok(&format!("cat pass.txt | {sealstone} decrypt -o - -p --passphrase-fd 0 p.seal | cmp - alice.txt"));
}

#[test]
fn folders_and_files_that_the_user_may_not_use_are_named() {
    if !(has("setpriv") && is_root()) {
        return;
    }
    let sandbox = Sandbox::new();
    let sealstone = for_anybody(&sandbox);
    sandbox.ok("mkdir -m 755 closed && mkdir -m 1777 sticky && echo secret > secret && chmod 600 secret && echo old > sticky/out");
    sandbox.ok("sealstone keygen -q --sign -o theirs.pem && cp theirs.pem k.pem && chown 65534 k.pem");
    sandbox.ok("sealstone key public k.pem > k.pub && sealstone sign -k k.pem -o alice.txt.sig alice.txt");
    for (arguments, name) in [
        ("encrypt -r alice.txt -o closed/out alice.txt", "closed/out"),
        ("encrypt -r alice.txt -o out secret", "secret"),
        ("decrypt -o - -i bob.key alice.txt", "bob.key"),
        ("encrypt --force -r alice.txt -o sticky/out alice.txt", "sticky/out"),
        ("keygen --sign -o closed/out", "closed/out"),
        ("sign -k theirs.pem -o out alice.txt", "theirs.pem"),
        ("sign -k k.pem -o out secret", "secret"),
        ("sign -k k.pem -o closed/out alice.txt", "closed/out"),
        ("sign --attach -k k.pem --force -o sticky/out alice.txt", "sticky/out"),
        ("verify-sig -k secret alice.txt", "secret"),
        ("verify-sig -k k.pub --signature secret alice.txt", "secret"),
        ("verify-sig -k k.pub --signature alice.txt.sig secret", "secret"),
        ("verify-sig --signers secret alice.txt", "secret"),
    ] {
        sandbox.ok("chmod 600 bob.key");
        let done = sandbox.sh(&format!("{sealstone} {arguments}"));
        assert_eq!(done.status, Some(1), "{arguments}: {done}");
        assert!(done.stderr.contains(name) && done.stderr.contains("[io]"), "{arguments}: {done}");
    }
    assert_eq!(sandbox.names("sticky"), ["out"]);
    assert_eq!(sandbox.names("closed"), [""; 0]);
}

#[test]
fn in_place_root_keeps_owner_and_group() {
    if !is_root() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.ok("echo hello > f; chown 65534:12345 f; chmod 640 f");
    for (command, expected) in [
        ("encrypt --in-place -r alice.txt f", "65534 12345 640\n"),
        ("rewrap --allow-mixed -i alice.key -r bob.txt f", "65534 12345 640\n"),
        ("decrypt --in-place -i bob.key f", "65534 12345 600\n"),
    ] {
        sandbox.ok(&format!("sealstone {command}"));
        assert_eq!(sandbox.ok("stat -c '%u %g %a' f"), expected, "{command}");
    }
    assert_eq!(sandbox.read("f"), b"hello\n");
    // Another name is another file, and root's.
    sandbox.ok("sealstone encrypt -r alice.txt -o g f");
    assert_eq!(sandbox.ok("stat -c '%u %g' g"), "0 0\n");
}

#[test]
fn in_place_no_other_group_gets_rights() {
    if !(has("setpriv") && is_root()) {
        return;
    }
    let sandbox = Sandbox::new();
    let sealstone = for_anybody(&sandbox);
    for (groups, expected) in [("--clear-groups", "65534 65534 604\n"), ("--groups 12345", "65534 12345 664\n")] {
        sandbox.ok("echo hello > f; chown 65534:12345 f; chmod 664 f");
        let sealstone = sealstone.replace("--clear-groups", groups);
        sandbox.ok(&format!("{sealstone} encrypt --in-place -r alice.txt f"));
        assert_eq!(sandbox.ok("stat -c '%u %g %a' f; rm f"), expected, "{groups}");
    }
}

#[test]
fn a_fifo_of_another_user_is_an_existing_file_and_gets_nothing() {
    if !(has("setpriv") && is_root()) {
        return;
    }
    let sandbox = Sandbox::new();
    for option in ["", "--force"] {
        sandbox.ok("rm -f fifo && mkfifo -m 666 fifo && chown 65534 fifo");
        let done = sandbox.sh(&format!("timeout 600 sealstone encrypt {option} -r alice.txt -o fifo alice.txt"));
        if option.is_empty() {
            assert!(done.status == Some(1) && done.stderr.contains("[output_exists]"), "{done}");
        } else {
            assert_eq!(done.status, Some(0), "{done}");
            assert_eq!(sandbox.ok("stat -c %F fifo"), "regular file\n");
        }
    }
    // Root's are everybody's: /dev/null, or what a service reads.
    sandbox.ok("sealstone encrypt -r alice.txt -o /dev/null alice.txt");
}

#[test]
fn a_folder_that_may_not_be_read_does_not_end_the_others() {
    if !(has("setpriv") && is_root()) {
        return;
    }
    let sandbox = Sandbox::new();
    let sealstone = for_anybody(&sandbox);
    sandbox.ok("mkdir -p u/x u/closed && echo 1 > u/x/a && echo 2 > u/closed/b && chmod 700 u/closed");
    let done = sandbox.sh(&format!("{sealstone} encrypt -r alice.txt --recursive u -o out"));
    assert_eq!(done.status, Some(5), "{done}");
    assert!(done.stderr.contains("read the folder u/closed: Permission denied"), "{done}");
    assert!(done.stderr.contains("1 of 2 files failed"), "{done}");
    assert_eq!(sandbox.names("out/u/x"), ["a.seal"]);
}

#[test]
fn a_folder_that_may_be_written_and_not_read_takes_an_output() {
    if !(has("setpriv") && is_root()) {
        return;
    }
    let sandbox = Sandbox::new();
    let sealstone = for_anybody(&sandbox);
    sandbox.ok("mkdir -m 733 drop");
    sandbox.ok(&format!("{sealstone} encrypt -r alice.txt -o drop/out alice.txt"));
    assert_eq!(sandbox.names("drop"), ["out"]);
}

#[test]
fn programs_that_it_runs_get_no_descriptor_of_its_files() {
    let sandbox = Sandbox::new();
    let ask = sandbox.write("ask", "#!/bin/sh\nls -l /proc/self/fd > descriptors\necho correct horse\n");
    std::fs::set_permissions(&ask, PermissionsExt::from_mode(0o700)).unwrap();
    sandbox.ok("sealstone encrypt -p --passphrase-file pass.txt -o plain.seal bob.txt");
    // Several kinds of files are open or were, when the program is asked.
    sandbox.ok("sealstone decrypt -i alice.key --key-file shared.key -p --askpass ./ask -o out plain.seal 2> said");
    let found = String::from_utf8(sandbox.read("descriptors")).unwrap();
    let open: Vec<&str> = found.lines().filter_map(|line| line.split_once(" -> ")).map(|(_, to)| to).collect();
    let own = |to: &&&str| {
        to.starts_with(sandbox.folder().to_str().unwrap())
            && !to.ends_with("/descriptors")
            && !to.ends_with("/said")
            && !to.ends_with("/ask")
    };
    assert_eq!(open.iter().filter(own).count(), 0, "{found}");
    assert!(!found.contains("socket"), "not the pair that carries signals either: {found}");
}

#[test]
fn a_pipe_needs_no_more_memory_for_more_bytes() {
    let sandbox = Sandbox::new();
    for mib in [8, 256] {
        sandbox.ok(&format!(
            "ulimit -d 32768; head -c {mib}M /dev/zero | sealstone encrypt --threads 2 -r alice.txt -o /dev/null"
        ));
    }
}
