//! The file format, on bytes, in parts and on files by name.

use crate::boundary::{Bytes, Failure, Result, guard, held, hold, locked, number, promise};
use crate::delivery::deliver;
use crate::memory::apart;
use crate::pool::{COMPUTE, FILES, Pool, WAITING};
use napi::Env;
use napi::bindgen_prelude::{Object, Uint8ArraySlice};
use napi_derive::napi;
use sealstone::chunked::{CHUNK_LEN, ChunkedKey, HEAD_LEN, SEALED_CHUNK_LEN};
use sealstone::{
    ArmourDecoder, ArmourEncoder, Decryptor, Encryptor, Error, FileAccess, FileMode, FileOpener, FileSealer, Identity,
    Input, Inspection, Output, Profile, Progress, Recipient, Rewrapper, SealUnit, Summary,
};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use zeroize::{Zeroize, Zeroizing};

const TAG_LEN: usize = SEALED_CHUNK_LEN - CHUNK_LEN;
/// Chunks that a thread takes at once: with their tags they stay in a second-level cache.
const UNIT_LEN: usize = 16 * SEALED_CHUNK_LEN;
/// Under so many bytes other threads cost more than they save.
const ALONE_LEN: usize = 1 << 20;

#[napi]
pub fn encryptor(
    recipients: Vec<u32>,
    suite: Option<String>,
    context: Option<&[u8]>,
    allow_mixed: Option<bool>,
    profile: Option<String>,
    armour: Option<bool>,
    threads: Option<u32>,
) -> Result<u32> {
    guard(|| {
        let mut encryptor = Encryptor::new(recipients.iter().map(|one| (*held::<Recipient>(*one)).clone()));
        if let Some(suite) = suite {
            encryptor = encryptor.suite(suite.parse()?);
        }
        if let Some(context) = context {
            encryptor = encryptor.context(context)?;
        }
        if let Some(allow) = allow_mixed {
            encryptor = encryptor.allow_mixed(allow);
        }
        if let Some(profile) = profile {
            encryptor = encryptor.profile(profile.parse()?);
        }
        if let Some(armour) = armour {
            encryptor = encryptor.armour(armour);
        }
        if let Some(threads) = threads {
            encryptor = encryptor.threads(threads as usize);
        }
        Ok(hold(encryptor))
    })
}

#[napi]
pub fn decryptor(
    identities: Vec<u32>,
    context: Option<&[u8]>,
    profile: Option<String>,
    threads: Option<u32>,
) -> Result<u32> {
    guard(|| {
        let mut decryptor = Decryptor::new(identities.iter().map(|one| (*held::<Identity>(*one)).clone()));
        if let Some(context) = context {
            decryptor = decryptor.context(context)?;
        }
        if let Some(profile) = profile {
            decryptor = decryptor.profile(profile.parse()?);
        }
        if let Some(threads) = threads {
            decryptor = decryptor.threads(threads as usize);
        }
        Ok(hold(decryptor))
    })
}

#[napi]
pub fn rewrapper(
    identities: Vec<u32>,
    recipients: Vec<u32>,
    replace: Option<bool>,
    allow_mixed: Option<bool>,
    profile: Option<String>,
) -> Result<u32> {
    guard(|| {
        let identities = identities.iter().map(|one| (*held::<Identity>(*one)).clone());
        let mut rewrapper = Rewrapper::new(identities, recipients.iter().map(|one| (*held::<Recipient>(*one)).clone()));
        if let Some(replace) = replace {
            rewrapper = rewrapper.replace(replace);
        }
        if let Some(allow) = allow_mixed {
            rewrapper = rewrapper.allow_mixed(allow);
        }
        if let Some(profile) = profile {
            rewrapper = rewrapper.profile(profile.parse::<Profile>()?);
        }
        Ok(hold(rewrapper))
    })
}

/// A run on other threads, as JavaScript watches and ends it.
pub struct Job {
    done: AtomicU64,
    /// `u64::MAX` while it is not known.
    total: AtomicU64,
    cancelled: AtomicBool,
}

impl Job {
    pub fn show(&self, progress: Progress) {
        self.done.fetch_max(progress.done, Ordering::Relaxed);
        if let Some(total) = progress.total {
            self.total.store(total, Ordering::Relaxed);
        }
    }

    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    pub fn add(&self, done: usize) {
        self.done.fetch_add(done as u64, Ordering::Relaxed);
    }

    pub fn check(&self) -> sealstone::Result<()> {
        if self.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }
}

/// A job as JavaScript holds it. With it goes whoever wants the result, also where a worker thread is ended in the middle: then
/// the work ends too, whatever it waits for.
struct Wanted(Arc<Job>);

