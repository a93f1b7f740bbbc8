//! The forms of signature keys.

use super::algorithm::Algorithm;
use super::parsed::{Half, Key, Parsed, Refusal, Use, Wanted, map_fault};
use super::reader::parse_one;
use super::{asn1, fingerprint, jwk, pem, ssh};
use crate::error::{Error, Result, UnsupportedKey};
use crate::hash::Sha256;
use crate::kdf::Work;
use crate::password::Passphrase;
use crate::sign::{Kind, PrivateKey, PublicKey, expand};
use base64ct::{Base64Unpadded, Encoding as _};
use zeroize::Zeroizing;

/// The algorithm of a kind in forms of keys.
fn algorithm(kind: Kind) -> Algorithm {
    match kind {
        Kind::Ed25519 => Algorithm::Ed25519,
        Kind::P256Sign => Algorithm::P256,
        Kind::P384Sign => Algorithm::P384,
        Kind::P521Sign => Algorithm::P521,
        Kind::Secp256k1 => Algorithm::Secp256k1,
        Kind::RsaSign => Algorithm::Rsa,
        Kind::MlDsa44 => Algorithm::MlDsa44,
        Kind::MlDsa65 => Algorithm::MlDsa65,
        Kind::MlDsa87 => Algorithm::MlDsa87,
        Kind::HybridSign => Algorithm::MlDsa65Ed25519,
        Kind::Hybrid44Sign => Algorithm::MlDsa44Ed25519,
        Kind::Sm2Sign => Algorithm::Sm2,
    }
}

pub(super) fn kind(of: Algorithm) -> Result<Kind, UnsupportedKey> {
    Kind::ALL.into_iter().find(|kind| algorithm(*kind) == of).ok_or(UnsupportedKey::OtherFamily)
}

impl Key for PrivateKey {
    const WANTED: Wanted = Wanted::new(Half::Private, Use::Signs, |algorithm| kind(algorithm).map(drop));

    fn from_parsed(parsed: Parsed) -> Result<Self, Refusal> {
        let kind = kind(parsed.algorithm)?;
        let key = map_fault(Self::from_bytes(kind, &parsed.bytes), parsed.wrong)?;
        let is_of_ssh = parsed.is_of_ssh;
        asn1::check_copies(parsed, key.public_key().to_bytes(), |seed| expand(kind, seed))?;
        Ok(if is_of_ssh { key.for_files_only() } else { key })
    }

    fn from_ssh(bytes: &[u8], passphrase: Option<&Passphrase>, work: &mut Work) -> Result<Parsed, Refusal> {
        // Keys of RSA do not sign files.
        let takes = |algorithm| match algorithm {
            Algorithm::Rsa => Err(UnsupportedKey::SshPrivate),
            _ => (Self::WANTED.takes)(algorithm),
        };
        ssh::read(bytes, takes, passphrase, work)
    }
}

impl Key for PublicKey {
    const WANTED: Wanted = Wanted::new(Half::Public, Use::Signs, |algorithm| kind(algorithm).map(drop));

    fn from_parsed(parsed: Parsed) -> Result<Self, Refusal> {
        map_fault(Self::from_bytes(kind(parsed.algorithm)?, &parsed.bytes), parsed.wrong)
    }

    fn is_comment(line: &[u8]) -> bool {
        ssh::is_comment(line)
    }

    fn from_line(line: &str) -> Result<Parsed, Refusal> {
        ssh::read_line(line, Self::WANTED.takes)
    }
}

