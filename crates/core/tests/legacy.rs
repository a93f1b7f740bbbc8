//! Ciphers of old data: the standards' examples, padding, and every refusal.

use data_encoding::HEXLOWER_PERMISSIVE;
use sealstone::Error;
use sealstone::hazmat::cipher::Padding;
use sealstone::hazmat::legacy::{Algorithm, BLOCK_LEN, LegacyCipher};

/// FIPS 81 table C1, SP 800-67 appendix B.1 (three blocks of their own), Eric Young's vector of Blowfish in CBC, RFC 6229 section 2
/// (the keystream at 0).
#[test]
fn the_standards_examples() {
    let triple = "0123456789abcdef23456789abcdef01456789abcdef0123";
    let zeros = "0000000000000000";
    for (algorithm, key, iv, plaintext, ciphertext) in [
        (
            "des-cbc",
            "0123456789abcdef",
            "1234567890abcdef",
            "4e6f77206973207468652074696d6520666f7220616c6c20",
            "e5c7cdde872bf27c43e934008c389c0f683788499a7c05f6",
        ),
        ("des-ede3-cbc", triple, zeros, "5468652071756663", "a826fd8ce53b855f"),
        ("des-ede3-cbc", triple, zeros, "6b2062726f776e20", "cce21c8112256fe6"),
        ("des-ede3-cbc", triple, zeros, "666f78206a756d70", "68d5c05dd9b6b900"),
        (
            "blowfish-cbc",
            "0123456789abcdeff0e1d2c3b4a59687",
            "fedcba9876543210",
            "37363534333231204e6f77206973207468652074696d6520666f722000000000",
            "6b77b4d63006dee605b156e27403979358deb9e7154616d959f1652bd5ff92cc",
        ),
        (
            "rc4",
            "0102030405",
            "",
            "0000000000000000000000000000000000000000000000000000000000000000",
            "b2396305f03dc027ccc3524a0a1118a86982944f18fc82d589c403a47a0d0919",
        ),
        (
            "rc4",
            "0102030405060708090a0b0c0d0e0f10",
            "",
            "00000000000000000000000000000000",
            "9ac7cc9a609d1ef7b2932899cde41b97",
        ),
        (
            "rc4",
            "0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20",
            "",
            "00000000000000000000000000000000",
            "eaa6bd25880bf93d3f5d1e4ca2611d91",
        ),
    ] {
        let cipher = LegacyCipher::allowing_encryption(algorithm.parse().unwrap(), &hex(key)).unwrap();
        let sealed = cipher.encrypt(&hex(iv), Padding::None, &hex(plaintext)).unwrap();
        assert_eq!(sealed, hex(ciphertext), "{algorithm}");
        assert_eq!(cipher.decrypt(&hex(iv), Padding::None, &sealed).unwrap(), hex(plaintext), "{algorithm}");
    }
}

/// Schneier's vectors: of a key of 24 bytes, its beginnings.
#[test]
fn blowfish_with_keys_of_many_lengths() {
    let key = hex("f0e1d2c3b4a5968778695a4b3c2d1e0f0011223344556677");
    let expected = [
        "be1e639408640f05",
        "b39e44481bdb1e6e",
        "9457aa83b1928c0d",
        "8bb77032f960629d",
        "e87a244e2cc85e82",
        "15750e7a4f4ec577",
        "122ba70b3ab64ae0",
        "3a833c9affc537f6",
        "9409da87a90f6bf2",
        "884f80625060b8b4",
        "1f85031c19e11968",
        "79d9373a714ca34f",
        "93142887ee3be15c",
        "03429e838ce2d14b",
        "a4299e27469ff67b",
        "afd5aed1c1bc96a8",
        "10851c0e3858da9f",
        "e6f51ed79b9db21f",
        "64a6e14afd36b46f",
        "80c7d7d45a5479ad",
        "05044b62fa52d080",
    ];
    for (len, expected) in (4..).zip(expected) {
        let cipher = LegacyCipher::new(Algorithm::BlowfishCbc, &key[..len]).unwrap();
        let opened = cipher.decrypt(&[0; 8], Padding::None, &hex(expected)).unwrap();
        assert_eq!(opened, hex("fedcba9876543210"), "{len} bytes");
    }
}

#[test]
fn old_ciphers_encrypt_only_when_that_is_allowed() {
    for algorithm in Algorithm::ALL {
        let cipher = LegacyCipher::new(algorithm, &vec![7; *algorithm.key_lens().start()]).unwrap();
        for iv in [&[0; 8][..], &[]] {
            let error = cipher.encrypt(iv, Padding::Pkcs7, b"attack at dawn").unwrap_err();
            assert!(matches!(error, Error::LegacyEncryption(name) if name == algorithm.name()), "{error}");
            assert_eq!(error.code(), "legacy_encryption");
        }
    }
}

