//! Modes that authenticate nothing.

use crate::boundary::{Result, guard, held, hold, number};
use crate::memory::Memory;
use napi::bindgen_prelude::Uint8ArraySlice;
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

/// Whether a plaintext is padded unless that is declined.
#[napi]
pub fn cipher_pads(cipher: u32) -> Result<bool> {
    guard(|| Ok(held::<Cipher>(cipher).algorithm().pads()))
}

/// Into memory of the ciphertext's length, which may overlap the plaintext.
#[napi]
pub fn cipher_encrypt(
    cipher: u32,
    iv: Uint8ArraySlice<'_>,
    plaintext: Uint8ArraySlice<'_>,
    pads: Option<bool>,
    output: Uint8ArraySlice<'_>,
) -> Result<()> {
    guard(|| {
        let output = Memory::of(&output);
        let iv = Memory::of(&iv).beside(output);
        let plaintext = Memory::of(&plaintext);
        let padding_len = output.longer_than(plaintext);
        output.with_moved(plaintext, 0, padding_len, |buffer| {
            let plaintext_len = buffer.len() - padding_len;
            held::<Cipher>(cipher).encrypt_padded(&iv, padding(pads), buffer, plaintext_len)
        })
    })
}

/// Into memory of the ciphertext's length, which may overlap it; returns the plaintext's.
#[napi]
pub fn cipher_decrypt(
    cipher: u32,
    iv: Uint8ArraySlice<'_>,
    ciphertext: Uint8ArraySlice<'_>,
    pads: Option<bool>,
    output: Uint8ArraySlice<'_>,
) -> Result<f64> {
    guard(|| {
        let output = Memory::of(&output);
        let iv = Memory::of(&iv).beside(output);
        let decrypt = |buffer: &mut [u8]| held::<Cipher>(cipher).decrypt_padded(&iv, padding(pads), buffer);
        output.with_moved(Memory::of(&ciphertext), 0, 0, decrypt).map(|len| number(len as u64))
    })
}
