//! The rounds of ChaCha20 and Salsa20 on sixteen blocks, alone and beside Poly1305. Each register of 512 bits is one word of
//! all blocks.
//!
//! They are in assembly, since the order of instructions decides the speed (docs/design/chacha20-poly1305.md):
//!
//! 1. **Two columns or diagonals take turns with the other two**, step by step. While one pair waits for its previous step, the
//!    other keeps the CPU busy.
//! 2. **Poly1305's operations are spread evenly over the steps.** A group of eight blocks is multiplied beside two rounds, and
//!    after four groups the carries are beside two more. The compiler would put the multiplications together, and the rounds
//!    would wait for them.
//! 3. **The square is read from memory twice**, before and after the rounds. The compiler would keep a copy on the stack.
//!
//! Registers 0 to 15 are the square, 16 to 18 the limbs of the sum, 19 to 21 the lower and 22 to 24 the upper parts of
//! products, 25 to 27 the limbs of the message, 28 and 29 temporaries of the sum, 30 and 31 temporaries of the rounds.

use super::super::lanes::SALSA;
use super::poly1305::Factors;
use super::poly1305::limbs_44::{GROUPS, Running};
use core::arch::x86_64::*;

type State = [u32; 16];

/// The offset of the counter in each lane, from 0 or from 1 on.
static NUMBERS: [u32; 17] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];

/// The masks of limbs of 44 and 42 bits, and the bit above a block in the last limb.
static LIMBS: [u64; 3] = [(1 << 44) - 1, (1 << 42) - 1, 1 << 40];

/// A step of two quarter rounds. ChaCha20's is a += b, d = (d ^ a) <<< n, Salsa20's a ^= (b + d) <<< n.
macro_rules! step {
    (chacha $by:literal: $a:literal $b:literal $d:literal, $e:literal $f:literal $h:literal) => {
        concat!(
            "vpaddd zmm",
            $a,
            ", zmm",
            $a,
            ", zmm",
            $b,
            "\n",
            "vpaddd zmm",
            $e,
            ", zmm",
            $e,
            ", zmm",
            $f,
            "\n",
            "vpxord zmm",
            $d,
            ", zmm",
            $d,
            ", zmm",
            $a,
            "\n",
            "vpxord zmm",
            $h,
            ", zmm",
            $h,
            ", zmm",
            $e,
            "\n",
            "vprold zmm",
            $d,
            ", zmm",
            $d,
            ", ",
            $by,
            "\n",
            "vprold zmm",
            $h,
            ", zmm",
            $h,
            ", ",
            $by,
            "\n",
        )
    };
    (salsa $by:literal: $a:literal $b:literal $d:literal, $e:literal $f:literal $h:literal) => {
        concat!(
            "vpaddd zmm30, zmm",
            $b,
            ", zmm",
            $d,
            "\n",
            "vpaddd zmm31, zmm",
            $f,
            ", zmm",
            $h,
            "\n",
            "vprold zmm30, zmm30, ",
            $by,
            "\n",
            "vprold zmm31, zmm31, ",
            $by,
            "\n",
            "vpxord zmm",
            $a,
            ", zmm",
            $a,
            ", zmm30\n",
            "vpxord zmm",
            $e,
            ", zmm",
            $e,
            ", zmm31\n",
        )
    };
}

