//! The errors of calls, as their documentation names them.

// The generator reads the same lines, and more than they.
#[allow(dead_code)]
#[path = "../examples/calls/call.rs"]
mod call;

use call::Calls;
use sealstone::{Decryptor, Identity, Kind, message};
use sealstone_engine::calls::{age, base, cipher, compat, digest, exchange, forms, native, rsa, sign};
use sealstone_engine::exchange::AgreedBy;
use sealstone_engine::files::EncryptOptions;
use sealstone_engine::kdf::{CrossingCost, DerivedOf};
use sealstone_engine::memory::Moving;
use sealstone_engine::parts::{Part, Sealing};
use sealstone_engine::sign::SignOptions;
use sealstone_engine::{Failure, Job, Wanted, Work};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// The outcome of a call.
trait Outcome {
    /// The code of its error.
    fn code(self) -> Option<&'static str>;
}

impl<T, E: Into<Failure>> Outcome for Result<T, E> {
    fn code(self) -> Option<&'static str> {
        self.err().map(|error| error.into().code)
    }
}

impl Outcome for Part {
    fn code(self) -> Option<&'static str> {
        self.1.map(|error| error.code())
    }
}

impl<T, F: FnOnce() -> sealstone::Result<T>> Outcome for Work<F> {
    fn code(self) -> Option<&'static str> {
        self.run().code()
    }
}

/// An input that is worked on in its own memory.
struct Own<'a>(&'a mut [u8], usize);

impl Moving for Own<'_> {
    fn input_len(&self) -> usize {
        self.1
    }

    fn output_len(&self) -> usize {
        self.0.len()
    }

    fn read(&self, at: usize, copy: &mut [u8]) {
        copy.copy_from_slice(&self.0[at..][..copy.len()]);
    }

    fn with<T>(
        self,
        part: Range<usize>,
        before: usize,
        after: usize,
        work: impl FnOnce(&mut [u8]) -> sealstone::Result<T>,
    ) -> sealstone::Result<T> {
        let len = before + part.len() + after;
        self.0.copy_within(part, before);
        work(&mut self.0[..len])
    }
}

