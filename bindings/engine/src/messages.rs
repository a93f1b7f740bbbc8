//! Compact messages.

use crate::job::Job;
use crate::loading::Loading;
use crate::pool::COMPUTE;
use crate::text::TextOrBytes;
use crate::work::Work;
use sealstone::aead::TAG_LEN;
use sealstone::message::Sealing;
use sealstone::{Identity, Recipient, Result, message};
use std::sync::Arc;
use zeroize::Zeroizing;

/// Seals a message as text.
pub fn seal_armoured(recipient: &Recipient, plaintext: &[u8], aad: &[u8]) -> Result<String> {
    Ok(message::armour(&message::seal(recipient, plaintext, aad)?))
}

/// A message that a host seals: the key, the nonce, and how the message begins.
pub fn begin(recipient: &Recipient) -> Result<Zeroizing<Vec<u8>>> {
    let (head, sealing) = message::begin(recipient)?;
    Ok(secrets(&sealing, &head))
}

/// A message that a host opens, of which `head` is what stands before the ciphertext: the key and the nonce.
pub fn opening(identity: &Identity, head: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    Ok(secrets(&message::opening(identity, head)?, &[]))
}

fn secrets(sealing: &Sealing, head: &[u8]) -> Zeroizing<Vec<u8>> {
    Zeroizing::new([&sealing.key()[..], sealing.nonce(), head].concat())
}

/// As [`seal_armoured`], of what was loaded.
pub fn seal_armoured_loaded(
    recipient: Arc<Recipient>,
    loading: Arc<Loading>,
    aad: Vec<u8>,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<TextOrBytes> + Send + 'static> {
    Work::new(&COMPUTE, move || {
        let plaintext = loading.take();
        job.check()?;
        let sealed = seal_armoured(&recipient, &plaintext, &aad)?;
        job.add(plaintext.len());
        Ok(TextOrBytes::Text(sealed.into()))
    })
}

/// Opens what was loaded, as bytes or as text.
pub fn open_loaded(
    identity: Arc<Identity>,
    loading: Arc<Loading>,
    aad: Vec<u8>,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Vec<u8>> + Send + 'static> {
    Work::new(&COMPUTE, move || {
        let message = loading.take();
        job.check()?;
        let plaintext = message::open(&identity, &message, &aad)?;
        job.add(message.len());
        Ok(plaintext)
    })
}

/// Seals a plaintext that lies in its place within the message.
pub fn seal_placed<M: AsMut<[u8]> + Send>(
    recipient: Arc<Recipient>,
    aad: Vec<u8>,
    mut message: M,
) -> Work<impl FnOnce() -> Result<()> + Send> {
    Work::new(&COMPUTE, move || message::seal_in_place(&recipient, &aad, message.as_mut()))
}

/// Opens a ciphertext where it lies; `head` is what stands before it in the message, and `tag` behind it.
pub fn open_placed<M: AsMut<[u8]> + Send>(
    identity: Arc<Identity>,
    head: Vec<u8>,
    aad: Vec<u8>,
    mut text: M,
    tag: [u8; TAG_LEN],
) -> Work<impl FnOnce() -> Result<()> + Send> {
    Work::new(&COMPUTE, move || message::open_in_place(&identity, &head, &aad, text.as_mut(), &tag))
}
