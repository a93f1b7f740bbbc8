//! Files of nkCryptoTool: what its builds wrote, the format put together by hand, and every way of writing and reading.

mod support;

use sealstone::aead::{Aead, Algorithm};
use sealstone::exchange::{Kind, PrivateKey};
use sealstone::hash::Algorithm::{Sha3_256, Sha256};
use sealstone::interop::nkct::{Decryptor, Encryptor, Identity, Recipient, Scheme, inspect, is_nkct};
use sealstone::kdf::hkdf;
use sealstone::{Error, Input, Output, Passphrase, hash};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use support::{Pieces, Takes, check_ranges, pattern, sha256, vectors};
use tempfile::tempdir;

fn generate(kind: Kind) -> Identity {
    PrivateKey::generate(kind).unwrap().try_into().unwrap()
}

/// The keys of one recipient of each scheme.
fn recipients() -> Vec<Vec<Identity>> {
    vec![
        vec![generate(Kind::P256)],
        vec![generate(Kind::MlKem512)],
        vec![generate(Kind::MlKem768)],
        vec![generate(Kind::MlKem1024)],
        vec![generate(Kind::P256), generate(Kind::MlKem768)],
        vec![generate(Kind::MlKem1024), generate(Kind::P256)],
    ]
}

fn encryptor(identities: &[Identity]) -> Encryptor {
    Encryptor::new(identities.iter().map(Identity::recipient))
}

fn folder() -> PathBuf {
    vectors("nkct")
}

fn manifest() -> Value {
    serde_json::from_slice(&fs::read(folder().join("manifest.json")).unwrap()).unwrap()
}

/// What a stream had received, and the result.
fn streamed(decryptor: &Decryptor, file: &[u8], threads: usize) -> (Result<u64, Error>, Vec<u8>) {
    let mut out = Vec::new();
    let pieces = Input::reader(Pieces::new(file, &[1, 70, 5000]));
    let opened = decryptor.clone().threads(threads).decrypt_to(pieces, Output::writer(Takes::new(&mut out, &[1, 900])));
    (opened.map(|summary| summary.plaintext), out)
}

#[test]
fn every_file_of_its_builds_opens_or_is_refused_as_it_says() {
    let manifest = manifest();
    let identities = |entry: &Value| -> Vec<Identity> {
        let files = entry["identities"].as_array().unwrap().iter().map(|name| name.as_str().unwrap());
        files.flat_map(|name| read_key(&manifest, name)).collect()
    };
    let temporary = tempdir().unwrap();
    let (mut opened, mut refused) = (BTreeMap::<String, usize>::new(), 0);
    for entry in manifest["files"].as_array().unwrap() {
        let name = entry["file"].as_str().unwrap();
        let path = folder().join(name);
        let file = fs::read(&path).unwrap();
        let decryptor = Decryptor::new(identities(entry));
        let out = temporary.path().join("out");
        if entry["expect"] == "refused" {
            for threads in [1, 3] {
                let (result, received) = streamed(&decryptor, &file, threads);
                assert!(result.is_err(), "{name}");
                // Chunks before the fault are authentic.
                assert!(received == pattern(received.len()), "{name}");
            }
            assert!(decryptor.decrypt(&file).is_err(), "{name}");
            assert!(decryptor.decrypt_file(&path, &out).is_err() && !out.exists(), "{name}");
            assert!(decryptor.verify(Input::open(&path).unwrap()).is_err(), "{name}");
            refused += 1;
            continue;
        }
        assert_eq!(entry["expect"], "opens", "{name}");
        let len = usize::try_from(entry["plaintext"]["length"].as_u64().unwrap()).unwrap();
        let plaintext = pattern(len);
        assert_eq!(sha256(&plaintext), entry["plaintext"]["sha256"].as_str().unwrap(), "{name}");
        for threads in [1, 3] {
            let (result, received) = streamed(&decryptor, &file, threads);
            assert_eq!(result.unwrap_or_else(|error| panic!("{name}: {error}")), len as u64, "{name}");
            assert!(received == plaintext, "{name}");
        }
        assert!(decryptor.decrypt(&file).unwrap() == plaintext, "{name}");
        let summary = decryptor.decrypt_file(&path, &out).unwrap();
        assert_eq!((summary.plaintext, summary.ciphertext), (len as u64, file.len() as u64), "{name}");
        assert!(fs::read(&out).unwrap() == plaintext, "{name}");
        fs::remove_file(&out).unwrap();
        assert_eq!(decryptor.verify(Input::open(&path).unwrap()).unwrap(), summary, "{name}");
        assert_eq!(decryptor.verify(Input::reader(&file[..])).unwrap(), summary, "{name}");
        let mut received = Vec::new();
        decryptor.decrypt_to(Input::open(&path).unwrap(), Output::writer(&mut received)).unwrap();
        assert!(received == plaintext, "{name}");

        let seen = inspect(Input::open(&path).unwrap()).unwrap();
        assert!(is_nkct(&mut Input::reader(&file[..])).unwrap());
        // A hybrid file of version 2 says 1 at its beginning.
        assert!(name.starts_with(&format!("files/v{}_", seen.version)), "{name}");
        assert_eq!(u64::from(file[4]), entry["version"].as_u64().unwrap(), "{name}");
        assert_eq!(seen.scheme.name(), entry["mode"].as_str().unwrap(), "{name}");
        assert_eq!(seen.aead.name(), entry["aead"].as_str().unwrap().to_lowercase(), "{name}");
        assert_eq!(seen.plaintext_len, len as u64, "{name}");
        assert_eq!(seen.kem.map(|kind| kind.name().to_uppercase()).as_deref(), entry["kem"].as_str(), "{name}");
        assert_eq!(seen.chunks.map(|(len, _)| len.into()), entry["chunk_size"].as_u64(), "{name}");
        // With other keys, and beside them.
        let strangers =
            [generate(Kind::P256), generate(Kind::MlKem768), generate(Kind::MlKem1024), generate(Kind::MlKem512)];
        let error = Decryptor::new(strangers.clone()).decrypt(&file).unwrap_err();
        assert_eq!(error.code(), "not_authentic", "{name}");
        let all = Decryptor::new(strangers.into_iter().chain(identities(entry)));
        assert!(all.decrypt(&file).unwrap() == plaintext, "{name}");
        assert!(streamed(&all, &file, 2).1 == plaintext, "{name}");
        all.decrypt_file(&path, &out).unwrap();
        assert!(fs::read(&out).unwrap() == plaintext, "{name}");
        fs::remove_file(&out).unwrap();
        *opened.entry(format!("version {} of {}", seen.version, seen.scheme)).or_default() += 1;
    }
    println!("nkct: {opened:?} opened, {refused} refused");
    assert!(opened.len() == 9 && opened.values().sum::<usize>() >= 115 && refused >= 25, "{opened:?}, {refused}");
}