/// A call with a wrong input: its name, the code that is expected, and the code that it gave.
type Row = (&'static str, &'static str, Option<&'static str>);

/// Rows of calls with a wrong input.
macro_rules! rows {
    ($($($module:ident)::+, $call:ident ( $($argument:expr),* $(,)? ) => $code:literal;)+) => {
        vec![$((stringify!($call), $code, $($module)::+::$call($($argument),*).code())),+]
    };
}

fn of_ciphers() -> Vec<Row> {
    let aead = cipher::aead::aead("aes-256-gcm", &[7; 32]).unwrap();
    let ccm = cipher::hazmat::ccm("aes-128-ccm", &[7; 16], 16).unwrap();
    let cbc = cipher::hazmat::cipher("aes-128-cbc", &[7; 16]).unwrap();
    let des = cipher::hazmat::legacy("des-cbc", &[7; 8], false).unwrap();
    let wrap = cipher::hazmat::key_wrap("aes-128-kw", &[7; 16]).unwrap();
    rows! {
        cipher::aead, aead("aes-256-gcm", &[7; 5]) => "wrong_length";
        cipher::aead, aead_nonce_len("rot13") => "unknown_algorithm";
        cipher::aead, aead_seal(&aead, Some(&[1; 3]), None, Own(&mut [0; 20], 4)) => "wrong_length";
        cipher::aead, aead_open(&aead, None, None, Own(&mut [0; 40], 40)) => "not_authentic";
        cipher::aead, aead_open_text(&aead, None, b"", b"!", 0, str::len) => "invalid_encoding";
        cipher::hazmat, base64_decode_into(b"!!!!", &mut [0; 3]) => "invalid_encoding";
        cipher::hazmat, cipher("sm4-xts", &[7; 32]) => "invalid_key";
        cipher::hazmat, cipher_encrypt(&cbc, &[1; 16], Own(&mut [0; 5], 5), Some(false)) => "partial_block";
        cipher::hazmat, cipher_decrypt(&cbc, &[1; 16], Own(&mut [0; 16], 16), None) => "invalid_padding";
        cipher::hazmat, legacy_encrypt(&des, &[1; 8], b"", None) => "legacy_encryption";
        cipher::hazmat, key_wrap_wrap(&wrap, b"") => "wrong_length";
        cipher::hazmat, key_wrap_unwrap(&wrap, &[0; 24]) => "not_authentic";
        cipher::hazmat, ccm_seal(&ccm, &[1; 13], b"", &[0; 1 << 16]) => "too_long";
        cipher::hazmat, poly1305(&[7; 5], b"") => "wrong_length";
    }
}

fn of_digests() -> Vec<Row> {
    let mac = digest::mac::mac("hmac-sha256", b"key", None, 0).unwrap();
    let cost = |a| CrossingCost { name: "argon2id", a, b: 3, c: 1 };
    let of = || DerivedOf { password: b"password", salt: b"a random salt 16", secret: b"", data: b"" };
    rows! {
        digest::hash, hash_id("sha257") => "unknown_algorithm";
        digest::hash, hash_into(digest::hash::hash_id("sha256").unwrap(), b"", 31) => "wrong_length";
        digest::mac, mac("hmac-sha256", b"key", Some(b"c"), 0) => "wrong_length";
        digest::mac, mac_verify(&mac, b"", &[0; 32], false) => "not_authentic";
        digest::mac, mac_verify_text(&mac, b"", b"!", 0, false) => "invalid_encoding";
        digest::kdf, hkdf("sha256", b"", b"", b"", 1 << 16) => "too_long";
        digest::kdf, derive(cost(1), of(), true, 32) => "invalid_cost";
        digest::kdf, deriving(cost(1 << 21), of(), true, 32) => "cost_too_high";
        digest::kdf, derive_check(cost(64), true, 3) => "wrong_length";
        digest::password, password_hash(b"", cost(1 << 10)) => "invalid_passphrase";
        digest::password, password_verify(b"password", "$argon2id$", true) => "invalid_encoding";
        digest::password, password_needs_rehash("$7$", cost(1 << 10)) => "unknown_algorithm";
        digest::password, password_verify_later(vec![].into(), String::new(), true, cancelled()) => "cancelled";
    }
}

fn of_keys_and_messages() -> Vec<Row> {
    let identity = Identity::generate(Kind::X25519).unwrap();
    let phrase = base::keys::identity_of_passphrase(b"correct horse").unwrap();
    let [recipient, alone] = [&identity, &phrase].map(|one| Arc::new(one.recipient()));
    let sealed = message::seal(&recipient, b"attack at dawn", b"").unwrap();
    let both = [Arc::clone(&recipient), Arc::clone(&alone)];
    let encryptor = base::options::encryptor(&both, EncryptOptions::default()).unwrap();
    let of_context = EncryptOptions { context: Some(b""), ..EncryptOptions::default() };
    let parameter = b"-----BEGIN PRIVATE KEY-----\n";
    rows! {
        base::keys, identity_generate(Some("passphrase")) => "invalid_passphrase";
        base::keys, identity_generate(Some("plugin")) => "invalid_identity";
        base::keys, identity_of_key(&[7; 31]) => "wrong_length";
        base::keys, identities_parse(b"AGE-SECRET-KEY-1", None) => "invalid_identity";
        base::keys, identity_export(&identity, "hex", None) => "unsupported_key";
        base::keys, recipients_parse(b"age1") => "invalid_recipient";
        base::options, encryptor(&both, of_context) => "invalid_context";
        base::options, encryptor_check(&encryptor) => "invalid_recipients";
        base::messages, message_len(&alone, 1) => "invalid_recipients";
        base::messages, message_head_len(&identity, b"", 0) => "not_sealstone";
        base::messages, message_open_into(&identity, &sealed, b"", &mut [0; 13]) => "wrong_length";
        base::messages, message_open_into(&identity, &sealed[..sealed.len() - 1], b"", &mut [0; 13]) => "not_authentic";
        base::messages, message_open_armoured(&phrase, &sealed, b"") => "no_matching_identity";
        forms, identities_of_form(parameter, None, None, None) => "invalid_identity";
        forms, recipient_in_form(&base::keys::recipient_bytes(&recipient), "rot13") => "unknown_algorithm";
    }
}

/// A compressed file whose frame is broken, and what opens it.
fn broken_frames() -> (Arc<Decryptor>, Vec<u8>) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/file/compressed_magic_flipped");
    let vector = std::fs::read(path).unwrap();
    let end = vector.windows(2).position(|pair| pair == b"\n\n").unwrap();
    let lines = std::str::from_utf8(&vector[..end]).unwrap();
    let key = lines.lines().find_map(|line| line.strip_prefix("identity: ")).unwrap();
    let identities = base::keys::identities_parse(key.as_bytes(), None).unwrap();
    (Arc::new(Decryptor::new(identities)), vector[end + 2..].to_vec())
}

