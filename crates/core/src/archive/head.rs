//! What stands before the data of a member: an extended header, the header block, and the map of a sparse file
//! (sections 3.2, 3.3).

use super::block::{Header, NAME_LEN, NUMBER_MAX, OWNER_MAX, OWNER_NAME_MAX_LEN, blocks, padding};
use super::path::{Fault, check_path};
use super::records::{self, RECORDS_MAX_LEN, Records};
use super::{BLOCK_LEN, CONTENT_MAX_LEN, Entry, MODE_MAX, Member, MemberKind, Owner, Time, malformed, sparse};
use crate::error::Result;
use std::borrow::Cow;

/// The typeflag of an extended header.
pub(super) const EXTENDED: u8 = b'x';
/// Of the header block of an extended header, and of a sparse file (sections 3.2, 3.3).
const EXTENDED_NAME: &[u8] = b"././@PaxHeader";
const EXTENDED_MODE: u32 = 0o644;
const SPARSE_FOLDER: &[u8] = b"GNUSparseFile.0/";

const TOO_LONG: &str = "the data of a member are longer than an archive (archive section 5)";

impl Member {
    /// Appends all that stands before the data, and returns the number of blocks of the whole member, with data and
    /// padding.
    ///
    /// What is appended has at most 2^20 bytes of records, 2^20 of a map, and four blocks.
    ///
    /// # Errors
    /// [`Error::MalformedArchive`](crate::Error::MalformedArchive) with the rule that the member cannot keep. Nothing
    /// is appended then. Rules about other members are [`IndexWriter`](super::IndexWriter)'s.
    pub(crate) fn write_head(&self, out: &mut Vec<u8>) -> Result<u64> {
        let begin = out.len();
        self.put_head(out).map_err(|rule| {
            out.truncate(begin);
            malformed(&self.entry.path, rule)
        })
    }

    fn put_head(&self, out: &mut Vec<u8>) -> std::result::Result<u64, &'static str> {
        self.check()?;
        let mut stored_len = self.data_len();
        if let Some(regions) = &self.regions {
            stored_len += blocks(sparse::map_len(regions, self.entry.size)) * BLOCK_LEN as u64;
        }
        if stored_len > CONTENT_MAX_LEN {
            return Err(TOO_LONG);
        }

