//! Reads what [`pack`](super::pack) wrote: the transformed pieces become packed parts again, and these become content.
//!
//! Workers transform units of pieces in parallel. In turns, they cut the bytes into packed parts: a worker gets the beginning of
//! its first part from the workers before it, and leaves them the beginning of a part that its unit does not complete. They
//! unpack in parallel, and give the content to a sink, which sorts it in order and can do the rest in parallel.

use super::input::{Region, Source};
use super::line::{Line, Station};
use super::output::TempFile;
use super::unit::Unit;
use super::{Ending, Meter, Transform, Wiped};
use crate::error::{Error, Result};
use std::io::{ErrorKind, IoSlice, Read, Write};
use std::ops::Range;
use std::sync::Mutex;

/// Bytes of pieces in a unit. Packed parts can be content of many times their length, so a unit is shorter than elsewhere.
const UNIT_LEN: usize = 256 << 10;

/// Cuts packed parts out of the bytes of pieces, and unpacks them.
pub(crate) trait Unpack: Sync {
    /// The state of cutting.
    type Cutter: Send;

    /// The packed parts of a unit.
    type Packs: Default;

    /// The memory of a worker.
    type Worker;

    /// Makes the memory of a worker.
    fn worker(&self) -> Self::Worker;

    /// Cuts the next bytes into packed parts. `is_last` says that no bytes follow. Returns the first fault; `packs` then has the
    /// parts before it.
    fn cut(
        &self,
        cutter: &mut Self::Cutter,
        bytes: &mut Wiped,
        is_last: bool,
        packs: &mut Self::Packs,
    ) -> Option<Error>;

    /// The offset of the content of the next part; `None` if no part is left.
    fn next_at(packs: &Self::Packs) -> Option<u64>;

    /// Unpacks some of the parts, one or more, into `content`, which it clears before. Returns the first fault; `content` then
    /// has the content before it.
    fn unpack(&self, worker: &mut Self::Worker, packs: &mut Self::Packs, content: &mut Buffer) -> Option<Error>;
}

/// Takes content.
pub(crate) trait Sink: Sync {
    /// The state that takes content in order.
    type Order: Send;

    /// The work on some content that can be done in parallel.
    type Work: Default;

    /// Takes the content from offset `at` on, in order. Only a sink without other work may take the memory itself.
    fn sort(&self, order: &mut Self::Order, at: u64, content: &mut Buffer, work: &mut Self::Work) -> Result<()>;

    /// Does the work on this content.
    fn apply(&self, work: &mut Self::Work, content: &[u8]) -> Result<()>;
}

/// The pieces to read.
pub(crate) struct Pieces<'a> {
    pub(crate) transform: &'a dyn Transform,
    pub(crate) source: Source<'a>,
    /// The transformed bytes to read, of a region; all of them if `None`.
    pub(crate) window: Option<Range<u64>>,
}

impl Pieces<'_> {
    /// Reads, unpacks and sinks all pieces.
    ///
    /// # Errors
    /// The error of the first fault. The sink has got all content before it.
    pub(crate) fn run<U: Unpack, S: Sink>(
        self,
        unpack: &U,
        cutter: &mut U::Cutter,
        sink: &S,
        order: &mut S::Order,
        meter: &Meter<'_>,
    ) -> Result<()> {
        let Self { transform, source, window } = self;
        assert_eq!(transform.ending(), Ending::Short, "unpack: the last piece is short");
        let unit_pieces = UNIT_LEN / transform.output_len();
        let all = |region: &Region<'_>| Ending::Short.pieces(region.len(), transform.input_len());
        let (input, region, threads) = match source {
            Source::Region(region) => {
                let all = all(&region);
                let len = transform.output_len() as u64;
                let left =
                    window.as_ref().map_or(0..all, |window| window.start / len..window.end.div_ceil(len).min(all));
                let threads =
                    if left.end.saturating_sub(left.start) > unit_pieces as u64 { meter.threads() } else { 1 };
                (Input::Region { left, all }, Some(region), threads)
            }
            Source::Reader(reader) => {
                (Input::Reader { reader, pieces: 0, is_ended: false, fault: None }, None, meter.threads() + 1)
            }
        };
        let (input, cutting, sinking) = (Mutex::new(input), Station::new(0, cutter), Station::new(1, order));
        Line::run(meter, threads, |line| {
            let mut unit = Unit::new(transform, unit_pieces);
            let mut memory = Memory::<U, S>::new(unpack);
            let mut claimed = Claimed::default();
            while let Some(place) = line.claim(&input, |input| input.claim(&mut unit, &mut claimed))? {
                let mut fault = claimed.fault.take();
                if let Some(region) = &region {
                    place.check(claimed.read(&mut unit, region))?;
                }
                fault = unit.transform(claimed.first, claimed.is_last).err().or(fault);
                memory.take(&unit, claimed.first * transform.output_len() as u64, window.as_ref());
                let Memory { bytes, packs, worker, content, work } = &mut memory;
                fault = place.turn_unless(&cutting, |cutter| {
                    // If a piece failed, bytes are missing, and these are not the last.
                    let is_last = claimed.is_last && fault.is_none();
                    let fault = unpack.cut(cutter, bytes, is_last, packs).or(fault);
                    let is_some = fault.is_some();
                    Ok((fault, is_some))
                })?;
                content.clear();
                let mut at = U::next_at(packs);
                if at.is_some() {
                    fault = unpack.unpack(worker, packs, content).or(fault);
                }
                fault = place.turn_unless(&sinking, |order| {
                    while let Some(offset) = at {
                        sink.sort(order, offset, content, work)?;
                        at = U::next_at(packs);
                        if at.is_some() {
                            sink.apply(work, content)?;
                            fault = unpack.unpack(worker, packs, content).or(fault.take());
                        }
                    }
                    let is_some = fault.is_some();
                    Ok((fault, is_some))
                })?;
                place.check(sink.apply(work, content))?;
                place.check(fault.map_or(Ok(()), Err))?;
                place.done(unit.filled());
            }
            Ok(())
        })
    }
}

