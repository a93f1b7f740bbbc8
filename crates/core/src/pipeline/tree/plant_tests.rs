//! Tests of trees that are made, also of those that fail, are attacked, or are ended by a signal.

use super::super::super::temporary::tests::alone;
use super::super::super::temporary::{all, remove_temporaries};
use super::super::attributes;
use super::super::walk::tests::skip;
use super::*;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::sync::MutexGuard;
use tempfile::{TempDir, tempdir};

const TIME: (i64, u32) = (1_700_000_000, 123_456_789);

fn finish(mode: u32) -> Finish<'static> {
    Finish { mode, modified: TIME, owner: None, attributes: &[] }
}

const QUICK: PlantOptions = PlantOptions { sync: false, special_bits: false, owners: false, attributes: false };

/// A folder, and nobody else's temporary names.
fn place() -> (TempDir, MutexGuard<'static, ()>) {
    let alone = alone();
    (tempdir().unwrap(), alone)
}

/// All names below a folder.
fn names(folder: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type().unwrap().is_dir() {
            names.extend(self::names(&entry.path()).iter().map(|below| format!("{name}/{below}")));
        }
        names.insert(name);
    }
    names
}

fn is<const N: usize>(folder: &Path, expected: [&str; N]) {
    assert_eq!(names(folder), expected.map(str::to_owned).into_iter().collect());
}

fn file(plant: &mut Plant, path: &str, content: &str) -> Result<()> {
    let file = plant.parent(path.as_bytes())?.create(path.as_bytes(), 0o644)?;
    file.write_at(content.as_bytes(), 0)?;
    let finished = file.finish(&finish(0o644))?;
    plant.publish_one(finished)
}

fn folder(plant: &mut Plant, path: &str) -> Parent {
    plant.folder(path.as_bytes(), &finish(0o755)).unwrap()
}

fn new(target: &Path) -> Plant {
    Plant::new(target, Existing::Refuse, QUICK).unwrap()
}

fn code<T>(result: Result<T>) -> &'static str {
    result.err().unwrap().code()
}

fn modified(path: &Path) -> (i64, u32) {
    let metadata = fs::symlink_metadata(path).unwrap();
    (metadata.mtime(), u32::try_from(metadata.mtime_nsec()).unwrap())
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().mode() & 0o7777
}

/// Lets the end of the test remove a folder, also if this is not root.
fn reopen(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o700)).unwrap();
}

/// The mode of a folder of another program, with the umask of this process.
fn usual_mode(folder: &Path) -> u32 {
    let path = folder.join("usual");
    fs::create_dir(&path).unwrap();
    let mode = mode(&path);
    fs::remove_dir(&path).unwrap();
    mode
}

#[test]
fn a_tree_gets_its_name_only_when_it_is_complete() {
    let (place, _alone) = place();
    let target = place.path().join("out");
    for sync in [false, true] {
        let options = PlantOptions { sync, ..QUICK };
        let mut plant = Plant::new(&target, Existing::Refuse, options).unwrap();
        let inner = plant.folder(b"a", &finish(0o750)).unwrap();
        let planted = inner.create(b"a/b", 0o640).unwrap();
        planted.write_at(b"world", 6).unwrap();
        planted.write_at(b"hello ", 0).unwrap();
        let _ = planted.finish(&finish(0o640)).unwrap();
        file(&mut plant, "c", "").unwrap();
        plant.symbolic_link(b"a/l", b"../../anywhere", &finish(0o777)).unwrap();
        plant.hard_link(b"h", b"a/b").unwrap();
        assert!(!target.exists());
        let hidden = fs::read_dir(place.path()).unwrap().next().unwrap().unwrap();
        assert!(hidden.file_name().to_str().unwrap().starts_with(".sealstone-"));
        assert_eq!(mode(&hidden.path()), 0o700);
        plant.publish().unwrap();
        is(place.path(), ["out", "out/a", "out/a/b", "out/a/l", "out/c", "out/h"]);
        assert_eq!(fs::read(target.join("a/b")).unwrap(), b"hello world");
        assert_eq!(fs::read_link(target.join("a/l")).unwrap(), Path::new("../../anywhere"));
        assert_eq!(fs::metadata(target.join("h")).unwrap().ino(), fs::metadata(target.join("a/b")).unwrap().ino());
        for (name, bits) in [("a", 0o750), ("a/b", 0o640), ("c", 0o644)] {
            assert_eq!((mode(&target.join(name)), modified(&target.join(name))), (bits, TIME), "{name}");
        }
        assert_eq!(modified(&target.join("a/l")), TIME);
        assert_eq!(mode(&target), usual_mode(place.path()));
        assert!(all().is_empty());
        fs::remove_dir_all(&target).unwrap();
    }
}

