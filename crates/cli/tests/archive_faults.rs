//! What the system can do to archives: an error of every call, an end at every call, signals, and a full disk, while a tree is made of
//! an archive; errors of every call that reads a member, and members that change or vanish while they are read.
//!
//! How an archive itself comes about is in `faults.rs`, as of any output.

#[path = "support/fuse.rs"]
#[allow(dead_code, reason = "each test program uses a part of it")]
mod fuse;
#[path = "support/strace.rs"]
#[allow(dead_code, reason = "each test program uses a part of it")]
mod strace;
mod support;

use fuse::{Fuse, Traits};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use strace::{Call, Traced, fails};
use support::chance::exhaustive;
use support::{Done, Sandbox, has, is_root, noise};

/// The calls that change something on the disk while a tree is made, and those that open.
const MAKING: &str =
    "mkdirat,openat,pwrite64,ftruncate,fchmod,utimensat,symlinkat,linkat,syncfs,fsync,renameat,renameat2,unlinkat";

/// A sandbox with a tree `t` of all kinds of members, its archive `x.seal`, and an empty folder `d`.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let t = sandbox.make_folder("t");
    fs::create_dir(t.join("f")).unwrap();
    fs::write(t.join("a"), "attack at dawn").unwrap();
    // Not compressed, it comes in two pieces of content.
    fs::write(t.join("big"), noise(300_000)).unwrap();
    fs::write(t.join("f/b"), "b").unwrap();
    fs::write(t.join("f/c"), "c").unwrap();
    fs::hard_link(t.join("a"), t.join("h")).unwrap();
    symlink("f/b", t.join("l")).unwrap();
    let holes = fs::File::create(t.join("s")).unwrap();
    holes.set_len(200_000).unwrap();
    holes.write_at(b"in the middle", 100_000).unwrap();
    // One whose mode it cannot have from the beginning.
    for (name, mode) in [("f/c", 0o400), ("a", 0o640), ("f", 0o750)] {
        fs::set_permissions(t.join(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    sandbox.ok("touch -h -d 2026-01-02T03:04:05.5Z t/* t/f/*; touch -d 2020-01-02T03:04:05Z t/f t");
    sandbox.ok("sealstone encrypt --key-file shared.key --archive --no-compress -o x.seal t");
    sandbox.make_folder("d");
    sandbox
}

/// All of a tree: of each path its kind and content, and then its mode and time.
fn facts(top: &Path) -> BTreeMap<PathBuf, (String, String)> {
    let mut facts = BTreeMap::new();
    let mut left = vec![top.to_path_buf()];
    while let Some(path) = left.pop() {
        let Ok(stat) = fs::symlink_metadata(&path) else { continue };
        let content = match () {
            () if stat.is_dir() => {
                left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
                "folder".to_owned()
            }
            () if stat.is_symlink() => format!("link to {}", fs::read_link(&path).unwrap().display()),
            () => format!("file {}", fs::read(&path).unwrap().escape_ascii()),
        };
        let rest = format!("{:o} {}.{}", stat.mode(), stat.mtime(), stat.mtime_nsec());
        let below = path.strip_prefix(top.parent().unwrap()).unwrap().to_path_buf();
        facts.insert(below, (content, rest));
    }
    facts
}

/// A way to make files of the archive in `d/out`.
#[derive(Clone, Copy)]
struct Way {
    arguments: &'static str,
    /// The members that are asked for; all if there are none.
    members: &'static [&'static str],
    /// Whether `d/out` is there already, with a file `mine` and an old `t/a`.
    exists: bool,
    /// Whether an empty file may reserve a name for some calls.
    reserves: bool,
    /// Whether only the calls that make and change names are tried.
    only_names: bool,
}

const WAYS: [Way; 4] = [
    Way {
        arguments: "decrypt --extract --key-file shared.key -o d/out x.seal",
        members: &[],
        exists: false,
        reserves: false,
        only_names: false,
    },
    Way {
        arguments: "decrypt --extract --force --key-file shared.key -o d/out x.seal",
        members: &[],
        exists: true,
        reserves: false,
        only_names: false,
    },
    // The file of this hard link is not asked for.
    Way {
        arguments: "decrypt --extract --key-file shared.key -o d/out x.seal t/h t/f t/l t/s",
        members: &["t/h", "t/f", "t/l", "t/s"],
        exists: false,
        reserves: false,
        only_names: false,
    },
    Way {
        arguments: "decrypt --extract --force --key-file shared.key -o d/out x.seal t/a t/f",
        members: &["t/a", "t/f"],
        exists: true,
        reserves: false,
        only_names: false,
    },
];

/// What stands in `d/out`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    /// What stood there before.
    Before,
    /// Some members, each whole.
    Some,
    /// All that was asked for, with modes and times.
    All,
}

