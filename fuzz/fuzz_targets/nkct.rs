//! Files of nkCryptoTool: arbitrary bytes, files of its programs whose bytes are changed, and files of ours whose chunks are damaged.
//! Every way of reading gives one verdict, and nothing is released but a prefix of what was sealed.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use sealstone::aead::Algorithm;
use sealstone::interop::nkct::{self, Decryptor, Encryptor, Identity};
use sealstone::{Error, Input, Output};
use sealstone_fuzz::{Damage, Edit};
use std::sync::LazyLock;

#[derive(Arbitrary, Debug)]
enum Case<'a> {
    /// Arbitrary bytes.
    File { file: &'a [u8] },
    /// A file of one of its programs, changed.
    Theirs { of: u8, edits: Vec<Edit> },
    /// A file of version 3 whose chunks are small, changed behind its header.
    Ours { keys: u8, chacha: bool, chunk_len: u8, len: u16, damage: Vec<Damage> },
}

macro_rules! vector {
    ($path:literal) => {
        include_bytes!(concat!("../../vectors/nkct/", $path))
    };
}

/// One of each layout, with the length of its plaintext.
const THEIRS: [(&[u8], usize); 13] = [
    (vector!("files/v1_cpp_0410_ecc_100.nkct"), 100),
    (vector!("files/v1_cpp_0410_pqc_100.nkct"), 100),
    (vector!("files/v1_cpp_0410_hybrid_100.nkct"), 100),
    (vector!("files/v1_cpp_0426_ecc_100.nkct"), 100),
    (vector!("files/v1_cpp_0426_pqc_100.nkct"), 100),
    (vector!("files/v1_cpp_0426_hybrid_100.nkct"), 100),
    (vector!("files/v2_cpp_0429_ecc_chacha_100.nkct"), 100),
    (vector!("files/v2_cpp_0506_pqc_aes_100.nkct"), 100),
    (vector!("files/v2_cpp_0506_hybrid_aes_100.nkct"), 100),
    (vector!("files/v3_cpp_c64_ecc_chacha_200.nkct"), 200),
    (vector!("files/v3_cpp_c64_pqc_aes_200.nkct"), 200),
    (vector!("files/v3_cpp_c64_hybrid_aes_200.nkct"), 200),
    (vector!("files/v3_script_c64_ecc_empty_last_128.nkct"), 128),
];

/// What those are encrypted to. They guard nothing.
static IDENTITIES: LazyLock<Vec<Identity>> = LazyLock::new(|| {
    let files: [&[u8]; 4] = [
        vector!("keys/cpp_private_enc_ecc.pem"),
        vector!("keys/cpp_private_enc_pqc.pem"),
        vector!("keys/cpp0410_private_enc_ecc.pem"),
        vector!("keys/cpp0410_private_enc_pqc.pem"),
    ];
    files.into_iter().flat_map(|file| Identity::parse(file, None).expect("nkct: a key of the vectors")).collect()
});
static DECRYPTOR: LazyLock<Decryptor> = LazyLock::new(|| Decryptor::new(IDENTITIES.clone()).threads(1));

fn plaintext(len: usize) -> Vec<u8> {
    (0..=250).cycle().take(len).collect()
}