/// The private keys of a file that the manifest names.
fn read_key(manifest: &Value, name: &str) -> Vec<Identity> {
    let entry = manifest["keys"].as_array().unwrap().iter().find(|entry| entry["file"] == name);
    let passphrase = entry.and_then(|entry| entry["passphrase"].as_str()).map(|text| Passphrase::new(text).unwrap());
    let keys = Identity::parse(fs::read(folder().join(name)).unwrap(), passphrase.as_ref());
    keys.unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn every_key_of_its_builds_is_read() {
    let manifest = manifest();
    let (mut private, mut public) = (0, BTreeMap::new());
    let of_encryption = || manifest["keys"].as_array().unwrap().iter().filter(|entry| entry["use"] == "encryption");
    for entry in of_encryption() {
        let name = entry["file"].as_str().unwrap();
        let algorithm = match entry["algorithm"].as_str().unwrap() {
            "P-256" => "p256".to_owned(),
            other => other.to_lowercase(),
        };
        if entry["kind"] == "public" {
            let keys = Recipient::parse(fs::read(folder().join(name)).unwrap()).unwrap();
            assert!(keys.len() == 1 && keys[0].kind().name() == algorithm, "{name}");
            public.insert(name.replace("_public_", "_private_"), keys[0].clone());
            continue;
        }
        let keys = read_key(&manifest, name);
        assert!(keys.len() == 1 && keys[0].kind().name() == algorithm, "{name}");
        if entry["passphrase"].is_string() {
            let file = fs::read(folder().join(name)).unwrap();
            assert_eq!(Identity::parse(&file, None).unwrap_err().error.code(), "passphrase_required", "{name}");
            let wrong = Identity::parse(&file, Some(&Passphrase::new("wrong").unwrap())).unwrap_err();
            assert!(matches!(wrong.error, Error::WrongPassphrase), "{name}");
        }
        private += 1;
    }
    assert!(private >= 5 && public.len() >= 5, "{private}, {}", public.len());
    let mut pairs = 0;
    for entry in of_encryption().filter(|entry| entry["kind"] == "private") {
        let name = entry["file"].as_str().unwrap();
        let Some(recipient) = public.get(name) else { continue };
        let sealed = Encryptor::new([recipient.clone()]).encrypt(b"attack at dawn").unwrap();
        assert_eq!(Decryptor::new(read_key(&manifest, name)).decrypt(&sealed).unwrap(), b"attack at dawn", "{name}");
        pairs += 1;
    }
    assert!(pairs >= 5, "{pairs}");
}

/// A field behind its length.
fn field(bytes: &[u8]) -> Vec<u8> {
    [&u32::try_from(bytes.len()).unwrap().to_le_bytes()[..], bytes].concat()
}

/// A header to put together and to damage.
#[derive(Clone)]
struct Head {
    magic: &'static [u8],
    version: u16,
    scheme: u8,
    names: [Vec<u8>; 2],
    key: Vec<u8>,
    salt: Vec<u8>,
    nonce: Vec<u8>,
    aead: Option<Vec<u8>>,
    chunk_len: Option<u32>,
}

impl Head {
    fn new(scheme: u8, key: &[u8]) -> Self {
        let names: [&[u8]; 2] = if scheme == 1 { [b"prime256v1", b"SHA3-512"] } else { [b"ML-KEM-768", b"ML-DSA-65"] };
        Self {
            magic: b"NKCT",
            version: 3,
            scheme,
            names: names.map(<[u8]>::to_vec),
            key: key.to_vec(),
            salt: vec![3; 16],
            nonce: vec![5; 12],
            aead: Some(b"AES-256-GCM".to_vec()),
            chunk_len: Some(100),
        }
    }

    fn of_version(self, version: u16) -> Self {
        let aead = if version == 1 { None } else { self.aead };
        Self { version, aead, chunk_len: self.chunk_len.filter(|_| version == 3), ..self }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = [self.magic, &self.version.to_le_bytes(), &[self.scheme]].concat();
        for one in [&self.names[0], &self.names[1], &self.key, &self.salt, &self.nonce] {
            bytes.extend(field(one));
        }
        bytes.extend(self.aead.as_deref().map(field).unwrap_or_default());
        bytes.extend(self.chunk_len.into_iter().flat_map(u32::to_le_bytes));
        bytes
    }
}

fn derived<const N: usize>(hash: hash::Algorithm, secret: &[u8], salt: &[u8], info: &str) -> [u8; N] {
    let mut key = [0; N];
    hkdf(hash, secret, salt, info.as_bytes(), &mut key).unwrap();
    key
}

/// The chunks of version 3 behind a header, with the last one marked. Each part is a chunk.
fn chunks(head: &[u8], secret: &[u8], aead: Algorithm, parts: &[&[u8]]) -> Vec<u8> {
    let salt = [3; 16];
    let key: [u8; 32] = derived(Sha3_256, secret, &salt, "nkct-v3-enc-key");
    let prefix: [u8; 8] = derived(Sha3_256, secret, &salt, "nkct-v3-nonce-prefix");
    let session = &hash_of(head)[..16];
    let aead = Aead::new(aead, &key).unwrap();
    let mut file = head.to_vec();
    for (i, part) in parts.iter().enumerate() {
        let counter = u32::try_from(i).unwrap().to_be_bytes();
        let nonce = [&prefix[..], &counter].concat();
        let data = [session, &counter[..], &[u8::from(i + 1 == parts.len())]].concat();
        file.extend(aead.seal(&nonce, &data, part).unwrap());
    }
    file
}

fn hash_of(bytes: &[u8]) -> Vec<u8> {
    hash::hash(Sha256, bytes).as_bytes().to_vec()
}

/// A key pair with what a header has for it, and the secret.
struct Shared {
    identity: Identity,
    field: Vec<u8>,
    secret: Vec<u8>,
}

impl Shared {
    fn new(kind: Kind) -> Self {
        let key = PrivateKey::generate(kind).unwrap();
        let (field, secret) = if kind == Kind::P256 {
            let ephemeral = PrivateKey::generate(Kind::P256).unwrap();
            let secret = ephemeral.hazmat_shared_secret(&key.public_key()).unwrap();
            (ephemeral.public_key().to_der().unwrap(), secret.to_vec())
        } else {
            let (ciphertext, secret) = key.public_key().encapsulate().unwrap();
            (ciphertext, secret.to_vec())
        };
        Self { identity: key.try_into().unwrap(), field, secret }
    }
}

/// A header of two, and the secret of both.
fn hybrid(ecc: &Shared, pqc: &Shared, version: u16) -> (Vec<u8>, Vec<u8>) {
    let parts = [(1, ecc), (2, pqc)].map(|(scheme, one)| Head::new(scheme, &one.field).of_version(version).bytes());
    let outer = if version == 3 { 3_u16 } else { 1 };
    let mut head = [&b"NKCT"[..], &outer.to_le_bytes(), &[3]].concat();
    for part in &parts {
        head.extend(field(part));
    }
    if version == 3 {
        head.extend(100_u32.to_le_bytes());
    }
    (head, [&ecc.secret[..], &pqc.secret].concat())
}

#[test]
fn version_3_put_together_by_hand_opens() {
    let plaintext = pattern(250);
    let parts: Vec<&[u8]> = plaintext.chunks(100).collect();
    for kind in [Kind::P256, Kind::MlKem512, Kind::MlKem768, Kind::MlKem1024] {
        let shared = Shared::new(kind);
        let mut head = Head::new(if kind == Kind::P256 { 1 } else { 2 }, &shared.field);
        for (name, aead) in [
            ("AES-256-GCM", Algorithm::Aes256Gcm),
            ("aes-256-gcm", Algorithm::Aes256Gcm),
            ("ChaCha20-Poly1305", Algorithm::ChaCha20Poly1305),
            ("CHACHA20-POLY1305", Algorithm::ChaCha20Poly1305),
        ] {
            head.aead = Some(name.as_bytes().to_vec());
            let file = chunks(&head.bytes(), &shared.secret, aead, &parts);
            let decryptor = Decryptor::new([shared.identity.clone()]);
            assert_eq!(decryptor.decrypt(&file).unwrap(), plaintext, "{kind}, {name}");
        }
    }
    let (ecc, pqc) = (Shared::new(Kind::P256), Shared::new(Kind::MlKem768));
    let (head, secret) = hybrid(&ecc, &pqc, 3);
    let file = chunks(&head, &secret, Algorithm::Aes256Gcm, &parts);
    let both = [pqc.identity.clone(), ecc.identity.clone()];
    assert_eq!(Decryptor::new(both).decrypt(&file).unwrap(), plaintext);
    for one in [ecc.identity, pqc.identity] {
        assert_eq!(Decryptor::new([one]).decrypt(&file).unwrap_err().code(), "no_matching_identity");
    }
}

#[test]
fn what_is_written_is_as_it_was_put_together_by_hand() {
    let key = PrivateKey::generate(Kind::P256).unwrap();
    let identity = Identity::try_from(key.clone()).unwrap();
    let plaintext = pattern(250);
    let file = encryptor(&[identity]).chunk_len(100).unwrap().encrypt(&plaintext).unwrap();
    // Of 183 bytes, as its programs write it.
    let (head, body) = file.split_at(183);
    assert_eq!(body.len(), 250 + 3 * 16);
    let point = &head[7 + 4 + 10 + 4 + 8 + 4..][..91];
    let salt: [u8; 16] = head[132..148].try_into().unwrap();
    let expected = Head { salt: salt.to_vec(), nonce: head[152..164].to_vec(), ..Head::new(1, point) };
    assert_eq!(head, expected.bytes());
    let point = sealstone::exchange::PublicKey::parse(point).unwrap();
    let secret = key.hazmat_shared_secret(&point).unwrap();
    let content: [u8; 32] = derived(Sha3_256, &secret, &salt, "nkct-v3-enc-key");
    let prefix: [u8; 8] = derived(Sha3_256, &secret, &salt, "nkct-v3-nonce-prefix");
    let aead = Aead::new(Algorithm::Aes256Gcm, &content).unwrap();
    for (i, chunk) in body.chunks(116).enumerate() {
        let counter = [0, 0, 0, u8::try_from(i).unwrap()];
        let data = [&hash_of(head)[..16], &counter, &[u8::from(i == 2)]].concat();
        let opened = aead.open(&[&prefix[..], &counter].concat(), &data, chunk).unwrap();
        assert_eq!(opened, plaintext[100 * i..plaintext.len().min(100 * i + 100)]);
    }
    for (identities, len) in
        [(vec![generate(Kind::MlKem768)], 1181), (vec![generate(Kind::P256), generate(Kind::MlKem768)], 1383)]
    {
        let file = encryptor(&identities).encrypt(b"").unwrap();
        assert_eq!(inspect(Input::reader(&file[..])).unwrap().header_len, len);
        assert_eq!(file.len() as u64, len + 16);
    }
}

#[test]
fn what_is_written_is_read_in_every_way() {
    const CHUNK_LEN: usize = 1000;
    let folder = tempdir().unwrap();
    let (plain, sealed, opened) =
        (folder.path().join("plain"), folder.path().join("sealed"), folder.path().join("opened"));
    for identities in recipients() {
        for len in [0, 1, CHUNK_LEN - 1, CHUNK_LEN, CHUNK_LEN + 1, 2 * CHUNK_LEN, 40 * CHUNK_LEN + 7] {
            let plaintext = pattern(len);
            fs::write(&plain, &plaintext).unwrap();
            for threads in [1, 3] {
                let encryptor = encryptor(&identities).chunk_len(1000).unwrap().threads(threads);
                let decryptor = Decryptor::new(identities.clone()).threads(threads);
                let written = encryptor.encrypt_file(&plain, &sealed).unwrap();
                let file = fs::read(&sealed).unwrap();
                assert_eq!((written.plaintext, written.ciphertext), (len as u64, file.len() as u64));
                assert_eq!(decryptor.decrypt_file(&sealed, &opened).unwrap(), written);
                assert!(fs::read(&opened).unwrap() == plaintext);
                assert!(decryptor.decrypt(&file).unwrap() == plaintext);
                assert_eq!(decryptor.verify(Input::open(&sealed).unwrap()).unwrap(), written);
                let (result, received) = streamed(&decryptor, &file, threads);
                assert!(result.unwrap() == len as u64 && received == plaintext);
                let mut in_stream = Vec::new();
                let pieces = Input::reader(Pieces::new(&plaintext, &[1, 700]));
                encryptor.encrypt_to(pieces, Output::writer(Takes::new(&mut in_stream, &[1, 500]))).unwrap();
                assert!(in_stream.len() == file.len() && decryptor.decrypt(&in_stream).unwrap() == plaintext);
                let first = decryptor.clone().verify_first(true);
                assert!(first.decrypt(&file).unwrap() == plaintext);
                let mut out = Vec::new();
                first.decrypt_to(Input::open(&sealed).unwrap(), Output::writer(&mut out)).unwrap();
                assert!(out == plaintext);
                let streamed = first.decrypt_to(Input::reader(&file[..]), Output::writer(Vec::new()));
                assert_eq!(streamed.unwrap_err().code(), "not_seekable");
                fs::remove_file(&sealed).unwrap();
                fs::remove_file(&opened).unwrap();
            }
        }
    }
    // With chunks of one MiB, and both AEADs.
    let plaintext = pattern(5 << 20);
    fs::write(&plain, &plaintext).unwrap();
    for aead in [Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305] {
        let identity = generate(Kind::P256);
        encryptor(std::slice::from_ref(&identity)).aead(aead).unwrap().encrypt_file(&plain, &sealed).unwrap();
        let seen = inspect(Input::open(&sealed).unwrap()).unwrap();
        assert_eq!((seen.aead, seen.chunks, seen.scheme), (aead, Some((1 << 20, 5)), Scheme::Ecc));
        Decryptor::new([identity]).decrypt_file(&sealed, &opened).unwrap();
        assert!(fs::read(&opened).unwrap() == plaintext);
        fs::remove_file(&sealed).unwrap();
        fs::remove_file(&opened).unwrap();
    }
}

/// A chunk of 64 MiB is the largest, and is one unit of a thread.
#[test]
fn the_largest_chunks_are_written_and_read() {
    let identity = generate(Kind::P256);
    let folder = tempdir().unwrap();
    let (plain, sealed, opened) =
        (folder.path().join("plain"), folder.path().join("sealed"), folder.path().join("opened"));
    fs::write(&plain, vec![7; (64 << 20) + 5]).unwrap();
    let written =
        encryptor(std::slice::from_ref(&identity)).chunk_len(64 << 20).unwrap().encrypt_file(&plain, &sealed).unwrap();
    assert_eq!(written.ciphertext, 183 + (64 << 20) + 5 + 32);
    Decryptor::new([identity]).decrypt_file(&sealed, &opened).unwrap();
    assert!(fs::read(&opened).unwrap() == fs::read(&plain).unwrap());
    assert_eq!(encryptor(&[]).chunk_len((64 << 20) + 1).unwrap_err().code(), "invalid_option");
}

#[test]
fn a_part_is_read_as_its_place_says() {
    const CHUNK_LEN: usize = 100;
    let shared = Shared::new(Kind::P256);
    let head = Head::new(1, &shared.field).bytes();
    let decryptor = Decryptor::new([shared.identity.clone(), generate(Kind::P256)]);
    let folder = tempdir().unwrap();
    // The last of these has an empty chunk at its end, which no writer of ours makes.
    for (len, is_longer) in [(0, false), (1, false), (100, false), (300, false), (305, false), (300, true)] {
        let plaintext = pattern(len);
        let mut parts: Vec<&[u8]> = plaintext.chunks(CHUNK_LEN).collect();
        if is_longer || len == 0 {
            parts.push(b"");
        }
        let sealed = chunks(&head, &shared.secret, Algorithm::Aes256Gcm, &parts);
        assert_eq!(decryptor.decrypt(&sealed).unwrap(), plaintext);
        let path = folder.path().join(format!("{len}{is_longer}"));
        fs::write(&path, &sealed).unwrap();
        let out = folder.path().join("out");
        let summary = decryptor.decrypt_file(&path, &out).unwrap();
        assert_eq!((summary.plaintext, summary.ciphertext), (len as u64, sealed.len() as u64));
        assert!(fs::read(&out).unwrap() == plaintext);
        fs::remove_file(&out).unwrap();
        let places = [0, 1, 99, 100, 101, 200, len.saturating_sub(1), len, len + 1, usize::MAX];
        let of_memory = |range| decryptor.decrypt_range(&sealed, range);
        let of_file = |input: Input<'_>, range, output: Output<'_>| decryptor.decrypt_range_to(input, range, output);
        check_ranges(&plaintext, &path, &places, of_memory, of_file);
        let error = decryptor.decrypt_range_to(Input::reader(&sealed[..]), 0..1, Output::writer(Vec::new()));
        assert_eq!(error.unwrap_err().code(), "not_seekable");
    }
    // A length that is not authentic tells nothing: the last chunk is opened before the end is said.
    let sealed = chunks(&head, &shared.secret, Algorithm::Aes256Gcm, &[&[7; 100], &[7; 100]]);
    let cut = &sealed[..sealed.len() - 116];
    let path = folder.path().join("cut");
    fs::write(&path, cut).unwrap();
    for range in [0..101, 101..102] {
        assert_eq!(decryptor.decrypt_range(cut, range.clone()).unwrap_err().code(), "truncated");
        let to_stream = decryptor.decrypt_range_to(Input::open(&path).unwrap(), range, Output::writer(Vec::new()));
        assert_eq!(to_stream.unwrap_err().code(), "truncated");
    }
}

#[test]
fn no_byte_of_a_file_can_be_changed_cut_or_added() {
    for identities in [vec![generate(Kind::P256)], vec![generate(Kind::P256), generate(Kind::MlKem512)]] {
        let sealed = encryptor(&identities).encrypt(b"attack at dawn").unwrap();
        let decryptor = Decryptor::new(identities);
        let is_refused = |file: &[u8]| decryptor.decrypt(file).is_err();
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(is_refused(&changed), "byte {at}");
            assert!(is_refused(&sealed[..at]), "{at} bytes");
            let mut longer = sealed.clone();
            longer.insert(at, b'A');
            assert!(is_refused(&longer), "one more at {at}");
        }
        assert!(is_refused(&[&sealed[..], b"\0"].concat()));
    }
}

