//! Stored passwords for logins, and passphrases of files.
//!
//! ```
//! use sealstone::kdf::{Bounds, Cost};
//! use sealstone::password;
//!
//! let stored = password::hash(b"correct horse", &Cost::default())?;
//! assert!(stored.starts_with("$argon2id$v=19$m=65536,t=3,p=1$"));
//! password::verify(b"correct horse", &stored, Bounds::Usual)?;
//! assert_eq!(password::verify(b"battery staple", &stored, Bounds::Usual).unwrap_err().code(), "not_authentic");
//! // A hash that an older system stored is accepted too, and replaced at the next login.
//! let old = "$2b$04$cVWp4XaNU8a4v1uMRum2SO026BWLIoQMD/TXg5uZV.0P.uO8m3YEm";
//! assert!(password::needs_rehash(old, &Cost::default())?);
//! # Ok::<(), sealstone::Error>(())
//! ```
//!
//! # Security
//! A stored password is a hash, not a ciphertext: an attacker who has it can guess passwords, and each guess takes as much work
//! as its cost says. [`calibrate`] finds a cost for the machine that checks logins. A password is bytes, used unchanged; a
//! [`Passphrase`] of a file is normalized text.

mod phc;
mod steps;
mod stretch;

use crate::error::{Error, Result};
use crate::kdf::{self, Bounds, Cost};
use crate::{mac, provider};
use phc::{Scheme, Stored};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
pub use steps::{Hashing, Verifying};
pub use stretch::{Kdf, Stretch, Stretching};
use zeroize::Zeroizing;

/// Length of a new salt in bytes.
const SALT_LEN: usize = 16;
/// Length of a new hash in bytes.
const HASH_LEN: usize = 32;
/// Bytes of a password that bcrypt reads, including the terminating zero.
const BCRYPT_MAX_LEN: usize = 72;
/// Limit of `Bounds::Usual`: a few seconds of work.
const BCRYPT_MAX_LOG_ROUNDS: u8 = 16;

/// Hashes a password with a new salt. Returns the text to store, a PHC string.
///
/// ```
/// use sealstone::kdf::Cost;
///
/// let stored = sealstone::password::hash(b"correct horse", &Cost::Scrypt { log_n: 14, r: 8, p: 1 })?;
/// assert!(stored.starts_with("$scrypt$ln=14,r=8,p=1$"));
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// [`Error::InvalidPassphrase`] for an empty password; those of [`check`]; those of [`kdf::derive`] within the usual bounds, so
/// that [`verify`] accepts the result; [`Error::NoRandomness`].
pub fn hash(password: &[u8], cost: &Cost) -> Result<String> {
    Ok(Hashing::begin(password, cost)?.finish())
}

/// Checks that [`hash()`] accepts a cost, without hashing. The minimum is about a millisecond of work: far below every
/// recommendation so that tests are fast, and high enough to catch mistakes.
///
/// ```
/// use sealstone::{hash::Algorithm, kdf::Cost, password};
///
/// password::check(&Cost::default())?;
/// let cost = Cost::Pbkdf2 { hash: Algorithm::Sha256, iterations: 1 };
/// assert_eq!(password::check(&cost).unwrap_err().code(), "invalid_cost");
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// [`Error::InvalidCost`], also for less than 1,000 iterations of PBKDF2, for PBKDF2 over MD5, and for less than 1 MiB of scrypt, or of Argon2
/// in all its passes; [`Error::CostTooHigh`]; [`Error::UnknownAlgorithm`] for a hash without an HMAC.
pub fn check(cost: &Cost) -> Result<()> {
    /// RFC 8018 section 4.2.
    const ITERATIONS: u32 = 1000;
    const MIB_IN_KIB: u64 = 1024;
    cost.check(Bounds::Usual)?;
    check_hash(cost)?;
    let (is_enough, least) = match *cost {
        Cost::Pbkdf2 { hash, iterations } => (
            // By its name: a feature has the algorithm.
            iterations >= ITERATIONS && hash.name() != "md5",
            "a new hash needs PBKDF2 with at least 1,000 iterations, and not over MD5",
        ),
        Cost::Scrypt { log_n, r, p } => (
            (u64::from(r) * u64::from(p)) << log_n >= 8 * MIB_IN_KIB,
            "a new hash needs at least 1 MiB of memory with scrypt, such as log N 10 and r 8",
        ),
        Cost::Argon2 { memory_kib, passes, .. } => (
            u64::from(memory_kib) * u64::from(passes) >= MIB_IN_KIB,
            "a new hash needs at least 1 MiB of memory with Argon2, added up over all passes",
        ),
    };
    if is_enough { Ok(()) } else { Err(Error::InvalidCost(least)) }
}

