//! Authenticated encryption of one buffer: AES-256-GCM (SP 800-38D) and ChaCha20-Poly1305 (RFC 8439).
//!
//! Most users want [`Encryptor`](crate::Encryptor), which makes keys and nonces itself. This module is for
//! protocols that define their own.

mod schedule;

use crate::error::{Error, Result};
use schedule::{Schedule, prefers_ring};
use zeroize::Zeroize;

/// Bytes of a key.
pub const KEY_LEN: usize = 32;
/// Bytes of a nonce.
pub const NONCE_LEN: usize = 12;
/// Bytes of a tag.
pub const TAG_LEN: usize = 16;

/// An AEAD algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// `aes-256-gcm`, SP 800-38D, with 12-byte nonces and 16-byte tags.
    Aes256Gcm,
    /// `chacha20-poly1305`, RFC 8439.
    ChaCha20Poly1305,
}

/// A library that computes. [`Aead::new`] picks; tests and benchmarks name one.
///
/// ```
/// use sealstone::aead::{Aead, Algorithm, Backend};
///
/// for backend in Backend::ALL {
///     let Some(key) = Aead::with_backend(backend, Algorithm::Aes256Gcm, &[7; 32]) else { continue };
///     assert_eq!(key.backend(), backend);
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// AWS-LC, for every algorithm and CPU.
    AwsLc,
    /// ring, for `aes-256-gcm` on x86-64 CPUs with VAES.
    Ring,
}

impl Backend {
    /// All backends; [`Aead::with_backend`] tells which of them a CPU and an algorithm have.
    pub const ALL: [Self; 2] = [Self::AwsLc, Self::Ring];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::AwsLc => "aws-lc",
            Self::Ring => "ring",
        }
    }
}

/// A key with its schedule made once, for many buffers; shared freely between threads.
///
/// # Security
/// A nonce must never serve twice under one key: with AES-GCM a single repetition reveals the authentication key.
/// The key is not checked for randomness; derive it with a KDF or take it from the system's generator.
///
/// # Examples
/// ```
/// use sealstone::aead::{Aead, Algorithm};
///
/// let key = Aead::new(Algorithm::Aes256Gcm, &[7; 32]);
/// let sealed = key.seal(&[0; 12], b"header", b"attack at dawn");
/// assert_eq!(sealed.len(), 14 + 16);
/// assert_eq!(key.open(&[0; 12], b"header", &sealed)?, b"attack at dawn");
/// assert_eq!(key.open(&[1; 12], b"header", &sealed).unwrap_err().code(), "not_authentic");
/// # Ok::<(), sealstone::Error>(())
/// ```
pub struct Aead {
    algorithm: Algorithm,
    schedule: Schedule,
}

impl std::fmt::Debug for Aead {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Aead").field("algorithm", &self.algorithm).finish_non_exhaustive()
    }
}

impl Aead {
    /// Makes the key schedule of a 32-byte key, on the backend that is fastest on this CPU.
    #[must_use]
    pub fn new(algorithm: Algorithm, key: &[u8; KEY_LEN]) -> Self {
        let backend = if prefers_ring(algorithm) { Backend::Ring } else { Backend::AwsLc };
        Self::with_backend(backend, algorithm, key).expect("aead: the backend was picked for this CPU")
    }

    /// Makes the key schedule on a backend of the caller's choice; `None` where this CPU or algorithm has it not.
    #[must_use]
    pub fn with_backend(backend: Backend, algorithm: Algorithm, key: &[u8; KEY_LEN]) -> Option<Self> {
        let schedule = Schedule::new(backend, algorithm, key)?;
        Some(Self { algorithm, schedule })
    }

