//! The content of files whose chunks hold it in frames, or hold an archive: written, read as a whole, and read at any position.

use super::armour::{Armour, Label};
use super::delivery::Part;
use super::frames::{
    Compression, Deframer, FOOTER_LEN, FRAME_LEN, FrameCutter, Framer, Frames, SeekTable, write_table,
};
use super::memory::Memory;
use super::{Payload, Summary};
use crate::error::{Error, Result};
use crate::pipeline::{
    AtOffsets, Buffer, Destination, InMemory, InOrder, Input, Meter, Out, Output, Packer, Pieces, Region, Settings,
    Sink, Source, Supply, Unpack, Wiped,
};
use std::io::{self, Read, Write};
use std::ops::Range;

/// Below this length of content, one thread works alone.
const INLINE_LEN: u64 = 1 << 20;

/// What is written before the content, and how.
pub(crate) struct Writing<'a, P> {
    /// The bytes before the chunks.
    pub(crate) head: &'a [u8],
    /// What seals the chunks.
    pub(crate) payload: &'a P,
    pub(crate) compression: Compression,
    /// The label of the output's armour; `None` for binary.
    pub(crate) armour: Option<Label>,
}

impl<P: Payload> Writing<'_, P> {
    /// Writes the content that `supply` gives to the packer.
    pub(crate) fn run(
        &self,
        destination: &mut Destination<'_>,
        supply: impl FnOnce(&mut Packer<'_, Framer>) -> Result<()>,
    ) -> Result<Summary> {
        let (content, written) = match destination {
            Destination::File(file) if self.armour.is_none() => {
                file.write_head(self.head)?;
                self.pack(Out::File(file), supply)?
            }
            destination => destination.with_writer(|writer| {
                let write = |error| Error::from_io("write", None, error);
                let Some(label) = self.armour else {
                    writer.write_all(self.head).map_err(write)?;
                    return self.pack(Out::Writer(writer), supply);
                };
                let mut armour = Armour::new(label, writer);
                armour.write_all(self.head).map_err(write)?;
                let packed = self.pack(Out::Writer(&mut armour), supply)?;
                armour.finish().map_err(write)?;
                Ok(packed)
            })?,
        };
        Ok(Summary { plaintext: content, ciphertext: self.head.len() as u64 + written })
    }

    fn pack<'s>(
        &'s self,
        out: Out<'s>,
        supply: impl FnOnce(&mut Packer<'_, Framer>) -> Result<()>,
    ) -> Result<(u64, u64)> {
        let mut packer = Packer::new(self.payload, Framer(self.compression), out);
        supply(&mut packer)?;
        let table = match self.compression {
            Compression::None => Vec::new(),
            _ => write_table(packer.parts())?,
        };
        let content_len = packer.content_len();
        Ok((content_len, packer.finish(&table)?))
    }
}

/// Writes an input as content.
pub(crate) fn encrypt_input<P: Payload>(
    writing: &Writing<'_, P>,
    input: &mut Input<'_>,
    destination: &mut Destination<'_>,
    settings: &Settings,
) -> Result<Summary> {
    let len = input.len();
    let meter = Meter::new(settings, len);
    let threads = if len.is_some_and(|len| len < INLINE_LEN) { 1 } else { settings.threads() };
    writing.run(destination, |packer| packer.run(Parts { source: input.source(0), at: 0 }, &mut (), threads, &meter))
}

/// An input in parts of the length of a frame.
struct Parts<'a> {
    source: Source<'a>,
    at: u64,
}

/// A part of an input.
#[derive(Default)]
struct Load<'a> {
    buffer: Wiped,
    len: usize,
    /// The region, and the offset of the part in it, before it is read.
    unread: Option<(Region<'a>, u64)>,
}

impl<'a> Supply for Parts<'a> {
    type Load = Load<'a>;
    type Ledger = ();

