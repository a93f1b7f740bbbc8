//! Comparison in constant time.

/// Whether two tags of the same length, up to 16 bytes, are equal; the time does not depend on where they differ.
pub(crate) fn equal(a: &[u8], b: &[u8]) -> bool {
    debug_assert_eq!(a.len(), b.len());
    let difference = a.iter().zip(b).fold(0, |difference, (a, b)| difference | (a ^ b));
    // The barrier hides the comparison from the compiler, which could otherwise stop at the first difference.
    std::hint::black_box(difference) == 0
}
