//! Moves bytes from an input through a transformation to an output, on all cores, in bounded memory.
//!
//! It knows no format: it sees pieces of one length, transformed independently of each other, and an [`Ending`] that
//! says what the last of them may be. From that it takes
//!
//! - [`parallel`]: inputs that can be read at any position. Workers claim units of some pieces ([`unit`]), each
//!   reads its own range into a buffer that stays in the second-level cache, transforms it there, and stores it at
//!   its own offset: no queue, no ordering, no copy.
//! - [`sequence`]: transformations in which each part waits for the one before;
//! - [`ordered`]: everything else. Workers take turns at the reader and, in the same order, at the writer.
//!
//! It is the only module that does I/O.

mod access;
mod input;
mod ordered;
mod os;
mod output;
mod parallel;
mod patience;
mod sequence;
mod temporary;
mod unit;

pub use access::FileAccess;
pub use input::Input;
pub use os::{FileId, Folder};
pub use output::{FileMode, Output};
pub use temporary::{before_temporaries, remove_temporaries};

pub(crate) use input::Source;
pub(crate) use ordered::{Span, run as run_ordered};
pub(crate) use output::Destination;
pub(crate) use parallel::{run_each, run_memory, run_parts, run_positional};
pub(crate) use sequence::{Sequence, run as run_in_sequence};

use crate::error::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A transformation of pieces, each independent of the others.
pub(crate) trait Transform: Sync {
    /// Bytes of every input piece but the last.
    fn input_len(&self) -> usize;

    /// Bytes that a whole piece becomes.
    fn output_len(&self) -> usize;

    /// What the last piece may be, in the input and in the output.
    fn ending(&self) -> Ending {
        Ending::Short
    }

    /// Transforms a piece, the first `len` bytes of `slot`, in place; returns its new length.
    ///
    /// `slot` has room for the longer of the two lengths. On an error nothing of the piece may be released.
    fn apply(&self, piece: Piece, slot: &mut [u8], len: usize) -> Result<usize>;
}

/// What the last piece of an input may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It is shorter than the others, perhaps empty: its length tells that it is the last.
    Short,
    /// It may be as long as the others, and is empty only when the input is: the end of the input tells, so a stream is read one
    /// byte further.
    Whole,
}

impl Ending {
    /// Pieces of `input_len` bytes in an input of `len`, the last among them.
    // A transformation has one ending: the other's code is left out of WebAssembly.
    #[inline]
    pub(crate) fn pieces(self, len: u64, input_len: usize) -> u64 {
        match self {
            Self::Short => len / input_len as u64 + 1,
            Self::Whole => len.div_ceil(input_len as u64).max(1),
        }
    }
}

/// Writes over memory that held plaintext. `Zeroize` writes byte by byte, which took longer than to seal what was there.
pub(crate) fn clear(memory: &mut [u8]) {
    memory.fill(0);
    zeroize::optimization_barrier(memory);
}

/// Which piece of an input a [`Transform`] sees.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    /// Pieces before it.
    pub(crate) index: u64,
    /// Whether the input ends with it; its length is as [`Ending`] says.
    pub(crate) is_last: bool,
}

/// How far an operation has come.
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
    /// Bytes of the input's payload that are done.
    pub done: u64,
    /// Bytes of the input's payload in all, where the length is known.
    pub total: Option<u64>,
}

/// How an operation runs. None of it changes a byte of the result.
///
/// The builders of operations have a method for each setting; this is for callers that hold them as
/// [`EncryptFiles`](crate::EncryptFiles), [`DecryptFiles`](crate::DecryptFiles) or [`RewrapFiles`](crate::RewrapFiles).
#[derive(Clone, Default)]
pub struct Settings {
    /// Threads, or as many as the machine has.
    pub(crate) threads: Option<usize>,
    /// Whether all of an input is authenticated before the first byte is written.
    pub(crate) verify_first: bool,
    pub(crate) progress: Option<Arc<dyn Fn(Progress) + Send + Sync>>,
    pub(crate) cancelled: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings").field("threads", &self.threads).finish_non_exhaustive()
    }
}

/// The methods of a builder that fill in its `settings`, but for the threads.
macro_rules! callback_methods {
    () => {
        /// Calls `callback` as work is done, from any thread.
        #[must_use]
        pub fn on_progress(mut self, callback: impl Fn(crate::Progress) + Send + Sync + 'static) -> Self {
            self.settings.set_progress(callback);
            self
        }

        /// Ends the work with [`crate::Error::Cancelled`] soon after `callback` has answered `true`.
        #[must_use]
        pub fn cancel_when(mut self, callback: impl Fn() -> bool + Send + Sync + 'static) -> Self {
            self.settings.set_cancel(callback);
            self
        }
    };
}
pub(crate) use callback_methods;

/// More threads than this only cost memory: each has a buffer of 512 KiB. WebAssembly has one, and with this the compiler leaves
/// out what starts others.
const MAX_THREADS: usize = if cfg!(target_family = "wasm") { 1 } else { 256 };

impl Settings {
    /// Says how many threads compute; all that the machine has by default.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = Some(threads);
    }

    /// Calls `callback` as work is done, from any thread.
    pub fn set_progress(&mut self, callback: impl Fn(Progress) + Send + Sync + 'static) {
        self.progress = Some(Arc::new(callback));
    }

    /// Ends the work with [`Error::Cancelled`] soon after `callback` has answered `true`.
    pub fn set_cancel(&mut self, callback: impl Fn() -> bool + Send + Sync + 'static) {
        self.cancelled = Some(Arc::new(callback));
    }

    /// Says whether all of an input is authenticated before the first byte is written, and read twice for that. Only decryption has
    /// this setting.
    pub fn set_verify_first(&mut self, verify_first: bool) {
        self.verify_first = verify_first;
    }

    /// Those of work that is one of many on several threads.
    pub(crate) fn alone() -> Self {
        Self { threads: Some(1), ..Self::default() }
    }

    pub(crate) fn threads(&self) -> usize {
        let found = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        self.threads.unwrap_or_else(found).clamp(1, MAX_THREADS)
    }
}

/// Counts what is done for the callbacks of one run.
pub(crate) struct Meter<'a> {
    settings: &'a Settings,
    done: AtomicU64,
    total: Option<u64>,
}

impl<'a> Meter<'a> {
    pub(crate) fn new(settings: &'a Settings, total: Option<u64>) -> Self {
        Self { settings, done: AtomicU64::new(0), total }
    }

    /// That of a run in several turns, with what those before it have done; nobody knows how much is to come.
    pub(crate) fn resumed(settings: &'a Settings, done: u64) -> Self {
        Self { settings, done: AtomicU64::new(done), total: None }
    }

    fn threads(&self) -> usize {
        self.settings.threads()
    }

    fn total(&self) -> Option<u64> {
        self.total
    }

    fn check_cancelled(&self) -> Result<()> {
        match &self.settings.cancelled {
            Some(cancelled) if cancelled() => Err(Error::Cancelled),
            _ => Ok(()),
        }
    }

    fn add(&self, bytes: usize) {
        let done = self.done.fetch_add(bytes as u64, Ordering::Relaxed) + bytes as u64;
        if let Some(progress) = &self.settings.progress {
            progress(Progress { done, total: self.total });
        }
    }
}

#[cfg(test)]
#[path = "ending_tests.rs"]
mod tests;
