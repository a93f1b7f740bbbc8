//! Inputs: a regular file that is read at any position, or a stream.

use super::access::FileAccess;
use super::os::{self, FileId, FileKind};
use super::patience::{Patience, Waiting};
use crate::error::{Error, Result};
use std::fs::File;
use std::io::{self, ErrorKind, IoSliceMut, Read, Seek};
use std::path::{Path, PathBuf};

/// Bytes of a file that are read ahead: a header for one recipient, of any kind.
const HEAD_LEN: usize = 2048;

/// Where the bytes come from.
///
/// A regular file is opened once, read by all threads at once, and compared before and after: a change of its size or
/// modification time while it was read is an error. A process that writes through a mapping of the file may change neither, and
/// is not noticed then. Everything else is read as a stream, and so is a file whose length is not what it says, such as the
/// kernel's (`/proc`, `/sys`).
///
/// ```
/// use sealstone::{Decryptor, Encryptor, Identity, Input, Kind, Output};
///
/// let identity = Identity::generate(Kind::X25519)?;
/// let mut sealed = Vec::new();
/// let input = Input::reader(&b"attack at dawn"[..]);
/// Encryptor::new([identity.recipient()]).encrypt_to(input, Output::writer(&mut sealed))?;
/// assert_eq!(Decryptor::new([identity]).verify(Input::reader(&sealed[..]))?.plaintext, 14);
/// # Ok::<(), sealstone::Error>(())
/// ```
pub struct Input<'a> {
    kind: Kind<'a>,
    /// The first bytes, read ahead to see what the input is.
    head: Vec<u8>,
    path: Option<PathBuf>,
    mode: Option<u32>,
    /// What ends the reading before its end.
    patience: Option<Patience>,
}

enum Kind<'a> {
    File { file: File, id: FileId, start: u64, end: u64, stamp: Stamp },
    Reader { reader: Box<dyn Read + Send + 'a>, id: Option<FileId> },
}

/// What changes when a file is written to.
#[derive(PartialEq, Eq)]
struct Stamp {
    len: u64,
    modified: (i64, i64),
}

impl Stamp {
    fn of(file: &File) -> io::Result<Self> {
        Ok(Self::from(&os::stat(file)?))
    }
}

impl From<&os::Stat> for Stamp {
    fn from(stat: &os::Stat) -> Self {
        Self { len: stat.len, modified: stat.modified }
    }
}

