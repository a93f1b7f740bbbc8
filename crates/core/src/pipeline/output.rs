//! Outputs: a file that appears whole or not at all, a stream, or nothing.

use super::access::FileAccess;
use super::input::Input;
use super::os::{self, FileId, FileKind, Folder, Stat};
use super::patience::Waiting;
use super::temporary::Temporary;
use crate::error::{Error, Result};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, IoSlice, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Permission bits of a new file.
///
/// ```
/// assert_eq!(sealstone::FileMode::default(), sealstone::FileMode::Private);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum FileMode {
    /// For its owner alone (0600): plaintext and keys.
    #[default]
    Private,
    /// What the umask leaves of 0666: ciphertext.
    Shared,
    /// These bits (of 0777).
    Exactly(u32),
}

/// Where the bytes go.
///
/// A file appears under its name only when it is complete; until then it has no name, or a random one in the same folder. After a
/// failure nothing is left.
///
/// ```no_run
/// use sealstone::{Encryptor, FileMode, Input, Output, Recipient};
///
/// fn backup(recipient: Recipient) -> sealstone::Result<()> {
///     let output = Output::file("dump.sql.seal")?.replace(true).mode(FileMode::Private);
///     Encryptor::new([recipient]).encrypt_to(Input::open("dump.sql")?, output)?;
///     Ok(())
/// }
/// ```
pub struct Output<'a> {
    kind: Kind<'a>,
    /// Files that must not be replaced: the inputs of the operation.
    protected: Vec<(FileId, PathBuf)>,
    /// Whether the input is what is replaced.
    in_place: bool,
}

enum Kind<'a> {
    File(Plan),
    Writer { writer: Box<dyn Write + Send + 'a>, id: Option<FileId>, path: Option<PathBuf> },
    Nothing,
}

/// A file to be made.
struct Plan {
    folder: Folder,
    name: OsString,
    /// As messages name it.
    path: PathBuf,
    replace: bool,
    /// Whether it may be replaced in place though it has other names.
    split_links: bool,
    sync: bool,
    mode: FileMode,
    /// What stands under the name now.
    existing: Option<Stat>,
}

impl<'a> Output<'a> {
    /// A file by name. A device or a FIFO of that name is written to directly, if it is the user's own or root's: in a
    /// folder that others may write to, another's may have been put there to read what is written. Such a one is an
    /// existing file, and replaced if that is asked for.
    ///
    /// # Errors
    /// [`Error::Io`] when the name is a folder or its folder cannot be looked up.
    pub fn file(path: impl AsRef<Path>) -> Result<Self> {
        Self::by_name(path.as_ref(), None)
    }

    /// As [`file`](Self::file), which waits without limit, or as `access` says.
    pub(super) fn by_name(path: &Path, access: Option<&FileAccess>) -> Result<Self> {
        let place = access.map_or(path.into(), |access| access.place(path));
        let parent = place.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = os::open_folder(parent).map_err(|error| Error::io("create", Some(path), error))?;
        let plan = Plan::new(folder, path)?;
        if let (Some(access), Some(stat)) = (access, &plan.existing) {
            access.check(path, stat.kind)?;
        }
        let Some(stat) = plan.existing.filter(is_own_stream) else {
            return Ok(Self::new(Kind::File(plan)));
        };
        let fail = |error: io::Error| Error::from_io("create", Some(path), error);
        let (folder, name) = (&plan.folder, &plan.name);
        let file = match access {
            None => os::open_to_write(folder, name),
            Some(access) => {
                let is_fifo = stat.kind == FileKind::Fifo;
                access.patience().open(|| os::open_to_write_at_once(folder, name, is_fifo))
            }
        };
        let file = file.map_err(fail)?;
        let stat = os::stat(&file).map_err(fail)?;
        if !is_own_stream(&stat) {
            return Err(fail(ErrorKind::InvalidInput.into()));
        }
        let writer: Box<dyn Write + Send> = match access {
            None => Box::new(file),
            Some(access) => Box::new(Waiting::new(file, access.patience().clone())),
        };
        Ok(Self::new(Kind::Writer { writer, id: stat.content_id(), path: Some(plan.path) }))
    }

