//! Keys that files and messages are encrypted to.

use crate::forms::{self, Read};
use crate::keys;
use crate::text::TextOrBytes;
use crate::work::Work;
use sealstone::{Decryptor, Identity, Passphrase, Recipient, Result};
use sealstone_call::call;
use std::slice;
use zeroize::Zeroizing;

/// Makes a new identity of a kind, by default of the kind that resists quantum computers.
/// Errors: `invalid_identity`, `invalid_passphrase`, `unknown_algorithm`, `unavailable_backend`, `no_randomness`.
#[call]
pub fn identity_generate(kind: Option<&str>) -> Result<Identity> {
    keys::generate(kind)
}

/// Reads the identities of a file in any form.
/// Errors: `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `truncated`, `context_required`,
/// `cost_too_high`, `no_matching_identity`, `not_authentic`, `invalid_identity`, `unsupported_key`, `passphrase_required`,
/// `invalid_passphrase`, `unavailable_backend`.
#[call(native)]
pub fn identities_parse(file: &[u8], passphrase: Option<&[u8]>) -> Result<Vec<Identity>> {
    keys::identities(file, passphrase)
}

/// Reads them on another thread, since a passphrase costs a password hash.
/// Errors: `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `truncated`, `context_required`,
/// `cost_too_high`, `no_matching_identity`, `not_authentic`, `invalid_identity`, `unsupported_key`, `passphrase_required`,
/// `invalid_passphrase`, `unavailable_backend`.
#[call(native)]
pub fn identities_parse_later(
    file: Zeroizing<Vec<u8>>,
    passphrase: Option<&[u8]>,
) -> Result<Work<impl FnOnce() -> Result<Vec<Identity>> + Send + use<>>> {
    keys::identities_later(file, passphrase)
}

/// Makes the identity of a passphrase.
/// Errors: `invalid_passphrase`.
#[call]
pub fn identity_of_passphrase(text: &[u8]) -> Result<Identity> {
    Ok(Passphrase::from_utf8(text)?.into())
}

/// Makes the identity of a symmetric key.
/// Errors: `wrong_length`.
#[call(stack = 64)]
pub fn identity_of_key(bytes: &[u8]) -> Result<Identity> {
    keys::identity_of_key(bytes)
}

/// Names the kind of an identity.
#[call]
pub fn identity_kind(identity: &Identity) -> &'static str {
    identity.kind().name()
}

/// Whether the use of an identity takes so long that it does not belong on JavaScript's thread.
#[call(js)]
pub fn identity_is_slow(identity: &Identity) -> bool {
    keys::is_slow(identity.kind())
}

/// Gives the recipient of an identity.
#[call(stack = 64)]
pub fn identity_recipient(identity: &Identity) -> Recipient {
    identity.recipient()
}

/// Writes an identity in a form, encrypted where there is a passphrase.
/// Errors: `unsupported_key`, `invalid_passphrase`, `unknown_algorithm`, `no_randomness`.
#[call(native)]
pub fn identity_export(identity: &Identity, form: &str, passphrase: Option<&[u8]>) -> Result<TextOrBytes> {
    keys::export_identity(identity, form, passphrase)
}

/// Reads the recipients of a file in any form.
/// Errors: `invalid_recipient`, `unsupported_key`.
#[call(native)]
pub fn recipients_parse(file: &[u8]) -> Result<Vec<Recipient>> {
    keys::recipients(file)
}

/// Names the kind of a recipient.
#[call]
pub fn recipient_kind(recipient: &Recipient) -> &'static str {
    recipient.kind().name()
}

/// Gives the fingerprint of a recipient, which a passphrase has not.
#[call]
pub fn recipient_fingerprint(recipient: &Recipient) -> Option<String> {
    recipient.fingerprint()
}

/// Writes a recipient in a form.
/// Errors: `unsupported_key`, `unknown_algorithm`.
#[call(native)]
pub fn recipient_export(recipient: &Recipient, form: &str) -> Result<TextOrBytes> {
    keys::export_recipient(recipient, form)
}

/// Reads the identities of a file, unless the module of forms has to.
/// Errors: `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `truncated`, `context_required`,
/// `cost_too_high`, `no_matching_identity`, `not_authentic`, `invalid_identity`, `passphrase_required`, `invalid_passphrase`.
#[call(wasm)]
pub fn identities_read(file: &[u8], passphrase: Option<&[u8]>) -> Result<Read<Identity>> {
    forms::read_identities(file, passphrase)
}

/// As `identities_read`, of a file that a decryptor opens.
/// Errors: `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `truncated`, `context_required`,
/// `context_not_bound`, `cost_too_high`, `no_matching_identity`, `not_authentic`, `invalid_identity`, `not_in_profile`.
#[call(wasm)]
pub fn identities_read_by(decryptor: &Decryptor, file: &[u8]) -> Result<Read<Identity>> {
    forms::read_identities_by(Some(decryptor), file)
}

/// Makes identities of the bytes that another module has written.
/// Errors: `invalid_identity`.
#[call(wasm)]
pub fn identities_of_bytes(bytes: &[u8]) -> Result<Vec<Identity>> {
    forms::identities_from_bytes(bytes)
}

/// Writes an identity in a form that is a string; null where the module of forms has the form.
/// Errors: `unsupported_key`, `invalid_passphrase`, `unknown_algorithm`.
#[call(wasm)]
pub fn identity_string(
    identity: &Identity,
    form: &str,
    passphrase: Option<&[u8]>,
) -> Result<Option<Zeroizing<String>>> {
    forms::export_identity(identity, form, passphrase)
}

/// Writes an identity as bytes for another module.
#[call(wasm)]
pub fn identity_bytes(identity: &Identity) -> Zeroizing<Vec<u8>> {
    forms::identities_to_bytes(slice::from_ref(identity))
}

/// Reads the recipients of a file, unless the module of forms has to.
/// Errors: `invalid_recipient`.
#[call(wasm)]
pub fn recipients_read(file: &[u8]) -> Result<Read<Recipient>> {
    forms::read_recipients(file)
}

/// Makes recipients of the bytes that another module has written.
/// Errors: `invalid_recipient`.
#[call(wasm)]
pub fn recipients_of_bytes(bytes: &[u8]) -> Result<Vec<Recipient>> {
    forms::recipients_from_bytes(bytes)
}

/// Writes a recipient in a form that is a string; null where the module of forms has the form.
/// Errors: `unsupported_key`, `unknown_algorithm`.
#[call(wasm)]
pub fn recipient_string(recipient: &Recipient, form: &str) -> Result<Option<String>> {
    forms::export_recipient(recipient, form)
}

/// Writes a recipient as bytes for another module.
#[call(wasm)]
pub fn recipient_bytes(recipient: &Recipient) -> Zeroizing<Vec<u8>> {
    forms::recipients_to_bytes(slice::from_ref(recipient))
}
