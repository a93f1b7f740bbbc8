//! The formats of the JavaScript packages `@yuants/utils` and `@yuants/secret`: keys as Base58, and data encrypted to a public
//! key or under a shared key.
//!
//! A public key is an Ed25519 key; encryption uses the X25519 key of the same point. A private key is the seed followed by the
//! public key.
//!
//! ```
//! use sealstone::interop::yuants::{Format, KeyPair};
//!
//! let pair = KeyPair::generate()?;
//! let sealed = Format::Box.seal(&pair.public_key, b"attack at dawn")?;
//! assert_eq!(Format::Box.open(&pair.private_key, &sealed)?, b"attack at dawn");
//! # Ok::<(), sealstone::Error>(())
//! ```
//!
//! # Security
//! None of these formats proves who wrote the data, or binds the data to a purpose. One key both signs and decrypts, and there
//! is no forward secrecy. Use [`Encryptor`](crate::Encryptor) or [`message`](crate::message) for new data.

use crate::aead::{Aead, Algorithm};
use crate::ed25519::{self, PrivateKey, PublicKey};
use crate::encoding::{decode_base58_secret, encode_base58};
use crate::error::{Error, Result};
use crate::mac;
use crate::nacl::{self, SecretKey};
use crate::random;
use zeroize::{Zeroize, Zeroizing};

/// Bytes of a private key: the seed and the public key.
pub const PRIVATE_KEY_LEN: usize = ed25519::SEED_LEN + ed25519::PUBLIC_KEY_LEN;

/// The most bytes that the decoder of keys accepts. Every key is shorter.
const KEY_MAX_LEN: usize = 96;

/// A key pair as text.
///
/// ```
/// use sealstone::interop::yuants::KeyPair;
///
/// let pair = KeyPair::from_seed(&[7; 32])?;
/// assert_eq!(pair.public_key, "GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB");
/// assert_eq!(KeyPair::from_private_key(&pair.private_key)?.public_key, pair.public_key);
/// # Ok::<(), sealstone::Error>(())
/// ```
pub struct KeyPair {
    /// Base58 of 32 bytes.
    pub public_key: String,
    /// Base58 of 64 bytes.
    pub private_key: Zeroizing<String>,
}

debug!(KeyPair { public_key });

impl KeyPair {
    /// Generates a pair.
    ///
    /// # Errors
    /// [`Error::NoRandomness`].
    pub fn generate() -> Result<Self> {
        Ok(Self::of(&PrivateKey::generate()?))
    }

    /// The pair of a seed of 32 bytes.
    ///
    /// # Errors
    /// [`Error::WrongLength`].
    pub fn from_seed(seed: &[u8]) -> Result<Self> {
        Ok(Self::of(&PrivateKey::from_seed(seed)?))
    }

    /// The pair of a private key.
    ///
    /// # Errors
    /// As [`private_key`].
    pub fn from_private_key(text: &str) -> Result<Self> {
        Ok(Self::of(&private_key(text)?))
    }

    fn of(key: &PrivateKey) -> Self {
        let public = key.public_key().to_bytes();
        let mut both = Zeroizing::new([0; PRIVATE_KEY_LEN]);
        both[..ed25519::SEED_LEN].copy_from_slice(&key.seed()[..]);
        both[ed25519::SEED_LEN..].copy_from_slice(&public);
        Self { public_key: text_of(&public), private_key: Zeroizing::new(text_of(&both)) }
    }
}

/// Reads a public key.
///
/// # Errors
/// [`Error::InvalidEncoding`], [`Error::WrongLength`], [`Error::InvalidKey`].
pub fn public_key(text: &str) -> Result<PublicKey> {
    PublicKey::from_bytes(&key_bytes(text)?)
}

/// Reads a private key for signing. Its two halves must form a pair: signing with another public key would reveal the private
/// key.
///
/// # Errors
/// [`Error::InvalidEncoding`]; [`Error::WrongLength`]; [`Error::InvalidKey`] when the halves do not match.
pub fn private_key(text: &str) -> Result<PrivateKey> {
    private_key_of(&key_bytes(text)?)
}

/// As [`private_key`], from its 64 bytes.
///
/// # Errors
/// [`Error::WrongLength`]; [`Error::InvalidKey`] when the halves do not match.
pub fn private_key_of(bytes: &[u8]) -> Result<PrivateKey> {
    let wrong = Error::WrongLength { what: "the private key", expected: PRIVATE_KEY_LEN, actual: bytes.len() };
    let bytes: &[u8; PRIVATE_KEY_LEN] = bytes.try_into().map_err(|_| wrong)?;
    let (seed, public) = bytes.split_at(ed25519::SEED_LEN);
    let key = PrivateKey::from_seed(seed)?;
    if key.public_key().to_bytes() != *public {
        return Err(Error::InvalidKey("the public half of the private key belongs to another key"));
    }
    Ok(key)
}

