//! Tests of outputs on file systems without unnamed files, which use a random name, and of events right before the end.
//! Everything else is in `tests/files.rs`.

use super::super::temporary::tests::alone;
use super::super::temporary::{all, remove_temporaries};
use super::*;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::tempdir;

fn plan(path: &Path, replace: bool) -> Plan {
    Plan { replace, existing: None, ..found(path) }
}

/// A plan that knows the existing file.
fn found(path: &Path) -> Plan {
    Plan::new(Folder::open(path.parent().unwrap()).unwrap(), path).unwrap()
}

/// An unfinished file under a random name, as on file systems without unnamed files.
fn named(path: &Path, replace: bool) -> TempFile {
    let mut file = TempFile::create(plan(path, replace), false, None).unwrap();
    give_name(&mut file);
    file.write_head(b"content").unwrap();
    file
}

fn give_name(file: &mut TempFile) {
    if file.temporary.is_none() {
        let link = |name: &OsStr| os::link_unnamed(&file.file, &file.folder, name);
        file.temporary = Some(Temporary::link(&file.folder, &file.file, link).unwrap().unwrap());
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn names_but_temporary(folder: &Path) -> Vec<String> {
    names(folder).into_iter().filter(|name| !name.starts_with(".sealstone-")).collect()
}

#[test]
fn a_named_temporary_becomes_the_file() {
    let _alone = alone();
    let folder = tempdir().unwrap();
    let path = folder.path().join("out");
    for replace in [false, true] {
        let file = named(&path, replace);
        let name = &names(folder.path())[0];
        assert!(name.starts_with(".sealstone-"), "{name}");
        assert_eq!(fs::metadata(folder.path().join(name)).unwrap().mode() & 0o777, 0o600);
        file.commit().unwrap();
        assert_eq!(names(folder.path()), ["out"]);
        assert_eq!(fs::read(&path).unwrap(), b"content");
        assert!(all().is_empty());
    }
}

#[test]
fn a_named_temporary_never_replaces_unasked() {
    let _alone = alone();
    let folder = tempdir().unwrap();
    let path = folder.path().join("out");
    let file = named(&path, false);
    fs::write(&path, b"other's").unwrap();
    assert_eq!(file.commit().unwrap_err().code(), "output_exists");
    assert_eq!(fs::read(&path).unwrap(), b"other's");
    assert_eq!(names(folder.path()), ["out"]);
}

#[test]
fn a_file_on_its_way_that_is_dropped_leaves_nothing() {
    let _alone = alone();
    let folder = tempdir().unwrap();
    let path = folder.path().join("out");
    drop(named(&path, true));
    let mut unnamed = TempFile::create(plan(&path, false), false, Some(1 << 20)).unwrap();
    unnamed.write_head(b"content").unwrap();
    drop(unnamed);
    assert!(names(folder.path()).is_empty());
    assert!(all().is_empty());
}

#[test]
fn a_folder_under_the_final_name_is_never_replaced_and_nothing_is_left() {
    let _alone = alone();
    let folder = tempdir().unwrap();
    let path = folder.path().join("out");
    for replace in [false, true] {
        let (named, unnamed) = (named(&path, replace), TempFile::create(plan(&path, replace), false, None).unwrap());
        fs::create_dir(&path).unwrap();
        assert!(named.commit().is_err());
        assert!(unnamed.commit().is_err());
        assert_eq!(names(folder.path()), ["out"]);
        fs::remove_dir(&path).unwrap();
    }
    assert!(all().is_empty());
}

#[test]
fn removing_temporaries_removes_them_and_lets_none_be_made() {
    let _alone = alone();
    let folder = tempdir().unwrap();
    let path = folder.path().join("out");
    let on_its_way = [named(&path, false), named(&path, true)];
    assert_eq!(names(folder.path()).len(), 2);
    drop(remove_temporaries());
    assert!(names(folder.path()).is_empty());
    for _ in 0..20 {
        let (guard, is_held, begun) = (remove_temporaries(), AtomicBool::new(true), Barrier::new(2));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                begun.wait();
                drop(named(&folder.path().join("other"), false));
                assert!(!is_held.load(Ordering::SeqCst), "a temporary was made while the guard was held");
            });
            begun.wait();
            for _ in 0..50 {
                assert!(names(folder.path()).is_empty(), "a temporary was made while the guard was held");
            }
            is_held.store(false, Ordering::SeqCst);
            drop(guard);
        });
    }
    drop(on_its_way);
    assert!(names(folder.path()).is_empty());
}

