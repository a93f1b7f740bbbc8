//! Keys of passphrases that are derived step by step, where there are no threads.

use crate::lock::locked;
use sealstone::{Decryptor, Encryptor, Result, Rewrapper, Stretch};
use std::sync::{Arc, Mutex};
use zeroize::Zeroizing;

/// What works with passphrases.
pub enum Holder {
    /// It asks for each new file.
    Encryptor(Arc<Encryptor>),
    /// It asks for a file.
    Decryptor(Arc<Decryptor>),
    /// It asks for a file.
    Rewrapper(Arc<Rewrapper>),
}

impl Holder {
    /// What it asks for before it works on a file that begins so, as bytes; none where it asks for nothing, or fails, which its work
    /// says.
    pub fn asked(&self, file: &[u8]) -> Zeroizing<Vec<u8>> {
        let stretch = match self {
            Self::Encryptor(one) => one.stretch(),
            Self::Decryptor(one) => one.stretch(file),
            Self::Rewrapper(one) => one.stretch(file),
        };
        stretch.ok().flatten().map(|stretch| stretch.to_bytes()).unwrap_or_default()
    }

    /// Lets it know the key of what it asked for.
    pub fn know(&self, asked: &[u8], key: &[u8]) -> Result<()> {
        let (stretch, key) = (Stretch::from_bytes(asked)?, key.try_into().expect("stretching: a key has 32 bytes"));
        match self {
            Self::Encryptor(one) => one.know(&stretch, key),
            Self::Decryptor(one) => one.know(&stretch, key),
            Self::Rewrapper(one) => one.know(&stretch, key),
        }
        Ok(())
    }
}

/// A key that is being derived.
pub struct Stretching(Mutex<Option<sealstone::Stretching>>);

impl Stretching {
    /// Begins with what was asked for.
    pub fn new(asked: &[u8]) -> Result<Self> {
        Ok(Self(Mutex::new(Some(Stretch::from_bytes(asked)?.begin()?))))
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
