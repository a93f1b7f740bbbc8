//! Chunked encryption under a key.

use crate::parts::{Opening, Sealing};
use sealstone::Result;
use sealstone::aead::TAG_LEN;
use sealstone::chunked::{ChunkedKey, HEAD_LEN};
use sealstone_call::call;

/// Makes a key for chunks of a suite.
/// Errors: `unknown_algorithm`, `wrong_length`.
#[call(stack = 16, makes(name))]
pub fn chunked_key(suite: &str, key: &[u8]) -> Result<ChunkedKey> {
    ChunkedKey::new(suite.parse()?, key)
}

/// Begins a ciphertext.
/// Errors: `unavailable_backend`, `no_randomness`.
#[call(stack = 16)]
pub fn chunked_sealer(key: &ChunkedKey, context: &[u8]) -> Result<Sealing> {
    Sealing::chunked(key, context)
}

/// Begins to open a ciphertext, by its head.
/// Errors: `truncated`, `not_authentic`, `unavailable_backend`.
#[call(stack = 16)]
pub fn chunked_opener(key: &ChunkedKey, context: &[u8], head: &[u8]) -> Result<Opening> {
    Opening::chunked(key, context, head)
}

/// Gives the length of a ciphertext's head.
#[call(stack = 16)]
pub fn chunked_head_len() -> usize {
    HEAD_LEN
}

/// Encrypts a plaintext.
/// Errors: `unavailable_backend`, `too_long`, `no_randomness`.
#[call(stack = 16, counts("encryptChunks", object, plaintext))]
pub fn chunked_encrypt(key: &ChunkedKey, context: &[u8], plaintext: &[u8]) -> Result<Vec<u8>> {
    key.encrypt(context, plaintext)
}

/// Decrypts a ciphertext.
/// Errors: `truncated`, `not_authentic`, `unavailable_backend`.
#[call(stack = 16, counts("decryptChunks", object, ciphertext))]
pub fn chunked_decrypt(key: &ChunkedKey, context: &[u8], ciphertext: &[u8]) -> Result<Vec<u8>> {
    key.decrypt(context, ciphertext)
}

/// Gives the length of the tag of each chunk, and of a message.
#[call(stack = 16)]
pub fn tag_len() -> usize {
    TAG_LEN
}
