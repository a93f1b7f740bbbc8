//! Libraries of algorithms, behind types and functions of our own.
//!
//! A library is named here and nowhere else. [`aws_lc`] and [`rust`] have the same names with the same meaning, and the target
//! picks one of them: AWS-LC natively; the crates of RustCrypto and dalek for WebAssembly, and natively too where
//! `RUSTFLAGS='--cfg sealstone_rustcrypto'` asks for them, which is how the tests run on both. Users have no choice to make.
//! [`shared`] and [`mac`] are what both take from one crate, [`block`] the ciphers of RustCrypto that AWS-LC's bindings do not have,
//! [`gcm`] AES-GCM under nonces of any length, of which AWS-LC's bindings and ring have 12 bytes,
//! [`ecdsa`] and [`ml_dsa`] its signatures, of which AWS-LC's bindings have the most common,
//! and [`ring`] computes AES-GCM on the CPUs where it is the fastest.
//!
//! A provider computes and checks nothing but lengths that its caller got wrong, which panic. What an algorithm accepts, which
//! errors it has, and its documentation are its family's module's.

/// Hash functions of crates with the traits of `digest`.
macro_rules! crate_hashes {
    ($($(#[$doc:meta])* $name:ident = $library:ty, $len:literal;)+) => {$(
        $(#[$doc])*
        ///
        /// Zeroed on drop.
        #[derive(Clone)]
        #[repr(align(64))]
        pub(crate) struct $name($library);

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

            /// The digest of `data`.
            pub(crate) fn digest_into(data: &[u8], out: &mut [u8; $len]) {
                // In place: where a state lies across cache lines, 64 bytes take BLAKE2b a tenth longer.
                let mut state = Self::new();
                state.update(data);
                state.0.finalize_into_reset(out.into());
            }

            /// The digest of the concatenation of `parts`, which may be secret.
            #[allow(dead_code, reason = "each hash has it, and not each is used for secrets")]
            pub(crate) fn of(parts: &[&[u8]]) -> Zeroizing<[u8; $len]> {
                // In place: each move of the state would leave a copy of what was absorbed.
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
mod ecdsa;
mod gcm;
pub(crate) mod mac;
mod ml_dsa;
#[cfg_attr(any(not(target_arch = "x86_64"), sealstone_rustcrypto), path = "no_ring.rs")]
pub(crate) mod ring;
#[cfg(any(target_family = "wasm", sealstone_rustcrypto))]
mod rust;
mod shared;

#[cfg(not(any(target_family = "wasm", sealstone_rustcrypto)))]
pub(crate) use aws_lc::*;
pub(crate) use block::{AesCfb8, AesKeyWrap, Cipher8, Mode8, rabbit, rc4};
pub(crate) use ecdsa::decompress_p256;
pub(crate) use gcm::Gcm;
pub(crate) use ml_dsa::{Expanded as MlDsaExpanded, MU_LEN, MlDsaSet, Stored as MlDsaStored};
#[cfg(any(target_family = "wasm", sealstone_rustcrypto))]
pub(crate) use rust::*;
pub(crate) use shared::*;

/// No library tells more than that something did not fit.
#[derive(Debug)]
pub(crate) struct Refused;

/// The modes of AES that authenticate nothing (SP 800-38A); CFB feeds back whole blocks.
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
    /// Bytes of a number modulo the order, and of a coordinate.
    pub(crate) fn len(self) -> usize {
        match self {
            Self::P256 | Self::Secp256k1 => 32,
            Self::P384 => 48,
            Self::P521 => 66,
        }
    }

    /// The hash of its size.
    pub(crate) fn own_hash(self) -> Sha {
        match self {
            Self::P256 | Self::Secp256k1 => Sha::Sha256,
            Self::P384 => Sha::Sha384,
            Self::P521 => Sha::Sha512,
        }
    }
}

/// What signatures hash messages with.
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

/// How a digest is padded for RSA (RFC 8017): PSS has MGF1 of the same hash, and a salt as long as the digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RsaPadding {
    Pss,
    Pkcs1,
}

/// The hashes of OAEP and of its MGF1 (RFC 8017 section 7.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OaepHash {
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}
