//! Stanzas: the file key wrapped for one recipient, and unwrapped by an identity (format section 4).
//!
//! One file a kind, holding both halves. Nothing here knows of files; a stanza sees only the file's prefix.

pub(crate) mod hpke;
mod key;
mod passphrase;
mod sm2;
mod wrap;

use crate::error::{Error, Result};
use crate::key::{Identity, Kind, Public, Recipient, Secret};
use crate::password::Work;
use crate::suite::Suite;
use zeroize::Zeroizing;

/// Bytes of a file key.
pub(crate) const FILE_KEY_LEN: usize = 32;

/// The random key of one file, from which all its other keys are derived.
pub(crate) type FileKey = Zeroizing<[u8; FILE_KEY_LEN]>;

/// Bytes of the prefix, magic to flags, which every stanza binds.
pub(crate) const PREFIX_LEN: usize = 12;

/// A reserved type.
const MLKEM768_P256: u16 = 0x0005;

/// What every stanza is bound to.
#[derive(Clone, Copy)]
pub(crate) struct Binding<'a> {
    pub(crate) suite: Suite,
    pub(crate) prefix: &'a [u8; PREFIX_LEN],
}

/// One stanza of a header: its type, and its body of the length that the type demands.
#[derive(Clone, Copy)]
pub(crate) struct Stanza<'a> {
    pub(crate) kind: StanzaKind,
    pub(crate) body: &'a [u8],
}

/// The stanza types of format section 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StanzaKind {
    X25519,
    P256,
    MlKem768,
    Hybrid,
    Sm2,
    Passphrase,
    PassphraseSm3,
    Key,
    Unknown(u16),
}

impl StanzaKind {
    pub(crate) fn from_id(id: u16) -> Self {
        match id {
            0x0001 => Self::X25519,
            0x0002 => Self::P256,
            0x0003 => Self::MlKem768,
            0x0004 => Self::Hybrid,
            0x0006 => Self::Sm2,
            0x0010 => Self::Passphrase,
            0x0011 => Self::PassphraseSm3,
            0x0020 => Self::Key,
            _ => Self::Unknown(id),
        }
    }

    pub(crate) fn id(self) -> u16 {
        match self {
            Self::X25519 => 0x0001,
            Self::P256 => 0x0002,
            Self::MlKem768 => 0x0003,
            Self::Hybrid => 0x0004,
            Self::Sm2 => 0x0006,
            Self::Passphrase => 0x0010,
            Self::PassphraseSm3 => 0x0011,
            Self::Key => 0x0020,
            Self::Unknown(id) => id,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::X25519 => "x25519",
            Self::P256 => "p256",
            Self::MlKem768 => "ml-kem-768",
            Self::Hybrid => "hybrid",
            Self::Sm2 => "sm2",
            Self::Passphrase => "passphrase",
            Self::PassphraseSm3 => "passphrase-sm3",
            Self::Key => "key",
            Self::Unknown(_) => "unknown",
        }
    }

    /// The kind of key that it serves; `None` when there is none of ours.
    pub(crate) fn served(self) -> Option<Kind> {
        match self {
            Self::PassphraseSm3 => Some(Kind::Passphrase),
            kind => kind.name().parse().ok(),
        }
    }

    /// The one body length that a known type has.
    fn body_len(self) -> Option<usize> {
        match self {
            Self::X25519 => Some(32 + 48),
            Self::P256 => Some(65 + 48),
            Self::MlKem768 => Some(1088 + 48),
            Self::Hybrid => Some(1120 + 48),
            Self::Sm2 => Some(sm2::BODY_LEN),
            Self::Passphrase => Some(passphrase::BODY_LEN),
            Self::PassphraseSm3 => Some(passphrase::SM3_BODY_LEN),
            Self::Key => Some(key::BODY_LEN),
            Self::Unknown(_) => None,
        }
    }

    /// A type of 0x0010..0x0020, known or not, stands alone: it limits partitioning oracles.
    pub(crate) fn must_be_only(self) -> bool {
        (0x0010..0x0020).contains(&self.id())
    }

