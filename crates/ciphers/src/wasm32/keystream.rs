//! ChaCha20 and Salsa20 on registers of 128 bits, in constant time: a register is a word of four blocks, and at the end words
//! of blocks become blocks of words.

use crate::lanes::{counter, double_round, place};
use crate::portable;
use core::arch::wasm32::*;

type State = [u32; 16];

/// Bytes that are worked on at once.
const LEN: usize = 256;

/// Adds the keystream to `data`, from the block that `state` counts on in its low word, which wraps; a part of a block takes a
/// whole one.
pub(crate) fn add<const CIPHER: bool>(state: &State, data: &mut [u8]) {
    let mut state = *state;
    let (whole, rest) = data.as_chunks_mut::<LEN>();
    for data in whole {
        add_wide::<CIPHER>(&state, data);
        state[counter::<CIPHER>()] = state[counter::<CIPHER>()].wrapping_add(4);
    }
    if rest.len() <= 64 {
        return portable::keystream::add::<CIPHER>(&state, rest);
    }
    let mut padded = [0; LEN];
    padded[..rest.len()].copy_from_slice(rest);
    add_wide::<CIPHER>(&state, &mut padded);
    rest.copy_from_slice(&padded[..rest.len()]);
}

fn add_wide<const CIPHER: bool>(state: &State, data: &mut [u8; LEN]) {
    let mut first = state.map(|word| u32x4_splat(word));
    first[counter::<CIPHER>()] = i32x4_add(first[counter::<CIPHER>()], u32x4(0, 1, 2, 3));
    let mut x = [[u32x4_splat(0); 4]; 4];
    for (i, word) in first.iter().enumerate() {
        let (row, column) = place::<CIPHER>(i);
        x[row][column] = *word;
    }
    for _ in 0..10 {
        double_round!(CIPHER, x, i32x4_add, v128_xor, rotate);
    }
    let mut words = [u32x4_splat(0); 16];
    for (i, word) in words.iter_mut().enumerate() {
        let (row, column) = place::<CIPHER>(i);
        *word = i32x4_add(x[row][column], first[i]);
    }
    let (quarters, _) = words.as_chunks::<4>();
    let (parts, _) = data.as_chunks_mut::<16>();
    for (i, quarter) in quarters.iter().enumerate() {
        for (block, keystream) in transpose(*quarter).into_iter().enumerate() {
            let part = &mut parts[4 * block + i];
            store(part, v128_xor(load(part), keystream));
        }
    }
}

#[inline(always)]
fn rotate(x: v128, by: u32) -> v128 {
    match by {
        16 => i8x16_shuffle::<2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13>(x, x),
        8 => i8x16_shuffle::<3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14>(x, x),
        _ => v128_or(u32x4_shl(x, by), u32x4_shr(x, 32 - by)),
    }
}

/// Rows from columns.
#[inline(always)]
pub(super) fn transpose([a, b, c, d]: [v128; 4]) -> [v128; 4] {
    let (ab, ab_high) = (i32x4_shuffle::<0, 4, 1, 5>(a, b), i32x4_shuffle::<2, 6, 3, 7>(a, b));
    let (cd, cd_high) = (i32x4_shuffle::<0, 4, 1, 5>(c, d), i32x4_shuffle::<2, 6, 3, 7>(c, d));
    [
        i64x2_shuffle::<0, 2>(ab, cd),
        i64x2_shuffle::<1, 3>(ab, cd),
        i64x2_shuffle::<0, 2>(ab_high, cd_high),
        i64x2_shuffle::<1, 3>(ab_high, cd_high),
    ]
}

#[inline(always)]
pub(super) fn load(bytes: &[u8; 16]) -> v128 {
    // SAFETY: `bytes` are as long as the register; the load asks for no alignment.
    unsafe { v128_load(bytes.as_ptr().cast()) }
}

#[inline(always)]
fn store(bytes: &mut [u8; 16], x: v128) {
    // SAFETY: `bytes` are as long as the register; the store asks for no alignment.
    unsafe { v128_store(bytes.as_mut_ptr().cast(), x) }
}
