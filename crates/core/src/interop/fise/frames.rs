//! Frames, for a stream of any length (section 3).

use super::profile::{Profile, refused};
use super::{Error, Result};
use crate::random;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;

const MAGIC: [u8; 8] = *b"FISEFRM\x01";
const INDEX_MAGIC: [u8; 8] = *b"FISEIDX\x01";
const HEADER_LEN: usize = 20;
const FRAME_HEAD_LEN: usize = 16;
/// The bytes of a frame in the index, and those behind all of them.
const ENTRY_LEN: usize = 8;
const INDEX_TAIL_LEN: usize = 24;
/// A flag of the header.
const INDEXED: u16 = 1;
/// Flags of a frame.
const LAST: u8 = 1;
const AUTHENTICATED: u8 = 2;
/// The place of a key in an authenticated frame.
const KEY_LEN: usize = 24;
const RULES_MAX: usize = 255;
const METADATA_MAX_LEN: usize = u16::MAX as usize;
const ENVELOPE_MAX_LEN: usize = 1 << 22;

/// The least and the most bytes of content that the frames of a stream can be limited to.
pub const FRAME_LEN_RANGE: std::ops::RangeInclusive<usize> = 1 << 14..=1 << 20;
/// The most bytes of content in a frame, unless the caller says otherwise: 256 KiB.
pub const FRAME_LEN: usize = 1 << 18;

fn malformed(rule: &'static str) -> Error {
    Error::Malformed(rule)
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes(*bytes[at..].first_chunk().expect("fise: two bytes"))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(*bytes[at..].first_chunk().expect("fise: four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_be_bytes(*bytes[at..].first_chunk().expect("fise: eight bytes"))
}

fn u32_of(len: usize) -> u32 {
    u32::try_from(len).expect("fise: the lengths of a frame are small")
}

/// The rules of a stream, and its timestamp.
pub(super) struct Rules {
    profiles: Vec<Profile>,
    timestamp: i64,
}

impl Rules {
    fn new(profiles: impl IntoIterator<Item = Profile>) -> Result<Self> {
        let profiles: Vec<_> = profiles.into_iter().collect();
        if profiles.is_empty() || profiles.len() > RULES_MAX {
            return Err(refused("a stream of frames has 1 to 255 rules"));
        }
        Ok(Self { profiles, timestamp: 0 })
    }
}

/// The header of a stream (section 3.1).
#[derive(Clone, Copy)]
struct Header {
    is_indexed: bool,
    frame_len: usize,
    stream: u32,
}

impl Header {
    fn write(self, rules: usize) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..10].copy_from_slice(&(if self.is_indexed { INDEXED } else { 0 }).to_be_bytes());
        bytes[11] = u8::try_from(rules).expect("fise: at most 255 rules");
        bytes[12..16].copy_from_slice(&u32_of(self.frame_len).to_be_bytes());
        bytes[16..].copy_from_slice(&self.stream.to_be_bytes());
        bytes
    }

    /// Reads the header at the beginning of these bytes; `None` if more are needed.
    fn find(bytes: &[u8], rules: usize) -> Result<Option<Self>> {
        let known = bytes.len().min(MAGIC.len());
        if bytes[..known] != MAGIC[..known] {
            return Err(malformed(Error::NO_FRAMES));
        }
        if bytes.len() < HEADER_LEN {
            return Ok(None);
        }
        let flags = u16_at(bytes, 8);
        let frame_len = u32_at(bytes, 12) as usize;
        if flags & !INDEXED != 0 || bytes[10] != 0 || !FRAME_LEN_RANGE.contains(&frame_len) {
            return Err(malformed("the header breaks a rule (section 3.1)"));
        }
        if usize::from(bytes[11]) != rules {
            return Err(malformed(Error::OTHER_RULES));
        }
        Ok(Some(Self { is_indexed: flags & INDEXED != 0, frame_len, stream: u32_at(bytes, 16) }))
    }
}

/// The fields of a frame (section 3.2).
struct FrameHead {
    is_last: bool,
    rule: u8,
    metadata_len: usize,
    envelope_len: usize,
}

impl FrameHead {
    fn write(&self, stream: u32, number: u32) -> [u8; FRAME_HEAD_LEN] {
        let mut bytes = [0; FRAME_HEAD_LEN];
        bytes[0] = if self.is_last { LAST } else { 0 };
        bytes[1] = self.rule;
        let metadata_len = u16::try_from(self.metadata_len).expect("fise: the length was checked");
        bytes[2..4].copy_from_slice(&metadata_len.to_be_bytes());
        bytes[4..8].copy_from_slice(&stream.to_be_bytes());
        bytes[8..12].copy_from_slice(&number.to_be_bytes());
        bytes[12..].copy_from_slice(&u32_of(self.envelope_len).to_be_bytes());
        bytes
    }

