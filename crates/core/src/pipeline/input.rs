//! Inputs: a regular file with random access, or a stream.

use super::access::FileAccess;
use super::os::{self, FileId, FileKind};
use super::patience::{Patience, Waiting};
use crate::error::{Error, Result};
use std::fs::File;
use std::io::{self, ErrorKind, IoSliceMut, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Bytes of a file that are read ahead: enough for a header with one recipient of any kind.
const HEAD_LEN: usize = 2048;

/// The source of the bytes.
///
/// A regular file is opened once and read by all threads in parallel. A change of its size or modification time during the read
/// is an error. A process that writes through a memory mapping may change neither; then the change is not detected. Everything
/// else is read as a stream, and so are files that report a wrong length, such as those in `/proc` and `/sys`.
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
    /// The first bytes, read ahead to detect the format.
    head: Vec<u8>,
    path: Option<PathBuf>,
    mode: Option<u32>,
    /// Cancels reading.
    patience: Option<Patience>,
}

enum Kind<'a> {
    File { file: File, id: FileId, start: u64, end: u64, stamp: Stamp },
    Reader { reader: Box<dyn Read + Send + 'a>, id: Option<FileId> },
}

/// The properties of a file that change on a write.
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
    /// [`Error::Io`] if it cannot be opened or is a folder.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let file = File::open(path).map_err(|error| Error::io("open", Some(path), error))?;
        Self::from_file(file, Some(path))
    }

    /// Reads an open file, such as standard input; a regular file is read from its current position.
    ///
    /// # Errors
    /// [`Error::Io`] if it is a folder or its metadata cannot be read.
    pub fn from_file(file: File, path: Option<&Path>) -> Result<Self> {
        Self::of(file, path, None)
    }

    /// Reads a file that was opened in non-blocking mode.
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
            // Files in /proc report length 0 but have content, so a file of length 0 is read as a stream.
            Some(start) if stamp.len > start => {
                let honest = ends_as_it_says(&file, &stamp).map_err(|error| Error::io("read", path, error))?;
                honest.then_some(start)
            }
            _ => None,
        };
        let kind = if let Some(start) = region {
            if patience.is_some() {
                // Reads of a regular file do not wait for another process.
                os::set_blocking(&file).map_err(fail)?;
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

    /// Reads a stream.
    #[must_use]
    pub fn reader(reader: impl Read + Send + 'a) -> Self {
        let kind = Kind::Reader { reader: Box::new(reader), id: None };
        Self { kind, head: Vec::new(), path: None, mode: None, patience: None }
    }

    /// The total number of bytes, if known in advance.
    // There is no input of known length 0, see `from_file`.
    #[allow(clippy::len_without_is_empty)]
    #[must_use]
    pub fn len(&self) -> Option<u64> {
        match &self.kind {
            Kind::File { start, end, .. } => Some(end - start),
            Kind::Reader { .. } => None,
        }
    }

    /// The file name, if there is one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The permission bits (of 0777), if the input is an open file.
    #[must_use]
    pub fn mode(&self) -> Option<u32> {
        self.mode
    }

    /// The identity of the file, if the input is a file.
    #[must_use]
    pub fn id(&self) -> Option<FileId> {
        match &self.kind {
            Kind::File { id, .. } => Some(*id),
            Kind::Reader { id, .. } => *id,
        }
    }

    /// Returns the first `len` bytes without consuming them, or fewer if the input is shorter. Memory use grows with the bytes
    /// that arrive, not with `len`.
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
            // A stream is read only as far as this call needs; a file is read ahead for the following calls too.
            let len = if let Kind::File { .. } = &self.kind { len.max(HEAD_LEN) } else { len };
            let more = (len - self.head.len()) as u64;
            let at = self.head.len() as u64;
            let read = match &mut self.kind {
                Kind::File { file, start, end, .. } => {
                    let region = Region { file, start: *start, len: *end - *start, path: None, patience: None };
                    let more = region.len.saturating_sub(at).min(more);
                    // Reserve for everything: otherwise it would be read in several calls.
                    self.head.reserve(usize::try_from(more).unwrap_or(0));
                    region.reader(at).take(more).read_to_end(&mut self.head)
                }
                Kind::Reader { reader, .. } => reader.take(more).read_to_end(&mut self.head),
            };
            read.map_err(|error| Error::from_io("read", self.path.as_deref(), error))?;
        }
        Ok(&self.head[..len.min(self.head.len())])
    }

    /// Parses the beginning of the input: calls `parse` with `first` bytes, then with twice as many, until they are enough.
    /// Fails with `too_long` if `most` bytes are not enough. At most about twice the needed bytes are read from a stream.
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

    /// Returns the input from byte `at` on. For a stream, `at` must be within the bytes that [`head`](Self::head) has read.
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

    /// Ends reading.
    ///
    /// # Errors
    /// [`Error::InputChanged`] if a regular file has changed since it was opened.
    pub(crate) fn finish(&self) -> Result<()> {
        let Kind::File { file, stamp, .. } = &self.kind else { return Ok(()) };
        let now = Stamp::of(file).map_err(|error| Error::io("stat", self.path(), error))?;
        if now == *stamp { Ok(()) } else { Err(changed(self.path())) }
    }

    /// Ends reading with the result of the operation. If the file changed meanwhile, that error replaces one about its content:
    /// a page of a file that is being truncated may be read as zeros.
    ///
    /// # Errors
    /// Those of [`finish`](Self::finish), otherwise the error of the result.
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
    /// Opens an input. Waiting for the writer of a FIFO begins with the first read.
    ///
    /// # Errors
    /// [`Error::NotRegularFile`]; [`Error::Io`]; [`Error::Cancelled`].
    pub fn input(&self, path: impl AsRef<Path>) -> Result<Input<'static>> {
        let path = path.as_ref();
        let fail = |error| Error::from_io("open", Some(path), error);
        // Opening a device may have side effects, so the type of the file is checked before and, against races, after opening.
        let place = self.place(path);
        self.check(path, os::stat_path(&place).map_err(fail)?.kind)?;
        let file = self.patience().open(|| os::open_nonblocking(&place)).map_err(fail)?;
        self.check(path, os::stat(&file).map_err(fail)?.kind)?;
        Input::patient(file, path, self.patience().clone())
    }
}

