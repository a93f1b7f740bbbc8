//! Argon2's compression function on registers of 256 and 512 bits. It processes two or four rows at once, and then as many
//! columns.

use super::super::cpu::{Avx2, Avx512};
use crate::compression::Block;

pub(crate) fn compress_avx2(_cpu: Avx2, prev: &Block, reference: &Block, next: &mut Block) {
    // SAFETY: the token exists, so the features were detected.
    unsafe { of_256::compress(prev, reference, next) }
}

pub(crate) fn compress_avx512(_cpu: Avx512, prev: &Block, reference: &Block, next: &mut Block) {
    // SAFETY: the token exists, so the features were detected.
    unsafe { of_512::compress(prev, reference, next) }
}

/// The functions of one width of register; the widths differ only in their intrinsics.
macro_rules! on_registers {
    (
        $features:literal, $Vector:ty, $PAIRS:literal, $WORDS:literal, $zero:ident, $load:ident, $store:ident,
        $xor:ident, $add:ident, $product:ident, $across:ident
    ) => {
        #[target_feature(enable = $features)]
        pub(super) fn compress(prev: &Block, reference: &Block, next: &mut Block) {
            compress_on!(
                prev,
                reference,
                next,
                $PAIRS,
                $zero(),
                load,
                store,
                $xor,
                times_plus,
                rotate,
                across,
                transpose
            );
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn load(block: &Block, at: usize) -> $Vector {
            let words: &[u64; $WORDS] = block[at..at + $WORDS].try_into().expect("argon2: a register's words");
            // SAFETY: the words are as long as the register; the load asks for no alignment.
            unsafe { $load(words.as_ptr().cast()) }
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn store(block: &mut Block, at: usize, x: $Vector) {
            let words: &mut [u64; $WORDS] =
                (&mut block[at..at + $WORDS]).try_into().expect("argon2: a register's words");
            // SAFETY: the words are as long as the register; the store asks for no alignment.
            unsafe { $store(words.as_mut_ptr().cast(), x) }
        }

        /// a + b + 2ab, with the lower halves of a and b in the product.
        #[inline]
        #[target_feature(enable = $features)]
        fn times_plus(a: [$Vector; 2], b: [$Vector; 2]) -> [$Vector; 2] {
            let products = [$product(a[0], b[0]), $product(a[1], b[1])];
            [
                $add($add(a[0], b[0]), $add(products[0], products[0])),
                $add($add(a[1], b[1]), $add(products[1], products[1])),
            ]
        }

        /// The second word of each pair of `a`, and the first word of the same pair of `b`.
        #[inline]
        #[target_feature(enable = $features)]
        fn across(a: $Vector, b: $Vector) -> $Vector {
            $across::<8>(b, a)
        }
    };
}

mod of_256 {
    use crate::compression::{Block, compress_on};
    use core::arch::x86_64::*;

    on_registers!(
        "avx2,bmi2",
        __m256i,
        2,
        4,
        _mm256_setzero_si256,
        _mm256_loadu_si256,
        _mm256_storeu_si256,
        _mm256_xor_si256,
        _mm256_add_epi64,
        _mm256_mul_epu32,
        _mm256_alignr_epi8
    );

    #[inline]
    #[target_feature(enable = "avx2,bmi2")]
    fn rotate<const N: i32>(x: __m256i) -> __m256i {
        match N {
            32 => _mm256_shuffle_epi32::<0b10_11_00_01>(x),
            24 => _mm256_shuffle_epi8(x, bytes(3)),
            16 => _mm256_shuffle_epi8(x, bytes(2)),
            _ => _mm256_xor_si256(_mm256_srli_epi64::<63>(x), _mm256_add_epi64(x, x)),
        }
    }

    /// The shuffle mask that rotates each word to the right by `n` bytes.
    #[inline]
    #[target_feature(enable = "avx2,bmi2")]
    fn bytes(n: u64) -> __m256i {
        let first = 0x0706_0504_0302_0100_u64.rotate_right(8 * n as u32).cast_signed();
        let second = 0x0f0e_0d0c_0b0a_0908_u64.rotate_right(8 * n as u32).cast_signed();
        _mm256_set_epi64x(second, first, second, first)
    }

    #[inline]
    #[target_feature(enable = "avx2,bmi2")]
    fn transpose([a, b, c, d, e, f, g, h]: [__m256i; 8]) -> [__m256i; 8] {
        let ([a, b], [c, d], [e, f], [g, h]) = (turn(a, b), turn(c, d), turn(e, f), turn(g, h));
        [a, b, c, d, e, f, g, h]
    }

    #[inline]
    #[target_feature(enable = "avx2,bmi2")]
    fn turn(a: __m256i, b: __m256i) -> [__m256i; 2] {
        [_mm256_permute2x128_si256::<0x20>(a, b), _mm256_permute2x128_si256::<0x31>(a, b)]
    }
}

mod of_512 {
    use crate::compression::{Block, compress_on};
    use core::arch::x86_64::*;

    on_registers!(
        "avx512f,avx512bw,avx512vl,avx2,bmi2",
        __m512i,
        4,
        8,
        _mm512_setzero_si512,
        _mm512_loadu_si512,
        _mm512_storeu_si512,
        _mm512_xor_si512,
        _mm512_add_epi64,
        _mm512_mul_epu32,
        _mm512_alignr_epi8
    );

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx2,bmi2")]
    fn rotate<const N: i32>(x: __m512i) -> __m512i {
        _mm512_ror_epi64::<N>(x)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx2,bmi2")]
    fn transpose([a, b, c, d, e, f, g, h]: [__m512i; 8]) -> [__m512i; 8] {
        let ([a, b, c, d], [e, f, g, h]) = (turn([a, b, c, d]), turn([e, f, g, h]));
        [a, b, c, d, e, f, g, h]
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx2,bmi2")]
    fn turn([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
        let (ab, ab_high) = (_mm512_shuffle_i64x2::<0b01_00_01_00>(a, b), _mm512_shuffle_i64x2::<0b11_10_11_10>(a, b));
        let (cd, cd_high) = (_mm512_shuffle_i64x2::<0b01_00_01_00>(c, d), _mm512_shuffle_i64x2::<0b11_10_11_10>(c, d));
        [
            _mm512_shuffle_i64x2::<0b10_00_10_00>(ab, cd),
            _mm512_shuffle_i64x2::<0b11_01_11_01>(ab, cd),
            _mm512_shuffle_i64x2::<0b10_00_10_00>(ab_high, cd_high),
            _mm512_shuffle_i64x2::<0b11_01_11_01>(ab_high, cd_high),
        ]
    }
}
