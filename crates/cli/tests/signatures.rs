//! Signatures of files between this command line and `ssh-keygen`, of many files, and under attack.

mod support;

use support::{Sandbox, has, noise, repository};

/// Keys of a kind that both programs have, made by `sealstone`: `k.pem`, `k.pub`, `id` for `ssh-keygen`, and `allowed`.
fn keys(sandbox: &Sandbox, kind: &str) {
    sandbox.ok(&format!("sealstone keygen -q --sign --kind {kind} -o k.pem"));
    sandbox.ok("sealstone key public --sign k.pem > k.pub; sealstone key convert --sign --to ssh -o id k.pem");
    sandbox.ok("(printf 'alice@example.com '; cat k.pub) > allowed");
}

#[test]
fn ssh_keygen_verifies_what_is_signed_here() {
    if !has("ssh-keygen") {
        return;
    }
    for kind in ["ed25519", "p256-sign"] {
        let sandbox = Sandbox::new();
        keys(&sandbox, kind);
        sandbox.write("film", noise(100_000));
        sandbox.ok("sealstone sign -k k.pem film");
        let said = sandbox.ok("ssh-keygen -Y verify -f allowed -I alice@example.com -n file -s film.sig < film");
        assert!(said.contains("Good \"file\" signature for alice@example.com"), "{said}");
        sandbox.ok("ssh-keygen -Y check-novalidate -n file -s film.sig < film");
        // The key is the same for both, and so is its name.
        let shown = sandbox.ok("ssh-keygen -l -f k.pub").split(' ').nth(1).unwrap().to_owned();
        let inspected = sandbox.ok("sealstone key inspect --sign k.pub");
        assert!(inspected.contains(&format!("ssh-keygen -l shows {shown}")), "{inspected}");
        // Another namespace, an empty file, and a comment, which ssh-keygen does not know.
        sandbox.write("film", "");
        sandbox.ok("sealstone sign --force -k k.pem --namespace git film");
        sandbox.ok("ssh-keygen -Y verify -f allowed -I alice@example.com -n git -s film.sig < film");
        assert_ne!(
            sandbox.sh("ssh-keygen -Y verify -f allowed -I alice@example.com -n file -s film.sig < film").status,
            Some(0)
        );
        sandbox.ok("sealstone sign --force -k k.pem --comment x film; sealstone verify-sig -q -k k.pub film");
        assert_ne!(
            sandbox.sh("ssh-keygen -Y verify -f allowed -I alice@example.com -n file -s film.sig < film").status,
            Some(0)
        );
    }
}

#[test]
fn what_ssh_keygen_signs_is_verified_here() {
    if !has("ssh-keygen") {
        return;
    }
    for (of_ssh, kind) in [("ed25519", "ed25519"), ("ecdsa -b 256", "p256-sign")] {
        let sandbox = Sandbox::new();
        sandbox.ok(&format!("ssh-keygen -q -t {of_ssh} -N '' -C alice@example.com -f id"));
        sandbox.ok("(printf 'alice@example.com '; cat id.pub) > allowed");
        sandbox.write("film", noise(100_000));
        for hash in ["sha512", "sha256"] {
            sandbox.ok(&format!("rm -f film.sig; ssh-keygen -q -Y sign -O hashalg={hash} -f id -n file film"));
            let said = sandbox.ok("sealstone verify-sig -k id.pub film");
            assert!(said.starts_with(&format!("film: signed by {kind} SHA256:")), "{said}");
            let said = sandbox.ok("sealstone verify-sig --signers allowed --principal alice@example.com film");
            assert!(said.ends_with(", principals alice@example.com\n"), "{said}");
        }
        // Its keys sign here, with a passphrase too.
        sandbox.ok("sealstone sign --force -k id film; ssh-keygen -Y check-novalidate -n file -s film.sig < film");
        sandbox.ok("ssh-keygen -q -p -N 'correct horse' -f id");
        sandbox
            .ok("sealstone sign --force -k id --passphrase-file pass.txt film; sealstone verify-sig -q -k id.pub film");
        assert_eq!(sandbox.sh("sealstone sign --force -k id film < /dev/null").status, Some(2));
        sandbox.ok("sealstone key convert --sign --passphrase-file pass.txt --to pem -o k.pem id");
        sandbox.ok("sealstone sign --force -k k.pem film; sealstone verify-sig -q -k id.pub film");
    }
}

