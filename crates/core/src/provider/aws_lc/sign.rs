//! Signatures by AWS-LC.

use crate::provider::{Curve, MU_LEN, MlDsaExpanded, MlDsaSet, RsaPadding, Sha, ecdsa, ml_dsa};
use aws_lc_rs::digest;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{self, EcdsaKeyPair, KeyPair as _, PqdsaKeyPair, RsaKeyPair};
use std::sync::OnceLock;
use zeroize::Zeroizing;

/// A private key of Ed25519 (RFC 8032).
pub(crate) struct Ed25519(signature::Ed25519KeyPair);

impl Ed25519 {
    pub(crate) fn from_seed(seed: &[u8; 32]) -> Self {
        Self(signature::Ed25519KeyPair::from_seed_unchecked(seed).expect("aws-lc: any 32 bytes are a seed"))
    }

    pub(crate) fn public_key(&self) -> [u8; 32] {
        self.0.public_key().as_ref().try_into().expect("aws-lc: a public key has 32 bytes")
    }

    pub(crate) fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).as_ref().try_into().expect("aws-lc: a signature has 64 bytes")
    }

    /// Whether the signature is valid: R equals the point computed from S, key and message, byte by byte, and S is below the
    /// group's order.
    pub(crate) fn verify(public: &[u8; 32], message: &[u8], signature: &[u8; 64]) -> bool {
        signature::UnparsedPublicKey::new(&signature::ED25519, public).verify(message, signature).is_ok()
    }
}

/// A private key of ECDSA. AWS-LC signs with the curve's own hash, RustCrypto with all others.
pub(crate) struct Ecdsa {
    curve: Curve,
    pair: EcdsaKeyPair,
    private: Zeroizing<Vec<u8>>,
}

impl Ecdsa {
    /// Reads the key from its number, and returns it with its uncompressed point; `None` for a number that is no private key.
    pub(crate) fn from_bytes(curve: Curve, private: &[u8]) -> Option<(Self, Vec<u8>)> {
        let algorithm = match curve {
            Curve::P256 => &signature::ECDSA_P256_SHA256_ASN1_SIGNING,
            Curve::P384 => &signature::ECDSA_P384_SHA384_ASN1_SIGNING,
            Curve::P521 => &signature::ECDSA_P521_SHA512_ASN1_SIGNING,
            Curve::Secp256k1 => &signature::ECDSA_P256K1_SHA256_ASN1_SIGNING,
        };
        // RFC 5915, without the public key: AWS-LC computes it. All lengths are below 128.
        let len = u8::try_from(private.len()).ok().filter(|_| private.len() == curve.len())?;
        let sec1 = Zeroizing::new([&[0x30, len + 5, 2, 1, 1, 4, len], private].concat());
        let pair = EcdsaKeyPair::from_private_key_der(algorithm, &sec1).ok()?;
        let public = pair.public_key().as_ref().to_vec();
        Some((Self { curve, pair, private: Zeroizing::new(private.to_vec()) }, public))
    }

    /// Whether AWS-LC draws the number k itself, as in [`MlKem768Public::encapsulate`]; then [`sign`](Self::sign) needs no
    /// randomness.
    pub(crate) fn has_own_randomness(&self, hash: Sha) -> bool {
        hash == self.curve.own_hash()
    }

    /// Signs, and returns r ‖ s with low s.
    ///
    /// # Panics
    /// Without randomness, unless AWS-LC [draws it itself](Self::has_own_randomness).
    pub(crate) fn sign(&self, hash: Sha, message: &[u8], random: Option<&[u8; 32]>) -> Vec<u8> {
        if !self.has_own_randomness(hash) {
            let random = random.expect("aws-lc: there is randomness where it draws none");
            return ecdsa::sign(self.curve, &self.private, &hash.digest(message), random);
        }
        let algorithm = match hash {
            Sha::Sha256 => &digest::SHA256,
            Sha::Sha384 => &digest::SHA384,
            Sha::Sha512 => &digest::SHA512,
        };
        // Hashing first takes fewer allocations than `sign`, and reading the DER here fewer than asking the bindings for r ‖ s.
        let signature =
            self.pair.sign_digest(&digest::digest(algorithm, message)).expect("aws-lc: the key was checked");
        ecdsa::normalize_s(self.curve, &read_numbers(signature.as_ref(), self.curve.len()))
    }

    /// Signs a digest of any hash, and returns r ‖ s with low s.
    pub(crate) fn sign_digest(&self, digest: &[u8], random: &[u8; 32]) -> Vec<u8> {
        ecdsa::sign(self.curve, &self.private, digest, random)
    }
}

/// Converts DER that AWS-LC wrote to r ‖ s, `len` bytes each.
fn read_numbers(der: &[u8], len: usize) -> Vec<u8> {
    let mut signature = vec![0; 2 * len];
    // A number is shorter than 128 bytes, but two numbers of P-521 are longer, and need a second byte for their length.
    let mut rest = if der[1] < 0x80 { &der[2..] } else { &der[3..] };
    for place in signature.chunks_exact_mut(len) {
        let (number, after) = rest[2..].split_at(rest[1].into());
        // DER puts a zero before a number whose highest bit is set, as it is positive.
        let number = number.strip_prefix(&[0]).unwrap_or(number);
        place[len - number.len()..].copy_from_slice(number);
        rest = after;
    }
    signature
}

