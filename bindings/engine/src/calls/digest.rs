//! Digests, tags, and keys of secrets and passwords.

pub mod hash;
pub mod kdf;
pub mod mac;
pub mod password;
