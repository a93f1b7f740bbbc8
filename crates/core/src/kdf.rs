//! Key derivation. From secrets with full entropy: HKDF (RFC 5869), the one-step KDF of SP 800-56C, and BLAKE3's key
//! derivation. From passwords: [`derive()`] with PBKDF2 (RFC 8018), scrypt (RFC 7914) or Argon2 (RFC 9106).
//!
//! ```
//! use sealstone::hash::Algorithm;
//! use sealstone::kdf::{self, Bounds, Cost, Input};
//!
//! // From a secret with full entropy: fast.
//! let mut keys = [[0; 32]; 2];
//! kdf::hkdf(Algorithm::Sha256, b"a shared secret of 256 bits", b"salt", b"my app, to the server", &mut keys[0])?;
//! kdf::hkdf(Algorithm::Sha256, b"a shared secret of 256 bits", b"salt", b"my app, to the client", &mut keys[1])?;
//! assert_ne!(keys[0], keys[1]);
//! // From a password: slow, by its cost.
//! let mut key = [0; 32];
//! let cost = Cost::Pbkdf2 { hash: Algorithm::Sha256, iterations: 600_000 };
//! kdf::derive(&cost, &Input::new(b"correct horse", b"a random salt 16"), Bounds::Usual, &mut key)?;
//! # Ok::<(), sealstone::Error>(())
//! ```
//!
//! # Security
//! HKDF, the one-step KDF and BLAKE3 are fast: an attacker who has a key that they derived from a password tries millions of
//! passwords a second. To store a password for logins use [`password`](crate::password), and to encrypt a file with a password
//! use [`Encryptor`](crate::Encryptor).

mod cache;
mod cost;
mod scrypt;
mod steps;

use crate::error::{Error, Lengths, Result};
use crate::hash::Algorithm;
use crate::mac::{self, HmacSha256, HmacSha512, HmacSm3};
use crate::provider;
#[cfg(feature = "sign")]
pub(crate) use crate::provider::bcrypt_pbkdf;
pub use cache::KeyCache;
pub(crate) use cost::{
    ARGON2ID_MAX, ITERATIONS_MAX, Prf, SCRYPT_LANES_MAX, SCRYPT_MEMORY_MAX, SCRYPT_R_MAX, ScryptCost, Work, pbkdf2,
    scrypt, scrypt_there,
};
pub use cost::{Bounds, Cost, Input, Variant, check, derive};
pub use steps::Deriving;
use zeroize::{Zeroize, Zeroizing};

/// HKDF: extracts a key from a secret and a salt, and expands it into `out`. `info` names the key's purpose.
///
/// ```
/// use sealstone::{hash::Algorithm, kdf};
///
/// let mut key = [0; 32];
/// kdf::hkdf(Algorithm::Sha512, b"a shared secret of 256 bits", b"", b"my app, file keys", &mut key)?;
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// As [`check_hkdf`]; [`Error::UnknownAlgorithm`] for a hash without an HMAC. `out` is unchanged then.
pub fn hkdf(hash: Algorithm, secret: &[u8], salt: &[u8], info: &[u8], out: &mut [u8]) -> Result<()> {
    hkdf_expand(hash, &hkdf_extract(hash, salt, secret)?, info, out)
}

/// Checks that HKDF can derive `len` bytes.
///
/// ```
/// use sealstone::{hash::Algorithm, kdf};
///
/// let error = kdf::check_hkdf(Algorithm::Sha256, 8161).unwrap_err();
/// assert_eq!(error.to_string(), "HKDF over this hash gives at most 8160 bytes");
/// ```
///
/// # Errors
/// [`Error::OtherLength`] for 0 bytes; [`Error::TooMuchOfHkdf`] for more than 255 digests.
pub fn check_hkdf(hash: Algorithm, len: usize) -> Result<()> {
    check_not_empty(len)?;
    let most = 255 * hash.digest_len();
    if len > most { Err(Error::TooMuchOfHkdf(most)) } else { Ok(()) }
}

/// HKDF-Extract: returns a key as long as a digest. An empty salt means a digest's length of zeros.
///
/// ```
/// use sealstone::{hash::Algorithm, kdf};
///
/// let key = kdf::hkdf_extract(Algorithm::Sha256, b"salt", b"a shared secret of 256 bits")?;
/// let mut out = [0; 64];
/// kdf::hkdf_expand(Algorithm::Sha256, &key, b"my app", &mut out)?;
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// [`Error::UnknownAlgorithm`] for a hash without an HMAC.
pub fn hkdf_extract(hash: Algorithm, salt: &[u8], secret: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    let hmac = mac::hmac(hash, salt)?;
    let mut key = Zeroizing::new(vec![0; hmac.len()]);
    hmac.sign(&[secret], &mut key);
    Ok(key)
}

/// HKDF-Expand: fills `out` from a key that is random or [extracted](hkdf_extract).
///
/// # Errors
/// As [`check_hkdf`]; [`Error::OtherLength`] for a key that is shorter than a digest, which RFC 5869 forbids;
/// [`Error::UnknownAlgorithm`] for a hash without an HMAC. `out` is unchanged then.
pub fn hkdf_expand(hash: Algorithm, key: &[u8], info: &[u8], out: &mut [u8]) -> Result<()> {
    let hmac = mac::hmac(hash, key)?;
    Lengths::at_least(hmac.len()).check("the key", key.len())?;
    check_hkdf(hash, out.len())?;
    expand(|parts, block| hmac.sign(parts, block), hmac.len(), &[info], out);
    Ok(())
}

