use super::kind::Scheme;
use super::parsed::{Half, Key, NO_PRIVATE_KEY, Parsed, Refusal, Use, WRONG_LENGTH, Wanted};
use super::reader::parse_one;
use super::{KeyForm, Kind, Public, Recipient, SymmetricKey, asn1, digits, jwk, pem, string};
use crate::encoding::encode_bech32;
use crate::error::{Error, KeyFault, Result, UnsupportedKey};
use crate::kem::hpke::PrivateKey;
use crate::kem::ml_kem::{Size as _, Size768};
use crate::mac;
use crate::password::Passphrase;
use crate::plugin::{self, FileIdentity};
use crate::random;
use crate::sm2;
use std::str::FromStr;
use std::sync::Arc;
use zeroize::Zeroizing;

/// A secret that opens files: a private key, a symmetric key or a passphrase.
///
/// The text form of `hybrid` and `x25519` keys is age's, `AGE-SECRET-KEY-PQ-1…` and `AGE-SECRET-KEY-1…`, that of `p256`,
/// `ml-kem-768` and `sm2` keys is PEM, and that of symmetric keys is `SEALSTONE-KEY-1…`. Secrets are zeroed on drop and never
/// printed by `Debug`.
///
/// ```
/// use sealstone::{Identity, Kind};
///
/// let identity = Identity::generate(Kind::Hybrid)?;
/// let text = identity.to_text().expect("a hybrid identity has a text form");
/// assert!(text.starts_with("AGE-SECRET-KEY-PQ-1"));
/// assert_eq!(text.parse::<Identity>()?.recipient().to_string(), identity.recipient().to_string());
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone)]
pub struct Identity(pub(crate) Secret);

#[derive(Clone)]
pub(crate) enum Secret {
    /// `bytes` are the key as it was read. The clamped working form of X25519 would give another string.
    Kem {
        kind: Kind,
        bytes: Zeroizing<Vec<u8>>,
        key: PrivateKey,
    },
    Sm2(sm2::PrivateKey),
    Key(SymmetricKey),
    Passphrase(Passphrase),
    Plugin(Arc<dyn FileIdentity>),
}

impl Identity {
    /// Generates an identity with the system's generator.
    ///
    /// # Errors
    /// [`Error::NoRandomness`]; [`Error::InvalidPassphrase`] for [`Kind::Passphrase`] and [`Error::InvalidIdentity`] for
    /// [`Kind::Plugin`], which cannot be generated.
    pub fn generate(kind: Kind) -> Result<Self> {
        match kind.scheme() {
            Scheme::Kem(kem) => loop {
                let mut bytes = Zeroizing::new(vec![0; kem.private_len()]);
                random::fill(&mut bytes)?;
                // For P-256, one number in 2^32 is not a scalar.
                if let Some(identity) = Self::of_bytes(kind, bytes)? {
                    return Ok(identity);
                }
            },
            Scheme::Sm2 => sm2::PrivateKey::generate().map(Self::from),
            Scheme::Key => SymmetricKey::generate().map(Self::from),
            Scheme::Passphrase => Err(Error::InvalidPassphrase("a passphrase is chosen, not generated")),
            Scheme::Plugin => Err(Error::InvalidIdentity(KeyFault::OfPlugin)),
        }
    }

    /// The bytes of the public key; empty for symmetric keys, passphrases and plugins.
    fn public_bytes(&self) -> Vec<u8> {
        match &self.0 {
            Secret::Kem { key, .. } => key.public_key().to_bytes(),
            Secret::Sm2(key) => key.public_key().to_bytes().to_vec(),
            Secret::Key(_) | Secret::Passphrase(_) | Secret::Plugin(_) => Vec::new(),
        }
    }

    /// The bytes of the private key of a key pair; `None` for symmetric keys, passphrases and plugins.
    ///
    /// ```
    /// use sealstone::{Identity, Kind};
    ///
    /// let identity = Identity::generate(Kind::P256)?;
    /// let bytes = identity.to_bytes().expect("it is a key pair");
    /// let same = Identity::from_bytes(Kind::P256, &bytes)?;
    /// assert!(same.recipient().is_same(&identity.recipient()));
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    #[must_use]
    pub fn to_bytes(&self) -> Option<Zeroizing<Vec<u8>>> {
        match &self.0 {
            Secret::Kem { bytes, .. } => Some(bytes.clone()),
            Secret::Sm2(key) => Some(Zeroizing::new(key.to_bytes().to_vec())),
            Secret::Key(_) | Secret::Passphrase(_) | Secret::Plugin(_) => None,
        }
    }

    /// Makes an identity from the bytes of [`to_bytes`](Self::to_bytes), or from those of a symmetric key.
    ///
    /// # Errors
    /// [`Error::InvalidIdentity`] for another length, and for bytes that are not a private key of the kind.
    pub fn from_bytes(kind: Kind, bytes: &[u8]) -> Result<Self> {
        kind.check()?;
        Self::of_bytes(kind, Zeroizing::new(bytes.to_vec()))?.ok_or(Error::InvalidIdentity(NO_PRIVATE_KEY))
    }

