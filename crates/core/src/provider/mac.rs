//! The hashes and ciphers under MACs, for all targets. These states are part of their owner and are copied for each tag.
//! AWS-LC's are on the heap, and allocating one takes as long as authenticating 50 bytes.

use super::keccak::Keccak;
pub(crate) use super::keccak::Kmac256;
use aes::{Aes128Enc, Aes192Enc, Aes256Enc};
use blake2::digest::consts::U64;
use cmac::{KeyInit as _, Mac as _};
use sha2::block_api::{compress256, compress512};
use sha2::digest::common::hazmat::SerializableState as _;
use std::slice;
use zeroize::{Zeroize, Zeroizing};

/// A hash function under HMAC. The state is zeroed on drop.
pub(crate) trait Hash: Clone {
    /// Bytes of a block, to which HMAC pads its key.
    const BLOCK_LEN: usize;
    /// Bytes of a digest.
    const LEN: usize;

    type Digest: AsRef<[u8]> + AsMut<[u8]> + Clone + Zeroize;

    fn new() -> Self;

    fn update(&mut self, data: &[u8]);

    fn finish(self) -> Self::Digest;

    /// The iterations of PBKDF2: `times` times, replaces `last`, a digest, by its HMAC, and adds that to `sum`. `inner` and
    /// `outer` are the states of the HMAC after a block of its key.
    fn iterate(inner: &Self, outer: &Self, last: &mut [u8], sum: &mut [u8], times: u32) {
        for _ in 0..times {
            for start in [inner, outer] {
                let mut state = start.clone();
                state.update(last);
                last.copy_from_slice((*Zeroizing::new(state.finish())).as_ref());
            }
            add(sum, last);
        }
    }
}

fn add(sum: &mut [u8], bytes: &[u8]) {
    sum.iter_mut().zip(bytes).for_each(|(sum, byte)| *sum ^= byte);
}

