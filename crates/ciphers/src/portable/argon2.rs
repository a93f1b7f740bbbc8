//! Argon2's compression function on words.

use crate::compression::{Block, compress_on};

/// Two words.
type Pair = [u64; 2];

#[allow(clippy::modulo_one, reason = "a register has one pair here")]
pub(crate) fn compress(prev: &Block, reference: &Block, next: &mut Block) {
    compress_on!(prev, reference, next, 1, [0; 2], load, store, xor, times_plus, rotate, across, identity);
}

#[inline(always)]
fn load(block: &Block, at: usize) -> Pair {
    [block[at], block[at + 1]]
}

#[inline(always)]
fn store(block: &mut Block, at: usize, [low, high]: Pair) {
    (block[at], block[at + 1]) = (low, high);
}

#[inline(always)]
fn xor(a: Pair, b: Pair) -> Pair {
    [a[0] ^ b[0], a[1] ^ b[1]]
}

/// a + b + 2ab, with the lower halves of a and b in the product.
#[inline(always)]
fn times_plus(a: [Pair; 2], b: [Pair; 2]) -> [Pair; 2] {
    let word =
        |a: u64, b: u64| a.wrapping_add(b).wrapping_add((u64::from(a as u32) * u64::from(b as u32)).wrapping_mul(2));
    std::array::from_fn(|i| std::array::from_fn(|j| word(a[i][j], b[i][j])))
}

#[inline(always)]
fn rotate<const N: u32>(x: Pair) -> Pair {
    x.map(|x| x.rotate_right(N))
}

/// The second word of `a`, and the first of `b`.
#[inline(always)]
fn across(a: Pair, b: Pair) -> Pair {
    [a[1], b[0]]
}

#[inline(always)]
fn identity<T>(pairs: T) -> T {
    pairs
}