impl Drop for Wanted {
    fn drop(&mut self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }
}

#[napi]
pub fn job() -> Result<u32> {
    let job = Job { done: AtomicU64::new(0), total: AtomicU64::new(u64::MAX), cancelled: AtomicBool::new(false) };
    guard(|| Ok(hold(Wanted(Arc::new(job)))))
}

#[napi]
pub fn job_cancel(job: u32) -> Result<()> {
    guard(|| {
        job_of(job).cancelled.store(true, Ordering::Relaxed);
        Ok(())
    })
}

/// Bytes that are done, and of how many; -1 where that is not known.
#[napi]
pub fn job_progress(job: u32) -> Result<Vec<f64>> {
    guard(|| {
        let job = job_of(job);
        let total = job.total.load(Ordering::Relaxed);
        Ok(vec![number(job.done.load(Ordering::Relaxed)), if total == u64::MAX { -1.0 } else { number(total) }])
    })
}

/// The two callbacks of a builder, from a job.
macro_rules! watched {
    ($builder:expr, $job:expr) => {{
        let (seen, ended) = (std::sync::Arc::clone(&$job), std::sync::Arc::clone(&$job));
        $builder.on_progress(move |progress| seen.show(progress)).cancel_when(move || ended.is_cancelled())
    }};
}
pub(crate) use watched;

pub fn job_of(number: u32) -> Arc<Job> {
    Arc::clone(&held::<Wanted>(number).0)
}

/// What a unit of a stream became, and what failed behind it.
#[napi(object, object_from_js = false)]
pub struct Part {
    pub bytes: Bytes,
    pub failure: Option<Failure>,
}

impl From<(Vec<u8>, Option<Error>)> for Part {
    fn from((bytes, failure): (Vec<u8>, Option<Error>)) -> Self {
        Self { bytes: Bytes::from(bytes), failure: failure.map(|error| Failure::from(&error)) }
    }
}

/// A length that JavaScript gives.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn length(value: f64) -> u64 {
    assert!(value >= 0.0 && value.fract() == 0.0 && value < 9_007_199_254_740_992.0, "files: a length is whole");
    value as u64
}

/// A file that is being encrypted: its next chunks, each in a place with room for its tag.
struct Sealing {
    sealer: FileSealer,
    places: Zeroizing<Vec<u8>>,
}

impl Sealing {
    fn new(sealer: FileSealer) -> Mutex<Self> {
        Mutex::new(Self { sealer, places: Zeroizing::new(Vec::new()) })
    }

    /// Puts plaintext into the places, behind what is there, up to `len` bytes of them; returns what is left.
    fn fill<'a>(&mut self, at: usize, len: usize, mut plaintext: &'a [u8]) -> &'a [u8] {
        while !plaintext.is_empty() && self.places.len() < len {
            let room = CHUNK_LEN - (self.places.len() - at) % SEALED_CHUNK_LEN;
            let (now, rest) = plaintext.split_at(plaintext.len().min(room));
            self.places.extend_from_slice(now);
            if now.len() == room {
                self.places.extend_from_slice(&[0; TAG_LEN]);
            }
            plaintext = rest;
        }
        plaintext
    }
}

/// Begins a file.
#[napi]
pub fn sealer(encryptor: u32) -> Result<u32> {
    guard(|| Ok(hold(Sealing::new(held::<Encryptor>(encryptor).sealer()?))))
}

/// As `sealer`, not on JavaScript's thread.
#[napi]
pub fn sealer_later(env: &Env, encryptor: u32) -> Result<Object<'_>> {
    let encryptor = guard(|| Ok(held::<Encryptor>(encryptor)))?;
    promise(env, &COMPUTE, move || encryptor.sealer(), |sealer| hold(Sealing::new(sealer)))
}

/// Bytes of the file of a plaintext of so many bytes.
#[napi]
pub fn sealer_file_len(sealer: u32, plaintext_len: f64) -> Result<f64> {
    guard(|| {
        let sealing = held::<Mutex<Sealing>>(sealer);
        let len = locked(&sealing).sealer.file_len(length(plaintext_len))?;
        Ok(number(len))
    })
}

