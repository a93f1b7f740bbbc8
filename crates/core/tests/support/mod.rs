//! What several test programs share.

// Each of them uses a part of it.
#![allow(dead_code)]

use data_encoding::HEXLOWER;
use sealstone::{Decryptor, Encryptor, Identity, SymmetricKey};
use sha2::{Digest, Sha256};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

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
