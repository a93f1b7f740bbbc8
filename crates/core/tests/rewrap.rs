//! Rewrapping: other recipients, the same payload.

use sealstone::{
    Decryptor, Encryptor, Error, Identity, Input, Kind, Output, Passphrase, Recipient, Rewrapper, Suite, SymmetricKey,
    inspect,
};
use std::fs;
use std::os::unix::fs::symlink;
use tempfile::tempdir;

fn identity(kind: Kind) -> Identity {
    Identity::generate(kind).unwrap()
}

fn sealed(recipients: &[Recipient], len: usize) -> (Vec<u8>, Vec<u8>) {
    let plaintext: Vec<u8> = (0..=250).cycle().take(len).collect();
    (Encryptor::new(recipients.to_vec()).encrypt(&plaintext).unwrap(), plaintext)
}

fn kinds(file: &[u8]) -> Vec<&'static str> {
    inspect(Input::reader(file)).unwrap().stanzas.iter().map(|stanza| stanza.kind).collect()
}

fn payload(file: &[u8]) -> &[u8] {
    let header_len = inspect(Input::reader(file)).unwrap().header_len;
    &file[usize::try_from(header_len).unwrap()..]
}

#[test]
fn recipients_are_added_and_the_payload_stays() {
    for len in [0, 1, 16_383, 16_384, 16_385, 700_000] {
        let (alice, bob) = (identity(Kind::Hybrid), identity(Kind::Hybrid));
        let (file, plaintext) = sealed(&[alice.recipient()], len);
        let rewrapped = Rewrapper::new([alice.clone()], [bob.recipient()]).rewrap(&file).unwrap();
        assert_eq!(rewrapped[..12], file[..12], "the prefix");
        assert_eq!(payload(&rewrapped), payload(&file));
        let area = 16..16 + 4 + 1168;
        assert_eq!(rewrapped[area.clone()], file[area], "the stanza that is kept");
        for identity in [alice, bob] {
            assert!(Decryptor::new([identity]).decrypt(&rewrapped).unwrap() == plaintext, "{len} bytes");
        }
    }
}

#[test]
fn replacing_keeps_nobody() {
    let (alice, bob) = (identity(Kind::Hybrid), identity(Kind::X25519));
    let (file, plaintext) = sealed(&[alice.recipient()], 100);
    let replacing = Rewrapper::new([alice.clone()], [bob.recipient()]).replace(true);
    let rewrapped = replacing.rewrap(&file).unwrap();
    assert_eq!(kinds(&rewrapped), ["x25519"]);
    assert_eq!(Decryptor::new([bob]).decrypt(&rewrapped).unwrap(), plaintext);
    let refused = Decryptor::new([alice]).decrypt(&rewrapped).unwrap_err();
    assert_eq!(refused.code(), "no_matching_identity");
}

#[test]
fn every_suite_a_context_and_armour_stay_what_they_are() {
    for suite in Suite::ALL {
        let kind = if suite == Suite::Sm4Gcm { Kind::Sm2 } else { Kind::X25519 };
        let (alice, bob) = (identity(kind), identity(kind));
        for armour in [false, true] {
            let encryptor = Encryptor::new([alice.recipient()]).suite(suite).armour(armour);
            let file = encryptor.context("letters/1").unwrap().encrypt(&vec![7; 40_000]).unwrap();
            let rewrapped = Rewrapper::new([alice.clone()], [bob.recipient()]).rewrap(&file).unwrap();
            let seen = inspect(Input::reader(&rewrapped[..])).unwrap();
            assert_eq!((seen.suite, seen.armoured, seen.context_bound), (suite, armour, true));
            let opened = Decryptor::new([bob.clone()]).context("letters/1").unwrap().decrypt(&rewrapped).unwrap();
            assert!(opened == vec![7; 40_000]);
        }
    }
}

#[test]
fn post_quantum_and_classical_are_not_mixed_unasked_even_with_what_is_kept() {
    let (alice, bob) = (identity(Kind::Hybrid), identity(Kind::X25519));
    let (file, _) = sealed(&[alice.recipient()], 10);
    let rewrapper = Rewrapper::new([alice.clone()], [bob.recipient()]);
    assert!(matches!(rewrapper.rewrap(&file), Err(Error::MixedRecipients)));
    assert_eq!(kinds(&rewrapper.allow_mixed(true).rewrap(&file).unwrap()), ["hybrid", "x25519"]);
    let key = SymmetricKey::generate().unwrap();
    let beside = Rewrapper::new([alice], [Recipient::from(key)]).rewrap(&file).unwrap();
    assert_eq!(kinds(&beside), ["hybrid", "key"], "a symmetric key goes with both");
}

#[test]
fn passphrases_stand_alone() {
    let (alice, bob) = (identity(Kind::Hybrid), identity(Kind::Hybrid));
    let passphrase = || Passphrase::new("correct horse").unwrap();
    let (with_key, _) = sealed(&[alice.recipient()], 10);
    let refused = Rewrapper::new([alice], [passphrase().into()]).replace(true).rewrap(&with_key);
    assert!(matches!(refused, Err(Error::InvalidRecipients(_))));
    let (with_passphrase, _) = sealed(&[passphrase().into()], 10);
    let rewrapper = Rewrapper::new([passphrase().into()], [bob.recipient()]);
    assert!(matches!(rewrapper.rewrap(&with_passphrase), Err(Error::InvalidRecipients(_))));
    assert_eq!(kinds(&rewrapper.replace(true).rewrap(&with_passphrase).unwrap()), ["hybrid"]);
}

