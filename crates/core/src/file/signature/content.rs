//! Content on its way through, and its digests.

use super::armour::MAX_LEN;
use crate::error::Result;
use crate::hash::{Algorithm, Hasher};
use crate::pipeline::Sequence;

/// Several digests of one content: a stream tells only at its end which one its signature is over.
pub(super) struct Digests(Vec<Hasher>);

impl Digests {
    pub(super) fn new(algorithms: impl IntoIterator<Item = Algorithm>) -> Self {
        let mut hashers: Vec<Hasher> = Vec::new();
        for algorithm in algorithms {
            if hashers.iter().all(|hasher| hasher.algorithm() != algorithm) {
                hashers.push(Hasher::new(algorithm));
            }
        }
        Self(hashers)
    }

    /// Drops all but one.
    pub(super) fn keep(&mut self, algorithm: Algorithm) {
        self.0.retain(|hasher| hasher.algorithm() == algorithm);
    }

    pub(super) fn update(&mut self, content: &[u8]) {
        self.0.iter_mut().for_each(|hasher| hasher.update(content));
    }

    /// The digest of one of its algorithms.
    pub(super) fn finish(self, algorithm: Algorithm) -> Vec<u8> {
        let mut hashers = self.0.into_iter();
        let hasher = hashers.find(|hasher| hasher.algorithm() == algorithm).expect("content: the digest was begun");
        hasher.finish().as_bytes().to_vec()
    }
}

/// Hashes what passes.
pub(super) struct Passing<'a>(pub(super) &'a mut Digests);

impl Sequence for Passing<'_> {
    fn update(&mut self, input: &[u8], output: &mut Vec<u8>) {
        self.0.update(input);
        output.extend_from_slice(input);
    }

    fn finish(self, _: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}

/// Hashes what passes, but for the last bytes, which may be a signature.
pub(super) struct Holding<'a> {
    pub(super) digests: &'a mut Digests,
    /// At most [`MAX_LEN`] bytes.
    pub(super) held: &'a mut Vec<u8>,
}

impl Sequence for Holding<'_> {
    fn update(&mut self, input: &[u8], output: &mut Vec<u8>) {
        let over = (self.held.len() + input.len()).saturating_sub(MAX_LEN);
        let (of_held, of_input) = (over.min(self.held.len()), over.saturating_sub(self.held.len()));
        let (now, rest) = input.split_at(of_input);
        for content in [&self.held[..of_held], now] {
            self.digests.update(content);
            output.extend_from_slice(content);
        }
        self.held.drain(..of_held);
        self.held.extend_from_slice(rest);
    }

    fn finish(self, _: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}
