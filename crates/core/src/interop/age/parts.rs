//! The machine for files of age in parts, as [`crate::FileSealer`] is for ours: it does no I/O, for those who bring their own streams
//! and threads. Chunks are handed out as soon as they are whole, since a reader of age has 64 KiB at a time.

use super::decrypt::{Decryptor, judged};
use super::encrypt::{Encryptor, check_stanzas};
use super::header::{self, FILE_KEY_LEN, FileKey, Header};
use super::stream::{CHUNK_LEN, Chunks, Open, SALT_LEN, SEALED_CHUNK_LEN};
use crate::aead::TAG_LEN;
use crate::error::{Error, Result};
use crate::format::Payload;
use crate::pipeline::{Piece, Transform};
use crate::plugin::Stanza;
use crate::random;
use std::sync::Arc;
use zeroize::{Zeroize, Zeroizing};

/// Chunks of the longest unit: work of a millisecond.
const UNIT_CHUNKS: usize = 16;
/// What is held at the most: one byte more tells that the chunk before it is not the last.
const UNIT_LEN: usize = UNIT_CHUNKS * SEALED_CHUNK_LEN + 1;

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
    chunks: Arc<Chunks>,
    /// The chunk that is taken next.
    next: u64,
    /// What was filled and not taken: chunks, each in a place with room for its tag.
    places: Zeroizing<Vec<u8>>,
}

impl FileSealer {
    /// Of stanzas that the caller has made of a file key of its own: for recipients that this crate does not have.
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
    /// A file key is of one file, and random.
    ///
    /// # Errors
    /// [`Error::InvalidRecipients`], [`Error::MixedRecipients`] and [`Error::MalformedHeader`], by the types that are known: a stanza that
    /// is wrong would keep everybody from the file; [`Error::NoRandomness`].
    pub fn of_stanzas(stanzas: &[Stanza], file_key: &[u8; FILE_KEY_LEN]) -> Result<Self> {
        check_stanzas(stanzas)?;
        Self::new(stanzas, &Zeroizing::new(*file_key))
    }

    pub(super) fn new(stanzas: &[Stanza], file_key: &FileKey) -> Result<Self> {
        let (head, chunks) = begin(stanzas, file_key)?;
        Ok(Self { head, chunks: Arc::new(chunks), next: 0, places: Zeroizing::default() })
    }

    /// Everything before the first chunk.
    #[must_use]
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// Takes plaintext, as much as the next unit has room for; returns how much that is.
    #[must_use = "what was not taken is to be given again"]
    pub fn fill(&mut self, plaintext: &[u8]) -> usize {
        let mut rest = plaintext;
        let sealed_len = rest.len() + (rest.len() / CHUNK_LEN + 1) * TAG_LEN;
        let room = UNIT_LEN.saturating_sub(self.places.len());
        make_room(&mut self.places, sealed_len.min(room));
        while !rest.is_empty() && self.places.len() < UNIT_LEN {
            let room = (CHUNK_LEN - self.places.len() % SEALED_CHUNK_LEN).min(UNIT_LEN - self.places.len());
            let (now, later) = rest.split_at(rest.len().min(room));
            make_room(&mut self.places, now.len() + TAG_LEN);
            self.places.extend_from_slice(now);
            if self.places.len() % SEALED_CHUNK_LEN == CHUNK_LEN {
                self.places.extend_from_slice(&[0; TAG_LEN]);
            }
            rest = later;
        }
        plaintext.len() - rest.len()
    }

    /// The chunks that are whole, but for one that may be the last.
    pub fn take(&mut self) -> Option<SealWork> {
        let len = self.places.len().saturating_sub(1) / SEALED_CHUNK_LEN * SEALED_CHUNK_LEN;
        (len > 0).then(|| self.work(len, false))
    }

    /// The end of the file, with what was not taken.
    #[must_use]
    pub fn finish(mut self) -> SealWork {
        // A whole chunk has its room.
        if self.places.is_empty() || !self.places.len().is_multiple_of(SEALED_CHUNK_LEN) {
            make_room(&mut self.places, TAG_LEN);
            self.places.extend_from_slice(&[0; TAG_LEN]);
        }
        self.work(self.places.len(), true)
    }

    fn work(&mut self, len: usize, is_end: bool) -> SealWork {
        let places = split(&mut self.places, len);
        let first = self.next;
        self.next += len.div_ceil(SEALED_CHUNK_LEN) as u64;
        SealWork { chunks: Arc::clone(&self.chunks), first, places, is_end }
    }
}

impl std::fmt::Debug for FileSealer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileSealer").field("next", &self.next).finish_non_exhaustive()
    }
}

