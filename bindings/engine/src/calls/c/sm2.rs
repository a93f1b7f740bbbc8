//! SM2 that encrypts, signs and agrees on keys with one pair of keys (GB/T 32918). An id is that of a user, by default `1234567812345678`;
//! an encoding of a signature is `der`, by default, or `fixed`; a form of a ciphertext is `c1c3c2`, by default, `c1c2c3` or `asn1`.

use crate::kdf::Key;
use crate::sm2;
use crate::text::TextOrBytes;
use sealstone::Result;
use sealstone::sm2::{Exchanged, Peer, PrivateKey, PublicKey, Role};
use sealstone_call::call;

/// Makes a new private key.
/// Errors: `unavailable_backend`, `no_randomness`.
#[call(c)]
pub fn sm2_generate() -> Result<PrivateKey> {
    PrivateKey::generate()
}

/// Reads a private key in a form that says its kind.
/// Errors: `cost_too_high`, `no_matching_identity`, `unsupported_key`, `passphrase_required`, `invalid_passphrase`, `invalid_key`,
/// `unavailable_backend`.
#[call(c)]
pub fn sm2_private_parse(file: &[u8], passphrase: Option<&[u8]>) -> Result<PrivateKey> {
    sm2::private(file, passphrase)
}

/// Makes a private key of its number, 32 bytes with the highest first.
/// Errors: `wrong_length`, `invalid_key`, `unavailable_backend`.
#[call(c)]
pub fn sm2_private_of(bytes: &[u8]) -> Result<PrivateKey> {
    PrivateKey::from_bytes(bytes)
}

/// Gives the number of a private key, 32 bytes.
#[call(c)]
pub fn sm2_private_bytes(key: &PrivateKey) -> Key {
    Key::new(key.to_bytes().to_vec())
}

/// Writes a private key in a form, `pem`, `der`, `jwk` or `raw`, encrypted where there is a passphrase.
/// Errors: `unsupported_key`, `invalid_passphrase`, `unknown_algorithm`, `no_randomness`.
#[call(c)]
pub fn sm2_private_export(key: &PrivateKey, form: &str, passphrase: Option<&[u8]>) -> Result<TextOrBytes> {
    sm2::export_private(key, form, passphrase)
}

/// Gives the public key of a private one.
#[call(c)]
pub fn sm2_public_key(key: &PrivateKey) -> PublicKey {
    key.public_key()
}

/// Reads a public key in a form that says its kind.
/// Errors: `unsupported_key`, `invalid_key`.
#[call(c)]
pub fn sm2_public_parse(file: &[u8]) -> Result<PublicKey> {
    sm2::public(file)
}

/// Makes a public key of its point: 65 bytes that begin with 04.
/// Errors: `wrong_length`, `invalid_key`.
#[call(c)]
pub fn sm2_public_of(bytes: &[u8]) -> Result<PublicKey> {
    PublicKey::from_bytes(bytes)
}

/// Gives the point of a public key: 65 bytes that begin with 04.
#[call(c)]
pub fn sm2_public_bytes(public_key: &PublicKey) -> Vec<u8> {
    public_key.to_bytes().to_vec()
}

/// Writes a public key in a form, `pem`, `der`, `jwk` or `raw`.
/// Errors: `unsupported_key`, `unknown_algorithm`, `invalid_option`.
#[call(c)]
pub fn sm2_public_export(public_key: &PublicKey, form: &str) -> Result<TextOrBytes> {
    sm2::export_public(public_key, form)
}

/// Gives the digest that a user's signature of a message signs.
/// Errors: `invalid_user_id`.
#[call(c)]
pub fn sm2_digest(public_key: &PublicKey, message: &[u8], id: Option<&[u8]>) -> Result<Vec<u8>> {
    sm2::digest(public_key, message, id)
}

/// Signs a message as a user.
/// Errors: `unknown_algorithm`, `invalid_key`, `invalid_user_id`, `no_randomness`.
#[call(c)]
pub fn sm2_sign(key: &PrivateKey, message: &[u8], id: Option<&[u8]>, encoding: Option<&str>) -> Result<Vec<u8>> {
    sm2::sign(key, message, id, encoding)
}

