//! Folders that are held open. Files below a folder are reached name by name and never through a symbolic link, whatever other
//! processes do to the tree meanwhile. The folder itself is named by the user, and may be a link.

use crate::failure::Failure;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use sealstone::FileId;
use std::cell::{Cell, RefCell};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A folder that is opened when it is first needed, and then held. If it is closed and opened again, it must be the same folder.
pub(crate) struct Folder {
    path: PathBuf,
    /// Whether the folder, and folders below it, are created if they are missing.
    can_create: bool,
    id: Cell<Option<FileId>>,
    handles: RefCell<Option<Handles>>,
    /// For a folder that can be created: the last folder below it that was looked up, and its id if it exists.
    last_lookup: RefCell<Option<(PathBuf, Option<FileId>)>>,
}

struct Handles {
    root: Rc<OwnedFd>,
    /// The last folder that was reached, and its path below the root: the next file is often in the same folder.
    last: Option<(PathBuf, Rc<OwnedFd>)>,
    /// The same folder as core's type, once an output was created in it.
    last_output_folder: Option<sealstone::Folder>,
}

impl Folder {
    fn new(path: &Path, can_create: bool) -> Self {
        let (handles, last_lookup) = (RefCell::new(None), RefCell::new(None));
        Self { path: path.to_path_buf(), can_create, id: Cell::new(None), handles, last_lookup }
    }

    /// A folder that exists.
    pub(crate) fn of_inputs(path: &Path) -> Self {
        Self::new(path, false)
    }

    /// A folder that is created with the first output in it.
    pub(crate) fn of_outputs(path: &Path) -> Self {
        Self::new(path, true)
    }

    /// The existing folder of a file.
    pub(crate) fn of_file(path: &Path) -> Self {
        Self::new(path.parent().unwrap_or(Path::new("")), false)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The part of `path` below this folder.
    pub(crate) fn relative_path<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.path).expect("folder: the path was made from the folder's")
    }

    /// Opens the folder of the file `path`; `path` begins with this folder's path.
    pub(crate) fn parent(&self, path: &Path) -> Result<sealstone::Folder, Failure> {
        let folder = self.descend_to(path)?;
        let mut handles = self.handles.borrow_mut();
        let last = &mut handles.as_mut().expect("folder: it is held").last_output_folder;
        if let Some(last) = last {
            return Ok(last.clone());
        }
        let folder = folder.try_clone().map_err(|error| Failure::io("open", Some(path), error))?;
        Ok(last.insert(folder.into()).clone())
    }

    /// Opens the folder of the file `path`, and keeps it open.
    fn descend_to(&self, path: &Path) -> Result<Rc<OwnedFd>, Failure> {
        self.descend(self.relative_path(path).parent().unwrap_or(Path::new("")))
    }

    /// The id of the folder that has the file `path`, if the folder exists.
    pub(crate) fn parent_id(&self, path: &Path) -> Option<FileId> {
        if self.can_create {
            let parent = path.parent()?;
            let mut last_lookup = self.last_lookup.borrow_mut();
            return match &*last_lookup {
                Some((folder, id)) if folder == parent => *id,
                _ => {
                    let id = std::fs::metadata(parent).ok().map(|metadata| FileId::from(&metadata));
                    last_lookup.insert((parent.to_path_buf(), id)).1
                }
            };
        }
        rustix::fs::fstat(self.descend_to(path).ok()?).ok().map(|stat| FileId::from(&stat))
    }

    /// The status of the file `path`; for a link, of the link itself. Creates no folder.
    pub(crate) fn stat(&self, path: &Path) -> Option<Stat> {
        if self.can_create {
            let handles = self.handles.borrow();
            let last = handles.as_ref().and_then(|handles| handles.last.as_ref());
            return match last.filter(|(last, _)| Some(last.as_path()) == self.relative_path(path).parent()) {
                Some((_, folder)) => rustix::fs::statat(folder, path.file_name()?, AtFlags::SYMLINK_NOFOLLOW).ok(),
                // A missing folder has no files.
                None if handles.is_none() && self.parent_id(path).is_none() => None,
                None => rustix::fs::lstat(path).ok(),
            };
        }
        rustix::fs::statat(self.descend_to(path).ok()?, path.file_name()?, AtFlags::SYMLINK_NOFOLLOW).ok()
    }

    /// Opens a regular file below this folder.
    pub(crate) fn open(&self, path: &Path) -> Result<File, Failure> {
        let fail = |error: io::Error| Failure::io("open", Some(path), error);
        let folder = self.descend_to(path)?;
        let file = open_file(&folder, path.file_name().unwrap_or_default()).map_err(|error| fail(error.into()))?;
        let file = File::from(file);
        if !file.metadata().map_err(fail)?.is_file() {
            return Err(fail(io::Error::new(ErrorKind::InvalidInput, "it is no longer a regular file")));
        }
        Ok(file)
    }

    /// Lists all files below this folder with their type, sorted by name within each folder, and a failure for each folder that
    /// could not be read. Releases the folder afterwards.
    pub(crate) fn walk(&self) -> Vec<Result<(PathBuf, FileType), Failure>> {
        let mut found = Vec::new();
        let mut folders = vec![self.path.clone()];
        while let Some(folder) = folders.pop() {
            let listed = self.descend(self.relative_path(&folder)).and_then(|open| {
                list(&open).map_err(|error| Failure::io("read the folder", Some(&folder), error.into()))
            });
            match listed {
                Err(failure) => found.push(Err(failure)),
                Ok(entries) => {
                    for (name, kind) in entries {
                        let path = folder.join(name);
                        if kind.is_dir() { folders.push(path) } else { found.push(Ok((path, kind))) }
                    }
                }
            }
        }
        self.release();
        found
    }

    /// Closes the descriptors, since there may be more folders than the process can hold open.
    pub(crate) fn release(&self) {
        self.handles.replace(None);
        self.last_lookup.replace(None);
    }

    /// Opens the folder at the relative path `below`.
    fn descend(&self, below: &Path) -> Result<Rc<OwnedFd>, Failure> {
        let action = if self.can_create { "create" } else { "open" };
        let fail = |path: &Path, error: io::Error| Failure::io(action, Some(path), error);
        let mut handles = self.handles.borrow_mut();
        let handles = match &mut *handles {
            Some(handles) => handles,
            none => {
                let root = self.hold().map_err(|error| fail(&self.path, error))?;
                none.insert(Handles { root: Rc::new(root), last: None, last_output_folder: None })
            }
        };
        let (start, mut reached) = match &handles.last {
            Some((last, folder)) if below == last => return Ok(Rc::clone(folder)),
            Some((last, folder)) if below.starts_with(last) => (folder, last.clone()),
            _ => (&handles.root, PathBuf::new()),
        };
        let mut folder = Rc::clone(start);
        let rest = below.strip_prefix(&reached).unwrap_or(below);
        for part in rest.components() {
            let Component::Normal(name) = part else { return Err(fail(below, ErrorKind::InvalidInput.into())) };
            reached.push(name);
            let entered = self.enter(folder.as_fd(), name);
            folder = Rc::new(entered.map_err(|error| fail(&self.path.join(&reached), error.into()))?);
        }
        handles.last = Some((reached, Rc::clone(&folder)));
        handles.last_output_folder = None;
        Ok(folder)
    }

    /// Opens a folder by its name in another folder; a symbolic link is an error.
    fn enter(&self, folder: BorrowedFd<'_>, name: &OsStr) -> Result<OwnedFd, Errno> {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
        let open = || open_or_search(|more| rustix::fs::openat(folder, name, flags | more, Mode::empty()));
        match open() {
            Err(Errno::NOENT) if self.can_create => {
                match rustix::fs::mkdirat(folder, name, Mode::from_raw_mode(0o777)) {
                    // Another process may have created it meanwhile.
                    Ok(()) | Err(Errno::EXIST) => open(),
                    Err(error) => Err(error),
                }
            }
            opened => opened,
        }
    }

    /// Opens the folder itself, and checks that it is the same as before.
    fn hold(&self) -> io::Result<OwnedFd> {
        let path = if self.path.as_os_str().is_empty() { Path::new(".") } else { &self.path };
        if self.can_create {
            std::fs::create_dir_all(path)?;
        }
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::RDONLY;
        let folder = File::from(open_or_search(|more| rustix::fs::open(path, flags | more, Mode::empty()))?);
        let id = FileId::from(&folder.metadata()?);
        match self.id.replace(Some(id)) {
            Some(before) if before != id => Err(io::Error::other("the folder was replaced by another")),
            _ => Ok(folder.into()),
        }
    }
}

