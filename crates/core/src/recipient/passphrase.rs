//! Stanza `passphrase`: Argon2id. `body = 0x13 || m_kib u32 || t u32 || p u8 || salt 16 || wrap 48`.

use super::wrap::{self, WRAP_LEN};
use super::{Binding, FileKey, StanzaKind};
use crate::error::{Error, Result};
use crate::password::{Argon2idCost, Passphrase, argon2id};
use crate::random;

/// Argon2's version 1.3, the only one.
const VERSION: u8 = 0x13;
const SALT_LEN: usize = 16;
const HEAD_LEN: usize = 1 + 4 + 4 + 1 + SALT_LEN;
pub(super) const BODY_LEN: usize = HEAD_LEN + WRAP_LEN;

/// What writers use, everywhere: a cost calibrated to the machine would tell about the machine.
const WRITER_COST: Argon2idCost = Argon2idCost { memory_kib: 64 * 1024, passes: 3, lanes: 1 };
/// The most that readers accept (format section 4).
const MAX_COST: Argon2idCost = Argon2idCost { memory_kib: 1024 * 1024, passes: 16, lanes: 16 };

pub(super) fn wrap(passphrase: &Passphrase, binding: Binding<'_>, file_key: &FileKey) -> Result<Vec<u8>> {
    let salt = random::array()?;
    let mut body = vec![VERSION];
    body.extend_from_slice(&WRITER_COST.memory_kib.to_be_bytes());
    body.extend_from_slice(&WRITER_COST.passes.to_be_bytes());
    body.push(WRITER_COST.lanes);
    body.extend_from_slice(&salt);
    let root = argon2id(passphrase, &salt, WRITER_COST);
    let wrapped = wrap::seal(&root, StanzaKind::Passphrase, &body, binding, file_key);
    body.extend_from_slice(&wrapped);
    Ok(body)
}

pub(super) fn unwrap(passphrase: &Passphrase, body: &[u8], binding: Binding<'_>) -> Result<Option<FileKey>> {
    let (head, wrapped) = body.split_at(HEAD_LEN);
    let (cost, salt) = parse(head)?;
    let root = argon2id(passphrase, &salt, cost);
    Ok(wrap::open(&root, StanzaKind::Passphrase, head, binding, wrapped))
}

/// Reads the costs and refuses them before any work is done (format section 8, step 4).
fn parse(head: &[u8]) -> Result<(Argon2idCost, [u8; SALT_LEN])> {
    let word = |at: usize| u32::from_be_bytes(head[at..at + 4].try_into().expect("passphrase: four bytes"));
    let cost = Argon2idCost { memory_kib: word(1), passes: word(5), lanes: head[9] };
    if head[0] != VERSION {
        return Err(Error::MalformedHeader("an Argon2 version other than 0x13 (section 4)"));
    }
    if cost.passes == 0 || cost.lanes == 0 || cost.memory_kib < 8 * u32::from(cost.lanes) {
        return Err(Error::MalformedHeader("a passphrase cost under Argon2's minimum (section 4)"));
    }
    if cost.memory_kib > MAX_COST.memory_kib || cost.passes > MAX_COST.passes || cost.lanes > MAX_COST.lanes {
        return Err(Error::CostTooHigh("its passphrase costs over 1 GiB, 16 passes or 16 lanes"));
    }
    Ok((cost, head[10..].try_into().expect("passphrase: the salt has 16 bytes")))
}
