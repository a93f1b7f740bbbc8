//! The address book: recipients and signers under names. Each is one file, in the folder of `config` for its use, with the
//! fingerprint that was pinned when the name was given. A name may have one recipient and one signer.

use crate::config::{self, make_folder_of};
use crate::failure::Failure;
use sealstone::signature::{Signer, Signers};
use sealstone::{Error, FileMode, KeyFault, Output, Recipient, escape_name};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

const NAME_MAX_LEN: usize = 64;
const RECORD_MAX_LEN: u64 = 64 * 1024;
const PIN: &str = "# fingerprint ";

/// The use of a key. The form of a key may not tell it, and no key has both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    Encrypts,
    Signs,
}

impl Use {
    pub(crate) const ALL: [Self; 2] = [Self::Encrypts, Self::Signs];

    fn folder(self) -> &'static str {
        match self {
            Self::Encrypts => "recipients",
            Self::Signs => "signers",
        }
    }

    pub(crate) fn other(self) -> Self {
        match self {
            Self::Encrypts => Self::Signs,
            Self::Signs => Self::Encrypts,
        }
    }

    /// The error about a key of this use.
    fn invalid_key(self, fault: &'static str) -> Error {
        match self {
            Self::Encrypts => Error::InvalidRecipient(KeyFault::Other(fault)),
            Self::Signs => Error::InvalidSigner(KeyFault::Other(fault)),
        }
    }
}

/// Finds the recipient under a name.
pub(crate) fn find(name: &str) -> Result<Recipient, Failure> {
    let (path, text) = read(name, Use::Encrypts)?;
    let found = sealstone::parse_recipients(&text).map_err(|error| in_file(&path, error.error))?;
    let [recipient] = &found[..] else {
        return Err(in_file(&path, Use::Encrypts.invalid_key("a name stands for one recipient")));
    };
    check_pin(&path, &text, recipient.fingerprint().as_deref(), Use::Encrypts)?;
    Ok(recipient.clone())
}

/// Finds the signer under a name.
pub(crate) fn find_signer(name: &str) -> Result<Signer, Failure> {
    let (path, text) = read(name, Use::Signs)?;
    let found = Signers::parse(&text).map_err(|error| in_file(&path, error.error))?;
    let mut found = found.iter();
    let (Some(signer), None) = (found.next(), found.next()) else {
        return Err(in_file(&path, Use::Signs.invalid_key("a name stands for one signer")));
    };
    check_pin(&path, &text, Some(&signer.fingerprint()), Use::Signs)?;
    Ok(signer.clone())
}

/// Reads a record; returns its path and its text.
fn read(name: &str, of: Use) -> Result<(PathBuf, String), Failure> {
    let path = record_path(name, of)?;
    let failed = |error: io::Error| match error.kind() {
        ErrorKind::NotFound => explain_missing(name, of),
        _ => Failure::io("read", Some(&path), error),
    };
    let metadata = std::fs::symlink_metadata(&path).map_err(failed)?;
    if !metadata.is_file() || metadata.len() > RECORD_MAX_LEN {
        return Err(in_file(&path, of.invalid_key("the record of a name must be a regular file of a few lines")));
    }
    let text = std::fs::read_to_string(&path).map_err(failed)?;
    Ok((path, text))
}

fn check_pin(path: &Path, text: &str, fingerprint: Option<&str>, of: Use) -> Result<(), Failure> {
    let pin = text.lines().find_map(|line| line.strip_prefix(PIN));
    if pin.is_none() || pin != fingerprint {
        return Err(in_file(path, of.invalid_key("the key is not the one that was pinned under this name")));
    }
    Ok(())
}

fn in_file(path: &Path, error: Error) -> Failure {
    Failure::In { file: escape_name(path), error }
}

/// Whether a name has a record for this use, valid or not.
pub(crate) fn has_record(name: &str, of: Use) -> Result<bool, Failure> {
    Ok(std::fs::symlink_metadata(record_path(name, of)?).is_ok())
}

/// Stores a key with its fingerprint under a name. `key` is written as in a file of its use.
pub(crate) fn store(
    name: &str,
    of: Use,
    key: &str,
    fingerprint: &str,
    replace: bool,
    sync: bool,
) -> Result<(), Failure> {
    let path = record_path(name, of)?;
    make_folder_of(&path)?;
    let output = Output::file(&path)?.mode(FileMode::Private).replace(replace).sync(sync);
    Ok(output.write_all(format!("{PIN}{fingerprint}\n{key}\n").as_bytes())?)
}

/// Removes the recipient and the signer of a name.
pub(crate) fn remove(name: &str) -> Result<(), Failure> {
    let mut was_there = false;
    for of in Use::ALL {
        let path = record_path(name, of)?;
        match std::fs::remove_file(&path) {
            Ok(()) => was_there = true,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(Failure::io("remove", Some(&path), error)),
        }
    }
    if was_there { Ok(()) } else { Err(explain_unknown(name)) }
}

/// All names that have a key of this use, sorted.
pub(crate) fn names(of: Use) -> Result<Vec<String>, Failure> {
    let folder = config::names_folder(of.folder())?;
    let mut names: Vec<String> = match std::fs::read_dir(&folder) {
        Ok(entries) => entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect(),
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(Failure::io("read the folder", Some(&folder), error)),
    };
    names.retain(|name| record_path(name, of).is_ok());
    names.sort();
    Ok(names)
}

/// The path of a name's record. The name itself is never a path.
pub(crate) fn record_path(name: &str, of: Use) -> Result<PathBuf, Failure> {
    let name = name.strip_prefix('@').unwrap_or(name);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let has_valid_start = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if !has_valid_start || name.len() > NAME_MAX_LEN || !name.chars().all(is_plain) {
        return Err(Failure::usage(
            "a name must have 1 to 64 letters, digits and . _ -, and begin with a letter or digit",
        ));
    }
    Ok(config::names_folder(of.folder())?.join(name))
}

/// The failure if a name has no key of this use; the hint differs if it has a key of the other use.
fn explain_missing(name: &str, of: Use) -> Failure {
    if !has_record(name, of.other()).unwrap_or(false) {
        return explain_unknown(name);
    }
    let file = format!("@{}", name.strip_prefix('@').unwrap_or(name));
    let (error, hint) = match of {
        Use::Encrypts => (
            of.invalid_key("this name stands for a signer, and for no recipient"),
            "`sealstone keys add NAME RECIPIENT` adds a recipient to the name",
        ),
        Use::Signs => (
            of.invalid_key("this name stands for a recipient, and for no signer"),
            "`sealstone keys add --sign NAME SIGNER` adds a signer to the name",
        ),
    };
    Failure::In { file, error }.with_hint(hint)
}

fn explain_unknown(name: &str) -> Failure {
    Failure::usage_with_hint(
        format!("there is no name @{}", escape_name(Path::new(name.strip_prefix('@').unwrap_or(name)))),
        "`sealstone keys list` shows all, `sealstone keys add NAME RECIPIENT` adds one",
    )
}
