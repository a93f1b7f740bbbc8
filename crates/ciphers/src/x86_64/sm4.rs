//! SM4 on vector registers, in constant time: no secret indexes a table in memory.
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
//! (GB/T 32907), for as many blocks as a register has words, several registers at once. It departs from this in six ways:
//!
//! 1. **The S-box is AES's inversion between two affine maps.** S(x) = A2·Inv(A1·x ^ c1) ^ c2, where Inv is inversion in the
//!    field of AES: both S-boxes are inversions, under different polynomials. GFNI has Inv as an instruction. AES-NI has it
//!    in `aesenclast`, which gives A·Inv(x) ^ 0x63 after `ShiftRows`. The affine map that follows undoes A, and the byte
//!    shuffles that follow anyway undo `ShiftRows`. Without GFNI, an affine map is two lookups of `pshufb`, by nibbles, in
//!    registers.
//! 2. **L is folded into the affine map.** L is circulant over bytes: with U(b) = b << 2 and D(b) = b >> 6 in a byte and ρ the
//!    rotation by one byte, L = (1+U) ^ ρ·(U+D) ^ ρ²·(U+D) ^ ρ³·(1+D). So affine maps T0 = 1+U and T1 = U+D of Inv(x), their
//!    sum, which is 1+D, and byte rotations compute all of S and L, without rotations by 2.
//! 3. **Words stay in the basis before the inversion.** A1 is applied to the plaintext once, its inverse to the ciphertext
//!    once, and both are folded into T0, T1 and the round keys: rk' = A1·rk ^ c1. This removes one affine map from each round
//!    and from the chain that a single block waits for (20 %; docs/design/sm4.md has the measurements).
//! 4. **Bytes stay in memory's order.** All maps are bytewise, so words are never swapped: the standard's rotation to the left
//!    takes the next byte in memory.
//! 5. **Counter blocks are never in memory.** Three of their words are the same in all blocks, and the fourth counts: the words
//!    are computed in registers, in the order that the transposition would give.
//! 6. **A chain stays in the basis of (3).** In CBC, each block of ciphertext is added to the next plaintext in that basis,
//!    since both maps are linear.
//!
//! Sources: GB/T 32907-2016; the affine equivalence of the two S-boxes: Saarinen, sm4ni (2018); Jeon, Kwon and others on GFNI.
//! The matrices are those of docs/design/sm4.md, and a test checks them against the standard's examples.

use super::super::cpu::{AesAvx2, GfniAvx2, GfniAvx512, VaesAvx2};
use core::arch::x86_64::*;

/// Round keys in the kernels' form: in the basis of (3), bytes in memory's order.
pub(crate) type RoundKeys = [u32; 32];

/// A1 and c1 of (1): matrices are written as `gf2p8affineqb` takes them, the row of bit 0 in the top byte.
const PRE: Affine = Affine { matrix: 0x34ac_259e_022d_bc52, constant: 0x65 };
/// The linear part of `PRE`, and its inverse.
const ENTER: Affine = Affine { matrix: PRE.matrix, constant: 0 };
const LEAVE: Affine = Affine { matrix: 0x4710_1b24_4258_d265, constant: 0 };
/// T0 and T1 of (2), after A2 and before A1.
const TERMS: [Affine; 2] = [
    Affine { matrix: 0xf46d_b3ed_2dcf_fd28, constant: 0x3a },
    Affine { matrix: 0x08c7_0d01_1920_4989, constant: 0x39 },
];
/// The sum of T0 and T1.
const SUM: Affine =
    Affine { matrix: TERMS[0].matrix ^ TERMS[1].matrix, constant: TERMS[0].constant ^ TERMS[1].constant };
/// The inverse of A·y ^ 0x63 of AES's S-box.
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

    /// The composition: `first`, then this map.
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

    /// The map as two tables, one for each nibble of a byte; the xor of their values is the result.
    const fn nibble_tables(self) -> [[u8; 16]; 2] {
        let mut tables = [[0; 16]; 2];
        let mut i = 0;
        while i < 16 {
            tables[0][i] = self.apply(i as u8) ^ self.constant;
            tables[1][i] = self.apply((i as u8) << 4);
            i += 1;
        }
        tables
    }

    /// Applies the map to the four bytes of a word, without a table: the schedule's words are secret.
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

/// Converts the standard's round keys to the kernels' form.
pub(crate) fn convert_round_keys(keys: &mut RoundKeys) {
    for key in keys {
        *key = PRE.apply_to_word(key.swap_bytes());
    }
}

