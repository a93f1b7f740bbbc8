//! Keys that sign, as DER, PEM and JWK, of every kind: arbitrary bytes, good keys with edits of their tree, their text or their
//! members.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use sealstone::KeyForm;
use sealstone::sign::PrivateKey;
use sealstone_fuzz::der::{self, Node};
use sealstone_fuzz::keys::pem;
use sealstone_fuzz::{Edit, signing};
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

#[derive(Arbitrary, Debug)]
enum Case<'a> {
    File { file: &'a [u8] },
    Bytes { key: u8, is_public: bool, edits: Vec<Edit> },
    Tree { key: u8, is_public: bool, edits: Vec<der::Edit>, columns: Option<u8> },
    Jwk { key: u8, is_public: bool, changes: Vec<Change<'a>> },
}

#[derive(Arbitrary, Debug)]
enum Change<'a> {
    Remove {
        at: u8,
    },
    Rename {
        at: u8,
        name: u8,
    },
    Damage {
        at: u8,
        edit: Edit,
    },
    /// A member of another key.
    Graft {
        at: u8,
        key: u8,
        from: u8,
    },
    Word {
        name: u8,
        word: u8,
    },
    Text {
        name: u8,
        text: &'a str,
    },
    Number {
        name: u8,
        number: i64,
    },
    Words {
        name: u8,
        words: Vec<u8>,
    },
}

const NAMES: [&str; 22] = [
    "kty", "crv", "x", "y", "d", "n", "e", "p", "q", "dp", "dq", "qi", "oth", "pub", "priv", "use", "alg", "key_ops",
    "keys", "kid", "seed", "x5c",
];
const WORDS: [&str; 19] = [
    "EC",
    "OKP",
    "RSA",
    "AKP",
    "P-256",
    "P-384",
    "P-521",
    "secp256k1",
    "Ed25519",
    "ML-DSA-44",
    "ML-DSA-65",
    "ML-DSA-87",
    "sig",
    "enc",
    "sign",
    "verify",
    "deriveKey",
    "ES256",
    "PS256",
];

/// Both halves of every kind, as they are written.
static TREES: LazyLock<Vec<[Node; 2]>> = LazyLock::new(|| {
    let tree = |der: &[u8]| Node::read(der).expect("signing_keys: DER is written");
    let halves = |key: &PrivateKey| {
        [tree(&key.to_der(None).expect("signing_keys: every kind has DER")), tree(&key.public_key().to_der())]
    };
    signing::KEYS.iter().map(halves).collect()
});

/// All of them, to graft from.
static GRAFTS: LazyLock<Vec<Node>> = LazyLock::new(|| TREES.iter().flatten().cloned().collect());

static JWKS: LazyLock<Vec<[String; 2]>> = LazyLock::new(|| {
    let keys = signing::KEYS.iter();
    keys.filter_map(|key| Some([key.to_jwk().ok()?.to_string(), key.public_key().to_jwk().ok()?])).collect()
});

fn tree(key: u8, is_public: bool) -> &'static Node {
    &TREES[usize::from(key) % TREES.len()][usize::from(is_public)]
}

fn members(key: u8, is_public: bool) -> Map<String, Value> {
    let jwk = &JWKS[usize::from(key) % JWKS.len()][usize::from(is_public)];
    serde_json::from_str(jwk).expect("signing_keys: JSON is written")
}

fuzz_target!(|case: Case<'_>| match case {
    Case::File { file } => {
        check_der(file);
    }
    Case::Bytes { key, is_public, edits } => {
        let mut file = tree(key, is_public).write();
        edits.iter().for_each(|edit| edit.apply(&mut file));
        check_der(&file);
    }
    Case::Tree { key, is_public, edits, columns } => {
        let good = tree(key, is_public);
        let mut changed = good.clone();
        for edit in &edits {
            edit.apply(&mut changed, &GRAFTS);
            if changed.write().len() > 10_000 {
                break;
            }
        }
        let read = check_der(&changed.write());
        if let Some(columns) = columns {
            for label in
                ["PRIVATE KEY", "PUBLIC KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY", "RSA PUBLIC KEY", "CERTIFICATE"]
            {
                signing::check(pem(label, &changed.write(), columns).as_bytes());
            }
        }
        if changed == *good {
            check_good(key, is_public, &read);
        }
    }
    Case::Jwk { key, is_public, changes } => {
        let good = members(key, is_public);
        let mut changed = good.clone();
        changes.iter().for_each(|change| change.apply(&mut changed));
        let read = signing::check(json!(changed).to_string().as_bytes());
        check_jwk(&changed, &read);
        if changed == good {
            assert_eq!((read.private.is_ok(), read.public.is_ok()), (!is_public, is_public));
        }
    }
});

