//! Good keys in every form, and what holds for every file that is read as keys (format section 12).

use crate::der::{self, BIT_STRING, INTEGER, Node, OBJECT_IDENTIFIER, OCTET_STRING, SEQUENCE, bit_string, integer};
use crate::der::{node, nodes, sequence};
use crate::{identities, lines};
use arbitrary::Arbitrary;
use data_encoding::{BASE64, BASE64URL_NOPAD, HEXLOWER};
use ml_kem::{DecapsulationKey, MlKem768};
use pkcs5::der::Encode;
use pkcs5::pbes2::{EncryptionScheme, Kdf, Parameters, Pbkdf2Params, Pbkdf2Prf, ScryptParams};
use sealstone::{Error, Identity, KeyFileError, KeyForm, Kind, Passphrase, Recipient};
use sealstone::{is_recipient_file, parse_identities, parse_recipients, protect_identities};
use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::LazyLock;

/// The labels that readers take. [`FORMS`] has the first four; each says which half is behind it, and no more (section 12.3).
pub const LABELS: [&str; 7] = [
    "PRIVATE KEY",
    "ENCRYPTED PRIVATE KEY",
    "EC PRIVATE KEY",
    "PUBLIC KEY",
    "SM2 PRIVATE KEY",
    "RSA PRIVATE KEY",
    "RSA PUBLIC KEY",
];

/// What everything encrypted here is encrypted with.
pub static PASSPHRASE: LazyLock<Passphrase> = LazyLock::new(|| Passphrase::new("pass").expect("keys: a passphrase"));

/// The object identifiers of the keys in [`FORMS`].
pub const NAMES: [&[u8]; 5] = [EC_PUBLIC_KEY, PRIME256V1, SM2P256V1, X25519, ML_KEM_768];
const EC_PUBLIC_KEY: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1];
const PRIME256V1: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7];
const SM2P256V1: &[u8] = &[0x2a, 0x81, 0x1c, 0xcf, 0x55, 1, 0x82, 0x2d];
const X25519: &[u8] = &[0x2b, 0x65, 0x6e];
const ML_KEM_768: &[u8] = &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 4, 2];
const PBES2: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 5, 13];
const PBKDF2: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 5, 12];
const SCRYPT: &[u8] = &[0x2b, 6, 1, 4, 1, 0xda, 0x47, 4, 11];

/// A good key in one of its forms.
pub struct Form {
    pub tree: Node,
    /// The label that is written, of [`LABELS`].
    pub label: &'static str,
    /// As [`text_of`] has it, or the text of the recipient.
    pub text: String,
    /// Whether this is how the core writes it.
    pub is_written: bool,
}

/// Two keys of each kind that has PEM, in every form that is read.
pub static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let own = |at: usize| &identities()[at];
    let p256 = [ecc(PRIME256V1), own(0).clone()];
    let sm2 = [ecc(SM2P256V1), own(2).clone()];
    let ml_kem = [one(pkcs8(ml_kem_id(), node(0x80, &[7; 64]))), own(1).clone()];
    let x25519 = [one(pkcs8(x25519_id(), node(OCTET_STRING, &[7; 32]))), own(3).clone()];
    let mut forms = Vec::new();
    for identity in p256.into_iter().chain(sm2).chain(ml_kem).chain(x25519) {
        forms.extend(forms_of(&identity));
    }
    forms
});

/// The trees of [`FORMS`].
pub static TREES: LazyLock<Vec<Node>> = LazyLock::new(|| FORMS.iter().map(|form| form.tree.clone()).collect());

pub fn form(at: u8) -> &'static Form {
    &FORMS[usize::from(at) % FORMS.len()]
}

/// Whether the private half is behind a label.
pub fn is_private(label: &str) -> bool {
    label.ends_with("PRIVATE KEY")
}

fn ecc_id(curve: &[u8]) -> Node {
    sequence([node(OBJECT_IDENTIFIER, EC_PUBLIC_KEY), node(OBJECT_IDENTIFIER, curve)])
}

fn ml_kem_id() -> Node {
    sequence([node(OBJECT_IDENTIFIER, ML_KEM_768)])
}