#[test]
fn every_mode_and_time_is_exact_and_special_bits_need_the_option() {
    let (place, _alone) = place();
    for special_bits in [false, true] {
        let target = place.path().join(format!("{special_bits}"));
        let options = PlantOptions { special_bits, ..QUICK };
        let mut plant = Plant::new(&target, Existing::Refuse, options).unwrap();
        let modes = [0, 0o400, 0o444, 0o600, 0o644, 0o666, 0o755, 0o777, 0o4755, 0o2070, 0o1600];
        let times = [(-5, 999_999_999), (0, 0), (1 << 33, 1)];
        let at = |i: usize| Finish { modified: times[i % times.len()], ..finish(modes[i]) };
        for (i, _) in modes.iter().enumerate() {
            plant.folder(format!("d{i}").as_bytes(), &at(i)).unwrap();
        }
        for (i, bits) in modes.iter().enumerate() {
            let path = format!("f{i}");
            let file = plant.parent(path.as_bytes()).unwrap().create(path.as_bytes(), *bits).unwrap();
            let _ = file.finish(&at(i)).unwrap();
        }
        plant.publish().unwrap();
        for (i, bits) in modes.iter().enumerate() {
            let bits = if special_bits { *bits } else { bits & 0o777 };
            for kind in ["d", "f"] {
                let path = target.join(format!("{kind}{i}"));
                assert_eq!((mode(&path), modified(&path)), (bits, times[i % times.len()]), "{path:?}");
            }
        }
        for i in 0..modes.len() {
            reopen(&target.join(format!("d{i}")));
        }
    }
}

#[test]
fn folders_get_their_modes_after_what_is_in_them() {
    let (place, _alone) = place();
    let target = place.path().join("out");
    let mut plant = new(&target);
    for path in ["a", "a/b", "a/b/c", "a/d"] {
        plant.folder(path.as_bytes(), &finish(0o500)).unwrap();
        file(&mut plant, &format!("{path}/file"), "").unwrap();
    }
    plant.publish().unwrap();
    for path in ["a", "a/b", "a/b/c", "a/d"] {
        assert_eq!((mode(&target.join(path)), modified(&target.join(path))), (0o500, TIME), "{path}");
    }
    for path in ["a", "a/b", "a/b/c", "a/d"] {
        reopen(&target.join(path));
    }
}

#[test]
fn an_existing_target_is_refused_before_and_at_the_end() {
    let (place, _alone) = place();
    let target = place.path().join("out");
    let mut plant = new(&target);
    file(&mut plant, "a", "").unwrap();
    fs::create_dir(&target).unwrap();
    assert_eq!(code(plant.publish()), "output_exists");
    is(place.path(), ["out"]);
    assert_eq!(code(Plant::new(&target, Existing::Refuse, QUICK)), "output_exists");
    fs::remove_dir(&target).unwrap();
    symlink("nowhere", &target).unwrap();
    assert_eq!(code(Plant::new(&target, Existing::Refuse, QUICK)), "output_exists");
    assert_eq!(code(Plant::new(&target, Existing::Replace, QUICK)), "io");
    fs::remove_file(&target).unwrap();
    fs::write(&target, "").unwrap();
    assert_eq!(code(Plant::new(&target, Existing::Refuse, QUICK)), "output_exists");
    assert_eq!(code(Plant::new(&target, Existing::Replace, QUICK)), "io");
    assert_eq!(code(Plant::new(&place.path().join("none/out"), Existing::Refuse, QUICK)), "io");
    is(place.path(), ["out"]);
    assert!(all().is_empty());
}

