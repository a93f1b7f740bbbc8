//! Erasing memory that held secrets.

use std::mem::{MaybeUninit, needs_drop};
use std::ops::Deref;
use zeroize::optimization_barrier;

/// A value in a box whose memory is zeroed on drop, padding too: for secrets of types that do not erase themselves. The value's own
/// drop does not run, so its type must not have one. Copies from before the value was in the box remain.
///
/// ```
/// use sealstone_ciphers::erasure::Erased;
///
/// assert_eq!(*Erased::new([7, 11]), [7, 11]);
/// ```
pub struct Erased<T>(Box<MaybeUninit<T>>);

impl<T> Erased<T> {
    /// Moves a value into a box.
    #[must_use]
    pub fn new(value: T) -> Self {
        const { assert!(!needs_drop::<T>(), "erasure: the drop of a value would not run") };
        Self(Box::new(MaybeUninit::new(value)))
    }
}

impl<T> Deref for Erased<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: `new` made a value, which only drop erases.
        unsafe { self.0.assume_init_ref() }
    }
}

impl<T> Drop for Erased<T> {
    fn drop(&mut self) {
        // SAFETY: The box has these bytes, and nothing reads a value in them any more.
        unsafe { self.0.as_mut_ptr().cast::<u8>().write_bytes(0, size_of::<T>()) };
        optimization_barrier(&*self.0);
    }
}

/// Overwrites `memory`, and keeps the compiler from removing the writes. Copies that the compiler spilled to the stack remain.
#[inline(always)]
pub(crate) fn clear<T: Copy>(memory: &mut [T], zero: T) {
    memory.fill(zero);
    optimization_barrier(memory);
}
