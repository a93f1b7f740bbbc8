//! Moves a finished tree over an existing one, beneath open folders of both.

use super::super::names::Names;
use super::super::os::{self, FileId, FileKind, Folder};
use std::io::{self, ErrorKind};

struct Level {
    from: Folder,
    to: Folder,
    names: Names,
    next: usize,
    /// The length of its path.
    path_len: usize,
}

/// Whether [`merge`] only looks for what would fail, or moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Check,
    /// The folders in which names changed are flushed if `sync`.
    Move {
        sync: bool,
    },
}

/// Goes through the tree in `from`. A folder that is also in `to` is merged with it; anything else moves with one rename, and a
/// file or link replaces a file or link, unless `check` refuses the one that is there. A folder in the place of a file, or the reverse, is
/// an error. After an error, it returns the path.
pub(super) fn merge(
    from: &Folder,
    to: &Folder,
    act: Act,
    check: impl Fn(FileId) -> io::Result<()>,
) -> Result<(), (Vec<u8>, io::Error)> {
    let mut path = Vec::new();
    merge_along(from, to, act, check, &mut path).map_err(|error| (path, error))
}

fn merge_along(
    from: &Folder,
    to: &Folder,
    act: Act,
    check: impl Fn(FileId) -> io::Result<()>,
    path: &mut Vec<u8>,
) -> io::Result<()> {
    let mut levels = vec![Level::enter(from.clone(), to.clone(), 0)?];
    while let Some(level) = levels.last_mut() {
        path.truncate(level.path_len);
        let Some(name) = level.names.get(level.next) else {
            if act == (Act::Move { sync: true }) {
                os::sync_folder(&level.to)?;
            }
            levels.pop();
            continue;
        };
        level.next += 1;
        if level.path_len > 0 {
            path.push(b'/');
        }
        path.extend_from_slice(name);
        let is_folder = os::stat_name(&level.from, name)?.kind == FileKind::Folder;
        let existing = match os::stat_name(&level.to, name) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            stat => Some(stat?),
        };
        match (is_folder, existing.map(|stat| (stat.kind == FileKind::Folder, stat.id))) {
            (true, Some((true, _))) => {
                let (from, to) = (os::open_below(&level.from, name)?, os::open_below(&level.to, name)?);
                levels.push(Level::enter(from, to, path.len())?);
            }
            (true, Some((false, _))) => return Err(ErrorKind::NotADirectory.into()),
            (false, Some((true, _))) => return Err(ErrorKind::IsADirectory.into()),
            (true, None) | (false, None | Some((false, _))) => {
                if let Some(stat) = existing {
                    check(stat.id)?;
                }
                if act != Act::Check {
                    os::move_over((&level.from, name), (&level.to, name))?;
                }
            }
        }
    }
    Ok(())
}

impl Level {
    fn enter(from: Folder, to: Folder, path_len: usize) -> io::Result<Self> {
        let (names, error) = Names::of(&from);
        error.map_or(Ok(Self { from, to, names, next: 0, path_len }), Err)
    }
}
