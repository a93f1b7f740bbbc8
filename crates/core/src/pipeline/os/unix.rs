//! The calls of Unix systems: POSIX, and those of the trait `System`.

mod tree;

pub(in crate::pipeline) use tree::*;

use super::system::System;
use super::{FileId, FileKind, Folder, Ready, Stat};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, RawMode};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{Gid, Uid};
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

#[cfg(target_os = "linux")]
use super::linux::Linux as This;
#[cfg(target_os = "macos")]
use super::macos::MacOs as This;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
struct This;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
impl System for This {}

/// The content of a [`Folder`].
pub(super) type Handle = OwnedFd;

impl From<OwnedFd> for Folder {
    fn from(folder: OwnedFd) -> Self {
        Self(Arc::new(folder))
    }
}

impl From<&rustix::fs::Stat> for FileId {
    fn from(stat: &rustix::fs::Stat) -> Self {
        Stat::from(stat).id
    }
}

impl From<&Metadata> for FileId {
    fn from(metadata: &Metadata) -> Self {
        Self { device: metadata.dev(), inode: metadata.ino() }
    }
}

impl From<&rustix::fs::Stat> for Stat {
    // The types of these fields differ between systems; they are converted to the types of the standard library.
    #[allow(clippy::cast_lossless, clippy::cast_possible_wrap, clippy::cast_sign_loss, clippy::unnecessary_cast)]
    fn from(stat: &rustix::fs::Stat) -> Self {
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => FileKind::Regular,
            FileType::Directory => FileKind::Folder,
            FileType::Fifo => FileKind::Fifo,
            FileType::Socket => FileKind::Socket,
            FileType::CharacterDevice => FileKind::CharacterDevice,
            FileType::BlockDevice => FileKind::BlockDevice,
            FileType::Symlink => FileKind::SymbolicLink,
            FileType::Unknown => FileKind::Other,
        };
        Self {
            id: FileId { device: stat.st_dev as u64, inode: stat.st_ino as u64 },
            kind,
            mode: stat.st_mode as u32 & 0o777,
            special: stat.st_mode as u32 & 0o7000,
            owner: stat.st_uid as u32,
            group: stat.st_gid as u32,
            links: stat.st_nlink as u64,
            len: stat.st_size as u64,
            allocated: (stat.st_blocks as u64).saturating_mul(512),
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            device: stat.st_rdev as u64,
        }
    }
}

/// Converts permission bits.
fn to_mode(bits: u32) -> Mode {
    Mode::from_raw_mode(RawMode::try_from(bits & 0o777).expect("os: nine bits fit"))
}

/// Metadata of the file at a path, following links.
pub(in crate::pipeline) fn stat_path(path: &Path) -> io::Result<Stat> {
    Ok(Stat::from(&rustix::fs::stat(path)?))
}

/// Metadata of an open file.
pub(in crate::pipeline) fn stat(file: &File) -> io::Result<Stat> {
    Ok(Stat::from(&rustix::fs::fstat(file)?))
}

/// Metadata of the file of a name in a folder, without following links.
pub(in crate::pipeline) fn stat_in(folder: &Folder, name: &OsStr) -> io::Result<Stat> {
    Ok(Stat::from(&rustix::fs::statat(&folder.0, name, AtFlags::SYMLINK_NOFOLLOW)?))
}

/// The identity of a folder.
pub(in crate::pipeline) fn folder_id(folder: &Folder) -> io::Result<FileId> {
    Ok(FileId::from(&rustix::fs::fstat(&folder.0)?))
}

/// Opens a folder, following links.
pub(in crate::pipeline) fn open_folder(path: &Path) -> io::Result<Folder> {
    let open = |more| rustix::fs::open(path, OFlags::DIRECTORY | OFlags::CLOEXEC | more, Mode::empty());
    let folder = match (open(OFlags::RDONLY), This::SEARCH) {
        (Err(Errno::ACCESS), Some(search)) => open(search),
        (opened, _) => opened,
    };
    Ok(Folder::from(folder?))
}

