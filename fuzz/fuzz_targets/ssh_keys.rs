//! Keys of SSH: lines of public keys, and openssh-key-v1. Arbitrary text, good keys with edits at any depth, and a key behind a
//! passphrase whose bits can be flipped.

#![no_main]

use arbitrary::Arbitrary;
use data_encoding::BASE64;
use libfuzzer_sys::fuzz_target;
use sealstone::sign::PrivateKey;
use sealstone::{KeyForm, Passphrase};
use sealstone_fuzz::keys::pem;
use sealstone_fuzz::ssh::{self, KeyFile, string};
use sealstone_fuzz::{Edit, lines, signing};
use std::ops::Range;
use std::sync::LazyLock;

#[derive(Arbitrary, Debug)]
enum Case<'a> {
    File {
        file: &'a [u8],
    },
    /// A line, with other lines before and behind it.
    Line {
        key: u8,
        edits: Vec<ssh::Edit>,
        before: Vec<&'a str>,
        options: Option<&'a str>,
        comment: &'a str,
        blanks: [u8; 3],
        crlf: bool,
        behind: Vec<&'a str>,
    },
    /// Edits of the whole, of the public key and of the section.
    Private {
        key: u8,
        outer: Vec<ssh::Edit>,
        public: Vec<ssh::Edit>,
        section: Vec<ssh::Edit>,
        columns: u8,
        text: Vec<Edit>,
    },
    /// Each flips bits of what is encrypted, and so those of the plaintext.
    Locked {
        flips: Vec<(u16, u8)>,
        right: bool,
    },
}

/// Made by `ssh-keygen -t ed25519 -a 1 -N pass`: one round, which takes the fuzzer little time.
const LOCKED: &str = "\
b3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABAwfHKpJZNNRUPQU69IcP2aAAAAAQAAAAEAAAAzAAAAC3NzaC\
1lZDI1NTE5AAAAIAAftsdZUICHStKjKZ3v2ZM/uXnwhQxozZhaeQXSE+L1AAAAkC94RrBGnrYGqfEyEhcQR8KH6/v+0RePDwVkQ+b3BDA8KZuJ\
OPT5G62XI21cgzbQy38M93IuzoGk7rujlQmEszKmPuFoBCwDBfSo8pr8PrAWgrB40axFD+6jcG9mXMn3psNeAOUo2/dag1OAGszJMZ2c9lHCSA\
o2o6xDH6q5cFgI2dbtQKEw3uFDCArKovqDTg==";
const LOCKED_PUBLIC: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAftsdZUICHStKjKZ3v2ZM/uXnwhQxozZhaeQXSE+L1";
/// The last bytes of it are encrypted. They begin with two checks of 4 bytes.
const SECTION_LEN: usize = 144;
const NAME_AT: usize = 8;
const COMMENT_AT: usize = NAME_AT + 4 + "ssh-ed25519".len() + 4 + 32 + 4 + 64;
/// Every fault of a private key behind its passphrase has this text.
const NONE_BEHIND: &str = "invalid key: the passphrase opens it, and the private key inside is damaged";

static PASSPHRASES: LazyLock<[Passphrase; 2]> =
    LazyLock::new(|| ["pass", "other"].map(|text| Passphrase::new(text).expect("ssh_keys: a passphrase")));