/// Two rounds, with other instructions after each step.
macro_rules! double_round {
    (@half chacha ($a:literal $b:literal $c:literal $d:literal, $e:literal $f:literal $g:literal $h:literal),
        ($i:literal $j:literal $k:literal $l:literal, $m:literal $n:literal $o:literal $p:literal),
        $s0:expr, $s1:expr, $s2:expr, $s3:expr, $s4:expr, $s5:expr, $s6:expr, $s7:expr) => {
        concat!(
            step!(chacha 16: $a $b $d, $e $f $h), $s0, step!(chacha 16: $i $j $l, $m $n $p), $s1,
            step!(chacha 12: $c $d $b, $g $h $f), $s2, step!(chacha 12: $k $l $j, $o $p $n), $s3,
            step!(chacha 8: $a $b $d, $e $f $h), $s4, step!(chacha 8: $i $j $l, $m $n $p), $s5,
            step!(chacha 7: $c $d $b, $g $h $f), $s6, step!(chacha 7: $k $l $j, $o $p $n), $s7,
        )
    };
    (@half salsa ($a:literal $b:literal $c:literal $d:literal, $e:literal $f:literal $g:literal $h:literal),
        ($i:literal $j:literal $k:literal $l:literal, $m:literal $n:literal $o:literal $p:literal),
        $s0:expr, $s1:expr, $s2:expr, $s3:expr, $s4:expr, $s5:expr, $s6:expr, $s7:expr) => {
        concat!(
            step!(salsa 7: $b $a $d, $f $e $h), $s0, step!(salsa 7: $j $i $l, $n $m $p), $s1,
            step!(salsa 9: $c $b $a, $g $f $e), $s2, step!(salsa 9: $k $j $i, $o $n $m), $s3,
            step!(salsa 13: $d $c $b, $h $g $f), $s4, step!(salsa 13: $l $k $j, $p $o $n), $s5,
            step!(salsa 18: $a $d $c, $e $h $g), $s6, step!(salsa 18: $i $l $k, $m $p $o), $s7,
        )
    };
    ($cipher:ident: $columns:tt, $more_columns:tt, $diagonals:tt, $more_diagonals:tt,
        $s0:expr, $s1:expr, $s2:expr, $s3:expr, $s4:expr, $s5:expr, $s6:expr, $s7:expr, $($other:expr),+) => {
        concat!(
            double_round!(@half $cipher $columns, $more_columns, $s0, $s1, $s2, $s3, $s4, $s5, $s6, $s7),
            double_round!(@half $cipher $diagonals, $more_diagonals, $($other),+),
        )
    };
    (chacha, $($beside:expr),+) => {
        double_round!(chacha: (0 4 8 12, 1 5 9 13), (2 6 10 14, 3 7 11 15),
            (0 5 10 15, 1 6 11 12), (2 7 8 13, 3 4 9 14), $($beside),+)
    };
    // After the diagonals, the second and fourth rows have changed places.
    (salsa, $($beside:expr),+) => {
        double_round!(salsa: (0 4 8 12, 1 5 9 13), (2 6 10 14, 3 7 11 15),
            (0 13 10 7, 1 14 11 4), (2 15 8 5, 3 12 9 6), $($beside),+)
    };
}

/// Multiplies a limb of the message by a limb of a factor; `{factors}` is the address of `Factors`.
macro_rules! product {
    ($group:literal: $limb:literal $factor:literal to $low:literal $high:literal) => {
        concat!(
            "vpmadd52luq zmm",
            $low,
            ", zmm",
            $limb,
            ", qword ptr [{factors} + 320 * ",
            $group,
            " + 64 * ",
            $factor,
            "]{{1to8}}\n",
            "vpmadd52huq zmm",
            $high,
            ", zmm",
            $limb,
            ", qword ptr [{factors} + 320 * ",
            $group,
            " + 64 * ",
            $factor,
            "]{{1to8}}\n",
        )
    };
}

/// Two rounds, and beside them a group of blocks is split into limbs and multiplied. The sum is added to the first group
/// beforehand.
macro_rules! double_round_beside_group {
    ($cipher:ident $group:literal $(, $sum:literal $other_sum:literal $last_sum:literal)?) => {
        double_round!(
            $cipher,
            concat!("vmovdqu64 zmm28, [{blocks} + 128 * ", $group, "]\nvmovdqu64 zmm29, [{blocks} + 128 * ", $group, " + 64]\n"),
            "vpunpcklqdq zmm25, zmm28, zmm29\nvpunpckhqdq zmm27, zmm28, zmm29\n",
            "vpshrdq zmm26, zmm25, zmm27, 44\nvpandq zmm25, zmm25, qword ptr [{limbs}]{{1to8}}\n",
            concat!("vpsrlq zmm27, zmm27, 24\n", $($sum)?),
            concat!("vpandq zmm26, zmm26, qword ptr [{limbs}]{{1to8}}\n", $($other_sum)?),
            concat!("vporq zmm27, zmm27, qword ptr [{limbs} + 16]{{1to8}}\n", $($last_sum)?),
            product!($group: 25 0 to 19 22), product!($group: 26 0 to 20 23), product!($group: 27 0 to 21 24),
            product!($group: 25 1 to 20 23), product!($group: 26 1 to 21 24), product!($group: 27 3 to 19 22),
            product!($group: 25 2 to 21 24), product!($group: 26 4 to 19 22), product!($group: 27 4 to 20 23),
            ""
        )
    };
}