    /// A file in a folder that is open: its name is the last part of `path`, and the rest of `path` is for messages
    /// only. So a caller that has walked to the folder is not led elsewhere by a link that was put on the way. A device
    /// or a FIFO of that name is an existing file like any other, and is not written to.
    ///
    /// ```no_run
    /// # use sealstone::{Encryptor, Folder, Input, Output, Recipient};
    /// # fn run(recipient: Recipient) -> sealstone::Result<()> {
    /// let folder = Folder::open("backup")?;
    /// let output = Output::file_in(&folder, "backup/dump.sql.seal")?;
    /// Encryptor::new([recipient]).encrypt_to(Input::open("dump.sql")?, output)?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Io`] when the name is a folder or cannot be looked up.
    pub fn file_in(folder: &Folder, path: impl AsRef<Path>) -> Result<Self> {
        Ok(Self::new(Kind::File(Plan::new(folder.clone(), path.as_ref())?)))
    }

    fn new(kind: Kind<'a>) -> Self {
        Self { kind, protected: Vec::new(), in_place: false }
    }

    /// Whether it receives what is done before the whole is.
    pub(crate) fn is_stream(&self) -> bool {
        matches!(self.kind, Kind::Writer { .. })
    }

    /// A stream.
    #[must_use]
    pub fn writer(writer: impl Write + Send + 'a) -> Self {
        Self::stream(writer, None, None)
    }

    /// A stream, such as standard output, that may be a file and may have a name for messages. It is written from
    /// where it stands.
    #[must_use]
    pub fn stream(writer: impl Write + Send + 'a, id: Option<FileId>, path: Option<&Path>) -> Self {
        Self::new(Kind::Writer { writer: Box::new(writer), id, path: path.map(Path::to_path_buf) })
    }

    /// Nothing: the input is only checked.
    pub(crate) fn nothing() -> Self {
        Self::new(Kind::Nothing)
    }

    pub(crate) fn is_nothing(&self) -> bool {
        matches!(self.kind, Kind::Nothing)
    }

    /// Whether an existing file is replaced; otherwise it is an error. A symbolic link is replaced itself.
    #[must_use]
    pub fn replace(mut self, replace: bool) -> Self {
        if let Kind::File(plan) = &mut self.kind {
            plan.replace = replace;
        }
        self
    }

    /// Whether the file and its folder are flushed to the disk (`fsync`) before the operation ends; on by default.
    #[must_use]
    pub fn sync(mut self, sync: bool) -> Self {
        if let Kind::File(plan) = &mut self.kind {
            plan.sync = sync;
        }
        self
    }

    /// The permission bits of the file; [`FileMode::Private`] by default.
    #[must_use]
    pub fn mode(mut self, mode: FileMode) -> Self {
        if let Kind::File(plan) = &mut self.kind {
            plan.mode = mode;
        }
        self
    }

    /// The input itself is replaced, when it has been read and the result is complete. That the name is still the
    /// input's, and that nobody has written to the file meanwhile, is checked before the work and at its end. So is that the
    /// file has no other names (hard links): those would keep the old content. [`split_links`](Self::split_links) allows it.
    /// A symbolic link is refused: what it leads to would stay as it is.
    ///
    /// The result has the owner and group of the input if this process is root's, also of what it decrypts. Otherwise it
    /// is this user's, with the group of the input if the user is in it, and without rights for a group if not.
    ///
    /// ```no_run
    /// # use sealstone::{Encryptor, FileMode, Input, Output, Recipient};
    /// # fn run(recipient: Recipient) -> sealstone::Result<()> {
    /// let input = Input::open("notes.txt")?;
    /// let mode = input.mode().map_or(FileMode::Private, FileMode::Exactly);
    /// let output = Output::file("notes.txt")?.mode(mode).in_place();
    /// Encryptor::new([recipient]).encrypt_to(input, output)?;
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn in_place(mut self) -> Self {
        self.in_place = true;
        self.replace(true)
    }

    pub(crate) fn is_in_place(&self) -> bool {
        self.in_place
    }