    /// Reads the fields of the frame with this number.
    fn read(bytes: &[u8], stream: u32, number: u32, rules: usize) -> Result<Self> {
        let (flags, rule) = (bytes[0], bytes[1]);
        if flags & !(LAST | AUTHENTICATED) != 0 {
            return Err(malformed("a frame has an unknown flag (section 3.2)"));
        }
        if u32_at(bytes, 4) != stream {
            return Err(Error::Order { expected: number, found: None });
        }
        if u32_at(bytes, 8) != number {
            return Err(Error::Order { expected: number, found: Some(u32_at(bytes, 8)) });
        }
        if flags & AUTHENTICATED != 0 {
            return Err(Error::KeyRequired);
        }
        let envelope_len = u32_at(bytes, 12) as usize;
        if usize::from(rule) >= rules || envelope_len > ENVELOPE_MAX_LEN {
            return Err(malformed("a frame has a rule that the list does not have, or is too long (section 3.2)"));
        }
        Ok(Self { is_last: flags & LAST != 0, rule, metadata_len: u16_at(bytes, 2).into(), envelope_len })
    }

    /// Opens the envelope.
    fn open(&self, envelope: &[u8], number: u32, header: Header, rules: &Rules) -> Result<Frame> {
        let mut metadata = rules.profiles[usize::from(self.rule)]
            .decode(envelope, rules.timestamp)
            .map_err(|error| Error::Frame { number, error: Box::new(error) })?;
        let content_len = metadata.len().checked_sub(self.metadata_len);
        if content_len.is_none_or(|len| len > header.frame_len) {
            return Err(malformed("a frame has another length of metadata or content than it says (section 3.2)"));
        }
        let content =
            if self.metadata_len == 0 { std::mem::take(&mut metadata) } else { metadata.split_off(self.metadata_len) };
        let len = FRAME_HEAD_LEN + envelope.len();
        Ok(Frame { number, rule: self.rule, metadata, content, len, is_last: self.is_last })
    }
}

/// A frame that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Frame {
    /// Its number, from 0.
    pub number: u32,
    /// The number of its rule, from 0.
    pub rule: u8,
    /// What its writer put beside the content.
    pub metadata: Vec<u8>,
    /// Its part of the content.
    pub content: Vec<u8>,
    /// Its bytes in the stream.
    pub len: usize,
    /// Whether it is the last.
    pub is_last: bool,
}

/// A hash of the index so far, FNV-1a in 64 bits: the frames need not be kept to be compared with it.
struct IndexHash(u64);

impl IndexHash {
    const EMPTY: Self = Self(0xcbf2_9ce4_8422_2325);

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

fn entry(frame_len: usize, content_len: usize) -> [u8; ENTRY_LEN] {
    let mut bytes = [0; ENTRY_LEN];
    bytes[..4].copy_from_slice(&u32_of(frame_len).to_be_bytes());
    bytes[4..].copy_from_slice(&u32_of(content_len).to_be_bytes());
    bytes
}

fn index_tail(stream: u32, frames: u32, at: u64) -> [u8; INDEX_TAIL_LEN] {
    let mut bytes = [0; INDEX_TAIL_LEN];
    bytes[..8].copy_from_slice(&INDEX_MAGIC);
    bytes[8..12].copy_from_slice(&stream.to_be_bytes());
    bytes[12..16].copy_from_slice(&frames.to_be_bytes());
    bytes[16..].copy_from_slice(&at.to_be_bytes());
    bytes
}

/// Writes a stream of frames.
///
/// ```
/// use sealstone::interop::fise::{FrameDecoder, FrameEncoder, Profile};
///
/// let rules = [Profile::random("even"), Profile::random("odd")];
/// let mut encoder = FrameEncoder::new(rules.clone())?;
/// let mut stream = encoder.frame(b"12:00", b"the first part")?;
/// stream.extend(encoder.last_frame(b"12:01", b"and the last")?);
///
/// let mut decoder = FrameDecoder::new(rules)?;
/// decoder.push(&stream);
/// while let Some(frame) = decoder.next_frame()? {
///     println!("{}: {}", frame.number, String::from_utf8_lossy(&frame.content));
/// }
/// decoder.finish()?;
/// # Ok::<(), sealstone::interop::fise::Error>(())
/// ```
pub struct FrameEncoder {
    rules: Rules,
    header: Header,
    /// Frames, and bytes of the stream, so far.
    frames: u32,
    written: u64,
    /// The index so far, if there will be one: 8 bytes for a frame.
    index: Vec<u8>,
    is_over: bool,
}

impl FrameEncoder {
    /// Begins a stream with 1 to 255 rules, which the reader has to have in the same order.
    ///
    /// # Errors
    /// [`Error::Rules`]; [`crate::Error::NoRandomness`].
    pub fn new(rules: impl IntoIterator<Item = Profile>) -> Result<Self> {
        let mut stream = [0; 4];
        random::fill(&mut stream)?;
        let header = Header { is_indexed: false, frame_len: FRAME_LEN, stream: u32::from_be_bytes(stream) };
        Ok(Self { rules: Rules::new(rules)?, header, frames: 0, written: 0, index: Vec::new(), is_over: false })
    }

