//! Signature files.

use crate::boundary::{Result, guard, thrown};
use crate::handles::{held, hold, job_of};
use napi_derive::napi;
use sealstone::KeyFileError;
use sealstone::sign::PublicKey;
use sealstone::signature::{MAX_LEN, SignatureReader, SignatureWriter, Signed, Signing, Verified, Verifying};
use sealstone_engine::files::path;
use sealstone_engine::numbers::{length, number, short};
use sealstone_engine::signature::{self, Parts, Trusting};

objects! {
    /// What a verified signature says.
    Verification of verified => Verified {
        kind: String = verified.kind().name().to_owned(),
        fingerprint: String = verified.fingerprint(),
        ssh_fingerprint: String = verified.signer().ssh_fingerprint(),
        principals: Option<String> = verified.principals().map(str::to_owned),
        comment: Option<String> = verified.comment().map(str::to_owned),
        content_len: f64 = number(verified.content_len()),
    }
    /// What was signed into a file.
    SignedFile of signed => Signed {
        content: f64 = number(signed.content),
        written: f64 = number(signed.written),
    }
}

exports! {
    fn signature_writer(key: u32, namespace: Option<String>, comment: Option<String>, profile: Option<String>) -> u32 =
        signature::writer(held(key), namespace.as_deref(), comment.as_deref(), profile.as_deref()).map(hold);
    fn signature_trusting(namespace: Option<String>, profile: Option<String>) -> u32 =
        Trusting::new(namespace.as_deref(), profile).map(hold);
    fn signature_trust_key(trusting: u32, key: u32) -> () = held::<Trusting>(trusting).key(&held::<PublicKey>(key));
    fn signature_reader(trusting: u32) -> u32 = held::<Trusting>(trusting).reader().map(hold);
    fn signature_signing(writer: u32) -> u32 = held::<SignatureWriter>(writer).begin().map(Parts::new).map(hold);
    fn signature_signing_update(signing: u32, content: &[u8]) -> () = Ok(held::<Parts<Signing>>(signing).update(content));
    fn signature_signing_finish(signing: u32) -> String = held::<Parts<Signing>>(signing).finish();
    fn signature_verifying(reader: u32, signature: &[u8]) -> u32 =
        held::<SignatureReader>(reader).begin(signature).map(Parts::new).map(hold);
    fn signature_attached(reader: u32) -> u32 =
        held::<SignatureReader>(reader).begin_attached().map(Parts::new).map(hold);
    fn signature_attached_at(verifying: u32, tail: &[u8]) -> u32 =
        held::<Parts<Verifying>>(verifying).behind(tail).map(short);
    fn signature_max_len() -> u32 = Ok(short(MAX_LEN));
    fn signature_verifying_update(verifying: u32, content: &[u8]) -> () =
        Ok(held::<Parts<Verifying>>(verifying).update(content));
    fn signature_verifying_finish(verifying: u32) -> Verification =
        held::<Parts<Verifying>>(verifying).finish().map(Verification::from);
}

#[napi]
pub fn signature_trust_file(trusting: u32, file: &[u8]) -> Result<()> {
    trusted(|| held::<Trusting>(trusting).file(file))
}

#[napi]
pub fn signature_trust_allowed(trusting: u32, file: &[u8], principal: Option<String>, at: f64) -> Result<()> {
    trusted(|| held::<Trusting>(trusting).allowed(file, principal.as_deref(), length(at)))
}

/// As other exports do it, of a file whose error has a line.
fn trusted(work: impl FnOnce() -> std::result::Result<(), KeyFileError>) -> Result<()> {
    guard(|| Ok(work()))?.map_err(thrown)
}

promises! {
    fn signature_sign_file(writer: u32, file: &[u8], special: bool, job: u32) => |text| text,
        signature::sign_file(held(writer), path(file), special, job_of(job));
    fn signature_attach_file(writer: u32, input: &[u8], output: &[u8], replace: bool, special: bool, job: u32) => SignedFile::from,
        signature::attach_file(held(writer), path(input), path(output), replace, special, job_of(job));
    fn signature_verify_file(reader: u32, file: &[u8], signature: &[u8], special: bool, job: u32) => Verification::from,
        signature::verify_file(held(reader), path(file), signature.to_vec(), special, job_of(job));
    fn signature_detach_file(
        reader: u32, input: &[u8], output: Option<&[u8]>, replace: bool, special: bool, job: u32
    ) => Verification::from,
        signature::detach_file(held(reader), path(input), output.map(path), replace, special, job_of(job));
}
