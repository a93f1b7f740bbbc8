//! The index (section 3.4).

use super::block::{Header, NUMBER_MAX, padding};
use super::packed::Packed;
use super::path::{Fault, MEMBERS_MAX, Order, PATH_MAX_LEN, shared_len};
use super::{BLOCK_LEN, END, Entry, EntryRef, LINK_MAX_LEN, Member, MemberKind, Time, is_zero, malformed};
use crate::error::{Error, Result};
use std::iter;
use std::ops::Range;

pub(crate) const LOCATOR_LEN: usize = 32;
const MAGIC: &[u8; 8] = b"SEALIDX\x01";
const NAME: &[u8] = b".sealstone-index";
const MODE: u32 = 0o600;
/// The most bytes of entries: with the locator, the size fits in the field of a header block.
const ENTRIES_MAX_LEN: u64 = NUMBER_MAX / BLOCK_LEN as u64 * BLOCK_LEN as u64 - LOCATOR_LEN as u64;
/// Bytes of the shortest entry: eight numbers of one byte, and a path of one.
const ENTRY_MIN_LEN: u64 = 9;

const LOCATOR_RULE: &str = "the locator of the index is wrong (archive section 3.4)";
const ENTRY_RULE: &str = "an entry of the index breaks a rule (archive section 3.4)";
pub(crate) const MEMBER_DIFFERS: &str = "a member differs from its entry (archive section 4.2)";
pub(super) const DIFFERS: &str = "the index differs from the members (archive section 3.4)";

/// The lengths of an archive with its index, which its last 32 bytes tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Locator {
    archive_len: u64,
    entries_len: u64,
    members: u64,
}

impl Locator {
    /// Reads the last 32 bytes of an archive of `content_len` bytes.
    ///
    /// # Errors
    /// [`Error::MalformedArchive`] if no index with these lengths ends at `content_len`.
    pub(crate) fn read(bytes: &[u8; LOCATOR_LEN], content_len: u64) -> Result<Self> {
        let number = |at: usize| u64::from_be_bytes(bytes[at..at + 8].try_into().expect("archive: eight bytes"));
        let locator = Self { archive_len: number(8), entries_len: number(16), members: number(24) };
        if bytes[..MAGIC.len()] != *MAGIC {
            return Err(malformed(b"", "it does not end with the locator of an index (archive section 3.4)"));
        }
        let Self { archive_len, entries_len, members } = locator;
        let is_sound = members <= MEMBERS_MAX
            && entries_len <= ENTRIES_MAX_LEN
            && entries_len >= members * ENTRY_MIN_LEN
            && (members > 0 || entries_len == 0)
            && archive_len % BLOCK_LEN as u64 == 0
            && archive_len >= END.len() as u64 + members * BLOCK_LEN as u64
            && archive_len.checked_add(locator.index_len()) == Some(content_len);
        if is_sound { Ok(locator) } else { Err(malformed(b"", LOCATOR_RULE)) }
    }

    pub(super) fn to_bytes(self) -> [u8; LOCATOR_LEN] {
        let mut bytes = [0; LOCATOR_LEN];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..16].copy_from_slice(&self.archive_len.to_be_bytes());
        bytes[16..24].copy_from_slice(&self.entries_len.to_be_bytes());
        bytes[24..].copy_from_slice(&self.members.to_be_bytes());
        bytes
    }

    /// The number of members.
    pub(crate) fn members(&self) -> u64 {
        self.members
    }

    /// The offset of the index's header block: bytes of all members, and of the end.
    pub(crate) fn archive_len(&self) -> u64 {
        self.archive_len
    }

    /// Where the entries are in the content.
    pub(crate) fn entries(&self) -> Range<u64> {
        let begin = self.archive_len + BLOCK_LEN as u64;
        begin..begin + self.entries_len
    }

    /// Where the zeros between the entries and the locator are in the content: under 512 bytes.
    pub(crate) fn zeros(&self) -> Range<u64> {
        let begin = self.entries().end;
        begin..begin + self.zeros_len() as u64
    }

    /// Checks the index's header block, which stands before the entries, and the zeros behind the entries.
    ///
    /// # Errors
    /// [`Error::MalformedArchive`] if they are other bytes.
    pub(crate) fn check(&self, header: &[u8], zeros: &[u8]) -> Result<()> {
        if header != self.header() {
            return Err(malformed(b"", "the header block of the index is wrong (archive section 3.4)"));
        }
        if zeros.len() != self.zeros_len() || !is_zero(zeros) {
            return Err(malformed(b"", "the entries of the index do not end with zeros (archive section 3.4)"));
        }
        Ok(())
    }

    pub(super) fn header(&self) -> [u8; BLOCK_LEN] {
        let size = self.index_len() - BLOCK_LEN as u64;
        let typeflag = MemberKind::File.typeflag();
        Header { name: NAME, mode: MODE, size, typeflag, ..Header::default() }.write()
    }

    /// Bytes of the whole index.
    fn index_len(&self) -> u64 {
        BLOCK_LEN as u64 + self.entries_len + self.zeros_len() as u64 + LOCATOR_LEN as u64
    }

    pub(super) fn zeros_len(&self) -> usize {
        padding(self.entries_len + LOCATOR_LEN as u64).len()
    }

    /// Blocks of all members.
    fn blocks(&self) -> u64 {
        (self.archive_len - END.len() as u64) / BLOCK_LEN as u64
    }
}

