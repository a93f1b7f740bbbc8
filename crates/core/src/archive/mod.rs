//! Archives (`spec/archive.md`, sections 3 and 4): the bytes of members and of the index, without I/O.
//!
//! - A writer makes each member with [`Member::write_head`], the data and [`padding`], and the index with
//!   [`IndexWriter`].
//! - [`Splitter`] reads members in order, from pieces of the content of any length.
//! - [`Locator`] and [`IndexReader`] read the index alone.
//!
//! Whatever the length of the content, none of them allocates by a length that the content only promises.

#![cfg_attr(test, allow(clippy::single_range_in_vec_init, reason = "a sparse file may have one region"))]

mod block;
mod head;
mod index;
mod packed;
mod path;
mod records;
mod sparse;
mod splitter;

pub(crate) use block::padding;
pub(crate) use head::is_attribute_name;
pub(crate) use index::{IndexReader, IndexWriter, LOCATOR_LEN, Listed, Locator, MEMBER_DIFFERS};
pub(crate) use packed::Packed;
pub(crate) use path::{check_path, compare, leads_out};
pub(crate) use sparse::{align as align_regions, map_len};
pub(crate) use splitter::{Part, Splitter};

use crate::error::{Error, escape_bytes};
use path::PATH_MAX_LEN;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

/// Bytes of a block (section 0).
pub(crate) const BLOCK_LEN: usize = 512;

/// The end of the members, before the index (section 3).
pub(crate) const END: [u8; 2 * BLOCK_LEN] = [0; 2 * BLOCK_LEN];

/// The longest content (section 5).
const CONTENT_MAX_LEN: u64 = (1 << 52) - 1;
/// Bytes of the longest target of a symbolic link (section 5).
const LINK_MAX_LEN: usize = 4096;
const MODE_MAX: u32 = 0o7777;
const SECOND: u32 = 1_000_000_000;

/// The kind of a member of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemberKind {
    /// A regular file.
    File,
    /// Another name of a file that stands before it in the archive.
    HardLink,
    /// A symbolic link.
    SymbolicLink,
    /// A folder.
    Folder,
}

impl MemberKind {
    /// All kinds, in the order of the specification.
    pub const ALL: [Self; 4] = [Self::File, Self::HardLink, Self::SymbolicLink, Self::Folder];

    /// The identifier used in every language and report.
    ///
    /// ```
    /// assert_eq!(sealstone::MemberKind::HardLink.name(), "hard-link");
    /// ```
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::HardLink => "hard-link",
            Self::SymbolicLink => "symbolic-link",
            Self::Folder => "folder",
        }
    }

    /// The byte of the header block and of the index (section 3.2).
    fn typeflag(self) -> u8 {
        match self {
            Self::File => b'0',
            Self::HardLink => b'1',
            Self::SymbolicLink => b'2',
            Self::Folder => b'5',
        }
    }

    fn of_typeflag(typeflag: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.typeflag() == typeflag)
    }

    fn is_link(self) -> bool {
        matches!(self, Self::HardLink | Self::SymbolicLink)
    }
}

impl fmt::Display for MemberKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A time, counted from 1970-01-01 00:00:00 UTC without leap seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time {
    /// The greatest whole number of seconds that is not over the time. It is negative before 1970.
    pub seconds: i64,
    /// The rest in nanoseconds, under 1,000,000,000.
    pub nanoseconds: u32,
}

/// The facts about a member of an archive that its index has.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Entry {
    /// The components of the path with `/` between them: 1 to 4,096 bytes, which need not be UTF-8. It never begins or
    /// ends with
    /// `/`, and no component is empty, `.` or `..`.
    pub path: Vec<u8>,
    /// The kind.
    pub kind: MemberKind,
    /// The length in bytes of a file, with its holes; otherwise 0.
    pub size: u64,
    /// Permissions, set-user-ID, set-group-ID and sticky: 12 bits. Of a symbolic link, this is 0777.
    pub mode: u32,
    /// The modification time.
    pub modified: Time,
    /// The path in the archive of the file that a hard link names; the target of a symbolic link, 1 to 4,096 bytes
    /// without NUL, which may lead anywhere; otherwise empty.
    pub link: Vec<u8>,
}

