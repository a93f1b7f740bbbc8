//! Where trials work.

use std::ops::{Deref, DerefMut};

/// Bytes that begin at a cache line: where an allocator happens to put them is worth 1 to 2 %, and would be one
/// engine's luck.
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    start: usize,
}

const LINE: usize = 64;

impl Buffer {
    /// Zeros.
    pub(crate) fn new(len: usize) -> Self {
        let mut bytes = vec![0; len + LINE];
        let start = bytes.as_ptr().align_offset(LINE).min(LINE);
        bytes.truncate(start + len);
        Self { bytes, start }
    }

    /// Zeros of this length, begun with these bytes.
    pub(crate) fn beginning_with(bytes: &[u8], len: usize) -> Self {
        let mut buffer = Self::new(len);
        buffer[..bytes.len()].copy_from_slice(bytes);
        buffer
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_begins_at_a_cache_line() {
        for len in [0, 1, 17, 4096, 1 << 20] {
            let buffer = Buffer::beginning_with(&vec![7; len], len + 16);
            assert_eq!(buffer.as_ptr().align_offset(LINE), 0);
            assert!(buffer.len() == len + 16 && buffer[..len].iter().all(|byte| *byte == 7));
        }
    }
}
