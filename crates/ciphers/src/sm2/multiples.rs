//! Multiples of points: of the base point G by a table, of others by windows, both in constant time; and sums of two multiples of
//! public numbers in variable time.
//!
//! Formulas of addition fail for two equal points. docs/design/sm2.md proves where these can occur.

use super::generator::{MULTIPLES, WIDTH};
use super::point::{Affine, Jacobian, Sum};
use super::scalar::Scalar;
use crate::field::{Element, Field};
use crate::words::mask_of_zero;
use std::hint::black_box;

/// Bits of a window of a point that has no table.
const WINDOW: usize = 5;
/// Windows of a scalar. The highest has the carry of the one below.
const WINDOWS: usize = 256 / WINDOW + 1;
/// Digits of a scalar for the table of G.
pub(crate) const DIGITS: usize = 256 / WIDTH + 1;

/// [k]G; the point at infinity for k = 0.
///
/// The digit of 2^(6i) is taken from row i / 2. So the digits with odd i, whose multiples lack a factor of 2^6, come first, and six doublings
/// before the others.
pub(crate) fn multiply_base<F: Field>(field: F, k: &Scalar) -> Jacobian {
    let mut sum = Jacobian::INFINITY;
    for first in [1, 0] {
        if first == 0 {
            sum = sum.double(field, WIDTH as u32);
        }
        for (row, i) in MULTIPLES.iter().zip((first..DIGITS).step_by(2)) {
            let Digit { number, sign_mask } = Digit::of::<WIDTH>(k, i);
            let point = Affine::from(field.pick(row, number)).negate_if(field, sign_mask);
            // The points are never equal.
            sum = sum.add_affine(field, &point, mask_of_zero(number)).point;
        }
    }
    sum
}

/// [k]P; the point at infinity for k = 0.
pub(crate) fn multiply<F: Field>(field: F, point: &Affine, k: &Scalar) -> Jacobian {
    // P to 16P.
    let mut table = [[Element::ZERO; 3]; 1 << (WINDOW - 1)];
    for i in 0..table.len() {
        let next = match i {
            0 => Jacobian::from(*point),
            _ if i % 2 == 1 => Jacobian::from(table[i / 2]).double(field, 1),
            _ => Jacobian::from(table[i - 1]).add_affine(field, point, 0).point,
        };
        table[i] = [next.x, next.y, next.z];
    }
    let term = |i| {
        let Digit { number, sign_mask } = Digit::of::<WINDOW>(k, i);
        Jacobian::from(field.pick(&table, number)).negate_if(field, sign_mask)
    };
    let mut sum = term(WINDOWS - 1);
    for i in (0..WINDOWS - 1).rev() {
        let term = term(i);
        sum = sum.double(field, WINDOW as u32);
        let Sum { point, equal_mask } = sum.add(field, &term);
        sum = point;
        if i == 0 {
            // Only the last addition can be of equal points, for k = n − 6.
            sum = sum.select(&term.double(field, 1), equal_mask);
        }
    }
    sum
}

/// [a]G + [b]P, in a time that depends on the numbers.
pub(crate) fn add_multiples<F: Field>(field: F, a: &Scalar, b: &Scalar, point: &Affine) -> Jacobian {
    // P, 3P, … 15P
    let first = Jacobian::from(*point);
    let twice = first.double(field, 1);
    let mut odd = [first; 1 << (WINDOW - 2)];
    for i in 1..odd.len() {
        odd[i] = odd[i - 1].add(field, &twice).point;
    }
    let (of_base, of_point) = (sparse_digits(a, WIDTH), sparse_digits(b, WINDOW));
    let mut sum = Jacobian::INFINITY;
    // Doublings that wait for the next addition.
    let mut count = 0;
    for (of_base, of_point) in of_base.into_iter().zip(of_point).rev() {
        count += 1;
        if of_base == 0 && of_point == 0 {
            continue;
        }
        sum = sum.double(field, std::mem::take(&mut count));
        if of_point != 0 {
            let term = odd[usize::from(of_point.unsigned_abs() / 2)].negate_if(field, sign_mask(of_point));
            sum = completed(field, sum.add(field, &term), &term);
        }
        if of_base != 0 {
            let [x, y] = MULTIPLES[0][usize::from(of_base.unsigned_abs() - 1)];
            let term = Affine { x, y }.negate_if(field, sign_mask(of_base));
            sum = completed(field, sum.add_affine(field, &term, 0), &term.into());
        }
    }
    sum.double(field, count)
}

/// P + Q, in a time that depends on the points.
pub(crate) fn add<F: Field>(field: F, p: &Affine, q: &Affine) -> Jacobian {
    let q = Jacobian::from(*q);
    completed(field, Jacobian::from(*p).add(field, &q), &q)
}

/// The sum, or twice the term if both points were equal.
fn completed<F: Field>(field: F, Sum { point, equal_mask }: Sum, term: &Jacobian) -> Jacobian {
    if equal_mask == 0 { point } else { term.double(field, 1) }
}

/// All ones if the digit is negative, else 0.
fn sign_mask(digit: i8) -> u64 {
    i64::from(digit >> 7).cast_unsigned()
}

/// A digit of a window (Booth).
struct Digit {
    /// The absolute value, from 0 to 2^(W − 1).
    number: u64,
    /// All ones if the digit is negative, else 0.
    sign_mask: u64,
}

impl Digit {
    /// The digit of 2^(W·i), from the bits of the window and the one below: the digits times their powers of two are the scalar.
    #[inline(always)]
    fn of<const W: usize>(k: &Scalar, i: usize) -> Self {
        let words = &k.0;
        let bits = match (i * W).checked_sub(1) {
            None => words[0] << 1,
            Some(at) => {
                let (word, shift) = (at / 64, at % 64);
                let above = if shift > 0 && word < 3 { words[word + 1] << (64 - shift) } else { 0 };
                words[word] >> shift | above
            }
        } & ((2 << W) - 1);
        let sign_mask = black_box((bits >> W).wrapping_neg());
        // The bits of a negative digit are complemented, and then its absolute value is computed as of a positive one.
        let bits = bits ^ (sign_mask & ((2 << W) - 1));
        Self { number: (bits >> 1) + (bits & 1), sign_mask }
    }
}

/// The digits of a number for variable time (width-w NAF): each is 0, or odd and below 2^(width − 1), and among `width` neighbours
/// at most one is not 0.
fn sparse_digits(k: &Scalar, width: usize) -> [i8; 257] {
    let mut digits = [0; 257];
    let [a, b, c, d] = k.0;
    // The rest of the number, and a word for its carry.
    let (words, mut at, mut carry) = ([a, b, c, d, 0], 0, 0);
    while at < digits.len() {
        let (word, shift) = (at / 64, at % 64);
        let above = if shift > 0 && word < 4 { words[word + 1] << (64 - shift) } else { 0 };
        let bits = (words[word] >> shift | above) & ((1 << width) - 1);
        let window = bits + carry;
        if window & 1 == 0 {
            // An even window keeps the carry for the next bit: 1 + 1 is 2.
            at += 1;
            continue;
        }
        carry = window >> (width - 1);
        digits[at] = window.wrapping_sub(carry << width) as i8;
        at += width;
    }
    digits
}