/// An [`Entry`] whose bytes are elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EntryRef<'a> {
    pub(crate) path: &'a [u8],
    pub(crate) kind: MemberKind,
    pub(crate) size: u64,
    pub(crate) mode: u32,
    pub(crate) modified: Time,
    pub(crate) link: &'a [u8],
}

impl Entry {
    pub(crate) fn borrow(&self) -> EntryRef<'_> {
        let Self { path, kind, size, mode, modified, link } = self;
        EntryRef { path, kind: *kind, size: *size, mode: *mode, modified: *modified, link }
    }
}

impl EntryRef<'_> {
    pub(crate) fn to_owned(self) -> Entry {
        let Self { path, kind, size, mode, modified, link } = self;
        Entry { path: path.to_vec(), kind, size, mode, modified, link: link.to_vec() }
    }

    /// Checks the rules of section 3.2 that this shows alone. The path's own rules are those of [`check_path`].
    #[inline]
    fn check(&self) -> std::result::Result<(), &'static str> {
        match self.kind {
            MemberKind::File | MemberKind::Folder if !self.link.is_empty() => {
                return Err("only a link has a linkname (archive section 3.2)");
            }
            MemberKind::HardLink => {
                let is_path = check_path(self.link).is_ok();
                if !is_path || compare(self.link, self.path) != Ordering::Less {
                    return Err("a hard link names no member before it (archive section 3.2)");
                }
            }
            MemberKind::SymbolicLink if self.link.is_empty() || self.link.contains(&0) => {
                return Err("the target of a symbolic link is empty or has a NUL (archive section 3.2)");
            }
            MemberKind::SymbolicLink if self.link.len() > LINK_MAX_LEN => {
                return Err("the target of a symbolic link has over 4096 bytes (archive section 3.2)");
            }
            _ => {}
        }
        if self.kind != MemberKind::File && self.size != 0 {
            return Err("only a file has a size (archive section 3.2)");
        }
        if self.mode > MODE_MAX {
            return Err("a mode has over 12 bits (archive section 3.2)");
        }
        if self.modified.nanoseconds >= SECOND {
            return Err("the nanoseconds of a time are a second or more (archive section 3.4)");
        }
        Ok(())
    }
}

/// A member without its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) entry: Entry,
    /// `None` if the header names none: neither a user and a group other than 0, nor their names.
    pub(crate) owner: Option<Owner>,
    /// Extended attributes by their names, which begin with their namespace, such as `user.`.
    pub(crate) attributes: BTreeMap<Vec<u8>, Vec<u8>>,
    /// The parts of a sparse file that are stored, none of them empty; the rest are holes. `None` if a file is stored
    /// whole. A writer gets them from [`align_regions`].
    pub(crate) regions: Option<Vec<Range<u64>>>,
}

/// The owner of a member.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Owner {
    pub(crate) user: u64,
    pub(crate) group: u64,
    pub(crate) user_name: Vec<u8>,
    pub(crate) group_name: Vec<u8>,
}

impl Member {
    /// A member without owner and attributes, which is stored whole.
    pub(crate) fn new(entry: Entry) -> Self {
        Self { entry, owner: None, attributes: BTreeMap::new(), regions: None }
    }

    /// Bytes of data behind the head, without their padding.
    pub(crate) fn data_len(&self) -> u64 {
        let sum = |regions: &Vec<Range<u64>>| regions.iter().map(|region| region.end - region.start).sum();
        self.regions.as_ref().map_or(self.entry.size, sum)
    }
}

/// The error about a member, which has no path where the path is not known.
fn malformed(path: &[u8], rule: &'static str) -> Error {
    // A record may have a path of 1 MiB.
    let shown = &path[..path.len().min(PATH_MAX_LEN)];
    let member = (!shown.is_empty()).then(|| escape_bytes(shown).into_boxed_str());
    Error::MalformedArchive { member, rule }
}

/// Whether there are only zeros.
fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().fold(0, |all, byte| all | byte) == 0
}

#[cfg(test)]
mod support;
#[cfg(all(test, unix, feature = "legacy", feature = "sign"))]
mod tar_tests;
