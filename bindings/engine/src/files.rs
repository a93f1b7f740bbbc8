//! Options of operations, and files by name.

use crate::job::{Job, watched};
use crate::pool::{FILES, WAITING};
use crate::work::Work;
use sealstone::{
    DecryptFiles, Decryptor, EncryptFiles, Encryptor, FileAccess, FileHasher, FileMode, FileOpener, Identity, Input,
    Inspection, Prepared, Recipient, Result, Rewrapper, Summary, chunked, hash,
};
use sealstone_call::call;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// The most threads that a caller may choose. The fewest are 1: without a choice it is all cores.
pub const MAX_THREADS: u32 = 1024;

/// Options of an encryptor. Core has the defaults.
#[call]
#[derive(Default)]
pub struct EncryptOptions<'a> {
    /// The suite's name.
    pub suite: Option<&'a str>,
    /// The context that the file is bound to: 1 to 1,024 bytes. By default there is none.
    pub context: Option<&'a [u8]>,
    /// Whether recipients that resist quantum computers may be together with others. By default they may not.
    pub allow_mixed: Option<bool>,
    /// The profile that has to allow all of this, by name. By default there is none.
    pub profile: Option<&'a str>,
    /// Whether the file is text. By default it is not.
    pub armour: Option<bool>,
    /// The most threads that compute. By default they are as many as the machine has.
    pub threads: Option<u32>,
}

/// An encryptor with these options.
pub fn encryptor(recipients: &[Arc<Recipient>], options: &EncryptOptions<'_>) -> Result<Encryptor> {
    let mut encryptor = Encryptor::new(recipients.iter().map(|one| (**one).clone()));
    if let Some(suite) = options.suite {
        encryptor = encryptor.suite(suite.parse()?);
    }
    if let Some(context) = options.context {
        encryptor = encryptor.context(context)?;
    }
    if let Some(allow) = options.allow_mixed {
        encryptor = encryptor.allow_mixed(allow);
    }
    if let Some(profile) = options.profile {
        encryptor = encryptor.profile(profile.parse()?);
    }
    if let Some(armour) = options.armour {
        encryptor = encryptor.armour(armour);
    }
    if let Some(threads) = options.threads {
        encryptor = encryptor.threads(threads as usize);
    }
    Ok(encryptor)
}

/// A decryptor with these options.
pub fn decryptor(
    identities: &[Arc<Identity>],
    context: Option<&[u8]>,
    profile: Option<&str>,
    threads: Option<u32>,
) -> Result<Decryptor> {
    let mut decryptor = Decryptor::new(identities.iter().map(|one| (**one).clone()));
    if let Some(context) = context {
        decryptor = decryptor.context(context)?;
    }
    if let Some(profile) = profile {
        decryptor = decryptor.profile(profile.parse()?);
    }
    if let Some(threads) = threads {
        decryptor = decryptor.threads(threads as usize);
    }
    Ok(decryptor)
}

/// A rewrapper with these options.
pub fn rewrapper(
    identities: &[Arc<Identity>],
    recipients: &[Arc<Recipient>],
    replace: Option<bool>,
    allow_mixed: Option<bool>,
    profile: Option<&str>,
) -> Result<Rewrapper> {
    let (identities, recipients) = (identities.iter(), recipients.iter());
    let mut rewrapper = Rewrapper::new(identities.map(|one| (**one).clone()), recipients.map(|one| (**one).clone()));
    if let Some(replace) = replace {
        rewrapper = rewrapper.replace(replace);
    }
    if let Some(allow) = allow_mixed {
        rewrapper = rewrapper.allow_mixed(allow);
    }
    if let Some(profile) = profile {
        rewrapper = rewrapper.profile(profile.parse()?);
    }
    Ok(rewrapper)
}

/// A path of the system's bytes.
#[cfg(unix)]
pub fn path(bytes: &[u8]) -> PathBuf {
    <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes).into()
}

/// The same encryptor, which shows a job how far it is, and ends when that does.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn watching(encryptor: &Encryptor, job: &Arc<Job>) -> Encryptor {
    watched!(encryptor.clone(), job)
}

/// Encrypts a file into a new one, in any format.
pub fn encrypt_file<E: EncryptFiles + Clone + 'static>(
    encryptor: Arc<E>,
    input: PathBuf,
    output: PathBuf,
    replace: bool,
    special: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Summary> + Send + 'static> {
    by_name(special, job, move |access, job| {
        let input = access.input(input)?;
        let output = access.output(output)?.mode(FileMode::Shared).replace(replace);
        let mut encryptor = (*encryptor).clone();
        job.watch(encryptor.settings_mut());
        encryptor.encrypt_to(input, output)
    })
}

/// Decrypts a file of any format into a new one.
pub fn decrypt_file<D: DecryptFiles + Clone + 'static>(
    decryptor: Arc<D>,
    input: PathBuf,
    output: PathBuf,
    replace: bool,
    special: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Summary> + Send + 'static> {
    by_name(special, job, move |access, job| {
        let input = access.input(input)?;
        let output = access.output(output)?.replace(replace);
        let mut decryptor = (*decryptor).clone();
        job.watch(decryptor.settings_mut());
        decryptor.decrypt_to(input, output)
    })
}

