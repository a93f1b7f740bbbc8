//! Stanzas of a passphrase. `passphrase`, Argon2id: `body = 0x13 || m_kib u32 || t u32 || p u8 || salt 16 || wrap 48`;
//! `passphrase-sm3`, PBKDF2-HMAC-SM3: `body = iterations u32 || salt 16 || wrap 48`.

use super::stretch::Stretching;
use super::wrap::{self, WRAP_LEN};
use super::{Binding, FileKey, Stanza, StanzaId};
use crate::argon2;
use crate::error::{Error, Result};
use crate::kdf::{ARGON2ID_MAX, ITERATIONS_MAX, Work};
use crate::key::PASSPHRASE_SM3;
use crate::password::Passphrase;
use crate::random;

/// Argon2's version 1.3, the only one.
const VERSION: u8 = 0x13;
const SALT_LEN: usize = 16;
const HEAD_LEN: usize = 1 + 4 + 4 + 1 + SALT_LEN;

const SM3_HEAD_LEN: usize = 4 + SALT_LEN;

/// The one of the two stanzas that is derived with SM3.
const SM3: StanzaId = StanzaId(PASSPHRASE_SM3);

/// What writers use, everywhere: a cost calibrated to the machine would tell about the machine.
const WRITER_COST: argon2::Cost = argon2::Cost { memory_kib: 64 * 1024, passes: 3, lanes: 1 };
const WRITER_ITERATIONS: u32 = 1_000_000;

pub(super) fn body_len(id: StanzaId) -> usize {
    head_len(id) + WRAP_LEN
}

/// Bytes before the wrap.
pub(super) fn head_len(id: StanzaId) -> usize {
    if id == SM3 { SM3_HEAD_LEN } else { HEAD_LEN }
}

pub(super) fn wrap(id: StanzaId, passphrase: &Passphrase, binding: Binding<'_>, file_key: &FileKey) -> Result<Vec<u8>> {
    let (head, root) = match passphrase.take_new_root(id.0) {
        Some(known) => (known.head, known.key),
        None => {
            let head = new_head(id)?;
            let root = Stretching::begin(passphrase, id, &head)?.finish();
            (head, root)
        }
    };
    wrap::seal(&root[..], id, head, binding, file_key)
}

pub(super) fn unwrap(passphrase: &Passphrase, stanza: Stanza<'_>, binding: Binding<'_>) -> Result<Option<FileKey>> {
    let (head, _) = wrap::split(stanza);
    let root = match passphrase.root(stanza.id.0, head) {
        Some(known) => known,
        None => Stretching::begin(passphrase, stanza.id, head)?.finish(),
    };
    wrap::open(&root[..], stanza, binding)
}

/// What trying a passphrase on the stanza takes.
///
/// # Errors
/// As [`unwrap`]: costs that no reader accepts.
pub(super) fn work(stanza: Stanza<'_>) -> Result<Work> {
    Ok(match Head::parse(stanza.id, wrap::split(stanza).0)? {
        Head::Argon2id(cost, _) => Work::of_argon2id(cost),
        Head::Pbkdf2(iterations, _) => Work::of_iterations(iterations),
    })
}

/// What a writer puts before the wrap, with a new salt.
pub(super) fn new_head(id: StanzaId) -> Result<Vec<u8>> {
    let salt = random::array::<SALT_LEN>()?;
    let argon2::Cost { memory_kib, passes, lanes } = WRITER_COST;
    let lanes = u8::try_from(lanes).expect("passphrase: a byte counts the lanes");
    Ok(if id == SM3 {
        [&WRITER_ITERATIONS.to_be_bytes()[..], &salt].concat()
    } else {
        [&[VERSION], &memory_kib.to_be_bytes()[..], &passes.to_be_bytes(), &[lanes], &salt].concat()
    })
}

/// What stands before the wrap: a cost, and the salt.
pub(super) enum Head {
    Argon2id(argon2::Cost, [u8; SALT_LEN]),
    Pbkdf2(u32, [u8; SALT_LEN]),
}

impl Head {
    /// Reads the costs and refuses them before any work is done (format section 8, step 4).
    pub(super) fn parse(id: StanzaId, head: &[u8]) -> Result<Self> {
        if id == SM3 { parse_sm3(head) } else { parse(head) }
    }
}

fn parse_sm3(head: &[u8]) -> Result<Head> {
    let (iterations, salt) = head.split_first_chunk().expect("passphrase: the body has its length");
    match u32::from_be_bytes(*iterations) {
        0 => Err(Error::MalformedHeader("a passphrase cost of 0 iterations (section 4)")),
        iterations @ 1..=ITERATIONS_MAX => {
            Ok(Head::Pbkdf2(iterations, salt.try_into().expect("passphrase: the salt has 16 bytes")))
        }
        _ => Err(Error::CostTooHigh("its passphrase costs over 10,000,000 iterations")),
    }
}

fn parse(head: &[u8]) -> Result<Head> {
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
    Ok(Head::Argon2id(cost, head[10..].try_into().expect("passphrase: the salt has 16 bytes")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bounds of format section 4.10; a vector at the upper one would take seconds to open.
    #[test]
    fn iterations_are_judged_before_any_work() {
        let judged = |iterations: u32| match parse_sm3(&[&iterations.to_be_bytes()[..], &[7; SALT_LEN]].concat()) {
            Ok(head) => {
                assert!(matches!(head, Head::Pbkdf2(read, [7, ..]) if read == iterations));
                ""
            }
            Err(error) => error.code(),
        };
        for iterations in [1, WRITER_ITERATIONS, ITERATIONS_MAX] {
            assert_eq!(judged(iterations), "");
        }
        assert_eq!(judged(0), "malformed_header");
        for iterations in [ITERATIONS_MAX + 1, u32::MAX] {
            assert_eq!(judged(iterations), "cost_too_high");
        }
    }
}
