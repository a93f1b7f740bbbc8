//! Authenticated encryption of one buffer: AES-GCM with keys of three lengths (SP 800-38D), AES-GCM-SIV (RFC 8452),
//! ChaCha20-Poly1305 (RFC 8439) and XChaCha20-Poly1305, and SM4 in GCM and CCM (RFC 8998). [`nacl`](crate::nacl) has XSalsa20-Poly1305.
//!
//! Most users want [`Encryptor`](crate::Encryptor), which makes keys and nonces itself. This module is for
//! protocols that define their own.
//!
//! ```
//! use sealstone::aead::{Aead, Algorithm};
//!
//! let key = Aead::new("aes-256-gcm".parse::<Algorithm>()?, &[7; 32])?;
//! // Buffers of the caller's: the tag comes apart, and opening wants it behind the ciphertext.
//! let mut buffer = b"attack at dawn".to_vec();
//! let tag = key.seal_in_place(&[1; 12], b"header", &mut buffer)?;
//! buffer.extend_from_slice(&tag);
//! let len = key.open_in_place(&[1; 12], b"header", &mut buffer)?;
//! assert_eq!(&buffer[..len], b"attack at dawn");
//! # Ok::<(), sealstone::Error>(())
//! ```

pub(crate) mod pieces;
mod records;
mod schedule;

pub use records::Record;

use crate::error::{Error, Lengths, Result};
use crate::{kernel, provider, random};
use schedule::{Schedule, prefers_ring};
use std::fmt;
use zeroize::{Zeroize, Zeroizing};

/// Bytes of a nonce of every algorithm except `xchacha20-poly1305`; [`Algorithm::nonce_len`] has each, and
/// [`Algorithm::nonce_lens`] what else is taken.
pub const NONCE_LEN: usize = 12;
/// Bytes of a nonce of `xchacha20-poly1305`.
const X_NONCE_LEN: usize = 24;
/// Bytes of the nonces of GCM: those of 12, and those that other software has as a default or a habit.
const GCM_NONCE_LENS: Lengths = Lengths { multiple_of: 4, ..Lengths::from_to(8, 16) };
/// Bytes of a tag.
pub const TAG_LEN: usize = 16;

/// An AEAD algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// `aes-128-gcm`, SP 800-38D, with 16-byte tags, for protocols that use it.
    Aes128Gcm,
    /// `aes-192-gcm`, for protocols that have it.
    Aes192Gcm,
    /// `aes-256-gcm`.
    Aes256Gcm,
    /// `aes-128-gcm-siv`, RFC 8452: `AEAD_AES_128_GCM_SIV`. If a nonce comes twice, only that equal buffers were sealed shows; it
    /// reads the plaintext twice for that.
    Aes128GcmSiv,
    /// `aes-256-gcm-siv`, RFC 8452: `AEAD_AES_256_GCM_SIV`.
    Aes256GcmSiv,
    /// `chacha20-poly1305`, RFC 8439.
    ChaCha20Poly1305,
    /// `xchacha20-poly1305` of draft-irtf-cfrg-xchacha and libsodium, with 24-byte nonces, which may be random.
    XChaCha20Poly1305,
    /// `sm4-gcm`, RFC 8998: `AEAD_SM4_GCM`.
    Sm4Gcm,
    /// `sm4-ccm`, RFC 8998: `AEAD_SM4_CCM`. It is a tenth as fast as `sm4-gcm`, and takes no more than 2^24 - 1 bytes.
    Sm4Ccm,
}

named_enum!(Algorithm {
    Aes128Gcm = "aes-128-gcm",
    Aes192Gcm = "aes-192-gcm",
    Aes256Gcm = "aes-256-gcm",
    Aes128GcmSiv = "aes-128-gcm-siv",
    Aes256GcmSiv = "aes-256-gcm-siv",
    ChaCha20Poly1305 = "chacha20-poly1305",
    XChaCha20Poly1305 = "xchacha20-poly1305",
    Sm4Gcm = "sm4-gcm",
    Sm4Ccm = "sm4-ccm",
});