/// Everything before the first chunk, and the key of the chunks.
pub(super) fn begin(stanzas: &[Stanza], file_key: &FileKey) -> Result<(Vec<u8>, Chunks)> {
    let mut head = Header::write(stanzas, file_key)?;
    let salt = random::array::<SALT_LEN>()?;
    head.extend_from_slice(&salt);
    Ok((head, Chunks::new(file_key, &salt)?))
}

/// Consecutive chunks that are sealed once, on any thread.
pub struct SealWork {
    chunks: Arc<Chunks>,
    first: u64,
    places: Zeroizing<Vec<u8>>,
    is_end: bool,
}

impl SealWork {
    /// Seals them.
    ///
    /// # Errors
    /// Those of the AEAD, which has none for chunks.
    pub fn run(mut self) -> Result<Vec<u8>> {
        let len = self.places.len();
        for (i, place) in self.places.chunks_mut(SEALED_CHUNK_LEN).enumerate() {
            let is_last = self.is_end && (i + 1) * SEALED_CHUNK_LEN >= len;
            self.chunks.seal(self.first + i as u64, is_last, place)?;
        }
        Ok(std::mem::take(&mut *self.places))
    }
}

impl std::fmt::Debug for SealWork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SealWork").field("first", &self.first).finish_non_exhaustive()
    }
}

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
/// What a unit gives is authentic. That it was all only the end tells.
pub struct FileOpener {
    chunks: Arc<Chunks>,
    next: u64,
    held: Vec<u8>,
}

impl FileOpener {
    /// Bytes of a file before its first chunk, by its beginning; none where more of that is needed to say.
    ///
    /// # Errors
    /// [`Error::MalformedHeader`].
    pub fn read_head_len(start: &[u8]) -> Result<Option<usize>> {
        match Header::parse(start)? {
            None if start.len() > header::LEN_MAX => Err(header::TOO_LONG),
            header => Ok(header.map(|header| header.len + SALT_LEN)),
        }
    }

    /// Of a file key that the caller has: of identities that this crate does not have. `head` is everything before the first chunk.
    /// See [`FileSealer::of_stanzas`].
    ///
    /// # Errors
    /// [`Error::MalformedHeader`], [`Error::Truncated`]; [`Error::HeaderNotAuthentic`] where it is another file's key.
    pub fn of_file_key(head: &[u8], file_key: &[u8; FILE_KEY_LEN]) -> Result<Self> {
        let (header, salt) = split_head(head)?;
        judged(&header)?;
        let file_key = Zeroizing::new(*file_key);
        header.check(&file_key)?;
        Self::new(&file_key, salt)
    }

    fn new(file_key: &FileKey, salt: &[u8; SALT_LEN]) -> Result<Self> {
        Ok(Self { chunks: Arc::new(Chunks::new(file_key, salt)?), next: 0, held: Vec::new() })
    }

    /// Takes chunks, as much as the next unit has room for; returns how much that is.
    #[must_use = "what was not taken is to be given again"]
    pub fn fill(&mut self, chunks: &[u8]) -> usize {
        let now = chunks.len().min(UNIT_LEN - self.held.len());
        self.held.extend_from_slice(&chunks[..now]);
        now
    }

    /// The chunks that are whole, but for one that may be the last.
    pub fn take(&mut self) -> Option<OpenWork> {
        let len = self.held.len().saturating_sub(1) / SEALED_CHUNK_LEN * SEALED_CHUNK_LEN;
        (len > 0).then(|| self.work(len, false))
    }

    /// The end of the file, with what was not taken.
    #[must_use]
    pub fn finish(mut self) -> OpenWork {
        self.work(self.held.len(), true)
    }

    /// Opens the chunks from number `first` on, for those who read a part of a file; `is_end` says that the file ends with them.
    ///
    /// # Errors
    /// [`Error::NotAuthentic`]; [`Error::Truncated`].
    pub fn open_at(&self, first: u64, chunks: &[u8], is_end: bool) -> Result<Vec<u8>> {
        let work = OpenWork { chunks: Arc::clone(&self.chunks), first, held: chunks.to_vec(), is_end };
        match work.run() {
            (plaintext, None) => Ok(plaintext),
            (mut plaintext, Some(error)) => {
                plaintext.zeroize();
                Err(error)
            }
        }
    }

    fn work(&mut self, len: usize, is_end: bool) -> OpenWork {
        let rest = self.held.split_off(len);
        let held = std::mem::replace(&mut self.held, rest);
        let first = self.next;
        self.next += (len / SEALED_CHUNK_LEN) as u64;
        OpenWork { chunks: Arc::clone(&self.chunks), first, held, is_end }
    }
}

impl std::fmt::Debug for FileOpener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileOpener").field("next", &self.next).finish_non_exhaustive()
    }
}

