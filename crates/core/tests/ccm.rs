//! AES-CCM: the standard's examples, lengths, and every refusal. Wycheproof's tests are in `wycheproof.rs`.

use data_encoding::HEXLOWER_PERMISSIVE;
use sealstone::Error;
use sealstone::hazmat::ccm::{Algorithm, Ccm};

/// SP 800-38C appendix C.
#[test]
fn sp_800_38c_examples() {
    let bytes = |from: u8, len: usize| -> Vec<u8> { (from..=255).cycle().take(len).collect() };
    let long: Vec<u8> = (0..=255).cycle().take(65_536).collect();
    for (nonce_len, aad, plaintext_len, tag_len, sealed) in [
        (7, &long[..8], 4, 4, "7162015b4dac255d"),
        (8, &long[..16], 16, 6, "d2a1f0e051ea5f62081a7792073d593d1fc64fbfaccd"),
        (12, &long[..20], 24, 8, "e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5484392fbc1b09951"),
        (
            13,
            &long[..],
            32,
            14,
            "69915dad1e84c6376a68c2967e4dab615ae0fd1faec44cc484828529463ccf72b4ac6bec93e8598e7f0dadbcea5b",
        ),
    ] {
        let key = Ccm::new(Algorithm::Aes128Ccm, &bytes(0x40, 16), tag_len).unwrap();
        let (nonce, plaintext) = (bytes(0x10, nonce_len), bytes(0x20, plaintext_len));
        let sealed = HEXLOWER_PERMISSIVE.decode(sealed.as_bytes()).unwrap();
        assert_eq!(key.seal(&nonce, aad, &plaintext).unwrap(), sealed, "tag of {tag_len}");
        assert_eq!(key.open(&nonce, aad, &sealed).unwrap(), plaintext, "tag of {tag_len}");
    }
}

/// Around blocks, and around the pieces in which the data goes through the chain.
#[test]
fn every_length_comes_back_and_every_changed_byte_is_refused() {
    let input: Vec<u8> = (0..=250).cycle().take(3_000).collect();
    let mut ran = 0;
    for algorithm in Algorithm::ALL {
        let key = Ccm::new(algorithm, &algorithm.generate_key().unwrap(), 8).unwrap();
        for len in (0..=50).chain([1_023, 1_024, 1_025, 2_048, 3_000]) {
            for aad_len in [0, 1, 13, 14, 15, 30, 31, 1_037, 1_038, 1_039] {
                let sealed = key.seal(&[9; 12], &input[..aad_len], &input[..len]).unwrap();
                assert_eq!(sealed.len(), len + key.tag_len());
                assert_eq!(key.open(&[9; 12], &input[..aad_len], &sealed).unwrap(), &input[..len]);
                for at in [0, sealed.len() / 2, len, sealed.len() - 1] {
                    let mut changed = sealed.clone();
                    changed[at] ^= 0x10;
                    refused(&key, &[9; 12], &input[..aad_len], &changed);
                }
                refused(&key, &[8; 12], &input[..aad_len], &sealed);
                refused(&key, &[9; 11], &input[..aad_len], &sealed);
                refused(&key, &[9; 12], &input[..=aad_len], &sealed);
                refused(&key, &[9; 12], &input[..aad_len], &sealed[1..]);
                ran += 1;
            }
        }
    }
    assert_eq!(ran, 3 * 56 * 10);
}

#[test]
fn wrong_lengths_are_refused() {
    for algorithm in Algorithm::ALL {
        for len in (0..=65).filter(|len| *len != algorithm.key_len()) {
            let error = Ccm::new(algorithm, &vec![7; len], 16).unwrap_err();
            assert!(matches!(error, Error::WrongLength { what: "the key", actual, .. } if actual == len), "{error}");
        }
        let key = algorithm.generate_key().unwrap();
        for len in 0..=65 {
            let is_taken = [4, 6, 8, 10, 12, 14, 16].contains(&len);
            match Ccm::new(algorithm, &key, len) {
                Ok(key) => assert!(is_taken && key.tag_len() == len),
                Err(error) => {
                    let said = format!("the tag must be a multiple of 2, from 4 to 16 bytes, got {len}");
                    assert!(error.to_string() == said && error.code() == "wrong_length" && !is_taken, "{error}");
                }
            }
        }
        let key = Ccm::new(algorithm, &key, 16).unwrap();
        for len in 0..=33 {
            let nonce = vec![9; len];
            for short in 0..16 {
                refused(&key, &nonce, b"", &vec![0; short]);
            }
            if (7..=13).contains(&len) {
                assert_eq!(key.open(&nonce, b"", &key.seal(&nonce, b"", b"").unwrap()).unwrap(), b"");
            } else {
                for error in [key.seal(&nonce, b"", b"").unwrap_err(), key.open(&nonce, b"", &[0; 16]).unwrap_err()] {
                    assert_eq!(error.to_string(), format!("the nonce must be from 7 to 13 bytes, got {len}"));
                    assert_eq!(error.code(), "wrong_length");
                }
            }
        }
    }
}

#[test]
fn a_plaintext_is_as_long_as_its_length_fits_beside_the_nonce() {
    let key = Ccm::new(Algorithm::Aes128Ccm, &[7; 16], 16).unwrap();
    let longest = vec![1; 65_535];
    let sealed = key.seal(&[9; 13], b"", &longest).unwrap();
    assert!(key.open(&[9; 13], b"", &sealed).unwrap() == longest);
    assert_eq!(key.seal(&[9; 13], b"", &vec![1; 65_536]).unwrap_err().code(), "too_long");
    refused(&key, &[9; 13], b"", &vec![1; 65_536 + 16]);
    assert_eq!(key.seal(&[9; 12], b"", &vec![1; 65_536]).unwrap().len(), 65_552);
}

fn refused(key: &Ccm, nonce: &[u8], aad: &[u8], sealed: &[u8]) {
    let error = key.open(nonce, aad, sealed).unwrap_err();
    assert!(matches!(error, Error::NotAuthentic { chunk: None }), "{error}");
}
