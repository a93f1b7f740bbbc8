use super::kind::Scheme;
use super::parsed::{Half, INVALID_PUBLIC_KEY, Key, Parsed, Refusal, Use, WRONG_LENGTH, Wanted};
use super::reader::parse_one;
use super::{KeyForm, Kind, SymmetricKey, asn1, digits, fingerprint, jwk, pem, string};
use crate::encoding::encode_bech32;
use crate::error::{Error, Result, UnsupportedKey};
use crate::kem::hpke::PublicKey;
use crate::mac;
use crate::password::Passphrase;
use crate::plugin::{self, FileRecipient};
use crate::sm2;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// A recipient of files: a public key, a symmetric key or a passphrase.
///
/// The text form of `hybrid` and `x25519` keys is age's, `age1pq1…` and `age1…`, that of `p256`, `ml-kem-768` and `sm2`
/// keys is PEM.
///
/// ```
/// use sealstone::{Identity, Kind, Recipient};
///
/// let recipient = Identity::generate(Kind::X25519)?.recipient();
/// let text = recipient.to_string();
/// assert_eq!(text.parse::<Recipient>()?.to_string(), text);
/// assert_eq!("age1nonsense".parse::<Recipient>().unwrap_err().code(), "invalid_recipient");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone)]
pub struct Recipient(pub(crate) Public);

#[derive(Clone)]
pub(crate) enum Public {
    Kem(Kind, PublicKey),
    Sm2(sm2::PublicKey),
    Key(SymmetricKey),
    Passphrase(Passphrase),
    Plugin(Arc<dyn FileRecipient>),
}

impl Recipient {
    pub(crate) fn passphrase(&self) -> Option<&Passphrase> {
        match &self.0 {
            Public::Passphrase(passphrase) => Some(passphrase),
            _ => None,
        }
    }

