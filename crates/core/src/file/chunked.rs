//! Chunked encryption under a key: the payload of a file, and for callers who keep their own keys the same without a
//! header (format section 5; C2SP chunked-encryption v1, "Cobblestone").
//!
//! The plaintext is sealed in chunks of 16,384 bytes, the last always shorter, so that it can be made and read as a
//! stream, in parallel and at any position. With `aes-256-gcm` the bytes are Cobblestone-256's.
//!
//! Nothing here does I/O. [`ChunkedKey`] seals and opens bytes in memory; [`Sealer`] and [`Opener`] take a stream in
//! parts of any length.
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

use crate::aead::{Aead, NONCE_LEN, TAG_LEN};
use crate::error::{Error, Result};
use crate::mac;
use crate::pipeline::{Meter, Settings, Transform, run_memory};
use crate::random;
use crate::suite::Suite;
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
        let (base_nonce, commitment) = rest.split_first_chunk().expect("chunked: then the nonce");
        let chunks = Self { aead: suite.aead(key)?, base_nonce: *base_nonce };
        Ok((chunks, commitment.try_into().expect("chunked: then the commitment")))
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
}

/// Sealing, for the pipeline.
pub(crate) struct Seal<'a>(pub(crate) &'a Chunks);

impl Transform for Seal<'_> {
    fn input_len(&self) -> usize {
        CHUNK_LEN
    }

    fn output_len(&self) -> usize {
        SEALED_CHUNK_LEN
    }

    fn apply(&self, index: u64, slot: &mut [u8], len: usize) -> Result<usize> {
        self.0.seal(index, slot, len)
    }
}

/// Opening, for the pipeline.
pub(crate) struct Open<'a>(pub(crate) &'a Chunks);

impl Transform for Open<'_> {
    fn input_len(&self) -> usize {
        SEALED_CHUNK_LEN
    }

    fn output_len(&self) -> usize {
        CHUNK_LEN
    }

    fn apply(&self, index: u64, slot: &mut [u8], len: usize) -> Result<usize> {
        self.0.open_chunk(index, slot, len)
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
        let (chunks, head) = self.create(context)?;
        encrypt_memory(&chunks, &head, plaintext, &Settings::default())
    }

    /// Decrypts what [`encrypt`](Self::encrypt) returned.
    ///
    /// # Errors
    /// [`Error::Truncated`] for a length that no ciphertext has; [`Error::NotAuthentic`] for a wrong key, context or
    /// byte. Nothing is released then.
    pub fn decrypt(&self, context: &[u8], ciphertext: &[u8]) -> Result<Vec<u8>> {
        let (chunks, sealed) = self.open_head(context, ciphertext)?;
        decrypt_memory(&chunks, sealed, &Settings::default())
    }

    /// Seals a stream.
    ///
    /// # Errors
    /// [`Error::NoRandomness`].
    pub fn sealer(&self, context: &[u8]) -> Result<Sealer> {
        let (chunks, head) = self.create(context)?;
        Ok(Sealer { chunks, head, index: 0, pending: Pending::new() })
    }

    /// Opens a stream whose first 56 bytes are `head`.
    ///
    /// # Errors
    /// [`Error::NotAuthentic`] when the head does not commit to this key and context.
    pub fn opener(&self, context: &[u8], head: &[u8; HEAD_LEN]) -> Result<Opener> {
        let chunks = Chunks::open(self.suite, &self.key, &[context], head)?;
        Ok(Opener { chunks, index: 0, pending: Pending::new(), failed: false })
    }

    pub(super) fn create(&self, context: &[u8]) -> Result<(Chunks, [u8; HEAD_LEN])> {
        Chunks::create(self.suite, &self.key, &[context])
    }

    pub(super) fn open_head<'a>(&self, context: &[u8], ciphertext: &'a [u8]) -> Result<(Chunks, &'a [u8])> {
        let (head, sealed) = ciphertext.split_first_chunk().ok_or(TRUNCATED)?;
        let chunks = Chunks::open(self.suite, &self.key, &[context], head)?;
        Ok((chunks, sealed))
    }
}

/// Returns `head || chunks`.
pub(super) fn encrypt_memory(chunks: &Chunks, head: &[u8], plaintext: &[u8], settings: &Settings) -> Result<Vec<u8>> {
    let sealed_len = usize::try_from(sealed_len(plaintext.len() as u64)?).map_err(|_| Error::TooLong)?;
    // Fresh pages of the allocator, zero already: nothing is written twice.
    let mut out = vec![0; head.len() + sealed_len];
    out[..head.len()].copy_from_slice(head);
    let meter = Meter::new(settings, Some(plaintext.len() as u64));
    run_memory(&Seal(chunks), plaintext, &mut out[head.len()..], &meter)?;
    Ok(out)
}

/// Opens all chunks, or none.
pub(super) fn decrypt_memory(chunks: &Chunks, sealed: &[u8], settings: &Settings) -> Result<Vec<u8>> {
    let opened_len = usize::try_from(opened_len(sealed.len() as u64)?).map_err(|_| Error::TooLong)?;
    // Zeroed when dropped on an error: what opened before the failing chunk is not released.
    let mut out = Zeroizing::new(vec![0; opened_len]);
    let meter = Meter::new(settings, Some(sealed.len() as u64));
    run_memory(&Open(chunks), sealed, &mut out, &meter)?;
    Ok(std::mem::take(&mut *out))
}

