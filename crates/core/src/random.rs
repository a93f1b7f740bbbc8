//! Randomness, from the system only.

use crate::error::{Error, Result};

/// Fills `out` from the system's generator.
///
/// # Errors
/// [`Error::NoRandomness`] when the system refuses; nothing weaker is ever used instead.
pub(crate) fn fill(out: &mut [u8]) -> Result<()> {
    getrandom::fill(out).map_err(|_| Error::NoRandomness)
}

/// An array of fresh random bytes.
pub(crate) fn array<const N: usize>() -> Result<[u8; N]> {
    let mut out = [0; N];
    fill(&mut out)?;
    Ok(out)
}
