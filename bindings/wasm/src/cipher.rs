//! The module of ciphers: what seals and opens one buffer, and `hazmat`. An encoding crosses as its place among the engine's.

use crate::boundary::{Data, Moved, Output, numbers, small};
use crate::handles::{held, hold};
use sealstone::Error;
use sealstone::aead::{Aead, Algorithm};
use sealstone::encoding::{decode_base64_into, encode_base64_into};
use sealstone::hazmat::ccm::{self, Ccm};
use sealstone::hazmat::cipher::{self, Cipher};
use sealstone::hazmat::legacy::LegacyCipher;
use sealstone::hazmat::poly1305;
use sealstone::hazmat::wrap::{self, KeyWrap};
use sealstone_engine::aead::{self as one_buffer, Tag};
use sealstone_engine::hashing::{encoding_id, encoding_of};
use sealstone_engine::hazmat::{self, padding};
use sealstone_engine::numbers::number;
use zeroize::Zeroizing;

exports! {
    /// As `encoding_id` of the module of digests.
    fn cipher_encoding_id(encoding: &str) -> f64 = f64::from(encoding_id(encoding)?);
    fn base64_encode_into(bytes: &[u8], digits: Output) -> () = encode_base64_into(bytes, digits.bytes());
    fn base64_decode_into(digits: &[u8], bytes: Output) -> f64 =
        number(decode_base64_into(digits, bytes.bytes())? as u64);
    // One buffer under one key.
    fn aead(algorithm: &str, key: &[u8]) -> u32 = hold(Aead::new(algorithm.parse::<Algorithm>()?, key)?)?;
    fn aead_key_len(algorithm: &str) -> f64 = number(algorithm.parse::<Algorithm>()?.key_len() as u64);
    fn aead_nonce_len(algorithm: &str) -> f64 = number(algorithm.parse::<Algorithm>()?.nonce_len() as u64);
    fn aead_tag_len() -> f64 = number(size_of::<Tag>() as u64);
    fn aead_seal(key: u32, nonce: Option<&[u8]>, aad: Option<&[u8]>, plaintext: Moved, sealed: Output) -> () = {
        let key = held::<Aead>(key)?;
        let (before, after) = one_buffer::room(&key, nonce.is_none());
        one_buffer::seal_in_place(&key, nonce, aad.unwrap_or_default(), sealed.moved(plaintext, before, after))?;
    };
    /// Of a plaintext that has room for the nonce before it, where that is drawn; returns the plaintext's length.
    fn aead_seal_loaded(key: u32, nonce: Option<&[u8]>, aad: &[u8], loaded: Moved, sealed: Output) -> f64 = {
        let (key, Moved(len)) = (held::<Aead>(key)?, loaded);
        one_buffer::seal_in_place(&key, nonce, aad, sealed.moved(loaded, 0, size_of::<Tag>()))?;
        number((len - one_buffer::room(&key, nonce.is_none()).0) as u64)
    };
    /// Returns the plaintext's length.
    fn aead_open(key: u32, nonce: Option<&[u8]>, aad: Option<&[u8]>, sealed: Moved, plaintext: Output) -> f64 = {
        let key = held::<Aead>(key)?;
        let nonce_len = one_buffer::room(&key, nonce.is_none()).0;
        let Moved(len) = sealed;
        let mut plaintext = plaintext;
        let Some(text_len) = len.checked_sub(nonce_len + size_of::<Tag>()) else {
            plaintext.whole().fill(0);
            return Err(one_buffer::too_short().into());
        };
        plaintext.keep(text_len);
        let memory = plaintext.whole();
        let drawn = memory[..nonce_len].to_vec();
        memory.copy_within(nonce_len..len, 0);
        let (text, rest) = memory.split_at_mut(text_len);
        let tag: Tag = rest[..size_of::<Tag>()].try_into().expect("aead: the tag was counted");
        let opened = key.open_in_place_separate_tag(nonce.unwrap_or(&drawn), aad.unwrap_or_default(), text, &tag);
        if let Err(Error::NotAuthentic { .. }) = opened {
            memory.fill(0);
        }
        opened?;
        number(text_len as u64)
    };
    fn aead_seal_text(key: u32, nonce: Option<&[u8]>, aad: Data, plaintext: Data, encoding: u64) -> String = {
        let (Data(aad), Data(plaintext), encoding) = (aad, plaintext, encoding_of(small(encoding)));
        one_buffer::seal_text(&*held::<Aead>(key)?, nonce, aad, plaintext, encoding, str::to_owned)?
    };
    fn aead_open_text(key: u32, nonce: Option<&[u8]>, aad: Data, sealed: &str, encoding: u64) -> String = {
        let (Data(aad), encoding) = (aad, encoding_of(small(encoding)));
        one_buffer::open_text(&*held::<Aead>(key)?, nonce, aad, sealed.as_bytes(), encoding, str::to_owned)?
    };
    fn aead_seal_batch(key: u32, aad: &[u8], data: &[u8], lengths: &[u8], out: Output) -> () =
        one_buffer::seal_batch(&*held::<Aead>(key)?, aad, data, &numbers(lengths), out.bytes())?;
    fn aead_open_batch(key: u32, aad: &[u8], data: &[u8], lengths: &[u8], out: Output) -> Vec<u8> =
        one_buffer::open_batch(&*held::<Aead>(key)?, aad, data, &numbers(lengths), out.bytes());
    // Unauthenticated modes.
    fn cipher(algorithm: &str, key: &[u8]) -> u32 = hold(Cipher::new(algorithm.parse::<cipher::Algorithm>()?, key)?)?;
    fn cipher_key_len(algorithm: &str) -> f64 = number(algorithm.parse::<cipher::Algorithm>()?.key_len() as u64);
    fn cipher_pads(cipher: u32) -> bool = held::<Cipher>(cipher)?.algorithm().pads();
    fn cipher_encrypt(cipher: u32, iv: &[u8], plaintext: Moved, pads: Option<bool>, output: Output) -> () = {
        let Moved(len) = plaintext;
        hazmat::encrypt(&*held::<Cipher>(cipher)?, iv, pads, output.bytes(), len)?;
    };
    fn cipher_decrypt(cipher: u32, iv: &[u8], ciphertext: Moved, pads: Option<bool>, output: Output) -> f64 = {
        let buffer = output.moved(ciphertext, 0, 0);
        number(hazmat::decrypt(&*held::<Cipher>(cipher)?, iv, pads, buffer)? as u64)
    };
    fn cipher_encrypt_text(cipher: u32, iv: &[u8], plaintext: Data, pads: Option<bool>, encoding: u64) -> String = {
        let Data(plaintext) = plaintext;
        let made = held::<Cipher>(cipher)?.encrypt(iv, padding(pads), plaintext)?;
        encoding_of(small(encoding)).sealed(&made, str::to_owned)?
    };
    fn cipher_decrypt_text(cipher: u32, iv: &[u8], ciphertext: &str, pads: Option<bool>, encoding: u64) -> String = {
        let key = held::<Cipher>(cipher)?;
        let decrypt = |ciphertext| hazmat::decrypted(&key, iv, pads, ciphertext);
        encoding_of(small(encoding)).opened(ciphertext.as_bytes(), decrypt, str::to_owned)?
    };
    // Old ciphers.
    fn legacy(algorithm: &str, key: &[u8], encrypts: bool) -> u32 = hold(hazmat::legacy(algorithm, key, encrypts)?)?;
    fn legacy_encrypt(legacy: u32, iv: &[u8], plaintext: &[u8], pads: Option<bool>) -> Vec<u8> =
        held::<LegacyCipher>(legacy)?.encrypt(iv, padding(pads), plaintext)?;
    fn legacy_decrypt(legacy: u32, iv: &[u8], ciphertext: &[u8], pads: Option<bool>) -> Vec<u8> =
        held::<LegacyCipher>(legacy)?.decrypt(iv, padding(pads), ciphertext)?;
    fn legacy_encrypt_text(legacy: u32, iv: &[u8], plaintext: &[u8], pads: Option<bool>, encoding: u64) -> String = {
        let made = held::<LegacyCipher>(legacy)?.encrypt(iv, padding(pads), plaintext)?;
        encoding_of(small(encoding)).sealed(&made, str::to_owned)?
    };
    fn legacy_decrypt_text(legacy: u32, iv: &[u8], ciphertext: &str, pads: Option<bool>, encoding: u64) -> String = {
        let key = held::<LegacyCipher>(legacy)?;
        let decrypt = |ciphertext: Vec<u8>| key.decrypt(iv, padding(pads), &ciphertext);
        encoding_of(small(encoding)).opened(ciphertext.as_bytes(), decrypt, str::to_owned)?
    };
    // Key wrap, CCM, Poly1305.
    fn key_wrap(algorithm: &str, key: &[u8]) -> u32 = hold(KeyWrap::new(algorithm.parse::<wrap::Algorithm>()?, key)?)?;
    fn key_wrap_wrap(key: u32, secret: &[u8]) -> Vec<u8> = held::<KeyWrap>(key)?.wrap(secret)?;
    fn key_wrap_unwrap(key: u32, wrapped: &[u8]) -> Zeroizing<Vec<u8>> = held::<KeyWrap>(key)?.unwrap(wrapped)?;
    fn ccm(algorithm: &str, key: &[u8], tag_len: u64) -> u32 =
        hold(Ccm::new(algorithm.parse::<ccm::Algorithm>()?, key, small(tag_len) as usize)?)?;
    fn ccm_seal(key: u32, nonce: &[u8], aad: &[u8], plaintext: &[u8]) -> Vec<u8> =
        held::<Ccm>(key)?.seal(nonce, aad, plaintext)?;
    fn ccm_open(key: u32, nonce: &[u8], aad: &[u8], sealed: &[u8]) -> Vec<u8> =
        held::<Ccm>(key)?.open(nonce, aad, sealed)?;
    fn poly1305(key: &[u8], data: &[u8]) -> Vec<u8> = poly1305::sign(key, data)?.to_vec();
}
