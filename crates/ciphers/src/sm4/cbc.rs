//! CBC (GB/T 17964-2021, SP 800-38A section 6.2).

use super::{AT_ONCE, BLOCK_LEN, Block, Sm4, xor};

impl Sm4 {
    /// CBC encryption, in place. The IV of a message is one that nobody can foretell; it becomes the last block of
    /// ciphertext, so that a message may come in pieces.
    ///
    /// A message is a chain, each block of which waits for the one before. Several messages are faster together:
    /// [`cbc_encrypt_batch`](Self::cbc_encrypt_batch).
    pub fn cbc_encrypt(&self, iv: &mut Block, blocks: &mut [Block]) {
        for block in blocks {
            xor(block, iv);
            self.encryption.apply(std::slice::from_mut(block));
            *iv = *block;
        }
    }

    /// CBC decryption, in place. The IV becomes the last block of ciphertext.
    pub fn cbc_decrypt(&self, iv: &mut Block, blocks: &mut [Block]) {
        let mut ciphertext = [[0; BLOCK_LEN]; AT_ONCE];
        for blocks in blocks.chunks_mut(AT_ONCE) {
            let ciphertext = &mut ciphertext[..blocks.len()];
            ciphertext.copy_from_slice(blocks);
            self.decryption.apply(blocks);
            for (block, ciphertext) in blocks.iter_mut().zip(ciphertext) {
                xor(block, iv);
                *iv = *ciphertext;
            }
        }
    }

    /// CBC encryption of independent messages, each in place and with its own IV, which becomes its last block of
    /// ciphertext. The messages advance together, a block of each at a time.
    pub fn cbc_encrypt_batch(&self, messages: &mut [Message<'_>]) {
        for messages in messages.chunks_mut(AT_ONCE) {
            let longest = messages.iter().map(|message| message.blocks.len()).max().unwrap_or(0);
            for at in 0..longest {
                let mut gathered = [[0; BLOCK_LEN]; AT_ONCE];
                let mut count = 0;
                for message in messages.iter() {
                    if let Some(block) = message.blocks.get(at) {
                        gathered[count] = *block;
                        xor(&mut gathered[count], message.iv);
                        count += 1;
                    }
                }
                self.encryption.apply(&mut gathered[..count]);
                let alive = messages.iter_mut().filter(|message| at < message.blocks.len());
                for (message, sealed) in alive.zip(gathered) {
                    message.blocks[at] = sealed;
                    *message.iv = sealed;
                }
            }
        }
    }
}

/// One of several messages that are encrypted together.
#[derive(Debug)]
pub struct Message<'a> {
    /// The message's own IV.
    pub iv: &'a mut Block,
    /// Its blocks.
    pub blocks: &'a mut [Block],
}
