//! Calls of Linux beyond POSIX.

use super::system::System;
use rustix::fs::{AtFlags, CWD, FallocateFlags, Mode, OFlags, RawDir, RenameFlags, SeekFrom, XattrFlags};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};

pub(super) struct Linux;

/// Whether /proc is known to be mounted.
static HAS_PROC: AtomicBool = AtomicBool::new(false);

impl System for Linux {
    const SEARCH: Option<OFlags> = Some(OFlags::PATH);

    fn create_unnamed(folder: &OwnedFd, mode: Mode) -> Option<OwnedFd> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let file = rustix::fs::openat(folder, c".", flags, mode).ok()?;
        // Some kernels cannot link the file without /proc. It is assumed to stay mounted, so it is checked once.
        if !HAS_PROC.load(Ordering::Relaxed) {
            rustix::fs::statat(CWD, descriptor_path(&file), AtFlags::empty()).ok()?;
            HAS_PROC.store(true, Ordering::Relaxed);
        }
        Some(file)
    }

    fn link_unnamed(file: &File, folder: &OwnedFd, name: &OsStr) -> Result<(), Errno> {
        match rustix::fs::linkat(file, c"", folder, name, AtFlags::EMPTY_PATH) {
            // Before Linux 6.10, only root may do that.
            Err(Errno::NOENT) => rustix::fs::linkat(CWD, descriptor_path(file), folder, name, AtFlags::SYMLINK_FOLLOW),
            linked => linked,
        }
    }

    fn rename_new(from: &OwnedFd, old: &OsStr, to: &OwnedFd, new: &OsStr) -> Result<(), Errno> {
        rustix::fs::renameat_with(from, old, to, new, RenameFlags::NOREPLACE)
    }

    fn reserve(file: &File, len: u64) -> Result<(), Errno> {
        match free_memory(file)? {
            Some(free) if free < len => Err(Errno::NOSPC),
            Some(_) => Ok(()),
            None => rustix::fs::fallocate(file, FallocateFlags::empty(), 0, len),
        }
    }

    fn boot_id() -> Option<String> {
        std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()
    }

    fn list(folder: &OwnedFd, mut each: impl FnMut(&[u8])) -> Result<(), Errno> {
        // Without the second descriptor that `Dir` opens.
        rustix::fs::seek(folder, SeekFrom::Start(0))?;
        let mut buffer = Vec::with_capacity(LIST_LEN);
        let mut entries = RawDir::new(folder, buffer.spare_capacity_mut());
        while let Some(entry) = entries.next() {
            each(entry?.file_name().to_bytes());
        }
        Ok(())
    }

    fn seek_data(file: &File, at: u64) -> Result<u64, Errno> {
        rustix::fs::seek(file, SeekFrom::Data(at))
    }

    fn seek_hole(file: &File, at: u64) -> Result<u64, Errno> {
        rustix::fs::seek(file, SeekFrom::Hole(at))
    }

    fn attribute_names(file: &File, most: usize) -> Result<Vec<u8>, Errno> {
        // Most files have none, and one call says so.
        let mut few = [0; 256];
        match rustix::fs::flistxattr(file, &mut few[..]) {
            Ok(len) => return Ok(few[..len].to_vec()),
            Err(Errno::RANGE) => {}
            Err(error) => return Err(error),
        }
        let mut names = Vec::with_capacity(most);
        rustix::fs::flistxattr(file, rustix::buffer::spare_capacity(&mut names))?;
        Ok(names)
    }

    fn attribute(file: &File, name: &[u8], most: usize) -> Result<Vec<u8>, Errno> {
        // An empty buffer would ask for the length.
        let mut value = Vec::with_capacity(most.max(1));
        rustix::fs::fgetxattr(file, name, rustix::buffer::spare_capacity(&mut value))?;
        value.shrink_to_fit();
        Ok(value)
    }

    fn set_attribute(file: impl AsFd, name: &[u8], value: &[u8]) -> Result<(), Errno> {
        rustix::fs::fsetxattr(file, name, value, XattrFlags::empty())
    }

    const SYNCS_ALL: bool = true;

    fn sync_all(folder: &OwnedFd) -> Result<(), Errno> {
        rustix::fs::syncfs(folder)
    }

    fn make_accessible(folder: &OwnedFd, name: &OsStr) -> Result<(), Errno> {
        // `fchmodat` would follow a link that was put there. A descriptor with O_PATH needs no permission for the folder.
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = rustix::fs::openat(folder, name, flags, Mode::empty())?;
        rustix::fs::chmodat(CWD, descriptor_path(&opened), Mode::RWXU, AtFlags::empty())
    }
}

/// Bytes of names that one call lists. A name takes 24 bytes over its length.
const LIST_LEN: usize = 32 * 1024;

/// The path of an open file in /proc.
fn descriptor_path(file: &impl AsFd) -> String {
    format!("/proc/self/fd/{}", file.as_fd().as_raw_fd())
}

/// Free bytes on a tmpfs; `None` for any other file system. Reserving space on a tmpfs would allocate every page on one thread,
/// which is most of the work that the workers are about to share (docs/design/pipeline.md), so the free space is compared
/// instead.
fn free_memory(file: &File) -> Result<Option<u64>, Errno> {
    const TMPFS_MAGIC: u64 = 0x0102_1994;
    let fs = rustix::fs::fstatfs(file)?;
    if u64::try_from(fs.f_type).ok() != Some(TMPFS_MAGIC) {
        return Ok(None);
    }
    let block_len = u64::try_from(fs.f_bsize).unwrap_or(0);
    // A tmpfs without a size limit reports no blocks.
    Ok(Some(if fs.f_blocks == 0 { u64::MAX } else { fs.f_bavail.saturating_mul(block_len) }))
}
