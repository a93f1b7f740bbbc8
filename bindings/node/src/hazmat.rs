//! Modes that authenticate nothing.

use crate::boundary::{Result, guard, held, hold};
use crate::memory::Memory;
use napi::bindgen_prelude::{Uint8Array, Uint8ArraySlice};
use napi_derive::napi;
use sealstone::hazmat::cipher::{Algorithm, Cipher, Padding};

#[napi]
pub fn cipher(algorithm: String, key: &[u8]) -> Result<u32> {
    guard(|| Cipher::new(algorithm.parse::<Algorithm>()?, key).map(hold))
}

#[napi]
pub fn cipher_key_len(algorithm: String) -> Result<u32> {
    guard(|| Ok(u32::try_from(algorithm.parse::<Algorithm>()?.key_len()).expect("hazmat: a key is short")))
}

fn padding(pads: Option<bool>) -> Padding {
    match pads {
        None => Padding::default(),
        Some(true) => Padding::Pkcs7,
        Some(false) => Padding::None,
    }
}

#[napi]
pub fn cipher_encrypt(cipher: u32, iv: &[u8], plaintext: &[u8], pads: Option<bool>) -> Result<Uint8Array> {
    guard(|| held::<Cipher>(cipher).encrypt(iv, padding(pads), plaintext).map(Uint8Array::from))
}

#[napi]
pub fn cipher_decrypt(cipher: u32, iv: &[u8], ciphertext: &[u8], pads: Option<bool>) -> Result<Uint8Array> {
    guard(|| held::<Cipher>(cipher).decrypt(iv, padding(pads), ciphertext).map(Uint8Array::from))
}

/// Without padding, into memory of the same length, which may overlap the input.
#[napi]
pub fn cipher_into(
    cipher: u32,
    encrypt: bool,
    iv: Uint8ArraySlice<'_>,
    input: Uint8ArraySlice<'_>,
    output: Uint8ArraySlice<'_>,
) -> Result<()> {
    guard(|| {
        let cipher = held::<Cipher>(cipher);
        let output = Memory::of(&output);
        let iv = Memory::of(&iv).beside(output);
        let buffer = output.with_moved(Memory::of(&input), 0, 0);
        if encrypt { cipher.encrypt_in_place(&iv, buffer) } else { cipher.decrypt_in_place(&iv, buffer) }
    })
}
