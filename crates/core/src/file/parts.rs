//! Encrypts and decrypts a file in memory, in three ways: as a stream in parts, all at once, or in the caller's memory with the
//! caller's threads.
//!
//! This module does no I/O. [`Encryptor::encrypt`], [`Decryptor::decrypt`] and every binding use it; the bindings bring their
//! own streams and threads.

use super::chunks::{CHUNK_LEN, Chunks, HEAD_LEN, Open, SEALED_CHUNK_LEN, Seal, opened_len, sealed_len};
use super::header::{Flags, START_LEN, header_len};
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

/// Encrypts one file in memory, in one of three ways. Each chunk is sealed once.
///
/// - A stream: [`fill`](Self::fill), [`take`](Self::take) while a unit is full, and [`finish`](Self::finish). Units run on any
///   thread, at the same time. The file is the [`head`](Self::head) and, behind it, the outputs of the units in their order.
/// - All at once, on several threads if that is faster: [`seal_into`](Self::seal_into).
/// - In the caller's memory, with the caller's threads: [`place`](Self::place), or [`unit`](Self::unit).
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
    /// Bytes placed in the caller's memory that are not in a unit yet, with the room for their tags.
    placed: usize,
}

impl FileSealer {
    pub(super) fn new(head: Vec<u8>, chunks: Arc<Chunks>, settings: Settings) -> Self {
        Self { head, chunks: Parts::new(Seal(chunks)), settings, placed: 0 }
    }

    settings_methods!();

    /// The bytes before the first chunk.
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

    /// Takes as much plaintext of a stream as the next unit has room for; returns the number of bytes taken.
    #[must_use = "what was not taken is to be given again"]
    pub fn fill(&mut self, plaintext: &[u8]) -> usize {
        self.chunks.fill(plaintext)
    }

    /// Takes the next unit of a stream, if it is full.
    ///
    /// # Panics
    /// After the last [`unit`](Self::unit).
    pub fn take(&mut self) -> Option<SealWork> {
        self.chunks.take().map(SealWork)
    }

    /// Returns the last unit of a stream, with the remaining plaintext.
    ///
    /// # Panics
    /// After the last [`unit`](Self::unit).
    pub fn finish(self) -> SealWork {
        SealWork(self.chunks.finish())
    }

    /// Encrypts a whole plaintext into memory of the file's length.
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
    /// [`Error::WrongLength`]; [`Error::TooLong`]; [`Error::Cancelled`]. After an error, the memory is all zero.
    ///
    /// # Panics
    /// After the last [`unit`](Self::unit).
    pub fn seal_into(mut self, plaintext: &[u8], file: &mut [u8]) -> Result<()> {
        check_len("the memory of the file", self.file_len(plaintext.len() as u64)?, file.len())?;
        let Self { head, chunks, settings, .. } = &mut self;
        let meter = Meter::new(settings, Some(plaintext.len() as u64));
        let (file_head, places) = file.split_at_mut(head.len());
        file_head.copy_from_slice(head);
        // The last unit may have only a tag.
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

    /// Copies the next part of a plaintext to its place in the memory of the whole file. Returns the chunks that it completed,
    /// and their range in `file`, where the caller seals them. With the last byte of the plaintext, these are all remaining
    /// chunks.
    ///
    /// `file` is the file's memory behind the chunks that were returned last, so that other threads can seal those meanwhile.
    /// At first it is the memory of the whole file, where this function also writes the head.
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
    /// [`Error::WrongLength`] if the memory is too short for the part.
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

    /// Reserves the next chunks in the caller's memory: those of the next `len` bytes of the file. If `len` is a multiple of
    /// [`SEALED_CHUNK_LEN`], more units follow; otherwise this is the last unit. Units may be sealed at the same time and in
    /// any order. Every unit is returned once, since no chunk may be sealed twice.
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
    /// After the last unit, and if the last chunk of `len` bytes has under 16 bytes.
    pub fn unit(&mut self, len: usize) -> SealUnit {
        next_unit(&mut self.chunks, len)
    }

    /// The AEAD and the key that seal this file's chunks, for a host that computes the AEAD itself, such as a browser.
    /// [`SealUnit::nonces`] returns the nonces.
    ///
    /// # Security
    /// The key opens only this file. Wipe every copy of it.
    #[must_use]
    pub fn chunk_key(&self) -> (Algorithm, &[u8]) {
        self.chunks.payload().0.key()
    }

    /// Encrypts a whole plaintext.
    pub(super) fn encrypt(self, plaintext: &[u8]) -> Result<Vec<u8>> {
        let len = usize::try_from(self.file_len(plaintext.len() as u64)?).map_err(|_| Error::TooLong)?;
        // The allocator's new pages are zero already, so no byte is written twice.
        let mut file = vec![0; len];
        self.seal_into(plaintext, &mut file)?;
        Ok(file)
    }
}

debug!(|it: FileSealer| { next: it.chunks.next() });

/// Reserves the chunks of the next `len` bytes of the file.
fn next_unit(chunks: &mut Parts<Seal>, len: usize) -> SealUnit {
    let rest = len % SEALED_CHUNK_LEN;
    assert!(rest == 0 || rest >= TAG_LEN, "parts: a last chunk has a tag");
    let first = chunks.claim(len / SEALED_CHUNK_LEN, rest > 0);
    SealUnit { chunks: Arc::clone(&chunks.payload().0), first, len }
}

/// Consecutive chunks of a file, to be sealed once, on any thread.
///
/// See [`FileSealer::unit`].
pub struct SealUnit {
    chunks: Arc<Chunks>,
    first: u64,
    len: usize,
}

impl SealUnit {
    /// Seals the chunks in `places`, which has the length given to [`FileSealer::unit`]. The place of each chunk has its
    /// plaintext, of [`CHUNK_LEN`] bytes or less for the last chunk, and then 16 bytes of room for the tag.
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

