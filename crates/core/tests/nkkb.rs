//! Key bundles that nkCryptoTool made: each gives its keys to whoever knows its owner's fingerprint, what was changed is refused, and ours are
//! made as they are.

mod support;

use sealstone::exchange::PublicKey;
use sealstone::interop::nkcs::SigningKey;
use sealstone::interop::nkkb::{Fingerprint, KeyBundle};
use sealstone::{Encryptor, Kind, Passphrase};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use support::vectors;

/// A second of 2026-12, after all that the vectors have expired.
fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_796_083_200)
}

#[test]
fn every_bundle_is_pinned_or_refused_as_it_says() {
    let folder = vectors("nkct");
    let manifest: Value = serde_json::from_slice(&fs::read(folder.join("manifest.json")).unwrap()).unwrap();
    let mut counts = BTreeMap::<&str, usize>::new();
    for vector in manifest["bundles"].as_array().unwrap() {
        let text = |name: &str| vector[name].as_str().unwrap_or_default();
        let (name, expect) = (text("file"), text("expect"));
        let bytes = fs::read(folder.join(name)).unwrap();
        let fingerprint: Fingerprint = text("fingerprint").parse().unwrap();
        let pinned = KeyBundle::parse(&bytes).and_then(|bundle| bundle.pinned(&fingerprint, now()));
        *counts.entry(expect).or_default() += 1;
        if expect == "refused" {
            let code = pinned.unwrap_err().code();
            assert!(["invalid_recipient", "unknown_signer", "invalid_signature"].contains(&code), "{name}: {code}");
            continue;
        }
        let bundle = KeyBundle::parse(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        bundle.check_signatures().unwrap();
        assert_eq!((bundle.handle(), bundle.fingerprint()), (text("handle"), fingerprint), "{name}");
        let keys = vector["keys"].as_array().unwrap().iter().map(|file| {
            let file = fs::read(folder.join(file.as_str().unwrap())).unwrap();
            PublicKey::parse(file).unwrap()
        });
        assert!(bundle.keys().iter().map(|key| key.key().clone()).eq(keys), "{name}");
        let before = UNIX_EPOCH + Duration::from_secs(bundle.created() - 1);
        match expect {
            "valid" => {
                let recipient = pinned.unwrap().recipient().unwrap();
                let has_ml_kem = bundle.keys().iter().any(|key| key.key().to_bytes().len() == 1184);
                assert_eq!(recipient.kind(), if has_ml_kem { Kind::MlKem768 } else { Kind::P256 }, "{name}");
                Encryptor::new([recipient]).encrypt(b"attack at dawn").unwrap();
            }
            "expired" => {
                let error = pinned.unwrap_err();
                assert!(
                    error.code() == "invalid_recipient" && error.to_string().contains("expired"),
                    "{name}: {error}"
                );
                assert!(bundle.keys().iter().all(|key| key.has_expired(now()) && !key.has_expired(before)), "{name}");
                bundle.pinned(&fingerprint, before).unwrap();
            }
            other => panic!("{name}: {other}"),
        }
    }
    assert!(counts["valid"] >= 4 && counts["expired"] >= 2 && counts["refused"] >= 11, "{counts:?}");
}

/// A bundle but for its signatures, which are others each time that it is made.
fn without_signatures(bundle: &[u8]) -> Vec<u8> {
    let len = |at: usize| 4 + u32::from_le_bytes(*bundle[at..].first_chunk().unwrap()) as usize;
    // The magic and the version, the owner, the handle, a time and how many keys there are.
    let mut at = 5;
    at += len(at);
    at += len(at) + 10;
    let mut left = bundle[..at].to_vec();
    for _ in 0..u16::from_le_bytes(*left.last_chunk().unwrap()) {
        let begin = at;
        at += 1 + len(at + 1) + 8;
        at += 1 + 8 * usize::from(bundle[at]);
        left.extend_from_slice(&bundle[begin..at]);
        at += len(at);
    }
    assert_eq!(at + len(at), bundle.len());
    left
}

#[test]
fn bundles_are_made_as_both_editions_make_them() {
    let folder = vectors("nkct");
    let manifest: Value = serde_json::from_slice(&fs::read(folder.join("manifest.json")).unwrap()).unwrap();
    let text = |of: &Value, name: &str| of[name].as_str().unwrap_or_default().to_owned();
    let rows = |name: &str| manifest[name].as_array().unwrap().clone();
    // Those of the Rust edition are without their seeds.
    let owners: Vec<SigningKey> = rows("keys")
        .iter()
        .filter(|key| text(key, "kind") == "private" && text(key, "algorithm") == "ML-DSA-65")
        .map(|key| {
            let passphrase = key["passphrase"].as_str().map(|passphrase| Passphrase::new(passphrase).unwrap());
            SigningKey::parse(fs::read(folder.join(text(key, "file"))).unwrap(), passphrase.as_ref()).unwrap()
        })
        .collect();
    let mut made = BTreeMap::<String, usize>::new();
    for vector in rows("bundles").iter().filter(|vector| text(vector, "expect") != "refused") {
        let name = text(vector, "file");
        let theirs = fs::read(folder.join(&name)).unwrap();
        let bundle = KeyBundle::parse(&theirs).unwrap();
        let is_owner = |owner: &&SigningKey| Fingerprint::of(&owner.public_key()) == Some(bundle.fingerprint());
        let owner = owners.iter().find(is_owner).unwrap_or_else(|| panic!("{name}: no key is its owner's"));
        let keys: Vec<_> = bundle.keys().iter().map(|key| key.key().clone().try_into().unwrap()).collect();
        let at = |seconds: u64| UNIX_EPOCH + Duration::from_secs(seconds);
        let expires = bundle.keys()[0].expires().map(at);
        let ours = KeyBundle::new(owner, bundle.handle(), &keys, at(bundle.created()), expires).unwrap();
        ours.check_signatures().unwrap();
        assert_eq!(without_signatures(&ours.to_bytes()), without_signatures(&theirs), "{name}");
        *made.entry(text(vector, "program")).or_default() += 1;
    }
    assert!(made["cpp"] >= 6 && made["rust"] >= 5, "{made:?}");
}
