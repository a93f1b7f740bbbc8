//! Reads a tree: each folder before what is in it, in the order of the paths.

use super::super::access::special;
use super::super::names::Names;
use super::super::os::{self, FileId, FileKind, Folder, Opened, Stat};
use super::beneath::{DEPTH_MAX, PATH_LEN_MAX, components, name_of};
use crate::error::{Error, Result};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file or folder that a [`Walk`] begins with.
#[derive(Debug)]
pub(crate) struct Root {
    /// Its path in the tree, of one component. If it is empty, only the content of the folder is in the tree, and there is no
    /// other root.
    pub(crate) name: Vec<u8>,
    /// Its path, as the user typed it. It may be a symbolic link to a folder.
    pub(crate) path: PathBuf,
}

/// Called with the path of a member and whether it is a folder. `true` leaves it out; an excluded folder is not opened.
type Excluded<'a> = Box<dyn FnMut(&[u8], bool) -> bool + Send + 'a>;

/// The options of a [`Walk`].
pub(crate) struct WalkOptions<'a> {
    /// Whether folders on another device than their root are not entered; they themselves are in the tree.
    pub(crate) one_file_system: bool,
    pub(crate) excluded: Excluded<'a>,
}

impl Default for WalkOptions<'_> {
    fn default() -> Self {
        Self { one_file_system: false, excluded: Box::new(|_, _| false) }
    }
}

/// The kinds of members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Folder,
    SymbolicLink,
}

/// The metadata of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Meta {
    pub(crate) kind: Kind,
    /// Twelve bits.
    pub(crate) mode: u32,
    /// Of a file its length in bytes, otherwise 0.
    pub(crate) len: u64,
    /// The bytes of the disk that it occupies.
    pub(crate) allocated: u64,
    /// The modification time: the greatest second that is not over it, and nanoseconds.
    pub(crate) modified: (i64, u32),
    pub(crate) id: FileId,
    /// The number of its names (hard links).
    pub(crate) links: u64,
    pub(crate) owner: u32,
    pub(crate) group: u32,
}

impl Meta {
    /// The metadata of an open file; `None` for a kind that no member has.
    pub(crate) fn of(file: &File) -> io::Result<Option<Self>> {
        Ok(Self::from_stat(&os::stat_opened(Opened::File(file))?))
    }

    fn from_stat(stat: &Stat) -> Option<Self> {
        let kind = match stat.kind {
            FileKind::Regular => Kind::File,
            FileKind::Folder => Kind::Folder,
            FileKind::SymbolicLink => Kind::SymbolicLink,
            _ => return None,
        };
        Some(Self {
            kind,
            mode: stat.mode | stat.special,
            len: if kind == Kind::File { stat.len } else { 0 },
            allocated: stat.allocated,
            modified: (stat.modified.0, u32::try_from(stat.modified.1).unwrap_or(0)),
            id: stat.id,
            links: stat.links,
            owner: stat.owner,
            group: stat.group,
        })
    }

    /// Whether it is the same file and was not modified since.
    pub(crate) fn is_unchanged(&self, before: &Self) -> bool {
        (self.id, self.kind, self.len, self.modified) == (before.id, before.kind, before.len, before.modified)
    }

    /// Whether the file may have holes: it occupies less than its length.
    pub(crate) fn may_have_holes(&self) -> bool {
        self.allocated < self.len
    }
}

/// A step of a [`Walk`].
pub(crate) enum Step<'w> {
    Found(Found<'w>),
    Left(Left<'w>),
}

/// A member of the tree.
pub(crate) struct Found<'w> {
    pub(crate) path: &'w [u8],
    pub(crate) meta: Meta,
    /// The target of a symbolic link, otherwise empty.
    pub(crate) target: &'w [u8],
    walk: &'w Walk<'w>,
}

