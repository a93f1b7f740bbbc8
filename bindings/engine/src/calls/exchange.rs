//! Key pairs that agree on keys, or encapsulate them.

use crate::exchange::{self, AgreedBy};
use crate::failure::misused;
use crate::kdf::Key;
use crate::memory::{Exact, Lent};
use crate::text::TextOrBytes;
use crate::work::Work;
use sealstone::Result;
use sealstone::exchange::{PrivateKey, PublicKey, SECRET_LEN};
use sealstone_call::call;
use zeroize::Zeroizing;

/// Makes a new key of a kind, by default of the kind that resists quantum computers.
/// Errors: `unknown_algorithm`, `no_randomness`.
#[call]
pub fn exchange_generate(kind: Option<&str>) -> Result<PrivateKey> {
    exchange::generate(kind)
}

/// Reads a private key in a form that says its kind.
/// Errors: `cost_too_high`, `no_matching_identity`, `unsupported_key`, `passphrase_required`, `invalid_passphrase`, `invalid_key`.
#[call]
pub fn exchange_private_parse(file: &[u8], passphrase: Option<&[u8]>) -> Result<PrivateKey> {
    exchange::private(file, None, passphrase)
}

/// Reads it on another thread, since a passphrase costs a password hash.
/// Errors: `cost_too_high`, `no_matching_identity`, `unsupported_key`, `passphrase_required`, `invalid_passphrase`, `invalid_key`.
#[call(native)]
pub fn exchange_private_parse_later(
    file: Zeroizing<Vec<u8>>,
    passphrase: Option<&[u8]>,
) -> Result<Work<impl FnOnce() -> Result<PrivateKey> + Send + use<>>> {
    exchange::private_later(file, passphrase)
}

/// Reads a public key in a form that says its kind.
/// Errors: `unsupported_key`, `invalid_key`.
#[call]
pub fn exchange_public_parse(file: &[u8]) -> Result<PublicKey> {
    PublicKey::parse(file)
}

/// Makes a private key of its bytes, which do not say their kind.
/// Errors: `unknown_algorithm`, `wrong_length`, `invalid_key`.
#[call]
pub fn exchange_private_of(kind: &str, bytes: &[u8]) -> Result<PrivateKey> {
    exchange::private_of(kind, bytes)
}

/// Makes a public key of its bytes.
/// Errors: `unknown_algorithm`, `wrong_length`, `invalid_key`.
#[call]
pub fn exchange_public_of(kind: &str, bytes: &[u8]) -> Result<PublicKey> {
    exchange::public_of(kind, bytes)
}

/// Names the kind of a private key.
#[call(tells_kind)]
pub fn exchange_private_kind(key: &PrivateKey) -> &'static str {
    key.kind().name()
}

/// Names the kind of a public key.
#[call(tells_kind)]
pub fn exchange_public_kind(key: &PublicKey) -> &'static str {
    key.kind().name()
}

/// Gives the public key of a private one.
#[call]
pub fn exchange_public_key(key: &PrivateKey) -> PublicKey {
    key.public_key()
}

/// Writes a private key in a form, encrypted where there is a passphrase.
/// Errors: `unsupported_key`, `invalid_passphrase`, `unknown_algorithm`, `no_randomness`.
#[call]
pub fn exchange_private_export(key: &PrivateKey, form: &str, passphrase: Option<&[u8]>) -> Result<TextOrBytes> {
    exchange::export_private(key, form, passphrase)
}

/// Writes a public key in a form.
/// Errors: `unsupported_key`, `unknown_algorithm`.
#[call]
pub fn exchange_public_export(key: &PublicKey, form: &str) -> Result<TextOrBytes> {
    exchange::export_public(key, form)
}

/// Derives a key of so many bytes from the secret that two sides share.
/// Errors: `unknown_algorithm`, `invalid_option`, `wrong_length`, `invalid_key`, `too_long`.
#[call(counts("agree", object))]
pub fn exchange_agree(key: &PrivateKey, public_key: &PublicKey, by: AgreedBy<'_>, length: u32) -> Result<Key> {
    exchange::agree(key, public_key, [by.kdf, by.hash], by.salt, by.info, length)
}

/// Gives the secret that two sides share, for protocols that derive keys from it.
/// Errors: `invalid_key`.
#[call(counts("agree", object))]
pub fn exchange_shared_secret(key: &PrivateKey, public_key: &PublicKey) -> Result<Zeroizing<Vec<u8>>> {
    key.hazmat_shared_secret(public_key)
}

/// Gives the length of a secret.
#[call(stack = 16)]
pub fn exchange_secret_len() -> usize {
    SECRET_LEN
}

/// Makes a secret; returns it, and behind it the ciphertext.
/// Errors: `invalid_key`, `no_randomness`.
#[call(counts("encapsulate", object, none))]
pub fn exchange_encapsulate(public_key: &PublicKey) -> Result<Zeroizing<Vec<u8>>> {
    let (ciphertext, secret) = public_key.encapsulate()?;
    // In one piece, so that no copy of the secret is left behind.
    let mut both = Zeroizing::new(Vec::with_capacity(SECRET_LEN + ciphertext.len()));
    both.extend_from_slice(&secret[..]);
    both.extend(ciphertext);
    Ok(both)
}

/// Writes the secret of a ciphertext into memory. Its length: `exchange_secret_len`. After an error the memory is unchanged or zero.
/// Errors: `wrong_length`, `invalid_key`, `malformed_ciphertext`.
#[call(counts("decapsulate", object, ciphertext))]
pub fn exchange_decapsulate(key: &PrivateKey, ciphertext: &Lent, secret: Exact) -> Result<Zeroizing<[u8; SECRET_LEN]>> {
    if secret != SECRET_LEN {
        misused("the memory of the secret has another length");
    }
    key.decapsulate(ciphertext)
}
