//! Signatures by RustCrypto and dalek.

use super::NO_RSA;
use crate::provider::{Curve, MU_LEN, MlDsaExpanded, MlDsaSet, RsaPadding, Sha, ecdsa, ml_dsa};
use ed25519_dalek::{Signature, Signer as _, SigningKey, Verifier as _, VerifyingKey};
use zeroize::Zeroizing;

/// A private key of Ed25519 (RFC 8032). Zeroed on drop.
pub(crate) struct Ed25519(SigningKey);

impl Ed25519 {
    pub(crate) fn from_seed(seed: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(seed))
    }

    pub(crate) fn public_key(&self) -> [u8; 32] {
        self.0.verifying_key().to_bytes()
    }

    pub(crate) fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }

    /// Whether the signature is valid: R equals the point computed from S, key and message, byte by byte, and S is below the
    /// group's order.
    pub(crate) fn verify(public: &[u8; 32], message: &[u8], signature: &[u8; 64]) -> bool {
        VerifyingKey::from_bytes(public).is_ok_and(|key| key.verify(message, &Signature::from_bytes(signature)).is_ok())
    }
}

/// A private key of ECDSA. Zeroed on drop.
pub(crate) struct Ecdsa {
    curve: Curve,
    private: Zeroizing<Vec<u8>>,
}

impl Ecdsa {
    /// Reads the key from its number, and returns it with its uncompressed point; `None` for a number that is no private key.
    pub(crate) fn from_bytes(curve: Curve, private: &[u8]) -> Option<(Self, Vec<u8>)> {
        let public = ecdsa::public_key(curve, private)?;
        Some((Self { curve, private: Zeroizing::new(private.to_vec()) }, public))
    }

    /// Whether the library draws randomness itself, so that [`sign`](Self::sign) needs none: it never does.
    #[expect(clippy::unused_self, reason = "the providers have the same functions")]
    pub(crate) fn has_own_randomness(&self, _: Sha) -> bool {
        false
    }

    /// Signs, and returns r ‖ s with low s.
    ///
    /// # Panics
    /// Without randomness.
    pub(crate) fn sign(&self, hash: Sha, message: &[u8], random: Option<&[u8; 32]>) -> Vec<u8> {
        let random = random.expect("ecdsa: there is randomness");
        self.sign_digest(&hash.digest(message), random)
    }

    /// Signs a digest of any hash, and returns r ‖ s with low s.
    pub(crate) fn sign_digest(&self, digest: &[u8], random: &[u8; 32]) -> Vec<u8> {
        ecdsa::sign(self.curve, &self.private, digest, random)
    }
}

/// A public key of ECDSA.
#[derive(Clone)]
pub(crate) struct EcdsaPublic {
    curve: Curve,
    point: Vec<u8>,
}

impl EcdsaPublic {
    /// Reads an uncompressed point; `None` if it is not on the curve.
    pub(crate) fn from_bytes(curve: Curve, point: &[u8]) -> Option<Self> {
        ecdsa::is_on_curve(curve, point).then(|| Self { curve, point: point.to_vec() })
    }

    /// Whether r ‖ s is a signature of the message.
    pub(crate) fn verify(&self, hash: Sha, message: &[u8], signature: &[u8]) -> bool {
        self.verify_digest(&hash.digest(message), signature)
    }

    /// Whether r ‖ s is a signature of a digest of any hash.
    pub(crate) fn verify_digest(&self, digest: &[u8], signature: &[u8]) -> bool {
        ecdsa::verify(self.curve, &self.point, digest, signature)
    }
}

/// A private key of ML-DSA. Zeroed on drop.
pub(crate) struct MlDsa(MlDsaExpanded);

impl MlDsa {
    /// Expands a seed, and returns the key and its public key.
    pub(crate) fn from_seed(set: MlDsaSet, seed: &[u8; 32]) -> (Self, Vec<u8>) {
        let key = MlDsaExpanded::from_seed(set, seed);
        let public = key.public_key();
        (Self(key), public)
    }

    /// Signs with a context of at most 255 bytes.
    pub(crate) fn sign(&self, context: &[u8], message: &[u8], random: &[u8; 32]) -> Vec<u8> {
        self.0.sign(context, message, random)
    }

    /// Signs the message that µ represents.
    pub(crate) fn sign_mu(&self, mu: &[u8; MU_LEN], random: &[u8; 32]) -> Vec<u8> {
        self.0.sign_mu(mu, random)
    }
}

/// A public key of ML-DSA.
#[derive(Clone)]
pub(crate) struct MlDsaPublic(ml_dsa::Public);

impl MlDsaPublic {
    /// Reads a key; `None` for another length.
    pub(crate) fn from_bytes(set: MlDsaSet, bytes: &[u8]) -> Option<Self> {
        ml_dsa::Public::from_bytes(set, bytes).map(Self)
    }

    pub(crate) fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> bool {
        self.0.verify(context, message, signature)
    }

    pub(crate) fn verify_mu(&self, mu: &[u8; MU_LEN], signature: &[u8]) -> bool {
        self.0.verify_mu(mu, signature)
    }
}

/// A private key of RSA for signatures, as [`RsaDecryption`](super::RsaDecryption).
pub(crate) struct Rsa;

impl Rsa {
    #[expect(clippy::unnecessary_wraps, reason = "the providers have the same functions")]
    pub(crate) fn from_pkcs1(_private: &[u8]) -> Option<Self> {
        Some(Self)
    }

    pub(crate) fn sign(&self, _padding: RsaPadding, _hash: Sha, _message: &[u8]) -> Vec<u8> {
        unreachable!("{NO_RSA}")
    }
}

/// A public key of RSA, as [`Rsa`].
#[derive(Clone)]
pub(crate) struct RsaPublic;

impl RsaPublic {
    #[expect(clippy::unnecessary_wraps, reason = "the providers have the same functions")]
    pub(crate) fn from_pkcs1(_public: &[u8]) -> Option<Self> {
        Some(Self)
    }

    pub(crate) fn verify(&self, _padding: RsaPadding, _hash: Sha, _message: &[u8], _signature: &[u8]) -> bool {
        unreachable!("{NO_RSA}")
    }
}
