//! The module of key pairs that encrypt: RSA. The host computes with them; what is called here as the addon has it fails when all
//! else was checked.

use crate::boundary::small;
use crate::handles::{held, hold};
use sealstone::rsa::{PrivateKey, PublicKey, legacy};
use sealstone_engine::numbers::number;
use sealstone_engine::rsa;
use sealstone_engine::text::TextOrBytes;
use zeroize::Zeroizing;

exports! {
    fn rsa_generate(bits: u64) -> u32 = hold(PrivateKey::generate(small(bits) as usize)?)?;
    fn rsa_private_parse(file: &[u8], passphrase: Option<&[u8]>) -> u32 = hold(rsa::private(file, passphrase)?)?;
    fn rsa_public_parse(file: &[u8]) -> u32 = hold(PublicKey::parse(file)?)?;
    fn rsa_public_key(key: u32) -> u32 = hold(held::<PrivateKey>(key)?.public_key())?;
    fn rsa_private_bits(key: u32) -> f64 = number(held::<PrivateKey>(key)?.bits() as u64);
    fn rsa_public_bits(key: u32) -> f64 = number(held::<PublicKey>(key)?.bits() as u64);
    fn rsa_private_export(key: u32, form: &str, passphrase: Option<&[u8]>) -> TextOrBytes =
        rsa::export_private(&*held(key)?, form, passphrase)?;
    fn rsa_public_export(key: u32, form: &str) -> TextOrBytes = rsa::export_public(&*held(key)?, form)?;
    fn rsa_encrypt(key: u32, plaintext: &[u8], hash: Option<&str>, label: &[u8]) -> Vec<u8> =
        rsa::encrypt(&*held(key)?, plaintext, hash, label)?;
    fn rsa_decrypt(key: u32, ciphertext: &[u8], hash: Option<&str>, label: &[u8]) -> Zeroizing<Vec<u8>> =
        rsa::decrypt(&*held(key)?, ciphertext, hash, label)?;
    fn rsa_encrypt_pkcs1(key: u32, plaintext: &[u8]) -> Vec<u8> = legacy::encrypt(&*held::<PublicKey>(key)?, plaintext)?;
    fn rsa_decrypt_pkcs1(key: u32, ciphertext: &[u8]) -> Zeroizing<Vec<u8>> =
        legacy::decrypt(&*held::<PrivateKey>(key)?, ciphertext)?;
    /// Of what the host decrypted, with its padding.
    fn rsa_unpad_pkcs1(key: u32, ciphertext: &[u8], encoded: &[u8]) -> Zeroizing<Vec<u8>> = {
        let encoded = Zeroizing::new(encoded.to_vec());
        legacy::decrypt_by(&*held::<PrivateKey>(key)?, ciphertext, || Ok(encoded))?
    };
}
