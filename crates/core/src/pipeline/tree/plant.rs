//! Makes a tree: in a hidden folder, which gets the final name when the tree is complete.

use super::super::Wiped;
use super::super::os::{self, FileId, FileKind, Folder, Opened};
use super::super::temporary::{Gate, Temporary};
use super::beneath::{Beneath, name_of, split};
use super::folders::{Folders, Last};
use super::merge::{Act, merge};
use super::read::{Attribute, NAMESPACE, attributes, read_at, regions};
use crate::error::{Error, Result};
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLockReadGuard};

/// What happens if the target exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existing {
    /// It is an error.
    Refuse,
    /// The tree is merged with an existing folder. Files and links replace files and links.
    Replace,
}

/// The options of a [`Plant`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlantOptions {
    /// Whether everything is on the disk before it gets its name.
    pub(crate) sync: bool,
    /// Whether set-user-ID, set-group-ID and sticky bits are set.
    pub(crate) special_bits: bool,
    /// Whether owners are set.
    pub(crate) owners: bool,
    /// Whether extended attributes are set; never others than `user.*`.
    pub(crate) attributes: bool,
}

impl Default for PlantOptions {
    fn default() -> Self {
        Self { sync: true, special_bits: false, owners: false, attributes: false }
    }
}

/// The metadata that a member gets when it is complete. [`PlantOptions`] say which of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Finish<'a> {
    /// Twelve bits. Links have none.
    pub(crate) mode: u32,
    /// The modification time in seconds and nanoseconds.
    pub(crate) modified: (i64, u32),
    /// User and group.
    pub(crate) owner: Option<(u32, u32)>,
    pub(crate) attributes: &'a [Attribute],
}

/// A tree that is being made beneath one folder. It is removed when it is dropped, or when a signal ends the process
/// ([`remove_temporaries`](crate::remove_temporaries)), unless [`publish`](Self::publish) has given it its name.
///
/// Members come in the order of their paths, and links after all files and folders. Files can be made by any thread, with
/// [`Parent`]. Nothing follows a symbolic link, except one that is the target itself.
pub(crate) struct Plant {
    shared: Arc<Shared>,
    /// The hidden folder's name.
    temporary: Option<Temporary>,
    way: Way,
    /// Where members are made: in the hidden folder, or in the target.
    beneath: Beneath,
    /// Where hard links find their files.
    linked: Beneath,
    folders: Folders,
    /// Files that are not replaced.
    protected: Vec<(FileId, PathBuf)>,
    /// The single files and their folders that were made, to notice two names that the file system takes for one.
    made: HashSet<FileId>,
    /// The folders that were made for single files, which go again after an error if they are empty.
    made_folders: Vec<Vec<u8>>,
}

enum Way {
    /// The hidden folder is beside the target, and becomes it.
    New { parent: Folder, name: Vec<u8> },
    /// The hidden folder is in the target, and its content moves there at the end.
    Merge { target: Folder },
    /// The hidden folder is in the target, and each file moves when it is complete.
    Singles {
        target: Folder,
        replace: bool,
        /// If the target is new, its parent and its name.
        made: Option<(Folder, Vec<u8>)>,
        /// The folder of the last file, which is not flushed yet.
        unsynced: Option<(Vec<u8>, Folder)>,
    },
}

/// What threads that make files need.
struct Shared {
    hidden: Folder,
    gate: Arc<Gate>,
    /// The path as the user typed it.
    target: PathBuf,
    options: PlantOptions,
    /// The bits of 0777 that the umask leaves.
    usual: u32,
    /// Whether files have numbers as names until they are published.
    is_numbered: bool,
    next_number: AtomicU64,
}

impl Shared {
    /// The path of a member as the user sees it at the end.
    fn shown(&self, path: &[u8]) -> PathBuf {
        if path.is_empty() { self.target.clone() } else { self.target.join(os::path_of(path)) }
    }

