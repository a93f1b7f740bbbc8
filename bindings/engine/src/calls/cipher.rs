//! Sealing and opening of one buffer.

pub mod aead;
pub mod hazmat;
