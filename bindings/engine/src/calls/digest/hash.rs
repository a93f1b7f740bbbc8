//! Digests. An algorithm crosses as its place among the core's, and an encoding as its place among the engine's. A length of 0 is the
//! algorithm's own.

use crate::hashing::{self, Hashing, Made, algorithm_of, encoding_of};
use crate::job::Job;
use crate::memory::{Data, Exact};
use crate::work::Work;
use sealstone::Result;
use sealstone_call::call;
use std::path::PathBuf;
use std::sync::Arc;

/// Gives the number of a hash.
/// Errors: `unknown_algorithm`.
#[call(js, stack = 16)]
pub fn hash_id(algorithm: &str) -> Result<u32> {
    hashing::algorithm_id(algorithm)
}

/// Gives the length of a hash's digests.
#[call(stack = 16)]
pub fn hash_len(algorithm: u32) -> usize {
    algorithm_of(algorithm).digest_len()
}

/// Gives the number of an encoding.
/// Errors: `unknown_algorithm`.
#[call(js, stack = 16)]
pub fn encoding_id(encoding: &str) -> Result<u32> {
    hashing::encoding_id(encoding)
}

/// Hashes data into memory, which may be the data's own. Its length: `hash_len`, or another one that the algorithm has. After an error the
/// memory is unchanged or zero.
/// Errors: `wrong_length`, `too_long`.
#[call(stack = 16, counts("hash", hash, data))]
pub fn hash_into(algorithm: u32, data: &Data, digest: Exact) -> Result<Made> {
    hashing::digest(algorithm_of(algorithm), data, digest)
}

/// Hashes data to text.
/// Errors: `wrong_length`, `too_long`.
#[call(stack = 16, counts("hash", hash, data))]
pub fn hash_text<T>(
    algorithm: u32,
    data: &Data,
    encoding: u32,
    length: u32,
    give: impl FnOnce(&str) -> T,
) -> Result<T> {
    hashing::check_text(length as usize)?;
    let encoding = encoding_of(encoding);
    hashing::with_digest(algorithm_of(algorithm), data, length as usize, |digest| encoding.with(digest, give))
}

/// Hashes items that lie one behind the other; their digests lie so in memory. Its length: `hash_len` for each item.
/// Errors: none.
#[call(stack = 16, counts("hashBatch", hash, data))]
pub fn hash_batch(algorithm: u32, data: &[u8], lengths: &[u32], digests: &mut [u8]) -> Result<()> {
    hashing::batch(algorithm_of(algorithm), data, lengths, digests)
}

/// Hashes such items to one text.
#[call(js, stack = 16, counts("hashBatch", hash, data))]
pub fn hash_batch_text(algorithm: u32, data: &[u8], lengths: &[u32], encoding: u32) -> String {
    hashing::batch_text(algorithm_of(algorithm), data, lengths, encoding_of(encoding))
}

/// Begins a digest.
#[call(stack = 16, makes(hash))]
pub fn hasher(algorithm: u32) -> Hashing {
    Hashing::new(algorithm_of(algorithm))
}

/// Makes another one that has taken the same.
#[call(stack = 16, makes(object))]
pub fn hasher_clone(hasher: &Hashing) -> Hashing {
    hasher.copy()
}

/// Takes more data.
#[call(stack = 16, counts("hashUpdate", object, data))]
pub fn hasher_update(hasher: &Hashing, data: &[u8]) {
    hasher.update(data);
}

/// Gives the digest of the data so far.
/// Errors: `wrong_length`, `too_long`.
#[call(stack = 16)]
pub fn hasher_digest(hasher: &Hashing, length: usize) -> Result<Vec<u8>> {
    hasher.digest(length).map(|digest| digest.as_bytes().to_vec())
}

/// Gives it as text.
/// Errors: `wrong_length`, `too_long`.
#[call(stack = 16)]
pub fn hasher_text<T>(hasher: &Hashing, encoding: u32, length: usize, give: impl FnOnce(&str) -> T) -> Result<T> {
    hashing::check_text(length)?;
    Ok(encoding_of(encoding).with(hasher.digest(length)?.as_bytes(), give))
}

/// Hashes a file.
/// Errors: `wrong_length`, `too_long`, `not_regular_file`, `input_changed`, `cancelled`, `io`.
#[call(native, counts("hashFile", hash, job))]
pub fn hash_file(
    algorithm: u32,
    file: PathBuf,
    special: bool,
    length: usize,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Vec<u8>> + Send + 'static> {
    hashing::file(algorithm_of(algorithm), file, special, length, job)
}
