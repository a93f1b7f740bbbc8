//! Identities and recipients.

use crate::boundary::{Bytes, Result, guard, held, hold, promise};
use crate::pool::COMPUTE;
use napi::Env;
use napi::bindgen_prelude::{Either, Object};
use napi_derive::napi;
use sealstone::{
    Decryptor, Error, Identity, Input, Inspection, KeyFault, KeyForm, Kind, Passphrase, Recipient, StanzaInfo,
    SymmetricKey, UnsupportedKey, parse_identities, parse_recipients,
};
use std::sync::LazyLock;
use zeroize::{Zeroize, Zeroizing};

/// Without the line, which a key that came as a value has not.
fn only_error(error: sealstone::KeyFileError) -> Error {
    error.error
}

fn passphrase_of(text: Option<&[u8]>) -> sealstone::Result<Option<Passphrase>> {
    text.map(Passphrase::from_utf8).transpose()
}

/// All identities of a file, in whatever form it is; it may be sealed with the passphrase, as `sealstone keygen -p` writes it.
fn identities(file: &[u8], passphrase: Option<&Passphrase>) -> sealstone::Result<Vec<Identity>> {
    let seen = match sealstone::inspect(Input::reader(file)) {
        Ok(seen) => seen,
        Err(Error::NotSealstone(_)) => return parse_identities(file, passphrase).map_err(only_error),
        Err(error) => return Err(error),
    };
    let opened = Zeroizing::new(open(file, &seen, passphrase)?);
    seen.parse_identities(&opened, passphrase).map_err(only_error)
}

fn open(file: &[u8], seen: &Inspection, passphrase: Option<&Passphrase>) -> sealstone::Result<Vec<u8>> {
    if !seen.stanzas.iter().any(StanzaInfo::is_passphrase) {
        return Err(Error::InvalidIdentity(KeyFault::SealedToRecipient));
    }
    let passphrase = passphrase.ok_or(Error::PassphraseRequired)?;
    Decryptor::new([Identity::from(passphrase.clone())]).decrypt(file)
}

#[napi]
pub fn identity_generate(kind: Option<String>) -> Result<u32> {
    guard(|| {
        let kind: Kind =
            kind.as_deref().map_or(Ok(Kind::default()), str::parse).map_err(|_| Error::UnknownAlgorithm(&GENERATED))?;
        Identity::generate(kind).map(hold)
    })
}

/// The kinds that there is anything to choose from.
static GENERATED: LazyLock<String> = LazyLock::new(|| {
    let kinds = Kind::ALL.into_iter().filter(|kind| kind.is_generated());
    kinds.map(Kind::name).collect::<Vec<_>>().join(", ")
});

/// Of all keys in a file, in whatever form it is.
#[napi]
pub fn identities_parse(file: &[u8], passphrase: Option<&[u8]>) -> Result<Vec<u32>> {
    guard(|| {
        let found = identities(file, passphrase_of(passphrase)?.as_ref())?;
        Ok(found.into_iter().map(hold).collect())
    })
}

/// As `identities_parse`, not on JavaScript's thread: a protected key costs a password hash.
#[napi]
pub fn identities_parse_later<'env>(env: &'env Env, file: &[u8], passphrase: Option<&[u8]>) -> Result<Object<'env>> {
    let (mut file, passphrase) = (file.to_vec(), guard(|| passphrase_of(passphrase))?);
    let work = move || {
        let found = identities(&file, passphrase.as_ref());
        file.zeroize();
        found
    };
    promise(env, &COMPUTE, work, |found| found.into_iter().map(hold).collect::<Vec<u32>>())
}

#[napi]
pub fn identity_of_passphrase(text: &[u8]) -> Result<u32> {
    guard(|| Ok(hold(Identity::from(Passphrase::from_utf8(text)?))))
}

#[napi]
pub fn identity_of_key(bytes: &[u8]) -> Result<u32> {
    guard(|| {
        let wrong = |_| Error::WrongLength { what: "the key", expected: 32, actual: bytes.len() };
        Ok(hold(Identity::from(SymmetricKey::from_bytes(bytes.try_into().map_err(wrong)?))))
    })
}

#[napi]
pub fn identity_kind(identity: u32) -> Result<&'static str> {
    guard(|| Ok(held::<Identity>(identity).kind().name()))
}

/// Whether using it takes so long that it does not belong on JavaScript's thread.
#[napi]
pub fn identity_is_slow(identity: u32) -> Result<bool> {
    guard(|| Ok(held::<Identity>(identity).kind() == Kind::Passphrase))
}

#[napi]
pub fn identity_recipient(identity: u32) -> Result<u32> {
    guard(|| Ok(hold(held::<Identity>(identity).recipient())))
}

/// A form of an identity, a secret: text, and DER as bytes.
#[napi]
pub fn identity_export(identity: u32, form: String, passphrase: Option<&[u8]>) -> Result<Either<String, Bytes>> {
    guard(|| {
        let identity = held::<Identity>(identity);
        let passphrase = passphrase_of(passphrase)?;
        let form: KeyForm = form.parse()?;
        if passphrase.is_some() && !matches!(form, KeyForm::Pem | KeyForm::Der) {
            return Err(UnsupportedKey::NoPassphrase.into());
        }
        let mut text = match form {
            KeyForm::Der => return Ok(Either::B(Bytes::from(identity.to_der(passphrase.as_ref())?.to_vec()))),
            KeyForm::Pem => identity.to_pem(passphrase.as_ref())?,
            KeyForm::Jwk => identity.to_jwk()?,
            KeyForm::Hex => identity.to_hex()?,
            _ => identity.to_text().ok_or(UnsupportedKey::NoText)?,
        };
        Ok(Either::A(std::mem::take(&mut *text)))
    })
}

#[napi]
pub fn recipients_parse(file: &[u8]) -> Result<Vec<u32>> {
    guard(|| Ok(parse_recipients(file).map_err(only_error)?.into_iter().map(hold).collect()))
}

#[napi]
pub fn recipient_kind(recipient: u32) -> Result<&'static str> {
    guard(|| Ok(held::<Recipient>(recipient).kind().name()))
}

/// None of secrets that both sides have.
#[napi]
pub fn recipient_fingerprint(recipient: u32) -> Result<Option<String>> {
    guard(|| Ok(held::<Recipient>(recipient).fingerprint()))
}

/// A form of a recipient: text, and DER as bytes. Of secrets that both sides have there is none.
#[napi]
pub fn recipient_export(recipient: u32, form: String) -> Result<Either<String, Bytes>> {
    guard(|| {
        let recipient = held::<Recipient>(recipient);
        Ok(Either::A(match form.parse()? {
            KeyForm::Der => return Ok(Either::B(Bytes::from(recipient.to_der()?))),
            KeyForm::Pem => recipient.to_pem()?,
            KeyForm::Jwk => recipient.to_jwk()?,
            KeyForm::Hex => recipient.to_hex()?,
            _ if recipient.kind().public_len().is_none() => {
                return Err(UnsupportedKey::NoPublicForm.into());
            }
            _ => recipient.to_string(),
        }))
    })
}
