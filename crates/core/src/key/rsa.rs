//! The forms of RSA keys for encryption.

use super::algorithm::Algorithm;
use super::parsed::{Half, Key, Parsed, Refusal, Use, Wanted};
use super::reader::parse_one;
use super::{asn1, jwk, pem};
use crate::error::{Result, UnsupportedKey};
use crate::password::Passphrase;
use crate::rsa::{PrivateKey, PublicKey};
use zeroize::Zeroizing;

fn takes(algorithm: Algorithm) -> Result<(), UnsupportedKey> {
    if algorithm == Algorithm::Rsa { Ok(()) } else { Err(UnsupportedKey::OtherFamily) }
}

impl Key for PrivateKey {
    const WANTED: Wanted = Wanted::new(Half::Private, Use::Encrypts, takes);

    /// Checks the public keys beside the numbers of PKCS#1, which also contain the public key.
    fn from_parsed(parsed: Parsed) -> Result<Self, Refusal> {
        takes(parsed.algorithm)?;
        let key = Self::from_bytes(&parsed.bytes)?;
        asn1::check_copies(parsed, key.public_key().to_bytes(), |_| None)?;
        Ok(key)
    }
}

impl Key for PublicKey {
    const WANTED: Wanted = Wanted::new(Half::Public, Use::Encrypts, takes);

    fn from_parsed(parsed: Parsed) -> Result<Self, Refusal> {
        takes(parsed.algorithm)?;
        Ok(Self::from_bytes(&parsed.bytes)?)
    }
}

impl PrivateKey {
    /// Reads a file with one key, in any form: PKCS#8, plain or encrypted, and PKCS#1 as PEM and DER; and a JWK.
    ///
    /// # Errors
    /// [`InvalidKey`](crate::Error::InvalidKey) for a damaged key, for a public key, and for keys that
    /// [`from_bytes`](Self::from_bytes) refuses; [`UnsupportedKey`](crate::Error::UnsupportedKey) for keys of other
    /// families; [`PassphraseRequired`](crate::Error::PassphraseRequired);
    /// [`WrongPassphrase`](crate::Error::WrongPassphrase); [`CostTooHigh`](crate::Error::CostTooHigh).
    pub fn parse(file: impl AsRef<[u8]>, passphrase: Option<&Passphrase>) -> Result<Self> {
        parse_one(file.as_ref(), passphrase)
    }

    /// PKCS#8 as PEM, encrypted if there is a passphrase (format section 12.3). A secret.
    ///
    /// # Errors
    /// [`NoRandomness`](crate::Error::NoRandomness).
    pub fn to_pem(&self, passphrase: Option<&Passphrase>) -> Result<Zeroizing<String>> {
        Ok(pem::write_private(&self.to_der(passphrase)?, passphrase))
    }

    /// As [`to_pem`](Self::to_pem), as DER.
    ///
    /// # Errors
    /// The errors of [`to_pem`](Self::to_pem).
    pub fn to_der(&self, passphrase: Option<&Passphrase>) -> Result<Zeroizing<Vec<u8>>> {
        asn1::write_private(Algorithm::Rsa, &self.to_bytes(), self.public_key().to_bytes(), passphrase)
    }

    /// A JSON Web Key (RFC 7518 section 6.3). A secret.
    ///
    /// # Panics
    /// Never: RSA has this form.
    #[must_use]
    pub fn to_jwk(&self) -> Zeroizing<String> {
        let jwk = jwk::write(Algorithm::Rsa, self.public_key().to_bytes(), Some(&self.to_bytes()));
        jwk.expect("rsa: RSA has a JWK")
    }
}

impl PublicKey {
    /// Reads a file with one key, in any form: `SubjectPublicKeyInfo` and PKCS#1 as PEM and DER; an X.509 certificate, of which
    /// nothing is verified; and a JWK.
    ///
    /// # Errors
    /// [`InvalidKey`](crate::Error::InvalidKey) for a damaged key, for a private key, and for keys that
    /// [`from_bytes`](Self::from_bytes) refuses; [`UnsupportedKey`](crate::Error::UnsupportedKey) for keys of other
    /// families.
    pub fn parse(file: impl AsRef<[u8]>) -> Result<Self> {
        parse_one(file.as_ref(), None)
    }

    /// `SubjectPublicKeyInfo` as PEM (RFC 5280, RFC 7468).
    #[must_use]
    pub fn to_pem(&self) -> String {
        std::mem::take(&mut *pem::write(pem::PUBLIC_KEY, &self.to_der()))
    }

    /// As [`to_pem`](Self::to_pem), as DER.
    ///
    /// # Panics
    /// Never: RSA has this form.
    #[must_use]
    pub fn to_der(&self) -> Vec<u8> {
        asn1::write_public(Algorithm::Rsa, self.to_bytes()).expect("rsa: RSA has DER")
    }

    /// A JSON Web Key (RFC 7518 section 6.3).
    ///
    /// # Panics
    /// Never: RSA has this form.
    #[must_use]
    pub fn to_jwk(&self) -> String {
        std::mem::take(&mut *jwk::write(Algorithm::Rsa, self.to_bytes(), None).expect("rsa: RSA has a JWK"))
    }
}

#[cfg(all(test, feature = "legacy", feature = "sign"))]
#[path = "rsa_tests.rs"]
mod tests;