#[test]
fn chunks_that_are_cut_swapped_or_repeated_are_refused() {
    let identity = generate(Kind::P256);
    let sealed = encryptor(std::slice::from_ref(&identity)).chunk_len(1000).unwrap().encrypt(&pattern(5000)).unwrap();
    let chunk = 1016;
    let head = sealed.len() - 5 * chunk;
    let part = |i: usize| &sealed[head + i * chunk..head + (i + 1) * chunk];
    for (order, code, released) in [
        (&[0, 1, 2, 3][..], "truncated", 4),
        (&[0, 1, 2, 4], "not_authentic", 3),
        (&[0, 2, 1, 3, 4], "not_authentic", 1),
        (&[0, 0, 1, 2, 3, 4], "not_authentic", 1),
        (&[0, 1, 2, 3, 4, 4], "not_authentic", 5),
        (&[4, 1, 2, 3, 4], "not_authentic", 0),
        (&[], "truncated", 0),
    ] {
        let file = [&sealed[..head], &order.iter().flat_map(|i| part(*i)).copied().collect::<Vec<_>>()[..]].concat();
        for threads in [1, 3] {
            let decryptor = Decryptor::new([identity.clone()]).threads(threads);
            let (result, received) = streamed(&decryptor, &file, threads);
            assert_eq!(result.unwrap_err().code(), code, "{order:?}");
            assert!(received == pattern(1000 * released), "{order:?}: {} bytes", received.len());
            assert_eq!(decryptor.decrypt(&file).unwrap_err().code(), code, "{order:?}");
            let folder = tempdir().unwrap();
            let path = folder.path().join("sealed");
            fs::write(&path, &file).unwrap();
            let out = folder.path().join("out");
            assert_eq!(decryptor.decrypt_file(&path, &out).unwrap_err().code(), code, "{order:?}");
            assert!(!out.exists());
        }
    }
}