#[test]
fn every_length_comes_back_and_only_whole_blocks_go_without_padding() {
    let input: Vec<u8> = (0..=255).collect();
    for algorithm in Algorithm::ALL {
        let (cipher, iv) = of(algorithm);
        let is_rc4 = algorithm == Algorithm::Rc4;
        for len in 0..100 {
            let sealed = cipher.encrypt(&iv, Padding::Pkcs7, &input[..len]).unwrap();
            assert_eq!(sealed.len(), if is_rc4 { len } else { len / BLOCK_LEN * BLOCK_LEN + BLOCK_LEN }, "{algorithm}");
            assert_eq!(cipher.decrypt(&iv, Padding::Pkcs7, &sealed).unwrap(), &input[..len], "{algorithm}");
            match cipher.encrypt(&iv, Padding::None, &input[..len]) {
                Ok(sealed) => {
                    assert!(is_rc4 || len % BLOCK_LEN == 0, "{algorithm}: {len}");
                    assert_eq!(sealed.len(), len, "{algorithm}");
                    assert_eq!(cipher.decrypt(&iv, Padding::None, &sealed).unwrap(), &input[..len], "{algorithm}");
                }
                Err(error) => {
                    assert!(
                        !is_rc4 && matches!(error, Error::PartialBlock(over) if over == len % 8 && over > 0),
                        "{error}"
                    );
                    let error = cipher.decrypt(&iv, Padding::None, &input[..len]).unwrap_err();
                    assert!(matches!(error, Error::PartialBlock(over) if over == len % 8), "{error}");
                }
            }
        }
    }
}

/// Of one last byte, one value gives padding of one byte, and no other value any.
#[test]
fn wrong_padding_of_blocks_of_8_bytes_is_one_error() {
    for algorithm in [Algorithm::DesCbc, Algorithm::DesEde3Cbc, Algorithm::BlowfishCbc] {
        let (cipher, iv) = of(algorithm);
        let sealed = cipher.encrypt(&iv, Padding::None, &[0x20; 16]).unwrap();
        let mut taken = Vec::new();
        for byte in 0..=255 {
            let mut changed = sealed.clone();
            changed[7] ^= byte;
            match cipher.decrypt(&iv, Padding::Pkcs7, &changed) {
                Ok(opened) => taken.push((byte, opened.len())),
                Err(error) => assert!(matches!(error, Error::InvalidPadding), "{error}"),
            }
        }
        assert_eq!(taken, [(0x20 ^ 1, 15)], "{algorithm}");
        let nothing = cipher.decrypt(&iv, Padding::Pkcs7, b"").unwrap_err();
        assert_eq!(nothing.code(), "invalid_padding", "{algorithm}");
    }
}

#[test]
fn keys_and_ivs_of_other_lengths_are_refused() {
    for algorithm in Algorithm::ALL {
        let lens = algorithm.key_lens();
        for len in (0..=300).filter(|len| !lens.contains(len)) {
            let error = LegacyCipher::new(algorithm, &vec![7; len]).unwrap_err();
            let (least, most) = (lens.start(), lens.end());
            let lengths = if least == most { format!("{least}") } else { format!("from {least} to {most}") };
            assert_eq!(error.to_string(), format!("the key must be {lengths} bytes, got {len}"));
            assert_eq!(error.code(), "wrong_length");
        }
        let (cipher, _) = of(algorithm);
        for len in (0..=33).filter(|len| *len != algorithm.iv_len()) {
            for error in [
                cipher.encrypt(&vec![0; len], Padding::Pkcs7, b"").unwrap_err(),
                cipher.decrypt(&vec![0; len], Padding::Pkcs7, &[0; 8]).unwrap_err(),
            ] {
                assert!(matches!(error, Error::WrongLength { what: "the IV", actual, .. } if actual == len), "{error}");
            }
        }
        assert_eq!(algorithm.name().parse::<Algorithm>().unwrap(), algorithm);
    }
    for name in ["", "des", "DES-CBC", "des-ede-cbc", "rc2", "aes-128-cbc"] {
        assert_eq!(name.parse::<Algorithm>().unwrap_err().code(), "unknown_algorithm", "{name}");
    }
}

fn of(algorithm: Algorithm) -> (LegacyCipher, Vec<u8>) {
    let key: Vec<u8> = (10..).take(*algorithm.key_lens().end().min(&24)).collect();
    (LegacyCipher::allowing_encryption(algorithm, &key).unwrap(), vec![0xff; algorithm.iv_len()])
}

fn hex(text: &str) -> Vec<u8> {
    HEXLOWER_PERMISSIVE.decode(text.as_bytes()).unwrap()
}