impl<'a> Input<'a> {
    /// Opens a file by name.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be opened, or is a folder.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let file = File::open(path).map_err(|error| Error::io("open", Some(path), error))?;
        Self::from_file(file, Some(path))
    }

    /// An open file, such as standard input; a regular file is read from its current position.
    ///
    /// # Errors
    /// [`Error::Io`] when it is a folder, or the system does not say what it is.
    pub fn from_file(file: File, path: Option<&Path>) -> Result<Self> {
        Self::of(file, path, None)
    }

    /// A file that was opened without waiting.
    pub(super) fn patient(file: File, path: &Path, patience: Patience) -> Result<Self> {
        Self::of(file, Some(path), Some(patience))
    }

    fn of(mut file: File, path: Option<&Path>, patience: Option<Patience>) -> Result<Self> {
        let fail = |error: io::Error| Error::io("open", path, error);
        let opened = os::stat(&file).map_err(fail)?;
        if opened.kind == FileKind::Folder {
            return Err(fail(ErrorKind::IsADirectory.into()));
        }
        let stamp = Stamp::from(&opened);
        let start = if opened.kind == FileKind::Regular { position(&mut file).map_err(fail)? } else { None };
        let region = match start {
            // Files of the kernel's own (/proc) say 0 and have content: an empty file is read as a stream.
            Some(start) if stamp.len > start => {
                let honest = ends_as_it_says(&file, &stamp).map_err(|error| Error::io("read", path, error))?;
                honest.then_some(start)
            }
            _ => None,
        };
        let kind = if let Some(start) = region {
            if patience.is_some() {
                // Of a regular file nobody waits for another process.
                os::wait_always(&file).map_err(fail)?;
            }
            Kind::File { file, id: opened.id, start, end: stamp.len, stamp }
        } else {
            let reader: Box<dyn Read + Send> = match &patience {
                None => Box::new(file),
                Some(patience) => Box::new(Waiting::new(file, patience.clone())),
            };
            Kind::Reader { reader, id: opened.content_id() }
        };
        Ok(Self { kind, head: Vec::new(), path: path.map(Path::to_path_buf), mode: Some(opened.mode), patience })
    }

    /// A stream.
    #[must_use]
    pub fn reader(reader: impl Read + Send + 'a) -> Self {
        let kind = Kind::Reader { reader: Box::new(reader), id: None };
        Self { kind, head: Vec::new(), path: None, mode: None, patience: None }
    }

    /// Bytes in all, where that is known beforehand.
    // An input of known length 0 is not a thing here, see `from_file`.
    #[allow(clippy::len_without_is_empty)]
    #[must_use]
    pub fn len(&self) -> Option<u64> {
        match &self.kind {
            Kind::File { start, end, .. } => Some(end - start),
            Kind::Reader { .. } => None,
        }
    }

    /// Its name, where it has one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Its permission bits (of 0777), if it is open as a file.
    #[must_use]
    pub fn mode(&self) -> Option<u32> {
        self.mode
    }

    /// Which file it is, if it is one.
    #[must_use]
    pub fn id(&self) -> Option<FileId> {
        match &self.kind {
            Kind::File { id, .. } => Some(*id),
            Kind::Reader { id, .. } => *id,
        }
    }

    /// The first `len` bytes, or fewer where the input has no more. They are still to be read. Memory grows with what arrives, not with
    /// `len`.
    ///
    /// ```
    /// # use sealstone::Input;
    /// let mut input = Input::reader(&b"attack at dawn"[..]);
    /// assert_eq!(input.head(6)?, b"attack");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn head(&mut self, len: usize) -> Result<&[u8]> {
        if len > self.head.len() {
            // Of a stream no more is read than a step needs; of a file, what the next steps will ask for too.
            let len = if let Kind::File { .. } = &self.kind { len.max(HEAD_LEN) } else { len };
            let more = (len - self.head.len()) as u64;
            let at = self.head.len() as u64;
            let read = match &mut self.kind {
                Kind::File { file, start, end, .. } => {
                    let region = Region { file, start: *start, len: *end - *start, path: None, patience: None };
                    let more = region.len.saturating_sub(at).min(more);
                    // Without room for all it would be read in several calls.
                    self.head.reserve(usize::try_from(more).unwrap_or(0));
                    region.reader(at).take(more).read_to_end(&mut self.head)
                }
                Kind::Reader { reader, .. } => reader.take(more).read_to_end(&mut self.head),
            };
            read.map_err(|error| Error::from_io("read", self.path.as_deref(), error))?;
        }
        Ok(&self.head[..len.min(self.head.len())])
    }

    /// What `parse` makes of the beginning: it is given `first` bytes, then twice as many, until it has enough. Where `most` bytes are
    /// not enough the input is `too_long`. Of a stream about twice as much as is needed is read at most.
    pub(crate) fn parse_head<T>(
        &mut self,
        first: usize,
        most: usize,
        too_long: Error,
        parse: impl Fn(&[u8]) -> Result<Option<T>>,
    ) -> Result<T> {
        let mut want = first;
        loop {
            let start = self.head(want)?;
            if let Some(parsed) = parse(start)? {
                return Ok(parsed);
            }
            if start.len() < want {
                return Err(Error::Truncated("it ends within its header"));
            }
            if want >= most {
                return Err(too_long);
            }
            want *= 2;
        }
    }

    /// Everything from byte `at` on, which [`head`](Self::head) has reached or the caller may skip to.
    pub(crate) fn source(&mut self, at: usize) -> Source<'_> {
        match &mut self.kind {
            Kind::File { file, start, end, .. } => {
                let (start, len) = (*start + at as u64, *end - *start - at as u64);
                let (path, patience) = (self.path.as_deref(), self.patience.as_ref());
                Source::Region(Region { file, start, len, path, patience })
            }
            Kind::Reader { reader, .. } => Source::Reader(Box::new(self.head[at..].chain(reader))),
        }
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// [`Error::InputChanged`] when a regular file is no longer what it was when it was opened.
    pub(crate) fn finish(&self) -> Result<()> {
        let Kind::File { file, stamp, .. } = &self.kind else { return Ok(()) };
        let now = Stamp::of(file).map_err(|error| Error::io("stat", self.path(), error))?;
        if now == *stamp { Ok(()) } else { Err(changed(self.path())) }
    }

    /// Ends the reading with what came of it. Content that is wrong in a file that changed meanwhile is the change's fault: a
    /// page of a file that is cut at this moment is read with zeros.
    ///
    /// # Errors
    /// Those of [`finish`](Self::finish), else the result's own.
    pub(crate) fn finish_with<T>(&self, result: Result<T>) -> Result<T> {
        match result {
            Ok(value) => self.finish().map(|()| value),
            Err(error @ (Error::Truncated(_) | Error::HeaderNotAuthentic | Error::NotAuthentic { .. })) => {
                Err(self.finish().err().unwrap_or(error))
            }
            Err(error) => Err(error),
        }
    }
}

