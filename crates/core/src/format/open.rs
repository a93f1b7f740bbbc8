//! Decrypts and verifies files of every format, and reads ranges of them.

use super::delivery::{Delivery, Part};
use super::memory::Memory;
use super::{Configured, Format, Payload, Prepared, Summary};
use crate::error::{Error, Result};
use crate::pipeline::{Destination, Input, Output, Settings, Source};
use std::io::Read;
use std::ops::Range;
use zeroize::Zeroizing;

/// Reads files of one format.
pub(crate) trait Reader: Configured {
    type Format: Format;

    /// The transform that opens the chunks.
    type Payload: Payload;

    /// Reads the head; returns the transform that opens the chunks, and their offset. `is_stream` says that plaintext goes out
    /// chunk by chunk.
    ///
    /// # Errors
    /// The errors of the head and of the keys; [`Error::InvalidOption`] for a file without chunks.
    fn open(&self, input: &mut Input<'_>, is_stream: bool) -> Result<(Self::Payload, usize)>;

    /// The most bytes of a compressed file's content that are taken into memory.
    fn content_limit(&self) -> u64 {
        u64::MAX
    }

    /// Whether no plaintext of this file goes out before the whole file is verified. Then a stream need not be read twice.
    fn holds_back(&self, _: &mut Input<'_>) -> Result<bool> {
        Ok(false)
    }

    /// Decrypts a file without armour. With [`Output::nothing`], it only authenticates the file. Callers then
    /// say that the file is authentic, so a format that authenticates nothing must return an error there.
    fn run<'o>(&self, input: &mut Input<'_>, output: Output<'o>) -> Result<(Destination<'o>, Summary)> {
        let opened = self.open(input, output.is_stream())?;
        deliver(opened, self.settings(), input, output)
    }

    /// Authenticates all of a file without armour, and checks all that it can.
    fn check(&self, input: &mut Input<'_>) -> Result<Summary> {
        self.run(input, Output::nothing()).map(|(_, summary)| summary)
    }
}

/// Decrypts the chunks of a file with the transform and the offset that [`Reader::open`] returned.
pub(crate) fn deliver<'o>(
    (payload, at): (impl Payload, usize),
    settings: &Settings,
    input: &mut Input<'_>,
    output: Output<'o>,
) -> Result<(Destination<'o>, Summary)> {
    #[cfg(all(feature = "archive", not(target_family = "wasm")))]
    if payload.is_compressed() {
        return super::content::deliver_content(&payload, at, settings, input, output);
    }
    let len = input.len().map(|len| payload.plaintext_len(len - at as u64)).transpose()?;
    let settings = payload.limit_threads(settings);
    let delivery = Delivery { head: &[], transform: &payload, len, armour: None };
    let delivered = delivery.run(input, at, output, &settings);
    let (destination, plaintext) = payload.finish(delivered)?;
    let ciphertext = payload.chunks_len(plaintext)? + at as u64;
    Ok((destination, Summary { plaintext, ciphertext }))
}

/// Decrypts without publishing the output, all of which is then authentic.
pub(crate) fn decrypt<'o, R: Reader>(reader: &R, input: Input<'_>, output: Output<'o>) -> Result<Prepared<'o>> {
    decrypt_with(reader, input, output, reader.settings().verify_first)
}

/// With `verify_first`, authenticates the whole input before the first byte is written.
fn decrypt_with<'o, R: Reader>(
    reader: &R,
    mut input: Input<'_>,
    output: Output<'o>,
    verify_first: bool,
) -> Result<Prepared<'o>> {
    output.check(&input)?;
    let is_in_place = output.is_in_place();
    if verify_first && input.len().is_some() {
        let verified = R::Format::strip_armour(&mut input, is_in_place, |input| reader.run(input, Output::nothing()));
        input.finish_with(verified)?;
    } else if verify_first && !reader.holds_back(&mut input)? {
        // An error of the file takes precedence over NotSeekable.
        R::Format::strip_armour(&mut input, is_in_place, |input| reader.open(input, false).map(drop))?;
        return Err(Error::NotSeekable);
    }
    let decrypted = R::Format::strip_armour(&mut input, is_in_place, |input| reader.run(input, output));
    input.finish_with(decrypted).map(Prepared::new)
}

