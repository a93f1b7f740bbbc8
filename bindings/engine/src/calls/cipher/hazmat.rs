//! Ciphers that authenticate nothing, old ciphers, key wrap, AES-CCM, Poly1305 and Base64. An encoding crosses as its place among the engine's.

use crate::failure::misused;
use crate::hashing::{encoding_id, encoding_of};
use crate::hazmat::{self, padding};
use crate::memory::{Data, Lent, Moving};
use sealstone::Result;
use sealstone::encoding;
use sealstone::hazmat::ccm::{self, Ccm};
use sealstone::hazmat::cipher::{Algorithm, Cipher};
use sealstone::hazmat::legacy::LegacyCipher;
use sealstone::hazmat::poly1305 as one_time;
use sealstone::hazmat::wrap::{self, KeyWrap};
use sealstone_call::call;
use zeroize::Zeroizing;

/// Gives the number of an encoding; for ciphers alone.
/// Errors: `unknown_algorithm`.
#[call(js, stack = 16)]
pub fn cipher_encoding_id(encoding: &str) -> Result<u32> {
    encoding_id(encoding)
}

/// Writes Base64 with padding, of bytes that are no key, into memory for which the digits are just as long.
#[call(stack = 16)]
pub fn base64_encode_into(bytes: &[u8], digits: &mut [u8]) {
    if Some(digits.len()) != bytes.len().div_ceil(3).checked_mul(4) {
        misused("the memory of the digits has another length");
    }
    encoding::encode_base64_into(bytes, digits);
}

/// Reads Base64 into memory that has room for its bytes; returns how many there are. After an error the memory is zero.
/// Errors: `invalid_encoding`.
#[call(stack = 16)]
pub fn base64_decode_into(digits: &[u8], bytes: &mut [u8]) -> Result<usize> {
    encoding::decode_base64_into(digits, bytes)
}

/// Makes a key for a mode.
/// Errors: `unknown_algorithm`, `wrong_length`, `invalid_key`, `unavailable_backend`.
#[call(stack = 16, makes(name))]
pub fn cipher(algorithm: &str, key: &[u8]) -> Result<Cipher> {
    Cipher::new(algorithm.parse::<Algorithm>()?, key)
}

/// Gives the length of the keys of a mode.
/// Errors: `unknown_algorithm`.
#[call(stack = 16)]
pub fn cipher_key_len(algorithm: &str) -> Result<usize> {
    Ok(algorithm.parse::<Algorithm>()?.key_len())
}

/// Whether a plaintext is padded unless that is declined.
#[call(stack = 16)]
pub fn cipher_pads(cipher: &Cipher) -> bool {
    cipher.algorithm().pads()
}

/// Encrypts into memory. Its length: the plaintext's, or where it is padded (`cipher_pads`) the next multiple of 16 bytes. After an error
/// the memory is zero, unless the input lay there.
/// Errors: `wrong_length`, `partial_block`.
#[call(stack = 16, counts("encryptBare", object, plaintext))]
pub fn cipher_encrypt(
    cipher: &Cipher,
    iv: &[u8],
    plaintext_to_ciphertext: impl Moving,
    pads: Option<bool>,
) -> Result<()> {
    let (len, ciphertext_len) = (plaintext_to_ciphertext.input_len(), plaintext_to_ciphertext.output_len());
    let padding_len = ciphertext_len
        .checked_sub(len)
        .unwrap_or_else(|| misused("the memory of the ciphertext is shorter than the plaintext"));
    plaintext_to_ciphertext.with(0..len, 0, padding_len, |buffer| hazmat::encrypt(cipher, iv, pads, buffer, len))
}

/// Decrypts into memory. Its length: the ciphertext's. Returns the plaintext's. After an error the memory is zero, unless the input lay
/// there; after `invalid_padding` it is zero in any case.
/// Errors: `wrong_length`, `partial_block`, `invalid_padding`.
#[call(stack = 16, counts("decryptBare", object, ciphertext))]
pub fn cipher_decrypt(
    cipher: &Cipher,
    iv: &[u8],
    ciphertext_to_plaintext: impl Moving,
    pads: Option<bool>,
) -> Result<usize> {
    let len = ciphertext_to_plaintext.input_len();
    ciphertext_to_plaintext.with(0..len, 0, 0, |buffer| hazmat::decrypt(cipher, iv, pads, buffer))
}

/// Encrypts to text.
/// Errors: `wrong_length`, `partial_block`, `too_long`.
#[call(stack = 16, counts("encryptBare", object, plaintext))]
pub fn cipher_encrypt_text<T>(
    cipher: &Cipher,
    iv: &Lent,
    plaintext: &Data,
    pads: Option<bool>,
    encoding: u32,
    give: impl FnOnce(&str) -> T,
) -> Result<T> {
    encoding_of(encoding).sealed(&cipher.encrypt(iv, padding(pads), plaintext)?, give)
}