/// Opens a folder. On Linux, a folder that may be searched but not read still opens its files.
fn open_or_search(open: impl Fn(OFlags) -> Result<OwnedFd, Errno>) -> Result<OwnedFd, Errno> {
    match open(OFlags::empty()) {
        #[cfg(target_os = "linux")]
        Err(Errno::ACCESS) => open(OFlags::PATH),
        other => other,
    }
}

/// Opens a file that is not a link. If it was replaced by a FIFO, opening does not block.
fn open_file(folder: &OwnedFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let start = Instant::now();
    loop {
        match rustix::fs::openat(folder, name, flags, Mode::empty()) {
            // Another process, such as a file server, holds a lease, and has up to 45 seconds to release it.
            Err(Errno::AGAIN) if start.elapsed() < Duration::from_secs(60) => sleep(Duration::from_millis(20)),
            opened => return opened,
        }
    }
}

fn list(folder: &OwnedFd) -> Result<Vec<(OsString, FileType)>, Errno> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
    let mut entries = Vec::new();
    for entry in Dir::new(rustix::fs::openat(folder, c".", flags, Mode::empty())?)? {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes()).to_owned();
        if name == "." || name == ".." {
            continue;
        }
        // Some file systems do not report types in a listing.
        let kind = match entry.file_type() {
            FileType::Unknown => {
                let stat = rustix::fs::statat(folder, &name, AtFlags::SYMLINK_NOFOLLOW)?;
                FileType::from_raw_mode(stat.st_mode)
            }
            kind => kind,
        };
        entries.push((name, kind));
    }
    entries.sort_by(|(one, _): &(OsString, FileType), (other, _)| one.cmp(other));
    Ok(entries)
}