fn of_files() -> Vec<Row> {
    let identity = Arc::new(Identity::generate(Kind::X25519).unwrap());
    let recipients = [Arc::new(identity.recipient())];
    let encryptor = Arc::new(base::options::encryptor(&recipients, EncryptOptions::default()).unwrap());
    let file = encryptor.encrypt(b"attack at dawn").unwrap();
    let identities = [identity];
    let decryptor = || Arc::new(base::options::decryptor(&identities, None, None, None).unwrap());
    let of_context = base::options::decryptor(&identities, Some(b"c"), None, None).unwrap();
    let (of_frames, frames) = broken_frames();
    let opening = || Arc::new(base::parts::opener_of(&decryptor(), &file).unwrap());
    let of_suite = EncryptOptions { suite: Some("rot13"), ..EncryptOptions::default() };
    let chunked = base::chunked::chunked_key("aes-256-gcm", &[7; 32]).unwrap();
    let mac = digest::mac::mac("hmac-sha256", b"key", None, 0).unwrap();
    let dearmouring = base::parts::dearmour(true);
    let job = Wanted::new();
    let folder = tempfile::tempdir().unwrap();
    let (here, absent) = (folder.path().join("here"), folder.path().join("absent"));
    std::fs::write(&here, b"attack at dawn").unwrap();
    let (plain, archive) = (folder.path().join("plain"), folder.path().join("archive"));
    std::fs::write(&plain, &file).unwrap();
    let folder_name = here.as_os_str().as_encoded_bytes().to_vec();
    sealstone::Archiver::new((*encryptor).clone())
        .archive([&here], sealstone::Output::file(&archive).unwrap())
        .unwrap();
    rows! {
        base::archives, list_archive(decryptor(), here.clone(), job.job()) => "not_sealstone";
        base::archives, list_archive(decryptor(), plain, job.job()) => "not_an_archive";
        base::archives, encrypt_folder(encryptor.clone(), b"".to_vec(), absent.clone(), false, b"".to_vec(), None, false, false, false, job.job()) => "invalid_option";
        base::archives, encrypt_folder(encryptor.clone(), folder_name.clone(), here.clone(), false, b"".to_vec(), None, false, false, false, job.job()) => "output_exists";
        base::archives, encrypt_folder(encryptor.clone(), folder_name.clone(), absent.clone(), false, b"!x".to_vec(), None, false, false, false, job.job()) => "invalid_option";
        base::archives, encrypt_folder(encryptor.clone(), folder_name, absent.clone(), false, b"".to_vec(), Some("23".into()), false, false, false, job.job()) => "invalid_option";
        base::archives, extract_archive(decryptor(), archive.clone(), absent.clone(), b"none".to_vec(), false, false, false, false, false, job.job()) => "no_such_member";
        base::archives, extract_archive(decryptor(), archive.clone(), folder.path().into(), b"".to_vec(), false, false, false, false, false, job.job()) => "output_exists";
        base::archives, extract_archive(decryptor(), archive, absent.clone(), b"".to_vec(), false, false, false, false, false, cancelled()) => "cancelled";
        base::chunked, chunked_decrypt(&chunked, b"", &[0; 100]) => "not_authentic";
        base::chunked, chunked_opener(&chunked, b"", b"") => "truncated";
        base::files, decrypt_armoured(decryptor(), b"PK\x03\x04") => "not_sealstone";
        base::files, decrypt_armoured(of_frames.clone(), &frames) => "malformed_compression";
        base::files, decrypt_range(&of_frames, &frames, 0, u64::MAX) => "malformed_compression";
        base::files, decrypt_range(&decryptor(), &file, 15, 16) => "range_out_of_bounds";
        base::files, decrypt_range(&of_context, &file, 0, 1) => "context_not_bound";
        base::files, inspect(&file[..20]) => "truncated";
        base::files, encrypt_file(encryptor.clone(), absent, here.clone(), false, false, job.job()) => "io";
        base::files, encrypt_file(encryptor, here.clone(), here.clone(), true, false, job.job()) => "same_file";
        base::files, decrypt_file(decryptor(), here.clone(), folder.path().into(), false, false, job.job()) => "io";
        base::files, decrypt_range_file(decryptor(), here.clone(), 0, 1, false, cancelled()) => "cancelled";
        base::files, inspect_file(here.clone(), false, job.job()) => "not_sealstone";
        base::parts, sealer(&recipients, of_suite, 0) => "unknown_algorithm";
        base::parts, sealer_file_len(&Sealing::chunked(&chunked, b"").unwrap(), u64::MAX) => "too_long";
        base::parts, open_into(opening(), &file, &mut [0; 13], None) => "wrong_length";
        base::parts, opener_at(&opening(), 0, &[0; 15]) => "truncated";
        base::parts, dearmour_finish(&dearmouring) => "malformed_armour";
        base::parts, file_head_len(b"") => "not_sealstone";
        digest::hash, hash_file(0, folder.path().into(), false, 0, job.job()) => "io";
        digest::mac, mac_file(mac.into(), here, false, cancelled()) => "cancelled";
        native, loading_update(&native::loading(), b"", u64::MAX) => "too_long";
    }
}

