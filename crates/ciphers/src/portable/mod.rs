//! Plain Rust, in constant time on any CPU, and the model that every other backend is compared with.

pub(crate) mod argon2;
pub(crate) mod ghash;
pub(crate) mod keystream;
pub(crate) mod poly1305;
pub(crate) mod sm4;
