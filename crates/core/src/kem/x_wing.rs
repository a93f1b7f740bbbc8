//! MLKEM768-X25519 ("X-Wing", draft-connolly-cfrg-xwing-kem) as a KEM of HPKE (draft-ietf-hpke-pq). Private keys are expanded
//! once, when they are read.

use super::ml_kem::{EncapsulationKey, SEED_LEN, Size, Size768};
use super::{KeyEncapsulation, RANDOM_LEN, Secret, X25519_LEN};
use crate::provider::{Sha3_256, X25519, shake256};
use std::sync::Arc;
use zeroize::Zeroizing;

/// The label of the combiner (section 5.3 of the draft).
const LABEL: &[u8; 6] = b"\\.//^\\";

/// MLKEM768-X25519, 0x647a.
pub(crate) struct XWing;

/// The public keys of both halves.
#[derive(Clone)]
pub(crate) struct PublicKey(Arc<Public>);

struct Public {
    bytes: [u8; XWing::PUBLIC_LEN],
    ml_kem: EncapsulationKey<Size768>,
}

/// The private keys of both halves.
#[derive(Clone)]
pub(crate) struct PrivateKey(Arc<KeyPair>);

struct KeyPair {
    ml_kem: <Size768 as Size>::Decapsulation,
    x25519: X25519,
    public: PublicKey,
}

impl PublicKey {
    fn x25519(&self) -> &[u8; X25519_LEN] {
        self.0.bytes.last_chunk().expect("x-wing: it ends with a point")
    }
}

impl KeyEncapsulation for XWing {
    const ID: u16 = 0x647a;
    const PRIVATE_LEN: usize = 32;
    const PUBLIC_LEN: usize = Size768::PUBLIC_LEN + X25519_LEN;
    const ENC_LEN: usize = Size768::CIPHERTEXT_LEN + X25519_LEN;
    type PrivateKey = PrivateKey;
    type PublicKey = PublicKey;

    /// Expands a seed of 32 bytes (section 5.2 of the draft).
    fn private_key(seed: &[u8]) -> Option<PrivateKey> {
        let seed: &[u8; Self::PRIVATE_LEN] = seed.try_into().ok()?;
        let mut expanded = Zeroizing::new([0; SEED_LEN + X25519_LEN]);
        shake256(seed, &mut expanded[..]);
        let (seed, scalar) = expanded.split_first_chunk().expect("x-wing: two secrets");
        let (ml_kem, mut public) = Size768::from_seed(seed);
        let x25519 = X25519::from_bytes(scalar.try_into().expect("x-wing: a scalar has 32 bytes"))?;
        public.extend(x25519.public_key());
        let public = Self::public_key(&public)?;
        Some(PrivateKey(Arc::new(KeyPair { ml_kem, x25519, public })))
    }

    fn public_key(bytes: &[u8]) -> Option<PublicKey> {
        let bytes: &[u8; Self::PUBLIC_LEN] = bytes.try_into().ok()?;
        let ml_kem = EncapsulationKey::from_bytes(&bytes[..Size768::PUBLIC_LEN])?;
        Some(PublicKey(Arc::new(Public { bytes: *bytes, ml_kem })))
    }

    fn public_key_of(private: &PrivateKey) -> PublicKey {
        private.0.public.clone()
    }

    fn public_bytes(public: &PublicKey) -> &[u8] {
        &public.0.bytes
    }

    /// Encapsulates (section 5.4 of the draft). ML-KEM takes the first 32 bytes of randomness, X25519 the others.
    fn encapsulate(public: &PublicKey, random: &[u8; RANDOM_LEN]) -> (Secret, Vec<u8>) {
        let (random, scalar) = random.split_first_chunk().expect("x-wing: two halves");
        let (mut enc, ml_kem) = public.0.ml_kem.encapsulate(random);
        let scalar = scalar.try_into().expect("x-wing: a scalar has 32 bytes");
        let ephemeral = X25519::from_bytes(scalar).expect("x-wing: any 32 bytes are a key of X25519");
        let point = ephemeral.public_key();
        let secret = ephemeral.diffie_hellman(public.x25519(), |x25519| combine(&ml_kem, x25519, &point, public));
        enc.extend(point);
        (secret.expect("x-wing: the public key was checked"), enc)
    }

    /// Decapsulates. X-Wing accepts an all-zero secret of X25519; the format does not (section 4), so `None` then.
    fn decapsulate(private: &PrivateKey, enc: &[u8]) -> Option<Secret> {
        let (ciphertext, point) = enc.split_at_checked(Size768::CIPHERTEXT_LEN)?;
        let point: &[u8; X25519_LEN] = point.try_into().ok()?;
        let ml_kem = private.0.ml_kem.decapsulate(ciphertext);
        private.0.x25519.diffie_hellman(point, |x25519| combine(&ml_kem, x25519, point, &private.0.public))
    }
}

/// Combines the secrets of both halves (section 5.3 of the draft).
fn combine(ml_kem: &[u8; 32], x25519: &[u8; 32], point: &[u8; X25519_LEN], public: &PublicKey) -> Secret {
    Sha3_256::of(&[ml_kem, x25519, point, public.x25519(), LABEL])
}
