//! Folders that are held open: what is below one is reached name by name, and never through a symbolic link, whatever
//! others do to the tree meanwhile. The folder itself is the user's word, and may be named by a link.

use crate::failure::Failure;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::cell::OnceCell;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// A folder that is opened when it is first needed, and then held.
pub(crate) struct Folder {
    path: PathBuf,
    /// Whether it, and what is needed below it, is made when it is not there.
    makes: bool,
    held: OnceCell<OwnedFd>,
}

impl Folder {
    /// One that exists.
    pub(crate) fn of_inputs(path: &Path) -> Self {
        Self { path: path.to_path_buf(), makes: false, held: OnceCell::new() }
    }

    /// One that is made with the first output in it.
    pub(crate) fn of_outputs(path: &Path) -> Self {
        Self { path: path.to_path_buf(), makes: true, held: OnceCell::new() }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of the file `path`, which begins with this folder's own.
    pub(crate) fn parent(&self, path: &Path) -> Result<OwnedFd, Failure> {
        let below = self.below(path).parent().unwrap_or(Path::new(""));
        self.descend(below).map_err(|error| {
            let action = if self.makes { "create" } else { "open" };
            Failure::io(action, path.parent(), error)
        })
    }

    /// Opens a regular file below this folder.
    pub(crate) fn open(&self, path: &Path) -> Result<File, Failure> {
        let fail = |error: io::Error| Failure::io("open", Some(path), error);
        let folder = self.parent(path)?;
        // What has become a FIFO must not be waited for.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let name = path.file_name().unwrap_or_default();
        let file =
            File::from(rustix::fs::openat(&folder, name, flags, Mode::empty()).map_err(|error| fail(error.into()))?);
        if !file.metadata().map_err(fail)?.is_file() {
            return Err(fail(io::Error::new(ErrorKind::InvalidInput, "it is no regular file any more")));
        }
        Ok(file)
    }

    /// Everything below this folder that is no folder, with its kind, sorted by name within each folder.
    pub(crate) fn walk(&self) -> Result<Vec<(PathBuf, FileType)>, Failure> {
        let mut found = Vec::new();
        let mut folders = vec![self.path.clone()];
        while let Some(folder) = folders.pop() {
            let listed = self.descend(self.below(&folder)).and_then(|open| Ok(list(open)?));
            for (name, kind) in listed.map_err(|error| Failure::io("read the folder", Some(&folder), error))? {
                let path = folder.join(name);
                if kind.is_dir() {
                    folders.push(path);
                } else {
                    found.push((path, kind));
                }
            }
        }
        Ok(found)
    }

    /// The part of `path` below this folder.
    pub(crate) fn below<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.path).expect("folder: the path was made from the folder's")
    }

    /// Opens the folder `below` this one.
    fn descend(&self, below: &Path) -> io::Result<OwnedFd> {
        let mut folder = self.held()?.try_clone_to_owned()?;
        for part in below.components() {
            let Component::Normal(name) = part else { return Err(ErrorKind::InvalidInput.into()) };
            folder = match open(folder.as_fd(), name) {
                Err(Errno::NOENT) if self.makes => {
                    rustix::fs::mkdirat(&folder, name, Mode::from_raw_mode(0o777))?;
                    open(folder.as_fd(), name)?
                }
                opened => opened?,
            };
        }
        Ok(folder)
    }

    fn held(&self) -> io::Result<BorrowedFd<'_>> {
        if let Some(folder) = self.held.get() {
            return Ok(folder.as_fd());
        }
        if self.makes {
            std::fs::create_dir_all(&self.path)?;
        }
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::RDONLY;
        let folder = open_or_search(|more| rustix::fs::open(&self.path, flags | more, Mode::empty()))?;
        Ok(self.held.get_or_init(|| folder).as_fd())
    }
}

/// Opens a folder by its name in another; a symbolic link is an error.
fn open(folder: BorrowedFd<'_>, name: &OsStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
    open_or_search(|more| rustix::fs::openat(folder, name, flags | more, Mode::empty()))
}

/// A folder that may be searched and not read serves to open what is in it.
fn open_or_search(open: impl Fn(OFlags) -> Result<OwnedFd, Errno>) -> Result<OwnedFd, Errno> {
    match open(OFlags::empty()) {
        #[cfg(target_os = "linux")]
        Err(Errno::ACCESS) => open(OFlags::PATH),
        other => other,
    }
}

fn list(folder: OwnedFd) -> Result<Vec<(OsString, FileType)>, Errno> {
    let mut entries = Vec::new();
    let lookup = rustix::io::fcntl_dupfd_cloexec(&folder, 0)?;
    for entry in Dir::new(folder)? {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes()).to_owned();
        if name == "." || name == ".." {
            continue;
        }
        // Some file systems do not tell kinds in a listing.
        let kind = match entry.file_type() {
            FileType::Unknown => {
                let stat = rustix::fs::statat(&lookup, &name, AtFlags::SYMLINK_NOFOLLOW)?;
                FileType::from_raw_mode(stat.st_mode)
            }
            kind => kind,
        };
        entries.push((name, kind));
    }
    entries.sort_by(|(one, _): &(OsString, FileType), (other, _)| one.cmp(other));
    Ok(entries)
}
