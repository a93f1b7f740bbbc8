//! Files of age (<https://c2sp.org/age>, version 1). This module decrypts, rewraps and encrypts them, for users who have such
//! files or exchange them.
//!
//! ```
//! use sealstone::interop::age::{Decryptor, Encryptor, Identity};
//!
//! // A string of `age-keygen`. `sealstone::Identity` reads the same strings.
//! # Ok::<(), sealstone::Error>(())
//! ```
//!
//! A file has a header of lines, with a stanza for each recipient, and a payload in chunks of 64 KiB under ChaCha20-Poly1305.
//! So it is sealed and opened on all cores, and read at any position, as files of [`Encryptor`](crate::Encryptor) are.
//!
//! | stanza | key |
//! |---|---|
//! | `X25519` | [`Kind::X25519`](crate::Kind::X25519) |
//! | `mlkem768x25519` | [`Kind::Hybrid`](crate::Kind::Hybrid) |
//! | `scrypt` | a passphrase |
//! | `ssh-ed25519`, `ssh-rsa` | keys of SSH |
//! | `p256tag` | keys in hardware, `age1tag1…`: this module encrypts to them, and a plugin opens |
//! | any other | keys of [plugins](crate::plugin), `age1NAME1…` |
//!
//! # Security
//! A file of age is not bound to a context, and its file key has 16 bytes. Its length is authentic only when the last chunk is
//! opened, so a stream may receive an authentic prefix before an error. Everything else is as for
//! [`Decryptor`](crate::Decryptor).

mod armour;
mod conversation;
mod decrypt;
mod encrypt;
mod header;
mod inspect;
mod key;
mod parts;
mod rewrap;
mod stream;
mod stretch;
mod tag;

pub use crate::plugin::Stanza;
pub use conversation::{Answer, Conversation, Question, Step};
pub use decrypt::Decryptor;
pub use encrypt::Encryptor;
pub(crate) use inspect::Age;
pub use inspect::{Inspection, inspect, stanzas};
pub use key::{Identity, Recipient, x25519_file_key, x25519_share};
pub use parts::{FileOpener, FileSealer, OpenWork, SealWork};
pub use rewrap::Rewrapper;
pub use stream::{CHUNK_LEN, opened_len, sealed_len};
pub use stretch::Stretch;
pub use tag::Tag;

use crate::error::Result;
use crate::pipeline::Input;

/// Whether a file begins as a file of age, with or without armour, valid or not. 64 bytes suffice, behind any white space
/// before armour.
///
/// ```
/// use sealstone::interop::age;
///
/// assert!(age::begins(b"age-encryption.org/v1\n-> X25519"));
/// assert!(age::begins(b"\n-----BEGIN AGE ENCRYPTED FILE-----\n"));
/// assert!(!age::begins(b"attack at dawn"));
/// ```
#[must_use]
pub fn begins(start: &[u8]) -> bool {
    start.starts_with(header::MAGIC) || armour::begins(start)
}

/// Armours a file.
///
/// ```
/// use sealstone::interop::age::{armour, dearmour};
///
/// let text = armour(b"a file");
/// assert_eq!(text, "-----BEGIN AGE ENCRYPTED FILE-----\nYSBmaWxl\n-----END AGE ENCRYPTED FILE-----\n");
/// assert_eq!(dearmour(text.as_bytes())?, b"a file");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[must_use]
pub fn armour(file: &[u8]) -> String {
    String::from_utf8(crate::format::armour::armour(armour::LABEL, file)).expect("age: armour is ASCII")
}

/// Decodes the armour of a file. White space may surround the armour.
///
/// # Errors
/// [`Error::MalformedArmour`](crate::Error::MalformedArmour).
pub fn dearmour(text: &[u8]) -> Result<Vec<u8>> {
    crate::format::armour::dearmour(armour::LABEL, text.trim_ascii())
}

/// Whether a file begins as armour, valid or not.
#[must_use]
pub fn is_armoured(start: &[u8]) -> bool {
    armour::begins(start)
}

/// Whether an input begins as a file of age, valid or not. Nothing is consumed.
///
/// # Errors
/// [`Error::Io`](crate::Error::Io).
pub fn is_age(input: &mut Input<'_>) -> Result<bool> {
    Ok(armour::is_armoured(input)? || input.head(header::MAGIC.len())?.starts_with(header::MAGIC))
}
