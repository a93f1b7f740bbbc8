//! The calls for trees of files.

use super::super::{Folder, Opened, Stat};
use super::unsupported;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

pub(in crate::pipeline) fn path_of(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}

pub(in crate::pipeline) fn open_to_list(_: &Path) -> io::Result<Folder> {
    unsupported()
}

pub(in crate::pipeline) fn open_below(folder: &Folder, _: &[u8]) -> io::Result<Folder> {
    match *folder.0 {}
}

pub(in crate::pipeline) fn open_to_read(folder: &Folder, _: &[u8]) -> io::Result<File> {
    match *folder.0 {}
}

pub(in crate::pipeline) fn stat_name(folder: &Folder, _: &[u8]) -> io::Result<Stat> {
    match *folder.0 {}
}

pub(in crate::pipeline) fn stat_opened(_: Opened<'_>) -> io::Result<Stat> {
    unsupported()
}

pub(in crate::pipeline) fn list(folder: &Folder, _: impl FnMut(&[u8])) -> io::Result<()> {
    match *folder.0 {}
}

pub(in crate::pipeline) fn read_link(folder: &Folder, _: &[u8], _: Vec<u8>) -> io::Result<Vec<u8>> {
    match *folder.0 {}
}

pub(in crate::pipeline) fn regions(_: &File, _: u64, _: usize) -> io::Result<Option<Vec<Range<u64>>>> {
    unsupported()
}

pub(in crate::pipeline) fn attribute_names(_: &File, _: usize) -> io::Result<Vec<u8>> {
    unsupported()
}

pub(in crate::pipeline) fn attribute(_: &File, _: &[u8], _: usize) -> io::Result<Option<Vec<u8>>> {
    unsupported()
}

pub(in crate::pipeline) fn set_attribute(_: Opened<'_>, _: &[u8], _: &[u8]) -> io::Result<()> {
    unsupported()
}

pub(in crate::pipeline) fn owner_files() -> [Vec<u8>; 2] {
    Default::default()
}

pub(in crate::pipeline) fn make_folder(folder: &Folder, _: &[u8], _: u32) -> io::Result<()> {
    match *folder.0 {}
}

pub(in crate::pipeline) fn make_file(folder: &Folder, _: &[u8], _: u32) -> io::Result<File> {
    match *folder.0 {}
}

pub(in crate::pipeline) fn make_symbolic_link(folder: &Folder, _: &[u8], _: &[u8]) -> io::Result<()> {
    match *folder.0 {}
}

pub(in crate::pipeline) fn make_hard_link(from: (&Folder, &[u8]), _: (&Folder, &[u8])) -> io::Result<bool> {
    match *from.0.0 {}
}

pub(in crate::pipeline) fn write_part(_: &File, _: &[u8], _: u64) -> io::Result<usize> {
    unsupported()
}

pub(in crate::pipeline) fn read_part(_: &File, _: &mut [u8], _: u64) -> io::Result<usize> {
    unsupported()
}

pub(in crate::pipeline) fn set_all_bits(_: Opened<'_>, _: u32) -> io::Result<()> {
    unsupported()
}

pub(in crate::pipeline) fn set_owner_of(_: Opened<'_>, _: u32, _: u32) -> io::Result<()> {
    unsupported()
}

pub(in crate::pipeline) fn set_modified(_: Opened<'_>, _: (i64, u32)) -> io::Result<()> {
    unsupported()
}

pub(in crate::pipeline) fn set_link_modified(folder: &Folder, _: &[u8], _: (i64, u32)) -> io::Result<()> {
    match *folder.0 {}
}

pub(in crate::pipeline) fn set_link_owner(folder: &Folder, _: &[u8], _: u32, _: u32) -> io::Result<()> {
    match *folder.0 {}
}

pub(in crate::pipeline) fn sync_all(folder: &Folder) -> io::Result<bool> {
    match *folder.0 {}
}

pub(in crate::pipeline) fn move_new(from: (&Folder, &[u8]), _: (&Folder, &[u8])) -> io::Result<bool> {
    match *from.0.0 {}
}

pub(in crate::pipeline) fn move_over(from: (&Folder, &[u8]), _: (&Folder, &[u8])) -> io::Result<()> {
    match *from.0.0 {}
}

pub(in crate::pipeline) fn remove_name(folder: &Folder, _: &[u8]) -> io::Result<bool> {
    match *folder.0 {}
}

pub(in crate::pipeline) fn remove_folder(folder: &Folder, _: &[u8]) -> io::Result<()> {
    match *folder.0 {}
}

pub(in crate::pipeline) fn make_accessible(folder: &Folder, _: &[u8]) -> io::Result<()> {
    match *folder.0 {}
}

pub(in crate::pipeline) const SYNCS_ALL: bool = false;
