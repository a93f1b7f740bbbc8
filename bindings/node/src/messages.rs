//! Compact messages, chunked encryption under a key, and many small files at once.

use crate::boundary::{Bytes, Result, guard, held, hold, locked, promise};
use crate::delivery::deliver;
use crate::files::{Job, Loading, job_of, share};
use crate::pool::COMPUTE;
use napi::Env;
use napi::bindgen_prelude::{Either, Object, Uint8Array};
use napi_derive::napi;
use sealstone::chunked::ChunkedKey;
use sealstone::{Decryptor, Encryptor, Error, Identity, Recipient, message};
use std::sync::Arc;
use zeroize::{Zeroize, Zeroizing};

#[napi]
pub fn message_seal(recipient: u32, plaintext: &[u8], aad: &[u8]) -> Result<Bytes> {
    guard(|| message::seal(&held::<Recipient>(recipient), plaintext, aad).map(Bytes::from))
}

/// As `message_seal`, as text.
#[napi]
pub fn message_seal_armoured(recipient: u32, plaintext: &[u8], aad: &[u8]) -> Result<String> {
    guard(|| Ok(message::armour(&message::seal(&held::<Recipient>(recipient), plaintext, aad)?)))
}

#[napi]
pub fn message_open(identity: u32, message: &[u8], aad: &[u8]) -> Result<Bytes> {
    guard(|| message::open(&held::<Identity>(identity), message, aad).map(Bytes::from))
}

/// As `message_seal` and `message_seal_armoured`, of what was loaded.
#[napi]
pub fn message_seal_loaded<'env>(
    env: &'env Env,
    recipient: u32,
    loading: u32,
    aad: &[u8],
    armour: bool,
    job: u32,
) -> Result<Object<'env>> {
    let (recipient, loading, job) =
        guard(|| Ok((held::<Recipient>(recipient), held::<Loading>(loading), job_of(job))))?;
    let aad = aad.to_vec();
    let work = move || {
        let plaintext = Zeroizing::new(std::mem::take(&mut **locked(&loading)));
        job.check()?;
        let message = message::seal(&recipient, &plaintext, &aad)?;
        job.add(plaintext.len());
        Ok(if armour { Either::A(message::armour(&message)) } else { Either::B(message) })
    };
    promise(env, &COMPUTE, work, |message| match message {
        Either::A(text) => Either::A(text),
        Either::B(bytes) => Either::B(deliver(bytes)),
    })
}

/// As `message_open`, of what was loaded.
#[napi]
pub fn message_open_loaded<'env>(
    env: &'env Env,
    identity: u32,
    loading: u32,
    aad: &[u8],
    job: u32,
) -> Result<Object<'env>> {
    let (identity, loading, job) = guard(|| Ok((held::<Identity>(identity), held::<Loading>(loading), job_of(job))))?;
    let aad = aad.to_vec();
    let work = move || {
        let message = std::mem::take(&mut **locked(&loading));
        job.check()?;
        let plaintext = message::open(&identity, &message, &aad)?;
        job.add(message.len());
        Ok(plaintext)
    };
    promise(env, &COMPUTE, work, deliver)
}

#[napi]
pub fn chunked_key(suite: String, key: &[u8]) -> Result<u32> {
    guard(|| ChunkedKey::new(suite.parse()?, key).map(hold))
}

#[napi]
pub fn chunked_encrypt(key: u32, context: &[u8], plaintext: &[u8]) -> Result<Bytes> {
    guard(|| held::<ChunkedKey>(key).encrypt(context, plaintext).map(Bytes::from))
}

#[napi]
pub fn chunked_decrypt(key: u32, context: &[u8], ciphertext: &[u8]) -> Result<Bytes> {
    guard(|| held::<ChunkedKey>(key).decrypt(context, ciphertext).map(Bytes::from))
}

/// The results of many operations, one behind the other, and which of them failed.
#[napi(object)]
pub struct Batch {
    /// Memory of the addon's: JavaScript cuts the results out of it.
    pub bytes: Uint8Array,
    /// Of each, its length in `bytes`; 0 of what failed.
    pub lengths: Vec<u32>,
    pub failures: Vec<BatchFailure>,
}

#[napi(object)]
pub struct BatchFailure {
    pub index: u32,
    pub code: String,
    pub message: String,
}

/// Encrypts each of the plaintexts that lie one behind the other in `data`.
#[napi]
pub fn encrypt_batch<'env>(
    env: &'env Env,
    encryptor: u32,
    data: &[u8],
    lengths: &[u32],
    job: u32,
    threads: Option<u32>,
) -> Result<Object<'env>> {
    let (encryptor, job) = guard(|| {
        // Each item is short: more threads for one of them would only cost.
        let encryptor = (*held::<Encryptor>(encryptor)).clone().threads(1);
        // What is wrong with the options is one error, and not one of each item.
        encryptor.check_recipients()?;
        Ok((encryptor, job_of(job)))
    })?;
    batch(env, data, lengths, job, threads, move |plaintext| encryptor.encrypt(plaintext))
}

/// Decrypts each of the files that lie one behind the other in `data`.
#[napi]
pub fn decrypt_batch<'env>(
    env: &'env Env,
    decryptor: u32,
    data: &[u8],
    lengths: &[u32],
    job: u32,
    threads: Option<u32>,
) -> Result<Object<'env>> {
    let (decryptor, job) = guard(|| Ok(((*held::<Decryptor>(decryptor)).clone().threads(1), job_of(job))))?;
    batch(env, data, lengths, job, threads, move |file| decryptor.decrypt(file))
}

fn batch<'env>(
    env: &'env Env,
    data: &[u8],
    lengths: &[u32],
    job: Arc<Job>,
    threads: Option<u32>,
    work: impl Fn(&[u8]) -> sealstone::Result<Vec<u8>> + Send + Sync + 'static,
) -> Result<Object<'env>> {
    let (data, lengths) = (Zeroizing::new(data.to_vec()), lengths.to_vec());
    let run = move || {
        let mut rest = &data[..];
        let mut results: Vec<sealstone::Result<Vec<u8>>> = lengths.iter().map(|_| Ok(Vec::new())).collect();
        let items = lengths.iter().zip(&mut results).map(|(len, result)| {
            let (item, later) = rest.split_at(*len as usize);
            rest = later;
            (item, result)
        });
        share(items.collect(), usize::MAX, threads, |(item, result): (&[u8], &mut sealstone::Result<Vec<u8>>)| {
            job.check()?;
            *result = work(item);
            job.add(item.len());
            Ok(())
        })?;
        Ok(results)
    };
    promise(env, &COMPUTE, run, joined)
}

fn joined(results: Vec<sealstone::Result<Vec<u8>>>) -> Batch {
    let mut bytes = Vec::with_capacity(results.iter().flatten().map(Vec::len).sum());
    let (mut lengths, mut failures) = (Vec::with_capacity(results.len()), Vec::new());
    for (result, index) in results.into_iter().zip(0..) {
        match result {
            Ok(mut result) => {
                lengths.push(u32::try_from(result.len()).expect("messages: a result of a batch is short"));
                bytes.extend_from_slice(&result);
                result.zeroize();
            }
            Err(error) => {
                lengths.push(0);
                failures.push(failure(index, &error));
            }
        }
    }
    Batch { bytes: Uint8Array::from(bytes), lengths, failures }
}

fn failure(index: u32, error: &Error) -> BatchFailure {
    BatchFailure { index, code: error.code().to_owned(), message: error.to_string() }
}