/// Encrypts all of a plaintext into memory that has the file's length.
#[napi]
pub fn seal_into(
    sealer: u32,
    plaintext: Uint8ArraySlice<'_>,
    mut file: Uint8ArraySlice<'_>,
    threads: Option<u32>,
) -> Result<()> {
    guard(|| {
        let (plaintext, file) = apart(&plaintext, &mut file);
        let sealing = held::<Mutex<Sealing>>(sealer);
        let sealer = &mut locked(&sealing).sealer;
        let (head, places) = file.split_at_mut(sealer.head().len());
        head.copy_from_slice(sealer.head());
        let mut rest = plaintext;
        let units = places.chunks_mut(UNIT_LEN).map(|places| {
            let (now, later) = rest.split_at(rest.len().min(UNIT_LEN / SEALED_CHUNK_LEN * CHUNK_LEN));
            rest = later;
            (sealer.unit(places.len()), places, now)
        });
        share(units.collect(), plaintext.len(), threads, |(unit, places, plaintext): (SealUnit, &mut [u8], &[u8])| {
            for (place, chunk) in places.chunks_mut(SEALED_CHUNK_LEN).zip(plaintext.chunks(CHUNK_LEN)) {
                place[..chunk.len()].copy_from_slice(chunk);
            }
            unit.seal(places)
        })
    })
}

/// Everything before the first chunk.
#[napi]
pub fn sealer_head(sealer: u32) -> Result<Bytes> {
    guard(|| Ok(Bytes::from(locked(&held::<Mutex<Sealing>>(sealer)).sealer.head())))
}

/// Takes plaintext of a stream, as much as the next unit has room for; returns how much that is.
#[napi]
pub fn sealer_fill(sealer: u32, plaintext: &[u8]) -> Result<u32> {
    guard(|| {
        let sealing = held::<Mutex<Sealing>>(sealer);
        let rest = locked(&sealing).fill(0, UNIT_LEN, plaintext);
        Ok(u32::try_from(plaintext.len() - rest.len()).expect("files: a unit is short"))
    })
}

/// Seals the next unit, if it is full, on another thread; units may be sealed at the same time.
#[napi]
pub fn sealer_unit(env: &Env, sealer: u32) -> Result<Option<Object<'_>>> {
    let work = guard(|| {
        let sealing = held::<Mutex<Sealing>>(sealer);
        let mut sealing = locked(&sealing);
        if sealing.places.len() < UNIT_LEN {
            return Ok(None);
        }
        let next = Zeroizing::new(Vec::with_capacity(UNIT_LEN));
        let (unit, mut places) = (sealing.sealer.unit(UNIT_LEN), std::mem::replace(&mut sealing.places, next));
        Ok(Some(move || unit.seal(&mut places).map(|()| (std::mem::take(&mut *places), None))))
    })?;
    work.map(|work| promise(env, &COMPUTE, work, Part::from)).transpose()
}

/// The end of a stream.
#[napi]
pub fn sealer_finish(sealer: u32) -> Result<Bytes> {
    guard(|| {
        let sealing = held::<Mutex<Sealing>>(sealer);
        let mut sealing = locked(&sealing);
        sealing.places.extend_from_slice(&[0; TAG_LEN]);
        let len = sealing.places.len();
        let unit = sealing.sealer.unit(len);
        unit.seal(&mut sealing.places)?;
        Ok(Bytes::from(std::mem::take(&mut *sealing.places)))
    })
}

/// Takes a part of a plaintext that is in memory as a whole, for `seal_loaded`; `len` is the file's length in the end.
#[napi]
pub fn sealer_load(sealer: u32, plaintext: &[u8], len: f64) -> Result<()> {
    guard(|| {
        let sealing = held::<Mutex<Sealing>>(sealer);
        let mut sealing = locked(&sealing);
        let head_len = sealing.sealer.head().len();
        if sealing.places.is_empty() {
            reserve(&mut sealing.places, length(len))?;
            let Sealing { sealer, places } = &mut *sealing;
            places.extend_from_slice(sealer.head());
        }
        sealing.fill(head_len, usize::MAX, plaintext);
        Ok(())
    })
}

/// Seals what was loaded, where it lies: the whole file.
#[napi]
pub fn seal_loaded(env: &Env, sealer: u32, job: u32, threads: Option<u32>) -> Result<Object<'_>> {
    let (sealing, job) = guard(|| Ok((held::<Mutex<Sealing>>(sealer), job_of(job))))?;
    let work = move || {
        let Sealing { sealer, places } = &mut *locked(&sealing);
        let mut file = Zeroizing::new(std::mem::take(&mut **places));
        file.extend_from_slice(&[0; TAG_LEN]);
        let len = file.len();
        let units = file[sealer.head().len()..].chunks_mut(UNIT_LEN).map(|places| (sealer.unit(places.len()), places));
        share(units.collect(), len, threads, |(unit, places): (SealUnit, &mut [u8])| {
            job.check()?;
            unit.seal(places)?;
            job.add(places.len());
            Ok(())
        })?;
        Ok(std::mem::take(&mut *file))
    };
    promise(env, &COMPUTE, work, deliver)
}

