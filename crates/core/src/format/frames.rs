//! Content in compressed frames, and their seek table (archive section 2).

use crate::error::{Error, Result};
use crate::pipeline::{Buffer, Pack, Unpack, Wiped};
use crate::provider::zstd::{self, Compressor, Decompressor};
use std::collections::VecDeque;
use std::ops::Range;

/// Whether and how the content of a file is compressed.
///
/// # Security
/// The length of a compressed file tells about its content. If an attacker can put bytes of their own beside a secret into one file, and
/// sees the lengths of several such files, they can guess the secret. Do not compress such content.
///
/// ```
/// use sealstone::{Compression, Decryptor, Encryptor, Identity, Kind};
///
/// let identity = Identity::generate(Kind::X25519)?;
/// let encryptor = Encryptor::new([identity.recipient()]).compression(Compression::Auto);
/// let file = encryptor.encrypt(&[7; 1_000_000])?;
/// assert!(file.len() < 1000);
/// assert_eq!(Decryptor::new([identity]).decrypt(&file)?, [7; 1_000_000]);
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Compression {
    /// Not compressed.
    #[default]
    None,
    /// Compressed at level 3 of Zstandard where a sample shrinks, and stored elsewhere.
    Auto,
    /// Compressed at a level of Zstandard: 1 (fast) to 22 (small). Levels above 19 take much memory.
    Zstd(u8),
}

impl Compression {
    /// The level of Zstandard that is used by default.
    pub const DEFAULT_LEVEL: u8 = 3;

    /// Refuses a level that there is not.
    pub(crate) fn check(self) -> Result<()> {
        match self {
            Self::Zstd(level) if !(1..=22).contains(&level) => {
                Err(Error::InvalidOption("a level of compression is 1 to 22"))
            }
            _ => Ok(()),
        }
    }
}

/// Bytes of content in every frame that is written, but the last. Of the frames of one text, those of 1 MiB together were 8 % longer than
/// one frame of it all, those of 2 MiB 3 % and those of 4 MiB 1 % (docs/design/archive.md).
pub(crate) const FRAME_LEN: usize = 2 << 20;
/// The most bytes of content in a frame that is read.
const FRAME_MAX: u64 = 1 << 23;
/// The most bytes of a frame.
const PACKED_MAX: usize = (1 << 23) + (1 << 16);
/// The most frames.
const FRAMES_MAX: usize = 1 << 27;
/// The most bytes of content (archive section 5).
const CONTENT_MAX: u64 = (1 << 52) - 1;
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The most bytes of a block, by RFC 8878 section 3.1.1.2.
const BLOCK_MAX: usize = 128 << 10;

/// Packs parts of content into frames.
pub(crate) struct Framer(pub(crate) Compression);

/// The memory of a worker that packs.
pub(crate) struct Framing {
    compressor: Option<Compressor>,
    /// Compresses samples.
    sampler: Option<Compressor>,
    frame: Wiped,
    /// The headers of a frame of raw blocks.
    heads: Vec<u8>,
}

impl Pack for Framer {
    type Worker = Framing;

    const PART_MOST: usize = FRAME_LEN;
    const MOST: usize = FRAME_LEN + FRAME_LEN / 128 + 1024;

    fn worker(&self) -> Framing {
        let level = match self.0 {
            Compression::None => None,
            Compression::Auto => Some(Compression::DEFAULT_LEVEL),
            Compression::Zstd(level) => Some(level),
        };
        // Its own memory, and the lowest level: a frame's memory would be set up anew for each sample.
        let sampler = (self.0 == Compression::Auto).then(|| Compressor::new(1));
        let compressor = level.map(|level| Compressor::new(level.into()));
        Framing { compressor, sampler, frame: Wiped::default(), heads: Vec::new() }
    }

