//! The buffer of one worker: several consecutive pieces, each in its own slot.

use super::{Ending, Piece, Transform, clear};
use crate::error::Result;
use std::io::{self, ErrorKind, IoSlice, IoSliceMut, Read, Write};

/// Length of a unit in bytes, on the shorter side of the transformation. 512 KiB fit in the second-level cache. 256 KiB
/// measured 3 to 15 % slower on files, since the kernel lets one thread at a time write to a file and switches threads twice as
/// often; with 1 MiB decryption on ext4 took twice as long (docs/design/pipeline.md).
const UNIT_LEN: usize = 512 << 10;

/// Length of the unit of a single thread: touching new memory costs more than additional calls.
const SHORT_UNIT_LEN: usize = 128 << 10;

/// The number of pieces in a unit.
pub(super) fn pieces_per_unit(transform: &dyn Transform) -> usize {
    pieces_in(UNIT_LEN, transform)
}

/// The number of pieces in a unit of a short input, which one thread transforms.
pub(super) fn pieces_per_short_unit(transform: &dyn Transform) -> usize {
    pieces_in(SHORT_UNIT_LEN, transform)
}

fn pieces_in(len: usize, transform: &dyn Transform) -> usize {
    (len / transform.input_len().min(transform.output_len())).max(1)
}

/// A unit of pieces. The slots are as long as the longer side of the transformation. Pieces of that side are contiguous in
/// memory; those of the other side are read or written with vectored I/O.
pub(super) struct Unit<'a> {
    transform: &'a dyn Transform,
    buffer: Vec<u8>,
    stride: usize,
    /// Length of the part of the buffer that was used, which is cleared on drop.
    touched: usize,
    /// Bytes of input in the buffer.
    filled: usize,
    /// Bytes of output ready to be written.
    ready: usize,
}

impl<'a> Unit<'a> {
    /// Creates a unit with room for `pieces` pieces.
    pub(super) fn new(transform: &'a dyn Transform, pieces: usize) -> Self {
        let stride = transform.input_len().max(transform.output_len());
        Self { transform, buffer: vec![0; pieces * stride], stride, touched: 0, filled: 0, ready: 0 }
    }

    /// The number of pieces that fill this unit.
    pub(super) fn pieces(&self) -> usize {
        self.buffer.len() / self.stride
    }

    /// The number of bytes of input that fill this unit.
    pub(super) fn capacity(&self) -> usize {
        self.pieces() * self.transform.input_len()
    }

    pub(super) fn ending(&self) -> Ending {
        self.transform.ending()
    }

    pub(super) fn filled(&self) -> usize {
        self.filled
    }

    /// The number of bytes of output that [`store`](Self::store) writes.
    pub(super) fn ready(&self) -> usize {
        self.ready
    }

    /// The slots from input byte `from` up to input byte `to`, as slices for vectored reads.
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

    /// Fills the first `want` bytes by calling `read` with the number of bytes filled so far. Stops early at the end of the
    /// input.
    pub(super) fn fill(
        &mut self,
        want: usize,
        mut read: impl FnMut(usize, &mut [IoSliceMut<'_>]) -> io::Result<usize>,
    ) -> io::Result<()> {
        self.filled = 0;
        self.ready = 0;
        // There may be one more piece, the last, which is empty.
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

    /// Drops the incomplete piece after an error of the reader. If the error came between two pieces, also drops the piece
    /// before it if that might have been the last.
    pub(super) fn keep_whole(&mut self) {
        let known = match self.transform.ending() {
            Ending::Short => self.filled,
            Ending::Whole => self.filled.saturating_sub(1),
        };
        self.filled = known - known % self.transform.input_len();
    }

    /// Transforms the input in the buffer as pieces from index `first` on, including the last of the input if this is the
    /// `last` unit. After an error, the pieces before the failed one are ready.
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

    /// Stores the output by calling `write` with the number of bytes stored so far.
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

    /// Writes the output to a writer.
    pub(super) fn store_to(&self, writer: &mut (impl Write + ?Sized)) -> io::Result<()> {
        self.store(|_, slices| writer.write_vectored(slices))
    }
}

impl Drop for Unit<'_> {
    fn drop(&mut self) {
        clear(&mut self.buffer[..self.touched]);
    }
}
