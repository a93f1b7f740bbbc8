//! Names that stand in a folder for a while: a random one of a file on its way, and the final one, reserved by an empty
//! file. What is left of them when an operation fails or panics, or when a signal ends the process, is removed; what a
//! process that was killed has left, the next process that makes one in that folder removes.

use super::input::FileId;
use crate::error::Result;
use crate::random;
use rustix::fs::{AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, Stat};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
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

/// A name that is removed on drop, unless it has become the final one.
pub(super) struct Temporary(Arc<Entry>);

pub(super) struct Entry {
    folder: Arc<OwnedFd>,
    name: OsString,
    /// The empty file that reserves a final name.
    reserves: Option<FileId>,
}

impl Entry {
    /// A reserved name may be somebody else's by now.
    fn remove(&self) {
        if self.reserves.is_none() || self.is_reserved() {
            // What cannot be removed now could not be removed later either.
            let _ = rustix::fs::unlinkat(&self.folder, &self.name, AtFlags::empty());
        }
    }

    fn is_reserved(&self) -> bool {
        let stat = rustix::fs::statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW);
        stat.is_ok_and(|stat| Some(FileId::from(&stat)) == self.reserves && stat.st_size == 0)
    }
}

/// One is enough, unless another process is sweeping.
const CREATE_TRIES: usize = 100;

impl Temporary {
    /// A new file under a random name, with the rights that the umask leaves of `mode`.
    pub(super) fn create(folder: &Arc<OwnedFd>, mode: Mode) -> Result<Result<(OwnedFd, Self), Errno>> {
        for _ in 0..CREATE_TRIES {
            let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::CLOEXEC;
            // Another process may remove the file for being nobody's before it is locked.
            match Self::make(folder, |name| rustix::fs::openat(folder, name, flags, mode))? {
                Ok((file, temporary)) if !temporary.lock(&file) => {}
                Ok((file, temporary)) => {
                    sweep(folder, &file);
                    return Ok(Ok((file, temporary)));
                }
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Err(Errno::WOULDBLOCK))
    }

    /// A random name for an open file, which `link` gives it.
    pub(super) fn link(
        folder: &Arc<OwnedFd>,
        file: impl AsFd + Copy,
        link: impl FnOnce(&OsStr) -> Result<(), Errno>,
    ) -> Result<Result<Self, Errno>> {
        // Before it has a name; where there are no locks nobody removes it.
        let _ = rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive);
        let made = Self::make(folder, link)?;
        if made.is_ok() {
            sweep(folder, file);
        }
        Ok(made.map(|((), temporary)| temporary))
    }

    /// No signal comes between the file and its registration.
    fn make<T>(
        folder: &Arc<OwnedFd>,
        make: impl FnOnce(&OsStr) -> Result<T, Errno>,
    ) -> Result<Result<(T, Self), Errno>> {
        let name = new_name()?;
        let mut all = all();
        Ok(make(&name).map(|made| {
            let entry = Arc::new(Entry { folder: Arc::clone(folder), name, reserves: None });
            all.push(Arc::clone(&entry));
            (made, Self(entry))
        }))
    }

    /// An empty file under a final name that nothing has.
    fn reserve(folder: &Arc<OwnedFd>, name: &OsStr) -> Result<Self, Errno> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::WRONLY | OFlags::CLOEXEC;
        let mut all = all();
        let file = rustix::fs::openat(folder, name, flags, Mode::from_raw_mode(0o600))?;
        let stat = rustix::fs::fstat(&file).inspect_err(|_| {
            let _ = rustix::fs::unlinkat(folder, name, AtFlags::empty());
        })?;
        let reserves = Some(FileId::from(&stat));
        let entry = Arc::new(Entry { folder: Arc::clone(folder), name: name.to_owned(), reserves });
        all.push(Arc::clone(&entry));
        Ok(Self(entry))
    }

    /// Locks the file for as long as it is open, so that others see that its maker is there. `false` when one of them was
    /// faster, and removes it.
    fn lock(&self, file: &OwnedFd) -> bool {
        let locked = rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive);
        let stat = || rustix::fs::statat(&self.0.folder, &self.0.name, AtFlags::SYMLINK_NOFOLLOW);
        locked != Err(Errno::WOULDBLOCK) && !matches!(stat(), Err(Errno::NOENT))
    }

    /// Gives the file its final name, whatever has it.
    pub(super) fn rename(self, to: &OsStr) -> Result<(), Errno> {
        rustix::fs::renameat(&self.0.folder, &self.0.name, &self.0.folder, to)?;
        self.forget();
        Ok(())
    }

    /// Gives the file its final name, if nothing has it.
    pub(super) fn rename_new(self, to: &OsStr) -> Result<(), Errno> {
        let Entry { folder, name, .. } = &*self.0;
        match rustix::fs::linkat(folder, name, folder, to, AtFlags::empty()) {
            // The random name goes with `self`.
            Ok(()) => return Ok(()),
            Err(error) if !is_missing_call(error) => return Err(error),
            Err(_) => {}
        }
        #[cfg(target_os = "linux")]
        match rustix::fs::renameat_with(folder, name, folder, to, rustix::fs::RenameFlags::NOREPLACE) {
            Ok(()) => {
                self.forget();
                return Ok(());
            }
            Err(error) if !is_missing_call(error) => return Err(error),
            Err(_) => {}
        }
        // FUSE and network file systems may have neither. What stands under the name from here on is empty, for the time
        // of two calls.
        let reserved = Self::reserve(folder, to)?;
        if !reserved.0.is_reserved() {
            return Err(Errno::EXIST);
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

/// What file systems, and filters of system calls, say of a call that they do not have: `link(2)` or the flags of
/// `renameat2(2)`.
fn is_missing_call(error: Errno) -> bool {
    matches!(error, Errno::PERM | Errno::ACCESS | Errno::NOTSUP | Errno::NOSYS | Errno::MLINK | Errno::INVAL)
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
        let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
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
fn sweep(folder: &OwnedFd, made: impl AsFd) {
    let Ok(id) = rustix::fs::fstat(folder).map(|stat| FileId::from(&stat)) else { return };
    let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if swept.len() >= FOLDERS_MAX {
        swept.clear();
    }
    if !swept.insert(id) || system() == UNKNOWN_SYSTEM {
        return;
    }
    drop(swept);
    let (Ok(made), Ok(entries)) = (rustix::fs::fstat(made), Dir::read_from(folder)) else { return };
    for entry in entries.flatten().take(NAMES_MAX) {
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        // A folder may be shared with other systems, and a lock may tell of this one's processes only.
        if system_of(name.as_bytes()) == Some(system().as_bytes()) {
            // What cannot be removed stays.
            let _ = remove_if_left(folder, name, &made);
        }
    }
}

/// Removes a file whose maker is gone: nobody holds its lock.
fn remove_if_left(folder: &OwnedFd, name: &OsStr, made: &Stat) -> Result<(), Errno> {
    let is_ours = |stat: &Stat| FileType::from_raw_mode(stat.st_mode).is_file() && stat.st_uid == made.st_uid;
    let stat = || rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
    if !is_ours(&stat()?) {
        return Ok(());
    }
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = rustix::fs::openat(folder, name, flags, Mode::empty())?;
    rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive)?;
    let (opened, named) = (rustix::fs::fstat(&file)?, stat()?);
    if is_ours(&opened) && FileId::from(&opened) == FileId::from(&named) {
        rustix::fs::unlinkat(folder, name, AtFlags::empty())?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "temporary_tests.rs"]
pub(super) mod tests;
