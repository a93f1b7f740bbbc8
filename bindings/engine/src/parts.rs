//! Files in parts: streams, and bytes that are in memory as a whole. Core has the machine; here it is shared by the calls of a
//! binding, and its units become work.

use crate::failure::misused;
use crate::job::{Job, derive_for, watched};
use crate::lock::locked;
use crate::pool::{COMPUTE, width};
use crate::process::Process;
use crate::work::Work;
use sealstone::aead::{Algorithm, TAG_LEN};
use sealstone::chunked::{ChunkedKey, SEALED_CHUNK_LEN};
use sealstone::{
    ArmourDecoder, ArmourEncoder, Decryptor, Encryptor, Error, FileOpener, FileSealer, OpenUnit, OpenWork, Result,
    SealUnit,
};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use zeroize::{Zeroize, Zeroizing};

/// The result of a part of a stream, and the error of the bytes behind it.
pub type Part = (Vec<u8>, Option<Error>);

/// A file that is being encrypted, until it has ended.
pub struct Sealing {
    machine: Mutex<Option<FileSealer>>,
    placed: AtomicUsize,
    process: Process,
}

impl Sealing {
    /// Begins a file.
    pub fn new(encryptor: &Encryptor) -> Result<Self> {
        encryptor.sealer().map(Self::of)
    }

    /// Begins a file on another thread: a passphrase costs a password hash.
    pub fn later(encryptor: Arc<Encryptor>, job: Arc<Job>) -> Work<impl FnOnce() -> Result<Self> + Send + 'static> {
        Work::new(&COMPUTE, move || {
            derive_for(&*encryptor, &job, b"")?;
            Self::new(&encryptor)
        })
    }

    /// Begins a ciphertext under a key.
    pub fn chunked(key: &ChunkedKey, context: &[u8]) -> Result<Self> {
        key.sealer(context).map(Self::of)
    }

    fn of(sealer: FileSealer) -> Self {
        Self { machine: Mutex::new(Some(sealer)), placed: AtomicUsize::new(0), process: Process::current() }
    }

    fn with<T>(&self, work: impl FnOnce(&mut FileSealer) -> T) -> T {
        self.process.check();
        work(locked(&self.machine).as_mut().unwrap_or_else(|| misused(ENDED)))
    }

    fn end(&self) -> FileSealer {
        self.process.check();
        locked(&self.machine).take().unwrap_or_else(|| misused(ENDED))
    }

    /// The next chunks, as long as `len` with their tags; where that is no whole number of chunks they are the last.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn unit_of(&self, len: usize) -> SealUnit {
        if len.is_multiple_of(SEALED_CHUNK_LEN) { self.with(|sealer| sealer.unit(len)) } else { self.end().unit(len) }
    }

    /// Everything before the first chunk.
    pub fn head(&self) -> Vec<u8> {
        self.with(|sealer| sealer.head().to_vec())
    }

    /// Bytes of the file of a plaintext of so many bytes.
    pub fn file_len(&self, plaintext_len: u64) -> Result<u64> {
        self.with(|sealer| sealer.file_len(plaintext_len))
    }

    /// Takes plaintext of a stream, as much as the next unit has room for; returns how much that is.
    pub fn fill(&self, plaintext: &[u8]) -> usize {
        self.with(|sealer| sealer.fill(plaintext))
    }

    /// Seals the next unit of a stream, if it is full; units may be sealed at the same time.
    pub fn unit(&self) -> Option<Work<impl FnOnce() -> Result<Part> + Send + use<>>> {
        let unit = self.with(FileSealer::take)?;
        Some(Work::new(&COMPUTE, move || Ok((unit.run()?, None))))
    }

    /// The end of a stream.
    pub fn finish(&self) -> Work<impl FnOnce() -> Result<Part> + Send + use<>> {
        let rest = self.end().finish();
        Work::new(&COMPUTE, move || Ok((rest.run()?, None)))
    }

    /// Encrypts all of a plaintext into memory that has the file's length.
    pub fn seal_into(&self, plaintext: &[u8], file: &mut [u8], threads: Option<u32>) -> Result<()> {
        self.end().threads(threads_of(threads)).seal_into(plaintext, file)
    }

    /// As [`seal_into`](Self::seal_into), until the job is cancelled.
    pub fn seal_all<'a>(
        &self,
        plaintext: &'a [u8],
        file: &'a mut [u8],
        threads: Option<u32>,
        job: Arc<Job>,
    ) -> Work<impl FnOnce() -> Result<()> + Send + use<'a>> {
        let sealer = watched!(self.end(), job).threads(threads_of(threads));
        Work::new(&COMPUTE, move || sealer.seal_into(plaintext, file))
    }

    /// Bytes of the file before those that no work was given yet: [`place`](Self::place) wants its memory from there on.
    pub fn placed(&self) -> usize {
        self.placed.load(Ordering::Relaxed)
    }

    /// Takes the next part of a plaintext that is in memory as a whole, into the file's memory; returns what became ready to be
    /// sealed there, and where in `rest` it is.
    pub fn place(&self, part: &[u8], rest: &mut [u8]) -> Result<Option<(SealUnit, Range<usize>)>> {
        let ready = self.with(|sealer| sealer.place(part, rest))?;
        Ok(ready.inspect(|(_, place)| _ = self.placed.fetch_add(place.end, Ordering::Relaxed)))
    }

    /// The key of the chunks where this AEAD seals them, for a host that computes it; else nothing.
    pub fn key(&self, algorithm: Algorithm) -> Zeroizing<Vec<u8>> {
        self.with(|sealer| key_for(algorithm, sealer.chunk_key()))
    }

    /// The nonces, one behind the other, of the next chunks, which the host seals in place of the core.
    pub fn nonces(&self, len: usize) -> Result<Vec<u8>> {
        Ok(self.with(|sealer| sealer.unit(len)).nonces()?.concat())
    }
}

