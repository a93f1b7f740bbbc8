//! `sealstone key`

use crate::args::{Common, Key, KeyAction, KeyConvert, KeyPassphrase};
use crate::failure::Failure;
use crate::folder::Folder;
use crate::keygen::{into_bytes, sealed, to_stdout};
use crate::keys::{IdentityFile, Keys};
use crate::passphrase;
use crate::terminal::Terminal;
use sealstone::{Error, FileMode, Identity, KeyForm, Kind, Output, Passphrase, Recipient, escape_name};
use serde_json::json;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

pub(crate) fn run(command: &Key, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    match &command.action {
        KeyAction::Inspect(command) => print(&command.files, common, terminal, inspected),
        KeyAction::Fingerprint(command) => print(&command.files, common, terminal, fingerprinted),
        KeyAction::Convert(command) => convert(command, common, terminal),
        KeyAction::Passphrase(command) => change_passphrase(command, common, terminal),
    }
}

/// Shows every key of the files in the way that is given, or as JSON.
fn print(
    files: &[PathBuf],
    common: &Common,
    terminal: &Terminal,
    show: fn(&str, Option<&IdentityFile>, &Recipient) -> Result<String, Failure>,
) -> Result<(), Failure> {
    let mut keys = Keys::new(common);
    let mut lines = String::new();
    for path in files {
        let file = escape_name(path);
        let found = keys.either(path, common, terminal)?;
        let (secret, recipients) = match &found {
            Ok(secret) => (Some(secret), &secret.recipients()),
            Err(recipients) => (None, recipients),
        };
        for recipient in recipients {
            let (kind, fingerprint) = (recipient.kind().name(), recipient.fingerprint());
            lines += &if common.json {
                json!({
                    "file": file, "kind": kind, "secret": secret.is_some(), "fingerprint": fingerprint,
                    "protected": secret.is_some_and(|file| file.is_protected),
                })
                .to_string()
            } else {
                show(&file, secret, recipient)?
            };
            lines.push('\n');
        }
    }
    let written = io::stdout().lock().write_all(lines.as_bytes());
    written.map_err(|error| Failure::io("write", Some(Path::new("stdout")), error))
}

#[expect(clippy::unnecessary_wraps, reason = "the two ways to show a key have one signature")]
fn inspected(file: &str, secret: Option<&IdentityFile>, recipient: &Recipient) -> Result<String, Failure> {
    let what = match secret {
        Some(file) if file.is_protected => "identity (secret, protected with a passphrase)",
        Some(_) => "identity (secret)",
        None => "recipient",
    };
    let more = match recipient.fingerprint() {
        Some(fingerprint) => format!("fingerprint {fingerprint}"),
        None if recipient.kind() == Kind::Key => "whoever has it can encrypt and decrypt".to_owned(),
        None => "no fingerprint".to_owned(),
    };
    Ok(format!("{file}\n  {what} of kind {}\n  {more}", recipient.kind()))
}

fn fingerprinted(file: &str, _secret: Option<&IdentityFile>, recipient: &Recipient) -> Result<String, Failure> {
    let none = || Failure::usage(format!("{file}: a symmetric key has no fingerprint, which would help to guess it"));
    Ok(format!("{} {} {file}", recipient.fingerprint().ok_or_else(none)?, recipient.kind()))
}

fn change_passphrase(command: &KeyPassphrase, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let path = &command.file;
    let folder = Folder::of_file(path);
    // A link would be replaced, and what it points to would stay as it is.
    folder.open(path)?;
    let output = Output::file_in(folder.parent(path)?, path)?.mode(FileMode::Private).sync(!common.no_sync);
    let mut keys = Keys::new(common);
    let file = keys.identity_file(path, common, terminal)?;
    let new = match &command.new_passphrase_file {
        _ if command.remove => None,
        Some(path) => Some(passphrase::from_file(path)?),
        None => Some(passphrase::ask_on_terminal("the identity file")?),
    };
    let content = match file.form {
        // What is sealed stays so: it may hold several keys, and comments.
        KeyForm::Pem | KeyForm::Der if !file.is_sealed => encoded(&file.identities, file.form, new)?,
        KeyForm::Jwk if !file.is_sealed && new.is_some() => {
            return Err(Failure::usage_with_hint(
                "a JWK has no passphrase",
                "`sealstone key convert --to pem -p` writes PEM with one",
            ));
        }
        _ => sealed(file.text, new)?,
    };
    output.replace(true).write_all(&content)?;
    if command.remove {
        terminal.note(&format!("{} has no passphrase now: whoever can read it can use it", escape_name(path)));
    }
    Ok(())
}

