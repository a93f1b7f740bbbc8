//! Ciphers that authenticate nothing, of many messages in one call.

use crate::hazmat;
use crate::memory::Moving;
use sealstone::Result;
use sealstone::hazmat::cipher::Cipher;
use sealstone_call::call;

/// Encrypts messages that lie one behind the other, each of `lengths` bytes and with its own IV of `ivs`, without padding. In CBC with SM4
/// several messages are encrypted together, many times as fast as one by one. After an error the memory is zero, unless the input lay there.
/// Errors: `wrong_length`, `partial_block`.
#[call(c)]
pub fn cipher_encrypt_batch(
    cipher: &Cipher,
    ivs: &[u8],
    lengths: &[u32],
    plaintexts_to_ciphertexts: impl Moving,
) -> Result<()> {
    let len = plaintexts_to_ciphertexts.input_len();
    plaintexts_to_ciphertexts.with(0..len, 0, 0, |buffer| hazmat::encrypt_batch(cipher, ivs, lengths, buffer))
}

/// Gives the length of the IV of a mode.
/// Errors: `unknown_algorithm`.
#[call(c)]
pub fn cipher_iv_len(algorithm: &str) -> Result<usize> {
    Ok(algorithm.parse::<sealstone::hazmat::cipher::Algorithm>()?.iv_len())
}
