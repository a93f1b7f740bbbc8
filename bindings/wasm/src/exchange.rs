//! The exports of the part `exchange`, one of each call. `make generate` writes them.

use crate::boundary::{Output, small};
use crate::handles::{held, hold};
use sealstone_engine::calls;
use sealstone_engine::exchange::AgreedBy;
use sealstone_engine::numbers::number;
use sealstone_engine::text::TextOrBytes;
use zeroize::Zeroizing;

exports! {
    fn exchange_generate(kind: Option<&str>) -> u32 = hold(calls::exchange::exchange_generate(kind)?)?;
    fn exchange_private_parse(file: &[u8], passphrase: Option<&[u8]>) -> u32 =
        hold(calls::exchange::exchange_private_parse(file, passphrase)?)?;
    fn exchange_public_parse(file: &[u8]) -> u32 = hold(calls::exchange::exchange_public_parse(file)?)?;
    fn exchange_private_of(kind: &str, bytes: &[u8]) -> u32 =
        hold(calls::exchange::exchange_private_of(kind, bytes)?)?;
    fn exchange_public_of(kind: &str, bytes: &[u8]) -> u32 = hold(calls::exchange::exchange_public_of(kind, bytes)?)?;
    fn exchange_private_kind(key: u32) -> String = calls::exchange::exchange_private_kind(&*held(key)?).to_owned();
    fn exchange_public_kind(key: u32) -> String = calls::exchange::exchange_public_kind(&*held(key)?).to_owned();
    fn exchange_public_key(key: u32) -> u32 = hold(calls::exchange::exchange_public_key(&*held(key)?))?;
    fn exchange_private_export(key: u32, form: &str, passphrase: Option<&[u8]>) -> TextOrBytes =
        calls::exchange::exchange_private_export(&*held(key)?, form, passphrase)?;
    fn exchange_public_export(key: u32, form: &str) -> TextOrBytes =
        calls::exchange::exchange_public_export(&*held(key)?, form)?;
    fn exchange_agree(
        key: u32, public_key: u32, kdf: &str, hash: &str, salt: &[u8], info: &[u8], length: u64,
    ) -> Zeroizing<Vec<u8>> = calls::exchange::exchange_agree(
            &*held(key)?,
            &*held(public_key)?,
            AgreedBy { kdf, hash, salt, info },
            small(length),
        )?;
    fn exchange_shared_secret(key: u32, public_key: u32) -> Zeroizing<Vec<u8>> =
        calls::exchange::exchange_shared_secret(&*held(key)?, &*held(public_key)?)?;
    fn exchange_secret_len() -> f64 = number(calls::exchange::exchange_secret_len() as u64);
    fn exchange_encapsulate(public_key: u32) -> Zeroizing<Vec<u8>> =
        calls::exchange::exchange_encapsulate(&*held(public_key)?)?;
    fn exchange_decapsulate(key: u32, ciphertext: &[u8], secret: Output) -> () = {
        let result = calls::exchange::exchange_decapsulate(&*held(key)?, ciphertext, secret.room())?;
        secret.write(result.as_ref());
    };
}
