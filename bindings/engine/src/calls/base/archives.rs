//! Archives of files and folders, by name.

use crate::archives::{self, Extracting, Writing};
use crate::calls::records::{Archived, Extracted, Listing};
use crate::job::Job;
use crate::work::Work;
use sealstone::{Decryptor, Encryptor, Result};
use sealstone_call::call;
use std::path::PathBuf;
use std::sync::Arc;

/// Encrypts files and folders into one archive, which appears when all of it is there. `folders` has their names and `exclude` the patterns
/// of members to leave out, several with a zero byte between them. `compression` is `auto` (the default), `none`, or a level of Zstandard
/// from `1` to `22`. A member that cannot be read is no error: look at `left_out` of the result.
/// Errors: `cost_too_high`, `mixed_recipients`, `invalid_recipients`, `not_in_profile`, `invalid_option`, `unavailable_backend`,
/// `too_long`, `no_randomness`, `same_file`, `output_exists`, `not_regular_file`, `cancelled`, `io`.
#[allow(clippy::too_many_arguments, clippy::fn_params_excessive_bools, reason = "each is an option of its own")]
#[call(native, counts("encryptFolder", file))]
pub fn encrypt_folder(
    encryptor: Arc<Encryptor>,
    folders: Vec<u8>,
    output: PathBuf,
    replace: bool,
    exclude: Vec<u8>,
    compression: Option<String>,
    one_file_system: bool,
    owners: bool,
    attributes: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Archived> + Send + 'static> {
    let options = Writing { replace, exclude, compression, one_file_system, owners, attributes };
    archives::encrypt_folder(encryptor, folders, output, options, job).then(|(done, notes)| Ok((done, notes).into()))
}

/// Lists the members of an archive. It reads only the end of the file: the list is what the writer of the archive put there.
/// Errors: `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `malformed_compression`,
/// `malformed_archive`, `not_an_archive`, `truncated`, `context_required`, `context_not_bound`, `cost_too_high`, `no_matching_identity`,
/// `header_not_authentic`, `not_authentic`, `not_in_profile`, `unavailable_backend`, `not_seekable`, `too_long`, `not_regular_file`,
/// `input_changed`, `cancelled`, `io`.
#[call(native, counts("list", file, none))]
pub fn list_archive(
    decryptor: Arc<Decryptor>,
    input: PathBuf,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Listing> + Send + 'static> {
    archives::list_archive(decryptor, input, job).then(|entries| Ok(entries.into()))
}

/// Makes the files and folders of an archive in a new folder, which appears when all of it is authentic. If `paths` has the paths of members,
/// several with a zero byte between them, it makes only these and what is in such folders, and the folder may exist. `outside_links` allows
/// symbolic links that may lead out of the folder.
/// Errors: `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `malformed_compression`,
/// `malformed_archive`, `unsafe_member`, `not_an_archive`, `no_such_member`, `names_collide`, `truncated`, `context_required`,
/// `context_not_bound`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `not_authentic`, `not_in_profile`,
/// `unavailable_backend`, `not_seekable`, `too_long`, `same_file`, `output_exists`, `not_regular_file`, `input_changed`, `cancelled`, `io`.
#[allow(clippy::too_many_arguments, clippy::fn_params_excessive_bools, reason = "each is an option of its own")]
#[call(native, counts("extract", file, job))]
pub fn extract_archive(
    decryptor: Arc<Decryptor>,
    input: PathBuf,
    folder: PathBuf,
    paths: Vec<u8>,
    replace: bool,
    outside_links: bool,
    special_bits: bool,
    owners: bool,
    attributes: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Extracted> + Send + 'static> {
    let options = Extracting { replace, outside_links, special_bits, owners, attributes };
    archives::extract_archive(decryptor, input, folder, paths, options, job).then(|done| Ok(done.into()))
}
