//! `Keccak-f[1600]` with each of the 25 lanes in a vector register, in constant time.
//!
//! It computes the rounds of FIPS 202 section 3.3, and departs from plain code in three ways:
//!
//! 1. **A lane is the lower half of a vector register.** AVX-512 has 32 of them, so that a state and what a
//!    round adds to it stay there. The 16 general registers hold two thirds of a state.
//! 2. **Three lanes are combined in one instruction.** `vpternlogq` is the sum of three lanes of θ, and χ with its negation.
//! 3. **A rotation is one instruction**, `vprolq`.
//!
//! A round has 94 instructions: 10 for θ's sums, 5 and 24 rotations, 5 and 25 sums, and 25 of χ, where plain code has some 170.

use super::super::cpu::{Avx2, Avx512};
use crate::permutation::{LANE_LEN, ROUND_CONSTANTS, State, round};
use crate::portable;
use core::arch::x86_64::*;

/// Adds each block to the state, and permutes it.
pub(crate) fn absorb<const RATE: usize>(_cpu: Avx512, state: &mut State, blocks: &[[u8; RATE]]) {
    // SAFETY: the token exists, so the features were detected.
    unsafe { absorb_avx512(state, blocks) }
}

/// The same in plain Rust, whose rotations and negated ands are one instruction each (BMI).
pub(crate) fn absorb_words<const RATE: usize>(_cpu: Avx2, state: &mut State, blocks: &[[u8; RATE]]) {
    // SAFETY: the token exists, so the features were detected.
    unsafe { absorb_bmi(state, blocks) }
}

#[target_feature(enable = "bmi1,bmi2")]
fn absorb_bmi<const RATE: usize>(state: &mut State, blocks: &[[u8; RATE]]) {
    portable::keccak::absorb(state, blocks);
}

#[target_feature(enable = "avx512f,avx512vl")]
fn absorb_avx512<const RATE: usize>(state: &mut State, blocks: &[[u8; RATE]]) {
    let mut a = [_mm_setzero_si128(); 25];
    for (lane, word) in a.iter_mut().zip(&*state) {
        *lane = load(*word);
    }
    for block in blocks {
        let (lanes, _) = block.as_chunks::<LANE_LEN>();
        for (lane, bytes) in a.iter_mut().zip(lanes) {
            *lane = _mm_xor_si128(*lane, load(u64::from_le_bytes(*bytes)));
        }
        for constant in ROUND_CONSTANTS {
            a = round!(a, _mm_xor_si128, xor3, rotate, chi);
            a[0] = _mm_xor_si128(a[0], load(constant));
        }
    }
    for (word, lane) in state.iter_mut().zip(a) {
        *word = _mm_cvtsi128_si64(lane).cast_unsigned();
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn load(word: u64) -> __m128i {
    _mm_cvtsi64_si128(word.cast_signed())
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn xor3(a: __m128i, b: __m128i, c: __m128i) -> __m128i {
    _mm_ternarylogic_epi64::<0x96>(a, b, c)
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn rotate<const BITS: i32>(a: __m128i) -> __m128i {
    _mm_rol_epi64::<BITS>(a)
}

/// a ^ (!b & c)
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn chi(a: __m128i, b: __m128i, c: __m128i) -> __m128i {
    _mm_ternarylogic_epi64::<0xd2>(a, b, c)
}
