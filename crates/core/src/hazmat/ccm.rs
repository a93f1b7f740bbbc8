//! AES-CCM (SP 800-38C, RFC 3610), for protocols that use it, with all lengths of nonces and tags. CCM with SM4 is
//! [`aead::Algorithm::Sm4Ccm`](crate::aead::Algorithm::Sm4Ccm).
//!
//! ```
//! use sealstone::hazmat::ccm::{Algorithm, Ccm};
//!
//! // The lengths of Bluetooth.
//! let key = Ccm::new(Algorithm::Aes128Ccm, &[7; 16], 4)?;
//! let sealed = key.seal(&[1; 13], b"header", b"attack at dawn")?;
//! assert_eq!(sealed.len(), 14 + 4);
//! assert_eq!(key.open(&[1; 13], b"header", &sealed)?, b"attack at dawn");
//! # Ok::<(), sealstone::Error>(())
//! ```
//!
//! # Security
//! Never use a nonce twice under one key. A tag of n bytes lets one forgery in 256^n through: four bytes are few. CCM encrypts
//! twice for each block, and not in parallel; in new designs use an [`Aead`](crate::aead::Aead).

use crate::error::{Error, Lengths, Result};
use crate::provider::{self, AesMode};
use crate::random;
use zeroize::{Zeroize, Zeroizing};

const BLOCK_LEN: usize = 16;
/// Bytes of data that go through the CBC-MAC at once.
const PIECE_LEN: usize = 1024;
const NONCE_LENS: Lengths = Lengths::from_to(7, 13);
const TAG_LENS: Lengths = Lengths { multiple_of: 2, ..Lengths::from_to(4, 16) };

/// AES-CCM with keys of one length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// `aes-128-ccm`.
    Aes128Ccm,
    /// `aes-192-ccm`.
    Aes192Ccm,
    /// `aes-256-ccm`.
    Aes256Ccm,
}

named_enum!(Algorithm {
    Aes128Ccm = "aes-128-ccm",
    Aes192Ccm = "aes-192-ccm",
    Aes256Ccm = "aes-256-ccm",
});

impl Algorithm {
    /// Bytes of a key.
    ///
    /// ```
    /// use sealstone::hazmat::ccm::Algorithm;
    ///
    /// assert_eq!("aes-192-ccm".parse::<Algorithm>()?.key_len(), 24);
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    #[must_use]
    pub fn key_len(self) -> usize {
        match self {
            Self::Aes128Ccm => 16,
            Self::Aes192Ccm => 24,
            Self::Aes256Ccm => 32,
        }
    }

    /// A new key from the system's generator.
    ///
    /// # Errors
    /// [`Error::NoRandomness`].
    pub fn generate_key(self) -> Result<Zeroizing<Vec<u8>>> {
        random::key(self.key_len())
    }
}

/// A key with its schedules and its length of tags. Threads can share it. Zeroed on drop.
///
/// # Security
/// Never use a nonce twice under one key; see the [module](self).
///
/// # Examples
/// ```
/// use sealstone::hazmat::ccm::{Algorithm, Ccm};
///
/// let key = Ccm::new(Algorithm::Aes256Ccm, &[7; 32], 16)?;
/// let mut sealed = key.seal(&[1; 12], b"", b"attack at dawn")?;
/// sealed[0] ^= 1;
/// assert_eq!(key.open(&[1; 12], b"", &sealed).unwrap_err().code(), "not_authentic");
/// # Ok::<(), sealstone::Error>(())
/// ```
pub struct Ccm {
    algorithm: Algorithm,
    tag_len: usize,
    chain: Box<provider::Aes>,
    counter: Box<provider::Aes>,
}

impl Ccm {
    /// Takes a key of [`Algorithm::key_len`] bytes, for tags of 4, 6, 8, 10, 12, 14 or 16 bytes.
    ///
    /// # Errors
    /// [`Error::WrongLength`] for the key; [`Error::OtherLength`] for the tag.
    pub fn new(algorithm: Algorithm, key: &[u8], tag_len: usize) -> Result<Self> {
        Lengths::exactly(algorithm.key_len()).check("the key", key.len())?;
        TAG_LENS.check("the tag", tag_len)?;
        let schedule = |mode| Box::new(provider::Aes::new(mode, key));
        Ok(Self { algorithm, tag_len, chain: schedule(AesMode::Cbc), counter: schedule(AesMode::Ctr) })
    }

    /// The algorithm of this key.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Bytes of a tag.
    #[must_use]
    pub fn tag_len(&self) -> usize {
        self.tag_len
    }

