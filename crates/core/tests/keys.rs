//! Every vector of `vectors/keys/`, and the borrowed key files.

mod support;

use data_encoding::{BASE64, HEXLOWER};
use sealstone::signature::SigningKey;
use sealstone::{
    Encryptor, Error, Identity, Input, KeyForm, Kind, Passphrase, Recipient, Suite, exchange, inspect,
    parse_identities, parse_recipients, rsa, sign,
};
use std::collections::BTreeMap;
use support::{hex, sha256, vectors};

/// How many there were when this was written: none may get lost.
const TOTAL_MIN: usize = 734;
/// The fewest for each expectation.
const EXPECTED_MIN: &[(&str, usize)] = &[
    ("cost_too_high", 26),
    ("invalid_identity", 218),
    ("invalid_recipient", 139),
    ("no_matching_identity", 31),
    ("passphrase_required", 5),
    ("success", 218),
    ("unsupported_key", 97),
];

#[test]
fn every_key_vector_gives_its_keys_or_its_code() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut faults = Vec::new();
    for entry in std::fs::read_dir(vectors("keys")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let vector = Vector::parse(&name, &std::fs::read(&path).unwrap());
        let (found, expected) = (vector.read(), vector.expected());
        if found != expected {
            faults.push(format!("{name}: expected {expected:?}, found {found:?}"));
        }
        *counts.entry(vector.expect).or_default() += 1;
    }
    let total: usize = counts.values().sum();
    println!("{total} vectors: {counts:?}");
    faults.sort();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    assert!(total >= TOTAL_MIN, "only {total} vectors");
    for (expect, min) in EXPECTED_MIN {
        let found = counts.get(*expect).copied().unwrap_or_default();
        assert!(found >= *min, "only {found} vectors with {expect}");
    }
}

/// A key that takes as much as one may can be in a file of its own, and not in one that takes a password hash to open.
#[test]
fn the_work_of_opening_a_sealed_file_of_keys_counts_too() {
    let name = "encrypted_cost_together_one_more_and_one_at_the_maximum";
    let vector = String::from_utf8(std::fs::read(vectors("keys").join(name)).unwrap()).unwrap();
    let blocks: Vec<&str> = vector.split_inclusive("-----END ENCRYPTED PRIVATE KEY-----\n").collect();
    let (cheap, costly) = (&blocks[0][blocks[0].find("-----BEGIN").unwrap()..], blocks[1]);
    let passphrase = Passphrase::new("pass").unwrap();
    for suite in [Suite::Aes256Gcm, Suite::Sm4Gcm] {
        let sealed = |text: &str| {
            let file = Encryptor::new([passphrase.clone().into()]).suite(suite).encrypt(text.as_bytes()).unwrap();
            inspect(Input::reader(&file[..])).unwrap().parse_identities(text.as_bytes(), None).unwrap_err().error.code()
        };
        assert_eq!((sealed(cheap), sealed(costly)), ("passphrase_required", "cost_too_high"), "{suite}");
    }
    for text in [cheap, costly] {
        assert_eq!(parse_identities(text, None).unwrap_err().error.code(), "passphrase_required");
    }
}

/// Also a fault that readers find before they look at the key itself, as in the parameters of its encryption.
#[test]
fn a_damaged_private_key_has_the_code_of_the_family_that_reads_it() {
    type Parse = fn(&[u8]) -> Result<(), Error>;
    let families: [(&str, Parse, &str); 4] = [
        ("exchange", |file| exchange::PrivateKey::parse(file, None).map(drop), "invalid_key"),
        ("rsa", |file| rsa::PrivateKey::parse(file, None).map(drop), "invalid_key"),
        ("sign", |file| sign::PrivateKey::parse(file, None).map(drop), "invalid_key"),
        ("signature", |file| SigningKey::parse(file, None).map(drop), "invalid_signer"),
    ];
    let mut parameters = 0;
    for entry in std::fs::read_dir(vectors("keys")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let vector = Vector::parse(&name, &std::fs::read(&path).unwrap());
        parameters += usize::from(name.starts_with("encrypted_parameter_"));
        for (family, parse, code) in families {
            let Err(error) = parse(&vector.file) else { continue };
            let expected = [code, "unsupported_key", "passphrase_required", "cost_too_high"];
            // Of damaged parameters, no family has anything else to say.
            let expected = if name.starts_with("encrypted_parameter_") { &expected[..1] } else { &expected };
            assert!(expected.contains(&error.code()), "{name}, {family}: {}", error.code());
        }
    }
    assert!(parameters >= 17, "only {parameters} vectors with damaged parameters");
}

