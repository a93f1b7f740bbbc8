//! Keys and stored passwords that are derived step by step: where there are no threads, and where somebody may end the work.

use crate::job::{DERIVING_STEPS, Job};
use crate::kdf::Key;
use crate::lock::locked;
use crate::pool::DERIVING;
use crate::work::Work as Later;
use sealstone::Result;
use sealstone::kdf::{self, Bounds, Cost, Input};
use sealstone::password::{Hashing, Verifying};
use std::sync::{Arc, Mutex};

/// A derivation that goes on.
pub struct Deriving(Mutex<Option<Work>>);

enum Work {
    Key(kdf::Deriving),
    Hash(Hashing),
    Verify(Verifying),
}

impl Deriving {
    /// Begins a key of a password.
    pub fn key(cost: &Cost, input: &Input<'_>, bounds: Bounds, len: u32) -> Result<Self> {
        Ok(Self::of(Work::Key(kdf::Deriving::begin(cost, input, bounds, len as usize)?)))
    }

    /// Begins to hash a password.
    pub fn hash(password: &[u8], cost: &Cost) -> Result<Self> {
        Ok(Self::of(Work::Hash(Hashing::begin(password, cost)?)))
    }

    /// Begins to check one.
    pub fn verify(password: &[u8], stored: &str, bounds: Bounds) -> Result<Self> {
        Ok(Self::of(Work::Verify(Verifying::begin(password, stored, bounds)?)))
    }

    fn of(work: Work) -> Self {
        Self(Mutex::new(Some(work)))
    }

    /// Does so much more; returns whether all is done.
    pub fn step(&self, amount: u32) -> bool {
        match locked(&self.0).as_mut().expect(ENDED) {
            Work::Key(work) => work.step(amount),
            Work::Hash(work) => work.step(amount),
            Work::Verify(work) => work.step(amount),
        }
    }

    /// Prepares one that is begun and done on another thread, in steps between which its job can end it. Where several threads compute
    /// it, as they do Argon2 with several lanes, it has no steps.
    pub fn later<F: FnOnce() -> Result<Self>>(begin: F, job: Arc<Job>) -> Later<impl FnOnce() -> Result<Key> + use<F>> {
        Later::new(&DERIVING, move || begin()?.run(&job))
    }

    pub(crate) fn run(&self, job: &Job) -> Result<Key> {
        job.check()?;
        while !self.has_lanes() && !self.step(DERIVING_STEPS) {
            job.check()?;
        }
        self.end()
    }

    fn has_lanes(&self) -> bool {
        match locked(&self.0).as_ref().expect(ENDED) {
            Work::Key(work) => work.has_lanes(),
            Work::Hash(work) => work.has_lanes(),
            Work::Verify(work) => work.has_lanes(),
        }
    }

    /// Ends the derivation, once: returns the key, the text to be stored, or no bytes for a password that is the right one.
    pub fn end(&self) -> Result<Key> {
        Ok(match locked(&self.0).take().expect(ENDED) {
            Work::Key(work) => work.finish(),
            Work::Hash(work) => work.finish().into_bytes().into(),
            Work::Verify(work) => work.finish().map(|()| Key::default())?,
        })
    }
}

const ENDED: &str = "deriving: it has ended";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Wanted;
    use sealstone::kdf::Variant;

    const INPUT: Input<'_> = Input { password: b"password", salt: b"a random salt 16", secret: b"", data: b"" };

    #[test]
    fn all_of_it_is_what_is_derived_at_once() {
        let argon2 = |lanes| Cost::Argon2 { variant: Variant::Id, memory_kib: 64, passes: 200, lanes };
        for cost in [argon2(1), argon2(3), Cost::Scrypt { log_n: 8, r: 8, p: 40 }] {
            let begin = || Deriving::key(&cost, &INPUT, Bounds::None, 32);
            let key = Deriving::later(begin, Wanted::new().job()).run().unwrap();
            assert_eq!(key, crate::kdf::derive(&cost, &INPUT, Bounds::None, 32).unwrap(), "{cost:?}");
        }
    }

    #[test]
    fn its_job_ends_it() {
        let (wanted, cost) = (Wanted::new(), Cost::ARGON2ID);
        let begin = || {
            wanted.job().cancel();
            Deriving::key(&cost, &INPUT, Bounds::None, 32)
        };
        assert_eq!(Deriving::later(begin, wanted.job()).run().unwrap_err().code(), "cancelled");
    }
}
