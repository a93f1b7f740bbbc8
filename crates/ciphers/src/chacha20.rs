//! ChaCha20 and ChaCha20-Poly1305 (RFC 8439), and XChaCha20-Poly1305 with its longer nonce (draft-irtf-cfrg-xchacha), in
//! constant time on every backend.
//!
//! [`ChaCha20Poly1305`] and [`XChaCha20Poly1305`] authenticate; [`ChaCha20`] alone does not detect changes.

use crate::aead::{Key, impl_key, is_authentic};
pub use crate::backend::Backend;
use crate::backend::Kernel;
use crate::keystream::{BLOCK_LEN, Keystream, subkey};
use crate::lanes::CHACHA;
use crate::poly1305::Tag;
use crate::{InvalidLength, NotAuthentic, aead};
use zeroize::{Zeroize, Zeroizing};

/// Bytes of a key.
pub const KEY_LEN: usize = 32;
/// Bytes of a nonce.
pub const NONCE_LEN: usize = 12;
/// Bytes of a nonce of [`XChaCha20Poly1305`].
pub const X_NONCE_LEN: usize = 24;

/// The longest plaintext under one nonce, in bytes: 2^32 blocks but the first, which is Poly1305's key.
const MAX_LEN: u64 = ((1 << 32) - 1) * BLOCK_LEN as u64;

/// A key for the bare stream cipher. Zeroed on drop.
///
/// # Security
/// Nothing is authenticated: anyone who can write the ciphertext can flip bits of the plaintext at will. Never use a block of a
/// nonce twice.
///
/// ```
/// use sealstone_ciphers::chacha20::ChaCha20;
///
/// let key = ChaCha20::new(&[7; 32])?;
/// let mut message = *b"attack at dawn";
/// key.add_keystream(&[9; 12], 0, &mut message)?;
/// key.add_keystream(&[9; 12], 0, &mut message)?;
/// assert_eq!(&message, b"attack at dawn");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ChaCha20(Key);

impl_key!(ChaCha20);

impl ChaCha20 {
    /// Adds the keystream of a nonce of 12 bytes to `data`, from block `counter` on, which encrypts or decrypts it in place.
    /// A message may come in pieces, all of whole blocks but the last.
    ///
    /// # Errors
    /// [`InvalidLength`] for a nonce of another length, and for data that reaches beyond block 2^32 - 1, where the keystream
    /// would repeat itself; `data` is unchanged then.
    pub fn add_keystream(&self, nonce: &[u8], counter: u32, data: &mut [u8]) -> Result<(), InvalidLength> {
        let nonce: &[u8; NONCE_LEN] = nonce.try_into().map_err(|_| InvalidLength)?;
        let blocks = data.len().div_ceil(BLOCK_LEN) as u64;
        if blocks > (1 << 32) - u64::from(counter) {
            return Err(InvalidLength);
        }
        keystream(self.0.kernel, &self.0.bytes, counter, nonce).add(data);
        Ok(())
    }
}

/// A key for ChaCha20-Poly1305. Zeroed on drop.
///
/// # Security
/// Never use a nonce twice under one key: a single repetition lets others forge messages under that nonce, and reveals the xor
/// of the plaintexts.
///
/// ```
/// use sealstone_ciphers::chacha20::ChaCha20Poly1305;
///
/// let key = ChaCha20Poly1305::new(&[7; 32])?;
/// let mut buffer = *b"attack at dawn";
/// let tag = key.seal_in_place(&[9; 12], b"order 17", &mut buffer)?;
/// key.open_in_place(&[9; 12], b"order 17", &mut buffer, &tag)?;
/// assert_eq!(&buffer, b"attack at dawn");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ChaCha20Poly1305(Key);

impl_key!(ChaCha20Poly1305);

impl ChaCha20Poly1305 {
    /// Replaces `buffer` with its ciphertext and returns the tag. A nonce has 12 bytes.
    ///
    /// # Errors
    /// [`InvalidLength`] for a nonce of another length and a buffer of more than 2^38 - 64 bytes; `buffer` is unchanged then.
    pub fn seal_in_place(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8]) -> Result<Tag, InvalidLength> {
        let nonce = nonce.try_into().map_err(|_| InvalidLength)?;
        run::<true>(self.0.kernel, &self.0.bytes, nonce, aad, buffer).ok_or(InvalidLength)
    }

    /// Replaces `buffer`, a ciphertext, with its plaintext.
    ///
    /// # Errors
    /// [`NotAuthentic`] for a wrong key, nonce, `aad`, tag or byte, and for lengths that sealing refuses; `buffer` is cleared
    /// then.
    pub fn open_in_place(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8], tag: &[u8]) -> Result<(), NotAuthentic> {
        let nonce = nonce.try_into().ok();
        let computed = nonce.and_then(|nonce| run::<false>(self.0.kernel, &self.0.bytes, nonce, aad, buffer));
        if is_authentic(computed, tag) {
            return Ok(());
        }
        buffer.zeroize();
        Err(NotAuthentic)
    }
}