impl Way {
    fn prepare(&self, sandbox: &Sandbox) {
        for entry in fs::read_dir(sandbox.path("d")).unwrap() {
            remove(&entry.unwrap().path());
        }
        if self.exists {
            fs::create_dir_all(sandbox.path("d/out/t")).unwrap();
            sandbox.write("d/out/mine", "mine");
            sandbox.write("d/out/t/a", "old");
        }
    }

    /// The calls from the first one on that makes something.
    fn calls(&self, sandbox: &Sandbox) -> Vec<Call> {
        self.prepare(sandbox);
        let mut calls = self.traced(sandbox).calls(MAKING);
        assert_eq!(self.found(sandbox), Ok(Found::All), "{}", self.arguments);
        assert_eq!(hidden(sandbox), [""; 0], "{}", self.arguments);
        let first = calls.iter().position(|call| call.name == "mkdirat").expect("a folder is made");
        calls.split_off(first)
    }

    fn traced<'s>(&self, sandbox: &'s Sandbox) -> Traced<'s> {
        Traced { sandbox, arguments: self.arguments, given: &[] }
    }

    /// Whether a call is one of those that are tried.
    fn tries(&self, call: &Call) -> bool {
        let names = ["linkat", "renameat", "renameat2", "unlinkat", "fsync"];
        !self.only_names || names.contains(&call.name.as_str()) || call.text.contains("O_EXCL")
    }

    /// Whether a member is made for one that is asked for.
    fn wants(&self, path: &Path) -> bool {
        self.members.is_empty() || self.members.iter().any(|member| path.starts_with(member))
    }

    /// What is there, or what of it is wrong.
    fn found(&self, sandbox: &Sandbox) -> Result<Found, String> {
        let expected = facts(&sandbox.path("t"));
        let mut found = facts(&sandbox.path("d/out"));
        // What is made beside the output is no part of it.
        found.retain(|path, _| !path.iter().any(|name| is_hidden(&name.to_string_lossy())));
        let is_there = found.remove(Path::new("out")).is_some();
        let found: BTreeMap<PathBuf, (String, String)> =
            found.into_iter().map(|(path, fact)| (path.strip_prefix("out").unwrap().to_path_buf(), fact)).collect();
        let mut made = 0;
        for (path, fact) in &found {
            let is_old = self.exists && (path == Path::new("mine") && fact.0 == "file mine" || fact.0 == "file old");
            let is_way = fact.0 == "folder" && (!self.wants(path) || self.exists && path == Path::new("t"));
            // A file has its mode and time before it has its name; a folder gets them last.
            let is_whole = expected.get(path).is_some_and(|of| of.0 == fact.0 && (of == fact || fact.0 == "folder"));
            let is_reserved = self.reserves && fact.0 == "file ";
            if !is_old && !is_way && !((is_whole || is_reserved) && self.wants(path)) {
                return Err(format!("{} is {fact:?}", path.display()));
            }
            made += usize::from(!is_old && !is_way);
        }
        let is_all = expected.iter().all(|(path, fact)| !self.wants(path) || found.get(path) == Some(fact));
        match (is_all, made) {
            (true, _) => Ok(Found::All),
            (false, 0) if is_there == self.exists || !self.members.is_empty() => Ok(Found::Before),
            _ if self.members.is_empty() && !self.exists => Err(format!("a part is there: {:?}", found.keys())),
            _ => Ok(Found::Some),
        }
    }
}

fn is_hidden(name: &str) -> bool {
    name.starts_with(".sealstone-")
}

/// The hidden names in `d` and in `d/out`.
fn hidden(sandbox: &Sandbox) -> Vec<String> {
    let mut names = sandbox.names("d");
    if sandbox.path("d/out").is_dir() {
        names.extend(sandbox.names("d/out"));
    }
    names.retain(|name| is_hidden(name));
    names
}

