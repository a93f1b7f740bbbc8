//! Signature files: arbitrary bytes as a detached and as an attached one, and good ones whose blob, armour or content is changed.
//! Only what was signed verifies, a file and a stream are read alike, and nothing is released of what is refused.

#![no_main]

use arbitrary::Arbitrary;
use data_encoding::BASE64;
use libfuzzer_sys::fuzz_target;
use sealstone::sign::{Kind, PrivateKey};
use sealstone::signature::{Comment, SignatureReader, SignatureWriter, Signers, SigningKey, Verified, claims};
use sealstone::{Error, Input, Output};
use sealstone_fuzz::ssh::{self, Part, parts, string};
use sealstone_fuzz::{Edit, signing};
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::sync::LazyLock;

#[derive(Arbitrary, Debug)]
enum Case<'a> {
    /// Arbitrary bytes; behind content, and by themselves.
    File { file: &'a [u8] },
    /// Edits of the five strings of a blob, of its key and of its signature, and of the armour's text.
    Blob {
        of: u8,
        outer: Vec<ssh::Edit>,
        key: Vec<ssh::Edit>,
        signature: Vec<ssh::Edit>,
        armour: Armour,
        text: Vec<Edit>,
    },
    /// Another content, and good armour as often as there is room.
    Content { of: u8, content: &'a [u8], repeat: u8, behind: &'a [u8], own: bool },
}

/// How the text around a blob is laid out.
#[derive(Arbitrary, Debug)]
struct Armour {
    columns: u8,
    crlf: bool,
    no_end: bool,
}

const CONTENT: &[u8] = b"attack at dawn\n";
const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----";
const END: &str = "-----END SSH SIGNATURE-----";
const MAX_LEN: usize = 16_384;

/// Verdicts that no key changes (spec/signature.md section 6.1, steps 1 to 6).
const OF_FORM: [&str; 3] = ["not_a_signature", "malformed_signature", "unsupported_signature"];
/// The others, of which `invalid_signer` and `invalid_namespace` are never the file's.
const OF_KEYS: [&str; 3] = ["wrong_namespace", "unknown_signer", "invalid_signature"];

/// A signature of `CONTENT`.
struct Signature {
    kind: Kind,
    /// The five strings behind the version.
    parts: Vec<Part>,
    armour: String,
}

struct Fixed {
    reader: SignatureReader,
    signatures: Vec<Signature>,
}

/// By a key of each kind, with and without a comment.
static FIXED: LazyLock<Fixed> = LazyLock::new(|| {
    let keys = signing::KEYS.iter().filter_map(|key| {
        let copy = PrivateKey::from_bytes(key.kind(), &key.to_bytes()).expect("signatures: a good key");
        SigningKey::new(copy).ok()
    });
    let keys: Vec<_> = keys.collect();
    assert_eq!(keys.len(), 6);
    let comments = [None, Some(Comment::new("release 7").expect("signatures: a comment"))];
    let signatures = keys.iter().flat_map(|key| {
        comments.iter().map(move |comment| {
            let writer = SignatureWriter::new(key);
            let writer = comment.iter().fold(writer, |writer, comment| writer.comment(comment.clone()));
            let armour = writer.detached(Input::reader(CONTENT)).expect("signatures: it signs");
            let blob = body(&armour);
            let (magic, strings) = blob.split_at(10);
            assert_eq!(magic, b"SSHSIG\0\0\0\x01");
            Signature { kind: key.kind(), parts: parts(strings).expect("signatures: it is written"), armour }
        })
    });
    let reader = SignatureReader::new(Signers::new(keys.iter().map(|key| key.signer().clone())));
    Fixed { reader, signatures: signatures.collect() }
});

/// The blob of good armour.
fn body(armour: &str) -> Vec<u8> {
    let lines: String = armour.lines().filter(|line| !line.starts_with('-')).collect();
    BASE64.decode(lines.as_bytes()).expect("signatures: base64")
}

fn of(at: u8) -> &'static Signature {
    &FIXED.signatures[usize::from(at) % FIXED.signatures.len()]
}

