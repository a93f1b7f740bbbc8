//! ML-KEM (FIPS 203), also as a KEM of HPKE (draft-ietf-hpke-pq). Seeds are expanded once, when they are read.

use super::{KeyEncapsulation, RANDOM_LEN, Secret};
use crate::provider::{self, Sha3_256};
use core::marker::PhantomData;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Bytes of a seed, d || z.
pub(crate) const SEED_LEN: usize = 64;
/// Bytes of the randomness of an encapsulation.
pub(super) const ENCAPSULATION_RANDOM_LEN: usize = 32;

/// The modulus q: numbers of an encapsulation key are below q (FIPS 203 section 2.4.1).
const Q: u16 = 3329;
/// Bytes of the seed ρ after the numbers of an encapsulation key.
const RHO_LEN: usize = 32;
/// Bytes of the encapsulation key's hash in a decapsulation key.
const HASH_LEN: usize = 32;
/// Bytes of z, the secret of the implicit rejection, in a decapsulation key.
const Z_LEN: usize = 32;

/// A parameter set of ML-KEM, computed by the provider.
pub(crate) trait Size {
    /// The number in HPKE.
    const ID: u16;
    /// Bytes of an encapsulation key.
    const PUBLIC_LEN: usize;
    /// Bytes of a ciphertext.
    const CIPHERTEXT_LEN: usize;
    type Decapsulation;
    type Encapsulation;

    fn from_seed(seed: &[u8; SEED_LEN]) -> (Self::Decapsulation, Vec<u8>);
    /// Takes an expanded key. The caller has checked it.
    fn from_expanded(expanded: &[u8]) -> Self::Decapsulation;
    fn decapsulate(key: &Self::Decapsulation, ciphertext: &[u8]) -> Secret;
    /// Takes a key. The caller has checked its length and its numbers.
    fn new(bytes: &[u8]) -> Self::Encapsulation;
    fn encapsulate(key: &Self::Encapsulation, random: &[u8; ENCAPSULATION_RANDOM_LEN]) -> (Vec<u8>, Secret);
    /// Expands a seed to the decapsulation key (FIPS 203 algorithm 16).
    fn expand(seed: &[u8; SEED_LEN]) -> Zeroizing<Vec<u8>>;
}

macro_rules! sizes {
    ($($(#[$doc:meta])* $name:ident = $id:literal, $private:ident, $public:ident, $expand:ident, $public_len:literal, $ciphertext_len:literal;)+) => {$(
        $(#[$doc])*
        pub(crate) struct $name;

        impl Size for $name {
            const ID: u16 = $id;
            const PUBLIC_LEN: usize = $public_len;
            const CIPHERTEXT_LEN: usize = $ciphertext_len;
            type Decapsulation = provider::$private;
            type Encapsulation = provider::$public;

            fn from_seed(seed: &[u8; SEED_LEN]) -> (Self::Decapsulation, Vec<u8>) {
                provider::$private::from_seed(seed)
            }

            fn from_expanded(expanded: &[u8]) -> Self::Decapsulation {
                provider::$private::from_expanded(expanded.try_into().expect("ml-kem: the key has its length"))
            }

            fn decapsulate(key: &Self::Decapsulation, ciphertext: &[u8]) -> Secret {
                key.decapsulate(ciphertext)
            }

            fn new(bytes: &[u8]) -> Self::Encapsulation {
                provider::$public::new(bytes.try_into().expect("ml-kem: the key has its length"))
            }

            fn encapsulate(key: &Self::Encapsulation, random: &[u8; ENCAPSULATION_RANDOM_LEN]) -> (Vec<u8>, Secret) {
                key.encapsulate(random)
            }

            fn expand(seed: &[u8; SEED_LEN]) -> Zeroizing<Vec<u8>> {
                Zeroizing::new(provider::$expand(seed).to_vec())
            }
        }
    )+};
}

sizes! {
    /// ML-KEM-512.
    Size512 = 0x0040, MlKem512, MlKem512Public, ml_kem_512_expand, 800, 768;
    /// ML-KEM-768.
    Size768 = 0x0041, MlKem768, MlKem768Public, ml_kem_768_expand, 1184, 1088;
    /// ML-KEM-1024.
    Size1024 = 0x0042, MlKem1024, MlKem1024Public, ml_kem_1024_expand, 1568, 1568;
}

/// A checked encapsulation key.
pub(super) struct EncapsulationKey<S: Size>(S::Encapsulation);

impl<S: Size> EncapsulationKey<S> {
    /// Reads a key; `None` for another length, and if a number is not below q. This is the modulus check of FIPS 203 section
    /// 7.2, which AWS-LC only does when it encapsulates.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.len() != S::PUBLIC_LEN {
            return None;
        }
        let (pairs, _) = bytes[..S::PUBLIC_LEN - RHO_LEN].as_chunks::<3>();
        let numbers = pairs.iter().flat_map(|&[low, middle, high]| {
            let [low, middle, high] = [low, middle, high].map(u16::from);
            [low | (middle & 0x0f) << 8, middle >> 4 | high << 4]
        });
        // Without an early exit, so that the compiler can compare many numbers at once.
        let largest = numbers.fold(0, u16::max);
        (largest < Q).then(|| Self(S::new(bytes)))
    }

    /// Returns a ciphertext and its shared secret. AWS-LC draws the randomness itself ([`provider::MlKem768Public`]).
    pub(super) fn encapsulate(&self, random: &[u8; ENCAPSULATION_RANDOM_LEN]) -> (Vec<u8>, Secret) {
        S::encapsulate(&self.0, random)
    }
}