fn x25519_id() -> Node {
    sequence([node(OBJECT_IDENTIFIER, X25519)])
}

fn pkcs8(id: Node, inner: Node) -> Node {
    sequence([integer(0), id, nodes(OCTET_STRING, [inner])])
}

/// SEC1, with the curve and a public key where they are given.
fn sec1(secret: &[u8], curve: Option<&[u8]>, public: Option<&[u8]>) -> Node {
    let curve = curve.map(|curve| nodes(0xa0, [node(OBJECT_IDENTIFIER, curve)]));
    let public = public.map(|public| nodes(0xa1, [bit_string(public)]));
    let parts = [Some(integer(1)), Some(node(OCTET_STRING, secret)), curve, public];
    sequence(parts.into_iter().flatten().collect::<Vec<_>>())
}

fn ecc(curve: &[u8]) -> Identity {
    one(sec1(&[7; 32], Some(curve), None))
}

fn one(tree: Node) -> Identity {
    let found = parse_identities(tree.write(), None).expect("keys: a good key");
    <[Identity; 1]>::try_from(found).ok().map(|[one]| one).expect("keys: DER holds one key")
}

fn forms_of(identity: &Identity) -> Vec<Form> {
    let written = Node::read(&identity.to_der(None).expect("keys: the kind has DER")).expect("keys: DER is written");
    let public = identity.recipient().to_der().expect("keys: the kind has DER");
    let public = Node::read(&public).expect("keys: DER is written");
    let point = public.at(&[1], BIT_STRING).expect("keys: a public key").bytes()[1..].to_vec();
    let inner = written.at(&[2], OCTET_STRING).expect("keys: a private key").clone();
    let id = written.at(&[1], SEQUENCE).expect("keys: an algorithm").clone();
    let with_public = |version: u128| {
        let public = node(0x81, &[&[0], &point[..]].concat());
        sequence([integer(version), id.clone(), inner.clone(), public])
    };
    let mut private = vec![written.clone(), with_public(1)];
    let mut ec = Vec::new();
    match identity.kind() {
        kind @ (Kind::P256 | Kind::Sm2) => {
            let curve = if kind == Kind::P256 { PRIME256V1 } else { SM2P256V1 };
            let secret = written.at(&[2, 0, 1], OCTET_STRING).expect("keys: a scalar").bytes();
            let compressed = [&[2 | point[64] & 1], &point[1..33]].concat();
            private.push(pkcs8(ecc_id(curve), sec1(&secret, Some(curve), Some(&compressed))));
            private.push(pkcs8(ecc_id(curve), sec1(&secret, None, None)));
            ec.push(sec1(&secret, Some(curve), None));
            ec.push(sec1(&secret, Some(curve), Some(&point)));
        }
        Kind::MlKem768 => {
            let seed = written.at(&[2, 0], 0x80).expect("keys: a seed").bytes();
            let both = sequence([node(OCTET_STRING, &seed), node(OCTET_STRING, &expand(&seed))]);
            private.push(pkcs8(ml_kem_id(), both));
        }
        _ => {}
    }
    let text = text_of(identity);
    let form = |label: &'static str, tree: Node| {
        let is_written = tree == written;
        Form { tree, label, text: text.clone(), is_written }
    };
    let scheme = Scheme { cipher: 2, kdf: Derivation::Pbkdf2 { prf: 2, iterations: 0 }, ..Scheme::default() };
    let scrypt = Scheme { cipher: 0, kdf: Derivation::Scrypt { log_n: 0, r: 0, p: 0 }, ..Scheme::default() };
    let encrypted = [scheme, scrypt].map(|scheme| form(LABELS[1], scheme.encrypt(&written.write())));
    let spki = Form { tree: public, label: LABELS[3], text: identity.recipient().to_string(), is_written: true };
    let private = private.into_iter().map(|tree| form(LABELS[0], tree));
    private.chain(ec.into_iter().map(|tree| form(LABELS[2], tree))).chain(encrypted).chain([spki]).collect()
}

