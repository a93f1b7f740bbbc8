//! Stanzas, which hold the file key wrapped for one recipient (format section 4).
//!
//! Each scheme has one module, which wraps and unwraps. A stanza depends only on the file's prefix, not on the rest of the
//! file. The numbers of stanzas and their suites are in `key/kind.rs`.

mod hpke;
mod key;
mod passphrase;
mod plugin;
mod sm2;
mod wrap;

use crate::error::{Error, Result};
use crate::kdf::Work;
use crate::key::{Identity, Kind, Public, Recipient, Scheme, Secret};
use crate::password::Passphrase;
use crate::suite::Suite;
pub(crate) use passphrase::Kdf as StretchKdf;
pub use passphrase::Stretch;
use std::ops::RangeInclusive;
use zeroize::Zeroizing;

/// Bytes of a file key.
pub(crate) const FILE_KEY_LEN: usize = 32;

/// The random key of one file, from which all other keys of the file are derived.
pub(crate) type FileKey = Zeroizing<[u8; FILE_KEY_LEN]>;

/// Bytes of the prefix, from the magic to the flags, to which every stanza is bound.
pub(crate) const PREFIX_LEN: usize = 12;

/// The suite and the prefix to which every stanza is bound.
#[derive(Clone, Copy)]
pub(crate) struct Binding<'a> {
    pub(crate) suite: Suite,
    pub(crate) prefix: &'a [u8; PREFIX_LEN],
}

/// One stanza of a header: its type, and its body of a length that the type allows.
#[derive(Clone, Copy)]
pub(crate) struct Stanza<'a> {
    pub(crate) id: StanzaId,
    pub(crate) body: &'a [u8],
}

impl Stanza<'_> {
    /// As [`StanzaId::is_post_quantum`]; a plugin's stanza states it in its body.
    pub(crate) fn is_post_quantum(self) -> Option<bool> {
        if self.is_plugin() { Some(plugin::is_post_quantum(self.body)) } else { self.id.is_post_quantum() }
    }

    /// Whether the stanza must be the only one of its file, by its type or by its plugin.
    pub(crate) fn must_be_only(self) -> bool {
        self.id.must_be_only() || self.is_plugin() && plugin::must_be_only(self.body)
    }

    /// Whether a plugin unwraps the stanza.
    pub(crate) fn is_plugin(self) -> bool {
        self.id.key_kind() == Some(Kind::Plugin)
    }
}

/// A stanza type of format section 4, known or unknown. The row of its kind of key has the facts about a known type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StanzaId(pub(crate) u16);

impl StanzaId {
    /// The kind of key that opens the stanza; `None` for an unknown type.
    pub(crate) fn key_kind(self) -> Option<Kind> {
        Kind::of_stanza(self.0).map(|(kind, _)| kind)
    }

    pub(crate) fn name(self) -> &'static str {
        Kind::of_stanza(self.0).map_or("unknown", |(_, stanza)| stanza.name)
    }

    /// The body lengths of a known type. Only plugins have more than one.
    fn body_lens(self) -> Option<RangeInclusive<usize>> {
        let len = match self.key_kind()?.scheme() {
            Scheme::Kem(kem) => hpke::body_len(kem),
            Scheme::Sm2 => sm2::BODY_LEN,
            Scheme::Key => key::BODY_LEN,
            Scheme::Passphrase => passphrase::body_len(self),
            Scheme::Plugin => return Some(plugin::BODY_LENS),
        };
        Some(len..=len)
    }

    /// Whether a stanza of this type must be the only one: all types of 0x0010..0x0020, known or unknown. This limits
    /// partitioning oracles.
    pub(crate) fn must_be_only(self) -> bool {
        (0x0010..0x0020).contains(&self.0)
    }

    /// As [`Kind::is_post_quantum`]. Unknown types count as classical.
    pub(crate) fn is_post_quantum(self) -> Option<bool> {
        self.key_kind().map_or(Some(false), Kind::is_post_quantum)
    }

    /// Checks that the suite supports the type, and that the type allows the body's length.
    pub(crate) fn check(self, suite: Suite, body_len: usize) -> Result<()> {
        if Kind::of_stanza(self.0).is_some_and(|(_, stanza)| !stanza.suites.contains(&suite)) {
            return Err(Error::MalformedHeader("a stanza type that the suite does not take (section 4)"));
        }
        if self.body_lens().is_some_and(|lens| !lens.contains(&body_len)) {
            return Err(Error::MalformedHeader("a stanza body of the wrong length for its type (section 4)"));
        }
        Ok(())
    }
}

