//! The payload of a file: chunks of one length, the last always shorter, under keys of their own (format section 5). This
//! module does no I/O.

use super::header::Flags;
use crate::aead::{Aead, Algorithm, NONCE_LEN, TAG_LEN};
use crate::error::{Error, Result};
use crate::format::{InParts, Payload};
use crate::mac;
use crate::pipeline::{Piece, Transform};
use crate::random;
use crate::suite::Suite;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Bytes of plaintext in every chunk but the last, which is shorter.
pub const CHUNK_LEN: usize = 16_384;
/// Bytes of a sealed whole chunk.
pub const SEALED_CHUNK_LEN: usize = CHUNK_LEN + TAG_LEN;
/// Bytes before the first chunk: salt and commitment.
pub const HEAD_LEN: usize = SALT_LEN + COMMITMENT_LEN;

const SALT_LEN: usize = 24;
const COMMITMENT_LEN: usize = 32;
const LABEL: &[u8] = b"c2sp.org/chunked-encryption@v1+";
/// The format's limit (section 9): 2^38 chunks, including the short last one.
const MAX_CHUNKS: u64 = 1 << 38;

/// Bytes of the sealed chunks of a plaintext of `len` bytes. With [`HEAD_LEN`] more, that is the whole ciphertext.
///
/// # Errors
/// [`Error::TooLong`] at 4 PiB.
pub(crate) fn sealed_len(len: u64) -> Result<u64> {
    let chunks = len / CHUNK_LEN as u64 + 1;
    if chunks > MAX_CHUNKS {
        return Err(Error::TooLong);
    }
    Ok(len + chunks * TAG_LEN as u64)
}

/// Bytes of plaintext in `len` bytes of chunks, by the length rule of section 5.
///
/// # Errors
/// [`Error::Truncated`] when no plaintext has that length.
pub(crate) fn opened_len(len: u64) -> Result<u64> {
    let whole = len / SEALED_CHUNK_LEN as u64;
    match (len % SEALED_CHUNK_LEN as u64).checked_sub(TAG_LEN as u64) {
        _ if whole >= MAX_CHUNKS => Err(Error::TooLong),
        Some(last) => Ok(whole * CHUNK_LEN as u64 + last),
        None => Err(TRUNCATED),
    }
}

pub(super) const TRUNCATED: Error = Error::Truncated("its last chunk is not whole");

/// The keys of one payload.
pub(crate) struct Chunks {
    aead: Aead,
    /// The key of `aead`, for hosts that compute the AEAD themselves.
    key: Zeroizing<Vec<u8>>,
    base_nonce: [u8; NONCE_LEN],
}

impl Chunks {
    /// Derives the keys of a new payload with a fresh salt; also returns the payload's head.
    pub(crate) fn create(suite: Suite, key: &[u8], context: &[&[u8]]) -> Result<(Self, [u8; HEAD_LEN])> {
        let salt = random::array()?;
        let (chunks, commitment) = Self::derive(suite, key, &salt, context)?;
        let mut head = [0; HEAD_LEN];
        head[..SALT_LEN].copy_from_slice(&salt);
        head[SALT_LEN..].copy_from_slice(&commitment);
        Ok((chunks, head))
    }

    /// Derives the keys of the payload with this head.
    ///
    /// # Errors
    /// [`Error::NotAuthentic`] when the head does not commit to this key and context.
    pub(crate) fn open(suite: Suite, key: &[u8], context: &[&[u8]], head: &[u8; HEAD_LEN]) -> Result<Self> {
        let (salt, commitment) = head.split_first_chunk().expect("chunked: a head has a salt");
        let (chunks, expected) = Self::derive(suite, key, salt, context)?;
        if mac::equal(&expected, commitment) { Ok(chunks) } else { Err(Error::NotAuthentic { chunk: None }) }
    }

    fn derive(
        suite: Suite,
        key: &[u8],
        salt: &[u8; SALT_LEN],
        context: &[&[u8]],
    ) -> Result<(Self, [u8; COMMITMENT_LEN])> {
        let mut info = vec![LABEL, suite.iana_name().as_bytes(), b"\0", salt];
        info.extend_from_slice(context);
        let mut okm = Zeroizing::new(vec![0; suite.key_len() + NONCE_LEN + COMMITMENT_LEN]);
        suite.expand(key, &info, &mut okm[..]);
        let (key, rest) = okm.split_at(suite.key_len());
        let (&base_nonce, commitment) = rest.split_first_chunk().expect("chunked: then the nonce");
        let commitment = commitment.try_into().expect("chunked: then the commitment");
        let aead = suite.aead(key)?;
        okm.truncate(suite.key_len());
        Ok((Self { aead, key: okm, base_nonce }, commitment))
    }