#[test]
fn what_a_reader_refuses_of_the_header_is_refused() {
    let (alice, bob) = (identity(Kind::Hybrid), identity(Kind::Hybrid));
    let (file, _) = sealed(&[alice.recipient()], 100);
    let code = |identity: &Identity, file: &[u8]| {
        Rewrapper::new([identity.clone()], [bob.recipient()]).rewrap(file).unwrap_err().code()
    };
    assert_eq!(code(&bob, &file), "no_matching_identity");
    let mut changed = file.clone();
    changed[1200] ^= 1;
    assert_eq!(code(&alice, &changed), "header_not_authentic");
    assert_eq!(code(&alice, b"something else"), "not_sealstone");
    assert_eq!(code(&alice, b""), "not_sealstone");
    let mut ran = 0;
    for len in 0..file.len() {
        // A cut inside of a chunk that leaves a possible length is for the reader of the payload to find.
        let cut = Rewrapper::new([alice.clone()], [bob.recipient()]).rewrap(&file[..len]);
        let possible = len >= file.len() - 100;
        assert!(cut.is_err() || possible, "cut to {len} of {}", file.len());
        ran += usize::from(cut.is_err());
    }
    assert!(ran >= 1200, "only {ran} cuts were refused");
    let none = Rewrapper::new([alice], []).rewrap(&file).unwrap_err();
    assert_eq!(none.code(), "invalid_recipients");
}

#[test]
fn over_1024_recipients_are_refused_with_those_that_are_kept() {
    let alice = identity(Kind::X25519);
    let (file, _) = sealed(&vec![alice.recipient(); 1000], 10);
    let add = |count| Rewrapper::new([alice.clone()], vec![alice.recipient(); count]).rewrap(&file);
    assert_eq!(kinds(&add(24).unwrap()).len(), 1024);
    assert!(matches!(add(25), Err(Error::InvalidRecipients(_))));
}

#[test]
fn a_file_is_replaced_whole_or_not_at_all() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("file.seal");
    let (alice, bob) = (identity(Kind::Hybrid), identity(Kind::Hybrid));
    let (file, plaintext) = sealed(&[alice.recipient()], 3_000_000);
    fs::write(&path, &file).unwrap();
    let summary = Rewrapper::new([alice.clone()], [bob.recipient()]).rewrap_file(&path).unwrap();
    let rewrapped = fs::read(&path).unwrap();
    assert_eq!((summary.plaintext, summary.ciphertext), (3_000_000, rewrapped.len() as u64));
    assert!(Decryptor::new([bob.clone()]).decrypt(&rewrapped).unwrap() == plaintext);
    assert!(Rewrapper::new([identity(Kind::Hybrid)], [bob.recipient()]).rewrap_file(&path).is_err());
    assert!(fs::read(&path).unwrap() == rewrapped, "a failure leaves the file as it was");
    let other = folder.path().join("other.seal");
    Rewrapper::new([bob], [alice.recipient()])
        .replace(true)
        .rewrap_to(Input::open(&path).unwrap(), Output::file(&other).unwrap())
        .unwrap();
    assert!(Decryptor::new([alice]).decrypt(&fs::read(&other).unwrap()).unwrap() == plaintext);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn a_file_with_other_names_or_behind_a_link_is_refused_and_stays() {
    let folder = tempdir().unwrap();
    let [path, hard, link] = ["file.seal", "hard.seal", "link.seal"].map(|name| folder.path().join(name));
    let (alice, bob) = (identity(Kind::X25519), identity(Kind::X25519));
    let (file, plaintext) = sealed(&[alice.recipient()], 10);
    fs::write(&path, &file).unwrap();
    symlink(&path, &link).unwrap();
    let rewrapper = Rewrapper::new([alice.clone()], [bob.recipient()]).replace(true);
    let error = rewrapper.rewrap_file(&link).unwrap_err();
    assert!(matches!(&error, Error::NotRegularFile { path, .. } if *path == link), "{error}");
    fs::hard_link(&path, &hard).unwrap();
    for name in [&path, &hard] {
        let error = rewrapper.rewrap_file(name).unwrap_err();
        assert!(matches!(&error, Error::HardLinks(path) if path == name), "{error}");
    }
    assert_eq!(rewrapper.rewrap_file(&link).unwrap_err().code(), "not_regular_file", "also then");
    assert!(fs::read(&path).unwrap() == file && fs::read(&hard).unwrap() == file);
    assert_eq!(fs::read_link(&link).unwrap(), path);

    let output = Output::file(&path).unwrap().in_place().split_links(true);
    rewrapper.rewrap_to(Input::open(&path).unwrap(), output).unwrap();
    assert_eq!(Decryptor::new([bob]).decrypt(&fs::read(&path).unwrap()).unwrap(), plaintext);
    assert_eq!(Decryptor::new([alice]).decrypt(&fs::read(&hard).unwrap()).unwrap(), plaintext, "the other name");
}
