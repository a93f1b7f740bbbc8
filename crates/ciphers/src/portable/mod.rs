//! Kernels in plain Rust, in constant time on any CPU. Tests compare every other backend with them.

pub(crate) mod argon2;
pub(crate) mod ghash;
pub(crate) mod keccak;
pub(crate) mod keystream;
pub(crate) mod poly1305;
pub(crate) mod sm2;
pub(crate) mod sm4;
