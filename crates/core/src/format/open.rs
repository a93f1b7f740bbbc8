//! Decrypting, verifying and reading in part, for files of every format.

use super::delivery::{Delivery, Part};
use super::{Configured, Format, Payload, Prepared, Summary};
use crate::error::{Error, Result};
use crate::pipeline::{Destination, Input, Output, Settings, Source};
use std::io::Read;
use std::ops::Range;
use zeroize::Zeroizing;

/// Reads files of one format.
pub(crate) trait Reader: Configured {
    type Format: Format;

    /// What opens the chunks.
    type Payload: Payload;

    /// Reads the head; returns what opens the chunks, and where they begin. Plaintext of a stream goes out chunk by chunk.
    ///
    /// # Errors
    /// Those of the head and of the keys; [`Error::InvalidOption`] of a file that has no chunks.
    fn open(&self, input: &mut Input<'_>, is_stream: bool) -> Result<(Self::Payload, usize)>;

    /// Whether nothing of this file goes out before all of it was verified, so that a stream need not be read twice for that.
    fn holds_back(&self, _: &mut Input<'_>) -> Result<bool> {
        Ok(false)
    }

    /// Decrypts a file without armour; to [`Output::nothing`], authenticates it.
    fn run<'o>(&self, input: &mut Input<'_>, output: Output<'o>) -> Result<(Destination<'o>, Summary)> {
        let opened = self.open(input, output.is_stream())?;
        deliver(opened, self.settings(), input, output)
    }
}

/// Decrypts the chunks of a file, whose head was read: what opens them, and where they begin.
pub(crate) fn deliver<'o>(
    (payload, at): (impl Payload, usize),
    settings: &Settings,
    input: &mut Input<'_>,
    output: Output<'o>,
) -> Result<(Destination<'o>, Summary)> {
    let len = input.len().map(|len| payload.plaintext_len(len - at as u64)).transpose()?;
    let settings = payload.bounded(settings);
    let delivery = Delivery { head: &[], transform: payload, len, armour: None };
    let delivered = delivery.run(input, at, output, &settings);
    let (destination, plaintext) = delivery.transform.finish(delivered)?;
    let ciphertext = delivery.transform.chunks_len(plaintext)? + at as u64;
    Ok((destination, Summary { plaintext, ciphertext }))
}

/// Decrypts up to where the output would appear: all of it is authentic then.
pub(crate) fn decrypt<'o, R: Reader>(reader: &R, input: Input<'_>, output: Output<'o>) -> Result<Prepared<'o>> {
    decrypt_with(reader, input, output, reader.settings().verify_first)
}

/// With `verify_first`, all of the input is authenticated before the first byte is written.
fn decrypt_with<'o, R: Reader>(
    reader: &R,
    mut input: Input<'_>,
    output: Output<'o>,
    verify_first: bool,
) -> Result<Prepared<'o>> {
    output.check(&input)?;
    let is_in_place = output.is_in_place();
    if verify_first && input.len().is_some() {
        let verified = R::Format::dearmoured(&mut input, is_in_place, |input| reader.run(input, Output::nothing()));
        input.finish_with(verified)?;
    } else if verify_first && !reader.holds_back(&mut input)? {
        // What is wrong with the file is said first.
        R::Format::dearmoured(&mut input, is_in_place, |input| reader.open(input, false).map(drop))?;
        return Err(Error::NotSeekable);
    }
    let decrypted = R::Format::dearmoured(&mut input, is_in_place, |input| reader.run(input, output));
    input.finish_with(decrypted).map(Prepared::new)
}

/// Authenticates all of an input and writes nothing.
pub(crate) fn verify<R: Reader>(reader: &R, mut input: Input<'_>) -> Result<Summary> {
    let verified = R::Format::dearmoured(&mut input, false, |input| reader.run(input, Output::nothing()));
    let (_, summary) = input.finish_with(verified)?;
    Ok(summary)
}

/// Decrypts a part of the plaintext, an end past whose end is cut to it; returns how many bytes were written.
pub(crate) fn decrypt_range<R: Reader>(
    reader: &R,
    mut input: Input<'_>,
    range: Range<u64>,
    output: Output<'_>,
) -> Result<u64> {
    output.check(&input)?;
    if R::Format::is_armoured(&mut input)? {
        return Err(Error::NotSeekable);
    }
    let (payload, at) = reader.open(&mut input, output.is_stream())?;
    let Source::Region(region) = input.source(at) else { return Err(Error::NotSeekable) };
    let part = Part { open: &payload, plaintext_len: payload.plaintext_len(region.len())?, range };
    let read_from = |offset| -> Box<dyn Read + Send + '_> { Box::new(region.reader(offset)) };
    let mut destination = output.begin(None)?;
    let settings = payload.bounded(reader.settings());
    let written = destination.with_writer(|writer| part.read(read_from, writer, &settings));
    let written = input.finish_with(payload.finish(written))?;
    destination.commit()?;
    Ok(written)
}

/// The same of a file in memory without armour.
pub(crate) fn decrypt_range_in_memory<R: Reader>(reader: &R, file: &[u8], range: Range<u64>) -> Result<Vec<u8>> {
    let (payload, at) = reader.open(&mut Input::reader(file), false)?;
    let chunks = &file[at..];
    let part = Part { open: &payload, plaintext_len: payload.plaintext_len(chunks.len() as u64)?, range };
    payload.finish(part.in_memory(chunks, &payload.bounded(reader.settings())))
}

/// Decrypts a file in memory, armour or not. Nothing is released after an error.
pub(crate) fn decrypt_in_memory<R: Reader>(reader: &R, file: &[u8]) -> Result<Vec<u8>> {
    let mut plaintext = Zeroizing::new(Vec::with_capacity(file.len()));
    decrypt_with(reader, Input::reader(file), Output::writer(&mut *plaintext), false)?.publish()?;
    Ok(std::mem::take(&mut *plaintext))
}
