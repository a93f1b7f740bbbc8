//! ML-KEM-768 (FIPS 203) by itself, and as a KEM of HPKE (draft-ietf-hpke-pq). Seeds are expanded once, when they are read.

use super::{KeyEncapsulation, RANDOM_LEN, Secret};
use crate::provider;
pub(crate) use crate::provider::{MlKem768 as DecapsulationKey, ml_kem_768_expand as expand};
use std::sync::Arc;

/// Bytes of a seed, d || z.
pub(crate) const SEED_LEN: usize = 64;
/// Bytes of an encapsulation key.
pub(super) const PUBLIC_LEN: usize = 1184;
/// Bytes of a ciphertext.
pub(super) const CIPHERTEXT_LEN: usize = 1088;
/// Bytes of the randomness of an encapsulation.
pub(super) const ENCAPSULATION_RANDOM_LEN: usize = 32;

/// Bytes of the numbers in an encapsulation key: 768 of 12 bits. A seed follows.
const NUMBERS_LEN: usize = 1152;
/// Numbers are below it (FIPS 203 section 2.4.1).
const Q: u16 = 3329;

/// An encapsulation key that was checked.
pub(super) struct EncapsulationKey(provider::MlKem768Public);

impl EncapsulationKey {
    /// `None` of numbers that are not below q: the modulus check of FIPS 203 section 7.2, which AWS-LC makes only when it
    /// encapsulates.
    pub(super) fn from_bytes(bytes: &[u8; PUBLIC_LEN]) -> Option<Self> {
        let (pairs, _) = bytes[..NUMBERS_LEN].as_chunks::<3>();
        let numbers = pairs.iter().flat_map(|&[low, middle, high]| {
            let [low, middle, high] = [low, middle, high].map(u16::from);
            [low | (middle & 0x0f) << 8, middle >> 4 | high << 4]
        });
        // All of them, so that the compiler can look at many at once.
        let largest = numbers.fold(0, u16::max);
        (largest < Q).then(|| Self(provider::MlKem768Public::new(bytes)))
    }

    /// The ciphertext and its shared secret. Of AWS-LC the randomness is its own ([`provider::MlKem768Public`]).
    pub(super) fn encapsulate(&self, random: &[u8; ENCAPSULATION_RANDOM_LEN]) -> (Vec<u8>, Secret) {
        self.0.encapsulate(random)
    }
}

/// ML-KEM-768, 0x0041.
pub(crate) struct MlKem768;

/// A public key of it.
#[derive(Clone)]
pub(crate) struct PublicKey(Arc<Public>);

struct Public {
    bytes: [u8; PUBLIC_LEN],
    key: EncapsulationKey,
}

/// A private key of it, expanded.
#[derive(Clone)]
pub(crate) struct PrivateKey(Arc<KeyPair>);

struct KeyPair {
    key: DecapsulationKey,
    public: PublicKey,
}

impl KeyEncapsulation for MlKem768 {
    const ID: u16 = 0x0041;
    const PRIVATE_LEN: usize = SEED_LEN;
    const PUBLIC_LEN: usize = PUBLIC_LEN;
    const ENC_LEN: usize = CIPHERTEXT_LEN;
    type PrivateKey = PrivateKey;
    type PublicKey = PublicKey;

    fn private_key(seed: &[u8]) -> Option<PrivateKey> {
        let (key, public) = DecapsulationKey::from_seed(seed.try_into().ok()?);
        Some(PrivateKey(Arc::new(KeyPair { key, public: Self::public_key(&public)? })))
    }

    fn public_key(bytes: &[u8]) -> Option<PublicKey> {
        let bytes: &[u8; PUBLIC_LEN] = bytes.try_into().ok()?;
        Some(PublicKey(Arc::new(Public { bytes: *bytes, key: EncapsulationKey::from_bytes(bytes)? })))
    }

    fn public_key_of(private: &PrivateKey) -> PublicKey {
        private.0.public.clone()
    }

    fn public_bytes(public: &PublicKey) -> &[u8] {
        &public.0.bytes
    }

    fn encapsulate(public: &PublicKey, random: &[u8; RANDOM_LEN]) -> (Secret, Vec<u8>) {
        let random = random.first_chunk().expect("ml-kem: the randomness is enough");
        let (ciphertext, secret) = public.0.key.encapsulate(random);
        (secret, ciphertext)
    }

    fn decapsulate(private: &PrivateKey, enc: &[u8]) -> Option<Secret> {
        (enc.len() == CIPHERTEXT_LEN).then(|| private.0.key.decapsulate(enc))
    }
}
