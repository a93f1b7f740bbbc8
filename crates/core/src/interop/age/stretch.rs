//! The key of a passphrase's stanza: how scrypt derives it.

use crate::error::Result;
use crate::kdf::ScryptCost;
use crate::password::{Kdf, NO_STANZA, Passphrase, Stretch};
use crate::random;
use zeroize::Zeroizing;

pub(super) const SALT_LEN: usize = 16;
const LABEL: &[u8] = b"age-encryption.org/v1/scrypt";
const KEY_LEN: usize = 32;
/// It mixes 1 KiB blocks.
const R: u32 = 8;

/// The derivation for a stanza.
pub(super) fn stretch(passphrase: &Passphrase, salt: &[u8; SALT_LEN], log_n: u8, is_new: bool) -> Stretch {
    let kdf = Kdf::Scrypt(ScryptCost { log_n, r: R, p: 1 });
    let (head, salt) = (head(log_n, salt), [LABEL, salt].concat());
    Stretch { passphrase: passphrase.clone(), stanza: NO_STANZA, head, kdf, salt, is_new }
}

/// What tells the keys of a passphrase apart: no parameters of an encrypted private key begin so.
fn head(log_n: u8, salt: &[u8]) -> Vec<u8> {
    [LABEL, &[log_n], salt].concat()
}

/// The key of a stanza.
pub(super) fn key(passphrase: &Passphrase, salt: [u8; SALT_LEN], log_n: u8) -> Result<Zeroizing<[u8; KEY_LEN]>> {
    stretch(passphrase, &salt, log_n, false).key()
}

/// Salt and key of a new stanza: those that were derived for it, once, or fresh ones.
pub(super) fn new_key(passphrase: &Passphrase, log_n: u8) -> Result<([u8; SALT_LEN], Zeroizing<[u8; KEY_LEN]>)> {
    if let Some(root) = passphrase.take_new_root(NO_STANZA) {
        let (start, salt) = root.head.split_at(root.head.len() - SALT_LEN);
        if start == head(log_n, &[]) {
            return Ok((salt.try_into().expect("stretch: a salt has its length"), root.key));
        }
    }
    let salt = random::array()?;
    Ok((salt, stretch(passphrase, &salt, log_n, true).derive()?))
}

#[cfg(test)]
#[path = "stretch_tests.rs"]
mod tests;
