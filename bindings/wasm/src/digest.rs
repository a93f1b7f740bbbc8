//! The module of digests. An algorithm crosses as its place among the core's, and an encoding likewise.

use crate::boundary::{Data, Output, numbers, small};
use crate::handles::{held, hold};
use sealstone_engine::Hashing;
use sealstone_engine::hashing::{self, algorithm_of, encoding_of};
use sealstone_engine::numbers::number;

exports! {
    fn hash_id(algorithm: &str) -> f64 = f64::from(hashing::algorithm_id(algorithm)?);
    fn hash_len(algorithm: u64) -> f64 = number(algorithm_of(small(algorithm)).digest_len() as u64);
    fn encoding_id(encoding: &str) -> f64 = f64::from(hashing::encoding_id(encoding)?);
    fn hash_into(algorithm: u64, data: Data, digest: Output) -> () = {
        let (out, Data(data)) = (digest.bytes(), data);
        out.copy_from_slice(hashing::digest(algorithm_of(small(algorithm)), data, out.len())?.as_bytes());
    };
    fn hash_text(algorithm: u64, data: Data, encoding: u64, len: u64) -> String = {
        let (encoding, Data(data)) = (encoding_of(small(encoding)), data);
        let made = hashing::digest(algorithm_of(small(algorithm)), data, size(len))?;
        encoding.with(made.as_bytes(), str::to_owned)
    };
    fn hash_batch(algorithm: u64, data: &[u8], lengths: &[u8], digests: Output) -> () =
        hashing::batch(algorithm_of(small(algorithm)), data, &numbers(lengths), digests.bytes())?;
    fn hash_batch_text(algorithm: u64, data: &[u8], lengths: &[u8], encoding: u64) -> String =
        hashing::batch_text(algorithm_of(small(algorithm)), data, &numbers(lengths), encoding_of(small(encoding)));
    fn hasher(algorithm: u64) -> u32 = hold(Hashing::new(algorithm_of(small(algorithm))))?;
    fn hasher_clone(hasher: u32) -> u32 = hold(held::<Hashing>(hasher)?.copy())?;
    fn hasher_update(hasher: u32, data: &[u8]) -> () = held::<Hashing>(hasher)?.update(data);
    fn hasher_digest(hasher: u32, len: u64) -> Vec<u8> =
        held::<Hashing>(hasher)?.digest(size(len))?.as_bytes().to_vec();
    fn hasher_text(hasher: u32, encoding: u64, len: u64) -> String =
        encoding_of(small(encoding)).with(held::<Hashing>(hasher)?.digest(size(len))?.as_bytes(), str::to_owned);
}

/// A length that no memory has is one that is too long.
fn size(len: u64) -> usize {
    usize::try_from(len).unwrap_or(usize::MAX)
}
