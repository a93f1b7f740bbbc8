//! Numbers of four words, the lowest first, as the field and the scalars have them.

use std::hint::black_box;

/// A number of 256 bits.
pub(crate) type Words = [u64; 4];

/// a + b + carry; the carry is 0 or 1.
#[inline(always)]
pub(crate) fn add(a: u64, b: u64, carry: &mut u64) -> u64 {
    let sum = u128::from(a) + u128::from(b) + u128::from(*carry);
    *carry = (sum >> 64) as u64;
    sum as u64
}

/// a − b − borrow; the borrow is 0 or 1.
#[inline(always)]
pub(crate) fn subtract(a: u64, b: u64, borrow: &mut u64) -> u64 {
    let difference = u128::from(a).wrapping_sub(u128::from(b) + u128::from(*borrow));
    *borrow = (difference >> 64) as u64 & 1;
    difference as u64
}

/// sum + a · b + carry; the carry is any word.
#[inline(always)]
pub(crate) fn add_product(sum: u64, a: u64, b: u64, carry: &mut u64) -> u64 {
    let sum = u128::from(sum) + u128::from(a) * u128::from(b) + u128::from(*carry);
    *carry = (sum >> 64) as u64;
    sum as u64
}

/// Subtracts `modulus` once, if `top` · 2^256 + `words` reaches it. The number must be below twice the modulus.
#[inline(always)]
pub(crate) fn reduce_once(words: Words, top: u64, modulus: &Words) -> Words {
    let mut borrow = 0;
    let reduced: Words = std::array::from_fn(|i| subtract(words[i], modulus[i], &mut borrow));
    subtract(top, 0, &mut borrow);
    select(&reduced, &words, black_box(borrow.wrapping_neg()))
}

/// `b` if the mask is all ones, `a` if it is 0.
#[inline(always)]
pub(crate) fn select(a: &Words, b: &Words, mask: u64) -> Words {
    std::array::from_fn(|i| a[i] ^ (mask & (a[i] ^ b[i])))
}

/// All ones if the word is 0, else 0.
#[inline(always)]
pub(crate) fn mask_of_zero(word: u64) -> u64 {
    black_box(((word | word.wrapping_neg()) >> 63).wrapping_sub(1))
}

/// All ones if the number is 0, else 0.
#[inline(always)]
pub(crate) fn zero_mask(words: &Words) -> u64 {
    mask_of_zero(words.iter().fold(0, |all, word| all | word))
}

/// Whether a < b.
pub(crate) fn is_below(a: &Words, b: &Words) -> bool {
    let mut borrow = 0;
    for (a, b) in a.iter().zip(b) {
        subtract(*a, *b, &mut borrow);
    }
    black_box(borrow) == 1
}

/// Reads a number of 32 bytes, big-endian.
pub(crate) fn of_bytes(bytes: &[u8; 32]) -> Words {
    let mut words = [0; 4];
    read(&mut words, bytes);
    words
}

/// Reads a number of 32 bytes, big-endian, in place.
pub(crate) fn read(words: &mut Words, bytes: &[u8; 32]) {
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0.iter().rev()) {
        *word = u64::from_be_bytes(*bytes);
    }
}

/// Writes 32 bytes, big-endian.
pub(crate) fn to_bytes(words: &Words) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (bytes, word) in bytes.as_chunks_mut::<8>().0.iter_mut().rev().zip(words) {
        *bytes = word.to_be_bytes();
    }
    bytes
}