/// Checks a password against a stored hash: a PHC string of Argon2, scrypt or PBKDF2, passlib's string of PBKDF2, or bcrypt's
/// string.
///
/// # Errors
/// [`Error::NotAuthentic`] for a wrong password. For the stored hash, before any work: [`Error::InvalidEncoding`],
/// [`Error::UnknownAlgorithm`], [`Error::InvalidCost`], and outside the bounds [`Error::CostTooHigh`] and
/// [`Error::OtherLength`]. With bcrypt, [`Error::InvalidPassphrase`] for a password with a zero byte, where other
/// implementations stop reading.
///
/// # Security
/// bcrypt reads only the first 72 bytes of a password: passwords that differ after them are the same to it.
pub fn verify(password: &[u8], stored: &str, bounds: Bounds) -> Result<()> {
    Verifying::begin(password, stored, bounds)?.finish()
}

/// Checks that HMAC supports the hash of PBKDF2.
fn check_hash(cost: &Cost) -> Result<()> {
    if let Cost::Pbkdf2 { hash, .. } = *cost {
        mac::hmac(hash, b"")?;
    }
    Ok(())
}

fn check_rounds(log_rounds: u8) -> Result<()> {
    if (4..=31).contains(&log_rounds) { Ok(()) } else { Err(Error::InvalidCost("bcrypt has a cost from 4 to 31")) }
}

fn bcrypt(password: &[u8], salt: &[u8], log_rounds: u8, bounds: Bounds) -> Result<Zeroizing<[u8; 24]>> {
    check_rounds(log_rounds)?;
    if bounds == Bounds::Usual && log_rounds > BCRYPT_MAX_LOG_ROUNDS {
        return Err(Error::CostTooHigh("bcrypt with over 2^16 rounds"));
    }
    if password.contains(&0) {
        return Err(Error::InvalidPassphrase("a bcrypt password must not have a zero byte"));
    }
    let mut terminated = Zeroizing::new([0; BCRYPT_MAX_LEN]);
    let len = password.len().min(BCRYPT_MAX_LEN);
    terminated[..len].copy_from_slice(&password[..len]);
    let salt = salt.try_into().expect("password: the salt of bcrypt has 16 bytes");
    Ok(provider::bcrypt(log_rounds, salt, &terminated[..BCRYPT_MAX_LEN.min(len + 1)]))
}

/// Whether a stored hash should be replaced at the next login, when the password is known: it has another algorithm, has a
/// lower cost in memory, iterations or passes, exceeds the usual bounds of [`verify`], or has a shorter salt or hash than
/// [`hash()`] makes. Always true for bcrypt.
///
/// ```
/// use sealstone::{kdf::Cost, password};
///
/// let stored = password::hash(b"correct horse", &Cost::default())?;
/// assert!(!password::needs_rehash(&stored, &Cost::default())?);
/// assert!(password::needs_rehash(&stored, &Cost::Scrypt { log_n: 17, r: 8, p: 1 })?);
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// Those of [`check`] for the cost; for the stored hash [`Error::InvalidEncoding`], [`Error::UnknownAlgorithm`] and
/// [`Error::InvalidCost`], as with [`verify`].
pub fn needs_rehash(stored: &str, cost: &Cost) -> Result<bool> {
    check(cost)?;
    let stored = Stored::parse(stored)?;
    let old = match stored.scheme {
        Scheme::Kdf(old) => old,
        Scheme::Bcrypt { log_rounds } => return check_rounds(log_rounds).map(|()| true),
    };
    match old.check_len(Bounds::Usual, stored.hash.len()) {
        Err(Error::CostTooHigh(_)) => return Ok(true),
        checked => checked?,
    }
    check_hash(&old)?;
    let costs_less = match (old, *cost) {
        (
            Cost::Argon2 { variant, memory_kib, passes, .. },
            Cost::Argon2 { variant: v, memory_kib: m, passes: t, .. },
        ) => variant != v || memory_kib < m || passes < t,
        (Cost::Scrypt { log_n, r, p }, Cost::Scrypt { log_n: new, r: new_r, p: new_p }) => {
            log_n < new || r < new_r || p < new_p
        }
        (Cost::Pbkdf2 { hash, iterations }, Cost::Pbkdf2 { hash: new_hash, iterations: new }) => {
            hash != new_hash || iterations < new
        }
        _ => true,
    };
    Ok(costs_less || stored.salt.len() < SALT_LEN || stored.hash.len() < HASH_LEN)
}

