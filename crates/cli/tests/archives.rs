//! Archives of strange folders and by hostile writers, in the hands of ordinary users.

mod support;

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use support::chance::exhaustive;
use support::{Done, Sandbox, has, is_root, repository};

/// Asserts that nothing was printed that controls a terminal.
fn check_is_printable(done: &Done, what: &str) {
    let is_control = |c: char| c != '\n' && c.is_control();
    assert!(!done.stdout.contains(is_control) && !done.stderr.contains(is_control), "{what}: {done}");
}

/// The bytes of a path that `list --json` shows.
fn path_of(line: &str) -> Vec<u8> {
    let entry: serde_json::Value = serde_json::from_str(line).unwrap();
    match entry["path_hex"].as_str() {
        Some(hex) => hex
            .as_bytes()
            .chunks(2)
            .map(|two| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap())
            .collect(),
        None => entry["path"].as_str().unwrap().as_bytes().to_vec(),
    }
}

#[test]
fn names_of_any_bytes_come_back_and_are_shown_escaped() {
    let sandbox = Sandbox::new();
    let top = sandbox.make_folder("t");
    let long = "l".repeat(255);
    let names: [&[u8]; 9] = [
        b"line\nfeed",
        b"\x1b[31mred",
        b"caf\xe9",
        b"\xff\xfe",
        "\u{202e}gnp.exe".as_bytes(),
        b" -rf ",
        b"back\\slash",
        b"every kind ;&|<>$`'\"*?",
        long.as_bytes(),
    ];
    for name in names {
        fs::write(top.join(OsStr::from_bytes(name)), name).unwrap();
    }
    // A path of over 300 bytes, and one of 255 folders.
    sandbox.ok(&format!("mkdir -p t/{0}/{0}; echo x > t/{0}/{0}/x", &long[1..]));
    sandbox.ok(&format!("mkdir -p t/deep{}; echo deep > t/deep{0}/x", "/d".repeat(253)));
    sandbox.ok("sealstone encrypt -r alice.txt --archive -o x.seal t");
    sandbox.ok("sealstone decrypt -i alice.key --extract -o back x.seal && diff -r t back/t");
    for line in
        ["list -i alice.key x.seal", "list --json -i alice.key x.seal", "decrypt --extract -i alice.key -o back x.seal"]
    {
        check_is_printable(&sandbox.run(line), line);
    }
    let listed = sandbox.ok("sealstone list --json -i alice.key x.seal");
    let lines = sandbox.ok("sealstone list -i alice.key x.seal");
    // The top, these, two long folders with a file, and 254 folders with one.
    assert_eq!((listed.lines().count(), lines.lines().count()), (10 + 3 + 255, 10 + 3 + 255));
    let paths: Vec<Vec<u8>> = listed.lines().map(path_of).collect();
    for name in names {
        let path: Vec<u8> = b"t/".iter().chain(name).copied().collect();
        assert!(paths.contains(&path), "{}", name.escape_ascii());
        // One member is asked for by these bytes, and is made as it was.
        let mut member = OsString::from("t/");
        member.push(OsStr::from_bytes(name));
        let mut command = sandbox.sealstone("decrypt --extract --force -i alice.key -o one x.seal");
        let done: Done = command.arg(&member).output().unwrap().into();
        assert_eq!(done.status, Some(0), "{}: {done}", name.escape_ascii());
        assert_eq!(fs::read(sandbox.path("one").join(&member)).unwrap(), name);
        // That it is there already is said of an escaped name.
        let mut command = sandbox.sealstone("decrypt --extract -i alice.key -o one x.seal");
        let done: Done = command.arg(&member).output().unwrap().into();
        assert!(done.status == Some(1) && done.stderr.contains("[output_exists]"), "{done}");
        check_is_printable(&done, &name.escape_ascii().to_string());
    }
    let done = sandbox.run("decrypt --extract -i alice.key -o two x.seal t/none\nhere");
    check_is_printable(&done, "a member that is missing");
    assert!(done.status == Some(2) && done.stderr.contains("[no_such_member]"), "{done}");
    assert!(!sandbox.path("two").exists());
}