macro_rules! hashes {
    ($($(#[cfg($cfg:meta)])? $name:ident = $library:ty, $block_len:literal, $len:literal $(, $word:ty, $compress:path)?;)+) => {
        /// The hash functions, by their names in [`hash`](crate::hash).
        pub(crate) mod hash {
            $($(#[cfg($cfg)])? pub(crate) type $name = $library;)+
            pub(crate) use super::Blake3;
            pub(crate) use crate::provider::keccak::{
                Keccak224, Keccak256, Keccak384, Keccak512, Sha3_224, Sha3_256, Sha3_384, Sha3_512,
            };
        }

        $($(#[cfg($cfg)])? impl Hash for $library {
            const BLOCK_LEN: usize = $block_len;
            const LEN: usize = $len;

            type Digest = [u8; $len];

            fn new() -> Self {
                <$library as sha2::Digest>::new()
            }

            fn update(&mut self, data: &[u8]) {
                sha2::Digest::update(self, data);
            }

            fn finish(self) -> Self::Digest {
                sha2::Digest::finalize(self).into()
            }

            $(
            /// Works on blocks and words: the library's buffer takes a third of the time (100,000 iterations of SHA-256).
            fn iterate(inner: &Self, outer: &Self, last: &mut [u8], sum: &mut [u8], times: u32) {
                const WORD_LEN: usize = size_of::<$word>();
                const { assert!($len % WORD_LEN == 0, "mac: the digest ends within a word, which would be left out") };
                let words = |state: &Self| {
                    let serialized = Zeroizing::new(state.serialize());
                    let (words, _) = serialized.as_chunks::<WORD_LEN>();
                    Zeroizing::new(std::array::from_fn::<_, 8, _>(|i| <$word>::from_le_bytes(words[i])))
                };
                let (starts, mut state) = ([words(inner), words(outer)], Zeroizing::new([0; 8]));
                // The message is a block of the key and a digest, padded by FIPS 180-4 section 5.1: a 1 bit, zeros, and the
                // number of bits.
                let mut block = Zeroizing::new([0; $block_len]);
                block[..$len].copy_from_slice(last);
                block[$len] = 0x80;
                block[$block_len - 8..].copy_from_slice(&(8 * ($block_len + $len as u64)).to_be_bytes());
                for _ in 0..times {
                    for start in &starts {
                        *state = **start;
                        $compress(&mut state, slice::from_ref(&*block));
                        for (bytes, word) in block[..$len].chunks_exact_mut(WORD_LEN).zip(&*state) {
                            bytes.copy_from_slice(&word.to_be_bytes());
                        }
                    }
                    add(sum, &block[..$len]);
                }
                last.copy_from_slice(&block[..$len]);
            }
            )?
        })+
    };
}

hashes! {
    #[cfg(feature = "legacy")]
    Md5 = md5::Md5, 64, 16;
    Sha1 = sha1::Sha1, 64, 20;
    #[cfg(feature = "legacy")]
    Ripemd160 = ripemd::Ripemd160, 64, 20;
    Sha224 = sha2::Sha224, 64, 28, u32, compress256;
    Sha256 = sha2::Sha256, 64, 32, u32, compress256;
    Sha384 = sha2::Sha384, 128, 48, u64, compress512;
    Sha512 = sha2::Sha512, 128, 64, u64, compress512;
    Sha512_256 = sha2::Sha512_256, 128, 32, u64, compress512;
    Blake2b = blake2::Blake2b512, 128, 64;
    Blake2s = blake2::Blake2s256, 64, 32;
    Sm3 = sm3::Sm3, 64, 32;
}

impl<const RATE: usize, const PADDING: u8, const LEN: usize> Hash for Keccak<RATE, PADDING, LEN> {
    const BLOCK_LEN: usize = RATE;
    const LEN: usize = LEN;

    type Digest = [u8; LEN];

    fn new() -> Self {
        Self::new()
    }

    fn update(&mut self, data: &[u8]) {
        self.update(data);
    }

    fn finish(self) -> Self::Digest {
        self.finish()
    }
}

/// BLAKE3 as a hash under HMAC, as a keyed MAC, and for key derivation. Boxed, since its state is ten times as long as the
/// others.
#[derive(Clone)]
pub(crate) struct Blake3(Box<blake3::Hasher>);

impl Blake3 {
    pub(crate) fn keyed(key: &[u8; 32]) -> Self {
        Self(Box::new(blake3::Hasher::new_keyed(key)))
    }

    pub(crate) fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    pub(crate) fn finish(self, tag: &mut [u8]) {
        tag.copy_from_slice(self.0.finalize().as_slice());
    }

    /// Derives a key into `out`, of any length.
    pub(crate) fn derive_key(context: &str, material: &[u8], out: &mut [u8]) {
        let mut state = Self(Box::new(blake3::Hasher::new_derive_key(context)));
        state.update(material);
        state.0.finalize_xof().fill(out);
    }
}

impl Hash for Blake3 {
    const BLOCK_LEN: usize = 64;
    const LEN: usize = 32;

    type Digest = [u8; 32];

    fn new() -> Self {
        Self(Box::default())
    }

    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    fn finish(self) -> Self::Digest {
        self.0.finalize().into()
    }
}

impl Drop for Blake3 {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// `BLAKE2b` with a key of 1 to 64 bytes and 512 bits of output (RFC 7693).
#[derive(Clone)]
pub(crate) struct KeyedBlake2b(blake2::Blake2bMac<U64>);

impl KeyedBlake2b {
    pub(crate) fn new(key: &[u8]) -> Self {
        Self(blake2::Blake2bMac::new_from_slice(key).expect("blake2b: the key has 1 to 64 bytes"))
    }

    pub(crate) fn update(&mut self, data: &[u8]) {
        cmac::Mac::update(&mut self.0, data);
    }

    pub(crate) fn finish(self, tag: &mut [u8]) {
        tag.copy_from_slice(&self.0.finalize().into_bytes());
    }
}

macro_rules! cmacs {
    ($($(#[$doc:meta])* $name:ident = $cipher:ty;)+) => {$(
        $(#[$doc])*
        #[derive(Clone)]
        pub(crate) struct $name(cmac::Cmac<$cipher>);

        impl $name {
            pub(crate) fn new(key: &[u8]) -> Self {
                Self(cmac::Cmac::new_from_slice(key).expect("cmac: the key has its length"))
            }

            pub(crate) fn update(&mut self, data: &[u8]) {
                cmac::Mac::update(&mut self.0, data);
            }

            pub(crate) fn finish(self, tag: &mut [u8]) {
                tag.copy_from_slice(&self.0.finalize().into_bytes());
            }
        }
    )+};
}

cmacs! {
    /// AES-CMAC (SP 800-38B, RFC 4493) with a key of 16 bytes.
    Aes128Cmac = Aes128Enc;
    /// AES-CMAC with a key of 24 bytes.
    Aes192Cmac = Aes192Enc;
    /// AES-CMAC with a key of 32 bytes.
    Aes256Cmac = Aes256Enc;
}