    fn fail<'s>(&'s self, action: &'static str, path: &'s [u8]) -> impl Fn(io::Error) -> Error + 's {
        move |error| Error::io(action, Some(&self.shown(path)), error)
    }

    /// Like [`fail`](Self::fail) for making a member, whose name must be unused.
    fn taken<'s>(&'s self, path: &'s [u8]) -> impl Fn(io::Error) -> Error + 's {
        move |error| match error.kind() {
            ErrorKind::AlreadyExists => Error::NamesCollide(self.shown(path)),
            _ => self.fail("create", path)(error),
        }
    }

    /// Must be held while something is made. The hidden folder is being removed if that fails.
    fn enter(&self) -> Result<RwLockReadGuard<'_, bool>> {
        self.gate.enter().ok_or(Error::Cancelled)
    }

    fn bits(&self, mode: u32) -> u32 {
        mode & if self.options.special_bits { 0o7777 } else { 0o777 }
    }

    fn owner(&self, finish: &Finish<'_>) -> Option<(u32, u32)> {
        finish.owner.filter(|_| self.options.owners)
    }

    fn last(&self, finish: &Finish<'_>) -> Last {
        let mode = u16::try_from(self.bits(finish.mode)).expect("plant: twelve bits fit");
        Last { mode, modified: finish.modified, owner: self.owner(finish) }
    }

    fn set_attributes(&self, opened: Opened<'_>, path: &[u8], finish: &Finish<'_>) -> Result<()> {
        if !self.options.attributes {
            return Ok(());
        }
        for (name, value) in finish.attributes {
            if name.starts_with(NAMESPACE) {
                let fail = self.fail("set an attribute of", path);
                os::set_attribute(opened, name, value).map_err(fail)?;
            }
        }
        Ok(())
    }

    /// Whether each file and folder is flushed by itself.
    fn syncs_each(&self) -> bool {
        self.options.sync && !os::SYNCS_ALL
    }

    fn number(&self) -> Vec<u8> {
        self.next_number.fetch_add(1, Ordering::Relaxed).to_string().into_bytes()
    }
}

impl Plant {
    /// Begins a tree that becomes the folder `target`, or is merged with it.
    ///
    /// # Errors
    /// [`Error::OutputExists`] if the target exists and is not to be replaced; [`Error::Io`].
    pub(crate) fn new(target: &Path, existing: Existing, options: PlantOptions) -> Result<Self> {
        let fail = |error: io::Error| Error::io("create", Some(target), error);
        let found = Target::of(target)?;
        if found.exists && existing == Existing::Refuse {
            return Err(Error::OutputExists(target.to_path_buf()));
        }
        if found.exists {
            let folder = os::open_to_list(target).map_err(fail)?;
            return Self::begin(&folder, target, options, Way::Merge { target: folder.clone() });
        }
        let (parent, name) = found.place.ok_or_else(|| fail(ErrorKind::NotFound.into()))?;
        Self::begin(&parent, target, options, Way::New { parent: parent.clone(), name })
    }