impl Algorithm {
    /// Bytes of a key.
    #[must_use]
    pub fn key_len(self) -> usize {
        match self {
            Self::Aes256Gcm | Self::Aes256GcmSiv | Self::ChaCha20Poly1305 | Self::XChaCha20Poly1305 => 32,
            Self::Aes192Gcm => 24,
            Self::Aes128Gcm | Self::Aes128GcmSiv | Self::Sm4Gcm | Self::Sm4Ccm => 16,
        }
    }

    /// Bytes of a nonce.
    ///
    /// ```
    /// use sealstone::aead::Algorithm;
    ///
    /// assert_eq!(Algorithm::ChaCha20Poly1305.nonce_len(), 12);
    /// assert_eq!(Algorithm::XChaCha20Poly1305.nonce_len(), 24);
    /// ```
    #[must_use]
    pub fn nonce_len(self) -> usize {
        match self {
            Self::XChaCha20Poly1305 => X_NONCE_LEN,
            _ => NONCE_LEN,
        }
    }

    /// Bytes of the nonces that are taken from a caller: [`nonce_len`](Self::nonce_len), and of GCM 8 and 16 as well.
    ///
    /// ```
    /// use sealstone::aead::{Aead, Algorithm};
    ///
    /// // As `AES.new(key, AES.MODE_GCM)` of PyCryptodome draws them.
    /// let key = Aead::new(Algorithm::Aes256Gcm, &[7; 32])?;
    /// let sealed = key.seal(&[1; 16], b"", b"attack at dawn")?;
    /// assert_eq!(key.open(&[1; 16], b"", &sealed)?, b"attack at dawn");
    /// assert_eq!(Algorithm::Aes256Gcm.nonce_lens().to_string(), "8, 12 or 16 bytes");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Security
    /// GCM hashes a nonce that is not 12 bytes to its first counter (SP 800-38D section 7.1). Two nonces may then begin at one counter or
    /// meet there, as if one had come twice, so take such nonces only to read and write what other software has. Of 8 random bytes a key
    /// has 2^16 before a repetition is likelier than section 8 allows.
    #[must_use]
    pub fn nonce_lens(self) -> Lengths {
        if self.is_aes_gcm() || self == Self::Sm4Gcm { GCM_NONCE_LENS } else { Lengths::exactly(self.nonce_len()) }
    }

    fn is_aes_gcm(self) -> bool {
        matches!(self, Self::Aes128Gcm | Self::Aes192Gcm | Self::Aes256Gcm)
    }

    /// A new key from the system's generator.
    ///
    /// ```
    /// use sealstone::aead::{Aead, Algorithm};
    ///
    /// let algorithm = Algorithm::Aes256GcmSiv;
    /// let key = Aead::new(algorithm, &algorithm.generate_key()?)?;
    /// assert_eq!(key.open(&[1; 12], b"", &key.seal(&[1; 12], b"", b"attack at dawn")?)?, b"attack at dawn");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoRandomness`].
    pub fn generate_key(self) -> Result<Zeroizing<Vec<u8>>> {
        random::key(self.key_len())
    }
}

/// What computes. [`Aead::new`] chooses; tests and benchmarks name one.
///
/// ```
/// use sealstone::aead::{Aead, Algorithm, Backend};
///
/// for backend in Backend::ALL {
///     let Ok(key) = Aead::with_backend(backend, Algorithm::Aes256Gcm, &[7; 32]) else { continue };
///     assert_eq!(key.backend(), backend);
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// AWS-LC, for AES-GCM, AES-GCM-SIV and `chacha20-poly1305` on every CPU.
    AwsLc,
    /// RustCrypto, in AWS-LC's place in WebAssembly; and everywhere for AES-GCM under nonces that are not 12 bytes.
    RustCrypto,
    /// ring, for AES-GCM on x86-64 CPUs with VAES.
    Ring,
    /// Sealstone itself, for everything except AES: on the widest kernel that the CPU supports, or on that of
    /// [`forced_backend`](crate::forced_backend).
    Own,
}

