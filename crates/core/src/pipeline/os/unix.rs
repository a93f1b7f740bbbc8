//! The calls of Unixes: POSIX, and through `System` what a system has more.

use super::system::System;
use super::{FileId, FileKind, Folder, Ready, Stat};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, RawMode};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{Gid, Uid};
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::OwnedFd;
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

/// What a [`Folder`] holds.
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
    // These numbers have other widths and signs on other systems, and here those that the standard library gives them.
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
            owner: stat.st_uid as u32,
            group: stat.st_gid as u32,
            links: stat.st_nlink as u64,
            len: stat.st_size as u64,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            device: stat.st_rdev as u64,
        }
    }
}

/// Of permission bits.
fn mode_of(bits: u32) -> Mode {
    Mode::from_raw_mode(RawMode::try_from(bits & 0o777).expect("os: nine bits fit"))
}

/// What a path leads to, through links.
pub(in crate::pipeline) fn stat_path(path: &Path) -> io::Result<Stat> {
    Ok(Stat::from(&rustix::fs::stat(path)?))
}

/// What is open.
pub(in crate::pipeline) fn stat(file: &File) -> io::Result<Stat> {
    Ok(Stat::from(&rustix::fs::fstat(file)?))
}

/// What stands under a name, itself and not what a link points to.
pub(in crate::pipeline) fn stat_in(folder: &Folder, name: &OsStr) -> io::Result<Stat> {
    Ok(Stat::from(&rustix::fs::statat(&folder.0, name, AtFlags::SYMLINK_NOFOLLOW)?))
}

/// Which folder it is.
pub(in crate::pipeline) fn folder_id(folder: &Folder) -> io::Result<FileId> {
    Ok(FileId::from(&rustix::fs::fstat(&folder.0)?))
}

/// Opens a folder, which a link may lead to.
pub(in crate::pipeline) fn open_folder(path: &Path) -> io::Result<Folder> {
    let open = |more| rustix::fs::open(path, OFlags::DIRECTORY | OFlags::CLOEXEC | more, Mode::empty());
    let folder = match (open(OFlags::RDONLY), This::SEARCH) {
        (Err(Errno::ACCESS), Some(search)) => open(search),
        (opened, _) => opened,
    };
    Ok(Folder::from(folder?))
}

/// The names in a folder. Those that cannot be read are left out.
pub(in crate::pipeline) fn names(folder: &Folder) -> io::Result<impl Iterator<Item = OsString>> {
    let entries = Dir::read_from(&folder.0)?;
    Ok(entries.flatten().map(|entry| OsStr::from_bytes(entry.file_name().to_bytes()).to_owned()))
}

/// Opens what a path leads to for reading, and does not wait: for what would have to wait, it is
/// [`WouldBlock`](io::ErrorKind::WouldBlock), and so it is of each read until [`wait_always`].
pub(in crate::pipeline) fn open_at_once(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

/// Opens what stands under a name for writing, but no link.
pub(in crate::pipeline) fn open_to_write(folder: &Folder, name: &OsStr) -> io::Result<File> {
    Ok(open_existing(folder, name, OFlags::WRONLY)?)
}

/// As [`open_to_write`], and does not wait: a FIFO that nobody reads from is [`WouldBlock`](io::ErrorKind::WouldBlock) too.
pub(in crate::pipeline) fn open_to_write_at_once(folder: &Folder, name: &OsStr, is_fifo: bool) -> io::Result<File> {
    match open_existing(folder, name, OFlags::WRONLY | OFlags::NONBLOCK) {
        // Of a device it says that there is none.
        Err(Errno::NXIO) if is_fifo => Err(Errno::AGAIN.into()),
        opened => Ok(opened?),
    }
}

/// Opens what stands under a name to [`lock`] it, but no link, and does not wait.
pub(in crate::pipeline) fn open_to_lock(folder: &Folder, name: &OsStr) -> io::Result<File> {
    Ok(open_existing(folder, name, OFlags::RDWR | OFlags::NONBLOCK)?)
}

fn open_existing(folder: &Folder, name: &OsStr, flags: OFlags) -> Result<File, Errno> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
    rustix::fs::openat(&folder.0, name, flags, Mode::empty()).map(File::from)
}

/// Makes a file under a name that nothing has, with what the umask leaves of `mode`.
pub(in crate::pipeline) fn create(folder: &Folder, name: &OsStr, mode: u32) -> io::Result<File> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(&folder.0, name, flags, mode_of(mode))?.into())
}

