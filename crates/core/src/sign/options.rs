use super::{CONTEXT_MAX_LEN, Family, Kind, numbers};
use crate::error::{Error, Result};
use crate::provider::{Curve, RsaPadding, Sha};
use crate::sm2;

/// The hash function of ECDSA and RSA.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Hash {
    /// `sha256`.
    Sha256,
    /// `sha384`.
    Sha384,
    /// `sha512`.
    Sha512,
}

named_enum!(Hash {
    Sha256 = "sha256",
    Sha384 = "sha384",
    Sha512 = "sha512",
});

/// The encoding of the two numbers of a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Encoding {
    /// `der`: a `SEQUENCE` of two `INTEGER`s, as in OpenSSL and certificates; the default.
    #[default]
    Der,
    /// `fixed`: r ‖ s, each as long as the curve's order, as in IEEE P1363, JWS and `WebCrypto`.
    Fixed,
}

named_enum!(Encoding {
    Der = "der",
    Fixed = "fixed",
});

/// The padding of RSA signatures (RFC 8017).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Scheme {
    /// `pss`: PSS, with MGF1 of the same hash and a salt as long as the digest; the default. A salt of another length gives
    /// [`Error::InvalidSignature`](crate::Error::InvalidSignature). In OpenSSL use `rsa_pss_saltlen:digest`.
    #[default]
    Pss,
    /// `pkcs1`: PKCS#1 v1.5, for systems that need it.
    Pkcs1,
}

named_enum!(Scheme {
    Pss = "pss",
    Pkcs1 = "pkcs1",
});

/// The choices that a kind leaves open. Verifying needs the same options as signing.
///
/// ```
/// use sealstone::sign::{Kind, Options, PrivateKey};
///
/// let key = PrivateKey::generate(Kind::MlDsa65)?;
/// let options = Options::new().context(b"example.org/v1");
/// let signature = key.sign_with(&options, b"attack at dawn")?;
/// key.public_key().verify_with(&options, b"attack at dawn", &signature)?;
/// assert_eq!(key.public_key().verify(b"attack at dawn", &signature).unwrap_err().code(), "invalid_signature");
///
/// // Ed25519 has no context: the option is refused, not ignored.
/// let key = PrivateKey::generate(Kind::Ed25519)?;
/// assert_eq!(key.sign_with(&options, b"attack at dawn").unwrap_err().code(), "invalid_option");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Options<'a> {
    hash: Option<Hash>,
    encoding: Option<Encoding>,
    scheme: Option<Scheme>,
    pub(super) context: &'a [u8],
    id: Option<&'a [u8]>,
}

impl<'a> Options<'a> {
    /// The defaults of every kind.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the hash of ECDSA and RSA. The default is SHA-256 for `p256-sign`, `secp256k1` and RSA, SHA-384 for `p384-sign`,
    /// and SHA-512 for `p521-sign`.
    #[must_use]
    pub fn hash(self, hash: Hash) -> Self {
        Self { hash: Some(hash), ..self }
    }

    /// Sets the encoding of signatures of ECDSA and SM2.
    #[must_use]
    pub fn encoding(self, encoding: Encoding) -> Self {
        Self { encoding: Some(encoding), ..self }
    }

    /// Sets the padding of RSA.
    #[must_use]
    pub fn scheme(self, scheme: Scheme) -> Self {
        Self { scheme: Some(scheme), ..self }
    }

    /// Sets the context of ML-DSA and of hybrid keys, at most 255 bytes: a signature is valid only under its context. Empty
    /// means no context.
    #[must_use]
    pub fn context(self, context: &'a [u8]) -> Self {
        Self { context, ..self }
    }

    /// Sets the user id of SM2. The default is [`sm2::DEFAULT_ID`].
    #[must_use]
    pub fn id(self, id: &'a [u8]) -> Self {
        Self { id: Some(id), ..self }
    }

    /// Refuses options that the kind does not have.
    pub(super) fn check(&self, kind: Kind) -> Result<()> {
        let family = kind.family();
        let is_ecdsa = matches!(family, Family::Ecdsa(_));
        let has_context = matches!(family, Family::MlDsa(_) | Family::Composite(_));
        let refused = if self.hash.is_some() && !is_ecdsa && family != Family::Rsa {
            "only ECDSA and RSA have a hash to choose"
        } else if self.encoding.is_some() && !is_ecdsa && family != Family::Sm2 {
            "only signatures of ECDSA and SM2 have an encoding to choose"
        } else if self.scheme.is_some() && family != Family::Rsa {
            "only RSA has a scheme to choose"
        } else if self.id.is_some() && family != Family::Sm2 {
            "only SM2 has a user id"
        } else if !self.context.is_empty() && !has_context {
            "only ML-DSA and hybrid keys have a context"
        } else if self.context.len() > CONTEXT_MAX_LEN {
            "a context of a signature has at most 255 bytes"
        } else {
            return Ok(());
        };
        Err(Error::InvalidOption(refused))
    }

    pub(super) fn hash_of(&self, kind: Kind) -> Sha {
        match (self.hash, kind.family()) {
            (Some(Hash::Sha384), _) => Sha::Sha384,
            (Some(Hash::Sha512), _) => Sha::Sha512,
            (None, Family::Ecdsa(curve)) => curve.own_hash(),
            (Some(Hash::Sha256) | None, _) => Sha::Sha256,
        }
    }

    pub(super) fn padding(&self) -> RsaPadding {
        match self.scheme.unwrap_or_default() {
            Scheme::Pss => RsaPadding::Pss,
            Scheme::Pkcs1 => RsaPadding::Pkcs1,
        }
    }

    pub(super) fn user_id(&self) -> &'a [u8] {
        self.id.unwrap_or(sm2::DEFAULT_ID)
    }

    /// Converts r ‖ s to the encoding of the options.
    pub(super) fn encode(&self, signature: Vec<u8>) -> Vec<u8> {
        match self.encoding.unwrap_or_default() {
            Encoding::Der => numbers::write(&signature),
            Encoding::Fixed => signature,
        }
    }

    /// Converts a signature in the encoding of the options to r ‖ s; `None` if it is not in that encoding.
    pub(super) fn decode(&self, kind: Kind, signature: &[u8]) -> Option<Vec<u8>> {
        let len = if let Family::Ecdsa(curve) = kind.family() { curve.len() } else { Curve::P256.len() };
        match self.encoding.unwrap_or_default() {
            Encoding::Der => numbers::read(signature, len),
            Encoding::Fixed => (signature.len() == 2 * len).then(|| signature.to_vec()),
        }
    }
}
