//! Places that bytes come from and go to: files, standard streams and other open descriptors.

use crate::descriptor;
use crate::failure::Failure;
use crate::folder::Folder;
use rustix::fs::{FileType, Stat};
use sealstone::{Error, FileId, Input, escape_name};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A file, a standard stream or another descriptor.
#[derive(Clone)]
pub(crate) enum Place {
    Standard,
    File(PathBuf),
    /// A regular file below a folder, never reached through a link. The path begins with the folder's path.
    Below(Rc<Folder>, PathBuf),
    /// An output to another open descriptor, and the path that names it.
    Descriptor(u16, PathBuf),
    /// No output is written.
    Nowhere,
}

impl Place {
    pub(crate) fn new(path: &Path) -> Self {
        if path == Path::new("-") { Self::Standard } else { Self::File(path.to_path_buf()) }
    }

    /// The place that `-o` names; without it, stdout.
    pub(crate) fn output(path: Option<&Path>) -> Self {
        match (path, descriptor::find_output(path)) {
            (None, _) | (_, Some(descriptor::STDOUT)) => Self::Standard,
            (Some(path), Some(number)) => Self::Descriptor(number, path.to_path_buf()),
            (Some(path), None) => Self::new(path),
        }
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::Standard | Self::Nowhere => None,
            Self::File(path) | Self::Below(_, path) | Self::Descriptor(_, path) => Some(path),
        }
    }

    /// The name in messages.
    pub(crate) fn name(&self) -> String {
        self.path().map_or_else(|| "stdin".to_owned(), escape_name)
    }

    /// The place of another name in the same folder. The user did not type that name, so it must be a regular file.
    pub(crate) fn with_path(&self, path: PathBuf) -> Self {
        match self {
            Self::Below(folder, _) => Self::Below(Rc::clone(folder), path),
            _ => Self::regular_file(path),
        }
    }

    /// A regular file in a folder that the user named.
    pub(crate) fn regular_file(path: PathBuf) -> Self {
        Self::Below(Rc::new(Folder::of_file(&path)), path)
    }

    /// A key that is equal for all spellings of one place, such as `a`, `./a` and `x/../a`.
    pub(crate) fn identity(&self) -> Option<(Result<FileId, PathBuf>, OsString)> {
        let path = self.path()?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let id = match self {
            Self::Below(within, path) => within.parent_id(path),
            _ => std::fs::metadata(folder).ok().map(|metadata| FileId::from(&metadata)),
        };
        Some((id.ok_or_else(|| folder.to_path_buf()), path.file_name().unwrap_or_default().to_owned()))
    }

    /// Whether the file has other hard links, which would keep the old content.
    pub(crate) fn has_other_names(&self) -> bool {
        self.stat().is_some_and(|stat| stat.st_nlink > 1)
    }

    /// The status of the file; for a link, of the link itself.
    pub(crate) fn stat(&self) -> Option<Stat> {
        match self {
            Self::Standard | Self::Descriptor(..) | Self::Nowhere => None,
            Self::File(path) => rustix::fs::lstat(path).ok(),
            Self::Below(folder, path) => folder.stat(path),
        }
    }

    pub(crate) fn file_state(&self) -> Option<FileState> {
        self.stat().as_ref().map(FileState::from)
    }

    /// The state of the regular file that reading this place reads, links followed.
    pub(crate) fn content_state(&self) -> Option<FileState> {
        let stat = match self {
            Self::File(path) => rustix::fs::stat(path).ok(),
            _ => self.stat(),
        };
        stat.as_ref().map(FileState::from).filter(|state| state.is_regular)
    }

    /// The ids of the file that reading this place needs, and of every link on its path.
    pub(crate) fn ids(&self) -> Vec<FileId> {
        match self {
            Self::File(path) => list_links(path).iter().map(FileId::from).collect(),
            Self::Below(folder, _) => self.stat().iter().chain(&list_links(folder.path())).map(FileId::from).collect(),
            Self::Standard | Self::Descriptor(..) | Self::Nowhere => Vec::new(),
        }
    }

    /// Whether both are in the same held folder.
    pub(crate) fn is_beside(&self, other: &Self) -> bool {
        matches!((self, other), (Self::Below(one, _), Self::Below(other, _)) if Rc::ptr_eq(one, other))
    }

    /// Closes the descriptors of its folder until they are needed again.
    pub(crate) fn release(&self) {
        if let Self::Below(folder, _) = self {
            folder.release();
        }
    }

    /// The length in bytes, if this is a regular file.
    pub(crate) fn len(&self) -> Option<u64> {
        let metadata = std::fs::metadata(self.path()?).ok()?;
        metadata.is_file().then_some(metadata.len())
    }

    /// Whether opening or reading may block, as for a FIFO, or reads the same stream as another input.
    pub(crate) fn may_wait(&self) -> bool {
        match self {
            Self::File(path) => std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()),
            Self::Below(..) => false,
            Self::Standard | Self::Descriptor(..) | Self::Nowhere => true,
        }
    }

    pub(crate) fn open(&self) -> Result<Input<'static>, Failure> {
        match self {
            Self::Standard => {
                let file = descriptor::duplicate_to_read(descriptor::STDIN);
                let file = file.map_err(|error| Failure::io("open", Some(Path::new("stdin")), error))?;
                if file.is_terminal() {
                    return Ok(Input::reader(TerminalInput { inner: file, has_ended: false }));
                }
                Ok(Input::from_file(file, None)?)
            }
            Self::File(path) => Ok(Input::open(path)?),
            Self::Below(folder, path) => Ok(Input::from_file(folder.open(path)?, Some(path))?),
            Self::Descriptor(..) | Self::Nowhere => unreachable!("place: an input is stdin or has a name"),
        }
    }
}