fn expand(seed: &[u8]) -> Vec<u8> {
    let key = DecapsulationKey::<MlKem768>::from_seed(seed.try_into().expect("keys: a seed has 64 bytes"));
    #[expect(deprecated, reason = "there is no other name for it")]
    let expanded = ml_kem::ExpandedKeyEncoding::to_expanded_bytes(&key);
    expanded.to_vec()
}

/// Whatever stands beside a private key that was read, and follows from it, is its own.
pub fn check_agreement(tree: &Node, identity: &Identity) {
    let public = Node::read(&identity.recipient().to_der().expect("it has DER")).expect("DER is written");
    let point = public.at(&[1], BIT_STRING).expect("it has a public key").bytes();
    let compressed = match identity.kind() {
        Kind::P256 | Kind::Sm2 => [&[0, 2 | point[65] & 1], &point[2..34]].concat(),
        _ => point.clone(),
    };
    // Behind the attributes, if there are any; in SEC1, alone or in PKCS#8.
    let places = [(&[3][..], 0x81), (&[4], 0x81), (&[2, 0], BIT_STRING), (&[3, 0], BIT_STRING)];
    let inner = places.into_iter().chain([(&[2, 0, 2, 0][..], BIT_STRING), (&[2, 0, 3, 0], BIT_STRING)]);
    for found in inner.filter_map(|(path, tag)| tree.at(path, tag)) {
        assert!([&point, &compressed].contains(&&found.bytes()), "a public key of another");
    }
    if let [Some(seed), Some(expanded)] = [0, 1].map(|at| tree.at(&[2, 0, at], OCTET_STRING)) {
        assert_eq!(expanded.bytes(), expand(&seed.bytes()), "another key than the seed's");
    }
}

/// How something is encrypted, at a cost that the fuzzer can pay.
#[derive(Arbitrary, Clone, Debug, Default)]
pub struct Scheme {
    pub cipher: u8,
    pub kdf: Derivation,
    pub salt: Vec<u8>,
    pub iv: [u8; 16],
    pub states_len: bool,
}

#[derive(Arbitrary, Clone, Debug)]
pub enum Derivation {
    Pbkdf2 { prf: u8, iterations: u8 },
    Scrypt { log_n: u8, r: u8, p: u8 },
}

impl Default for Derivation {
    fn default() -> Self {
        Self::Pbkdf2 { prf: 0, iterations: 0 }
    }
}

impl Scheme {
    /// EncryptedPrivateKeyInfo around any bytes, with [`PASSPHRASE`], by another implementation than the core's.
    pub fn encrypt(&self, plaintext: &[u8]) -> Node {
        let iv = self.iv;
        let (encryption, len) = match self.cipher % 3 {
            0 => (EncryptionScheme::Aes128Cbc { iv }, 16),
            1 => (EncryptionScheme::Aes192Cbc { iv }, 24),
            _ => (EncryptionScheme::Aes256Cbc { iv }, 32),
        };
        let key_length = self.states_len.then_some(len);
        let salt = self.salt[..self.salt.len().min(32)].try_into().expect("keys: a salt of 32 bytes at most");
        let kdf = match self.kdf {
            Derivation::Pbkdf2 { prf, iterations } => {
                use Pbkdf2Prf::*;
                let all = [HmacWithSha1, HmacWithSha224, HmacWithSha256, HmacWithSha384, HmacWithSha512];
                let prf = all[usize::from(prf) % all.len()];
                Kdf::Pbkdf2(Pbkdf2Params { salt, iteration_count: u32::from(iterations % 8) + 1, key_length, prf })
            }
            Derivation::Scrypt { log_n, r, p } => Kdf::Scrypt(ScryptParams {
                salt,
                cost_parameter: 2 << (log_n % 3),
                block_size: u16::from(r % 3) + 1,
                parallelization: u16::from(p % 3) + 1,
                key_length,
            }),
        };
        let parameters = Parameters { kdf, encryption };
        let ciphertext = parameters.encrypt("pass", plaintext).expect("keys: low costs are taken");
        let scheme = pkcs5::EncryptionScheme::from(parameters).to_der().expect("keys: parameters are short");
        sequence([Node::read(&scheme).expect("keys: DER is written"), node(OCTET_STRING, &ciphertext)])
    }
}

