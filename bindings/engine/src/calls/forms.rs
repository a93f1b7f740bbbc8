//! Forms of keys that are no strings: PEM, DER, JWK and encrypted PEM. The module holds no object: keys come and go as bytes.

use crate::text::TextOrBytes;
use crate::{forms, keys};
use sealstone::Result;
use sealstone_call::call;
use zeroize::Zeroizing;

/// Says which keys of a passphrase a file needs; `opened` is all that was sealed in the file, if it is.
/// Errors: `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `truncated`,
/// `cost_too_high`, `invalid_identity`, `unsupported_key`.
#[call(wasm)]
pub fn derivations_of_form(file: &[u8], opened: Option<&[u8]>) -> Result<Vec<u8>> {
    forms::derivations(file, opened)
}

/// Reads the identities of a file, with keys that a host has derived.
/// Errors: `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `truncated`,
/// `cost_too_high`, `no_matching_identity`, `invalid_identity`, `unsupported_key`, `passphrase_required`, `invalid_passphrase`.
#[call(wasm)]
pub fn identities_of_form(
    file: &[u8],
    opened: Option<&[u8]>,
    passphrase: Option<&[u8]>,
    derived: Option<&[u8]>,
) -> Result<Zeroizing<Vec<u8>>> {
    Ok(forms::identities_to_bytes(&forms::read_other_identities(file, opened, passphrase, derived)?))
}

/// Reads the recipients of a file.
/// Errors: `invalid_recipient`, `unsupported_key`.
#[call(wasm)]
pub fn recipients_of_form(file: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    Ok(forms::recipients_to_bytes(&keys::recipients(file)?))
}

/// Writes an identity in a form.
/// Errors: `invalid_identity`, `unsupported_key`, `invalid_passphrase`, `unknown_algorithm`, `no_randomness`.
#[call(wasm)]
pub fn identity_in_form(identity: &[u8], form: &str, passphrase: Option<&[u8]>) -> Result<TextOrBytes> {
    keys::export_identity(&forms::identities_from_bytes(identity)?[0], form, passphrase)
}

/// Writes a recipient in a form.
/// Errors: `invalid_recipient`, `unsupported_key`, `unknown_algorithm`.
#[call(wasm)]
pub fn recipient_in_form(recipient: &[u8], form: &str) -> Result<TextOrBytes> {
    keys::export_recipient(&forms::recipients_from_bytes(recipient)?[0], form)
}
