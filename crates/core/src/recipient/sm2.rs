//! Stanza `sm2`: SM2 encryption (GB/T 32918.4) of 32 random bytes r, which wrap the file key. `body = C1 65 || C3 32 || C2 32
//! || wrap 48`.

use super::wrap::{self, WRAP_LEN};
use super::{Binding, FileKey, Stanza, StanzaId};
use crate::error::Result;
use crate::hash::SM3_LEN;
use crate::random;
use crate::sm2::{PUBLIC_KEY_LEN, PrivateKey, PublicKey};
use zeroize::Zeroizing;

const ROOT_LEN: usize = 32;
const HEAD_LEN: usize = PUBLIC_KEY_LEN + SM3_LEN + ROOT_LEN;
pub(super) const BODY_LEN: usize = HEAD_LEN + WRAP_LEN;

pub(super) fn wrap(id: StanzaId, recipient: &PublicKey, binding: Binding<'_>, file_key: &FileKey) -> Result<Vec<u8>> {
    let root = Zeroizing::new(random::array::<ROOT_LEN>()?);
    let (c1, c3, c2) = recipient.seal(&root[..])?;
    let body = [&c1.to_bytes()[..], &c3, &c2].concat();
    wrap::seal(&root[..], id, body, binding, file_key)
}

pub(super) fn unwrap(identity: &PrivateKey, stanza: Stanza<'_>, binding: Binding<'_>) -> Result<Option<FileKey>> {
    let (head, _) = wrap::split(stanza);
    let Some(root) = open(identity, head) else { return Ok(None) };
    wrap::open(&root, stanza, binding)
}

fn open(identity: &PrivateKey, head: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let (c1, rest) = head.split_first_chunk::<PUBLIC_KEY_LEN>()?;
    let (c3, c2) = rest.split_first_chunk()?;
    identity.open(&PublicKey::from_uncompressed(c1)?, c3, c2)
}
