//! HPKE in base mode (RFC 9180) with HKDF-SHA256, over the KEMs of the format: X25519, P-256, and ML-KEM-768 and
//! MLKEM768-X25519 ("X-Wing") of draft-ietf-hpke-pq.

use super::dhkem::{DhP256HkdfSha256, X25519HkdfSha256};
use super::expanded::{MlKem768, XWing};
use crate::error::Result;
use crate::provider::hpke;
use crate::provider::hpke::aead::{AesGcm256, ChaCha20Poly1305};
use crate::provider::hpke::kdf::HkdfSha256;
use crate::provider::hpke::rand_core::{TryCryptoRng, TryRng};
use crate::provider::hpke::{
    Deserializable, Kem as _, OpModeR, OpModeS, Serializable, single_shot_open, single_shot_seal_with_rng,
};
use crate::random;
use core::convert::Infallible;
use std::sync::LazyLock;
use zeroize::{Zeroize, Zeroizing};

/// The KEMs of the format, a row each: the variant, and the KEM of `hpke` that computes it. Lengths are the KEM's own.
/// `ends_with_x25519` says that a point of X25519 stands last in its public keys and encapsulated secrets; a public key whose point
/// has low order is then refused when it is read.
macro_rules! kems {
    ($($(#[$doc:meta])+ $variant:ident = $kem:ty, ends_with_x25519: $ends_with_x25519:literal;)+) => {
        /// A KEM of the format.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Kem { $($(#[$doc])+ $variant,)+ }

        /// A private key, ready for decapsulation. Its bytes stay in one place, so that moving the value leaves no copy behind.
        #[derive(Clone)]
        pub(crate) enum PrivateKey { $($variant(<$kem as hpke::Kem>::PrivateKey),)+ }

        /// A public key, checked.
        #[derive(Clone)]
        pub(crate) enum PublicKey { $($variant(Box<<$kem as hpke::Kem>::PublicKey>),)+ }

        impl Kem {
            /// Bytes of an encapsulated secret (Nenc).
            pub(crate) fn enc_len(self) -> usize {
                match self { $(Self::$variant => <$kem as hpke::Kem>::EncappedKey::size(),)+ }
            }

            /// Bytes of a public key (Npk).
            pub(crate) fn public_len(self) -> usize {
                match self { $(Self::$variant => <$kem as hpke::Kem>::PublicKey::size(),)+ }
            }

            /// Bytes of a private key (Nsk): a scalar, or a seed.
            pub(crate) fn private_len(self) -> usize {
                match self { $(Self::$variant => <$kem as hpke::Kem>::PrivateKey::size(),)+ }
            }

            /// Whether a point of X25519 stands last in its public keys and encapsulated secrets.
            const fn ends_with_x25519(self) -> bool {
                match self { $(Self::$variant => $ends_with_x25519,)+ }
            }
        }

        impl PrivateKey {
            /// Reads a private key; `None` for another length, and for a number that is no scalar of P-256.
            pub(crate) fn from_bytes(kem: Kem, bytes: &[u8]) -> Option<Self> {
                match kem { $(Kem::$variant => Deserializable::from_bytes(bytes).ok().map(Self::$variant),)+ }
            }

            pub(crate) fn kem(&self) -> Kem {
                match self { $(Self::$variant(_) => Kem::$variant,)+ }
            }

            pub(crate) fn public_key(&self) -> PublicKey {
                match self { $(Self::$variant(key) => PublicKey::$variant(Box::new(<$kem>::sk_to_pk(key))),)+ }
            }

            /// Opens one sealed text; `None` is "no match", whatever the reason.
            pub(crate) fn open(
                &self,
                aead_id: AeadId,
                enc: &[u8],
                info: &[u8],
                aad: &[u8],
                sealed: &[u8],
            ) -> Option<Zeroizing<Vec<u8>>> {
                match self { $(Self::$variant(key) => open_with::<$kem>(aead_id, key, enc, info, aad, sealed),)+ }
            }
        }

        impl PublicKey {
            /// Reads and checks a public key: its length, that a point of P-256 is uncompressed and on the curve, FIPS 203's
            /// modulus check, and that no X25519 point in it has low order. `None` otherwise.
            pub(crate) fn from_bytes(kem: Kem, bytes: &[u8]) -> Option<Self> {
                if bytes.len() != kem.public_len() || (kem.ends_with_x25519() && !x25519_half_is_contributory(bytes)) {
                    return None;
                }
                match kem {
                    $(Kem::$variant => Some(Self::$variant(Box::new(Deserializable::from_bytes(bytes).ok()?))),)+
                }
            }

            pub(crate) fn to_bytes(&self) -> Vec<u8> {
                match self { $(Self::$variant(key) => key.to_bytes().to_vec(),)+ }
            }

            fn seal_with(
                &self,
                aead_id: AeadId,
                info: &[u8],
                aad: &[u8],
                plaintext: &[u8],
                random: &mut Drawn,
            ) -> Vec<u8> {
                match self { $(Self::$variant(key) => seal_with::<$kem>(aead_id, key, info, aad, plaintext, random),)+ }
            }
        }
    };
}

kems! {
    /// DHKEM(X25519, HKDF-SHA256), 0x0020.
    X25519 = X25519HkdfSha256, ends_with_x25519: true;
    /// DHKEM(P-256, HKDF-SHA256), 0x0010.
    P256 = DhP256HkdfSha256, ends_with_x25519: false;
    /// ML-KEM-768, 0x0041.
    MlKem768 = MlKem768, ends_with_x25519: false;
    /// MLKEM768-X25519, 0x647a.
    Hybrid = XWing, ends_with_x25519: true;
}

impl PublicKey {
    /// Seals `plaintext` to this key: returns enc || ciphertext || tag.
    pub(crate) fn seal(&self, aead_id: AeadId, info: &[u8], aad: &[u8], plaintext: &[u8]) -> Result<Vec<u8>> {
        // Drawn here, where the system's refusal is an error; inside `hpke` it could only be a panic.
        Ok(self.seal_with(aead_id, info, aad, plaintext, &mut Drawn::new()?))
    }
}

/// An AEAD of HPKE (RFC 9180 section 7.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AeadId {
    /// 0x0002.
    Aes256Gcm,
    /// 0x0003.
    ChaCha20Poly1305,
}

/// Bytes of a point of X25519.
const X25519_LEN: usize = 32;

/// Randomness of one encapsulation: what the largest KEM takes.
const ENCAPSULATION_RANDOM_LEN: usize = 64;

fn open_with<K: hpke::Kem>(
    aead_id: AeadId,
    key: &K::PrivateKey,
    enc: &[u8],
    info: &[u8],
    aad: &[u8],
    sealed: &[u8],
) -> Option<Zeroizing<Vec<u8>>> {
    let enc = K::EncappedKey::from_bytes(enc).ok()?;
    let opened = match aead_id {
        AeadId::Aes256Gcm => single_shot_open::<AesGcm256, HkdfSha256, K>(&OpModeR::Base, key, &enc, info, sealed, aad),
        AeadId::ChaCha20Poly1305 => {
            single_shot_open::<ChaCha20Poly1305, HkdfSha256, K>(&OpModeR::Base, key, &enc, info, sealed, aad)
        }
    };
    opened.ok().map(Zeroizing::new)
}

fn seal_with<K: hpke::Kem>(
    aead_id: AeadId,
    key: &K::PublicKey,
    info: &[u8],
    aad: &[u8],
    plaintext: &[u8],
    random: &mut Drawn,
) -> Vec<u8> {
    let sealed = match aead_id {
        AeadId::Aes256Gcm => {
            single_shot_seal_with_rng::<AesGcm256, HkdfSha256, K>(&OpModeS::Base, key, info, plaintext, aad, random)
        }
        AeadId::ChaCha20Poly1305 => single_shot_seal_with_rng::<ChaCha20Poly1305, HkdfSha256, K>(
            &OpModeS::Base,
            key,
            info,
            plaintext,
            aad,
            random,
        ),
    };
    let (enc, ciphertext) = sealed.expect("hpke: the public key was checked and the plaintext is short");
    [&enc.to_bytes()[..], &ciphertext].concat()
}

/// Whether X25519 with the point at the end of `bytes` can give anything but zero. Multiplication by any clamped
/// scalar takes every low-order point to zero, so one fixed scalar decides; the input is public.
fn x25519_half_is_contributory(bytes: &[u8]) -> bool {
    static FIXED: LazyLock<<X25519HkdfSha256 as hpke::Kem>::PrivateKey> = LazyLock::new(|| {
        Deserializable::from_bytes(&[0x42; X25519_LEN]).expect("hpke: any 32 bytes are a private key")
    });
    let point = &bytes[bytes.len() - X25519_LEN..];
    let enc = Deserializable::from_bytes(point).expect("hpke: any 32 bytes are an enc");
    X25519HkdfSha256::decap(&FIXED, None, &enc).is_ok()
}

/// Randomness drawn beforehand, handed to `hpke` as a generator.
struct Drawn {
    bytes: Zeroizing<[u8; ENCAPSULATION_RANDOM_LEN]>,
    used: usize,
}

impl Drawn {
    fn new() -> Result<Self> {
        Ok(Self { bytes: Zeroizing::new(random::array()?), used: 0 })
    }
}

impl TryRng for Drawn {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        // Past the end this panics: no byte is ever handed out twice.
        let drawn = &mut self.bytes[self.used..self.used + out.len()];
        out.copy_from_slice(drawn);
        drawn.zeroize();
        self.used += out.len();
        Ok(())
    }
}

impl TryCryptoRng for Drawn {}

#[cfg(test)]
#[path = "hpke_tests.rs"]
mod tests;
