//! Known answers: Wycheproof's OAEP and PKCS#1 v1.5, and those of draft-irtf-cfrg-rsa-guidance. Forms of keys, and OpenSSL, are in
//! `tests/`.

use super::*;
use data_encoding::HEXLOWER;
use der::Decode as _;
use der::asn1::UintRef;
use serde_json::Value;

fn hex(value: &Value) -> Vec<u8> {
    HEXLOWER.decode(value.as_str().unwrap().as_bytes()).unwrap()
}

/// Keys and ciphertexts; keys have `pkcs1`.
fn vectors() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/borrowed/rsa_implicit_rejection.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// The PKCS#1 of a published key: `k2048`, `k2049`, `k3072` or `k4096`.
pub(crate) fn published(name: &str) -> Vec<u8> {
    let all = vectors();
    hex(&all.iter().find(|vector| vector["key"] == name && !vector["pkcs1"].is_null()).unwrap()["pkcs1"])
}

#[test]
#[cfg(sealstone_rustcrypto)]
fn without_aws_lc_keys_are_read_and_compute_nothing() {
    let key = PrivateKey::from_bytes(&published("k2048")).unwrap();
    let public = PublicKey::from_bytes(key.public_key().to_bytes()).unwrap();
    let none = "unavailable_backend";
    assert_eq!(PrivateKey::generate(2048).unwrap_err().code(), none);
    assert_eq!(public.encrypt(&Oaep::default(), b"").unwrap_err().code(), none);
    assert_eq!(key.decrypt(&Oaep::default(), &[1; 256]).unwrap_err().code(), none);
    assert_eq!(legacy::encrypt(&public, b"").unwrap_err().code(), none);
    assert_eq!(legacy::decrypt(&key, &[1; 256]).unwrap_err().code(), none);
    // Invalid input is reported first.
    assert_eq!(public.encrypt(&Oaep::default(), &[0; 191]).unwrap_err().code(), "too_long");
    assert_eq!(key.decrypt(&Oaep::default(), &[0; 255]).unwrap_err().code(), "wrong_length");
    assert_eq!(key.decrypt(&Oaep::default(), &[0xff; 256]).unwrap_err().code(), "not_authentic");
    assert_eq!(legacy::decrypt(&key, &[0xff; 256]).unwrap_err().code(), "malformed_ciphertext");
}

#[test]
fn numbers_that_rsa_leaves_as_they_are_are_refused() {
    let key = PrivateKey::from_bytes(&published("k2048")).unwrap();
    let modulus = PublicDer::from_der(key.public_key().to_bytes()).unwrap().modulus.as_bytes().to_vec();
    let (mut last, mut one) = (modulus.clone(), [0; 256]);
    // The modulus is odd.
    last[255] -= 1;
    one[255] = 1;
    for number in [&[0; 256], &one[..], &last, &modulus] {
        assert_eq!(key.decrypt(&Oaep::default(), number).unwrap_err().code(), "not_authentic");
        assert_eq!(legacy::decrypt(&key, number).unwrap_err().code(), "malformed_ciphertext");
    }
    one[255] = 2;
    assert!(legacy::decrypt_by(&key, &one, || Ok(Zeroizing::new(vec![0; 256]))).is_ok());
}

/// A host returns padded messages; the right one is written by hand.
#[test]
fn a_host_with_the_private_operation_decrypts() {
    let key = PrivateKey::from_bytes(&published("k2048")).unwrap();
    let mut encoded = vec![7; 256];
    encoded[..2].copy_from_slice(&[0, 2]);
    encoded[251] = 0;
    encoded[252..].copy_from_slice(b"text");
    let decrypt = |encoded: &[u8]| legacy::decrypt_by(&key, &[1; 256], || Ok(Zeroizing::new(encoded.to_vec())));
    assert_eq!(decrypt(&encoded).unwrap()[..], *b"text");
    encoded[0] = 1;
    assert_eq!(decrypt(&encoded).unwrap(), decrypt(&[9; 256]).unwrap(), "it depends on key and ciphertext alone");
    assert_eq!(decrypt(&[0; 255]).unwrap_err().code(), "wrong_length");
    let failed = legacy::decrypt_by(&key, &[1; 256], || Err(Error::Cancelled));
    assert_eq!(failed.unwrap_err().code(), "cancelled");
}

