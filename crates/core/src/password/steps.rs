//! Stored passwords, step by step.

use super::phc::{Scheme, Stored};
use super::{HASH_LEN, SALT_LEN, bcrypt, check};
use crate::error::{Error, Result};
use crate::kdf::{Bounds, Cost, Deriving, Input};
use crate::{mac, random};
use zeroize::Zeroizing;

/// Hashes a password in steps, as [`hash()`](super::hash) does at once, for programs that must not block for the whole work.
///
/// ```
/// use sealstone::kdf::{Bounds, Cost};
/// use sealstone::password::{Hashing, Verifying};
///
/// let mut hashing = Hashing::begin(b"correct horse", &Cost::default())?;
/// while !hashing.step(10_000) {
///     // Here the program does something else.
/// }
/// let stored = hashing.finish();
/// Verifying::begin(b"correct horse", &stored, Bounds::Usual)?.finish()?;
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug)]
pub struct Hashing {
    deriving: Deriving,
    cost: Cost,
    salt: Vec<u8>,
}

impl Hashing {
    /// Starts hashing with a new salt.
    ///
    /// # Errors
    /// Those of [`hash()`](super::hash).
    pub fn begin(password: &[u8], cost: &Cost) -> Result<Self> {
        if password.is_empty() {
            return Err(Error::InvalidPassphrase("it is empty"));
        }
        check(cost)?;
        let salt = random::array::<SALT_LEN>()?.to_vec();
        let deriving = Deriving::begin(cost, &Input::new(password, &salt), Bounds::Usual, HASH_LEN)?;
        Ok(Self { deriving, cost: *cost, salt })
    }

    /// See [`Deriving::has_lanes`].
    #[must_use]
    pub fn has_lanes(&self) -> bool {
        self.deriving.has_lanes()
    }

    /// See [`Deriving::step`].
    pub fn step(&mut self, amount: u32) -> bool {
        self.deriving.step(amount)
    }

    /// Completes the remaining work and returns the text to store.
    #[must_use]
    pub fn finish(self) -> String {
        let Self { deriving, cost, salt } = self;
        Stored { scheme: Scheme::Kdf(cost), salt, data: Vec::new(), hash: deriving.finish() }.to_text()
    }
}

/// Checks a password in steps, as [`verify()`](super::verify) does at once.
#[derive(Debug)]
pub struct Verifying {
    deriving: Deriving,
    hash: Zeroizing<Vec<u8>>,
}

impl Verifying {
    /// Starts the check. bcrypt and scrypt cannot be split into steps: this does all of their work.
    ///
    /// # Errors
    /// Those of [`verify()`](super::verify) except [`Error::NotAuthentic`].
    pub fn begin(password: &[u8], stored: &str, bounds: Bounds) -> Result<Self> {
        let Stored { scheme, salt, data, hash } = Stored::parse(stored)?;
        let deriving = match scheme {
            Scheme::Kdf(cost) => {
                let input = Input { data: &data, ..Input::new(password, &salt) };
                Deriving::begin(&cost, &input, bounds, hash.len())?
            }
            Scheme::Bcrypt { log_rounds } => {
                let whole = bcrypt(password, &salt, log_rounds, bounds)?;
                // bcrypt does not store the last of the 24 bytes.
                Deriving::done(Zeroizing::new(whole[..hash.len()].to_vec()))
            }
        };
        Ok(Self { deriving, hash })
    }

    /// See [`Deriving::has_lanes`].
    #[must_use]
    pub fn has_lanes(&self) -> bool {
        self.deriving.has_lanes()
    }

    /// See [`Deriving::step`].
    pub fn step(&mut self, amount: u32) -> bool {
        self.deriving.step(amount)
    }

    /// Completes the remaining work and checks the password.
    ///
    /// # Errors
    /// [`Error::NotAuthentic`] for a wrong password.
    pub fn finish(self) -> Result<()> {
        if mac::equal(&self.deriving.finish(), &self.hash) { Ok(()) } else { Err(Error::NotAuthentic { chunk: None }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::Algorithm;
    use crate::kdf::Variant;

    #[test]
    fn what_is_hashed_in_steps_is_verified_in_steps_and_at_once() {
        for cost in [
            Cost::Argon2 { variant: Variant::Id, memory_kib: 512, passes: 2, lanes: 2 },
            Cost::Scrypt { log_n: 9, r: 8, p: 2 },
            Cost::Pbkdf2 { hash: Algorithm::Sm3, iterations: 1000 },
        ] {
            let mut hashing = Hashing::begin(b"password", &cost).unwrap();
            while !hashing.step(77) {}
            let stored = hashing.finish();
            super::super::verify(b"password", &stored, Bounds::Usual).unwrap();
            for (password, code) in [("password", ""), ("passwort", "not_authentic")] {
                let mut verifying = Verifying::begin(password.as_bytes(), &stored, Bounds::Usual).unwrap();
                while !verifying.step(77) {}
                assert_eq!(verifying.finish().map_or_else(|error| error.code(), |()| ""), code, "{stored}");
            }
        }
    }
}
