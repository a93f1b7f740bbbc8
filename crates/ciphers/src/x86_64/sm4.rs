//! SM4 on vector registers, in constant time: no table is indexed by a secret.
//!
//! It computes, for every block of four big-endian words,
//!
//! ```text
//! for i in 0..32:
//!     X[i+4] = X[i] ^ L(S(X[i+1] ^ X[i+2] ^ X[i+3] ^ rk[i]))
//! output X[35], X[34], X[33], X[32]
//! L(b) = b ^ (b <<< 2) ^ (b <<< 10) ^ (b <<< 18) ^ (b <<< 24)
//! ```
//!
//! (GB/T 32907), for as many blocks as a register has words, several registers at once. It departs from this in four ways:
//!
//! 1. **The S-box is AES's inversion between two affine maps.** S(x) = A2·Inv(A1·x ^ c1) ^ c2, where Inv is inversion in the
//!    field of AES: both S-boxes are inversions, under different polynomials. GFNI has Inv as an instruction. AES-NI has it
//!    in `aesenclast`, which gives A·Inv(x) ^ 0x63 after `ShiftRows`; A is undone by the affine map that follows, and `ShiftRows`
//!    by the byte shuffles that follow anyway. An affine map without GFNI is two lookups of `pshufb`, by nibbles, in
//!    registers.
//! 2. **L is folded into the affine map.** L is circulant over bytes: with U(b) = b << 2 and D(b) = b >> 6 in a byte and ρ the
//!    rotation by one byte, L = (1+U) ^ ρ·(U+D) ^ ρ²·(U+D) ^ ρ³·(1+D). So three affine maps T0, T1, T3 of Inv(x) and byte
//!    rotations are all of S and L; the rotations by 2 are gone.
//! 3. **Words stay in the basis before the inversion.** A1 is applied to the plaintext once, its inverse to the ciphertext
//!    once, and both are folded into T0, T1, T3 and the round keys: rk' = A1·rk ^ c1. It takes one affine map out of each
//!    round and out of the chain that a single block waits for (20 % in the measurements that SM4.md of the design has).
//! 4. **Bytes stay in memory's order.** All maps are by byte, so words are never swapped: what the standard rotates left
//!    comes from the next byte in memory.
//!
//! Sources: GB/T 32907-2016; the affine equivalence of the two S-boxes: Saarinen, sm4ni (2018); Jeon, Kwon and others on
//! GFNI. The matrices are those of the design page, and a test checks them against the standard's examples.

use super::super::cpu::{AesAvx2, GfniAvx2, GfniAvx512, VaesAvx2};
use core::arch::x86_64::*;

/// Round keys as the kernels take them: in the basis of (3), bytes in memory's order.
pub(crate) type RoundKeys = [u32; 32];

/// A1 and c1 of (1): matrices are written as `gf2p8affineqb` takes them, the row of bit 0 in the top byte.
const PRE: Affine = Affine { matrix: 0x34ac_259e_022d_bc52, constant: 0x65 };
/// The linear part of `PRE`, and its inverse.
const ENTER: Affine = Affine { matrix: PRE.matrix, constant: 0 };
const LEAVE: Affine = Affine { matrix: 0x4710_1b24_4258_d265, constant: 0 };
/// T0, T1 and T3 of (2), after A2 and before A1.
const TERMS: [Affine; 3] = [
    Affine { matrix: 0xf46d_b3ed_2dcf_fd28, constant: 0x3a },
    Affine { matrix: 0x08c7_0d01_1920_4989, constant: 0x39 },
    Affine { matrix: 0xfcaa_beec_34ef_b4a1, constant: 0x03 },
];
/// What undoes A·y ^ 0x63 of AES's S-box.
const UNDO_AES: Affine = Affine { matrix: 0xa449_9225_4a94_2952, constant: 0x05 };

/// A map of bytes, x to M·x ^ c over GF(2).
#[derive(Clone, Copy)]
struct Affine {
    matrix: u64,
    constant: u8,
}

impl Affine {
    const fn apply(self, x: u8) -> u8 {
        let rows = self.matrix.to_be_bytes();
        let mut y = self.constant;
        let mut bit = 0;
        while bit < 8 {
            y ^= (((rows[bit] & x).count_ones() & 1) as u8) << bit;
            bit += 1;
        }
        y
    }

