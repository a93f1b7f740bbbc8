//! The module of key pairs that sign, and of signature files. A hash, an encoding and a scheme cross as one number, which the engine makes
//! of their names.

use crate::boundary::{Data, Output, small};
use crate::handles::{held, hold};
use sealstone::sign::{PrivateKey, PublicKey};
use sealstone::signature::{MAX_LEN, SignatureReader, SignatureWriter, Signing, Verified, Verifying};
use sealstone_engine::numbers::number;
use sealstone_engine::sign;
use sealstone_engine::signature::{self, Parts, Trusting};
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
    fn signature_writer(key: u32, namespace: Option<&str>, comment: Option<&str>, profile: Option<&str>) -> u32 =
        hold(signature::writer(held(key)?, namespace, comment, profile)?)?;
    fn signature_trusting(namespace: Option<&str>, profile: Option<&str>) -> u32 =
        hold(Trusting::new(namespace, profile.map(str::to_owned))?)?;
    fn signature_trust_key(trusting: u32, key: u32) -> () =
        held::<Trusting>(trusting)?.key(&*held::<PublicKey>(key)?)?;
    fn signature_trust_file(trusting: u32, file: &[u8]) -> () = held::<Trusting>(trusting)?.file(file)?;
    fn signature_trust_allowed(trusting: u32, file: &[u8], principal: Option<&str>, at: u64) -> () =
        held::<Trusting>(trusting)?.allowed(file, principal, at)?;
    fn signature_reader(trusting: u32) -> u32 = hold(held::<Trusting>(trusting)?.reader()?)?;
    fn signature_signing(writer: u32) -> u32 = hold(Parts::new(held::<SignatureWriter>(writer)?.begin()?))?;
    fn signature_signing_update(signing: u32, content: &[u8]) -> () =
        held::<Parts<Signing>>(signing)?.update(content);
    fn signature_signing_finish(signing: u32) -> String = held::<Parts<Signing>>(signing)?.finish()?;
    fn signature_verifying(reader: u32, signature: &[u8]) -> u32 =
        hold(Parts::new(held::<SignatureReader>(reader)?.begin(signature)?))?;
    fn signature_attached(reader: u32) -> u32 =
        hold(Parts::new(held::<SignatureReader>(reader)?.begin_attached()?))?;
    fn signature_attached_at(verifying: u32, tail: &[u8]) -> f64 =
        number(held::<Parts<Verifying>>(verifying)?.behind(tail)? as u64);
    fn signature_max_len() -> f64 = number(MAX_LEN as u64);
    fn signature_verifying_update(verifying: u32, content: &[u8]) -> () =
        held::<Parts<Verifying>>(verifying)?.update(content);
    fn signature_verifying_finish(verifying: u32) -> String = said(&held::<Parts<Verifying>>(verifying)?.finish()?);
}

/// What a verified signature says, a line each, as core has none in a text: who signed, how long the content is, the principals and the
/// comment. Of those two neither is empty where it is there.
fn said(verified: &Verified) -> String {
    let signer = verified.signer();
    [
        verified.kind().name(),
        &verified.fingerprint(),
        &signer.ssh_fingerprint(),
        &verified.content_len().to_string(),
        verified.principals().unwrap_or_default(),
        verified.comment().unwrap_or_default(),
    ]
    .join("\n")
}