/// The memory of a worker.
struct Memory<U: Unpack, S: Sink> {
    /// The bytes of the transformed pieces.
    bytes: Wiped,
    packs: U::Packs,
    worker: U::Worker,
    content: Buffer,
    work: S::Work,
}

impl<U: Unpack, S: Sink> Memory<U, S> {
    fn new(unpack: &U) -> Self {
        let (packs, work) = (U::Packs::default(), S::Work::default());
        Self { bytes: Wiped::default(), packs, worker: unpack.worker(), content: Buffer::default(), work }
    }

    /// Takes the transformed bytes of a unit, which begins at an offset, as far as they are within the window.
    fn take(&mut self, unit: &Unit<'_>, offset: u64, window: Option<&Range<u64>>) {
        self.bytes.clear();
        self.bytes.make_room(unit.ready());
        unit.store_to(&mut *self.bytes).expect("unpack: memory takes it");
        if let Some(window) = window {
            let within = |at: u64| usize::try_from(at.saturating_sub(offset)).unwrap_or(usize::MAX);
            self.bytes.truncate(within(window.end));
            let before = within(window.start).min(self.bytes.len());
            self.bytes.drain(..before);
        }
    }
}

/// A unit that a worker has claimed.
#[derive(Default)]
struct Claimed {
    /// The number of its first piece.
    first: u64,
    /// The number of its pieces, in a region.
    pieces: usize,
    is_last: bool,
    /// The error of reading behind it.
    fault: Option<Error>,
}

impl Claimed {
    /// Reads the pieces of a region.
    fn read(&self, unit: &mut Unit<'_>, region: &Region<'_>) -> Result<()> {
        let piece_len = unit.capacity() / unit.pieces();
        let at = self.first * piece_len as u64;
        let want = usize::try_from(region.len() - at).unwrap_or(usize::MAX).min(self.pieces * piece_len);
        unit.fill(want, |done, slices| region.read_at(slices, at + done as u64))
            .map_err(|error| Error::from_io("read", region.path, error))
    }
}

/// The pieces that are not claimed yet.
enum Input<'a> {
    /// The numbers of the pieces, and the number of all pieces of the region.
    Region {
        left: Range<u64>,
        all: u64,
    },
    Reader {
        reader: Box<dyn Read + Send + 'a>,
        pieces: u64,
        is_ended: bool,
        fault: Option<Error>,
    },
}

impl Input<'_> {
    fn claim(&mut self, unit: &mut Unit<'_>, claimed: &mut Claimed) -> Result<bool> {
        match self {
            Self::Region { left, all } => {
                let pieces = unit.pieces().min(usize::try_from(left.end - left.start).unwrap_or(usize::MAX));
                *claimed =
                    Claimed { first: left.start, pieces, is_last: left.start + pieces as u64 == *all, fault: None };
                left.start += pieces as u64;
                Ok(pieces > 0)
            }
            Self::Reader { reader, pieces, is_ended, fault } => {
                if let Some(fault) = fault.take() {
                    return Err(fault);
                }
                if *is_ended {
                    return Ok(false);
                }
                let read = unit.fill_from(unit.capacity(), reader);
                *is_ended = read.is_ok() && unit.filled() < unit.capacity();
                if let Err(error) = read {
                    // It is reported behind the pieces that were read before it.
                    *fault = Some(Error::from_io("read", None, error));
                    unit.keep_whole();
                    if unit.filled() == 0 {
                        return Err(fault.take().expect("unpack: it was set"));
                    }
                }
                *claimed = Claimed { first: *pieces, pieces: unit.pieces(), is_last: *is_ended, fault: None };
                *pieces += unit.pieces() as u64;
                Ok(true)
            }
        }
    }
}

