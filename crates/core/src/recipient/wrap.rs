//! `wrap`: the file key under a root that both sides have, of 32 bytes, or of 16 where a plugin wraps it (format section 4).

use super::{Binding, FILE_KEY_LEN, FileKey, Stanza, StanzaId};
use crate::aead::{Aead, NONCE_LEN, TAG_LEN};
use crate::error::Result;
use zeroize::Zeroizing;

/// Bytes of a wrapped file key.
pub(super) const WRAP_LEN: usize = FILE_KEY_LEN + TAG_LEN;

/// A stanza's body of its head, which is what it has before the wrap.
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

/// The head of a stanza's body, and the wrap.
pub(super) fn split(stanza: Stanza<'_>) -> (&[u8], &[u8]) {
    stanza.body.split_at(stanza.body.len() - WRAP_LEN)
}

/// Opens what [`seal`] returned; `None` where it is another's.
///
/// # Errors
/// None that depends on the stanza: [`Error::UnavailableBackend`](crate::Error::UnavailableBackend) only.
pub(super) fn open(root: &[u8], stanza: Stanza<'_>, binding: Binding<'_>) -> Result<Option<FileKey>> {
    let (head, wrapped) = split(stanza);
    let (aead, nonce) = derive(root, stanza.id, head, binding)?;
    let Ok(opened) = aead.open(&nonce, b"", wrapped).map(Zeroizing::new) else { return Ok(None) };
    Ok(opened.first_chunk().copied().map(Zeroizing::new))
}

/// The nonce may be derived beside the key: root, salt and prefix give each pair, and the salt is new every time.
fn derive(root: &[u8], id: StanzaId, head: &[u8], binding: Binding<'_>) -> Result<(Aead, [u8; NONCE_LEN])> {
    let key_len = binding.suite.key_len();
    let mut okm = Zeroizing::new(vec![0; key_len + NONCE_LEN]);
    let info = [b"sealstone/v1 wrap\0", &binding.prefix[..], &id.0.to_be_bytes(), head];
    binding.suite.expand(root, &info, &mut okm[..]);
    let (key, nonce) = okm.split_at(key_len);
    Ok((binding.suite.aead(key)?, nonce.try_into().expect("wrap: the nonce has 12 bytes")))
}
