//! Chunked encryption under a key: the payload of a file. Callers who manage their own keys can use it without a header (format
//! section 5; C2SP chunked-encryption v1, "Cobblestone").
//!
//! The plaintext is sealed in chunks of 16,384 bytes, and the last chunk is always shorter. So it can be written and read as a
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

pub use super::chunks::{CHUNK_LEN, HEAD_LEN, SEALED_CHUNK_LEN};

use super::chunks::{Chunks, TRUNCATED};
use super::parts::{FileOpener, FileSealer};
use crate::error::{Error, Result};
use crate::pipeline::Settings;
use crate::suite::Suite;
use std::sync::Arc;
use zeroize::Zeroizing;

/// A key for chunked encryption without a file header.
///
/// Every encryption draws a fresh 24-byte salt and derives its own keys from it, so one key serves any number of
/// plaintexts. The ciphertext commits to the key and the context.
///
/// # Security
/// The key must be uniformly random. The ciphertext does not name its suite or its key: store both yourself, or use
/// [`Encryptor`](crate::Encryptor).
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

debug!(ChunkedKey { suite });

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

    /// Decrypts a ciphertext of [`encrypt`](Self::encrypt).
    ///
    /// # Errors
    /// [`Error::Truncated`] for a length that no ciphertext has; [`Error::NotAuthentic`] for a wrong key, context or byte.
    /// After an error, no plaintext is released.
    pub fn decrypt(&self, context: &[u8], ciphertext: &[u8]) -> Result<Vec<u8>> {
        self.opener(context, ciphertext)?.decrypt(ciphertext)
    }

    /// Begins one ciphertext in parts, as a stream or in the caller's memory. Its head is the salt and the commitment.
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

    /// Begins to open one ciphertext in parts, with its first [`HEAD_LEN`] bytes or more.
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
    /// [`Error::Truncated`] for fewer bytes; [`Error::NotAuthentic`] when the head does not commit to this key and context.
    pub fn opener(&self, context: &[u8], head: &[u8]) -> Result<FileOpener> {
        let head = head.first_chunk().ok_or(TRUNCATED)?;
        let chunks = Chunks::open(self.suite, &self.key, &[context], head)?;
        Ok(FileOpener::new(chunks, HEAD_LEN, Settings::default()))
    }
}
