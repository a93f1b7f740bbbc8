//! Encrypts and decrypts files of age in parts, as [`crate::FileSealer`] does for Sealstone's files. Units are handed out as
//! soon as a chunk is whole, since a reader of age handles 64 KiB at a time.

use super::header::{self, FILE_KEY_LEN, FileKey, Header};
use super::key::{check_stanzas, has_passphrase};
use super::stream::{Chunks, Open, SALT_LEN, Seal};
use crate::error::{Error, Result};
use crate::format::{Parts, Unit};
use crate::plugin::Stanza;
use crate::random;
use std::sync::Arc;
use zeroize::{Zeroize, Zeroizing};

/// Encrypts one file of age that comes in parts.
///
/// ```
/// use sealstone::interop::age::{Decryptor, Encryptor, Identity};
///
/// let identity = Identity::try_from(sealstone::Identity::generate(sealstone::Kind::X25519)?)?;
/// let mut sealer = Encryptor::new([identity.recipient()]).sealer()?;
/// let mut file = sealer.head().to_vec();
/// let mut plaintext = &[7; 1_000_000][..];
/// while !plaintext.is_empty() {
///     plaintext = &plaintext[sealer.fill(plaintext)..];
///     if let Some(unit) = sealer.take() {
///         file.extend(unit.run()?); // On any thread.
///     }
/// }
/// file.extend(sealer.finish().run()?);
/// assert_eq!(Decryptor::new([identity]).decrypt(&file)?, [7; 1_000_000]);
/// # Ok::<(), sealstone::Error>(())
/// ```
pub struct FileSealer {
    head: Vec<u8>,
    chunks: Parts<Seal<Arc<Chunks>>>,
}

impl FileSealer {
    /// Begins a file with the caller's stanzas of the caller's file key, for recipients that this crate does not support.
    ///
    /// ```
    /// use sealstone::interop::age::{FileOpener, FileSealer, Stanza};
    ///
    /// let mut file_key = [0; 16];
    /// sealstone::random::fill(&mut file_key)?;
    /// let stanza = Stanza::new("example.com/vault", ["key-1"], b"the file key, wrapped".to_vec())?;
    /// let sealer = FileSealer::of_stanzas(&[stanza], &file_key)?;
    /// let mut file = sealer.head().to_vec();
    /// file.extend(sealer.finish().run()?);
    /// let head_len = FileOpener::read_head_len(&file)?.expect("all of it is here");
    /// FileOpener::of_file_key(&file[..head_len], &file_key)?;
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Security
    /// The file key must be random, and used for one file only.
    ///
    /// # Errors
    /// [`Error::InvalidRecipients`], [`Error::MixedRecipients`] and [`Error::MalformedHeader`], by the known types, because a
    /// malformed stanza would lock all recipients out; [`Error::NoRandomness`].
    pub fn of_stanzas(stanzas: &[Stanza], file_key: &[u8; FILE_KEY_LEN]) -> Result<Self> {
        check_stanzas(stanzas)?;
        Self::new(stanzas, &Zeroizing::new(*file_key))
    }

    pub(super) fn new(stanzas: &[Stanza], file_key: &FileKey) -> Result<Self> {
        let (head, chunks) = begin(stanzas, file_key)?;
        Ok(Self { head, chunks: Parts::new(Seal(Arc::new(chunks))) })
    }

    /// The bytes before the first chunk.
    #[must_use]
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// Takes as much plaintext as the next unit has room for; returns the number of bytes taken.
    #[must_use = "what was not taken is to be given again"]
    pub fn fill(&mut self, plaintext: &[u8]) -> usize {
        self.chunks.fill(plaintext)
    }

    /// Takes the whole chunks as a unit, except for one that may be the last.
    pub fn take(&mut self) -> Option<SealWork> {
        self.chunks.flush().map(SealWork)
    }

    /// Returns the last unit, with the remaining plaintext.
    #[must_use]
    pub fn finish(self) -> SealWork {
        SealWork(self.chunks.finish())
    }
}

debug!(|it: FileSealer| { next: it.chunks.next() });

/// Makes the bytes before the first chunk, and the key of the chunks.
pub(super) fn begin(stanzas: &[Stanza], file_key: &FileKey) -> Result<(Vec<u8>, Chunks)> {
    let mut head = Header::write(stanzas, file_key)?;
    let salt = random::array::<SALT_LEN>()?;
    head.extend_from_slice(&salt);
    Ok((head, Chunks::new(file_key, &salt)?))
}

/// Consecutive chunks, to be sealed once, on any thread.
pub struct SealWork(Unit<Seal<Arc<Chunks>>>);

impl SealWork {
    /// Seals the chunks.
    ///
    /// # Errors
    /// The errors of the AEAD, which do not occur for chunks.
    pub fn run(self) -> Result<Vec<u8>> {
        let (file, failure) = self.0.run();
        failure.map_or(Ok(file), Err)
    }
}

debug!(|it: SealWork| { first: it.0.position().0 });

