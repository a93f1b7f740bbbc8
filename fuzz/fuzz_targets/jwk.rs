//! JSON Web Keys: arbitrary text, good keys with edits, and objects of good, changed and strange members.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use sealstone::{Identity, KeyForm, Kind};
use sealstone_fuzz::Edit;
use sealstone_fuzz::keys::{FORMS, Read, check, text_of, texts};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::sync::LazyLock;

#[derive(Arbitrary, Debug)]
enum Case<'a> {
    File { file: &'a [u8] },
    Edited { key: u8, edits: Vec<Edit> },
    Members { key: u8, changes: Vec<Change<'a>>, mark: bool, pretty: bool, escape: u8 },
}

#[derive(Arbitrary, Debug)]
enum Change<'a> {
    Remove { at: u8 },
    Repeat { at: u8 },
    Swap { at: u8 },
    Rename { at: u8, name: u8 },
    Damage { at: u8, edit: Edit },
    Put { at: u8, member: Strange<'a> },
    Add { name: u8, member: Strange<'a> },
    Unknown { name: &'a str, member: Strange<'a> },
}

#[derive(Arbitrary, Debug)]
enum Strange<'a> {
    /// A value of another key.
    Of {
        key: u8,
        at: u8,
    },
    Word {
        word: u8,
    },
    Text {
        text: &'a str,
    },
    Words {
        words: Vec<u8>,
    },
    Number {
        number: i64,
    },
    Null,
    Nested {
        depth: u8,
    },
}

const NAMES: [&str; 11] = ["kty", "crv", "x", "y", "d", "use", "alg", "key_ops", "keys", "kid", "x5t"];
/// Of [`NAMES`]: those that may not be there twice, and those that a reader looks at.
const UNIQUE: usize = 8;
const JUDGED: usize = 9;
const WORDS: [&str; 15] = [
    "EC",
    "OKP",
    "P-256",
    "X25519",
    "sig",
    "enc",
    "sign",
    "verify",
    "deriveKey",
    "deriveBits",
    "Ed25519",
    "P-384",
    "ES256",
    "ECDH-ES+A256KW",
    "HPKE-0",
];

/// A good JWK, and the text of its key.
struct Good {
    jwk: String,
    text: String,
    secret: bool,
}

static GOOD: LazyLock<Vec<Good>> = LazyLock::new(|| {
    let mut texts = HashSet::new();
    let keys = FORMS.iter().filter(|form| form.label == "PRIVATE KEY" && texts.insert(&form.text));
    let keys = keys.map(|form| {
        let found = sealstone::parse_identities(form.tree.write(), None).expect("jwk: a good key");
        <[Identity; 1]>::try_from(found).ok().map(|[one]| one).expect("jwk: one key")
    });
    keys.filter(|key| matches!(key.kind(), Kind::P256 | Kind::X25519))
        .flat_map(|key| {
            let recipient = key.recipient();
            let public = recipient.to_jwk().expect("jwk: the kind has one");
            let private = key.to_jwk().expect("jwk: the kind has one").to_string();
            [
                Good { jwk: private, text: text_of(&key), secret: true },
                Good { jwk: public, text: recipient.to_string(), secret: false },
            ]
        })
        .collect()
});

type Member = (String, Value);

fn good(at: u8) -> &'static Good {
    &GOOD[usize::from(at) % GOOD.len()]
}

fn members(good: &Good) -> Vec<Member> {
    let object: Map<String, Value> = serde_json::from_str(&good.jwk).expect("jwk: JSON is written");
    object.into_iter().collect()
}

fuzz_target!(|case: Case<'_>| match case {
    Case::File { file } => drop(check_jwk(file)),
    Case::Edited { key, edits } => {
        let mut file = good(key).jwk.clone().into_bytes();
        edits.iter().for_each(|edit| edit.apply(&mut file));
        let read = check_jwk(&file);
        if file == good(key).jwk.as_bytes() {
            check_good(good(key), &read);
        }
    }
    Case::Members { key, changes, mark, pretty, escape } => {
        let mut list = members(good(key));
        changes.iter().for_each(|change| change.apply(&mut list));
        let text = write(&list, pretty, escape);
        let text = if mark { format!("\u{feff}{text}") } else { text };
        let read = check_jwk(text.as_bytes());
        if list.iter().any(|(name, _)| NAMES[..UNIQUE].contains(&&name[..]) && times(&list, name) > 1) {
            assert!(read.identities.is_err() && read.recipients.is_err(), "a member that is there twice");
        }
        check_members(key, &list, &read);
    }
});

fn times(list: &[Member], name: &str) -> usize {
    list.iter().filter(|(other, _)| other == name).count()
}