    /// Sets the timestamp, which the reader has to give too; 0 by default.
    #[must_use]
    pub fn timestamp(mut self, timestamp: i64) -> Self {
        self.rules.timestamp = timestamp;
        self
    }

    /// Sets the most bytes of content in a frame, in [`FRAME_LEN_RANGE`].
    ///
    /// # Errors
    /// [`Error::Rules`] for another number.
    pub fn frame_len(mut self, len: usize) -> Result<Self> {
        if !FRAME_LEN_RANGE.contains(&len) {
            return Err(refused("a frame has at most 16,384 to 1,048,576 bytes of content"));
        }
        self.header.frame_len = len;
        Ok(self)
    }

    /// Sets whether an index follows the last frame, for [`FrameReader`]. It takes 8 bytes of memory for each frame.
    #[must_use]
    pub fn index(mut self, index: bool) -> Self {
        self.header.is_indexed = index;
        self
    }

    /// The most bytes of content in a frame.
    pub(super) fn content_max_len(&self) -> usize {
        self.header.frame_len
    }

    /// Writes the next frame, with the rules in turn; returns the bytes to be sent, with the header before the first frame.
    ///
    /// # Errors
    /// [`Error::Rules`] for over 65,535 bytes of metadata, for more content than a frame has, behind the last frame, and as
    /// [`Profile::encode`]. Nothing is written then.
    pub fn frame(&mut self, metadata: &[u8], content: &[u8]) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.append_frame(&mut bytes, metadata, content, false)?;
        Ok(bytes)
    }

    /// Writes the last frame, which may be empty, and the index.
    ///
    /// # Errors
    /// As [`frame`](Self::frame).
    pub fn last_frame(&mut self, metadata: &[u8], content: &[u8]) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.append_frame(&mut bytes, metadata, content, true)?;
        Ok(bytes)
    }

    /// As [`frame`](Self::frame) or, with `is_last`, [`last_frame`](Self::last_frame), and appends the bytes. If the same memory is used for
    /// each frame, this takes half the time.
    ///
    /// ```
    /// use sealstone::interop::fise::{FrameEncoder, Profile};
    ///
    /// let mut encoder = FrameEncoder::new([Profile::random("a feed")])?;
    /// let mut bytes = Vec::new();
    /// for (content, is_last) in [("first", false), ("last", true)] {
    ///     bytes.clear();
    ///     encoder.append_frame(&mut bytes, b"", content.as_bytes(), is_last)?;
    ///     assert!(bytes.len() > content.len()); // to be sent
    /// }
    /// # Ok::<(), sealstone::interop::fise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`frame`](Self::frame). Nothing is appended then.
    pub fn append_frame(&mut self, bytes: &mut Vec<u8>, metadata: &[u8], content: &[u8], is_last: bool) -> Result<()> {
        let Self { rules, header, frames, written, index, is_over } = self;
        if *is_over {
            return Err(refused("the last frame of this stream was written"));
        }
        if *frames == u32::MAX {
            return Err(refused("a stream has less than 2^32 frames"));
        }
        if metadata.len() > METADATA_MAX_LEN || content.len() > header.frame_len {
            return Err(refused(format!(
                "a frame of this stream has at most {METADATA_MAX_LEN} bytes of metadata and {} of content",
                header.frame_len
            )));
        }
        let rule = u8::try_from(*frames % u32_of(rules.profiles.len())).expect("fise: at most 255 rules");
        let profile = &rules.profiles[usize::from(rule)];
        let begin = bytes.len();
        if *frames == 0 {
            bytes.extend_from_slice(&header.write(rules.profiles.len()));
        }
        let head_at = bytes.len();
        bytes.resize(head_at + FRAME_HEAD_LEN, 0);
        profile.encode_to(bytes, [metadata, content], rules.timestamp).inspect_err(|_| bytes.truncate(begin))?;
        let frame_len = bytes.len() - head_at;
        let envelope_len = frame_len - FRAME_HEAD_LEN;
        let head = FrameHead { is_last, rule, metadata_len: metadata.len(), envelope_len };
        bytes[head_at..head_at + FRAME_HEAD_LEN].copy_from_slice(&head.write(header.stream, *frames));
        *frames += 1;
        *written += (bytes.len() - begin) as u64;
        *is_over = is_last;
        if header.is_indexed {
            index.extend_from_slice(&entry(frame_len, content.len()));
            if is_last {
                bytes.append(index);
                bytes.extend_from_slice(&index_tail(header.stream, *frames, *written));
            }
        }
        Ok(())
    }
}

