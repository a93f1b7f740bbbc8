//! Identities and recipients.

use crate::pool::DERIVING;
use crate::text::TextOrBytes;
use crate::work::Work;
use sealstone::{
    ArmourDecoder, Decryptor, Error, FileOpener, Identity, Input, Inspection, KeyFault, KeyFileError, KeyForm, Kind,
    Passphrase, Recipient, Result, StanzaInfo, SymmetricKey, UnsupportedKey, is_armoured, parse_identities,
    parse_recipients,
};
use std::sync::LazyLock;
use zeroize::Zeroizing;

/// A fresh identity, of a kind by its name.
pub fn generate(kind: Option<&str>) -> Result<Identity> {
    let kind = match kind {
        Some(name) => name.parse().map_err(|_| Error::unknown_algorithm(name, &GENERATED))?,
        None => Kind::default(),
    };
    Identity::generate(kind)
}

/// The kinds that there is anything to choose from.
static GENERATED: LazyLock<String> = LazyLock::new(|| {
    let kinds = Kind::ALL.into_iter().filter(|kind| kind.is_generated());
    kinds.map(Kind::name).collect::<Vec<_>>().join(", ")
});

/// All identities of a file, in whatever form it is; it may be sealed with the passphrase, as `sealstone keygen -p` writes it.
pub fn identities(file: &[u8], passphrase: Option<&[u8]>) -> Result<Vec<Identity>> {
    read(file, passphrase_of(passphrase)?.as_ref())
}

fn read(file: &[u8], passphrase: Option<&Passphrase>) -> Result<Vec<Identity>> {
    let seen = match inspect_alone(file) {
        Ok(seen) => seen,
        Err(Error::NotSealstone(_)) => return parse_identities(file, passphrase).map_err(only_error),
        Err(error) => return Err(error),
    };
    let opened = Zeroizing::new(open(file, &seen, passphrase.cloned().map(decryptor_of).as_ref())?);
    seen.parse_identities(&opened, passphrase).map_err(only_error)
}

/// Inspects a file that may be sealed. Of one that is not, which may be a private key as it is, nothing is copied: what an input has read
/// ahead is not zeroed.
///
/// # Errors
/// [`Error::NotSealstone`] of a file that is not sealed; those of [`sealstone::inspect_alone`].
pub(crate) fn inspect_alone(file: &[u8]) -> Result<Inspection> {
    let start = |len: usize| &file[..file.len().min(len)];
    if let Err(error @ Error::NotSealstone(_)) = FileOpener::read_head_len(start(FileOpener::START_LEN))
        && !is_armoured(start(ArmourDecoder::look_len(start(ArmourDecoder::START_LEN))))
    {
        return Err(error);
    }
    sealstone::inspect_alone(Input::reader(file))
}

/// As [`identities`], on another thread: a protected key costs a password hash.
pub fn identities_later(
    file: Zeroizing<Vec<u8>>,
    passphrase: Option<&[u8]>,
) -> Result<Work<impl FnOnce() -> Result<Vec<Identity>> + Send + use<>>> {
    let passphrase = passphrase_of(passphrase)?;
    Ok(Work::new(&DERIVING, move || read(&file, passphrase.as_ref())))
}

pub(crate) fn passphrase_of(text: Option<&[u8]>) -> Result<Option<Passphrase>> {
    text.map(Passphrase::from_utf8).transpose()
}

/// The passphrase of a form of a private key, by its name: some have none.
pub(crate) fn passphrase_for(form: &str, passphrase: Option<&[u8]>) -> Result<Option<Passphrase>> {
    if passphrase.is_some() && !matches!(form, "pem" | "der" | "ssh") {
        return Err(UnsupportedKey::NoPassphrase.into());
    }
    passphrase_of(passphrase)
}

/// Of a private key whose kind is named, and which has a passphrase all the same.
pub(crate) const RAW_WITH_PASSPHRASE: Error = Error::InvalidOption("the bytes of a key alone have no passphrase");

pub(crate) fn decryptor_of(passphrase: Passphrase) -> Decryptor {
    Decryptor::new([Identity::from(passphrase)])
}

pub(crate) fn open(file: &[u8], seen: &Inspection, decryptor: Option<&Decryptor>) -> Result<Vec<u8>> {
    if !seen.stanzas.iter().any(StanzaInfo::is_passphrase) {
        return Err(Error::InvalidIdentity(KeyFault::SealedToRecipient));
    }
    decryptor.ok_or(Error::PassphraseRequired)?.decrypt(file)
}

/// Without the line, which a key that came as a value has not.
pub(crate) fn only_error(error: KeyFileError) -> Error {
    error.error
}

/// A symmetric key as an identity.
pub fn identity_of_key(bytes: &[u8]) -> Result<Identity> {
    let wrong = |_| Error::WrongLength { what: "the key", expected: 32, actual: bytes.len() };
    Ok(Identity::from(SymmetricKey::from_bytes(bytes.try_into().map_err(wrong)?)))
}

/// Whether using a key of this kind takes so long that it does not belong on a thread that must not wait.
pub fn is_slow(kind: Kind) -> bool {
    kind == Kind::Passphrase
}

/// All recipients of a file, in whatever form it is.
pub fn recipients(file: &[u8]) -> Result<Vec<Recipient>> {
    parse_recipients(file).map_err(only_error)
}

/// A form of an identity, a secret.
pub fn export_identity(identity: &Identity, form: &str, passphrase: Option<&[u8]>) -> Result<TextOrBytes> {
    let (form, passphrase) = self::form(form, passphrase)?;
    let passphrase = passphrase.as_ref();
    Ok(TextOrBytes::Text(match form {
        KeyForm::Der => return Ok(TextOrBytes::Bytes(identity.to_der(passphrase)?)),
        KeyForm::Pem => identity.to_pem(passphrase)?,
        KeyForm::Jwk => identity.to_jwk()?,
        KeyForm::Hex => identity.to_hex()?,
        _ => identity.to_text().ok_or(UnsupportedKey::NoText)?,
    }))
}

/// A form by its name, with a passphrase that it takes.
pub(crate) fn form(name: &str, passphrase: Option<&[u8]>) -> Result<(KeyForm, Option<Passphrase>)> {
    let passphrase = passphrase_of(passphrase)?;
    let form: KeyForm = name.parse()?;
    if passphrase.is_some() && !matches!(form, KeyForm::Pem | KeyForm::Der) {
        return Err(UnsupportedKey::NoPassphrase.into());
    }
    Ok((form, passphrase))
}

/// The text of a recipient: its string, or PEM where its kind has none; `None` of secrets that both sides have.
pub fn text(recipient: &Recipient) -> Option<String> {
    recipient.kind().public_len().map(|_| recipient.to_string())
}

/// A form of a recipient. Secrets that both sides have, have none.
pub fn export_recipient(recipient: &Recipient, form: &str) -> Result<TextOrBytes> {
    Ok(TextOrBytes::Text(Zeroizing::new(match form.parse()? {
        KeyForm::Der => return Ok(TextOrBytes::Bytes(Zeroizing::new(recipient.to_der()?))),
        KeyForm::Pem => recipient.to_pem()?,
        KeyForm::Jwk => recipient.to_jwk()?,
        KeyForm::Hex => recipient.to_hex()?,
        _ => text(recipient).ok_or(UnsupportedKey::NoPublicForm)?,
    })))
}
