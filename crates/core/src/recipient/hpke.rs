//! The stanzas of public keys: HPKE, for all kinds with a KEM. The kinds differ only in their KEM.
//!
//! `body = enc || ciphertext || tag`, `info = "sealstone/v1 file key" || 0x00 || prefix`, aad empty.

use super::{Binding, FILE_KEY_LEN, FileKey, PREFIX_LEN};
use crate::aead::TAG_LEN;
use crate::error::Result;
use crate::kem::hpke::{AeadId, Kem, PrivateKey, PublicKey};
use crate::suite::Suite;
use zeroize::Zeroizing;

const LABEL: &[u8; 22] = b"sealstone/v1 file key\0";

pub(super) fn body_len(kem: Kem) -> usize {
    kem.enc_len() + FILE_KEY_LEN + TAG_LEN
}

pub(super) fn wrap(recipient: &PublicKey, binding: Binding<'_>, file_key: &FileKey) -> Result<Vec<u8>> {
    let aead_id = aead_id(binding.suite).expect("hpke: recipients are checked against the suite");
    recipient.seal(b"", aead_id, &info(binding), b"", &file_key[..])
}

/// Unwraps the file key; `None` if the stanza is not for this key.
///
/// # Errors
/// [`Error::UnavailableBackend`](crate::Error::UnavailableBackend) when the environment forces one.
pub(super) fn unwrap(identity: &PrivateKey, body: &[u8], binding: Binding<'_>) -> Result<Option<FileKey>> {
    let Some(aead_id) = aead_id(binding.suite) else { return Ok(None) };
    let (enc, sealed) = body.split_at(identity.kem().enc_len());
    let opened = identity.open(aead_id, enc, &info(binding), b"", sealed)?.map(Zeroizing::new);
    Ok(opened.and_then(|opened| opened.first_chunk::<FILE_KEY_LEN>().copied().map(Zeroizing::new)))
}

/// The AEAD of HPKE; `None` for the suite without HPKE.
fn aead_id(suite: Suite) -> Option<AeadId> {
    match suite {
        Suite::Aes256Gcm => Some(AeadId::Aes256Gcm),
        Suite::ChaCha20Poly1305 => Some(AeadId::ChaCha20Poly1305),
        Suite::Sm4Gcm => None,
    }
}

fn info(binding: Binding<'_>) -> [u8; LABEL.len() + PREFIX_LEN] {
    let mut info = [0; LABEL.len() + PREFIX_LEN];
    info[..LABEL.len()].copy_from_slice(LABEL);
    info[LABEL.len()..].copy_from_slice(binding.prefix);
    info
}
