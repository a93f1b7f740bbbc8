//! What a passphrase's stanza asks for, derived in steps.

use super::decrypt::{Decryptor, judged};
use super::encrypt::Encryptor;
use super::header::Header;
use super::key::{TOO_MUCH, scrypt_cost};
use crate::error::{Error, Result};
use crate::kdf::{self, Bounds, Cost, Deriving};
use crate::password::{NO_STANZA, Passphrase, Root};
use crate::random;
use zeroize::Zeroizing;

pub(super) const SALT_LEN: usize = 16;
const LABEL: &[u8] = b"age-encryption.org/v1/scrypt";
const KEY_LEN: usize = 32;
/// It mixes 1 KiB blocks.
const R: u32 = 8;

/// What a passphrase and a file of age ask for that takes long: a key that scrypt derives of the passphrase.
///
/// It is for programs that must not wait for all of the work at once, as [`crate::Stretch`] is for files of ours.
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
///     let mut deriving = stretch.begin()?;
///     while !deriving.step(100) {
///         // Here the program does something else.
///     }
///     decryptor.know(&stretch, deriving.finish()[..].try_into().unwrap());
/// }
/// assert_eq!(decryptor.decrypt(&file)?, b"attack at dawn"); // At once.
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Security
/// It holds the passphrase, and is zeroed on drop.
pub struct Stretch {
    passphrase: Passphrase,
    salt: [u8; SALT_LEN],
    log_n: u8,
    /// Whether it is for a stanza that is yet to be written.
    is_new: bool,
}

impl Stretch {
    /// Begins to derive the key.
    ///
    /// # Errors
    /// [`Error::CostTooHigh`] where the system has less memory.
    pub fn begin(&self) -> Result<Deriving> {
        let salt = [LABEL, &self.salt].concat();
        let input = kdf::Input::new(self.passphrase.as_bytes(), &salt);
        Deriving::begin(&Cost::Scrypt { log_n: self.log_n, r: R, p: 1 }, &input, Bounds::None, KEY_LEN)
    }

    /// As bytes, for another process or another memory. They have the passphrase in them.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let passphrase = self.passphrase.as_bytes();
        let mut bytes = Zeroizing::new(Vec::with_capacity(2 + SALT_LEN + passphrase.len()));
        bytes.extend_from_slice(&[u8::from(self.is_new), self.log_n]);
        bytes.extend_from_slice(&self.salt);
        bytes.extend_from_slice(passphrase);
        bytes
    }

    /// Of such bytes.
    ///
    /// # Errors
    /// [`Error::InvalidPassphrase`].
    ///
    /// # Panics
    /// When they are none that [`to_bytes`](Self::to_bytes) gave.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        const WHOLE: &str = "stretch: these are bytes of one";
        let ([is_new, log_n], rest) = bytes.split_first_chunk::<2>().expect(WHOLE);
        let (salt, passphrase) = rest.split_first_chunk::<SALT_LEN>().expect(WHOLE);
        Ok(Self { passphrase: Passphrase::from_utf8(passphrase)?, salt: *salt, log_n: *log_n, is_new: *is_new == 1 })
    }

    fn new(passphrase: &Passphrase, log_n: u8) -> Result<Self> {
        Ok(Self { passphrase: passphrase.clone(), salt: random::array()?, log_n, is_new: true })
    }

    /// What tells the keys of a passphrase apart: no parameters of an encrypted private key begin so.
    fn head(log_n: u8, salt: &[u8]) -> Vec<u8> {
        [LABEL, &[log_n], salt].concat()
    }

    fn tell(&self, key: &[u8; KEY_LEN]) {
        let head = Self::head(self.log_n, &self.salt);
        let key = Zeroizing::new(*key);
        self.passphrase.know_root(Root { stanza: NO_STANZA, head, is_new: self.is_new, key });
    }

    fn derive(&self) -> Result<Zeroizing<[u8; KEY_LEN]>> {
        let mut key = Zeroizing::new([0; KEY_LEN]);
        let salt = [LABEL, &self.salt].concat();
        let input = kdf::Input::new(self.passphrase.as_bytes(), &salt);
        kdf::derive(&Cost::Scrypt { log_n: self.log_n, r: R, p: 1 }, &input, Bounds::None, &mut key[..])?;
        Ok(key)
    }

    /// The key of a stanza.
    pub(super) fn known(passphrase: &Passphrase, salt: [u8; SALT_LEN], log_n: u8) -> Result<Zeroizing<[u8; KEY_LEN]>> {
        if let Some(key) = passphrase.root(NO_STANZA, &Self::head(log_n, &salt)) {
            return Ok(key);
        }
        Self { passphrase: passphrase.clone(), salt, log_n, is_new: false }.derive()
    }

    /// Salt and key of a new stanza: those that were derived for it, once, or fresh ones.
    pub(super) fn take(passphrase: &Passphrase, log_n: u8) -> Result<([u8; SALT_LEN], Zeroizing<[u8; KEY_LEN]>)> {
        if let Some(root) = passphrase.take_new_root(NO_STANZA) {
            let (head, salt) = root.head.split_at(root.head.len() - SALT_LEN);
            if head == Self::head(log_n, &[]) {
                return Ok((salt.try_into().expect("stretch: a salt has its length"), root.key));
            }
        }
        let new = Self::new(passphrase, log_n)?;
        Ok((new.salt, new.derive()?))
    }
}

impl std::fmt::Debug for Stretch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stretch").field("log_n", &self.log_n).finish_non_exhaustive()
    }
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
        .map(|(passphrase, log_n)| Stretch::new(passphrase, log_n))
        .transpose()
    }

    /// Lets its passphrase know a key that [`stretch`](Self::stretch) asked for. It is used for one file: its salt is that file's, and
    /// the next one has another.
    pub fn know(&self, stretch: &Stretch, key: &[u8; KEY_LEN]) {
        if let [only] = &self.recipients[..]
            && let Some((passphrase, _)) = only.passphrase()
        {
            Stretch { passphrase: passphrase.clone(), ..*stretch }.tell(key);
        }
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
        let head = Stretch::head(log_n, &salt);
        let unknown = passphrases.find(|passphrase| passphrase.root(NO_STANZA, &head).is_none());
        Ok(unknown.map(|passphrase| Stretch { passphrase: passphrase.clone(), salt, log_n, is_new: false }))
    }

    /// Lets its passphrase know a key that [`stretch`](Self::stretch) asked for: it is not derived again for this file. A wrong one
    /// opens nothing.
    pub fn know(&self, stretch: &Stretch, key: &[u8; KEY_LEN]) {
        let head = Stretch::head(stretch.log_n, &stretch.salt);
        let mut passphrases = self.identities.iter().filter_map(|identity| identity.passphrase());
        if let Some(passphrase) = passphrases.find(|passphrase| passphrase.root(NO_STANZA, &head).is_none()) {
            Stretch { passphrase: passphrase.clone(), ..*stretch }.tell(key);
        }
    }
}

#[cfg(test)]
#[path = "stretch_tests.rs"]
mod tests;