/// What an encrypted key's parameters ask for, as far as the tree has their form.
#[derive(Clone, Copy, Debug)]
pub enum Cost {
    Pbkdf2 { iterations: u128 },
    Scrypt { n: u128, r: u128, p: u128 },
}

/// Where the numbers of the costs are, in an EncryptedPrivateKeyInfo.
pub const COSTS_AT: [usize; 4] = [0, 1, 0, 1];

impl Cost {
    pub fn of(tree: &Node) -> Option<Self> {
        let scheme = tree.at(&[0, 0], OBJECT_IDENTIFIER)?.bytes();
        let kdf = tree.at(&[0, 1, 0, 0], OBJECT_IDENTIFIER)?.bytes();
        let number = |at: usize| {
            let bytes = tree.at(&[&COSTS_AT[..], &[at]].concat(), INTEGER)?.bytes();
            let far = bytes.len() > 16 || bytes.first().is_some_and(|byte| *byte >= 0x80);
            Some(if far { u128::MAX } else { bytes.iter().fold(0, |number, byte| number << 8 | u128::from(*byte)) })
        };
        match &kdf[..] {
            _ if scheme != PBES2 => None,
            PBKDF2 => Some(Self::Pbkdf2 { iterations: number(1)? }),
            SCRYPT => Some(Self::Scrypt { n: number(1)?, r: number(2)?, p: number(3)? }),
            _ => None,
        }
    }

    /// Whether the fuzzer can pay for it.
    fn is_low(self) -> bool {
        match self {
            Self::Pbkdf2 { iterations } => iterations <= 64,
            Self::Scrypt { n, r, p } => n.saturating_mul(r).saturating_mul(p) <= 256,
        }
    }

    /// Over the bounds of section 12.3.
    pub fn is_over(self) -> bool {
        match self {
            Self::Pbkdf2 { iterations } => iterations > 10_000_000,
            // What has more than 64 bits is over any bound, also beside a zero.
            Self::Scrypt { n, r, p } => {
                let memory = n.saturating_add(p).saturating_mul(r).saturating_mul(128);
                let work = n.saturating_mul(r).saturating_mul(p).saturating_mul(128);
                memory > 1 << 30 || work > 1 << 34 || p > 16 || r > 8192 || n.max(r) >> 64 != 0
            }
        }
    }

    /// Not a cost at all, there or in RFC 7914.
    pub fn is_none(self) -> bool {
        match self {
            Self::Pbkdf2 { iterations } => iterations == 0,
            Self::Scrypt { n, r, p } => {
                n < 2 || !n.is_power_of_two() || r == 0 || p == 0 || u128::from(n.ilog2()) >= r.saturating_mul(16)
            }
        }
    }
}

/// Whether nothing that a file has encrypted takes the fuzzer's time to open.
fn is_cheap(file: &[u8]) -> bool {
    let is_low = |der: &[u8]| Node::read(der).as_ref().and_then(Cost::of).is_none_or(Cost::is_low);
    let text = String::from_utf8_lossy(file);
    // Under any label, which ends with dashes as the body does.
    let mut blocks = text.split("-----BEGIN ").skip(1);
    is_low(file)
        && blocks.all(|block| {
            let body = block.split("-----").nth(1).unwrap_or_default();
            let base64: String = body.split_ascii_whitespace().collect();
            BASE64.decode(base64.as_bytes()).map_or(true, |der| is_low(&der))
        })
}

/// What a file was read as.
pub struct Read {
    /// With [`PASSPHRASE`], or without where it would cost too much.
    pub identities: Result<Vec<Identity>, KeyFileError>,
    /// Without any.
    pub without: Result<Vec<Identity>, KeyFileError>,
    pub recipients: Result<Vec<Recipient>, KeyFileError>,
}