    fn pack<'b>(&self, worker: &'b mut Framing, part: &'b [u8]) -> Result<Vec<&'b [u8]>> {
        let Framing { compressor, sampler, frame, heads } = worker;
        let Some(compressor) = compressor else { return Ok(vec![part]) };
        if part.is_empty() {
            return Ok(Vec::new());
        }
        let bound = zstd::bound(part.len());
        if frame.len() < bound {
            frame.set_len(bound);
        }
        if sampler.as_mut().is_none_or(|sampler| shrinks(part, sampler, frame)) {
            let len = compressor.compress(part, frame);
            if len < part.len() {
                return Ok(vec![&frame[..len]]);
            }
        }
        Ok(store(part, heads))
    }
}

/// Makes a frame of raw blocks.
fn store<'b>(part: &'b [u8], heads: &'b mut Vec<u8>) -> Vec<&'b [u8]> {
    heads.clear();
    heads.extend_from_slice(&MAGIC);
    // A single segment, and a content size of 4 bytes (RFC 8878 section 3.1.1.1.1).
    heads.push(0xa0);
    heads.extend_from_slice(&u32::try_from(part.len()).expect("frames: a part is short").to_le_bytes());
    let first_len = heads.len() + BLOCK_HEAD_LEN;
    let blocks = part.len().div_ceil(BLOCK_MAX);
    for (i, block) in part.chunks(BLOCK_MAX).enumerate() {
        let head = u32::from(i + 1 == blocks) | u32::try_from(block.len()).expect("frames: a block is short") << 3;
        heads.extend_from_slice(&head.to_le_bytes()[..BLOCK_HEAD_LEN]);
    }
    let (first, rest) = heads.split_at(first_len);
    let heads = std::iter::once(first).chain(rest.chunks(BLOCK_HEAD_LEN));
    heads.zip(part.chunks(BLOCK_MAX)).flat_map(|(head, block)| [head, block]).collect()
}

const BLOCK_HEAD_LEN: usize = 3;

/// Bytes between two samples, and of one sample: 16 of each MiB.
const SAMPLE_STEP: usize = 1 << 16;
const SAMPLE_LEN: usize = 1 << 10;

/// Whether a part shrinks, by a sample of it. The sample is compressed in each MiB, since one part can hold files of several types.
fn shrinks(part: &[u8], sampler: &mut Compressor, frame: &mut [u8]) -> bool {
    let mut sample = [0; (1 << 20) / SAMPLE_STEP * SAMPLE_LEN];
    part.chunks(1 << 20).any(|mib| {
        let mut len = 0;
        for step in mib.chunks(SAMPLE_STEP) {
            // From the middle: the beginnings of files and their headers in an archive are alike.
            let at = (step.len() / 2).min(step.len().saturating_sub(SAMPLE_LEN));
            let piece = &step[at..step.len().min(at + SAMPLE_LEN)];
            sample[len..len + piece.len()].copy_from_slice(piece);
            len += piece.len();
        }
        let packed = sampler.compress(&sample[..len], frame);
        packed < len - len / 32
    })
}

/// A frame whose end was found.
struct Frame {
    /// Its bytes.
    range: Range<usize>,
    /// Bytes of its content, by its header.
    len: usize,
}

/// The beginning of a frame, whose end is not found yet.
#[derive(Clone, Copy)]
struct Open {
    /// The offset of the next block's header.
    at: usize,
    len: usize,
    /// The most bytes of a block, and of its content.
    block_max: usize,
    has_checksum: bool,
}

fn malformed(rule: &'static str) -> Error {
    Error::MalformedCompression(rule)
}

