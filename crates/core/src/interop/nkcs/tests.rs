//! Each layout that a build of nkCryptoTool wrote, made by these tests, and every fault that a signature can have.

use super::*;
use crate::hash::{Algorithm, hash};
use crate::reserved::FILES;
use crate::sign::{Hash, Options};
use proptest::prelude::*;
use std::sync::LazyLock;

const CONTENT: &[u8] = b"attack at dawn\n";
const CONTEXT: &[u8] = b"nkct-file-sign-v1";
const KINDS: [Kind; 4] = [Kind::P256Sign, Kind::MlDsa44, Kind::MlDsa65, Kind::MlDsa87];

/// A key of each kind.
static KEYS: LazyLock<Vec<Arc<PrivateKey>>> =
    LazyLock::new(|| KINDS.into_iter().map(|kind| Arc::new(PrivateKey::generate(kind).unwrap())).collect());

fn key(kind: Kind) -> Arc<PrivateKey> {
    Arc::clone(KEYS.iter().find(|key| key.kind() == kind).unwrap())
}

fn reader() -> SignatureReader {
    SignatureReader::new(KEYS.iter().map(|key| key.public_key())).unwrap()
}

fn writer(key: &Arc<PrivateKey>) -> SignatureWriter {
    SignatureWriter::new(&SigningKey::new(Arc::clone(key)).unwrap())
}

fn verify(signature: &[u8]) -> Result<Verified> {
    reader().detached(Input::reader(CONTENT), signature)
}

fn code<T: std::fmt::Debug>(result: Result<T>) -> &'static str {
    result.unwrap_err().code()
}

fn lp(text: &str) -> Vec<u8> {
    [&u32::try_from(text.len()).unwrap().to_le_bytes(), text.as_bytes()].concat()
}

/// A file of these names.
fn file(version: u16, type_id: u8, names: &[&str], value: &[u8]) -> Vec<u8> {
    let names: Vec<u8> = names.iter().flat_map(|name| lp(name)).collect();
    [b"NKCS", &version.to_le_bytes()[..], &[type_id], &names, value].concat()
}

fn ml_dsa(kind: Kind, context: &[u8]) -> Vec<u8> {
    key(kind).sign_with(&Options::new().context(context), CONTENT).unwrap()
}

#[test]
fn what_every_kind_signs_it_verifies() {
    for key in KEYS.iter() {
        let kind = key.kind();
        let signature = writer(key).detached(Input::reader(CONTENT)).unwrap();
        assert!(begins(&signature) && signature.len() <= MAX_LEN, "{kind}");
        let verified = verify(&signature).unwrap();
        assert_eq!((verified.key(), verified.content_len()), (&key.public_key(), 15));
        assert_eq!(verified.version(), Some(if kind == Kind::P256Sign { 1 } else { 2 }));
        assert_eq!(code(reader().detached(Input::reader(&CONTENT[1..]), &signature)), "invalid_signature");
        // Another key of the kind, and no key of the kind.
        let stranger = PrivateKey::generate(kind).unwrap().public_key();
        let of_stranger = SignatureReader::new([stranger.clone()]).unwrap();
        assert_eq!(code(of_stranger.detached(Input::reader(CONTENT), &signature)), "invalid_signature");
        let both = SignatureReader::new([stranger, key.public_key()]).unwrap();
        assert_eq!(both.detached(Input::reader(CONTENT), &signature).unwrap().key(), &key.public_key());
        let others = KEYS.iter().map(|key| key.public_key()).filter(|key| key.kind() != kind);
        let error = SignatureReader::new(others).unwrap().detached(Input::reader(CONTENT), &signature).unwrap_err();
        assert_eq!(error.code(), "invalid_signature");
        assert!(error.to_string().contains(kind.name()), "{error}");
    }
}

