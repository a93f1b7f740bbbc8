//! Calls of macOS beyond POSIX. Its boot id would need `unsafe`, so files of killed processes are not removed there.

use super::system::System;
use rustix::fs::{FallocateFlags, RenameFlags, SeekFrom};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::OwnedFd;

pub(super) struct MacOs;

impl System for MacOs {
    fn rename_new(from: &OwnedFd, old: &OsStr, to: &OwnedFd, new: &OsStr) -> Result<(), Errno> {
        rustix::fs::renameat_with(from, old, to, new, RenameFlags::NOREPLACE)
    }

    fn reserve(file: &File, len: u64) -> Result<(), Errno> {
        rustix::fs::fallocate(file, FallocateFlags::empty(), 0, len)
    }

    fn flush(file: &File) -> Result<(), Errno> {
        // `fsync` alone leaves the bytes in the cache of the disk. Network file systems support nothing else.
        rustix::fs::fcntl_fullfsync(file).or_else(|_| rustix::fs::fsync(file))
    }

    fn seek_data(file: &File, at: u64) -> Result<u64, Errno> {
        rustix::fs::seek(file, SeekFrom::Data(at))
    }

    fn seek_hole(file: &File, at: u64) -> Result<u64, Errno> {
        rustix::fs::seek(file, SeekFrom::Hole(at))
    }
}