/// Memory for so many bytes; an error where there is none, instead of an end of the process.
fn reserve(memory: &mut Vec<u8>, len: u64) -> sealstone::Result<()> {
    let reserved = usize::try_from(len).is_ok_and(|len| memory.try_reserve_exact(len).is_ok());
    if reserved { Ok(()) } else { Err(Error::TooLong) }
}

/// A file that is being decrypted, and what of it is not opened yet.
struct Opening {
    opener: Arc<FileOpener>,
    next: u64,
    places: Zeroizing<Vec<u8>>,
}

impl Opening {
    fn new(opener: FileOpener) -> Mutex<Self> {
        Mutex::new(Self { opener: Arc::new(opener), next: 0, places: Zeroizing::new(Vec::new()) })
    }

    /// Takes out what is there; what it returns opens it, up to the first chunk that does not open.
    fn take(&mut self) -> impl FnOnce() -> (Vec<u8>, Option<Error>) + Send + use<> {
        let (opener, first) = (Arc::clone(&self.opener), self.next);
        self.next += (self.places.len() / SEALED_CHUNK_LEN) as u64;
        let mut places = std::mem::replace(&mut self.places, Zeroizing::new(Vec::with_capacity(UNIT_LEN)));
        move || {
            let mut chunks = places.chunks_mut(SEALED_CHUNK_LEN).zip(first..);
            let failed = chunks.find_map(|(place, index)| Some((index - first, opener.open(index, place).err()?)));
            let (opened, failure) = failed.map_or((places.len(), None), |(before, error)| {
                (usize::try_from(before).expect("files: a unit is short") * SEALED_CHUNK_LEN, Some(error))
            });
            places[opened..].zeroize();
            places.truncate(opened);
            compact(&mut places, 0);
            (std::mem::take(&mut *places), failure)
        }
    }
}

/// Moves the plaintexts in the places from `at` on together, to the beginning.
fn compact(memory: &mut Vec<u8>, mut at: usize) {
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

/// Bytes of a file that `file_head_len` looks at.
#[napi]
pub fn file_start_len() -> Result<u32> {
    guard(|| Ok(u32::try_from(FileOpener::START_LEN).expect("files: a start is short")))
}

/// Bytes of a file that `file_is_armoured` looks at.
#[napi]
pub fn armour_start_len() -> Result<u32> {
    guard(|| Ok(u32::try_from(ArmourDecoder::START_LEN).expect("files: a start is short")))
}

/// Bytes before the first chunk, by the first bytes of a file.
#[napi]
pub fn file_head_len(start: &[u8]) -> Result<u32> {
    guard(|| {
        let len = FileOpener::read_head_len(start)?;
        Ok(u32::try_from(len).expect("files: a header is at most 2 MiB"))
    })
}

/// Whether a file that begins so is armoured.
#[napi]
pub fn file_is_armoured(start: &[u8]) -> Result<bool> {
    guard(|| Ok(sealstone::is_armoured(start)))
}

/// Begins a ciphertext under a key.
#[napi]
pub fn chunked_sealer(key: u32, context: &[u8]) -> Result<u32> {
    guard(|| Ok(hold(Sealing::new(held::<ChunkedKey>(key).sealer(context)?))))
}

/// Begins to open a ciphertext under a key, by its first `chunked_head_len` bytes.
#[napi]
pub fn chunked_opener(key: u32, context: &[u8], head: &[u8]) -> Result<u32> {
    guard(|| Ok(hold(Opening::new(held::<ChunkedKey>(key).opener(context, head)?))))
}

#[napi]
pub fn chunked_head_len() -> Result<u32> {
    guard(|| Ok(u32::try_from(HEAD_LEN).expect("files: a head is short")))
}

/// Threads that compute what is in memory: more than the machine has would only take turns.
fn threads_of(threads: Option<u32>) -> usize {
    threads.map_or(usize::MAX, |threads| threads as usize).clamp(1, COMPUTE.width())
}

/// Units of streams that may be at work at the same time: one a thread, and one that waits.
#[napi]
pub fn units_max(threads: Option<u32>) -> Result<u32> {
    guard(|| Ok(u32::try_from(threads_of(threads)).unwrap_or(u32::MAX).saturating_add(1)))
}

/// Begins armour.
#[napi]
pub fn armour() -> Result<u32> {
    guard(|| Ok(hold(Mutex::new(Some(ArmourEncoder::new())))))
}

/// Takes more of a file; gives lines of its armour.
#[napi]
pub fn armour_update(armour: u32, file: &[u8]) -> Result<Bytes> {
    guard(|| {
        let mut text = Vec::new();
        locked(&held::<Mutex<Option<ArmourEncoder>>>(armour)).as_mut().expect(NOT_ENDED).update(file, &mut text);
        Ok(Bytes::from(text))
    })
}

/// The end of armour.
#[napi]
pub fn armour_finish(armour: u32) -> Result<Bytes> {
    guard(|| {
        let mut text = Vec::new();
        locked(&held::<Mutex<Option<ArmourEncoder>>>(armour)).take().expect(NOT_ENDED).finish(&mut text);
        Ok(Bytes::from(text))
    })
}

/// Begins to read armour.
#[napi]
pub fn dearmour() -> Result<u32> {
    guard(|| Ok(hold(Mutex::new(Some(ArmourDecoder::new())))))
}

/// Takes more text; gives what it stands for, up to the first fault.
#[napi]
pub fn dearmour_update(dearmour: u32, text: &[u8]) -> Result<Part> {
    guard(|| {
        let mut file = Vec::new();
        let dearmour = held::<Mutex<Option<ArmourDecoder>>>(dearmour);
        let fault = locked(&dearmour).as_mut().expect(NOT_ENDED).update(text, &mut file).err();
        Ok(Part::from((file, fault)))
    })
}

/// The end of a text.
#[napi]
pub fn dearmour_finish(dearmour: u32) -> Result<Part> {
    guard(|| {
        let mut file = Vec::new();
        let decoder = locked(&held::<Mutex<Option<ArmourDecoder>>>(dearmour)).take().expect(NOT_ENDED);
        let fault = decoder.finish(&mut file).err();
        Ok(Part::from((file, fault)))
    })
}

const NOT_ENDED: &str = "files: armour ends once";

/// Begins to open a file, by its head.
#[napi]
pub fn opener(decryptor: u32, head: &[u8]) -> Result<u32> {
    guard(|| Ok(hold(Opening::new(held::<Decryptor>(decryptor).opener(head)?))))
}

/// As `opener`, not on JavaScript's thread.
#[napi]
pub fn opener_later<'env>(env: &'env Env, decryptor: u32, head: &[u8]) -> Result<Object<'env>> {
    let (decryptor, head) = (guard(|| Ok(held::<Decryptor>(decryptor)))?, head.to_vec());
    promise(env, &COMPUTE, move || decryptor.opener(&head), |opener| hold(Opening::new(opener)))
}

