//! Why a key is refused.

use crate::error::{Error, KeyFault, UnsupportedKey};

/// Why a key is refused, in either half.
#[derive(Debug)]
pub(super) enum Refusal {
    /// An error of the half that was asked for.
    Invalid(KeyFault),
    Other(Error),
}

impl Refusal {
    /// As callers see it of a key that a passphrase opened: in one way whatever is wrong in the private key, since that depends on the
    /// secret. Which algorithm it is of, a reader may say (format section 12.3).
    pub(super) fn behind_a_passphrase(self) -> Self {
        match self {
            Self::Invalid(_) => {
                Self::Invalid(KeyFault::Other("the passphrase opens it, and the private key inside is damaged"))
            }
            other @ Self::Other(_) => other,
        }
    }

    /// As callers see it of a family's keys. What readers say of algorithms names the kinds that encrypt files.
    pub(super) fn of_family(self) -> Error {
        use UnsupportedKey::{Algorithm, Curve, JwkAlgorithm, MlKemSize, Rsa, Signature};
        match self {
            Self::Invalid(fault) => Error::InvalidKey(fault.text()),
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
