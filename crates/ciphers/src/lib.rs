//! Ciphers that Sealstone computes itself, in constant time, on the widest registers that the CPU has: SM4 and its modes,
//! ChaCha20, Salsa20 and Poly1305, GHASH, and padding. And it fills Argon2's memory, mixes scrypt's rows, and calls AWS-LC's C for RSA.
//!
//! It has `unsafe` where a kernel is entered, where registers meet memory, and where C is called; of the other crates only
//! `bindings/node` and `bindings/wasm` have any.
//! Applications use the crate `sealstone`, which checks lengths and decides defaults.

pub mod argon2;
pub mod chacha20;
pub mod ghash;
pub mod padding;
pub mod poly1305;
#[cfg(feature = "rsa")]
pub mod rsa;
pub mod salsa20;
pub mod scrypt;
pub mod sm4;

mod aead;
mod backend;
mod compression;
mod constant_time;
mod cpu;
mod erasure;
mod error;
mod keystream;
mod lanes;
mod portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm32;
#[cfg(target_arch = "x86_64")]
mod x86_64;

pub use error::{InvalidLength, NotAuthentic};
