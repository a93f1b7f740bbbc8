//! `sealstone key`

use crate::args::{Common, Key, KeyAction, KeyConvert, KeyPassphrase};
use crate::descriptor;
use crate::failure::Failure;
use crate::fingerprint;
use crate::folder::Folder;
use crate::identity_file::{IdentityFile, into_bytes, refuse_device, sealed, to_descriptor};
use crate::keyring::Keyring;
use crate::passphrase;
use crate::plan::other_names;
use crate::terminal::Terminal;
use sealstone::{
    Error, FileId, FileMode, Identity, Input, KeyFault, KeyForm, Kind, Output, Recipient, Suite, UnsupportedKey,
    escape_name,
};
use serde_json::json;
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::MetadataExt;
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
    let mut keys = Keyring::new(common);
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
    keys.check_stdout()?;
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
    let more = match fingerprint::shown(recipient) {
        Some(fingerprint) => format!("fingerprint {fingerprint}"),
        None if recipient.kind() == Kind::Key => "whoever has it can encrypt and decrypt".to_owned(),
        None => "no fingerprint".to_owned(),
    };
    Ok(format!("{file}\n  {what} of kind {}\n  {more}", recipient.kind()))
}

fn fingerprinted(file: &str, _secret: Option<&IdentityFile>, recipient: &Recipient) -> Result<String, Failure> {
    let none =
        || Failure::usage(format!("{file}: a symmetric key has no fingerprint, since that would help to guess it"));
    Ok(format!("{} {} {file}", fingerprint::shown(recipient).ok_or_else(none)?, recipient.kind()))
}

fn change_passphrase(command: &KeyPassphrase, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let path = &command.file;
    if path == Path::new("-") {
        return Err(Failure::usage("this command changes the file itself, so it cannot take stdin"));
    }
    let metadata = std::fs::symlink_metadata(path).map_err(|error| Failure::io("open", Some(path), error))?;
    if metadata.nlink() > 1 && !common.force && metadata.is_file() {
        return Err(other_names(path));
    }
    if !metadata.is_file() {
        // A link would be replaced, and what it points to would stay as it is.
        return Err(Failure::usage_with_hint(
            format!("{} is not a regular file", escape_name(path)),
            "name the identity file itself",
        ));
    }
    let folder = Folder::of_file(path);
    let opened = folder.open(path)?;
    let output = Output::file_in(&folder.parent(path)?, path)?.mode(FileMode::Private).sync(!common.no_sync);
    let mut keys = Keyring::new(common);
    // What the passphrase comes from is not what is replaced.
    FileId::of(&opened)?.map_or(Ok(()), |id| keys.check_output(id))?;
    let file = keys.identity_file(path, common, terminal)?;
    if !command.remove && file.form == KeyForm::Jwk && file.sealed.is_none() {
        return Err(Failure::usage_with_hint(
            "a JWK has no passphrase",
            "`sealstone key convert --to pem -p` writes PEM with one",
        ));
    }
    let new = match &command.new_passphrase_file {
        _ if command.remove => None,
        Some(source) if is_same(source, path) => {
            return Err(Failure::usage("the identity file cannot also hold its passphrase"));
        }
        Some(path) => Some(passphrase::from_file(path)?),
        None => Some(passphrase::ask_on_terminal("the identity file", NEW_SOURCE)?),
    };
    let suite = file.sealed.unwrap_or_else(|| suite_for(&file.identities));
    let content = match file.form {
        // What is sealed stays so.
        KeyForm::Pem | KeyForm::Der if file.sealed.is_none() => {
            let written = sealstone::protect_identities(&file.text, file.passphrase.as_ref(), new.as_ref());
            written.map_err(|error| error.error)?
        }
        // The keys inside had a passphrase of their own, too: the new one is the only one.
        _ if file.passphrase.is_some() => {
            let opened = sealstone::protect_identities(&file.text, file.passphrase.as_ref(), None);
            sealed(opened.map_err(|error| error.error)?, new, suite)?
        }
        _ => sealed(file.text, new, suite)?,
    };
    output.replace(true).write_all(&content)?;
    if command.remove {
        terminal.note(&format!("{} has no passphrase now: whoever can read it can use it", escape_name(path)));
    }
    Ok(())
}

