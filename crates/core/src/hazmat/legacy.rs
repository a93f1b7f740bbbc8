//! Ciphers of old data: DES and triple DES (FIPS 46-3, SP 800-67) and Blowfish (Schneier, FSE 1993) in CBC, and RC4 (RFC 6229).
//!
//! They decrypt. To encrypt, for a program that reads nothing else, a caller says so.
//!
//! ```
//! use sealstone::hazmat::cipher::Padding;
//! use sealstone::hazmat::legacy::{Algorithm, LegacyCipher};
//!
//! let cipher = LegacyCipher::new(Algorithm::DesEde3Cbc, &[7; 24])?;
//! let error = cipher.encrypt(&[9; 8], Padding::Pkcs7, b"attack at dawn").unwrap_err();
//! assert_eq!(error.code(), "legacy_encryption");
//!
//! let other = LegacyCipher::allowing_encryption(Algorithm::DesEde3Cbc, &[7; 24])?;
//! let ciphertext = other.encrypt(&[9; 8], Padding::Pkcs7, b"attack at dawn")?;
//! assert_eq!(cipher.decrypt(&[9; 8], Padding::Pkcs7, &ciphertext)?, b"attack at dawn");
//! # Ok::<(), sealstone::Error>(())
//! ```
//!
//! # Security
//! All of them are broken. Anyone can search the keys of DES, and a gigabyte under one key of the others reveals parts of it, since
//! their blocks have 8 bytes. RC4 has no IV, so two messages under one key reveal each other, and its keystream is not random.
//! Nothing is authenticated: who can learn whether padding was right can decrypt with that. They index tables with secrets, and
//! no constant time is claimed.

use super::cipher::Padding;
use crate::error::{Error, Lengths, Result};
use crate::provider;
use sealstone_ciphers::padding;
use std::fmt;
use std::ops::RangeInclusive;
use zeroize::{Zeroize, Zeroizing};

/// Bytes of a block, and of an IV.
pub const BLOCK_LEN: usize = 8;

/// An old cipher.
///
/// ```
/// use sealstone::hazmat::legacy::Algorithm;
///
/// let algorithm: Algorithm = "blowfish-cbc".parse()?;
/// assert_eq!((algorithm.key_lens(), algorithm.iv_len()), (4..=56, 8));
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// `des-cbc`. The lowest bit of each byte of a key is parity, which is not checked.
    DesCbc,
    /// `des-ede3-cbc`, triple DES with three keys. Where there are two, the first is the third too.
    DesEde3Cbc,
    /// `blowfish-cbc`.
    BlowfishCbc,
    /// `rc4`.
    Rc4,
}

named_enum!(Algorithm {
    DesCbc = "des-cbc",
    DesEde3Cbc = "des-ede3-cbc",
    BlowfishCbc = "blowfish-cbc",
    Rc4 = "rc4",
});

impl Algorithm {
    /// Bytes of a key.
    #[must_use]
    pub fn key_lens(self) -> RangeInclusive<usize> {
        match self {
            Self::DesCbc => 8..=8,
            Self::DesEde3Cbc => 24..=24,
            Self::BlowfishCbc => 4..=56,
            Self::Rc4 => 1..=256,
        }
    }

    /// Bytes of an IV: none for RC4, otherwise a block.
    #[must_use]
    pub fn iv_len(self) -> usize {
        if self == Self::Rc4 { 0 } else { BLOCK_LEN }
    }
}

/// A key of an old cipher. Threads can share it, and it is zeroed on drop.
///
/// # Security
/// See the [module](self): this is for reading old data.
///
/// # Examples
/// ```
/// use sealstone::hazmat::cipher::Padding;
/// use sealstone::hazmat::legacy::{Algorithm, LegacyCipher};
///
/// // RFC 6229 section 2, on zeros.
/// let cipher = LegacyCipher::new(Algorithm::Rc4, &[1, 2, 3, 4, 5])?;
/// assert_eq!(cipher.decrypt(&[], Padding::None, &[0; 4])?, [0xb2, 0x39, 0x63, 0x05]);
/// # Ok::<(), sealstone::Error>(())
/// ```
pub struct LegacyCipher {
    algorithm: Algorithm,
    key: Key,
    encrypts: bool,
}

enum Key {
    Cbc(Box<provider::Cbc8>),
    /// RC4 changes its state, so that each message begins with the key.
    Rc4(Zeroizing<Vec<u8>>),
}

