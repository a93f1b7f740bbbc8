//! Compact messages.

use crate::delivery::{DeliveredText, Delivery};
use crate::job::Job;
use crate::loading::Loading;
use crate::memory::Lending;
use crate::messages;
use crate::work::Work;
use sealstone::{Identity, Recipient, Result, message};
use sealstone_call::call;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Gives the length of a message that is no text.
/// Errors: `invalid_recipients`, `too_long`.
#[call]
pub fn message_len(recipient: &Recipient, plaintext_len: usize) -> Result<usize> {
    message::sealed_len(recipient, plaintext_len)
}

/// Seals a message into memory. Its length: `message_len`. After an error the memory is zero.
/// Errors: `invalid_recipients`, `wrong_length`, `too_long`, `no_randomness`.
#[call(counts("sealMessage", message, plaintext))]
pub fn message_seal_into(recipient: &Recipient, plaintext: &[u8], aad: &[u8], message: &mut [u8]) -> Result<()> {
    message::seal_into(recipient, plaintext, aad, message)
}

/// Seals a message as text.
/// Errors: `invalid_recipients`, `too_long`, `no_randomness`.
#[call(counts("sealMessage", message, plaintext))]
pub fn message_seal_armoured(recipient: &Recipient, plaintext: &[u8], aad: &[u8]) -> Result<String> {
    messages::seal_armoured(recipient, plaintext, aad)
}

/// Whether a message that begins so is text.
#[call]
pub fn message_is_armoured(start: &[u8]) -> bool {
    message::is_armoured(start)
}

/// Says how many bytes are before the ciphertext of a message of that length, which is no text; a tag stands behind it.
/// Errors: `not_sealstone`, `unsupported_suite`, `truncated`, `no_matching_identity`, `too_long`.
#[call]
pub fn message_head_len(identity: &Identity, start: &[u8], message_len: usize) -> Result<usize> {
    message::place(identity, start, message_len).map(|place| place.start)
}

/// Opens a message into memory. Its length: the message's less `message_head_len` and `tag_len`. After an error the memory is zero.
/// Errors: `not_sealstone`, `unsupported_suite`, `truncated`, `no_matching_identity`, `not_authentic`, `wrong_length`, `too_long`.
#[call(counts("openMessage", message, message))]
pub fn message_open_into(identity: &Identity, message: &[u8], aad: &[u8], plaintext: &mut [u8]) -> Result<()> {
    message::open_into(identity, message, aad, plaintext)
}

/// Opens a message, as bytes or as text.
/// Errors: `not_sealstone`, `unsupported_suite`, `malformed_armour`, `truncated`, `no_matching_identity`, `not_authentic`, `too_long`.
#[call(counts("openMessage", message, message))]
pub fn message_open_armoured(identity: &Identity, message: &[u8], aad: &[u8]) -> Result<Vec<u8>> {
    message::open(identity, message, aad)
}

/// Begins a message that a host seals: returns the key, the nonce, and how the message begins.
/// Errors: `invalid_recipients`, `no_randomness`.
#[call(wasm)]
pub fn message_begin(recipient: &Recipient) -> Result<Zeroizing<Vec<u8>>> {
    messages::begin(recipient)
}

/// Begins to open a message that a host opens, of which `head` is all that stands before the ciphertext: returns the key and the nonce.
/// Errors: `no_matching_identity`, `not_authentic`.
#[call(wasm)]
pub fn message_opening(identity: &Identity, head: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    messages::opening(identity, head)
}

/// Seals a plaintext that lies in its place within the message's memory, before the tag. The memory is the work's until it has ended.
/// Errors: `invalid_recipients`, `wrong_length`, `too_long`, `no_randomness`.
#[call(native, counts("sealMessage", message, message))]
pub fn message_seal_placed<M: Lending>(
    recipient: Arc<Recipient>,
    aad: Vec<u8>,
    message: M,
) -> Work<impl FnOnce() -> Result<()> + Send + use<M>> {
    messages::seal_placed(recipient, aad, message.lend_all())
}

/// Opens a ciphertext where it lies; `head` is all that stands before it in the message, and `tag` behind it.
/// Errors: `not_sealstone`, `unsupported_suite`, `truncated`, `no_matching_identity`, `not_authentic`, `wrong_length`, `too_long`.
#[call(native, counts("openMessage", message, text))]
pub fn message_open_placed<M: Lending>(
    identity: Arc<Identity>,
    head: Vec<u8>,
    aad: Vec<u8>,
    text: M,
    tag: &[u8],
) -> Work<impl FnOnce() -> Result<()> + Send + use<M>> {
    let tag = tag.try_into().expect("messages: a tag has its length");
    messages::open_placed(identity, head, aad, text.lend_all(), tag)
}

/// As `message_seal_armoured`, of a plaintext that was loaded.
/// Errors: `invalid_recipients`, `too_long`, `no_randomness`, `cancelled`.
#[call(native, counts("sealMessage", message))]
pub fn message_seal_armoured_loaded(
    recipient: Arc<Recipient>,
    loading: Arc<Loading>,
    aad: Vec<u8>,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<DeliveredText> + Send + 'static> {
    messages::seal_armoured_loaded(recipient, loading, aad, job).then(|text| Ok(text.into()))
}

/// As `message_open_armoured`, of a message that was loaded.
/// Errors: `not_sealstone`, `unsupported_suite`, `malformed_armour`, `truncated`, `no_matching_identity`, `not_authentic`, `too_long`,
/// `cancelled`.
#[call(native, counts("openMessage", message))]
pub fn message_open_armoured_loaded(
    identity: Arc<Identity>,
    loading: Arc<Loading>,
    aad: Vec<u8>,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Delivery> + Send + 'static> {
    messages::open_loaded(identity, loading, aad, job).then(|bytes| Ok(bytes.into()))
}
