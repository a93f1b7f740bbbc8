//! A file in parts, without I/O: its head, and then its chunks, a unit of them at a time, on whatever threads there are.
//!
//! It is the machine under bindings that bring their own memory, threads and streams.

use super::chunked::{ChunkedKey, Chunks, HEAD_LEN, SEALED_CHUNK_LEN, opened_len, sealed_len};
use super::header::{START_LEN, header_len};
use super::{Decryptor, Encryptor};
use crate::aead::TAG_LEN;
use crate::error::{Error, Result};
use std::sync::Arc;

/// Encrypts one file in the caller's memory: its head, and units of its chunks.
///
/// The chunks are sealed where they lie. Memory that has the form of the finished file, with the plaintext of each chunk at
/// the beginning of the chunk's place, becomes that file; units may be sealed at the same time and in any order. Each is given
/// out once, since no chunk may be sealed twice.
///
/// ```
/// use sealstone::{Decryptor, Encryptor, Identity, Kind};
///
/// let identity = Identity::generate(Kind::X25519)?;
/// let mut sealer = Encryptor::new([identity.recipient()]).sealer()?;
/// let mut file = sealer.head().to_vec();
/// let mut chunk = b"attack at dawn".to_vec();
/// chunk.resize(14 + 16, 0);
/// sealer.unit(chunk.len()).seal(&mut chunk)?;
/// file.extend(chunk);
/// assert_eq!(file.len() as u64, sealer.file_len(14)?);
/// assert_eq!(Decryptor::new([identity]).decrypt(&file)?, b"attack at dawn");
/// # Ok::<(), sealstone::Error>(())
/// ```
pub struct FileSealer {
    head: Vec<u8>,
    chunks: Arc<Chunks>,
    /// The next chunk; `None` after the last.
    next: Option<u64>,
}

impl FileSealer {
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

    /// The next chunks, those that `len` bytes of the file hold. A multiple of [`SEALED_CHUNK_LEN`] is followed by more; any
    /// other length is that of the last unit.
    ///
    /// # Panics
    /// After the last unit, and for a length that no unit has: a part of a chunk has at least 16 bytes.
    pub fn unit(&mut self, len: usize) -> SealUnit {
        let first = self.next.expect("parts: there is no unit after the last");
        let rest = len % SEALED_CHUNK_LEN;
        assert!(rest == 0 || rest >= TAG_LEN, "parts: a last chunk has a tag");
        self.next = (rest == 0).then_some(first + (len / SEALED_CHUNK_LEN) as u64);
        SealUnit { chunks: Arc::clone(&self.chunks), first, len }
    }
}

impl std::fmt::Debug for FileSealer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileSealer").field("next", &self.next).finish_non_exhaustive()
    }
}

/// Some consecutive chunks of a file that is being encrypted, to be sealed once, on any thread.
///
/// See [`FileSealer`].
pub struct SealUnit {
    chunks: Arc<Chunks>,
    first: u64,
    len: usize,
}

impl SealUnit {
    /// Seals the chunks in `places`, which has the length that was asked for and the plaintext of each chunk at the beginning
    /// of its place, [`CHUNK_LEN`](crate::chunked::CHUNK_LEN) bytes and 16 bytes of room for the tag.
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
        if places.len() != self.len {
            return Err(Error::WrongLength { what: "the unit", expected: self.len, actual: places.len() });
        }
        for (place, index) in places.chunks_mut(SEALED_CHUNK_LEN).zip(self.first..) {
            let len = place.len() - TAG_LEN;
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

/// Decrypts one file in the caller's memory. Its chunks are opened in place, on any thread and in any order.
///
/// # Security
/// An opened chunk is authentic at its place. Only the last chunk shows that nothing was cut off, and that one is shorter than
/// [`SEALED_CHUNK_LEN`].
///
/// ```
/// use sealstone::{Decryptor, Encryptor, FileOpener, Identity, Kind};
///
/// let identity = Identity::generate(Kind::X25519)?;
/// let file = Encryptor::new([identity.recipient()]).encrypt(b"attack at dawn")?;
/// let head_len = FileOpener::read_head_len(&file[..FileOpener::START_LEN])?;
/// let opener = Decryptor::new([identity]).opener(&file[..head_len])?;
/// let mut chunks = file[head_len..].to_vec();
/// opener.open(0, &mut chunks)?;
/// assert_eq!(&chunks[..14], b"attack at dawn");
/// # Ok::<(), sealstone::Error>(())
/// ```
pub struct FileOpener {
    chunks: Chunks,
    head_len: usize,
}

impl FileOpener {
    /// Bytes of a file that [`read_head_len`](Self::read_head_len) looks at.
    pub const START_LEN: usize = START_LEN;

    /// The [`head_len`](Self::head_len) of a file, read from the first [`START_LEN`](Self::START_LEN) bytes of a file, or from all there are.
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

    /// Opens consecutive chunks from number `first` on, each where it lies: the plaintext of each is the first bytes of its
    /// place, all but the last 16. A multiple of [`SEALED_CHUNK_LEN`] is followed by more; any other length ends the file.
    ///
    /// # Errors
    /// [`Error::NotAuthentic`] with the lowest chunk that is not, whose place is cleared; [`Error::Truncated`] for a last
    /// chunk of under 16 bytes; [`Error::TooLong`].
    pub fn open(&self, first: u64, places: &mut [u8]) -> Result<()> {
        for (place, index) in places.chunks_mut(SEALED_CHUNK_LEN).zip(first..) {
            let len = place.len();
            self.chunks.open_chunk(index, place, len)?;
        }
        Ok(())
    }
}

impl std::fmt::Debug for FileOpener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileOpener").finish_non_exhaustive()
    }
}

