//! Shared secrets: key agreement (X25519 of RFC 7748, ECDH over P-256, P-384 and P-521 of SP 800-56A) and key encapsulation
//! (ML-KEM of FIPS 203; `hybrid`, which is X-Wing: ML-KEM-768 and X25519 together).
//!
//! [`Encryptor`](crate::Encryptor) encrypts files and data to public keys, and [`message`](crate::message) encrypts small data.
//! This module is for protocols that agree on a key and use it themselves.
//!
//! ```
//! use sealstone::exchange::{Kdf, Kind, PrivateKey, PublicKey};
//! use sealstone::hash::Algorithm;
//!
//! // Agreement: each side has the public key of the other, and both derive the same key.
//! let (alice, bob) = (PrivateKey::generate(Kind::X25519)?, PrivateKey::generate(Kind::X25519)?);
//! let kdf = Kdf::Hkdf { hash: Algorithm::Sha256, salt: b"", info: b"example.com v1, session key" };
//! let mut keys = [[0; 32]; 2];
//! alice.diffie_hellman(&bob.public_key(), &kdf, &mut keys[0])?;
//! bob.diffie_hellman(&alice.public_key(), &kdf, &mut keys[1])?;
//! assert_eq!(keys[0], keys[1]);
//!
//! // Encapsulation: one side has a public key, and sends a ciphertext.
//! let key = PrivateKey::generate(Kind::Hybrid)?;
//! let (ciphertext, secret) = key.public_key().encapsulate()?;
//! assert_eq!(key.decapsulate(&ciphertext)?, secret);
//! # Ok::<(), sealstone::Error>(())
//! ```
//!
//! # Security
//! A shared secret does not authenticate the other side: an attacker who replaces a public key can read everything. Bind the
//! public keys of both sides into `info`, and sign them, or get them from a source that cannot be changed.
//!
//! ML-KEM and `hybrid` withstand quantum computers as well; the curves do not.

// The shared secret of an agreement goes through a KDF, except in `hazmat_shared_secret`.

use crate::debug::Hex;
use crate::error::{Error, Result};
use crate::hash::Algorithm;
use crate::kdf;
use crate::kem::ml_kem::{MlKem512, MlKem768, MlKem1024, SEED_LEN, Size as _, Size512, Size768, Size1024};
use crate::kem::x_wing::XWing;
use crate::kem::{self, KeyEncapsulation};
use crate::provider::{P256, P384, P521, X25519};
use crate::random;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Bytes of an encapsulated secret, for any kind.
pub const SECRET_LEN: usize = 32;