/// The one-step KDF of SP 800-56C (revision 2, section 4.1) over a hash, which JOSE calls Concat KDF. Derives a key from a
/// shared secret, for example of a key agreement, and from `info`, which both sides know.
///
/// ```
/// use sealstone::{hash::Algorithm, kdf};
///
/// let mut key = [0; 16];
/// kdf::concat(Algorithm::Sha256, &[7; 32], b"my app, from Alice to Bob", &mut key)?;
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// [`Error::OtherLength`] for an empty `out`; [`Error::TooLong`] for 2^32 digests or more; [`Error::UnknownAlgorithm`] for
/// SHAKE. `out` is unchanged then.
pub fn concat(hash: Algorithm, secret: &[u8], info: &[u8], out: &mut [u8]) -> Result<()> {
    check_not_empty(out.len())?;
    let (len, start) = (hash.digest_len(), mac::digest(hash)?);
    if out.len().div_ceil(len) > u32::MAX as usize {
        return Err(Error::TooLong);
    }
    let mut block = Zeroizing::new(vec![0; len]);
    for (i, piece) in (1..=u32::MAX).zip(out.chunks_mut(len)) {
        start.sign(&[&i.to_be_bytes(), secret, info], &mut block);
        piece.copy_from_slice(&block[..piece.len()]);
    }
    Ok(())
}

/// BLAKE3's key derivation: fills `out` from a secret. The context names the key's purpose. It must be a constant of the
/// program, not an input, such as `"example.com 2026-11-23 session tokens v1"`.
///
/// ```
/// let mut key = [0; 32];
/// sealstone::kdf::blake3_derive_key("example.com 2026-11-23 session tokens v1", b"a secret of 256 bits", &mut key)?;
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// [`Error::OtherLength`] for an empty `out`.
pub fn blake3_derive_key(context: &str, secret: &[u8], out: &mut [u8]) -> Result<()> {
    check_not_empty(out.len())?;
    provider::mac::Blake3::derive_key(context, secret, out);
    Ok(())
}

/// Checks that a key has at least one byte: an empty key is a caller's mistake.
fn check_not_empty(len: usize) -> Result<()> {
    Lengths::at_least(1).check("the output", len)
}

/// As [`hkdf`] with SHA-256, for formats that use no other hash, so that a module of WebAssembly has no code for other hashes.
///
/// # Panics
/// If `out` is over 255 blocks of 32 bytes: a bug of a caller in this crate.
pub(crate) fn hkdf_sha256(secret: &[u8], salt: &[u8], info: &[u8], out: &mut [u8]) {
    let hmac = HmacSha256::new(&*Zeroizing::new(HmacSha256::new(salt).sign([secret])));
    expand(|parts, block| mac::MacState::sign(&hmac, parts, block), 32, &[info], out);
}

/// HKDF-Expand with HMAC-SHA-512; `key` is the PRK itself.
///
/// The format's keys have 32 bytes. Libraries refuse a PRK shorter than the hash's output (format section 0), as
/// [`hkdf_expand`] does. RFC 5869 requires that length only of a PRK that is not from HKDF-Extract, and HMAC with a uniform key
/// of 32 bytes is a PRF of full strength here.
///
/// # Panics
/// If `out` is over 255 blocks of 64 bytes, RFC 5869's limit: a bug of a caller in this crate.
pub(crate) fn hkdf_expand_sha512(key: &[u8], info: &[&[u8]], out: &mut [u8]) {
    let hmac = HmacSha512::new(key);
    expand(|parts, block| mac::MacState::sign(&hmac, parts, block), 64, info, out);
}

/// HKDF-Expand with HMAC-SM3; `key` is the PRK itself, as in [`hkdf_expand_sha512`].
pub(crate) fn hkdf_expand_sm3(key: &[u8], info: &[&[u8]], out: &mut [u8]) {
    let hmac = HmacSm3::new(key);
    expand(|parts, block| mac::MacState::sign(&hmac, parts, block), 32, info, out);
}

/// HKDF-Expand (RFC 5869 section 2.3) over a MAC of `len` bytes.
fn expand(sign: impl Fn(&[&[u8]], &mut [u8]), len: usize, info: &[&[u8]], out: &mut [u8]) {
    assert!(out.len() <= 255 * len, "kdf: HKDF-Expand gives at most 255 blocks");
    let mut blocks = [[0; 64]; 2];
    let [mut block, mut previous] = blocks.each_mut().map(|block| &mut block[..len]);
    for (i, piece) in (1..=255u8).zip(out.chunks_mut(len)) {
        std::mem::swap(&mut block, &mut previous);
        // T(0) is empty.
        let before = if i == 1 { &[][..] } else { &*previous };
        sign(&[&[before], info, &[&[i]]].concat(), block);
        piece.copy_from_slice(&block[..piece.len()]);
    }
    blocks.zeroize();
}

#[cfg(test)]
#[path = "kdf_tests.rs"]
mod tests;