fuzz_target!(|case: Case<'_>| match case {
    Case::File { file } => check_line(file, &signing::check(file)),
    Case::Line { key, edits, before, options, comment, blanks, crlf, behind } => {
        let key = signing::key(key).public_key();
        let Ok(blob) = key.to_ssh_bytes() else { return };
        let mut parts = ssh::parts(&blob).expect("a key is strings");
        edits.iter().for_each(|edit| edit.apply(&mut parts));
        let name = String::from_utf8_lossy(&parts.first().cloned().unwrap_or_else(|| string(b"")).bytes).into_owned();
        let blank = |at: usize| if blanks[at] % 2 == 0 { " " } else { "\t" }.repeat(1 + usize::from(blanks[at] % 3));
        let base64 = BASE64.encode(&ssh::write(&parts));
        let options = options.map_or(String::new(), |options| format!("{options} "));
        let line = format!("{options}{name}{}{base64}{}{comment}{}", blank(0), blank(1), blank(2));
        let mut lines = before;
        lines.push(&line);
        lines.extend(behind);
        let file = lines.join(if crlf { "\r\n" } else { "\n" });
        check_line(file.as_bytes(), &signing::check(file.as_bytes()));
        // The line by itself.
        let read = signing::check(line.as_bytes());
        check_line(line.as_bytes(), &read);
        if edits.is_empty() && options.is_empty() && !comment.contains(['\n', '\r', '\0']) {
            assert_eq!(read.public.expect("a good line"), key);
        }
    }
    Case::Private { key, outer, public, section, columns, text } => {
        let key = signing::key(key);
        let Some(mut file) = KeyFile::of(key) else { return };
        let is_good = [&outer, &public, &section].iter().all(|edits| edits.is_empty());
        outer.iter().for_each(|edit| edit.apply(&mut file.outer));
        public.iter().for_each(|edit| edit.apply(&mut file.public));
        section.iter().for_each(|edit| edit.apply(&mut file.section));
        let mut block = pem("OPENSSH PRIVATE KEY", &file.write(), columns).into_bytes();
        text.iter().for_each(|edit| edit.apply(&mut block));
        match signing::check(&block).private {
            Ok(read) if text.is_empty() => {
                assert_eq!(read.public_key().to_ssh_bytes().expect("it has the form"), file.blob());
                assert!(!is_good || read.to_bytes() == key.to_bytes());
            }
            Ok(_) => {}
            Err(error) => assert!(!(is_good && text.is_empty()), "a good key: {error}"),
        }
    }
    Case::Locked { flips, right } => check_locked(&flips, right),
});

/// What a line says is what would be written: names and base64 have one text.
fn check_line(file: &[u8], read: &signing::Read) {
    let Ok(key) = &read.public else { return };
    if !matches!(KeyForm::of(file), Some(KeyForm::Age)) {
        return;
    }
    let words = |line: &[u8]| {
        let words = line.split(|byte| b" \t".contains(byte)).filter(|word| !word.is_empty());
        words.map(<[u8]>::to_vec).collect::<Vec<_>>()
    };
    let lines = lines(file).into_iter().map(words);
    let lines: Vec<_> = lines.filter(|words| words.first().is_some_and(|word| !word.starts_with(b"#"))).collect();
    assert_eq!(lines.len(), 1, "one line has a key");
    assert_eq!(lines[0][..2].join(&b' '), key.to_ssh("").expect("it was a line").as_bytes());
}

/// A wrong passphrase shows in the two checks alone; one error says every other fault behind it; and no other key comes of it.
fn check_locked(flips: &[(u16, u8)], right: bool) {
    let mut file = BASE64.decode(LOCKED.as_bytes()).expect("ssh_keys: base64");
    let start = file.len() - SECTION_LEN;
    let mut flipped = [0; SECTION_LEN];
    for (at, flip) in flips {
        flipped[usize::from(*at) % SECTION_LEN] ^= flip;
    }
    file[start..].iter_mut().zip(flipped).for_each(|(byte, flip)| *byte ^= flip);
    let is_right = right && flipped[..4] == flipped[4..NAME_AT];
    let is_sound = |range: Range<usize>| flipped[range].iter().all(|flip| *flip == 0);
    let block = pem("OPENSSH PRIVATE KEY", &file, 70);
    assert_eq!(signing::check(block.as_bytes()).private.expect_err("it is encrypted").code(), "passphrase_required");
    match PrivateKey::parse(&block, Some(&PASSPHRASES[usize::from(!right)])) {
        Ok(key) => {
            assert!(is_right, "a wrong passphrase");
            assert!(is_sound(NAME_AT..COMMENT_AT), "a key that was changed");
            signing::check_private(&key);
            assert_eq!(key.public_key().to_ssh("").expect("it has the form"), LOCKED_PUBLIC);
        }
        Err(error) => {
            assert_eq!(error.code(), if is_right { "invalid_key" } else { "no_matching_identity" }, "{error}");
            assert!(!is_right || error.to_string() == NONE_BEHIND, "{error}");
            assert!(!is_right || !is_sound(NAME_AT..SECTION_LEN), "the right passphrase");
        }
    }
}
