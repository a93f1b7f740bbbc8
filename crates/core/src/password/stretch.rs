//! The key of a passphrase's stanza, derived step by step, for files of every format.

use super::{Passphrase, Root};
use crate::argon2;
use crate::error::Result;
use crate::kdf::{self, Deriving, ScryptCost, Work};
use zeroize::Zeroizing;

/// Bytes of a stanza's key.
const KEY_LEN: usize = 32;

/// What a stanza's key is derived with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kdf {
    Argon2id(argon2::Cost),
    /// PBKDF2-HMAC-SM3, with this many iterations.
    Pbkdf2Sm3(u32),
    Scrypt(ScryptCost),
}

impl Kdf {
    /// What one derivation takes.
    pub(crate) fn work(self) -> Work {
        match self {
            Self::Argon2id(cost) => Work::of_argon2id(cost),
            Self::Pbkdf2Sm3(iterations) => Work::of_iterations(iterations),
            Self::Scrypt(cost) => Work::of_scrypt(cost),
        }
    }
}

/// What a passphrase and a file ask for before they take no time: a key that is derived from the passphrase, at the cost that the file names.
///
/// Encrypting and decrypting derive it by themselves. A program that must not wait for all of the work at once, such as a page in a
/// browser, derives the key in steps, or elsewhere, and lets the encryptor, decryptor or rewrapper know it. It is the same for files
/// of Sealstone and of age.
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
pub struct Stretch {
    pub(crate) passphrase: Passphrase,
    /// The stanza's type or [`NO_STANZA`](super::NO_STANZA), and what tells its keys apart.
    pub(crate) stanza: u16,
    pub(crate) head: Vec<u8>,
    pub(crate) kdf: Kdf,
    pub(crate) salt: Vec<u8>,
    /// Whether it is for a stanza that is yet to be written.
    pub(crate) is_new: bool,
}

impl Stretch {
    /// Begins to derive the key.
    ///
    /// # Errors
    /// [`Error::CostTooHigh`](crate::Error::CostTooHigh) where the system has less memory.
    pub fn begin(&self) -> Result<Stretching> {
        let (password, salt) = (self.passphrase.as_bytes(), &self.salt[..]);
        Ok(Stretching(match self.kdf {
            Kdf::Argon2id(cost) => Deriving::argon2id(password, salt, cost, KEY_LEN)?,
            Kdf::Pbkdf2Sm3(iterations) => Deriving::pbkdf2_sm3(password, salt, iterations, KEY_LEN),
            Kdf::Scrypt(cost) => Deriving::scrypt(password, salt, cost, KEY_LEN)?,
        }))
    }

    /// The key at once.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub(crate) fn derive(&self) -> Result<Zeroizing<[u8; KEY_LEN]>> {
        let Kdf::Scrypt(cost) = self.kdf else { return Ok(self.begin()?.finish()) };
        let mut key = Zeroizing::new([0; KEY_LEN]);
        kdf::scrypt_there(self.passphrase.as_bytes(), &self.salt, cost, &mut key[..])?;
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
        let (tag, numbers) = match self.kdf {
            Kdf::Argon2id(argon2::Cost { memory_kib, passes, lanes }) => (0, [memory_kib, passes, lanes]),
            Kdf::Pbkdf2Sm3(iterations) => (1, [iterations, 0, 0]),
            Kdf::Scrypt(ScryptCost { log_n, r, p }) => (2, [log_n.into(), r, p]),
        };
        let mut start = vec![u8::from(self.is_new), tag];
        start.extend(self.stanza.to_le_bytes());
        start.extend(numbers.map(u32::to_le_bytes).concat());
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
    /// When [`to_bytes`](Self::to_bytes) did not make the bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        const WHOLE: &str = "stretch: these are bytes of one";
        let ([is_new, tag, stanza @ ..], mut rest) = bytes.split_first_chunk::<4>().expect(WHOLE);
        let [first, second, third] = [(); 3].map(|()| {
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
        let kdf = match tag {
            0 => Kdf::Argon2id(argon2::Cost { memory_kib: first, passes: second, lanes: third }),
            1 => Kdf::Pbkdf2Sm3(first),
            2 => Kdf::Scrypt(ScryptCost { log_n: u8::try_from(first).expect(WHOLE), r: second, p: third }),
            _ => panic!("{WHOLE}"),
        };
        let passphrase = Passphrase::from_utf8(rest)?;
        Ok(Self { passphrase, stanza: u16::from_le_bytes(*stanza), head, kdf, salt, is_new: *is_new == 1 })
    }
}

impl std::fmt::Debug for Stretch {
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