/// The state of a file: all that changes when another file takes its place. The id alone is not enough, because some file systems
/// give a file another number for each spelling of its name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileState {
    pub(crate) id: FileId,
    pub(crate) is_regular: bool,
    len: i64,
    modified: (i64, u64),
}

impl FileState {
    /// Whether both may be the same file, even if the file system numbers it by the spelling of its name.
    pub(crate) fn may_be_same_as(&self, other: &Self) -> bool {
        (self.len, self.modified) == (other.len, other.modified)
    }

    /// The length in bytes.
    pub(crate) fn len(&self) -> u64 {
        u64::try_from(self.len).unwrap_or(0)
    }

    /// Whether this file was changed later. Files that were changed in the same tick count as equally new.
    pub(crate) fn is_newer_than(&self, other: &Self) -> bool {
        self.modified > other.modified
    }
}

impl From<&Stat> for FileState {
    fn from(stat: &Stat) -> Self {
        // The types of these fields differ between systems.
        #[allow(clippy::unnecessary_fallible_conversions, clippy::useless_conversion)]
        let nanoseconds = u64::try_from(stat.st_mtime_nsec).unwrap_or(0);
        let is_regular = FileType::from_raw_mode(stat.st_mode).is_file();
        Self { id: FileId::from(stat), is_regular, len: stat.st_size, modified: (stat.st_mtime, nanoseconds) }
    }
}

/// The status of each link on a path, also of links to its folders, and of the file at its end.
pub(crate) fn list_links(path: &Path) -> Vec<Stat> {
    let parts = |path: &Path| path.components().rev().map(|part| part.as_os_str().to_owned()).collect::<Vec<_>>();
    // `walked` has no links in it.
    let (mut walked, mut rest, mut found, mut links) = (PathBuf::new(), parts(path), Vec::new(), 0);
    while let Some(part) = rest.pop() {
        walked.push(&part);
        let Ok(stat) = rustix::fs::lstat(&walked) else { break };
        let target = std::fs::read_link(&walked).ok();
        if target.is_some() || rest.is_empty() {
            found.push(stat);
        }
        if let Some(target) = target {
            links += 1;
            if links > descriptor::LINKS_MAX {
                break;
            }
            walked.pop();
            rest.extend(parts(&target));
        }
    }
    found
}

/// Whether an input is stdin or another open descriptor, so that no output name can be derived from it.
pub(crate) fn is_unnamed(path: &Path) -> bool {
    let is_in = |folder| path.parent() == Some(Path::new(folder));
    path == Path::new("-") || path == Path::new("/dev/stdin") || is_in("/dev/fd") || is_in("/proc/self/fd")
}

/// Whether a path names standard input. The path of a file that is redirected to stdin does not.
pub(crate) fn is_stdin(path: &Path) -> bool {
    let stream = |path: &Path| {
        let metadata = std::fs::metadata(path).ok().filter(|metadata| !metadata.is_file())?;
        Some((metadata.dev(), metadata.ino()))
    };
    ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].iter().any(|name| path == Path::new(name))
        || stream(path).is_some_and(|id| stream(Path::new("/dev/stdin")) == Some(id))
}

/// Refuses to print into a file that is an input.
pub(crate) fn refuse_printing_into(inputs: &[Place]) -> Result<(), Failure> {
    let Some(stdout) = find_stdout_file()? else { return Ok(()) };
    for input in inputs {
        let is_same = match input {
            Place::Standard => {
                FileId::of(&name_open_error(descriptor::duplicate_to_read(0), "stdin")?)? == Some(stdout)
            }
            _ => input.ids().contains(&stdout),
        };
        if is_same {
            let path = input.path().unwrap_or(Path::new("standard input")).to_path_buf();
            return Err(Failure::from(Error::SameFile(path)).with_hint("redirect the output to another file"));
        }
    }
    Ok(())
}

/// The id of the file on stdout, if it is a regular file.
pub(crate) fn find_stdout_file() -> Result<Option<FileId>, Failure> {
    Ok(FileId::of(&name_open_error(descriptor::duplicate_to_write(descriptor::STDOUT), "stdout")?)?)
}

fn name_open_error(file: io::Result<File>, name: &str) -> Result<File, Failure> {
    file.map_err(|error| Failure::io("open", Some(Path::new(name)), error))
}

/// Input typed on a terminal. After Ctrl-D, a terminal would give more when read again; this ends at the first.
struct TerminalInput {
    inner: File,
    has_ended: bool,
}

impl Read for TerminalInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.has_ended || buffer.is_empty() {
            return Ok(0);
        }
        let n = self.inner.read(buffer)?;
        self.has_ended = n == 0;
        Ok(n)
    }
}
