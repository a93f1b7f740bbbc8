//! CTR (GB/T 17964-2021, SP 800-38A section 6.5), and the keystream that GCM, CCM and CTR share.

use super::{BLOCK_LEN, Block, Sm4};
use zeroize::Zeroizing;

impl Sm4 {
    /// Encrypts or decrypts with CTR, which is the same operation, in place. The counter block counts in all 128 bits and
    /// wraps. It becomes the next one, so that a message may come in pieces, all of whole blocks but the last.
    ///
    /// # Security
    /// Never use a counter block twice under one key, not even in different messages.
    pub fn ctr(&self, counter: &mut Block, data: &mut [u8]) {
        *counter = self.add_keystream(128, u128::from_be_bytes(*counter), data).to_be_bytes();
    }

    /// Adds the keystream from `counter` on to `data`; the low `bits` bits count and wrap. A partial block uses up a whole one.
    /// Returns the next counter.
    pub(super) fn add_keystream(&self, bits: u32, mut counter: u128, data: &mut [u8]) -> u128 {
        let counting = u128::MAX >> (128 - bits);
        let add = |counter: u128, blocks: usize| counter & !counting | counter.wrapping_add(blocks as u128) & counting;
        let (mut blocks, tail) = data.as_chunks_mut::<BLOCK_LEN>();
        while !blocks.is_empty() {
            // The kernels count in 32 bits, so a wider counter stops before a carry.
            let before_carry = if bits == 32 { u64::MAX } else { (1 << 32) - u64::from(counter as u32) };
            let (now, later) = blocks.split_at_mut(before_carry.min(blocks.len() as u64) as usize);
            self.encryption.add_keystream(&counter.to_be_bytes(), now);
            counter = add(counter, now.len());
            blocks = later;
        }
        if !tail.is_empty() {
            let mut keystream = Zeroizing::new([0; BLOCK_LEN]);
            self.encryption.add_keystream(&counter.to_be_bytes(), std::slice::from_mut(&mut *keystream));
            for (byte, key) in tail.iter_mut().zip(keystream.iter()) {
                *byte ^= key;
            }
            counter = add(counter, 1);
        }
        counter
    }
}
