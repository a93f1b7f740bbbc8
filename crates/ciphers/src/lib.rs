//! Ciphers that Sealstone computes itself, in constant time, on the widest registers that the CPU has: SM4 and its modes,
//! ChaCha20, Salsa20 and Poly1305, and padding.
//!
//! It has `unsafe` where a kernel is entered and where registers meet memory; of the other crates only `bindings/node` has any.
//! Applications use the crate `sealstone`, which checks lengths and decides defaults.

pub mod chacha20;
pub mod padding;
pub mod poly1305;
pub mod salsa20;
pub mod sm4;

mod aead;
mod backend;
mod constant_time;
mod cpu;
mod ghash;
mod keystream;
mod lanes;
mod portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm32;
#[cfg(target_arch = "x86_64")]
mod x86_64;

/// A key, nonce, tag or buffer has a length that the mode does not take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidLength;

impl std::fmt::Display for InvalidLength {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("invalid length")
    }
}

impl std::error::Error for InvalidLength {}

/// A sealed buffer is not what was sealed, or key, nonce or associated data are others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAuthentic;

impl std::fmt::Display for NotAuthentic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("not authentic")
    }
}

impl std::error::Error for NotAuthentic {}
