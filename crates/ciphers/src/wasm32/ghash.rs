//! GHASH by look-ups in tables of sixteen bytes, which are registers: `i8x16_swizzle` takes the same time for all indices.
//!
//! A product with a fixed number is the sum of the products of all half bytes with it, and each byte of these is looked up. A
//! table serves all lanes of a register, so sixteen blocks are side by side, with a register for each of their bytes. Each
//! block is multiplied by H^16 before the block sixteen places later is added. The sums of the last sixteen blocks are hashed
//! one by one.

use super::{load, store};
use crate::portable;
use core::arch::wasm32::*;
use zeroize::Zeroizing;

type Block = [u8; 16];
type Planes = [v128; 16];

/// Blocks side by side.
const GROUP: usize = 16;

/// For each byte of a product: its summand for each of the sixteen upper and the sixteen lower halves of a byte.
type Tables = [[[u8; 16]; 2]; 17];

/// The key H, and H^16 as tables.
pub(crate) struct Ghash {
    h: portable::ghash::Ghash,
    tables: Box<Zeroizing<Tables>>,
}

impl Ghash {
    pub(crate) fn new(h: &Block) -> Self {
        let mut power = u128::from_be_bytes(*h);
        for _ in 0..GROUP.ilog2() {
            power = portable::ghash::multiply(power, power);
        }
        let mut tables = Box::new(Zeroizing::new([[[0; 16]; 2]; 17]));
        fill(&mut tables, power);
        Self { h: portable::ghash::Ghash::new(h), tables }
    }

    /// Hashes blocks into `state`.
    pub(crate) fn update(&self, state: &mut Block, blocks: &[Block]) {
        let (groups, rest) = blocks.as_chunks::<GROUP>();
        let [first, groups @ ..] = groups else { return self.h.update(state, rest) };
        let mut planes = exchange(first.each_ref().map(load));
        // The state is added to the first block.
        for (plane, byte) in planes.iter_mut().zip(&*state) {
            *plane = v128_xor(*plane, u8x16_replace_lane::<0>(u8x16_splat(0), *byte));
        }
        for group in groups {
            multiply(&self.tables, &mut planes);
            for (plane, bytes) in planes.iter_mut().zip(exchange(group.each_ref().map(load))) {
                *plane = v128_xor(*plane, bytes);
            }
        }
        let mut last = Zeroizing::new([[0; 16]; GROUP]);
        for (block, row) in last.iter_mut().zip(exchange(planes)) {
            store(block, row);
        }
        *state = [0; 16];
        self.h.update(state, &*last);
        self.h.update(state, rest);
    }
}

/// The tables of a number, whose x^0 is its highest bit.
fn fill(tables: &mut Tables, number: u128) {
    for half in 0..16 {
        for (lower, shift) in [(0, 0), (1, 4)] {
            // The bits of a half are x^0 to x^3, or x^4 to x^7, so the product has a byte more than the number.
            let (mut bytes, mut behind) = (0, 0);
            for place in (0..4).filter(|place| half << place & 8 != 0) {
                bytes ^= number >> (shift + place);
                behind ^= number << 8 >> (shift + place);
            }
            for (place, byte) in bytes.to_be_bytes().into_iter().chain([behind as u8]).enumerate() {
                tables[place][lower][half] = byte;
            }
        }
    }
}

/// Multiplies sixteen numbers, given as planes of their bytes.
#[inline(never)]
fn multiply(tables: &Tables, planes: &mut Planes) {
    let nibble = u8x16_splat(15);
    let mut product = [u8x16_splat(0); 32];
    for (place, plane) in planes.iter().enumerate() {
        let (upper, lower) = (v128_and(u16x8_shr(*plane, 4), nibble), v128_and(*plane, nibble));
        for (sum, [of_upper, of_lower]) in product[place..].iter_mut().zip(tables) {
            let found = v128_xor(i8x16_swizzle(load(of_upper), upper), i8x16_swizzle(load(of_lower), lower));
            *sum = v128_xor(*sum, found);
        }
    }
    // x^128 = x^7 + x^2 + x + 1: a byte is added 16 places earlier, and the bits that are shifted out one place after that.
    for place in (16..32).rev() {
        let byte = product[place];
        let here = v128_xor(v128_xor(byte, u8x16_shr(byte, 1)), v128_xor(u8x16_shr(byte, 2), u8x16_shr(byte, 7)));
        let next = v128_xor(u8x16_shl(byte, 7), v128_xor(u8x16_shl(byte, 6), u8x16_shl(byte, 1)));
        product[place - 16] = v128_xor(product[place - 16], here);
        product[place - 15] = v128_xor(product[place - 15], next);
    }
    planes.copy_from_slice(&product[..16]);
}

/// Turns blocks into planes, and planes into blocks.
#[inline(never)]
fn exchange(mut rows: Planes) -> Planes {
    for _ in 0..4 {
        rows = std::array::from_fn(|i| {
            let (a, b) = (rows[i / 2], rows[i / 2 + 8]);
            if i % 2 == 0 {
                i8x16_shuffle::<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(a, b)
            } else {
                i8x16_shuffle::<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(a, b)
            }
        });
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_blocks_agrees_with_the_portable_one() {
        for h in [[0; 16], [0xff; 16], [0x80; 16], std::array::from_fn(|i| (i as u8).wrapping_mul(37))] {
            let (own, portable) = (Ghash::new(&h), portable::ghash::Ghash::new(&h));
            for count in 0..100 {
                let blocks: Vec<Block> =
                    (0..count).map(|i: u32| u128::from(i + 1).wrapping_mul(u128::MAX / 7 - 12).to_le_bytes()).collect();
                let (mut found, mut expected) = ([9; 16], [9; 16]);
                own.update(&mut found, &blocks);
                portable.update(&mut expected, &blocks);
                assert_eq!(found, expected, "{count} blocks");
            }
        }
    }
}
