//! Outputs: a file that is created atomically, a stream, or nothing.

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
    /// Only for its owner (0600): for plaintext and keys.
    #[default]
    Private,
    /// 0666 without the bits of the umask: for ciphertext.
    Shared,
    /// Exactly these bits (of 0777).
    Exactly(u32),
}

/// The destination of the bytes.
///
/// A file gets its name only when it is complete; until then it has no name, or a random one in the same folder. Nothing
/// remains after a failure.
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
    /// Whether the output replaces the input.
    in_place: bool,
}

enum Kind<'a> {
    File(Plan),
    Writer { writer: Box<dyn Write + Send + 'a>, id: Option<FileId>, path: Option<PathBuf> },
    Nothing,
}

/// A file to be created.
struct Plan {
    folder: Folder,
    name: OsString,
    /// The path as given, for messages.
    path: PathBuf,
    replace: bool,
    /// Whether it may be replaced in place although it has other names.
    split_links: bool,
    sync: bool,
    mode: FileMode,
    /// The existing file of that name.
    existing: Option<Stat>,
}

impl<'a> Output<'a> {
    /// Writes a file by name. A device or FIFO of that name is written to directly if it belongs to this user or to root. One
    /// of another user is treated like any existing file and only replaced on request: in a folder that others may write to, it
    /// may have been put there to intercept the output.
    ///
    /// # Errors
    /// [`Error::Io`] if the name is a folder or its parent folder cannot be opened.
    pub fn file(path: impl AsRef<Path>) -> Result<Self> {
        Self::by_name(path.as_ref(), None)
    }

    /// Like [`file`](Self::file), which waits without limit, or with the limits of `access`.
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
                access.patience().open(|| os::open_to_write_nonblocking(folder, name, is_fifo))
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

    /// Writes a file in an open folder: its name is the last component of `path`, and the rest of `path` is only used in
    /// messages. So a caller that has opened the folder step by step cannot be redirected by a link that is put into the path.
    /// A device or FIFO of that name is treated like any existing file and never written to.
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
    /// [`Error::Io`] if the name is a folder or cannot be looked up.
    pub fn file_in(folder: &Folder, path: impl AsRef<Path>) -> Result<Self> {
        Ok(Self::new(Kind::File(Plan::new(folder.clone(), path.as_ref())?)))
    }

    fn new(kind: Kind<'a>) -> Self {
        Self { kind, protected: Vec::new(), in_place: false }
    }

    /// Whether it receives bytes before the operation is complete.
    pub(crate) fn is_stream(&self) -> bool {
        matches!(self.kind, Kind::Writer { .. })
    }

    /// The existing file of the output's name.
    #[cfg(all(feature = "archive", not(target_family = "wasm")))]
    pub(crate) fn existing_id(&self) -> Option<FileId> {
        match &self.kind {
            Kind::File(plan) => plan.existing.map(|stat| stat.id),
            Kind::Writer { id, .. } => *id,
            Kind::Nothing => None,
        }
    }

    /// Writes to a stream.
    #[must_use]
    pub fn writer(writer: impl Write + Send + 'a) -> Self {
        Self::stream(writer, None, None)
    }

    /// Writes to a stream, such as standard output, that may be a file and may have a name for messages. Writing begins at its
    /// current position.
    #[must_use]
    pub fn stream(writer: impl Write + Send + 'a, id: Option<FileId>, path: Option<&Path>) -> Self {
        Self::new(Kind::Writer { writer: Box::new(writer), id, path: path.map(Path::to_path_buf) })
    }

    /// Writes nothing: the input is only checked.
    pub(crate) fn nothing() -> Self {
        Self::new(Kind::Nothing)
    }

    pub(crate) fn is_nothing(&self) -> bool {
        matches!(self.kind, Kind::Nothing)
    }

    /// Sets whether an existing file is replaced; otherwise it is an error. A symbolic link itself is replaced, not its target.
    #[must_use]
    pub fn replace(mut self, replace: bool) -> Self {
        if let Kind::File(plan) = &mut self.kind {
            plan.replace = replace;
        }
        self
    }

    /// Sets whether the file and its folder are flushed to disk (`fsync`) before the operation ends; on by default.
    #[must_use]
    pub fn sync(mut self, sync: bool) -> Self {
        if let Kind::File(plan) = &mut self.kind {
            plan.sync = sync;
        }
        self
    }

    /// Sets the permission bits of the file; [`FileMode::Private`] by default.
    #[must_use]
    pub fn mode(mut self, mode: FileMode) -> Self {
        if let Kind::File(plan) = &mut self.kind {
            plan.mode = mode;
        }
        self
    }

