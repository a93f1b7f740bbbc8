//! Salsa20 (Bernstein's specification, 2005) and XSalsa20-Poly1305, which is the secretbox of NaCl, in constant time on every
//! backend.
//!
//! [`XSalsa20Poly1305`] authenticates; [`Salsa20`] alone does not detect changes.

use crate::aead::{Key, impl_key, is_authentic};
pub use crate::backend::Backend;
use crate::backend::Kernel;
use crate::keystream::{BLOCK_LEN, Keystream, subkey};
use crate::lanes::SALSA;
use crate::poly1305::Tag;
use crate::{InvalidLength, NotAuthentic, aead};
use zeroize::{Zeroize, Zeroizing};

/// Bytes of a key.
pub const KEY_LEN: usize = 32;
/// Bytes of a nonce.
pub const NONCE_LEN: usize = 8;
/// Bytes of a nonce of [`XSalsa20Poly1305`].
pub const X_NONCE_LEN: usize = 24;

/// A key for the bare stream cipher. Zeroed on drop.
///
/// # Security
/// Nothing is authenticated: anyone who can write the ciphertext can flip bits of the plaintext at will. Never use a block of a
/// nonce twice.
///
/// ```
/// use sealstone_ciphers::salsa20::Salsa20;
///
/// let key = Salsa20::new(&[7; 32])?;
/// let mut message = *b"attack at dawn";
/// key.add_keystream(&[9; 8], 0, &mut message)?;
/// key.add_keystream(&[9; 8], 0, &mut message)?;
/// assert_eq!(&message, b"attack at dawn");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Salsa20(Key);

impl_key!(Salsa20);

impl Salsa20 {
    /// Adds the keystream of a nonce of 8 bytes to `data`, from block `counter` on, which encrypts or decrypts it in place. A
    /// message may come in pieces, all of whole blocks but the last.
    ///
    /// # Errors
    /// [`InvalidLength`] for a nonce of another length, and for data that reaches beyond block 2^64 - 1, where the keystream
    /// would repeat itself; `data` is unchanged then.
    pub fn add_keystream(&self, nonce: &[u8], counter: u64, data: &mut [u8]) -> Result<(), InvalidLength> {
        let nonce: &[u8; NONCE_LEN] = nonce.try_into().map_err(|_| InvalidLength)?;
        let blocks = data.len().div_ceil(BLOCK_LEN) as u64;
        if counter.checked_add(blocks.saturating_sub(1)).is_none() {
            return Err(InvalidLength);
        }
        let mut input = [0; 16];
        input[..NONCE_LEN].copy_from_slice(nonce);
        input[NONCE_LEN..].copy_from_slice(&counter.to_le_bytes());
        Keystream::<SALSA>::new(self.0.kernel, &self.0.bytes, &input).add(data);
        Ok(())
    }
}

/// A key for XSalsa20-Poly1305, with nonces of 24 bytes, which may be random. Zeroed on drop.
///
/// NaCl's secretbox is the tag followed by the ciphertext.
///
/// # Security
/// Never use a nonce twice under one key. Random nonces of 24 bytes do not repeat.
///
/// ```
/// use sealstone_ciphers::salsa20::XSalsa20Poly1305;
///
/// let key = XSalsa20Poly1305::new(&[7; 32])?;
/// let mut buffer = *b"attack at dawn";
/// let tag = key.seal_in_place(&[9; 24], &mut buffer)?;
/// key.open_in_place(&[9; 24], &mut buffer, &tag)?;
/// assert_eq!(&buffer, b"attack at dawn");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct XSalsa20Poly1305(Key);

impl_key!(XSalsa20Poly1305);

impl XSalsa20Poly1305 {
    /// Replaces `buffer` with its ciphertext and returns the tag. A nonce has 24 bytes.
    ///
    /// # Errors
    /// [`InvalidLength`] for a nonce of another length; `buffer` is unchanged then.
    pub fn seal_in_place(&self, nonce: &[u8], buffer: &mut [u8]) -> Result<Tag, InvalidLength> {
        self.run::<true>(nonce, buffer).ok_or(InvalidLength)
    }

    /// Replaces `buffer`, a ciphertext, with its plaintext.
    ///
    /// # Errors
    /// [`NotAuthentic`] for a wrong key, nonce, tag or byte, and for lengths that sealing refuses; `buffer` is cleared then.
    pub fn open_in_place(&self, nonce: &[u8], buffer: &mut [u8], tag: &[u8]) -> Result<(), NotAuthentic> {
        let computed = self.run::<false>(nonce, buffer);
        if is_authentic(computed, tag) {
            return Ok(());
        }
        buffer.zeroize();
        Err(NotAuthentic)
    }

    fn run<const SEAL: bool>(&self, nonce: &[u8], buffer: &mut [u8]) -> Option<Tag> {
        let nonce: &[u8; X_NONCE_LEN] = nonce.try_into().ok()?;
        let (hashed, end) = nonce.split_first_chunk().expect("salsa20: the nonce is longer");
        let key = subkey::<SALSA>(&self.0.bytes, hashed);
        let mut input = [0; 16];
        input[..NONCE_LEN].copy_from_slice(end);
        Some(aead::run::<SALSA, SEAL>(Keystream::new(self.0.kernel, &key, &input), &[], buffer))
    }
}

/// HSalsa20 (Bernstein, "Extending the Salsa20 nonce"): derives a key from a key and 16 bytes that may be public. Zeroed on
/// drop.
///
/// ```
/// use sealstone_ciphers::salsa20::hsalsa20;
///
/// assert_ne!(hsalsa20(&[7; 32], &[1; 16]), hsalsa20(&[7; 32], &[2; 16]));
/// ```
#[must_use]
pub fn hsalsa20(key: &[u8; KEY_LEN], input: &[u8; 16]) -> Zeroizing<[u8; KEY_LEN]> {
    subkey::<SALSA>(key, input)
}
