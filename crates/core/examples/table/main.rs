//! Prints what is the same in every language: error codes, names, numbers and lengths, into the files that repeat them.
//!
//! `cargo run -p sealstone --example table -- write` writes the files, and `-- check` fails where one differs (`make generate`,
//! `make check`).

mod errors;

use sealstone::chunked::CHUNK_LEN;
use sealstone::encoding::{self, Encoding};
use sealstone::hazmat::{ccm, cipher, legacy, wrap};
use sealstone::kdf::Cost;
use sealstone::{
    Error, Identity, KeyForm, Kind, Profile, Suite, aead, exchange, hash, interop::yuants, mac, random, sign, sm2,
};
use serde::Serialize;
use std::fmt::{Display, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let guide = root.join("docs/guide/keys.md");
    let files = [
        (root.join("bindings/table.json"), json()),
        (root.join("bindings/js/src/basics/table.ts"), typescript()),
        (root.join("bindings/python/python/sealstone/_names.py"), python()),
        (root.join("bindings/python/python/sealstone/errors.py"), errors::python(GENERATED)),
        (guide.clone(), spliced(&read(&guide), &[("kinds", kinds()), ("forms", forms())])),
    ];
    let differ: Vec<_> = files.into_iter().filter(|(path, content)| read(path) != *content).collect();
    match std::env::args().nth(1).as_deref() {
        Some("write") => {
            for (path, content) in differ {
                std::fs::write(&path, content).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                println!("table: wrote {}", shown(&path));
            }
            ExitCode::SUCCESS
        }
        Some("check") => {
            for (path, _) in &differ {
                eprintln!("table: {} is not what core prints; run `make generate`", shown(path));
            }
            if differ.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        _ => {
            eprintln!("usage: table write|check");
            ExitCode::FAILURE
        }
    }
}

/// Empty when there is none.
fn read(path: &PathBuf) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().rsplit_once("../").map_or_else(String::new, |(_, name)| name.to_owned())
}

/// The table for other languages.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Table {
    generated: &'static str,
    error_codes: Vec<&'static str>,
    kinds: Vec<KindRow>,
    key_forms: Vec<&'static str>,
    suites: Vec<SuiteRow>,
    profiles: Vec<&'static str>,
    aeads: Vec<AeadRow>,
    hashes: Vec<HashRow>,
    macs: Vec<MacRow>,
    ciphers: Vec<CipherRow>,
    legacy_ciphers: Vec<LegacyCipherRow>,
    key_wraps: Vec<KeyRow>,
    ccms: Vec<KeyRow>,
    sign_kinds: Vec<SignKindRow>,
    exchange_kinds: Vec<ExchangeKindRow>,
    encodings: Vec<&'static str>,
    sm2_forms: Vec<&'static str>,
    yuants_formats: Vec<&'static str>,
    lengths: Lengths,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct KindRow {
    name: &'static str,
    description: &'static str,
    is_default: bool,
    is_post_quantum: Option<bool>,
    is_generated: bool,
    takes_messages: bool,
    public_len: Option<usize>,
    private_len: Option<usize>,
    forms: Vec<&'static str>,
    /// Of the suites that take it.
    stanzas: Vec<StanzaRow>,
    profiles: Vec<&'static str>,
}