    /// Replaces the input itself, after it has been read and the result is complete. Before the work and at its end, it is an
    /// error if the name belongs to another file than the input, or if the file was modified meanwhile. It is also an error if
    /// the file has other names (hard links), which would keep the old content, unless [`split_links`](Self::split_links)
    /// allows it. A symbolic link is rejected, because its target would stay unchanged.
    ///
    /// If this process runs as root, the result gets the owner and group of the input, also when decrypting. Otherwise it
    /// belongs to this user, with the group of the input if the user is a member, and else without permissions for the group.
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

    /// Sets whether a file with other names (hard links) may be replaced [`in_place`](Self::in_place); otherwise it is an
    /// error. The name then refers to a new file, and **the other names keep the old content**: under them, a rewrapped file
    /// still opens with the old keys, and an encrypted file is still readable.
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

    /// Adds a file that must not be overwritten: an input of the operation, or a file with its keys.
    #[must_use]
    pub fn protect(mut self, id: FileId, path: impl Into<PathBuf>) -> Self {
        self.protected.push((id, path.into()));
        self
    }

    /// Whether the output is written atomically, which is true for everything except a stream.
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
    /// [`Error::OutputExists`] and [`Error::Io`]; nothing remains then.
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

    /// Checks for errors that can be detected before any work: the output is one of the inputs, or exists and must not be
    /// replaced. Every operation calls this itself.
    ///
    /// # Errors
    /// [`Error::SameFile`], [`Error::OutputExists`]. In place: [`Error::NotRegularFile`] for a symbolic link,
    /// [`Error::InputChanged`] if the name now belongs to another file, [`Error::HardLinks`].
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
                // The name was given to another file after the input was opened.
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

    /// Opens the destination; `len` is the length of the result, if known.
    pub(crate) fn begin(self, len: Option<u64>) -> Result<Destination<'a>> {
        match self.kind {
            Kind::File(plan) => Ok(Destination::File(TempFile::create(plan, self.in_place, len)?)),
            Kind::Writer { writer, path, .. } => Ok(Destination::Writer { writer, path }),
            Kind::Nothing => Ok(Destination::Nothing),
        }
    }
}

impl FileAccess {
    /// Creates an output like [`Output::file`]. This waits for a FIFO until another process reads from it.
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
        // `file_name` ignores the end of `a/` and `a/.`.
        let whole = path.as_os_str().as_encoded_bytes().ends_with(name.as_encoded_bytes());
        if !whole || existing.is_some_and(|stat| stat.kind == FileKind::Folder) {
            return Err(is_folder());
        }
        let (path, mode) = (path.to_path_buf(), FileMode::default());
        Ok(Self { folder, name, path, replace: false, split_links: false, sync: true, mode, existing })
    }

    /// Rejects a symbolic link: it would be replaced, and its target would stay unchanged.
    fn refuse_symbolic_link(&self) -> Result<()> {
        match self.existing {
            Some(Stat { kind: FileKind::SymbolicLink, .. }) => {
                Err(Error::NotRegularFile { path: self.path.clone(), kind: "a symbolic link" })
            }
            _ => Ok(()),
        }
    }
}

/// Rejects a file with other names, which would keep the old content.
fn refuse_links(path: &Path, stat: &Stat) -> Result<()> {
    if stat.links > 1 { Err(Error::HardLinks(path.to_path_buf())) } else { Ok(()) }
}

fn is_own_stream(stat: &Stat) -> bool {
    use FileKind::{BlockDevice, CharacterDevice, Fifo, Socket};
    let is_stream = matches!(stat.kind, Fifo | CharacterDevice | BlockDevice | Socket);
    is_stream && (stat.owner == 0 || stat.owner == os::effective_user())
}

/// An opened output.
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

    /// The written bytes from `from` on, as an input. Not available for a stream.
    pub(crate) fn input(&self, from: u64) -> Result<Input<'static>> {
        match self {
            Self::File(file) => file.input(from),
            Self::Writer { .. } | Self::Nothing => Err(Error::NotSeekable),
        }
    }

    /// The file that is being written, if it has a name until it is finished.
    #[cfg(all(feature = "archive", not(target_family = "wasm")))]
    pub(crate) fn temporary_id(&self) -> Option<FileId> {
        match self {
            Self::File(file) if file.temporary.is_some() => os::stat(&file.file).ok().map(|stat| stat.id),
            _ => None,
        }
    }

    /// Gives the finished file its name; before this call, no file of that name is created.
    pub(crate) fn commit(self) -> Result<()> {
        match self {
            Self::File(file) => file.commit(),
            Self::Writer { .. } | Self::Nothing => Ok(()),
        }
    }
}

/// A stream whose errors contain its name.
struct Named<'a, W> {
    writer: &'a mut W,
    path: &'a Path,
}

impl<W> Named<'_, W> {
    fn name(&self, error: io::Error) -> io::Error {
        match error.kind() {
            // Not a failure: the caller retries.
            ErrorKind::Interrupted => error,
            _ => io::Error::other(Error::from_io("write", Some(self.path), error)),
        }
    }

    /// Turns a write of 0 bytes into an error here, since the callers would return one without the name.
    fn check_written(&self, written: io::Result<usize>, is_empty: bool) -> io::Result<usize> {
        match written {
            Ok(0) if !is_empty => Err(self.name(ErrorKind::WriteZero.into())),
            written => written.map_err(|error| self.name(error)),
        }
    }
}

