//! The machine: its backend, randomness, jobs, and results that are fetched.

use crate::delivery::Undelivered;
use crate::job::Wanted;
use crate::loading::Loading;
use sealstone::{Result, random};
use sealstone_call::call;

/// Fails where the environment asks for a backend that is not there, whatever would compute: who asks trusts that one alone.
/// Errors: `unavailable_backend`.
#[call(native)]
pub fn check_backend() -> Result<()> {
    sealstone::forced_backend().map(drop)
}

/// Fills memory with randomness of the system's. After an error the memory is zero.
/// Errors: `no_randomness`.
#[call(native)]
pub fn random_fill(out: &mut [u8]) -> Result<()> {
    random::fill(out)
}

/// Moves bytes of a long result into memory of its length, as many as a turn has time for; returns how many are left.
#[call(native)]
pub fn result_take(undelivered: &Undelivered, result: &mut [u8]) -> usize {
    undelivered.take(|at, bytes| result[at..][..bytes.len()].copy_from_slice(bytes))
}

/// Begins a job.
#[call(native)]
pub fn job() -> Wanted {
    Wanted::new()
}

/// Ends a job soon.
#[call(native)]
pub fn job_cancel(job: &Wanted) {
    job.job().cancel();
}

/// Says how many bytes are done, and of how many, where that is known.
#[call(native, js)]
pub fn job_progress(job: &Wanted) -> Vec<u64> {
    job.job().progress().collect()
}

/// Makes room for data that comes in parts.
#[call(native)]
pub fn loading() -> Loading {
    Loading::default()
}

/// Takes the next part of data, of which there are so many bytes in all.
/// Errors: `too_long`.
#[call(native)]
pub fn loading_update(loading: &Loading, part: &[u8], length: u64) -> Result<()> {
    loading.update(part, length)
}
