//! SM4 by look-ups in tables of sixteen bytes, which are registers: `i8x16_swizzle` takes the same time for all indices.
//!
//! A byte of the S-box A·I(A·x ^ c) ^ c (`portable/sm4.rs` has its parts) is looked up by its halves:
//!
//! 1. **The field is a tower.** With g a root of x^4 + x + 1 in it, and t a root of x^2 + g x + g, each element is i t + k; i
//!    and k are numbers of four bits, in the basis 1, g, g^2 and g^3. `TO_I` and `TO_K` are i and k of A·x ^ c.
//! 2. **Inversion is four inversions of halves**, as in Hamburg's AES (Accelerating AES with Vector Permute Instructions,
//!    2009): with j = i + k, p = 1 / (1/i + g/k) + j and q = 1 / (1/j + g/k) + i, the inverse of i t + k is the sum of a
//!    function of p and a function of q. Infinity is 0x80; adding a half does not make it a valid index, so it looks up 0.
//! 3. **A and the linear layer are in the last tables.** L(b) is b ^ u ^ (d ^ u) <<< 8 ^ (d ^ u) <<< 16 ^ (d ^ b) <<< 24, with
//!    u and d the bytes of b shifted two bits up and six down. `FIRST` gives b ^ u, `SECOND` u ^ d; d ^ b is their sum.
//! 4. **c is left out after the S-box.** As in `portable/sm4.rs`, the keys of some rounds contain what is missing.
//!
//! A register is a word of four blocks, with the bytes in the order of the standard.

use super::{load, store, transpose};
use crate::erasure::clear;
use core::arch::wasm32::*;

type Block = [u8; 16];
type RoundKeys = [u32; 32];
type Table = [u8; 16];
/// A table for the upper half of a byte or for p, and a table for the lower half or for q.
type Pair = [Table; 2];
/// The tables of a round, in registers.
type Tables = ([[v128; 2]; 3], [[v128; 2]; 2]);

/// Blocks of a group.
const GROUP: usize = 4;
/// Groups side by side: a round is a chain of some fifteen instructions that wait for each other.
const WIDE: usize = 2;

/// L(c), which each byte of a word lacks if c is left out.
const L_OF_C: u32 = 0x4f4f_4f4f;

const TO_I: Pair = [
    [0x05, 0x08, 0x01, 0x0c, 0x02, 0x0f, 0x06, 0x0b, 0x0e, 0x03, 0x0a, 0x07, 0x09, 0x04, 0x0d, 0x00],
    [0x00, 0x0d, 0x0d, 0x00, 0x06, 0x0b, 0x0b, 0x06, 0x04, 0x09, 0x09, 0x04, 0x02, 0x0f, 0x0f, 0x02],
];
const TO_K: Pair = [
    [0x0f, 0x00, 0x0c, 0x03, 0x08, 0x07, 0x0b, 0x04, 0x0a, 0x05, 0x09, 0x06, 0x0d, 0x02, 0x0e, 0x01],
    [0x00, 0x00, 0x06, 0x06, 0x04, 0x04, 0x02, 0x02, 0x08, 0x08, 0x0e, 0x0e, 0x0c, 0x0c, 0x0a, 0x0a],
];
const INVERSE: Table = [0x80, 0x01, 0x09, 0x0e, 0x0d, 0x0b, 0x07, 0x06, 0x0f, 0x02, 0x0c, 0x05, 0x0a, 0x04, 0x03, 0x08];
const G_OVER: Table = [0x80, 0x02, 0x01, 0x0f, 0x09, 0x05, 0x0e, 0x0c, 0x0d, 0x04, 0x0b, 0x0a, 0x07, 0x08, 0x06, 0x03];
const FIRST: Pair = [
    [0x00, 0x9f, 0x9d, 0xf2, 0xe6, 0x16, 0x6f, 0xf0, 0x6d, 0x8b, 0x79, 0xe4, 0x89, 0x7b, 0x14, 0x02],
    [0x00, 0x41, 0x4b, 0x34, 0x4c, 0x72, 0x7f, 0x3e, 0x75, 0x39, 0x0d, 0x46, 0x33, 0x07, 0x78, 0x0a],
];
const SECOND: Pair = [
    [0x00, 0x4f, 0xe5, 0x6a, 0x7a, 0xba, 0x8f, 0xc0, 0x25, 0x5f, 0x35, 0xd0, 0xf5, 0x9f, 0x10, 0xaa],
    [0x00, 0x54, 0x5c, 0x92, 0xf2, 0x68, 0xce, 0x9a, 0xc6, 0x34, 0xa6, 0xfa, 0x3c, 0xae, 0x60, 0x08],
];
/// The S-box without c and without L, for the key schedule.
const WHOLE: Pair = [
    [0x00, 0xd3, 0x79, 0x9a, 0x9e, 0xae, 0xe3, 0x30, 0x49, 0xd7, 0x4d, 0x34, 0x7d, 0xe7, 0x04, 0xaa],
    [0x00, 0x15, 0x17, 0xa4, 0xbc, 0x1a, 0xb3, 0xa6, 0xb1, 0x0d, 0xa9, 0xbe, 0x0f, 0xab, 0x18, 0x02],
];
const C: u32 = 0xd3d3_d3d3;

