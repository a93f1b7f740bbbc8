//! NaCl's boxes, to exchange data with NaCl, libsodium and compatible libraries: XSalsa20-Poly1305 under a shared key
//! ([`SecretBox`], `crypto_secretbox`), or under the shared secret of two X25519 key pairs ([`SecretKey::shared_with`],
//! `crypto_box`).
//!
//! A box is the tag followed by the ciphertext, without the nonce, as in libsodium's functions named `easy`.
//!
//! ```
//! use sealstone::nacl::SecretKey;
//!
//! let (alice, bob) = (SecretKey::generate()?, SecretKey::generate()?);
//! let sealed = alice.shared_with(&bob.public_key())?.seal(&[9; 24], b"attack at dawn")?;
//! assert_eq!(bob.shared_with(&alice.public_key())?.open(&[9; 24], &sealed)?, b"attack at dawn");
//! # Ok::<(), sealstone::Error>(())
//! ```

use crate::error::{Error, Result};
use crate::kernel;
use crate::provider::X25519;
use crate::random;
use sealstone_ciphers::salsa20::{XSalsa20Poly1305, hsalsa20};
use zeroize::Zeroizing;

/// Bytes of a key: of a [`SecretBox`], of a [`SecretKey`], and of a public key.
pub const KEY_LEN: usize = 32;
/// Bytes of a nonce.
pub const NONCE_LEN: usize = 24;
/// Bytes of the tag, at the beginning of a box.
pub const TAG_LEN: usize = 16;

/// A key for `crypto_secretbox`: XSalsa20-Poly1305. Threads can share it. Zeroed on drop.
///
/// # Security
/// Never use a nonce twice under one key; random nonces are safe. There is no associated data.
///
/// # Examples
/// ```
/// use sealstone::nacl::SecretBox;
///
/// let key = SecretBox::new(&[7; 32])?;
/// let sealed = key.seal(&[9; 24], b"attack at dawn")?;
/// assert_eq!(sealed.len(), 16 + 14);
/// assert_eq!(key.open(&[9; 24], &sealed)?, b"attack at dawn");
/// assert_eq!(key.open(&[8; 24], &sealed).unwrap_err().code(), "not_authentic");
/// # Ok::<(), sealstone::Error>(())
/// ```
pub struct SecretBox(XSalsa20Poly1305);

debug!(SecretBox(..));

impl SecretBox {
    /// Takes a key of 32 bytes.
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::UnavailableBackend`] when the environment forces one.
    pub fn new(key: &[u8]) -> Result<Self> {
        let key = exactly("the key", key)?;
        let key = XSalsa20Poly1305::with_backend(kernel::chacha_backend()?, key);
        Ok(Self(key.expect("nacl: the backend was found")))
    }

    /// Seals `plaintext`: returns the 16-byte tag followed by the ciphertext. A nonce has 24 bytes.
    ///
    /// # Errors
    /// [`Error::WrongLength`] for the nonce.
    pub fn seal(&self, nonce: &[u8], plaintext: &[u8]) -> Result<Vec<u8>> {
        let mut sealed = vec![0; TAG_LEN + plaintext.len()];
        let (tag, buffer) = sealed.split_at_mut(TAG_LEN);
        let nonce: &[u8; NONCE_LEN] = exactly("the nonce", nonce)?;
        buffer.copy_from_slice(plaintext);
        tag.copy_from_slice(&self.seal_in_place(nonce, buffer)?);
        Ok(sealed)
    }

    /// Opens what [`seal`](Self::seal) returned.
    ///
    /// # Errors
    /// [`Error::NotAuthentic`] for a wrong key, nonce or byte, and for input shorter than a tag, with a nonce of any length; no
    /// plaintext is released. [`Error::WrongLength`] for the nonce.
    pub fn open(&self, nonce: &[u8], sealed: &[u8]) -> Result<Vec<u8>> {
        let (tag, ciphertext) = sealed.split_first_chunk().ok_or(Error::NotAuthentic { chunk: None })?;
        let mut buffer = ciphertext.to_vec();
        self.open_in_place(nonce, &mut buffer, tag)?;
        Ok(buffer)
    }

    /// Replaces `buffer` with its ciphertext and returns the tag.
    ///
    /// # Errors
    /// [`Error::WrongLength`] for the nonce; `buffer` is unchanged then.
    pub fn seal_in_place(&self, nonce: &[u8], buffer: &mut [u8]) -> Result<[u8; TAG_LEN]> {
        let nonce: &[u8; NONCE_LEN] = exactly("the nonce", nonce)?;
        Ok(self.0.seal_in_place(nonce, buffer).expect("nacl: the nonce has its length"))
    }

    /// Replaces `buffer`, a ciphertext, with its plaintext.
    ///
    /// # Errors
    /// [`Error::NotAuthentic`]; `buffer` is cleared then. [`Error::WrongLength`] for the nonce; `buffer` is unchanged then.
    pub fn open_in_place(&self, nonce: &[u8], buffer: &mut [u8], tag: &[u8; TAG_LEN]) -> Result<()> {
        let nonce: &[u8; NONCE_LEN] = exactly("the nonce", nonce)?;
        self.0.open_in_place(nonce, buffer, tag).map_err(|_| Error::NotAuthentic { chunk: None })
    }
}

/// A private key for `crypto_box`: a scalar of X25519. Zeroed on drop.
///
/// ```
/// use sealstone::nacl::SecretKey;
///
/// let key = SecretKey::generate()?;
/// assert_eq!(SecretKey::from_bytes(&key.to_bytes()[..])?.public_key(), key.public_key());
/// # Ok::<(), sealstone::Error>(())
/// ```
pub struct SecretKey(X25519);

debug!(SecretKey(..));

impl SecretKey {
    /// Generates a key.
    ///
    /// # Errors
    /// [`Error::NoRandomness`].
    pub fn generate() -> Result<Self> {
        let mut bytes = Zeroizing::new([0; KEY_LEN]);
        random::fill(&mut bytes[..])?;
        Self::from_bytes(&bytes[..])
    }

