//! PKCS#1 v1.5 encryption (RFC 8017 section 7.2), for protocols that already use it. New ones use [`PublicKey::encrypt`] with OAEP.
//!
//! Whoever can ask whether the padding of a ciphertext is right can decrypt with the answers (Bleichenbacher 1998), and the time of an
//! answer is one. So decryption never says: a wrong padding gives a message that looks random, which key and ciphertext determine,
//! as OpenSSL does since 3.2 (implicit rejection, draft-irtf-cfrg-rsa-guidance section 7).
//!
//! ```
//! use sealstone::rsa::{PrivateKey, legacy};
//!
//! # if cfg!(sealstone_rustcrypto) { return Ok(()) }
//! let key = PrivateKey::generate(2048)?;
//! let ciphertext = legacy::encrypt(&key.public_key(), b"a session key")?;
//! assert_eq!(**legacy::decrypt(&key, &ciphertext)?, *b"a session key");
//! // Of a ciphertext that nobody made a message comes all the same, and always the same.
//! let message = legacy::decrypt(&key, &[1; 256])?;
//! assert_eq!(legacy::decrypt(&key, &[1; 256])?, message);
//! # Ok::<(), sealstone::Error>(())
//! ```

use super::{PrivateKey, PublicKey, available};
use crate::error::{Error, Result};
use crate::mac::HmacSha256;
use crate::provider::Sha256;
use crate::random;
use sealstone_ciphers::padding;
use zeroize::Zeroizing;

/// Bytes that a message is shorter than the modulus, at least.
const OVERHEAD: usize = 11;
const NO_CIPHERTEXT: Error = Error::MalformedCiphertext("it is not a number from 2 to the modulus less 2");

/// Encrypts what is at least 11 bytes shorter than the modulus.
///
/// # Errors
/// [`Error::TooLong`]; [`Error::NoRandomness`]; [`Error::UnavailableBackend`].
pub fn encrypt(key: &PublicKey, plaintext: &[u8]) -> Result<Vec<u8>> {
    if plaintext.len() > key.modulus_len() - OVERHEAD {
        return Err(Error::TooLong);
    }
    available()?;
    // AWS-LC's own generator draws, which ends the process when it has no randomness. So the system is asked first.
    random::ask()?;
    Ok(key.0.key.encrypt_pkcs1(plaintext))
}

/// Decrypts. Of a ciphertext that is damaged, or for another key, comes a message of random length and bytes.
///
/// # Security
/// So what is decrypted must be authenticated by what follows, as a session key is by the first message under it. Where a message must
/// have one length, take a random key of that length in the place of any other, and go on: an error would be the answer that an
/// attacker needs. The time depends on the length of what is returned, and on nothing else that is secret.
///
/// # Errors
/// [`Error::WrongLength`] for a ciphertext that is not as long as the modulus; [`Error::MalformedCiphertext`] for one that is not below
/// it, 0, 1, or the modulus less 1. Both are seen without the private key. [`Error::UnavailableBackend`].
pub fn decrypt(key: &PrivateKey, ciphertext: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    decrypt_by(key, ciphertext, || {
        available()?;
        key.0.key.decrypt_raw(ciphertext).ok_or(NO_CIPHERTEXT)
    })
}

/// As [`decrypt`], by a host that has the private operation: `raw` gives what was encrypted, with its padding, as many bytes as the
/// modulus has.
///
/// # Errors
/// As of [`decrypt`], and those of `raw`; [`Error::WrongLength`] for what `raw` gives too.
pub fn decrypt_by(
    key: &PrivateKey,
    ciphertext: &[u8],
    raw: impl FnOnce() -> Result<Zeroizing<Vec<u8>>>,
) -> Result<Zeroizing<Vec<u8>>> {
    key.0.public.check_ciphertext(ciphertext)?;
    if !key.0.public.takes(ciphertext) {
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

/// What key and ciphertext determine.
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