impl Backend {
    /// All backends. [`Aead::with_backend`] fails for one that the CPU or the algorithm does not support.
    pub const ALL: [Self; 4] = [Self::AwsLc, Self::RustCrypto, Self::Ring, Self::Own];

    /// The library of the provider.
    const PROVIDER: Self = if provider::IS_AWS_LC { Self::AwsLc } else { Self::RustCrypto };

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::AwsLc => "aws-lc",
            Self::RustCrypto => "rustcrypto",
            Self::Ring => "ring",
            Self::Own => "sealstone",
        }
    }
}

/// A key with its schedule, computed once for many buffers. Threads can share it.
///
/// # Security
/// Never use a nonce twice under one key: with AES-GCM a single repetition reveals the authentication key. Only AES-GCM-SIV keeps
/// its promises then, but for equal buffers, which show. The key is not checked
/// for randomness; derive it with a KDF or take it from the system's generator.
///
/// # Examples
/// ```
/// use sealstone::aead::{Aead, Algorithm};
///
/// let key = Aead::new(Algorithm::Aes256Gcm, &[7; 32])?;
/// let sealed = key.seal(&[0; 12], b"header", b"attack at dawn")?;
/// assert_eq!(sealed.len(), 14 + 16);
/// assert_eq!(key.open(&[0; 12], b"header", &sealed)?, b"attack at dawn");
/// assert_eq!(key.open(&[1; 12], b"header", &sealed).unwrap_err().code(), "not_authentic");
/// # Ok::<(), sealstone::Error>(())
/// ```
pub struct Aead {
    algorithm: Algorithm,
    schedule: Schedule,
    /// The key of AES-GCM, for nonces that its library does not take. They cost a schedule each.
    key: Option<Zeroizing<Vec<u8>>>,
}

impl fmt::Debug for Aead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Aead").field("algorithm", &self.algorithm).finish_non_exhaustive()
    }
}

