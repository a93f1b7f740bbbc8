//! Keys that files of nkCryptoTool are encrypted to, P-256 and ML-KEM of each size, in all forms that its editions wrote.

use super::KeyFileError;
use super::asn1;
use super::file::parse;
use super::parsed::{Algorithm, Half, Key, Parsed, Refusal, Use, Wanted, made};
use crate::error::{Error, KeyFault, Result, UnsupportedKey};
use crate::exchange::{self, ExpandedKey, Kind};
use crate::kdf::Work;
use crate::password::Passphrase;
use zeroize::Zeroizing;

/// A private key.
#[derive(Clone)]
pub(crate) enum PrivateKey {
    Whole(exchange::PrivateKey),
    /// Of ML-KEM, without its seed.
    Expanded(ExpandedKey),
}

/// A public key.
#[derive(Clone)]
pub(crate) struct PublicKey(pub(crate) exchange::PublicKey);

fn kind(algorithm: Algorithm) -> Result<Kind, UnsupportedKey> {
    match algorithm {
        Algorithm::P256 => Ok(Kind::P256),
        Algorithm::MlKem512 => Ok(Kind::MlKem512),
        Algorithm::MlKem768 => Ok(Kind::MlKem768),
        Algorithm::MlKem1024 => Ok(Kind::MlKem1024),
        _ => Err(UnsupportedKey::OtherFamily),
    }
}

fn takes(algorithm: Algorithm) -> Result<(), UnsupportedKey> {
    kind(algorithm).map(drop)
}

impl PrivateKey {
    /// Reads a file of keys.
    pub(crate) fn parse(file: &[u8], passphrase: Option<&Passphrase>) -> Result<Vec<Self>, KeyFileError> {
        parse(file, passphrase, Work::default())
    }

    pub(crate) fn public_key(&self) -> exchange::PublicKey {
        match self {
            Self::Whole(key) => key.public_key(),
            Self::Expanded(key) => key.public_key(),
        }
    }

    /// What this key and a point of P-256 share; `None` of a key of ML-KEM.
    pub(crate) fn agree(&self, point: &exchange::PublicKey) -> Option<Zeroizing<Vec<u8>>> {
        match self {
            Self::Whole(key) => key.hazmat_shared_secret(point).ok(),
            Self::Expanded(_) => None,
        }
    }

    /// The secret of a ciphertext; `None` of a key of P-256, and of another length.
    pub(crate) fn decapsulate(&self, ciphertext: &[u8]) -> Option<Zeroizing<[u8; exchange::SECRET_LEN]>> {
        match self {
            Self::Whole(key) => key.decapsulate(ciphertext).ok(),
            Self::Expanded(key) => key.decapsulate(ciphertext).ok(),
        }
    }
}

impl Key for PrivateKey {
    const WANTED: Wanted =
        Wanted { half: Half::Private, usage: Use::Encrypts, certificates: false, jwk: true, expanded: true, takes };

    fn from_parsed(parsed: Parsed) -> Result<Self, Refusal> {
        let kind = kind(parsed.algorithm)?;
        let key = if parsed.is_expanded {
            Self::Expanded(ExpandedKey::from_bytes(kind, &parsed.bytes).ok_or(parsed.wrong)?)
        } else {
            Self::Whole(made(exchange::PrivateKey::from_bytes(kind, &parsed.bytes), parsed.wrong)?)
        };
        asn1::check_copies(parsed, key.public_key().to_bytes(), |seed| exchange::expand(kind, seed))?;
        Ok(key)
    }

    fn error(refusal: Refusal) -> Error {
        of(refusal, Error::InvalidIdentity)
    }

    fn from_line(_: &str) -> Result<Parsed, Refusal> {
        Err(NO_FORM.into())
    }
}

impl PublicKey {
    /// Reads a file of keys.
    pub(crate) fn parse(file: &[u8]) -> Result<Vec<Self>, KeyFileError> {
        parse(file, None, Work::default())
    }
}

impl Key for PublicKey {
    const WANTED: Wanted =
        Wanted { half: Half::Public, usage: Use::Encrypts, certificates: false, jwk: true, expanded: false, takes };

    fn from_parsed(parsed: Parsed) -> Result<Self, Refusal> {
        made(exchange::PublicKey::from_bytes(kind(parsed.algorithm)?, &parsed.bytes), parsed.wrong).map(Self)
    }

    fn error(refusal: Refusal) -> Error {
        of(refusal, Error::InvalidRecipient)
    }

    fn from_line(_: &str) -> Result<Parsed, Refusal> {
        Err(NO_FORM.into())
    }
}

const NO_FORM: KeyFault = KeyFault::Other("no form of a key of nkCryptoTool begins as this text does");

/// What is invalid, as the half that was asked for says it.
fn of(refusal: Refusal, invalid: fn(KeyFault) -> Error) -> Error {
    match refusal {
        Refusal::Invalid(fault) => invalid(fault),
        other @ Refusal::Other(_) => other.of_family(),
    }
}
