//! The provider AWS-LC, on all targets but WebAssembly.

#[cfg(feature = "sign")]
mod sign;

use super::{AesMode, OaepHash, Refused};
use aws_lc_rs::agreement::{self, ParsedPublicKey, UnparsedPublicKey};
use aws_lc_rs::cipher::{self, DecryptingKey, DecryptionContext, EncryptingKey, EncryptionContext, UnboundCipherKey};
use aws_lc_rs::encoding::{AsBigEndian, Curve25519SeedBin};
use aws_lc_rs::rsa::{self, OaepPrivateDecryptingKey, OaepPublicEncryptingKey, Pkcs1PublicEncryptingKey};
use aws_lc_rs::{aead, constant_time, digest, kem};
use sealstone_ciphers::rsa as raw_rsa;
#[cfg(feature = "sign")]
pub(crate) use sign::*;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use zeroize::Zeroizing;

/// The provider's name in `sealstone --version`.
pub(crate) const NAME: &str = "aws-lc";
/// Whether this provider is AWS-LC.
pub(crate) const IS_AWS_LC: bool = true;

/// The curve of SM2: our own kernels.
#[cfg(feature = "gm")]
pub(crate) mod sm2 {
    use crate::error::Result;
    use crate::kernel;
    pub(crate) use sealstone_ciphers::sm2::{Curve, Point, Scalar};

    /// The curve on the backend of this process.
    ///
    /// # Errors
    /// As [`kernel::sm2_backend`].
    pub(crate) fn curve() -> Result<Curve> {
        Ok(Curve::with_backend(kernel::sm2_backend()?).expect("sm2: the backend was found"))
    }
}

macro_rules! aeads {
    ($($(#[$doc:meta])* $name:ident = |$key:ident: $bytes:ty| $algorithm:expr;)+) => {$(
        $(#[$doc])*
        /// AWS-LC erases the schedule.
        pub(crate) struct $name(aead::LessSafeKey);

        impl $name {
            pub(crate) fn new($key: $bytes) -> Self {
                let key = aead::UnboundKey::new($algorithm, $key).expect("aws-lc: the key has its length");
                Self(aead::LessSafeKey::new(key))
            }

            /// Seals in place, and returns the tag. Refuses a buffer that is too long.
            pub(crate) fn seal(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8]) -> Result<[u8; 16], Refused> {
                let nonce = aead::Nonce::try_assume_unique_for_key(nonce).map_err(|_| Refused)?;
                let tag = self.0.seal_in_place_separate_tag(nonce, aead::Aad::from(aad), buffer).map_err(|_| Refused)?;
                Ok(tag.as_ref().try_into().expect("aws-lc: a tag has 16 bytes"))
            }

            /// Opens a ciphertext in place.
            pub(crate) fn open(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8], tag: &[u8; 16]) -> Result<(), Refused> {
                let nonce = aead::Nonce::try_assume_unique_for_key(nonce).map_err(|_| Refused)?;
                self.0.open_in_place_separate_tag(nonce, aead::Aad::from(aad), tag, buffer).map(drop).map_err(|_| Refused)
            }
        }
    )+};
}

aeads! {
    /// AES-GCM (SP 800-38D) with nonces of 12 and tags of 16 bytes; [`super::Gcm`] takes other nonces. Keys have 16, 24 or 32 bytes.
    AesGcm = |key: &[u8]| match key.len() {
        16 => &aead::AES_128_GCM,
        24 => &aead::AES_192_GCM,
        _ => &aead::AES_256_GCM,
    };
    /// AES-GCM-SIV (RFC 8452). Keys have 16 or 32 bytes.
    AesGcmSiv = |key: &[u8]| if key.len() == 16 { &aead::AES_128_GCM_SIV } else { &aead::AES_256_GCM_SIV };
    /// ChaCha20-Poly1305 (RFC 8439), for CPUs on which our own kernel is not the fastest.
    ChaCha20Poly1305 = |key: &[u8; 32]| &aead::CHACHA20_POLY1305;
}