    /// Begins to make some members in the folder `target`, which is created if it is missing. Each file gets its name with
    /// [`publish_one`](Self::publish_one), and those that have it stay if a later one fails.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(crate) fn single_files(target: &Path, existing: Existing, options: PlantOptions) -> Result<Self> {
        let fail = |error: io::Error| Error::io("create", Some(target), error);
        let found = Target::of(target)?;
        let mut made = None;
        let folder = match found.place {
            Some((parent, name)) if !found.exists => {
                os::make_folder(&parent, &name, 0o777).map_err(fail)?;
                let opened = os::open_below(&parent, &name).and_then(|folder| {
                    if options.sync {
                        os::sync_folder(&parent)?;
                    }
                    Ok(folder)
                });
                let folder = opened.map_err(|error| {
                    let _ = os::remove_folder(&parent, &name);
                    fail(error)
                })?;
                made = Some((parent, name));
                folder
            }
            _ => os::open_to_list(target).map_err(fail)?,
        };
        let replace = existing == Existing::Replace;
        let way = Way::Singles { target: folder.clone(), replace, made: made.clone(), unsynced: None };
        Self::begin(&folder, target, options, way).inspect_err(|_| {
            if let Some((parent, name)) = &made {
                let _ = os::remove_folder(parent, name);
            }
        })
    }

    /// Makes the hidden folder in `place`.
    fn begin(place: &Folder, target: &Path, options: PlantOptions, way: Way) -> Result<Self> {
        let fail = |error: io::Error| Error::io("create", Some(target), error);
        let (hidden, gate, temporary) = Temporary::create_folder(place)?.map_err(fail)?;
        let usual = usual_bits(&hidden, &gate)?.map_err(fail)?;
        let (is_numbered, top) = match &way {
            Way::Singles { target, .. } => (true, target.clone()),
            Way::New { .. } | Way::Merge { .. } => (false, hidden.clone()),
        };
        let target = target.to_path_buf();
        let next_number = AtomicU64::new(0);
        Ok(Self {
            shared: Arc::new(Shared { hidden, gate, target, options, usual, is_numbered, next_number }),
            temporary: Some(temporary),
            way,
            beneath: Beneath::new(top.clone()),
            linked: Beneath::new(top),
            folders: Folders::default(),
            protected: Vec::new(),
            made: HashSet::new(),
            made_folders: Vec::new(),
        })
    }

    /// Refuses to replace these files, such as the archive and files of keys.
    pub(crate) fn protect(&mut self, files: impl IntoIterator<Item = (FileId, PathBuf)>) {
        self.protected.extend(files);
    }

    fn check_protected(&self, existing: FileId) -> Result<()> {
        match self.protected.iter().find(|(id, _)| *id == existing) {
            Some((_, path)) => Err(Error::SameFile(path.clone())),
            None => Ok(()),
        }
    }

    /// Makes a folder, which only this user can enter until the tree is complete. It gets its mode and time then.
    ///
    /// Among single files, an existing folder is used, and keeps its metadata unless it is to be replaced.
    ///
    /// # Errors
    /// [`Error::NamesCollide`]; [`Error::OutputExists`] among single files; [`Error::Cancelled`]; [`Error::Io`].
    pub(crate) fn folder(&mut self, path: &[u8], finish: &Finish<'_>) -> Result<Parent> {
        let shared = Arc::clone(&self.shared);
        let fail = shared.fail("create", path);
        let (parent, name) = split(path).map_err(&fail)?;
        let above = self.make_way(parent)?;
        let above = &above;
        let made = {
            let _entered = shared.enter()?;
            os::make_folder(above, name, 0o700)
        };
        let (folder, is_new) = match (made, &self.way) {
            (Ok(()), _) => {
                if shared.is_numbered {
                    self.made_folders.push(path.to_vec());
                }
                if shared.is_numbered && shared.options.sync {
                    os::sync_folder(above).map_err(shared.fail("sync", parent))?;
                }
                (os::open_below(above, name).map_err(&fail)?, true)
            }
            (Err(error), Way::Singles { .. }) if error.kind() == ErrorKind::AlreadyExists => {
                let is_folder = os::stat_name(above, name).map_err(&fail)?.kind == FileKind::Folder;
                if !is_folder {
                    return Err(Error::OutputExists(shared.shown(path)));
                }
                (os::open_below(above, name).map_err(&fail)?, false)
            }
            (Err(error), _) => return Err(shared.taken(path)(error)),
        };
        if shared.is_numbered {
            let id = os::stat_opened(Opened::Folder(&folder)).map_err(&fail)?.id;
            if !self.made.insert(id) {
                return Err(Error::NamesCollide(shared.shown(path)));
            }
        }
        if is_new || matches!(self.way, Way::Singles { replace: true, .. }) {
            shared.set_attributes(Opened::Folder(&folder), path, finish)?;
            self.folders.push(path, shared.last(finish));
        }
        self.beneath.push(path, folder.clone()).map_err(&fail)?;
        let folder = if shared.is_numbered { shared.hidden.clone() } else { folder };
        Ok(Parent { folder, shared: Arc::clone(&shared) })
    }

    /// Where the file of a path is made: its folder, which must be there.
    pub(crate) fn parent(&mut self, path: &[u8]) -> Result<Parent> {
        let shared = Arc::clone(&self.shared);
        let fail = shared.fail("create", path);
        let (parent, _) = split(path).map_err(&fail)?;
        let folder =
            if shared.is_numbered { shared.hidden.clone() } else { self.beneath.open(parent).map_err(&fail)?.clone() };
        Ok(Parent { folder, shared: Arc::clone(&shared) })
    }

    /// Opens the folder of a path where members are made. Among single files, missing folders are made.
    fn make_way(&mut self, path: &[u8]) -> Result<Folder> {
        let fail = self.shared.fail("create", path);
        let Way::Singles { .. } = self.way else { return self.beneath.open(path).cloned().map_err(fail) };
        let (gate, sync) = (&self.shared.gate, self.shared.options.sync);
        let made = &mut self.made_folders;
        let opened = self.beneath.open_or(path, |above, path| {
            let _entered = gate.enter().ok_or_else(|| Error::Cancelled.into_io())?;
            match os::make_folder(above, name_of(path), 0o777) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
                Ok(()) => {
                    made.push(path.to_vec());
                    // Otherwise the files in it might not survive a power failure.
                    if sync { os::sync_folder(above) } else { Ok(()) }
                }
                Err(error) => Err(error),
            }
        });
        opened.cloned().map_err(|error| Error::from_io("create", Some(&self.shared.shown(path)), error))
    }

    /// Makes a symbolic link. Its target is never looked at.
    ///
    /// # Errors
    /// [`Error::NamesCollide`]; [`Error::OutputExists`] among single files; [`Error::Cancelled`]; [`Error::Io`].
    pub(crate) fn symbolic_link(&mut self, path: &[u8], target: &[u8], finish: &Finish<'_>) -> Result<()> {
        let parent = self.parent(path)?;
        let shared = &parent.shared;
        let (name, number) = parent.name(path);
        {
            let _entered = shared.enter()?;
            os::make_symbolic_link(&parent.folder, &name, target).map_err(shared.taken(path))?;
        }
        if let Some((owner, group)) = shared.owner(finish) {
            os::set_link_owner(&parent.folder, &name, owner, group).map_err(shared.fail("set the owner of", path))?;
        }
        match os::set_link_modified(&parent.folder, &name, finish.modified) {
            // Not every file system has times of links.
            Err(error) if error.kind() != ErrorKind::Unsupported => {
                return Err(shared.fail("set the time of", path)(error));
            }
            _ => {}
        }
        self.publish_one(Finished { path: path.into(), number })
    }

    /// Gives a file that is there, beneath the same folder, another name. If the file system has no hard links, it makes a copy.
    ///
    /// # Errors
    /// [`Error::NamesCollide`]; [`Error::OutputExists`] among single files; [`Error::NotRegularFile`]; [`Error::Cancelled`];
    /// [`Error::Io`].
    pub(crate) fn hard_link(&mut self, path: &[u8], existing: &[u8]) -> Result<()> {
        let shared = Arc::clone(&self.shared);
        let fail = shared.fail("link to", existing);
        let (folder, name) = split(existing).map_err(&fail)?;
        let folder = self.linked.open(folder).map_err(&fail)?.clone();
        let stat = os::stat_name(&folder, name).map_err(&fail)?;
        if stat.kind != FileKind::Regular {
            return Err(Error::NotRegularFile { path: shared.shown(existing), kind: "a folder or a link" });
        }
        self.link(path, &folder, name)
    }

    /// Makes a hard link to a single file that is held.
    ///
    /// # Errors
    /// As [`hard_link`](Self::hard_link).
    pub(crate) fn hard_link_to_held(&mut self, path: &[u8], held: &Held) -> Result<()> {
        let hidden = self.shared.hidden.clone();
        self.link(path, &hidden, &held.0)
    }

    /// Makes a hard link to a file, or a copy where there are no hard links.
    fn link(&mut self, path: &[u8], folder: &Folder, existing: &[u8]) -> Result<()> {
        let new = self.parent(path)?;
        let shared = &new.shared;
        let (name, number) = new.name(path);
        let is_linked = {
            let _entered = shared.enter()?;
            os::make_hard_link((folder, existing), (&new.folder, &name)).map_err(shared.taken(path))?
        };
        let finished = if is_linked {
            Finished { path: path.into(), number }
        } else {
            let existing = os::open_to_read(folder, existing).map_err(shared.fail("copy", path))?;
            new.copy(path, &existing)?
        };
        self.publish_one(finished)
    }

    /// Gives a complete single file its name, in its folder, which is made if it is missing. In a tree that is published as a
    /// whole, it does nothing.
    ///
    /// # Errors
    /// [`Error::OutputExists`], unless files are to be replaced; [`Error::Cancelled`]; [`Error::Io`].
    pub(crate) fn publish_one(&mut self, finished: Finished) -> Result<()> {
        let Finished { path, number } = finished;
        let Some(number) = number else { return Ok(()) };
        let path = &*path;
        let shared = Arc::clone(&self.shared);
        let fail = |error: io::Error| match error.kind() {
            ErrorKind::AlreadyExists => Error::OutputExists(shared.shown(path)),
            _ => shared.fail("create", path)(error),
        };
        let (parent, name) = split(path).map_err(&fail)?;
        let folder = self.make_way(parent)?;
        let (from, to) = ((&shared.hidden, &*number), (&folder, name));
        if matches!(self.way, Way::Singles { replace: true, .. }) {
            if let Ok(existing) = os::stat_name(to.0, to.1) {
                self.check_protected(existing.id)?;
                if self.made.contains(&existing.id) {
                    return Err(Error::NamesCollide(shared.shown(path)));
                }
            }
            self.made.insert(os::stat_name(from.0, from.1).map_err(&fail)?.id);
        }
        let Way::Singles { replace, unsynced, .. } = &mut self.way else { return Ok(()) };
        {
            let _entered = shared.enter()?;
            if *replace { os::move_over(from, to) } else { move_to_unused(from, to) }.map_err(fail)?;
        }
        if shared.options.sync && unsynced.as_ref().is_none_or(|(before, _)| *before != parent) {
            let before = unsynced.replace((parent.to_vec(), folder));
            sync_unsynced(&shared, before)?;
        }
        Ok(())
    }

    /// Gives the finished tree its name. Nothing is left under it after an error, unless the tree was merged: then members that
    /// were moved stay. Among single files, it finishes their folders.
    ///
    /// # Errors
    /// [`Error::OutputExists`] if the target exists by now; [`Error::Cancelled`]; [`Error::Io`].
    pub(crate) fn publish(mut self) -> Result<()> {
        match std::mem::replace(&mut self.way, Way::Merge { target: self.shared.hidden.clone() }) {
            Way::New { parent, name } => self.publish_new(&parent, &name),
            Way::Merge { target } => self.publish_merged(&target),
            Way::Singles { unsynced, target, made, .. } => {
                let finished = self.apply_folders(None).and_then(|()| sync_unsynced(&self.shared, unsynced));
                if finished.is_err() {
                    self.remove_empty_folders(&target, made.as_ref());
                }
                finished
            }
        }
    }

    fn publish_new(&mut self, parent: &Folder, name: &[u8]) -> Result<()> {
        let shared = Arc::clone(&self.shared);
        let hidden = &shared.hidden;
        self.apply_folders(None)?;
        let top = Opened::Folder(hidden);
        let inherited = os::stat_opened(top).map_err(shared.fail("stat", b""))?.special & 0o2000;
        os::set_all_bits(top, shared.usual | inherited).map_err(shared.fail("set the mode of", b""))?;
        if shared.options.sync {
            let sync = os::sync_all(hidden).and_then(|done| if done { Ok(()) } else { os::sync_folder(hidden) });
            sync.map_err(shared.fail("sync", b""))?;
        }
        let temporary = self.temporary.take().expect("plant: it is published once");
        let entered = shared.enter()?;
        let (from, to) = ((parent, temporary.name()), (parent, name));
        let moved = match os::move_new(from, to) {
            Ok(false) => move_folder_to_unused(from, to),
            moved => moved.map(|_| ()),
        };
        let published = moved.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => Error::OutputExists(shared.target.clone()),
            _ => shared.fail("create", b"")(error),
        });
        // Where others may rename what is here, they may have given the hidden name to another folder.
        let published = published.and_then(|()| match (os::stat_name(parent, name), os::folder_id(hidden)) {
            (Ok(named), Ok(id)) if named.id == id => Ok(()),
            _ => Err(shared.fail("create", b"")(io::Error::other("somebody else has renamed its hidden folder"))),
        });
        let published = published.and_then(|()| {
            if !shared.options.sync {
                return Ok(());
            }
            os::sync_folder(parent).map_err(|error| {
                // The tree might not survive a power failure, so it must not look finished.
                let _ = os::move_over(to, from);
                Error::io("sync", shared.target.parent(), error)
            })
        });
        drop(entered);
        if published.is_ok() {
            temporary.forget();
            // For threads that still have a folder of it.
            shared.gate.close();
        }
        published
    }

    fn publish_merged(&mut self, target: &Folder) -> Result<()> {
        let shared = Arc::clone(&self.shared);
        let fail = |(path, error): (Vec<u8>, io::Error)| Error::from_io("create", Some(&shared.shown(&path)), error);
        let check = |id| self.check_protected(id).map_err(Error::into_io);
        merge(&shared.hidden, target, Act::Check, check).map_err(fail)?;
        let sync_failed = shared.fail("sync", b"");
        if shared.options.sync {
            os::sync_all(&shared.hidden).map_err(&sync_failed)?;
        }
        {
            // A signal waits until all is moved, so that it leaves no half of it.
            let _entered = shared.enter()?;
            merge(&shared.hidden, target, Act::Move { sync: shared.syncs_each() }, check).map_err(fail)?;
        }
        // Not before: a folder without permission to write cannot be moved.
        self.apply_folders(Some(target))?;
        if shared.options.sync {
            os::sync_all(target).map_err(sync_failed)?;
        }
        Ok(())
    }

    /// Removes the folders that were made for single files, as far as they are empty.
    fn remove_empty_folders(&mut self, target: &Folder, made: Option<&(Folder, Vec<u8>)>) {
        // A hidden folder in the target would keep it.
        self.temporary = None;
        let mut beneath = Beneath::new(target.clone());
        for path in self.made_folders.drain(..).rev() {
            if let Ok((parent, name)) = split(&path)
                && let Ok(parent) = beneath.open(parent)
            {
                let _ = os::remove_folder(parent, name);
            }
        }
        if let Some((parent, name)) = made {
            let _ = os::remove_folder(parent, name);
        }
    }

    /// Gives all folders their metadata, beneath `top` or where they were made.
    fn apply_folders(&mut self, top: Option<&Folder>) -> Result<()> {
        if let Some(top) = top {
            self.beneath = Beneath::new(top.clone());
        }
        let each = self.shared.syncs_each() || (self.shared.options.sync && self.shared.is_numbered);
        let applied = self.folders.apply(&mut self.beneath, each);
        applied.map_err(|(path, action, error)| self.shared.fail(action, &path)(error))
    }
}