/// Bytes of plaintext in a file of so many bytes.
#[napi]
pub fn opener_plaintext_len(opener: u32, file_len: f64) -> Result<f64> {
    guard(|| {
        let opening = held::<Mutex<Opening>>(opener);
        let opener = &locked(&opening).opener;
        let chunks_len = length(file_len) - opener.head_len() as u64;
        Ok(number(opener.plaintext_len(chunks_len)?))
    })
}

/// Decrypts all of a file into memory that has the plaintext's length. After an error that is all zero.
#[napi]
pub fn open_into(
    opener: u32,
    file: Uint8ArraySlice<'_>,
    mut plaintext: Uint8ArraySlice<'_>,
    threads: Option<u32>,
) -> Result<()> {
    guard(|| {
        let (file, plaintext) = apart(&file, &mut plaintext);
        let opening = held::<Mutex<Opening>>(opener);
        let opener = &locked(&opening).opener;
        let chunks = &file[opener.head_len()..];
        let unit_chunks = UNIT_LEN / SEALED_CHUNK_LEN;
        let mut places = plaintext.chunks_mut(unit_chunks * CHUNK_LEN);
        let units = chunks.chunks(UNIT_LEN).zip((0..).step_by(unit_chunks));
        let units = units.map(|(chunks, first)| (first, chunks, places.next().unwrap_or_default()));
        let opened =
            share(units.collect(), chunks.len(), threads, |(first, chunks, places): (u64, &[u8], &mut [u8])| {
                let mut place = Zeroizing::new(vec![0; chunks.len().min(SEALED_CHUNK_LEN)]);
                let mut places = places.chunks_mut(CHUNK_LEN);
                for (chunk, index) in chunks.chunks(SEALED_CHUNK_LEN).zip(first..) {
                    let place = &mut place[..chunk.len()];
                    place.copy_from_slice(chunk);
                    opener.open(index, place)?;
                    places.next().unwrap_or_default().copy_from_slice(&place[..chunk.len() - TAG_LEN]);
                }
                Ok(())
            });
        opened.inspect_err(|_| plaintext.zeroize())
    })
}

