//! Ciphers that hide and do not protect, for data and protocols that have them already.
//!
//! Nothing here notices a changed byte. New designs take [`Encryptor`](crate::Encryptor) for files and data to people, or
//! [`aead`](crate::aead) for a buffer under a key.

pub mod cipher;
