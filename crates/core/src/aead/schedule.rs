//! Key schedules of what computes, chosen once per key by what the CPU has. SM4 and XChaCha20 are our own, and so is
//! ChaCha20 wherever our kernels have AVX2 or better; elsewhere AWS-LC's, with what it has for other CPUs, is the faster one.
//!
//! For AES, AWS-LC is the library; it is fastest wherever there is AVX-512 or no VAES. On a CPU with VAES and without AVX-512
//! (AMD Zen 3, Intel client CPUs since 2021) it falls back to 128-bit AES, where ring uses 256-bit vectors and is
//! 1.7 times as fast: there, ring computes AES-GCM (docs/design/aead-backends.md).

use super::{Algorithm, Backend, TAG_LEN};
use crate::error::{Error, Result};
use crate::kernel;
use aws_lc_rs::aead as aws_lc;
#[cfg(target_arch = "x86_64")]
use ring::aead as ring_lib;
use sealstone_ciphers::chacha20::{ChaCha20Poly1305, XChaCha20Poly1305};
use sealstone_ciphers::sm4::{Sm4Ccm, Sm4Gcm};

pub(super) enum Schedule {
    AwsLc(aws_lc::LessSafeKey),
    #[cfg(target_arch = "x86_64")]
    Ring(Erased),
    Sm4Gcm(Box<Sm4Gcm>),
    Sm4Ccm(Box<Sm4Ccm>),
    ChaCha20Poly1305(ChaCha20Poly1305),
    XChaCha20Poly1305(XChaCha20Poly1305),
}

/// No library tells more than that something did not fit.
pub(super) struct Refused;

impl Schedule {
    /// The schedule of a key that has the algorithm's length, on a backend that this CPU and algorithm have.
    pub(super) fn new(backend: Backend, algorithm: Algorithm, key: &[u8]) -> Result<Self> {
        let sm4 = || key.try_into().expect("aead: SM4 takes 16 bytes");
        let chacha = || key.try_into().expect("aead: ChaCha20 takes 32 bytes");
        let there = "aead: the backend was found";
        Ok(match (backend, algorithm) {
            (Backend::AwsLc, Algorithm::Aes128Gcm) => Self::aws_lc(&aws_lc::AES_128_GCM, key),
            (Backend::AwsLc, Algorithm::Aes192Gcm) => Self::aws_lc(&aws_lc::AES_192_GCM, key),
            (Backend::AwsLc, Algorithm::Aes256Gcm) => Self::aws_lc(&aws_lc::AES_256_GCM, key),
            (Backend::AwsLc, Algorithm::ChaCha20Poly1305) => Self::aws_lc(&aws_lc::CHACHA20_POLY1305, key),
            #[cfg(target_arch = "x86_64")]
            (Backend::Ring, Algorithm::Aes128Gcm) if has_vaes() => Self::Ring(Erased::new(&ring_lib::AES_128_GCM, key)),
            #[cfg(target_arch = "x86_64")]
            (Backend::Ring, Algorithm::Aes256Gcm) if has_vaes() => Self::Ring(Erased::new(&ring_lib::AES_256_GCM, key)),
            (Backend::Own, Algorithm::Sm4Gcm) => {
                Self::Sm4Gcm(Box::new(Sm4Gcm::with_backend(kernel::of_sm4()?, sm4()).expect(there)))
            }
            (Backend::Own, Algorithm::Sm4Ccm) => {
                Self::Sm4Ccm(Box::new(Sm4Ccm::with_backend(kernel::of_sm4()?, sm4()).expect(there)))
            }
            (Backend::Own, Algorithm::ChaCha20Poly1305) => {
                Self::ChaCha20Poly1305(ChaCha20Poly1305::with_backend(kernel::of_chacha()?, chacha()).expect(there))
            }
            (Backend::Own, Algorithm::XChaCha20Poly1305) => {
                Self::XChaCha20Poly1305(XChaCha20Poly1305::with_backend(kernel::of_chacha()?, chacha()).expect(there))
            }
            _ => return Err(Error::UnavailableBackend(format!("{algorithm} is not computed by {}", backend.name()))),
        })
    }

    fn aws_lc(algorithm: &'static aws_lc::Algorithm, key: &[u8]) -> Self {
        let key = aws_lc::UnboundKey::new(algorithm, key).expect("aead: the key has its length");
        Self::AwsLc(aws_lc::LessSafeKey::new(key))
    }

    pub(super) fn backend(&self) -> Backend {
        match self {
            Self::AwsLc(_) => Backend::AwsLc,
            #[cfg(target_arch = "x86_64")]
            Self::Ring(_) => Backend::Ring,
            Self::Sm4Gcm(_) | Self::Sm4Ccm(_) | Self::ChaCha20Poly1305(_) | Self::XChaCha20Poly1305(_) => Backend::Own,
        }
    }

