//! PKCS#1 v1.5 encryption (RFC 8017 section 7.2), for protocols that already use it. New protocols use [`PublicKey::encrypt`]
//! with OAEP.
//!
//! An attacker who learns whether the padding of a ciphertext is right can decrypt (Bleichenbacher 1998), and the time of an
//! answer can tell. So decryption never tells: for a wrong padding it returns a message that looks random and depends only on
//! key and ciphertext, as OpenSSL does since 3.2 (implicit rejection, draft-irtf-cfrg-rsa-guidance section 7).
//!
//! ```
//! use sealstone::rsa::{PrivateKey, legacy};
//!
//! # if cfg!(sealstone_rustcrypto) { return Ok(()) }
//! let key = PrivateKey::generate(2048)?;
//! let ciphertext = legacy::encrypt(&key.public_key(), b"a session key")?;
//! assert_eq!(**legacy::decrypt(&key, &ciphertext)?, *b"a session key");
//! // A forged ciphertext gives a message too, and always the same.
//! let message = legacy::decrypt(&key, &[1; 256])?;
//! assert_eq!(legacy::decrypt(&key, &[1; 256])?, message);
//! # Ok::<(), sealstone::Error>(())
//! ```

use super::{PrivateKey, PublicKey, check_available};
use crate::error::{Error, Result};
use crate::mac::HmacSha256;
use crate::provider::Sha256;
use crate::random;
use sealstone_ciphers::padding;
use zeroize::Zeroizing;

/// Bytes by which a message must be shorter than the modulus.
const OVERHEAD: usize = 11;
const NO_CIPHERTEXT: Error = Error::MalformedCiphertext("it is not a number from 2 to the modulus less 2");

/// Encrypts a message, which must be at least 11 bytes shorter than the modulus.
///
/// # Errors
/// [`Error::TooLong`]; [`Error::NoRandomness`]; [`Error::UnavailableBackend`].
pub fn encrypt(key: &PublicKey, plaintext: &[u8]) -> Result<Vec<u8>> {
    if plaintext.len() > key.modulus_len() - OVERHEAD {
        return Err(Error::TooLong);
    }
    check_available()?;
    // AWS-LC draws from its own generator, and ends the process if there is no randomness. So ask the system first.
    random::ask()?;
    Ok(key.0.key.encrypt_pkcs1(plaintext))
}

/// Decrypts. A ciphertext that is damaged, or for another key, gives a message of pseudo-random length and bytes.
///
/// # Security
/// Authenticate the decrypted message by a later step, as the first message under a session key authenticates that key. If your
/// protocol expects one length, replace a message of any other length by a random key, and go on: an error would give the
/// attacker the answer. The time depends on the length of the result, and on nothing else that is secret.
///
/// # Errors
/// [`Error::WrongLength`] for a ciphertext that is not as long as the modulus; [`Error::MalformedCiphertext`] for 0, 1, the
/// modulus less 1, and a number that is not below the modulus. Anyone can see both without the private key.
/// [`Error::UnavailableBackend`].
pub fn decrypt(key: &PrivateKey, ciphertext: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    decrypt_by(key, ciphertext, || {
        check_available()?;
        key.0.key.decrypt_raw(ciphertext).ok_or(NO_CIPHERTEXT)
    })
}

/// As [`decrypt`], with the private operation of the host: `raw` returns the padded message, as long as the modulus.
///
/// # Errors
/// The errors of [`decrypt`] and of `raw`; [`Error::WrongLength`] also if the result of `raw` has another length.
pub fn decrypt_by(
    key: &PrivateKey,
    ciphertext: &[u8],
    raw: impl FnOnce() -> Result<Zeroizing<Vec<u8>>>,
) -> Result<Zeroizing<Vec<u8>>> {
    key.0.public.check_ciphertext(ciphertext)?;
    if !key.0.public.is_in_range(ciphertext) {
        return Err(NO_CIPHERTEXT);
    }
    let mut encoded = raw()?;
    if encoded.len() != ciphertext.len() {
        return Err(Error::WrongLength {
            what: "the padded message",
            expected: ciphertext.len(),
            actual: encoded.len(),
        });
    }
    let derivation = Derivation::new(key, ciphertext);
    let mut alternative = Zeroizing::new(vec![0; encoded.len()]);
    derivation.fill(b"message", &mut alternative);
    let mut lengths = Zeroizing::new([0; padding::LENGTHS_LEN]);
    derivation.fill(b"length", &mut lengths[..]);
    let start = padding::select(&mut encoded, &alternative, &lengths);
    Ok(Zeroizing::new(encoded[start..].to_vec()))
}

/// Derives the message of an implicit rejection from key and ciphertext.
struct Derivation(HmacSha256);

impl Derivation {
    /// Step 3.1 of section 7.2.
    fn new(key: &PrivateKey, ciphertext: &[u8]) -> Self {
        let exponent = Sha256::of(&[&key.exponent()]);
        let kdk = Zeroizing::new(HmacSha256::new(&exponent[..]).sign([ciphertext]));
        Self(HmacSha256::new(&kdk[..]))
    }

    /// The IRPRF of section 7.1.
    fn fill(&self, label: &[u8], out: &mut [u8]) {
        let bits = u16::try_from(8 * out.len()).expect("rsa: a modulus is short").to_be_bytes();
        for (i, piece) in (0..=u16::MAX).zip(out.chunks_mut(32)) {
            let block = Zeroizing::new(self.0.sign([&i.to_be_bytes()[..], label, &bits]));
            piece.copy_from_slice(&block[..piece.len()]);
        }
    }
}
