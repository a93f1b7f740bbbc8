//! Names that stand in a folder for a while: a random one of a file on its way, and the final one, reserved by an empty
//! file. What is left of them when an operation fails or panics, or when a signal ends the process, is removed; what a
//! process that was killed has left, the next process that makes one in that folder removes.

use super::os::{self, FileId, FileKind, Folder, Stat};
use crate::error::Result;
use crate::random;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Those of this process, for [`remove_temporaries`].
static ALL: Mutex<Vec<Arc<Entry>>> = Mutex::new(Vec::new());

pub(super) fn all() -> MutexGuard<'static, Vec<Arc<Entry>>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes what unfinished operations of this process have left, for programs that end on a signal. Until the returned
/// guard is dropped no operation makes another, so a program that exits while holding it leaves none.
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

/// What is called before the first of them is made.
static PREPARE: OnceLock<fn()> = OnceLock::new();

/// Calls `prepare` before each file that this process makes under a name that [`remove_temporaries`] would remove. On most file
/// systems there are none, so a program need not wait for signals before. Whoever asks first is heard.
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

/// A name that is removed on drop, unless it has become the final one.
pub(super) struct Temporary(Arc<Entry>);

pub(super) struct Entry {
    folder: Folder,
    name: OsString,
    /// The empty file that reserves a final name.
    reserves: Option<FileId>,
}

impl Entry {
    /// A reserved name may be somebody else's by now.
    fn remove(&self) {
        if self.reserves.is_none() || self.is_reserved() {
            // What cannot be removed now could not be removed later either.
            let _ = os::remove(&self.folder, &self.name);
        }
    }

    fn is_reserved(&self) -> bool {
        let stat = os::stat_in(&self.folder, &self.name);
        stat.is_ok_and(|stat| Some(stat.id) == self.reserves && stat.len == 0)
    }
}

/// One is enough, unless another process is sweeping.
const CREATE_TRIES: usize = 100;

