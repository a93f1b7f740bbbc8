//! Erasing memory that held secrets.

use zeroize::optimization_barrier;

/// Overwrites `memory`, and keeps the compiler from removing the writes. Copies that the compiler spilled to the stack remain.
#[inline(always)]
pub(crate) fn clear<T: Copy>(memory: &mut [T], zero: T) {
    memory.fill(zero);
    optimization_barrier(memory);
}
