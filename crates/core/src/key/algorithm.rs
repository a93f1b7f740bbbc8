//! The algorithms of keys. Each has a row with its names in every form. Types of keys refer to these rows, so that P-256, for
//! example, has one row for encryption, signatures and key agreement.

use super::names::{DerNames, JwkNames, JwkType, oid};
use super::pbes2::Encryption;
use crate::error::{KeyFault, UnsupportedKey};

/// The names and properties of an algorithm.
#[derive(Debug)]
pub(super) struct Row {
    /// The names in PEM and DER.
    pub(super) der: Option<DerNames>,
    /// The names in a JSON Web Key.
    pub(super) jwk: Option<JwkNames>,
    /// The error for an invalid public key of the right length.
    pub(super) wrong: KeyFault,
    /// The encryption of private keys.
    pub(super) encryption: Encryption,
}

macro_rules! algorithms {
    ($($(#[doc = $doc:literal])* $variant:ident = $row:expr;)+) => {
        /// An algorithm that a form of keys can name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Algorithm {
            $($(#[doc = $doc])* $variant,)+
        }

        impl Algorithm {
            pub(super) const ALL: &[Self] = &[$(Self::$variant),+];

            pub(super) fn row(self) -> &'static Row {
                match self { $(Self::$variant => { const ROW: &Row = &$row; ROW })+ }
            }

            /// Whether the algorithm has PEM and DER. It does not use the row, so that a module of WebAssembly without these
            /// forms contains no rows.
            pub(super) fn has_der(self) -> bool {
                match self { $(Self::$variant => const { $row.der.is_some() })+ }
            }

            /// Whether the algorithm has a JWK, without its row for the same reason.
            pub(super) fn has_jwk(self) -> bool {
                match self { $(Self::$variant => const { $row.jwk.is_some() })+ }
            }
        }
    };
}

/// The properties of most algorithms.
const PLAIN: Row = Row {
    der: None,
    jwk: None,
    wrong: KeyFault::Other("the key is not a valid public key of its algorithm"),
    encryption: Encryption::Sha256Aes256,
};

/// A curve of NIST's form, with uncompressed points.
const fn curve(id: &'static str, name: &'static str, len: usize, signs: &'static [&'static str]) -> Row {
    let jwk = Some(JwkNames { kty: JwkType::Ec, name, len, signs });
    Row { der: Some(DerNames::Curve(oid(id))), jwk, wrong: KeyFault::InvalidPoint, ..PLAIN }
}

/// The names of ML-KEM, whose private keys are seeds.
const fn ml_kem(id: &'static str, expanded_len: usize) -> DerNames {
    DerNames::Seed { oid: oid(id), seed_len: 64, expanded_len, alone: UnsupportedKey::MlKemExpanded }
}

/// The names of ML-DSA, as those of [`ml_kem`].
const fn ml_dsa(id: &'static str, expanded_len: usize) -> DerNames {
    DerNames::Seed { oid: oid(id), seed_len: 32, expanded_len, alone: UnsupportedKey::MlDsaExpanded }
}

/// The names of an algorithm of signatures whose JWK has its name only.
const fn akp(name: &'static [&'static str; 1], len: usize) -> JwkNames {
    JwkNames { kty: JwkType::Akp, name: name[0], len, signs: name }
}

