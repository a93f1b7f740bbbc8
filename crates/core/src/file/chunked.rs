//! Chunked encryption under a key: the payload of a file, and for callers who keep their own keys the same without a
//! header (format section 5; C2SP chunked-encryption v1, "Cobblestone").
//!
//! The plaintext is sealed in chunks of 16,384 bytes, the last always shorter, so that it can be made and read as a
//! stream, in parallel and at any position. With `aes-256-gcm` the bytes are Cobblestone-256's.
//!
//! Nothing here does I/O. [`ChunkedKey`] seals and opens bytes in memory; [`FileSealer`] and [`FileOpener`] take a stream
//! in parts of any length.
//!
//! ```
//! use sealstone::chunked::{CHUNK_LEN, ChunkedKey, HEAD_LEN, SEALED_CHUNK_LEN};
//! use sealstone::Suite;
//!
//! let key = ChunkedKey::new(Suite::Aes256Gcm, &[7; 32])?;
//! let sealed = key.encrypt(b"backup of Monday", &[1; 2 * CHUNK_LEN])?;
//! // Salt and commitment, two whole chunks, and a last one that is empty but for its tag.
//! assert_eq!(sealed.len(), HEAD_LEN + 2 * SEALED_CHUNK_LEN + 16);
//! assert_eq!(key.decrypt(b"backup of Monday", &sealed)?, [1; 2 * CHUNK_LEN]);
//! assert_eq!(key.decrypt(b"backup of Friday", &sealed).unwrap_err().code(), "not_authentic");
//! # Ok::<(), sealstone::Error>(())
//! ```

use super::parts::{FileOpener, FileSealer};
use crate::aead::{Aead, Algorithm, NONCE_LEN, TAG_LEN};
use crate::error::{Error, Result};
use crate::format::Payload;
use crate::mac;
use crate::pipeline::{Piece, Settings, Transform};
use crate::random;
use crate::suite::Suite;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Bytes of plaintext in every chunk but the last, which is shorter.
pub const CHUNK_LEN: usize = 16_384;
/// Bytes that a whole chunk becomes.
pub const SEALED_CHUNK_LEN: usize = CHUNK_LEN + TAG_LEN;
/// Bytes before the first chunk: salt and commitment.
pub const HEAD_LEN: usize = SALT_LEN + COMMITMENT_LEN;

const SALT_LEN: usize = 24;
const COMMITMENT_LEN: usize = 32;
const LABEL: &[u8] = b"c2sp.org/chunked-encryption@v1+";
/// The format's limit (section 9): 2^38 chunks, the last of them short.
const MAX_CHUNKS: u64 = 1 << 38;

/// Bytes of the chunks of a plaintext of `len` bytes; with [`HEAD_LEN`] that is the whole ciphertext.
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

const TRUNCATED: Error = Error::Truncated("its last chunk is not whole");

/// The keys of one payload: everything that sealing or opening a chunk needs.
pub(crate) struct Chunks {
    aead: Aead,
    /// The key of `aead`, for who seals and opens chunks elsewhere.
    key: Zeroizing<Vec<u8>>,
    base_nonce: [u8; NONCE_LEN],
}

impl Chunks {
    /// The keys of a new payload under a fresh salt, and its head.
    pub(crate) fn create(suite: Suite, key: &[u8], context: &[&[u8]]) -> Result<(Self, [u8; HEAD_LEN])> {
        let salt = random::array()?;
        let (chunks, commitment) = Self::derive(suite, key, &salt, context)?;
        let mut head = [0; HEAD_LEN];
        head[..SALT_LEN].copy_from_slice(&salt);
        head[SALT_LEN..].copy_from_slice(&commitment);
        Ok((chunks, head))
    }

    /// The keys of a payload with this head.
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

    /// What seals a chunk.
    pub(super) fn key(&self) -> (Algorithm, &[u8]) {
        (self.aead.algorithm(), &self.key)
    }

    /// The nonces of the chunks from `first` on, those that `len` bytes hold.
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

    /// Seals the first `len` bytes of `slot`; the tag goes behind them.
    pub(super) fn seal(&self, index: u64, slot: &mut [u8], len: usize) -> Result<usize> {
        if index >= MAX_CHUNKS {
            return Err(Error::TooLong);
        }
        let (plaintext, rest) = slot.split_at_mut(len);
        rest[..TAG_LEN].copy_from_slice(&self.aead.seal_in_place(&self.nonce(index), b"", plaintext)?);
        Ok(len + TAG_LEN)
    }

    /// Opens the first `len` bytes of `slot`, tag included.
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

    /// Opens a chunk whose tag is elsewhere.
    pub(super) fn open_separate(&self, index: u64, chunk: &mut [u8], tag: &[u8; TAG_LEN]) -> Result<()> {
        if index >= MAX_CHUNKS {
            return Err(Error::TooLong);
        }
        let opened = self.aead.open_in_place_separate_tag(&self.nonce(index), b"", chunk, tag);
        opened.map_err(|_| Error::NotAuthentic { chunk: Some(index) })
    }
}