/// A key for XChaCha20-Poly1305, whose nonces of 24 bytes may be random. Zeroed on drop.
///
/// # Security
/// Never use a nonce twice under one key. Random nonces of 24 bytes do not repeat.
///
/// ```
/// use sealstone_ciphers::chacha20::XChaCha20Poly1305;
///
/// let key = XChaCha20Poly1305::new(&[7; 32])?;
/// let mut buffer = *b"attack at dawn";
/// let tag = key.seal_in_place(&[9; 24], b"order 17", &mut buffer)?;
/// key.open_in_place(&[9; 24], b"order 17", &mut buffer, &tag)?;
/// assert_eq!(&buffer, b"attack at dawn");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct XChaCha20Poly1305(Key);

impl_key!(XChaCha20Poly1305);

impl XChaCha20Poly1305 {
    /// Replaces `buffer` with its ciphertext and returns the tag. A nonce has 24 bytes.
    ///
    /// # Errors
    /// [`InvalidLength`] for a nonce of another length and a buffer of more than 2^38 - 64 bytes; `buffer` is unchanged then.
    pub fn seal_in_place(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8]) -> Result<Tag, InvalidLength> {
        let (key, nonce) = self.derive(nonce).ok_or(InvalidLength)?;
        run::<true>(self.0.kernel, &key, &nonce, aad, buffer).ok_or(InvalidLength)
    }

    /// Replaces `buffer`, a ciphertext, with its plaintext.
    ///
    /// # Errors
    /// [`NotAuthentic`] for a wrong key, nonce, `aad`, tag or byte, and for lengths that sealing refuses; `buffer` is cleared
    /// then.
    pub fn open_in_place(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8], tag: &[u8]) -> Result<(), NotAuthentic> {
        let derived = self.derive(nonce);
        let computed = derived.and_then(|(key, nonce)| run::<false>(self.0.kernel, &key, &nonce, aad, buffer));
        if is_authentic(computed, tag) {
            return Ok(());
        }
        buffer.zeroize();
        Err(NotAuthentic)
    }

    /// Derives key and nonce of ChaCha20-Poly1305 from the long nonce (draft-irtf-cfrg-xchacha section 2).
    fn derive(&self, nonce: &[u8]) -> Option<(Zeroizing<[u8; KEY_LEN]>, [u8; NONCE_LEN])> {
        let nonce: &[u8; X_NONCE_LEN] = nonce.try_into().ok()?;
        let (input, end) = nonce.split_first_chunk().expect("chacha20: the nonce is longer");
        let mut short = [0; NONCE_LEN];
        short[NONCE_LEN - end.len()..].copy_from_slice(end);
        Some((subkey::<CHACHA>(&self.0.bytes, input), short))
    }
}

/// HChaCha20 (draft-irtf-cfrg-xchacha section 2.2): derives a key from a key and 16 bytes that may be public. Zeroed on drop.
///
/// ```
/// use sealstone_ciphers::chacha20::hchacha20;
///
/// assert_ne!(hchacha20(&[7; 32], &[1; 16]), hchacha20(&[7; 32], &[2; 16]));
/// ```
#[must_use]
pub fn hchacha20(key: &[u8; KEY_LEN], input: &[u8; 16]) -> Zeroizing<[u8; KEY_LEN]> {
    subkey::<CHACHA>(key, input)
}

fn keystream(kernel: Kernel, key: &[u8; KEY_LEN], counter: u32, nonce: &[u8; NONCE_LEN]) -> Keystream<CHACHA> {
    let mut input = [0; 16];
    input[..4].copy_from_slice(&counter.to_le_bytes());
    input[4..].copy_from_slice(nonce);
    Keystream::new(kernel, key, &input)
}

/// Seals or opens `buffer` with ChaCha20-Poly1305 and returns the tag; `None` if the buffer is too long.
fn run<const SEAL: bool>(
    kernel: Kernel,
    key: &[u8; KEY_LEN],
    nonce: &[u8; NONCE_LEN],
    aad: &[u8],
    buffer: &mut [u8],
) -> Option<Tag> {
    let fits = buffer.len() as u64 <= MAX_LEN;
    fits.then(|| aead::run::<CHACHA, SEAL>(keystream(kernel, key, 0, nonce), aad, buffer))
}
