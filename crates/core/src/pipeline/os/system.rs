//! What differs between Unixes.

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::OwnedFd;

/// The calls that a system has more or otherwise. Their defaults are what POSIX has.
pub(super) trait System {
    /// What opens a folder that may be searched but not read.
    const SEARCH: Option<OFlags> = None;

    /// A file without a name, if the file system has such, and if [`link_unnamed`](Self::link_unnamed) can give it one.
    fn create_unnamed(_folder: &OwnedFd, _mode: Mode) -> Option<OwnedFd> {
        None
    }

    /// Gives a file without a name one that nothing has.
    fn link_unnamed(_file: &File, _folder: &OwnedFd, _name: &OsStr) -> Result<(), Errno> {
        Err(Errno::NOSYS)
    }

    /// Gives a file another name in its folder, that nothing has.
    fn rename_new(_folder: &OwnedFd, _from: &OsStr, _to: &OsStr) -> Result<(), Errno> {
        Err(Errno::NOSYS)
    }

    /// Makes a file as long as that, with room for it on the disk.
    fn reserve(_file: &File, _len: u64) -> Result<(), Errno> {
        Err(Errno::NOSYS)
    }

    /// Returns when the content of a file would outlive a power cut.
    fn flush(file: &File) -> Result<(), Errno> {
        rustix::fs::fsync(file)
    }

    /// What is another at each start of the system, in hexadecimal digits.
    fn boot_id() -> Option<String> {
        None
    }
}