/// Makes the index while an archive is written.
///
/// It holds the entries as the index has them, compressed: of a member some 20 bytes and the bytes in which its path differs from the path
/// before, or a third of them.
#[derive(Default)]
pub(crate) struct IndexWriter {
    entries: Entries,
    encoded: Vec<u8>,
    packed: Packed,
}

impl IndexWriter {
    /// Adds the next member with its number of blocks ([`Member::write_head`]).
    ///
    /// # Errors
    /// [`Error::MalformedArchive`] if the member breaks a rule of [`Entry`] or of the order, if its folder is missing,
    /// or if there are 2^26 members or 2^33 bytes of entries. The index is as before then, so that the member can be
    /// left out.
    pub(crate) fn add(&mut self, entry: &Entry, blocks: u64) -> Result<()> {
        entry.borrow().check().map_err(|rule| malformed(&entry.path, rule))?;
        self.encoded.clear();
        self.entries.add(entry.borrow(), blocks, &mut self.encoded)?;
        self.packed.push(&self.encoded);
        Ok(())
    }

    /// The number of members so far.
    pub(crate) fn members(&self) -> u64 {
        self.entries.locator().members
    }

    /// Bytes of all members so far, and of the end: the offset of the index.
    #[cfg(test)]
    pub(crate) fn archive_len(&self) -> u64 {
        self.entries.locator().archive_len
    }

    /// The whole index, in pieces of at most 64 KiB.
    pub(crate) fn finish(self) -> impl Iterator<Item = Vec<u8>> {
        let locator = self.entries.locator();
        let mut tail = vec![0; locator.zeros_len()];
        tail.extend_from_slice(&locator.to_bytes());
        iter::once(locator.header().to_vec()).chain(self.packed.into_pieces()).chain(iter::once(tail))
    }
}

/// Encodes entries, and checks the order of their paths.
#[derive(Default)]
pub(super) struct Entries {
    order: Order,
    blocks: u64,
    len: u64,
}

impl Entries {
    /// Appends the only entry of a member that section 3.4 allows. The rules of [`EntryRef::check`] hold.
    pub(super) fn add(&mut self, entry: EntryRef<'_>, blocks: u64, out: &mut Vec<u8>) -> Result<()> {
        let shared = shared_len(self.order.last(), entry.path);
        let rest = &entry.path[shared..];
        let begin = out.len();
        let Time { seconds, nanoseconds } = entry.modified;
        out.push(entry.kind.typeflag());
        put_varint(out, shared as u64);
        put_bytes(out, rest);
        // Every bit of a negative number is turned: 2 * -(s + 1) + 1.
        let seconds = (seconds << 1 ^ seconds >> 63).cast_unsigned();
        for number in [blocks, entry.size, seconds, nanoseconds.into(), entry.mode.into()] {
            put_varint(out, number);
        }
        if entry.kind.is_link() {
            put_bytes(out, entry.link);
        }
        let len = self.len + (out.len() - begin) as u64;
        if len > ENTRIES_MAX_LEN {
            out.truncate(begin);
            return Err(malformed(entry.path, "the index has over 2^33 bytes (archive section 3.4)"));
        }
        if let Err(fault) = self.order.add(shared, rest, entry.kind) {
            out.truncate(begin);
            return Err(fault.into());
        }
        self.len = len;
        self.blocks += blocks;
        Ok(())
    }

    /// The path of the last member; empty if there was none.
    pub(super) fn last(&self) -> &[u8] {
        self.order.last()
    }

