//! A file in memory, in three ways: a stream in parts, all at once, or in memory of the caller's with the caller's threads.
//!
//! It does no I/O. [`Encryptor::encrypt`] and [`Decryptor::decrypt`] work so, and so does every binding: those bring their own streams
//! and threads.

use super::chunks::{CHUNK_LEN, Chunks, HEAD_LEN, Open, SEALED_CHUNK_LEN, Seal, opened_len, sealed_len};
use super::header::{START_LEN, header_len};
use crate::aead::{Algorithm, NONCE_LEN, TAG_LEN};
use crate::error::{Error, Result};
use crate::format::parts::UNIT_CHUNKS;
use crate::format::{Parts, Unit, settings_methods};
use crate::pipeline::{Meter, Settings, run_each, run_memory};
use std::iter;
use std::ops::Range;
use std::sync::Arc;
use zeroize::{Zeroize, Zeroizing};

const UNIT_LEN: usize = UNIT_CHUNKS * SEALED_CHUNK_LEN;
/// Bytes of plaintext in a full unit of a stream.
pub(super) const UNIT_PLAINTEXT_LEN: usize = UNIT_CHUNKS * CHUNK_LEN;

/// Encrypts one file in memory, in one of three ways; each chunk is sealed once.
///
/// - A stream: [`fill`](Self::fill), [`take`](Self::take) while a unit is full, and [`finish`](Self::finish). Units run on any
///   thread, at the same time; what they give is the file behind its [`head`](Self::head), in the order of the units.
/// - All at once, on several threads where that pays: [`seal_into`](Self::seal_into).
/// - Memory of the caller's, with the caller's threads: [`place`](Self::place), or [`unit`](Self::unit).
///
/// ```
/// use sealstone::{Decryptor, Encryptor, Identity, Kind};
///
/// let identity = Identity::generate(Kind::X25519)?;
/// let mut sealer = Encryptor::new([identity.recipient()]).sealer()?;
/// let mut file = sealer.head().to_vec();
/// let mut plaintext = &[7; 1_000_000][..];
/// while !plaintext.is_empty() {
///     plaintext = &plaintext[sealer.fill(plaintext)..];
///     if let Some(unit) = sealer.take() {
///         file.extend(unit.run()?);
///     }
/// }
/// file.extend(sealer.finish().run()?);
/// assert_eq!(Decryptor::new([identity]).decrypt(&file)?, [7; 1_000_000]);
/// # Ok::<(), sealstone::Error>(())
/// ```
pub struct FileSealer {
    head: Vec<u8>,
    chunks: Parts<Seal>,
    settings: Settings,
    /// Bytes that were placed in the caller's memory and are not in a unit, with the room for their tags.
    placed: usize,
}

impl FileSealer {
    pub(super) fn new(head: Vec<u8>, chunks: Arc<Chunks>, settings: Settings) -> Self {
        Self { head, chunks: Parts::new(Seal(chunks)), settings, placed: 0 }
    }

    settings_methods!();

    /// Everything before the first chunk.
    #[must_use]
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The length in bytes of the file for a plaintext of this length.
    ///
    /// # Errors
    /// [`Error::TooLong`] at 4 PiB.
    pub fn file_len(&self, plaintext_len: u64) -> Result<u64> {
        Ok(self.head.len() as u64 + sealed_len(plaintext_len)?)
    }

    /// Takes plaintext of a stream, as much as the next unit has room for; returns how much that is.
    #[must_use = "what was not taken is to be given again"]
    pub fn fill(&mut self, plaintext: &[u8]) -> usize {
        self.chunks.fill(plaintext)
    }

    /// The next unit of a stream, if it is full.
    ///
    /// # Panics
    /// After the last [`unit`](Self::unit).
    pub fn take(&mut self) -> Option<SealWork> {
        self.chunks.take().map(SealWork)
    }

    /// The last unit of a stream, with what was not taken.
    ///
    /// # Panics
    /// After the last [`unit`](Self::unit).
    pub fn finish(self) -> SealWork {
        SealWork(self.chunks.finish())
    }

