//! Stored passwords.

use crate::job::Job;
use crate::kdf::{CrossingCost, bounds};
use crate::password as stored_passwords;
use crate::work::Work;
use sealstone::{Result, password as passwords};
use sealstone_call::call;
use std::sync::Arc;
use std::time::Duration;
use zeroize::Zeroizing;

/// Hashes a password to the text that is stored.
/// Errors: `cost_too_high`, `invalid_passphrase`, `unknown_algorithm`, `invalid_cost`, `unavailable_backend`, `too_long`, `no_randomness`.
#[call(counts("hashPassword", password))]
pub fn password_hash(password: &[u8], cost: CrossingCost<'_>) -> Result<String> {
    passwords::hash(password, &cost.read()?)
}

/// Fails unless the stored text is of this password.
/// Errors: `cost_too_high`, `not_authentic`, `invalid_passphrase`, `unknown_algorithm`, `invalid_cost`, `wrong_length`, `invalid_encoding`,
/// `unavailable_backend`, `too_long`.
#[call(counts("verifyPassword", password))]
pub fn password_verify(password: &[u8], stored: &str, is_bounded: bool) -> Result<()> {
    passwords::verify(password, stored, bounds(is_bounded))
}

/// Whether a stored text has another cost.
/// Errors: `cost_too_high`, `unknown_algorithm`, `invalid_cost`, `invalid_encoding`.
#[call]
pub fn password_needs_rehash(stored: &str, cost: CrossingCost<'_>) -> Result<bool> {
    passwords::needs_rehash(stored, &cost.read()?)
}

/// Gives the number of a cost that is raised for a target, of Argon2 the passes, by the time that a hash took: both in microseconds.
/// Errors: `cost_too_high`, `unknown_algorithm`, `invalid_cost`.
#[call]
pub fn password_cost_raised(cost: CrossingCost<'_>, target: u64, took: u64) -> Result<u32> {
    let [target, took] = [target, took].map(Duration::from_micros);
    stored_passwords::raised(cost.read()?, target, took)
}

/// Hashes a password on another thread.
/// Errors: `cost_too_high`, `invalid_passphrase`, `unknown_algorithm`, `invalid_cost`, `unavailable_backend`, `too_long`, `no_randomness`,
/// `cancelled`.
#[call(native, counts("hashPassword", password))]
pub fn password_hash_later(
    password: Zeroizing<Vec<u8>>,
    cost: CrossingCost<'_>,
    job: Arc<Job>,
) -> Result<Work<impl FnOnce() -> Result<String> + Send + use<>>> {
    Ok(stored_passwords::hash_later(password, cost.read()?, job))
}

/// Checks a password on another thread.
/// Errors: `cost_too_high`, `not_authentic`, `invalid_passphrase`, `unknown_algorithm`, `invalid_cost`, `wrong_length`, `invalid_encoding`,
/// `unavailable_backend`, `too_long`, `cancelled`.
#[call(native, counts("verifyPassword", password))]
pub fn password_verify_later(
    password: Zeroizing<Vec<u8>>,
    stored: String,
    is_bounded: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<()> + Send + 'static> {
    stored_passwords::verify_later(password, stored, bounds(is_bounded), job)
}
