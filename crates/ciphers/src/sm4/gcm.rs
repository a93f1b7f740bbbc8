//! GCM (SP 800-38D) with SM4; with nonces of 12 bytes and tags of 16 it is `AEAD_SM4_GCM` of RFC 8998.

use super::{BLOCK_LEN, Backend, Block, KEY_LEN, Sm4};
use crate::constant_time::equal;
use crate::ghash::Ghash;
use crate::{InvalidLength, NotAuthentic};
use zeroize::Zeroize;

/// The longest plaintext under one nonce, in bytes: 2^39 - 256 bits (SP 800-38D section 5.2.1.1).
const MAX_LEN: u64 = (1 << 36) - 32;
/// The shortest tag, in bytes: SP 800-38D section 5.2.1.2 allows shorter ones for special uses only.
const TAG_MIN_LEN: usize = 12;
/// Bytes of a part, which is encrypted and then hashed. It fits in the first-level cache; in WASM, where each call of GHASH
/// ends with sixteen single blocks, in the second-level one.
const PART_LEN: usize = if cfg!(target_arch = "wasm32") { 1 << 16 } else { 4096 };
/// Bytes of a nonce that goes into the counter block unchanged; other nonces are hashed.
const NONCE_LEN: usize = 12;

/// A key for GCM, with its schedules computed once.
///
/// # Security
/// Never use a nonce twice under one key: a single repetition reveals the authentication key.
///
/// ```
/// use sealstone_ciphers::sm4::Sm4Gcm;
///
/// let key = Sm4Gcm::new(&[7; 16]);
/// let (mut buffer, mut tag) = (*b"attack at dawn", [0; 16]);
/// key.seal_in_place(&[9; 12], b"order 17", &mut buffer, &mut tag)?;
/// key.open_in_place(&[9; 12], b"order 17", &mut buffer, &tag)?;
/// assert_eq!(&buffer, b"attack at dawn");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Sm4Gcm {
    cipher: Sm4,
    ghash: Ghash,
}

impl Sm4Gcm {
    /// Computes the schedules for the backends that are fastest on this CPU.
    #[must_use]
    pub fn new(key: &[u8; KEY_LEN]) -> Self {
        Self::of(Sm4::new(key), Ghash::new)
    }

    /// Computes the schedules for a backend of the caller's choice; `None` if this CPU does not support it. GHASH is portable
    /// with the portable backend, and otherwise the widest.
    #[must_use]
    pub fn with_backend(backend: Backend, key: &[u8; KEY_LEN]) -> Option<Self> {
        let cipher = Sm4::with_backend(backend, key)?;
        let ghash = if backend == Backend::Portable { Ghash::portable } else { Ghash::new };
        Some(Self::of(cipher, ghash))
    }

    fn of(cipher: Sm4, ghash: fn(&Block) -> Ghash) -> Self {
        let mut h = [0; BLOCK_LEN];
        cipher.encryption.apply(std::slice::from_mut(&mut h));
        let ghash = ghash(&h);
        h.zeroize();
        Self { cipher, ghash }
    }

    /// The backend of this key.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.cipher.backend()
    }

    /// Replaces `buffer` with its ciphertext and writes the tag, of 12 to 16 bytes. A nonce has 12 bytes; any other length but
    /// zero works too, and costs one more hash.
    ///
    /// # Errors
    /// [`InvalidLength`] for an empty nonce, a tag of another length, and a buffer of more than 2^36 - 32 bytes; `buffer` is
    /// unchanged then.
    pub fn seal_in_place(
        &self,
        nonce: &[u8],
        aad: &[u8],
        buffer: &mut [u8],
        tag: &mut [u8],
    ) -> Result<(), InvalidLength> {
        check(nonce, buffer, tag)?;
        tag.copy_from_slice(&self.run::<true>(nonce, aad, buffer)[..tag.len()]);
        Ok(())
    }

    /// Replaces `buffer`, a ciphertext, with its plaintext.
    ///
    /// # Errors
    /// [`NotAuthentic`] for a wrong key, nonce, `aad`, tag or byte, and for lengths that sealing refuses; `buffer` is cleared
    /// then.
    pub fn open_in_place(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8], tag: &[u8]) -> Result<(), NotAuthentic> {
        if check(nonce, buffer, tag).is_ok() && equal(&self.run::<false>(nonce, aad, buffer)[..tag.len()], tag) {
            return Ok(());
        }
        buffer.zeroize();
        Err(NotAuthentic)
    }

    /// Encrypts or decrypts `buffer` part by part, and computes the tag over the ciphertext.
    fn run<const SEAL: bool>(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8]) -> Block {
        let first = self.first_counter(nonce);
        let mut state = [0; BLOCK_LEN];
        self.ghash.update_padded(&mut state, aad);
        let mut counter = first & !0xffff_ffff | u128::from((first as u32).wrapping_add(1));
        for part in buffer.chunks_mut(PART_LEN) {
            if !SEAL {
                self.ghash.update_padded(&mut state, part);
            }
            counter = self.cipher.add_keystream(32, counter, part);
            if SEAL {
                self.ghash.update_padded(&mut state, part);
            }
        }
        self.ghash.update(&mut state, &[lengths(aad.len(), buffer.len())]);
        self.cipher.add_keystream(32, first, &mut state);
        state
    }

    /// The counter block J0 of the tag (SP 800-38D section 7.1).
    fn first_counter(&self, nonce: &[u8]) -> u128 {
        let mut first = [0; BLOCK_LEN];
        if nonce.len() == NONCE_LEN {
            first[..NONCE_LEN].copy_from_slice(nonce);
            first[BLOCK_LEN - 1] = 1;
        } else {
            self.ghash.update_padded(&mut first, nonce);
            self.ghash.update(&mut first, &[lengths(0, nonce.len())]);
        }
        u128::from_be_bytes(first)
    }
}

/// The block of both lengths in bits.
fn lengths(aad: usize, text: usize) -> Block {
    let bits = |len: usize| len as u128 * 8;
    (bits(aad) << 64 | bits(text)).to_be_bytes()
}

fn check(nonce: &[u8], buffer: &[u8], tag: &[u8]) -> Result<(), InvalidLength> {
    let fits = !nonce.is_empty() && buffer.len() as u64 <= MAX_LEN && (TAG_MIN_LEN..=BLOCK_LEN).contains(&tag.len());
    fits.then_some(()).ok_or(InvalidLength)
}
