//! Keys and stored passwords that are derived step by step: where there are no threads, or a job may end it.

use crate::job::{DERIVING_STEPS, Job};
use crate::kdf::Key;
use crate::lock::locked;
use crate::pool::DERIVING;
use crate::work::Work;
use sealstone::Result;
use sealstone::kdf::{self, Bounds, Cost, Input};
use sealstone::password::{Hashing, Verifying};
use std::sync::{Arc, Mutex};

/// What is being derived.
pub struct Deriving(Mutex<Option<Steps>>);

enum Steps {
    Key(kdf::Deriving),
    Hash(Hashing),
    Verify(Verifying),
}

impl Deriving {
    /// Begins a key of a password.
    pub fn key(cost: &Cost, input: &Input<'_>, bounds: Bounds, len: u32) -> Result<Self> {
        Ok(Self::of(Steps::Key(kdf::Deriving::begin(cost, input, bounds, len as usize)?)))
    }

    /// Begins to hash a password.
    pub fn hash(password: &[u8], cost: &Cost) -> Result<Self> {
        Ok(Self::of(Steps::Hash(Hashing::begin(password, cost)?)))
    }

    /// Begins to check one.
    pub fn verify(password: &[u8], stored: &str, bounds: Bounds) -> Result<Self> {
        Ok(Self::of(Steps::Verify(Verifying::begin(password, stored, bounds)?)))
    }

    fn of(steps: Steps) -> Self {
        Self(Mutex::new(Some(steps)))
    }

    /// Does so much more; returns whether all is done.
    pub fn step(&self, amount: u32) -> bool {
        match locked(&self.0).as_mut().expect(ENDED) {
            Steps::Key(work) => work.step(amount),
            Steps::Hash(work) => work.step(amount),
            Steps::Verify(work) => work.step(amount),
        }
    }

    /// What it comes to, once: the key, the text to be stored, or nothing of a password that is the right one.
    pub fn end(&self) -> Result<Key> {
        Ok(match locked(&self.0).take().expect(ENDED) {
            Steps::Key(work) => work.finish(),
            Steps::Hash(work) => work.finish().into_bytes().into(),
            Steps::Verify(work) => work.finish().map(|()| Key::default())?,
        })
    }
}

/// Does all steps of what `begin` begins, between which the job may end it.
pub fn watched(
    begin: impl FnOnce() -> Result<Deriving> + Send,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Key> + Send> {
    Work::new(&DERIVING, move || {
        let deriving = begin()?;
        while !deriving.step(DERIVING_STEPS) {
            job.check()?;
        }
        deriving.end()
    })
}

const ENDED: &str = "deriving: it has ended";
