//! No `Debug`, no `Display` and no error shows a secret.

use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL_NOPAD, HEXLOWER, HEXUPPER};
use sealstone::aead::{Aead, Algorithm, Backend};
use sealstone::chunked::{ChunkedKey, HEAD_LEN};
use sealstone::nacl;
use sealstone::sign::{self, PrivateKey};
use sealstone::signature::{SignatureWriter, SigningKey};
use sealstone::{Decryptor, Encryptor, Identity, Kind, Passphrase, Recipient, Suite, SymmetricKey};
use sealstone::{parse_identities, parse_recipients};
use std::fmt::Debug;

/// No two bytes are alike, and none is likely in a text by chance.
const KEY: [u8; 32] = [
    0xd7, 0x41, 0xc8, 0x93, 0xe2, 0xb5, 0xfa, 0x86, 0x9d, 0xce, 0xf1, 0xa4, 0xdb, 0x97, 0xe8, 0xb3, 0xf6, 0x8a, 0xc1,
    0xdf, 0xa9, 0xe4, 0x95, 0xbc, 0xf3, 0x88, 0xc6, 0xd2, 0xad, 0xeb, 0x9f, 0xb7,
];
const PASSPHRASE: &str = "Tr0ub4dor-and-3-horses";

/// Every way in which a secret could be written.
fn forms(secret: &[u8]) -> Vec<String> {
    // A window of six bytes, so that a part of the secret is found, too.
    let mut forms = Vec::new();
    for part in secret.windows(6) {
        forms.push(HEXLOWER.encode(part));
        forms.push(HEXUPPER.encode(part));
        forms.push(format!("{part:?}").trim_matches(['[', ']']).to_owned());
        forms.push(format!("{part:x?}").trim_matches(['[', ']']).to_owned());
        forms.push(format!("{part:02X?}").trim_matches(['[', ']']).to_owned());
        let lines: Vec<String> = part.iter().map(u8::to_string).collect();
        forms.push(lines.join(",\n"));
    }
    for part in secret.windows(9) {
        for encoding in [BASE64, BASE64_NOPAD, BASE64URL_NOPAD] {
            forms.push(encoding.encode(part));
        }
    }
    if let Ok(text) = std::str::from_utf8(secret) {
        forms.extend(text.as_bytes().windows(8).map(|part| String::from_utf8(part.to_vec()).unwrap()));
    }
    forms
}

fn assert_hides(shown: &str, secret: &[u8], what: &str) {
    // Pretty printing indents; the bytes are then one a line.
    let flat: String = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    for form in forms(secret) {
        let spaced = form.replace('\n', " ");
        assert!(!shown.contains(&form) && !flat.contains(&spaced), "{what} shows a secret: {shown}");
    }
}

fn assert_debug_hides(value: &impl Debug, secrets: &[&[u8]], what: &str) {
    for shown in [format!("{value:?}"), format!("{value:#?}"), format!("{value:x?}")] {
        assert!(!shown.is_empty());
        for secret in secrets {
            assert_hides(&shown, secret, what);
        }
    }
}

#[test]
fn the_search_finds_a_secret_that_is_shown() {
    #[derive(Debug)]
    #[allow(dead_code)]
    struct Open([u8; 32], String);
    let shows = |shown: String, secret: &[u8]| std::panic::catch_unwind(|| assert_hides(&shown, secret, "x")).is_err();
    let open = Open(KEY, PASSPHRASE.to_owned());
    for shown in
        [format!("{open:?}"), format!("{open:#?}"), format!("{open:x?}"), HEXLOWER.encode(&KEY), BASE64.encode(&KEY)]
    {
        assert!(shows(shown.clone(), &KEY), "{shown}");
    }
    assert!(shows(format!("{open:?}"), PASSPHRASE.as_bytes()));
    assert!(!shows("Key(..)".to_owned(), &KEY));
}

