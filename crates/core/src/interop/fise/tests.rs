use super::{Error, Profile, TIMESTAMP_MAX};
use crate::encoding::{decode_hex, encode_hex};
use proptest::prelude::*;
use serde_json::Value;

/// The cases of a file of vectors.
pub(super) fn cases(name: &str) -> Vec<Value> {
    let path = format!("{}/../../vectors/fise/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let cases: Vec<Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert!(cases.len() > 25, "{name}: {} cases", cases.len());
    cases
}

fn profile_of(case: &Value) -> Result<Profile, Error> {
    Profile::from_json(&case["profile"].to_string())
}

fn code_of<T: std::fmt::Debug>(result: Result<T, Error>) -> &'static str {
    result.unwrap_err().code()
}

#[test]
fn profiles_are_read_and_refused_as_the_vectors_say() {
    for case in cases("profiles") {
        match profile_of(&case) {
            Ok(profile) => {
                let complete: Value = serde_json::from_str(&profile.to_json()).unwrap();
                assert_eq!(complete, case["complete"], "{case}");
                assert_eq!(Profile::from_json(&profile.to_json()).unwrap(), profile);
            }
            Err(error) => assert_eq!(error.code(), case["error"], "{case}: {error}"),
        }
    }
    assert_eq!(code_of(Profile::from_json("")), "fise_rules");
    assert_eq!(code_of(Profile::from_json("{\"fise\": 1")), "fise_rules");
}

#[test]
fn a_seed_has_the_profile_of_the_vectors() {
    for case in cases("random") {
        let profile = Profile::random(case["seed"].as_str().unwrap());
        assert_eq!(serde_json::from_str::<Value>(&profile.to_json()).unwrap(), case["profile"], "{case}");
        assert_eq!(profile.clone().check().unwrap(), profile);
    }
}

#[test]
fn envelopes_are_opened_and_made_as_the_vectors_say() {
    for case in cases("envelopes") {
        let profile = profile_of(&case).unwrap();
        let timestamp = case["timestamp"].as_i64().unwrap();
        let is_text = case["form"] == "text";
        let text = |name: &str| case[name].as_str().unwrap();
        // Both forms as text, that of bytes in hexadecimal.
        let opened = if is_text {
            profile.decode_text(text("envelope"), timestamp)
        } else {
            profile.decode(&decode_hex(text("envelope")).unwrap(), timestamp).map(|data| encode_hex(&data))
        };
        match opened {
            Ok(plaintext) => assert_eq!(plaintext, case["plaintext"], "{case}"),
            Err(error) => assert_eq!(error.code(), case["error"], "{case}: {error}"),
        }
        let Some(salt) = case["salt"].as_str().map(str::as_bytes) else { continue };
        let (ciphertext, decoys) = if is_text {
            let mixed = super::envelope::mix_text(text("plaintext"), salt);
            (crate::encoding::encode_base64(mixed.as_bytes()).into_bytes(), text("decoys").as_bytes().to_vec())
        } else {
            let mut data = decode_hex(text("plaintext")).unwrap();
            super::envelope::mix(&mut data, salt);
            (data, decode_hex(text("decoys")).unwrap())
        };
        // Behind other bytes, as in a frame.
        let mut envelope = [b"before".as_slice(), &ciphertext].concat();
        profile.place(&mut envelope, 6, salt, timestamp);
        assert_eq!(profile.lengths(&envelope[6..], timestamp).collect::<Vec<_>>(), [salt.len()], "{case}");
        profile.add_decoys(&mut envelope, 6, |len| Ok(decoys[..len].to_vec())).unwrap();
        let envelope = envelope.split_off(6);
        let shown = if is_text { String::from_utf8(envelope).unwrap() } else { encode_hex(&envelope) };
        assert_eq!(shown, case["envelope"], "{case}");
    }
}

#[test]
fn a_timestamp_is_an_integer_that_javascript_has() {
    let profile = Profile::from_json("{\"fise\": 1}").unwrap();
    for timestamp in [TIMESTAMP_MAX, -TIMESTAMP_MAX] {
        assert_eq!(profile.decode(&profile.encode(b"x", timestamp).unwrap(), timestamp).unwrap(), b"x");
    }
    for timestamp in [TIMESTAMP_MAX + 1, -TIMESTAMP_MAX - 1, i64::MAX, i64::MIN] {
        assert_eq!(code_of(profile.encode(b"x", timestamp)), "fise_rules");
        assert_eq!(code_of(profile.decode_text("x", timestamp)), "fise_rules");
    }
}

#[test]
fn a_profile_of_the_shortest_salt_works_and_one_for_bytes_alone_refuses_text() {
    let profile =
        Profile::from_json(r#"{"fise": 1, "marker": {"alphabet": "ab", "width": 1}, "salt": {"min": 1, "max": 1}}"#);
    let profile = profile.unwrap();
    assert_eq!(profile.decode(&profile.encode(b"abc", 0).unwrap(), 0).unwrap(), b"abc");
    let text = Profile::from_json(r#"{"fise": 1, "marker": {"kind": "uint16"}}"#).unwrap();
    assert_eq!(code_of(text.encode_text("a", 0)), "fise_rules");
    assert_eq!(code_of(text.decode_text("a", 0)), "fise_rules");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Over profiles, texts of all of Unicode, bytes and timestamps.
    #[test]
    fn what_is_hidden_comes_back(seed: String, text: String, data: Vec<u8>, timestamp in -TIMESTAMP_MAX..=TIMESTAMP_MAX) {
        let profile = Profile::random(&seed);
        let envelope = profile.encode_text(&text, timestamp).unwrap();
        prop_assert!(envelope.is_ascii());
        prop_assert_eq!(profile.decode_text(&envelope, timestamp).unwrap(), text);
        let envelope = profile.encode(&data, timestamp).unwrap();
        prop_assert_eq!(profile.decode(&envelope, timestamp).unwrap(), data);
    }

    /// Whatever is read, there is an answer or an error, and no panic.
    #[test]
    fn anything_can_be_read(seed: String, text: String, data: Vec<u8>, timestamp: i64) {
        let profile = Profile::random(&seed);
        let _ = profile.decode_text(&text, timestamp);
        let _ = profile.decode(&data, timestamp);
        let _ = Profile::from_json(&text);
    }
}