    /// Encrypts all of a plaintext into memory that has the file's length.
    ///
    /// ```
    /// use sealstone::{Decryptor, Encryptor, Identity, Kind};
    ///
    /// let identity = Identity::generate(Kind::X25519)?;
    /// let sealer = Encryptor::new([identity.recipient()]).sealer()?;
    /// let mut file = vec![0; usize::try_from(sealer.file_len(14)?).unwrap()];
    /// sealer.seal_into(b"attack at dawn", &mut file)?;
    /// assert_eq!(Decryptor::new([identity]).decrypt(&file)?, b"attack at dawn");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::TooLong`]; [`Error::Cancelled`]. The memory is all zero then.
    ///
    /// # Panics
    /// After the last [`unit`](Self::unit).
    pub fn seal_into(mut self, plaintext: &[u8], file: &mut [u8]) -> Result<()> {
        check_len("the memory of the file", self.file_len(plaintext.len() as u64)?, file.len())?;
        let Self { head, chunks, settings, .. } = &mut self;
        let meter = Meter::new(settings, Some(plaintext.len() as u64));
        let (file_head, places) = file.split_at_mut(head.len());
        file_head.copy_from_slice(head);
        // The last unit may have nothing but a tag.
        let parts = plaintext.chunks(UNIT_CHUNKS * CHUNK_LEN).chain(iter::once(&[][..]));
        let work = places
            .chunks_mut(UNIT_LEN)
            .zip(parts)
            .map(|(places, part)| (next_unit(chunks, places.len()), places, part));
        let sealed = run_memory(
            work,
            plaintext.len(),
            &meter,
            || (),
            |(), (unit, places, part)| {
                unit.seal_from(part, places)?;
                Ok(part.len())
            },
        );
        sealed.inspect_err(|_| file.zeroize())
    }

    /// Takes the next part of a plaintext, into memory that in the end has the whole file; returns the chunks that became whole, and
    /// where in `file` they lie, to be sealed there. With the last byte of the plaintext these are all chunks that are left.
    ///
    /// `file` is the file's memory without the bytes before the end of the chunks that were returned last, so that those may be
    /// sealed meanwhile on other threads. It begins with the file itself, whose head this puts there.
    ///
    /// ```
    /// use sealstone::{Decryptor, Encryptor, Identity, Kind};
    ///
    /// let identity = Identity::generate(Kind::X25519)?;
    /// let mut sealer = Encryptor::new([identity.recipient()]).sealer()?;
    /// let mut file = vec![0; usize::try_from(sealer.file_len(1_000_000)?).unwrap()];
    /// let mut rest = &mut file[..];
    /// for part in [7; 1_000_000].chunks(100_000) {
    ///     if let Some((unit, place)) = sealer.place(part, rest)? {
    ///         let (now, later) = rest.split_at_mut(place.end);
    ///         unit.seal(&mut now[place])?;
    ///         rest = later;
    ///     }
    /// }
    /// assert!(rest.is_empty());
    /// assert_eq!(Decryptor::new([identity]).decrypt(&file)?, [7; 1_000_000]);
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongLength`] where the memory is too short for the part.
    ///
    /// # Panics
    /// After the last [`unit`](Self::unit).
    pub fn place(&mut self, part: &[u8], file: &mut [u8]) -> Result<Option<(SealUnit, Range<usize>)>> {
        let head = if self.chunks.next() == Some(0) { &self.head[..] } else { &[] };
        let (at, actual) = (head.len(), file.len());
        let too_short = |expected| Error::WrongLength { what: "the memory of the file", expected, actual };
        let (start, chunks) = file.split_at_mut_checked(at).ok_or(too_short(at))?;
        start.copy_from_slice(head);
        let mut rest = part;
        while !rest.is_empty() {
            let room = CHUNK_LEN - self.placed % SEALED_CHUNK_LEN;
            let (now, later) = rest.split_at(rest.len().min(room));
            let end = self.placed + now.len();
            chunks.get_mut(self.placed..end).ok_or(too_short(at + end))?.copy_from_slice(now);
            self.placed += now.len() + if now.len() == room { TAG_LEN } else { 0 };
            rest = later;
        }
        let is_end = self.placed + TAG_LEN == chunks.len();
        let len = if is_end { chunks.len() } else { self.placed - self.placed % SEALED_CHUNK_LEN };
        self.placed = self.placed.saturating_sub(len);
        Ok((len > 0).then(|| (self.unit(len), at..at + len)))
    }

    /// The next chunks in memory of the caller's, those that `len` bytes of the file hold. A multiple of [`SEALED_CHUNK_LEN`] is
    /// followed by more; any other length is that of the last unit. Units may be sealed at the same time and in any order; each is
    /// given out once, since no chunk may be sealed twice.
    ///
    /// ```
    /// use sealstone::{Decryptor, Encryptor, Identity, Kind};
    ///
    /// let identity = Identity::generate(Kind::X25519)?;
    /// let mut sealer = Encryptor::new([identity.recipient()]).sealer()?;
    /// let mut chunk = b"attack at dawn".to_vec();
    /// chunk.resize(14 + 16, 0);
    /// sealer.unit(chunk.len()).seal(&mut chunk)?;
    /// let file = [sealer.head(), &chunk].concat();
    /// assert_eq!(Decryptor::new([identity]).decrypt(&file)?, b"attack at dawn");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Panics
    /// After the last unit, and for a length that no unit has: a part of a chunk has at least 16 bytes.
    pub fn unit(&mut self, len: usize) -> SealUnit {
        next_unit(&mut self.chunks, len)
    }

