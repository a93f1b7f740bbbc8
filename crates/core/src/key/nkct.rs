//! Keys for encrypted files of nkCryptoTool, P-256 and ML-KEM of each size, in all forms that its editions wrote.

use super::KeyFileError;
use super::asn1;
use super::parsed::{Algorithm, Half, Key, Parsed, Refusal, Use, Wanted, map_fault};
use super::reader::parse;
use crate::error::{Error, KeyFault, Result, UnsupportedKey};
use crate::exchange::{self, ExpandedKey, Kind};
use crate::kdf::Work;
use crate::password::Passphrase;
use zeroize::Zeroizing;

/// A private key.
#[derive(Clone)]
pub(crate) enum PrivateKey {
    Whole(exchange::PrivateKey),
    /// A key of ML-KEM without its seed.
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

    /// The shared secret of this key and a point of P-256; `None` for a key of ML-KEM.
    pub(crate) fn agree(&self, point: &exchange::PublicKey) -> Option<Zeroizing<Vec<u8>>> {
        match self {
            Self::Whole(key) => key.hazmat_shared_secret(point).ok(),
            Self::Expanded(_) => None,
        }
    }

    /// The secret of a ciphertext; `None` for a key of P-256, and for a ciphertext of another length.
    pub(crate) fn decapsulate(&self, ciphertext: &[u8]) -> Option<Zeroizing<[u8; exchange::SECRET_LEN]>> {
        match self {
            Self::Whole(key) => key.decapsulate(ciphertext).ok(),
            Self::Expanded(key) => key.decapsulate(ciphertext).ok(),
        }
    }
}

impl Key for PrivateKey {
    const WANTED: Wanted = Wanted { expanded: true, ..Wanted::new(Half::Private, Use::Encrypts, takes) };

    fn from_parsed(parsed: Parsed) -> Result<Self, Refusal> {
        let kind = kind(parsed.algorithm)?;
        let key = if parsed.is_expanded {
            Self::Expanded(ExpandedKey::from_bytes(kind, &parsed.bytes).ok_or(parsed.wrong)?)
        } else {
            Self::Whole(map_fault(exchange::PrivateKey::from_bytes(kind, &parsed.bytes), parsed.wrong)?)
        };
        asn1::check_copies(parsed, key.public_key().to_bytes(), |seed| exchange::expand(kind, seed))?;
        Ok(key)
    }

    fn error(refusal: Refusal) -> Error {
        refusal.of_family(Error::InvalidIdentity)
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
    const WANTED: Wanted = Wanted { certificates: false, ..Wanted::new(Half::Public, Use::Encrypts, takes) };

    fn from_parsed(parsed: Parsed) -> Result<Self, Refusal> {
        map_fault(exchange::PublicKey::from_bytes(kind(parsed.algorithm)?, &parsed.bytes), parsed.wrong).map(Self)
    }

    fn error(refusal: Refusal) -> Error {
        refusal.of_family(Error::InvalidRecipient)
    }

    fn from_line(_: &str) -> Result<Parsed, Refusal> {
        Err(NO_FORM.into())
    }
}

const NO_FORM: KeyFault = KeyFault::Other("this does not look like an nkCryptoTool key");

#[cfg(test)]
mod tests {
    use super::super::asn1::tests::{both, expanded};
    use super::super::{pbes2, pem};
    use super::*;

    const KINDS: [(Kind, Algorithm); 3] = [
        (Kind::MlKem512, Algorithm::MlKem512),
        (Kind::MlKem768, Algorithm::MlKem768),
        (Kind::MlKem1024, Algorithm::MlKem1024),
    ];

    fn parse_pem(der: &[u8], passphrase: Option<&Passphrase>) -> Result<PrivateKey, Error> {
        let text = pem::write(pem::PRIVATE_KEY, der);
        let mut keys = PrivateKey::parse(text.as_bytes(), passphrase).map_err(|error| error.error)?;
        assert_eq!(keys.len(), 1);
        Ok(keys.remove(0))
    }

