//! Ciphers of old data: the standards' examples, padding, and every refusal.

use data_encoding::HEXLOWER_PERMISSIVE;
use sealstone::Error;
use sealstone::hazmat::cipher::Padding;
use sealstone::hazmat::legacy::{Algorithm, BLOCK_LEN, LegacyCipher};

/// FIPS 81 tables B1, C1, D3 and E1, SP 800-67 appendix B.1 (three blocks of their own), Eric Young's vectors of Blowfish, RFC 6229
/// section 2 (the keystream at 0).
#[test]
fn the_standards_examples() {
    let triple = "0123456789abcdef23456789abcdef01456789abcdef0123";
    let zeros = "0000000000000000";
    let (des, des_iv, now) =
        ("0123456789abcdef", "1234567890abcdef", "4e6f77206973207468652074696d6520666f7220616c6c20");
    let (blowfish, blowfish_iv) = ("0123456789abcdeff0e1d2c3b4a59687", "fedcba9876543210");
    let young = "37363534333231204e6f77206973207468652074696d6520666f722000";
    for (algorithm, key, iv, plaintext, ciphertext) in [
        ("des-ecb", des, "", now, "3fa40e8a984d48156a271787ab8883f9893d51ec4b563b53"),
        ("des-cbc", des, des_iv, now, "e5c7cdde872bf27c43e934008c389c0f683788499a7c05f6"),
        ("des-cfb", des, des_iv, now, "f3096249c7f46e51a69e839b1a92f78403467133898ea622"),
        ("des-ofb", des, des_iv, now, "f3096249c7f46e5135f24a242eeb3d3f3d6d5be3255af8c3"),
        (
            "des-ede3-ecb",
            triple,
            "",
            "54686520717566636b2062726f776e20666f78206a756d70",
            "a826fd8ce53b855fcce21c8112256fe668d5c05dd9b6b900",
        ),
        ("des-ede3-cbc", triple, zeros, "5468652071756663", "a826fd8ce53b855f"),
        ("des-ede3-cbc", triple, zeros, "6b2062726f776e20", "cce21c8112256fe6"),
        ("des-ede3-cbc", triple, zeros, "666f78206a756d70", "68d5c05dd9b6b900"),
        (
            "blowfish-cbc",
            blowfish,
            blowfish_iv,
            "37363534333231204e6f77206973207468652074696d6520666f722000000000",
            "6b77b4d63006dee605b156e27403979358deb9e7154616d959f1652bd5ff92cc",
        ),
        ("blowfish-cfb", blowfish, blowfish_iv, young, "e73214a2822139caf26ecf6d2eb9e76e3da3de04d1517200519d57a6c3"),
        ("blowfish-ofb", blowfish, blowfish_iv, young, "e73214a2822139ca62b343cc5b65587310dd908d0c241b2263c2cf80da"),
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

/// RFC 4503 appendices A.1 and A.2, whose bytes stand the other way round.
#[test]
fn rabbit_decrypts_and_never_encrypts() {
    let reversed = |text: &str| hex(text).into_iter().rev().collect::<Vec<u8>>();
    let zeros = "00000000000000000000000000000000";
    for (key, iv, keystream) in [
        (
            zeros,
            "",
            [
                "b15754f036a5d6ecf56b45261c4af702",
                "88e8d815c59c0c397b696c4789c68aa7",
                "f416a1c3700cd451da68d1881673d696",
            ],
        ),
        (
            "912813292e3d36fe3bfc62f1dc51c3ac",
            "",
            [
                "3d2df3c83ef627a1e97fc38487e2519c",
                "f576cd61f4405b8896bf53aa8554fc19",
                "e5547473fbdb43508ae53b20204d4c5e",
            ],
        ),
        (
            "8395741587e0c733e9e9ab01c09b0043",
            "",
            [
                "0cb10dcda041cdac32eb5cfd02d0609b",
                "95fc9fca0f17015a7b7092114cff3ead",
                "9649e5de8bfc7f3f924147ad3a947428",
            ],
        ),
        (
            zeros,
            "0000000000000000",
            [
                "c6a7275ef85495d87ccd5d376705b7ed",
                "5f29a6ac04f5efd47b8f293270dc4a8d",
                "2ade822b29de6c1ee52bdb8a47bf8f66",
            ],
        ),
        (
            zeros,
            "c373f575c1267e59",
            [
                "1fcd4eb9580012e2e0dccc9222017d6d",
                "a75f4e10d12125017b2499ffed936f2e",
                "ebc112c393e738392356bdd012029ba7",
            ],
        ),
        (
            zeros,
            "a6eb561ad2f41727",
            [
                "445ad8c805858dbf70b6af23a151104d",
                "96c8f27947f42c5baeae67c6acc35b03",
                "9fcbfc895fa71c17313df034f01551cb",
            ],
        ),
    ] {
        let cipher = LegacyCipher::new(Algorithm::Rabbit, &reversed(key)).unwrap();
        let expected = keystream.map(reversed).concat();
        for len in 0..=expected.len() {
            let found = cipher.decrypt(&reversed(iv), Padding::Pkcs7, &vec![0; len]).unwrap();
            assert_eq!(found, expected[..len], "key {key}, IV {iv}, {len} bytes");
        }
        let error = cipher.encrypt(&reversed(iv), Padding::None, b"attack at dawn").unwrap_err();
        assert_eq!(
            (error.code(), error.to_string()),
            ("legacy_encryption", "rabbit is for reading old data, and encryption with it was not allowed".into())
        );
    }
    let error = LegacyCipher::allowing_encryption(Algorithm::Rabbit, &[7; 16]).unwrap_err();
    assert!(matches!(error, Error::LegacyEncryption("rabbit")), "{error}");
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
        let cipher = LegacyCipher::new(Algorithm::BlowfishEcb, &key[..len]).unwrap();
        let opened = cipher.decrypt(&[], Padding::None, &hex(expected)).unwrap();
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
fn every_length_comes_back_and_only_whole_blocks_go_without_padding_where_there_is_some() {
    let input: Vec<u8> = (0..=255).collect();
    for algorithm in encrypting() {
        let (cipher, iv) = of(algorithm);
        let pads = algorithm.pads();
        assert_eq!(pads, algorithm.name().ends_with("-ecb") || algorithm.name().ends_with("-cbc"), "{algorithm}");
        for len in 0..100 {
            let sealed = cipher.encrypt(&iv, Padding::Pkcs7, &input[..len]).unwrap();
            assert_eq!(sealed.len(), if pads { len / BLOCK_LEN * BLOCK_LEN + BLOCK_LEN } else { len }, "{algorithm}");
            assert_eq!(cipher.decrypt(&iv, Padding::Pkcs7, &sealed).unwrap(), &input[..len], "{algorithm}");
            match cipher.encrypt(&iv, Padding::None, &input[..len]) {
                Ok(sealed) => {
                    assert!(!pads || len % BLOCK_LEN == 0, "{algorithm}: {len}");
                    assert_eq!(sealed.len(), len, "{algorithm}");
                    assert_eq!(cipher.decrypt(&iv, Padding::None, &sealed).unwrap(), &input[..len], "{algorithm}");
                }
                Err(error) => {
                    assert!(
                        pads && matches!(error, Error::PartialBlock(over) if over == len % 8 && over > 0),
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
    for algorithm in encrypting().filter(|algorithm| algorithm.name().ends_with("-cbc")) {
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
        let is_rabbit = algorithm == Algorithm::Rabbit;
        for len in (0..=33).filter(|len| *len != algorithm.iv_len() && !(is_rabbit && *len == 0)) {
            let cipher = LegacyCipher::new(algorithm, &key_of(algorithm)).unwrap();
            let decrypting = cipher.decrypt(&vec![0; len], Padding::Pkcs7, &[0; 8]).err();
            let encrypting =
                (!is_rabbit).then(|| of(algorithm).0.encrypt(&vec![0; len], Padding::Pkcs7, b"").unwrap_err());
            for error in [Some(decrypting.expect("an error")), encrypting].into_iter().flatten() {
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
    (LegacyCipher::allowing_encryption(algorithm, &key_of(algorithm)).unwrap(), vec![0xff; algorithm.iv_len()])
}

fn key_of(algorithm: Algorithm) -> Vec<u8> {
    (10..).take(*algorithm.key_lens().end().min(&24)).collect()
}

/// All but Rabbit.
fn encrypting() -> impl Iterator<Item = Algorithm> {
    Algorithm::ALL.into_iter().filter(|algorithm| *algorithm != Algorithm::Rabbit)
}

fn hex(text: &str) -> Vec<u8> {
    HEXLOWER_PERMISSIVE.decode(text.as_bytes()).unwrap()
}
