//! Message authentication codes: HMAC (RFC 2104, FIPS 198-1) over every hash but SHAKE, keyed `BLAKE2b` (RFC 7693) and BLAKE3,
//! AES-CMAC (SP 800-38B, RFC 4493) and KMAC256 (SP 800-185).
//!
//! The same key makes and checks tags. So a tag shows that a message is unchanged and comes from a holder of the key. It does
//! not show which holder made it, or when.
//!
//! ```
//! use sealstone::mac::{Algorithm, Mac};
//!
//! // The key is read once, for many messages.
//! let key = Mac::new("hmac-sha256".parse::<Algorithm>()?, b"a secret that both sides have")?;
//! let tag = key.sign(b"order=17&state=paid");
//! key.verify(b"order=17&state=paid", tag.as_bytes())?;
//! assert_eq!(key.verify(b"order=18&state=paid", tag.as_bytes()).unwrap_err().code(), "not_authentic");
//! # Ok::<(), sealstone::Error>(())
//! ```
//!
//! # Security
//! Check a tag with [`Mac::verify`] and never with `==` of bytes, whose time reveals how much of a forged tag is right. A key
//! must be random, or derived with [`kdf`](crate::kdf); a password is no key. A tag does not state its purpose: put the purpose
//! into the message, or use a key for each purpose.

use crate::error::{Error, Lengths, Result};
use crate::hash;
use crate::provider::mac::{self as provider, Hash};
use crate::random;
use zeroize::{Zeroize, Zeroizing};

/// Bytes of the longest tag.
const LONGEST: usize = 64;
/// Bytes of the shortest tag that is made or compared.
const SHORTEST: usize = 8;