/// Makes a file that has no name, with what the umask leaves of `mode`; `None` where there are no such files, or where
/// [`link_unnamed`] could not give it one.
pub(in crate::pipeline) fn create_unnamed(folder: &Folder, mode: u32) -> Option<File> {
    This::create_unnamed(&folder.0, mode_of(mode)).map(File::from)
}

/// Gives a file without a name one that nothing has.
pub(in crate::pipeline) fn link_unnamed(file: &File, folder: &Folder, name: &OsStr) -> io::Result<()> {
    Ok(This::link_unnamed(file, &folder.0, name)?)
}

/// Gives a file a second name, that nothing has. `false` where the file system has no links.
pub(in crate::pipeline) fn link(folder: &Folder, from: &OsStr, to: &OsStr) -> io::Result<bool> {
    if_there(rustix::fs::linkat(&folder.0, from, &folder.0, to, AtFlags::empty()))
}

/// Gives a file another name, that nothing has. `false` where the system or the file system cannot do that in one call.
pub(in crate::pipeline) fn rename_new(folder: &Folder, from: &OsStr, to: &OsStr) -> io::Result<bool> {
    if_there(This::rename_new(&folder.0, from, to))
}

/// `false` for what file systems, and filters of system calls, say of a call that they do not have.
fn if_there(called: Result<(), Errno>) -> io::Result<bool> {
    match called {
        Ok(()) => Ok(true),
        Err(Errno::PERM | Errno::ACCESS | Errno::NOTSUP | Errno::NOSYS | Errno::MLINK | Errno::INVAL) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Gives a file another name, whatever has it.
pub(in crate::pipeline) fn rename(folder: &Folder, from: &OsStr, to: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::renameat(&folder.0, from, &folder.0, to)?)
}

/// Removes a name.
pub(in crate::pipeline) fn remove(folder: &Folder, name: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::unlinkat(&folder.0, name, AtFlags::empty())?)
}

/// Locks a file for as long as it is open, for this process alone; `false` when another has it.
pub(in crate::pipeline) fn lock(file: &File) -> io::Result<bool> {
    match rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Reads once, into one slice after the other, from a place on; returns how many bytes.
pub(in crate::pipeline) fn read_at(file: &File, slices: &mut [IoSliceMut<'_>], offset: u64) -> io::Result<usize> {
    Ok(rustix::io::preadv(file, slices, offset)?)
}

/// Writes once, one slice after the other, from a place on; returns how many bytes.
pub(in crate::pipeline) fn write_at(file: &File, slices: &[IoSlice<'_>], offset: u64) -> io::Result<usize> {
    Ok(rustix::io::pwritev(file, slices, offset)?)
}

/// Waits until a file that was opened without waiting is ready, or at its end, but no longer than that. `false` if it is not.
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

/// Makes reads and writes wait of a file that was opened without waiting.
pub(in crate::pipeline) fn wait_always(file: &File) -> io::Result<()> {
    Ok(rustix::fs::fcntl_setfl(file, OFlags::empty())?)
}

/// Makes a file as long as that, so that a full disk is known before the work and not after it. Where the file system cannot
/// reserve, nothing is done.
pub(in crate::pipeline) fn reserve(file: &File, len: u64) -> io::Result<()> {
    // On Linux two of them are one.
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
    Ok(rustix::fs::fchmod(file, mode_of(mode))?)
}

/// Sets the group of a file, and perhaps its owner.
pub(in crate::pipeline) fn set_owner(file: &File, owner: Option<u32>, group: u32) -> io::Result<()> {
    Ok(rustix::fs::fchown(file, owner.map(Uid::from_raw), Some(Gid::from_raw(group)))?)
}

/// Whom the system takes this process for; 0 is root.
pub(in crate::pipeline) fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Returns when the content of a file would outlive a power cut.
pub(in crate::pipeline) fn sync(file: &File) -> io::Result<()> {
    Ok(retry_on_intr(|| This::flush(file))?)
}

/// Returns when the names in a folder would outlive a power cut.
pub(in crate::pipeline) fn sync_folder(folder: &Folder) -> io::Result<()> {
    match retry_on_intr(|| rustix::fs::fsync(&folder.0)) {
        // Some file systems, and folders that may be searched but not read, have nothing to flush.
        Ok(()) | Err(Errno::INVAL | Errno::BADF | Errno::NOTSUP) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Closes a file, and says whether that failed, which the standard library does not.
pub(in crate::pipeline) fn close(file: File) -> io::Result<()> {
    Ok(nix::unistd::close(file)?)
}

/// What is another at each start of the system, in hexadecimal digits; `None` where the system does not say.
pub(in crate::pipeline) fn boot_id() -> Option<String> {
    This::boot_id()
}
