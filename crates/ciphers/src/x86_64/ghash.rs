//! GHASH on carry-less multiplication, in constant time.
//!
//! It computes, over blocks X of 128 bits,
//!
//! ```text
//! Y = 0
//! for X: Y = (Y ^ X) · H      in GF(2^128) with GCM's reflected bits
//! ```
//!
//! (SP 800-38D section 6.4). It departs from this in three ways:
//!
//! 1. **Bits are reordered once.** GHASH is POLYVAL (RFC 8452 appendix A) of the blocks with their bytes reversed, under H with
//!    its bytes reversed and multiplied by x. This costs one shuffle a block, and `pclmulqdq` needs no shift afterwards.
//! 2. **Reduction is Montgomery's.** POLYVAL's product is a·b·x^-128, and two multiplications by the constant
//!    0xc200000000000000 fold the lower half into the upper one.
//! 3. **Sixteen blocks are reduced at once**, or 64 in registers of 512 bits. Y·H^16 ^ X1·H^16 ^ X2·H^15 ^ … is summed before
//!    the reduction; the products are independent, so they keep the multiplier busy. Wider registers hold two or four blocks
//!    each. The product that waits for Y comes last.
//!
//! Sources: Gueron and Kounavis, Intel (2010); Gueron, Langley and Lindell, RFC 8452.

use super::super::cpu::{Clmul, VpclmulAvx2, VpclmulAvx512};
use crate::erasure::clear;
use core::arch::x86_64::*;

type Block = [u8; 16];

/// Blocks between two reductions, on registers of 512 bits and on narrower ones.
const MOST: usize = 64;
const SOME: usize = 16;

/// Powers of H in POLYVAL's form: `powers[i]` is H^(`MOST` - i). Kernels on narrower registers use only the last `SOME`. Zeroed
/// on drop.
pub(crate) struct Powers([Block; MOST]);

impl Powers {
    /// The last `SOME` powers, for narrower registers.
    pub(crate) fn new(_cpu: Clmul, h: &Block) -> Box<Self> {
        let mut powers = Box::new(Self([[0; 16]; MOST]));
        // SAFETY: the token exists, so the features were detected.
        unsafe { fill(&mut powers, h) };
        powers
    }

    /// All powers, for registers of 512 bits.
    pub(crate) fn new_512(narrow: Clmul, _wide: VpclmulAvx512, h: &Block) -> Box<Self> {
        let mut powers = Self::new(narrow, h);
        // SAFETY: the token exists, so the features were detected.
        unsafe { fill_up(&mut powers) };
        powers
    }
}

impl Drop for Powers {
    fn drop(&mut self) {
        clear(&mut self.0, [0; 16]);
    }
}

/// Hashes `blocks` into `state`.
pub(crate) fn update_clmul(_cpu: Clmul, powers: &Powers, state: &mut Block, blocks: &[Block]) {
    // SAFETY: the token exists, so the features were detected.
    unsafe { narrow::update(powers, state, blocks) }
}

/// Hashes `blocks` into `state`, two to a register.
pub(crate) fn update_vpclmul256(_cpu: VpclmulAvx2, powers: &Powers, state: &mut Block, blocks: &[Block]) {
    // SAFETY: the token exists, so the features were detected.
    unsafe { wide256::update(powers, state, blocks) }
}

/// Hashes `blocks` into `state`, four to a register.
pub(crate) fn update_vpclmul512(_cpu: VpclmulAvx512, powers: &Powers, state: &mut Block, blocks: &[Block]) {
    // SAFETY: the token exists, so the features were detected.
    unsafe { wide512::update(powers, state, blocks) }
}

#[target_feature(enable = "pclmulqdq,ssse3")]
fn fill(powers: &mut Powers, h: &Block) {
    // mulX: H times x, with x^128 = x^127 + x^126 + x^121 + 1, without a branch.
    let h = u128::from_be_bytes(*h);
    let h = (h << 1) ^ ((h >> 127) * ((0xc2 << 120) | 1));
    let first = load(&h.to_le_bytes());
    let mut power = first;
    for slot in powers.0[MOST - SOME..].iter_mut().rev() {
        store(slot, power);
        power = reduce(multiply(power, first));
    }
}

