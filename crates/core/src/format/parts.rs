//! Processes a stream that comes in parts of any length: fills units of chunks, hands them out, and runs them on the caller's
//! threads. It does no I/O.

use super::Payload;
use crate::error::{Error, Result};
use crate::pipeline::{Ending, Piece, clear};
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Chunks of a full unit: half of a file's unit, because the thread that ends a stream also runs the last unit.
pub(crate) const UNIT_CHUNKS: usize = 16;

/// A payload for units of a stream.
pub(crate) trait InParts: Payload {
    /// Whether it seals: bytes that no unit has taken are then plaintext, and zeroed.
    const IS_SEALING: bool;

    /// A transform for the chunks of one unit, on any thread, without state of other units.
    fn for_unit(&self) -> Self;
}

/// The chunks of one stream.
pub(crate) struct Parts<P> {
    payload: P,
    /// The next chunk; `None` after the last.
    next: Option<u64>,
    /// The bytes that no unit has taken yet.
    places: Places,
    /// The lowest chunk that failed to open. Chunks behind it need not be opened.
    failed: Arc<AtomicU64>,
}

/// Chunks, each in a place with room for the longer of its input and its output.
struct Places {
    bytes: Vec<u8>,
    has_plaintext: bool,
}

impl Places {
    /// Places with other bytes and the same flag.
    fn with_bytes(&self, bytes: Vec<u8>) -> Self {
        Self { bytes, has_plaintext: self.has_plaintext }
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        if self.has_plaintext {
            clear(&mut self.bytes);
        }
    }
}

impl<P: InParts> Parts<P> {
    pub(crate) fn new(payload: P) -> Self {
        let places = Places { bytes: Vec::new(), has_plaintext: P::IS_SEALING };
        Self { payload, next: Some(0), places, failed: Arc::new(AtomicU64::new(u64::MAX)) }
    }

    pub(crate) fn payload(&self) -> &P {
        &self.payload
    }

    pub(crate) fn next(&self) -> Option<u64> {
        self.next
    }

    /// Reserves the next `count` chunks, the last of the stream if `is_end`; returns the index of the first. Every index is
    /// reserved once, so no nonce seals two chunks.
    ///
    /// # Panics
    /// After the end.
    pub(crate) fn claim(&mut self, count: usize, is_end: bool) -> u64 {
        let first = self.next.expect("parts: there is no unit after the last");
        self.next = (!is_end).then_some(first + count as u64);
        first
    }

    /// Takes as many bytes of the stream as the next unit has room for; returns their number.
    pub(crate) fn fill(&mut self, bytes: &[u8]) -> usize {
        let (place_len, room) = (place_len(&self.payload), room(&self.payload));
        let unit_len = self.unit_len();
        let mut rest = bytes;
        while !rest.is_empty() && self.len() < unit_len {
            let open = (place_len - self.len() % place_len - room).min(unit_len - self.len());
            let (now, later) = rest.split_at(rest.len().min(open));
            // Room for a tag follows a whole chunk.
            let is_whole = (self.len() + now.len()) % place_len == place_len - room;
            let tag_len = if is_whole { room } else { 0 };
            self.make_room(now.len() + tag_len, rest.len() + (rest.len() / (place_len - room) + 1) * room);
            self.places.bytes.extend_from_slice(now);
            self.append_zeros(tag_len);
            rest = later;
        }
        bytes.len() - rest.len()
    }

    /// Takes the next unit, if it is full.
    pub(crate) fn take(&mut self) -> Option<Unit<P>> {
        (self.len() >= self.unit_len()).then(|| self.split_unit(UNIT_CHUNKS))
    }

    /// Takes the whole chunks as a unit, except for one that may be the last.
    pub(crate) fn flush(&mut self) -> Option<Unit<P>> {
        let len = match self.payload.ending() {
            Ending::Short => self.len(),
            Ending::Whole => self.len().saturating_sub(1),
        };
        let count = len / place_len(&self.payload);
        (count > 0).then(|| self.split_unit(count))
    }

    /// Returns the last unit, with all remaining bytes.
    pub(crate) fn finish(mut self) -> Unit<P> {
        let (place_len, room) = (place_len(&self.payload), room(&self.payload));
        let count = self.payload.ending().pieces(self.len() as u64, place_len);
        let count = usize::try_from(count).expect("parts: a unit is in memory");
        if self.len() < count * place_len {
            self.make_room(room, room);
            self.append_zeros(room);
        }
        let first = self.claim(count, true);
        Unit { payload: self.payload, first, count, places: self.places, is_end: true, failed: self.failed }
    }

    /// Makes a unit of the stream from the caller's bytes.
    pub(crate) fn unit_from(&self, first: u64, bytes: Vec<u8>, is_end: bool) -> Unit<P> {
        let place_len = place_len(&self.payload);
        let count = bytes.len().div_ceil(place_len).max(usize::from(is_end));
        let places = self.places.with_bytes(bytes);
        let failed = Arc::new(AtomicU64::new(u64::MAX));
        Unit { payload: self.payload.for_unit(), first, count, places, is_end, failed }
    }