/// The names in a folder. Unreadable entries are skipped.
pub(in crate::pipeline) fn names(folder: &Folder) -> io::Result<impl Iterator<Item = OsString>> {
    let entries = Dir::read_from(&folder.0)?;
    Ok(entries.flatten().map(|entry| OsStr::from_bytes(entry.file_name().to_bytes()).to_owned()))
}

/// Opens the file at a path for reading in non-blocking mode: opening, and each read until [`set_blocking`], fails with
/// [`WouldBlock`](io::ErrorKind::WouldBlock) instead of waiting.
pub(in crate::pipeline) fn open_nonblocking(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

/// Opens the file of a name in a folder for writing, without following links.
pub(in crate::pipeline) fn open_to_write(folder: &Folder, name: &OsStr) -> io::Result<File> {
    Ok(open_existing(folder, name, OFlags::WRONLY)?)
}

/// Like [`open_to_write`] in non-blocking mode: also fails with [`WouldBlock`](io::ErrorKind::WouldBlock) for a FIFO that no
/// process reads from.
pub(in crate::pipeline) fn open_to_write_nonblocking(folder: &Folder, name: &OsStr, is_fifo: bool) -> io::Result<File> {
    match open_existing(folder, name, OFlags::WRONLY | OFlags::NONBLOCK) {
        // For other files, it means that the device does not exist.
        Err(Errno::NXIO) if is_fifo => Err(Errno::AGAIN.into()),
        opened => Ok(opened?),
    }
}

/// Opens the file of a name in a folder to [`lock`] it, without following links and without waiting.
pub(in crate::pipeline) fn open_to_lock(folder: &Folder, name: &OsStr) -> io::Result<File> {
    Ok(open_existing(folder, name, OFlags::RDWR | OFlags::NONBLOCK)?)
}

fn open_existing(folder: &Folder, name: &OsStr, flags: OFlags) -> Result<File, Errno> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
    rustix::fs::openat(&folder.0, name, flags, Mode::empty()).map(File::from)
}

/// Creates a file under an unused name, with `mode` without the bits of the umask.
pub(in crate::pipeline) fn create(folder: &Folder, name: &OsStr, mode: u32) -> io::Result<File> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(&folder.0, name, flags, to_mode(mode))?.into())
}

/// Creates a file without a name, with `mode` without the bits of the umask; `None` if that is not supported, or if
/// [`link_unnamed`] could not name it.
pub(in crate::pipeline) fn create_unnamed(folder: &Folder, mode: u32) -> Option<File> {
    This::create_unnamed(&folder.0, to_mode(mode)).map(File::from)
}

/// Gives an unnamed file an unused name.
pub(in crate::pipeline) fn link_unnamed(file: &File, folder: &Folder, name: &OsStr) -> io::Result<()> {
    Ok(This::link_unnamed(file, &folder.0, name)?)
}

/// Gives a file a second, unused name. `false` if the file system has no links.
pub(in crate::pipeline) fn link(folder: &Folder, from: &OsStr, to: &OsStr) -> io::Result<bool> {
    is_supported(rustix::fs::linkat(&folder.0, from, &folder.0, to, AtFlags::empty()))
}

/// Renames a file to an unused name. `false` if the system or the file system cannot do that in one call.
pub(in crate::pipeline) fn rename_new(folder: &Folder, from: &OsStr, to: &OsStr) -> io::Result<bool> {
    is_supported(This::rename_new(&folder.0, from, &folder.0, to))
}

/// Converts the result of a call that may not be supported: `false` for the errors of file systems and of system call filters
/// that do not have it.
fn is_supported(called: Result<(), Errno>) -> io::Result<bool> {
    match called {
        Ok(()) => Ok(true),
        Err(Errno::PERM | Errno::ACCESS | Errno::NOTSUP | Errno::NOSYS | Errno::MLINK | Errno::INVAL) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Renames a file, replacing an existing one.
pub(in crate::pipeline) fn rename(folder: &Folder, from: &OsStr, to: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::renameat(&folder.0, from, &folder.0, to)?)
}

/// Removes a name.
pub(in crate::pipeline) fn remove(folder: &Folder, name: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::unlinkat(&folder.0, name, AtFlags::empty())?)
}

