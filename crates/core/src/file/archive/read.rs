//! Lists archives, reads single members, and checks whole archives.

use super::check::check_is_archive;
use crate::archive::{self, Entry, IndexReader, Listed, Locator, Part, Splitter};
use crate::error::{Error, Result, escape_bytes};
use crate::file::chunks::Open;
use crate::file::decrypt::Decryptor;
use crate::file::inspect::Sealstone;
use crate::format::content::{Content, Layout};
use crate::format::memory::Memory;
use crate::format::{Format, Reader};
use crate::pipeline::{Buffer, Input, Settings, Sink, Source, Wiped, within};
use std::io::Write;
use std::ops::Range;
use std::sync::Mutex;

/// An archive that is read at any position: its members are listed and read by its index, without reading the rest.
///
/// ```
/// use sealstone::{Archive, Archiver, Decryptor, Encryptor, Identity, Input, Kind, Output};
///
/// # let place = tempfile::tempdir().unwrap();
/// # let (photos, backup) = (place.path().join("photos"), place.path().join("photos.tar.seal"));
/// # std::fs::create_dir(&photos).unwrap();
/// # std::fs::write(photos.join("a.jpg"), "a photo").unwrap();
/// let identity = Identity::generate(Kind::X25519)?;
/// Archiver::new(Encryptor::new([identity.recipient()])).archive([&photos], Output::file(&backup)?)?;
///
/// let mut archive = Archive::open(&Decryptor::new([identity]), Input::open(&backup)?)?;
/// for entry in archive.entries()? {
///     let entry = entry?;
///     println!("{:>9} {}", entry.size, sealstone::escape_bytes(&entry.path));
/// }
/// assert_eq!(archive.read(b"photos/a.jpg")?, b"a photo");
/// # Ok::<(), sealstone::Error>(())
/// ```
pub struct Archive<'i> {
    input: Input<'i>,
    payload: Open,
    /// The offset of the chunks.
    at: usize,
    layout: Layout,
    tail: Tail,
    /// The content of the last frame of which a member was read, and its offset: the next member is often in it too.
    frame: Option<(u64, Buffer)>,
    locator: Locator,
    settings: Settings,
    content_limit: u64,
}

/// The locator and, in a compressed file, all of the last frame, which often holds the index; and their offset.
struct Tail {
    bytes: Wiped,
    at: u64,
}

/// Bytes of entries that are read at once.
const ENTRIES_LEN: u64 = 4 << 20;
/// Bytes of entries in the tail that are parsed at once.
const STEP_LEN: u64 = 1 << 16;

impl<'i> Archive<'i> {
    /// Opens an archive. It reads the header, the last chunks, and the end of the index.
    ///
    /// # Errors
    /// - the errors of [`Decryptor::decrypt_to`];
    /// - [`Error::NotAnArchive`]; [`Error::MalformedArchive`];
    /// - [`Error::NotSeekable`] if the input is a stream or armoured.
    pub fn open(decryptor: &Decryptor, mut input: Input<'i>) -> Result<Self> {
        if Sealstone::is_armoured(&mut input)? {
            return Err(Error::NotSeekable);
        }
        let (payload, at) = decryptor.open(&mut input, false)?;
        check_is_archive(&payload)?;
        let Source::Region(region) = input.source(at) else { return Err(Error::NotSeekable) };
        let opened = Layout::read(&payload, region).and_then(|layout| {
            let content = Content { payload: &payload, region, layout: &layout };
            let tail = Tail::read(&content)?;
            let locator = tail.locator(&content)?;
            Ok((layout, tail, locator))
        });
        let (layout, tail, locator) = input.finish_with(opened)?;
        Ok(Self {
            input,
            payload,
            at,
            layout,
            tail,
            frame: None,
            locator,
            settings: decryptor.settings.clone(),
            content_limit: decryptor.content_limit(),
        })
    }

