//! Where signed content waits until it is verified (spec/signature.md section 4.2).

use super::write;
use crate::error::{Error, Result};
use crate::pipeline::{Destination, Output};
use std::io::{self, Write};

/// Bytes that wait in memory at the most.
const MEMORY_MAX_LEN: usize = 64 << 20;

/// What nobody has seen yet: a file without its name, or memory before a stream.
pub(super) enum Waiting<'a> {
    File(Destination<'a>),
    Memory(Output<'a>, Memory),
}

impl<'a> Waiting<'a> {
    /// Begins with nothing, for content of this length, if it is known.
    pub(super) fn begin(output: Output<'a>, len: Option<u64>) -> Result<Self> {
        if output.is_atomic() {
            return output.begin(len).map(Self::File);
        }
        if len.is_some_and(|len| len > MEMORY_MAX_LEN as u64) {
            return Err(Error::TooMuchToHold(MEMORY_MAX_LEN));
        }
        Ok(Self::Memory(output, Memory(Vec::new())))
    }

    /// Calls `write` with this place as a stream.
    pub(super) fn with_writer<T>(&mut self, write: impl FnOnce(&mut (dyn Write + Send)) -> Result<T>) -> Result<T> {
        match self {
            Self::File(destination) => destination.with_writer(write),
            Self::Memory(_, memory) => write(memory),
        }
    }

    /// Lets it go, since it is verified.
    pub(super) fn release(self) -> Result<()> {
        match self {
            Self::File(destination) => destination.commit(),
            Self::Memory(output, Memory(content)) => output.begin(None)?.with_writer(|writer| write(writer, &content)),
        }
    }
}

pub(super) struct Memory(Vec<u8>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() > MEMORY_MAX_LEN - self.0.len() {
            return Err(Error::TooMuchToHold(MEMORY_MAX_LEN).into_io());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
