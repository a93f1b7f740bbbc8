//! Ciphers for data and protocols that already use them: unauthenticated modes ([`cipher`]), those of old data ([`legacy`]), key
//! wrap ([`wrap`]), AES-CCM with all its lengths ([`ccm`]), and Poly1305 by itself.
//!
//! Most of it detects no changed byte. In new designs use [`Encryptor`](crate::Encryptor) for files and data to people, or
//! [`aead`](crate::aead) for a buffer under a key.
//!
//! ```
//! use sealstone::hazmat::cipher::{Algorithm, Cipher, Padding};
//!
//! let cipher = Cipher::new(Algorithm::Sm4Cbc, &[7; 16])?;
//! let ciphertext = cipher.encrypt(&[9; 16], Padding::Pkcs7, b"attack at dawn")?;
//! assert_eq!(cipher.decrypt(&[9; 16], Padding::Pkcs7, &ciphertext)?, b"attack at dawn");
//! // Here the difference from all else in this crate: what was changed decrypts to something.
//! let mut iv = [9; 16];
//! iv[0] ^= b'a' ^ b'A';
//! assert_eq!(cipher.decrypt(&iv, Padding::Pkcs7, &ciphertext)?, b"Attack at dawn");
//! # Ok::<(), sealstone::Error>(())
//! ```

pub mod ccm;
pub mod cipher;
pub mod legacy;
pub mod wrap;

use crate::error::{Error, Result};
use crate::kernel;
use sealstone_ciphers::poly1305::Poly1305;

/// Poly1305 (RFC 8439 section 2.5) of `data`, under a key of 32 bytes.
///
/// ```
/// use sealstone::hazmat::poly1305;
///
/// assert_eq!(poly1305(&[0; 32], b"attack at dawn")?, [0; 16]);
/// assert_eq!(poly1305(&[7; 16], b"").unwrap_err().code(), "wrong_length");
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// [`Error::WrongLength`] for the key; [`Error::UnavailableBackend`] when the environment forces one.
///
/// # Security
/// A key serves for one message: two tags reveal it. Compare tags in constant time.
pub fn poly1305(key: &[u8], data: &[u8]) -> Result<[u8; 16]> {
    let actual = key.len();
    let key = key.try_into().map_err(|_| Error::WrongLength { what: "the key", expected: 32, actual })?;
    let mut mac = Poly1305::with_backend(kernel::of_chacha()?, key).expect("hazmat: the backend was found");
    mac.update(data);
    Ok(mac.tag())
}
