//! The provider RustCrypto and dalek: in WebAssembly, and on native targets for the tests that compare both providers.

#[cfg(feature = "sign")]
mod sign;
#[cfg(feature = "gm")]
pub(crate) mod sm2;

use super::block::{AesKey, apply_keystream, begin, with_key};
pub(crate) use super::gcm::Gcm as AesGcm;
use super::{AesMode, OaepHash, Refused};
use aes::Aes128;
use aes::cipher::array::Array;
use aes::cipher::{
    Block, BlockCipherDecrypt as _, BlockCipherEncrypt as _, BlockModeDecrypt as _, BlockModeEncrypt as _, KeyInit as _,
};
use chacha20poly1305::aead::AeadInOut;
use curve25519_dalek::constants::ED25519_BASEPOINT_POINT;
use curve25519_dalek::edwards::EdwardsBasepointTable;
use curve25519_dalek::montgomery::MontgomeryPoint;
use curve25519_dalek::traits::{BasepointTable as _, IsIdentity as _};
use ml_kem::kem::Decapsulate as _;
use p256::elliptic_curve::point::AffineCoordinates as _;
use p256::elliptic_curve::sec1::ToSec1Point as _;
use p256::elliptic_curve::{CurveArithmetic, PublicKey, SecretKey};
use sha2::Digest as _;
#[cfg(feature = "sign")]
pub(crate) use sign::*;
use std::sync::LazyLock;
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

/// The provider's name in `sealstone --version`.
pub(crate) const NAME: &str = "rustcrypto";
/// Whether this provider is AWS-LC.
pub(crate) const IS_AWS_LC: bool = false;

impl AesGcm {
    /// Seals a plaintext into `out`, which has the same length.
    pub(crate) fn seal_into(
        &self,
        nonce: &[u8],
        aad: &[u8],
        plaintext: &[u8],
        out: &mut [u8],
    ) -> Result<[u8; 16], Refused> {
        out.copy_from_slice(plaintext);
        self.seal(nonce, aad, out)
    }

    /// Opens a ciphertext into `out`, which has the same length. The content of `out` has no meaning if the ciphertext is
    /// refused.
    pub(crate) fn open_into(
        &self,
        nonce: &[u8],
        aad: &[u8],
        ciphertext: &[u8],
        tag: &[u8; 16],
        out: &mut [u8],
    ) -> Result<(), Refused> {
        out.copy_from_slice(ciphertext);
        self.open(nonce, aad, out, tag)
    }
}

/// AES-GCM-SIV (RFC 8452). Zeroed on drop.
pub(crate) enum AesGcmSiv {
    Aes128(Box<aes_gcm_siv::Aes128GcmSiv>),
    Aes256(Box<aes_gcm_siv::Aes256GcmSiv>),
}

impl AesGcmSiv {
    /// Takes a key of 16 or 32 bytes.
    pub(crate) fn new(key: &[u8]) -> Self {
        let long = "rustcrypto: the key has its length";
        match key.len() {
            16 => Self::Aes128(Box::new(aes_gcm_siv::Aes128GcmSiv::new_from_slice(key).expect(long))),
            _ => Self::Aes256(Box::new(aes_gcm_siv::Aes256GcmSiv::new_from_slice(key).expect(long))),
        }
    }

    /// As [`AesGcm::seal`].
    pub(crate) fn seal(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8]) -> Result<[u8; 16], Refused> {
        match self {
            Self::Aes128(key) => seal(&**key, nonce, aad, buffer),
            Self::Aes256(key) => seal(&**key, nonce, aad, buffer),
        }
    }

    /// As [`AesGcm::open`].
    pub(crate) fn open(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8], tag: &[u8; 16]) -> Result<(), Refused> {
        match self {
            Self::Aes128(key) => open(&**key, nonce, aad, buffer, tag),
            Self::Aes256(key) => open(&**key, nonce, aad, buffer, tag),
        }
    }
}

/// ChaCha20-Poly1305 (RFC 8439), for CPUs on which our own kernel is not the fastest.
pub(crate) struct ChaCha20Poly1305(chacha20poly1305::ChaCha20Poly1305);

impl ChaCha20Poly1305 {
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        Self(chacha20poly1305::ChaCha20Poly1305::new(key.into()))
    }

    /// As [`AesGcm::seal`].
    pub(crate) fn seal(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8]) -> Result<[u8; 16], Refused> {
        seal(&self.0, nonce, aad, buffer)
    }

    /// As [`AesGcm::open`].
    pub(crate) fn open(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8], tag: &[u8; 16]) -> Result<(), Refused> {
        open(&self.0, nonce, aad, buffer, tag)
    }
}

