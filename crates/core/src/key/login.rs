//! Login keys of SSH, to which age encrypts files: Ed25519 and RSA.

use super::algorithm::Algorithm;
use super::parsed::{Half, Key, NO_PRIVATE_KEY, Parsed, Refusal, Use, Wanted};
use super::reader::parse_one;
use super::{asn1, ssh};
use crate::ed25519;
use crate::error::{Error, KeyFault, Result, UnsupportedKey};
use crate::kdf::Work;
use crate::password::Passphrase;
use crate::rsa;

/// A private key.
pub(crate) enum PrivateKey {
    Ed25519(ed25519::PrivateKey),
    Rsa(rsa::PrivateKey),
}

/// A public key.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum PublicKey {
    Ed25519([u8; ed25519::PUBLIC_KEY_LEN]),
    Rsa(rsa::PublicKey),
}

fn takes(algorithm: Algorithm) -> Result<(), UnsupportedKey> {
    if matches!(algorithm, Algorithm::Ed25519 | Algorithm::Rsa) { Ok(()) } else { Err(UnsupportedKey::OtherFamily) }
}

impl PrivateKey {
    /// Reads a file with one key: OpenSSH's form, or PKCS#8 or PKCS#1 in PEM.
    pub(crate) fn parse(file: &[u8], passphrase: Option<&Passphrase>) -> Result<Self> {
        parse_one(file, passphrase)
    }

    pub(crate) fn public_key(&self) -> PublicKey {
        match self {
            Self::Ed25519(key) => PublicKey::Ed25519(key.public_key().to_bytes()),
            Self::Rsa(key) => PublicKey::Rsa(key.public_key()),
        }
    }
}

impl Key for PrivateKey {
    const WANTED: Wanted = Wanted { jwk: false, ..Wanted::new(Half::Private, Use::Signs, takes) };

    fn from_parsed(parsed: Parsed) -> Result<Self, Refusal> {
        takes(parsed.algorithm)?;
        let key = if parsed.algorithm == Algorithm::Rsa {
            Self::Rsa(rsa::PrivateKey::from_bytes(&parsed.bytes)?)
        } else {
            Self::Ed25519(ed25519::PrivateKey::from_seed(&parsed.bytes).map_err(|_| NO_PRIVATE_KEY)?)
        };
        match key.public_key() {
            PublicKey::Ed25519(public) => asn1::check_copies(parsed, &public, |_| None)?,
            PublicKey::Rsa(public) => asn1::check_copies(parsed, public.to_bytes(), |_| None)?,
        }
        Ok(key)
    }

    fn error(refusal: Refusal) -> Error {
        match refusal {
            Refusal::Invalid(fault) => Error::InvalidIdentity(fault),
            Refusal::Other(Error::InvalidKey(rsa::OTHER_LENGTH | rsa::MORE_PRIMES)) => UnsupportedKey::RsaForm.into(),
            Refusal::Other(Error::InvalidKey(what)) => Error::InvalidIdentity(KeyFault::Other(what)),
            Refusal::Other(Error::NoMatchingIdentity) => Error::WrongPassphrase,
            Refusal::Other(error) => error,
        }
    }

    fn from_line(_: &str) -> Result<Parsed, Refusal> {
        Err(KeyFault::Other("it is not an SSH private key").into())
    }

    fn from_ssh(bytes: &[u8], passphrase: Option<&Passphrase>, work: &mut Work) -> Result<Parsed, Refusal> {
        ssh::read(bytes, takes, passphrase, work)
    }
}

impl PublicKey {
    /// Reads a line of `authorized_keys` without options.
    pub(crate) fn from_line(line: &str) -> Result<Self> {
        ssh::read_line(line, takes).and_then(|parsed| Self::from_parsed(&parsed)).map_err(Self::error)
    }

    /// The public key as a blob of SSH (RFC 4253 section 6.6).
    pub(crate) fn blob(&self) -> Vec<u8> {
        let blob = match self {
            Self::Ed25519(key) => ssh::blob(Algorithm::Ed25519, key),
            Self::Rsa(key) => ssh::blob(Algorithm::Rsa, key.to_bytes()),
        };
        blob.expect("login: SSH has both names")
    }

    fn from_parsed(parsed: &Parsed) -> Result<Self, Refusal> {
        if parsed.algorithm == Algorithm::Rsa {
            return Ok(Self::Rsa(rsa::PublicKey::from_bytes(&parsed.bytes)?));
        }
        let point: [u8; 32] = parsed.bytes[..].try_into().map_err(|_| parsed.wrong)?;
        ed25519::PublicKey::from_bytes(&point).map_err(|_| parsed.wrong)?;
        Ok(Self::Ed25519(point))
    }

    fn error(refusal: Refusal) -> Error {
        match refusal {
            Refusal::Invalid(fault) => Error::InvalidRecipient(fault),
            Refusal::Other(Error::InvalidKey(rsa::OTHER_LENGTH)) => UnsupportedKey::RsaForm.into(),
            Refusal::Other(Error::InvalidKey(what)) => Error::InvalidRecipient(KeyFault::Other(what)),
            Refusal::Other(error) => error,
        }
    }
}