impl Encryptor {
    /// Begins one file whose chunks the caller supplies, without armour.
    ///
    /// # Errors
    /// Those of [`check_recipients`](Self::check_recipients); [`Error::NoRandomness`].
    pub fn sealer(&self) -> Result<FileSealer> {
        let (head, chunks) = self.begin()?;
        Ok(FileSealer { head, chunks: Arc::new(chunks), next: Some(0) })
    }
}

impl ChunkedKey {
    /// Begins one ciphertext whose chunks the caller supplies; its head is the salt and the commitment.
    ///
    /// ```
    /// use sealstone::{Suite, chunked::ChunkedKey};
    ///
    /// let key = ChunkedKey::new(Suite::Aes256Gcm, &[7; 32])?;
    /// let mut sealer = key.parts_sealer(b"record 17")?;
    /// let mut chunk = [0; 14 + 16];
    /// chunk[..14].copy_from_slice(b"attack at dawn");
    /// sealer.unit(chunk.len()).seal(&mut chunk)?;
    /// let ciphertext = [sealer.head(), &chunk].concat();
    /// assert_eq!(key.decrypt(b"record 17", &ciphertext)?, b"attack at dawn");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoRandomness`].
    pub fn parts_sealer(&self, context: &[u8]) -> Result<FileSealer> {
        let (chunks, head) = self.create(context)?;
        Ok(FileSealer { head: head.to_vec(), chunks: Arc::new(chunks), next: Some(0) })
    }

    /// Begins to open one ciphertext whose chunks the caller supplies, by its first [`HEAD_LEN`] bytes; there may be more.
    ///
    /// # Errors
    /// [`Error::Truncated`] where there are less; [`Error::NotAuthentic`] for another key or context.
    pub fn parts_opener(&self, context: &[u8], head: &[u8]) -> Result<FileOpener> {
        let (chunks, _) = self.open_head(context, head)?;
        Ok(FileOpener { chunks, head_len: HEAD_LEN })
    }
}