/// What is read is DER, with nothing behind it, and what is read of a public key is written as it was.
fn check_der(file: &[u8]) -> signing::Read {
    let read = signing::check(file);
    if KeyForm::of(file) != Some(KeyForm::Der) || (read.private.is_err() && read.public.is_err()) {
        return read;
    }
    let longer = signing::check(&[file, b"\0"].concat());
    assert!(longer.private.is_err() && longer.public.is_err(), "a byte behind it");
    if let Some(tree) = Node::read(file) {
        assert_eq!(tree.write(), file);
    }
    read
}

fn check_good(key: u8, is_public: bool, read: &signing::Read) {
    let key = signing::key(key);
    match (&read.private, &read.public) {
        (Ok(private), _) => assert_eq!((private.kind(), private.to_bytes()), (key.kind(), key.to_bytes())),
        (_, Ok(public)) => assert_eq!(*public, key.public_key()),
        (Err(error), _) => panic!("a good key: {error}"),
    }
    assert_eq!(read.public.is_ok(), is_public);
}

/// Each value that is read has one text, and nothing says that the key is for something else.
fn check_jwk(object: &Map<String, Value>, read: &signing::Read) {
    let written = match (&read.private, &read.public) {
        (Ok(key), _) => key.to_jwk().expect("it was one").to_string(),
        (_, Ok(key)) => key.to_jwk().expect("it was one"),
        _ => return,
    };
    let written: Map<String, Value> = serde_json::from_str(&written).expect("JSON is written");
    for (name, value) in &written {
        assert_eq!(object.get(name), Some(value), "{name}");
    }
    let encrypts = |one: &Value| {
        ["encrypt", "decrypt", "wrapKey", "unwrapKey", "deriveKey", "deriveBits"].iter().any(|word| one == word)
    };
    assert!(object.get("use").is_none_or(|usage| usage != "enc"), "a key for encryption");
    assert!(!object.get("key_ops").and_then(Value::as_array).is_some_and(|all| all.iter().any(encrypts)));
    let is_there = |name: &str| object.get(name).is_some_and(|value| !value.is_null());
    assert!(read.public.is_err() || !is_there("d") && !is_there("priv"), "a secret is read as public");
}

impl Change<'_> {
    fn apply(&self, members: &mut Map<String, Value>) {
        let name = |at: &u8| NAMES[usize::from(*at) % NAMES.len()].to_owned();
        let word = |at: &u8| json!(WORDS[usize::from(*at) % WORDS.len()]);
        let nth = |members: &Map<String, Value>, at: &u8| {
            members.keys().nth(usize::from(*at) % members.len().max(1)).cloned()
        };
        let (key, value) = match self {
            Self::Word { name: at, word: value } => (name(at), word(value)),
            Self::Text { name: at, text } => (name(at), json!(text)),
            Self::Number { name: at, number } => (name(at), json!(number)),
            Self::Words { name: at, words } => (name(at), words.iter().map(word).collect()),
            Self::Graft { at, key, from } => {
                let other = self::members(*key, false);
                let from = nth(&other, from).expect("signing_keys: it has members");
                (nth(members, at).unwrap_or_else(|| from.clone()), other[&from].clone())
            }
            Self::Remove { at } | Self::Rename { at, .. } | Self::Damage { at, .. } => {
                let Some(old) = nth(members, at) else { return };
                let value = members.remove(&old).expect("signing_keys: it is there");
                match (self, value) {
                    (Self::Remove { .. }, _) => return,
                    (Self::Rename { name: new, .. }, value) => (name(new), value),
                    (Self::Damage { edit, .. }, Value::String(text)) => {
                        let mut bytes = text.into_bytes();
                        edit.apply(&mut bytes);
                        (old, json!(String::from_utf8_lossy(&bytes)))
                    }
                    (_, value) => (old, value),
                }
            }
        };
        members.insert(key, value);
    }
}