fn convert(command: &KeyConvert, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let number = descriptor::of_output(command.output.as_deref());
    let path = command.output.as_deref().filter(|_| number.is_none());
    let number = number.unwrap_or(descriptor::STDOUT);
    let mut keys = Keyring::new(common);
    command.new_passphrase_file.iter().for_each(|path| keys.protect(path));
    let found = keys.either(&command.file, common, terminal)?;
    let name = escape_name(&command.file);
    let in_file = |error| Failure::In { file: name.clone(), error };
    let is_protected = command.passphrase || command.new_passphrase_file.is_some();
    let (secret, plain) = match &found {
        Ok(file) if !command.public => (true, encoded(&file.identities, command.to)),
        _ if is_protected => return Err(Failure::usage("public keys have no passphrase")),
        Ok(file) => (false, public(&file.recipients(), command.to)),
        Err(recipients) => (false, public(recipients, command.to)),
    };
    let plain = plain.map_err(in_file)?;
    let count = found.as_ref().map_or_else(Vec::len, |file| file.identities.len());
    if count > 1 && matches!(command.to, KeyForm::Der | KeyForm::Jwk) {
        let message = format!("{} holds one key, and {name} has {count}", command.to);
        return Err(Failure::usage_with_hint(message, "use --to pem, which holds several"));
    }
    if is_protected && command.to == KeyForm::Jwk {
        return Err(Failure::usage_with_hint("a JWK has no passphrase", "PEM has one: --to pem"));
    }
    let mode = if secret { FileMode::Private } else { FileMode::Shared };
    path.map_or(Ok(()), refuse_device)?;
    // A regular file: a FIFO may have been put there by somebody who reads it.
    let output = path.map(|path| Ok::<_, Failure>(Output::file_in(&Folder::of_file(path).parent(path)?, path)?));
    let output =
        output.transpose()?.map(|file| keys.guard(file.mode(mode).sync(!common.no_sync).replace(common.force)));
    match &output {
        Some(output) => output.check(&Input::reader(io::empty())).map_err(|error| match error {
            Error::SameFile(_) => Failure::from(error).with_hint("name another file with -o"),
            error => error.into(),
        })?,
        None => keys.check_descriptor(number)?,
    }
    if output.is_none() && command.to == KeyForm::Der && command.output.is_none() && io::stdout().is_terminal() {
        return Err(Failure::usage_with_hint("DER is not written to a terminal", "name a file with -o FILE"));
    }
    // Whoever is asked for a passphrase is asked last.
    let passphrase = match &command.new_passphrase_file {
        Some(path) => Some(passphrase::from_file(path)?),
        None if command.passphrase => Some(passphrase::ask_on_terminal("the result", NEW_SOURCE)?),
        None => None,
    };
    let content = match (found, passphrase) {
        (Ok(file), Some(passphrase)) => match command.to {
            KeyForm::Age | KeyForm::Hex => sealed(plain, Some(passphrase), suite_for(&file.identities))?,
            _ => {
                sealstone::protect_identities(&plain, None, Some(&passphrase)).map_err(|error| in_file(error.error))?
            }
        },
        _ => plain,
    };
    match output {
        Some(output) => Ok(output.write_all(&content)?),
        None if secret => to_descriptor(number, &content, terminal),
        None => descriptor::write(number, &content),
    }
}

/// What keys are sealed with: those of Chinese commercial cryptography with nothing else.
fn suite_for(identities: &[Identity]) -> Suite {
    let is_gm = identities.iter().all(|identity| identity.kind() == Kind::Sm2);
    if is_gm { Suite::Sm4Gcm } else { Suite::default() }
}

/// Identities in a form, as the content of a file.
fn encoded(identities: &[Identity], form: KeyForm) -> Result<Zeroizing<Vec<u8>>, Error> {
    let parts = identities.iter().map(|identity| match form {
        KeyForm::Pem => Ok(into_bytes(identity.to_pem(None)?)),
        KeyForm::Der => identity.to_der(None),
        KeyForm::Jwk => Ok(with_line_end(&identity.to_jwk()?)),
        KeyForm::Hex => Ok(with_line_end(&identity.to_hex()?)),
        _ => match identity.kind() {
            kind if !kind.has_form(KeyForm::Age) => Err(UnsupportedKey::NoString.into()),
            _ => Ok(with_line_end(&identity.to_text().expect("key: what is read from a file has a text form"))),
        },
    });
    let parts = parts.collect::<Result<Vec<_>, Error>>()?;
    let mut content = Zeroizing::new(Vec::with_capacity(parts.iter().map(|part| part.len()).sum()));
    for part in parts {
        content.extend_from_slice(&part);
    }
    Ok(content)
}

/// Recipients in a form, as the content of a file.
fn public(recipients: &[Recipient], form: KeyForm) -> Result<Zeroizing<Vec<u8>>, Error> {
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

const NEW_SOURCE: &str = "name a file of one line with --new-passphrase-file";

/// Whether two paths name one file.
fn is_same(a: &Path, b: &Path) -> bool {
    let id = |path| std::fs::metadata(path).ok().map(|metadata| FileId::from(&metadata));
    id(a).is_some() && id(a) == id(b)
}

fn with_line_end(text: &str) -> Zeroizing<Vec<u8>> {
    let mut line = Zeroizing::new(Vec::with_capacity(text.len() + 1));
    line.extend_from_slice(text.as_bytes());
    line.push(b'\n');
    line
}