    /// The AEAD and the key that seal this file's chunks, for a host that computes the AEAD itself, such as a browser:
    /// [`SealUnit::nonces`] has what else it needs.
    ///
    /// # Security
    /// The key opens this file alone. Wipe what is copied of it.
    #[must_use]
    pub fn chunk_key(&self) -> (Algorithm, &[u8]) {
        self.chunks.payload().0.key()
    }

    /// Encrypts all of a plaintext.
    pub(super) fn encrypt(self, plaintext: &[u8]) -> Result<Vec<u8>> {
        let len = usize::try_from(self.file_len(plaintext.len() as u64)?).map_err(|_| Error::TooLong)?;
        // Fresh pages of the allocator, zero already: nothing is written twice.
        let mut file = vec![0; len];
        self.seal_into(plaintext, &mut file)?;
        Ok(file)
    }
}

impl std::fmt::Debug for FileSealer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileSealer").field("next", &self.chunks.next()).finish_non_exhaustive()
    }
}

/// The next chunks, those that `len` bytes of the file hold.
fn next_unit(chunks: &mut Parts<Seal>, len: usize) -> SealUnit {
    let rest = len % SEALED_CHUNK_LEN;
    assert!(rest == 0 || rest >= TAG_LEN, "parts: a last chunk has a tag");
    let first = chunks.claim(len / SEALED_CHUNK_LEN, rest > 0);
    SealUnit { chunks: Arc::clone(&chunks.payload().0), first, len }
}

/// Some consecutive chunks of a file that is being encrypted, to be sealed once, on any thread.
///
/// See [`FileSealer::unit`].
pub struct SealUnit {
    chunks: Arc<Chunks>,
    first: u64,
    len: usize,
}

impl SealUnit {
    /// Seals the chunks in `places`, which has the length that was asked for and the plaintext of each chunk at the beginning
    /// of its place, [`CHUNK_LEN`] bytes and 16 bytes of room for the tag.
    ///
    /// ```
    /// use sealstone::chunked::{CHUNK_LEN, SEALED_CHUNK_LEN};
    /// use sealstone::{Decryptor, Encryptor, Identity, Kind};
    ///
    /// let identity = Identity::generate(Kind::X25519)?;
    /// let mut sealer = Encryptor::new([identity.recipient()]).sealer()?;
    /// let mut file = sealer.head().to_vec();
    /// let at = file.len();
    /// file.resize(at + SEALED_CHUNK_LEN + 16, 7);
    /// sealer.unit(SEALED_CHUNK_LEN + 16).seal(&mut file[at..])?;
    /// assert_eq!(Decryptor::new([identity]).decrypt(&file)?, [7; CHUNK_LEN]);
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLong`] at 4 PiB; [`Error::WrongLength`].
    pub fn seal(self, places: &mut [u8]) -> Result<()> {
        self.seal_with(places, |_| ())
    }

    /// The nonces of the chunks, in their order, in place of sealing them: a host that has [`FileSealer::chunk_key`] seals each
    /// once, with no `aad` and with its tag behind it. The unit ends here as by sealing, so no nonce is given out twice.
    ///
    /// ```
    /// use sealstone::aead::Aead;
    /// use sealstone::{Decryptor, Encryptor, Identity, Kind};
    ///
    /// let identity = Identity::generate(Kind::X25519)?;
    /// let mut sealer = Encryptor::new([identity.recipient()]).sealer()?;
    /// let (algorithm, key) = sealer.chunk_key();
    /// let host = Aead::new(algorithm, key)?;
    /// let nonces = sealer.unit(14 + 16).nonces()?;
    /// let chunk = host.seal(&nonces[0], b"", b"attack at dawn")?;
    /// let file = [sealer.head(), &chunk].concat();
    /// assert_eq!(Decryptor::new([identity]).decrypt(&file)?, b"attack at dawn");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLong`] at 4 PiB.
    pub fn nonces(self) -> Result<Vec<[u8; NONCE_LEN]>> {
        self.chunks.nonces(self.first, self.len)
    }

