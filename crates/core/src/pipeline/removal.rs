//! Removes an unfinished tree, beneath its open folders: no link is followed.

use super::names::Names;
use super::os::{self, FileId, Folder, Opened};
use std::io::{self, ErrorKind};

/// The maximum number of folders within each other. Trees that this crate makes have 257 at most.
const DEPTH_MAX: usize = 300;

struct Level {
    folder: Folder,
    /// Its name in the folder above.
    name: Vec<u8>,
    names: Names,
    next: usize,
}

/// Removes a folder with everything in it, if the name is still that of this folder. It removes as much as it can; the error is the last
/// one.
pub(super) fn remove_tree(parent: &Folder, name: &[u8], id: FileId) -> io::Result<()> {
    let top = Level::enter(parent, name)?;
    if os::folder_id(&top.folder)? != id {
        return Err(ErrorKind::NotFound.into());
    }
    let mut levels = vec![top];
    let mut failed = None;
    while let Some(level) = levels.last_mut() {
        let Some(name) = level.names.get(level.next) else {
            let done = levels.pop().expect("removal: the last level was there");
            let above = levels.last().map_or(parent, |level| &level.folder);
            failed = os::remove_folder(above, &done.name).err().or(failed);
            continue;
        };
        level.next += 1;
        match os::remove_name(&level.folder, name) {
            Ok(true) => {}
            Ok(false) => match Level::enter(&level.folder, name) {
                Ok(below) if levels.len() < DEPTH_MAX => levels.push(below),
                Ok(_) => failed = Some(ErrorKind::DirectoryNotEmpty.into()),
                Err(error) => failed = Some(error),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => failed = Some(error),
        }
    }
    failed.map_or(Ok(()), Err)
}

impl Level {
    /// Opens a folder and gives this process all permissions for it, since an archive may have taken them.
    fn enter(parent: &Folder, name: &[u8]) -> io::Result<Self> {
        let folder = match os::open_below(parent, name) {
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                os::make_accessible(parent, name)?;
                os::open_below(parent, name)?
            }
            opened => opened?,
        };
        if os::stat_opened(Opened::Folder(&folder))?.mode & 0o700 != 0o700 {
            os::set_all_bits(Opened::Folder(&folder), 0o700)?;
        }
        let (names, _) = Names::of(&folder);
        Ok(Self { folder, name: name.to_vec(), names, next: 0 })
    }
}
