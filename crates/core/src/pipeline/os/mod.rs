//! The system's calls, each with one signature for all systems. The rest of the pipeline names no system.
//!
//! `unix.rs` documents them. What differs between Unixes is its trait `System`, of which `linux.rs` and `macos.rs` have
//! what those have more than POSIX. `none.rs` stands in where there is no file system, as in a browser: nothing can be opened
//! there.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(not(unix))]
mod none;
#[cfg(unix)]
mod system;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(super) use none::*;
#[cfg(unix)]
pub(super) use unix::*;

use crate::error::{Error, Result};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// A folder that is open, for [`Output::file_in`](crate::Output::file_in): names in it mean the same files when the folder
/// is moved meanwhile, or when another comes under its path. Clones share it, and the last one closes it.
///
/// A program that walks a tree by descriptors of its own, and follows no links there, makes one of a descriptor by `From`.
///
/// ```
/// use sealstone::{Folder, Output};
///
/// # let place = tempfile::tempdir().unwrap();
/// # let (path, moved) = (place.path().join("today"), place.path().join("yesterday"));
/// # std::fs::create_dir(&path).unwrap();
/// let folder = Folder::open(&path)?;
/// std::fs::rename(&path, &moved).unwrap();
/// Output::file_in(&folder, "notes.txt")?.write_all(b"attack at dawn")?;
/// assert_eq!(std::fs::read(moved.join("notes.txt")).unwrap(), b"attack at dawn");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Folder(Arc<Handle>);

impl Folder {
    /// Opens a folder by name. It may be one that this process may search but not read, where the system can open such (Linux).
    ///
    /// # Errors
    /// [`Error::Io`] when it is no folder or cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        open_folder(path).map_err(|error| Error::io("open", Some(path), error))
    }
}

/// What tells one file from another whatever its names: device and inode.
///
/// ```
/// use sealstone::FileId;
///
/// let here = std::fs::metadata(".").unwrap();
/// let there = std::fs::metadata("././").unwrap();
/// assert_eq!(FileId::from(&here), FileId::from(&there));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    /// Of an open file; `None` for anything but a regular file.
    ///
    /// # Errors
    /// [`Error::Io`] when the system does not say.
    pub fn of(file: &File) -> Result<Option<Self>> {
        let stat = stat(file).map_err(|error| Error::io("stat", None, error))?;
        Ok((stat.kind == FileKind::Regular).then_some(stat.id))
    }
}

/// What the system says of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stat {
    pub(super) id: FileId,
    pub(super) kind: FileKind,
    /// Its permission bits (of 0777).
    pub(super) mode: u32,
    /// The number of the user.
    pub(super) owner: u32,
    /// The number of the group.
    pub(super) group: u32,
    /// How many names it has: hard links.
    pub(super) links: u64,
    pub(super) len: u64,
    /// When its content was changed: seconds and nanoseconds, as the system has them.
    pub(super) modified: (i64, i64),
    /// The device that a file of a device stands for.
    device: u64,
}

impl Stat {
    /// What tells where its bytes are from where others are: the file, or the disk, whatever file names that.
    pub(super) fn content_id(&self) -> Option<FileId> {
        match self.kind {
            FileKind::Regular => Some(self.id),
            FileKind::BlockDevice => Some(FileId { device: self.device, inode: u64::MAX }),
            _ => None,
        }
    }

    /// Whether it is the same file, and nothing was written to it since.
    pub(super) fn is_unchanged(&self, before: &Self) -> bool {
        (self.id, self.len, self.modified) == (before.id, before.len, before.modified)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(unix), expect(dead_code, reason = "where there are no files, none has a kind"))]
pub(super) enum FileKind {
    Regular,
    Folder,
    Fifo,
    Socket,
    CharacterDevice,
    BlockDevice,
    SymbolicLink,
    /// What only some systems have.
    Other,
}

/// What a file is waited for to be ready for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ready {
    Read,
    Write,
}