/// A public key of ECDSA. As for [`Ecdsa`], RustCrypto verifies with other hashes than the curve's own.
#[derive(Clone)]
pub(crate) struct EcdsaPublic {
    curve: Curve,
    key: signature::ParsedPublicKey,
}

impl EcdsaPublic {
    /// Reads an uncompressed point; `None` if it is not on the curve.
    pub(crate) fn from_bytes(curve: Curve, point: &[u8]) -> Option<Self> {
        let algorithm = match curve {
            Curve::P256 => &signature::ECDSA_P256_SHA256_FIXED,
            Curve::P384 => &signature::ECDSA_P384_SHA384_FIXED,
            Curve::P521 => &signature::ECDSA_P521_SHA512_FIXED,
            Curve::Secp256k1 => &signature::ECDSA_P256K1_SHA256_FIXED,
        };
        // AWS-LC would also read other forms.
        if point.len() != 1 + 2 * curve.len() || point[0] != 4 {
            return None;
        }
        Some(Self { curve, key: signature::ParsedPublicKey::new(algorithm, point).ok()? })
    }

    /// Whether r ‖ s is a signature of the message.
    pub(crate) fn verify(&self, hash: Sha, message: &[u8], signature: &[u8]) -> bool {
        if hash != self.curve.own_hash() {
            return ecdsa::verify(self.curve, self.key.as_ref(), &hash.digest(message), signature);
        }
        self.key.verify_sig(message, signature).is_ok()
    }

    /// Whether r ‖ s is a signature of a digest of any hash.
    pub(crate) fn verify_digest(&self, digest: &[u8], signature: &[u8]) -> bool {
        ecdsa::verify(self.curve, self.key.as_ref(), digest, signature)
    }
}

/// A private key of ML-DSA. AWS-LC's bindings take no context, so RustCrypto's key for that is expanded at its first use.
pub(crate) struct MlDsa {
    set: MlDsaSet,
    pair: PqdsaKeyPair,
    seed: Zeroizing<[u8; 32]>,
    with_context: OnceLock<MlDsaExpanded>,
}

impl MlDsa {
    /// Expands a seed, and returns the key and its public key.
    pub(crate) fn from_seed(set: MlDsaSet, seed: &[u8; 32]) -> (Self, Vec<u8>) {
        let algorithm = match set {
            MlDsaSet::MlDsa44 => &signature::ML_DSA_44_SIGNING,
            MlDsaSet::MlDsa65 => &signature::ML_DSA_65_SIGNING,
            MlDsaSet::MlDsa87 => &signature::ML_DSA_87_SIGNING,
        };
        let pair = PqdsaKeyPair::from_seed(algorithm, seed).expect("aws-lc: any 32 bytes are a seed");
        let public = pair.public_key().as_ref().to_vec();
        (Self { set, pair, seed: Zeroizing::new(*seed), with_context: OnceLock::new() }, public)
    }

    /// Signs with a context of at most 255 bytes. Without a context AWS-LC draws the randomness itself.
    pub(crate) fn sign(&self, context: &[u8], message: &[u8], random: &[u8; 32]) -> Vec<u8> {
        if !context.is_empty() {
            return self.with_context().sign(context, message, random);
        }
        let mut signature = vec![0; self.pair.algorithm().signature_len()];
        self.pair.sign(message, &mut signature).expect("aws-lc: there is room for the signature");
        signature
    }

    /// Signs the message that µ represents. AWS-LC's bindings do not take µ either.
    pub(crate) fn sign_mu(&self, mu: &[u8; MU_LEN], random: &[u8; 32]) -> Vec<u8> {
        self.with_context().sign_mu(mu, random)
    }

    fn with_context(&self) -> &MlDsaExpanded {
        self.with_context.get_or_init(|| MlDsaExpanded::from_seed(self.set, &self.seed))
    }
}

/// A public key of ML-DSA. As for [`MlDsa`], RustCrypto verifies with a context.
#[derive(Clone)]
pub(crate) struct MlDsaPublic {
    set: MlDsaSet,
    key: signature::ParsedPublicKey,
    with_context: OnceLock<ml_dsa::Public>,
}

impl MlDsaPublic {
    /// Takes a key, which the caller has checked to have the set's length: AWS-LC would also read other forms. `None` if it is
    /// no key.
    pub(crate) fn from_bytes(set: MlDsaSet, bytes: &[u8]) -> Option<Self> {
        let algorithm = match set {
            MlDsaSet::MlDsa44 => &signature::ML_DSA_44,
            MlDsaSet::MlDsa65 => &signature::ML_DSA_65,
            MlDsaSet::MlDsa87 => &signature::ML_DSA_87,
        };
        let key = signature::ParsedPublicKey::new(algorithm, bytes).ok()?;
        Some(Self { set, key, with_context: OnceLock::new() })
    }

