//! The modes and times that folders get at the end, in little memory: a folder takes 32 bytes and the part of its path that
//! differs from the one before.

use super::super::os::{self, Opened};
use super::beneath::Beneath;
use std::io;

/// What a folder gets at the end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Last {
    pub(super) mode: u16,
    pub(super) modified: (i64, u32),
    pub(super) owner: Option<(u32, u32)>,
}

/// Folders in the order of their paths. They are taken in the reverse order, so that each comes after what is in it.
#[derive(Default)]
pub(super) struct Folders {
    /// The path of the last one.
    path: Vec<u8>,
    /// For each folder the end of the path before it, which its own path does not have.
    ends: Vec<u8>,
    all: Vec<Remembered>,
    /// Of those that have an owner.
    owners: Vec<(u32, u32)>,
}

struct Remembered {
    seconds: i64,
    nanoseconds: u32,
    /// The length of what the path has in common with the one before.
    shared: u16,
    /// The length of the end in `ends`.
    end_len: u16,
    mode: u16,
    has_owner: bool,
}

impl Folders {
    pub(super) fn push(&mut self, path: &[u8], last: Last) {
        let shared = self.path.iter().zip(path).take_while(|(a, b)| a == b).count();
        let len = |len: usize| u16::try_from(len).expect("folders: a path has at most 4,096 bytes");
        self.ends.extend_from_slice(&self.path[shared..]);
        self.all.push(Remembered {
            seconds: last.modified.0,
            nanoseconds: last.modified.1,
            shared: len(shared),
            end_len: len(self.path.len() - shared),
            mode: last.mode,
            has_owner: last.owner.is_some(),
        });
        self.owners.extend(last.owner);
        self.path.truncate(shared);
        self.path.extend_from_slice(&path[shared..]);
    }

    /// The last folder that is left.
    fn pop(&mut self) -> Option<(Vec<u8>, Last)> {
        let one = self.all.pop()?;
        let path = self.path.clone();
        self.path.truncate(usize::from(one.shared));
        let end = self.ends.len() - usize::from(one.end_len);
        self.path.extend(self.ends.drain(end..));
        let owner = if one.has_owner { self.owners.pop() } else { None };
        Some((path, Last { mode: one.mode, modified: (one.seconds, one.nanoseconds), owner }))
    }

    /// Gives all folders their owners, modes and times. After an error, it returns the path with the action that failed.
    pub(super) fn apply(
        &mut self,
        beneath: &mut Beneath,
        sync: bool,
    ) -> Result<(), (Vec<u8>, &'static str, io::Error)> {
        while let Some((path, last)) = self.pop() {
            let applied = beneath.open(&path).map_err(|error| ("open", error)).and_then(|folder| {
                set(Opened::Folder(folder), last)?;
                if sync { os::sync_folder(folder).map_err(|error| ("sync", error)) } else { Ok(()) }
            });
            applied.map_err(|(action, error)| (path, action, error))?;
        }
        Ok(())
    }
}

/// Gives a folder its owner, mode and time. A set-group-ID bit that it got from the folder around it stays.
pub(super) fn set(folder: Opened<'_>, last: Last) -> Result<(), (&'static str, io::Error)> {
    if let Some((owner, group)) = last.owner {
        os::set_owner_of(folder, owner, group).map_err(|error| ("set the owner of", error))?;
    }
    let inherited = os::stat_opened(folder).map_err(|error| ("stat", error))?.special & 0o2000;
    os::set_all_bits(folder, u32::from(last.mode) | inherited).map_err(|error| ("set the mode of", error))?;
    os::set_modified(folder, last.modified).map_err(|error| ("set the time of", error))
}

#[cfg(test)]
#[path = "folders_tests.rs"]
mod tests;
