//! Files of age (<https://c2sp.org/age>, version 1): read, given to others, and written, for those who have them and for those who
//! exchange them with others.
//!
//! ```
//! use sealstone::interop::age::{Decryptor, Encryptor, Identity};
//!
//! // What `age-keygen` writes. `sealstone::Identity` reads the same strings.
//! let identity: Identity = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX".parse()?;
//! let sealed = Encryptor::new([identity.recipient()]).encrypt(b"attack at dawn")?;
//! assert_eq!(Decryptor::new([identity]).decrypt(&sealed)?, b"attack at dawn");
//! # Ok::<(), sealstone::Error>(())
//! ```
//!
//! A file has a header of lines, with a stanza for each recipient, and a payload in chunks of 64 KiB under ChaCha20-Poly1305. So
//! it is sealed and opened on all cores, and read at any position, as files of [`Encryptor`](crate::Encryptor) are.
//!
//! | stanza | key |
//! |---|---|
//! | `X25519` | [`Kind::X25519`](crate::Kind::X25519) |
//! | `mlkem768x25519` | [`Kind::Hybrid`](crate::Kind::Hybrid) |
//! | `scrypt` | a passphrase |
//! | `ssh-ed25519`, `ssh-rsa` | keys of SSH |
//! | `p256tag` | keys in hardware, `age1tag1…`: they are encrypted to here, and opened by a plugin |
//! | any other | keys of [plugins](crate::plugin), `age1NAME1…` |
//!
//! # Security
//! A file of age is not bound to a context, has 16 bytes of file key, and says no length before its last chunk was opened: a stream
//! may receive an authentic prefix before an error. Everything else is as [`Decryptor`](crate::Decryptor) says.

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

/// Whether a file begins as age's do, with armour or without, sound or not. 64 bytes tell, and in front of armour white space may be.
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

/// A file as ASCII armour.
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
    String::from_utf8(armour::encode(file)).expect("age: armour is ASCII")
}

/// The file that armour stands for, with white space allowed around it.
///
/// # Errors
/// [`Error::MalformedArmour`](crate::Error::MalformedArmour).
pub fn dearmour(text: &[u8]) -> Result<Vec<u8>> {
    armour::decode(text)
}

/// Whether a file begins as armour does, as [`begins`] says.
#[must_use]
pub fn is_armoured(start: &[u8]) -> bool {
    armour::begins(start)
}

/// Whether an input is a file of age, as [`begins`] says. Nothing is consumed.
///
/// # Errors
/// [`Error::Io`](crate::Error::Io).
pub fn is_age(input: &mut Input<'_>) -> Result<bool> {
    Ok(armour::is_armoured(input)? || input.head(header::MAGIC.len())?.starts_with(header::MAGIC))
}