#[test]
fn debug_of_a_key_that_signs_files_hides_it() {
    for kind in sign::Kind::ALL.into_iter().filter(|kind| kind.signs_files()) {
        let secret: Vec<u8> = KEY.into_iter().cycle().take(kind.private_len().unwrap()).collect();
        let key = SigningKey::new(PrivateKey::from_bytes(kind, &secret).unwrap()).unwrap();
        assert_debug_hides(&key, &[&secret], kind.name());
        let writer = SignatureWriter::new(&key);
        assert_debug_hides(&writer, &[&secret], kind.name());
        assert_debug_hides(&writer.begin().unwrap(), &[&secret], kind.name());
    }
}

#[test]
fn debug_of_a_symmetric_key_hides_it() {
    let key = SymmetricKey::from_bytes(&KEY);
    let text = key.to_text();
    let secrets = [&KEY[..], text.as_bytes()];
    assert_debug_hides(&key, &secrets, "SymmetricKey");
    let (identity, recipient): (Identity, Recipient) = (key.clone().into(), key.into());
    assert_debug_hides(&identity, &secrets, "Identity");
    assert_debug_hides(&recipient, &secrets, "Recipient");
    assert_debug_hides(&identity.recipient(), &secrets, "Recipient");
    for secret in secrets {
        assert_hides(&recipient.to_string(), secret, "Display of Recipient");
    }
    assert_debug_hides(&Encryptor::new([recipient]), &secrets, "Encryptor");
    assert_debug_hides(&Decryptor::new([identity]), &secrets, "Decryptor");
}

#[test]
fn debug_of_a_passphrase_hides_it() {
    let passphrase = Passphrase::new(PASSPHRASE).unwrap();
    let secrets = [PASSPHRASE.as_bytes()];
    assert_debug_hides(&passphrase, &secrets, "Passphrase");
    let (identity, recipient): (Identity, Recipient) = (passphrase.clone().into(), passphrase.into());
    assert_debug_hides(&identity, &secrets, "Identity");
    assert_debug_hides(&recipient, &secrets, "Recipient");
    assert_hides(&recipient.to_string(), secrets[0], "Display of Recipient");
    assert_debug_hides(&Encryptor::new([recipient]), &secrets, "Encryptor");
    assert_debug_hides(&Decryptor::new([identity]), &secrets, "Decryptor");
}

#[test]
fn debug_of_secret_keys_hides_them() {
    let sm2 = sealstone::sm2::PrivateKey::generate().unwrap();
    let digits = Identity::from(sm2.clone()).to_hex().unwrap();
    assert_debug_hides(&sm2, &[digits.as_bytes(), &sm2.to_bytes()[..]], "sm2::PrivateKey");
    assert_debug_hides(&Identity::from(sm2), &[digits.as_bytes()], "Identity");
    for kind in [Kind::Hybrid, Kind::X25519, Kind::Key] {
        let identity = Identity::generate(kind).unwrap();
        let text = identity.to_text().unwrap();
        let (_, data) = text.rsplit_once('1').unwrap();
        let secrets = [text.as_bytes(), data.as_bytes()];
        assert_debug_hides(&identity, &secrets, "Identity");
        assert_debug_hides(&identity.recipient(), &secrets, "Recipient");
        assert_debug_hides(&Decryptor::new([identity.clone(), identity]), &secrets, "Decryptor");
    }
    // A known key, so that its bytes can be searched for.
    let text = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX";
    let identity: Identity = text.parse().unwrap();
    assert_debug_hides(&identity, &[text.as_bytes(), &[0x42; 32]], "Identity");
}

