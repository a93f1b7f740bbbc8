//! The first name of each file that has several.

use crate::pipeline::FileId;
use crate::pipeline::tree::Meta;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

/// The paths of files with several names, as far as they are in the archive. It needs some 50 bytes for a file and the names that no file
/// before has in its path.
#[derive(Default)]
pub(super) struct FirstNames {
    files: HashMap<FileId, First>,
    hasher: RandomState,
    names: Vec<Name>,
    /// The bytes of all names, one after the other.
    bytes: Vec<u8>,
    /// The names in the last path.
    last: Vec<u32>,
}

struct First {
    /// The last name of its path.
    name: u32,
    /// A hash of its length and time.
    state: u32,
}

/// A component of a path.
struct Name {
    above: Option<u32>,
    /// Where it ends in the bytes of all names. It begins where the name before it ends.
    end: usize,
}

impl FirstNames {
    /// The path of a file, if that is the file as it was. Its number may be that of another file by now, if all its names were removed.
    pub(super) fn path_of(&self, meta: &Meta) -> Option<Vec<u8>> {
        let first = self.files.get(&meta.id).filter(|first| first.state == self.state_of(meta))?;
        let mut names = Vec::new();
        let mut next = Some(first.name);
        while let Some(at) = next {
            names.push(self.bytes_of(at));
            next = self.names[at as usize].above;
        }
        names.reverse();
        Some(names.join(&b'/'))
    }

    /// Adds a file. Its path is behind all paths before, in the order of members.
    pub(super) fn add(&mut self, meta: &Meta, path: &[u8]) {
        let mut depth = 0;
        for name in path.split(|byte| *byte == b'/') {
            if self.last.get(depth).is_none_or(|at| self.bytes_of(*at) != name) {
                self.last.truncate(depth);
                let above = self.last.last().copied();
                self.last.push(u32::try_from(self.names.len()).expect("names: fewer than members"));
                self.bytes.extend_from_slice(name);
                self.names.push(Name { above, end: self.bytes.len() });
            }
            depth += 1;
        }
        self.last.truncate(depth);
        let name = *self.last.last().expect("names: a path has a name");
        let state = self.state_of(meta);
        self.files.insert(meta.id, First { name, state });
    }

    fn bytes_of(&self, at: u32) -> &[u8] {
        let at = at as usize;
        let begin = at.checked_sub(1).map_or(0, |before| self.names[before].end);
        &self.bytes[begin..self.names[at].end]
    }

    #[expect(clippy::cast_possible_truncation, reason = "half of a hash is a hash")]
    fn state_of(&self, meta: &Meta) -> u32 {
        self.hasher.hash_one((meta.len, meta.modified)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::tree::{Root, Step, Walk, WalkOptions};
    use std::fs;

    #[test]
    fn each_file_has_its_first_path_and_paths_share_their_folders() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().join("top");
        fs::create_dir_all(top.join("b/c")).unwrap();
        fs::create_dir_all(top.join("c")).unwrap();
        let paths = ["a", "b/a", "b/ab", "b/c/a", "b/d", "c/a", "c/b", "d"];
        for (i, path) in paths.iter().enumerate() {
            fs::write(top.join(path), vec![0; i]).unwrap();
        }
        let root = Root { name: b"top".to_vec(), path: top };
        let mut walk = Walk::new(vec![root], WalkOptions { one_file_system: false, excluded: Box::new(|_, _| false) });
        let (mut names, mut metas) = (FirstNames::default(), Vec::new());
        while let Some(step) = walk.next() {
            let Step::Found(found) = step else { panic!("all can be read") };
            if found.meta.len > 0 || found.path == b"top/a" {
                assert_eq!(names.path_of(&found.meta), None);
                names.add(&found.meta, found.path);
                metas.push((found.meta, found.path.to_vec()));
            }
        }
        assert_eq!(metas.len(), paths.len());
        for (meta, path) in &mut metas {
            assert_eq!(names.path_of(meta).as_ref(), Some(&*path));
            // Another file has its number.
            meta.len += 100;
            assert_eq!(names.path_of(meta), None);
        }
        assert_eq!(names.bytes, b"topabaabcadcabd");
    }
}