    fn claim(&mut self, load: &mut Load<'a>) -> Result<bool> {
        match &mut self.source {
            Source::Region(region) => {
                let len = (region.len() - self.at).min(FRAME_LEN as u64);
                load.len = usize::try_from(len).expect("content: a frame is short");
                load.unread = Some((*region, self.at));
                self.at += len;
            }
            Source::Reader(reader) => {
                load.buffer.set_len(FRAME_LEN);
                load.len = read_full(reader, &mut load.buffer).map_err(|error| Error::from_io("read", None, error))?;
            }
        }
        Ok(load.len > 0)
    }

    fn bytes<'l>(load: &'l mut Load<'a>) -> Result<&'l [u8]> {
        if let Some((region, at)) = load.unread.take() {
            if load.buffer.len() < load.len {
                load.buffer.set_len(load.len);
            }
            let read = region.reader(at).read_exact(&mut load.buffer[..load.len]);
            read.map_err(|error| Error::from_io("read", region.path(), error))?;
        }
        Ok(&load.buffer[..load.len])
    }

    fn settle((): &mut (), _: &mut Load<'a>) -> Result<()> {
        Ok(())
    }
}

/// Reads until the buffer is full or the reader at its end; returns the number of bytes.
fn read_full(reader: &mut (impl Read + ?Sized), buffer: &mut [u8]) -> io::Result<usize> {
    let mut len = 0;
    while len < buffer.len() {
        match reader.read(&mut buffer[len..]) {
            Ok(0) => break,
            Ok(n) => len += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(len)
}

/// Cuts nothing: the stored content is the content.
struct Plain;

/// Some bytes of content, and their offset.
#[derive(Default)]
struct PlainPart {
    bytes: Wiped,
    at: u64,
}

impl Unpack for Plain {
    /// The offset of the next bytes.
    type Cutter = u64;
    type Packs = PlainPart;
    type Worker = ();

    fn worker(&self) {}

    fn cut(&self, at: &mut u64, bytes: &mut Wiped, _: bool, part: &mut PlainPart) -> Option<Error> {
        std::mem::swap(bytes, &mut part.bytes);
        part.at = *at;
        *at += part.bytes.len() as u64;
        None
    }

    fn next_at(part: &PlainPart) -> Option<u64> {
        (!part.bytes.is_empty()).then_some(part.at)
    }

    fn unpack(&self, (): &mut (), part: &mut PlainPart, content: &mut Buffer) -> Option<Error> {
        content.swap(&mut part.bytes);
        part.bytes.clear();
        None
    }
}

/// Where the content of a file is.
pub(crate) struct Layout {
    /// The seek table of a compressed file.
    table: Option<SeekTable>,
    len: u64,
}

impl Layout {
    /// Opens the last chunk and, if the file is compressed, reads the seek table.
    ///
    /// # Errors
    /// The errors of the chunks and of the table.
    pub(crate) fn read<P: Payload>(payload: &P, region: Region<'_>) -> Result<Self> {
        let len = payload.plaintext_len(region.len())?;
        let whole = Self { table: None, len };
        let content = Content { payload, region, layout: &whole };
        let footer_at = len.saturating_sub(FOOTER_LEN as u64);
        // The end of the range is past the end, so the last chunk is opened.
        let end = content.stored(footer_at..u64::MAX)?;
        if !payload.is_compressed() {
            return Ok(whole);
        }
        let table_len = table_len(&end, len)?;
        let table = SeekTable::read(&content.stored(len - table_len..len)?, len)?;
        Ok(Self { len: table.content_len(), table: Some(table) })
    }

    /// Bytes of content.
    pub(crate) fn content_len(&self) -> u64 {
        self.len
    }

    /// The content of the frame that has all of a range, if there is one.
    pub(crate) fn frame_of(&self, range: &Range<u64>) -> Option<Range<u64>> {
        let table = self.table.as_ref().filter(|_| !range.is_empty())?;
        let frames = table.frames(range);
        (frames.len() == 1).then(|| table.offset(frames.start).1..table.offset(frames.end).1)
    }
}

/// The content of a file that can be read at any position.
pub(crate) struct Content<'a, P> {
    pub(crate) payload: &'a P,
    pub(crate) region: Region<'a>,
    pub(crate) layout: &'a Layout,
}

impl<P: Payload> Content<'_, P> {
    /// Reads a range of the stored content.
    fn stored(&self, range: Range<u64>) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.run_plain(&range, &InOrder::new(range.clone(), &mut bytes), &mut (), &Settings::alone())?;
        Ok(bytes)
    }

    /// Gives a range of the stored content to a sink.
    fn run_plain<S: Sink>(
        &self,
        range: &Range<u64>,
        sink: &S,
        order: &mut S::Order,
        settings: &Settings,
    ) -> Result<()> {
        self.pieces(range.clone()).run(&Plain, &mut range.start.clone(), sink, order, &Meter::new(settings, None))
    }

    fn pieces(&self, window: Range<u64>) -> Pieces<'_> {
        Pieces { transform: self.payload, source: Source::Region(self.region), window: Some(window) }
    }

    /// Gives the content that holds a range to a sink. The first content begins at the range or before it.
    ///
    /// # Errors
    /// The errors of the chunks and frames, and of the sink.
    pub(crate) fn run<S: Sink>(
        &self,
        range: &Range<u64>,
        sink: &S,
        order: &mut S::Order,
        settings: &Settings,
    ) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        let Some(table) = &self.layout.table else { return self.run_plain(range, sink, order, settings) };
        let frames = table.frames(range);
        let ((stored, at), (stored_end, _)) = (table.offset(frames.start), table.offset(frames.end));
        let mut settings = settings.clone();
        if frames.len() == 1 {
            // One thread unpacks it, so others would only fault memory in.
            settings.set_threads(1);
        }
        let meter = Meter::new(&settings, None);
        let mut cutter = FrameCutter::part(table.lengths(frames), at);
        self.pieces(stored..stored_end).run(&Deframer, &mut cutter, sink, order, &meter)?;
        cutter.finish_part()
    }

    /// Reads a range of the content into memory.
    ///
    /// # Errors
    /// The errors of [`run`](Self::run).
    pub(crate) fn read(&self, range: Range<u64>, settings: &Settings) -> Result<Wiped> {
        let mut bytes = Wiped::default();
        self.run(&range, &InMemory(range.clone()), &mut bytes, settings)?;
        Ok(bytes)
    }

    /// Writes a range of the content.
    ///
    /// # Errors
    /// The errors of [`run`](Self::run) and of writing.
    pub(crate) fn write(&self, range: Range<u64>, writer: &mut (dyn Write + Send), settings: &Settings) -> Result<()> {
        self.run(&range, &InOrder::new(range.clone(), writer), &mut (), settings)
    }
}

