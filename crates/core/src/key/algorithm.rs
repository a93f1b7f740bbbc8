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
    P256 = Row {
        der: Some(DerNames::Curve(oid("1.2.840.10045.3.1.7"))),
        jwk: Some(JwkNames { kty: JwkType::Ec, name: "P-256", len: 32, signs: &["ES256"] }),
        wrong: KeyFault::InvalidPoint,
        ..PLAIN
    };
    /// RFC 5480, 7518.
    P384 = Row {
        der: Some(DerNames::Curve(oid("1.3.132.0.34"))),
        jwk: Some(JwkNames { kty: JwkType::Ec, name: "P-384", len: 48, signs: &["ES384"] }),
        wrong: KeyFault::InvalidPoint,
        ..PLAIN
    };
    /// RFC 5480, 7518.
    P521 = Row {
        der: Some(DerNames::Curve(oid("1.3.132.0.35"))),
        jwk: Some(JwkNames { kty: JwkType::Ec, name: "P-521", len: 66, signs: &["ES512"] }),
        wrong: KeyFault::InvalidPoint,
        ..PLAIN
    };
    /// SEC 2, RFC 8812.
    Secp256k1 = Row {
        der: Some(DerNames::Curve(oid("1.3.132.0.10"))),
        jwk: Some(JwkNames { kty: JwkType::Ec, name: "secp256k1", len: 32, signs: &["ES256K"] }),
        wrong: KeyFault::InvalidPoint,
        ..PLAIN
    };
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
    MlKem512 = Row {
        der: Some(DerNames::Seed {
            oid: oid("2.16.840.1.101.3.4.4.1"),
            seed_len: 64,
            expanded_len: 1632,
            alone: UnsupportedKey::MlKemExpanded,
        }),
        ..PLAIN
    };
    /// RFC 9935.
    MlKem768 = Row {
        der: Some(DerNames::Seed {
            oid: oid("2.16.840.1.101.3.4.4.2"),
            seed_len: 64,
            expanded_len: 2400,
            alone: UnsupportedKey::MlKemExpanded,
        }),
        wrong: KeyFault::Other("the key is not in range (FIPS 203 section 7.2)"),
        ..PLAIN
    };
    /// RFC 9935.
    MlKem1024 = Row {
        der: Some(DerNames::Seed {
            oid: oid("2.16.840.1.101.3.4.4.3"),
            seed_len: 64,
            expanded_len: 3168,
            alone: UnsupportedKey::MlKemExpanded,
        }),
        ..PLAIN
    };
    /// RFC 9881, 9964.
    MlDsa44 = Row {
        der: Some(DerNames::Seed {
            oid: oid("2.16.840.1.101.3.4.3.17"),
            seed_len: 32,
            expanded_len: 2560,
            alone: UnsupportedKey::MlDsaExpanded,
        }),
        jwk: Some(JwkNames { kty: JwkType::Akp, name: "ML-DSA-44", len: 1312, signs: &["ML-DSA-44"] }),
        ..PLAIN
    };
    /// RFC 9881, 9964.
    MlDsa65 = Row {
        der: Some(DerNames::Seed {
            oid: oid("2.16.840.1.101.3.4.3.18"),
            seed_len: 32,
            expanded_len: 4032,
            alone: UnsupportedKey::MlDsaExpanded,
        }),
        jwk: Some(JwkNames { kty: JwkType::Akp, name: "ML-DSA-65", len: 1952, signs: &["ML-DSA-65"] }),
        ..PLAIN
    };
    /// RFC 9881, 9964.
    MlDsa87 = Row {
        der: Some(DerNames::Seed {
            oid: oid("2.16.840.1.101.3.4.3.19"),
            seed_len: 32,
            expanded_len: 4896,
            alone: UnsupportedKey::MlDsaExpanded,
        }),
        jwk: Some(JwkNames { kty: JwkType::Akp, name: "ML-DSA-87", len: 2592, signs: &["ML-DSA-87"] }),
        ..PLAIN
    };
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
