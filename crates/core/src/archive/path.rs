//! Paths of members, and their order (section 3.1).

use super::MemberKind;
use std::cmp::Ordering;

/// Bytes of the longest path.
pub(super) const PATH_MAX_LEN: usize = 4096;
const COMPONENTS_MAX: usize = 256;
pub(super) const MEMBERS_MAX: u64 = 1 << 26;

const OUT_OF_ORDER: &str = "a member is out of order, or comes twice (archive section 3.1)";

/// Checks a path alone. An error is the rule that it breaks.
pub(crate) fn check_path(path: &[u8]) -> Result<(), &'static str> {
    if path.len() > PATH_MAX_LEN {
        return Err("a path has over 4096 bytes (archive section 3.1)");
    }
    if slashes(path) >= COMPONENTS_MAX {
        return Err("a path has over 256 components (archive section 3.1)");
    }
    if path.split(|byte| *byte == b'/').all(is_component) {
        Ok(())
    } else {
        Err("a component of a path is empty, `.` or `..`, or has a NUL (archive section 3.1)")
    }
}

fn is_component(component: &[u8]) -> bool {
    !matches!(component, b"" | b"." | b"..") && !component.contains(&0)
}

/// Compares two paths in the order of members. `/` is less than every other byte.
pub(crate) fn compare(a: &[u8], b: &[u8]) -> Ordering {
    let at = shared_len(a, b);
    match (a.get(at), b.get(at)) {
        (Some(a), Some(b)) => rank(*a).cmp(&rank(*b)),
        (a, b) => a.is_some().cmp(&b.is_some()),
    }
}

/// A path has no NUL.
fn rank(byte: u8) -> u8 {
    if byte == b'/' { 0 } else { byte }
}

fn slashes(path: &[u8]) -> usize {
    path.iter().map(|byte| usize::from(*byte == b'/')).sum()
}

/// Bytes that two paths have in common at their beginning.
pub(super) fn shared_len(a: &[u8], b: &[u8]) -> usize {
    const STEP: usize = 8;
    let steps = a.chunks_exact(STEP).zip(b.chunks_exact(STEP));
    let at = STEP * steps.take_while(|(a, b)| a == b).count();
    at + a[at..].iter().zip(&b[at..]).take_while(|(a, b)| a == b).count()
}

/// Whether the symbolic link `path` with the target `link` may lead out of the folder into which the archive is
/// extracted (section 4.3). A component that is empty or `.` is no component to stand behind, since it leads nowhere.
pub(crate) fn leads_out(path: &[u8], link: &[u8]) -> bool {
    let mut above = slashes(path);
    let mut descended = false;
    for component in link.split(|byte| *byte == b'/') {
        match component {
            b"" | b"." => {}
            b".." if descended || above == 0 => return true,
            b".." => above -= 1,
            _ => descended = true,
        }
    }
    link.starts_with(b"/")
}

/// Checks that members are in order, and that the folder of each is a member.
///
/// It has the last path only. In the order of section 3.1 all that is in a folder stands directly behind the folder. So
/// the folder of a member is the last member, or one of the folders above the last member.
#[derive(Default)]
pub(super) struct Order {
    last: Vec<u8>,
    /// The last member is a folder.
    is_folder: bool,
    /// `/` in the last path.
    depth: usize,
    count: u64,
}

/// A rule that a member breaks, and its path.
pub(super) struct Fault {
    pub(super) path: Vec<u8>,
    pub(super) rule: &'static str,
}

impl Order {
    /// The path of the last member; empty if there was none.
    pub(super) fn last(&self) -> &[u8] {
        &self.last
    }

    /// The number of members.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Adds the first member of a run. The run may begin in any folder.
    pub(super) fn begin(&mut self, path: &[u8], kind: MemberKind) -> Result<(), Fault> {
        check_path(path).map_err(|rule| Fault { path: path.to_vec(), rule })?;
        self.depth = slashes(path);
        self.replace(0, path, kind);
        Ok(())
    }

    /// Adds a member whose path is the first `shared` bytes of the last path, and `rest`. `shared` is at most the last
    /// path's length, and as great as possible. An error leaves all as it was.
    #[inline]
    pub(super) fn add(&mut self, shared: usize, rest: &[u8], kind: MemberKind) -> Result<(), Fault> {
        self.depth = self.depth_of(shared, rest).map_err(|rule| self.fault(shared, rest, rule))?;
        self.replace(shared, rest, kind);
        Ok(())
    }

    #[cold]
    fn fault(&self, shared: usize, rest: &[u8], rule: &'static str) -> Fault {
        let path = [&self.last[..shared], rest].concat();
        // The path itself may be the reason.
        let rule = check_path(&path).err().unwrap_or(rule);
        Fault { path, rule }
    }

    fn replace(&mut self, shared: usize, rest: &[u8], kind: MemberKind) {
        self.last.truncate(shared);
        self.last.extend_from_slice(rest);
        self.is_folder = kind == MemberKind::Folder;
        self.count += 1;
    }

    /// The number of `/` in the next path. It looks only at the bytes that differ from the last path, whose rules hold.
    fn depth_of(&self, shared: usize, rest: &[u8]) -> Result<usize, &'static str> {
        let (kept, dropped) = self.last.split_at(shared);
        let Some(first) = rest.first() else { return Err(OUT_OF_ORDER) };
        if dropped.first().is_some_and(|last| rank(*last) > rank(*first)) {
            return Err(OUT_OF_ORDER);
        }
        let in_last = if *first == b'/' { &rest[1..] } else { rest };
        // The folder is the last member, or a folder above it: then the last component begins within `kept`.
        let is_in_last_member = *first == b'/' && dropped.is_empty() && self.is_folder;
        if in_last.contains(&b'/') || (*first == b'/' && !is_in_last_member) {
            return Err("the folder of a member is not a member before it (archive section 3.1)");
        }
        let begins =
            if *first == b'/' { shared } else { kept.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1) };
        let is_sound = match kept.len() - begins + in_last.len() {
            // Only these can be empty, `.` or `..`.
            0..=2 => kept[begins..].iter().chain(in_last).any(|byte| *byte != b'.') && !in_last.contains(&0),
            _ => !in_last.contains(&0),
        };
        let depth = self.depth - slashes(dropped) + usize::from(*first == b'/');
        if !is_sound || shared + rest.len() > PATH_MAX_LEN || depth >= COMPONENTS_MAX {
            return Err("a path breaks a rule (archive section 3.1)");
        }
        if self.count >= MEMBERS_MAX {
            return Err("there are over 2^26 members (archive section 3.1)");
        }
        Ok(depth)
    }
}

#[cfg(test)]
#[path = "path_tests.rs"]
mod tests;
