//! AES key wrap: encryption of a key under another key, without a nonce (RFC 3394, SP 800-38F), and with padding for secrets of
//! any length (RFC 5649).
//!
//! ```
//! use sealstone::hazmat::wrap::{Algorithm, KeyWrap};
//!
//! let wrap = KeyWrap::new(Algorithm::Aes256Kw, &[7; 32])?;
//! let wrapped = wrap.wrap(&[1; 16])?;
//! assert_eq!(wrapped.len(), 16 + 8);
//! assert_eq!(*wrap.unwrap(&wrapped)?, [1; 16]);
//! # Ok::<(), sealstone::Error>(())
//! ```
//!
//! # Security
//! Wrap only random keys: wrapping is deterministic, and it detects changes by only 8 bytes, or 4 with padding. There is no
//! associated data. In new designs use an [`Aead`](crate::aead::Aead).

use crate::error::{Error, Lengths, Result};
use crate::{provider, random};
use zeroize::Zeroizing;

/// Bytes of a word: secrets are whole words, and wrapping adds one.
const WORD_LEN: usize = 8;
/// The shortest secret without padding, in bytes (RFC 3394 section 2).
const KW_MIN_LEN: usize = 16;

/// Key wrap under a key of one length.
///
/// ```
/// use sealstone::hazmat::wrap::Algorithm;
///
/// let algorithm: Algorithm = "aes-128-kwp".parse()?;
/// assert_eq!(algorithm.key_len(), 16);
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// `aes-128-kw`, RFC 3394. Like the other two without padding, for secrets of at least 16 bytes, in multiples of 8.
    Aes128Kw,
    /// `aes-192-kw`.
    Aes192Kw,
    /// `aes-256-kw`.
    Aes256Kw,
    /// `aes-128-kwp`, RFC 5649. Like the other two with padding, for secrets of 1 to 2^32 - 1 bytes.
    Aes128Kwp,
    /// `aes-192-kwp`.
    Aes192Kwp,
    /// `aes-256-kwp`.
    Aes256Kwp,
}

named_enum!(Algorithm {
    Aes128Kw = "aes-128-kw",
    Aes192Kw = "aes-192-kw",
    Aes256Kw = "aes-256-kw",
    Aes128Kwp = "aes-128-kwp",
    Aes192Kwp = "aes-192-kwp",
    Aes256Kwp = "aes-256-kwp",
});

impl Algorithm {
    /// Bytes of the wrapping key.
    #[must_use]
    pub fn key_len(self) -> usize {
        match self {
            Self::Aes128Kw | Self::Aes128Kwp => 16,
            Self::Aes192Kw | Self::Aes192Kwp => 24,
            Self::Aes256Kw | Self::Aes256Kwp => 32,
        }
    }

    /// A new key from the system's generator.
    ///
    /// # Errors
    /// [`Error::NoRandomness`].
    pub fn generate_key(self) -> Result<Zeroizing<Vec<u8>>> {
        random::key(self.key_len())
    }

    fn pads(self) -> bool {
        matches!(self, Self::Aes128Kwp | Self::Aes192Kwp | Self::Aes256Kwp)
    }
}

/// A wrapping key with its schedules. Threads can share it. Zeroed on drop.
///
/// # Security
/// See the [module](self).
///
/// # Examples
/// ```
/// use sealstone::hazmat::wrap::{Algorithm, KeyWrap};
///
/// let wrap = KeyWrap::new(Algorithm::Aes128Kwp, &[7; 16])?;
/// let mut wrapped = wrap.wrap(b"20 bytes of a secret")?;
/// assert_eq!(wrapped.len(), 24 + 8);
/// assert_eq!(*wrap.unwrap(&wrapped)?, b"20 bytes of a secret");
/// wrapped[3] ^= 1;
/// assert_eq!(wrap.unwrap(&wrapped).unwrap_err().code(), "not_authentic");
/// # Ok::<(), sealstone::Error>(())
/// ```
pub struct KeyWrap {
    algorithm: Algorithm,
    key: Box<provider::AesKeyWrap>,
}

impl KeyWrap {
    /// Takes a key of [`Algorithm::key_len`] bytes.
    ///
    /// # Errors
    /// [`Error::WrongLength`].
    pub fn new(algorithm: Algorithm, key: &[u8]) -> Result<Self> {
        if key.len() != algorithm.key_len() {
            return Err(Error::WrongLength { what: "the key", expected: algorithm.key_len(), actual: key.len() });
        }
        Ok(Self { algorithm, key: Box::new(provider::AesKeyWrap::new(key, algorithm.pads())) })
    }

    /// The algorithm of this key.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Wraps a secret. The result is 8 bytes longer than the secret, rounded up to a multiple of 8.
    ///
    /// # Errors
    /// [`Error::OtherLength`] for an empty secret, and without padding for under 16 bytes or no multiple of 8;
    /// [`Error::TooLong`], with padding, for over 2^32 - 1 bytes.
    pub fn wrap(&self, secret: &[u8]) -> Result<Vec<u8>> {
        let actual = secret.len();
        let words_len = actual.next_multiple_of(WORD_LEN);
        let lengths = if self.algorithm.pads() {
            Lengths::at_least(1)
        } else {
            Lengths { multiple_of: WORD_LEN, ..Lengths::at_least(KW_MIN_LEN) }
        };
        lengths.check("the secret", actual)?;
        if self.algorithm.pads() && u32::try_from(actual).is_err() {
            return Err(Error::TooLong);
        }
        let mut wrapped = vec![0; WORD_LEN + words_len];
        self.key.wrap(secret, &mut wrapped);
        Ok(wrapped)
    }

    /// Unwraps what [`wrap`](Self::wrap) returned.
    ///
    /// # Errors
    /// [`Error::NotAuthentic`] for a wrong key or byte, and for a length that wrapping does not produce; nothing of the secret
    /// is released.
    pub fn unwrap(&self, wrapped: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        let min_len = WORD_LEN + if self.algorithm.pads() { WORD_LEN } else { KW_MIN_LEN };
        if wrapped.len() < min_len || !wrapped.len().is_multiple_of(WORD_LEN) {
            return Err(Error::NotAuthentic { chunk: None });
        }
        self.key.unwrap(wrapped).map_err(|_| Error::NotAuthentic { chunk: None })
    }
}

debug!(KeyWrap { algorithm });