/// Header and signature are those of both editions, over the content with FIPS 204's context, or over SHA3-512.
#[test]
fn what_is_written_is_what_both_editions_read() {
    let signed = |kind| writer(&key(kind)).detached(Input::reader(CONTENT)).unwrap();
    for (kind, name) in [(Kind::MlDsa44, "ML-DSA-44"), (Kind::MlDsa65, "ML-DSA-65"), (Kind::MlDsa87, "ML-DSA-87")] {
        let header = file(2, 2, &["ML-KEM-768", name, "SHA3-512"], &[]);
        let written = signed(kind);
        let value = written.strip_prefix(&header[..]).unwrap();
        key(kind).public_key().verify_with(&Options::new().context(CONTEXT), CONTENT, value).unwrap();
    }
    let header = file(1, 1, &["prime256v1", "SHA3-512"], &[]);
    let written = signed(Kind::P256Sign);
    let der = written.strip_prefix(&header[..]).unwrap();
    let digest = hash(Algorithm::Sha3_512, CONTENT);
    key(Kind::P256Sign).public_key().verify_digest(digest.as_bytes(), der).unwrap();
}

#[test]
fn each_layout_of_ml_dsa_is_read() {
    let names: [&[&str]; 4] = [
        &["ML-DSA-65", "SHA3-512"],
        &["ML-KEM-768", "ML-DSA-65"],
        &["ML-KEM-768", "ML-DSA-65", "SHA3-512"],
        // The names come from options, and may name other sizes than the key's.
        &["ML-KEM-1024", "ML-DSA-87", "whatever-1.0"],
    ];
    for kind in [Kind::MlDsa44, Kind::MlDsa65, Kind::MlDsa87] {
        let value = ml_dsa(kind, b"");
        for names in names {
            let of_pqc = file(1, 2, names, &value);
            let nested = [b"NKCS\x01\0\x03", &of_pqc[..]].concat();
            for signature in [file(1, 3, names, &value), of_pqc, nested] {
                let verified = verify(&signature).unwrap();
                assert_eq!((verified.key().kind(), verified.version()), (kind, Some(1)));
            }
        }
        // Version 2 has the three names, and its context.
        let value = ml_dsa(kind, CONTEXT);
        assert_eq!(verify(&file(2, 2, names[2], &value)).unwrap().version(), Some(2));
        for names in &names[..2] {
            assert_eq!(code(verify(&file(2, 2, names, &value))), "malformed_signature");
        }
        assert_eq!(code(verify(&file(1, 2, names[2], &value))), "invalid_signature");
        assert_eq!(code(verify(&file(2, 2, names[2], &ml_dsa(kind, b"")))), "invalid_signature");
        assert_eq!(code(verify(&file(2, 2, names[2], &ml_dsa(kind, b"nkct-bundle-v1")))), "invalid_signature");
    }
}

#[test]
fn ecdsa_may_be_over_another_digest_than_its_header_says() {
    let key = key(Kind::P256Sign);
    let signed = |algorithm| key.sign_digest(hash(algorithm, CONTENT).as_bytes()).unwrap();
    for algorithm in [Algorithm::Sha3_512, Algorithm::Sha256, Algorithm::Sha3_256, Algorithm::Sha512] {
        for curve in ["prime256v1", "P-256"] {
            verify(&file(1, 1, &[curve, "SHA3-512"], &signed(algorithm))).unwrap();
        }
    }
    for (name, algorithm) in [
        ("SHA-256", Algorithm::Sha256),
        ("sha384", Algorithm::Sha384),
        ("SHA2-512", Algorithm::Sha512),
        ("SHA3-384", Algorithm::Sha3_384),
    ] {
        verify(&file(1, 1, &["prime256v1", name], &signed(algorithm))).unwrap();
    }
    // A digest that is tried only if the header names it.
    assert_eq!(code(verify(&file(1, 1, &["prime256v1", "SHA3-512"], &signed(Algorithm::Sha384)))), "invalid_signature");
    for names in [["secp384r1", "SHA3-512"], ["prime256v1", "SHA1"], ["prime256v1", "MD5"], ["prime256v1", "SHA-224"]] {
        assert_eq!(code(verify(&file(1, 1, &names, &signed(Algorithm::Sha3_512)))), "unsupported_signature");
    }
    // Another encoding of the same numbers.
    let der = signed(Algorithm::Sha3_512);
    let long = [&[0x30, 0x81, der[1]], &der[2..]].concat();
    assert!(matches!(
        code(verify(&file(1, 1, &["prime256v1", "SHA3-512"], &long))),
        "invalid_signature" | "malformed_signature"
    ));
    // The empty content has a signature as any other has.
    let empty = writer(&key).detached(Input::reader(&b""[..])).unwrap();
    assert_eq!(reader().detached(Input::reader(&b""[..]), &empty).unwrap().content_len(), 0);
}

