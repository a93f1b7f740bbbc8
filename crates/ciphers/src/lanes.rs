//! The rounds of ChaCha20 and Salsa20, written once for all register widths.
//!
//! A block is a square of four rows of four words, and each word of a register may belong to another block. Half of a double
//! round is four independent quarter rounds, so each step is done for all four at once.
//!
//! Both ciphers go over the columns of the square and then over its diagonals. Salsa20's specification goes over columns and
//! rows of another square, whose diagonals are the rows of this one (`place`).

/// The cipher of a keystream: a constant parameter of the kernels.
pub(crate) const CHACHA: bool = false;
pub(crate) const SALSA: bool = true;

/// Row and column of a word in the square of the rounds.
pub(crate) const fn place<const CIPHER: bool>(word: usize) -> (usize, usize) {
    // Salsa20's words 0, 5, 10 and 15 are row 0; the words below them in the specification's square are row 1.
    if CIPHER == SALSA { ((word / 4 + 4 - word % 4) % 4, word % 4) } else { (word / 4, word % 4) }
}

/// The index of the word that counts blocks; the next word is the upper half of the 64-bit counter.
pub(crate) const fn counter<const CIPHER: bool>() -> usize {
    if CIPHER == SALSA { 8 } else { 12 }
}

/// Two rounds on the square `$x`. A macro, since a function would read and write the square in memory.
macro_rules! double_round {
    ($CIPHER:expr, $x:ident, $add:ident, $xor:ident, $rotate:ident) => {
        if $CIPHER == $crate::lanes::SALSA {
            double_round!(salsa $x, $add, $xor, $rotate, 1, 3, 0);
            // After the diagonals, the second and fourth rows have changed places.
            double_round!(salsa $x, $add, $xor, $rotate, 3, 1, 1);
        } else {
            double_round!(chacha $x, $add, $xor, $rotate, 0);
            double_round!(chacha $x, $add, $xor, $rotate, 1);
        }
    };
    (chacha $x:ident, $add:ident, $xor:ident, $rotate:ident, $turn:literal) => {
        double_round!(chacha $x, $add, $xor, $rotate, $turn, 0, 1, 3, 16);
        double_round!(chacha $x, $add, $xor, $rotate, $turn, 2, 3, 1, 12);
        double_round!(chacha $x, $add, $xor, $rotate, $turn, 0, 1, 3, 8);
        double_round!(chacha $x, $add, $xor, $rotate, $turn, 2, 3, 1, 7);
    };
    // a += b; d = (d ^ a) <<< n (RFC 8439 section 2.1). A diagonal has row r at column i + r.
    (chacha $x:ident, $add:ident, $xor:ident, $rotate:ident, $turn:literal, $a:literal, $b:literal, $d:literal, $n:literal) => {
        for i in 0..4 {
            let (a, b, d) = ((i + $turn * $a) % 4, (i + $turn * $b) % 4, (i + $turn * $d) % 4);
            $x[$a][a] = $add($x[$a][a], $x[$b][b]);
            $x[$d][d] = $xor($x[$d][d], $x[$a][a]);
        }
        for i in 0..4 {
            let d = (i + $turn * $d) % 4;
            $x[$d][d] = $rotate($x[$d][d], $n);
        }
    };
    (salsa $x:ident, $add:ident, $xor:ident, $rotate:ident, $b:literal, $d:literal, $turn:literal) => {
        double_round!(salsa $x, $add, $xor, $rotate, $turn, $b, 0, $d, 7);
        double_round!(salsa $x, $add, $xor, $rotate, $turn, 2, $b, 0, 9);
        double_round!(salsa $x, $add, $xor, $rotate, $turn, $d, 2, $b, 13);
        double_round!(salsa $x, $add, $xor, $rotate, $turn, 0, $d, 2, 18);
    };
    // b ^= (a + d) <<< n (Salsa20 specification, section 3). A diagonal has row r at column i - r.
    (salsa $x:ident, $add:ident, $xor:ident, $rotate:ident, $turn:literal, $b:literal, $a:literal, $d:literal, $n:literal) => {
        let mut sums = [$x[0][0]; 4];
        for i in 0..4 {
            let (a, d) = ((i + $turn * (4 - $a)) % 4, (i + $turn * (4 - $d)) % 4);
            sums[i] = $rotate($add($x[$a][a], $x[$d][d]), $n);
        }
        for i in 0..4 {
            let b = (i + $turn * (4 - $b)) % 4;
            $x[$b][b] = $xor($x[$b][b], sums[i]);
        }
    };
}
pub(crate) use double_round;