#[test]
fn without_a_call_for_unused_names_no_name_is_taken_from_others() {
    let (place, _alone) = place();
    let path = |name: &str| place.path().join(name);
    let top = os::open_to_list(place.path()).unwrap();
    fs::create_dir(path("tree")).unwrap();
    fs::write(path("tree/x"), "new").unwrap();
    fs::write(path("file"), "new").unwrap();
    fs::create_dir_all(path("folder/theirs")).unwrap();
    fs::write(path("theirs"), "theirs").unwrap();
    symlink("folder", path("link")).unwrap();
    for taken in ["folder", "theirs", "link"] {
        let to = (&top, taken.as_bytes());
        let error = move_folder_to_unused((&top, b"tree"), to).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{taken}");
        for moved in [move_to_unused((&top, b"file"), to), move_over_reserved((&top, b"file"), to)] {
            assert_eq!(moved.unwrap_err().kind(), ErrorKind::AlreadyExists, "{taken}");
        }
    }
    move_folder_to_unused((&top, b"tree"), (&top, b"moved")).unwrap();
    move_over_reserved((&top, b"file"), (&top, b"reserved")).unwrap();
    is(place.path(), ["folder", "folder/theirs", "link", "moved", "moved/x", "reserved", "theirs"]);
    assert_eq!(fs::read(path("reserved")).unwrap(), b"new");
    assert_eq!(fs::read(path("theirs")).unwrap(), b"theirs");
    // What cannot be renamed gives the reserved name back.
    assert!(move_over_reserved((&top, b"none"), (&top, b"given-back")).is_err());
    assert!(!path("given-back").exists());
}

#[test]
fn two_members_of_one_name_are_an_error_that_names_it() {
    let (place, _alone) = place();
    let target = place.path().join("out");
    let mut plant = new(&target);
    let parent = folder(&mut plant, "a");
    file(&mut plant, "a/f", "").unwrap();
    let collided = [
        plant.folder(b"a", &finish(0o755)).err().unwrap(),
        plant.folder(b"a/f", &finish(0o755)).err().unwrap(),
        parent.create(b"a/f", 0o644).err().unwrap(),
        plant.symbolic_link(b"a/f", b"x", &finish(0o777)).err().unwrap(),
        plant.hard_link(b"a", b"a/f").err().unwrap(),
    ];
    for (error, name) in collided.into_iter().zip(["a", "a/f", "a/f", "a/f", "a"]) {
        let Error::NamesCollide(path) = error else { panic!("{error}") };
        assert_eq!(path, target.join(name));
    }
    drop(plant);
    is(place.path(), []);
}

#[test]
fn a_failure_or_a_drop_leaves_nothing() {
    let (place, _alone) = place();
    let target = place.path().join("out");
    let mut plant = new(&target);
    plant.folder(b"closed", &finish(0)).unwrap();
    file(&mut plant, "closed/f", "").unwrap();
    plant.symbolic_link(b"closed/l", b"/", &finish(0o777)).unwrap();
    let unfinished = plant.parent(b"g").unwrap().create(b"g", 0o644).unwrap();
    unfinished.write_at(b"half", 0).unwrap();
    drop(unfinished);
    assert!(plant.parent(b"g").unwrap().create(b"g", 0o644).is_ok(), "a part of a file was left");
    drop(plant);
    is(place.path(), []);
    // Also when folders have their final modes already.
    let mut plant = new(&target);
    plant.folder(b"closed", &finish(0)).unwrap();
    fs::write(&target, "").unwrap();
    assert_eq!(code(plant.publish()), "output_exists");
    is(place.path(), ["out"]);
    assert!(all().is_empty());
}

