//! Hash functions: SHA-2 (FIPS 180-4), SHA-3 and SHAKE (FIPS 202), BLAKE2 (RFC 7693), BLAKE3, SM3 (GB/T 32905), and for other
//! software's data MD5 (RFC 1321), SHA-1, RIPEMD-160 and Keccak. They take bytes in memory and in pieces;
//! [`FileHasher`](crate::FileHasher) takes files.
//!
//! ```
//! use sealstone::hash::{Algorithm, Hasher, hash};
//! use sealstone::{FileHasher, Input};
//!
//! let digest = hash(Algorithm::Sha256, b"attack at dawn");
//! assert_eq!(digest.as_bytes().len(), Algorithm::Sha256.digest_len());
//! assert!(digest.to_string().starts_with("d502810c"));
//! // For a file, use `Input::open` instead of `Input::reader`; BLAKE3 then runs on all cores.
//! let hasher = FileHasher::new(Hasher::new(Algorithm::Blake3));
//! let of_input = hasher.run(Input::reader(&b"attack at dawn"[..]))?;
//! assert_eq!(of_input, hash(Algorithm::Blake3, b"attack at dawn"));
//! # Ok::<(), sealstone::Error>(())
//! ```
//!
//! # Security
//! A digest from a trusted source shows that data is unchanged. It does not prove who made the data. Do not use these functions
//! for passwords.
//!
//! MD5 and SHA-1 are broken ([`Algorithm::is_broken`]): anyone can make two files with the same digest. No function has a table
//! look-up or a branch that depends on the data.

pub(crate) mod tree;

use crate::error::{Lengths, Result};
use crate::provider::{
    Blake2b512 as Blake2b, Blake2s256 as Blake2s, Blake3, Keccak224, Keccak256, Keccak384, Keccak512, Sha1, Sha3_224,
    Sha3_256, Sha3_384, Sha3_512, Sha224, Sha384, Sha512_256, Shake128, Shake256,
};
#[cfg(feature = "legacy")]
use crate::provider::{Md5, Ripemd160};
pub(crate) use crate::provider::{Sha256, Sha512, Sm3};
use std::fmt;

