//! The names in one folder, in little memory: 6 bytes over the length of each.

use super::os::{self, Folder};
use std::io::{self, ErrorKind};

/// Names in the order in which the folder has them, or sorted.
#[derive(Default)]
pub(super) struct Names {
    /// For each name its length in two bytes, and the name.
    bytes: Vec<u8>,
    /// The offset of each name in `bytes`.
    starts: Vec<u32>,
}

impl Names {
    /// The names of a folder, and the error after which names may be missing.
    pub(super) fn of(folder: &Folder) -> (Self, Option<io::Error>) {
        let (mut names, mut is_full) = (Self::default(), false);
        let listed = os::list(folder, |name| is_full |= !names.push(name));
        let error = listed.err().or_else(|| is_full.then(|| ErrorKind::FileTooLarge.into()));
        (names, error)
    }

    /// `false` if there is no room for the name, which no system's names reach.
    fn push(&mut self, name: &[u8]) -> bool {
        let (Ok(start), Ok(len)) = (u32::try_from(self.bytes.len()), u16::try_from(name.len())) else { return false };
        self.bytes.extend_from_slice(&len.to_le_bytes());
        self.bytes.extend_from_slice(name);
        self.starts.push(start);
        true
    }

    /// Sorts the names as bytes.
    pub(super) fn sort(&mut self) {
        let bytes = &self.bytes;
        self.starts.sort_unstable_by(|a, b| name_at(bytes, *a).cmp(name_at(bytes, *b)));
        self.bytes.shrink_to_fit();
        self.starts.shrink_to_fit();
    }

    pub(super) fn get(&self, index: usize) -> Option<&[u8]> {
        self.starts.get(index).map(|start| name_at(&self.bytes, *start))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The bytes of memory that it takes.
    #[cfg(test)]
    pub(super) fn memory(&self) -> usize {
        self.bytes.capacity() + self.starts.capacity() * size_of::<u32>()
    }
}

fn name_at(bytes: &[u8], start: u32) -> &[u8] {
    let (len, rest) = bytes[start as usize..].split_first_chunk().expect("names: each has a length");
    &rest[..usize::from(u16::from_le_bytes(*len))]
}
