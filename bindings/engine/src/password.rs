//! Passwords that are kept for a later login. Costs cross as those of [`kdf`](crate::kdf).

use crate::deriving::Deriving;
use crate::job::Job;
use crate::pool::DERIVING;
use crate::work::Work;
use sealstone::Result;
use sealstone::kdf::{Bounds, Cost};
use sealstone::password::{self, Calibrated};
use std::sync::Arc;
use std::time::{Duration, Instant};
use zeroize::Zeroizing;

/// Hashes a password, on another thread. What waits for one when the job is cancelled is not begun.
pub fn hash_later(
    password: Zeroizing<Vec<u8>>,
    cost: Cost,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<String> + Send + 'static> {
    Work::new(&DERIVING, move || {
        job.check()?;
        password::hash(&password, &cost)
    })
}

/// Checks a password, likewise.
pub fn verify_later(
    password: Zeroizing<Vec<u8>>,
    stored: String,
    bounds: Bounds,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<()> + Send + 'static> {
    Work::new(&DERIVING, move || {
        job.check()?;
        password::verify(&password, &stored, bounds)
    })
}

/// Finds a cost that takes about as long as `target`, and is no less than `from`, by hashing three times on another thread. Its job can end
/// it.
pub fn calibrate_later(
    target: Duration,
    from: Cost,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Calibrated> + Send + 'static> {
    Work::new(&DERIVING, move || {
        password::calibrate(target, from, |cost| {
            let begun = Instant::now();
            Deriving::hash(b"any password", cost)?.run(&job)?;
            Ok(begun.elapsed())
        })
    })
}

/// The number of a cost that is raised for a target, of Argon2 the passes, of which a hash took so long.
pub fn raised(cost: Cost, target: Duration, took: Duration) -> Result<u32> {
    Ok(match password::calibrate(target, cost, |_| Ok(took))?.cost {
        Cost::Argon2 { passes, .. } => passes,
        Cost::Scrypt { log_n, .. } => log_n.into(),
        Cost::Pbkdf2 { iterations, .. } => iterations,
        _ => unreachable!("password: it is one of these"),
    })
}
