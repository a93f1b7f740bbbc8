//! Argon2 version 1.3 (RFC 9106). The kernels fill its memory; here is what is hashed before and after.

use crate::error::{Error, Result};
use crate::kernel;
use crate::provider::blake2b;
use sealstone_ciphers::argon2::{BLOCK_LEN, Memory};
use zeroize::Zeroizing;

pub use sealstone_ciphers::argon2::Variant;

const VERSION: u32 = 0x13;

/// What Argon2 takes in (RFC 9106 section 3.1): less than 2^32 bytes each.
#[derive(Clone, Copy, Default)]
pub(crate) struct Input<'a> {
    pub(crate) password: &'a [u8],
    pub(crate) salt: &'a [u8],
    pub(crate) secret: &'a [u8],
    pub(crate) data: &'a [u8],
}

/// What it costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cost {
    pub(crate) memory_kib: u32,
    pub(crate) passes: u32,
    pub(crate) lanes: u32,
}

/// Fills `out`. Lanes are computed side by side, on the threads that the machine has.
///
/// # Errors
/// [`Error::CostTooHigh`] where the system has less memory; [`Error::UnavailableBackend`].
///
/// # Panics
/// When lengths or costs are outside Argon2's own bounds; the caller has checked them.
pub(crate) fn derive(variant: Variant, input: Input<'_>, cost: Cost, out: &mut [u8]) -> Result<()> {
    Derivation::begin(variant, input, cost, out.len())?.finish(out);
    Ok(())
}

/// What is computed step by step.
pub(crate) struct Derivation {
    memory: Memory,
    variant: Variant,
    cost: Cost,
}

impl Derivation {
    /// Of a key of so many bytes. As [`derive`].
    pub(crate) fn begin(variant: Variant, input: Input<'_>, cost: Cost, out_len: usize) -> Result<Self> {
        let Cost { memory_kib, passes, lanes } = cost;
        assert!(passes > 0 && out_len > 0, "argon2: costs are within its bounds");
        let memory = Memory::with_backend(kernel::of_chacha()?, memory_kib, lanes);
        let mut memory = memory.ok_or(Error::CostTooHigh("Argon2 would take more memory than there is"))?;
        // Four more bytes at each place where a block's number and its lane follow.
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

    /// Fills so many blocks more, a microsecond or two each; returns whether all are.
    pub(crate) fn step(&mut self, blocks: u64) -> bool {
        self.memory.step(self.variant, self.cost.passes, blocks)
    }

    pub(crate) fn lanes(&self) -> u32 {
        self.cost.lanes
    }

    /// Does what is left.
    pub(crate) fn finish(self, out: &mut [u8]) {
        let Self { memory, variant, cost } = self;
        hash(&Zeroizing::new(memory.fill(variant, cost.passes, threads(cost.lanes)))[..], out);
    }
}

/// One where there is one lane, without asking how many there are.
fn threads(lanes: u32) -> usize {
    if lanes == 1 { 1 } else { std::thread::available_parallelism().map_or(1, std::num::NonZero::get) }
}

fn length(len: usize) -> u32 {
    u32::try_from(len).expect("argon2: lengths are within its bounds")
}

/// H' of RFC 9106 section 3.3: a hash as long as `out`, of which each step gives half.
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
