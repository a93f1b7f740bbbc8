//! Files that are pushed through in parts, and units of chunks.

use crate::calls::records::{Processed, Progress};
use crate::job::{Job, Wanted};
use crate::parts::{Opening, Sealing};
use crate::streams::{DecryptStream, EncryptStream, Unit, Writer};
use crate::work::Work;
use sealstone::chunked::{CHUNK_LEN, SEALED_CHUNK_LEN};
use sealstone::{Decryptor, Encryptor, Result};
use sealstone_call::call;
use std::path::PathBuf;
use std::sync::Arc;

/// Encrypts a plaintext, as text where the encryptor armours.
/// Errors: `cost_too_high`, `mixed_recipients`, `invalid_recipients`, `not_in_profile`, `unavailable_backend`, `too_long`, `no_randomness`.
#[call(c)]
pub fn encrypt(encryptor: &Encryptor, plaintext: &[u8]) -> Result<Vec<u8>> {
    encryptor.encrypt(plaintext)
}

/// Decrypts a file, armoured or not.
/// Errors: `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `malformed_compression`,
/// `truncated`, `context_required`, `context_not_bound`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `not_authentic`,
/// `not_in_profile`, `unavailable_backend`, `too_long`.
#[call(c)]
pub fn decrypt(decryptor: &Decryptor, file: &[u8]) -> Result<Vec<u8>> {
    decryptor.decrypt(file)
}

/// Says how far a job is.
#[call(c)]
pub fn job_progress(job: &Wanted) -> Progress {
    let mut numbers = job.job().progress();
    Progress { done: numbers.next().unwrap_or_default(), total: numbers.next().unwrap_or(u64::MAX) }
}

/// Begins a file that is encrypted as it is pushed; it is armoured where the encryptor armours. The job ends the derivation of a passphrase.
/// Errors: `cost_too_high`, `mixed_recipients`, `invalid_recipients`, `not_in_profile`, `unavailable_backend`, `no_randomness`,
/// `cancelled`.
#[call(c)]
pub fn encrypt_stream(
    encryptor: Arc<Encryptor>,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<EncryptStream> + Send + 'static> {
    EncryptStream::begin(encryptor, job)
}

/// Says how many bytes `encrypt_stream_update` gives of a part of so many at the most; of 0, how many `encrypt_stream_finish` gives.
/// Errors: none.
#[call(c)]
pub fn encrypt_stream_update_len(stream: &EncryptStream, plaintext_len: usize) -> Result<usize> {
    Ok(stream.update_len(plaintext_len))
}

/// Takes the next part of the plaintext. The memory is as long as `encrypt_stream_update_len` says; returns how many bytes were written.
/// Errors: `too_long`.
#[call(c)]
pub fn encrypt_stream_update(stream: &EncryptStream, plaintext: &[u8], file: &mut [u8]) -> Result<usize> {
    stream.update(plaintext, file)
}

/// Ends the file; returns how many bytes were written.
/// Errors: `too_long`.
#[call(c)]
pub fn encrypt_stream_finish(stream: &EncryptStream, file: &mut [u8]) -> Result<usize> {
    stream.finish(file)
}

/// Begins to decrypt a file, armoured or not, as it is pushed. The job ends the derivation of a passphrase, which is in the call that
/// takes the end of the header. A file that is compressed is an `unsupported_version` there: it can only be decrypted as a whole.
#[call(c)]
pub fn decrypt_stream(decryptor: Arc<Decryptor>, job: Arc<Job>) -> DecryptStream {
    DecryptStream::new(decryptor, job)
}

/// Says how many bytes `decrypt_stream_update` gives of a part of so many at the most; of 0, how many `decrypt_stream_finish` gives.
/// Errors: none.
#[call(c)]
pub fn decrypt_stream_update_len(stream: &DecryptStream, file_len: usize) -> Result<usize> {
    Ok(stream.update_len(file_len))
}

