//! Tests of the removal of abandoned files, and of reserved names.

use super::*;
use std::fs;
use std::path::Path;
use tempfile::tempdir;

/// Held by tests that inspect and clear the state shared by all operations of this process.
static ALONE: Mutex<()> = Mutex::new(());

pub(in crate::pipeline) fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn open(folder: &Path) -> Folder {
    Folder::open(folder).unwrap()
}

fn names(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn names_tell_the_system_that_made_them() {
    let name = new_name().unwrap();
    assert_eq!(system_of(name.as_encoded_bytes()), Some(system().as_bytes()));
    for other in [
        ".sealstone-.tmp",
        ".sealstone-0123456789abcdef.tmp",
        ".sealstone-0123abcd-0123456789abcdef",
        ".sealstone-0123abcd-0123456789abcdef.tmp.seal",
        ".sealstone-0123abcd-0123456789abcde.tmp",
        ".sealstone-0123abcd-0123456789abcdef0.tmp",
        ".sealstone-0123abcd_0123456789abcdef.tmp",
        ".sealstone-0123ABCD-0123456789abcdef.tmp",
        ".sealstone-0123abcd-0123456789abcdeg.tmp",
        "sealstone-0123abcd-0123456789abcdef.tmp",
        "report.tmp",
        "",
    ] {
        assert_eq!(system_of(other.as_bytes()), None, "{other}");
    }
}

#[test]
fn what_a_killed_process_has_left_is_removed_and_nothing_else() {
    let _alone = alone();
    let folder = tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let named = |random: &str| format!("{PREFIX}{}-{random}{SUFFIX}", system());
    let left = [named("0000000000000001"), named("0000000000000002")];
    // A file of a running process, which holds its lock.
    let held = named("0000000000000003");
    let holder = File::create(path(&held)).unwrap();
    assert!(os::lock(&holder).unwrap());
    let of_another_system =
        format!("{PREFIX}{:08x}-0000000000000004{SUFFIX}", !u32::from_str_radix(system(), 16).unwrap());
    let kept = [of_another_system.as_str(), ".sealstone-0000000000000005.tmp", "report.tmp"];
    for name in left.iter().map(String::as_str).chain(kept) {
        fs::write(path(name), "anything").unwrap();
    }
    let (link, tree, held_tree) = (named("0000000000000006"), named("0000000000000007"), named("0000000000000008"));
    std::os::unix::fs::symlink("report.tmp", path(&link)).unwrap();
    // A tree with a folder that nobody may enter, and with a link out of it.
    fs::create_dir_all(path(&tree).join("inner")).unwrap();
    fs::write(path(&tree).join("inner/file"), "anything").unwrap();
    std::os::unix::fs::symlink(folder.path(), path(&tree).join("inner/out")).unwrap();
    fs::set_permissions(path(&tree).join("inner"), std::os::unix::fs::PermissionsExt::from_mode(0o000)).unwrap();
    fs::create_dir(path(&held_tree)).unwrap();
    let held_folder = os::open_to_list(&path(&held_tree)).unwrap();
    assert!(os::lock_folder(&held_folder).unwrap());
    // A folder of another test may have had the same inode.
    SWEPT.lock().unwrap().clear();
    let expected: BTreeSet<String> = kept.map(str::to_owned).into_iter().chain([held, link, held_tree]).collect();

    let (file, temporary) = Temporary::create(&open(folder.path()), 0o600).unwrap().unwrap();
    let own = temporary.0.name.to_str().unwrap().to_owned();
    assert_eq!(names(folder.path()), expected.iter().cloned().chain([own]).collect());
    drop((file, temporary));
    assert_eq!(names(folder.path()), expected);
}

#[test]
fn a_temporary_file_is_locked_while_it_is_open() {
    let _alone = alone();
    let folder = tempdir().unwrap();
    let (file, temporary) = Temporary::create(&open(folder.path()), 0o600).unwrap().unwrap();
    let other = File::options().write(true).open(folder.path().join(&temporary.0.name)).unwrap();
    assert!(!os::lock(&other).unwrap());
    drop(file);
    assert!(os::lock(&other).unwrap());
}

#[test]
fn a_temporary_file_that_another_process_has_swept_is_not_taken() {
    let _alone = alone();
    let folder = tempdir().unwrap();
    let (file, temporary) = Temporary::create(&open(folder.path()), 0o600).unwrap().unwrap();
    assert!(temporary.lock(&file));
    fs::remove_file(folder.path().join(&temporary.0.name)).unwrap();
    assert!(!temporary.lock(&file));
}

#[test]
fn many_threads_that_make_and_sweep_lose_nothing() {
    let _alone = alone();
    let folder = tempdir().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let folder = open(folder.path());
                for _ in 0..200 {
                    let (file, temporary) = Temporary::create(&folder, 0o600).unwrap().unwrap();
                    // Sweeps like a process that has not swept this folder yet.
                    let made = os::stat(&file).unwrap();
                    for name in os::names(&folder).unwrap() {
                        if system_of(name.as_encoded_bytes()).is_some() {
                            let _ = remove_if_abandoned(&folder, &name, &made, true);
                        }
                    }
                    assert!(os::stat_in(&folder, &temporary.0.name).is_ok());
                }
            });
        }
    });
    assert!(names(folder.path()).is_empty());
}

