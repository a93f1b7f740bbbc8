//! Opens folders beneath one folder, component by component, without following links.

use super::super::os::{self, Folder};
use std::io::{self, ErrorKind};

/// The maximum length of a path in bytes.
pub(super) const PATH_LEN_MAX: usize = 4096;
/// The maximum number of components of a path.
pub(super) const DEPTH_MAX: usize = 256;

/// The last component of a path.
pub(super) fn name_of(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
}

/// The number of components of a path.
pub(super) fn components(path: &[u8]) -> usize {
    if path.is_empty() { 0 } else { path.split(|byte| *byte == b'/').count() }
}

/// The folder of a path, empty if that is the top, and the last component.
pub(super) fn split(path: &[u8]) -> io::Result<(&[u8], &[u8])> {
    let name = name_of(path);
    check_component(name)?;
    if path.len() > PATH_LEN_MAX || components(path) > DEPTH_MAX {
        return Err(ErrorKind::InvalidInput.into());
    }
    match path[..path.len() - name.len()].strip_suffix(b"/") {
        None => Ok((&[], name)),
        // The path begins with `/`.
        Some(b"") => Err(ErrorKind::InvalidInput.into()),
        Some(folder) => Ok((folder, name)),
    }
}

/// Refuses components that would lead elsewhere. Callers have checked their paths, but nothing depends on that.
fn check_component(name: &[u8]) -> io::Result<()> {
    match name {
        b"" | b"." | b".." => Err(ErrorKind::InvalidInput.into()),
        name if name.contains(&0) => Err(ErrorKind::InvalidInput.into()),
        _ => Ok(()),
    }
}

/// Open folders on the way to the folder that was opened last. Paths in order share most of their way.
pub(super) struct Beneath {
    top: Folder,
    /// The path of the last level.
    path: Vec<u8>,
    /// The length of the path of each open folder below the top, and the folder.
    levels: Vec<(usize, Folder)>,
}

impl Beneath {
    pub(super) fn new(top: Folder) -> Self {
        Self { top, path: Vec::new(), levels: Vec::new() }
    }

    /// Opens a folder; the empty path is the top.
    pub(super) fn open(&mut self, path: &[u8]) -> io::Result<&Folder> {
        self.open_or(path, |_, _| Err(ErrorKind::NotFound.into()))
    }

    /// Opens a folder, and calls `make` with the parent and the path of each folder that is missing.
    pub(super) fn open_or(
        &mut self,
        path: &[u8],
        mut make: impl FnMut(&Folder, &[u8]) -> io::Result<()>,
    ) -> io::Result<&Folder> {
        while self.levels.pop_if(|(len, _)| !is_within(path, &self.path[..*len])).is_some() {}
        let mut len = self.levels.last().map_or(0, |(len, _)| *len);
        while len < path.len() {
            let start = if len == 0 { 0 } else { len + 1 };
            let name = path[start..].split(|byte| *byte == b'/').next().unwrap_or_default();
            check_component(name)?;
            let above = self.last();
            let folder = match os::open_below(above, name) {
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    make(above, &path[..start + name.len()])?;
                    os::open_below(above, name)?
                }
                opened => opened?,
            };
            len = start + name.len();
            self.push(&path[..len], folder)?;
        }
        Ok(self.last())
    }

    /// Adds a folder in the folder that was opened last.
    pub(super) fn push(&mut self, path: &[u8], folder: Folder) -> io::Result<()> {
        if self.levels.len() >= DEPTH_MAX {
            return Err(ErrorKind::InvalidInput.into());
        }
        self.path.truncate(self.levels.last().map_or(0, |(len, _)| *len));
        self.path.extend_from_slice(&path[self.path.len()..]);
        self.levels.push((path.len(), folder));
        Ok(())
    }

    fn last(&self) -> &Folder {
        self.levels.last().map_or(&self.top, |(_, folder)| folder)
    }
}

/// Whether a path is that of a folder, is in it, or in a folder in it.
pub(crate) fn is_within(path: &[u8], folder: &[u8]) -> bool {
    // The byte behind it first: this tells most paths apart.
    path.get(folder.len()).map_or(path.len() == folder.len(), |byte| *byte == b'/') && path.starts_with(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_within_itself_and_its_folders() {
        assert!(is_within(b"a/b/c", b"a") && is_within(b"a/b/c", b"a/b") && is_within(b"a/b", b"a/b"));
        assert!(!is_within(b"a.b", b"a") && !is_within(b"ab", b"a") && !is_within(b"a", b"a/b"));
    }
}