        let begin = out.len();
        // Most members need no records. For those that do, the block of the extended header comes here.
        out.resize(begin + BLOCK_LEN, 0);
        let name = self.name();
        self.put_records(&name, stored_len, out);
        let records_len = out.len() - begin - BLOCK_LEN;
        if records_len > RECORDS_MAX_LEN {
            return Err(RECORDS_TOO_LONG);
        }
        if records_len == 0 {
            out.truncate(begin);
        } else {
            let size = records_len as u64;
            let extended =
                Header { name: EXTENDED_NAME, mode: EXTENDED_MODE, size, typeflag: EXTENDED, ..Header::default() };
            out[begin..begin + BLOCK_LEN].copy_from_slice(&extended.write());
            out.extend_from_slice(padding(size));
        }
        out.extend_from_slice(&self.header(&name, stored_len).write());
        let head_len = (out.len() - begin) as u64;
        if let Some(regions) = &self.regions {
            let map_begin = out.len();
            sparse::put(out, regions, self.entry.size);
            out.extend_from_slice(padding((out.len() - map_begin) as u64));
        }
        Ok(blocks(head_len) + blocks(stored_len))
    }

    fn check(&self) -> std::result::Result<(), &'static str> {
        check_path(&self.entry.path)?;
        self.entry.borrow().check()?;
        if !self.attributes.keys().all(|name| is_attribute_name(name)) {
            return Err("the name of an attribute is empty, or has a `=` or NUL (archive section 3.2)");
        }
        match &self.regions {
            Some(_) if self.entry.kind != MemberKind::File => Err(SPARSE_RULE),
            Some(regions) => sparse::check(regions, self.entry.size),
            None => Ok(()),
        }
    }

    /// What is in the field `name`, if it has room.
    fn name(&self) -> Cow<'_, [u8]> {
        let path = &self.entry.path;
        if self.regions.is_some() {
            let last = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
            [SPARSE_FOLDER, last].concat().into()
        } else if self.entry.kind == MemberKind::Folder {
            [path, &b"/"[..]].concat().into()
        } else {
            path.into()
        }
    }

    fn put_records(&self, name: &[u8], stored_len: u64, out: &mut Vec<u8>) {
        let Entry { path, link, modified, size, .. } = &self.entry;
        let is_sparse = self.regions.is_some();
        let has_path = !is_sparse && !fits_as_name(name);
        let has_link = !fits_as_name(link);
        let is_text = |bytes: &[u8]| std::str::from_utf8(bytes).is_ok();
        if ((has_path || is_sparse) && !is_text(path)) || (has_link && !is_text(link)) {
            records::put(out, records::CHARSET, b"BINARY");
        }
        if has_path {
            records::put(out, records::PATH, name);
        }
        if has_link {
            records::put(out, records::LINK, link);
        }
        if stored_len > NUMBER_MAX {
            records::put_decimal(out, records::SIZE, stored_len);
        }
        if modified.nanoseconds != 0 || !fits_as_time(*modified) {
            records::put_time(out, *modified);
        }
        if let Some(owner) = &self.owner {
            for (key, id) in [(records::USER, owner.user), (records::GROUP, owner.group)] {
                if id > OWNER_MAX {
                    records::put_decimal(out, key, id);
                }
            }
            for (key, name) in [(records::USER_NAME, &owner.user_name), (records::GROUP_NAME, &owner.group_name)] {
                if !fits_as_owner(name) {
                    records::put(out, key, name);
                }
            }
        }
        if is_sparse {
            records::put(out, records::SPARSE_MAJOR, b"1");
            records::put(out, records::SPARSE_MINOR, b"0");
            records::put(out, records::SPARSE_NAME, path);
            records::put_decimal(out, records::SPARSE_SIZE, *size);
        }
        for (name, value) in &self.attributes {
            records::put_attribute(out, name, value);
        }
    }

    fn header<'a>(&'a self, name: &'a [u8], stored_len: u64) -> Header<'a> {
        let entry = &self.entry;
        let mut header = Header {
            name,
            mode: entry.mode,
            size: if stored_len > NUMBER_MAX { 0 } else { stored_len },
            seconds: if fits_as_time(entry.modified) { entry.modified.seconds.unsigned_abs() } else { 0 },
            typeflag: entry.kind.typeflag(),
            link: &entry.link,
            ..Header::default()
        };
        if let Some(owner) = &self.owner {
            let id = |id| if id > OWNER_MAX { 0 } else { id };
            (header.user, header.group) = (id(owner.user), id(owner.group));
            let name = |name: &'a [u8]| if fits_as_owner(name) { name } else { b"" };
            (header.user_name, header.group_name) = (name(&owner.user_name), name(&owner.group_name));
        }
        header
    }
}

const SPARSE_RULE: &str = "the records of a sparse file break a rule (archive section 3.3)";
pub(super) const RECORDS_TOO_LONG: &str =
    "the records of an extended header have over 2^20 bytes (archive section 3.2)";

/// Whether an extended attribute of this name can be stored. A record ends its key with `=`.
pub(crate) fn is_attribute_name(name: &[u8]) -> bool {
    !name.is_empty() && !name.iter().any(|byte| matches!(byte, 0 | b'='))
}

fn fits_as_name(name: &[u8]) -> bool {
    name.len() <= NAME_LEN && name.is_ascii()
}

fn fits_as_time(time: Time) -> bool {
    u64::try_from(time.seconds).is_ok_and(|seconds| seconds <= NUMBER_MAX)
}

fn fits_as_owner(name: &[u8]) -> bool {
    name.len() <= OWNER_NAME_MAX_LEN && !name.contains(&0)
}