/// Reads a stream of frames from bytes as they come. It holds one frame.
///
/// See [`FrameEncoder`] for an example.
pub struct FrameDecoder {
    rules: Rules,
    /// `None` before the header.
    header: Option<Header>,
    bytes: Vec<u8>,
    /// How much of `bytes` was read.
    at: usize,
    /// Frames, and bytes of the stream, so far.
    frames: u32,
    read: u64,
    /// The index as the frames have it, and as it was read, and its bytes so far.
    hashes: [IndexHash; 2],
    index_len: u64,
    has_last: bool,
    is_over: bool,
}

impl FrameDecoder {
    /// Begins to read a stream that was written with these rules.
    ///
    /// # Errors
    /// [`Error::Rules`] if there are none, or over 255.
    pub fn new(rules: impl IntoIterator<Item = Profile>) -> Result<Self> {
        Ok(Self {
            rules: Rules::new(rules)?,
            header: None,
            bytes: Vec::new(),
            at: 0,
            frames: 0,
            read: 0,
            hashes: [IndexHash::EMPTY, IndexHash::EMPTY],
            index_len: 0,
            has_last: false,
            is_over: false,
        })
    }

    /// Sets the timestamp of the stream; 0 by default.
    #[must_use]
    pub fn timestamp(mut self, timestamp: i64) -> Self {
        self.rules.timestamp = timestamp;
        self
    }

    pub(super) fn into_rules(self) -> Rules {
        self.rules
    }

    /// Takes the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.at);
        self.at = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the next frame; `None` if more bytes are needed, and at the end.
    ///
    /// # Errors
    /// [`Error::Malformed`], [`Error::Order`], [`Error::KeyRequired`], and the errors of [`Profile::decode`]. Nothing can be read behind an
    /// error.
    pub fn next_frame(&mut self) -> Result<Option<Frame>> {
        if self.has_last {
            self.read_behind()?;
            return Ok(None);
        }
        let header = match self.header {
            Some(header) => header,
            None => match self.read_header()? {
                Some(header) => header,
                None => return Ok(None),
            },
        };
        let rest = &self.bytes[self.at..];
        if rest.len() < FRAME_HEAD_LEN {
            return Ok(None);
        }
        let head = FrameHead::read(rest, header.stream, self.frames, self.rules.profiles.len())?;
        let frame_len = FRAME_HEAD_LEN + head.envelope_len;
        let Some(envelope) = rest.get(FRAME_HEAD_LEN..frame_len) else { return Ok(None) };
        let frame = head.open(envelope, self.frames, header, &self.rules)?;
        self.hashes[0].add(&entry(frame_len, frame.content.len()));
        self.at += frame_len;
        self.read += frame_len as u64;
        self.frames = self.frames.wrapping_add(1);
        self.has_last = frame.is_last;
        Ok(Some(frame))
    }

    fn read_header(&mut self) -> Result<Option<Header>> {
        let header = Header::find(&self.bytes, self.rules.profiles.len())?;
        if header.is_some() {
            (self.header, self.at, self.read) = (header, HEADER_LEN, HEADER_LEN as u64);
        }
        Ok(header)
    }