impl Encryptor {
    /// Begins a file that comes in parts. Armour is none of its: [`armour`](super::armour) makes it of a file.
    ///
    /// # Errors
    /// As [`encrypt`](Self::encrypt).
    pub fn sealer(&self) -> Result<FileSealer> {
        let (stanzas, file_key) = self.wrap()?;
        FileSealer::new(&stanzas, &file_key)
    }
}

impl Decryptor {
    /// Begins to decrypt a file that comes in parts. `head` is everything before the first chunk.
    ///
    /// # Errors
    /// What is wrong with the header, as of [`decrypt_to`](Self::decrypt_to).
    pub fn opener(&self, head: &[u8]) -> Result<FileOpener> {
        let (header, salt) = split_head(head)?;
        FileOpener::new(&self.unlock(&header)?, salt)
    }

    /// The file key of a header, which may stand alone: for those who open the payload elsewhere.
    ///
    /// ```
    /// use sealstone::interop::age::{Decryptor, Encryptor, FileOpener, Identity};
    ///
    /// let identity = Identity::try_from(sealstone::Identity::generate(sealstone::Kind::X25519)?)?;
    /// let file = Encryptor::new([identity.recipient()]).encrypt(b"attack at dawn")?;
    /// let head = &file[..FileOpener::read_head_len(&file)?.expect("all of it is here")];
    /// let file_key = Decryptor::new([identity]).file_key(head)?;
    /// let opener = FileOpener::of_file_key(head, &file_key)?;
    /// assert_eq!(opener.open_at(0, &file[head.len()..], true)?, b"attack at dawn");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Security
    /// Who has the file key decrypts the file.
    ///
    /// # Errors
    /// As [`opener`](Self::opener).
    pub fn file_key(&self, header: &[u8]) -> Result<Zeroizing<[u8; FILE_KEY_LEN]>> {
        self.unlock(&Header::parse(header)?.ok_or(CUT)?)
    }
}

const CUT: Error = Error::Truncated("it ends within its header");

/// The two parts of all that stands before the first chunk.
fn split_head(head: &[u8]) -> Result<(Header, &[u8; SALT_LEN])> {
    let header = Header::parse(head)?.ok_or(CUT)?;
    let salt = head[header.len..].try_into().map_err(|_| Error::Truncated("it ends before the first chunk"))?;
    Ok((header, salt))
}

/// Consecutive chunks to be opened, on any thread.
pub struct OpenWork {
    chunks: Arc<Chunks>,
    first: u64,
    held: Vec<u8>,
    is_end: bool,
}

impl OpenWork {
    /// Opens them: the plaintext of those before the first that fails, and why it fails.
    #[must_use]
    pub fn run(mut self) -> (Vec<u8>, Option<Error>) {
        // What it remembers of chunks that end too early or too late is of this unit alone.
        let open = Open::new(Arc::clone(&self.chunks), true);
        let len = self.held.len();
        let count = len.div_ceil(SEALED_CHUNK_LEN).max(usize::from(self.is_end));
        let (mut opened, mut result) = (0, Ok(()));
        for i in 0..count {
            let at = i * SEALED_CHUNK_LEN;
            let chunk_len = SEALED_CHUNK_LEN.min(len - at);
            let piece = Piece { index: self.first + i as u64, is_last: self.is_end && i + 1 == count };
            match open.apply(piece, &mut self.held[at..], chunk_len) {
                Ok(plaintext_len) => {
                    self.held.copy_within(at..at + plaintext_len, opened);
                    opened += plaintext_len;
                }
                Err(error) => result = Err(error),
            }
            result = open.finish(result);
            if result.is_err() {
                break;
            }
        }
        self.held[opened..].zeroize();
        self.held.truncate(opened);
        (self.held, result.err())
    }
}

impl std::fmt::Debug for OpenWork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenWork").field("first", &self.first).finish_non_exhaustive()
    }
}

/// Makes room without leaving a copy of a plaintext behind, which growth of a vector would.
fn make_room(places: &mut Zeroizing<Vec<u8>>, len: usize) {
    if places.capacity() - places.len() >= len {
        return;
    }
    let room = (places.len() + len).next_multiple_of(SEALED_CHUNK_LEN);
    let room = if places.is_empty() { room } else { room.max(2 * places.len()) };
    let mut larger = Zeroizing::new(Vec::with_capacity(room));
    larger.extend_from_slice(places);
    *places = larger;
}

/// Takes the first bytes away; those behind them are copied, and erased where they were.
fn split(places: &mut Zeroizing<Vec<u8>>, len: usize) -> Zeroizing<Vec<u8>> {
    let mut rest = Zeroizing::default();
    make_room(&mut rest, places.len() - len);
    rest.extend_from_slice(&places[len..]);
    places[len..].zeroize();
    places.truncate(len);
    std::mem::replace(places, rest)
}

#[cfg(test)]
#[path = "parts_tests.rs"]
mod tests;