impl Aead {
    /// Makes the schedule of a key of [`Algorithm::key_len`] bytes, on the backend that is fastest on this CPU.
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::UnavailableBackend`], except for AES, when the environment forces one.
    pub fn new(algorithm: Algorithm, key: &[u8]) -> Result<Self> {
        let backend = match algorithm {
            Algorithm::XChaCha20Poly1305 | Algorithm::Sm4Gcm | Algorithm::Sm4Ccm => Backend::Own,
            Algorithm::ChaCha20Poly1305 if kernel::prefers_own_chacha()? => Backend::Own,
            _ if prefers_ring(algorithm) => Backend::Ring,
            _ => Backend::PROVIDER,
        };
        Self::with_backend(backend, algorithm, key)
    }

    /// Computes the schedule on a backend of the caller's choice.
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::UnavailableBackend`] when this CPU or algorithm does not support it.
    pub fn with_backend(backend: Backend, algorithm: Algorithm, key: &[u8]) -> Result<Self> {
        if key.len() != algorithm.key_len() {
            return Err(Error::WrongLength { what: "the key", expected: algorithm.key_len(), actual: key.len() });
        }
        let schedule = Schedule::new(backend, algorithm, key)?;
        let key = algorithm.is_aes_gcm().then(|| Zeroizing::new(key.to_vec()));
        Ok(Self { algorithm, schedule, key })
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

    /// Seals `plaintext`: returns the ciphertext followed by the 16-byte tag.
    ///
    /// # Errors
    /// [`Error::WrongLength`] and [`Error::TooLong`] as in [`seal_in_place`](Self::seal_in_place).
    pub fn seal(&self, nonce: &[u8], aad: &[u8], plaintext: &[u8]) -> Result<Vec<u8>> {
        let mut sealed = Vec::with_capacity(plaintext.len() + TAG_LEN);
        sealed.extend_from_slice(plaintext);
        let tag = self.seal_in_place(nonce, aad, &mut sealed).inspect_err(|_| sealed.zeroize())?;
        sealed.extend_from_slice(&tag);
        Ok(sealed)
    }

    /// Opens what [`seal`](Self::seal) returned.
    ///
    /// # Errors
    /// [`Error::NotAuthentic`] for a wrong key, nonce, `aad` or byte, and for input shorter than a tag, whatever the nonce is; nothing
    /// of the plaintext is released. [`Error::WrongLength`] or [`Error::OtherLength`] for a nonce that is none of
    /// [`Algorithm::nonce_lens`].
    pub fn open(&self, nonce: &[u8], aad: &[u8], sealed: &[u8]) -> Result<Vec<u8>> {
        let mut buffer = sealed.to_vec();
        let len = self.open_in_place(nonce, aad, &mut buffer)?;
        buffer.truncate(len);
        Ok(buffer)
    }

    /// Replaces `buffer` with its ciphertext and returns the tag.
    ///
    /// # Errors
    /// [`Error::WrongLength`] or [`Error::OtherLength`] for a nonce as of [`open`](Self::open); [`Error::TooLong`] when `buffer` is over
    /// the algorithm's limit for one nonce: 2^36 - 32 bytes with GCM, 2^36 with GCM-SIV, 2^24 - 1 with SM4-CCM, 2^38 - 64 with ChaCha20-Poly1305 and
    /// XChaCha20-Poly1305.
    pub fn seal_in_place(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8]) -> Result<[u8; TAG_LEN]> {
        self.with(nonce, |schedule| schedule.seal(nonce, aad, buffer))?.map_err(|_| Error::TooLong)
    }

    /// Opens `buffer`, ciphertext and tag, in place; the plaintext is its first bytes, as many as returned.
    ///
    /// # Errors
    /// Those of [`open`](Self::open). With [`Error::NotAuthentic`] `buffer` is cleared, and with the others it is unchanged.
    pub fn open_in_place(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8]) -> Result<usize> {
        let Some((ciphertext, tag)) = buffer.split_last_chunk_mut() else {
            buffer.zeroize();
            return Err(Error::NotAuthentic { chunk: None });
        };
        self.check(nonce)?;
        let opened = self.open_in_place_separate_tag(nonce, aad, ciphertext, tag);
        opened.map(|()| ciphertext.len()).inspect_err(|_| tag.zeroize())
    }

    /// Replaces a ciphertext, whose tag is elsewhere, with its plaintext.
    ///
    /// # Errors
    /// As [`open_in_place`](Self::open_in_place).
    ///
    /// ```
    /// use sealstone::aead::{Aead, Algorithm};
    ///
    /// let key = Aead::new(Algorithm::Sm4Gcm, &[7; 16])?;
    /// let mut buffer = *b"attack at dawn";
    /// let tag = key.seal_in_place(&[0; 12], b"", &mut buffer)?;
    /// key.open_in_place_separate_tag(&[0; 12], b"", &mut buffer, &tag)?;
    /// assert_eq!(&buffer, b"attack at dawn");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    pub fn open_in_place_separate_tag(
        &self,
        nonce: &[u8],
        aad: &[u8],
        buffer: &mut [u8],
        tag: &[u8; TAG_LEN],
    ) -> Result<()> {
        self.with(nonce, |schedule| schedule.open(nonce, aad, buffer, tag))?.map_err(|_| {
            buffer.zeroize();
            Error::NotAuthentic { chunk: None }
        })
    }

    /// Seals `plaintext` into `out`, which has a tag's length more.
    ///
    /// # Errors
    /// As [`seal_in_place`](Self::seal_in_place).
    pub(crate) fn seal_into(&self, nonce: &[u8], aad: &[u8], plaintext: &[u8], out: &mut [u8]) -> Result<()> {
        let (out, tag) = out.split_last_chunk_mut().expect("aead: there is room for a tag");
        *tag = self.with(nonce, |schedule| schedule.seal_into(nonce, aad, plaintext, out))?.map_err(|_| {
            out.zeroize();
            Error::TooLong
        })?;
        Ok(())
    }

    /// Opens what [`seal_into`](Self::seal_into) made into `out`, which is as long as the plaintext, and is cleared on failure.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub(crate) fn open_into(&self, nonce: &[u8], aad: &[u8], sealed: &[u8], out: &mut [u8]) -> Result<()> {
        let (ciphertext, tag) = sealed.split_last_chunk().ok_or(Error::NotAuthentic { chunk: None })?;
        self.with(nonce, |schedule| schedule.open_into(nonce, aad, ciphertext, tag, out))?.map_err(|_| {
            out.zeroize();
            Error::NotAuthentic { chunk: None }
        })
    }

    fn check(&self, nonce: &[u8]) -> Result<()> {
        self.algorithm.nonce_lens().check("the nonce", nonce.len())
    }

    /// Works with the schedule that takes such a nonce.
    fn with<T>(&self, nonce: &[u8], work: impl FnOnce(&Schedule) -> T) -> Result<T> {
        self.check(nonce)?;
        Ok(match &self.key {
            Some(key) if nonce.len() != NONCE_LEN => work(&Schedule::AnyNonce(provider::Gcm::new(key))),
            _ => work(&self.schedule),
        })
    }
}

