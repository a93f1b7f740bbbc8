//! Files of PEM: arbitrary text, blocks of good keys with edits, and files of many parts, whose keys are read in order.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use sealstone::{KeyForm, Recipient};
use sealstone_fuzz::Edit;
use sealstone_fuzz::keys::{Form, LABELS, Read, check, form, is_private, pem, text_of, texts};
use sealstone_fuzz::{der, identities};

#[derive(Arbitrary, Debug)]
enum Case<'a> {
    File { file: &'a [u8] },
    Edited { form: u8, columns: u8, edits: Vec<Edit> },
    Parts { mark: bool, crlf: bool, parts: Vec<Part<'a>> },
}

#[derive(Arbitrary, Debug)]
enum Part<'a> {
    Key {
        form: u8,
        columns: u8,
        spaces: u8,
    },
    Labelled {
        form: u8,
        label: u8,
        ends: bool,
    },
    /// Its DER is changed.
    Changed {
        form: u8,
        edits: Vec<der::Edit>,
    },
    /// Its text is changed.
    Damaged {
        form: u8,
        edits: Vec<Edit>,
    },
    Line {
        line: &'a str,
    },
    /// A key of `identities` that has a string, or its recipient.
    String {
        key: u8,
        secret: bool,
    },
    Parameters,
}

/// Base64 of prime256v1.
const PARAMETERS: &str = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";
/// More would only be slow.
const MOST_PARTS: usize = 16;

fuzz_target!(|case: Case<'_>| match case {
    Case::File { file } => drop(check(file)),
    Case::Edited { form: at, columns, edits } => {
        let form = form(at);
        let mut file = pem(form.label, &form.tree.write(), columns).into_bytes();
        edits.iter().for_each(|edit| edit.apply(&mut file));
        check(&file);
    }
    Case::Parts { mark, crlf, parts } => check_parts(mark, crlf, &parts[..parts.len().min(MOST_PARTS)]),
});

/// What must come of a file of parts.
#[derive(Default)]
struct Expected {
    private: Vec<String>,
    public: Vec<String>,
    /// Of the keys that stand there as they are written, 64 columns wide.
    written: Vec<String>,
    parameters: bool,
    /// A part that no reader takes.
    refused: bool,
    /// A part of which nothing is said here.
    unknown: bool,
}

fn check_parts(mark: bool, crlf: bool, parts: &[Part<'_>]) {
    let mut expected = Expected::default();
    let mut text: String = parts.iter().map(|part| part.build(&mut expected)).collect();
    if crlf {
        text = text.replace('\n', "\r\n");
    }
    if mark {
        text.insert(0, '\u{feff}');
    }
    let read = check(text.as_bytes());
    if !expected.unknown && KeyForm::of(text.as_bytes()) == Some(KeyForm::Pem) {
        expected.check(&read);
    }
}

impl Part<'_> {
    fn build(&self, expected: &mut Expected) -> String {
        match self {
            Self::Key { form: at, columns, spaces } => {
                let form = form(*at);
                expected.take(form);
                let der = form.tree.write();
                let end = format!("{}\n", " ".repeat(usize::from(spaces % 4)));
                pem(form.label, &der, *columns).replace('\n', &end)
            }
            Self::Labelled { form: at, label, ends } => {
                let (form, label) = (form(*at), LABELS[usize::from(*label) % LABELS.len()]);
                let der = form.tree.write();
                // A label says which half is behind it, and no more; the two of a block are the same.
                if form.label == label || !ends && is_private(form.label) == is_private(label) {
                    expected.take(form);
                } else {
                    expected.refused = true;
                }
                if *ends {
                    let [good, other] = [form.label, label].map(|label| format!("-----END {label}-----"));
                    return pem(form.label, &der, 64).replace(&good, &other);
                }
                pem(label, &der, 64)
            }
            Self::Changed { form: at, edits } => {
                expected.unknown = true;
                let form = form(*at);
                pem(form.label, &sealstone_fuzz::keys::edited(form.tree.clone(), edits).write(), 64)
            }
            Self::Damaged { form: at, edits } => {
                expected.unknown = true;
                let form = form(*at);
                let mut block = pem(form.label, &form.tree.write(), 64).into_bytes();
                edits.iter().for_each(|edit| edit.apply(&mut block));
                String::from_utf8_lossy(&block).into_owned()
            }
            Self::Line { line } => {
                let lower = line.to_ascii_lowercase();
                let marks = ["secret-key-", "sealstone-key-", "kty", "--begin", "--end", "\0"];
                expected.refused |= marks.iter().any(|mark| lower.contains(mark));
                let is_number = lower.bytes().all(|byte| byte.is_ascii_hexdigit());
                expected.refused |= is_number && [64, 66, 128, 130].contains(&lower.len());
                expected.unknown |= lower.contains("age1");
                line.replace(['\n', '\r'], " ") + "\n"
            }
            Self::String { key, secret } => {
                expected.refused = true;
                // Those from the fourth on have strings, and the last has no public half.
                let identity = &identities()[3 + usize::from(*key) % 3];
                let public = identity.recipient().to_string();
                (if *secret || public.starts_with('<') { text_of(identity) } else { public }) + "\n"
            }
            Self::Parameters => {
                expected.parameters = true;
                PARAMETERS.to_owned()
            }
        }
    }
}

impl Expected {
    fn take(&mut self, form: &Form) {
        if is_private(form.label) { &mut self.private } else { &mut self.public }.push(form.text.clone());
        if form.is_written {
            self.written.push(pem(form.label, &form.tree.write(), 64));
        }
    }

    fn check(&self, read: &Read) {
        let refused = self.refused || (self.private.is_empty() == self.public.is_empty());
        match &read.identities {
            Ok(found) => assert_eq!((refused, texts(found)), (false, self.private.clone())),
            Err(error) => assert!(refused || self.private.is_empty(), "{error}"),
        }
        match &read.recipients {
            Ok(found) => {
                let texts: Vec<_> = found.iter().map(Recipient::to_string).collect();
                assert_eq!((refused || self.parameters, texts), (false, self.public.clone()));
            }
            Err(error) => assert!(refused || self.parameters || self.public.is_empty(), "{error}"),
        }
        let written: Vec<_> = match (&read.identities, &read.recipients) {
            (Ok(found), _) => found.iter().map(|one| one.to_pem(None).expect("it has PEM").to_string()).collect(),
            (_, Ok(found)) => found.iter().map(|one| one.to_pem().expect("it has PEM")).collect(),
            _ => return,
        };
        assert!(self.written.iter().all(|block| written.contains(block)), "another PEM than it should write");
    }
}
