//! `Sm4GCM` of the Go module `github.com/tjfoc/gmsm` 1.4.1, for data that this function wrote.
//!
//! The function has the name of GCM, and gives other bytes than GCM (SP 800-38D) gives with SM4:
//!
//! - Its GHASH ends in the lengths in bytes, where GCM has bits. So every tag differs, except that of no data at all under an IV of 12
//!   bytes.
//! - Its counter turns a byte FF before the last one into 00, with a carry. So the ciphertext differs if one of an IV's 12 bytes is FF,
//!   and behind 1,044,448 bytes under any IV.
//! - It hashes IVs of other lengths with the lengths in bytes, too, so ciphertexts under them differ. It takes an empty IV.
//! - It hashes an empty ciphertext as a block of zeros.
//! - Its decryption returns a tag and compares nothing. [`open_gcm`] compares it.
//!
//! `cipher.NewGCM` of Go over the module's SM4 is GCM: use [`Algorithm::Sm4Gcm`](crate::aead::Algorithm::Sm4Gcm) for its data.
//! `Sm4Ecb`, `Sm4Cbc`, `Sm4CFB` and `Sm4OFB` are the modes of [`hazmat::cipher`](crate::hazmat::cipher). CFB and OFB pad in tjfoc/gmsm
//! too: the last byte of the plaintext is the number of bytes to cut off.
//!
//! ```
//! use sealstone::interop::gmsm::open_gcm;
//!
//! // Written by tjfoc/gmsm 1.4.1.
//! let ciphertext = b"\xfd\x4d\x50\xb1\xee\x39\x47\x58\xfe\x95\xa0\xc6\xe9\x17";
//! let tag = b"\x8f\xfe\xbc\xc1\xaf\x85\x0b\x7b\xe7\xf8\x68\x2b\x3c\x78\x54\x6a";
//!
//! let plaintext = open_gcm(b"1234567890abcdef", b"an iv of 12!", b"header", ciphertext, tag)?;
//! assert_eq!(*plaintext, b"attack at dawn");
//! # Ok::<(), sealstone::Error>(())
//! ```
//!
//! # Security
//! Read old data, and write new data with GCM. Two IVs can give the same keystream here: one that ends in FF, and the one after it.
//! Whoever has both ciphertexts then learns the XOR of the plaintexts. Under an empty IV, the tags reveal the key of GHASH, with which
//! anyone can forge. As with GCM, an IV must never be used twice under one key.
//!
//! # Source
//! The file `sm4/sm4_gcm.go` of version 1.4.1. `vectors/compat/gmsm` has the program that made the known answers.

use crate::error::{Error, Result};
use crate::kernel;
use crate::provider::GmsmGcm;
use zeroize::Zeroizing;

/// Bytes of a key.
pub const KEY_LEN: usize = 16;
/// Bytes of a tag.
pub const TAG_LEN: usize = 16;

/// Encrypts as `Sm4GCM(key, IV, in, A, true)`, and returns the ciphertext, as long as the plaintext, and the tag.
///
/// The key has 16 bytes, the IV any number.
///
/// ```
/// # #![expect(deprecated, reason = "this is the deprecated function")]
/// use sealstone::interop::gmsm::{open_gcm, seal_gcm};
///
/// let (key, iv) = ([7; 16], [9; 12]);
/// let (ciphertext, tag) = seal_gcm(&key, &iv, b"header", b"attack at dawn")?;
/// assert_eq!(ciphertext.len(), 14);
/// assert_eq!(*open_gcm(&key, &iv, b"header", &ciphertext, &tag)?, b"attack at dawn");
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Security
/// Only for programs that still open data with `Sm4GCM`. The caller makes an IV that was never used under this key, of 12 bytes without
/// the byte FF: then no two IVs give the same keystream.
///
/// # Errors
/// [`Error::WrongLength`] for a key of another length; [`Error::UnavailableBackend`].
#[deprecated = "other software does not read it, and two IVs can give one keystream: use `aead` with `sm4-gcm` for new data"]
pub fn seal_gcm(key: &[u8], iv: &[u8], aad: &[u8], plaintext: &[u8]) -> Result<(Vec<u8>, [u8; TAG_LEN])> {
    let key = read_key(key)?;
    let mut buffer = plaintext.to_vec();
    let tag = key.seal(iv, aad, &mut buffer);
    Ok((buffer, tag))
}

/// Decrypts the ciphertext of `Sm4GCM(key, IV, in, A, true)`, after it has verified the tag.
///
/// The key has 16 bytes, the IV any number, and the tag 16. The plaintext is as long as the ciphertext.
///
/// ```
/// use sealstone::interop::gmsm::open_gcm;
///
/// let tag = [9; 16];
/// assert_eq!(open_gcm(&[7; 16], &[9; 12], b"", b"", &tag).unwrap_err().code(), "not_authentic");
/// assert_eq!(open_gcm(&[7; 16], &[9; 12], b"", b"", &tag[..12]).unwrap_err().code(), "wrong_length");
/// ```
///
/// # Security
/// The tag is compared in constant time, and no plaintext is computed if it differs.
///
/// # Errors
/// [`Error::NotAuthentic`] for a wrong key, IV, additional data, ciphertext or tag; [`Error::WrongLength`] for a key or a tag of another
/// length; [`Error::UnavailableBackend`].
pub fn open_gcm(key: &[u8], iv: &[u8], aad: &[u8], ciphertext: &[u8], tag: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    let key = read_key(key)?;
    if tag.len() != TAG_LEN {
        return Err(Error::WrongLength { what: "the tag", expected: TAG_LEN, actual: tag.len() });
    }
    let mut buffer = Zeroizing::new(ciphertext.to_vec());
    if key.open(iv, aad, &mut buffer, tag) { Ok(buffer) } else { Err(Error::NotAuthentic { chunk: None }) }
}

fn read_key(key: &[u8]) -> Result<GmsmGcm> {
    let wrong = Error::WrongLength { what: "the key", expected: KEY_LEN, actual: key.len() };
    Ok(GmsmGcm::new(kernel::sm4_backend()?, key.try_into().map_err(|_| wrong)?))
}
