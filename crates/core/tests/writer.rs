//! Files that are encrypted as they are written, and heads that are rewrapped by themselves.

mod support;

use sealstone::chunked::HEAD_LEN;
use sealstone::{
    Decryptor, Encryptor, FileMode, FileOpener, Identity, Input, Kind, Output, Passphrase, Rewrapper, inspect,
};
use std::fs;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use support::{decryptor, encryptor, key, names, pattern};
use tempfile::tempdir;

const CHUNK_LEN: usize = 16_384;
/// Bytes of plaintext in the units that a writer seals.
const UNIT_LEN: usize = 16 * CHUNK_LEN;

#[test]
fn what_is_written_in_parts_of_any_length_opens_as_a_whole() {
    for threads in [1, 3] {
        for len in [0, 1, CHUNK_LEN - 1, CHUNK_LEN, CHUNK_LEN + 1, UNIT_LEN, 13 * UNIT_LEN, 13 * UNIT_LEN + 7] {
            for part in [1 + len / 9, 1000, 3 * UNIT_LEN] {
                let plaintext = pattern(len);
                let mut sealed = Vec::new();
                let mut writer = encryptor().threads(threads).writer(Output::writer(&mut sealed)).unwrap();
                for part in plaintext.chunks(part) {
                    writer.write_all(part).unwrap();
                }
                let summary = writer.finish().unwrap();
                assert_eq!((summary.plaintext, summary.ciphertext), (len as u64, sealed.len() as u64));
                assert!(decryptor().decrypt(&sealed).unwrap() == plaintext, "{threads}, {len}, {part}");
            }
        }
    }
}

#[test]
fn a_flush_writes_what_is_full_and_changes_nothing_of_the_file() {
    let shared = Shared::default();
    let mut writer = encryptor().writer(Output::writer(shared.clone())).unwrap();
    let head = shared.len();
    assert!(head > 0, "the head is there from the beginning");
    writer.write_all(&pattern(UNIT_LEN - 1)).unwrap();
    writer.flush().unwrap();
    assert_eq!(shared.len(), head);
    writer.write_all(&pattern(2)).unwrap();
    writer.flush().unwrap();
    assert_eq!(shared.len(), head + UNIT_LEN + 16 * 16);
    writer.finish().unwrap();
    let plaintext = [pattern(UNIT_LEN - 1), pattern(2)].concat();
    assert!(decryptor().decrypt(&shared.0.lock().unwrap()).unwrap() == plaintext);
}

#[test]
fn armour_mode_progress_and_context_are_as_of_encrypt_to() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("file");
    let seen = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&seen);
    let encryptor = encryptor().armour(true).context("record 17").unwrap();
    let encryptor = encryptor.on_progress(move |progress| {
        assert_eq!(progress.total, None);
        counter.fetch_max(progress.done, Ordering::Relaxed);
    });
    let mut writer = encryptor.writer(Output::file(&path).unwrap().mode(FileMode::Shared)).unwrap();
    let plaintext = pattern(5 * UNIT_LEN + 100);
    writer.write_all(&plaintext).unwrap();
    assert!(names(folder.path()).iter().all(|name| name != "file"), "it has no name before the end");
    let summary = writer.finish().unwrap();
    assert_eq!(summary.plaintext, plaintext.len() as u64);
    assert_eq!(seen.load(Ordering::Relaxed), 5 * UNIT_LEN as u64);
    assert_eq!(names(folder.path()), ["file"]);
    let seen = inspect(Input::open(&path).unwrap()).unwrap();
    assert!(seen.armoured && seen.context_bound);
    let opened = decryptor().context("record 17").unwrap().decrypt(&fs::read(&path).unwrap());
    assert!(opened.unwrap() == plaintext);
}

