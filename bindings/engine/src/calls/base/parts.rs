//! Files in parts: streams, and bytes in memory that are handed over part by part.

use crate::files::{self, EncryptOptions};
use crate::handles::Object;
use crate::job::Job;
use crate::memory::{Last, Lending};
use crate::parts::{self, Armouring, Dearmouring, Opening, Part, Sealing};
use crate::work::Work;
use sealstone::{ArmourDecoder, Decryptor, Encryptor, Error, FileOpener, Identity, Recipient, Result};
use sealstone_call::call;
use std::sync::Arc;

/// Begins a file, and says how long it is with a plaintext of that length. The options say nothing of armour.
/// Errors: `cost_too_high`, `mixed_recipients`, `invalid_recipients`, `not_in_profile`, `invalid_context`, `unknown_algorithm`,
/// `unavailable_backend`, `too_long`, `no_randomness`.
#[call(stack = 64)]
pub fn sealer(
    recipients: &[Arc<Recipient>],
    options: EncryptOptions<'_>,
    plaintext_len: u64,
) -> Result<(Sealing, Option<u64>)> {
    let sealing = Sealing::new(&files::encryptor(recipients, &options)?)?;
    let len = sealing.file_len(plaintext_len)?;
    Ok((sealing, Some(len)))
}

/// Begins a file on another thread, since a passphrase costs a password hash. Where there are no threads, the job ends its derivation.
/// Errors: `cost_too_high`, `mixed_recipients`, `invalid_recipients`, `not_in_profile`, `unavailable_backend`, `no_randomness`,
/// `cancelled`.
#[call(native)]
pub fn sealer_later(
    encryptor: Arc<Encryptor>,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Sealing> + Send + 'static> {
    Sealing::later(encryptor, job)
}

/// Begins a file of which a host may seal the chunks.
/// Errors: `cost_too_high`, `mixed_recipients`, `invalid_recipients`, `not_in_profile`, `no_randomness`.
#[call(wasm, stack = 64)]
pub fn sealer_of(encryptor: &Encryptor) -> Result<Sealing> {
    Sealing::new(encryptor)
}

/// Gives the length of the file of a plaintext of so many bytes.
/// Errors: `too_long`.
#[call(stack = 16)]
pub fn sealer_file_len(sealer: &Sealing, plaintext_len: u64) -> Result<u64> {
    sealer.file_len(plaintext_len)
}

/// Encrypts a whole plaintext into memory. Its length: `sealer_file_len` says it, and so does `sealer`. After an error the memory is zero.
/// Errors: `wrong_length`, `too_long`.
#[call(stack = 16, counts("encrypt", file, plaintext))]
pub fn seal_into(sealer: Last<Sealing>, plaintext: &[u8], file: &mut [u8], threads: Option<u32>) -> Result<()> {
    sealer.seal_into(plaintext, file, threads)
}

/// Gives all of the file before its first chunk.
#[call(stack = 16)]
pub fn sealer_head(sealer: &Sealing) -> Vec<u8> {
    sealer.head()
}

/// Takes plaintext, as much as the next unit has room for; returns how much that is.
#[call(js, stack = 16)]
pub fn sealer_fill(sealer: &Sealing, plaintext: &[u8]) -> usize {
    sealer.fill(plaintext)
}

/// Seals the next unit, if it is full; else there is no work.
/// Errors: `too_long`.
#[call(js, stack = 16, counts("encryptPart", file))]
pub fn sealer_unit(sealer: &Sealing) -> Option<Work<impl FnOnce() -> Result<Part> + Send + use<>>> {
    sealer.unit()
}

/// Seals the end of the stream.
/// Errors: `too_long`.
#[call(js, stack = 16, counts("encryptPart", file))]
pub fn sealer_finish(sealer: &Sealing) -> Work<impl FnOnce() -> Result<Part> + Send + use<>> {
    sealer.finish()
}

