//! Opens files by name for callers that must not block: without waiting, or with a wait that can be cancelled.

use super::input::Input;
use super::os::{self, FileKind, Ready};
use super::output::Output;
use crate::error::{Error, Result};
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, ErrorKind, IoSlice, IoSliceMut, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How often a wait looks whether it is cancelled.
const SLICE: Duration = Duration::from_millis(20);

/// Opens files by name for a caller that must not be held up, such as a server whose users choose the names.
///
/// [`Input::open`] of a FIFO waits until somebody writes to it, which may be never. This refuses everything but regular files:
/// FIFOs, devices and sockets. Where they are allowed, opening, reading and writing wait until the callback of
/// [`cancel_when`](Self::cancel_when) answers `true`, and end with [`Error::Cancelled`] then.
///
/// A file system that does not answer, such as a network mount whose server is gone, still holds the caller up.
///
/// ```
/// use sealstone::{Encryptor, FileAccess, Identity, Kind, Output};
///
/// let encryptor = Encryptor::new([Identity::generate(Kind::X25519)?.recipient()]);
/// let refused = FileAccess::new().input("/dev/zero").unwrap_err();
/// assert_eq!(refused.code(), "not_regular_file");
/// let null = FileAccess::new().allow_special(true).input("/dev/null")?;
/// assert_eq!(encryptor.encrypt_to(null, Output::writer(std::io::sink()))?.plaintext, 0);
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct FileAccess {
    special: bool,
    patience: Patience,
    /// Where relative names begin; where it is none, in the working directory.
    folder: Option<PathBuf>,
}

impl FileAccess {
    /// Opens regular files only, and waits without limit.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether FIFOs and devices are opened too; off by default.
    #[must_use]
    pub fn allow_special(mut self, allow: bool) -> Self {
        self.special = allow;
        self
    }

    /// Ends every wait with [`Error::Cancelled`] soon after `callback` has answered `true`.
    #[must_use]
    pub fn cancel_when(mut self, callback: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.patience.cancelled = Some(Arc::new(callback));
        self
    }

    /// Opens relative names from this folder, and not from the working directory, which another thread may have changed until a file
    /// is opened. Messages have the names as they are given.
    ///
    /// ```
    /// use sealstone::FileAccess;
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let folder = folder.path();
    /// std::fs::write(folder.join("notes.txt"), "attack at dawn").unwrap();
    /// let input = FileAccess::new().relative_to(folder).input("notes.txt")?;
    /// assert_eq!(input.len(), Some(14));
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    #[must_use]
    pub fn relative_to(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

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
        let file = self.patience.open(|| os::open_at_once(&place)).map_err(fail)?;
        self.check(path, os::stat(&file).map_err(fail)?.kind)?;
        Input::patient(file, path, self.patience.clone())
    }

    /// Plans an output, as [`Output::file`]. A FIFO is waited for here, until somebody reads from it.
    ///
    /// # Errors
    /// [`Error::NotRegularFile`]; [`Error::Io`]; [`Error::Cancelled`].
    pub fn output(&self, path: impl AsRef<Path>) -> Result<Output<'static>> {
        Output::by_name(path.as_ref(), Some(self))
    }

    /// Where the file of that name is. No file has an empty name, and no folder makes it one.
    pub(super) fn place<'a>(&self, path: &'a Path) -> Cow<'a, Path> {
        match &self.folder {
            Some(folder) if !path.as_os_str().is_empty() => folder.join(path).into(),
            _ => path.into(),
        }
    }

    pub(super) fn patience(&self) -> &Patience {
        &self.patience
    }

    /// Refuses what is special, unless that is allowed.
    pub(super) fn check(&self, path: &Path, kind: FileKind) -> Result<()> {
        let kind = match kind {
            FileKind::Fifo => "a FIFO",
            FileKind::Socket => "a socket",
            FileKind::CharacterDevice | FileKind::BlockDevice => "a device",
            FileKind::Regular | FileKind::Folder | FileKind::SymbolicLink | FileKind::Other => return Ok(()),
        };
        if self.special { Ok(()) } else { Err(Error::NotRegularFile { path: path.to_path_buf(), kind }) }
    }
}

impl std::fmt::Debug for FileAccess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileAccess").field("special", &self.special).finish_non_exhaustive()
    }
}

/// What ends the waiting for files that were opened without waiting.
#[derive(Clone, Default)]
pub(super) struct Patience {
    cancelled: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
}

impl Patience {
    pub(super) fn check(&self) -> io::Result<()> {
        match &self.cancelled {
            Some(cancelled) if cancelled() => Err(Error::Cancelled.into_io()),
            _ => Ok(()),
        }
    }

    /// Opens without waiting, again and again while another process is waited for.
    pub(super) fn open(&self, open: impl Fn() -> io::Result<File>) -> io::Result<File> {
        loop {
            self.check()?;
            match open() {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // Somebody has a lease on the file and is asked to give it up, or nobody reads from the FIFO yet.
                Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::sleep(SLICE),
                done => return done,
            }
        }
    }

    fn wait(&self, file: &File, ready: Ready) -> io::Result<()> {
        self.check()?;
        while !os::wait(file, ready, SLICE)? {
            self.check()?;
        }
        Ok(())
    }

    /// Repeats a call that answers that it would block, until it does not.
    fn transfer(&self, file: &File, ready: Ready, mut call: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
        let mut was_ready = false;
        loop {
            self.check()?;
            match call() {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                done => return done,
            }
            if was_ready {
                // Some devices say that they are ready and are not.
                std::thread::sleep(SLICE);
            }
            self.wait(file, ready)?;
            was_ready = true;
        }
    }
}

/// A file that was opened without waiting, as a stream that waits.
pub(super) struct Waiting {
    file: File,
    patience: Patience,
    begun: bool,
}

impl Waiting {
    pub(super) fn new(file: File, patience: Patience) -> Self {
        Self { file, patience, begun: false }
    }

    fn begin(&mut self) -> io::Result<()> {
        if !self.begun {
            // A FIFO that nobody has opened for writing yet reads as if it were at its end; `poll` tells the two apart.
            self.patience.wait(&self.file, Ready::Read)?;
            self.begun = true;
        }
        Ok(())
    }
}

impl Read for Waiting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.begin()?;
        self.patience.transfer(&self.file, Ready::Read, || (&self.file).read(buffer))
    }

    fn read_vectored(&mut self, slices: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        self.begin()?;
        self.patience.transfer(&self.file, Ready::Read, || (&self.file).read_vectored(slices))
    }
}

impl Write for Waiting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.patience.transfer(&self.file, Ready::Write, || (&self.file).write(bytes))
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        self.patience.transfer(&self.file, Ready::Write, || (&self.file).write_vectored(slices))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