/// The X25519 key of a private key, or of its seed alone.
fn decryption_key(text: &str) -> Result<SecretKey> {
    let bytes = key_bytes(text)?;
    if !matches!(bytes.len(), ed25519::SEED_LEN | PRIVATE_KEY_LEN) {
        return Err(Error::WrongLength { what: "the private key", expected: PRIVATE_KEY_LEN, actual: bytes.len() });
    }
    Ok(ed25519::x25519_of_seed(bytes.first_chunk().expect("yuants: a private key begins with the seed")))
}

fn text_of<const N: usize>(key: &[u8; N]) -> String {
    encode_base58(key).expect("yuants: a key is short")
}

fn key_bytes(text: &str) -> Result<Zeroizing<Vec<u8>>> {
    decode_base58_secret::<KEY_MAX_LEN>(text)
}

/// Generates an X25519 key pair: the public key, and the private key.
///
/// # Errors
/// [`Error::NoRandomness`].
pub fn generate_x25519() -> Result<(String, Zeroizing<String>)> {
    let key = SecretKey::generate()?;
    Ok((text_of(&key.public_key()), Zeroizing::new(text_of(&key.to_bytes()))))
}

/// Derives the shared secret of two X25519 key pairs, as Base58, for [`Format::Gcm`].
///
/// ```
/// use sealstone::interop::yuants::{derive_shared_key, generate_x25519};
///
/// let ((alice, alices), (bob, bobs)) = (generate_x25519()?, generate_x25519()?);
/// assert_eq!(derive_shared_key(&bob, &alices)?, derive_shared_key(&alice, &bobs)?);
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// [`Error::InvalidEncoding`]; [`Error::WrongLength`]; [`Error::InvalidKey`] for a public key of low order.
pub fn derive_shared_key(public: &str, private: &str) -> Result<Zeroizing<String>> {
    let shared = SecretKey::from_bytes(&key_bytes(private)?)?.shared_key(&key_bytes(public)?)?;
    Ok(Zeroizing::new(text_of(&shared)))
}

/// HMAC-SHA-256.
#[must_use]
pub fn hmac_sha256(key: &[u8], data: &[u8]) -> [u8; 32] {
    mac::HmacSha256::new(key).sign([data])
}

/// HMAC-SHA-512.
#[must_use]
pub fn hmac_sha512(key: &[u8], data: &[u8]) -> [u8; 64] {
    mac::HmacSha512::new(key).sign([data])
}

/// FNV-1a of 64 bits. It is a checksum: anyone can find two inputs with the same value.
///
/// ```
/// assert_eq!(sealstone::interop::yuants::fnv1a64(b"hello"), 0xa430_d846_80aa_bd0b);
/// ```
#[must_use]
pub fn fnv1a64(data: &[u8]) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    data.iter().fold(OFFSET, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME))
}

/// A layout of encrypted data: a head, the ciphertext, and for some formats a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// `encryptByPublicKey`: nonce, ephemeral public key, NaCl's box (X25519, XSalsa20-Poly1305).
    Box,
    /// `encrypt`: nonce, AES-GCM. The key has 16, 24 or 32 bytes.
    Gcm,
    /// `encryptByPublicKeyAsync`: the length of a [`Box`](Self::Box), that box with a key in it, and [`Gcm`](Self::Gcm) under
    /// that key.
    Hybrid,
}

named_enum!(Format {
    Box = "box",
    Gcm = "gcm",
    Hybrid = "hybrid",
});

/// Bytes before a box's ciphertext: a nonce, an ephemeral public key and the tag.
const BOX_HEAD_LEN: usize = nacl::NONCE_LEN + nacl::KEY_LEN + nacl::TAG_LEN;
const GCM_NONCE_LEN: usize = 12;
const GCM_TAG_LEN: usize = 16;
/// Bytes of the big-endian length before the box of a hybrid.
const LENGTH_LEN: usize = 4;
/// Bytes of the AES key in a hybrid's box.
const INNER_KEY_LEN: usize = 32;
const HYBRID_HEAD_LEN: usize = LENGTH_LEN + BOX_HEAD_LEN + INNER_KEY_LEN + GCM_NONCE_LEN;

impl Format {
    /// Bytes before the ciphertext that this crate writes.
    #[must_use]
    pub fn head_len(self) -> usize {
        match self {
            Self::Box => BOX_HEAD_LEN,
            Self::Gcm => GCM_NONCE_LEN,
            Self::Hybrid => HYBRID_HEAD_LEN,
        }
    }

