//! `sealstone key convert`

use super::inspect::{KeyFacts, MAY_SIGN};
use super::{NEW_SOURCE, Target, choose_suite};
use crate::application_key::ToForm;
use crate::args::Common;
use crate::failure::Failure;
use crate::identity_file::{into_bytes, seal, write_to_descriptor};
use crate::keyring::Keyring;
use crate::passphrase;
use crate::signers::{self, FoundKeys};
use crate::terminal::Terminal;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use sealstone::signature::Signer;
use sealstone::{
    Error, FileMode, Identity, KeyFault, KeyForm, Kind, Passphrase, Recipient, UnsupportedKey, escape_name, exchange,
    sign,
};
use std::path::PathBuf;
use zeroize::Zeroizing;

/// Write keys in another form: age strings, PEM, DER, JWK, hexadecimal digits, SSH, or PEM with an expanded key
#[derive(Args)]
#[command(after_help = "\
Which keys each form can hold:
  age       hybrid, x25519 and symmetric keys
  pem, der  p256, ML-KEM, sm2, x25519 and all signing keys
  jwk       p256 and x25519 keys; public keys of ed25519, p256-sign and ML-DSA
  hex       sm2 keys
  ssh       public keys of all signing kinds; private keys of ed25519, p256-sign and hybrid44-sign
  expanded  private keys of ML-KEM and ML-DSA: the seed and the key that it expands to, for nkCryptoTool's Rust edition

Sealstone asks for the passphrase of the file. The result has no passphrase unless -p is given.

Examples:
  sealstone key convert --to jwk --public key.pem
  sealstone key convert --to pem -p -o key.pem key.der
  sealstone key convert --to ssh -o id_release release.pem")]
