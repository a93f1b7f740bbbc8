//! Recipients and identities of files, and the secrets that a header shares with keys.

use super::header::{Keys, kem_of};
use crate::error::{Error, RecipientsRule, Result, UnsupportedKey};
use crate::exchange;
use crate::key::{self, KeyFileError, Public, Secret, nkct};
use crate::password::Passphrase;
use zeroize::Zeroizing;

/// A private key that opens files, of P-256 or of ML-KEM-512, 768 or 1024. A hybrid file needs two, one of each.
///
/// ```
/// use sealstone::exchange::{Kind, PrivateKey};
/// use sealstone::interop::nkct::{Decryptor, Encryptor, Identity};
///
/// let identity = Identity::try_from(PrivateKey::generate(Kind::MlKem1024)?)?;
/// let sealed = Encryptor::new([identity.recipient()]).encrypt(b"attack at dawn")?;
/// assert_eq!(Decryptor::new([identity]).decrypt(&sealed)?, b"attack at dawn");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone)]
pub struct Identity(pub(super) nkct::PrivateKey);

impl Identity {
    /// Reads the private keys of a file, in each form that nkCryptoTool's editions wrote: PKCS#8, encrypted PKCS#8 and SEC1,
    /// under any label of private keys. For ML-KEM, the file may hold the seed, the expanded key, or both.
    ///
    /// A key without its seed opens only files of nkCryptoTool, because Sealstone's own forms of keys need the seed.
    ///
    /// ```no_run
    /// use sealstone::interop::nkct::Identity;
    ///
    /// let identities = Identity::parse(std::fs::read("private_enc_pqc.key")?, None)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The error of the first key that cannot be read, with its line: [`Error::InvalidIdentity`]; [`Error::UnsupportedKey`] for
    /// other kinds of keys, and for a key wrapped by a TPM; [`Error::PassphraseRequired`]; [`Error::WrongPassphrase`];
    /// [`Error::CostTooHigh`].
    pub fn parse(file: impl AsRef<[u8]>, passphrase: Option<&Passphrase>) -> Result<Vec<Self>, KeyFileError> {
        Ok(nkct::PrivateKey::parse(file.as_ref(), passphrase)?.into_iter().map(Self).collect())
    }

    /// The kind of the key: P-256, or ML-KEM of one size.
    #[must_use]
    pub fn kind(&self) -> exchange::Kind {
        self.0.public_key().kind()
    }

    /// The recipient of this identity.
    #[must_use]
    pub fn recipient(&self) -> Recipient {
        Recipient(self.0.public_key())
    }
}

impl TryFrom<crate::Identity> for Identity {
    type Error = Error;

    fn try_from(identity: crate::Identity) -> Result<Self> {
        match (&identity.0, kind_of(identity.kind())) {
            (Secret::Kem { bytes, .. }, Some(kind)) => exchange::PrivateKey::from_bytes(kind, bytes)?.try_into(),
            _ => Err(UnsupportedKey::OtherFamily.into()),
        }
    }
}

impl TryFrom<exchange::PrivateKey> for Identity {
    type Error = Error;

    fn try_from(key: exchange::PrivateKey) -> Result<Self> {
        if is_supported(key.kind()) {
            Ok(Self(nkct::PrivateKey::Whole(key)))
        } else {
            Err(UnsupportedKey::OtherFamily.into())
        }
    }
}

debug!(|identity: Identity| "Identity({}, ..)", identity.kind());

/// A public key that files are encrypted to, of P-256 or of ML-KEM-512, 768 or 1024.
///
/// ```
/// use sealstone::exchange::{Kind, PrivateKey};
/// use sealstone::interop::nkct::Recipient;
///
/// let pem = PrivateKey::generate(Kind::MlKem512)?.public_key().to_pem()?;
/// assert_eq!(Recipient::parse(pem).unwrap()[0].kind(), Kind::MlKem512);
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone)]
pub struct Recipient(pub(super) exchange::PublicKey);

impl Recipient {
    /// Reads the public keys of a file: `SubjectPublicKeyInfo` as PEM or DER, as nkCryptoTool writes it.
    ///
    /// # Errors
    /// The error of the first key that cannot be read, with its line: [`Error::InvalidRecipient`], also for a private key;
    /// [`Error::UnsupportedKey`] for other kinds of keys.
    pub fn parse(file: impl AsRef<[u8]>) -> Result<Vec<Self>, KeyFileError> {
        Ok(nkct::PublicKey::parse(file.as_ref())?.into_iter().map(|key| Self(key.0)).collect())
    }

