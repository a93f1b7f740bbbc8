//! Identities and recipients, and their forms: strings, PEM, DER and JWK (format section 12).

mod asn1;
mod file;
mod identity;
mod jwk;
mod pbes2;
mod pem;
mod recipient;
mod symmetric;

pub use file::{KeyFileError, KeyForm, is_recipient_file, parse_identities, parse_recipients, protect_identities};
pub use identity::Identity;
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
    /// `p256`: the curve of NIST and of smart cards, for whoever must; classical.
    P256,
    /// `ml-kem-768`: FIPS 203 alone, for whoever must; post-quantum.
    MlKem768,
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
            Self::P256 => "p256",
            Self::MlKem768 => "ml-kem-768",
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
        let all = [Self::Hybrid, Self::X25519, Self::P256, Self::MlKem768, Self::Key, Self::Passphrase];
        let found = all.into_iter().find(|kind| kind.name() == text);
        found.ok_or(Error::UnknownAlgorithm("hybrid, x25519, p256, ml-kem-768, key, passphrase"))
    }
}

/// Human-readable parts of age's key strings (c2sp.org/age), a recipient's and an identity's; `None` of the kinds whose
/// text form is PEM.
fn hrp(kem: Kem) -> Option<(&'static str, &'static str)> {
    match kem {
        Kem::X25519 => Some(("age", "AGE-SECRET-KEY-")),
        Kem::Hybrid => Some(("age1pq", "AGE-SECRET-KEY-PQ-")),
        Kem::P256 | Kem::MlKem768 => None,
    }
}

fn kind_of(kem: Kem) -> Kind {
    match kem {
        Kem::X25519 => Kind::X25519,
        Kem::P256 => Kind::P256,
        Kem::MlKem768 => Kind::MlKem768,
        Kem::Hybrid => Kind::Hybrid,
    }
}
