//! Reads members in order, and compares the index with them (sections 3 and 4.1).

use super::block::{Header, blocks, is_end, padding};
use super::head::{EXTENDED, Head, RECORDS_TOO_LONG};
use super::index::{DIFFERS, Entries, IndexReader, LOCATOR_LEN, Listed, Locator};
use super::path::{Order, shared_len};
use super::records::RECORDS_MAX_LEN;
use super::sparse::MapReader;
use super::{BLOCK_LEN, Member, MemberKind, is_zero, malformed};
use crate::error::Result;
use crate::hash::Sha256;
use std::mem;
use std::ops::Range;

/// What a [`Splitter`] found, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// A member begins. Its head follows all rules, and its place among the members before it too.
    Begin {
        member: Box<Member>,
        /// The offset of its first block in the content.
        offset: u64,
        /// The number of its blocks.
        blocks: u64,
    },
    /// Data of the member.
    Data {
        /// Where they are in the file. Between the data of a sparse file are holes.
        at: u64,
        /// Where they are within the bytes that were taken; never empty.
        range: Range<usize>,
    },
    /// The member is complete, with its padding.
    End,
    /// The archive is complete, and its index is that of its members.
    Finished,
}

/// The sums of an archive, or of a run of members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Totals {
    pub(crate) members: u64,
    /// The lengths of all files, with their holes; at most 2^64 - 1.
    pub(crate) file_bytes: u64,
}

/// Reads members in order from pieces of the content of any length.
///
/// # Memory
/// It copies headers, records of up to 2^20 bytes, and maps of sparse files, whose regions take up to 8 MiB. It never
/// copies data. It keeps 17 bytes for each hard link, and up to 48 while their list grows. It keeps nothing for any
/// other member.
///
/// # Hard links
/// A hard link has to name a file before it. For each hard link it keeps 128 bits of the SHA-256 of the name, and
/// compares the index's files with them: the index has the same members in the same order. So a hard link that names no
/// file is an error at the index, and one that names a path behind it is an error at once. In a run of members
/// ([`run`](Self::run)) only the order is checked.
pub(crate) struct Splitter {
    state: State,
    /// Bytes of what is not wholly there yet.
    held: Vec<u8>,
    /// The offset in the content of the next byte.
    offset: u64,
    /// Where the member begins.
    begins: u64,
    /// The records of the extended header that stands before the next header block.
    records: Option<Vec<u8>>,
    members: Members,
    totals: Totals,
    file: File,
    /// The bytes up to the end of the two blocks of zeros behind the members, when these were read.
    archive_len: Option<u64>,
}

/// What the next bytes are.
enum State {
    Header,
    Records { len: usize },
    RecordsPadding { left: usize },
    Map(Box<MapReader>, Box<Head>),
    MapPadding { left: usize },
    Data,
    Padding { left: usize },
    SecondEnd,
    Index(Box<Index>),
    Finished,
}

/// What is kept of the members before.
enum Members {
    /// Of the whole archive, to compare the index with.
    All(Box<Seen>),
    /// Of a run.
    Run(Order),
}

struct Seen {
    entries: Entries,
    /// Entries that are not hashed yet.
    encoded: Vec<u8>,
    digest: Sha256,
    /// The name of each hard link.
    linked: Vec<Name>,
}

/// A half of the SHA-256 of a path.
type Name = [u8; 16];

fn name_of(path: &[u8]) -> Name {
    let mut digest = [0; 32];
    Sha256::digest_into(path, &mut digest);
    digest[..16].try_into().expect("archive: a digest has 32 bytes")
}

/// Entries are hashed in pieces of so many bytes: a call takes as long as hashing 30 bytes.
const HASHED_LEN: usize = 4096;

/// The data of the member that is read.
#[derive(Default)]
struct File {
    /// Blocks of the whole member.
    blocks: u64,
    /// Bytes of data that follow.
    left: u64,
    /// Where the next byte is in the file.
    at: u64,
    /// The regions of a sparse file; a whole file is one region.
    regions: Vec<Range<u64>>,
    /// The number of the region that `at` is in.
    region: usize,
    padding: usize,
}

