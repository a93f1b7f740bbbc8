//! Tests of walks over trees, also of trees that change meanwhile.

use super::super::{attributes, read_at, regions};
use super::*;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, symlink};
use tempfile::tempdir;

fn below(path: &Path) -> Vec<Root> {
    vec![Root { name: Vec::new(), path: path.to_path_buf() }]
}

fn named(name: &str, path: &Path) -> Root {
    Root { name: name.into(), path: path.to_path_buf() }
}

/// The steps as text: the path, with `/` behind a folder's and the target behind a link's; the code of an error.
fn steps(mut walk: Walk<'_>) -> Vec<String> {
    let mut steps = Vec::new();
    while let Some(step) = walk.next() {
        steps.push(match step {
            Step::Found(found) => {
                let path = String::from_utf8_lossy(found.path).into_owned();
                match found.meta.kind {
                    Kind::File => path,
                    Kind::Folder => path + "/",
                    Kind::SymbolicLink => format!("{path} -> {}", String::from_utf8_lossy(found.target)),
                }
            }
            Step::Left(left) => format!("{}: {}", String::from_utf8_lossy(left.path), left.why.code()),
        });
    }
    steps
}

fn walked(roots: Vec<Root>) -> Vec<String> {
    steps(Walk::new(roots, WalkOptions::default()))
}

/// Compares paths as an archive does.
fn key(path: &[u8]) -> Vec<u16> {
    path.iter().map(|byte| if *byte == b'/' { 0 } else { u16::from(*byte) + 1 }).collect()
}

#[test]
fn members_come_in_the_order_of_their_paths_where_a_slash_is_least() {
    let place = tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    fs::create_dir_all(path("a/b")).unwrap();
    fs::create_dir(path("empty")).unwrap();
    for name in ["a-b", "a.b", "a/b/c", "a/b-", "a/z", "b", "A", "a\u{1}"] {
        fs::write(path(name), name).unwrap();
    }
    symlink("none/../..", path("l")).unwrap();
    let expected =
        ["A", "a/", "a/b/", "a/b/c", "a/b-", "a/z", "a\u{1}", "a-b", "a.b", "b", "empty/", "l -> none/../.."];
    assert_eq!(walked(below(place.path())), expected);

    let roots = vec![named("z", &path("a")), named("m", &path("b")), named("l", &path("l"))];
    assert_eq!(walked(roots), ["l -> none/../..", "m", "z/", "z/b/", "z/b/c", "z/b-", "z/z"]);
}

#[test]
fn names_are_bytes_and_paths_may_be_long() {
    let place = tempdir().unwrap();
    let raw = OsStr::from_bytes(b"\xff\xfe \n");
    fs::write(place.path().join(raw), "").unwrap();
    let long = format!("{}/{}", "d".repeat(200), "f".repeat(250));
    fs::create_dir(place.path().join("d".repeat(200))).unwrap();
    fs::write(place.path().join(&long), "").unwrap();
    let mut walk = Walk::new(below(place.path()), WalkOptions::default());
    let mut paths = Vec::new();
    while let Some(Step::Found(found)) = walk.next() {
        paths.push(found.path.to_vec());
    }
    assert_eq!(paths, ["d".repeat(200).into_bytes(), long.into_bytes(), raw.as_bytes().to_vec()]);
}

#[test]
fn metadata_is_that_of_the_file() {
    let place = tempdir().unwrap();
    let path = place.path().join("file");
    fs::write(&path, "12345").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o4751)).unwrap();
    fs::hard_link(&path, place.path().join("other")).unwrap();
    let expected = fs::metadata(&path).unwrap();
    let mut walk = Walk::new(below(place.path()), WalkOptions::default());
    let Some(Step::Found(found)) = walk.next() else { panic!() };
    let meta = found.meta;
    assert_eq!((meta.kind, meta.mode, meta.len, meta.links), (Kind::File, 0o4751, 5, 2));
    assert_eq!(meta.modified, (expected.mtime(), u32::try_from(expected.mtime_nsec()).unwrap()));
    assert_eq!((meta.owner, meta.group, meta.id), (expected.uid(), expected.gid(), FileId::from(&expected)));
    let (place, path) = (found.place(), found.path.to_vec());
    let (file, opened) = std::thread::spawn(move || place.open(&path).unwrap()).join().unwrap();
    assert!(opened.is_unchanged(&meta));
    let mut bytes = [0; 10];
    assert_eq!((read_at(&file, &mut bytes, 2).unwrap(), &bytes[..3]), (3, &b"345"[..]));
    let Some(Step::Found(found)) = walk.next() else { panic!() };
    assert_eq!(found.meta.id, meta.id);
}