/// Seals chunks where they were placed.
pub fn seal_placed<M: AsMut<[u8]> + Send>(unit: SealUnit, mut place: M) -> Work<impl FnOnce() -> Result<()> + Send> {
    Work::new(&COMPUTE, move || unit.seal(place.as_mut()))
}

/// Whether the content of a file that begins so is compressed, which [`Opening`] does not open. The head may be cut off.
pub fn is_compressed(head: &[u8]) -> bool {
    // With the shortest payload: how long it is does not matter here.
    let len = FileOpener::read_head_len(head).ok().map(|len| (len + TAG_LEN) as u64);
    len.and_then(|len| sealstone::inspect_head(head, len).ok()).is_some_and(|seen| seen.compressed)
}

/// Decrypts a whole file, also one that is compressed, until the job is cancelled.
pub fn decrypt_all(
    decryptor: Arc<Decryptor>,
    file: &[u8],
    job: Arc<Job>,
    threads: Option<u32>,
) -> Work<impl FnOnce() -> Result<Vec<u8>> + Send + use<'_>> {
    Work::new(&COMPUTE, move || {
        derive_for(&*decryptor, &job, file)?;
        watched!((*decryptor).clone(), job).threads(threads_of(threads)).decrypt(file)
    })
}

/// A file that is being decrypted, until it has ended.
pub struct Opening {
    machine: RwLock<Option<FileOpener>>,
    /// Bytes of the head that come before the chunks, in parts that are placed.
    head_left: AtomicUsize,
    placed: AtomicUsize,
}

impl Opening {
    /// Begins to decrypt a file, by its head.
    pub fn new(decryptor: &Decryptor, head: &[u8]) -> Result<Self> {
        decryptor.opener(head).map(Self::of)
    }