/// Reads all content of a file, in order or by several threads, and gives it to a sink. `at` is the offset of the chunks. Returns the
/// length of the content and of the stored content.
pub(crate) fn read_all<P: Payload, S: Sink>(
    payload: &P,
    input: &mut Input<'_>,
    at: usize,
    sink: &S,
    order: &mut S::Order,
    settings: &Settings,
) -> Result<(u64, u64)> {
    let meter = Meter::new(settings, input.len().map(|len| len - at as u64));
    let source = input.source(at);
    let expected = match &source {
        Source::Region(region) if payload.is_compressed() => {
            Layout::read(payload, *region)?.table.map(|table| table.lengths(0..table.count()))
        }
        _ => None,
    };
    let pieces = Pieces { transform: payload, source, window: None };
    if payload.is_compressed() {
        let mut cutter = FrameCutter::all(expected);
        pieces.run(&Deframer, &mut cutter, sink, order, &meter)?;
        Ok((cutter.content_len(), cutter.stored_len()))
    } else {
        let mut len = 0;
        pieces.run(&Plain, &mut len, sink, order, &meter)?;
        Ok((len, len))
    }
}

/// Decrypts the content of a file to an output.
pub(super) fn deliver_content<'o, P: Payload>(
    payload: &P,
    at: usize,
    settings: &Settings,
    input: &mut Input<'_>,
    output: Output<'o>,
) -> Result<(Destination<'o>, Summary)> {
    let len = match input.source(at) {
        Source::Region(region) => Some(Layout::read(payload, region)?.len),
        Source::Reader(_) => None,
    };
    let mut destination = output.begin(len)?;
    let (plaintext, stored) = match &mut destination {
        Destination::File(file) => read_all(payload, input, at, &AtOffsets(file), &mut (), settings)?,
        destination => destination.with_writer(|writer| {
            let read = read_all(payload, input, at, &InOrder::new(0..u64::MAX, writer), &mut (), settings)?;
            writer.flush().map_err(|error| Error::from_io("write", None, error))?;
            Ok(read)
        })?,
    };
    let ciphertext = payload.chunks_len(stored)? + at as u64;
    Ok((destination, Summary { plaintext, ciphertext }))
}