    /// The backend of this key.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.schedule.backend()
    }

    /// The algorithm of this key.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Seals `plaintext`: returns the ciphertext with the 16-byte tag behind it.
    #[must_use]
    pub fn seal(&self, nonce: &[u8; NONCE_LEN], aad: &[u8], plaintext: &[u8]) -> Vec<u8> {
        let mut sealed = Vec::with_capacity(plaintext.len() + TAG_LEN);
        sealed.extend_from_slice(plaintext);
        let tag = self.seal_in_place(nonce, aad, &mut sealed);
        sealed.extend_from_slice(&tag);
        sealed
    }

    /// Opens what [`seal`](Self::seal) returned.
    ///
    /// # Errors
    /// [`Error::NotAuthentic`] for a wrong key, nonce, `aad` or byte, and for input shorter than a tag; nothing of the
    /// plaintext is released.
    pub fn open(&self, nonce: &[u8; NONCE_LEN], aad: &[u8], sealed: &[u8]) -> Result<Vec<u8>> {
        let mut buffer = sealed.to_vec();
        let len = self.open_in_place(nonce, aad, &mut buffer)?;
        buffer.truncate(len);
        Ok(buffer)
    }

    /// Replaces `buffer` by its ciphertext and returns the tag.
    ///
    /// # Panics
    /// When `buffer` is over the algorithm's limit for one nonce (64 GiB for AES-GCM).
    #[must_use]
    pub fn seal_in_place(&self, nonce: &[u8; NONCE_LEN], aad: &[u8], buffer: &mut [u8]) -> [u8; TAG_LEN] {
        let tag = self.schedule.seal(nonce, aad, buffer);
        tag.unwrap_or_else(|_| panic!("aead: the buffer is over the algorithm's limit"))
    }

    /// Opens `buffer`, ciphertext and tag, in place; the plaintext is its first bytes, as many as returned.
    ///
    /// # Errors
    /// [`Error::NotAuthentic`]; then `buffer` is cleared.
    pub fn open_in_place(&self, nonce: &[u8; NONCE_LEN], aad: &[u8], buffer: &mut [u8]) -> Result<usize> {
        self.schedule.open(nonce, aad, buffer).map_err(|_| {
            buffer.zeroize();
            Error::NotAuthentic { chunk: None }
        })
    }
}

/// The libraries that do the symmetric work, and what of their instruction sets this CPU has. They are picked by that
/// at run time, per key; there is nothing to configure.
///
/// ```
/// assert!(sealstone::backend().contains("chacha20-poly1305 by aws-lc"));
/// ```
#[must_use]
pub fn backend() -> String {
    let by = |algorithm| Aead::new(algorithm, &[0; KEY_LEN]).backend().name();
    let found = instruction_sets();
    let cpu = if found.is_empty() { "no extensions".to_owned() } else { found.join(" ") };
    format!(
        "backends: aes-256-gcm by {}, chacha20-poly1305 by {}\ncpu: {cpu}",
        by(Algorithm::Aes256Gcm),
        by(Algorithm::ChaCha20Poly1305)
    )
}

#[cfg(target_arch = "x86_64")]
fn instruction_sets() -> Vec<&'static str> {
    use std::arch::is_x86_feature_detected as has;
    let sets = [
        ("aes", has!("aes")),
        ("pclmulqdq", has!("pclmulqdq")),
        ("avx2", has!("avx2")),
        ("vaes", has!("vaes")),
        ("vpclmulqdq", has!("vpclmulqdq")),
        ("avx512", has!("avx512f") && has!("avx512bw") && has!("avx512vl")),
    ];
    sets.into_iter().filter_map(|(name, found)| found.then_some(name)).collect()
}

#[cfg(target_arch = "aarch64")]
fn instruction_sets() -> Vec<&'static str> {
    use std::arch::is_aarch64_feature_detected as has;
    let sets = [("neon", has!("neon")), ("aes", has!("aes")), ("pmull", has!("pmull")), ("sha3", has!("sha3"))];
    sets.into_iter().filter_map(|(name, found)| found.then_some(name)).collect()
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn instruction_sets() -> Vec<&'static str> {
    Vec::new()
}
