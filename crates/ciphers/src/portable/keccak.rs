//! `Keccak-f[1600]` on words of 64 bits.

use crate::permutation::{LANE_LEN, ROUND_CONSTANTS, State, round};

/// Adds each block to the state, and permutes it.
#[inline(always)]
pub(crate) fn absorb<const RATE: usize>(state: &mut State, blocks: &[[u8; RATE]]) {
    for block in blocks {
        let (lanes, _) = block.as_chunks::<LANE_LEN>();
        for (lane, bytes) in state.iter_mut().zip(lanes) {
            *lane ^= u64::from_le_bytes(*bytes);
        }
        permute(state);
    }
}

#[inline(always)]
fn permute(state: &mut State) {
    let mut a = *state;
    for constant in ROUND_CONSTANTS {
        a = round!(a, xor, xor3, rotate, chi);
        a[0] ^= constant;
    }
    *state = a;
}

#[inline(always)]
fn xor(a: u64, b: u64) -> u64 {
    a ^ b
}

#[inline(always)]
fn xor3(a: u64, b: u64, c: u64) -> u64 {
    a ^ b ^ c
}

#[inline(always)]
fn rotate<const BITS: u32>(a: u64) -> u64 {
    a.rotate_left(BITS)
}

#[inline(always)]
fn chi(a: u64, b: u64, c: u64) -> u64 {
    a ^ !b & c
}
