//! Compact messages.

use crate::job::Job;
use crate::loading::Loading;
use crate::pool::COMPUTE;
use crate::work::Work;
use sealstone::{Identity, Recipient, Result, message};
use std::sync::Arc;

/// A message, or its armour.
pub enum Sealed {
    /// Its armour.
    Text(String),
    /// The message.
    Bytes(Vec<u8>),
}

/// Seals what was loaded.
pub fn seal_loaded(
    recipient: Arc<Recipient>,
    loading: Arc<Loading>,
    aad: Vec<u8>,
    armour: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Sealed> + Send + 'static> {
    Work::new(&COMPUTE, move || {
        let plaintext = loading.take();
        job.check()?;
        let message = message::seal(&recipient, &plaintext, &aad)?;
        job.add(plaintext.len());
        Ok(if armour { Sealed::Text(message::armour(&message)) } else { Sealed::Bytes(message) })
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
