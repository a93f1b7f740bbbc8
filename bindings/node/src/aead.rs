//! Sealing and opening of one buffer.

use crate::boundary::{Result, guard, hold};
use crate::direct::{Arguments, direct};
use crate::memory::Memory;
use napi::bindgen_prelude::{JsObjectValue, Object};
use napi::sys;
use napi_derive::napi;
use sealstone::Error;
use sealstone::aead::{Aead, Algorithm, TAG_LEN, random_nonce};

#[napi]
pub fn aead(algorithm: String, key: &[u8]) -> Result<u32> {
    guard(|| Aead::new(algorithm.parse::<Algorithm>()?, key).map(hold))
}

#[napi]
pub fn aead_key_len(algorithm: String) -> Result<u32> {
    guard(|| Ok(u32::try_from(algorithm.parse::<Algorithm>()?.key_len()).expect("aead: a key is short")))
}

#[napi]
pub fn aead_nonce_len(algorithm: String) -> Result<u32> {
    guard(|| Ok(u32::try_from(algorithm.parse::<Algorithm>()?.nonce_len()).expect("aead: a nonce is short")))
}

#[napi]
pub fn aead_tag_len() -> Result<u32> {
    guard(|| Ok(u32::try_from(TAG_LEN).expect("aead: a tag is short")))
}

/// The two functions that are called for every packet of a protocol. What napi-rs puts around an export costs as much as sealing 50
/// bytes, so these read their arguments themselves.
#[napi(module_exports)]
pub fn register(mut exports: Object) -> napi::Result<()> {
    exports.create_named_method("aeadSeal", seal_raw)?;
    exports.create_named_method("aeadOpen", open_raw)
}

extern "C" fn seal_raw(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    direct(env, info, |arguments: &Arguments<5>| {
        let (plaintext, sealed) = (arguments.needed_memory(3), arguments.needed_memory(4));
        seal(&arguments.object(0), arguments.memory(1), arguments.memory(2), plaintext, sealed)
    })
}

extern "C" fn open_raw(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    direct(env, info, |arguments: &Arguments<5>| {
        let (sealed, plaintext) = (arguments.needed_memory(3), arguments.needed_memory(4));
        open(&arguments.object(0), arguments.memory(1), arguments.memory(2), sealed, plaintext)
    })
}

/// Seals `plaintext` into `output`, which is longer by a tag and may overlap it. Without a nonce one is drawn and stands before
/// the ciphertext, and `output` is longer by that as well.
fn seal(
    key: &Aead,
    nonce: Option<Memory>,
    aad: Option<Memory>,
    plaintext: Memory,
    output: Memory,
) -> sealstone::Result<()> {
    let aad = aad.map(|aad| aad.beside(output));
    let nonce = nonce.map(|nonce| nonce.beside(output));
    let drawn = if nonce.is_none() { key.algorithm().nonce_len() } else { 0 };
    output.with_moved(plaintext, drawn, TAG_LEN, |output| {
        let (head, rest) = output.split_at_mut(drawn);
        let nonce = match &nonce {
            Some(nonce) => nonce,
            None => {
                random_nonce(head)?;
                &*head
            }
        };
        let (text, tag) = rest.split_at_mut(rest.len() - TAG_LEN);
        tag.copy_from_slice(&key.seal_in_place(nonce, aad.as_deref().unwrap_or_default(), text)?);
        Ok(())
    })
}

/// Opens `sealed` into `output`, which has the plaintext's length or room for the tag as well, and may overlap it. Without a nonce it
/// is read from before the ciphertext. After an error the memory is all zero.
fn open(
    key: &Aead,
    nonce: Option<Memory>,
    aad: Option<Memory>,
    sealed: Memory,
    output: Memory,
) -> sealstone::Result<()> {
    let aad = aad.map(|aad| aad.beside(output));
    let (nonce, sealed) = match nonce {
        Some(nonce) => (nonce, sealed),
        None => sealed.split_at(key.algorithm().nonce_len()).ok_or(NOT_AUTHENTIC)?,
    };
    let nonce = nonce.beside(output);
    let aad = aad.as_deref().unwrap_or_default();
    let done = match sealed.split_last::<TAG_LEN>() {
        Some((ciphertext, tag)) => output
            .first(ciphertext)
            .with_moved(ciphertext, 0, 0, |buffer| key.open_in_place_separate_tag(&nonce, aad, buffer, &tag)),
        None => key.open_in_place(&nonce, aad, &mut []).map(drop),
    };
    if let Err(error) = &done
        && (matches!(error, Error::NotAuthentic { .. }) || !output.overlaps(sealed))
    {
        output.clear();
    }
    done
}

const NOT_AUTHENTIC: Error = Error::NotAuthentic { chunk: None };