/// Kinds, fingerprints and secrets in the order of the file, or the code.
type Read = Result<Vec<(String, String, Option<String>)>, String>;

struct Vector {
    expect: String,
    is_secret: bool,
    passphrase: Option<Passphrase>,
    keys: Vec<String>,
    secrets: Vec<String>,
    file: Vec<u8>,
}

impl Vector {
    fn parse(name: &str, bytes: &[u8]) -> Self {
        let end = bytes.windows(2).position(|pair| pair == b"\n\n").expect("an empty line");
        let mut values: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for line in std::str::from_utf8(&bytes[..end]).expect("text").split('\n') {
            let (key, value) = line.split_once(": ").expect("key and value");
            values.entry(key).or_default().push(value.to_owned());
        }
        let mut all = |key| values.remove(key).unwrap_or_default();
        let mut one = |key| {
            let mut values = all(key);
            assert!(values.len() <= 1, "{name}: {key} occurs once");
            values.pop()
        };
        let read = one("read").expect("a reader");
        let vector = Self {
            expect: one("expect").expect("a verdict"),
            is_secret: match read.as_str() {
                "identities" => true,
                "recipients" => false,
                _ => panic!("{name}: read {read}"),
            },
            passphrase: one("passphrase").map(|text| Passphrase::new(&text).unwrap()),
            keys: all("key"),
            secrets: all("secret"),
            file: bytes[end + 2..].to_vec(),
        };
        assert!(all("section").len() == 1 && all("comment").len() == 1, "{name}: section and comment");
        assert!(values.is_empty(), "{name}: unknown keys {values:?}");
        assert_eq!(vector.expect == "success", !vector.keys.is_empty(), "{name}");
        vector
    }

    fn expected(&self) -> Read {
        if self.expect != "success" {
            return Err(self.expect.clone());
        }
        let secrets = self.secrets.iter().map(Some).chain(std::iter::repeat(None));
        let keys = self.keys.iter().map(|key| key.split_once(' ').expect("kind and fingerprint"));
        Ok(keys.zip(secrets).map(|((kind, print), secret)| (kind.into(), print.into(), secret.cloned())).collect())
    }

    fn read(&self) -> Read {
        if self.is_secret {
            let found = parse_identities(&self.file, self.passphrase.as_ref());
            let found = found.map_err(|error| error.error.code().to_owned())?;
            found.iter().for_each(check_forms_of_identity);
            Ok(found.iter().map(|one| shown(&one.recipient(), Some(secret_of(one)))).collect())
        } else {
            let found = parse_recipients(&self.file).map_err(|error| error.error.code().to_owned())?;
            found.iter().for_each(check_forms_of_recipient);
            Ok(found.iter().map(|one| shown(one, None)).collect())
        }
    }
}

fn shown(recipient: &Recipient, secret: Option<String>) -> (String, String, Option<String>) {
    (recipient.kind().name().to_owned(), recipient.fingerprint().unwrap(), secret)
}

/// The private key in hexadecimal: where our own PKCS#8 has it.
fn secret_of(identity: &Identity) -> String {
    let der = identity.to_der(None).unwrap();
    let at = match identity.kind() {
        Kind::P256 | Kind::Sm2 => 36..68,
        Kind::MlKem768 => der.len() - 64..der.len(),
        _ => der.len() - 32..der.len(),
    };
    HEXLOWER.encode(&der[at])
}

/// Whatever was read is written in every form that its kind has, and read as the same key.
fn check_forms_of_identity(identity: &Identity) {
    let text = identity.to_text().unwrap();
    let pem = identity.to_pem(None).unwrap();
    let der = identity.to_der(None).unwrap();
    let jwk = identity.to_jwk();
    assert_eq!(jwk.is_ok(), !matches!(identity.kind(), Kind::MlKem768 | Kind::Sm2));
    let digits = identity.to_hex();
    assert_eq!(digits.is_ok(), identity.kind() == Kind::Sm2);
    let others = jwk.iter().chain(&digits).map(|form| form.as_bytes());
    for form in [text.as_bytes(), pem.as_bytes(), &der].into_iter().chain(others) {
        let [read] = &parse_identities(form, None).unwrap()[..] else { panic!("one key") };
        assert_eq!((read.kind(), secret_of(read)), (identity.kind(), secret_of(identity)));
    }
    check_forms_of_recipient(&identity.recipient());
}

