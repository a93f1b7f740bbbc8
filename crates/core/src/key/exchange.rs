//! The forms of keys for key agreement and encapsulation.

use super::algorithm::Algorithm;
use super::parsed::{Half, Key, Parsed, Refusal, Use, Wanted, map_fault};
use super::reader::parse_one;
use super::{asn1, fingerprint, jwk, pem, string};
use crate::error::{Error, Result, UnsupportedKey};
use crate::exchange::{Kind, PrivateKey, PublicKey, expand};
use crate::password::Passphrase;
use zeroize::Zeroizing;

/// The algorithm of a kind in forms of keys.
fn algorithm(kind: Kind) -> Algorithm {
    match kind {
        Kind::X25519 => Algorithm::X25519,
        Kind::P256 => Algorithm::P256,
        Kind::P384 => Algorithm::P384,
        Kind::P521 => Algorithm::P521,
        Kind::MlKem512 => Algorithm::MlKem512,
        Kind::MlKem768 => Algorithm::MlKem768,
        Kind::MlKem1024 => Algorithm::MlKem1024,
        Kind::Hybrid => Algorithm::Hybrid,
    }
}

fn kind(of: Algorithm) -> Result<Kind, UnsupportedKey> {
    Kind::ALL.into_iter().find(|kind| algorithm(*kind) == of).ok_or(UnsupportedKey::OtherFamily)
}

impl Key for PrivateKey {
    const WANTED: Wanted = Wanted::new(Half::Private, Use::Encrypts, |algorithm| kind(algorithm).map(drop));

    fn from_parsed(parsed: Parsed) -> Result<Self, Refusal> {
        let kind = kind(parsed.algorithm)?;
        let key = map_fault(Self::from_bytes(kind, &parsed.bytes), parsed.wrong)?;
        asn1::check_copies(parsed, key.public_key().to_bytes(), |seed| expand(kind, seed))?;
        Ok(key)
    }

    fn from_line(line: &str) -> Result<Parsed, Refusal> {
        string::read(line, Half::Private)
    }
}

impl Key for PublicKey {
    const WANTED: Wanted = Wanted::new(Half::Public, Use::Encrypts, |algorithm| kind(algorithm).map(drop));

    fn from_parsed(parsed: Parsed) -> Result<Self, Refusal> {
        map_fault(Self::from_bytes(kind(parsed.algorithm)?, &parsed.bytes), parsed.wrong)
    }

    fn from_line(line: &str) -> Result<Parsed, Refusal> {
        string::read(line, Half::Public)
    }
}

impl PrivateKey {
    /// Reads a file with one key, in any form: PKCS#8, plain or encrypted, and SEC1 as PEM and DER; a JWK; and age's strings of
    /// `hybrid` and `x25519`.
    ///
    /// ```
    /// use sealstone::exchange::{Kind, PrivateKey};
    ///
    /// let key = PrivateKey::generate(Kind::MlKem1024)?;
    /// let read = PrivateKey::parse(&*key.to_pem(None)?, None)?;
    /// assert_eq!(read.public_key(), key.public_key());
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidKey`] for a damaged key, for a public key, and for a public key beside the private one that does not
    /// match it; [`Error::UnsupportedKey`] for keys of other families, and for keys of ML-KEM without their seed;
    /// [`Error::PassphraseRequired`]; [`Error::WrongPassphrase`]; [`Error::CostTooHigh`].
    pub fn parse(file: impl AsRef<[u8]>, passphrase: Option<&Passphrase>) -> Result<Self> {
        parse_one(file.as_ref(), passphrase)
    }

    /// PKCS#8 as PEM, encrypted if there is a passphrase (format section 12.3). A secret.
    ///
    /// # Errors
    /// [`Error::UnsupportedKey`] for `hybrid`, which has no such form; [`Error::NoRandomness`].
    pub fn to_pem(&self, passphrase: Option<&Passphrase>) -> Result<Zeroizing<String>> {
        Ok(pem::write_private(&self.to_der(passphrase)?, passphrase))
    }

    /// As [`to_pem`](Self::to_pem), as DER.
    ///
    /// # Errors
    /// The errors of [`to_pem`](Self::to_pem).
    pub fn to_der(&self, passphrase: Option<&Passphrase>) -> Result<Zeroizing<Vec<u8>>> {
        let public = self.public_key();
        asn1::write_private(algorithm(self.kind()), &self.to_bytes(), public.to_bytes(), passphrase).map_err(no_form)
    }

    /// As [`to_pem`](Self::to_pem), for a key of ML-KEM, with the expanded key beside the seed (RFC 9935 section 6, the choice
    /// `both`). Use it for programs that do not accept a seed alone, such as the Rust edition of nkCryptoTool. Sealstone reads
    /// it like the other forms.
    ///
    /// ```
    /// use sealstone::exchange::{Kind, PrivateKey};
    ///
    /// let key = PrivateKey::generate(Kind::MlKem768)?;
    /// assert_eq!(PrivateKey::parse(&*key.to_expanded_pem(None)?, None)?.to_bytes(), key.to_bytes());
    /// let other = PrivateKey::generate(Kind::P256)?;
    /// assert_eq!(other.to_expanded_pem(None).unwrap_err().code(), "unsupported_key");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::UnsupportedKey`] for other kinds; [`Error::NoRandomness`].
    pub fn to_expanded_pem(&self, passphrase: Option<&Passphrase>) -> Result<Zeroizing<String>> {
        let seed = self.to_bytes();
        let expanded = expand(self.kind(), &seed).ok_or(UnsupportedKey::NoFormOfKind)?;
        Ok(pem::write_private(&asn1::write_both(algorithm(self.kind()), &seed, &expanded, passphrase)?, passphrase))
    }

