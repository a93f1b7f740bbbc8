//! Every kind of key does what its row says: its forms, its suites, messages, and what goes with it into one file.

use sealstone::{Decryptor, Encryptor, Identity, Input, KeyForm, Kind, Suite, inspect, message, parse_identities};
use std::collections::BTreeSet;

fn generated() -> impl Iterator<Item = Kind> {
    Kind::ALL.into_iter().filter(|kind| kind.is_generated())
}

/// In a form, as bytes.
fn written(identity: &Identity, form: KeyForm) -> sealstone::Result<Vec<u8>> {
    let text = match form {
        KeyForm::Der => return Ok(identity.to_der(None)?.to_vec()),
        KeyForm::Pem => identity.to_pem(None)?,
        KeyForm::Jwk => identity.to_jwk()?,
        KeyForm::Hex => identity.to_hex()?,
        _ => identity.to_text().expect("a key that was generated has a text form"),
    };
    Ok(text.as_bytes().to_vec())
}

#[test]
fn a_kind_is_generated_and_no_passphrase_is() {
    let not: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| Identity::generate(*kind).is_err()).collect();
    // What a plugin has is tried in tests/plugin.rs.
    assert_eq!(not, [Kind::Passphrase, Kind::Plugin]);
    assert!(generated().all(|kind| Identity::generate(kind).unwrap().kind() == kind));
}

#[test]
fn a_kind_has_the_forms_of_its_row_and_is_read_from_each() {
    for kind in generated() {
        let identity = Identity::generate(kind).unwrap();
        assert_eq!(identity.recipient().fingerprint().is_some(), kind.public_len().is_some(), "{kind}");
        // The text form is the string, and PEM of kinds without one.
        let text = identity.to_text().unwrap();
        let again = text.parse::<Identity>().unwrap();
        assert_eq!(*again.to_text().unwrap(), *text, "{kind}");
        assert_eq!(text.starts_with("-----BEGIN"), !kind.has_form(KeyForm::Age), "{kind}");
        for form in KeyForm::ALL.into_iter().filter(|form| *form != KeyForm::Age) {
            match written(&identity, form) {
                Ok(file) => {
                    let read = parse_identities(&file, None).unwrap().remove(0);
                    assert!(read.recipient().is_same(&identity.recipient()), "{kind}, {form}");
                    assert!(kind.has_form(form), "{kind}, {form}");
                }
                Err(error) => {
                    assert_eq!((error.code(), kind.has_form(form)), ("unsupported_key", false), "{kind}, {form}");
                }
            }
        }
    }
}

#[test]
fn a_suite_takes_the_kinds_that_have_a_stanza_in_it() {
    let mut ids = BTreeSet::new();
    for (kind, suite) in generated().flat_map(|kind| Suite::ALL.map(|suite| (kind, suite))) {
        let identity = Identity::generate(kind).unwrap();
        let sealed = Encryptor::new([identity.recipient()]).suite(suite).encrypt(b"attack at dawn");
        let Some(id) = kind.stanza_id(suite) else {
            assert_eq!(sealed.unwrap_err().code(), "invalid_recipients", "{kind}, {suite}");
            continue;
        };
        let sealed = sealed.unwrap();
        assert_eq!(inspect(Input::reader(&sealed[..])).unwrap().stanzas[0].type_id, id, "{kind}, {suite}");
        let stranger = Identity::generate(kind).unwrap();
        assert_eq!(Decryptor::new([stranger]).decrypt(&sealed).unwrap_err().code(), "no_matching_identity");
        assert_eq!(Decryptor::new([identity]).decrypt(&sealed).unwrap(), b"attack at dawn", "{kind}, {suite}");
        ids.insert((id, kind.name()));
    }
    assert_eq!(ids.len(), generated().count(), "each has one stanza: {ids:?}");
}

#[test]
fn messages_go_to_the_kinds_that_take_them() {
    for kind in generated() {
        let identity = Identity::generate(kind).unwrap();
        match message::seal(&identity.recipient(), b"attack at dawn", b"order 17") {
            Ok(sealed) => {
                assert_eq!(message::open(&identity, &sealed, b"order 17").unwrap(), b"attack at dawn", "{kind}");
            }
            Err(error) => assert_eq!((error.code(), kind.takes_messages()), ("invalid_recipients", false), "{kind}"),
        }
    }
}

#[test]
fn two_kinds_go_into_one_file_where_a_suite_takes_both_and_their_strength_is_one() {
    for (one, other) in generated().flat_map(|one| generated().map(move |other| (one, other))) {
        let recipients = [one, other].map(|kind| Identity::generate(kind).unwrap().recipient());
        let has_suite = Suite::ALL.iter().any(|suite| [one, other].iter().all(|kind| kind.stanza_id(*suite).is_some()));
        let is_mixed = one.is_post_quantum().is_some_and(|strength| other.is_post_quantum() == Some(!strength));
        let expected = match (has_suite, is_mixed) {
            (false, _) => Some("invalid_recipients"),
            (true, true) => Some("mixed_recipients"),
            (true, false) => None,
        };
        let encryptor = Encryptor::new(recipients);
        assert_eq!(encryptor.check_recipients().err().map(|error| error.code()), expected, "{one} and {other}");
        assert_eq!(encryptor.allow_mixed(true).check_recipients().is_ok(), has_suite, "{one} and {other}");
    }
}
