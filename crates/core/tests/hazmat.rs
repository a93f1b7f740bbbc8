//! The modes that authenticate nothing: the standards' examples, pieces, padding and every refusal.

mod support;

use sealstone::hazmat::cipher::{Algorithm, BLOCK_LEN, Cipher, Padding};
use sealstone::{Error, FileCipher, Input, Output};
use std::io::{Read, Write};

/// SP 800-38A appendix F: the four blocks of all examples.
const PLAINTEXT: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";
const KEY: &str = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4";
const KEY_192: &str = "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b";
const KEY_128: &str = "2b7e151628aed2a6abf7158809cf4f3c";

#[test]
fn sp_800_38a_examples() {
    let iv = "000102030405060708090a0b0c0d0e0f";
    let counter = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";
    for (algorithm, key, iv, expected) in [
        (
            "aes-128-ecb",
            KEY_128,
            "",
            "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4",
        ),
        (
            "aes-192-ecb",
            KEY_192,
            "",
            "bd334f1d6e45f25ff712a214571fa5cc974104846d0ad3ad7734ecb3ecee4eefef7afd2270e2e60adce0ba2face6444e9a4b41ba738d6c72fb16691603c18e0e",
        ),
        (
            "aes-256-ecb",
            KEY,
            "",
            "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870b6ed21b99ca6f4f9f153e7b1beafed1d23304b7a39f9f3ff067d8d8f9e24ecc7",
        ),
        (
            "aes-128-cbc",
            KEY_128,
            iv,
            "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b273bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7",
        ),
        (
            "aes-192-cbc",
            KEY_192,
            iv,
            "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd",
        ),
        (
            "aes-256-cbc",
            KEY,
            iv,
            "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b",
        ),
        (
            "aes-128-cfb",
            KEY_128,
            iv,
            "3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93fcde3cdad9f1ce58b26751f67a3cbb140b1808cf187a4f4dfc04b05357c5d1c0eeac4c66f9ff7f2e6",
        ),
        (
            "aes-256-cfb",
            KEY,
            iv,
            "dc7e84bfda79164b7ecd8486985d386039ffed143b28b1c832113c6331e5407bdf10132415e54b92a13ed0a8267ae2f975a385741ab9cef82031623d55b1e471",
        ),
        // Of 18 bytes.
        ("aes-128-cfb8", KEY_128, iv, "3b79424c9c0dd436bace9e0ed4586a4f32b9"),
        ("aes-192-cfb8", KEY_192, iv, "cda2521ef0a905ca44cd057cbf0d47a0678a"),
        ("aes-256-cfb8", KEY, iv, "dc1f1a8520a64db55fcc8ac554844e889700"),
        (
            "aes-128-ofb",
            KEY_128,
            iv,
            "3b3fd92eb72dad20333449f8e83cfb4a7789508d16918f03f53c52dac54ed8259740051e9c5fecf64344f7a82260edcc304c6528f659c77866a510d9c1d6ae5e",
        ),
        (
            "aes-256-ofb",
            KEY,
            iv,
            "dc7e84bfda79164b7ecd8486985d38604febdc6740d20b3ac88f6ad82a4fb08d71ab47a086e86eedf39d1c5bba97c4080126141d67f37be8538f5a8be740e484",
        ),
        (
            "aes-128-ctr",
            KEY_128,
            counter,
            "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
        ),
        (
            "aes-192-ctr",
            KEY_192,
            counter,
            "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e941e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050",
        ),
        (
            "aes-256-ctr",
            KEY,
            counter,
            "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c52b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6",
        ),
    ] {
        let cipher = Cipher::new(algorithm.parse().unwrap(), &hex(key)).unwrap();
        let plaintext = &hex(PLAINTEXT)[..expected.len() / 2];
        let sealed = cipher.encrypt(&hex(iv), Padding::None, plaintext).unwrap();
        assert_eq!(sealed, hex(expected), "{algorithm}");
        assert_eq!(cipher.decrypt(&hex(iv), Padding::None, &sealed).unwrap(), plaintext, "{algorithm}");
    }
}