impl Drop for Plant {
    fn drop(&mut self) {
        self.temporary = None;
        let way = std::mem::replace(&mut self.way, Way::Merge { target: self.shared.hidden.clone() });
        if let Way::Singles { target, made, .. } = way {
            self.remove_empty_folders(&target, made.as_ref());
        }
    }
}

fn sync_unsynced(shared: &Shared, unsynced: Option<(Vec<u8>, Folder)>) -> Result<()> {
    let Some((path, folder)) = unsynced else { return Ok(()) };
    os::sync_folder(&folder).map_err(shared.fail("sync", &path))
}

/// An existing folder, or where one is to be made.
struct Target {
    exists: bool,
    /// The folder around it, and its name.
    place: Option<(Folder, Vec<u8>)>,
}

impl Target {
    fn of(target: &Path) -> Result<Self> {
        let fail = |error: io::Error| Error::io("create", Some(target), error);
        match os::stat_path(target) {
            Ok(_) => return Ok(Self { exists: true, place: None }),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(fail(error)),
        }
        let Some(name) = target.file_name() else { return Err(fail(ErrorKind::NotFound.into())) };
        let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let parent = os::open_folder(parent).map_err(fail)?;
        let name = name.as_encoded_bytes().to_vec();
        // A link to nothing.
        let exists = os::stat_name(&parent, &name).is_ok();
        Ok(Self { exists, place: Some((parent, name)) })
    }
}

