//! Checks whole archives.

use crate::archive::Splitter;
use crate::error::{Error, Result};
use crate::file::chunks::Open;
use crate::format::content::read_all;
use crate::format::{Payload, Summary};
use crate::pipeline::{Buffer, Input, Settings, Sink};

/// Refuses a file that is no archive.
pub(super) fn check_is_archive(payload: &Open) -> Result<()> {
    if payload.1.archive { Ok(()) } else { Err(Error::NotAnArchive) }
}

/// Checks all members and the index.
struct Check;

impl Sink for Check {
    type Order = Splitter;
    type Work = ();

    fn sort(&self, splitter: &mut Splitter, _: u64, content: &mut Buffer, (): &mut ()) -> Result<()> {
        splitter.take(content, &mut Vec::new())
    }

    fn apply(&self, (): &mut (), _: &[u8]) -> Result<()> {
        Ok(())
    }
}

/// Authenticates all of an archive, and checks its members and its index.
pub(in crate::file) fn verify(
    payload: &Open,
    at: usize,
    input: &mut Input<'_>,
    settings: &Settings,
) -> Result<Summary> {
    let mut splitter = Splitter::new();
    let (content, stored) = read_all(payload, input, at, &Check, &mut splitter, settings)?;
    splitter.finish()?;
    Ok(Summary { plaintext: content, ciphertext: payload.chunks_len(stored)? + at as u64 })
}