impl<W: Write> Write for Named<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.writer.write(bytes);
        self.check_written(written, bytes.is_empty())
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let written = self.writer.write_vectored(slices);
        self.check_written(written, slices.iter().all(|slice| slice.is_empty()))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush().map_err(|error| self.name(error))
    }
}

/// An unfinished file: without a name, or under a random one if the file system does not support that.
pub(crate) struct TempFile {
    file: File,
    /// The offset of the payload, which positional writes are relative to.
    start: u64,
    folder: Folder,
    name: OsString,
    path: PathBuf,
    temporary: Option<Temporary>,
    replace: bool,
    split_links: bool,
    sync: bool,
    /// The permission bits to set at the end, unless it already has them.
    mode: Option<u32>,
    /// The file to replace in place, for the check at the end.
    in_place: Option<Stat>,
}

impl TempFile {
    fn create(plan: Plan, in_place: bool, len: Option<u64>) -> Result<Self> {
        let Plan { folder, name, path, replace, split_links, sync, mode, existing } = plan;
        let in_place = existing.filter(|_| in_place);
        let fail = |error: io::Error| Error::io("create", Some(&path), error);
        // An unnamed file of ciphertext gets its final mode at once: users who may read all of it may read a part.
        let unnamed = os::create_unnamed(&folder, if mode == FileMode::Shared { SHARED } else { PRIVATE });
        let has_mode = unnamed.is_some() && mode == FileMode::Shared;
        let (file, temporary) = match unnamed {
            Some(file) => (file, None),
            None => {
                let (file, temporary) = Temporary::create(&folder, PRIVATE)?.map_err(fail)?;
                os::set_mode(&file, PRIVATE).map_err(fail)?;
                (file, Some(temporary))
            }
        };
        let mode = match mode {
            _ if has_mode => None,
            FileMode::Private => Some(PRIVATE),
            FileMode::Shared => Some(probe_umask(&folder)?.map_err(fail)?),
            FileMode::Exactly(bits) => Some(bits & 0o777),
        };
        // A short file needs no reservation: its few writes fail at once if the disk is full.
        if let Some(len) = len.filter(|len| *len > RESERVED_FROM) {
            os::reserve(&file, len).map_err(|error| Error::io("write", Some(&path), error))?;
        }
        Ok(Self { file, start: 0, folder, name, path, temporary, replace, split_links, sync, mode, in_place })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the bytes before the payload. Positional writes are relative to their end.
    pub(crate) fn write_head(&mut self, head: &[u8]) -> Result<()> {
        self.start = head.len() as u64;
        self.file.write_all(head).map_err(|error| Error::io("write", Some(&self.path), error))
    }

    /// Writes once at an offset in the payload; returns the number of bytes.
    pub(super) fn write_at(&self, slices: &[IoSlice<'_>], offset: u64) -> io::Result<usize> {
        os::write_at(&self.file, slices, self.start + offset)
    }

    fn input(&self, from: u64) -> Result<Input<'static>> {
        let fail = |error: io::Error| Error::io("read", Some(&self.path), error);
        // Both descriptors share one position, but no later write depends on it.
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
            // Without a flush, some file systems (NFS) report a lost write only when a descriptor is closed. So a second
            // descriptor is closed while the file has no name yet.
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
                    // No system call can link an unnamed file over an existing name.
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
                // The file might not survive a power failure, so it must not look finished.
                let _ = os::remove(&self.folder, &self.name);
            }
            return Err(Error::io("sync", self.path.parent(), error));
        }
        Ok(())
    }

    /// Rejects replacing a file in place that has changed. This is as late as the system calls allow: a change between this
    /// check and the rename is not detected.
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

/// Maximum length for which no disk space is reserved: few writes, each of which fails if the disk is full.
const RESERVED_FROM: u64 = 64 * 1024;

/// Finds 0666 without the bits of the umask by creating an empty file. The real file, if it has a name, must not be readable by
/// others at any moment.
fn probe_umask(folder: &Folder) -> Result<io::Result<u32>> {
    let probe = Temporary::create(folder, SHARED)?;
    Ok(probe.and_then(|(file, _removed_on_return)| os::stat(&file)).map(|stat| stat.mode))
}

/// Gives a file the owner and group of the one that it replaces, and returns the mode that it may have then. Only root can
/// change the owner. Other users drop the permissions of the group if they cannot keep the group.
fn keep_owner(file: &File, existing: &Stat, mode: Option<u32>) -> io::Result<u32> {
    let now = os::stat(file)?;
    let mode = mode.unwrap_or(now.mode);
    if os::effective_user() == 0 {
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
