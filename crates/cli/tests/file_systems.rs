//! File systems other than Linux's own.

#[path = "support/fuse.rs"]
mod fuse;
mod support;

use fuse::{Fuse, Traits};
use support::Sandbox;

#[test]
fn the_file_system_of_these_tests_has_what_it_is_asked_for() {
    let sandbox = Sandbox::new();
    let folder = sandbox.make_folder("fuse");
    let traits = Traits { key: str::to_lowercase, hard_links: false, rename_flags: false };
    let Some(_mounted) = Fuse::mount(&folder, traits) else { return };
    sandbox.ok("cd fuse; echo one > One; test \"$(cat one)\" = one; echo two > ONE; cat One; ls");
    sandbox
        .ok("head -c 3000000 /dev/urandom > big; cp big fuse/big; cmp big fuse/BIG; ln -s big fuse/l; cmp fuse/L big");
    sandbox.ok("mkdir -p fuse/d/E; echo 1 > fuse/D/e/f; rm -r fuse/d; test ! -e fuse/D; chmod 600 fuse/big; stat -c %a fuse/big | grep 600");
    sandbox.ok("mv fuse/big fuse/other; cmp fuse/Other big; test ! -e fuse/big; : > fuse/other; test ! -s fuse/OTHER");
    assert_ne!(sandbox.sh("ln fuse/one fuse/link").status, Some(0));
    assert_eq!(sandbox.names("fuse"), ["One", "l", "other"]);
}

/// Sealed names of the folder `fuse` that a sandbox has, with what is in them.
fn opened(sandbox: &Sandbox) -> Vec<(String, String)> {
    let names = sandbox.names("fuse").into_iter().filter(|name| name.to_lowercase().ends_with(".seal"));
    names.map(|name| (name.clone(), sandbox.ok(&format!("sealstone decrypt -i alice.key -o - fuse/{name}")))).collect()
}

fn named(name: &str, content: &str) -> (String, String) {
    (name.to_owned(), content.to_owned())
}

/// As some file systems do that compare names in a normal form.
fn composed(name: &str) -> String {
    name.replace("e\u{301}", "\u{e9}")
}

#[test]
fn two_outputs_that_one_folder_takes_for_one_are_noticed() {
    let cases = [(str::to_lowercase as fn(&str) -> String, "A", "a"), (composed, "\u{e9}", "e\u{301}")];
    for (key, one, other) in cases {
        for force in ["", "--force"] {
            let sandbox = Sandbox::new();
            let folder = sandbox.make_folder("fuse");
            let Some(_mounted) = Fuse::mount(&folder, Traits { key, ..Traits::default() }) else { return };
            sandbox.ok(&format!("mkdir d; printf first > d/{one}; printf second > d/{other}"));
            // The first is whole, and the second has not replaced it. On several threads either may be the first.
            let done = sandbox.run(&format!("encrypt {force} --threads 1 -r alice.txt -o fuse d/{one} d/{other}"));
            assert_eq!(done.status, Some(5), "{done}");
            assert!(done.stderr.contains(".seal already exists [output_exists]"), "{done}");
            assert!(done.stderr.contains("treat two names as one") && !done.stderr.contains("--force"), "{done}");
            assert_eq!(opened(&sandbox), [named(&format!("{one}.seal"), "first")]);
            // Now that it is there, both names are its own: that is known before any work.
            let done = sandbox.run(&format!("encrypt --force -r alice.txt -o fuse d/{other} d/{one}"));
            assert_eq!(done.status, Some(2), "{done}");
            assert!(done.stderr.contains("two inputs would be written to"), "{done}");
            assert_eq!(opened(&sandbox), [named(&format!("{one}.seal"), "first")]);
            // Names that differ in more are two files, and replaced as such.
            sandbox.ok(&format!("printf third > d/b; sealstone encrypt --force -r alice.txt -o fuse d/{one} d/b"));
            sandbox.ok(&format!("sealstone encrypt --force -r alice.txt -o fuse d/{one} d/b"));
            assert_eq!(opened(&sandbox).len(), 2);
        }
    }
}