/// The tables that give p and q.
const INWARD: [Pair; 3] = [TO_I, TO_K, [INVERSE, G_OVER]];
/// The tables that p and q index.
const OUTWARD: [Pair; 2] = [FIRST, SECOND];

/// p and q of (2) for each byte.
#[inline(always)]
fn halves([to_i, to_k, [inverse, g_over]]: [[v128; 2]; 3], x: v128) -> [v128; 2] {
    let nibble = u8x16_splat(15);
    let x = [v128_and(u16x8_shr(x, 4), nibble), v128_and(x, nibble)];
    let (i, k) = (look_up(to_i, x), look_up(to_k, x));
    let j = v128_xor(i, k);
    let g_over_k = i8x16_swizzle(g_over, k);
    let inverse = |x| i8x16_swizzle(inverse, x);
    [v128_xor(inverse(v128_xor(inverse(i), g_over_k)), j), v128_xor(inverse(v128_xor(inverse(j), g_over_k)), i)]
}

/// Looks up `a` and `b`, each in its table, and adds the results.
#[inline(always)]
fn look_up(tables: [v128; 2], [a, b]: [v128; 2]) -> v128 {
    v128_xor(i8x16_swizzle(tables[0], a), i8x16_swizzle(tables[1], b))
}

/// L of the S-box without c, from p and q.
#[inline(always)]
fn linear([first, second]: [[v128; 2]; 2], halves: [v128; 2]) -> v128 {
    let (first, second) = (look_up(first, halves), look_up(second, halves));
    // Rotations to the left, in the standard's order of bytes.
    let by_8 = |x| i8x16_shuffle::<1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12>(x, x);
    let by_16 = |x| i16x8_shuffle::<1, 0, 3, 2, 5, 4, 7, 6>(x, x);
    let by_24 = |x| i8x16_shuffle::<3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14>(x, x);
    let turned = v128_xor(by_8(second), by_16(second));
    v128_xor(v128_xor(first, turned), by_24(v128_xor(first, second)))
}

#[inline(always)]
fn load_tables<const N: usize>(tables: &[Pair; N]) -> [[v128; 2]; N] {
    tables.map(|[one, other]| [load(&one), load(&other)])
}

/// The S-box on the four bytes of a word.
pub(crate) fn sbox(word: u32) -> u32 {
    let [whole] = load_tables(&[WHOLE]);
    u32x4_extract_lane::<0>(look_up(whole, halves(load_tables(&INWARD), u32x4_splat(word)))) ^ C
}

/// Converts the standard's round keys to the kernel's form. Reversed, they decrypt.
pub(crate) fn convert_round_keys(keys: &mut RoundKeys) {
    for (i, key) in keys.iter_mut().enumerate() {
        let missing = if (i ^ i / 4) & 1 == 1 { L_OF_C } else { 0 };
        *key = (*key ^ missing).swap_bytes();
    }
}

