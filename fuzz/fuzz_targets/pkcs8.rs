//! Keys as DER: PKCS#8, plain and encrypted, SEC1 and SubjectPublicKeyInfo. Arbitrary bytes, good keys with edits, what
//! encryption hides, and costs at their bounds, which are refused without being paid.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use sealstone::{KeyForm, Passphrase, parse_identities, parse_recipients};
use sealstone_fuzz::der::{self, Content, Node, integer};
use sealstone_fuzz::keys::{COSTS_AT, Cost, Derivation, LABELS, PASSPHRASE, Read, Scheme};
use sealstone_fuzz::keys::{check, check_agreement, edited, form, pem, texts};
use sealstone_fuzz::{Edit, identities};
use std::sync::LazyLock;

#[derive(Arbitrary, Debug)]
enum Case<'a> {
    File { file: &'a [u8] },
    Bytes { form: u8, edits: Vec<Edit> },
    Tree { form: u8, edits: Vec<der::Edit> },
    Encrypted { scheme: Scheme, form: u8, inner: Vec<der::Edit>, outer: Vec<Edit> },
    Costs { scrypt: bool, numbers: [Number; 3] },
}

#[derive(Arbitrary, Debug)]
enum Number {
    Near { bound: u8, offset: i8 },
    Power { of_two: u8 },
    Any { number: u128 },
}

const BOUNDS: [u128; 10] =
    [0, 16, 10_000_000, 1 << 20, 1 << 23, 1 << 31, 1 << 32, (1 << 32) + 10_000_000, 1 << 64, (1 << 64) + 10_000_000];

/// The tag of a public key in PKCS#8, [1] IMPLICIT BIT STRING.
const PUBLIC_KEY: u8 = 0x81;

static OTHER: LazyLock<Passphrase> = LazyLock::new(|| Passphrase::new("other").expect("pkcs8: a passphrase"));

/// Encrypted keys, with PBKDF2 and with scrypt.
static ENCRYPTED: LazyLock<[Node; 2]> = LazyLock::new(|| {
    let der = identities()[0].to_der(None).expect("pkcs8: p256 has DER");
    let kdfs = [Derivation::Pbkdf2 { prf: 2, iterations: 0 }, Derivation::Scrypt { log_n: 0, r: 0, p: 0 }];
    kdfs.map(|kdf| Scheme { kdf, ..Scheme::default() }.encrypt(&der))
});

fuzz_target!(|case: Case<'_>| match case {
    Case::File { file } => drop(check_der(file)),
    Case::Bytes { form: at, edits } => {
        let mut file = form(at).tree.write();
        edits.iter().for_each(|edit| edit.apply(&mut file));
        check_der(&file);
    }
    Case::Tree { form: at, edits } => {
        let tree = edited(form(at).tree.clone(), &edits);
        let read = check_der(&tree.write());
        if tree == form(at).tree {
            check_good(at, &read);
        }
    }
    Case::Encrypted { scheme, form: at, inner, outer } => {
        check_encrypted(&scheme, &edited(form(at).tree.clone(), &inner).write(), &outer);
    }
    Case::Costs { scrypt, numbers } => check_costs(scrypt, &numbers),
});

/// DER and PEM of it are read alike, under the one label that fits.
fn check_der(file: &[u8]) -> Read {
    let read = check(file);
    if KeyForm::of(file) != Some(KeyForm::Der) {
        return read;
    }
    let is_good = read.identities.is_ok() || read.recipients.is_ok();
    if is_good {
        let tree = Node::read(file).expect("what is read is DER");
        assert_eq!(tree.write(), file);
        if let Ok(found) = &read.without {
            check_agreement(&tree, &found[0]);
        }
        let longer = [file, b"\0"].concat();
        assert!(parse_identities(&longer, Some(&PASSPHRASE)).is_err(), "a byte behind it");
        assert!(parse_recipients(&longer).is_err(), "a byte behind it");
    }
    let fitting = LABELS.into_iter().filter(|label| {
        let block = check(pem(label, file, 64).as_bytes());
        match (&block.identities, &block.recipients) {
            (Ok(found), _) => {
                assert_eq!(texts(found), texts(read.identities.as_ref().expect("a key in PEM is one in DER")));
                true
            }
            (_, Ok(found)) => {
                let expected = read.recipients.as_ref().expect("a key in PEM is one in DER");
                assert_eq!(found[0].to_string(), expected[0].to_string());
                true
            }
            _ => false,
        }
    });
    assert_eq!(fitting.count(), usize::from(is_good), "labels that fit");
    read
}

