//! Ciphers for data and protocols that already use them: unauthenticated modes ([`cipher`]), ciphers of old data ([`legacy`]),
//! key wrap ([`wrap`]), AES-CCM with all its lengths ([`ccm`]), and bare Poly1305 ([`poly1305`]).
//!
//! Most of these detect no changed byte. In new designs use [`Encryptor`](crate::Encryptor) for files and for data to
//! recipients, or [`aead`](crate::aead) for a buffer under a key.
//!
//! ```
//! use sealstone::hazmat::cipher::{Algorithm, Cipher, Padding};
//!
//! let cipher = Cipher::new(Algorithm::Sm4Cbc, &[7; 16])?;
//! let ciphertext = cipher.encrypt(&[9; 16], Padding::Pkcs7, b"attack at dawn")?;
//! assert_eq!(cipher.decrypt(&[9; 16], Padding::Pkcs7, &ciphertext)?, b"attack at dawn");
//! // Unlike everything else in this crate, a changed ciphertext or IV decrypts without an error.
//! let mut iv = [9; 16];
//! iv[0] ^= b'a' ^ b'A';
//! assert_eq!(cipher.decrypt(&iv, Padding::Pkcs7, &ciphertext)?, b"Attack at dawn");
//! # Ok::<(), sealstone::Error>(())
//! ```

pub mod ccm;
pub mod cipher;
#[cfg(feature = "legacy")]
pub mod legacy;
pub mod poly1305;
pub mod wrap;
