//! Plaintext in memory, whose length is not known before.

use crate::error::Error;
use crate::pipeline::Wiped;
use std::io::{self, Write};

/// Memory for at most `limit` bytes of plaintext.
pub(crate) struct Memory {
    bytes: Wiped,
    limit: u64,
}

impl Memory {
    pub(crate) fn new(limit: u64) -> Self {
        Self { bytes: Wiped::default(), limit }
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes.into_bytes()
    }
}

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if (self.bytes.len() + bytes.len()) as u64 > self.limit {
            return Err(io::Error::other(Error::TooMuchContent(self.limit)));
        }
        self.bytes.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