    /// Splits off the first `count` chunks, which are whole.
    fn split_unit(&mut self, count: usize) -> Unit<P> {
        let place_len = place_len(&self.payload);
        let len = count * place_len;
        let first = self.claim(count, false);
        let rest = &mut self.places.bytes[len..];
        // A stream with two units usually has more.
        let next_len = if count == UNIT_CHUNKS { len + rest.len() } else { rest.len().next_multiple_of(place_len) };
        let mut next = Vec::with_capacity(next_len);
        next.extend_from_slice(rest);
        if self.places.has_plaintext {
            clear(rest);
        }
        let next = self.places.with_bytes(next);
        let mut places = mem::replace(&mut self.places, next);
        places.bytes.truncate(len);
        Unit { payload: self.payload.for_unit(), first, count, places, is_end: false, failed: Arc::clone(&self.failed) }
    }

    /// Bytes that no unit has taken yet, with room for tags.
    fn len(&self) -> usize {
        self.places.bytes.len()
    }

    /// The most bytes held. If the last chunk may be whole, one byte more shows that the chunk before it is not the last.
    fn unit_len(&self) -> usize {
        UNIT_CHUNKS * place_len(&self.payload) + usize::from(self.payload.ending() == Ending::Whole)
    }

    fn append_zeros(&mut self, count: usize) {
        let len = self.len() + count;
        self.places.bytes.resize(len, 0);
    }

    /// Makes room for `now` more bytes, of the `coming` bytes that follow. A short stream allocates only what it needs; a long
    /// one doubles its memory, up to a unit.
    fn make_room(&mut self, now: usize, coming: usize) {
        let held = self.len();
        if self.places.bytes.capacity() >= held + now {
            return;
        }
        let len = (held + coming).max(2 * held).min(self.unit_len());
        let mut bytes = Vec::with_capacity(len.max(held + now));
        bytes.extend_from_slice(&self.places.bytes);
        self.places = self.places.with_bytes(bytes);
    }
}

/// Bytes of memory for a chunk.
fn place_len(payload: &impl Payload) -> usize {
    payload.input_len().max(payload.output_len())
}

/// Bytes of a place that are free until the chunk is transformed.
fn room(payload: &impl Payload) -> usize {
    payload.output_len().saturating_sub(payload.input_len())
}

/// Consecutive chunks of a stream, to run on any thread.
pub(crate) struct Unit<P> {
    payload: P,
    first: u64,
    count: usize,
    places: Places,
    is_end: bool,
    failed: Arc<AtomicU64>,
}

impl<P: Payload> Unit<P> {
    /// The index of the first chunk, and the bytes of all chunks.
    pub(crate) fn position(&self) -> (u64, usize) {
        (self.first, self.places.bytes.len())
    }

    /// Transforms the chunks; returns those before the first that fails, and its error. Units behind a unit that failed to open
    /// fail too.
    pub(crate) fn run(mut self) -> (Vec<u8>, Option<Error>) {
        let is_opening = !mem::replace(&mut self.places.has_plaintext, true);
        let failed = self.failed.load(Ordering::Acquire);
        if is_opening && failed <= self.first {
            return (Vec::new(), Some(Error::NotAuthentic { chunk: Some(failed) }));
        }
        let mut done = 0;
        let mut result = Ok(());
        for at in 0..self.count {
            let index = self.first + at as u64;
            let piece = Piece { index, is_last: self.is_end && at + 1 == self.count };
            result = self.transform(piece, at, &mut done);
            if let Err(error) = &result {
                // If the stream continues after its last chunk, that chunk opens, and the error names the next one.
                let chunk = if let Error::NotAuthentic { chunk: Some(chunk) } = error { *chunk } else { index };
                self.failed.fetch_min(chunk, Ordering::AcqRel);
                break;
            }
        }
        let mut bytes = mem::take(&mut self.places.bytes);
        clear(&mut bytes[done..]);
        bytes.truncate(done);
        (bytes, result.err())
    }

    /// Transforms the chunk in a place, and moves it behind the first `done` bytes.
    fn transform(&mut self, piece: Piece, at: usize, done: &mut usize) -> Result<()> {
        let places = &mut self.places.bytes;
        let start = at * place_len(&self.payload);
        let end = places.len().min(start + place_len(&self.payload));
        let len = end - start - room(&self.payload);
        let transformed = self.payload.apply(piece, &mut places[start..end], len).map(|len| {
            if start > *done {
                places.copy_within(start..start + len, *done);
            }
            *done += len;
        });
        // A wrong end may show only after an authentic chunk.
        self.payload.finish(transformed)
    }
}