#[test]
fn paths_that_lead_elsewhere_are_refused() {
    let (place, _alone) = place();
    let mut plant = new(&place.path().join("out"));
    folder(&mut plant, "a");
    for path in ["", ".", "..", "/", "/a", "../x", "a/", "a//b", "a/../b", "a/./b", "./a", "..//", "a\0b"] {
        let path = path.as_bytes();
        assert_eq!(code(plant.folder(path, &finish(0o755))), "io", "{path:?}");
        assert_eq!(code(plant.parent(path).and_then(|parent| parent.create(path, 0o644))), "io", "{path:?}");
        assert_eq!(code(plant.symbolic_link(path, b"x", &finish(0o777))), "io", "{path:?}");
        assert_eq!(code(plant.hard_link(b"b", path)), "io", "{path:?}");
    }
    drop(plant);
    is(place.path(), []);
}

#[test]
fn a_link_in_the_place_of_a_folder_is_never_followed() {
    let (place, _alone) = place();
    let outside = tempdir().unwrap();
    let target = place.path().join("out");
    let mut plant = new(&target);
    folder(&mut plant, "a");
    folder(&mut plant, "b");
    file(&mut plant, "a/f", "").unwrap_or(());
    let hidden = fs::read_dir(place.path()).unwrap().next().unwrap().unwrap().path();
    fs::rename(hidden.join("a"), hidden.join("away")).unwrap();
    symlink(outside.path(), hidden.join("a")).unwrap();
    fs::write(outside.path().join("f"), "theirs").unwrap();
    let before = (mode(outside.path()), modified(outside.path()));
    // The way to `b` replaced the open folder `a`.
    assert!(plant.parent(b"b/x").is_ok());
    assert_eq!(code(plant.parent(b"a/x").and_then(|parent| parent.create(b"a/x", 0o644))), "io");
    assert_eq!(code(plant.folder(b"a/x", &finish(0o755))), "io");
    assert_eq!(code(plant.symbolic_link(b"a/x", b"y", &finish(0o755))), "io");
    assert_eq!(code(plant.hard_link(b"x", b"a/f")), "io");
    assert_eq!(code(plant.publish()), "io", "the mode of the folder");
    is(place.path(), []);
    is(outside.path(), ["f"]);
    assert_eq!((mode(outside.path()), modified(outside.path())), before);
}

#[test]
fn hard_links_are_to_files_that_are_there() {
    let (place, _alone) = place();
    let mut plant = new(&place.path().join("out"));
    folder(&mut plant, "a");
    plant.symbolic_link(b"l", b"/etc/passwd", &finish(0o777)).unwrap();
    assert_eq!(code(plant.hard_link(b"x", b"a")), "not_regular_file");
    assert_eq!(code(plant.hard_link(b"x", b"l")), "not_regular_file");
    assert_eq!(code(plant.hard_link(b"x", b"none")), "io");
}

#[test]
fn sparse_files_have_their_length_and_their_holes() {
    let (place, _alone) = place();
    let target = place.path().join("out");
    let mut plant = new(&target);
    let file = plant.parent(b"s").unwrap().create(b"s", 0o600).unwrap();
    file.write_at(b"x", 4 << 20).unwrap();
    file.set_len(8 << 20).unwrap();
    let _ = file.finish(&finish(0o600)).unwrap();
    plant.publish().unwrap();
    let metadata = fs::metadata(target.join("s")).unwrap();
    assert_eq!(metadata.len(), 8 << 20);
    assert!(metadata.blocks() * 512 < 8 << 20);
}