    /// The AEAD and the key that seal the chunks.
    pub(super) fn key(&self) -> (Algorithm, &[u8]) {
        (self.aead.algorithm(), &self.key)
    }

    /// The nonces of the chunks in `len` sealed bytes, from chunk `first` on.
    pub(super) fn nonces(&self, first: u64, len: usize) -> Result<Vec<[u8; NONCE_LEN]>> {
        let end = first.saturating_add(len.div_ceil(SEALED_CHUNK_LEN) as u64);
        if end > MAX_CHUNKS {
            return Err(Error::TooLong);
        }
        Ok((first..end).map(|index| self.nonce(index)).collect())
    }

    /// Chunk k's nonce is the base nonce XOR k, big-endian.
    fn nonce(&self, index: u64) -> [u8; NONCE_LEN] {
        let mut nonce = self.base_nonce;
        for (byte, k) in nonce[NONCE_LEN - 8..].iter_mut().zip(index.to_be_bytes()) {
            *byte ^= k;
        }
        nonce
    }

    /// Seals the first `len` bytes of `slot`, and writes the tag behind them.
    pub(super) fn seal(&self, index: u64, slot: &mut [u8], len: usize) -> Result<usize> {
        if index >= MAX_CHUNKS {
            return Err(Error::TooLong);
        }
        let (plaintext, rest) = slot.split_at_mut(len);
        rest[..TAG_LEN].copy_from_slice(&self.aead.seal_in_place(&self.nonce(index), b"", plaintext)?);
        Ok(len + TAG_LEN)
    }

    /// Opens the first `len` bytes of `slot`, which include the tag.
    pub(super) fn open_chunk(&self, index: u64, slot: &mut [u8], len: usize) -> Result<usize> {
        if index >= MAX_CHUNKS {
            return Err(Error::TooLong);
        }
        if len < TAG_LEN {
            return Err(TRUNCATED);
        }
        let opened = self.aead.open_in_place(&self.nonce(index), b"", &mut slot[..len]);
        opened.map_err(|_| Error::NotAuthentic { chunk: Some(index) })
    }

    /// Opens a chunk whose tag is in other memory.
    pub(super) fn open_separate(&self, index: u64, chunk: &mut [u8], tag: &[u8; TAG_LEN]) -> Result<()> {
        if index >= MAX_CHUNKS {
            return Err(Error::TooLong);
        }
        let opened = self.aead.open_in_place_separate_tag(&self.nonce(index), b"", chunk, tag);
        opened.map_err(|_| Error::NotAuthentic { chunk: Some(index) })
    }
}

/// The transform that seals chunks.
pub(crate) struct Seal(pub(super) Arc<Chunks>);

impl Transform for Seal {
    fn input_len(&self) -> usize {
        CHUNK_LEN
    }

    fn output_len(&self) -> usize {
        SEALED_CHUNK_LEN
    }

    fn apply(&self, piece: Piece, slot: &mut [u8], len: usize) -> Result<usize> {
        assert_eq!(piece.is_last, len < self.input_len(), "chunked: the last chunk alone is short");
        self.0.seal(piece.index, slot, len)
    }
}

impl Payload for Seal {
    fn plaintext_len(&self, chunks_len: u64) -> Result<u64> {
        opened_len(chunks_len)
    }

    fn chunks_len(&self, plaintext_len: u64) -> Result<u64> {
        sealed_len(plaintext_len)
    }
}

impl InParts for Seal {
    const IS_SEALING: bool = true;

    fn for_unit(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// The transform that opens chunks.
pub(crate) struct Open(pub(super) Arc<Chunks>, pub(super) Flags);

impl Transform for Open {
    fn input_len(&self) -> usize {
        SEALED_CHUNK_LEN
    }

    fn output_len(&self) -> usize {
        CHUNK_LEN
    }

    fn apply(&self, piece: Piece, slot: &mut [u8], len: usize) -> Result<usize> {
        assert_eq!(piece.is_last, len < self.input_len(), "chunked: the last chunk alone is short");
        self.0.open_chunk(piece.index, slot, len)
    }
}

impl Payload for Open {
    fn is_compressed(&self) -> bool {
        self.1.compressed
    }

    fn plaintext_len(&self, chunks_len: u64) -> Result<u64> {
        opened_len(chunks_len)
    }

    fn chunks_len(&self, plaintext_len: u64) -> Result<u64> {
        sealed_len(plaintext_len)
    }
}

impl InParts for Open {
    const IS_SEALING: bool = false;

    fn for_unit(&self) -> Self {
        Self(Arc::clone(&self.0), self.1)
    }
}

#[cfg(test)]
#[path = "chunks_tests.rs"]
mod tests;