/// Reads a range of the content of a compressed file in memory, cut to its end, of at most `limit` bytes. `chunks` are its chunks.
pub(super) fn range_in_memory<P: Payload>(
    payload: &P,
    chunks: &[u8],
    range: &Range<u64>,
    limit: u64,
) -> Result<Vec<u8>> {
    if range.start > range.end {
        return Err(Error::RangeOutOfBounds);
    }
    let len = payload.plaintext_len(chunks.len() as u64)?;
    let stored = |range| {
        let part = Part { open: payload, plaintext_len: len, range };
        part.in_memory(chunks, &Settings::alone())
    };
    let footer = stored(len.saturating_sub(FOOTER_LEN as u64)..u64::MAX)?;
    let table_len = table_len(&footer, len)?;
    let table = SeekTable::read(&stored(len - table_len..len)?, len)?;
    let range = clip(range, table.content_len(), limit)?;
    let mut content = Memory::new(limit);
    if !range.is_empty() {
        let frames = table.frames(&range);
        let ((from, at), (to, _)) = (table.offset(frames.start), table.offset(frames.end));
        let mut bytes = Wiped::from(stored(from..to)?);
        let sink = InOrder::new(range, &mut content);
        let (mut worker, mut packs, mut unpacked) = (Deframer.worker(), Frames::default(), Buffer::default());
        let mut cutter = FrameCutter::part(table.lengths(frames), at);
        let mut fault = Deframer.cut(&mut cutter, &mut bytes, true, &mut packs);
        while let Some(at) = Deframer::next_at(&packs) {
            fault = Deframer.unpack(&mut worker, &mut packs, &mut unpacked).or(fault);
            sink.sort(&mut (), at, &mut unpacked, &mut ())?;
        }
        fault.map_or(Ok(()), Err)?;
        cutter.finish_part()?;
    }
    Ok(content.into_bytes())
}

/// Cuts a range to the end of the content. A longer range than `limit` is an error.
fn clip(range: &Range<u64>, content_len: u64, limit: u64) -> Result<Range<u64>> {
    if range.start > range.end || range.start > content_len {
        return Err(Error::RangeOutOfBounds);
    }
    let range = range.start..range.end.min(content_len);
    if range.end - range.start > limit {
        return Err(Error::TooMuchContent(limit));
    }
    Ok(range)
}

/// The length of the seek table at the end of `len` bytes of stored content, by its footer.
fn table_len(footer: &[u8], len: u64) -> Result<u64> {
    let whole = footer.first_chunk().filter(|_| footer.len() == FOOTER_LEN);
    let cut = Error::MalformedCompression("there is no seek table at the end (archive section 2.2)");
    Ok(SeekTable::len(whole.ok_or(cut)?, len)? as u64)
}

/// Writes a range of the content, cut to its end, of at most `limit` bytes; returns the number of bytes.
pub(super) fn write_range<P: Payload>(
    payload: &P,
    region: Region<'_>,
    range: &Range<u64>,
    limit: u64,
    writer: &mut (dyn Write + Send),
    settings: &Settings,
) -> Result<u64> {
    if range.start > range.end {
        return Err(Error::RangeOutOfBounds);
    }
    let layout = Layout::read(payload, region)?;
    let range = clip(range, layout.len, limit)?;
    let content = Content { payload, region, layout: &layout };
    content.write(range.clone(), writer, settings)?;
    writer.flush().map_err(|error| Error::from_io("write", None, error))?;
    Ok(range.end - range.start)
}