    pub(crate) fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> bool {
        if context.is_empty() {
            return self.key.verify_sig(message, signature).is_ok();
        }
        self.with_context().verify(context, message, signature)
    }

    pub(crate) fn verify_mu(&self, mu: &[u8; MU_LEN], signature: &[u8]) -> bool {
        self.with_context().verify_mu(mu, signature)
    }

    fn with_context(&self) -> &ml_dsa::Public {
        self.with_context.get_or_init(|| {
            ml_dsa::Public::from_bytes(self.set, self.key.as_ref()).expect("aws-lc: the key has its length")
        })
    }
}

/// A private key of RSA, with 2,048 to 8,192 bits.
pub(crate) struct Rsa(RsaKeyPair);

impl Rsa {
    /// Reads a key in PKCS#1; `None` if it is no key.
    pub(crate) fn from_pkcs1(private: &[u8]) -> Option<Self> {
        RsaKeyPair::from_der(private).ok().map(Self)
    }

    pub(crate) fn sign(&self, padding: RsaPadding, hash: Sha, message: &[u8]) -> Vec<u8> {
        let encoding = match (padding, hash) {
            (RsaPadding::Pss, Sha::Sha256) => &signature::RSA_PSS_SHA256,
            (RsaPadding::Pss, Sha::Sha384) => &signature::RSA_PSS_SHA384,
            (RsaPadding::Pss, Sha::Sha512) => &signature::RSA_PSS_SHA512,
            (RsaPadding::Pkcs1, Sha::Sha256) => &signature::RSA_PKCS1_SHA256,
            (RsaPadding::Pkcs1, Sha::Sha384) => &signature::RSA_PKCS1_SHA384,
            (RsaPadding::Pkcs1, Sha::Sha512) => &signature::RSA_PKCS1_SHA512,
        };
        let mut signature = vec![0; self.0.public_modulus_len()];
        self.0.sign(encoding, &SystemRandom::new(), message, &mut signature).expect("aws-lc: the key was checked");
        signature
    }
}

/// A public key of RSA, with 2,048 to 8,192 bits, in PKCS#1.
#[derive(Clone)]
pub(crate) struct RsaPublic {
    pkcs1: Vec<u8>,
    /// AWS-LC's key for each padding and hash: its bindings bind the key to them. Reading a key takes an eighth of a
    /// verification.
    parsed: [OnceLock<signature::ParsedPublicKey>; 6],
}

impl RsaPublic {
    /// Reads a key; `None` if it is no key, or has another length.
    pub(crate) fn from_pkcs1(public: &[u8]) -> Option<Self> {
        let bits = signature::RsaParameters::public_modulus_len(public).ok()?;
        (2048..=8192).contains(&bits).then(|| Self { pkcs1: public.to_vec(), parsed: Default::default() })
    }

    pub(crate) fn verify(&self, padding: RsaPadding, hash: Sha, message: &[u8], signature: &[u8]) -> bool {
        let [pss_256, pss_384, pss_512, pkcs1_256, pkcs1_384, pkcs1_512] = &self.parsed;
        let (parsed, parameters) = match (padding, hash) {
            (RsaPadding::Pss, Sha::Sha256) => (pss_256, &signature::RSA_PSS_2048_8192_SHA256),
            (RsaPadding::Pss, Sha::Sha384) => (pss_384, &signature::RSA_PSS_2048_8192_SHA384),
            (RsaPadding::Pss, Sha::Sha512) => (pss_512, &signature::RSA_PSS_2048_8192_SHA512),
            (RsaPadding::Pkcs1, Sha::Sha256) => (pkcs1_256, &signature::RSA_PKCS1_2048_8192_SHA256),
            (RsaPadding::Pkcs1, Sha::Sha384) => (pkcs1_384, &signature::RSA_PKCS1_2048_8192_SHA384),
            (RsaPadding::Pkcs1, Sha::Sha512) => (pkcs1_512, &signature::RSA_PKCS1_2048_8192_SHA512),
        };
        let read = || signature::ParsedPublicKey::new(parameters, &self.pkcs1).expect("aws-lc: the key was read");
        parsed.get_or_init(read).verify_sig(message, signature).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_long_as_the_order_however_short_their_der_is() {
        assert_eq!(read_numbers(&[0x30, 6, 2, 1, 5, 2, 1, 0x7f], 3), [0, 0, 5, 0, 0, 0x7f]);
        // DER has a zero before a number whose highest bit is set.
        assert_eq!(read_numbers(&[0x30, 9, 2, 3, 0, 0x80, 1, 2, 2, 1, 0], 2), [0x80, 1, 1, 0]);
        let longest = [&[0x30, 0x81, 138, 2, 67, 0][..], &[0xff; 66], &[2, 67, 0], &[0xfe; 66]].concat();
        assert_eq!(read_numbers(&longest, 66), [[0xff; 66], [0xfe; 66]].concat());
    }
}
