//! Keys that sign, and signatures. Choices cross as their number, and what a signature has besides as bytes.

use crate::boundary::{Bytes, text_or_bytes};
use crate::direct::{Answer, Call};
use crate::handles::{held, hold, job_of, with};
use napi::bindgen_prelude::Either;
use sealstone::Result;
use sealstone::sign::{PrivateKey, PublicKey};
use sealstone_engine::numbers::short;
use sealstone_engine::sign::{self, Chosen, options};

/// Of a private key, data, memory for the longest signature, choices, a context and an id. It answers with the length.
pub fn into(call: &Call) -> Result<Answer> {
    let signature = with(call.number(0), |key: &PrivateKey| {
        call.bytes(4, |context| {
            call.bytes(5, |id| call.data(1, |data| key.sign_with(&options(call.number(3), context, id), data)))
        })
    })?;
    call.needed(2).part(0, signature.len()).write(&signature);
    Ok(call.count(signature.len()))
}

/// Of a public key, data, a signature, choices, a context and an id.
pub fn verify(call: &Call) -> Result<Answer> {
    let signature = call.needed(2);
    with(call.number(0), |key: &PublicKey| {
        call.bytes(4, |context| {
            call.bytes(5, |id| {
                let options = options(call.number(3), context, id);
                call.data(1, |data| signature.read(|signature| key.verify_with(&options, data, signature)))
            })
        })
    })?;
    Ok(Answer::NOTHING)
}

exports! {
    fn sign_generate(kind: Option<String>) -> u32 = sign::generate(kind.as_deref()).map(hold);
    fn sign_private_parse(file: &[u8], passphrase: Option<&[u8]>) -> u32 = sign::private(file, passphrase).map(hold);
    fn sign_public_parse(file: &[u8]) -> u32 = PublicKey::parse(file).map(hold);
    fn sign_private_of(kind: String, bytes: &[u8]) -> u32 = sign::private_of(&kind, bytes).map(hold);
    fn sign_public_of(kind: String, bytes: &[u8]) -> u32 = sign::public_of(&kind, bytes).map(hold);
    fn sign_private_kind(key: u32) -> &'static str = Ok(held::<PrivateKey>(key).kind().name());
    fn sign_public_kind(key: u32) -> &'static str = Ok(held::<PublicKey>(key).kind().name());
    fn sign_public_key(key: u32) -> u32 = Ok(hold(held::<PrivateKey>(key).public_key()));
    fn sign_private_export(key: u32, form: String, passphrase: Option<&[u8]>) -> Either<String, Bytes> =
        sign::export_private(&held(key), &form, passphrase).map(text_or_bytes);
    fn sign_public_export(key: u32, form: String, comment: Option<String>) -> Either<String, Bytes> =
        sign::export_public(&held(key), &form, comment.as_deref()).map(text_or_bytes);
    fn sign_fingerprint(key: u32) -> String = Ok(held::<PublicKey>(key).fingerprint());
    fn sign_ssh_fingerprint(key: u32) -> String = held::<PublicKey>(key).ssh_fingerprint();
    fn sign_choices(hash: Option<String>, encoding: Option<String>, scheme: Option<String>) -> u32 =
        sign::choices(hash.as_deref(), encoding.as_deref(), scheme.as_deref());
    fn sign_max_len(key: u32) -> u32 = Ok(short(held::<PrivateKey>(key).signature_max_len()));
    fn sign_is_slow(key: u32) -> bool = Ok(sign::is_slow(&held(key)));
    /// No public key is slow here.
    fn verify_is_slow(_key: u32) -> bool = Ok(false);
}

promises! {
    fn sign_generate_rsa_later(bits: u32, job: u32) => hold, sign::generate_rsa(bits, job_of(job));
    fn sign_private_parse_later(file: &[u8], passphrase: Option<&[u8]>) => hold,
        sign::private_later(file.to_vec().into(), passphrase)?;
    fn sign_public_parse_later(file: &[u8]) => hold, sign::public_later(file.to_vec());
    fn sign_private_of_later(kind: String, bytes: &[u8]) => hold,
        sign::private_of_later(kind, bytes.to_vec().into());
    fn sign_public_of_later(kind: String, bytes: &[u8]) => hold, sign::public_of_later(kind, bytes.to_vec());
    fn sign_loaded(key: u32, loading: u32, choices: u32, context: Option<&[u8]>, id: Option<&[u8]>, job: u32) => Bytes::from,
        sign::sign_loaded(held(key), held(loading), Chosen::new(choices, context, id), job_of(job));
    fn sign_verify_loaded(
        key: u32, loading: u32, signature: &[u8], choices: u32, context: Option<&[u8]>, id: Option<&[u8]>, job: u32
    ) => |()| (), {
        let chosen = Chosen::new(choices, context, id);
        sign::verify_loaded(held(key), held(loading), signature.to_vec(), chosen, job_of(job))
    };
}
