//! Writes a file to an output: a head, and behind it the transformed pieces of an input; or a part of the transformed pieces.

use super::armour::{Armour, Label};
use crate::error::{Error, Result};
use crate::pipeline::{
    Destination, Input, Meter, Output, Piece, Settings, Source, Span, Transform, clear, run_memory, run_ordered,
    run_positional,
};
use std::io::{self, Read, Write};
use std::ops::Range;

/// A head, and a transform of the pieces behind it.
pub(super) struct Delivery<'a> {
    /// The bytes before the pieces.
    pub(super) head: &'a [u8],
    pub(super) transform: &'a dyn Transform,
    /// Bytes of all transformed pieces, if known in advance.
    pub(super) len: Option<u64>,
    /// The label of the output's armour; `None` for binary.
    pub(super) armour: Option<Label>,
}

impl Delivery<'_> {
    /// Transforms the pieces of an input from byte `at` on, and writes them; returns the bytes written behind the head.
    pub(super) fn run<'o>(
        &self,
        input: &mut Input<'_>,
        at: usize,
        output: Output<'o>,
        settings: &Settings,
    ) -> Result<(Destination<'o>, u64)> {
        let &Self { head, transform, len, armour } = self;
        let meter = Meter::new(settings, input.len().map(|len| len - at as u64));
        let total = len.map(|len| len + head.len() as u64);
        let mut destination = output.begin(if armour.is_some() { None } else { total })?;
        let region_len = || len.expect("delivery: a region has a length");
        let written = match (input.source(at), &mut destination) {
            (Source::Region(region), Destination::File(file)) if armour.is_none() => {
                file.write_head(head)?;
                run_positional(transform, &region, Some(file), &meter)?;
                region_len()
            }
            (Source::Region(region), Destination::Nothing) => {
                run_positional(transform, &region, None, &meter)?;
                region_len()
            }
            (source, destination) => destination.with_writer(|writer| {
                let mut reader = source.into_reader();
                let write = |error| Error::from_io("write", None, error);
                if let Some(label) = armour {
                    let mut armour = Armour::new(label, writer);
                    armour.write_all(head).map_err(write)?;
                    let written = run_ordered(transform, Span::ALL, &mut reader, &mut armour, &meter)?;
                    armour.finish().map_err(write)?;
                    Ok(written)
                } else {
                    writer.write_all(head).map_err(write)?;
                    run_ordered(transform, Span::ALL, &mut reader, writer, &meter)
                }
            })?,
        };
        Ok((destination, written))
    }
}

/// A part of a file's plaintext.
pub(super) struct Part<'a> {
    pub(super) open: &'a dyn Transform,
    /// Bytes of the whole plaintext, by the length of the file, which is not authenticated.
    pub(super) plaintext_len: u64,
    pub(super) range: Range<u64>,
}

impl Part<'_> {
    /// Writes the part, and returns its length. `read_from` returns a reader of the sealed pieces from an offset on.
    pub(super) fn read<'a>(
        self,
        read_from: impl Fn(u64) -> Box<dyn Read + Send + 'a>,
        writer: &mut (dyn Write + Send),
        settings: &Settings,
    ) -> Result<u64> {
        let meter = Meter::new(settings, None);
        let read = |first: u64, whole: Option<u64>, writer: &mut (dyn Write + Send)| {
            let mut reader = read_from(first * self.open.input_len() as u64);
            run_ordered(self.open, Span { first, whole }, &mut reader, writer, &meter)
        };
        let last = self.last();
        let range = self.clip_range(|| read(last, None, &mut io::sink()).map(drop))?;
        let len = range.end - range.start;
        if len > 0 {
            let (first, past) = self.pieces(&range);
            let whole = (past <= last).then_some(past - first);
            let skip = range.start - first * self.open.output_len() as u64;
            read(first, whole, &mut Window { writer, skip, take: len })?;
        }
        Ok(len)
    }

    /// Opens the part of a file in memory.
    pub(super) fn in_memory(self, sealed: &[u8], settings: &Settings) -> Result<Vec<u8>> {
        let (input_len, output_len) = (self.open.input_len(), self.open.output_len());
        // The last index comes from the sealed length, because the last chunk may be empty behind a whole one.
        let last = self.open.ending().pieces(sealed.len() as u64, input_len) - 1;
        let apply = |slot: &mut [u8], index: u64| {
            let start = in_memory_len(index) * input_len;
            let sealed = &sealed[start..sealed.len().min(start + input_len)];
            slot[..sealed.len()].copy_from_slice(sealed);
            self.open.apply(Piece { index, is_last: index == last }, slot, sealed.len())
        };
        let slot = || Slot(vec![0; input_len.max(output_len)]);
        let range = self.clip_range(|| apply(&mut slot().0, last).map(drop))?;
        let mut plaintext = vec![0; in_memory_len(range.end - range.start)];
        if !plaintext.is_empty() {
            let (first, past) = self.pieces(&range);
            let (len, mut rest, mut skip) =
                (plaintext.len(), &mut plaintext[..], in_memory_len(range.start) % output_len);
            let parts = (first..past).map(|index| {
                let room = std::mem::take(&mut rest);
                let (bytes, behind) = room.split_at_mut(room.len().min(output_len - skip));
                rest = behind;
                (index, std::mem::take(&mut skip), bytes)
            });
            run_memory(parts, len, &Meter::new(settings, None), slot, |slot, (index, skip, bytes)| {
                apply(&mut slot.0, index)?;
                bytes.copy_from_slice(&slot.0[skip..skip + bytes.len()]);
                Ok(bytes.len())
            })?;
        }
        Ok(plaintext)
    }

    /// The index of the last piece.
    fn last(&self) -> u64 {
        self.open.ending().pieces(self.plaintext_len, self.open.output_len()) - 1
    }

    /// Clips the range to the plaintext. If the range reveals where the plaintext ends, `open_last` authenticates the end
    /// first.
    fn clip_range(&self, open_last: impl FnOnce() -> Result<()>) -> Result<Range<u64>> {
        let (Range { start, end }, len) = (self.range.clone(), self.plaintext_len);
        if start > end {
            return Err(Error::RangeOutOfBounds);
        }
        if end > len || start == len {
            open_last()?;
        }
        if start > len { Err(Error::RangeOutOfBounds) } else { Ok(start..end.min(len)) }
    }

    /// The pieces that hold a range: the index of the first, and the index behind the last.
    fn pieces(&self, range: &Range<u64>) -> (u64, u64) {
        let len = self.open.output_len() as u64;
        (range.start / len, range.end.div_ceil(len))
    }
}

/// A length in memory, as `usize`.
fn in_memory_len(len: u64) -> usize {
    usize::try_from(len).expect("delivery: it is in memory")
}

/// Memory for one piece, cleared on drop.
struct Slot(Vec<u8>);

impl Drop for Slot {
    fn drop(&mut self) {
        clear(&mut self.0);
    }
}

/// A writer that skips `skip` bytes, passes on the next `take` bytes, and drops the rest.
struct Window<'a> {
    writer: &'a mut (dyn Write + Send),
    skip: u64,
    take: u64,
}

impl Write for Window<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let skip = bytes.len().min(usize::try_from(self.skip).unwrap_or(usize::MAX));
        let rest = &bytes[skip..];
        let take = rest.len().min(usize::try_from(self.take).unwrap_or(usize::MAX));
        self.writer.write_all(&rest[..take])?;
        self.skip -= skip as u64;
        self.take -= take as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