pub(crate) struct KeyConvert {
    /// age, pem, der, jwk, hex, ssh or expanded
    #[arg(long, value_name = "FORM", value_parser = forms())]
    pub(crate) to: ToForm,
    /// Treat a P-256 or SM2 key as a signing key: its form does not say what it is for
    #[arg(long)]
    pub(crate) sign: bool,
    /// Write the public keys of identities
    #[arg(long)]
    pub(crate) public: bool,
    /// Protect the result with a passphrase
    #[arg(short, long, conflicts_with = "public")]
    pub(crate) passphrase: bool,
    /// Read the passphrase of the result from a file with one line
    #[arg(long, value_name = "FILE", conflicts_with = "public")]
    pub(crate) new_passphrase_file: Option<PathBuf>,
    /// Write to FILE (secrets: mode 0600) instead of stdout
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Identity file or recipient file; - is stdin
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

pub(super) fn convert(command: &KeyConvert, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let mut keys = Keyring::new(common, terminal);
    command.new_passphrase_file.iter().for_each(|path| keys.guard.protect(path));
    let found = signers::read_keys(&command.file, command.sign, &mut keys)?;
    let name = escape_name(&command.file);
    let in_file = |error| Failure::In { file: name.clone(), error };
    let is_protected = command.passphrase || command.new_passphrase_file.is_some();
    let (secret, plain) = match &found {
        FoundKeys::Identities(file) if !command.public => (true, encode_identities(&file.identities, command.to)),
        FoundKeys::SigningKey(file) if !command.public => {
            let key = file.private_key().map_err(in_file)?;
            (true, encode_signing_key(&key, command.to, None))
        }
        FoundKeys::Application(key) if key.is_secret() && !command.public => (true, key.private(command.to, None)),
        _ if is_protected => return Err(Failure::usage("public keys have no passphrase")),
        FoundKeys::Identities(file) => (false, encode_recipients(&file.recipients(), command.to)),
        FoundKeys::Recipients(recipients) => (false, encode_recipients(recipients, command.to)),
        FoundKeys::SigningKey(file) => (false, encode_signers(std::slice::from_ref(file.key.signer()), command.to)),
        FoundKeys::Signers(signers) => (false, encode_signers(signers, command.to)),
        FoundKeys::Application(key) => (false, key.public(command.to)),
    };
    let may_sign = match &found {
        FoundKeys::Identities(file) => file.identities.iter().all(|identity| MAY_SIGN.contains(&identity.kind())),
        FoundKeys::Recipients(recipients) => recipients.iter().all(|recipient| MAY_SIGN.contains(&recipient.kind())),
        _ => false,
    };
    let plain = plain.map_err(|error| match in_file(error) {
        failure if command.to == ToForm::Ssh && may_sign => {
            failure.with_hint("SSH has a form for signing keys only: if this is a signing key, add --sign")
        }
        failure => failure,
    })?;
    let count = KeyFacts::all(&found).len();
    if count > 1 && matches!(command.to, ToForm::Key(KeyForm::Der | KeyForm::Jwk)) {
        let message = format!("{} holds one key, and {name} has {count}", command.to);
        return Err(Failure::usage_with_hint(message, "use --to pem, which holds several"));
    }
    if is_protected && command.to == ToForm::Key(KeyForm::Jwk) {
        return Err(Failure::usage_with_hint("a JWK has no passphrase", "PEM has one: --to pem"));
    }
    let mode = if secret { FileMode::Private } else { FileMode::Shared };
    let binary = (command.to == ToForm::Key(KeyForm::Der)).then_some("DER");
    let target = Target::of(command.output.as_deref(), mode, binary, &keys.guard, common)?;
    // All other errors come before the question for a passphrase.
    let passphrase = match &command.new_passphrase_file {
        Some(path) => Some(passphrase::read_file(path)?),
        None if command.passphrase => Some(passphrase::ask_on_terminal("the result", NEW_SOURCE)?),
        None => None,
    };
    let content = match (found, passphrase) {
        (FoundKeys::Application(key), Some(passphrase)) => {
            key.private(command.to, Some(&passphrase)).map_err(in_file)?
        }
        (FoundKeys::SigningKey(file), Some(passphrase)) => {
            let key = file.private_key().map_err(in_file)?;
            encode_signing_key(&key, command.to, Some(&passphrase)).map_err(in_file)?
        }
        (FoundKeys::Identities(file), Some(passphrase)) => match command.to {
            ToForm::Expanded => expand_identities(&file.identities, Some(&passphrase)).map_err(in_file)?,
            ToForm::Key(KeyForm::Age | KeyForm::Hex) => seal(plain, Some(passphrase), choose_suite(&file.identities))?,
            _ => {
                sealstone::protect_identities(&plain, None, Some(&passphrase)).map_err(|error| in_file(error.error))?
            }
        },
        _ => plain,
    };
    if target.output.is_none() && secret {
        return write_to_descriptor(target.number, &content, terminal);
    }
    target.write(&content)
}

/// Writes a signing key in a form, as the content of a file.
pub(super) fn encode_signing_key(
    key: &sign::PrivateKey,
    form: ToForm,
    passphrase: Option<&Passphrase>,
) -> Result<Zeroizing<Vec<u8>>, Error> {
    match form {
        ToForm::Key(KeyForm::Pem) => key.to_pem(passphrase).map(into_bytes),
        ToForm::Key(KeyForm::Der) => key.to_der(passphrase),
        ToForm::Ssh => key.to_ssh(passphrase).map(into_bytes),
        ToForm::Expanded => key.to_expanded_pem(passphrase).map(into_bytes),
        ToForm::Key(_) => Err(UnsupportedKey::NoFormOfKind.into()),
    }
}

/// Writes signers in a form, as the content of a file.
fn encode_signers(signers: &[Signer], form: ToForm) -> Result<Zeroizing<Vec<u8>>, Error> {
    let parts = signers.iter().map(|signer| match form {
        ToForm::Key(KeyForm::Pem) => Ok(signer.public_key().to_pem().into_bytes()),
        ToForm::Key(KeyForm::Der) => Ok(signer.public_key().to_der()),
        ToForm::Key(KeyForm::Jwk) => signer.public_key().to_jwk().map(|json| format!("{json}\n").into_bytes()),
        ToForm::Ssh => Ok(format!("{}\n", signers::format_line(signer)).into_bytes()),
        ToForm::Key(_) | ToForm::Expanded => Err(UnsupportedKey::NoFormOfKind.into()),
    });
    Ok(Zeroizing::new(parts.collect::<Result<Vec<_>, Error>>()?.concat()))
}

/// Writes identities in a form, as the content of a file.
fn encode_identities(identities: &[Identity], form: ToForm) -> Result<Zeroizing<Vec<u8>>, Error> {
    let form = match form {
        ToForm::Key(form) => form,
        ToForm::Ssh => return Err(UnsupportedKey::NoFormOfKind.into()),
        ToForm::Expanded => return expand_identities(identities, None),
    };
    let parts = identities.iter().map(|identity| match form {
        KeyForm::Pem => Ok(into_bytes(identity.to_pem(None)?)),
        KeyForm::Der => identity.to_der(None),
        KeyForm::Jwk => Ok(add_line_end(&identity.to_jwk()?)),
        KeyForm::Hex => Ok(add_line_end(&identity.to_hex()?)),
        _ => match identity.kind() {
            kind if !kind.has_form(KeyForm::Age) => Err(UnsupportedKey::NoString.into()),
            _ => Ok(add_line_end(&identity.to_text().expect("key: what is read from a file has a text form"))),
        },
    });
    Ok(join(&parts.collect::<Result<Vec<_>, Error>>()?))
}

/// Writes identities with their expanded keys, as the content of a file.
fn expand_identities(identities: &[Identity], passphrase: Option<&Passphrase>) -> Result<Zeroizing<Vec<u8>>, Error> {
    let parts = identities.iter().map(|identity| {
        let (kind, bytes) = (identity.kind().name().parse().ok(), identity.to_bytes());
        let (kind, bytes) = kind.zip(bytes).ok_or(UnsupportedKey::NoFormOfKind)?;
        exchange::PrivateKey::from_bytes(kind, &bytes)?.to_expanded_pem(passphrase).map(into_bytes)
    });
    Ok(join(&parts.collect::<Result<Vec<_>, Error>>()?))
}

fn join(parts: &[Zeroizing<Vec<u8>>]) -> Zeroizing<Vec<u8>> {
    let mut content = Zeroizing::new(Vec::with_capacity(parts.iter().map(|part| part.len()).sum()));
    for part in parts {
        content.extend_from_slice(part);
    }
    content
}

/// Writes recipients in a form, as the content of a file.
fn encode_recipients(recipients: &[Recipient], form: ToForm) -> Result<Zeroizing<Vec<u8>>, Error> {
    let ToForm::Key(form) = form else { return Err(UnsupportedKey::NoFormOfKind.into()) };
    let parts = recipients.iter().map(|recipient| match form {
        KeyForm::Pem => recipient.to_pem().map(String::into_bytes),
        KeyForm::Der => recipient.to_der(),
        KeyForm::Jwk => recipient.to_jwk().map(|json| format!("{json}\n").into_bytes()),
        KeyForm::Hex => recipient.to_hex().map(|digits| format!("{digits}\n").into_bytes()),
        _ => match recipient.kind() {
            kind if !kind.has_form(KeyForm::Age) => Err(UnsupportedKey::NoString.into()),
            Kind::Key => Err(Error::InvalidIdentity(KeyFault::Other("a symmetric key has no public key"))),
            _ => Ok(format!("{recipient}\n").into_bytes()),
        },
    });
    Ok(Zeroizing::new(parts.collect::<Result<Vec<_>, Error>>()?.concat()))
}

fn add_line_end(text: &str) -> Zeroizing<Vec<u8>> {
    let mut line = Zeroizing::new(Vec::with_capacity(text.len() + 1));
    line.extend_from_slice(text.as_bytes());
    line.push(b'\n');
    line
}

fn forms() -> impl TypedValueParser<Value = ToForm> {
    let names = KeyForm::ALL.into_iter().map(KeyForm::name).chain(["ssh", "expanded"]);
    PossibleValuesParser::new(names).map(|name| match name.parse() {
        Ok(form) => ToForm::Key(form),
        Err(_) if name == "ssh" => ToForm::Ssh,
        Err(_) => ToForm::Expanded,
    })
}
