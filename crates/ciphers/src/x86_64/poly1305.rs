//! Poly1305 on vector registers, in constant time.
//!
//! It computes, over blocks m of 128 bits with a 1 above each, h = (h + m) · r modulo p = 2^130 - 5 (RFC 8439 section 2.5).
//! It departs from this in four ways:
//!
//! 1. **Each of the L lanes takes every L-th block.** A lane is multiplied by r^L for each block, and at the end lane i by
//!    r^(L-i), so that the lanes add up to h.
//! 2. **Two groups of blocks are reduced at once**, as h · r^2L + m · r^L + m': the multiplications of m wait for nothing. With
//!    IFMA four groups are, and the last groups are multiplied by each lane's own power.
//! 3. **Numbers are limbs of 26 bits**, or of 44 with IFMA, whose products leave room for sums. Bits above 2^130 are added back
//!    times 5, so products of limbs that reach it use 5 · r.
//! 4. **Carries go once around** and leave limbs a little above their width, which the next products allow.
//!
//! Sources: Bernstein (2005); Goll and Gueron, "Vectorization of Poly1305 message authentication code" (2015).

use super::super::cpu::{Avx2, Avx512, Avx512Ifma};
use super::super::portable::poly1305::{Accumulator, R};
use crate::erasure::clear;
use core::arch::x86_64::*;
pub(crate) use limbs_44::Factors;

type Block = [u8; 16];
/// r, r^2, and so on, one for each lane of the widest kernel.
pub(crate) type Powers = [Accumulator; 8];

/// Number of blocks from which on vectors are faster: their beginning and end cost as much as about thirty blocks on words.
pub(crate) const MIN_BLOCKS: usize = 48;
/// The same number with IFMA, and with IFMA once its factors are computed.
pub(crate) const MIN_BLOCKS_IFMA: usize = 28;
pub(crate) const MIN_BLOCKS_WITH_FACTORS: usize = 8;

/// Authenticates a multiple of four blocks, and returns the rest.
pub(crate) fn update_avx2<'a>(_cpu: Avx2, powers: &Powers, h: &mut Accumulator, blocks: &'a [Block]) -> &'a [Block] {
    // SAFETY: the token exists, so the features were detected.
    unsafe { limbs_26_of_256::update(powers, h, blocks) }
}

/// Authenticates a multiple of eight blocks, and returns the rest.
pub(crate) fn update_avx512<'a>(
    _cpu: Avx512,
    powers: &Powers,
    h: &mut Accumulator,
    blocks: &'a [Block],
) -> &'a [Block] {
    // SAFETY: the token exists, so the features were detected.
    unsafe { limbs_26_of_512::update(powers, h, blocks) }
}

/// Computes the powers of r that IFMA multiplies by.
pub(crate) fn fill_ifma(_cpu: Avx512Ifma, factors: &mut Factors, r: R) {
    // SAFETY: the token exists, so the features were detected.
    unsafe { factors.fill(r) }
}

/// Authenticates a multiple of eight blocks with IFMA, and returns the rest.
pub(crate) fn update_ifma<'a>(
    _cpu: Avx512Ifma,
    factors: &Factors,
    h: &mut Accumulator,
    blocks: &'a [Block],
) -> &'a [Block] {
    // SAFETY: the token exists, so the features were detected.
    unsafe { limbs_44::update(factors, h, blocks) }
}

