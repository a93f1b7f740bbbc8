//! Files of nkCryptoTool (`NKCT`), of its C++ and its Rust edition. This module reads versions 1 to 3 and writes version 3, for
//! users who have such files or exchange them.
//!
//! ```
//! use sealstone::exchange::{Kind, PrivateKey};
//! use sealstone::interop::nkct::{Decryptor, Encryptor, Identity};
//!
//! // `Identity::parse` reads the PEM of nkCryptoTool's `--gen-enc-key`.
//! let identity = Identity::try_from(PrivateKey::generate(Kind::MlKem768)?)?;
//! let sealed = Encryptor::new([identity.recipient()]).encrypt(b"attack at dawn")?;
//! assert_eq!(Decryptor::new([identity]).decrypt(&sealed)?, b"attack at dawn");
//! # Ok::<(), sealstone::Error>(())
//! ```
//!
//! | scheme | keys | the file's key is derived from |
//! |---|---|---|
//! | `ecc` | P-256 | ECDH with an ephemeral key |
//! | `pqc` | ML-KEM-512, 768 or 1024 | an encapsulated secret |
//! | `hybrid` | one of each, **both needed** | both secrets |
//!
//! Version 3 (since May 2026) has chunks of up to 64 MiB under AES-256-GCM or ChaCha20-Poly1305. So it is sealed and opened on
//! all cores, and read at any position. Versions 1 and 2 are one message each, with its tag at the end.
//!
//! # Security
//! In version 3, the whole header is bound to every chunk. In versions 1 and 2, only the inputs of the key derivation are
//! bound. No version commits to its key, binds a context, or names its key: a wrong key and a damaged file give the same error.

mod decrypt;
mod encrypt;
mod header;
mod inspect;
mod key;
mod stream;
mod whole;

pub use decrypt::Decryptor;
pub use encrypt::Encryptor;
pub use header::Scheme;
pub(crate) use inspect::Nkct;
pub use inspect::{Inspection, inspect, kinds};
pub use key::{Identity, Recipient};

use crate::error::Result;
use crate::pipeline::Input;

/// Whether a file begins as an encrypted file of nkCryptoTool, valid or not. Four bytes suffice.
///
/// ```
/// use sealstone::interop::nkct;
///
/// assert!(nkct::begins(b"NKCT\x03\0\x01"));
/// assert!(!nkct::begins(b"NKCS\x02\0\x02"));
/// ```
#[must_use]
pub fn begins(start: &[u8]) -> bool {
    start.starts_with(header::MAGIC)
}

/// Whether an input begins as a file of nkCryptoTool, valid or not. Nothing is consumed.
///
/// # Errors
/// [`Error::Io`](crate::Error::Io).
pub fn is_nkct(input: &mut Input<'_>) -> Result<bool> {
    Ok(begins(input.head(header::MAGIC.len())?))
}