#[test]
fn attributes_and_owners_need_their_options() {
    let (place, _alone) = place();
    let probe = fs::File::create(place.path().join("probe")).unwrap();
    let has_attributes = os::set_attribute(Opened::File(&probe), b"user.a", b"1").is_ok();
    let all_attributes =
        [(b"user.a".to_vec(), b"1".to_vec()), (b"trusted.a".to_vec(), b"1".to_vec()), (b"a".to_vec(), Vec::new())];
    // A group without members.
    let (user, group) = (os::effective_user(), 0x7fff_fff0);
    for asked in [false, true] {
        let target = place.path().join(format!("{asked}"));
        let can_own = os::effective_user() == 0;
        let options = PlantOptions { owners: asked && can_own, attributes: asked && has_attributes, ..QUICK };
        let mut plant = Plant::new(&target, Existing::Refuse, options).unwrap();
        let finish = Finish { owner: Some((user, group)), attributes: &all_attributes, ..finish(0o444) };
        plant.folder(b"d", &finish).unwrap();
        let _ = plant.parent(b"f").unwrap().create(b"f", 0o444).unwrap().finish(&finish).unwrap();
        plant.symbolic_link(b"l", b"x", &finish).unwrap();
        plant.publish().unwrap();
        for name in ["d", "f", "l"] {
            let metadata = fs::symlink_metadata(target.join(name)).unwrap();
            assert_eq!(metadata.gid() == group, asked && can_own, "{name}");
            assert!(name == "l" || metadata.mode() & 0o7777 == 0o444);
            if name != "l" {
                let found = attributes(&fs::File::open(target.join(name)).unwrap()).unwrap();
                assert_eq!(found, all_attributes[..usize::from(asked && has_attributes)], "{name}");
            }
        }
    }
    if !has_attributes {
        skip();
    }
}

#[test]
fn replacing_merges_folders_and_replaces_files_and_links() {
    let (place, _alone) = place();
    let target = place.path().join("out");
    let outside = place.path().join("outside");
    fs::create_dir_all(target.join("a/kept")).unwrap();
    fs::write(target.join("a/f"), "old").unwrap();
    fs::write(target.join("other"), "kept").unwrap();
    fs::write(&outside, "theirs").unwrap();
    symlink(&outside, target.join("l")).unwrap();
    for sync in [false, true] {
        let options = PlantOptions { sync, ..QUICK };
        let mut plant = Plant::new(&target, Existing::Replace, options).unwrap();
        plant.folder(b"a", &finish(0o711)).unwrap();
        plant.folder(b"a/new", &finish(0o500)).unwrap();
        file(&mut plant, "a/new/x", "new").unwrap();
        file(&mut plant, "a/f", "new").unwrap();
        file(&mut plant, "l", "new").unwrap();
        assert_eq!(fs::read(target.join("a/f")).unwrap(), if sync { b"new" } else { b"old" });
        plant.publish().unwrap();
        is(
            place.path(),
            ["out", "out/a", "out/a/f", "out/a/kept", "out/a/new", "out/a/new/x", "out/l", "out/other", "outside"],
        );
        assert_eq!(fs::read(target.join("a/f")).unwrap(), b"new");
        assert_eq!(fs::read(&outside).unwrap(), b"theirs");
        assert!(fs::symlink_metadata(target.join("l")).unwrap().is_file());
        for (name, bits) in [("a", 0o711), ("a/new", 0o500)] {
            assert_eq!((mode(&target.join(name)), modified(&target.join(name))), (bits, TIME), "{name}");
        }
        // Without this, only root can merge it once more.
        fs::set_permissions(target.join("a/new"), fs::Permissions::from_mode(0o700)).unwrap();
    }
    assert!(all().is_empty());
}

#[test]
fn a_folder_in_the_place_of_a_file_is_found_before_anything_moves() {
    let (place, _alone) = place();
    let target = place.path().join("out");
    fs::create_dir_all(target.join("z/folder")).unwrap();
    fs::write(target.join("z/file"), "").unwrap();
    fs::write(target.join("a"), "old").unwrap();
    symlink("z", target.join("z/link")).unwrap();
    let before = names(place.path());
    for wrong in ["z/folder", "z/file/x", "z/link/x"] {
        let mut plant = Plant::new(&target, Existing::Replace, QUICK).unwrap();
        file(&mut plant, "a", "new").unwrap();
        folder(&mut plant, "z");
        let expected = match wrong.strip_suffix("/x") {
            Some(above) => {
                folder(&mut plant, above);
                above
            }
            None => wrong,
        };
        file(&mut plant, wrong, "").unwrap();
        let Err(Error::Io { path: Some(path), .. }) = plant.publish() else { panic!() };
        assert_eq!(path, target.join(expected));
        assert_eq!(names(place.path()), before);
        assert_eq!(fs::read(target.join("a")).unwrap(), b"old");
    }
}

