//! The arithmetic of SM2's field in plain Rust, in constant time if multiplication is, as on today's 64-bit CPUs.

use crate::field::{Element, Field, P};
use crate::words::{self, Words, add, add_product, reduce_once, subtract};

/// The token of plain Rust, which every CPU runs.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

impl Field for Portable {
    #[inline]
    fn multiply(self, a: &Element, b: &Element) -> Element {
        let mut product = [0; 8];
        for (i, b) in b.0.iter().enumerate() {
            let mut carry = 0;
            for (j, a) in a.0.iter().enumerate() {
                product[i + j] = add_product(product[i + j], *a, *b, &mut carry);
            }
            product[i + 4] = carry;
        }
        reduce(product)
    }

    #[inline]
    fn square(self, a: &Element) -> Element {
        let a = &a.0;
        let mut square = [0; 8];
        // The products of different words, once.
        for i in 0..3 {
            let mut carry = 0;
            for j in i + 1..4 {
                square[i + j] = add_product(square[i + j], a[i], a[j], &mut carry);
            }
            square[i + 4] = carry;
        }
        for i in (1..8).rev() {
            square[i] = square[i] << 1 | square[i - 1] >> 63;
        }
        let mut carry = 0;
        for i in 0..4 {
            let word = u128::from(a[i]) * u128::from(a[i]);
            square[2 * i] = add(square[2 * i], word as u64, &mut carry);
            square[2 * i + 1] = add(square[2 * i + 1], (word >> 64) as u64, &mut carry);
        }
        reduce(square)
    }

    #[inline]
    fn add(self, a: &Element, b: &Element) -> Element {
        let mut carry = 0;
        let sum: Words = std::array::from_fn(|i| add(a.0[i], b.0[i], &mut carry));
        Element(reduce_once(sum, carry, &P))
    }

    #[inline]
    fn subtract(self, a: &Element, b: &Element) -> Element {
        let mut borrow = 0;
        let difference: Words = std::array::from_fn(|i| subtract(a.0[i], b.0[i], &mut borrow));
        let (mask, mut carry) = (borrow.wrapping_neg(), 0);
        Element(std::array::from_fn(|i| add(difference[i], P[i] & mask, &mut carry)))
    }

    #[inline]
    fn pick<const LEN: usize, const ROWS: usize>(self, table: &[[Element; LEN]; ROWS], number: u64) -> [Element; LEN] {
        let mut picked = [Element::ZERO; LEN];
        for (row, at) in table.iter().zip(1..) {
            let mask = words::mask_of_zero(number ^ at);
            for (picked, element) in picked.iter_mut().zip(row) {
                *picked = picked.select(element, mask);
            }
        }
        picked
    }
}

/// A number below p · 2^256, divided by 2^256 modulo p.
#[inline]
pub(crate) fn reduce(mut number: [u64; 8]) -> Element {
    let mut top = 0;
    for i in 0..4 {
        // Adds quotient · p · 2^(64 i). quotient · (p + 1) = quotient · (2^256 − 2^224 − 2^96 + 2^64); the 1 makes the word 0.
        let quotient = number[i];
        let (low, high) = (quotient << 32, quotient >> 32);
        let mut borrow = 0;
        let multiple = [
            subtract(quotient, low, &mut borrow),
            subtract(0, high, &mut borrow),
            subtract(0, low, &mut borrow),
            subtract(quotient, high, &mut borrow),
        ];
        let mut carry = 0;
        for (j, word) in multiple.into_iter().enumerate() {
            number[i + 1 + j] = add(number[i + 1 + j], word, &mut carry);
        }
        // The carry of the step before belongs to the same word.
        let mut again = 0;
        number[i + 4] = add(number[i + 4], top, &mut again);
        top = carry + again;
    }
    let [.., a, b, c, d] = number;
    Element(reduce_once([a, b, c, d], top, &P))
}
