//! The machine for a stream that comes in parts of any length: it fills units of chunks, hands them out, and runs them on whatever
//! threads there are. It does no I/O: callers bring their own streams and threads.

use super::Payload;
use crate::error::{Error, Result};
use crate::pipeline::{Ending, Piece};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use zeroize::{Zeroize, Zeroizing};

/// Chunks of a full unit. Half of a file's unit, since the last unit of a stream runs on the thread that ends it.
pub(crate) const UNIT_CHUNKS: usize = 16;

/// A payload that units can share.
pub(crate) trait InParts: Payload {
    /// What seals or opens the chunks of one unit, on any thread; it remembers nothing of other units.
    fn for_unit(&self) -> Self;
}

/// The chunks of one stream.
pub(crate) struct Parts<P> {
    payload: P,
    /// The next chunk; `None` after the last.
    next: Option<u64>,
    /// What was filled and not taken: chunks, each in a place with room for the longer of what it is and becomes.
    places: Zeroizing<Vec<u8>>,
    /// The lowest chunk that failed: nothing behind it is worth its time.
    failed: Arc<AtomicU64>,
}

impl<P: InParts> Parts<P> {
    pub(crate) fn new(payload: P) -> Self {
        Self { payload, next: Some(0), places: Zeroizing::default(), failed: Arc::new(AtomicU64::new(u64::MAX)) }
    }

    pub(crate) fn payload(&self) -> &P {
        &self.payload
    }

    pub(crate) fn next(&self) -> Option<u64> {
        self.next
    }

    /// Gives away `count` chunks, or those up to the end; returns the first. None is given away twice, so none is sealed twice.
    ///
    /// # Panics
    /// After the end.
    pub(crate) fn claim(&mut self, count: usize, is_end: bool) -> u64 {
        let first = self.next.expect("parts: there is no unit after the last");
        self.next = (!is_end).then_some(first + count as u64);
        first
    }

    /// Takes bytes of the stream, as many as the next unit has room for; returns how many these are.
    pub(crate) fn fill(&mut self, bytes: &[u8]) -> usize {
        let (place_len, room) = (place_len(&self.payload), room(&self.payload));
        let unit_len = self.unit_len();
        let mut rest = bytes;
        while !rest.is_empty() && self.places.len() < unit_len {
            let open = (place_len - self.places.len() % place_len - room).min(unit_len - self.places.len());
            let (now, later) = rest.split_at(rest.len().min(open));
            // Room for a tag follows a whole chunk.
            let is_whole = (self.places.len() + now.len()) % place_len == place_len - room;
            let tag_len = if is_whole { room } else { 0 };
            self.make_room(now.len() + tag_len, rest.len());
            self.places.extend_from_slice(now);
            append_zeros(&mut self.places, tag_len);
            rest = later;
        }
        bytes.len() - rest.len()
    }

    /// The next unit, if it is full.
    pub(crate) fn take(&mut self) -> Option<Unit<P>> {
        let len = UNIT_CHUNKS * place_len(&self.payload);
        (self.places.len() >= self.unit_len()).then(|| self.unit(len))
    }

    /// The chunks that are whole, but for one that may be the last.
    pub(crate) fn flush(&mut self) -> Option<Unit<P>> {
        let place_len = place_len(&self.payload);
        let len = match self.payload.ending() {
            Ending::Short => self.places.len(),
            Ending::Whole => self.places.len().saturating_sub(1),
        } / place_len
            * place_len;
        (len > 0).then(|| self.unit(len))
    }

    /// The last unit, with what was not taken.
    pub(crate) fn finish(mut self) -> Unit<P> {
        let (place_len, room) = (place_len(&self.payload), room(&self.payload));
        let count = self.payload.ending().pieces(self.places.len() as u64, place_len);
        let count = usize::try_from(count).expect("parts: a unit is in memory");
        if self.places.len() < count * place_len {
            self.make_room(room, 0);
            append_zeros(&mut self.places, room);
        }
        let first = self.claim(count, true);
        Unit { payload: self.payload, first, count, places: self.places, is_end: true, failed: self.failed }
    }

    /// A unit of the stream with bytes from elsewhere.
    pub(crate) fn unit_of(&self, first: u64, bytes: Vec<u8>, is_end: bool) -> Unit<P> {
        let place_len = place_len(&self.payload);
        let count = bytes.len().div_ceil(place_len).max(usize::from(is_end));
        let failed = Arc::new(AtomicU64::new(u64::MAX));
        Unit { payload: self.payload.for_unit(), first, count, places: Zeroizing::new(bytes), is_end, failed }
    }