impl PrivateKey {
    /// Reads a file with one key, in any form: PKCS#8, plain or encrypted, SEC1 and PKCS#1 as PEM and DER; a JWK; and a private
    /// key of OpenSSH, of Ed25519, ECDSA or `hybrid44-sign`. A key of P-256 or SM2 becomes a signature key.
    ///
    /// ```
    /// use sealstone::sign::{Kind, PrivateKey};
    ///
    /// let key = PrivateKey::generate(Kind::P384Sign)?;
    /// let read = PrivateKey::parse(&*key.to_pem(None)?, None)?;
    /// assert_eq!(read.public_key(), key.public_key());
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidKey`] for a damaged key, for a public key, and for a public key beside the private one that does not
    /// match it; [`Error::UnsupportedKey`] for keys of other families, and for keys of ML-DSA without their seed;
    /// [`Error::PassphraseRequired`]; [`Error::WrongPassphrase`]; [`Error::CostTooHigh`].
    ///
    /// # Security
    /// A private key of OpenSSH may be a login key. So it only [signs files](crate::signature).
    pub fn parse(file: impl AsRef<[u8]>, passphrase: Option<&Passphrase>) -> Result<Self> {
        parse_one(file.as_ref(), passphrase)
    }

    /// PKCS#8 as PEM, encrypted if there is a passphrase (format section 12.3). A secret.
    ///
    /// # Errors
    /// [`Error::NoRandomness`].
    pub fn to_pem(&self, passphrase: Option<&Passphrase>) -> Result<Zeroizing<String>> {
        Ok(pem::write_private(&self.to_der(passphrase)?, passphrase))
    }

    /// As [`to_pem`](Self::to_pem), for a key of ML-DSA, with the expanded key beside the seed (RFC 9881 section 6, the choice
    /// `both`). Use it for programs that do not accept a seed alone, such as the Rust edition of nkCryptoTool. Sealstone reads
    /// it like the other forms.
    ///
    /// ```
    /// use sealstone::sign::{Kind, PrivateKey};
    ///
    /// let key = PrivateKey::generate(Kind::MlDsa65)?;
    /// assert_eq!(PrivateKey::parse(&*key.to_expanded_pem(None)?, None)?.to_bytes(), key.to_bytes());
    /// let other = PrivateKey::generate(Kind::Ed25519)?;
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

    /// As [`to_pem`](Self::to_pem), as DER.
    ///
    /// # Errors
    /// The errors of [`to_pem`](Self::to_pem).
    pub fn to_der(&self, passphrase: Option<&Passphrase>) -> Result<Zeroizing<Vec<u8>>> {
        asn1::write_private(algorithm(self.kind()), &self.to_bytes(), self.public_key().to_bytes(), passphrase)
    }

    /// A JSON Web Key. A secret.
    ///
    /// # Errors
    /// [`Error::UnsupportedKey`] for hybrid keys and `sm2-sign`, which have no such form.
    pub fn to_jwk(&self) -> Result<Zeroizing<String>> {
        jwk::write(algorithm(self.kind()), self.public_key().to_bytes(), Some(&self.to_bytes())).map_err(no_jwk)
    }

    /// A private key of OpenSSH (openssh-key-v1), encrypted if there is a passphrase. A secret.
    ///
    /// # Errors
    /// [`Error::UnsupportedKey`] for all kinds but `ed25519`, `p256-sign`, `p384-sign`, `p521-sign` and `hybrid44-sign`;
    /// [`Error::NoRandomness`].
    pub fn to_ssh(&self, passphrase: Option<&Passphrase>) -> Result<Zeroizing<String>> {
        let public = self.public_key();
        let bytes = ssh::write(algorithm(self.kind()), &self.to_bytes(), public.to_bytes(), passphrase)?;
        Ok(pem::write(pem::SSH_PRIVATE_KEY, &bytes))
    }
}

