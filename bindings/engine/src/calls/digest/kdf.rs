//! Keys of secrets and passwords. A hash crosses by its name.

use crate::deriving::Deriving;
use crate::job::Job;
use crate::kdf::{self, CrossingCost, DerivedOf, Key, Keys, bounds};
use crate::work::Work;
use sealstone::Result;
use sealstone::kdf::{Input, check};
use sealstone_call::call;
use std::sync::Arc;

/// HKDF, RFC 5869.
/// Errors: `unknown_algorithm`, `wrong_length`, `too_long`.
#[call(stack = 16, counts("hkdf", name, secret))]
pub fn hkdf(hash: &str, secret: &[u8], salt: &[u8], info: &[u8], length: u32) -> Result<Key> {
    kdf::hkdf(hash, secret, salt, info, length)
}

/// The first step of HKDF.
/// Errors: `unknown_algorithm`.
#[call(stack = 16, counts("hkdfExtract", name, secret))]
pub fn hkdf_extract(hash: &str, salt: &[u8], secret: &[u8]) -> Result<Key> {
    kdf::hkdf_extract(hash, salt, secret)
}

/// The second step of HKDF.
/// Errors: `unknown_algorithm`, `wrong_length`, `too_long`.
#[call(stack = 16, counts("hkdfExpand", name, key))]
pub fn hkdf_expand(hash: &str, key: &[u8], info: &[u8], length: u32) -> Result<Key> {
    kdf::hkdf_expand(hash, key, info, length)
}

/// The one-step KDF of SP 800-56C.
/// Errors: `unknown_algorithm`, `wrong_length`, `too_long`.
#[call(stack = 16, counts("concatKdf", name, secret))]
pub fn concat_kdf(hash: &str, secret: &[u8], info: &[u8], length: u32) -> Result<Key> {
    kdf::concat(hash, secret, info, length)
}

/// The key derivation of BLAKE3.
/// Errors: `wrong_length`, `too_long`.
#[call(stack = 16)]
pub fn blake3_derive_key(context: &str, secret: &[u8], length: u32) -> Result<Key> {
    kdf::blake3_derive_key(context, secret, length)
}

/// Derives a key of a password.
/// Errors: `cost_too_high`, `unknown_algorithm`, `invalid_cost`, `wrong_length`, `unavailable_backend`, `too_long`.
#[call(counts("derive", name))]
pub fn derive(cost: CrossingCost<'_>, of: DerivedOf<'_>, is_bounded: bool, length: u32) -> Result<Key> {
    kdf::derive(&cost.read()?, &of.input(), bounds(is_bounded), length)
}

/// Derives it on another thread.
/// Errors: `cost_too_high`, `unknown_algorithm`, `invalid_cost`, `wrong_length`, `unavailable_backend`, `too_long`, `cancelled`.
#[call(native, counts("derive", name))]
pub fn derive_later(
    cost: CrossingCost<'_>,
    of: DerivedOf<'_>,
    is_bounded: bool,
    length: u32,
    job: Arc<Job>,
) -> Result<Work<impl FnOnce() -> Result<Key> + Send + use<>>> {
    Ok(kdf::derive_later(cost.read()?, &of.input(), bounds(is_bounded), length, job))
}

/// Begins to derive a key of a password, in an instance of its own.
/// Errors: `cost_too_high`, `unknown_algorithm`, `invalid_cost`, `wrong_length`, `too_long`.
#[call(wasm, stack = 16)]
pub fn deriving(cost: CrossingCost<'_>, of: DerivedOf<'_>, is_bounded: bool, length: u32) -> Result<Deriving> {
    Deriving::key(&cost.read()?, &of.input(), bounds(is_bounded), length)
}

/// Begins to hash a password.
/// Errors: `cost_too_high`, `invalid_passphrase`, `unknown_algorithm`, `invalid_cost`, `no_randomness`.
#[call(wasm, stack = 16)]
pub fn deriving_hash(password: &[u8], cost: CrossingCost<'_>) -> Result<Deriving> {
    Deriving::hash(password, &cost.read()?)
}

/// Begins to check a password.
/// Errors: `cost_too_high`, `invalid_passphrase`, `unknown_algorithm`, `invalid_cost`, `wrong_length`, `invalid_encoding`.
#[call(wasm, stack = 16)]
pub fn deriving_check(password: &[u8], stored: &str, is_bounded: bool) -> Result<Deriving> {
    Deriving::verify(password, stored, bounds(is_bounded))
}

/// Derives a part of it; returns whether all is done.
#[call(wasm, stack = 16)]
pub fn deriving_step(deriving: &Deriving, amount: u32) -> bool {
    deriving.step(amount)
}

/// Gives the result, once: the key, the text to be stored, or nothing of a password that is the right one.
/// Errors: `not_authentic`.
#[call(wasm, stack = 16)]
pub fn deriving_end(deriving: &Deriving) -> Result<Key> {
    deriving.end()
}

/// Fails where a cost is none, or too high, of a key that a host derives.
/// Errors: `cost_too_high`, `unknown_algorithm`, `invalid_cost`, `wrong_length`.
#[call(wasm)]
pub fn derive_check(cost: CrossingCost<'_>, is_bounded: bool, length: usize) -> Result<()> {
    check(&cost.read()?, &Input::default(), bounds(is_bounded), length)
}

/// Makes a cache of derived keys. The clock is the caller's, in whole milliseconds.
/// Errors: `no_randomness`.
#[call(stack = 16)]
pub fn key_cache(entries: u32, lifetime_ms: u64) -> Result<Keys> {
    Keys::new(entries, lifetime_ms)
}

/// Gives a key that is there; else no bytes.
/// Errors: `cost_too_high`, `unknown_algorithm`, `invalid_cost`, `wrong_length`, `too_long`.
#[call(stack = 16)]
pub fn key_cache_find(
    cache: &Keys,
    now_ms: u64,
    cost: CrossingCost<'_>,
    of: DerivedOf<'_>,
    is_bounded: bool,
    length: u32,
) -> Result<Key> {
    cache.find(now_ms, &cost.read()?, &of.input(), bounds(is_bounded), length)
}

/// Keeps a key.
/// Errors: `unknown_algorithm`.
#[call(stack = 16)]
pub fn key_cache_keep(cache: &Keys, now_ms: u64, cost: CrossingCost<'_>, of: DerivedOf<'_>, key: &[u8]) -> Result<()> {
    cache.keep(now_ms, &cost.read()?, &of.input(), key);
    Ok(())
}

/// Forgets all keys.
#[call(stack = 16)]
pub fn key_cache_clear(cache: &Keys) {
    cache.clear();
}
