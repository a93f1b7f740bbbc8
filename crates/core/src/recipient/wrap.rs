//! `wrap`: the file key, sealed under a shared root of 32 bytes, or of 16 bytes if a plugin wraps the root (format section 4).

use super::{Binding, FILE_KEY_LEN, FileKey, Stanza, StanzaId};
use crate::aead::{Aead, NONCE_LEN, TAG_LEN};
use crate::error::Result;
use zeroize::Zeroizing;

/// Bytes of a wrapped file key.
pub(super) const WRAP_LEN: usize = FILE_KEY_LEN + TAG_LEN;

/// Seals the file key; returns the stanza's body, which is `head` with the wrap behind it.
pub(super) fn seal(
    root: &[u8],
    id: StanzaId,
    head: Vec<u8>,
    binding: Binding<'_>,
    file_key: &FileKey,
) -> Result<Vec<u8>> {
    let (aead, nonce) = derive(root, id, &head, binding)?;
    let mut body = head;
    body.extend_from_slice(&aead.seal(&nonce, b"", &file_key[..])?);
    Ok(body)
}

/// Splits a stanza's body into the head and the wrap.
pub(super) fn split(stanza: Stanza<'_>) -> (&[u8], &[u8]) {
    stanza.body.split_at(stanza.body.len() - WRAP_LEN)
}

/// Opens the wrap of [`seal`]; `None` if the root is another one.
///
/// # Errors
/// Only [`Error::UnavailableBackend`](crate::Error::UnavailableBackend), which does not depend on the stanza.
pub(super) fn open(root: &[u8], stanza: Stanza<'_>, binding: Binding<'_>) -> Result<Option<FileKey>> {
    let (head, wrapped) = split(stanza);
    let (aead, nonce) = derive(root, stanza.id, head, binding)?;
    let Ok(opened) = aead.open(&nonce, b"", wrapped).map(Zeroizing::new) else { return Ok(None) };
    Ok(opened.first_chunk().copied().map(Zeroizing::new))
}

/// Derives the key and the nonce from root, salt and prefix. The salt is new for every wrap, so each key is used with one
/// nonce.
fn derive(root: &[u8], id: StanzaId, head: &[u8], binding: Binding<'_>) -> Result<(Aead, [u8; NONCE_LEN])> {
    let key_len = binding.suite.key_len();
    let mut okm = Zeroizing::new(vec![0; key_len + NONCE_LEN]);
    let info = [b"sealstone/v1 wrap\0", &binding.prefix[..], &id.0.to_be_bytes(), head];
    binding.suite.expand(root, &info, &mut okm[..]);
    let (key, nonce) = okm.split_at(key_len);
    Ok((binding.suite.aead(key)?, nonce.try_into().expect("wrap: the nonce has 12 bytes")))
}
