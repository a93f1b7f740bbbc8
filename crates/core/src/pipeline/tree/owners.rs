//! The names of owners, which an archive keeps if its writer is asked to.

use super::super::os;
use std::collections::BTreeMap;

/// The maximum number of names of each kind that are remembered.
const NAMES_MAX: usize = 10_000;

/// The names of users and groups. The system is asked once for each.
#[derive(Default)]
pub(crate) struct Owners {
    users: BTreeMap<u32, Option<String>>,
    groups: BTreeMap<u32, Option<String>>,
}

impl Owners {
    /// The name of a user; `None` if the system knows none.
    pub(crate) fn user(&mut self, id: u32) -> Option<&str> {
        named(&mut self.users, id, os::user_name)
    }

    /// The name of a group; `None` if the system knows none.
    pub(crate) fn group(&mut self, id: u32) -> Option<&str> {
        named(&mut self.groups, id, os::group_name)
    }
}

fn named(known: &mut BTreeMap<u32, Option<String>>, id: u32, ask: fn(u32) -> Option<String>) -> Option<&str> {
    if known.len() >= NAMES_MAX && !known.contains_key(&id) {
        known.clear();
    }
    known.entry(id).or_insert_with(|| ask(id)).as_deref()
}