/// Whether an error of a call is none of the run: it looks for what killed processes have left, where it finds its own hidden folder,
/// or removes that when it is empty.
fn is_looking(calls: &[Call], at: usize) -> bool {
    let call = &calls[at];
    let opens = |call: &Call, what: &str| call.name == "openat" && call.text.contains(what);
    let is_hidden = |call: &Call| opens(call, "\".sealstone-");
    let is_found = is_hidden(call) && calls[..at].iter().any(is_hidden);
    let looks = opens(call, "\".\"") || opens(call, "boot_id") || is_found;
    let changes = |call: &Call| !["openat", "unlinkat"].contains(&call.name.as_str());
    looks || !calls[at..].iter().any(changes)
}

/// An error at each call leaves nothing but whole members that were asked for by name or merged.
fn check_errors(sandbox: &Sandbox, ways: &[Way], least: usize) {
    let mut tried = 0;
    for way in ways {
        let calls = way.calls(sandbox);
        for (at, call) in calls.iter().enumerate().filter(|(_, call)| way.tries(call)) {
            let errors = ["ENOSPC", "EIO", "EDQUOT"];
            let errors = if exhaustive() { &errors[..] } else { &errors[at % 2..=at % 2] };
            for error in errors {
                way.prepare(sandbox);
                let done = way.traced(sandbox).run(&[fails(call, error)]);
                let what = format!("{}, {error} of {}: {done}", way.arguments, call.text);
                let found = way.found(sandbox).unwrap_or_else(|wrong| panic!("{what}{wrong}"));
                tried += 1;
                if is_looking(&calls, at) {
                    assert_eq!((done.status, found), (Some(0), Found::All), "{what}");
                    continue;
                }
                assert_eq!(done.status, Some(1), "{what}");
                assert!(done.stderr.contains("d/out") || done.stderr.contains("sync d:"), "{what}");
                assert!(done.stderr.contains("[io]"), "{what}");
                assert!(!way.members.is_empty() || way.exists || found == Found::Before, "{what}{found:?}");
                assert_eq!(hidden(sandbox), [""; 0], "{what}");
                if !way.exists && found == Found::Before {
                    assert_eq!(sandbox.names("d"), [""; 0], "{what}");
                }
            }
        }
    }
    assert!(tried >= least, "only {tried} faults");
    println!("{tried} faults");
}

/// An end at each call leaves that too, and hidden folders, which the next run removes.
fn check_kills(sandbox: &Sandbox, ways: &[Way], least: usize) {
    let mut tried = 0;
    let mut left = 0;
    for way in ways {
        for call in way.calls(sandbox).iter().filter(|call| way.tries(call)) {
            way.prepare(sandbox);
            let done = way.traced(sandbox).run(&[format!("inject={}:signal=KILL:when={}", call.name, call.number)]);
            let what = format!("{}, killed at {}: {done}", way.arguments, call.text);
            assert_eq!(done.signal, Some(9), "{what}");
            let found = way.found(sandbox).unwrap_or_else(|wrong| panic!("{what}{wrong}"));
            tried += 1;
            left += hidden(sandbox).len();
            let force = if found == Found::Before || way.exists { "" } else { " --force" };
            let done = sandbox.run(&format!("{} -q --no-sync{force}", way.arguments));
            assert_eq!(done.status, Some(0), "{what}The next run: {done}");
            assert_eq!(way.found(sandbox), Ok(Found::All), "{what}The next run: {done}");
            assert_eq!(hidden(sandbox), [""; 0], "{what}The next run: {done}");
        }
    }
    assert!(tried >= least && left >= least / 2, "only {tried} kills, which left {left}");
    println!("{tried} kills left {left}");
}

#[test]
fn every_error_of_every_call_of_extraction_leaves_whole_members_or_nothing() {
    if !has("strace") {
        return;
    }
    check_errors(&sandbox(), &WAYS, 150);
}

#[test]
fn an_end_at_any_call_of_extraction_leaves_whole_members_or_nothing_and_the_next_run_succeeds() {
    if !has("strace") {
        return;
    }
    check_kills(&sandbox(), &WAYS, 150);
}

/// A sandbox whose folder `d` is on a file system with these traits.
fn on_fuse(traits: Traits) -> Option<(Fuse, Sandbox)> {
    let sandbox = sandbox();
    let mounted = Fuse::mount(&sandbox.path("d"), traits)?;
    Some((mounted, sandbox))
}