    /// Begins to decrypt a file on another thread.
    pub fn later(
        decryptor: Arc<Decryptor>,
        head: Vec<u8>,
        job: Arc<Job>,
    ) -> Work<impl FnOnce() -> Result<Self> + Send + 'static> {
        Work::new(&COMPUTE, move || Self::derived(&decryptor, &job, &head))
    }

    /// Begins to decrypt a file, here. A passphrase costs a password hash, which the job ends; a file that is refused anyway costs none.
    pub(crate) fn derived(decryptor: &Decryptor, job: &Job, head: &[u8]) -> Result<Self> {
        if !is_compressed(head) {
            derive_for(decryptor, job, head)?;
        }
        Self::new(decryptor, head)
    }

    /// Begins to open a ciphertext under a key, by its first [`HEAD_LEN`](sealstone::chunked::HEAD_LEN) bytes.
    pub fn chunked(key: &ChunkedKey, context: &[u8], head: &[u8]) -> Result<Self> {
        key.opener(context, head).map(Self::of)
    }

    fn of(opener: FileOpener) -> Self {
        let head_left = AtomicUsize::new(opener.head_len());
        Self { machine: RwLock::new(Some(opener)), head_left, placed: AtomicUsize::new(0) }
    }

    fn with<T>(&self, work: impl FnOnce(&mut FileOpener) -> T) -> T {
        let mut machine = self.machine.write().unwrap_or_else(PoisonError::into_inner);
        work(machine.as_mut().unwrap_or_else(|| misused(ENDED)))
    }

    /// Works with it as others do at the same time.
    fn read<T>(&self, work: impl FnOnce(&FileOpener) -> T) -> T {
        let machine = self.machine.read().unwrap_or_else(PoisonError::into_inner);
        work(machine.as_ref().unwrap_or_else(|| misused(ENDED)))
    }

    fn end(&self) -> FileOpener {
        let mut machine = self.machine.write().unwrap_or_else(PoisonError::into_inner);
        machine.take().unwrap_or_else(|| misused(ENDED))
    }

    /// Bytes of the file before its first chunk.
    pub fn head_len(&self) -> usize {
        self.read(FileOpener::head_len)
    }

    /// Bytes of plaintext in a file of so many bytes.
    pub fn plaintext_len(&self, file_len: u64) -> Result<u64> {
        self.read(|opener| {
            let chunks_len = file_len
                .checked_sub(opener.head_len() as u64)
                .unwrap_or_else(|| misused("the file is shorter than its head"));
            opener.plaintext_len(chunks_len)
        })
    }

    /// Decrypts all of a file into memory that has the plaintext's length. After an error that is all zero.
    pub fn open_into(&self, file: &[u8], plaintext: &mut [u8], threads: Option<u32>) -> Result<()> {
        self.end().threads(threads_of(threads)).open_into(file, plaintext)
    }

    /// As [`open_into`](Self::open_into), until the job is cancelled.
    pub fn open_all<'a>(
        &self,
        file: &'a [u8],
        plaintext: &'a mut [u8],
        threads: Option<u32>,
        job: Arc<Job>,
    ) -> Work<impl FnOnce() -> Result<()> + Send + use<'a>> {
        let opener = watched!(self.end(), job).threads(threads_of(threads));
        Work::new(&COMPUTE, move || opener.open_into(file, plaintext))
    }

    /// Takes chunks of a stream, as much as the next unit has room for; returns how much that is.
    pub fn fill(&self, chunks: &[u8]) -> usize {
        self.with(|opener| opener.fill(chunks))
    }

    /// Opens the next unit of a stream, if it is full; units may be opened at the same time.
    pub fn unit(&self) -> Option<Work<impl FnOnce() -> Result<Part> + Send + use<>>> {
        let unit = self.with(FileOpener::take)?;
        Some(Work::new(&COMPUTE, move || Ok(unit.run())))
    }

    /// Takes chunks of a stream, and opens the units that are full at the same time, on threads that this starts and joins.
    pub fn update(&self, mut chunks: &[u8], threads: Option<u32>) -> Part {
        let mut units = Vec::new();
        while !chunks.is_empty() {
            chunks = &chunks[self.fill(chunks)..];
            units.extend(self.with(FileOpener::take));
        }
        let mut opened: Vec<_> = units.iter().map(|_| Part::default()).collect();
        let count = units.len();
        let next = Mutex::new(units.into_iter().zip(&mut opened));
        let open = || {
            while let Some((unit, place)) = { locked(&next).next() } {
                *place = unit.run();
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads_of(threads).min(count) {
                // A refused thread is no failure: the others do its work.
                _ = std::thread::Builder::new().spawn_scoped(scope, open);
            }
            open();
        });
        drop(next);
        let mut plaintext = Vec::with_capacity(opened.iter().map(|(bytes, _)| bytes.len()).sum());
        for (mut bytes, failure) in opened {
            plaintext.extend_from_slice(&bytes);
            bytes.zeroize();
            if failure.is_some() {
                return (plaintext, failure);
            }
        }
        (plaintext, None)
    }

    /// Opens the rest of a stream: all of it at the end, and the whole chunks alone if a fault of another kind has ended the stream.
    pub fn finish(&self, is_end: bool) -> Work<impl FnOnce() -> Result<Part> + Send + use<>> {
        let mut opener = self.end();
        let rest = if is_end { Some(opener.finish()) } else { opener.flush() };
        Work::new(&COMPUTE, move || Ok(rest.map(OpenWork::run).unwrap_or_default()))
    }

    /// Opens consecutive chunks from number `first` on, for those who read a part of a file. A length that is no whole number of
    /// chunks is that of the file's end.
    pub fn open_at(&self, first: u64, chunks: &[u8]) -> Result<Vec<u8>> {
        let mut places = Zeroizing::new(chunks.to_vec());
        self.open_places(first, &mut places)?;
        let mut plaintext = Vec::with_capacity(places.len());
        for place in places.chunks(SEALED_CHUNK_LEN) {
            plaintext.extend_from_slice(&place[..place.len() - TAG_LEN]);
        }
        Ok(plaintext)
    }

    /// As [`open_at`](Self::open_at), where they lie: the last 16 bytes of each chunk's place are not of its plaintext.
    pub fn open_places(&self, first: u64, places: &mut [u8]) -> Result<()> {
        self.read(|opener| opener.open(first, places))
    }

    /// Bytes of the plaintext before those that no work was given yet: [`place`](Self::place) wants its memory from there on.
    pub fn placed(&self) -> usize {
        self.placed.load(Ordering::Relaxed)
    }

    /// Takes the next part of a file that is in memory as a whole, its chunks into the plaintext's memory; returns what became ready to
    /// be opened there, and where in `rest` it is.
    pub fn place(&self, part: &[u8], rest: &mut [u8]) -> Result<Option<(OpenUnit, Range<usize>)>> {
        let of_head = part.len().min(self.head_left.load(Ordering::Relaxed));
        self.head_left.fetch_sub(of_head, Ordering::Relaxed);
        let ready = self.with(|opener| opener.place(&part[of_head..], rest))?;
        Ok(ready.inspect(|(_, place)| _ = self.placed.fetch_add(place.end, Ordering::Relaxed)))
    }

    /// As [`Sealing::key`].
    pub fn key(&self, algorithm: Algorithm) -> Zeroizing<Vec<u8>> {
        self.with(|opener| key_for(algorithm, opener.chunk_key()))
    }

    /// The nonces, one behind the other, of the chunks from number `first` on, which the host opens in place of the core. Those at the
    /// end of the file have the length of some plaintext.
    pub fn nonces(&self, first: u64, len: usize, is_end: bool) -> Result<Vec<u8>> {
        self.with(|opener| {
            if is_end {
                opener.plaintext_len(len as u64)?;
            }
            Ok(opener.nonces(first, len)?.concat())
        })
    }
}