/// Takes chunks of a stream, as much as the next unit has room for; returns how much that is.
#[napi]
pub fn opener_fill(opener: u32, chunks: &[u8]) -> Result<u32> {
    guard(|| {
        let opening = held::<Mutex<Opening>>(opener);
        let mut opening = locked(&opening);
        let now = chunks.len().min(UNIT_LEN - opening.places.len());
        opening.places.extend_from_slice(&chunks[..now]);
        Ok(u32::try_from(now).expect("files: a unit is short"))
    })
}

/// Opens the next unit, if it is full, on another thread; units may be opened at the same time.
#[napi]
pub fn opener_unit(env: &Env, opener: u32) -> Result<Option<Object<'_>>> {
    let work = guard(|| {
        let opening = held::<Mutex<Opening>>(opener);
        let mut opening = locked(&opening);
        Ok((opening.places.len() == UNIT_LEN).then(|| opening.take()))
    })?;
    work.map(|work| promise(env, &COMPUTE, move || Ok(work()), Part::from)).transpose()
}

/// What is left of a stream: at its end all, and where a fault of another kind has ended it the chunks that are whole.
#[napi]
pub fn opener_finish(opener: u32, is_end: bool) -> Result<Part> {
    guard(|| {
        let opening = held::<Mutex<Opening>>(opener);
        let mut opening = locked(&opening);
        let len = opening.places.len();
        let cut = if is_end {
            opening.opener.plaintext_len(len as u64).err()
        } else {
            opening.places.truncate(len - len % SEALED_CHUNK_LEN);
            None
        };
        let (bytes, failure) = opening.take()();
        Ok(Part::from((bytes, failure.or(cut))))
    })
}

/// Bytes that come into our memory in parts.
pub type Loading = Mutex<Zeroizing<Vec<u8>>>;

#[napi]
pub fn loading() -> Result<u32> {
    guard(|| Ok(hold(Loading::default())))
}

/// Takes a part of `len` bytes.
#[napi]
pub fn loading_update(loading: u32, part: &[u8], len: f64) -> Result<()> {
    guard(|| {
        let memory = held::<Loading>(loading);
        let mut memory = locked(&memory);
        if memory.is_empty() {
            reserve(&mut memory, length(len))?;
        }
        memory.extend_from_slice(part);
        Ok(())
    })
}

/// Decrypts what was loaded, where it lies.
#[napi]
pub fn decrypt_loaded(env: &Env, decryptor: u32, loading: u32, job: u32, threads: Option<u32>) -> Result<Object<'_>> {
    let (decryptor, memory, job) = guard(|| Ok((held::<Decryptor>(decryptor), held::<Loading>(loading), job_of(job))))?;
    let work = move || {
        let mut memory = Zeroizing::new(std::mem::take(&mut **locked(&memory)));
        if sealstone::is_armoured(&memory) {
            return watched!((*decryptor).clone(), job).decrypt(&memory);
        }
        let opener = decryptor.opener(&memory)?;
        let chunks = &mut memory[opener.head_len()..];
        opener.plaintext_len(chunks.len() as u64)?;
        let len = chunks.len();
        let units = chunks.chunks_mut(UNIT_LEN).zip((0..).step_by(UNIT_LEN / SEALED_CHUNK_LEN)).collect();
        share(units, len, threads, |(places, first): (&mut [u8], u64)| {
            job.check()?;
            opener.open(first, places)?;
            job.add(places.len());
            Ok(())
        })?;
        compact(&mut memory, opener.head_len());
        Ok(std::mem::take(&mut *memory))
    };
    promise(env, &COMPUTE, work, deliver)
}

/// Encrypts as text.
#[napi]
pub fn encrypt_armoured(encryptor: u32, plaintext: &[u8]) -> Result<Bytes> {
    guard(|| held::<Encryptor>(encryptor).encrypt(plaintext).map(Bytes::from))
}

/// As `encrypt_armoured`, of what was loaded.
#[napi]
pub fn encrypt_armoured_loaded(env: &Env, encryptor: u32, loading: u32, job: u32) -> Result<Object<'_>> {
    let (encryptor, memory, job) = guard(|| Ok((held::<Encryptor>(encryptor), held::<Loading>(loading), job_of(job))))?;
    let work = move || {
        let memory = Zeroizing::new(std::mem::take(&mut **locked(&memory)));
        watched!((*encryptor).clone(), job).encrypt(&memory)
    };
    promise(env, &COMPUTE, work, deliver)
}

/// Decrypts text.
#[napi]
pub fn decrypt_armoured(decryptor: u32, file: &[u8]) -> Result<Bytes> {
    guard(|| held::<Decryptor>(decryptor).decrypt(file).map(Bytes::from))
}

