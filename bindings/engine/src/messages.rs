//! Compact messages.

use crate::job::Job;
use crate::loading::Loading;
use crate::pool::COMPUTE;
use crate::text::TextOrBytes;
use crate::work::Work;
use sealstone::{Identity, Recipient, Result, message};
use std::sync::Arc;

/// Seals a message as text.
pub fn seal_armoured(recipient: &Recipient, plaintext: &[u8], aad: &[u8]) -> Result<String> {
    Ok(message::armour(&message::seal(recipient, plaintext, aad)?))
}

/// Seals what was loaded, as text where it is to have armour.
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
        let sealed = match armour {
            true => TextOrBytes::Text(seal_armoured(&recipient, &plaintext, &aad)?.into()),
            false => TextOrBytes::Bytes(message::seal(&recipient, &plaintext, &aad)?.into()),
        };
        job.add(plaintext.len());
        Ok(sealed)
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
