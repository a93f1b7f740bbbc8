//! Key agreement and encapsulation.

use crate::boundary::{Bytes, text_or_bytes};
use crate::direct::{Answer, Call};
use crate::handles::{held, hold, with};
use napi::bindgen_prelude::Either;
use sealstone::Result;
use sealstone::exchange::{PrivateKey, PublicKey, SECRET_LEN};
use sealstone_engine::exchange;
use sealstone_engine::numbers::short;

/// Of a public key, and of memory for a ciphertext and for the secret.
pub fn encapsulate(call: &Call) -> Result<Answer> {
    let (ciphertext, secret) = with(call.number(0), PublicKey::encapsulate)?;
    call.needed(1).write(&ciphertext);
    call.needed(2).write(&*secret);
    Ok(Answer::NOTHING)
}

/// Of a private key, a ciphertext, and memory for the secret.
pub fn decapsulate(call: &Call) -> Result<Answer> {
    let ciphertext = call.needed(1);
    let secret = with(call.number(0), |key: &PrivateKey| ciphertext.read(|ciphertext| key.decapsulate(ciphertext)))?;
    call.needed(2).write(&*secret);
    Ok(Answer::NOTHING)
}

exports! {
    fn exchange_generate(kind: Option<String>) -> u32 = exchange::generate(kind.as_deref()).map(hold);
    fn exchange_private_parse(file: &[u8], passphrase: Option<&[u8]>) -> u32 =
        exchange::private(file, passphrase).map(hold);
    fn exchange_public_parse(file: &[u8]) -> u32 = PublicKey::parse(file).map(hold);
    fn exchange_private_of(kind: String, bytes: &[u8]) -> u32 = exchange::private_of(&kind, bytes).map(hold);
    fn exchange_public_of(kind: String, bytes: &[u8]) -> u32 = exchange::public_of(&kind, bytes).map(hold);
    fn exchange_private_kind(key: u32) -> &'static str = Ok(held::<PrivateKey>(key).kind().name());
    fn exchange_public_kind(key: u32) -> &'static str = Ok(held::<PublicKey>(key).kind().name());
    fn exchange_public_key(key: u32) -> u32 = Ok(hold(held::<PrivateKey>(key).public_key()));
    fn exchange_private_export(key: u32, form: String, passphrase: Option<&[u8]>) -> Either<String, Bytes> =
        exchange::export_private(&held(key), &form, passphrase).map(text_or_bytes);
    fn exchange_public_export(key: u32, form: String) -> Either<String, Bytes> =
        exchange::export_public(&held(key), &form).map(text_or_bytes);
    fn exchange_agree(
        key: u32, other: u32, kdf: String, hash: String, salt: &[u8], info: &[u8], len: u32,
    ) -> Bytes = exchange::agree(&held(key), &held(other), [&kdf, &hash], salt, info, len).map(Bytes);
    fn exchange_shared_secret(key: u32, other: u32) -> Bytes =
        held::<PrivateKey>(key).hazmat_shared_secret(&held(other)).map(Bytes);
    fn exchange_secret_len() -> u32 = Ok(short(SECRET_LEN));
    fn exchange_ciphertext_len(key: u32) -> u32 = Ok(short(exchange::ciphertext_len(&held(key))));
}

promises! {
    fn exchange_private_parse_later(file: &[u8], passphrase: Option<&[u8]>) => hold,
        exchange::private_later(file.to_vec().into(), passphrase)?;
}
