//! RSA that encrypts.

use crate::boundary::{Bytes, text_or_bytes};
use crate::handles::{held, hold, job_of};
use napi::bindgen_prelude::Either;
use sealstone::rsa::{PrivateKey, PublicKey, legacy};
use sealstone_engine::numbers::short;
use sealstone_engine::rsa::{self, Padding};

exports! {
    fn rsa_generate(bits: u32) -> u32 = PrivateKey::generate(bits as usize).map(hold);
    fn rsa_private_parse(file: &[u8], passphrase: Option<&[u8]>) -> u32 = rsa::private(file, passphrase).map(hold);
    fn rsa_public_parse(file: &[u8]) -> u32 = PublicKey::parse(file).map(hold);
    fn rsa_public_key(key: u32) -> u32 = Ok(hold(held::<PrivateKey>(key).public_key()));
    fn rsa_private_bits(key: u32) -> u32 = Ok(short(held::<PrivateKey>(key).bits()));
    fn rsa_public_bits(key: u32) -> u32 = Ok(short(held::<PublicKey>(key).bits()));
    fn rsa_private_export(key: u32, form: String, passphrase: Option<&[u8]>) -> Either<String, Bytes> =
        rsa::export_private(&held(key), &form, passphrase).map(text_or_bytes);
    fn rsa_public_export(key: u32, form: String) -> Either<String, Bytes> =
        rsa::export_public(&held(key), &form).map(text_or_bytes);
    fn rsa_encrypt(key: u32, plaintext: &[u8], hash: Option<String>, label: &[u8]) -> Bytes =
        rsa::encrypt(&held(key), plaintext, hash.as_deref(), label);
    fn rsa_decrypt(key: u32, ciphertext: &[u8], hash: Option<String>, label: &[u8]) -> Bytes =
        rsa::decrypt(&held(key), ciphertext, hash.as_deref(), label).map(Bytes);
    fn rsa_encrypt_pkcs1(key: u32, plaintext: &[u8]) -> Bytes = legacy::encrypt(&held(key), plaintext);
    fn rsa_decrypt_pkcs1(key: u32, ciphertext: &[u8]) -> Bytes = legacy::decrypt(&held(key), ciphertext).map(Bytes);
}

promises! {
    fn rsa_generate_later(bits: u32, job: u32) => hold, rsa::generate(bits, job_of(job));
    fn rsa_private_parse_later(file: &[u8], passphrase: Option<&[u8]>) => hold,
        rsa::private_later(file.to_vec().into(), passphrase)?;
    fn rsa_public_parse_later(file: &[u8]) => hold, rsa::public_later(file.to_vec());
    fn rsa_encrypt_later(key: u32, plaintext: &[u8], hash: Option<String>, label: &[u8]) => Bytes::from,
        rsa::encrypt_later(held(key), plaintext.to_vec().into(), Padding::Oaep(hash, label.to_vec()));
    fn rsa_decrypt_later(key: u32, ciphertext: &[u8], hash: Option<String>, label: &[u8]) => Bytes,
        rsa::decrypt_later(held(key), ciphertext.to_vec(), Padding::Oaep(hash, label.to_vec()));
    fn rsa_encrypt_pkcs1_later(key: u32, plaintext: &[u8]) => Bytes::from,
        rsa::encrypt_later(held(key), plaintext.to_vec().into(), Padding::Pkcs1);
    fn rsa_decrypt_pkcs1_later(key: u32, ciphertext: &[u8]) => Bytes,
        rsa::decrypt_later(held(key), ciphertext.to_vec(), Padding::Pkcs1);
}
