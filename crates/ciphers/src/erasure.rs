//! Memory that held secrets.

use zeroize::optimization_barrier;

/// Writes over what was in memory; what the compiler moved there for want of registers is out of reach.
#[inline(always)]
pub(crate) fn clear<T: Copy>(memory: &mut [T], zero: T) {
    memory.fill(zero);
    optimization_barrier(memory);
}