impl PublicKey {
    /// Reads a file with one key, in any form: `SubjectPublicKeyInfo`, PKCS#1 and an X.509 certificate as PEM and DER; a JWK;
    /// and a line of SSH.
    ///
    /// ```
    /// use sealstone::sign::{Kind, PrivateKey, PublicKey};
    ///
    /// let key = PrivateKey::generate(Kind::MlDsa65)?.public_key();
    /// assert_eq!(PublicKey::parse(key.to_pem())?, key);
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidKey`] for a damaged key, and for a private key; [`Error::UnsupportedKey`] for keys of other families.
    ///
    /// # Security
    /// A certificate is read only for its key. Nothing in it is verified: no signature, issuer, date or key usage. Trust the key only if
    /// you would trust a bare key from the same place.
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
    /// Never: every kind has this form.
    #[must_use]
    pub fn to_der(&self) -> Vec<u8> {
        asn1::write_public(algorithm(self.kind()), self.to_bytes()).expect("sign: every kind has DER")
    }

    /// A JSON Web Key (RFC 7517, 7518, 8037, 8812, 9964).
    ///
    /// # Errors
    /// [`Error::UnsupportedKey`] for hybrid keys and `sm2-sign`, which have no such form.
    pub fn to_jwk(&self) -> Result<String> {
        let jwk = jwk::write(algorithm(self.kind()), self.to_bytes(), None);
        Ok(std::mem::take(&mut *jwk.map_err(no_jwk)?))
    }

    /// A line of SSH, as in `authorized_keys` and `allowed_signers`, without a line end. An empty comment is left out.
    ///
    /// ```
    /// use sealstone::sign::{Kind, PrivateKey, PublicKey};
    ///
    /// let key = PrivateKey::generate(Kind::Ed25519)?.public_key();
    /// let line = key.to_ssh("alice@example.org")?;
    /// assert!(line.starts_with("ssh-ed25519 AAAA") && line.ends_with(" alice@example.org"));
    /// assert_eq!(PublicKey::parse(line)?, key);
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::UnsupportedKey`] for `secp256k1`, which SSH does not have; [`Error::InvalidOption`] for a comment of several lines.
    pub fn to_ssh(&self, comment: &str) -> Result<String> {
        ssh::write_line(algorithm(self.kind()), self.to_bytes(), comment)
    }

    /// The blob of SSH, which lines of SSH have in base64, and signatures of SSH contain.
    ///
    /// # Errors
    /// [`Error::UnsupportedKey`] for `secp256k1`.
    pub fn to_ssh_bytes(&self) -> Result<Vec<u8>> {
        ssh::blob(algorithm(self.kind()), self.to_bytes())
    }

    /// Reads the blob of [`to_ssh_bytes`](Self::to_ssh_bytes).
    ///
    /// # Errors
    /// [`Error::InvalidKey`]; [`Error::UnsupportedKey`] for unknown names, such as those of certificates.
    pub fn from_ssh_bytes(bytes: &[u8]) -> Result<Self> {
        ssh::read_blob(bytes, Self::WANTED.takes).and_then(Self::from_parsed).map_err(Self::error)
    }

    /// The fingerprint as `ssh-keygen -l` shows it.
    ///
    /// # Errors
    /// [`Error::UnsupportedKey`] for `secp256k1`.
    pub fn ssh_fingerprint(&self) -> Result<String> {
        let hash = Sha256::of(&[&self.to_ssh_bytes()?]);
        Ok(format!("SHA256:{}", Base64Unpadded::encode_string(&hash[..])))
    }

    /// The fingerprint, short enough to compare by eye or on the telephone: `SHA256:` and the hexadecimal digits of SHA-256 over the
    /// kind's name, a zero byte and the key (format section 12.4).
    ///
    /// ```
    /// use sealstone::sign::{Kind, PrivateKey};
    ///
    /// let fingerprint = PrivateKey::generate(Kind::Ed25519)?.public_key().fingerprint();
    /// assert_eq!(fingerprint.len(), "SHA256:".len() + 64);
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    #[must_use]
    pub fn fingerprint(&self) -> String {
        fingerprint(self.kind().name(), self.to_bytes())
    }
}

/// Replaces an error about a missing JWK by that of this family.
fn no_jwk(_: Error) -> Error {
    UnsupportedKey::NoFormOfKind.into()
}

#[cfg(all(test, feature = "gm", feature = "interop", feature = "legacy"))]
#[path = "sign_tests.rs"]
mod tests;
