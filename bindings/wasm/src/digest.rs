//! The module of digests, tags and derived keys. A hash crosses as its place among the core's, and an encoding likewise; a cost as a
//! name and three numbers.

use crate::boundary::{Data, Output, numbers, small};
use crate::handles::{held, hold};
use sealstone::kdf::{Input, check};
use sealstone::mac::Mac;
use sealstone::password;
use sealstone_engine::Hashing;
use sealstone_engine::deriving::Deriving;
use sealstone_engine::hashing::{self, algorithm_of, encoding_of};
use sealstone_engine::kdf::{self, Keys, bounds, cost};
use sealstone_engine::mac::{self, Signing};
use sealstone_engine::numbers::number;
use sealstone_engine::password as stored_password;
use std::time::Duration;
use zeroize::Zeroizing;

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
        hashing::check_text(size(len))?;
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
    fn hasher_text(hasher: u32, encoding: u64, len: u64) -> String = {
        hashing::check_text(size(len))?;
        encoding_of(small(encoding)).with(held::<Hashing>(hasher)?.digest(size(len))?.as_bytes(), str::to_owned)
    };
    // Tags.
    fn mac(algorithm: &str, key: &[u8], customization: Option<&[u8]>, tag_len: u64) -> u32 =
        hold(mac::mac(algorithm, key, customization, small(tag_len))?)?;
    fn mac_tag_len(key: u32) -> f64 = number(held::<Mac>(key)?.tag_len() as u64);
    fn mac_into(key: u32, data: Data, tag: Output) -> () = {
        let (out, Data(data)) = (tag.bytes(), data);
        out.copy_from_slice(held::<Mac>(key)?.sign(data).as_bytes());
    };
    fn mac_text(key: u32, data: Data, encoding: u64) -> String = {
        let Data(data) = data;
        encoding_of(small(encoding)).with(held::<Mac>(key)?.sign(data).as_bytes(), str::to_owned)
    };
    fn mac_verify(key: u32, data: Data, tag: &[u8], is_truncated: bool) -> () = {
        let Data(data) = data;
        mac::verify(&*held::<Mac>(key)?, data, tag, is_truncated)?;
    };
    fn mac_verify_text(key: u32, data: Data, tag: &str, encoding: u64, is_truncated: bool) -> () = {
        let (encoding, Data(data)) = (encoding_of(small(encoding)), data);
        mac::verify_text(&*held::<Mac>(key)?, data, tag.as_bytes(), encoding, is_truncated)?;
    };
    fn mac_signer(key: u32) -> u32 = hold(Signing::new(&*held::<Mac>(key)?))?;
    fn mac_signer_update(signer: u32, data: &[u8]) -> () = held::<Signing>(signer)?.update(data);
    fn mac_signer_tag(signer: u32) -> Vec<u8> = held::<Signing>(signer)?.tag().as_bytes().to_vec();
    fn mac_signer_text(signer: u32, encoding: u64) -> String =
        encoding_of(small(encoding)).with(held::<Signing>(signer)?.tag().as_bytes(), str::to_owned);
    fn mac_signer_verify(signer: u32, tag: &[u8], is_truncated: bool) -> () =
        held::<Signing>(signer)?.verify(tag, is_truncated)?;
    fn mac_signer_verify_text(signer: u32, tag: &str, encoding: u64, is_truncated: bool) -> () =
        held::<Signing>(signer)?.verify_text(tag.as_bytes(), encoding_of(small(encoding)), is_truncated)?;
    // Derived keys.
    fn hkdf(hash: &str, secret: &[u8], salt: &[u8], info: &[u8], len: u64) -> Zeroizing<Vec<u8>> =
        kdf::hkdf(hash, secret, salt, info, small(len))?;
    fn hkdf_extract(hash: &str, salt: &[u8], secret: &[u8]) -> Zeroizing<Vec<u8>> =
        kdf::hkdf_extract(hash, salt, secret)?;
    fn hkdf_expand(hash: &str, key: &[u8], info: &[u8], len: u64) -> Zeroizing<Vec<u8>> =
        kdf::hkdf_expand(hash, key, info, small(len))?;
    fn concat_kdf(hash: &str, secret: &[u8], info: &[u8], len: u64) -> Zeroizing<Vec<u8>> =
        kdf::concat(hash, secret, info, small(len))?;
    fn blake3_derive_key(context: &str, secret: &[u8], len: u64) -> Zeroizing<Vec<u8>> =
        kdf::blake3_derive_key(context, secret, small(len))?;
    fn derive(
        name: &str, a: u64, b: u64, c: u64, password: &[u8], salt: &[u8], secret: &[u8], data: &[u8],
        is_bounded: bool, len: u64,
    ) -> Zeroizing<Vec<u8>> = {
        let input = Input { password, salt, secret, data };
        kdf::derive(&cost(name, [a, b, c].map(small))?, &input, bounds(is_bounded), small(len))?
    };
    // The same in steps, in an instance of its own; what it comes to is a key, the text to be stored, or nothing.
    fn deriving(
        name: &str, a: u64, b: u64, c: u64, password: &[u8], salt: &[u8], secret: &[u8], data: &[u8],
        is_bounded: bool, len: u64,
    ) -> u32 = {
        let input = Input { password, salt, secret, data };
        hold(Deriving::key(&cost(name, [a, b, c].map(small))?, &input, bounds(is_bounded), small(len))?)?
    };
    fn deriving_hash(password: &[u8], name: &str, a: u64, b: u64, c: u64) -> u32 =
        hold(Deriving::hash(password, &cost(name, [a, b, c].map(small))?)?)?;
    fn deriving_check(password: &[u8], stored: &str, is_bounded: bool) -> u32 =
        hold(Deriving::verify(password, stored, bounds(is_bounded))?)?;
    fn deriving_step(deriving: u32, amount: u64) -> bool = held::<Deriving>(deriving)?.step(small(amount));
    fn deriving_end(deriving: u32) -> Zeroizing<Vec<u8>> = held::<Deriving>(deriving)?.end()?;
    /// Fails where a cost is none, or too high: of what the host derives.
    fn derive_check(name: &str, a: u64, b: u64, c: u64, is_bounded: bool, len: u64) -> () =
        check(&cost(name, [a, b, c].map(small))?, &Input::default(), bounds(is_bounded), size(len))?;
    fn key_cache(entries: u64, lifetime_ms: u64) -> u32 = hold(Keys::new(small(entries), lifetime_ms)?)?;
    fn key_cache_find(
        cache: u32, now_ms: u64, name: &str, a: u64, b: u64, c: u64, password: &[u8], salt: &[u8], secret: &[u8],
        data: &[u8], is_bounded: bool, len: u64,
    ) -> Zeroizing<Vec<u8>> = {
        let (cost, input) = (cost(name, [a, b, c].map(small))?, Input { password, salt, secret, data });
        held::<Keys>(cache)?.find(now_ms, &cost, &input, bounds(is_bounded), small(len))?
    };
    fn key_cache_keep(
        cache: u32, now_ms: u64, name: &str, a: u64, b: u64, c: u64, password: &[u8], salt: &[u8], secret: &[u8],
        data: &[u8], key: &[u8],
    ) -> () = {
        let (cost, input) = (cost(name, [a, b, c].map(small))?, Input { password, salt, secret, data });
        held::<Keys>(cache)?.keep(now_ms, &cost, &input, key);
    };
    fn key_cache_clear(cache: u32) -> () = held::<Keys>(cache)?.clear();
    // Stored passwords.
    fn password_hash(password: &[u8], name: &str, a: u64, b: u64, c: u64) -> String =
        password::hash(password, &cost(name, [a, b, c].map(small))?)?;
    fn password_verify(password: &[u8], stored: &str, is_bounded: bool) -> () =
        password::verify(password, stored, bounds(is_bounded))?;
    fn password_needs_rehash(stored: &str, name: &str, a: u64, b: u64, c: u64) -> bool =
        password::needs_rehash(stored, &cost(name, [a, b, c].map(small))?)?;
    /// Of times in microseconds.
    fn password_cost_raised(name: &str, a: u64, b: u64, c: u64, target: u64, took: u64) -> f64 = {
        let [target, took] = [target, took].map(Duration::from_micros);
        f64::from(stored_password::raised(cost(name, [a, b, c].map(small))?, target, took)?)
    };
}

/// A length that no memory has is one that is too long.
fn size(len: u64) -> usize {
    usize::try_from(len).unwrap_or(usize::MAX)
}