#[test]
fn an_output_that_is_another_spelling_of_an_input_is_refused() {
    let sandbox = Sandbox::new();
    let folder = sandbox.make_folder("fuse");
    let Some(_mounted) = Fuse::mount(&folder, Traits { key: str::to_lowercase, ..Traits::default() }) else { return };
    sandbox.ok("echo one > fuse/report; echo two > fuse/REPORT.SEAL");
    let done = sandbox.run("encrypt --force -r alice.txt fuse/report fuse/REPORT.SEAL");
    assert_eq!(done.status, Some(1), "{done}");
    assert!(done.stderr.contains("fuse/REPORT.SEAL is both an input and the output [same_file]"), "{done}");
    let done = sandbox.run("encrypt --force -r alice.txt -o FUSE/report fuse/Report");
    assert_ne!(done.status, Some(0), "{done}");
    let done = sandbox.run("encrypt --force -r alice.txt -o fuse/Report fuse/report");
    assert!(done.stderr.contains("[same_file]"), "{done}");
    sandbox.ok("cp alice.txt fuse/Alice.seal; echo 3 > fuse/alice");
    let done = sandbox.run("encrypt --force -R fuse/Alice.seal fuse/report fuse/alice");
    assert!(done.stderr.contains("[same_file]"), "{done}");
    assert_eq!(sandbox.names("fuse"), ["Alice.seal", "REPORT.SEAL", "alice", "report"]);
    assert_eq!(sandbox.ok("cat fuse/REPORT.SEAL; cmp alice.txt fuse/Alice.seal"), "two\n");
}

#[test]
fn one_file_under_two_spellings_is_sealed_in_place_once() {
    let sandbox = Sandbox::new();
    let folder = sandbox.make_folder("fuse");
    let Some(_mounted) = Fuse::mount(&folder, Traits { key: str::to_lowercase, ..Traits::default() }) else { return };
    sandbox.ok("echo one > fuse/a");
    let done = sandbox.run("encrypt --in-place -r alice.txt fuse/a fuse/A");
    assert_eq!(done.status, Some(2), "{done}");
    assert_eq!(sandbox.ok("cat fuse/a"), "one\n");
}

#[test]
fn members_whose_names_one_folder_takes_for_one_are_refused_and_none_is_lost() {
    let cases = [(str::to_lowercase as fn(&str) -> String, "A", "a"), (composed, "\u{e9}", "e\u{301}")];
    for (key, one, other) in cases {
        let sandbox = Sandbox::new();
        let folder = sandbox.make_folder("fuse");
        let Some(_mounted) = Fuse::mount(&folder, Traits { key, ..Traits::default() }) else { return };
        // Two files, a file and a folder, two folders, a file and a link, two hard links.
        for (number, make) in [
            format!("printf first > {one}; printf second > {other}"),
            format!("printf first > {one}; mkdir {other}; echo x > {other}/x"),
            format!("mkdir {one} {other}; echo x > {one}/x; echo y > {other}/y"),
            format!("printf first > {one}; ln -s none {other}"),
            format!("echo x > 0; ln 0 {one}; ln 0 {other}"),
        ]
        .into_iter()
        .enumerate()
        {
            sandbox.ok(&format!("rm -rf t x.seal fuse/*; mkdir t; cd t; {make}"));
            sandbox.ok("sealstone encrypt --key-file shared.key --archive -o x.seal t");
            for (way, threads) in [("", 1), ("", 4), ("--force", 1)] {
                let there = if way.is_empty() { "" } else { "mkdir fuse/out; echo mine > fuse/out/mine; " };
                let extract = format!(
                    "sealstone decrypt --extract {way} --threads {threads} --key-file shared.key -o fuse/out x.seal"
                );
                let done = sandbox.sh(&format!("{there}{extract}"));
                assert_eq!(done.status, Some(1), "{make}: {done}");
                assert!(
                    done.stderr.contains("fuse/out/t/") && done.stderr.contains("[names_collide]"),
                    "{make}: {done}"
                );
                let left = sandbox.ok("cd fuse; find . -mindepth 1 -printf '%P\n' | sort; rm -rf out");
                assert_eq!(left, if way.is_empty() { "" } else { "out\nout/mine\n" }, "{make}: {done}");
            }
            // One by one: the first is whole, and the second has not replaced it. Two folders become one.
            if number == 2 {
                continue;
            }
            let members = if number == 4 { format!("t/0 t/{one} t/{other}") } else { format!("t/{one} t/{other}") };
            let done = sandbox
                .run(&format!("decrypt --extract --threads 1 --key-file shared.key -o fuse/out x.seal {members}"));
            assert_eq!(done.status, Some(1), "{make}: {done}");
            let is_said = done.stderr.contains("[output_exists]") || done.stderr.contains("[names_collide]");
            assert!(is_said && done.stderr.contains("fuse/out/t/"), "{make}: {done}");
            if number == 1 && one < other {
                // The file is not made yet when the folder is, and an empty folder goes again.
                assert!(sandbox.names("fuse").is_empty(), "{make}: {done}");
                continue;
            }
            assert!(sandbox.path("fuse/out/t").join(one).exists(), "{make}: {done}");
            if number == 0 {
                // Members come in the order of their names.
                let expected = if one < other { "first" } else { "second" };
                assert_eq!(sandbox.ok(&format!("cat fuse/out/t/{one}")), expected, "{done}");
            }
            assert_eq!(sandbox.names("fuse/out"), ["t"], "{make}: {done}");
            sandbox.ok("rm -rf fuse/out");
        }
        // What differs in more comes back.
        sandbox.ok(&format!(
            "rm -rf t; mkdir -p t/{one}; printf first > t/{one}/b; printf second > t/{one}/c; chmod 640 t/{one}/c"
        ));
        sandbox.ok(&format!("ln -s {one}/c t/l; ln t/{one}/c t/k"));
        sandbox.ok("sealstone encrypt --key-file shared.key --archive --force -o x.seal t");
        sandbox.ok("sealstone decrypt --extract --key-file shared.key -o fuse/out x.seal && diff -r t fuse/out/t");
        sandbox
            .ok("sealstone decrypt --extract --force --key-file shared.key -o fuse/out x.seal && diff -r t fuse/out/t");
    }
}

