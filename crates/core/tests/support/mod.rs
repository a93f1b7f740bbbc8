//! What several test programs share.

// Each of them uses a part of it.
#![allow(dead_code)]

use data_encoding::HEXLOWER;
use sealstone::{Decryptor, Encryptor, Identity, Input, Output, Result, SymmetricKey};
use sha2::{Digest, Sha256};
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

#[path = "../../../cli/tests/support/chance.rs"]
pub(crate) mod chance;

/// A folder of the repository's vectors.
pub(crate) fn vectors(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(folder)
}

pub(crate) fn hex(text: &str) -> Vec<u8> {
    HEXLOWER.decode(text.as_bytes()).expect("lower-case hexadecimal")
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(bytes))
}

/// Bytes that show where they come from: `i % 251`, as no power of two is a multiple of 251.
pub(crate) fn pattern(len: usize) -> Vec<u8> {
    (0..=250).cycle().take(len).collect()
}

/// An identity that costs no public-key operation: tests that open thousands of files use it.
pub(crate) fn key() -> Identity {
    SymmetricKey::from_bytes(&[0x5e; 32]).into()
}

pub(crate) fn encryptor() -> Encryptor {
    Encryptor::new([key().recipient()])
}

pub(crate) fn decryptor() -> Decryptor {
    Decryptor::new([key()])
}

/// Reads each range between two of `places`, in memory and of the file at `path`, and compares it with the plaintext.
pub(crate) fn check_ranges(
    plaintext: &[u8],
    path: &Path,
    places: &[usize],
    of_memory: impl Fn(Range<u64>) -> Result<Vec<u8>>,
    of_file: impl Fn(Input<'_>, Range<u64>, Output<'_>) -> Result<u64>,
) {
    let len = plaintext.len();
    for &start in places {
        for &end in places {
            let range = start as u64..end as u64;
            let expected = if start > end || start > len { None } else { Some(&plaintext[start..end.min(len)]) };
            let read = of_memory(range.clone());
            let mut out = Vec::new();
            let file = of_file(Input::open(path).unwrap(), range, Output::writer(&mut out));
            match expected {
                None => {
                    assert_eq!(read.unwrap_err().code(), "range_out_of_bounds", "{len}: {start}..{end}");
                    assert_eq!(file.unwrap_err().code(), "range_out_of_bounds", "{len}: {start}..{end}");
                }
                Some(part) => {
                    let is_right = read.unwrap() == part && file.unwrap() == part.len() as u64 && out == part;
                    assert!(is_right, "{len}: {start}..{end}");
                }
            }
        }
    }
}

/// Names of what is in a folder.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Gives its bytes in pieces of these lengths, over and over, and is interrupted now and then.
pub(crate) struct Pieces<'a> {
    bytes: &'a [u8],
    lengths: Vec<usize>,
    calls: usize,
}

impl<'a> Pieces<'a> {
    pub(crate) fn new(bytes: &'a [u8], lengths: &[usize]) -> Self {
        Self { bytes, lengths: lengths.to_vec(), calls: 0 }
    }
}

impl Read for Pieces<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.calls += 1;
        if self.calls % 7 == 3 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let len = self.lengths[self.calls % self.lengths.len()].min(out.len()).min(self.bytes.len());
        let (now, rest) = self.bytes.split_at(len);
        out[..len].copy_from_slice(now);
        self.bytes = rest;
        Ok(len)
    }
}

/// Like `&mut Vec<u8>`, but takes its bytes in pieces of these lengths.
pub(crate) struct Takes<'a> {
    bytes: &'a mut Vec<u8>,
    lengths: Vec<usize>,
    calls: usize,
}

impl<'a> Takes<'a> {
    pub(crate) fn new(bytes: &'a mut Vec<u8>, lengths: &[usize]) -> Self {
        Self { bytes, lengths: lengths.to_vec(), calls: 0 }
    }
}

impl io::Write for Takes<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.calls += 1;
        if self.calls % 5 == 2 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let len = self.lengths[self.calls % self.lengths.len()].min(bytes.len());
        self.bytes.extend_from_slice(&bytes[..len]);
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
