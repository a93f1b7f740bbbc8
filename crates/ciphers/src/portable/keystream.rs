//! ChaCha20 (RFC 8439) and Salsa20 (Bernstein's specification, 2005) in plain Rust: additions, xors and rotations of words,
//! which take the same time for all values. Four blocks are computed side by side, so that the compiler can use vector
//! registers.

use crate::erasure::clear;
use crate::lanes::{counter, double_round, place};

/// The same word of `N` blocks.
type Words<const N: usize> = [u32; N];

/// Adds the keystream to `data`, beginning with the block that `state` counts; a partial block uses up a whole one. Counts in
/// place; the final counter is unspecified.
pub(crate) fn add<const CIPHER: bool>(state: &mut [u32; 16], data: &mut [u8]) {
    let (wide, rest) = data.as_chunks_mut::<256>();
    for data in wide {
        add_blocks::<CIPHER, 4>(state, data);
    }
    for data in rest.chunks_mut(64) {
        add_block::<CIPHER>(state, data);
    }
}

/// As [`add`], for at most one block.
pub(crate) fn add_block<const CIPHER: bool>(state: &mut [u32; 16], data: &mut [u8]) {
    add_blocks::<CIPHER, 1>(state, data);
}

/// Adds the keystream of `N` consecutive blocks, as far as there is data.
fn add_blocks<const CIPHER: bool, const N: usize>(state: &mut [u32; 16], data: &mut [u8]) {
    let mut first = [[0; N]; 16];
    for (lanes, word) in first.iter_mut().zip(&*state) {
        *lanes = [*word; N];
    }
    let counted = &mut state[counter::<CIPHER>()];
    *counted = counted.wrapping_add(N as u32);
    for (lane, word) in first[counter::<CIPHER>()].iter_mut().enumerate() {
        *word = word.wrapping_add(lane as u32);
    }
    let words = rounds::<CIPHER, N>(&first);
    let mut blocks: [[u32; 16]; N] =
        std::array::from_fn(|lane| std::array::from_fn(|i| words[i][lane].wrapping_add(first[i][lane])));
    xor(data, blocks.as_flattened());
    clear(&mut first, [0; N]);
    clear(&mut blocks, [0; 16]);
}

fn xor(data: &mut [u8], keystream: &[u32]) {
    let (words, rest) = data.as_chunks_mut::<4>();
    for (word, key) in words.iter_mut().zip(keystream) {
        *word = (u32::from_le_bytes(*word) ^ key).to_le_bytes();
    }
    if let Some(key) = keystream.get(words.len()) {
        for (byte, key) in rest.iter_mut().zip(key.to_le_bytes()) {
            *byte ^= key;
        }
    }
}

/// The twenty rounds without the final addition of the input: HChaCha20 and HSalsa20.
pub(crate) fn rounds<const CIPHER: bool, const N: usize>(words: &[Words<N>; 16]) -> [Words<N>; 16] {
    let mut x = [[[0; N]; 4]; 4];
    for (i, word) in words.iter().enumerate() {
        let (row, column) = place::<CIPHER>(i);
        x[row][column] = *word;
    }
    for _ in 0..10 {
        double_round!(CIPHER, x, add_words, xor_words, rotate);
    }
    std::array::from_fn(|i| {
        let (row, column) = place::<CIPHER>(i);
        x[row][column]
    })
}

#[inline(always)]
fn add_words<const N: usize>(a: Words<N>, b: Words<N>) -> Words<N> {
    std::array::from_fn(|lane| a[lane].wrapping_add(b[lane]))
}

#[inline(always)]
fn xor_words<const N: usize>(a: Words<N>, b: Words<N>) -> Words<N> {
    std::array::from_fn(|lane| a[lane] ^ b[lane])
}

#[inline(always)]
fn rotate<const N: usize>(a: Words<N>, by: u32) -> Words<N> {
    a.map(|word| word.rotate_left(by))
}
