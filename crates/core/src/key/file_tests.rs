//! Wycheproof's keys: PEM, DER and JWK of X25519 and P-256.

use super::*;
use crate::kdf::{Prf, pbkdf2};
use crate::key::{Public, Secret};
use data_encoding::HEXLOWER;
use serde_json::Value;

/// Valid keys are read, and both halves give the shared secret; invalid keys are refused; acceptable ones are refused or right.
#[cfg(feature = "jwk")]
#[test]
fn wycheproof_keys_as_pem_der_and_jwk() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/borrowed/wycheproof_keys.json");
    let mut tests: Vec<Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    // Files are not encrypted to keys of other curves.
    tests.retain(|test| ["25519", "256r1"].iter().any(|curve| test["set"].as_str().unwrap().contains(curve)));
    let mut counts = std::collections::BTreeMap::<(String, &str), usize>::new();
    for test in &tests {
        let set = test["set"].as_str().unwrap();
        let name = format!("{set} tcId {}: {}", test["tc"], test["flags"]);
        let file = |half: &str| match &test[half] {
            Value::String(hex) if set.ends_with("_asn") => HEXLOWER.decode(hex.as_bytes()).unwrap(),
            Value::String(pem) => pem.clone().into_bytes(),
            jwk => jwk.to_string().into_bytes(),
        };
        let public = parse_recipients(file("public")).map(|mut found| found.remove(0));
        let private = parse_identities(file("private"), None).map(|mut found| found.remove(0));
        let result = test["result"].as_str().unwrap();
        let taken = match (public, private) {
            (Ok(public), Ok(private)) if public.kind() != private.kind() => false,
            (Ok(public), Ok(private)) => {
                assert_eq!(HEXLOWER.encode(&shared(&private, &public)), test["shared"].as_str().unwrap(), "{name}");
                true
            }
            (public, private) => {
                let error = public.err().or(private.err()).unwrap().error;
                let codes = ["invalid_recipient", "invalid_identity", "unsupported_key"];
                assert!(codes.contains(&error.code()), "{name}: {error}");
                false
            }
        };
        assert!(result == "acceptable" || taken == (result == "valid"), "{name}: {result}, and taken: {taken}");
        *counts.entry((set.to_owned(), if taken { "taken" } else { "refused" })).or_default() += 1;
    }
    println!("wycheproof keys: {counts:?}");
    assert_eq!(tests.len(), 2551);
    for (set, taken) in [
        ("x25519_asn", 480),
        ("x25519_jwk", 480),
        ("x25519_pem", 480),
        ("ecdh_secp256r1_pem", 330),
        ("ecdh_secp256r1_webcrypto", 330),
    ] {
        let found = counts[&(set.to_owned(), "taken")];
        assert!(found >= taken, "only {found} of {set} were taken");
    }
}

/// The bare Diffie-Hellman, by the curves that the library under HPKE computes with.
fn shared(private: &Identity, public: &Recipient) -> Vec<u8> {
    let (Secret::Kem { bytes, .. }, Public::Kem(_, point)) = (&private.0, &public.0) else { panic!("no key pairs") };
    let point = point.to_bytes();
    if let Ok(point) = <[u8; 32]>::try_from(&point[..]) {
        return x25519_dalek::x25519(bytes[..].try_into().unwrap(), point).to_vec();
    }
    let secret = p256::SecretKey::from_slice(bytes).unwrap();
    let public = p256::PublicKey::from_sec1_bytes(&point).unwrap();
    p256::ecdh::diffie_hellman(secret.to_nonzero_scalar(), public.as_affine()).raw_secret_bytes().to_vec()
}

#[cfg(feature = "gm")]
#[test]
fn digits_are_digits_whatever_they_begin_with() {
    for first in "0123456789abcdeF".chars() {
        let private = format!("{first}{}\n", "1".repeat(63));
        assert_eq!(KeyForm::of(private.as_bytes()), Some(KeyForm::Hex), "{first}");
        let identity = &parse_identities(&private, None).unwrap()[0];
        let public = identity.recipient().to_hex().unwrap();
        // The 04 of every point is the digit 0, which DER begins with.
        for public in [&public[..], &public[2..], &public.to_uppercase()] {
            let found = &parse_recipients(format!("{public}\n")).unwrap()[0];
            assert_eq!(found.to_hex().unwrap(), identity.recipient().to_hex().unwrap());
            assert!(crate::is_recipient_file(public.as_bytes()));
        }
        assert!(parse_recipients(&private).is_err());
    }
    let der = parse_identities("1".repeat(64), None).unwrap()[0].to_der(None).unwrap();
    assert_eq!(KeyForm::of(&der), Some(KeyForm::Der));
    // Too few to be a key, and no DER either.
    assert_eq!(KeyForm::of(&b"0123456789abcdef\n"[..]), Some(KeyForm::Age));
}

fn vectors() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/keys")
}

/// The keys in a vector.
fn vector(name: &str) -> Vec<u8> {
    divided(&std::fs::read(vectors().join(name)).unwrap()).1.to_vec()
}