fn of_exchange_and_rsa() -> Vec<Row> {
    let x25519 = exchange::exchange_generate(Some("x25519")).unwrap();
    let hybrid = exchange::exchange_generate(None).unwrap();
    let by = |kdf, salt| AgreedBy { kdf, hash: "sha256", salt, info: b"" };
    rows! {
        exchange, exchange_private_of("x25519", b"") => "wrong_length";
        exchange, exchange_private_parse(b"", Some(b"")) => "invalid_passphrase";
        exchange, exchange_public_parse(b"") => "invalid_key";
        exchange, exchange_agree(&x25519, &x25519.public_key(), by("concat", b"salt"), 32) => "invalid_option";
        exchange, exchange_agree(&x25519, &hybrid.public_key(), by("hkdf", b""), 32) => "invalid_key";
        exchange, exchange_encapsulate(&x25519.public_key()) => "invalid_key";
        exchange, exchange_decapsulate(&hybrid, b"", 32) => "wrong_length";
        exchange, exchange_private_export(&hybrid, "jwk", None) => "unsupported_key";
        rsa, rsa_generate(1024) => "invalid_option";
        rsa, rsa_generate_later(2048, cancelled()) => "cancelled";
        rsa, rsa_private_parse(b"", None) => "invalid_key";
    }
}

