//! The exports of the part `rsa`, one of each call. `make generate` writes them.

use crate::boundary::size;
use crate::handles::{held, hold};
use sealstone_engine::calls;
use sealstone_engine::numbers::number;
use sealstone_engine::rsa::OaepOptions;
use sealstone_engine::text::TextOrBytes;
use zeroize::Zeroizing;

exports! {
    fn rsa_generate(bits: u64) -> u32 = hold(calls::rsa::rsa_generate(size(bits))?)?;
    fn rsa_private_parse(file: &[u8], passphrase: Option<&[u8]>) -> u32 =
        hold(calls::rsa::rsa_private_parse(file, passphrase)?)?;
    fn rsa_public_parse(file: &[u8]) -> u32 = hold(calls::rsa::rsa_public_parse(file)?)?;
    fn rsa_public_key(key: u32) -> u32 = hold(calls::rsa::rsa_public_key(&*held(key)?))?;
    fn rsa_private_bits(key: u32) -> f64 = number(calls::rsa::rsa_private_bits(&*held(key)?) as u64);
    fn rsa_public_bits(key: u32) -> f64 = number(calls::rsa::rsa_public_bits(&*held(key)?) as u64);
    fn rsa_private_export(key: u32, form: &str, passphrase: Option<&[u8]>) -> TextOrBytes =
        calls::rsa::rsa_private_export(&*held(key)?, form, passphrase)?;
    fn rsa_public_export(key: u32, form: &str) -> TextOrBytes = calls::rsa::rsa_public_export(&*held(key)?, form)?;
    fn rsa_encrypt(key: u32, plaintext: &[u8], hash: Option<&str>, label: &[u8]) -> Vec<u8> =
        calls::rsa::rsa_encrypt(&*held(key)?, plaintext, OaepOptions { hash, label })?;
    fn rsa_decrypt(key: u32, ciphertext: &[u8], hash: Option<&str>, label: &[u8]) -> Zeroizing<Vec<u8>> =
        calls::rsa::rsa_decrypt(&*held(key)?, ciphertext, OaepOptions { hash, label })?;
    fn rsa_encrypt_pkcs1(key: u32, plaintext: &[u8]) -> Vec<u8> =
        calls::rsa::rsa_encrypt_pkcs1(&*held(key)?, plaintext)?;
    fn rsa_decrypt_pkcs1(key: u32, ciphertext: &[u8]) -> Zeroizing<Vec<u8>> =
        calls::rsa::rsa_decrypt_pkcs1(&*held(key)?, ciphertext)?;
    fn rsa_unpad_pkcs1(key: u32, ciphertext: &[u8], encoded: &[u8]) -> Zeroizing<Vec<u8>> =
        calls::rsa::rsa_unpad_pkcs1(&*held(key)?, ciphertext, encoded)?;
}
