//! Derives the key of a passphrase's stanza with scrypt.

use crate::error::Result;
use crate::kdf::{self, Deriving, ScryptCost};
use crate::password::{self, Kdf, NO_STANZA, Passphrase};
use crate::random;
use zeroize::Zeroizing;

pub(super) const SALT_LEN: usize = 16;
const LABEL: &[u8] = b"age-encryption.org/v1/scrypt";
const KEY_LEN: usize = 32;
/// The block size parameter of scrypt: blocks of 1 KiB.
const R: u32 = 8;

/// The key derivation of passphrases' stanzas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scrypt(ScryptCost);

impl Kdf for Scrypt {
    fn begin(self, password: &[u8], salt: &[u8], len: usize) -> Result<Deriving> {
        Deriving::scrypt(password, salt, self.0, len)
    }

    fn derive(self, password: &[u8], salt: &[u8], key: &mut [u8]) -> Result<()> {
        kdf::scrypt_there(password, salt, self.0, key)
    }

    fn to_numbers(self) -> [u32; 4] {
        let ScryptCost { log_n, r, p } = self.0;
        [0, log_n.into(), r, p]
    }

    fn of_numbers([function, log_n, r, p]: [u32; 4]) -> Option<Self> {
        let log_n = u8::try_from(log_n).ok().filter(|_| function == 0)?;
        Some(Self(ScryptCost { log_n, r, p }))
    }
}

/// A key to derive from a passphrase with scrypt for a file of age, as [`crate::Stretch`] is for Sealstone's files.
///
/// ```
/// use sealstone::Passphrase;
/// use sealstone::interop::age::{Decryptor, Encryptor, Recipient};
///
/// let passphrase = Passphrase::new("correct horse battery staple")?;
/// let file = Encryptor::new([Recipient::of_passphrase(passphrase.clone(), 10)?]).encrypt(b"attack at dawn")?;
///
/// let decryptor = Decryptor::new([passphrase.into()]);
/// while let Some(stretch) = decryptor.stretch(&file)? {
///     let mut stretching = stretch.begin()?;
///     while !stretching.step(100) {
///         // Here the program does something else.
///     }
///     decryptor.know(&stretch, &stretching.finish());
/// }
/// assert_eq!(decryptor.decrypt(&file)?, b"attack at dawn"); // At once.
/// # Ok::<(), sealstone::Error>(())
/// ```
pub type Stretch = password::Stretch<Scrypt>;

/// The derivation for a stanza.
pub(super) fn stretch(passphrase: &Passphrase, salt: &[u8; SALT_LEN], log_n: u8, is_new: bool) -> Stretch {
    let kdf = Scrypt(ScryptCost { log_n, r: R, p: 1 });
    let (head, salt) = (head(log_n, salt), [LABEL, salt].concat());
    Stretch { passphrase: passphrase.clone(), stanza: NO_STANZA, head, kdf, salt, is_new }
}

/// The parameters that identify a key of a passphrase. Those of an encrypted private key never begin with this label.
fn head(log_n: u8, salt: &[u8]) -> Vec<u8> {
    [LABEL, &[log_n], salt].concat()
}

/// The key of a stanza.
pub(super) fn key(passphrase: &Passphrase, salt: [u8; SALT_LEN], log_n: u8) -> Result<Zeroizing<[u8; KEY_LEN]>> {
    stretch(passphrase, &salt, log_n, false).key()
}

/// The salt and the key of a new stanza: those that the caller has derived, which serve once, or new ones.
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