    /// As [`seal`](Self::seal), of plaintext that is elsewhere.
    fn seal_from(self, plaintext: &[u8], places: &mut [u8]) -> Result<()> {
        let mut rest = plaintext;
        // Each chunk is sealed while its copy is in the first-level cache.
        self.seal_with(places, |place| {
            let (now, later) = rest.split_at(place.len());
            place.copy_from_slice(now);
            rest = later;
        })
    }

    fn seal_with(self, places: &mut [u8], mut bring: impl FnMut(&mut [u8])) -> Result<()> {
        check_len("the unit", self.len as u64, places.len())?;
        for (place, index) in places.chunks_mut(SEALED_CHUNK_LEN).zip(self.first..) {
            let len = place.len() - TAG_LEN;
            bring(&mut place[..len]);
            self.chunks.seal(index, place, len)?;
        }
        Ok(())
    }
}

impl std::fmt::Debug for SealUnit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SealUnit").field("first", &self.first).field("len", &self.len).finish_non_exhaustive()
    }
}

/// A unit of a stream that is being encrypted, with its plaintext: work for any thread.
///
/// See [`FileSealer`].
#[must_use = "a stream without one of its units is no file"]
pub struct SealWork(Unit<Seal>);

impl SealWork {
    /// Seals the unit; returns its part of the file.
    ///
    /// # Errors
    /// [`Error::TooLong`] at 4 PiB.
    pub fn run(self) -> Result<Vec<u8>> {
        let (file, failure) = self.0.run();
        failure.map_or(Ok(file), Err)
    }
}

impl std::fmt::Debug for SealWork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (first, len) = self.0.position();
        f.debug_struct("SealWork").field("first", &first).field("len", &len).finish_non_exhaustive()
    }
}

/// Decrypts one file in memory, in one of three ways.
///
/// - A stream: [`fill`](Self::fill) with the chunks, [`take`](Self::take) while a unit is full, and [`finish`](Self::finish). Units
///   run on any thread, at the same time; what they give is the plaintext, in the order of the units, up to the first failure.
/// - All at once: [`open_into`](Self::open_into), or [`Decryptor::decrypt_in_place`](crate::Decryptor::decrypt_in_place). Both use several threads where that pays.
/// - Memory of the caller's, with the caller's threads: [`place`](Self::place), or [`open`](Self::open).
///
/// # Security
/// An opened chunk is authentic at its place. Only the last chunk shows that nothing was cut off, and that one is shorter than
/// [`SEALED_CHUNK_LEN`].
///
/// ```
/// use sealstone::{Decryptor, Encryptor, FileOpener, Identity, Kind};
///
/// let identity = Identity::generate(Kind::X25519)?;
/// let file = Encryptor::new([identity.recipient()]).encrypt(&[7; 1_000_000])?;
/// let head_len = FileOpener::read_head_len(&file[..FileOpener::START_LEN])?;
/// let mut opener = Decryptor::new([identity]).opener(&file[..head_len])?;
/// let (mut chunks, mut plaintext) = (&file[head_len..], Vec::new());
/// while !chunks.is_empty() {
///     chunks = &chunks[opener.fill(chunks)..];
///     if let Some(unit) = opener.take() {
///         let (bytes, failure) = unit.run();
///         plaintext.extend(bytes);
///         failure.map_or(Ok(()), Err)?;
///     }
/// }
/// let (bytes, failure) = opener.finish().run();
/// plaintext.extend(bytes);
/// failure.map_or(Ok(()), Err)?;
/// assert_eq!(plaintext, [7; 1_000_000]);
/// # Ok::<(), sealstone::Error>(())
/// ```
pub struct FileOpener {
    chunks: Parts<Open>,
    head_len: usize,
    settings: Settings,
    /// Of the chunks that were placed in the caller's memory and are not in a unit, the last perhaps in part: bytes without tags, and
    /// the tags.
    placed: usize,
    tags: Vec<u8>,
}

