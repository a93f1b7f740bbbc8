//! The file format (`spec/format.md`): header and payload, put together from the layers below; and what else goes over files.

/// What a caller may say about how an operation runs, the same for all of them.
macro_rules! settings_methods {
    () => {
        /// How many threads compute; all that the machine has by default. It changes no byte of the result.
        #[must_use]
        pub fn threads(mut self, threads: usize) -> Self {
            self.settings.threads = Some(threads);
            self
        }

        crate::pipeline::callback_methods!();
    };
}

pub mod chunked;
pub mod message;
pub mod signature;

mod armour;
mod cipher;
mod decrypt;
mod delivery;
mod digest;
mod encrypt;
mod foreign;
mod header;
mod inspect;
mod parts;
mod prepared;
mod rewrap;
mod writer;

pub use armour::{ArmourDecoder, ArmourEncoder, is_armoured};
pub(crate) use armour::{Dearmour, Label, Tolerance};
pub use cipher::{Ciphered, FileCipher};
pub use decrypt::Decryptor;
pub(crate) use delivery::{Delivery, Part};
pub use digest::{FileHasher, FileSigner};
pub use encrypt::Encryptor;
pub use inspect::{Inspection, StanzaInfo, inspect, inspect_alone, inspect_head, stanzas};
pub use parts::{FileOpener, FileSealer, OpenUnit, OpenWork, SealUnit, SealWork};
pub use prepared::Prepared;
pub(crate) use rewrap::Copied;
pub use rewrap::Rewrapper;
pub(crate) use settings_methods;
pub use writer::FileWriter;

use crate::error::{Error, ProfileRule, Result};
use crate::key::Kind;
use crate::profile::Profile;
use crate::suite::Suite;

/// What an operation has processed, in bytes.
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
    /// Of plaintext.
    pub plaintext: u64,
    /// Of the whole file, without armour.
    pub ciphertext: u64,
}

/// Whether a profile takes a suite and all kinds of keys; `None` is a stanza that serves no kind of ours.
fn check_profile(profile: Option<Profile>, suite: Suite, kinds: impl Iterator<Item = Option<Kind>>) -> Result<()> {
    let Some(profile) = profile else { return Ok(()) };
    profile.check_suite(suite)?;
    for kind in kinds {
        profile.check_kind(kind.ok_or(Error::NotInProfile(ProfileRule::KnownKinds))?)?;
    }
    Ok(())
}

/// A context that is bound to the file, or none (format section 6).
#[derive(Clone, Default)]
struct Context(Option<Vec<u8>>);

impl Context {
    /// An empty context is an error, never "none".
    fn new(context: &[u8]) -> Result<Self> {
        match context.len() {
            1..=1024 => Ok(Self(Some(context.to_vec()))),
            len => Err(Error::InvalidContext(len)),
        }
    }

    fn is_some(&self) -> bool {
        self.0.is_some()
    }

    fn as_bytes(&self) -> &[u8] {
        self.0.as_deref().unwrap_or_default()
    }
}
