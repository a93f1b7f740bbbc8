//! Temporary names in a folder: the random name of an unfinished file or tree, and a final name that is reserved by an empty
//! file. They are removed when an operation fails or panics, or when a signal ends the process. The files and trees of a killed
//! process are removed by the next process that creates one in the same folder.

use super::os::{self, FileId, FileKind, Folder, Opened, Stat};
use super::removal::remove_tree;
use crate::error::Result;
use crate::random;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard};

/// The temporary names of this process, for [`remove_temporaries`].
static ALL: Mutex<Vec<Arc<Entry>>> = Mutex::new(Vec::new());

pub(super) fn all() -> MutexGuard<'static, Vec<Arc<Entry>>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files of the unfinished operations of this process, for programs that end on a signal. No operation
/// creates another one until the returned guard is dropped, so a program that exits while holding it leaves none.
///
/// ```no_run
/// // In the thread that waits for signals:
/// let _none_is_made_now = sealstone::remove_temporaries();
/// std::process::exit(130);
/// ```
#[must_use]
pub fn remove_temporaries() -> impl Drop {
    let mut all = all();
    for entry in all.drain(..) {
        entry.remove();
    }
    all
}

/// Called before each temporary file is created.
static PREPARE: OnceLock<fn()> = OnceLock::new();

/// Calls `prepare` before each file that this process creates under a name that [`remove_temporaries`] would remove. Most file
/// systems need no such files, so a program can start handling signals only then. Only the first call of this function has an
/// effect.
///
/// ```no_run
/// fn wait_for_signals() {
///     static BEGUN: std::sync::Once = std::sync::Once::new();
///     BEGUN.call_once(|| { /* begins the thread that waits */ });
/// }
/// sealstone::before_temporaries(wait_for_signals);
/// ```
pub fn before_temporaries(prepare: fn()) {
    _ = PREPARE.set(prepare);
}

/// A temporary name, removed on drop unless the file got its final name.
pub(super) struct Temporary(Arc<Entry>);

pub(super) struct Entry {
    folder: Folder,
    name: OsString,
    /// The empty file that reserves the name, if this is a final name.
    reserves: Option<FileId>,
    tree: Option<Tree>,
}

/// An unfinished tree.
struct Tree {
    /// What stops the threads that make files in it.
    gate: Arc<Gate>,
    /// Its folder, once that is open. Where others may rename it, the name may belong to another folder by now.
    id: OnceLock<FileId>,
}

impl Entry {
    /// Removes the name, unless a reserved name belongs to another process by now.
    fn remove(&self) {
        if let Some(Tree { gate, id }) = &self.tree {
            gate.close();
            let name = self.name.as_encoded_bytes();
            let _ = match id.get() {
                Some(id) => remove_tree(&self.folder, name, *id),
                None => os::remove_folder(&self.folder, name),
            };
        } else if self.reserves.is_none() || self.is_reserved() {
            // If it cannot be removed now, it cannot be removed later either.
            let _ = os::remove(&self.folder, &self.name);
        }
    }

    fn is_reserved(&self) -> bool {
        let stat = os::stat_in(&self.folder, &self.name);
        stat.is_ok_and(|stat| Some(stat.id) == self.reserves && stat.len == 0)
    }
}

/// Stands before an unfinished tree. Whoever makes something in the tree enters first, and its removal waits until all have left
/// and lets nobody in again. So nothing is made in a tree that is removed.
#[derive(Default)]
pub(super) struct Gate(RwLock<bool>);

impl Gate {
    /// `None` once the tree is being removed. Who is in must not drop the [`Temporary`].
    pub(super) fn enter(&self) -> Option<RwLockReadGuard<'_, bool>> {
        Some(self.0.read().unwrap_or_else(PoisonError::into_inner)).filter(|is_closed| !**is_closed)
    }

    /// Waits until all have left, and lets nobody in again.
    pub(super) fn close(&self) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = true;
    }
}

/// Maximum number of attempts. One is enough unless another process is sweeping.
const CREATE_TRIES: usize = 100;

