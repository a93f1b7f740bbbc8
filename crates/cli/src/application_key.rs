//! Application keys: ML-KEM-512 and 1024, ML-DSA-44 and 87. Applications and nkCryptoTool take these kinds, and Sealstone files do
//! not. Private keys include their seeds.

use crate::keys::{NKCS_ONLY_KINDS, NKCT_ONLY_KINDS};
use sealstone::interop::nkct;
use sealstone::interop::nkkb::Fingerprint;
use sealstone::{Error, KeyForm, Passphrase, Result, UnsupportedKey, exchange, sign};
use zeroize::Zeroizing;

/// The form to write a key in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToForm {
    Key(KeyForm),
    /// An OpenSSH private key, or a line with an SSH public key.
    Ssh,
    /// PEM with the seed and the expanded key.
    Expanded,
}

impl std::fmt::Display for ToForm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Key(form) => write!(f, "{form}"),
            Self::Ssh => f.write_str("ssh"),
            Self::Expanded => f.write_str("expanded"),
        }
    }
}

/// A public or private application key.
pub(crate) struct ApplicationKey {
    private: Option<Private>,
    public: Public,
    /// The form of the file that the key was read from.
    form: KeyForm,
    /// The passphrase of that file, if it is encrypted.
    passphrase: Option<Passphrase>,
}

enum Private {
    Encapsulates(exchange::PrivateKey),
    Signs(sign::PrivateKey),
}

enum Public {
    Encapsulates(exchange::PublicKey),
    Signs(sign::PublicKey),
}

impl From<exchange::PrivateKey> for ApplicationKey {
    fn from(key: exchange::PrivateKey) -> Self {
        let public = Public::Encapsulates(key.public_key());
        Self { private: Some(Private::Encapsulates(key)), public, form: KeyForm::Pem, passphrase: None }
    }
}

impl From<sign::PrivateKey> for ApplicationKey {
    fn from(key: sign::PrivateKey) -> Self {
        let public = Public::Signs(key.public_key());
        Self { private: Some(Private::Signs(key)), public, form: KeyForm::Pem, passphrase: None }
    }
}

impl ApplicationKey {
    /// Parses a file with one application key. `None` for other kinds, damaged keys, and keys that this passphrase does not open.
    pub(crate) fn of(file: &[u8], passphrase: Option<&Passphrase>) -> Option<Self> {
        let public = |public| Self { private: None, public, form: KeyForm::Pem, passphrase: None };
        let key = if let Ok(key) = exchange::PrivateKey::parse(file, passphrase) {
            Self::from(key)
        } else if let Ok(key) = sign::PrivateKey::parse(file, passphrase) {
            Self::from(key)
        } else if let Ok(key) = exchange::PublicKey::parse(file) {
            public(Public::Encapsulates(key))
        } else {
            public(Public::Signs(sign::PublicKey::parse(file).ok()?))
        };
        let is_one = match &key.public {
            Public::Encapsulates(key) => NKCT_ONLY_KINDS.contains(&key.kind()),
            Public::Signs(key) => NKCS_ONLY_KINDS.contains(&key.kind()),
        };
        let form = KeyForm::of(file).expect("application_key: a file that was read has a form");
        is_one.then(|| Self { form, passphrase: passphrase.cloned(), ..key })
    }

    /// The name of the key's kind.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.public {
            Public::Encapsulates(key) => key.kind().name(),
            Public::Signs(key) => key.kind().name(),
        }
    }

    pub(crate) fn can_sign(&self) -> bool {
        matches!(self.public, Public::Signs(_))
    }

    pub(crate) fn is_secret(&self) -> bool {
        self.private.is_some()
    }

    pub(crate) fn form(&self) -> ToForm {
        ToForm::Key(self.form)
    }

    pub(crate) fn is_protected(&self) -> bool {
        self.passphrase.is_some()
    }

    pub(crate) fn fingerprint(&self) -> String {
        match &self.public {
            Public::Encapsulates(key) => key.fingerprint(),
            Public::Signs(key) => key.fingerprint(),
        }
    }

    /// nkCryptoTool's fingerprint of a signing key; `None` for other keys.
    pub(crate) fn nkct_fingerprint(&self) -> Option<Fingerprint> {
        match &self.public {
            Public::Encapsulates(_) => None,
            Public::Signs(key) => Fingerprint::of(key),
        }
    }

    /// The key as a recipient of nkCryptoTool files.
    pub(crate) fn nkct_recipient(&self) -> Result<nkct::Recipient> {
        match &self.public {
            Public::Encapsulates(key) => key.clone().try_into(),
            Public::Signs(_) => Err(UnsupportedKey::OtherFamily.into()),
        }
    }

    /// The public key as PEM.
    pub(crate) fn public_pem(&self) -> String {
        match &self.public {
            Public::Encapsulates(key) => key.to_pem().expect("application_key: ML-KEM has PEM"),
            Public::Signs(key) => key.to_pem(),
        }
    }

    /// The public key in this form, as the content of a file.
    pub(crate) fn public(&self, form: ToForm) -> Result<Zeroizing<Vec<u8>>> {
        let content = match (&self.public, form) {
            (_, ToForm::Key(KeyForm::Pem)) => self.public_pem().into_bytes(),
            (Public::Encapsulates(key), ToForm::Key(KeyForm::Der)) => key.to_der()?,
            (Public::Signs(key), ToForm::Key(KeyForm::Der)) => key.to_der(),
            (Public::Signs(key), ToForm::Key(KeyForm::Jwk)) => format!("{}\n", key.to_jwk()?).into_bytes(),
            _ => return Err(UnsupportedKey::NoFormOfKind.into()),
        };
        Ok(Zeroizing::new(content))
    }

    /// The private key in a form, encrypted if there is a passphrase, as the content of a file.
    ///
    /// # Panics
    /// If the key is public.
    pub(crate) fn private(&self, form: ToForm, passphrase: Option<&Passphrase>) -> Result<Zeroizing<Vec<u8>>> {
        let bytes = |text: Zeroizing<String>| Zeroizing::new(text.as_bytes().to_vec());
        match (self.private.as_ref().expect("application_key: the key is private"), form) {
            (Private::Encapsulates(key), ToForm::Key(KeyForm::Pem)) => key.to_pem(passphrase).map(bytes),
            (Private::Signs(key), ToForm::Key(KeyForm::Pem)) => key.to_pem(passphrase).map(bytes),
            (Private::Encapsulates(key), ToForm::Key(KeyForm::Der)) => key.to_der(passphrase),
            (Private::Signs(key), ToForm::Key(KeyForm::Der)) => key.to_der(passphrase),
            (Private::Encapsulates(key), ToForm::Expanded) => key.to_expanded_pem(passphrase).map(bytes),
            (Private::Signs(key), ToForm::Expanded) => key.to_expanded_pem(passphrase).map(bytes),
            _ => Err(Error::from(UnsupportedKey::NoFormOfKind)),
        }
    }

    /// The commands that take this kind, as a text for people.
    pub(crate) fn takers(&self) -> &'static str {
        if self.can_sign() {
            "this kind is for nkCryptoTool signatures (sign --format nkcs, verify-sig) and applications; Sealstone signatures use ml-dsa-65"
        } else {
            "this kind is for nkCryptoTool files (encrypt --format nkct, decrypt) and applications; Sealstone files use ml-kem-768"
        }
    }
}
