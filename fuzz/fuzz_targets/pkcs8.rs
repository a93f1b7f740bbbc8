//! Keys as DER: PKCS#8, plain and encrypted, SEC1 and SubjectPublicKeyInfo. Arbitrary bytes, good keys with edits, what
//! encryption hides, and costs at their bounds, which are refused without being paid.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use sealstone::{KeyForm, Passphrase, parse_identities, parse_recipients};
use sealstone_fuzz::der::{self, ATTRIBUTES, INTEGER, Node, OBJECT_IDENTIFIER, OCTET_STRING, SEQUENCE, integer};
use sealstone_fuzz::keys::{COSTS_AT, Cost, Derivation, LABELS, NAMES, PASSPHRASE, Read, Scheme};
use sealstone_fuzz::keys::{check, check_agreement, edited, form, is_private, pem, texts};
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

/// Every fault of a private key behind its passphrase has this text.
const NONE_BEHIND: &str = "invalid identity: the passphrase opens it, and the private key inside is damaged";

/// DER and PEM of it are read alike, under each label of its half and under no other.
fn check_der(file: &[u8]) -> Read {
    let read = check(file);
    if KeyForm::of(file) != Some(KeyForm::Der) {
        return read;
    }
    if read.identities.is_ok() || read.recipients.is_ok() {
        let tree = Node::read(file).expect("what is read is DER");
        assert_eq!(tree.write(), file);
        if let Ok(found) = &read.without {
            check_agreement(&tree, &found[0]);
            assert!(algorithm_of(file).is_some() || tree.at(&[1], OCTET_STRING).is_some(), "neither SEC1 nor PKCS#8");
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
    let fitting: Vec<_> = fitting.collect();
    // A certificate has a public key, and a label of its own.
    let is_certificate = check(pem("CERTIFICATE", file, 64).as_bytes()).recipients.is_ok();
    assert!(!is_certificate || read.recipients.is_ok(), "a certificate in PEM is one in DER");
    let of_half = |label: &&str| match is_private(label) {
        true => read.identities.is_ok(),
        false => read.recipients.is_ok() && !is_certificate,
    };
    assert_eq!(fitting, LABELS.into_iter().filter(of_half).collect::<Vec<_>>(), "labels that fit");
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

/// Readers take an encrypted PrivateKeyInfo as they take a plain one; for anything else they call the passphrase wrong.
fn check_encrypted(scheme: &Scheme, plain: &[u8], edits: &[Edit]) {
    let mut file = scheme.encrypt(plain).write();
    let with = |passphrase| parse_identities(&file, Some(passphrase)).map_err(|error| error.error);
    assert_eq!(check(&file).without.expect_err("it is encrypted").error.code(), "passphrase_required");
    assert_eq!(with(&OTHER).expect_err("it is the wrong one").code(), "no_matching_identity");
    let expected = parse_identities(pem(LABELS[0], plain, 64), None);
    match (with(&PASSPHRASE), expected) {
        (Err(error), _) if algorithm_of(plain).is_none() => assert_eq!(error.code(), "no_matching_identity"),
        (Ok(_), _) if algorithm_of(plain).is_none() => panic!("a key in something else"),
        (found, Ok(expected)) => assert_eq!(texts(&found.expect("it stays a key")), texts(&expected)),
        (found, Err(expected)) => {
            let error = found.expect_err("it becomes no key");
            let is_known = algorithm_of(plain).is_some_and(|algorithm| NAMES.contains(&algorithm));
            // A damaged name of an algorithm makes it none.
            let is_none = !is_known && expected.error.code() == "invalid_identity";
            assert_eq!(error.code(), if is_none { "no_matching_identity" } else { expected.error.code() });
            assert!(error.code() != "invalid_identity" || error.to_string() == NONE_BEHIND, "{error}");
        }
    }
    if !edits.is_empty() {
        edits.iter().for_each(|edit| edit.apply(&mut file));
        check_der(&file);
    }
}

/// The name of the algorithm in a PrivateKeyInfo (RFC 5958 section 2), with nothing behind it; `None` of anything else.
fn algorithm_of(der: &[u8]) -> Option<&[u8]> {
    let inside = |all: Vec<(u8, _)>| if let [(SEQUENCE, info)] = all[..] { der::elements(info) } else { None };
    let parts = der::elements(der).and_then(inside)?;
    let [(INTEGER, [version @ (0 | 1)]), (SEQUENCE, algorithm), (OCTET_STRING, _), behind @ ..] = &parts[..] else {
        return None;
    };
    let ([(OBJECT_IDENTIFIER, algorithm)] | [(OBJECT_IDENTIFIER, algorithm), _]) = der::elements(algorithm)?[..] else {
        return None;
    };
    let behind = if let [(ATTRIBUTES, _), behind @ ..] = behind { behind } else { behind };
    // The second version is for public keys, each a BIT STRING that begins with the number of its unused bits.
    let is_right = match (version, behind) {
        (0, []) => true,
        (1, [(PUBLIC_KEY, [unused @ 0..=7, bits @ ..])]) => *unused == 0 || !bits.is_empty(),
        _ => false,
    };
    is_right.then_some(algorithm)
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