#[test]
fn over_256_levels_are_left_out_and_reported() {
    let place = tempdir().unwrap();
    // Paths of the system are shorter than the tree is deep, so it is made folder by folder.
    let mut folder = Folder::open(place.path()).unwrap();
    folder = os::open_below(&folder, b".").unwrap();
    for _ in 0..260 {
        os::make_folder(&folder, b"d", 0o700).unwrap();
        folder = os::open_below(&folder, b"d").unwrap();
    }
    for (roots, is_named) in [(below(place.path()), false), (vec![named("r", place.path())], true)] {
        let steps = walked(roots);
        assert_eq!(steps.len(), DEPTH_MAX + 1, "{is_named}");
        let last = &steps[DEPTH_MAX];
        assert!(last.ends_with("d: io"), "{last}");
        assert_eq!(last.matches('/').count(), DEPTH_MAX - 1);
        assert!(steps[..DEPTH_MAX].iter().all(|step| step.ends_with('/')));
    }
    let name = place.path().file_name().unwrap().as_bytes();
    let parent = os::open_to_list(place.path().parent().unwrap()).unwrap();
    let id = crate::pipeline::FileId::from(&std::fs::metadata(place.path()).unwrap());
    crate::pipeline::removal::remove_tree(&parent, name, id).unwrap();
    assert!(!place.path().exists());
}

#[test]
fn what_no_member_can_be_is_left_out_and_the_walk_goes_on() {
    let place = tempdir().unwrap();
    fs::write(place.path().join("a"), "").unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(place.path().join("b")).unwrap();
    fs::write(place.path().join("c"), "").unwrap();
    assert_eq!(walked(below(place.path())), ["a", "b: not_regular_file", "c"]);
    let missing = vec![named("x", &place.path().join("none")), named("y", &place.path().join("c"))];
    assert_eq!(walked(missing), ["x: io", "y"]);
    assert_eq!(walked(below(&place.path().join("c"))), [": io"]);
}

#[test]
fn what_vanishes_is_left_out_and_named_as_the_user_would() {
    let place = tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    fs::create_dir_all(path("top/a")).unwrap();
    fs::write(path("top/b"), "").unwrap();
    fs::write(path("top/c"), "").unwrap();
    let mut walk = Walk::new(vec![named("r", &path("top"))], WalkOptions::default());
    assert!(matches!(walk.next(), Some(Step::Found(found)) if found.path == b"r"));
    assert!(matches!(walk.next(), Some(Step::Found(found)) if found.path == b"r/a"));
    fs::remove_dir(path("top/a")).unwrap();
    fs::remove_file(path("top/b")).unwrap();
    for name in ["a", "b"] {
        let Some(Step::Left(left)) = walk.next() else { panic!() };
        assert_eq!(left.path, format!("r/{name}").as_bytes());
        let Error::Io { path: Some(shown), source, .. } = left.why else { panic!() };
        assert_eq!((shown, source.kind()), (path("top").join(name), ErrorKind::NotFound));
    }
    assert!(matches!(walk.next(), Some(Step::Found(found)) if found.path == b"r/c"));
    assert!(walk.next().is_none());
}

