//! Argon2's compression function on registers of 128 bits. It processes two rows at once, and then two columns, since the steps
//! for one row wait for each other.

use crate::compression::{Block, compress_on};
use core::arch::wasm32::*;

/// Two words of each of two rows, or of two columns.
type Pairs = [v128; 2];

// Not inlined: only as a function that a loop calls does V8 optimise it while a password is being hashed.
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
    [times_plus_pairs(a[0], b[0]), times_plus_pairs(a[1], b[1])]
}

/// `times_plus` for two registers. Their lower halves fit in one register, and the multiplications take its lower and its upper
/// part: one register at a time would need more shuffles.
#[inline(always)]
fn times_plus_pairs(a: Pairs, b: Pairs) -> Pairs {
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

/// The second word of each pair of `a`, and the first word of the same pair of `b`.
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
