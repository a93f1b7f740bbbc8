//! One buffer under one key, in memory of the caller's: `nonce ‖ ciphertext ‖ tag`, where the nonce is not the caller's.

use crate::job::Job;
use crate::loading::Loading;
use crate::pool::COMPUTE;
use crate::work::Work;
use sealstone::aead::{Aead, TAG_LEN, random_nonce};
use sealstone::{Error, Result};
use std::sync::Arc;
use zeroize::Zeroize;

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

/// Seals what was loaded, where it lies: behind room for a nonce that is drawn. Without one, that is.
pub fn seal_loaded(
    key: Arc<Aead>,
    nonce: Option<Vec<u8>>,
    aad: Vec<u8>,
    loading: Arc<Loading>,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Vec<u8>> + Send + 'static> {
    Work::new(&COMPUTE, move || {
        let mut memory = loading.take();
        job.check()?;
        // There is room: the length that was announced has it.
        let len = memory.len() + TAG_LEN;
        memory.resize(len, 0);
        seal_in_place(&key, nonce.as_deref(), &aad, &mut memory)?;
        job.add(len - room(&key, nonce.is_none()).0 - TAG_LEN);
        Ok(std::mem::take(&mut *memory))
    })
}

/// Opens what was loaded, where it lies. Without a nonce it stands before the ciphertext.
pub fn open_loaded(
    key: Arc<Aead>,
    nonce: Option<Vec<u8>>,
    aad: Vec<u8>,
    loading: Arc<Loading>,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Vec<u8>> + Send + 'static> {
    Work::new(&COMPUTE, move || {
        let mut memory = loading.take();
        job.check()?;
        let before = room(&key, nonce.is_none()).0;
        let (head, rest) = memory.split_at_mut_checked(before).ok_or_else(too_short)?;
        let len = key.open_in_place(nonce.as_deref().unwrap_or(head), &aad, rest)?;
        job.add(rest.len());
        memory.copy_within(before..before + len, 0);
        memory[len..].zeroize();
        memory.truncate(len);
        Ok(std::mem::take(&mut *memory))
    })
}

/// What a ciphertext without room for its nonce is.
pub fn too_short() -> Error {
    Error::NotAuthentic { chunk: None }
}
