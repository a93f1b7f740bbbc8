//! The calls that differ between Unix systems.

use rustix::fs::{AtFlags, Dir, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};

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

    /// Renames a file to an unused name.
    fn rename_new(_from: &OwnedFd, _old: &OsStr, _to: &OwnedFd, _new: &OsStr) -> Result<(), Errno> {
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

    /// Calls `each` with every name in a folder, from the first on.
    fn list(folder: &OwnedFd, mut each: impl FnMut(&[u8])) -> Result<(), Errno> {
        for entry in Dir::read_from(folder)? {
            each(entry?.file_name().to_bytes());
        }
        Ok(())
    }

    /// The first position from `at` on that is in no hole. [`NXIO`](Errno::NXIO) if there is none.
    fn seek_data(_file: &File, _at: u64) -> Result<u64, Errno> {
        Err(Errno::NOSYS)
    }

    /// The first position from `at` on that is in a hole; the end of the file if there is none.
    fn seek_hole(_file: &File, _at: u64) -> Result<u64, Errno> {
        Err(Errno::NOSYS)
    }

    /// The names of the extended attributes, each followed by NUL, in the system's form of `user.NAME`.
    fn attribute_names(_file: &File, _most: usize) -> Result<Vec<u8>, Errno> {
        Err(Errno::NOSYS)
    }

    /// The value of an extended attribute.
    fn attribute(_file: &File, _name: &[u8], _most: usize) -> Result<Vec<u8>, Errno> {
        Err(Errno::NOSYS)
    }

    /// Sets an extended attribute.
    fn set_attribute(_file: impl AsFd, _name: &[u8], _value: &[u8]) -> Result<(), Errno> {
        Err(Errno::NOTSUP)
    }

    /// Whether there is [`sync_all`](Self::sync_all).
    const SYNCS_ALL: bool = false;

    /// Flushes the whole file system of a folder, and waits until that is done.
    fn sync_all(_folder: &OwnedFd) -> Result<(), Errno> {
        Err(Errno::NOSYS)
    }

    /// Gives the owner all permissions for a folder.
    fn make_accessible(folder: &OwnedFd, name: &OsStr) -> Result<(), Errno> {
        rustix::fs::chmodat(folder, name, Mode::RWXU, AtFlags::empty())
    }
}
