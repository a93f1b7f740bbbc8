//! CCM (SP 800-38C) with SM4: `AEAD_SM4_CCM` of RFC 8998, nonces of 12 bytes and tags of 16.

use super::{BLOCK_LEN, Block, KEY_LEN, NONCE_LEN, Sm4, TAG_LEN, xor};
use crate::NotAuthentic;
use crate::constant_time::equal;
use zeroize::Zeroize;

/// Bytes of the length field, and of the counter.
const LENGTH_LEN: usize = BLOCK_LEN - 1 - NONCE_LEN;
/// The longest plaintext, in bytes.
const MAX_LEN: usize = (1 << (8 * LENGTH_LEN)) - 1;

/// A key for `AEAD_SM4_CCM`, its schedules made once. It authenticates with a chain of blocks, so it is as slow as CBC.
///
/// # Security
/// A nonce must never serve twice under one key.
///
/// ```
/// use sealstone_ciphers::sm4::Sm4Ccm;
///
/// let key = Sm4Ccm::new(&[7; 16]);
/// let mut buffer = *b"attack at dawn";
/// let tag = key.seal_in_place(&[9; 12], b"order 17", &mut buffer);
/// key.open_in_place(&[9; 12], b"order 17", &mut buffer, &tag)?;
/// assert_eq!(&buffer, b"attack at dawn");
/// # Ok::<(), sealstone_ciphers::NotAuthentic>(())
/// ```
#[derive(Debug)]
pub struct Sm4Ccm(Sm4);

impl Sm4Ccm {
    /// Makes the schedules on the backend that is fastest on this CPU.
    #[must_use]
    pub fn new(key: &[u8; KEY_LEN]) -> Self {
        Self(Sm4::new(key))
    }

    /// Makes the schedules on a backend of the caller's choice; `None` where this CPU has it not.
    #[must_use]
    pub fn with_backend(backend: super::Backend, key: &[u8; KEY_LEN]) -> Option<Self> {
        Sm4::with_backend(backend, key).map(Self)
    }

    /// Replaces `buffer` by its ciphertext and returns the tag.
    ///
    /// # Panics
    /// When `buffer` is over 2^24 - 1 bytes.
    #[must_use]
    pub fn seal_in_place(&self, nonce: &[u8; NONCE_LEN], aad: &[u8], buffer: &mut [u8]) -> [u8; TAG_LEN] {
        assert!(buffer.len() <= MAX_LEN, "ccm: the buffer is over the limit of one nonce");
        let mut tag = self.mac(nonce, aad, buffer);
        self.add_keystream(nonce, &mut tag, buffer);
        tag
    }

    /// Replaces `buffer`, a ciphertext, by its plaintext.
    ///
    /// # Errors
    /// [`NotAuthentic`] for a wrong key, nonce, `aad`, tag or byte; then `buffer` is cleared.
    pub fn open_in_place(
        &self,
        nonce: &[u8; NONCE_LEN],
        aad: &[u8],
        buffer: &mut [u8],
        tag: &[u8; TAG_LEN],
    ) -> Result<(), NotAuthentic> {
        let mut tag = *tag;
        if buffer.len() <= MAX_LEN {
            self.add_keystream(nonce, &mut tag, buffer);
            if equal(&self.mac(nonce, aad, buffer), &tag) {
                return Ok(());
            }
        }
        buffer.zeroize();
        Err(NotAuthentic)
    }

    /// The tag is under counter 0, and the data under those from 1 on (SP 800-38C appendix A.3).
    fn add_keystream(&self, nonce: &[u8; NONCE_LEN], tag: &mut Block, data: &mut [u8]) {
        let mut first = [0; BLOCK_LEN];
        first[0] = LENGTH_LEN as u8 - 1;
        first[1..=NONCE_LEN].copy_from_slice(nonce);
        let next = self.0.count::<{ 8 * LENGTH_LEN as u32 }>(u128::from_be_bytes(first), tag);
        self.0.count::<{ 8 * LENGTH_LEN as u32 }>(next, data);
    }

    /// CBC-MAC over the formatted input (SP 800-38C appendix A.2).
    fn mac(&self, nonce: &[u8; NONCE_LEN], aad: &[u8], plaintext: &[u8]) -> Block {
        let mut first = [0; BLOCK_LEN];
        first[0] = u8::from(!aad.is_empty()) << 6 | ((TAG_LEN as u8 - 2) / 2) << 3 | (LENGTH_LEN as u8 - 1);
        first[1..=NONCE_LEN].copy_from_slice(nonce);
        first[1 + NONCE_LEN..].copy_from_slice(&(plaintext.len() as u32).to_be_bytes()[4 - LENGTH_LEN..]);
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

/// A CBC-MAC in the making.
struct Chain<'a> {
    key: &'a Sm4,
    state: Block,
    filled: usize,
}

impl Chain<'_> {
    fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if let (0, Some((block, rest))) = (self.filled, bytes.split_first_chunk::<BLOCK_LEN>()) {
                xor(&mut self.state, block);
                self.key.encryption.apply(std::slice::from_mut(&mut self.state));
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

    /// Fills the block up with zeros.
    fn pad(&mut self) {
        if self.filled > 0 {
            self.key.encryption.apply(std::slice::from_mut(&mut self.state));
            self.filled = 0;
        }
    }
}
