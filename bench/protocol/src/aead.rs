//! Operations that every AEAD has, over its key: each peer does the same around its own calls.
//!
//! Sealing works in place, over and over on what is there: the work is the same. Opening destroys its input, so every
//! run begins with a copy of it, in every engine.

#[cfg(feature = "deflate")]
mod deflate;
mod records;

use crate::buffer::Buffer;
use crate::{Refusal, Task, Trial};

/// Bytes of a nonce.
pub const NONCE_LEN: usize = 12;
/// Bytes of a tag.
pub const TAG_LEN: usize = 16;

/// 0, 1, 2, …: the key of every operation.
pub const KEY: [u8; 32] = counting(0);
/// 0x40, 0x41, …: the nonce of every operation on one buffer.
pub const NONCE: [u8; NONCE_LEN] = counting(0x40);

const fn counting<const N: usize>(from: u8) -> [u8; N] {
    let mut bytes = [0; N];
    let mut next = from;
    let mut i = 0;
    while i < N {
        bytes[i] = next;
        next += 1;
        i += 1;
    }
    bytes
}

/// What [`prepare`] can set up.
pub const OPERATIONS: &[&str] = &[
    "aead/aes-256-gcm/seal",
    "aead/aes-256-gcm/open",
    "aead/chacha20-poly1305/seal",
    "aead/chacha20-poly1305/open",
    "workload/records/seal",
    "workload/text/seal",
    #[cfg(feature = "deflate")]
    "workload/text/deflate-seal",
];

/// What [`prepare`] can set up on SM4 in GCM, whose key is [`SM4_KEY`](crate::cipher::SM4_KEY).
pub const SM4_OPERATIONS: &[&str] = &["sm4/gcm/seal", "sm4/gcm/open"];

/// Which AEAD an operation is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suite {
    Aes256Gcm,
    ChaCha20Poly1305,
}

impl Suite {
    /// That of an operation; the workloads have AES-256-GCM.
    pub fn of(operation: &str) -> Self {
        if operation.starts_with("aead/chacha20-poly1305/") { Self::ChaCha20Poly1305 } else { Self::Aes256Gcm }
    }
}

/// A key of a peer with its schedule made; there is no associated data.
pub trait Aead: 'static {
    /// Seals in place.
    fn seal(&self, nonce: &[u8; NONCE_LEN], buffer: &mut [u8]) -> [u8; TAG_LEN];

    /// Opens ciphertext and tag in place; whether they were authentic.
    fn open(&self, nonce: &[u8; NONCE_LEN], sealed: &mut [u8]) -> bool;
}

/// Sets up one of [`OPERATIONS`] on a key that is [`KEY`] for its [`Suite`], or one of [`SM4_OPERATIONS`].
pub fn prepare(key: impl Aead, task: &Task) -> Result<Box<dyn Trial>, Refusal> {
    let input = &task.input;
    Ok(match task.operation.rsplit_once('/') {
        Some(("aead/aes-256-gcm" | "aead/chacha20-poly1305" | "sm4/gcm" | "workload/text", "seal")) => {
            Box::new(Seal::new(key, input))
        }
        Some(("aead/aes-256-gcm" | "aead/chacha20-poly1305" | "sm4/gcm", "open")) => Box::new(Open::new(key, input)),
        Some(("workload/records", "seal")) => Box::new(records::Records::new(key, input)),
        #[cfg(feature = "deflate")]
        Some(("workload/text", "deflate-seal")) => Box::new(deflate::DeflateSeal::new(key, input)),
        _ => return Err(Refusal::Unsupported(format!("{} is no operation of an AEAD", task.operation))),
    })
}

struct Seal<K> {
    key: K,
    sealed: Buffer,
}

impl<K: Aead> Seal<K> {
    fn new(key: K, input: &[u8]) -> Self {
        Self { key, sealed: Buffer::beginning_with(input, input.len() + TAG_LEN) }
    }
}

impl<K: Aead> Trial for Seal<K> {
    fn run(&mut self) -> Result<(), String> {
        seal(&self.key, &NONCE, &mut self.sealed);
        Ok(())
    }

    fn output(&self) -> &[u8] {
        &self.sealed
    }
}

/// Seals the bytes before a tag's length; the tag goes there.
fn seal(key: &impl Aead, nonce: &[u8; NONCE_LEN], sealed: &mut [u8]) {
    let (buffer, tag) = sealed.split_last_chunk_mut::<TAG_LEN>().expect("aead: there is room for a tag");
    *tag = key.seal(nonce, buffer);
}