impl Found<'_> {
    /// Its place, with which any thread can open it, also when the walk has gone on.
    pub(crate) fn place(&self) -> Place {
        let (folder, at) = match (self.walk.levels.last(), &self.walk.root) {
            (Some(level), _) => (&level.folder, At::Below),
            (None, Some((folder, at))) => (folder, *at),
            (None, None) => unreachable!("walk: a member is in a folder"),
        };
        Place { folder: folder.clone(), at, roots: Arc::clone(&self.walk.roots), id: self.meta.id }
    }
}

/// A part of the tree that is left out, since it cannot be read or is of a kind that no member has. If it is the path of a folder
/// that was found, its content is left out.
pub(crate) struct Left<'w> {
    pub(crate) path: &'w [u8],
    /// The error, with the path as the user would type it.
    pub(crate) why: Error,
}

/// Where a member is: in an open folder, which stays open with the place.
#[derive(Clone)]
pub(crate) struct Place {
    folder: Folder,
    at: At,
    roots: Arc<[Root]>,
    id: FileId,
}

/// How a member is named in the open folder of its place.
#[derive(Debug, Clone, Copy)]
enum At {
    /// By the last component of its path.
    Below,
    /// By the last component of the path that the user typed.
    RootFile,
    /// It is this folder.
    RootFolder,
}

impl Place {
    /// Opens the file or folder whose place this is, for reading; `path` is its path in the tree. It does not wait, and follows no
    /// link.
    ///
    /// # Errors
    /// [`Error::InputChanged`] if another file has the name by now; [`Error::Io`].
    pub(crate) fn open(&self, path: &[u8]) -> Result<(File, Meta)> {
        let shown = || shown(&self.roots, path);
        let fail = |error: io::Error| Error::io("open", Some(&shown()), error);
        let file = match self.at {
            At::Below => os::open_to_read(&self.folder, name_of(path)),
            At::RootFile => os::open_to_read(&self.folder, shown().file_name().unwrap_or_default().as_encoded_bytes()),
            At::RootFolder => os::open_to_read(&self.folder, b"."),
        };
        let file = file.map_err(fail)?;
        match Meta::of(&file).map_err(fail)? {
            Some(meta) if meta.id == self.id && meta.kind != Kind::SymbolicLink => Ok((file, meta)),
            _ => Err(Error::InputChanged(shown())),
        }
    }

    /// The folder that it keeps open.
    pub(crate) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The path as the user would type it, for messages.
    pub(crate) fn shown(&self, path: &[u8]) -> PathBuf {
        shown(&self.roots, path)
    }
}

/// The path of a member as the user would type it.
fn shown(roots: &[Root], path: &[u8]) -> PathBuf {
    let first = path.split(|byte| *byte == b'/').next().unwrap_or_default();
    let root = roots.iter().find(|root| root.name == first);
    let (root, rest) = match (root, roots) {
        (Some(root), _) => (root, path.get(first.len() + 1..).unwrap_or_default()),
        (None, [root, ..]) => (root, path),
        (None, []) => return os::path_of(path),
    };
    if rest.is_empty() { root.path.clone() } else { root.path.join(os::path_of(rest)) }
}

/// A folder on the way.
struct Level {
    folder: Folder,
    names: Names,
    next: usize,
    /// The length of its path.
    path_len: usize,
}

/// Gives the members of a tree in the order of their paths, where `/` is less than every other byte: a folder comes before what
/// is in it. It has one open folder for each level, and the names of these folders in memory.
pub(crate) struct Walk<'a> {
    roots: Arc<[Root]>,
    next_root: usize,
    options: WalkOptions<'a>,
    /// The path of the member that was found last.
    path: Vec<u8>,
    target: Vec<u8>,
    levels: Vec<Level>,
    /// The folder of the root that was found last.
    root: Option<(Folder, At)>,
    /// The folder that was found last, and is not entered yet.
    entering: Option<FileId>,
    /// The device of the root.
    device: u64,
}

/// What [`Walk::advance`] came to; the rest is in the walk.
enum Event {
    Found(Meta),
    Left(Error),
}

/// A root that the walk has begun with.
enum Begun {
    With(Event),
    /// It is excluded, or only its content is in the tree.
    Silently,
}

