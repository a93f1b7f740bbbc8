//! Compact messages: a small plaintext to one recipient (format section 7).
//!
//! A message is longer than its plaintext: by 50 bytes for an `x25519` key, by 1,138 for a `hybrid` key. It is single-shot
//! HPKE: no plaintext is released before all of it is authentic.
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

use super::foreign::{self, MESSAGE_MAGIC as MAGIC};
use super::header;
use crate::aead::{Aead, NONCE_LEN, TAG_LEN};
use crate::error::{Error, LooksLike, RecipientsRule, Result};
use crate::format::armour::{self, MESSAGE};
use crate::kem::hpke::{AeadId, Plaintext, PublicKey, Schedule};
use crate::key::{Identity, Kind, Public, Recipient, Secret};
use crate::recipient::StanzaId;
use crate::suite::Suite;
use std::ops::Range;
use zeroize::Zeroize;

/// Magic and type.
const HEAD_LEN: usize = 2;
const INFO: &[u8] = b"sealstone/v1 message";
/// The most bytes of plaintext of a message.
const MAX_LEN: usize = 1 << 24;

/// Seals up to 16 MiB to one public key. `aad` is authenticated and not stored, and may be empty.
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
    let mut message = vec![0; sealed_len(recipient, plaintext.len())?];
    seal_into(recipient, plaintext, aad, &mut message)?;
    Ok(message)
}

/// The length of a message to this recipient for `plaintext_len` bytes of plaintext. The ciphertext ends 16 bytes before the
/// end of the message.
///
/// # Errors
/// The errors of [`seal`] that depend on neither the bytes nor randomness.
pub fn sealed_len(recipient: &Recipient, plaintext_len: usize) -> Result<usize> {
    let (head, public) = address(recipient)?;
    if plaintext_len > MAX_LEN {
        return Err(Error::TooLong);
    }
    Ok(head.len() + plaintext_len + public.growth())
}

/// As [`seal`], into memory of [`sealed_len`] bytes.
///
/// ```
/// use sealstone::{Identity, Kind, message};
///
/// let identity = Identity::generate(Kind::X25519)?;
/// let recipient = identity.recipient();
/// let mut memory = vec![0; message::sealed_len(&recipient, 14)?];
/// message::seal_into(&recipient, b"attack at dawn", b"", &mut memory)?;
/// assert_eq!(message::open(&identity, &memory, b"")?, b"attack at dawn");
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// As [`seal`], and [`Error::WrongLength`].
pub fn seal_into(recipient: &Recipient, plaintext: &[u8], aad: &[u8], message: &mut [u8]) -> Result<()> {
    seal_plaintext(recipient, plaintext.len(), Plaintext::At(plaintext), aad, message)
}

/// As [`seal`], for a plaintext that is already at its place in the message's memory.
///
/// ```
/// use sealstone::{Identity, Kind, message};
///
/// let identity = Identity::generate(Kind::X25519)?;
/// let recipient = identity.recipient();
/// let mut memory = vec![0; message::sealed_len(&recipient, 14)?];
/// let end = memory.len() - 16;
/// memory[end - 14..end].copy_from_slice(b"attack at dawn");
/// message::seal_in_place(&recipient, b"", &mut memory)?;
/// assert_eq!(message::open(&identity, &memory, b"")?, b"attack at dawn");
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// As [`seal`], and [`Error::WrongLength`] for memory that is too short for any message to this recipient.
pub fn seal_in_place(recipient: &Recipient, aad: &[u8], message: &mut [u8]) -> Result<()> {
    let plaintext_len = message.len().saturating_sub(sealed_len(recipient, 0)?);
    seal_plaintext(recipient, plaintext_len, Plaintext::InPlace, aad, message)
}

fn seal_plaintext(
    recipient: &Recipient,
    plaintext_len: usize,
    plaintext: Plaintext<'_>,
    aad: &[u8],
    message: &mut [u8],
) -> Result<()> {
    let expected = sealed_len(recipient, plaintext_len)?;
    if message.len() != expected {
        return Err(Error::WrongLength { what: "the message's memory", expected, actual: message.len() });
    }
    let (head, public) = address(recipient)?;
    public.seal_into(&head, AeadId::Aes256Gcm, INFO, aad, plaintext, message)
}

/// The key and the nonce of one message, for a host that computes AES-256-GCM itself.
pub struct Sealing(Schedule);

