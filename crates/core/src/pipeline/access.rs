//! Opens files by name for callers that must not block: without waiting, or with a cancellable wait.

use super::os::FileKind;
use super::patience::Patience;
use crate::error::{Error, Result};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Opens files by name for callers that must not block, such as a server whose users choose the names.
///
/// [`Input::open`](crate::Input::open) of a FIFO waits until another process writes to it, which may be never. This type
/// rejects everything but regular files: FIFOs, devices and sockets. If special files are allowed, opening, reading and writing
/// wait until the callback of [`cancel_when`](Self::cancel_when) returns `true`, and then fail with [`Error::Cancelled`].
///
/// A file system that does not respond, such as a network mount whose server is gone, still blocks the caller.
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
    /// The folder of relative names; the working directory if `None`.
    folder: Option<PathBuf>,
}

impl FileAccess {
    /// Creates an access that opens regular files only and never cancels a wait.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether FIFOs and devices are opened too; off by default.
    #[must_use]
    pub fn allow_special(mut self, allow: bool) -> Self {
        self.special = allow;
        self
    }

    /// Makes every wait fail with [`Error::Cancelled`] soon after `callback` returns `true`.
    #[must_use]
    pub fn cancel_when(mut self, callback: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.patience.cancelled = Some(Arc::new(callback));
        self
    }

    /// Opens relative names from this folder instead of the working directory, which another thread may change before a file is
    /// opened. Messages contain the names as given.
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

    /// The path of a name within the folder. An empty name stays empty, because it is not a file.
    pub(super) fn place<'a>(&self, path: &'a Path) -> Cow<'a, Path> {
        match &self.folder {
            Some(folder) if !path.as_os_str().is_empty() => folder.join(path).into(),
            _ => path.into(),
        }
    }

    pub(super) fn patience(&self) -> &Patience {
        &self.patience
    }

    /// Rejects special files unless they are allowed.
    pub(super) fn check(&self, path: &Path, kind: FileKind) -> Result<()> {
        match special(kind) {
            Some(kind) if !self.special => Err(Error::NotRegularFile { path: path.to_path_buf(), kind }),
            _ => Ok(()),
        }
    }
}

/// The name of a kind of special files; `None` for other kinds.
pub(super) fn special(kind: FileKind) -> Option<&'static str> {
    match kind {
        FileKind::Fifo => Some("a FIFO"),
        FileKind::Socket => Some("a socket"),
        FileKind::CharacterDevice | FileKind::BlockDevice => Some("a device"),
        FileKind::Regular | FileKind::Folder | FileKind::SymbolicLink | FileKind::Other => None,
    }
}

debug!(FileAccess { special });
