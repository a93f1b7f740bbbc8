//! Argon2's compression function G and its permutation P (RFC 9106 sections 3.5 and 3.6), written once for all register widths.

/// Words of a block.
pub(crate) const WORDS: usize = 128;

/// A block of Argon2's memory: eight rows of sixteen words.
pub(crate) type Block = [u64; WORDS];

/// G on registers of any width. A register has `$PAIRS` pairs of words, each pair of another row or of another column. A row of
/// a block is sixteen words, a column two words of each row; P goes over the rows, and then over the columns.
macro_rules! compress_on {
    (
        $prev:ident, $reference:ident, $next:ident, $PAIRS:literal, $zero:expr,
        $load:ident, $store:ident, $xor:ident, $times_plus:ident, $rotate:ident, $across:ident, $transpose:ident
    ) => {
        const REGISTERS: usize = 8 / $PAIRS;
        // The reference block is rarely in a cache: this loop fetches its lines in parallel, the rounds would fetch them one by
        // one.
        let mut q = [[$zero; REGISTERS]; 8];
        for row in 0..8 {
            for j in 0..REGISTERS {
                let at = (row * REGISTERS + j) * 2 * $PAIRS;
                q[row][j] = $xor($load($prev, at), $load($reference, at));
                $store($next, at, $xor(q[row][j], $load($next, at)));
            }
        }
        for group in 0..REGISTERS {
            let mut x = $crate::compression::eight!(k => q[group * $PAIRS + k % $PAIRS][k / $PAIRS]);
            // Registers of one row become registers of several rows, and back.
            x = $transpose(x);
            $crate::compression::permute!(x, $xor, $times_plus, $rotate, $across);
            x = $transpose(x);
            $crate::compression::eight!(k => q[group * $PAIRS + k % $PAIRS][k / $PAIRS] = x[k]);
        }
        for j in 0..REGISTERS {
            let mut x = $crate::compression::eight!(row => q[row][j]);
            $crate::compression::permute!(x, $xor, $times_plus, $rotate, $across);
            $crate::compression::eight!(row => {
                let at = (row * REGISTERS + j) * 2 * $PAIRS;
                $store($next, at, $xor(x[row], $load($next, at)));
            });
        }
    };
}
pub(crate) use compress_on;

/// An array of eight values, unrolled: a compiler that optimises for size would leave a loop.
macro_rules! eight {
    ($i:ident => $value:expr) => {
        $crate::compression::eight!(of $i, $value, 0, 1, 2, 3, 4, 5, 6, 7)
    };
    (of $i:ident, $value:expr, $($number:literal),+) => {
        [$({
            let $i = $number;
            $value
        }),+]
    };
}
pub(crate) use eight;

/// P of RFC 9106 section 3.6 on a square of four rows of four words; a register has half a row.
macro_rules! permute {
    ($x:ident, $xor:ident, $times_plus:ident, $rotate:ident, $across:ident) => {
        $crate::compression::permute!(columns $x, $xor, $times_plus, $rotate);
        let [a, b, c, d, e, f, g, h] = $x;
        // Diagonals become columns.
        $x = [a, b, $across(c, d), $across(d, c), f, e, $across(h, g), $across(g, h)];
        $crate::compression::permute!(columns $x, $xor, $times_plus, $rotate);
        let [a, b, c, d, e, f, g, h] = $x;
        $x = [a, b, $across(d, c), $across(c, d), f, e, $across(g, h), $across(h, g)];
    };
    (columns $x:ident, $xor:ident, $times_plus:ident, $rotate:ident) => {
        $crate::compression::permute!(half $x, $xor, $times_plus, $rotate, 32, 24);
        $crate::compression::permute!(half $x, $xor, $times_plus, $rotate, 16, 63);
    };
    (half $x:ident, $xor:ident, $times_plus:ident, $rotate:ident, $first:literal, $second:literal) => {
        [$x[0], $x[1]] = $times_plus([$x[0], $x[1]], [$x[2], $x[3]]);
        [$x[6], $x[7]] = [$rotate::<$first>($xor($x[6], $x[0])), $rotate::<$first>($xor($x[7], $x[1]))];
        [$x[4], $x[5]] = $times_plus([$x[4], $x[5]], [$x[6], $x[7]]);
        [$x[2], $x[3]] = [$rotate::<$second>($xor($x[2], $x[4])), $rotate::<$second>($xor($x[3], $x[5]))];
    };
}
pub(crate) use permute;