    /// PKCS#8 of a key without a structure around it.
    fn bare(algorithm: Algorithm, key: &[u8]) -> Vec<u8> {
        let wrapped = expanded(algorithm, key);
        // The inner element has a tag and a length of three bytes, and the outer ones two lengths of two bytes.
        let at = wrapped.len() - key.len() - 4;
        let mut der = [&wrapped[..at], key].concat();
        for len_at in [2, at - 2] {
            let len = u16::from_be_bytes([der[len_at], der[len_at + 1]]) - 4;
            der[len_at..len_at + 2].copy_from_slice(&len.to_be_bytes());
        }
        der
    }

    #[test]
    fn keys_of_ml_kem_are_read_in_all_forms_and_are_the_same() {
        let passphrase = Passphrase::new("correct horse").unwrap();
        for (kind, algorithm) in KINDS {
            let own = exchange::PrivateKey::generate(kind).unwrap();
            let seed = own.to_bytes();
            let key = exchange::expand(kind, &seed).unwrap();
            let (ciphertext, secret) = own.public_key().encapsulate().unwrap();
            let plain = [
                own.to_der(None).unwrap().to_vec(),
                both(algorithm, &seed, &key),
                expanded(algorithm, &key),
                bare(algorithm, &key),
            ];
            for (i, der) in plain.iter().enumerate() {
                let locked = pbes2::encrypt(pbes2::Encryption::Sha256Aes256, der, &passphrase).unwrap();
                for (der, passphrase) in [(der, None), (&locked, Some(&passphrase))] {
                    let read = parse_pem(der, passphrase).unwrap();
                    assert_eq!(read.public_key(), own.public_key(), "{kind}, form {i}");
                    assert_eq!(read.decapsulate(&ciphertext).unwrap(), secret, "{kind}, form {i}");
                    assert!(read.decapsulate(&ciphertext[1..]).is_none());
                    assert_eq!(matches!(read, PrivateKey::Expanded(_)), i > 1);
                    assert!(read.agree(&exchange::PrivateKey::generate(Kind::P256).unwrap().public_key()).is_none());
                }
                assert!(matches!(parse_pem(&locked, None), Err(Error::PassphraseRequired)));
                let wrong = parse_pem(&locked, Some(&Passphrase::new("wrong").unwrap()));
                assert!(matches!(wrong, Err(Error::WrongPassphrase)));
            }
            // A general type of keys reads keys with their seed, and its error says that the others lack it.
            for (i, der) in plain.iter().enumerate() {
                let read = exchange::PrivateKey::parse(der, None).map(drop).map_err(|error| error.to_string());
                let lacks = "unsupported key format: an ML-KEM key in expanded form, without its seed".to_owned();
                assert_eq!(read, if i > 1 { Err(lacks) } else { Ok(()) }, "{kind}, form {i}");
            }
        }
    }

    #[test]
    fn an_expanded_key_that_is_none_is_refused() {
        for (kind, algorithm) in KINDS {
            let seed = exchange::PrivateKey::generate(kind).unwrap().to_bytes();
            let key = exchange::expand(kind, &seed).unwrap();
            let damaged = |at: usize| {
                let mut key = key.to_vec();
                key[at] ^= 1;
                key
            };
            // In the encapsulation key, and in the hash of it.
            for at in [key.len() - 65, key.len() - 64, key.len() - 33] {
                for der in [expanded(algorithm, &damaged(at)), bare(algorithm, &damaged(at))] {
                    assert!(matches!(parse_pem(&der, None), Err(Error::InvalidIdentity(_))), "{kind}, byte {at}");
                }
            }
            for cut in [&key[1..], &key[..key.len() - 1], &seed[..], &[]] {
                assert!(parse_pem(&expanded(algorithm, cut), None).is_err(), "{kind}, {} bytes", cut.len());
            }
            let other = exchange::expand(kind, &exchange::PrivateKey::generate(kind).unwrap().to_bytes()).unwrap();
            assert!(parse_pem(&both(algorithm, &seed, &other), None).is_err());
        }
    }
}