/// The bits of 0777 that the umask, or the folder, leaves to a new file.
fn usual_bits(hidden: &Folder, gate: &Gate) -> Result<io::Result<u32>> {
    let _entered = gate.enter().ok_or(Error::Cancelled)?;
    let probe = b"umask";
    let probed = os::make_file(hidden, probe, 0o777).and_then(|file| os::stat_opened(Opened::File(&file)));
    let removed = os::remove_name(hidden, probe);
    Ok(probed.and_then(|stat| removed.map(|_| stat.mode)))
}

/// Renames a file or link to an unused name, on every file system.
fn move_to_unused(from: (&Folder, &[u8]), to: (&Folder, &[u8])) -> io::Result<()> {
    if os::move_new(from, to)? {
        return Ok(());
    }
    if os::make_hard_link(from, to)? {
        return os::remove_name(from.0, from.1).map(|_| ());
    }
    move_over_reserved(from, to)
}

/// Renames a file over an empty one that reserves the name (docs/design/outputs.md).
fn move_over_reserved(from: (&Folder, &[u8]), to: (&Folder, &[u8])) -> io::Result<()> {
    let reserved = os::stat_opened(Opened::File(&os::make_file(to.0, to.1, 0o600)?))?.id;
    let is_reserved = |id: FileId| os::stat_name(to.0, to.1).is_ok_and(|stat| stat.id == id && stat.len == 0);
    if !is_reserved(reserved) {
        return Err(ErrorKind::AlreadyExists.into());
    }
    os::move_over(from, to).inspect_err(|_| {
        if is_reserved(reserved) {
            let _ = os::remove_name(to.0, to.1);
        }
    })
}

