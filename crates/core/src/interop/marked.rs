//! Payloads in chunks whose nonce or associated data marks the last chunk, which may be whole.

use crate::aead::TAG_LEN;
use crate::error::{Error, Result};
use crate::format::{InParts, Payload};
use crate::pipeline::{Ending, Piece, Settings, Transform};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The keys and the rules that seal and open the chunks of one payload.
pub(crate) trait Chunked: Sync {
    /// Whether a reader accepts an empty last chunk behind a whole chunk, which could have been the last itself.
    const TAKES_EMPTY_LAST: bool;

    /// Bytes of plaintext in every chunk but the last, which has at most this many.
    fn chunk_len(&self) -> usize;

    /// Bytes of the sealed chunks of a plaintext of `len` bytes.
    fn sealed_len(&self, len: u64) -> Result<u64> {
        sealed_len(len, self.chunk_len())
    }

    /// Bytes of plaintext in `len` bytes of chunks.
    fn opened_len(&self, len: u64) -> Result<u64> {
        opened_len(len, self.chunk_len())
    }

    /// As [`Payload::limit_threads`].
    fn limit_threads(&self, settings: &Settings) -> Settings {
        settings.clone()
    }

    /// Seals a chunk in place. `place` has the plaintext and then room for the tag.
    fn seal_chunk(&self, index: u64, is_last: bool, place: &mut [u8]) -> Result<()>;

    /// Opens a chunk with its tag in place; returns the plaintext's length. A chunk that does not open is cleared.
    fn open_chunk(&self, index: u64, is_last: bool, chunk: &mut [u8]) -> Result<usize>;
}

impl<C: Chunked + Send> Chunked for Arc<C> {
    const TAKES_EMPTY_LAST: bool = C::TAKES_EMPTY_LAST;

    fn chunk_len(&self) -> usize {
        (**self).chunk_len()
    }

    fn sealed_len(&self, len: u64) -> Result<u64> {
        (**self).sealed_len(len)
    }

    fn opened_len(&self, len: u64) -> Result<u64> {
        (**self).opened_len(len)
    }

    fn limit_threads(&self, settings: &Settings) -> Settings {
        (**self).limit_threads(settings)
    }

    fn seal_chunk(&self, index: u64, is_last: bool, place: &mut [u8]) -> Result<()> {
        (**self).seal_chunk(index, is_last, place)
    }

    fn open_chunk(&self, index: u64, is_last: bool, chunk: &mut [u8]) -> Result<usize> {
        (**self).open_chunk(index, is_last, chunk)
    }
}

const ENDING: Ending = Ending::Whole;

/// Bytes of the sealed chunks of a plaintext of `len` bytes.
pub(super) fn sealed_len(len: u64, chunk_len: usize) -> Result<u64> {
    let tags = ENDING.pieces(len, chunk_len).checked_mul(TAG_LEN as u64);
    tags.and_then(|tags| len.checked_add(tags)).ok_or(Error::TooLong)
}

/// Bytes of plaintext in `len` bytes of chunks.
pub(super) fn opened_len(len: u64, chunk_len: usize) -> Result<u64> {
    let sealed_chunk_len = chunk_len + TAG_LEN;
    let chunks = sealed_chunks(len, chunk_len);
    let last = len - (chunks - 1) * sealed_chunk_len as u64;
    if last < TAG_LEN as u64 {
        return Err(CUT);
    }
    Ok(len - chunks * TAG_LEN as u64)
}

/// The number of chunks of a plaintext of `len` bytes.
pub(super) fn chunks(len: u64, chunk_len: usize) -> u64 {
    ENDING.pieces(len, chunk_len)
}

/// The number of chunks in `len` bytes of sealed chunks.
pub(super) fn sealed_chunks(len: u64, chunk_len: usize) -> u64 {
    ENDING.pieces(len, chunk_len + TAG_LEN)
}

const CUT: Error = Error::Truncated("its last chunk is not whole");
const NOT_LAST: Error = Error::Truncated("its last chunk is not marked as the last");
/// An index that no chunk has.
const NONE: u64 = u64::MAX;

/// The transform that seals chunks.
pub(crate) struct Seal<C>(pub(super) C);

impl<C: Chunked> Transform for Seal<C> {
    fn input_len(&self) -> usize {
        self.0.chunk_len()
    }

    fn output_len(&self) -> usize {
        self.0.chunk_len() + TAG_LEN
    }

    fn ending(&self) -> Ending {
        ENDING
    }

    fn apply(&self, piece: Piece, slot: &mut [u8], len: usize) -> Result<usize> {
        self.0.seal_chunk(piece.index, piece.is_last, &mut slot[..len + TAG_LEN])?;
        Ok(len + TAG_LEN)
    }
}

impl<C: Chunked> Payload for Seal<C> {
    fn plaintext_len(&self, chunks_len: u64) -> Result<u64> {
        self.0.opened_len(chunks_len)
    }

    fn chunks_len(&self, plaintext_len: u64) -> Result<u64> {
        self.0.sealed_len(plaintext_len)
    }

    fn limit_threads(&self, settings: &Settings) -> Settings {
        self.0.limit_threads(settings)
    }
}