#[test]
fn single_files_get_their_names_one_by_one() {
    let (place, _alone) = place();
    let target = place.path().join("out");
    for sync in [false, true] {
        let options = PlantOptions { sync, ..QUICK };
        let mut plant = Plant::single_files(&target, Existing::Refuse, options).unwrap();
        let usual = usual_mode(place.path());
        file(&mut plant, "a/b/c", "1").unwrap();
        assert_eq!(fs::read(target.join("a/b/c")).unwrap(), b"1");
        assert_eq!((mode(&target.join("a")), mode(&target.join("a/b"))), (usual, usual));
        plant.symbolic_link(b"a/l", b"b/c", &finish(0o777)).unwrap();
        plant.hard_link(b"h", b"a/b/c").unwrap();
        assert_eq!(fs::metadata(target.join("h")).unwrap().nlink(), 2);
        let parent = plant.folder(b"d", &finish(0o700)).unwrap();
        let second = parent.create(b"d/e", 0o600).unwrap();
        second.write_at(b"half", 0).unwrap();
        assert!(!target.join("d/e").exists());
        // A failure leaves the files that were complete, and their folders.
        drop((second, plant));
        is(&target, ["a", "a/b", "a/b/c", "a/l", "h"]);
        assert_eq!((modified(&target.join("a/b/c")), modified(&target.join("a/l"))), (TIME, TIME));
        assert!(all().is_empty());
        fs::remove_dir_all(&target).unwrap();
    }
    drop(Plant::single_files(&target, Existing::Refuse, QUICK).unwrap());
    is(place.path(), []);
}

#[test]
fn single_files_replace_only_if_asked_and_never_through_links() {
    let (place, _alone) = place();
    let outside = tempdir().unwrap();
    let target = place.path().join("out");
    fs::create_dir_all(target.join("d")).unwrap();
    fs::set_permissions(target.join("d"), fs::Permissions::from_mode(0o711)).unwrap();
    fs::write(target.join("d/f"), "old").unwrap();
    fs::write(outside.path().join("f"), "theirs").unwrap();
    symlink(outside.path(), target.join("link")).unwrap();
    let mut plant = Plant::single_files(&target, Existing::Refuse, QUICK).unwrap();
    assert_eq!(code(file(&mut plant, "d/f", "new")), "output_exists");
    assert_eq!(code(file(&mut plant, "link/f", "new")), "io");
    assert_eq!(code(file(&mut plant, "link/new", "new")), "io");
    assert_eq!(code(plant.folder(b"d/f", &finish(0o755))), "output_exists");
    assert_eq!(code(plant.symbolic_link(b"d/f", b"x", &finish(0o777))), "output_exists");
    plant.folder(b"d", &finish(0o700)).unwrap();
    file(&mut plant, "d/new", "new").unwrap();
    plant.publish().unwrap();
    assert_eq!(mode(&target.join("d")), 0o711);
    is(&target, ["d", "d/f", "d/new", "link"]);

    let mut plant = Plant::single_files(&target, Existing::Replace, QUICK).unwrap();
    plant.folder(b"d", &finish(0o700)).unwrap();
    file(&mut plant, "d/f", "new").unwrap();
    assert_eq!(code(file(&mut plant, "d", "new")), "names_collide");
    assert_eq!(code(file(&mut plant, "link/f", "new")), "io");
    file(&mut plant, "link", "new").unwrap();
    plant.publish().unwrap();
    assert_eq!(fs::read(target.join("d/f")).unwrap(), b"new");
    assert_eq!((mode(&target.join("d")), modified(&target.join("d"))), (0o700, TIME));
    is(&target, ["d", "d/f", "d/new", "link"]);
    is(outside.path(), ["f"]);
    assert_eq!(fs::read(outside.path().join("f")).unwrap(), b"theirs");
    assert!(all().is_empty());
}