impl AesGcm {
    /// Seals a plaintext into `out`, which has the same length.
    pub(crate) fn seal_into(
        &self,
        nonce: &[u8],
        aad: &[u8],
        plaintext: &[u8],
        out: &mut [u8],
    ) -> Result<[u8; 16], Refused> {
        let nonce = aead::Nonce::try_assume_unique_for_key(nonce).map_err(|_| Refused)?;
        let mut tag = [0; 16];
        let sealed = self.0.seal_out_of_place_scatter(nonce, aead::Aad::from(aad), plaintext, out, b"", &mut tag);
        sealed.map(|()| tag).map_err(|_| Refused)
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
        let nonce = aead::Nonce::try_assume_unique_for_key(nonce).map_err(|_| Refused)?;
        self.0.open_separate_gather(nonce, aead::Aad::from(aad), ciphertext, tag, out).map_err(|_| Refused)
    }
}

/// AES in an unauthenticated mode, with a schedule for each direction. AWS-LC erases the schedules.
pub(crate) struct Aes {
    mode: AesMode,
    encryption: EncryptingKey,
    decryption: DecryptingKey,
}

impl Aes {
    /// Takes a key of 16, 24 or 32 bytes.
    pub(crate) fn new(mode: AesMode, key: &[u8]) -> Self {
        let unbound = || {
            let algorithm = match key.len() {
                16 => &cipher::AES_128,
                24 => &cipher::AES_192,
                _ => &cipher::AES_256,
            };
            UnboundCipherKey::new(algorithm, key).expect("aws-lc: the key has its length")
        };
        let (encryption, decryption) = match mode {
            AesMode::Ecb => (EncryptingKey::ecb(unbound()), DecryptingKey::ecb(unbound())),
            AesMode::Cbc => (EncryptingKey::cbc(unbound()), DecryptingKey::cbc(unbound())),
            AesMode::Ctr => (EncryptingKey::ctr(unbound()), DecryptingKey::ctr(unbound())),
            AesMode::Cfb => (EncryptingKey::cfb128(unbound()), DecryptingKey::cfb128(unbound())),
            AesMode::Ofb => (EncryptingKey::ofb(unbound()), DecryptingKey::ofb(unbound())),
        };
        let supported = "aws-lc: AES has the mode";
        Self { mode, encryption: encryption.expect(supported), decryption: decryption.expect(supported) }
    }

    /// Encrypts in place; ECB and CBC take whole blocks.
    pub(crate) fn encrypt(&self, iv: &[u8; 16], data: &mut [u8]) {
        let context = match self.mode {
            AesMode::Ecb => EncryptionContext::None,
            _ => EncryptionContext::Iv128(iv.into()),
        };
        self.encryption.less_safe_encrypt(data, context).expect("aws-lc: the data has the mode's length");
    }

    /// Decrypts in place; ECB and CBC take whole blocks.
    pub(crate) fn decrypt(&self, iv: &[u8; 16], data: &mut [u8]) {
        let context = match self.mode {
            AesMode::Ecb => DecryptionContext::None,
            _ => DecryptionContext::Iv128(iv.into()),
        };
        self.decryption.decrypt(data, context).expect("aws-lc: the data has the mode's length");
    }
}

