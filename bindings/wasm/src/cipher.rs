//! The exports of the part `cipher`, one of each call. `make generate` writes them.

use crate::boundary::{Data, Moved, Numbers, Output, size, small};
use crate::handles::{held, hold};
use sealstone_engine::calls;
use sealstone_engine::numbers::number;
use zeroize::Zeroizing;

exports! {
    fn aead(algorithm: &str, key: &[u8]) -> u32 = hold(calls::cipher::aead::aead(algorithm, key)?)?;
    fn aead_key_len(algorithm: &str) -> f64 = number(calls::cipher::aead::aead_key_len(algorithm)? as u64);
    fn aead_nonce_len(algorithm: &str) -> f64 = number(calls::cipher::aead::aead_nonce_len(algorithm)? as u64);
    fn aead_tag_len() -> f64 = number(calls::cipher::aead::aead_tag_len() as u64);
    fn aead_seal(key: u32, nonce: Option<&[u8]>, aad: Option<&[u8]>, plaintext: Moved, sealed: Output) -> () =
        calls::cipher::aead::aead_seal(&*held(key)?, nonce, aad, sealed.moving(plaintext))?;
    fn aead_open(key: u32, nonce: Option<&[u8]>, aad: Option<&[u8]>, sealed: Moved, plaintext: Output) -> () =
        calls::cipher::aead::aead_open(&*held(key)?, nonce, aad, plaintext.moving(sealed))?;
    fn aead_opened_len(key: u32, sealed_len: u64, has_nonce: bool) -> f64 =
        number(calls::cipher::aead::aead_opened_len(&*held(key)?, size(sealed_len), has_nonce) as u64);
    fn aead_seal_text(key: u32, nonce: Option<&[u8]>, aad: Data, plaintext: Data, encoding: u64) -> String =
        calls::cipher::aead::aead_seal_text(
            &*held(key)?,
            nonce,
            aad.0,
            plaintext.0,
            small(encoding),
            str::to_owned,
        )?;
    fn aead_open_text(key: u32, nonce: Option<&[u8]>, aad: Data, sealed: Data, encoding: u64) -> String =
        calls::cipher::aead::aead_open_text(
            &*held(key)?,
            nonce,
            aad.0,
            sealed.0,
            small(encoding),
            str::to_owned,
        )?;
    fn aead_seal_batch(key: u32, aad: &[u8], data: &[u8], lengths: Numbers, out: Output) -> () =
        calls::cipher::aead::aead_seal_batch(&*held(key)?, aad, data, &lengths.read(), out.bytes())?;
    fn aead_open_batch(key: u32, aad: &[u8], data: &[u8], lengths: Numbers, out: Output) -> Vec<u8> =
        calls::cipher::aead::aead_open_batch(&*held(key)?, aad, data, &lengths.read(), out.bytes());
    fn aead_seal_placed(key: u32, nonce: Option<&[u8]>, aad: &[u8], loaded: Moved, sealed: Output) -> f64 =
        number(calls::cipher::aead::aead_seal_placed(&*held(key)?, nonce, aad, sealed.moving(loaded))? as u64);
    fn cipher_encoding_id(encoding: &str) -> f64 = f64::from(calls::cipher::hazmat::cipher_encoding_id(encoding)?);
    fn base64_encode_into(bytes: &[u8], digits: Output) -> () =
        calls::cipher::hazmat::base64_encode_into(bytes, digits.bytes());
    fn base64_decode_into(digits: &[u8], bytes: Output) -> f64 =
        number(calls::cipher::hazmat::base64_decode_into(digits, bytes.bytes())? as u64);
    fn cipher(algorithm: &str, key: &[u8]) -> u32 = hold(calls::cipher::hazmat::cipher(algorithm, key)?)?;
    fn cipher_key_len(algorithm: &str) -> f64 = number(calls::cipher::hazmat::cipher_key_len(algorithm)? as u64);
    fn cipher_pads(cipher: u32) -> bool = calls::cipher::hazmat::cipher_pads(&*held(cipher)?);
    fn cipher_encrypt(cipher: u32, iv: &[u8], plaintext: Moved, ciphertext: Output, pads: Option<bool>) -> () =
        calls::cipher::hazmat::cipher_encrypt(&*held(cipher)?, iv, ciphertext.moving(plaintext), pads)?;
    fn cipher_decrypt(cipher: u32, iv: &[u8], ciphertext: Moved, plaintext: Output, pads: Option<bool>) -> f64 =
        number(calls::cipher::hazmat::cipher_decrypt(&*held(cipher)?, iv, plaintext.moving(ciphertext), pads)? as u64);
    fn cipher_encrypt_text(cipher: u32, iv: &[u8], plaintext: Data, pads: Option<bool>, encoding: u64) -> String =
        calls::cipher::hazmat::cipher_encrypt_text(
            &*held(cipher)?,
            iv,
            plaintext.0,
            pads,
            small(encoding),
            str::to_owned,
        )?;
    fn cipher_decrypt_text(cipher: u32, iv: &[u8], ciphertext: Data, pads: Option<bool>, encoding: u64) -> String =
        calls::cipher::hazmat::cipher_decrypt_text(
            &*held(cipher)?,
            iv,
            ciphertext.0,
            pads,
            small(encoding),
            str::to_owned,
        )?;
    fn legacy(algorithm: &str, key: &[u8], encrypts: bool) -> u32 =
        hold(calls::cipher::hazmat::legacy(algorithm, key, encrypts)?)?;
    fn legacy_encrypt(legacy: u32, iv: &[u8], plaintext: &[u8], pads: Option<bool>) -> Vec<u8> =
        calls::cipher::hazmat::legacy_encrypt(&*held(legacy)?, iv, plaintext, pads)?;
    fn legacy_decrypt(legacy: u32, iv: &[u8], ciphertext: &[u8], pads: Option<bool>) -> Vec<u8> =
        calls::cipher::hazmat::legacy_decrypt(&*held(legacy)?, iv, ciphertext, pads)?;
    fn legacy_encrypt_text(legacy: u32, iv: &[u8], plaintext: &[u8], pads: Option<bool>, encoding: u64) -> String =
        calls::cipher::hazmat::legacy_encrypt_text(
            &*held(legacy)?,
            iv,
            plaintext,
            pads,
            small(encoding),
            str::to_owned,
        )?;
    fn legacy_decrypt_text(legacy: u32, iv: &[u8], ciphertext: Data, pads: Option<bool>, encoding: u64) -> String =
        calls::cipher::hazmat::legacy_decrypt_text(
            &*held(legacy)?,
            iv,
            ciphertext.0,
            pads,
            small(encoding),
            str::to_owned,
        )?;
    fn key_wrap(algorithm: &str, key: &[u8]) -> u32 = hold(calls::cipher::hazmat::key_wrap(algorithm, key)?)?;
    fn key_wrap_wrap(key: u32, secret: &[u8]) -> Vec<u8> =
        calls::cipher::hazmat::key_wrap_wrap(&*held(key)?, secret)?;
    fn key_wrap_unwrap(key: u32, wrapped: &[u8]) -> Zeroizing<Vec<u8>> =
        calls::cipher::hazmat::key_wrap_unwrap(&*held(key)?, wrapped)?;
    fn ccm(algorithm: &str, key: &[u8], tag_len: u64) -> u32 =
        hold(calls::cipher::hazmat::ccm(algorithm, key, size(tag_len))?)?;
    fn ccm_seal(key: u32, nonce: &[u8], aad: &[u8], plaintext: &[u8]) -> Vec<u8> =
        calls::cipher::hazmat::ccm_seal(&*held(key)?, nonce, aad, plaintext)?;
    fn ccm_open(key: u32, nonce: &[u8], aad: &[u8], sealed: &[u8]) -> Vec<u8> =
        calls::cipher::hazmat::ccm_open(&*held(key)?, nonce, aad, sealed)?;
    fn poly1305(key: &[u8], data: &[u8]) -> Vec<u8> = calls::cipher::hazmat::poly1305(key, data)?;
}
