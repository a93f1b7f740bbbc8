//! Files in memory as a whole, and files by name.

use crate::Delivery;
use crate::batch;
use crate::calls::records::{BatchResult, Inspection, Processed};
use crate::files;
use crate::job::Job;
use crate::loading::{self, Loading};
use crate::memory::Last;
use crate::work::Work;
use sealstone::{Decryptor, Encryptor, Input, Result, Rewrapper};
use sealstone_call::call;
use std::path::PathBuf;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Encrypts a plaintext, as text where the encryptor armours.
/// Errors: `cost_too_high`, `mixed_recipients`, `invalid_recipients`, `not_in_profile`, `unavailable_backend`, `too_long`, `no_randomness`.
#[call(js, counts("encrypt", file, plaintext))]
pub fn encrypt_armoured(encryptor: Last<Encryptor>, plaintext: &[u8]) -> Result<Vec<u8>> {
    encryptor.encrypt(plaintext)
}

/// Decrypts a file, which may be text.
/// Errors: `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `malformed_compression`,
/// `truncated`, `context_required`, `context_not_bound`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `not_authentic`,
/// `not_in_profile`, `unavailable_backend`, `too_long`.
#[call(js, counts("decrypt", file, file))]
pub fn decrypt_armoured(decryptor: Last<Decryptor>, file: &[u8]) -> Result<Vec<u8>> {
    decryptor.decrypt(file)
}

/// Decrypts the bytes of a plaintext from `start` to `end`.
/// Errors: `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `malformed_compression`,
/// `truncated`, `context_required`, `context_not_bound`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `not_authentic`,
/// `not_in_profile`, `unavailable_backend`, `range_out_of_bounds`, `too_long`.
#[call(counts("decryptRange", file))]
pub fn decrypt_range(decryptor: &Decryptor, file: &[u8], start: u64, end: u64) -> Result<Vec<u8>> {
    decryptor.decrypt_range(file, start..end)
}

/// Gives a file other recipients; its chunks stay as they are.
/// Errors: `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `truncated`,
/// `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `mixed_recipients`, `invalid_recipients`, `not_in_profile`,
/// `unavailable_backend`, `no_randomness`.
#[call]
pub fn rewrap(rewrapper: &Rewrapper, file: &[u8]) -> Result<Vec<u8>> {
    rewrapper.rewrap(file)
}

/// Shows the public part of a file.
/// Errors: `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `truncated`.
#[call]
pub fn inspect(file: &[u8]) -> Result<Inspection> {
    sealstone::inspect(Input::reader(file)).map(Inspection::from)
}

/// As `encrypt_armoured`, of a plaintext that was loaded.
/// Errors: `cost_too_high`, `mixed_recipients`, `invalid_recipients`, `not_in_profile`, `unavailable_backend`, `too_long`, `no_randomness`,
/// `cancelled`.
#[call(native, counts("encrypt", file))]
pub fn encrypt_armoured_loaded(
    encryptor: Arc<Encryptor>,
    loading: Arc<Loading>,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Delivery> + Send + 'static> {
    loading::encrypt_armoured_loaded(encryptor, loading, job).then(|bytes| Ok(bytes.into()))
}

/// As `decrypt_armoured`, of a file that was loaded.
/// Errors: `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `malformed_compression`,
/// `truncated`, `context_required`, `context_not_bound`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `not_authentic`,
/// `not_in_profile`, `unavailable_backend`, `too_long`, `cancelled`.
#[call(native, counts("decrypt", file))]
pub fn decrypt_loaded(
    decryptor: Arc<Decryptor>,
    loading: Arc<Loading>,
    job: Arc<Job>,
    threads: Option<u32>,
) -> Work<impl FnOnce() -> Result<Delivery> + Send + 'static> {
    loading::decrypt_loaded(decryptor, loading, job, threads).then(|bytes| Ok(bytes.into()))
}

/// As `decrypt_range`, of a file that was loaded.
/// Errors: `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `malformed_compression`,
/// `truncated`, `context_required`, `context_not_bound`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `not_authentic`,
/// `not_in_profile`, `unavailable_backend`, `range_out_of_bounds`, `too_long`, `cancelled`.
#[call(native, counts("decryptRange", file))]
pub fn decrypt_range_loaded(
    decryptor: Arc<Decryptor>,
    loading: Arc<Loading>,
    start: u64,
    end: u64,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Delivery> + Send + 'static> {
    loading::decrypt_range_loaded(decryptor, loading, start..end, job).then(|bytes| Ok(bytes.into()))
}

/// As `rewrap`, of a file that was loaded.
/// Errors: `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `truncated`,
/// `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `mixed_recipients`, `invalid_recipients`, `not_in_profile`,
/// `unavailable_backend`, `no_randomness`, `cancelled`.
#[call(native)]
pub fn rewrap_loaded(
    rewrapper: Arc<Rewrapper>,
    loading: Arc<Loading>,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Delivery> + Send + 'static> {
    loading::rewrap_loaded(rewrapper, loading, job).then(|bytes| Ok(bytes.into()))
}

