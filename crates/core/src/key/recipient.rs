use super::file::parse_one;
use super::identity::{NO_HEX, decode_digits, is_digits};
use super::{Kind, SymmetricKey, asn1, hrp, jwk, kem_of, kind_of, pem};
use crate::encoding::{decode_bech32, encode_bech32, encode_hex};
use crate::error::{Error, Result};
use crate::hash::Sha256;
use crate::kem::hpke::{Kem, PublicKey};
use crate::mac;
use crate::password::Passphrase;
use crate::sm2;
use std::fmt;
use std::str::FromStr;

/// To whom a file is encrypted: a public key, or a secret that both sides have.
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
    Kem(Kem, PublicKey),
    Sm2(sm2::PublicKey),
    Key(SymmetricKey),
    Passphrase(Passphrase),
}

impl Recipient {
    /// The kind of stanza this recipient gets.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self.0 {
            Public::Kem(kem, _) => kind_of(kem),
            Public::Sm2(_) => Kind::Sm2,
            Public::Key(_) => Kind::Key,
            Public::Passphrase(_) => Kind::Passphrase,
        }
    }

    /// The fingerprint of a public key, short enough to compare by eye or on the telephone: `SHA256:` and the hexadecimal
    /// digits of SHA-256 over the kind's name, a zero byte and the key (format section 12.4). `None` for secrets that
    /// both sides have, whose fingerprint would help to guess them.
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
        let hash = Sha256::of(&[self.kind().name().as_bytes(), b"\0", &self.public_bytes()?]);
        Some(format!("SHA256:{}", encode_hex(&hash[..])))
    }

    /// Whether both stand for one key, whatever forms they were read from; of two passphrases it is not said.
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
            _ => {
                self.kind() == other.kind()
                    && self.public_bytes().is_some_and(|key| other.public_bytes().as_ref() == Some(&key))
            }
        }
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

    /// As [`to_pem`](Self::to_pem), without the text around it (DER).
    ///
    /// # Errors
    /// Those of [`to_pem`](Self::to_pem).
    pub fn to_der(&self) -> Result<Vec<u8>> {
        asn1::write_recipient(self.kind(), &self.public_bytes().ok_or(asn1::NO_FORM)?)
    }

    /// A JSON Web Key (RFC 7517, RFC 7518 section 6.2, RFC 8037).
    ///
    /// # Errors
    /// [`Error::UnsupportedKey`] for all kinds except `p256` and `x25519`.
    pub fn to_jwk(&self) -> Result<String> {
        let public = self.public_bytes().ok_or(jwk::NO_FORM)?;
        Ok(std::mem::take(&mut *jwk::write(self.kind(), &public, None)?))
    }

    /// The key itself, to verify with and for ciphertexts of other systems; `None` of other kinds.
    ///
    /// ```
    /// use sealstone::{Identity, Kind};
    ///
    /// assert!(Identity::generate(Kind::Sm2)?.recipient().as_sm2().is_some());
    /// assert!(Identity::generate(Kind::P256)?.recipient().as_sm2().is_none());
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    #[must_use]
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
        let Public::Sm2(key) = &self.0 else { return Err(NO_HEX) };
        Ok(base16ct::lower::encode_string(&key.to_bytes()))
    }

    /// The public key; `None` of secrets that both sides have.
    fn public_bytes(&self) -> Option<Vec<u8>> {
        match &self.0 {
            Public::Kem(_, key) => Some(key.to_bytes()),
            Public::Sm2(key) => Some(key.to_bytes().to_vec()),
            Public::Key(_) | Public::Passphrase(_) => None,
        }
    }

    /// `None` for what is no public key of its kind.
    pub(super) fn from_bytes(kind: Kind, bytes: &[u8]) -> Option<Self> {
        let Some(kem) = kem_of(kind) else { return sm2::PublicKey::from_bytes(bytes).ok().map(Self::from) };
        Some(Self(Public::Kem(kem, PublicKey::from_bytes(kem, bytes)?)))
    }

    /// Whether a quantum computer could not find the file key: `Some(false)` for classical public keys, `None` for
    /// symmetric keys and passphrases, which go with both (format section 4, "Mixing").
    pub(crate) fn is_post_quantum(&self) -> Option<bool> {
        match self.kind() {
            Kind::Hybrid | Kind::MlKem768 => Some(true),
            Kind::X25519 | Kind::P256 | Kind::Sm2 => Some(false),
            Kind::Key | Kind::Passphrase => None,
        }
    }
}

