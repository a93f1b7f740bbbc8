//! CFB with whole blocks of feedback, and OFB (GB/T 17964-2021, SP 800-38A sections 6.3 and 6.4).
//!
//! In all of them the IV becomes what the next block needs, so that a message may come in pieces, all of whole blocks but
//! the last.

use super::{AT_ONCE, BLOCK_LEN, Block, Sm4, xor};
use zeroize::Zeroizing;

impl Sm4 {
    /// CFB encryption, in place.
    ///
    /// # Security
    /// The IV of a message is one that nobody can foretell.
    pub fn cfb_encrypt(&self, iv: &mut Block, data: &mut [u8]) {
        let (blocks, tail) = data.as_chunks_mut::<BLOCK_LEN>();
        // A keystream block is made of the plaintext before it and the keystream block before that: a chain as in CBC.
        let mut keystream = Zeroizing::new([[0; BLOCK_LEN]; AT_ONCE]);
        for blocks in blocks.chunks_mut(AT_ONCE) {
            let keystream = &mut keystream[..blocks.len()];
            keystream[0] = *iv;
            keystream[1..].copy_from_slice(&blocks[..blocks.len() - 1]);
            self.encryption.chain(&mut [0; BLOCK_LEN], keystream);
            add(blocks, keystream);
            *iv = blocks[blocks.len() - 1];
        }
        self.feed_back_rest(iv, tail);
    }

    /// CFB decryption, in place.
    pub fn cfb_decrypt(&self, iv: &mut Block, data: &mut [u8]) {
        let (blocks, tail) = data.as_chunks_mut::<BLOCK_LEN>();
        // Each keystream block is made of ciphertext, all of which is here.
        let mut keystream = Zeroizing::new([[0; BLOCK_LEN]; AT_ONCE]);
        for blocks in blocks.chunks_mut(AT_ONCE) {
            let keystream = &mut keystream[..blocks.len()];
            keystream[0] = *iv;
            keystream[1..].copy_from_slice(&blocks[..blocks.len() - 1]);
            *iv = blocks[blocks.len() - 1];
            self.encryption.apply(keystream);
            add(blocks, keystream);
        }
        self.feed_back_rest(iv, tail);
    }

    /// OFB encryption or decryption, which are the same, in place.
    ///
    /// # Security
    /// No IV may serve twice under one key.
    pub fn ofb(&self, iv: &mut Block, data: &mut [u8]) {
        let (blocks, tail) = data.as_chunks_mut::<BLOCK_LEN>();
        // A chain as in CBC, of zeros.
        let mut keystream = Zeroizing::new([[0; BLOCK_LEN]; AT_ONCE]);
        for blocks in blocks.chunks_mut(AT_ONCE) {
            let keystream = &mut keystream[..blocks.len()];
            keystream.fill([0; BLOCK_LEN]);
            self.encryption.chain(iv, keystream);
            add(blocks, keystream);
        }
        self.feed_back_rest(iv, tail);
    }

    /// The part of a block that ends a message.
    fn feed_back_rest(&self, iv: &mut Block, tail: &mut [u8]) {
        if !tail.is_empty() {
            self.encryption.apply(std::slice::from_mut(iv));
            for (byte, key) in tail.iter_mut().zip(iv) {
                *byte ^= *key;
            }
        }
    }
}

fn add(blocks: &mut [Block], keystream: &[Block]) {
    for (block, key) in blocks.iter_mut().zip(keystream) {
        xor(block, key);
    }
}