/// Authenticates all of an input and writes nothing.
pub(crate) fn verify<R: Reader>(reader: &R, mut input: Input<'_>) -> Result<Summary> {
    let verified = R::Format::strip_armour(&mut input, false, |input| reader.check(input));
    input.finish_with(verified)
}

/// Decrypts a range of the plaintext, cut to its end; returns the number of bytes written.
pub(crate) fn decrypt_range<R: Reader>(
    reader: &R,
    input: Input<'_>,
    range: Range<u64>,
    output: Output<'_>,
) -> Result<u64> {
    deliver_range(reader, input, range, output, u64::MAX)
}

/// As [`decrypt_range`], into memory.
pub(crate) fn decrypt_range_from<R: Reader>(reader: &R, input: Input<'_>, range: Range<u64>) -> Result<Vec<u8>> {
    let mut plaintext = Memory::new(u64::MAX);
    deliver_range(reader, input, range, Output::writer(&mut plaintext), reader.content_limit())?;
    Ok(plaintext.into_bytes())
}

/// Decrypts a range which, of a compressed file, has at most `limit` bytes.
fn deliver_range<R: Reader>(
    reader: &R,
    mut input: Input<'_>,
    range: Range<u64>,
    output: Output<'_>,
    #[cfg_attr(not(all(feature = "archive", not(target_family = "wasm"))), expect(unused_variables))] limit: u64,
) -> Result<u64> {
    output.check(&input)?;
    if R::Format::is_armoured(&mut input)? {
        return Err(Error::NotSeekable);
    }
    let (payload, at) = reader.open(&mut input, output.is_stream())?;
    let Source::Region(region) = input.source(at) else { return Err(Error::NotSeekable) };
    #[cfg(all(feature = "archive", not(target_family = "wasm")))]
    if payload.is_compressed() {
        let mut destination = output.begin(None)?;
        let written = destination.with_writer(|writer| {
            super::content::write_range(&payload, region, &range, limit, writer, reader.settings())
        });
        let written = input.finish_with(written)?;
        destination.commit()?;
        return Ok(written);
    }
    let part = Part { open: &payload, plaintext_len: payload.plaintext_len(region.len())?, range };
    let read_from = |offset| -> Box<dyn Read + Send + '_> { Box::new(region.reader(offset)) };
    let mut destination = output.begin(None)?;
    let settings = payload.limit_threads(reader.settings());
    let written = destination.with_writer(|writer| part.read(read_from, writer, &settings));
    let written = input.finish_with(payload.finish(written))?;
    destination.commit()?;
    Ok(written)
}

/// As [`decrypt_range`], for a file in memory without armour.
pub(crate) fn decrypt_range_in_memory<R: Reader>(reader: &R, file: &[u8], range: Range<u64>) -> Result<Vec<u8>> {
    let (payload, at) = reader.open(&mut Input::reader(file), false)?;
    let chunks = &file[at..];
    #[cfg(all(feature = "archive", not(target_family = "wasm")))]
    if payload.is_compressed() {
        return super::content::range_in_memory(&payload, chunks, &range, reader.content_limit());
    }
    let part = Part { open: &payload, plaintext_len: payload.plaintext_len(chunks.len() as u64)?, range };
    payload.finish(part.in_memory(chunks, &payload.limit_threads(reader.settings())))
}

/// Decrypts a compressed file in memory, without armour.
#[cfg(all(feature = "archive", not(target_family = "wasm")))]
pub(crate) fn decrypt_content_in_memory<R: Reader>(reader: &R, file: &[u8]) -> Result<Vec<u8>> {
    let mut content = Memory::new(reader.content_limit());
    decrypt_with(reader, Input::reader(file), Output::writer(&mut content), false)?.publish()?;
    Ok(content.into_bytes())
}

/// Decrypts a file in memory, armour or not. Nothing is released after an error.
pub(crate) fn decrypt_in_memory<R: Reader>(reader: &R, file: &[u8]) -> Result<Vec<u8>> {
    let mut plaintext = Zeroizing::new(Vec::with_capacity(file.len()));
    decrypt_with(reader, Input::reader(file), Output::writer(&mut *plaintext), false)?.publish()?;
    Ok(std::mem::take(&mut *plaintext))
}