impl FileOpener {
    pub(super) fn new(chunks: Chunks, head_len: usize, settings: Settings) -> Self {
        let chunks = Parts::new(Open(Arc::new(chunks)));
        Self { chunks, head_len, settings, placed: 0, tags: Vec::new() }
    }

    settings_methods!();

    /// Bytes of a file that [`read_head_len`](Self::read_head_len) looks at.
    pub const START_LEN: usize = START_LEN;

    /// The [`head_len`](Self::head_len) of a file, read from the first [`START_LEN`](Self::START_LEN) bytes of a file, or
    /// from all there are.
    ///
    /// # Errors
    /// [`Error::NotSealstone`], [`Error::UnsupportedVersion`], [`Error::UnsupportedSuite`], [`Error::MalformedHeader`],
    /// [`Error::Truncated`]. It takes no armour.
    pub fn read_head_len(start: &[u8]) -> Result<usize> {
        Ok(header_len(start)? + HEAD_LEN)
    }

    /// Bytes before the first chunk of this file.
    #[must_use]
    pub fn head_len(&self) -> usize {
        self.head_len
    }

    /// Bytes of plaintext in so many bytes of chunks.
    ///
    /// # Errors
    /// [`Error::Truncated`] when no plaintext has that length; [`Error::TooLong`].
    pub fn plaintext_len(&self, chunks_len: u64) -> Result<u64> {
        opened_len(chunks_len)
    }

    /// Takes chunks of a stream, as much as the next unit has room for; returns how much that is.
    #[must_use = "what was not taken is to be given again"]
    pub fn fill(&mut self, chunks: &[u8]) -> usize {
        self.chunks.fill(chunks)
    }

    /// The next unit of a stream, if it is full.
    pub fn take(&mut self) -> Option<OpenWork> {
        self.chunks.take().map(OpenWork)
    }

    /// The chunks of a stream that are whole, for a reader that waits for more, or has to do without.
    pub fn flush(&mut self) -> Option<OpenWork> {
        self.chunks.flush().map(OpenWork)
    }

    /// The last unit of a stream, with what was not taken.
    pub fn finish(self) -> OpenWork {
        OpenWork(self.chunks.finish())
    }

    /// Decrypts all of a file into memory that has the plaintext's length.
    ///
    /// ```
    /// use sealstone::{Decryptor, Encryptor, Identity, Kind};
    ///
    /// let identity = Identity::generate(Kind::X25519)?;
    /// let file = Encryptor::new([identity.recipient()]).encrypt(b"attack at dawn")?;
    /// let mut plaintext = [0; 14];
    /// Decryptor::new([identity]).opener(&file)?.open_into(&file, &mut plaintext)?;
    /// assert_eq!(&plaintext, b"attack at dawn");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Truncated`]; [`Error::NotAuthentic`] with the lowest chunk that is not; [`Error::WrongLength`];
    /// [`Error::Cancelled`]. The memory is all zero then.
    pub fn open_into(&self, file: &[u8], plaintext: &mut [u8]) -> Result<()> {
        let chunks = self.chunks_of(file)?;
        check_len("the memory of the plaintext", opened_len(chunks.len() as u64)?, plaintext.len())?;
        let mut places = plaintext.chunks_mut(UNIT_CHUNKS * CHUNK_LEN);
        // The last unit may have nothing but a tag, and no place for a plaintext.
        let units = chunks.chunks(UNIT_LEN).zip((0..).step_by(UNIT_CHUNKS));
        let units = units.map(|(chunks, first)| (first, chunks, places.next().unwrap_or_default()));
        let place = || Zeroizing::new(vec![0; chunks.len().min(SEALED_CHUNK_LEN)]);
        let opened = run_memory(units, chunks.len(), &self.meter(chunks.len()), place, |place, unit| {
            let (first, chunks, places): (u64, &[u8], &mut [u8]) = unit;
            let mut places = places.chunks_mut(CHUNK_LEN);
            for (chunk, index) in chunks.chunks(SEALED_CHUNK_LEN).zip(first..) {
                place[..chunk.len()].copy_from_slice(chunk);
                let len = self.chunks.payload().0.open_chunk(index, place, chunk.len())?;
                places.next().unwrap_or_default().copy_from_slice(&place[..len]);
            }
            Ok(chunks.len())
        });
        opened.inspect_err(|_| plaintext.zeroize())
    }

