//! Key pairs for applications, as bindings have them: names and numbers in place of types, and work on other threads.

use sealstone::sign::{Encoding, Hash, Kind, Options, Scheme};
use sealstone::{Error, sign as core};
use sealstone_engine::sign::{self, Chosen, SignOptions};
use sealstone_engine::text::TextOrBytes;
use sealstone_engine::{Failure, Loading, Wanted, Work, exchange, rsa, sm2};
use std::sync::Arc;
use std::sync::mpsc::channel;

const MESSAGE: &[u8] = b"attack at dawn";
const PASSPHRASE: Option<&[u8]> = Some(b"correct horse battery staple");

/// Runs work on a pool, and waits for it.
fn on_pool<T: Send + 'static>(
    work: Work<impl FnOnce() -> sealstone::Result<T> + Send + 'static>,
) -> Result<T, Failure> {
    let (sender, receiver) = channel();
    work.on_pool(move |done| _ = sender.send(done));
    receiver.recv().expect("the work calls back")
}

fn loading(bytes: &[u8]) -> Arc<Loading> {
    let loading = Loading::default();
    for part in bytes.chunks(1000) {
        loading.update(part, bytes.len() as u64).unwrap();
    }
    Arc::new(loading)
}

fn bytes(form: TextOrBytes) -> Vec<u8> {
    match form {
        TextOrBytes::Text(text) => text.as_bytes().to_vec(),
        TextOrBytes::Bytes(bytes) => bytes.to_vec(),
    }
}

