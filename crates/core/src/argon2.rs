//! Argon2 version 1.3 (RFC 9106). The kernels fill its memory; this module computes the hashes before and after.

use crate::error::{Error, Result};
use crate::kernel;
use crate::provider::blake2b;
use sealstone_ciphers::argon2::{BLOCK_LEN, Memory};
use zeroize::Zeroizing;

pub use sealstone_ciphers::argon2::Variant;

const VERSION: u32 = 0x13;

/// The inputs of Argon2 (RFC 9106 section 3.1), each shorter than 2^32 bytes.
#[derive(Clone, Copy, Default)]
pub(crate) struct Input<'a> {
    pub(crate) password: &'a [u8],
    pub(crate) salt: &'a [u8],
    pub(crate) secret: &'a [u8],
    pub(crate) data: &'a [u8],
}

/// The costs of Argon2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cost {
    pub(crate) memory_kib: u32,
    pub(crate) passes: u32,
    pub(crate) lanes: u32,
}

/// Derives a key into `out`. Lanes are computed in parallel, on the threads of the machine.
///
/// # Errors
/// [`Error::CostTooHigh`] if the system has too little memory; [`Error::UnavailableBackend`].
///
/// # Panics
/// If lengths or costs are outside Argon2's own bounds, which the caller checks.
pub(crate) fn derive(variant: Variant, input: Input<'_>, cost: Cost, out: &mut [u8]) -> Result<()> {
    Derivation::begin(variant, input, cost, out.len())?.finish(out);
    Ok(())
}

/// A derivation that is computed step by step.
pub(crate) struct Derivation {
    memory: Memory,
    variant: Variant,
    cost: Cost,
}

impl Derivation {
    /// Begins the derivation of `out_len` bytes. Errors and panics as [`derive`].
    pub(crate) fn begin(variant: Variant, input: Input<'_>, cost: Cost, out_len: usize) -> Result<Self> {
        let Cost { memory_kib, passes, lanes } = cost;
        assert!(passes > 0 && out_len > 0, "argon2: costs are within its bounds");
        let memory = Memory::with_backend(kernel::chacha_backend()?, memory_kib, lanes);
        let mut memory = memory.ok_or(Error::CostTooHigh("Argon2 would take more memory than there is"))?;
        // H0, and four bytes each for the block's number and its lane.
        let mut seed = Zeroizing::new([0; 64 + 8]);
        let head = [lanes, length(out_len), memory_kib, passes, VERSION, variant as u32].map(u32::to_le_bytes);
        let fields = [input.password, input.salt, input.secret, input.data];
        let lengths = fields.map(|field| length(field.len()).to_le_bytes());
        let mut inputs = vec![head.as_flattened()];
        for (field, length) in fields.into_iter().zip(&lengths) {
            inputs.extend([&length[..], field]);
        }
        blake2b(&inputs, &mut seed[..64]);
        let mut blocks = Zeroizing::new([[0; BLOCK_LEN]; 2]);
        for lane in 0..lanes {
            seed[68..].copy_from_slice(&lane.to_le_bytes());
            for (i, block) in blocks.iter_mut().enumerate() {
                seed[64] = u8::from(i == 1);
                hash(&seed[..], block);
            }
            memory.begin(lane as usize, [&blocks[0], &blocks[1]]);
        }
        Ok(Self { memory, variant, cost })
    }

    /// Fills up to `blocks` more blocks, at a microsecond or two each. Returns whether all are filled.
    pub(crate) fn step(&mut self, blocks: u64) -> bool {
        self.memory.step(self.variant, self.cost.passes, blocks)
    }

    pub(crate) fn lanes(&self) -> u32 {
        self.cost.lanes
    }

    /// Fills the remaining blocks, and writes the key to `out`, of the length given to [`begin`](Self::begin).
    pub(crate) fn finish(self, out: &mut [u8]) {
        let Self { memory, variant, cost } = self;
        hash(&Zeroizing::new(memory.fill(variant, cost.passes, threads(cost.lanes)))[..], out);
    }
}

/// The number of threads: 1 for one lane, without asking the system.
fn threads(lanes: u32) -> usize {
    if lanes == 1 { 1 } else { std::thread::available_parallelism().map_or(1, std::num::NonZero::get) }
}

/// A length as Argon2 hashes it.
fn length(len: usize) -> u32 {
    u32::try_from(len).expect("argon2: lengths are within its bounds")
}

/// H' of RFC 9106 section 3.3: a hash of any length, into `out`.
fn hash(input: &[u8], out: &mut [u8]) {
    const STEP: usize = 32;
    let length = length(out.len()).to_le_bytes();
    if out.len() <= 2 * STEP {
        return blake2b(&[&length, input], out);
    }
    let mut v = Zeroizing::new([0; 2 * STEP]);
    blake2b(&[&length, input], &mut v[..]);
    let mut rest = out;
    loop {
        let (now, later) = rest.split_at_mut(STEP);
        now.copy_from_slice(&v[..STEP]);
        if later.len() <= 2 * STEP {
            return blake2b(&[&v[..]], later);
        }
        let before = v.clone();
        blake2b(&[&before[..]], &mut v[..]);
        rest = later;
    }
}

#[cfg(test)]
#[path = "argon2_tests.rs"]
mod tests;
