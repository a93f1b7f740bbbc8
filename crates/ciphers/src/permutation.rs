//! `Keccak-f[1600]` (FIPS 202 section 3.3) for kernels on registers of any width: its constants, and a round as a macro.

/// The 25 lanes of 64 bits: lane `x + 5 * y` is A[x, y] of FIPS 202 section 3.1.2.
pub(crate) type State = [u64; 25];

/// Bytes of a lane.
pub(crate) const LANE_LEN: usize = 8;

/// The constants of ι for each round (FIPS 202 section 3.2.5).
pub(crate) const ROUND_CONSTANTS: [u64; 24] = round_constants();

/// The linear feedback shift register of FIPS 202 algorithm 5, whose bits make the constants.
const fn round_constants() -> [u64; 24] {
    let (mut constants, mut register, mut round) = ([0; 24], 1_u8, 0);
    while round < constants.len() {
        let mut bit = 0;
        while bit < 7 {
            constants[round] |= ((register & 1) as u64) << ((1 << bit) - 1);
            register = register << 1 ^ (register >> 7) * 0x71;
            bit += 1;
        }
        round += 1;
    }
    constants
}

/// A round of `Keccak-f[1600]` without ι, on `$a`, an array of 25 lanes of any type. A kernel gives four functions: the sum of two lanes
/// and of three, a lane rotated to the left, and χ of three lanes. θ's differences are added when a lane is read, so that θ, ρ, π and χ are
/// one pass over the lanes.
///
/// All of it is macros: a closure or a function for a step would have the features of its own, and its lanes would go through memory.
macro_rules! round {
    ($a:ident, $xor:ident, $xor3:ident, $rotate:ident, $chi:ident) => {{
        let sums = [
            $xor3($xor3($a[0], $a[5], $a[10]), $a[15], $a[20]),
            $xor3($xor3($a[1], $a[6], $a[11]), $a[16], $a[21]),
            $xor3($xor3($a[2], $a[7], $a[12]), $a[17], $a[22]),
            $xor3($xor3($a[3], $a[8], $a[13]), $a[18], $a[23]),
            $xor3($xor3($a[4], $a[9], $a[14]), $a[19], $a[24]),
        ];
        // Sums of the column before, and of the column behind rotated. With three operands each lane could add both by itself, but then ten
        // lanes would stay beside the state, and the registers would not suffice.
        let d = [
            $xor(sums[4], $rotate::<1>(sums[1])),
            $xor(sums[0], $rotate::<1>(sums[2])),
            $xor(sums[1], $rotate::<1>(sums[3])),
            $xor(sums[2], $rotate::<1>(sums[4])),
            $xor(sums[3], $rotate::<1>(sums[0])),
        ];
        // Each row of π's result, by where π takes its lanes, and ρ's offsets (FIPS 202 table 2).
        let row_0 = $crate::permutation::row!($xor, $rotate, $chi, $a, d; (0, 0, 0), (1, 1, 44), (2, 2, 43), (3, 3, 21), (4, 4, 14));
        let row_1 = $crate::permutation::row!($xor, $rotate, $chi, $a, d; (3, 0, 28), (4, 1, 20), (0, 2, 3), (1, 3, 45), (2, 4, 61));
        let row_2 = $crate::permutation::row!($xor, $rotate, $chi, $a, d; (1, 0, 1), (2, 1, 6), (3, 2, 25), (4, 3, 8), (0, 4, 18));
        let row_3 = $crate::permutation::row!($xor, $rotate, $chi, $a, d; (4, 0, 27), (0, 1, 36), (1, 2, 10), (2, 3, 15), (3, 4, 56));
        let row_4 = $crate::permutation::row!($xor, $rotate, $chi, $a, d; (2, 0, 62), (3, 1, 55), (4, 2, 39), (0, 3, 41), (1, 4, 2));
        [
            row_0[0], row_0[1], row_0[2], row_0[3], row_0[4], row_1[0], row_1[1], row_1[2], row_1[3], row_1[4], row_2[0], row_2[1], row_2[2],
            row_2[3], row_2[4], row_3[0], row_3[1], row_3[2], row_3[3], row_3[4], row_4[0], row_4[1], row_4[2], row_4[3], row_4[4],
        ]
    }};
}
pub(crate) use round;

/// A row after θ, ρ, π and χ, of lanes `(x, y, ρ's offset)`.
macro_rules! row {
    ($xor:ident, $rotate:ident, $chi:ident, $a:ident, $d:ident; $(($x:literal, $y:literal, $offset:literal)),+) => {{
        let b = [$($rotate::<$offset>($xor($a[$x + 5 * $y], $d[$x]))),+];
        [$chi(b[0], b[1], b[2]), $chi(b[1], b[2], b[3]), $chi(b[2], b[3], b[4]), $chi(b[3], b[4], b[0]), $chi(b[4], b[0], b[1])]
    }};
}
pub(crate) use row;
