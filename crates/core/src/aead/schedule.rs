//! Key schedules of the libraries that compute, chosen once per key by what the CPU has.
//!
//! AWS-LC is the library; it is fastest wherever there is AVX-512 or no VAES. On a CPU with VAES and without AVX-512
//! (AMD Zen 3, Intel client CPUs since 2021) it falls back to 128-bit AES, where ring uses 256-bit vectors and is
//! 1.7 times as fast: there, ring computes AES-256-GCM (docs/design/aead-backends.md).

use super::{Algorithm, Backend, KEY_LEN, NONCE_LEN, TAG_LEN};
use aws_lc_rs::aead as aws_lc;
#[cfg(target_arch = "x86_64")]
use ring::aead as ring_lib;

pub(super) enum Schedule {
    AwsLc(aws_lc::LessSafeKey),
    #[cfg(target_arch = "x86_64")]
    Ring(Erased),
}

/// Neither library tells more than that something did not fit.
pub(super) struct Refused;

impl Schedule {
    /// The schedule of a backend that this CPU and algorithm have.
    pub(super) fn new(backend: Backend, algorithm: Algorithm, key: &[u8; KEY_LEN]) -> Option<Self> {
        match backend {
            Backend::AwsLc => {
                let native = match algorithm {
                    Algorithm::Aes256Gcm => &aws_lc::AES_256_GCM,
                    Algorithm::ChaCha20Poly1305 => &aws_lc::CHACHA20_POLY1305,
                };
                let key = aws_lc::UnboundKey::new(native, key).expect("aead: both algorithms take 32 bytes");
                Some(Self::AwsLc(aws_lc::LessSafeKey::new(key)))
            }
            #[cfg(target_arch = "x86_64")]
            Backend::Ring if algorithm == Algorithm::Aes256Gcm && has_vaes() => Some(Self::Ring(Erased::new(key))),
            Backend::Ring => None,
        }
    }

    pub(super) fn backend(&self) -> Backend {
        match self {
            Self::AwsLc(_) => Backend::AwsLc,
            #[cfg(target_arch = "x86_64")]
            Self::Ring(_) => Backend::Ring,
        }
    }

    pub(super) fn seal(
        &self,
        nonce: &[u8; NONCE_LEN],
        aad: &[u8],
        buffer: &mut [u8],
    ) -> Result<[u8; TAG_LEN], Refused> {
        let tag_len = "aead: a tag is 16 bytes";
        match self {
            Self::AwsLc(key) => {
                let nonce = aws_lc::Nonce::assume_unique_for_key(*nonce);
                let tag = key.seal_in_place_separate_tag(nonce, aws_lc::Aad::from(aad), buffer);
                Ok(tag.map_err(|_| Refused)?.as_ref().try_into().expect(tag_len))
            }
            #[cfg(target_arch = "x86_64")]
            Self::Ring(key) => {
                let nonce = ring_lib::Nonce::assume_unique_for_key(*nonce);
                let tag = key.0.seal_in_place_separate_tag(nonce, ring_lib::Aad::from(aad), buffer);
                Ok(tag.map_err(|_| Refused)?.as_ref().try_into().expect(tag_len))
            }
        }
    }

    /// Opens ciphertext and tag in place; returns the length of the plaintext.
    pub(super) fn open(&self, nonce: &[u8; NONCE_LEN], aad: &[u8], buffer: &mut [u8]) -> Result<usize, Refused> {
        match self {
            Self::AwsLc(key) => {
                let nonce = aws_lc::Nonce::assume_unique_for_key(*nonce);
                let opened = key.open_in_place(nonce, aws_lc::Aad::from(aad), buffer);
                opened.map(|plaintext| plaintext.len()).map_err(|_| Refused)
            }
            #[cfg(target_arch = "x86_64")]
            Self::Ring(key) => {
                let nonce = ring_lib::Nonce::assume_unique_for_key(*nonce);
                let opened = key.0.open_in_place(nonce, ring_lib::Aad::from(aad), buffer);
                opened.map(|plaintext| plaintext.len()).map_err(|_| Refused)
            }
        }
    }
}

/// Whether ring's wide code runs here and AWS-LC's does not. The features are those that either library asks for.
pub(super) fn prefers_ring(algorithm: Algorithm) -> bool {
    algorithm == Algorithm::Aes256Gcm && has_vaes() && !has_avx512()
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
    fn new(key: &[u8; KEY_LEN]) -> Self {
        Self(Box::new(Self::schedule(key)))
    }

    fn schedule(key: &[u8; KEY_LEN]) -> ring_lib::LessSafeKey {
        let key = ring_lib::UnboundKey::new(&ring_lib::AES_256_GCM, key).expect("aead: AES-256 takes 32 bytes");
        ring_lib::LessSafeKey::new(key)
    }
}

#[cfg(target_arch = "x86_64")]
impl Drop for Erased {
    fn drop(&mut self) {
        *self.0 = Self::schedule(&[0; KEY_LEN]);
        // Without this the compiler may see that nobody reads what was written.
        std::hint::black_box(&mut *self.0);
    }
}
