//! `sealstone keys`: recipients under names, one file each in `~/.config/sealstone/recipients/`, with the fingerprint
//! that was pinned when the name was given.

use crate::args::{Common, Names, NamesAction, NamesAdd};
use crate::failure::Failure;
use crate::keys::Keys;
use crate::terminal::Terminal;
use sealstone::{Error, FileMode, Output, Recipient, escape_name};
use serde_json::json;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

const NAME_MAX_LEN: usize = 64;
const RECORD_MAX_LEN: u64 = 64 * 1024;
const PIN: &str = "# fingerprint ";

pub(crate) fn run(command: &Names, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    match &command.action {
        NamesAction::Add(command) => add(command, common, terminal),
        NamesAction::List(_) => list(common),
        NamesAction::Remove(command) => {
            let path = path_of(&command.name)?;
            std::fs::remove_file(&path).map_err(|error| match error.kind() {
                ErrorKind::NotFound => unknown(&command.name),
                _ => Failure::io("remove", Some(&path), error),
            })
        }
    }
}

/// The recipient under a name.
pub(crate) fn find(name: &str) -> Result<Recipient, Failure> {
    let path = path_of(name)?;
    let failed = |error: io::Error| match error.kind() {
        ErrorKind::NotFound => unknown(name),
        _ => Failure::io("read", Some(&path), error),
    };
    let metadata = std::fs::symlink_metadata(&path).map_err(failed)?;
    if !metadata.is_file() || metadata.len() > RECORD_MAX_LEN {
        let error = Error::InvalidRecipient("a name is kept in a regular file of a few lines");
        return Err(Failure::In { file: escape_name(&path), error });
    }
    let text = std::fs::read_to_string(&path).map_err(failed)?;
    let fail = |error| Failure::In { file: escape_name(&path), error };
    let found = sealstone::parse_recipients(&text).map_err(|error| fail(error.error))?;
    let [recipient] = &found[..] else { return Err(fail(Error::InvalidRecipient("a name stands for one recipient"))) };
    let pin = text.lines().find_map(|line| line.strip_prefix(PIN));
    if pin.is_none() || pin != recipient.fingerprint().as_deref() {
        return Err(fail(Error::InvalidRecipient("the key is not the one that was pinned under this name")));
    }
    Ok(recipient.clone())
}

fn add(command: &NamesAdd, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let path = path_of(&command.name)?;
    let found = Keys::new(common).named_recipients(std::slice::from_ref(&command.recipient), &[])?;
    let [recipient] = &found[..] else {
        return Err(Failure::usage("a name stands for one recipient, and the file names several"));
    };
    let fingerprint = recipient.fingerprint().ok_or_else(|| Failure::usage("only public keys have names"))?;
    let said = command.fingerprint.as_ref().map(|said| {
        // The digits alone are as good.
        if said.contains(':') { said.clone() } else { format!("SHA256:{said}") }
    });
    if said.is_some_and(|said| !said.eq_ignore_ascii_case(&fingerprint)) {
        return Err(Failure::usage_with_hint(
            format!("the key has another fingerprint, {fingerprint}"),
            "ask its owner, by another way than the one that the key came by",
        ));
    }
    if let Some(folder) = path.parent() {
        let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(|error| Failure::io("create", Some(folder), error))?;
    }
    let is_kept = std::fs::symlink_metadata(&path).is_ok();
    if is_kept && !common.force {
        // A record that cannot be read is no reason to replace it.
        let kept = find(&command.name)?.fingerprint().unwrap_or_default();
        if kept != fingerprint {
            return Err(Failure::usage_with_hint(
                format!("@{} is another key: {kept}, and this one is {fingerprint}", command.name),
                "ask its owner which is right; --force takes the new one",
            ));
        }
    }
    let output = Output::file(&path)?.mode(FileMode::Private).replace(is_kept).sync(!common.no_sync);
    output.write_all(format!("{PIN}{fingerprint}\n{recipient}\n").as_bytes())?;
    if common.json {
        terminal.event(&json!({
            "event": "done", "name": command.name, "kind": recipient.kind().name(), "fingerprint": fingerprint,
        }));
    } else {
        terminal.note(&format!("@{}: {} {fingerprint}", command.name, recipient.kind()));
    }
    Ok(())
}

fn list(common: &Common) -> Result<(), Failure> {
    let folder = folder()?;
    let mut names: Vec<String> = match std::fs::read_dir(&folder) {
        Ok(entries) => entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect(),
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(Failure::io("read the folder", Some(&folder), error)),
    };
    names.retain(|name| path_of(name).is_ok());
    names.sort();
    let mut lines = String::new();
    let mut failed = None;
    for name in names {
        let recipient = match find(&name) {
            Ok(recipient) => recipient,
            Err(failure) => {
                // The others are shown all the same.
                failed = failed.or(Some(failure));
                continue;
            }
        };
        let (kind, fingerprint) = (recipient.kind().name(), recipient.fingerprint());
        if common.json {
            let recipient = recipient.to_string();
            lines +=
                &json!({ "name": name, "kind": kind, "fingerprint": fingerprint, "recipient": recipient }).to_string();
        } else {
            lines.extend(["@", &name, "  ", kind, "  ", &fingerprint.unwrap_or_default()]);
        }
        lines.push('\n');
    }
    let written = io::stdout().lock().write_all(lines.as_bytes());
    written.map_err(|error| Failure::io("write", Some(Path::new("stdout")), error))?;
    failed.map_or(Ok(()), Err)
}

fn unknown(name: &str) -> Failure {
    Failure::usage_with_hint(
        format!("there is no name @{}", escape_name(Path::new(name))),
        "`sealstone keys list` shows all, `sealstone keys add NAME RECIPIENT` adds one",
    )
}

fn folder() -> Result<PathBuf, Failure> {
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty());
    let home = home.ok_or_else(|| Failure::usage("HOME is not set, so there is no place for names"))?;
    Ok(PathBuf::from(home).join(".config/sealstone/recipients"))
}

/// Where a name is kept. A name is never a path.
pub(crate) fn path_of(name: &str) -> Result<PathBuf, Failure> {
    let name = name.strip_prefix('@').unwrap_or(name);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let begins = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if !begins || name.len() > NAME_MAX_LEN || !name.chars().all(plain) {
        return Err(Failure::usage("a name has 1 to 64 letters, digits and . _ -, the first a letter or digit"));
    }
    Ok(folder()?.join(name))
}
