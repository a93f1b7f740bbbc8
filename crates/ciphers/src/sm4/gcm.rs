//! GCM (SP 800-38D) with SM4: `AEAD_SM4_GCM` of RFC 8998.

use super::{AT_ONCE, BLOCK_LEN, Block, KEY_LEN, Sm4};
use crate::NotAuthentic;
use crate::constant_time::equal;
use crate::ghash::Ghash;
use zeroize::Zeroize;

/// Bytes of a nonce.
pub const NONCE_LEN: usize = 12;
/// Bytes of a tag.
pub const TAG_LEN: usize = 16;
/// The longest plaintext of one nonce, in bytes: 2^39 - 256 bits.
pub const MAX_LEN: u64 = (1 << 36) - 32;

/// A key for `AEAD_SM4_GCM`, its schedules made once.
///
/// # Security
/// A nonce must never serve twice under one key: a single repetition reveals the authentication key.
///
/// ```
/// use sealstone_ciphers::sm4::Sm4Gcm;
///
/// let key = Sm4Gcm::new(&[7; 16]);
/// let mut buffer = *b"attack at dawn";
/// let tag = key.seal_in_place(&[9; 12], b"order 17", &mut buffer);
/// key.open_in_place(&[9; 12], b"order 17", &mut buffer, &tag)?;
/// assert_eq!(&buffer, b"attack at dawn");
/// # Ok::<(), sealstone_ciphers::NotAuthentic>(())
/// ```
#[derive(Debug)]
pub struct Sm4Gcm {
    cipher: Sm4,
    ghash: Ghash,
}

impl Sm4Gcm {
    /// Makes the schedules on the backends that are fastest on this CPU.
    #[must_use]
    pub fn new(key: &[u8; KEY_LEN]) -> Self {
        Self::of(Sm4::new(key), Ghash::new)
    }

    /// Makes the schedules on a backend of the caller's choice; `None` where this CPU has it not. GHASH goes with it:
    /// portable, or the widest there is.
    #[must_use]
    pub fn with_backend(backend: super::Backend, key: &[u8; KEY_LEN]) -> Option<Self> {
        let cipher = Sm4::with_backend(backend, key)?;
        let ghash = if backend == super::Backend::Portable { Ghash::portable } else { Ghash::new };
        Some(Self::of(cipher, ghash))
    }

    fn of(cipher: Sm4, ghash: fn(&Block) -> Ghash) -> Self {
        let mut h = [0; BLOCK_LEN];
        cipher.encryption.apply(std::slice::from_mut(&mut h));
        let ghash = ghash(&h);
        h.zeroize();
        Self { cipher, ghash }
    }

    /// Replaces `buffer` by its ciphertext and returns the tag.
    ///
    /// # Panics
    /// When `buffer` is over [`MAX_LEN`].
    #[must_use]
    pub fn seal_in_place(&self, nonce: &[u8; NONCE_LEN], aad: &[u8], buffer: &mut [u8]) -> [u8; TAG_LEN] {
        self.run(nonce, aad, buffer, true)
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
        if buffer.len() as u64 <= MAX_LEN && equal(&self.run(nonce, aad, buffer, false), tag) {
            return Ok(());
        }
        buffer.zeroize();
        Err(NotAuthentic)
    }

    /// Encrypts or decrypts, and computes the tag over the ciphertext: of what is in L1, one after the other.
    fn run(&self, nonce: &[u8; NONCE_LEN], aad: &[u8], buffer: &mut [u8], seal: bool) -> [u8; TAG_LEN] {
        assert!(buffer.len() as u64 <= MAX_LEN, "gcm: the buffer is over the limit of one nonce");
        let mut first = [0; BLOCK_LEN];
        first[..NONCE_LEN].copy_from_slice(nonce);
        first[BLOCK_LEN - 1] = 1;
        let first = u128::from_be_bytes(first);
        let mut state = [0; BLOCK_LEN];
        self.ghash.update_padded(&mut state, aad);
        let mut counter = first + 1;
        for part in buffer.chunks_mut(AT_ONCE * BLOCK_LEN) {
            if !seal {
                self.ghash.update_padded(&mut state, part);
            }
            counter = self.cipher.count::<32>(counter, part);
            if seal {
                self.ghash.update_padded(&mut state, part);
            }
        }
        let bits = |len: usize| len as u128 * 8;
        let lengths = (bits(aad.len()) << 64 | bits(buffer.len())).to_be_bytes();
        self.ghash.update(&mut state, &[lengths]);
        self.cipher.count::<32>(first, &mut state);
        state
    }
}
