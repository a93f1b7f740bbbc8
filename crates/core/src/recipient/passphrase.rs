//! Stanzas of a passphrase. `passphrase`, Argon2id: `body = 0x13 || m_kib u32 || t u32 || p u8 || salt 16 || wrap 48`;
//! `passphrase-sm3`, PBKDF2-HMAC-SM3: `body = iterations u32 || salt 16 || wrap 48`.

use super::wrap::{self, WRAP_LEN};
use super::{Binding, FileKey, Stanza, StanzaId};
use crate::argon2;
use crate::error::{Error, Result};
use crate::kdf::{ARGON2ID_MAX, Deriving, ITERATIONS_MAX, Work};
use crate::key::PASSPHRASE_SM3;
use crate::password::{self, Passphrase};
use crate::random;

/// Version 1.3 of Argon2, the only one supported.
const VERSION: u8 = 0x13;
const SALT_LEN: usize = 16;
const HEAD_LEN: usize = 1 + 4 + 4 + 1 + SALT_LEN;

const SM3_HEAD_LEN: usize = 4 + SALT_LEN;

/// The stanza type whose key is derived with SM3.
const SM3: StanzaId = StanzaId(PASSPHRASE_SM3);

/// The costs of all writers. A cost calibrated to the machine would reveal facts about the machine.
const WRITER_COST: argon2::Cost = argon2::Cost { memory_kib: 64 * 1024, passes: 3, lanes: 1 };
const WRITER_ITERATIONS: u32 = 1_000_000;

/// The key derivation of a passphrase's stanza, with its cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kdf(Function);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Function {
    Argon2id(argon2::Cost),
    /// PBKDF2-HMAC-SM3, with this many iterations.
    Pbkdf2Sm3(u32),
}

impl Kdf {
    /// The work of one derivation.
    fn work(self) -> Work {
        match self.0 {
            Function::Argon2id(cost) => Work::of_argon2id(cost),
            Function::Pbkdf2Sm3(iterations) => Work::of_iterations(iterations),
        }
    }
}

impl password::Kdf for Kdf {
    fn begin(self, password: &[u8], salt: &[u8], len: usize) -> Result<Deriving> {
        match self.0 {
            Function::Argon2id(cost) => Deriving::argon2id(password, salt, cost, len),
            Function::Pbkdf2Sm3(iterations) => Ok(Deriving::pbkdf2_sm3(password, salt, iterations, len)),
        }
    }

    fn to_numbers(self) -> [u32; 4] {
        match self.0 {
            Function::Argon2id(argon2::Cost { memory_kib, passes, lanes }) => [0, memory_kib, passes, lanes],
            Function::Pbkdf2Sm3(iterations) => [1, iterations, 0, 0],
        }
    }

    fn of_numbers(numbers: [u32; 4]) -> Option<Self> {
        match numbers {
            [0, memory_kib, passes, lanes] => {
                Some(Self(Function::Argon2id(argon2::Cost { memory_kib, passes, lanes })))
            }
            [1, iterations, 0, 0] => Some(Self(Function::Pbkdf2Sm3(iterations))),
            _ => None,
        }
    }
}

/// A key to derive from a passphrase for a file; see [`password::Stretch`].
pub type Stretch = password::Stretch<Kdf>;

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
            let new = new_stretch(passphrase, id)?;
            let root = new.derive()?;
            (new.head, root)
        }
    };
    wrap::seal(&root[..], id, head, binding, file_key)
}

pub(super) fn unwrap(passphrase: &Passphrase, stanza: Stanza<'_>, binding: Binding<'_>) -> Result<Option<FileKey>> {
    wrap::open(&stretch(passphrase, stanza)?.key()?[..], stanza, binding)
}

/// The work of trying a passphrase on the stanza.
///
/// # Errors
/// The errors of costs that no reader accepts, as of [`unwrap`].
pub(super) fn work(stanza: Stanza<'_>) -> Result<Work> {
    Ok(parse(stanza.id, wrap::split(stanza).0)?.0.work())
}

