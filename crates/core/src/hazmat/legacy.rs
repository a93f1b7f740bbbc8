//! Ciphers of old data: DES and triple DES (FIPS 46-3, SP 800-67) and Blowfish (Schneier, FSE 1993) in ECB, CBC, CFB and OFB, RC4
//! (RFC 6229) and Rabbit (RFC 4503).
//!
//! They decrypt. To encrypt, for a program that reads nothing else, a caller says so; Rabbit never encrypts.
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
//! All of them are broken, or nobody looks at them any more. Anyone can search the keys of DES, and a gigabyte under one key of the
//! others reveals parts of it, since their blocks have 8 bytes. ECB keeps equal blocks equal, and OFB with one IV twice reveals both
//! plaintexts. RC4 has no IV, so two messages under one key reveal each other, and its keystream is not random. Nothing is
//! authenticated: who can learn whether padding was right can decrypt with that. But for Rabbit they index tables with secrets, and no
//! constant time is claimed.

use super::cipher::Padding;
use crate::error::{Error, Lengths, Result};
use crate::provider::{self, Cipher8, Mode8};
use sealstone_ciphers::padding;
use std::fmt;
use std::ops::RangeInclusive;
use zeroize::{Zeroize, Zeroizing};

/// Bytes of a block, and of an IV.
pub const BLOCK_LEN: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cipher {
    Des,
    TripleDes,
    Blowfish,
    Rc4,
    Rabbit,
}

macro_rules! algorithms {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $cipher:ident $(, $mode:ident)?;)+) => {
        /// An old cipher, with its mode.
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
            $(#[doc = concat!("`", $name, "`.")] $(#[$doc])* $variant,)+
        }

        impl Algorithm {
            fn cipher(self) -> Cipher {
                match self { $(Self::$variant => Cipher::$cipher,)+ }
            }

            /// None for a cipher that has no blocks.
            fn mode(self) -> Option<Mode8> {
                match self {
                    $($(Self::$variant => Some(Mode8::$mode),)?)+
                    _ => None,
                }
            }
        }

        named_enum!(Algorithm { $($variant = $name,)+ });
    };
}

algorithms! {
    /// The lowest bit of each byte of a key is parity, which is not checked.
    DesEcb = "des-ecb", Des, Ecb;
    DesCbc = "des-cbc", Des, Cbc;
    /// Whole blocks are fed back.
    DesCfb = "des-cfb", Des, Cfb;
    DesOfb = "des-ofb", Des, Ofb;
    /// Triple DES with three keys. Where there are two, the first is the third too.
    DesEde3Ecb = "des-ede3-ecb", TripleDes, Ecb;
    DesEde3Cbc = "des-ede3-cbc", TripleDes, Cbc;
    /// Whole blocks are fed back.
    DesEde3Cfb = "des-ede3-cfb", TripleDes, Cfb;
    DesEde3Ofb = "des-ede3-ofb", TripleDes, Ofb;
    BlowfishEcb = "blowfish-ecb", Blowfish, Ecb;
    BlowfishCbc = "blowfish-cbc", Blowfish, Cbc;
    /// Whole blocks are fed back.
    BlowfishCfb = "blowfish-cfb", Blowfish, Cfb;
    BlowfishOfb = "blowfish-ofb", Blowfish, Ofb;
    Rc4 = "rc4", Rc4;
    /// The bytes of keys, IVs and keystreams stand as other programs write them: in RFC 4503's examples they stand the other way
    /// round. It never encrypts.
    Rabbit = "rabbit", Rabbit;
}

impl Algorithm {
    /// Bytes of a key.
    #[must_use]
    pub fn key_lens(self) -> RangeInclusive<usize> {
        match self.cipher() {
            Cipher::Des => 8..=8,
            Cipher::TripleDes => 24..=24,
            Cipher::Blowfish => 4..=56,
            Cipher::Rc4 => 1..=256,
            Cipher::Rabbit => 16..=16,
        }
    }

    /// Bytes of an IV: none for ECB and RC4, otherwise a block. Rabbit takes one, or none.
    #[must_use]
    pub fn iv_len(self) -> usize {
        if self.mode() == Some(Mode8::Ecb) || self == Self::Rc4 { 0 } else { BLOCK_LEN }
    }