/// Wraps the file key for one recipient: returns `type || body length || body`.
pub(crate) fn wrap(recipient: &Recipient, binding: Binding<'_>, file_key: &FileKey) -> Result<Vec<u8>> {
    let id = recipient.kind().stanza_id(binding.suite).map(StanzaId);
    let id = id.expect("recipient: recipients are checked against the suite");
    let body = match &recipient.0 {
        Public::Kem(_, public) => hpke::wrap(public, binding, file_key)?,
        Public::Key(key) => key::wrap(id, key, binding, file_key)?,
        Public::Sm2(public) => sm2::wrap(id, public, binding, file_key)?,
        Public::Passphrase(passphrase) => passphrase::wrap(id, passphrase, binding, file_key)?,
        Public::Plugin(recipient) => plugin::wrap(id, &**recipient, binding, file_key)?,
    };
    let len = u16::try_from(body.len()).expect("recipient: every body is short");
    Ok([&id.0.to_be_bytes()[..], &len.to_be_bytes(), &body].concat())
}

/// The work of trying a passphrase on a stanza. It is zero for the stanzas of other keys.
pub(crate) fn work(stanza: Stanza<'_>) -> Result<Work> {
    if stanza.id.key_kind() == Some(Kind::Passphrase) { passphrase::work(stanza) } else { Ok(Work::default()) }
}

/// The derivation that an identity needs for a passphrase's stanza; `None` if its passphrase knows the key.
///
/// # Errors
/// The errors of costs that no reader accepts.
pub(crate) fn stretch(identity: &Identity, stanza: Stanza<'_>) -> Result<Option<Stretch>> {
    let Some(passphrase) = identity.passphrase() else { return Ok(None) };
    let stretch = passphrase::stretch(passphrase, stanza)?;
    Ok((!stretch.is_known()).then_some(stretch))
}

/// The derivation for a new stanza of a passphrase; `None` if the passphrase knows a key for one.
pub(crate) fn new_stretch(passphrase: &Passphrase, suite: Suite) -> Result<Option<Stretch>> {
    let id = Kind::Passphrase.stanza_id(suite).map(StanzaId);
    let id = id.filter(|id| !passphrase.has_new_root(id.0));
    id.map(|id| passphrase::new_stretch(passphrase, id)).transpose()
}

/// An identity, prepared for the stanzas of one file.
pub(crate) struct Candidate<'a> {
    identity: &'a Identity,
    binding: Binding<'a>,
    /// The id of a symmetric key, computed once for each file.
    key_id: Option<[u8; key::ID_LEN]>,
}

impl<'a> Candidate<'a> {
    pub(crate) fn new(identity: &'a Identity, binding: Binding<'a>) -> Self {
        let key_id = if let Secret::Key(key) = &identity.0 { Some(key::id(key, binding)) } else { None };
        Self { identity, binding, key_id }
    }

    /// Whether the identity may open a stanza: it has the stanza's kind and, for a symmetric key, its id.
    pub(crate) fn matches(&self, stanza: Stanza<'_>) -> bool {
        stanza.id.key_kind() == Some(self.identity.kind()) && self.key_id.is_none_or(|id| key::has_id(stanza.body, id))
    }

    /// Unwraps the file key of a stanza that it [`matches`](Self::matches); `None` if the stanza does not open. The header MAC
    /// decides whether the key is the file's.
    ///
    /// # Errors
    /// Only for costs that a reader refuses before any work, for a forced backend that is unavailable, and those of a plugin.
    pub(crate) fn unwrap(&self, stanza: Stanza<'_>) -> Result<Option<FileKey>> {
        Ok(match &self.identity.0 {
            Secret::Kem { key, .. } => hpke::unwrap(key, stanza.body, self.binding)?,
            Secret::Key(key) => key::unwrap(key, stanza, self.binding)?,
            Secret::Sm2(key) => sm2::unwrap(key, stanza, self.binding)?,
            Secret::Passphrase(passphrase) => passphrase::unwrap(passphrase, stanza, self.binding)?,
            Secret::Plugin(identity) => plugin::unwrap(&**identity, stanza, self.binding)?,
        })
    }
}

#[cfg(all(test, feature = "gm"))]
#[path = "spec_tests.rs"]
mod tests;
