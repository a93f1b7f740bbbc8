//! DHKEM(X25519, HKDF-SHA256) and DHKEM(P-256, HKDF-SHA256) (RFC 9180 section 4.1) in base mode, as KEMs of `hpke`, over
//! the provider's curves. The crate's own derive the public key again at each decapsulation and twice at an encapsulation,
//! from curves that take two to ten times as long.

use crate::provider;
use crate::provider::hpke::hybrid_array::sizes::{U32, U65};
use crate::provider::hpke::hybrid_array::{Array, ArraySize};
use crate::provider::hpke::kdf::{HkdfSha256, Kdf as _};
use crate::provider::hpke::kem::SharedSecret;
use crate::provider::hpke::rand_core::CryptoRng;
use crate::provider::hpke::{Choice, ConstantTimeEq, Deserializable, HpkeError, Kem, Serializable};
use core::fmt::Debug;
use core::marker::PhantomData;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Bytes of a private key (Nsk), of either curve.
const PRIVATE_LEN: usize = 32;

/// A curve with its encodings.
pub(crate) trait Curve: Clone + Debug + PartialEq + Eq + 'static {
    const KEM_ID: u16;
    /// The provider's private key.
    type Private: Agreement;
    /// Bytes of a public key (Npk), which are those of an encapsulated secret (Nenc).
    type PublicLen: ArraySize + Debug + Eq;

    /// What `DeserializePrivateKey` makes of `bytes` before it looks whether they are a key.
    fn normalize(bytes: &mut [u8; PRIVATE_LEN]);

    /// Whether `bytes` are a public key.
    fn is_public_key(bytes: &[u8]) -> bool;

    /// The private key of `DeriveKeyPair`.
    fn derive(suite_id: [u8; 5], ikm: &[u8]) -> PrivateKey<Self>;
}

/// What the provider's private keys of both curves do.
pub(crate) trait Agreement: Sized + Send + Sync + 'static {
    fn from_bytes(bytes: &[u8; PRIVATE_LEN]) -> Option<Self>;
    fn public_key(&self) -> impl AsRef<[u8]>;
    fn diffie_hellman<R>(&self, other: &[u8], with: impl FnOnce(&[u8; 32]) -> R) -> Option<R>;
}

macro_rules! agreements {
    ($($key:ty),+) => {$(
        impl Agreement for $key {
            fn from_bytes(bytes: &[u8; PRIVATE_LEN]) -> Option<Self> {
                Self::from_bytes(bytes)
            }

            fn public_key(&self) -> impl AsRef<[u8]> {
                self.public_key()
            }

            fn diffie_hellman<R>(&self, other: &[u8], with: impl FnOnce(&[u8; 32]) -> R) -> Option<R> {
                self.diffie_hellman(other, with)
            }
        }
    )+};
}

agreements!(provider::X25519, provider::P256);

/// DHKEM over one curve.
pub(crate) struct Dhkem<C>(PhantomData<C>);

pub(crate) type X25519HkdfSha256 = Dhkem<X25519>;
pub(crate) type DhP256HkdfSha256 = Dhkem<P256>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct X25519;

impl Curve for X25519 {
    const KEM_ID: u16 = 0x0020;
    type Private = provider::X25519;
    type PublicLen = U32;

    /// Clamps (RFC 7748 section 5).
    fn normalize(bytes: &mut [u8; PRIVATE_LEN]) {
        bytes[0] &= 0b1111_1000;
        bytes[31] = bytes[31] & 0b0111_1111 | 0b0100_0000;
    }

    fn is_public_key(bytes: &[u8]) -> bool {
        bytes.len() == 32
    }