#[napi]
pub fn decrypt_range(decryptor: u32, file: &[u8], start: f64, end: f64) -> Result<Bytes> {
    guard(|| held::<Decryptor>(decryptor).decrypt_range(file, length(start)..length(end)).map(Bytes::from))
}

/// As `decrypt_range`, of what was loaded.
#[napi]
pub fn decrypt_range_loaded(
    env: &Env,
    decryptor: u32,
    loading: u32,
    start: f64,
    end: f64,
    job: u32,
) -> Result<Object<'_>> {
    let (decryptor, memory, job) =
        guard(|| Ok((held::<Decryptor>(decryptor), held::<Mutex<Zeroizing<Vec<u8>>>>(loading), job_of(job))))?;
    let work = move || {
        let memory = Zeroizing::new(std::mem::take(&mut **locked(&memory)));
        watched!((*decryptor).clone(), job).decrypt_range(&memory, length(start)..length(end))
    };
    promise(env, &COMPUTE, work, deliver)
}

/// As `rewrap`, of what was loaded.
#[napi]
pub fn rewrap_loaded(env: &Env, rewrapper: u32, loading: u32, job: u32) -> Result<Object<'_>> {
    let (rewrapper, memory, job) =
        guard(|| Ok((held::<Rewrapper>(rewrapper), held::<Mutex<Zeroizing<Vec<u8>>>>(loading), job_of(job))))?;
    let work = move || {
        let memory = Zeroizing::new(std::mem::take(&mut **locked(&memory)));
        watched!((*rewrapper).clone(), job).rewrap(&memory)
    };
    promise(env, &COMPUTE, work, deliver)
}

#[napi]
pub fn rewrap(rewrapper: u32, file: &[u8]) -> Result<Bytes> {
    guard(|| held::<Rewrapper>(rewrapper).rewrap(file).map(Bytes::from))
}

/// What an operation has processed, in bytes.
#[napi(object)]
pub struct Processed {
    pub plaintext: f64,
    pub ciphertext: f64,
}

impl From<Summary> for Processed {
    fn from(summary: Summary) -> Self {
        Self { plaintext: number(summary.plaintext), ciphertext: number(summary.ciphertext) }
    }
}

pub fn path(bytes: &[u8]) -> PathBuf {
    Path::new(OsStr::from_bytes(bytes)).to_path_buf()
}

/// How a job opens files, and where it runs: what may wait for another process has a thread to itself.
pub fn access_of(job: &Arc<Job>, special: bool) -> (FileAccess, &'static Pool) {
    let ended = Arc::clone(job);
    let access = FileAccess::new().allow_special(special).cancel_when(move || ended.is_cancelled());
    (access, if special { &WAITING } else { &FILES })
}

#[napi]
pub fn encrypt_file<'env>(
    env: &'env Env,
    encryptor: u32,
    input: &[u8],
    output: &[u8],
    replace: bool,
    special: bool,
    job: u32,
) -> Result<Object<'env>> {
    let (encryptor, job) = guard(|| Ok((held::<Encryptor>(encryptor), job_of(job))))?;
    let (input, output) = (path(input), path(output));
    let (access, pool) = access_of(&job, special);
    let work = move || {
        let input = access.input(input)?;
        let output = access.output(output)?.mode(FileMode::Shared).replace(replace);
        watched!((*encryptor).clone(), job).encrypt_to(input, output)
    };
    promise(env, pool, work, Processed::from)
}

#[napi]
pub fn decrypt_file<'env>(
    env: &'env Env,
    decryptor: u32,
    input: &[u8],
    output: &[u8],
    replace: bool,
    special: bool,
    job: u32,
) -> Result<Object<'env>> {
    let (decryptor, job) = guard(|| Ok((held::<Decryptor>(decryptor), job_of(job))))?;
    let (input, output) = (path(input), path(output));
    let (access, pool) = access_of(&job, special);
    let work = move || {
        let input = access.input(input)?;
        let output = access.output(output)?.replace(replace);
        watched!((*decryptor).clone(), job).decrypt_to(input, output)
    };
    promise(env, pool, work, Processed::from)
}

#[napi]
pub fn verify_file<'env>(
    env: &'env Env,
    decryptor: u32,
    input: &[u8],
    special: bool,
    job: u32,
) -> Result<Object<'env>> {
    let (decryptor, job) = guard(|| Ok((held::<Decryptor>(decryptor), job_of(job))))?;
    let input = path(input);
    let (access, pool) = access_of(&job, special);
    let work = move || watched!((*decryptor).clone(), job).verify(access.input(input)?);
    promise(env, pool, work, Processed::from)
}