    /// Bytes behind the ciphertext.
    #[must_use]
    pub fn tail_len(self) -> usize {
        match self {
            Self::Box => 0,
            Self::Gcm | Self::Hybrid => GCM_TAG_LEN,
        }
    }

    /// Bytes before the ciphertext of given data. A [`Hybrid`](Self::Hybrid) states its length itself.
    ///
    /// # Errors
    /// [`Error::MalformedCiphertext`] for data shorter than the ciphertext of an empty plaintext.
    pub fn head_len_of(self, sealed: &[u8]) -> Result<usize> {
        const SHORT: Error = Error::MalformedCiphertext("it is shorter than the ciphertext of an empty plaintext");
        let head_len = match self {
            Self::Box | Self::Gcm => self.head_len(),
            Self::Hybrid => {
                let len = u32::from_be_bytes(*sealed.first_chunk().ok_or(SHORT)?);
                // The box may hold a key of another length, which this function does not read.
                usize::try_from(len).ok().and_then(|len| len.checked_add(LENGTH_LEN + GCM_NONCE_LEN)).ok_or(SHORT)?
            }
        };
        let needed = head_len.checked_add(self.tail_len()).ok_or(SHORT)?;
        if sealed.len() < needed { Err(SHORT) } else { Ok(head_len) }
    }

    /// Encrypts to a public key or under a shared key, both as Base58.
    ///
    /// # Errors
    /// As [`seal_in_place`](Self::seal_in_place).
    pub fn seal(self, key: &str, plaintext: &[u8]) -> Result<Vec<u8>> {
        let mut sealed = Vec::with_capacity(self.head_len() + plaintext.len() + self.tail_len());
        sealed.resize(self.head_len(), 0);
        sealed.extend_from_slice(plaintext);
        sealed.resize(sealed.len() + self.tail_len(), 0);
        let (head, rest) = sealed.split_at_mut(self.head_len());
        let done = self.seal_in_place(key, head, rest);
        done.inspect_err(|_| sealed.zeroize()).map(|()| sealed)
    }

    /// Decrypts with a private key or a shared key, both as Base58.
    ///
    /// # Errors
    /// As [`open_in_place`](Self::open_in_place), and as [`head_len_of`](Self::head_len_of).
    pub fn open(self, key: &str, sealed: &[u8]) -> Result<Vec<u8>> {
        let (head, rest) = sealed.split_at(self.head_len_of(sealed)?);
        let mut buffer = rest.to_vec();
        let len = self.open_in_place(key, head, &mut buffer)?;
        buffer.truncate(len);
        Ok(buffer)
    }

    /// Encrypts the bytes of `rest` before its last [`tail_len`](Self::tail_len) bytes, writes the tag there, and writes the
    /// `head`.
    ///
    /// # Errors
    /// [`Error::InvalidEncoding`], [`Error::WrongLength`] and [`Error::InvalidKey`] for the key; [`Error::NoRandomness`];
    /// [`Error::TooLong`] for more than 2^36 - 32 bytes with AES-GCM. After an error, `rest` may still hold the plaintext.
    ///
    /// # Panics
    /// When `head` or `rest` is shorter than its part.
    pub fn seal_in_place(self, key: &str, head: &mut [u8], rest: &mut [u8]) -> Result<()> {
        match self {
            Self::Box => seal_box(&BoxDraws::generate()?, &public_key(key)?, head, rest),
            Self::Gcm => seal_gcm(&gcm_key(&key_bytes(key)?)?, &random::array()?, head, rest),
            Self::Hybrid => seal_hybrid(&HybridDraws::generate()?, &public_key(key)?, head, rest),
        }
    }

    /// Decrypts `rest` in place, and returns the length of the plaintext at its beginning. The `head` has
    /// [`head_len_of`](Self::head_len_of) bytes.
    ///
    /// # Errors
    /// [`Error::NotAuthentic`] for a wrong key or byte, after which `rest` is cleared; [`Error::InvalidEncoding`],
    /// [`Error::WrongLength`] and [`Error::InvalidKey`] for the key; [`Error::MalformedCiphertext`] for data that no key can
    /// open.
    pub fn open_in_place(self, key: &str, head: &[u8], rest: &mut [u8]) -> Result<usize> {
        match self {
            Self::Box => open_box(&decryption_key(key)?, head, rest),
            Self::Gcm => open_gcm(&gcm_key(&key_bytes(key)?)?, head, rest),
            Self::Hybrid => open_hybrid(&decryption_key(key)?, head, rest),
        }
    }
}

/// The random values of a box.
struct BoxDraws {
    ephemeral: SecretKey,
    nonce: [u8; nacl::NONCE_LEN],
}

impl BoxDraws {
    fn generate() -> Result<Self> {
        Ok(Self { ephemeral: SecretKey::generate()?, nonce: random::array()? })
    }
}

