//! The forms of keys that sign: each is read again, and whatever is wrong with one is said.

use super::*;
use crate::sign::tests::keys;

const MESSAGE: &[u8] = b"attack at dawn";

#[test]
fn every_kind_is_read_from_what_it_writes() {
    let passphrase = Passphrase::new("correct horse battery staple").unwrap();
    for key in keys() {
        let (kind, public) = (key.kind(), key.public_key());
        let is_same = |read: Result<PrivateKey>, form: &str| {
            let read = read.unwrap_or_else(|error| panic!("{kind}, {form}: {error}"));
            assert_eq!((read.kind(), read.to_bytes()), (kind, key.to_bytes()), "{form}");
        };
        is_same(PrivateKey::parse(&*key.to_pem(None).unwrap(), None), "PEM");
        is_same(PrivateKey::parse(&*key.to_der(None).unwrap(), None), "DER");
        let locked = key.to_pem(Some(&passphrase)).unwrap();
        is_same(PrivateKey::parse(&*locked, Some(&passphrase)), "encrypted PEM");
        let code = |passphrase: Option<&Passphrase>| PrivateKey::parse(&*locked, passphrase).unwrap_err().code();
        assert_eq!(code(None), "passphrase_required");
        assert_eq!(code(Some(&Passphrase::new("another").unwrap())), "no_matching_identity");
        for form in [public.to_pem().into_bytes(), public.to_der()] {
            assert_eq!(PublicKey::parse(&form).unwrap(), public, "{kind}");
            assert_eq!(PrivateKey::parse(&form, None).unwrap_err().code(), "invalid_key", "{kind}");
        }
        for form in [key.to_pem(None).unwrap().as_bytes(), &key.to_der(None).unwrap()] {
            assert_eq!(PublicKey::parse(form).unwrap_err().code(), "invalid_key", "{kind}");
        }
        if matches!(kind, Kind::HybridSign | Kind::Hybrid44Sign | Kind::Sm2Sign) {
            assert_eq!(key.to_jwk().unwrap_err().code(), "unsupported_key");
            assert_eq!(public.to_jwk().unwrap_err().code(), "unsupported_key");
            continue;
        }
        let (private_jwk, public_jwk) = (key.to_jwk().unwrap(), public.to_jwk().unwrap());
        is_same(PrivateKey::parse(&*private_jwk, None), "JWK");
        assert_eq!(PublicKey::parse(&public_jwk).unwrap(), public, "{kind}");
        assert_eq!(PublicKey::parse(&*private_jwk).unwrap_err().code(), "invalid_key", "{kind}");
        assert_eq!(PrivateKey::parse(&public_jwk, None).unwrap_err().code(), "invalid_key", "{kind}");
    }
}

#[test]
fn a_key_cut_anywhere_or_with_a_byte_more_is_no_key() {
    for key in keys() {
        let (private, public) = (key.to_der(None).unwrap(), key.public_key().to_der());
        for len in [0, 1, 2, 10, private.len() / 2, private.len() - 1] {
            assert!(PrivateKey::parse(&private[..len], None).is_err(), "{} {len}", key.kind());
        }
        for len in [0, 1, 2, 10, public.len() / 2, public.len() - 1] {
            assert!(PublicKey::parse(&public[..len]).is_err(), "{} {len}", key.kind());
        }
        assert!(PrivateKey::parse([&private[..], &[0]].concat(), None).is_err());
        assert!(PublicKey::parse([&public[..], &[0]].concat()).is_err());
    }
}

#[test]
fn a_public_key_beside_a_private_one_must_be_its_own() {
    for kind in [Kind::P256Sign, Kind::P384Sign, Kind::P521Sign, Kind::Secp256k1, Kind::Sm2Sign] {
        let [key, other] = [(); 2].map(|()| PrivateKey::generate(kind).unwrap());
        let algorithm = algorithm(kind);
        let false_copy = asn1::write_private(algorithm, &key.to_bytes(), other.public_key().to_bytes()).unwrap();
        let error = PrivateKey::parse(&*false_copy, None).unwrap_err();
        assert!(error.to_string().contains("does not match"), "{kind}: {error}");
        // A compressed copy is one.
        let point = key.public_key().to_bytes().to_vec();
        let (x, y) = point[1..].split_at(point.len() / 2);
        let compressed = [&[2 | (y[y.len() - 1] & 1)], x].concat();
        let copy = asn1::write_private(algorithm, &key.to_bytes(), &compressed).unwrap();
        PrivateKey::parse(&*copy, None).unwrap();
    }
    let [key, other] = [(); 2].map(|()| PrivateKey::generate(Kind::Ed25519).unwrap());
    let other = other.public_key().to_jwk().unwrap();
    let own = key.public_key().to_jwk().unwrap();
    let x = |jwk: &str| jwk.split("\"x\":\"").nth(1).unwrap()[..43].to_owned();
    let jwk = key.to_jwk().unwrap().replace(&x(&own), &x(&other));
    assert!(PrivateKey::parse(&jwk, None).unwrap_err().to_string().contains("does not match"));
}