/// Reads a file in every way, and checks what must hold for any file.
pub fn check(file: &[u8]) -> Read {
    let without = parse_identities(file, None);
    let with = is_cheap(file).then(|| parse_identities(file, Some(&PASSPHRASE)));
    match (&without, &with) {
        (Ok(without), Some(with)) => {
            assert_eq!(texts(without), texts(with.as_ref().expect("a passphrase is no fault")))
        }
        (Err(error), Some(with)) if error.error.code() != "passphrase_required" => {
            let other = with.as_ref().expect_err("a passphrase repairs nothing");
            assert_eq!((other.error.code(), other.line), (error.error.code(), error.line));
        }
        _ => {}
    }
    for (read, codes) in [
        (Some(&without), &["invalid_identity", "unsupported_key", "cost_too_high", "passphrase_required"]),
        (with.as_ref(), &["invalid_identity", "unsupported_key", "cost_too_high", "no_matching_identity"]),
    ] {
        match read {
            Some(Ok(found)) => {
                assert!(!found.is_empty());
                found.iter().for_each(check_identity);
            }
            Some(Err(error)) => check_error(error, codes, file),
            None => {}
        }
    }
    let recipients = parse_recipients(file);
    match &recipients {
        Ok(found) => {
            assert!(!found.is_empty());
            found.iter().for_each(check_recipient);
        }
        Err(error) => check_error(error, &["invalid_recipient", "unsupported_key"], file),
    }
    let identities = with.unwrap_or_else(|| parse_identities(file, None));
    assert!(identities.is_err() || recipients.is_err(), "a file is public and secret");
    if identities.is_ok() || recipients.is_ok() {
        assert!(KeyForm::of(file).is_some(), "a file without a form was read");
    }
    let code = without.as_ref().err().map(|error| error.error.code());
    if KeyForm::of(file) == Some(KeyForm::Der) && matches!(code, Some("passphrase_required" | "cost_too_high")) {
        let cost = Node::read(file).as_ref().and_then(Cost::of).expect("what is said of costs needs some");
        assert_eq!(cost.is_over(), code == Some("cost_too_high"), "{cost:?}");
        assert!(cost.is_over() || !cost.is_none(), "{cost:?}");
    }
    if let Ok(found) = &identities {
        check_protection(file, found);
    }
    assert!(identities.is_err() || !is_recipient_file(file));
    assert!(recipients.is_err() || is_recipient_file(file));
    check_one(file, &without, &recipients);
    Read { identities, without, recipients }
}

/// The same keys without a passphrase, in the forms that have one.
fn check_protection(file: &[u8], identities: &[Identity]) {
    let has_one = matches!(KeyForm::of(file), Some(KeyForm::Pem | KeyForm::Der));
    match protect_identities(file, Some(&PASSPHRASE), None) {
        Ok(plain) => {
            assert!(has_one);
            assert_eq!(KeyForm::of(&plain), KeyForm::of(file));
            assert_eq!(texts(&parse_identities(&plain[..], None).expect("it was read")), texts(identities));
            assert_eq!(*protect_identities(&plain, None, None).expect("it was read"), *plain);
        }
        Err(error) => assert_eq!((has_one, error.error.code()), (false, "unsupported_key")),
    }
}

/// A text is one key for `FromStr` when it is a JWK or a file of one block.
fn check_one(
    file: &[u8],
    identities: &Result<Vec<Identity>, KeyFileError>,
    recipients: &Result<Vec<Recipient>, KeyFileError>,
) {
    let begins = |text: &&str| text.starts_with("-----BEGIN ") || text.trim_start().starts_with('{');
    let Some(text) = std::str::from_utf8(file).ok().filter(begins) else { return };
    match (text.parse::<Identity>(), identities) {
        (Ok(one), Ok(found)) => assert_eq!(texts(&[one]), texts(found)),
        (Ok(_), Err(error)) => panic!("one key of a bad file: {error}"),
        (Err(error), Ok(found)) => assert!(found.len() > 1, "{error}"),
        (Err(one), Err(error)) => assert_eq!(one.code(), error.error.code()),
    }
    match (text.parse::<Recipient>(), recipients) {
        (Ok(one), Ok(found)) => assert!(found.iter().map(Recipient::to_string).eq([one.to_string()])),
        (Ok(_), Err(error)) => panic!("one key of a bad file: {error}"),
        (Err(error), Ok(found)) => assert!(found.len() > 1, "{error}"),
        (Err(one), Err(error)) => assert_eq!(one.code(), error.error.code()),
    }
}

