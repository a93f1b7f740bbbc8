//! Key schedules. The implementation is chosen once for each key, by the CPU's features. SM4 and XChaCha20 use our own kernels,
//! and so does ChaCha20 on CPUs with AVX2 or better; on other CPUs the provider's ChaCha20 is faster.
//!
//! AES-GCM is the provider's. AWS-LC is fastest on CPUs with AVX-512 or without VAES. On a CPU with VAES and without AVX-512
//! (AMD Zen 3, Intel client CPUs since 2021) AWS-LC falls back to 128-bit AES; ring uses 256-bit vectors and is 1.7 times as
//! fast, so there ring computes AES-GCM (docs/design/aead-backends.md). Neither library takes nonces that are not 12 bytes.

use super::{Algorithm, Backend, TAG_LEN};
use crate::error::{Error, Result};
use crate::kernel;
use crate::provider::{self, Refused};
use sealstone_ciphers::chacha20::{ChaCha20Poly1305, XChaCha20Poly1305};
use sealstone_ciphers::sm4::{Sm4Ccm, Sm4Gcm};

pub(super) enum Schedule {
    AesGcm(provider::AesGcm),
    RingAesGcm(provider::ring::AesGcm),
    /// AES-GCM under nonces that are not 12 bytes.
    AnyNonce(provider::Gcm),
    AesGcmSiv(provider::AesGcmSiv),
    Sm4Gcm(Box<Sm4Gcm>),
    Sm4Ccm(Box<Sm4Ccm>),
    ChaCha20Poly1305(ChaCha20Poly1305),
    ProviderChaCha20Poly1305(provider::ChaCha20Poly1305),
    XChaCha20Poly1305(XChaCha20Poly1305),
}

impl Schedule {
    /// Computes the schedule of a key of the algorithm's length, on a backend that this CPU and the algorithm support.
    pub(super) fn new(backend: Backend, algorithm: Algorithm, key: &[u8]) -> Result<Self> {
        let sm4 = || key.try_into().expect("aead: SM4 takes 16 bytes");
        let chacha = || key.try_into().expect("aead: ChaCha20 takes 32 bytes");
        let there = "aead: the backend was found";
        let absent = || Error::UnavailableBackend(format!("{algorithm} is not computed by {}", backend.name()));
        Ok(match (backend, algorithm) {
            (Backend::PROVIDER, _) if algorithm.is_aes_gcm() => Self::AesGcm(provider::AesGcm::new(key)),
            (Backend::PROVIDER, Algorithm::Aes128GcmSiv | Algorithm::Aes256GcmSiv) => {
                Self::AesGcmSiv(provider::AesGcmSiv::new(key))
            }
            (Backend::PROVIDER, Algorithm::ChaCha20Poly1305) => {
                Self::ProviderChaCha20Poly1305(provider::ChaCha20Poly1305::new(chacha()))
            }
            (Backend::Ring, Algorithm::Aes128Gcm | Algorithm::Aes256Gcm) => {
                Self::RingAesGcm(provider::ring::AesGcm::new(key).ok_or_else(absent)?)
            }
            (Backend::Own, Algorithm::Sm4Gcm) => {
                Self::Sm4Gcm(Box::new(Sm4Gcm::with_backend(kernel::sm4_backend()?, sm4()).expect(there)))
            }
            (Backend::Own, Algorithm::Sm4Ccm) => {
                Self::Sm4Ccm(Box::new(Sm4Ccm::with_backend(kernel::sm4_backend()?, sm4()).expect(there)))
            }
            (Backend::Own, Algorithm::ChaCha20Poly1305) => Self::ChaCha20Poly1305(
                ChaCha20Poly1305::with_backend(kernel::chacha_backend()?, chacha()).expect(there),
            ),
            (Backend::Own, Algorithm::XChaCha20Poly1305) => Self::XChaCha20Poly1305(
                XChaCha20Poly1305::with_backend(kernel::chacha_backend()?, chacha()).expect(there),
            ),
            _ => return Err(absent()),
        })
    }

    pub(super) fn backend(&self) -> Backend {
        match self {
            Self::AesGcm(_) | Self::AesGcmSiv(_) | Self::ProviderChaCha20Poly1305(_) => Backend::PROVIDER,
            Self::RingAesGcm(_) => Backend::Ring,
            Self::AnyNonce(_) => Backend::RustCrypto,
            Self::Sm4Gcm(_) | Self::Sm4Ccm(_) | Self::ChaCha20Poly1305(_) | Self::XChaCha20Poly1305(_) => Backend::Own,
        }
    }

