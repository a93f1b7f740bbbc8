//! RSA encryption (RFC 8017): OAEP, and for old protocols PKCS#1 v1.5 ([`legacy`]). For signatures see [`sign`](crate::sign).
//!
//! [`Encryptor`](crate::Encryptor) encrypts files and data to public keys. This module is for protocols that already use RSA,
//! to encrypt a cipher's key, not data.
//!
//! ```
//! use sealstone::rsa::{Oaep, PrivateKey, PublicKey};
//!
//! # if cfg!(sealstone_rustcrypto) { return Ok(()) }
//! let key = PrivateKey::generate(2048)?;
//! let ciphertext = key.public_key().encrypt(&Oaep::default(), b"a key of 32 bytes")?;
//! assert_eq!(**key.decrypt(&Oaep::default(), &ciphertext)?, *b"a key of 32 bytes");
//! # Ok::<(), sealstone::Error>(())
//! ```
//!
//! # Security
//! RSA does not withstand quantum computers. Post-quantum kinds of [`exchange`](crate::exchange) do.
//!
//! On native targets AWS-LC computes RSA. WebAssembly only reads and writes keys: functions that generate, encrypt or decrypt
//! fail with [`Error::UnavailableBackend`]. The hosts have RSA: Node, and browsers in `WebCrypto`.

#[cfg(feature = "legacy")]
pub mod legacy;
mod numbers;

use crate::debug::Hex;
use crate::error::{Error, Result};
use crate::hash::Algorithm;
use crate::provider::{OaepHash, RsaDecryption, RsaEncryption};
pub use numbers::{MAX_BITS, MIN_BITS};
pub(crate) use numbers::{PrivateDer, PublicDer, is_public, modulus_len, public_of};
use std::sync::Arc;
use zeroize::Zeroizing;

/// The reason for refusing a key of another length.
pub(crate) const OTHER_LENGTH: &str = "an RSA key must have 2048 to 8192 bits";
/// The reason for refusing a key of three primes or more.
pub(crate) const MORE_PRIMES: &str = "an RSA key must have two primes";

/// A private key of two primes. Zeroed when its last clone is dropped, and never printed.
#[derive(Clone)]
pub struct PrivateKey(Arc<KeyPair>);

struct KeyPair {
    key: RsaDecryption,
    der: Zeroizing<Vec<u8>>,
    public: PublicKey,
}

impl PrivateKey {
    /// Generates a key of 2,048, 3,072 or 4,096 bits, with the public exponent 65,537. It takes from a tenth of a second to
    /// several seconds. On a machine with two cores two threads search, and the first to find a key stops the other.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] for another length; [`Error::NoRandomness`]; [`Error::UnavailableBackend`], also when AWS-LC fails.
    pub fn generate(bits: usize) -> Result<Self> {
        Self::generate_while(bits, || true)
    }

    /// As [`generate`](Self::generate). Calls `go_on` after each of hundreds of candidates, and stops if it returns false. A
    /// panic in `go_on` ends the process.
    ///
    /// # Errors
    /// [`Error::Cancelled`] when `go_on` returns false; the errors of [`generate`](Self::generate).
    pub fn generate_while(bits: usize, mut go_on: impl FnMut() -> bool) -> Result<Self> {
        let bits = match bits {
            2048 => 2048,
            3072 => 3072,
            4096 => 4096,
            _ => return Err(Error::InvalidOption("RSA keys are generated with 2048, 3072 or 4096 bits")),
        };
        check_available()?;
        // AWS-LC draws from its own generator, and ends the process if there is no randomness. So ask the system first.
        crate::random::ask()?;
        let mut is_cancelled = false;
        let der = RsaDecryption::generate(bits, &mut || {
            is_cancelled = !go_on();
            !is_cancelled
        });
        match der {
            // Cancellation wins, even if the other thread has found a key at that moment.
            _ if is_cancelled => Err(Error::Cancelled),
            Some(der) => Self::from_bytes(&der),
            None => Err(Error::UnavailableBackend("AWS-LC failed to generate an RSA key".to_owned())),
        }
    }