impl Sealing {
    /// The key.
    #[must_use]
    pub fn key(&self) -> &[u8; 32] {
        &self.0.key
    }

    /// The nonce.
    #[must_use]
    pub fn nonce(&self) -> &[u8; NONCE_LEN] {
        &self.0.base_nonce
    }
}

/// Begins a message that a host seals with its own, faster AEAD; returns the message's beginning. The ciphertext of up to 16
/// MiB and its tag follow.
///
/// ```
/// use sealstone::aead::{Aead, Algorithm};
/// use sealstone::{Identity, Kind, message};
///
/// let identity = Identity::generate(Kind::X25519)?;
/// let (head, sealing) = message::begin(&identity.recipient())?;
/// let host = |sealing: &message::Sealing| Aead::new(Algorithm::Aes256Gcm, sealing.key());
/// let text = host(&sealing)?.seal(sealing.nonce(), b"order 17", b"attack at dawn")?;
/// let sealed = [head, text].concat();
/// assert_eq!(message::open(&identity, &sealed, b"order 17")?, b"attack at dawn");
///
/// let place = message::place(&identity, &sealed, sealed.len())?;
/// let (head, text) = sealed.split_at(place.start);
/// let opening = message::opening(&identity, head)?;
/// assert_eq!(host(&opening)?.open(opening.nonce(), b"order 17", text)?, b"attack at dawn");
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Security
/// Seal exactly one plaintext with the key: it has only this nonce.
///
/// # Errors
/// The errors of [`seal`], except [`Error::TooLong`].
pub fn begin(recipient: &Recipient) -> Result<(Vec<u8>, Sealing)> {
    let (head, public) = address(recipient)?;
    let (enc, schedule) = public.begin(AeadId::Aes256Gcm, INFO)?;
    Ok(([&head[..], &enc].concat(), Sealing(schedule)))
}

/// The key and the nonce to open a message with a host's AEAD. `head` is the part before the ciphertext; [`place`] returns its
/// length.
///
/// # Errors
/// The errors of [`open`]; [`Error::NotAuthentic`] for an invalid encapsulated key. The host must report the same error for a
/// wrong tag.
pub fn opening(identity: &Identity, head: &[u8]) -> Result<Sealing> {
    let Secret::Kem { key, .. } = &identity.0 else { return Err(Error::NoMatchingIdentity) };
    let schedule = key.decapsulate(AeadId::Aes256Gcm, head.get(HEAD_LEN..).unwrap_or_default(), INFO);
    schedule.map(Sealing).ok_or(Error::NotAuthentic { chunk: None })
}

/// The first bytes of a message to this recipient, and the recipient's key.
fn address(recipient: &Recipient) -> Result<([u8; HEAD_LEN], &PublicKey)> {
    match &recipient.0 {
        Public::Kem(kind, public) => Ok(([MAGIC, id_of(*kind)], public)),
        _ => Err(Error::InvalidRecipients(RecipientsRule::MessageKind)),
    }
}

/// Opens a message, binary or armoured, with the recipient's identity.
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
/// The plaintext does not prove who wrote it. A message does not commit to its key, so a sender can make one that opens to
/// another plaintext with another key. Do not try several identities on one message.
///
/// # Errors
/// In this order: [`Error::MalformedArmour`] for text; [`Error::NotSealstone`]; [`Error::UnsupportedSuite`] for an unknown
/// type; [`Error::NoMatchingIdentity`] when the type does not match the identity; [`Error::Truncated`]; [`Error::TooLong`];
/// [`Error::NotAuthentic`] for everything else, including a wrong `aad`.
pub fn open(identity: &Identity, message: &[u8], aad: &[u8]) -> Result<Vec<u8>> {
    open_binary(identity, &armour::dearmour_if_armoured(MESSAGE, message)?, aad)
}

/// Whether a message with this start is armoured. Its first 65,536 bytes suffice.
#[must_use]
pub fn is_armoured(start: &[u8]) -> bool {
    armour::is_armour(MESSAGE, start)
}