impl From<sm2::PublicKey> for Recipient {
    fn from(key: sm2::PublicKey) -> Self {
        Self(Public::Sm2(key))
    }
}

impl From<SymmetricKey> for Recipient {
    fn from(key: SymmetricKey) -> Self {
        Self(Public::Key(key))
    }
}

impl From<Passphrase> for Recipient {
    fn from(passphrase: Passphrase) -> Self {
        Self(Public::Passphrase(passphrase))
    }
}

impl Recipient {
    /// Reads a string, and no other form.
    pub(super) fn from_string(text: &str) -> Result<Self> {
        let kind = if text.starts_with("age1pq1") {
            Kind::Hybrid
        } else if text.starts_with("age1") {
            Kind::X25519
        } else if is_digits(text) {
            return from_digits(text);
        } else if is_secret(text) || text.starts_with("SEALSTONE-KEY-") {
            return Err(Error::InvalidRecipient("this is a secret key; a recipient begins with age1"));
        } else {
            return Err(Error::InvalidRecipient("a recipient begins with age1 or age1pq1, or is PEM, DER or JWK"));
        };
        let (hrp, _) = hrp(kind).expect("recipient: the kind has strings");
        let data =
            decode_bech32(hrp, text).ok_or(Error::InvalidRecipient("a character is wrong, missing or too many"))?;
        if kem_of(kind).is_none_or(|kem| data.len() != kem.public_len()) {
            return Err(Error::InvalidRecipient("the key has the wrong length"));
        }
        Self::from_bytes(kind, &data).ok_or(Error::InvalidRecipient("the key is not a valid public key of its kind"))
    }
}

fn from_digits(text: &str) -> Result<Recipient> {
    match decode_digits(text).as_deref().map(Vec::as_slice) {
        Some(key) if key.len() == sm2::PRIVATE_KEY_LEN => {
            Err(Error::InvalidRecipient("this is a private key in hexadecimal digits; a public one has 128 or 130"))
        }
        Some([2 | 3, x @ ..]) if x.len() == 32 => {
            Err(Error::InvalidRecipient("the SM2 point is compressed: only whole ones are read, 128 or 130 digits"))
        }
        Some(key) => sm2::PublicKey::from_bytes(key).map(Recipient::from).map_err(|error| match error {
            Error::InvalidKey(why) => Error::InvalidRecipient(why),
            _ => Error::InvalidRecipient(WRONG_DIGITS),
        }),
        None => Err(Error::InvalidRecipient(WRONG_DIGITS)),
    }
}

const WRONG_DIGITS: &str = "an SM2 public key has 128 hexadecimal digits, or 130 with 04 before them";

/// Reads the text form: a string, or one block of PEM; a JWK, or the digits of an `sm2` key, as well.
impl FromStr for Recipient {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.starts_with(pem::BEGIN) || text.trim_start().starts_with('{') {
            return parse_one(text);
        }
        Self::from_string(text)
    }
}

/// The text form, without a line end behind it; for a secret that both sides have only its kind, in angle brackets.
impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Public::Kem(_, key) if let Some((hrp, _)) = hrp(self.kind()) => {
                f.write_str(&encode_bech32(hrp, &key.to_bytes()))
            }
            Public::Kem(..) | Public::Sm2(_) => {
                f.write_str(self.to_pem().expect("recipient: what has no string has PEM").trim_end())
            }
            Public::Key(_) | Public::Passphrase(_) => write!(f, "<{}>", self.kind()),
        }
    }
}

impl fmt::Debug for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recipient({self})")
    }
}

/// Whether a text has the mark of a secret key, in any case; it is not copied.
fn is_secret(text: &str) -> bool {
    const MARK: &[u8] = b"SECRET-KEY-";
    text.as_bytes().windows(MARK.len()).any(|part| part.eq_ignore_ascii_case(MARK))
}
