//! ChaCha20 and Salsa20 on vector registers, in constant time: additions, xors and rotations of words.
//!
//! A block is computed on a square of words (RFC 8439 section 2.3):
//!
//! ```text
//! 10 times: quarter rounds of the columns, quarter rounds of the diagonals
//! add the square that it began with
//! ```
//!
//! There are two ways to compute it on wide registers, and each length takes the faster one:
//!
//! 1. **A register is a word of many blocks** (`wide`): nothing moves between the lanes until a transposition at the end makes
//!    whole blocks. The square takes sixteen registers; on AVX2, which has no more, two of them are in memory at times.
//! 2. **A register is a row of two blocks** (`narrow`): rows are turned so that diagonals become columns, and back. Up to four
//!    blocks take as long as one chain of instructions; eight take longer than in the first way.
//!
//! Without an instruction for rotations, rotations by whole bytes are shuffles.

use super::super::cpu::{Avx2, Avx512, Avx512Ifma};
use super::super::erasure::clear;
use super::super::lanes::{SALSA, counter, double_round, place};
use super::super::portable::poly1305::{Accumulator, Sum, plus, times, times_plus, update};
use super::poly1305::Factors;
use super::poly1305::limbs_44::{GROUPS, Running};
use core::arch::x86_64::*;

/// The sixteen words of the next block's input.
type State = [u32; 16];
/// The bytes that the AVX-512 kernel processes at once.
pub(crate) type Chunk = [u8; wide512::LEN];

/// Shuffle masks that rotate words by 16 and by 8 bits.
const ROTATIONS: [[u8; 16]; 2] =
    [[2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13], [3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14]];

const ROTATION_MASKS: [[[u8; 16]; 2]; 2] = [[ROTATIONS[0]; 2], [ROTATIONS[1]; 2]];

/// Defines `$rotate`, a closure that rotates words to the left.
macro_rules! rotation {
    (by_shifts $rotate:ident) => {
        // The compiler would split shuffles by constants into more instructions.
        let [by_16, by_8] = core::hint::black_box(&ROTATIONS);
        let (by_16, by_8) = (broadcast(by_16), broadcast(by_8));
        let $rotate = |x, by| match by {
            16 => _mm256_shuffle_epi8(x, by_16),
            8 => _mm256_shuffle_epi8(x, by_8),
            7 => _mm256_or_si256(_mm256_slli_epi32::<7>(x), _mm256_srli_epi32::<25>(x)),
            9 => _mm256_or_si256(_mm256_slli_epi32::<9>(x), _mm256_srli_epi32::<23>(x)),
            12 => _mm256_or_si256(_mm256_slli_epi32::<12>(x), _mm256_srli_epi32::<20>(x)),
            13 => _mm256_or_si256(_mm256_slli_epi32::<13>(x), _mm256_srli_epi32::<19>(x)),
            _ => _mm256_or_si256(_mm256_slli_epi32::<18>(x), _mm256_srli_epi32::<14>(x)),
        };
    };
    ($instruction:ident $rotate:ident) => {
        let $rotate = |x, by| match by {
            16 => $instruction::<16>(x),
            8 => $instruction::<8>(x),
            7 => $instruction::<7>(x),
            9 => $instruction::<9>(x),
            12 => $instruction::<12>(x),
            13 => $instruction::<13>(x),
            _ => $instruction::<18>(x),
        };
    };
}

