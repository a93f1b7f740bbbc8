//! Ciphers of old data: DES and triple DES (FIPS 46-3, SP 800-67) and Blowfish (Schneier, FSE 1993) in ECB, CBC, CFB and OFB, RC4
//! (RFC 6229) and Rabbit (RFC 4503).
//!
//! By default they only decrypt. [`LegacyCipher::allowing_encryption`] encrypts for programs that read nothing else; Rabbit
//! never encrypts.
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
//! All of these ciphers are broken or no longer analysed:
//!
//! - Anyone can search the keys of DES.
//! - Triple DES and Blowfish have blocks of 8 bytes, so a gigabyte under one key reveals parts of it.
//! - ECB keeps equal blocks equal, and OFB reveals both plaintexts if an IV is used twice.
//! - RC4 has no IV, so two messages under one key reveal each other, and its keystream is not random.
//! - Nothing is authenticated. An attacker who learns whether padding is valid can decrypt.
//! - All but Rabbit index tables with secrets; constant time is not claimed.

use super::cipher::Padding;
use crate::error::{Error, Lengths, Result};
use crate::provider::{self, Cipher8, Mode8};
use sealstone_ciphers::padding;
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

            /// The mode; `None` for a stream cipher.
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
    /// The lowest bit of each byte of a key is a parity bit, which is not checked.
    DesEcb = "des-ecb", Des, Ecb;
    DesCbc = "des-cbc", Des, Cbc;
    /// Whole blocks are fed back.
    DesCfb = "des-cfb", Des, Cfb;
    DesOfb = "des-ofb", Des, Ofb;
    /// Triple DES with three keys. With two keys, repeat the first as the third.
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
    /// The bytes of keys, IVs and keystreams are in the order of other programs, the reverse of RFC 4503's examples. Decrypts
    /// only.
    Rabbit = "rabbit", Rabbit;
}

impl Algorithm {
    /// Bytes of a key: the shortest and the longest.
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

    /// Bytes of an IV: 0 for ECB and RC4, otherwise 8. Rabbit also works without an IV.
    #[must_use]
    pub fn iv_len(self) -> usize {
        if self.mode() == Some(Mode8::Ecb) || self == Self::Rc4 { 0 } else { BLOCK_LEN }
    }

    /// Whether the algorithm takes whole blocks only, so that a plaintext of another length needs [`Padding::Pkcs7`].
    #[must_use]
    pub fn pads(self) -> bool {
        matches!(self.mode(), Some(Mode8::Ecb | Mode8::Cbc))
    }
}

/// A key of an old cipher. Threads can share it. Zeroed on drop.
///
/// # Security
/// Only for old data: see the [module](self).
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
    can_encrypt: bool,
}

enum Key {
    Blocks(Box<Cipher8>, Mode8),
    /// The key of RC4 or Rabbit: they change their state, so each message begins with the key.
    Stream(Zeroizing<Vec<u8>>),
}

impl LegacyCipher {
    /// Takes a key of [`Algorithm::key_lens`] bytes, for decryption only.
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
        Ok(Self { algorithm, key, can_encrypt: false })
    }

    /// As [`new`](Self::new), for encryption as well.
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::OtherLength`]; [`Error::LegacyEncryption`] for Rabbit, which never encrypts.
    ///
    /// # Security
    /// Others may read or change its ciphertexts: see the [module](self).
    pub fn allowing_encryption(algorithm: Algorithm, key: &[u8]) -> Result<Self> {
        if algorithm == Algorithm::Rabbit {
            return Err(Error::LegacyEncryption(algorithm.name()));
        }
        Ok(Self { can_encrypt: true, ..Self::new(algorithm, key)? })
    }

    /// The algorithm of this key.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Encrypts a message. Algorithms that do not [pad](Algorithm::pads) ignore `padding`.
    ///
    /// # Errors
    /// [`Error::LegacyEncryption`], unless this key [allows encryption](Self::allowing_encryption); [`Error::WrongLength`] for an
    /// IV that is not [`Algorithm::iv_len`] bytes; [`Error::PartialBlock`] for a plaintext without padding that is not whole
    /// blocks.
    pub fn encrypt(&self, iv: &[u8], padding: Padding, plaintext: &[u8]) -> Result<Vec<u8>> {
        if !self.can_encrypt {
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
            Key::Blocks(cipher, mode) => cipher.encrypt(*mode, iv_block(iv), &mut data),
            Key::Stream(key) => provider::rc4(key, &mut data),
        }
        Ok(data)
    }

    /// Decrypts a message. Algorithms that do not [pad](Algorithm::pads) ignore `padding`.
    ///
    /// # Errors
    /// [`Error::WrongLength`] for an IV that is not [`Algorithm::iv_len`] bytes; [`Error::PartialBlock`] for a ciphertext that
    /// is not whole blocks, if the algorithm [pads](Algorithm::pads); [`Error::InvalidPadding`] when the decrypted data does
    /// not end with valid padding, for any reason. No plaintext is released then.
    ///
    /// # Security
    /// Hide [`Error::InvalidPadding`] from anyone who can submit ciphertexts: it lets them decrypt (a padding oracle).
    pub fn decrypt(&self, iv: &[u8], padding: Padding, ciphertext: &[u8]) -> Result<Vec<u8>> {
        self.check_iv(iv)?;
        let rest = ciphertext.len() % BLOCK_LEN;
        if self.algorithm.pads() && rest > 0 {
            return Err(Error::PartialBlock(rest));
        }
        let mut data = ciphertext.to_vec();
        match &self.key {
            Key::Blocks(cipher, mode) => cipher.decrypt(*mode, iv_block(iv), &mut data),
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

/// The IV as a block; zeros for ECB, which has no IV.
fn iv_block(iv: &[u8]) -> [u8; BLOCK_LEN] {
    iv.try_into().unwrap_or([0; BLOCK_LEN])
}

debug!(LegacyCipher { algorithm });