macro_rules! kinds {
    (
        agree { $($(#[$agrees_doc:meta])+ $agrees:ident = $agrees_name:literal, $curve:ty;)+ }
        encapsulate { $($(#[$encapsulates_doc:meta])+ $encapsulates:ident = $encapsulates_name:literal, $kem:ty;)+ }
    ) => {
        /// A kind of key pair.
        ///
        /// ```
        /// use sealstone::exchange::Kind;
        ///
        /// assert_eq!("ml-kem-768".parse::<Kind>()?.ciphertext_len(), Some(1088));
        /// assert_eq!(Kind::P384.ciphertext_len(), None);
        /// # Ok::<(), sealstone::Error>(())
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Kind {
            $(#[doc = concat!("`", $agrees_name, "`: agreement.")] $(#[$agrees_doc])+ $agrees,)+
            $(#[doc = concat!("`", $encapsulates_name, "`: encapsulation.")] $(#[$encapsulates_doc])+ $encapsulates,)+
        }

        named_enum!(Kind { $($agrees = $agrees_name,)+ $($encapsulates = $encapsulates_name,)+ });

        impl Kind {
            /// Bytes of a private key: a number, or a seed.
            #[must_use]
            pub fn private_key_len(self) -> usize {
                match self {
                    $(Self::$agrees => <$curve as Curve>::PRIVATE_LEN,)+
                    $(Self::$encapsulates => <$kem>::PRIVATE_LEN,)+
                }
            }

            /// Bytes of a public key; points are uncompressed.
            #[must_use]
            pub fn public_key_len(self) -> usize {
                match self {
                    $(Self::$agrees => <$curve as Curve>::PUBLIC_LEN,)+
                    $(Self::$encapsulates => <$kem>::PUBLIC_LEN,)+
                }
            }

            /// Bytes of a ciphertext; `None` for the kinds that agree.
            #[must_use]
            pub fn ciphertext_len(self) -> Option<usize> {
                match self {
                    $(Self::$agrees => None,)+
                    $(Self::$encapsulates => Some(<$kem>::ENC_LEN),)+
                }
            }
        }

        /// The provider's private key.
        enum Secret {
            $($agrees($curve),)+
            $($encapsulates(<$kem as KeyEncapsulation>::PrivateKey),)+
        }

        /// A public key; a point is kept as the bytes from which it was read.
        #[derive(Clone)]
        enum Public {
            $($agrees(Arc<[u8]>),)+
            $($encapsulates(<$kem as KeyEncapsulation>::PublicKey),)+
        }

        impl Secret {
            /// Reads a private key; `None` for a number that is no private key, and for another length.
            fn from_bytes(kind: Kind, bytes: &[u8]) -> Option<Self> {
                match kind {
                    $(Kind::$agrees => Curve::from_bytes(bytes).map(Self::$agrees),)+
                    $(Kind::$encapsulates => <$kem>::private_key(bytes).map(Self::$encapsulates),)+
                }
            }

            fn public_key(&self) -> Public {
                match self {
                    $(Self::$agrees(key) => Public::$agrees(Curve::public_key(key)),)+
                    $(Self::$encapsulates(key) => Public::$encapsulates(<$kem>::public_key_of(key)),)+
                }
            }

            fn diffie_hellman(&self, other: &Public) -> Result<Zeroizing<Vec<u8>>> {
                match (self, other) {
                    $((Self::$agrees(own), Public::$agrees(other)) => {
                        // Points of NIST's curves were checked, so only X25519 can fail.
                        Curve::diffie_hellman(own, other).ok_or(Error::InvalidKey(LOW_ORDER))
                    })+
                    ($(Self::$encapsulates(_))|+, _) => Err(Error::InvalidKey("keys of this kind encapsulate, and cannot agree on a secret")),
                    _ => Err(Error::InvalidKey("the two keys are of different kinds")),
                }
            }

            fn decapsulate(&self, ciphertext: &[u8]) -> Result<kem::Secret> {
                match self {
                    $(Self::$agrees(_))|+ => Err(Error::InvalidKey(AGREES)),
                    $(Self::$encapsulates(key) => {
                        if ciphertext.len() != <$kem>::ENC_LEN {
                            return Err(wrong_length("the ciphertext", <$kem>::ENC_LEN, ciphertext));
                        }
                        // ML-KEM gives a secret for any ciphertext, so only the hybrid can fail.
                        <$kem>::decapsulate(key, ciphertext).ok_or(Error::MalformedCiphertext(LOW_ORDER))
                    })+
                }
            }
        }

        impl Public {
            fn kind(&self) -> Kind {
                match self {
                    $(Self::$agrees(_) => Kind::$agrees,)+
                    $(Self::$encapsulates(_) => Kind::$encapsulates,)+
                }
            }

            /// Reads a public key of the right length; `None` if the bytes are no key.
            fn from_bytes(kind: Kind, bytes: &[u8]) -> Option<Self> {
                match kind {
                    $(Kind::$agrees => <$curve as Curve>::is_public_key(bytes).then(|| Self::$agrees(bytes.into())),)+
                    $(Kind::$encapsulates => <$kem>::public_key(bytes).map(Self::$encapsulates),)+
                }
            }

            fn to_bytes(&self) -> &[u8] {
                match self {
                    $(Self::$agrees(point) => point,)+
                    $(Self::$encapsulates(key) => <$kem>::public_bytes(key),)+
                }
            }

            fn encapsulate(&self, random: &[u8; kem::RANDOM_LEN]) -> Result<(Vec<u8>, kem::Secret)> {
                match self {
                    $(Self::$agrees(_))|+ => Err(Error::InvalidKey(AGREES)),
                    $(Self::$encapsulates(key) => {
                        let (secret, ciphertext) = <$kem>::encapsulate(key, random);
                        Ok((ciphertext, secret))
                    })+
                }
            }
        }
    };
}

kinds! {
    agree {
        /// RFC 7748.
        X25519 = "x25519", X25519;
        /// ECDH over the curve of FIPS 186 and SP 800-186.
        P256 = "p256", P256;
        /// ECDH over the curve of FIPS 186 and SP 800-186.
        P384 = "p384", P384;
        /// ECDH over the curve of FIPS 186 and SP 800-186.
        P521 = "p521", P521;
    }
    encapsulate {
        /// FIPS 203.
        MlKem512 = "ml-kem-512", MlKem512;
        /// FIPS 203.
        MlKem768 = "ml-kem-768", MlKem768;
        /// FIPS 203.
        MlKem1024 = "ml-kem-1024", MlKem1024;
        /// ML-KEM-768 and X25519 (draft-connolly-cfrg-xwing-kem), as in sealed files: secure as long as either holds.
        Hybrid = "hybrid", XWing;
    }
}

/// The reason for a key that agrees; encryption of files gives the same.
const AGREES: &str = "keys of this kind agree on a secret, and cannot encapsulate";
const LOW_ORDER: &str = "the point has low order";

/// The operations of the provider's private keys on all curves.
trait Curve: Sized {
    /// Bytes of a private key, and of a shared secret.
    const PRIVATE_LEN: usize;
    const PUBLIC_LEN: usize;

    fn from_bytes(bytes: &[u8]) -> Option<Self>;
    fn public_key(&self) -> Arc<[u8]>;
    /// Whether bytes of the right length are a public key. All bytes are one of X25519; a point of low order is refused when it
    /// is used.
    fn is_public_key(bytes: &[u8]) -> bool;
    fn diffie_hellman(&self, other: &[u8]) -> Option<Zeroizing<Vec<u8>>>;
}

macro_rules! curves {
    ($($curve:ty = $private_len:literal, $public_len:literal, $is_public_key:expr;)+) => {$(
        impl Curve for $curve {
            const PRIVATE_LEN: usize = $private_len;
            const PUBLIC_LEN: usize = $public_len;

            fn from_bytes(bytes: &[u8]) -> Option<Self> {
                Self::from_bytes(bytes.try_into().ok()?)
            }

            fn public_key(&self) -> Arc<[u8]> {
                self.public_key().as_slice().into()
            }

            fn is_public_key(bytes: &[u8]) -> bool {
                bytes.try_into().is_ok_and($is_public_key)
            }

            fn diffie_hellman(&self, other: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
                self.diffie_hellman(other, |shared| Zeroizing::new(shared.to_vec()))
            }
        }
    )+};
}

curves! {
    X25519 = 32, 32, |_: &[u8; 32]| true;
    P256 = 32, 65, |point: &[u8; 65]| point[0] == UNCOMPRESSED && P256::is_on_curve(point);
    P384 = 48, 97, |point: &[u8; 97]| point[0] == UNCOMPRESSED && P384::is_on_curve(point);
    P521 = 66, 133, |point: &[u8; 133]| point[0] == UNCOMPRESSED && P521::is_on_curve(point);
}

/// The first byte of an uncompressed point.
const UNCOMPRESSED: u8 = 4;

/// A private key with its public key. Zeroed when its last clone is dropped, and never printed.
///
/// ```
/// use sealstone::exchange::{Kind, PrivateKey};
///
/// let key = PrivateKey::from_bytes(Kind::P384, &[7; 48])?;
/// assert_eq!(**key.to_bytes(), [7; 48]);
/// assert_eq!(format!("{key:?}"), "PrivateKey(p384, ..)");
/// assert_eq!(PrivateKey::from_bytes(Kind::P384, &[0; 48]).unwrap_err().code(), "invalid_key");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone)]
pub struct PrivateKey(Arc<KeyPair>);

struct KeyPair {
    secret: Secret,
    /// The bytes from which the key was read.
    bytes: Zeroizing<Vec<u8>>,
    public: PublicKey,
}

impl PrivateKey {
    /// Generates a key, from the system's generator.
    ///
    /// # Errors
    /// [`Error::NoRandomness`].
    pub fn generate(kind: Kind) -> Result<Self> {
        loop {
            let mut bytes = random::key(kind.private_key_len())?;
            if kind == Kind::P521 {
                // A number has 521 bits of the 66 bytes.
                bytes[0] &= 1;
            }
            // For P-256, one number in 2^32 is not below n.
            if let Ok(key) = Self::from_bytes(kind, &bytes) {
                return Ok(key);
            }
        }
    }

    /// Reads a key of [the kind's length](Kind::private_key_len): a big-endian number for NIST's curves, 32 bytes for X25519, a
    /// seed d || z for ML-KEM, and a seed for X-Wing.
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::InvalidKey`] for a number that is 0, or not below n.
    pub fn from_bytes(kind: Kind, bytes: &[u8]) -> Result<Self> {
        if bytes.len() != kind.private_key_len() {
            return Err(wrong_length("the private key", kind.private_key_len(), bytes));
        }
        let secret = Secret::from_bytes(kind, bytes);
        let secret = secret.ok_or(Error::InvalidKey("the private key is outside the range 1 to n - 1"))?;
        let public = PublicKey(secret.public_key());
        Ok(Self(Arc::new(KeyPair { secret, bytes: Zeroizing::new(bytes.to_vec()), public })))
    }

    /// The kind.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.0.public.kind()
    }

    /// The bytes that [`from_bytes`](Self::from_bytes) reads, a secret.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        self.0.bytes.clone()
    }

    /// The public key.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        self.0.public.clone()
    }

    /// Derives a key into `out`, of any length, from the shared secret of this key and the other side's public key.
    ///
    /// ```
    /// use sealstone::exchange::{Kdf, Kind, PrivateKey};
    /// use sealstone::hash::Algorithm;
    ///
    /// // As in JOSE's ECDH-ES: an ephemeral key, whose public key is sent along.
    /// let (recipient, ephemeral) = (PrivateKey::generate(Kind::P256)?, PrivateKey::generate(Kind::P256)?);
    /// let mut key = [0; 16];
    /// let kdf = Kdf::Concat { hash: Algorithm::Sha256, info: b"\0\0\0\x07A128GCM\0\0\0\0\0\0\0\0\0\0\0\x80" };
    /// ephemeral.diffie_hellman(&recipient.public_key(), &kdf, &mut key)?;
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidKey`] if the public key is of another kind or has low order, and for kinds that encapsulate; the errors
    /// of [`kdf::hkdf`] and [`kdf::concat`]. `out` is unchanged then.
    pub fn diffie_hellman(&self, other: &PublicKey, kdf: &Kdf<'_>, out: &mut [u8]) -> Result<()> {
        kdf.derive(&self.0.secret.diffie_hellman(&other.0)?, out)
    }

    /// The raw shared secret of this key and the other side's public key: the x coordinate of a point. For protocols that
    /// derive keys from it themselves, such as TLS and Noise.
    ///
    /// # Security
    /// Do not use it as a key: its bits are not uniform, and several public keys give the same secret.
    /// [`diffie_hellman`](Self::diffie_hellman) derives a key.
    ///
    /// # Errors
    /// [`Error::InvalidKey`] as in [`diffie_hellman`](Self::diffie_hellman).
    pub fn hazmat_shared_secret(&self, other: &PublicKey) -> Result<Zeroizing<Vec<u8>>> {
        self.0.secret.diffie_hellman(&other.0)
    }

    /// Returns the secret of a ciphertext.
    ///
    /// # Security
    /// A ciphertext that is damaged, or for another key, gives a pseudo-random secret instead of an error (FIPS 203, implicit
    /// rejection). You notice when you decrypt data under the secret. Derive a key for each purpose, with [`kdf::hkdf`].
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::MalformedCiphertext`] for a ciphertext of `hybrid` whose point has low order;
    /// [`Error::InvalidKey`] for kinds that agree.
    pub fn decapsulate(&self, ciphertext: &[u8]) -> Result<Zeroizing<[u8; SECRET_LEN]>> {
        self.0.secret.decapsulate(ciphertext)
    }
}

/// A private key of ML-KEM that other software stored expanded. Without its seed it cannot be written in our forms.
#[derive(Clone)]
pub(crate) struct ExpandedKey(Arc<(Secret, PublicKey)>);

impl ExpandedKey {
    /// Reads an expanded key; `None` for other kinds, for another length, and if a check of FIPS 203 section 7.3 fails.
    pub(crate) fn from_bytes(kind: Kind, expanded: &[u8]) -> Option<Self> {
        let secret = match kind {
            Kind::MlKem512 => Secret::MlKem512(MlKem512::expanded_key(expanded)?),
            Kind::MlKem768 => Secret::MlKem768(MlKem768::expanded_key(expanded)?),
            Kind::MlKem1024 => Secret::MlKem1024(MlKem1024::expanded_key(expanded)?),
            Kind::X25519 | Kind::P256 | Kind::P384 | Kind::P521 | Kind::Hybrid => return None,
        };
        let public = PublicKey(secret.public_key());
        Some(Self(Arc::new((secret, public))))
    }

    pub(crate) fn public_key(&self) -> PublicKey {
        self.0.1.clone()
    }

    /// As [`PrivateKey::decapsulate`].
    pub(crate) fn decapsulate(&self, ciphertext: &[u8]) -> Result<Zeroizing<[u8; SECRET_LEN]>> {
        self.0.0.decapsulate(ciphertext)
    }
}

debug!(|key: PrivateKey| "PrivateKey({}, ..)", key.kind());

/// A checked public key: a point is on its curve, and a key of ML-KEM has numbers below q (FIPS 203 section 7.2).
///
/// ```
/// use sealstone::exchange::{Kind, PrivateKey, PublicKey};
///
/// let key = PrivateKey::generate(Kind::MlKem1024)?.public_key();
/// assert_eq!(PublicKey::from_bytes(Kind::MlKem1024, key.to_bytes())?, key);
/// assert_eq!(PublicKey::from_bytes(Kind::MlKem1024, &[0xff; 1568]).unwrap_err().code(), "invalid_key");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone)]
pub struct PublicKey(Public);

impl PublicKey {
    /// Reads a key: 32 bytes for X25519, an uncompressed point 04 || x || y, or an encapsulation key of FIPS 203 or X-Wing.
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::InvalidKey`] for a point that is compressed or off the curve, for numbers of ML-KEM
    /// that are not below q, and for a hybrid key whose point has low order. A point of X25519 of low order is refused when it
    /// is used.
    pub fn from_bytes(kind: Kind, bytes: &[u8]) -> Result<Self> {
        if matches!(bytes, [2 | 3, x @ ..] if 1 + 2 * x.len() == kind.public_key_len()) {
            return Err(Error::InvalidKey("the point is compressed; only uncompressed points are supported"));
        }
        if bytes.len() != kind.public_key_len() {
            return Err(wrong_length("the public key", kind.public_key_len(), bytes));
        }
        if kind == Kind::Hybrid && !kem::x25519_half_is_contributory(bytes) {
            return Err(Error::InvalidKey(LOW_ORDER));
        }
        Public::from_bytes(kind, bytes).map(Self).ok_or(Error::InvalidKey(if kind.ciphertext_len().is_some() {
            "a number in the public key is not below q"
        } else {
            "the point is not on the curve, or not uncompressed"
        }))
    }

    /// The kind.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.0.kind()
    }

    /// The bytes of the key.
    #[must_use]
    pub fn to_bytes(&self) -> &[u8] {
        self.0.to_bytes()
    }

    /// Draws a fresh secret, and returns (ciphertext, secret); the private key gets the secret from the ciphertext.
    ///
    /// # Errors
    /// [`Error::NoRandomness`]; [`Error::InvalidKey`] for kinds that agree.
    pub fn encapsulate(&self) -> Result<(Vec<u8>, Zeroizing<[u8; SECRET_LEN]>)> {
        // Also drawn when AWS-LC draws itself: here, missing randomness is an error, in AWS-LC it ends the process.
        self.0.encapsulate(&Zeroizing::new(random::array()?))
    }
}

impl PartialEq for PublicKey {
    fn eq(&self, other: &Self) -> bool {
        self.kind() == other.kind() && self.to_bytes() == other.to_bytes()
    }
}

impl Eq for PublicKey {}

debug!(|key: PublicKey| "PublicKey({}, {})", key.kind(), Hex(key.to_bytes()));

/// The derivation of a key from a shared secret. `info` names the key's purpose and both sides.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Kdf<'a> {
    /// HKDF (RFC 5869): [`kdf::hkdf`].
    Hkdf {
        /// The hash of its HMAC.
        hash: Algorithm,
        /// Randomness or another secret that both sides have, or empty.
        salt: &'a [u8],
        /// The key's purpose.
        info: &'a [u8],
    },
    /// The one-step KDF of SP 800-56C over a hash, which JOSE calls Concat KDF: [`kdf::concat`].
    Concat {
        /// The hash.
        hash: Algorithm,
        /// The key's purpose.
        info: &'a [u8],
    },
}

impl Kdf<'_> {
    fn derive(&self, secret: &[u8], out: &mut [u8]) -> Result<()> {
        match *self {
            Self::Hkdf { hash, salt, info } => kdf::hkdf(hash, secret, salt, info, out),
            Self::Concat { hash, info } => kdf::concat(hash, secret, info, out),
        }
    }
}

/// Expands a seed of ML-KEM to the decapsulation key (FIPS 203 algorithm 16), which some forms of keys store beside the seed.
/// `None` for other kinds and lengths.
pub(crate) fn expand(kind: Kind, seed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let seed: &[u8; SEED_LEN] = seed.try_into().ok()?;
    match kind {
        Kind::MlKem512 => Some(Size512::expand(seed)),
        Kind::MlKem768 => Some(Size768::expand(seed)),
        Kind::MlKem1024 => Some(Size1024::expand(seed)),
        _ => None,
    }
}

fn wrong_length(what: &'static str, expected: usize, bytes: &[u8]) -> Error {
    Error::WrongLength { what, expected, actual: bytes.len() }
}

#[cfg(test)]
#[path = "exchange_tests.rs"]
pub(crate) mod tests;