    /// The kind of the key: P-256, or ML-KEM of one size.
    #[must_use]
    pub fn kind(&self) -> exchange::Kind {
        self.0.kind()
    }

    /// The public key.
    #[must_use]
    pub fn key(&self) -> &exchange::PublicKey {
        &self.0
    }
}

impl TryFrom<crate::Recipient> for Recipient {
    type Error = Error;

    fn try_from(recipient: crate::Recipient) -> Result<Self> {
        match (&recipient.0, kind_of(recipient.kind())) {
            (Public::Kem(_, key), Some(kind)) => exchange::PublicKey::from_bytes(kind, &key.to_bytes())?.try_into(),
            _ => Err(UnsupportedKey::OtherFamily.into()),
        }
    }
}

impl TryFrom<exchange::PublicKey> for Recipient {
    type Error = Error;

    fn try_from(key: exchange::PublicKey) -> Result<Self> {
        if is_supported(key.kind()) { Ok(Self(key)) } else { Err(UnsupportedKey::OtherFamily.into()) }
    }
}

debug!(|recipient: Recipient| "Recipient({})", recipient.kind());

fn is_supported(kind: exchange::Kind) -> bool {
    use exchange::Kind::{MlKem512, MlKem768, MlKem1024, P256};
    matches!(kind, P256 | MlKem512 | MlKem768 | MlKem1024)
}

/// The kind in this format of a key of Sealstone.
fn kind_of(kind: key::Kind) -> Option<exchange::Kind> {
    match kind {
        key::Kind::P256 => Some(exchange::Kind::P256),
        key::Kind::MlKem768 => Some(exchange::Kind::MlKem768),
        _ => None,
    }
}

/// The secrets to derive the file's key from, for each identity of the file's kinds, or for each pair of them. The file does
/// not tell which one is right.
pub(super) fn secrets(identities: &[Identity], keys: &Keys) -> Result<Vec<Zeroizing<Vec<u8>>>> {
    let agreed = |point: &exchange::PublicKey| -> Vec<_> {
        identities.iter().filter_map(|identity| identity.0.agree(point)).collect()
    };
    let decapsulated = |ciphertext: &[u8]| -> Vec<_> {
        let of_its_kind = identities.iter().filter(|identity| Some(identity.kind()) == kem_of(ciphertext.len()));
        of_its_kind.filter_map(|identity| identity.0.decapsulate(ciphertext)).collect()
    };
    let secrets: Vec<_> = match keys {
        Keys::Point(point) => agreed(point),
        Keys::Ciphertext(ciphertext) => {
            decapsulated(ciphertext).iter().map(|secret| Zeroizing::new(secret.to_vec())).collect()
        }
        Keys::Both { point, ciphertext, ciphertext_first } => {
            let (agreed, decapsulated) = (agreed(point), decapsulated(ciphertext));
            let pairs =
                agreed.iter().flat_map(|agreed| decapsulated.iter().map(move |other| (&agreed[..], &other[..])));
            let join = |(agreed, other)| if *ciphertext_first { concat(other, agreed) } else { concat(agreed, other) };
            pairs.map(join).collect()
        }
    };
    if secrets.is_empty() { Err(Error::NoMatchingIdentity) } else { Ok(secrets) }
}

/// Concatenates two secrets.
pub(super) fn concat(first: &[u8], second: &[u8]) -> Zeroizing<Vec<u8>> {
    let mut joined = Zeroizing::new(Vec::with_capacity(first.len() + second.len()));
    joined.extend_from_slice(first);
    joined.extend_from_slice(second);
    joined
}

/// Splits the keys of one recipient into the key of P-256 and the key of ML-KEM. There is one of them, or one of each.
pub(super) fn split_keys(recipients: &[Recipient]) -> Result<(Option<&Recipient>, Option<&Recipient>)> {
    let is_point = |recipient: &&Recipient| recipient.kind() == exchange::Kind::P256;
    let (points, others): (Vec<_>, Vec<_>) = recipients.iter().partition(is_point);
    match (&points[..], &others[..]) {
        ([], []) => Err(Error::InvalidRecipients(RecipientsRule::AtLeastOne)),
        ([_, _, ..], _) | (_, [_, _, ..]) => Err(Error::InvalidRecipients(RecipientsRule::NkctKeys)),
        _ => Ok((points.first().copied(), others.first().copied())),
    }
}
