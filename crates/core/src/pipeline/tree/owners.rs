//! The names of owners, which an archive keeps if its writer is asked to.
//!
//! They come from `/etc/passwd` and `/etc/group` alone. The C library would load the system's other sources into a program that is linked
//! statically, and crash there. An owner of whom these files know nothing keeps the number.

use super::super::os;
use std::collections::BTreeMap;

/// The names of users and groups, by their numbers.
pub(crate) struct Owners {
    users: BTreeMap<u32, String>,
    groups: BTreeMap<u32, String>,
}

impl Owners {
    /// Reads the names that the system has now.
    pub(crate) fn read() -> Self {
        let [users, groups] = os::owner_files().map(|text| parse(&text));
        Self { users, groups }
    }

    /// The name of a user; `None` if it is not known.
    pub(crate) fn user(&self, id: u32) -> Option<&str> {
        self.users.get(&id).map(String::as_str)
    }

    /// The name of a group; `None` if it is not known.
    pub(crate) fn group(&self, id: u32) -> Option<&str> {
        self.groups.get(&id).map(String::as_str)
    }
}

/// The names in lines of `name:password:number:…`. Of several names of a number, the first counts.
fn parse(text: &[u8]) -> BTreeMap<u32, String> {
    let mut names = BTreeMap::new();
    for line in text.split(|byte| *byte == b'\n') {
        let mut fields = line.split(|byte| *byte == b':').map(|field| str::from_utf8(field).unwrap_or_default());
        if let (Some(name), _, Some(id)) = (fields.next(), fields.next(), fields.next())
            && !name.is_empty()
            && let Ok(id) = id.parse()
        {
            names.entry(id).or_insert_with(|| name.to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_first_line_of_a_number() {
        let text = b"root:x:0:0:root:/root:/bin/sh\ntoor:x:0:0::/:\n\n# none\n+\n:x:5:5\nanna:x:1000\nb\xff:x:7:\nlong:x:4294967296:\nlast:x:4294967295:";
        let names: Vec<_> = parse(text).into_iter().collect();
        assert_eq!(names, [(0, "root".into()), (1000, "anna".into()), (u32::MAX, "last".into())]);
    }
}