/// What was read is what was written there: each value has one text.
fn check_jwk(file: &[u8]) -> Read {
    let read = check(file);
    let written = match (&read.identities, &read.recipients) {
        (Ok(found), _) => found[0].to_jwk().map(|jwk| jwk.to_string()),
        (_, Ok(found)) => found[0].to_jwk(),
        _ => return read,
    };
    let text = std::str::from_utf8(file).unwrap_or_default();
    assert!(!text.is_empty() || KeyForm::of(file) != Some(KeyForm::Jwk), "a JWK that is not UTF-8");
    if let Ok(Value::Object(object)) = serde_json::from_str(text.trim_start_matches('\u{feff}')) {
        let written: Map<String, Value> = serde_json::from_str(&written.expect("it has one")).expect("JSON is written");
        for (name, value) in &written {
            assert_eq!(object.get(name), Some(value), "{name}");
        }
        let signs = |one: &Value| one == "sign" || one == "verify";
        let encrypts = |alg: &str| alg.starts_with("ECDH-ES") || alg.starts_with("HPKE");
        let operations = object.get("key_ops").and_then(Value::as_array);
        assert!(object.get("alg").and_then(Value::as_str).is_none_or(encrypts), "a key for another algorithm");
        assert!(object.get("use").is_none_or(|usage| usage != "sig"), "a key for signatures");
        assert!(!operations.is_some_and(|all| all.iter().any(signs)), "a key for signatures");
    }
    read
}

fn check_good(good: &Good, read: &Read) {
    let (found, jwk) = match (&read.identities, &read.recipients) {
        (Ok(found), _) => (texts(found), found[0].to_jwk().map(|jwk| jwk.to_string())),
        (_, Ok(found)) => (vec![found[0].to_string()], found[0].to_jwk()),
        (Err(error), _) => panic!("a good JWK: {error}"),
    };
    assert_eq!(found, [&good.text[..]]);
    assert_eq!(jwk.expect("it has one"), good.jwk);
    assert_eq!(read.identities.is_ok(), good.secret);
}

/// A good key with members that nobody looks at stays what it is, in any order.
fn check_members(key: u8, list: &[Member], read: &Read) {
    let own = members(good(key));
    let is_own = own.iter().all(|member| list.contains(member));
    let is_harmless =
        |(name, _): &Member| own.iter().any(|(other, _)| other == name) || !NAMES[..JUDGED].contains(&&name[..]);
    let is_once = list.iter().all(|(name, _)| times(list, name) == 1);
    if is_own && is_once && list.iter().all(is_harmless) {
        check_good(good(key), read);
    }
}

/// `escape` characters of each string are written as \u escapes.
fn write(list: &[Member], pretty: bool, escape: u8) -> String {
    let [space, line] = if pretty { [" ", "\r\n\t "] } else { ["", ""] };
    let string = |text: &str| {
        let at = text.char_indices().nth(escape.into()).map_or(text.len(), |(at, _)| at);
        let (escaped, rest) = text.split_at(at);
        let escaped: String = escaped.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
        format!("\"{escaped}{}", &json!(rest).to_string()[1..])
    };
    let members = list.iter().map(|(name, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), string);
        format!("{line}{}{space}:{space}{value}", string(name))
    });
    format!("{{{}{line}}}", members.collect::<Vec<_>>().join(","))
}

impl Change<'_> {
    fn apply(&self, list: &mut Vec<Member>) {
        let name = |name: &u8| NAMES[usize::from(*name) % NAMES.len()].to_owned();
        match self {
            Self::Add { name: at, member } => return list.push((name(at), member.value())),
            Self::Unknown { name, member } => return list.push(((*name).to_owned(), member.value())),
            _ if list.is_empty() || list.len() > 40 => return,
            _ => {}
        }
        let len = list.len();
        let index = |at: &u8| usize::from(*at) % len;
        match self {
            Self::Remove { at } => drop(list.remove(index(at))),
            Self::Repeat { at } => list.push(list[index(at)].clone()),
            Self::Swap { at } => list.swap(index(at), (index(at) + 1) % len),
            Self::Rename { at, name: other } => list[index(at)].0 = name(other),
            Self::Damage { at, edit } => {
                if let Value::String(text) = &mut list[index(at)].1 {
                    let mut bytes = std::mem::take(text).into_bytes();
                    edit.apply(&mut bytes);
                    *text = String::from_utf8_lossy(&bytes).into_owned();
                }
            }
            Self::Put { at, member } => list[index(at)].1 = member.value(),
            Self::Add { .. } | Self::Unknown { .. } => unreachable!("jwk: done above"),
        }
    }
}

impl Strange<'_> {
    fn value(&self) -> Value {
        let word = |word: &u8| json!(WORDS[usize::from(*word) % WORDS.len()]);
        match self {
            Self::Of { key, at } => {
                let members = members(good(*key));
                members[usize::from(*at) % members.len()].1.clone()
            }
            Self::Word { word: at } => word(at),
            Self::Text { text } => json!(text),
            Self::Words { words } => words.iter().map(word).collect(),
            Self::Number { number } => json!(number),
            Self::Null => Value::Null,
            Self::Nested { depth } => (0..*depth).fold(json!([]), |value, _| Value::Array(vec![value])),
        }
    }
}
