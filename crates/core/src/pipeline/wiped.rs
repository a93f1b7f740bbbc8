//! Memory for plaintext whose length changes.

use super::clear;
use std::ops::{Deref, DerefMut};

/// Bytes of plaintext. All memory that held them is cleared on drop, also behind their end.
///
/// A vector frees what it outgrows as it is, so [`extend`](Self::extend) and [`make_room`](Self::make_room) have to be used before it grows.
#[derive(Default)]
pub(crate) struct Wiped(Vec<u8>);

impl Wiped {
    /// Makes room for `more` bytes behind these, and clears the memory that they leave.
    pub(crate) fn make_room(&mut self, more: usize) {
        let len = self.0.len();
        if self.0.capacity() - len < more {
            let mut larger = Vec::with_capacity((2 * len).max(len + more));
            larger.extend_from_slice(&self.0);
            drop(Self(std::mem::replace(&mut self.0, larger)));
        }
    }

    /// Appends bytes.
    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        self.make_room(bytes.len());
        self.0.extend_from_slice(bytes);
    }

    /// Makes these `len` bytes, with zeros behind those that are there.
    #[cfg(all(feature = "archive", not(target_family = "wasm")))]
    pub(crate) fn set_len(&mut self, len: usize) {
        if self.0.is_empty() && self.0.capacity() < len {
            // The system's memory is zero already.
            drop(Self(std::mem::replace(&mut self.0, vec![0; len])));
        }
        self.make_room(len.saturating_sub(self.0.len()));
        self.0.resize(len, 0);
    }

    /// Gives the bytes away.
    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        std::mem::take(&mut self.0)
    }
}

impl From<Vec<u8>> for Wiped {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl Deref for Wiped {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.0
    }
}

impl DerefMut for Wiped {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.0
    }
}

impl Drop for Wiped {
    fn drop(&mut self) {
        self.0.resize(self.0.capacity(), 0);
        clear(&mut self.0);
    }
}
