//! SM4, bit-sliced: in constant time on any CPU, without a table.
//!
//! It computes, for each block of four big-endian words,
//!
//! ```text
//! for i in 0..32:
//!     X[i+4] = X[i] ^ L(S(X[i+1] ^ X[i+2] ^ X[i+3] ^ rk[i]))
//! output X[35], X[34], X[33], X[32]
//! L(b) = b ^ (b <<< 2) ^ (b <<< 10) ^ (b <<< 18) ^ (b <<< 24)
//! ```
//!
//! (GB/T 32907). It departs from this in four ways:
//!
//! 1. **Sixteen blocks are turned into planes.** Plane j of a word holds bit j of its four bytes in sixteen blocks: byte k of
//!    block n is bit 16 k + n. The S-box is then a circuit of 34 ANDs and ORs and 65 XORs, which computes 64 S-boxes at once.
//!    Four groups of planes are side by side, so that the compiler can use wider registers.
//! 2. **The S-box is A·I(A·(x ^ d)) ^ c**, with I the inversion in the field of x^8+x^7+x^6+x^5+x^4+x^2+1, A the circulant
//!    matrix of 0xa7, c = 0xd3 and A·d = c. The circuit computes A·I(A·x) as inversion in a tower of fields, with both matrices
//!    folded into its ends. d is part of the round keys.
//! 3. **c is left out.** A round then lacks L(c) = 0x4f in each byte. Pairs of words that lack it cancel; where they do not, in
//!    the rounds i where (i ^ i/4) is odd, the round keys contain it. After 32 rounds nothing is missing.
//! 4. **Rotations are names.** A rotation by 8 k bits rotates a plane by 16 k bits, and a rotation by 2 uses the plane two
//!    below.
//!
//! Sources: the tower of fields: Satoh and others (2001); small circuits by search: Boyar and Peralta (2010). The circuit is
//! our own; tests compare it with the definition.

type Block = [u8; 16];
/// The eight planes of a word, for `N` groups of sixteen blocks.
type Word<const N: usize> = [[u64; N]; 8];

/// d of (2), in each byte.
const D: u32 = 0x7575_7575;
/// c of (2) in each byte, and L(c) of (3).
const C: u32 = 0xd3d3_d3d3;
const L_OF_C: u32 = 0x4f4f_4f4f;
/// Blocks of a group, and groups side by side: four fill the registers of AVX2, and are no slower in those of SSE2.
const GROUP: usize = 16;
const WIDE: usize = 4;

/// The S-box on the four bytes of a word.
pub(crate) fn sbox(word: u32) -> u32 {
    let planes = gates(std::array::from_fn(|j| u64::from((word ^ D) >> j & 0x0101_0101)));
    planes.iter().enumerate().fold(C, |out, (j, plane)| out ^ (*plane as u32 & 0x0101_0101) << j)
}

/// Encrypts each block under the standard's round keys; decrypts if they are reversed.
pub(crate) fn encrypt_blocks(round_keys: &[u32; 32], blocks: &mut [Block]) {
    let keys = slice_keys(round_keys);
    let mut groups = blocks.chunks_mut(WIDE * GROUP);
    for blocks in &mut groups {
        if blocks.len() > GROUP * WIDE / 2 {
            encrypt_groups::<WIDE>(&keys, blocks);
        } else {
            blocks.chunks_mut(GROUP).for_each(|blocks| encrypt_groups::<1>(&keys, blocks));
        }
    }
}

/// Round keys as planes, with (2) and (3) in them.
type Keys = zeroize::Zeroizing<[[u64; 32]; 8]>;

fn slice_keys(round_keys: &[u32; 32]) -> Keys {
    let mut planes = Keys::new([[0; 32]; 8]);
    for (i, key) in round_keys.iter().enumerate() {
        let missing = if (i ^ i / 4) & 1 == 1 { L_OF_C } else { 0 };
        // Puts byte k at bit 16 k.
        let bytes = u64::from((key ^ D ^ missing).swap_bytes());
        let bytes = (bytes | bytes << 16) & 0x0000_ffff_0000_ffff;
        let bytes = (bytes | bytes << 8) & 0x00ff_00ff_00ff_00ff;
        for (j, plane) in planes.iter_mut().enumerate() {
            // Repeats the bit for sixteen blocks.
            let bits = bytes >> j & 0x0001_0001_0001_0001;
            plane[i] = (bits << 16).wrapping_sub(bits);
        }
    }
    planes
}

