//! CFB with whole blocks of feedback, and OFB (GB/T 17964-2021, SP 800-38A sections 6.3 and 6.4).

use super::{AT_ONCE, BLOCK_LEN, Block, Sm4, xor};
use zeroize::Zeroize;

/// CFB, which goes on from call to call.
///
/// # Security
/// The IV of a message is one that nobody can foretell.
///
/// ```
/// use sealstone_ciphers::sm4::{Cfb, Sm4};
///
/// let key = Sm4::new(&[7; 16]);
/// let mut data = *b"attack at dawn, or at noon";
/// Cfb::new([9; 16]).encrypt(&key, &mut data);
/// Cfb::new([9; 16]).decrypt(&key, &mut data);
/// assert_eq!(&data, b"attack at dawn, or at noon");
/// ```
pub struct Cfb {
    /// The ciphertext so far of this block, over the keystream of the rest of it.
    register: Block,
    used: usize,
}

impl Cfb {
    /// Begins with this IV.
    #[must_use]
    pub fn new(iv: Block) -> Self {
        Self { register: iv, used: BLOCK_LEN }
    }

    /// Encrypts the next bytes of a message in place.
    pub fn encrypt(&mut self, key: &Sm4, data: &mut [u8]) {
        for byte in data {
            self.refill(key);
            *byte ^= self.register[self.used];
            self.register[self.used] = *byte;
            self.used += 1;
        }
    }

    /// Decrypts the next bytes of a message in place.
    pub fn decrypt(&mut self, key: &Sm4, data: &mut [u8]) {
        let (head, data) = data.split_at_mut((BLOCK_LEN - self.used).min(data.len()));
        self.decrypt_bytes(key, head);
        let (blocks, tail) = data.as_chunks_mut::<BLOCK_LEN>();
        // Each keystream block is made of ciphertext, all of which is here.
        let mut keystream = [[0; BLOCK_LEN]; AT_ONCE];
        for blocks in blocks.chunks_mut(AT_ONCE) {
            let keystream = &mut keystream[..blocks.len()];
            keystream[0] = self.register;
            keystream[1..].copy_from_slice(&blocks[..blocks.len() - 1]);
            self.register = blocks[blocks.len() - 1];
            key.encryption.apply(keystream);
            for (block, key) in blocks.iter_mut().zip(keystream.iter()) {
                xor(block, key);
            }
        }
        keystream.zeroize();
        self.decrypt_bytes(key, tail);
    }

    fn decrypt_bytes(&mut self, key: &Sm4, data: &mut [u8]) {
        for byte in data {
            self.refill(key);
            let sealed = std::mem::replace(byte, *byte ^ self.register[self.used]);
            self.register[self.used] = sealed;
            self.used += 1;
        }
    }

    fn refill(&mut self, key: &Sm4) {
        if self.used == BLOCK_LEN {
            key.encryption.apply(std::slice::from_mut(&mut self.register));
            self.used = 0;
        }
    }
}

/// OFB, which goes on from call to call.
///
/// # Security
/// No IV may serve twice under one key.
///
/// ```
/// use sealstone_ciphers::sm4::{Ofb, Sm4};
///
/// let key = Sm4::new(&[7; 16]);
/// let mut data = *b"attack at dawn, or at noon";
/// Ofb::new([9; 16]).apply(&key, &mut data);
/// Ofb::new([9; 16]).apply(&key, &mut data);
/// assert_eq!(&data, b"attack at dawn, or at noon");
/// ```
pub struct Ofb {
    keystream: Block,
    used: usize,
}

impl Ofb {
    /// Begins with this IV.
    #[must_use]
    pub fn new(iv: Block) -> Self {
        Self { keystream: iv, used: BLOCK_LEN }
    }

    /// Encrypts or decrypts, which are the same, the next bytes of a message in place.
    pub fn apply(&mut self, key: &Sm4, data: &mut [u8]) {
        for byte in data {
            if self.used == BLOCK_LEN {
                key.encryption.apply(std::slice::from_mut(&mut self.keystream));
                self.used = 0;
            }
            *byte ^= self.keystream[self.used];
            self.used += 1;
        }
    }
}

impl Drop for Cfb {
    fn drop(&mut self) {
        self.register.zeroize();
    }
}

impl Drop for Ofb {
    fn drop(&mut self) {
        self.keystream.zeroize();
    }
}

impl std::fmt::Debug for Cfb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Cfb(..)")
    }
}

impl std::fmt::Debug for Ofb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ofb(..)")
    }
}
