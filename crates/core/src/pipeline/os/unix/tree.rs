//! The calls for trees of files. Names and targets of links are bytes, and each name belongs to an open folder: no call here
//! follows a symbolic link, except those that open the path of a caller.

use super::super::system::System;
use super::super::{Folder, Opened, Stat};
use super::{This, is_supported};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, RawMode, Timespec, Timestamps, UTIME_OMIT};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{Gid, Uid};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

impl AsFd for Opened<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::File(file) => file.as_fd(),
            Self::Folder(folder) => folder.0.as_fd(),
        }
    }
}

fn to_mode(bits: u32) -> Mode {
    Mode::from_raw_mode(RawMode::try_from(bits & 0o7777).expect("os: twelve bits fit"))
}

/// The modification time alone. Some larger numbers of nanoseconds have other meanings.
fn to_times((seconds, nanoseconds): (i64, u32)) -> Timestamps {
    Timestamps {
        last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
        last_modification: Timespec { tv_sec: seconds, tv_nsec: nanoseconds.min(999_999_999).into() },
    }
}

/// The path that bytes name.
pub(in crate::pipeline) fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}

/// Opens a folder to list it, following links.
pub(in crate::pipeline) fn open_to_list(path: &Path) -> io::Result<Folder> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(Folder::from(rustix::fs::openat(CWD, path, flags, Mode::empty())?))
}

/// Opens the folder of a name in a folder, to list it and to make files in it.
pub(in crate::pipeline) fn open_below(folder: &Folder, name: &[u8]) -> io::Result<Folder> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(Folder::from(rustix::fs::openat(&folder.0, name, flags, Mode::empty())?))
}

/// Opens the file or folder of a name for reading, without waiting.
pub(in crate::pipeline) fn open_to_read(folder: &Folder, name: &[u8]) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(&folder.0, name, flags, Mode::empty())?.into())
}

/// Metadata of the file of a name.
pub(in crate::pipeline) fn stat_name(folder: &Folder, name: &[u8]) -> io::Result<Stat> {
    Ok(Stat::from(&rustix::fs::statat(&folder.0, name, AtFlags::SYMLINK_NOFOLLOW)?))
}

/// Metadata of an open file or folder.
pub(in crate::pipeline) fn stat_opened(opened: Opened<'_>) -> io::Result<Stat> {
    Ok(Stat::from(&rustix::fs::fstat(opened)?))
}

/// Calls `each` with every name in a folder, except `.` and `..`. After an error, names may be missing.
pub(in crate::pipeline) fn list(folder: &Folder, mut each: impl FnMut(&[u8])) -> io::Result<()> {
    let each = |name: &[u8]| {
        if !matches!(name, b"." | b"..") {
            each(name);
        }
    };
    Ok(This::list(&folder.0, each)?)
}

/// Reads the target of a symbolic link into `buffer`, which is used again.
pub(in crate::pipeline) fn read_link(folder: &Folder, name: &[u8], buffer: Vec<u8>) -> io::Result<Vec<u8>> {
    Ok(rustix::fs::readlinkat(&folder.0, name, buffer)?.into_bytes())
}

/// The errors of systems and file systems without holes. On Linux, two of these are the same number.
const HAS_NO_HOLES: [Errno; 4] = [Errno::INVAL, Errno::NOTSUP, Errno::OPNOTSUPP, Errno::NOSYS];
/// The errors of systems and file systems without extended attributes, or without those of users.
const HAS_NO_ATTRIBUTES: [Errno; 4] = [Errno::NOTSUP, Errno::OPNOTSUPP, Errno::NOSYS, Errno::PERM];