    /// Whether a quantum computer could not find the file key; `None` of those that go with both (section 4.7). What is
    /// not known counts as classical.
    pub(crate) fn is_post_quantum(self) -> Option<bool> {
        match self {
            Self::MlKem768 | Self::Hybrid | Self::Unknown(MLKEM768_P256) => Some(true),
            Self::X25519 | Self::P256 | Self::Sm2 | Self::Unknown(_) => Some(false),
            Self::Passphrase | Self::PassphraseSm3 | Self::Key => None,
        }
    }

    /// A file is of Chinese commercial cryptography as a whole or not at all.
    fn is_allowed(self, suite: Suite) -> bool {
        match self {
            Self::Passphrase => suite != Suite::Sm4Gcm,
            Self::PassphraseSm3 => suite == Suite::Sm4Gcm,
            kind => kind.served().is_none_or(|kind| is_taken(kind, suite)),
        }
    }

    /// Checks what a header may say of this type before anybody looks at the body.
    pub(crate) fn check(self, suite: Suite, body_len: usize) -> Result<()> {
        if !self.is_allowed(suite) {
            return Err(Error::MalformedHeader("a stanza type that the suite does not take (section 4)"));
        }
        if self.body_len().is_some_and(|expected| expected != body_len) {
            return Err(Error::MalformedHeader("a stanza body of the wrong length for its type (section 4)"));
        }
        Ok(())
    }
}

/// Whether a suite takes keys of a kind.
pub(crate) fn is_taken(kind: Kind, suite: Suite) -> bool {
    match kind {
        Kind::Sm2 => suite == Suite::Sm4Gcm,
        Kind::X25519 | Kind::P256 | Kind::MlKem768 | Kind::Hybrid => suite != Suite::Sm4Gcm,
        Kind::Key | Kind::Passphrase => true,
    }
}

/// Wraps the file key for one recipient: returns `type || body length || body`.
pub(crate) fn wrap(recipient: &Recipient, binding: Binding<'_>, file_key: &FileKey) -> Result<Vec<u8>> {
    let (kind, body) = match &recipient.0 {
        Public::Kem(kem, public) => hpke::wrap(*kem, public, binding, file_key)?,
        Public::Key(key) => (StanzaKind::Key, key::wrap(key, binding, file_key)?),
        Public::Sm2(public) => (StanzaKind::Sm2, sm2::wrap(public, binding, file_key)?),
        Public::Passphrase(passphrase) => passphrase::wrap(passphrase, binding, file_key)?,
    };
    let len = u16::try_from(body.len()).expect("recipient: every body is short");
    Ok([&kind.id().to_be_bytes()[..], &len.to_be_bytes(), &body].concat())
}

/// The work of trying a passphrase on a stanza, of which all others take none.
pub(crate) fn work(stanza: Stanza<'_>) -> Result<Work> {
    match stanza.kind {
        StanzaKind::Passphrase | StanzaKind::PassphraseSm3 => passphrase::work(stanza),
        _ => Ok(Work::default()),
    }
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
        match (&self.identity.0, stanza.kind) {
            (Secret::Kem { kem, .. }, kind) => kind == hpke::stanza_kind(*kem),
            (Secret::Key(_), StanzaKind::Key) => self.key_id.is_some_and(|id| key::has_id(stanza.body, id)),
            (Secret::Sm2(_), StanzaKind::Sm2)
            | (Secret::Passphrase(_), StanzaKind::Passphrase | StanzaKind::PassphraseSm3) => true,
            _ => false,
        }
    }

    /// Unwraps the file key of a stanza that it [`matches`](Self::matches); `None` is no match. The header MAC decides
    /// whether the key is the file's.
    ///
    /// # Errors
    /// Only for costs that a reader refuses before any work, and for a backend that is forced and not there.
    pub(crate) fn unwrap(&self, stanza: Stanza<'_>) -> Result<Option<FileKey>> {
        Ok(match &self.identity.0 {
            Secret::Kem { kem, key, .. } => hpke::unwrap(*kem, key, stanza.body, self.binding),
            Secret::Key(key) => key::unwrap(key, stanza.body, self.binding)?,
            Secret::Sm2(key) => sm2::unwrap(key, stanza.body, self.binding)?,
            Secret::Passphrase(passphrase) => passphrase::unwrap(passphrase, stanza, self.binding)?,
        })
    }
}

#[cfg(test)]
#[path = "spec_tests.rs"]
mod tests;
