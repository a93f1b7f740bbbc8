//! ChaCha20 and Salsa20 on registers of 128 bits, in constant time. A register is a word of four blocks; a transposition at the
//! end makes whole blocks. Poly1305 uses words, which run beside the vectors; on vectors it was no faster.

use super::{load, store, transpose};
use crate::erasure::clear;
use crate::lanes::{counter, double_round, place};
use crate::portable;
use crate::portable::poly1305::{Sum, plus, times, times_plus, update};
use core::arch::wasm32::*;

type State = [u32; 16];

/// Bytes that are processed at once.
const LEN: usize = 256;

/// Adds the keystream to `data`, beginning with the block that `state` counts in its low word, which wraps; a partial block
/// uses up a whole one. Counts in place; the final counter is unspecified.
pub(crate) fn add<const CIPHER: bool>(state: &mut State, data: &mut [u8]) {
    let (whole, rest) = data.as_chunks_mut::<LEN>();
    for data in whole {
        add_wide::<CIPHER>(state, data);
        state[counter::<CIPHER>()] = state[counter::<CIPHER>()].wrapping_add(4);
    }
    if rest.len() <= 64 {
        return portable::keystream::add_block::<CIPHER>(state, rest);
    }
    let mut padded = [0; LEN];
    padded[..rest.len()].copy_from_slice(rest);
    add_wide::<CIPHER>(state, &mut padded);
    rest.copy_from_slice(&padded[..rest.len()]);
    clear(&mut padded, 0);
}

/// Encrypts or decrypts whole chunks, authenticates their ciphertext, and returns the number of bytes. When sealing, the first
/// chunk is encrypted already.
pub(crate) fn run<const CIPHER: bool, const SEAL: bool>(state: &mut State, sum: &mut Sum, data: &mut [u8]) -> usize {
    let (whole, _) = data.as_chunks_mut::<LEN>();
    let len = whole.as_flattened().len();
    let count = |state: &mut State| state[counter::<CIPHER>()] = state[counter::<CIPHER>()].wrapping_add(4);
    if SEAL {
        // A sealed chunk is authenticated while the next one is encrypted.
        let Some((mut before, whole)) = whole.split_first_mut() else { return 0 };
        for data in whole {
            add_beside_mac::<CIPHER>(state, sum, Some(before), data);
            count(state);
            before = data;
        }
        update(sum, before.as_chunks().0, 1);
    } else {
        for data in whole {
            add_beside_mac::<CIPHER>(state, sum, None, data);
            count(state);
        }
    }
    len
}

/// Adds the keystream to `data`, and meanwhile authenticates `ciphertext`, or `data` as it was: multiplications of words run
/// beside the vectors.
// Not inlined, like `add_wide`: inlined, they lost a third of their speed in V8.
#[inline(never)]
fn add_beside_mac<const CIPHER: bool>(
    state: &State,
    sum: &mut Sum,
    ciphertext: Option<&[u8; LEN]>,
    data: &mut [u8; LEN],
) {
    let (blocks, _) = ciphertext.unwrap_or(data).as_chunks();
    let (begin, blocks) = blocks.split_first().expect("keystream: a chunk has blocks");
    let (parts, _) = blocks.as_chunks::<3>();
    let mut h = plus(sum.h, begin, 1);
    let first = first_words::<CIPHER>(state);
    let mut x = square::<CIPHER>(&first);
    for [one, two, three] in parts {
        double_round!(CIPHER, x, i32x4_add, v128_xor, rotate);
        h = times_plus(h, sum.r, one, 1);
        double_round!(CIPHER, x, i32x4_add, v128_xor, rotate);
        h = times_plus(h, sum.r, two, 1);
        h = times_plus(h, sum.r, three, 1);
    }
    sum.h = times(h, sum.r);
    finish::<CIPHER>(&first, &x, data);
}

#[inline(never)]
fn add_wide<const CIPHER: bool>(state: &State, data: &mut [u8; LEN]) {
    let first = first_words::<CIPHER>(state);
    let mut x = square::<CIPHER>(&first);
    for _ in 0..10 {
        double_round!(CIPHER, x, i32x4_add, v128_xor, rotate);
    }
    finish::<CIPHER>(&first, &x, data);
}

#[inline(always)]
fn first_words<const CIPHER: bool>(state: &State) -> [v128; 16] {
    let mut first = state.map(|word| u32x4_splat(word));
    first[counter::<CIPHER>()] = i32x4_add(first[counter::<CIPHER>()], u32x4(0, 1, 2, 3));
    first
}

#[inline(always)]
fn square<const CIPHER: bool>(first: &[v128; 16]) -> [[v128; 4]; 4] {
    let mut x = [[u32x4_splat(0); 4]; 4];
    for (i, word) in first.iter().enumerate() {
        let (row, column) = place::<CIPHER>(i);
        x[row][column] = *word;
    }
    x
}

/// Adds the result of the rounds and their input to the data.
#[inline(always)]
fn finish<const CIPHER: bool>(first: &[v128; 16], x: &[[v128; 4]; 4], data: &mut [u8; LEN]) {
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
