//! Compact messages.

use crate::job::Job;
use crate::loading::Loading;
use crate::pool::COMPUTE;
use crate::text::TextOrBytes;
use crate::work::Work;
use sealstone::{Identity, Recipient, Result, message};
use std::sync::Arc;

/// Seals a message, as text where it is to have armour.
pub fn seal(recipient: &Recipient, plaintext: &[u8], aad: &[u8], armour: bool) -> Result<TextOrBytes> {
    let message = message::seal(recipient, plaintext, aad)?;
    Ok(if armour { TextOrBytes::Text(message::armour(&message).into()) } else { TextOrBytes::Bytes(message.into()) })
}

/// Seals what was loaded.
pub fn seal_loaded(
    recipient: Arc<Recipient>,
    loading: Arc<Loading>,
    aad: Vec<u8>,
    armour: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<TextOrBytes> + Send + 'static> {
    Work::new(&COMPUTE, move || {
        let plaintext = loading.take();
        job.check()?;
        let sealed = seal(&recipient, &plaintext, &aad, armour)?;
        job.add(plaintext.len());
        Ok(sealed)
    })
}

/// Opens what was loaded.
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
