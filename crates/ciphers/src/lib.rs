//! Sealstone's own kernels, in constant time, on the widest registers of the CPU: SM4 and its modes, ChaCha20, Salsa20,
//! Poly1305, GHASH, Keccak, the curve of SM2, and padding. The crate also fills Argon2's memory, mixes scrypt's rows, and calls
//! AWS-LC's C functions for RSA.
//!
//! `unsafe` stands where a kernel is entered, where registers meet memory, and where C is called.
//!
//! Applications use the crate `sealstone`, which checks lengths and chooses defaults.

// A caller enters a kernel with the token that proves its instructions (`cpu.rs`). No secret indexes a table, except in Argon2
// and scrypt, whose standards demand it. Of the other crates, only `bindings/node`, `bindings/python`, `bindings/wasm` and
// `bindings/inflate` have `unsafe`.
//
// Beside `src/`, `emulated/` runs the tests on an emulated CPU, and `constant_time/` checks the claims of SECURITY.md.

pub mod argon2;
pub mod chacha20;
pub mod erasure;
pub mod ghash;
pub mod keccak;
pub mod padding;
pub mod poly1305;
#[cfg(feature = "rsa")]
pub mod rsa;
pub mod salsa20;
pub mod scrypt;
pub mod sm2;
pub mod sm4;

mod aead;
mod backend;
mod compression;
mod constant_time;
mod cpu;
mod error;
mod field;
mod keystream;
mod lanes;
mod permutation;
mod portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm32;
mod words;
#[cfg(target_arch = "x86_64")]
mod x86_64;

pub use error::{InvalidLength, NotAuthentic};