fn check_forms_of_recipient(recipient: &Recipient) {
    let (text, pem, der) = (recipient.to_string(), recipient.to_pem().unwrap(), recipient.to_der().unwrap());
    let jwk = recipient.to_jwk();
    assert_eq!(jwk.is_ok(), !matches!(recipient.kind(), Kind::MlKem768 | Kind::Sm2));
    let digits = recipient.to_hex();
    assert_eq!(digits.is_ok(), recipient.kind() == Kind::Sm2);
    let others = jwk.iter().chain(&digits).map(String::as_bytes);
    for form in [text.as_bytes(), pem.as_bytes(), &der].into_iter().chain(others) {
        let [read] = &parse_recipients(form).unwrap()[..] else { panic!("one key") };
        assert_eq!((read.kind(), read.fingerprint()), (recipient.kind(), recipient.fingerprint()));
        assert_eq!(parse_identities(form, None).map(drop).unwrap_err().error.code(), "invalid_identity");
    }
}

#[test]
fn published_key_files_of_others_give_their_keys_or_their_code() {
    let text = std::fs::read(vectors("borrowed").join("key_files.json")).unwrap();
    let all: Vec<serde_json::Value> = serde_json::from_slice(&text).unwrap();
    let mut taken = 0;
    for entry in &all {
        let field = |name: &str| entry[name].as_str();
        let name = field("name").unwrap();
        let text = field("text").unwrap();
        let file = match field("form").unwrap() {
            "der-base64" => BASE64.decode(text.as_bytes()).unwrap(),
            _ => text.as_bytes().to_vec(),
        };
        let passphrase = field("passphrase").map(|text| Passphrase::new(text).unwrap());
        let found = match field("read").unwrap() {
            "identities" => parse_identities(file, passphrase.as_ref()).map(|found| found[0].recipient()),
            _ => parse_recipients(file).map(|mut found| found.remove(0)),
        };
        let found = found.map_err(|error| error.error.code());
        match field("expect").unwrap() {
            "success" => {
                let (kind, public) = (field("kind").unwrap(), hex(field("public").unwrap()));
                let expected = format!("SHA256:{}", sha256(&[kind.as_bytes(), b"\0", &public].concat()));
                assert_eq!(found.unwrap().fingerprint(), Some(expected), "{name}");
                taken += 1;
            }
            code => assert_eq!(found.map(|found| found.fingerprint()), Err(code), "{name}"),
        }
    }
    println!("{} key files, {taken} read", all.len());
    assert!(all.len() >= 110 && taken >= 44, "only {} files, {taken} read", all.len());
}

#[test]
fn an_encrypted_key_comes_back_with_its_passphrase_and_no_other() {
    let (right, wrong) = (Passphrase::new("caf\u{e9} au lait").unwrap(), Passphrase::new("caf\u{e9}").unwrap());
    for kind in [Kind::P256, Kind::MlKem768, Kind::X25519] {
        let identity = Identity::generate(kind).unwrap();
        let (pem, again) = (identity.to_pem(Some(&right)).unwrap(), identity.to_pem(Some(&right)).unwrap());
        assert_ne!(*pem, *again, "salt and IV are fresh");
        let code = |passphrase| parse_identities(pem.as_bytes(), passphrase).map(drop).unwrap_err().error.code();
        assert_eq!(code(None), "passphrase_required");
        assert_eq!(code(Some(&wrong)), "no_matching_identity");
        let read = parse_identities(pem.as_bytes(), Some(&right)).unwrap();
        assert_eq!(secret_of(&read[0]), secret_of(&identity));
        let der = identity.to_der(Some(&right)).unwrap();
        assert_eq!(KeyForm::of(&der), Some(KeyForm::Der));
        assert_eq!(secret_of(&parse_identities(der.as_slice(), Some(&right)).unwrap()[0]), secret_of(&identity));
    }
}

#[test]
fn kinds_without_a_form_say_so() {
    let hybrid = Identity::generate(Kind::Hybrid).unwrap();
    let key = Identity::generate(Kind::Key).unwrap();
    let passphrase = Identity::from(Passphrase::new("x").unwrap());
    for identity in [hybrid, key, passphrase] {
        for code in [
            identity.to_pem(None).map(drop).unwrap_err().code(),
            identity.to_der(None).map(drop).unwrap_err().code(),
            identity.to_jwk().map(drop).unwrap_err().code(),
            identity.recipient().to_pem().map(drop).unwrap_err().code(),
            identity.recipient().to_der().map(drop).unwrap_err().code(),
            identity.recipient().to_jwk().map(drop).unwrap_err().code(),
        ] {
            assert_eq!(code, "unsupported_key");
        }
    }
}