/// Takes the next part of a plaintext, and seals the chunks that it completes where they lie in the file's memory, which is the work's until
/// it has ended. Where it completes none there is no work.
/// Errors: `wrong_length`, `too_long`.
#[call(native, counts("encryptPart", file, part))]
pub fn seal_part<M: Lending>(
    sealer: &Sealing,
    part: &[u8],
    file: M,
) -> Result<Option<Work<impl FnOnce() -> Result<()> + Send + use<M>>>> {
    let lent = file.lend(sealer.placed(), |rest| sealer.place(part, rest))?;
    Ok(lent.map(|(unit, lent)| parts::seal_placed(unit, lent)))
}

/// Says how many units of a stream may be at work at the same time.
#[call(js, stack = 16)]
pub fn units_max(threads: Option<u32>) -> u32 {
    parts::units_max(threads)
}

/// Begins to write armour.
#[call(stack = 16)]
pub fn armour() -> Armouring {
    Armouring::default()
}

/// Takes more of a file; returns lines of its armour.
#[call(stack = 16)]
pub fn armour_update(armour: &Armouring, file: &[u8]) -> Vec<u8> {
    armour.update(file)
}

/// Returns the end of the armour.
#[call(stack = 16)]
pub fn armour_finish(armour: &Armouring) -> Vec<u8> {
    armour.finish()
}

/// Begins to read armour; where it `is_alone`, other text around it is refused, as whoever replaces the file needs it.
#[call(stack = 16)]
pub fn dearmour(is_alone: bool) -> Dearmouring {
    Dearmouring::new(is_alone)
}

/// Takes more text; returns the bytes that it stands for, up to the first fault.
/// Errors: `malformed_armour`.
#[call(stack = 16)]
pub fn dearmour_update(dearmour: &Dearmouring, text: &[u8]) -> Part {
    dearmour.update(text)
}

/// Ends the text; returns what is left.
/// Errors: `malformed_armour`.
#[call(stack = 16)]
pub fn dearmour_finish(dearmour: &Dearmouring) -> Part {
    dearmour.finish()
}

/// Says how many bytes `file_is_armoured` looks at, of a file that begins so; without bytes, how many tell it.
#[call(stack = 16)]
pub fn armour_look_len(start: &[u8]) -> usize {
    ArmourDecoder::look_len(start)
}

/// Says how many bytes `file_head_len` looks at.
#[call(stack = 16)]
pub fn file_start_len() -> usize {
    FileOpener::START_LEN
}

/// Gives the length of a file's head, by its first bytes.
/// Errors: `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `truncated`.
#[call(stack = 16)]
pub fn file_head_len(start: &[u8]) -> Result<usize> {
    FileOpener::read_head_len(start)
}

/// Whether a file that begins so is text.
#[call(stack = 16)]
pub fn file_is_armoured(start: &[u8]) -> bool {
    sealstone::is_armoured(start)
}

/// Begins to open a file of so many bytes, of which `head` is the beginning, and says how long its plaintext is; of a file that is armoured
/// or compressed it makes the decryptor alone.
/// Errors: `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `truncated`, `context_required`,
/// `context_not_bound`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `not_authentic`, `not_in_profile`,
/// `invalid_context`, `unknown_algorithm`, `unavailable_backend`, `too_long`.
#[call(stack = 64)]
pub fn opener(
    identities: &[Arc<Identity>],
    context: Option<&[u8]>,
    profile: Option<&str>,
    threads: Option<u32>,
    head: &[u8],
    file_len: u64,
) -> Result<(Object, Option<u64>)> {
    let decryptor = files::decryptor(identities, context, profile, threads)?;
    if sealstone::is_armoured(head) {
        return Ok((Object::new(decryptor), None));
    }
    let opening = match Opening::new(&decryptor, head) {
        // It is compressed, and how long its content is shows only in its frames. Where that is not it, the decryptor says the same.
        Err(Error::UnsupportedFlag(_)) => return Ok((Object::new(decryptor), None)),
        opening => opening?,
    };
    let len = opening.plaintext_len(file_len)?;
    Ok((Object::new(opening), Some(len)))
}

