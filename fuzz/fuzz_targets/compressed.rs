//! Arbitrary stored content as frames and a seek table: every way of reading it agrees, and with zstd.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use sealstone::{Input, Output};
use sealstone_fuzz::content::{Content, Seeds, seal};
use sealstone_fuzz::decryptor;
use std::fs;
use std::sync::LazyLock;

/// Content is recompressed here: a vector opens to its content, and not to what is stored.
static SEEDS: LazyLock<Seeds> =
    LazyLock::new(|| Seeds::read("compressed_", |file| decryptor().decrypt(file).ok().map(|content| store(&content))));

#[derive(Arbitrary, Debug)]
struct Case {
    stored: Content,
    start: u32,
    len: u32,
}

/// Content that is longer is only slow.
const LONGEST: u64 = 16 << 20;

fuzz_target!(|case: Case| {
    let stored = case.stored.bytes(&SEEDS);
    let file = seal(true, false, &stored);
    let decryptor = decryptor().content_limit(LONGEST);
    let opened = decryptor.decrypt(&file);
    let place = tempfile::tempdir().expect("compressed: a folder");
    let sealed = place.path().join("sealed");
    fs::write(&sealed, &file).expect("compressed: a file");
    let open = || Input::open(&sealed).expect("compressed: the file is there");
    let range = u64::from(case.start)..u64::from(case.start) + u64::from(case.len);
    let in_memory = decryptor.decrypt_range(&file, range.clone());
    let mut part = Vec::new();
    let read = decryptor.decrypt_range_to(open(), range.clone(), Output::writer(&mut part));
    match opened {
        Ok(content) => {
            assert!(content == unpack(&stored), "compressed: zstd has another content");
            assert_eq!(decryptor.verify(open()).expect("compressed: it opens").plaintext, content.len() as u64);
            assert_eq!(decryptor.verify(Input::reader(&file[..])).unwrap().plaintext, content.len() as u64);
            let len = content.len() as u64;
            if range.start <= len {
                let expected =
                    &content[usize::try_from(range.start).unwrap()..usize::try_from(range.end.min(len)).unwrap()];
                assert!(in_memory.expect("compressed: a range of a good file") == expected);
                assert_eq!(read.expect("compressed: a range of a good file"), expected.len() as u64);
                assert!(part == expected);
            } else {
                assert_eq!(in_memory.unwrap_err().code(), "range_out_of_bounds");
                assert_eq!(read.unwrap_err().code(), "range_out_of_bounds");
            }
        }
        Err(error) => {
            assert!(["malformed_compression", "too_long"].contains(&error.code()), "{error}");
            if error.code() == "malformed_compression" {
                // From a stream the order of the checks is another, but not the verdict.
                decryptor.verify(Input::reader(&file[..])).expect_err("compressed: a stream accepts it");
                decryptor.verify(open()).expect_err("compressed: a file accepts it");
            }
            // A range may be good where the rest is not.
            assert_eq!(in_memory.is_ok(), read.is_ok());
        }
    }
});

/// What zstd reads, also behind the first frame.
fn unpack(stored: &[u8]) -> Vec<u8> {
    zstd::decode_all(stored).expect("compressed: zstd reads what was accepted")
}

/// Two frames and their seek table.
fn store(content: &[u8]) -> Vec<u8> {
    let (mut stored, mut entries) = (Vec::new(), Vec::new());
    for part in
        [&content[..content.len() / 3], &content[content.len() / 3..]].into_iter().filter(|part| !part.is_empty())
    {
        let frame = zstd::bulk::compress(part, 1).expect("compressed: zstd packs");
        entries.extend_from_slice(&u32::try_from(frame.len()).unwrap().to_le_bytes());
        entries.extend_from_slice(&u32::try_from(part.len()).unwrap().to_le_bytes());
        stored.extend_from_slice(&frame);
    }
    let count = u32::try_from(entries.len() / 8).unwrap();
    stored.extend_from_slice(&[0x5e, 0x2a, 0x4d, 0x18]);
    stored.extend_from_slice(&(u32::try_from(entries.len()).unwrap() + 9).to_le_bytes());
    stored.extend_from_slice(&entries);
    stored.extend_from_slice(&count.to_le_bytes());
    stored.extend_from_slice(&[0, 0xb1, 0xea, 0x92, 0x8f]);
    stored
}