#[test]
fn debug_of_keys_at_work_hides_them() {
    for suite in Suite::ALL {
        let key = ChunkedKey::new(suite, &KEY[..suite.key_len()]).unwrap();
        assert_debug_hides(&key, &[&KEY], "ChunkedKey");
        let mut sealer = key.sealer(b"").unwrap();
        // What is pending is a secret, too.
        assert_eq!(sealer.fill(PASSPHRASE.as_bytes()), PASSPHRASE.len());
        assert_debug_hides(&sealer, &[&KEY, PASSPHRASE.as_bytes()], "FileSealer");
        assert_debug_hides(&sealer.finish(), &[&KEY, PASSPHRASE.as_bytes()], "SealWork");
        let ciphertext = key.encrypt(b"", PASSPHRASE.as_bytes()).unwrap();
        let mut opener = key.opener(b"", &ciphertext).unwrap();
        assert_eq!(opener.fill(&ciphertext[HEAD_LEN..]), ciphertext.len() - HEAD_LEN);
        assert_debug_hides(&opener, &[&KEY, PASSPHRASE.as_bytes()], "FileOpener");
        assert_debug_hides(&opener.finish(), &[&KEY, PASSPHRASE.as_bytes()], "OpenWork");
    }
    for algorithm in Algorithm::ALL {
        let key = &KEY[..algorithm.key_len()];
        for backend in Backend::ALL {
            let Ok(aead) = Aead::with_backend(backend, algorithm, key) else { continue };
            assert_debug_hides(&aead, &[key], "Aead");
        }
    }
    let key = nacl::SecretKey::from_bytes(&KEY).unwrap();
    assert_debug_hides(&key, &[&KEY], "nacl::SecretKey");
    assert_debug_hides(&key.shared_with(&key.public_key()).unwrap(), &[&KEY], "SecretBox");
    assert_debug_hides(&nacl::SecretBox::new(&KEY).unwrap(), &[&KEY], "SecretBox");
    assert_debug_hides(&sealstone::ed25519::PrivateKey::from_seed(&KEY).unwrap(), &[&KEY], "ed25519::PrivateKey");
}

#[test]
fn errors_do_not_repeat_what_was_given() {
    let mut ran = 0;
    let good = SymmetricKey::from_bytes(&KEY).to_text();
    let secret = Identity::generate(Kind::X25519).unwrap().to_text().unwrap();
    for text in [
        good.to_lowercase(),
        format!("{}x", *good),
        good[..good.len() - 3].to_owned(),
        format!("{}{}", &secret[..secret.len() - 1], if secret.ends_with('Q') { 'P' } else { 'Q' }),
        secret.replace("KEY-1", "KEY-PQ-1"),
        secret.replace("KEY-", "KEY_"),
        PASSPHRASE.to_owned(),
    ] {
        let data = text.rsplit('1').next().unwrap().to_owned();
        let identity = text.parse::<Identity>().map(drop).unwrap_err();
        let recipient = text.parse::<Recipient>().map(drop).unwrap_err();
        let key = text.parse::<SymmetricKey>().map(drop).unwrap_err();
        let list = parse_identities(format!("# comment\n{text}\n"), None).map(drop).unwrap_err();
        let recipients = parse_recipients(format!("\n{}\n", *secret)).map(drop).unwrap_err();
        assert_eq!((list.line, recipients.line), (Some(2), Some(2)));
        for shown in
            [identity.to_string(), recipient.to_string(), key.to_string(), list.to_string(), recipients.to_string()]
        {
            assert!(data.len() < 8 || !shown.contains(&data), "an error shows what was given: {shown}");
            assert_hides(&shown, &KEY, "an error");
            ran += 1;
        }
        // Behind the prefix, which an error may name.
        let (_, secret) = secret.rsplit_once('1').unwrap();
        assert_debug_hides(&list, &[&KEY, PASSPHRASE.as_bytes(), secret.as_bytes()], "ListError");
        assert_debug_hides(&recipients, &[secret.as_bytes()], "ListError");
    }
    let long = PASSPHRASE.repeat(100);
    let error = Passphrase::new(&long).unwrap_err();
    assert_hides(&format!("{error} {error:?}"), PASSPHRASE.as_bytes(), "an error");
    assert_eq!(ran, 35);
}
