//! Digests. An algorithm crosses as its place among the core's, and an encoding likewise.

use crate::boundary::Bytes;
use crate::direct::{Answer, Call};
use crate::handles::{held, hold, job_of};
use crate::memory::Memory;
use sealstone::Result;
use sealstone_engine::Hashing;
use sealstone_engine::files::path;
use sealstone_engine::hashing::{self, algorithm_of, encoding_of};
use sealstone_engine::numbers::short;

/// Of an algorithm, data and memory for the digest, which may be the data's.
pub fn into(call: &Call) -> Result<Answer> {
    let (algorithm, digest) = (algorithm_of(call.number(0)), call.needed(2));
    let made = call.data(1, |data| hashing::digest(algorithm, data, digest.len))?;
    digest.write(made.as_bytes());
    Ok(Answer::NOTHING)
}

/// Of an algorithm, data, an encoding and a length, which is 0 for the algorithm's own.
pub fn text(call: &Call) -> Result<Answer> {
    let (algorithm, encoding, len) = (algorithm_of(call.number(0)), encoding_of(call.number(2)), call.number(3));
    hashing::check_text(len as usize)?;
    let made = call.data(1, |data| hashing::digest(algorithm, data, len as usize))?;
    Ok(encoding.with(made.as_bytes(), |text| call.ascii(text)))
}

exports! {
    fn hash_id(algorithm: String) -> u32 = hashing::algorithm_id(&algorithm);
    fn hash_len(algorithm: u32) -> u32 = Ok(short(algorithm_of(algorithm).digest_len()));
    fn encoding_id(encoding: String) -> u32 = hashing::encoding_id(&encoding);
    fn hash_batch(algorithm: u32, data: Memory, lengths: &[u32], digests: Memory) -> () =
        data.apart(digests, |data, digests| hashing::batch(algorithm_of(algorithm), data, lengths, digests));
    fn hash_batch_text(algorithm: u32, data: &[u8], lengths: &[u32], encoding: u32) -> String =
        Ok(hashing::batch_text(algorithm_of(algorithm), data, lengths, encoding_of(encoding)));
    fn hasher(algorithm: u32) -> u32 = Ok(hold(Hashing::new(algorithm_of(algorithm))));
    fn hasher_clone(hasher: u32) -> u32 = Ok(hold(held::<Hashing>(hasher).copy()));
    fn hasher_update(hasher: u32, data: &[u8]) -> () = Ok(held::<Hashing>(hasher).update(data));
    fn hasher_digest(hasher: u32, len: u32) -> Bytes =
        held::<Hashing>(hasher).digest(len as usize).map(|digest| digest.as_bytes().to_vec());
    fn hasher_text(hasher: u32, encoding: u32, len: u32) -> String = hashing::check_text(len as usize)
        .and_then(|()| held::<Hashing>(hasher).digest(len as usize))
        .map(|digest| encoding_of(encoding).with(digest.as_bytes(), str::to_owned));
}

promises! {
    fn hash_file(algorithm: u32, file: &[u8], special: bool, len: u32, job: u32) => Bytes::from,
        hashing::file(algorithm_of(algorithm), path(file), special, len as usize, job_of(job));
}
