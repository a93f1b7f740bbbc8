//! HPKE in base mode (RFC 9180) with HKDF-SHA256, over the KEMs of the format: X25519, P-256, and ML-KEM-768 and
//! MLKEM768-X25519 ("X-Wing") of draft-ietf-hpke-pq. Each context seals one plaintext, under the base nonce.

use super::dhkem::{DhP256HkdfSha256, X25519HkdfSha256};
use super::labeled::{self, Prk};
use super::ml_kem::MlKem768;
use super::x_wing::XWing;
use super::{KeyEncapsulation, RANDOM_LEN, x25519_half_is_contributory};
use crate::aead::{Aead, Algorithm, NONCE_LEN, TAG_LEN};
use crate::error::{Error, Result};
use crate::{provider, random};
use zeroize::Zeroizing;

/// The KEMs of the format, one in each row: the variant, and its implementation, which has the lengths. `ends_with_x25519` says
/// that public keys and encapsulated secrets end with a point of X25519; then a public key whose point has low order is refused
/// when it is read.
macro_rules! kems {
    ($($(#[$doc:meta])+ $variant:ident = $kem:ty, ends_with_x25519: $ends_with_x25519:literal;)+) => {
        /// A KEM of the format.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Kem { $($(#[$doc])+ $variant,)+ }

        /// A private key, ready for decapsulation.
        #[derive(Clone)]
        pub(crate) enum PrivateKey { $($variant(<$kem as KeyEncapsulation>::PrivateKey),)+ }

        /// A checked public key.
        #[derive(Clone)]
        pub(crate) enum PublicKey { $($variant(<$kem as KeyEncapsulation>::PublicKey),)+ }

        impl Kem {
            /// Bytes of an encapsulated secret (Nenc).
            pub(crate) fn enc_len(self) -> usize {
                match self { $(Self::$variant => <$kem>::ENC_LEN,)+ }
            }

            /// Bytes of a public key (Npk).
            pub(crate) fn public_len(self) -> usize {
                match self { $(Self::$variant => <$kem>::PUBLIC_LEN,)+ }
            }

            /// Bytes of a private key (Nsk): a scalar, or a seed.
            pub(crate) fn private_len(self) -> usize {
                match self { $(Self::$variant => <$kem>::PRIVATE_LEN,)+ }
            }

            /// Whether public keys and encapsulated secrets end with a point of X25519.
            const fn ends_with_x25519(self) -> bool {
                match self { $(Self::$variant => $ends_with_x25519,)+ }
            }
        }

        impl PrivateKey {
            /// Reads a private key; `None` for another length, and for a number that is no scalar of P-256.
            pub(crate) fn from_bytes(kem: Kem, bytes: &[u8]) -> Option<Self> {
                match kem { $(Kem::$variant => <$kem>::private_key(bytes).map(Self::$variant),)+ }
            }

            pub(crate) fn kem(&self) -> Kem {
                match self { $(Self::$variant(_) => Kem::$variant,)+ }
            }

            pub(crate) fn public_key(&self) -> PublicKey {
                match self { $(Self::$variant(key) => PublicKey::$variant(<$kem>::public_key_of(key)),)+ }
            }

            /// Decapsulates a secret, and returns its key schedule; `None` if the KEM or the format refuses `enc`.
            pub(crate) fn decapsulate(&self, aead_id: AeadId, enc: &[u8], info: &[u8]) -> Option<Schedule> {
                match self {
                    $(Self::$variant(key) => {
                        let secret = <$kem>::decapsulate(key, enc)?;
                        Some(Schedule::new(<$kem>::ID, aead_id, &secret, info))
                    })+
                }
            }
        }

        impl PublicKey {
            /// Reads a public key, and checks its length, that a point of P-256 is uncompressed and on the curve, FIPS 203's
            /// modulus check, and that a point of X25519 does not have low order. `None` if a check fails.
            pub(crate) fn from_bytes(kem: Kem, bytes: &[u8]) -> Option<Self> {
                if bytes.len() != kem.public_len() || (kem.ends_with_x25519() && !x25519_half_is_contributory(bytes)) {
                    return None;
                }
                match kem { $(Kem::$variant => <$kem>::public_key(bytes).map(Self::$variant),)+ }
            }

            fn kem(&self) -> Kem {
                match self { $(Self::$variant(_) => Kem::$variant,)+ }
            }

            pub(crate) fn to_bytes(&self) -> Vec<u8> {
                match self { $(Self::$variant(key) => <$kem>::public_bytes(key).to_vec(),)+ }
            }

            /// Encapsulates a secret to this key, and returns `enc` and its key schedule.
            fn encapsulate(&self, aead_id: AeadId, info: &[u8], random: &[u8; RANDOM_LEN]) -> (Vec<u8>, Schedule) {
                match self {
                    $(Self::$variant(key) => {
                        let (secret, enc) = <$kem>::encapsulate(key, random);
                        (enc, Schedule::new(<$kem>::ID, aead_id, &secret, info))
                    })+
                }
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
    /// Reads a key of DHKEM(P-256, HKDF-SHA256) from its compressed point; `None` if it is no point.
    #[cfg(feature = "interop")]
    pub(crate) fn from_compressed_p256(point: &[u8; 33]) -> Option<Self> {
        Self::from_bytes(Kem::P256, &provider::decompress_p256(point)?)
    }

    /// Bytes that sealing adds to a plaintext, besides the head: `enc` before it, and a tag after it.
    pub(crate) fn growth(&self) -> usize {
        self.kem().enc_len() + TAG_LEN
    }

    /// Seals `plaintext` to this key, and returns head || enc || ciphertext || tag. `head` is not authenticated.
    ///
    /// # Errors
    /// [`Error::NoRandomness`]; [`Error::UnavailableBackend`] for ChaCha20-Poly1305 when the environment forces one.
    pub(crate) fn seal(
        &self,
        head: &[u8],
        aead_id: AeadId,
        info: &[u8],
        aad: &[u8],
        plaintext: &[u8],
    ) -> Result<Vec<u8>> {
        // Zeros from the allocator: pages of a long text are written only once.
        let mut sealed = vec![0; head.len() + plaintext.len() + self.growth()];
        self.seal_into(head, aead_id, info, aad, Plaintext::At(plaintext), &mut sealed)?;
        Ok(sealed)
    }

    /// As [`seal`](Self::seal), into `sealed`, which has exactly the result's length.
    pub(crate) fn seal_into(
        &self,
        head: &[u8],
        aead_id: AeadId,
        info: &[u8],
        aad: &[u8],
        plaintext: Plaintext<'_>,
        sealed: &mut [u8],
    ) -> Result<()> {
        let random = Self::draw()?;
        self.seal_with(head, aead_id, info, aad, plaintext, &random, sealed)
    }

    /// Returns `enc` and the key schedule for a text that the caller seals itself.
    pub(crate) fn begin(&self, aead_id: AeadId, info: &[u8]) -> Result<(Vec<u8>, Schedule)> {
        Ok(self.encapsulate(aead_id, info, &*Self::draw()?))
    }

    /// Draws the randomness of an encapsulation. Also called when AWS-LC draws itself: here, missing randomness is an error, in
    /// AWS-LC it ends the process.
    fn draw() -> Result<Zeroizing<[u8; RANDOM_LEN]>> {
        random::array().map(Zeroizing::new)
    }

    #[expect(clippy::too_many_arguments, reason = "the arguments of HPKE, and the place of the result")]
    fn seal_with(
        &self,
        head: &[u8],
        aead_id: AeadId,
        info: &[u8],
        aad: &[u8],
        plaintext: Plaintext<'_>,
        random: &[u8; RANDOM_LEN],
        sealed: &mut [u8],
    ) -> Result<()> {
        let (enc, schedule) = self.encapsulate(aead_id, info, random);
        let (start, text) = sealed.split_at_mut(head.len() + enc.len());
        start[..head.len()].copy_from_slice(head);
        start[head.len()..].copy_from_slice(&enc);
        let (key, nonce) = (schedule.aead()?, &schedule.base_nonce[..]);
        match plaintext {
            Plaintext::At(plaintext) => key.seal_into(nonce, aad, plaintext, text),
            Plaintext::InPlace => {
                let (text, tag) = text.split_last_chunk_mut().expect("hpke: there is room for a tag");
                *tag = key.seal_in_place(nonce, aad, text)?;
                Ok(())
            }
        }
    }
}

/// The place of a plaintext that is sealed into a buffer.
#[derive(Clone, Copy)]
pub(crate) enum Plaintext<'a> {
    /// In other memory.
    At(&'a [u8]),
    /// In the buffer, at the place of its ciphertext.
    InPlace,
}

impl PrivateKey {
    /// Opens a sealed text; `None` means "no match", for any reason.
    ///
    /// # Errors
    /// [`Error::UnavailableBackend`] for ChaCha20-Poly1305 when the environment forces one. No error depends on the text.
    pub(crate) fn open(
        &self,
        aead_id: AeadId,
        enc: &[u8],
        info: &[u8],
        aad: &[u8],
        sealed: &[u8],
    ) -> Result<Option<Vec<u8>>> {
        let mut plaintext = vec![0; sealed.len().saturating_sub(TAG_LEN)];
        let opened =
            self.open_with(aead_id, enc, info, |aead, nonce| aead.open_into(nonce, aad, sealed, &mut plaintext))?;
        Ok(opened.then_some(plaintext))
    }

    /// Calls `open` with the AEAD and the nonce of a sealed text, and returns whether the text was authentic. `open` must clear
    /// its output if it was not.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub(crate) fn open_with(
        &self,
        aead_id: AeadId,
        enc: &[u8],
        info: &[u8],
        open: impl FnOnce(&Aead, &[u8]) -> Result<()>,
    ) -> Result<bool> {
        let Some(schedule) = self.decapsulate(aead_id, enc, info) else { return Ok(false) };
        match open(&schedule.aead()?, &schedule.base_nonce[..]) {
            Ok(()) => Ok(true),
            Err(Error::NotAuthentic { .. }) => Ok(false),
            Err(error) => Err(error),
        }
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

impl AeadId {
    fn number(self) -> u16 {
        match self {
            Self::Aes256Gcm => 2,
            Self::ChaCha20Poly1305 => 3,
        }
    }

    fn algorithm(self) -> Algorithm {
        match self {
            Self::Aes256Gcm => Algorithm::Aes256Gcm,
            Self::ChaCha20Poly1305 => Algorithm::ChaCha20Poly1305,
        }
    }
}

/// HKDF-SHA256 (RFC 9180 section 7.2).
const KDF_ID: u16 = 1;
/// Base mode (RFC 9180 section 5).
const MODE_BASE: u8 = 0;

/// The result of `KeySchedule` (RFC 9180 section 5.1) for one text, without the exporter's secret.
pub(crate) struct Schedule {
    algorithm: Algorithm,
    pub(crate) key: Zeroizing<[u8; 32]>,
    pub(crate) base_nonce: Zeroizing<[u8; NONCE_LEN]>,
}

impl Schedule {
    fn new(kem_id: u16, aead_id: AeadId, secret: &[u8; 32], info: &[u8]) -> Self {
        let mut suite_id = *b"HPKE\0\0\0\0\0\0";
        for (bytes, id) in suite_id[4..].chunks_mut(2).zip([kem_id, KDF_ID, aead_id.number()]) {
            bytes.copy_from_slice(&id.to_be_bytes());
        }
        let mut context = [MODE_BASE; 1 + 2 * labeled::DIGEST_LEN];
        let (psk_id_hash, info_hash) = context[1..].split_at_mut(labeled::DIGEST_LEN);
        psk_id_hash.copy_from_slice(&labeled::extract(&suite_id, b"", b"psk_id_hash", b"")[..]);
        info_hash.copy_from_slice(&labeled::extract(&suite_id, b"", b"info_hash", info)[..]);
        let prk = Prk::extract(&suite_id, secret, b"secret", b"");
        Self {
            algorithm: aead_id.algorithm(),
            key: prk.expand(b"key", &context),
            base_nonce: prk.expand(b"base_nonce", &context),
        }
    }

    fn aead(&self) -> Result<Aead> {
        Aead::new(self.algorithm, &self.key[..])
    }
}

#[cfg(test)]
#[path = "hpke_tests.rs"]
mod tests;
