//! The system calls, with the same signatures on all systems. The rest of the pipeline is independent of the system.
//!
//! `unix.rs` documents them. The trait `System` contains the calls that differ between Unix systems; `linux.rs` and `macos.rs`
//! implement it. `none.rs` is for targets without a file system, such as browsers: nothing can be opened there.

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

/// An open folder, for [`Output::file_in`](crate::Output::file_in): names in it refer to the same files even if the folder is
/// moved or its path is given to another folder. Clones share it, and the last one closes it.
///
/// A program that walks a tree with its own descriptors, without following links, converts a descriptor with `From`.
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
    /// Whether both are one open folder.
    #[cfg(all(feature = "archive", not(target_family = "wasm")))]
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Opens a folder by name. On Linux, search permission for the folder is enough; other systems also need read permission.
    ///
    /// # Errors
    /// [`Error::Io`] if it is not a folder or cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        open_folder(path).map_err(|error| Error::io("open", Some(path), error))
    }
}

/// The identity of a file, independent of its names: device and inode.
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
    /// Returns the identity of an open file; `None` for anything but a regular file.
    ///
    /// # Errors
    /// [`Error::Io`] if the metadata cannot be read.
    pub fn of(file: &File) -> Result<Option<Self>> {
        let stat = stat(file).map_err(|error| Error::io("stat", None, error))?;
        Ok((stat.kind == FileKind::Regular).then_some(stat.id))
    }
}

/// The metadata of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stat {
    pub(super) id: FileId,
    pub(super) kind: FileKind,
    /// The permission bits (of 0777).
    pub(super) mode: u32,
    /// The bits set-user-ID, set-group-ID and sticky (of 07000).
    pub(super) special: u32,
    /// The user ID.
    pub(super) owner: u32,
    /// The group ID.
    pub(super) group: u32,
    /// The number of its names (hard links).
    pub(super) links: u64,
    pub(super) len: u64,
    /// Bytes of the disk that it occupies.
    pub(super) allocated: u64,
    /// The modification time in seconds and nanoseconds, as the system reports it.
    pub(super) modified: (i64, i64),
    /// The device that a device file represents.
    device: u64,
}

impl Stat {
    /// The identity of the storage of its bytes: the file itself, or the disk that a block device represents.
    pub(super) fn content_id(&self) -> Option<FileId> {
        match self.kind {
            FileKind::Regular => Some(self.id),
            FileKind::BlockDevice => Some(FileId { device: self.device, inode: u64::MAX }),
            _ => None,
        }
    }

    /// The number of the device that it is on.
    pub(super) fn on_device(&self) -> u64 {
        self.id.device
    }

    /// Whether it is the same file and was not modified since.
    pub(super) fn is_unchanged(&self, before: &Self) -> bool {
        (self.id, self.len, self.modified) == (before.id, before.len, before.modified)
    }
}

/// An open file or folder, for calls that take either.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(unix), expect(dead_code, reason = "where there are no files, none is open"))]
pub(super) enum Opened<'a> {
    File(&'a File),
    Folder(&'a Folder),
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
    /// Types that only some systems have.
    Other,
}

/// The kind of readiness to wait for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ready {
    Read,
    Write,
}
