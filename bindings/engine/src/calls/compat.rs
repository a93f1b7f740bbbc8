//! The formats of yuants, and bytes as text.

use crate::Delivery;
use crate::calls::records::KeyPairText;
use crate::loading::Loading;
use crate::memory::Moving;
use crate::text;
use crate::work::Work;
use crate::yuants as compat;
use sealstone::Result;
use sealstone::interop::yuants::{self, Format};
use sealstone_call::call;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Makes a pair of keys that sign, of a seed, or a new one.
/// Errors: `wrong_length`, `no_randomness`.
#[call]
pub fn yuants_key_pair(seed: Option<&[u8]>) -> Result<KeyPairText> {
    compat::key_pair(seed).map(KeyPairText::from)
}

/// Gives the pair of a private key that signs.
/// Errors: `wrong_length`, `invalid_encoding`, `invalid_key`.
#[call]
pub fn yuants_key_pair_of(private_key: &str) -> Result<KeyPairText> {
    compat::key_pair_of(private_key).map(KeyPairText::from)
}

/// Makes a new pair of keys for X25519.
/// Errors: `no_randomness`.
#[call]
pub fn yuants_x25519() -> Result<KeyPairText> {
    compat::generate_x25519().map(KeyPairText::from)
}

/// Gives the key that two sides share.
/// Errors: `wrong_length`, `invalid_encoding`, `invalid_key`.
#[call]
pub fn yuants_shared_key(public_key: &str, private_key: &str) -> Result<Zeroizing<String>> {
    yuants::derive_shared_key(public_key, private_key)
}

/// Signs a message.
/// Errors: `wrong_length`, `invalid_key`.
#[call]
pub fn yuants_sign(private_key: &[u8], message: &[u8]) -> Result<Vec<u8>> {
    Ok(yuants::private_key_of(private_key)?.sign(message).to_vec())
}

/// Signs a message with a key that is text, to text.
/// Errors: `wrong_length`, `invalid_encoding`, `invalid_key`.
#[call]
pub fn yuants_sign_text(private_key: &str, message: &[u8]) -> Result<String> {
    compat::sign_text(private_key, message)
}

/// Whether a signature is one of the message; `malleable` also takes those that others can make of one.
/// Errors: `wrong_length`, `invalid_encoding`, `invalid_key`.
#[call]
pub fn yuants_verify(public_key: &str, message: &[u8], signature: &str, malleable: Option<bool>) -> Result<bool> {
    compat::verify(public_key, message, signature, malleable.unwrap_or(false))
}

/// Gives the length before a ciphertext that this package makes.
/// Errors: `unknown_algorithm`.
#[call]
pub fn yuants_head_len(format: &str) -> Result<usize> {
    Ok(format.parse::<Format>()?.head_len())
}

/// Gives the length behind a ciphertext.
/// Errors: `unknown_algorithm`.
#[call]
pub fn yuants_tail_len(format: &str) -> Result<usize> {
    Ok(format.parse::<Format>()?.tail_len())
}

/// Gives the length before the ciphertext of a whole that begins so.
/// Errors: `unknown_algorithm`, `malformed_ciphertext`.
#[call]
pub fn yuants_head_len_of(format: &str, sealed: &[u8]) -> Result<usize> {
    format.parse::<Format>()?.head_len_of(sealed)
}

/// Seals a plaintext into memory. Its length: the plaintext's plus `yuants_head_len` and `yuants_tail_len`. After an error the memory is
/// zero, unless the input lay there.
/// Errors: `unknown_algorithm`, `wrong_length`, `invalid_encoding`, `invalid_key`, `unavailable_backend`, `too_long`, `no_randomness`.
#[call]
pub fn yuants_seal(format: &str, key: &str, plaintext_to_sealed: impl Moving) -> Result<()> {
    let (format, len) = (format.parse::<Format>()?, plaintext_to_sealed.input_len());
    plaintext_to_sealed.with(0..len, format.head_len(), format.tail_len(), |sealed| compat::seal(key, format, sealed))
}

/// Opens a whole into memory. Its length: the whole's less `yuants_head_len_of`. Returns the plaintext's. After an error the memory is
/// zero, unless the input lay there; after `not_authentic` it is zero in any case.
/// Errors: `not_authentic`, `unknown_algorithm`, `wrong_length`, `invalid_encoding`, `malformed_ciphertext`.
#[call]
pub fn yuants_open(format: &str, key: &str, sealed_to_plaintext: impl Moving) -> Result<usize> {
    let (format, len) = (format.parse::<Format>()?, sealed_to_plaintext.input_len());
    let head_len = len.checked_sub(sealed_to_plaintext.output_len()).expect("yuants: a plaintext is shorter");
    let mut head = vec![0; head_len];
    sealed_to_plaintext.read(0, &mut head);
    sealed_to_plaintext.with(head_len..len, 0, 0, |buffer| format.open_in_place(key, &head, buffer))
}

/// Gives the HMAC of data.
/// Errors: `unknown_algorithm`.
#[call]
pub fn yuants_hmac(hash: &str, key: &[u8], data: &[u8]) -> Result<Vec<u8>> {
    compat::hmac(hash, key, data)
}

/// Gives the hash FNV-1a of data, as 16 hexadecimal digits.
#[call]
pub fn yuants_fnv(data: &[u8]) -> String {
    format!("{:016x}", yuants::fnv1a64(data))
}

/// Seals a plaintext that was loaded, behind room for the head.
/// Errors: `unknown_algorithm`, `wrong_length`, `invalid_encoding`, `invalid_key`, `unavailable_backend`, `too_long`, `no_randomness`.
#[call(native)]
pub fn yuants_seal_loaded(
    format: &str,
    key: Zeroizing<String>,
    loading: Arc<Loading>,
) -> Result<Work<impl FnOnce() -> Result<Delivery> + Send + use<>>> {
    Ok(compat::seal_loaded(key, format.parse()?, loading).then(|bytes| Ok(bytes.into())))
}

/// Opens a whole that was loaded.
/// Errors: `not_authentic`, `unknown_algorithm`, `wrong_length`, `invalid_encoding`, `malformed_ciphertext`.
#[call(native)]
pub fn yuants_open_loaded(
    format: &str,
    key: Zeroizing<String>,
    loading: Arc<Loading>,
) -> Result<Work<impl FnOnce() -> Result<Delivery> + Send + use<>>> {
    Ok(compat::open_loaded(key, format.parse()?, loading).then(|bytes| Ok(bytes.into())))
}

/// Gives the HMAC of data that was loaded.
/// Errors: `unknown_algorithm`.
#[call(native)]
pub fn yuants_hmac_loaded(
    hash: String,
    key: Zeroizing<Vec<u8>>,
    loading: Arc<Loading>,
) -> Work<impl FnOnce() -> Result<Vec<u8>> + Send + 'static> {
    compat::hmac_loaded(hash, key, loading)
}

/// Writes bytes in an encoding.
/// Errors: `unknown_algorithm`, `too_long`.
#[call(stack = 16)]
pub fn encode_text(encoding: &str, data: &[u8]) -> Result<String> {
    text::encode(encoding, data)
}

/// Reads a text.
/// Errors: `unknown_algorithm`, `invalid_encoding`.
#[call(stack = 16)]
pub fn decode_text(encoding: &str, text: &str) -> Result<Vec<u8>> {
    text::decode(encoding, text)
}
