//! Key encapsulation, for HPKE and for applications ([`exchange`](crate::exchange)).

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
    /// Its number (RFC 9180 section 7.1).
    const ID: u16;
    /// Bytes of a private key (Nsk): a scalar, or a seed.
    const PRIVATE_LEN: usize;
    /// Bytes of a public key (Npk).
    const PUBLIC_LEN: usize;
    /// Bytes of an encapsulated secret (Nenc).
    const ENC_LEN: usize;
    /// Ready for decapsulation. Its bytes stay in one place, so that moving the value leaves no copy behind.
    type PrivateKey: Clone;
    /// Checked.
    type PublicKey: Clone;

    /// `None` of another length, and of bytes that are no key.
    fn private_key(bytes: &[u8]) -> Option<Self::PrivateKey>;

    /// As [`private_key`](Self::private_key).
    fn public_key(bytes: &[u8]) -> Option<Self::PublicKey>;

    fn public_key_of(private: &Self::PrivateKey) -> Self::PublicKey;

    fn public_bytes(public: &Self::PublicKey) -> &[u8];

    /// A secret, and what it is encapsulated to. `random` is fresh; how much of it is taken is the KEM's.
    fn encapsulate(public: &Self::PublicKey, random: &[u8; RANDOM_LEN]) -> (Secret, Vec<u8>);

    /// `None` of another length, and of what the KEM or the format refuses.
    fn decapsulate(private: &Self::PrivateKey, enc: &[u8]) -> Option<Secret>;
}

/// What both sides have in the end (Nsecret).
pub(crate) type Secret = Zeroizing<[u8; 32]>;

/// Bytes of randomness of one encapsulation: what the largest KEM takes.
pub(crate) const RANDOM_LEN: usize = 64;

/// Bytes of a key of X25519, private or public.
const X25519_LEN: usize = 32;

/// Whether X25519 with the point at the end of `bytes` can give anything but zero. Multiplication by any clamped
/// scalar takes every low-order point to zero, so one fixed scalar decides; the input is public.
pub(crate) fn x25519_half_is_contributory(bytes: &[u8]) -> bool {
    static FIXED: LazyLock<provider::X25519> = LazyLock::new(|| {
        provider::X25519::from_bytes(&[0x42; X25519_LEN]).expect("kem: any 32 bytes are a private key")
    });
    FIXED.diffie_hellman(&bytes[bytes.len() - X25519_LEN..], |_| ()).is_some()
}