#[test]
fn a_signal_removes_the_tree_and_nothing_is_made_in_it_afterwards() {
    let (place, _alone) = place();
    let target = place.path().join("out");
    let mut plant = new(&target);
    let parent = folder(&mut plant, "a");
    file(&mut plant, "a/f", "").unwrap();
    let before = parent.create(b"a/g", 0o644).unwrap();
    let guard = remove_temporaries();
    is(place.path(), []);
    assert_eq!(code(parent.create(b"a/h", 0o644)), "cancelled");
    assert_eq!(code(plant.folder(b"b", &finish(0o755))), "cancelled");
    assert_eq!(code(plant.symbolic_link(b"l", b"x", &finish(0o777))), "cancelled");
    before.write_at(b"in no folder", 0).unwrap();
    let _ = before.finish(&finish(0o644)).unwrap();
    drop(guard);
    assert!(plant.publish().is_err());
    is(place.path(), []);
}

#[test]
fn threads_that_make_files_leave_none_after_a_signal() {
    let (place, _alone) = place();
    let mut plant = new(&place.path().join("out"));
    let parent = folder(&mut plant, "a");
    let made = std::sync::Barrier::new(3);
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let (parent, made) = (parent.clone(), &made);
            scope.spawn(move || {
                // Minutes, as a guard against hanging.
                for i in 0..100_000_000_u32 {
                    let path = format!("a/{thread}-{i}");
                    let ended = parent.create(path.as_bytes(), 0o644).and_then(|file| match i {
                        0..1000 => file.finish(&finish(0o644)).map(drop),
                        // So that no more files stay until the signal.
                        _ => Ok(()),
                    });
                    if i == 10 {
                        made.wait();
                    }
                    if let Err(error) = ended {
                        assert_eq!(error.code(), "cancelled");
                        return;
                    }
                }
                panic!("the signal stopped nobody");
            });
        }
        made.wait();
        let guard = remove_temporaries();
        is(place.path(), []);
        drop(guard);
    });
    is(place.path(), []);
}

#[test]
fn a_deep_tree_of_long_names_is_made_and_removed() {
    let (place, _alone) = place();
    let target = place.path().join("out");
    for publish in [true, false] {
        let mut plant = new(&target);
        let mut path = String::new();
        for depth in 0..256 {
            path.push_str(if depth == 0 { "d" } else { "/d" });
            plant.folder(path.as_bytes(), &finish(0o700)).unwrap();
        }
        assert_eq!(code(plant.folder(format!("{path}/d").as_bytes(), &finish(0o700))), "io");
        if publish {
            plant.publish().unwrap();
            fs::remove_dir_all(&target).unwrap();
        } else {
            drop(plant);
        }
        is(place.path(), []);
    }
    let mut plant = new(&target);
    let long = format!("{}/{}", "d".repeat(200), "f".repeat(250));
    folder(&mut plant, &"d".repeat(200));
    file(&mut plant, &long, "long").unwrap();
    plant.publish().unwrap();
    assert_eq!(fs::read(target.join(long)).unwrap(), b"long");
}

#[test]
fn errors_name_the_path_that_the_user_sees() {
    let (place, _alone) = place();
    let target = place.path().join("out");
    let mut plant = new(&target);
    let error = plant.parent(b"none/x").err().unwrap();
    assert!(matches!(&error, Error::Io { action: "create", path: Some(path), .. } if *path == target.join("none/x")));
    let file = plant.parent(b"f").unwrap().create(b"f", 0o644).unwrap();
    let error = file.set_len(u64::MAX).err().unwrap();
    assert!(matches!(&error, Error::Io { action: "write", path: Some(path), .. } if *path == target.join("f")));
}