#[test]
fn reserved_space_is_the_length_and_positional_writes_count_from_the_head() {
    let _alone = alone();
    let folder = tempdir().unwrap();
    let path = folder.path().join("out");
    let mut file = TempFile::create(plan(&path, false), false, Some(10)).unwrap();
    file.write_head(b"head").unwrap();
    assert_eq!(file.write_at(&[IoSlice::new(b"4"), IoSlice::new(b"56")], 3).unwrap(), 3);
    assert_eq!(file.write_at(&[IoSlice::new(b"123")], 0).unwrap(), 3);
    file.commit().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"head123456");
}

#[test]
fn a_group_that_cannot_be_kept_gets_no_rights() {
    let folder = tempdir().unwrap();
    let file = File::create(folder.path().join("out")).unwrap();
    let mut existing = os::stat(&file).unwrap();
    let mode = 0o664;
    assert_eq!(keep_owner(&file, &existing, Some(mode)).unwrap(), mode);
    // A group without members.
    existing.group = 0x7fff_fff0;
    let kept = keep_owner(&file, &existing, Some(mode)).unwrap();
    if os::effective_user() == 0 {
        assert_eq!((kept, file.metadata().unwrap().gid()), (mode, existing.group));
    } else {
        assert_eq!(kept, 0o604);
    }
}

#[test]
fn what_was_done_to_a_file_in_place_until_the_last_moment_is_seen() {
    let _alone = alone();
    let folder = tempdir().unwrap();
    let (path, other) = (folder.path().join("out"), folder.path().join("other"));
    let set_modified = |seconds| {
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    };
    let changes: [(&str, &dyn Fn()); 6] = [
        ("hard_links", &|| fs::hard_link(&path, &other).unwrap()),
        ("input_changed", &|| fs::write(&path, b"longer").unwrap()),
        ("input_changed", &|| set_modified(2)),
        ("input_changed", &|| fs::remove_file(&path).unwrap()),
        ("input_changed", &|| {
            fs::rename(&path, &other).unwrap();
            fs::copy(&other, &path).unwrap();
        }),
        ("input_changed", &|| {
            fs::rename(&path, &other).unwrap();
            std::os::unix::fs::symlink(&other, &path).unwrap();
        }),
    ];
    for is_named in [false, true] {
        for (code, change) in changes {
            for split_links in [false, true] {
                fs::write(&path, b"old").unwrap();
                set_modified(1);
                let plan = Plan { replace: true, split_links, ..found(&path) };
                let mut file = TempFile::create(plan, true, None).unwrap();
                if is_named {
                    give_name(&mut file);
                }
                file.write_head(b"content").unwrap();
                change();
                let (left, there) = (names_but_temporary(folder.path()), fs::read(&path).ok());
                let committed = file.commit();
                assert_eq!(names(folder.path()), left, "{code}");
                if code == "hard_links" && split_links {
                    committed.unwrap();
                    assert_eq!(
                        (fs::read(&path).unwrap(), fs::read(&other).unwrap()),
                        (b"content".into(), b"old".into())
                    );
                } else {
                    assert_eq!(committed.unwrap_err().code(), code);
                    assert_eq!(fs::read(&path).ok(), there, "what stands there stays");
                }
                for name in names(folder.path()) {
                    fs::remove_file(folder.path().join(name)).unwrap();
                }
                assert!(all().is_empty());
            }
        }
    }
}

#[test]
fn bits_beyond_the_permissions_are_not_set() {
    let _alone = alone();
    let folder = tempdir().unwrap();
    let path = folder.path().join("out");
    let plan = Plan { mode: FileMode::Exactly(0o7711), ..plan(&path, false) };
    TempFile::create(plan, false, None).unwrap().commit().unwrap();
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o711);
}
