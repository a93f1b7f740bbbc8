//! Keys of secrets and of passwords. A cost crosses as a name and three numbers: of Argon2 memory in KiB, passes and lanes; of scrypt
//! the logarithm of N, r and p; of `pbkdf2-HASH` iterations.

use crate::job::Job;
use crate::lock::locked;
use crate::pool::DERIVING;
use crate::work::Work;
use sealstone::hash::Algorithm;
use sealstone::kdf::{self, Bounds, Cost, Input, KeyCache, Variant};
use sealstone::{Error, Result};
use sealstone_call::call;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use zeroize::Zeroizing;

/// A derived key.
pub type Key = Zeroizing<Vec<u8>>;

/// The cost of a derivation: `argon2id`, `argon2i` and `argon2d` with memory in KiB, passes and lanes; `scrypt` with the logarithm of N, r and
/// p; `pbkdf2-HASH` with iterations.
#[call]
pub struct CrossingCost<'a> {
    /// The name.
    pub name: &'a str,
    /// The first number.
    pub a: u32,
    /// The second number, 0 where there is none.
    pub b: u32,
    /// The third number, likewise.
    pub c: u32,
}

impl CrossingCost<'_> {
    /// Reads it.
    pub fn read(&self) -> Result<Cost> {
        cost(self.name, [self.a, self.b, self.c])
    }
}

/// All that a key is derived of: password and salt, and of Argon2 alone a secret and associated data, which may be empty.
#[call]
#[allow(missing_docs)]
pub struct DerivedOf<'a> {
    pub password: &'a [u8],
    pub salt: &'a [u8],
    pub secret: &'a [u8],
    pub data: &'a [u8],
}

impl<'a> DerivedOf<'a> {
    /// Gives it to core.
    pub fn input(&self) -> Input<'a> {
        Input { password: self.password, salt: self.salt, secret: self.secret, data: self.data }
    }
}

/// A cost by its name and numbers.
pub fn cost(name: &str, [a, b, c]: [u32; 3]) -> Result<Cost> {
    let argon2 = |variant| Ok(Cost::Argon2 { variant, memory_kib: a, passes: b, lanes: c });
    match name {
        "argon2id" => argon2(Variant::Id),
        "argon2i" => argon2(Variant::I),
        "argon2d" => argon2(Variant::D),
        // A number of more than 8 bits exceeds every bound, and so does 255.
        "scrypt" => Ok(Cost::Scrypt { log_n: u8::try_from(a).unwrap_or(u8::MAX), r: b, p: c }),
        _ => {
            let hash = name.strip_prefix("pbkdf2-").and_then(|hash| hash.parse().ok());
            let hash = hash.ok_or_else(|| Error::unknown_algorithm(name, COSTS))?;
            Ok(Cost::Pbkdf2 { hash, iterations: a })
        }
    }
}

/// The name and the numbers of a cost.
pub fn named(cost: &Cost) -> (String, [u32; 3]) {
    match *cost {
        Cost::Argon2 { variant, memory_kib, passes, lanes } => {
            let name = match variant {
                Variant::Id => "argon2id",
                Variant::I => "argon2i",
                Variant::D => "argon2d",
            };
            (name.into(), [memory_kib, passes, lanes])
        }
        Cost::Scrypt { log_n, r, p } => ("scrypt".into(), [log_n.into(), r, p]),
        Cost::Pbkdf2 { hash, iterations } => (format!("pbkdf2-{hash}"), [iterations, 0, 0]),
        _ => unreachable!("kdf: it is one of these"),
    }
}

const COSTS: &str = "argon2id, argon2i, argon2d, scrypt, pbkdf2-HASH (bcrypt is only read, as a stored password)";

/// How much is computed for a cost.
pub fn bounds(is_bounded: bool) -> Bounds {
    if is_bounded { Bounds::Usual } else { Bounds::None }
}