    fn content(&mut self) -> Result<(Content<'_, Open>, &Tail, &Settings)> {
        let Source::Region(region) = self.input.source(self.at) else { return Err(Error::NotSeekable) };
        Ok((Content { payload: &self.payload, region, layout: &self.layout }, &self.tail, &self.settings))
    }

    /// The number of members.
    #[must_use]
    pub fn members(&self) -> u64 {
        self.locator.members()
    }

    /// Bytes of the archive, which a program that reads `tar` gets.
    #[must_use]
    pub fn content_len(&self) -> u64 {
        self.layout.content_len()
    }

    /// The members by the index, in the order of their paths.
    ///
    /// # Security
    /// The list is what the writer of the archive put into the index. [`read`](Self::read) and [`Extractor`](crate::Extractor) compare it with
    /// each member that they read, and [`Decryptor::verify`] with all.
    ///
    /// # Errors
    /// The iterator gives [`Error::MalformedArchive`] and the errors of the chunks, and ends with the first error.
    pub fn entries(&mut self) -> Result<Entries<'_, 'i>> {
        let walk = self.walk();
        Ok(Entries { archive: self, walk, has_failed: false })
    }

    /// Begins to walk through the index.
    pub(super) fn walk(&self) -> IndexWalk {
        IndexWalk { reader: IndexReader::new(&self.locator), left: self.locator.entries() }
    }

