//! Keys of secrets and passwords, and stored passwords. A cost crosses as a name and three numbers.

use crate::boundary::Bytes;
use crate::handles::{held, hold, job_of};
use sealstone::kdf::Input;
use sealstone::password;
use sealstone_engine::kdf::{self, Keys, bounds, cost};
use sealstone_engine::numbers::length;
use sealstone_engine::password as stored;
use std::time::Duration;
use zeroize::Zeroizing;

exports! {
    fn hkdf(hash: String, secret: &[u8], salt: &[u8], info: &[u8], len: u32) -> Bytes =
        kdf::hkdf(&hash, secret, salt, info, len).map(Bytes);
    fn hkdf_extract(hash: String, salt: &[u8], secret: &[u8]) -> Bytes =
        kdf::hkdf_extract(&hash, salt, secret).map(Bytes);
    fn hkdf_expand(hash: String, key: &[u8], info: &[u8], len: u32) -> Bytes =
        kdf::hkdf_expand(&hash, key, info, len).map(Bytes);
    fn concat_kdf(hash: String, secret: &[u8], info: &[u8], len: u32) -> Bytes =
        kdf::concat(&hash, secret, info, len).map(Bytes);
    fn blake3_derive_key(context: String, secret: &[u8], len: u32) -> Bytes =
        kdf::blake3_derive_key(&context, secret, len).map(Bytes);
    fn derive(
        name: String, a: u32, b: u32, c: u32, password: &[u8], salt: &[u8], secret: &[u8], data: &[u8],
        is_bounded: bool, len: u32,
    ) -> Bytes = {
        let input = Input { password, salt, secret, data };
        kdf::derive(&cost(&name, [a, b, c])?, &input, bounds(is_bounded), len).map(Bytes)
    };
    fn key_cache(entries: u32, lifetime_ms: f64) -> u32 = Keys::new(entries, length(lifetime_ms)).map(hold);
    fn key_cache_find(
        cache: u32, now_ms: f64, name: String, a: u32, b: u32, c: u32, password: &[u8], salt: &[u8], secret: &[u8],
        data: &[u8], is_bounded: bool, len: u32,
    ) -> Bytes = {
        let input = Input { password, salt, secret, data };
        let cost = cost(&name, [a, b, c])?;
        held::<Keys>(cache).find(length(now_ms), &cost, &input, bounds(is_bounded), len).map(Bytes)
    };
    fn key_cache_keep(
        cache: u32, now_ms: f64, name: String, a: u32, b: u32, c: u32, password: &[u8], salt: &[u8], secret: &[u8],
        data: &[u8], key: &[u8],
    ) -> () = {
        let input = Input { password, salt, secret, data };
        Ok(held::<Keys>(cache).keep(length(now_ms), &cost(&name, [a, b, c])?, &input, key))
    };
    fn key_cache_clear(cache: u32) -> () = Ok(held::<Keys>(cache).clear());
    fn password_hash(password: &[u8], name: String, a: u32, b: u32, c: u32) -> String =
        password::hash(password, &cost(&name, [a, b, c])?);
    fn password_verify(password: &[u8], stored: String, is_bounded: bool) -> () =
        password::verify(password, &stored, bounds(is_bounded));
    fn password_needs_rehash(stored: String, name: String, a: u32, b: u32, c: u32) -> bool =
        password::needs_rehash(&stored, &cost(&name, [a, b, c])?);
    /// Of times in microseconds.
    fn password_cost_raised(name: String, a: u32, b: u32, c: u32, target: f64, took: f64) -> u32 = {
        let [target, took] = [target, took].map(|time| Duration::from_micros(length(time)));
        stored::raised(cost(&name, [a, b, c])?, target, took)
    };
}

promises! {
    fn derive_later(
        name: String, a: u32, b: u32, c: u32, password: &[u8], salt: &[u8], secret: &[u8], data: &[u8],
        is_bounded: bool, len: u32, job: u32
    ) => Bytes, {
        let input = Input { password, salt, secret, data };
        kdf::derive_later(cost(&name, [a, b, c])?, &input, bounds(is_bounded), len, job_of(job))
    };
    fn password_hash_later(password: &[u8], name: String, a: u32, b: u32, c: u32, job: u32) => |text| text,
        stored::hash_later(Zeroizing::new(password.to_vec()), cost(&name, [a, b, c])?, job_of(job));
    fn password_verify_later(password: &[u8], stored: String, is_bounded: bool, job: u32) => |()| (),
        stored::verify_later(Zeroizing::new(password.to_vec()), stored, bounds(is_bounded), job_of(job));
}