/// A copy of the binary and the sandbox that any user may use.
fn for_anybody(sandbox: &Sandbox) -> String {
    fs::set_permissions(sandbox.folder(), PermissionsExt::from_mode(0o777)).unwrap();
    fs::copy(support::SEALSTONE, sandbox.path("sealstone")).unwrap();
    std::os::unix::fs::chown(sandbox.path("alice.key"), Some(65534), Some(65534)).unwrap();
    "setpriv --reuid 65534 --regid 65534 --clear-groups ./sealstone".to_owned()
}

#[test]
fn members_that_the_user_may_not_read_are_said_and_the_archive_has_all_others() {
    if !(has("setpriv") && is_root()) {
        return;
    }
    let sandbox = Sandbox::new();
    let sealstone = for_anybody(&sandbox);
    sandbox.ok(
        "mkdir -p t/closed t/open t/unlisted; echo a > t/a; echo s > t/secret; echo x > t/closed/x; echo b > t/open/b",
    );
    sandbox.ok("echo u > t/unlisted/u; printf 'l\\n' > 't/new\nline'; ln t/secret t/open/same; ln -s closed/x t/link; mkfifo t/fifo");
    sandbox.ok("head -c 300000 /dev/zero | tr '\\0' z > t/large; chmod 000 t/secret t/closed t/new* t/large; chmod 711 t/unlisted");
    for quiet in ["", "-q"] {
        let done = sandbox.sh(&format!("{sealstone} encrypt {quiet} -r alice.txt --archive --force -o x.seal t"));
        assert_eq!(done.status, Some(1), "{done}");
        check_is_printable(&done, "unreadable");
        for name in ["t/secret:", "t/closed:", "t/new\\nline:", "t/large:", "t/open/same:", "t/unlisted:"] {
            let mut lines = done.stderr.lines().filter(|line| line.contains(name));
            let line = lines.next().unwrap_or_else(|| panic!("nothing is said of {name}: {done}"));
            assert!(line.contains("left out, or in part") && line.contains("Permission denied"), "{done}");
            assert_eq!(lines.next(), None, "{done}");
        }
        assert!(done.stderr.contains("lacks 6 members") && done.stderr.contains("[incomplete_archive]"), "{done}");
        // A FIFO is no loss, and nothing is said of it where only errors are.
        assert_eq!(done.stderr.contains("t/fifo is a FIFO"), quiet.is_empty(), "{done}");
        let listed =
            sandbox.ok("sealstone verify -q -i alice.key x.seal && sealstone list -i alice.key x.seal | cut -c 46-");
        assert_eq!(listed, "t/\nt/a\nt/closed/\nt/link -> closed/x\nt/open/\nt/open/b\nt/unlisted/\n");
    }
    // A folder that is named must be readable.
    let done = sandbox.sh(&format!("{sealstone} encrypt -r alice.txt --archive -o y.seal t/open t/closed"));
    assert_eq!(done.status, Some(1), "{done}");
    assert!(done.stderr.contains("open t/closed: Permission denied"), "{done}");
    assert!(!sandbox.path("y.seal").exists(), "{done}");
}

