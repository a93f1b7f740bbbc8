//! Stanza `key`: a 32-byte symmetric key. `body = key id 8 || salt 16 || wrap 48`.

use super::wrap::{self, WRAP_LEN};
use super::{Binding, FileKey, Stanza, StanzaId};
use crate::error::Result;
use crate::key::SymmetricKey;
use crate::random;

pub(super) const ID_LEN: usize = 8;
const SALT_LEN: usize = 16;
const HEAD_LEN: usize = ID_LEN + SALT_LEN;
pub(super) const BODY_LEN: usize = HEAD_LEN + WRAP_LEN;

pub(super) fn wrap(
    stanza_id: StanzaId,
    key: &SymmetricKey,
    binding: Binding<'_>,
    file_key: &FileKey,
) -> Result<Vec<u8>> {
    let mut body = id(key, binding).to_vec();
    body.extend_from_slice(&random::array::<SALT_LEN>()?);
    wrap::seal(key.as_bytes(), stanza_id, body, binding, file_key)
}

/// Whether the stanza is for the key with this id. The id is public, so other keys need not be tried.
pub(super) fn has_id(body: &[u8], id: [u8; ID_LEN]) -> bool {
    body[..ID_LEN] == id
}

pub(super) fn unwrap(key: &SymmetricKey, stanza: Stanza<'_>, binding: Binding<'_>) -> Result<Option<FileKey>> {
    wrap::open(key.as_bytes(), stanza, binding)
}

pub(super) fn id(key: &SymmetricKey, binding: Binding<'_>) -> [u8; ID_LEN] {
    let mut id = [0; ID_LEN];
    binding.suite.expand(key.as_bytes(), &[b"sealstone/v1 key id"], &mut id);
    id
}