algorithms! {
    /// X-Wing, which has only age's strings.
    Hybrid = PLAIN;
    /// A symmetric key, which has no algorithm of its own.
    Symmetric = PLAIN;
    /// RFC 8410, 8037.
    X25519 = Row {
        der: Some(DerNames::Octets(oid("1.3.101.110"))),
        jwk: Some(JwkNames { kty: JwkType::Okp, name: "X25519", len: 32, signs: &[] }),
        wrong: KeyFault::Other("the point has low order"),
        ..PLAIN
    };
    /// RFC 5480, 7518.
    P256 = curve("1.2.840.10045.3.1.7", "P-256", 32, &["ES256"]);
    /// RFC 5480, 7518.
    P384 = curve("1.3.132.0.34", "P-384", 48, &["ES384"]);
    /// RFC 5480, 7518.
    P521 = curve("1.3.132.0.35", "P-521", 66, &["ES512"]);
    /// SEC 2, RFC 8812.
    Secp256k1 = curve("1.3.132.0.10", "secp256k1", 32, &["ES256K"]);
    /// GB/T 35276.
    Sm2 = Row {
        der: Some(DerNames::Curve(oid("1.2.156.10197.1.301"))),
        wrong: KeyFault::InvalidPoint,
        encryption: Encryption::Sm3Sm4,
        ..PLAIN
    };
    /// RFC 8017, 7518.
    Rsa = Row {
        der: Some(DerNames::Rsa),
        jwk: Some(JwkNames {
            kty: JwkType::Rsa,
            name: "RSA",
            len: 0,
            signs: &["PS256", "PS384", "PS512", "RS256", "RS384", "RS512"],
        }),
        wrong: KeyFault::Other("the key is not an RSA public key with 2048 to 8192 bits"),
        ..PLAIN
    };
    /// RFC 8410, 8037.
    Ed25519 = Row {
        der: Some(DerNames::Octets(oid("1.3.101.112"))),
        jwk: Some(JwkNames { kty: JwkType::Okp, name: "Ed25519", len: 32, signs: &["EdDSA", "Ed25519"] }),
        ..PLAIN
    };
    /// RFC 8410. No type of keys has it.
    Ed448 = Row { der: Some(DerNames::Octets(oid("1.3.101.113"))), ..PLAIN };
    /// RFC 9935.
    MlKem512 = Row { der: Some(ml_kem("2.16.840.1.101.3.4.4.1", 1632)), ..PLAIN };
    /// RFC 9935.
    MlKem768 = Row {
        der: Some(ml_kem("2.16.840.1.101.3.4.4.2", 2400)),
        wrong: KeyFault::Other("the key is not in range (FIPS 203 section 7.2)"),
        ..PLAIN
    };
    /// RFC 9935.
    MlKem1024 = Row { der: Some(ml_kem("2.16.840.1.101.3.4.4.3", 3168)), ..PLAIN };
    /// RFC 9881, 9964.
    MlDsa44 = Row { der: Some(ml_dsa("2.16.840.1.101.3.4.3.17", 2560)), jwk: Some(akp(&["ML-DSA-44"], 1312)), ..PLAIN };
    /// RFC 9881, 9964.
    MlDsa65 = Row { der: Some(ml_dsa("2.16.840.1.101.3.4.3.18", 4032)), jwk: Some(akp(&["ML-DSA-65"], 1952)), ..PLAIN };
    /// RFC 9881, 9964.
    MlDsa87 = Row { der: Some(ml_dsa("2.16.840.1.101.3.4.3.19", 4896)), jwk: Some(akp(&["ML-DSA-87"], 2592)), ..PLAIN };
    /// id-MLDSA44-Ed25519-SHA512 (draft-ietf-lamps-pq-composite-sigs-19).
    MlDsa44Ed25519 = Row { der: Some(DerNames::Raw(oid("1.3.6.1.5.5.7.6.39"))), ..PLAIN };
    /// id-MLDSA65-Ed25519-SHA512.
    MlDsa65Ed25519 = Row { der: Some(DerNames::Raw(oid("1.3.6.1.5.5.7.6.48"))), ..PLAIN };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_algorithms_share_a_name() {
        let rows = || Algorithm::ALL.iter().map(|algorithm| algorithm.row());
        let oids: Vec<_> = rows().filter_map(|row| row.der.as_ref()).map(|names| names.oid().to_string()).collect();
        assert_eq!(oids.iter().collect::<BTreeSet<_>>().len(), oids.len());
        let names: Vec<_> = rows().filter_map(|row| row.jwk.as_ref()).collect();
        assert_eq!(names.iter().map(|names| names.name).collect::<BTreeSet<_>>().len(), names.len());
    }
}