/// Fills a fresh nonce from the system's generator.
///
/// ```
/// use sealstone::aead::{Algorithm, random_nonce};
///
/// let mut nonce = vec![0; Algorithm::XChaCha20Poly1305.nonce_len()];
/// random_nonce(&mut nonce)?;
/// assert_ne!(nonce, [0; 24]);
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Security
/// Random nonces of 12 bytes begin to repeat: one key seals 2^32 buffers with them and no more (SP 800-38D section 8.3).
/// Those of 24 bytes do not.
///
/// # Errors
/// [`Error::NoRandomness`].
pub fn random_nonce(nonce: &mut [u8]) -> Result<()> {
    random::fill(nonce)
}

/// The libraries and our own kernels that compute the AEADs, and which of their instruction sets this CPU has. They are chosen at
/// run time, for each key; nothing needs to be configured.
///
/// ```
/// assert!(sealstone::backend()?.contains("chacha20-poly1305 by "));
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// [`Error::UnavailableBackend`] when the environment forces an unavailable one.
pub fn backend() -> Result<String> {
    let by = |algorithm: Algorithm| {
        Aead::new(algorithm, &[0; 32][..algorithm.key_len()]).map(|key| key.schedule.computed_by())
    };
    let found = instruction_sets();
    let cpu = if found.is_empty() { "no extensions".to_owned() } else { found.join(" ") };
    Ok(format!(
        "backends: aes-256-gcm by {}, chacha20-poly1305 by {}, sm4 by {}\ncpu: {cpu}",
        by(Algorithm::Aes256Gcm)?,
        by(Algorithm::ChaCha20Poly1305)?,
        by(Algorithm::Sm4Gcm)?
    ))
}

#[cfg(target_arch = "x86_64")]
fn instruction_sets() -> Vec<&'static str> {
    use std::arch::is_x86_feature_detected as has;
    let sets = [
        ("aes", has!("aes")),
        ("pclmulqdq", has!("pclmulqdq")),
        ("avx2", has!("avx2")),
        ("vaes", has!("vaes")),
        ("gfni", has!("gfni")),
        ("vpclmulqdq", has!("vpclmulqdq")),
        ("avx512", has!("avx512f") && has!("avx512bw") && has!("avx512vl")),
        ("avx512ifma", has!("avx512ifma")),
    ];
    sets.into_iter().filter_map(|(name, found)| found.then_some(name)).collect()
}

#[cfg(target_arch = "aarch64")]
fn instruction_sets() -> Vec<&'static str> {
    use std::arch::is_aarch64_feature_detected as has;
    let sets = [("neon", has!("neon")), ("aes", has!("aes")), ("pmull", has!("pmull")), ("sha3", has!("sha3"))];
    sets.into_iter().filter_map(|(name, found)| found.then_some(name)).collect()
}

#[cfg(target_family = "wasm")]
fn instruction_sets() -> Vec<&'static str> {
    if cfg!(target_feature = "simd128") { vec!["webassembly", "simd128"] } else { vec!["webassembly"] }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_family = "wasm")))]
fn instruction_sets() -> Vec<&'static str> {
    Vec::new()
}
