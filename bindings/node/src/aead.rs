//! Sealing and opening of one buffer.

use crate::boundary::{Result, guard, held, hold};
use crate::memory::Memory;
use napi::bindgen_prelude::Uint8ArraySlice;
use napi_derive::napi;
use sealstone::Error;
use sealstone::aead::{Aead, Algorithm, NONCE_LEN, TAG_LEN, random_nonce};

#[napi]
pub fn aead(algorithm: String, key: &[u8]) -> Result<u32> {
    guard(|| Aead::new(algorithm.parse::<Algorithm>()?, key).map(hold))
}

#[napi]
pub fn aead_key_len(algorithm: String) -> Result<u32> {
    guard(|| Ok(u32::try_from(algorithm.parse::<Algorithm>()?.key_len()).expect("aead: a key is short")))
}

#[napi]
pub fn aead_nonce_len() -> u32 {
    u32::try_from(NONCE_LEN).expect("aead: a nonce is short")
}

#[napi]
pub fn aead_tag_len() -> u32 {
    u32::try_from(TAG_LEN).expect("aead: a tag is short")
}

/// Seals `plaintext` into `sealed`, which is longer by a tag and may overlap it. Without a nonce one is drawn and stands before
/// the ciphertext, and `sealed` is longer by that as well.
#[napi]
pub fn aead_seal(
    key: u32,
    nonce: Option<Uint8ArraySlice<'_>>,
    aad: Option<Uint8ArraySlice<'_>>,
    plaintext: Uint8ArraySlice<'_>,
    sealed: Uint8ArraySlice<'_>,
) -> Result<()> {
    guard(|| {
        let key = held::<Aead>(key);
        let output = Memory::of(&sealed);
        let nonce = nonce.map(|nonce| Memory::of(&nonce).beside(output));
        let aad = aad.map(|aad| Memory::of(&aad).beside(output));
        let (aad, drawn) = (aad.as_deref().unwrap_or_default(), if nonce.is_none() { NONCE_LEN } else { 0 });
        let nonce = nonce.map_or_else(random_nonce, |nonce| array(&nonce))?;
        let sealed = output.with_moved(Memory::of(&plaintext), drawn, TAG_LEN);
        let (head, rest) = sealed.split_at_mut(drawn);
        head.copy_from_slice(&nonce[..drawn]);
        let (text, tag) = rest.split_at_mut(rest.len() - TAG_LEN);
        tag.copy_from_slice(&key.seal_in_place(&nonce, aad, text)?);
        Ok(())
    })
}

/// Opens `sealed` into `plaintext`, which has room for the tag as well and may overlap it; returns the plaintext's length. Without
/// a nonce it is read from before the ciphertext. After an error the memory is all zero.
#[napi]
pub fn aead_open(
    key: u32,
    nonce: Option<Uint8ArraySlice<'_>>,
    aad: Option<Uint8ArraySlice<'_>>,
    sealed: Uint8ArraySlice<'_>,
    plaintext: Uint8ArraySlice<'_>,
) -> Result<()> {
    guard(|| {
        let key = held::<Aead>(key);
        let output = Memory::of(&plaintext);
        let aad = aad.map(|aad| Memory::of(&aad).beside(output));
        let aad = aad.as_deref().unwrap_or_default();
        let (nonce, sealed) = match nonce {
            Some(nonce) => (array(&Memory::of(&nonce).beside(output))?, Memory::of(&sealed)),
            None => {
                let (nonce, sealed) = Memory::of(&sealed).split_at(NONCE_LEN).ok_or(NOT_AUTHENTIC)?;
                (array(&nonce.beside(output))?, sealed)
            }
        };
        let buffer = output.with_moved(sealed, 0, 0);
        key.open_in_place(&nonce, aad, buffer)?;
        Ok(())
    })
}

const NOT_AUTHENTIC: Error = Error::NotAuthentic { chunk: None };

fn array(nonce: &[u8]) -> sealstone::Result<[u8; NONCE_LEN]> {
    let wrong = |_| Error::WrongLength { what: "the nonce", expected: NONCE_LEN, actual: nonce.len() };
    nonce.try_into().map_err(wrong)
}