    /// Returns the nonces of the chunks in their order, instead of sealing them. A host with [`FileSealer::chunk_key`] seals
    /// each chunk once, without `aad`, and with the tag behind it. This consumes the unit as sealing does, so no nonce is
    /// returned twice.
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

    /// As [`seal`](Self::seal), with the plaintext in other memory.
    fn seal_from(self, plaintext: &[u8], places: &mut [u8]) -> Result<()> {
        let mut rest = plaintext;
        // Each chunk is sealed while its copy is still in the first-level cache.
        self.seal_with(places, |place| {
            let (now, later) = rest.split_at(place.len());
            place.copy_from_slice(now);
            rest = later;
        })
    }

    fn seal_with(self, places: &mut [u8], mut fill: impl FnMut(&mut [u8])) -> Result<()> {
        check_len("the unit", self.len as u64, places.len())?;
        for (place, index) in places.chunks_mut(SEALED_CHUNK_LEN).zip(self.first..) {
            let len = place.len() - TAG_LEN;
            fill(&mut place[..len]);
            self.chunks.seal(index, place, len)?;
        }
        Ok(())
    }
}

debug!(SealUnit { first, len });

/// A unit of a stream with its plaintext, to be sealed on any thread.
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

debug!(|it: SealWork| { first: it.0.position().0, len: it.0.position().1 });

/// Decrypts one file in memory, in one of three ways.
///
/// - A stream: [`fill`](Self::fill) with the chunks, [`take`](Self::take) while a unit is full, and [`finish`](Self::finish).
///   Units run on any thread, at the same time. The plaintext is the outputs of the units in their order, up to the first
///   failure.
/// - All at once: [`open_into`](Self::open_into), or [`Decryptor::decrypt_in_place`](crate::Decryptor::decrypt_in_place). Both
///   use several threads if that is faster.
/// - In the caller's memory, with the caller's threads: [`place`](Self::place), or [`open`](Self::open).
///
/// # Security
/// An opened chunk is authentic at its place. Only the last chunk shows that the file was not cut off, and it is shorter than
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
    /// Bytes placed in the caller's memory that are not in a unit yet, without tags; `tags` has their tags. The last chunk may
    /// be incomplete.
    placed: usize,
    tags: Vec<u8>,
}

impl FileOpener {
    pub(super) fn new(chunks: Chunks, head_len: usize, settings: Settings) -> Self {
        let chunks = Parts::new(Open(Arc::new(chunks), Flags::default()));
        Self { chunks, head_len, settings, placed: 0, tags: Vec::new() }
    }

    settings_methods!();

    /// The number of first bytes of a file that [`read_head_len`](Self::read_head_len) needs.
    pub const START_LEN: usize = START_LEN;

    /// Reads the [`head_len`](Self::head_len) of a file from its first [`START_LEN`](Self::START_LEN) bytes, or from the whole
    /// file if it is shorter.
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

    /// Bytes of plaintext in `chunks_len` bytes of chunks.
    ///
    /// # Errors
    /// [`Error::Truncated`] when no plaintext has that length; [`Error::TooLong`].
    pub fn plaintext_len(&self, chunks_len: u64) -> Result<u64> {
        opened_len(chunks_len)
    }