impl<'a> Walk<'a> {
    /// A walk over roots, which have different names.
    pub(crate) fn new(mut roots: Vec<Root>, options: WalkOptions<'a>) -> Self {
        roots.sort_by(|a, b| a.name.cmp(&b.name));
        assert!(roots.windows(2).all(|two| two[0].name != two[1].name), "walk: two roots of one name");
        assert!(roots.len() < 2 || !roots[0].name.is_empty(), "walk: a root without a name is the only one");
        assert!(roots.iter().all(|root| !root.name.contains(&b'/')), "walk: a root has one component");
        Self {
            roots: roots.into(),
            next_root: 0,
            options,
            path: Vec::new(),
            target: Vec::new(),
            levels: Vec::new(),
            root: None,
            entering: None,
            device: 0,
        }
    }

    /// The next member, or the next part of the tree that is left out.
    pub(crate) fn next(&mut self) -> Option<Step<'_>> {
        match self.advance()? {
            Event::Found(meta) => {
                let target = if meta.kind == Kind::SymbolicLink { &*self.target } else { &[] };
                Some(Step::Found(Found { path: &self.path, meta, target, walk: self }))
            }
            Event::Left(why) => Some(Step::Left(Left { path: &self.path, why })),
        }
    }

    fn advance(&mut self) -> Option<Event> {
        loop {
            if let Some(id) = self.entering.take()
                && let Some(why) = self.enter(id)
            {
                return Some(Event::Left(why));
            }
            let Some(level) = self.levels.last_mut() else {
                match self.next_root()? {
                    Begun::Silently => continue,
                    Begun::With(event) => return Some(event),
                }
            };
            let Some(name) = level.names.get(level.next) else {
                self.levels.pop();
                continue;
            };
            level.next += 1;
            self.path.truncate(level.path_len);
            if level.path_len > 0 {
                self.path.push(b'/');
            }
            self.path.extend_from_slice(name);
            let mut look = Look { path: &self.path, target: &mut self.target, excluded: &mut self.options.excluded };
            let event = match look.at(&level.folder, name) {
                Ok(None) => continue,
                Ok(Some(meta)) => Event::Found(meta),
                Err(fault) => Event::Left(fault.error(&shown(&self.roots, &self.path))),
            };
            if let Event::Found(Meta { kind: Kind::Folder, id, .. }) = event {
                self.entering = Some(id);
            }
            return Some(event);
        }
    }

    /// Begins with the next root. `None` at the end.
    fn next_root(&mut self) -> Option<Begun> {
        let roots = Arc::clone(&self.roots);
        let root = roots.get(self.next_root)?;
        self.next_root += 1;
        self.path.clone_from(&root.name);
        self.root = None;
        let begun = self.begin(root).unwrap_or_else(|fault| Some(Event::Left(fault.error(&root.path))));
        Some(begun.map_or(Begun::Silently, Begun::With))
    }

    fn begin(&mut self, root: &Root) -> std::result::Result<Option<Event>, Fault> {
        // Of links, only this call may follow one. If there is none, the root is what the name is, such as a dangling link.
        if os::stat_path(&root.path).is_ok_and(|stat| stat.kind == FileKind::Folder) {
            if !root.name.is_empty() && (self.options.excluded)(&root.name, true) {
                return Ok(None);
            }
            let folder = os::open_to_list(&root.path).map_err(Fault::of("open"))?;
            let stat = os::stat_opened(Opened::Folder(&folder)).map_err(Fault::of("stat"))?;
            self.device = stat.on_device();
            self.root = Some((folder, At::RootFolder));
            self.entering = Some(stat.id);
            return Ok(if root.name.is_empty() { None } else { Meta::from_stat(&stat).map(Event::Found) });
        }
        let name = root.path.file_name().map(std::ffi::OsStr::as_encoded_bytes);
        let (false, Some(name)) = (root.name.is_empty(), name) else {
            return Err(Fault::Io("open", ErrorKind::NotADirectory.into()));
        };
        let parent = root.path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = os::open_folder(parent).map_err(Fault::of("open"))?;
        let mut look = Look { path: &root.name, target: &mut self.target, excluded: &mut self.options.excluded };
        let found = look.at(&folder, name)?;
        self.root = Some((folder, At::RootFile));
        match found {
            // A folder took the place of the file.
            Some(Meta { kind: Kind::Folder, .. }) => Ok(Some(Event::Left(Error::InputChanged(root.path.clone())))),
            found => Ok(found.map(Event::Found)),
        }
    }

    /// Enters the folder that was found last.
    fn enter(&mut self, id: FileId) -> Option<Error> {
        self.try_enter(id).err().map(|fault| fault.error(&shown(&self.roots, &self.path)))
    }

    fn try_enter(&mut self, id: FileId) -> std::result::Result<(), Fault> {
        let folder = match (self.levels.last(), self.root.take()) {
            (Some(level), _) => os::open_below(&level.folder, name_of(&self.path)).map_err(Fault::of("open"))?,
            (None, Some((folder, _))) => folder,
            (None, None) => unreachable!("walk: a folder is in a folder, or is a root"),
        };
        let stat = os::stat_opened(Opened::Folder(&folder)).map_err(Fault::of("stat"))?;
        if stat.id != id {
            return Err(Fault::Changed);
        }
        if self.options.one_file_system && stat.on_device() != self.device {
            return Ok(());
        }
        let (mut names, error) = Names::of(&folder);
        if !names.is_empty() && components(&self.path) >= DEPTH_MAX {
            return Err(Fault::invalid("it has over 256 folders within each other"));
        }
        names.sort();
        self.levels.push(Level { folder, names, next: 0, path_len: self.path.len() });
        error.map_or(Ok(()), |error| Err(Fault::Io("read", error)))
    }
}