/// Decrypts a text whose plaintext is text too.
/// Errors: `wrong_length`, `invalid_encoding`, `partial_block`, `invalid_padding`.
#[call(stack = 16, counts("decryptBare", object, ciphertext))]
pub fn cipher_decrypt_text<T>(
    cipher: &Cipher,
    iv: &Lent,
    ciphertext: &Data,
    pads: Option<bool>,
    encoding: u32,
    give: impl FnOnce(&str) -> T,
) -> Result<T> {
    encoding_of(encoding).opened(ciphertext, |ciphertext| hazmat::decrypted(cipher, iv, pads, ciphertext), give)
}

/// Makes a key for an old cipher, which decrypts, and encrypts only where the caller says so.
/// Errors: `unknown_algorithm`, `wrong_length`, `legacy_encryption`.
#[call(stack = 16, makes(name))]
pub fn legacy(algorithm: &str, key: &[u8], encrypts: bool) -> Result<LegacyCipher> {
    hazmat::legacy(algorithm, key, encrypts)
}

/// Encrypts.
/// Errors: `wrong_length`, `partial_block`, `legacy_encryption`.
#[call(stack = 16, counts("encryptBare", object, plaintext))]
pub fn legacy_encrypt(legacy: &LegacyCipher, iv: &[u8], plaintext: &[u8], pads: Option<bool>) -> Result<Vec<u8>> {
    legacy.encrypt(iv, padding(pads), plaintext)
}

/// Decrypts.
/// Errors: `wrong_length`, `partial_block`, `invalid_padding`.
#[call(stack = 16, counts("decryptBare", object, ciphertext))]
pub fn legacy_decrypt(legacy: &LegacyCipher, iv: &[u8], ciphertext: &[u8], pads: Option<bool>) -> Result<Vec<u8>> {
    legacy.decrypt(iv, padding(pads), ciphertext)
}

/// Encrypts to text.
/// Errors: `wrong_length`, `partial_block`, `legacy_encryption`, `too_long`.
#[call(stack = 16, counts("encryptBare", object, plaintext))]
pub fn legacy_encrypt_text<T>(
    legacy: &LegacyCipher,
    iv: &[u8],
    plaintext: &[u8],
    pads: Option<bool>,
    encoding: u32,
    give: impl FnOnce(&str) -> T,
) -> Result<T> {
    encoding_of(encoding).sealed(&legacy.encrypt(iv, padding(pads), plaintext)?, give)
}

/// Decrypts a text whose plaintext is text too.
/// Errors: `wrong_length`, `invalid_encoding`, `partial_block`, `invalid_padding`.
#[call(stack = 16, counts("decryptBare", object, ciphertext))]
pub fn legacy_decrypt_text<T>(
    legacy: &LegacyCipher,
    iv: &[u8],
    ciphertext: &Data,
    pads: Option<bool>,
    encoding: u32,
    give: impl FnOnce(&str) -> T,
) -> Result<T> {
    let decrypt = |ciphertext: Vec<u8>| legacy.decrypt(iv, padding(pads), &ciphertext);
    encoding_of(encoding).opened(ciphertext, decrypt, give)
}

/// Makes a key that wraps others.
/// Errors: `unknown_algorithm`, `wrong_length`.
#[call(stack = 16, makes(name))]
pub fn key_wrap(algorithm: &str, key: &[u8]) -> Result<KeyWrap> {
    KeyWrap::new(algorithm.parse::<wrap::Algorithm>()?, key)
}

/// Wraps a key.
/// Errors: `wrong_length`, `too_long`.
#[call(stack = 16, counts("wrap", object, secret))]
pub fn key_wrap_wrap(key: &KeyWrap, secret: &[u8]) -> Result<Vec<u8>> {
    key.wrap(secret)
}

/// Unwraps a key.
/// Errors: `not_authentic`.
#[call(stack = 16, counts("unwrap", object, wrapped))]
pub fn key_wrap_unwrap(key: &KeyWrap, wrapped: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    key.unwrap(wrapped)
}

/// Makes a key for AES-CCM.
/// Errors: `unknown_algorithm`, `wrong_length`.
#[call(stack = 16, makes(name))]
pub fn ccm(algorithm: &str, key: &[u8], tag_len: usize) -> Result<Ccm> {
    Ccm::new(algorithm.parse::<ccm::Algorithm>()?, key, tag_len)
}

/// Seals.
/// Errors: `wrong_length`, `too_long`.
#[call(stack = 16, counts("seal", object, plaintext))]
pub fn ccm_seal(key: &Ccm, nonce: &[u8], aad: &[u8], plaintext: &[u8]) -> Result<Vec<u8>> {
    key.seal(nonce, aad, plaintext)
}

/// Opens.
/// Errors: `not_authentic`, `wrong_length`.
#[call(stack = 16, counts("open", object, sealed))]
pub fn ccm_open(key: &Ccm, nonce: &[u8], aad: &[u8], sealed: &[u8]) -> Result<Vec<u8>> {
    key.open(nonce, aad, sealed)
}

/// Makes a tag of Poly1305, whose key is for one message.
/// Errors: `wrong_length`, `unavailable_backend`.
#[call(stack = 16)]
pub fn poly1305(key: &[u8], data: &[u8]) -> Result<Vec<u8>> {
    one_time::sign(key, data).map(Vec::from)
}
