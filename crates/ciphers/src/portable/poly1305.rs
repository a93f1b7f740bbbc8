//! Poly1305 (RFC 8439 section 2.5) on words of 64 bits, in constant time if multiplication is, as on today's 64-bit CPUs.
//!
//! It computes, over blocks m of 128 bits with a 1 above each, h = (h + m) · r modulo 2^130 - 5. It departs from this in two
//! ways:
//!
//! 1. **h is two words and a few bits.** It is reduced in part: the bits above 2^130 are added back times 5, so that the third
//!    word stays below 8.
//! 2. **Products need three words.** The low two bits of r's upper word are zero by definition, so with s = 5 · r1 / 4, h1 · r1
//!    · 2^128 = h1 · s modulo 2^130 - 5: again a product of two words.

use zeroize::Zeroize;

/// The number r, clamped.
pub(crate) type R = [u64; 2];
/// The accumulator, whose third word is below 8.
pub(crate) type Accumulator = [u64; 3];
type Block = [u8; 16];

/// r, and the accumulator of the blocks so far.
pub(crate) struct Sum {
    pub(crate) r: R,
    pub(crate) h: Accumulator,
}

/// Reads r from the first half of the key, and clears the bits that RFC 8439 section 2.5 says.
pub(crate) fn clamp(bytes: &Block) -> R {
    let r = u128::from_le_bytes(*bytes) & 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff;
    [r as u64, (r >> 64) as u64]
}

/// Authenticates blocks with the bit `high` above each: 1, or 0 if the block contains its padding.
pub(crate) fn update(sum: &mut Sum, blocks: &[Block], high: u64) {
    let Some((first, blocks)) = blocks.split_first() else { return };
    let mut h = plus(sum.h, first, high);
    for block in blocks {
        h = times_plus(h, sum.r, block, high);
    }
    sum.h = times(h, sum.r);
}

/// h + m.
#[inline(always)]
pub(crate) fn plus([h0, h1, h2]: Accumulator, block: &Block, high: u64) -> Accumulator {
    let (low, carry) = (u128::from(h1) << 64 | u128::from(h0)).overflowing_add(u128::from_le_bytes(*block));
    [low as u64, (low >> 64) as u64, h2 + high + u64::from(carry)]
}

/// h · r.
#[inline(always)]
pub(crate) fn times(h: Accumulator, r: R) -> Accumulator {
    times_plus(h, r, &[0; 16], 0)
}

/// h · r + m. m is added to the lower words before the upper ones are known, so that nothing waits for the addition.
#[inline(always)]
pub(crate) fn times_plus([h0, h1, h2]: Accumulator, [r0, r1]: R, block: &Block, high: u64) -> Accumulator {
    let s = r1 + (r1 >> 2);
    let d0 = wide(h0, r0) + wide(h1, s);
    // h2 is below 8, so its products fit in a word.
    let d1 = wide(h0, r1) + wide(h1, r0) + u128::from(h2 * s) + (d0 >> 64);
    let d2 = h2 * r0 + (d1 >> 64) as u64;
    let (low, carry) = (d1 << 64 | u128::from(d0 as u64)).overflowing_add(u128::from_le_bytes(*block));
    // 2^130 = 5 modulo p.
    let (low, other) = low.overflowing_add(u128::from((d2 >> 2) + (d2 & !3)));
    [low as u64, (low >> 64) as u64, (d2 & 3) + high + u64::from(carry) + u64::from(other)]
}

/// The product of two words.
#[inline(always)]
fn wide(a: u64, b: u64) -> u128 {
    if cfg!(target_arch = "wasm32") {
        // WASM has no instruction for a product of 128 bits, and would call a function.
        let [(a1, a0), (b1, b0)] = [a, b].map(|x| (x >> 32, x & 0xffff_ffff));
        let low = a0 * b0;
        let middle = a1 * b0 + (low >> 32);
        let other = a0 * b1 + (middle & 0xffff_ffff);
        let high = a1 * b1 + (middle >> 32) + (other >> 32);
        u128::from(high) << 64 | u128::from(other << 32 | low & 0xffff_ffff)
    } else {
        u128::from(a) * u128::from(b)
    }
}

/// The tag: h modulo 2^130 - 5, plus s, modulo 2^128.
pub(crate) fn tag(h: &mut Accumulator, s: &Block) -> Block {
    let [h0, h1, h2] = *h;
    let low = u128::from(h1) << 64 | u128::from(h0);
    // h + 5 reaches 2^130 if h is not below the modulus. Subtracting it once is enough: after a product h2 is below 5, and if
    // h2 is 4, the other words are small.
    let (less, carry) = low.overflowing_add(5);
    let above = h2 + u64::from(carry) >> 2;
    let mask = std::hint::black_box(u128::from(above)).wrapping_neg();
    let tag = (low & !mask | less & mask).wrapping_add(u128::from_le_bytes(*s));
    h.zeroize();
    tag.to_le_bytes()
}
