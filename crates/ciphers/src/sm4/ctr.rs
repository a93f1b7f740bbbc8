//! CTR (GB/T 17964-2021, SP 800-38A section 6.5), and the keystream that GCM, CCM and CTR share.

use super::{AT_ONCE, BLOCK_LEN, Block, Sm4, xor};
use zeroize::Zeroize;

impl Sm4 {
    /// CTR encryption or decryption, which are the same, in place. The counter block counts in all its 128 bits, wraps, and
    /// becomes the next one, so that a message may come in pieces, all of whole blocks but the last.
    ///
    /// # Security
    /// No counter block may serve twice under one key, in whatever message.
    pub fn ctr(&self, counter: &mut Block, data: &mut [u8]) {
        *counter = self.count(128, u128::from_be_bytes(*counter), data).to_be_bytes();
    }

    /// Adds the keystream from `counter` on to `data`; the low `bits` bits count, and wrap. Returns the next counter; a
    /// part of a block takes a whole one.
    #[inline(always)]
    pub(super) fn count(&self, bits: u32, mut counter: u128, data: &mut [u8]) -> u128 {
        let counting = u128::MAX >> (128 - bits);
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