#[napi]
pub fn rewrap_file<'env>(env: &'env Env, rewrapper: u32, file: &[u8], job: u32) -> Result<Object<'env>> {
    let (rewrapper, job) = guard(|| Ok((held::<Rewrapper>(rewrapper), job_of(job))))?;
    let file = path(file);
    let (access, pool) = access_of(&job, false);
    let work = move || {
        let input = access.input(&file)?;
        let mode = input.mode().map_or_else(FileMode::default, FileMode::Exactly);
        let output = access.output(file)?.mode(mode).in_place();
        watched!((*rewrapper).clone(), job).rewrap_to(input, output)
    };
    promise(env, pool, work, Processed::from)
}

#[napi]
pub fn decrypt_range_file<'env>(
    env: &'env Env,
    decryptor: u32,
    input: &[u8],
    start: f64,
    end: f64,
    special: bool,
    job: u32,
) -> Result<Object<'env>> {
    let (decryptor, job) = guard(|| Ok((held::<Decryptor>(decryptor), job_of(job))))?;
    let input = path(input);
    let (access, pool) = access_of(&job, special);
    let work = move || {
        let mut plaintext = Zeroizing::new(Vec::new());
        let range = length(start)..length(end);
        let decryptor = watched!((*decryptor).clone(), job);
        decryptor.decrypt_range_to(access.input(input)?, range, Output::writer(&mut *plaintext))?;
        Ok(std::mem::take(&mut *plaintext))
    };
    promise(env, pool, work, deliver)
}

/// What anybody can see of a file.
#[napi(object)]
pub struct Seen {
    pub version: u8,
    pub suite: String,
    pub context_bound: bool,
    pub armoured: bool,
    pub stanzas: Vec<SeenStanza>,
    pub header_len: f64,
    pub payload_len: f64,
    pub plaintext_len: f64,
    pub chunks: f64,
}

#[napi(object)]
pub struct SeenStanza {
    pub kind: String,
    pub type_id: u16,
    pub body_len: u32,
}

impl From<Inspection> for Seen {
    fn from(seen: Inspection) -> Self {
        let stanzas = seen.stanzas.into_iter().map(|stanza| SeenStanza {
            kind: stanza.kind.to_owned(),
            type_id: stanza.type_id,
            body_len: u32::try_from(stanza.body_len).expect("files: a stanza's length has 16 bits"),
        });
        Self {
            version: seen.version,
            suite: seen.suite.name().to_owned(),
            context_bound: seen.context_bound,
            armoured: seen.armoured,
            stanzas: stanzas.collect(),
            header_len: number(seen.header_len),
            payload_len: number(seen.payload_len),
            plaintext_len: number(seen.plaintext_len),
            chunks: number(seen.chunks),
        }
    }
}

#[napi]
pub fn inspect(file: &[u8]) -> Result<Seen> {
    guard(|| sealstone::inspect(Input::reader(file)).map(Seen::from))
}

#[napi]
pub fn inspect_file<'env>(env: &'env Env, file: &[u8], special: bool, job: u32) -> Result<Object<'env>> {
    let job = guard(|| Ok(job_of(job)))?;
    let file = path(file);
    let (access, pool) = access_of(&job, special);
    promise(env, pool, move || sealstone::inspect(access.input(file)?), Seen::from)
}

/// Works on all units, on several threads if they are long. The error is that of the first unit that failed.
pub fn share<T: Send>(
    units: Vec<T>,
    len: usize,
    threads: Option<u32>,
    work: impl Fn(T) -> sealstone::Result<()> + Sync,
) -> sealstone::Result<()> {
    let threads = if len < ALONE_LEN { 1 } else { threads_of(threads).min(units.len()) };
    if threads <= 1 {
        return units.into_iter().try_for_each(work);
    }
    let units = Mutex::new(units.into_iter().enumerate());
    let failure = Mutex::new(None::<(usize, Error)>);
    let run = || {
        loop {
            // Units are taken in order, so each below a failed one is finished by whoever has it.
            let stop = locked(&failure).is_some();
            let next = if stop { None } else { locked(&units).next() };
            let Some((index, unit)) = next else { return };
            if let Err(error) = work(unit) {
                let mut failure = locked(&failure);
                if failure.as_ref().is_none_or(|(lowest, _)| index < *lowest) {
                    *failure = Some((index, error));
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // A refused thread is no failure: the others do its work.
            if std::thread::Builder::new().spawn_scoped(scope, run).is_err() {
                break;
            }
        }
        run();
    });
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((_, error)) => Err(error),
        None => Ok(()),
    }
}
