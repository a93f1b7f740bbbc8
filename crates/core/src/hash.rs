//! Hash functions: SHA-2 (FIPS 180-4), SHA-3 (FIPS 202), `BLAKE2b` (RFC 7693), BLAKE3 and SM3 (GB/T 32905), of bytes
//! in memory and in pieces; [`FileHasher`](crate::FileHasher) takes files.
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

pub(crate) mod tree;

use crate::provider::{Blake2b512, Blake3, Sha3_256, Sha3_512, Sha384};
pub(crate) use crate::provider::{Sha256, Sha512, Sm3};
use std::fmt;

macro_rules! algorithms {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $len:literal;)+) => {
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
            /// Bytes of a digest.
            #[must_use]
            pub fn digest_len(self) -> usize {
                match self { $(Self::$variant => $len,)+ }
            }
        }

        named_enum!(Algorithm { $($variant = $name,)+ });
    };
}

algorithms! {
    Sha256 = "sha256", 32;
    Sha384 = "sha384", 48;
    Sha512 = "sha512", 64;
    Sha3_256 = "sha3-256", 32;
    Sha3_512 = "sha3-512", 64;
    /// With 512 bits, as `b2sum` writes it.
    Blake2b = "blake2b", 64;
    /// [`FileHasher`](crate::FileHasher) hashes a regular file on all cores.
    Blake3 = "blake3", 32;
    Sm3 = "sm3", 32;
}

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
    match algorithm {
        Algorithm::Sha256 => Digest::new(&Sha256::digest(data)),
        Algorithm::Sha384 => Digest::new(&Sha384::digest(data)),
        Algorithm::Sha512 => Digest::new(&Sha512::digest(data)),
        Algorithm::Sha3_256 => Digest::new(&Sha3_256::digest(data)),
        Algorithm::Sha3_512 => Digest::new(&Sha3_512::digest(data)),
        Algorithm::Blake2b => Digest::new(&Blake2b512::digest(data)),
        Algorithm::Blake3 => Digest::new(&Blake3::digest(data)),
        Algorithm::Sm3 => Digest::new(&Sm3::digest(data)),
    }
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

/// A digest in the making, of pieces, however they are cut.
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

#[derive(Clone)]
enum State {
    Sha256(Sha256),
    Sha384(Sha384),
    Sha512(Sha512),
    Sha3_256(Sha3_256),
    Sha3_512(Sha3_512),
    Blake2b(Blake2b512),
    // Ten times as long as the others.
    Blake3(Box<Blake3>),
    Sm3(Sm3),
}

impl Hasher {
    /// Begins with no bytes.
    #[must_use]
    pub fn new(algorithm: Algorithm) -> Self {
        let state = match algorithm {
            Algorithm::Sha256 => State::Sha256(Sha256::new()),
            Algorithm::Sha384 => State::Sha384(Sha384::new()),
            Algorithm::Sha512 => State::Sha512(Sha512::new()),
            Algorithm::Sha3_256 => State::Sha3_256(Sha3_256::new()),
            Algorithm::Sha3_512 => State::Sha3_512(Sha3_512::new()),
            Algorithm::Blake2b => State::Blake2b(Blake2b512::new()),
            Algorithm::Blake3 => State::Blake3(Box::new(Blake3::new())),
            Algorithm::Sm3 => State::Sm3(Sm3::new()),
        };
        Self { algorithm, state }
    }

    /// The algorithm that this computes.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Takes the next bytes.
    pub fn update(&mut self, data: &[u8]) {
        match &mut self.state {
            State::Sha256(state) => state.update(data),
            State::Sha384(state) => state.update(data),
            State::Sha512(state) => state.update(data),
            State::Sha3_256(state) => state.update(data),
            State::Sha3_512(state) => state.update(data),
            State::Blake2b(state) => state.update(data),
            State::Blake3(state) => state.update(data),
            State::Sm3(state) => state.update(data),
        }
    }

    /// The digest of all bytes that were taken.
    #[must_use]
    pub fn finish(self) -> Digest {
        match self.state {
            State::Sha256(state) => Digest::new(&state.finish()),
            State::Sha384(state) => Digest::new(&state.finish()),
            State::Sha512(state) => Digest::new(&state.finish()),
            State::Sha3_256(state) => Digest::new(&state.finish()),
            State::Sha3_512(state) => Digest::new(&state.finish()),
            State::Blake2b(state) => Digest::new(&state.finish()),
            State::Blake3(state) => Digest::new(&state.finish()),
            State::Sm3(state) => Digest::new(&state.finish()),
        }
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