    /// Reads an `RSAPrivateKey` (PKCS#1) in DER.
    ///
    /// # Errors
    /// [`Error::InvalidKey`] for a key with inconsistent numbers, with more than two primes, or with under 2,048 or over 8,192
    /// bits.
    pub fn from_bytes(der: &[u8]) -> Result<Self> {
        const DAMAGED: Error = Error::InvalidKey("it is not an RSA private key, or its numbers do not match");
        let numbers = match PrivateDer::read(der) {
            None if PrivateDer::has_more_primes(der) => return Err(Error::InvalidKey(MORE_PRIMES)),
            numbers => numbers.ok_or(DAMAGED)?,
        };
        let public = PublicKey::of(&numbers.public())?;
        if !numbers.are_valid() {
            return Err(DAMAGED);
        }
        let key = RsaDecryption::from_der(der).ok_or(DAMAGED)?;
        Ok(Self(Arc::new(KeyPair { key, der: Zeroizing::new(der.to_vec()), public })))
    }

    /// The DER that [`from_bytes`](Self::from_bytes) reads.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        self.0.der.clone()
    }

    /// The public key.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        self.0.public.clone()
    }

    /// Bits of the modulus.
    #[must_use]
    pub fn bits(&self) -> usize {
        self.0.public.bits()
    }

    /// Decrypts with OAEP.
    ///
    /// # Errors
    /// [`Error::WrongLength`] for a ciphertext that is not as long as the modulus; [`Error::NotAuthentic`] for a wrong key,
    /// hash, label or byte, without telling which; [`Error::UnknownAlgorithm`] for a hash that [`Oaep`] does not support;
    /// [`Error::UnavailableBackend`].
    pub fn decrypt(&self, oaep: &Oaep<'_>, ciphertext: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        let hash = oaep.hash()?;
        self.0.public.check_ciphertext(ciphertext)?;
        if !self.0.public.is_in_range(ciphertext) {
            return Err(Error::NotAuthentic { chunk: None });
        }
        check_available()?;
        self.0.key.decrypt(hash, oaep.label, ciphertext).ok_or(Error::NotAuthentic { chunk: None })
    }

    /// The private exponent, padded to the length of the modulus.
    fn exponent(&self) -> Zeroizing<Vec<u8>> {
        let numbers = PrivateDer::read(&self.0.der).expect("rsa: the key was read");
        let exponent = numbers.private_exponent.as_bytes();
        let mut padded = Zeroizing::new(vec![0; self.0.public.modulus_len()]);
        let start = padded.len() - exponent.len();
        padded[start..].copy_from_slice(exponent);
        padded
    }
}

debug!(|key: PrivateKey| "PrivateKey({} bits, ..)", key.bits());

/// A public key.
#[derive(Clone)]
pub struct PublicKey(Arc<Public>);

struct Public {
    key: RsaEncryption,
    der: Vec<u8>,
    bits: usize,
}

impl PublicKey {
    /// Reads an `RSAPublicKey` (PKCS#1) in DER.
    ///
    /// # Errors
    /// [`Error::InvalidKey`] for other data, and for a key of under 2,048 or over 8,192 bits.
    pub fn from_bytes(der: &[u8]) -> Result<Self> {
        Self::of(&PublicDer::read(der).ok_or(Error::InvalidKey("it is not an RSA public key"))?)
    }

    fn of(numbers: &PublicDer<'_>) -> Result<Self> {
        const IRREGULAR: Error =
            Error::InvalidKey("the RSA modulus is even, or the public exponent is even, 1 or over 33 bits");
        if !numbers.has_length() {
            return Err(Error::InvalidKey(OTHER_LENGTH));
        }
        if !numbers.is_regular() {
            return Err(IRREGULAR);
        }
        let der = numbers.to_bytes();
        let key = RsaEncryption::from_der(&der).ok_or(IRREGULAR)?;
        Ok(Self(Arc::new(Public { key, der, bits: numbers.bits() })))
    }

    /// The DER that [`from_bytes`](Self::from_bytes) reads.
    #[must_use]
    pub fn to_bytes(&self) -> &[u8] {
        &self.0.der
    }

    /// Bits of the modulus.
    #[must_use]
    pub fn bits(&self) -> usize {
        self.0.bits
    }