impl LegacyCipher {
    /// Takes a key of one of [`Algorithm::key_lens`] bytes, which decrypts.
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::OtherLength`].
    pub fn new(algorithm: Algorithm, key: &[u8]) -> Result<Self> {
        let lens = algorithm.key_lens();
        Lengths::from_to(*lens.start(), *lens.end()).check("the key", key.len())?;
        let key = match algorithm {
            Algorithm::DesCbc => Key::Cbc(Box::new(provider::Cbc8::des(key))),
            Algorithm::DesEde3Cbc => Key::Cbc(Box::new(provider::Cbc8::triple_des(key))),
            Algorithm::BlowfishCbc => Key::Cbc(Box::new(provider::Cbc8::blowfish(key))),
            Algorithm::Rc4 => Key::Rc4(Zeroizing::new(key.to_vec())),
        };
        Ok(Self { algorithm, key, encrypts: false })
    }

    /// As [`new`](Self::new), for a key that encrypts too.
    ///
    /// # Errors
    /// [`Error::WrongLength`].
    ///
    /// # Security
    /// What it encrypts, others can read or change: see the [module](self).
    pub fn allowing_encryption(algorithm: Algorithm, key: &[u8]) -> Result<Self> {
        Ok(Self { encrypts: true, ..Self::new(algorithm, key)? })
    }

    /// The algorithm of this key.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Encrypts a message. RC4 ignores the padding.
    ///
    /// # Errors
    /// [`Error::LegacyEncryption`], unless this key [allows encryption](Self::allowing_encryption); [`Error::WrongLength`] for an
    /// IV that is not [`Algorithm::iv_len`] bytes; [`Error::PartialBlock`] for a plaintext without padding that is not whole
    /// blocks.
    pub fn encrypt(&self, iv: &[u8], padding: Padding, plaintext: &[u8]) -> Result<Vec<u8>> {
        if !self.encrypts {
            return Err(Error::LegacyEncryption(self.algorithm.name()));
        }
        self.check_iv(iv)?;
        let mut data = Vec::with_capacity(plaintext.len() + BLOCK_LEN);
        data.extend_from_slice(plaintext);
        match &self.key {
            Key::Rc4(key) => provider::rc4(key, &mut data),
            Key::Cbc(key) => {
                let rest = plaintext.len() % BLOCK_LEN;
                if padding == Padding::Pkcs7 {
                    data.truncate(plaintext.len() - rest);
                    let last = Zeroizing::new(padding::pad::<BLOCK_LEN>(&plaintext[plaintext.len() - rest..]));
                    data.extend_from_slice(&last[..]);
                } else if rest > 0 {
                    data.zeroize();
                    return Err(Error::PartialBlock(rest));
                }
                key.encrypt(block(iv), &mut data);
            }
        }
        Ok(data)
    }

    /// Decrypts a message. RC4 ignores the padding.
    ///
    /// # Errors
    /// [`Error::WrongLength`] for an IV that is not [`Algorithm::iv_len`] bytes; [`Error::PartialBlock`] for a ciphertext that is
    /// not whole blocks; [`Error::InvalidPadding`] when the decrypted data does not end in padding, whatever the reason. Then
    /// nothing is released.
    ///
    /// # Security
    /// Hide [`Error::InvalidPadding`] from anyone who can choose ciphertexts: they could decrypt with it.
    pub fn decrypt(&self, iv: &[u8], padding: Padding, ciphertext: &[u8]) -> Result<Vec<u8>> {
        self.check_iv(iv)?;
        let rest = ciphertext.len() % BLOCK_LEN;
        if matches!(self.key, Key::Cbc(_)) && rest > 0 {
            return Err(Error::PartialBlock(rest));
        }
        let mut data = ciphertext.to_vec();
        match &self.key {
            Key::Rc4(key) => provider::rc4(key, &mut data),
            Key::Cbc(key) => {
                key.decrypt(block(iv), &mut data);
                if padding == Padding::Pkcs7 {
                    let last = data.last_chunk::<BLOCK_LEN>().ok_or(Error::InvalidPadding)?;
                    let Some(kept) = padding::unpadded_len(last) else {
                        data.zeroize();
                        return Err(Error::InvalidPadding);
                    };
                    data.truncate(data.len() - BLOCK_LEN + kept);
                }
            }
        }
        Ok(data)
    }

    fn check_iv(&self, iv: &[u8]) -> Result<()> {
        let expected = self.algorithm.iv_len();
        if iv.len() == expected {
            Ok(())
        } else {
            Err(Error::WrongLength { what: "the IV", expected, actual: iv.len() })
        }
    }
}

fn block(iv: &[u8]) -> [u8; BLOCK_LEN] {
    iv.try_into().expect("legacy: the length of the IV was checked")
}

impl fmt::Debug for LegacyCipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LegacyCipher").field("algorithm", &self.algorithm).finish_non_exhaustive()
    }
}
