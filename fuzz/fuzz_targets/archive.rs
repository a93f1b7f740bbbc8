//! Arbitrary content as an archive: what checks it, lists it, reads members of it and extracts it agrees.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use sealstone::{Archive, Entry, Error, Extractor, Input, MemberKind, Output};
use sealstone_fuzz::content::{Content, Seeds, open, repair_checksums, seal};
use sealstone_fuzz::decryptor;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::LazyLock;

static SEEDS: LazyLock<Seeds> = LazyLock::new(|| Seeds::read("archive_", open));

#[derive(Arbitrary, Debug)]
struct Case {
    content: Content,
    /// Whether headers get their checksums.
    is_repaired: bool,
}

/// Files that are longer are not extracted: a hole can have any length.
const LONGEST: u64 = 1 << 20;

fuzz_target!(|case: Case| {
    let mut content = case.content.bytes(&SEEDS);
    if case.is_repaired {
        repair_checksums(&mut content);
    }
    let place = tempfile::tempdir().expect("archive: a folder");
    let sealed = place.path().join("sealed");
    let file = seal(false, true, &content);
    fs::write(&sealed, &file).expect("archive: a file");

    // Whatever it holds, it is the content; also for who reads it as a stream.
    let decryptor = decryptor();
    let mut streamed = Vec::new();
    decryptor
        .decrypt_to(Input::reader(&file[..]), Output::writer(&mut streamed))
        .expect("archive: its chunks are authentic");
    assert!(streamed == content);

    let open = || Input::open(&sealed).expect("archive: the file is there");
    let verified = decryptor.verify(open());
    let from_stream = decryptor.verify(Input::reader(&file[..]));
    assert_eq!(verified.as_ref().map_err(Error::code), from_stream.as_ref().map_err(Error::code));
    let listed = list(&sealed);
    let is_short = listed.as_ref().is_ok_and(|entries| entries.iter().map(|entry| entry.size).sum::<u64>() <= LONGEST);
    if let Ok(entries) = &listed
        && is_short
    {
        for entry in entries {
            check_member(&sealed, entry, verified.is_ok());
        }
    }
    if verified.is_ok() {
        let entries = listed.expect("archive: what is verified can be listed");
        if is_short {
            check_extraction(place.path(), &sealed, &entries);
        }
    } else if is_short || listed.is_err() {
        let target = place.path().join("out");
        let extractor = Extractor::new(decryptor).sync(false).outside_links(true);
        extractor.extract(open(), &target).expect_err("archive: extraction accepts what verification refuses");
        assert!(!target.exists(), "archive: nothing is left");
    }
});

fn list(sealed: &Path) -> Result<Vec<Entry>, Error> {
    Archive::open(&decryptor(), Input::open(sealed)?)?.entries()?.collect()
}

/// A member by name is the member in order.
fn check_member(sealed: &Path, entry: &Entry, is_verified: bool) {
    let mut archive = Archive::open(&decryptor(), Input::open(sealed).unwrap()).expect("archive: it was listed");
    let read = archive.read(&entry.path);
    match entry.kind {
        MemberKind::File if is_verified => {
            assert_eq!(read.expect("archive: a member that was verified").len() as u64, entry.size)
        }
        MemberKind::HardLink if is_verified => drop(read.expect("archive: a link's file")),
        MemberKind::Folder | MemberKind::SymbolicLink => assert!(read.is_err()),
        _ => {}
    }
}

fn check_extraction(place: &Path, sealed: &Path, entries: &[Entry]) {
    let target = place.join("out");
    let extractor = Extractor::new(decryptor()).sync(false).outside_links(true);
    match extractor.extract(Input::open(sealed).unwrap(), &target) {
        Ok(extracted) => {
            assert_eq!(extracted.members, entries.len() as u64);
            let mut archive = Archive::open(&decryptor(), Input::open(sealed).unwrap()).unwrap();
            for entry in entries.iter().filter(|entry| entry.kind == MemberKind::File) {
                let path = target.join(OsStr::from_bytes(&entry.path));
                // A file without permission is readable here, since the fuzzer is root or the owner reads its own.
                if let Ok(bytes) = fs::read(path) {
                    assert!(bytes == archive.read(&entry.path).expect("archive: a member of it"));
                }
            }
        }
        // The system has limits that the format does not have: of names, and of paths.
        Err(error) => {
            assert!(["io", "names_collide", "unsafe_member"].contains(&error.code()), "{error}");
            assert!(!target.exists(), "archive: nothing is left");
        }
    }
}
