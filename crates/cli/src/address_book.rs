//! The recipients that have names: one file each in `recipients` of the folder of `config`, with the fingerprint that was
//! pinned when the name was given.

use crate::config::{self, make_folder_of};
use crate::failure::Failure;
use sealstone::{Error, FileMode, KeyFault, Output, Recipient, escape_name};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

const NAME_MAX_LEN: usize = 64;
const RECORD_MAX_LEN: u64 = 64 * 1024;
const PIN: &str = "# fingerprint ";

/// The recipient under a name.
pub(crate) fn find(name: &str) -> Result<Recipient, Failure> {
    let path = path_of(name)?;
    let failed = |error: io::Error| match error.kind() {
        ErrorKind::NotFound => unknown(name),
        _ => Failure::io("read", Some(&path), error),
    };
    let fail = |error| Failure::In { file: escape_name(&path), error };
    let invalid = |fault| Err(fail(Error::InvalidRecipient(KeyFault::Other(fault))));
    let metadata = std::fs::symlink_metadata(&path).map_err(failed)?;
    if !metadata.is_file() || metadata.len() > RECORD_MAX_LEN {
        return invalid("a name is kept in a regular file of a few lines");
    }
    let text = std::fs::read_to_string(&path).map_err(failed)?;
    let found = sealstone::parse_recipients(&text).map_err(|error| fail(error.error))?;
    let [recipient] = &found[..] else { return invalid("a name stands for one recipient") };
    let pin = text.lines().find_map(|line| line.strip_prefix(PIN));
    if pin.is_none() || pin != recipient.fingerprint().as_deref() {
        return invalid("the key is not the one that was pinned under this name");
    }
    Ok(recipient.clone())
}

/// Whether something stands under a name, sound or not.
pub(crate) fn has(name: &str) -> Result<bool, Failure> {
    Ok(std::fs::symlink_metadata(path_of(name)?).is_ok())
}

/// Puts a recipient with this fingerprint under a name.
pub(crate) fn keep(
    name: &str,
    recipient: &Recipient,
    fingerprint: &str,
    replace: bool,
    sync: bool,
) -> Result<(), Failure> {
    let path = path_of(name)?;
    make_folder_of(&path)?;
    let output = Output::file(&path)?.mode(FileMode::Private).replace(replace).sync(sync);
    Ok(output.write_all(format!("{PIN}{fingerprint}\n{recipient}\n").as_bytes())?)
}

pub(crate) fn remove(name: &str) -> Result<(), Failure> {
    let path = path_of(name)?;
    std::fs::remove_file(&path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => unknown(name),
        _ => Failure::io("remove", Some(&path), error),
    })
}

/// All names, sorted.
pub(crate) fn names() -> Result<Vec<String>, Failure> {
    let folder = config::recipients()?;
    let mut names: Vec<String> = match std::fs::read_dir(&folder) {
        Ok(entries) => entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect(),
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(Failure::io("read the folder", Some(&folder), error)),
    };
    names.retain(|name| path_of(name).is_ok());
    names.sort();
    Ok(names)
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

fn unknown(name: &str) -> Failure {
    Failure::usage_with_hint(
        format!("there is no name @{}", escape_name(Path::new(name))),
        "`sealstone keys list` shows all, `sealstone keys add NAME RECIPIENT` adds one",
    )
}
