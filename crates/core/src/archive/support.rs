//! What the tests of archives share: archives, and what is read from them.

use super::splitter::Totals;
use super::*;
use crate::error::Result;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// 2026-01-02 03:04:05 UTC, as in the example of section 3.4.
pub(super) const MODIFIED: Time = Time { seconds: 1_767_323_045, nanoseconds: 0 };

/// A member with the data that are stored of it.
pub(super) type Stored = (Member, Vec<u8>);

pub(super) fn entry(kind: MemberKind, path: &[u8], size: usize, link: &[u8]) -> Entry {
    let mode = match kind {
        MemberKind::File | MemberKind::HardLink => 0o644,
        MemberKind::SymbolicLink => 0o777,
        MemberKind::Folder => 0o755,
    };
    Entry { path: path.to_vec(), kind, size: size as u64, mode, modified: MODIFIED, link: link.to_vec() }
}

pub(super) fn file(path: &str, data: &[u8]) -> Stored {
    (Member::new(entry(MemberKind::File, path.as_bytes(), data.len(), b"")), data.to_vec())
}

pub(super) fn folder(path: &str) -> Stored {
    (Member::new(entry(MemberKind::Folder, path.as_bytes(), 0, b"")), Vec::new())
}

pub(super) fn hard_link(path: &str, link: &str) -> Stored {
    (Member::new(entry(MemberKind::HardLink, path.as_bytes(), 0, link.as_bytes())), Vec::new())
}

pub(super) fn symbolic_link(path: &str, link: &str) -> Stored {
    (Member::new(entry(MemberKind::SymbolicLink, path.as_bytes(), 0, link.as_bytes())), Vec::new())
}

/// A sparse file whose regions have the bytes `x`.
pub(super) fn sparse(path: &str, regions: Vec<Range<u64>>, size: usize) -> Stored {
    let mut member = Member::new(entry(MemberKind::File, path.as_bytes(), size, b""));
    member.regions = Some(regions);
    let data = vec![b'x'; usize::try_from(member.data_len()).unwrap()];
    (member, data)
}

/// The blocks of a member, and their number.
pub(super) fn blocks_of((member, data): &Stored) -> (Vec<u8>, u64) {
    let mut out = Vec::new();
    let blocks = member.write_head(&mut out).unwrap();
    assert_eq!(data.len() as u64, member.data_len());
    out.extend_from_slice(data);
    out.extend_from_slice(padding(data.len() as u64));
    assert_eq!(out.len() as u64, blocks * BLOCK_LEN as u64);
    (out, blocks)
}

/// A whole archive of members in order.
pub(super) fn archive(members: &[Stored]) -> Vec<u8> {
    let (mut out, mut index) = (Vec::new(), IndexWriter::default());
    for stored in members {
        let (bytes, blocks) = blocks_of(stored);
        out.extend_from_slice(&bytes);
        index.add(&stored.0.entry, blocks).unwrap();
    }
    out.extend_from_slice(&END);
    assert_eq!(out.len() as u64, index.archive_len());
    index.finish().for_each(|piece| out.extend_from_slice(&piece));
    out
}

/// What a splitter says of members, with their data in one.
#[derive(Debug, PartialEq)]
pub(super) struct Said {
    pub(super) stored: Vec<(Stored, u64, u64)>,
    pub(super) totals: Totals,
}

/// Reads content in pieces of these lengths, again and again.
pub(super) fn read(content: &[u8], lens: &[usize]) -> Result<Said> {
    read_by(Splitter::new(), content, lens)
}

pub(super) fn read_by(mut splitter: Splitter, content: &[u8], lens: &[usize]) -> Result<Said> {
    let (mut stored, mut rest, mut lens) = (Vec::new(), content, lens.iter().cycle());
    let (mut is_open, mut is_finished) = (false, false);
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(rest.len().min(*lens.next().unwrap()));
        rest = behind;
        let mut parts = Vec::new();
        splitter.take(piece, &mut parts)?;
        for part in parts {
            assert!(!is_finished);
            match part {
                Part::Begin { member, offset, blocks } => {
                    assert!(!std::mem::replace(&mut is_open, true));
                    stored.push(((*member, Vec::new()), offset, blocks));
                }
                Part::Data { at, range } => {
                    assert!(is_open && !range.is_empty());
                    let ((member, data), ..) = stored.last_mut().unwrap();
                    // Where the stored byte is in the file.
                    let mut left = data.len() as u64;
                    let regions = member.regions.clone().unwrap_or_else(|| vec![0..member.entry.size]);
                    let region = regions.into_iter().find(|region| {
                        let len = region.end - region.start;
                        let is_here = left < len;
                        left -= if is_here { 0 } else { len };
                        is_here
                    });
                    let region = region.unwrap();
                    assert_eq!(at, region.start + left);
                    assert!(at + range.len() as u64 <= region.end);
                    data.extend_from_slice(&piece[range]);
                }
                Part::End => {
                    assert!(std::mem::replace(&mut is_open, false));
                    let ((member, data), ..) = stored.last().unwrap();
                    assert_eq!(data.len() as u64, member.data_len());
                }
                Part::Finished => is_finished = true,
            }
        }
    }
    Ok(Said { stored, totals: splitter.finish()? })
}

pub(super) fn slice(bytes: &[u8], range: Range<u64>) -> &[u8] {
    &bytes[usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap()]
}