    /// Reads what follows the last frame.
    fn read_behind(&mut self) -> Result<()> {
        let header = self.header.expect("fise: frames follow a header");
        let entries_len = if header.is_indexed { u64::from(self.frames) * ENTRY_LEN as u64 } else { 0 };
        let rest = &self.bytes[self.at..];
        let taken = usize::try_from(entries_len - self.index_len).unwrap_or(usize::MAX).min(rest.len());
        self.hashes[1].add(&rest[..taken]);
        self.index_len += taken as u64;
        self.at += taken;
        let mut tail: &[u8] = &rest[taken..];
        if header.is_indexed && self.index_len == entries_len && !self.is_over {
            if tail.len() < INDEX_TAIL_LEN {
                return Ok(());
            }
            let (found, behind) = tail.split_at(INDEX_TAIL_LEN);
            let is_same = self.hashes[0].0 == self.hashes[1].0;
            if !is_same || found != index_tail(header.stream, self.frames, self.read) {
                return Err(malformed("the index differs from the frames (section 3.4)"));
            }
            self.at += INDEX_TAIL_LEN;
            self.is_over = true;
            tail = behind;
        }
        self.is_over |= !header.is_indexed;
        if self.is_over && !tail.is_empty() {
            return Err(malformed("something follows the end of the stream (section 3.2)"));
        }
        Ok(())
    }

    /// Ends reading: the stream has to be whole.
    ///
    /// # Errors
    /// [`Error::Truncated`] if its end is missing; [`Error::Malformed`] if something follows it.
    pub fn finish(mut self) -> Result<()> {
        if self.has_last {
            self.read_behind()?;
        }
        if self.is_over { Ok(()) } else { Err(Error::Truncated) }
    }
}

/// Reads any part of a stream that has an index, without the frames before it.
///
/// ```
/// use sealstone::interop::fise::{FrameEncoder, FrameReader, Profile};
/// use std::io::Cursor;
///
/// let rules = [Profile::random("a video")];
/// let mut encoder = FrameEncoder::new(rules.clone())?.index(true);
/// let mut stream = encoder.frame(b"", &[1; 100_000])?;
/// stream.extend(encoder.last_frame(b"", &[2; 50_000])?);
///
/// let mut reader = FrameReader::open(Cursor::new(stream), rules, 0)?;
/// assert_eq!((reader.frames(), reader.content_len()), (2, 150_000));
/// assert_eq!(reader.read(99_999..100_001)?, [1, 2]);
/// # Ok::<(), sealstone::interop::fise::Error>(())
/// ```
pub struct FrameReader<R> {
    input: R,
    rules: Rules,
    header: Header,
    /// Where each frame begins, in the stream and in the content; and the end of the last one.
    begins: Vec<(u64, u64)>,
}

impl<R: Read + Seek> FrameReader<R> {
    /// Reads the header and the index of a stream.
    ///
    /// # Errors
    /// [`Error::Malformed`], also for a stream without an index; [`Error::Truncated`]; [`Error::Rules`]; [`crate::Error::Io`].
    pub fn open(input: R, rules: impl IntoIterator<Item = Profile>, timestamp: i64) -> Result<Self> {
        Self::with_rules(input, Rules { timestamp, ..Rules::new(rules)? })
    }

    pub(super) fn with_rules(mut input: R, rules: Rules) -> Result<Self> {
        let len = input.seek(SeekFrom::End(0)).map_err(read_error)?;
        let head = read_at(&mut input, 0, usize::try_from(len).unwrap_or(HEADER_LEN).min(HEADER_LEN))?;
        let Some(header) = Header::find(&head, rules.profiles.len())? else { return Err(Error::Truncated) };
        if !header.is_indexed {
            return Err(malformed(Error::NO_INDEX));
        }
        if len < (HEADER_LEN + INDEX_TAIL_LEN) as u64 {
            return Err(Error::Truncated);
        }
        let tail = read_at(&mut input, len - INDEX_TAIL_LEN as u64, INDEX_TAIL_LEN)?;
        if tail[..8] != INDEX_MAGIC {
            return Err(Error::Truncated);
        }
        let (frames, at) = (u32_at(&tail, 12), u64_at(&tail, 16));
        let entries_len = u64::from(frames) * ENTRY_LEN as u64;
        let wrong = malformed("the index breaks a rule (section 3.4)");
        let is_sound = u32_at(&tail, 8) == header.stream
            && frames > 0
            && at.checked_add(entries_len) == Some(len - INDEX_TAIL_LEN as u64);
        let Some(entries_len) = usize::try_from(entries_len).ok().filter(|_| is_sound) else { return Err(wrong) };
        let entries = read_at(&mut input, at, entries_len)?;
        let mut begins = Vec::with_capacity(entries_len / ENTRY_LEN + 1);
        let mut place = (HEADER_LEN as u64, 0);
        begins.push(place);
        for entry in entries.chunks_exact(ENTRY_LEN) {
            let frame_len = u32_at(entry, 0) as usize;
            let has_frame = (FRAME_HEAD_LEN..=FRAME_HEAD_LEN + KEY_LEN + ENVELOPE_MAX_LEN).contains(&frame_len);
            if !has_frame || u32_at(entry, 4) as usize > header.frame_len {
                return Err(wrong);
            }
            place = (place.0 + u64::from(u32_at(entry, 0)), place.1 + u64::from(u32_at(entry, 4)));
            begins.push(place);
        }
        if place.0 != at {
            return Err(wrong);
        }
        Ok(Self { input, rules, header, begins })
    }