#[test]
fn signatures_of_other_kinds_of_keys_are_unsupported() {
    if !has("ssh-keygen") {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.ok("sealstone keygen -q --kind ed25519 -o k.pem; sealstone key public k.pem > k.pub; echo hello > film");
    for of_ssh in ["rsa -b 2048", "ecdsa -b 384"] {
        sandbox
            .ok(&format!("rm -f id*; ssh-keygen -q -t {of_ssh} -N '' -f id; ssh-keygen -q -Y sign -f id -n file film"));
        let done = sandbox.run("verify-sig -k k.pub film");
        assert!(done.status == Some(4) && done.stderr.contains("film.sig: unsupported signature"), "{done}");
        let done = sandbox.run("verify-sig -k id.pub film");
        assert!(done.status == Some(2) && done.stderr.contains("[unsupported_key]"), "{done}");
        let done = sandbox.run("sign -k id -o out film");
        assert!(done.status == Some(2) && done.stderr.contains("[unsupported_key]"), "{done}");
        // Teams have such keys beside others.
        sandbox.ok("(printf 'a '; cat id.pub; printf 'b '; cat k.pub) > allowed; sealstone sign -k k.pem -o ours film");
        let done = sandbox.run("verify-sig --signers allowed --signature ours film");
        assert!(done.status == Some(0) && done.stderr.contains("allowed: left out 1 line with keys"), "{done}");
        sandbox.ok("rm film.sig ours");
    }
}

#[test]
fn a_thousand_files_are_signed_and_verified() {
    let sandbox = Sandbox::new();
    sandbox.ok("sealstone keygen -q --kind ed25519 -o k.pem; sealstone key public k.pem > k.pub");
    sandbox.make_folder("d");
    let content = noise(5000);
    for n in 0..1000 {
        sandbox.write(&format!("d/{n:03}"), &content[n..n + 4000]);
    }
    // With 60 descriptors there are 7 tasks in flight at most.
    sandbox.ok("ulimit -n 60; sealstone sign --no-sync --threads 4 -k k.pem d/*");
    let said = sandbox.ok("sealstone verify-sig --threads 4 -k k.pub d/???");
    let names: Vec<&str> = said.lines().map(|line| &line[..5]).collect();
    let expected: Vec<String> = (0..1000).map(|n| format!("d/{n:03}")).collect();
    assert_eq!(names, expected);
    // One that is changed, one that is gone, and one without a signature are named, and the others are verified all the same.
    sandbox.write("d/100", "changed");
    sandbox.ok("rm d/200 d/300.sig");
    let done = sandbox.sh("sealstone verify-sig --threads 4 -k k.pub d/???");
    assert_eq!((done.status, done.stdout.lines().count()), (Some(5), 997), "{done}");
    let done = sandbox.sh("sealstone verify-sig --threads 4 -k k.pub d/??? d/200");
    assert_eq!((done.status, done.stdout.lines().count()), (Some(5), 997), "{done}");
    let faults: Vec<&str> = done.stderr.lines().filter(|line| line.contains("error: ")).collect();
    assert_eq!(faults.len(), 4, "{done}");
    assert!(faults[0].contains("d/100: ") && faults[0].contains("[invalid_signature]"), "{done}");
    assert!(faults[1].contains("d/300.sig") && faults[1].contains("[io]"), "{done}");
    assert!(faults[2].contains("d/200") && faults[2].contains("[io]"), "{done}");
    assert!(faults[3].contains("3 of 1000 files failed"), "{done}");
}

/// Every byte of a signature, and of an attached file, matters: what is changed is refused, and releases nothing.
#[test]
fn no_change_of_one_byte_is_taken() {
    let sandbox = Sandbox::new();
    sandbox.ok("sealstone keygen -q --kind ed25519 -o k.pem; sealstone key public k.pem > k.pub; echo hello > film");
    sandbox.ok("sealstone sign -k k.pem film; sealstone sign -k k.pem --attach film");
    let (detached, attached) = (sandbox.read("film.sig"), sandbox.read("film.signed"));
    for at in (0..detached.len()).step_by(3) {
        let mut changed = detached.clone();
        changed[at] ^= 1;
        sandbox.write("changed", &changed);
        let done = sandbox.run("verify-sig -k k.pub --signature changed film");
        assert!(matches!(done.status, Some(3 | 4)) && done.stdout.is_empty(), "byte {at}: {done}");
    }
    for at in (0..attached.len()).step_by(3) {
        let mut changed = attached.clone();
        changed[at] ^= 1;
        sandbox.write("changed", &changed);
        let done = sandbox.run("verify-sig -k k.pub --attached -o out changed");
        assert!(matches!(done.status, Some(3 | 4)) && done.stdout.is_empty(), "byte {at}: {done}");
        assert!(!sandbox.path("out").exists(), "byte {at}");
    }
    for len in (0..attached.len()).step_by(7) {
        sandbox.write("changed", &attached[..len]);
        let done = sandbox.run("verify-sig -k k.pub --attached -o - changed");
        assert!(done.status == Some(4) && done.bytes.is_empty(), "{len} bytes: {done}");
    }
}

#[test]
fn signing_needs_little_memory_whatever_the_length() {
    let sandbox = Sandbox::new();
    sandbox.ok("sealstone keygen -q --sign -o k.pem; sealstone key public k.pem > k.pub");
    sandbox.ok("head -c 300000000 /dev/zero > big; sealstone sign -k k.pem big");
    // 64 MiB of address space beside what the program itself and its libraries take.
    let limit = "ulimit -v 400000";
    sandbox.ok(&format!("{limit}; sealstone sign --threads 1 -k k.pem --attach big && rm big"));
    sandbox.ok(&format!("{limit}; sealstone verify-sig --threads 1 -q -k k.pub --attached -o big big.signed"));
    sandbox.ok(&format!("{limit}; sealstone verify-sig --threads 1 -q -k k.pub big"));
    sandbox.ok(&format!("{limit}; sealstone verify-sig --threads 1 -q -k k.pub --attached < big.signed"));
}

/// By the commands of docs/guide/files.md.
#[test]
fn a_host_without_the_key_finds_what_was_changed_in_a_backup() {
    let sandbox = Sandbox::new();
    let guide = std::fs::read_to_string(repository().join("docs/guide/files.md")).unwrap();
    let section = guide.split("## Check a backup on a host without the key").nth(1).unwrap();
    let mut blocks = section.split("```sh\n").skip(1).map(|block| block.split("```").next().unwrap());
    let (seal, check) = (blocks.next().unwrap(), blocks.next().unwrap());
    sandbox.ok("mkdir photos; for n in 1 2 3; do echo $n > photos/$n; done; cp alice.txt me.pub");
    sandbox.ok("sealstone keygen -q --sign -o signing.pem; sealstone key public signing.pem > signer.pub");
    sandbox.ok(seal);
    // A night later, without the keys that open or sign.
    sandbox.ok(&format!("echo 4 > photos/4; {seal}"));
    sandbox.ok("rm alice.key signing.pem; cp -r backup whole");
    sandbox.ok(check);
    for (change, named) in [
        ("echo more >> backup/photos/2.seal", "photos/2.seal: FAILED"),
        ("rm backup/photos/4.seal", "photos/4.seal: FAILED open or read"),
        ("cp backup/photos/1.seal backup/photos/3.seal", "photos/3.seal: FAILED"),
        ("sed -i '1 s/SHA256/SHA512/' backup/SUMS.signed", ""),
        ("sed -i 1d backup/SUMS.signed", ""),
    ] {
        sandbox.ok(change);
        let done = sandbox.sh(check);
        assert!(done.status != Some(0) && done.stdout.contains(named), "{change}: {done}");
        sandbox.ok("rm -r backup; cp -r whole backup");
    }
    sandbox.ok(check);
}

#[test]
fn a_signature_of_a_file_that_others_cannot_read_fails_alone() {
    let sandbox = Sandbox::new();
    sandbox
        .ok("sealstone keygen -q --kind ed25519 -o k.pem; sealstone key public k.pem > k.pub; echo a > a; echo b > b");
    sandbox.ok("ln -s nowhere link; ln -s loop loop");
    let done = sandbox.run("sign -k k.pem a link loop b");
    assert_eq!(done.status, Some(5), "{done}");
    assert_eq!(done.stderr.matches("[io]").count(), 2, "{done}");
    sandbox.ok("sealstone verify-sig -q -k k.pub a b");
    assert!(!sandbox.path("link.sig").exists() && !sandbox.path("loop.sig").exists());
    // A signature that cannot be read, too.
    sandbox.ok("rm a.sig; mkdir a.sig");
    let done = sandbox.run("verify-sig -k k.pub a b");
    assert!(done.status == Some(5) && done.stderr.contains("a.sig") && done.stdout.starts_with("b: "), "{done}");
}