    /// Whether a file that has other names (hard links) is replaced [`in_place`](Self::in_place) all the same; otherwise it is an error.
    /// The name is then that of a new file, and **the others keep the old content**: a rewrapped file still opens under them with
    /// the old keys, an encrypted one is still readable.
    ///
    /// ```
    /// use sealstone::{Encryptor, Identity, Input, Kind, Output};
    ///
    /// # let place = tempfile::tempdir().unwrap();
    /// # let (path, snapshot) = (place.path().join("notes.txt"), place.path().join("snapshot.txt"));
    /// std::fs::write(&path, "attack at dawn").unwrap();
    /// std::fs::hard_link(&path, &snapshot).unwrap();
    /// let encryptor = Encryptor::new([Identity::generate(Kind::X25519)?.recipient()]);
    /// let output = || Ok::<_, sealstone::Error>(Output::file(&path)?.in_place());
    /// let refused = encryptor.encrypt_to(Input::open(&path)?, output()?).unwrap_err();
    /// assert_eq!(refused.code(), "hard_links");
    /// encryptor.encrypt_to(Input::open(&path)?, output()?.split_links(true))?;
    /// assert_eq!(std::fs::read(&snapshot).unwrap(), b"attack at dawn");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    #[must_use]
    pub fn split_links(mut self, split: bool) -> Self {
        if let Kind::File(plan) = &mut self.kind {
            plan.split_links = split;
        }
        self
    }

    /// Names a file that must not be written to: it is an input of the operation, or holds its keys.
    #[must_use]
    pub fn protect(mut self, id: FileId, path: impl Into<PathBuf>) -> Self {
        self.protected.push((id, path.into()));
        self
    }

    /// Whether the output is complete or absent: everything but a stream is.
    #[must_use]
    pub fn is_atomic(&self) -> bool {
        !matches!(self.kind, Kind::Writer { .. })
    }

    /// Writes a whole file, such as a key file.
    ///
    /// ```no_run
    /// # use sealstone::{Identity, Kind, Output};
    /// # fn run() -> sealstone::Result<()> {
    /// let identity = Identity::generate(Kind::Hybrid)?;
    /// let text = identity.to_text().expect("hybrid keys have strings");
    /// Output::file("identity.txt")?.write_all(text.as_bytes())?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::OutputExists`] and [`Error::Io`]; then nothing is left.
    pub fn write_all(self, content: &[u8]) -> Result<()> {
        self.check(&Input::reader(content))?;
        let mut destination = self.begin(Some(content.len() as u64))?;
        destination.with_writer(|writer| {
            writer
                .write_all(content)
                .and_then(|()| writer.flush())
                .map_err(|error| Error::from_io("write", None, error))
        })?;
        destination.commit()
    }

    /// Refuses what can be refused before any work: the output is one of the inputs, or exists and may not be
    /// replaced. Every operation asks this itself.
    ///
    /// # Errors
    /// [`Error::SameFile`], [`Error::OutputExists`]. In place: [`Error::NotRegularFile`] for a symbolic link, [`Error::InputChanged`]
    /// where another file has come under the name, [`Error::HardLinks`].
    pub fn check(&self, input: &Input<'_>) -> Result<()> {
        let (existing, plan) = match &self.kind {
            Kind::File(plan) => (plan.existing.map(|stat| stat.id), Some(plan)),
            Kind::Writer { id, .. } => (*id, None),
            Kind::Nothing => (None, None),
        };
        if self.in_place {
            if let Some(plan) = plan {
                plan.refuse_symbolic_link()?;
            }
            if plan.is_none() || existing != input.id() {
                // Another file has come under the name since the input was opened.
                return Err(Error::InputChanged(input.path().unwrap_or(Path::new("the input")).to_path_buf()));
            }
        }
        let Some(existing) = existing else { return Ok(()) };
        if input.id() == Some(existing) && !self.in_place {
            return Err(Error::SameFile(input.path().unwrap_or(Path::new("standard input")).to_path_buf()));
        }
        if let Some((_, path)) = self.protected.iter().find(|(id, _)| *id == existing) {
            return Err(Error::SameFile(path.clone()));
        }
        match plan {
            Some(plan) if !plan.replace => Err(Error::OutputExists(plan.path.clone())),
            Some(Plan { path, split_links: false, existing: Some(stat), .. }) if self.in_place => {
                refuse_links(path, stat)
            }
            _ => Ok(()),
        }
    }