/// draft-ribose-cfrg-sm4-10 appendix A.2.2 and A.2.5, and IEEE 1619's structure by its definition below.
#[test]
fn sm4_by_the_names_of_this_crate() {
    let (key, iv) = ("0123456789abcdeffedcba9876543210", "000102030405060708090a0b0c0d0e0f");
    let plaintext = "aaaaaaaabbbbbbbbccccccccddddddddeeeeeeeeffffffffaaaaaaaabbbbbbbb";
    for (algorithm, iv, expected) in [
        ("sm4-ecb", "", "5ec8143de509cff7b5179f8f474b86192f1d305a7fb17df985f81c8482192304"),
        ("sm4-cbc", iv, "78ebb11cc40b0a48312aaeb2040244cb4cb7016951909226979b0d15dc6a8f6d"),
        ("sm4-ofb", iv, "ac3236cb861dd316e6413b4e3c7524b71d01aca2487ca582cbf5463e6698539b"),
        ("sm4-cfb", iv, "ac3236cb861dd316e6413b4e3c7524b769d4c54ed433b9a0346009beb37b2b3f"),
    ] {
        let cipher = Cipher::new(algorithm.parse().unwrap(), &hex(key)).unwrap();
        assert_eq!(cipher.encrypt(&hex(iv), Padding::None, &hex(plaintext)).unwrap(), hex(expected), "{algorithm}");
    }
}

/// One after the other, together, in place, and through `Input` and `Output`: the same bytes, and back.
#[test]
fn every_way_gives_the_same_bytes() {
    let input = support::pattern(300_000);
    let mut ran = 0;
    for algorithm in Algorithm::ALL {
        let (cipher, iv) = of(algorithm);
        let slow = algorithm.name().contains("ofb") || algorithm.name().contains("cfb");
        let lens = (0..=100).chain([
            1_000,
            16_383,
            16_384,
            16_400,
            131_071,
            131_072,
            131_073,
            if slow { 140_000 } else { 300_000 },
        ]);
        for len in lens {
            let plaintext = &input[..len];
            for padding in [Padding::Pkcs7, Padding::None] {
                let what = format!("{algorithm} {padding:?} {len}");
                let sealed = match cipher.encrypt(&iv, padding, plaintext) {
                    Ok(sealed) => sealed,
                    Err(Error::PartialBlock(over)) => {
                        let is_xts = algorithm.name().contains("xts") && len < 16;
                        assert!(is_xts || algorithm.pads() && padding == Padding::None && len % 16 > 0, "{what}");
                        assert_eq!(over, len % 16, "{what}");
                        continue;
                    }
                    Err(other) => panic!("{what}: {other}"),
                };
                let padded = algorithm.pads() && padding == Padding::Pkcs7;
                assert_eq!(sealed.len(), if padded { len / 16 * 16 + 16 } else { len }, "{what}");
                assert!(cipher.decrypt(&iv, padding, &sealed).unwrap() == plaintext, "{what}");
                let mut buffer = [plaintext, &vec![0xa5; sealed.len() - len]].concat();
                cipher.encrypt_padded(&iv, padding, &mut buffer, len).unwrap();
                assert!(buffer == sealed, "{what} padded in place");
                assert_eq!(cipher.decrypt_padded(&iv, padding, &mut buffer).unwrap(), len, "{what}");
                assert!(buffer[..len] == *plaintext && buffer[len..].iter().all(|byte| *byte == 0), "{what}");
                if !padded {
                    let mut buffer = plaintext.to_vec();
                    cipher.encrypt_in_place(&iv, &mut buffer).unwrap();
                    assert!(buffer == sealed, "{what} in place");
                    cipher.decrypt_in_place(&iv, &mut buffer).unwrap();
                    assert!(buffer == plaintext, "{what} in place");
                }
                let pieces: &[usize] = if len > 1_000 { &[16_000, 70_001] } else { &[1, 5, 16, 31, 64] };
                for &piece in pieces {
                    let mut stream = cipher.encryptor(&iv, padding).unwrap();
                    let mut out = Vec::new();
                    plaintext.chunks(piece).for_each(|part| stream.update(part, &mut out));
                    stream.finish(&mut out).unwrap();
                    assert!(out == sealed, "{what} in pieces of {piece}");
                    let mut stream = cipher.decryptor(&iv, padding).unwrap();
                    out.clear();
                    sealed.chunks(piece).for_each(|part| stream.update(part, &mut out));
                    stream.finish(&mut out).unwrap();
                    assert!(out == plaintext, "{what} back in pieces of {piece}");
                }
                if len > 1_000 {
                    let mut out = Vec::new();
                    let done = FileCipher::new(cipher.encryptor(&iv, padding).unwrap());
                    let done = done.run(Input::reader(Trickle(plaintext)), Output::writer(&mut out)).unwrap();
                    assert_eq!((done.read, done.written), (len as u64, sealed.len() as u64), "{what}");
                    assert!(out == sealed, "{what} by run");
                    let mut out = Vec::new();
                    let stream = FileCipher::new(cipher.decryptor(&iv, padding).unwrap());
                    stream.run(Input::reader(&sealed[..]), Output::writer(&mut out)).unwrap();
                    assert!(out == plaintext, "{what} back by run");
                }
                ran += 1;
            }
        }
    }
    println!("{ran} messages");
    assert!(ran > 3_000, "only {ran} messages");
}