impl<C: Chunked + Clone> InParts for Seal<C> {
    const IS_SEALING: bool = true;

    fn for_unit(&self) -> Self {
        Self(self.0.clone())
    }
}

/// The transform that opens chunks. A file that is cut behind a chunk, or continues behind its last chunk, is an error. If the
/// output is a stream, it still receives that chunk, as from other programs, and [`finish`](Payload::finish) returns the error.
pub(crate) struct Open<C> {
    chunks: C,
    is_stream: bool,
    /// The last chunk of the input, if it is whole and not marked as the last.
    cut: AtomicU64,
    /// The lowest chunk that is marked as the last, and is not the last of the input.
    early: AtomicU64,
    /// Whether the last chunk is empty and not the only chunk.
    has_empty_last: AtomicBool,
    /// Buffers for copies of sealed chunks. Allocating one for each chunk would take as long as opening the chunk.
    spare: Mutex<Vec<Vec<u8>>>,
}

impl<C: Chunked> Open<C> {
    pub(super) fn new(chunks: C, is_stream: bool) -> Self {
        let (cut, early) = (AtomicU64::new(NONE), AtomicU64::new(NONE));
        Self { chunks, is_stream, cut, early, has_empty_last: AtomicBool::new(false), spare: Mutex::default() }
    }

    fn open_last(&self, index: u64, chunk: &mut [u8]) -> Result<usize> {
        if index > 0 && chunk.len() == TAG_LEN {
            if !C::TAKES_EMPTY_LAST {
                return Err(Error::NotAuthentic { chunk: Some(index) });
            }
            self.has_empty_last.store(true, Ordering::Relaxed);
        }
        self.open_either(index, true, chunk, |len| {
            if len < self.input_len() || !self.is_stream {
                return Err(NOT_LAST);
            }
            self.cut.store(index, Ordering::Relaxed);
            Ok(())
        })
    }

    /// Opens a chunk with the mark `is_last`, or else with the opposite mark; then it calls `other` with the chunk's length. It
    /// copies the chunk first, because a failed attempt clears it.
    fn open_either(
        &self,
        index: u64,
        is_last: bool,
        chunk: &mut [u8],
        other: impl FnOnce(usize) -> Result<()>,
    ) -> Result<usize> {
        let spare = || self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sealed = spare().pop().unwrap_or_default();
        sealed.clear();
        sealed.extend_from_slice(chunk);
        let opened = self.chunks.open_chunk(index, is_last, chunk).or_else(|error| {
            chunk.copy_from_slice(&sealed);
            let opened = self.chunks.open_chunk(index, !is_last, chunk).map_err(|_| error)?;
            other(chunk.len()).map(|()| opened)
        });
        spare().push(sealed);
        opened
    }
}

impl<C: Chunked> Payload for Open<C> {
    fn plaintext_len(&self, chunks_len: u64) -> Result<u64> {
        self.chunks.opened_len(chunks_len)
    }

    fn chunks_len(&self, plaintext_len: u64) -> Result<u64> {
        let empty_last = if self.has_empty_last.load(Ordering::Relaxed) { TAG_LEN as u64 } else { 0 };
        Ok(self.chunks.sealed_len(plaintext_len)? + empty_last)
    }

    fn limit_threads(&self, settings: &Settings) -> Settings {
        self.chunks.limit_threads(settings)
    }

    fn finish<T>(&self, result: Result<T>) -> Result<T> {
        let early = self.early.load(Ordering::Relaxed);
        if early != NONE {
            return Err(Error::NotAuthentic { chunk: Some(early + 1) });
        }
        match result {
            // These results reveal where the file ends, so its end must be authentic.
            Ok(_) | Err(Error::RangeOutOfBounds) if self.cut.load(Ordering::Relaxed) != NONE => Err(NOT_LAST),
            result => result,
        }
    }
}

impl<C: Chunked + Clone> InParts for Open<C> {
    const IS_SEALING: bool = false;

    fn for_unit(&self) -> Self {
        Self::new(self.chunks.clone(), self.is_stream)
    }
}

impl<C: Chunked> Transform for Open<C> {
    fn input_len(&self) -> usize {
        self.chunks.chunk_len() + TAG_LEN
    }

    fn output_len(&self) -> usize {
        self.chunks.chunk_len()
    }

    fn ending(&self) -> Ending {
        ENDING
    }

    fn apply(&self, piece: Piece, slot: &mut [u8], len: usize) -> Result<usize> {
        let Piece { index, is_last } = piece;
        if len < TAG_LEN {
            return Err(CUT);
        }
        if self.early.load(Ordering::Relaxed) < index {
            return Err(Error::NotAuthentic { chunk: Some(index) });
        }
        let chunk = &mut slot[..len];
        if is_last {
            return self.open_last(index, chunk);
        }
        if !self.is_stream {
            return self.chunks.open_chunk(index, false, chunk);
        }
        // The chunk may be marked as the last, with bytes behind it.
        self.open_either(index, false, chunk, |_| {
            self.early.fetch_min(index, Ordering::Relaxed);
            Ok(())
        })
    }
}