#[test]
fn a_link_in_the_place_of_a_folder_or_file_is_not_followed() {
    let (place, outside) = (tempdir().unwrap(), tempdir().unwrap());
    let path = |name: &str| place.path().join(name);
    fs::write(outside.path().join("secret"), "secret").unwrap();
    fs::create_dir(path("a")).unwrap();
    fs::write(path("a/x"), "").unwrap();
    fs::write(path("f"), "").unwrap();
    let mut walk = Walk::new(below(place.path()), WalkOptions::default());
    assert!(matches!(walk.next(), Some(Step::Found(found)) if found.path == b"a"));
    fs::rename(path("a"), path("away")).unwrap();
    symlink(outside.path(), path("a")).unwrap();
    assert!(matches!(walk.next(), Some(Step::Left(left)) if left.path == b"a"));
    let Some(Step::Found(found)) = walk.next() else { panic!() };
    assert_eq!(found.path, b"f");
    let file = found.place();
    fs::remove_file(path("f")).unwrap();
    symlink(outside.path().join("secret"), path("f")).unwrap();
    assert_eq!(file.open(b"f").unwrap_err().code(), "io");
    // Nor is another file of the name taken for the one that was found.
    fs::remove_file(path("f")).unwrap();
    fs::rename(path("away/x"), path("f")).unwrap();
    assert_eq!(file.open(b"f").unwrap_err().code(), "input_changed");
}

#[test]
fn an_opened_folder_stays_the_one_that_was_found() {
    let place = tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    fs::create_dir(path("a")).unwrap();
    fs::create_dir(path("b")).unwrap();
    fs::write(path("b/wrong"), "").unwrap();
    let mut walk = Walk::new(below(place.path()), WalkOptions::default());
    assert!(matches!(walk.next(), Some(Step::Found(found)) if found.path == b"a"));
    fs::rename(path("a"), path("c")).unwrap();
    fs::rename(path("b"), path("a")).unwrap();
    assert!(matches!(walk.next(), Some(Step::Left(left)) if left.why.code() == "input_changed"));
}

#[test]
fn the_root_itself_may_be_a_link_to_a_folder() {
    let place = tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    fs::create_dir(path("real")).unwrap();
    fs::write(path("real/x"), "").unwrap();
    symlink("real", path("link")).unwrap();
    symlink("real/x", path("file")).unwrap();
    symlink("none", path("dangling")).unwrap();
    assert_eq!(walked(below(&path("link"))), ["x"]);
    assert_eq!(walked(vec![named("r", &path("link"))]), ["r/", "r/x"]);
    assert_eq!(walked(vec![named("r", &path("file"))]), ["r -> real/x"]);
    assert_eq!(walked(vec![named("r", &path("dangling"))]), ["r -> none"]);
    let mut walk = Walk::new(vec![named("r", &path("real")), named("s", &path("real/x"))], WalkOptions::default());
    let mut opened = Vec::new();
    while let Some(Step::Found(found)) = walk.next() {
        let (_, meta) = found.place().open(found.path).unwrap();
        opened.push((meta.kind, found.place().shown(found.path)));
    }
    let expected = [(Kind::Folder, path("real")), (Kind::File, path("real/x")), (Kind::File, path("real/x"))];
    assert_eq!(opened, expected);
}

#[test]
fn an_excluded_folder_is_not_opened() {
    let place = tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    fs::create_dir_all(path("cache/deep")).unwrap();
    fs::create_dir(path("src")).unwrap();
    fs::write(path("src/a.o"), "").unwrap();
    fs::write(path("src/a.rs"), "").unwrap();
    let mut asked = Vec::new();
    let excluded = |member: &[u8], is_folder: bool| {
        asked.push((String::from_utf8(member.to_vec()).unwrap(), is_folder));
        member == b"cache" || member.ends_with(b".o")
    };
    let options = WalkOptions { one_file_system: true, excluded: Box::new(excluded) };
    assert_eq!(steps(Walk::new(below(place.path()), options)), ["src/", "src/a.rs"]);
    let expected = [("cache", true), ("src", true), ("src/a.o", false), ("src/a.rs", false)];
    assert_eq!(asked, expected.map(|(name, is_folder)| (name.to_owned(), is_folder)));
}

