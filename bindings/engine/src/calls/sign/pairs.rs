//! Key pairs that sign, and signatures. A hash, an encoding and a scheme cross as one number, which `sign_choices` gives.

use crate::job::Job;
use crate::loading::Loading;
use crate::memory::{AtMost, Data, Lent};
use crate::sign::{self as signing, Chosen, SignOptions};
use crate::text::TextOrBytes;
use crate::work::Work;
use sealstone::Result;
use sealstone::sign::{PrivateKey, PublicKey};
use sealstone_call::call;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Makes a new key of a kind, by default of the usual one. Keys of RSA take longer, and have a call of their own.
/// Errors: `unknown_algorithm`, `unavailable_backend`, `no_randomness`.
#[call]
pub fn sign_generate(kind: Option<&str>) -> Result<PrivateKey> {
    signing::generate(kind)
}

/// Fails, since the host makes keys of RSA.
/// Errors: `invalid_option`, `unavailable_backend`.
#[call(wasm)]
pub fn sign_generate_rsa(bits: u32) -> Result<PrivateKey> {
    PrivateKey::generate_rsa(bits)
}

/// Makes a new key of RSA on another thread.
/// Errors: `invalid_option`, `unavailable_backend`, `no_randomness`, `cancelled`.
#[call(native)]
pub fn sign_generate_rsa_later(bits: u32, job: Arc<Job>) -> Work<impl FnOnce() -> Result<PrivateKey> + Send + 'static> {
    signing::generate_rsa(bits, job)
}

/// Reads a private key in a form that says its kind.
/// Errors: `cost_too_high`, `no_matching_identity`, `unsupported_key`, `passphrase_required`, `invalid_passphrase`, `invalid_key`,
/// `unavailable_backend`.
#[call]
pub fn sign_private_parse(file: &[u8], passphrase: Option<&[u8]>) -> Result<PrivateKey> {
    signing::private(file, None, passphrase)
}

/// Reads it on another thread, since a passphrase costs a password hash.
/// Errors: `cost_too_high`, `no_matching_identity`, `unsupported_key`, `passphrase_required`, `invalid_passphrase`, `invalid_key`,
/// `unavailable_backend`.
#[call(native)]
pub fn sign_private_parse_later(
    file: Zeroizing<Vec<u8>>,
    passphrase: Option<&[u8]>,
) -> Result<Work<impl FnOnce() -> Result<PrivateKey> + Send + use<>>> {
    signing::private_later(file, passphrase)
}

/// Reads a public key in a form that says its kind.
/// Errors: `unsupported_key`, `invalid_key`.
#[call]
pub fn sign_public_parse(file: &[u8]) -> Result<PublicKey> {
    PublicKey::parse(file)
}

/// Reads it on another thread.
/// Errors: `unsupported_key`, `invalid_key`.
#[call(native)]
pub fn sign_public_parse_later(file: Vec<u8>) -> Work<impl FnOnce() -> Result<PublicKey> + Send + 'static> {
    signing::public_later(file)
}

/// Makes a private key of its bytes, which do not say their kind.
/// Errors: `unknown_algorithm`, `wrong_length`, `invalid_key`, `unavailable_backend`.
#[call]
pub fn sign_private_of(kind: &str, bytes: &[u8]) -> Result<PrivateKey> {
    signing::private_of(kind, bytes)
}

/// Makes it on another thread.
/// Errors: `unknown_algorithm`, `wrong_length`, `invalid_key`, `unavailable_backend`.
#[call(native)]
pub fn sign_private_of_later(
    kind: String,
    bytes: Zeroizing<Vec<u8>>,
) -> Work<impl FnOnce() -> Result<PrivateKey> + Send + 'static> {
    signing::private_of_later(kind, bytes)
}

/// Makes a public key of its bytes.
/// Errors: `unknown_algorithm`, `wrong_length`, `invalid_key`.
#[call]
pub fn sign_public_of(kind: &str, bytes: &[u8]) -> Result<PublicKey> {
    signing::public_of(kind, bytes)
}

/// Makes it on another thread.
/// Errors: `unknown_algorithm`, `wrong_length`, `invalid_key`.
#[call(native)]
pub fn sign_public_of_later(kind: String, bytes: Vec<u8>) -> Work<impl FnOnce() -> Result<PublicKey> + Send + 'static> {
    signing::public_of_later(kind, bytes)
}

/// Names the kind of a private key.
#[call(tells_kind)]
pub fn sign_private_kind(key: &PrivateKey) -> &'static str {
    key.kind().name()
}