type Change = fn(&mut PrivateDer<'_>);

/// By AWS-LC's checks, and by ours.
#[test]
fn numbers_that_are_no_keys_are_refused() {
    let der = published("k2048");
    let with = |change: Change| {
        let mut numbers = PrivateDer::from_der(&der).unwrap();
        change(&mut numbers);
        der::Encode::to_der(&numbers).unwrap()
    };
    assert_eq!(**PrivateKey::from_bytes(&with(|_| ())).unwrap().to_bytes(), der);
    let changes: [(Change, bool); 14] = [
        (|numbers| numbers.prime1 = numbers.prime2, false),
        (|numbers| numbers.prime1 = numbers.modulus, false),
        (|numbers| numbers.prime2 = numbers.public_exponent, false),
        (|numbers| numbers.private_exponent = numbers.exponent1, false),
        (|numbers| numbers.private_exponent = numbers.modulus, false),
        (|numbers| numbers.exponent1 = numbers.exponent2, false),
        (|numbers| numbers.exponent2 = numbers.prime1, false),
        (|numbers| numbers.coefficient = numbers.exponent1, false),
        (|numbers| numbers.modulus = numbers.prime1, false),
        (|numbers| numbers.public_exponent = UintRef::new(&[3]).unwrap(), false),
        (|numbers| numbers.public_exponent = UintRef::new(&[1]).unwrap(), false),
        (|numbers| numbers.public_exponent = UintRef::new(&[1, 0, 0]).unwrap(), false),
        (|numbers| numbers.public_exponent = UintRef::new(&[2, 0, 0, 0, 1]).unwrap(), false),
        (|numbers| numbers.version = 1, true),
    ];
    for (i, (change, is_consistent)) in changes.into_iter().enumerate() {
        let der = with(change);
        assert_eq!(PrivateKey::from_bytes(&der).unwrap_err().code(), "invalid_key", "{i}");
        let key = crate::sign::PrivateKey::from_bytes(crate::sign::Kind::RsaSign, &der);
        assert_eq!(key.unwrap_err().code(), "invalid_key", "{i}");
        assert_eq!(PrivateDer::from_der(&der).unwrap().are_consistent(), is_consistent, "{i}");
    }
    for name in ["k2048", "k2049", "k3072", "k4096"] {
        assert!(PrivateDer::from_der(&published(name)).unwrap().are_consistent(), "{name}");
    }
    let public = public_of(&der).unwrap();
    assert!(is_public(&public) && !is_public(&der) && !is_public(&public[1..]));
    assert_eq!(modulus_len(&public), 256);
}

#[cfg(not(sealstone_rustcrypto))]
mod with_aws_lc {
    use super::*;
    use pkcs8::PrivateKeyInfoRef;
    use proptest::prelude::*;
    use wycheproof::{HashFunction, TestResult, rsa_oaep, rsa_pkcs1_decrypt};

    fn key(name: &str) -> PrivateKey {
        PrivateKey::from_bytes(&published(name)).unwrap()
    }

    fn of_pkcs8(der: &[u8]) -> PrivateKey {
        PrivateKey::from_bytes(PrivateKeyInfoRef::try_from(der).unwrap().private_key.as_bytes()).unwrap()
    }

    /// The tests whose MGF1 uses OAEP's own hash, and whose hash and key we support.
    #[test]
    fn wycheproof_oaep() {
        use rsa_oaep::TestName;
        let (mut right, mut refused) = (0, 0);
        for name in TestName::all() {
            for group in rsa_oaep::TestSet::load(name).unwrap().test_groups {
                let hash = match group.hash {
                    HashFunction::Sha1 => Algorithm::Sha1,
                    HashFunction::Sha2_256 => Algorithm::Sha256,
                    HashFunction::Sha2_384 => Algorithm::Sha384,
                    HashFunction::Sha2_512 => Algorithm::Sha512,
                    _ => continue,
                };
                if group.mgf_hash != group.hash || group.key_size < MIN_BITS {
                    continue;
                }
                let key = of_pkcs8(&group.pkcs8);
                assert_eq!(key.bits(), group.key_size);
                for test in &group.tests {
                    let oaep = Oaep { hash, label: &test.label };
                    let plaintext = key.decrypt(&oaep, &test.ct);
                    // AWS-LC refuses ciphertexts that are small numbers, which may be refused.
                    let is_small = test.result == TestResult::Acceptable && plaintext.is_err();
                    if test.result.must_fail() || is_small {
                        let code = plaintext.unwrap_err().code();
                        let is_whole = test.ct.len() == key.bits().div_ceil(8);
                        assert_eq!(
                            code,
                            if is_whole { "not_authentic" } else { "wrong_length" },
                            "{name:?} tcId {}",
                            test.tc_id
                        );
                        refused += 1;
                    } else {
                        assert_eq!(plaintext.ok().as_deref(), Some(&test.pt.to_vec()), "{name:?} tcId {}", test.tc_id);
                        let ciphertext = key.public_key().encrypt(&oaep, &test.pt).unwrap();
                        assert_eq!(
                            key.decrypt(&oaep, &ciphertext).unwrap()[..],
                            test.pt[..],
                            "{name:?} tcId {}",
                            test.tc_id
                        );
                        right += 1;
                    }
                }
            }
        }
        println!("wycheproof RSA-OAEP: {right} right, {refused} refused");
        assert_eq!((right, refused), (195, 153));
    }

    /// Ciphertexts that Wycheproof refuses give a pseudo-random message here.
    #[test]
    fn wycheproof_pkcs1() {
        use rsa_pkcs1_decrypt::TestName;
        let (mut right, mut rejected, mut refused) = (0, 0, 0);
        for name in TestName::all() {
            for group in rsa_pkcs1_decrypt::TestSet::load(name).unwrap().test_groups {
                let key = of_pkcs8(&group.pkcs8);
                for test in &group.tests {
                    let plaintext = legacy::decrypt(&key, &test.ct);
                    match plaintext {
                        Ok(plaintext) if test.result.must_fail() => {
                            assert!(
                                plaintext.is_empty() || plaintext[..] != test.pt[..],
                                "{name:?} tcId {}",
                                test.tc_id
                            );
                            assert_eq!(legacy::decrypt(&key, &test.ct).unwrap(), plaintext);
                            rejected += 1;
                        }
                        Ok(plaintext) => {
                            assert_eq!(plaintext[..], test.pt[..], "{name:?} tcId {}", test.tc_id);
                            let ciphertext = legacy::encrypt(&key.public_key(), &test.pt).unwrap();
                            assert_eq!(legacy::decrypt(&key, &ciphertext).unwrap()[..], test.pt[..]);
                            right += 1;
                        }
                        Err(error) => {
                            assert!(test.result.must_fail(), "{name:?} tcId {}", test.tc_id);
                            assert!(["wrong_length", "malformed_ciphertext"].contains(&error.code()), "{error}");
                            refused += 1;
                        }
                    }
                }
            }
        }
        println!("wycheproof PKCS#1 v1.5: {right} right, {rejected} with another message, {refused} refused");
        assert_eq!((right, rejected, refused), (124, 50, 27));
    }

    /// Draft-irtf-cfrg-rsa-guidance-10 appendix B, which has the messages for wrong paddings.
    #[test]
    fn implicit_rejection_is_that_of_the_draft() {
        let (mut right, mut rejected) = (0, 0);
        for name in ["k2048", "k2049", "k3072", "k4096"] {
            let key = key(name);
            for vector in vectors().iter().filter(|vector| vector["key"] == name && vector["pkcs1"].is_null()) {
                let message = legacy::decrypt(&key, &hex(&vector["ciphertext"])).unwrap();
                assert_eq!(HEXLOWER.encode(&message), vector["message"].as_str().unwrap(), "{}", vector["id"]);
                *if vector["padding_is_right"].as_bool().unwrap() { &mut right } else { &mut rejected } += 1;
            }
        }
        println!("implicit rejection: {right} right, {rejected} rejected");
        assert_eq!((right, rejected), (12, 36));
    }

    #[test]
    fn one_error_covers_all_that_is_wrong_with_a_ciphertext() {
        let (key, other) = (key("k2048"), key("k3072"));
        let oaep = Oaep { hash: Algorithm::Sha384, label: b"label" };
        let ciphertext = key.public_key().encrypt(&oaep, b"a key").unwrap();
        assert_ne!(key.public_key().encrypt(&oaep, b"a key").unwrap(), ciphertext, "it is random");
        assert_eq!(**key.decrypt(&oaep, &ciphertext).unwrap(), *b"a key");
        for wrong in [Oaep { label: b"", ..oaep }, Oaep { hash: Algorithm::Sha256, ..oaep }, Oaep::default()] {
            let error = key.decrypt(&wrong, &ciphertext).unwrap_err();
            assert!(matches!(error, Error::NotAuthentic { chunk: None }), "{wrong:?}: {error}");
        }
        for at in [0, 100, 255] {
            let mut damaged = ciphertext.clone();
            damaged[at] ^= 1;
            assert_eq!(key.decrypt(&oaep, &damaged).unwrap_err().code(), "not_authentic", "byte {at}");
        }
        // Not below the modulus.
        assert_eq!(key.decrypt(&oaep, &[0xff; 256]).unwrap_err().code(), "not_authentic");
        assert_eq!(legacy::decrypt(&key, &[0xff; 256]).unwrap_err().code(), "malformed_ciphertext");
        for len in [0, 255, 257] {
            assert_eq!(key.decrypt(&oaep, &vec![1; len]).unwrap_err().code(), "wrong_length");
            assert_eq!(legacy::decrypt(&key, &vec![1; len]).unwrap_err().code(), "wrong_length");
        }
        assert_eq!(other.decrypt(&oaep, &ciphertext).unwrap_err().code(), "wrong_length");
    }

    #[test]
    fn the_longest_plaintexts_are_taken_and_no_longer_ones() {
        for (name, modulus_len) in [("k2048", 256), ("k2049", 257), ("k4096", 512)] {
            let (key, public) = (key(name), key(name).public_key());
            for hash in [Algorithm::Sha1, Algorithm::Sha256, Algorithm::Sha384, Algorithm::Sha512] {
                let oaep = Oaep { hash, label: b"" };
                let longest = modulus_len - 2 * hash.digest_len() - 2;
                for len in [0, 1, longest] {
                    let ciphertext = public.encrypt(&oaep, &vec![7; len]).unwrap();
                    assert_eq!(ciphertext.len(), modulus_len);
                    assert_eq!(**key.decrypt(&oaep, &ciphertext).unwrap(), vec![7; len]);
                }
                assert_eq!(public.encrypt(&oaep, &vec![7; longest + 1]).unwrap_err().code(), "too_long");
            }
            for len in [0, 1, modulus_len - 11] {
                let ciphertext = legacy::encrypt(&public, &vec![7; len]).unwrap();
                assert_eq!(**legacy::decrypt(&key, &ciphertext).unwrap(), vec![7; len]);
            }
            assert_eq!(legacy::encrypt(&public, &vec![7; modulus_len - 10]).unwrap_err().code(), "too_long");
        }
        let other = Oaep { hash: Algorithm::Sha3_256, label: b"" };
        assert_eq!(key("k2048").public_key().encrypt(&other, b"").unwrap_err().code(), "unknown_algorithm");
        assert_eq!(key("k2048").decrypt(&other, &[1; 256]).unwrap_err().code(), "unknown_algorithm");
    }

    #[test]
    fn a_generated_key_is_one_and_a_generation_can_be_ended() {
        let key = PrivateKey::generate(2048).unwrap();
        assert_eq!((key.bits(), key.public_key().bits()), (2048, 2048));
        let again = PrivateKey::from_bytes(&key.to_bytes()).unwrap();
        assert_eq!(again.public_key(), key.public_key());
        assert_eq!(PublicKey::from_bytes(key.public_key().to_bytes()).unwrap(), key.public_key());
        let ciphertext = key.public_key().encrypt(&Oaep::default(), b"a key").unwrap();
        assert_eq!(**again.decrypt(&Oaep::default(), &ciphertext).unwrap(), *b"a key");
        assert_eq!(format!("{key:?}"), "PrivateKey(2048 bits, ..)");

        let mut asked = 0;
        let ended = PrivateKey::generate_while(4096, || {
            asked += 1;
            asked < 20
        });
        assert_eq!((ended.unwrap_err().code(), asked), ("cancelled", 20));
        for bits in [0, 512, 1024, 2047, 2056, 8192, usize::MAX] {
            assert_eq!(PrivateKey::generate(bits).unwrap_err().code(), "invalid_option", "{bits}");
        }
    }

    /// The DER of a key with changed numbers.
    fn with(der: &[u8], change: impl FnOnce(&mut Vec<Vec<u8>>)) -> Vec<u8> {
        let own = PrivateDer::from_der(der).unwrap();
        let mut numbers = [
            own.modulus,
            own.public_exponent,
            own.private_exponent,
            own.prime1,
            own.prime2,
            own.exponent1,
            own.exponent2,
            own.coefficient,
        ]
        .map(|number| number.as_bytes().to_vec())
        .to_vec();
        change(&mut numbers);
        let [modulus, public_exponent, private_exponent, prime1, prime2, exponent1, exponent2, coefficient] =
            <[Vec<u8>; 8]>::try_from(numbers).unwrap();
        let number = |bytes| UintRef::new(bytes).unwrap();
        let changed = PrivateDer {
            version: 0,
            modulus: number(&modulus),
            public_exponent: number(&public_exponent),
            private_exponent: number(&private_exponent),
            prime1: number(&prime1),
            prime2: number(&prime2),
            exponent1: number(&exponent1),
            exponent2: number(&exponent2),
            coefficient: number(&coefficient),
        };
        der::Encode::to_der(&changed).unwrap()
    }

    #[test]
    fn keys_that_are_none_are_refused() {
        let der = published("k2048");
        assert_eq!(with(&der, |_| ()), der);
        for at in 0..8 {
            let wrong = with(&der, |numbers| *numbers[at].last_mut().unwrap() ^= 2);
            assert_eq!(PrivateKey::from_bytes(&wrong).unwrap_err().code(), "invalid_key", "number {at}");
        }
        // Numbers that are not reduced are arithmetically right, but AWS-LC fails to use some of them.
        let sum = |a: &[u8], b: &[u8]| {
            let len = a.len().max(b.len()) + 1;
            let [mut sum, b] = [a, b].map(|number| [vec![0; len - number.len()], number.to_vec()].concat());
            let mut carry = 0;
            for i in (0..len).rev() {
                let digit = u16::from(sum[i]) + u16::from(b[i]) + carry;
                (sum[i], carry) = (digit.to_be_bytes()[1], digit >> 8);
            }
            let zeros = sum.iter().take_while(|byte| **byte == 0).count();
            sum.split_off(zeros)
        };
        for (at, modulus) in [(2, 0), (5, 3), (6, 4), (7, 3)] {
            let wrong = with(&der, |numbers| numbers[at] = sum(&numbers[at], &numbers[modulus]));
            assert_eq!(PrivateKey::from_bytes(&wrong).unwrap_err().code(), "invalid_key", "number {at}");
        }
        let swapped = with(&der, |numbers| numbers.swap(3, 4));
        assert_eq!(PrivateKey::from_bytes(&swapped).unwrap_err().code(), "invalid_key");
        let mut three_primes = der.clone();
        three_primes[6] = 1;
        assert_eq!(PrivateDer::from_der(&three_primes).unwrap().version, 1);
        assert_eq!(PrivateKey::from_bytes(&three_primes).unwrap_err().code(), "invalid_key");
        for damaged in [&der[..der.len() - 1], &[&der[..], &[0]].concat(), b"", &[0x30, 0]] {
            assert_eq!(PrivateKey::from_bytes(damaged).unwrap_err().code(), "invalid_key");
            assert_eq!(PublicKey::from_bytes(damaged).unwrap_err().code(), "invalid_key");
        }
        let public = |modulus: &[u8], exponent: &[u8]| {
            let [modulus, public_exponent] = [modulus, exponent].map(|bytes| UintRef::new(bytes).unwrap());
            PublicKey::from_bytes(&der::Encode::to_der(&PublicDer { modulus, public_exponent }).unwrap())
        };
        let modulus = |len: usize| [vec![0x80], vec![1; len - 1]].concat();
        assert_eq!(public(&modulus(256), &[1, 0, 1]).unwrap().bits(), 2048);
        assert_eq!(public(&modulus(256), &[3]).unwrap().bits(), 2048);
        assert_eq!(public(&modulus(1024), &[1, 0, 1]).unwrap().bits(), 8192);
        for len in [64, 128, 255, 1025] {
            let error = public(&modulus(len), &[1, 0, 1]).unwrap_err();
            assert_eq!(error.to_string(), "invalid key: an RSA key must have 2048 to 8192 bits", "{len} bytes");
        }
        let even = [modulus(255), vec![2]].concat();
        for (modulus, exponent) in
            [(&even, &[1, 0, 1][..]), (&modulus(256), &[1]), (&modulus(256), &[4]), (&modulus(256), &[0])]
        {
            assert_eq!(public(modulus, exponent).unwrap_err().code(), "invalid_key");
        }
    }

    proptest! {
        #![proptest_config(crate::cases::cases(64))]

        #[test]
        fn any_ciphertext_gives_one_message(mut ciphertext in prop::collection::vec(any::<u8>(), 256)) {
            let key = key("k2048");
            ciphertext[0] &= 0x7f;
            let message = legacy::decrypt(&key, &ciphertext).unwrap();
            prop_assert!(message.len() <= 245);
            prop_assert_eq!(legacy::decrypt(&key, &ciphertext).unwrap(), message);
            prop_assert_eq!(key.decrypt(&Oaep::default(), &ciphertext).unwrap_err().code(), "not_authentic");
        }

        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..600), at in 0..1190_usize, byte in any::<u8>()) {
            _ = PublicKey::from_bytes(&bytes);
            _ = PrivateKey::from_bytes(&bytes);
            let mut der = published("k2048");
            let at = at.min(der.len() - 1);
            der[at] = byte;
            _ = PrivateKey::from_bytes(&der);
        }
    }
}