/// The parts of a file that are no holes, up to its length `len`; `None` if there are more than `most`. Where holes cannot be
/// asked for, the whole file is one part. It moves the position of the descriptor.
pub(in crate::pipeline) fn regions(file: &File, len: u64, most: usize) -> io::Result<Option<Vec<Range<u64>>>> {
    let mut regions: Vec<Range<u64>> = Vec::new();
    let mut at = 0;
    while at < len {
        let start = match This::seek_data(file, at) {
            Ok(start) if start < len => start,
            // Only a hole is left.
            Ok(_) | Err(Errno::NXIO) => break,
            Err(error) if HAS_NO_HOLES.contains(&error) => at,
            Err(error) => return Err(error.into()),
        };
        let end = match This::seek_hole(file, start) {
            Ok(end) => end.min(len),
            // The file became shorter. Whoever reads the part notices.
            Err(error) if error == Errno::NXIO || HAS_NO_HOLES.contains(&error) => len,
            Err(error) => return Err(error.into()),
        };
        if end <= start {
            // No system does that; with it, the loop would not end.
            return Err(io::ErrorKind::InvalidData.into());
        }
        if regions.len() == most {
            return Ok(None);
        }
        regions.push(start..end);
        at = end;
    }
    Ok(Some(regions))
}

/// The names of the extended attributes of an open file, each followed by NUL; empty if the system or the file system has none.
pub(in crate::pipeline) fn attribute_names(file: &File, most: usize) -> io::Result<Vec<u8>> {
    match This::attribute_names(file, most) {
        Err(error) if HAS_NO_ATTRIBUTES.contains(&error) => Ok(Vec::new()),
        names => Ok(names?),
    }
}

/// The value of an extended attribute of at most `most` bytes; `None` if there is no such attribute any more.
pub(in crate::pipeline) fn attribute(file: &File, name: &[u8], most: usize) -> io::Result<Option<Vec<u8>>> {
    match This::attribute(file, name, most) {
        Ok(value) => Ok(Some(value)),
        Err(error) if error == NO_ATTRIBUTE => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
const NO_ATTRIBUTE: Errno = Errno::NODATA;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const NO_ATTRIBUTE: Errno = Errno::NOENT;

/// Sets an extended attribute.
pub(in crate::pipeline) fn set_attribute(opened: Opened<'_>, name: &[u8], value: &[u8]) -> io::Result<()> {
    Ok(This::set_attribute(opened, name, value)?)
}

/// The files that name users and groups. One that cannot be read is empty.
pub(in crate::pipeline) fn owner_files() -> [Vec<u8>; 2] {
    ["/etc/passwd", "/etc/group"].map(|path| {
        let mut text = Vec::new();
        let read = File::open(path).and_then(|file| file.take(OWNERS_MAX_LEN).read_to_end(&mut text));
        if read.is_ok() { text } else { Vec::new() }
    })
}

/// The most bytes of such a file that are read.
const OWNERS_MAX_LEN: u64 = 1 << 24;

/// Makes a folder under an unused name, with `mode` without the bits of the umask.
pub(in crate::pipeline) fn make_folder(folder: &Folder, name: &[u8], mode: u32) -> io::Result<()> {
    Ok(rustix::fs::mkdirat(&folder.0, name, to_mode(mode))?)
}

/// Creates a file under an unused name for writing, with `mode` without the bits of the umask.
pub(in crate::pipeline) fn make_file(folder: &Folder, name: &[u8], mode: u32) -> io::Result<File> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::WRONLY | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(&folder.0, name, flags, to_mode(mode))?.into())
}

/// Makes a symbolic link under an unused name.
pub(in crate::pipeline) fn make_symbolic_link(folder: &Folder, name: &[u8], target: &[u8]) -> io::Result<()> {
    Ok(rustix::fs::symlinkat(target, &folder.0, name)?)
}

/// Gives a file another, unused name. `false` if the file system has no links.
pub(in crate::pipeline) fn make_hard_link(from: (&Folder, &[u8]), to: (&Folder, &[u8])) -> io::Result<bool> {
    is_supported(rustix::fs::linkat(&from.0.0, from.1, &to.0.0, to.1, AtFlags::empty()))
}

/// Writes once at an offset; returns the number of bytes.
pub(in crate::pipeline) fn write_part(file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
    Ok(rustix::io::pwrite(file, bytes, offset)?)
}

/// Reads once at an offset; returns the number of bytes.
pub(in crate::pipeline) fn read_part(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    Ok(rustix::io::pread(file, bytes, offset)?)
}

/// Sets the twelve bits of the mode.
pub(in crate::pipeline) fn set_all_bits(opened: Opened<'_>, mode: u32) -> io::Result<()> {
    Ok(rustix::fs::fchmod(opened, to_mode(mode))?)
}

