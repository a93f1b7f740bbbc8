//! The exports of the part `forms`, one of each call. `make generate` writes them.

use sealstone_engine::calls;
use sealstone_engine::text::TextOrBytes;
use zeroize::Zeroizing;

exports! {
    fn derivations_of_form(file: &[u8], opened: Option<&[u8]>) -> Vec<u8> =
        calls::forms::derivations_of_form(file, opened)?;
    fn identities_of_form(
        file: &[u8], opened: Option<&[u8]>, passphrase: Option<&[u8]>, derived: Option<&[u8]>,
    ) -> Zeroizing<Vec<u8>> = calls::forms::identities_of_form(file, opened, passphrase, derived)?;
    fn recipients_of_form(file: &[u8]) -> Zeroizing<Vec<u8>> = calls::forms::recipients_of_form(file)?;
    fn identity_in_form(identity: &[u8], form: &str, passphrase: Option<&[u8]>) -> TextOrBytes =
        calls::forms::identity_in_form(identity, form, passphrase)?;
    fn recipient_in_form(recipient: &[u8], form: &str) -> TextOrBytes =
        calls::forms::recipient_in_form(recipient, form)?;
}
