//! Digests of bytes in memory: `sealstone::hash`.

use bench_protocol::hash::put;
use bench_protocol::{Task, Trial};
use sealstone::hash::{Algorithm, hash};

macro_rules! hashes {
    ($($name:literal => $algorithm:ident,)+) => {
        pub(crate) const OPERATIONS: &[&str] = &[$($name),+];

        /// `None` for what is no hash.
        pub(crate) fn prepare(task: &Task) -> Option<Box<dyn Trial>> {
            let hash: bench_protocol::hash::Hash = match task.operation.as_str() {
                $($name => |data, out| put(hash(Algorithm::$algorithm, data).as_bytes(), out),)+
                _ => return None,
            };
            Some(bench_protocol::hash::prepare(hash, task))
        }
    };
}

hashes! {
    "hash/sm3" => Sm3,
    "hash/sha256" => Sha256,
    "hash/sha512" => Sha512,
    "hash/sha3-256" => Sha3_256,
    "hash/blake2b" => Blake2b,
    "hash/blake3" => Blake3,
}