/// Takes content at its offsets in a file.
pub(crate) struct AtOffsets<'a>(pub(crate) &'a TempFile);

impl Sink for AtOffsets<'_> {
    type Order = ();
    type Work = Option<u64>;

    fn sort(&self, (): &mut (), at: u64, _: &mut Buffer, work: &mut Option<u64>) -> Result<()> {
        *work = Some(at);
        Ok(())
    }

    fn apply(&self, work: &mut Option<u64>, mut content: &[u8]) -> Result<()> {
        let Some(mut at) = work.take() else { return Ok(()) };
        let fail = |error| Error::from_io("write", Some(self.0.path()), error);
        while !content.is_empty() {
            match self.0.write_at(&[IoSlice::new(content)], at) {
                Ok(0) => return Err(fail(ErrorKind::WriteZero.into())),
                Ok(n) => {
                    content = &content[n..];
                    at += n as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(fail(error)),
            }
        }
        Ok(())
    }
}

/// Writes a range of the content in order.
pub(crate) struct InOrder<'w> {
    range: Range<u64>,
    writer: Mutex<&'w mut (dyn Write + Send)>,
}

impl<'w> InOrder<'w> {
    pub(crate) fn new(range: Range<u64>, writer: &'w mut (dyn Write + Send)) -> Self {
        Self { range, writer: Mutex::new(writer) }
    }
}

impl Sink for InOrder<'_> {
    type Order = ();
    type Work = ();

    fn sort(&self, (): &mut (), at: u64, content: &mut Buffer, (): &mut ()) -> Result<()> {
        let part = &content[within(&self.range, at, content.len())];
        let mut writer = self.writer.lock().expect("unpack: no worker panics");
        writer.write_all(part).map_err(|error| Error::from_io("write", None, error))
    }

    fn apply(&self, (): &mut (), _: &[u8]) -> Result<()> {
        Ok(())
    }
}

/// Keeps a range of the content.
pub(crate) struct InMemory(pub(crate) Range<u64>);

impl Sink for InMemory {
    type Order = Wiped;
    type Work = ();

    fn sort(&self, kept: &mut Wiped, at: u64, content: &mut Buffer, (): &mut ()) -> Result<()> {
        let part = within(&self.0, at, content.len());
        let len = usize::try_from(self.0.end - self.0.start).expect("unpack: memory holds it");
        if part == (0..len) {
            *kept = content.take();
            kept.truncate(len);
        } else {
            kept.make_room(len - kept.len());
            kept.extend(&content[part]);
        }
        Ok(())
    }

    fn apply(&self, (): &mut (), _: &[u8]) -> Result<()> {
        Ok(())
    }
}

/// Where a range is in `len` bytes of content from offset `at` on.
pub(crate) fn within(range: &Range<u64>, at: u64, len: usize) -> Range<usize> {
    let place = |offset: u64| usize::try_from(offset.saturating_sub(at)).unwrap_or(usize::MAX).min(len);
    place(range.start)..place(range.end)
}

/// Memory for content, which is not zeroed again before it is used again.
#[derive(Default)]
pub(crate) struct Buffer {
    memory: Wiped,
    len: usize,
}

impl Buffer {
    /// The number of bytes in use.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Takes `len` bytes more into use, and returns these, which have any content.
    pub(crate) fn extend(&mut self, len: usize) -> &mut [u8] {
        let before = self.len;
        self.len += len;
        if self.memory.len() < self.len {
            self.memory.set_len(self.len);
        }
        &mut self.memory[before..self.len]
    }

    /// Gives the bytes in use away, with the memory.
    pub(crate) fn take(&mut self) -> Wiped {
        let mut memory = std::mem::take(&mut self.memory);
        memory.truncate(std::mem::take(&mut self.len));
        memory
    }

    /// Exchanges the memory for these bytes.
    pub(crate) fn swap(&mut self, bytes: &mut Wiped) {
        std::mem::swap(&mut self.memory, bytes);
        self.len = self.memory.len();
    }
}

impl From<Wiped> for Buffer {
    fn from(bytes: Wiped) -> Self {
        Self { len: bytes.len(), memory: bytes }
    }
}

impl std::ops::Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.memory[..self.len]
    }
}