/// Sets the owner and the group.
pub(in crate::pipeline) fn set_owner_of(opened: Opened<'_>, owner: u32, group: u32) -> io::Result<()> {
    // The largest number means "unchanged", and rustix panics at it.
    let of = |id: u32| (id != u32::MAX).then_some(id);
    Ok(rustix::fs::fchown(opened, of(owner).map(Uid::from_raw), of(group).map(Gid::from_raw))?)
}

/// Sets the modification time in seconds and nanoseconds.
pub(in crate::pipeline) fn set_modified(opened: Opened<'_>, modified: (i64, u32)) -> io::Result<()> {
    Ok(rustix::fs::futimens(opened, &to_times(modified))?)
}

/// Sets the modification time of a symbolic link.
pub(in crate::pipeline) fn set_link_modified(folder: &Folder, name: &[u8], modified: (i64, u32)) -> io::Result<()> {
    Ok(rustix::fs::utimensat(&folder.0, name, &to_times(modified), AtFlags::SYMLINK_NOFOLLOW)?)
}

/// Sets the owner and the group of a symbolic link.
pub(in crate::pipeline) fn set_link_owner(folder: &Folder, name: &[u8], owner: u32, group: u32) -> io::Result<()> {
    let of = |id: u32| (id != u32::MAX).then_some(id);
    let (owner, group) = (of(owner).map(Uid::from_raw), of(group).map(Gid::from_raw));
    Ok(rustix::fs::chownat(&folder.0, name, owner, group, AtFlags::SYMLINK_NOFOLLOW)?)
}

/// Flushes the whole file system of a folder. `false` if the system cannot do that, or does not wait until it is done.
pub(in crate::pipeline) fn sync_all(folder: &Folder) -> io::Result<bool> {
    match retry_on_intr(|| This::sync_all(&folder.0)) {
        Ok(()) => Ok(true),
        Err(Errno::NOSYS) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Whether [`sync_all`] flushes anything, so that no file has to be flushed by itself.
pub(in crate::pipeline) const SYNCS_ALL: bool = This::SYNCS_ALL;

/// Renames to an unused name. `false` if the system or the file system cannot do that in one call.
pub(in crate::pipeline) fn move_new(from: (&Folder, &[u8]), to: (&Folder, &[u8])) -> io::Result<bool> {
    is_supported(This::rename_new(&from.0.0, OsStr::from_bytes(from.1), &to.0.0, OsStr::from_bytes(to.1)))
}

/// Renames, replacing an existing file.
pub(in crate::pipeline) fn move_over(from: (&Folder, &[u8]), to: (&Folder, &[u8])) -> io::Result<()> {
    Ok(rustix::fs::renameat(&from.0.0, from.1, &to.0.0, to.1)?)
}

/// Removes a name that is no folder. `false` if it is a folder.
pub(in crate::pipeline) fn remove_name(folder: &Folder, name: &[u8]) -> io::Result<bool> {
    match rustix::fs::unlinkat(&folder.0, name, AtFlags::empty()) {
        Ok(()) => Ok(true),
        // POSIX says PERM of folders, and Linux ISDIR.
        Err(error @ (Errno::PERM | Errno::ISDIR | Errno::ACCESS)) => {
            let stat = rustix::fs::statat(&folder.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
            let is_folder = rustix::fs::FileType::from_raw_mode(stat.st_mode).is_dir();
            if is_folder { Ok(false) } else { Err(error.into()) }
        }
        Err(error) => Err(error.into()),
    }
}

/// Removes an empty folder.
pub(in crate::pipeline) fn remove_folder(folder: &Folder, name: &[u8]) -> io::Result<()> {
    Ok(rustix::fs::unlinkat(&folder.0, name, AtFlags::REMOVEDIR)?)
}

/// Gives the owner all permissions for the folder of a name, which may have none.
pub(in crate::pipeline) fn make_accessible(folder: &Folder, name: &[u8]) -> io::Result<()> {
    Ok(This::make_accessible(&folder.0, OsStr::from_bytes(name))?)
}