/// Signs a digest of 32 bytes that the caller computed of a message by `sm2_digest`, or as its protocol says.
/// Errors: `unknown_algorithm`, `wrong_length`, `no_randomness`.
#[call(c)]
pub fn sm2_sign_digest(key: &PrivateKey, digest: &[u8], encoding: Option<&str>) -> Result<Vec<u8>> {
    sm2::sign_digest(key, digest, encoding)
}

/// Fails unless this is a user's signature of a message.
/// Errors: `unknown_algorithm`, `invalid_signature`, `invalid_user_id`, `unavailable_backend`.
#[call(c)]
pub fn sm2_verify(
    public_key: &PublicKey,
    message: &[u8],
    signature: &[u8],
    id: Option<&[u8]>,
    encoding: Option<&str>,
) -> Result<()> {
    sm2::verify(public_key, message, signature, id, encoding)
}

/// Fails unless this is a signature of a digest.
/// Errors: `unknown_algorithm`, `wrong_length`, `invalid_signature`, `unavailable_backend`.
#[call(c)]
pub fn sm2_verify_digest(
    public_key: &PublicKey,
    digest: &[u8],
    signature: &[u8],
    encoding: Option<&str>,
) -> Result<()> {
    sm2::verify_digest(public_key, digest, signature, encoding)
}

/// Encrypts a short plaintext to a public key.
/// Errors: `unknown_algorithm`, `empty_plaintext`, `unavailable_backend`, `too_long`, `no_randomness`.
#[call(c)]
pub fn sm2_encrypt(public_key: &PublicKey, plaintext: &[u8], form: Option<&str>) -> Result<Vec<u8>> {
    sm2::encrypt(public_key, plaintext, form)
}

/// Decrypts it.
/// Errors: `not_authentic`, `unknown_algorithm`, `malformed_ciphertext`.
#[call(c)]
pub fn sm2_decrypt(key: &PrivateKey, ciphertext: &[u8], form: Option<&str>) -> Result<Key> {
    sm2::decrypt(key, ciphertext, form)
}

/// Agrees with another user on a key of so many bytes (GB/T 32918.3). Each user makes an ephemeral key for this exchange alone, by
/// `sm2_generate`, and sends its public key; one of the two is the initiator. Without an id it is the usual one.
/// Errors: `invalid_key`, `invalid_user_id`, `unavailable_backend`, `too_long`.
#[call(c)]
#[allow(clippy::too_many_arguments)]
pub fn sm2_exchange(
    key: &PrivateKey,
    is_initiator: bool,
    id: Option<&[u8]>,
    ephemeral: &PrivateKey,
    peer: &PublicKey,
    peer_id: Option<&[u8]>,
    peer_ephemeral: &PublicKey,
    length: usize,
) -> Result<Exchanged> {
    let role = if is_initiator { Role::Initiator } else { Role::Responder };
    let [id, peer_id] = [id, peer_id].map(|id| id.unwrap_or(sealstone::sm2::DEFAULT_ID));
    key.exchange(role, id, ephemeral, &Peer { id: peer_id, key: peer, ephemeral: peer_ephemeral }, length)
}

/// Gives the key.
#[call(c)]
pub fn sm2_exchanged_key(exchanged: &Exchanged) -> Key {
    Key::new(exchanged.key().to_vec())
}

/// Gives the hash, 32 bytes, that shows the other user that this one has the key. It is no secret.
#[call(c)]
pub fn sm2_exchanged_confirmation(exchanged: &Exchanged) -> Vec<u8> {
    exchanged.confirmation().to_vec()
}

/// Gives the hash that the other user shows, for interfaces that compare it themselves. It is not to be sent.
#[call(c)]
pub fn sm2_exchanged_peer_confirmation(exchanged: &Exchanged) -> Vec<u8> {
    exchanged.peer_confirmation().to_vec()
}

/// Fails unless this is the hash of the other user, which has the key then.
/// Errors: `not_authentic`.
#[call(c)]
pub fn sm2_exchanged_verify(exchanged: &Exchanged, confirmation: &[u8]) -> Result<()> {
    exchanged.verify(confirmation)
}
