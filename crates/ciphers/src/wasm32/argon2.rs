//! Argon2's compression function on registers of 128 bits: two rows at once, and then two columns, since the steps of one wait for
//! each other.

use crate::compression::{Block, compress_on};
use core::arch::wasm32::*;

/// A pair of words of each of two rows, or of two columns.
type Pairs = [v128; 2];

// It stays a function of its own: a call of it in a loop is what has V8 compile it well while a password is computed.
#[inline(never)]
pub(crate) fn compress(prev: &Block, reference: &Block, next: &mut Block) {
    compress_on!(
        prev,
        reference,
        next,
        2,
        [i64x2_splat(0); 2],
        load,
        store,
        xor,
        times_plus,
        rotate,
        across,
        transpose
    );
}

#[inline(always)]
fn load(block: &Block, at: usize) -> Pairs {
    let words: &[u64; 4] = block[at..at + 4].try_into().expect("argon2: four words");
    // SAFETY: four words are as long as two registers; the loads ask for no alignment.
    unsafe { [v128_load(words.as_ptr().cast()), v128_load(words[2..].as_ptr().cast())] }
}

#[inline(always)]
fn store(block: &mut Block, at: usize, x: Pairs) {
    let words: &mut [u64; 4] = (&mut block[at..at + 4]).try_into().expect("argon2: four words");
    // SAFETY: four words are as long as two registers; the stores ask for no alignment.
    unsafe {
        v128_store(words.as_mut_ptr().cast(), x[0]);
        v128_store(words[2..].as_mut_ptr().cast(), x[1]);
    }
}

#[inline(always)]
fn xor(a: Pairs, b: Pairs) -> Pairs {
    [v128_xor(a[0], b[0]), v128_xor(a[1], b[1])]
}

/// a + b + 2ab, with the lower halves of a and b in the product.
#[inline(always)]
fn times_plus(a: [Pairs; 2], b: [Pairs; 2]) -> [Pairs; 2] {
    [sums(a[0], b[0]), sums(a[1], b[1])]
}

/// The halves of two registers fit in one, of which the multiplications take the lower and the upper part: alone each would need
/// shuffles of its own.
#[inline(always)]
fn sums(a: Pairs, b: Pairs) -> Pairs {
    let a_low = i32x4_shuffle::<0, 2, 4, 6>(a[0], a[1]);
    let b_low = i32x4_shuffle::<0, 2, 4, 6>(b[0], b[1]);
    let products = [u64x2_extmul_low_u32x4(a_low, b_low), u64x2_extmul_high_u32x4(a_low, b_low)];
    std::array::from_fn(|i| i64x2_add(i64x2_add(a[i], b[i]), i64x2_add(products[i], products[i])))
}

#[inline(always)]
fn rotate<const N: u32>(x: Pairs) -> Pairs {
    x.map(|x| match N {
        32 => i8x16_shuffle::<4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11>(x, x),
        24 => i8x16_shuffle::<3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10>(x, x),
        16 => i8x16_shuffle::<2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9>(x, x),
        _ => v128_or(u64x2_shr(x, N), i64x2_shl(x, 64 - N)),
    })
}

/// Of each pair the second word, and the first of the next one's.
#[inline(always)]
fn across(a: Pairs, b: Pairs) -> Pairs {
    [i64x2_shuffle::<1, 2>(a[0], b[0]), i64x2_shuffle::<1, 2>(a[1], b[1])]
}

#[inline(always)]
fn transpose([a, b, c, d, e, f, g, h]: [Pairs; 8]) -> [Pairs; 8] {
    let turn = |a: Pairs, b: Pairs| ([a[0], b[0]], [a[1], b[1]]);
    let ((a, b), (c, d), (e, f), (g, h)) = (turn(a, b), turn(c, d), turn(e, f), turn(g, h));
    [a, b, c, d, e, f, g, h]
}
