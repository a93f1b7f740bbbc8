//! Key pairs of RSA that encrypt.

use crate::job::Job;
use crate::kdf::Key;
use crate::rsa::{self, OaepOptions, Padding};
use crate::text::TextOrBytes;
use crate::work::Work;
use sealstone::Result;
use sealstone::rsa::{PrivateKey, PublicKey, legacy};
use sealstone_call::call;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Makes a new key.
/// Errors: `invalid_option`, `unavailable_backend`, `no_randomness`.
#[call]
pub fn rsa_generate(bits: usize) -> Result<PrivateKey> {
    PrivateKey::generate(bits)
}

/// Makes a new key on another thread.
/// Errors: `invalid_option`, `unavailable_backend`, `no_randomness`, `cancelled`.
#[call(native)]
pub fn rsa_generate_later(bits: u32, job: Arc<Job>) -> Work<impl FnOnce() -> Result<PrivateKey> + Send + 'static> {
    rsa::generate(bits, job)
}

/// Reads a private key.
/// Errors: `cost_too_high`, `no_matching_identity`, `unsupported_key`, `passphrase_required`, `invalid_passphrase`, `invalid_key`.
#[call]
pub fn rsa_private_parse(file: &[u8], passphrase: Option<&[u8]>) -> Result<PrivateKey> {
    rsa::private(file, passphrase)
}

/// Reads it on another thread, since a passphrase costs a password hash.
/// Errors: `cost_too_high`, `no_matching_identity`, `unsupported_key`, `passphrase_required`, `invalid_passphrase`, `invalid_key`.
#[call(native)]
pub fn rsa_private_parse_later(
    file: Zeroizing<Vec<u8>>,
    passphrase: Option<&[u8]>,
) -> Result<Work<impl FnOnce() -> Result<PrivateKey> + Send + use<>>> {
    rsa::private_later(file, passphrase)
}

/// Reads a public key.
/// Errors: `unsupported_key`, `invalid_key`.
#[call]
pub fn rsa_public_parse(file: &[u8]) -> Result<PublicKey> {
    PublicKey::parse(file)
}

/// Reads it on another thread.
/// Errors: `unsupported_key`, `invalid_key`.
#[call(native)]
pub fn rsa_public_parse_later(file: Vec<u8>) -> Work<impl FnOnce() -> Result<PublicKey> + Send + 'static> {
    rsa::public_later(file)
}

/// Gives the public key of a private one.
#[call]
pub fn rsa_public_key(key: &PrivateKey) -> PublicKey {
    key.public_key()
}

/// Gives the bits of a private key's modulus.
#[call]
pub fn rsa_private_bits(key: &PrivateKey) -> usize {
    key.bits()
}

/// Gives the bits of a public key's modulus.
#[call]
pub fn rsa_public_bits(key: &PublicKey) -> usize {
    key.bits()
}

/// Writes a private key in a form, encrypted where there is a passphrase.
/// Errors: `unsupported_key`, `invalid_passphrase`, `unknown_algorithm`, `no_randomness`.
#[call]
pub fn rsa_private_export(key: &PrivateKey, form: &str, passphrase: Option<&[u8]>) -> Result<TextOrBytes> {
    rsa::export_private(key, form, passphrase)
}

/// Writes a public key in a form.
/// Errors: `unknown_algorithm`.
#[call]
pub fn rsa_public_export(key: &PublicKey, form: &str) -> Result<TextOrBytes> {
    rsa::export_public(key, form)
}

/// Encrypts with OAEP.
/// Errors: `unknown_algorithm`, `unavailable_backend`, `too_long`, `no_randomness`.
#[call(counts("encryptKey", rsa, plaintext))]
pub fn rsa_encrypt(key: &PublicKey, plaintext: &[u8], oaep: OaepOptions<'_>) -> Result<Vec<u8>> {
    rsa::encrypt(key, plaintext, oaep.hash, oaep.label)
}

/// Encrypts with OAEP on another thread.
/// Errors: `unknown_algorithm`, `unavailable_backend`, `too_long`, `no_randomness`.
#[call(native, counts("encryptKey", rsa, plaintext))]
pub fn rsa_encrypt_later(
    key: Arc<PublicKey>,
    plaintext: Zeroizing<Vec<u8>>,
    oaep: OaepOptions<'_>,
) -> Work<impl FnOnce() -> Result<Vec<u8>> + Send + use<>> {
    rsa::encrypt_later(key, plaintext, oaep.into())
}

/// Decrypts with OAEP.
/// Errors: `not_authentic`, `unknown_algorithm`, `wrong_length`, `unavailable_backend`.
#[call(counts("decryptKey", rsa, ciphertext))]
pub fn rsa_decrypt(key: &PrivateKey, ciphertext: &[u8], oaep: OaepOptions<'_>) -> Result<Key> {
    rsa::decrypt(key, ciphertext, oaep.hash, oaep.label)
}

/// Decrypts with OAEP on another thread.
/// Errors: `not_authentic`, `unknown_algorithm`, `wrong_length`, `unavailable_backend`.
#[call(native, counts("decryptKey", rsa, ciphertext))]
pub fn rsa_decrypt_later(
    key: Arc<PrivateKey>,
    ciphertext: Vec<u8>,
    oaep: OaepOptions<'_>,
) -> Work<impl FnOnce() -> Result<Key> + Send + use<>> {
    rsa::decrypt_later(key, ciphertext, oaep.into())
}

/// Encrypts with the padding of PKCS#1 v1.5.
/// Errors: `unavailable_backend`, `too_long`, `no_randomness`.
#[call(counts("encryptKey", rsa, plaintext))]
pub fn rsa_encrypt_pkcs1(key: &PublicKey, plaintext: &[u8]) -> Result<Vec<u8>> {
    legacy::encrypt(key, plaintext)
}

/// Encrypts so on another thread.
/// Errors: `unavailable_backend`, `too_long`, `no_randomness`.
#[call(native, counts("encryptKey", rsa, plaintext))]
pub fn rsa_encrypt_pkcs1_later(
    key: Arc<PublicKey>,
    plaintext: Zeroizing<Vec<u8>>,
) -> Work<impl FnOnce() -> Result<Vec<u8>> + Send + 'static> {
    rsa::encrypt_later(key, plaintext, Padding::Pkcs1)
}

/// Decrypts the padding of PKCS#1 v1.5; no result tells whether that was right.
/// Errors: `wrong_length`, `malformed_ciphertext`, `unavailable_backend`.
#[call(counts("decryptKey", rsa, ciphertext))]
pub fn rsa_decrypt_pkcs1(key: &PrivateKey, ciphertext: &[u8]) -> Result<Key> {
    legacy::decrypt(key, ciphertext)
}

/// Decrypts so on another thread.
/// Errors: `wrong_length`, `malformed_ciphertext`, `unavailable_backend`.
#[call(native, counts("decryptKey", rsa, ciphertext))]
pub fn rsa_decrypt_pkcs1_later(
    key: Arc<PrivateKey>,
    ciphertext: Vec<u8>,
) -> Work<impl FnOnce() -> Result<Key> + Send + 'static> {
    rsa::decrypt_later(key, ciphertext, Padding::Pkcs1)
}

/// Takes the padding off a block that a host has decrypted.
/// Errors: `wrong_length`, `malformed_ciphertext`.
#[call(wasm)]
pub fn rsa_unpad_pkcs1(key: &PrivateKey, ciphertext: &[u8], encoded: &[u8]) -> Result<Key> {
    let encoded = Zeroizing::new(encoded.to_vec());
    legacy::decrypt_by(key, ciphertext, || Ok(encoded))
}