#[test]
fn a_reserved_name_is_given_back_and_never_taken_from_others() {
    let _alone = alone();
    let folder = tempdir().unwrap();
    let path = folder.path().join("out");
    let reserve = || Temporary::reserve(&open(folder.path()), OsStr::new("out"));
    let reserved = reserve().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"");
    assert_eq!(reserve().err().unwrap().kind(), ErrorKind::AlreadyExists);
    drop(reserved);
    assert!(!path.exists());
    // Removed on a signal.
    let reserved = reserve().unwrap();
    drop(remove_temporaries());
    assert!(!path.exists());
    // Written to or replaced by another process.
    fs::write(&path, "theirs").unwrap();
    drop(reserved);
    assert_eq!(fs::read(&path).unwrap(), b"theirs");
    fs::remove_file(&path).unwrap();
    for replace in [false, true] {
        let reserved = reserve().unwrap();
        if replace {
            fs::write(folder.path().join("other"), "").unwrap();
            fs::rename(folder.path().join("other"), &path).unwrap();
        } else {
            fs::write(&path, "theirs").unwrap();
        }
        assert!(!reserved.0.is_reserved());
        drop(reserved);
        assert!(path.exists());
        fs::remove_file(&path).unwrap();
    }
    assert!(all().is_empty());
}

#[test]
fn a_program_hears_of_a_name_before_it_is_made() {
    static FOUND: Mutex<Vec<usize>> = Mutex::new(Vec::new());
    let _alone = alone();
    before_temporaries(|| FOUND.lock().unwrap().push(all().len()));
    let folder = tempdir().unwrap();
    let made = Temporary::create(&open(folder.path()), 0o600).unwrap().unwrap();
    assert_eq!(*FOUND.lock().unwrap(), [0], "nothing had a name yet, and the list was not locked");
    drop(made);
    assert!(names(folder.path()).is_empty());
}

#[test]
fn an_unfinished_tree_is_locked_and_removed_with_what_is_in_it() {
    let _alone = alone();
    let folder = tempdir().unwrap();
    let make = || Temporary::create_folder(&open(folder.path())).unwrap().unwrap();
    let (tree, gate, temporary) = make();
    let other = os::open_below(&open(folder.path()), temporary.name()).unwrap();
    assert!(!os::lock_folder(&other).unwrap());
    os::make_folder(&tree, b"inner", 0o700).unwrap();
    drop(os::make_file(&os::open_below(&tree, b"inner").unwrap(), b"file", 0o600).unwrap());
    assert!(gate.enter().is_some());
    drop(temporary);
    assert!(names(folder.path()).is_empty());
    assert!(gate.enter().is_none());
    // On a signal.
    let (tree, gate, temporary) = make();
    drop(os::make_file(&tree, b"file", 0o600).unwrap());
    drop(remove_temporaries());
    assert!(names(folder.path()).is_empty());
    assert!(gate.enter().is_none());
    drop(temporary);
    assert!(all().is_empty());
}

#[test]
fn a_tree_is_not_removed_while_something_is_made_in_it() {
    let _alone = alone();
    let folder = tempdir().unwrap();
    let (tree, gate, temporary) = Temporary::create_folder(&open(folder.path())).unwrap().unwrap();
    let begun = std::sync::Barrier::new(2);
    std::thread::scope(|scope| {
        let entered = gate.enter().unwrap();
        scope.spawn(|| {
            begun.wait();
            drop(remove_temporaries());
        });
        begun.wait();
        drop(os::make_file(&tree, b"file", 0o600).unwrap());
        drop(entered);
    });
    assert!(names(folder.path()).is_empty());
    drop(temporary);
}

#[test]
fn a_folder_that_has_got_the_name_of_a_tree_is_not_removed() {
    let _alone = alone();
    let folder = tempdir().unwrap();
    let (tree, _, temporary) = Temporary::create_folder(&open(folder.path())).unwrap().unwrap();
    let hidden = folder.path().join(&temporary.0.name);
    std::fs::rename(&hidden, folder.path().join("tree")).unwrap();
    std::fs::create_dir(&hidden).unwrap();
    std::fs::write(hidden.join("precious"), "of somebody else").unwrap();
    drop((tree, temporary));
    assert_eq!(std::fs::read(hidden.join("precious")).unwrap(), b"of somebody else");
    assert_eq!(names(folder.path()).len(), 2);
}

#[test]
fn whoever_makes_a_tree_removes_those_of_killed_processes() {
    let _alone = alone();
    let folder = tempdir().unwrap();
    let (tree, _, temporary) = Temporary::create_folder(&open(folder.path())).unwrap().unwrap();
    os::make_folder(&tree, b"inner", 0o700).unwrap();
    let left = temporary.0.name.to_str().unwrap().to_owned();
    // As after SIGKILL: nothing is removed, and the lock is gone.
    temporary.forget();
    SWEPT.lock().unwrap().clear();
    let made = Temporary::create_folder(&open(folder.path())).unwrap().unwrap();
    assert!(names(folder.path()).contains(&left), "it is locked");
    drop((tree, made));
    assert_eq!(names(folder.path()), BTreeSet::from([left]));
    SWEPT.lock().unwrap().clear();
    drop(Temporary::create_folder(&open(folder.path())).unwrap().unwrap());
    assert!(names(folder.path()).is_empty());
}