#[test]
fn without_flags_of_renaming_an_error_or_an_end_at_any_call_of_extraction_leaves_whole_members_or_nothing() {
    if !has("strace") {
        return;
    }
    // A tree needs hard links only for members that are some.
    for (hard_links, way) in [(true, WAYS[0]), (false, Way { reserves: true, ..WAYS[2] })] {
        let way = Way { only_names: !exhaustive(), ..way };
        let traits = Traits { hard_links, rename_flags: false, ..Traits::default() };
        let Some((_mounted, sandbox)) = on_fuse(traits) else { return };
        check_errors(&sandbox, &[way], 10);
        check_kills(&sandbox, &[way], 10);
    }
}

#[test]
fn an_error_of_closing_a_member_is_not_lost() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    for way in WAYS {
        way.prepare(&sandbox);
        let calls = way.traced(&sandbox).calls("mkdirat,pwrite64,utimensat,close");
        let first = calls.iter().position(|call| call.name == "mkdirat").unwrap();
        // A file gets its time last.
        let closed = calls.windows(2).skip(first).find(|two| two[0].name == "utimensat" && two[1].name == "close");
        way.prepare(&sandbox);
        let done = way.traced(&sandbox).run(&[fails(&closed.expect("a member is closed")[1], "EIO")]);
        assert_eq!(done.status, Some(1), "{}: {done}", way.arguments);
        assert!(done.stderr.contains("close d/out/t/"), "{}: {done}", way.arguments);
        assert_ne!(way.found(&sandbox), Ok(Found::All), "{}", way.arguments);
        assert_eq!(hidden(&sandbox), [""; 0], "{}", way.arguments);
    }
}

#[test]
fn a_signal_at_any_call_of_extraction_leaves_whole_members_or_nothing_and_nothing_hidden() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    let mut tried = 0;
    for way in WAYS {
        let calls = way.calls(&sandbox);
        for (at, call) in calls.iter().enumerate() {
            // The first and the last call of each name, as the run waits for the signal.
            let is_one = !calls[..at].iter().any(|other| other.name == call.name)
                || !calls[at + 1..].iter().any(|other| other.name == call.name);
            if !is_one && !exhaustive() {
                continue;
            }
            way.prepare(&sandbox);
            let mut faults = vec![format!("inject={}:signal=INT:when={}", call.name, call.number)];
            // A later call of another name waits a little for the signal to have its effect; the run may end as well.
            let later = calls[at..].iter().find(|later| later.name != call.name);
            faults.extend(later.map(|later| format!("inject={}:delay_enter=300000:when={}", later.name, later.number)));
            let done = way.traced(&sandbox).run(&faults);
            let what = format!("{}, SIGINT at {}: {done}", way.arguments, call.text);
            assert!(matches!(done.status, Some(0 | 130)), "{what}");
            let found = way.found(&sandbox).unwrap_or_else(|wrong| panic!("{what}{wrong}"));
            assert!(done.status == Some(130) || found == Found::All, "{what}{found:?}");
            assert_eq!(hidden(&sandbox), [""; 0], "{what}");
            tried += 1;
        }
    }
    assert!(tried >= 50, "only {tried} signals");
    println!("{tried} signals");
}

#[test]
fn a_full_disk_is_named_and_leaves_whole_members_or_nothing() {
    if !(has("unshare") && is_root()) {
        return;
    }
    let sandbox = sandbox();
    sandbox.make_folder("u");
    for name in ["u/a", "u/b", "u/c"] {
        sandbox.write(name, noise(600_000));
    }
    sandbox.ok("sealstone encrypt --key-file shared.key --archive -o u.seal u");
    let extract = "sealstone decrypt --extract --key-file shared.key -o d/out";
    for (options, command, left) in [
        ("size=1m", "sealstone encrypt --key-file shared.key --archive -o d/out u".to_owned(), ""),
        ("size=1m", format!("{extract} u.seal"), ""),
        ("size=1m", format!("{extract} --threads 1 u.seal"), ""),
        ("size=1m", format!("cat u.seal | {extract} -"), ""),
        ("size=1m", format!("mkdir d/out; {extract} --force u.seal"), "out\n"),
        ("size=1m", format!("{extract} --threads 1 u.seal u/c u/a"), "out\nout/u\nout/u/a\n"),
        // No room for one more name.
        ("nr_inodes=5", format!("{extract} u.seal"), ""),
        ("nr_inodes=2", format!("{extract} u.seal"), ""),
    ] {
        let list = "cd d; find . -mindepth 1 -printf '%P\\n' | sort";
        let script = format!("mount -t tmpfs -o {options} none d && {{ {command}; echo $?; {list}; }}");
        sandbox.write("script", script);
        let done = sandbox.sh("unshare -m sh script");
        assert_eq!(done.stdout, format!("1\n{left}"), "{command}: {done}");
        assert!(done.stderr.contains("d/out") && done.stderr.contains("No space left"), "{command}: {done}");
        assert!(done.stderr.contains("sealstone: hint: free some space"), "{command}: {done}");
    }
}

