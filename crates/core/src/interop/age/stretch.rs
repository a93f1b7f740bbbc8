//! The key of a passphrase's stanza: how scrypt derives it.

use super::decrypt::{Decryptor, judged};
use super::encrypt::Encryptor;
use super::header::Header;
use super::key::{TOO_MUCH, scrypt_cost};
use crate::error::{Error, Result};
use crate::format::Stretches;
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
fn stretch(passphrase: &Passphrase, salt: &[u8; SALT_LEN], log_n: u8, is_new: bool) -> Stretch {
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

impl Encryptor {
    /// What is to be derived of a passphrase before the next file can be written; see [`Stretch`].
    ///
    /// # Errors
    /// Those of [`check_recipients`](Self::check_recipients); [`Error::NoRandomness`].
    pub fn stretch(&self) -> Result<Option<Stretch>> {
        self.check_recipients()?;
        match &self.recipients[..] {
            [only] => only.passphrase().filter(|(passphrase, _)| !passphrase.has_new_root(NO_STANZA)),
            _ => None,
        }
        .map(|(passphrase, log_n)| Ok(stretch(passphrase, &random::array()?, log_n, true)))
        .transpose()
    }

    /// Lets its passphrase know a key that [`stretch`](Self::stretch) asked for. It is used for one file: its salt is that file's, and
    /// the next one has another.
    pub fn know(&self, stretch: &Stretch, key: &[u8; KEY_LEN]) {
        stretch.tell(self.recipients.iter().filter_map(|one| Some(one.passphrase()?.0)), key);
    }
}

impl Decryptor {
    /// What is to be derived of a passphrase before this file can be opened; see [`Stretch`]. `file` is its beginning with all of its
    /// header.
    ///
    /// # Errors
    /// [`Error::MalformedHeader`], [`Error::Truncated`], [`Error::CostTooHigh`].
    pub fn stretch(&self, file: &[u8]) -> Result<Option<Stretch>> {
        let mut passphrases = self.identities.iter().filter_map(|identity| identity.passphrase()).peekable();
        if passphrases.peek().is_none() {
            return Ok(None);
        }
        let header = Header::parse(file)?.ok_or(Error::Truncated("it ends within its header"))?;
        if !judged(&header)? {
            return Ok(None);
        }
        let (salt, log_n) = scrypt_cost(&header.stanzas[0])?;
        if log_n > self.log_n_max {
            return Err(TOO_MUCH);
        }
        let stretches = passphrases.map(|passphrase| stretch(passphrase, &salt, log_n, false));
        Ok({ stretches }.find(|stretch| !stretch.is_known()))
    }

    /// Lets its passphrase know a key that [`stretch`](Self::stretch) asked for: it is not derived again for this file. A wrong one
    /// opens nothing.
    pub fn know(&self, stretch: &Stretch, key: &[u8; KEY_LEN]) {
        stretch.tell(self.identities.iter().filter_map(|identity| identity.passphrase()), key);
    }
}

impl Stretches for Encryptor {
    fn stretch(&self, _: &[u8]) -> Result<Option<Stretch>> {
        self.stretch()
    }

    fn know(&self, stretch: &Stretch, key: &[u8; 32]) {
        self.know(stretch, key);
    }
}

impl Stretches for Decryptor {
    fn stretch(&self, file: &[u8]) -> Result<Option<Stretch>> {
        self.stretch(file)
    }

    fn know(&self, stretch: &Stretch, key: &[u8; 32]) {
        self.know(stretch, key);
    }
}

#[cfg(test)]
#[path = "stretch_tests.rs"]
mod tests;
