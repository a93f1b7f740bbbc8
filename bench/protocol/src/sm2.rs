//! Operations of SM2 over a peer's key: each peer does the same around its own calls.
//!
//! The key is there before the clock, as a server has it. Signatures and ciphertexts are DER, which OpenSSL and certificates have, and
//! every peer reads.

use crate::public_key::{Encryption, Signing, encryption, signing};
use crate::{Refusal, Task, Trial};

/// The private key of the examples in GB/T 32918.5.
pub const PRIVATE_KEY: [u8; 32] = [
    0x39, 0x45, 0x20, 0x8f, 0x7b, 0x21, 0x44, 0xb1, 0x3f, 0x36, 0xe3, 0x8a, 0xc6, 0xd3, 0x9f, 0x95, 0x88, 0x93, 0x93,
    0x69, 0x28, 0x60, 0xb5, 0x1a, 0x42, 0xfb, 0x81, 0xef, 0x4d, 0xf7, 0xc5, 0xb8,
];
/// The user id of whoever has agreed on no other.
pub const ID: &str = "1234567812345678";

/// What [`prepare`] can set up.
pub const OPERATIONS: &[&str] = &["sm2/sign", "sm2/verify", "sm2/encrypt", "sm2/decrypt"];

/// Sets up one of [`OPERATIONS`] with a key of a peer, which is [`PRIVATE_KEY`] and its public one; the user is [`ID`].
pub fn prepare<K: Signing + Encryption>(key: K, task: Task) -> Result<Box<dyn Trial>, Refusal> {
    match task.operation.as_str() {
        "sm2/sign" | "sm2/verify" => signing(Box::new(key), task),
        _ => encryption(Box::new(key), task),
    }
}