#[test]
fn an_ordinary_user_extracts_what_nobody_may_enter_and_removes_what_a_killed_run_has_left_of_it() {
    if !(has("setpriv") && has("strace") && is_root()) {
        return;
    }
    let sandbox = Sandbox::new();
    let sealstone = for_anybody(&sandbox);
    sandbox.ok("mkdir -p t/closed/deep t/locked; echo a > t/closed/a; echo b > t/closed/deep/b; echo c > t/locked/c");
    sandbox.ok("chmod 000 t/closed/a t/closed/deep t/closed; chmod 500 t/locked; chmod 4755 t/locked/c; chmod 1777 t");
    sandbox.ok("sealstone encrypt -r alice.txt --archive -o x.seal t; chmod 644 x.seal; mkdir d; chown 65534:65534 d");
    let extract = format!("{sealstone} decrypt --extract --threads 1 -i alice.key -o d/out x.seal");
    let traced = "setpriv --reuid 65534 --regid 65534 --clear-groups strace -f -qq -o /dev/null -e trace=renameat2";
    let killed = extract.replacen(
        "setpriv --reuid 65534 --regid 65534 --clear-groups",
        &format!("{traced} -e inject=renameat2:signal=KILL:when=1"),
        1,
    );
    sandbox.sh(&killed);
    let left = sandbox.names("d");
    assert!(left.len() == 1 && left[0].starts_with(".sealstone-"), "{left:?}");
    sandbox.ok(&extract);
    assert_eq!(sandbox.names("d"), ["out"]);
    let modes = sandbox.ok("cd d/out && find . -printf '%m %U %P\n' | sort -k 3");
    let expected = "755 65534 \n777 65534 t\n0 65534 t/closed\n0 65534 t/closed/a\n0 65534 t/closed/deep\n644 65534 t/closed/deep/b\n500 65534 t/locked\n755 65534 t/locked/c\n";
    assert_eq!(modes, expected);
    sandbox.ok("chmod 755 t/closed t/closed/deep d/out/t/closed d/out/t/closed/deep; diff -r t d/out/t");
}

#[test]
fn more_folders_than_files_may_be_open_are_archived_and_extracted() {
    let sandbox = Sandbox::new();
    sandbox.make_folder("t");
    for i in 0..1500 {
        fs::create_dir(sandbox.path(&format!("t/{i}"))).unwrap();
        fs::write(sandbox.path(&format!("t/{i}/f")), format!("{i}")).unwrap();
    }
    sandbox.ok("touch -d 2026-01-02 t/* t/*/*");
    for threads in [1, 4] {
        sandbox.ok(&format!(
            "ulimit -n 256; sealstone encrypt --threads {threads} --force --key-file shared.key --archive -o x.seal t && \
             sealstone decrypt --extract --threads {threads} --no-sync --key-file shared.key -o {threads} x.seal && \
             diff -r t {threads}/t"
        ));
    }
}

#[test]
fn what_stands_in_the_way_of_a_member_is_said() {
    let sandbox = Sandbox::new();
    sandbox.ok("mkdir -p t folder/t/f file link; echo 1 > t/f; touch file/t; ln -s .. link/t; ln -s nowhere none");
    sandbox.ok("sealstone encrypt --archive -r alice.txt -o x.seal t");
    for (folder, hint) in [
        ("folder", "a folder and a file never replace each other"),
        ("file", "a folder and a file never replace each other"),
        ("link", "nor does a link become a folder"),
        ("none", "it is a symbolic link to nothing"),
    ] {
        for member in ["", " t/f"] {
            let done = sandbox.run(&format!("decrypt --extract --force -i alice.key -o {folder} x.seal{member}"));
            assert!(done.status == Some(1) && done.stderr.contains(hint), "{folder}{member}: {done}");
        }
    }
}

#[test]
fn a_file_that_is_named_must_be_readable() {
    if !(has("setpriv") && is_root()) {
        return;
    }
    let sandbox = Sandbox::new();
    let sealstone = for_anybody(&sandbox);
    sandbox.ok("mkdir t; echo a > t/a; echo s > secret; head -c 300000 /dev/zero | tr '\\0' z > large; ln secret other; chmod 000 secret large");
    for name in ["secret", "large", "other"] {
        for names in [name.to_owned(), format!("t {name}")] {
            sandbox.write("x.seal", "an archive of yesterday");
            let done = sandbox
                .sh(&format!("chmod 666 x.seal; {sealstone} encrypt --force -r alice.txt --archive -o x.seal {names}"));
            assert_eq!(done.status, Some(1), "{names}: {done}");
            assert!(done.stderr.contains(&format!("open {name}: Permission denied")), "{names}: {done}");
            assert_eq!(sandbox.read("x.seal"), b"an archive of yesterday", "{names}: {done}");
        }
    }
}

