//! Key bundles that nkCryptoTool made: each gives its keys to whoever knows its owner's fingerprint, and what was changed is refused.

mod support;

use sealstone::exchange::PublicKey;
use sealstone::interop::nkkb::{Fingerprint, KeyBundle};
use sealstone::{Encryptor, Kind};
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