/// The calls that read a tree.
const READING: &str = "newfstatat,fstat,openat,pread64,getdents64,readlinkat,lseek";
const ARCHIVE: &str = "encrypt --archive --no-compress --key-file shared.key -o d/out t";

/// The members of the archive `d/out`, by extraction, which checks them all.
fn archived(sandbox: &Sandbox) -> BTreeMap<PathBuf, (String, String)> {
    let _ = fs::remove_dir_all(sandbox.path("back"));
    sandbox.ok("sealstone decrypt --extract --no-sync --key-file shared.key -o back d/out");
    facts(&sandbox.path("back/t"))
}

/// Asserts that a run has made a consistent archive with all members but those that it names.
fn check_archive(sandbox: &Sandbox, expected: &BTreeMap<PathBuf, (String, String)>, done: &Done, what: &str) {
    let found = archived(sandbox);
    let is_named = |path: &Path| {
        // A second name of a file has its content.
        let file = if path == Path::new("t/h") { Path::new("t/a") } else { path };
        path.ancestors().chain([file]).filter(|path| path.components().count() > 1).any(|path| {
            let name = path.to_str().unwrap();
            let mut lines = done.stderr.lines().filter(|line| line.contains("left out"));
            lines.any(|line| line.split(' ').any(|word| word.trim_end_matches(':') == name))
        })
    };
    let lacks: Vec<&PathBuf> =
        expected.iter().filter(|(path, fact)| found.get(*path) != Some(fact)).map(|(path, _)| path).collect();
    let unnamed: Vec<_> = lacks.iter().filter(|path| !is_named(path)).collect();
    assert!(unnamed.is_empty(), "{what}: nothing is said of {unnamed:?}: {done}");
    let strange: Vec<_> = found.keys().filter(|path| !expected.contains_key(*path)).collect();
    assert!(strange.is_empty(), "{what}: where is {strange:?} from? {done}");
    let is_said = done.status == Some(1) && done.stderr.contains("[incomplete_archive]");
    assert!(if lacks.is_empty() { done.status == Some(0) || is_said } else { is_said }, "{what}: {done}");
}

#[test]
fn every_error_of_every_call_that_reads_a_member_is_said_and_the_archive_has_all_others() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    let expected = facts(&sandbox.path("t"));
    let traced = Traced { sandbox: &sandbox, arguments: ARCHIVE, given: &[] };
    let calls = traced.calls(READING);
    let first =
        calls.iter().position(|call| call.text.starts_with("newfstatat(AT_FDCWD, \"t\"")).expect("t is looked at");
    let (mut tried, mut incomplete) = (0, 0);
    for (at, call) in calls.iter().enumerate().skip(first) {
        let errors = ["EIO", "EACCES", "ENOENT", "EMFILE", "ESTALE"];
        let errors = if exhaustive() { &errors[..] } else { &errors[at % 2..=at % 2] };
        for error in errors {
            let _ = fs::remove_file(sandbox.path("d/out"));
            let done = traced.run(&[fails(call, error)]);
            let what = format!("{error} of {}", call.text);
            tried += 1;
            if sandbox.path("d/out").exists() {
                check_archive(&sandbox, &expected, &done, &what);
                incomplete += usize::from(done.status == Some(1));
                assert_eq!(sandbox.names("d"), ["out"], "{what}");
            } else {
                // The folder that was named, or the output.
                assert_eq!(done.status, Some(1), "{what}: {done}");
                let named = [" t:", " d/out:", " d:"].iter().any(|name| done.stderr.contains(name));
                let codes = ["[io]", "t changed while it was read [input_changed]"];
                assert!(codes.iter().any(|code| done.stderr.contains(code)), "{what}: {done}");
                assert!(named || done.stderr.contains(codes[1]), "{what}: {done}");
                assert_eq!(sandbox.names("d"), [""; 0], "{what}");
            }
        }
    }
    assert!(tried >= 45 && incomplete >= 30, "{incomplete} of only {tried} faults");
    println!("{incomplete} incomplete of {tried} faults");
}