    /// Opens the destination; `len` is the length of the result, where that is known.
    pub(crate) fn begin(self, len: Option<u64>) -> Result<Destination<'a>> {
        match self.kind {
            Kind::File(plan) => Ok(Destination::File(TempFile::create(plan, self.in_place, len)?)),
            Kind::Writer { writer, path, .. } => Ok(Destination::Writer { writer, path }),
            Kind::Nothing => Ok(Destination::Nothing),
        }
    }
}

impl FileAccess {
    /// Plans an output, as [`Output::file`]. A FIFO is waited for here, until somebody reads from it.
    ///
    /// # Errors
    /// [`Error::NotRegularFile`]; [`Error::Io`]; [`Error::Cancelled`].
    pub fn output(&self, path: impl AsRef<Path>) -> Result<Output<'static>> {
        Output::by_name(path.as_ref(), Some(self))
    }
}

impl std::fmt::Debug for Output<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path = if let Kind::File(plan) = &self.kind { Some(&plan.path) } else { None };
        f.debug_struct("Output").field("path", &path).finish_non_exhaustive()
    }
}

impl Plan {
    fn new(folder: Folder, path: &Path) -> Result<Self> {
        let fail = |error: io::Error| Error::io("create", Some(path), error);
        let is_folder = || fail(ErrorKind::IsADirectory.into());
        let name = path.file_name().ok_or_else(is_folder)?.to_owned();
        let existing = match os::stat_in(&folder, &name) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            stat => Some(stat.map_err(fail)?),
        };
        // `file_name` reads over what `a/` and `a/.` end in.
        let whole = path.as_os_str().as_encoded_bytes().ends_with(name.as_encoded_bytes());
        if !whole || existing.is_some_and(|stat| stat.kind == FileKind::Folder) {
            return Err(is_folder());
        }
        let (path, mode) = (path.to_path_buf(), FileMode::default());
        Ok(Self { folder, name, path, replace: false, split_links: false, sync: true, mode, existing })
    }

    /// The link would be replaced, and what it leads to would stay as it is.
    fn refuse_symbolic_link(&self) -> Result<()> {
        match self.existing {
            Some(Stat { kind: FileKind::SymbolicLink, .. }) => {
                Err(Error::NotRegularFile { path: self.path.clone(), kind: "a symbolic link" })
            }
            _ => Ok(()),
        }
    }
}

/// Refuses a file whose other names would keep the old content.
fn refuse_links(path: &Path, stat: &Stat) -> Result<()> {
    if stat.links > 1 { Err(Error::HardLinks(path.to_path_buf())) } else { Ok(()) }
}

fn is_own_stream(stat: &Stat) -> bool {
    use FileKind::{BlockDevice, CharacterDevice, Fifo, Socket};
    let is_stream = matches!(stat.kind, Fifo | CharacterDevice | BlockDevice | Socket);
    is_stream && (stat.owner == 0 || stat.owner == os::user())
}

/// An output that has been opened.
pub(crate) enum Destination<'a> {
    File(TempFile),
    Writer { writer: Box<dyn Write + Send + 'a>, path: Option<PathBuf> },
    Nothing,
}

impl Destination<'_> {
    /// Calls `write` with this destination as a stream.
    pub(crate) fn with_writer<T>(&mut self, write: impl FnOnce(&mut (dyn Write + Send)) -> Result<T>) -> Result<T> {
        match self {
            Self::File(TempFile { file, path, .. }) => write(&mut Named { writer: file, path }),
            Self::Writer { writer, path: Some(path) } => write(&mut Named { writer, path }),
            Self::Writer { writer, path: None } => write(writer),
            Self::Nothing => write(&mut io::sink()),
        }
    }

    /// What was written, from a byte on. A stream has it already.
    pub(crate) fn input(&self, from: u64) -> Result<Input<'static>> {
        match self {
            Self::File(file) => file.input(from),
            Self::Writer { .. } | Self::Nothing => Err(Error::NotSeekable),
        }
    }

    /// Gives the finished file its name; until this is called, nothing is there.
    pub(crate) fn commit(self) -> Result<()> {
        match self {
            Self::File(file) => file.commit(),
            Self::Writer { .. } | Self::Nothing => Ok(()),
        }
    }
}

