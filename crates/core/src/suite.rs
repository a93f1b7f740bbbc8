//! The suites: the AEAD and the hash function of a file (format section 2). Only this module pairs an AEAD with a hash
//! function.

use crate::aead::{Aead, Algorithm};
use crate::error::{Error, Result};
use crate::kdf::{hkdf_expand_sha512, hkdf_expand_sm3};
use crate::mac::{HmacSha512, HmacSm3};

/// The algorithms of a file (format section 2).
///
/// ```
/// use sealstone::Suite;
///
/// assert_eq!("chacha20-poly1305".parse::<Suite>()?, Suite::ChaCha20Poly1305);
/// assert_eq!(Suite::default().to_string(), "aes-256-gcm");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Suite {
    /// `aes-256-gcm` with SHA-512, the default.
    #[default]
    Aes256Gcm,
    /// `chacha20-poly1305` with SHA-512, for machines without AES instructions.
    ChaCha20Poly1305,
    /// `sm4-gcm` with SM3, for Chinese commercial cryptography. It supports only `sm2` keys, passphrases and symmetric keys.
    Sm4Gcm,
}

named_enum!(Suite {
    Aes256Gcm = "aes-256-gcm",
    ChaCha20Poly1305 = "chacha20-poly1305",
    Sm4Gcm = "sm4-gcm" if "gm",
});

impl Suite {
    /// The suite byte of the file's prefix.
    #[must_use]
    pub fn id(self) -> u8 {
        match self {
            Self::Aes256Gcm => 1,
            Self::ChaCha20Poly1305 => 2,
            Self::Sm4Gcm => 3,
        }
    }

    /// The name in IANA's AEAD registry, an input of the payload's key derivation.
    pub(crate) fn iana_name(self) -> &'static str {
        match self {
            Self::Aes256Gcm => "AEAD_AES_256_GCM",
            Self::ChaCha20Poly1305 => "AEAD_CHACHA20_POLY1305",
            Self::Sm4Gcm => "AEAD_SM4_GCM",
        }
    }

    pub(crate) fn from_id(id: u8) -> Result<Self> {
        Self::ALL.into_iter().find(|suite| suite.id() == id).ok_or(Error::UnsupportedSuite(id))
    }

    pub(crate) fn algorithm(self) -> Algorithm {
        match self {
            Self::Aes256Gcm => Algorithm::Aes256Gcm,
            Self::ChaCha20Poly1305 => Algorithm::ChaCha20Poly1305,
            Self::Sm4Gcm => Algorithm::Sm4Gcm,
        }
    }

    /// Bytes of a key of the suite's AEAD.
    ///
    /// ```
    /// assert_eq!(sealstone::Suite::Sm4Gcm.key_len(), 16);
    /// ```
    #[must_use]
    pub fn key_len(self) -> usize {
        self.algorithm().key_len()
    }

    /// The AEAD with a key of [`key_len`](Self::key_len) bytes.
    ///
    /// # Errors
    /// [`Error::UnsupportedSuite`] where the suite's feature is off; [`Error::UnavailableBackend`] when the environment forces one.
    pub(crate) fn aead(self, key: &[u8]) -> Result<Aead> {
        Self::from_id(self.id())?;
        Aead::new(self.algorithm(), key)
    }

    /// HKDF-Expand with the suite's hash function.
    pub(crate) fn expand(self, key: &[u8], info: &[&[u8]], out: &mut [u8]) {
        match self {
            Self::Aes256Gcm | Self::ChaCha20Poly1305 => hkdf_expand_sha512(key, info, out),
            Self::Sm4Gcm => hkdf_expand_sm3(key, info, out),
        }
    }

    /// The first 32 bytes of HMAC with the suite's hash function.
    pub(crate) fn mac(self, key: &[u8], data: &[u8]) -> [u8; 32] {
        match self {
            Self::Aes256Gcm | Self::ChaCha20Poly1305 => {
                *HmacSha512::new(key).sign([data]).first_chunk().expect("suite: HMAC-SHA-512 has 64 bytes")
            }
            Self::Sm4Gcm => HmacSm3::new(key).sign([data]),
        }
    }
}
