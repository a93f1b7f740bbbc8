//! Lengths where all numbers are floating-point, as in JavaScript.

/// Lengths are below 2^53 in all that we can hold or have on a disk.
#[allow(clippy::cast_precision_loss)]
#[must_use]
pub fn number(value: u64) -> f64 {
    value as f64
}

/// A length that such a language gives.
///
/// # Panics
/// When it is none.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#[must_use]
pub fn length(value: f64) -> u64 {
    let whole = value as u64;
    // By the way back, since CPUs of the baseline have no instruction for a fraction.
    assert!(whole < 1 << 53 && number(whole).to_bits() == (value + 0.0).to_bits(), "numbers: a length is whole");
    whole
}

/// The length of what is never long.
///
/// # Panics
/// When it is.
#[must_use]
pub fn short(len: usize) -> u32 {
    u32::try_from(len).expect("numbers: it is short")
}