#[test]
fn a_name_that_the_file_system_does_not_take_is_named_and_leaves_nothing() {
    let sandbox = Sandbox::new();
    let folder = sandbox.make_folder("fuse");
    let Some(_mounted) = Fuse::mount(&folder, Traits::default()) else { return };
    sandbox.ok("mkdir u; echo x > u/x; printf x > \"$(printf 'u/\\377')\"; sealstone encrypt --key-file shared.key --archive u -o u.seal");
    for members in ["", " u"] {
        let done = sandbox.run(&format!("decrypt --extract --key-file shared.key -o fuse/out u.seal{members}"));
        assert!(done.status == Some(1) && done.stderr.contains("create fuse/out/u/\\xff: "), "{done}");
        assert!(!sandbox.names("fuse").iter().any(|name| name.starts_with(".sealstone-")), "{done}");
        sandbox.ok("rm -rf fuse/out");
    }
}

#[test]
fn a_folder_of_another_file_system_is_archived_and_its_output_may_be_in_it() {
    let sandbox = Sandbox::new();
    let folder = sandbox.make_folder("fuse");
    let traits = Traits { hard_links: false, rename_flags: false, ..Traits::default() };
    let Some(_mounted) = Fuse::mount(&folder, traits) else { return };
    sandbox.ok("mkdir fuse/t; echo a > fuse/t/a; echo b > fuse/b; ln -s b fuse/l");
    // Without unnamed files the unfinished archive has a name there, which is no member.
    for (arguments, paths) in [
        ("--archive fuse -o fuse/x.seal", "fuse/ fuse/b fuse/l fuse/t/ fuse/t/a"),
        ("--archive fuse/. -o fuse/x.seal", "b l t/ t/a"),
    ] {
        let done = sandbox.run(&format!("encrypt --key-file shared.key {arguments}"));
        assert_eq!(done.status, Some(0), "{arguments}: {done}");
        let listed = sandbox.ok("sealstone list --key-file shared.key fuse/x.seal | cut -c 46- | sed 's/ -> .*//'");
        assert_eq!(listed.split_whitespace().collect::<Vec<_>>().join(" "), paths, "{arguments}");
        sandbox
            .ok("mv fuse/x.seal x.seal; sealstone decrypt --extract --key-file shared.key -o back x.seal; rm -r back");
    }
}

#[test]
fn a_single_member_replaces_no_other_one_of_this_run_even_with_force() {
    let sandbox = Sandbox::new();
    let folder = sandbox.make_folder("fuse");
    let Some(_mounted) = Fuse::mount(&folder, Traits { key: str::to_lowercase, ..Traits::default() }) else { return };
    sandbox.ok("mkdir t u; printf first > t/A; printf second > t/a; mkdir u/A u/a; echo x > u/A/x; echo y > u/a/y");
    sandbox.ok("sealstone encrypt --key-file shared.key --archive -o t.seal t; sealstone encrypt --key-file shared.key --archive -o u.seal u");
    for extract in ["--force -o fuse/out t.seal t/A t/a", "--force -o fuse/out t.seal t", "-o fuse/out u.seal u/A u/a"]
    {
        let done = sandbox.run(&format!("decrypt --extract --threads 1 --key-file shared.key {extract}"));
        assert_eq!(done.status, Some(1), "{extract}: {done}");
        assert!(done.stderr.contains("[names_collide]"), "{extract}: {done}");
        if extract.contains("t.seal") {
            assert_eq!(sandbox.ok("cat fuse/out/t/A"), "first", "{extract}: {done}");
        }
        sandbox.ok("rm -rf fuse/out");
    }
    // What stood there before is replaced as before.
    sandbox.ok("mkdir -p fuse/out/t; printf old > fuse/out/t/a; sealstone decrypt --extract --force --key-file shared.key -o fuse/out t.seal t/A");
    assert_eq!(sandbox.ok("cat fuse/out/t/A"), "first");
}
