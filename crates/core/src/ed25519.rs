//! Ed25519 (RFC 8032): signatures, and the X25519 keys that some protocols derive from the same pair.
//!
//! ```
//! use sealstone::ed25519::PrivateKey;
//!
//! let key = PrivateKey::generate()?;
//! let signature = key.sign(b"attack at dawn");
//! key.public_key().verify(b"attack at dawn", &signature)?;
//! # Ok::<(), sealstone::Error>(())
//! ```
//!
//! # Security
//! A key of this module signs any message, also one that begins like the signed data of a [signature file](crate::signature)
//! (`SSHSIG`). So do not sign files with its seed: keys of [`sign`](crate::sign) do both and keep the two apart
//! (spec/signature.md section 7.6).

use crate::debug::Hex;
use crate::error::{Error, Result};
use crate::hash::Sha512;
use crate::nacl;
use crate::provider::{Ed25519, Ed25519Point};
use crate::random;
use zeroize::Zeroizing;

/// Bytes of a seed, from which a private key is derived.
pub const SEED_LEN: usize = 32;
/// Bytes of a public key.
pub const PUBLIC_KEY_LEN: usize = 32;
/// Bytes of a signature: R and S.
pub const SIGNATURE_LEN: usize = 64;

/// A private key. Zeroed on drop, and never printed.
///
/// ```
/// use sealstone::ed25519::PrivateKey;
///
/// let key = PrivateKey::from_seed(&[7; 32])?;
/// assert_eq!(PrivateKey::from_seed(&key.seed()[..])?.public_key(), key.public_key());
/// # Ok::<(), sealstone::Error>(())
/// ```
pub struct PrivateKey {
    pair: Ed25519,
    /// Kept here, since libraries return the seed only in memory that they do not zero.
    seed: Box<Zeroizing<[u8; SEED_LEN]>>,
}

debug!(PrivateKey(..));

impl PrivateKey {
    /// Generates a key.
    ///
    /// # Errors
    /// [`Error::NoRandomness`].
    pub fn generate() -> Result<Self> {
        let mut seed = Zeroizing::new([0; SEED_LEN]);
        random::fill(&mut seed[..])?;
        Self::from_seed(&seed[..])
    }

    /// Derives a key from a seed. Any 32 bytes are a seed.
    ///
    /// # Errors
    /// [`Error::WrongLength`].
    pub fn from_seed(seed: &[u8]) -> Result<Self> {
        let seed: &[u8; SEED_LEN] = exactly("the seed", seed)?;
        let pair = Ed25519::from_seed(seed);
        let mut kept = Box::new(Zeroizing::new([0; SEED_LEN]));
        kept.copy_from_slice(seed);
        Ok(Self { pair, seed: kept })
    }

    /// The seed.
    #[must_use]
    pub fn seed(&self) -> Zeroizing<[u8; SEED_LEN]> {
        (*self.seed).clone()
    }

    /// The public key.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        PublicKey::from_bytes(&self.pair.public_key()).expect("ed25519: a private key has a public one")
    }

    /// Signs a message. If others choose the message, put a prefix of your protocol before it.
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> [u8; SIGNATURE_LEN] {
        self.pair.sign(message)
    }

    /// The X25519 key of the same seed. Its public key is [`PublicKey::to_x25519`] of this key's public key.
    ///
    /// # Security
    /// This uses one key for two purposes. New protocols should use a key for each.
    #[must_use]
    pub fn to_x25519(&self) -> nacl::SecretKey {
        x25519_of_seed(&self.seed)
    }
}

/// The X25519 key of a seed, as [`PrivateKey::to_x25519`], without computing the Ed25519 key.
///
/// ```
/// use sealstone::ed25519::{PrivateKey, x25519_of_seed};
///
/// let public = PrivateKey::from_seed(&[7; 32])?.public_key();
/// assert_eq!(x25519_of_seed(&[7; 32]).public_key(), public.to_x25519());
/// # Ok::<(), sealstone::Error>(())
/// ```
#[must_use]
pub fn x25519_of_seed(seed: &[u8; SEED_LEN]) -> nacl::SecretKey {
    // RFC 8032 section 5.1.5, steps 1 and 2; X25519 clamps.
    nacl::SecretKey::from_bytes(&Sha512::of(&[seed])[..nacl::KEY_LEN]).expect("ed25519: half a hash is a key")
}