/// Renames a folder to an unused name where no call does that at once. If another process takes the name in between, the rename
/// fails, unless it is an empty folder: then nothing is lost.
fn move_folder_to_unused(from: (&Folder, &[u8]), to: (&Folder, &[u8])) -> io::Result<()> {
    match os::stat_name(to.0, to.1) {
        Ok(_) => return Err(ErrorKind::AlreadyExists.into()),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    os::move_over(from, to).map_err(|error| match error.kind() {
        ErrorKind::DirectoryNotEmpty | ErrorKind::NotADirectory => ErrorKind::AlreadyExists.into(),
        _ => error,
    })
}

/// An open folder of a [`Plant`], in which any thread can make files.
#[derive(Clone)]
pub(crate) struct Parent {
    folder: Folder,
    shared: Arc<Shared>,
}

impl Parent {
    /// Whether both are one open folder.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.folder.is(&other.folder)
    }

    /// The name under which a member is made, and whether that is a number.
    fn name(&self, path: &[u8]) -> (Vec<u8>, Option<Box<[u8]>>) {
        if !self.shared.is_numbered {
            return (name_of(path).to_vec(), None);
        }
        let number = self.shared.number();
        (number.clone(), Some(number.into()))
    }

    /// Creates the file of a path in this folder. `mode` is the one that it gets at the end.
    ///
    /// # Errors
    /// [`Error::NamesCollide`]; [`Error::Cancelled`] after a signal; [`Error::Io`].
    pub(crate) fn create(&self, path: &[u8], mode: u32) -> Result<Planted> {
        let shared = &self.shared;
        let (_, name) = split(path).map_err(shared.fail("create", path))?;
        // Nobody else can enter the hidden folder, so the file may have its final mode at once if the umask takes nothing of it.
        let bits = shared.bits(mode);
        let has_mode = bits & !shared.usual == 0 && bits & 0o600 == 0o600;
        let number = shared.is_numbered.then(|| shared.number().into_boxed_slice());
        let entered = shared.enter()?;
        let created =
            os::make_file(&self.folder, number.as_deref().unwrap_or(name), if has_mode { bits } else { 0o600 });
        drop(entered);
        let file = created.map_err(shared.taken(path))?;
        Ok(Planted {
            file: Some(file),
            has_mode: has_mode.then_some(bits),
            finished: Some(Finished { path: path.into(), number }),
            parent: self.clone(),
        })
    }

    /// Copies a file, with its metadata and its holes.
    fn copy(&self, path: &[u8], existing: &File) -> Result<Finished> {
        let fail = self.shared.fail("copy", path);
        let stat = os::stat_opened(Opened::File(existing)).map_err(&fail)?;
        let attributes = if self.shared.options.attributes { attributes(existing).map_err(&fail)? } else { Vec::new() };
        let mode = stat.mode | stat.special;
        let planted = self.create(path, mode)?;
        let mut buffer = Wiped::default();
        buffer.set_len(COPY_LEN);
        let whole = 0..stat.len;
        for region in regions(existing, stat.len).map_err(&fail)?.unwrap_or_else(|| Vec::from([whole])) {
            let mut at = region.start;
            while at < region.end {
                let len = usize::try_from(region.end - at).unwrap_or(COPY_LEN).min(COPY_LEN);
                if read_at(existing, &mut buffer[..len], at).map_err(&fail)? < len {
                    return Err(Error::InputChanged(self.shared.shown(path)));
                }
                planted.write_at(&buffer[..len], at)?;
                at += len as u64;
            }
        }
        planted.set_len(stat.len)?;
        let modified = (stat.modified.0, u32::try_from(stat.modified.1).unwrap_or(0));
        let owner = Some((stat.owner, stat.group));
        planted.finish(&Finish { mode, modified, owner, attributes: &attributes })
    }
}

