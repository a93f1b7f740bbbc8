//! Where this user's keys are: `$XDG_CONFIG_HOME/sealstone`, or `~/.config/sealstone`.

use crate::failure::Failure;
use sealstone::escape_name;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// The folder; `None` where the environment names no home.
fn folder() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    // The XDG Base Directory Specification: a relative path is to be ignored.
    let config = variable("XDG_CONFIG_HOME").filter(|path| path.is_absolute());
    let home = || variable("HOME").filter(|home| !home.as_os_str().is_empty());
    Some(config.or_else(|| Some(home()?.join(".config")))?.join("sealstone"))
}

/// The identity file that serves where no other is named.
pub(crate) fn default_identity() -> Option<PathBuf> {
    Some(folder()?.join("identity.txt"))
}

/// The same, if it is there.
pub(crate) fn existing_identity() -> Option<PathBuf> {
    default_identity().filter(|path| path.exists())
}

/// The key that signs where no other is named.
pub(crate) fn default_signing_key() -> Option<PathBuf> {
    Some(folder()?.join("signing.pem"))
}

/// The same, if it is there.
pub(crate) fn existing_signing_key() -> Option<PathBuf> {
    default_signing_key().filter(|path| path.exists())
}

/// The folder of names that are kept, by what it is called.
pub(crate) fn names(folder_of: &str) -> Result<PathBuf, Failure> {
    let folder = folder().ok_or_else(|| Failure::usage("HOME is not set, so names cannot be kept"))?;
    Ok(folder.join(folder_of))
}

/// Makes the folder of a file in it, for nobody else to read.
pub(crate) fn make_folder_of(file: &Path) -> Result<(), Failure> {
    let Some(folder) = file.parent() else { return Ok(()) };
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|error| Failure::io("create", Some(folder), error))
}

/// The default identity file as messages name it.
pub(crate) fn identity_name() -> String {
    name_of(default_identity(), "identity.txt")
}

/// The default key that signs as messages name it.
pub(crate) fn signing_key_name() -> String {
    name_of(default_signing_key(), "signing.pem")
}

fn name_of(path: Option<PathBuf>, file: &str) -> String {
    let named = path.filter(|_| std::env::var_os("XDG_CONFIG_HOME").is_some());
    named.map_or_else(|| format!("~/.config/sealstone/{file}"), |path| escape_name(&path))
}