/// Names the kind of a public key.
#[call(tells_kind)]
pub fn sign_public_kind(key: &PublicKey) -> &'static str {
    key.kind().name()
}

/// Gives the public key of a private one.
#[call]
pub fn sign_public_key(key: &PrivateKey) -> PublicKey {
    key.public_key()
}

/// Writes a private key in a form, encrypted where there is a passphrase.
/// Errors: `unsupported_key`, `invalid_passphrase`, `unknown_algorithm`, `no_randomness`.
#[call]
pub fn sign_private_export(key: &PrivateKey, form: &str, passphrase: Option<&[u8]>) -> Result<TextOrBytes> {
    signing::export_private(key, form, passphrase)
}

/// Writes a public key in a form; only `ssh` has a comment.
/// Errors: `unsupported_key`, `unknown_algorithm`, `invalid_option`.
#[call]
pub fn sign_public_export(key: &PublicKey, form: &str, comment: Option<&str>) -> Result<TextOrBytes> {
    signing::export_public(key, form, comment)
}

/// Gives the fingerprint of a public key.
#[call]
pub fn sign_fingerprint(public_key: &PublicKey) -> String {
    public_key.fingerprint()
}

/// Gives the fingerprint that SSH shows.
/// Errors: `unsupported_key`.
#[call]
pub fn sign_ssh_fingerprint(public_key: &PublicKey) -> Result<String> {
    public_key.ssh_fingerprint()
}

/// Gives the number of a hash, an encoding and a scheme, which is 0 of none.
/// Errors: `unknown_algorithm`.
#[call(js)]
pub fn sign_choices(hash: Option<&str>, encoding: Option<&str>, scheme: Option<&str>) -> Result<u32> {
    signing::choices(hash, encoding, scheme)
}

/// Gives the length of the longest signature of a private key.
#[call(stack = 16)]
pub fn sign_max_len(key: &PrivateKey) -> usize {
    key.signature_max_len()
}

/// Whether a private key signs so slowly that it does not belong on JavaScript's thread.
#[call(js)]
pub fn sign_is_slow(key: &PrivateKey) -> bool {
    signing::is_slow(key)
}

/// Whether a public key verifies so slowly. None does; those of a host are promised.
#[call(native, js)]
pub fn verify_is_slow(public_key: &PublicKey) -> bool {
    _ = public_key;
    false
}

/// Names the scheme and the hash of a signature of RSA that a host makes.
#[call(wasm)]
pub fn sign_by_rsa(choices: u32) -> String {
    signing::by_rsa(choices)
}

/// Signs data into memory. Its length: `sign_max_len`. Returns the signature's. After an error the memory is unchanged or zero.
/// Errors: `invalid_option`, `invalid_key`, `invalid_user_id`, `unavailable_backend`, `no_randomness`.
#[call(counts("sign", object, data))]
pub fn sign_into(key: &PrivateKey, data: &Data, signature: AtMost, options: SignOptions<'_>) -> Result<Vec<u8>> {
    _ = signature;
    key.sign_with(&options.read(), data)
}

/// Fails unless this is a signature of data.
/// Errors: `invalid_option`, `invalid_signature`, `invalid_user_id`, `unavailable_backend`.
#[call(counts("verify", object, data))]
pub fn sign_verify(public_key: &PublicKey, data: &Data, signature: &Lent, options: SignOptions<'_>) -> Result<()> {
    public_key.verify_with(&options.read(), data, signature)
}

/// Signs data that was loaded.
/// Errors: `invalid_option`, `invalid_key`, `invalid_user_id`, `unavailable_backend`, `no_randomness`, `cancelled`.
#[call(native, counts("sign", object, job))]
pub fn sign_loaded(
    key: Arc<PrivateKey>,
    loading: Arc<Loading>,
    options: SignOptions<'_>,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Vec<u8>> + Send + use<>> {
    signing::sign_loaded(key, loading, Chosen::from(options), job)
}

/// Fails unless this is a signature of data that was loaded.
/// Errors: `invalid_option`, `invalid_signature`, `invalid_user_id`, `unavailable_backend`, `cancelled`.
#[call(native, counts("verify", object, job))]
pub fn sign_verify_loaded(
    public_key: Arc<PublicKey>,
    loading: Arc<Loading>,
    signature: Vec<u8>,
    options: SignOptions<'_>,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<()> + Send + use<>> {
    signing::verify_loaded(public_key, loading, signature, Chosen::from(options), job)
}
