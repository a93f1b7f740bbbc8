//! Keys from passwords, step by step.

use super::cost::{self, Bounds, Cost, Input, Iterations, Prf, ScryptCost, Variant};
use super::scrypt;
use crate::argon2;
use crate::error::{Error, Result};
use crate::mac;
use zeroize::Zeroizing;

/// The derivation of a key from a password, step by step: for programs that must not block for all of the work, such as a page
/// in a browser.
///
/// ```
/// use sealstone::kdf::{Bounds, Cost, Deriving, Input};
///
/// let input = Input::new(b"correct horse", b"a random salt 16");
/// let mut deriving = Deriving::begin(&Cost::default(), &input, Bounds::Usual, 32)?;
/// while !deriving.step(10_000) {
///     // Here the program does something else.
/// }
/// assert_eq!(deriving.finish().len(), 32);
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Security
/// As [`derive()`](super::derive). Zeroed on drop.
pub struct Deriving(Box<dyn Steps>);

/// The rest of a derivation. As trait objects, so that a program with one function has no code for the others.
trait Steps: Send + Sync {
    /// As [`Deriving::step`].
    fn step(&mut self, amount: u32) -> bool;

    /// As [`Deriving::has_lanes`].
    fn has_lanes(&self) -> bool {
        false
    }

    /// As [`Deriving::finish`].
    fn finish(self: Box<Self>) -> Zeroizing<Vec<u8>>;
}

/// Argon2, and the memory for the key.
struct Argon2(argon2::Derivation, Zeroizing<Vec<u8>>);

impl Steps for Argon2 {
    fn step(&mut self, amount: u32) -> bool {
        self.0.step(amount.into())
    }

    fn has_lanes(&self) -> bool {
        self.0.lanes() > 1
    }

    fn finish(self: Box<Self>) -> Zeroizing<Vec<u8>> {
        let Self(derivation, mut key) = *self;
        derivation.finish(&mut key);
        key
    }
}

impl Steps for Iterations {
    fn step(&mut self, amount: u32) -> bool {
        Self::step(self, amount)
    }

    fn finish(self: Box<Self>) -> Zeroizing<Vec<u8>> {
        Self::finish(*self)
    }
}

impl Steps for scrypt::Derivation {
    fn step(&mut self, amount: u32) -> bool {
        Self::step(self, amount)
    }

    fn finish(self: Box<Self>) -> Zeroizing<Vec<u8>> {
        Self::finish(*self)
    }
}

/// A derived key: bcrypt has no steps.
struct Derived(Zeroizing<Vec<u8>>);

impl Steps for Derived {
    fn step(&mut self, _: u32) -> bool {
        true
    }

    fn finish(self: Box<Self>) -> Zeroizing<Vec<u8>> {
        self.0
    }
}

impl Deriving {
    /// Begins to derive a key of `len` bytes.
    ///
    /// # Errors
    /// As [`derive()`](super::derive); [`Error::TooLong`] also if there is no memory for the key.
    pub fn begin(cost: &Cost, input: &Input<'_>, bounds: Bounds, len: usize) -> Result<Self> {
        cost::check(cost, input, bounds, len)?;
        let mut key = Zeroizing::new(Vec::new());
        key.try_reserve_exact(len).map_err(|_| Error::TooLong)?;
        key.resize(len, 0);
        Ok(match *cost {
            Cost::Argon2 { variant, memory_kib, passes, lanes } => {
                let cost = argon2::Cost { memory_kib, passes, lanes };
                Self::of(Argon2(argon2::Derivation::begin(variant, input.of_argon2(), cost, len)?, key))
            }
            Cost::Pbkdf2 { hash, iterations } => {
                Self::of(Iterations::begin(mac::hmac(hash, input.password)?, input.salt, iterations, key))
            }
            Cost::Scrypt { log_n, r, p } => {
                Self::of(scrypt::Derivation::begin(input.password, input.salt, ScryptCost { log_n, r, p }, key)?)
            }
        })
    }

    fn of(steps: impl Steps + 'static) -> Self {
        Self(Box::new(steps))
    }

    /// Begins to derive a key with Argon2id, at a valid cost.
    pub(crate) fn argon2id(password: &[u8], salt: &[u8], cost: argon2::Cost, len: usize) -> Result<Self> {
        let input = argon2::Input { password, salt, ..argon2::Input::default() };
        let key = Zeroizing::new(vec![0; len]);
        Ok(Self::of(Argon2(argon2::Derivation::begin(Variant::Id, input, cost, len)?, key)))
    }