impl Temporary {
    /// Creates a file under a random name, with `mode` without the bits of the umask.
    pub(super) fn create(folder: &Folder, mode: u32) -> Result<io::Result<(File, Self)>> {
        for _ in 0..CREATE_TRIES {
            // Before the file is locked, another process may take it for abandoned and remove it.
            match Self::make(folder, None, |name| os::create(folder, name, mode))? {
                Ok((file, temporary)) if !temporary.lock(&file) => {}
                Ok((file, temporary)) => {
                    sweep(folder, || os::stat(&file));
                    return Ok(Ok((file, temporary)));
                }
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Err(ErrorKind::WouldBlock.into()))
    }

    /// Makes a folder for an unfinished tree under a random name. It is locked while it is open.
    pub(super) fn create_folder(folder: &Folder) -> Result<io::Result<(Folder, Arc<Gate>, Self)>> {
        for _ in 0..CREATE_TRIES {
            let gate = Arc::new(Gate::default());
            let made = Self::make(folder, Some(&gate), |name| os::make_folder(folder, name.as_encoded_bytes(), 0o700))?;
            let temporary = match made {
                Ok(((), temporary)) => temporary,
                Err(error) => return Ok(Err(error)),
            };
            // As a file, it may be removed by another process until it is locked.
            match os::open_below(folder, temporary.name()) {
                Ok(made) if temporary.is_kept(&os::lock_folder(&made)) => {
                    if let (Some(tree), Ok(id)) = (&temporary.0.tree, os::folder_id(&made)) {
                        _ = tree.id.set(id);
                    }
                    sweep(folder, || os::stat_opened(Opened::Folder(&made)));
                    return Ok(Ok((made, gate, temporary)));
                }
                Err(error) if error.kind() != ErrorKind::NotFound => return Ok(Err(error)),
                _ => {}
            }
        }
        Ok(Err(ErrorKind::WouldBlock.into()))
    }

    /// Gives an open file a random name, with `link`.
    pub(super) fn link(
        folder: &Folder,
        file: &File,
        link: impl FnOnce(&OsStr) -> io::Result<()>,
    ) -> Result<io::Result<Self>> {
        // Lock it before it has a name. If the file system has no locks, no process removes it.
        let _ = os::lock(file);
        let made = Self::make(folder, None, link)?;
        if made.is_ok() {
            sweep(folder, || os::stat(file));
        }
        Ok(made.map(|((), temporary)| temporary))
    }

    /// Creates and registers a file while holding the lock, so that signal handling never sees it unregistered.
    fn make<T>(
        folder: &Folder,
        tree: Option<&Arc<Gate>>,
        make: impl FnOnce(&OsStr) -> io::Result<T>,
    ) -> Result<io::Result<(T, Self)>> {
        let name = new_name()?;
        if let Some(prepare) = PREPARE.get() {
            prepare();
        }
        let mut all = all();
        Ok(make(&name).map(|made| {
            let tree = tree.map(|gate| Tree { gate: Arc::clone(gate), id: OnceLock::new() });
            let entry = Arc::new(Entry { folder: folder.clone(), name, reserves: None, tree });
            all.push(Arc::clone(&entry));
            (made, Self(entry))
        }))
    }

    /// Reserves an unused final name with an empty file.
    fn reserve(folder: &Folder, name: &OsStr) -> io::Result<Self> {
        let mut all = all();
        let file = os::create(folder, name, 0o600)?;
        let stat = os::stat(&file).inspect_err(|_| {
            let _ = os::remove(folder, name);
        })?;
        let (name, reserves) = (name.to_owned(), Some(stat.id));
        let entry = Arc::new(Entry { folder: folder.clone(), name, reserves, tree: None });
        all.push(Arc::clone(&entry));
        Ok(Self(entry))
    }

    /// Locks the file while it is open, so that other processes do not take it for abandoned. `false` if one of them was faster
    /// and removes it.
    fn lock(&self, file: &File) -> bool {
        self.is_kept(&os::lock(file))
    }

    /// Whether the name is still there after the attempt to lock it.
    fn is_kept(&self, locked: &io::Result<bool>) -> bool {
        let was_faster = matches!(locked, Ok(false));
        let named = os::stat_in(&self.0.folder, &self.0.name);
        !was_faster && named.err().is_none_or(|error| error.kind() != ErrorKind::NotFound)
    }

    pub(super) fn name(&self) -> &[u8] {
        self.0.name.as_encoded_bytes()
    }

    /// Renames the file to its final name, replacing an existing file.
    pub(super) fn rename(self, to: &OsStr) -> io::Result<()> {
        os::rename(&self.0.folder, &self.0.name, to)?;
        self.forget();
        Ok(())
    }

    /// Renames the file to its final name, if that is unused.
    pub(super) fn rename_new(self, to: &OsStr) -> io::Result<()> {
        let Entry { folder, name, .. } = &*self.0;
        if os::link(folder, name, to)? {
            // Dropping `self` removes the random name.
            return Ok(());
        }
        if os::rename_new(folder, name, to)? {
            self.forget();
            return Ok(());
        }
        // FUSE and network file systems may support neither. Then the final name belongs to an empty file for the time between
        // two calls.
        let reserved = Self::reserve(folder, to)?;
        if !reserved.0.is_reserved() {
            return Err(ErrorKind::AlreadyExists.into());
        }
        self.rename(to)?;
        reserved.forget();
        Ok(())
    }

    /// Unregisters the name, which is no longer temporary.
    pub(super) fn forget(self) {
        all().retain(|entry| !Arc::ptr_eq(entry, &self.0));
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let mut all = all();
        // After `forget`, or removal on a signal, the name is no longer registered.
        if let Some(at) = all.iter().position(|entry| Arc::ptr_eq(entry, &self.0)) {
            all.swap_remove(at).remove();
        }
    }
}

const PREFIX: &str = ".sealstone-";
const SUFFIX: &str = ".tmp";
const RANDOM_DIGITS: usize = 16;

/// Makes a name from the id of the running system and random digits: `.sealstone-0123abcd-0123456789abcdef.tmp`.
fn new_name() -> Result<OsString> {
    let random = u64::from_le_bytes(random::array()?);
    Ok(OsString::from(format!("{PREFIX}{}-{random:0RANDOM_DIGITS$x}{SUFFIX}", system())))
}

/// The system id in a name made by [`new_name`].
fn system_of(name: &[u8]) -> Option<&[u8]> {
    let middle = name.strip_prefix(PREFIX.as_bytes())?.strip_suffix(SUFFIX.as_bytes())?;
    let (system, random) = middle.split_at_checked(UNKNOWN_SYSTEM.len())?;
    let random = random.strip_prefix(b"-").filter(|random| random.len() == RANDOM_DIGITS)?;
    let is_hex = |digits: &[u8]| digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
    (is_hex(system) && is_hex(random)).then_some(system)
}

const UNKNOWN_SYSTEM: &str = "00000000";

/// The id of the running system: the first digits of its boot id.
fn system() -> &'static str {
    static SYSTEM: OnceLock<String> = OnceLock::new();
    SYSTEM.get_or_init(|| {
        let id = os::boot_id().unwrap_or_default();
        let digits = id.get(..UNKNOWN_SYSTEM.len()).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        digits.unwrap_or(UNKNOWN_SYSTEM).to_ascii_lowercase()
    })
}