    /// Decrypts all of a file where it lies.
    pub(super) fn open_in_place(&self, file: Vec<u8>) -> Result<Vec<u8>> {
        let mut file = Zeroizing::new(file);
        let len = self.chunks_of(&file)?.len();
        opened_len(len as u64)?;
        let units = file[self.head_len..].chunks_mut(UNIT_LEN).zip((0..).step_by(UNIT_CHUNKS));
        run_memory(
            units,
            len,
            &self.meter(len),
            || (),
            |(), (places, first)| {
                self.open(first, places)?;
                Ok(places.len())
            },
        )?;
        gather(&mut file, self.head_len);
        Ok(std::mem::take(&mut *file))
    }

    /// Takes the next part of the chunks of a file, into memory that in the end has the whole plaintext; returns the chunks that became
    /// whole, and where in `plaintext` they lie, to be opened there. The plaintext is authentic when all units have been opened, the
    /// last of which [`is_last`](OpenUnit::is_last).
    ///
    /// `plaintext` is the plaintext's memory without the bytes before the end of the chunks that were returned last, so that those may
    /// be opened meanwhile on other threads.
    ///
    /// ```
    /// use sealstone::{Decryptor, Encryptor, Identity, Kind};
    ///
    /// let identity = Identity::generate(Kind::X25519)?;
    /// let file = Encryptor::new([identity.recipient()]).encrypt(&[7; 1_000_000])?;
    /// let mut opener = Decryptor::new([identity]).opener(&file)?;
    /// let chunks = &file[opener.head_len()..];
    /// let mut plaintext = vec![0; usize::try_from(opener.plaintext_len(chunks.len() as u64)?).unwrap()];
    /// let (mut rest, mut is_whole) = (&mut plaintext[..], false);
    /// for part in chunks.chunks(100_000) {
    ///     if let Some((unit, place)) = opener.place(part, rest)? {
    ///         let (now, later) = rest.split_at_mut(place.end);
    ///         is_whole = unit.is_last();
    ///         unit.open(&mut now[place])?;
    ///         rest = later;
    ///     }
    /// }
    /// assert!(is_whole);
    /// assert_eq!(plaintext, [7; 1_000_000]);
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongLength`] for more than the chunks of a plaintext that fills the memory.
    pub fn place(&mut self, part: &[u8], plaintext: &mut [u8]) -> Result<Option<(OpenUnit, Range<usize>)>> {
        let mut rest = part;
        while !rest.is_empty() {
            let whole = self.tags.len() / TAG_LEN;
            let end = plaintext.len().min((whole + 1) * CHUNK_LEN);
            if end < whole * CHUNK_LEN {
                let (expected, actual) = (part.len() - rest.len(), part.len());
                return Err(Error::WrongLength { what: "the chunks", expected, actual });
            }
            let text_len = rest.len().min(end - self.placed);
            plaintext[self.placed..][..text_len].copy_from_slice(&rest[..text_len]);
            self.placed += text_len;
            let tag_room = if self.placed == end { TAG_LEN - self.tags.len() % TAG_LEN } else { 0 };
            let tag_len = tag_room.min(rest.len() - text_len);
            self.tags.extend_from_slice(&rest[text_len..][..tag_len]);
            rest = &rest[text_len + tag_len..];
        }
        let whole = self.tags.len() / TAG_LEN;
        let len = self.placed.min(whole * CHUNK_LEN);
        let later = self.tags.split_off(whole * TAG_LEN);
        let tags = std::mem::replace(&mut self.tags, later);
        self.placed -= len;
        let chunks = Arc::clone(&self.chunks.payload().0);
        Ok((whole > 0).then(|| (OpenUnit { chunks, first: self.chunks.claim(whole, false), tags, len }, 0..len)))
    }

    /// Decrypts all of a file.
    pub(super) fn decrypt(&self, file: &[u8]) -> Result<Vec<u8>> {
        let len = opened_len(self.chunks_of(file)?.len() as u64)?;
        let mut plaintext = vec![0; usize::try_from(len).map_err(|_| Error::TooLong)?];
        self.open_into(file, &mut plaintext)?;
        Ok(plaintext)
    }

    /// Opens consecutive chunks from number `first` on in memory of the caller's, each where it lies: the plaintext of each is the
    /// first bytes of its place, all but the last 16. A multiple of [`SEALED_CHUNK_LEN`] is followed by more; any other length
    /// ends the file.
    ///
    /// ```
    /// use sealstone::{Decryptor, Encryptor, Identity, Kind};
    ///
    /// let identity = Identity::generate(Kind::X25519)?;
    /// let mut file = Encryptor::new([identity.recipient()]).encrypt(b"attack at dawn")?;
    /// let opener = Decryptor::new([identity]).opener(&file)?;
    /// let chunk = &mut file[opener.head_len()..];
    /// opener.open(0, chunk)?;
    /// assert_eq!(&chunk[..14], b"attack at dawn");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotAuthentic`] with the lowest chunk that is not, whose place is cleared; [`Error::Truncated`] for a last
    /// chunk of under 16 bytes; [`Error::TooLong`].
    pub fn open(&self, first: u64, places: &mut [u8]) -> Result<()> {
        for (place, index) in places.chunks_mut(SEALED_CHUNK_LEN).zip(first..) {
            let len = place.len();
            self.chunks.payload().0.open_chunk(index, place, len)?;
        }
        Ok(())
    }

