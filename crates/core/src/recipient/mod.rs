//! Stanzas: the file key wrapped for one recipient, and unwrapped by an identity (format section 4).
//!
//! One file a scheme, holding both halves. Nothing here knows of files; a stanza sees only the file's prefix.

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

/// The random key of one file, from which all its other keys are derived.
pub(crate) type FileKey = Zeroizing<[u8; FILE_KEY_LEN]>;

/// Bytes of the prefix, magic to flags, which every stanza binds.
pub(crate) const PREFIX_LEN: usize = 12;

/// What every stanza is bound to.
#[derive(Clone, Copy)]
pub(crate) struct Binding<'a> {
    pub(crate) suite: Suite,
    pub(crate) prefix: &'a [u8; PREFIX_LEN],
}

/// One stanza of a header: its type, and its body of the length that the type demands.
#[derive(Clone, Copy)]
pub(crate) struct Stanza<'a> {
    pub(crate) id: StanzaId,
    pub(crate) body: &'a [u8],
}

impl Stanza<'_> {
    /// As [`StanzaId::is_post_quantum`]; a plugin's says it in its body.
    pub(crate) fn is_post_quantum(self) -> Option<bool> {
        if self.is_of_plugin() { Some(plugin::is_post_quantum(self.body)) } else { self.id.is_post_quantum() }
    }

    /// Whether nothing may be put beside it, as its type says or a plugin.
    pub(crate) fn must_be_only(self) -> bool {
        self.id.must_be_only() || self.is_of_plugin() && plugin::must_be_only(self.body)
    }

    /// Whether a plugin is asked to unwrap it.
    pub(crate) fn is_of_plugin(self) -> bool {
        self.id.served() == Some(Kind::Plugin)
    }
}

/// A stanza type of format section 4, known or not. What is known of it stands in the row of the kind that it serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StanzaId(pub(crate) u16);

impl StanzaId {
    /// The kind of key that it serves; `None` when there is none of ours.
    pub(crate) fn served(self) -> Option<Kind> {
        Kind::of_stanza(self.0).map(|(kind, _)| kind)
    }

    pub(crate) fn name(self) -> &'static str {
        Kind::of_stanza(self.0).map_or("unknown", |(_, stanza)| stanza.name)
    }

    /// The body lengths that a known type has, one but for plugins.
    fn body_lens(self) -> Option<RangeInclusive<usize>> {
        let len = match self.served()?.scheme() {
            Scheme::Kem(kem) => hpke::body_len(kem),
            Scheme::Sm2 => sm2::BODY_LEN,
            Scheme::Key => key::BODY_LEN,
            Scheme::Passphrase => passphrase::body_len(self),
            Scheme::Plugin => return Some(plugin::BODY_LENS),
        };
        Some(len..=len)
    }

    /// A type of 0x0010..0x0020, known or not, stands alone: it limits partitioning oracles.
    pub(crate) fn must_be_only(self) -> bool {
        (0x0010..0x0020).contains(&self.0)
    }

    /// As [`Kind::is_post_quantum`]. What is not known counts as classical.
    pub(crate) fn is_post_quantum(self) -> Option<bool> {
        self.served().map_or(Some(false), Kind::is_post_quantum)
    }

    /// Checks what a header may say of this type before anybody looks at the body.
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

/// The work of trying a passphrase on a stanza, of which all others take none.
pub(crate) fn work(stanza: Stanza<'_>) -> Result<Work> {
    if stanza.id.served() == Some(Kind::Passphrase) { passphrase::work(stanza) } else { Ok(Work::default()) }
}

/// The derivation that an identity needs for a passphrase's stanza, unless its passphrase knows the key.
///
/// # Errors
/// Costs that no reader accepts.
pub(crate) fn stretch(identity: &Identity, stanza: Stanza<'_>) -> Result<Option<Stretch>> {
    let Some(passphrase) = identity.passphrase() else { return Ok(None) };
    let stretch = passphrase::stretch(passphrase, stanza)?;
    Ok((!stretch.is_known()).then_some(stretch))
}

/// The derivation of a passphrase's new stanza, unless the passphrase knows a key for one.
pub(crate) fn new_stretch(passphrase: &Passphrase, suite: Suite) -> Result<Option<Stretch>> {
    let id = Kind::Passphrase.stanza_id(suite).map(StanzaId);
    let id = id.filter(|id| !passphrase.has_new_root(id.0));
    id.map(|id| passphrase::new_stretch(passphrase, id)).transpose()
}

/// An identity and what its use on the stanzas of one file begins with.
pub(crate) struct Candidate<'a> {
    identity: &'a Identity,
    binding: Binding<'a>,
    /// Of a symmetric key, computed once a file.
    key_id: Option<[u8; key::ID_LEN]>,
}

impl<'a> Candidate<'a> {
    pub(crate) fn new(identity: &'a Identity, binding: Binding<'a>) -> Self {
        let key_id = if let Secret::Key(key) = &identity.0 { Some(key::id(key, binding)) } else { None };
        Self { identity, binding, key_id }
    }

    /// Whether it is to be tried on a stanza: it is of this kind, and a symmetric key is this key.
    pub(crate) fn matches(&self, stanza: Stanza<'_>) -> bool {
        stanza.id.served() == Some(self.identity.kind()) && self.key_id.is_none_or(|id| key::has_id(stanza.body, id))
    }

    /// Unwraps the file key of a stanza that it [`matches`](Self::matches); `None` is no match. The header MAC decides
    /// whether the key is the file's.
    ///
    /// # Errors
    /// Only for costs that a reader refuses before any work, for a backend that is forced and not there, and those of a plugin.
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
