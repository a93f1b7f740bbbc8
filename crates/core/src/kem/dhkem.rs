//! DHKEM(X25519, HKDF-SHA256) and DHKEM(P-256, HKDF-SHA256) (RFC 9180 section 4.1) over the provider's curves.

use super::labeled::Prk;
use super::{KeyEncapsulation, RANDOM_LEN, Secret, X25519_LEN};
use crate::provider;
use core::marker::PhantomData;
use std::sync::Arc;

/// Bytes of a private key of either curve.
const PRIVATE_LEN: usize = 32;

/// A curve with the lengths and encodings of its keys.
pub(crate) trait Curve {
    const KEM_ID: u16;
    /// Bytes of a public key, and of an encapsulated secret.
    const PUBLIC_LEN: usize;
    /// The provider's private key.
    type Private: Agreement;

    /// Whether bytes of the right length are a valid public key.
    fn is_public_key(bytes: &[u8]) -> bool;

    /// The private key of `DeriveKeyPair` (section 7.1.3), from its `dkp_prk`.
    fn derive(prk: &Prk<'_>) -> Self::Private;
}

/// The operations of the provider's private keys on both curves.
pub(crate) trait Agreement: Sized {
    fn from_bytes(bytes: &[u8; PRIVATE_LEN]) -> Option<Self>;
    fn public_key(&self) -> Vec<u8>;
    fn diffie_hellman<R>(&self, other: &[u8], with: impl FnOnce(&[u8; 32]) -> R) -> Option<R>;
}

macro_rules! agreements {
    ($($key:ty),+) => {$(
        impl Agreement for $key {
            fn from_bytes(bytes: &[u8; PRIVATE_LEN]) -> Option<Self> {
                Self::from_bytes(bytes)
            }

            fn public_key(&self) -> Vec<u8> {
                self.public_key().to_vec()
            }

            fn diffie_hellman<R>(&self, other: &[u8], with: impl FnOnce(&[u8; 32]) -> R) -> Option<R> {
                self.diffie_hellman(other, with)
            }
        }
    )+};
}

agreements!(provider::X25519, provider::P256);

pub(crate) struct X25519;

impl Curve for X25519 {
    const KEM_ID: u16 = 0x0020;
    const PUBLIC_LEN: usize = X25519_LEN;
    type Private = provider::X25519;

    fn is_public_key(_: &[u8]) -> bool {
        true
    }

    fn derive(prk: &Prk<'_>) -> provider::X25519 {
        provider::X25519::from_bytes(&prk.expand(b"sk", b"")).expect("dhkem: any 32 bytes are a key of X25519")
    }
}

pub(crate) struct P256;

impl Curve for P256 {
    const KEM_ID: u16 = 0x0010;
    const PUBLIC_LEN: usize = 65;
    type Private = provider::P256;

    /// Whether the bytes are an uncompressed point on the curve.
    fn is_public_key(bytes: &[u8]) -> bool {
        bytes.try_into().is_ok_and(|point: &[u8; 65]| point[0] == 4 && provider::P256::is_on_curve(point))
    }

    fn derive(prk: &Prk<'_>) -> provider::P256 {
        let mut keys =
            (0..=u8::MAX).filter_map(|counter| provider::P256::from_bytes(&prk.expand(b"candidate", &[counter])));
        keys.next().expect("dhkem: one candidate in 2^32 is no scalar")
    }
}

/// DHKEM over one curve.
pub(crate) struct Dhkem<C>(PhantomData<C>);

pub(crate) type X25519HkdfSha256 = Dhkem<X25519>;
pub(crate) type DhP256HkdfSha256 = Dhkem<P256>;

/// A private key with its public key, which every decapsulation needs.
pub(crate) struct PrivateKey<C: Curve>(Arc<KeyPair<C>>);

struct KeyPair<C: Curve> {
    key: C::Private,
    public: Vec<u8>,
}

impl<C: Curve> Clone for PrivateKey<C> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<C: Curve> Dhkem<C> {
    const SUITE_ID: [u8; 5] = {
        let [high, low] = C::KEM_ID.to_be_bytes();
        [b'K', b'E', b'M', high, low]
    };

    /// Derives the KEM's secret: `ExtractAndExpand` of the Diffie-Hellman secret, the encapsulated secret and the recipient's
    /// public key. `None` if X25519 gives zero, or `other` is no point of P-256.
    fn derive_secret(own: &C::Private, other: &[u8], enc: &[u8], public: &[u8]) -> Option<Secret> {
        own.diffie_hellman(other, |dh| {
            Prk::extract(&Self::SUITE_ID, b"", b"eae_prk", dh).expand(b"shared_secret", &[enc, public].concat())
        })
    }
}

impl<C: Curve> KeyEncapsulation for Dhkem<C> {
    const ID: u16 = C::KEM_ID;
    const PRIVATE_LEN: usize = PRIVATE_LEN;
    const PUBLIC_LEN: usize = C::PUBLIC_LEN;
    const ENC_LEN: usize = C::PUBLIC_LEN;
    type PrivateKey = PrivateKey<C>;
    type PublicKey = Arc<[u8]>;

    fn private_key(bytes: &[u8]) -> Option<PrivateKey<C>> {
        let key = C::Private::from_bytes(bytes.try_into().ok()?)?;
        let public = key.public_key();
        Some(PrivateKey(Arc::new(KeyPair { key, public })))
    }

    fn public_key(bytes: &[u8]) -> Option<Arc<[u8]>> {
        (bytes.len() == C::PUBLIC_LEN && C::is_public_key(bytes)).then(|| bytes.into())
    }

    fn public_key_of(private: &PrivateKey<C>) -> Arc<[u8]> {
        private.0.public[..].into()
    }

    fn public_bytes(public: &Arc<[u8]>) -> &[u8] {
        public
    }

    /// Encapsulates with the ephemeral key that `DeriveKeyPair` derives from the first 32 bytes of randomness.
    fn encapsulate(public: &Arc<[u8]>, random: &[u8; RANDOM_LEN]) -> (Secret, Vec<u8>) {
        let ephemeral = C::derive(&Prk::extract(&Self::SUITE_ID, b"", b"dkp_prk", &random[..PRIVATE_LEN]));
        let enc = ephemeral.public_key();
        let secret = Self::derive_secret(&ephemeral, public, &enc, public);
        (secret.expect("dhkem: the public key was checked"), enc)
    }

    fn decapsulate(private: &PrivateKey<C>, enc: &[u8]) -> Option<Secret> {
        if enc.len() != C::PUBLIC_LEN || !C::is_public_key(enc) {
            return None;
        }
        Self::derive_secret(&private.0.key, enc, enc, &private.0.public)
    }
}