/// A key of so many bytes, which `derive` fills.
pub(crate) fn filled(len: u32, derive: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<Key> {
    let (mut key, len) = (Key::default(), len as usize);
    key.try_reserve_exact(len).map_err(|_| Error::TooLong)?;
    key.resize(len, 0);
    derive(&mut key)?;
    Ok(key)
}

/// A hash by its name, of which HKDF has so many bytes: what is too long is said before there is memory for it.
pub(crate) fn expanding(hash: &str, len: u32) -> Result<Algorithm> {
    let hash: Algorithm = hash.parse()?;
    kdf::check_hkdf(hash, len as usize).map(|()| hash)
}

/// HKDF, over a hash by its name.
pub fn hkdf(hash: &str, secret: &[u8], salt: &[u8], info: &[u8], len: u32) -> Result<Key> {
    let hash = expanding(hash, len)?;
    filled(len, |out| kdf::hkdf(hash, secret, salt, info, out))
}

/// HKDF-Extract, likewise.
pub fn hkdf_extract(hash: &str, salt: &[u8], secret: &[u8]) -> Result<Key> {
    kdf::hkdf_extract(hash.parse()?, salt, secret)
}

/// HKDF-Expand, likewise.
pub fn hkdf_expand(hash: &str, key: &[u8], info: &[u8], len: u32) -> Result<Key> {
    let hash = expanding(hash, len)?;
    filled(len, |out| kdf::hkdf_expand(hash, key, info, out))
}

/// The one-step KDF of SP 800-56C, likewise.
pub fn concat(hash: &str, secret: &[u8], info: &[u8], len: u32) -> Result<Key> {
    let hash: Algorithm = hash.parse()?;
    filled(len, |out| kdf::concat(hash, secret, info, out))
}

/// BLAKE3's key derivation.
pub fn blake3_derive_key(context: &str, secret: &[u8], len: u32) -> Result<Key> {
    filled(len, |out| kdf::blake3_derive_key(context, secret, out))
}

/// A key of a password.
pub fn derive(cost: &Cost, input: &Input<'_>, bounds: Bounds, len: u32) -> Result<Key> {
    kdf::check(cost, input, bounds, len as usize)?;
    filled(len, |out| kdf::derive(cost, input, bounds, out))
}

/// As [`derive()`], on another thread. What waits for one when the job is cancelled is not begun.
pub fn derive_later(
    cost: Cost,
    input: &Input<'_>,
    bounds: Bounds,
    len: u32,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Key> + Send + use<>> {
    let parts = [input.password, input.salt, input.secret, input.data].map(|part| Zeroizing::new(part.to_vec()));
    Work::new(&DERIVING, move || {
        job.check()?;
        let [password, salt, secret, data] = parts.each_ref().map(|part| &part[..]);
        derive(&cost, &Input { password, salt, secret, data }, bounds, len)
    })
}

/// Keys that were derived before. The clock is the caller's, in milliseconds.
pub struct Keys(Mutex<KeyCache>);

impl Keys {
    /// None, with room for so many, each for so long.
    pub fn new(entries: u32, lifetime_ms: u64) -> Result<Self> {
        Ok(Self(Mutex::new(KeyCache::new(entries as usize, Duration::from_millis(lifetime_ms))?)))
    }

    /// A key that is there, or no bytes.
    pub fn find(&self, now_ms: u64, cost: &Cost, input: &Input<'_>, bounds: Bounds, len: u32) -> Result<Key> {
        let found = locked(&self.0).find(Duration::from_millis(now_ms), cost, input, bounds, len as usize)?;
        Ok(found.unwrap_or_default())
    }

    /// Keeps one that was derived.
    pub fn keep(&self, now_ms: u64, cost: &Cost, input: &Input<'_>, key: &[u8]) {
        locked(&self.0).keep(Duration::from_millis(now_ms), cost, input, key);
    }

    /// Forgets all.
    pub fn clear(&self) {
        locked(&self.0).clear();
    }
}
