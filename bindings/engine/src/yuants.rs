//! The formats of yuants, as text and of what was loaded.

use crate::loading::Loading;
use crate::pool::COMPUTE;
use crate::work::Work;
use sealstone::interop::yuants::{self, Format};
use sealstone::{Error, Result, encoding};
use std::sync::Arc;
use zeroize::{Zeroize, Zeroizing};

/// A public key and its private one, as text.
pub type KeyPair = (String, Zeroizing<String>);

/// A pair of keys that sign, of a seed, or a fresh one.
pub fn key_pair(seed: Option<&[u8]>) -> Result<KeyPair> {
    seed.map_or_else(yuants::KeyPair::generate, yuants::KeyPair::from_seed).map(text)
}

/// The pair of a private key that signs.
pub fn key_pair_of(private: &str) -> Result<KeyPair> {
    yuants::KeyPair::from_private_key(private).map(text)
}

fn text(pair: yuants::KeyPair) -> KeyPair {
    (pair.public_key, pair.private_key)
}

/// A fresh pair of keys for X25519.
pub fn generate_x25519() -> Result<KeyPair> {
    yuants::generate_x25519()
}

/// A signature as text.
pub fn sign_text(private: &str, message: &[u8]) -> Result<String> {
    encoding::encode_base58(&yuants::private_key(private)?.sign(message))
}

/// Whether a signature is one of the message; `malleable` also takes those that others can make of one.
pub fn verify(public: &str, message: &[u8], signature: &str, malleable: bool) -> Result<bool> {
    let (public, signature) = (yuants::public_key(public)?, encoding::decode_base58(signature)?);
    let verdict =
        if malleable { public.verify_malleable(message, &signature) } else { public.verify(message, &signature) };
    match verdict {
        Err(Error::InvalidSignature(_)) => Ok(false),
        other => other.map(|()| true),
    }
}

/// Seals the plaintext that lies in `buffer` between room for the head and for the tail.
pub fn seal(key: &str, format: Format, buffer: &mut [u8]) -> Result<()> {
    let (head, rest) = buffer.split_at_mut(format.head_len());
    format.seal_in_place(key, head, rest)
}

/// Seals what was loaded, where it lies: behind room for the head.
pub fn seal_loaded(
    key: Zeroizing<String>,
    format: Format,
    loading: Arc<Loading>,
) -> Work<impl FnOnce() -> Result<Vec<u8>> + Send + 'static> {
    Work::new(&COMPUTE, move || {
        let mut memory = loading.take();
        // There is room: the length that was announced has it.
        let len = memory.len() + format.tail_len();
        memory.resize(len, 0);
        seal(&key, format, &mut memory)?;
        Ok(std::mem::take(&mut *memory))
    })
}

/// Opens what was loaded, where it lies.
pub fn open_loaded(
    key: Zeroizing<String>,
    format: Format,
    loading: Arc<Loading>,
) -> Work<impl FnOnce() -> Result<Vec<u8>> + Send + 'static> {
    Work::new(&COMPUTE, move || {
        let mut memory = loading.take();
        let head_len = format.head_len_of(&memory)?;
        let (head, rest) = memory.split_at_mut(head_len);
        let len = format.open_in_place(&key, head, rest)?;
        memory.copy_within(head_len..head_len + len, 0);
        memory[len..].zeroize();
        memory.truncate(len);
        Ok(std::mem::take(&mut *memory))
    })
}

/// The HMAC of a hash, by its name.
pub fn hmac(hash: &str, key: &[u8], data: &[u8]) -> Result<Vec<u8>> {
    match hash {
        "sha256" => Ok(yuants::hmac_sha256(key, data).to_vec()),
        "sha512" => Ok(yuants::hmac_sha512(key, data).to_vec()),
        _ => Err(Error::unknown_algorithm(hash, "sha256, sha512")),
    }
}

/// As [`hmac`], of what was loaded.
pub fn hmac_loaded(
    hash: String,
    key: Zeroizing<Vec<u8>>,
    loading: Arc<Loading>,
) -> Work<impl FnOnce() -> Result<Vec<u8>> + Send + 'static> {
    Work::new(&COMPUTE, move || hmac(&hash, &key, &loading.take()))
}
