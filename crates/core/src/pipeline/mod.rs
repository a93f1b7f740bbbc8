//! Moves bytes from an input through a transformation to an output, on all cores, in bounded memory.
//!
//! It is independent of the formats: it works on pieces of one length, which are transformed independently of each other, and
//! an [`Ending`] that says how the last piece may look. It chooses between
//!
//! - [`parallel`]: for inputs with random access. Workers claim units of several pieces ([`unit`]). Each
//!   reads its own range into a buffer that stays in the second-level cache, transforms it there and writes it at
//!   its own offset: no queue, no ordering, no copy.
//! - [`sequence`]: for transformations in which each part depends on the one before;
//! - [`ordered`]: for everything else. Workers take turns at the reader and, in the same order, at the writer.
//!
//! It is the only module that does I/O, and only its folder `os/` names a system.

mod access;
mod input;
#[cfg(all(feature = "archive", not(target_family = "wasm")))]
mod line;
mod names;
mod ordered;
mod os;
mod output;
#[cfg(all(feature = "archive", not(target_family = "wasm")))]
mod pack;
mod parallel;
mod patience;
mod removal;
mod sequence;
mod temporary;
#[cfg(all(feature = "archive", not(target_family = "wasm")))]
pub(crate) mod tree;
mod unit;
#[cfg(all(feature = "archive", not(target_family = "wasm")))]
mod unpack;
mod wiped;

pub use access::FileAccess;
pub use input::Input;
pub use os::{FileId, Folder};
pub use output::{FileMode, Output};
pub use temporary::{before_temporaries, remove_temporaries};

pub(crate) use input::{Region, Source};
pub(crate) use ordered::{Span, run as run_ordered};
pub(crate) use output::Destination;
#[cfg(all(feature = "archive", not(target_family = "wasm")))]
pub(crate) use pack::{Out, Pack, Packer, Supply};
pub(crate) use parallel::{run_each, run_memory, run_parts, run_positional};
pub(crate) use sequence::{Sequence, run as run_in_sequence};
#[cfg(all(feature = "archive", not(target_family = "wasm")))]
pub(crate) use unpack::{AtOffsets, Buffer, InMemory, InOrder, Pieces, Sink, Unpack, within};
pub(crate) use wiped::Wiped;

use crate::error::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A transformation of pieces, independent of each other.
pub(crate) trait Transform: Sync {
    /// Length in bytes of every input piece except the last.
    fn input_len(&self) -> usize;

    /// Length in bytes of the output of a whole piece.
    fn output_len(&self) -> usize;

    /// The form of the last piece, in the input and in the output.
    fn ending(&self) -> Ending {
        Ending::Short
    }

    /// Transforms a piece, the first `len` bytes of `slot`, in place and returns its new length.
    ///
    /// `slot` has room for the longer of the two lengths. After an error, no byte of the piece may be released.
    fn apply(&self, piece: Piece, slot: &mut [u8], len: usize) -> Result<usize>;
}

/// The form of the last piece of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The last piece is shorter than the others and may be empty: its length marks it as the last.
    Short,
    /// The last piece may be as long as the others, and is empty only if the input is. Only the end of the input marks it as
    /// the last, so one more byte of a stream is read.
    Whole,
}

impl Ending {
    /// The number of pieces of `input_len` bytes in an input of `len` bytes, including the last.
    pub(crate) fn pieces(self, len: u64, input_len: usize) -> u64 {
        match self {
            Self::Short => len / input_len as u64 + 1,
            Self::Whole => len.div_ceil(input_len as u64).max(1),
        }
    }
}

/// Overwrites memory that held plaintext. `Zeroize` writes byte by byte, which took longer than sealing the same bytes.
pub(crate) fn clear(memory: &mut [u8]) {
    memory.fill(0);
    zeroize::optimization_barrier(memory);
}

/// The position of a piece in an input, for a [`Transform`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    /// The number of pieces before it.
    pub(crate) index: u64,
    /// Whether it is the last piece; its length then follows [`Ending`].
    pub(crate) is_last: bool,
}

/// The progress of an operation.
///
/// ```
/// use sealstone::{Encryptor, Identity, Kind};
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// let seen = Arc::new(AtomicU64::new(0));
/// let counter = Arc::clone(&seen);
/// let recipient = Identity::generate(Kind::X25519)?.recipient();
/// Encryptor::new([recipient])
///     .on_progress(move |progress| _ = counter.fetch_max(progress.done, Ordering::Relaxed))
///     .encrypt(&[0; 5000])?;
/// assert_eq!(seen.load(Ordering::Relaxed), 5000);
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Bytes of the payload of the input processed so far.
    pub done: u64,
    /// Length of the payload of the input, if known.
    pub total: Option<u64>,
}

