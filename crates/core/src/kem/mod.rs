//! Key encapsulation, for HPKE and for applications ([`exchange`](crate::exchange)). Randomness is drawn before the library
//! is called, also where AWS-LC then draws its own (docs/design/keys.md).

mod dhkem;
pub(crate) mod hpke;
mod labeled;
pub(crate) mod ml_kem;
pub(crate) mod x_wing;

use crate::provider;
use std::sync::LazyLock;
use zeroize::Zeroizing;

/// A KEM of HPKE without its authenticated mode (RFC 9180 section 4).
pub(crate) trait KeyEncapsulation {
    /// The KEM's number (RFC 9180 section 7.1).
    const ID: u16;
    /// Bytes of a private key (Nsk): a scalar, or a seed.
    const PRIVATE_LEN: usize;
    /// Bytes of a public key (Npk).
    const PUBLIC_LEN: usize;
    /// Bytes of an encapsulated secret (Nenc).
    const ENC_LEN: usize;
    /// A private key, ready for decapsulation. It is on the heap, so that no move leaves a copy behind.
    type PrivateKey: Clone;
    /// A checked public key.
    type PublicKey: Clone;

    /// Reads a private key; `None` for another length, and for bytes that are no key.
    fn private_key(bytes: &[u8]) -> Option<Self::PrivateKey>;

    /// Reads a public key; `None` for another length, and for bytes that are no key.
    fn public_key(bytes: &[u8]) -> Option<Self::PublicKey>;

    fn public_key_of(private: &Self::PrivateKey) -> Self::PublicKey;

    fn public_bytes(public: &Self::PublicKey) -> &[u8];

    /// Returns a secret and its encapsulation. `random` must be fresh; a KEM may use only its first bytes.
    fn encapsulate(public: &Self::PublicKey, random: &[u8; RANDOM_LEN]) -> (Secret, Vec<u8>);

    /// Returns the encapsulated secret; `None` for another length, and if the KEM or the format refuses `enc`.
    fn decapsulate(private: &Self::PrivateKey, enc: &[u8]) -> Option<Secret>;
}

/// The shared secret of a KEM (Nsecret).
pub(crate) type Secret = Zeroizing<[u8; 32]>;

/// Bytes of randomness of one encapsulation, enough for the largest KEM.
pub(crate) const RANDOM_LEN: usize = 64;

/// Bytes of a key of X25519, private or public.
const X25519_LEN: usize = 32;

/// Whether the point of X25519 at the end of `bytes` does not have low order. Multiplication by any clamped scalar takes every
/// low-order point to zero, so one fixed scalar decides. The input is public.
pub(crate) fn x25519_half_is_contributory(bytes: &[u8]) -> bool {
    static FIXED: LazyLock<provider::X25519> = LazyLock::new(|| {
        provider::X25519::from_bytes(&[0x42; X25519_LEN]).expect("kem: any 32 bytes are a private key")
    });
    FIXED.diffie_hellman(&bytes[bytes.len() - X25519_LEN..], |_| ()).is_some()
}
