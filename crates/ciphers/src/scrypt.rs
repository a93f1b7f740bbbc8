//! The mixing of scrypt (RFC 7914): rows of blocks, by Salsa20/8. The caller computes PBKDF2 before and after, and keeps the
//! rows.

use core::ops::BitXorAssign;
use zeroize::Zeroize;

/// Bytes of a block.
pub const BLOCK_LEN: usize = 64;

/// A block. Its words are in the order of the diagonals of Salsa20's matrix, so that four neighbours fill a register.
///
/// ```
/// use sealstone_ciphers::scrypt::{BLOCK_LEN, Block, mix};
///
/// let row = [Block::read(&[1; BLOCK_LEN]), Block::read(&[2; BLOCK_LEN])];
/// let mut mixed = [Block::default(); 2];
/// mix(&row, &mut mixed);
/// assert_ne!(mixed[0].to_bytes(), mixed[1].to_bytes());
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Block([[u32; 4]; 4]);

impl Block {
    /// Reads a block from its bytes.
    #[must_use]
    pub fn read(bytes: &[u8; BLOCK_LEN]) -> Self {
        let word = |i: usize| u32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().expect("scrypt: a word"));
        Self(core::array::from_fn(|row| core::array::from_fn(|i| word(place(4 * row + i)))))
    }

    /// Writes the block as bytes.
    #[must_use]
    pub fn to_bytes(self) -> [u8; BLOCK_LEN] {
        let mut bytes = [0; BLOCK_LEN];
        for (i, word) in self.0.iter().flatten().enumerate() {
            bytes[4 * place(i)..4 * place(i) + 4].copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }
}

impl BitXorAssign<&Self> for Block {
    #[inline(always)]
    fn bitxor_assign(&mut self, other: &Self) {
        for (words, others) in self.0.iter_mut().zip(&other.0) {
            for (word, other) in words.iter_mut().zip(others) {
                *word ^= other;
            }
        }
    }
}

impl Zeroize for Block {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

/// The index in the block's bytes of word `i` of the diagonals.
const fn place(i: usize) -> usize {
    i * 5 % 16
}

/// `Integerify` (section 5): the first 64 bits of the last block as a number.
///
/// # Panics
/// For a row without blocks.
#[must_use]
pub fn integerify(row: &[Block]) -> u64 {
    let Block(words) = row.last().expect("scrypt: a row has blocks");
    // The block's second word is the fourteenth of its diagonals.
    u64::from(words[0][0]) | u64::from(words[3][1]) << 32
}

/// `scryptBlockMix` (section 4) from `row` into `mixed`.
///
/// # Panics
/// If the rows have different lengths, or no blocks.
// Not inlined: only as a function that a loop calls does V8 optimise it while a key is being derived.
#[inline(never)]
pub fn mix(row: &[Block], mixed: &mut [Block]) {
    let half = row.len() / 2;
    assert!(half > 0 && mixed.len() == row.len(), "scrypt: both rows have the same length");
    let mut state = row[row.len() - 1];
    for (i, block) in row.iter().enumerate() {
        state ^= block;
        salsa20_8(&mut state);
        // Even results go to the first half, odd ones to the second.
        mixed[i / 2 + i % 2 * half] = state;
    }
}

#[inline(always)]
fn salsa20_8(block: &mut Block) {
    let [mut a, mut b, mut c, mut d] = block.0;
    for _ in 0..4 {
        b = quarter::<7>(b, a, d);
        c = quarter::<9>(c, b, a);
        d = quarter::<13>(d, c, b);
        a = quarter::<18>(a, d, c);
        (b, c, d) = (turn::<3>(b), turn::<2>(c), turn::<1>(d));
        d = quarter::<7>(d, a, b);
        c = quarter::<9>(c, d, a);
        b = quarter::<13>(b, c, d);
        a = quarter::<18>(a, b, c);
        (b, c, d) = (turn::<1>(b), turn::<2>(c), turn::<3>(d));
    }
    for (words, sums) in block.0.iter_mut().zip([a, b, c, d]) {
        for (word, sum) in words.iter_mut().zip(sums) {
            *word = word.wrapping_add(sum);
        }
    }
}

/// `target` xor the rotated sum of two others.
#[inline(always)]
fn quarter<const BY: u32>(target: [u32; 4], one: [u32; 4], other: [u32; 4]) -> [u32; 4] {
    core::array::from_fn(|i| target[i] ^ one[i].wrapping_add(other[i]).rotate_left(BY))
}

/// Moves each word down by `BY` places.
#[inline(always)]
fn turn<const BY: usize>(words: [u32; 4]) -> [u32; 4] {
    core::array::from_fn(|i| words[(i + BY) % 4])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 7914 section 9.
    #[test]
    fn a_known_row() {
        let row = "f7ce0b653d2d72a4108cf5abe912ffdd777616dbbb27a70e8204f3ae2d0f6fad\
                   89f68f4811d1e87bcc3bd7400a9ffd29094f0184639574f39ae5a1315217bcd7\
                   894991447213bb226c25b54da86370fbcd984380374666bb8ffcb5bf40c254b0\
                   67d27c51ce4ad5fed829c90b505a571b7f4d1cad6a523cda770e67bceaaf7e89";
        let mixed = "a41f859c6608cc993b81cacb020cef05044b2181a2fd337dfd7b1c6396682f29\
                     b4393168e3c9e6bcfe6bc5b7a06d96bae424cc102c91745c24ad673dc7618f81\
                     20edc975323881a80540f64c162dcd3c21077cfe5f8d5fe2b1a4168f953678b7\
                     7d3b3d803b60e4ab920996e59b4d53b65d2a225877d5edf5842cb9f14eefe425";
        let row: Vec<Block> =
            bytes(row).chunks_exact(BLOCK_LEN).map(|bytes| Block::read(bytes.try_into().unwrap())).collect();
        let mut result = [Block::default(); 2];
        mix(&row, &mut result);
        let result: Vec<u8> = result.iter().flat_map(|block| block.to_bytes()).collect();
        assert_eq!(result, bytes(mixed));
    }

    #[test]
    fn blocks_come_and_go_as_bytes_and_say_their_number() {
        let bytes: [u8; BLOCK_LEN] = core::array::from_fn(|i| i as u8);
        let block = Block::read(&bytes);
        assert_eq!(block.to_bytes(), bytes);
        assert_eq!(integerify(&[Block::default(), block]), 0x0706_0504_0302_0100);
    }

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect()
    }
}
