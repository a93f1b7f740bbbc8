//! Writes archives to programs that read `tar`.

use crate::archive::{BLOCK_LEN, Splitter};
use crate::error::{Error, Result};
use crate::file::chunks::Open;
use crate::format::content::read_all;
use crate::format::{Payload, Summary};
use crate::pipeline::{Buffer, Destination, Input, Output, Settings, Sink};
use std::io::{ErrorKind, Write};
use std::sync::Mutex;

/// Writes an archive in order. A program that reads `tar` stops at the two blocks of zeros, and may close the pipe before it got the index.
/// The rest is then checked, and written nowhere.
struct Tape<'w>(Mutex<Written<'w>>);

struct Written<'w> {
    writer: &'w mut (dyn Write + Send),
    len: u64,
    is_closed: bool,
}

impl Sink for Tape<'_> {
    /// What has found the end of the members; `None` if the archive is malformed. That is no error here, since the content is authentic.
    type Order = Option<Splitter>;
    type Work = ();

    fn sort(&self, order: &mut Option<Splitter>, _: u64, content: &mut Buffer, (): &mut ()) -> Result<()> {
        if let Some(splitter) = order
            && splitter.take(content, &mut Vec::new()).is_err()
        {
            *order = None;
        }
        self.0.lock().expect("tape: no worker panics").write(content, order.as_ref())
    }

    fn apply(&self, (): &mut (), _: &[u8]) -> Result<()> {
        Ok(())
    }
}

impl Written<'_> {
    fn write(&mut self, mut content: &[u8], splitter: Option<&Splitter>) -> Result<()> {
        while !content.is_empty() && !self.is_closed {
            match self.writer.write(content) {
                Ok(0) => return Err(Error::from_io("write", None, ErrorKind::WriteZero.into())),
                Ok(len) => {
                    self.len += len as u64;
                    content = &content[len..];
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => self.check(Error::from_io("write", None, error), splitter)?,
            }
        }
        Ok(())
    }

    fn flush(&mut self, splitter: Option<&Splitter>) -> Result<()> {
        if self.is_closed {
            return Ok(());
        }
        self.writer.flush().or_else(|error| self.check(Error::from_io("write", None, error), splitter))
    }

    /// Accepts that the reader has closed the pipe if it got all members, and the first block of zeros.
    fn check(&mut self, error: Error, splitter: Option<&Splitter>) -> Result<()> {
        let is_closed = matches!(&error, Error::Io { source, .. } if source.kind() == ErrorKind::BrokenPipe);
        let needed = splitter.and_then(Splitter::archive_len).map(|len| len - BLOCK_LEN as u64);
        self.is_closed = is_closed && needed.is_some_and(|needed| self.len >= needed);
        if self.is_closed { Ok(()) } else { Err(error) }
    }
}

/// Decrypts an archive to a stream.
pub(in crate::file) fn write_tape<'o>(
    payload: &Open,
    at: usize,
    input: &mut Input<'_>,
    output: Output<'o>,
    settings: &Settings,
) -> Result<(Destination<'o>, Summary)> {
    let mut destination = output.begin(None)?;
    let mut order = Some(Splitter::new());
    let (content, stored) = destination.with_writer(|writer| {
        let tape = Tape(Mutex::new(Written { writer, len: 0, is_closed: false }));
        let read = read_all(payload, input, at, &tape, &mut order, settings)?;
        tape.0.into_inner().expect("tape: no worker panics").flush(order.as_ref())?;
        Ok(read)
    })?;
    let ciphertext = payload.chunks_len(stored)? + at as u64;
    Ok((destination, Summary { plaintext: content, ciphertext }))
}
