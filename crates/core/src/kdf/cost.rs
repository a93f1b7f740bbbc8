//! Keys from passwords, and their costs: Argon2 (RFC 9106), PBKDF2 (RFC 8018) and scrypt (RFC 7914).

use super::check_not_empty;
use crate::argon2;
pub use crate::argon2::Variant;
use crate::error::{Error, Lengths, Result};
use crate::hash::Algorithm;
use crate::mac::{self, Hmac};
use crate::provider::{self, mac::hash};
use zeroize::Zeroizing;

/// The algorithm that derives a key from a password, and its cost, which each guess of the password pays.
///
/// ```
/// use sealstone::kdf::{Cost, Variant};
///
/// let usual = Cost::Argon2 { variant: Variant::Id, memory_kib: 64 * 1024, passes: 3, lanes: 1 };
/// assert_eq!(Cost::default(), usual);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Cost {
    /// PBKDF2 over an HMAC. It needs almost no memory, so guessing in parallel is far cheaper than with the others.
    Pbkdf2 {
        /// The hash under the HMAC.
        hash: Algorithm,
        /// At least 1; 600,000 with SHA-256 is usual.
        iterations: u32,
    },
    /// scrypt, in 128 * `r` * (2^`log_n` + `p`) bytes of memory.
    Scrypt {
        /// The logarithm of N: from 1 to 63, and less than 16 * `r`.
        log_n: u8,
        /// The size of a block; 8 is usual.
        r: u32,
        /// The number of sequential repetitions; `r` * `p` is less than 2^30.
        p: u32,
    },
    /// Argon2 version 1.3.
    Argon2 {
        /// [`Variant::Id`], unless a protocol needs another.
        variant: Variant,
        /// Memory in KiB: at least 8 for each lane.
        memory_kib: u32,
        /// At least 1.
        passes: u32,
        /// From 1 to 2^24 - 1. Lanes are computed in parallel, on the threads of the machine.
        lanes: u32,
    },
}

impl Default for Cost {
    /// [`Cost::ARGON2ID`].
    fn default() -> Self {
        Self::ARGON2ID
    }
}

/// Limits for costs that someone else chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Bounds {
    /// The limits for keys in files:
    ///
    /// - PBKDF2: 10,000,000 iterations, counted for all blocks of the key
    /// - scrypt: 1 GiB (128 * `r` * N), 16 lanes, and an `r` of 8192
    /// - Argon2: 1 GiB, 16 passes and 16 lanes; salts of at least 8 bytes, as in its reference library
    /// - bcrypt: 2^16 rounds
    #[default]
    Usual,
    /// No limits but the algorithm's own: a derivation may take hours, or all memory. Salts of any length.
    None,
}

/// The inputs of a derivation. No field is longer than 2^32 - 1 bytes.
#[derive(Clone, Copy, Default)]
pub struct Input<'a> {
    /// The password as bytes. It is not normalized.
    pub password: &'a [u8],
    /// The salt, different for each password; 16 random bytes are usual.
    pub salt: &'a [u8],
    /// For Argon2 only: a key that is stored apart from salt and result, also called pepper.
    pub secret: &'a [u8],
    /// For Argon2 only: associated data.
    pub data: &'a [u8],
}

impl<'a> Input<'a> {
    /// Inputs without a secret and associated data.
    #[must_use]
    pub fn new(password: &'a [u8], salt: &'a [u8]) -> Self {
        Self { password, salt, ..Self::default() }
    }

    pub(super) fn of_argon2(&self) -> argon2::Input<'a> {
        let Self { password, salt, secret, data } = *self;
        argon2::Input { password, salt, secret, data }
    }
}

