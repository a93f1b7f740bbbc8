//! AES key wrap: the RFCs' examples, and every refusal. Wycheproof's tests are in `wycheproof.rs`.

use data_encoding::HEXLOWER_PERMISSIVE;
use sealstone::Error;
use sealstone::hazmat::wrap::{Algorithm, KeyWrap};

/// RFC 3394 section 4, RFC 5649 section 6.
#[test]
fn the_rfcs_examples() {
    let key: Vec<u8> = (0..32).collect();
    let secret = hex("00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f");
    for (algorithm, secret_len, wrapped) in [
        ("aes-128-kw", 16, "1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5"),
        ("aes-192-kw", 16, "96778b25ae6ca435f92b5b97c050aed2468ab8a17ad84e5d"),
        ("aes-256-kw", 16, "64e8c3f9ce0f5ba263e9777905818a2a93c8191e7d6e8ae7"),
        ("aes-192-kw", 24, "031d33264e15d33268f24ec260743edce1c6c7ddee725a936ba814915c6762d2"),
        ("aes-256-kw", 24, "a8f9bc1612c68b3ff6e6f4fbe30e71e4769c8b80a32cb8958cd5d17d6b254da1"),
        ("aes-256-kw", 32, "28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21"),
    ] {
        let algorithm: Algorithm = algorithm.parse().unwrap();
        both_ways(&KeyWrap::new(algorithm, &key[..algorithm.key_len()]).unwrap(), &secret[..secret_len], &hex(wrapped));
    }
    let wrap = KeyWrap::new(Algorithm::Aes192Kwp, &hex("5840df6e29b02af1ab493b705bf16ea1ae8338f4dcc176a8")).unwrap();
    let wrapped = "138bdeaa9b8fa7fc61f97742e72248ee5ae6ae5360d1ae6a5f54f373fa543b6a";
    both_ways(&wrap, &hex("c37b7e6492584340bed12207808941155068f738"), &hex(wrapped));
    both_ways(&wrap, &hex("466f7250617369"), &hex("afbeb0f07dfbf5419200f2ccb50bb24f"));
}

fn both_ways(wrap: &KeyWrap, secret: &[u8], wrapped: &[u8]) {
    assert_eq!(wrap.wrap(secret).unwrap(), wrapped);
    assert_eq!(*wrap.unwrap(wrapped).unwrap(), secret);
}

#[test]
fn every_length_comes_back_and_every_changed_byte_is_refused() {
    let secret: Vec<u8> = (1..=100).collect();
    for algorithm in Algorithm::ALL {
        let wrap = KeyWrap::new(algorithm, &algorithm.generate_key().unwrap()).unwrap();
        let pads = algorithm.name().ends_with('p');
        let mut wrapped_lens = Vec::new();
        for len in 0..=100 {
            let is_taken = if pads { len > 0 } else { len >= 16 && len % 8 == 0 };
            let wrapped = match wrap.wrap(&secret[..len]) {
                Ok(wrapped) => wrapped,
                Err(error) => {
                    let lengths = if pads { "at least 1 byte" } else { "a multiple of 8, at least 16 bytes" };
                    assert_eq!(error.to_string(), format!("the secret must be {lengths}, got {len}"));
                    assert!(!is_taken && error.code() == "wrong_length", "{algorithm}, {len} bytes");
                    continue;
                }
            };
            assert!(is_taken, "{algorithm}, {len} bytes");
            assert_eq!(wrapped.len(), len.next_multiple_of(8) + 8, "{algorithm}");
            assert_eq!(*wrap.unwrap(&wrapped).unwrap(), &secret[..len], "{algorithm}");
            for at in 0..wrapped.len() {
                let mut changed = wrapped.clone();
                changed[at] ^= 1 << (at % 8);
                refused(&wrap, &changed);
            }
            wrapped_lens.push(wrapped.len());
        }
        for len in 0..=120 {
            refused(&wrap, &vec![7; len]);
        }
        assert_eq!(wrapped_lens.iter().min(), Some(if pads { &16 } else { &24 }), "{algorithm}");
    }
}

#[test]
fn what_another_key_or_the_other_form_wrapped_is_refused() {
    for (one, other) in [(Algorithm::Aes128Kw, Algorithm::Aes128Kwp), (Algorithm::Aes256Kwp, Algorithm::Aes256Kw)] {
        let key = one.generate_key().unwrap();
        let wrapped = KeyWrap::new(one, &key).unwrap().wrap(&[7; 32]).unwrap();
        refused(&KeyWrap::new(other, &key).unwrap(), &wrapped);
        refused(&KeyWrap::new(one, &one.generate_key().unwrap()).unwrap(), &wrapped);
    }
}

#[test]
fn keys_of_other_lengths_are_refused() {
    for algorithm in Algorithm::ALL {
        for len in (0..=65).filter(|len| *len != algorithm.key_len()) {
            let error = KeyWrap::new(algorithm, &vec![7; len]).unwrap_err();
            assert!(matches!(error, Error::WrongLength { what: "the key", actual, .. } if actual == len), "{error}");
        }
    }
}

fn refused(wrap: &KeyWrap, wrapped: &[u8]) {
    let error = wrap.unwrap(wrapped).unwrap_err();
    assert!(matches!(error, Error::NotAuthentic { chunk: None }), "{} bytes: {error}", wrapped.len());
}

fn hex(text: &str) -> Vec<u8> {
    HEXLOWER_PERMISSIVE.decode(text.as_bytes()).unwrap()
}