/// Decrypts one file of age that comes in parts.
///
/// ```
/// use sealstone::interop::age::{Decryptor, Encryptor, FileOpener, Identity};
///
/// let identity = Identity::try_from(sealstone::Identity::generate(sealstone::Kind::X25519)?)?;
/// let file = Encryptor::new([identity.recipient()]).encrypt(&[7; 1_000_000])?;
///
/// let head_len = FileOpener::read_head_len(&file[..1000])?.expect("all of it is here");
/// let mut opener = Decryptor::new([identity]).opener(&file[..head_len])?;
/// let (mut chunks, mut plaintext) = (&file[head_len..], Vec::new());
/// let mut release = |(opened, error): (Vec<u8>, Option<sealstone::Error>)| {
///     plaintext.extend(opened); // Authentic, whatever comes behind it.
///     error.map_or(Ok(()), Err)
/// };
/// while !chunks.is_empty() {
///     chunks = &chunks[opener.fill(chunks)..];
///     if let Some(unit) = opener.take() {
///         release(unit.run())?; // On any thread.
///     }
/// }
/// release(opener.finish().run())?;
/// assert_eq!(plaintext, [7; 1_000_000]);
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Security
/// The plaintext of each unit is authentic. Only the last unit shows that the file is complete.
pub struct FileOpener {
    chunks: Parts<Open>,
}

impl FileOpener {
    /// Reads the number of bytes before the first chunk from the beginning of a file; `None` if it needs more bytes.
    ///
    /// # Errors
    /// [`Error::MalformedHeader`].
    pub fn read_head_len(start: &[u8]) -> Result<Option<usize>> {
        match Header::parse(start)? {
            None if start.len() > header::LEN_MAX => Err(header::TOO_LONG),
            header => Ok(header.map(|header| header.len + SALT_LEN)),
        }
    }

    /// Begins with the caller's file key, for identities that this crate does not support. `head` has all bytes before the
    /// first chunk. See [`FileSealer::of_stanzas`].
    ///
    /// # Errors
    /// [`Error::MalformedHeader`], [`Error::Truncated`]; [`Error::HeaderNotAuthentic`] for the key of another file.
    pub fn of_file_key(head: &[u8], file_key: &[u8; FILE_KEY_LEN]) -> Result<Self> {
        let (header, salt) = split_head(head)?;
        has_passphrase(&header.stanzas)?;
        let file_key = Zeroizing::new(*file_key);
        header.check(&file_key)?;
        Self::new(&file_key, salt)
    }

    pub(super) fn new(file_key: &FileKey, salt: &[u8; SALT_LEN]) -> Result<Self> {
        let chunks = Arc::new(Chunks::new(file_key, salt)?);
        Ok(Self { chunks: Parts::new(Open::new(chunks, true)) })
    }

    /// Takes as many bytes of chunks as the next unit has room for; returns their number.
    #[must_use = "what was not taken is to be given again"]
    pub fn fill(&mut self, chunks: &[u8]) -> usize {
        self.chunks.fill(chunks)
    }

    /// Takes the whole chunks as a unit, except for one that may be the last.
    pub fn take(&mut self) -> Option<OpenWork> {
        self.chunks.flush().map(OpenWork)
    }

    /// Returns the last unit, with the remaining bytes.
    #[must_use]
    pub fn finish(self) -> OpenWork {
        OpenWork(self.chunks.finish())
    }

    /// Opens the chunks from number `first` on, to read a part of a file. `is_end` says that the file ends with them.
    ///
    /// # Errors
    /// [`Error::NotAuthentic`]; [`Error::Truncated`].
    pub fn open_at(&self, first: u64, chunks: &[u8], is_end: bool) -> Result<Vec<u8>> {
        match self.chunks.unit_from(first, chunks.to_vec(), is_end).run() {
            (plaintext, None) => Ok(plaintext),
            (mut plaintext, Some(error)) => {
                plaintext.zeroize();
                Err(error)
            }
        }
    }
}

debug!(|it: FileOpener| { next: it.chunks.next() });

pub(super) const CUT: Error = Error::Truncated("it ends within its header");

/// Splits the bytes before the first chunk into the header and the salt.
pub(super) fn split_head(head: &[u8]) -> Result<(Header, &[u8; SALT_LEN])> {
    let header = Header::parse(head)?.ok_or(CUT)?;
    let salt = head[header.len..].try_into().map_err(|_| Error::Truncated("it ends before the first chunk"))?;
    Ok((header, salt))
}

/// Consecutive chunks, to be opened on any thread.
pub struct OpenWork(Unit<Open>);

impl OpenWork {
    /// Opens the chunks; returns the plaintext of those before the first that fails, and its error. Units behind a failed unit
    /// fail too.
    #[must_use]
    pub fn run(self) -> (Vec<u8>, Option<Error>) {
        self.0.run()
    }
}

debug!(|it: OpenWork| { first: it.0.position().0 });

#[cfg(test)]
#[path = "parts_tests.rs"]
mod tests;
