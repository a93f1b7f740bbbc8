//! CCM (SP 800-38C) with SM4; with nonces of 12 bytes and tags of 16 it is `AEAD_SM4_CCM` of RFC 8998.

use super::{AT_ONCE, BLOCK_LEN, Backend, Block, KEY_LEN, Sm4, xor};
use crate::constant_time::equal;
use crate::{InvalidLength, NotAuthentic};
use zeroize::{Zeroize, Zeroizing};

/// A key for CCM, with its schedules computed once. CCM authenticates with a chain of blocks, so it is as slow as CBC.
///
/// # Security
/// Never use a nonce twice under one key.
///
/// ```
/// use sealstone_ciphers::sm4::Sm4Ccm;
///
/// let key = Sm4Ccm::new(&[7; 16]);
/// let (mut buffer, mut tag) = (*b"attack at dawn", [0; 16]);
/// key.seal_in_place(&[9; 12], b"order 17", &mut buffer, &mut tag)?;
/// key.open_in_place(&[9; 12], b"order 17", &mut buffer, &tag)?;
/// assert_eq!(&buffer, b"attack at dawn");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Sm4Ccm(Sm4);

impl Sm4Ccm {
    /// Computes the schedules for the backend that is fastest on this CPU.
    #[must_use]
    pub fn new(key: &[u8; KEY_LEN]) -> Self {
        Self(Sm4::new(key))
    }

    /// Computes the schedules for a backend of the caller's choice; `None` if this CPU does not support it.
    #[must_use]
    pub fn with_backend(backend: Backend, key: &[u8; KEY_LEN]) -> Option<Self> {
        Sm4::with_backend(backend, key).map(Self)
    }

    /// The backend of this key.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.0.backend()
    }

    /// Replaces `buffer` with its ciphertext and writes the tag, of 4, 6, 8, … 16 bytes. A nonce has 7 to 13 bytes. The rest of
    /// 15 bytes stores the length of the buffer: a nonce of 12 bytes allows 2^24 - 1 bytes.
    ///
    /// # Errors
    /// [`InvalidLength`] for other lengths; `buffer` is unchanged then.
    pub fn seal_in_place(
        &self,
        nonce: &[u8],
        aad: &[u8],
        buffer: &mut [u8],
        tag: &mut [u8],
    ) -> Result<(), InvalidLength> {
        let lengths = Lengths::check(nonce, buffer, tag)?;
        let mut whole = self.mac(lengths, nonce, aad, buffer);
        self.add_keystream(lengths, nonce, &mut whole, buffer);
        tag.copy_from_slice(&whole[..tag.len()]);
        Ok(())
    }

    /// Replaces `buffer`, a ciphertext, with its plaintext.
    ///
    /// # Errors
    /// [`NotAuthentic`] for a wrong key, nonce, `aad`, tag or byte, and for lengths that sealing refuses; `buffer` is cleared
    /// then.
    pub fn open_in_place(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8], tag: &[u8]) -> Result<(), NotAuthentic> {
        if let Ok(lengths) = Lengths::check(nonce, buffer, tag) {
            let mut mask = [0; BLOCK_LEN];
            self.add_keystream(lengths, nonce, &mut mask, buffer);
            xor(&mut mask, &self.mac(lengths, nonce, aad, buffer));
            if equal(&mask[..tag.len()], tag) {
                return Ok(());
            }
        }
        buffer.zeroize();
        Err(NotAuthentic)
    }

    /// Adds the keystream: counter 0 to the tag, the counters from 1 on to the data (SP 800-38C appendix A.3).
    fn add_keystream(&self, lengths: Lengths, nonce: &[u8], tag: &mut Block, data: &mut [u8]) {
        let mut first = [0; BLOCK_LEN];
        first[0] = lengths.counter as u8 - 1;
        first[1..=nonce.len()].copy_from_slice(nonce);
        let bits = 8 * lengths.counter as u32;
        let next = self.0.add_keystream(bits, u128::from_be_bytes(first), tag);
        self.0.add_keystream(bits, next, data);
    }

    /// CBC-MAC over the formatted input (SP 800-38C appendix A.2).
    fn mac(&self, lengths: Lengths, nonce: &[u8], aad: &[u8], plaintext: &[u8]) -> Block {
        // The last `lengths.counter` bytes hold the length, which fits; the nonce overwrites only zeros before them.
        let mut first = (plaintext.len() as u128).to_be_bytes();
        first[0] = u8::from(!aad.is_empty()) << 6 | ((lengths.tag as u8 - 2) / 2) << 3 | (lengths.counter as u8 - 1);
        first[1..=nonce.len()].copy_from_slice(nonce);
        let mut chain = Chain { key: &self.0, state: [0; BLOCK_LEN], filled: 0 };
        chain.update(&first);
        if !aad.is_empty() {
            match aad.len() as u64 {
                len @ ..0xff00 => chain.update(&(len as u16).to_be_bytes()),
                len @ ..0x1_0000_0000 => {
                    chain.update(&[0xff, 0xfe]);
                    chain.update(&(len as u32).to_be_bytes());
                }
                len => {
                    chain.update(&[0xff, 0xff]);
                    chain.update(&len.to_be_bytes());
                }
            }
            chain.update(aad);
            chain.pad();
        }
        chain.update(plaintext);
        chain.pad();
        chain.state
    }
}

/// The lengths of tag and counter, in bytes.
#[derive(Clone, Copy)]
struct Lengths {
    tag: usize,
    counter: usize,
}

impl Lengths {
    fn check(nonce: &[u8], buffer: &[u8], tag: &[u8]) -> Result<Self, InvalidLength> {
        if !(7..=13).contains(&nonce.len()) || !(4..=BLOCK_LEN).contains(&tag.len()) || !tag.len().is_multiple_of(2) {
            return Err(InvalidLength);
        }
        let counter = BLOCK_LEN - 1 - nonce.len();
        let fits = buffer.len() as u128 >> (8 * counter) == 0;
        fits.then_some(Self { tag: tag.len(), counter }).ok_or(InvalidLength)
    }
}

/// A CBC-MAC computation.
struct Chain<'a> {
    key: &'a Sm4,
    state: Block,
    filled: usize,
}

impl Chain<'_> {
    fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (blocks, rest) = bytes.as_chunks::<BLOCK_LEN>();
            if self.filled == 0 && !blocks.is_empty() {
                let mut copied = Zeroizing::new([[0; BLOCK_LEN]; AT_ONCE]);
                for blocks in blocks.chunks(AT_ONCE) {
                    copied[..blocks.len()].copy_from_slice(blocks);
                    self.key.encryption.chain(&mut self.state, &mut copied[..blocks.len()]);
                }
                bytes = rest;
                continue;
            }
            self.state[self.filled] ^= bytes[0];
            self.filled += 1;
            bytes = &bytes[1..];
            if self.filled == BLOCK_LEN {
                self.pad();
            }
        }
    }

    /// Pads the block with zeros.
    fn pad(&mut self) {
        if self.filled > 0 {
            self.key.encryption.apply(std::slice::from_mut(&mut self.state));
            self.filled = 0;
        }
    }
}