/// The derivation that opens the stanza.
///
/// # Errors
/// The errors of costs that no reader accepts.
pub(super) fn stretch(passphrase: &Passphrase, stanza: Stanza<'_>) -> Result<Stretch> {
    let head = wrap::split(stanza).0;
    let (kdf, salt) = parse(stanza.id, head)?;
    let (passphrase, head, salt) = (passphrase.clone(), head.to_vec(), salt.to_vec());
    Ok(Stretch { passphrase, stanza: stanza.id.0, head, kdf, salt, is_new: false })
}

/// The derivation of a new stanza, with a new salt.
pub(super) fn new_stretch(passphrase: &Passphrase, id: StanzaId) -> Result<Stretch> {
    let salt = random::array::<SALT_LEN>()?;
    let argon2::Cost { memory_kib, passes, lanes } = WRITER_COST;
    let lanes = u8::try_from(lanes).expect("passphrase: a byte counts the lanes");
    let (kdf, cost) = if id == SM3 {
        (Kdf(Function::Pbkdf2Sm3(WRITER_ITERATIONS)), WRITER_ITERATIONS.to_be_bytes().to_vec())
    } else {
        let cost = [&[VERSION], &memory_kib.to_be_bytes()[..], &passes.to_be_bytes(), &[lanes]].concat();
        (Kdf(Function::Argon2id(WRITER_COST)), cost)
    };
    let head = [&cost[..], &salt].concat();
    Ok(Stretch { passphrase: passphrase.clone(), stanza: id.0, head, kdf, salt: salt.to_vec(), is_new: true })
}

/// Reads the costs and the salt before the wrap, and refuses too high costs before any work (format section 8, step 4).
fn parse(id: StanzaId, head: &[u8]) -> Result<(Kdf, &[u8])> {
    let (cost, salt) = head.split_at(head.len() - SALT_LEN);
    Ok((if id == SM3 { parse_pbkdf2(cost)? } else { parse_argon2id(cost)? }, salt))
}

fn parse_pbkdf2(cost: &[u8]) -> Result<Kdf> {
    match u32::from_be_bytes(cost.try_into().expect("passphrase: four bytes")) {
        0 => Err(Error::MalformedHeader("a passphrase cost of 0 iterations (section 4)")),
        iterations @ 1..=ITERATIONS_MAX => Ok(Kdf(Function::Pbkdf2Sm3(iterations))),
        _ => Err(Error::CostTooHigh("its passphrase costs over 10,000,000 iterations")),
    }
}

fn parse_argon2id(cost: &[u8]) -> Result<Kdf> {
    let word = |at: usize| u32::from_be_bytes(cost[at..at + 4].try_into().expect("passphrase: four bytes"));
    let read = argon2::Cost { memory_kib: word(1), passes: word(5), lanes: cost[9].into() };
    if cost[0] != VERSION {
        return Err(Error::MalformedHeader("an Argon2 version other than 0x13 (section 4)"));
    }
    if read.passes == 0 || read.lanes == 0 || read.memory_kib < 8 * read.lanes {
        return Err(Error::MalformedHeader("a passphrase cost under Argon2's minimum (section 4)"));
    }
    if read.memory_kib > ARGON2ID_MAX.memory_kib || read.passes > ARGON2ID_MAX.passes || read.lanes > ARGON2ID_MAX.lanes
    {
        return Err(Error::CostTooHigh("its passphrase costs over 1 GiB, 16 passes or 16 lanes"));
    }
    Ok(Kdf(Function::Argon2id(read)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bounds of format section 4.10. A vector at the upper bound would take seconds to open.
    #[test]
    fn iterations_are_checked_before_any_work() {
        let code_of = |iterations: u32| match parse_pbkdf2(&iterations.to_be_bytes()) {
            Ok(kdf) => {
                assert_eq!(kdf, Kdf(Function::Pbkdf2Sm3(iterations)));
                ""
            }
            Err(error) => error.code(),
        };
        for iterations in [1, WRITER_ITERATIONS, ITERATIONS_MAX] {
            assert_eq!(code_of(iterations), "");
        }
        assert_eq!(code_of(0), "malformed_header");
        for iterations in [ITERATIONS_MAX + 1, u32::MAX] {
            assert_eq!(code_of(iterations), "cost_too_high");
        }
    }
}