#[test]
fn interrupted_calls_on_members_are_repeated() {
    if !has("strace") {
        return;
    }
    let sandbox = sandbox();
    let expected = facts(&sandbox.path("t"));
    let traced = Traced { sandbox: &sandbox, arguments: ARCHIVE, given: &[] };
    // The loader of programs reads so, too.
    let first = traced.find("pread64", "attack at dawn").number;
    for when in [format!("{first}"), format!("{first}+2"), format!("{first}..{}", first + 1)] {
        remove(&sandbox.path("d/out"));
        let done = traced.run(&[format!("inject=pread64:error=EINTR:when={when}")]);
        assert_eq!(done.status, Some(0), "EINTR of pread64 {when}: {done}");
        assert_eq!(archived(&sandbox), expected, "EINTR of pread64 {when}");
    }
    for way in WAYS {
        for call in ["pwrite64", "syncfs", "fsync"] {
            for when in ["1", "1+2", "2..3"] {
                way.prepare(&sandbox);
                let done = way.traced(&sandbox).run(&[format!("inject={call}:error=EINTR:when={when}")]);
                assert_eq!(done.status, Some(0), "{}: EINTR of {call} {when}: {done}", way.arguments);
                assert_eq!(way.found(&sandbox), Ok(Found::All), "{}: EINTR of {call} {when}", way.arguments);
            }
        }
    }
}

/// Changes something beneath a folder.
type Change = fn(&Path);

fn grow(path: &Path) {
    use std::io::Write;
    fs::OpenOptions::new().append(true).open(path).unwrap().write_all(b"more").unwrap();
}

fn shrink(path: &Path) {
    fs::OpenOptions::new().write(true).open(path).unwrap().set_len(0).unwrap();
}

fn grow_much(path: &Path) {
    fs::OpenOptions::new().write(true).open(path).unwrap().set_len(1 << 20).unwrap();
}

fn touch(path: &Path) {
    fs::File::open(path).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
}

fn remove(path: &Path) {
    if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
}

/// Another file of the same length and time.
fn replace(path: &Path) {
    let (content, modified) = (fs::read(path).unwrap(), fs::metadata(path).unwrap().modified().unwrap());
    let other = path.with_file_name("other");
    fs::write(&other, content.iter().map(|byte| byte ^ 1).collect::<Vec<_>>()).unwrap();
    fs::File::open(&other).unwrap().set_modified(modified).unwrap();
    fs::rename(other, path).unwrap();
}

fn link_out(path: &Path) {
    remove(path);
    symlink("../../secret", path).unwrap();
}

fn fifo(path: &Path) {
    remove(path);
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
}

/// A folder that is another one, since the old one is still there.
fn folder(path: &Path) {
    fs::rename(path, path.with_file_name("other")).unwrap();
    fs::create_dir(path).unwrap();
}

fn file(path: &Path) {
    remove(path);
    fs::write(path, "a file").unwrap();
}

/// A change at a moment.
struct Moment {
    /// The call and a part of its text; the change comes after the call.
    after: (&'static str, &'static str),
    what: &'static str,
    change: Change,
    /// The code that is said of it, or none if nothing is.
    code: &'static str,
    /// Whether the member is in the archive, in any state.
    is_there: bool,
}

const fn moment(
    after: (&'static str, &'static str),
    what: &'static str,
    change: Change,
    code: &'static str,
    is_there: bool,
) -> Moment {
    Moment { after, what, change, code, is_there }
}

const LISTED: (&str, &str) = ("getdents64", "/* 4 entries */");
const STAT: (&str, &str) = ("newfstatat", "\"b\"");
const OPENED: (&str, &str) = ("openat", "\"b\"");
const STAT_BIG: (&str, &str) = ("newfstatat", "\"big\"");
const OPENED_BIG: (&str, &str) = ("openat", "\"big\"");
const MEASURED_BIG: (&str, &str) = ("fstat", "st_size=300000");
const READ_BIG: (&str, &str) = ("pread64", ", 300000, 0)");
const STAT_FOLDER: (&str, &str) = ("newfstatat", "\"f\"");
const OPENED_FOLDER: (&str, &str) = ("openat", "\"f\"");
const STAT_LINK: (&str, &str) = ("newfstatat", "\"l\"");

