//! `sealstone key`

use crate::args::{Common, Key, KeyAction, KeyPassphrase};
use crate::failure::Failure;
use crate::folder::Folder;
use crate::keys::Keys;
use crate::passphrase;
use crate::terminal::Terminal;
use sealstone::{Encryptor, FileMode, Kind, Output, Recipient, escape_name};
use serde_json::json;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

pub(crate) fn run(command: &Key, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    match &command.action {
        KeyAction::Inspect(command) => print(&command.files, common, inspected),
        KeyAction::Fingerprint(command) => print(&command.files, common, fingerprinted),
        KeyAction::Passphrase(command) => change_passphrase(command, common, terminal),
    }
}

/// Shows every key of the files in the way that is given, or as JSON.
fn print(
    files: &[PathBuf],
    common: &Common,
    show: fn(&str, bool, &Recipient) -> Result<String, Failure>,
) -> Result<(), Failure> {
    let mut keys = Keys::new(common);
    let mut lines = String::new();
    for path in files {
        let file = escape_name(path);
        for (is_secret, recipient) in keys.all(path, common)? {
            let (kind, fingerprint) = (recipient.kind().name(), recipient.fingerprint());
            lines += &if common.json {
                json!({ "file": file, "kind": kind, "secret": is_secret, "fingerprint": fingerprint }).to_string()
            } else {
                show(&file, is_secret, &recipient)?
            };
            lines.push('\n');
        }
    }
    let written = io::stdout().lock().write_all(lines.as_bytes());
    written.map_err(|error| Failure::io("write", Some(Path::new("stdout")), error))
}

#[expect(clippy::unnecessary_wraps, reason = "the two ways to show a key have one signature")]
fn inspected(file: &str, is_secret: bool, recipient: &Recipient) -> Result<String, Failure> {
    let what = if is_secret { "identity (secret)" } else { "recipient" };
    let more = match recipient.fingerprint() {
        Some(fingerprint) => format!("fingerprint {fingerprint}"),
        None if recipient.kind() == Kind::Key => "whoever has it can encrypt and decrypt".to_owned(),
        None => "no fingerprint".to_owned(),
    };
    Ok(format!("{file}\n  {what} of kind {}\n  {more}", recipient.kind()))
}

fn fingerprinted(file: &str, _is_secret: bool, recipient: &Recipient) -> Result<String, Failure> {
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
    let (text, _) = keys.identity_file(path, common, terminal)?;
    let content = if command.remove {
        text
    } else {
        let new = match &command.new_passphrase_file {
            Some(path) => passphrase::from_file(path)?,
            None => passphrase::ask_on_terminal("the identity file")?,
        };
        Zeroizing::new(Encryptor::new([new.into()]).armour(true).encrypt(&text)?)
    };
    output.replace(true).write_all(&content)?;
    if command.remove {
        terminal.note(&format!("{} has no passphrase now: whoever can read it can use it", escape_name(path)));
    }
    Ok(())
}