/// Gives what it has in odd portions.
struct Trickle<'a>(&'a [u8]);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let len = buffer.len().min(self.0.len()).min(7_919);
        self.0.read(&mut buffer[..len])
    }
}

#[test]
fn a_batch_is_each_message_by_itself() {
    for algorithm in Algorithm::ALL {
        let (cipher, _) = of(algorithm);
        let ivs: Vec<Vec<u8>> = (0..40).map(|i| vec![i; algorithm.iv_len()]).collect();
        let messages: Vec<Vec<u8>> = (0..40).map(|i| support::pattern(16 + i * 7 % 20 * 16)).collect();
        let mut together = messages.clone();
        cipher.encrypt_batch(ivs.iter().map(|iv| &iv[..]).zip(together.iter_mut().map(|one| &mut one[..]))).unwrap();
        for ((iv, message), sealed) in ivs.iter().zip(&messages).zip(&together) {
            assert!(cipher.encrypt(iv, Padding::None, message).unwrap() == *sealed, "{algorithm}");
        }
    }
    let (cipher, iv) = of(Algorithm::Sm4Cbc);
    let (mut whole, mut odd) = ([1; 16], [2; 17]);
    let refused = cipher.encrypt_batch([(&iv[..], &mut whole[..]), (&iv, &mut odd)]);
    assert_eq!(refused.unwrap_err().code(), "partial_block");
    assert_eq!((whole, odd), ([1; 16], [2; 17]));
}

/// Every last block of a CBC ciphertext: of one IV's last byte, one value gives padding of one byte.
#[test]
fn wrong_padding_is_one_error_and_releases_nothing() {
    for algorithm in [Algorithm::Sm4Cbc, Algorithm::Aes256Cbc] {
        let (cipher, iv) = of(algorithm);
        let sealed = cipher.encrypt(&iv, Padding::None, &[0x20; 32]).unwrap();
        let mut taken = Vec::new();
        for byte in 0..=255 {
            let mut changed = sealed.clone();
            changed[15] ^= byte;
            match cipher.decrypt(&iv, Padding::Pkcs7, &changed) {
                Ok(opened) => taken.push((byte, opened.len())),
                Err(error) => {
                    assert!(matches!(error, Error::InvalidPadding), "{error}");
                    assert!(cipher.decrypt_padded(&iv, Padding::Pkcs7, &mut changed).is_err());
                    assert_eq!(changed, [0; 32]);
                }
            }
        }
        for (len, plaintext_len) in [(31, 17), (33, 17), (16, 16), (48, 17), (0, 0)] {
            let error = cipher.encrypt_padded(&iv, Padding::Pkcs7, &mut vec![0; len], plaintext_len).unwrap_err();
            assert!(matches!(error, Error::WrongLength { what: "the buffer", actual, .. } if actual == len), "{error}");
        }
        assert_eq!(taken, [(0x20 ^ 1, 31)], "{algorithm}");
        for len in 0..100 {
            let error = cipher.decrypt(&iv, Padding::Pkcs7, &vec![7; len]).unwrap_err();
            let expected = if len % 16 > 0 { "partial_block" } else { "invalid_padding" };
            assert_eq!(error.code(), expected, "{algorithm}, {len} bytes");
        }
    }
}

#[test]
fn wrong_lengths_and_keys_are_refused() {
    for algorithm in Algorithm::ALL {
        for len in (0..=65).filter(|len| *len != algorithm.key_len()) {
            let error = Cipher::new(algorithm, &support::pattern(len)).unwrap_err();
            assert!(matches!(error, Error::WrongLength { what: "the key", actual, .. } if actual == len), "{error}");
        }
        let (cipher, _) = of(algorithm);
        for len in (0..=33).filter(|len| *len != algorithm.iv_len()) {
            let error = cipher.encrypt(&vec![0; len], Padding::Pkcs7, b"").unwrap_err();
            assert!(matches!(error, Error::WrongLength { what: "the IV", actual, .. } if actual == len), "{error}");
        }
        assert_eq!(algorithm.name().parse::<Algorithm>().unwrap(), algorithm);
    }
    for name in ["", "sm4", "SM4-CBC", "aes-256-xts", "aes-512-cbc", "sm4-gcm"] {
        assert_eq!(name.parse::<Algorithm>().unwrap_err().code(), "unknown_algorithm", "{name}");
    }
    for algorithm in [Algorithm::Sm4Xts, Algorithm::Sm4XtsIeee] {
        assert_eq!(Cipher::new(algorithm, &[5; 32]).unwrap_err().code(), "invalid_key");
    }
}