/// The comparison of the index with the members.
struct Index {
    locator: Locator,
    part: IndexPart,
    expected: [u8; 32],
    digest: Sha256,
    left: u64,
    links: Option<Links>,
}

#[derive(Clone, Copy)]
enum IndexPart {
    Header,
    Entries,
    Zeros,
    Locator,
}

/// The names of hard links, sorted.
struct Links {
    reader: IndexReader,
    names: Vec<Name>,
    /// There is a file of the name before the entry that is read.
    is_file: Vec<bool>,
}

impl Splitter {
    /// Reads a whole archive from its first byte.
    pub(crate) fn new() -> Self {
        Self::with(Members::All(Box::new(Seen::new())), 0)
    }

    /// Reads members that stand together in an archive, the first of them at `offset`. They must be whole. Their order
    /// is checked among themselves, and neither the end nor the index is read.
    pub(crate) fn run(offset: u64) -> Self {
        Self::with(Members::Run(Order::default()), offset)
    }

    fn with(members: Members, offset: u64) -> Self {
        let (held, totals, file) = (Vec::new(), Totals::default(), File::default());
        Self {
            state: State::Header,
            held,
            offset,
            begins: offset,
            records: None,
            members,
            totals,
            file,
            archive_len: None,
        }
    }

    /// Takes the next bytes of the content, and appends what was found in them to `parts`.
    ///
    /// # Errors
    /// [`Error::MalformedArchive`](crate::Error::MalformedArchive) for a broken rule. The parts that were found before
    /// it are appended. Nothing may be taken afterwards.
    pub(crate) fn take(&mut self, bytes: &[u8], parts: &mut Vec<Part>) -> Result<()> {
        let mut at = 0;
        while at < bytes.len() {
            let taken = self.step(&bytes[at..], at, parts)?;
            at += taken;
            self.offset += taken as u64;
        }
        Ok(())
    }

    /// The bytes of the archive without its index, when all of them were taken.
    pub(crate) fn archive_len(&self) -> Option<u64> {
        self.archive_len
    }

    /// Ends behind the last byte.
    ///
    /// # Errors
    /// [`Error::MalformedArchive`](crate::Error::MalformedArchive) if the archive is not complete, or if a run does not
    /// end with a whole member.
    pub(crate) fn finish(self) -> Result<Totals> {
        let is_between = matches!(self.state, State::Header) && self.held.is_empty() && self.records.is_none();
        match (&self.members, self.state) {
            (Members::All(_), State::Finished) => Ok(self.totals),
            (Members::Run(_), _) if is_between => Ok(self.totals),
            (_, State::Map(..) | State::MapPadding { .. } | State::Data | State::Padding { .. }) => {
                Err(malformed(self.members.last(), "it ends within a member (archive section 3.2)"))
            }
            (_, State::Records { .. } | State::RecordsPadding { .. }) | (Members::Run(_), _) => {
                Err(malformed(b"", "it ends within a member (archive section 3.2)"))
            }
            (Members::All(_), State::Index(_)) => Err(malformed(b"", "it ends within its index (archive section 3.4)")),
            (Members::All(_), _) => Err(malformed(b"", "it ends before its index (archive section 3)")),
        }
    }