/// Encrypts items that lie one behind the other, each to a file of its own.
/// Errors: `cost_too_high`, `mixed_recipients`, `invalid_recipients`, `not_in_profile`, `unavailable_backend`, `too_long`, `no_randomness`,
/// `cancelled`.
#[call(native, counts("encryptBatch", file, data))]
pub fn encrypt_batch(
    encryptor: Arc<Encryptor>,
    data: Zeroizing<Vec<u8>>,
    lengths: Vec<u32>,
    job: Arc<Job>,
    threads: Option<u32>,
) -> Work<impl FnOnce() -> Result<BatchResult> + Send + 'static> {
    batch::encrypt_batch(encryptor, data, lengths, job, threads).then(|batch| Ok(batch.into()))
}

/// Decrypts files that lie one behind the other.
/// Errors: `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `malformed_compression`,
/// `truncated`, `context_required`, `context_not_bound`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `not_authentic`,
/// `not_in_profile`, `unavailable_backend`, `too_long`, `cancelled`.
#[call(native, counts("decryptBatch", file, data))]
pub fn decrypt_batch(
    decryptor: Arc<Decryptor>,
    data: Zeroizing<Vec<u8>>,
    lengths: Vec<u32>,
    job: Arc<Job>,
    threads: Option<u32>,
) -> Work<impl FnOnce() -> Result<BatchResult> + Send + 'static> {
    batch::decrypt_batch(decryptor, data, lengths, job, threads).then(|batch| Ok(batch.into()))
}

/// Encrypts a file into a new one. The output appears when all of it is there; `special` also takes pipes and devices.
/// Errors: `cost_too_high`, `mixed_recipients`, `invalid_recipients`, `not_in_profile`, `unavailable_backend`, `too_long`, `no_randomness`,
/// `same_file`, `output_exists`, `not_regular_file`, `input_changed`, `cancelled`, `io`.
#[call(native, counts("encryptFile", file))]
pub fn encrypt_file(
    encryptor: Arc<Encryptor>,
    input: PathBuf,
    output: PathBuf,
    replace: bool,
    special: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Processed> + Send + 'static> {
    files::encrypt_file(encryptor, input, output, replace, special, job).then(|done| Ok(done.into()))
}

/// Decrypts a file into a new one. The output appears when all of it is authentic.
/// Errors: `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `malformed_compression`,
/// `truncated`, `context_required`, `context_not_bound`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `not_authentic`,
/// `not_in_profile`, `unavailable_backend`, `too_long`, `same_file`, `output_exists`, `not_regular_file`, `input_changed`, `cancelled`,
/// `io`.
#[call(native, counts("decryptFile", file))]
pub fn decrypt_file(
    decryptor: Arc<Decryptor>,
    input: PathBuf,
    output: PathBuf,
    replace: bool,
    special: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Processed> + Send + 'static> {
    files::decrypt_file(decryptor, input, output, replace, special, job).then(|done| Ok(done.into()))
}

/// Checks that all of a file is authentic, and of an archive its members and index too.
/// Errors: `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `malformed_compression`,
/// `malformed_archive`, `truncated`, `context_required`, `context_not_bound`, `cost_too_high`, `no_matching_identity`,
/// `header_not_authentic`, `not_authentic`, `not_in_profile`, `unavailable_backend`, `too_long`, `not_regular_file`, `input_changed`,
/// `cancelled`, `io`.
#[call(native, counts("verifyFile", file))]
pub fn verify_file(
    decryptor: Arc<Decryptor>,
    input: PathBuf,
    special: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Processed> + Send + 'static> {
    files::verify_file(decryptor, input, special, job).then(|done| Ok(done.into()))
}

/// Gives a file other recipients where it is; of one with several names `split_links` gives them to this name alone.
/// Errors: `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `truncated`,
/// `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `mixed_recipients`, `invalid_recipients`, `not_in_profile`,
/// `unavailable_backend`, `too_long`, `no_randomness`, `hard_links`, `not_regular_file`, `input_changed`, `cancelled`, `io`.
#[call(native)]
pub fn rewrap_file(
    rewrapper: Arc<Rewrapper>,
    file: PathBuf,
    split_links: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Processed> + Send + 'static> {
    files::rewrap_file(rewrapper, file, split_links, job).then(|done| Ok(done.into()))
}

/// Decrypts the bytes of a file's plaintext from `start` to `end`.
/// Errors: `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_compression`, `truncated`,
/// `context_required`, `context_not_bound`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `not_authentic`,
/// `not_in_profile`, `unavailable_backend`, `range_out_of_bounds`, `not_seekable`, `too_long`, `not_regular_file`, `input_changed`,
/// `cancelled`, `io`.
#[call(native, counts("decryptRangeFile", file))]
pub fn decrypt_range_file(
    decryptor: Arc<Decryptor>,
    input: PathBuf,
    start: u64,
    end: u64,
    special: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Delivery> + Send + 'static> {
    files::decrypt_range_file(decryptor, input, start..end, special, job).then(|bytes| Ok(bytes.into()))
}

/// Shows the public part of a file by name.
/// Errors: `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `truncated`, `too_long`,
/// `not_regular_file`, `input_changed`, `cancelled`, `io`.
#[call(native)]
pub fn inspect_file(
    file: PathBuf,
    special: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Inspection> + Send + 'static> {
    files::inspect_file(file, special, job).then(|seen| Ok(seen.into()))
}