/// The result of [`calibrate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Calibrated {
    /// A cost that takes about the requested time.
    pub cost: Cost,
    /// The estimated time of one hash. It is longer than requested if the starting cost already takes longer, and less than
    /// half of it if the usual bounds are reached first: then use more memory.
    pub takes: Duration,
}

/// Finds a cost that takes about as long as `target`, starting at `from` and never below it: it raises the passes of Argon2,
/// the N of scrypt or the iterations of PBKDF2, within the usual bounds. `time` hashes once and returns how long that took; it
/// is called three times.
///
/// ```
/// use sealstone::{kdf::Cost, password};
/// use std::time::{Duration, Instant};
///
/// let from = Cost::Scrypt { log_n: 10, r: 8, p: 1 };
/// let found = password::calibrate(Duration::from_millis(20), from, |cost| {
///     let begun = Instant::now();
///     password::hash(b"any password", cost)?;
///     Ok(begun.elapsed())
/// })?;
/// assert!(matches!(found.cost, Cost::Scrypt { log_n: 10..=20, r: 8, p: 1 }));
/// if found.takes < Duration::from_millis(20) / 2 {
///     println!("the usual bounds end at {:?}", found.takes);
/// }
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// Those of [`Cost::check`] and of `time`.
pub fn calibrate(target: Duration, from: Cost, mut time: impl FnMut(&Cost) -> Result<Duration>) -> Result<Calibrated> {
    from.check(Bounds::Usual)?;
    let mut least = Duration::MAX;
    for _ in 0..3 {
        // Interference only makes a measurement longer, so the shortest counts.
        least = least.min(time(&from)?);
    }
    let times = target.as_nanos() / least.as_nanos().max(1);
    let raise = |number: u32, most: u32| {
        let more = u128::from(number) * target.as_nanos() / least.as_nanos().max(1);
        u32::try_from(more).unwrap_or(u32::MAX).min(most).max(number)
    };
    let times_as_long = |new: u32, old: u32| least.mul_f64(f64::from(new) / f64::from(old));
    Ok(match from {
        Cost::Pbkdf2 { hash, iterations: old } => {
            let iterations = raise(old, kdf::ITERATIONS_MAX);
            Calibrated { cost: Cost::Pbkdf2 { hash, iterations }, takes: times_as_long(iterations, old) }
        }
        Cost::Argon2 { variant, memory_kib, passes: old, lanes } => {
            let passes = raise(old, kdf::ARGON2ID_MAX.passes);
            let cost = Cost::Argon2 { variant, memory_kib, passes, lanes };
            Calibrated { cost, takes: times_as_long(passes, old) }
        }
        Cost::Scrypt { log_n, r, p } => {
            let more = (1..=64 - log_n.min(63)).take_while(|more| {
                let cost = Cost::Scrypt { log_n: log_n + more, r, p };
                1_u128 << more <= times && cost.check(Bounds::Usual).is_ok()
            });
            let more = more.last().unwrap_or(0);
            Calibrated { cost: Cost::Scrypt { log_n: log_n + more, r, p }, takes: least * (1 << more) }
        }
    })
}

/// Maximum length of a passphrase in bytes, as UTF-8 in NFC.
const PASSPHRASE_MAX_LEN: usize = 1024;

