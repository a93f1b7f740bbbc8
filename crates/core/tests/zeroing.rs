//! Secrets are zeroed on drop: what is in the memory of a process before and after.
//!
//! The parent chooses secrets and hands them, masked, to a child, which is this program again. The child makes a key of them,
//! waits, and drops the key. The parent looks for the secrets in all memory that the child can write to: while the key is there,
//! and when it is gone.
#![cfg(target_os = "linux")]

use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use sealstone::aead::{self, Aead, Backend};
use sealstone::chunked::{ChunkedKey, HEAD_LEN};
use sealstone::hazmat::ccm::{self, Ccm};
use sealstone::hazmat::cipher::{self, Cipher};
use sealstone::hazmat::legacy::{self, LegacyCipher};
use sealstone::hazmat::wrap::{self, KeyWrap};
use sealstone::kdf::{self, Bounds, Cost, Input, KeyCache};
use sealstone::mac::{self, Mac};
use sealstone::{Decryptor, Encryptor, Identity, Kind, Passphrase, Suite, SymmetricKey};
use sealstone::{ed25519, nacl, parse_identities, sm2};
use std::any::Any;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::process::{Child, ChildStderr, ChildStdin, Command, Stdio};
use std::time::Duration;
use zeroize::{Zeroize, Zeroizing};

/// What the child makes of the bytes that it was given.
fn make(what: &str, given: &[u8]) -> Box<dyn Any> {
    let (what, parameter) = what.split_once(' ').unwrap_or((what, ""));
    let array = || <&[u8; 32]>::try_from(given).unwrap();
    match what {
        "string" => Box::new(std::str::from_utf8(given).unwrap().parse::<Identity>().unwrap()),
        "key-file" => Box::new(parse_identities(given, None).unwrap()),
        "encrypted-key-file" => {
            let (passphrase, file) = given.split_at(given.iter().position(|byte| *byte == b'\n').unwrap());
            let passphrase = Passphrase::from_utf8(passphrase).unwrap();
            Box::new((parse_identities(&file[1..], Some(&passphrase)).unwrap(), passphrase))
        }
        "Passphrase" => Box::new(Passphrase::from_utf8(given).unwrap()),
        "SymmetricKey" => Box::new(SymmetricKey::from_bytes(array())),
        "nacl::SecretKey" => Box::new(nacl::SecretKey::from_bytes(given).unwrap()),
        "nacl::SecretBox" => Box::new(nacl::SecretBox::new(given).unwrap()),
        "ed25519::PrivateKey" => Box::new(ed25519::PrivateKey::from_seed(given).unwrap()),
        "sm2::PrivateKey" => Box::new(sm2::PrivateKey::from_bytes(given).unwrap()),
        "Aead" => {
            let (backend, algorithm) = parameter.split_once(' ').unwrap();
            let backend = Backend::ALL.into_iter().find(|known| known.name() == backend).unwrap();
            Box::new(Aead::with_backend(backend, algorithm.parse().unwrap(), given).unwrap())
        }
        "Mac" => {
            let key = Mac::new(parameter.parse().unwrap(), given).unwrap();
            // With a tag in the making, and one that was made.
            Box::new((key.signer(), key.sign(b"message"), key))
        }
        "KeyCache" => {
            let mut cache = KeyCache::new(1, KeyCache::LIFETIME).unwrap();
            let input = Input::new(given, b"some salt");
            let cost = parameter_cost(parameter);
            let key = cache.derive(Duration::ZERO, &cost, &input, Bounds::Usual, 32).unwrap();
            Box::new((cache, key))
        }
        "Cipher" => Box::new(Cipher::new(parameter.parse().unwrap(), given).unwrap()),
        "KeyWrap" => Box::new(KeyWrap::new(parameter.parse().unwrap(), given).unwrap()),
        "Ccm" => Box::new(Ccm::new(parameter.parse().unwrap(), given, 16).unwrap()),
        "LegacyCipher" => Box::new(LegacyCipher::new(parameter.parse().unwrap(), given).unwrap()),
        // Of a secret that is unwrapped, too.
        "unwrapped" => {
            let (key, secret) = given.split_at(32);
            let wrap = KeyWrap::new(wrap::Algorithm::Aes256Kw, key).unwrap();
            Box::new((wrap.unwrap(&wrap.wrap(secret).unwrap()).unwrap(), wrap))
        }
        "ChunkedKey" => {
            let suite: Suite = parameter.parse().unwrap();
            let (key, plaintext) = given.split_at(suite.key_len());
            let key = ChunkedKey::new(suite, key).unwrap();
            let mut sealer = key.sealer(b"").unwrap();
            // In two parts, so that the memory moves.
            let (first, rest) = plaintext.split_at(plaintext.len() / 2);
            assert_eq!(sealer.fill(first) + sealer.fill(rest), plaintext.len());
            let ciphertext = key.encrypt(b"", plaintext).unwrap();
            let mut opener = key.opener(b"", &ciphertext).unwrap();
            assert_eq!(opener.fill(&ciphertext[HEAD_LEN..]), ciphertext.len() - HEAD_LEN);
            Box::new((key, sealer, opener))
        }
        "FileOpener" => {
            let (key, file) = given.split_first_chunk::<32>().unwrap();
            let decryptor = Decryptor::new([SymmetricKey::from_bytes(key).into()]);
            Box::new((decryptor.opener(file).unwrap(), decryptor))
        }
        "stream" => {
            let mut plaintext = Zeroizing::new(Vec::with_capacity(given.len()));
            let identity = Identity::generate(Kind::Hybrid).unwrap();
            let mut file = Vec::new();
            Encryptor::new([identity.recipient()]).encrypt_stream(given, &mut file).unwrap();
            Decryptor::new([identity]).decrypt_stream(&file[..], &mut *plaintext).unwrap();
            Box::new(plaintext)
        }
        _ => panic!("nothing is called {what}"),
    }
}

