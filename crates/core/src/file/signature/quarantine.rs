//! Holds signed content back until it is verified (spec/signature.md section 4.2).

use super::write;
use crate::error::{Error, Result};
use crate::pipeline::{Destination, Output};
use std::io::{self, Write};

/// The most bytes held in memory.
const MEMORY_MAX_LEN: usize = 64 << 20;

/// Content that is not released yet: in a file without a name, or in memory before it goes to a stream.
pub(super) enum Quarantine<'a> {
    File(Destination<'a>),
    Memory(Output<'a>, Memory),
}

impl<'a> Quarantine<'a> {
    /// Begins without content. `len` is the content's length, if it is known.
    pub(super) fn begin(output: Output<'a>, len: Option<u64>) -> Result<Self> {
        if output.is_atomic() {
            return output.begin(len).map(Self::File);
        }
        if len.is_some_and(|len| len > MEMORY_MAX_LEN as u64) {
            return Err(Error::TooMuchToHold(MEMORY_MAX_LEN));
        }
        Ok(Self::Memory(output, Memory(Vec::new())))
    }

    /// Calls `write` with a writer for the content.
    pub(super) fn with_writer<T>(&mut self, write: impl FnOnce(&mut (dyn Write + Send)) -> Result<T>) -> Result<T> {
        match self {
            Self::File(destination) => destination.with_writer(write),
            Self::Memory(_, memory) => write(memory),
        }
    }

    /// Releases the content after its verification.
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