/// A member as its headers have it.
#[derive(Debug)]
pub(super) struct Head {
    /// Without the regions of a sparse file, whose map stands behind the header block.
    pub(super) member: Member,
    /// Bytes behind the header block, without their padding: the data, and the map before them.
    pub(super) stored_len: u64,
    /// There is a map.
    pub(super) is_sparse: bool,
}

impl Head {
    /// Parses a header block and the records before it. The path's own rules and its place are not checked.
    pub(super) fn parse(extended: &[u8], header: &Header<'_>) -> std::result::Result<Self, Fault> {
        let records = Records::parse(extended).map_err(|rule| Fault { path: Vec::new(), rule })?;
        let sparse = [records::SPARSE_MAJOR, records::SPARSE_MINOR, records::SPARSE_NAME, records::SPARSE_SIZE];
        let is_sparse = records.is_other_sparse || sparse.iter().any(|key| records.get(*key).is_some());

        let key = if is_sparse { records::SPARSE_NAME } else { records::PATH };
        let mut path = match records.get(key) {
            Some(path) => path.to_vec(),
            None if header.prefix.is_empty() => header.name.to_vec(),
            None => [header.prefix, header.name].join(&b'/'),
        };
        let kind = MemberKind::of_typeflag(header.typeflag);
        if kind == Some(MemberKind::Folder) && path.last() == Some(&b'/') {
            path.pop();
        }
        let parsed = kind.ok_or("a member is no file, hard link, symbolic link or folder (archive section 3.2)");
        let parsed = parsed.and_then(|kind| Self::of(kind, &path, records, header, is_sparse));
        match parsed {
            Ok(mut head) => {
                head.member.entry.path = path;
                Ok(head)
            }
            Err(rule) => Err(Fault { path, rule }),
        }
    }

    fn of(
        kind: MemberKind,
        path: &[u8],
        records: Records<'_>,
        header: &Header<'_>,
        is_sparse: bool,
    ) -> std::result::Result<Self, &'static str> {
        let number = |key, field| match records.get(key) {
            None => Ok(field),
            Some(digits) => {
                records::decimal(digits).ok_or("a number in a record breaks its syntax (archive section 3.2)")
            }
        };
        let stored_len = number(records::SIZE, header.size)?;
        if stored_len > CONTENT_MAX_LEN {
            return Err(TOO_LONG);
        }
        let size = if is_sparse {
            let is_version =
                records.get(records::SPARSE_MAJOR) == Some(b"1") && records.get(records::SPARSE_MINOR) == Some(b"0");
            let has_path = records.get(records::SPARSE_NAME).is_some() && records.get(records::PATH).is_none();
            let size = records.get(records::SPARSE_SIZE).and_then(records::decimal);
            let is_this = is_version && !records.is_other_sparse;
            size.filter(|_| is_this && has_path && kind == MemberKind::File).ok_or(SPARSE_RULE)?
        } else {
            stored_len
        };
        let modified = match records.get(records::MODIFIED) {
            None => Time { seconds: header.seconds.cast_signed(), nanoseconds: 0 },
            Some(text) => records::time(text).ok_or("a time in a record breaks its syntax (archive section 3.2)")?,
        };
        let text = |key, field: &[u8]| records.get(key).unwrap_or(field).to_vec();
        let owner = Owner {
            user: number(records::USER, header.user)?,
            group: number(records::GROUP, header.group)?,
            user_name: text(records::USER_NAME, header.user_name),
            group_name: text(records::GROUP_NAME, header.group_name),
        };
        let link = text(records::LINK, header.link);
        let entry = Entry { path: Vec::new(), kind, size, mode: header.mode & MODE_MAX, modified, link };
        super::EntryRef { path, ..entry.borrow() }.check()?;
        let owner = Some(owner).filter(|owner| *owner != Owner::default());
        let member = Member { entry, owner, attributes: records.attributes, regions: None };
        Ok(Self { member, stored_len, is_sparse })
    }
}

#[cfg(test)]
#[path = "head_tests.rs"]
mod tests;