/// Bytes that are copied at once.
const COPY_LEN: usize = 256 << 10;

/// An unfinished file of a [`Plant`]. It is removed when it is dropped.
pub(crate) struct Planted {
    file: Option<File>,
    /// The mode that it has, if that is known.
    has_mode: Option<u32>,
    finished: Option<Finished>,
    parent: Parent,
}

/// A complete file, for [`Plant::publish_one`].
#[must_use = "a single file has no name yet"]
pub(crate) struct Finished {
    path: Box<[u8]>,
    /// Its name in the hidden folder, if that is another than in its path.
    number: Option<Box<[u8]>>,
}

/// A complete single file without a name, to which hard links are made. It is removed with the hidden folder.
pub(crate) struct Held(Box<[u8]>);

impl Finished {
    /// Gives it no name.
    ///
    /// # Panics
    /// If it is no single file.
    pub(crate) fn hold(self) -> Held {
        Held(self.number.expect("plant: a single file has a number"))
    }
}

impl Planted {
    fn file(&self) -> &File {
        self.file.as_ref().expect("plant: a file is finished once")
    }

    fn path(&self) -> &[u8] {
        self.finished.as_ref().map_or(&[], |finished| &*finished.path)
    }

    /// Writes all bytes at a position.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(crate) fn write_at(&self, mut bytes: &[u8], mut position: u64) -> Result<()> {
        let fail = self.parent.shared.fail("write", self.path());
        while !bytes.is_empty() {
            match os::write_part(self.file(), bytes, position) {
                Ok(0) => return Err(fail(ErrorKind::WriteZero.into())),
                Ok(len) => {
                    bytes = &bytes[len..];
                    position += len as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(fail(error)),
            }
        }
        Ok(())
    }