impl Decryptor {
    /// Begins one file whose chunks the caller supplies. `head` has at least the bytes that [`FileOpener::read_head_len`] counts, or
    /// all there are.
    ///
    /// # Errors
    /// What [`decrypt_to`](Self::decrypt_to) says of the header.
    pub fn opener(&self, head: &[u8]) -> Result<FileOpener> {
        let (chunks, head_len) = self.open(head)?;
        Ok(FileOpener { chunks, head_len })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunked::CHUNK_LEN;
    use crate::key::{Identity, Kind};

    fn encrypt_in_units(encryptor: &Encryptor, plaintext: &[u8], unit_chunks: usize) -> Vec<u8> {
        let mut sealer = encryptor.sealer().unwrap();
        let mut file = sealer.head().to_vec();
        let at = file.len();
        file.resize(usize::try_from(sealer.file_len(plaintext.len() as u64).unwrap()).unwrap(), 0);
        for (place, chunk) in file[at..].chunks_mut(SEALED_CHUNK_LEN).zip(plaintext.chunks(CHUNK_LEN)) {
            place[..chunk.len()].copy_from_slice(chunk);
        }
        let units: Vec<_> = file[at..]
            .chunks_mut(unit_chunks * SEALED_CHUNK_LEN)
            .map(|places| (sealer.unit(places.len()), places))
            .collect();
        for (unit, places) in units.into_iter().rev() {
            unit.seal(places).unwrap();
        }
        file
    }

    #[test]
    fn units_in_any_order_make_the_file_that_a_decryptor_opens() {
        let identity = Identity::generate(Kind::X25519).unwrap();
        let encryptor = Encryptor::new([identity.recipient()]);
        let decryptor = Decryptor::new([identity]);
        for len in [0, 1, CHUNK_LEN - 1, CHUNK_LEN, CHUNK_LEN + 1, 2 * CHUNK_LEN, 5 * CHUNK_LEN + 7] {
            let plaintext: Vec<u8> = (0..=250).cycle().take(len).collect();
            for unit_chunks in [1, 2, 3, 100] {
                let mut file = encrypt_in_units(&encryptor, &plaintext, unit_chunks);
                assert_eq!(decryptor.decrypt(&file).unwrap(), plaintext, "{len} bytes, units of {unit_chunks}");
                let opener = decryptor.opener(&file).unwrap();
                let chunks = &mut file[opener.head_len()..];
                assert_eq!(opener.plaintext_len(chunks.len() as u64).unwrap(), len as u64);
                for (i, places) in chunks.chunks_mut(unit_chunks * SEALED_CHUNK_LEN).enumerate().rev() {
                    opener.open((i * unit_chunks) as u64, places).unwrap();
                }
                let found = chunks.chunks(SEALED_CHUNK_LEN).flat_map(|place| &place[..place.len() - TAG_LEN]);
                assert!(found.eq(&plaintext));
            }
        }
    }

    #[test]
    fn the_lowest_chunk_that_fails_is_named_and_cleared() {
        let identity = Identity::generate(Kind::X25519).unwrap();
        let mut file = Encryptor::new([identity.recipient()]).encrypt(&vec![7; 4 * CHUNK_LEN]).unwrap();
        let opener = Decryptor::new([identity]).opener(&file).unwrap();
        let chunks = &mut file[opener.head_len()..];
        chunks[2 * SEALED_CHUNK_LEN] ^= 1;
        chunks[3 * SEALED_CHUNK_LEN] ^= 1;
        let error = opener.open(1, &mut chunks[SEALED_CHUNK_LEN..]).unwrap_err();
        assert!(matches!(error, Error::NotAuthentic { chunk: Some(2) }), "{error}");
        assert_eq!(chunks[2 * SEALED_CHUNK_LEN..3 * SEALED_CHUNK_LEN], vec![0; SEALED_CHUNK_LEN]);
        assert_eq!(chunks[SEALED_CHUNK_LEN..][..CHUNK_LEN], [7; CHUNK_LEN]);
    }

    #[test]
    fn a_last_chunk_without_a_whole_tag_is_truncated() {
        let identity = Identity::generate(Kind::X25519).unwrap();
        let file = Encryptor::new([identity.recipient()]).encrypt(b"").unwrap();
        let opener = Decryptor::new([identity]).opener(&file).unwrap();
        assert_eq!(opener.open(0, &mut [0; 15]).unwrap_err().code(), "truncated");
        assert_eq!(opener.plaintext_len(15).unwrap_err().code(), "truncated");
        assert_eq!(FileOpener::read_head_len(&file[..15]).unwrap_err().code(), "truncated");
    }

    #[test]
    #[should_panic(expected = "parts: there is no unit after the last")]
    fn no_chunk_is_given_out_after_the_last() {
        let identity = Identity::generate(Kind::X25519).unwrap();
        let mut sealer = Encryptor::new([identity.recipient()]).sealer().unwrap();
        _ = sealer.unit(16);
        _ = sealer.unit(16);
    }

    #[test]
    fn a_unit_of_another_length_is_refused() {
        let identity = Identity::generate(Kind::X25519).unwrap();
        let mut sealer = Encryptor::new([identity.recipient()]).sealer().unwrap();
        assert_eq!(sealer.unit(17).seal(&mut [0; 16]).unwrap_err().code(), "wrong_length");
    }
}
