use super::*;
use crate::{Decryptor, Encryptor, Error, Identity, Kind, Rewrapper, Suite};

fn passphrase(text: &str) -> Identity {
    Identity::from(Passphrase::new(text).unwrap())
}

/// Derives the root in small steps from the serialized stretch, as another process does.
fn derived(stretch: &crate::Stretch) -> Zeroizing<[u8; 32]> {
    let mut stretching = crate::Stretch::from_bytes(&stretch.to_bytes()).unwrap().begin().unwrap();
    while !stretching.step(12_345) {}
    stretching.finish()
}

#[cfg(feature = "gm")]
#[test]
fn a_key_that_was_derived_in_steps_opens_files_and_is_used_for_one_new_file() {
    for suite in [Suite::Aes256Gcm, Suite::Sm4Gcm] {
        let mine = passphrase("mine");
        let encryptor = Encryptor::new([mine.recipient()]).suite(suite);
        let stretch = encryptor.stretch().unwrap().unwrap();
        let root = derived(&stretch);
        assert_eq!(root, stretch.begin().unwrap().finish());
        encryptor.know(&stretch, &root);
        assert!(encryptor.stretch().unwrap().is_none());
        let file = encryptor.encrypt(b"attack").unwrap();
        let has_salt = |file: &[u8]| file.windows(16).any(|part| part == &stretch.head[stretch.head.len() - 16..]);
        assert!(has_salt(&file));
        // A second file with the same salt would be sealed with the same key and nonce.
        assert_ne!(encryptor.stretch().unwrap().unwrap().head, stretch.head);
        assert!(!has_salt(&encryptor.encrypt(b"attack").unwrap()));
        assert_eq!(Decryptor::new([mine.clone()]).decrypt(&file).unwrap(), b"attack");

        // The passphrase that opens the file is not asked again; each of those before it is asked once.
        let decryptor = Decryptor::new([passphrase("another's"), Identity::generate(Kind::X25519).unwrap(), mine]);
        for _ in 0..2 {
            let stretch = decryptor.stretch(&file).unwrap().unwrap();
            decryptor.know(&stretch, &derived(&stretch));
        }
        assert!(decryptor.stretch(&file).unwrap().is_none());
        assert_eq!(decryptor.decrypt(&file).unwrap(), b"attack");
        let first = Decryptor::new([passphrase("mine"), passphrase("another's")]);
        let stretch = first.stretch(&file).unwrap().unwrap();
        first.know(&stretch, &root);
        assert!(first.stretch(&file).unwrap().is_none());
    }
}

#[test]
fn a_wrong_key_opens_nothing_and_what_asks_for_none_is_asked_for_none() {
    let mine = passphrase("mine");
    let file = Encryptor::new([mine.recipient()]).armour(true).encrypt(b"attack").unwrap();
    let decryptor = Decryptor::new([mine.clone()]);
    let stretch = decryptor.stretch(&file).unwrap().unwrap();
    let wrong = Decryptor::new([passphrase("mine")]);
    wrong.know(&stretch, &[7; 32]);
    assert!(wrong.stretch(&file).unwrap().is_none());
    assert_eq!(wrong.decrypt(&file).unwrap_err().code(), "no_matching_identity");
    // Invalid files are rejected before any work.
    let bound = decryptor.clone().context("record 17").unwrap();
    assert_eq!(bound.stretch(&file).unwrap_err().code(), "context_not_bound");
    assert!(matches!(decryptor.stretch(b"no file"), Err(Error::NotSealstone(_))));

    let other = Identity::generate(Kind::X25519).unwrap();
    let to_other = Encryptor::new([other.recipient()]);
    assert!(to_other.stretch().unwrap().is_none());
    let sealed = to_other.encrypt(b"attack").unwrap();
    assert!(decryptor.stretch(&sealed).unwrap().is_none());
    assert!(Decryptor::new([other.clone()]).stretch(&file).unwrap().is_none());

    let rewrapper = Rewrapper::new([mine], [other.recipient()]).replace(true);
    let stretch = rewrapper.stretch(&file).unwrap().unwrap();
    rewrapper.know(&stretch, &derived(&stretch));
    assert!(rewrapper.stretch(&file).unwrap().is_none());
    assert_eq!(Decryptor::new([other]).decrypt(&rewrapper.rewrap(&file).unwrap()).unwrap(), b"attack");
    assert_eq!(
        format!("{stretch:?} {:?}", stretch.begin().unwrap()),
        "Stretch { kdf: Kdf(Argon2id(Cost { memory_kib: 65536, passes: 3, lanes: 1 })), .. } Stretching(..)"
    );
}

#[test]
fn a_passphrase_knows_the_last_keys_and_no_more() {
    let mine = Passphrase::new("mine").unwrap();
    let root = |i: u8| Root { stanza: 0x10, head: vec![i], is_new: i == 200, key: Zeroizing::new([i; 32]) };
    (0..100).for_each(|i| mine.know_root(root(i)));
    let known: Vec<u8> = (0..100).filter(|i| mine.clone().root(0x10, &[*i]).is_some_and(|key| key[0] == *i)).collect();
    assert_eq!(known, (92..100).collect::<Vec<_>>());
    assert!(mine.root(0x11, &[99]).is_none());
    mine.know_root(root(200));
    assert!(mine.root(0x10, &[200]).is_none());
    assert_eq!(mine.take_new_root(0x10).unwrap().key[0], 200);
    assert!(mine.take_new_root(0x10).is_none());
}
