//! Stanzas of a passphrase. `passphrase`, Argon2id: `body = 0x13 || m_kib u32 || t u32 || p u8 || salt 16 || wrap 48`;
//! `passphrase-sm3`, PBKDF2-HMAC-SM3: `body = iterations u32 || salt 16 || wrap 48`.

use super::wrap::{self, WRAP_LEN};
use super::{Binding, FileKey, Stanza, StanzaId};
use crate::argon2;
use crate::error::{Error, Result};
use crate::kdf::{ARGON2ID_MAX, ITERATIONS_MAX, Prf, Work, argon2id, pbkdf2};
use crate::key::PASSPHRASE_SM3;
use crate::password::Passphrase;
use crate::random;
use zeroize::Zeroizing;

/// Argon2's version 1.3, the only one.
const VERSION: u8 = 0x13;
const SALT_LEN: usize = 16;
const HEAD_LEN: usize = 1 + 4 + 4 + 1 + SALT_LEN;
const BODY_LEN: usize = HEAD_LEN + WRAP_LEN;

const SM3_HEAD_LEN: usize = 4 + SALT_LEN;
const SM3_BODY_LEN: usize = SM3_HEAD_LEN + WRAP_LEN;

/// The one of the two stanzas that is derived with SM3.
const SM3: StanzaId = StanzaId(PASSPHRASE_SM3);

/// What writers use, everywhere: a cost calibrated to the machine would tell about the machine.
const WRITER_COST: argon2::Cost = argon2::Cost { memory_kib: 64 * 1024, passes: 3, lanes: 1 };
const WRITER_ITERATIONS: u32 = 1_000_000;

pub(super) fn body_len(id: StanzaId) -> usize {
    if id == SM3 { SM3_BODY_LEN } else { BODY_LEN }
}

pub(super) fn wrap(id: StanzaId, passphrase: &Passphrase, binding: Binding<'_>, file_key: &FileKey) -> Result<Vec<u8>> {
    let salt = random::array()?;
    let (mut body, root) = if id == SM3 {
        let body = WRITER_ITERATIONS.to_be_bytes().to_vec();
        (body, pbkdf2_hmac_sm3(passphrase, &salt, WRITER_ITERATIONS))
    } else {
        let mut body = vec![VERSION];
        body.extend_from_slice(&WRITER_COST.memory_kib.to_be_bytes());
        body.extend_from_slice(&WRITER_COST.passes.to_be_bytes());
        body.push(u8::try_from(WRITER_COST.lanes).expect("passphrase: a byte counts the lanes"));
        (body, argon2id(passphrase.as_bytes(), &salt, WRITER_COST)?)
    };
    body.extend_from_slice(&salt);
    let wrapped = wrap::seal(&root, id, &body, binding, file_key)?;
    body.extend_from_slice(&wrapped);
    Ok(body)
}

pub(super) fn unwrap(passphrase: &Passphrase, stanza: Stanza<'_>, binding: Binding<'_>) -> Result<Option<FileKey>> {
    let (head, wrapped) = stanza.body.split_at(stanza.body.len() - WRAP_LEN);
    let root = if stanza.id == SM3 {
        let (iterations, salt) = parse_sm3(head)?;
        pbkdf2_hmac_sm3(passphrase, &salt, iterations)
    } else {
        let (cost, salt) = parse(head)?;
        argon2id(passphrase.as_bytes(), &salt, cost)?
    };
    wrap::open(&root, stanza.id, head, binding, wrapped)
}

/// What trying a passphrase on the stanza takes.
///
/// # Errors
/// As [`unwrap`]: costs that no reader accepts.
pub(super) fn work(stanza: Stanza<'_>) -> Result<Work> {
    let (head, _) = stanza.body.split_at(stanza.body.len() - WRAP_LEN);
    if stanza.id == SM3 { Ok(Work::of_iterations(parse_sm3(head)?.0)) } else { Ok(Work::of_argon2id(parse(head)?.0)) }
}

fn pbkdf2_hmac_sm3(passphrase: &Passphrase, salt: &[u8; SALT_LEN], iterations: u32) -> Zeroizing<[u8; 32]> {
    let mut root = Zeroizing::new([0; 32]);
    pbkdf2(&*Prf::HmacSm3.of(passphrase.as_bytes()), salt, iterations, &mut root[..]);
    root
}

/// As [`parse`], for PBKDF2.
fn parse_sm3(head: &[u8]) -> Result<(u32, [u8; SALT_LEN])> {
    let (iterations, salt) = head.split_first_chunk().expect("passphrase: the body has its length");
    match u32::from_be_bytes(*iterations) {
        0 => Err(Error::MalformedHeader("a passphrase cost of 0 iterations (section 4)")),
        1..=ITERATIONS_MAX => {
            Ok((u32::from_be_bytes(*iterations), salt.try_into().expect("passphrase: the salt has 16 bytes")))
        }
        _ => Err(Error::CostTooHigh("its passphrase costs over 10,000,000 iterations")),
    }
}

/// Reads the costs and refuses them before any work is done (format section 8, step 4).
fn parse(head: &[u8]) -> Result<(argon2::Cost, [u8; SALT_LEN])> {
    let word = |at: usize| u32::from_be_bytes(head[at..at + 4].try_into().expect("passphrase: four bytes"));
    let cost = argon2::Cost { memory_kib: word(1), passes: word(5), lanes: head[9].into() };
    if head[0] != VERSION {
        return Err(Error::MalformedHeader("an Argon2 version other than 0x13 (section 4)"));
    }
    if cost.passes == 0 || cost.lanes == 0 || cost.memory_kib < 8 * cost.lanes {
        return Err(Error::MalformedHeader("a passphrase cost under Argon2's minimum (section 4)"));
    }
    if cost.memory_kib > ARGON2ID_MAX.memory_kib || cost.passes > ARGON2ID_MAX.passes || cost.lanes > ARGON2ID_MAX.lanes
    {
        return Err(Error::CostTooHigh("its passphrase costs over 1 GiB, 16 passes or 16 lanes"));
    }
    Ok((cost, head[10..].try_into().expect("passphrase: the salt has 16 bytes")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bounds of format section 4.10; a vector at the upper one would take seconds to open.
    #[test]
    fn iterations_are_judged_before_any_work() {
        let judged = |iterations: u32| parse_sm3(&[&iterations.to_be_bytes()[..], &[7; SALT_LEN]].concat());
        for iterations in [1, WRITER_ITERATIONS, ITERATIONS_MAX] {
            assert_eq!(judged(iterations).unwrap(), (iterations, [7; SALT_LEN]));
        }
        assert_eq!(judged(0).unwrap_err().code(), "malformed_header");
        for iterations in [ITERATIONS_MAX + 1, u32::MAX] {
            assert_eq!(judged(iterations).unwrap_err().code(), "cost_too_high");
        }
    }
}
