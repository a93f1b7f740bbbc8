//! SHA-3, SHAKE, Keccak and KMAC over the sponge of our own crate, on all targets.

use crate::kernel;
use sealstone_ciphers::keccak::Sponge;
use zeroize::Zeroizing;

/// Begins a sponge on the backend of this process.
fn begin<const RATE: usize, const PADDING: u8>() -> Sponge<RATE, PADDING> {
    Sponge::with_backend(kernel::keccak_backend()).expect("keccak: the backend was found")
}

/// A hash function with blocks of `RATE` bytes and digests of `LEN` bytes. Zeroed on drop.
#[derive(Clone)]
pub(crate) struct Keccak<const RATE: usize, const PADDING: u8, const LEN: usize>(Sponge<RATE, PADDING>);

/// SHA-3 (FIPS 202).
pub(crate) type Sha3_224 = Keccak<144, 0x06, 28>;
pub(crate) type Sha3_256 = Keccak<136, 0x06, 32>;
pub(crate) type Sha3_384 = Keccak<104, 0x06, 48>;
pub(crate) type Sha3_512 = Keccak<72, 0x06, 64>;
/// Keccak as it was submitted to NIST (version 3), with another padding than FIPS 202.
pub(crate) type Keccak224 = Keccak<144, 0x01, 28>;
pub(crate) type Keccak256 = Keccak<136, 0x01, 32>;
pub(crate) type Keccak384 = Keccak<104, 0x01, 48>;
pub(crate) type Keccak512 = Keccak<72, 0x01, 64>;
/// SHAKE (FIPS 202), whose digests of the default length have twice as many bits as the strength.
pub(crate) type Shake128 = Keccak<168, 0x1f, 32>;
pub(crate) type Shake256 = Keccak<136, 0x1f, 64>;

impl<const RATE: usize, const PADDING: u8, const LEN: usize> Keccak<RATE, PADDING, LEN> {
    pub(crate) fn new() -> Self {
        Self(begin())
    }

    pub(crate) fn update(&mut self, data: &[u8]) {
        self.0.absorb(data);
    }

    /// Writes a digest of any length to `out`, as only SHAKE has them.
    pub(crate) fn finish_into(mut self, out: &mut [u8]) {
        self.0.squeeze(out);
    }

    pub(crate) fn finish(mut self) -> [u8; LEN] {
        let mut digest = [0; LEN];
        self.0.squeeze(&mut digest);
        digest
    }

    /// Computes the digest of `data`.
    pub(crate) fn digest_into(data: &[u8], out: &mut [u8; LEN]) {
        let mut state = begin::<RATE, PADDING>();
        state.absorb(data);
        state.squeeze(out);
    }

    /// The digest of the concatenation of `parts`, which may be secret.
    pub(crate) fn of(parts: &[&[u8]]) -> Zeroizing<[u8; LEN]> {
        // In place: each move of the state would leave a copy of the absorbed secret behind.
        let mut state = begin::<RATE, PADDING>();
        for part in parts {
            state.absorb(part);
        }
        let mut digest = Zeroizing::new([0; LEN]);
        state.squeeze(&mut digest[..]);
        digest
    }
}

/// Computes SHAKE256 of a secret (FIPS 202), with any length of output.
pub(crate) fn shake256(secret: &[u8], out: &mut [u8]) {
    let mut state = begin::<136, 0x1f>();
    state.absorb(secret);
    state.squeeze(out);
}

/// KMAC256 (SP 800-185 section 4).
#[derive(Clone)]
pub(crate) struct Kmac256(Sponge<{ Kmac256::BLOCK_LEN }, 0x04>);

impl Kmac256 {
    /// Bytes of a block of cSHAKE256.
    const BLOCK_LEN: usize = 136;

    pub(crate) fn new(key: &[u8], customization: &[u8]) -> Self {
        let mut state = Self(begin());
        state.absorb_padded(&[b"KMAC", customization]);
        state.absorb_padded(&[key]);
        state
    }

    /// `bytepad(encode_string(…) || …, 136)` of SP 800-185 section 2.3.
    fn absorb_padded(&mut self, strings: &[&[u8]]) {
        let width = left_encode(Self::BLOCK_LEN as u64);
        self.0.absorb(&width);
        let mut len = width.len();
        for string in strings {
            let bits = left_encode(8 * string.len() as u64);
            self.0.absorb(&bits);
            self.0.absorb(string);
            len += bits.len() + string.len();
        }
        self.0.absorb(&[0; Self::BLOCK_LEN][..len.next_multiple_of(Self::BLOCK_LEN) - len]);
    }

    pub(crate) fn update(&mut self, data: &[u8]) {
        self.0.absorb(data);
    }

    pub(crate) fn finish(mut self, tag: &mut [u8]) {
        // right_encode is left_encode with the count at the end.
        let mut bits = left_encode(8 * tag.len() as u64);
        bits.rotate_left(1);
        self.0.absorb(&bits);
        self.0.squeeze(tag);
    }
}

/// SP 800-185 section 2.3.1: the number of bytes of a number, and these bytes.
fn left_encode(number: u64) -> Vec<u8> {
    let bytes = number.to_be_bytes();
    let from = bytes.iter().take(7).take_while(|byte| **byte == 0).count();
    let count = u8::try_from(8 - from).expect("kmac: at most eight");
    [&[count], &bytes[from..]].concat()
}