    /// The same after another.
    const fn after(self, first: Self) -> Self {
        let constant = self.apply(first.constant);
        let mut rows = [0; 8];
        let mut column = 0;
        while column < 8 {
            let y = self.apply(first.apply(1 << column)) ^ constant;
            let mut bit = 0;
            while bit < 8 {
                rows[bit] |= (y >> bit & 1) << column;
                bit += 1;
            }
            column += 1;
        }
        Self { matrix: u64::from_be_bytes(rows), constant }
    }

    /// As two tables of nibbles, whose xor is the map.
    const fn nibbles(self) -> [[u8; 16]; 2] {
        let mut tables = [[0; 16]; 2];
        let mut i = 0;
        while i < 16 {
            tables[0][i] = self.apply(i as u8) ^ self.constant;
            tables[1][i] = self.apply((i as u8) << 4);
            i += 1;
        }
        tables
    }

    /// On the four bytes of a word, without a table: the schedule's words are secret.
    const fn apply_to_word(self, word: u32) -> u32 {
        const EACH: u32 = 0x0101_0101;
        let linear = Self { matrix: self.matrix, constant: 0 };
        let mut y = self.constant as u32 * EACH;
        let mut bit = 0;
        while bit < 8 {
            y ^= ((word >> bit) & EACH) * linear.apply(1 << bit) as u32;
            bit += 1;
        }
        y
    }
}

/// The standard's round keys as the kernels take them.
pub(crate) fn round_keys(standard: &[u32; 32]) -> RoundKeys {
    standard.map(|key| PRE.apply_to_word(key.swap_bytes()))
}

