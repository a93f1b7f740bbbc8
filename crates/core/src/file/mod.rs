//! The file format (`spec/format.md`), composed of the layers below, and the other operations on files.

pub mod chunked;
pub mod message;
#[cfg(feature = "sign")]
pub mod signature;

#[cfg(all(feature = "archive", not(target_family = "wasm")))]
mod archive;
mod chunks;
mod cipher;
mod decrypt;
mod digest;
mod encrypt;
mod foreign;
mod header;
mod inspect;
mod parts;
mod rewrap;
mod writer;

#[cfg(all(feature = "archive", not(target_family = "wasm")))]
pub use archive::{Archive, Archived, Archiver, Entries, Extracted, Extractor, Pattern};
pub use cipher::{Ciphered, FileCipher};
pub use decrypt::Decryptor;
pub use digest::{FileHasher, FileSigner};
pub use encrypt::Encryptor;
pub(crate) use inspect::Sealstone;
pub use inspect::{Inspection, StanzaInfo, inspect, inspect_alone, inspect_head, stanzas};
pub use parts::{FileOpener, FileSealer, OpenUnit, OpenWork, SealUnit, SealWork};
pub use rewrap::Rewrapper;
pub use writer::FileWriter;

use crate::error::{Error, ProfileRule, Result};
use crate::key::Kind;
use crate::profile::Profile;
use crate::suite::Suite;

/// Checks that a profile includes a suite and all kinds of keys; `None` is a stanza of an unknown type.
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
    /// Checks the length. An empty context is an error, and does not mean "none".
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
