//! What a form of keys holds: an algorithm and bytes. The form is read first; what type the bytes become is asked
//! afterwards, so that every type of keys has the same readers.

use super::Kind;
use super::asn1::{OTHER_ML_KEM, RSA, SIGNS};
use crate::error::Error;
use zeroize::Zeroizing;

/// A key as its form has it. Nobody has looked yet whether the bytes are a key of the algorithm.
pub(super) struct Parsed {
    pub(super) algorithm: Algorithm,
    /// The half that was asked for, as its algorithm has it.
    pub(super) bytes: Zeroizing<Vec<u8>>,
    /// The public keys that stand beside a private one; or why one of them cannot be read.
    pub(super) beside: Vec<Result<Vec<u8>, &'static str>>,
    /// What is said of bytes that are no key of the algorithm.
    pub(super) wrong: &'static str,
    pub(super) was_encrypted: bool,
}

/// What a form names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Algorithm {
    /// The one of a kind that encrypts.
    Of(Kind),
    Rsa,
    Ed25519,
    Ed448,
    MlKem512,
    MlKem1024,
}

impl Algorithm {
    /// For what encrypts.
    pub(super) fn kind(self) -> Result<Kind, Refusal> {
        match self {
            Self::Of(kind) => Ok(kind),
            Self::Rsa => Err(RSA.into()),
            Self::Ed25519 | Self::Ed448 => Err(SIGNS.into()),
            Self::MlKem512 | Self::MlKem1024 => Err(OTHER_ML_KEM.into()),
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
    /// It is the half that was not asked for.
    OtherHalf(&'static str),
    Invalid(&'static str),
    Other(Error),
}

impl Refusal {
    /// As callers see it who asked for `half`.
    pub(super) fn of(self, half: Half) -> Error {
        match (self, half) {
            (Self::OtherHalf(why) | Self::Invalid(why), Half::Private) => Error::InvalidIdentity(why),
            (Self::OtherHalf(why) | Self::Invalid(why), Half::Public) => Error::InvalidRecipient(why),
            (Self::Other(error), _) => error,
        }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Other(error)
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
