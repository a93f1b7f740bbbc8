//! The borrowed known answers that the public interface can be asked: age's key strings. HPKE's and X-Wing's are in
//! `src/kem/hpke_tests.rs`, those of chunked encryption in `src/file/chunks_tests.rs`.

mod support;

use sealstone::{Identity, Recipient, SymmetricKey};
use serde_json::Value;
use support::vectors;

#[test]
fn every_age_identity_has_its_published_recipient_and_text() {
    let keys = load("age_keys.json");
    for (kind, name, count) in [("x25519", "x25519", 16), ("mlkem768x25519", "hybrid", 9)] {
        let pairs = keys[kind].as_array().unwrap();
        for pair in pairs {
            let (secret, public) = (text(&pair["identity"]), text(&pair["recipient"]));
            let identity: Identity = secret.parse().unwrap();
            let recipient: Recipient = public.parse().unwrap();
            assert_eq!(identity.kind().name(), name);
            assert_eq!(recipient.kind().name(), name);
            assert_eq!(*identity.to_text().unwrap(), secret);
            assert_eq!(recipient.to_string(), public);
            assert_eq!(identity.recipient().to_string(), public);
        }
        println!("age {kind}: {} pairs", pairs.len());
        assert!(pairs.len() >= count, "only {} pairs", pairs.len());
    }
}

#[test]
fn what_age_refuses_is_refused() {
    let keys = load("age_keys.json");
    let invalid = keys["invalid"].as_array().unwrap();
    for entry in invalid {
        let text = text(&entry["string"]);
        assert_eq!(text.parse::<Identity>().unwrap_err().code(), "invalid_identity", "{text}");
        assert_eq!(text.parse::<Recipient>().unwrap_err().code(), "invalid_recipient", "{text}");
        assert_eq!(text.parse::<SymmetricKey>().unwrap_err().code(), "invalid_identity", "{text}");
    }
    println!("age invalid: {} strings", invalid.len());
    assert!(invalid.len() >= 16, "only {} strings", invalid.len());
}

#[test]
fn a_key_of_one_kind_is_no_key_of_another() {
    let keys = load("age_keys.json");
    let mut ran = 0;
    for kind in ["x25519", "mlkem768x25519"] {
        for pair in keys[kind].as_array().unwrap() {
            let (secret, public) = (text(&pair["identity"]), text(&pair["recipient"]));
            let error = secret.parse::<Recipient>().unwrap_err();
            assert_eq!(error.code(), "invalid_recipient");
            assert!(!error.to_string().contains(secret), "an error shows a secret");
            assert_eq!(public.parse::<Identity>().unwrap_err().code(), "invalid_identity");
            for other in [
                secret.to_lowercase(),
                format!(" {secret}"),
                format!("{secret}\n"),
                secret.replace("KEY-1", "KEY-PQ-1").replace("PQ-PQ-", "PQ-"),
                secret.replace("KEY-PQ-1", "KEY-1"),
            ] {
                assert!(other == secret || other.parse::<Identity>().is_err(), "{other}");
            }
            for other in [public.to_uppercase(), format!(" {public}"), format!("{public}\r")] {
                assert!(other.parse::<Recipient>().is_err(), "{other}");
            }
            ran += 1;
        }
    }
    assert!(ran >= 25, "only {ran} pairs");
}

fn load(name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(vectors("borrowed").join(name)).unwrap()).unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}
