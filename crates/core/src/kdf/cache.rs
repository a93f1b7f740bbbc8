//! A cache of derived keys.

use super::{Bounds, Cost, Input, check, derive};
use crate::error::Result;
use crate::provider::mac::Blake3;
use crate::random;
use std::time::Duration;
use zeroize::Zeroizing;

/// A cache of keys that were derived from passwords: deriving again from the same password, salt and cost takes no time.
///
/// The cache keeps the most recently used keys, each for a limited time after its derivation. It identifies requests only by a
/// hash under a random key of its own. Keys are zeroed when they are evicted, when they expire, and when the cache is dropped.
///
/// ```
/// use sealstone::kdf::{Bounds, Cost, Input, KeyCache};
/// use std::time::Instant;
///
/// let begun = Instant::now();
/// let mut cache = KeyCache::new(KeyCache::ENTRIES, KeyCache::LIFETIME)?;
/// let input = Input::new(b"correct horse", b"a random salt 16");
/// let key = cache.derive(begun.elapsed(), &Cost::default(), &input, Bounds::Usual, 32)?;
/// assert_eq!(cache.derive(begun.elapsed(), &Cost::default(), &input, Bounds::Usual, 32)?, key);
/// assert_eq!(cache.len(), 1);
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Security
/// The cache holds keys that are not in use: an attacker who can read this memory gets them without paying the cost of a guess.
/// The time of an answer tells whether a key was cached.
pub struct KeyCache {
    /// BLAKE3 under a random key.
    ids: Blake3,
    entries: usize,
    lifetime: Duration,
    /// The kept keys, the most recently used last.
    kept: Vec<Entry>,
}

struct Entry {
    id: [u8; 32],
    derived: Duration,
    key: Zeroizing<Vec<u8>>,
}

debug!(KeyCache { entries, lifetime });

impl KeyCache {
    /// The usual number of keys in a cache.
    pub const ENTRIES: usize = 100;
    /// The usual lifetime of a key.
    pub const LIFETIME: Duration = Duration::from_secs(300);

    /// An empty cache for up to `entries` keys, each for `lifetime` after its derivation.
    ///
    /// # Errors
    /// [`Error::NoRandomness`](crate::Error::NoRandomness).
    pub fn new(entries: usize, lifetime: Duration) -> Result<Self> {
        let key = Zeroizing::new(random::array()?);
        Ok(Self { ids: Blake3::keyed(&key), entries, lifetime, kept: Vec::new() })
    }

    /// Returns a key of `len` bytes from the cache, or derives it as [`derive`](super::derive). `now` is the time since a
    /// moment that must be the same for all calls. If `now` goes back, keys that were derived later are dropped.
    ///
    /// # Errors
    /// As [`derive`](super::derive). A cost beyond the bounds is refused even if the key is cached.
    pub fn derive(
        &mut self,
        now: Duration,
        cost: &Cost,
        input: &Input<'_>,
        bounds: Bounds,
        len: usize,
    ) -> Result<Zeroizing<Vec<u8>>> {
        if let Some(key) = self.find(now, cost, input, bounds, len)? {
            return Ok(key);
        }
        let mut key = Zeroizing::new(vec![0; len]);
        derive(cost, input, bounds, &mut key)?;
        self.keep(now, cost, input, &key);
        Ok(key)
    }

    /// Returns a cached key, and marks it as the most recently used. Use it with [`keep`](Self::keep) to derive outside of a
    /// lock on the cache.
    ///
    /// # Errors
    /// As [`check`](super::check).
    pub fn find(
        &mut self,
        now: Duration,
        cost: &Cost,
        input: &Input<'_>,
        bounds: Bounds,
        len: usize,
    ) -> Result<Option<Zeroizing<Vec<u8>>>> {
        check(cost, input, bounds, len)?;
        self.kept.retain(|entry| now.checked_sub(entry.derived).is_some_and(|age| age < self.lifetime));
        let id = self.id(cost, input, len);
        let Some(at) = self.kept.iter().position(|entry| entry.id == id) else { return Ok(None) };
        let entry = self.kept.remove(at);
        let key = entry.key.clone();
        self.kept.push(entry);
        Ok(Some(key))
    }

