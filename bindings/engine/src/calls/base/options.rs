//! Encryptors, decryptors and rewrappers: keys, with options.

use crate::files::{self, EncryptOptions};
use sealstone::{Decryptor, Encryptor, Identity, Recipient, Result, Rewrapper};
use sealstone_call::call;
use std::sync::Arc;

/// Makes what encrypts files to recipients.
/// Errors: `invalid_context`, `unknown_algorithm`.
#[call]
pub fn encryptor(recipients: &[Arc<Recipient>], options: EncryptOptions<'_>) -> Result<Encryptor> {
    files::encryptor(recipients, &options)
}

/// Makes what decrypts files with identities.
/// Errors: `invalid_context`, `unknown_algorithm`.
#[call]
pub fn decryptor(
    identities: &[Arc<Identity>],
    context: Option<&[u8]>,
    profile: Option<&str>,
    threads: Option<u32>,
) -> Result<Decryptor> {
    files::decryptor(identities, context, profile, threads)
}

/// Makes what gives files other recipients.
/// Errors: `unknown_algorithm`.
#[call]
pub fn rewrapper(
    identities: &[Arc<Identity>],
    recipients: &[Arc<Recipient>],
    replace: Option<bool>,
    allow_mixed: Option<bool>,
    profile: Option<&str>,
) -> Result<Rewrapper> {
    files::rewrapper(identities, recipients, replace, allow_mixed, profile)
}

/// Fails where nothing can be encrypted with these options.
/// Errors: `mixed_recipients`, `invalid_recipients`, `not_in_profile`.
#[call(wasm)]
pub fn encryptor_check(encryptor: &Encryptor) -> Result<()> {
    encryptor.check_recipients()
}

/// Whether the files of an encryptor are text.
#[call]
pub fn encryptor_armours(encryptor: &Encryptor) -> bool {
    encryptor.armours()
}
