//! The names of algorithms in forms of keys.

use crate::error::UnsupportedKey;
use der::asn1::ObjectIdentifier;

/// The name of an algorithm in DER, which also determines the structure of its keys.
#[derive(Debug)]
pub(super) enum DerNames {
    /// The name is a curve (RFC 5480). Private keys are SEC1, and points have a compressed form.
    Curve(ObjectIdentifier),
    /// Private keys are in an `OCTET STRING` (RFC 8410).
    Octets(ObjectIdentifier),
    /// Private keys are seeds (RFC 9881, RFC 9935).
    Seed {
        oid: ObjectIdentifier,
        seed_len: usize,
        /// Bytes of the expanded key.
        expanded_len: usize,
        /// The error for an expanded key without its seed.
        alone: UnsupportedKey,
    },
    /// Private keys have no structure around them.
    Raw(ObjectIdentifier),
    /// Keys are PKCS#1 (RFC 8017 appendix A.1).
    Rsa,
}

pub(super) const fn oid(text: &str) -> ObjectIdentifier {
    ObjectIdentifier::new_unwrap(text)
}

/// The names of an algorithm in a JWK.
#[derive(Debug)]
pub(super) struct JwkNames {
    pub(super) kty: JwkType,
    /// The name in `crv`, or in `alg` for the type `AKP`.
    pub(super) name: &'static str,
    /// Bytes of each value of the public key; 0 for RSA, whose values vary in length.
    pub(super) len: usize,
    /// The allowed values of `alg` for signature keys.
    pub(super) signs: &'static [&'static str],
}

/// The type of a JWK, which determines its members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JwkType {
    /// Two coordinates.
    Ec,
    /// One value.
    Okp,
    /// The numbers of PKCS#1.
    Rsa,
    /// One value, and a seed.
    Akp,
}
