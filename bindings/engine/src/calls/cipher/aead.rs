//! One buffer under one key. An encoding crosses as its place among the engine's.

use crate::Delivery;
use crate::aead;
use crate::hashing::encoding_of;
use crate::job::Job;
use crate::loading::Loading;
use crate::memory::{Data, Lent, Moving};
use crate::work::Work;
use sealstone::Result;
use sealstone::aead::{Aead, Algorithm, TAG_LEN};
use sealstone_call::call;
use std::sync::Arc;

/// Makes a key for an AEAD.
/// Errors: `unknown_algorithm`, `wrong_length`, `unavailable_backend`.
#[call(stack = 16, makes(name))]
pub fn aead(algorithm: &str, key: &[u8]) -> Result<Aead> {
    Aead::new(algorithm.parse::<Algorithm>()?, key)
}

/// Gives the length of the keys of an AEAD.
/// Errors: `unknown_algorithm`.
#[call(stack = 16)]
pub fn aead_key_len(algorithm: &str) -> Result<usize> {
    Ok(algorithm.parse::<Algorithm>()?.key_len())
}

/// Gives the length of the nonces of an AEAD.
/// Errors: `unknown_algorithm`.
#[call(stack = 16)]
pub fn aead_nonce_len(algorithm: &str) -> Result<usize> {
    Ok(algorithm.parse::<Algorithm>()?.nonce_len())
}

/// Gives the length of a tag.
#[call(stack = 16)]
pub fn aead_tag_len() -> usize {
    TAG_LEN
}

/// Seals a plaintext into memory. Its length: the plaintext's plus `aead_tag_len`. Without a nonce one is drawn, which stands before the
/// ciphertext, and the memory is longer by `aead_nonce_len`. After an error the memory is zero, unless the input lay there.
/// Errors: `wrong_length`, `too_long`, `no_randomness`.
#[call(stack = 16, counts("seal", object, plaintext))]
pub fn aead_seal(key: &Aead, nonce: Option<&Lent>, aad: Option<&Lent>, plaintext_to_sealed: impl Moving) -> Result<()> {
    aead::seal_moved(key, nonce, aad.unwrap_or_default(), plaintext_to_sealed)
}

/// Opens a ciphertext into memory. Its length: the ciphertext's less `aead_tag_len`, or with room for the tag as well. Without a nonce it
/// is read from before the ciphertext, and the memory is shorter by `aead_nonce_len`. After an error the memory is zero, unless the input lay
/// there; after `not_authentic` it is zero in any case.
/// Errors: `not_authentic`, `wrong_length`.
#[call(stack = 16, counts("open", object, sealed))]
pub fn aead_open(key: &Aead, nonce: Option<&Lent>, aad: Option<&Lent>, sealed_to_plaintext: impl Moving) -> Result<()> {
    aead::open_moved(key, nonce, aad.unwrap_or_default(), sealed_to_plaintext)
}

/// Gives the length of the plaintext of a ciphertext, which its nonce may precede; 0 of one that is too short.
#[call(wasm, stack = 16)]
pub fn aead_opened_len(key: &Aead, sealed_len: usize, has_nonce: bool) -> usize {
    aead::opened_len(key, sealed_len, has_nonce)
}

/// Seals a plaintext as text.
/// Errors: `wrong_length`, `too_long`, `no_randomness`.
#[call(stack = 16, counts("seal", object, plaintext))]
pub fn aead_seal_text<T>(
    key: &Aead,
    nonce: Option<&Lent>,
    aad: &Data,
    plaintext: &Data,
    encoding: u32,
    give: impl FnOnce(&str) -> T,
) -> Result<T> {
    aead::seal_text(key, nonce, aad, plaintext, encoding_of(encoding), give)
}

/// Opens a text whose plaintext is text too.
/// Errors: `not_authentic`, `wrong_length`, `invalid_encoding`.
#[call(stack = 16, counts("open", object, sealed))]
pub fn aead_open_text<T>(
    key: &Aead,
    nonce: Option<&Lent>,
    aad: &Data,
    sealed: &Data,
    encoding: u32,
    give: impl FnOnce(&str) -> T,
) -> Result<T> {
    aead::open_text(key, nonce, aad, sealed, encoding_of(encoding), give)
}

/// Seals items that lie one behind the other; nonce, ciphertext and tag of each lie so in memory. Its length: the items', plus
/// `aead_nonce_len` and `aead_tag_len` for each. After an error the memory is zero.
/// Errors: `too_long`, `no_randomness`.
#[call(stack = 16, counts("sealBatch", object, data))]
pub fn aead_seal_batch(key: &Aead, aad: &[u8], data: &[u8], lengths: &[u32], out: &mut [u8]) -> Result<()> {
    aead::seal_batch(key, aad, data, lengths, out)
}

/// Opens such items into memory. Its length: the items', less `aead_nonce_len` and `aead_tag_len` for each. Returns of each 1, or 0 of one
/// that is not authentic, whose place is zero.
#[call(stack = 16, counts("openBatch", object, data))]
pub fn aead_open_batch(key: &Aead, aad: &[u8], data: &[u8], lengths: &[u32], out: &mut [u8]) -> Vec<u8> {
    aead::open_batch(key, aad, data, lengths, out)
}

/// Seals a plaintext that was loaded, where it lies. Without a nonce one is drawn, which stands before the ciphertext: there is room for it.
/// Errors: `wrong_length`, `too_long`, `no_randomness`, `cancelled`.
#[call(native, counts("seal", object))]
pub fn aead_seal_loaded(
    key: Arc<Aead>,
    nonce: Option<&[u8]>,
    aad: Vec<u8>,
    loading: Arc<Loading>,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Delivery> + Send + use<>> {
    aead::seal_loaded(key, nonce.map(<[u8]>::to_vec), aad, loading, job).then(|bytes| Ok(bytes.into()))
}

/// Opens a ciphertext that was loaded, where it lies.
/// Errors: `not_authentic`, `wrong_length`, `cancelled`.
#[call(native, counts("open", object))]
pub fn aead_open_loaded(
    key: Arc<Aead>,
    nonce: Option<&[u8]>,
    aad: Vec<u8>,
    loading: Arc<Loading>,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Delivery> + Send + use<>> {
    aead::open_loaded(key, nonce.map(<[u8]>::to_vec), aad, loading, job).then(|bytes| Ok(bytes.into()))
}

/// Seals a plaintext into memory. Its length: the input's plus `aead_tag_len`. Where the nonce is drawn, the input has room for it before
/// the plaintext. Returns the plaintext's length. After an error the memory is zero, unless the input lay there.
/// Errors: `wrong_length`, `too_long`, `no_randomness`.
#[call(wasm, stack = 16)]
pub fn aead_seal_placed(key: &Aead, nonce: Option<&[u8]>, aad: &[u8], loaded_to_sealed: impl Moving) -> Result<usize> {
    let len = loaded_to_sealed.input_len();
    let before = aead::room(key, nonce.is_none()).0;
    loaded_to_sealed.with(0..len, 0, TAG_LEN, |buffer| aead::seal_in_place(key, nonce, aad, buffer))?;
    Ok(len - before)
}