/// Takes the next part of the file. The memory is as long as `decrypt_stream_update_len` says; returns how many bytes of plaintext were
/// written, which are authentic. Where a fault is behind such bytes, this call gives the bytes, and the next one the error. After an error
/// the stream has ended.
/// Errors: `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `truncated`,
/// `context_required`, `context_not_bound`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `not_authentic`,
/// `not_in_profile`, `unavailable_backend`, `too_long`, `cancelled`.
#[call(c)]
pub fn decrypt_stream_update(stream: &DecryptStream, file: &[u8], plaintext: &mut [u8]) -> Result<usize> {
    stream.update(file, plaintext)
}

/// Ends the file; returns how many bytes of plaintext were written. Before this has succeeded the file may have been cut off, or have a
/// fault behind the bytes that were given.
/// Errors: `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `truncated`,
/// `context_required`, `context_not_bound`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `not_authentic`,
/// `not_in_profile`, `unavailable_backend`, `too_long`, `cancelled`.
#[call(c)]
pub fn decrypt_stream_finish(stream: &DecryptStream, plaintext: &mut [u8]) -> Result<usize> {
    stream.finish(plaintext)
}

/// Says how many bytes of plaintext every chunk but the last has.
#[call(c)]
pub fn chunk_len() -> usize {
    CHUNK_LEN
}

/// Says how many bytes every chunk but the last has with its tag: the places of chunks in a unit are so far apart.
#[call(c)]
pub fn sealed_chunk_len() -> usize {
    SEALED_CHUNK_LEN
}

/// Takes the next chunks of a file, of so many bytes with their tags, to be sealed on any thread. A length that is no whole number of
/// `sealed_chunk_len` is that of the file's end, which every file has, if only as a tag.
/// Errors: none.
#[call(c)]
pub fn sealer_next_unit(sealer: &Sealing, length: usize) -> Result<Unit> {
    Ok(Unit::next(sealer, length))
}

/// Seals the chunks of a unit, once. The place of each chunk has its plaintext, and behind that room for the tag. After an error the memory is
/// zero.
/// Errors: `wrong_length`, `too_long`.
#[call(c)]
pub fn unit_seal(unit: &Unit, places: &mut [u8]) -> Result<()> {
    unit.seal(places)
}

/// Opens chunks from a number on where they lie, on any thread: the last 16 bytes of each place are not of its plaintext. A length that is no
/// whole number of `sealed_chunk_len` is that of the file's end, and a file without such an end was cut off. After an error the memory is zero.
/// Errors: `truncated`, `not_authentic`, `too_long`.
#[call(c)]
pub fn opener_open(opener: &Opening, first: u64, places: &mut [u8]) -> Result<()> {
    opener.open_places(first, places)
}

/// Begins a file that is encrypted as it is written, and appears under its name at its end. Another file of the name is an error, unless
/// `replace`. The job shows how far it is, and ends it.
/// Errors: `cost_too_high`, `mixed_recipients`, `invalid_recipients`, `not_in_profile`, `unavailable_backend`, `no_randomness`,
/// `output_exists`, `not_regular_file`, `cancelled`, `io`.
#[call(c)]
pub fn writer(
    encryptor: Arc<Encryptor>,
    output: PathBuf,
    replace: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Writer> + Send + 'static> {
    Writer::begin(encryptor, output, replace, job)
}

/// Takes the next part of the plaintext.
/// Errors: `too_long`, `cancelled`, `io`.
#[call(c)]
pub fn writer_write(writer: &Writer, plaintext: &[u8]) -> Result<()> {
    writer.write(plaintext)
}

/// Gives the file its name. Without this, and after an error, there is no file.
/// Errors: `too_long`, `output_exists`, `cancelled`, `io`.
#[call(c)]
pub fn writer_commit(writer: &Writer) -> Result<Processed> {
    writer.commit().map(Processed::from)
}
