//! Files of age: arbitrary bytes, headers with a good MAC around arbitrary lines, and good files that are damaged. Every way of
//! reading gives one verdict, and nothing is released but a prefix of what was sealed.

#![no_main]

use arbitrary::Arbitrary;
use data_encoding::BASE64_NOPAD;
use libfuzzer_sys::fuzz_target;
use sealstone::aead::Aead;
use sealstone::hash::Algorithm;
use sealstone::interop::age::{self, Decryptor, Identity, Rewrapper};
use sealstone::kdf::hkdf;
use sealstone::mac::Mac;
use sealstone::{Error, Input, Output};
use sealstone_fuzz::{Damage, Edit};
use std::sync::LazyLock;

#[derive(Arbitrary, Debug)]
enum Case<'a> {
    /// Arbitrary bytes.
    File { file: &'a [u8] },
    /// Arbitrary lines before and behind a good stanza, then a MAC of all of them.
    Header { before: &'a [u8], behind: &'a [u8], edits: Vec<Edit> },
    /// A payload of some chunks that is changed, in a good header.
    Payload { chunks: u8, rest: i16, changes: Vec<Change> },
    /// Armour of a good file that is changed.
    Armour { columns: u8, crlf: bool, edits: Vec<Edit> },
}

/// A change to chunks.
#[derive(Arbitrary, Debug)]
enum Change {
    Damage(Damage),
    /// The last chunk's mark where none is due, or none where one is.
    Mark {
        at: u8,
    },
}

/// The file key and the keys of C2SP's kit, so that its vectors are seeds. They guard nothing.
const FILE_KEY: &[u8; 16] = b"YELLOW SUBMARINE";
const IDENTITIES: [&str; 2] = [
    "AGE-SECRET-KEY-1EGTZVFFV20835NWYV6270LXYVK2VKNX2MMDKWYKLMGR48UAWX40Q2P2LM0",
    "AGE-SECRET-KEY-PQ-1HZLGZUPT4ETPKDEV8HSGFDCYZ4E522W0A7PU2LHT8EH9W6YLNC3SW78XKG",
];
const VERSION: &str = "age-encryption.org/v1\n";
/// Wraps `FILE_KEY` for the first identity.
const STANZA: &str =
    "-> X25519 TEiF0ypqr+bpvcqXNyCVJpL7OuwPdVwPL7KQEbFDOCc\nhjabGXwSLQ9c3S6Lw2i+S2Tu2fiwQHHslbBN6B41FLE\n";
const SALT: [u8; 16] = [7; 16];
const CHUNK_LEN: usize = 65_536;
const BEGIN: &str = "-----BEGIN AGE ENCRYPTED FILE-----";
const END: &str = "-----END AGE ENCRYPTED FILE-----";

static DECRYPTOR: LazyLock<Decryptor> = LazyLock::new(|| {
    Decryptor::new(IDENTITIES.map(|text| text.parse::<Identity>().expect("age: an identity"))).threads(1)
});

fuzz_target!(|case: Case<'_>| match case {
    Case::File { file } => drop(check(file)),
    Case::Header { before, behind, edits } => {
        let mut lines = [before, STANZA.as_bytes(), behind].concat();
        edits.iter().for_each(|edit| edit.apply(&mut lines));
        let header = header(&lines);
        let plaintext = b"attack at dawn";
        let payload = chunks(plaintext).concat();
        let opened = check(&[&header[..], &SALT, &payload].concat());
        if lines == STANZA.as_bytes() {
            assert_eq!(opened.as_deref().expect("it is sealed to us"), plaintext);
        }
        if let Ok(opened) = opened {
            assert_eq!(opened, plaintext);
        }
    }
    Case::Payload { chunks: count, rest, changes } => {
        let len = (usize::from(count % 3) * CHUNK_LEN).saturating_add_signed(rest.into());
        let plaintext: Vec<u8> = (0..=250).cycle().take(len).collect();
        let good = chunks(&plaintext);
        let mut damaged = good.clone();
        changes.iter().for_each(|change| change.apply(&mut damaged));
        let head = [&header(STANZA.as_bytes())[..], &SALT].concat();
        let file = [&head[..], &damaged.concat()].concat();
        let is_good = damaged.concat() == good.concat();
        match check(&file) {
            // A chunk that was sealed again as the last one ends a file.
            Ok(opened) if changes.iter().any(|change| matches!(change, Change::Mark { .. })) => {
                assert!(plaintext.starts_with(&opened), "something else than the plaintext was released");
            }
            Ok(opened) => assert!(is_good && opened == plaintext, "damage was not seen"),
            Err(error) => {
                assert!(!is_good, "a good file does not open: {error}");
                assert!(["truncated", "not_authentic"].contains(&error.code()), "{error}");
                assert!(plaintext.starts_with(&stream(&file).1), "something else than the plaintext was released");
            }
        }
    }
    Case::Armour { columns, crlf, edits } => {
        let plaintext = vec![b'-'; 200];
        let file = [&header(STANZA.as_bytes())[..], &SALT, &chunks(&plaintext).concat()].concat();
        let end = if crlf { "\r\n" } else { "\n" };
        let mut text = [BEGIN, end].concat();
        for line in data_encoding::BASE64.encode(&file).as_bytes().chunks(usize::from(columns).max(1)) {
            text.extend([std::str::from_utf8(line).expect("age: base64 is ASCII"), end]);
        }
        text.extend([END, end]);
        let mut text = text.into_bytes();
        edits.iter().for_each(|edit| edit.apply(&mut text));
        let opened = check(&text);
        if columns == 64 && edits.is_empty() {
            assert_eq!(opened.as_deref().expect("it is good armour"), plaintext);
        }
        if let Ok(opened) = opened {
            assert_eq!(opened, plaintext);
        }
    }
});