impl FileAccess {
    /// Opens an input. A FIFO is waited for when it is read.
    ///
    /// # Errors
    /// [`Error::NotRegularFile`]; [`Error::Io`]; [`Error::Cancelled`].
    pub fn input(&self, path: impl AsRef<Path>) -> Result<Input<'static>> {
        let path = path.as_ref();
        let fail = |error| Error::from_io("open", Some(path), error);
        // To open a device may do something already, so what the name stands for is asked before, and of what was opened again.
        let place = self.place(path);
        self.check(path, os::stat_path(&place).map_err(fail)?.kind)?;
        let file = self.patience().open(|| os::open_at_once(&place)).map_err(fail)?;
        self.check(path, os::stat(&file).map_err(fail)?.kind)?;
        Input::patient(file, path, self.patience().clone())
    }
}

impl std::fmt::Debug for Input<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Input").field("path", &self.path).field("len", &self.len()).finish_non_exhaustive()
    }
}

/// The two ways an input can be read.
pub(crate) enum Source<'a> {
    Region(Region<'a>),
    Reader(Box<dyn Read + Send + 'a>),
}

impl<'a> Source<'a> {
    /// As a stream.
    pub(crate) fn into_reader(self) -> Box<dyn Read + Send + 'a> {
        match self {
            Self::Region(region) => Box::new(region.reader(0)),
            Self::Reader(reader) => reader,
        }
    }
}

/// Where a file stands; `None` for one that can only be read from front to back.
fn position(file: &mut File) -> io::Result<Option<u64>> {
    match file.stream_position() {
        Err(error) if error.kind() == ErrorKind::NotSeekable => Ok(None),
        position => position.map(Some),
    }
}

/// Whether the last byte of a file is where its length says. Files of sysfs have 4096 bytes, they say, and fewer to read.
fn ends_as_it_says(file: &File, stamp: &Stamp) -> io::Result<bool> {
    let mut end = [0; 2];
    let read = loop {
        match os::read_at(file, &mut [IoSliceMut::new(&mut end)], stamp.len - 1) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::NotSeekable => return Ok(false),
            read => break read?,
        }
    };
    // One that is written to at this moment is honest, and its change is an error later.
    Ok(read == 1 || Stamp::of(file)? != *stamp)
}

fn changed(path: Option<&Path>) -> Error {
    Error::InputChanged(path.unwrap_or(Path::new("the input")).to_path_buf())
}

/// A part of a regular file.
#[derive(Clone, Copy)]
pub(crate) struct Region<'a> {
    file: &'a File,
    start: u64,
    len: u64,
    pub(super) path: Option<&'a Path>,
    /// What ends the reading as a stream.
    patience: Option<&'a Patience>,
}

impl<'a> Region<'a> {
    /// Its bytes.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Reads once from `offset` on. The caller asks for no more than the region has, so an end of the file is a
    /// change: it had that many bytes when it was opened.
    pub(super) fn read_at(&self, slices: &mut [IoSliceMut<'_>], offset: u64) -> io::Result<usize> {
        match os::read_at(self.file, slices, self.start + offset)? {
            0 if slices.iter().any(|slice| !slice.is_empty()) => Err(changed(self.path).into_io()),
            n => Ok(n),
        }
    }

    /// A stream of the region's bytes from `offset` on.
    pub(crate) fn reader(&self, offset: u64) -> RegionReader<'a> {
        RegionReader { region: *self, offset }
    }
}

/// Reads a region from front to back, without moving the file's own position.
pub(crate) struct RegionReader<'a> {
    region: Region<'a>,
    offset: u64,
}

impl Read for RegionReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.read_vectored(&mut [IoSliceMut::new(buffer)])
    }

    fn read_vectored(&mut self, slices: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        if let Some(patience) = self.region.patience {
            patience.check()?;
        }
        let mut left = self.region.len.saturating_sub(self.offset);
        // What was in the file when it was opened is read, and nothing that was appended since.
        let mut cut: Vec<IoSliceMut<'_>> = Vec::with_capacity(slices.len());
        for slice in slices {
            let len = usize::try_from(left).unwrap_or(usize::MAX).min(slice.len());
            if len == 0 {
                break;
            }
            left -= len as u64;
            cut.push(IoSliceMut::new(&mut slice[..len]));
        }
        if cut.is_empty() {
            return Ok(0);
        }
        let n = self.region.read_at(&mut cut, self.offset)?;
        self.offset += n as u64;
        Ok(n)
    }
}