#[test]
fn a_jwk_says_what_it_is_for() {
    let key = PrivateKey::generate(Kind::P256Sign).unwrap().public_key();
    let jwk = key.to_jwk().unwrap();
    let with = |member: &str| jwk.replacen('{', &format!("{{{member},"), 1);
    for member in [r#""use":"sig""#, r#""alg":"ES256""#, r#""key_ops":["verify"]"#, r#""kid":"1""#] {
        assert_eq!(PublicKey::parse(with(member)).unwrap(), key);
    }
    for member in [r#""use":"enc""#, r#""alg":"ES384""#, r#""alg":"ECDH-ES""#, r#""key_ops":["deriveBits"]"#] {
        assert_eq!(PublicKey::parse(with(member)).unwrap_err().code(), "invalid_key", "{member}");
    }
    for jwk in [r#"{"kty":"OKP","crv":"X25519","x":"AA"}"#, r#"{"kty":"oct","k":"AA"}"#, r#"{"keys":[]}"#] {
        assert_eq!(PublicKey::parse(jwk).unwrap_err().code(), "unsupported_key", "{jwk}");
    }
}

#[test]
fn keys_that_do_not_sign_are_of_another_family() {
    for kind in [crate::Kind::X25519, crate::Kind::MlKem768] {
        let identity = crate::Identity::generate(kind).unwrap();
        let error = PrivateKey::parse(&*identity.to_pem(None).unwrap(), None).unwrap_err();
        assert_eq!(error.to_string(), "unsupported key type: its algorithm is none of this family, or is not known");
        let error = PublicKey::parse(identity.recipient().to_pem().unwrap()).unwrap_err();
        assert_eq!(error.code(), "unsupported_key");
    }
    // Age's strings are none, and one that is secret is not shown.
    let identity = crate::Identity::generate(crate::Kind::X25519).unwrap().to_text().unwrap();
    assert_eq!(PrivateKey::parse(&*identity, None).unwrap_err().code(), "invalid_key");
    // And the other way round.
    for kind in [Kind::Ed25519, Kind::MlDsa65, Kind::P384Sign] {
        let key = PrivateKey::generate(kind).unwrap();
        let error = crate::parse_identities(&*key.to_pem(None).unwrap(), None).unwrap_err();
        assert_eq!(error.error.code(), "unsupported_key");
        assert_eq!(crate::parse_recipients(key.public_key().to_pem()).unwrap_err().error.code(), "unsupported_key");
    }
}

#[test]
fn ml_dsa_is_read_with_what_its_seed_expands_to_and_not_without_the_seed() {
    for kind in [Kind::MlDsa44, Kind::MlDsa65, Kind::MlDsa87] {
        let key = PrivateKey::generate(kind).unwrap();
        let seed = key.to_bytes();
        let mut expanded = expand(kind, &seed).unwrap();
        let both = |expanded: &[u8]| asn1::tests::both(algorithm(kind), &seed, expanded);
        assert_eq!(PrivateKey::parse(both(&expanded), None).unwrap().to_bytes(), seed);
        let error = PrivateKey::parse(asn1::tests::expanded(algorithm(kind), &expanded), None).unwrap_err();
        assert_eq!(error.to_string(), "unsupported key format: an ML-DSA key in expanded form, without its seed");
        // The rows' `expanded_len` are right, and a key that was exchanged is noticed.
        expanded[1000] ^= 1;
        let error = PrivateKey::parse(both(&expanded), None).unwrap_err();
        assert!(error.to_string().contains("does not match the seed"), "{error}");
    }
}

/// Keys that sign in the way of the form, and not only look like it.
#[test]
fn what_was_read_signs() {
    for key in keys() {
        let read = PrivateKey::parse(&*key.to_pem(None).unwrap(), None).unwrap();
        key.public_key().verify(MESSAGE, &read.sign(MESSAGE).unwrap()).unwrap();
    }
}