    /// The locator of the entries so far.
    pub(super) fn locator(&self) -> Locator {
        let archive_len = self.blocks * BLOCK_LEN as u64 + END.len() as u64;
        Locator { archive_len, entries_len: self.len, members: self.order.count() }
    }
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

/// Reads the entries of an index from pieces of any length, and checks their rules and their sums.
///
/// It holds the piece that it was given and at most one entry more, which has under 9 KiB. Whether the name of a hard
/// link is that of a file is not known from here; it names a path before it.
///
/// ```text
/// let mut reader = IndexReader::new(&locator);
/// for piece in pieces_of(locator.entries()) {
///     reader.take(piece);
///     while let Some(listed) = reader.next()? { … }
/// }
/// ```
pub(crate) struct IndexReader {
    locator: Locator,
    order: Order,
    bytes: Vec<u8>,
    /// The last entry.
    entry: Parsed,
    /// Where the next entry begins in `bytes`.
    at: usize,
    /// Bytes of entries that were not taken yet.
    left: u64,
    /// Blocks of the members so far.
    blocks: u64,
}

/// A member as the index has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Listed<'a> {
    pub(crate) entry: EntryRef<'a>,
    /// The offset of the member's first block in the content.
    pub(crate) offset: u64,
    /// The number of blocks of the whole member.
    pub(crate) blocks: u64,
}

impl Listed<'_> {
    /// Checks that the member at the offset is the one of the entry (section 4.2).
    ///
    /// # Errors
    /// [`Error::MalformedArchive`] if they differ.
    pub(crate) fn check(&self, member: &Member, blocks: u64) -> Result<()> {
        if self.entry == member.entry.borrow() && self.blocks == blocks {
            return Ok(());
        }
        Err(malformed(self.entry.path, MEMBER_DIFFERS))
    }
}

impl IndexReader {
    /// Begins before the first entry.
    pub(crate) fn new(locator: &Locator) -> Self {
        let (order, bytes, entry) = (Order::default(), Vec::new(), Parsed::default());
        Self { locator: *locator, order, bytes, entry, at: 0, left: locator.entries_len, blocks: 0 }
    }

    /// Takes the next bytes of the entries.
    ///
    /// # Panics
    /// If there are more than the locator says.
    pub(crate) fn take(&mut self, piece: &[u8]) {
        self.left = self.left.checked_sub(piece.len() as u64).expect("archive: a piece of the entries");
        self.bytes.drain(..self.at);
        self.at = 0;
        self.bytes.extend_from_slice(piece);
    }

    /// The next member. `None` if its entry is not wholly there, and behind the last one.
    ///
    /// # Errors
    /// [`Error::MalformedArchive`] for a broken rule, also behind the last entry: for other sums than the locator has.
    /// Nothing follows an error.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<Listed<'_>>> {
        if !self.step()? {
            return Ok(None);
        }
        // It is composed here, where the caller has it in registers: a copy of all of it takes as long as parsing does.
        let Parsed { blocks, .. } = self.entry;
        Ok(Some(Listed { entry: self.last(), offset: (self.blocks - blocks) * BLOCK_LEN as u64, blocks }))
    }

    /// The last entry.
    #[inline]
    fn last(&self) -> EntryRef<'_> {
        let Parsed { kind, size, mode, modified, ref link, .. } = self.entry;
        EntryRef { path: self.order.last(), kind, size, mode, modified, link: &self.bytes[link.clone()] }
    }

    /// Goes to the next entry; `false` if there is none, or not all of it.
    fn step(&mut self) -> Result<bool> {
        match self.entry.parse(&self.bytes, self.at) {
            Ok(()) => {}
            Err(Stop::Rule) => return Err(malformed(b"", ENTRY_RULE)),
            Err(Stop::Short) if self.left > 0 => return Ok(false),
            Err(Stop::Short) => {
                let sums = self.locator.blocks() == self.blocks && self.locator.members == self.order.count();
                let is_end = self.at == self.bytes.len();
                return if sums && is_end { Ok(false) } else { Err(malformed(b"", LOCATOR_RULE)) };
            }
        }
        let Parsed { kind, shared, ref rest, blocks, end, .. } = self.entry;
        let last = self.order.last();
        // As many as possible, and not more than there are.
        let rest = &self.bytes[rest.clone()];
        if shared > last.len() || (shared < last.len() && rest.first() == Some(&last[shared])) {
            return Err(malformed(b"", ENTRY_RULE));
        }
        let sum = self.blocks.checked_add(blocks).filter(|sum| blocks > 0 && *sum <= self.locator.blocks());
        self.order.add(shared, rest, kind)?;
        let entry = self.last();
        entry.check().map_err(|rule| malformed(entry.path, rule))?;
        let rule = "the blocks of an entry are wrong (archive section 3.4)";
        self.blocks = sum.ok_or_else(|| malformed(entry.path, rule))?;
        self.at = end;
        Ok(true)
    }
}

