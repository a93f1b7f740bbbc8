//! Compact messages: a small plaintext to one recipient (format section 7).
//!
//! A message is 50 bytes longer than its plaintext with an `x25519` key and 1,138 with a `hybrid` one. It is single-shot HPKE:
//! nothing is released before all of it is authentic.
//!
//! ```
//! use sealstone::{Identity, Kind, message};
//!
//! let identity = Identity::generate(Kind::X25519)?;
//! let sealed = message::seal(&identity.recipient(), b"attack at dawn", b"order 17")?;
//! assert_eq!(sealed.len(), 14 + 50);
//! assert_eq!(message::open(&identity, &sealed, b"order 17")?, b"attack at dawn");
//! # Ok::<(), sealstone::Error>(())
//! ```

use super::armour::{self, BEGIN, BEGIN_MESSAGE, MESSAGE};
use super::{foreign, header};
use crate::aead::TAG_LEN;
use crate::error::{Error, LooksLike, RecipientsRule, Result};
use crate::kem::hpke::AeadId;
use crate::key::{Identity, Kind, Public, Recipient, Secret};
use crate::recipient::StanzaId;
use crate::suite::Suite;

/// The first byte: magic and version.
const MAGIC: u8 = 0xa6;
const INFO: &[u8] = b"sealstone/v1 message";
/// Bytes of plaintext that a message has at most.
const MAX_LEN: usize = 1 << 24;

/// Seals up to 16 MiB to one public key. `aad` is authenticated, not stored, and may be empty.
///
/// ```
/// use sealstone::{Identity, Kind, message};
///
/// let identity = Identity::generate(Kind::Hybrid)?;
/// let sealed = message::seal(&identity.recipient(), b"attack at dawn", b"")?;
/// assert_eq!(sealed.len(), 14 + 1138);
/// // A message goes to one public key: not to a passphrase, and not to a key that both sides have.
/// let shared = Identity::generate(Kind::Key)?.recipient();
/// assert_eq!(message::seal(&shared, b"attack at dawn", b"").unwrap_err().code(), "invalid_recipients");
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Security
/// A message does not prove who sent it: anyone who has the recipient can make one. It does not commit to its key. Its length and
/// the kind of the key are visible.
///
/// # Errors
/// [`Error::InvalidRecipients`] for an `sm2` key, a symmetric key or a passphrase; [`Error::TooLong`]; [`Error::NoRandomness`].
pub fn seal(recipient: &Recipient, plaintext: &[u8], aad: &[u8]) -> Result<Vec<u8>> {
    let Public::Kem(kind, public) = &recipient.0 else {
        return Err(Error::InvalidRecipients(RecipientsRule::MessageKind));
    };
    if plaintext.len() > MAX_LEN {
        return Err(Error::TooLong);
    }
    public.seal(&[MAGIC, id_of(*kind)], AeadId::Aes256Gcm, INFO, aad, plaintext)
}

/// Opens a message, as bytes or as text, with the identity that it is for.
///
/// ```
/// use sealstone::{Identity, Kind, message};
///
/// let identity = Identity::generate(Kind::X25519)?;
/// let sealed = message::seal(&identity.recipient(), b"attack at dawn", b"order 17")?;
/// assert_eq!(message::open(&identity, &sealed, b"order 17")?, b"attack at dawn");
/// assert_eq!(message::open(&identity, &sealed, b"order 18").unwrap_err().code(), "not_authentic");
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Security
/// The plaintext proves neither who wrote it nor what others see in the message. Do not try several identities on one message.
///
/// # Errors
/// In this order: [`Error::MalformedArmour`] of text; [`Error::NotSealstone`]; [`Error::UnsupportedSuite`] for an unknown type;
/// [`Error::NoMatchingIdentity`] when the type does not match the identity; [`Error::Truncated`]; [`Error::TooLong`];
/// [`Error::NotAuthentic`] for everything else, including a wrong `aad`.
pub fn open(identity: &Identity, message: &[u8], aad: &[u8]) -> Result<Vec<u8>> {
    if message.starts_with(BEGIN_MESSAGE) {
        return open_binary(identity, &armour::dearmour(MESSAGE, message)?, aad);
    }
    open_binary(identity, message, aad)
}

/// A message as text, for terminals and mail: base64 between a BEGIN and an END line.
///
/// ```
/// use sealstone::{Identity, Kind, message};
///
/// let identity = Identity::generate(Kind::X25519)?;
/// let text = message::armour(&message::seal(&identity.recipient(), b"attack at dawn", b"")?);
/// assert!(text.starts_with("-----BEGIN SEALSTONE MESSAGE-----\n"));
/// assert_eq!(message::open(&identity, text.as_bytes(), b"")?, b"attack at dawn");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[must_use]
pub fn armour(message: &[u8]) -> String {
    String::from_utf8(armour::armour(MESSAGE, message)).expect("message: base64 is text")
}

/// Whether these are the first bytes of a message.
pub(super) fn begins(start: &[u8]) -> bool {
    matches!(start, [MAGIC, id, ..] if is_known(*id))
}

/// Whether a type is that of a public key that messages go to.
fn is_known(id: u8) -> bool {
    StanzaId(id.into()).served().is_some_and(Kind::takes_messages)
}

/// The type of a kind that messages go to: that of its stanza in files.
fn id_of(kind: Kind) -> u8 {
    let id = kind.stanza_id(Suite::default()).expect("message: the default suite takes all kinds with a KEM");
    u8::try_from(id).expect("message: the types of public keys are below 256")
}

fn open_binary(identity: &Identity, message: &[u8], aad: &[u8]) -> Result<Vec<u8>> {
    let rest = message.strip_prefix(&[MAGIC]).ok_or_else(|| {
        let is_file = message.starts_with(BEGIN) || message.starts_with(&header::MAGIC);
        Error::NotSealstone(if is_file { Some(LooksLike::File) } else { foreign::looks_like(message) })
    })?;
    let (&id, rest) = rest.split_first().ok_or(Error::Truncated("it ends before the type"))?;
    if !is_known(id) {
        return Err(Error::UnsupportedSuite(id));
    }
    let Secret::Kem { kind, key, .. } = &identity.0 else { return Err(Error::NoMatchingIdentity) };
    if id_of(*kind) != id {
        return Err(Error::NoMatchingIdentity);
    }
    let enc_len = key.kem().enc_len();
    let shortest = enc_len + TAG_LEN;
    if rest.len() < shortest {
        return Err(Error::Truncated("it ends before its tag"));
    }
    if rest.len() - shortest > MAX_LEN {
        return Err(Error::TooLong);
    }
    let (enc, sealed) = rest.split_at(enc_len);
    key.open(AeadId::Aes256Gcm, enc, INFO, aad, sealed)?.ok_or(Error::NotAuthentic { chunk: None })
}
