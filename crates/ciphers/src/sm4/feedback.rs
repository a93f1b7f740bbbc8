//! CFB with whole blocks of feedback, and OFB (GB/T 17964-2021, SP 800-38A sections 6.3 and 6.4).
//!
//! Each function updates the IV for the next block, so that a message may come in pieces, all of whole blocks but the last.

use super::{AT_ONCE, BLOCK_LEN, Block, Sm4, xor};
use zeroize::Zeroizing;

impl Sm4 {
    /// Encrypts with CFB, in place.
    ///
    /// # Security
    /// The IV of a message must be unpredictable.
    pub fn cfb_encrypt(&self, iv: &mut Block, data: &mut [u8]) {
        let (blocks, tail) = data.as_chunks_mut::<BLOCK_LEN>();
        // A keystream block depends on the previous block of plaintext and the keystream block before that: a chain as in CBC.
        let mut keystream = Zeroizing::new([[0; BLOCK_LEN]; AT_ONCE]);
        for blocks in blocks.chunks_mut(AT_ONCE) {
            let keystream = &mut keystream[..blocks.len()];
            keystream[0] = *iv;
            keystream[1..].copy_from_slice(&blocks[..blocks.len() - 1]);
            self.encryption.chain(&mut [0; BLOCK_LEN], keystream);
            add(blocks, keystream);
            *iv = blocks[blocks.len() - 1];
        }
        self.add_tail(iv, tail);
    }

    /// Decrypts with CFB, in place.
    pub fn cfb_decrypt(&self, iv: &mut Block, data: &mut [u8]) {
        let (blocks, tail) = data.as_chunks_mut::<BLOCK_LEN>();
        // A keystream block depends on ciphertext only, so all of them are computed at once.
        let mut keystream = Zeroizing::new([[0; BLOCK_LEN]; AT_ONCE]);
        for blocks in blocks.chunks_mut(AT_ONCE) {
            let keystream = &mut keystream[..blocks.len()];
            keystream[0] = *iv;
            keystream[1..].copy_from_slice(&blocks[..blocks.len() - 1]);
            *iv = blocks[blocks.len() - 1];
            self.encryption.apply(keystream);
            add(blocks, keystream);
        }
        self.add_tail(iv, tail);
    }

    /// Encrypts or decrypts with OFB, which is the same operation, in place.
    ///
    /// # Security
    /// Never use an IV twice under one key.
    pub fn ofb(&self, iv: &mut Block, data: &mut [u8]) {
        let (blocks, tail) = data.as_chunks_mut::<BLOCK_LEN>();
        // The keystream is CBC of zeros.
        let mut keystream = Zeroizing::new([[0; BLOCK_LEN]; AT_ONCE]);
        for blocks in blocks.chunks_mut(AT_ONCE) {
            let keystream = &mut keystream[..blocks.len()];
            keystream.fill([0; BLOCK_LEN]);
            self.encryption.chain(iv, keystream);
            add(blocks, keystream);
        }
        self.add_tail(iv, tail);
    }

    /// Processes the partial block that ends a message.
    fn add_tail(&self, iv: &mut Block, tail: &mut [u8]) {
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
