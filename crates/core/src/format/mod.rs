//! The common parts of all file formats: a head, and behind it a payload whose chunks a transform seals and opens.
//!
//! | to | a format implements | and uses |
//! |---|---|---|
//! | recognise and inspect | [`Format`]: how its armour and its head are read | [`inspect`] |
//! | decrypt, verify, read a range | [`Reader`]: reads the head, returns the transform that opens the chunks | [`open`] |
//! | encrypt | [`Writer`]: a new head, and the transform that seals the chunks | [`seal`] |
//! | rewrap for other recipients | [`Rewrap`]: the new head | [`rewrap`] |
//! | work on a stream in parts | [`InParts`]: the transform for the chunks of one unit | [`parts`] |
//!
//! The formats are `file/` (Sealstone), `interop/age/` and `interop/nkct/`. None of them does I/O. This folder knows no
//! format and no key. `delivery.rs` writes a head and its chunks to an output, and `armour.rs` has the text form.

/// The methods that set how an operation runs, the same for all types.
macro_rules! settings_methods {
    () => {
        /// Sets the number of threads that compute; by default, all that the machine has. It changes no byte of the result.
        #[must_use]
        pub fn threads(mut self, threads: usize) -> Self {
            self.settings.set_threads(threads);
            self
        }

        crate::pipeline::callback_methods!();
    };
}
pub(crate) use settings_methods;

pub(crate) mod armour;
#[cfg(all(feature = "archive", not(target_family = "wasm")))]
pub(crate) mod content;
mod delivery;
mod files;
#[cfg(all(feature = "archive", not(target_family = "wasm")))]
pub(crate) mod frames;
mod inspect;
pub(crate) mod memory;
mod open;
pub(crate) mod parts;
mod prepared;
mod rewrap;
mod seal;

pub use armour::{ArmourDecoder, ArmourEncoder, is_armoured};
pub(crate) use files::asks;
pub use files::{Asks, DecryptFiles, EncryptFiles, RewrapFiles};
#[cfg(all(feature = "archive", not(target_family = "wasm")))]
pub use frames::Compression;
pub use inspect::Asked;
pub(crate) use inspect::{Format, asked, inspect, inspect_head};
#[cfg(all(feature = "archive", not(target_family = "wasm")))]
pub(crate) use open::decrypt_content_in_memory;
pub(crate) use open::{
    Reader, decrypt, decrypt_in_memory, decrypt_range, decrypt_range_from, decrypt_range_in_memory, deliver, verify,
};
pub(crate) use parts::{InParts, Parts, Unit};
pub use prepared::Prepared;
pub(crate) use rewrap::{Rewrap, rewrap};
pub(crate) use seal::{Head, Writer, encrypt};

use crate::error::Result;
use crate::pipeline::{Settings, Transform};

/// The bytes that an operation has processed.
///
/// ```
/// use sealstone::{Encryptor, Identity, Kind};
///
/// let recipient = Identity::generate(Kind::X25519)?.recipient();
/// let mut sealed = Vec::new();
/// let summary = Encryptor::new([recipient]).encrypt_stream(&b"attack at dawn"[..], &mut sealed)?;
/// assert_eq!((summary.plaintext, summary.ciphertext), (14, sealed.len() as u64));
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Bytes of plaintext.
    pub plaintext: u64,
    /// Bytes of the whole file, without armour.
    pub ciphertext: u64,
}

/// A type with settings for its operations.
pub(crate) trait Configured {
    fn settings(&self) -> &Settings;

    fn settings_mut(&mut self) -> &mut Settings;
}

/// Implements [`Configured`] by the field `settings`.
macro_rules! configured {
    ($type:ty) => {
        impl crate::format::Configured for $type {
            fn settings(&self) -> &crate::pipeline::Settings {
                &self.settings
            }

            fn settings_mut(&mut self) -> &mut crate::pipeline::Settings {
                &mut self.settings
            }
        }
    };
}
pub(crate) use configured;

/// Seals or opens the chunks of one file.
pub(crate) trait Payload: Transform {
    /// Bytes of plaintext in `chunks_len` bytes of chunks.
    fn plaintext_len(&self, chunks_len: u64) -> Result<u64>;

    /// Bytes of the chunks for `plaintext_len` bytes of plaintext.
    fn chunks_len(&self, plaintext_len: u64) -> Result<u64>;

    /// Copies the settings, with no more threads than the memory for long chunks allows.
    fn limit_threads(&self, settings: &Settings) -> Settings {
        settings.clone()
    }

    /// Whether the plaintext is content in frames (archive section 2).
    fn is_compressed(&self) -> bool {
        false
    }

    /// Replaces the result of a run by the error that shows only at its end, if there is one.
    fn finish<T>(&self, result: Result<T>) -> Result<T> {
        result
    }
}