fn check_good(at: u8, read: &Read) {
    let form = form(at);
    match (&read.identities, &read.recipients) {
        (Ok(found), _) => {
            assert_eq!(texts(found), [&form.text[..]]);
            if form.is_written {
                assert_eq!(*found[0].to_der(None).expect("it has DER"), form.tree.write());
            }
        }
        (_, Ok(found)) => {
            assert_eq!(found[0].to_string(), form.text);
            assert_eq!(found[0].to_der().expect("it has DER"), form.tree.write());
        }
        (Err(error), _) => panic!("a good key in {}: {error}", form.label),
    }
    let needs = read.without.as_ref().is_err_and(|error| error.error.code() == "passphrase_required");
    assert_eq!(needs, form.label == LABELS[1]);
}

/// What is encrypted is read as it is plain, if it is PKCS#8 without attributes; else the passphrase is called wrong.
fn check_encrypted(scheme: &Scheme, plain: &[u8], edits: &[Edit]) {
    let mut file = scheme.encrypt(plain).write();
    let with = |passphrase| parse_identities(&file, Some(passphrase)).map_err(|error| error.error.code());
    assert_eq!(check(&file).without.expect_err("it is encrypted").error.code(), "passphrase_required");
    assert_eq!(with(&OTHER).expect_err("it is the wrong one"), "no_matching_identity");
    let expected = parse_identities(pem(LABELS[0], plain, 64), None);
    let elements = match Node::read(plain).map(|tree| tree.content) {
        Some(Content::Nodes(elements)) => elements.iter().map(|element| element.tag).collect(),
        _ => Vec::new(),
    };
    let has_attributes = elements.get(3).is_some_and(|tag| *tag != PUBLIC_KEY) || elements.len() > 4;
    match (with(&PASSPHRASE), expected) {
        (Ok(found), expected) => {
            assert_eq!(texts(&found), texts(&expected.expect("a key that is encrypted is one")));
            assert!(!has_attributes, "anything could hide there");
        }
        (Err(code), expected) => {
            assert_eq!(code, "no_matching_identity");
            assert!(expected.is_err() || has_attributes, "a key that is encrypted stays one");
        }
    }
    if !edits.is_empty() {
        edits.iter().for_each(|edit| edit.apply(&mut file));
        check_der(&file);
    }
}

/// Every cost has its verdict without a passphrase, and those that are refused have it with one.
fn check_costs(scrypt: bool, numbers: &[Number; 3]) {
    let mut tree = ENCRYPTED[usize::from(scrypt)].clone();
    // The first parameter is the salt.
    for (number, at) in numbers.iter().take(if scrypt { 3 } else { 1 }).zip(1..) {
        tree.put(&[&COSTS_AT[..], &[at]].concat(), integer(number.value()));
    }
    let cost = Cost::of(&tree).expect("pkcs8: it has costs");
    let file = tree.write();
    let code = check(&file).without.expect_err("it is encrypted").error.code();
    let expected: &[_] = match (cost.is_over(), cost.is_none()) {
        (false, false) => &["passphrase_required"],
        (true, false) => &["cost_too_high"],
        (false, true) => &["invalid_identity"],
        (true, true) => &["cost_too_high", "invalid_identity"],
    };
    assert!(expected.contains(&code), "{cost:?}: {code}");
    if code != "passphrase_required" {
        let error = parse_identities(&file, Some(&PASSPHRASE)).expect_err("it is refused");
        assert_eq!(error.error.code(), code, "{cost:?}");
    }
}

impl Number {
    fn value(&self) -> u128 {
        match self {
            Self::Near { bound, offset } => {
                BOUNDS[usize::from(*bound) % BOUNDS.len()].saturating_add_signed((*offset).into())
            }
            Self::Power { of_two } => 1 << (of_two % 128),
            Self::Any { number } => *number,
        }
    }
}
