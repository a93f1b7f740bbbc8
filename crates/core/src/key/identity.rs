use super::{Kind, Recipient, SymmetricKey, hrp, kind_of};
use crate::encoding::{decode_bech32, encode_bech32};
use crate::error::{Error, Result};
use crate::kem::hpke::{Kem, PRIVATE_LEN, PrivateKey};
use crate::key::Public;
use crate::password::Passphrase;
use crate::random;
use std::str::FromStr;
use zeroize::Zeroizing;

/// What opens a file: a secret key, a symmetric key or a passphrase.
///
/// Secret keys are read from and written as age's strings, `AGE-SECRET-KEY-1…` and `AGE-SECRET-KEY-PQ-1…`;
/// symmetric keys as `SEALSTONE-KEY-1…`. Secrets are zeroed on drop and never printed by `Debug`.
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
    /// The bytes are kept as they were read: X25519's working form is clamped and would print another string.
    Kem {
        kem: Kem,
        bytes: Zeroizing<[u8; PRIVATE_LEN]>,
        key: PrivateKey,
    },
    Key(SymmetricKey),
    Passphrase(Passphrase),
}

impl Identity {
    /// A fresh identity from the system's generator.
    ///
    /// # Errors
    /// [`Error::NoRandomness`]; [`Error::InvalidPassphrase`] for [`Kind::Passphrase`], which nobody can generate.
    pub fn generate(kind: Kind) -> Result<Self> {
        match kind {
            Kind::Hybrid => Ok(Self::from_kem(Kem::Hybrid, Zeroizing::new(random::array()?))),
            Kind::X25519 => Ok(Self::from_kem(Kem::X25519, Zeroizing::new(random::array()?))),
            Kind::Key => SymmetricKey::generate().map(Self::from),
            Kind::Passphrase => Err(Error::InvalidPassphrase("a passphrase is chosen, not generated")),
        }
    }

    fn from_kem(kem: Kem, bytes: Zeroizing<[u8; PRIVATE_LEN]>) -> Self {
        let key = PrivateKey::from_bytes(kem, &bytes);
        Self(Secret::Kem { kem, bytes, key })
    }

    /// The kind of stanza this identity opens.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self.0 {
            Secret::Kem { kem, .. } => kind_of(kem),
            Secret::Key(_) => Kind::Key,
            Secret::Passphrase(_) => Kind::Passphrase,
        }
    }

    /// The recipient whose files this identity opens. For a symmetric key or a passphrase it holds the same secret.
    #[must_use]
    pub fn recipient(&self) -> Recipient {
        Recipient(match &self.0 {
            Secret::Kem { kem, key, .. } => Public::Kem(*kem, key.public_key()),
            Secret::Key(key) => Public::Key(key.clone()),
            Secret::Passphrase(passphrase) => Public::Passphrase(passphrase.clone()),
        })
    }

    /// The text form, a secret; `None` for a passphrase.
    #[must_use]
    pub fn to_text(&self) -> Option<Zeroizing<String>> {
        match &self.0 {
            Secret::Kem { kem, bytes, .. } => Some(encode_bech32(hrp(*kem).1, &bytes[..])),
            Secret::Key(key) => Some(key.to_text()),
            Secret::Passphrase(_) => None,
        }
    }
}

impl From<SymmetricKey> for Identity {
    fn from(key: SymmetricKey) -> Self {
        Self(Secret::Key(key))
    }
}

impl From<Passphrase> for Identity {
    fn from(passphrase: Passphrase) -> Self {
        Self(Secret::Passphrase(passphrase))
    }
}

impl FromStr for Identity {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let kem = if text.starts_with("AGE-SECRET-KEY-PQ-1") {
            Kem::Hybrid
        } else if text.starts_with("AGE-SECRET-KEY-1") {
            Kem::X25519
        } else if text.starts_with("SEALSTONE-KEY-1") {
            return text.parse().map(|key: SymmetricKey| Self::from(key));
        } else if text.starts_with("age1") {
            return Err(Error::InvalidIdentity("this is a recipient; an identity begins with AGE-SECRET-KEY-"));
        } else {
            return Err(Error::InvalidIdentity(
                "an identity begins with AGE-SECRET-KEY-1, AGE-SECRET-KEY-PQ-1 or SEALSTONE-KEY-1",
            ));
        };
        let data = decode_bech32(hrp(kem).1, text)
            .ok_or(Error::InvalidIdentity("a character is wrong, missing or too many"))?;
        let bytes = <&[u8; PRIVATE_LEN]>::try_from(data.as_slice())
            .map_err(|_| Error::InvalidIdentity("the key has the wrong length"))?;
        Ok(Self::from_kem(kem, Zeroizing::new(*bytes)))
    }
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Identity({}, ..)", self.kind())
    }
}
