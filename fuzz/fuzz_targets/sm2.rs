//! SM2's signatures and ciphertexts. Arbitrary bytes, and good ones with edits: only what is as it was verifies or opens, and
//! what is read is written as the same bytes.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use sealstone::sm2::{DEFAULT_ID, Form, PrivateKey, PublicKey, Signature};
use sealstone_fuzz::Edit;
use std::sync::LazyLock;

#[derive(Arbitrary, Debug)]
enum Case<'a> {
    Signature { bytes: &'a [u8] },
    EditedSignature { der: bool, edits: Vec<Edit> },
    Ciphertext { form: u8, bytes: &'a [u8] },
    EditedCiphertext { form: u8, plaintext: u8, edits: Vec<Edit> },
    PublicKey { bytes: &'a [u8] },
}

const FORMS: [Form; 3] = [Form::C1C3C2, Form::C1C2C3, Form::Der];
const MESSAGE: &[u8] = b"attack at dawn";

static KEY: LazyLock<PrivateKey> = LazyLock::new(|| PrivateKey::from_bytes(&[7; 32]).expect("sm2: a good key"));

fuzz_target!(|case: Case<'_>| match case {
    Case::Signature { bytes } => check_signature(bytes, None),
    Case::EditedSignature { der, edits } => {
        let signature = KEY.sign(DEFAULT_ID, MESSAGE).expect("sm2: it signs");
        let mut bytes = if der { signature.to_der() } else { signature.to_bytes().to_vec() };
        edits.iter().for_each(|edit| edit.apply(&mut bytes));
        check_signature(&bytes, Some(&signature));
    }
    Case::Ciphertext { form, bytes } => {
        let form = FORMS[usize::from(form) % FORMS.len()];
        assert!(KEY.decrypt(form, bytes).is_err(), "nobody made it");
    }
    Case::EditedCiphertext { form, plaintext, edits } => {
        let form = FORMS[usize::from(form) % FORMS.len()];
        let plaintext = vec![7; usize::from(plaintext) + 1];
        let good = KEY.public_key().encrypt(form, &plaintext).expect("sm2: it encrypts");
        let mut bytes = good.clone();
        edits.iter().for_each(|edit| edit.apply(&mut bytes));
        let without_04 = form != Form::Der && bytes == good[1..];
        match KEY.decrypt(form, &bytes) {
            Ok(opened) => {
                assert!(bytes == good || without_04, "a changed ciphertext opened");
                assert_eq!(*opened, plaintext);
            }
            Err(error) => {
                assert!(bytes != good && !without_04, "{error}");
                assert!(["malformed_ciphertext", "not_authentic"].contains(&error.code()), "{error}");
            }
        }
    }
    Case::PublicKey { bytes } => match PublicKey::from_bytes(bytes) {
        Ok(key) => assert!(key.to_bytes() == bytes || key.to_bytes()[1..] == *bytes),
        Err(error) => assert!(["invalid_key", "wrong_length"].contains(&error.code()), "{error}"),
    },
});

fn check_signature(bytes: &[u8], good: Option<&Signature>) {
    for (read, is_der) in [(Signature::from_bytes(bytes), false), (Signature::from_der(bytes), true)] {
        match read {
            Ok(signature) => {
                let written = if is_der { signature.to_der() } else { signature.to_bytes().to_vec() };
                assert_eq!(written, bytes);
                let verdict = KEY.public_key().verify(DEFAULT_ID, MESSAGE, &signature);
                assert_eq!(verdict.is_ok(), good == Some(&signature));
            }
            Err(error) => assert_eq!(error.code(), "invalid_signature"),
        }
    }
}