    /// Calls `take` for the next members of a walk, until it returns `false`.
    pub(super) fn each(
        &mut self,
        walk: &mut IndexWalk,
        mut take: impl FnMut(Listed<'_>) -> Result<bool>,
    ) -> Result<()> {
        let (content, tail, settings) = self.content()?;
        loop {
            while let Some(listed) = walk.reader.next()? {
                if !take(listed)? {
                    return Ok(());
                }
            }
            if walk.left.is_empty() {
                return Ok(());
            }
            let begin = walk.left.start;
            if begin < tail.at {
                walk.left.start = walk.left.end.min(tail.at).min(begin + ENTRIES_LEN);
                walk.reader.take(&content.read(begin..walk.left.start, settings)?);
            } else {
                walk.left.start = walk.left.end.min(begin + STEP_LEN);
                walk.reader.take(tail.bytes_of(begin..walk.left.start));
            }
        }
    }

    /// The next members of a walk that `is_chosen` takes, as many as are held at once.
    pub(super) fn choose(&mut self, walk: &mut IndexWalk, is_chosen: impl Fn(&Listed<'_>) -> bool) -> Result<Choice> {
        let mut chosen = Choice::default();
        self.each(walk, |listed| {
            if is_chosen(&listed) {
                chosen.push(listed);
            }
            Ok(!chosen.is_full())
        })?;
        Ok(chosen)
    }

    /// Reads the data of one file into memory, with zeros in its holes.
    ///
    /// # Errors
    /// [`Error::NoSuchMember`], also if the member is no file; [`Error::MalformedArchive`]; the errors of the chunks.
    /// [`Error::TooMuchContent`] if the file is longer than the decryptor's [`content_limit`](Decryptor::content_limit): a few bytes can be
    /// a file of any length.
    pub fn read(&mut self, path: &[u8]) -> Result<Vec<u8>> {
        let mut data = Memory::new(self.content_limit);
        self.read_to(path, &mut data)?;
        Ok(data.into_bytes())
    }

    /// Writes the data of one file, with zeros in its holes. A hard link has the data of its file.
    ///
    /// # Errors
    /// As [`read`](Self::read) without its limit, and the errors of the writer. The bytes that were written before an error are authentic.
    pub fn read_to(&mut self, path: &[u8], writer: &mut (dyn Write + Send)) -> Result<()> {
        let mut found = self.find(path)?;
        if let Some((entry, ..)) = &found
            && entry.kind == archive::MemberKind::HardLink
        {
            let link = entry.link.clone();
            found = self.find(&link)?;
        }
        let missing = || Error::NoSuchMember(escape_bytes(path).into());
        let (entry, offset, blocks) =
            found.filter(|(entry, ..)| entry.kind == archive::MemberKind::File).ok_or_else(missing)?;
        let range = offset..offset + blocks * archive::BLOCK_LEN as u64;
        let sink = OneFile { range: range.clone(), expected: (entry, blocks), writer: Mutex::new((writer, 0)) };
        let mut splitter = Splitter::run(offset);
        self.run(&range, &sink, &mut splitter)?;
        splitter.finish()?;
        sink.finish()
    }

    /// The entry of a path, its offset and its blocks.
    fn find(&mut self, path: &[u8]) -> Result<Option<(Entry, u64, u64)>> {
        let mut found = None;
        self.each(&mut self.walk(), |listed| {
            if listed.entry.path == path {
                found = Some((listed.entry.to_owned(), listed.offset, listed.blocks));
            }
            Ok(found.is_none())
        })?;
        Ok(found)
    }

    /// Gives the content of a range to a sink.
    pub(super) fn run<S: Sink>(&mut self, range: &Range<u64>, sink: &S, order: &mut S::Order) -> Result<()> {
        let Some(frame) = self.layout.frame_of(range) else {
            let (content, _, settings) = self.content()?;
            return content.run(range, sink, order, settings);
        };
        let (at, bytes) = match self.frame.take() {
            Some(held) if held.0 == frame.start => held,
            _ => {
                let (content, _, settings) = self.content()?;
                (frame.start, content.read(frame, settings)?.into())
            }
        };
        let (at, bytes) = self.frame.insert((at, bytes));
        let mut work = S::Work::default();
        sink.sort(order, *at, bytes, &mut work)?;
        sink.apply(&mut work, bytes)
    }

    /// Ends reading.
    ///
    /// # Errors
    /// [`Error::InputChanged`].
    pub(super) fn finish(&self) -> Result<()> {
        self.input.finish()
    }
}

debug!(|it: Archive<'_>| { input: it.input, members: it.members() });

/// The members of an archive, in the order of their paths. [`Archive::entries`] makes it.
pub struct Entries<'a, 'i> {
    archive: &'a mut Archive<'i>,
    walk: IndexWalk,
    has_failed: bool,
}

debug!(Entries<'_, '_> { has_failed });

impl Entries<'_, '_> {
    fn step(&mut self) -> Result<Option<Entry>> {
        let mut entry = None;
        self.archive.each(&mut self.walk, |listed| {
            entry = Some(listed.entry.to_owned());
            Ok(false)
        })?;
        Ok(entry)
    }
}

impl Iterator for Entries<'_, '_> {
    type Item = Result<Entry>;

    fn next(&mut self) -> Option<Result<Entry>> {
        if self.has_failed {
            return None;
        }
        let step = self.step();
        self.has_failed = step.is_err();
        step.transpose()
    }
}

/// A member that is chosen by its entry.
pub(super) struct Chosen {
    pub(super) entry: Entry,
    pub(super) offset: u64,
    pub(super) blocks: u64,
}

impl Chosen {
    /// The offset behind it.
    pub(super) fn end(&self) -> u64 {
        self.offset + self.blocks * archive::BLOCK_LEN as u64
    }
}

/// Members that are chosen, with their entries.
#[derive(Default)]
pub(super) struct Choice {
    pub(super) members: Vec<Chosen>,
    /// Bytes of memory that they take.
    len: usize,
}

/// Bytes of memory of the members that are held at once.
const CHOICE_MAX_LEN: usize = 4 << 20;

impl Choice {
    pub(super) fn push(&mut self, Listed { entry, offset, blocks }: Listed<'_>) {
        self.len += size_of::<Chosen>() + entry.path.len() + entry.link.len();
        self.members.push(Chosen { entry: entry.to_owned(), offset, blocks });
    }

    pub(super) fn is_full(&self) -> bool {
        self.len >= CHOICE_MAX_LEN
    }
}

/// A walk through the entries of an index, some of which are in memory at a time.
pub(super) struct IndexWalk {
    reader: IndexReader,
    /// The entries that are not read yet.
    left: Range<u64>,
}

impl Tail {
    fn read(content: &Content<'_, Open>) -> Result<Self> {
        let len = content.layout.content_len();
        let rule = "it has no locator (archive section 3.4)";
        let last_at = len.checked_sub(archive::LOCATOR_LEN as u64);
        let last_at = last_at.ok_or(Error::MalformedArchive { member: None, rule })?;
        let at = content.layout.frame_of(&(len - 1..len)).map_or(last_at, |frame| frame.start.min(last_at));
        Ok(Self { bytes: content.read(at..len, &Settings::alone())?, at })
    }

    /// A range of the content that does not begin before the tail.
    fn bytes_of(&self, range: Range<u64>) -> &[u8] {
        let place = |offset: u64| usize::try_from(offset - self.at).expect("archive: the tail is in memory");
        &self.bytes[place(range.start)..place(range.end)]
    }

    /// Reads the locator, and checks what stands around the entries of the index.
    fn locator(&self, content: &Content<'_, Open>) -> Result<Locator> {
        let len = content.layout.content_len();
        let end = self.bytes_of(len - archive::LOCATOR_LEN as u64..len);
        let locator = Locator::read(end.first_chunk().expect("archive: it was read"), len)?;
        let read = |range: Range<u64>| {
            if range.start < self.at {
                content.read(range, &Settings::alone())
            } else {
                Ok(Wiped::from(self.bytes_of(range).to_vec()))
            }
        };
        let header = locator.archive_len()..locator.archive_len() + archive::BLOCK_LEN as u64;
        locator.check(&read(header)?, &read(locator.zeros())?)?;
        Ok(locator)
    }
}

/// A part of a hole.
const ZEROS: &[u8] = &[0; 4096];

/// Writes the data of one file.
struct OneFile<'w> {
    range: Range<u64>,
    expected: (Entry, u64),
    /// The writer, and the length of what was written.
    writer: Mutex<(&'w mut (dyn Write + Send), u64)>,
}

impl OneFile<'_> {
    fn pad(&self, to: u64) -> Result<()> {
        let mut writer = self.writer.lock().expect("archive: no worker panics");
        while writer.1 < to {
            let len = usize::try_from(to - writer.1).unwrap_or(usize::MAX).min(ZEROS.len());
            writer.0.write_all(&ZEROS[..len]).map_err(|error| Error::from_io("write", None, error))?;
            writer.1 += len as u64;
        }
        Ok(())
    }

    /// Writes the hole at the end.
    fn finish(self) -> Result<()> {
        self.pad(self.expected.0.size)
    }
}

impl Sink for OneFile<'_> {
    type Order = Splitter;
    type Work = ();

    fn sort(&self, splitter: &mut Splitter, at: u64, content: &mut Buffer, (): &mut ()) -> Result<()> {
        let content = &content[within(&self.range, at, content.len())];
        let mut parts = Vec::new();
        let taken = splitter.take(content, &mut parts);
        for part in parts {
            match part {
                Part::Begin { member, offset, blocks: found } => {
                    let (entry, blocks) = &self.expected;
                    let listed = Listed { entry: entry.borrow(), offset, blocks: *blocks };
                    listed.check(&member, found)?;
                }
                Part::Data { at, range } => {
                    self.pad(at)?;
                    let mut writer = self.writer.lock().expect("archive: no worker panics");
                    let data = &content[range];
                    writer.0.write_all(data).map_err(|error| Error::from_io("write", None, error))?;
                    writer.1 += data.len() as u64;
                }
                Part::End | Part::Finished => {}
            }
        }
        taken
    }

    fn apply(&self, (): &mut (), _: &[u8]) -> Result<()> {
        Ok(())
    }
}
