//! Outputs: a file that appears whole or not at all, a stream, or nothing.

use super::access::{FileAccess, Waiting};
use super::input::{FileId, Input};
use super::temporary::Temporary;
use crate::error::{Error, Result};
use rustix::fs::{AtFlags, CWD, FallocateFlags, FileType, Mode, OFlags, Stat};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{Gid, Uid};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, IoSlice, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    folder: OwnedFd,
    name: OsString,
    /// As messages name it.
    path: PathBuf,
    replace: bool,
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
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = open_folder(parent).map_err(|error| Error::io("create", Some(path), error))?;
        let (plan, stat) = Plan::new(folder, path)?;
        if let (Some(access), Some(stat)) = (access, &stat) {
            access.check(path, stat.st_mode)?;
        }
        let Some(stat) = stat.filter(|stat| is_own_stream(stat.st_mode, stat.st_uid)) else {
            return Ok(Self::new(Kind::File(plan)));
        };
        let fail = |error: io::Error| Error::from_io("create", Some(path), error);
        let flags = OFlags::WRONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NOFOLLOW;
        let open = |more| rustix::fs::openat(&plan.folder, &plan.name, flags | more, Mode::empty());
        let file = match access {
            None => open(OFlags::empty()).map_err(Into::into),
            Some(access) => {
                let is_fifo = FileType::from_raw_mode(stat.st_mode).is_fifo();
                access.patience().open_to_write(is_fifo, || open(OFlags::NONBLOCK))
            }
        };
        let file = File::from(file.map_err(fail)?);
        let metadata = file.metadata().map_err(fail)?;
        if !is_own_stream(metadata.mode(), metadata.uid()) {
            return Err(fail(ErrorKind::InvalidInput.into()));
        }
        let id = FileId::of_block_device(&metadata);
        let writer: Box<dyn Write + Send> = match access {
            None => Box::new(file),
            Some(access) => Box::new(Waiting::new(file, access.patience().clone())),
        };
        Ok(Self::new(Kind::Writer { writer, id, path: Some(plan.path) }))
    }

    /// A file in a folder that is open: its name is the last part of `path`, and the rest of `path` is for messages
    /// only. So a caller that has walked to the folder is not led elsewhere by a link that was put on the way. A device
    /// or a FIFO of that name is an existing file like any other, and is not written to.
    ///
    /// ```no_run
    /// # use sealstone::{Encryptor, Input, Output, Recipient};
    /// # fn run(recipient: Recipient) -> sealstone::Result<()> {
    /// let folder = std::fs::File::open("backup").unwrap();
    /// let output = Output::file_in(folder, "backup/dump.sql.seal")?;
    /// Encryptor::new([recipient]).encrypt_to(Input::open("dump.sql")?, output)?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Io`] when the name is a folder or cannot be looked up.
    pub fn file_in(folder: impl Into<OwnedFd>, path: impl AsRef<Path>) -> Result<Self> {
        Ok(Self::new(Kind::File(Plan::new(folder.into(), path.as_ref())?.0)))
    }

    fn new(kind: Kind<'a>) -> Self {
        Self { kind, protected: Vec::new(), in_place: false }
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
    /// input's is checked before the work and at its end. Other names of the file (hard links) keep the old content.
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
    /// [`Error::SameFile`], [`Error::OutputExists`].
    pub fn check(&self, input: &Input<'_>) -> Result<()> {
        let (existing, plan) = match &self.kind {
            Kind::File(plan) => (plan.existing.as_ref().map(FileId::from), Some(plan)),
            Kind::Writer { id, .. } => (*id, None),
            Kind::Nothing => (None, None),
        };
        if self.in_place && (plan.is_none() || existing != input.id()) {
            // Another file has come under the name since the input was opened.
            return Err(Error::InputChanged(input.path().unwrap_or(Path::new("the input")).to_path_buf()));
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

impl std::fmt::Debug for Output<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path = if let Kind::File(plan) = &self.kind { Some(&plan.path) } else { None };
        f.debug_struct("Output").field("path", &path).finish_non_exhaustive()
    }
}

impl Plan {
    /// The plan, and what stands under the name.
    fn new(folder: OwnedFd, path: &Path) -> Result<(Self, Option<Stat>)> {
        let fail = |error: io::Error| Error::io("create", Some(path), error);
        let is_folder = || fail(ErrorKind::IsADirectory.into());
        let name = path.file_name().ok_or_else(is_folder)?.to_owned();
        let stat = match rustix::fs::statat(&folder, &name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Some(stat),
            Err(Errno::NOENT) => None,
            Err(error) => return Err(fail(error.into())),
        };
        // `file_name` reads over what `a/` and `a/.` end in.
        let whole = path.as_os_str().as_bytes().ends_with(name.as_bytes());
        if !whole || stat.is_some_and(|stat| FileType::from_raw_mode(stat.st_mode).is_dir()) {
            return Err(is_folder());
        }
        let (path, mode) = (path.to_path_buf(), FileMode::default());
        Ok((Self { folder, name, path, replace: false, sync: true, mode, existing: stat }, stat))
    }
}

fn is_own_stream(mode: u32, owner: u32) -> bool {
    let kind = FileType::from_raw_mode(mode);
    let is_stream = kind.is_fifo() || kind.is_char_device() || kind.is_block_device() || kind.is_socket();
    is_stream && (owner == 0 || owner == rustix::process::geteuid().as_raw())
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
        let (written, path) = match self {
            Self::File(file) => (write(&mut file.file), Some(&file.path)),
            Self::Writer { writer, path } => (write(writer), path.as_ref()),
            Self::Nothing => (write(&mut io::sink()), None),
        };
        written.map_err(|error| match (error, path) {
            (Error::Io { action: "write", path: None, source }, Some(path)) => Error::io("write", Some(path), source),
            (other, _) => other,
        })
    }

    /// Gives the finished file its name; until this is called, nothing is there.
    pub(crate) fn commit(self) -> Result<()> {
        match self {
            Self::File(file) => file.commit(),
            Self::Writer { .. } | Self::Nothing => Ok(()),
        }
    }
}