/// Encrypts each block.
pub(crate) fn encrypt_blocks(keys: &RoundKeys, blocks: &mut [Block]) {
    let (groups, rest) = blocks.as_chunks_mut::<GROUP>();
    let (wide, groups) = groups.as_chunks_mut::<WIDE>();
    for groups in wide {
        encrypt_groups(keys, groups);
    }
    for group in groups {
        encrypt_groups(keys, std::array::from_mut(group));
    }
    if !rest.is_empty() {
        let mut padded = [[0; 16]; GROUP];
        padded[..rest.len()].copy_from_slice(rest);
        encrypt_groups(keys, std::array::from_mut(&mut padded));
        rest.copy_from_slice(&padded[..rest.len()]);
        clear(&mut padded, [0; 16]);
    }
}

#[inline(never)]
fn encrypt_groups<const N: usize>(keys: &RoundKeys, groups: &mut [[Block; GROUP]; N]) {
    let mut state = [[u32x4_splat(0); N]; 4];
    for (n, blocks) in groups.iter().enumerate() {
        for (word, column) in state.iter_mut().zip(transpose(blocks.each_ref().map(load))) {
            word[n] = column;
        }
    }
    rounds(keys, &mut state);
    state.reverse();
    for (n, blocks) in groups.iter_mut().enumerate() {
        for (block, row) in blocks.iter_mut().zip(transpose(state.map(|word| word[n]))) {
            store(block, row);
        }
    }
}

/// CBC encryption, in place; the IV becomes the last block of ciphertext.
pub(crate) fn encrypt_chain(keys: &RoundKeys, iv: &mut Block, blocks: &mut [Block]) {
    // Each register has one word of the block in all lanes.
    let words = |block: &Block| {
        let x = load(block);
        [
            i32x4_shuffle::<0, 0, 0, 0>(x, x),
            i32x4_shuffle::<1, 1, 1, 1>(x, x),
            i32x4_shuffle::<2, 2, 2, 2>(x, x),
            i32x4_shuffle::<3, 3, 3, 3>(x, x),
        ]
    };
    let mut state = words(iv).map(|word| [word]);
    for block in blocks {
        for ([word], text) in state.iter_mut().zip(words(block)) {
            *word = v128_xor(*word, text);
        }
        rounds(keys, &mut state);
        state.reverse();
        let [[a], [b], [c], [d]] = state;
        let (ab, cd) = (i32x4_shuffle::<0, 4, 0, 4>(a, b), i32x4_shuffle::<0, 4, 0, 4>(c, d));
        store(block, i64x2_shuffle::<0, 2>(ab, cd));
        *iv = *block;
    }
}

#[inline(always)]
fn rounds<const N: usize>(keys: &RoundKeys, state: &mut [[v128; N]; 4]) {
    let tables = (load_tables(&INWARD), load_tables(&OUTWARD));
    let [x0, x1, x2, x3] = state;
    let (keys, _) = keys.as_chunks::<4>();
    for keys in keys {
        round(&tables, keys[0], x0, [x1, x2, x3]);
        round(&tables, keys[1], x1, [x2, x3, x0]);
        round(&tables, keys[2], x2, [x3, x0, x1]);
        round(&tables, keys[3], x3, [x0, x1, x2]);
    }
}

#[inline(always)]
fn round<const N: usize>((inward, outward): &Tables, key: u32, x0: &mut [v128; N], [x1, x2, x3]: [&[v128; N]; 3]) {
    let key = u32x4_splat(key);
    for n in 0..N {
        // x3 comes last: it waits for the round before.
        let x = v128_xor(v128_xor(v128_xor(x1[n], x2[n]), key), x3[n]);
        x0[n] = v128_xor(x0[n], linear(*outward, halves(*inward, x)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::portable;

    #[test]
    fn the_s_box_is_the_portable_one_for_all_bytes() {
        for x in 0..256 {
            for place in 0..4 {
                let word = x << (8 * place) | 0xa5c3_9617 & !(0xff << (8 * place));
                assert_eq!(sbox(word), portable::sm4::sbox(word), "{x:02x} at {place}");
            }
        }
    }
}