const MOMENTS: &[Moment] = &[
    moment(LISTED, "t/f/b", remove, "io", false),
    moment(STAT, "t/f/b", remove, "io", false),
    moment(OPENED, "t/f/b", remove, "", true),
    moment(STAT, "t/f/b", grow, "input_changed", true),
    moment(STAT, "t/f/b", shrink, "input_changed", true),
    moment(STAT, "t/f/b", touch, "input_changed", true),
    moment(STAT, "t/f/b", grow_much, "input_changed", true),
    moment(STAT, "t/f/b", replace, "input_changed", false),
    moment(STAT, "t/f/b", link_out, "io", false),
    moment(STAT, "t/f/b", fifo, "input_changed", false),
    moment(STAT, "t/f/b", folder, "input_changed", false),
    moment(OPENED, "t/f/b", grow, "input_changed", true),
    moment(OPENED, "t/f/b", shrink, "input_changed", true),
    moment(OPENED, "t/f/b", touch, "input_changed", true),
    moment(OPENED, "t/f/b", replace, "", true),
    moment(STAT_BIG, "t/big", remove, "io", false),
    moment(STAT_BIG, "t/big", replace, "input_changed", false),
    moment(OPENED_BIG, "t/big", remove, "", true),
    moment(MEASURED_BIG, "t/big", grow, "input_changed", true),
    moment(MEASURED_BIG, "t/big", shrink, "input_changed", true),
    moment(READ_BIG, "t/big", touch, "input_changed", true),
    moment(READ_BIG, "t/big", grow, "input_changed", true),
    moment(READ_BIG, "t/big", shrink, "input_changed", true),
    moment(STAT_FOLDER, "t/f", remove, "io", true),
    moment(STAT_FOLDER, "t/f", link_out, "io", true),
    moment(STAT_FOLDER, "t/f", folder, "input_changed", true),
    moment(STAT_FOLDER, "t/f", file, "io", true),
    moment(OPENED_FOLDER, "t/f", remove, "io", true),
    moment(STAT_LINK, "t/l", remove, "io", false),
    moment(STAT_LINK, "t/l", file, "input_changed", false),
];

#[test]
fn a_member_that_changes_or_vanishes_is_said_and_the_archive_stays_consistent() {
    if !has("strace") {
        return;
    }
    for one in MOMENTS {
        let sandbox = sandbox();
        sandbox.write("secret", "secret");
        let mut expected = facts(&sandbox.path("t"));
        let traced = Traced { sandbox: &sandbox, arguments: ARCHIVE, given: &[] };
        let call = traced.find(one.after.0, one.after.1);
        remove(&sandbox.path("d/out"));
        let what = format!("{} after {}", one.what, call.text);
        let child = traced.start(&[format!("inject={}:signal=STOP:when={}", call.name, call.number)]);
        traced.wait_for("stopped by SIGSTOP");
        (one.change)(&sandbox.path(one.what));
        sandbox.ok(&format!("kill -CONT {}", child.id()));
        let done: Done = child.wait_with_output().unwrap().into();
        assert_eq!(sandbox.names("d"), ["out"], "{what}: {done}");
        sandbox.ok("sealstone verify -q --key-file shared.key d/out");
        let found = archived(&sandbox);
        assert_eq!(found.contains_key(Path::new(one.what)), one.is_there, "{what}: {done}");
        assert!(!found.values().any(|(content, _)| content.contains("secret")), "{what}: {done}");
        if one.code.is_empty() {
            assert_eq!(done.status, Some(0), "{what}: {done}");
        } else {
            assert_eq!(done.status, Some(1), "{what}: {done}");
            let says = |line: &str| line.contains(one.what) && line.ends_with(&format!("[{}]", one.code));
            assert!(done.stderr.lines().any(says), "{what}: {done}");
            assert!(done.stderr.contains("[incomplete_archive]"), "{what}: {done}");
            expected.retain(|path, _| !path.starts_with(one.what));
        }
        // A name less, and the folder changes.
        expected.retain(|path, _| path != Path::new("t") && path != Path::new("t/f"));
        for (path, fact) in expected {
            if !(one.what == "t/f" && path.starts_with("t/f")) {
                assert_eq!(found.get(&path), Some(&fact), "{what}: {}", path.display());
            }
        }
    }
}
