//! Authenticated encryption of one buffer: AES-GCM with keys of three lengths (SP 800-38D), AES-GCM-SIV (RFC 8452),
//! ChaCha20-Poly1305 (RFC 8439) and XChaCha20-Poly1305, and SM4 in GCM and CCM (RFC 8998). [`nacl`](crate::nacl) has XSalsa20-Poly1305.
//!
//! Most users want [`Encryptor`](crate::Encryptor), which draws keys and nonces itself. This module is for protocols that
//! define their own.
//!
//! ```
//! use sealstone::aead::{Aead, Algorithm};
//!
//! let key = Aead::new("aes-256-gcm".parse::<Algorithm>()?, &[7; 32])?;
//! // In the caller's buffer: sealing returns the tag, and opening expects it after the ciphertext.
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
use zeroize::{Zeroize, Zeroizing};

/// Bytes of a nonce of every algorithm except `xchacha20-poly1305`. [`Algorithm::nonce_len`] is the length for each algorithm,
/// [`Algorithm::nonce_lens`] all lengths that it accepts.
pub const NONCE_LEN: usize = 12;
/// Bytes of a nonce of `xchacha20-poly1305`.
const X_NONCE_LEN: usize = 24;
/// Bytes of a nonce of GCM: 12, and 8 and 16, which other software uses.
const GCM_NONCE_LENS: Lengths = Lengths { multiple_of: 4, ..Lengths::from_to(8, 16) };
/// Bytes of a tag.
pub const TAG_LEN: usize = 16;

/// An AEAD algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// `aes-128-gcm`, SP 800-38D, with 16-byte tags, for protocols that use it.
    Aes128Gcm,
    /// `aes-192-gcm`, for protocols that use it.
    Aes192Gcm,
    /// `aes-256-gcm`.
    Aes256Gcm,
    /// `aes-128-gcm-siv`, RFC 8452: `AEAD_AES_128_GCM_SIV`. A repeated nonce reveals only whether two buffers are equal. It
    /// costs a second pass over the plaintext.
    Aes128GcmSiv,
    /// `aes-256-gcm-siv`, RFC 8452: `AEAD_AES_256_GCM_SIV`.
    Aes256GcmSiv,
    /// `chacha20-poly1305`, RFC 8439.
    ChaCha20Poly1305,
    /// `xchacha20-poly1305` of draft-irtf-cfrg-xchacha and libsodium, with 24-byte nonces, which may be random.
    XChaCha20Poly1305,
    /// `sm4-gcm`, RFC 8998: `AEAD_SM4_GCM`.
    Sm4Gcm,
    /// `sm4-ccm`, RFC 8998: `AEAD_SM4_CCM`. A tenth as fast as `sm4-gcm`, for at most 2^24 - 1 bytes.
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

    /// The lengths of nonces that a caller may pass: [`nonce_len`](Self::nonce_len), and with GCM also 8 and 16 bytes.
    ///
    /// ```
    /// use sealstone::aead::{Aead, Algorithm};
    ///
    /// // A nonce of 16 bytes, the default of PyCryptodome's `AES.new(key, AES.MODE_GCM)`.
    /// let key = Aead::new(Algorithm::Aes256Gcm, &[7; 32])?;
    /// let sealed = key.seal(&[1; 16], b"", b"attack at dawn")?;
    /// assert_eq!(key.open(&[1; 16], b"", &sealed)?, b"attack at dawn");
    /// assert_eq!(Algorithm::Aes256Gcm.nonce_lens().to_string(), "8, 12 or 16 bytes");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Security
    /// GCM hashes a nonce that is not 12 bytes to its first counter (SP 800-38D section 7.1). The counters of two nonces may
    /// then overlap, which is as bad as a repeated nonce. Use such nonces only for compatibility with other software. With
    /// random nonces of 8 bytes, seal at most 2^16 buffers under one key: then the probability of a repetition reaches the
    /// limit of section 8.
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

/// An implementation. [`Aead::new`] chooses the fastest; tests and benchmarks name one.
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
    /// RustCrypto: instead of AWS-LC in WebAssembly, and on all targets for AES-GCM under nonces that are not 12 bytes.
    RustCrypto,
    /// ring, for AES-GCM on x86-64 CPUs with VAES.
    Ring,
    /// Sealstone's own kernels, for everything except AES: the widest that the CPU supports, or the one that
    /// [`forced_backend`](crate::forced_backend) names.
    Own,
}

impl Backend {
    /// All backends. [`Aead::with_backend`] fails for one that the CPU or the algorithm does not support.
    pub const ALL: [Self; 4] = [Self::AwsLc, Self::RustCrypto, Self::Ring, Self::Own];

    /// The library of the provider.
    const PROVIDER: Self = if provider::IS_AWS_LC { Self::AwsLc } else { Self::RustCrypto };

    /// The backend's name.
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
/// Never use a nonce twice under one key: with AES-GCM a single repetition reveals the authentication key. Only AES-GCM-SIV
/// stays secure then, and reveals whether buffers are equal. The key is not checked for randomness: derive it with a KDF, or
/// take it from the system's generator.
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
    /// The key of AES-GCM, for nonces that its library does not take. Each of them costs a new schedule.
    key: Option<Zeroizing<Vec<u8>>>,
}

debug!(Aead { algorithm });