fn of_signatures() -> Vec<Row> {
    let key = Arc::new(sign::pairs::sign_generate(Some("ed25519")).unwrap());
    let public = key.public_key();
    let of_context = |context| SignOptions { choices: 0, context, id: None };
    let trusting = sign::signature::signature_trusting(None, None).unwrap();
    let nobody = sign::signature::signature_reader(&trusting).unwrap();
    sign::signature::signature_trust_key(&trusting, &public).unwrap();
    let reader = sign::signature::signature_reader(&trusting).unwrap();
    let attached = sign::signature::signature_attached(&reader).unwrap();
    rows! {
        sign::pairs, sign_generate(Some("rsa-sign")) => "unknown_algorithm";
        sign::pairs, sign_public_of("ed25519", b"") => "wrong_length";
        sign::pairs, sign_into(&key, b"", 64, of_context(Some(b"context"))) => "invalid_option";
        sign::pairs, sign_into(&key, b"SSHSIG", 64, of_context(None)) => "invalid_key";
        sign::pairs, sign_verify(&public, b"", &[0; 64], of_context(None)) => "invalid_signature";
        sign::pairs, sign_choices(Some("md5"), None, None) => "unknown_algorithm";
        sign::signature, signature_writer(key.clone(), Some(" "), None, None) => "invalid_namespace";
        sign::signature, signature_writer(key, None, Some(""), None) => "invalid_comment";
        sign::signature, signature_trust_file(&trusting, b"") => "invalid_signer";
        sign::signature, signature_attached(&nobody) => "invalid_signer";
        sign::signature, signature_verifying(&reader, b"") => "not_a_signature";
        sign::signature, signature_verifying_finish(&attached) => "not_a_signature";
    }
}

fn of_age_and_yuants() -> Vec<Row> {
    let own = age::age_identity_of_passphrase(b"correct horse").unwrap();
    let (start, ssh) = (b"age-encryption.org/v1\n", b"-----BEGIN OPENSSH PRIVATE KEY-----\n");
    rows! {
        age, age_identity(ssh, None) => "invalid_identity";
        age, age_identity_recipient(&own) => "invalid_option";
        age, age_recipient("age1") => "invalid_recipient";
        age, age_recipient_of_passphrase(b"correct horse", 23) => "invalid_option";
        age, age_encryptor(&[], None) => "invalid_recipients";
        age, age_opened_len(1) => "truncated";
        age, age_stanzas(start) => "truncated";
        age, age_sealer_of_stanzas(b"", &[7; 16]) => "invalid_recipients";
        age, age_opener_of_file_key(start, &[7; 15]) => "wrong_length";
        age, age_dearmour(b"") => "malformed_armour";
        compat, yuants_key_pair(Some(&[7; 31])) => "wrong_length";
        compat, yuants_key_pair_of("0") => "invalid_encoding";
        compat, yuants_sign(&[7; 64], b"") => "invalid_key";
        compat, yuants_head_len_of("box", b"") => "malformed_ciphertext";
        compat, yuants_open("box", "0", Own(&mut [0; 72], 72)) => "invalid_encoding";
        compat, decode_text("base58", "0") => "invalid_encoding";
    }
}

/// A job that its caller has ended.
fn cancelled() -> Arc<Job> {
    let wanted = Wanted::new();
    wanted.job().cancel();
    wanted.job()
}

#[test]
fn a_wrong_input_gives_an_error_that_its_call_names() {
    let calls = Calls::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let families = [of_ciphers, of_digests, of_keys_and_messages, of_files, of_exchange_and_rsa, of_signatures];
    let (mut wrong, mut names, mut modules) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for (name, expected, code) in families.into_iter().chain([of_age_and_yuants as fn() -> _]).flat_map(|rows| rows()) {
        let call = calls.calls.iter().find(|call| call.name == name).expect("a call");
        if code != Some(expected) || !call.errors.contains(&expected) {
            wrong.push(format!("{name}: {expected} is expected, it gives {code:?} and names {:?}", call.errors));
        }
        names.insert(name);
        modules.insert(&*call.module);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(names.len() >= 85, "only {}", names.len());
    assert!(call::MODULES.iter().chain(&["native"]).all(|module| modules.contains(module)), "{modules:?}");
}
