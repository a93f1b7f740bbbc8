//! One buffer under one key, in memory of the caller's: `nonce ‖ ciphertext ‖ tag`, where the nonce is not the caller's.

use crate::batch::{check_results, items};
use crate::hashing::Encoding;
use crate::job::Job;
use crate::loading::Loading;
use crate::memory::Moving;
use crate::pool::COMPUTE;
use crate::work::Work;
use sealstone::aead::{Aead, TAG_LEN, random_nonce};
use sealstone::{Error, Result};
use std::mem;
use std::sync::Arc;
use zeroize::{Zeroize, Zeroizing};

/// Bytes of the longest nonce that is drawn.
const NONCE_LEN_MAX: usize = 24;

/// The tag, which stands behind a ciphertext.
pub type Tag = [u8; TAG_LEN];

/// The bytes of room that [`seal_in_place`] needs around a plaintext: before it for a nonce that is drawn, and after it for the tag.
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

/// Seals `plaintext` into `out`, where it lies with its [`room`] around it. Without a nonce one is drawn.
pub fn seal_into(key: &Aead, nonce: Option<&[u8]>, aad: &[u8], plaintext: &[u8], out: &mut [u8]) -> Result<()> {
    let (head, sealed) = out.split_at_mut(room(key, nonce.is_none()).0);
    match nonce {
        Some(nonce) => key.seal_into(nonce, aad, plaintext, sealed),
        None => {
            random_nonce(head)?;
            key.seal_into(head, aad, plaintext, sealed)
        }
    }
}

/// Opens `sealed` into `out`, which has the plaintext's length. Without a nonce it stands before the ciphertext.
pub fn open_into(key: &Aead, nonce: Option<&[u8]>, aad: &[u8], sealed: &[u8], out: &mut [u8]) -> Result<()> {
    let (head, sealed) = sealed.split_at_checked(room(key, nonce.is_none()).0).ok_or_else(too_short)?;
    key.open_into(nonce.unwrap_or(head), aad, sealed, out)
}

/// Seals a plaintext into memory that has its [`room`] too. Without a nonce one is drawn.
pub fn seal_moved(key: &Aead, nonce: Option<&[u8]>, aad: &[u8], moving: impl Moving) -> Result<()> {
    let (len, (before, after)) = (moving.input_len(), room(key, nonce.is_none()));
    moving.with(0..len, before, after, |buffer| seal_in_place(key, nonce, aad, buffer))
}

/// The length of the plaintext of a ciphertext, which its nonce may precede; 0 of one that is too short.
pub fn opened_len(key: &Aead, sealed_len: usize, has_nonce: bool) -> usize {
    let (before, after) = room(key, has_nonce);
    sealed_len.saturating_sub(before + after)
}

/// Opens a ciphertext into memory of the plaintext's length, or longer. Without a nonce it stands before the ciphertext.
pub fn open_moved(key: &Aead, nonce: Option<&[u8]>, aad: &[u8], moving: impl Moving) -> Result<()> {
    let (mut drawn, mut tag) = ([0; NONCE_LEN_MAX], Tag::default());
    let drawn = &mut drawn[..room(key, nonce.is_none()).0];
    let Some(len) = moving.input_len().checked_sub(drawn.len() + TAG_LEN) else {
        return moving.with(0..0, 0, 0, |_| match nonce {
            Some(nonce) => key.open_in_place(nonce, aad, &mut []).map(drop),
            None => Err(too_short()),
        });
    };
    if nonce.is_none() {
        moving.read(0, drawn);
    }
    moving.read(drawn.len() + len, &mut tag);
    let text = drawn.len()..drawn.len() + len;
    moving.with(text, 0, 0, |text| key.open_in_place_separate_tag(nonce.unwrap_or(drawn), aad, text, &tag))
}

/// Works with the text of what a plaintext becomes. Without a nonce one is drawn, which stands before the ciphertext.
pub fn seal_text<T>(
    key: &Aead,
    nonce: Option<&[u8]>,
    aad: &[u8],
    plaintext: &[u8],
    encoding: Encoding,
    work: impl FnOnce(&str) -> T,
) -> Result<T> {
    let (before, after) = room(key, nonce.is_none());
    let len = before + plaintext.len() + after;
    let mut buffer = Zeroizing::new(Vec::with_capacity(len));
    buffer.resize(before, 0);
    buffer.extend_from_slice(plaintext);
    buffer.resize(len, 0);
    seal_in_place(key, nonce, aad, &mut buffer)?;
    encoding.sealed(&buffer, work)
}

/// Works with the plaintext, which is text, of such a text.
pub fn open_text<T>(
    key: &Aead,
    nonce: Option<&[u8]>,
    aad: &[u8],
    sealed: &[u8],
    encoding: Encoding,
    work: impl FnOnce(&str) -> T,
) -> Result<T> {
    let open = |sealed: Vec<u8>| {
        let (head, rest) = sealed.split_at_checked(room(key, nonce.is_none()).0).ok_or_else(too_short)?;
        key.open(nonce.unwrap_or(head), aad, rest)
    };
    encoding.opened(sealed, open, work)
}

/// Seals items that lie one behind the other into `out`, where each becomes nonce, ciphertext and tag. All nonces are drawn in one call
/// of the system's.
pub fn seal_batch(key: &Aead, aad: &[u8], data: &[u8], lengths: &[u32], out: &mut [u8]) -> Result<()> {
    let (nonce_len, tag_len) = room(key, true);
    check_results(lengths, out, |len| len.checked_add(nonce_len + tag_len));
    let mut nonces = vec![0; nonce_len * lengths.len()];
    random_nonce(&mut nonces)?;
    let mut rest = &mut *out;
    for (item, nonce) in items(data, lengths).zip(nonces.chunks_exact(nonce_len)) {
        let (head, behind) = rest.split_at_mut(nonce_len);
        let (sealed, behind) = behind.split_at_mut(item.len() + tag_len);
        head.copy_from_slice(nonce);
        if let Err(error) = key.seal_into(nonce, aad, item, sealed) {
            out.zeroize();
            return Err(error);
        }
        rest = behind;
    }
    Ok(())
}

/// Opens such items into `out`, one plaintext behind the other, and says of each whether it is authentic: 1, or 0 and its place is
/// zero.
pub fn open_batch(key: &Aead, aad: &[u8], data: &[u8], lengths: &[u32], out: &mut [u8]) -> Vec<u8> {
    let (nonce_len, tag_len) = room(key, true);
    check_results(lengths, out, |len| Some(len.saturating_sub(nonce_len + tag_len)));
    let mut rest = out;
    let opened = items(data, lengths).map(|item| {
        let (text, behind) = mem::take(&mut rest).split_at_mut(item.len().saturating_sub(nonce_len + tag_len));
        rest = behind;
        let (nonce, sealed) = item.split_at_checked(nonce_len)?;
        key.open_into(nonce, aad, sealed, text).ok()
    });
    opened.map(|opened| u8::from(opened.is_some())).collect()
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
        Ok(mem::take(&mut *memory))
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
        Ok(mem::take(&mut *memory))
    })
}

/// The error of a ciphertext that is shorter than its nonce.
pub fn too_short() -> Error {
    Error::NotAuthentic { chunk: None }
}