/// Begins to open a file on another thread; one that is compressed is an `unsupported_version`. Where there are no threads, the job ends the derivation of a passphrase's key.
/// Errors: `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `truncated`, `context_required`,
/// `context_not_bound`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `not_authentic`, `not_in_profile`,
/// `unavailable_backend`, `cancelled`.
#[call(native)]
pub fn opener_later(
    decryptor: Arc<Decryptor>,
    head: Vec<u8>,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Opening> + Send + 'static> {
    Opening::later(decryptor, head, job)
}

/// Begins to open a file of which a host may open the chunks.
/// Errors: `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `truncated`, `context_required`,
/// `context_not_bound`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `not_authentic`, `not_in_profile`.
#[call(wasm, stack = 64)]
pub fn opener_of(decryptor: &Decryptor, head: &[u8]) -> Result<Opening> {
    Opening::new(decryptor, head)
}

/// Gives the length of a file before its first chunk.
#[call(wasm, c, stack = 16)]
pub fn opener_head_len(opener: &Opening) -> usize {
    opener.head_len()
}

/// Gives the length of the plaintext of a file of so many bytes.
/// Errors: `truncated`, `too_long`.
#[call(wasm, c, stack = 16)]
pub fn opener_plaintext_len(opener: &Opening, file_len: u64) -> Result<u64> {
    opener.plaintext_len(file_len)
}

/// Decrypts a whole file into memory. Its length: `opener_plaintext_len` says it, and so does `opener`. After an error the memory is zero.
/// Errors: `truncated`, `not_authentic`, `wrong_length`.
#[call(stack = 16, counts("decrypt", file, file))]
pub fn open_into(opener: Last<Opening>, file: &[u8], plaintext: &mut [u8], threads: Option<u32>) -> Result<()> {
    opener.open_into(file, plaintext, threads)
}

/// Takes chunks, as much as the next unit has room for; returns how much that is.
#[call(js, stack = 16)]
pub fn opener_fill(opener: &Opening, chunks: &[u8]) -> usize {
    opener.fill(chunks)
}

/// Opens the next unit, if it is full; else there is no work.
/// Errors: `not_authentic`, `too_long`.
#[call(js, stack = 16, counts("decryptPart", file))]
pub fn opener_unit(opener: &Opening) -> Option<Work<impl FnOnce() -> Result<Part> + Send + use<>>> {
    opener.unit()
}

/// Opens the rest: at the end of the stream all, otherwise the chunks that are whole.
/// Errors: `truncated`, `not_authentic`, `too_long`.
#[call(js, stack = 16, counts("decryptPart", file))]
pub fn opener_finish(opener: &Opening, is_end: bool) -> Work<impl FnOnce() -> Result<Part> + Send + use<>> {
    opener.finish(is_end)
}

/// Opens chunks from a number on; a length that is no whole number of chunks is that of the file's end.
/// Errors: `truncated`, `not_authentic`, `too_long`.
#[call(js, stack = 16)]
pub fn opener_at(opener: &Opening, first: u64, chunks: &[u8]) -> Result<Vec<u8>> {
    opener.open_at(first, chunks)
}

/// Takes the next part of a file, and opens the chunks that it completes where they lie in the plaintext's memory, which is the work's until
/// it has ended; that says whether the file ends with them. Where it completes none there is no work.
/// Errors: `not_authentic`, `wrong_length`, `too_long`.
#[call(native, counts("decryptPart", file, part))]
pub fn open_part<M: Lending>(
    opener: &Opening,
    part: &[u8],
    plaintext: M,
) -> Result<Option<Work<impl FnOnce() -> Result<bool> + Send + use<M>>>> {
    let lent = plaintext.lend(opener.placed(), |rest| opener.place(part, rest))?;
    Ok(lent.map(|(unit, lent)| parts::open_placed(unit, lent)))
}