/// A public key: a point of the curve in its canonical encoding, and not of low order.
///
/// ```
/// use sealstone::ed25519::{PrivateKey, PublicKey};
///
/// let key = PrivateKey::generate()?.public_key();
/// assert_eq!(PublicKey::from_bytes(&key.to_bytes())?, key);
/// assert_eq!(PublicKey::from_bytes(&[0; 32]).unwrap_err().code(), "invalid_key");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone)]
pub struct PublicKey {
    bytes: [u8; PUBLIC_KEY_LEN],
    point: Ed25519Point,
}

debug!(|key: PublicKey| "PublicKey({})", Hex(&key.bytes));

impl PartialEq for PublicKey {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for PublicKey {}

impl PublicKey {
    /// Takes 32 bytes.
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::InvalidKey`] for bytes that are not a point, for a non-canonical encoding (RFC 8032
    /// section 5.1.3), and for a point of low order, under which signatures are meaningless.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let bytes: &[u8; PUBLIC_KEY_LEN] = exactly("the public key", bytes)?;
        let point =
            Ed25519Point::from_bytes(bytes).ok_or(Error::InvalidKey("the public key is not a point on the curve"))?;
        if point.has_low_order() {
            return Err(Error::InvalidKey("the public key is a point of low order"));
        }
        if !is_canonical(bytes) {
            return Err(Error::InvalidKey("the public key is not encoded as RFC 8032 requires"));
        }
        Ok(Self { bytes: *bytes, point })
    }

    /// The bytes of the key.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; PUBLIC_KEY_LEN] {
        self.bytes
    }

    /// Verifies a signature by the rule of spec/signature.md section 2.1: the equation without the cofactor, S below the
    /// group's order, and R in its canonical encoding and not of low order. So a second valid signature cannot be made from the
    /// first. R and the key may have a component of low order.
    ///
    /// # Errors
    /// [`Error::InvalidSignature`]; [`Error::WrongLength`] for a signature that is not 64 bytes.
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> Result<()> {
        let signature: &[u8; SIGNATURE_LEN] = exactly("the signature", signature)?;
        // Libraries compare the bytes of R, but accept an R of low order, with which a signature proves little.
        let has_low_order = || Ed25519Point::encodings_of_low_order().iter().any(|point| signature.starts_with(point));
        if Ed25519::verify(&self.bytes, message, signature) && !has_low_order() {
            return Ok(());
        }
        Err(Error::InvalidSignature("it is damaged, or belongs to another key or message"))
    }

    /// As [`verify`](Self::verify), but also accepts an S that is not below the group's order, as software from before RFC 8032
    /// does. Anyone can make more valid signatures from such a signature.
    ///
    /// # Errors
    /// As [`verify`](Self::verify).
    ///
    /// # Security
    /// Use it only for existing signatures, and never use a signature as the identifier of a record.
    pub fn verify_malleable(&self, message: &[u8], signature: &[u8]) -> Result<()> {
        let mut reduced: [u8; SIGNATURE_LEN] = *exactly("the signature", signature)?;
        let s = reduced.last_chunk_mut().expect("ed25519: S is the second half");
        *s = Ed25519Point::reduce(*s);
        self.verify(message, &reduced)
    }

    /// The X25519 public key: the same point, on the Montgomery form of the curve.
    #[must_use]
    pub fn to_x25519(&self) -> [u8; nacl::KEY_LEN] {
        self.point.to_x25519()
    }
}

/// Whether y, the low 255 bits, is below 2^255 - 19. A wrong sign of x = 0 needs no check: these points have low order.
fn is_canonical(bytes: &[u8; PUBLIC_KEY_LEN]) -> bool {
    let [first, middle @ .., last] = bytes;
    *first < 0xed || *last & 0x7f != 0x7f || middle.iter().any(|byte| *byte != 0xff)
}

fn exactly<'a, const N: usize>(what: &'static str, bytes: &'a [u8]) -> Result<&'a [u8; N]> {
    bytes.try_into().map_err(|_| Error::WrongLength { what, expected: N, actual: bytes.len() })
}
