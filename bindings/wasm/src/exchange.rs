//! The module of key pairs that encrypt: what agrees on keys and encapsulates them.

use crate::boundary::{Output, small};
use crate::handles::{held, hold};
use sealstone::exchange::{PrivateKey, PublicKey, SECRET_LEN};
use sealstone_engine::exchange;
use sealstone_engine::numbers::number;
use sealstone_engine::text::TextOrBytes;
use zeroize::Zeroizing;

exports! {
    fn exchange_generate(kind: Option<&str>) -> u32 = hold(exchange::generate(kind)?)?;
    fn exchange_private_parse(file: &[u8], passphrase: Option<&[u8]>) -> u32 =
        hold(exchange::private(file, passphrase)?)?;
    fn exchange_public_parse(file: &[u8]) -> u32 = hold(PublicKey::parse(file)?)?;
    fn exchange_private_of(kind: &str, bytes: &[u8]) -> u32 = hold(exchange::private_of(kind, bytes)?)?;
    fn exchange_public_of(kind: &str, bytes: &[u8]) -> u32 = hold(exchange::public_of(kind, bytes)?)?;
    fn exchange_private_kind(key: u32) -> String = held::<PrivateKey>(key)?.kind().name().to_owned();
    fn exchange_public_kind(key: u32) -> String = held::<PublicKey>(key)?.kind().name().to_owned();
    fn exchange_public_key(key: u32) -> u32 = hold(held::<PrivateKey>(key)?.public_key())?;
    fn exchange_private_export(key: u32, form: &str, passphrase: Option<&[u8]>) -> TextOrBytes =
        exchange::export_private(&*held(key)?, form, passphrase)?;
    fn exchange_public_export(key: u32, form: &str) -> TextOrBytes = exchange::export_public(&*held(key)?, form)?;
    fn exchange_agree(
        key: u32, public_key: u32, kdf: &str, hash: &str, salt: &[u8], info: &[u8], len: u64,
    ) -> Zeroizing<Vec<u8>> = exchange::agree(&*held(key)?, &*held(public_key)?, [kdf, hash], salt, info, small(len))?;
    fn exchange_shared_secret(key: u32, public_key: u32) -> Zeroizing<Vec<u8>> =
        held::<PrivateKey>(key)?.hazmat_shared_secret(&*held(public_key)?)?;
    fn exchange_secret_len() -> f64 = number(SECRET_LEN as u64);
    fn exchange_ciphertext_len(key: u32) -> f64 =
        number(exchange::ciphertext_len(&*held(key)?) as u64);
    /// The secret, and behind it the ciphertext.
    fn exchange_encapsulate(key: u32) -> Zeroizing<Vec<u8>> = {
        let (ciphertext, secret) = held::<PublicKey>(key)?.encapsulate()?;
        // In one piece, so that no copy of the secret is left behind.
        let mut both = Zeroizing::new(Vec::with_capacity(SECRET_LEN + ciphertext.len()));
        both.extend_from_slice(&secret[..]);
        both.extend(ciphertext);
        both
    };
    fn exchange_decapsulate(key: u32, ciphertext: &[u8], secret: Output) -> () =
        secret.bytes().copy_from_slice(&held::<PrivateKey>(key)?.decapsulate(ciphertext)?[..]);
}
