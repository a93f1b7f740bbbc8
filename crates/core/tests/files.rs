//! Files by name: an output appears whole or not at all, and nothing that was there is touched unasked.

mod support;

use rustix::fs::{CWD, FileType, Mode};
use sealstone::hash::{Algorithm, Hasher, hash};
use sealstone::{Error, FileAccess, FileHasher, FileId, FileMode, Input, Output, inspect, remove_temporaries};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use support::chance::wait_until;
use support::{decryptor, encryptor, names, pattern};
use tempfile::{TempDir, tempdir};

const LEN: usize = 3_000_000;

/// A folder with a plaintext and its sealed form.
struct Folder {
    root: TempDir,
    plain: PathBuf,
    sealed: PathBuf,
}

impl Folder {
    fn new() -> Self {
        let root = tempdir().unwrap();
        let (plain, sealed) = (root.path().join("plain"), root.path().join("sealed"));
        fs::write(&plain, pattern(LEN)).unwrap();
        fs::write(&sealed, encryptor().encrypt(&pattern(LEN)).unwrap()).unwrap();
        Self { root, plain, sealed }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn names(&self) -> Vec<String> {
        names(self.root.path())
    }
}

#[test]
fn a_file_comes_back_as_it_was() {
    let f = Folder::new();
    for len in [0, 1, 16_384, LEN] {
        fs::write(&f.plain, pattern(len)).unwrap();
        fs::remove_file(&f.sealed).unwrap();
        let sealed = encryptor().encrypt_file(&f.plain, &f.sealed).unwrap();
        assert_eq!(fs::metadata(&f.sealed).unwrap().len(), sealed.ciphertext);
        let out = f.path("out");
        assert_eq!(decryptor().decrypt_file(&f.sealed, &out).unwrap(), sealed);
        assert!(fs::read(&out).unwrap() == pattern(len));
        assert_eq!(decryptor().verify(Input::open(&f.sealed).unwrap()).unwrap(), sealed);
        fs::remove_file(&out).unwrap();
        assert_eq!(f.names(), ["plain", "sealed"]);
    }
}

#[test]
fn an_existing_output_is_refused_before_any_work_and_untouched() {
    let f = Folder::new();
    let out = f.path("out");
    fs::write(&out, b"mine").unwrap();
    let worked = Arc::new(AtomicBool::new(false));
    let watch = worked.clone();
    let decryptor = decryptor().on_progress(move |_| watch.store(true, Ordering::Relaxed));
    let Error::OutputExists(path) = decryptor.decrypt_file(&f.sealed, &out).unwrap_err() else { panic!() };
    assert_eq!(path, out);
    assert_eq!(encryptor().encrypt_file(&f.plain, &out).unwrap_err().code(), "output_exists");
    assert_eq!(fs::read(&out).unwrap(), b"mine");
    assert!(!worked.load(Ordering::Relaxed));
    assert_eq!(f.names(), ["out", "plain", "sealed"]);
}

#[test]
fn an_output_that_appears_meanwhile_is_refused_and_untouched() {
    let f = Folder::new();
    let out = f.path("out");
    let appears = out.clone();
    let decryptor = decryptor().threads(1).on_progress(move |_| fs::write(&appears, b"other's").unwrap());
    assert_eq!(decryptor.decrypt_file(&f.sealed, &out).unwrap_err().code(), "output_exists");
    assert_eq!(fs::read(&out).unwrap(), b"other's");
    assert_eq!(f.names(), ["out", "plain", "sealed"]);
}

#[test]
fn an_existing_output_is_replaced_when_asked_and_kept_on_failure() {
    let f = Folder::new();
    let out = f.path("out");
    fs::write(&out, b"old").unwrap();
    let old = fs::metadata(&out).unwrap().ino();
    let output = || Output::file(&out).unwrap().replace(true);

    let mut damaged = fs::read(&f.sealed).unwrap();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(f.path("damaged"), damaged).unwrap();
    let result = decryptor().decrypt_to(Input::open(f.path("damaged")).unwrap(), output());
    assert_eq!(result.unwrap_err().code(), "not_authentic");
    assert_eq!(fs::read(&out).unwrap(), b"old");
    assert_eq!(fs::metadata(&out).unwrap().ino(), old);
    assert_eq!(f.names(), ["damaged", "out", "plain", "sealed"]);

    let mut reader = File::open(&out).unwrap();
    decryptor().decrypt_to(Input::open(&f.sealed).unwrap(), output()).unwrap();
    assert!(fs::read(&out).unwrap() == pattern(LEN));
    let mut still = Vec::new();
    reader.read_to_end(&mut still).unwrap();
    assert_eq!(still, b"old", "the old file is replaced, not written into");
    assert_eq!(f.names(), ["damaged", "out", "plain", "sealed"]);
}

#[test]
fn a_symbolic_link_is_replaced_and_never_followed() {
    let f = Folder::new();
    let (target, link) = (f.path("target"), f.path("link"));
    fs::write(&target, b"not to be touched").unwrap();
    symlink(&target, &link).unwrap();
    assert_eq!(decryptor().decrypt_file(&f.sealed, &link).unwrap_err().code(), "output_exists");
    decryptor().decrypt_to(Input::open(&f.sealed).unwrap(), Output::file(&link).unwrap().replace(true)).unwrap();
    assert_eq!(fs::read(&target).unwrap(), b"not to be touched");
    assert!(fs::symlink_metadata(&link).unwrap().is_file());
    assert!(fs::read(&link).unwrap() == pattern(LEN));
}

#[test]
fn a_dangling_symbolic_link_is_an_existing_output() {
    let f = Folder::new();
    let (target, link) = (f.path("nowhere"), f.path("link"));
    symlink(&target, &link).unwrap();
    assert_eq!(decryptor().decrypt_file(&f.sealed, &link).unwrap_err().code(), "output_exists");
    assert!(!target.exists());
    decryptor().decrypt_to(Input::open(&f.sealed).unwrap(), Output::file(&link).unwrap().replace(true)).unwrap();
    assert!(!target.exists(), "nothing was written through the link");
    assert!(fs::symlink_metadata(&link).unwrap().is_file());
}

#[test]
fn a_symbolic_link_to_the_input_may_be_replaced() {
    let f = Folder::new();
    let link = f.path("link");
    symlink(&f.sealed, &link).unwrap();
    decryptor().decrypt_to(Input::open(&f.sealed).unwrap(), Output::file(&link).unwrap().replace(true)).unwrap();
    assert!(fs::read(&link).unwrap() == pattern(LEN));
    assert_eq!(decryptor().decrypt(&fs::read(&f.sealed).unwrap()).unwrap().len(), LEN, "the input is untouched");
}

#[test]
fn a_folder_is_no_output_and_no_input() {
    let f = Folder::new();
    let folder = f.path("folder");
    fs::create_dir(&folder).unwrap();
    symlink(&folder, f.path("link")).unwrap();
    for path in [folder.clone(), f.path("folder/"), f.path("new/"), f.path("plain/"), f.path("."), f.path("folder/..")]
    {
        let error = decryptor().decrypt_file(&f.sealed, &path).unwrap_err();
        assert_eq!(error.code(), "io", "{}", path.display());
    }
    assert_eq!(Input::open(&folder).unwrap_err().code(), "io");
    let replaced = Output::file(f.path("link")).map(|output| output.replace(true));
    decryptor().decrypt_to(Input::open(&f.sealed).unwrap(), replaced.unwrap()).unwrap();
    assert!(fs::symlink_metadata(f.path("link")).unwrap().is_file(), "a link to a folder is replaced, too");
    assert!(names(&folder).is_empty());
    assert_eq!(f.names(), ["folder", "link", "plain", "sealed"]);
}

#[test]
fn a_missing_folder_or_input_is_an_io_error_that_names_it() {
    let f = Folder::new();
    let missing = f.path("missing/out");
    let Error::Io { path, source, .. } = decryptor().decrypt_file(&f.sealed, &missing).unwrap_err() else { panic!() };
    assert_eq!((path, source.kind()), (Some(missing), io::ErrorKind::NotFound));
    let missing = f.path("missing");
    let Error::Io { path, .. } = decryptor().decrypt_file(&missing, f.path("out")).unwrap_err() else { panic!() };
    assert_eq!(path, Some(missing));
    assert_eq!(f.names(), ["plain", "sealed"]);
}

#[test]
fn a_fifo_is_written_to_directly() {
    let f = Folder::new();
    let fifo = f.path("fifo");
    rustix::fs::mknodat(CWD, &fifo, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    let read = fifo.clone();
    let reader = std::thread::spawn(move || fs::read(read).unwrap());
    decryptor().decrypt_file(&f.sealed, &fifo).unwrap();
    assert!(reader.join().unwrap() == pattern(LEN));
    assert!(!fs::symlink_metadata(&fifo).unwrap().is_file(), "the FIFO is still there");
    assert_eq!(f.names(), ["fifo", "plain", "sealed"]);
}

#[test]
fn a_fifo_is_read_as_a_stream() {
    let f = Folder::new();
    let fifo = f.path("fifo");
    rustix::fs::mknodat(CWD, &fifo, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    let (write, bytes) = (fifo.clone(), fs::read(&f.sealed).unwrap());
    let writer = std::thread::spawn(move || fs::write(write, bytes).unwrap());
    decryptor().decrypt_file(&fifo, f.path("out")).unwrap();
    writer.join().unwrap();
    assert!(fs::read(f.path("out")).unwrap() == pattern(LEN));
}

#[test]
fn a_device_is_written_to_directly() {
    let f = Folder::new();
    decryptor().decrypt_file(&f.sealed, "/dev/null").unwrap();
    assert!(!fs::symlink_metadata("/dev/null").unwrap().is_file());
    assert!(!Output::file("/dev/null").unwrap().is_atomic());
    assert!(Output::file(f.path("new")).unwrap().is_atomic());
    // It takes nothing: the failed write is reported.
    let full = decryptor().decrypt_file(&f.sealed, "/dev/full").unwrap_err();
    assert_eq!(full.code(), "io");
}

#[test]
fn modes_are_private_unless_asked_otherwise() {
    let f = Folder::new();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    let probe = f.path("probe");
    File::create(&probe).unwrap();
    let shared = mode(&probe);
    for (given, expected) in [
        (None, 0o600),
        (Some(FileMode::Private), 0o600),
        (Some(FileMode::Shared), shared),
        (Some(FileMode::Exactly(0o640)), 0o640),
        (Some(FileMode::Exactly(0o400)), 0o400),
        (Some(FileMode::Exactly(0o4755)), 0o755),
    ] {
        for replace in [false, true] {
            let out = f.path("out");
            if replace {
                fs::write(&out, b"old").unwrap();
                fs::set_permissions(&out, fs::Permissions::from_mode(0o666)).unwrap();
            }
            let output = Output::file(&out).unwrap().replace(replace);
            let output = if let Some(mode) = given { output.mode(mode) } else { output };
            decryptor().decrypt_to(Input::open(&f.sealed).unwrap(), output).unwrap();
            assert_eq!(mode(&out), expected, "{given:?}, replace {replace}");
            fs::remove_file(&out).unwrap();
        }
    }
    decryptor().decrypt_file(&f.sealed, f.path("opened")).unwrap();
    assert_eq!(mode(&f.path("opened")), 0o600, "plaintext is private");
    encryptor().encrypt_file(&f.plain, f.path("new")).unwrap();
    assert_eq!(mode(&f.path("new")), shared, "ciphertext is what the umask leaves");
}

#[test]
fn the_input_is_no_output_under_any_name() {
    let f = Folder::new();
    let (hard, link) = (f.path("hard"), f.path("link"));
    fs::hard_link(&f.sealed, &hard).unwrap();
    symlink(&f.sealed, &link).unwrap();
    let before = fs::read(&f.sealed).unwrap();
    for (input, output) in [(&f.sealed, &f.sealed), (&f.sealed, &hard), (&hard, &f.sealed), (&link, &hard)] {
        for replace in [false, true] {
            let input = Input::open(input).unwrap();
            let result = decryptor().decrypt_to(input, Output::file(output).unwrap().replace(replace));
            assert_eq!(result.unwrap_err().code(), "same_file", "{}", output.display());
        }
        let open = OpenOptions::new().append(true).open(output).unwrap();
        let id = FileId::of(&open).unwrap();
        let result = decryptor().decrypt_to(Input::open(input).unwrap(), Output::stream(open, id, None));
        assert_eq!(result.unwrap_err().code(), "same_file", "open {}", output.display());
        let range = Output::file(output).unwrap().replace(true);
        let result = decryptor().decrypt_range_to(Input::open(input).unwrap(), 0..10, range);
        assert_eq!(result.unwrap_err().code(), "same_file", "range to {}", output.display());
        let result = encryptor().encrypt_to(Input::open(input).unwrap(), Output::file(output).unwrap().replace(true));
        assert_eq!(result.unwrap_err().code(), "same_file", "encrypt {}", output.display());
    }
    let empty = f.path("empty");
    File::create(&empty).unwrap();
    let result = encryptor().encrypt_to(Input::open(&empty).unwrap(), Output::file(&empty).unwrap().replace(true));
    assert_eq!(result.unwrap_err().code(), "same_file", "an empty file");
    assert!(fs::read(&f.sealed).unwrap() == before);
    assert_eq!(f.names(), ["empty", "hard", "link", "plain", "sealed"]);
}

#[test]
fn in_place_replaces_the_input_when_the_result_is_complete() {
    let f = Folder::new();
    let in_place = |path: &Path| Output::file(path).unwrap().in_place();
    encryptor().encrypt_to(Input::open(&f.plain).unwrap(), in_place(&f.plain)).unwrap();
    assert_ne!(fs::read(&f.plain).unwrap().len(), LEN);
    decryptor().decrypt_to(Input::open(&f.plain).unwrap(), in_place(&f.plain)).unwrap();
    assert!(fs::read(&f.plain).unwrap() == pattern(LEN));

    let mut damaged = fs::read(&f.sealed).unwrap();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(&f.sealed, &damaged).unwrap();
    assert!(decryptor().decrypt_to(Input::open(&f.sealed).unwrap(), in_place(&f.sealed)).is_err());
    assert!(fs::read(&f.sealed).unwrap() == damaged, "a failure leaves the input as it was");

    let id = FileId::of(&File::open(&f.plain).unwrap()).unwrap().unwrap();
    let protected = in_place(&f.plain).protect(id, &f.plain);
    let result = encryptor().encrypt_to(Input::open(&f.plain).unwrap(), protected);
    assert_eq!(result.unwrap_err().code(), "same_file", "a file of keys is protected even so");
    assert_eq!(f.names(), ["plain", "sealed"]);
}

#[test]
fn in_place_a_file_with_other_names_is_refused_before_any_work_unless_they_are_split() {
    let f = Folder::new();
    let (hard, worked) = (f.path("hard"), Arc::new(AtomicBool::new(false)));
    fs::hard_link(&f.plain, &hard).unwrap();
    let encrypted = |output: Output| {
        let watch = worked.clone();
        let encryptor = encryptor().on_progress(move |_| watch.store(true, Ordering::Relaxed));
        encryptor.encrypt_to(Input::open(&f.plain).unwrap(), output)
    };
    let output = || Output::file(&f.plain).unwrap().in_place();
    for refused in [output(), output().split_links(true).split_links(false)] {
        let error = encrypted(refused).unwrap_err();
        assert!(matches!(&error, Error::HardLinks(path) if *path == f.plain), "{error}");
        let text = format!("{} has other names (hard links), which would keep the old content", f.plain.display());
        assert_eq!(error.to_string(), text);
    }
    assert!(!worked.load(Ordering::Relaxed));
    assert!(fs::read(&f.plain).unwrap() == pattern(LEN));
    assert_eq!(fs::metadata(&f.plain).unwrap().ino(), fs::metadata(&hard).unwrap().ino(), "both are one file still");

    encrypted(output().split_links(true)).unwrap();
    assert!(fs::read(&hard).unwrap() == pattern(LEN), "the other name keeps the old content");
    assert!(decryptor().decrypt(&fs::read(&f.plain).unwrap()).unwrap() == pattern(LEN));
    assert_eq!(fs::metadata(&hard).unwrap().nlink(), 1);
    assert_eq!(f.names(), ["hard", "plain", "sealed"]);
}

#[test]
fn in_place_a_file_that_gets_another_name_meanwhile_is_refused_and_untouched() {
    for split in [false, true] {
        let f = Folder::new();
        let (from, to) = (f.plain.clone(), f.path("hard"));
        // It is called several times.
        let encryptor = encryptor().threads(1).on_progress(move |_| _ = fs::hard_link(&from, &to));
        let output = Output::file(&f.plain).unwrap().in_place().split_links(split);
        let result = encryptor.encrypt_to(Input::open(&f.plain).unwrap(), output);
        assert_eq!(result.map_err(|error| error.code()).err(), (!split).then_some("hard_links"));
        assert!(fs::read(f.path("hard")).unwrap() == pattern(LEN));
        assert_eq!(fs::read(&f.plain).unwrap() == pattern(LEN), !split);
        assert_eq!(f.names(), ["hard", "plain", "sealed"]);
    }
}

#[test]
fn in_place_a_symbolic_link_is_refused_as_what_it_is() {
    let f = Folder::new();
    let link = f.path("link");
    symlink(&f.plain, &link).unwrap();
    for split in [false, true] {
        let output = Output::file(&link).unwrap().in_place().split_links(split);
        let error = encryptor().encrypt_to(Input::open(&link).unwrap(), output).unwrap_err();
        assert!(matches!(&error, Error::NotRegularFile { path, .. } if *path == link), "{error}");
        assert_eq!(error.to_string(), format!("{} is a symbolic link, not a regular file", link.display()));
    }
    assert_eq!(fs::read_link(&link).unwrap(), f.plain);
    assert!(fs::read(&f.plain).unwrap() == pattern(LEN));
    assert_eq!(f.names(), ["link", "plain", "sealed"]);
}

#[test]
fn in_place_a_file_that_is_rewritten_or_removed_meanwhile_keeps_what_it_has() {
    // The last call comes when all is written, and what is empty is read as a stream, which is not compared at its end.
    for content in [pattern(LEN), Vec::new()] {
        let f = Folder::new();
        fs::write(&f.plain, content).unwrap();
        let rewritten = f.plain.clone();
        let encryptor = encryptor().threads(1).on_progress(move |_| fs::write(&rewritten, b"newer").unwrap());
        let output = Output::file(&f.plain).unwrap().in_place();
        let error = encryptor.encrypt_to(Input::open(&f.plain).unwrap(), output).unwrap_err();
        assert!(matches!(&error, Error::InputChanged(path) if *path == f.plain), "{error}");
        assert_eq!(fs::read(&f.plain).unwrap(), b"newer");
        assert_eq!(f.names(), ["plain", "sealed"]);
    }
    let f = Folder::new();
    let removed = f.plain.clone();
    let encryptor = encryptor().threads(1).on_progress(move |_| _ = fs::remove_file(&removed));
    let output = Output::file(&f.plain).unwrap().in_place();
    let error = encryptor.encrypt_to(Input::open(&f.plain).unwrap(), output).unwrap_err();
    assert_eq!(error.code(), "input_changed", "{error}");
    assert_eq!(f.names(), ["sealed"]);
}

#[test]
fn in_place_means_the_file_that_was_opened() {
    let f = Folder::new();
    let input = Input::open(&f.plain).unwrap();
    fs::rename(&f.plain, f.path("moved")).unwrap();
    fs::write(&f.plain, b"another").unwrap();
    let result = encryptor().encrypt_to(input, Output::file(&f.plain).unwrap().in_place());
    assert_eq!(result.unwrap_err().code(), "input_changed");
    assert_eq!(fs::read(&f.plain).unwrap(), b"another");
    assert!(fs::read(f.path("moved")).unwrap() == pattern(LEN));
}

#[test]
fn a_fifo_is_no_file_to_be_replaced_in_place() {
    let f = Folder::new();
    let fifo = f.path("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    // Somebody reads it, so that opening it does not wait.
    let _reader = fs::OpenOptions::new().read(true).write(true).open(&fifo).unwrap();
    let result = encryptor().encrypt_to(Input::open(&f.plain).unwrap(), Output::file(&fifo).unwrap().in_place());
    assert_eq!(result.unwrap_err().code(), "input_changed");
}

#[test]
fn an_output_in_an_open_folder_goes_there_whatever_its_path_says() {
    let f = Folder::new();
    fs::create_dir(f.path("sub")).unwrap();
    let folder = sealstone::Folder::open(f.path("sub")).unwrap();
    let output = Output::file_in(&folder, "/nowhere/out").unwrap();
    fs::rename(f.path("sub"), f.path("moved")).unwrap();
    encryptor().encrypt_to(Input::open(&f.plain).unwrap(), output).unwrap();
    assert_eq!(decryptor().verify(Input::open(f.path("moved/out")).unwrap()).unwrap().plaintext, LEN as u64);

    for name in ["/nowhere/sub/", "/nowhere/sub/.", "/", ".."] {
        let error = Output::file_in(&folder, name).unwrap_err();
        assert!(error.to_string().contains("directory"), "{name}: {error}");
    }
    fs::create_dir(f.path("moved/folder")).unwrap();
    assert!(Output::file_in(&folder, "folder").unwrap_err().to_string().contains("directory"));
    assert_eq!(sealstone::Folder::open(&f.plain).unwrap_err().code(), "io");
    let of_a_file = sealstone::Folder::from(OwnedFd::from(File::open(&f.plain).unwrap()));
    assert_eq!(Output::file_in(&of_a_file, "out").unwrap_err().code(), "io");
}

#[test]
fn a_whole_file_is_written_or_nothing() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("keys");
    for content in [&b"secret"[..], b""] {
        Output::file(&path).unwrap().write_all(content).unwrap();
        assert_eq!(fs::read(&path).unwrap(), content);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o600);
        let again = Output::file(&path).unwrap().write_all(b"other").unwrap_err();
        assert_eq!(again.code(), "output_exists");
        assert_eq!(fs::read(&path).unwrap(), content);
        fs::remove_file(&path).unwrap();
    }
    let mut written = Vec::new();
    Output::writer(&mut written).write_all(b"secret").unwrap();
    assert_eq!(written, b"secret");
    assert_eq!(Output::file("/dev/full").unwrap().write_all(b"secret").unwrap_err().code(), "io");
    assert!(names(folder.path()).is_empty());
}

#[test]
fn a_protected_file_is_no_output() {
    let f = Folder::new();
    let keys = f.path("keys");
    fs::write(&keys, b"secret").unwrap();
    let id = FileId::of(&File::open(&keys).unwrap()).unwrap().unwrap();
    let output = Output::file(&keys).unwrap().replace(true).protect(id, &keys);
    let Error::SameFile(path) = decryptor().decrypt_to(Input::open(&f.sealed).unwrap(), output).unwrap_err() else {
        panic!()
    };
    assert_eq!(path, keys);
    assert_eq!(fs::read(&keys).unwrap(), b"secret");
    assert_eq!(FileId::of(&File::open("/dev/null").unwrap()).unwrap(), None);
}

#[test]
fn nothing_is_left_when_the_input_fails() {
    struct Fails(usize);
    impl Read for Fails {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(out.len()).ok_or_else(|| io::Error::other("gone"))?;
            out.fill(7);
            Ok(out.len())
        }
    }
    let folder = tempdir().unwrap();
    for threads in [1, 3] {
        let out = folder.path().join("out");
        let result =
            encryptor().threads(threads).encrypt_to(Input::reader(Fails(2_000_000)), Output::file(&out).unwrap());
        assert_eq!(result.unwrap_err().code(), "io");
        assert!(names(folder.path()).is_empty());
    }
}

#[test]
fn nothing_has_the_final_name_before_the_end() {
    let f = Folder::new();
    let out = f.path("out");
    let (seen, watch, path) = (Arc::new(AtomicBool::new(false)), f.root.path().to_path_buf(), out.clone());
    let wrong = seen.clone();
    let decryptor = decryptor().threads(1).on_progress(move |_| {
        if path.exists() || names(&watch).iter().any(|name| name != "plain" && name != "sealed" && !is_temporary(name))
        {
            wrong.store(true, Ordering::Relaxed);
        }
    });
    decryptor.decrypt_file(&f.sealed, &out).unwrap();
    assert!(!seen.load(Ordering::Relaxed));
    assert_eq!(f.names(), ["out", "plain", "sealed"]);
}

fn is_temporary(name: &str) -> bool {
    name.starts_with(".sealstone-") && Path::new(name).extension().is_some_and(|extension| extension == "tmp")
}

#[test]
fn without_sync_the_result_is_the_same() {
    let f = Folder::new();
    let out = f.path("out");
    decryptor().decrypt_to(Input::open(&f.sealed).unwrap(), Output::file(&out).unwrap().sync(false)).unwrap();
    assert!(fs::read(&out).unwrap() == pattern(LEN));
}

#[test]
fn an_input_that_grows_is_reported() {
    changing(|path| {
        OpenOptions::new().append(true).open(path).unwrap().write_all(b"more").unwrap();
    });
}

#[test]
fn an_input_that_shrinks_is_reported() {
    changing(|path| OpenOptions::new().write(true).open(path).unwrap().set_len(1_000_000).unwrap());
}

#[test]
fn an_input_that_is_written_into_is_reported() {
    changing(|path| {
        let mut file = OpenOptions::new().write(true).open(path).unwrap();
        file.seek(SeekFrom::Start(5)).unwrap();
        file.write_all(b"other").unwrap();
        // What the clock may be too coarse to show.
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
    });
}

#[test]
fn an_input_whose_rest_is_written_over_is_reported() {
    changing(|path| {
        let mut file = OpenOptions::new().write(true).open(path).unwrap();
        file.seek(SeekFrom::End(-100)).unwrap();
        file.write_all(&[0; 100]).unwrap();
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
    });
}

/// Changes the input from the first call of the progress callback, in every way of reading a file.
fn changing(change: impl Fn(&Path) + Copy + Send + Sync + 'static) {
    for threads in [1, 3] {
        let fresh = || {
            let f = Folder::new();
            let path = f.sealed.clone();
            let done = AtomicBool::new(false);
            let once = move |path: &Path| {
                if !done.swap(true, Ordering::Relaxed) {
                    change(path);
                }
            };
            (f, path, once)
        };
        let (f, path, once) = fresh();
        let decryptor_of = |path: PathBuf, once: Box<dyn Fn(&Path) + Send + Sync>| {
            decryptor().threads(threads).on_progress(move |_| once(&path))
        };
        let result = decryptor_of(path, Box::new(once)).decrypt_file(&f.sealed, f.path("out"));
        assert_changed(result, &f.sealed, "decrypt_file");
        assert_eq!(f.names(), ["plain", "sealed"]);

        let (f, path, once) = fresh();
        let result = decryptor_of(path, Box::new(once)).verify(Input::open(&f.sealed).unwrap());
        assert_changed(result, &f.sealed, "verify");

        let (f, path, once) = fresh();
        let output = Output::writer(io::sink());
        let result = decryptor_of(path, Box::new(once)).decrypt_to(Input::open(&f.sealed).unwrap(), output);
        assert_changed(result, &f.sealed, "file to stream");

        let (f, _, once) = fresh();
        let path = f.plain.clone();
        let encryptor_of = |path: PathBuf, once: Box<dyn Fn(&Path) + Send + Sync>| {
            encryptor().threads(threads).on_progress(move |_| once(&path))
        };
        let result = encryptor_of(path, Box::new(once)).encrypt_file(&f.plain, f.path("out"));
        assert_changed(result, &f.plain, "encrypt_file");
        assert_eq!(f.names(), ["plain", "sealed"]);

        let (f, _, once) = fresh();
        let path = f.plain.clone();
        let encryptor = encryptor_of(path, Box::new(once)).armour(true);
        let result = encryptor.encrypt_to(Input::open(&f.plain).unwrap(), Output::writer(io::sink()));
        assert_changed(result, &f.plain, "file to armoured stream");
    }
}

/// It is not the file's fault: neither truncated nor forged, but changed.
fn assert_changed<T: std::fmt::Debug>(result: sealstone::Result<T>, path: &Path, way: &str) {
    match result {
        Err(Error::InputChanged(named)) => assert_eq!(named, path, "{way}"),
        other => panic!("{way}: {other:?}"),
    }
}

#[test]
fn an_open_file_without_a_name_that_changes_is_reported() {
    let f = Folder::new();
    let path = f.plain.clone();
    let encryptor = encryptor().threads(1).on_progress(move |_| {
        OpenOptions::new().append(true).open(&path).unwrap().write_all(b"more").unwrap();
    });
    let input = Input::from_file(File::open(&f.plain).unwrap(), None).unwrap();
    let error = encryptor.encrypt_to(input, Output::writer(io::sink())).unwrap_err();
    assert_eq!(error.code(), "input_changed", "{error}");
}

#[test]
fn an_open_file_is_read_from_where_it_stands() {
    let f = Folder::new();
    let sealed = fs::read(&f.sealed).unwrap();
    let prefixed = f.path("prefixed");
    fs::write(&prefixed, [b"twelve bytes", &sealed[..]].concat()).unwrap();
    let open = || {
        let mut file = File::open(&prefixed).unwrap();
        file.seek(SeekFrom::Start(12)).unwrap();
        Input::from_file(file, Some(&prefixed)).unwrap()
    };
    assert_eq!(open().len(), Some(sealed.len() as u64));
    decryptor().decrypt_to(open(), Output::file(f.path("out")).unwrap()).unwrap();
    assert!(fs::read(f.path("out")).unwrap() == pattern(LEN));
    assert_eq!(inspect(open()).unwrap().file_len(), sealed.len() as u64);
    let mut written = Vec::new();
    decryptor().decrypt_range_to(open(), 2_000_000..2_000_100, Output::writer(&mut written)).unwrap();
    assert_eq!(written, pattern(LEN)[2_000_000..2_000_100]);
}

#[test]
fn an_open_output_is_written_from_where_it_stands() {
    let f = Folder::new();
    let out = f.path("out");
    fs::write(&out, b"before ").unwrap();
    let file = OpenOptions::new().append(true).open(&out).unwrap();
    decryptor().decrypt_to(Input::open(&f.sealed).unwrap(), Output::writer(file)).unwrap();
    assert!(fs::read(&out).unwrap() == [b"before ", &pattern(LEN)[..]].concat());
}

#[test]
fn an_armoured_file_is_read_and_written_by_name() {
    let f = Folder::new();
    let (text, out) = (f.path("text"), f.path("out"));
    encryptor().armour(true).encrypt_file(&f.plain, &text).unwrap();
    assert!(fs::read(&text).unwrap().is_ascii());
    decryptor().decrypt_file(&text, &out).unwrap();
    assert!(fs::read(&out).unwrap() == pattern(LEN));
    let seen = inspect(Input::open(&text).unwrap()).unwrap();
    assert!(seen.armoured);
    assert_eq!((seen.plaintext_len, seen.chunks), (LEN as u64, LEN as u64 / 16_384 + 1));
}

#[test]
fn names_with_control_characters_are_shown_in_one_line() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a\nb\x1b[2Jc");
    let error = Input::open(&path).unwrap_err();
    let shown = error.to_string();
    assert!(!shown.chars().any(char::is_control), "{shown:?}");
    assert!(shown.contains("a\\nb"), "{shown}");
}

#[test]
fn names_that_are_not_utf_8_work() {
    use std::os::unix::ffi::OsStrExt;
    let f = Folder::new();
    let out = f.root.path().join(std::ffi::OsStr::from_bytes(b"not \xff\xfe text"));
    decryptor().decrypt_file(&f.sealed, &out).unwrap();
    assert!(fs::read(&out).unwrap() == pattern(LEN));
    let error = decryptor().decrypt_file(&f.sealed, &out).unwrap_err();
    assert_eq!(error.code(), "output_exists");
    assert!(error.to_string().contains("not "), "{error}");
}

#[test]
fn an_output_that_is_dropped_leaves_nothing() {
    let f = Folder::new();
    drop(Output::file(f.path("out")).unwrap().replace(true));
    drop(remove_temporaries());
    assert_eq!(f.names(), ["plain", "sealed"]);
}

#[test]
fn a_sparse_input_works() {
    let folder = tempdir().unwrap();
    let (sparse, sealed, out) = (folder.path().join("sparse"), folder.path().join("sealed"), folder.path().join("out"));
    File::create(&sparse).unwrap().set_len(40_000_001).unwrap();
    encryptor().encrypt_file(&sparse, &sealed).unwrap();
    decryptor().decrypt_file(&sealed, &out).unwrap();
    assert!(fs::read(&out).unwrap() == vec![0; 40_000_001]);
}

#[test]
fn kernel_files_of_unknown_length_are_read_as_streams() {
    let folder = tempdir().unwrap();
    let (sealed, out) = (folder.path().join("sealed"), folder.path().join("out"));
    encryptor().encrypt_file("/proc/version", &sealed).unwrap();
    decryptor().decrypt_file(&sealed, &out).unwrap();
    assert_eq!(fs::read(&out).unwrap(), fs::read("/proc/version").unwrap());
}

#[test]
fn an_output_in_a_folder_reached_by_dots_is_made_there() {
    let f = Folder::new();
    fs::create_dir(f.path("a")).unwrap();
    decryptor().decrypt_file(&f.sealed, f.path("a/../b")).unwrap();
    assert_eq!(f.names(), ["a", "b", "plain", "sealed"]);
}

#[test]
fn a_file_of_the_kernel_that_lies_about_its_length_is_read_as_a_stream() {
    let path = Path::new("/sys/devices/system/cpu/possible");
    let content = fs::read(path).unwrap();
    assert_eq!((fs::metadata(path).unwrap().len(), content.len() < 100), (4096, true));
    for input in [Input::open(path).unwrap(), FileAccess::new().input(path).unwrap()] {
        assert_eq!(input.len(), None);
        let mut sealed = Vec::new();
        encryptor().encrypt_to(input, Output::writer(&mut sealed)).unwrap();
        assert_eq!(decryptor().decrypt(&sealed).unwrap(), content);
    }
    let (mut file, mut sealed) = (File::open(path).unwrap(), Vec::new());
    file.seek(SeekFrom::Start(1)).unwrap();
    encryptor().encrypt_to(Input::from_file(file, None).unwrap(), Output::writer(&mut sealed)).unwrap();
    assert_eq!(decryptor().decrypt(&sealed).unwrap(), content[1..]);
    let f = Folder::new();
    assert_eq!(Input::open(&f.plain).unwrap().len(), Some(LEN as u64));
    assert_eq!(FileAccess::new().input(&f.plain).unwrap().len(), Some(LEN as u64));
}

impl Folder {
    fn fifo(&self, name: &str) -> PathBuf {
        rustix::fs::mkfifoat(CWD, self.path(name), Mode::from_raw_mode(0o600)).unwrap();
        self.path(name)
    }
}

/// Access that asks so often whether to go on, and is then cancelled: while it waits it asks again and again.
fn impatient(asked: usize) -> FileAccess {
    let left = AtomicUsize::new(asked);
    let is_over = move || left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err();
    FileAccess::new().allow_special(true).cancel_when(is_over)
}

/// Access that is never cancelled, and how often it asked.
fn counted() -> (FileAccess, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let access = FileAccess::new().allow_special(true).cancel_when(move || {
        count.fetch_add(1, Ordering::SeqCst);
        false
    });
    (access, asked)
}

/// Waits until whoever counts has asked a few times more: it asks once and again where it waits.
fn until_it_waits(asked: &AtomicUsize) {
    let before = asked.load(Ordering::SeqCst);
    wait_until("it waits for a FIFO", || asked.load(Ordering::SeqCst) >= before + 5);
}

#[test]
fn what_is_no_regular_file_is_refused_where_that_was_not_allowed() {
    let f = Folder::new();
    let fifo = f.fifo("fifo");
    symlink(&fifo, f.path("link")).unwrap();
    let socket = std::os::unix::net::UnixListener::bind(f.path("socket")).unwrap();
    let access = FileAccess::new();
    for path in [fifo.clone(), f.path("link"), f.path("socket"), "/dev/zero".into(), "/dev/full".into()] {
        let error = access.input(&path).unwrap_err();
        assert!(matches!(&error, Error::NotRegularFile { path: named, .. } if *named == path), "{error}");
    }
    for path in [fifo.clone(), f.path("socket"), "/dev/full".into()] {
        assert_eq!(access.output(&path).unwrap_err().code(), "not_regular_file", "{path:?}");
    }
    drop(socket);
    assert_eq!(access.input(f.root.path()).unwrap_err().code(), "io");
    assert_eq!(access.input(f.path("missing")).unwrap_err().code(), "io");
    encryptor().encrypt_to(access.input(&f.plain).unwrap(), access.output(f.path("new")).unwrap()).unwrap();
    assert_eq!(decryptor().decrypt(&fs::read(f.path("new")).unwrap()).unwrap(), pattern(LEN));
}

#[test]
fn a_fifo_that_is_allowed_is_waited_for_and_its_end_is_the_end() {
    let f = Folder::new();
    let (from, to) = (f.fifo("from"), f.fifo("to"));
    let (access, asked) = counted();
    std::thread::scope(|scope| {
        let read = scope.spawn(|| {
            // For a reader, for a writer, and for what either does.
            until_it_waits(&asked);
            let mut reader = File::open(&to).unwrap();
            until_it_waits(&asked);
            let mut writer = OpenOptions::new().write(true).open(&from).unwrap();
            until_it_waits(&asked);
            writer.write_all(&pattern(LEN)[..100_000]).unwrap();
            until_it_waits(&asked);
            scope.spawn(move || writer.write_all(&pattern(LEN)[100_000..]).unwrap());
            until_it_waits(&asked);
            let mut sealed = Vec::new();
            reader.read_to_end(&mut sealed).unwrap();
            sealed
        });
        let input = access.input(&from).unwrap();
        encryptor().encrypt_to(input, access.output(&to).unwrap()).unwrap();
        assert!(decryptor().decrypt(&read.join().unwrap()).unwrap() == pattern(LEN));
    });
    // Somebody who writes nothing is the end of an empty input.
    std::thread::scope(|scope| {
        scope.spawn(|| drop(OpenOptions::new().write(true).open(&from).unwrap()));
        let summary = encryptor().encrypt_to(access.input(&from).unwrap(), Output::writer(io::sink())).unwrap();
        assert_eq!(summary.plaintext, 0);
    });
}

#[test]
fn every_wait_for_a_fifo_ends_when_it_is_cancelled() {
    let f = Folder::new();
    let fifo = f.fifo("fifo");
    let read = |access: FileAccess| encryptor().encrypt_to(access.input(&fifo)?, Output::writer(io::sink()));
    assert_eq!(read(impatient(3)).unwrap_err().code(), "cancelled", "nobody writes");
    let ends = OpenOptions::new().read(true).write(true).open(&fifo).unwrap();
    assert_eq!(read(impatient(3)).unwrap_err().code(), "cancelled", "a writer that writes nothing");
    let write = |access: FileAccess| encryptor().encrypt_to(Input::open(&f.plain)?, access.output(&fifo)?);
    assert_eq!(write(impatient(20)).unwrap_err().code(), "cancelled", "a reader that reads nothing");
    // What was written is the beginning of a file, whose end does not come.
    assert_eq!(inspect(impatient(20).input(&fifo).unwrap()).unwrap_err().code(), "cancelled");
    drop(ends);
    assert_eq!(write(impatient(3)).unwrap_err().code(), "cancelled", "nobody reads");
    let full = FileAccess::new().allow_special(true).output("/dev/full").unwrap();
    let full = encryptor().encrypt_to(Input::open(&f.plain).unwrap(), full);
    assert!(full.unwrap_err().to_string().contains("/dev/full"));
}

#[test]
fn what_is_prepared_has_no_name_and_can_be_read_until_it_is_published() {
    let f = Folder::new();
    let (made, late) = (f.path("made"), f.path("late"));
    let prepare = || encryptor().prepare(Input::open(&f.plain).unwrap(), Output::file(&made).unwrap()).unwrap();
    drop(prepare());
    assert_eq!(f.names(), ["plain", "sealed"]);
    let prepared = prepare();
    assert!(!made.exists());
    let head = prepared.input(0).unwrap().head(8).unwrap().to_vec();
    let digest = |from| FileHasher::new(Hasher::new(Algorithm::Sha256)).run(prepared.input(from).unwrap()).unwrap();
    let digests = (digest(0), digest(100));
    let summary = prepared.publish().unwrap();
    let file = fs::read(&made).unwrap();
    assert_eq!((summary.plaintext, summary.ciphertext), (LEN as u64, file.len() as u64));
    assert_eq!(head, file[..8]);
    assert_eq!(digests, (hash(Algorithm::Sha256, &file), hash(Algorithm::Sha256, &file[100..])));
    assert!(decryptor().decrypt(&file).unwrap() == pattern(LEN));
    // What came under its name meanwhile stays.
    let prepared = decryptor().prepare(Input::open(&made).unwrap(), Output::file(&late).unwrap()).unwrap();
    fs::write(&late, "somebody else's").unwrap();
    assert_eq!(prepared.publish().unwrap_err().code(), "output_exists");
    assert_eq!(fs::read(&late).unwrap(), b"somebody else's");
    assert_eq!(f.names(), ["late", "made", "plain", "sealed"]);
    // A stream has all of it already.
    let mut stream = Vec::new();
    let prepared = encryptor().prepare(Input::open(&f.plain).unwrap(), Output::writer(&mut stream)).unwrap();
    assert_eq!(prepared.input(0).unwrap_err().code(), "not_seekable");
    prepared.publish().unwrap();
    assert!(decryptor().decrypt(&stream).unwrap() == pattern(LEN));
}