struct HybridDraws {
    outer: BoxDraws,
    key: Zeroizing<[u8; INNER_KEY_LEN]>,
    nonce: [u8; GCM_NONCE_LEN],
}

impl HybridDraws {
    fn generate() -> Result<Self> {
        let mut key = Zeroizing::new([0; INNER_KEY_LEN]);
        random::fill(&mut key[..])?;
        Ok(Self { outer: BoxDraws::generate()?, key, nonce: random::array()? })
    }
}

fn seal_box(draws: &BoxDraws, recipient: &PublicKey, head: &mut [u8], plaintext: &mut [u8]) -> Result<()> {
    let key = draws.ephemeral.shared_with(&recipient.to_x25519())?;
    let (nonce, rest) = head.split_at_mut(nacl::NONCE_LEN);
    let (public, tag) = rest.split_at_mut(nacl::KEY_LEN);
    nonce.copy_from_slice(&draws.nonce);
    public.copy_from_slice(&draws.ephemeral.public_key());
    tag.copy_from_slice(&key.seal_in_place(&draws.nonce, plaintext)?);
    Ok(())
}

fn open_box(key: &SecretKey, head: &[u8], ciphertext: &mut [u8]) -> Result<usize> {
    let (nonce, rest) = head.split_at(nacl::NONCE_LEN);
    let (public, tag) = rest.split_at(nacl::KEY_LEN);
    let of_ciphertext = |error| match error {
        Error::InvalidKey(_) => Error::MalformedCiphertext("the ephemeral public key is a point of low order"),
        other => other,
    };
    let key = key.shared_with(public).map_err(of_ciphertext).inspect_err(|_| ciphertext.zeroize())?;
    key.open_in_place(nonce, ciphertext, tag.try_into().expect("yuants: a tag ends the head"))?;
    Ok(ciphertext.len())
}

/// A key of AES-GCM, whose length selects the algorithm.
fn gcm_key(bytes: &[u8]) -> Result<Aead> {
    let algorithm = match bytes.len() {
        16 => Algorithm::Aes128Gcm,
        24 => Algorithm::Aes192Gcm,
        _ => Algorithm::Aes256Gcm,
    };
    Aead::new(algorithm, bytes)
}

fn seal_gcm(key: &Aead, nonce: &[u8; GCM_NONCE_LEN], head: &mut [u8], rest: &mut [u8]) -> Result<()> {
    let (plaintext, tag) = rest.split_at_mut(rest.len() - GCM_TAG_LEN);
    head.copy_from_slice(nonce);
    tag.copy_from_slice(&key.seal_in_place(nonce, &[], plaintext)?);
    Ok(())
}

fn open_gcm(key: &Aead, head: &[u8], rest: &mut [u8]) -> Result<usize> {
    key.open_in_place(head, &[], rest)
}

fn seal_hybrid(draws: &HybridDraws, recipient: &PublicKey, head: &mut [u8], rest: &mut [u8]) -> Result<()> {
    let (outer, nonce) = head.split_at_mut(HYBRID_HEAD_LEN - GCM_NONCE_LEN);
    let (len, outer) = outer.split_at_mut(LENGTH_LEN);
    let outer_len = u32::try_from(outer.len()).expect("yuants: a box with a key is short");
    len.copy_from_slice(&outer_len.to_be_bytes());
    let (box_head, inner_key) = outer.split_at_mut(BOX_HEAD_LEN);
    inner_key.copy_from_slice(&draws.key[..]);
    seal_box(&draws.outer, recipient, box_head, inner_key).inspect_err(|_| inner_key.zeroize())?;
    seal_gcm(&gcm_key(&draws.key[..])?, &draws.nonce, nonce, rest)
}

fn open_hybrid(key: &SecretKey, head: &[u8], rest: &mut [u8]) -> Result<usize> {
    let (outer, nonce) = head.split_at(head.len() - GCM_NONCE_LEN);
    let opened = Format::Box.head_len_of(&outer[LENGTH_LEN..]).and_then(|box_head_len| {
        let (box_head, sealed_key) = outer[LENGTH_LEN..].split_at(box_head_len);
        let mut inner_key = Zeroizing::new(sealed_key.to_vec());
        open_box(key, box_head, &mut inner_key)?;
        Ok(inner_key)
    });
    let inner_key = opened.inspect_err(|_| rest.zeroize())?;
    if !matches!(inner_key.len(), 16 | 24 | 32) {
        rest.zeroize();
        return Err(Error::MalformedCiphertext("the box holds no AES key"));
    }
    open_gcm(&gcm_key(&inner_key)?, nonce, rest)
}

#[cfg(test)]
#[path = "yuants_tests.rs"]
mod tests;
