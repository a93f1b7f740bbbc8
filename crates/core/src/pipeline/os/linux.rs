//! Calls of Linux beyond POSIX.

use super::system::System;
use rustix::fs::{AtFlags, CWD, FallocateFlags, Mode, OFlags, RenameFlags};
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

    fn rename_new(folder: &OwnedFd, from: &OsStr, to: &OsStr) -> Result<(), Errno> {
        rustix::fs::renameat_with(folder, from, folder, to, RenameFlags::NOREPLACE)
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
}

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