    /// The kind of stanzas of this recipient.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self.0 {
            Public::Kem(kind, _) => kind,
            Public::Sm2(_) => Kind::Sm2,
            Public::Key(_) => Kind::Key,
            Public::Passphrase(_) => Kind::Passphrase,
            Public::Plugin(_) => Kind::Plugin,
        }
    }

    /// The fingerprint of a public key, short enough to compare by eye or on the telephone: `SHA256:` and the hexadecimal
    /// digits of SHA-256 over the kind's name, a zero byte and the key (format section 12.4). `None` for symmetric keys and
    /// passphrases, whose fingerprints would help to guess them, and for plugins.
    ///
    /// ```
    /// use sealstone::Recipient;
    ///
    /// let text = "age13aqvttdk3ujkyjh9kg2w5an6dmy5mq5a84a4uxk3hfhnugfc9p0sy5p2wh";
    /// let fingerprint = text.parse::<Recipient>()?.fingerprint().expect("it is a public key");
    /// assert_eq!(fingerprint.len(), "SHA256:".len() + 64);
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    #[must_use]
    pub fn fingerprint(&self) -> Option<String> {
        Some(fingerprint(self.kind().name(), &self.to_bytes()?))
    }

    /// Whether both are the same key, in whatever form they were read. Two passphrases are never compared, and the result is
    /// `false`.
    ///
    /// ```
    /// use sealstone::{Identity, Kind, parse_recipients};
    ///
    /// let recipient = Identity::generate(Kind::X25519)?.recipient();
    /// let pem = parse_recipients(recipient.to_pem()?.as_bytes()).unwrap();
    /// assert!(pem[0].is_same(&recipient));
    /// assert!(!Identity::generate(Kind::X25519)?.recipient().is_same(&recipient));
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Public::Key(one), Public::Key(other)) => mac::equal(one.as_bytes(), other.as_bytes()),
            (Public::Plugin(one), Public::Plugin(other)) => one.is_same(&**other),
            _ => {
                self.kind() == other.kind()
                    && self.to_bytes().is_some_and(|key| other.to_bytes().as_ref() == Some(&key))
            }
        }
    }

    /// The string, which is the text form of some kinds; `None` for the other kinds.
    ///
    /// ```
    /// use sealstone::{Identity, Kind};
    ///
    /// assert!(Identity::generate(Kind::X25519)?.recipient().to_bech32().is_some_and(|text| text.starts_with("age1")));
    /// assert!(Identity::generate(Kind::P256)?.recipient().to_bech32().is_none());
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    #[must_use]
    pub fn to_bech32(&self) -> Option<String> {
        let Public::Kem(kind, key) = &self.0 else { return None };
        Some(std::mem::take(&mut *encode_bech32(kind.row().strings.as_ref()?.recipient?, &key.to_bytes())))
    }

    /// `SubjectPublicKeyInfo` as PEM (RFC 5280, RFC 7468).
    ///
    /// ```
    /// use sealstone::{Identity, Kind, parse_recipients};
    ///
    /// let recipient = Identity::generate(Kind::MlKem768)?.recipient();
    /// let pem = recipient.to_pem()?;
    /// assert!(pem.starts_with("-----BEGIN PUBLIC KEY-----\n"));
    /// assert_eq!(parse_recipients(pem.as_bytes()).unwrap()[0].fingerprint(), recipient.fingerprint());
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::UnsupportedKey`] for `hybrid` and symmetric keys and passphrases, which have no such form.
    pub fn to_pem(&self) -> Result<String> {
        Ok(std::mem::take(&mut *pem::write(pem::PUBLIC_KEY, &self.to_der()?)))
    }

    /// As [`to_pem`](Self::to_pem), as DER.
    ///
    /// # Errors
    /// The errors of [`to_pem`](Self::to_pem).
    pub fn to_der(&self) -> Result<Vec<u8>> {
        let algorithm = self.kind().algorithm().ok_or(UnsupportedKey::NoPem)?;
        asn1::write_public(algorithm, &self.to_bytes().ok_or(UnsupportedKey::NoPem)?)
    }

    /// A JSON Web Key (RFC 7517, RFC 7518 section 6.2, RFC 8037).
    ///
    /// # Errors
    /// [`Error::UnsupportedKey`] for all kinds except `p256` and `x25519`.
    pub fn to_jwk(&self) -> Result<String> {
        let public = self.to_bytes().ok_or(UnsupportedKey::NoJwk)?;
        let algorithm = self.kind().algorithm().ok_or(UnsupportedKey::NoJwk)?;
        Ok(std::mem::take(&mut *jwk::write(algorithm, &public, None)?))
    }

    /// The public key of SM2, for signatures and for ciphertexts of other systems; `None` for other kinds.
    ///
    /// ```
    /// use sealstone::{Identity, Kind};
    ///
    /// assert!(Identity::generate(Kind::Sm2)?.recipient().as_sm2().is_some());
    /// assert!(Identity::generate(Kind::P256)?.recipient().as_sm2().is_none());
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    #[must_use]
    #[cfg(feature = "gm")]
    pub fn as_sm2(&self) -> Option<&sm2::PublicKey> {
        if let Public::Sm2(key) = &self.0 { Some(key) } else { None }
    }

    /// 04 and the two coordinates as 130 hexadecimal digits, as in `sm-crypto`.
    ///
    /// ```
    /// use sealstone::{Identity, Kind, Recipient};
    ///
    /// let recipient = Identity::generate(Kind::Sm2)?.recipient();
    /// let digits = recipient.to_hex()?;
    /// assert_eq!(digits.len(), 130);
    /// for digits in [&digits[..], &digits[2..]] {
    ///     assert_eq!(digits.parse::<Recipient>()?.fingerprint(), recipient.fingerprint());
    /// }
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::UnsupportedKey`] for all kinds except `sm2`.
    pub fn to_hex(&self) -> Result<String> {
        let key = self.to_bytes().filter(|_| self.kind().has_form(KeyForm::Hex));
        Ok(std::mem::take(&mut *digits::write(&key.ok_or(UnsupportedKey::NoDigits)?)))
    }

    /// The bytes of the public key; `None` for symmetric keys, passphrases and plugins.
    ///
    /// ```
    /// use sealstone::{Identity, Kind, Recipient};
    ///
    /// let recipient = Identity::generate(Kind::P256)?.recipient();
    /// let bytes = recipient.to_bytes().expect("it is a public key");
    /// assert!(Recipient::from_bytes(Kind::P256, &bytes)?.is_same(&recipient));
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    #[must_use]
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        match &self.0 {
            Public::Kem(_, key) => Some(key.to_bytes()),
            Public::Sm2(key) => Some(key.to_bytes().to_vec()),
            Public::Key(_) | Public::Passphrase(_) | Public::Plugin(_) => None,
        }
    }

    /// Makes a recipient from the bytes of [`to_bytes`](Self::to_bytes).
    ///
    /// # Errors
    /// [`Error::InvalidRecipient`] for bytes that are not a public key of the kind.
    pub fn from_bytes(kind: Kind, bytes: &[u8]) -> Result<Self> {
        kind.check()?;
        Self::of_bytes(kind, bytes).ok_or(Error::InvalidRecipient(INVALID_PUBLIC_KEY))
    }

    /// As [`from_bytes`](Self::from_bytes); `None` for invalid bytes.
    fn of_bytes(kind: Kind, bytes: &[u8]) -> Option<Self> {
        match kind.scheme() {
            Scheme::Kem(kem) => Some(Self(Public::Kem(kind, PublicKey::from_bytes(kem, bytes)?))),
            Scheme::Sm2 => sm2::PublicKey::from_bytes(bytes).ok().map(Self::from),
            Scheme::Key | Scheme::Passphrase | Scheme::Plugin => None,
        }
    }
}