    /// Whether it works on whole blocks only, so that a plaintext of another length needs [`Padding::Pkcs7`].
    #[must_use]
    pub fn pads(self) -> bool {
        matches!(self.mode(), Some(Mode8::Ecb | Mode8::Cbc))
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
    Blocks(Box<Cipher8>, Mode8),
    /// RC4 and Rabbit change their state, so that each message begins with the key.
    Stream(Zeroizing<Vec<u8>>),
}

impl LegacyCipher {
    /// Takes a key of one of [`Algorithm::key_lens`] bytes, which decrypts.
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::OtherLength`].
    pub fn new(algorithm: Algorithm, key: &[u8]) -> Result<Self> {
        let lens = algorithm.key_lens();
        Lengths::from_to(*lens.start(), *lens.end()).check("the key", key.len())?;
        let cipher = match algorithm.cipher() {
            Cipher::Des => Some(Cipher8::des(key)),
            Cipher::TripleDes => Some(Cipher8::triple_des(key)),
            Cipher::Blowfish => Some(Cipher8::blowfish(key)),
            Cipher::Rc4 | Cipher::Rabbit => None,
        };
        let key = match cipher.zip(algorithm.mode()) {
            Some((cipher, mode)) => Key::Blocks(Box::new(cipher), mode),
            None => Key::Stream(Zeroizing::new(key.to_vec())),
        };
        Ok(Self { algorithm, key, encrypts: false })
    }

    /// As [`new`](Self::new), for a key that encrypts too.
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::OtherLength`]; [`Error::LegacyEncryption`] for Rabbit, which never encrypts.
    ///
    /// # Security
    /// What it encrypts, others can read or change: see the [module](self).
    pub fn allowing_encryption(algorithm: Algorithm, key: &[u8]) -> Result<Self> {
        if algorithm == Algorithm::Rabbit {
            return Err(Error::LegacyEncryption(algorithm.name()));
        }
        Ok(Self { encrypts: true, ..Self::new(algorithm, key)? })
    }

    /// The algorithm of this key.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Encrypts a message. What does not [pad](Algorithm::pads) ignores the padding.
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
        let rest = plaintext.len() % BLOCK_LEN;
        let pads = self.algorithm.pads() && padding == Padding::Pkcs7;
        if self.algorithm.pads() && !pads && rest > 0 {
            return Err(Error::PartialBlock(rest));
        }
        let mut data = Vec::with_capacity(plaintext.len() + BLOCK_LEN);
        if pads {
            let (whole, last) = plaintext.split_at(plaintext.len() - rest);
            data.extend_from_slice(whole);
            data.extend_from_slice(&*Zeroizing::new(padding::pad::<BLOCK_LEN>(last)));
        } else {
            data.extend_from_slice(plaintext);
        }
        match &self.key {
            Key::Blocks(cipher, mode) => cipher.encrypt(*mode, block(iv), &mut data),
            Key::Stream(key) => provider::rc4(key, &mut data),
        }
        Ok(data)
    }

    /// Decrypts a message. What does not [pad](Algorithm::pads) ignores the padding.
    ///
    /// # Errors
    /// [`Error::WrongLength`] for an IV that is not [`Algorithm::iv_len`] bytes; [`Error::PartialBlock`] for a ciphertext that is
    /// not whole blocks where it should be; [`Error::InvalidPadding`] when the decrypted data does not end in padding, whatever the
    /// reason. Then nothing is released.
    ///
    /// # Security
    /// Hide [`Error::InvalidPadding`] from anyone who can choose ciphertexts: they could decrypt with it.
    pub fn decrypt(&self, iv: &[u8], padding: Padding, ciphertext: &[u8]) -> Result<Vec<u8>> {
        self.check_iv(iv)?;
        let rest = ciphertext.len() % BLOCK_LEN;
        if self.algorithm.pads() && rest > 0 {
            return Err(Error::PartialBlock(rest));
        }
        let mut data = ciphertext.to_vec();
        match &self.key {
            Key::Blocks(cipher, mode) => cipher.decrypt(*mode, block(iv), &mut data),
            Key::Stream(key) if self.algorithm == Algorithm::Rabbit => provider::rabbit(key, iv, &mut data),
            Key::Stream(key) => provider::rc4(key, &mut data),
        }
        if self.algorithm.pads() && padding == Padding::Pkcs7 {
            let last = data.last_chunk::<BLOCK_LEN>().ok_or(Error::InvalidPadding)?;
            let Some(kept) = padding::unpadded_len(last) else {
                data.zeroize();
                return Err(Error::InvalidPadding);
            };
            data.truncate(data.len() - BLOCK_LEN + kept);
        }
        Ok(data)
    }

    fn check_iv(&self, iv: &[u8]) -> Result<()> {
        let expected = self.algorithm.iv_len();
        if iv.len() == expected || self.algorithm == Algorithm::Rabbit && iv.is_empty() {
            Ok(())
        } else {
            Err(Error::WrongLength { what: "the IV", expected, actual: iv.len() })
        }
    }
}

/// Zeros for ECB, which has none.
fn block(iv: &[u8]) -> [u8; BLOCK_LEN] {
    iv.try_into().unwrap_or([0; BLOCK_LEN])
}

impl fmt::Debug for LegacyCipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LegacyCipher").field("algorithm", &self.algorithm).finish_non_exhaustive()
    }
}