    /// Takes a key of 32 bytes. Any 32 bytes are a key.
    ///
    /// # Errors
    /// [`Error::WrongLength`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let bytes: &[u8; KEY_LEN] = exactly("the key", bytes)?;
        Ok(Self(X25519::from_bytes(bytes).expect("nacl: any 32 bytes are a key")))
    }

    /// The bytes of the key.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<[u8; KEY_LEN]> {
        self.0.to_bytes()
    }

    /// The public key.
    #[must_use]
    pub fn public_key(&self) -> [u8; KEY_LEN] {
        self.0.public_key()
    }

    /// Computes the shared secret of this key and the other side's `public` key (`crypto_box_beforenm`). The other side
    /// computes the same from this key's public key. Compute it once for many messages in both directions. Both sides together
    /// must never use a nonce twice.
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::InvalidKey`] for a point of low order, whose shared secret everyone knows;
    /// [`Error::UnavailableBackend`] when the environment forces one.
    ///
    /// # Examples
    /// ```
    /// use sealstone::nacl::SecretKey;
    ///
    /// let key = SecretKey::generate()?;
    /// assert_eq!(key.shared_with(&[0; 32]).unwrap_err().code(), "invalid_key");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    pub fn shared_with(&self, public: &[u8]) -> Result<SecretBox> {
        SecretBox::new(&self.shared_key(public)?[..])
    }

    /// The raw shared secret of X25519; `None` for a point of low order. It must be hashed before use as a key.
    pub(crate) fn diffie_hellman(&self, public: &[u8; KEY_LEN]) -> Option<Zeroizing<[u8; KEY_LEN]>> {
        self.0.diffie_hellman(public, |shared| Zeroizing::new(*shared))
    }

    /// The shared secret of [`shared_with`](Self::shared_with), for protocols that use it with another cipher.
    ///
    /// # Errors
    /// As [`shared_with`](Self::shared_with).
    ///
    /// # Examples
    /// ```
    /// use sealstone::nacl::SecretKey;
    ///
    /// let (alice, bob) = (SecretKey::generate()?, SecretKey::generate()?);
    /// assert_eq!(alice.shared_key(&bob.public_key())?, bob.shared_key(&alice.public_key())?);
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    pub fn shared_key(&self, public: &[u8]) -> Result<Zeroizing<[u8; KEY_LEN]>> {
        let public: &[u8; KEY_LEN] = exactly("the public key", public)?;
        let low_order = Error::InvalidKey("the public key is a point of low order");
        self.0.diffie_hellman(public, |shared| hsalsa20(shared, &[0; 16])).ok_or(low_order)
    }
}

fn exactly<'a, const N: usize>(what: &'static str, bytes: &'a [u8]) -> Result<&'a [u8; N]> {
    bytes.try_into().map_err(|_| Error::WrongLength { what, expected: N, actual: bytes.len() })
}