/// Computes the other powers from the last `SOME`.
#[target_feature(enable = "vpclmulqdq,pclmulqdq,avx512f,avx512bw,avx2")]
fn fill_up(powers: &mut Powers) {
    let step = _mm512_broadcast_i32x4(load(&powers.0[MOST - SOME]));
    let constant = _mm512_broadcast_i32x4(_mm_set_epi64x(0, 0xc200_0000_0000_0000_u64.cast_signed()));
    let fold = |x| _mm512_xor_si512(_mm512_shuffle_epi32::<0x4e>(x), _mm512_clmulepi64_epi128::<0x00>(x, constant));
    let (fours, _) = powers.0.as_chunks_mut::<4>();
    for at in (0..(MOST - SOME) / 4).rev() {
        // SAFETY: the four blocks are as long as the register; the unaligned load asks for no alignment.
        let power = unsafe { _mm512_loadu_si512(fours[at + SOME / 4].as_ptr().cast()) };
        let (one, other) =
            (_mm512_clmulepi64_epi128::<0x01>(power, step), _mm512_clmulepi64_epi128::<0x10>(power, step));
        let middle = _mm512_xor_si512(one, other);
        let low = _mm512_clmulepi64_epi128::<0x00>(power, step);
        let high = _mm512_clmulepi64_epi128::<0x11>(power, step);
        let low = fold(fold(_mm512_xor_si512(low, _mm512_bslli_epi128::<8>(middle))));
        let product = _mm512_xor_si512(low, _mm512_xor_si512(high, _mm512_bsrli_epi128::<8>(middle)));
        // SAFETY: the four blocks are as long as the register; the unaligned store asks for no alignment.
        unsafe { _mm512_storeu_si512(fours[at].as_mut_ptr().cast(), product) }
    }
}

/// A product of 256 bits in three parts: low, middle (shifted by 64 bits) and high.
#[derive(Clone, Copy)]
struct Product {
    low: __m128i,
    middle: __m128i,
    high: __m128i,
}

impl Product {
    #[inline]
    #[target_feature(enable = "sse2")]
    fn plus(self, other: Self) -> Self {
        Self {
            low: _mm_xor_si128(self.low, other.low),
            middle: _mm_xor_si128(self.middle, other.middle),
            high: _mm_xor_si128(self.high, other.high),
        }
    }
}

#[inline]
#[target_feature(enable = "pclmulqdq")]
fn multiply(a: __m128i, b: __m128i) -> Product {
    Product {
        low: _mm_clmulepi64_si128::<0x00>(a, b),
        middle: _mm_xor_si128(_mm_clmulepi64_si128::<0x01>(a, b), _mm_clmulepi64_si128::<0x10>(a, b)),
        high: _mm_clmulepi64_si128::<0x11>(a, b),
    }
}

#[inline]
#[target_feature(enable = "pclmulqdq,ssse3")]
fn reduce(product: Product) -> __m128i {
    let constant = _mm_set_epi64x(0, 0xc200_0000_0000_0000_u64.cast_signed());
    let low = _mm_xor_si128(product.low, _mm_slli_si128::<8>(product.middle));
    let high = _mm_xor_si128(product.high, _mm_srli_si128::<8>(product.middle));
    let fold = |x| _mm_xor_si128(_mm_shuffle_epi32::<0x4e>(x), _mm_clmulepi64_si128::<0x00>(x, constant));
    _mm_xor_si128(fold(fold(low)), high)
}

#[inline]
#[target_feature(enable = "ssse3")]
fn reverse_bytes(x: __m128i) -> __m128i {
    _mm_shuffle_epi8(x, _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
}

#[inline]
#[target_feature(enable = "sse2")]
fn load(block: &Block) -> __m128i {
    // SAFETY: `block` is as long as the register; the unaligned load asks for no alignment.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "sse2")]
fn store(block: &mut Block, x: __m128i) {
    // SAFETY: `block` is as long as the register; the unaligned store asks for no alignment.
    unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), x) }
}