#[derive(Serialize)]
struct StanzaRow {
    suite: &'static str,
    id: u16,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SuiteRow {
    name: &'static str,
    id: u8,
    key_len: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AeadRow {
    name: &'static str,
    key_len: usize,
    nonce_len: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HashRow {
    name: &'static str,
    digest_len: usize,
    spellings: &'static [&'static str],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MacRow {
    name: &'static str,
    tag_len: usize,
    key_len: Option<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CipherRow {
    name: &'static str,
    key_len: usize,
    iv_len: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LegacyCipherRow {
    name: &'static str,
    key_len_min: usize,
    key_len_max: usize,
    iv_len: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct KeyRow {
    name: &'static str,
    key_len: usize,
}

/// Without lengths of RSA, whose keys have any.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SignKindRow {
    name: &'static str,
    description: &'static str,
    is_post_quantum: bool,
    public_len: Option<usize>,
    private_len: Option<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ExchangeKindRow {
    name: &'static str,
    public_len: usize,
    private_len: usize,
    /// Of the kinds that encapsulate.
    ciphertext_len: Option<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Lengths {
    aead_tag: usize,
    cipher_block: usize,
    chunk: usize,
    sm2_signature: usize,
}

const GENERATED: &str = "by `make generate`, from crates/core (examples/table); do not edit";

fn json() -> String {
    let table = Table {
        generated: GENERATED,
        error_codes: Error::CODES.to_vec(),
        kinds: Kind::ALL.map(kind_row).into(),
        key_forms: KeyForm::ALL.map(KeyForm::name).into(),
        suites: Suite::ALL
            .map(|suite| SuiteRow { name: suite.name(), id: suite.id(), key_len: suite.key_len() })
            .into(),
        profiles: Profile::ALL.map(Profile::name).into(),
        aeads: aead::Algorithm::ALL
            .map(|aead| AeadRow { name: aead.name(), key_len: aead.key_len(), nonce_len: aead.nonce_len() })
            .into(),
        hashes: hash::Algorithm::ALL
            .map(|hash| HashRow { name: hash.name(), digest_len: hash.digest_len(), spellings: hash.spellings() })
            .into(),
        macs: mac::Algorithm::ALL
            .map(|mac| MacRow { name: mac.name(), tag_len: mac.tag_len(), key_len: mac.key_len() })
            .into(),
        ciphers: cipher::Algorithm::ALL
            .map(|mode| CipherRow { name: mode.name(), key_len: mode.key_len(), iv_len: mode.iv_len() })
            .into(),
        legacy_ciphers: legacy::Algorithm::ALL
            .map(|old| LegacyCipherRow {
                name: old.name(),
                key_len_min: *old.key_lens().start(),
                key_len_max: *old.key_lens().end(),
                iv_len: old.iv_len(),
            })
            .into(),
        key_wraps: wrap::Algorithm::ALL.map(|wrap| KeyRow { name: wrap.name(), key_len: wrap.key_len() }).into(),
        ccms: ccm::Algorithm::ALL.map(|ccm| KeyRow { name: ccm.name(), key_len: ccm.key_len() }).into(),
        sign_kinds: sign::Kind::ALL.map(sign_kind_row).into(),
        exchange_kinds: exchange::Kind::ALL.map(exchange_kind_row).into(),
        encodings: Encoding::ALL.map(Encoding::name).into(),
        sm2_forms: sm2::Form::ALL.map(sm2::Form::name).into(),
        yuants_formats: yuants::Format::ALL.map(yuants::Format::name).into(),
        lengths: Lengths {
            aead_tag: aead::TAG_LEN,
            cipher_block: cipher::BLOCK_LEN,
            chunk: CHUNK_LEN,
            sm2_signature: sm2::SIGNATURE_LEN,
        },
    };
    serde_json::to_string_pretty(&table).expect("table: it is JSON") + "\n"
}

fn kind_row(kind: Kind) -> KindRow {
    let stanza = |suite: Suite| Some(StanzaRow { suite: suite.name(), id: kind.stanza_id(suite)? });
    let profiles = Profile::ALL.into_iter().filter(|profile| profile.check_kind(kind).is_ok());
    KindRow {
        name: kind.name(),
        description: kind.description(),
        is_default: kind == Kind::default(),
        is_post_quantum: kind.is_post_quantum(),
        is_generated: kind.is_generated(),
        takes_messages: kind.takes_messages(),
        public_len: kind.public_len(),
        private_len: kind.private_len(),
        forms: KeyForm::ALL.into_iter().filter(|form| kind.has_form(*form)).map(KeyForm::name).collect(),
        stanzas: Suite::ALL.into_iter().filter_map(stanza).collect(),
        profiles: profiles.map(Profile::name).collect(),
    }
}

fn sign_kind_row(kind: sign::Kind) -> SignKindRow {
    SignKindRow {
        name: kind.name(),
        description: kind.description(),
        is_post_quantum: kind.is_post_quantum(),
        public_len: kind.public_len(),
        private_len: kind.private_len(),
    }
}

fn exchange_kind_row(kind: exchange::Kind) -> ExchangeKindRow {
    ExchangeKindRow {
        name: kind.name(),
        public_len: kind.public_key_len(),
        private_len: kind.private_key_len(),
        ciphertext_len: kind.ciphertext_len(),
    }
}

/// The types of key pairs for applications: of each the name, what it says, and its members.
fn pairs() -> [(&'static str, String, Vec<String>); 5] {
    let kinds = sign::Kind::ALL.map(|kind| format!("- `{kind}`: {}", kind.description())).join("\n");
    let exchanging = "The kinds of key pairs that two sides share secrets by: curves, whose keys agree, and ML-KEM and `hybrid`, \
                      which is\nML-KEM-768 and X25519 together, to which secrets are encapsulated.";
    [
        ("SignKind", format!("The kinds of keys that sign:\n\n{kinds}"), names(sign::Kind::ALL)),
        ("SignatureHash", "The hash of the message for ECDSA and RSA.".to_owned(), names(sign::Hash::ALL)),
        (
            "SignatureEncoding",
            "How the two numbers of a signature are written: as DER, or r and s one behind the other.".to_owned(),
            names(sign::Encoding::ALL),
        ),
        ("SignScheme", "How RSA pads a digest.".to_owned(), names(sign::Scheme::ALL)),
        ("ExchangeKind", exchanging.to_owned(), names(exchange::Kind::ALL)),
    ]
}

/// What the npm package's own modules export again.
fn typescript() -> String {
    let mut text = format!("// Generated {GENERATED}.\n");
    for (name, doc, names) in types() {
        write!(text, "\n{}export type {name} ={}\n", comment(&doc), union(name, &names)).expect("table: memory");
    }
    text + &constants()
}

/// The names as types of Python's.
fn python() -> String {
    let mut text = format!(
        "\"\"\"Names of algorithms, as types. Generated {GENERATED}.\"\"\"\n\nfrom typing import Literal, TypeAlias\n"
    );
    for (name, _, names) in types() {
        write!(text, "\n{name}: TypeAlias = Literal[\n").expect("table: memory");
        for name in names {
            writeln!(text, "    \"{name}\",").expect("table: memory");
        }
        text.push_str("]\n");
    }
    text
}

/// Types of names: each with what it is, and the names.
fn types() -> Vec<(&'static str, String, Vec<String>)> {
    let kinds = Kind::ALL.map(|kind| format!("- `{kind}`: {}", kind.description())).join("\n");
    [
        ("CoreErrorCode", "The error codes of the core.".to_owned(), Error::CODES.map(str::to_owned).to_vec()),
        ("Kind", format!("The kinds of keys:\n\n{kinds}"), names(Kind::ALL)),
        (
            "KeyForm",
            "The text and binary forms of a key: `age` is its string (PEM for kinds without one), `der` PKCS#8 or \
             SubjectPublicKeyInfo,\n`hex` the bare digits of `sm2` keys."
                .to_owned(),
            names(KeyForm::ALL),
        ),
        (
            "Suite",
            "The suites: `aes-256-gcm`, the default; `chacha20-poly1305`; and `sm4-gcm`, the default for `sm2` recipients."
                .to_owned(),
            names(Suite::ALL),
        ),
        ("Profile", "What an organisation allows; everything else is refused.".to_owned(), names(Profile::ALL)),
        (
            "AeadAlgorithm",
            format!(
                "The algorithms, with tags of {} bytes, and nonces of {} for `xchacha20-poly1305` and {} for the others.",
                aead::TAG_LEN,
                aead::Algorithm::XChaCha20Poly1305.nonce_len(),
                aead::Algorithm::ChaCha20Poly1305.nonce_len(),
            ),
            names(aead::Algorithm::ALL),
        ),
        (
            "HashAlgorithm",
            "The hash functions: `shake128`, `shake256` and `blake3` have digests of any length, `blake2b` one of 512 bits and \
             `blake2s` one of 256; Keccak is that of before FIPS 202. {@link LegacyHashAlgorithm} has those that are broken."
                .to_owned(),
            names(hash::Algorithm::ALL),
        ),
        (
            "LegacyHashAlgorithm",
            "Hash functions for old data alone: anyone can make two inputs with one digest.".to_owned(),
            names(hash::Algorithm::ALL.into_iter().filter(|hash| hash.is_broken())),
        ),
        (
            "MacAlgorithm",
            "Message authentication codes: HMAC over each {@link HmacHash}, BLAKE2b and BLAKE3 in their own modes with a key, AES-CMAC \
             and KMAC256."
                .to_owned(),
            names(mac::Algorithm::ALL),
        ),
        (
            "HmacHash",
            "The hash functions that HMAC, HKDF and PBKDF2 are over: all but SHAKE.".to_owned(),
            names(mac::Algorithm::ALL.into_iter().filter_map(mac::Algorithm::hash)),
        ),
        (
            "CipherAlgorithm",
            "A block cipher in a mode. `sm4-xts` follows GB/T 17964, `sm4-xts-ieee` IEEE 1619.".to_owned(),
            names(cipher::Algorithm::ALL),
        ),
        (
            "LegacyCipherAlgorithm",
            "Ciphers that are broken, for old data alone.".to_owned(),
            names(legacy::Algorithm::ALL),
        ),
        (
            "KeyWrapAlgorithm",
            "AES key wrap: `kw` of RFC 3394, and `kwp`, with padding, of RFC 5649.".to_owned(),
            names(wrap::Algorithm::ALL),
        ),
        ("CcmAlgorithm", "AES-CCM, with all its lengths of nonces and tags.".to_owned(), names(ccm::Algorithm::ALL)),
        ("YuantsFormat", "How data of yuants is laid out.".to_owned(), names(yuants::Format::ALL)),
        (
            "Encoding",
            "How bytes become text: `hex` in lower case; `base64` and `base32` with padding, `base64url` without (RFC 4648); and \
             `base58` with\nBitcoin's alphabet, of up to 4,096 bytes."
                .to_owned(),
            names(Encoding::ALL),
        ),
    ]
    .into_iter()
    .chain(pairs())
    .collect()
}

/// Numbers and texts among what [`typescript`] is.
fn constants() -> String {
    let mut text = String::new();
    for (name, doc, len) in [
        ("BLOCK_LEN", "Bytes of a block, of every cipher in a mode.", cipher::BLOCK_LEN),
        ("CHUNK_LEN", "Bytes of plaintext in each chunk of a file but the last, which has fewer.", CHUNK_LEN),
        ("BASE58_MAX_LEN", "The most bytes that Base58 takes.", encoding::BASE58_MAX_LEN),
        ("TEXT_MAX_LEN", "The most characters of a password, and words of a passphrase.", random::TEXT_MAX_LEN),
        ("PASSWORD_LEN", "Characters of a password by default.", random::PASSWORD_LEN),
        ("PASSPHRASE_WORDS", "Words of a passphrase by default.", random::PASSPHRASE_WORDS),
    ] {
        write!(text, "\n/** {doc} */\nexport const {name} = {len}\n").expect("table: memory");
    }
    let (Cost::Argon2 { memory_kib, passes, lanes, .. }, Cost::Scrypt { log_n, r, p }) = (Cost::ARGON2ID, Cost::SCRYPT)
    else {
        unreachable!("table: they are of these kinds")
    };
    for (name, doc, numbers) in [
        (
            "ARGON2_COST",
            "What Argon2 costs unless a caller says otherwise.",
            [("memoryKib", memory_kib), ("passes", passes), ("lanes", lanes)],
        ),
        ("SCRYPT_COST", "What scrypt costs likewise.", [("logN", log_n.into()), ("r", r), ("p", p)]),
    ] {
        let numbers = numbers.map(|(name, number)| format!("{name}: {number}")).join(", ");
        write!(text, "\n/** {doc} */\nexport const {name} = {{ {numbers} }} as const\n").expect("table: memory");
    }
    write!(text, "\n/** What passwords are drawn from by default. */\n").expect("table: memory");
    writeln!(text, "export const PASSWORD_ALPHABET = '{}'", random::PASSWORD_ALPHABET).expect("table: memory");
    text.push_str("\n/** The hash functions by their numbers. */\nexport const HASHES = [\n");
    for hash in hash::Algorithm::ALL {
        writeln!(text, "  '{hash}',").expect("table: memory");
    }
    text.push_str("] as const\n");
    let marks = sealstone::SECRET_MARKS.map(|mark| format!("'{mark}'")).join(", ");
    write!(text, "\n/** The marks of strings of secret keys. */\nexport const SECRET_MARKS = [{marks}] as const\n")
        .expect("table: memory");
    let kinds = sealstone::MemberKind::ALL.map(|kind| format!("'{kind}'")).join(", ");
    write!(
        text,
        "\n/** The kinds of an archive's members by their numbers. */\nexport const MEMBER_KINDS = [{kinds}] as const\n"
    )
    .expect("table: memory");
    text.push_str("\n/** Ciphers of old data. */\nexport const LEGACY_CIPHERS = [\n");
    for old in legacy::Algorithm::ALL {
        writeln!(text, "  '{old}',").expect("table: memory");
    }
    text.push_str("] as const\n");
    text.push_str("\n/** Bytes of a new key of each algorithm that takes one. */\nexport const KEY_LENGTHS = {\n");
    for (name, len) in key_lens() {
        let quote = if name.contains('-') { "'" } else { "" };
        writeln!(text, "  {quote}{name}{quote}: {len},").expect("table: memory");
    }
    text.push_str("} as const\n");
    text
}

/// Bytes of a new key of each algorithm.
fn key_lens() -> Vec<(&'static str, usize)> {
    macro_rules! families {
        ($($family:ident),+) => {
            [$($family::Algorithm::ALL.map(|one| (one.name(), one.generate_key().expect("table: randomness").len())).to_vec()),+]
                .concat()
        };
    }
    families!(aead, mac, cipher, ccm, wrap)
}

fn names(all: impl IntoIterator<Item = impl Display>) -> Vec<String> {
    all.into_iter().map(|name| name.to_string()).collect()
}

/// As a comment of TypeScript.
fn comment(doc: &str) -> String {
    if !doc.contains('\n') {
        return format!("/** {doc} */\n");
    }
    let lines: String = doc.lines().map(|line| format!(" * {line}").trim_end().to_owned() + "\n").collect();
    format!("/**\n{lines} */\n")
}

/// On one line where it fits, as Biome has it.
fn union(name: &str, names: &[String]) -> String {
    const COLUMNS: usize = 120;
    let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    let line = format!(" {}", quoted.join(" | "));
    if "export type  =".len() + name.len() + line.len() <= COLUMNS {
        return line;
    }
    quoted.iter().fold(String::new(), |text, name| text + "\n  | " + name)
}

/// The guide's table of kinds.
fn kinds() -> String {
    let mut table = "| kind | what it is | text form |\n|---|---|---|\n".to_owned();
    for kind in Kind::ALL.into_iter().filter(|kind| kind.is_generated()) {
        let identity = Identity::generate(kind).expect("table: randomness");
        let secret = identity.to_text().expect("table: it has a text form");
        let public = if kind.public_len().is_some() { identity.recipient().to_string() } else { secret.to_string() };
        // Bech32 has no 1 in what follows the last.
        let form = match public.rsplit_once('1') {
            Some((prefix, _)) if kind.has_form(KeyForm::Age) => format!("`{prefix}1…`"),
            _ => "PEM".to_owned(),
        };
        writeln!(table, "| `{kind}` | {} | {form} |", kind.description()).expect("table: memory");
    }
    table
}

/// The guide's table of forms.
fn forms() -> String {
    let mut table = "| form | kinds |\n|---|---|\n".to_owned();
    for form in KeyForm::ALL {
        let kinds = Kind::ALL.into_iter().filter(|kind| kind.has_form(form)).map(|kind| format!("`{kind}`"));
        writeln!(table, "| `{form}` | {} |", kinds.collect::<Vec<_>>().join(", ")).expect("table: memory");
    }
    table
}

/// A page with its tables, each between two comments that name it.
fn spliced(page: &str, tables: &[(&str, String)]) -> String {
    tables.iter().fold(page.to_owned(), |page, (name, table)| {
        let (begin, end) = (format!("<!-- {name}: make generate -->\n"), format!("<!-- end of {name} -->\n"));
        let (before, rest) = page.split_once(&begin).unwrap_or_else(|| panic!("table: the guide has no {begin}"));
        let (_, after) = rest.split_once(&end).unwrap_or_else(|| panic!("table: the guide has no {end}"));
        [before, &begin, table, &end, after].concat()
    })
}
