//! Signatures that nkCryptoTool made: each is verified, and what was changed of one is refused.

mod support;

use sealstone::Input;
use sealstone::interop::nkcs::{SignatureReader, SignatureWriter, SigningKey, begins};
use sealstone::sign::{Kind, PrivateKey, PublicKey};
use serde_json::Value;
use std::fs;
use support::{Pieces, pattern, vectors};

#[test]
fn every_signature_of_both_editions_is_verified_or_refused_as_it_says() {
    let folder = vectors("nkct");
    let manifest: Value = serde_json::from_slice(&fs::read(folder.join("manifest.json")).unwrap()).unwrap();
    let (mut verified, mut refused) = (0, 0);
    for vector in manifest["signatures"].as_array().unwrap() {
        let text = |name: &str| vector[name].as_str().unwrap_or_default();
        let (name, expect) = (text("file"), text("expect"));
        let signature = fs::read(folder.join(name)).unwrap();
        let key = PublicKey::parse(fs::read(folder.join(text("public_key"))).unwrap()).unwrap();
        let content = pattern(usize::try_from(vector["message"]["length"].as_u64().unwrap()).unwrap());
        let reader = SignatureReader::new([key.clone()]).unwrap();
        let bare = reader.clone().allow_bare(true).detached(Input::reader(&content[..]), &signature);
        let strict = reader.detached(Input::reader(&content[..]), &signature);
        if expect == "verifies" {
            let found = bare.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!((found.key(), found.content_len()), (&key, content.len() as u64), "{name}");
            assert_eq!(found.version().map(u64::from), vector["version"].as_u64(), "{name}");
            // One without a header is a signature only for those who say so.
            match strict {
                Ok(strict) => assert_eq!(strict, found, "{name}"),
                Err(error) => assert!(!begins(&signature) && error.code() == "not_a_signature", "{name}: {error}"),
            }
            let changed = [&content[..], b"."].concat();
            let error = reader.allow_bare(true).detached(Input::reader(&changed[..]), &signature).unwrap_err();
            assert_eq!(error.code(), "invalid_signature", "{name}");
            verified += 1;
        } else {
            assert_eq!(expect, "refused", "{name}");
            for error in [bare, strict].map(Result::unwrap_err) {
                let known = ["not_a_signature", "malformed_signature", "unsupported_signature", "invalid_signature"];
                assert!(known.contains(&error.code()), "{name}: {error}");
            }
            refused += 1;
        }
    }
    assert!(verified >= 40 && refused >= 11, "{verified} verified, {refused} refused");
}

/// The private keys of users sign here what their public keys verify.
#[test]
fn keys_of_the_editions_sign() {
    let folder = vectors("nkct");
    let manifest: Value = serde_json::from_slice(&fs::read(folder.join("manifest.json")).unwrap()).unwrap();
    let mut signed = 0;
    for entry in manifest["keys"].as_array().unwrap() {
        let text = |name: &str| entry[name].as_str().unwrap_or_default();
        let file = text("file");
        if text("use") != "signing" || text("kind") != "private" {
            continue;
        }
        let passphrase = entry["passphrase"].as_str().map(|text| sealstone::Passphrase::new(text).unwrap());
        let key = SigningKey::parse(fs::read(folder.join(file)).unwrap(), passphrase.as_ref())
            .unwrap_or_else(|error| panic!("{file}: {error}"));
        let public = PublicKey::parse(fs::read(folder.join(file.replace("private", "public"))).unwrap()).unwrap();
        assert_eq!(key.public_key(), public, "{file}");
        let signature = SignatureWriter::new(&key).detached(Input::reader(&b"attack at dawn"[..])).unwrap();
        let reader = SignatureReader::new([public]).unwrap();
        reader.detached(Input::reader(&b"attack at dawn"[..]), &signature).unwrap();
        signed += 1;
    }
    assert!(signed >= 8, "{signed}");
}

/// What is signed is read once and not kept: a file of any length takes the same memory.
#[test]
fn content_comes_from_files_and_from_streams_of_unknown_length() {
    let folder = tempfile::tempdir().unwrap();
    let (path, content) = (folder.path().join("content"), pattern(3_000_000));
    fs::write(&path, &content).unwrap();
    for kind in [Kind::P256Sign, Kind::MlDsa65] {
        let key = SigningKey::new(PrivateKey::generate(kind).unwrap()).unwrap();
        let reader = SignatureReader::new([key.public_key()]).unwrap();
        let signature = SignatureWriter::new(&key).detached(Input::open(&path).unwrap()).unwrap();
        let slow = Pieces::new(&content, &[1000, 1, 70_000]);
        let verified = reader.detached(Input::reader(slow), &signature).unwrap();
        assert_eq!(verified.content_len(), 3_000_000, "{kind}");
        reader.detached(Input::open(&path).unwrap(), &signature).unwrap();
    }
}
