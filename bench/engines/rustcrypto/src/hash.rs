//! The crates `sm3`, `sha2`, `sha3` and `blake2`, which find the CPU's instructions at run time where they use any.

use bench_protocol::hash::{Hash, put};
use bench_protocol::{Task, Trial};
use blake2::Blake2b512;
use sha2::{Digest, Sha256, Sha512};
use sha3::Sha3_256;
use sm3::Sm3;

pub(crate) const OPERATIONS: &[&str] = &["hash/sm3", "hash/sha256", "hash/sha512", "hash/sha3-256", "hash/blake2b"];

/// `None` for what is no hash.
pub(crate) fn prepare(task: &Task) -> Option<Box<dyn Trial>> {
    let hash: Hash = match task.operation.as_str() {
        "hash/sm3" => digest::<Sm3>,
        "hash/sha256" => digest::<Sha256>,
        "hash/sha512" => digest::<Sha512>,
        "hash/sha3-256" => digest::<Sha3_256>,
        "hash/blake2b" => digest::<Blake2b512>,
        _ => return None,
    };
    Some(bench_protocol::hash::prepare(hash, task))
}

fn digest<D: Digest>(data: &[u8], out: &mut [u8; 64]) -> usize {
    put(&D::digest(data), out)
}