fuzz_target!(|case: Case<'_>| match case {
    Case::File { file } => drop(check(file)),
    Case::Theirs { of, edits } => {
        let (good, len) = THEIRS[usize::from(of) % THEIRS.len()];
        let mut file = good.to_vec();
        edits.iter().for_each(|edit| edit.apply(&mut file));
        let version = u16::from_le_bytes([good[4], good[5]]);
        match check(&file) {
            Ok(opened) => {
                assert_eq!(opened, plaintext(len), "something else than the plaintext was released");
                // Versions 1 and 2 do not authenticate names.
                assert!(version < 3 || file == good, "damage was not seen");
            }
            Err(error) => assert!(file != good, "a good file does not open: {error}"),
        }
    }
    Case::Ours { keys, chacha, chunk_len, len, damage } => {
        let keys: &[usize] = [&[0][..], &[1], &[0, 1]][usize::from(keys) % 3];
        // Hybrid files have one.
        let chacha = chacha && keys.len() == 1;
        let aead = if chacha { Algorithm::ChaCha20Poly1305 } else { Algorithm::Aes256Gcm };
        let encryptor = Encryptor::new(keys.iter().map(|at| IDENTITIES[*at].recipient())).threads(1);
        let encryptor = encryptor.chunk_len(u32::from(chunk_len).max(1)).and_then(|encryptor| encryptor.aead(aead));
        let encryptor = encryptor.expect("nkct: good settings");
        // A chunk for each byte is slow.
        let plaintext = plaintext(usize::from(len).min(usize::from(chunk_len).max(1) * 40));
        let good = encryptor.encrypt(&plaintext).expect("nkct: it encrypts");
        let seen = nkct::inspect(Input::reader(&good[..])).expect("nkct: what was written can be inspected");
        let (head, body) = good.split_at(usize::try_from(seen.header_len).expect("nkct: a short header"));
        let sealed_len = usize::from(chunk_len).max(1) + 16;
        let mut chunks: Vec<Vec<u8>> = body.chunks(sealed_len).map(<[u8]>::to_vec).collect();
        damage.iter().for_each(|damage| damage.apply(&mut chunks, sealed_len));
        let file = [head, &chunks.concat()].concat();
        match check(&file) {
            Ok(opened) => assert!(file == good && opened == plaintext, "damage was not seen"),
            Err(error) => {
                assert!(file != good, "a good file does not open: {error}");
                assert!(["not_authentic", "truncated", "too_long"].contains(&error.code()), "{error}");
                assert!(plaintext.starts_with(&stream(&file).1), "something else than the plaintext was released");
            }
        }
    }
});

/// What a stream gives, and what it has released by then.
fn stream(file: &[u8]) -> (Result<u64, Error>, Vec<u8>) {
    let mut released = Vec::new();
    let opened = DECRYPTOR.decrypt_to(Input::reader(file), Output::writer(&mut released));
    (opened.map(|summary| summary.plaintext), released)
}

/// Opens a file in every way; they agree.
fn check(file: &[u8]) -> Result<Vec<u8>, Error> {
    let opened = DECRYPTOR.decrypt(file);
    let verified = DECRYPTOR.verify(Input::reader(file));
    let (streamed, released) = stream(file);
    let seen = nkct::inspect(Input::reader(file));
    let kinds = nkct::kinds(&mut Input::reader(file));
    match &opened {
        Ok(plaintext) => {
            let len = plaintext.len() as u64;
            assert!(nkct::begins(file), "what opens does not begin as such a file does");
            assert_eq!(verified.expect("verify passes what opens").plaintext, len);
            assert_eq!(streamed.expect("a stream opens what memory opens"), len);
            assert_eq!(&released, plaintext);
            let seen = seen.expect("what opens can be inspected");
            assert_eq!(seen.plaintext_len, len);
            assert_eq!(seen.header_len + seen.body_len, file.len() as u64);
            assert_eq!(kinds.expect("what opens has keys"), seen.kinds());
            let range = DECRYPTOR.decrypt_range(file, 1..70);
            match plaintext.get(1..) {
                _ if seen.version < 3 => assert_eq!(range.unwrap_err().code(), "invalid_option"),
                Some(rest) => assert_eq!(range.expect("a range of a good file"), rest[..rest.len().min(69)]),
                None => assert_eq!(range.unwrap_err().code(), "range_out_of_bounds"),
            }
        }
        Err(error) => {
            let other = verified.expect_err("verify passed what memory refused");
            assert_eq!(error.code(), other.code());
            let other = streamed.expect_err("a stream opened what memory refused");
            assert_eq!(error.code(), other.code());
        }
    }
    opened
}
