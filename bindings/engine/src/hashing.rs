//! Digests of what comes in parts.

use crate::lock::locked;
use sealstone::hash::{Algorithm, Digest, Hasher};
use std::sync::Mutex;

/// A digest that is not finished.
pub struct Hashing(Mutex<Hasher>);

impl Hashing {
    /// Of nothing yet.
    pub fn new(algorithm: Algorithm) -> Self {
        Self(Mutex::new(Hasher::new(algorithm)))
    }

    /// Takes more.
    pub fn update(&self, data: &[u8]) {
        locked(&self.0).update(data);
    }

    /// The digest of what was taken so far; more may follow.
    pub fn digest(&self) -> Digest {
        let hasher = locked(&self.0).clone();
        hasher.finish()
    }
}
