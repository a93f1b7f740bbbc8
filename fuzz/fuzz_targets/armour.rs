//! ASCII armour: arbitrary text around BEGIN, arbitrary bytes in good armour, and round trips.

#![no_main]

use arbitrary::Arbitrary;
use data_encoding::BASE64;
use libfuzzer_sys::fuzz_target;
use sealstone::{Encryptor, Identity, is_armoured};
use sealstone_fuzz::{decryptor, identities};

const BEGIN: &[u8] = b"-----BEGIN SEALSTONE FILE-----";
const END: &[u8] = b"-----END SEALSTONE FILE-----\n";
/// Some of the pieces of 24,576 bytes in which armour is written. More would only be slow.
const LONGEST: usize = 60_000;

#[derive(Arbitrary, Debug)]
enum Case<'a> {
    Damaged { text: &'a [u8] },
    Around { text: &'a [u8] },
    Wrapped { file: &'a [u8] },
    RoundTrip { repeat: u8, at: u32, flip: u8, plaintext: &'a [u8] },
}

fuzz_target!(|case: Case<'_>| match case {
    Case::Damaged { text } => check_agreement(&[BEGIN, text].concat()),
    Case::Around { text } => check_agreement(text),
    Case::Wrapped { file } => check_wrapped(file),
    Case::RoundTrip { repeat, at, flip, plaintext } => {
        let mut plaintext = plaintext.repeat(repeat.into());
        plaintext.truncate(LONGEST);
        check_round_trip(&plaintext, at, flip);
    }
});

/// Memory and stream open the same texts.
fn check_agreement(text: &[u8]) {
    let mut released = Vec::new();
    let streamed = decryptor().decrypt_stream(text, &mut released);
    match decryptor().decrypt(text) {
        Ok(plaintext) => {
            streamed.expect("a stream opens what memory opens");
            assert_eq!(released, plaintext);
        }
        Err(error) => assert!(streamed.is_err(), "a stream opened what memory refused: {error}"),
    }
}

/// Good armour changes no verdict.
fn check_wrapped(file: &[u8]) {
    if file.is_empty() || is_armoured(file) {
        return;
    }
    let mut text = [BEGIN, b"\n"].concat();
    for line in file.chunks(48) {
        text.extend_from_slice(BASE64.encode(line).as_bytes());
        text.push(b'\n');
    }
    text.extend_from_slice(END);
    match (decryptor().decrypt(&text), decryptor().decrypt(file)) {
        (Ok(armoured), Ok(plain)) => assert_eq!(armoured, plain),
        (armoured, plain) => assert_eq!(armoured.map_err(|e| e.code()), plain.map_err(|e| e.code())),
    }
    check_agreement(&text);
}

/// What is armoured opens, with either line end, and not after a byte has changed, unless the last line ends with a blank then.
fn check_round_trip(plaintext: &[u8], at: u32, flip: u8) {
    let recipient = identities().last().map(Identity::recipient).expect("armour: the symmetric key is the last");
    let encryptor = Encryptor::new([recipient]).armour(true).threads(1);
    let mut text = encryptor.encrypt(plaintext).expect("armour: it encrypts");
    let mut streamed = Vec::new();
    encryptor.encrypt_stream(plaintext, &mut streamed).expect("armour: it encrypts a stream");
    assert_eq!(text.len(), streamed.len());
    for text in [&text, &streamed, &with_crlf(&text)] {
        assert_eq!(decryptor().decrypt(text).expect("what was armoured opens"), plaintext);
    }
    check_agreement(&text);
    if flip != 0 {
        let at = at as usize % text.len();
        text[at] ^= flip;
        let is_blank = at + 1 == text.len() && b" \t\r".contains(&text[at]);
        assert_eq!(decryptor().decrypt(&text).is_ok(), is_blank, "byte {at} may be anything");
        check_agreement(&text);
    }
}

fn with_crlf(text: &[u8]) -> Vec<u8> {
    text.split_inclusive(|byte| *byte == b'\n').flat_map(|line| [&line[..line.len() - 1], b"\r\n"].concat()).collect()
}