/// Decrypts a part of a file of any format.
pub fn decrypt_range_file<D: DecryptFiles + Clone + 'static>(
    decryptor: Arc<D>,
    input: PathBuf,
    range: Range<u64>,
    special: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Vec<u8>> + Send + 'static> {
    by_name(special, job, move |access, job| {
        let input = access.input(input)?;
        let mut decryptor = (*decryptor).clone();
        job.watch(decryptor.settings_mut());
        decryptor.decrypt_range_from(input, range)
    })
}

/// Authenticates a file.
pub fn verify_file(
    decryptor: Arc<Decryptor>,
    input: PathBuf,
    special: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Summary> + Send + 'static> {
    by_name(special, job, move |access, job| {
        let input = access.input(input)?;
        watched!((*decryptor).clone(), job).verify(input)
    })
}

/// Gives a file to other recipients, in its place and with its mode; where `split`, also one that has other names.
pub fn rewrap_file(
    rewrapper: Arc<Rewrapper>,
    file: PathBuf,
    split: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Summary> + Send + 'static> {
    by_name(false, job, move |access, job| rewrapped(&rewrapper, file, split, &access, &job)?.publish())
}

/// Encrypts a file into a new one that has no name yet.
pub fn prepare_encryption(
    encryptor: Arc<Encryptor>,
    input: PathBuf,
    output: PathBuf,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Prepared<'static>> + Send + 'static> {
    by_name(false, job, move |access, job| {
        let (input, output) = (access.input(input)?, access.output(output)?.mode(FileMode::Shared));
        watched!((*encryptor).clone(), job).prepare(input, output)
    })
}

/// Decrypts a file into a new one that has no name yet.
pub fn prepare_decryption(
    decryptor: Arc<Decryptor>,
    input: PathBuf,
    output: PathBuf,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Prepared<'static>> + Send + 'static> {
    by_name(false, job, move |access, job| {
        let (input, output) = (access.input(input)?, access.output(output)?);
        watched!((*decryptor).clone(), job).prepare(input, output)
    })
}

/// Makes the file that is to come into the place of another one.
pub fn prepare_rewrapping(
    rewrapper: Arc<Rewrapper>,
    file: PathBuf,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Prepared<'static>> + Send + 'static> {
    by_name(false, job, move |access, job| rewrapped(&rewrapper, file, false, &access, &job))
}

fn rewrapped(
    rewrapper: &Rewrapper,
    file: PathBuf,
    split: bool,
    access: &FileAccess,
    job: &Arc<Job>,
) -> Result<Prepared<'static>> {
    let input = access.input(&file)?;
    let mode = input.mode().map_or_else(FileMode::default, FileMode::Exactly);
    let output = access.output(file)?.mode(mode).in_place().split_links(split);
    watched!(rewrapper.clone(), job).prepare(input, output)
}

/// The name of a sealed file by its content: all bytes before its first chunk, and BLAKE3 of its payload. The payload is all behind the
/// header, and rewrapping keeps it. `input` gives the file from a byte on.
///
/// # Errors
/// The errors of the head; [`Error::Io`](sealstone::Error::Io) and
/// [`Error::InputChanged`](sealstone::Error::InputChanged) from the file.
pub fn content(input: impl Fn(u64) -> Result<Input<'static>>) -> Result<(Vec<u8>, hash::Digest)> {
    let mut file = input(0)?;
    let head_len = FileOpener::read_head_len(file.head(FileOpener::START_LEN)?)?;
    let payload_at = head_len - chunked::HEAD_LEN;
    if let Some(len) = file.len().filter(|len| *len <= HASHED_AT_ONCE) {
        let all = file.head(usize::try_from(len).unwrap_or(usize::MAX))?;
        let payload = hash::hash(hash::Algorithm::Blake3, &all[payload_at.min(all.len())..]);
        return Ok((all[..head_len.min(all.len())].to_vec(), payload));
    }
    let head = file.head(head_len)?.to_vec();
    let hasher = FileHasher::new(hash::Hasher::new(hash::Algorithm::Blake3)).threads(1);
    Ok((head, hasher.run(input(payload_at as u64)?)?))
}

/// Bytes of a file up to which it is read at once.
const HASHED_AT_ONCE: u64 = 1 << 20;

/// Inspects a file: returns the fields that anybody can see.
pub fn inspect_file(
    file: PathBuf,
    special: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Inspection> + Send + 'static> {
    by_name(special, job, move |access, _| sealstone::inspect(access.input(file)?))
}

/// Work that opens files: where `special`, also those that are no regular files, and then on a thread to itself, since it may wait for
/// another process. Relative names begin in the working directory of the call, whatever it is when a thread comes to the work.
pub(crate) fn by_name<T>(
    special: bool,
    job: Arc<Job>,
    run: impl FnOnce(FileAccess, Arc<Job>) -> Result<T> + Send + 'static,
) -> Work<impl FnOnce() -> Result<T> + Send + 'static> {
    let ended = Arc::clone(&job);
    let mut access = FileAccess::new().allow_special(special).cancel_when(move || ended.is_cancelled());
    // Of one that is gone the system says so when a file is opened.
    if let Ok(folder) = std::env::current_dir() {
        access = access.relative_to(folder);
    }
    Work::new(if special { &WAITING } else { &FILES }, move || run(access, job))
}
