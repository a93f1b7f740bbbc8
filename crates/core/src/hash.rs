//! Hash functions: SHA-2 (FIPS 180-4), SHA-3 and SHAKE (FIPS 202), BLAKE2 (RFC 7693), BLAKE3, SM3 (GB/T 32905), and for data of others
//! MD5 (RFC 1321), SHA-1, RIPEMD-160 and Keccak; of bytes in memory and in pieces. [`FileHasher`](crate::FileHasher) takes files.
//!
//! ```
//! use sealstone::hash::{Algorithm, Hasher, hash};
//! use sealstone::{FileHasher, Input};
//!
//! let digest = hash(Algorithm::Sha256, b"attack at dawn");
//! assert_eq!(digest.as_bytes().len(), Algorithm::Sha256.digest_len());
//! assert!(digest.to_string().starts_with("d502810c"));
//! // A file, on all cores with BLAKE3: `Input::open` in place of `Input::reader`.
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
//! MD5 and SHA-1 are broken ([`Algorithm::is_broken`]): anyone can make two files with one digest. No function here has a table or a
//! branch that depends on the data.

pub(crate) mod tree;

use crate::error::{Lengths, Result};
use crate::provider::{
    Blake2b512 as Blake2b, Blake2s256 as Blake2s, Blake3, Keccak224, Keccak256, Keccak384, Keccak512, Md5, Ripemd160,
    Sha1, Sha3_224, Sha3_256, Sha3_384, Sha3_512, Sha224, Sha384, Sha512_256, Shake128, Shake256,
};
pub(crate) use crate::provider::{Sha256, Sha512, Sm3};
use std::fmt;

macro_rules! algorithms {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $len:literal $(, $extends:ident)?;)+) => {
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
            $(#[doc = concat!("`", $name, "`.")] $(#[$doc])* $variant,)+
        }

        impl Algorithm {
            /// Bytes of a digest, where no other length is asked for.
            #[must_use]
            pub fn digest_len(self) -> usize {
                match self { $(Self::$variant => $len,)+ }
            }
        }

        named_enum!(Algorithm { $($variant = $name,)+ });

        /// The digest of bytes in memory.
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

        /// Into memory of the digest's length: a copy of what was just written takes a tenth of the time of 64 bytes.
        fn digest_into(algorithm: Algorithm, data: &[u8], out: &mut [u8]) {
            match algorithm {
                $(Algorithm::$variant => {
                    $variant::digest_into(data, out.try_into().expect("hash: the length was checked"));
                })+
            }
        }

        /// The state of an algorithm.
        #[derive(Clone)]
        pub(crate) enum State {
            // That of BLAKE3 is ten times as long as the others, so each variant may be a box.
            $($variant(algorithms!(@state $variant)),)+
        }

        impl State {
            fn new(algorithm: Algorithm) -> Self {
                match algorithm { $(Algorithm::$variant => Self::$variant($variant::new().into()),)+ }
            }

            fn update(&mut self, data: &[u8]) {
                match self { $(Self::$variant(state) => state.update(data),)+ }
            }

            fn finish(self) -> Digest {
                match self { $(Self::$variant(state) => Digest::new(&state.finish()),)+ }
            }

            /// Where a length is asked for that is another than the algorithm's own: it is extendable.
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
    /// Broken, for old data alone.
    Md5 = "md5", 16;
    /// Broken, for old data alone.
    Sha1 = "sha1", 20;
    /// For data of others: a digest is short, so that whoever can afford 2^80 of them finds two inputs with one.
    Ripemd160 = "ripemd160", 20;
    Sha224 = "sha224", 28;
    Sha256 = "sha256", 32;
    Sha384 = "sha384", 48;
    Sha512 = "sha512", 64;
    /// SHA-512/256, which is no part of a SHA-512 digest.
    Sha512_256 = "sha512-256", 32;
    Sha3_224 = "sha3-224", 28;
    Sha3_256 = "sha3-256", 32;
    Sha3_384 = "sha3-384", 48;
    Sha3_512 = "sha3-512", 64;
    /// Keccak as it was before FIPS 202, for data of others: Ethereum, and what crypto-js calls SHA3. Its digests are not SHA-3's.
    Keccak224 = "keccak-224", 28;
    /// As `keccak-224`.
    Keccak256 = "keccak-256", 32;
    /// As `keccak-224`.
    Keccak384 = "keccak-384", 48;
    /// As `keccak-224`.
    Keccak512 = "keccak-512", 64;
    /// With 32 bytes, or any other length.
    Shake128 = "shake128", 32, extends;
    /// With 64 bytes, or any other length.
    Shake256 = "shake256", 64, extends;
    /// With 512 bits, as `b2sum` writes it.
    Blake2b = "blake2b", 64;
    /// With 256 bits.
    Blake2s = "blake2s", 32;
    /// With 32 bytes, or any other length. [`FileHasher`](crate::FileHasher) hashes a regular file on all cores.
    Blake3 = "blake3", 32, extends;
    Sm3 = "sm3", 32;
}

impl Algorithm {
    /// Whether anyone can make two inputs with one digest: MD5 and SHA-1. They read old data, and prove nothing.
    #[must_use]
    pub fn is_broken(self) -> bool {
        matches!(self, Self::Md5 | Self::Sha1)
    }

    /// Refuses a length that no digest of this algorithm has.
    ///
    /// # Errors
    /// As [`hash_into`].
    pub fn check_len(self, len: usize) -> Result<()> {
        let own = self.digest_len();
        let lengths = if self.is_extendable() { Lengths::at_least(1) } else { Lengths::exactly(own) };
        lengths.check("the digest", len)
    }
}

/// As [`hash()`], into memory of the digest's length; SHAKE and BLAKE3 fill memory of any length.
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
/// As [`Lengths::check`], for another length than [`Algorithm::digest_len`], and for no bytes at all where any other would do.
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

/// A digest: its bytes, and as text lower-case hexadecimal digits.
///
/// Two of them are compared as public data is; a MAC is not a digest.
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

    /// Memory for one.
    pub(crate) fn zero(algorithm: Algorithm) -> Self {
        Self { bytes: [0; LONGEST], len: algorithm.digest_len() }
    }

    pub(crate) fn as_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[..self.len]
    }

    /// As many bytes as [`Algorithm::digest_len`] says.
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

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// A digest in the making, of pieces, however they are cut. A clone goes on by itself.
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

    /// The digest of all bytes that were taken.
    #[must_use]
    pub fn finish(self) -> Digest {
        self.state.finish()
    }

    /// As [`finish`](Self::finish), with lengths as [`hash_into`] takes them.
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

    /// Whether this is BLAKE3 and has taken no byte, so that the parts of what comes may be hashed apart from each other.
    pub(crate) fn is_a_tree_at_its_beginning(&self) -> bool {
        matches!(&self.state, State::Blake3(state) if state.is_empty())
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hasher").field("algorithm", &self.algorithm).finish_non_exhaustive()
    }
}

/// Bytes of an SM3 output.
pub(crate) const SM3_LEN: usize = 32;