/// Writes a module: the block cipher on one kind of register. `BLOCKS` blocks are in flight in four registers, and
/// `encrypt` keeps several such groups in flight, since a round is a chain of some ten instructions with no room in it.
macro_rules! block_kernel {
    (
        $(#[$doc:meta])* mod $name:ident, features $features:literal, vector $Vector:ty, blocks $BLOCKS:literal,
        load $load:ident, store $store:ident, xor $xor:ident, word $word:ident, zero $zero:ident,
        unpack $unpack_low:ident $unpack_high:ident $unpack_low_pairs:ident $unpack_high_pairs:ident,
        maps { $($maps:item)+ }
    ) => {
        $(#[$doc])*
        pub(super) mod $name {
            use super::*;

            type Vector = $Vector;
            type Block = [u8; 16];

            /// Blocks in one register, and in a group.
            const LANES: usize = $BLOCKS / 4;
            pub(crate) const BLOCKS: usize = $BLOCKS;

            $($maps)+

            /// Encrypts `G` groups at once.
            #[target_feature(enable = $features)]
            fn encrypt_groups<const G: usize>(keys: &RoundKeys, groups: &mut [[Block; BLOCKS]; G]) {
                let maps = Maps::new();
                let mut state = [[$zero(); 4]; G];
                for (words, group) in state.iter_mut().zip(groups.iter()) {
                    let (quarters, _) = group.as_chunks::<LANES>();
                    let loaded = [load(&quarters[0]), load(&quarters[1]), load(&quarters[2]), load(&quarters[3])];
                    *words = transpose(loaded).map(|word| maps.enter(word));
                }
                let (rounds, _) = keys.as_chunks::<4>();
                for keys in rounds {
                    macro_rules! round {
                        ($a:literal, $b:literal, $c:literal, $d:literal) => {
                            let key = $word(keys[$a].cast_signed());
                            for words in &mut state {
                                // The newest word last: a single block waits for nothing else.
                                let x = $xor($xor($xor(words[$b], words[$c]), key), words[$d]);
                                words[$a] = maps.add_round(words[$a], x);
                            }
                        };
                    }
                    round!(0, 1, 2, 3);
                    round!(1, 2, 3, 0);
                    round!(2, 3, 0, 1);
                    round!(3, 0, 1, 2);
                }
                for (words, group) in state.iter().zip(groups) {
                    let [a, b, c, d] = words.map(|word| maps.leave(word));
                    let (quarters, _) = group.as_chunks_mut::<LANES>();
                    for (quarter, vector) in quarters.iter_mut().zip(transpose([d, c, b, a])) {
                        store(quarter, vector);
                    }
                }
            }

            /// Encrypts all whole groups, four and then one at a time; returns the blocks that are left.
            #[target_feature(enable = $features)]
            pub(crate) fn encrypt<'a>(keys: &RoundKeys, blocks: &'a mut [Block]) -> &'a mut [Block] {
                let (groups, rest) = blocks.as_chunks_mut::<BLOCKS>();
                let (fours, groups) = groups.as_chunks_mut::<4>();
                for four in fours {
                    encrypt_groups(keys, four);
                }
                // Two or three at once take hardly longer than one.
                if let Ok(three) = <&mut [[Block; BLOCKS]; 3]>::try_from(&mut *groups) {
                    encrypt_groups(keys, three);
                } else if let Ok(two) = <&mut [[Block; BLOCKS]; 2]>::try_from(&mut *groups) {
                    encrypt_groups(keys, two);
                } else if let [one] = groups {
                    encrypt_groups(keys, core::array::from_mut(one));
                }
                rest
            }

            /// The words of blocks from registers of blocks, and back.
            #[inline]
            #[target_feature(enable = $features)]
            fn transpose([a, b, c, d]: [Vector; 4]) -> [Vector; 4] {
                let (ab, ab_high) = ($unpack_low(a, b), $unpack_high(a, b));
                let (cd, cd_high) = ($unpack_low(c, d), $unpack_high(c, d));
                [
                    $unpack_low_pairs(ab, cd),
                    $unpack_high_pairs(ab, cd),
                    $unpack_low_pairs(ab_high, cd_high),
                    $unpack_high_pairs(ab_high, cd_high),
                ]
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn load(blocks: &[Block; LANES]) -> Vector {
                // SAFETY: `blocks` is as long as the register; the unaligned load asks for no alignment.
                unsafe { $load(blocks.as_ptr().cast()) }
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn store(blocks: &mut [Block; LANES], vector: Vector) {
                // SAFETY: `blocks` is as long as the register; the unaligned store asks for no alignment.
                unsafe { $store(blocks.as_mut_ptr().cast(), vector) }
            }
        }
    };
}

/// `pshufb` masks: the rotation of each word by `rotation` bytes, on bytes that `aesenclast` moved by `ShiftRows`.
const fn unshift(rotation: usize) -> [u8; 16] {
    let mut mask = [0; 16];
    let mut i = 0;
    while i < 16 {
        let (word, row) = (i / 4, (i + rotation) % 4);
        // ShiftRows moves row r of column c to column c - r.
        mask[i] = (4 * ((word + 4 - row) % 4) + row) as u8;
        i += 1;
    }
    mask
}

/// `pshufb` masks: the rotation of each word by `rotation` bytes.
const fn rotate(rotation: usize) -> [u8; 16] {
    let mut mask = [0; 16];
    let mut i = 0;
    while i < 16 {
        mask[i] = (i / 4 * 4 + (i + rotation) % 4) as u8;
        i += 1;
    }
    mask
}

const ENTER_NIBBLES: [[u8; 16]; 2] = ENTER.nibbles();
const LEAVE_NIBBLES: [[u8; 16]; 2] = LEAVE.nibbles();
const TERM_NIBBLES: [[[u8; 16]; 2]; 3] =
    [TERMS[0].after(UNDO_AES).nibbles(), TERMS[1].after(UNDO_AES).nibbles(), TERMS[2].after(UNDO_AES).nibbles()];
const UNSHIFTS: [[u8; 16]; 4] = [unshift(0), unshift(1), unshift(2), unshift(3)];
const ROTATIONS: [[u8; 16]; 4] = [rotate(0), rotate(1), rotate(2), rotate(3)];

/// The maps over `aesenclast`, in nibbles, on any width of register.
macro_rules! aes_maps {
    ($features:literal, $Vector:ty, $broadcast:ident, $sub_bytes:ident,
     $xor:ident, $and:ident, $shift:ident, $shuffle:ident, $splat:ident) => {
        #[derive(Clone, Copy)]
        struct Maps {
            low: $Vector,
            terms: [[$Vector; 2]; 3],
            unshifts: [$Vector; 4],
        }

        impl Maps {
            #[inline]
            #[target_feature(enable = $features)]
            fn new() -> Self {
                // Shuffles by constants are taken apart and put together anew by the compiler, which makes more of them.
                let unshifts = core::hint::black_box(&UNSHIFTS);
                let terms = &TERM_NIBBLES;
                Self {
                    low: $splat(0x0f),
                    terms: [
                        [$broadcast(&terms[0][0]), $broadcast(&terms[0][1])],
                        [$broadcast(&terms[1][0]), $broadcast(&terms[1][1])],
                        [$broadcast(&terms[2][0]), $broadcast(&terms[2][1])],
                    ],
                    unshifts: [
                        $broadcast(&unshifts[0]),
                        $broadcast(&unshifts[1]),
                        $broadcast(&unshifts[2]),
                        $broadcast(&unshifts[3]),
                    ],
                }
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn by_nibbles(self, [low, high]: [$Vector; 2], x: $Vector) -> $Vector {
                let high_nibbles = $and($shift::<4>(x), self.low);
                $xor($shuffle(low, $and(x, self.low)), $shuffle(high, high_nibbles))
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn enter(self, x: $Vector) -> $Vector {
                self.by_nibbles([$broadcast(&ENTER_NIBBLES[0]), $broadcast(&ENTER_NIBBLES[1])], x)
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn leave(self, x: $Vector) -> $Vector {
                self.by_nibbles([$broadcast(&LEAVE_NIBBLES[0]), $broadcast(&LEAVE_NIBBLES[1])], x)
            }

            /// `word ^ L(S(x))`, in the basis of (3).
            #[inline]
            #[target_feature(enable = $features)]
            fn add_round(self, word: $Vector, x: $Vector) -> $Vector {
                let inverted = $sub_bytes(x);
                let [t0, t1, t3] = self.terms.map(|tables| self.by_nibbles(tables, inverted));
                let [unshift0, unshift1, unshift2, unshift3] = self.unshifts;
                let first = $xor($shuffle(t0, unshift0), $shuffle(t1, unshift1));
                let second = $xor($shuffle(t1, unshift2), $shuffle(t3, unshift3));
                $xor($xor(word, first), second)
            }
        }
    };
}

/// The maps over GFNI, on any width of register.
macro_rules! gfni_maps {
    ($features:literal, $Vector:ty, $matrix:ident, $affine:ident, $inverse:ident, $rotate:ident, $xor:ident) => {
        #[derive(Clone, Copy)]
        struct Maps {
            terms: [$Vector; 3],
        }

        impl Maps {
            #[inline]
            #[target_feature(enable = $features)]
            fn new() -> Self {
                let matrix = |affine: Affine| $matrix(affine.matrix.cast_signed());
                Self { terms: [matrix(TERMS[0]), matrix(TERMS[1]), matrix(TERMS[2])] }
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn enter(self, x: $Vector) -> $Vector {
                $affine::<0>(x, $matrix(ENTER.matrix.cast_signed()))
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn leave(self, x: $Vector) -> $Vector {
                $affine::<0>(x, $matrix(LEAVE.matrix.cast_signed()))
            }

            /// `word ^ L(S(x))`, in the basis of (3).
            #[inline]
            #[target_feature(enable = $features)]
            fn add_round(self, word: $Vector, x: $Vector) -> $Vector {
                let t0 = $inverse::<{ TERMS[0].constant as i32 }>(x, self.terms[0]);
                let t1 = $inverse::<{ TERMS[1].constant as i32 }>(x, self.terms[1]);
                let t3 = $inverse::<{ TERMS[2].constant as i32 }>(x, self.terms[2]);
                let first = $xor($xor(word, t0), $rotate::<1>(t1));
                $xor(first, $xor($rotate::<2>(t1), $rotate::<3>(t3)))
            }
        }
    };
}

block_kernel! {
    /// AES-NI on 128 bits: four blocks a group, for what is left over and for chains.
    mod aes128, features "aes,avx2", vector __m128i, blocks 4,
    load _mm_loadu_si128, store _mm_storeu_si128, xor _mm_xor_si128, word _mm_set1_epi32, zero _mm_setzero_si128,
    unpack _mm_unpacklo_epi32 _mm_unpackhi_epi32 _mm_unpacklo_epi64 _mm_unpackhi_epi64,
    maps {
        aes_maps!("aes,avx2", __m128i, broadcast_128, sub_bytes_128,
            _mm_xor_si128, _mm_and_si128, _mm_srli_epi16, _mm_shuffle_epi8, _mm_set1_epi8);
    }
}

block_kernel! {
    /// AES-NI on the halves of 256 bits.
    mod aes256, features "aes,avx2", vector __m256i, blocks 8,
    load _mm256_loadu_si256, store _mm256_storeu_si256, xor _mm256_xor_si256, word _mm256_set1_epi32,
    zero _mm256_setzero_si256,
    unpack _mm256_unpacklo_epi32 _mm256_unpackhi_epi32 _mm256_unpacklo_epi64 _mm256_unpackhi_epi64,
    maps {
        aes_maps!("aes,avx2", __m256i, broadcast_256, sub_bytes_halves,
            _mm256_xor_si256, _mm256_and_si256, _mm256_srli_epi16, _mm256_shuffle_epi8, _mm256_set1_epi8);
    }
}

block_kernel! {
    /// VAES on 256 bits.
    mod vaes256, features "vaes,aes,avx2", vector __m256i, blocks 8,
    load _mm256_loadu_si256, store _mm256_storeu_si256, xor _mm256_xor_si256, word _mm256_set1_epi32,
    zero _mm256_setzero_si256,
    unpack _mm256_unpacklo_epi32 _mm256_unpackhi_epi32 _mm256_unpacklo_epi64 _mm256_unpackhi_epi64,
    maps {
        aes_maps!("vaes,aes,avx2", __m256i, broadcast_256, sub_bytes_256,
            _mm256_xor_si256, _mm256_and_si256, _mm256_srli_epi16, _mm256_shuffle_epi8, _mm256_set1_epi8);
    }
}

block_kernel! {
    /// GFNI on 128 bits: four blocks a group, for what is left over and for chains.
    mod gfni128, features "gfni,avx2", vector __m128i, blocks 4,
    load _mm_loadu_si128, store _mm_storeu_si128, xor _mm_xor_si128, word _mm_set1_epi32, zero _mm_setzero_si128,
    unpack _mm_unpacklo_epi32 _mm_unpackhi_epi32 _mm_unpacklo_epi64 _mm_unpackhi_epi64,
    maps {
        gfni_maps!("gfni,avx2", __m128i, _mm_set1_epi64x, _mm_gf2p8affine_epi64_epi8, _mm_gf2p8affineinv_epi64_epi8,
            rotate_128, _mm_xor_si128);
    }
}

block_kernel! {
    /// GFNI on 256 bits.
    mod gfni256, features "gfni,avx2", vector __m256i, blocks 8,
    load _mm256_loadu_si256, store _mm256_storeu_si256, xor _mm256_xor_si256, word _mm256_set1_epi32,
    zero _mm256_setzero_si256,
    unpack _mm256_unpacklo_epi32 _mm256_unpackhi_epi32 _mm256_unpacklo_epi64 _mm256_unpackhi_epi64,
    maps {
        gfni_maps!("gfni,avx2", __m256i, _mm256_set1_epi64x, _mm256_gf2p8affine_epi64_epi8,
            _mm256_gf2p8affineinv_epi64_epi8, rotate_256, _mm256_xor_si256);
    }
}

block_kernel! {
    /// GFNI on 512 bits.
    mod gfni512, features "gfni,avx512f,avx512bw,avx512vl,avx2", vector __m512i, blocks 16,
    load _mm512_loadu_si512, store _mm512_storeu_si512, xor _mm512_xor_si512, word _mm512_set1_epi32,
    zero _mm512_setzero_si512,
    unpack _mm512_unpacklo_epi32 _mm512_unpackhi_epi32 _mm512_unpacklo_epi64 _mm512_unpackhi_epi64,
    maps {
        gfni_maps!("gfni,avx512f,avx512bw,avx512vl,avx2", __m512i, _mm512_set1_epi64, _mm512_gf2p8affine_epi64_epi8,
            _mm512_gf2p8affineinv_epi64_epi8, rotate_512, _mm512_xor_si512);
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn broadcast_128(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: `bytes` is as long as the register; the unaligned load asks for no alignment.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn broadcast_256(bytes: &[u8; 16]) -> __m256i {
    _mm256_broadcastsi128_si256(broadcast_128(bytes))
}

/// `SubBytes` after `ShiftRows`.
#[inline]
#[target_feature(enable = "aes,avx2")]
fn sub_bytes_128(x: __m128i) -> __m128i {
    _mm_aesenclast_si128(x, _mm_setzero_si128())
}

#[inline]
#[target_feature(enable = "aes,avx2")]
fn sub_bytes_halves(x: __m256i) -> __m256i {
    let (low, high) = (_mm256_castsi256_si128(x), _mm256_extracti128_si256::<1>(x));
    _mm256_set_m128i(sub_bytes_128(high), sub_bytes_128(low))
}

#[inline]
#[target_feature(enable = "vaes,aes,avx2")]
fn sub_bytes_256(x: __m256i) -> __m256i {
    _mm256_aesenclast_epi128(x, _mm256_setzero_si256())
}

/// Each word rotated to the left by bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn rotate_128<const BYTES: usize>(x: __m128i) -> __m128i {
    _mm_shuffle_epi8(x, broadcast_128(&ROTATIONS[BYTES]))
}

#[inline]
#[target_feature(enable = "avx2")]
fn rotate_256<const BYTES: usize>(x: __m256i) -> __m256i {
    _mm256_shuffle_epi8(x, broadcast_256(&ROTATIONS[BYTES]))
}

/// Rotations by bits are one instruction here; to the right, since memory's order is the other one.
#[inline]
#[target_feature(enable = "avx512f")]
fn rotate_512<const BYTES: usize>(x: __m512i) -> __m512i {
    match BYTES {
        1 => _mm512_ror_epi32::<8>(x),
        2 => _mm512_ror_epi32::<16>(x),
        _ => _mm512_ror_epi32::<24>(x),
    }
}

/// A backend on these instructions: its wide kernel, and its narrow one for what is left over.
macro_rules! backend {
    ($(#[$doc:meta])* $name:ident, $Token:ty, wide $wide:ident, narrow $narrow:ident) => {
        $(#[$doc])*
        pub(crate) fn $name(_cpu: $Token, keys: &RoundKeys, blocks: &mut [[u8; 16]]) {
            // SAFETY: the token exists, so the features of both kernels were detected.
            let rest = unsafe { $wide::encrypt(keys, blocks) };
            if rest.len() > $narrow::BLOCKS {
                // Slower than what is needed by a part of a group, and faster than the narrow kernel several times.
                let mut padded = [[0; 16]; $wide::BLOCKS];
                padded[..rest.len()].copy_from_slice(rest);
                // SAFETY: as above.
                unsafe { $wide::encrypt(keys, &mut padded) };
                rest.copy_from_slice(&padded[..rest.len()]);
            } else if !rest.is_empty() {
                let mut padded = [[0; 16]; $narrow::BLOCKS];
                padded[..rest.len()].copy_from_slice(rest);
                // SAFETY: as above.
                unsafe { $narrow::encrypt(keys, &mut padded) };
                rest.copy_from_slice(&padded[..rest.len()]);
            }
        }
    };
}

backend!(
    /// AES-NI and AVX2.
    encrypt_aes, AesAvx2, wide aes256, narrow aes128
);
backend!(
    /// VAES and AVX2.
    encrypt_vaes, VaesAvx2, wide vaes256, narrow aes128
);
backend!(
    /// GFNI and AVX2.
    encrypt_gfni256, GfniAvx2, wide gfni256, narrow gfni128
);
backend!(
    /// GFNI and AVX-512.
    encrypt_gfni512, GfniAvx512, wide gfni512, narrow gfni128
);