/// Locks a file exclusively while it is open; `false` if another process has locked it.
pub(in crate::pipeline) fn lock(file: &File) -> io::Result<bool> {
    lock_opened(file)
}

/// Locks a folder exclusively while it is open; `false` if another process has locked it.
pub(in crate::pipeline) fn lock_folder(folder: &Folder) -> io::Result<bool> {
    lock_opened(&*folder.0)
}

fn lock_opened(file: impl AsFd) -> io::Result<bool> {
    match rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Reads once at an offset into consecutive slices; returns the number of bytes.
pub(in crate::pipeline) fn read_at(file: &File, slices: &mut [IoSliceMut<'_>], offset: u64) -> io::Result<usize> {
    Ok(rustix::io::preadv(file, slices, offset)?)
}

/// Writes consecutive slices once at an offset; returns the number of bytes.
pub(in crate::pipeline) fn write_at(file: &File, slices: &[IoSlice<'_>], offset: u64) -> io::Result<usize> {
    Ok(rustix::io::pwritev(file, slices, offset)?)
}

/// Waits up to `at_most` until a file in non-blocking mode is ready or at its end. `false` if it is neither.
pub(in crate::pipeline) fn wait(file: &File, ready: Ready, at_most: Duration) -> io::Result<bool> {
    let events = match ready {
        Ready::Read => PollFlags::IN,
        Ready::Write => PollFlags::OUT,
    };
    let at_most = Timespec::try_from(at_most).expect("os: a wait is short");
    match poll(&mut [PollFd::new(file, events)], Some(&at_most)) {
        Ok(0) | Err(Errno::INTR) => Ok(false),
        Ok(_) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

/// Sets a file from non-blocking to blocking mode.
pub(in crate::pipeline) fn set_blocking(file: &File) -> io::Result<()> {
    Ok(rustix::fs::fcntl_setfl(file, OFlags::empty())?)
}

/// Extends a file to `len` bytes and reserves their disk space, so that a full disk is detected before the work. Does nothing
/// if the file system cannot reserve space.
pub(in crate::pipeline) fn reserve(file: &File, len: u64) -> io::Result<()> {
    // On Linux, two of these are the same number.
    const CANNOT: [Errno; 4] = [Errno::OPNOTSUPP, Errno::NOTSUP, Errno::NOSYS, Errno::INVAL];
    if len == 0 {
        return Ok(());
    }
    match retry_on_intr(|| This::reserve(file, len)) {
        Err(error) if !CANNOT.contains(&error) => Err(error.into()),
        _ => Ok(()),
    }
}

/// Sets the permission bits of a file.
pub(in crate::pipeline) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    Ok(rustix::fs::fchmod(file, to_mode(mode))?)
}

/// Sets the group of a file, and its owner if given.
pub(in crate::pipeline) fn set_owner(file: &File, owner: Option<u32>, group: u32) -> io::Result<()> {
    Ok(rustix::fs::fchown(file, owner.map(Uid::from_raw), Some(Gid::from_raw(group)))?)
}

/// The effective user ID of this process; 0 is root.
pub(in crate::pipeline) fn effective_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Flushes the content of a file, so that it survives a power failure.
pub(in crate::pipeline) fn sync(file: &File) -> io::Result<()> {
    Ok(retry_on_intr(|| This::flush(file))?)
}

/// Flushes the names in a folder, so that they survive a power failure.
pub(in crate::pipeline) fn sync_folder(folder: &Folder) -> io::Result<()> {
    match retry_on_intr(|| rustix::fs::fsync(&folder.0)) {
        // Some file systems cannot flush folders, nor can folders opened with search permission only be flushed.
        Ok(()) | Err(Errno::INVAL | Errno::BADF | Errno::NOTSUP) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Closes a file and returns an error if that failed, which the standard library ignores.
pub(in crate::pipeline) fn close(file: File) -> io::Result<()> {
    Ok(nix::unistd::close(file)?)
}

/// The id of the current boot of the system, in hexadecimal digits; `None` if the system has none.
pub(in crate::pipeline) fn boot_id() -> Option<String> {
    This::boot_id()
}