impl Key for Recipient {
    const WANTED: Wanted =
        Wanted::new(Half::Public, Use::Encrypts, |algorithm| Kind::of_algorithm(algorithm).map(drop));

    fn from_parsed(parsed: Parsed) -> Result<Self, Refusal> {
        let kind = Kind::of_algorithm(parsed.algorithm)?;
        if kind.public_len().is_some_and(|len| parsed.bytes.len() != len) {
            return Err(WRONG_LENGTH.into());
        }
        Ok(Self::of_bytes(kind, &parsed.bytes).ok_or(parsed.wrong)?)
    }

    fn error(refusal: Refusal) -> Error {
        match refusal {
            Refusal::Invalid(fault) => Error::InvalidRecipient(fault),
            Refusal::Other(error) => error,
        }
    }

    fn from_line(line: &str) -> Result<Parsed, Refusal> {
        string::read(line, Half::Public)
    }
}

conversions! {
    Recipient:
    sm2::PublicKey => |key| Recipient(Public::Sm2(key));
    SymmetricKey => |key| Recipient(Public::Key(key));
    Passphrase => |passphrase| Recipient(Public::Passphrase(passphrase));
    plugin::Recipient => |recipient| Recipient(Public::Plugin(Arc::new(recipient)));
}

/// Reads the text form: a string, or one block of PEM. It also reads a JWK, and the digits of an `sm2` key.
impl FromStr for Recipient {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.starts_with(pem::BEGIN) || text.trim_start().starts_with('{') {
            return parse_one(text.as_bytes(), None);
        }
        Self::read_line(text).map_err(Self::error)
    }
}

/// The text form, without a line end behind it. For a symmetric key or a passphrase, it is only the kind in angle brackets, and
/// for a plugin the kind and the plugin's name.
impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Public::Key(_) | Public::Passphrase(_) => write!(f, "<{}>", self.kind()),
            Public::Plugin(recipient) => write!(f, "<{} {}>", self.kind(), recipient.recipient().name()),
            _ => match self.to_bech32() {
                Some(text) => f.write_str(&text),
                None => f.write_str(self.to_pem().expect("recipient: what has no string has PEM").trim_end()),
            },
        }
    }
}

debug!(|recipient: Recipient| "Recipient({recipient})");
