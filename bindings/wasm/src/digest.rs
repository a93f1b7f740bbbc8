//! The exports of the part `digest`, one of each call. `make generate` writes them.

use crate::boundary::{Data, Numbers, Output, size, small};
use crate::handles::{held, hold};
use sealstone_engine::calls;
use sealstone_engine::kdf::{CrossingCost, DerivedOf};
use sealstone_engine::numbers::number;
use zeroize::Zeroizing;

exports! {
    fn hash_id(algorithm: &str) -> f64 = f64::from(calls::digest::hash::hash_id(algorithm)?);
    fn hash_len(algorithm: u64) -> f64 = number(calls::digest::hash::hash_len(small(algorithm)) as u64);
    fn encoding_id(encoding: &str) -> f64 = f64::from(calls::digest::hash::encoding_id(encoding)?);
    fn hash_into(algorithm: u64, data: Data, digest: Output) -> () = {
        let result = calls::digest::hash::hash_into(small(algorithm), data.0, digest.room())?;
        digest.write(result.as_ref());
    };
    fn hash_text(algorithm: u64, data: Data, encoding: u64, length: u64) -> String = calls::digest::hash::hash_text(
            small(algorithm),
            data.0,
            small(encoding),
            small(length),
            str::to_owned,
        )?;
    fn hash_batch(algorithm: u64, data: &[u8], lengths: Numbers, digests: Output) -> () =
        calls::digest::hash::hash_batch(small(algorithm), data, &lengths.read(), digests.bytes())?;
    fn hash_batch_text(algorithm: u64, data: &[u8], lengths: Numbers, encoding: u64) -> String =
        calls::digest::hash::hash_batch_text(small(algorithm), data, &lengths.read(), small(encoding));
    fn hasher(algorithm: u64) -> u32 = hold(calls::digest::hash::hasher(small(algorithm)))?;
    fn hasher_clone(hasher: u32) -> u32 = hold(calls::digest::hash::hasher_clone(&*held(hasher)?))?;
    fn hasher_update(hasher: u32, data: &[u8]) -> () = calls::digest::hash::hasher_update(&*held(hasher)?, data);
    fn hasher_digest(hasher: u32, length: u64) -> Vec<u8> =
        calls::digest::hash::hasher_digest(&*held(hasher)?, size(length))?;
    fn hasher_text(hasher: u32, encoding: u64, length: u64) -> String =
        calls::digest::hash::hasher_text(&*held(hasher)?, small(encoding), size(length), str::to_owned)?;
    fn hkdf(hash: &str, secret: &[u8], salt: &[u8], info: &[u8], length: u64) -> Zeroizing<Vec<u8>> =
        calls::digest::kdf::hkdf(hash, secret, salt, info, small(length))?;
    fn hkdf_extract(hash: &str, salt: &[u8], secret: &[u8]) -> Zeroizing<Vec<u8>> =
        calls::digest::kdf::hkdf_extract(hash, salt, secret)?;
    fn hkdf_expand(hash: &str, key: &[u8], info: &[u8], length: u64) -> Zeroizing<Vec<u8>> =
        calls::digest::kdf::hkdf_expand(hash, key, info, small(length))?;
    fn concat_kdf(hash: &str, secret: &[u8], info: &[u8], length: u64) -> Zeroizing<Vec<u8>> =
        calls::digest::kdf::concat_kdf(hash, secret, info, small(length))?;
    fn blake3_derive_key(context: &str, secret: &[u8], length: u64) -> Zeroizing<Vec<u8>> =
        calls::digest::kdf::blake3_derive_key(context, secret, small(length))?;
    fn derive(
        name: &str, a: u64, b: u64, c: u64, password: &[u8], salt: &[u8], secret: &[u8], data: &[u8],
        is_bounded: bool, length: u64,
    ) -> Zeroizing<Vec<u8>> = calls::digest::kdf::derive(
            CrossingCost { name, a: small(a), b: small(b), c: small(c) },
            DerivedOf { password, salt, secret, data },
            is_bounded,
            small(length),
        )?;
    fn deriving(
        name: &str, a: u64, b: u64, c: u64, password: &[u8], salt: &[u8], secret: &[u8], data: &[u8],
        is_bounded: bool, length: u64,
    ) -> u32 = hold(calls::digest::kdf::deriving(
            CrossingCost { name, a: small(a), b: small(b), c: small(c) },
            DerivedOf { password, salt, secret, data },
            is_bounded,
            small(length),
        )?)?;
    fn deriving_hash(password: &[u8], name: &str, a: u64, b: u64, c: u64) -> u32 =
        hold(calls::digest::kdf::deriving_hash(
            password,
            CrossingCost { name, a: small(a), b: small(b), c: small(c) },
        )?)?;
    fn deriving_check(password: &[u8], stored: &str, is_bounded: bool) -> u32 =
        hold(calls::digest::kdf::deriving_check(password, stored, is_bounded)?)?;
    fn deriving_step(deriving: u32, amount: u64) -> bool =
        calls::digest::kdf::deriving_step(&*held(deriving)?, small(amount));
    fn deriving_end(deriving: u32) -> Zeroizing<Vec<u8>> = calls::digest::kdf::deriving_end(&*held(deriving)?)?;
    fn derive_check(name: &str, a: u64, b: u64, c: u64, is_bounded: bool, length: u64) -> () =
        calls::digest::kdf::derive_check(
            CrossingCost { name, a: small(a), b: small(b), c: small(c) },
            is_bounded,
            size(length),
        )?;
    fn key_cache(entries: u64, lifetime_ms: u64) -> u32 =
        hold(calls::digest::kdf::key_cache(small(entries), lifetime_ms)?)?;
    fn key_cache_find(
        cache: u32, now_ms: u64, name: &str, a: u64, b: u64, c: u64, password: &[u8], salt: &[u8], secret: &[u8],
        data: &[u8], is_bounded: bool, length: u64,
    ) -> Zeroizing<Vec<u8>> = calls::digest::kdf::key_cache_find(
            &*held(cache)?,
            now_ms,
            CrossingCost { name, a: small(a), b: small(b), c: small(c) },
            DerivedOf { password, salt, secret, data },
            is_bounded,
            small(length),
        )?;
    fn key_cache_keep(
        cache: u32, now_ms: u64, name: &str, a: u64, b: u64, c: u64, password: &[u8], salt: &[u8], secret: &[u8],
        data: &[u8], key: &[u8],
    ) -> () = calls::digest::kdf::key_cache_keep(
            &*held(cache)?,
            now_ms,
            CrossingCost { name, a: small(a), b: small(b), c: small(c) },
            DerivedOf { password, salt, secret, data },
            key,
        )?;
    fn key_cache_clear(cache: u32) -> () = calls::digest::kdf::key_cache_clear(&*held(cache)?);
    fn mac(algorithm: &str, key: &[u8], customization: Option<&[u8]>, tag_len: u64) -> u32 =
        hold(calls::digest::mac::mac(algorithm, key, customization, small(tag_len))?)?;
    fn mac_tag_len(key: u32) -> f64 = number(calls::digest::mac::mac_tag_len(&*held(key)?) as u64);
    fn mac_into(key: u32, data: Data, tag: Output) -> () = {
        let result = calls::digest::mac::mac_into(&*held(key)?, data.0, tag.room());
        tag.write(result.as_ref());
    };
    fn mac_text(key: u32, data: Data, encoding: u64) -> String =
        calls::digest::mac::mac_text(&*held(key)?, data.0, small(encoding), str::to_owned);
    fn mac_verify(key: u32, data: Data, tag: &[u8], is_truncated: bool) -> () =
        calls::digest::mac::mac_verify(&*held(key)?, data.0, tag, is_truncated)?;
    fn mac_verify_text(key: u32, data: Data, tag: Data, encoding: u64, is_truncated: bool) -> () =
        calls::digest::mac::mac_verify_text(&*held(key)?, data.0, tag.0, small(encoding), is_truncated)?;
    fn mac_signer(key: u32) -> u32 = hold(calls::digest::mac::mac_signer(&*held(key)?))?;
    fn mac_signer_update(signer: u32, data: &[u8]) -> () =
        calls::digest::mac::mac_signer_update(&*held(signer)?, data);
    fn mac_signer_tag(signer: u32) -> Vec<u8> = calls::digest::mac::mac_signer_tag(&*held(signer)?);
    fn mac_signer_text(signer: u32, encoding: u64) -> String =
        calls::digest::mac::mac_signer_text(&*held(signer)?, small(encoding), str::to_owned);
    fn mac_signer_verify(signer: u32, tag: &[u8], is_truncated: bool) -> () =
        calls::digest::mac::mac_signer_verify(&*held(signer)?, tag, is_truncated)?;
    fn mac_signer_verify_text(signer: u32, tag: Data, encoding: u64, is_truncated: bool) -> () =
        calls::digest::mac::mac_signer_verify_text(&*held(signer)?, tag.0, small(encoding), is_truncated)?;
    fn password_hash(password: &[u8], name: &str, a: u64, b: u64, c: u64) -> String =
        calls::digest::password::password_hash(
            password,
            CrossingCost { name, a: small(a), b: small(b), c: small(c) },
        )?;
    fn password_verify(password: &[u8], stored: &str, is_bounded: bool) -> () =
        calls::digest::password::password_verify(password, stored, is_bounded)?;
    fn password_needs_rehash(stored: &str, name: &str, a: u64, b: u64, c: u64) -> bool =
        calls::digest::password::password_needs_rehash(
            stored,
            CrossingCost { name, a: small(a), b: small(b), c: small(c) },
        )?;
    fn password_cost_raised(name: &str, a: u64, b: u64, c: u64, target: u64, took: u64) -> f64 =
        f64::from(calls::digest::password::password_cost_raised(
            CrossingCost { name, a: small(a), b: small(b), c: small(c) },
            target,
            took,
        )?);
}
