//! The calls that differ between Unix systems.

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::OwnedFd;

/// The calls that a system has beyond POSIX or in another form. The defaults are those of POSIX.
pub(super) trait System {
    /// The flag that opens a folder with search permission only.
    const SEARCH: Option<OFlags> = None;

    /// Creates a file without a name, if the file system supports that and [`link_unnamed`](Self::link_unnamed) can name it.
    fn create_unnamed(_folder: &OwnedFd, _mode: Mode) -> Option<OwnedFd> {
        None
    }

    /// Gives an unnamed file an unused name.
    fn link_unnamed(_file: &File, _folder: &OwnedFd, _name: &OsStr) -> Result<(), Errno> {
        Err(Errno::NOSYS)
    }

    /// Renames a file to an unused name in its folder.
    fn rename_new(_folder: &OwnedFd, _from: &OsStr, _to: &OsStr) -> Result<(), Errno> {
        Err(Errno::NOSYS)
    }

    /// Extends a file to `len` bytes and reserves their disk space.
    fn reserve(_file: &File, _len: u64) -> Result<(), Errno> {
        Err(Errno::NOSYS)
    }

    /// Flushes the content of a file, so that it survives a power failure.
    fn flush(file: &File) -> Result<(), Errno> {
        rustix::fs::fsync(file)
    }

    /// The id of the current boot of the system, in hexadecimal digits.
    fn boot_id() -> Option<String> {
        None
    }
}
