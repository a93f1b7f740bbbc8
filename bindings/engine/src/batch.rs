//! Many operations in one call.

use crate::failure::{Failure, misused};
use crate::job::{Job, watched};
use crate::parts::threads_of;
use crate::pool::COMPUTE;
use crate::work::Work;
use sealstone::{Decryptor, Encryptor, Result};
use std::sync::Arc;
use zeroize::{Zeroize, Zeroizing};

/// The results of many operations, one behind the other, and which of them failed.
#[derive(Debug)]
pub struct Batch {
    /// All results.
    pub bytes: Vec<u8>,
    /// Of each, its length in `bytes`; 0 of what failed.
    pub lengths: Vec<u32>,
    /// The failures, each with the index of its item.
    pub failures: Vec<(u32, Failure)>,
}

/// Encrypts each of the plaintexts that lie one behind the other in `data`, on several threads.
pub fn encrypt_batch(
    encryptor: Arc<Encryptor>,
    data: Zeroizing<Vec<u8>>,
    lengths: Vec<u32>,
    job: Arc<Job>,
    threads: Option<u32>,
) -> Work<impl FnOnce() -> Result<Batch> + Send + 'static> {
    Work::new(&COMPUTE, move || {
        let encryptor = watched!((*encryptor).clone(), job).threads(threads_of(threads));
        encryptor.encrypt_batch(items(&data, &lengths)).map(joined)
    })
}

/// Decrypts each of the files that lie one behind the other in `data`, on several threads.
pub fn decrypt_batch(
    decryptor: Arc<Decryptor>,
    data: Zeroizing<Vec<u8>>,
    lengths: Vec<u32>,
    job: Arc<Job>,
    threads: Option<u32>,
) -> Work<impl FnOnce() -> Result<Batch> + Send + 'static> {
    Work::new(&COMPUTE, move || {
        let decryptor = watched!((*decryptor).clone(), job).threads(threads_of(threads));
        decryptor.decrypt_batch(items(&data, &lengths)).map(joined)
    })
}

/// The items, which are all of the data.
pub(crate) fn items<'a>(data: &'a [u8], lengths: &'a [u32]) -> impl Iterator<Item = &'a [u8]> {
    if sum(lengths, &Some) != Some(data.len()) {
        misused(format!("the lengths of {} items are not those of {} bytes of data", lengths.len(), data.len()));
    }
    let mut rest = data;
    lengths.iter().map(move |len| {
        let (item, later) = rest.split_at(*len as usize);
        rest = later;
        item
    })
}

/// Ends the call unless the memory is as long as the results of all items.
pub(crate) fn check_results(lengths: &[u32], out: &[u8], len: impl Fn(usize) -> Option<usize>) {
    if sum(lengths, &len) != Some(out.len()) {
        misused(format!("the memory of the results has {} bytes, which is not their length", out.len()));
    }
}

fn sum(lengths: &[u32], len: &dyn Fn(usize) -> Option<usize>) -> Option<usize> {
    lengths.iter().try_fold(0_usize, |sum, item| sum.checked_add(len(*item as usize)?))
}

fn joined(results: Vec<Result<Vec<u8>>>) -> Batch {
    let mut bytes = Vec::with_capacity(results.iter().flatten().map(Vec::len).sum());
    let (mut lengths, mut failures) = (Vec::with_capacity(results.len()), Vec::new());
    for (result, index) in results.into_iter().zip(0..) {
        match result {
            Ok(mut result) => {
                lengths.push(u32::try_from(result.len()).expect("batch: a result of a batch is short"));
                bytes.extend_from_slice(&result);
                result.zeroize();
            }
            Err(error) => {
                lengths.push(0);
                failures.push((index, Failure::from(&error)));
            }
        }
    }
    Batch { bytes, lengths, failures }
}
