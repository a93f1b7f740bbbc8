//! Reasons to refuse a key.

use crate::error::{Error, KeyFault, UnsupportedKey};

/// The reason to refuse a key, of either half.
#[derive(Debug)]
pub(super) enum Refusal {
    /// An error of the requested half.
    Invalid(KeyFault),
    Other(Error),
}

impl Refusal {
    /// The refusal of a key that a passphrase opened. All faults of the private key become one, because they depend on the
    /// secret. The algorithm may be revealed (format section 12.3).
    pub(super) fn behind_a_passphrase(self) -> Self {
        match self {
            Self::Invalid(_) => {
                Self::Invalid(KeyFault::Other("the passphrase opens it, and the private key inside is damaged"))
            }
            other @ Self::Other(_) => other,
        }
    }

    /// The error of a family of keys; `invalid` makes the error of a fault. It replaces the readers' errors about algorithms, which name the kinds that encrypt
    /// files.
    pub(super) fn of_family(self, invalid: impl FnOnce(KeyFault) -> Error) -> Error {
        use UnsupportedKey::{Algorithm, Curve, JwkAlgorithm, MlKemSize, Rsa, Signature};
        match self {
            Self::Invalid(fault) => invalid(fault),
            Self::Other(Error::UnsupportedKey(Algorithm | Curve | JwkAlgorithm | MlKemSize | Rsa | Signature)) => {
                Error::UnsupportedKey(UnsupportedKey::OtherFamily)
            }
            Self::Other(Error::NoMatchingIdentity) => Error::WrongPassphrase,
            Self::Other(error) => error,
        }
    }
}

impl From<KeyFault> for Refusal {
    fn from(fault: KeyFault) -> Self {
        Self::Invalid(fault)
    }
}

impl<T: Into<Error>> From<T> for Refusal {
    fn from(error: T) -> Self {
        Self::Other(error.into())
    }
}
