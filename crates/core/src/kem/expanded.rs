//! ML-KEM-768 and MLKEM768-X25519 ("X-Wing") with private keys that are expanded once, when they are read, and decapsulate
//! with the provider's ML-KEM. The KEMs of `hpke` expand a seed of X-Wing at each decapsulation; all else is theirs.

use super::dhkem::{self, X25519};
use super::ml_kem_768::{DecapsulationKey, SEED_LEN};
use crate::provider::hpke::hybrid_array::Array;
use crate::provider::hpke::hybrid_array::sizes::U32;
use crate::provider::hpke::kem::{self, SharedSecret};
use crate::provider::hpke::rand_core::CryptoRng;
use crate::provider::hpke::{Choice, ConstantTimeEq, Deserializable, HpkeError, Kem, Serializable};
use crate::provider::{Sha3_256, shake256};
use core::marker::PhantomData;
use core::mem;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Bytes of a private key of X-Wing.
const X_WING_SEED_LEN: usize = 32;
/// Bytes of the ciphertext of ML-KEM-768, with which an encapsulated secret of X-Wing begins.
const ML_KEM_CIPHERTEXT_LEN: usize = 1088;
/// draft-connolly-cfrg-xwing-kem section 5.3.
const X_WING_LABEL: &[u8; 6] = b"\\.//^\\";

/// A private key of a KEM of the library, expanded.
pub(crate) trait Decapsulator: Sized + Send + Sync + 'static {
    type Library: Kem<NSecret = U32>;

    /// Takes a private key, and gives its public one too; `None` for another length.
    fn from_seed(seed: &[u8]) -> Option<(Self, Vec<u8>)>;

    /// `None` of a secret that the format refuses.
    fn decapsulate(&self, enc: &[u8]) -> Option<Zeroizing<[u8; 32]>>;
}

impl Decapsulator for DecapsulationKey {
    type Library = kem::MlKem768;

    fn from_seed(seed: &[u8]) -> Option<(Self, Vec<u8>)> {
        Some(Self::from_seed(seed.try_into().ok()?))
    }

    fn decapsulate(&self, enc: &[u8]) -> Option<Zeroizing<[u8; 32]>> {
        Some(self.decapsulate(enc))
    }
}

/// A private key of X-Wing: one of each half.
pub(crate) struct Halves {
    ml_kem: DecapsulationKey,
    x25519: dhkem::PrivateKey<X25519>,
}

impl Decapsulator for Halves {
    type Library = kem::XWing;

    fn from_seed(seed: &[u8]) -> Option<(Self, Vec<u8>)> {
        let seed: &[u8; X_WING_SEED_LEN] = seed.try_into().ok()?;
        let mut expanded = Zeroizing::new([0; SEED_LEN + 32]);
        shake256(seed, &mut expanded[..]);
        let (seed, scalar) = expanded.split_first_chunk().expect("x-wing: two secrets");
        let (ml_kem, mut public) = DecapsulationKey::from_seed(seed);
        let x25519 = dhkem::PrivateKey::from_bytes(scalar).ok()?;
        public.extend(x25519.public_key().to_bytes());
        Some((Self { ml_kem, x25519 }, public))
    }

    /// X-Wing itself accepts an all-zero secret of X25519; the format does not (section 4).
    fn decapsulate(&self, enc: &[u8]) -> Option<Zeroizing<[u8; 32]>> {
        let (ciphertext, point) = enc.split_at(ML_KEM_CIPHERTEXT_LEN);
        let ml_kem = self.ml_kem.decapsulate(ciphertext);
        let public = self.x25519.public_key().to_bytes();
        self.x25519.diffie_hellman(&dhkem::PublicKey::from_bytes(point).ok()?, |x25519| {
            Sha3_256::of(&[&ml_kem[..], x25519, point, &public, X_WING_LABEL])
        })
    }
}

/// A KEM of the library, with private keys that stay expanded.
pub(crate) struct Expanded<D>(PhantomData<D>);

pub(crate) type MlKem768 = Expanded<DecapsulationKey>;
pub(crate) type XWing = Expanded<Halves>;

pub(crate) type PublicKey<D> = <<D as Decapsulator>::Library as Kem>::PublicKey;
type EncappedKey<D> = <<D as Decapsulator>::Library as Kem>::EncappedKey;
type SeedLen<D> = <<<D as Decapsulator>::Library as Kem>::PrivateKey as Serializable>::OutputSize;

/// A seed with what it expands to.
pub(crate) struct PrivateKey<D: Decapsulator>(Arc<KeyPair<D>>);

struct KeyPair<D: Decapsulator> {
    seed: Zeroizing<Vec<u8>>,
    decapsulator: D,
    public: PublicKey<D>,
}

impl<D: Decapsulator> Clone for PrivateKey<D> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<D: Decapsulator> Serializable for PrivateKey<D> {
    type OutputSize = SeedLen<D>;

    fn write_exact(&self, out: &mut [u8]) {
        out.copy_from_slice(&self.0.seed);
    }
}

impl<D: Decapsulator> Deserializable for PrivateKey<D> {
    fn from_bytes(seed: &[u8]) -> Result<Self, HpkeError> {
        let (decapsulator, public) = D::from_seed(seed).ok_or(HpkeError::ValidationError)?;
        let public = PublicKey::<D>::from_bytes(&public)?;
        Ok(Self(Arc::new(KeyPair { seed: Zeroizing::new(seed.to_vec()), decapsulator, public })))
    }
}

impl<D: Decapsulator> ConstantTimeEq for PrivateKey<D> {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.0.seed.ct_eq(&other.0.seed)
    }
}

impl<D: Decapsulator> Kem for Expanded<D> {
    type PublicKey = PublicKey<D>;
    type PrivateKey = PrivateKey<D>;
    type EncappedKey = EncappedKey<D>;
    type NSecret = U32;

    const KEM_ID: u16 = D::Library::KEM_ID;

    fn sk_to_pk(private: &PrivateKey<D>) -> PublicKey<D> {
        private.0.public.clone()
    }

    fn derive_keypair(ikm: &[u8]) -> (PrivateKey<D>, PublicKey<D>) {
        let (private, public) = D::Library::derive_keypair(ikm);
        let seed = Zeroizing::new(private.to_bytes().to_vec());
        (PrivateKey::from_bytes(&seed).expect("expanded: the library's seed has its length"), public)
    }

    /// Decapsulates, without a sender's key: these KEMs have no authenticated mode.
    fn decap(
        private: &PrivateKey<D>,
        sender: Option<&PublicKey<D>>,
        enc: &EncappedKey<D>,
    ) -> Result<SharedSecret<Self>, HpkeError> {
        let secret = private.0.decapsulator.decapsulate(&enc.to_bytes()).filter(|_| sender.is_none());
        Ok(SharedSecret(Array::from(*secret.ok_or(HpkeError::DecapError)?)))
    }

    fn encap_with_rng(
        public: &PublicKey<D>,
        sender: Option<(&PrivateKey<D>, &PublicKey<D>)>,
        random: &mut impl CryptoRng,
    ) -> Result<(SharedSecret<Self>, EncappedKey<D>), HpkeError> {
        let (mut secret, enc) = D::Library::encap_with_rng(public, None, random)?;
        let secret = Some(SharedSecret(mem::take(&mut secret.0))).filter(|_| sender.is_none());
        Ok((secret.ok_or(HpkeError::EncapError)?, enc))
    }
}
