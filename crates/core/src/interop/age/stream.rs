//! The payload: chunks of 64 KiB under ChaCha20-Poly1305, whose nonces count them and mark the last (STREAM).

use super::header::FileKey;
use crate::aead::{Aead, Algorithm, NONCE_LEN, TAG_LEN};
use crate::error::{Error, Result};
use crate::hash;
use crate::kdf::hkdf;
use crate::pipeline::{Ending, Piece, Transform};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use zeroize::Zeroizing;

/// Bytes of plaintext in every chunk but the last, which has 1 to as many, and none only where the file has none.
pub const CHUNK_LEN: usize = 64 << 10;
pub(super) const SEALED_CHUNK_LEN: usize = CHUNK_LEN + TAG_LEN;
/// Bytes before the first chunk.
pub(super) const SALT_LEN: usize = 16;

const ENDING: Ending = Ending::Whole;

/// Bytes of the chunks of a plaintext of `len` bytes. A file has them behind its head.
///
/// ```
/// use sealstone::interop::age::{opened_len, sealed_len};
///
/// assert_eq!((sealed_len(0)?, sealed_len(65_536)?, sealed_len(65_537)?), (16, 65_552, 65_569));
/// assert_eq!(opened_len(65_569)?, 65_537);
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// [`Error::TooLong`].
pub fn sealed_len(len: u64) -> Result<u64> {
    let tags = ENDING.pieces(len, CHUNK_LEN) * TAG_LEN as u64;
    len.checked_add(tags).ok_or(Error::TooLong)
}

/// Bytes of plaintext in `len` bytes of chunks. It is authentic when the last one was opened.
///
/// # Errors
/// [`Error::Truncated`] for a length that no chunks have.
pub fn opened_len(len: u64) -> Result<u64> {
    let chunks = ENDING.pieces(len, SEALED_CHUNK_LEN);
    let last = len - (chunks - 1) * SEALED_CHUNK_LEN as u64;
    if last < TAG_LEN as u64 {
        return Err(CUT);
    }
    Ok(len - chunks * TAG_LEN as u64)
}

/// How many chunks a plaintext has.
pub(super) fn chunks(plaintext_len: u64) -> u64 {
    ENDING.pieces(plaintext_len, CHUNK_LEN)
}

const CUT: Error = Error::Truncated("its last chunk is not whole");
const NOT_LAST: Error = Error::Truncated("its last chunk is not marked as the last");
/// No chunk is that far.
const NONE: u64 = u64::MAX;

/// The key of one payload.
pub(super) struct Chunks(Aead);

impl Chunks {
    pub(super) fn new(file_key: &FileKey, salt: &[u8; SALT_LEN]) -> Result<Self> {
        let mut key = Zeroizing::new([0; 32]);
        hkdf(hash::Algorithm::Sha256, &file_key[..], salt, b"payload", &mut key[..])?;
        Ok(Self(Aead::new(Algorithm::ChaCha20Poly1305, &key[..])?))
    }

    /// A count of 11 bytes, of which no file needs more than 8, and the mark.
    fn nonce(index: u64, is_last: bool) -> [u8; NONCE_LEN] {
        let mut nonce = [0; NONCE_LEN];
        nonce[3..11].copy_from_slice(&index.to_be_bytes());
        nonce[11] = u8::from(is_last);
        nonce
    }

    /// Seals a chunk where it lies, in front of room for its tag.
    pub(super) fn seal(&self, index: u64, is_last: bool, place: &mut [u8]) -> Result<()> {
        let (plaintext, room) = place.split_at_mut(place.len() - TAG_LEN);
        room.copy_from_slice(&self.0.seal_in_place(&Self::nonce(index, is_last), b"", plaintext)?);
        Ok(())
    }

    /// Opens the bytes of a chunk, tag included, in place. What does not open is cleared.
    fn open(&self, index: u64, is_last: bool, chunk: &mut [u8]) -> Result<usize> {
        let opened = self.0.open_in_place(&Self::nonce(index, is_last), b"", chunk);
        opened.map_err(|_| Error::NotAuthentic { chunk: Some(index) })
    }
}

/// Sealing, for the pipeline.
pub(super) struct Seal(pub(super) Chunks);

impl Transform for Seal {
    fn input_len(&self) -> usize {
        CHUNK_LEN
    }

    fn output_len(&self) -> usize {
        SEALED_CHUNK_LEN
    }

    fn ending(&self) -> Ending {
        ENDING
    }

    fn apply(&self, piece: Piece, slot: &mut [u8], len: usize) -> Result<usize> {
        self.0.seal(piece.index, piece.is_last, &mut slot[..len + TAG_LEN])?;
        Ok(len + TAG_LEN)
    }
}

/// Opening, for the pipeline. A file that is cut behind a chunk, or goes on behind its last, is not whole; where the output is a stream,
/// it has received the chunk all the same, as from age's own program, and [`finish`](Self::finish) says what is wrong.
pub(super) struct Open {
    chunks: Arc<Chunks>,
    is_stream: bool,
    /// The whole chunk that is the last of the input and not marked so.
    cut: AtomicU64,
    /// The chunk that is marked as the last and is not the last of the input.
    early: AtomicU64,
}

impl Open {
    pub(super) fn new(chunks: Arc<Chunks>, is_stream: bool) -> Self {
        Self { chunks, is_stream, cut: AtomicU64::new(NONE), early: AtomicU64::new(NONE) }
    }

    /// Ends the work with what came of it.
    pub(super) fn finish<T>(&self, result: Result<T>) -> Result<T> {
        let early = self.early.load(Ordering::Relaxed);
        if early != NONE {
            return Err(Error::NotAuthentic { chunk: Some(early + 1) });
        }
        if self.cut.load(Ordering::Relaxed) == NONE { result } else { result.and(Err(NOT_LAST)) }
    }

    fn last(&self, index: u64, chunk: &mut [u8]) -> Result<usize> {
        if index > 0 && chunk.len() == TAG_LEN {
            return Err(Error::NotAuthentic { chunk: Some(index) });
        }
        let sealed = chunk.to_vec();
        self.chunks.open(index, true, chunk).or_else(|error| {
            chunk.copy_from_slice(&sealed);
            let opened = self.chunks.open(index, false, chunk).map_err(|_| error)?;
            if chunk.len() < SEALED_CHUNK_LEN || !self.is_stream {
                return Err(NOT_LAST);
            }
            self.cut.store(index, Ordering::Relaxed);
            Ok(opened)
        })
    }
}

impl Transform for Open {
    fn input_len(&self) -> usize {
        SEALED_CHUNK_LEN
    }

    fn output_len(&self) -> usize {
        CHUNK_LEN
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
            return self.last(index, chunk);
        }
        if !self.is_stream {
            return self.chunks.open(index, false, chunk);
        }
        // What does not open is cleared, and might be the last chunk, with something behind it.
        let sealed = chunk.to_vec();
        self.chunks.open(index, false, chunk).or_else(|error| {
            chunk.copy_from_slice(&sealed);
            let opened = self.chunks.open(index, true, chunk).map_err(|_| error)?;
            self.early.fetch_min(index, Ordering::Relaxed);
            Ok(opened)
        })
    }
}