/// Lines with the version before them and their MAC behind.
fn header(lines: &[u8]) -> Vec<u8> {
    let mut key = [0; 32];
    hkdf(Algorithm::Sha256, FILE_KEY, b"", b"header", &mut key).expect("age: a key");
    let signed = [VERSION.as_bytes(), lines, b"---"].concat();
    let mac = Mac::new("hmac-sha256".parse().expect("age: a name"), &key).expect("age: a key").sign(&signed);
    [&signed[..], b" ", BASE64_NOPAD.encode(mac.as_bytes()).as_bytes(), b"\n"].concat()
}

fn aead() -> Aead {
    let mut key = [0; 32];
    hkdf(Algorithm::Sha256, FILE_KEY, &SALT, b"payload", &mut key).expect("age: a key");
    Aead::new("chacha20-poly1305".parse().expect("age: a name"), &key).expect("age: a key")
}

fn nonce(at: usize, is_last: bool) -> [u8; 12] {
    let mut nonce = [0; 12];
    nonce[3..11].copy_from_slice(&(at as u64).to_be_bytes());
    nonce[11] = is_last.into();
    nonce
}

/// Sealed chunks; of nothing, one.
fn chunks(plaintext: &[u8]) -> Vec<Vec<u8>> {
    let aead = aead();
    let parts: Vec<&[u8]> = if plaintext.is_empty() { vec![plaintext] } else { plaintext.chunks(CHUNK_LEN).collect() };
    let seal =
        |(at, part): (usize, &&[u8])| aead.seal(&nonce(at, at + 1 == parts.len()), b"", part).expect("age: it seals");
    parts.iter().enumerate().map(seal).collect()
}

impl Change {
    fn apply(&self, chunks: &mut Vec<Vec<u8>>) {
        match self {
            Self::Damage(damage) => damage.apply(chunks, CHUNK_LEN + 16),
            Self::Mark { .. } if chunks.is_empty() => {}
            Self::Mark { at } => {
                let (at, aead) = (usize::from(*at) % chunks.len(), aead());
                for is_last in [false, true] {
                    if let Ok(part) = aead.open(&nonce(at, is_last), b"", &chunks[at]) {
                        chunks[at] = aead.seal(&nonce(at, !is_last), b"", &part).expect("age: it seals");
                        break;
                    }
                }
            }
        }
    }
}

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
    let seen = age::inspect(Input::reader(file));
    let stanzas = age::stanzas(&mut Input::reader(file));
    match &opened {
        Ok(plaintext) => {
            assert!(age::begins(file), "what opens does not begin as age does");
            assert_eq!(verified.expect("verify passes what opens").plaintext, plaintext.len() as u64);
            assert_eq!(streamed.expect("a stream opens what memory opens"), plaintext.len() as u64);
            assert_eq!(&released, plaintext);
            let seen = seen.expect("what opens can be inspected");
            assert_eq!(seen.plaintext_len, plaintext.len() as u64);
            assert_eq!(stanzas.expect("what opens has stanzas"), seen.stanzas);
            let range = DECRYPTOR.decrypt_range(file, 1..CHUNK_LEN as u64 + 9);
            match plaintext.get(1..) {
                _ if seen.armoured => assert!(range.is_err(), "armour has no positions"),
                Some(rest) => assert_eq!(range.expect("a range of a good file"), rest[..rest.len().min(CHUNK_LEN + 8)]),
                None => assert_eq!(range.unwrap_err().code(), "range_out_of_bounds"),
            }
            rewrap(file, plaintext);
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

/// Given to its own first key once more it opens as before.
fn rewrap(file: &[u8], plaintext: &[u8]) {
    let identities = || IDENTITIES.map(|text| text.parse::<Identity>().expect("age: an identity"));
    let [first, _] = identities();
    match Rewrapper::new(identities(), [first.recipient()]).rewrap(file) {
        Ok(file) => assert_eq!(DECRYPTOR.decrypt(&file).expect("what was given to us opens"), plaintext),
        // To a file that is post-quantum, or has as many stanzas as it may, none is added.
        Err(error) => assert!(["mixed_recipients", "invalid_recipients"].contains(&error.code()), "{error}"),
    }
}