    /// The AEAD and the key that open this file's chunks, as [`FileSealer::chunk_key`].
    #[must_use]
    pub fn chunk_key(&self) -> (Algorithm, &[u8]) {
        self.chunks.payload().0.key()
    }

    /// The nonces of consecutive chunks from number `first` on, in place of [opening](Self::open) them: a host that has
    /// [`chunk_key`](Self::chunk_key) opens each, with no `aad`. `len` bytes of the file hold them, as `places` there.
    ///
    /// ```
    /// use sealstone::aead::Aead;
    /// use sealstone::{Decryptor, Encryptor, Identity, Kind};
    ///
    /// let identity = Identity::generate(Kind::X25519)?;
    /// let file = Encryptor::new([identity.recipient()]).encrypt(b"attack at dawn")?;
    /// let opener = Decryptor::new([identity]).opener(&file)?;
    /// let (algorithm, key) = opener.chunk_key();
    /// let chunk = &file[opener.head_len()..];
    /// let nonces = opener.nonces(0, chunk.len())?;
    /// assert_eq!(Aead::new(algorithm, key)?.open(&nonces[0], b"", chunk)?, b"attack at dawn");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Truncated`] for a last chunk of under 16 bytes; [`Error::TooLong`].
    pub fn nonces(&self, first: u64, len: usize) -> Result<Vec<[u8; NONCE_LEN]>> {
        if !len.is_multiple_of(SEALED_CHUNK_LEN) {
            opened_len(len as u64)?;
        }
        self.chunks.payload().0.nonces(first, len)
    }

    fn chunks_of<'a>(&self, file: &'a [u8]) -> Result<&'a [u8]> {
        file.get(self.head_len..).ok_or(Error::Truncated("it ends before the first chunk"))
    }

    fn meter(&self, len: usize) -> Meter<'_> {
        Meter::new(&self.settings, Some(len as u64))
    }
}

impl std::fmt::Debug for FileOpener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileOpener").finish_non_exhaustive()
    }
}