#[test]
fn a_signature_alone_is_read_only_if_the_caller_says_so() {
    let bare = reader().allow_bare(true);
    let key = key(Kind::P256Sign);
    let mut signatures: Vec<Vec<u8>> =
        [Kind::MlDsa44, Kind::MlDsa65, Kind::MlDsa87].into_iter().map(|kind| ml_dsa(kind, b"")).collect();
    for algorithm in [Algorithm::Sha3_512, Algorithm::Sha256] {
        signatures.push(key.sign_digest(hash(algorithm, CONTENT).as_bytes()).unwrap());
    }
    for signature in signatures {
        assert_eq!(code(verify(&signature)), "not_a_signature");
        assert_eq!(bare.detached(Input::reader(CONTENT), &signature).unwrap().version(), None);
        assert_eq!(code(bare.detached(Input::reader(&b"other"[..]), &signature)), "invalid_signature");
    }
    for other in [&b""[..], b"0", b"hello", &[0x30; 73], &[7; 3308]] {
        let code = code(bare.detached(Input::reader(CONTENT), other));
        assert!(matches!(code, "not_a_signature" | "invalid_signature"), "{code}");
    }
    // With a header it is as strict as ever.
    let written = writer(&key).detached(Input::reader(CONTENT)).unwrap();
    bare.detached(Input::reader(CONTENT), &written).unwrap();
    assert_eq!(code(bare.detached(Input::reader(CONTENT), &written[..10])), "malformed_signature");
}

#[test]
fn what_is_no_signature_is_said_to_be_none() {
    let value = ml_dsa(Kind::MlDsa65, CONTEXT);
    let names = ["ML-KEM-768", "ML-DSA-65", "SHA3-512"];
    for (signature, expected) in [
        (b"".to_vec(), "not_a_signature"),
        (b"NKCT\x03\0\x01".to_vec(), "not_a_signature"),
        (file(0, 2, &names, &value), "unsupported_signature"),
        (file(3, 2, &names, &value), "unsupported_signature"),
        (file(2, 1, &["prime256v1", "SHA3-512"], &value), "unsupported_signature"),
        (file(2, 3, &names, &value), "unsupported_signature"),
        (file(1, 0, &names, &value), "unsupported_signature"),
        (file(2, 2, &["ML-KEM-768", "SLH-DSA", "SHA3-512"], &value), "unsupported_signature"),
        (file(2, 2, &["ML-KEM-768", "ML-DSA-65", "\x1b[2J"], &value), "malformed_signature"),
        (file(2, 2, &["ML-KEM-768", "ML-DSA-65", ""], &value), "malformed_signature"),
        (file(2, 2, &["ML-KEM-768", "ML-DSA-65", &"a".repeat(65)], &value), "malformed_signature"),
        (file(2, 2, &names, &[&value[..], &[0]].concat()), "malformed_signature"),
        (file(2, 2, &names, &vec![0; 5000]), "malformed_signature"),
        (file(2, 2, &names, &vec![0; 3309]), "invalid_signature"),
        (file(1, 1, &["prime256v1", "SHA3-512"], b""), "malformed_signature"),
        (file(1, 1, &["prime256v1", "SHA3-512"], &[0x30; 80]), "malformed_signature"),
        (file(1, 1, &["prime256v1", "SHA3-512"], &[0x30, 6, 2, 1, 0, 2, 1, 0]), "invalid_signature"),
    ] {
        assert_eq!(code(verify(&signature)), expected, "{:?}", &signature[..signature.len().min(40)]);
    }
}