macro_rules! hashes {
    ($($(#[$doc:meta])* $name:ident = $algorithm:ident, $len:literal;)+) => {$(
        $(#[$doc])*
        ///
        /// AWS-LC erases the state at the end.
        #[derive(Clone)]
        pub(crate) struct $name(digest::Context);

        impl $name {
            pub(crate) fn new() -> Self {
                Self(digest::Context::new(&digest::$algorithm))
            }

            pub(crate) fn update(&mut self, data: &[u8]) {
                self.0.update(data);
            }

            pub(crate) fn finish(self) -> [u8; $len] {
                self.0.finish().as_ref().try_into().expect("aws-lc: a digest has its length")
            }

            /// Computes the digest of `data` without a context: allocating one takes half as long as hashing 64 bytes.
            pub(crate) fn digest_into(data: &[u8], out: &mut [u8; $len]) {
                out.copy_from_slice(digest::digest(&digest::$algorithm, data).as_ref());
            }

            /// The digest of the concatenation of `parts`, which may be secret.
            #[allow(dead_code, reason = "not every hash is used for secrets")]
            pub(crate) fn of(parts: &[&[u8]]) -> Zeroizing<[u8; $len]> {
                let mut state = Self::new();
                for part in parts {
                    state.update(part);
                }
                Zeroizing::new(state.finish())
            }
        }
    )+};
}

hashes! {
    /// SHA-224 (FIPS 180-4).
    Sha224 = SHA224, 28;
    /// SHA-256 (FIPS 180-4).
    Sha256 = SHA256, 32;
    /// SHA-384 (FIPS 180-4).
    Sha384 = SHA384, 48;
    /// SHA-512 (FIPS 180-4).
    Sha512 = SHA512, 64;
    /// SHA-512/256 (FIPS 180-4).
    Sha512_256 = SHA512_256, 32;
}

/// Compares in constant time; slices of different lengths are unequal.
pub(crate) fn equal(a: &[u8], b: &[u8]) -> bool {
    constant_time::verify_slices_are_equal(a, b).is_ok()
}

macro_rules! curves {
    ($($(#[$doc:meta])* $name:ident = $algorithm:ident, $private_len:literal, $public_len:literal;)+) => {$(
        $(#[$doc])*
        pub(crate) struct $name(agreement::PrivateKey);

        impl $name {
            /// `None` for a number that is no private key.
            pub(crate) fn from_bytes(bytes: &[u8; $private_len]) -> Option<Self> {
                agreement::PrivateKey::from_private_key(&agreement::$algorithm, bytes).ok().map(Self)
            }

            pub(crate) fn public_key(&self) -> [u8; $public_len] {
                let public = self.0.compute_public_key().expect("aws-lc: a private key has a public one");
                public.as_ref().try_into().expect("aws-lc: a public key has its length")
            }

            /// Calls `with` with the shared secret of this key and `other`; `None` if the secret is zero, or `other` is no
            /// public key.
            pub(crate) fn diffie_hellman<R>(
                &self,
                other: &[u8],
                with: impl FnOnce(&[u8; $private_len]) -> R,
            ) -> Option<R> {
                let other = UnparsedPublicKey::new(&agreement::$algorithm, other);
                let with = |shared: &[u8]| Ok(with(shared.try_into().expect("aws-lc: a secret has its length")));
                agreement::agree(&self.0, other, (), with).ok()
            }
        }
    )+};
}

curves! {
    /// A private key of X25519 (RFC 7748).
    X25519 = X25519, 32, 32;
    /// A private key of ECDH over P-256 (SP 800-56A); public keys are uncompressed.
    P256 = ECDH_P256, 32, 65;
    /// A private key of ECDH over P-384; public keys are uncompressed.
    P384 = ECDH_P384, 48, 97;
    /// A private key of ECDH over P-521; public keys are uncompressed.
    P521 = ECDH_P521, 66, 133;
}

impl X25519 {
    /// The bytes of the key as they were read, not clamped.
    pub(crate) fn to_bytes(&self) -> Zeroizing<[u8; 32]> {
        let seed: Curve25519SeedBin<'_> = self.0.as_be_bytes().expect("aws-lc: the key is one of X25519");
        let mut bytes = Zeroizing::new([0; 32]);
        bytes.copy_from_slice(seed.as_ref());
        bytes
    }
}

macro_rules! points {
    ($($name:ident = $algorithm:ident, $public_len:literal;)+) => {$(
        impl $name {
            /// Whether an uncompressed point is on the curve.
            pub(crate) fn is_on_curve(point: &[u8; $public_len]) -> bool {
                ParsedPublicKey::try_from(UnparsedPublicKey::new(&agreement::$algorithm, point)).is_ok()
            }
        }
    )+};
}

points! {
    P256 = ECDH_P256, 65;
    P384 = ECDH_P384, 97;
    P521 = ECDH_P521, 133;
}

macro_rules! ml_kems {
    ($($(#[$doc:meta])* $private:ident, $public:ident = $algorithm:ident, $expand:ident, $expanded_len:literal, $public_at:expr;)+) => {$(
        $(#[$doc])*
        ///
        /// An expanded decapsulation key.
        pub(crate) struct $private(kem::DecapsulationKey);

        impl $private {
            /// Expands a seed, d || z, to the decapsulation key and the encapsulation key that it contains (FIPS 203 algorithm
            /// 16). AWS-LC's bindings take no seeds, so [`super::shared`] does the expansion.
            pub(crate) fn from_seed(seed: &[u8; 64]) -> (Self, Vec<u8>) {
                let expanded = super::$expand(seed);
                (Self::from_expanded(&expanded), expanded[$public_at].to_vec())
            }

            /// Takes an expanded key. The caller has checked it (FIPS 203 section 7.3).
            pub(crate) fn from_expanded(expanded: &[u8; $expanded_len]) -> Self {
                let key = kem::DecapsulationKey::new(&kem::$algorithm, expanded);
                Self(key.expect("aws-lc: the key has its length"))
            }

            /// The shared secret of a ciphertext of the right length; for a forged one, a pseudo-random secret (implicit
            /// rejection).
            pub(crate) fn decapsulate(&self, ciphertext: &[u8]) -> Zeroizing<[u8; 32]> {
                let secret = self.0.decapsulate(ciphertext.into());
                shared_secret(&secret.expect("aws-lc: key and ciphertext have their lengths"))
            }
        }

        $(#[$doc])*
        ///
        /// An encapsulation key.
        pub(crate) struct $public(kem::EncapsulationKey);

        impl $public {
            /// Takes a key. The caller has checked it (FIPS 203 section 7.2).
            pub(crate) fn new(bytes: &[u8; $public_at.end - $public_at.start]) -> Self {
                Self(kem::EncapsulationKey::new(&kem::$algorithm, bytes).expect("aws-lc: the key has its length"))
            }

            /// Returns a ciphertext and its shared secret. AWS-LC's bindings take no randomness: they draw from AWS-LC's
            /// generator, which the system seeds, and which ends the process if the system has no randomness. So callers draw
            /// from the system first.
            pub(crate) fn encapsulate(&self, _random: &[u8; 32]) -> (Vec<u8>, Zeroizing<[u8; 32]>) {
                let (ciphertext, secret) = self.0.encapsulate().expect("aws-lc: the key was checked");
                (ciphertext.as_ref().to_vec(), shared_secret(&secret))
            }
        }
    )+};
}

ml_kems! {
    /// ML-KEM-512 (FIPS 203).
    MlKem512, MlKem512Public = ML_KEM_512, ml_kem_512_expand, 1632, 768..1568;
    /// ML-KEM-768 (FIPS 203).
    MlKem768, MlKem768Public = ML_KEM_768, ml_kem_768_expand, 2400, 1152..2336;
    /// ML-KEM-1024 (FIPS 203).
    MlKem1024, MlKem1024Public = ML_KEM_1024, ml_kem_1024_expand, 3168, 1536..3104;
}

fn shared_secret(secret: &kem::SharedSecret) -> Zeroizing<[u8; 32]> {
    let mut copy = Zeroizing::new([0; 32]);
    copy.copy_from_slice(secret.as_ref());
    copy
}

/// The algorithm identifier rsaEncryption with NULL as parameters, for PKCS#8 (RFC 5958) and `SubjectPublicKeyInfo` (RFC 5280),
/// which AWS-LC's bindings take.
const RSA_ENCRYPTION: &[u8] = b"\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00";

/// A private key of RSA for decryption (RFC 8017). AWS-LC erases its numbers.
pub(crate) struct RsaDecryption {
    oaep: OaepPrivateDecryptingKey,
    der: Zeroizing<Vec<u8>>,
    /// The key for the bare private operation, which the bindings lack.
    raw: OnceLock<raw_rsa::PrivateKey>,
}

impl RsaDecryption {
    pub(crate) const IS_THERE: bool = true;

    /// Generates a key, in PKCS#1. `None` if `go_on` returns false, or if AWS-LC fails.
    ///
    /// The number of candidates that are no primes is random. So two threads search, and the first key is taken: on average
    /// this takes five eighths of the time of one search, and a quarter more work. Which thread is first says nothing about the
    /// primes: each candidate is drawn anew.
    pub(crate) fn generate(bits: u16, go_on: &mut dyn FnMut() -> bool) -> Option<Zeroizing<Vec<u8>>> {
        let is_over = AtomicBool::new(false);
        let search = |go_on: &mut dyn FnMut() -> bool| {
            let key = raw_rsa::PrivateKey::generate(bits, &mut || !is_over.load(Ordering::Relaxed) && go_on());
            is_over.store(true, Ordering::Relaxed);
            key
        };
        let has_two = thread::available_parallelism().is_ok_and(|cores| cores.get() > 1);
        let key = thread::scope(|scope| {
            let second = has_two.then(|| thread::Builder::new().spawn_scoped(scope, || search(&mut || true)));
            let own = search(go_on);
            // If the second thread does not start, one is enough.
            let other =
                second.and_then(Result::ok).and_then(|second| second.join().expect("rsa: a search does not panic"));
            own.or(other)
        });
        key.map(|key| key.to_der())
    }

    /// Reads an `RSAPrivateKey`; `None` if its numbers are inconsistent.
    pub(crate) fn from_der(der: &[u8]) -> Option<Self> {
        let octets = Zeroizing::new(element(0x04, &[der])?);
        let pkcs8 = Zeroizing::new(element(0x30, &[b"\x02\x01\x00", RSA_ENCRYPTION, &octets])?);
        let key = rsa::PrivateDecryptingKey::from_pkcs8(&pkcs8).ok()?;
        let oaep = OaepPrivateDecryptingKey::new(key).ok()?;
        Some(Self { oaep, der: Zeroizing::new(der.to_vec()), raw: OnceLock::new() })
    }

    /// Decrypts a ciphertext as long as the modulus with OAEP.
    pub(crate) fn decrypt(&self, hash: OaepHash, label: &[u8], ciphertext: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let mut plaintext = Zeroizing::new(vec![0; self.oaep.min_output_size()]);
        let len = self.oaep.decrypt(oaep(hash), ciphertext, &mut plaintext, Some(label)).ok()?.len();
        plaintext.truncate(len);
        Some(plaintext)
    }

    /// Decrypts a ciphertext as long as the modulus, and returns the padded message; `None` if the ciphertext is not below the
    /// modulus.
    pub(crate) fn decrypt_raw(&self, ciphertext: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let key = self.raw.get_or_init(|| raw_rsa::PrivateKey::from_der(&self.der).expect("aws-lc: the key was read"));
        let mut encoded = Zeroizing::new(vec![0; ciphertext.len()]);
        key.decrypt(ciphertext, &mut encoded).then_some(encoded)
    }
}

/// A public key of RSA for encryption.
pub(crate) struct RsaEncryption(rsa::PublicEncryptingKey);

impl RsaEncryption {
    /// Reads an `RSAPublicKey`; `None` if the modulus is even, or the exponent is even, 1, or over 33 bits.
    pub(crate) fn from_der(der: &[u8]) -> Option<Self> {
        let bits = element(0x03, &[&[0], der])?;
        let info = element(0x30, &[RSA_ENCRYPTION, &bits])?;
        rsa::PublicEncryptingKey::from_der(&info).ok().map(Self)
    }

    /// Encrypts with OAEP. The caller has checked the length. AWS-LC draws the randomness itself.
    pub(crate) fn encrypt(&self, hash: OaepHash, label: &[u8], plaintext: &[u8]) -> Vec<u8> {
        let key = OaepPublicEncryptingKey::new(self.0.clone()).expect("aws-lc: the key was read");
        let mut ciphertext = vec![0; key.ciphertext_size()];
        let encrypted = key.encrypt(oaep(hash), plaintext, &mut ciphertext, Some(label));
        encrypted.expect("aws-lc: the plaintext is short");
        ciphertext
    }

    /// Encrypts with PKCS#1 v1.5. The caller has checked the length. AWS-LC draws the randomness itself.
    pub(crate) fn encrypt_pkcs1(&self, plaintext: &[u8]) -> Vec<u8> {
        let key = Pkcs1PublicEncryptingKey::new(self.0.clone()).expect("aws-lc: the key was read");
        let mut ciphertext = vec![0; key.ciphertext_size()];
        key.encrypt(plaintext, &mut ciphertext).expect("aws-lc: the plaintext is short");
        ciphertext
    }
}

fn oaep(hash: OaepHash) -> &'static rsa::OaepAlgorithm {
    match hash {
        OaepHash::Sha1 => &rsa::OAEP_SHA1_MGF1SHA1,
        OaepHash::Sha256 => &rsa::OAEP_SHA256_MGF1SHA256,
        OaepHash::Sha384 => &rsa::OAEP_SHA384_MGF1SHA384,
        OaepHash::Sha512 => &rsa::OAEP_SHA512_MGF1SHA512,
    }
}

/// Writes an element of DER whose content is the concatenation of `parts`, 256 to 65,535 bytes. `None` for another length,
/// which no key of 2,048 to 8,192 bits has.
fn element(tag: u8, parts: &[&[u8]]) -> Option<Vec<u8>> {
    let len = u16::try_from(parts.iter().map(|part| part.len()).sum::<usize>()).ok().filter(|len| *len > 0xff)?;
    // Allocated once, so that no growth leaves a copy of a secret behind.
    let mut element = Vec::with_capacity(4 + usize::from(len));
    element.extend([tag, 0x82]);
    element.extend(len.to_be_bytes());
    for part in parts {
        element.extend_from_slice(part);
    }
    Some(element)
}
