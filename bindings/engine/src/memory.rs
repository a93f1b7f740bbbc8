//! How calls name memory of the other language's, and what they promise of it.

use sealstone::Result;
use std::ops::Range;
use std::sync::Arc;
use zeroize::optimization_barrier;

/// Bytes, or text as its UTF-8, which is zeroed after the call.
pub type Data = [u8];

/// Bytes that the caller may have elsewhere too: they are read during the call alone.
pub type Lent = [u8];

/// An object whose number ends with the call.
pub type Last<T> = Arc<T>;

/// The length of memory that a result fills. It may be the memory of an input, since the call writes there when it has its result.
pub type Exact = usize;

/// The length of memory that has room for the longest result, likewise. The call returns how many bytes the result has.
pub type AtMost = usize;

/// An input, and memory for the result: the input is moved there and worked on in place. The two may be the same memory.
#[allow(clippy::len_without_is_empty)]
pub trait Moving: Sized {
    /// Bytes of the input.
    fn input_len(&self) -> usize;

    /// Bytes of the memory for the result.
    fn output_len(&self) -> usize;

    /// Copies bytes of the input, from `at` on.
    ///
    /// # Panics
    /// When there are fewer.
    fn read(&self, at: usize, copy: &mut [u8]);

    /// Works on the beginning of the memory for the result: `before` bytes, a part of the input, which is moved there, and `after` bytes.
    /// When the work fails, the memory is zero, unless the input lay there; where something is not authentic it is zero in any case.
    ///
    /// # Panics
    /// When the memory is shorter.
    fn with<T>(
        self,
        part: Range<usize>,
        before: usize,
        after: usize,
        work: impl FnOnce(&mut [u8]) -> Result<T>,
    ) -> Result<T>;
}

/// Memory of a result that comes in parts, which the other language shows to nobody before all work on it has ended.
pub trait Lending {
    /// A part of it, for work on another thread.
    type Lent: AsMut<[u8]> + Send + 'static;

    /// Has `place` put something into this memory, behind its first `at` bytes, which may be lent already, and lends the range that it says.
    ///
    /// # Panics
    /// When there are fewer than `at` bytes.
    fn lend<T>(
        self,
        at: usize,
        place: impl FnOnce(&mut [u8]) -> Result<Option<(T, Range<usize>)>>,
    ) -> Result<Option<(T, Self::Lent)>>;

    /// Lends all of this memory, which has been filled.
    fn lend_all(self) -> Self::Lent;
}

/// Bytes that are zeroed with all of their memory, also where work with them panics.
pub struct Wiped(pub Vec<u8>);

impl Drop for Wiped {
    fn drop(&mut self) {
        // All at once: `zeroize` writes byte by byte, which takes as long as AES.
        self.0.clear();
        self.0.resize(self.0.capacity(), 0);
        optimization_barrier(&self.0[..]);
    }
}