    /// The first `len` bytes of the places, whole chunks.
    fn unit(&mut self, len: usize) -> Unit<P> {
        let count = len / place_len(&self.payload);
        let first = self.claim(count, false);
        // Most streams that have two units have more.
        let next_len = if count == UNIT_CHUNKS { self.unit_len() } else { 0 };
        let rest = &self.places[len..];
        let mut next = Zeroizing::new(Vec::with_capacity(next_len.max(rest.len())));
        next.extend_from_slice(rest);
        let mut places = std::mem::replace(&mut self.places, next);
        places[len..].zeroize();
        places.truncate(len);
        Unit { payload: self.payload.for_unit(), first, count, places, is_end: false, failed: Arc::clone(&self.failed) }
    }

    /// What is held at the most: where the last chunk may be whole, one byte more tells that the chunk before it is not the last.
    fn unit_len(&self) -> usize {
        UNIT_CHUNKS * place_len(&self.payload) + usize::from(self.payload.ending() == Ending::Whole)
    }

    /// Makes room for `now` bytes more, of `coming` that are there already. What moves is zeroed where it was.
    fn make_room(&mut self, now: usize, coming: usize) {
        let needed = self.places.len() + now;
        if self.places.capacity() >= needed {
            return;
        }
        // A short stream takes no more than it needs, one that goes on a unit, and what is longer doubles.
        let unit_len = self.unit_len();
        let len = match self.places.len() {
            0 => (coming + UNIT_CHUNKS * room(&self.payload)).min(unit_len),
            held if held < unit_len => unit_len,
            held => 2 * held,
        };
        let mut more = Zeroizing::new(Vec::with_capacity(len.max(needed)));
        more.extend_from_slice(&self.places);
        self.places = more;
    }
}

fn append_zeros(places: &mut Vec<u8>, count: usize) {
    places.resize(places.len() + count, 0);
}

/// Bytes of memory for a chunk.
fn place_len(payload: &impl Payload) -> usize {
    payload.input_len().max(payload.output_len())
}

/// How many of these are free until the chunk is transformed.
fn room(payload: &impl Payload) -> usize {
    payload.output_len().saturating_sub(payload.input_len())
}

/// Consecutive chunks of a stream: work for any thread.
pub(crate) struct Unit<P> {
    payload: P,
    first: u64,
    count: usize,
    places: Zeroizing<Vec<u8>>,
    is_end: bool,
    failed: Arc<AtomicU64>,
}

impl<P: Payload> Unit<P> {
    /// The first chunk, and bytes of all.
    pub(crate) fn position(&self) -> (u64, usize) {
        (self.first, self.places.len())
    }

    /// Transforms the chunks; returns those before the first that fails, and why it fails. Behind a unit that failed, others fail too.
    pub(crate) fn run(mut self) -> (Vec<u8>, Option<Error>) {
        let failed = self.failed.load(Ordering::Acquire);
        if failed < self.first {
            return (Vec::new(), Some(Error::NotAuthentic { chunk: Some(failed) }));
        }
        let mut done = 0;
        let mut result = Ok(());
        for at in 0..self.count {
            let index = self.first + at as u64;
            let piece = Piece { index, is_last: self.is_end && at + 1 == self.count };
            result = self.transform(piece, at, &mut done);
            if result.is_err() {
                self.failed.fetch_min(index, Ordering::AcqRel);
                break;
            }
        }
        self.places[done..].zeroize();
        self.places.truncate(done);
        (std::mem::take(&mut *self.places), result.err())
    }

    /// Transforms the chunk in a place, and moves it behind the first `done` bytes.
    fn transform(&mut self, piece: Piece, at: usize, done: &mut usize) -> Result<()> {
        let place_len = place_len(&self.payload);
        let start = at * place_len;
        let end = self.places.len().min(start + place_len);
        let place = &mut self.places[start..end];
        let len = end - start - room(&self.payload);
        let transformed = self.payload.apply(piece, place, len).map(|len| {
            if start > *done {
                self.places.copy_within(start..start + len, *done);
            }
            *done += len;
        });
        // What is wrong with the end may show behind a chunk that is authentic.
        self.payload.finish(transformed)
    }
}