/// Why a member is left out, before it has a path for messages.
enum Fault {
    Io(&'static str, io::Error),
    Kind(&'static str),
    Changed,
}

impl Fault {
    fn of(action: &'static str) -> impl Fn(io::Error) -> Self {
        move |error| Self::Io(action, error)
    }

    fn invalid(rule: &'static str) -> Self {
        Self::Io("read", io::Error::new(ErrorKind::InvalidInput, rule))
    }

    fn error(self, path: &Path) -> Error {
        match self {
            Self::Io(action, error) => Error::io(action, Some(path), error),
            Self::Kind(kind) => Error::NotRegularFile { path: path.to_path_buf(), kind },
            Self::Changed => Error::InputChanged(path.to_path_buf()),
        }
    }
}

/// Looks at a name: one call of the system, and a second one for a link.
struct Look<'l, 'a> {
    path: &'l [u8],
    target: &'l mut Vec<u8>,
    excluded: &'l mut Excluded<'a>,
}

impl Look<'_, '_> {
    /// The metadata of a name in a folder; `None` if it is excluded.
    fn at(&mut self, folder: &Folder, name: &[u8]) -> std::result::Result<Option<Meta>, Fault> {
        let stat = os::stat_name(folder, name);
        if (self.excluded)(self.path, stat.as_ref().is_ok_and(|stat| stat.kind == FileKind::Folder)) {
            return Ok(None);
        }
        if self.path.len() > PATH_LEN_MAX {
            return Err(Fault::invalid("its path has over 4096 bytes"));
        }
        let stat = stat.map_err(Fault::of("stat"))?;
        let Some(meta) = Meta::from_stat(&stat) else {
            return Err(Fault::Kind(special(stat.kind).unwrap_or("of a kind that only this system has")));
        };
        if meta.kind == Kind::SymbolicLink {
            let read = os::read_link(folder, name, std::mem::take(self.target));
            *self.target = read.map_err(|error| match error.kind() {
                // It is no link any more.
                ErrorKind::InvalidInput => Fault::Changed,
                _ => Fault::Io("read", error),
            })?;
        }
        Ok(Some(meta))
    }
}

#[cfg(test)]
#[path = "walk_tests.rs"]
pub(super) mod tests;
