//! The key of a passphrase stanza, derived in steps, for files of every format.

use super::{Passphrase, Root};
use crate::error::Result;
use crate::kdf::Deriving;
use zeroize::Zeroizing;

/// Length of the key of a stanza in bytes.
const KEY_LEN: usize = 32;

/// The key derivation function of the stanzas of one format. Each format has its own type, so that a program that uses one
/// format contains no code of another.
pub trait Kdf: Copy + std::fmt::Debug + Send + Sync + 'static {
    #[doc(hidden)]
    fn begin(self, password: &[u8], salt: &[u8], len: usize) -> Result<Deriving>;

    /// Derives the whole key.
    #[doc(hidden)]
    fn derive(self, password: &[u8], salt: &[u8], key: &mut [u8]) -> Result<()> {
        key.copy_from_slice(&self.begin(password, salt, key.len())?.finish());
        Ok(())
    }

    /// The function and its costs as numbers.
    #[doc(hidden)]
    fn to_numbers(self) -> [u32; 4];

    /// The inverse of [`to_numbers`](Self::to_numbers); `None` for invalid numbers.
    #[doc(hidden)]
    fn of_numbers(numbers: [u32; 4]) -> Option<Self>;
}

/// The slow part of using a passphrase with a file: the derivation of a key from the passphrase, at the cost given in the file.
///
/// Encryption and decryption derive this key themselves. A program that must not block for the whole work, such as a page in a
/// browser, derives the key in steps or in another process and passes it to the encryptor, decryptor or rewrapper. It works for
/// files of Sealstone and of age, each with its own key derivation function.
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
/// It contains the passphrase, and is zeroed on drop.
#[derive(Clone)]
pub struct Stretch<K> {
    pub(crate) passphrase: Passphrase,
    /// The type of the stanza or [`NO_STANZA`](super::NO_STANZA); `head` identifies its key.
    pub(crate) stanza: u16,
    pub(crate) head: Vec<u8>,
    pub(crate) kdf: K,
    pub(crate) salt: Vec<u8>,
    /// Whether it is for a stanza still to be written.
    pub(crate) is_new: bool,
}

impl<K: Kdf> Stretch<K> {
    /// Starts deriving the key in steps.
    ///
    /// # Errors
    /// [`Error::CostTooHigh`](crate::Error::CostTooHigh) if the system does not have enough memory.
    pub fn begin(&self) -> Result<Stretching> {
        self.kdf.begin(self.passphrase.as_bytes(), &self.salt, KEY_LEN).map(Stretching)
    }

    /// Derives the whole key at once.
    ///
    /// # Errors
    /// Those of [`begin`](Self::begin).
    pub(crate) fn derive(&self) -> Result<Zeroizing<[u8; KEY_LEN]>> {
        let mut key = Zeroizing::new([0; KEY_LEN]);
        self.kdf.derive(self.passphrase.as_bytes(), &self.salt, &mut key[..])?;
        Ok(key)
    }

    /// Returns the key that the passphrase has cached, or derives it at once.
    ///
    /// # Errors
    /// Those of [`begin`](Self::begin).
    pub(crate) fn key(&self) -> Result<Zeroizing<[u8; KEY_LEN]>> {
        self.passphrase.root(self.stanza, &self.head).map_or_else(|| self.derive(), Ok)
    }

    /// Whether the passphrase has cached the key.
    pub(crate) fn is_known(&self) -> bool {
        self.passphrase.root(self.stanza, &self.head).is_some()
    }

    /// Stores the key in the first of these passphrases that needs it: the one that this stretch was created for.
    pub(crate) fn tell<'a>(&self, mut passphrases: impl Iterator<Item = &'a Passphrase>, key: &[u8; KEY_LEN]) {
        if let Some(passphrase) = passphrases.find(|one| one.root(self.stanza, &self.head).is_none()) {
            let (head, key) = (self.head.clone(), Zeroizing::new(*key));
            passphrase.know_root(Root { stanza: self.stanza, head, is_new: self.is_new, key });
        }
    }

    /// Serializes it, for another process or a WebAssembly worker. The bytes contain the passphrase.
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

    /// Parses the bytes of [`to_bytes`](Self::to_bytes).
    ///
    /// # Errors
    /// [`Error::InvalidPassphrase`](crate::Error::InvalidPassphrase).
    ///
    /// # Panics
    /// If the bytes were not made by [`to_bytes`](Self::to_bytes) of a stretch of this format.
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

/// A running derivation of a key from a passphrase. Its memory is zeroed on drop.
pub struct Stretching(Deriving);

impl Stretching {
    /// Does this many units of work, each about a microsecond or a few; returns whether the derivation is complete.
    pub fn step(&mut self, amount: u32) -> bool {
        self.0.step(amount)
    }

    /// Completes the remaining work and returns the key.
    #[must_use]
    pub fn finish(self) -> Zeroizing<[u8; KEY_LEN]> {
        let key = self.0.finish();
        Zeroizing::new(key[..].try_into().expect("stretch: the key has its length"))
    }
}

debug!(Stretching(..));

#[cfg(test)]
#[path = "stretch_tests.rs"]
mod tests;