    /// A JSON Web Key. A secret.
    ///
    /// # Errors
    /// [`Error::UnsupportedKey`] for ML-KEM and `hybrid`, which have no such form.
    pub fn to_jwk(&self) -> Result<Zeroizing<String>> {
        jwk::write(algorithm(self.kind()), self.public_key().to_bytes(), Some(&self.to_bytes())).map_err(no_form)
    }
}

impl PublicKey {
    /// Reads a file with one key, in any form: `SubjectPublicKeyInfo` as PEM and DER; an X.509 certificate, of which nothing is
    /// verified; a JWK; and age's strings of `hybrid` and `x25519`.
    ///
    /// ```
    /// use sealstone::exchange::{Kind, PrivateKey, PublicKey};
    ///
    /// let key = PrivateKey::generate(Kind::P521)?.public_key();
    /// assert_eq!(PublicKey::parse(key.to_pem()?)?, key);
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidKey`] for a damaged key, and for a private key; [`Error::UnsupportedKey`] for keys of other families.
    pub fn parse(file: impl AsRef<[u8]>) -> Result<Self> {
        parse_one(file.as_ref(), None)
    }

    /// `SubjectPublicKeyInfo` as PEM (RFC 5280, RFC 7468).
    ///
    /// # Errors
    /// [`Error::UnsupportedKey`] for `hybrid`, which has no such form.
    pub fn to_pem(&self) -> Result<String> {
        Ok(std::mem::take(&mut *pem::write(pem::PUBLIC_KEY, &self.to_der()?)))
    }

    /// As [`to_pem`](Self::to_pem), as DER.
    ///
    /// # Errors
    /// The errors of [`to_pem`](Self::to_pem).
    pub fn to_der(&self) -> Result<Vec<u8>> {
        asn1::write_public(algorithm(self.kind()), self.to_bytes()).map_err(no_form)
    }

    /// A JSON Web Key (RFC 7517, 7518, 8037).
    ///
    /// # Errors
    /// [`Error::UnsupportedKey`] for ML-KEM and `hybrid`, which have no such form.
    pub fn to_jwk(&self) -> Result<String> {
        let jwk = jwk::write(algorithm(self.kind()), self.to_bytes(), None);
        Ok(std::mem::take(&mut *jwk.map_err(no_form)?))
    }

    /// The fingerprint, short enough to compare by eye or on the telephone: `SHA256:` and the hexadecimal digits of SHA-256 over the
    /// kind's name, a zero byte and the key (format section 12.4). A [`Recipient`](crate::Recipient) of the same key has the same.
    ///
    /// ```
    /// use sealstone::exchange::{Kind, PrivateKey};
    ///
    /// let fingerprint = PrivateKey::generate(Kind::MlKem1024)?.public_key().fingerprint();
    /// assert_eq!(fingerprint.len(), "SHA256:".len() + 64);
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    #[must_use]
    pub fn fingerprint(&self) -> String {
        fingerprint(self.kind().name(), self.to_bytes())
    }
}

/// Replaces an error about a missing form by that of this family.
fn no_form(error: Error) -> Error {
    match error {
        Error::UnsupportedKey(_) => UnsupportedKey::NoExchangeForm.into(),
        other => other,
    }
}

#[cfg(test)]
#[path = "exchange_tests.rs"]
mod tests;