/// A module that computes as many blocks at once as a register has words.
macro_rules! wide {
    (
        $(#[$doc:meta])* mod $name:ident, features $features:literal, vector $Vector:ty, lanes $LANES:literal,
        xor $xor:ident, zero $zero:ident, transpose $transpose:ident, load $load:ident, store $store:ident, { $($words:item)+ }
    ) => {
        $(#[$doc])*
        mod $name {
            use super::*;

            /// Bytes that are processed at once.
            pub(super) const LEN: usize = $LANES * 64;
            /// Bytes of a register.
            const WIDTH: usize = $LANES * 4;

            /// Adds the keystream to `data`.
            #[target_feature(enable = $features)]
            pub(super) fn add<const CIPHER: bool>(state: &State, data: &mut [u8; LEN]) {
                let (parts, _) = data.as_chunks_mut::<WIDTH>();
                for (part, keystream) in parts.iter_mut().zip(blocks::<CIPHER>(state)) {
                    store(part, $xor(load(part), keystream));
                }
            }

            /// As [`add`], to at most `LEN` bytes.
            #[target_feature(enable = $features)]
            pub(super) fn add_part<const CIPHER: bool>(state: &State, data: &mut [u8]) {
                if let Ok(whole) = data.try_into() {
                    return add::<CIPHER>(state, whole);
                }
                let (parts, rest) = data.as_chunks_mut::<WIDTH>();
                let mut keystream = blocks::<CIPHER>(state);
                for (part, keystream) in parts.iter_mut().zip(keystream) {
                    store(part, $xor(load(part), keystream));
                }
                if let Some(keystream) = keystream.get(parts.len()) {
                    let mut last = [0; WIDTH];
                    last[..rest.len()].copy_from_slice(rest);
                    let sum = $xor(load(&last), *keystream);
                    store(&mut last, sum);
                    rest.copy_from_slice(&last[..rest.len()]);
                    clear(&mut last, 0);
                }
                clear(&mut keystream, $zero());
            }

            /// Consecutive blocks of the keystream.
            #[inline]
            #[target_feature(enable = $features)]
            fn blocks<const CIPHER: bool>(state: &State) -> [$Vector; 16] {
                $transpose(&words::<CIPHER>(state))
            }

            $($words)+

            #[inline]
            #[target_feature(enable = $features)]
            fn load(bytes: &[u8; WIDTH]) -> $Vector {
                // SAFETY: `bytes` are as long as the register; the unaligned load asks for no alignment.
                unsafe { $load(bytes.as_ptr().cast()) }
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn store(bytes: &mut [u8; WIDTH], vector: $Vector) {
                // SAFETY: `bytes` are as long as the register; the unaligned store asks for no alignment.
                unsafe { $store(bytes.as_mut_ptr().cast(), vector) }
            }
        }
    };
}

/// The words of eight blocks from the rounds on registers of 256 bits.
macro_rules! words_256 {
    ($features:literal, $rounds:ident) => {
        /// The words of the keystream, each for eight blocks.
        #[inline]
        #[target_feature(enable = $features)]
        fn words<const CIPHER: bool>(state: &State) -> [__m256i; 16] {
            let mut x = square::<CIPHER>(state);
            $rounds!(CIPHER, x);
            plus_first::<CIPHER>(state, &x)
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn square<const CIPHER: bool>(state: &State) -> [[__m256i; 4]; 4] {
            let mut x = [[_mm256_setzero_si256(); 4]; 4];
            for (i, word) in state.iter().enumerate() {
                let (row, column) = place::<CIPHER>(i);
                x[row][column] = _mm256_set1_epi32(word.cast_signed());
            }
            let (row, column) = place::<CIPHER>(counter::<CIPHER>());
            x[row][column] = _mm256_add_epi32(x[row][column], lane_numbers_256());
            x
        }

        /// The result of the rounds plus their input.
        #[inline]
        #[target_feature(enable = $features)]
        fn plus_first<const CIPHER: bool>(state: &State, x: &[[__m256i; 4]; 4]) -> [__m256i; 16] {
            let mut words = [_mm256_setzero_si256(); 16];
            for (i, word) in words.iter_mut().enumerate() {
                let (row, column) = place::<CIPHER>(i);
                *word = _mm256_add_epi32(x[row][column], _mm256_set1_epi32(state[i].cast_signed()));
            }
            words[counter::<CIPHER>()] = _mm256_add_epi32(words[counter::<CIPHER>()], lane_numbers_256());
            words
        }
    };
}

/// Two quarter rounds of ChaCha20, on two columns or diagonals, in assembly.
macro_rules! chacha_pair {
    ($($a:literal $b:literal $c:literal $d:literal),+) => {
        concat!(
            chacha_pair!(half "0", "12", "20", $($a $b $c $d),+),
            chacha_pair!(half "32", "7", "25", $($a $b $c $d),+),
        )
    };
    (half $mask:literal, $left:literal, $right:literal, $a:literal $b:literal $c:literal $d:literal, $e:literal $f:literal $g:literal $h:literal) => {
        concat!(
            "vpaddd {", $a, "}, {", $a, "}, {", $b, "}\n",
            "vpaddd {", $e, "}, {", $e, "}, {", $f, "}\n",
            "vpxor {", $d, "}, {", $d, "}, {", $a, "}\n",
            "vpxor {", $h, "}, {", $h, "}, {", $e, "}\n",
            "vpshufb {", $d, "}, {", $d, "}, [{masks} + ", $mask, "]\n",
            "vpshufb {", $h, "}, {", $h, "}, [{masks} + ", $mask, "]\n",
            "vpaddd {", $c, "}, {", $c, "}, {", $d, "}\n",
            "vpaddd {", $g, "}, {", $g, "}, {", $h, "}\n",
            "vpxor {", $b, "}, {", $b, "}, {", $c, "}\n",
            "vpxor {", $f, "}, {", $f, "}, {", $g, "}\n",
            "vpslld {t}, {", $b, "}, ", $left, "\n",
            "vpsrld {", $b, "}, {", $b, "}, ", $right, "\n",
            "vpslld {u}, {", $f, "}, ", $left, "\n",
            "vpsrld {", $f, "}, {", $f, "}, ", $right, "\n",
            "vpor {", $b, "}, {", $b, "}, {t}\n",
            "vpor {", $f, "}, {", $f, "}, {u}\n",
        )
    };
}

/// Two quarter rounds of Salsa20, on two columns or diagonals, in assembly. The first word of each is in a register or in
/// memory.
macro_rules! salsa_pair {
    ($in:ident $a:literal $b:literal $c:literal $d:literal, $e:literal $f:literal $g:literal $h:literal) => {
        concat!(
            salsa_pair!(sum "7", "25", $d, $a), salsa_pair!(xor $b),
            salsa_pair!(sum "7", "25", $h, $e), salsa_pair!(xor $f),
            salsa_pair!(sum "9", "23", $b, $a), salsa_pair!(xor $c),
            salsa_pair!(sum "9", "23", $f, $e), salsa_pair!(xor $g),
            salsa_pair!(sum "13", "19", $c, $b), salsa_pair!(xor $d),
            salsa_pair!(sum "13", "19", $g, $f), salsa_pair!(xor $h),
            salsa_pair!(sum "18", "14", $d, $c), salsa_pair!($in $a),
            salsa_pair!(sum "18", "14", $h, $g), salsa_pair!($in $e),
        )
    };
    // Shifts the sum of two words to the left into `u`, and to the right into `t`: the two parts of its rotation.
    (sum $left:literal, $right:literal, $a:literal, $b:literal) => {
        concat!(
            "vpaddd {t}, ", $a, ", ", $b, "\n",
            "vpslld {u}, {t}, ", $left, "\n",
            "vpsrld {t}, {t}, ", $right, "\n",
        )
    };
    (xor $to:literal) => {
        concat!("vpxor ", $to, ", ", $to, ", {u}\n", "vpxor ", $to, ", ", $to, ", {t}\n")
    };
    (xor_memory $to:literal) => {
        concat!("vpxor {u}, {u}, ", $to, "\n", "vpxor {u}, {u}, {t}\n", "vmovdqa ", $to, ", {u}\n")
    };
}

/// The rounds on sixteen registers of 256 bits, with `$beside` after each two rounds.
///
/// In assembly, since the compiler spills twice as many registers as necessary, in places where the rounds wait for them
/// (docs/design/chacha20-poly1305.md). Two words of the square are in memory.
macro_rules! rounds_by_assembly {
    ($CIPHER:expr, $x:ident) => {
        rounds_by_assembly!($CIPHER, $x, |_| ());
    };
    ($CIPHER:expr, $x:ident, $beside:expr) => {
        #[allow(unused_mut, reason = "without Poly1305 the closure changes nothing")]
        let mut beside = $beside;
        let [[mut a0, mut a1, mut a2, mut a3], [mut b0, mut b1, mut b2, mut b3], [mut c0, mut c1, mut c2, mut c3], d] = $x;
        let [mut d0, mut d1, mut d2, mut d3] = d;
        let mut memory;
        if $CIPHER == SALSA {
            memory = [a2, a3, a2, a3];
            for round in 0..10 {
                // SAFETY: the code changes only its operands, and reads and writes `memory`.
                unsafe {
                    core::arch::asm!(
                        // The pair in memory comes first: the next half waits longest for it.
                        salsa_pair!(xor_memory "[{memory}]" "{b2}" "{c2}" "{d2}", "[{memory} + 32]" "{b3}" "{c3}" "{d3}"),
                        salsa_pair!(xor "{a0}" "{b0}" "{c0}" "{d0}", "{a1}" "{b1}" "{c1}" "{d1}"),
                        salsa_pair!(xor_memory "[{memory}]" "{d3}" "{c0}" "{b1}", "[{memory} + 32]" "{d0}" "{c1}" "{b2}"),
                        salsa_pair!(xor "{a0}" "{d1}" "{c2}" "{b3}", "{a1}" "{d2}" "{c3}" "{b0}"),
                        a0 = inout(ymm_reg) a0, a1 = inout(ymm_reg) a1,
                        b0 = inout(ymm_reg) b0, b1 = inout(ymm_reg) b1, b2 = inout(ymm_reg) b2, b3 = inout(ymm_reg) b3,
                        c0 = inout(ymm_reg) c0, c1 = inout(ymm_reg) c1, c2 = inout(ymm_reg) c2, c3 = inout(ymm_reg) c3,
                        d0 = inout(ymm_reg) d0, d1 = inout(ymm_reg) d1, d2 = inout(ymm_reg) d2, d3 = inout(ymm_reg) d3,
                        t = out(ymm_reg) _, u = out(ymm_reg) _,
                        memory = in(reg) memory.as_mut_ptr(),
                        options(nostack, preserves_flags),
                    );
                }
                beside(round);
            }
            [a2, a3, ..] = memory;
        } else {
            memory = [c0, c1, c2, c3];
            for round in 0..10 {
                // SAFETY: the code changes only its operands, reads the masks, and reads and writes `memory`.
                unsafe {
                    core::arch::asm!(
                        chacha_pair!("a0" "b0" "c0" "d0", "a1" "b1" "c1" "d1"),
                        "vmovdqa [{memory}], {c0}", "vmovdqa [{memory} + 32], {c1}",
                        "vmovdqa {c0}, [{memory} + 64]", "vmovdqa {c1}, [{memory} + 96]",
                        chacha_pair!("a2" "b2" "c0" "d2", "a3" "b3" "c1" "d3"),
                        chacha_pair!("a0" "b1" "c0" "d3", "a1" "b2" "c1" "d0"),
                        "vmovdqa [{memory} + 64], {c0}", "vmovdqa [{memory} + 96], {c1}",
                        "vmovdqa {c0}, [{memory}]", "vmovdqa {c1}, [{memory} + 32]",
                        chacha_pair!("a2" "b3" "c0" "d1", "a3" "b0" "c1" "d2"),
                        // c0 and c1 end as they began, with the first two words of their row.
                        a0 = inout(ymm_reg) a0, a1 = inout(ymm_reg) a1, a2 = inout(ymm_reg) a2, a3 = inout(ymm_reg) a3,
                        b0 = inout(ymm_reg) b0, b1 = inout(ymm_reg) b1, b2 = inout(ymm_reg) b2, b3 = inout(ymm_reg) b3,
                        c0 = inout(ymm_reg) c0, c1 = inout(ymm_reg) c1,
                        d0 = inout(ymm_reg) d0, d1 = inout(ymm_reg) d1, d2 = inout(ymm_reg) d2, d3 = inout(ymm_reg) d3,
                        t = out(ymm_reg) _, u = out(ymm_reg) _,
                        masks = in(reg) ROTATION_MASKS.as_ptr(), memory = in(reg) memory.as_mut_ptr(),
                        options(nostack, preserves_flags),
                    );
                }
                beside(round);
            }
            [.., c2, c3] = memory;
        }
        $x = [[a0, a1, a2, a3], [b0, b1, b2, b3], [c0, c1, c2, c3], [d0, d1, d2, d3]];
    };
}

/// The rounds without assembly, for the 32 registers of AVX-512.
macro_rules! rounds_256 {
    ($CIPHER:expr, $x:ident) => {
        rotation!(_mm256_rol_epi32 rotate);
        for _ in 0..10 {
            double_round!($CIPHER, $x, _mm256_add_epi32, _mm256_xor_si256, rotate);
        }
    };
}

/// Poly1305's blocks, in groups of eight.
fn groups(data: &Chunk) -> &[[[u8; 16]; 8]] {
    data.as_chunks().0.as_chunks().0
}

/// Poly1305's groups, in batches that are reduced at once.
fn batches(data: &Chunk) -> &[[[[u8; 16]; 8]; GROUPS]; 2] {
    groups(data).as_chunks().0.try_into().expect("keystream: a chunk has eight groups")
}

/// Poly1305 beside the rounds.
macro_rules! beside_mac {
    ($features:literal, $rounds:ident) => {
        /// Adds the keystream to `data`, and meanwhile authenticates `ciphertext`, or `data` as it was: multiplications of
        /// words run beside the vectors.
        #[target_feature(enable = $features)]
        pub(super) fn add_beside_mac<const CIPHER: bool>(
            state: &State,
            sum: &mut Sum,
            ciphertext: Option<&[u8; LEN]>,
            data: &mut [u8; LEN],
        ) {
            let (blocks, _) = ciphertext.unwrap_or(data).as_chunks();
            let (first, blocks) = blocks.split_first().expect("keystream: a chunk has blocks");
            let (parts, rest) = blocks.as_chunks::<{ LEN / 160 }>();
            let mut h = plus(sum.h, first, 1);
            let mut x = square::<CIPHER>(state);
            $rounds!(CIPHER, x, |round: usize| {
                for block in &parts[round] {
                    h = times_plus(h, sum.r, block, 1);
                }
            });
            for block in rest {
                h = times_plus(h, sum.r, block, 1);
            }
            sum.h = times(h, sum.r);
            let (parts, _) = data.as_chunks_mut::<WIDTH>();
            for (part, keystream) in parts.iter_mut().zip(transpose_256(&plus_first::<CIPHER>(state, &x))) {
                store(part, _mm256_xor_si256(load(part), keystream));
            }
        }
    };
}

wide! {
    /// Eight blocks on AVX2.
    mod wide256, features "avx2,bmi2", vector __m256i, lanes 8,
    xor _mm256_xor_si256, zero _mm256_setzero_si256, transpose transpose_256, load _mm256_loadu_si256, store _mm256_storeu_si256,
    {
        words_256! { "avx2,bmi2", rounds_by_assembly }
        beside_mac! { "avx2,bmi2", rounds_by_assembly }
    }
}

wide! {
    /// Eight blocks on AVX-512 VL, which rotates words.
    mod wide256_vl, features "avx512f,avx512vl,avx2", vector __m256i, lanes 8,
    xor _mm256_xor_si256, zero _mm256_setzero_si256, transpose transpose_256, load _mm256_loadu_si256, store _mm256_storeu_si256,
    {
        words_256! { "avx512f,avx512vl,avx2", rounds_256 }
    }
}

wide! {
    /// Sixteen blocks on AVX-512.
    mod wide512, features "avx512f,avx2", vector __m512i, lanes 16,
    xor _mm512_xor_si512, zero _mm512_setzero_si512, transpose transpose_512, load _mm512_loadu_si512, store _mm512_storeu_si512,
    {
        use crate::x86_64::rounds_512::{words, words_behind, words_beside};

        /// Adds the keystream of ChaCha20 to a block, and to the chunk after it.
        #[target_feature(enable = "avx512f,avx512vl,avx2")]
        pub(super) fn add_behind(state: &State, block: &mut [u8; 64], data: &mut Chunk) {
            let (words, rows) = words_behind(state);
            for (part, row) in block.as_chunks_mut::<16>().0.iter_mut().zip(rows) {
                let address = part.as_mut_ptr().cast();
                // SAFETY: `part` is as long as the register; the unaligned load and store ask for no alignment.
                unsafe { _mm_storeu_si128(address, _mm_xor_si128(_mm_loadu_si128(address), row)) }
            }
            let (parts, _) = data.as_chunks_mut::<WIDTH>();
            for (part, keystream) in parts.iter_mut().zip(transpose_512(&words)) {
                store(part, _mm512_xor_si512(load(part), keystream));
            }
        }

        /// Encrypts a chunk, and meanwhile authenticates the one before it.
        #[target_feature(enable = "avx512ifma,avx512vbmi2,avx512f,avx2")]
        pub(super) fn seal_beside<const CIPHER: bool>(
            state: &State,
            factors: &Factors,
            sum: &mut Running,
            before: &Chunk,
            data: &mut Chunk,
        ) {
            let words = words_beside::<CIPHER>(state, factors, sum, batches(before));
            let (parts, _) = data.as_chunks_mut::<WIDTH>();
            for (part, keystream) in parts.iter_mut().zip(transpose_512(&words)) {
                store(part, _mm512_xor_si512(load(part), keystream));
            }
        }

        /// Computes the keystream of the next chunk, and meanwhile authenticates this one; then decrypts this one with the
        /// keystream in `ahead`, and stores the next keystream there.
        #[target_feature(enable = "avx512ifma,avx512vbmi2,avx512f,avx2")]
        pub(super) fn open_beside<const CIPHER: bool>(
            state: &State,
            factors: &Factors,
            sum: &mut Running,
            ahead: &mut Chunk,
            data: &mut Chunk,
        ) {
            let words = words_beside::<CIPHER>(state, factors, sum, batches(data));
            let (aheads, _) = ahead.as_chunks_mut::<WIDTH>();
            let (parts, _) = data.as_chunks_mut::<WIDTH>();
            for ((part, ahead), keystream) in parts.iter_mut().zip(aheads).zip(transpose_512(&words)) {
                store(part, _mm512_xor_si512(load(part), load(ahead)));
                store(ahead, keystream);
            }
        }

        #[target_feature(enable = "avx512f")]
        pub(super) fn xor(data: &mut Chunk, keystream: &Chunk) {
            let (parts, _) = data.as_chunks_mut::<WIDTH>();
            for (part, keystream) in parts.iter_mut().zip(keystream.as_chunks::<WIDTH>().0) {
                store(part, _mm512_xor_si512(load(part), load(keystream)));
            }
        }
    }
}

/// Turns registers of one word of all blocks into registers of consecutive words of one block.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose_512(words: &[__m512i; 16]) -> [__m512i; 16] {
    let (quarters, _) = words.as_chunks::<4>();
    // Each part has four words, of blocks 0, 4, 8, 12, then of 1, 5, 9, 13, and so on.
    let mut parts = [[_mm512_setzero_si512(); 4]; 4];
    for (part, [a, b, c, d]) in parts.iter_mut().zip(quarters) {
        let (ab, ab_high) = (_mm512_unpacklo_epi32(*a, *b), _mm512_unpackhi_epi32(*a, *b));
        let (cd, cd_high) = (_mm512_unpacklo_epi32(*c, *d), _mm512_unpackhi_epi32(*c, *d));
        *part = [
            _mm512_unpacklo_epi64(ab, cd),
            _mm512_unpackhi_epi64(ab, cd),
            _mm512_unpacklo_epi64(ab_high, cd_high),
            _mm512_unpackhi_epi64(ab_high, cd_high),
        ];
    }
    let mut blocks = [_mm512_setzero_si512(); 16];
    for i in 0..4 {
        let [a, b, c, d] = parts.map(|part| part[i]);
        let (ab, ab_high) = (_mm512_shuffle_i32x4::<0x88>(a, b), _mm512_shuffle_i32x4::<0xdd>(a, b));
        let (cd, cd_high) = (_mm512_shuffle_i32x4::<0x88>(c, d), _mm512_shuffle_i32x4::<0xdd>(c, d));
        blocks[i] = _mm512_shuffle_i32x4::<0x88>(ab, cd);
        blocks[i + 4] = _mm512_shuffle_i32x4::<0x88>(ab_high, cd_high);
        blocks[i + 8] = _mm512_shuffle_i32x4::<0xdd>(ab, cd);
        blocks[i + 12] = _mm512_shuffle_i32x4::<0xdd>(ab_high, cd_high);
    }
    blocks
}

#[inline]
#[target_feature(enable = "avx2")]
fn lane_numbers_256() -> __m256i {
    _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0)
}

/// Turns registers of one word of all blocks into registers of consecutive words of one block.
#[inline]
#[target_feature(enable = "avx2")]
fn transpose_256(words: &[__m256i; 16]) -> [__m256i; 16] {
    let (halves, _) = words.as_chunks::<8>();
    let (first, second) = (transpose_8(halves[0]), transpose_8(halves[1]));
    let mut blocks = [_mm256_setzero_si256(); 16];
    for (i, block) in blocks.iter_mut().enumerate() {
        *block = if i % 2 == 0 { first[i / 2] } else { second[i / 2] };
    }
    blocks
}

#[inline]
#[target_feature(enable = "avx2")]
fn transpose_8(words: [__m256i; 8]) -> [__m256i; 8] {
    let [a, b, c, d, e, f, g, h] = words;
    let quarter = |a, b, c, d| {
        let (ab, ab_high) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
        let (cd, cd_high) = (_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
        [
            _mm256_unpacklo_epi64(ab, cd),
            _mm256_unpackhi_epi64(ab, cd),
            _mm256_unpacklo_epi64(ab_high, cd_high),
            _mm256_unpackhi_epi64(ab_high, cd_high),
        ]
    };
    let (low, high) = (quarter(a, b, c, d), quarter(e, f, g, h));
    [
        _mm256_permute2x128_si256::<0x20>(low[0], high[0]),
        _mm256_permute2x128_si256::<0x20>(low[1], high[1]),
        _mm256_permute2x128_si256::<0x20>(low[2], high[2]),
        _mm256_permute2x128_si256::<0x20>(low[3], high[3]),
        _mm256_permute2x128_si256::<0x31>(low[0], high[0]),
        _mm256_permute2x128_si256::<0x31>(low[1], high[1]),
        _mm256_permute2x128_si256::<0x31>(low[2], high[2]),
        _mm256_permute2x128_si256::<0x31>(low[3], high[3]),
    ]
}

/// A module that computes up to four blocks, two of them in a register of 256 bits.
macro_rules! narrow {
    ($(#[$doc:meta])* mod $name:ident, features $features:literal, rotate $rotate:ident) => {
        $(#[$doc])*
        mod $name {
            use super::*;

            /// Adds the keystream to up to 128 bytes for each pair of blocks.
            #[target_feature(enable = $features)]
            pub(super) fn add<const CIPHER: bool, const PAIRS: usize>(state: &State, data: &mut [u8]) {
                debug_assert!(data.len() <= 128 * PAIRS);
                let mut blocks = blocks::<CIPHER, PAIRS>(state);
                let (parts, rest) = data.as_chunks_mut::<32>();
                let (whole, more) = blocks.as_flattened_mut().split_at_mut(parts.len());
                for (part, keystream) in parts.iter_mut().zip(whole) {
                    let sum = _mm256_xor_si256(load_256(part), *keystream);
                    store_256(part, sum);
                }
                if let Some(keystream) = more.first() {
                    let mut last = [0; 32];
                    last[..rest.len()].copy_from_slice(rest);
                    let sum = _mm256_xor_si256(load_256(&last), *keystream);
                    store_256(&mut last, sum);
                    rest.copy_from_slice(&last[..rest.len()]);
                    clear(&mut last, 0);
                }
                clear(blocks.as_flattened_mut(), _mm256_setzero_si256());
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn blocks<const CIPHER: bool, const PAIRS: usize>(state: &State) -> [[__m256i; 4]; PAIRS] {
                let (counting, _) = place::<CIPHER>(counter::<CIPHER>());
                let mut first = [[_mm256_setzero_si256(); 4]; PAIRS];
                for (number, x) in (0..).step_by(2).zip(&mut first) {
                    *x = rows::<CIPHER>(state);
                    x[counting] = _mm256_add_epi32(x[counting], _mm256_set_epi32(0, 0, 0, number + 1, 0, 0, 0, number));
                }
                let mut x = first;
                rotation!($rotate rotate);
                for _ in 0..10 {
                    if CIPHER == SALSA {
                        half_of_salsa!(x, rotate, 1, 3);
                        turn!(x, 0x93, 0x4e, 0x39);
                        half_of_salsa!(x, rotate, 3, 1);
                        turn!(x, 0x39, 0x4e, 0x93);
                    } else {
                        half_of_chacha!(x, rotate);
                        turn!(x, 0x39, 0x4e, 0x93);
                        half_of_chacha!(x, rotate);
                        turn!(x, 0x93, 0x4e, 0x39);
                    }
                }
                for (x, first) in x.iter_mut().zip(first) {
                    for (row, first) in x.iter_mut().zip(first) {
                        *row = _mm256_add_epi32(*row, first);
                    }
                    let [a, b, c, d] = if CIPHER == SALSA { rows_of_diagonals(*x) } else { *x };
                    *x = [
                        _mm256_permute2x128_si256::<0x20>(a, b),
                        _mm256_permute2x128_si256::<0x20>(c, d),
                        _mm256_permute2x128_si256::<0x31>(a, b),
                        _mm256_permute2x128_si256::<0x31>(c, d),
                    ];
                }
                x
            }
        }
    };
}

/// Rotates the second, third and fourth rows, so that diagonals become columns, or columns diagonals.
macro_rules! turn {
    ($x:ident, $b:literal, $c:literal, $d:literal) => {
        for x in &mut $x {
            x[1] = _mm256_shuffle_epi32::<$b>(x[1]);
            x[2] = _mm256_shuffle_epi32::<$c>(x[2]);
            x[3] = _mm256_shuffle_epi32::<$d>(x[3]);
        }
    };
}

macro_rules! half_of_chacha {
    ($x:ident, $rotate:ident) => {
        half_of_chacha!($x, $rotate, 0, 1, 3, 16);
        half_of_chacha!($x, $rotate, 2, 3, 1, 12);
        half_of_chacha!($x, $rotate, 0, 1, 3, 8);
        half_of_chacha!($x, $rotate, 2, 3, 1, 7);
    };
    ($x:ident, $rotate:ident, $a:literal, $b:literal, $d:literal, $by:literal) => {
        for x in &mut $x {
            x[$a] = _mm256_add_epi32(x[$a], x[$b]);
            x[$d] = $rotate(_mm256_xor_si256(x[$d], x[$a]), $by);
        }
    };
}

macro_rules! half_of_salsa {
    ($x:ident, $rotate:ident, $b:literal, $d:literal) => {
        half_of_salsa!($x, $rotate, $b, 0, $d, 7);
        half_of_salsa!($x, $rotate, 2, $b, 0, 9);
        half_of_salsa!($x, $rotate, $d, 2, $b, 13);
        half_of_salsa!($x, $rotate, 0, $d, 2, 18);
    };
    ($x:ident, $rotate:ident, $b:literal, $a:literal, $d:literal, $by:literal) => {
        for x in &mut $x {
            x[$b] = _mm256_xor_si256(x[$b], $rotate(_mm256_add_epi32(x[$a], x[$d]), $by));
        }
    };
}

/// The rows of the square, each twice in its register.
#[inline]
#[target_feature(enable = "avx2")]
fn rows<const CIPHER: bool>(state: &State) -> [__m256i; 4] {
    let (rows, _) = state.as_chunks::<4>();
    let [a, b, c, d] = [&rows[0], &rows[1], &rows[2], &rows[3]].map(|row| broadcast_words(row));
    if CIPHER == SALSA { diagonals_of_rows([a, b, c, d]) } else { [a, b, c, d] }
}

/// Salsa20's rows from the diagonals that the rounds work on. Words stay in their columns, so a row takes one word of each
/// diagonal.
#[inline]
#[target_feature(enable = "avx2")]
fn rows_of_diagonals([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
    [row_of(a, d, c, b), row_of(b, a, d, c), row_of(c, b, a, d), row_of(d, c, b, a)]
}

/// The diagonals that the rounds work on, from Salsa20's rows.
#[inline]
#[target_feature(enable = "avx2")]
fn diagonals_of_rows([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
    [row_of(a, b, c, d), row_of(b, c, d, a), row_of(c, d, a, b), row_of(d, a, b, c)]
}

/// A row with the first column of `first`, the second of `second`, and so on.
#[inline]
#[target_feature(enable = "avx2")]
fn row_of(first: __m256i, second: __m256i, third: __m256i, fourth: __m256i) -> __m256i {
    let left = _mm256_blend_epi32::<0xaa>(first, second);
    let right = _mm256_blend_epi32::<0xaa>(third, fourth);
    _mm256_blend_epi32::<0xcc>(left, right)
}

narrow! {
    /// Up to four blocks on AVX2.
    mod narrow_avx2, features "avx2", rotate by_shifts
}

narrow! {
    /// Up to four blocks on AVX-512 VL, which rotates words.
    mod narrow_vl, features "avx512f,avx512vl,avx2", rotate _mm256_rol_epi32
}

/// The kernels of AVX2.
pub(crate) mod avx2 {
    use super::*;

    /// Blocks that are processed at once.
    pub(crate) const AT_ONCE: usize = 8;

    /// Adds the keystream to `data`, beginning with the block that `state` counts in its low word, which wraps; a partial block
    /// uses up a whole one. Counts in place, to avoid a copy of the key; the final counter is unspecified.
    pub(crate) fn add<const CIPHER: bool>(_cpu: Avx2, state: &mut State, data: &mut [u8]) {
        // SAFETY: the token exists, so the features were detected.
        unsafe { add_all::<CIPHER>(state, data) }
    }

    /// Encrypts or decrypts whole chunks, authenticates their ciphertext, and returns the number of bytes. When sealing, the
    /// first chunk is encrypted already.
    pub(crate) fn run<const CIPHER: bool, const SEAL: bool>(
        _cpu: Avx2,
        state: &mut State,
        sum: &mut Sum,
        data: &mut [u8],
    ) -> usize {
        // SAFETY: the token exists, so the features were detected.
        unsafe { run_whole::<CIPHER, SEAL>(state, sum, data) }
    }

    #[target_feature(enable = "avx2,bmi2")]
    fn run_whole<const CIPHER: bool, const SEAL: bool>(state: &mut State, sum: &mut Sum, data: &mut [u8]) -> usize {
        let (whole, _) = data.as_chunks_mut();
        let len = whole.as_flattened().len();
        let count = |state: &mut State| {
            state[counter::<CIPHER>()] = state[counter::<CIPHER>()].wrapping_add(AT_ONCE as u32);
        };
        if SEAL {
            // A sealed chunk is authenticated while the next one is encrypted.
            let Some((mut before, whole)) = whole.split_first_mut() else { return 0 };
            for data in whole {
                wide256::add_beside_mac::<CIPHER>(state, sum, Some(before), data);
                count(state);
                before = data;
            }
            update(sum, before.as_chunks().0, 1);
        } else {
            for data in whole {
                wide256::add_beside_mac::<CIPHER>(state, sum, None, data);
                count(state);
            }
        }
        len
    }

    #[target_feature(enable = "avx2,bmi2")]
    fn add_all<const CIPHER: bool>(state: &mut State, data: &mut [u8]) {
        let (whole, rest) = data.as_chunks_mut();
        for data in whole {
            wide256::add::<CIPHER>(state, data);
            state[counter::<CIPHER>()] = state[counter::<CIPHER>()].wrapping_add(AT_ONCE as u32);
        }
        match rest.len() {
            0 => {}
            1..=128 => narrow_avx2::add::<CIPHER, 1>(state, rest),
            129..=256 => narrow_avx2::add::<CIPHER, 2>(state, rest),
            _ => wide256::add_part::<CIPHER>(state, rest),
        }
    }
}

/// The kernels of AVX-512.
pub(crate) mod avx512 {
    use super::*;

    /// Blocks that are processed at once.
    pub(crate) const AT_ONCE: usize = 16;

    /// Adds the keystream to `data`, beginning with the block that `state` counts in its low word, which wraps; a partial block
    /// uses up a whole one.
    pub(crate) fn add<const CIPHER: bool>(_cpu: Avx512, state: &mut State, data: &mut [u8]) {
        // SAFETY: the token exists, so the features were detected.
        unsafe { add_all::<CIPHER>(state, data) }
    }

    /// Adds the keystream of ChaCha20 to a block, and to the chunk after it. Does not advance the counter.
    pub(crate) fn add_behind(_cpu: Avx512, state: &State, block: &mut [u8; 64], chunk: &mut Chunk) {
        // SAFETY: the token exists, so the features were detected.
        unsafe { wide512::add_behind(state, block, chunk) }
    }

    #[target_feature(enable = "avx512f,avx512vl,avx2")]
    fn add_all<const CIPHER: bool>(state: &mut State, data: &mut [u8]) {
        let (whole, rest) = data.as_chunks_mut();
        for data in whole {
            wide512::add::<CIPHER>(state, data);
            state[counter::<CIPHER>()] = state[counter::<CIPHER>()].wrapping_add(AT_ONCE as u32);
        }
        match rest.len() {
            0 => {}
            1..=128 => narrow_vl::add::<CIPHER, 1>(state, rest),
            129..=256 => narrow_vl::add::<CIPHER, 2>(state, rest),
            257..=512 => wide256_vl::add_part::<CIPHER>(state, rest),
            _ => wide512::add_part::<CIPHER>(state, rest),
        }
    }
}

/// The kernels of AVX-512 with IFMA.
pub(crate) mod ifma {
    use super::*;

    /// Encrypts all whole chunks but the first, which is encrypted already, authenticates all, and returns the number of bytes.
    pub(crate) fn seal<const CIPHER: bool>(
        _cpu: Avx512Ifma,
        state: &mut State,
        factors: &Factors,
        h: &mut Accumulator,
        data: &mut [u8],
    ) -> usize {
        // SAFETY: the token exists, so the features were detected.
        unsafe { seal_whole::<CIPHER>(state, factors, h, data) }
    }

    /// Decrypts whole chunks, authenticates their ciphertext, and returns the number of bytes. The keystream of the first chunk
    /// is in `ahead`.
    pub(crate) fn open<const CIPHER: bool>(
        _cpu: Avx512Ifma,
        state: &mut State,
        factors: &Factors,
        h: &mut Accumulator,
        ahead: &mut Chunk,
        data: &mut [u8],
    ) -> usize {
        // SAFETY: the token exists, so the features were detected.
        unsafe { open_whole::<CIPHER>(state, factors, h, ahead, data) }
    }

    #[target_feature(enable = "avx512ifma,avx512vbmi2,avx512f,avx512vl,avx2")]
    fn seal_whole<const CIPHER: bool>(
        state: &mut State,
        factors: &Factors,
        h: &mut Accumulator,
        data: &mut [u8],
    ) -> usize {
        let (whole, _) = data.as_chunks_mut::<{ wide512::LEN }>();
        let len = whole.as_flattened().len();
        let Some((mut before, whole)) = whole.split_first_mut() else { return 0 };
        let mut sum = Running::begin(h);
        for data in whole {
            wide512::seal_beside::<CIPHER>(state, factors, &mut sum, before, data);
            state[counter::<CIPHER>()] = state[counter::<CIPHER>()].wrapping_add(avx512::AT_ONCE as u32);
            before = data;
        }
        *h = sum.end(factors, groups(before));
        len
    }

    #[target_feature(enable = "avx512ifma,avx512vbmi2,avx512f,avx512vl,avx2")]
    fn open_whole<const CIPHER: bool>(
        state: &mut State,
        factors: &Factors,
        h: &mut Accumulator,
        ahead: &mut Chunk,
        data: &mut [u8],
    ) -> usize {
        let (whole, _) = data.as_chunks_mut::<{ wide512::LEN }>();
        let len = whole.as_flattened().len();
        let Some((last, whole)) = whole.split_last_mut() else { return 0 };
        let mut sum = Running::begin(h);
        for data in whole {
            wide512::open_beside::<CIPHER>(state, factors, &mut sum, ahead, data);
            state[counter::<CIPHER>()] = state[counter::<CIPHER>()].wrapping_add(avx512::AT_ONCE as u32);
        }
        *h = sum.end(factors, groups(last));
        wide512::xor(last, ahead);
        len
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn broadcast(bytes: &[u8; 16]) -> __m256i {
    // SAFETY: `bytes` are as long as half of the register; the unaligned load asks for no alignment.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
}

#[inline]
#[target_feature(enable = "avx2")]
fn broadcast_words(words: &[u32; 4]) -> __m256i {
    // SAFETY: `words` are as long as half of the register; the unaligned load asks for no alignment.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(words.as_ptr().cast()) })
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_256(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: `bytes` are as long as the register; the unaligned load asks for no alignment.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store_256(bytes: &mut [u8; 32], vector: __m256i) {
    // SAFETY: `bytes` are as long as the register; the unaligned store asks for no alignment.
    unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), vector) }
}

#[cfg(test)]
mod tests {
    use super::super::poly1305::fill_ifma;
    use super::*;
    use crate::lanes::CHACHA;
    use crate::portable::poly1305::{clamp, tag};

    /// Tests the largest r and accumulators, and blocks of ones, beside the rounds. Tests of an AEAD cannot choose r.
    #[test]
    fn the_edges_of_the_sum_beside_the_rounds() {
        let Some(cpu) = Avx512Ifma::detect() else { return };
        let ones = u64::MAX;
        let rs = [[0xff; 16], [0; 16], [0xfb; 16]].into_iter().chain((0..128).map(|bit| (1_u128 << bit).to_le_bytes()));
        for r in rs.map(|bytes| clamp(&bytes)) {
            let mut factors = Factors::default();
            fill_ifma(cpu, &mut factors, r);
            for h in [[0, 0, 0], [ones, ones, 3], [ones, ones, 4], [ones - 4, ones, 3], [1, 0, 4]] {
                for (byte, chunks) in [(0xff, 1), (0xff, 2), (0xff, 5), (0, 3), (0x80, 3), (0x01, 4)] {
                    let mut data = vec![byte; chunks * wide512::LEN];
                    let mut expected = Sum { r, h };
                    update(&mut expected, data.as_chunks().0, 1);
                    let (mut state, mut ahead, mut found) = ([7; 16], [0; wide512::LEN], h);
                    let len = ifma::open::<CHACHA>(cpu, &mut state, &factors, &mut found, &mut ahead, &mut data);
                    assert_eq!(len, chunks * wide512::LEN);
                    let same = tag(&mut found, &[0; 16]) == tag(&mut expected.h, &[0; 16]);
                    assert!(same, "r {r:x?}, h {h:x?}, {chunks} chunks of {byte:x}");
                }
            }
        }
    }
}