    /// The number of frames.
    #[must_use]
    pub fn frames(&self) -> u32 {
        u32_of(self.begins.len() - 1)
    }

    /// Bytes of the content.
    #[must_use]
    pub fn content_len(&self) -> u64 {
        self.begins[self.begins.len() - 1].1
    }

    /// Reads one frame.
    ///
    /// # Errors
    /// [`crate::Error::RangeOutOfBounds`] if there is none with this number; otherwise as [`FrameDecoder::next_frame`].
    pub fn frame(&mut self, number: u32) -> Result<Frame> {
        let i = number as usize;
        let [(begin, content), (end, content_end)] = match self.begins.get(i..).and_then(<[_]>::first_chunk) {
            Some(two) => *two,
            None => return Err(crate::Error::RangeOutOfBounds.into()),
        };
        let wrong = malformed("a frame differs from the index (section 3.4)");
        let len = usize::try_from(end - begin)
            .ok()
            .filter(|len| (FRAME_HEAD_LEN..=FRAME_HEAD_LEN + ENVELOPE_MAX_LEN).contains(len));
        let Some(len) = len else { return Err(wrong) };
        let bytes = read_at(&mut self.input, begin, len)?;
        let head = FrameHead::read(&bytes, self.header.stream, number, self.rules.profiles.len())?;
        let is_last = i + 2 == self.begins.len();
        if head.envelope_len != len - FRAME_HEAD_LEN || head.is_last != is_last {
            return Err(wrong);
        }
        let frame = head.open(&bytes[FRAME_HEAD_LEN..], number, self.header, &self.rules)?;
        if frame.content.len() as u64 == content_end - content { Ok(frame) } else { Err(wrong) }
    }

    /// Reads a part of the content.
    ///
    /// # Errors
    /// [`crate::Error::RangeOutOfBounds`] for a range that is not in the content; otherwise as [`frame`](Self::frame).
    pub fn read(&mut self, range: Range<u64>) -> Result<Vec<u8>> {
        let mut content = Vec::new();
        self.read_parts(range, |part| {
            content.extend_from_slice(part);
            Ok(())
        })?;
        Ok(content)
    }

    /// Reads a part of the content, and calls `take` with what each frame has of it.
    pub(super) fn read_parts(&mut self, range: Range<u64>, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        if range.start > range.end || range.end > self.content_len() {
            return Err(crate::Error::RangeOutOfBounds.into());
        }
        let first = self.begins.partition_point(|(_, begin)| *begin <= range.start).saturating_sub(1);
        for i in first..self.begins.len() - 1 {
            let begin = self.begins[i].1;
            if begin >= range.end {
                break;
            }
            let frame = self.frame(u32_of(i))?;
            let place = |offset: u64| usize::try_from(offset.saturating_sub(begin)).unwrap_or(usize::MAX);
            take(&frame.content[place(range.start)..place(range.end).min(frame.content.len())])?;
        }
        Ok(())
    }
}

fn read_error(error: std::io::Error) -> Error {
    crate::Error::from_io("read", None, error).into()
}

fn read_at(input: &mut (impl Read + Seek), at: u64, len: usize) -> Result<Vec<u8>> {
    input.seek(SeekFrom::Start(at)).map_err(read_error)?;
    let mut bytes = Vec::new();
    input.take(len as u64).read_to_end(&mut bytes).map_err(read_error)?;
    if bytes.len() < len { Err(Error::Truncated) } else { Ok(bytes) }
}

#[cfg(test)]
#[path = "frames_tests.rs"]
mod tests;
