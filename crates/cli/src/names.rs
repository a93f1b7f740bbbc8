//! `sealstone keys`: recipients under names, one file each in `recipients` of the folder of `config`, with the fingerprint
//! that was pinned when the name was given.

use crate::args::{Common, Names, NamesAction, NamesAdd};
use crate::config::{self, make_folder_of};
use crate::failure::Failure;
use crate::fingerprint;
use crate::keys::Keys;
use crate::terminal::Terminal;
use sealstone::{Error, FileMode, Output, Recipient, escape_name};
use serde_json::json;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

const NAME_MAX_LEN: usize = 64;
const RECORD_MAX_LEN: u64 = 64 * 1024;
const PIN: &str = "# fingerprint ";

pub(crate) fn run(command: &Names, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    match &command.action {
        NamesAction::Add(command) => add(command, common, terminal),
        NamesAction::List(_) => list(common, terminal),
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
    let (Some(fingerprint), Some(shown)) = (recipient.fingerprint(), fingerprint::shown(recipient)) else {
        return Err(Failure::usage("only public keys have names"));
    };
    if command.fingerprint.as_ref().is_some_and(|said| !fingerprint::is_meant(recipient, said)) {
        return Err(Failure::usage_with_hint(
            format!("the key has another fingerprint, {shown}"),
            "ask its owner over another channel than the one that the key came over",
        ));
    }
    make_folder_of(&path)?;
    let is_kept = std::fs::symlink_metadata(&path).is_ok();
    if is_kept && !common.force {
        // A record that cannot be read is no reason to replace it.
        let kept = find(&command.name)?;
        if !kept.is_same(recipient) {
            let kept = fingerprint::shown(&kept).unwrap_or_default();
            return Err(Failure::usage_with_hint(
                format!("@{} is another key: {kept}, and this one is {shown}", command.name),
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
        terminal.note(&format!("@{}: {} {shown}", command.name, recipient.kind()));
    }
    Ok(())
}

fn list(common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let folder = config::recipients()?;
    let mut names: Vec<String> = match std::fs::read_dir(&folder) {
        Ok(entries) => entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect(),
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(Failure::io("read the folder", Some(&folder), error)),
    };
    names.retain(|name| path_of(name).is_ok());
    names.sort();
    if names.is_empty() {
        terminal.note("there are no names; `sealstone keys add NAME RECIPIENT` adds one");
    }
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
            lines.extend(["@", &name, "  ", kind, "  ", &fingerprint::shown(&recipient).unwrap_or_default()]);
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

/// Where a name is kept. A name is never a path.
pub(crate) fn path_of(name: &str) -> Result<PathBuf, Failure> {
    let name = name.strip_prefix('@').unwrap_or(name);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let begins = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if !begins || name.len() > NAME_MAX_LEN || !name.chars().all(plain) {
        return Err(Failure::usage("a name has 1 to 64 letters, digits and . _ -, the first a letter or digit"));
    }
    Ok(config::recipients()?.join(name))
}
