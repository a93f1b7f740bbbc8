//! Keys that sign, in every form, and what holds for every file that is read as one.

use sealstone::Error;
use sealstone::sign::{Kind, PrivateKey, PublicKey};
use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::LazyLock;

/// A key of each kind. They guard nothing.
pub static KEYS: LazyLock<Vec<PrivateKey>> = LazyLock::new(|| {
    let rsa = include_bytes!("../../vectors/sign/rsa_2048.der");
    let keys = Kind::ALL.into_iter().map(|kind| {
        let Some(len) = kind.private_len() else { return PrivateKey::from_bytes(kind, rsa) };
        let mut bytes = vec![7; len];
        // A number of P-521 has 521 bits.
        bytes[0] &= 1;
        PrivateKey::from_bytes(kind, &bytes)
    });
    keys.collect::<Result<_, _>>().expect("signing: good keys")
});

pub fn key(at: u8) -> &'static PrivateKey {
    &KEYS[usize::from(at) % KEYS.len()]
}

/// What a file was read as.
pub struct Read {
    /// Without a passphrase, which could cost a quarter of a minute.
    pub private: Result<PrivateKey, Error>,
    pub public: Result<PublicKey, Error>,
}

/// Reads a file in both ways, and checks what must hold for any file.
pub fn check(file: &[u8]) -> Read {
    let private = PrivateKey::parse(file, None);
    match &private {
        Ok(key) => check_private(key),
        Err(error) => check_error(error, &["invalid_key", "unsupported_key", "cost_too_high", "passphrase_required"]),
    }
    let public = PublicKey::parse(file);
    match &public {
        Ok(key) => check_public(key),
        Err(error) => check_error(error, &["invalid_key", "unsupported_key"]),
    }
    assert!(private.is_err() || public.is_err(), "a file is public and secret");
    Read { private, public }
}

thread_local! {
    /// What was checked and need not be again: writing depends on the key alone.
    static CHECKED: RefCell<HashSet<(Kind, bool, Vec<u8>)>> = RefCell::default();
}

fn is_new(kind: Kind, is_private: bool, bytes: &[u8]) -> bool {
    CHECKED.with_borrow_mut(|checked| {
        if checked.len() > 10_000 {
            checked.clear();
        }
        checked.insert((kind, is_private, bytes.to_vec()))
    })
}

/// Written in each form of its kind, it is read as the same key, and what it signs verifies.
pub fn check_private(key: &PrivateKey) {
    let (kind, bytes, public) = (key.kind(), key.to_bytes(), key.public_key());
    if !is_new(kind, true, &bytes) {
        return;
    }
    assert_eq!(format!("{key:?}"), format!("PrivateKey({kind}, ..)"));
    check_public(&public);
    let own = PrivateKey::from_bytes(kind, &bytes).expect("the bytes of a key");
    assert_eq!(own.public_key(), public);
    let forms = [
        Some(key.to_pem(None).expect("every kind has PEM").as_bytes().to_vec()),
        Some(key.to_der(None).expect("every kind has DER").to_vec()),
        take(key.to_jwk().map(|jwk| jwk.as_bytes().to_vec())),
        take(key.to_ssh(None).map(|ssh| ssh.as_bytes().to_vec())),
    ];
    for form in forms.into_iter().flatten() {
        let read = PrivateKey::parse(&form, None).expect("what was written");
        assert_eq!((read.kind(), read.to_bytes()), (kind, bytes.clone()));
        assert!(PublicKey::parse(&form).is_err(), "a private key is no public one");
    }
    // A key of SSH signs files only.
    let signature = own.sign(b"attack at dawn").expect("it signs");
    public.verify(b"attack at dawn", &signature).expect("it was signed");
    assert!(public.verify(b"attack at dusk", &signature).is_err());
}

pub fn check_public(key: &PublicKey) {
    let kind = key.kind();
    if !is_new(kind, false, key.to_bytes()) {
        return;
    }
    assert_eq!(&PublicKey::from_bytes(kind, key.to_bytes()).expect("the bytes of a key"), key);
    let forms = [
        Some(key.to_pem().into_bytes()),
        Some(key.to_der()),
        take(key.to_jwk().map(String::into_bytes)),
        take(key.to_ssh("a comment").map(String::into_bytes)),
    ];
    for form in forms.into_iter().flatten() {
        let read = PublicKey::parse(&form).expect("what was written");
        assert_eq!((&read, read.fingerprint()), (key, key.fingerprint()));
        assert!(PrivateKey::parse(&form, None).is_err(), "a public key is no private one");
    }
    assert!(key.verify(b"attack at dawn", &[0; 64]).is_err(), "a signature of nobody");
}

/// A form that there is; those that there should not be are refused by name.
fn take(written: Result<Vec<u8>, Error>) -> Option<Vec<u8>> {
    written.inspect_err(|error| assert_eq!(error.code(), "unsupported_key")).ok()
}

/// More characters than a word of ours has, and less than a secret.
const LONGEST_WORD: usize = 24;

/// An error has a code that is meant, and shows nothing of the input.
pub fn check_error(error: &Error, codes: &[&str]) {
    assert!(codes.contains(&error.code()), "{error}");
    let shown = format!("{error} {error:?}");
    let word = |c: char| c.is_ascii_alphanumeric() || "+/_-=".contains(c);
    let longest = shown.split(|c| !word(c)).map(str::len).max().unwrap_or_default();
    assert!(longest <= LONGEST_WORD, "a part of the input, it seems: {shown}");
}
