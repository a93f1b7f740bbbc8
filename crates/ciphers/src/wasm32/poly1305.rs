//! Poly1305 on registers of 128 bits, in constant time: as on x86-64 (`x86_64/poly1305.rs`), with four lanes of 26-bit limbs.
//! Limbs are words of 32 bits, four to a register; their products are words of 64, in two registers.

use super::keystream::{load, transpose};
use crate::portable::poly1305::Accumulator;
use core::arch::wasm32::*;

type Block = [u8; 16];
/// Words of 32 bits.
type Limbs = [v128; 5];
/// Words of 64 bits: of the lower two lanes, and of the upper ones.
type Product = [[v128; 2]; 5];

pub(crate) const LANES: usize = 4;
/// r, r^2, r^3 and r^4.
pub(crate) type Powers = [Accumulator; LANES];

/// Blocks from which on it is worth to begin with vectors.
pub(crate) const WORTH: usize = 16;

/// Takes in a multiple of four blocks, and returns the rest.
pub(crate) fn update<'a>(powers: &Powers, h: &mut Accumulator, blocks: &'a [Block]) -> &'a [Block] {
    let (groups, rest) = blocks.as_chunks::<4>();
    let Some((first, groups)) = groups.split_first() else { return blocks };
    let step = Factor::of([powers[3]; 4]);
    let mut sum = plus(limbs([*h, [0; 3], [0; 3], [0; 3]]), message(first));
    for group in groups {
        sum = plus(narrowed(carried(step.times(sum))), message(group));
    }
    let last = Factor::of([powers[3], powers[2], powers[1], powers[0]]);
    *h = total(carried(last.times(sum)));
    rest
}

/// What limbs are multiplied by, and 5 times that.
struct Factor(Limbs, Limbs);

impl Factor {
    fn of(numbers: [Accumulator; 4]) -> Self {
        let limbs = limbs(numbers);
        Self(limbs, limbs.map(|limb| i32x4_add(limb, u32x4_shl(limb, 2))))
    }

    /// The product, its limbs not carried.
    #[inline(always)]
    fn times(&self, a: Limbs) -> Product {
        let mut sum = [[u64x2_splat(0); 2]; 5];
        for (i, limb) in a.into_iter().enumerate() {
            for j in 0..5 {
                let factor = if i + j < 5 { self.0[j] } else { self.1[j] };
                let [low, high] = &mut sum[(i + j) % 5];
                *low = i64x2_add(*low, u64x2_extmul_low_u32x4(limb, factor));
                *high = i64x2_add(*high, u64x2_extmul_high_u32x4(limb, factor));
            }
        }
        sum
    }
}

#[inline(always)]
fn plus(a: Limbs, b: Limbs) -> Limbs {
    std::array::from_fn(|i| i32x4_add(a[i], b[i]))
}

/// The limbs of blocks with a bit behind each.
#[inline(always)]
fn message(blocks: &[Block; 4]) -> Limbs {
    let [a, b, c, d] = transpose([load(&blocks[0]), load(&blocks[1]), load(&blocks[2]), load(&blocks[3])]);
    let mask = u32x4_splat((1 << 26) - 1);
    [
        v128_and(a, mask),
        v128_and(v128_or(u32x4_shr(a, 26), u32x4_shl(b, 6)), mask),
        v128_and(v128_or(u32x4_shr(b, 20), u32x4_shl(c, 12)), mask),
        v128_and(v128_or(u32x4_shr(c, 14), u32x4_shl(d, 18)), mask),
        v128_or(u32x4_shr(d, 8), u32x4_splat(1 << 24)),
    ]
}

/// The limbs of numbers, one to a lane.
fn limbs(numbers: [Accumulator; 4]) -> Limbs {
    let limbs = numbers.map(|[low, high, above]| {
        let number = u128::from(high) << 64 | u128::from(low);
        let limb = |i: u32| (number >> (26 * i)) as u32 & ((1 << 26) - 1);
        [limb(0), limb(1), limb(2), limb(3), (number >> 104) as u32 + ((above as u32) << 24)]
    });
    std::array::from_fn(|i| u32x4(limbs[0][i], limbs[1][i], limbs[2][i], limbs[3][i]))
}

/// Carries go once around, from two places on at once.
#[inline(always)]
fn carried(product: Product) -> Product {
    let mask = u64x2_splat((1 << 26) - 1);
    let carry = |x: &mut [v128; 2]| {
        let over = x.map(|x| u64x2_shr(x, 26));
        *x = x.map(|x| v128_and(x, mask));
        over
    };
    let add = |x: &mut [v128; 2], over: [v128; 2]| *x = [i64x2_add(x[0], over[0]), i64x2_add(x[1], over[1])];
    let [mut a, mut b, mut c, mut d, mut e] = product;
    add(&mut b, carry(&mut a));
    add(&mut e, carry(&mut d));
    add(&mut c, carry(&mut b));
    // 2^130 is 5.
    let over = carry(&mut e);
    add(&mut a, over.map(|over| i64x2_add(over, u64x2_shl(over, 2))));
    add(&mut d, carry(&mut c));
    add(&mut b, carry(&mut a));
    add(&mut e, carry(&mut d));
    [a, b, c, d, e]
}

/// Words of 32 bits from those of 64.
#[inline(always)]
fn narrowed(product: Product) -> Limbs {
    product.map(|[low, high]| i32x4_shuffle::<0, 2, 4, 6>(low, high))
}

/// The sum of the lanes.
fn total(product: Product) -> Accumulator {
    let sums = product.map(|[low, high]| {
        let sum = i64x2_add(low, high);
        u64x2_extract_lane::<0>(sum) + u64x2_extract_lane::<1>(sum)
    });
    crate::portable::poly1305::total(&sums, 26)
}