/// Maximum number of names that are checked in a folder.
const NAMES_MAX: usize = 100_000;

/// Folders that this process has swept.
static SWEPT: Mutex<BTreeSet<FileId>> = Mutex::new(BTreeSet::new());
/// Maximum number of swept folders that are remembered.
const FOLDERS_MAX: usize = 10_000;

/// Removes the files and trees of killed processes from a folder, once per process and folder. `made` tells about a file of this
/// process in it: only those of the same owner are removed.
fn sweep(folder: &Folder, made: impl FnOnce() -> io::Result<Stat>) {
    let Ok(id) = os::folder_id(folder) else { return };
    let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if swept.len() >= FOLDERS_MAX {
        swept.clear();
    }
    if !swept.insert(id) || system() == UNKNOWN_SYSTEM {
        return;
    }
    drop(swept);
    let (Ok(made), Ok(names)) = (made(), os::names(folder)) else { return };
    let with_trees = is_only_ours(folder, made.owner);
    for name in names.take(NAMES_MAX) {
        // A folder may be shared with other systems, but locks may only be visible to processes of this one.
        if system_of(name.as_encoded_bytes()) == Some(system().as_bytes()) {
            // Files that cannot be removed stay.
            let _ = remove_if_abandoned(folder, &name, &made, with_trees);
        }
    }
}

/// Whether nobody but `user` and root can rename what is in the folder. Elsewhere, somebody could give a folder of this user, which they
/// cannot remove, the name of an unfinished tree.
fn is_only_ours(folder: &Folder, user: u32) -> bool {
    const OTHERS_WRITE: u32 = 0o022;
    const STICKY: u32 = 0o1000;
    os::stat_opened(Opened::Folder(folder)).is_ok_and(|stat| {
        (stat.owner == user || stat.owner == 0) && (stat.mode & OTHERS_WRITE == 0 || stat.special & STICKY != 0)
    })
}

/// Removes a file or tree that no process has locked: its creator is gone.
fn remove_if_abandoned(folder: &Folder, name: &OsStr, made: &Stat, with_trees: bool) -> io::Result<()> {
    let found = os::stat_in(folder, name)?;
    let is_ours = |stat: &Stat| stat.kind == found.kind && stat.owner == made.owner;
    if !is_ours(&found) {
        return Ok(());
    }
    if found.kind == FileKind::Folder {
        if !with_trees {
            return Ok(());
        }
        let tree = os::open_below(folder, name.as_encoded_bytes())?;
        if !os::lock_folder(&tree)? {
            return Ok(());
        }
        let (opened, named) = (os::stat_opened(Opened::Folder(&tree))?, os::stat_in(folder, name)?);
        return if is_ours(&opened) && opened.id == named.id {
            remove_tree(folder, name.as_encoded_bytes(), opened.id)
        } else {
            Ok(())
        };
    }
    if found.kind != FileKind::Regular {
        return Ok(());
    }
    let file = os::open_to_lock(folder, name)?;
    if !os::lock(&file)? {
        return Ok(());
    }
    let (opened, named) = (os::stat(&file)?, os::stat_in(folder, name)?);
    if is_ours(&opened) && opened.id == named.id {
        os::remove(folder, name)?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "temporary_tests.rs"]
pub(super) mod tests;