    /// As [`from_bytes`](Self::from_bytes); `None` for invalid bytes.
    fn of_bytes(kind: Kind, bytes: Zeroizing<Vec<u8>>) -> Result<Option<Self>> {
        Ok(match kind.scheme() {
            Scheme::Kem(kem) => PrivateKey::from_bytes(kem, &bytes).map(|key| Self(Secret::Kem { kind, bytes, key })),
            Scheme::Sm2 => match sm2::PrivateKey::from_bytes(&bytes) {
                Err(error @ Error::UnavailableBackend(_)) => return Err(error),
                key => key.ok().map(Self::from),
            },
            Scheme::Key => bytes[..].try_into().ok().map(|bytes| SymmetricKey::from_bytes(bytes).into()),
            Scheme::Passphrase | Scheme::Plugin => None,
        })
    }

    pub(crate) fn passphrase(&self) -> Option<&Passphrase> {
        match &self.0 {
            Secret::Passphrase(passphrase) => Some(passphrase),
            _ => None,
        }
    }

    /// The kind of stanzas that this identity opens.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self.0 {
            Secret::Kem { kind, .. } => kind,
            Secret::Sm2(_) => Kind::Sm2,
            Secret::Key(_) => Kind::Key,
            Secret::Passphrase(_) => Kind::Passphrase,
            Secret::Plugin(_) => Kind::Plugin,
        }
    }

    /// The recipient whose files this identity opens. For a symmetric key or a passphrase, it holds the same secret.
    #[must_use]
    pub fn recipient(&self) -> Recipient {
        Recipient(match &self.0 {
            Secret::Kem { kind, key, .. } => Public::Kem(*kind, key.public_key()),
            Secret::Sm2(key) => Public::Sm2(key.public_key()),
            Secret::Key(key) => Public::Key(key.clone()),
            Secret::Passphrase(passphrase) => Public::Passphrase(passphrase.clone()),
            Secret::Plugin(identity) => Public::Plugin(identity.to_recipient()),
        })
    }

    /// The text form, without a line end behind it. It is secret. `None` for a passphrase, and for a plugin's identity, which
    /// can be read only with the plugin.
    #[must_use]
    pub fn to_text(&self) -> Option<Zeroizing<String>> {
        match &self.0 {
            Secret::Passphrase(_) | Secret::Plugin(_) => None,
            _ => self.to_bech32().or_else(|| {
                let mut text = self.to_pem(None).expect("identity: what has no string has PEM");
                text.pop();
                Some(text)
            }),
        }
    }

    /// The string, which is the text form of some kinds; `None` for the other kinds. It is secret.
    ///
    /// ```
    /// use sealstone::{Identity, Kind};
    ///
    /// assert!(Identity::generate(Kind::X25519)?.to_bech32().is_some_and(|text| text.starts_with("AGE-SECRET-KEY-1")));
    /// assert!(Identity::generate(Kind::P256)?.to_bech32().is_none());
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    #[must_use]
    pub fn to_bech32(&self) -> Option<Zeroizing<String>> {
        match &self.0 {
            Secret::Kem { kind, bytes, .. } => Some(encode_bech32(kind.row().strings.as_ref()?.identity, bytes)),
            Secret::Key(key) => Some(key.to_text()),
            Secret::Sm2(_) | Secret::Passphrase(_) | Secret::Plugin(_) => None,
        }
    }

    /// PKCS#8 as PEM (RFC 5958, RFC 7468): a secret, unless it is encrypted with a passphrase (PBES2 with
    /// PBKDF2-HMAC-SHA256, 600,000 iterations, and AES-256-CBC; RFC 8018; `sm2` keys with HMAC-SM3, 1,000,000 iterations,
    /// and SM4-CBC). ML-KEM keys are written as their seed (RFC 9935).
    ///
    /// ```
    /// use sealstone::{Identity, Kind, Passphrase, parse_identities};
    ///
    /// let identity = Identity::generate(Kind::P256)?;
    /// let passphrase = Passphrase::new("correct horse battery staple")?;
    /// let pem = identity.to_pem(Some(&passphrase))?;
    /// assert!(pem.starts_with("-----BEGIN ENCRYPTED PRIVATE KEY-----\n"));
    /// let read = parse_identities(pem.as_bytes(), Some(&passphrase)).unwrap();
    /// assert_eq!(read[0].recipient().fingerprint(), identity.recipient().fingerprint());
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Security
    /// The encryption is unauthenticated: anyone who can write the file can damage or replace the key unnoticed.
    ///
    /// # Errors
    /// [`Error::UnsupportedKey`] for `hybrid` and symmetric keys and passphrases, which have no such form;
    /// [`Error::NoRandomness`].
    pub fn to_pem(&self, passphrase: Option<&Passphrase>) -> Result<Zeroizing<String>> {
        Ok(pem::write_private(&self.to_der(passphrase)?, passphrase))
    }

    /// As [`to_pem`](Self::to_pem), as DER.
    ///
    /// # Errors
    /// The errors of [`to_pem`](Self::to_pem).
    pub fn to_der(&self, passphrase: Option<&Passphrase>) -> Result<Zeroizing<Vec<u8>>> {
        let algorithm = self.kind().algorithm().ok_or(UnsupportedKey::NoPem)?;
        let secret = self.to_bytes().ok_or(UnsupportedKey::NoPem)?;
        asn1::write_private(algorithm, &secret, &self.public_bytes(), passphrase)
    }

    /// A JSON Web Key (RFC 7517, RFC 7518 section 6.2, RFC 8037): a secret.
    ///
    /// ```
    /// use sealstone::{Identity, Kind, parse_identities};
    ///
    /// let identity = Identity::generate(Kind::P256)?;
    /// let jwk = identity.to_jwk()?;
    /// assert!(jwk.contains(r#""crv":"P-256""#));
    /// let read = &parse_identities(jwk.as_bytes(), None).unwrap()[0];
    /// assert_eq!(read.recipient().fingerprint(), identity.recipient().fingerprint());
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::UnsupportedKey`] for all kinds except `p256` and `x25519`.
    pub fn to_jwk(&self) -> Result<Zeroizing<String>> {
        let algorithm = self.kind().algorithm().ok_or(UnsupportedKey::NoJwk)?;
        jwk::write(algorithm, &self.public_bytes(), Some(&self.to_bytes().ok_or(UnsupportedKey::NoJwk)?))
    }

    /// The private key of SM2, for signatures and for ciphertexts of other systems; `None` for other kinds.
    ///
    /// ```
    /// use sealstone::sm2::DEFAULT_ID;
    /// use sealstone::{Identity, Kind};
    ///
    /// let identity = Identity::generate(Kind::Sm2)?;
    /// let signature = identity.as_sm2().expect("it is of the kind sm2").sign(DEFAULT_ID, b"attack at dawn")?;
    /// identity.recipient().as_sm2().expect("as well").verify(DEFAULT_ID, b"attack at dawn", &signature)?;
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    #[must_use]
    #[cfg(feature = "gm")]
    pub fn as_sm2(&self) -> Option<&sm2::PrivateKey> {
        if let Secret::Sm2(key) = &self.0 { Some(key) } else { None }
    }

    /// The private number as 64 hexadecimal digits, as in `sm-crypto`. It is secret.
    ///
    /// ```
    /// use sealstone::{Identity, Kind};
    ///
    /// let identity = Identity::generate(Kind::Sm2)?;
    /// let digits = identity.to_hex()?;
    /// assert_eq!(digits.len(), 64);
    /// assert_eq!(digits.parse::<Identity>()?.recipient().fingerprint(), identity.recipient().fingerprint());
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::UnsupportedKey`] for all kinds except `sm2`.
    pub fn to_hex(&self) -> Result<Zeroizing<String>> {
        let key = self.to_bytes().filter(|_| self.kind().has_form(KeyForm::Hex));
        Ok(digits::write(&key.ok_or(UnsupportedKey::NoDigits)?))
    }
}

conversions! {
    Identity:
    sm2::PrivateKey => |key| Identity(Secret::Sm2(key));
    SymmetricKey => |key| Identity(Secret::Key(key));
    Passphrase => |passphrase| Identity(Secret::Passphrase(passphrase));
    plugin::Identity => |identity| Identity(Secret::Plugin(Arc::new(identity)));
}

impl Key for Identity {
    const WANTED: Wanted =
        Wanted::new(Half::Private, Use::Encrypts, |algorithm| Kind::of_algorithm(algorithm).map(drop));

    fn from_parsed(mut parsed: Parsed) -> Result<Self, Refusal> {
        if let Some(expanded) = parsed.expanded.take() {
            let seed = parsed.bytes[..].try_into().map_err(|_| WRONG_LENGTH)?;
            if !mac::equal(&Size768::expand(seed), &expanded) {
                return Err(asn1::OTHER_EXPANDED.into());
            }
        }
        let (algorithm, beside) = (parsed.algorithm, std::mem::take(&mut parsed.beside));
        let identity = Self::alone(parsed)?;
        let own = identity.public_bytes();
        for beside in beside {
            if !asn1::is_same_point(algorithm, &own, &beside?) {
                return Err(asn1::OF_ANOTHER.into());
            }
        }
        Ok(identity)
    }

    fn alone(parsed: Parsed) -> Result<Self, Refusal> {
        Ok(Self::of_bytes(Kind::of_algorithm(parsed.algorithm)?, parsed.bytes)?.ok_or(parsed.wrong)?)
    }

    fn error(refusal: Refusal) -> Error {
        match refusal {
            Refusal::Invalid(fault) => Error::InvalidIdentity(fault),
            Refusal::Other(error) => error,
        }
    }

    fn from_line(line: &str) -> Result<Parsed, Refusal> {
        string::read(line, Half::Private)
    }
}

/// Reads the text form: a string, or one block of PEM that is not encrypted. It also reads a JWK, and the digits of an `sm2`
/// key.
impl FromStr for Identity {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.starts_with(pem::BEGIN) || text.trim_start().starts_with('{') {
            return parse_one(text.as_bytes(), None);
        }
        Self::read_line(text).map_err(Self::error)
    }
}

debug!(|identity: Identity| "Identity({}, ..)", identity.kind());
