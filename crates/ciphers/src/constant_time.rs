//! Comparison in constant time.

/// Whether two blocks are equal, in a time that does not depend on where they differ.
pub(crate) fn equal(a: &[u8; 16], b: &[u8; 16]) -> bool {
    let difference = u128::from_ne_bytes(*a) ^ u128::from_ne_bytes(*b);
    // Without the compiler knowing what it is compared with, there is no shortcut to take.
    std::hint::black_box(difference) == 0
}
