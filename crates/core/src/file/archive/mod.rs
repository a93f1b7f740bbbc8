//! Archives: files and folders in one file (`spec/archive.md`).
//!
//! `crate::archive` has the bytes of members and of the index, `crate::pipeline::tree` reads and makes files and folders, and
//! `crate::format::content` compresses and seals. This module brings them together.

mod check;
mod extract;
mod first_names;
mod links;
mod pattern;
mod read;
mod tape;
mod write;

pub use extract::{Extracted, Extractor};
pub use pattern::Pattern;
pub use read::{Archive, Entries};
pub use write::{Archived, Archiver};

/// The folders that one worker may keep open: with those of all workers few of the 256 files that a process of macOS may have open.
fn folders_max(threads: usize) -> usize {
    (128 / threads.max(1)).max(1)
}

pub(super) use check::verify;
pub(super) use tape::write_tape;