/// A file on its way: without a name, or where the file system cannot do that, under a random one.
pub(crate) struct TempFile {
    file: File,
    /// Where positional writes count from.
    start: u64,
    folder: Arc<OwnedFd>,
    name: OsString,
    path: PathBuf,
    temporary: Option<Temporary>,
    replace: bool,
    sync: bool,
    mode: Mode,
    /// The file that is replaced in place, if it still stands there at the end.
    in_place: Option<Stat>,
}

impl TempFile {
    fn create(plan: Plan, in_place: bool, len: Option<u64>) -> Result<Self> {
        let Plan { folder, name, path, replace, sync, mode, existing } = plan;
        let in_place = existing.filter(|_| in_place);
        let folder = Arc::new(folder);
        let fail = |error: io::Error| Error::io("create", Some(&path), error);
        let (file, temporary) = match open_unnamed(&folder) {
            Some(file) => (file, None),
            None => {
                let (file, temporary) = Temporary::create(&folder, PRIVATE)?.map_err(|error| fail(error.into()))?;
                (file, Some(temporary))
            }
        };
        let file = File::from(file);
        let mode = match mode {
            FileMode::Private => PRIVATE,
            FileMode::Shared => unmasked(&folder, &file, temporary.is_some())?.map_err(|error| fail(error.into()))?,
            FileMode::Exactly(bits) => Mode::from_raw_mode(bits & 0o777),
        };
        rustix::fs::fchmod(&file, PRIVATE).map_err(|error| fail(error.into()))?;
        if let Some(len) = len {
            reserve(&file, len).map_err(|error| Error::io("write", Some(&path), error))?;
        }
        Ok(Self { file, start: 0, folder, name, path, temporary, replace, sync, mode, in_place })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes what stands before the payload. Positional writes count from its end.
    pub(crate) fn write_head(&mut self, head: &[u8]) -> Result<()> {
        self.start = head.len() as u64;
        self.file.write_all(head).map_err(|error| Error::io("write", Some(&self.path), error))
    }

    #[cfg(target_os = "linux")]
    pub(super) fn write_at(&self, slices: &[IoSlice<'_>], offset: u64) -> io::Result<usize> {
        Ok(rustix::io::pwritev(&self.file, slices, self.start + offset)?)
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn write_at(&self, slices: &[IoSlice<'_>], offset: u64) -> io::Result<usize> {
        use std::os::unix::fs::FileExt;
        slices.first().map_or(Ok(0), |slice| self.file.write_at(slice, self.start + offset))
    }

    fn commit(mut self) -> Result<()> {
        let fail = |error: Errno| match error {
            Errno::EXIST if !self.replace => Error::OutputExists(self.path.clone()),
            error => Error::io("create", Some(&self.path), error),
        };
        if let Some(existing) = &self.in_place {
            self.mode = keep_owner(&self.file, existing, self.mode).map_err(fail)?;
        }
        rustix::fs::fchmod(&self.file, self.mode).map_err(fail)?;
        if self.sync {
            retry_on_intr(|| rustix::fs::fsync(&self.file))
                .map_err(|error| Error::io("sync", Some(&self.path), error))?;
        } else {
            // Without a flush some file systems (NFS) report a lost write only when a descriptor is closed, and the
            // standard library does not look. A second descriptor is closed while the file has no name yet.
            let close = |error: io::Error| Error::io("close", Some(&self.path), error);
            nix::unistd::close(self.file.try_clone().map_err(close)?).map_err(|error| close(error.into()))?;
        }
        if let Some(existing) = &self.in_place {
            let now = rustix::fs::statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW).map_err(fail)?;
            if FileId::from(&now) != FileId::from(existing) {
                return Err(Error::InputChanged(self.path.clone()));
            }
        }
        match (self.temporary.take(), self.replace) {
            (None, false) => link_unnamed(&self.file, &self.folder, &self.name).map_err(fail)?,
            (None, true) => {
                // There is no call that gives an unnamed file the name of an existing one.
                let link = |name: &OsStr| link_unnamed(&self.file, &self.folder, name);
                let temporary = Temporary::link(&self.folder, &self.file, link)?.map_err(fail)?;
                temporary.rename(&self.name).map_err(fail)?;
            }
            (Some(temporary), true) => temporary.rename(&self.name).map_err(fail)?,
            (Some(temporary), false) => temporary.rename_new(&self.name).map_err(fail)?,
        }
        if self.sync {
            match retry_on_intr(|| rustix::fs::fsync(&self.folder)) {
                // Some file systems, and folders that may be searched but not read, have nothing to flush.
                Ok(()) | Err(Errno::INVAL | Errno::BADF | Errno::NOTSUP) => {}
                Err(error) => {
                    if !self.replace {
                        // What may not outlive a power cut is not left as if it would.
                        let _ = rustix::fs::unlinkat(&self.folder, &self.name, AtFlags::empty());
                    }
                    return Err(Error::io("sync", self.path.parent(), error));
                }
            }
        }
        Ok(())
    }
}

const PRIVATE: Mode = Mode::from_raw_mode(0o600);
const SHARED: Mode = Mode::from_raw_mode(0o666);

/// Opens a folder for names relative to it, so that moving the folder meanwhile does no harm.
fn open_folder(path: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    match rustix::fs::open(path, flags | OFlags::RDONLY, Mode::empty()) {
        #[cfg(target_os = "linux")]
        Err(Errno::ACCESS) => rustix::fs::open(path, flags | OFlags::PATH, Mode::empty()),
        other => other,
    }
}

/// A file without a name, if the file system has such, and if it can be given one later.
#[cfg(target_os = "linux")]
fn open_unnamed(folder: &OwnedFd) -> Option<OwnedFd> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = rustix::fs::openat(folder, c".", flags, SHARED).ok()?;
    rustix::fs::statat(CWD, descriptor_path(&file), AtFlags::empty()).ok()?;
    Some(file)
}

/// What the umask leaves of 0666. A file without a name was made so; one that has a name is never open to others, not
/// for a moment, so an empty one tells.
fn unmasked(folder: &Arc<OwnedFd>, file: &File, is_named: bool) -> Result<Result<Mode, Errno>> {
    let mode = |stat: Stat| Mode::from_raw_mode(stat.st_mode & 0o777);
    if is_named {
        let probe = Temporary::create(folder, SHARED)?;
        return Ok(probe.and_then(|(file, _removed_on_return)| rustix::fs::fstat(&file)).map(mode));
    }
    Ok(rustix::fs::fstat(file).map(mode))
}

#[cfg(not(target_os = "linux"))]
fn open_unnamed(_: &OwnedFd) -> Option<OwnedFd> {
    None
}

/// Gives a file the owner and the group of the one that it replaces, and returns the mode that it may have then. Only
/// root gives files away. For others the rights of the group are for that group only, and go where it cannot be kept.
fn keep_owner(file: &File, existing: &Stat, mode: Mode) -> Result<Mode, Errno> {
    let now = rustix::fs::fstat(file)?;
    let (owner, group) = (Uid::from_raw(existing.st_uid), Gid::from_raw(existing.st_gid));
    if rustix::process::geteuid().is_root() {
        if (now.st_uid, now.st_gid) != (existing.st_uid, existing.st_gid) {
            rustix::fs::fchown(file, Some(owner), Some(group))?;
        }
    } else if now.st_gid != existing.st_gid && rustix::fs::fchown(file, None, Some(group)).is_err() {
        return Ok(mode - Mode::RWXG);
    }
    Ok(mode)
}

/// The name by which the kernel knows an open file.
fn descriptor_path(file: &impl AsFd) -> String {
    format!("/proc/self/fd/{}", file.as_fd().as_raw_fd())
}

fn link_unnamed(file: &File, folder: &OwnedFd, name: &OsStr) -> Result<(), Errno> {
    rustix::fs::linkat(CWD, descriptor_path(file), folder, name, AtFlags::SYMLINK_FOLLOW)
}

/// Reserves space, so that a full disk is known before the work and not after it.
fn reserve(file: &File, len: u64) -> io::Result<()> {
    if len == 0 {
        return Ok(());
    }
    #[cfg(target_os = "linux")]
    if let Some(free) = free_memory(file)? {
        return if free < len { Err(Errno::NOSPC.into()) } else { Ok(()) };
    }
    match retry_on_intr(|| rustix::fs::fallocate(file, FallocateFlags::empty(), 0, len)) {
        Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Bytes that are free on a tmpfs of limited size; `None` for any other file system. Reserving there means to
/// allocate every page, on one thread, which is most of the work that the workers are about to share
/// (docs/design/pipeline.md): the free space is compared instead.
#[cfg(target_os = "linux")]
fn free_memory(file: &File) -> io::Result<Option<u64>> {
    const TMPFS_MAGIC: u64 = 0x0102_1994;
    let fs = rustix::fs::fstatfs(file)?;
    if u64::try_from(fs.f_type).ok() != Some(TMPFS_MAGIC) {
        return Ok(None);
    }
    let block_len = u64::try_from(fs.f_bsize).unwrap_or(0);
    // A tmpfs without a limit has no blocks.
    Ok(Some(if fs.f_blocks == 0 { u64::MAX } else { fs.f_bavail.saturating_mul(block_len) }))
}

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;