impl Temporary {
    /// A new file under a random name, with the rights that the umask leaves of `mode`.
    pub(super) fn create(folder: &Folder, mode: u32) -> Result<io::Result<(File, Self)>> {
        for _ in 0..CREATE_TRIES {
            // Another process may remove the file for being nobody's before it is locked.
            match Self::make(folder, |name| os::create(folder, name, mode))? {
                Ok((file, temporary)) if !temporary.lock(&file) => {}
                Ok((file, temporary)) => {
                    sweep(folder, &file);
                    return Ok(Ok((file, temporary)));
                }
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Err(ErrorKind::WouldBlock.into()))
    }

    /// A random name for an open file, which `link` gives it.
    pub(super) fn link(
        folder: &Folder,
        file: &File,
        link: impl FnOnce(&OsStr) -> io::Result<()>,
    ) -> Result<io::Result<Self>> {
        // Before it has a name; where there are no locks nobody removes it.
        let _ = os::lock(file);
        let made = Self::make(folder, link)?;
        if made.is_ok() {
            sweep(folder, file);
        }
        Ok(made.map(|((), temporary)| temporary))
    }

    /// No signal comes between the file and its registration.
    fn make<T>(folder: &Folder, make: impl FnOnce(&OsStr) -> io::Result<T>) -> Result<io::Result<(T, Self)>> {
        let name = new_name()?;
        if let Some(prepare) = PREPARE.get() {
            prepare();
        }
        let mut all = all();
        Ok(make(&name).map(|made| {
            let entry = Arc::new(Entry { folder: folder.clone(), name, reserves: None });
            all.push(Arc::clone(&entry));
            (made, Self(entry))
        }))
    }

    /// An empty file under a final name that nothing has.
    fn reserve(folder: &Folder, name: &OsStr) -> io::Result<Self> {
        let mut all = all();
        let file = os::create(folder, name, 0o600)?;
        let stat = os::stat(&file).inspect_err(|_| {
            let _ = os::remove(folder, name);
        })?;
        let entry = Arc::new(Entry { folder: folder.clone(), name: name.to_owned(), reserves: Some(stat.id) });
        all.push(Arc::clone(&entry));
        Ok(Self(entry))
    }

    /// Locks the file for as long as it is open, so that others see that its maker is there. `false` when one of them was
    /// faster, and removes it.
    fn lock(&self, file: &File) -> bool {
        let was_faster = matches!(os::lock(file), Ok(false));
        let named = os::stat_in(&self.0.folder, &self.0.name);
        !was_faster && named.err().is_none_or(|error| error.kind() != ErrorKind::NotFound)
    }

    /// Gives the file its final name, whatever has it.
    pub(super) fn rename(self, to: &OsStr) -> io::Result<()> {
        os::rename(&self.0.folder, &self.0.name, to)?;
        self.forget();
        Ok(())
    }

    /// Gives the file its final name, if nothing has it.
    pub(super) fn rename_new(self, to: &OsStr) -> io::Result<()> {
        let Entry { folder, name, .. } = &*self.0;
        if os::link(folder, name, to)? {
            // The random name goes with `self`.
            return Ok(());
        }
        if os::rename_new(folder, name, to)? {
            self.forget();
            return Ok(());
        }
        // FUSE and network file systems may have neither. What stands under the name from here on is empty, for the time
        // of two calls.
        let reserved = Self::reserve(folder, to)?;
        if !reserved.0.is_reserved() {
            return Err(ErrorKind::AlreadyExists.into());
        }
        self.rename(to)?;
        reserved.forget();
        Ok(())
    }

    /// The name is the final one now.
    fn forget(self) {
        all().retain(|entry| !Arc::ptr_eq(entry, &self.0));
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let mut all = all();
        // Once forgotten, or removed on a signal, the name is nobody's.
        if let Some(at) = all.iter().position(|entry| Arc::ptr_eq(entry, &self.0)) {
            all.swap_remove(at).remove();
        }
    }
}

const PREFIX: &str = ".sealstone-";
const SUFFIX: &str = ".tmp";
const RANDOM_DIGITS: usize = 16;

/// Of the running system and random: `.sealstone-0123abcd-0123456789abcdef.tmp`.
fn new_name() -> Result<OsString> {
    let random = u64::from_le_bytes(random::array()?);
    Ok(OsString::from(format!("{PREFIX}{}-{random:0RANDOM_DIGITS$x}{SUFFIX}", system())))
}

/// The system of a name that [`new_name`] has made.
fn system_of(name: &[u8]) -> Option<&[u8]> {
    let middle = name.strip_prefix(PREFIX.as_bytes())?.strip_suffix(SUFFIX.as_bytes())?;
    let (system, random) = middle.split_at_checked(UNKNOWN_SYSTEM.len())?;
    let random = random.strip_prefix(b"-").filter(|random| random.len() == RANDOM_DIGITS)?;
    let is_hex = |digits: &[u8]| digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
    (is_hex(system) && is_hex(random)).then_some(system)
}

const UNKNOWN_SYSTEM: &str = "00000000";

/// The system that is running, by the first digits of its boot id.
fn system() -> &'static str {
    static SYSTEM: OnceLock<String> = OnceLock::new();
    SYSTEM.get_or_init(|| {
        let id = os::boot_id().unwrap_or_default();
        let digits = id.get(..UNKNOWN_SYSTEM.len()).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        digits.unwrap_or(UNKNOWN_SYSTEM).to_ascii_lowercase()
    })
}

/// Most names that are looked at in a folder.
const NAMES_MAX: usize = 100_000;

/// Folders that this process has looked through.
static SWEPT: Mutex<BTreeSet<FileId>> = Mutex::new(BTreeSet::new());
/// Most of them that are remembered.
const FOLDERS_MAX: usize = 10_000;

/// Removes what killed processes have left in a folder, once a process for each folder. `made` is a file of this
/// process in it: only files of the same owner are taken.
fn sweep(folder: &Folder, made: &File) {
    let Ok(id) = os::folder_id(folder) else { return };
    let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if swept.len() >= FOLDERS_MAX {
        swept.clear();
    }
    if !swept.insert(id) || system() == UNKNOWN_SYSTEM {
        return;
    }
    drop(swept);
    let (Ok(made), Ok(names)) = (os::stat(made), os::names(folder)) else { return };
    for name in names.take(NAMES_MAX) {
        // A folder may be shared with other systems, and a lock may tell of this one's processes only.
        if system_of(name.as_encoded_bytes()) == Some(system().as_bytes()) {
            // What cannot be removed stays.
            let _ = remove_if_left(folder, &name, &made);
        }
    }
}

/// Removes a file whose maker is gone: nobody holds its lock.
fn remove_if_left(folder: &Folder, name: &OsStr, made: &Stat) -> io::Result<()> {
    let is_ours = |stat: &Stat| stat.kind == FileKind::Regular && stat.owner == made.owner;
    if !is_ours(&os::stat_in(folder, name)?) {
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