    /// Takes one or more of `bytes`, which begin at `base` of what was given.
    fn step(&mut self, bytes: &[u8], base: usize, parts: &mut Vec<Part>) -> Result<usize> {
        match &mut self.state {
            State::Header => {
                let (taken, block) = gather::<BLOCK_LEN>(&mut self.held, bytes);
                if let Some(block) = block {
                    self.block(&block, parts)?;
                }
                Ok(taken)
            }
            State::Records { len } => {
                let taken = bytes.len().min(*len - self.held.len());
                self.held.extend_from_slice(&bytes[..taken]);
                if self.held.len() == *len {
                    let left = padding(*len as u64).len();
                    self.records = Some(mem::take(&mut self.held));
                    self.state = if left == 0 { State::Header } else { State::RecordsPadding { left } };
                }
                Ok(taken)
            }
            State::RecordsPadding { left } => {
                let taken = zeros(bytes, left, b"")?;
                if *left == 0 {
                    self.state = State::Header;
                }
                Ok(taken)
            }
            State::Map(map, head) => {
                // The data must have the map and its padding.
                let room = head.stored_len - map.len();
                let most = usize::try_from(room).unwrap_or(usize::MAX).min(bytes.len());
                let rule = |rule| malformed(&head.member.entry.path, rule);
                let taken = map.take(&bytes[..most]).map_err(rule)?;
                if map.is_whole() || map.len() == head.stored_len {
                    self.map_ends(parts)?;
                }
                Ok(taken)
            }
            State::MapPadding { left } => {
                let taken = zeros(bytes, left, self.members.last())?;
                if *left == 0 {
                    self.data_begin(parts);
                }
                Ok(taken)
            }
            State::Data => {
                let taken = self.file.take(bytes.len(), base, parts);
                if self.file.left == 0 {
                    self.data_end(parts);
                }
                Ok(taken)
            }
            State::Padding { left } => {
                let taken = zeros(bytes, left, self.members.last())?;
                if *left == 0 {
                    self.member_ends(parts);
                }
                Ok(taken)
            }
            State::SecondEnd => {
                let (taken, block) = gather::<BLOCK_LEN>(&mut self.held, bytes);
                if let Some(block) = block {
                    if !is_end(&block) {
                        return Err(malformed(b"", "there are no 1024 zeros behind the members (archive section 3)"));
                    }
                    let Members::All(seen) = &mut self.members else { unreachable!("archive: a run has no end") };
                    self.archive_len = Some(self.offset + taken as u64);
                    self.state = State::Index(Box::new(mem::replace(&mut **seen, Seen::new()).index()));
                }
                Ok(taken)
            }
            State::Index(index) => {
                let (taken, is_finished) = index.take(bytes, &mut self.held)?;
                if is_finished {
                    self.state = State::Finished;
                    parts.push(Part::Finished);
                }
                Ok(taken)
            }
            State::Finished => Err(malformed(b"", "there are bytes behind its index (archive section 3.4)")),
        }
    }

    /// Takes the block of an extended header, of a member, or of the end.
    fn block(&mut self, block: &[u8; BLOCK_LEN], parts: &mut Vec<Part>) -> Result<()> {
        if is_end(block) && self.records.is_none() && matches!(self.members, Members::All(_)) {
            self.state = State::SecondEnd;
            return Ok(());
        }
        let header = Header::parse(block).map_err(|rule| malformed(b"", rule))?;
        if header.typeflag == EXTENDED {
            if self.records.is_some() {
                return Err(malformed(b"", "two extended headers stand before one member (archive section 3.2)"));
            }
            let len = usize::try_from(header.size).ok().filter(|len| *len <= RECORDS_MAX_LEN);
            let len = len.ok_or_else(|| malformed(b"", RECORDS_TOO_LONG))?;
            if len == 0 {
                self.records = Some(Vec::new());
            } else {
                self.state = State::Records { len };
            }
            return Ok(());
        }
        let records = self.records.take();
        let head = Head::parse(records.as_deref().unwrap_or_default(), &header)?;
        let extended = records.map_or(0, |records| 1 + blocks(records.len() as u64));
        let blocks = extended + 1 + blocks(head.stored_len);
        self.members.add(&head.member, blocks)?;
        self.totals.members += 1;
        self.totals.file_bytes = self.totals.file_bytes.saturating_add(head.member.entry.size);
        self.file.blocks = blocks;
        self.file.padding = padding(head.stored_len).len();
        if head.is_sparse {
            if head.stored_len == 0 {
                return Err(malformed(&head.member.entry.path, MAP_SHORT));
            }
            let map = MapReader::new(head.member.entry.size);
            self.state = State::Map(Box::new(map), Box::new(head));
        } else {
            let whole = 0..head.stored_len;
            self.begin(head.member, vec![whole], parts);
            self.data_begin(parts);
        }
        Ok(())
    }