/// The functions on `$N` limbs and `$LANES` lanes that do not depend on the limbs' width.
macro_rules! over_lanes {
    (
        $features:literal, $Vector:ty, $N:literal, $LANES:literal, $HALF:literal,
        $zero:ident, $add:ident, $low:ident, $high:ident, $load:ident, $words:ident, $order:ident
    ) => {
        type Limbs = [$Vector; $N];

        /// Authenticates whole groups of blocks, and returns the rest.
        #[target_feature(enable = $features)]
        pub(super) fn update<'a>(powers: &Powers, h: &mut Accumulator, blocks: &'a [Block]) -> &'a [Block] {
            let (groups, rest) = blocks.as_chunks::<$LANES>();
            let Some((first, groups)) = groups.split_first() else { return blocks };
            // The barrier keeps the factor in memory, so that the compiler aligns it, which it otherwise does not for a spilled
            // one.
            let step = core::hint::black_box(Factor::of(limbs_of_words($words([powers[$LANES - 1]; $LANES]))));
            let mut begin = [[0; 3]; $LANES];
            begin[0] = *h;
            let mut sum = plus(limbs_of_words($words(begin)), message(first));
            let (pairs, single) = groups.as_chunks::<2>();
            if !pairs.is_empty() {
                let double_step = Factor::of(step.times(step.limbs()));
                for [one, other] in pairs {
                    let product = step.add_to(message(one), double_step.add_to(sum, nothing()));
                    sum = plus(carry(product), message(other));
                }
            }
            for group in single {
                sum = plus(step.times(sum), message(group));
            }
            let last = Factor::of(limbs_of_words($words($order.map(|lane| powers[$LANES - 1 - lane]))));
            *h = total(last.times(sum));
            rest
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn plus(a: Limbs, b: Limbs) -> Limbs {
            let mut sum = a;
            for (limb, other) in sum.iter_mut().zip(b) {
                *limb = $add(*limb, other);
            }
            sum
        }

        /// The limbs of blocks with a 1 above each, in the lane order that unpacking halves of blocks gives.
        #[inline]
        #[target_feature(enable = $features)]
        fn message(blocks: &[Block; $LANES]) -> Limbs {
            let (halves, _) = blocks.as_chunks::<$HALF>();
            let load = |half: &[Block; $HALF]| {
                // SAFETY: `half` is as long as the register; the unaligned load asks for no alignment.
                unsafe { $load(half.as_ptr().cast()) }
            };
            let (a, b) = (load(&halves[0]), load(&halves[1]));
            split([$low(a, b), $high(a, b), one()])
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn limbs_of_words(words: [$Vector; 3]) -> Limbs {
            split(words)
        }
    };
}