debug!(Input<'_>(..));

/// Derives a key into `out`.
///
/// ```
/// use sealstone::kdf::{self, Bounds, Cost, Input};
///
/// let mut key = [0; 32];
/// kdf::derive(&Cost::default(), &Input::new(b"correct horse", b"a random salt 16"), Bounds::Usual, &mut key)?;
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// [`Error::InvalidCost`] for a cost that the algorithm does not have, and [`Error::CostTooHigh`] for a cost beyond the bounds
/// or the memory of the machine, both before any work; [`Error::OtherLength`] for an empty `out`, with Argon2 for under 4
/// bytes, and for a salt below the bounds; [`Error::WrongLength`] for a secret or associated data with other algorithms than
/// Argon2; [`Error::TooLong`]; [`Error::UnknownAlgorithm`] for a hash without an HMAC; [`Error::UnavailableBackend`] when the
/// environment forces one. `out` is unchanged then.
///
/// # Security
/// Argon2d, the later part of Argon2id, and scrypt read memory at addresses that depend on the password, as specified: a
/// process that shares caches with this one may learn something about the password. Argon2i and PBKDF2 take constant time,
/// except for lengths.
pub fn derive(cost: &Cost, input: &Input<'_>, bounds: Bounds, out: &mut [u8]) -> Result<()> {
    check(cost, input, bounds, out.len())?;
    match *cost {
        Cost::Argon2 { variant, memory_kib, passes, lanes } => {
            argon2::derive(variant, input.of_argon2(), argon2::Cost { memory_kib, passes, lanes }, out)?;
        }
        Cost::Pbkdf2 { hash, iterations } => pbkdf2(&*mac::hmac(hash, input.password)?, input.salt, iterations, out),
        Cost::Scrypt { log_n, r, p } => {
            scrypt_there(input.password, input.salt, ScryptCost { log_n, r, p }, out)?;
        }
    }
    Ok(())
}

/// Returns the error that [`derive()`] would return for a key of `len` bytes, without any work.
///
/// ```
/// use sealstone::hash::Algorithm;
/// use sealstone::kdf::{self, Bounds, Cost, Input};
///
/// let cost = Cost::Pbkdf2 { hash: Algorithm::Sha256, iterations: 6_000_000 };
/// let input = Input::new(b"correct horse", b"a random salt 16");
/// kdf::check(&cost, &input, Bounds::Usual, 32)?;
/// assert_eq!(kdf::check(&cost, &input, Bounds::Usual, 33).unwrap_err().code(), "cost_too_high");
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// The errors of [`derive()`], except for the memory of the machine, hashes without an HMAC, and backends.
pub fn check(cost: &Cost, input: &Input<'_>, bounds: Bounds, len: usize) -> Result<()> {
    cost.check_len(bounds, len)?;
    check_not_empty(len)?;
    let lengths = [input.password, input.salt, input.secret, input.data].map(<[u8]>::len);
    if lengths.into_iter().chain([len]).any(|len| u32::try_from(len).is_err()) {
        return Err(Error::TooLong);
    }
    if let Cost::Argon2 { .. } = cost {
        let salt_min_len = if bounds == Bounds::Usual { ARGON2_SALT_MIN_LEN } else { 0 };
        Lengths::at_least(salt_min_len).check("the salt", input.salt.len())?;
        return Lengths::at_least(4).check("the output", len);
    }
    for (what, bytes) in [("the secret of Argon2", input.secret), ("the associated data of Argon2", input.data)] {
        Lengths::exactly(0).check(what, bytes.len())?;
    }
    Ok(())
}

/// Bytes of the shortest salt that Argon2's reference library accepts.
const ARGON2_SALT_MIN_LEN: usize = 8;

impl Cost {
    /// Argon2id with 64 MiB, 3 passes and one lane: the second choice of RFC 9106 with fewer lanes, and the cost of a file's
    /// passphrase.
    pub const ARGON2ID: Self = Self::Argon2 { variant: Variant::Id, memory_kib: 64 * 1024, passes: 3, lanes: 1 };
    /// scrypt with 128 MiB, as OWASP recommends.
    pub const SCRYPT: Self = Self::Scrypt { log_n: 17, r: 8, p: 1 };

    /// Checks the cost against the algorithm and the bounds, without any work.
    ///
    /// ```
    /// use sealstone::kdf::{Bounds, Cost};
    ///
    /// let cost = Cost::Scrypt { log_n: 30, r: 8, p: 1 };
    /// assert_eq!(cost.check(Bounds::Usual).unwrap_err().code(), "cost_too_high");
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidCost`]; [`Error::CostTooHigh`].
    pub fn check(&self, bounds: Bounds) -> Result<()> {
        let is_usual = match *self {
            Self::Pbkdf2 { iterations: 0, .. } => return Err(Error::InvalidCost("PBKDF2 needs at least 1 iteration")),
            Self::Pbkdf2 { iterations, .. } => iterations <= ITERATIONS_MAX,
            Self::Scrypt { log_n, r, p } => {
                let is_known = (1..64).contains(&log_n) && r > 0 && u32::from(log_n) < r.saturating_mul(16);
                if !is_known || !(1..1 << 30).contains(&(u64::from(r) * u64::from(p))) {
                    return Err(Error::InvalidCost(
                        "scrypt needs log N from 1 to 63 and below 16 * r, and r * p from 1 to 2^30 - 1",
                    ));
                }
                let cost = ScryptCost { log_n, r, p };
                if isize::try_from(cost.memory()).is_err() {
                    return Err(NO_MEMORY);
                }
                // PBKDF2 fills a block for each lane before the mixing, so r has a bound of its own.
                cost.block_len() << log_n <= SCRYPT_MEMORY_MAX.into()
                    && u64::from(p) <= SCRYPT_LANES_MAX
                    && r <= SCRYPT_R_MAX
            }
            Self::Argon2 { memory_kib, passes, lanes, .. } => {
                if passes == 0 || !(1..1 << 24).contains(&lanes) || memory_kib < 8 * lanes {
                    return Err(Error::InvalidCost(
                        "Argon2 needs at least 1 pass, 1 to 2^24 - 1 lanes, and 8 KiB for each lane",
                    ));
                }
                let most = ARGON2ID_MAX;
                memory_kib <= most.memory_kib && passes <= most.passes && lanes <= most.lanes
            }
        };
        if is_usual || bounds == Bounds::None {
            return Ok(());
        }
        Err(Error::CostTooHigh(match self {
            Self::Pbkdf2 { .. } => ITERATIONS_TOO_MANY,
            Self::Scrypt { .. } => "scrypt with over 1 GiB, 16 lanes or an r of 8192",
            Self::Argon2 { .. } => "Argon2 with over 1 GiB, 16 passes or 16 lanes",
        }))
    }

    /// As [`check`](Self::check), for a key of `len` bytes: PBKDF2 does its iterations for each block.
    pub(crate) fn check_len(&self, bounds: Bounds, len: usize) -> Result<()> {
        self.check(bounds)?;
        let Self::Pbkdf2 { hash, iterations } = *self else { return Ok(()) };
        let blocks = len.div_ceil(hash.digest_len()) as u64;
        let is_usual = blocks.saturating_mul(iterations.into()) <= ITERATIONS_MAX.into();
        if is_usual || bounds == Bounds::None { Ok(()) } else { Err(Error::CostTooHigh(ITERATIONS_TOO_MANY)) }
    }
}

const ITERATIONS_TOO_MANY: &str = "PBKDF2 with over 10,000,000 iterations for all blocks of the key";
pub(super) const NO_MEMORY: Error = Error::CostTooHigh("scrypt would take more memory than there is");

/// Whether the system can allocate `bytes`. If it cannot, scrypt's library would end the process.
fn can_allocate(bytes: u128) -> bool {
    usize::try_from(bytes).is_ok_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok())
}

/// The highest costs that readers accept (format section 4.10); for scrypt, as much work as Argon2id's.
pub(crate) const ARGON2ID_MAX: argon2::Cost = argon2::Cost { memory_kib: 1024 * 1024, passes: 16, lanes: 16 };
pub(crate) const ITERATIONS_MAX: u32 = 10_000_000;
pub(crate) const SCRYPT_MEMORY_MAX: u64 = 1 << 30;
pub(crate) const SCRYPT_LANES_MAX: u64 = 16;
/// A row of 1 MiB. 8 is usual, and 32 the highest recommendation.
pub(crate) const SCRYPT_R_MAX: u32 = 8192;

/// The work of deriving a key from a passphrase, relative to the most that is accepted for one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Work(
    /// In units of 1/[`Work::MAX`], so that iterations and bytes are both whole numbers.
    u64,
);

impl Work {
    /// Bytes that scrypt mixes at its bounds: each lane fills its memory once.
    const SCRYPT_MAX: u64 = SCRYPT_MEMORY_MAX * SCRYPT_LANES_MAX;
    /// Kibibytes that Argon2id mixes at its bounds.
    const ARGON2ID_MAX: u64 = ARGON2ID_MAX.memory_kib as u64 * ARGON2ID_MAX.passes as u64;
    const MAX: u64 = ITERATIONS_MAX as u64 * Self::SCRYPT_MAX;

    pub(crate) fn of_iterations(iterations: u32) -> Self {
        Self(u64::from(iterations) * Self::SCRYPT_MAX)
    }

    pub(crate) fn of_scrypt(cost: ScryptCost) -> Self {
        Self(((128 * u64::from(cost.r) * u64::from(cost.p)) << cost.log_n) * u64::from(ITERATIONS_MAX))
    }

    pub(crate) fn of_argon2id(cost: argon2::Cost) -> Self {
        Self(u64::from(cost.memory_kib) * u64::from(cost.passes) * (Self::MAX / Self::ARGON2ID_MAX))
    }

    /// `rounds` of bcrypt's PBKDF; `most` are accepted for one key.
    pub(crate) fn of_bcrypt(rounds: u32, most: u32) -> Self {
        Self(u64::from(rounds) * (Self::MAX / u64::from(most)))
    }

    /// Adds the work of a file's next key, before it is derived: all keys of a file together may take only as much work as one.
    ///
    /// # Errors
    /// [`Error::CostTooHigh`].
    pub(crate) fn add(&mut self, next: Self) -> Result<()> {
        const TOO_MUCH: Error = Error::CostTooHigh(
            "its encrypted keys together take over 10,000,000 iterations, or as much work of scrypt",
        );
        self.0 = self.0.checked_add(next.0).filter(|sum| *sum <= Self::MAX).ok_or(TOO_MUCH)?;
        Ok(())
    }
}

/// An HMAC under PBKDF2 in PKCS#8 (RFC 8018 appendix B.1). Code that names one variant links no other hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prf {
    HmacSha1,
    HmacSha224,
    HmacSha256,
    HmacSha384,
    HmacSha512,
    HmacSm3,
}

impl Prf {
    /// The HMAC with the password as its key.
    pub(crate) fn of(self, password: &[u8]) -> Box<dyn mac::HmacState> {
        match self {
            Self::HmacSha1 => Box::new(Hmac::<hash::Sha1>::new(password)),
            Self::HmacSha224 => Box::new(Hmac::<hash::Sha224>::new(password)),
            Self::HmacSha256 => Box::new(Hmac::<hash::Sha256>::new(password)),
            Self::HmacSha384 => Box::new(Hmac::<hash::Sha384>::new(password)),
            Self::HmacSha512 => Box::new(Hmac::<hash::Sha512>::new(password)),
            Self::HmacSm3 => Box::new(Hmac::<hash::Sm3>::new(password)),
        }
    }

    /// The number of the SHA, as in [`Derivation`](crate::Derivation); `None` if hosts do not have the function.
    pub(crate) fn sha(self) -> Option<u32> {
        match self {
            Self::HmacSha1 => Some(1),
            Self::HmacSha256 => Some(256),
            Self::HmacSha384 => Some(384),
            Self::HmacSha512 => Some(512),
            Self::HmacSha224 | Self::HmacSm3 => None,
        }
    }
}

/// PBKDF2 (RFC 8018 section 5.2) with at least one iteration.
pub(crate) fn pbkdf2(hmac: &dyn mac::HmacState, salt: &[u8], iterations: u32, out: &mut [u8]) {
    let mut blocks = Zeroizing::new([[0; 64]; 2]);
    let [last, sum] = blocks.each_mut().map(|block| &mut block[..hmac.len()]);
    for (i, piece) in (1..=u32::MAX).zip(out.chunks_mut(hmac.len())) {
        hmac.sign(&[salt, &i.to_be_bytes()], last);
        sum.copy_from_slice(last);
        hmac.iterate(last, sum, iterations - 1);
        piece.copy_from_slice(&sum[..piece.len()]);
    }
}

/// PBKDF2 step by step.
pub(crate) struct Iterations {
    hmac: Box<dyn mac::HmacState>,
    salt: Vec<u8>,
    /// Iterations of each block.
    count: u32,
    /// The last HMAC of the current block, and the sum of all its HMACs.
    blocks: Zeroizing<[[u8; 64]; 2]>,
    /// Remaining iterations of the current block.
    left: u32,
    key: Zeroizing<Vec<u8>>,
    /// Bytes of the key that are filled.
    filled: usize,
}

impl Iterations {
    /// Begins to derive a key of the length of `key`, which is not empty.
    pub(crate) fn begin(hmac: Box<dyn mac::HmacState>, salt: &[u8], iterations: u32, key: Zeroizing<Vec<u8>>) -> Self {
        let (salt, blocks) = (salt.to_vec(), Zeroizing::new([[0; 64]; 2]));
        let mut begun = Self { hmac, salt, count: iterations, blocks, left: 0, key, filled: 0 };
        begun.begin_block();
        begun
    }

    /// Begins the next block.
    fn begin_block(&mut self) {
        let len = self.hmac.len();
        let number = u32::try_from(self.filled / len + 1).expect("kdf: the length was checked");
        self.hmac.sign(&[&self.salt, &number.to_be_bytes()], &mut self.blocks[0][..len]);
        self.blocks[1] = self.blocks[0];
        self.left = self.count - 1;
    }

    /// Does up to `iterations` more; returns whether all are done.
    pub(crate) fn step(&mut self, mut iterations: u32) -> bool {
        while self.filled < self.key.len() {
            let now = iterations.min(self.left);
            let [last, sum] = self.blocks.each_mut().map(|block| &mut block[..self.hmac.len()]);
            self.hmac.iterate(last, sum, now);
            iterations -= now;
            self.left -= now;
            if self.left > 0 {
                return false;
            }
            let rest = &mut self.key[self.filled..];
            let len = rest.len().min(sum.len());
            rest[..len].copy_from_slice(&sum[..len]);
            self.filled += len;
            if self.filled < self.key.len() {
                self.begin_block();
            }
        }
        true
    }

    /// Does the remaining iterations, and returns the key.
    pub(crate) fn finish(mut self) -> Zeroizing<Vec<u8>> {
        while !self.step(u32::MAX) {}
        self.key
    }
}

/// Costs of scrypt (RFC 7914 section 2); N is 2^`log_n`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ScryptCost {
    pub(crate) log_n: u8,
    pub(crate) r: u32,
    pub(crate) p: u32,
}

impl ScryptCost {
    /// Bytes of memory: N blocks to mix, and one for each lane.
    pub(crate) fn memory(self) -> u128 {
        ((1 << self.log_n) + u128::from(self.p)) * self.block_len()
    }

    fn block_len(self) -> u128 {
        128 * u128::from(self.r)
    }
}

/// As [`scrypt`], if there is enough memory.
///
/// # Errors
/// [`Error::CostTooHigh`].
pub(crate) fn scrypt_there(password: &[u8], salt: &[u8], cost: ScryptCost, out: &mut [u8]) -> Result<()> {
    // The library needs one more block to mix.
    if !can_allocate(cost.memory() + cost.block_len()) {
        return Err(NO_MEMORY);
    }
    scrypt(password, salt, cost, out);
    Ok(())
}

/// scrypt (RFC 7914).
///
/// # Panics
/// If the costs are outside scrypt's own bounds, which the caller checks.
pub(crate) fn scrypt(password: &[u8], salt: &[u8], cost: ScryptCost, out: &mut [u8]) {
    provider::scrypt(password, salt, cost.log_n, cost.r, cost.p, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use data_encoding::HEXLOWER;

    #[test]
    fn the_work_of_several_keys_is_as_much_as_one_may_take() {
        let half_of_scrypt = Work::of_scrypt(ScryptCost { log_n: 19, r: 8, p: 16 });
        let half_of_argon2id = Work::of_argon2id(argon2::Cost { passes: 8, ..ARGON2ID_MAX });
        for parts in [
            vec![Work::of_iterations(10_000_000)],
            vec![Work::of_iterations(9_999_999), Work::of_iterations(1)],
            vec![half_of_scrypt, half_of_scrypt],
            vec![half_of_argon2id, half_of_scrypt],
            vec![half_of_argon2id, Work::of_iterations(5_000_000)],
            vec![Work::of_argon2id(ARGON2ID_MAX)],
            vec![half_of_scrypt, Work::of_iterations(5_000_000)],
            vec![Work::of_iterations(600_000); 16],
            vec![Work::of_iterations(1_000_000); 10],
        ] {
            let mut work = Work::default();
            assert!(parts.iter().all(|part| work.add(*part).is_ok()), "{parts:?}");
        }
        // One iteration, or the least of scrypt, is too much then.
        for one in [
            Work::of_argon2id(argon2::Cost { memory_kib: 8, passes: 1, lanes: 1 }),
            Work::of_iterations(1),
            Work::of_scrypt(ScryptCost { log_n: 1, r: 1, p: 1 }),
        ] {
            let mut work = Work::default();
            work.add(half_of_scrypt).unwrap();
            work.add(Work::of_iterations(5_000_000)).unwrap();
            assert_eq!(work.add(one).unwrap_err().code(), "cost_too_high");
        }
        let mut work = Work::default();
        assert_eq!(work.add(Work(u64::MAX)).unwrap_err().code(), "cost_too_high");
    }

    /// The results of OpenSSL 3.0.19 for the inputs of RFC 6070's fifth example, and for a short one, with SM3:
    /// `openssl kdf -keylen 40 -kdfopt digest:SM3 -kdfopt pass:… -kdfopt salt:… -kdfopt iter:4096 -kdfopt pkcs5:1 PBKDF2`.
    #[test]
    fn pbkdf2_sm3_is_that_of_openssl() {
        for (password, salt, iterations, expected) in [
            ("password", "salt1234", 1000, "1f7f48a74828642b77cc9158ee387dba9c3b4f291dbe112483233855f29b46e7"),
            (
                "passwordPASSWORDpassword",
                "saltSALTsaltSALTsaltSALTsaltSALTsalt",
                4096,
                "3b6282ac8519f059e465abff0ea37b0dbfe6c672a76e6b805312d53900db630732ccc1a88fa5512a",
            ),
        ] {
            let mut key = vec![0; expected.len() / 2];
            pbkdf2(&*Prf::HmacSm3.of(password.as_bytes()), salt.as_bytes(), iterations, &mut key);
            assert_eq!(HEXLOWER.encode(&key), expected);
            // The same in steps.
            for step in [0, 1, 7, 999, 5000] {
                let hmac = || Prf::HmacSm3.of(password.as_bytes());
                let mut begun = Iterations::begin(hmac(), salt.as_bytes(), iterations, vec![0; 32].into());
                assert_eq!(begun.step(step), step >= iterations - 1);
                begun.step(step);
                assert_eq!(begun.finish()[..], key[..32]);
                let mut begun = Iterations::begin(hmac(), salt.as_bytes(), iterations, vec![0; key.len()].into());
                begun.step(step);
                assert_eq!(*begun.finish(), key);
            }
        }
    }

    #[test]
    fn costs_that_no_algorithm_has_are_refused_before_any_work() {
        let scrypt = |log_n, r, p| Cost::Scrypt { log_n, r, p };
        let argon2 = |memory_kib, passes, lanes| Cost::Argon2 { variant: Variant::Id, memory_kib, passes, lanes };
        let pbkdf2 = |iterations| Cost::Pbkdf2 { hash: Algorithm::Sha256, iterations };
        for (cost, usual, whatever) in [
            (pbkdf2(0), "invalid_cost", "invalid_cost"),
            (pbkdf2(10_000_001), "cost_too_high", ""),
            (pbkdf2(u32::MAX), "cost_too_high", ""),
            (scrypt(0, 8, 1), "invalid_cost", "invalid_cost"),
            (scrypt(16, 1, 1), "invalid_cost", "invalid_cost"),
            (scrypt(64, 8, 1), "invalid_cost", "invalid_cost"),
            (scrypt(10, 0, 1), "invalid_cost", "invalid_cost"),
            (scrypt(10, 8, 0), "invalid_cost", "invalid_cost"),
            (scrypt(10, 1 << 15, 1 << 15), "invalid_cost", "invalid_cost"),
            (scrypt(20, 8, 17), "cost_too_high", ""),
            (scrypt(20, 9, 1), "cost_too_high", ""),
            (scrypt(63, 8, 1), "cost_too_high", "cost_too_high"),
            // The lanes of these take 8 GiB and 256 MiB, and N blocks a gibibyte and less.
            (scrypt(1, 1 << 22, 16), "cost_too_high", ""),
            (scrypt(1, 1 << 17, 16), "cost_too_high", ""),
            (scrypt(1, 8193, 1), "cost_too_high", ""),
            (scrypt(62, 1, 1), "invalid_cost", "invalid_cost"),
            (scrypt(63, (1 << 30) - 1, 1), "cost_too_high", "cost_too_high"),
            (argon2(7, 1, 1), "invalid_cost", "invalid_cost"),
            (argon2(15, 1, 2), "invalid_cost", "invalid_cost"),
            (argon2(1024, 0, 1), "invalid_cost", "invalid_cost"),
            (argon2(1024, 1, 0), "invalid_cost", "invalid_cost"),
            (argon2(u32::MAX, 1, 1 << 24), "invalid_cost", "invalid_cost"),
            (argon2((1 << 20) + 1, 1, 1), "cost_too_high", ""),
            (argon2(1024, 17, 1), "cost_too_high", ""),
            (argon2(1024, 1, 17), "cost_too_high", ""),
        ] {
            let code = |bounds| cost.check(bounds).map_or_else(|error| error.code(), |()| "");
            assert_eq!((code(Bounds::Usual), code(Bounds::None)), (usual, whatever), "{cost:?}");
            let mut out = [0x55; 32];
            let error = derive(&cost, &Input::new(b"password", b"salt"), Bounds::Usual, &mut out).unwrap_err();
            assert_eq!((error.code(), out), (usual, [0x55; 32]), "{cost:?}");
        }
        for cost in [
            pbkdf2(1),
            pbkdf2(10_000_000),
            scrypt(1, 1, 1),
            scrypt(20, 8, 16),
            scrypt(1, 8192, 16),
            argon2(8, 1, 1),
            argon2(1 << 20, 16, 16),
        ] {
            cost.check(Bounds::Usual).unwrap();
        }
        // What is over the bounds is computed when it is asked for.
        let mut out = [0; 32];
        derive(&argon2(144, 1, 18), &Input::new(b"password", b"salt"), Bounds::None, &mut out).unwrap();
        assert_ne!(out, [0; 32]);
    }

    /// If the system had too little memory, the library would end the process.
    #[test]
    fn the_memory_of_the_lanes_counts() {
        let cost = |log_n, r, p| ScryptCost { log_n, r, p };
        assert_eq!(cost(20, 8, 1).memory(), (1 << 30) + 1024);
        assert_eq!(cost(1, 1 << 22, 16).memory(), 9 << 30);
        assert_eq!(cost(63, (1 << 30) - 1, 1).memory(), ((1_u128 << 63) + 1) * 128 * ((1 << 30) - 1));
        // Whatever the bounds let through, the library takes.
        for log_n in 0..=64 {
            for r in [0, 1, 4, 8, 8192, 1 << 22, 1 << 25, 1 << 26, (1 << 30) - 1, u32::MAX] {
                for p in [0, 1, 16, 17, 1 << 23, 1 << 27, (1 << 30) - 1, u32::MAX] {
                    if (Cost::Scrypt { log_n, r, p }).check(Bounds::None).is_ok() {
                        assert!(::scrypt::Params::new(log_n, r, p).is_ok(), "{log_n}, {r}, {p}");
                    }
                }
            }
        }
    }

    #[test]
    fn outputs_and_inputs_that_an_algorithm_does_not_have_are_refused() {
        let argon2 = Cost::Argon2 { variant: Variant::I, memory_kib: 8, passes: 1, lanes: 1 };
        let others = [Cost::Pbkdf2 { hash: Algorithm::Sm3, iterations: 1 }, Cost::Scrypt { log_n: 1, r: 1, p: 1 }];
        for len in 0..4 {
            let error = derive(&argon2, &Input::new(b"", b""), Bounds::None, &mut vec![0; len]).unwrap_err();
            assert_eq!(error.code(), "wrong_length");
        }
        for cost in others {
            let error = derive(&cost, &Input::new(b"", b""), Bounds::Usual, &mut []).unwrap_err();
            assert_eq!(error.code(), "wrong_length");
            for input in [Input { secret: b"x", ..Input::default() }, Input { data: b"x", ..Input::default() }] {
                let error = derive(&cost, &input, Bounds::Usual, &mut [0; 32]).unwrap_err();
                assert_eq!(error.code(), "wrong_length");
            }
        }
        // Passwords and salts of all lengths are taken, none at all too; of Argon2 below.
        for cost in others {
            for len in 0..=65 {
                derive(&cost, &Input::new(&vec![7; len], &vec![8; len]), Bounds::Usual, &mut [0; 64]).unwrap();
            }
        }
        assert_eq!(format!("{:?}", Input::new(b"secret", b"salt")), "Input(..)");
    }

    #[test]
    fn argon2_takes_a_salt_below_8_bytes_only_when_it_is_told_to() {
        for variant in [Variant::D, Variant::I, Variant::Id] {
            let cost = Cost::Argon2 { variant, memory_kib: 8, passes: 1, lanes: 1 };
            for len in 0..=65 {
                let (password, salt, mut out) = (vec![7; len], vec![8; len], [0x55; 32]);
                let input = Input::new(&password, &salt);
                if len < 8 {
                    let error = derive(&cost, &input, Bounds::Usual, &mut out).unwrap_err();
                    assert_eq!(error.to_string(), format!("the salt must be at least 8 bytes, got {len}"));
                    assert_eq!((error.code(), out), ("wrong_length", [0x55; 32]));
                } else {
                    derive(&cost, &input, Bounds::Usual, &mut out).unwrap();
                }
                derive(&cost, &input, Bounds::None, &mut out).unwrap();
                assert_ne!(out, [0x55; 32]);
            }
        }
    }

    #[test]
    fn the_iterations_of_all_blocks_count() {
        let pbkdf2 = |hash, iterations| Cost::Pbkdf2 { hash, iterations };
        for (cost, longest) in [
            (pbkdf2(Algorithm::Sha256, 10_000_000), 32),
            (pbkdf2(Algorithm::Sha256, 5_000_001), 32),
            (pbkdf2(Algorithm::Sha256, 5_000_000), 64),
            (pbkdf2(Algorithm::Sha1, 1_000_000), 200),
            (pbkdf2(Algorithm::Sha512, 600_000), 16 * 64),
            #[cfg(feature = "legacy")]
            (pbkdf2(Algorithm::Md5, 1), 160_000_000),
        ] {
            cost.check_len(Bounds::Usual, longest).unwrap();
            assert_eq!(cost.check_len(Bounds::Usual, longest + 1).unwrap_err().code(), "cost_too_high", "{cost:?}");
            cost.check_len(Bounds::None, longest + 1).unwrap();
        }
        let (input, mut out) = (Input::new(b"password", b"salt"), [0x55; 33]);
        let error = derive(&pbkdf2(Algorithm::Sha256, 5_000_001), &input, Bounds::Usual, &mut out).unwrap_err();
        assert_eq!((error.code(), out), ("cost_too_high", [0x55; 33]));
        for cost in [Cost::ARGON2ID, Cost::SCRYPT] {
            cost.check_len(Bounds::Usual, usize::MAX).unwrap();
        }
    }
}