    fn map_ends(&mut self, parts: &mut Vec<Part>) -> Result<()> {
        let State::Map(map, head) = mem::replace(&mut self.state, State::Data) else {
            unreachable!("archive: a map was read")
        };
        let Head { mut member, stored_len, .. } = *head;
        let (len, is_whole, regions) = (map.len(), map.is_whole(), map.finish());
        let left = padding(len).len();
        let data_len = regions.iter().map(|region| region.end - region.start).sum::<u64>();
        if !is_whole || stored_len.checked_sub(len + left as u64) != Some(data_len) {
            return Err(malformed(&member.entry.path, MAP_SHORT));
        }
        member.regions = Some(regions.clone());
        self.begin(member, regions, parts);
        if left == 0 {
            self.data_begin(parts);
        } else {
            self.state = State::MapPadding { left };
        }
        Ok(())
    }

    fn begin(&mut self, member: Member, regions: Vec<Range<u64>>, parts: &mut Vec<Part>) {
        self.file.left = member.data_len();
        self.file.at = regions.first().map_or(0, |first| first.start);
        self.file.regions = regions;
        self.file.region = 0;
        parts.push(Part::Begin { member: Box::new(member), offset: self.begins, blocks: self.file.blocks });
        self.begins += self.file.blocks * BLOCK_LEN as u64;
    }

    fn data_begin(&mut self, parts: &mut Vec<Part>) {
        if self.file.left > 0 {
            self.state = State::Data;
        } else {
            self.data_end(parts);
        }
    }

    fn data_end(&mut self, parts: &mut Vec<Part>) {
        if self.file.padding > 0 {
            self.state = State::Padding { left: self.file.padding };
        } else {
            self.member_ends(parts);
        }
    }

    fn member_ends(&mut self, parts: &mut Vec<Part>) {
        parts.push(Part::End);
        self.state = State::Header;
    }
}

const MAP_SHORT: &str = "the data of a sparse file are not a map and its regions (archive section 3.3)";

impl Members {
    /// The path of the last member; empty if there was none.
    fn last(&self) -> &[u8] {
        match self {
            Self::All(seen) => seen.entries.last(),
            Self::Run(order) => order.last(),
        }
    }

    /// Checks the place of a member.
    fn add(&mut self, member: &Member, blocks: u64) -> Result<()> {
        let entry = member.entry.borrow();
        match self {
            Self::All(seen) => {
                seen.entries.add(entry, blocks, &mut seen.encoded)?;
                if entry.kind == MemberKind::HardLink {
                    seen.linked.push(name_of(entry.link));
                }
                if seen.encoded.len() >= HASHED_LEN {
                    seen.digest.update(&seen.encoded);
                    seen.encoded.clear();
                }
            }
            Self::Run(order) if order.count() == 0 => order.begin(entry.path, entry.kind)?,
            Self::Run(order) => {
                let shared = shared_len(order.last(), entry.path);
                order.add(shared, &entry.path[shared..], entry.kind)?;
            }
        }
        Ok(())
    }
}

impl Seen {
    fn new() -> Self {
        let (entries, encoded, linked) = (Entries::default(), Vec::new(), Vec::new());
        Self { entries, encoded, digest: Sha256::new(), linked }
    }

    /// Behind the last member.
    fn index(mut self) -> Index {
        self.digest.update(&self.encoded);
        let locator = self.entries.locator();
        let mut names = self.linked;
        names.sort_unstable();
        names.dedup();
        let links = (!names.is_empty()).then(|| {
            let is_file = vec![false; names.len()];
            Links { reader: IndexReader::new(&locator), names, is_file }
        });
        let (expected, digest) = (self.digest.finish(), Sha256::new());
        let entries = locator.entries();
        Index { locator, part: IndexPart::Header, expected, digest, left: entries.end - entries.start, links }
    }
}

