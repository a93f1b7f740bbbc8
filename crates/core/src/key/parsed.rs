//! What a form of keys holds: an algorithm and bytes. The form is read first; what type the bytes become is asked
//! afterwards, so that every type of keys has the same readers.

use super::Kind;
use crate::error::{Error, KeyFault, UnsupportedKey};
use zeroize::Zeroizing;

/// A key as its form has it. Nobody has looked yet whether the bytes are a key of the algorithm.
pub(super) struct Parsed {
    pub(super) algorithm: Algorithm,
    /// The half that was asked for, as its algorithm has it.
    pub(super) bytes: Zeroizing<Vec<u8>>,
    /// The public keys that stand beside a private one; or why one of them cannot be read.
    pub(super) beside: Vec<Result<Vec<u8>, KeyFault>>,
    /// What is said of bytes that are no key of the algorithm.
    pub(super) wrong: KeyFault,
    pub(super) was_encrypted: bool,
}

/// What a form names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Algorithm {
    /// That of a kind of key, all of which encrypt.
    Of(Kind),
    Rsa,
    Ed25519,
    Ed448,
    MlKem512,
    MlKem1024,
}

impl Algorithm {
    /// The kind, for those who encrypt.
    pub(super) fn kind(self) -> Result<Kind, UnsupportedKey> {
        match self {
            Self::Of(kind) => Ok(kind),
            Self::Rsa => Err(UnsupportedKey::Rsa),
            Self::Ed25519 | Self::Ed448 => Err(UnsupportedKey::Signature),
            Self::MlKem512 | Self::MlKem1024 => Err(UnsupportedKey::MlKemSize),
        }
    }
}

/// A half of a key pair. A secret that both sides have is a private one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    Private,
    Public,
}

/// Why a key is refused, in either half.
#[derive(Debug)]
pub(super) enum Refusal {
    /// An error of the half that was asked for.
    Invalid(KeyFault),
    Other(Error),
}

impl Refusal {
    /// As callers see it who asked for `half`.
    pub(super) fn of(self, half: Half) -> Error {
        match (self, half) {
            (Self::Invalid(fault), Half::Private) => Error::InvalidIdentity(fault),
            (Self::Invalid(fault), Half::Public) => Error::InvalidRecipient(fault),
            (Self::Other(error), _) => error,
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

/// A type of keys, made from what a form holds.
pub(super) trait Key: Sized {
    const HALF: Half;

    fn from_parsed(parsed: Parsed) -> Result<Self, Refusal>;

    /// As [`from_parsed`](Self::from_parsed), with one answer for whatever is wrong behind a passphrase: several would be
    /// an oracle for whoever can write the file.
    fn of(parsed: Parsed) -> Result<Self, Refusal> {
        let was_encrypted = parsed.was_encrypted;
        Self::from_parsed(parsed).map_err(|why| if was_encrypted { Error::NoMatchingIdentity.into() } else { why })
    }
}

/// What readers of several forms say.
pub(super) const WRONG_LENGTH: KeyFault = KeyFault::Other("the key has the wrong length");
pub(super) const NO_PRIVATE_KEY: KeyFault = KeyFault::Other("the private key has the wrong length, or is out of range");
pub(super) const INVALID_PUBLIC_KEY: KeyFault = KeyFault::Other("the key is not a valid public key of its kind");