/// A stream whose errors say what it is.
struct Named<'a, W> {
    writer: &'a mut W,
    path: &'a Path,
}

impl<W> Named<'_, W> {
    fn name(&self, error: io::Error) -> io::Error {
        match error.kind() {
            // It is no failure: the caller tries again.
            ErrorKind::Interrupted => error,
            _ => io::Error::other(Error::from_io("write", Some(self.path), error)),
        }
    }

    /// That nothing was written of something is an error that its callers make, who do not know the name.
    fn count(&self, written: io::Result<usize>, is_empty: bool) -> io::Result<usize> {
        match written {
            Ok(0) if !is_empty => Err(self.name(ErrorKind::WriteZero.into())),
            written => written.map_err(|error| self.name(error)),
        }
    }
}

impl<W: Write> Write for Named<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.writer.write(bytes);
        self.count(written, bytes.is_empty())
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let written = self.writer.write_vectored(slices);
        self.count(written, slices.iter().all(|slice| slice.is_empty()))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush().map_err(|error| self.name(error))
    }
}

/// A file on its way: without a name, or where the file system cannot do that, under a random one.
pub(crate) struct TempFile {
    file: File,
    /// Where positional writes count from.
    start: u64,
    folder: Folder,
    name: OsString,
    path: PathBuf,
    temporary: Option<Temporary>,
    replace: bool,
    split_links: bool,
    sync: bool,
    /// The rights that it gets at the end, unless it has them.
    mode: Option<u32>,
    /// The file that is replaced in place, if it still stands there at the end.
    in_place: Option<Stat>,
}