/// Encrypts up to `N` groups of blocks.
fn encrypt_groups<const N: usize>(keys: &Keys, blocks: &mut [Block]) {
    let mut state = [[[0; N]; 8]; 4];
    let rows = state.as_flattened_mut();
    for (n, blocks) in blocks.chunks(GROUP).enumerate() {
        for (row, block) in blocks.iter().enumerate() {
            let (halves, _) = block.as_chunks::<8>();
            rows[row][n] = u64::from_le_bytes(halves[0]);
            rows[GROUP + row][n] = u64::from_le_bytes(halves[1]);
        }
    }
    exchange_between(&mut state, [8, 16, 32]);
    exchange_within(&mut state);
    rounds(keys, &mut state);
    state.reverse();
    exchange_within(&mut state);
    exchange_between(&mut state, [32, 16, 8]);
    let rows = state.as_flattened();
    for (n, blocks) in blocks.chunks_mut(GROUP).enumerate() {
        for (row, block) in blocks.iter_mut().enumerate() {
            let (halves, _) = block.as_chunks_mut::<8>();
            halves[0] = rows[row][n].to_le_bytes();
            halves[1] = rows[GROUP + row][n].to_le_bytes();
        }
    }
}

/// Moves bytes to their places: the first half of turning blocks into planes.
fn exchange_between<const N: usize>(state: &mut [Word<N>; 4], shifts: [u32; 3]) {
    let (pairs, _) = state.as_chunks_mut::<2>();
    for [low, high] in pairs {
        for (low, high) in low.as_flattened_mut().iter_mut().zip(high.as_flattened_mut()) {
            for shift in shifts {
                exchange(low, high, shift);
            }
        }
    }
}

/// Moves bits to their planes: the second half of turning blocks into planes.
fn exchange_within<const N: usize>(state: &mut [Word<N>; 4]) {
    for word in state {
        for n in 0..N {
            let mut planes: [u64; 8] = std::array::from_fn(|j| word[j][n]);
            for step in [4, 2, 1] {
                for j in (0..8).filter(|j| j & step == 0) {
                    let (low, high) = planes.split_at_mut(j + step);
                    exchange(&mut low[j], &mut high[0], step as u32);
                }
            }
            for (plane, bits) in word.iter_mut().zip(planes) {
                plane[n] = bits;
            }
        }
    }
}

/// Exchanges the upper `shift` bits of every 2 `shift` in `low` with the lower ones in `high`.
#[inline(always)]
fn exchange(low: &mut u64, high: &mut u64, shift: u32) {
    let mask = u64::MAX / ((1 << shift) + 1);
    let swap = (*low >> shift ^ *high) & mask;
    *high ^= swap;
    *low ^= swap << shift;
}

fn rounds<const N: usize>(keys: &Keys, state: &mut [Word<N>; 4]) {
    let [x0, x1, x2, x3] = state;
    for i in (0..32).step_by(4) {
        round(x0, [x1, x2, x3], keys, i);
        round(x1, [x2, x3, x0], keys, i + 1);
        round(x2, [x3, x0, x1], keys, i + 2);
        round(x3, [x0, x1, x2], keys, i + 3);
    }
}

#[inline(always)]
fn round<const N: usize>(x0: &mut Word<N>, [x1, x2, x3]: [&Word<N>; 3], keys: &Keys, i: usize) {
    for n in 0..N {
        let s = gates(std::array::from_fn(|j| x1[j][n] ^ x2[j][n] ^ x3[j][n] ^ keys[j][i]));
        let turned = s.map(|plane| plane.rotate_right(16));
        for j in 0..8 {
            // The plane two below, of this byte and of the next. Below the lowest planes are the upper ones of the next byte.
            let (below, next) =
                if j >= 2 { (s[j - 2], turned[j - 2]) } else { (turned[j + 6], s[j + 6].rotate_right(32)) };
            x0[j][n] ^= s[j] ^ below ^ next ^ (below ^ turned[j]).rotate_right(32);
        }
    }
}