impl Open {
    /// Reads the header of the frame at the beginning of `bytes`; `None` if more bytes are needed (RFC 8878 section 3.1.1.1).
    fn begin(bytes: &[u8]) -> Result<Option<Self>> {
        let known = bytes.len().min(MAGIC.len());
        if bytes[..known] != MAGIC[..known] {
            return Err(malformed("there is neither a frame nor the seek table (archive section 2.1)"));
        }
        let Some(&descriptor) = bytes.get(4) else { return Ok(None) };
        let is_single = descriptor & 0x20 != 0;
        if descriptor & 0x08 != 0 {
            return Err(malformed("a frame has a reserved bit (RFC 8878)"));
        }
        if descriptor & 3 != 0 {
            return Err(malformed("a frame names a dictionary (archive section 2.1)"));
        }
        let window_head_len = usize::from(!is_single);
        let size_len = match (descriptor >> 6, is_single) {
            (0, false) => return Err(malformed("a frame does not say its content's length (archive section 2.1)")),
            (0, true) => 1,
            (1, _) => 2,
            (2, _) => 4,
            _ => 8,
        };
        let at = 5 + window_head_len + size_len;
        let Some(head) = bytes.get(5..at) else { return Ok(None) };
        let mut window_len = u64::MAX;
        if let (Some(&window), false) = (head.first(), is_single) {
            let base = 1_u64 << (10 + (window >> 3));
            window_len = base + base / 8 * u64::from(window & 7);
            if window_len > FRAME_MAX {
                return Err(malformed("a frame needs a window of over 8 MiB (archive section 2.1)"));
            }
        }
        let mut size = [0; 8];
        size[..size_len].copy_from_slice(&head[window_head_len..]);
        let len = u64::from_le_bytes(size) + if size_len == 2 { 256 } else { 0 };
        if len == 0 || len > FRAME_MAX {
            return Err(malformed("a frame has no content, or over 8 MiB (archive section 2.1)"));
        }
        let len = usize::try_from(len).expect("frames: 8 MiB");
        let window_len = if is_single { len } else { usize::try_from(window_len).expect("frames: 8 MiB") };
        Ok(Some(Self { at, len, block_max: window_len.min(BLOCK_MAX), has_checksum: descriptor & 4 != 0 }))
    }

    /// Goes on to the end of the frame in `bytes`, which begin with it; returns the frame's length, or `None` if more bytes are
    /// needed.
    fn end(&mut self, bytes: &[u8]) -> Result<Option<usize>> {
        while let Some(head) = bytes.get(self.at..self.at + BLOCK_HEAD_LEN) {
            let head = u32::from_le_bytes([head[0], head[1], head[2], 0]);
            if (head >> 3) as usize > self.block_max {
                return Err(malformed("a frame has a block of over 128 KiB, or over its window (RFC 8878)"));
            }
            let len = match head >> 1 & 3 {
                // A block of one byte, repeated.
                1 => 1,
                3 => return Err(malformed("a frame has a block of a reserved type (RFC 8878)")),
                _ => (head >> 3) as usize,
            };
            self.at += BLOCK_HEAD_LEN + len;
            if head & 1 != 0 {
                let end = self.at + if self.has_checksum { 4 } else { 0 };
                if end > PACKED_MAX {
                    return Err(TOO_LONG);
                }
                self.at -= BLOCK_HEAD_LEN + len;
                return Ok((end <= bytes.len()).then_some(end));
            }
            if self.at > PACKED_MAX {
                return Err(TOO_LONG);
            }
        }
        Ok(None)
    }
}

const DIFFERS: Error = Error::MalformedCompression("a frame differs from the seek table (archive section 2.2)");
const TOO_LONG: Error = Error::MalformedCompression("a frame is longer than its content can be (archive section 2.1)");

/// The lengths of frames, packed and unpacked, in order.
pub(crate) type Lengths = Vec<(u32, u32)>;

/// Cuts frames, and unpacks them.
pub(crate) struct Deframer;

/// The state of cutting frames.
#[derive(Default)]
pub(crate) struct FrameCutter {
    /// The beginning of a frame, or of the seek table.
    rest: Wiped,
    open: Option<Open>,
    /// The frames so far.
    lengths: Lengths,
    /// The bytes of content of the frames so far.
    content_len: u64,
    /// The bytes of the seek table; `None` before it begins.
    table: Option<Vec<u8>>,
    /// Whether some frames are read, and neither all of them nor the table.
    is_part: bool,
    /// The frames of the table, if it was read before.
    expected: Option<Lengths>,
}