fn seal<K: AeadInOut>(key: &K, nonce: &[u8], aad: &[u8], buffer: &mut [u8]) -> Result<[u8; 16], Refused> {
    let nonce = Array::try_from(nonce).map_err(|_| Refused)?;
    let tag = key.encrypt_inout_detached(&nonce, aad, buffer.into()).map_err(|_| Refused)?;
    Ok(tag[..].try_into().expect("rustcrypto: a tag has 16 bytes"))
}

fn open<K: AeadInOut>(key: &K, nonce: &[u8], aad: &[u8], buffer: &mut [u8], tag: &[u8; 16]) -> Result<(), Refused> {
    let nonce = Array::try_from(nonce).map_err(|_| Refused)?;
    let tag = Array::try_from(&tag[..]).map_err(|_| Refused)?;
    key.decrypt_inout_detached(&nonce, aad, buffer.into(), &tag).map_err(|_| Refused)
}

/// AES in an unauthenticated mode. Zeroed on drop.
pub(crate) struct Aes {
    mode: AesMode,
    key: AesKey,
}

impl Aes {
    /// Takes a key of 16, 24 or 32 bytes.
    pub(crate) fn new(mode: AesMode, key: &[u8]) -> Self {
        Self { mode, key: AesKey::new(key) }
    }

    /// Encrypts in place; ECB and CBC take whole blocks.
    pub(crate) fn encrypt(&self, iv: &[u8; 16], data: &mut [u8]) {
        with_key!(self.key, key => match self.mode {
            AesMode::Ecb => key.encrypt_blocks(blocks(data)),
            AesMode::Cbc => begin::<cbc::Encryptor<_>>(key, iv).encrypt_blocks(blocks(data)),
            AesMode::Ctr => apply_keystream(begin::<ctr::CtrCore<_, ctr::flavors::Ctr128BE>>(key, iv), data),
            AesMode::Cfb => begin::<cfb_mode::Encryptor<_>>(key, iv).encrypt(data),
            AesMode::Ofb => apply_keystream(begin::<ofb::OfbCore<_>>(key, iv), data),
        });
    }

    /// Decrypts in place; ECB and CBC take whole blocks.
    pub(crate) fn decrypt(&self, iv: &[u8; 16], data: &mut [u8]) {
        with_key!(self.key, key => match self.mode {
            AesMode::Ecb => key.decrypt_blocks(blocks(data)),
            AesMode::Cbc => begin::<cbc::Decryptor<_>>(key, iv).decrypt_blocks(blocks(data)),
            AesMode::Cfb => begin::<cfb_mode::Decryptor<_>>(key, iv).decrypt(data),
            AesMode::Ctr | AesMode::Ofb => self.encrypt(iv, data),
        });
    }
}

fn blocks(data: &mut [u8]) -> &mut [Block<Aes128>] {
    let (blocks, rest) = data.as_chunks_mut::<16>();
    assert!(rest.is_empty(), "rustcrypto: the data is whole blocks");
    Array::cast_slice_from_core_mut(blocks)
}

crate_hashes! {
    /// SHA-224 (FIPS 180-4).
    Sha224 = sha2::Sha224, 28;
    /// SHA-256 (FIPS 180-4).
    Sha256 = sha2::Sha256, 32;
    /// SHA-384 (FIPS 180-4).
    Sha384 = sha2::Sha384, 48;
    /// SHA-512 (FIPS 180-4).
    Sha512 = sha2::Sha512, 64;
    /// SHA-512/256 (FIPS 180-4).
    Sha512_256 = sha2::Sha512_256, 32;
}

/// Compares in constant time; slices of different lengths are unequal.
pub(crate) fn equal(a: &[u8], b: &[u8]) -> bool {
    a.ct_eq(b).into()
}

/// A private key of X25519 (RFC 7748). Zeroed on drop.
pub(crate) struct X25519(Zeroizing<[u8; 32]>);

impl X25519 {
    /// Takes the bytes of a key. Never `None`, since any 32 bytes are a private key.
    #[expect(clippy::unnecessary_wraps, reason = "the providers have the same functions")]
    pub(crate) fn from_bytes(bytes: &[u8; 32]) -> Option<Self> {
        Some(Self(Zeroizing::new(*bytes)))
    }

