//! GHASH (SP 800-38D section 6.4) without carry-less multiplication and without a table, in constant time.
//!
//! A product of 64-bit polynomials is assembled from integer products of numbers with holes. If only every fourth bit is set,
//! at most sixteen ones add up, and only in the highest place does the carry reach the next bit that counts; in the lower half
//! of a product that bit is cut off. So four numbers of every fourth bit on each side, sixteen products and a mask give the
//! lower half of the carry-less product, and the upper half is the lower half for the mirrored operands. The idea is Pornin's
//! (`BearSSL`). Products of 128 bits would need no mirror, but on targets without an instruction for them, such as WASM, each
//! is a function call. Multiplication must take the same time for all operands, as it does on today's 64-bit CPUs.

use zeroize::Zeroize;

/// The key H, as a polynomial whose coefficients are in GCM's order: that of x^0 in the top bit.
pub(crate) struct Ghash {
    h: Box<u128>,
}

impl Ghash {
    pub(crate) fn new(h: &[u8; 16]) -> Self {
        Self { h: Box::new(u128::from_be_bytes(*h)) }
    }

    /// Hashes blocks into `state`.
    pub(crate) fn update(&self, state: &mut [u8; 16], blocks: &[[u8; 16]]) {
        let mut y = u128::from_be_bytes(*state);
        for block in blocks {
            y = multiply(y ^ u128::from_be_bytes(*block), *self.h);
        }
        *state = y.to_be_bytes();
    }
}

impl Drop for Ghash {
    fn drop(&mut self) {
        self.h.zeroize();
    }
}

/// The product in GHASH's field.
pub(crate) fn multiply(a: u128, b: u128) -> u128 {
    let [(a1, a0), (b1, b0)] = [a, b].map(|x| ((x >> 64) as u64, x as u64));
    // Karatsuba's three products of halves.
    let (high, low) = (carryless(a1, b1), carryless(a0, b0));
    let middle = carryless(a1 ^ a0, b1 ^ b0) ^ high ^ low;
    // The product has 255 bits in reversed order, like the operands: a shift by one puts x^0 into the top bit again.
    let (high, low) = (high ^ middle >> 64, low ^ middle << 64);
    let (high, low) = (high << 1 | low >> 127, low << 1);
    // x^128 = x^7 + x^2 + x + 1, downwards: the bits that are shifted out are reduced once more.
    let fold = |x: u128| x ^ x >> 1 ^ x >> 2 ^ x >> 7;
    let lost = low << 127 ^ low << 126 ^ low << 121;
    high ^ fold(low ^ lost)
}

/// The product without carries. Mirroring both operands mirrors the 127 bits of the product.
fn carryless(a: u64, b: u64) -> u128 {
    let high = carryless_low(a.reverse_bits(), b.reverse_bits()).reverse_bits() >> 1;
    u128::from(high) << 64 | u128::from(carryless_low(a, b))
}

/// The lower half of the product without carries, from sixteen products with holes.
fn carryless_low(a: u64, b: u64) -> u64 {
    const EVERY_FOURTH: u64 = 0x1111_1111_1111_1111;
    let parts = |x: u64| std::array::from_fn::<u64, 4, _>(|i| x & EVERY_FOURTH << i);
    let (a, b) = (parts(a), parts(b));
    let mut product = 0;
    for i in 0..4 {
        // The four pairs whose bits fall on the same residue.
        let sum = (0..4).fold(0, |sum, j| sum ^ a[j].wrapping_mul(b[(i + 4 - j) % 4]));
        product |= sum & EVERY_FOURTH << i;
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The product of SP 800-38D section 6.3, bit by bit.
    fn by_the_book(x: u128, y: u128) -> u128 {
        let (mut z, mut v) = (0, y);
        for bit in (0..128).rev() {
            z ^= v * (x >> bit & 1);
            v = v >> 1 ^ (v & 1) * (0xe1 << 120);
        }
        z
    }

    #[test]
    fn products_are_those_of_the_book() {
        let mut state = 0x0123_4567_89ab_cdef_u128;
        let mut next = || {
            state = state.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(0x5851_f42d_4c95_7f2d);
            state ^ state >> 61
        };
        for special in [0, 1, 1 << 127, u128::MAX, 0x1111 << 64, u128::MAX / 15] {
            let other = next();
            for (a, b) in [(special, other), (other, special), (special, special)] {
                assert_eq!(multiply(a, b), by_the_book(a, b), "{a:x} {b:x}");
            }
        }
        for _ in 0..2_000 {
            let (a, b) = (next(), next());
            assert_eq!(multiply(a, b), by_the_book(a, b), "{a:x} {b:x}");
        }
    }

    /// Test case 2 of the GCM specification (`McGrew` and Viega).
    #[test]
    fn a_published_value() {
        let hex = |text: &str| u128::from_str_radix(text, 16).unwrap().to_be_bytes();
        let key = Ghash::new(&hex("66e94bd4ef8a2c3b884cfa59ca342b2e"));
        let mut state = [0; 16];
        key.update(&mut state, &[hex("0388dace60b6a392f328c2b971b2fe78"), hex("00000000000000000000000000000080")]);
        assert_eq!(state, hex("f38cbb1ad69223dcc3457ae5b6b0f885"));
    }
}