/// A module with the kernel for one width of register.
macro_rules! kernel {
    (
        $(#[$doc:meta])* mod $name:ident, features $features:literal, vector $Vector:ty, lanes $LANES:literal, at_once $AT_ONCE:ident,
        load $load:ident, xor $xor:ident, zero $zero:ident, multiply $multiply:ident, shuffle $shuffle:ident,
        reversal $reversal:expr, first $first:expr, fold $fold:ident
    ) => {
        $(#[$doc])*
        mod $name {
            use super::*;

            #[target_feature(enable = $features)]
            pub(super) fn update(powers: &Powers, state: &mut Block, blocks: &[Block]) {
                let (groups, rest) = blocks.as_chunks::<$AT_ONCE>();
                let mut y = reverse_bytes(load(state));
                for group in groups {
                    y = reduce(sum(&powers.0[MOST - $AT_ONCE..], y, group));
                }
                if rest.len() >= $LANES {
                    let (most, few) = rest.split_at(rest.len() / $LANES * $LANES);
                    let powers = &powers.0[MOST - rest.len()..];
                    let mut product = sum(powers, y, most);
                    for (block, power) in few.iter().zip(&powers[most.len()..]) {
                        product = product.plus(multiply(reverse_bytes(load(block)), load(power)));
                    }
                    y = reduce(product);
                } else {
                    for block in rest {
                        y = reduce(multiply(_mm_xor_si128(y, reverse_bytes(load(block))), load(&powers.0[MOST - 1])));
                    }
                }
                store(state, reverse_bytes(y));
            }

            /// The sum of the products of each block with its power; `y` is added to the first block.
            #[inline]
            #[target_feature(enable = $features)]
            fn sum(powers: &[Block], y: __m128i, blocks: &[Block]) -> Product {
                let reversal = $reversal;
                let (mut low, mut middle, mut high) = ($zero(), $zero(), $zero());
                let (parts, _) = blocks.as_chunks::<$LANES>();
                let (powers, _) = powers.as_chunks::<$LANES>();
                let mut add = |x, power| {
                    low = $xor(low, $multiply::<0x00>(x, power));
                    high = $xor(high, $multiply::<0x11>(x, power));
                    middle = $xor(middle, $xor($multiply::<0x01>(x, power), $multiply::<0x10>(x, power)));
                };
                for (part, power) in parts[1..].iter().zip(&powers[1..]) {
                    add($shuffle(wide(part), reversal), wide(power));
                }
                add($xor($shuffle(wide(&parts[0]), reversal), $first(y)), wide(&powers[0]));
                Product { low: $fold(low), middle: $fold(middle), high: $fold(high) }
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn wide(blocks: &[Block; $LANES]) -> $Vector {
                // SAFETY: `blocks` is as long as the register; the unaligned load asks for no alignment.
                unsafe { $load(blocks.as_ptr().cast()) }
            }
        }
    };
}

/// The mask that reverses the bytes of a block, as two words.
const REVERSAL: [i64; 2] = [0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607];

kernel! {
    /// One block to a register.
    mod narrow, features "pclmulqdq,ssse3", vector __m128i, lanes 1, at_once SOME,
    load _mm_loadu_si128, xor _mm_xor_si128, zero _mm_setzero_si128, multiply _mm_clmulepi64_si128,
    shuffle _mm_shuffle_epi8, reversal _mm_set_epi64x(REVERSAL[1], REVERSAL[0]), first |y| y, fold fold_128
}

kernel! {
    /// Two blocks to a register.
    mod wide256, features "vpclmulqdq,pclmulqdq,avx2", vector __m256i, lanes 2, at_once SOME,
    load _mm256_loadu_si256, xor _mm256_xor_si256, zero _mm256_setzero_si256, multiply _mm256_clmulepi64_epi128,
    shuffle _mm256_shuffle_epi8,
    reversal _mm256_set_epi64x(REVERSAL[1], REVERSAL[0], REVERSAL[1], REVERSAL[0]),
    first |y| _mm256_zextsi128_si256(y), fold fold_256
}

kernel! {
    /// Four blocks to a register.
    mod wide512, features "vpclmulqdq,pclmulqdq,avx512f,avx512bw,avx2", vector __m512i, lanes 4, at_once MOST,
    load _mm512_loadu_si512, xor _mm512_xor_si512, zero _mm512_setzero_si512, multiply _mm512_clmulepi64_epi128,
    shuffle _mm512_shuffle_epi8,
    reversal _mm512_broadcast_i32x4(_mm_set_epi64x(REVERSAL[1], REVERSAL[0])),
    first |y| _mm512_zextsi128_si512(y), fold fold_512
}

/// The sum of the lanes of a register: there is one here, two in `fold_256`, four in `fold_512`.
#[inline]
#[target_feature(enable = "sse2")]
fn fold_128(x: __m128i) -> __m128i {
    x
}

#[inline]
#[target_feature(enable = "avx2")]
fn fold_256(x: __m256i) -> __m128i {
    _mm_xor_si128(_mm256_castsi256_si128(x), _mm256_extracti128_si256::<1>(x))
}

#[inline]
#[target_feature(enable = "avx512f,avx2")]
fn fold_512(x: __m512i) -> __m128i {
    fold_256(_mm256_xor_si256(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64::<1>(x)))
}
