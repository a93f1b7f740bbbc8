//! CTR (GB/T 17964-2021, SP 800-38A section 6.5), and the keystream that GCM, CCM and CTR share.

use super::{AT_ONCE, BLOCK_LEN, Block, Sm4, xor};
use zeroize::Zeroize;

/// A keystream in counter mode, that goes on from call to call. The counter counts in all its 128 bits, and wraps.
///
/// # Security
/// No counter block may serve twice under one key, in whatever message.
///
/// ```
/// use sealstone_ciphers::sm4::{Ctr, Sm4};
///
/// let key = Sm4::new(&[7; 16]);
/// let mut data = *b"attack at dawn, or at noon";
/// Ctr::new([9; 16]).apply(&key, &mut data);
/// let mut ctr = Ctr::new([9; 16]);
/// let (head, tail) = data.split_at_mut(5);
/// ctr.apply(&key, head);
/// ctr.apply(&key, tail);
/// assert_eq!(&data, b"attack at dawn, or at noon");
/// ```
pub struct Ctr {
    counter: u128,
    /// The last block of keystream, and how much of it has been used.
    keystream: Block,
    used: usize,
}

impl Ctr {
    /// Begins at this counter block.
    #[must_use]
    pub fn new(counter: Block) -> Self {
        Self { counter: u128::from_be_bytes(counter), keystream: [0; BLOCK_LEN], used: BLOCK_LEN }
    }

    /// Encrypts or decrypts, which are the same, the next bytes of the stream in place.
    pub fn apply(&mut self, key: &Sm4, data: &mut [u8]) {
        let left = (BLOCK_LEN - self.used).min(data.len());
        let (head, data) = data.split_at_mut(left);
        for (byte, key) in head.iter_mut().zip(&self.keystream[self.used..]) {
            *byte ^= key;
        }
        self.used += left;
        let whole = data.len() / BLOCK_LEN * BLOCK_LEN;
        let (blocks, tail) = data.split_at_mut(whole);
        self.counter = key.count::<128>(self.counter, blocks);
        if !tail.is_empty() {
            self.keystream = [0; BLOCK_LEN];
            self.counter = key.count::<128>(self.counter, &mut self.keystream);
            for (byte, key) in tail.iter_mut().zip(&self.keystream) {
                *byte ^= key;
            }
            self.used = tail.len();
        }
    }
}

impl Drop for Ctr {
    fn drop(&mut self) {
        self.keystream.zeroize();
    }
}

impl std::fmt::Debug for Ctr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ctr(..)")
    }
}

impl Sm4 {
    /// Adds the keystream from `counter` on to `data`; the low `BITS` bits count, and wrap. Returns the next counter; a
    /// part of a block takes a whole one.
    pub(super) fn count<const BITS: u32>(&self, mut counter: u128, data: &mut [u8]) -> u128 {
        let counting = u128::MAX >> (128 - BITS);
        let mut keystream = [[0; BLOCK_LEN]; AT_ONCE];
        for part in data.chunks_mut(AT_ONCE * BLOCK_LEN) {
            let keystream = &mut keystream[..part.len().div_ceil(BLOCK_LEN)];
            for block in &mut *keystream {
                *block = counter.to_be_bytes();
                counter = counter & !counting | counter.wrapping_add(1) & counting;
            }
            self.encryption.apply(keystream);
            let (blocks, tail) = part.as_chunks_mut::<BLOCK_LEN>();
            for (block, key) in blocks.iter_mut().zip(keystream.iter()) {
                xor(block, key);
            }
            for (byte, key) in tail.iter_mut().zip(keystream.last().into_iter().flatten()) {
                *byte ^= key;
            }
        }
        keystream.zeroize();
        counter
    }
}
