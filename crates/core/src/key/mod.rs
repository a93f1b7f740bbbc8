//! Identities and recipients, and their text forms (format section 12).

mod identity;
mod list;
mod recipient;
mod symmetric;

pub use identity::Identity;
pub use list::{ListError, parse_identities, parse_recipients};
pub use recipient::Recipient;
pub use symmetric::SymmetricKey;

pub(crate) use identity::Secret;
pub(crate) use recipient::Public;

use crate::error::{Error, Result};
use crate::kem::hpke::Kem;
use std::fmt;
use std::str::FromStr;

/// A kind of key, and of the stanza that serves it.
///
/// ```
/// use sealstone::Kind;
///
/// assert_eq!(Kind::default(), Kind::Hybrid);
/// assert_eq!("x25519".parse::<Kind>()?.to_string(), "x25519");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Kind {
    /// `hybrid`: ML-KEM-768 and X25519 together, age's post-quantum keys; the default.
    #[default]
    Hybrid,
    /// `x25519`: age's native keys.
    X25519,
    /// `key`: a 32-byte symmetric key.
    Key,
    /// `passphrase`: Argon2id.
    Passphrase,
}

impl Kind {
    /// The identifier used in every language, option and report.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Hybrid => "hybrid",
            Self::X25519 => "x25519",
            Self::Key => "key",
            Self::Passphrase => "passphrase",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = [Self::Hybrid, Self::X25519, Self::Key, Self::Passphrase].into_iter().find(|k| k.name() == text);
        found.ok_or(Error::UnknownAlgorithm("hybrid, x25519, key, passphrase"))
    }
}

/// Human-readable parts of age's key strings (c2sp.org/age), a recipient's and an identity's.
fn hrp(kem: Kem) -> (&'static str, &'static str) {
    match kem {
        Kem::X25519 => ("age", "AGE-SECRET-KEY-"),
        Kem::Hybrid => ("age1pq", "AGE-SECRET-KEY-PQ-"),
    }
}

fn kind_of(kem: Kem) -> Kind {
    match kem {
        Kem::X25519 => Kind::X25519,
        Kem::Hybrid => Kind::Hybrid,
    }
}