fn parameter_cost(name: &str) -> Cost {
    match name {
        "pbkdf2" => Cost::Pbkdf2 { hash: sealstone::hash::Algorithm::Sha256, iterations: 10 },
        "scrypt" => Cost::Scrypt { log_n: 4, r: 8, p: 1 },
        _ => Cost::Argon2 { variant: kdf::Variant::Id, memory_kib: 64, passes: 1, lanes: 1 },
    }
}

struct Case {
    what: String,
    given: Vec<u8>,
    /// What is secret of it, as it may lie in memory.
    secrets: Vec<Vec<u8>>,
    /// Whether one of them can be found while the key is there. Of SM4 there are other numbers then.
    stays: bool,
}

impl Case {
    /// Whether a library makes it in its own frames of the stack, where copies stay until they are overwritten: SECURITY.md says
    /// so of each.
    fn is_made_on_the_stack(&self) -> bool {
        let is_ml_kem = self.what == "key-file" && self.secrets[0].len() == 64;
        let begins = [
            "Cipher aes",
            "KeyWrap",
            "unwrapped",
            "Ccm",
            "LegacyCipher des",
            "Mac aes",
            "Mac blake",
            "KeyCache scrypt",
            "Aead ring",
            "FileOpener",
            "stream",
        ];
        // RustCrypto and dalek hand their keys over by value.
        cfg!(sealstone_rustcrypto) || is_ml_kem || begins.iter().any(|begin| self.what.starts_with(begin))
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut case = |what: &str, given: &[u8], secrets: &[&[u8]], stays| {
        let secrets = secrets.iter().map(|secret| secret.to_vec()).collect();
        cases.push(Case { what: what.to_owned(), given: given.to_vec(), secrets, stays });
    };
    for kind in [Kind::Hybrid, Kind::X25519, Kind::Key] {
        let text = Identity::generate(kind).unwrap().to_text().unwrap();
        let (_, data) = text.rsplit_once('1').unwrap();
        let bytes = bech32::decode(&text).unwrap().1;
        case("string", text.as_bytes(), &[&bytes, data.as_bytes()], true);
    }
    let passphrase = HEXLOWER.encode(&random::<16>());
    for kind in [Kind::X25519, Kind::P256] {
        let key = Identity::generate(kind).unwrap();
        let jwk = key.to_jwk().unwrap();
        let text = jwk.split_once(r#""d":""#).unwrap().1.split_once('"').unwrap().0;
        let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).unwrap();
        case("key-file", jwk.as_bytes(), &[&bytes, text.as_bytes()], true);
        case("key-file", &key.to_der(None).unwrap(), &[&bytes], true);
        case("key-file", key.to_pem(None).unwrap().as_bytes(), &[&bytes], true);
        let encrypted = key.to_pem(Some(&Passphrase::new(&passphrase).unwrap())).unwrap();
        let given = format!("{passphrase}\n{}", *encrypted);
        case("encrypted-key-file", given.as_bytes(), &[&bytes, passphrase.as_bytes()], true);
    }
    let der = Identity::generate(Kind::MlKem768).unwrap().to_der(None).unwrap();
    // The seed is `[0]` of 64 bytes (RFC 9935 section 6).
    let seed = der.windows(2).position(|window| window == [0x80, 64]).unwrap() + 2;
    case("key-file", &der, &[&der[seed..seed + 64]], true);
    let sm2 = sm2::PrivateKey::generate().unwrap();
    let digits = Identity::from(sm2.clone()).to_hex().unwrap();
    let stays = !cfg!(sealstone_rustcrypto);
    case("sm2::PrivateKey", &sm2.to_bytes()[..], &[&sm2.to_bytes()[..]], stays);
    case("string", digits.as_bytes(), &[&sm2.to_bytes()[..], digits.as_bytes()], stays);
    case("Passphrase", passphrase.as_bytes(), &[passphrase.as_bytes()], true);
    for what in ["SymmetricKey", "nacl::SecretKey", "nacl::SecretBox", "ed25519::PrivateKey"] {
        let key: [u8; 32] = random();
        case(what, &key, &[&key], true);
    }
    for algorithm in aead::Algorithm::ALL {
        let key = &random::<32>()[..algorithm.key_len()];
        for backend in Backend::ALL.into_iter().filter(|backend| Aead::with_backend(*backend, algorithm, key).is_ok()) {
            let stays = !algorithm.name().starts_with("sm4");
            case(&format!("Aead {} {algorithm}", backend.name()), key, &[key], stays);
        }
    }
    for algorithm in cipher::Algorithm::ALL.iter().copied() {
        let key = &random::<64>()[..algorithm.key_len()];
        case(&format!("Cipher {algorithm}"), key, &[key], !algorithm.name().starts_with("sm4"));
    }
    for algorithm in wrap::Algorithm::ALL {
        let key = &random::<32>()[..algorithm.key_len()];
        case(&format!("KeyWrap {algorithm}"), key, &[key], true);
    }
    let given: [u8; 80] = random();
    case("unwrapped", &given, &[&given[..32], &given[32..]], true);
    for algorithm in ccm::Algorithm::ALL {
        let key = &random::<32>()[..algorithm.key_len()];
        case(&format!("Ccm {algorithm}"), key, &[key], true);
    }
    for algorithm in legacy::Algorithm::ALL {
        let key = &random::<24>()[..(*algorithm.key_lens().end()).min(24)];
        // RC4 and Rabbit keep the key, and the others numbers that are made of it.
        let stays = matches!(algorithm, legacy::Algorithm::Rc4 | legacy::Algorithm::Rabbit);
        case(&format!("LegacyCipher {algorithm}"), key, &[key], stays);
    }
    for algorithm in mac::Algorithm::ALL {
        let key = algorithm.generate_key().unwrap();
        // Of HMAC and KMAC there are states then. A tag is shown to others.
        let stays = algorithm.hash().is_none() && algorithm != mac::Algorithm::Kmac256;
        case(&format!("Mac {algorithm}"), &key, &[&key], stays);
    }
    for cost in ["pbkdf2", "scrypt", "argon2id"] {
        let mut key = [0; 32];
        let input = Input::new(passphrase.as_bytes(), b"some salt");
        kdf::derive(&parameter_cost(cost), &input, Bounds::Usual, &mut key).unwrap();
        case(&format!("KeyCache {cost}"), passphrase.as_bytes(), &[passphrase.as_bytes(), &key], true);
    }
    for suite in Suite::ALL {
        let given: [u8; 80] = random();
        let (key, plaintext) = given[..48 + suite.key_len()].split_at(suite.key_len());
        case(&format!("ChunkedKey {suite}"), &given[..48 + suite.key_len()], &[key, plaintext], true);
    }
    let plaintext: Vec<u8> = (0..8).flat_map(|_| random::<32>()).collect();
    case("stream", &plaintext, &[&plaintext], true);
    // All the keys on the way to a chunk.
    let [key, file] = ["key", "file"].map(specified);
    let secrets = ["file_key", "wrap_key", "mac_key", "payload_key", "chunk_key"].map(specified);
    case("FileOpener", &[key, file].concat(), &secrets.each_ref().map(|secret| &secret[..]), true);
    cases
}

#[test]
fn nothing_of_a_secret_is_in_memory_after_its_drop() {
    if let Ok(what) = std::env::var(CHILD) {
        return child(&what);
    }
    let mut left = Vec::new();
    for case in cases() {
        let mut child = Running::start(&case);
        let stack = child.wait_for("made");
        let there = child.find(&case.secrets);
        assert!(!case.stays || !there.is_empty(), "{}: it was not found where it must be", case.what);
        child.go_on();
        child.wait_for("dropped");
        for found in child.find(&case.secrets) {
            if !(case.is_made_on_the_stack() && found.mapping.contains(&stack)) {
                left.push(format!("{}: {} bytes at {:x} of {:x?}", case.what, found.len, found.at, found.mapping));
            }
        }
        child.go_on();
        assert!(child.process.wait().unwrap().success());
    }
    assert!(left.is_empty(), "after the drop there were\n{}", left.join("\n"));
}

const CHILD: &str = "SEALSTONE_ZEROING";
/// Bytes of a secret that are searched for: more than one word, since freed memory loses its first two.
const WINDOW: usize = 12;
/// So that what the parent sends is not what it looks for.
const MASK: u8 = 0xa5;

fn child(what: &str) {
    let mut lines = std::io::stdin().lines();
    let mut next = || lines.next().unwrap().unwrap();
    let masked = HEXLOWER.decode(next().as_bytes()).unwrap();
    let mut given = Zeroizing::new(vec![0; masked.len()]);
    for (byte, masked) in given.iter_mut().zip(masked) {
        *byte = masked ^ MASK;
    }
    let made = make(what, &given);
    given.zeroize();
    // With an address on the stack.
    eprintln!("made {:p}", &raw const what);
    next();
    drop(made);
    eprintln!("dropped {:p}", &raw const what);
    next();
}

struct Running {
    process: Child,
    input: ChildStdin,
    said: BufReader<ChildStderr>,
}

impl Running {
    fn start(case: &Case) -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "nothing_of_a_secret_is_in_memory_after_its_drop", "--nocapture", "--test-threads=1"])
            .env(CHILD, &case.what)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = process.stdin.take().unwrap();
        let masked: Vec<u8> = case.given.iter().map(|byte| byte ^ MASK).collect();
        writeln!(input, "{}", HEXLOWER.encode(&masked)).unwrap();
        let said = BufReader::new(process.stderr.take().unwrap());
        Self { process, input, said }
    }

    /// Waits for a word of the child's, and gives the address behind it.
    fn wait_for(&mut self, word: &str) -> u64 {
        let mut line = String::new();
        self.said.read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix(word).and_then(|rest| rest.strip_prefix(" 0x"));
        let Some(address) = address.and_then(|address| u64::from_str_radix(address, 16).ok()) else {
            self.said.read_to_string(&mut line).unwrap();
            panic!("the child did not come to '{word}': {line}");
        };
        address
    }

    fn go_on(&mut self) {
        writeln!(self.input).unwrap();
    }

    /// Where a part of a secret lies, in either order of bytes: large numbers are kept with the last byte first.
    fn find(&self, secrets: &[Vec<u8>]) -> Vec<Found> {
        let reversed = secrets.iter().map(|secret| secret.iter().rev().copied().collect());
        let all: Vec<Vec<u8>> = secrets.iter().cloned().chain(reversed).collect();
        let windows: Vec<&[u8]> = all.iter().flat_map(|secret| secret.windows(WINDOW)).collect();
        let two = |bytes: &[u8]| usize::from(u16::from_ne_bytes([bytes[0], bytes[1]]));
        let mut begins = vec![false; 1 << 16];
        for window in &windows {
            begins[two(window)] = true;
        }
        let folder = format!("/proc/{}", self.process.id());
        let mut memory = File::open(format!("{folder}/mem")).unwrap();
        let mut found: Vec<Found> = Vec::new();
        for mapping in std::fs::read_to_string(format!("{folder}/maps")).unwrap().lines() {
            let (addresses, rest) = mapping.split_once(' ').unwrap();
            if !rest.starts_with("rw") {
                continue;
            }
            let (from, to) = addresses.split_once('-').unwrap();
            let [from, to] = [from, to].map(|address| u64::from_str_radix(address, 16).unwrap());
            let mut bytes = vec![0; usize::try_from(to - from).unwrap()];
            memory.seek(SeekFrom::Start(from)).unwrap();
            memory.read_exact(&mut bytes).unwrap();
            for (window, at) in bytes.windows(WINDOW).zip(from..) {
                if !begins[two(window)] || !windows.contains(&window) {
                    continue;
                }
                match found.last_mut() {
                    Some(before) if at < before.at + before.len => before.len = at + WINDOW as u64 - before.at,
                    _ => found.push(Found { at, len: WINDOW as u64, mapping: from..to }),
                }
            }
        }
        found
    }
}

/// A part of a secret in the child's memory.
struct Found {
    at: u64,
    len: u64,
    mapping: Range<u64>,
}

/// A value of `spec/format.md` section 1.3.
fn specified(name: &str) -> Vec<u8> {
    let spec = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/format.md")).unwrap();
    let line = spec.lines().find_map(|line| line.strip_prefix(&format!("{name} = ")));
    HEXLOWER.decode(line.expect("the format has this value").as_bytes()).unwrap()
}

fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    aead::random_nonce(&mut bytes).unwrap();
    bytes
}