fn key_for(algorithm: Algorithm, (own, key): (Algorithm, &[u8])) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(if own == algorithm { key.to_vec() } else { Vec::new() })
}

/// Opens chunks where they were placed; returns whether the file ends with them. All of the plaintext is authentic when all of this
/// work has been done and one was the end.
pub fn open_placed<M: AsMut<[u8]> + Send>(unit: OpenUnit, mut place: M) -> Work<impl FnOnce() -> Result<bool> + Send> {
    Work::new(&COMPUTE, move || {
        let is_last = unit.is_last();
        unit.open(place.as_mut())?;
        Ok(is_last)
    })
}

const ENDED: &str = "the stream has ended, and takes no more: begin another";

/// Threads that compute what is in memory: more than the machine has would only take turns.
pub(crate) fn threads_of(threads: Option<u32>) -> usize {
    threads.map_or(usize::MAX, |threads| threads as usize).clamp(1, width())
}

/// Units of streams that may be at work at the same time: one a thread, and one that waits.
pub fn units_max(threads: Option<u32>) -> u32 {
    u32::try_from(threads_of(threads)).unwrap_or(u32::MAX).saturating_add(1)
}

/// A file that becomes armour.
pub struct Armouring(Mutex<Option<ArmourEncoder>>);

impl Default for Armouring {
    fn default() -> Self {
        Self(Mutex::new(Some(ArmourEncoder::new())))
    }
}

impl Armouring {
    /// Takes more of a file; gives lines of its armour.
    pub fn update(&self, file: &[u8]) -> Vec<u8> {
        let mut text = Vec::new();
        locked(&self.0).as_mut().unwrap_or_else(|| misused(ENDED)).update(file, &mut text);
        text
    }

    /// The end of the armour.
    pub fn finish(&self) -> Vec<u8> {
        let mut text = Vec::new();
        locked(&self.0).take().unwrap_or_else(|| misused(ENDED)).finish(&mut text);
        text
    }
}

/// Armour that becomes a file.
pub struct Dearmouring(Mutex<Option<ArmourDecoder>>);

impl Dearmouring {
    /// Begins to read; `is_alone` is for whoever replaces the file, and then other text around the armour is refused.
    pub fn new(is_alone: bool) -> Self {
        Self(Mutex::new(Some(if is_alone { ArmourDecoder::alone() } else { ArmourDecoder::new() })))
    }

    /// Takes more text; gives what it stands for, up to the first fault.
    pub fn update(&self, text: &[u8]) -> Part {
        let mut file = Vec::new();
        let fault = locked(&self.0).as_mut().unwrap_or_else(|| misused(ENDED)).update(text, &mut file).err();
        (file, fault)
    }

    /// The end of the text.
    pub fn finish(&self) -> Part {
        let mut file = Vec::new();
        let fault = locked(&self.0).take().unwrap_or_else(|| misused(ENDED)).finish(&mut file).err();
        (file, fault)
    }
}