/// The range of the ciphertext in a binary message of `len` bytes. It has the plaintext's length, and a tag of 16 bytes
/// follows. `start` needs only the bytes before the ciphertext, 2 KiB at most.
///
/// # Errors
/// The errors of [`open`] that need no key.
pub fn place(identity: &Identity, start: &[u8], len: usize) -> Result<Range<usize>> {
    let rest = start.strip_prefix(&[MAGIC]).ok_or_else(|| {
        let is_file = armour::is_armoured(start) || start.starts_with(&header::MAGIC);
        Error::NotSealstone(if is_file { Some(LooksLike::File) } else { foreign::looks_like(start) })
    })?;
    let &id = rest.first().ok_or(Error::Truncated("it ends before the type"))?;
    if !is_known(id) {
        return Err(Error::UnsupportedSuite(id));
    }
    let Secret::Kem { kind, key, .. } = &identity.0 else { return Err(Error::NoMatchingIdentity) };
    if id_of(*kind) != id {
        return Err(Error::NoMatchingIdentity);
    }
    let from = HEAD_LEN + key.kem().enc_len();
    let to = len.checked_sub(TAG_LEN).filter(|to| *to >= from).ok_or(Error::Truncated("it ends before its tag"))?;
    if to - from > MAX_LEN {
        return Err(Error::TooLong);
    }
    Ok(from..to)
}

/// As [`open`], for a binary message, into memory of the plaintext's length, which [`place`] returns.
///
/// ```
/// use sealstone::{Identity, Kind, message};
///
/// let identity = Identity::generate(Kind::X25519)?;
/// let sealed = message::seal(&identity.recipient(), b"attack at dawn", b"")?;
/// let mut plaintext = vec![0; message::place(&identity, &sealed, sealed.len())?.len()];
/// message::open_into(&identity, &sealed, b"", &mut plaintext)?;
/// assert_eq!(plaintext, b"attack at dawn");
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// As [`open`], and [`Error::WrongLength`]. After [`Error::NotAuthentic`] the memory is cleared.
pub fn open_into(identity: &Identity, message: &[u8], aad: &[u8], plaintext: &mut [u8]) -> Result<()> {
    let place = place(identity, message, message.len())?;
    check_len(place.len(), plaintext.len())?;
    let (head, sealed) = message.split_at(place.start);
    open_ciphertext(identity, head, plaintext, |aead, nonce, plaintext| aead.open_into(nonce, aad, sealed, plaintext))
}

/// As [`open_into`], for a ciphertext in memory of its own, with the bytes before it in `head`, and the tag behind it in `tag`.
///
/// # Errors
/// As [`open_into`].
pub fn open_in_place(identity: &Identity, head: &[u8], aad: &[u8], text: &mut [u8], tag: &[u8; TAG_LEN]) -> Result<()> {
    let place = place(identity, head, head.len() + text.len() + TAG_LEN)?;
    check_len(place.len(), text.len())?;
    open_ciphertext(identity, head, text, |aead, nonce, text| aead.open_in_place_separate_tag(nonce, aad, text, tag))
}

/// Armours a message for terminals and mail: base64 between a BEGIN and an END line.
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

/// Whether messages can be sealed to public keys of a type.
fn is_known(id: u8) -> bool {
    StanzaId(id.into()).key_kind().is_some_and(Kind::takes_messages)
}

/// The type of a kind in messages, which is that of its stanza in files.
fn id_of(kind: Kind) -> u8 {
    let id = kind.stanza_id(Suite::default()).expect("message: the default suite takes all kinds with a KEM");
    u8::try_from(id).expect("message: the types of public keys are below 256")
}

fn open_binary(identity: &Identity, message: &[u8], aad: &[u8]) -> Result<Vec<u8>> {
    let mut plaintext = vec![0; place(identity, message, message.len())?.len()];
    open_into(identity, message, aad, &mut plaintext)?;
    Ok(plaintext)
}

/// Calls `open` with the AEAD and the nonce of a message whose head [`place`] has checked.
fn open_ciphertext(
    identity: &Identity,
    head: &[u8],
    plaintext: &mut [u8],
    open: impl FnOnce(&Aead, &[u8], &mut [u8]) -> Result<()>,
) -> Result<()> {
    let Secret::Kem { key, .. } = &identity.0 else { return Err(Error::NoMatchingIdentity) };
    let open = |aead: &Aead, nonce: &[u8]| open(aead, nonce, plaintext);
    if key.open_with(AeadId::Aes256Gcm, &head[HEAD_LEN..], INFO, open)? {
        return Ok(());
    }
    plaintext.zeroize();
    Err(Error::NotAuthentic { chunk: None })
}

fn check_len(expected: usize, actual: usize) -> Result<()> {
    if actual == expected {
        return Ok(());
    }
    Err(Error::WrongLength { what: "the plaintext's memory", expected, actual })
}