/// A vector of an archive, as `vectors/README.md` has it.
struct Vector {
    name: String,
    identities: String,
    context: Option<String>,
    /// What verifying, listing and extracting give.
    verdicts: [(&'static str, String); 3],
    file: Vec<u8>,
}

impl Vector {
    /// `None` if it is not about an archive, or has an identity without a key string.
    fn parse(name: &str, bytes: &[u8]) -> Option<Self> {
        let end = bytes.windows(2).position(|pair| pair == b"\n\n").expect("an empty line");
        let head = std::str::from_utf8(&bytes[..end]).unwrap();
        let values = |key: &str| {
            head.lines()
                .filter_map(|line| Some(line.strip_prefix(key)?.strip_prefix(": ")?.to_owned()))
                .collect::<Vec<_>>()
        };
        let one = |key: &str| values(key).into_iter().next();
        let archive = one("archive")?;
        let of = |key: &str| one(key).unwrap_or_else(|| archive.clone());
        let identities = values("identity");
        if identities.is_empty() {
            return None;
        }
        Some(Self {
            name: name.to_owned(),
            identities: identities.join("\n") + "\n",
            context: one("context"),
            verdicts: [
                ("verify -q", archive.clone()),
                ("list", of("list")),
                ("decrypt --extract --no-sync -q -o out/back", of("extract")),
            ],
            file: bytes[end + 2..].to_vec(),
        })
    }

    fn is_hostile(&self) -> bool {
        self.verdicts.iter().any(|(_, code)| code != "success")
    }

    /// The rule that it is about: the first word of its name.
    fn family(&self) -> &str {
        self.name.split('_').nth(1).unwrap_or_default()
    }
}

#[test]
fn what_hostile_writers_make_is_refused_and_leaves_nothing() {
    let mut names: Vec<_> =
        fs::read_dir(repository().join("vectors/file")).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    let vectors = names.iter().filter_map(|path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        Vector::parse(name, &fs::read(path).unwrap())
    });
    let hostile: Vec<Vector> = vectors.filter(Vector::is_hostile).collect();
    assert!(hostile.len() >= 400, "only {} hostile vectors", hostile.len());
    let sandbox = Sandbox::new();
    let (mut families, mut refused) = (BTreeSet::new(), 0);
    for vector in &hostile {
        // Core judges all of them in every way; here is one of each rule. Before a release it is all.
        if !families.insert((vector.family(), vector.verdicts.each_ref().map(|(_, code)| code))) && !exhaustive() {
            continue;
        }
        sandbox.ok("rm -rf out key x.seal; mkdir out; umask 077; : > key");
        sandbox.write("key", &vector.identities);
        sandbox.write("x.seal", &vector.file);
        let context = vector.context.as_ref().map_or(String::new(), |context| format!(" --context {context}"));
        for (command, code) in &vector.verdicts {
            let name = &vector.name;
            let done = sandbox.run(&format!("{command} -i key{context} x.seal"));
            let what = format!("{name}: {command}: {done}");
            check_is_printable(&done, &what);
            if code == "success" {
                assert_eq!(done.status, Some(0), "{what}");
                continue;
            }
            assert_eq!(done.status, Some(4), "{what}");
            assert!(done.stderr.contains(&format!("[{code}]")) && done.stderr.contains("sealstone: hint: "), "{what}");
            assert_eq!(sandbox.names("out"), [""; 0], "{what}");
            assert_eq!(
                sandbox.names(""),
                ["alice.key", "alice.txt", "bob.key", "bob.txt", "key", "out", "pass.txt", "shared.key", "x.seal"],
                "{what}"
            );
            refused += 1;
        }
    }
    assert!(refused >= 80, "only {refused} were refused");
    println!("{refused} refused of {} families", families.len());
}