#[test]
fn what_is_dropped_refused_or_failed_leaves_nothing() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("file");
    let output = || Output::file(&path).unwrap();
    let mut writer = encryptor().writer(output()).unwrap();
    writer.write_all(&pattern(20 * UNIT_LEN)).unwrap();
    drop(writer);
    assert!(names(folder.path()).is_empty());

    // A name that comes while it is written is not replaced.
    let mut writer = encryptor().writer(output()).unwrap();
    writer.write_all(b"one").unwrap();
    fs::write(&path, "another").unwrap();
    assert_eq!(writer.finish().unwrap_err().code(), "output_exists");
    assert_eq!(encryptor().writer(output()).unwrap_err().code(), "output_exists");
    assert_eq!(fs::read(&path).unwrap(), b"another");
    encryptor().writer(output().replace(true)).unwrap().finish().unwrap();
    assert!(decryptor().decrypt(&fs::read(&path).unwrap()).unwrap().is_empty());
    assert_eq!(names(folder.path()), ["file"]);

    assert_eq!(Encryptor::new([]).writer(Output::writer(Vec::new())).unwrap_err().code(), "invalid_recipients");

    // After a failure nothing more is taken.
    let mut writer = encryptor().threads(1).writer(Output::writer(Fails(Arc::default()))).unwrap();
    let error = writer.write_all(&pattern(5 * UNIT_LEN)).unwrap_err();
    let error = error.into_inner().unwrap().downcast::<sealstone::Error>().unwrap();
    assert!(error.code() == "io" && error.to_string().contains("no room"), "{error}");
    assert!(writer.write_all(b"x").is_err() && writer.flush().is_err());
    assert_eq!(writer.finish().unwrap_err().code(), "io");

    let mut writer = encryptor().cancel_when(|| true).writer(Output::writer(Vec::new())).unwrap();
    writer.write_all(&pattern(UNIT_LEN)).unwrap();
    assert_eq!(writer.finish().unwrap_err().code(), "cancelled");
}

#[test]
fn a_head_is_rewrapped_by_itself() {
    let other = Identity::generate(Kind::Hybrid).unwrap();
    let sealed = encryptor().encrypt(&pattern(3 * CHUNK_LEN)).unwrap();
    let (head, chunks) = sealed.split_at(FileOpener::read_head_len(&sealed[..FileOpener::START_LEN]).unwrap());
    let rewrapper = Rewrapper::new([key()], [other.recipient()]);
    for rewrapper in [rewrapper.clone(), rewrapper.clone().replace(true)] {
        let new = rewrapper.rewrap_head(head).unwrap();
        assert_eq!(FileOpener::read_head_len(&new[..FileOpener::START_LEN]).unwrap(), new.len());
        let file = [&new, chunks].concat();
        assert!(Decryptor::new([other.clone()]).decrypt(&file).unwrap() == pattern(3 * CHUNK_LEN));
        // The whole file gets a head of the same length.
        assert_eq!(rewrapper.rewrap(&sealed).unwrap().len(), file.len());
    }
    let code = |rewrapper: &Rewrapper, head: &[u8]| rewrapper.rewrap_head(head).unwrap_err().code();
    assert_eq!(code(&rewrapper, &head[..head.len() - 1]), "truncated");
    assert_eq!(code(&rewrapper, &head[..20]), "truncated");
    assert_eq!(code(&rewrapper, &sealed), "wrong_length");
    assert_eq!(code(&rewrapper, b"no file"), "not_sealstone");
    assert_eq!(code(&Rewrapper::new([other.clone()], [other.recipient()]), head), "no_matching_identity");
    let passphrase = Passphrase::new("a passphrase").unwrap();
    assert_eq!(code(&Rewrapper::new([key()], [passphrase.into()]), head), "invalid_recipients");
    let mut changed = head.to_vec();
    changed[head.len() - HEAD_LEN - 1] ^= 1;
    assert_eq!(code(&rewrapper, &changed), "header_not_authentic");
}

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    fn len(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Takes the head, and then nothing.
struct Fails(Arc<AtomicUsize>);

impl Write for Fails {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.fetch_add(1, Ordering::Relaxed) {
            0 => Ok(bytes.len()),
            _ => Err(io::Error::other("no room")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