macro_rules! algorithms {
    ($($(#[doc = $doc:literal])* $(#[cfg($cfg:meta)])? $variant:ident = $name:literal, $len:literal, $spellings:expr $(, $extends:ident)?;)+) => {
        /// A hash function.
        ///
        /// ```
        /// use sealstone::hash::Algorithm;
        ///
        /// let algorithm: Algorithm = "sm3".parse()?;
        /// assert_eq!((algorithm, algorithm.digest_len()), (Algorithm::Sm3, 32));
        /// # Ok::<(), sealstone::Error>(())
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Algorithm {
            $($(#[cfg($cfg)])? #[doc = concat!("`", $name, "`.")] $(#[doc = $doc])* $variant,)+
        }

        impl Algorithm {
            /// Bytes of a digest of the default length.
            #[must_use]
            pub fn digest_len(self) -> usize {
                match self { $($(#[cfg($cfg)])? Self::$variant => $len,)+ }
            }

            /// The names that other software has for it. The first one is the tag in lists of digests, as coreutils write them.
            ///
            /// ```
            /// use sealstone::hash::Algorithm;
            ///
            /// assert_eq!(Algorithm::Sha256.spellings()[0], "SHA256");
            /// assert!(Algorithm::Sha256.spellings().contains(&"SHA-256"));
            /// ```
            #[must_use]
            pub fn spellings(self) -> &'static [&'static str] {
                match self { $($(#[cfg($cfg)])? Self::$variant => &$spellings,)+ }
            }
        }

        named_enum!(Algorithm { $($(#[cfg($cfg)])? $variant = $name,)+ });

        /// Computes the digest of bytes in memory.
        ///
        /// ```
        /// use sealstone::hash::{Algorithm, hash};
        ///
        /// let digest = hash(Algorithm::Sm3, b"abc");
        /// assert_eq!(digest.to_string(), "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0");
        /// ```
        #[must_use]
        pub fn hash(algorithm: Algorithm, data: &[u8]) -> Digest {
            let mut digest = Digest::zero(algorithm);
            digest_into(algorithm, data, digest.as_mut());
            digest
        }

        /// Computes a digest into `out`, which has its length: for an input of 64 bytes, a copy of the digest would take a
        /// tenth of the time.
        fn digest_into(algorithm: Algorithm, data: &[u8], out: &mut [u8]) {
            match algorithm {
                $($(#[cfg($cfg)])? Algorithm::$variant => {
                    $variant::digest_into(data, out.try_into().expect("hash: the length was checked"));
                })+
            }
        }

        /// The state of an algorithm.
        #[derive(Clone)]
        pub(crate) enum State {
            // The state of BLAKE3 is ten times as long as the others, so it is in a box.
            $($(#[cfg($cfg)])? $variant(algorithms!(@state $variant)),)+
        }

        impl State {
            fn new(algorithm: Algorithm) -> Self {
                match algorithm { $($(#[cfg($cfg)])? Algorithm::$variant => Self::$variant($variant::new().into()),)+ }
            }

            fn update(&mut self, data: &[u8]) {
                match self { $($(#[cfg($cfg)])? Self::$variant(state) => state.update(data),)+ }
            }

            fn finish(self) -> Digest {
                match self { $($(#[cfg($cfg)])? Self::$variant(state) => Digest::new(&state.finish()),)+ }
            }

            /// Writes a digest of another length than the default, for an extendable algorithm.
            fn extend_into(self, out: &mut [u8]) {
                match self {
                    $($(Self::$variant(state) => algorithms!(@$extends state, out),)?)+
                    _ => unreachable!("hash: the length was checked"),
                }
            }
        }

        impl Algorithm {
            /// Whether a digest can have any length ([`hash_into`]): SHAKE and BLAKE3.
            #[must_use]
            pub fn is_extendable(self) -> bool {
                match self {
                    $($(Self::$variant => algorithms!(@$extends),)?)+
                    _ => false,
                }
            }
        }
    };
    (@state Blake3) => { Box<Blake3> };
    (@state $variant:ident) => { $variant };
    (@extends) => { true };
    (@extends $state:ident, $out:ident) => { $state.finish_into($out) };
}

algorithms! {
    /// Broken. For old data only.
    #[cfg(feature = "legacy")]
    Md5 = "md5", 16, ["MD5", "MD-5"];
    /// Broken. For old data only.
    Sha1 = "sha1", 20, ["SHA1", "SHA-1"];
    /// For other software's data. The digest is short: 2^80 computations find two inputs with the same digest.
    #[cfg(feature = "legacy")]
    Ripemd160 = "ripemd160", 20, ["RMD160", "RIPEMD160", "RIPEMD-160"];
    Sha224 = "sha224", 28, ["SHA224", "SHA2-224", "SHA-224"];
    Sha256 = "sha256", 32, ["SHA256", "SHA2-256", "SHA-256"];
    Sha384 = "sha384", 48, ["SHA384", "SHA2-384", "SHA-384"];
    Sha512 = "sha512", 64, ["SHA512", "SHA2-512", "SHA-512"];
    /// SHA-512/256, which is not the beginning of a SHA-512 digest.
    Sha512_256 = "sha512-256", 32, ["SHA512-256", "SHA512/256", "SHA2-512/256", "SHA-512/256", "SHA-512-256", "SHA512256"];
    Sha3_224 = "sha3-224", 28, ["SHA3-224", "SHA-3-224", "SHA3224"];
    Sha3_256 = "sha3-256", 32, ["SHA3-256", "SHA-3-256", "SHA3256"];
    Sha3_384 = "sha3-384", 48, ["SHA3-384", "SHA-3-384", "SHA3384"];
    Sha3_512 = "sha3-512", 64, ["SHA3-512", "SHA-3-512", "SHA3512"];
    /// Keccak as it was before FIPS 202, for other software's data: Ethereum, and the SHA3 of crypto-js. Its digests differ
    /// from SHA-3's.
    Keccak224 = "keccak-224", 28, ["KECCAK-224", "KECCAK224"];
    /// As `keccak-224`.
    Keccak256 = "keccak-256", 32, ["KECCAK-256", "KECCAK256"];
    /// As `keccak-224`.
    Keccak384 = "keccak-384", 48, ["KECCAK-384", "KECCAK384"];
    /// As `keccak-224`.
    Keccak512 = "keccak-512", 64, ["KECCAK-512", "KECCAK512"];
    /// With 32 bytes, or any other length.
    Shake128 = "shake128", 32, ["SHAKE128", "SHAKE-128"], extends;
    /// With 64 bytes, or any other length.
    Shake256 = "shake256", 64, ["SHAKE256", "SHAKE-256"], extends;
    /// With 512 bits, as `b2sum` writes it.
    Blake2b = "blake2b", 64, ["BLAKE2b", "BLAKE2b-512", "BLAKE2B-512", "BLAKE2b512"];
    /// With 256 bits.
    Blake2s = "blake2s", 32, ["BLAKE2s", "BLAKE2s-256", "BLAKE2S-256", "BLAKE2s256"];
    /// With 32 bytes, or any other length. [`FileHasher`](crate::FileHasher) hashes a regular file on all cores.
    Blake3 = "blake3", 32, ["BLAKE3", "BLAKE-3", "BLAKE3-256"], extends;
    Sm3 = "sm3", 32, ["SM3", "SM-3"];
}

impl Algorithm {
    /// Whether collisions are practical: MD5 and SHA-1. Use these only to read old data; their digests prove nothing.
    #[must_use]
    pub fn is_broken(self) -> bool {
        // By their names: a feature has one of them.
        matches!(self.name(), "md5" | "sha1")
    }

    /// Checks that a digest of this algorithm can have `len` bytes.
    ///
    /// # Errors
    /// As [`hash_into`].
    pub fn check_len(self, len: usize) -> Result<()> {
        let own = self.digest_len();
        let lengths = if self.is_extendable() { Lengths::at_least(1) } else { Lengths::exactly(own) };
        lengths.check("the digest", len)
    }
}

/// As [`hash()`], into `out`, which has the digest's length. SHAKE and BLAKE3 fill `out` of any length but 0.
///
/// ```
/// use sealstone::hash::{Algorithm, hash, hash_into};
///
/// let mut long = [0; 100];
/// hash_into(Algorithm::Shake256, b"abc", &mut long)?;
/// assert_eq!(long[..64], *hash(Algorithm::Shake256, b"abc").as_bytes());
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// As [`Lengths::check`], for another length than [`Algorithm::digest_len`]; for SHAKE and BLAKE3, only for an empty `out`.
pub fn hash_into(algorithm: Algorithm, data: &[u8], out: &mut [u8]) -> Result<()> {
    algorithm.check_len(out.len())?;
    if out.len() == algorithm.digest_len() {
        digest_into(algorithm, data, out);
    } else {
        let mut state = State::new(algorithm);
        state.update(data);
        state.extend_into(out);
    }
    Ok(())
}

/// A digest. Its text is lower-case hexadecimal digits.
///
/// Comparison is not in constant time, since digests are public. For MACs use [`mac::Tag`](crate::mac::Tag).
///
/// ```
/// use sealstone::hash::{Algorithm, hash};
///
/// let digest = hash(Algorithm::Sha384, b"");
/// assert_eq!(digest.as_bytes().len(), 48);
/// assert_eq!(format!("{digest}").len(), 96);
/// ```
#[derive(Clone, Copy)]
pub struct Digest {
    bytes: [u8; LONGEST],
    len: usize,
}

/// Bytes of the longest digest.
const LONGEST: usize = 64;

impl Digest {
    fn new(digest: &[u8]) -> Self {
        let mut bytes = [0; LONGEST];
        bytes[..digest.len()].copy_from_slice(digest);
        Self { bytes, len: digest.len() }
    }

    /// A digest of zeros, to be written to.
    pub(crate) fn zero(algorithm: Algorithm) -> Self {
        Self { bytes: [0; LONGEST], len: algorithm.digest_len() }
    }

    pub(crate) fn as_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[..self.len]
    }

    /// The bytes of the digest, [`Algorithm::digest_len`] of them.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl AsRef<[u8]> for Digest {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl PartialEq for Digest {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Digest {}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = [0; 2 * LONGEST];
        f.write_str(
            base16ct::lower::encode_str(self.as_bytes(), &mut digits).expect("hash: there is room for all digits"),
        )
    }
}

debug!(|it: Digest| "Digest({it})");

/// Computes a digest of data that comes in pieces of any length. A clone continues independently.
///
/// ```
/// use sealstone::hash::{Algorithm, Hasher, hash};
///
/// let mut hasher = Hasher::new(Algorithm::Blake3);
/// for piece in [&b"attack "[..], b"at dawn"] {
///     hasher.update(piece);
/// }
/// assert_eq!(hasher.finish(), hash(Algorithm::Blake3, b"attack at dawn"));
/// ```
#[derive(Clone)]
pub struct Hasher {
    algorithm: Algorithm,
    state: State,
}

impl Hasher {
    /// Begins with no bytes.
    #[must_use]
    pub fn new(algorithm: Algorithm) -> Self {
        Self { algorithm, state: State::new(algorithm) }
    }

    /// The algorithm that this computes.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Takes the next bytes.
    pub fn update(&mut self, data: &[u8]) {
        self.state.update(data);
    }

    /// The digest of all bytes so far.
    #[must_use]
    pub fn finish(self) -> Digest {
        self.state.finish()
    }

    /// As [`finish`](Self::finish), into `out`, with the lengths of [`hash_into`].
    ///
    /// # Errors
    /// As [`hash_into`].
    pub fn finish_into(self, out: &mut [u8]) -> Result<()> {
        self.algorithm.check_len(out.len())?;
        if out.len() == self.algorithm.digest_len() {
            out.copy_from_slice(self.finish().as_bytes());
        } else {
            self.state.extend_into(out);
        }
        Ok(())
    }

    /// Whether parts of the data may be hashed in parallel: with BLAKE3, before the first byte.
    pub(crate) fn can_hash_in_parallel(&self) -> bool {
        matches!(&self.state, State::Blake3(state) if state.is_empty())
    }
}

debug!(Hasher { algorithm });

/// Bytes of an SM3 digest.
pub(crate) const SM3_LEN: usize = 32;