debug!(|it: Input<'_>| { path: it.path, len: it.len() });

/// The two ways an input can be read.
pub(crate) enum Source<'a> {
    Region(Region<'a>),
    Reader(Box<dyn Read + Send + 'a>),
}

impl<'a> Source<'a> {
    /// The input as a stream.
    pub(crate) fn into_reader(self) -> Box<dyn Read + Send + 'a> {
        match self {
            Self::Region(region) => Box::new(region.reader(0)),
            Self::Reader(reader) => reader,
        }
    }
}

/// The position of a file; `None` if it can only be read sequentially.
fn position(file: &mut File) -> io::Result<Option<u64>> {
    match file.stream_position() {
        Err(error) if error.kind() == ErrorKind::NotSeekable => Ok(None),
        position => position.map(Some),
    }
}

/// Whether a file ends at its reported length. Files of sysfs report 4096 bytes and have fewer.
fn ends_as_it_says(file: &File, stamp: &Stamp) -> io::Result<bool> {
    let mut end = [0; 2];
    let read = loop {
        match os::read_at(file, &mut [IoSliceMut::new(&mut end)], stamp.len - 1) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::NotSeekable => return Ok(false),
            read => break read?,
        }
    };
    // A file that is being written to passes here; its change is an error later.
    Ok(read == 1 || Stamp::of(file)? != *stamp)
}

fn changed(path: Option<&Path>) -> Error {
    Error::InputChanged(path.unwrap_or(Path::new("the input")).to_path_buf())
}

/// A range of a regular file.
#[derive(Clone, Copy)]
pub(crate) struct Region<'a> {
    file: &'a File,
    start: u64,
    len: u64,
    pub(super) path: Option<&'a Path>,
    /// Cancels reading as a stream.
    patience: Option<&'a Patience>,
}

impl<'a> Region<'a> {
    /// The number of bytes.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// The name of the file, for messages.
    #[cfg(all(feature = "archive", not(target_family = "wasm")))]
    pub(crate) fn path(&self) -> Option<&'a Path> {
        self.path
    }

    /// Reads once at `offset`. The caller never reads past the region, so an end of file means that the file was truncated
    /// after it was opened.
    pub(super) fn read_at(&self, slices: &mut [IoSliceMut<'_>], offset: u64) -> io::Result<usize> {
        match os::read_at(self.file, slices, self.start + offset)? {
            0 if slices.iter().any(|slice| !slice.is_empty()) => Err(changed(self.path).into_io()),
            n => Ok(n),
        }
    }

    /// Returns the bytes of the region from `offset` on as a stream.
    pub(crate) fn reader(&self, offset: u64) -> RegionReader<'a> {
        RegionReader { region: *self, offset }
    }
}

/// Reads a region sequentially, without moving the position of the file.
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
        // Bytes that were appended after the file was opened are not read.
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

impl Seek for RegionReader<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let offset = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::End(by) => self.region.len.checked_add_signed(by),
            SeekFrom::Current(by) => self.offset.checked_add_signed(by),
        };
        self.offset = offset.ok_or(ErrorKind::InvalidInput)?;
        Ok(self.offset)
    }
}
