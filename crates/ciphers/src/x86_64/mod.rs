//! Kernels for x86-64. Each is a safe function under its `target_feature`s. `unsafe` stands where a kernel is entered with the
//! token that proves the features, and where registers meet memory.
//!
//! A new instruction set needs a token in `cpu.rs`, and a variant of `Kernel` in `backend.rs`, `sm4/schedule.rs` or
//! `sm2/mod.rs`. The environment variable `SEALSTONE_BACKEND` then knows the name of its backend.

pub(crate) mod argon2;
pub(crate) mod ghash;
pub(crate) mod keccak;
pub(crate) mod keystream;
pub(crate) mod poly1305;
mod rounds_512;
pub(crate) mod sm2;
pub(crate) mod sm4;