#[test]
fn errors_of_streams_come_out_and_end_the_run() {
    let (cipher, iv) = of(Algorithm::Sm4Cbc);
    let input = support::pattern(2_000_000);
    let encryptor = || FileCipher::new(cipher.encryptor(&iv, Padding::Pkcs7).unwrap());
    for limit in [0, 1, 200_000, 1_000_000] {
        let error = encryptor().run(Input::reader(&input[..]), Output::writer(Full(limit))).unwrap_err();
        assert!(matches!(error, Error::Io { action: "write", .. }), "{limit}: {error}");
        let broken = (&input[..limit]).chain(Broken);
        let error = encryptor().run(Input::reader(broken), Output::writer(std::io::sink())).unwrap_err();
        assert!(matches!(error, Error::Io { action: "read", .. }), "{limit}: {error}");
    }
    let cancelled = encryptor().cancel_when(|| true);
    let error = cancelled.run(Input::reader(&input[..]), Output::writer(std::io::sink())).unwrap_err();
    assert!(matches!(error, Error::Cancelled), "{error}");
    // A bad end of a stream comes after its beginning was written; a file is then not there at all.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plain");
    let bad = [&input[..1_000_000], &[0; 16]].concat();
    let decryptor = FileCipher::new(cipher.decryptor(&iv, Padding::Pkcs7).unwrap());
    let error = decryptor.run(Input::reader(&bad[..]), Output::file(&path).unwrap()).unwrap_err();
    assert!(matches!(error, Error::InvalidPadding), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// A reader that has little to give must not keep the error of the writer back.
#[test]
fn a_writer_that_fails_ends_a_run_whose_reader_is_slow() {
    struct Slow(usize, usize);
    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            if self.0 > 0 {
                let len = buffer.len().min(self.0);
                self.0 -= len;
                return Ok(len);
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
            // Ends by itself after minutes; nobody is to wait for that.
            self.1 += 1;
            assert!(self.1 < 50_000, "the reader was read on and on");
            buffer[0] = 1;
            Ok(1)
        }
    }
    let (cipher, iv) = of(Algorithm::Sm4Ctr);
    for threads in [1, 2] {
        for before in [131_072, 300_000, 400_000] {
            let stream = FileCipher::new(cipher.encryptor(&iv, Padding::None).unwrap()).threads(threads);
            let error = stream.run(Input::reader(Slow(before, 0)), Output::writer(Full(0))).unwrap_err();
            assert!(matches!(error, Error::Io { action: "write", .. }), "{threads} threads, {before}: {error}");
        }
    }
    let polled = std::sync::atomic::AtomicUsize::new(0);
    let stream = FileCipher::new(cipher.encryptor(&iv, Padding::None).unwrap());
    let stream = stream.cancel_when(move || polled.fetch_add(1, std::sync::atomic::Ordering::Relaxed) > 50);
    let error = stream.run(Input::reader(Slow(0, 0)), Output::writer(std::io::sink())).unwrap_err();
    assert!(matches!(error, Error::Cancelled), "{error}");
}

#[test]
fn a_panic_of_the_reader_or_writer_comes_out() {
    struct Panics(usize);
    impl Read for Panics {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            assert!(self.0 > 0, "by the reader");
            self.0 -= 1;
            Ok(buffer.len())
        }
    }
    impl Write for Panics {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            assert!(self.0 > 0, "by the writer");
            self.0 -= 1;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let (cipher, iv) = of(Algorithm::Sm4Ctr);
    let said = |run: &mut dyn FnMut()| {
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_err();
        panic.downcast_ref::<&str>().map(ToString::to_string).or_else(|| panic.downcast_ref::<String>().cloned())
    };
    for calls in 0..5 {
        let stream = || FileCipher::new(cipher.encryptor(&iv, Padding::None).unwrap());
        let by_reader = said(&mut || {
            _ = stream().run(Input::reader(Panics(calls)), Output::writer(std::io::sink()));
        });
        assert_eq!(by_reader.as_deref(), Some("by the reader"), "{calls}");
        let by_writer = said(&mut || {
            _ = stream().run(Input::reader(std::io::repeat(7)), Output::writer(Panics(calls)));
        });
        assert_eq!(by_writer.as_deref(), Some("by the writer"), "{calls}");
    }
}

struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(std::io::Error::other("broken"))
    }
}

/// Takes so many bytes and no more.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0 == 0 && !bytes.is_empty() {
            return Err(std::io::Error::other("full"));
        }
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn of(algorithm: Algorithm) -> (Cipher, Vec<u8>) {
    let key: Vec<u8> = (10..).take(algorithm.key_len()).collect();
    (Cipher::new(algorithm, &key).unwrap(), vec![0xff; algorithm.iv_len()])
}

fn hex(text: &str) -> Vec<u8> {
    assert!(text.len().is_multiple_of(2) && BLOCK_LEN == 16);
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}