/// Sealing, for the pipeline.
pub(super) struct Seal(pub(super) Arc<Chunks>);

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

/// Opening, for the pipeline.
pub(crate) struct Open(pub(super) Chunks);

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
    fn plaintext_len(&self, chunks_len: u64) -> Result<u64> {
        opened_len(chunks_len)
    }

    fn chunks_len(&self, plaintext_len: u64) -> Result<u64> {
        sealed_len(plaintext_len)
    }
}

/// A key for chunked encryption without a file header.
///
/// Every encryption draws a fresh 24-byte salt and derives its own keys from it, so one key serves any number of
/// plaintexts. The ciphertext commits to the key and the context.
///
/// # Security
/// The key must be uniformly random. Nothing tells a reader which suite and key a ciphertext needs: keep that
/// yourself, or use [`Encryptor`](crate::Encryptor).
///
/// # Examples
/// ```
/// use sealstone::{Suite, chunked::ChunkedKey};
///
/// let key = ChunkedKey::new(Suite::Aes256Gcm, &[7; 32])?;
/// let sealed = key.encrypt(b"record 17", b"attack at dawn")?;
/// assert_eq!(key.decrypt(b"record 17", &sealed)?, b"attack at dawn");
/// assert_eq!(key.decrypt(b"record 18", &sealed).unwrap_err().code(), "not_authentic");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone)]
pub struct ChunkedKey {
    suite: Suite,
    key: Zeroizing<Vec<u8>>,
}

impl std::fmt::Debug for ChunkedKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChunkedKey").field("suite", &self.suite).finish_non_exhaustive()
    }
}

impl ChunkedKey {
    /// Takes a key for a suite, with the length of [`Suite::key_len`].
    ///
    /// # Errors
    /// [`Error::WrongLength`].
    pub fn new(suite: Suite, key: &[u8]) -> Result<Self> {
        if key.len() != suite.key_len() {
            return Err(Error::WrongLength { what: "the key", expected: suite.key_len(), actual: key.len() });
        }
        Ok(Self { suite, key: Zeroizing::new(key.to_vec()) })
    }

    /// Encrypts bytes in memory. The context is bound but not stored; it may be empty, and has no limit.
    ///
    /// # Errors
    /// [`Error::NoRandomness`]; [`Error::TooLong`] at 4 PiB.
    pub fn encrypt(&self, context: &[u8], plaintext: &[u8]) -> Result<Vec<u8>> {
        self.sealer(context)?.encrypt(plaintext)
    }

    /// Decrypts what [`encrypt`](Self::encrypt) returned.
    ///
    /// # Errors
    /// [`Error::Truncated`] for a length that no ciphertext has; [`Error::NotAuthentic`] for a wrong key, context or
    /// byte. Nothing is released then.
    pub fn decrypt(&self, context: &[u8], ciphertext: &[u8]) -> Result<Vec<u8>> {
        self.opener(context, ciphertext)?.decrypt(ciphertext)
    }

    /// Begins one ciphertext in parts, whose head is the salt and the commitment: a stream, or memory of the caller's.
    ///
    /// ```
    /// use sealstone::{Suite, chunked::ChunkedKey};
    ///
    /// let key = ChunkedKey::new(Suite::Aes256Gcm, &[7; 32])?;
    /// let mut sealer = key.sealer(b"record 17")?;
    /// let mut ciphertext = sealer.head().to_vec();
    /// sealer.fill(b"attack at dawn");
    /// ciphertext.extend(sealer.finish().run()?);
    /// assert_eq!(key.decrypt(b"record 17", &ciphertext)?, b"attack at dawn");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoRandomness`].
    pub fn sealer(&self, context: &[u8]) -> Result<FileSealer> {
        let (chunks, head) = Chunks::create(self.suite, &self.key, &[context])?;
        Ok(FileSealer::new(head.to_vec(), Arc::new(chunks), Settings::default()))
    }

    /// Begins to open one ciphertext in parts, by its first [`HEAD_LEN`] bytes; there may be more.
    ///
    /// ```
    /// use sealstone::Suite;
    /// use sealstone::chunked::{ChunkedKey, HEAD_LEN};
    ///
    /// let key = ChunkedKey::new(Suite::Aes256Gcm, &[7; 32])?;
    /// let ciphertext = key.encrypt(b"", b"attack at dawn")?;
    /// let mut opener = key.opener(b"", &ciphertext)?;
    /// opener.fill(&ciphertext[HEAD_LEN..]);
    /// let (plaintext, failure) = opener.finish().run();
    /// assert!(failure.is_none());
    /// assert_eq!(plaintext, b"attack at dawn");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Truncated`] where there are less; [`Error::NotAuthentic`] when the head does not commit to this key and context.
    pub fn opener(&self, context: &[u8], head: &[u8]) -> Result<FileOpener> {
        let head = head.first_chunk().ok_or(TRUNCATED)?;
        let chunks = Chunks::open(self.suite, &self.key, &[context], head)?;
        Ok(FileOpener::new(chunks, HEAD_LEN, Settings::default()))
    }
}

#[cfg(test)]
#[path = "chunked_tests.rs"]
mod tests;