/// The entries that an index reader finds in an archive, with their offsets and blocks.
pub(super) fn list(content: &[u8], piece_len: usize) -> Result<Vec<(Entry, u64, u64)>> {
    let (_, tail) = content.split_last_chunk::<32>().unwrap();
    let locator = Locator::read(tail, content.len() as u64)?;
    let at = |range| slice(content, range);
    let header = locator.archive_len()..locator.entries().start;
    locator.check(at(header), at(locator.zeros()))?;
    let (mut reader, mut listed) = (IndexReader::new(&locator), Vec::new());
    for piece in at(locator.entries()).chunks(piece_len).chain([&b""[..]]) {
        reader.take(piece);
        while let Some(Listed { entry, offset, blocks }) = reader.next()? {
            listed.push((entry.to_owned(), offset, blocks));
        }
    }
    assert_eq!(listed.len() as u64, locator.members());
    Ok(listed)
}

/// The member and the rule of an error.
pub(super) fn rule_of<T: fmt::Debug>(result: Result<T>) -> (String, &'static str) {
    match result {
        Err(Error::MalformedArchive { member, rule }) => (member.unwrap_or_default().into(), rule),
        other => panic!("{other:?}"),
    }
}

/// Members in order with names of all bytes, times of all signs, links, holes, owners and attributes.
pub(super) fn trees(has_extras: bool) -> impl Strategy<Value = Vec<Stored>> {
    let component = prop_oneof![
        4 => "[ab]{1,2}",
        2 => "[ -~]{1,30}",
        1 => "[a-z]{90,110}",
        1 => "[äß€]{1,40}",
    ];
    let component = prop_oneof![
        8 => component.prop_map(String::into_bytes),
        1 => prop::collection::vec(1_u8.., 1..120),
    ];
    let path = prop::collection::vec(component, 1..5).prop_map(|components| components.join(&b'/'));
    let path = path.prop_filter("no path", |path| check_path(path).is_ok());
    let seconds = prop_oneof![
        (-(1_i64 << 34)..1 << 34),
        Just(-1),
        Just(0),
        Just((1 << 33) - 1),
        Just(1 << 33),
        Just(i64::MIN),
        Just(i64::MAX)
    ];
    let nanoseconds = prop_oneof![Just(0), 0..SECOND, (0..1000_u32).prop_map(|milli| milli * 1_000_000)];
    let time = (seconds, nanoseconds).prop_map(|(seconds, nanoseconds)| Time { seconds, nanoseconds });
    let text = prop::collection::vec(any::<u8>(), 0..40);
    let owner = (any::<u64>(), 0..1_u64 << 22, text.clone(), text.clone());
    let attributes = prop::collection::btree_map("user\\.[a-z]{1,9}".prop_map(String::into_bytes), text, 0..3);
    let node = (path, any::<[u8; 4]>(), time, prop::collection::vec(any::<u8>(), 0..1300), owner, attributes);
    prop::collection::vec(node, 0..12).prop_map(move |nodes| {
        let mut folders = BTreeSet::new();
        for (path, ..) in &nodes {
            let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
            folders.extend(slashes.map(|(at, _)| path[..at].to_vec()));
        }
        let mut members: Vec<Stored> = Vec::new();
        for (path, choice, modified, data, owner, attributes) in nodes {
            let kind = MemberKind::ALL[usize::from(choice[0] % 4)];
            let kind = if folders.remove(&path) { MemberKind::Folder } else { kind };
            let mut member = Member::new(entry(kind, &path, 0, b""));
            member.entry.modified = modified;
            member.entry.mode = u32::from(choice[1]) * 16 + u32::from(choice[2] % 16);
            if has_extras {
                member.attributes = attributes;
                let (user, group, user_name, group_name) = owner;
                // A field ends before the first NUL.
                member.owner = (choice[3] % 2 == 0).then_some(Owner { user, group, user_name, group_name });
                member.owner = member.owner.filter(|owner| *owner != Owner::default());
            }
            members.push((member, data));
        }
        members.extend(folders.iter().map(|path| (Member::new(entry(MemberKind::Folder, path, 0, b"")), Vec::new())));
        members.sort_by(|(a, _), (b, _)| compare(&a.entry.path, &b.entry.path));
        members.dedup_by(|(a, _), (b, _)| a.entry.path == b.entry.path);
        let mut files: Vec<Vec<u8>> = Vec::new();
        for (at, (member, data)) in members.iter_mut().enumerate() {
            match member.entry.kind {
                MemberKind::HardLink if !files.is_empty() => {
                    member.entry.link = files[at * 7 % files.len()].clone();
                    data.clear();
                }
                MemberKind::SymbolicLink => {
                    member.entry.link = data.iter().copied().filter(|byte| *byte != 0).chain(*b"x").collect();
                    data.clear();
                }
                MemberKind::Folder => data.clear(),
                MemberKind::File | MemberKind::HardLink => {
                    member.entry.kind = MemberKind::File;
                    member.entry.size = data.len() as u64;
                    files.push(member.entry.path.clone());
                    if at % 3 == 0 {
                        holes(member, data);
                    }
                }
            }
        }
        members
    })
}

/// Makes a file sparse, with holes between the blocks of its data.
fn holes(member: &mut Member, data: &[u8]) {
    let (mut regions, mut at, mut rest) = (Vec::new(), data.len() as u64 % 3, data.len() as u64);
    while rest > 0 {
        let len = rest.min(BLOCK_LEN as u64);
        regions.push(at..at + len);
        rest -= len;
        at += len + (at % 5) * 1_000_000_007;
    }
    member.entry.size = regions.last().map_or(0, |last| last.end) + at % 2;
    member.regions = Some(regions);
}