/// The result of a vector, and its keys.
fn divided(vector: &[u8]) -> (&str, &[u8]) {
    let head_len = vector.windows(2).position(|pair| pair == b"\n\n").unwrap() + 2;
    (std::str::from_utf8(&vector[..head_len]).unwrap(), &vector[head_len..])
}

#[test]
fn over_1024_blocks_are_refused_before_any_passphrase_is_used() {
    let passphrase = Passphrase::new("pass").unwrap();
    let pem = vector("encrypted_iterations_1");
    for (count, code) in [(1024, "no_matching_identity"), (1025, "invalid_identity")] {
        let error = parse_identities(pem.repeat(count), Some(&passphrase)).unwrap_err();
        assert_eq!(error.error.code(), code);
        assert_eq!(error.to_string().contains("1024"), count > 1024, "{error}");
    }
}

/// Without the limit on a file this would take 12 minutes, since each block alone takes no more work than it may.
#[test]
fn the_work_of_all_keys_of_a_file_is_judged_before_any_of_it() {
    let blocks = vector("encrypted_cost_together_one_more_and_one_at_the_maximum").repeat(512);
    for passphrase in [None, Some(Passphrase::new("pass").unwrap())] {
        let error = parse_identities(&blocks, passphrase.as_ref()).unwrap_err();
        assert_eq!(error.error.code(), "cost_too_high");
        assert!(error.line.is_some() && error.to_string().contains("together"), "{error}");
    }
}

#[cfg(feature = "gm")]
#[test]
fn a_passphrase_is_not_put_on_more_keys_than_a_reader_takes() {
    let passphrase = Passphrase::new("pass").unwrap();
    let pem = |kind, count| Identity::generate(kind).unwrap().to_pem(None).unwrap().repeat(count);
    for (kind, most) in [(crate::Kind::P256, 16), (crate::Kind::Sm2, 10)] {
        let error = protect_identities(pem(kind, most + 1).as_bytes(), None, Some(&passphrase)).unwrap_err();
        assert_eq!(error.error.code(), "cost_too_high", "{kind}");
        assert!(protect_identities(pem(kind, most + 1).as_bytes(), None, None).is_ok(), "{kind}");
    }
}

/// Every vector of an encrypted key opens with another passphrase that knows the key derived from the right one.
#[test]
fn what_a_host_derives_is_not_derived_again() {
    let mut counts = std::collections::BTreeMap::<u32, usize>::new();
    for entry in std::fs::read_dir(vectors()).unwrap() {
        let path = entry.unwrap().path();
        let (name, vector) = (path.display(), std::fs::read(&path).unwrap());
        let (head, file) = divided(&vector);
        let Some(text) = head.lines().find_map(|line| line.strip_prefix("passphrase: ")) else { continue };
        let passphrase = Passphrase::new(text).unwrap();
        let expected =
            parse_identities(file, Some(&passphrase)).map(|found| shown(&found)).map_err(|error| error.to_string());
        let wanted = match derivations(file) {
            Ok(wanted) => wanted,
            Err(error) => {
                // The error of the file without a passphrase.
                assert_eq!(Err(error.to_string()), expected, "{name}");
                continue;
            }
        };
        let is_all = !wanted.is_empty() && wanted.len() == key_count(file);
        let mut other = Passphrase::new("it is not looked at").unwrap();
        for derivation in wanted {
            let prf = match derivation.sha {
                1 => Prf::HmacSha1,
                256 => Prf::HmacSha256,
                384 => Prf::HmacSha384,
                512 => Prf::HmacSha512,
                other => panic!("{name}: SHA-{other}"),
            };
            let mut key = vec![0; derivation.len];
            assert!(other.know(derivation.clone(), &key[1..]).is_err());
            pbkdf2(&*prf.of(passphrase.as_bytes()), &derivation.salt, derivation.iterations, &mut key);
            *counts.entry(derivation.sha).or_default() += 1;
            other.know(derivation, &key).unwrap();
        }
        if is_all {
            let found =
                parse_identities(file, Some(&other)).map(|found| shown(&found)).map_err(|error| error.to_string());
            assert_eq!(found, expected, "{name}");
        }
    }
    println!("derived by their SHA: {counts:?}");
    for (sha, least) in [(1, 3), (256, 40), (384, 2), (512, 3)] {
        assert!(counts[&sha] >= least, "{counts:?}");
    }
}

/// Keys in a file of PEM or DER.
fn key_count(file: &[u8]) -> usize {
    std::str::from_utf8(file).map_or(1, |text| text.matches("-----BEGIN ").count().max(1))
}

fn shown(identities: &[Identity]) -> Vec<String> {
    identities.iter().map(|identity| identity.to_pem(None).unwrap().to_string()).collect()
}

#[test]
fn the_line_of_a_fault_counts_empty_lines() {
    for (before, line) in [("", 1), ("\n\n\n", 4), ("\r\n# a\n\r\n", 4), (&"\n".repeat(100_000), 100_001)] {
        for wrong in ["nonsense", "-----BEGIN NONSENSE-----"] {
            let error = crate::parse_identities(format!("{before}{wrong}\n"), None).unwrap_err();
            assert_eq!(error.line, Some(line), "{wrong} behind {:?}", &before[..before.len().min(9)]);
        }
    }
}