/// An entry whose bytes are in the order and with the limits of section 3.4.
struct Parsed {
    kind: MemberKind,
    shared: usize,
    rest: Range<usize>,
    blocks: u64,
    size: u64,
    mode: u32,
    modified: Time,
    link: Range<usize>,
    /// Where it ends.
    end: usize,
}

/// Why there is no entry.
enum Stop {
    /// It is not wholly there.
    Short,
    /// It breaks a rule.
    Rule,
}

impl Default for Parsed {
    fn default() -> Self {
        let modified = Time { seconds: 0, nanoseconds: 0 };
        let (kind, shared, rest, link) = (MemberKind::File, 0, 0..0, 0..0);
        Self { kind, shared, rest, blocks: 0, size: 0, mode: 0, modified, link, end: 0 }
    }
}

impl Parsed {
    /// Parses the entry that begins at `at`. After an error it is of no use.
    fn parse(&mut self, bytes: &[u8], at: usize) -> std::result::Result<(), Stop> {
        let mut cursor = Cursor { bytes, at };
        self.kind = MemberKind::of_typeflag(cursor.byte()?).ok_or(Stop::Rule)?;
        self.shared = cursor.length(PATH_MAX_LEN)?;
        self.rest = cursor.range(PATH_MAX_LEN)?;
        (self.blocks, self.size) = (cursor.varint()?, cursor.varint()?);
        let seconds = cursor.varint()?;
        let nanoseconds = u32::try_from(cursor.varint()?).map_err(|_| Stop::Rule)?;
        self.modified = Time { seconds: (seconds >> 1).cast_signed() ^ -(seconds & 1).cast_signed(), nanoseconds };
        self.mode = u32::try_from(cursor.varint()?).map_err(|_| Stop::Rule)?;
        self.link = if self.kind.is_link() { cursor.range(LINK_MAX_LEN)? } else { 0..0 };
        self.end = cursor.at;
        Ok(())
    }
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// All of it is inlined, so that the position stays in a register.
#[expect(clippy::inline_always, reason = "entries were parsed at half the speed")]
impl Cursor<'_> {
    #[inline(always)]
    fn byte(&mut self) -> std::result::Result<u8, Stop> {
        let byte = *self.bytes.get(self.at).ok_or(Stop::Short)?;
        self.at += 1;
        Ok(byte)
    }

    /// A number: seven bits of each byte, the least significant ones first. The top bit says that more follow.
    #[inline(always)]
    fn varint(&mut self) -> std::result::Result<u64, Stop> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if let Some(bytes) = rest.first_chunk::<8>() {
            // The numbers of a field are alike long, so the processor predicts each branch and parses several numbers at once.
            let mut value = u64::from(bytes[0] & 0x7f);
            for len in 1..bytes.len() {
                if bytes[len - 1] < 0x80 {
                    self.at += len;
                    return if len == 1 || bytes[len - 1] != 0 { Ok(value) } else { Err(Stop::Rule) };
                }
                value |= u64::from(bytes[len] & 0x7f) << (7 * len);
            }
        }
        let (value, len) = long_varint(rest)?;
        self.at += len;
        Ok(value)
    }

    #[inline(always)]
    fn length(&mut self, most: usize) -> std::result::Result<usize, Stop> {
        usize::try_from(self.varint()?).ok().filter(|len| *len <= most).ok_or(Stop::Rule)
    }

    /// A length of at most `most`, and bytes of this length.
    #[inline(always)]
    fn range(&mut self, most: usize) -> std::result::Result<Range<usize>, Stop> {
        let len = self.length(most)?;
        let range = self.at..self.at + len;
        if range.end > self.bytes.len() {
            return Err(Stop::Short);
        }
        self.at = range.end;
        Ok(range)
    }
}

/// A number of over seven bytes, or one near the end; and its length.
#[cold]
fn long_varint(bytes: &[u8]) -> std::result::Result<(u64, usize), Stop> {
    let mut value = 0;
    for (i, byte) in bytes.iter().take(10).enumerate() {
        let (bits, shift) = (u64::from(byte & 0x7f), 7 * i);
        value |= bits << shift;
        if *byte < 0x80 {
            // The last byte is not 0, and no bit is lost at the top.
            let is_canonical = (*byte != 0 || i == 0) && value >> shift == bits;
            return if is_canonical { Ok((value, i + 1)) } else { Err(Stop::Rule) };
        }
    }
    Err(if bytes.len() < 10 { Stop::Short } else { Stop::Rule })
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        malformed(&fault.path, fault.rule)
    }
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;