/// Seals a stream that comes in parts of any length: the machine that every language wraps.
///
/// ```
/// use sealstone::{Suite, chunked::{ChunkedKey, HEAD_LEN}};
///
/// let key = ChunkedKey::new(Suite::ChaCha20Poly1305, &[7; 32])?;
/// let mut sealer = key.sealer(b"")?;
/// let head = *sealer.head();
/// let mut chunks = Vec::new();
/// sealer.update(b"attack ", &mut chunks)?;
/// sealer.update(b"at dawn", &mut chunks)?;
/// sealer.finish(&mut chunks)?;
///
/// let mut opener = key.opener(b"", &head)?;
/// let mut plaintext = Vec::new();
/// opener.update(&chunks, &mut plaintext)?;
/// opener.finish(&mut plaintext)?;
/// assert_eq!(plaintext, b"attack at dawn");
/// # Ok::<(), sealstone::Error>(())
/// ```
pub struct Sealer {
    chunks: Chunks,
    head: [u8; HEAD_LEN],
    index: u64,
    pending: Pending,
}

impl Sealer {
    /// Salt and commitment, which come before the chunks.
    #[must_use]
    pub fn head(&self) -> &[u8; HEAD_LEN] {
        &self.head
    }

    /// Takes more plaintext and appends every complete chunk to `out`.
    ///
    /// # Errors
    /// [`Error::TooLong`] at 4 PiB.
    pub fn update(&mut self, plaintext: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let Self { chunks, index, pending, .. } = self;
        pending.update(plaintext, CHUNK_LEN, |slot, len| {
            let len = chunks.seal(*index, slot, len)?;
            *index += 1;
            out.extend_from_slice(&slot[..len]);
            Ok(())
        })
    }

    /// Seals the last chunk, which may be empty. Without it the ciphertext is truncated.
    ///
    /// # Errors
    /// [`Error::TooLong`] at 4 PiB.
    pub fn finish(mut self, out: &mut Vec<u8>) -> Result<()> {
        let len = self.chunks.seal(self.index, &mut self.pending.slot, self.pending.len)?;
        out.extend_from_slice(&self.pending.slot[..len]);
        Ok(())
    }
}

/// Opens a stream that comes in parts of any length.
///
/// ```
/// use sealstone::Suite;
/// use sealstone::chunked::{ChunkedKey, HEAD_LEN};
///
/// let key = ChunkedKey::new(Suite::Aes256Gcm, &[7; 32])?;
/// let sealed = key.encrypt(b"", &[1; 20_000])?;
/// let (head, chunks) = sealed.split_first_chunk::<HEAD_LEN>().unwrap();
/// let mut opener = key.opener(b"", head)?;
/// let mut plaintext = Vec::new();
/// for part in chunks.chunks(1000) {
///     opener.update(part, &mut plaintext)?;
/// }
/// // Authentic so far, and not known to be all.
/// assert_eq!(plaintext.len(), 16_384);
/// opener.finish(&mut plaintext)?;
/// assert_eq!(plaintext, [1; 20_000]);
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Security
/// [`update`](Self::update) returns an authentic prefix, not a whole plaintext. Only [`finish`](Self::finish) shows that nothing
/// was cut off.
pub struct Opener {
    chunks: Chunks,
    index: u64,
    pending: Pending,
    /// Set by the first failure, which every later call repeats.
    failed: bool,
}

impl Opener {
    /// Takes more ciphertext and appends the plaintext of every complete, authentic chunk to `out`.
    ///
    /// # Errors
    /// [`Error::NotAuthentic`] with the chunk's index; the stream ends there.
    pub fn update(&mut self, sealed: &[u8], out: &mut Vec<u8>) -> Result<()> {
        self.check_not_failed()?;
        let Self { chunks, index, pending, failed } = self;
        pending.update(sealed, SEALED_CHUNK_LEN, |slot, len| {
            let len = chunks.open_chunk(*index, slot, len).inspect_err(|_| *failed = true)?;
            *index += 1;
            out.extend_from_slice(&slot[..len]);
            Ok(())
        })
    }

    /// Opens the last chunk.
    ///
    /// # Errors
    /// [`Error::Truncated`] or [`Error::NotAuthentic`]: then the plaintext is incomplete.
    pub fn finish(mut self, out: &mut Vec<u8>) -> Result<()> {
        self.check_not_failed()?;
        let len = self.chunks.open_chunk(self.index, &mut self.pending.slot, self.pending.len)?;
        out.extend_from_slice(&self.pending.slot[..len]);
        Ok(())
    }
}

impl Opener {
    fn check_not_failed(&self) -> Result<()> {
        if self.failed { Err(Error::NotAuthentic { chunk: Some(self.index) }) } else { Ok(()) }
    }
}

impl std::fmt::Debug for Sealer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sealer").field("index", &self.index).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Opener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Opener").field("index", &self.index).finish_non_exhaustive()
    }
}

/// The chunk of a stream that is not whole yet.
struct Pending {
    slot: Zeroizing<Vec<u8>>,
    len: usize,
}

impl Pending {
    fn new() -> Self {
        Self { slot: Zeroizing::new(vec![0; SEALED_CHUNK_LEN]), len: 0 }
    }

    /// Calls `whole` for every piece of `piece_len` bytes that `input` completes. A whole piece is never the last.
    fn update(
        &mut self,
        mut input: &[u8],
        piece_len: usize,
        mut whole: impl FnMut(&mut [u8], usize) -> Result<()>,
    ) -> Result<()> {
        while !input.is_empty() {
            let (now, rest) = input.split_at(input.len().min(piece_len - self.len));
            self.slot[self.len..self.len + now.len()].copy_from_slice(now);
            self.len += now.len();
            input = rest;
            if self.len == piece_len {
                // Also when this fails: the next call must not find a chunk that is opened already.
                self.len = 0;
                whole(&mut self.slot, piece_len)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "chunked_tests.rs"]
mod tests;