/// Blocks in flight. A round is a chain of some ten instructions that wait for each other, so a kernel needs several groups of
/// registers to keep the CPU busy. More groups than fit into the registers are still faster than fewer (docs/design/sm4.md).
const IN_FLIGHT: usize = 64;
/// Messages that CBC encrypts together.
const CHAINS: usize = 16;
const FITS: &str = "sm4: groups are whole";

/// A module with the block cipher on one kind of register. A group is `BLOCKS` blocks in four registers.
macro_rules! block_kernel {
    (
        $(#[$doc:meta])* mod $name:ident, features $features:literal, vector $Vector:ty, blocks $BLOCKS:literal,
        load $load:ident, store $store:ident, chains $chains:ident $($memory:ident)*, xor $xor:ident, word $word:ident, zero $zero:ident,
        counters $counters:ident, unpack $unpack_low:ident $unpack_high:ident $unpack_low_pairs:ident $unpack_high_pairs:ident,
        maps { $($maps:item)+ }
    ) => {
        $(#[$doc])*
        pub(super) mod $name {
            use super::*;

            type Vector = $Vector;
            type Block = [u8; 16];

            /// Blocks of a register, and of a group.
            const LANES: usize = $BLOCKS / 4;
            pub(crate) const BLOCKS: usize = $BLOCKS;

            $($maps)+

            /// The rounds on all groups of a state. A macro, since a function would read and write the state in memory.
            macro_rules! rounds {
                ($maps_:ident, $keys_:ident, $state_:ident) => {
                    let (rounds, _) = $keys_.as_chunks::<4>();
                    for keys in rounds {
                        rounds!(one, $maps_, keys, $state_, 0, 1, 2, 3);
                        rounds!(one, $maps_, keys, $state_, 1, 2, 3, 0);
                        rounds!(one, $maps_, keys, $state_, 2, 3, 0, 1);
                        rounds!(one, $maps_, keys, $state_, 3, 0, 1, 2);
                    }
                };
                (one, $maps_:ident, $keys_:ident, $state_:ident, $a:literal, $b:literal, $c:literal, $d:literal) => {
                    let key = $word($keys_[$a].cast_signed());
                    for words in &mut $state_ {
                        // The newest word comes last: the round waits for it alone.
                        let x = $xor($xor($xor(words[$b], words[$c]), key), words[$d]);
                        let [t0, t1, t2, t3] = $maps_.round_terms(x);
                        words[$a] = $xor($xor(words[$a], $xor(t0, t1)), $xor(t2, t3));
                    }
                };
            }

            /// The rounds for few groups, where latency counts: the next round's input is summed in advance, except for the
            /// terms of the current round.
            macro_rules! chained_rounds {
                ($maps_:ident, $keys_:ident, $state_:ident) => {
                    let first = $word($keys_[0].cast_signed());
                    let mut inputs = $state_.map(|[_, b, c, d]| $xor($xor(b, c), $xor(d, first)));
                    let (rounds, _) = $keys_.as_chunks::<4>();
                    for (i, keys) in rounds.iter().enumerate() {
                        let after = $keys_[(4 * i + 4) % 32];
                        chained_rounds!(one, $maps_, keys[1], $state_, inputs, 0, 2, 3);
                        chained_rounds!(one, $maps_, keys[2], $state_, inputs, 1, 3, 0);
                        chained_rounds!(one, $maps_, keys[3], $state_, inputs, 2, 0, 1);
                        chained_rounds!(one, $maps_, after, $state_, inputs, 3, 1, 2);
                    }
                };
                (one, $maps_:ident, $key:expr, $state_:ident, $inputs:ident, $a:literal, $c:literal, $d:literal) => {
                    let key = $word($key.cast_signed());
                    for (words, x) in $state_.iter_mut().zip(&mut $inputs) {
                        let next = $xor($xor(words[$a], words[$c]), $xor(words[$d], key));
                        let [t0, t1, t2, t3] = $maps_.chained_terms(*x);
                        *x = $xor($xor($xor(next, t0), t1), $xor(t2, t3));
                        words[$a] = $xor($xor(words[$a], $xor(t0, t1)), $xor(t2, t3));
                    }
                };
            }

            /// Applies the cipher to groups of blocks. `$stored` maps each register of results, given all blocks and its index,
            /// to the value to store. The registers are stored from the last to the first, so it still sees the input up to its
            /// own index.
            macro_rules! apply_to_groups {
                ($keys_:ident, $groups_:ident, $stored_:expr) => {
                    let maps = Maps::new();
                    let mut state = [[$zero(); 4]; G];
                    for (words, group) in state.iter_mut().zip($groups_.iter()) {
                        let (quarters, _) = group.as_chunks::<LANES>();
                        let loaded = [load(&quarters[0]), load(&quarters[1]), load(&quarters[2]), load(&quarters[3])];
                        *words = transpose(loaded).map(|word| maps.enter(word));
                    }
                    rounds!(maps, $keys_, state);
                    let (stored, blocks) = ($stored_, $groups_.as_flattened_mut());
                    for (i, words) in state.iter().enumerate().rev() {
                        let [a, b, c, d] = words.map(|word| maps.leave(word));
                        for (j, vector) in transpose([d, c, b, a]).into_iter().enumerate().rev() {
                            let at = i * BLOCKS + j * LANES;
                            let vector = stored(vector, &*blocks, at);
                            store((&mut blocks[at..][..LANES]).try_into().expect(FITS), vector);
                        }
                    }
                };
            }

            /// Encrypts `G` groups at once.
            #[target_feature(enable = $features)]
            fn encrypt_groups<const G: usize>(keys: &RoundKeys, groups: &mut [[Block; BLOCKS]; G]) {
                apply_to_groups!(keys, groups, |vector, _: &[Block], _| vector);
            }

            /// Adds the keystream to `G` groups. The counter blocks have `a`, `b` and `c` as their first three words, and the
            /// last words count from `low` on.
            #[target_feature(enable = $features)]
            fn add_keystream_groups<const G: usize>(
                keys: &RoundKeys,
                [a, b, c]: [u32; 3],
                low: u32,
                groups: &mut [[Block; BLOCKS]; G],
            ) {
                let maps = Maps::new();
                let [a, b, c] = [a, b, c].map(|word| maps.enter($word(word.cast_signed())));
                let mut state = [[$zero(); 4]; G];
                let mut low = low;
                for words in &mut state {
                    *words = [a, b, c, maps.enter($counters(low))];
                    low = low.wrapping_add(BLOCKS as u32);
                }
                rounds!(maps, keys, state);
                for (words, group) in state.iter().zip(groups) {
                    let [a, b, c, d] = words.map(|word| maps.leave(word));
                    let (quarters, _) = group.as_chunks_mut::<LANES>();
                    for (quarter, keystream) in quarters.iter_mut().zip(transpose([d, c, b, a])) {
                        store(quarter, $xor(load(quarter), keystream));
                    }
                }
            }

            /// Adds the keystream to any number of blocks. The last 32 bits of the counter block count and wrap.
            #[target_feature(enable = $features)]
            pub(crate) fn add_keystream(keys: &RoundKeys, counter: &Block, blocks: &mut [Block]) {
                let ([a, b, c], low) = split_counter(counter);
                let mut low = low;
                let (whole, rest) = blocks.as_chunks_mut::<IN_FLIGHT>();
                for blocks in whole {
                    let (groups, _) = blocks.as_chunks_mut::<BLOCKS>();
                    let groups: &mut [[Block; BLOCKS]; IN_FLIGHT / BLOCKS] = groups.try_into().expect(FITS);
                    add_keystream_groups(keys, [a, b, c], low, groups);
                    low = low.wrapping_add(IN_FLIGHT as u32);
                }
                match rest.len().div_ceil(BLOCKS) {
                    0 => {}
                    1 => add_keystream_padded::<1>(keys, [a, b, c], low, rest),
                    2 => add_keystream_padded::<2>(keys, [a, b, c], low, rest),
                    3..=4 => add_keystream_padded::<4>(keys, [a, b, c], low, rest),
                    _ => add_keystream_padded::<{ IN_FLIGHT / BLOCKS }>(keys, [a, b, c], low, rest),
                }
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn add_keystream_padded<const G: usize>(keys: &RoundKeys, head: [u32; 3], low: u32, blocks: &mut [Block]) {
                let mut padded = [[[0; 16]; BLOCKS]; G];
                padded.as_flattened_mut()[..blocks.len()].copy_from_slice(blocks);
                add_keystream_groups(keys, head, low, &mut padded);
                blocks.copy_from_slice(&padded.as_flattened()[..blocks.len()]);
            }

            /// Encrypts any number of blocks: `IN_FLIGHT` at a time, and the rest padded to 1, 2, 4 or `IN_FLIGHT / BLOCKS`
            /// groups.
            #[target_feature(enable = $features)]
            pub(crate) fn encrypt(keys: &RoundKeys, blocks: &mut [Block]) {
                let (whole, rest) = blocks.as_chunks_mut::<IN_FLIGHT>();
                for blocks in whole {
                    encrypt_exactly::<{ IN_FLIGHT / BLOCKS }>(keys, blocks);
                }
                match rest.len().div_ceil(BLOCKS) {
                    0 => {}
                    1 => encrypt_padded::<1>(keys, rest),
                    2 => encrypt_padded::<2>(keys, rest),
                    3..=4 => encrypt_padded::<4>(keys, rest),
                    _ => encrypt_padded::<{ IN_FLIGHT / BLOCKS }>(keys, rest),
                }
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn encrypt_padded<const G: usize>(keys: &RoundKeys, blocks: &mut [Block]) {
                if blocks.len() == G * BLOCKS {
                    return encrypt_exactly::<G>(keys, blocks);
                }
                let mut padded = [[[0; 16]; BLOCKS]; G];
                padded.as_flattened_mut()[..blocks.len()].copy_from_slice(blocks);
                encrypt_groups::<G>(keys, &mut padded);
                blocks.copy_from_slice(&padded.as_flattened()[..blocks.len()]);
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn encrypt_exactly<const G: usize>(keys: &RoundKeys, blocks: &mut [Block]) {
                let (groups, _) = blocks.as_chunks_mut::<BLOCKS>();
                encrypt_groups::<G>(keys, groups.try_into().expect(FITS));
            }

            $chains! { $features, $xor, $zero $(, $memory)* }

            /// Turns registers of blocks into registers of words, and back.
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

/// CBC on wide registers: decryption, and encryption of several messages at once.
macro_rules! several_chains {
    ($features:literal, $xor:ident, $zero:ident, $gather:ident, $scatter:ident) => {
        /// Decrypts with CBC, `IN_FLIGHT` blocks at a time; the IV becomes the last block of their ciphertext. Returns the
        /// rest.
        #[target_feature(enable = $features)]
        pub(crate) fn decrypt_chain<'a>(keys: &RoundKeys, iv: &mut Block, blocks: &'a mut [Block]) -> &'a mut [Block] {
            let (whole, rest) = blocks.as_chunks_mut::<IN_FLIGHT>();
            for blocks in whole {
                let (groups, _) = blocks.as_chunks_mut::<BLOCKS>();
                decrypt_groups::<{ IN_FLIGHT / BLOCKS }>(keys, groups.try_into().expect(FITS), iv);
            }
            rest
        }

        // Inlined, it was slower.
        #[inline(never)]
        #[target_feature(enable = $features)]
        fn decrypt_groups<const G: usize>(keys: &RoundKeys, groups: &mut [[Block; BLOCKS]; G], iv: &mut Block) {
            let last = groups[G - 1][BLOCKS - 1];
            apply_to_groups!(keys, groups, |vector, blocks: &[Block], at: usize| {
                let mut first = [*iv; LANES];
                let before = if at > 0 {
                    blocks[at - 1..][..LANES].try_into().expect(FITS)
                } else {
                    first[1..].copy_from_slice(&blocks[..LANES - 1]);
                    &first
                };
                $xor(vector, load(before))
            });
            *iv = last;
        }

        /// Encrypts `G` groups of messages with CBC, `steps` blocks of each. The chains stay in the basis of (3) and in
        /// registers: a round waits for the round before, and for nothing else.
        #[target_feature(enable = $features)]
        pub(crate) fn encrypt_chains<const G: usize>(
            keys: &RoundKeys,
            ivs: &mut [[Block; BLOCKS]; G],
            messages: &mut [[&mut [Block]; BLOCKS]; G],
            steps: usize,
        ) {
            let maps = Maps::new();
            let mut state = [[$zero(); 4]; G];
            for (words, ivs) in state.iter_mut().zip(ivs.iter()) {
                let (quarters, _) = ivs.as_chunks::<LANES>();
                let loaded = [load(&quarters[0]), load(&quarters[1]), load(&quarters[2]), load(&quarters[3])];
                let [a, b, c, d] = transpose(loaded).map(|word| maps.enter(word));
                *words = [d, c, b, a];
            }
            for at in 0..steps {
                for (words, group) in state.iter_mut().zip(messages.iter()) {
                    let mut loaded = [$zero(); 4];
                    for (vector, lanes) in loaded.iter_mut().zip(group.as_chunks::<LANES>().0) {
                        *vector = $gather(core::array::from_fn(|lane| &lanes[lane][at]));
                    }
                    let entered = transpose(loaded).map(|word| maps.enter(word));
                    let [a, b, c, d] = *words;
                    *words = [$xor(entered[0], d), $xor(entered[1], c), $xor(entered[2], b), $xor(entered[3], a)];
                }
                if G == 1 {
                    chained_rounds!(maps, keys, state);
                } else {
                    rounds!(maps, keys, state);
                }
                for (words, group) in state.iter().zip(messages.iter_mut()) {
                    let [a, b, c, d] = words.map(|word| maps.leave(word));
                    let vectors = transpose([d, c, b, a]);
                    for (vector, lanes) in vectors.into_iter().zip(group.as_chunks_mut::<LANES>().0) {
                        let mut lanes = lanes.iter_mut();
                        let mut next = |_| &mut lanes.next().expect("sm4: a lane for each")[at];
                        $scatter(vector, core::array::from_fn(&mut next));
                    }
                }
            }
            for (ivs, group) in ivs.iter_mut().zip(messages) {
                for (iv, blocks) in ivs.iter_mut().zip(group) {
                    if let Some(last) = steps.checked_sub(1) {
                        *iv = blocks[last];
                    }
                }
            }
        }
    };
}

/// CBC on narrow registers: encryption of one message.
macro_rules! one_chain {
    ($features:literal, $xor:ident, $zero:ident) => {
        /// Encrypts one message with CBC, with the same values in all lanes.
        #[target_feature(enable = $features)]
        pub(crate) fn encrypt_chain(keys: &RoundKeys, iv: &mut Block, blocks: &mut [Block]) {
            let maps = Maps::new();
            let [a, b, c, d] = transpose([load(&[*iv; LANES]); 4]).map(|word| maps.enter(word));
            let mut state = [[d, c, b, a]];
            for block in &mut *blocks {
                let entered = transpose([load(&[*block; LANES]); 4]).map(|word| maps.enter(word));
                let [a, b, c, d] = state[0];
                state[0] = [$xor(entered[0], d), $xor(entered[1], c), $xor(entered[2], b), $xor(entered[3], a)];
                chained_rounds!(maps, keys, state);
                let [a, b, c, d] = state[0].map(|word| maps.leave(word));
                let mut lanes = [[0; 16]; LANES];
                store(&mut lanes, transpose([d, c, b, a])[0]);
                *block = lanes[0];
            }
            if let Some(last) = blocks.last() {
                *iv = *last;
            }
        }
    };
}

/// The `pshufb` mask that rotates each word by `rotation` bytes and undoes `ShiftRows` of `aesenclast`.
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

/// The `pshufb` mask that rotates each word by `rotation` bytes.
const fn rotate(rotation: usize) -> [u8; 16] {
    let mut mask = [0; 16];
    let mut i = 0;
    while i < 16 {
        mask[i] = (i / 4 * 4 + (i + rotation) % 4) as u8;
        i += 1;
    }
    mask
}

const ENTER_NIBBLES: [[u8; 16]; 2] = ENTER.nibble_tables();
const LEAVE_NIBBLES: [[u8; 16]; 2] = LEAVE.nibble_tables();
const TERM_NIBBLES: [[[u8; 16]; 2]; 2] =
    [TERMS[0].after(UNDO_AES).nibble_tables(), TERMS[1].after(UNDO_AES).nibble_tables()];
const UNSHIFTS: [[u8; 16]; 4] = [unshift(0), unshift(1), unshift(2), unshift(3)];
const ROTATIONS: [[u8; 16]; 3] = [rotate(1), rotate(2), rotate(3)];

/// The maps by `aesenclast` and tables of nibbles, on any width of register.
macro_rules! aes_maps {
    ($features:literal, $Vector:ty, $broadcast:ident, $sub_bytes:ident,
     $xor:ident, $and:ident, $shift:ident, $shuffle:ident, $splat:ident) => {
        #[derive(Clone, Copy)]
        struct Maps {
            low: $Vector,
            terms: [[$Vector; 2]; 2],
            unshifts: [$Vector; 4],
        }

        impl Maps {
            #[inline]
            #[target_feature(enable = $features)]
            fn new() -> Self {
                // The compiler would split shuffles by constants into more instructions.
                let unshifts = core::hint::black_box(&UNSHIFTS);
                let terms = &TERM_NIBBLES;
                Self {
                    low: $splat(0x0f),
                    terms: [
                        [$broadcast(&terms[0][0]), $broadcast(&terms[0][1])],
                        [$broadcast(&terms[1][0]), $broadcast(&terms[1][1])],
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
            fn apply(self, [low, high]: [$Vector; 2], x: $Vector) -> $Vector {
                let high_nibbles = $and($shift::<4>(x), self.low);
                $xor($shuffle(low, $and(x, self.low)), $shuffle(high, high_nibbles))
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn enter(self, x: $Vector) -> $Vector {
                self.apply([$broadcast(&ENTER_NIBBLES[0]), $broadcast(&ENTER_NIBBLES[1])], x)
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn leave(self, x: $Vector) -> $Vector {
                self.apply([$broadcast(&LEAVE_NIBBLES[0]), $broadcast(&LEAVE_NIBBLES[1])], x)
            }

            /// L(S(x)) in the basis of (3), as four terms whose sum it is.
            #[inline]
            #[target_feature(enable = $features)]
            fn round_terms(self, x: $Vector) -> [$Vector; 4] {
                let inverted = $sub_bytes(x);
                let [t0, t1] = self.terms.map(|tables| self.apply(tables, inverted));
                let [unshift0, unshift1, unshift2, unshift3] = self.unshifts;
                [
                    $shuffle(t0, unshift0),
                    $shuffle(t1, unshift1),
                    $shuffle(t1, unshift2),
                    $shuffle($xor(t0, t1), unshift3),
                ]
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn chained_terms(self, x: $Vector) -> [$Vector; 4] {
                self.round_terms(x)
            }
        }
    };
}

/// The maps by GFNI, on any width of register.
macro_rules! gfni_maps {
    ($features:literal, $Vector:ty, $matrix:ident, $affine:ident, $inverse:ident, $broadcast:ident,
     $shuffle:ident, $xor:ident) => {
        #[derive(Clone, Copy)]
        struct Maps {
            terms: [$Vector; 2],
            sum: $Vector,
            rotations: [$Vector; 3],
        }

        impl Maps {
            #[inline]
            #[target_feature(enable = $features)]
            fn new() -> Self {
                let matrix = |affine: Affine| $matrix(affine.matrix.cast_signed());
                // The compiler would split shuffles by constants into more instructions.
                let [by_1, by_2, by_3] = core::hint::black_box(&ROTATIONS);
                Self {
                    terms: [matrix(TERMS[0]), matrix(TERMS[1])],
                    sum: matrix(SUM),
                    rotations: [$broadcast(by_1), $broadcast(by_2), $broadcast(by_3)],
                }
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

            /// L(S(x)) in the basis of (3), as four terms whose sum it is.
            #[inline]
            #[target_feature(enable = $features)]
            fn round_terms(self, x: $Vector) -> [$Vector; 4] {
                let t0 = $inverse::<{ TERMS[0].constant as i32 }>(x, self.terms[0]);
                let t1 = $inverse::<{ TERMS[1].constant as i32 }>(x, self.terms[1]);
                let [by_1, by_2, by_3] = self.rotations;
                [t0, $shuffle(t1, by_1), $shuffle(t1, by_2), $shuffle($xor(t0, t1), by_3)]
            }

            /// As [`round_terms`](Self::round_terms), with one step less latency for one more map: a chain waits for every
            /// step.
            #[inline]
            #[target_feature(enable = $features)]
            fn chained_terms(self, x: $Vector) -> [$Vector; 4] {
                let [t0, t1, t2, _] = self.round_terms(x);
                let sum = $inverse::<{ SUM.constant as i32 }>(x, self.sum);
                [t0, t1, t2, $shuffle(sum, self.rotations[2])]
            }
        }
    };
}

block_kernel! {
    /// AES-NI on 128 bits: groups of four blocks, for few blocks and for single chains.
    mod aes128, features "aes,avx2", vector __m128i, blocks 4,
    load _mm_loadu_si128, store _mm_storeu_si128, chains one_chain,
    xor _mm_xor_si128, word _mm_set1_epi32, zero _mm_setzero_si128,
    counters counters_128, unpack _mm_unpacklo_epi32 _mm_unpackhi_epi32 _mm_unpacklo_epi64 _mm_unpackhi_epi64,
    maps {
        aes_maps!("aes,avx2", __m128i, broadcast_128, sub_bytes_128,
            _mm_xor_si128, _mm_and_si128, _mm_srli_epi16, _mm_shuffle_epi8, _mm_set1_epi8);
    }
}

block_kernel! {
    /// AES-NI on the halves of 256 bits.
    mod aes256, features "aes,avx2", vector __m256i, blocks 8,
    load _mm256_loadu_si256, store _mm256_storeu_si256, chains several_chains gather_256 scatter_256,
    xor _mm256_xor_si256, word _mm256_set1_epi32,
    zero _mm256_setzero_si256,
    counters counters_256, unpack _mm256_unpacklo_epi32 _mm256_unpackhi_epi32 _mm256_unpacklo_epi64 _mm256_unpackhi_epi64,
    maps {
        aes_maps!("aes,avx2", __m256i, broadcast_256, sub_bytes_halves,
            _mm256_xor_si256, _mm256_and_si256, _mm256_srli_epi16, _mm256_shuffle_epi8, _mm256_set1_epi8);
    }
}

block_kernel! {
    /// VAES on 256 bits.
    mod vaes256, features "vaes,aes,avx2", vector __m256i, blocks 8,
    load _mm256_loadu_si256, store _mm256_storeu_si256, chains several_chains gather_256 scatter_256,
    xor _mm256_xor_si256, word _mm256_set1_epi32,
    zero _mm256_setzero_si256,
    counters counters_256, unpack _mm256_unpacklo_epi32 _mm256_unpackhi_epi32 _mm256_unpacklo_epi64 _mm256_unpackhi_epi64,
    maps {
        aes_maps!("vaes,aes,avx2", __m256i, broadcast_256, sub_bytes_256,
            _mm256_xor_si256, _mm256_and_si256, _mm256_srli_epi16, _mm256_shuffle_epi8, _mm256_set1_epi8);
    }
}

block_kernel! {
    /// GFNI on 128 bits: groups of four blocks, for few blocks and for single chains.
    mod gfni128, features "gfni,avx2", vector __m128i, blocks 4,
    load _mm_loadu_si128, store _mm_storeu_si128, chains one_chain,
    xor _mm_xor_si128, word _mm_set1_epi32, zero _mm_setzero_si128,
    counters counters_128, unpack _mm_unpacklo_epi32 _mm_unpackhi_epi32 _mm_unpacklo_epi64 _mm_unpackhi_epi64,
    maps {
        gfni_maps!("gfni,avx2", __m128i, _mm_set1_epi64x, _mm_gf2p8affine_epi64_epi8, _mm_gf2p8affineinv_epi64_epi8,
            broadcast_128, _mm_shuffle_epi8, _mm_xor_si128);
    }
}

block_kernel! {
    /// GFNI on 256 bits.
    mod gfni256, features "gfni,avx2", vector __m256i, blocks 8,
    load _mm256_loadu_si256, store _mm256_storeu_si256, chains several_chains gather_256 scatter_256,
    xor _mm256_xor_si256, word _mm256_set1_epi32,
    zero _mm256_setzero_si256,
    counters counters_256, unpack _mm256_unpacklo_epi32 _mm256_unpackhi_epi32 _mm256_unpacklo_epi64 _mm256_unpackhi_epi64,
    maps {
        gfni_maps!("gfni,avx2", __m256i, _mm256_set1_epi64x, _mm256_gf2p8affine_epi64_epi8,
            _mm256_gf2p8affineinv_epi64_epi8, broadcast_256, _mm256_shuffle_epi8, _mm256_xor_si256);
    }
}

block_kernel! {
    /// GFNI on 512 bits.
    mod gfni512, features "gfni,avx512f,avx512bw,avx512vl,avx2", vector __m512i, blocks 16,
    load _mm512_loadu_si512, store _mm512_storeu_si512, chains several_chains gather_512 scatter_512,
    xor _mm512_xor_si512, word _mm512_set1_epi32,
    zero _mm512_setzero_si512,
    counters counters_512, unpack _mm512_unpacklo_epi32 _mm512_unpackhi_epi32 _mm512_unpacklo_epi64 _mm512_unpackhi_epi64,
    maps {
        gfni_maps!("gfni,avx512f,avx512bw,avx512vl,avx2", __m512i, _mm512_set1_epi64, _mm512_gf2p8affine_epi64_epi8,
            _mm512_gf2p8affineinv_epi64_epi8, broadcast_512, _mm512_shuffle_epi8, _mm512_xor_si512);
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

#[inline]
#[target_feature(enable = "avx512f,avx2")]
fn broadcast_512(bytes: &[u8; 16]) -> __m512i {
    _mm512_broadcast_i32x4(broadcast_128(bytes))
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

/// The words of a counter block: the first three in memory's order, and the last as a number.
fn split_counter(counter: &[u8; 16]) -> ([u32; 3], u32) {
    let (words, _) = counter.as_chunks::<4>();
    (core::array::from_fn(|i| u32::from_ne_bytes(words[i])), u32::from_be_bytes(words[3]))
}

/// The last words of counter blocks from `low` on, in `transpose`'s order of blocks.
#[inline]
#[target_feature(enable = "avx2")]
fn counters_128(low: u32) -> __m128i {
    let counters = _mm_add_epi32(_mm_set1_epi32(low.cast_signed()), _mm_setr_epi32(0, 1, 2, 3));
    _mm_shuffle_epi8(counters, broadcast_128(&SWAP))
}

#[inline]
#[target_feature(enable = "avx2")]
fn counters_256(low: u32) -> __m256i {
    let order = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
    _mm256_shuffle_epi8(_mm256_add_epi32(_mm256_set1_epi32(low.cast_signed()), order), broadcast_256(&SWAP))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx2")]
fn counters_512(low: u32) -> __m512i {
    let order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    let counters = _mm512_add_epi32(_mm512_set1_epi32(low.cast_signed()), order);
    _mm512_shuffle_epi8(counters, broadcast_512(&SWAP))
}

/// The `pshufb` mask that reverses the bytes of each word.
const SWAP: [u8; 16] = [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12];

#[inline]
#[target_feature(enable = "avx2")]
fn store_128(block: &mut [u8; 16], vector: __m128i) {
    // SAFETY: `block` is as long as the register; the unaligned store asks for no alignment.
    unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), vector) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn gather_256([low, high]: [&[u8; 16]; 2]) -> __m256i {
    _mm256_set_m128i(broadcast_128(high), broadcast_128(low))
}

#[inline]
#[target_feature(enable = "avx2")]
fn scatter_256(vector: __m256i, [low, high]: [&mut [u8; 16]; 2]) {
    store_128(low, _mm256_castsi256_si128(vector));
    store_128(high, _mm256_extracti128_si256::<1>(vector));
}

#[inline]
#[target_feature(enable = "avx512f,avx2")]
fn gather_512([a, b, c, d]: [&[u8; 16]; 4]) -> __m512i {
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(gather_256([a, b])), gather_256([c, d]))
}

#[inline]
#[target_feature(enable = "avx512f,avx2")]
fn scatter_512(vector: __m512i, [a, b, c, d]: [&mut [u8; 16]; 4]) {
    scatter_256(_mm512_castsi512_si256(vector), [a, b]);
    scatter_256(_mm512_extracti64x4_epi64::<1>(vector), [c, d]);
}

/// A backend: its wide kernel, and its narrow kernel for few blocks and for single chains.
macro_rules! backend {
    ($(#[$doc:meta])* $name:ident, $Token:ty, wide $wide:ident, narrow $narrow:ident) => {
        $(#[$doc])*
        pub(crate) mod $name {
            use super::*;

            pub(crate) fn encrypt(_cpu: $Token, keys: &RoundKeys, blocks: &mut [[u8; 16]]) {
                // SAFETY: the token exists, so the features of both kernels were detected.
                unsafe {
                    if blocks.len() > $narrow::BLOCKS {
                        $wide::encrypt(keys, blocks);
                    } else {
                        $narrow::encrypt(keys, blocks);
                    }
                }
            }

            pub(crate) fn add_keystream(_cpu: $Token, keys: &RoundKeys, counter: &[u8; 16], blocks: &mut [[u8; 16]]) {
                // SAFETY: as above.
                unsafe {
                    if blocks.len() > $narrow::BLOCKS {
                        $wide::add_keystream(keys, counter, blocks);
                    } else {
                        $narrow::add_keystream(keys, counter, blocks);
                    }
                }
            }

            pub(crate) fn decrypt_chain<'a>(
                _cpu: $Token,
                keys: &RoundKeys,
                iv: &mut [u8; 16],
                blocks: &'a mut [[u8; 16]],
            ) -> &'a mut [[u8; 16]] {
                // SAFETY: as above.
                unsafe { $wide::decrypt_chain(keys, iv, blocks) }
            }

            pub(crate) fn encrypt_chain(_cpu: $Token, keys: &RoundKeys, iv: &mut [u8; 16], blocks: &mut [[u8; 16]]) {
                // SAFETY: as above.
                unsafe { $narrow::encrypt_chain(keys, iv, blocks) }
            }

            pub(crate) fn encrypt_chains(
                _cpu: $Token,
                keys: &RoundKeys,
                ivs: &mut [[u8; 16]; CHAINS],
                messages: &mut [&mut [[u8; 16]]; CHAINS],
                steps: usize,
            ) {
                let (ivs, _) = ivs.as_chunks_mut::<{ $wide::BLOCKS }>();
                let (messages, _) = messages.as_chunks_mut::<{ $wide::BLOCKS }>();
                let (ivs, messages) = (ivs.try_into().expect(FITS), messages.try_into().expect(FITS));
                // SAFETY: as above.
                unsafe { $wide::encrypt_chains::<{ CHAINS / $wide::BLOCKS }>(keys, ivs, messages, steps) }
            }
        }
    };
}

backend!(
    /// AES-NI and AVX2.
    aes, AesAvx2, wide aes256, narrow aes128
);
backend!(
    /// VAES and AVX2.
    vaes, VaesAvx2, wide vaes256, narrow aes128
);
backend!(
    /// GFNI and AVX2.
    gfni_avx2, GfniAvx2, wide gfni256, narrow gfni128
);
backend!(
    /// GFNI and AVX-512.
    gfni_avx512, GfniAvx512, wide gfni512, narrow gfni128
);
