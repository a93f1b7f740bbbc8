//! Keys of passphrases that are derived step by step, where there are no threads.

use crate::lock::locked;
use sealstone::password::{Kdf, Stretch};
use sealstone::{Asks, Result};
use std::sync::Mutex;
use zeroize::Zeroizing;

/// The stretching that `by` asks for before it works on a file that begins so, as bytes. There are none if it asks for no stretching, or
/// if asking fails: the work itself then says why.
pub fn asked<K: Kdf>(by: &dyn Asks<Kdf = K>, file: &[u8]) -> Zeroizing<Vec<u8>> {
    by.asked(file).ok().and_then(|asked| asked.stretch).map(|stretch| stretch.to_bytes()).unwrap_or_default()
}

/// Lets it know the key of what it asked for.
pub fn know<K: Kdf>(by: &dyn Asks<Kdf = K>, asked: &[u8], key: &[u8]) -> Result<()> {
    by.know(&Stretch::from_bytes(asked)?, key.try_into().expect("stretching: a key has 32 bytes"));
    Ok(())
}

/// A key that is being derived.
pub struct Stretching(Mutex<Option<sealstone::Stretching>>);

impl Stretching {
    /// Begins with what was asked for by what works on files of a format.
    pub fn new<S: Asks>(asked: &[u8]) -> Result<Self> {
        Ok(Self(Mutex::new(Some(Stretch::<S::Kdf>::from_bytes(asked)?.begin()?))))
    }

    /// Does so much more; returns whether all is done.
    pub fn step(&self, amount: u32) -> bool {
        locked(&self.0).as_mut().expect(ENDED).step(amount)
    }

    /// The key, once.
    pub fn key(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(locked(&self.0).take().expect(ENDED).finish().to_vec())
    }
}

const ENDED: &str = "stretching: the key was given out";