impl Index {
    /// Takes one or more bytes of the index, and returns their number, and whether the index is complete.
    fn take(&mut self, bytes: &[u8], held: &mut Vec<u8>) -> Result<(usize, bool)> {
        let differs = || malformed(b"", DIFFERS);
        let taken = match self.part {
            IndexPart::Header => {
                let (taken, block) = gather::<BLOCK_LEN>(held, bytes);
                if let Some(block) = block {
                    // Another length of the entries is another size.
                    if block != self.locator.header() {
                        return Err(differs());
                    }
                    self.part = if self.left > 0 { IndexPart::Entries } else { IndexPart::Zeros };
                }
                taken
            }
            IndexPart::Entries => {
                // A piece is copied for the names of links.
                let most = if self.links.is_some() { LINKS_PIECE_LEN } else { usize::MAX };
                let taken = bytes.len().min(most).min(usize::try_from(self.left).unwrap_or(usize::MAX));
                self.digest.update(&bytes[..taken]);
                self.links.as_mut().map_or(Ok(()), |links| links.take(&bytes[..taken]))?;
                self.left -= taken as u64;
                if self.left == 0 {
                    if mem::replace(&mut self.digest, Sha256::new()).finish() != self.expected {
                        return Err(differs());
                    }
                    self.part = IndexPart::Zeros;
                }
                taken
            }
            IndexPart::Zeros => {
                let taken = bytes.len().min(self.locator.zeros_len() - held.len());
                held.extend_from_slice(&bytes[..taken]);
                if held.len() == self.locator.zeros_len() {
                    if !is_zero(held) {
                        return Err(differs());
                    }
                    held.clear();
                    self.part = IndexPart::Locator;
                }
                taken
            }
            IndexPart::Locator => {
                let (taken, locator) = gather::<LOCATOR_LEN>(held, bytes);
                if locator.is_some_and(|locator| locator != self.locator.to_bytes()) {
                    return Err(differs());
                }
                return Ok((taken, locator.is_some()));
            }
        };
        Ok((taken, false))
    }
}

/// Bytes of the index of which a copy is made at a time.
const LINKS_PIECE_LEN: usize = 1 << 16;

impl Links {
    /// Takes entries of the index.
    fn take(&mut self, bytes: &[u8]) -> Result<()> {
        self.reader.take(bytes);
        while let Some(Listed { entry, .. }) = self.reader.next()? {
            let name = match entry.kind {
                MemberKind::File => entry.path,
                MemberKind::HardLink => entry.link,
                _ => continue,
            };
            let found = self.names.binary_search(&name_of(name)).ok().map(|at| &mut self.is_file[at]);
            if entry.kind == MemberKind::HardLink && found.as_deref() != Some(&true) {
                return Err(malformed(entry.path, "a hard link does not name a file before it (archive section 3.2)"));
            }
            if let Some(is_file) = found {
                *is_file = true;
            }
        }
        Ok(())
    }
}

impl File {
    /// Takes up to `len` bytes of data, which begin at `base` of what was given.
    fn take(&mut self, len: usize, base: usize, parts: &mut Vec<Part>) -> usize {
        let region = &self.regions[self.region];
        let taken = usize::try_from(region.end - self.at).unwrap_or(usize::MAX).min(len);
        parts.push(Part::Data { at: self.at, range: base..base + taken });
        self.at += taken as u64;
        self.left -= taken as u64;
        if self.at == region.end {
            self.region += 1;
            self.at = self.regions.get(self.region).map_or(self.at, |next| next.start);
        }
        taken
    }
}

/// Takes bytes until there are `LEN` of them, and returns the number that was taken, and all of them.
fn gather<const LEN: usize>(held: &mut Vec<u8>, bytes: &[u8]) -> (usize, Option<[u8; LEN]>) {
    let taken = bytes.len().min(LEN - held.len());
    held.extend_from_slice(&bytes[..taken]);
    let whole = <[u8; LEN]>::try_from(&held[..]).ok();
    if whole.is_some() {
        held.clear();
    }
    (taken, whole)
}

/// Takes up to `left` zeros of padding, and returns their number.
fn zeros(bytes: &[u8], left: &mut usize, path: &[u8]) -> Result<usize> {
    let taken = bytes.len().min(*left);
    if !is_zero(&bytes[..taken]) {
        return Err(malformed(path, "the padding is not zero (archive section 3.2)"));
    }
    *left -= taken;
    Ok(taken)
}

#[cfg(test)]
#[path = "splitter_tests.rs"]
mod tests;
