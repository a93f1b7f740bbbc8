//! Comparison in constant time.

/// Whether two tags of one length, up to 16 bytes, are equal, in a time that does not depend on where they differ.
pub(crate) fn equal(a: &[u8], b: &[u8]) -> bool {
    debug_assert_eq!(a.len(), b.len());
    let difference = a.iter().zip(b).fold(0, |difference, (a, b)| difference | (a ^ b));
    // Without the compiler knowing what it is compared with, there is no shortcut to take.
    std::hint::black_box(difference) == 0
}