/// Settings of how an operation runs. They never change the result.
///
/// The builders of operations have a method for each setting. This type is for callers that use the builders through
/// [`EncryptFiles`](crate::EncryptFiles), [`DecryptFiles`](crate::DecryptFiles) or [`RewrapFiles`](crate::RewrapFiles).
#[derive(Clone, Default)]
pub struct Settings {
    /// The number of threads; as many as the machine has if `None`.
    pub(crate) threads: Option<usize>,
    /// Whether the whole input is authenticated before the first byte is written.
    pub(crate) verify_first: bool,
    pub(crate) progress: Option<Arc<dyn Fn(Progress) + Send + Sync>>,
    pub(crate) cancelled: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
}

debug!(Settings { threads });

/// The methods of a builder that set its `settings`, except the number of threads.
macro_rules! callback_methods {
    () => {
        /// Calls `callback` with the progress, from any thread.
        #[must_use]
        pub fn on_progress(mut self, callback: impl Fn(crate::Progress) + Send + Sync + 'static) -> Self {
            self.settings.set_progress(callback);
            self
        }

        /// Cancels the operation with [`crate::Error::Cancelled`] soon after `callback` returns `true`.
        #[must_use]
        pub fn cancel_when(mut self, callback: impl Fn() -> bool + Send + Sync + 'static) -> Self {
            self.settings.set_cancel(callback);
            self
        }
    };
}
pub(crate) use callback_methods;

/// The maximum number of threads. More would only cost memory: each has a buffer of 512 KiB. WebAssembly has one thread, and
/// with this constant the compiler removes the code that starts others.
const MAX_THREADS: usize = if cfg!(target_family = "wasm") { 1 } else { 256 };

impl Settings {
    /// Sets the number of computing threads; by default as many as the machine has.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = Some(threads);
    }

    /// Calls `callback` with the progress, from any thread.
    pub fn set_progress(&mut self, callback: impl Fn(Progress) + Send + Sync + 'static) {
        self.progress = Some(Arc::new(callback));
    }

    /// Cancels the operation with [`Error::Cancelled`] soon after `callback` returns `true`.
    pub fn set_cancel(&mut self, callback: impl Fn() -> bool + Send + Sync + 'static) {
        self.cancelled = Some(Arc::new(callback));
    }

    /// Sets whether the whole input is authenticated before the first byte is written, which reads it twice. Only used by
    /// decryption.
    pub fn set_verify_first(&mut self, verify_first: bool) {
        self.verify_first = verify_first;
    }

    /// Settings for one of many operations that run in parallel.
    pub(crate) fn alone() -> Self {
        Self { threads: Some(1), ..Self::default() }
    }

    pub(crate) fn threads(&self) -> usize {
        let found = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        self.threads.unwrap_or_else(found).clamp(1, MAX_THREADS)
    }
}

/// Counts the processed bytes of one run, for its callbacks.
pub(crate) struct Meter<'a> {
    settings: &'a Settings,
    done: AtomicU64,
    total: Option<u64>,
}

impl<'a> Meter<'a> {
    pub(crate) fn new(settings: &'a Settings, total: Option<u64>) -> Self {
        Self { settings, done: AtomicU64::new(0), total }
    }

    /// The meter of a run in several parts, with the bytes that the parts before it have processed. The total is unknown.
    pub(crate) fn resumed(settings: &'a Settings, done: u64) -> Self {
        Self { settings, done: AtomicU64::new(done), total: None }
    }

    fn threads(&self) -> usize {
        self.settings.threads()
    }

    fn total(&self) -> Option<u64> {
        self.total
    }

    pub(crate) fn check_cancelled(&self) -> Result<()> {
        match &self.settings.cancelled {
            Some(cancelled) if cancelled() => Err(Error::Cancelled),
            _ => Ok(()),
        }
    }

    pub(crate) fn add(&self, bytes: usize) {
        let done = self.done.fetch_add(bytes as u64, Ordering::Relaxed) + bytes as u64;
        if let Some(progress) = &self.settings.progress {
            progress(Progress { done, total: self.total });
        }
    }
}

#[cfg(test)]
#[path = "ending_tests.rs"]
mod tests;