impl Aead {
    /// Computes the schedule of a key of [`Algorithm::key_len`] bytes, on the backend that is fastest on this CPU.
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
    /// [`Error::NotAuthentic`] for a wrong key, nonce, `aad` or byte, and for input shorter than a tag, with a nonce of any
    /// length; no plaintext is released. [`Error::WrongLength`] or [`Error::OtherLength`] for a nonce whose length is not in
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
    /// [`Error::WrongLength`] or [`Error::OtherLength`] for a nonce as in [`open`](Self::open); [`Error::TooLong`] when
    /// `buffer` exceeds the algorithm's limit for one nonce: 2^36 - 32 bytes with GCM, 2^36 with GCM-SIV, 2^24 - 1 with
    /// SM4-CCM, 2^38 - 64 with ChaCha20-Poly1305 and XChaCha20-Poly1305.
    pub fn seal_in_place(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8]) -> Result<[u8; TAG_LEN]> {
        self.with_schedule(nonce, |schedule| schedule.seal(nonce, aad, buffer))?.map_err(|_| Error::TooLong)
    }

    /// Opens `buffer`, a ciphertext and its tag, in place, and returns the length of the plaintext at its beginning.
    ///
    /// # Errors
    /// The errors of [`open`](Self::open). [`Error::NotAuthentic`] clears `buffer`; the others leave it unchanged.
    pub fn open_in_place(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8]) -> Result<usize> {
        let Some((ciphertext, tag)) = buffer.split_last_chunk_mut() else {
            buffer.zeroize();
            return Err(Error::NotAuthentic { chunk: None });
        };
        self.check_nonce(nonce)?;
        let opened = self.open_in_place_separate_tag(nonce, aad, ciphertext, tag);
        opened.map(|()| ciphertext.len()).inspect_err(|_| tag.zeroize())
    }

    /// Replaces `buffer`, a ciphertext without its tag, with its plaintext.
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
        self.with_schedule(nonce, |schedule| schedule.open(nonce, aad, buffer, tag))?.map_err(|_| {
            buffer.zeroize();
            Error::NotAuthentic { chunk: None }
        })
    }

    /// Seals `plaintext` into `out`, which is longer by a tag of 16 bytes. It is the fastest way to seal into other memory, since it
    /// reads the plaintext once.
    ///
    /// ```
    /// use sealstone::aead::{Aead, Algorithm, TAG_LEN};
    ///
    /// let key = Aead::new(Algorithm::Aes256Gcm, &[7; 32])?;
    /// let (mut sealed, mut opened) = ([0; 14 + TAG_LEN], [0; 14]);
    /// key.seal_into(&[1; 12], b"header", b"attack at dawn", &mut sealed)?;
    /// key.open_into(&[1; 12], b"header", &sealed, &mut opened)?;
    /// assert_eq!(&opened, b"attack at dawn");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`seal_in_place`](Self::seal_in_place); [`Error::WrongLength`] for an `out` of another length. After an error, `out` is
    /// unchanged or zero.
    pub fn seal_into(&self, nonce: &[u8], aad: &[u8], plaintext: &[u8], out: &mut [u8]) -> Result<()> {
        Lengths::exactly(plaintext.len() + TAG_LEN).check("the memory of the ciphertext", out.len())?;
        let (out, tag) = out.split_last_chunk_mut().expect("aead: there is room for a tag");
        *tag = self.with_schedule(nonce, |schedule| schedule.seal_into(nonce, aad, plaintext, out))?.map_err(|_| {
            out.zeroize();
            Error::TooLong
        })?;
        Ok(())
    }

    /// Opens a ciphertext and its tag into `out`, which has the plaintext's length.
    ///
    /// # Errors
    /// As [`open`](Self::open); [`Error::WrongLength`] for an `out` of another length. [`Error::NotAuthentic`] clears `out`, and the
    /// others leave it unchanged.
    pub fn open_into(&self, nonce: &[u8], aad: &[u8], sealed: &[u8], out: &mut [u8]) -> Result<()> {
        let Some((ciphertext, tag)) = sealed.split_last_chunk() else {
            out.zeroize();
            return Err(Error::NotAuthentic { chunk: None });
        };
        Lengths::exactly(ciphertext.len()).check("the memory of the plaintext", out.len())?;
        self.with_schedule(nonce, |schedule| schedule.open_into(nonce, aad, ciphertext, tag, out))?.map_err(|_| {
            out.zeroize();
            Error::NotAuthentic { chunk: None }
        })
    }

    fn check_nonce(&self, nonce: &[u8]) -> Result<()> {
        self.algorithm.nonce_lens().check("the nonce", nonce.len())
    }

    /// Calls `work` with the schedule that takes a nonce of this length.
    fn with_schedule<T>(&self, nonce: &[u8], work: impl FnOnce(&Schedule) -> T) -> Result<T> {
        self.check_nonce(nonce)?;
        Ok(match &self.key {
            Some(key) if nonce.len() != NONCE_LEN => work(&Schedule::AnyNonce(provider::Gcm::new(key))),
            _ => work(&self.schedule),
        })
    }
}

/// Fills `nonce` from the system's generator.
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
/// Random nonces of 12 bytes may repeat: seal at most 2^32 buffers with them under one key (SP 800-38D section 8.3). Random
/// nonces of 24 bytes do not repeat.
///
/// # Errors
/// [`Error::NoRandomness`].
pub fn random_nonce(nonce: &mut [u8]) -> Result<()> {
    random::fill(nonce)
}

/// Describes the libraries and kernels that compute the AEADs, and this CPU's instruction sets that they use. They are chosen
/// at run time, for each key; there is nothing to configure.
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
        Aead::new(algorithm, &[0; 32][..algorithm.key_len()]).map(|key| key.schedule.kernel_name())
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
