//! Ciphers in unauthenticated modes, with what another language says of padding: nothing, yes or no.

use crate::batch::check_results;
use crate::failure::misused;
use sealstone::Result;
use sealstone::hazmat::cipher::{Cipher, Padding};
use sealstone::hazmat::legacy::{Algorithm, LegacyCipher};
use std::mem::take;

/// Encrypts the plaintext of `len` bytes that `buffer` begins with, and which has room for padding.
pub fn encrypt(cipher: &Cipher, iv: &[u8], pads: Option<bool>, buffer: &mut [u8], len: usize) -> Result<()> {
    cipher.encrypt_padded(iv, padding(pads), buffer, len)
}

/// Encrypts messages that lie one behind the other in `buffer`, each with its own IV, without padding.
pub fn encrypt_batch(cipher: &Cipher, ivs: &[u8], lengths: &[u32], buffer: &mut [u8]) -> Result<()> {
    let iv_len = cipher.algorithm().iv_len();
    check_results(lengths, buffer, Some);
    if lengths.len().checked_mul(iv_len) != Some(ivs.len()) {
        misused(format!("the IVs of {} messages have {iv_len} bytes each", lengths.len()));
    }
    let mut rest = buffer;
    let messages = lengths.iter().enumerate().map(|(at, len)| {
        let (message, behind) = take(&mut rest).split_at_mut(*len as usize);
        rest = behind;
        (&ivs[at * iv_len..][..iv_len], message)
    });
    cipher.encrypt_batch(messages)
}

/// Decrypts what is in `buffer`; returns the plaintext's length.
pub fn decrypt(cipher: &Cipher, iv: &[u8], pads: Option<bool>, buffer: &mut [u8]) -> Result<usize> {
    cipher.decrypt_padded(iv, padding(pads), buffer)
}

/// A ciphertext's plaintext, in its memory.
pub fn decrypted(cipher: &Cipher, iv: &[u8], pads: Option<bool>, mut buffer: Vec<u8>) -> Result<Vec<u8>> {
    let len = decrypt(cipher, iv, pads, &mut buffer)?;
    buffer.truncate(len);
    Ok(buffer)
}

/// Core's kind of padding for the option.
pub fn padding(pads: Option<bool>) -> Padding {
    pads.map_or_else(Padding::default, |pads| if pads { Padding::Pkcs7 } else { Padding::None })
}

/// An old cipher, which encrypts only for a caller who says so.
pub fn legacy(algorithm: &str, key: &[u8], encrypts: bool) -> Result<LegacyCipher> {
    let algorithm = algorithm.parse::<Algorithm>()?;
    if encrypts { LegacyCipher::allowing_encryption(algorithm, key) } else { LegacyCipher::new(algorithm, key) }
}
