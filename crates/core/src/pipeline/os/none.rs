//! Targets without a file system: no folder or file can be opened, so no other function here is ever called.

mod tree;

pub(in crate::pipeline) use tree::*;

use super::{FileId, Folder, Ready, Stat};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, IoSlice, IoSliceMut};
use std::path::Path;
use std::time::Duration;

/// The content of a [`Folder`], which cannot exist.
#[derive(Debug)]
pub(super) enum Handle {}

fn unsupported<T>() -> io::Result<T> {
    Err(ErrorKind::Unsupported.into())
}

pub(in crate::pipeline) fn stat_path(_: &Path) -> io::Result<Stat> {
    unsupported()
}

pub(in crate::pipeline) fn stat(_: &File) -> io::Result<Stat> {
    unsupported()
}

pub(in crate::pipeline) fn stat_in(folder: &Folder, _: &OsStr) -> io::Result<Stat> {
    match *folder.0 {}
}

pub(in crate::pipeline) fn folder_id(folder: &Folder) -> io::Result<FileId> {
    match *folder.0 {}
}

pub(in crate::pipeline) fn open_folder(_: &Path) -> io::Result<Folder> {
    unsupported()
}

pub(in crate::pipeline) fn names(folder: &Folder) -> io::Result<std::iter::Empty<OsString>> {
    match *folder.0 {}
}

pub(in crate::pipeline) fn open_nonblocking(_: &Path) -> io::Result<File> {
    unsupported()
}

pub(in crate::pipeline) fn open_to_write(folder: &Folder, _: &OsStr) -> io::Result<File> {
    match *folder.0 {}
}

pub(in crate::pipeline) fn open_to_write_nonblocking(folder: &Folder, _: &OsStr, _: bool) -> io::Result<File> {
    match *folder.0 {}
}

pub(in crate::pipeline) fn open_to_lock(folder: &Folder, _: &OsStr) -> io::Result<File> {
    match *folder.0 {}
}

pub(in crate::pipeline) fn create(folder: &Folder, _: &OsStr, _: u32) -> io::Result<File> {
    match *folder.0 {}
}

pub(in crate::pipeline) fn create_unnamed(folder: &Folder, _: u32) -> Option<File> {
    match *folder.0 {}
}

pub(in crate::pipeline) fn link_unnamed(_: &File, folder: &Folder, _: &OsStr) -> io::Result<()> {
    match *folder.0 {}
}

pub(in crate::pipeline) fn link(folder: &Folder, _: &OsStr, _: &OsStr) -> io::Result<bool> {
    match *folder.0 {}
}

pub(in crate::pipeline) fn rename_new(folder: &Folder, _: &OsStr, _: &OsStr) -> io::Result<bool> {
    match *folder.0 {}
}

pub(in crate::pipeline) fn rename(folder: &Folder, _: &OsStr, _: &OsStr) -> io::Result<()> {
    match *folder.0 {}
}

pub(in crate::pipeline) fn remove(folder: &Folder, _: &OsStr) -> io::Result<()> {
    match *folder.0 {}
}

pub(in crate::pipeline) fn lock(_: &File) -> io::Result<bool> {
    unsupported()
}

pub(in crate::pipeline) fn lock_folder(folder: &Folder) -> io::Result<bool> {
    match *folder.0 {}
}

pub(in crate::pipeline) fn read_at(_: &File, _: &mut [IoSliceMut<'_>], _: u64) -> io::Result<usize> {
    unsupported()
}

pub(in crate::pipeline) fn write_at(_: &File, _: &[IoSlice<'_>], _: u64) -> io::Result<usize> {
    unsupported()
}

pub(in crate::pipeline) fn wait(_: &File, _: Ready, _: Duration) -> io::Result<bool> {
    unsupported()
}

pub(in crate::pipeline) fn set_blocking(_: &File) -> io::Result<()> {
    unsupported()
}

pub(in crate::pipeline) fn reserve(_: &File, _: u64) -> io::Result<()> {
    unsupported()
}

pub(in crate::pipeline) fn set_mode(_: &File, _: u32) -> io::Result<()> {
    unsupported()
}

pub(in crate::pipeline) fn set_owner(_: &File, _: Option<u32>, _: u32) -> io::Result<()> {
    unsupported()
}

pub(in crate::pipeline) fn effective_user() -> u32 {
    0
}

pub(in crate::pipeline) fn sync(_: &File) -> io::Result<()> {
    unsupported()
}

pub(in crate::pipeline) fn sync_folder(folder: &Folder) -> io::Result<()> {
    match *folder.0 {}
}

pub(in crate::pipeline) fn close(_: File) -> io::Result<()> {
    unsupported()
}

pub(in crate::pipeline) fn boot_id() -> Option<String> {
    None
}