/// The text of an identity, which is its secret.
pub fn text_of(identity: &Identity) -> String {
    identity.to_text().expect("no passphrase is read from a file").to_string()
}

pub fn texts(identities: &[Identity]) -> Vec<String> {
    identities.iter().map(text_of).collect()
}

thread_local! {
    /// What was checked and need not be again: writing depends on the key alone.
    static CHECKED: RefCell<HashSet<String>> = RefCell::default();
}

fn is_new(text: &str) -> bool {
    CHECKED.with_borrow_mut(|checked| {
        if checked.len() > 10_000 {
            checked.clear();
        }
        checked.insert(text.to_owned())
    })
}

/// Written in each form of its kind, it is read as the same key, and written as the same bytes.
fn check_identity(identity: &Identity) {
    let text = text_of(identity);
    if !is_new(&text) {
        return;
    }
    assert_eq!(format!("{identity:?}"), format!("Identity({}, ..)", identity.kind()));
    let again = text.parse::<Identity>().expect("a text that was written");
    assert_eq!(text_of(&again), text);
    assert_eq!(again.recipient().fingerprint(), identity.recipient().fingerprint());
    for (form, written) in write(identity) {
        let name = form.name();
        if is_chosen(form, &written) {
            continue;
        }
        assert_eq!(KeyForm::of(&written), Some(form), "{name}");
        assert!(parse_recipients(&written).is_err(), "{name}: a secret is no recipient");
        let found = parse_identities(&written, None).expect("what was written");
        assert_eq!(texts(&found), [&text[..]], "{name}");
        assert_eq!(found[0].recipient().fingerprint(), identity.recipient().fingerprint(), "{name}");
        let (_, again) = write(&found[0]).into_iter().find(|(other, _)| *other == form).expect("it has the form");
        assert_eq!(again, written, "{name}");
    }
    if identity.kind() != Kind::Key {
        check_recipient(&identity.recipient());
    }
}

/// An X25519 key whose bytes are a text with a BEGIN line, so that its DER seems to be PEM; nobody draws one.
fn is_chosen(form: KeyForm, written: &[u8]) -> bool {
    form == KeyForm::Der && KeyForm::of(written) == Some(KeyForm::Pem)
}

fn check_recipient(recipient: &Recipient) {
    let text = recipient.to_string();
    if !is_new(&text) {
        return;
    }
    let again = text.parse::<Recipient>().expect("a text that was written");
    assert_eq!(again.to_string(), text);
    assert!(recipient.fingerprint().is_some());
    assert_eq!(again.fingerprint(), recipient.fingerprint());
    let forms = |of: &Recipient| {
        take([
            (KeyForm::Pem, of.to_pem().map(String::into_bytes), of.kind().has_form(KeyForm::Der)),
            (KeyForm::Der, of.to_der(), of.kind().has_form(KeyForm::Der)),
            (KeyForm::Jwk, of.to_jwk().map(String::into_bytes), of.kind().has_form(KeyForm::Jwk)),
            (KeyForm::Hex, of.to_hex().map(String::into_bytes), of.kind().has_form(KeyForm::Hex)),
        ])
    };
    for (form, written) in forms(recipient) {
        let name = form.name();
        if is_chosen(form, &written) {
            continue;
        }
        assert_eq!(KeyForm::of(&written), Some(form), "{name}");
        assert!(parse_identities(&written, None).is_err(), "{name}: a recipient is no secret");
        let found = parse_recipients(&written).expect("what was written");
        assert_eq!(found.len(), 1, "{name}");
        assert_eq!(found[0].to_string(), text, "{name}");
        assert_eq!(found[0].fingerprint(), recipient.fingerprint(), "{name}");
        assert!(forms(&found[0]).contains(&(form, written)), "{name}");
    }
}