    /// Sets the length, for a file that ends with a hole.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(crate) fn set_len(&self, len: u64) -> Result<()> {
        self.file().set_len(len).map_err(self.parent.shared.fail("write", self.path()))
    }

    /// Gives the complete file its metadata, the time last, and closes it.
    ///
    /// # Errors
    /// [`Error::Io`]; the file is removed then.
    pub(crate) fn finish(mut self, finish: &Finish<'_>) -> Result<Finished> {
        let shared = &self.parent.shared;
        let (path, opened) = (self.path(), Opened::File(self.file()));
        // Before the mode: they need permission to write.
        shared.set_attributes(opened, path, finish)?;
        let owner = shared.owner(finish);
        if let Some((owner, group)) = owner {
            os::set_owner_of(opened, owner, group).map_err(shared.fail("set the owner of", path))?;
        }
        let bits = shared.bits(finish.mode);
        if self.has_mode != Some(bits) || owner.is_some() {
            os::set_all_bits(opened, bits).map_err(shared.fail("set the mode of", path))?;
        }
        os::set_modified(opened, finish.modified).map_err(shared.fail("set the time of", path))?;
        if shared.options.sync && (shared.is_numbered || !os::SYNCS_ALL) {
            os::sync(self.file()).map_err(shared.fail("sync", path))?;
        }
        let file = self.file.take().expect("plant: a file is finished once");
        os::close(file).map_err(self.parent.shared.fail("close", self.path()))?;
        Ok(self.finished.take().expect("plant: a file is finished once"))
    }
}

impl Drop for Planted {
    fn drop(&mut self) {
        if let Some(finished) = self.finished.take() {
            // No part of a member stays.
            let name = finished.number.as_deref().unwrap_or_else(|| name_of(&finished.path));
            let _ = os::remove_name(&self.parent.folder, name);
        }
    }
}

#[cfg(test)]
#[path = "plant_tests.rs"]
mod tests;
