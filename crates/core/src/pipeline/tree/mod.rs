//! Trees of files, for archives: [`Walk`] reads one, and [`Plant`] makes one. Neither knows the format of an archive.
//!
//! Paths of members are bytes with `/` between their components, relative to the tree. Both work beneath open folders and follow no
//! symbolic link, so nothing outside of the tree is read or made, whatever other processes do meanwhile.

mod beneath;
mod folders;
mod merge;
mod owners;
mod plant;
mod read;
mod walk;

pub(crate) use std::fs::File;
pub(crate) use {
    beneath::is_within,
    owners::Owners,
    plant::{Existing, Finish, Finished, Held, Parent, Plant, PlantOptions, Planted},
    read::{attributes, read_at, regions},
    walk::{Found, Kind, Left, Meta, Place, Root, Step, Walk, WalkOptions},
};

/// A path of a member as the system has paths.
pub(crate) fn path_of(path: &[u8]) -> std::path::PathBuf {
    super::os::path_of(path)
}
