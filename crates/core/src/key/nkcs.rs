//! Private keys for signatures of nkCryptoTool, in all forms that its editions wrote.

use super::algorithm::Algorithm;
use super::asn1;
use super::parsed::{Half, Key, Parsed, Refusal, Use, Wanted};
use super::reader::parse_one;
use crate::error::{Error, Result, UnsupportedKey};
use crate::kdf::Work;
use crate::password::Passphrase;
use crate::sign::{ExpandedKey, Kind, PrivateKey, PublicKey, expand};
use std::sync::Arc;

/// A private key.
#[derive(Clone)]
pub(crate) enum SigningKey {
    Whole(Arc<PrivateKey>),
    /// A key of ML-DSA without its seed.
    Expanded(Arc<ExpandedKey>),
}

fn kind(algorithm: Algorithm) -> Result<Kind, UnsupportedKey> {
    match algorithm {
        Algorithm::P256 => Ok(Kind::P256Sign),
        Algorithm::MlDsa44 => Ok(Kind::MlDsa44),
        Algorithm::MlDsa65 => Ok(Kind::MlDsa65),
        Algorithm::MlDsa87 => Ok(Kind::MlDsa87),
        _ => Err(UnsupportedKey::NkcsKind),
    }
}

impl SigningKey {
    /// Reads a file with one key.
    pub(crate) fn parse(file: &[u8], passphrase: Option<&Passphrase>) -> Result<Self> {
        parse_one(file, passphrase)
    }

    pub(crate) fn public_key(&self) -> PublicKey {
        match self {
            Self::Whole(key) => key.public_key(),
            Self::Expanded(key) => key.public_key().clone(),
        }
    }
}

impl Key for SigningKey {
    const WANTED: Wanted = Wanted {
        jwk: false,
        expanded: true,
        ..Wanted::new(Half::Private, Use::Signs, |algorithm| kind(algorithm).map(drop))
    };

    fn from_parsed(parsed: Parsed) -> Result<Self, Refusal> {
        let kind = kind(parsed.algorithm)?;
        if !parsed.is_expanded {
            return PrivateKey::from_parsed(parsed).map(|key| Self::Whole(Arc::new(key)));
        }
        let key = ExpandedKey::from_bytes(kind, &parsed.bytes).ok_or(parsed.wrong)?;
        asn1::check_copies(parsed, key.public_key().to_bytes(), |seed| expand(kind, seed))?;
        Ok(Self::Expanded(Arc::new(key)))
    }

    fn error(refusal: Refusal) -> Error {
        refusal.of_family(Error::InvalidSigner)
    }

    fn from_ssh(bytes: &[u8], passphrase: Option<&Passphrase>, work: &mut Work) -> Result<Parsed, Refusal> {
        <PrivateKey as Key>::from_ssh(bytes, passphrase, work)
    }
}
