//! One buffer under one key, in memory of the caller's: `nonce ‖ ciphertext ‖ tag`, where the nonce is not the caller's.

use sealstone::aead::{Aead, TAG_LEN, random_nonce};
use sealstone::{Error, Result};

/// What stands behind a ciphertext.
pub type Tag = [u8; TAG_LEN];

/// What a plaintext in place has around it for [`seal_in_place`]: bytes before, for a nonce that is drawn, and after.
pub fn room(key: &Aead, draws: bool) -> (usize, usize) {
    (if draws { key.algorithm().nonce_len() } else { 0 }, TAG_LEN)
}

/// Seals the plaintext that lies in `buffer` with its [`room`] around it. Without a nonce one is drawn.
pub fn seal_in_place(key: &Aead, nonce: Option<&[u8]>, aad: &[u8], buffer: &mut [u8]) -> Result<()> {
    let (before, after) = room(key, nonce.is_none());
    let (head, rest) = buffer.split_at_mut(before);
    let nonce = match nonce {
        Some(nonce) => nonce,
        None => {
            random_nonce(head)?;
            &*head
        }
    };
    let (text, tag) = rest.split_at_mut(rest.len() - after);
    tag.copy_from_slice(&key.seal_in_place(nonce, aad, text)?);
    Ok(())
}

/// What a ciphertext without room for its nonce is.
pub fn too_short() -> Error {
    Error::NotAuthentic { chunk: None }
}
