//! The module of forms: PEM, DER, JWK and what PEM is encrypted with, which most programs that use keys never need. It holds no
//! object: keys come and go as bytes.

use sealstone_engine::forms;
use sealstone_engine::keys;
use sealstone_engine::text::TextOrBytes;
use zeroize::Zeroizing;

exports! {
    /// Of a file; `opened` is what was sealed in it, if it is.
    fn derivations_of_form(file: &[u8], opened: Option<&[u8]>) -> Vec<u8> = forms::derivations(file, opened)?;
    fn identities_of_form(
        file: &[u8], opened: Option<&[u8]>, passphrase: Option<&[u8]>, derived: Option<&[u8]>,
    ) -> Zeroizing<Vec<u8>> =
        forms::identities_to_bytes(&forms::read_other_identities(file, opened, passphrase, derived)?);
    fn recipients_of_form(file: &[u8]) -> Zeroizing<Vec<u8>> = forms::recipients_to_bytes(&keys::recipients(file)?);
    fn identity_in_form(identity: &[u8], form: &str, passphrase: Option<&[u8]>) -> TextOrBytes =
        keys::export_identity(&forms::identities_from_bytes(identity)?[0], form, passphrase)?;
    fn recipient_in_form(recipient: &[u8], form: &str) -> TextOrBytes =
        keys::export_recipient(&forms::recipients_from_bytes(recipient)?[0], form)?;
}