/// Some consecutive chunks of a file that is being decrypted, in memory of the caller's: work for any thread.
///
/// See [`FileOpener::place`].
#[must_use = "a plaintext without one of its units is not authentic"]
pub struct OpenUnit {
    chunks: Arc<Chunks>,
    first: u64,
    tags: Vec<u8>,
    len: usize,
}

impl OpenUnit {
    /// Whether the file ends with these chunks.
    ///
    /// See [`FileOpener::place`].
    #[must_use]
    pub fn is_last(&self) -> bool {
        self.len < self.tags.len() / TAG_LEN * CHUNK_LEN
    }

    /// Opens the chunks in `places`, their part of the plaintext's memory.
    ///
    /// See [`FileOpener::place`].
    ///
    /// # Errors
    /// [`Error::NotAuthentic`] with the lowest chunk that is not; then `places` is all zero. [`Error::WrongLength`];
    /// [`Error::TooLong`].
    pub fn open(self, places: &mut [u8]) -> Result<()> {
        check_len("the unit", self.len as u64, places.len())?;
        let mut rest = &mut *places;
        for (tag, index) in self.tags.chunks_exact(TAG_LEN).zip(self.first..) {
            let (place, later) = rest.split_at_mut(rest.len().min(CHUNK_LEN));
            let tag = tag.try_into().expect("parts: a tag has 16 bytes");
            if let Err(error) = self.chunks.open_separate(index, place, tag) {
                places.zeroize();
                return Err(error);
            }
            rest = later;
        }
        Ok(())
    }
}

impl std::fmt::Debug for OpenUnit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenUnit").field("first", &self.first).field("len", &self.len).finish_non_exhaustive()
    }
}

/// A unit of a stream that is being decrypted: work for any thread.
///
/// See [`FileOpener`].
#[must_use = "a stream without one of its units is no file"]
pub struct OpenWork(Unit<Open>);

impl OpenWork {
    /// Opens the unit; returns its part of the plaintext, up to the first chunk that does not open, and the error of that one.
    /// Behind a unit that failed, others fail too.
    ///
    /// The errors are those of [`FileOpener::open`]; the last unit of a stream is [`Error::Truncated`] where it has no last chunk.
    #[must_use]
    pub fn run(self) -> (Vec<u8>, Option<Error>) {
        self.0.run()
    }
}

impl std::fmt::Debug for OpenWork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (first, len) = self.0.position();
        f.debug_struct("OpenWork").field("first", &first).field("len", &len).finish_non_exhaustive()
    }
}

/// Moves the plaintexts in the places from `at` on together, to the beginning.
fn gather(memory: &mut Vec<u8>, mut at: usize) {
    let mut to = 0;
    while at < memory.len() {
        let len = (memory.len() - at).min(SEALED_CHUNK_LEN) - TAG_LEN;
        memory.copy_within(at..at + len, to);
        to += len;
        at += SEALED_CHUNK_LEN;
    }
    memory[to..].zeroize();
    memory.truncate(to);
}

/// Checks a length of memory of the caller's.
fn check_len(what: &'static str, expected: u64, actual: usize) -> Result<()> {
    if actual as u64 == expected {
        return Ok(());
    }
    let expected = usize::try_from(expected).map_err(|_| Error::TooLong)?;
    Err(Error::WrongLength { what, expected, actual })
}

/// Works on each item, on several threads; returns the results in the order of the items.
pub(super) fn batch<'a>(
    items: impl IntoIterator<Item = &'a [u8]>,
    settings: &Settings,
    work: impl Fn(&[u8]) -> Result<Vec<u8>> + Sync,
) -> Result<Vec<Result<Vec<u8>>>> {
    let items: Vec<&[u8]> = items.into_iter().collect();
    let mut results: Vec<_> = items.iter().map(|_| Ok(Vec::new())).collect();
    let meter = Meter::new(settings, Some(items.iter().map(|item| item.len() as u64).sum()));
    run_each(items.iter().zip(&mut results), &meter, |(item, result)| {
        *result = work(item);
        Ok(item.len())
    })?;
    Ok(results)
}

#[cfg(test)]
#[path = "parts_tests.rs"]
mod tests;