impl FrameCutter {
    /// Cuts all frames and the table, and compares these with the frames of the table that was read before, if it was.
    pub(crate) fn all(expected: Option<Lengths>) -> Self {
        Self { expected, ..Self::default() }
    }

    /// Cuts these frames, whose content begins at an offset.
    pub(crate) fn part(expected: Lengths, content_at: u64) -> Self {
        Self { expected: Some(expected), content_len: content_at, is_part: true, ..Self::default() }
    }

    /// The bytes of content of all frames.
    pub(crate) fn content_len(&self) -> u64 {
        self.content_len
    }

    /// The bytes of all frames and of the table.
    pub(crate) fn stored_len(&self) -> u64 {
        let table_len = TABLE_EXTRA_LEN as u64 + 8 * self.lengths.len() as u64;
        self.lengths.iter().map(|(packed, _)| u64::from(*packed)).sum::<u64>() + table_len
    }

    /// Cuts the frames in `bytes` out; returns their end. The seek table follows them, or a frame that is not whole.
    fn cut_frames(&mut self, bytes: &[u8], frames: &mut VecDeque<Frame>) -> Result<usize> {
        let mut at = 0;
        loop {
            let rest = &bytes[at..];
            if rest.is_empty() || rest.starts_with(&TABLE_MAGIC) || rest.len() < 4 && TABLE_MAGIC.starts_with(rest) {
                return Ok(at);
            }
            let mut open = match self.open.take() {
                Some(open) => open,
                None => match Open::begin(rest)? {
                    Some(open) => open,
                    None => return Ok(at),
                },
            };
            let Some(len) = open.end(rest)? else {
                self.open = Some(open);
                return Ok(at);
            };
            let lengths = (u32::try_from(len).expect("frames: 9 MiB"), u32::try_from(open.len).expect("frames: 8 MiB"));
            if self.expected.as_ref().is_some_and(|expected| expected.get(self.lengths.len()) != Some(&lengths)) {
                return Err(DIFFERS);
            }
            self.lengths.push(lengths);
            self.content_len += open.len as u64;
            if self.lengths.len() > FRAMES_MAX || self.content_len > CONTENT_MAX {
                return Err(Error::TooLong);
            }
            frames.push_back(Frame { range: at..at + len, len: open.len });
            at += len;
        }
    }

    /// Makes room for the rest of the frame whose beginning is there, if its length is known.
    fn make_room(&mut self) {
        let expected = self.expected.as_ref().and_then(|expected| expected.get(self.lengths.len()));
        if let Some((packed, _)) = expected
            && !self.rest.is_empty()
        {
            self.rest.make_room((*packed as usize).saturating_sub(self.rest.len()));
        }
    }

    /// Refuses frames that are not all there, if some frames are cut.
    pub(crate) fn finish_part(&self) -> Result<()> {
        if self.expected.as_ref().is_some_and(|expected| expected.len() != self.lengths.len()) || !self.rest.is_empty()
        {
            return Err(DIFFERS);
        }
        Ok(())
    }

    /// Compares the table behind the frames with the frames.
    fn finish(&self) -> Result<()> {
        let Some(table) = &self.table else { return Err(malformed("there is no seek table (archive section 2.2)")) };
        if *table != write_table(&self.lengths)? {
            return Err(malformed("the seek table differs from the frames (archive section 2.2)"));
        }
        Ok(())
    }
}

/// The whole frames of a unit.
#[derive(Default)]
pub(crate) struct Frames {
    bytes: Wiped,
    whole: VecDeque<Frame>,
    /// The offset of the content of the first frame.
    at: u64,
}

/// Bytes of content that are unpacked at once, if the frames are short: more would leave the processor's cache.
const UNPACKED_LEN: usize = 2 << 20;

impl Unpack for Deframer {
    type Cutter = FrameCutter;
    type Packs = Frames;
    type Worker = Decompressor;