    /// Seals `plaintext` under a nonce of 7 to 13 bytes: returns the ciphertext followed by the tag.
    ///
    /// # Errors
    /// [`Error::OtherLength`] for the nonce; [`Error::TooLong`] for a plaintext whose length does not fit in the 15 bytes less
    /// the nonce: at most 65,535 bytes with a nonce of 13 bytes, 2^24 - 1 with 12.
    pub fn seal(&self, nonce: &[u8], aad: &[u8], plaintext: &[u8]) -> Result<Vec<u8>> {
        NONCE_LENS.check("the nonce", nonce.len())?;
        if !fits(plaintext.len(), nonce) {
            return Err(Error::TooLong);
        }
        let mut sealed = Vec::with_capacity(plaintext.len() + self.tag_len);
        sealed.extend_from_slice(plaintext);
        let mut tag = self.mac(nonce, aad, plaintext);
        self.add_keystream(nonce, &mut tag, &mut sealed);
        sealed.extend_from_slice(&tag[..self.tag_len]);
        Ok(sealed)
    }

    /// Opens what [`seal`](Self::seal) returned.
    ///
    /// # Errors
    /// [`Error::NotAuthentic`] for a wrong key, nonce, `aad`, length of tags or byte, for input longer than can be sealed, and,
    /// with a nonce of any length, for input shorter than a tag; no plaintext is released. [`Error::OtherLength`] for a nonce
    /// that is not 7 to 13 bytes.
    pub fn open(&self, nonce: &[u8], aad: &[u8], sealed: &[u8]) -> Result<Vec<u8>> {
        let not_authentic = Error::NotAuthentic { chunk: None };
        let Some((ciphertext, tag)) = sealed.len().checked_sub(self.tag_len).map(|len| sealed.split_at(len)) else {
            return Err(not_authentic);
        };
        NONCE_LENS.check("the nonce", nonce.len())?;
        if !fits(ciphertext.len(), nonce) {
            return Err(not_authentic);
        }
        let mut plaintext = ciphertext.to_vec();
        // First the mask of the tag, then the tag.
        let mut expected = Zeroizing::new([0; BLOCK_LEN]);
        self.add_keystream(nonce, &mut expected, &mut plaintext);
        let mac = self.mac(nonce, aad, &plaintext);
        expected.iter_mut().zip(&*mac).for_each(|(byte, mac)| *byte ^= mac);
        if provider::equal(&expected[..self.tag_len], tag) {
            return Ok(plaintext);
        }
        plaintext.zeroize();
        Err(not_authentic)
    }

    /// Adds the keystream: counter 0 to the tag, the counters from 1 on to the data (SP 800-38C appendix A.3). Counters do not
    /// overflow into the nonce, since the length fits.
    fn add_keystream(&self, nonce: &[u8], tag: &mut [u8; BLOCK_LEN], data: &mut [u8]) {
        let mut first = [0; BLOCK_LEN];
        first[0] = counter_len(nonce) - 1;
        first[1..=nonce.len()].copy_from_slice(nonce);
        self.counter.encrypt(&first, tag);
        first[BLOCK_LEN - 1] = 1;
        self.counter.encrypt(&first, data);
    }

    /// CBC-MAC over the formatted input (SP 800-38C appendix A.2).
    fn mac(&self, nonce: &[u8], aad: &[u8], plaintext: &[u8]) -> Zeroizing<[u8; BLOCK_LEN]> {
        // The last bytes hold the length, which fits, so the nonce overwrites only zeros before them.
        let mut head = (plaintext.len() as u128).to_be_bytes().to_vec();
        let tag_bits = u8::try_from((self.tag_len - 2) / 2).expect("ccm: a tag has at most 16 bytes") << 3;
        head[0] = u8::from(!aad.is_empty()) << 6 | tag_bits | (counter_len(nonce) - 1);
        head[1..=nonce.len()].copy_from_slice(nonce);
        match aad.len() as u64 {
            0 => {}
            len @ ..0xff00 => head.extend_from_slice(&len.to_be_bytes()[6..]),
            len @ ..0x1_0000_0000 => head.extend([0xff, 0xfe].iter().chain(&len.to_be_bytes()[4..])),
            len => head.extend([0xff, 0xff].iter().chain(&len.to_be_bytes())),
        }
        // The associated data begins in the head's last block.
        let (begins, rest) = aad.split_at(aad.len().min(head.len().next_multiple_of(BLOCK_LEN) - head.len()));
        head.extend_from_slice(begins);
        let mut mac = Zeroizing::new([0; BLOCK_LEN]);
        let mut piece = Zeroizing::new([0; PIECE_LEN]);
        for input in [&head, rest, plaintext] {
            for part in input.chunks(PIECE_LEN) {
                let blocks = &mut piece[..part.len().next_multiple_of(BLOCK_LEN)];
                blocks[..part.len()].copy_from_slice(part);
                blocks[part.len()..].fill(0);
                self.chain.encrypt(&mac, blocks);
                mac.copy_from_slice(&blocks[blocks.len() - BLOCK_LEN..]);
            }
        }
        mac
    }
}

debug!(Ccm { algorithm });

/// Bytes of the data's length, and of the counter (`q` in the standard): 2 to 8.
fn counter_len(nonce: &[u8]) -> u8 {
    u8::try_from(BLOCK_LEN - 1 - nonce.len()).expect("ccm: the nonce has at most 13 bytes")
}

fn fits(len: usize, nonce: &[u8]) -> bool {
    (len as u128) < 1 << (8 * counter_len(nonce))
}
