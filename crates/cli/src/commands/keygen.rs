//! `sealstone keygen`

use crate::args::{Common, Keygen};
use crate::config::{default_identity, make_folder_of};
use crate::descriptor;
use crate::failure::{Failure, plain_name};
use crate::fingerprint;
use crate::folder::Folder;
use crate::identity_file::{into_bytes, refuse_device, sealed, to_descriptor};
use crate::keyring::Keyring;
use crate::passphrase;
use crate::terminal::Terminal;
use sealstone::{Error, FileMode, Identity, Input, KeyForm, Kind, Output, Profile, Suite, escape_name};
use serde_json::json;
use std::io::IsTerminal;
use std::path::Path;
use zeroize::Zeroizing;

pub(crate) fn run(command: &Keygen, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let default_kind = || if command.allowed.profile == Some(Profile::Gm) { Kind::Sm2 } else { Kind::default() };
    let kind = command.mode.or(command.kind).unwrap_or_else(default_kind);
    if let Some(profile) = command.allowed.profile {
        profile.check_kind(kind)?;
    }
    let default = default_identity();
    // A secret key is not shown on a terminal unasked: it goes where the others look for it.
    let by_itself = command.output.is_none() && std::io::stdout().is_terminal();
    let to_file = if by_itself { Some(by_itself_to(kind, default.as_deref())?) } else { command.output.as_deref() };
    let number = descriptor::of_output(to_file);
    let to_file = to_file.filter(|_| number.is_none());
    to_file.map_or(Ok(()), refuse_device)?;
    if let Some(path) = to_file.filter(|path| Some(*path) == default.as_deref()) {
        // The place where it is looked for need not be there on a new machine.
        make_folder_of(path)?;
    }
    // A regular file: a FIFO may have been put there by somebody who reads it.
    let output = to_file.map(|path| {
        let folder = Folder::of_file(path).parent(path).map_err(|failure| match path.parent() {
            Some(folder) if folder.symlink_metadata().is_err() => {
                failure.with_hint(format!("make its folder first: mkdir -p {}", plain_name(folder).unwrap_or("FOLDER")))
            }
            _ => failure,
        })?;
        Ok::<_, Failure>(Output::file_in(&folder, path)?)
    });
    let output = output.transpose()?;
    let keys = Keyring::new(common);
    let output = output
        .map(|file| keys.guard(file.mode(FileMode::Private).sync(!common.no_sync).replace(common.force && !by_itself)));
    number.map_or(Ok(()), |number| keys.check_descriptor(number))?;
    if let Some(output) = &output {
        // Before the user is asked for a passphrase.
        output.check(&Input::reader(std::io::empty())).map_err(|error| match error {
            Error::OutputExists(_) if by_itself => Failure::from(error)
                .with_hint("`sealstone recipients` prints its recipient; -o FILE makes another key beside it"),
            Error::OutputExists(_) => Failure::from(error).with_hint(
                "choose another name with -o: files encrypted to the key in this file open with no other key",
            ),
            error => error.into(),
        })?;
    }
    let identity = Identity::generate(kind)?;
    let recipient = (kind != Kind::Key).then(|| identity.recipient().to_string());
    let seal = command.passphrase || common.has_passphrase_source();
    let passphrase = if seal { Some(passphrase::ask_new(common, "the identity file")?) } else { None };
    let content = if kind.has_form(KeyForm::Age) {
        let is_gm = command.allowed.profile == Some(Profile::Gm);
        let suite = if is_gm { Suite::Sm4Gcm } else { Suite::default() };
        sealed(lines(&identity, recipient.as_deref()), passphrase, suite)?
    } else {
        // What others read as well has the encryption that they know.
        into_bytes(identity.to_pem(passphrase.as_ref())?)
    };
    match output {
        Some(output) => output.write_all(&content)?,
        None => to_descriptor(number.unwrap_or(descriptor::STDOUT), &content, terminal)?,
    }
    if common.json {
        let event = json!({
            "event": "done", "kind": kind.name(), "recipient": recipient,
            "output": to_file.map(escape_name), "sealed": seal,
        });
        terminal.event(|| event);
        return Ok(());
    }
    let Some(recipient) = recipient else {
        if let Some(path) = to_file {
            terminal.note(&format!("encrypt and decrypt with --key-file {}", escape_name(path)));
        }
        return Ok(());
    };
    let fingerprint = fingerprint::shown(&identity.recipient()).expect("keygen: a public key has a fingerprint");
    match to_file {
        Some(path) if by_itself => {
            let path = escape_name(path);
            terminal.note(&format!("wrote {path}, the secret key of kind {kind}: keep a copy in a safe place"));
            terminal.note(&format!("fingerprint: {fingerprint}"));
            terminal.note("next: sealstone recipients > me.pub, and give me.pub to whoever encrypts to you");
            return Ok(());
        }
        // Nobody reads so many lines.
        Some(path) if recipient.len() > SHOWN_MAX_LEN && std::io::stderr().is_terminal() => {
            terminal.note(&format!("fingerprint: {fingerprint}"));
            terminal.note(&format!("next: sealstone recipients {} > me.pub", escape_name(path)));
        }
        _ => {
            // PEM has lines of its own.
            let space = if recipient.contains('\n') { '\n' } else { ' ' };
            terminal.note(&format!("recipient:{space}{recipient}"));
        }
    }
    if let (Some(path), Some(default)) = (to_file, &default)
        && path != default
        && !default.exists()
    {
        terminal.note(&format!("decrypt with -i {}, or keep it as {}", escape_name(path), escape_name(default)));
    }
    Ok(())
}

/// Characters of a recipient that a terminal shows.
const SHOWN_MAX_LEN: usize = 500;

/// Where a key goes when nobody has said.
fn by_itself_to(kind: Kind, default: Option<&Path>) -> Result<&Path, Failure> {
    let refused = |why: &str| Failure::usage_with_hint(why, "name a file with -o FILE, or print the key with -o -");
    if kind == Kind::Key {
        return Err(refused("a symmetric key has no default file, and is not written to a terminal"));
    }
    default.ok_or_else(|| refused("HOME is not set, so the key has no default file, and is not written to a terminal"))
}

/// A file of one string, which says what it is.
fn lines(identity: &Identity, recipient: Option<&str>) -> Zeroizing<Vec<u8>> {
    let secret = identity.to_text().expect("keygen: a generated identity has a text form");
    let comment = match recipient {
        Some(recipient) => format!("# public key: {recipient}\n"),
        None => "# symmetric key: whoever has it can encrypt and decrypt\n".to_owned(),
    };
    let mut content = Zeroizing::new(Vec::with_capacity(comment.len() + secret.len() + 1));
    content.extend_from_slice(comment.as_bytes());
    content.extend_from_slice(secret.as_bytes());
    content.push(b'\n');
    content
}