fn write(identity: &Identity) -> Vec<(KeyForm, Vec<u8>)> {
    let kind = identity.kind();
    take([
        (KeyForm::Pem, identity.to_pem(None).map(|pem| pem.as_bytes().to_vec()), kind.has_form(KeyForm::Der)),
        (KeyForm::Der, identity.to_der(None).map(|der| der.to_vec()), kind.has_form(KeyForm::Der)),
        (KeyForm::Jwk, identity.to_jwk().map(|jwk| jwk.as_bytes().to_vec()), kind.has_form(KeyForm::Jwk)),
        (KeyForm::Hex, identity.to_hex().map(|digits| digits.as_bytes().to_vec()), kind.has_form(KeyForm::Hex)),
    ])
}

/// The forms that there are; those that there should not be are refused by name.
fn take(written: [(KeyForm, Result<Vec<u8>, Error>, bool); 4]) -> Vec<(KeyForm, Vec<u8>)> {
    let taken = written.into_iter().filter_map(|(form, written, expected)| match written {
        Ok(bytes) => {
            assert!(expected, "{form}");
            Some((form, bytes))
        }
        Err(error) => {
            assert_eq!((expected, error.code()), (false, "unsupported_key"), "{form}");
            None
        }
    });
    taken.collect()
}

/// Parts of the secrets in [`FORMS`], as they stand in files.
static SECRETS: LazyLock<HashSet<[u8; 12]>> = LazyLock::new(|| {
    let secrets = FORMS.iter().filter(|form| form.label != LABELS[3]).flat_map(|form| {
        let der = form.tree.write();
        let text = form.text.split_once("KEY-1").map_or(String::new(), |(_, secret)| secret.to_owned());
        // What every key begins with is no secret.
        [
            BASE64.encode(&der)[40..].to_owned(),
            BASE64URL_NOPAD.encode(&der[der.len() - 32..]),
            HEXLOWER.encode(&der),
            text,
        ]
    });
    let windows =
        |text: String| text.as_bytes().windows(12).map(|part| part.try_into().expect("12")).collect::<Vec<_>>();
    secrets.flat_map(windows).collect()
});

/// More characters than a word of ours has, and less than a secret.
const LONGEST_WORD: usize = 22;

fn check_error(error: &KeyFileError, codes: &[&str], file: &[u8]) {
    assert!(codes.contains(&error.error.code()), "{error}");
    if let Some(line) = error.line {
        let text = lines(file).get(line.wrapping_sub(1)).copied();
        assert!(text.is_some_and(|text| !text.is_empty()), "line {line} of a file without it");
        assert!(!matches!(KeyForm::of(file), Some(KeyForm::Der | KeyForm::Jwk)), "{error}");
    }
    let shown = format!("{error} {error:?}");
    if !is_new(&shown) {
        return;
    }
    let word = |c: char| c.is_ascii_alphanumeric() || "+/_-=".contains(c);
    let longest = shown.split(|c| !word(c)).map(str::len).max().unwrap_or_default();
    assert!(longest <= LONGEST_WORD, "a part of the input, it seems: {shown}");
    assert!(!shown.as_bytes().windows(12).any(|part| SECRETS.contains(part)), "a secret in {shown}");
}

/// A block of PEM, with lines of so many columns; 0 for one line.
pub fn pem(label: &str, der: &[u8], columns: u8) -> String {
    let base64 = BASE64.encode(der);
    let columns = if columns == 0 { base64.len() } else { columns.into() };
    let mut text = format!("-----BEGIN {label}-----\n");
    for line in base64.as_bytes().chunks(columns.max(1)) {
        text.extend([std::str::from_utf8(line).expect("keys: base64 is ASCII"), "\n"]);
    }
    text + &format!("-----END {label}-----\n")
}

/// Applies edits, as long as what comes of it is no longer than files of keys are.
pub fn edited(mut tree: Node, edits: &[der::Edit]) -> Node {
    for edit in edits {
        edit.apply(&mut tree, &TREES);
        if tree.write().len() > 10_000 {
            break;
        }
    }
    tree
}
