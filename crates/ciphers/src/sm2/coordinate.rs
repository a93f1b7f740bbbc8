//! Coordinates as bytes, and the equation of the curve.

use crate::field::{Element, Field, P};
use crate::portable::sm2::{Portable, reduce};
use crate::words::{self, Words};

/// 2^512 mod p, whose product with a number brings that into Montgomery's form.
const R_SQUARED: Element =
    Element([0x0000_0002_0000_0003, 0x0000_0002_ffff_ffff, 0x0000_0001_0000_0001, 0x0000_0004_0000_0002]);
/// b of the curve y^2 = x^3 − 3x + b.
const B: Element =
    Element([0x90d2_3063_2bc0_dd42, 0x71cf_379a_e9b5_37ab, 0x5279_8150_5ea5_1c3c, 0x240f_e188_ba20_e2c8]);

/// Reads a number of 32 bytes, big-endian; `None` if it is not below p.
pub(super) fn read(bytes: &[u8; 32]) -> Option<Element> {
    let words = words::of_bytes(bytes);
    words::is_below(&words, &P).then(|| of_words(words))
}

/// A number below p, from its words.
pub(super) fn of_words(words: Words) -> Element {
    Portable.multiply(&Element(words), &R_SQUARED)
}

/// Writes 32 bytes, big-endian.
pub(super) fn write(number: &Element) -> [u8; 32] {
    let [a, b, c, d] = number.0;
    words::to_bytes(&reduce([a, b, c, d, 0, 0, 0, 0]).0)
}

/// Whether y^2 = x^3 − 3x + b. The time depends on the numbers, which must be public.
pub(super) fn is_on_curve(x: &Element, y: &Element) -> bool {
    Portable.square(y) == right_side(x)
}

/// The y of a point with this x, odd or even as requested; `None` if no point has this x. The time depends on the numbers, which must
/// be public.
pub(super) fn y_of(x: &Element, is_odd: bool) -> Option<Element> {
    let y = right_side(x).square_root(Portable)?;
    // y is never 0, since the order of the curve is odd. So y and −y differ, and one of the two is odd.
    let is_other = (write(&y)[31] & 1 == 1) != is_odd;
    Some(if is_other { Portable.subtract(&Element::ZERO, &y) } else { y })
}

/// x^3 − 3x + b.
fn right_side(x: &Element) -> Element {
    let field = Portable;
    let cube = field.multiply(&field.square(x), x);
    let triple = field.add(&field.add(x, x), x);
    field.add(&field.subtract(&cube, &triple), &B)
}