    fn worker(&self) -> Decompressor {
        Decompressor::new()
    }

    fn cut(&self, cutter: &mut FrameCutter, bytes: &mut Wiped, is_last: bool, packs: &mut Frames) -> Option<Error> {
        packs.at = cutter.content_len;
        packs.whole.clear();
        if let Some(table) = &mut cutter.table {
            table.extend_from_slice(bytes);
        } else {
            if cutter.rest.is_empty() {
                std::mem::swap(&mut packs.bytes, bytes);
            } else {
                cutter.rest.extend(bytes);
                std::mem::swap(&mut packs.bytes, &mut cutter.rest);
                cutter.rest.clear();
            }
            let end = match cutter.cut_frames(&packs.bytes, &mut packs.whole) {
                Ok(end) => end,
                Err(error) => return Some(error),
            };
            let rest = &packs.bytes[end..];
            if rest.starts_with(&TABLE_MAGIC) {
                cutter.table = Some(rest.to_vec());
            } else if end == 0 {
                // Nothing is cut, so nothing needs to be copied.
                std::mem::swap(&mut packs.bytes, &mut cutter.rest);
                packs.bytes.clear();
            } else {
                cutter.rest.extend(rest);
            }
            cutter.make_room();
        }
        let longest = TABLE_EXTRA_LEN + 8 * cutter.lengths.len();
        if cutter.table.as_ref().is_some_and(|table| table.len() > longest) {
            return Some(malformed("the seek table differs from the frames (archive section 2.2)"));
        }
        if is_last && !cutter.is_part { cutter.finish().err() } else { None }
    }

    fn next_at(packs: &Frames) -> Option<u64> {
        (!packs.whole.is_empty()).then_some(packs.at)
    }

    fn unpack(&self, worker: &mut Decompressor, packs: &mut Frames, content: &mut Buffer) -> Option<Error> {
        content.clear();
        let Frames { bytes, whole, at } = packs;
        while let Some(frame) = whole.pop_front() {
            let before = content.len();
            if !worker.decompress(&bytes[frame.range], content.extend(frame.len)) {
                content.truncate(before);
                whole.clear();
                return Some(malformed("a frame does not hold what it says (archive section 2.1)"));
            }
            *at += frame.len as u64;
            let next = whole.front().map_or(0, |next| next.len);
            if content.len() + next > UNPACKED_LEN {
                break;
            }
        }
        None
    }
}

/// The magic of a skippable frame that is a seek table.
const TABLE_MAGIC: [u8; 4] = [0x5e, 0x2a, 0x4d, 0x18];
const FOOTER_MAGIC: [u8; 4] = [0xb1, 0xea, 0x92, 0x8f];
/// Bytes of the number of frames, the descriptor and the magic at the end of a table.
pub(crate) const FOOTER_LEN: usize = 9;
/// Bytes of a table without its entries.
const TABLE_EXTRA_LEN: usize = 8 + FOOTER_LEN;

/// Writes the seek table of frames.
///
/// # Errors
/// [`Error::TooLong`] for over 2^27 frames.
pub(crate) fn write_table(frames: &[(u32, u32)]) -> Result<Vec<u8>> {
    if frames.len() > FRAMES_MAX {
        return Err(Error::TooLong);
    }
    let count = u32::try_from(frames.len()).expect("frames: 2^27");
    let mut table = Vec::with_capacity(TABLE_EXTRA_LEN + 8 * frames.len());
    table.extend_from_slice(&TABLE_MAGIC);
    table.extend_from_slice(&(8 * count + 9).to_le_bytes());
    for (packed, len) in frames {
        table.extend_from_slice(&packed.to_le_bytes());
        table.extend_from_slice(&len.to_le_bytes());
    }
    table.extend_from_slice(&count.to_le_bytes());
    table.push(0);
    table.extend_from_slice(&FOOTER_MAGIC);
    Ok(table)
}