    /// The bytes of the key as they were read, not clamped.
    pub(crate) fn to_bytes(&self) -> Zeroizing<[u8; 32]> {
        self.0.clone()
    }

    /// Computes the public key with a table of the base point's multiples, in half the time of the ladder. The table is
    /// computed at the first use: the library's constant one is 29 KB of WebAssembly that does not compress
    /// (docs/design/wasm.md).
    pub(crate) fn public_key(&self) -> [u8; 32] {
        static TABLE: LazyLock<Box<EdwardsBasepointTable>> =
            LazyLock::new(|| Box::new(EdwardsBasepointTable::create(&ED25519_BASEPOINT_POINT)));
        TABLE.mul_base_clamped(*self.0).to_montgomery().to_bytes()
    }

    /// Calls `with` with the shared secret of this key and `other`; `None` if the secret is zero, or `other` is no public key.
    pub(crate) fn diffie_hellman<R>(&self, other: &[u8], with: impl FnOnce(&[u8; 32]) -> R) -> Option<R> {
        let shared = Zeroizing::new(MontgomeryPoint(other.try_into().ok()?).mul_clamped(*self.0));
        (!shared.is_identity()).then(|| with(shared.as_bytes()))
    }
}

macro_rules! curves {
    ($($(#[$doc:meta])* $name:ident = $curve:ty, $private_len:literal, $public_len:literal;)+) => {$(
        $(#[$doc])*
        ///
        /// Zeroed on drop.
        pub(crate) struct $name(SecretKey<$curve>);

        impl $name {
            /// `None` for a number that is no private key.
            pub(crate) fn from_bytes(bytes: &[u8; $private_len]) -> Option<Self> {
                SecretKey::<$curve>::from_slice(bytes).ok().map(Self)
            }

            pub(crate) fn public_key(&self) -> [u8; $public_len] {
                let point = self.0.public_key().to_sec1_point(false);
                point.as_bytes().try_into().expect("rustcrypto: an uncompressed point has its length")
            }

            /// Calls `with` with the shared secret of this key and `other`; `None` if `other` is no public key.
            pub(crate) fn diffie_hellman<R>(
                &self,
                other: &[u8],
                with: impl FnOnce(&[u8; $private_len]) -> R,
            ) -> Option<R> {
                let shared = self.0.diffie_hellman(&Self::point(other)?);
                Some(with(shared.raw_secret_bytes().as_ref()))
            }

            /// Whether an uncompressed point is on the curve.
            pub(crate) fn is_on_curve(point: &[u8; $public_len]) -> bool {
                Self::point(point).is_some()
            }

            /// Reads an uncompressed point by its coordinates: the library's parser also reads compressed points, and would
            /// bring square roots into WebAssembly.
            fn point(bytes: &[u8]) -> Option<PublicKey<$curve>> {
                let (coordinates, []) = bytes.strip_prefix(&[4])?.as_chunks::<$private_len>() else { return None };
                let [x, y] = coordinates else { return None };
                let point: Option<_> = <$curve as CurveArithmetic>::AffinePoint::from_coordinates(x.into(), y.into()).into();
                PublicKey::<$curve>::from_affine(point?).ok()
            }
        }
    )+};
}

curves! {
    /// A private key of ECDH over P-256 (SP 800-56A); public keys are uncompressed.
    P256 = p256::NistP256, 32, 65;
    /// A private key of ECDH over P-384; public keys are uncompressed.
    P384 = p384::NistP384, 48, 97;
    /// A private key of ECDH over P-521; public keys are uncompressed.
    P521 = p521::NistP521, 66, 133;
}

macro_rules! ml_kems {
    ($($(#[$doc:meta])* $private:ident, $public:ident = $size:ident, $public_len:literal, $expanded_len:literal;)+) => {$(
        $(#[$doc])*
        ///
        /// An expanded decapsulation key. Zeroed on drop.
        pub(crate) struct $private(Box<ml_kem::DecapsulationKey<ml_kem::$size>>);

        impl $private {
            /// Expands a seed, d || z, to the decapsulation key and the encapsulation key.
            pub(crate) fn from_seed(seed: &[u8; 64]) -> (Self, Vec<u8>) {
                use ml_kem::KeyExport as _;
                let key = Box::new(ml_kem::DecapsulationKey::from_seed((*seed).into()));
                let public = key.encapsulation_key().to_bytes().to_vec();
                (Self(key), public)
            }

            /// Takes an expanded key. The caller has checked it (FIPS 203 section 7.3).
            #[allow(dead_code, reason = "only formats of other software have such keys, and bindings may lack these formats")]
            pub(crate) fn from_expanded(expanded: &[u8; $expanded_len]) -> Self {
                let expanded = Zeroizing::new(Array::from(*expanded));
                #[expect(deprecated, reason = "there is no other name for it")]
                let key = ml_kem::DecapsulationKey::from_expanded(&expanded);
                Self(Box::new(key.expect("rustcrypto: the key was checked")))
            }

            /// The shared secret of a ciphertext of the right length; for a forged one, a pseudo-random secret (implicit
            /// rejection).
            pub(crate) fn decapsulate(&self, ciphertext: &[u8]) -> Zeroizing<[u8; 32]> {
                let ciphertext = Array::try_from(ciphertext).expect("rustcrypto: the ciphertext has its length");
                Zeroizing::new(self.0.decapsulate(&ciphertext).into())
            }
        }

        $(#[$doc])*
        ///
        /// An encapsulation key.
        pub(crate) struct $public(Box<ml_kem::EncapsulationKey<ml_kem::$size>>);

        impl $public {
            /// Takes a key. The caller has checked it (FIPS 203 section 7.2).
            pub(crate) fn new(bytes: &[u8; $public_len]) -> Self {
                let key = ml_kem::EncapsulationKey::new(&(*bytes).into());
                Self(Box::new(key.expect("rustcrypto: the key was checked")))
            }

            /// Returns a ciphertext and its shared secret, from 32 bytes of randomness (FIPS 203 algorithm 17).
            pub(crate) fn encapsulate(&self, random: &[u8; 32]) -> (Vec<u8>, Zeroizing<[u8; 32]>) {
                let random = Zeroizing::new(Array::from(*random));
                let (ciphertext, secret) = self.0.encapsulate_deterministic(&random);
                (ciphertext.to_vec(), Zeroizing::new(secret.into()))
            }
        }
    )+};
}

ml_kems! {
    /// ML-KEM-512 (FIPS 203).
    MlKem512, MlKem512Public = MlKem512, 800, 1632;
    /// ML-KEM-768 (FIPS 203).
    MlKem768, MlKem768Public = MlKem768, 1184, 2400;
    /// ML-KEM-1024 (FIPS 203).
    MlKem1024, MlKem1024Public = MlKem1024, 1568, 3168;
}

/// A private key of RSA for decryption. This provider computes nothing with it: the crate `rsa` has no release that claims constant
/// time. Callers check the numbers of the key, and check [`IS_THERE`](Self::IS_THERE) before they compute.
pub(crate) struct RsaDecryption;

/// The panic of functions that need RSA, which callers never call here.
const NO_RSA: &str = "rustcrypto: there is no RSA";

impl RsaDecryption {
    pub(crate) const IS_THERE: bool = false;

    pub(crate) fn generate(_bits: u16, _go_on: &mut dyn FnMut() -> bool) -> Option<Zeroizing<Vec<u8>>> {
        unreachable!("{NO_RSA}")
    }

    #[expect(clippy::unnecessary_wraps, reason = "the providers have the same functions")]
    pub(crate) fn from_der(_der: &[u8]) -> Option<Self> {
        Some(Self)
    }

    pub(crate) fn decrypt(&self, _hash: OaepHash, _label: &[u8], _ciphertext: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        unreachable!("{NO_RSA}")
    }

    pub(crate) fn decrypt_raw(&self, _ciphertext: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        unreachable!("{NO_RSA}")
    }
}

/// A public key of RSA for encryption, as [`RsaDecryption`].
pub(crate) struct RsaEncryption;

impl RsaEncryption {
    #[expect(clippy::unnecessary_wraps, reason = "the providers have the same functions")]
    pub(crate) fn from_der(_der: &[u8]) -> Option<Self> {
        Some(Self)
    }

    pub(crate) fn encrypt(&self, _hash: OaepHash, _label: &[u8], _plaintext: &[u8]) -> Vec<u8> {
        unreachable!("{NO_RSA}")
    }

    pub(crate) fn encrypt_pkcs1(&self, _plaintext: &[u8]) -> Vec<u8> {
        unreachable!("{NO_RSA}")
    }
}