    /// The library, or which of our own kernels.
    pub(super) fn computed_by(&self) -> &'static str {
        match self {
            Self::Sm4Gcm(key) => key.backend().name(),
            Self::Sm4Ccm(key) => key.backend().name(),
            Self::ChaCha20Poly1305(key) => key.backend().name(),
            Self::XChaCha20Poly1305(key) => key.backend().name(),
            _ => self.backend().name(),
        }
    }

    /// Seals in place; the nonce has the algorithm's length, with which nothing but the length of the buffer is refused.
    pub(super) fn seal(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8]) -> Result<[u8; TAG_LEN], Refused> {
        let mut own = [0; TAG_LEN];
        let tag_len = "aead: a tag is 16 bytes";
        match self {
            Self::AwsLc(key) => {
                let nonce = aws_lc::Nonce::try_assume_unique_for_key(nonce).map_err(|_| Refused)?;
                let tag = key.seal_in_place_separate_tag(nonce, aws_lc::Aad::from(aad), buffer);
                Ok(tag.map_err(|_| Refused)?.as_ref().try_into().expect(tag_len))
            }
            #[cfg(target_arch = "x86_64")]
            Self::Ring(key) => {
                let nonce = ring_lib::Nonce::try_assume_unique_for_key(nonce).map_err(|_| Refused)?;
                let tag = key.0.seal_in_place_separate_tag(nonce, ring_lib::Aad::from(aad), buffer);
                Ok(tag.map_err(|_| Refused)?.as_ref().try_into().expect(tag_len))
            }
            Self::Sm4Gcm(key) => key.seal_in_place(nonce, aad, buffer, &mut own).map(|()| own).map_err(|_| Refused),
            Self::Sm4Ccm(key) => key.seal_in_place(nonce, aad, buffer, &mut own).map(|()| own).map_err(|_| Refused),
            Self::ChaCha20Poly1305(key) => key.seal_in_place(nonce, aad, buffer).map_err(|_| Refused),
            Self::XChaCha20Poly1305(key) => key.seal_in_place(nonce, aad, buffer).map_err(|_| Refused),
        }
    }

    /// Opens a ciphertext in place.
    pub(super) fn open(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8], tag: &[u8; TAG_LEN]) -> Result<(), Refused> {
        match self {
            Self::AwsLc(key) => {
                let nonce = aws_lc::Nonce::try_assume_unique_for_key(nonce).map_err(|_| Refused)?;
                let opened = key.open_in_place_separate_tag(nonce, aws_lc::Aad::from(aad), tag, buffer);
                opened.map(drop).map_err(|_| Refused)
            }
            #[cfg(target_arch = "x86_64")]
            Self::Ring(key) => {
                let nonce = ring_lib::Nonce::try_assume_unique_for_key(nonce).map_err(|_| Refused)?;
                let (aad, tag) = (ring_lib::Aad::from(aad), ring_lib::Tag::from(*tag));
                key.0.open_in_place_separate_tag(nonce, aad, tag, buffer, 0..).map(drop).map_err(|_| Refused)
            }
            Self::Sm4Gcm(key) => key.open_in_place(nonce, aad, buffer, tag).map_err(|_| Refused),
            Self::Sm4Ccm(key) => key.open_in_place(nonce, aad, buffer, tag).map_err(|_| Refused),
            Self::ChaCha20Poly1305(key) => key.open_in_place(nonce, aad, buffer, tag).map_err(|_| Refused),
            Self::XChaCha20Poly1305(key) => key.open_in_place(nonce, aad, buffer, tag).map_err(|_| Refused),
        }
    }
}

/// Whether ring's wide code runs here and AWS-LC's does not. The features are those that either library asks for.
pub(super) fn prefers_ring(algorithm: Algorithm) -> bool {
    matches!(algorithm, Algorithm::Aes128Gcm | Algorithm::Aes256Gcm) && has_vaes() && !has_avx512()
}

#[cfg(target_arch = "x86_64")]
fn has_vaes() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("vaes") && has!("vpclmulqdq") && has!("avx2") && has!("bmi2")
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_vaes() -> bool {
    false
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx512() -> bool {
    false
}

/// A schedule of ring's, which does not erase its keys itself: on drop the schedule of a zero key is written over it,
/// in the place on the heap where it has been since it was made.
#[cfg(target_arch = "x86_64")]
pub(super) struct Erased(Box<ring_lib::LessSafeKey>);

#[cfg(target_arch = "x86_64")]
impl Erased {
    fn new(algorithm: &'static ring_lib::Algorithm, key: &[u8]) -> Self {
        Self(Box::new(Self::schedule(algorithm, key)))
    }

    fn schedule(algorithm: &'static ring_lib::Algorithm, key: &[u8]) -> ring_lib::LessSafeKey {
        let key = ring_lib::UnboundKey::new(algorithm, key).expect("aead: the key has its length");
        ring_lib::LessSafeKey::new(key)
    }
}

#[cfg(target_arch = "x86_64")]
impl Drop for Erased {
    fn drop(&mut self) {
        // Of AES-256, whose schedule is the longest.
        *self.0 = Self::schedule(&ring_lib::AES_256_GCM, &[0; 32]);
        // Without this the compiler may see that nobody reads what was written.
        std::hint::black_box(&mut *self.0);
    }
}