#[test]
fn choices_cross_as_a_number_and_say_what_they_said() {
    assert_eq!(sign::choices(None, None, None).unwrap(), 0);
    let names = |names: &[&'static str]| -> Vec<Option<&'static str>> {
        [None].into_iter().chain(names.iter().copied().map(Some)).collect()
    };
    let mut seen = Vec::new();
    for hash in names(&Hash::ALL.map(Hash::name)) {
        for encoding in names(&Encoding::ALL.map(Encoding::name)) {
            for scheme in names(&Scheme::ALL.map(Scheme::name)) {
                let choices = sign::choices(hash, encoding, scheme).unwrap();
                assert!(!seen.contains(&choices));
                seen.push(choices);
                let mut expected = Options::new().context(b"c").id(b"i");
                if let Some(hash) = hash {
                    expected = expected.hash(hash.parse().unwrap());
                }
                if let Some(encoding) = encoding {
                    expected = expected.encoding(encoding.parse().unwrap());
                }
                if let Some(scheme) = scheme {
                    expected = expected.scheme(scheme.parse().unwrap());
                }
                let options = SignOptions { choices, context: Some(b"c"), id: Some(b"i") }.read();
                assert_eq!(format!("{options:?}"), format!("{expected:?}"));
            }
        }
    }
    assert_eq!(seen.len(), 4 * 3 * 3);
    for (hash, encoding, scheme) in [(Some("sha1"), None, None), (None, Some("pem"), None), (None, None, Some("oaep"))]
    {
        assert_eq!(sign::choices(hash, encoding, scheme).unwrap_err().code(), "unknown_algorithm");
    }
}

#[test]
fn keys_that_sign_come_and_go_in_their_forms() {
    assert_eq!(sign::generate(None).unwrap().kind(), Kind::HybridSign);
    for name in ["rsa-sign", "rsa", "x25519", ""] {
        assert_eq!(sign::generate(Some(name)).unwrap_err().code(), "unknown_algorithm", "{name}");
    }
    let mut written = 0;
    for kind in Kind::ALL.into_iter().filter(|kind| *kind != Kind::RsaSign) {
        let key = sign::generate(Some(kind.name())).unwrap();
        let public = key.public_key();
        for form in ["pem", "der", "jwk", "ssh", "raw"] {
            match sign::export_private(&key, form, None).map(bytes) {
                Ok(file) if form == "raw" => {
                    assert_eq!(sign::private_of(kind.name(), &file).unwrap().public_key(), public);
                    let work = sign::private_of_later(kind.name().to_owned(), file.into());
                    assert_eq!(on_pool(work).unwrap().public_key(), public);
                }
                Ok(file) => {
                    assert_eq!(sign::private(&file, None, None).unwrap().public_key(), public, "{kind} as {form}");
                    let work = sign::private_later(file.into(), None).unwrap();
                    assert_eq!(on_pool(work).unwrap().public_key(), public, "{kind} as {form}");
                    written += 1;
                }
                Err(error) => assert_eq!(error.code(), "unsupported_key", "{kind} as {form}"),
            }
            match sign::export_public(&public, form, None).map(bytes) {
                Ok(file) if form == "raw" => {
                    assert_eq!(sign::public_of(kind.name(), &file).unwrap(), public);
                    assert_eq!(on_pool(sign::public_of_later(kind.name().to_owned(), file)).unwrap(), public);
                }
                Ok(file) => {
                    assert_eq!(on_pool(sign::public_later(file)).unwrap(), public, "{kind} as {form}");
                    written += 1;
                }
                Err(error) => assert_eq!(error.code(), "unsupported_key", "{kind} as {form}"),
            }
        }
    }
    assert!(written >= 70, "{written}");

    let key = sign::generate(Some("ed25519")).unwrap();
    for form in ["pem", "der", "ssh"] {
        let file = bytes(sign::export_private(&key, form, PASSPHRASE).unwrap());
        assert_eq!(sign::private(&file, None, None).unwrap_err().code(), "passphrase_required");
        let work = sign::private_later(file.into(), PASSPHRASE).unwrap();
        assert_eq!(on_pool(work).unwrap().public_key(), key.public_key(), "{form}");
    }
    let code = |form: sealstone::Result<TextOrBytes>| form.map(bytes).unwrap_err().code();
    assert_eq!(code(sign::export_private(&key, "raw", PASSPHRASE)), "unsupported_key");
    assert_eq!(code(sign::export_private(&key, "age", None)), "unknown_algorithm");
    let public = key.public_key();
    let line = bytes(sign::export_public(&public, "ssh", Some("alice")).unwrap());
    assert!(line.ends_with(b" alice"));
    assert_eq!(code(sign::export_public(&public, "pem", Some("alice"))), "invalid_option");
    assert_eq!(code(sign::export_public(&public, "", None)), "unknown_algorithm");
}

#[test]
fn what_is_loaded_is_signed_elsewhere_and_its_length_shown() {
    let key = Arc::new(sign::generate(Some("ml-dsa-44")).unwrap());
    let public = Arc::new(key.public_key());
    assert!(!sign::is_slow(&key));
    let chosen = |context| Chosen::from(SignOptions { choices: 0, context: Some(context), id: None });
    let message = MESSAGE.repeat(1000);
    let wanted = Wanted::new();
    let work = sign::sign_loaded(Arc::clone(&key), loading(&message), chosen(b"c"), wanted.job());
    let signature = on_pool(work).unwrap();
    assert_eq!(wanted.job().progress().next(), Some(message.len() as u64));
    public.verify_with(&Options::new().context(b"c"), &message, &signature).unwrap();
    let verify = |context: &[u8], wanted: &Wanted| {
        let chosen = Chosen::from(SignOptions { choices: 0, context: Some(context), id: None });
        on_pool(sign::verify_loaded(Arc::clone(&public), loading(&message), signature.clone(), chosen, wanted.job()))
    };
    let wanted = Wanted::new();
    verify(b"c", &wanted).unwrap();
    assert_eq!(wanted.job().progress().next(), Some(message.len() as u64));
    assert_eq!(verify(b"d", &wanted).unwrap_err().code, "invalid_signature");
    wanted.job().cancel();
    assert_eq!(verify(b"c", &wanted).unwrap_err().code, "cancelled");
    let work = sign::sign_loaded(key, loading(&message), chosen(b""), wanted.job());
    assert_eq!(on_pool(work).unwrap_err().code, "cancelled");
}

#[test]
fn two_sides_agree_by_names() {
    assert_eq!(exchange::generate(None).unwrap().kind().name(), "hybrid");
    let [alice, bob] = [(); 2].map(|()| exchange::generate(Some("p256")).unwrap());
    let both = |kdf: &str, salt: &[u8], len| {
        let one = exchange::agree(&alice, &bob.public_key(), [kdf, "sha256"], salt, b"info", len)?;
        assert_eq!(exchange::agree(&bob, &alice.public_key(), [kdf, "sha256"], salt, b"info", len)?, one);
        Ok::<_, Error>(one)
    };
    let keys = [both("hkdf", b"", 40).unwrap(), both("hkdf", b"salt", 40).unwrap(), both("concat", b"", 40).unwrap()];
    assert!(keys.iter().all(|key| key.len() == 40 && keys.iter().filter(|other| *other == key).count() == 1));
    for (kdf, salt, len, code) in [
        ("pbkdf2", &b""[..], 32, "unknown_algorithm"),
        ("concat", b"salt", 32, "invalid_option"),
        ("hkdf", b"", 255 * 32 + 1, "too_long"),
    ] {
        assert_eq!(both(kdf, salt, len).unwrap_err().code(), code);
    }

    let key = exchange::generate(Some("ml-kem-768")).unwrap();
    for form in ["pem", "der", "raw"] {
        let [private, public] = [
            bytes(exchange::export_private(&key, form, None).unwrap()),
            bytes(exchange::export_public(&key.public_key(), form).unwrap()),
        ];
        let (private, public) = if form == "raw" {
            let public = exchange::public_of("ml-kem-768", &public).unwrap();
            (exchange::private_of("ml-kem-768", &private).unwrap(), public)
        } else {
            let public = sealstone::exchange::PublicKey::parse(public).unwrap();
            (on_pool(exchange::private_later(private.into(), None).unwrap()).unwrap(), public)
        };
        assert_eq!((private.public_key(), public), (key.public_key(), key.public_key()), "{form}");
    }
    let (private, kind) = (key.to_bytes(), Some("ml-kem-768"));
    assert_eq!(exchange::private(&private, kind, None).unwrap().to_bytes(), private);
    assert_eq!(exchange::private(&private, kind, Some(b"word")).err().unwrap().code(), "invalid_option");
    assert_eq!(exchange::public(key.public_key().to_bytes(), kind).unwrap(), key.public_key());
    assert_eq!(exchange::export_private(&key, "jwk", None).map(bytes).unwrap_err().code(), "unsupported_key");
    assert_eq!(exchange::export_public(&key.public_key(), "ssh").map(bytes).unwrap_err().code(), "unknown_algorithm");
}

#[test]
fn a_generation_of_rsa_ends_when_nobody_wants_it_and_its_key_works_elsewhere() {
    let wanted = Wanted::new();
    let job = wanted.job();
    drop(wanted);
    assert_eq!(on_pool(rsa::generate(4096, Arc::clone(&job))).unwrap_err().code, "cancelled");
    assert_eq!(on_pool(sign::generate_rsa(4096, job)).unwrap_err().code, "cancelled");
    for bits in [0, 1024, 8192] {
        assert_eq!(on_pool(rsa::generate(bits, Wanted::new().job())).unwrap_err().code, "invalid_option");
        assert_eq!(on_pool(sign::generate_rsa(bits, Wanted::new().job())).unwrap_err().code, "invalid_option");
    }

    let der = include_bytes!("../../../vectors/sign/rsa_2048.der");
    let key = Arc::new(on_pool(rsa::private_later(der.to_vec().into(), None).unwrap()).unwrap());
    let public = Arc::new(key.public_key());
    for padding in [
        || rsa::Padding::Oaep(None, b"label".to_vec()),
        || rsa::Padding::Oaep(Some("sha512".to_owned()), Vec::new()),
        || rsa::Padding::Pkcs1,
    ] {
        let work = rsa::encrypt_later(Arc::clone(&public), MESSAGE.to_vec().into(), padding());
        let ciphertext = on_pool(work).unwrap();
        let plaintext = on_pool(rsa::decrypt_later(Arc::clone(&key), ciphertext, padding())).unwrap();
        assert_eq!(&plaintext[..], MESSAGE);
    }
    let unknown = rsa::encrypt(&public, MESSAGE, Some("sha224"), b"").unwrap_err();
    assert_eq!(unknown.code(), "unknown_algorithm");
    for form in ["pem", "der", "jwk"] {
        let file = bytes(rsa::export_private(&key, form, None).unwrap());
        assert_eq!(rsa::private(&file, None).unwrap().public_key(), *public, "{form}");
        let file = bytes(rsa::export_public(&public, form).unwrap());
        assert_eq!(on_pool(rsa::public_later(file)).unwrap(), *public, "{form}");
    }
    assert_eq!(rsa::export_private(&key, "raw", None).map(bytes).unwrap_err().code(), "unknown_algorithm");
    assert_eq!(rsa::export_private(&key, "jwk", PASSPHRASE).map(bytes).unwrap_err().code(), "unsupported_key");
    let signs = core::PrivateKey::parse(der, None).unwrap();
    assert!(sign::is_slow(&signs));
}

#[test]
fn a_key_of_sm2_is_one_of_sm2_sign_and_has_names_of_forms_and_encodings() {
    let key = sealstone::sm2::PrivateKey::generate().unwrap();
    let public = key.public_key();
    for form in ["pem", "der"] {
        let plain = bytes(sm2::export_private(&key, form, None).unwrap());
        assert_eq!(sm2::private(&plain, None).unwrap().public_key(), public);
        assert_eq!(sign::private(&plain, None, None).unwrap().kind(), Kind::Sm2Sign);
        let sealed = bytes(sm2::export_private(&key, form, PASSPHRASE).unwrap());
        assert_eq!(sm2::private(&sealed, None).unwrap_err().code(), "passphrase_required");
        let read = on_pool(sm2::private_later(sealed.into(), PASSPHRASE).unwrap()).unwrap();
        assert_eq!(read.to_bytes(), key.to_bytes());
        assert_eq!(sm2::public(&bytes(sm2::export_public(&public, form).unwrap())).unwrap(), public);
    }
    let other = sign::generate(Some("p256-sign")).unwrap();
    let pem = bytes(sign::export_private(&other, "pem", None).unwrap());
    assert_eq!(sm2::private(&pem, None).unwrap_err().code(), "invalid_key");
    let pem = bytes(sign::export_public(&other.public_key(), "pem", None).unwrap());
    assert_eq!(sm2::public(&pem).unwrap_err().code(), "invalid_key");

    for form in [None, Some("c1c3c2"), Some("c1c2c3"), Some("der")] {
        let ciphertext = sm2::encrypt(&public, MESSAGE, form).unwrap();
        assert_eq!(sm2::decrypt(&key, &ciphertext, form).unwrap()[..], *MESSAGE);
    }
    for encoding in [None, Some("der"), Some("fixed")] {
        let signature = sm2::sign(&key, MESSAGE, Some(b"alice"), encoding).unwrap();
        sm2::verify(&public, MESSAGE, &signature, Some(b"alice"), encoding).unwrap();
        assert_eq!(signature.len() == 64, encoding == Some("fixed"));
        assert_eq!(sm2::verify(&public, MESSAGE, &signature, None, encoding).unwrap_err().code(), "invalid_signature");
        let digest = sm2::digest(&public, MESSAGE, None).unwrap();
        let signature = sm2::sign_digest(&key, &digest, encoding).unwrap();
        sm2::verify_digest(&public, &digest, &signature, encoding).unwrap();
        sm2::verify(&public, MESSAGE, &signature, None, encoding).unwrap();
    }
    assert_eq!(sm2::encrypt(&public, MESSAGE, Some("asn1")).unwrap_err().code(), "unknown_algorithm");
    assert_eq!(sm2::sign(&key, MESSAGE, None, Some("raw")).unwrap_err().code(), "unknown_algorithm");
}