    /// The name of the library, or of our own kernel.
    pub(super) fn kernel_name(&self) -> &'static str {
        match self {
            Self::Sm4Gcm(key) => key.backend().name(),
            Self::Sm4Ccm(key) => key.backend().name(),
            Self::ChaCha20Poly1305(key) => key.backend().name(),
            Self::XChaCha20Poly1305(key) => key.backend().name(),
            _ => self.backend().name(),
        }
    }

    /// Seals in place. The nonce has one of the algorithm's lengths, so only a buffer that is too long is refused.
    pub(super) fn seal(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8]) -> Result<[u8; TAG_LEN], Refused> {
        let mut tag = [0; TAG_LEN];
        match self {
            Self::AesGcm(key) => key.seal(nonce, aad, buffer),
            Self::RingAesGcm(key) => key.seal(nonce, aad, buffer),
            Self::AnyNonce(key) => key.seal(nonce, aad, buffer),
            Self::AesGcmSiv(key) => key.seal(nonce, aad, buffer),
            Self::Sm4Gcm(key) => key.seal_in_place(nonce, aad, buffer, &mut tag).map(|()| tag).map_err(|_| Refused),
            Self::Sm4Ccm(key) => key.seal_in_place(nonce, aad, buffer, &mut tag).map(|()| tag).map_err(|_| Refused),
            Self::ChaCha20Poly1305(key) => key.seal_in_place(nonce, aad, buffer).map_err(|_| Refused),
            Self::ProviderChaCha20Poly1305(key) => key.seal(nonce, aad, buffer),
            Self::XChaCha20Poly1305(key) => key.seal_in_place(nonce, aad, buffer).map_err(|_| Refused),
        }
    }

    /// Opens a ciphertext in place.
    pub(super) fn open(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8], tag: &[u8; TAG_LEN]) -> Result<(), Refused> {
        match self {
            Self::AesGcm(key) => key.open(nonce, aad, buffer, tag),
            Self::RingAesGcm(key) => key.open(nonce, aad, buffer, tag),
            Self::AnyNonce(key) => key.open(nonce, aad, buffer, tag),
            Self::AesGcmSiv(key) => key.open(nonce, aad, buffer, tag),
            Self::Sm4Gcm(key) => key.open_in_place(nonce, aad, buffer, tag).map_err(|_| Refused),
            Self::Sm4Ccm(key) => key.open_in_place(nonce, aad, buffer, tag).map_err(|_| Refused),
            Self::ChaCha20Poly1305(key) => key.open_in_place(nonce, aad, buffer, tag).map_err(|_| Refused),
            Self::ProviderChaCha20Poly1305(key) => key.open(nonce, aad, buffer, tag),
            Self::XChaCha20Poly1305(key) => key.open_in_place(nonce, aad, buffer, tag).map_err(|_| Refused),
        }
    }

    /// As [`seal`](Self::seal), from `plaintext` into `out`, which has the same length.
    pub(super) fn seal_into(
        &self,
        nonce: &[u8],
        aad: &[u8],
        plaintext: &[u8],
        out: &mut [u8],
    ) -> Result<[u8; TAG_LEN], Refused> {
        if let Self::AesGcm(key) = self {
            return key.seal_into(nonce, aad, plaintext, out);
        }
        out.copy_from_slice(plaintext);
        self.seal(nonce, aad, out)
    }

    /// As [`open`](Self::open), from `ciphertext` into `out`, which has the same length.
    pub(super) fn open_into(
        &self,
        nonce: &[u8],
        aad: &[u8],
        ciphertext: &[u8],
        tag: &[u8; TAG_LEN],
        out: &mut [u8],
    ) -> Result<(), Refused> {
        if let Self::AesGcm(key) = self {
            return key.open_into(nonce, aad, ciphertext, tag, out);
        }
        out.copy_from_slice(ciphertext);
        self.open(nonce, aad, out, tag)
    }
}

/// Whether ring is the fastest implementation of an algorithm on this CPU.
pub(super) fn prefers_ring(algorithm: Algorithm) -> bool {
    matches!(algorithm, Algorithm::Aes128Gcm | Algorithm::Aes256Gcm) && provider::ring::is_fastest()
}