    fn derive(suite_id: [u8; 5], ikm: &[u8]) -> PrivateKey<Self> {
        let bytes = Zeroizing::new(HkdfSha256::derive_x25519_sk_eph_bytes(&suite_id, ikm));
        PrivateKey::from_bytes(&bytes[..]).expect("dhkem: any 32 bytes are a key of X25519")
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct P256;

impl Curve for P256 {
    const KEM_ID: u16 = 0x0010;
    type Private = provider::P256;
    type PublicLen = U65;

    fn normalize(_: &mut [u8; PRIVATE_LEN]) {}

    /// Uncompressed, and on the curve.
    fn is_public_key(bytes: &[u8]) -> bool {
        bytes.try_into().is_ok_and(|point: &[u8; 65]| point[0] == 4 && provider::P256::is_on_curve(point))
    }

    fn derive(suite_id: [u8; 5], ikm: &[u8]) -> PrivateKey<Self> {
        let candidates = (0..=u8::MAX).map(|counter| {
            let bytes = HkdfSha256::derive_nistp_sk_eph_bytes::<U32>(&suite_id, ikm, counter);
            Zeroizing::new(<[u8; PRIVATE_LEN]>::from(bytes))
        });
        let mut keys = candidates.filter_map(|bytes| PrivateKey::from_bytes(&bytes[..]).ok());
        keys.next().expect("dhkem: one candidate in 2^32 is no scalar")
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PublicKey<C: Curve>(Array<u8, C::PublicLen>);

/// A private key with its public one, which every decapsulation needs.
#[derive(Clone)]
pub(crate) struct PrivateKey<C: Curve>(Arc<KeyPair<C>>);

struct KeyPair<C: Curve> {
    /// Where they were read to, so that no move left a copy behind.
    bytes: Box<Zeroizing<[u8; PRIVATE_LEN]>>,
    key: C::Private,
    public: PublicKey<C>,
}

impl<C: Curve> Serializable for PublicKey<C> {
    type OutputSize = C::PublicLen;

    fn write_exact(&self, out: &mut [u8]) {
        out.copy_from_slice(&self.0);
    }
}

impl<C: Curve> Deserializable for PublicKey<C> {
    fn from_bytes(bytes: &[u8]) -> Result<Self, HpkeError> {
        let known = Array::try_from(bytes).ok().filter(|_| C::is_public_key(bytes));
        known.map(Self).ok_or(HpkeError::ValidationError)
    }
}

impl<C: Curve> Serializable for PrivateKey<C> {
    type OutputSize = U32;

    fn write_exact(&self, out: &mut [u8]) {
        out.copy_from_slice(&self.0.bytes[..]);
    }
}

impl<C: Curve> Deserializable for PrivateKey<C> {
    fn from_bytes(bytes: &[u8]) -> Result<Self, HpkeError> {
        let bytes: &[u8; PRIVATE_LEN] = bytes.try_into().map_err(|_| HpkeError::ValidationError)?;
        let mut normal = Box::new(Zeroizing::new([0; PRIVATE_LEN]));
        normal.copy_from_slice(bytes);
        C::normalize(&mut normal);
        let key = C::Private::from_bytes(&normal).ok_or(HpkeError::ValidationError)?;
        let public = PublicKey(Array::try_from(key.public_key().as_ref()).expect("dhkem: a public key has its length"));
        Ok(Self(Arc::new(KeyPair { bytes: normal, key, public })))
    }
}

impl<C: Curve> ConstantTimeEq for PrivateKey<C> {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.0.bytes.ct_eq(&other.0.bytes[..])
    }
}

impl<C: Curve> PrivateKey<C> {
    pub(crate) fn public_key(&self) -> &PublicKey<C> {
        &self.0.public
    }

    /// What this key and the `other` share; `None` of a point of X25519 with which that is zero.
    pub(crate) fn diffie_hellman<R>(&self, other: &PublicKey<C>, with: impl FnOnce(&[u8; 32]) -> R) -> Option<R> {
        self.0.key.diffie_hellman(&other.0, with)
    }
}

impl<C: Curve> Dhkem<C> {
    const SUITE_ID: [u8; 5] = {
        let [high, low] = C::KEM_ID.to_be_bytes();
        [b'K', b'E', b'M', high, low]
    };

    /// `ExtractAndExpand` of what two keys share, with the encapsulated secret and the recipient's key. `None` as
    /// [`PrivateKey::diffie_hellman`].
    fn shared_secret(
        own: &PrivateKey<C>,
        other: &PublicKey<C>,
        kem_context: [&PublicKey<C>; 2],
    ) -> Option<SharedSecret<Self>> {
        let kem_context = kem_context.map(|key| &key.0[..]).concat();
        own.diffie_hellman(other, |dh| {
            let mut secret = SharedSecret::default();
            let made = HkdfSha256::extract_and_expand(dh, &Self::SUITE_ID, &kem_context, &mut secret.0);
            made.expect("dhkem: HKDF gives 32 bytes");
            secret
        })
    }
}

impl<C: Curve> Kem for Dhkem<C> {
    type PublicKey = PublicKey<C>;
    type PrivateKey = PrivateKey<C>;
    type EncappedKey = PublicKey<C>;
    type NSecret = U32;

    const KEM_ID: u16 = C::KEM_ID;

    fn sk_to_pk(private: &PrivateKey<C>) -> PublicKey<C> {
        private.public_key().clone()
    }

    fn derive_keypair(ikm: &[u8]) -> (PrivateKey<C>, PublicKey<C>) {
        let private = C::derive(Self::SUITE_ID, ikm);
        let public = Self::sk_to_pk(&private);
        (private, public)
    }

    /// Decapsulates, without a sender's key: that would be the authenticated mode, which is not here.
    fn decap(
        private: &PrivateKey<C>,
        sender: Option<&PublicKey<C>>,
        enc: &PublicKey<C>,
    ) -> Result<SharedSecret<Self>, HpkeError> {
        let secret = Self::shared_secret(private, enc, [enc, private.public_key()]);
        secret.filter(|_| sender.is_none()).ok_or(HpkeError::DecapError)
    }

    /// Encapsulates, without a sender's keys, as [`decap`](Self::decap).
    fn encap_with_rng(
        public: &PublicKey<C>,
        sender: Option<(&PrivateKey<C>, &PublicKey<C>)>,
        random: &mut impl CryptoRng,
    ) -> Result<(SharedSecret<Self>, PublicKey<C>), HpkeError> {
        let (private, enc) = Self::gen_keypair_with_rng(random);
        let secret = Self::shared_secret(&private, public, [&enc, public]).filter(|_| sender.is_none());
        Ok((secret.ok_or(HpkeError::EncapError)?, enc))
    }
}
