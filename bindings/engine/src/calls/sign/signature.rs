//! Signature files.

use crate::calls::records::{Signed, Verification};
use crate::job::Job;
use crate::signature::{self, Parts, Trusting};
use crate::work::Work;
use sealstone::sign::{PrivateKey, PublicKey};
use sealstone::signature::{MAX_LEN, SignatureReader, SignatureWriter, Signing, Verifying};
use sealstone::{KeyFileError, Result};
use sealstone_call::call;
use std::path::PathBuf;
use std::sync::Arc;

/// Makes what signs with a key.
/// Errors: `unsupported_key`, `unknown_algorithm`, `invalid_namespace`, `invalid_comment`.
#[call]
pub fn signature_writer(
    key: Arc<PrivateKey>,
    namespace: Option<&str>,
    comment: Option<&str>,
    profile: Option<&str>,
) -> Result<SignatureWriter> {
    signature::writer(key, namespace, comment, profile)
}

/// Begins to say which signers a reader is to trust: none yet.
/// Errors: `invalid_namespace`.
#[call]
pub fn signature_trusting(namespace: Option<&str>, profile: Option<&str>) -> Result<Trusting> {
    Trusting::new(namespace, profile.map(str::to_owned))
}

/// Trusts a key.
/// Errors: `unsupported_key`.
#[call]
pub fn signature_trust_key(trusting: &Trusting, public_key: &PublicKey) -> Result<()> {
    trusting.key(public_key)
}

/// Trusts the keys of a file.
/// Errors: `unsupported_key`, `invalid_signer`.
#[call]
pub fn signature_trust_file(trusting: &Trusting, file: &[u8]) -> Result<(), KeyFileError> {
    trusting.file(file)
}

/// Trusts the signers of a file of allowed signers, at a second since 1970.
/// Errors: `invalid_signer`.
#[call]
pub fn signature_trust_allowed(
    trusting: &Trusting,
    file: &[u8],
    principal: Option<&str>,
    at: u64,
) -> Result<(), KeyFileError> {
    trusting.allowed(file, principal, at)
}

/// Makes what verifies by these signers.
/// Errors: `unknown_algorithm`.
#[call]
pub fn signature_reader(trusting: &Trusting) -> Result<SignatureReader> {
    trusting.reader()
}

/// Begins to sign content in parts.
/// Errors: `not_in_profile`.
#[call]
pub fn signature_signing(writer: &SignatureWriter) -> Result<Parts<Signing>> {
    writer.begin().map(Parts::new)
}

/// Takes more content.
#[call(stack = 16, takes("sign", signature))]
pub fn signature_signing_update(signing: &Parts<Signing>, content: &[u8]) {
    signing.update(content);
}

/// Gives the signature, once.
/// Errors: `no_randomness`.
#[call(counts("sign", signature, taken))]
pub fn signature_signing_finish(signing: &Parts<Signing>) -> Result<String> {
    signing.finish()
}

/// Begins to verify content in parts by its signature.
/// Errors: `not_in_profile`, `not_a_signature`, `malformed_signature`, `unsupported_signature`, `wrong_namespace`, `unknown_signer`,
/// `invalid_signer`.
#[call]
pub fn signature_verifying(reader: &SignatureReader, signature: &[u8]) -> Result<Parts<Verifying>> {
    reader.begin(signature).map(Parts::new)
}

/// Begins to verify content that has its signature behind it.
/// Errors: `not_in_profile`, `invalid_signer`.
#[call]
pub fn signature_attached(reader: &SignatureReader) -> Result<Parts<Verifying>> {
    reader.begin_attached().map(Parts::new)
}

/// Reads that signature, of the last bytes of the whole, as many as a signature has at the most; returns where in them it begins. All that is
/// before it is content, which may come before this or after it.
/// Errors: `not_a_signature`, `malformed_signature`, `unsupported_signature`, `wrong_namespace`, `unknown_signer`.
#[call]
pub fn signature_attached_at(verifying: &Parts<Verifying>, tail: &[u8]) -> Result<usize> {
    verifying.behind(tail)
}

/// Gives the length of the longest signature.
#[call(stack = 16)]
pub fn signature_max_len() -> usize {
    MAX_LEN
}

/// Takes more content.
#[call(stack = 16, takes("verify", signature))]
pub fn signature_verifying_update(verifying: &Parts<Verifying>, content: &[u8]) {
    verifying.update(content);
}

/// Fails unless the content is authentic; says who signed it.
/// Errors: `invalid_signature`, `not_a_signature`, `unavailable_backend`.
#[call(counts("verify", signature, taken))]
pub fn signature_verifying_finish(verifying: &Parts<Verifying>) -> Result<Verification> {
    verifying.finish().map(Verification::from)
}

/// Signs a file; returns the signature.
/// Errors: `not_in_profile`, `no_randomness`, `not_regular_file`, `input_changed`, `cancelled`, `io`.
#[call(native, counts("signFile", signature, job))]
pub fn signature_sign_file(
    writer: Arc<SignatureWriter>,
    file: PathBuf,
    special: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<String> + Send + 'static> {
    signature::sign_file(writer, file, special, job)
}

/// Signs a file into a new one that has the content, and behind it the signature.
/// Errors: `not_in_profile`, `no_randomness`, `same_file`, `output_exists`, `not_regular_file`, `input_changed`, `cancelled`, `io`.
#[call(native, counts("attachFile", signature, job))]
pub fn signature_attach_file(
    writer: Arc<SignatureWriter>,
    input: PathBuf,
    output: PathBuf,
    replace: bool,
    special: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Signed> + Send + 'static> {
    signature::attach_file(writer, input, output, replace, special, job).then(|signed| Ok(signed.into()))
}

/// Verifies a file by its signature.
/// Errors: `not_in_profile`, `invalid_signature`, `not_a_signature`, `malformed_signature`, `unsupported_signature`, `wrong_namespace`,
/// `unknown_signer`, `invalid_signer`, `unavailable_backend`, `not_regular_file`, `input_changed`, `cancelled`, `io`.
#[call(native, counts("verifyFile", signature, job))]
pub fn signature_verify_file(
    reader: Arc<SignatureReader>,
    file: PathBuf,
    signature: Vec<u8>,
    special: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Verification> + Send + 'static> {
    signature::verify_file(reader, file, signature, special, job).then(|verified| Ok(verified.into()))
}

/// Verifies a file that has its signature behind its content, and writes the content into a new file, if there is an output.
/// Errors: `not_in_profile`, `invalid_signature`, `not_a_signature`, `malformed_signature`, `unsupported_signature`, `wrong_namespace`,
/// `unknown_signer`, `invalid_signer`, `unavailable_backend`, `too_long`, `same_file`, `output_exists`, `not_regular_file`,
/// `input_changed`, `cancelled`, `io`.
#[call(native, counts("detachFile", signature, job))]
pub fn signature_detach_file(
    reader: Arc<SignatureReader>,
    input: PathBuf,
    output: Option<PathBuf>,
    replace: bool,
    special: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Verification> + Send + 'static> {
    signature::detach_file(reader, input, output, replace, special, job).then(|verified| Ok(verified.into()))
}