#[test]
fn headers_that_break_a_rule_are_refused_before_any_key_is_used() {
    let shared = Shared::new(Kind::P256);
    let good = Head::new(1, &shared.field);
    let decryptor = Decryptor::new([shared.identity.clone()]);
    let code = |head: &[u8]| {
        // What is behind a header that cannot be read does not matter.
        let file = [head, &[0; 100]].concat();
        let seen = inspect(Input::reader(&file[..])).map(drop).map_err(|error| error.code());
        let opened = decryptor.decrypt(&file).map(drop).map_err(|error| error.code());
        assert_eq!(seen.is_err(), matches!(opened, Err("malformed_header" | "truncated")), "{seen:?}, {opened:?}");
        opened.unwrap_err()
    };
    let changed = |change: &dyn Fn(&mut Head)| {
        let mut head = good.clone();
        change(&mut head);
        code(&head.bytes())
    };
    assert_eq!(code(&good.bytes()), "not_authentic");
    for version in [0, 4, 256, u16::MAX] {
        assert_eq!(changed(&|head| head.version = version), "malformed_header", "version {version}");
    }
    for scheme in [0, 4, 0xff] {
        assert_eq!(changed(&|head| head.scheme = scheme), "malformed_header", "scheme {scheme}");
    }
    for chunk_len in [0, (64 << 20) + 1, u32::MAX] {
        assert_eq!(changed(&|head| head.chunk_len = Some(chunk_len)), "malformed_header", "{chunk_len}");
    }
    assert_eq!(changed(&|head| head.chunk_len = Some(64 << 20)), "not_authentic");
    for i in 0..2 {
        assert_eq!(changed(&|head| head.names[i] = vec![b'x'; 64]), "not_authentic");
        assert_eq!(changed(&|head| head.names[i] = vec![b'x'; 65]), "malformed_header");
        for name in [&b"SHA3\x1b[2J"[..], b"a b", b"\0", "\u{e9}".as_bytes()] {
            assert_eq!(changed(&|head| head.names[i] = name.to_vec()), "malformed_header", "{name:?}");
        }
    }
    for aead in [&b""[..], b"AES-128-GCM", b"AES-256-GCM-SIV", b"none"] {
        assert_eq!(changed(&|head| head.aead = Some(aead.to_vec())), "malformed_header", "{aead:?}");
    }
    for len in [0, 15, 17, 32] {
        assert_eq!(changed(&|head| head.salt = vec![3; len]), "malformed_header", "a salt of {len}");
    }
    for len in [0, 11, 13, 16] {
        assert_eq!(changed(&|head| head.nonce = vec![5; len]), "malformed_header", "a nonce of {len}");
    }
    let p384 = PrivateKey::generate(Kind::P384).unwrap().public_key().to_der().unwrap();
    let mut off_the_curve = shared.field.clone();
    *off_the_curve.last_mut().unwrap() ^= 1;
    let raw = shared.field[26..].to_vec();
    for key in
        [Vec::new(), p384, off_the_curve, raw, vec![0; 1025], b"{\"kty\":\"EC\"}".to_vec(), shared.field[..90].to_vec()]
    {
        assert_eq!(changed(&|head| head.key = key.clone()), "malformed_header", "{key:?}");
    }
    let pqc = Head::new(2, &vec![7; 1088]);
    assert_eq!(code(&pqc.bytes()), "no_matching_identity");
    for len in [0, 767, 1087, 1089, 1569] {
        assert_eq!(code(&Head::new(2, &vec![7; len]).bytes()), "malformed_header", "a ciphertext of {len}");
    }
    // Lengths that no memory has are refused, and not waited for.
    for at in [7, 21, 33, 128, 148, 164] {
        let mut head = good.bytes();
        head[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(code(&head), "malformed_header", "a length at {at}");
    }
    // Every cut is one.
    for version in [1, 2, 3] {
        let head = good.clone().of_version(version).bytes();
        for at in 4..head.len() {
            let error = decryptor.decrypt(&head[..at]).unwrap_err();
            assert_eq!(error.code(), "truncated", "version {version}, {at} bytes");
        }
        for at in 0..16 {
            assert_eq!(decryptor.decrypt(&[&head[..], &vec![0; at]].concat()).unwrap_err().code(), "truncated");
        }
    }
    assert_eq!(decryptor.decrypt(b"NKC").unwrap_err().code(), "truncated");
    assert_eq!(decryptor.decrypt(b"NKCS\x02\0\x02").unwrap_err().code(), "malformed_header");
}

#[test]
fn headers_within_a_header_fit_it() {
    let (ecc, pqc) = (Shared::new(Kind::P256), Shared::new(Kind::MlKem768));
    let decryptor = Decryptor::new([ecc.identity.clone(), pqc.identity.clone()]);
    let part = |scheme, version| {
        let one = if scheme == 1 { &ecc } else { &pqc };
        Head::new(scheme, &one.field).of_version(version).bytes()
    };
    let code = |outer: u16, parts: &[Vec<u8>], rest: &[u8]| {
        let head = [&b"NKCT"[..], &outer.to_le_bytes(), &[3], &parts.concat(), rest, &[0; 100]].concat();
        decryptor.decrypt(&head).unwrap_err().code()
    };
    let with_len = |scheme, version| field(&part(scheme, version));
    let size = 100_u32.to_le_bytes();
    assert_eq!(code(3, &[with_len(1, 3), with_len(2, 3)], &size), "not_authentic");
    assert_eq!(code(1, &[with_len(1, 2), with_len(2, 2)], b""), "not_authentic");
    assert_eq!(code(1, &[with_len(1, 1), with_len(2, 1)], b""), "not_authentic");
    assert_eq!(code(1, &[part(2, 1), part(1, 1)], b""), "not_authentic");
    for (outer, parts) in [
        (3, [with_len(2, 3), with_len(1, 3)]),
        (3, [with_len(1, 3), with_len(1, 3)]),
        (3, [with_len(1, 2), with_len(2, 2)]),
        (1, [with_len(1, 3), with_len(2, 3)]),
        (1, [part(1, 1), part(2, 1)]),
        (3, [with_len(1, 3), field(&[&part(2, 3)[..], b"x"].concat())]),
        (3, [field(&part(1, 3)[..180]), with_len(2, 3)]),
        (3, [field(&vec![0; 40_000]), with_len(2, 3)]),
        (3, [field(b""), with_len(2, 3)]),
    ] {
        assert_eq!(code(outer, &parts, &size), "malformed_header");
    }
    // The outer size of chunks counts, and the inner ones have to be sizes.
    assert_eq!(code(3, &[with_len(1, 3), with_len(2, 3)], &0_u32.to_le_bytes()), "malformed_header");
    // A header within a header within a header is none.
    let nested = [&b"NKCT\x03\0\x03"[..], &with_len(1, 3), &with_len(2, 3), &size].concat();
    assert_eq!(code(3, &[field(&nested), with_len(2, 3)], &size), "malformed_header");
}

/// A message of version 1 or 2 behind a header.
fn message(
    head: &[u8],
    hash: hash::Algorithm,
    secret: &[u8],
    info: &str,
    aead: Algorithm,
    plaintext: &[u8],
) -> Vec<u8> {
    let key: [u8; 32] = derived(hash, secret, &[3; 16], info);
    let sealed = Aead::new(aead, &key).unwrap().seal(&[5; 12], b"", plaintext).unwrap();
    [head, &sealed].concat()
}

#[test]
fn versions_1_and_2_put_together_by_hand_open_and_release_nothing_early() {
    use Algorithm::{Aes256Gcm, ChaCha20Poly1305};
    let (ecc, pqc) = (Shared::new(Kind::P256), Shared::new(Kind::MlKem1024));
    let folder = tempdir().unwrap();
    let (path, out) = (folder.path().join("sealed"), folder.path().join("out"));
    let chacha = |mut head: Head| {
        head.aead = Some(b"ChaCha20-Poly1305".to_vec());
        head.bytes()
    };
    let head =
        |scheme: u8, version| Head::new(scheme, if scheme == 1 { &ecc.field } else { &pqc.field }).of_version(version);
    let both = [&ecc.secret[..], &pqc.secret].concat();
    let turned = [&pqc.secret[..], &ecc.secret].concat();
    let old = [&b"NKCT\x01\0\x03"[..], &head(2, 1).bytes(), &head(1, 1).bytes()].concat();
    let pem = Head { key: pem_of(&ecc.field), ..head(1, 1) };
    for (name, head, hash, secret, info, aead) in [
        ("1 ecc", head(1, 1).bytes(), Sha3_256, &ecc.secret, "ecc-encryption", Aes256Gcm),
        ("1 ecc, PEM", pem.bytes(), Sha3_256, &ecc.secret, "ecc-encryption", Aes256Gcm),
        ("1 ecc, SHA-256", head(1, 1).bytes(), Sha256, &ecc.secret, "ecc-encryption", Aes256Gcm),
        ("2 ecc", head(1, 2).bytes(), Sha3_256, &ecc.secret, "ecc-encryption", Aes256Gcm),
        ("2 ecc, SHA-256", chacha(head(1, 2)), Sha256, &ecc.secret, "ecc-encryption", ChaCha20Poly1305),
        ("1 pqc", head(2, 1).bytes(), Sha3_256, &pqc.secret, "pqc-encryption", Aes256Gcm),
        ("2 pqc", chacha(head(2, 2)), Sha3_256, &pqc.secret, "pqc-encryption", ChaCha20Poly1305),
        ("1 hybrid", hybrid(&ecc, &pqc, 1).0, Sha3_256, &both, "hybrid-encryption", Aes256Gcm),
        ("2 hybrid", hybrid(&ecc, &pqc, 2).0, Sha3_256, &both, "hybrid-encryption", Aes256Gcm),
        ("1 hybrid, old", old, Sha3_256, &turned, "hybrid-encryption", Aes256Gcm),
    ] {
        let decryptor = Decryptor::new([pqc.identity.clone(), generate(Kind::P256), ecc.identity.clone()]);
        for len in [0, 1, 15, 16, 17, 1000, 300_000] {
            let plaintext = pattern(len);
            let file = message(&head, hash, secret, info, aead, &plaintext);
            fs::write(&path, &file).unwrap();
            assert!(decryptor.decrypt(&file).unwrap() == plaintext, "{name}, {len}");
            for threads in [1, 3] {
                let (result, received) = streamed(&decryptor, &file, threads);
                assert!(result.unwrap() == len as u64 && received == plaintext, "{name}, {len}");
                let decryptor = decryptor.clone().threads(threads);
                let mut received = Vec::new();
                let summary = decryptor.decrypt_to(Input::open(&path).unwrap(), Output::writer(&mut received)).unwrap();
                assert_eq!((summary.plaintext, summary.ciphertext), (len as u64, file.len() as u64), "{name}, {len}");
                assert!(received == plaintext, "{name}, {len}");
                for first in [false, true] {
                    let decryptor = decryptor.clone().verify_first(first);
                    assert_eq!(decryptor.decrypt_file(&path, &out).unwrap(), summary, "{name}, {len}");
                    assert!(fs::read(&out).unwrap() == plaintext, "{name}, {len}");
                    fs::remove_file(&out).unwrap();
                    decryptor.decrypt_to(Input::reader(&file[..]), Output::file(&out).unwrap()).unwrap();
                    assert!(fs::read(&out).unwrap() == plaintext, "{name}, {len}");
                    fs::remove_file(&out).unwrap();
                }
            }
            assert_eq!(decryptor.verify(Input::open(&path).unwrap()).unwrap().plaintext, len as u64);
            assert_eq!(inspect(Input::open(&path).unwrap()).unwrap().plaintext_len, len as u64);
            let error = decryptor.decrypt_range(&file, 0..1).unwrap_err();
            assert_eq!(error.code(), "invalid_option", "{name}");
            // Whatever is wrong shows as the same, and nobody sees a byte.
            let damaged = |at: usize| {
                let mut file = file.clone();
                file[at] ^= 1;
                file
            };
            for file in [
                damaged(head.len()),
                damaged(file.len() - 1),
                file[..file.len() - 1].to_vec(),
                [&file[..], b"x"].concat(),
            ] {
                fs::write(&path, &file).unwrap();
                let expected = if file.len() < head.len() + 16 { "truncated" } else { "not_authentic" };
                assert_eq!(decryptor.decrypt(&file).unwrap_err().code(), expected, "{name}, {len}");
                let (result, received) = streamed(&decryptor, &file, 1);
                assert!(result.unwrap_err().code() == expected && received.is_empty(), "{name}, {len}");
                let mut received = Vec::new();
                let result = decryptor.decrypt_to(Input::open(&path).unwrap(), Output::writer(&mut received));
                assert!(result.unwrap_err().code() == expected && received.is_empty(), "{name}, {len}");
                assert_eq!(decryptor.decrypt_file(&path, &out).unwrap_err().code(), expected, "{name}, {len}");
                assert!(!out.exists());
                assert_eq!(
                    decryptor.verify(Input::open(&path).unwrap()).unwrap_err().code(),
                    expected,
                    "{name}, {len}"
                );
            }
        }
    }
}

fn pem_of(der: &[u8]) -> Vec<u8> {
    let key = sealstone::exchange::PublicKey::parse(der).unwrap();
    key.to_pem().unwrap().into_bytes()
}

/// What is too long to be held in memory: to a file in one pass, and to a pipe not at all.
#[test]
fn long_messages_go_through_files() {
    let shared = Shared::new(Kind::P256);
    let head = Head::new(1, &shared.field).of_version(1).bytes();
    let decryptor = Decryptor::new([shared.identity.clone()]);
    let folder = tempdir().unwrap();
    let (path, out) = (folder.path().join("sealed"), folder.path().join("out"));
    let plaintext = vec![7; (64 << 20) + 5];
    for (hash, code) in [(Sha3_256, None), (Sha256, Some("not_seekable"))] {
        let file = message(&head, hash, &shared.secret, "ecc-encryption", Algorithm::Aes256Gcm, &plaintext);
        let piped = decryptor.decrypt_to(Input::reader(&file[..]), Output::file(&out).unwrap());
        // Which of the two keys it is shows at the end, when the other's plaintext was written.
        assert_eq!(piped.map_err(|error| error.code()).err(), code);
        assert_eq!(out.exists(), code.is_none());
        _ = fs::remove_file(&out);
        let error = decryptor.decrypt_to(Input::reader(&file[..]), Output::writer(Vec::new())).unwrap_err();
        assert_eq!(error.code(), "too_long");
        assert_eq!(decryptor.verify(Input::reader(&file[..])).unwrap().plaintext, plaintext.len() as u64);
        fs::write(&path, &file).unwrap();
        decryptor.decrypt_file(&path, &out).unwrap();
        assert!(fs::read(&out).unwrap() == plaintext);
        fs::remove_file(&out).unwrap();
        // In a second pass the file may be another one.
        for decryptor in [decryptor.clone(), decryptor.clone().verify_first(true)] {
            let mut received = Vec::new();
            let error = decryptor.decrypt_to(Input::open(&path).unwrap(), Output::writer(&mut received)).unwrap_err();
            assert!(error.code() == "too_long" && received.is_empty());
        }
    }
}

#[test]
fn a_file_is_to_one_recipient() {
    let (ecc, pqc) = (generate(Kind::P256).recipient(), generate(Kind::MlKem768).recipient());
    let check = |keys: &[&Recipient]| {
        Encryptor::new(keys.iter().map(|key| (*key).clone())).encrypt(b"").map(drop).map_err(|error| error.code())
    };
    assert_eq!(check(&[&ecc]), Ok(()));
    assert_eq!(check(&[&ecc, &pqc]), Ok(()));
    assert_eq!(check(&[&pqc, &ecc]), Ok(()));
    for keys in [&[][..], &[&ecc, &ecc], &[&pqc, &pqc], &[&ecc, &pqc, &pqc]] {
        assert_eq!(check(keys), Err("invalid_recipients"));
    }
    let chacha = |keys: &[&Recipient]| {
        let encryptor = Encryptor::new(keys.iter().map(|key| (*key).clone()));
        encryptor.aead(Algorithm::ChaCha20Poly1305).unwrap().encrypt(b"").map(drop).map_err(|error| error.code())
    };
    assert_eq!(chacha(&[&ecc]), Ok(()));
    assert_eq!(chacha(&[&pqc]), Ok(()));
    assert_eq!(chacha(&[&ecc, &pqc]), Err("invalid_option"));
}

#[test]
fn keys_of_other_kinds_are_refused_by_name() {
    for kind in [sealstone::Kind::X25519, sealstone::Kind::Hybrid, sealstone::Kind::Sm2, sealstone::Kind::Key] {
        let identity = sealstone::Identity::generate(kind).unwrap();
        let error = Identity::try_from(identity.clone()).unwrap_err();
        assert_eq!(error.to_string(), "unsupported key type: it is for another algorithm");
        assert_eq!(Recipient::try_from(identity.recipient()).unwrap_err().code(), "unsupported_key");
    }
    for kind in [Kind::X25519, Kind::P384, Kind::P521, Kind::Hybrid] {
        let key = PrivateKey::generate(kind).unwrap();
        assert_eq!(Recipient::try_from(key.public_key()).unwrap_err().code(), "unsupported_key");
        assert_eq!(Identity::try_from(key).unwrap_err().code(), "unsupported_key");
    }
    for kind in [sealstone::Kind::P256, sealstone::Kind::MlKem768] {
        let own = sealstone::Identity::generate(kind).unwrap();
        let sealed = Encryptor::new([own.recipient().try_into().unwrap()]).encrypt(b"attack at dawn").unwrap();
        assert_eq!(Decryptor::new([own.try_into().unwrap()]).decrypt(&sealed).unwrap(), b"attack at dawn");
    }
    let blob = "-----BEGIN TPM WRAPPED BLOB-----\nP=AAAA\nR=AAAA\n-----END TPM WRAPPED BLOB-----\n";
    let error = Identity::parse(blob, None).unwrap_err().error;
    assert!(
        error.code() == "unsupported_key"
            && error.to_string().contains("decrypt the files with nkCryptoTool on that machine"),
        "{error}"
    );
    assert_eq!(sealstone::parse_identities(blob, None).unwrap_err().error.to_string(), error.to_string());
    let public = PrivateKey::generate(Kind::MlKem512).unwrap().public_key().to_pem().unwrap();
    assert_eq!(Identity::parse(&public, None).unwrap_err().error.code(), "invalid_identity");
    let private = PrivateKey::generate(Kind::MlKem512).unwrap().to_pem(None).unwrap();
    assert_eq!(Recipient::parse(private.as_bytes()).unwrap_err().error.code(), "invalid_recipient");
}