/// The frames of a compressed file, by its seek table.
pub(crate) struct SeekTable {
    /// For each frame and for the end of all, the offset in the stored content and in the content.
    offsets: Vec<(u64, u64)>,
}

impl SeekTable {
    /// The length of the table that ends with this footer.
    ///
    /// # Errors
    /// [`Error::MalformedCompression`], also if the table is longer than the stored content.
    pub(crate) fn len(footer: &[u8; FOOTER_LEN], stored_len: u64) -> Result<usize> {
        let [a, b, c, d, descriptor, magic @ ..] = *footer;
        let count = u32::from_le_bytes([a, b, c, d]) as usize;
        if magic != FOOTER_MAGIC {
            return Err(malformed("there is no seek table at the end (archive section 2.2)"));
        }
        if descriptor != 0 || count > FRAMES_MAX {
            return Err(malformed("the seek table has checksums, or too many frames (archive section 2.2)"));
        }
        let len = TABLE_EXTRA_LEN + 8 * count;
        if len as u64 > stored_len {
            return Err(malformed("the seek table is longer than the stored content (archive section 2.2)"));
        }
        Ok(len)
    }

    /// Reads a whole table.
    ///
    /// # Errors
    /// [`Error::MalformedCompression`], also if the table does not fit the length of the stored content.
    pub(crate) fn read(table: &[u8], stored_len: u64) -> Result<Self> {
        let (head, rest) = table.split_at_checked(8).ok_or(malformed("the seek table is cut (archive section 2.2)"))?;
        let (entries, _) = rest.split_at(rest.len() - FOOTER_LEN);
        if head[..4] != TABLE_MAGIC || head[4..] != u32::try_from(rest.len()).unwrap_or(0).to_le_bytes() {
            return Err(malformed("the seek table has another length than its frame (archive section 2.2)"));
        }
        let mut offsets = Vec::with_capacity(entries.len() / 8 + 1);
        let (mut stored, mut content) = (0_u64, 0_u64);
        offsets.push((0, 0));
        for entry in entries.chunks_exact(8) {
            let number = |at: usize| u32::from_le_bytes(entry[at..at + 4].try_into().expect("frames: four bytes"));
            let (packed, len) = (u64::from(number(0)), u64::from(number(4)));
            if packed == 0 || packed > PACKED_MAX as u64 || len == 0 || len > FRAME_MAX {
                return Err(malformed("a frame in the seek table is empty or too long (archive section 2.2)"));
            }
            stored += packed;
            content += len;
            offsets.push((stored, content));
        }
        if stored + table.len() as u64 != stored_len {
            return Err(malformed("the seek table does not fit the stored content (archive section 2.2)"));
        }
        if content > CONTENT_MAX {
            return Err(Error::TooLong);
        }
        Ok(Self { offsets })
    }

    /// The bytes of content.
    pub(crate) fn content_len(&self) -> u64 {
        self.offsets.last().expect("frames: the end is there").1
    }

    /// The lengths of these frames.
    pub(crate) fn lengths(&self, frames: Range<usize>) -> Lengths {
        let short = |len: u64| u32::try_from(len).expect("frames: 9 MiB");
        let pairs = self.offsets[frames.start..=frames.end].windows(2);
        pairs.map(|pair| (short(pair[1].0 - pair[0].0), short(pair[1].1 - pair[0].1))).collect()
    }

    /// The number of frames.
    pub(crate) fn count(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The frames that hold a range of the content, which is not empty and not past the end.
    pub(crate) fn frames(&self, content: &Range<u64>) -> Range<usize> {
        let first = self.offsets.partition_point(|(_, at)| *at <= content.start) - 1;
        let end = self.offsets.partition_point(|(_, at)| *at < content.end);
        first..end
    }

    /// The offsets of a frame in the stored content and in the content.
    pub(crate) fn offset(&self, frame: usize) -> (u64, u64) {
        self.offsets[frame]
    }
}

#[cfg(test)]
#[path = "frames_tests.rs"]
mod tests;