/// A·I(A·x) of (2) on planes.
#[inline(always)]
fn gates([x0, x1, x2, x3, x4, x5, x6, x7]: [u64; 8]) -> [u64; 8] {
    let x14 = x4 ^ x1;
    let x26 = x6 ^ x2;
    let x45 = x5 ^ x4;
    let x126 = x26 ^ x1;
    let x457 = x45 ^ x7;
    let x124 = x14 ^ x2;
    let x0126 = x126 ^ x0;
    let x24567 = x457 ^ x26;
    let x046 = x0126 ^ x124;
    let x0246 = x0126 ^ x14;
    let x01256 = x0126 ^ x5;
    let x012356 = x01256 ^ x3;
    let x0156 = x01256 ^ x2;
    let x035 = x012356 ^ x126;
    let x02456 = x0246 ^ x5;
    let x0347 = x035 ^ x457;
    let x01347 = x012356 ^ x24567;
    let p0 = x0156 | x457;
    let p1 = x035 & !x124;
    let p2 = x0347 & !x02456;
    let p3 = x2 | x126;
    let p4 = x046 | x1;
    let p5 = x0246 & x26;
    let p6 = x01347 & !x5;
    let p7 = x01256 | x24567;
    let p8 = x012356 & !x0126;
    let n0 = p3 ^ x45;
    let n1 = p7 ^ x14;
    let n2 = p5 ^ n0;
    let n3 = p4 ^ n0;
    let n4 = p2 ^ n2;
    let n5 = p8 ^ n2;
    let n6 = p1 ^ n3;
    let n7 = n1 ^ n3;
    let n8 = n4 ^ n6;
    let n9 = p0 ^ n6;
    let n10 = p6 ^ n7;
    let n11 = n5 ^ n7;
    let i0 = n11 & n9;
    let i1 = i0 ^ n8;
    let i2 = i1 & n10;
    let i3 = i2 ^ n11;
    let i4 = n11 ^ n10;
    let i5 = i4 & !i0;
    let i6 = i5 | i2;
    let i7 = i6 ^ i3;
    let i8 = n8 & !i0;
    let i9 = i4 & n9;
    let i10 = i9 ^ i8;
    let i11 = i10 ^ i3;
    let i12 = i9 ^ n11;
    let i13 = n8 & !i12;
    let i14 = i13 ^ n9;
    let i15 = i14 ^ i10;
    let i16 = i15 ^ i7;
    let i17 = i14 ^ i6;
    let a0 = x0156 & i15;
    let a1 = x124 & i10;
    let a2 = x02456 & i14;
    let a3 = x2 & i6;
    let a4 = x046 & i7;
    let a5 = x0246 & i3;
    let a6 = x5 & i17;
    let a7 = x01256 & i16;
    let a8 = x0126 & i11;
    let b0 = x035 & i15;
    let b1 = x0347 & i10;
    let b2 = x457 & i14;
    let b3 = x126 & i6;
    let b4 = x1 & i7;
    let b5 = x26 & i3;
    let b6 = x24567 & i11;
    let b7 = x012356 & i17;
    let b8 = x01347 & i16;
    let s0 = b6 ^ b5;
    let s1 = b1 ^ b5;
    let s2 = a4 ^ a3;
    let s3 = a5 ^ a3;
    let s4 = b7 ^ b3;
    let s5 = b2 ^ b3;
    let s6 = s0 ^ s4;
    let s7 = b8 ^ s4;
    let s8 = a1 ^ a2;
    let s9 = a0 ^ a2;
    let s10 = a7 ^ s8;
    let s11 = s3 ^ s8;
    let s12 = s2 ^ s6;
    let s13 = a6 ^ s12;
    let s14 = s9 ^ s12;
    let s15 = s10 ^ s13;
    let s16 = a8 ^ s13;
    let s17 = b0 ^ s1;
    let s18 = s5 ^ s1;
    let s19 = s17 ^ s15;
    let s20 = s7 ^ s19;
    let s21 = b4 ^ s19;
    let s22 = s14 ^ s20;
    let s23 = s18 ^ s20;
    let s24 = s15 ^ s22;
    [s24, s21, s22, s18, s23, s16, s11, s6]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Multiplication in the field of SM4's S-box.
    fn multiply(mut a: u32, b: u32) -> u32 {
        let mut product = 0;
        for bit in 0..8 {
            product ^= a * (b >> bit & 1);
            a <<= 1;
            a ^= (a >> 8) * 0x1f5;
        }
        product
    }

    /// A·x ^ c, with A the circulant matrix of 0xa7.
    fn affine(x: u32) -> u32 {
        let row = |i: u32| (0xa7 << i | 0xa7 >> (8 - i)) & 0xff;
        (0..8).fold(0xd3, |y, i| y ^ ((x & row(i)).count_ones() & 1) << i)
    }

    #[test]
    fn the_s_box_is_its_definition_for_all_bytes() {
        for x in 0..256 {
            let inverse = |x| (0..256).find(|y| multiply(x, *y) == 1).unwrap_or(0);
            let expected = affine(inverse(affine(x)));
            for place in 0..4 {
                let other = 0xa5c3_9617 & !(0xff << (8 * place));
                let found = sbox(x << (8 * place) | other);
                assert_eq!(found >> (8 * place) & 0xff, expected, "{x:02x} at {place}");
            }
        }
    }
}