fn convert(command: &KeyConvert, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let output = command.output.as_deref().filter(|path| *path != Path::new("-"));
    let mut keys = Keys::new(common);
    let (content, mode) = match keys.either(&command.file, common, terminal)? {
        Ok(file) if !command.public => (converted(&file.identities, command)?, FileMode::Private),
        Ok(file) => (public(&file.recipients(), command.to)?, FileMode::Shared),
        Err(_) if command.passphrase || command.new_passphrase_file.is_some() => {
            return Err(Failure::usage("public keys have no passphrase"));
        }
        Err(recipients) => (public(&recipients, command.to)?, FileMode::Shared),
    };
    match output {
        Some(path) => {
            let file = Output::file(path)?.mode(mode).sync(!common.no_sync).replace(common.force);
            let file = keys.files.iter().fold(file, |file, (id, path)| file.protect(*id, path));
            Ok(file.write_all(&content)?)
        }
        None if command.to == KeyForm::Der && command.output.is_none() && io::stdout().is_terminal() => {
            Err(Failure::usage_with_hint("DER is not written to a terminal", "name a file with -o FILE"))
        }
        None if mode == FileMode::Private => to_stdout(&content, terminal),
        None => {
            let written = io::stdout().lock().write_all(&content);
            written.map_err(|error| Failure::io("write", Some(Path::new("stdout")), error))
        }
    }
}

fn converted(identities: &[Identity], command: &KeyConvert) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let passphrase = match &command.new_passphrase_file {
        Some(path) => Some(passphrase::from_file(path)?),
        None if command.passphrase => Some(passphrase::ask_on_terminal("the result")?),
        None => None,
    };
    encoded(identities, command.to, passphrase)
}

/// Identities in a form, as the content of a file.
fn encoded(
    identities: &[Identity],
    form: KeyForm,
    passphrase: Option<Passphrase>,
) -> Result<Zeroizing<Vec<u8>>, Failure> {
    if let (KeyForm::Jwk, Some(_)) = (form, &passphrase) {
        return Err(Failure::usage_with_hint("a JWK has no passphrase", "PEM has one: --to pem"));
    }
    check_count(identities.len(), form)?;
    let parts = identities.iter().map(|identity| match form {
        KeyForm::Pem => Ok(into_bytes(identity.to_pem(passphrase.as_ref())?)),
        KeyForm::Der => identity.to_der(passphrase.as_ref()),
        KeyForm::Jwk => Ok(with_line_end(&identity.to_jwk()?)),
        _ => match identity.kind() {
            Kind::P256 | Kind::MlKem768 => Err(NO_STRING),
            _ => Ok(with_line_end(&identity.to_text().expect("key: what is read from a file has a text form"))),
        },
    });
    let parts = parts.collect::<Result<Vec<_>, Error>>()?;
    let mut content = Zeroizing::new(Vec::with_capacity(parts.iter().map(|part| part.len()).sum()));
    for part in parts {
        content.extend_from_slice(&part);
    }
    if form == KeyForm::Age { sealed(content, passphrase) } else { Ok(content) }
}

/// Recipients in a form, as the content of a file.
fn public(recipients: &[Recipient], form: KeyForm) -> Result<Zeroizing<Vec<u8>>, Failure> {
    check_count(recipients.len(), form)?;
    let parts = recipients.iter().map(|recipient| match form {
        KeyForm::Pem => recipient.to_pem().map(String::into_bytes),
        KeyForm::Der => recipient.to_der(),
        KeyForm::Jwk => recipient.to_jwk().map(|json| format!("{json}\n").into_bytes()),
        _ => match recipient.kind() {
            Kind::P256 | Kind::MlKem768 => Err(NO_STRING),
            Kind::Key => Err(Error::InvalidIdentity("a symmetric key has no public key")),
            _ => Ok(format!("{recipient}\n").into_bytes()),
        },
    });
    Ok(Zeroizing::new(parts.collect::<Result<Vec<_>, Error>>()?.concat()))
}

const NO_STRING: Error = Error::UnsupportedKey("only hybrid, x25519 and symmetric keys have age's strings");

fn check_count(count: usize, form: KeyForm) -> Result<(), Failure> {
    if count > 1 && matches!(form, KeyForm::Der | KeyForm::Jwk) {
        return Err(Failure::usage_with_hint(
            format!("{form} holds one key, and the file has {count}"),
            "PEM holds several",
        ));
    }
    Ok(())
}

fn with_line_end(text: &str) -> Zeroizing<Vec<u8>> {
    let mut line = Zeroizing::new(Vec::with_capacity(text.len() + 1));
    line.extend_from_slice(text.as_bytes());
    line.push(b'\n');
    line
}