    /// Takes as many bytes of a stream's chunks as the next unit has room for; returns their number.
    #[must_use = "what was not taken is to be given again"]
    pub fn fill(&mut self, chunks: &[u8]) -> usize {
        self.chunks.fill(chunks)
    }

    /// Takes the next unit of a stream, if it is full.
    pub fn take(&mut self) -> Option<OpenWork> {
        self.chunks.take().map(OpenWork)
    }

    /// Takes the whole chunks of a stream as a unit, for a reader that waits for more bytes, or gets none.
    pub fn flush(&mut self) -> Option<OpenWork> {
        self.chunks.flush().map(OpenWork)
    }

    /// Returns the last unit of a stream, with the remaining bytes.
    pub fn finish(self) -> OpenWork {
        OpenWork(self.chunks.finish())
    }

    /// Decrypts a whole file into memory of the plaintext's length.
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
    /// [`Error::Cancelled`]. After an error, the memory is all zero.
    pub fn open_into(&self, file: &[u8], plaintext: &mut [u8]) -> Result<()> {
        let chunks = self.chunks_of(file)?;
        check_len("the memory of the plaintext", opened_len(chunks.len() as u64)?, plaintext.len())?;
        let mut places = plaintext.chunks_mut(UNIT_CHUNKS * CHUNK_LEN);
        // The last unit may have only a tag, and no place for a plaintext.
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

    /// Decrypts a whole file in its own memory.
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

    /// Copies the next part of a file's chunks to its place in the memory of the whole plaintext. Returns the chunks that it
    /// completed, and their range in `plaintext`, where the caller opens them. The plaintext is authentic when all units are
    /// opened, including the last ([`is_last`](OpenUnit::is_last)).
    ///
    /// `plaintext` is the plaintext's memory behind the chunks that were returned last, so that other threads can open those
    /// meanwhile.
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
    /// [`Error::WrongLength`] if the plaintext of the chunks is longer than the memory.
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

    /// Decrypts a whole file.
    pub(super) fn decrypt(&self, file: &[u8]) -> Result<Vec<u8>> {
        let len = opened_len(self.chunks_of(file)?.len() as u64)?;
        let mut plaintext = vec![0; usize::try_from(len).map_err(|_| Error::TooLong)?];
        self.open_into(file, &mut plaintext)?;
        Ok(plaintext)
    }

    /// Opens consecutive chunks from number `first` on in the caller's memory. The plaintext of each chunk replaces its
    /// ciphertext: it is the place without the last 16 bytes. If the length of `places` is a multiple of [`SEALED_CHUNK_LEN`],
    /// more chunks follow; otherwise its last chunk ends the file.
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

    /// Returns the nonces of consecutive chunks from number `first` on, instead of [opening](Self::open) them. A host with
    /// [`chunk_key`](Self::chunk_key) opens each chunk without `aad`. `len` is the length of the sealed chunks, as of `places`
    /// in [`open`](Self::open).
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

debug!(FileOpener(..));

/// Consecutive chunks of a file in the caller's memory, to be opened on any thread.
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

    /// Opens the chunks in `places`, which is their range of the plaintext's memory.
    ///
    /// See [`FileOpener::place`].
    ///
    /// # Errors
    /// [`Error::NotAuthentic`] with the lowest chunk that is not, after which `places` is all zero; [`Error::WrongLength`];
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

debug!(OpenUnit { first, len });

/// A unit of a stream, to be opened on any thread.
///
/// See [`FileOpener`].
#[must_use = "a stream without one of its units is no file"]
pub struct OpenWork(Unit<Open>);

impl OpenWork {
    /// Opens the unit; returns its plaintext up to the first chunk that does not open, and that chunk's error. Units behind a
    /// failed unit fail too.
    ///
    /// The errors are those of [`FileOpener::open`]; the last unit of a stream without a last chunk returns
    /// [`Error::Truncated`].
    #[must_use]
    pub fn run(self) -> (Vec<u8>, Option<Error>) {
        self.0.run()
    }
}

debug!(|it: OpenWork| { first: it.0.position().0, len: it.0.position().1 });

/// Moves the plaintexts in the places from `at` on to the beginning, without gaps.
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

/// Checks the length of the caller's memory.
fn check_len(what: &'static str, expected: u64, actual: usize) -> Result<()> {
    if actual as u64 == expected {
        return Ok(());
    }
    let expected = usize::try_from(expected).map_err(|_| Error::TooLong)?;
    Err(Error::WrongLength { what, expected, actual })
}

/// Calls `work` with each item, on several threads; returns the results in the order of the items.
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