    /// Begins to derive a key with PBKDF2-HMAC-SM3, at a valid cost.
    pub(crate) fn pbkdf2_sm3(password: &[u8], salt: &[u8], iterations: u32, len: usize) -> Self {
        let hmac = Prf::HmacSm3.of(password);
        Self::of(Iterations::begin(hmac, salt, iterations, vec![0; len].into()))
    }

    /// Begins to derive a key with scrypt, at a valid cost.
    pub(crate) fn scrypt(password: &[u8], salt: &[u8], cost: ScryptCost, len: usize) -> Result<Self> {
        Ok(Self::of(scrypt::Derivation::begin(password, salt, cost, vec![0; len].into())?))
    }

    /// Holds a key that was derived elsewhere.
    pub(crate) fn done(key: Zeroizing<Vec<u8>>) -> Self {
        Self::of(Derived(key))
    }

    /// Does `amount` units of work, of a few microseconds each: blocks of Argon2, iterations of PBKDF2, or KiB of scrypt.
    /// Returns whether all is done.
    pub fn step(&mut self, amount: u32) -> bool {
        self.0.step(amount)
    }

    /// Whether [`finish`](Self::finish) computes on several threads, which steps do not: Argon2 with several lanes.
    #[must_use]
    pub fn has_lanes(&self) -> bool {
        self.0.has_lanes()
    }

    /// Does the remaining work, and returns the key.
    #[must_use]
    pub fn finish(self) -> Zeroizing<Vec<u8>> {
        self.0.finish()
    }
}

debug!(Deriving(..));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::Algorithm;
    use crate::kdf::{Variant, derive};

    #[test]
    fn a_key_in_steps_is_that_of_one_step() {
        let argon2 = |variant, lanes| Cost::Argon2 { variant, memory_kib: 8 * 4 * lanes, passes: 2, lanes };
        for (cost, len) in [
            (argon2(Variant::Id, 1), 32),
            (argon2(Variant::I, 3), 100),
            (argon2(Variant::D, 2), 4),
            (Cost::Pbkdf2 { hash: Algorithm::Sha256, iterations: 1 }, 100),
            (Cost::Pbkdf2 { hash: Algorithm::Sm3, iterations: 10 }, 64),
            (Cost::Pbkdf2 { hash: Algorithm::Sha3_512, iterations: 7 }, 1),
            (Cost::Scrypt { log_n: 4, r: 2, p: 2 }, 50),
            (Cost::Scrypt { log_n: 3, r: 8, p: 1 }, 32),
        ] {
            let input = Input::new(b"password", b"a salt of 16 b..");
            let mut expected = vec![0; len];
            derive(&cost, &input, Bounds::Usual, &mut expected).unwrap();
            for amount in [0, 1, 3, 1000] {
                let mut deriving = Deriving::begin(&cost, &input, Bounds::Usual, len).unwrap();
                assert_eq!(deriving.has_lanes(), matches!(cost, Cost::Argon2 { lanes: 2.., .. }), "{cost:?}");
                for _ in 0..5 {
                    deriving.step(amount);
                }
                assert_eq!(*deriving.finish(), expected, "{cost:?} in steps of {amount}");
            }
            let mut deriving = Deriving::begin(&cost, &input, Bounds::Usual, len).unwrap();
            while !deriving.step(1) {}
            assert!(deriving.step(1));
            assert_eq!(*deriving.finish(), expected, "{cost:?}");
        }
    }

    #[test]
    fn what_is_refused_at_once_is_refused_before_the_first_step() {
        let argon2 = Cost::Argon2 { variant: Variant::Id, memory_kib: 8, passes: 1, lanes: 1 };
        let pbkdf2 = |hash, iterations| Cost::Pbkdf2 { hash, iterations };
        let with_secret = Input { secret: b"x", ..Input::new(b"a", b"a salt of 16 b..") };
        for (cost, input, len) in [
            (argon2, Input::new(b"a", b"a salt of 16 b.."), 3),
            (pbkdf2(Algorithm::Sha256, 10_000_001), Input::default(), 32),
            (pbkdf2(Algorithm::Sha256, 0), Input::default(), 32),
            (pbkdf2(Algorithm::Sha256, 1), Input::default(), 0),
            (pbkdf2(Algorithm::Shake128, 1), Input::default(), 32),
            (pbkdf2(Algorithm::Sha256, 1), with_secret, 32),
            (Cost::Scrypt { log_n: 20, r: 8, p: 17 }, Input::default(), 32),
        ] {
            let expected = derive(&cost, &input, Bounds::Usual, &mut vec![0; len]).unwrap_err();
            assert_eq!(Deriving::begin(&cost, &input, Bounds::Usual, len).unwrap_err().code(), expected.code());
        }
    }
}
