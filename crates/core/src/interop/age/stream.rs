//! The payload: chunks of 64 KiB under ChaCha20-Poly1305, whose nonces count them and mark the last chunk (STREAM).

use super::header::FileKey;
use crate::aead::{Aead, Algorithm, NONCE_LEN, TAG_LEN};
use crate::error::{Error, Result};
pub(super) use crate::interop::marked::Seal;
use crate::interop::marked::{self, Chunked};
use crate::kdf::hkdf_sha256;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Bytes of plaintext in every chunk but the last, which has 1 to this many. Only the chunk of an empty file has none.
pub const CHUNK_LEN: usize = 64 << 10;
/// Bytes before the first chunk.
pub(super) const SALT_LEN: usize = 16;

/// Bytes of the sealed chunks of a plaintext of `len` bytes. In a file, they follow the head.
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
    marked::sealed_len(len, CHUNK_LEN)
}

/// Bytes of plaintext in `len` bytes of chunks. The number is authentic once the last chunk is opened.
///
/// # Errors
/// [`Error::Truncated`] for a length that no chunks have.
pub fn opened_len(len: u64) -> Result<u64> {
    marked::opened_len(len, CHUNK_LEN)
}

/// The number of chunks of a plaintext.
pub(super) fn chunks(plaintext_len: u64) -> u64 {
    marked::chunks(plaintext_len, CHUNK_LEN)
}

/// The key of one payload.
pub(crate) struct Chunks(Aead);

impl Chunks {
    pub(super) fn new(file_key: &FileKey, salt: &[u8; SALT_LEN]) -> Result<Self> {
        let mut key = Zeroizing::new([0; 32]);
        hkdf_sha256(&file_key[..], salt, b"payload", &mut key[..]);
        Ok(Self(Aead::new(Algorithm::ChaCha20Poly1305, &key[..])?))
    }

    /// The nonce of a chunk: the index in 11 bytes, of which no file needs more than 8, and the mark of the last chunk.
    fn nonce(index: u64, is_last: bool) -> [u8; NONCE_LEN] {
        let mut nonce = [0; NONCE_LEN];
        nonce[3..11].copy_from_slice(&index.to_be_bytes());
        nonce[11] = u8::from(is_last);
        nonce
    }

    /// Seals a chunk in place. `place` has the plaintext and then room for the tag.
    pub(super) fn seal(&self, index: u64, is_last: bool, place: &mut [u8]) -> Result<()> {
        let (plaintext, room) = place.split_at_mut(place.len() - TAG_LEN);
        room.copy_from_slice(&self.0.seal_in_place(&Self::nonce(index, is_last), b"", plaintext)?);
        Ok(())
    }
}

impl Chunked for Chunks {
    const TAKES_EMPTY_LAST: bool = false;

    fn chunk_len(&self) -> usize {
        CHUNK_LEN
    }

    fn seal_chunk(&self, index: u64, is_last: bool, place: &mut [u8]) -> Result<()> {
        self.seal(index, is_last, place)
    }

    fn open_chunk(&self, index: u64, is_last: bool, chunk: &mut [u8]) -> Result<usize> {
        let opened = self.0.open_in_place(&Self::nonce(index, is_last), b"", chunk);
        opened.map_err(|_| Error::NotAuthentic { chunk: Some(index) })
    }
}

/// The transform that opens chunks.
pub(crate) type Open = marked::Open<Arc<Chunks>>;
