//! Key strings and lists of them: whatever is read is written as the same text. Other forms have targets of their own.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sealstone::{Identity, KeyForm, Kind, Recipient, SymmetricKey, parse_identities, parse_recipients};
use sealstone_fuzz::{keys, lines};

/// Prefixes of the format, prefixes close to them, and the lengths of their keys.
const PREFIXES: [(&str, usize); 8] = [
    ("age", 32),
    ("age1pq", 1216),
    ("AGE-SECRET-KEY-", 32),
    ("AGE-SECRET-KEY-PQ-", 32),
    ("SEALSTONE-KEY-", 32),
    ("age-secret-key-", 32),
    ("AGE", 32),
    ("age1pqc", 32),
];

const MOST_KEYS: usize = 1024;

fuzz_target!(|input: &[u8]| {
    keys::check(input);
    check_lists(input);
    if let Ok(text) = std::str::from_utf8(input) {
        check_key(text);
    }
    // The same bytes under a prefix and with a good checksum, which the fuzzer cannot guess.
    if let [prefix, len, data @ ..] = input {
        let (prefix, key_len) = PREFIXES[usize::from(*prefix) % PREFIXES.len()];
        let mut data = data.to_vec();
        match len % 4 {
            0 | 1 => data.resize(key_len, 0),
            // Around the 4,096 characters that a string may have.
            2 => data.resize(2_540 + usize::from(*len / 4), 0),
            _ => {}
        }
        let text = bech32(prefix, &data);
        check_key(&text);
        let list = format!("# a comment\n\n{text}\r\n{text}");
        keys::check(list.as_bytes());
        check_lists(list.as_bytes());
        if prefix.starts_with("AGE-SECRET-KEY-") && data.len() == 32 {
            text.parse::<Identity>().expect("any 32 bytes are a secret key");
        }
    }
});

fn check_key(text: &str) {
    if !is_string(text) {
        return;
    }
    let recipient = text.parse::<Recipient>();
    let identity = text.parse::<Identity>();
    assert!(recipient.is_err() || identity.is_err(), "{text} is public and secret");
    if let Ok(recipient) = recipient {
        assert_eq!(recipient_of(&recipient), normal(text));
    }
    let key = text.parse::<SymmetricKey>();
    assert_eq!(key.is_ok(), identity.is_ok() && text.starts_with("SEALSTONE-KEY-1"));
    if let Ok(key) = key {
        assert_eq!(key.to_text().as_str(), text);
    } else if let Ok(identity) = &identity {
        let recipient = recipient_of(&identity.recipient());
        assert!(recipient.parse::<Recipient>().is_ok(), "the recipient of {text} is none");
        check_key(&recipient);
    }
    if let Ok(identity) = identity {
        assert_eq!(identity_of(&identity), normal(text));
    }
}

/// Comments may be of any bytes; any other line is a key and nothing else.
fn check_lists(file: &[u8]) {
    if !matches!(KeyForm::of(file), Some(KeyForm::Age | KeyForm::Hex)) {
        return;
    }
    let all = lines(file);
    let keys: Vec<_> = all.iter().filter(|line| !line.is_empty() && !line.starts_with(b"#")).collect();
    let texts = || keys.iter().map(|line| normal(std::str::from_utf8(line).expect("a line of a key is UTF-8")));
    // A line that is refused is no key by itself, either.
    let is_none = |number: usize, parses: fn(&str) -> bool| {
        let line = all.get(number - 1).expect("an error names a line of the text");
        std::str::from_utf8(line).map_or(true, |line| !is_string(line) || !parses(line))
    };
    match parse_identities(file, None) {
        Ok(found) => assert!(found.iter().map(identity_of).eq(texts())),
        Err(error) => match error.line {
            Some(number) => assert!(is_none(number, |line| line.parse::<Identity>().is_ok())),
            None => assert!(keys.is_empty() || keys.len() > MOST_KEYS, "{error}"),
        },
    }
    match parse_recipients(file) {
        Ok(found) => assert!(found.iter().map(recipient_of).eq(texts())),
        Err(error) => match error.line {
            Some(number) => assert!(is_none(number, |line| line.parse::<Recipient>().is_ok())),
            None => assert!(keys.is_empty() || keys.len() > MOST_KEYS, "{error}"),
        },
    }
}

/// An identity as a list has it: a string, or digits.
fn identity_of(identity: &Identity) -> String {
    let text = if identity.kind() == Kind::Sm2 { identity.to_hex().ok() } else { identity.to_text() };
    text.expect("it was read from text").to_string()
}

fn recipient_of(recipient: &Recipient) -> String {
    if recipient.kind() == Kind::Sm2 { recipient.to_hex().expect("it has digits") } else { recipient.to_string() }
}

/// Digits may have any case, and those of a point leave out 04. Strings have one form.
fn normal(text: &str) -> String {
    if text.len() < 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return text.to_owned();
    }
    let lower = text.to_ascii_lowercase();
    if lower.len() == 128 { format!("04{lower}") } else { lower }
}

/// Neither PEM nor JWK, which may be written in many ways.
fn is_string(text: &str) -> bool {
    !text.starts_with("-----BEGIN ") && !text.trim_start().starts_with('{')
}

/// Bech32 (BIP 173) of `data`, in the case of `prefix`.
fn bech32(prefix: &str, data: &[u8]) -> String {
    const CHARACTERS: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";
    let lower = prefix.to_ascii_lowercase();
    let bits: Vec<u8> = data.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1)).collect();
    let words = bits.chunks(5).map(|word| (0..5).fold(0, |value, i| value << 1 | word.get(i).copied().unwrap_or(0)));
    let mut words: Vec<u8> = words.collect();
    let expanded = lower.bytes().map(|c| c >> 5).chain([0]).chain(lower.bytes().map(|c| c & 31));
    let sum = polymod(expanded.chain(words.iter().copied()).chain([0; 6])) ^ 1;
    words.extend((0..6).map(|i| (sum >> (25 - 5 * i) & 31) as u8));
    let text: String = words.iter().map(|word| char::from(CHARACTERS[usize::from(*word)])).collect();
    let text = format!("{lower}1{text}");
    if prefix == lower { text } else { text.to_ascii_uppercase() }
}

fn polymod(words: impl Iterator<Item = u8>) -> u32 {
    const GENERATOR: [u32; 5] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3];
    words.fold(1, |sum, word| {
        let shifted = (sum & 0x01ff_ffff) << 5 ^ u32::from(word);
        (0..5).filter(|i| sum >> (25 + i) & 1 == 1).fold(shifted, |sum, i| sum ^ GENERATOR[i])
    })
}