#[test]
fn a_folder_of_another_device_is_given_and_not_entered() {
    // The device of the root is not that of the folder.
    let place = tempdir().unwrap();
    fs::create_dir(place.path().join("a")).unwrap();
    fs::write(place.path().join("a/x"), "").unwrap();
    for (one_file_system, expected) in [(false, vec!["a/", "a/x"]), (true, vec!["a/"])] {
        let mut walk = Walk::new(below(place.path()), WalkOptions { one_file_system, ..WalkOptions::default() });
        let mut found = Vec::new();
        while let Some(Step::Found(step)) = walk.next() {
            let end = if step.meta.kind == Kind::Folder { "/" } else { "" };
            found.push(String::from_utf8_lossy(step.path).into_owned() + end);
            walk.device = walk.device.wrapping_add(1);
        }
        assert_eq!(found, expected);
    }
}

#[test]
fn the_names_of_a_folder_take_a_few_bytes_each_and_come_in_order() {
    let place = tempdir().unwrap();
    let count = 100_000;
    for i in 0..count {
        fs::write(place.path().join(format!("{i}")), "").unwrap();
    }
    let mut walk = Walk::new(below(place.path()), WalkOptions::default());
    let (mut before, mut found) = (Vec::new(), 0);
    while let Some(Step::Found(step)) = walk.next() {
        assert!(before < key(step.path));
        before = key(step.path);
        found += 1;
    }
    assert_eq!(found, count);
    let (mut names, error) = Names::of(&os::open_to_list(place.path()).unwrap());
    assert!(error.is_none());
    names.sort();
    // Names of at most 5 bytes, and 6 more for each.
    assert!(names.memory() <= count * 11, "{}", names.memory());
}

#[test]
fn regions_are_the_parts_without_holes() {
    let place = tempdir().unwrap();
    let path = place.path().join("sparse");
    let file = File::options().read(true).write(true).create_new(true).open(&path).unwrap();
    file.set_len(8 << 20).unwrap();
    file.write_all_at(b"x", 4 << 20).unwrap();
    let found = regions(&file, 8 << 20).unwrap().unwrap();
    assert!(found.iter().any(|region| region.contains(&(4 << 20))));
    assert!(found.windows(2).all(|two| two[0].end <= two[1].start));
    assert!(found.iter().all(|region| region.start < region.end && region.end <= 8 << 20));
    assert_eq!(os::regions(&file, 8 << 20, 0).unwrap(), None);
    assert_eq!(regions(&file, 0).unwrap().unwrap(), []);
    let meta = Meta::of(&file).unwrap().unwrap();
    // Where the file system stores holes, they are found.
    assert_eq!(meta.may_have_holes(), found.iter().map(|region| region.end - region.start).sum::<u64>() < 8 << 20);
}

/// The tests of attributes need a file system that has them.
pub(in super::super) fn skip() {
    assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "skipped: there are no extended attributes here");
    println!("skipped: there are no extended attributes here");
}

#[test]
fn attributes_are_those_of_users_in_the_order_of_their_names() {
    let place = tempdir().unwrap();
    let file = File::create(place.path().join("file")).unwrap();
    assert_eq!(attributes(&file).unwrap(), []);
    let set = |name: &str, value: &[u8]| os::set_attribute(Opened::File(&file), name.as_bytes(), value);
    if set("user.b", b"2").is_err_and(|error| error.kind() == ErrorKind::Unsupported) {
        skip();
        return;
    }
    set("user.a", &[7; 300]).unwrap();
    set("user.empty", b"").unwrap();
    let mut expected = vec![(b"user.a".to_vec(), vec![7; 300]), (b"user.b".to_vec(), b"2".to_vec())];
    expected.push((b"user.empty".to_vec(), Vec::new()));
    assert_eq!(attributes(&file).unwrap(), expected);
    // More names than most files have.
    for i in 0..40 {
        set(&format!("user.name-{i:02}"), b"").unwrap();
    }
    assert_eq!(attributes(&file).unwrap().len(), 43);
}

#[test]
fn owners_have_names_where_the_system_knows_them() {
    let owners = super::super::Owners::read();
    assert_eq!(owners.user(0), Some("root"));
    assert_eq!((owners.user(0x7fff_fff0), owners.group(0x7fff_fff0)), (None, None));
}