macro_rules! rounds_alone {
    ($cipher:ident) => {
        double_round!($cipher, "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "")
    };
}

/// Two rounds of ChaCha20, and beside them the rounds of one more block, whose rows are registers 16 to 19.
macro_rules! double_round_beside_rows {
    () => {
        double_round!(
            chacha,
            "vpaddd xmm16, xmm16, xmm17\nvpxord xmm19, xmm19, xmm16\n",
            "vprold xmm19, xmm19, 16\nvpaddd xmm18, xmm18, xmm19\n",
            "vpxord xmm17, xmm17, xmm18\nvprold xmm17, xmm17, 12\n",
            "vpaddd xmm16, xmm16, xmm17\nvpxord xmm19, xmm19, xmm16\n",
            "vprold xmm19, xmm19, 8\nvpaddd xmm18, xmm18, xmm19\n",
            "vpxord xmm17, xmm17, xmm18\nvprold xmm17, xmm17, 7\n",
            "vpshufd xmm17, xmm17, 0x39\nvpshufd xmm18, xmm18, 0x4e\n",
            "vpshufd xmm19, xmm19, 0x93\n",
            "vpaddd xmm16, xmm16, xmm17\nvpxord xmm19, xmm19, xmm16\n",
            "vprold xmm19, xmm19, 16\nvpaddd xmm18, xmm18, xmm19\n",
            "vpxord xmm17, xmm17, xmm18\nvprold xmm17, xmm17, 12\n",
            "vpaddd xmm16, xmm16, xmm17\nvpxord xmm19, xmm19, xmm16\n",
            "vprold xmm19, xmm19, 8\nvpaddd xmm18, xmm18, xmm19\n",
            "vpxord xmm17, xmm17, xmm18\nvprold xmm17, xmm17, 7\n",
            "vpshufd xmm17, xmm17, 0x93\nvpshufd xmm18, xmm18, 0x4e\n",
            "vpshufd xmm19, xmm19, 0x39\n"
        )
    };
}

/// Half of the rounds, and beside them four groups are added to the sum, as in `Running::update`.
macro_rules! rounds_beside_groups {
    ($cipher:ident) => {
        concat!(
            "vpxord xmm19, xmm19, xmm19\nvpxord xmm20, xmm20, xmm20\nvpxord xmm21, xmm21, xmm21\n",
            "vpxord xmm22, xmm22, xmm22\nvpxord xmm23, xmm23, xmm23\nvpxord xmm24, xmm24, xmm24\n",
            double_round_beside_group!($cipher 0,
                "vpaddq zmm25, zmm25, zmm16\n" "vpaddq zmm26, zmm26, zmm17\n" "vpaddq zmm27, zmm27, zmm18\n"),
            double_round_beside_group!($cipher 1),
            double_round_beside_group!($cipher 2),
            double_round_beside_group!($cipher 3),
            double_round!(
                $cipher,
                "vpsllq zmm28, zmm22, 8\nvpsrlq zmm29, zmm19, 44\n",
                "vpaddq zmm20, zmm20, zmm28\n",
                "vpaddq zmm20, zmm20, zmm29\n",
                "vpandq zmm16, zmm19, qword ptr [{limbs}]{{1to8}}\n",
                "vpsllq zmm28, zmm23, 8\nvpsrlq zmm29, zmm20, 44\n",
                "vpaddq zmm21, zmm21, zmm28\n",
                "vpaddq zmm21, zmm21, zmm29\n",
                "vpandq zmm17, zmm20, qword ptr [{limbs}]{{1to8}}\n",
                "vpsllq zmm28, zmm24, 10\nvpsrlq zmm29, zmm21, 42\n",
                "vpaddq zmm28, zmm28, zmm29\nvpandq zmm18, zmm21, qword ptr [{limbs} + 8]{{1to8}}\n",
                "vpsllq zmm29, zmm28, 2\n",
                "vpaddq zmm16, zmm16, zmm28\n",
                "vpaddq zmm16, zmm16, zmm29\n",
                "vpsrlq zmm28, zmm16, 44\n",
                "vpandq zmm16, zmm16, qword ptr [{limbs}]{{1to8}}\n",
                "vpaddq zmm17, zmm17, zmm28\n"
            ),
            "add {blocks}, 512\n",
        )
    };
}

/// The rounds from a state in memory to words in registers, as a loop. `$w0` to `$w15` are the words of registers 0 to 15;
/// register `$counter` counts blocks.
macro_rules! words_of {
    ($state:ident, words $w0:literal $w1:literal $w2:literal $w3:literal $w4:literal $w5:literal $w6:literal $w7:literal
        $w8:literal $w9:literal $w10:literal $w11:literal $w12:literal $w13:literal $w14:literal $w15:literal, counter $counter:literal,
        from $from:literal, $times:literal times $rounds:expr, { $($operands:tt)* }, { $($registers:tt)* }) => {{
        let mut words = [_mm512_setzero_si512(); 16];
        // SAFETY: the code changes only its operands, and reads only the state and the memory that the other operands point to.
        unsafe {
            core::arch::asm!(
                words_of!(@load 0 $w0, 1 $w1, 2 $w2, 3 $w3, 4 $w4, 5 $w5, 6 $w6, 7 $w7, 8 $w8, 9 $w9, 10 $w10, 11 $w11, 12 $w12,
                    13 $w13, 14 $w14, 15 $w15),
                concat!("vpaddd zmm", $counter, ", zmm", $counter, ", [{numbers} + 4 * ", $from, "]"),
                concat!("mov {left:e}, ", $times),
                "2:",
                $rounds,
                "dec {left:e}",
                "jnz 2b",
                words_of!(@add 0 $w0, 1 $w1, 2 $w2, 3 $w3, 4 $w4, 5 $w5, 6 $w6, 7 $w7, 8 $w8, 9 $w9, 10 $w10, 11 $w11, 12 $w12,
                    13 $w13, 14 $w14, 15 $w15),
                concat!("vpaddd zmm", $counter, ", zmm", $counter, ", [{numbers} + 4 * ", $from, "]"),
                state = in(reg) $state.as_ptr(), numbers = in(reg) &raw const NUMBERS, left = out(reg) _,
                $($operands)*
                out("zmm0") words[$w0], out("zmm1") words[$w1], out("zmm2") words[$w2], out("zmm3") words[$w3],
                out("zmm4") words[$w4], out("zmm5") words[$w5], out("zmm6") words[$w6], out("zmm7") words[$w7],
                out("zmm8") words[$w8], out("zmm9") words[$w9], out("zmm10") words[$w10], out("zmm11") words[$w11],
                out("zmm12") words[$w12], out("zmm13") words[$w13], out("zmm14") words[$w14], out("zmm15") words[$w15],
                $($registers)*
                out("zmm30") _, out("zmm31") _,
                options(nostack, readonly),
            );
        }
        words
    }};
    (@load $($register:literal $word:literal),+) => {
        concat!($("vpbroadcastd zmm", $register, ", dword ptr [{state} + 4 * ", $word, "]\n"),+)
    };
    (@add $($register:literal $word:literal),+) => {
        concat!($("vpaddd zmm", $register, ", zmm", $register, ", dword ptr [{state} + 4 * ", $word, "]{{1to16}}\n"),+)
    };
}

/// `words_of` for either cipher.
macro_rules! words_of_cipher {
    ($CIPHER:expr, $state:ident, $times:literal times $rounds:ident, $operands:tt, $registers:tt) => {
        if $CIPHER == SALSA {
            words_of!($state, words 0 5 10 15 4 9 14 3 8 13 2 7 12 1 6 11, counter 8,
                from 0, $times times $rounds!(salsa), $operands, $registers)
        } else {
            words_of!($state, words 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15, counter 12,
                from 0, $times times $rounds!(chacha), $operands, $registers)
        }
    };
}

/// The words of sixteen consecutive blocks of the keystream.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn words<const CIPHER: bool>(state: &State) -> [__m512i; 16] {
    words_of_cipher!(CIPHER, state, 10 times rounds_alone, {}, {})
}