/// A passphrase: 1 to 1,024 bytes of UTF-8, held in Unicode normalization form C, so that the same characters typed
/// on two systems are the same passphrase (format section 4).
///
/// It is zeroed on drop and never printed. The same is true for the keys derived from it, of which the last few are cached for
/// encrypted private keys.
///
/// ```
/// use sealstone::Passphrase;
///
/// assert!(Passphrase::new("correct horse battery staple").is_ok());
/// assert_eq!(Passphrase::new("").unwrap_err().code(), "invalid_passphrase");
/// ```
#[derive(Clone)]
pub struct Passphrase {
    text: Zeroizing<String>,
    /// Keys given by [`know`](Self::know). Clones share them.
    known: Arc<Vec<(Derivation, Zeroizing<Vec<u8>>)>>,
    /// Roots of the last stanzas that were read, and of stanzas still to be written. Clones share them too.
    roots: Arc<Mutex<Vec<Root>>>,
    /// The keys last derived for encrypted private keys. Clones share them too.
    derived: Arc<Mutex<Vec<Derived>>>,
}

/// Maximum number of roots that a passphrase caches, and of keys for encrypted private keys.
const ROOTS_MAX: usize = 8;

/// The stanza type of a [`Root`] for a stanza of age. No stanza of Sealstone has this type.
pub(crate) const NO_STANZA: u16 = 0;

/// A key that decrypts an encrypted private key.
struct Derived {
    /// As encoded in the file.
    parameters: Vec<u8>,
    key: Zeroizing<Vec<u8>>,
}

/// The root of a passphrase stanza, derived in advance.
#[derive(Clone)]
pub(crate) struct Root {
    /// The type of the stanza or [`NO_STANZA`]; `head` is the part of the stanza before the wrap.
    pub(crate) stanza: u16,
    pub(crate) head: Vec<u8>,
    /// Whether it is for a stanza still to be written.
    pub(crate) is_new: bool,
    pub(crate) key: Zeroizing<[u8; 32]>,
}

impl Passphrase {
    /// Normalizes and checks a passphrase.
    ///
    /// # Errors
    /// [`Error::InvalidPassphrase`] when it is empty or over 1,024 bytes.
    pub fn new(text: &str) -> Result<Self> {
        if text.is_empty() {
            return Err(Error::InvalidPassphrase("it is empty"));
        }
        // Also checked before the normalization, to bound its work.
        if text.len() > 4 * PASSPHRASE_MAX_LEN {
            return Err(Error::InvalidPassphrase("it is longer than 1024 bytes"));
        }
        // Capacity for the longest expansion by NFC (3 times in UTF-8): a reallocation would leave a copy in memory.
        let mut normal = Zeroizing::new(String::with_capacity(3 * text.len()));
        #[cfg(not(sealstone_host_normalizes))]
        normal.extend(unicode_normalization::UnicodeNormalization::nfc(text));
        // JavaScript engines can normalize text, and the tables would be a third of the module (docs/design/wasm.md): the host
        // passes normalized text.
        #[cfg(sealstone_host_normalizes)]
        normal.push_str(text);
        if normal.len() > PASSPHRASE_MAX_LEN {
            return Err(Error::InvalidPassphrase("it is longer than 1024 bytes"));
        }
        Ok(Self { text: normal, known: Arc::default(), roots: Arc::default(), derived: Arc::default() })
    }

    /// Like [`new`](Self::new), from bytes that must be well-formed UTF-8.
    ///
    /// # Errors
    /// [`Error::InvalidPassphrase`] also when the bytes are not UTF-8.
    pub fn from_utf8(bytes: &[u8]) -> Result<Self> {
        Self::new(std::str::from_utf8(bytes).map_err(|_| Error::InvalidPassphrase("it is not UTF-8 text"))?)
    }

    /// Adds a key that was derived from this passphrase with PBKDF2, as [`derivations`](crate::derivations) requested, so that
    /// it is not computed again. A wrong key decrypts nothing.
    ///
    /// # Errors
    /// [`Error::WrongLength`].
    pub fn know(&mut self, derivation: Derivation, key: &[u8]) -> Result<()> {
        if key.len() != derivation.len {
            return Err(Error::WrongLength { what: "the derived key", expected: derivation.len, actual: key.len() });
        }
        Arc::make_mut(&mut self.known).push((derivation, Zeroizing::new(key.to_vec())));
        Ok(())
    }

    pub(crate) fn find_known(&self, derivation: &Derivation) -> Option<&[u8]> {
        self.known.iter().find(|(known, _)| known == derivation).map(|(_, key)| &key[..])
    }