/// A module that computes with limbs of 26 bits on one width of register.
macro_rules! limbs_26 {
    (
        $(#[$doc:meta])* mod $name:ident, features $features:literal, vector $Vector:ty, lanes $LANES:literal, half $HALF:literal,
        add $add:ident, multiply $multiply:ident, and $and:ident, or $or:ident, shift $left:ident $right:ident,
        word $word:ident, zero $zero:ident, unpack $low:ident $high:ident, load $load:ident, words $words:ident,
        lane_sum $lane_sum:ident, order $order:ident
    ) => {
        $(#[$doc])*
        mod $name {
            use super::*;

            over_lanes! { $features, $Vector, 5, $LANES, $HALF, $zero, $add, $low, $high, $load, $words, $order }

            /// The limbs of a factor, and 5 times these limbs.
            struct Factor([$Vector; 5], [$Vector; 5]);

            impl Factor {
                #[inline]
                #[target_feature(enable = $features)]
                fn of(limbs: Limbs) -> Self {
                    let mut five_times = limbs;
                    for limb in &mut five_times {
                        *limb = $add(*limb, $left::<2>(*limb));
                    }
                    Self(limbs, five_times)
                }

                #[inline]
                #[target_feature(enable = $features)]
                fn limbs(&self) -> Limbs {
                    self.0
                }

                /// Adds the product with `a` to `sum`, without carries.
                #[inline]
                #[target_feature(enable = $features)]
                fn add_to(&self, a: Limbs, mut sum: Limbs) -> Limbs {
                    for (i, limb) in a.into_iter().enumerate() {
                        for j in 0..5 {
                            let factor = if i + j < 5 { self.0[j] } else { self.1[j] };
                            sum[(i + j) % 5] = $add(sum[(i + j) % 5], $multiply(limb, factor));
                        }
                    }
                    sum
                }

                #[inline]
                #[target_feature(enable = $features)]
                fn times(&self, a: Limbs) -> Limbs {
                    carry(self.add_to(a, nothing()))
                }
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn nothing() -> Limbs {
                [$zero(); 5]
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn one() -> $Vector {
                $word(1)
            }

            /// Splits numbers of two words and some bits into limbs.
            #[inline]
            #[target_feature(enable = $features)]
            fn split([low, high, above]: [$Vector; 3]) -> Limbs {
                let mask = $word((1 << 26) - 1);
                [
                    $and(low, mask),
                    $and($right::<26>(low), mask),
                    $and($or($right::<52>(low), $left::<12>(high)), mask),
                    $and($right::<14>(high), mask),
                    $or($right::<40>(high), $left::<24>(above)),
                ]
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn carry([mut a, mut b, mut c, mut d, mut e]: Limbs) -> Limbs {
                let mask = $word((1 << 26) - 1);
                // Carries begin at two limbs at once, which halves the chain.
                b = $add(b, $right::<26>(a));
                e = $add(e, $right::<26>(d));
                (a, d) = ($and(a, mask), $and(d, mask));
                c = $add(c, $right::<26>(b));
                let over = $right::<26>(e);
                (b, e) = ($and(b, mask), $and(e, mask));
                a = $add(a, $add(over, $left::<2>(over)));
                d = $add(d, $right::<26>(c));
                c = $and(c, mask);
                b = $add(b, $right::<26>(a));
                e = $add(e, $right::<26>(d));
                (a, d) = ($and(a, mask), $and(d, mask));
                [a, b, c, d, e]
            }

            /// The sum of the lanes as an accumulator.
            #[inline]
            #[target_feature(enable = $features)]
            fn total(limbs: Limbs) -> Accumulator {
                super::total(&limbs.map(|limb| $lane_sum(limb)), 26)
            }
        }
    };
}

/// The accumulator from limbs of `width` bits and a few bits more.
fn total(limbs: &[u64], width: u32) -> Accumulator {
    let (mut low, mut above) = (0_u128, 0);
    for (i, limb) in (0..).zip(limbs) {
        let at = i * width;
        let (sum, carry) = low.overflowing_add(u128::from(*limb) << at);
        // The bits that the shift drops from the last limb.
        above += u64::from(carry) + if at > 64 { limb >> (128 - at) } else { 0 };
        low = sum;
    }
    let (low, carry) = low.overflowing_add(u128::from((above >> 2) * 5));
    [low as u64, (low >> 64) as u64, (above & 3) + u64::from(carry)]
}

/// The index in its group of each lane's block.
const ORDER_4: [usize; 4] = [0, 2, 1, 3];
const ORDER_8: [usize; 8] = [0, 4, 1, 5, 2, 6, 3, 7];

limbs_26! {
    /// Four lanes.
    mod limbs_26_of_256, features "avx2", vector __m256i, lanes 4, half 2,
    add _mm256_add_epi64, multiply _mm256_mul_epu32, and _mm256_and_si256, or _mm256_or_si256,
    shift _mm256_slli_epi64 _mm256_srli_epi64, word _mm256_set1_epi64x, zero _mm256_setzero_si256,
    unpack _mm256_unpacklo_epi64 _mm256_unpackhi_epi64, load _mm256_loadu_si256, words words_256,
    lane_sum lane_sum_256, order ORDER_4
}

limbs_26! {
    /// Eight lanes.
    mod limbs_26_of_512, features "avx512f,avx2", vector __m512i, lanes 8, half 4,
    add _mm512_add_epi64, multiply _mm512_mul_epu32, and _mm512_and_si512, or _mm512_or_si512,
    shift _mm512_slli_epi64 _mm512_srli_epi64, word _mm512_set1_epi64, zero _mm512_setzero_si512,
    unpack _mm512_unpacklo_epi64 _mm512_unpackhi_epi64, load _mm512_loadu_si512, words words_512,
    lane_sum lane_sum_512, order ORDER_8
}

/// Limbs of 44, 44 and 42 bits on eight lanes, which IFMA multiplies.
pub(super) mod limbs_44 {
    use super::*;

    type Limbs = [__m512i; 3];
    /// The limbs of a factor, and 20 times the last two: three limbs are 132 bits, and 2^132 = 20 modulo p.
    type Factor = [__m512i; 5];
    /// The sums of the lower and of the upper 52 bits of products.
    type Product = [Limbs; 2];

    /// Groups of eight blocks that are reduced at once.
    pub(crate) const GROUPS: usize = 4;

    /// r^32 to r^25, then r^24 to r^17, and so on, in the order of the lanes. The last groups of blocks are multiplied by all
    /// of these, and the groups before by the first lanes alone.
    pub(crate) struct Factors([[[u64; 8]; 5]; GROUPS]);

    impl Default for Factors {
        fn default() -> Self {
            Self([[[0; 8]; 5]; GROUPS])
        }
    }

    impl Factors {
        /// Computes the powers of r, doubling their number in each step.
        #[target_feature(enable = "avx512ifma,avx512f,avx2")]
        pub(super) fn fill(&mut self, [r0, r1]: R) {
            let word = |word: u64| _mm512_set1_epi64(word.cast_signed());
            let r = split(word(r0), word(r1), _mm512_setzero_si512());
            let two = times(r, &factor(r));
            let upto_2 = blend(0b0011_0011, r, two);
            let upto_4 = blend(0b0000_1111, upto_2, times(upto_2, &factor(two)));
            let upto_8 = blend(0b0101_0101, upto_4, times(upto_4, &factor(first(upto_4))));
            let upto_16 = times(upto_8, &factor(first(upto_8)));
            let by_16 = factor(first(upto_16));
            for (place, power) in
                self.0.iter_mut().zip([times(upto_16, &by_16), times(upto_8, &by_16), upto_16, upto_8])
            {
                for (lanes, limb) in place.iter_mut().zip(factor(power)) {
                    // SAFETY: `lanes` are as long as the register; the unaligned store asks for no alignment.
                    unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), limb) }
                }
            }
        }

        /// The factors of a group, one for each lane.
        #[inline]
        #[target_feature(enable = "avx512f")]
        fn lanes(&self, group: usize) -> Factor {
            // SAFETY: `lanes` are as long as the register; the unaligned load asks for no alignment.
            self.0[group].each_ref().map(|lanes| unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) })
        }

        /// The factor of a group's first lane, in all lanes.
        #[inline]
        #[target_feature(enable = "avx512f")]
        fn first(&self, group: usize) -> Factor {
            self.0[group].each_ref().map(|lanes| _mm512_set1_epi64(lanes[0].cast_signed()))
        }

        pub(crate) fn as_ptr(&self) -> *const u64 {
            self.0.as_ptr().cast()
        }

        pub(crate) fn clear(&mut self) {
            clear(self.0.as_flattened_mut(), [0; 8]);
        }
    }

    /// The running sum of long data. Lane i holds r^i times its part of the sum, so the accumulator begins in the first lane.
    pub(crate) struct Running(pub(crate) Limbs);

    impl Running {
        #[inline]
        #[target_feature(enable = "avx512f")]
        pub(crate) fn begin(h: &Accumulator) -> Self {
            let [low, high, above] = h.map(|word| _mm512_zextsi128_si512(_mm_cvtsi64_si128(word.cast_signed())));
            Self(split(low, high, above))
        }

        /// Authenticates groups that are not the last.
        #[inline]
        #[target_feature(enable = "avx512ifma,avx512f,avx2")]
        pub(crate) fn update(&mut self, factors: &Factors, groups: &[[Block; 8]; GROUPS]) {
            let mut product = nothing();
            for (i, group) in groups.iter().enumerate().skip(1) {
                product = plus_product(product, message(group), &factors.first(i));
            }
            self.0 = carry(plus_product(product, plus(self.0, message(&groups[0])), &factors.first(0)));
        }

        /// Authenticates the last groups, at least one, and returns the accumulator.
        #[inline]
        #[target_feature(enable = "avx512ifma,avx512f,avx2")]
        pub(crate) fn end(mut self, factors: &Factors, groups: &[[Block; 8]]) -> Accumulator {
            let (before, last) = groups.split_at((groups.len() - 1) / GROUPS * GROUPS);
            for groups in before.as_chunks().0 {
                self.update(factors, groups);
            }
            let at = GROUPS - last.len();
            let mut product = nothing();
            for (i, group) in last.iter().enumerate().skip(1) {
                product = plus_product(product, message(group), &factors.lanes(at + i));
            }
            let sum = carry(plus_product(product, plus(self.0, message(&last[0])), &factors.lanes(at)));
            super::total(&sum.map(|limb| lane_sum_512(limb)), 44)
        }
    }

    /// Authenticates whole groups of blocks, and returns the rest.
    #[target_feature(enable = "avx512ifma,avx512f,avx2")]
    pub(super) fn update<'a>(factors: &Factors, h: &mut Accumulator, blocks: &'a [Block]) -> &'a [Block] {
        let (groups, rest) = blocks.as_chunks();
        if !groups.is_empty() {
            *h = Running::begin(h).end(factors, groups);
        }
        rest
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn factor([a, b, c]: Limbs) -> Factor {
        let twenty = |limb| _mm512_slli_epi64::<2>(_mm512_add_epi64(limb, _mm512_slli_epi64::<2>(limb)));
        [a, b, c, twenty(b), twenty(c)]
    }

    /// The limbs of blocks with a 1 above each.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn message(blocks: &[Block; 8]) -> Limbs {
        let (halves, _) = blocks.as_chunks::<4>();
        // SAFETY: `half` is as long as the register; the unaligned load asks for no alignment.
        let load = |half: &[Block; 4]| unsafe { _mm512_loadu_si512(half.as_ptr().cast()) };
        let (a, b) = (load(&halves[0]), load(&halves[1]));
        split(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b), _mm512_set1_epi64(1))
    }

    /// Splits numbers of two words and some bits into limbs.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn split(low: __m512i, high: __m512i, above: __m512i) -> Limbs {
        let mask = _mm512_set1_epi64((1 << 44) - 1);
        [
            _mm512_and_si512(low, mask),
            _mm512_and_si512(_mm512_or_si512(_mm512_srli_epi64::<44>(low), _mm512_slli_epi64::<20>(high)), mask),
            _mm512_or_si512(_mm512_srli_epi64::<24>(high), _mm512_slli_epi64::<40>(above)),
        ]
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn nothing() -> Product {
        [[_mm512_setzero_si512(); 3]; 2]
    }

    /// Adds the product of `a` and `by` to the sums, without carries.
    #[inline]
    #[target_feature(enable = "avx512ifma,avx512f")]
    fn plus_product([mut low, mut high]: Product, a: Limbs, by: &Factor) -> Product {
        for (i, limb) in a.into_iter().enumerate() {
            for j in 0..3 {
                let factor = if i + j < 3 { by[j] } else { by[j + 2] };
                let to = (i + j) % 3;
                low[to] = _mm512_madd52lo_epu64(low[to], limb, factor);
                high[to] = _mm512_madd52hi_epu64(high[to], limb, factor);
            }
        }
        [low, high]
    }

    #[inline]
    #[target_feature(enable = "avx512ifma,avx512f")]
    fn times(a: Limbs, by: &Factor) -> Limbs {
        carry(plus_product(nothing(), a, by))
    }

    /// Carries. The upper parts have weight 2^52, which is 2^8 of the next limb; for the last limb it is 2^10, since that one
    /// has 42 bits.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn carry([[mut a, mut b, mut c], [a_high, b_high, c_high]]: Product) -> Limbs {
        let mask = _mm512_set1_epi64((1 << 44) - 1);
        let mask_42 = _mm512_set1_epi64((1 << 42) - 1);
        b = _mm512_add_epi64(_mm512_add_epi64(b, _mm512_slli_epi64::<8>(a_high)), _mm512_srli_epi64::<44>(a));
        a = _mm512_and_si512(a, mask);
        c = _mm512_add_epi64(_mm512_add_epi64(c, _mm512_slli_epi64::<8>(b_high)), _mm512_srli_epi64::<44>(b));
        b = _mm512_and_si512(b, mask);
        let over = _mm512_add_epi64(_mm512_slli_epi64::<10>(c_high), _mm512_srli_epi64::<42>(c));
        c = _mm512_and_si512(c, mask_42);
        a = _mm512_add_epi64(a, _mm512_add_epi64(over, _mm512_slli_epi64::<2>(over)));
        b = _mm512_add_epi64(b, _mm512_srli_epi64::<44>(a));
        a = _mm512_and_si512(a, mask);
        [a, b, c]
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn plus([a, b, c]: Limbs, [d, e, f]: Limbs) -> Limbs {
        [_mm512_add_epi64(a, d), _mm512_add_epi64(b, e), _mm512_add_epi64(c, f)]
    }

    /// The lanes of the second number where the mask has a 1, and otherwise those of the first.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn blend(mask: u8, [a, b, c]: Limbs, [d, e, f]: Limbs) -> Limbs {
        let blend = |a, b| _mm512_mask_blend_epi64(mask, a, b);
        [blend(a, d), blend(b, e), blend(c, f)]
    }

    /// Copies the first lane to all lanes.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn first(limbs: Limbs) -> Limbs {
        limbs.map(|limb| _mm512_broadcastq_epi64(_mm512_castsi512_si128(limb)))
    }
}

