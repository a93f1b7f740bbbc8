//! The folder of this user's keys: `$XDG_CONFIG_HOME/sealstone`, or `~/.config/sealstone`.

use crate::failure::Failure;
use sealstone::escape_name;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// The folder; `None` if the environment names no home.
fn folder() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    // XDG Base Directory Specification: a relative path must be ignored.
    let config = variable("XDG_CONFIG_HOME").filter(|path| path.is_absolute());
    let home = || variable("HOME").filter(|home| !home.as_os_str().is_empty());
    Some(config.or_else(|| Some(home()?.join(".config")))?.join("sealstone"))
}

/// The path of the identity file that is used if no other is named.
pub(crate) fn default_identity() -> Option<PathBuf> {
    Some(folder()?.join("identity.txt"))
}

/// The default identity file, if it exists.
pub(crate) fn existing_identity() -> Option<PathBuf> {
    default_identity().filter(|path| path.exists())
}

/// The path of the signing key that is used if no other is named.
pub(crate) fn default_signing_key() -> Option<PathBuf> {
    Some(folder()?.join("signing.pem"))
}

/// The default signing key, if it exists.
pub(crate) fn existing_signing_key() -> Option<PathBuf> {
    default_signing_key().filter(|path| path.exists())
}

/// The subfolder of the address book with this name.
pub(crate) fn names_folder(folder_of: &str) -> Result<PathBuf, Failure> {
    let folder = folder().ok_or_else(|| Failure::usage("HOME is not set, so names cannot be kept"))?;
    Ok(folder.join(folder_of))
}

/// Creates the folder of a file, readable only by its owner.
pub(crate) fn make_folder_of(file: &Path) -> Result<(), Failure> {
    let Some(folder) = file.parent() else { return Ok(()) };
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|error| Failure::io("create", Some(folder), error))
}

/// The default identity file's name in messages.
pub(crate) fn identity_name() -> String {
    display_name(default_identity(), "identity.txt")
}

/// The default signing key's name in messages.
pub(crate) fn signing_key_name() -> String {
    display_name(default_signing_key(), "signing.pem")
}

fn display_name(path: Option<PathBuf>, file: &str) -> String {
    let named = path.filter(|_| std::env::var_os("XDG_CONFIG_HOME").is_some());
    named.map_or_else(|| format!("~/.config/sealstone/{file}"), |path| escape_name(&path))
}