    /// Encrypts with OAEP. A plaintext may be as long as the modulus less two digests and 2 bytes: 190 bytes with 2,048 bits
    /// and SHA-256.
    ///
    /// # Errors
    /// [`Error::TooLong`]; [`Error::NoRandomness`]; [`Error::UnknownAlgorithm`] for a hash that [`Oaep`] does not support;
    /// [`Error::UnavailableBackend`].
    pub fn encrypt(&self, oaep: &Oaep<'_>, plaintext: &[u8]) -> Result<Vec<u8>> {
        let hash = oaep.hash()?;
        if plaintext.len() > self.modulus_len() - 2 * oaep.hash.digest_len() - 2 {
            return Err(Error::TooLong);
        }
        check_available()?;
        // AWS-LC draws from its own generator, and ends the process if there is no randomness. So ask the system first.
        crate::random::ask()?;
        Ok(self.0.key.encrypt(hash, oaep.label, plaintext))
    }

    /// Bytes of the modulus, and of a ciphertext.
    fn modulus_len(&self) -> usize {
        self.0.bits.div_ceil(8)
    }

    /// Whether a ciphertext as long as the modulus n is a number from 2 to n - 2 (SP 800-56B revision 2, section 7.1.2.1). RSA
    /// maps 0, 1 and n - 1 to themselves.
    fn is_in_range(&self, ciphertext: &[u8]) -> bool {
        let numbers = PublicDer::read(&self.0.der).expect("rsa: the key was read");
        // The modulus is odd, so there is no borrow.
        let mut last = numbers.modulus.as_bytes().to_vec();
        last[ciphertext.len() - 1] -= 1;
        let mut one = vec![0; ciphertext.len()];
        one[ciphertext.len() - 1] = 1;
        ciphertext > &*one && ciphertext < &*last
    }

    fn check_ciphertext(&self, ciphertext: &[u8]) -> Result<()> {
        if ciphertext.len() == self.modulus_len() {
            return Ok(());
        }
        Err(Error::WrongLength { what: "the ciphertext", expected: self.modulus_len(), actual: ciphertext.len() })
    }
}

impl PartialEq for PublicKey {
    fn eq(&self, other: &Self) -> bool {
        self.0.der == other.0.der
    }
}

impl Eq for PublicKey {}

debug!(|key: PublicKey| "PublicKey({})", Hex(&key.0.der));

/// The parameters of OAEP, which must be the same on both sides: the hash, also used for MGF1, and the label. The default is
/// SHA-256 and no label.
///
/// ```
/// use sealstone::hash::Algorithm;
/// use sealstone::rsa::Oaep;
///
/// assert_eq!(Oaep::default(), Oaep { hash: Algorithm::Sha256, label: b"" });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Oaep<'a> {
    /// SHA-1, SHA-256, SHA-384 or SHA-512. SHA-1 is broken for signatures, but not for OAEP.
    pub hash: Algorithm,
    /// The label, which is bound to the ciphertext but not part of it.
    pub label: &'a [u8],
}

impl Default for Oaep<'_> {
    fn default() -> Self {
        Self { hash: Algorithm::Sha256, label: b"" }
    }
}

impl Oaep<'_> {
    fn hash(&self) -> Result<OaepHash> {
        match self.hash {
            Algorithm::Sha1 => Ok(OaepHash::Sha1),
            Algorithm::Sha256 => Ok(OaepHash::Sha256),
            Algorithm::Sha384 => Ok(OaepHash::Sha384),
            Algorithm::Sha512 => Ok(OaepHash::Sha512),
            other => Err(Error::unknown_algorithm(other.name(), "sha1, sha256, sha384, sha512")),
        }
    }
}

/// Checks that this build computes RSA.
pub(crate) fn check_available() -> Result<()> {
    if RsaDecryption::IS_THERE {
        Ok(())
    } else {
        Err(Error::UnavailableBackend(
            "this build has no RSA of its own: browsers have it in asynchronous functions only (WebCrypto)".to_owned(),
        ))
    }
}

#[cfg(all(test, feature = "legacy", feature = "sign"))]
#[path = "rsa_tests.rs"]
pub(crate) mod tests;
