//! Bytes that come into our memory in parts, and what is done with all of them.

use crate::job::{Job, derive_for, watched};
use crate::lock::locked;
use crate::parts::threads_of;
use crate::pool::COMPUTE;
use crate::work::Work;
use sealstone::{Decryptor, Encryptor, Error, Result, Rewrapper};
use std::ops::Range;
use std::sync::{Arc, Mutex};
use zeroize::Zeroizing;

/// Bytes that come in parts.
#[derive(Default)]
pub struct Loading(Mutex<Zeroizing<Vec<u8>>>);

impl Loading {
    /// Takes a part. The first one takes memory for all `len` bytes.
    pub fn update(&self, part: &[u8], len: u64) -> Result<()> {
        let mut memory = locked(&self.0);
        if memory.is_empty() {
            let reserved = usize::try_from(len).is_ok_and(|len| memory.try_reserve_exact(len).is_ok());
            reserved.then_some(()).ok_or(Error::TooLong)?;
        }
        memory.extend_from_slice(part);
        Ok(())
    }

    pub(crate) fn take(&self) -> Zeroizing<Vec<u8>> {
        std::mem::take(&mut *locked(&self.0))
    }
}

/// Encrypts what was loaded, as text.
pub fn encrypt_armoured_loaded(
    encryptor: Arc<Encryptor>,
    loading: Arc<Loading>,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Vec<u8>> + Send + 'static> {
    Work::new(&COMPUTE, move || {
        derive_for(&*encryptor, &job, b"")?;
        watched!((*encryptor).clone(), job).encrypt(&loading.take())
    })
}

/// Decrypts what was loaded, where it lies.
pub fn decrypt_loaded(
    decryptor: Arc<Decryptor>,
    loading: Arc<Loading>,
    job: Arc<Job>,
    threads: Option<u32>,
) -> Work<impl FnOnce() -> Result<Vec<u8>> + Send + 'static> {
    Work::new(&COMPUTE, move || {
        let mut file = loading.take();
        derive_for(&*decryptor, &job, &file)?;
        let decryptor = watched!((*decryptor).clone(), job).threads(threads_of(threads));
        decryptor.decrypt_in_place(std::mem::take(&mut *file))
    })
}

/// Decrypts a part of what was loaded.
pub fn decrypt_range_loaded(
    decryptor: Arc<Decryptor>,
    loading: Arc<Loading>,
    range: Range<u64>,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Vec<u8>> + Send + 'static> {
    Work::new(&COMPUTE, move || {
        let file = loading.take();
        derive_for(&*decryptor, &job, &file)?;
        watched!((*decryptor).clone(), job).decrypt_range(&file, range)
    })
}

/// Gives what was loaded to other recipients.
pub fn rewrap_loaded(
    rewrapper: Arc<Rewrapper>,
    loading: Arc<Loading>,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Vec<u8>> + Send + 'static> {
    Work::new(&COMPUTE, move || {
        let file = loading.take();
        derive_for(&*rewrapper, &job, &file)?;
        watched!((*rewrapper).clone(), job).rewrap(&file)
    })
}
