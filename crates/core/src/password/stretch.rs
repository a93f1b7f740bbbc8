//! The key of a passphrase's stanza, derived step by step, for files of every format.

use super::{Passphrase, Root};
use crate::error::Result;
use crate::kdf::Deriving;
use zeroize::Zeroizing;

/// Bytes of a stanza's key.
const KEY_LEN: usize = 32;

/// What one format derives keys of stanzas with. Each format has its own, so that a program with one format has no code for another's.
pub trait Kdf: Copy + std::fmt::Debug + Send + Sync + 'static {
    #[doc(hidden)]
    fn begin(self, password: &[u8], salt: &[u8], len: usize) -> Result<Deriving>;

    /// Fills the key at once.
    #[doc(hidden)]
    fn derive(self, password: &[u8], salt: &[u8], key: &mut [u8]) -> Result<()> {
        key.copy_from_slice(&self.begin(password, salt, key.len())?.finish());
        Ok(())
    }

    /// Which function it is, and its costs.
    #[doc(hidden)]
    fn to_numbers(self) -> [u32; 4];

    /// Of such numbers; none of others.
    #[doc(hidden)]
    fn of_numbers(numbers: [u32; 4]) -> Option<Self>;
}

/// What a passphrase and a file ask for before they take no time: a key that is derived from the passphrase, at the cost that the file names.
///
/// Encrypting and decrypting derive it by themselves. A program that must not wait for all of the work at once, such as a page in a
/// browser, derives the key in steps, or elsewhere, and lets the encryptor, decryptor or rewrapper know it. Files of Sealstone and of
/// age have it alike, with functions of their own.
///
/// ```
/// use sealstone::{Decryptor, Encryptor, Identity, Passphrase};
///
/// let identity = Identity::from(Passphrase::new("correct horse battery staple")?);
/// let file = Encryptor::new([identity.recipient()]).encrypt(b"attack at dawn")?;
///
/// let decryptor = Decryptor::new([identity]);
/// while let Some(stretch) = decryptor.stretch(&file)? {
///     let mut stretching = stretch.begin()?;
///     while !stretching.step(10_000) {
///         // Here the program does something else.
///     }
///     decryptor.know(&stretch, &stretching.finish());
/// }
/// assert_eq!(decryptor.decrypt(&file)?, b"attack at dawn"); // At once.
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Security
/// It holds the passphrase, and is zeroed on drop.
#[derive(Clone)]
pub struct Stretch<K> {
    pub(crate) passphrase: Passphrase,
    /// The stanza's type or [`NO_STANZA`](super::NO_STANZA), and what tells its keys apart.
    pub(crate) stanza: u16,
    pub(crate) head: Vec<u8>,
    pub(crate) kdf: K,
    pub(crate) salt: Vec<u8>,
    /// Whether it is for a stanza that is yet to be written.
    pub(crate) is_new: bool,
}

impl<K: Kdf> Stretch<K> {
    /// Begins to derive the key.
    ///
    /// # Errors
    /// [`Error::CostTooHigh`](crate::Error::CostTooHigh) where the system has less memory.
    pub fn begin(&self) -> Result<Stretching> {
        self.kdf.begin(self.passphrase.as_bytes(), &self.salt, KEY_LEN).map(Stretching)
    }

    /// The key at once.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub(crate) fn derive(&self) -> Result<Zeroizing<[u8; KEY_LEN]>> {
        let mut key = Zeroizing::new([0; KEY_LEN]);
        self.kdf.derive(self.passphrase.as_bytes(), &self.salt, &mut key[..])?;
        Ok(key)
    }

    /// The key: that which the passphrase knows, or it is derived at once.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub(crate) fn key(&self) -> Result<Zeroizing<[u8; KEY_LEN]>> {
        self.passphrase.root(self.stanza, &self.head).map_or_else(|| self.derive(), Ok)
    }

    /// Whether its passphrase knows the key.
    pub(crate) fn is_known(&self) -> bool {
        self.passphrase.root(self.stanza, &self.head).is_some()
    }

    /// Tells the key to the first of these passphrases that does not know it: the one that it was asked for.
    pub(crate) fn tell<'a>(&self, mut passphrases: impl Iterator<Item = &'a Passphrase>, key: &[u8; KEY_LEN]) {
        if let Some(passphrase) = passphrases.find(|one| one.root(self.stanza, &self.head).is_none()) {
            let (head, key) = (self.head.clone(), Zeroizing::new(*key));
            passphrase.know_root(Root { stanza: self.stanza, head, is_new: self.is_new, key });
        }
    }

    /// As bytes, for another process or another memory. They have the passphrase in them.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let mut start = vec![u8::from(self.is_new)];
        start.extend(self.stanza.to_le_bytes());
        start.extend(self.kdf.to_numbers().map(u32::to_le_bytes).concat());
        for part in [&self.head, &self.salt] {
            start.push(u8::try_from(part.len()).expect("stretch: heads and salts are short"));
            start.extend_from_slice(part);
        }
        let passphrase = self.passphrase.as_bytes();
        let mut bytes = Zeroizing::new(Vec::with_capacity(start.len() + passphrase.len()));
        bytes.extend_from_slice(&start);
        bytes.extend_from_slice(passphrase);
        bytes
    }

    /// Reads such bytes.
    ///
    /// # Errors
    /// [`Error::InvalidPassphrase`](crate::Error::InvalidPassphrase).
    ///
    /// # Panics
    /// When [`to_bytes`](Self::to_bytes) of a stretch of this format did not make the bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        const WHOLE: &str = "stretch: these are bytes of one";
        let ([is_new, stanza @ ..], mut rest) = bytes.split_first_chunk::<3>().expect(WHOLE);
        let numbers = [(); 4].map(|()| {
            let (number, later) = rest.split_first_chunk().expect(WHOLE);
            rest = later;
            u32::from_le_bytes(*number)
        });
        let [head, salt] = [(); 2].map(|()| {
            let (len, later) = rest.split_first().expect(WHOLE);
            let (part, later) = later.split_at_checked((*len).into()).expect(WHOLE);
            rest = later;
            part.to_vec()
        });
        let kdf = K::of_numbers(numbers).expect(WHOLE);
        let passphrase = Passphrase::from_utf8(rest)?;
        Ok(Self { passphrase, stanza: u16::from_le_bytes(*stanza), head, kdf, salt, is_new: *is_new == 1 })
    }
}

impl<K: std::fmt::Debug> std::fmt::Debug for Stretch<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stretch").field("kdf", &self.kdf).finish_non_exhaustive()
    }
}

/// A key that is being derived of a passphrase. Its memory is zeroed on drop.
pub struct Stretching(Deriving);

impl Stretching {
    /// Does this much more, of which each takes a microsecond or a few; returns whether all is done.
    pub fn step(&mut self, amount: u32) -> bool {
        self.0.step(amount)
    }

    /// The key, after what is left of the work.
    #[must_use]
    pub fn finish(self) -> Zeroizing<[u8; KEY_LEN]> {
        let key = self.0.finish();
        Zeroizing::new(key[..].try_into().expect("stretch: the key has its length"))
    }
}

impl std::fmt::Debug for Stretching {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Stretching(..)")
    }
}

#[cfg(test)]
#[path = "stretch_tests.rs"]
mod tests;