struct Open<K> {
    key: K,
    sealed: Buffer,
    opened: Buffer,
}

impl<K: Aead> Open<K> {
    fn new(key: K, input: &[u8]) -> Self {
        let mut sealed = Buffer::beginning_with(input, input.len() + TAG_LEN);
        seal(&key, &NONCE, &mut sealed);
        let opened = Buffer::new(sealed.len());
        Self { key, sealed, opened }
    }
}

impl<K: Aead> Trial for Open<K> {
    fn run(&mut self) -> Result<(), String> {
        self.opened.copy_from_slice(&self.sealed);
        if self.key.open(&NONCE, &mut self.opened) { Ok(()) } else { Err("not authentic".to_owned()) }
    }

    fn output(&self) -> &[u8] {
        &self.opened[..self.sealed.len() - TAG_LEN]
    }
}

/// A cipher for tests: a XOR with the nonce's last byte, and a tag of the nonce and the ciphertext's sum.
#[cfg(test)]
struct Toy;

#[cfg(test)]
impl Toy {
    fn mix(nonce: &[u8; NONCE_LEN], buffer: &mut [u8]) {
        for byte in buffer {
            *byte ^= nonce[NONCE_LEN - 1] | 0x80;
        }
    }

    fn tag(nonce: &[u8; NONCE_LEN], ciphertext: &[u8]) -> [u8; TAG_LEN] {
        let mut tag = [0; TAG_LEN];
        tag[..NONCE_LEN].copy_from_slice(nonce);
        tag[15] = ciphertext.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte));
        tag
    }
}

#[cfg(test)]
impl Aead for Toy {
    fn seal(&self, nonce: &[u8; NONCE_LEN], buffer: &mut [u8]) -> [u8; TAG_LEN] {
        Self::mix(nonce, buffer);
        Self::tag(nonce, buffer)
    }

    fn open(&self, nonce: &[u8; NONCE_LEN], sealed: &mut [u8]) -> bool {
        let (buffer, tag) = sealed.split_last_chunk_mut::<TAG_LEN>().unwrap();
        let authentic = Self::tag(nonce, buffer) == *tag;
        Self::mix(nonce, buffer);
        authentic
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn trial(operation: &str, input: &[u8]) -> Box<dyn Trial> {
        let task = Task { operation: operation.to_owned(), input: input.to_vec(), options: BTreeMap::new() };
        prepare(Toy, &task).unwrap()
    }

    #[test]
    fn key_and_nonce_count() {
        assert!(KEY.iter().copied().eq(0..32));
        assert_eq!(NONCE, *b"@ABCDEFGHIJK");
    }

    #[test]
    fn every_operation_runs_again_and_again() {
        for operation in OPERATIONS.iter().chain(SM4_OPERATIONS) {
            for input in [&b""[..], b"a", b"one\ntwo\n", &vec![7; 100_000]] {
                let mut trial = trial(operation, input);
                for _ in 0..3 {
                    trial.run().unwrap();
                }
                assert!(trial.output().len() + 16 >= input.len() || operation.contains("deflate"), "{operation}");
            }
        }
        let task = Task { operation: "aead/none/seal".to_owned(), input: Vec::new(), options: BTreeMap::new() };
        assert!(matches!(prepare(Toy, &task), Err(Refusal::Unsupported(_))));
    }

    #[test]
    fn sealing_puts_the_tag_behind_the_ciphertext() {
        for operation in ["aead/aes-256-gcm/seal", "workload/text/seal"] {
            let mut trial = trial(operation, b"abc");
            trial.run().unwrap();
            let ciphertext = b"abc".map(|byte| byte ^ 0xcb);
            assert_eq!(trial.output(), [&ciphertext[..], &Toy::tag(&NONCE, &ciphertext)].concat());
        }
    }

    #[test]
    fn opening_gives_the_plaintext_every_time() {
        let mut trial = trial("aead/chacha20-poly1305/open", b"abc");
        for _ in 0..3 {
            trial.run().unwrap();
            assert_eq!(trial.output(), b"abc");
        }
    }

    #[test]
    fn the_suite_is_in_the_name() {
        assert_eq!(Suite::of("aead/chacha20-poly1305/open"), Suite::ChaCha20Poly1305);
        for operation in ["aead/aes-256-gcm/seal", "workload/text/seal"] {
            assert_eq!(Suite::of(operation), Suite::Aes256Gcm);
        }
    }
}
