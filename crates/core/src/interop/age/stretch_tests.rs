use super::*;
use crate::interop::age::key::scrypt_cost;
use crate::interop::age::{Decryptor, Encryptor, Identity, Recipient, stanzas, x25519_file_key, x25519_share};
use crate::{Error, Input, exchange};

fn passphrase(text: &str) -> Passphrase {
    Passphrase::new(text).unwrap()
}

/// Derives the key as a program in another memory would.
fn derived(stretch: &Stretch) -> Zeroizing<[u8; KEY_LEN]> {
    let mut deriving = Stretch::from_bytes(&stretch.to_bytes()).unwrap().begin().unwrap();
    while !deriving.step(3) {}
    deriving.finish()
}

#[test]
fn a_key_that_is_told_is_not_derived_again() {
    let encryptor = Encryptor::new([Recipient::of_passphrase(passphrase("correct horse"), 6).unwrap()]);
    let stretch = encryptor.stretch().unwrap().unwrap();
    encryptor.know(&stretch, &derived(&stretch));
    assert!(encryptor.stretch().unwrap().is_none());
    let file = encryptor.encrypt(b"attack at dawn").unwrap();
    // The salt belongs to one file.
    let again = encryptor.stretch().unwrap().unwrap();
    assert_ne!(again.salt, stretch.salt);
    let seen = stanzas(&mut Input::reader(&file[..])).unwrap();
    assert_eq!(scrypt_cost(&seen[0]).unwrap(), (stretch.salt[LABEL.len()..].try_into().unwrap(), 6));

    let decryptor = Decryptor::new([passphrase("wrong").into(), passphrase("correct horse").into()]);
    let mut asked = 0;
    while let Some(stretch) = decryptor.stretch(&file).unwrap() {
        decryptor.know(&stretch, &derived(&stretch));
        asked += 1;
    }
    assert_eq!(asked, 2);
    assert_eq!(decryptor.decrypt(&file).unwrap(), b"attack at dawn");

    let told_wrong = Decryptor::new([passphrase("correct horse").into()]);
    let stretch = told_wrong.stretch(&file).unwrap().unwrap();
    told_wrong.know(&stretch, &[7; KEY_LEN]);
    assert!(matches!(told_wrong.decrypt(&file).unwrap_err(), Error::WrongPassphrase));
    assert_eq!(format!("{stretch:?}"), "Stretch { kdf: Scrypt(ScryptCost { log_n: 6, r: 8, p: 1 }), .. }");
}

#[test]
fn a_key_that_was_told_at_another_cost_is_of_no_file() {
    let words = passphrase("correct horse");
    let [cheap, dear] = [5, 6].map(|log_n| Encryptor::new([Recipient::of_passphrase(words.clone(), log_n).unwrap()]));
    let stretch = cheap.stretch().unwrap().unwrap();
    cheap.know(&stretch, &derived(&stretch));
    let file = dear.encrypt(b"attack at dawn").unwrap();
    let seen = stanzas(&mut Input::reader(&file[..])).unwrap();
    assert_eq!(scrypt_cost(&seen[0]).unwrap().1, 6);
    assert_eq!(Decryptor::new([words.into()]).decrypt(&file).unwrap(), b"attack at dawn");
}

#[test]
fn only_a_passphrase_asks_and_only_what_is_allowed() {
    let identity = Identity::try_from(crate::Identity::generate(crate::Kind::X25519).unwrap()).unwrap();
    let encryptor = Encryptor::new([identity.recipient()]);
    assert!(encryptor.stretch().unwrap().is_none());
    let file = encryptor.encrypt(b"").unwrap();
    assert!(Decryptor::new([passphrase("a").into()]).stretch(&file).unwrap().is_none());
    assert!(Decryptor::new([identity]).stretch(&file).unwrap().is_none());
    let dear = b"age-encryption.org/v1\n-> scrypt bBjlhJVYZeE4aqUdmtRHfw 21\nh6u1Nxr3nWxAcXTGUMUK2ZUGSGDZCAQhFBPCbHhMhXU\n--- \
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n";
    let error = Decryptor::new([passphrase("a").into()]).stretch(dear).unwrap_err();
    assert_eq!(error.code(), "cost_too_high", "{error}");
    assert_eq!(Recipient::of_passphrase(passphrase("a"), 0).unwrap_err().code(), "invalid_option");
    assert_eq!(Recipient::of_passphrase(passphrase("a"), 23).unwrap_err().code(), "invalid_option");
}

#[test]
fn a_stanza_opens_with_what_a_key_elsewhere_shares_with_it() {
    let key = exchange::PrivateKey::generate(exchange::Kind::X25519).unwrap();
    let public: [u8; 32] = key.public_key().to_bytes().try_into().unwrap();
    let recipient = crate::Recipient::from_bytes(crate::Kind::X25519, &public).unwrap();
    let stanza = Recipient::try_from(recipient).unwrap().wrap_file_key(&[7; 16]).unwrap().remove(0);
    let share = x25519_share(&stanza).unwrap();
    let share = exchange::PublicKey::from_bytes(exchange::Kind::X25519, &share).unwrap();
    let secret: [u8; 32] = key.hazmat_shared_secret(&share).unwrap()[..].try_into().unwrap();
    assert_eq!(x25519_file_key(&stanza, &public, &secret).unwrap().map(|key| *key), Some([7; 16]));
    assert!(x25519_file_key(&stanza, &[9; 32], &secret).unwrap().is_none());
    assert_eq!(x25519_file_key(&stanza, &public, &[0; 32]).unwrap_err().code(), "malformed_header");
}