    /// Returns the result of `derive` for an encrypted private key with these parameters. Recent results are cached, because
    /// callers try to read a file as one type of key after another.
    pub(crate) fn derive_once(
        &self,
        parameters: &[u8],
        derive: impl FnOnce(&[u8]) -> Zeroizing<Vec<u8>>,
    ) -> Zeroizing<Vec<u8>> {
        if let Some(known) = lock(&self.derived).iter().find(|known| known.parameters == parameters) {
            return known.key.clone();
        }
        let key = derive(self.as_bytes());
        let mut derived = lock(&self.derived);
        derived.truncate(ROOTS_MAX - 1);
        derived.insert(0, Derived { parameters: parameters.to_vec(), key: key.clone() });
        key
    }

    /// Number of cached keys for encrypted private keys.
    #[cfg(test)]
    pub(crate) fn derived_count(&self) -> usize {
        lock(&self.derived).len()
    }

    pub(crate) fn know_root(&self, root: Root) {
        let mut roots = self.roots();
        roots.truncate(ROOTS_MAX - 1);
        roots.insert(0, root);
    }

    pub(crate) fn root(&self, stanza: u16, head: &[u8]) -> Option<Zeroizing<[u8; 32]>> {
        let roots = self.roots();
        let root = roots.iter().find(|root| !root.is_new && root.stanza == stanza && root.head == head);
        root.map(|root| root.key.clone())
    }

    /// Removes and returns the root of a stanza still to be written: its salt must be used for one file only.
    pub(crate) fn take_new_root(&self, stanza: u16) -> Option<Root> {
        let mut roots = self.roots();
        let at = roots.iter().position(|root| root.is_new && root.stanza == stanza)?;
        Some(roots.remove(at))
    }

    pub(crate) fn has_new_root(&self, stanza: u16) -> bool {
        self.roots().iter().any(|root| root.is_new && root.stanza == stanza)
    }

    fn roots(&self) -> MutexGuard<'_, Vec<Root>> {
        lock(&self.roots)
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }
}

fn lock<T>(list: &Mutex<T>) -> MutexGuard<'_, T> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

debug!(Passphrase(..));

/// The parameters of a key that PBKDF2 derives from a passphrase (RFC 8018 section 5.2), with HMAC over SHA-1 or SHA-2.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derivation {
    /// The SHA function: 1, 256, 384 or 512.
    pub sha: u32,
    /// The salt.
    pub salt: Vec<u8>,
    /// The iterations of HMAC for each block of the key; at least 1.
    pub iterations: u32,
    /// Length of the key in bytes.
    pub len: usize,
}

#[cfg(test)]
#[path = "password_tests.rs"]
mod tests;

#[cfg(test)]
mod passphrase_tests {
    use super::*;

    #[test]
    fn decomposed_and_composed_text_are_one_passphrase() {
        let composed = Passphrase::new("caf\u{e9}").unwrap();
        let decomposed = Passphrase::new("cafe\u{301}").unwrap();
        assert_eq!(composed.as_bytes(), decomposed.as_bytes());
    }

    #[test]
    fn length_bounds_are_1_and_1024_bytes() {
        assert!(Passphrase::new(&"x".repeat(1024)).is_ok());
        assert!(Passphrase::new(&"x".repeat(1025)).is_err());
        assert!(Passphrase::from_utf8(&[0xff, 0xfe]).is_err());
    }

    #[test]
    fn the_length_that_counts_is_that_of_the_normal_form() {
        // U+212A has 3 bytes and becomes K; no normal form is shorter than a third of its source.
        assert_eq!(Passphrase::new(&"\u{212a}".repeat(1024)).unwrap().as_bytes(), "K".repeat(1024).as_bytes());
        assert!(Passphrase::new(&"\u{212a}".repeat(1025)).is_err());
        // U+1D160 has 4 bytes and becomes 12.
        assert!(Passphrase::new(&"\u{1d160}".repeat(85)).is_ok());
        assert!(Passphrase::new(&"\u{1d160}".repeat(86)).is_err());
        assert!(Passphrase::new(&"x".repeat(1 << 20)).is_err());
    }

    #[test]
    fn spaces_and_line_ends_are_part_of_it() {
        let passphrase = |text| Passphrase::new(text).unwrap().as_bytes().to_vec();
        assert_ne!(passphrase("pass"), passphrase("pass\n"));
        assert_ne!(passphrase("pass"), passphrase(" pass"));
        assert!(Passphrase::new(" ").is_ok());
    }
}
