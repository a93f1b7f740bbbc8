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

pub(crate) use file::parse_identities_after;
pub(crate) use identity::Secret;
pub(crate) use recipient::Public;

use crate::kem::hpke::Kem;

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
    /// `p256`: the curve of NIST and of smart cards, for those who must use it; classical.
    P256,
    /// `ml-kem-768`: FIPS 203 alone, for those who must use it; post-quantum.
    MlKem768,
    /// `sm2`: the curve of Chinese commercial cryptography, for the suite [`sm4-gcm`](crate::Suite::Sm4Gcm); classical.
    Sm2,
    /// `key`: a 32-byte symmetric key.
    Key,
    /// `passphrase`: Argon2id, and with the suite `sm4-gcm` PBKDF2-HMAC-SM3.
    Passphrase,
}

named_enum!(Kind {
    Hybrid = "hybrid",
    X25519 = "x25519",
    P256 = "p256",
    MlKem768 = "ml-kem-768",
    Sm2 = "sm2",
    Key = "key",
    Passphrase = "passphrase",
});

/// Human-readable parts of age's key strings (c2sp.org/age), a recipient's and an identity's; `None` of the kinds whose
/// text form is PEM.
fn hrp(kind: Kind) -> Option<(&'static str, &'static str)> {
    match kind {
        Kind::X25519 => Some(("age", "AGE-SECRET-KEY-")),
        Kind::Hybrid => Some(("age1pq", "AGE-SECRET-KEY-PQ-")),
        _ => None,
    }
}

/// The KEM of a kind; `None` of SM2, which is none, and of secrets that both sides have.
fn kem_of(kind: Kind) -> Option<Kem> {
    match kind {
        Kind::X25519 => Some(Kem::X25519),
        Kind::P256 => Some(Kem::P256),
        Kind::MlKem768 => Some(Kem::MlKem768),
        Kind::Hybrid => Some(Kem::Hybrid),
        Kind::Sm2 | Kind::Key | Kind::Passphrase => None,
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