/// ML-KEM of one size.
pub(crate) struct MlKem<S>(PhantomData<S>);

pub(crate) type MlKem512 = MlKem<Size512>;
pub(crate) type MlKem768 = MlKem<Size768>;
pub(crate) type MlKem1024 = MlKem<Size1024>;

/// A public key of ML-KEM.
pub(crate) struct PublicKey<S: Size>(Arc<Public<S>>);

struct Public<S: Size> {
    bytes: Box<[u8]>,
    key: EncapsulationKey<S>,
}

/// An expanded private key of ML-KEM.
pub(crate) struct PrivateKey<S: Size>(Arc<KeyPair<S>>);

struct KeyPair<S: Size> {
    key: S::Decapsulation,
    public: PublicKey<S>,
}

// `derive` would require that sizes implement `Clone`.
impl<S: Size> Clone for PublicKey<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S: Size> Clone for PrivateKey<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S: Size> MlKem<S> {
    /// Reads an expanded private key, which other software stores: dk || ek || H(ek) || z (FIPS 203 algorithm 16). `None` for
    /// another length, and if a check of sections 7.2 and 7.3 fails: the hash is not the encapsulation key's, or a number of
    /// that key is not below q.
    pub(crate) fn expanded_key(expanded: &[u8]) -> Option<PrivateKey<S>> {
        let (_, rest) = expanded.split_at_checked(S::PUBLIC_LEN - RHO_LEN)?;
        let (public, rest) = rest.split_at_checked(S::PUBLIC_LEN)?;
        let (hash, z) = rest.split_at_checked(HASH_LEN)?;
        if z.len() != Z_LEN || !provider::equal(&Sha3_256::of(&[public])[..], hash) {
            return None;
        }
        let public = Self::public_key(public)?;
        Some(PrivateKey(Arc::new(KeyPair { key: S::from_expanded(expanded), public })))
    }
}

impl<S: Size> KeyEncapsulation for MlKem<S> {
    const ID: u16 = S::ID;
    const PRIVATE_LEN: usize = SEED_LEN;
    const PUBLIC_LEN: usize = S::PUBLIC_LEN;
    const ENC_LEN: usize = S::CIPHERTEXT_LEN;
    type PrivateKey = PrivateKey<S>;
    type PublicKey = PublicKey<S>;

    fn private_key(seed: &[u8]) -> Option<PrivateKey<S>> {
        let (key, public) = S::from_seed(seed.try_into().ok()?);
        Some(PrivateKey(Arc::new(KeyPair { key, public: Self::public_key(&public)? })))
    }

    fn public_key(bytes: &[u8]) -> Option<PublicKey<S>> {
        Some(PublicKey(Arc::new(Public { key: EncapsulationKey::from_bytes(bytes)?, bytes: bytes.into() })))
    }

    fn public_key_of(private: &PrivateKey<S>) -> PublicKey<S> {
        private.0.public.clone()
    }

    fn public_bytes(public: &PublicKey<S>) -> &[u8] {
        &public.0.bytes
    }

    fn encapsulate(public: &PublicKey<S>, random: &[u8; RANDOM_LEN]) -> (Secret, Vec<u8>) {
        let random = random.first_chunk().expect("ml-kem: the randomness is enough");
        let (ciphertext, secret) = public.0.key.encapsulate(random);
        (secret, ciphertext)
    }

    fn decapsulate(private: &PrivateKey<S>, enc: &[u8]) -> Option<Secret> {
        (enc.len() == S::CIPHERTEXT_LEN).then(|| S::decapsulate(&private.0.key, enc))
    }
}