impl TempFile {
    fn create(plan: Plan, in_place: bool, len: Option<u64>) -> Result<Self> {
        let Plan { folder, name, path, replace, split_links, sync, mode, existing } = plan;
        let in_place = existing.filter(|_| in_place);
        let fail = |error: io::Error| Error::io("create", Some(&path), error);
        // Without a name, ciphertext has from the beginning what the umask leaves: who may read it all may read a part.
        let unnamed = os::create_unnamed(&folder, if mode == FileMode::Shared { SHARED } else { PRIVATE });
        let is_made = unnamed.is_some() && mode == FileMode::Shared;
        let (file, temporary) = match unnamed {
            Some(file) => (file, None),
            None => {
                let (file, temporary) = Temporary::create(&folder, PRIVATE)?.map_err(fail)?;
                os::set_mode(&file, PRIVATE).map_err(fail)?;
                (file, Some(temporary))
            }
        };
        let mode = match mode {
            _ if is_made => None,
            FileMode::Private => Some(PRIVATE),
            FileMode::Shared => Some(unmasked(&folder)?.map_err(fail)?),
            FileMode::Exactly(bits) => Some(bits & 0o777),
        };
        // What is written at once finds out itself.
        if let Some(len) = len.filter(|len| *len > RESERVED_FROM) {
            os::reserve(&file, len).map_err(|error| Error::io("write", Some(&path), error))?;
        }
        Ok(Self { file, start: 0, folder, name, path, temporary, replace, split_links, sync, mode, in_place })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes what stands before the payload. Positional writes count from its end.
    pub(crate) fn write_head(&mut self, head: &[u8]) -> Result<()> {
        self.start = head.len() as u64;
        self.file.write_all(head).map_err(|error| Error::io("write", Some(&self.path), error))
    }

    /// Writes once, from that byte of the payload on; returns how many bytes.
    pub(super) fn write_at(&self, slices: &[IoSlice<'_>], offset: u64) -> io::Result<usize> {
        os::write_at(&self.file, slices, self.start + offset)
    }

    fn input(&self, from: u64) -> Result<Input<'static>> {
        let fail = |error: io::Error| Error::io("read", Some(&self.path), error);
        // Of both descriptors there is one position, and no write from here on asks for it.
        let mut file = self.file.try_clone().map_err(fail)?;
        file.seek(SeekFrom::Start(from)).map_err(fail)?;
        Input::from_file(file, Some(&self.path))
    }

    fn commit(mut self) -> Result<()> {
        let fail = |error: io::Error| match error.kind() {
            ErrorKind::AlreadyExists if !self.replace => Error::OutputExists(self.path.clone()),
            _ => Error::io("create", Some(&self.path), error),
        };
        if let Some(existing) = &self.in_place {
            self.mode = Some(keep_owner(&self.file, existing, self.mode).map_err(fail)?);
        }
        if let Some(mode) = self.mode {
            os::set_mode(&self.file, mode).map_err(fail)?;
        }
        if self.sync {
            os::sync(&self.file).map_err(|error| Error::io("sync", Some(&self.path), error))?;
        } else {
            // Without a flush some file systems (NFS) report a lost write only when a descriptor is closed. A second one is
            // closed while the file has no name yet.
            let close = |error: io::Error| Error::io("close", Some(&self.path), error);
            os::close(self.file.try_clone().map_err(close)?).map_err(close)?;
        }
        let link = |name: &OsStr| os::link_unnamed(&self.file, &self.folder, name);
        match (self.temporary.take(), self.replace) {
            (None, false) => link(&self.name).map_err(fail)?,
            (Some(temporary), false) => temporary.rename_new(&self.name).map_err(fail)?,
            (temporary, true) => {
                let temporary = match temporary {
                    Some(temporary) => temporary,
                    // There is no call that gives an unnamed file the name of an existing one.
                    None => Temporary::link(&self.folder, &self.file, link)?.map_err(fail)?,
                };
                self.check_in_place()?;
                temporary.rename(&self.name).map_err(fail)?;
            }
        }
        if self.sync
            && let Err(error) = os::sync_folder(&self.folder)
        {
            if !self.replace {
                // What may not outlive a power cut is not left as if it would.
                let _ = os::remove(&self.folder, &self.name);
            }
            return Err(Error::io("sync", self.path.parent(), error));
        }
        Ok(())
    }

    /// Refuses to replace a file in place that is no longer what it was. As late as there are calls for: what happens between this
    /// one and the next is not seen.
    fn check_in_place(&self) -> Result<()> {
        let Some(existing) = &self.in_place else { return Ok(()) };
        let now = match os::stat_in(&self.folder, &self.name) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(Error::io("create", Some(&self.path), error));
            }
            now => now.ok().filter(|now| now.is_unchanged(existing)),
        };
        match now {
            None => Err(Error::InputChanged(self.path.clone())),
            Some(now) if !self.split_links => refuse_links(&self.path, &now),
            Some(_) => Ok(()),
        }
    }
}

const PRIVATE: u32 = 0o600;
const SHARED: u32 = 0o666;

/// Bytes up to which room is not reserved: few writes, each of which says that the disk is full.
const RESERVED_FROM: u64 = 64 * 1024;

/// What the umask leaves of 0666. A file that has a name is never open to others, not for a moment, so an empty one tells.
fn unmasked(folder: &Folder) -> Result<io::Result<u32>> {
    let probe = Temporary::create(folder, SHARED)?;
    Ok(probe.and_then(|(file, _removed_on_return)| os::stat(&file)).map(|stat| stat.mode))
}

/// Gives a file the owner and the group of the one that it replaces, and returns the mode that it may have then. Only
/// root gives files away. For others the rights of the group are for that group only, and go where it cannot be kept.
fn keep_owner(file: &File, existing: &Stat, mode: Option<u32>) -> io::Result<u32> {
    let now = os::stat(file)?;
    let mode = mode.unwrap_or(now.mode);
    if os::user() == 0 {
        if (now.owner, now.group) != (existing.owner, existing.group) {
            os::set_owner(file, Some(existing.owner), existing.group)?;
        }
    } else if now.group != existing.group && os::set_owner(file, None, existing.group).is_err() {
        return Ok(mode & !0o070);
    }
    Ok(mode)
}

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;