fuzz_target!(|case: Case<'_>| match case {
    Case::File { file } => {
        drop(check_detached(CONTENT, file));
        drop(check_attached(file));
        drop(check_attached(&[CONTENT, file].concat()));
    }
    Case::Blob { of: at, outer, key, signature, armour, text } => {
        let good = of(at);
        let mut strings = good.parts.clone();
        // The first and the last are strings of strings.
        for (at, edits) in [(0, key), (4, signature)] {
            let mut inner = parts(&strings[at].bytes).expect("signatures: it is written");
            edits.iter().for_each(|edit| edit.apply(&mut inner));
            strings[at] = string(&ssh::write(&inner));
        }
        outer.iter().for_each(|edit| edit.apply(&mut strings));
        let blob = [b"SSHSIG\0\0\0\x01", &ssh::write(&strings)[..]].concat();
        let mut file = armour.write(&blob).into_bytes();
        text.iter().for_each(|edit| edit.apply(&mut file));
        let verified = check_detached(CONTENT, &file);
        drop(check_attached(&[CONTENT, &file].concat()));
        let is_same = ssh::write(&strings) == ssh::write(&good.parts);
        if text.is_empty() && is_same && armour.is_good() && file.len() <= MAX_LEN {
            assert_eq!(verified.expect("a good signature").kind(), good.kind);
        } else if text.is_empty() && !is_same {
            assert!(verified.is_err(), "a forged signature of {}", good.kind);
        }
    }
    Case::Content { of: at, content, repeat, behind, own } => {
        let good = of(at);
        let armours = good.armour.repeat(1 + usize::from(repeat % 4));
        let content = if own { CONTENT } else { content };
        let file = [content, armours.as_bytes(), behind].concat();
        let verified = check_attached(&file);
        let is_good = content == CONTENT && repeat % 4 == 0 && behind.is_empty();
        assert_eq!(verified.is_ok(), is_good, "{}", good.kind);
        let signature = [good.armour.as_bytes(), behind].concat();
        let mut lines = behind.split(|byte| *byte == b'\n').map(|line| {
            let text = line.iter().position(|byte| !b" \t\r".contains(byte));
            &line[text.unwrap_or(line.len())..]
        });
        let is_alone = signature.len() <= MAX_LEN && !lines.any(|line| line.starts_with(BEGIN.as_bytes()));
        let verified = check_detached(content, &signature);
        assert_eq!(verified.is_ok(), content == CONTENT && is_alone, "{}", good.kind);
    }
});

/// What a file claims, and what the reader says of it, do not differ.
fn check_detached(content: &[u8], signature: &[u8]) -> Result<Verified, Error> {
    let verified = FIXED.reader.detached(Input::reader(content), signature);
    match (claims(signature), &verified) {
        (Ok(claimed), Ok(verified)) => {
            assert_eq!((claimed.kind, claimed.fingerprint), (verified.kind(), verified.fingerprint()));
            assert_eq!(claimed.namespace.as_deref(), Some("file"));
            assert_eq!((content, verified.content_len()), (CONTENT, CONTENT.len() as u64), "nothing else was signed");
        }
        (Ok(_), Err(error)) => assert!(OF_KEYS.contains(&error.code()), "{error}"),
        (Err(claimed), Err(error)) => {
            assert!(OF_FORM.contains(&error.code()), "{error}");
            assert_eq!(claimed.code(), error.code());
        }
        (Err(error), Ok(_)) => panic!("what claims nothing verifies: {error}"),
    }
    verified
}

thread_local! {
    /// A file of this process alone.
    static SCRATCH: File = {
        let path = std::env::temp_dir().join(format!("sealstone-fuzz-{}", std::process::id()));
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path);
        let file = file.expect("signatures: a file for a moment");
        std::fs::remove_file(path).expect("signatures: it is there");
        file
    };
}

/// A file and a stream have one verdict, and release the content or nothing.
fn check_attached(file: &[u8]) -> Result<Verified, Error> {
    let reader = &FIXED.reader;
    let verified = reader.check_attached(Input::reader(file));
    let mut released = Vec::new();
    let streamed = reader.attached(Input::reader(file), Output::writer(&mut released));
    let named = SCRATCH.with(|scratch| {
        scratch.set_len(0).expect("signatures: the file is ours");
        scratch.write_all_at(file, 0).expect("signatures: there is room");
        let scratch = scratch.try_clone().expect("signatures: the file is ours");
        reader.check_attached(Input::from_file(scratch, None).expect("signatures: the file is ours"))
    });
    for other in [&streamed, &named] {
        match (&verified, other) {
            (Ok(one), Ok(other)) => assert_eq!(one, other),
            (Err(one), Err(other)) => assert_eq!(one.code(), other.code()),
            (one, other) => panic!("{one:?} and {other:?}"),
        }
    }
    match &verified {
        Ok(verified) => {
            assert_eq!(
                (&released[..], verified.content_len()),
                (CONTENT, CONTENT.len() as u64),
                "nothing else was signed"
            );
            assert!(file.starts_with(CONTENT));
            let signature = &file[released.len()..];
            assert!(signature.starts_with(format!("{BEGIN}\n").as_bytes()) && signature.ends_with(b"\n"));
            assert!(!signature.contains(&b'\r'));
            assert_eq!(&check_detached(&released, signature).expect("it is the same signature"), verified);
        }
        Err(error) => {
            assert!(released.is_empty(), "something was released before it was verified");
            assert!(OF_FORM.contains(&error.code()) || OF_KEYS.contains(&error.code()), "{error}");
        }
    }
    verified
}

impl Armour {
    fn is_good(&self) -> bool {
        (1..=76).contains(&self.columns)
    }

    fn write(&self, blob: &[u8]) -> String {
        let end = if self.crlf { "\r\n" } else { "\n" };
        let base64 = BASE64.encode(blob);
        let mut text = [BEGIN, end].concat();
        for line in base64.as_bytes().chunks(usize::from(self.columns).max(1)) {
            text.extend([std::str::from_utf8(line).expect("signatures: base64 is ASCII"), end]);
        }
        text.push_str(END);
        if !self.no_end {
            text.push_str(end);
        }
        text
    }
}