/// As [`words`], and meanwhile adds `blocks` to Poly1305's sum.
#[inline]
#[target_feature(enable = "avx512ifma,avx512vbmi2,avx512f,avx2")]
pub(super) fn words_beside<const CIPHER: bool>(
    state: &State,
    factors: &Factors,
    sum: &mut Running,
    blocks: &[[[[u8; 16]; 8]; GROUPS]; 2],
) -> [__m512i; 16] {
    let Running([mut first, mut second, mut third]) = *sum;
    let words = words_of_cipher!(
        CIPHER,
        state,
        2 times rounds_beside_groups,
        {
            blocks = inout(reg) blocks.as_ptr() => _,
            factors = in(reg) factors.as_ptr(),
            limbs = in(reg) &raw const LIMBS,
        },
        {
            inout("zmm16") first, inout("zmm17") second, inout("zmm18") third,
            out("zmm19") _, out("zmm20") _, out("zmm21") _, out("zmm22") _, out("zmm23") _, out("zmm24") _,
            out("zmm25") _, out("zmm26") _, out("zmm27") _, out("zmm28") _, out("zmm29") _,
        }
    );
    *sum = Running([first, second, third]);
    words
}

/// The words of the sixteen blocks after the one that the state counts, and that block as rows.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
pub(super) fn words_behind(state: &State) -> ([__m512i; 16], [__m128i; 4]) {
    let (rows, _) = state.as_chunks::<4>();
    // SAFETY: `row` is as long as the register; the unaligned load asks for no alignment.
    let row = |row: usize| unsafe { _mm_loadu_si128(rows[row].as_ptr().cast()) };
    let (mut a, mut b, mut c, mut d) = (row(0), row(1), row(2), row(3));
    let words = words_of!(
        state,
        words 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15, counter 12, from 1,
        10 times double_round_beside_rows!(),
        {},
        { inout("xmm16") a, inout("xmm17") b, inout("xmm18") c, inout("xmm19") d, }
    );
    let add = |a, b| _mm_add_epi32(a, b);
    (words, [add(a, row(0)), add(b, row(1)), add(c, row(2)), add(d, row(3))])
}