/// No header is signed, so a changed header either fails or has no effect; a changed value fails.
#[test]
fn every_cut_and_every_changed_bit_is_refused() {
    for kind in [Kind::P256Sign, Kind::MlDsa44] {
        let key = key(kind);
        let signature = writer(&key).detached(Input::reader(CONTENT)).unwrap();
        assert_eq!(super::kind(&signature).unwrap(), kind);
        for len in 0..signature.len() {
            let code = code(verify(&signature[..len]));
            assert!(
                matches!(code, "not_a_signature" | "malformed_signature" | "invalid_signature"),
                "{kind}, {len}: {code}"
            );
            assert!(super::kind(&signature[..len]).is_err(), "{kind}, {len}");
        }
        let digest = match kind {
            Kind::P256Sign => 25..33,
            _ => 34 + 4..34 + 12,
        };
        assert_eq!(&signature[digest.clone()], b"SHA3-512");
        let value = digest.end..signature.len();
        // All bits of the header, and one bit of each byte of the value.
        let bits = (0..value.start * 8).chain(value.map(|at| at * 8 + at % 8));
        for bit in bits {
            let mut changed = signature.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            match verify(&changed) {
                Ok(verified) => {
                    // Another case, or a name of the digest that does not matter.
                    assert!(bit / 8 < digest.end && bit / 8 >= 7, "{kind}, bit {bit}");
                    assert_eq!((verified.key(), verified.content_len()), (&key.public_key(), 15));
                }
                Err(error) => {
                    let code = error.code();
                    let known =
                        ["not_a_signature", "malformed_signature", "unsupported_signature", "invalid_signature"];
                    assert!(known.contains(&code), "{kind}, bit {bit}: {code}");
                }
            }
        }
    }
}

/// A key that signs files of SSH does not sign content that could be such a file, and its signature of such a file is not a
/// signature of content here.
#[test]
fn signatures_of_ssh_and_of_this_format_are_not_one_another() {
    let content = [FILES, b"anything"].concat();
    let key = key(Kind::P256Sign);
    assert_eq!(code(writer(&key).detached(Input::reader(&content[..]))), "invalid_key");
    let der = key.sign_digest(hash(Algorithm::Sha256, &content).as_bytes()).unwrap();
    let signature = file(1, 1, &["prime256v1", "SHA-256"], &der);
    let error = reader().detached(Input::reader(&content[..]), &signature).unwrap_err();
    assert!(matches!(error, Error::InvalidSignature(RESERVED)), "{error}");
    // A context is no namespace of files of SSH.
    let signature = writer(&self::key(Kind::MlDsa65)).detached(Input::reader(&content[..])).unwrap();
    reader().detached(Input::reader(&content[..]), &signature).unwrap();
    // And a signature of data by the usual hash is one of P-256 over SHA-256.
    let data = key.sign_with(&Options::new().hash(Hash::Sha256), CONTENT).unwrap();
    verify(&file(1, 1, &["prime256v1", "SHA-256"], &data)).unwrap();
}

#[test]
fn other_kinds_neither_sign_nor_are_trusted() {
    for kind in Kind::ALL.into_iter().filter(|kind| !KINDS.contains(kind) && *kind != Kind::RsaSign) {
        let key = PrivateKey::generate(kind).unwrap();
        assert_eq!(code(SignatureReader::new([key.public_key()])), "unsupported_key");
        assert_eq!(code(SigningKey::new(key)), "unsupported_key");
    }
    assert_eq!(code(SignatureReader::new([])), "invalid_signer");
    let of_ssh = PrivateKey::generate(Kind::P256Sign).unwrap().for_files_only();
    assert_eq!(code(writer(&Arc::new(of_ssh)).detached(Input::reader(CONTENT))), "invalid_key");
}

#[test]
fn work_is_counted_and_can_be_cancelled() {
    let content = vec![7; 500_000];
    let signature = writer(&key(Kind::MlDsa65));
    let signature = signature.cancel_when(|| false).detached(Input::reader(&content[..])).unwrap();
    let seen = Arc::new(std::sync::atomic::AtomicU64::new(0));
    let counter = Arc::clone(&seen);
    let reader = reader().on_progress(move |progress| {
        counter.store(progress.done, std::sync::atomic::Ordering::Relaxed);
    });
    reader.detached(Input::reader(&content[..]), &signature).unwrap();
    assert_eq!(seen.load(std::sync::atomic::Ordering::Relaxed), 500_000);
    assert_eq!(code(reader.cancel_when(|| true).detached(Input::reader(&content[..]), &signature)), "cancelled");
}

proptest! {
    #![proptest_config(crate::cases::cases(256))]

    #[test]
    fn no_bytes_make_it_panic(
        version in 0..4_u16, type_id in 0..5_u8, bytes in proptest::collection::vec(any::<u8>(), 0..80), allow_bare: bool
    ) {
        let start = file(version, type_id, &["ML-KEM-768"], &bytes);
        for signature in [&start[..], &bytes] {
            let verified = reader().allow_bare(allow_bare).detached(Input::reader(CONTENT), signature);
            prop_assert!(verified.is_err());
        }
    }
}
