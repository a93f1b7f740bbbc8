//! The field of SM2's curve: numbers modulo p = 2^256 − 2^224 − 2^96 + 2^64 − 1 (GB/T 32918.5).
//!
//! A number a is stored as a · 2^256 mod p (Montgomery, "Modular multiplication without trial division", 1985). −p^−1 modulo
//! 2^64 is 1. So a step of the reduction takes the lowest word itself as the quotient, and adds its multiple of p by shifts.

use crate::words::{self, Words};

/// p.
pub(crate) const P: Words =
    [0xffff_ffff_ffff_ffff, 0xffff_ffff_0000_0000, 0xffff_ffff_ffff_ffff, 0xffff_fffe_ffff_ffff];

/// A number below p, in Montgomery's form.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Element(pub(crate) Words);

/// The arithmetic of a backend, on its token. Each function is in constant time.
pub(crate) trait Field: Copy {
    /// a · b.
    fn multiply(self, a: &Element, b: &Element) -> Element;
    /// a².
    fn square(self, a: &Element) -> Element;
    /// a + b.
    fn add(self, a: &Element, b: &Element) -> Element;
    /// a − b.
    fn subtract(self, a: &Element, b: &Element) -> Element;
    /// The row of a table with this number, from 1; zeros for the number 0. All rows are read.
    fn pick<const LEN: usize, const ROWS: usize>(self, table: &[[Element; LEN]; ROWS], number: u64) -> [Element; LEN];
}

impl Element {
    pub(crate) const ZERO: Self = Self([0; 4]);
    /// 2^256 mod p.
    pub(crate) const ONE: Self = Self([1, 0x0000_0000_ffff_ffff, 0, 0x0000_0001_0000_0000]);

    /// All ones if it is 0, else 0.
    #[inline(always)]
    pub(crate) fn zero_mask(&self) -> u64 {
        words::zero_mask(&self.0)
    }

    /// `other` if the mask is all ones, itself if it is 0.
    #[inline(always)]
    pub(crate) fn select(&self, other: &Self, mask: u64) -> Self {
        Self(words::select(&self.0, &other.0, mask))
    }

    /// −a if the mask is all ones, a if it is 0.
    #[inline(always)]
    pub(crate) fn negate_if(&self, field: impl Field, mask: u64) -> Self {
        self.select(&field.subtract(&Self::ZERO, self), mask)
    }

    /// a / 2.
    #[inline(always)]
    pub(crate) fn halve(&self) -> Self {
        let (words, odd) = (&self.0, (self.0[0] & 1).wrapping_neg());
        let mut carry = 0;
        let [a, b, c, d]: Words = std::array::from_fn(|i| words::add(words[i], P[i] & odd, &mut carry));
        Self([a >> 1 | b << 63, b >> 1 | c << 63, c >> 1 | d << 63, d >> 1 | carry << 63])
    }

    /// a^(2^count) · b.
    #[inline(never)]
    fn square_and_multiply(&self, field: impl Field, count: u32, factor: &Self) -> Self {
        let power = (0..count).fold(*self, |power, _| field.square(&power));
        field.multiply(&power, factor)
    }

    /// a^(p − 2), which is 1 / a by Fermat's little theorem; 0 for 0. The 32-bit words of p − 2 are fffffffe ffffffff ffffffff ffffffff
    /// ffffffff 00000000 ffffffff fffffffd; `ones_n` is a^(2^n − 1).
    pub(crate) fn invert(&self, field: impl Field) -> Self {
        let join = |high: &Self, count, low: &Self| high.square_and_multiply(field, count, low);
        let ones_2 = join(self, 1, self);
        let ones_3 = join(&ones_2, 1, self);
        let ones_6 = join(&ones_3, 3, &ones_3);
        let ones_12 = join(&ones_6, 6, &ones_6);
        let ones_15 = join(&ones_12, 3, &ones_3);
        let ones_30 = join(&ones_15, 15, &ones_15);
        let ones_31 = join(&ones_30, 1, self);
        let ones_32 = join(&ones_31, 1, self);
        let high = join(&ones_31, 33, &ones_32);
        let high = (0..3).fold(high, |power, _| join(&power, 32, &ones_32));
        let high = join(&high, 64, &ones_32);
        join(&join(&high, 30, &ones_30), 2, self)
    }

    /// A square root, which is a^((p + 1) / 4) because p = 3 mod 4; `None` if there is none. The exponent is
    /// (2^32 − 1)(2^160 − 1) 2^62. The time depends on whether there is a root, so a must be public.
    pub(crate) fn square_root(&self, field: impl Field) -> Option<Self> {
        // a^(2^n − 1) becomes a^(2^2n − 1).
        let join = |high: &Self, count, low: &Self| high.square_and_multiply(field, count, low);
        let double = |ones: &Self, count| join(ones, count, ones);
        let base = [1, 2, 4, 8, 16].iter().fold(*self, |ones, count| double(&ones, *count));
        let ones_5 = join(&double(&double(&base, 1), 2), 1, &base);
        let ones_160 = [5, 10, 20, 40, 80].iter().fold(ones_5, |ones, count| double(&ones, *count));
        let root = (0..62).fold(ones_160, |power, _| field.square(&power));
        (field.square(&root) == *self).then_some(root)
    }
}