    /// Adds a derived key of `key.len()` bytes to the cache.
    pub fn keep(&mut self, now: Duration, cost: &Cost, input: &Input<'_>, key: &[u8]) {
        let id = self.id(cost, input, key.len());
        // Two threads may have derived the same key at once.
        self.kept.retain(|entry| entry.id != id);
        self.kept.push(Entry { id, derived: now, key: Zeroizing::new(key.to_vec()) });
        if self.kept.len() > self.entries {
            self.kept.remove(0);
        }
    }

    /// Removes all keys.
    pub fn clear(&mut self) {
        self.kept.clear();
    }

    /// The number of keys. Expired keys count until the next derivation.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether the cache is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The identifier of a request. Each part has its length before it, so that no two requests have the same input to the
    /// hash.
    fn id(&self, cost: &Cost, input: &Input<'_>, len: usize) -> [u8; 32] {
        let mut id = self.ids.clone();
        let (cost, len) = (format!("{cost:?}"), len.to_le_bytes());
        for part in [cost.as_bytes(), &len, input.password, input.salt, input.secret, input.data] {
            id.update(&(part.len() as u64).to_le_bytes());
            id.update(part);
        }
        let mut digest = [0; 32];
        id.finish(&mut digest);
        digest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::Algorithm;

    const COST: Cost = Cost::Pbkdf2 { hash: Algorithm::Sha256, iterations: 1 };

    /// Replaces each cached key by a wrong one, so that a test sees whether a key was derived again.
    fn spoil(cache: &mut KeyCache) {
        cache.kept.iter_mut().for_each(|entry| entry.key.fill(0xee));
    }

    fn ask(cache: &mut KeyCache, seconds: u64, password: &[u8]) -> bool {
        let input = Input::new(password, b"salt");
        let key = cache.derive(Duration::from_secs(seconds), &COST, &input, Bounds::Usual, 32).unwrap();
        let mut expected = [0; 32];
        derive(&COST, &input, Bounds::Usual, &mut expected).unwrap();
        let was_there = key[..] == [0xee; 32];
        assert!(was_there || key[..] == expected);
        spoil(cache);
        was_there
    }

    #[test]
    fn a_key_is_there_until_it_is_too_old() {
        let mut cache = KeyCache::new(10, Duration::from_secs(5)).unwrap();
        assert!(!ask(&mut cache, 100, b"a"));
        assert!(ask(&mut cache, 100, b"a"));
        // Using a key does not extend its lifetime.
        assert!(ask(&mut cache, 104, b"a"));
        assert!(!ask(&mut cache, 105, b"a"));
        assert!(ask(&mut cache, 109, b"a"));
        // A clock that went back.
        assert!(!ask(&mut cache, 104, b"a"));
        cache.clear();
        assert!(cache.is_empty() && !ask(&mut cache, 104, b"a"));
    }

    #[test]
    fn the_key_that_was_used_the_longest_ago_goes_first() {
        let mut cache = KeyCache::new(2, Duration::from_secs(5)).unwrap();
        assert_eq!([b"a", b"b", b"a", b"c"].map(|password| ask(&mut cache, 1, password)), [false, false, true, false]);
        assert_eq!(cache.len(), 2);
        assert_eq!(
            [b"a", b"c", b"b", b"c", b"a"].map(|password| ask(&mut cache, 1, password)),
            [true, true, false, true, false]
        );
        let mut none = KeyCache::new(0, Duration::from_secs(5)).unwrap();
        assert_eq!([b"a", b"a"].map(|password| ask(&mut none, 1, password)), [false, false]);
        assert!(none.is_empty());
    }

    #[test]
    fn every_part_of_a_request_has_its_own_key() {
        let mut cache = KeyCache::new(100, Duration::from_secs(5)).unwrap();
        let argon2 = |passes| Cost::Argon2 { variant: super::super::Variant::Id, memory_kib: 8, passes, lanes: 1 };
        let input = |password, salt, secret, data| Input { password, salt, secret, data };
        let requests: [(Cost, Input<'_>, usize); 9] = [
            (argon2(1), input(b"ab", b"c", b"", b""), 32),
            (argon2(2), input(b"ab", b"c", b"", b""), 32),
            (argon2(1), input(b"a", b"bc", b"", b""), 32),
            (argon2(1), input(b"ab", b"", b"c", b""), 32),
            (argon2(1), input(b"ab", b"", b"", b"c"), 32),
            (argon2(1), input(b"ab", b"c", b"", b""), 31),
            (COST, input(b"ab", b"c", b"", b""), 32),
            (Cost::Pbkdf2 { hash: Algorithm::Sha512, iterations: 1 }, input(b"ab", b"c", b"", b""), 32),
            (Cost::Scrypt { log_n: 1, r: 1, p: 1 }, input(b"ab", b"c", b"", b""), 32),
        ];
        for (cost, input, len) in &requests {
            cache.derive(Duration::ZERO, cost, input, Bounds::None, *len).unwrap();
        }
        assert_eq!(cache.len(), requests.len());
        for (cost, input, len) in &requests {
            let mut expected = vec![0; *len];
            derive(cost, input, Bounds::None, &mut expected).unwrap();
            assert_eq!(cache.derive(Duration::ZERO, cost, input, Bounds::None, *len).unwrap()[..], expected);
        }
        assert_eq!(cache.len(), requests.len());
    }

    #[test]
    fn a_key_that_two_derived_at_once_is_kept_once() {
        let (mut cache, input) = (KeyCache::new(10, Duration::from_secs(5)).unwrap(), Input::new(b"a", b"b"));
        let mut find = |now| cache.find(Duration::from_secs(now), &COST, &input, Bounds::Usual, 4).unwrap();
        assert!(find(0).is_none());
        for now in [1, 2] {
            cache.keep(Duration::from_secs(now), &COST, &input, b"keys");
        }
        assert_eq!(cache.len(), 1);
        // Its lifetime begins with the last derivation.
        let mut find = |now| cache.find(Duration::from_secs(now), &COST, &input, Bounds::Usual, 4).unwrap();
        assert_eq!(find(6).unwrap()[..], *b"keys");
        assert!(find(7).is_none());
    }

    #[test]
    fn what_fails_is_not_kept() {
        let mut cache = KeyCache::new(10, Duration::from_secs(5)).unwrap();
        let cost = Cost::Pbkdf2 { hash: Algorithm::Sha256, iterations: 0 };
        for (cost, len, code) in
            [(cost, 32, "invalid_cost"), (COST, 0, "wrong_length"), (Cost::ARGON2ID, 32, "wrong_length")]
        {
            let error = cache.derive(Duration::ZERO, &cost, &Input::new(b"a", b"b"), Bounds::Usual, len).unwrap_err();
            assert_eq!(error.code(), code);
        }
        assert!(cache.is_empty());
        // A cached key is not returned for a request that `derive` would refuse.
        let many = Cost::Pbkdf2 { hash: Algorithm::Sha256, iterations: 5_000_001 };
        for (cost, len, code) in [(Cost::ARGON2ID, 32, "wrong_length"), (many, 33, "cost_too_high")] {
            cache.keep(Duration::ZERO, &cost, &Input::new(b"a", b"b"), &vec![7; len]);
            let mut find = |bounds| cache.find(Duration::ZERO, &cost, &Input::new(b"a", b"b"), bounds, len);
            assert!(find(Bounds::None).unwrap().is_some());
            assert_eq!(find(Bounds::Usual).unwrap_err().code(), code);
        }
        cache.clear();
        assert_eq!(format!("{cache:?}"), "KeyCache { entries: 10, lifetime: 5s, .. }");
    }
}
