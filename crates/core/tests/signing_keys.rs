//! The vectors of `vectors/signing_keys/`: all of them, as keys that sign files are read; and those that are files with one key, as the
//! family `sign` reads them.

mod support;

use sealstone::sign::{Kind, PrivateKey, PublicKey};
use sealstone::signature::{SignatureReader, SignatureWriter, Signer, Signers, SigningKey};
use sealstone::{Input, Passphrase};
use std::collections::{BTreeMap, HashMap};
use support::vectors;

/// The fewest for each expectation.
const EXPECTED_MIN: &[(&str, usize)] = &[
    ("cost_too_high", 2),
    ("invalid_signer", 100),
    ("no_matching_identity", 3),
    ("passphrase_required", 2),
    ("success", 85),
    ("unsupported_key", 32),
];

/// As many of all.
const SIGNERS_MIN: &[(&str, usize)] = &[
    ("cost_too_high", 2),
    ("invalid_signer", 100),
    ("no_matching_identity", 3),
    ("passphrase_required", 2),
    ("success", 86),
    ("unsupported_key", 42),
];

/// The kinds of signature files (spec/signature.md section 2). The family has more.
const SIGNERS: [Kind; 6] =
    [Kind::Ed25519, Kind::P256Sign, Kind::MlDsa65, Kind::HybridSign, Kind::Hybrid44Sign, Kind::Sm2Sign];

/// Algorithms that the family has and signature files do not. Their vectors have no keys that anybody could read.
const OTHERS: [&str; 5] = ["ml_dsa_44", "ml_dsa_87", "p384", "rsa", "secp256k1"];

struct Vector {
    name: String,
    /// The values of each key, in their order.
    lines: HashMap<String, Vec<String>>,
    file: Vec<u8>,
}

impl Vector {
    fn parse(name: String, bytes: &[u8]) -> Self {
        let end = bytes.windows(2).position(|pair| pair == b"\n\n").expect("an empty line");
        let mut lines: HashMap<String, Vec<String>> = HashMap::new();
        for line in std::str::from_utf8(&bytes[..end]).unwrap().lines() {
            let (key, value) = line.split_once(": ").expect("a key and a value");
            lines.entry(key.to_owned()).or_default().push(value.to_owned());
        }
        Self { name, lines, file: bytes[end + 2..].to_vec() }
    }

    fn one(&self, key: &str) -> Option<&str> {
        match self.lines.get(key).map(Vec::as_slice) {
            None => None,
            Some([value]) => Some(value),
            Some(_) => panic!("{}: {key} stands several times", self.name),
        }
    }

    /// What the key is, and of a private one the key itself; or the code of the error.
    fn read(&self) -> Result<(PublicKey, Option<Vec<u8>>), &'static str> {
        let passphrase = self.one("passphrase").map(|text| Passphrase::new(text).unwrap());
        let found = match self.one("read") {
            Some("public") => PublicKey::parse(&self.file).map(|key| (key, None)),
            Some("private") => PrivateKey::parse(&self.file, passphrase.as_ref())
                .map(|key| (key.public_key(), Some(key.to_bytes().to_vec()))),
            other => panic!("{}: read is {other:?}", self.name),
        };
        match found {
            Ok((key, _)) if !SIGNERS.contains(&key.kind()) => Err("unsupported_key"),
            Ok(found) => Ok(found),
            Err(error) if error.code() == "invalid_key" => Err("invalid_signer"),
            Err(error) => Err(error.code()),
        }
    }

    /// The keys as signature files take them.
    fn read_signers(&self) -> Result<(Vec<Signer>, Option<SigningKey>), &'static str> {
        let passphrase = self.one("passphrase").map(|text| Passphrase::new(text).unwrap());
        match self.one("read") {
            Some("public") => {
                let signers = Signers::parse(&self.file).map_err(|error| error.error.code())?;
                Ok((signers.iter().cloned().collect(), None))
            }
            Some("private") => {
                let key = SigningKey::parse(&self.file, passphrase.as_ref()).map_err(|error| error.code())?;
                Ok((vec![key.signer().clone()], Some(key)))
            }
            other => panic!("{}: read is {other:?}", self.name),
        }
    }

    fn fault_of_signers(&self) -> Option<String> {
        let expect = self.one("expect").expect("an expectation");
        let (signers, key) = match self.read_signers() {
            Err(code) if code == expect => return None,
            Err(code) => return Some(format!("{}: {code} instead of {expect}", self.name)),
            Ok(_) if expect != "success" => return Some(format!("{}: success instead of {expect}", self.name)),
            Ok(found) => found,
        };
        let named: Vec<_> =
            signers.iter().map(|signer| format!("{} {}", signer.kind(), signer.fingerprint())).collect();
        if Some(&named) != self.lines.get("key") {
            return Some(format!("{}: {named:?}", self.name));
        }
        if let Some(key) = key {
            let signature = SignatureWriter::new(&key).detached(Input::reader(&b"content"[..])).unwrap();
            let reader = SignatureReader::new(Signers::new(signers));
            reader.detached(Input::reader(&b"content"[..]), signature.as_bytes()).unwrap();
        }
        None
    }

    fn fault(&self) -> Option<String> {
        let expect = self.one("expect").expect("an expectation");
        let found = self.read();
        let (key, secret) = match found {
            Err(code) if code == expect => return None,
            Err(code) => return Some(format!("{}: {code} instead of {expect}", self.name)),
            Ok(_) if expect != "success" => return Some(format!("{}: success instead of {expect}", self.name)),
            Ok(found) => found,
        };
        let named = format!("{} {}", key.kind(), key.fingerprint());
        let secret = secret.map(|secret| data_encoding::HEXLOWER.encode(&secret));
        let is_right = self.one("key") == Some(&named) && self.one("secret") == secret.as_deref();
        (!is_right).then(|| format!("{}: {named} {secret:?}", self.name))
    }
}

fn all() -> impl Iterator<Item = Vector> {
    std::fs::read_dir(vectors("signing_keys")).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        Vector::parse(name, &std::fs::read(&path).unwrap())
    })
}

/// None differs, and there are at least so many with each expectation.
fn judge(counts: &BTreeMap<String, usize>, mut faults: Vec<String>, expected_min: &[(&str, usize)]) {
    faults.sort();
    println!("{counts:?}");
    assert!(faults.is_empty(), "{} vectors differ:\n{}", faults.len(), faults.join("\n"));
    for (expect, min) in expected_min {
        let found = counts.get(*expect).copied().unwrap_or_default();
        assert!(found >= *min, "only {found} vectors with {expect}");
    }
}

#[test]
fn every_key_that_signs_files_is_read_as_specified() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut faults = Vec::new();
    for vector in all() {
        *counts.entry(vector.one("expect").unwrap().to_owned()).or_default() += 1;
        faults.extend(vector.fault_of_signers());
    }
    judge(&counts, faults, SIGNERS_MIN);
}

#[test]
fn every_file_with_one_key_is_read_as_specified() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut faults = Vec::new();
    for vector in all() {
        let algorithm = vector.name.strip_prefix("algorithm_private_");
        let algorithm = algorithm.or_else(|| vector.name.strip_prefix("algorithm_public_"));
        // Of several keys in one file the family takes none.
        let has_several = vector.lines.get("key").is_some_and(|keys| keys.len() > 1);
        if has_several || algorithm.is_some_and(|algorithm| OTHERS.contains(&algorithm)) {
            continue;
        }
        *counts.entry(vector.one("expect").unwrap().to_owned()).or_default() += 1;
        faults.extend(vector.fault());
    }
    judge(&counts, faults, EXPECTED_MIN);
}
