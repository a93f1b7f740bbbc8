//! Libraries of algorithms, behind types and functions of our own.
//!
//! Only this module names libraries. [`aws_lc`] and [`rust`] have the same names with the same meaning, and the target chooses
//! one of them: AWS-LC on native targets; the crates of RustCrypto and dalek in WebAssembly, and on native targets with
//! `RUSTFLAGS='--cfg sealstone_rustcrypto'`, so that the tests run on both. Users have no choice to make.
//!
//! - [`shared`] and [`mac`]: the parts that both providers take from the same crates
//! - [`block`]: RustCrypto's modes of AES that AWS-LC's bindings lack
//! - [`legacy`]: ciphers of old data
//! - [`gcm`]: AES-GCM under nonces of any length; AWS-LC's bindings and ring take 12 bytes
//! - [`gmsm`]: the mode of `Sm4GCM` of tjfoc/gmsm
//! - [`ed25519`]: points of edwards25519
//! - [`keccak`]: SHA-3 and its relatives, over our own sponge
//! - [`ecdsa`] and [`ml_dsa`]: RustCrypto's signatures; AWS-LC's bindings have the most common ones
//! - [`ring`]: AES-GCM on the CPUs where ring is the fastest
//! - [`zstd`]: compression, natively
//!
//! A provider only computes; a length that its caller got wrong panics. The module of an algorithm's family decides which
//! inputs are accepted, returns errors, and documents the algorithm.

/// Hash functions from crates with the traits of `digest`.
macro_rules! crate_hashes {
    ($($(#[doc = $doc:literal])* $(#[cfg($cfg:meta)])? $name:ident = $library:ty, $len:literal;)+) => {$(
        $(#[cfg($cfg)])?
        $(#[doc = $doc])*
        ///
        /// Zeroed on drop.
        #[derive(Clone)]
        #[repr(align(64))]
        pub(crate) struct $name($library);

        $(#[cfg($cfg)])?
        impl $name {
            pub(crate) fn new() -> Self {
                Self(<$library>::new())
            }

            pub(crate) fn update(&mut self, data: &[u8]) {
                self.0.update(data);
            }

            pub(crate) fn finish(self) -> [u8; $len] {
                self.0.finalize().into()
            }

            /// Computes the digest of `data`.
            pub(crate) fn digest_into(data: &[u8], out: &mut [u8; $len]) {
                // Finished in place, in an aligned state: across cache lines, BLAKE2b of 64 bytes takes a tenth longer.
                let mut state = Self::new();
                state.update(data);
                state.0.finalize_into_reset(out.into());
            }

            /// The digest of the concatenation of `parts`, which may be secret.
            #[allow(dead_code, reason = "each hash has it, and not each is used for secrets")]
            pub(crate) fn of(parts: &[&[u8]]) -> Zeroizing<[u8; $len]> {
                // Finished in place: each move of the state would leave a copy of the absorbed secret behind.
                let mut state = <$library>::new();
                for part in parts {
                    state.update(part);
                }
                let mut digest = Zeroizing::new([0; $len]);
                state.finalize_into_reset((&mut *digest).into());
                digest
            }
        }
    )+};
}

#[cfg(not(any(target_family = "wasm", sealstone_rustcrypto)))]
mod aws_lc;
mod block;
#[cfg(feature = "sign")]
mod ecdsa;
#[cfg(feature = "sign")]
mod ed25519;
mod gcm;
#[cfg(all(feature = "gm", feature = "interop"))]
mod gmsm;
mod keccak;
#[cfg(feature = "legacy")]
mod legacy;
pub(crate) mod mac;
#[cfg(feature = "sign")]
mod ml_dsa;
#[cfg_attr(any(not(target_arch = "x86_64"), sealstone_rustcrypto), path = "no_ring.rs")]
pub(crate) mod ring;
#[cfg(any(target_family = "wasm", sealstone_rustcrypto))]
mod rust;
mod shared;
#[cfg(all(feature = "archive", not(target_family = "wasm")))]
pub(crate) mod zstd;

#[cfg(not(any(target_family = "wasm", sealstone_rustcrypto)))]
pub(crate) use aws_lc::*;
pub(crate) use block::{AesCfb8, AesKeyWrap};
#[cfg(feature = "sign")]
pub(crate) use ecdsa::decompress_p256;
#[cfg(feature = "sign")]
pub(crate) use ed25519::Ed25519Point;
pub(crate) use gcm::Gcm;
#[cfg(all(feature = "gm", feature = "interop"))]
pub(crate) use gmsm::GmsmGcm;
pub(crate) use keccak::{
    Keccak224, Keccak256, Keccak384, Keccak512, Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128, Shake256, shake256,
};
#[cfg(feature = "legacy")]
pub(crate) use legacy::{Cipher8, Mode8, rabbit, rc4};
#[cfg(feature = "sign")]
pub(crate) use ml_dsa::{Expanded as MlDsaExpanded, MU_LEN, MlDsaSet, Stored as MlDsaStored};
#[cfg(any(target_family = "wasm", sealstone_rustcrypto))]
pub(crate) use rust::*;
pub(crate) use shared::*;

/// An input was refused. The libraries tell no reason.
#[derive(Debug)]
pub(crate) struct Refused;

/// The unauthenticated modes of AES (SP 800-38A); CFB feeds back whole blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AesMode {
    Ecb,
    Cbc,
    Ctr,
    Cfb,
    Ofb,
}

/// The curves of ECDSA: NIST's (SP 800-186), and Bitcoin's (SEC 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Curve {
    P256,
    P384,
    P521,
    Secp256k1,
}

impl Curve {
    /// Bytes of a scalar, and of a coordinate.
    pub(crate) fn len(self) -> usize {
        match self {
            Self::P256 | Self::Secp256k1 => 32,
            Self::P384 => 48,
            Self::P521 => 66,
        }
    }

    /// The hash whose length matches the curve.
    pub(crate) fn own_hash(self) -> Sha {
        match self {
            Self::P256 | Self::Secp256k1 => Sha::Sha256,
            Self::P384 => Sha::Sha384,
            Self::P521 => Sha::Sha512,
        }
    }
}

/// The hash function of a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sha {
    Sha256,
    Sha384,
    Sha512,
}

impl Sha {
    /// The digest of a message.
    fn digest(self, message: &[u8]) -> Vec<u8> {
        match self {
            Self::Sha256 => Sha256::of(&[message]).to_vec(),
            Self::Sha384 => Sha384::of(&[message]).to_vec(),
            Self::Sha512 => Sha512::of(&[message]).to_vec(),
        }
    }
}

/// The padding of RSA signatures (RFC 8017). PSS uses MGF1 with the same hash, and a salt as long as the digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RsaPadding {
    Pss,
    Pkcs1,
}

/// The hash of OAEP and of its MGF1 (RFC 8017 section 7.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OaepHash {
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}
