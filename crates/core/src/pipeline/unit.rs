//! The buffer of one worker: some consecutive pieces, each in a slot of its own.

use super::{Ending, Piece, Transform, clear};
use crate::error::Result;
use std::io::{self, ErrorKind, IoSlice, IoSliceMut, Read, Write};

/// Bytes of a unit, on the shorter side of its transformation. 512 KiB stay in a second-level cache of that size. 256 KiB measured 3
/// to 15 % slower on files, since the kernel lets one thread at a time write to a file and changes threads twice as often; 1 MiB
/// made opening on ext4 take twice as long (docs/design/pipeline.md).
const UNIT_LEN: usize = 512 << 10;

/// Those of a unit that one thread works on: memory that is used for the first time costs more than calls do.
const SHORT_UNIT_LEN: usize = 128 << 10;

/// Pieces of a unit.
pub(super) fn pieces_of(transform: &impl Transform) -> usize {
    pieces_in(UNIT_LEN, transform)
}

/// Pieces of a unit of a short input, which one thread transforms.
pub(super) fn short_pieces_of(transform: &impl Transform) -> usize {
    pieces_in(SHORT_UNIT_LEN, transform)
}

fn pieces_in(len: usize, transform: &impl Transform) -> usize {
    (len / transform.input_len().min(transform.output_len())).max(1)
}

/// A unit of pieces. The slots are as long as the longer side of the transformation, so whichever side has pieces of
/// that length is one contiguous run of memory, and the other side is gathered or scattered by the system.
pub(super) struct Unit<'a, T: Transform> {
    transform: &'a T,
    buffer: Vec<u8>,
    stride: usize,
    /// Bytes of the buffer that have held something: all that is cleared at the end.
    touched: usize,
    /// Bytes of input that are held.
    filled: usize,
    /// Bytes of output that are ready.
    ready: usize,
}

impl<'a, T: Transform> Unit<'a, T> {
    /// A unit with room for `pieces` pieces.
    pub(super) fn new(transform: &'a T, pieces: usize) -> Self {
        let stride = transform.input_len().max(transform.output_len());
        Self { transform, buffer: vec![0; pieces * stride], stride, touched: 0, filled: 0, ready: 0 }
    }

    /// Pieces that fill this unit.
    pub(super) fn pieces(&self) -> usize {
        self.buffer.len() / self.stride
    }

    /// Bytes of input that fill this unit.
    pub(super) fn capacity(&self) -> usize {
        self.pieces() * self.transform.input_len()
    }

    pub(super) fn ending(&self) -> Ending {
        self.transform.ending()
    }

    pub(super) fn filled(&self) -> usize {
        self.filled
    }

    /// Bytes of output that [`store`](Self::store) writes.
    pub(super) fn ready(&self) -> usize {
        self.ready
    }

    /// The slots from input byte `from` up to input byte `to`, as the system wants them.
    pub(super) fn input_slices(&mut self, from: usize, to: usize) -> Vec<IoSliceMut<'_>> {
        let len = self.transform.input_len();
        if len == self.stride {
            return vec![IoSliceMut::new(&mut self.buffer[from..to])];
        }
        let slots = self.buffer.chunks_exact_mut(self.stride).enumerate().skip(from / len);
        slots
            .map_while(|(i, slot)| {
                let end = to.saturating_sub(i * len).min(len);
                let start = from.saturating_sub(i * len);
                (start < end).then(|| IoSliceMut::new(&mut slot[start..end]))
            })
            .collect()
    }

    fn output_slices(&self, from: usize) -> Vec<IoSlice<'_>> {
        let len = self.transform.output_len();
        if len == self.stride {
            return vec![IoSlice::new(&self.buffer[from..self.ready])];
        }
        let slots = self.buffer.chunks_exact(self.stride).enumerate().skip(from / len);
        slots
            .map_while(|(i, slot)| {
                let end = self.ready.saturating_sub(i * len).min(len);
                let start = from.saturating_sub(i * len);
                (start < end).then(|| IoSlice::new(&slot[start..end]))
            })
            .collect()
    }

    /// Fills the first `want` bytes by calls of `read`, which is told how many it has given so far. Stops early where
    /// the input ends.
    pub(super) fn fill(
        &mut self,
        want: usize,
        mut read: impl FnMut(usize, &mut [IoSliceMut<'_>]) -> io::Result<usize>,
    ) -> io::Result<()> {
        self.filled = 0;
        self.ready = 0;
        // The last piece may be one more, which is empty.
        let slots = want / self.transform.input_len() + 1;
        self.touched = self.touched.max(slots * self.stride).min(self.buffer.len());
        while self.filled < want {
            let filled = self.filled;
            match read(filled, &mut self.input_slices(filled, want)) {
                Ok(0) => break,
                Ok(n) => self.filled += n,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Fills the unit from a reader, up to `want` bytes.
    pub(super) fn fill_from(&mut self, want: usize, reader: &mut (impl Read + ?Sized)) -> io::Result<()> {
        self.fill(want, |_, slices| reader.read_vectored(slices))
    }

    /// Forgets the piece that a reader's fault cut off. Where that was between two pieces, it takes with it the one before, if that
    /// might have been the last.
    pub(super) fn keep_whole(&mut self) {
        let known = match self.transform.ending() {
            Ending::Short => self.filled,
            Ending::Whole => self.filled.saturating_sub(1),
        };
        self.filled = known - known % self.transform.input_len();
    }

    /// Transforms what is held, as pieces from `first` on, with the last of the input if this is the `last` unit. After an error
    /// the pieces before the failing one are ready.
    pub(super) fn transform(&mut self, first: u64, last: bool) -> Result<()> {
        let len = self.transform.input_len();
        let pieces = match self.transform.ending() {
            _ if !last => self.filled / len,
            Ending::Short => self.filled / len + 1,
            Ending::Whole => self.filled.div_ceil(len).max(1),
        };
        self.ready = 0;
        for (i, slot) in self.buffer.chunks_exact_mut(self.stride).take(pieces).enumerate() {
            let piece = Piece { index: first + i as u64, is_last: last && i + 1 == pieces };
            let piece_len = (self.filled - i * len).min(len);
            self.ready += self.transform.apply(piece, slot, piece_len)?;
        }
        Ok(())
    }

    /// Stores what is ready by calls of `write`, which is told how many bytes it has taken so far.
    pub(super) fn store(&self, mut write: impl FnMut(usize, &[IoSlice<'_>]) -> io::Result<usize>) -> io::Result<()> {
        let mut stored = 0;
        while stored < self.ready {
            match write(stored, &self.output_slices(stored)) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(n) => stored += n,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Stores what is ready to a writer.
    pub(super) fn store_to(&self, writer: &mut (impl Write + ?Sized)) -> io::Result<()> {
        self.store(|_, slices| writer.write_vectored(slices))
    }
}

impl<T: Transform> Drop for Unit<'_, T> {
    fn drop(&mut self) {
        clear(&mut self.buffer[..self.touched]);
    }
}
