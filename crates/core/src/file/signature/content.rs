//! Hashes content that passes through.

use super::armour::MAX_LEN;
use crate::error::Result;
use crate::hash::{Algorithm, Sha256, Sha512, Sm3};
use crate::pipeline::Sequence;

/// Several digests of one content: the signature at the end of a stream decides which one counts.
pub(super) struct Digests(Vec<State>);

impl Digests {
    pub(super) fn new(algorithms: impl IntoIterator<Item = Algorithm>) -> Self {
        let mut states: Vec<State> = Vec::new();
        for algorithm in algorithms {
            if states.iter().all(|state| state.algorithm() != algorithm) {
                states.push(State::new(algorithm));
            }
        }
        Self(states)
    }

    /// Drops all digests but one.
    pub(super) fn keep(&mut self, algorithm: Algorithm) {
        self.0.retain(|state| state.algorithm() == algorithm);
    }

    pub(super) fn update(&mut self, content: &[u8]) {
        self.0.iter_mut().for_each(|state| state.update(content));
    }

    /// Returns the digest of one algorithm.
    pub(super) fn finish(self, algorithm: Algorithm) -> Vec<u8> {
        let mut states = self.0.into_iter();
        states.find(|state| state.algorithm() == algorithm).expect("content: the digest was begun").finish()
    }
}

/// A hash state of the algorithms that signatures use. With a `Hasher`, the WebAssembly modules that sign would contain the
/// code of all hash functions.
enum State {
    Sha256(Sha256),
    Sha512(Sha512),
    Sm3(Sm3),
}

impl State {
    fn new(algorithm: Algorithm) -> Self {
        match algorithm {
            Algorithm::Sha256 => Self::Sha256(Sha256::new()),
            Algorithm::Sha512 => Self::Sha512(Sha512::new()),
            Algorithm::Sm3 => Self::Sm3(Sm3::new()),
            _ => unreachable!("content: no signature is over this hash"),
        }
    }

    fn algorithm(&self) -> Algorithm {
        match self {
            Self::Sha256(_) => Algorithm::Sha256,
            Self::Sha512(_) => Algorithm::Sha512,
            Self::Sm3(_) => Algorithm::Sm3,
        }
    }

    fn update(&mut self, content: &[u8]) {
        match self {
            Self::Sha256(state) => state.update(content),
            Self::Sha512(state) => state.update(content),
            Self::Sm3(state) => state.update(content),
        }
    }

    fn finish(self) -> Vec<u8> {
        match self {
            Self::Sha256(state) => state.finish().to_vec(),
            Self::Sha512(state) => state.finish().to_vec(),
            Self::Sm3(state) => state.finish().to_vec(),
        }
    }
}

/// Hashes the content that it passes on.
pub(super) struct Tee<'a>(pub(super) &'a mut Digests);

impl Sequence for Tee<'_> {
    fn update(&mut self, input: &[u8], output: &mut Vec<u8>) {
        self.0.update(input);
        output.extend_from_slice(input);
    }

    fn finish(self, _: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}

/// Hashes the content that it passes on, and holds back the last bytes, which may be a signature.
pub(super) struct HoldBack<'a> {
    pub(super) digests: &'a mut Digests,
    /// The last bytes, at most [`MAX_LEN`].
    pub(super) held: &'a mut Vec<u8>,
}

impl Sequence for HoldBack<'_> {
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
