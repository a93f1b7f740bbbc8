//! The module of key pairs that sign. A hash, an encoding and a scheme cross as one number, which the engine makes of their names.

use crate::boundary::{Data, Output, small};
use crate::handles::{held, hold};
use sealstone::sign::{PrivateKey, PublicKey};
use sealstone_engine::numbers::number;
use sealstone_engine::sign;
use sealstone_engine::text::TextOrBytes;

exports! {
    fn sign_generate(kind: Option<&str>) -> u32 = hold(sign::generate(kind)?)?;
    /// Fails: the host has RSA.
    fn sign_generate_rsa(bits: u64) -> u32 = hold(PrivateKey::generate_rsa(small(bits))?)?;
    fn sign_private_parse(file: &[u8], passphrase: Option<&[u8]>) -> u32 = hold(sign::private(file, passphrase)?)?;
    fn sign_public_parse(file: &[u8]) -> u32 = hold(PublicKey::parse(file)?)?;
    fn sign_private_of(kind: &str, bytes: &[u8]) -> u32 = hold(sign::private_of(kind, bytes)?)?;
    fn sign_public_of(kind: &str, bytes: &[u8]) -> u32 = hold(sign::public_of(kind, bytes)?)?;
    fn sign_private_kind(key: u32) -> String = held::<PrivateKey>(key)?.kind().name().to_owned();
    fn sign_public_kind(key: u32) -> String = held::<PublicKey>(key)?.kind().name().to_owned();
    fn sign_public_key(key: u32) -> u32 = hold(held::<PrivateKey>(key)?.public_key())?;
    fn sign_private_export(key: u32, form: &str, passphrase: Option<&[u8]>) -> TextOrBytes =
        sign::export_private(&*held(key)?, form, passphrase)?;
    fn sign_public_export(key: u32, form: &str, comment: Option<&str>) -> TextOrBytes =
        sign::export_public(&*held(key)?, form, comment)?;
    fn sign_fingerprint(key: u32) -> String = held::<PublicKey>(key)?.fingerprint();
    fn sign_ssh_fingerprint(key: u32) -> String = held::<PublicKey>(key)?.ssh_fingerprint()?;
    fn sign_choices(hash: Option<&str>, encoding: Option<&str>, scheme: Option<&str>) -> f64 =
        f64::from(sign::choices(hash, encoding, scheme)?);
    /// Of what the host signs and verifies.
    fn sign_by_rsa(choices: u64) -> String = sign::by_rsa(small(choices));
    fn sign_max_len(key: u32) -> f64 = number(held::<PrivateKey>(key)?.signature_max_len() as u64);
    fn sign_is_slow(key: u32) -> bool = sign::is_slow(&*held(key)?);
    fn sign_into(
        key: u32, data: Data, signature: Output, choices: u64, context: Option<&[u8]>, id: Option<&[u8]>,
    ) -> f64 = {
        let (Data(data), mut signature) = (data, signature);
        let made = held::<PrivateKey>(key)?.sign_with(&sign::options(small(choices), context, id), data)?;
        signature.keep(made.len());
        signature.whole()[..made.len()].copy_from_slice(&made);
        number(made.len() as u64)
    };
    fn sign_verify(
        key: u32, data: Data, signature: &[u8], choices: u64, context: Option<&[u8]>, id: Option<&[u8]>,
    ) -> () = {
        let Data(data) = data;
        held::<PublicKey>(key)?.verify_with(&sign::options(small(choices), context, id), data, signature)?;
    };
}
