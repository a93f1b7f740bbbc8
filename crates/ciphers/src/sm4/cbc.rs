//! CBC (GB/T 17964-2021, SP 800-38A section 6.2).

use super::{BLOCK_LEN, Block, CHAINS, Sm4, xor};

impl Sm4 {
    /// Encrypts with CBC, in place. The IV of a message must be unpredictable. It becomes the last block of ciphertext, so that
    /// a message may come in pieces.
    ///
    /// Each block of a message waits for the one before. Several messages are faster together:
    /// [`cbc_encrypt_batch`](Self::cbc_encrypt_batch).
    pub fn cbc_encrypt(&self, iv: &mut Block, blocks: &mut [Block]) {
        self.encryption.chain(iv, blocks);
    }

    /// Decrypts with CBC, in place. The IV becomes the last block of ciphertext.
    pub fn cbc_decrypt(&self, iv: &mut Block, blocks: &mut [Block]) {
        self.decryption.unchain(iv, blocks);
    }

    /// Encrypts independent messages with CBC, each in place and with its own IV, which becomes the message's last block of
    /// ciphertext. Sixteen messages advance together; as one ends, the next begins.
    pub fn cbc_encrypt_batch<'a>(&self, messages: impl IntoIterator<Item = Message<'a>>) {
        let mut waiting: Vec<_> = messages.into_iter().collect();
        // The longest messages begin first, so that the last ones to end still run together.
        waiting.sort_unstable_by_key(|message| message.blocks.len());
        while let Some(from) = waiting.len().checked_sub(CHAINS) {
            let together = &mut waiting[from..];
            let steps = together.iter().map(|message| message.blocks.len()).min().expect("sm4: as many as chains");
            let mut ivs: [Block; CHAINS] = std::array::from_fn(|i| *together[i].iv);
            let mut rest = together.iter_mut().map(|message| &mut message.blocks);
            let mut lanes: [&mut [Block]; CHAINS] = std::array::from_fn(|_| {
                let blocks = rest.next().expect("sm4: as many as chains");
                let (now, later) = std::mem::take(blocks).split_at_mut(steps);
                *blocks = later;
                now
            });
            self.encryption.chains(&mut ivs, &mut lanes, steps);
            for (message, iv) in together.iter_mut().zip(ivs) {
                *message.iv = iv;
            }
            // Only messages of this round can have ended; the next longest take their places.
            for at in (from..waiting.len()).rev() {
                if waiting[at].blocks.is_empty() {
                    waiting.swap_remove(at);
                }
            }
        }
        self.cbc_encrypt_few(&mut waiting);
    }

    /// Encrypts fewer messages than `CHAINS`.
    fn cbc_encrypt_few(&self, messages: &mut [Message<'_>]) {
        let longest = messages.iter().map(|message| message.blocks.len()).max().unwrap_or(0);
        for at in 0..longest {
            let mut gathered = [[0; BLOCK_LEN]; CHAINS];
            let mut count = 0;
            for Message { iv, blocks } in &*messages {
                if let Some(block) = blocks.get(at) {
                    gathered[count] = *block;
                    xor(&mut gathered[count], iv);
                    count += 1;
                }
            }
            self.encryption.apply(&mut gathered[..count]);
            let alive = messages.iter_mut().filter(|message| at < message.blocks.len());
            for (Message { iv, blocks }, sealed) in alive.zip(gathered) {
                blocks[at] = sealed;
                **iv = sealed;
            }
        }
    }
}

/// A message of [`Sm4::cbc_encrypt_batch`].
pub struct Message<'a> {
    /// The IV of the message.
    pub iv: &'a mut Block,
    /// The blocks of the message.
    pub blocks: &'a mut [Block],
}

impl std::fmt::Debug for Message<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Message").field("blocks", &self.blocks.len()).finish_non_exhaustive()
    }
}