macro_rules! algorithms {
    (hmac { $($(#[cfg($cfg:meta)])? $hmac:ident = $hmac_name:literal, $hash:ident;)+ } others { $($(#[$doc:meta])* $other:ident = $name:literal;)+ }) => {
        /// A message authentication code.
        ///
        /// ```
        /// use sealstone::mac::Algorithm;
        ///
        /// assert_eq!(Algorithm::HmacSha384.tag_len(), 48);
        /// assert_eq!("aes-128-cmac".parse::<Algorithm>()?.key_len(), Some(16));
        /// # Ok::<(), sealstone::Error>(())
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Algorithm {
            $($(#[cfg($cfg)])? #[doc = concat!("`", $hmac_name, "`.")] $hmac,)+
            $(#[doc = concat!("`", $name, "`.")] $(#[$doc])* $other,)+
        }

        named_enum!(Algorithm { $($(#[cfg($cfg)])? $hmac = $hmac_name,)+ $($other = $name,)+ });

        impl Algorithm {
            /// The hash of an HMAC.
            #[must_use]
            pub fn hash(self) -> Option<hash::Algorithm> {
                match self {
                    $($(#[cfg($cfg)])? Self::$hmac => Some(hash::Algorithm::$hash),)+
                    $(Self::$other => None,)+
                }
            }
        }

        /// HMAC over `hash`, with a key of any length.
        ///
        /// # Errors
        /// [`Error::UnknownAlgorithm`] for a hash over which HMAC is not defined.
        pub(crate) fn hmac(hash: hash::Algorithm, key: &[u8]) -> Result<Box<dyn HmacState>> {
            Ok(match hash {
                $($(#[cfg($cfg)])? hash::Algorithm::$hash => Box::new(Hmac::<provider::hash::$hash>::new(key)),)+
                _ => return Err(Error::unknown_algorithm(hash.name(), named_enum!(@list $($(#[cfg($cfg)])? $hmac_name,)+))),
            })
        }

        /// The bare hash, for derivations that do not use HMAC.
        ///
        /// # Errors
        /// As [`hmac`].
        pub(crate) fn digest(hash: hash::Algorithm) -> Result<Box<dyn MacState>> {
            Ok(match hash {
                $($(#[cfg($cfg)])? hash::Algorithm::$hash => Box::new(Plain(<provider::hash::$hash as Hash>::new())),)+
                _ => return Err(Error::unknown_algorithm(hash.name(), named_enum!(@list $($(#[cfg($cfg)])? $hmac_name,)+))),
            })
        }
    };
}

algorithms! {
    hmac {
        #[cfg(feature = "legacy")]
        HmacMd5 = "hmac-md5", Md5;
        HmacSha1 = "hmac-sha1", Sha1;
        #[cfg(feature = "legacy")]
        HmacRipemd160 = "hmac-ripemd160", Ripemd160;
        HmacSha224 = "hmac-sha224", Sha224;
        HmacSha256 = "hmac-sha256", Sha256;
        HmacSha384 = "hmac-sha384", Sha384;
        HmacSha512 = "hmac-sha512", Sha512;
        HmacSha512_256 = "hmac-sha512-256", Sha512_256;
        HmacSha3_224 = "hmac-sha3-224", Sha3_224;
        HmacSha3_256 = "hmac-sha3-256", Sha3_256;
        HmacSha3_384 = "hmac-sha3-384", Sha3_384;
        HmacSha3_512 = "hmac-sha3-512", Sha3_512;
        HmacKeccak224 = "hmac-keccak-224", Keccak224;
        HmacKeccak256 = "hmac-keccak-256", Keccak256;
        HmacKeccak384 = "hmac-keccak-384", Keccak384;
        HmacKeccak512 = "hmac-keccak-512", Keccak512;
        HmacBlake2b = "hmac-blake2b", Blake2b;
        HmacBlake2s = "hmac-blake2s", Blake2s;
        HmacBlake3 = "hmac-blake3", Blake3;
        HmacSm3 = "hmac-sm3", Sm3;
    }
    others {
        /// `BLAKE2b`'s own mode with a key of 1 to 64 bytes and 512 bits of output (RFC 7693).
        Blake2bKeyed = "blake2b-keyed";
        /// BLAKE3's own mode with a key of 32 bytes.
        Blake3Keyed = "blake3-keyed";
        /// With tags of 16 bytes (SP 800-38B, RFC 4493).
        Aes128Cmac = "aes-128-cmac";
        /// With tags of 16 bytes.
        Aes192Cmac = "aes-192-cmac";
        /// With tags of 16 bytes.
        Aes256Cmac = "aes-256-cmac";
        /// With tags of 64 bytes (SP 800-185). [`Mac::kmac256`] takes a customization string and other lengths.
        Kmac256 = "kmac256";
    }
}

impl Algorithm {
    /// Bytes of a whole tag.
    #[must_use]
    pub fn tag_len(self) -> usize {
        match (self.hash(), self) {
            (Some(hash), _) => hash.digest_len(),
            (None, Self::Blake3Keyed) => 32,
            (None, Self::Aes128Cmac | Self::Aes192Cmac | Self::Aes256Cmac) => 16,
            (None, _) => LONGEST,
        }
    }

    /// Bytes of a key, if the algorithm has keys of one length only.
    #[must_use]
    pub fn key_len(self) -> Option<usize> {
        match self {
            Self::Aes128Cmac => Some(16),
            Self::Aes192Cmac => Some(24),
            Self::Aes256Cmac | Self::Blake3Keyed => Some(32),
            _ => None,
        }
    }

    /// A random key: of [`key_len`](Self::key_len) bytes, or otherwise as long as a tag, which RFC 2104 recommends.
    ///
    /// ```
    /// use sealstone::mac::{Algorithm, Mac};
    ///
    /// let key = Algorithm::HmacSha256.generate_key()?;
    /// assert_eq!(key.len(), 32);
    /// Mac::new(Algorithm::HmacSha256, &key)?;
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoRandomness`].
    pub fn generate_key(self) -> Result<Zeroizing<Vec<u8>>> {
        let mut key = Zeroizing::new(vec![0; self.key_len().unwrap_or(self.tag_len())]);
        random::fill(&mut key)?;
        Ok(key)
    }
}

/// A key of a MAC, read once for many messages; for HMAC, the two states after its key. Threads can share it. Zeroed on drop,
/// and never printed.
///
/// ```
/// use sealstone::mac::{Algorithm, Mac};
///
/// let key = Mac::new(Algorithm::Kmac256, &[7; 32])?;
/// // A message in pieces.
/// let mut signer = key.signer();
/// signer.update(b"attack ");
/// signer.update(b"at dawn");
/// assert_eq!(signer.finish(), key.sign(b"attack at dawn"));
/// # Ok::<(), sealstone::Error>(())
/// ```
pub struct Mac {
    algorithm: Algorithm,
    start: Signer,
}

debug!(Mac { algorithm });

impl Mac {
    /// Reads a key of [`Algorithm::key_len`] bytes. Without a fixed length, the key has 1 to 64 bytes for `blake2b-keyed`, and
    /// any length but 0 for the other algorithms.
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::OtherLength`].
    ///
    /// # Security
    /// HMAC and KMAC accept short keys, as their standards do, and a short key can be found by trying all keys. Use
    /// [`Algorithm::generate_key`].
    pub fn new(algorithm: Algorithm, key: &[u8]) -> Result<Self> {
        let lengths = match algorithm.key_len() {
            Some(len) => Lengths::exactly(len),
            None if algorithm == Algorithm::Blake2bKeyed => Lengths::from_to(1, 64),
            None => Lengths::at_least(1),
        };
        lengths.check("the key", key.len())?;
        let state: Box<dyn MacState> = match algorithm {
            Algorithm::Blake2bKeyed => Box::new(provider::KeyedBlake2b::new(key)),
            Algorithm::Blake3Keyed => {
                Box::new(provider::Blake3::keyed(key.try_into().expect("mac: the length was checked")))
            }
            Algorithm::Aes128Cmac => Box::new(provider::Aes128Cmac::new(key)),
            Algorithm::Aes192Cmac => Box::new(provider::Aes192Cmac::new(key)),
            Algorithm::Aes256Cmac => Box::new(provider::Aes256Cmac::new(key)),
            Algorithm::Kmac256 => return Self::kmac256(key, b"", LONGEST),
            _ => hmac(algorithm.hash().expect("mac: all others are HMAC"), key)?,
        };
        Ok(Self { algorithm, start: Signer { tag_len: algorithm.tag_len(), state } })
    }

    /// KMAC256 with a customization string, which separates one use of a key from all others, and tags of `tag_len` bytes. The
    /// tag depends on its length: the first half of a long tag is not the short tag.
    ///
    /// ```
    /// use sealstone::mac::Mac;
    ///
    /// let key = Mac::kmac256(&[7; 32], b"invoices", 32)?;
    /// assert_eq!(key.sign(b"17").as_bytes().len(), 32);
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OtherLength`] for an empty key, and for a tag of less than 8 or more than 64 bytes.
    pub fn kmac256(key: &[u8], customization: &[u8], tag_len: usize) -> Result<Self> {
        Lengths::at_least(1).check("the key", key.len())?;
        Lengths::from_to(SHORTEST, LONGEST).check("the tag", tag_len)?;
        let state = Box::new(provider::Kmac256::new(key, customization));
        Ok(Self { algorithm: Algorithm::Kmac256, start: Signer { tag_len, state } })
    }

    /// The algorithm of this key.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Bytes of a whole tag.
    #[must_use]
    pub fn tag_len(&self) -> usize {
        self.start.tag_len
    }

    /// Computes the tag of a message.
    #[must_use]
    pub fn sign(&self, data: &[u8]) -> Tag {
        let mut tag = Tag { bytes: [0; LONGEST], len: self.tag_len() };
        self.start.state.sign(&[data], tag.as_mut_bytes());
        tag
    }

    /// Checks the tag of a message, in constant time.
    ///
    /// # Errors
    /// [`Error::NotAuthentic`]; [`Error::WrongLength`] for a tag that is not [`tag_len`](Mac::tag_len) bytes.
    pub fn verify(&self, data: &[u8], tag: &[u8]) -> Result<()> {
        Lengths::exactly(self.tag_len()).check("the tag", tag.len())?;
        self.sign(data).check(tag)
    }

    /// As [`verify`](Self::verify), for protocols that send only the first bytes of a tag, at least 8.
    ///
    /// ```
    /// use sealstone::mac::{Algorithm, Mac};
    ///
    /// let key = Mac::new(Algorithm::HmacSha256, &[7; 32])?;
    /// let tag = key.sign(b"attack at dawn");
    /// key.verify_truncated(b"attack at dawn", &tag.as_bytes()[..16])?;
    /// assert_eq!(key.verify(b"attack at dawn", &tag.as_bytes()[..16]).unwrap_err().code(), "wrong_length");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotAuthentic`]; [`Error::OtherLength`] for fewer than 8 bytes, or more than a tag has.
    ///
    /// # Security
    /// Check before that the tag has the length of your protocol: otherwise a forger sends the shortest tag that is accepted.
    pub fn verify_truncated(&self, data: &[u8], tag: &[u8]) -> Result<()> {
        truncated_lens(self.tag_len()).check("the tag", tag.len())?;
        self.sign(data).check(tag)
    }

    /// Begins a tag over a message that comes in pieces.
    #[must_use]
    pub fn signer(&self) -> Signer {
        self.start.clone()
    }
}

/// Computes a tag of data that comes in pieces of any length. A clone continues independently. Zeroed on drop.
///
/// ```
/// use sealstone::mac::{Algorithm, Mac};
///
/// let key = Mac::new(Algorithm::Blake3Keyed, &[7; 32])?;
/// let mut signer = key.signer();
/// signer.update(b"attack at dawn");
/// signer.clone().verify(key.sign(b"attack at dawn").as_bytes())?;
/// signer.update(b"!");
/// assert_eq!(signer.finish(), key.sign(b"attack at dawn!"));
/// # Ok::<(), sealstone::Error>(())
/// ```
pub struct Signer {
    tag_len: usize,
    state: Box<dyn MacState>,
}

impl Clone for Signer {
    fn clone(&self) -> Self {
        Self { tag_len: self.tag_len, state: self.state.copy() }
    }
}

debug!(Signer(..));

impl Signer {
    /// Takes the next bytes.
    pub fn update(&mut self, data: &[u8]) {
        self.state.update(data);
    }

    /// The tag of all bytes so far.
    #[must_use]
    pub fn finish(self) -> Tag {
        let mut tag = Tag { bytes: [0; LONGEST], len: self.tag_len };
        self.state.finish(tag.as_mut_bytes());
        tag
    }

    /// Checks the tag of all bytes so far, as [`Mac::verify`].
    ///
    /// # Errors
    /// [`Error::NotAuthentic`]; [`Error::WrongLength`] for a tag that is not [`tag_len`](Mac::tag_len) bytes.
    pub fn verify(self, tag: &[u8]) -> Result<()> {
        Lengths::exactly(self.tag_len).check("the tag", tag.len())?;
        self.finish().check(tag)
    }

    /// As [`Mac::verify_truncated`].
    ///
    /// # Errors
    /// [`Error::NotAuthentic`]; [`Error::OtherLength`] for fewer than 8 bytes, or more than a tag has.
    pub fn verify_truncated(self, tag: &[u8]) -> Result<()> {
        truncated_lens(self.tag_len).check("the tag", tag.len())?;
        self.finish().check(tag)
    }
}

/// A tag, which is compared in constant time. Zeroed on drop, and never printed: the right tag for a forged message is a
/// secret.
#[derive(Clone)]
pub struct Tag {
    bytes: [u8; LONGEST],
    len: usize,
}

impl Tag {
    /// The bytes of the tag, [`Mac::tag_len`] of them.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    fn as_mut_bytes(&mut self) -> &mut [u8] {
        &mut self.bytes[..self.len]
    }

    /// Compares the first bytes with `tag`, which may be truncated.
    fn check(&self, tag: &[u8]) -> Result<()> {
        if equal(&self.bytes[..tag.len()], tag) { Ok(()) } else { Err(Error::NotAuthentic { chunk: None }) }
    }
}

impl AsRef<[u8]> for Tag {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl PartialEq for Tag {
    fn eq(&self, other: &Self) -> bool {
        equal(self.as_bytes(), other.as_bytes())
    }
}

impl Eq for Tag {}

impl Drop for Tag {
    fn drop(&mut self) {
        self.bytes.zeroize();
    }
}

debug!(Tag(..));

/// Compares two values in constant time. Values of different lengths are unequal.
///
/// ```
/// use sealstone::mac::equal;
///
/// assert!(equal(b"token", b"token"));
/// assert!(!equal(b"token", b"tokens"));
/// ```
#[must_use]
pub fn equal(a: &[u8], b: &[u8]) -> bool {
    crate::provider::equal(a, b)
}

/// The allowed lengths of a truncated tag.
fn truncated_lens(tag_len: usize) -> Lengths {
    Lengths::from_to(SHORTEST, tag_len)
}

/// The state of a MAC.
pub(crate) trait MacState: Send + Sync {
    fn update(&mut self, data: &[u8]);

    fn finish(self: Box<Self>, tag: &mut [u8]);

    /// Computes the tag of the data so far and `parts`, without a copy of the state on the heap.
    fn sign(&self, parts: &[&[u8]], tag: &mut [u8]);

    fn copy(&self) -> Box<dyn MacState>;
}

/// The state of an HMAC, which can also derive keys.
pub(crate) trait HmacState: MacState {
    /// Bytes of a tag.
    fn len(&self) -> usize;

    /// The iterations of PBKDF2: `times` times, replaces `last` by its HMAC, and adds that to `sum`.
    fn iterate(&self, last: &mut [u8], sum: &mut [u8], times: u32);
}

/// HMAC over any hash: the states of the inner and outer hash after a block of the key. Zeroed on drop, with every intermediate
/// state.
#[derive(Clone)]
pub(crate) struct Hmac<H> {
    inner: H,
    outer: H,
}

pub(crate) type HmacSha256 = Hmac<provider::hash::Sha256>;
pub(crate) type HmacSha512 = Hmac<provider::hash::Sha512>;
pub(crate) type HmacSm3 = Hmac<provider::hash::Sm3>;

impl<H: Hash> Hmac<H> {
    pub(crate) fn new(key: &[u8]) -> Self {
        // The longest block of any hash is SHA3-224's.
        let mut block = Zeroizing::new([0; 144]);
        let block = &mut block[..H::BLOCK_LEN];
        if key.len() > H::BLOCK_LEN {
            let mut hash = H::new();
            hash.update(key);
            let digest = Zeroizing::new(hash.finish());
            let digest = (*digest).as_ref();
            block[..digest.len()].copy_from_slice(digest);
        } else {
            block[..key.len()].copy_from_slice(key);
        }
        // ipad and opad of RFC 2104 section 2.
        let mut begin = |pad: u8| {
            for byte in &mut *block {
                *byte ^= pad;
            }
            let mut hash = H::new();
            hash.update(block);
            hash
        };
        Self { inner: begin(0x36), outer: begin(0x36 ^ 0x5c) }
    }

    /// The MAC of the concatenation of `parts`.
    pub(crate) fn sign<'a>(&self, parts: impl IntoIterator<Item = &'a [u8]>) -> H::Digest {
        let (mut inner, mut outer) = (self.inner.clone(), self.outer.clone());
        for part in parts {
            inner.update(part);
        }
        outer.update((*Zeroizing::new(inner.finish())).as_ref());
        outer.finish()
    }
}

impl<H: Hash + Send + Sync + 'static> MacState for Hmac<H> {
    fn update(&mut self, data: &[u8]) {
        self.inner.update(data);
    }

    fn finish(self: Box<Self>, tag: &mut [u8]) {
        MacState::sign(&*self, &[], tag);
    }

    fn sign(&self, parts: &[&[u8]], tag: &mut [u8]) {
        tag.copy_from_slice((*Zeroizing::new(self.sign(parts.iter().copied()))).as_ref());
    }

    fn copy(&self) -> Box<dyn MacState> {
        Box::new(self.clone())
    }
}

impl<H: Hash + Send + Sync + 'static> HmacState for Hmac<H> {
    fn len(&self) -> usize {
        H::LEN
    }

    fn iterate(&self, last: &mut [u8], sum: &mut [u8], times: u32) {
        H::iterate(&self.inner, &self.outer, last, sum, times);
    }
}

/// A hash of secrets, without a key.
#[derive(Clone)]
struct Plain<H>(H);

impl<H: Hash + Send + Sync + 'static> MacState for Plain<H> {
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    fn finish(self: Box<Self>, out: &mut [u8]) {
        // On a copy: a state that is moved out of its box leaves its bytes there.
        self.sign(&[], out);
    }

    fn sign(&self, parts: &[&[u8]], out: &mut [u8]) {
        let mut state = self.clone();
        for part in parts {
            state.update(part);
        }
        out.copy_from_slice((*Zeroizing::new(state.0.finish())).as_ref());
    }

    fn copy(&self) -> Box<dyn MacState> {
        Box::new(self.clone())
    }
}

macro_rules! mac_states {
    ($($type:ident)+) => {$(
        impl MacState for provider::$type {
            fn update(&mut self, data: &[u8]) {
                self.update(data);
            }

            fn finish(self: Box<Self>, tag: &mut [u8]) {
                // On a copy: a state that is moved out of its box leaves its bytes there.
                self.sign(&[], tag);
            }

            fn sign(&self, parts: &[&[u8]], tag: &mut [u8]) {
                let mut state = self.clone();
                for part in parts {
                    state.update(part);
                }
                state.finish(tag);
            }

            fn copy(&self) -> Box<dyn MacState> {
                Box::new(self.clone())
            }
        }
    )+};
}

mac_states! { KeyedBlake2b Blake3 Aes128Cmac Aes192Cmac Aes256Cmac Kmac256 }

#[cfg(test)]
#[path = "mac_tests.rs"]
mod tests;
