//! ring: AES-GCM on CPUs with VAES and without AVX-512 (docs/design/aead-backends.md).

use super::Refused;
use ring::aead;
use sealstone_ciphers::erasure::Erased;

/// AES-GCM with a key of 16 or 32 bytes, as [`super::AesGcm`].
///
/// ring does not erase its schedules.
pub(crate) struct AesGcm(Erased<aead::LessSafeKey>);

impl AesGcm {
    /// Computes the schedule; `None` on a CPU without the features of ring's wide code.
    pub(crate) fn new(key: &[u8]) -> Option<Self> {
        let algorithm = if key.len() == 16 { &aead::AES_128_GCM } else { &aead::AES_256_GCM };
        is_available().then(|| Self(Erased::new(schedule(algorithm, key))))
    }

    pub(crate) fn seal(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8]) -> Result<[u8; 16], Refused> {
        let nonce = aead::Nonce::try_assume_unique_for_key(nonce).map_err(|_| Refused)?;
        let tag = self.0.seal_in_place_separate_tag(nonce, aead::Aad::from(aad), buffer).map_err(|_| Refused)?;
        Ok(tag.as_ref().try_into().expect("ring: a tag has 16 bytes"))
    }

    pub(crate) fn open(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8], tag: &[u8; 16]) -> Result<(), Refused> {
        let nonce = aead::Nonce::try_assume_unique_for_key(nonce).map_err(|_| Refused)?;
        let (aad, tag) = (aead::Aad::from(aad), aead::Tag::from(*tag));
        self.0.open_in_place_separate_tag(nonce, aad, tag, buffer, 0..).map(drop).map_err(|_| Refused)
    }
}

fn schedule(algorithm: &'static aead::Algorithm, key: &[u8]) -> aead::LessSafeKey {
    aead::LessSafeKey::new(aead::UnboundKey::new(algorithm, key).expect("ring: the key has its length"))
}

fn is_available() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("vaes") && has!("vpclmulqdq") && has!("avx2") && has!("bmi2")
}

/// Whether ring is faster than AWS-LC on this CPU: AWS-LC is faster with AVX-512. The features are those that AWS-LC checks.
pub(crate) fn is_fastest() -> bool {
    use std::arch::is_x86_feature_detected as has;
    is_available() && !(has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl"))
}
