//! Opens files by name for callers that must not block: without waiting, or with a wait that can be cancelled.

use super::os::FileKind;
use super::patience::Patience;
use crate::error::{Error, Result};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Opens files by name for a caller that must not be held up, such as a server whose users choose the names.
///
/// [`Input::open`](crate::Input::open) of a FIFO waits until somebody writes to it, which may be never. This refuses everything but regular files:
/// FIFOs, devices and sockets. Where they are allowed, opening, reading and writing wait until the callback of
/// [`cancel_when`](Self::cancel_when) answers `true`, and end with [`Error::Cancelled`] then.
///
/// A file system that does not answer, such as a network mount whose server is gone, still holds the caller up.
///
/// ```
/// use sealstone::{Encryptor, FileAccess, Identity, Kind, Output};
///
/// let encryptor = Encryptor::new([Identity::generate(Kind::X25519)?.recipient()]);
/// let refused = FileAccess::new().input("/dev/zero").unwrap_err();
/// assert_eq!(refused.code(), "not_regular_file");
/// let null = FileAccess::new().allow_special(true).input("/dev/null")?;
/// assert_eq!(encryptor.encrypt_to(null, Output::writer(std::io::sink()))?.plaintext, 0);
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct FileAccess {
    special: bool,
    patience: Patience,
    /// Where relative names begin; where it is none, in the working directory.
    folder: Option<PathBuf>,
}

impl FileAccess {
    /// Opens regular files only, and waits without limit.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether FIFOs and devices are opened too; off by default.
    #[must_use]
    pub fn allow_special(mut self, allow: bool) -> Self {
        self.special = allow;
        self
    }

    /// Ends every wait with [`Error::Cancelled`] soon after `callback` has answered `true`.
    #[must_use]
    pub fn cancel_when(mut self, callback: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.patience.cancelled = Some(Arc::new(callback));
        self
    }

    /// Opens relative names from this folder, and not from the working directory, which another thread may have changed until a file
    /// is opened. Messages have the names as they are given.
    ///
    /// ```
    /// use sealstone::FileAccess;
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let folder = folder.path();
    /// std::fs::write(folder.join("notes.txt"), "attack at dawn").unwrap();
    /// let input = FileAccess::new().relative_to(folder).input("notes.txt")?;
    /// assert_eq!(input.len(), Some(14));
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    #[must_use]
    pub fn relative_to(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Where the file of that name is. No file has an empty name, and no folder makes it one.
    pub(super) fn place<'a>(&self, path: &'a Path) -> Cow<'a, Path> {
        match &self.folder {
            Some(folder) if !path.as_os_str().is_empty() => folder.join(path).into(),
            _ => path.into(),
        }
    }

    pub(super) fn patience(&self) -> &Patience {
        &self.patience
    }

    /// Refuses what is special, unless that is allowed.
    pub(super) fn check(&self, path: &Path, kind: FileKind) -> Result<()> {
        let kind = match kind {
            FileKind::Fifo => "a FIFO",
            FileKind::Socket => "a socket",
            FileKind::CharacterDevice | FileKind::BlockDevice => "a device",
            FileKind::Regular | FileKind::Folder | FileKind::SymbolicLink | FileKind::Other => return Ok(()),
        };
        if self.special { Ok(()) } else { Err(Error::NotRegularFile { path: path.to_path_buf(), kind }) }
    }
}

impl std::fmt::Debug for FileAccess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileAccess").field("special", &self.special).finish_non_exhaustive()
    }
}
