//! Ciphers in unauthenticated modes, those of old data, key wrap, CCM and Poly1305.

use crate::boundary::Bytes;
use crate::direct::{Answer, Call};
use crate::handles::{held, hold};
use crate::memory::Memory;
use sealstone::Result;
use sealstone::hazmat::ccm::{self, Ccm};
use sealstone::hazmat::cipher::{Algorithm, Cipher};
use sealstone::hazmat::legacy::LegacyCipher;
use sealstone::hazmat::poly1305;
use sealstone::hazmat::wrap::{self, KeyWrap};
use sealstone_engine::hashing::{encoding_id, encoding_of};
use sealstone_engine::hazmat::{self, padding};
use sealstone_engine::numbers::{number, short};

/// Of a key, an IV, a plaintext, whether it is padded, and an encoding.
pub fn encrypt_text(call: &Call) -> Result<Answer> {
    let (key, pads, encoding) = (held::<Cipher>(call.number(0)), call.choice(3), encoding_of(call.number(4)));
    let made = call.needed(1).read(|iv| call.data(2, |plaintext| key.encrypt(iv, padding(pads), plaintext)))?;
    encoding.sealed(&made, |text| call.ascii(text))
}

/// As [`encrypt_text`].
pub fn decrypt_text(call: &Call) -> Result<Answer> {
    let (key, pads, encoding) = (held::<Cipher>(call.number(0)), call.choice(3), encoding_of(call.number(4)));
    call.needed(1).read(|iv| {
        let decrypt = |ciphertext| hazmat::decrypted(&key, iv, pads, ciphertext);
        call.data(2, |ciphertext| encoding.opened(ciphertext, decrypt, |text| call.text(text)))
    })
}

exports! {
    /// As `encoding_id`, for what has this alone.
    fn cipher_encoding_id(encoding: String) -> u32 = encoding_id(&encoding);
    fn cipher(algorithm: String, key: &[u8]) -> u32 = Cipher::new(algorithm.parse::<Algorithm>()?, key).map(hold);
    fn cipher_key_len(algorithm: String) -> u32 = Ok(short(algorithm.parse::<Algorithm>()?.key_len()));
    fn cipher_pads(cipher: u32) -> bool = Ok(held::<Cipher>(cipher).algorithm().pads());
    fn cipher_encrypt(cipher: u32, iv: Memory, plaintext: Memory, pads: Option<bool>, output: Memory) -> () = {
        let padding_len = output.len.checked_sub(plaintext.len).expect("hazmat: an output is shorter than its input");
        let iv = iv.beside(output);
        let encrypt = |buffer: &mut [u8]| hazmat::encrypt(&held(cipher), &iv, pads, buffer, plaintext.len);
        output.with_moved(plaintext, 0, padding_len, encrypt)
    };
    fn cipher_decrypt(cipher: u32, iv: Memory, ciphertext: Memory, pads: Option<bool>, output: Memory) -> f64 = {
        let iv = iv.beside(output);
        let decrypt = |buffer: &mut [u8]| hazmat::decrypt(&held(cipher), &iv, pads, buffer);
        output.with_moved(ciphertext, 0, 0, decrypt).map(|len| number(len as u64))
    };
    fn legacy(algorithm: String, key: &[u8], encrypts: bool) -> u32 =
        hazmat::legacy(&algorithm, key, encrypts).map(hold);
    fn legacy_encrypt(legacy: u32, iv: &[u8], plaintext: &[u8], pads: Option<bool>) -> Bytes =
        held::<LegacyCipher>(legacy).encrypt(iv, padding(pads), plaintext);
    fn legacy_decrypt(legacy: u32, iv: &[u8], ciphertext: &[u8], pads: Option<bool>) -> Bytes =
        held::<LegacyCipher>(legacy).decrypt(iv, padding(pads), ciphertext);
    fn legacy_encrypt_text(legacy: u32, iv: &[u8], plaintext: &[u8], pads: Option<bool>, encoding: u32) -> String = {
        let made = held::<LegacyCipher>(legacy).encrypt(iv, padding(pads), plaintext)?;
        encoding_of(encoding).sealed(&made, str::to_owned)
    };
    fn legacy_decrypt_text(legacy: u32, iv: &[u8], ciphertext: String, pads: Option<bool>, encoding: u32) -> String = {
        let decrypt = |ciphertext: Vec<u8>| held::<LegacyCipher>(legacy).decrypt(iv, padding(pads), &ciphertext);
        encoding_of(encoding).opened(ciphertext.as_bytes(), decrypt, str::to_owned)
    };
    fn key_wrap(algorithm: String, key: &[u8]) -> u32 = KeyWrap::new(algorithm.parse::<wrap::Algorithm>()?, key).map(hold);
    fn key_wrap_wrap(key: u32, secret: &[u8]) -> Bytes = held::<KeyWrap>(key).wrap(secret);
    fn key_wrap_unwrap(key: u32, wrapped: &[u8]) -> Bytes =
        held::<KeyWrap>(key).unwrap(wrapped).map(Bytes);
    fn ccm(algorithm: String, key: &[u8], tag_len: u32) -> u32 =
        Ccm::new(algorithm.parse::<ccm::Algorithm>()?, key, tag_len as usize).map(hold);
    fn ccm_seal(key: u32, nonce: &[u8], aad: &[u8], plaintext: &[u8]) -> Bytes =
        held::<Ccm>(key).seal(nonce, aad, plaintext);
    fn ccm_open(key: u32, nonce: &[u8], aad: &[u8], sealed: &[u8]) -> Bytes = held::<Ccm>(key).open(nonce, aad, sealed);
    fn poly1305(key: &[u8], data: &[u8]) -> Bytes = poly1305::sign(key, data);
}
