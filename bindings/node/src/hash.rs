//! Digests.

use crate::boundary::{Bytes, Result, guard, held, hold, promise};
use crate::files::{access_of, job_of, path, watched};
use crate::memory::Memory;
use napi::Env;
use napi::bindgen_prelude::{Object, Uint8ArraySlice};
use napi_derive::napi;
use sealstone::FileHasher;
use sealstone::hash::{Algorithm, Hasher, hash};
use std::sync::{Mutex, PoisonError};

#[napi]
pub fn hash_len(algorithm: String) -> Result<u32> {
    guard(|| Ok(u32::try_from(algorithm.parse::<Algorithm>()?.digest_len()).expect("hash: a digest is short")))
}

/// Of bytes in memory, into memory of the digest's length.
#[napi]
pub fn hash_into(algorithm: String, data: Uint8ArraySlice<'_>, digest: Uint8ArraySlice<'_>) -> Result<()> {
    guard(|| {
        let output = Memory::of(&digest);
        let computed = hash(algorithm.parse()?, &Memory::of(&data).beside(output));
        output.write(computed.as_bytes());
        Ok(())
    })
}

/// As hexadecimal digits.
#[napi]
pub fn hash_hex(algorithm: String, data: &[u8]) -> Result<String> {
    guard(|| Ok(hash(algorithm.parse()?, data).to_string()))
}

#[napi]
pub fn hasher(algorithm: String) -> Result<u32> {
    guard(|| Ok(hold(Mutex::new(Hasher::new(algorithm.parse()?)))))
}

#[napi]
pub fn hasher_update(hasher: u32, data: &[u8]) -> Result<()> {
    guard(|| {
        held::<Mutex<Hasher>>(hasher).lock().unwrap_or_else(PoisonError::into_inner).update(data);
        Ok(())
    })
}

/// The digest of what was taken so far; more may follow.
#[napi]
pub fn hasher_digest(hasher: u32) -> Result<Bytes> {
    guard(|| {
        let hasher = held::<Mutex<Hasher>>(hasher);
        let digest = hasher.lock().unwrap_or_else(PoisonError::into_inner).clone().finish();
        Ok(Bytes::from(digest.as_bytes()))
    })
}

#[napi]
pub fn hash_file<'env>(
    env: &'env Env,
    algorithm: String,
    file: &[u8],
    special: bool,
    job: u32,
) -> Result<Object<'env>> {
    let (hasher, job) = guard(|| Ok((FileHasher::new(Hasher::new(algorithm.parse()?)), job_of(job))))?;
    let file = path(file);
    let (access, pool) = access_of(&job, special);
    let work = move || watched!(hasher, job).run(access.input(file)?);
    promise(env, pool, work, |digest| Bytes::from(digest.as_bytes()))
}
