//! How forms of keys name an algorithm.

use crate::error::UnsupportedKey;
use der::asn1::ObjectIdentifier;

/// How DER names an algorithm, and with that how it holds keys.
#[derive(Debug)]
pub(super) enum DerNames {
    /// By a curve (RFC 5480), with keys of SEC1, and with points that have a compressed form.
    Curve(ObjectIdentifier),
    /// By itself, with keys in an `OCTET STRING` (RFC 8410).
    Octets(ObjectIdentifier),
    /// By itself, with seeds (RFC 9881, RFC 9935).
    Seed {
        oid: ObjectIdentifier,
        seed_len: usize,
        /// Bytes of the key that a seed expands to.
        expanded_len: usize,
        /// What is said of that key alone.
        alone: UnsupportedKey,
    },
    /// By itself, with nothing around the key.
    Raw(ObjectIdentifier),
    /// By itself, with keys of PKCS#1 (RFC 8017 appendix A.1).
    Rsa,
}

pub(super) const fn oid(text: &str) -> ObjectIdentifier {
    ObjectIdentifier::new_unwrap(text)
}

/// How a JWK names an algorithm.
#[derive(Debug)]
pub(super) struct JwkNames {
    pub(super) kty: JwkType,
    /// In `crv`, and in `alg` of the type `AKP`.
    pub(super) name: &'static str,
    /// Bytes of a value of the public key; RSA has any number.
    pub(super) len: usize,
    /// What `alg` may say of keys that sign.
    pub(super) signs: &'static [&'static str],
}

/// How a JWK holds a key.
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