/// The words of numbers, one number in each lane.
#[inline]
#[target_feature(enable = "avx2")]
fn words_256(numbers: [Accumulator; 4]) -> [__m256i; 3] {
    let [a, b, c, d] = numbers.map(|number| number.map(u64::cast_signed));
    [
        _mm256_set_epi64x(d[0], c[0], b[0], a[0]),
        _mm256_set_epi64x(d[1], c[1], b[1], a[1]),
        _mm256_set_epi64x(d[2], c[2], b[2], a[2]),
    ]
}

#[inline]
#[target_feature(enable = "avx512f,avx2")]
fn words_512(numbers: [Accumulator; 8]) -> [__m512i; 3] {
    let [a, b, c, d, e, f, g, h] = numbers.map(|number| number.map(u64::cast_signed));
    [
        _mm512_set_epi64(h[0], g[0], f[0], e[0], d[0], c[0], b[0], a[0]),
        _mm512_set_epi64(h[1], g[1], f[1], e[1], d[1], c[1], b[1], a[1]),
        _mm512_set_epi64(h[2], g[2], f[2], e[2], d[2], c[2], b[2], a[2]),
    ]
}

#[inline]
#[target_feature(enable = "avx2")]
fn lane_sum_256(x: __m256i) -> u64 {
    let halves = _mm_add_epi64(_mm256_castsi256_si128(x), _mm256_extracti128_si256::<1>(x));
    let sum = _mm_add_epi64(halves, _mm_unpackhi_epi64(halves, halves));
    _mm_cvtsi128_si64(sum).cast_unsigned()
}

#[inline]
#[target_feature(enable = "avx512f,avx2")]
fn lane_sum_512(x: __m512i) -> u64 {
    lane_sum_256(_mm256_add_epi64(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64::<1>(x)))
}
