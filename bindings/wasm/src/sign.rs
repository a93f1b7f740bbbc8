//! The exports of the part `sign`, one of each call. `make generate` writes them.

use crate::boundary::{Data, Output, Record, small};
use crate::handles::{held, hold};
use sealstone_engine::calls;
use sealstone_engine::calls::records::Verification;
use sealstone_engine::numbers::number;
use sealstone_engine::sign::SignOptions;
use sealstone_engine::text::TextOrBytes;

exports! {
    fn sign_generate(kind: Option<&str>) -> u32 = hold(calls::sign::pairs::sign_generate(kind)?)?;
    fn sign_generate_rsa(bits: u64) -> u32 = hold(calls::sign::pairs::sign_generate_rsa(small(bits))?)?;
    fn sign_private_parse(file: &[u8], passphrase: Option<&[u8]>) -> u32 =
        hold(calls::sign::pairs::sign_private_parse(file, passphrase)?)?;
    fn sign_public_parse(file: &[u8]) -> u32 = hold(calls::sign::pairs::sign_public_parse(file)?)?;
    fn sign_private_of(kind: &str, bytes: &[u8]) -> u32 = hold(calls::sign::pairs::sign_private_of(kind, bytes)?)?;
    fn sign_public_of(kind: &str, bytes: &[u8]) -> u32 = hold(calls::sign::pairs::sign_public_of(kind, bytes)?)?;
    fn sign_private_kind(key: u32) -> String = calls::sign::pairs::sign_private_kind(&*held(key)?).to_owned();
    fn sign_public_kind(key: u32) -> String = calls::sign::pairs::sign_public_kind(&*held(key)?).to_owned();
    fn sign_public_key(key: u32) -> u32 = hold(calls::sign::pairs::sign_public_key(&*held(key)?))?;
    fn sign_private_export(key: u32, form: &str, passphrase: Option<&[u8]>) -> TextOrBytes =
        calls::sign::pairs::sign_private_export(&*held(key)?, form, passphrase)?;
    fn sign_public_export(key: u32, form: &str, comment: Option<&str>) -> TextOrBytes =
        calls::sign::pairs::sign_public_export(&*held(key)?, form, comment)?;
    fn sign_fingerprint(public_key: u32) -> String = calls::sign::pairs::sign_fingerprint(&*held(public_key)?);
    fn sign_ssh_fingerprint(public_key: u32) -> String =
        calls::sign::pairs::sign_ssh_fingerprint(&*held(public_key)?)?;
    fn sign_choices(hash: Option<&str>, encoding: Option<&str>, scheme: Option<&str>) -> f64 =
        f64::from(calls::sign::pairs::sign_choices(hash, encoding, scheme)?);
    fn sign_max_len(key: u32) -> f64 = number(calls::sign::pairs::sign_max_len(&*held(key)?) as u64);
    fn sign_is_slow(key: u32) -> bool = calls::sign::pairs::sign_is_slow(&*held(key)?);
    fn sign_by_rsa(choices: u64) -> String = calls::sign::pairs::sign_by_rsa(small(choices));
    fn sign_into(
        key: u32, data: Data, signature: Output, choices: u64, context: Option<&[u8]>, id: Option<&[u8]>,
    ) -> f64 = {
        let result = calls::sign::pairs::sign_into(
            &*held(key)?,
            data.0,
            signature.room(),
            SignOptions { choices: small(choices), context, id },
        )?;
        signature.begin(&result)
    };
    fn sign_verify(
        public_key: u32, data: Data, signature: &[u8], choices: u64, context: Option<&[u8]>, id: Option<&[u8]>,
    ) -> () = calls::sign::pairs::sign_verify(
            &*held(public_key)?,
            data.0,
            signature,
            SignOptions { choices: small(choices), context, id },
        )?;
    fn signature_writer(key: u32, namespace: Option<&str>, comment: Option<&str>, profile: Option<&str>) -> u32 =
        hold(calls::sign::signature::signature_writer(held(key)?, namespace, comment, profile)?)?;
    fn signature_trusting(namespace: Option<&str>, profile: Option<&str>) -> u32 =
        hold(calls::sign::signature::signature_trusting(namespace, profile)?)?;
    fn signature_trust_key(trusting: u32, public_key: u32) -> () =
        calls::sign::signature::signature_trust_key(&*held(trusting)?, &*held(public_key)?)?;
    fn signature_trust_file(trusting: u32, file: &[u8]) -> () =
        calls::sign::signature::signature_trust_file(&*held(trusting)?, file)?;
    fn signature_trust_allowed(trusting: u32, file: &[u8], principal: Option<&str>, at: u64) -> () =
        calls::sign::signature::signature_trust_allowed(&*held(trusting)?, file, principal, at)?;
    fn signature_reader(trusting: u32) -> u32 = hold(calls::sign::signature::signature_reader(&*held(trusting)?)?)?;
    fn signature_signing(writer: u32) -> u32 = hold(calls::sign::signature::signature_signing(&*held(writer)?)?)?;
    fn signature_signing_update(signing: u32, content: &[u8]) -> () =
        calls::sign::signature::signature_signing_update(&*held(signing)?, content);
    fn signature_signing_finish(signing: u32) -> String =
        calls::sign::signature::signature_signing_finish(&*held(signing)?)?;
    fn signature_verifying(reader: u32, signature: &[u8]) -> u32 =
        hold(calls::sign::signature::signature_verifying(&*held(reader)?, signature)?)?;
    fn signature_attached(reader: u32) -> u32 = hold(calls::sign::signature::signature_attached(&*held(reader)?)?)?;
    fn signature_attached_at(verifying: u32, tail: &[u8]) -> f64 =
        number(calls::sign::signature::signature_attached_at(&*held(verifying)?, tail)? as u64);
    fn signature_max_len() -> f64 = number(calls::sign::signature::signature_max_len() as u64);
    fn signature_verifying_update(verifying: u32, content: &[u8]) -> () =
        calls::sign::signature::signature_verifying_update(&*held(verifying)?, content);
    fn signature_verifying_finish(verifying: u32) -> Record<Verification> =
        Record(calls::sign::signature::signature_verifying_finish(&*held(verifying)?)?);
}
