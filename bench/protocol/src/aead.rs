//! Operations that every AEAD has, over its key: each peer does the same around its own calls.
//!
//! Sealing works in place, over and over on what is there: the work is the same. Opening destroys its input, so every
//! run begins with a copy of it, in every engine.

#[cfg(feature = "deflate")]
mod deflate;
mod records;
mod requests;

use crate::buffer::Buffer;
use crate::{Refusal, Task, Trial};

/// Bytes of a nonce of most.
pub const NONCE_LEN: usize = 12;
/// Bytes of a nonce of XChaCha20-Poly1305 and XSalsa20-Poly1305.
pub const X_NONCE_LEN: usize = 24;
/// Bytes of a tag.
pub const TAG_LEN: usize = 16;

/// 0, 1, 2, …: the key of every operation.
pub const KEY: [u8; 32] = counting(0);

/// 0x40, 0x41, …: the nonce of every operation on one buffer.
const fn nonce<const N: usize>() -> [u8; N] {
    counting(0x40)
}

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

/// What [`prepare`] can set up with nonces of [`X_NONCE_LEN`] bytes. XSalsa20-Poly1305 is NaCl's `secretbox`, whose tag
/// stands behind the ciphertext here, as everybody's.
pub const X_OPERATIONS: &[&str] = &[
    "aead/xchacha20-poly1305/seal",
    "aead/xchacha20-poly1305/open",
    "aead/xsalsa20-poly1305/seal",
    "aead/xsalsa20-poly1305/open",
];

/// What [`prepare`] can set up on SM4 in GCM, whose key is [`SM4_KEY`](crate::cipher::SM4_KEY).
pub const SM4_OPERATIONS: &[&str] = &[
    "sm4/gcm/seal",
    "sm4/gcm/open",
    "sm4/gcm/seal-records",
    "sm4/gcm/seal-requests",
    #[cfg(feature = "deflate")]
    "sm4/gcm/deflate-seal",
];

/// Which AEAD one of [`OPERATIONS`] is about.
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

/// A key of a peer with its schedule made, which threads may share; there is no associated data.
pub trait Aead<const N: usize = NONCE_LEN>: Sync + 'static {
    /// Seals in place.
    fn seal(&self, nonce: &[u8; N], buffer: &mut [u8]) -> [u8; TAG_LEN];

    /// Opens ciphertext and tag in place; whether they were authentic.
    fn open(&self, nonce: &[u8; N], sealed: &mut [u8]) -> bool;
}

/// Sets up one of [`OPERATIONS`] on a key that is [`KEY`] for its [`Suite`], or one of [`SM4_OPERATIONS`].
pub fn prepare(key: impl Aead, task: &Task) -> Result<Box<dyn Trial>, Refusal> {
    Ok(match task.operation.as_str() {
        "workload/records/seal" | "sm4/gcm/seal-records" => Box::new(records::Records::new(key, &task.input)),
        "sm4/gcm/seal-requests" => Box::new(requests::Requests::new(key, &task.input)),
        #[cfg(feature = "deflate")]
        "workload/text/deflate-seal" | "sm4/gcm/deflate-seal" => Box::new(deflate::DeflateSeal::new(key, &task.input)),
        name if OPERATIONS.contains(&name) || SM4_OPERATIONS.contains(&name) => on_buffer(key, task),
        name => return Err(no_operation(name)),
    })
}

/// Sets up one of [`X_OPERATIONS`] on a key that is [`KEY`] for its cipher.
pub fn prepare_x(key: impl Aead<X_NONCE_LEN>, task: &Task) -> Result<Box<dyn Trial>, Refusal> {
    let name = task.operation.as_str();
    if X_OPERATIONS.contains(&name) { Ok(on_buffer(key, task)) } else { Err(no_operation(name)) }
}

fn no_operation(name: &str) -> Refusal {
    Refusal::Unsupported(format!("{name} is no operation of an AEAD"))
}

fn on_buffer<const N: usize>(key: impl Aead<N>, task: &Task) -> Box<dyn Trial> {
    if task.operation.ends_with("/open") {
        Box::new(Open::new(key, &task.input))
    } else {
        Box::new(Seal::new(key, &task.input))
    }
}

struct Seal<K, const N: usize> {
    key: K,
    nonce: [u8; N],
    sealed: Buffer,
}

impl<K: Aead<N>, const N: usize> Seal<K, N> {
    fn new(key: K, input: &[u8]) -> Self {
        Self { key, nonce: nonce(), sealed: Buffer::beginning_with(input, input.len() + TAG_LEN) }
    }
}

impl<K: Aead<N>, const N: usize> Trial for Seal<K, N> {
    fn run(&mut self) -> Result<(), String> {
        seal(&self.key, &self.nonce, &mut self.sealed);
        Ok(())
    }

    fn output(&self) -> &[u8] {
        &self.sealed
    }
}

/// Seals the bytes before a tag's length; the tag goes there.
fn seal<const N: usize>(key: &impl Aead<N>, nonce: &[u8; N], sealed: &mut [u8]) {
    let (buffer, tag) = sealed.split_last_chunk_mut::<TAG_LEN>().expect("aead: there is room for a tag");
    *tag = key.seal(nonce, buffer);
}

struct Open<K, const N: usize> {
    key: K,
    nonce: [u8; N],
    sealed: Buffer,
    opened: Buffer,
}

impl<K: Aead<N>, const N: usize> Open<K, N> {
    fn new(key: K, input: &[u8]) -> Self {
        let mut sealed = Buffer::beginning_with(input, input.len() + TAG_LEN);
        seal(&key, &nonce(), &mut sealed);
        let opened = Buffer::new(sealed.len());
        Self { key, nonce: nonce(), sealed, opened }
    }
}

impl<K: Aead<N>, const N: usize> Trial for Open<K, N> {
    fn run(&mut self) -> Result<(), String> {
        self.opened.copy_from_slice(&self.sealed);
        if self.key.open(&self.nonce, &mut self.opened) { Ok(()) } else { Err("not authentic".to_owned()) }
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
    fn mix(nonce: &[u8], buffer: &mut [u8]) {
        for byte in buffer {
            *byte ^= nonce.last().unwrap() | 0x80;
        }
    }

    fn tag(nonce: &[u8], ciphertext: &[u8]) -> [u8; TAG_LEN] {
        let mut tag = [0; TAG_LEN];
        tag[..NONCE_LEN].copy_from_slice(&nonce[..NONCE_LEN]);
        tag[15] = ciphertext.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte));
        tag
    }
}

#[cfg(test)]
impl<const N: usize> Aead<N> for Toy {
    fn seal(&self, nonce: &[u8; N], buffer: &mut [u8]) -> [u8; TAG_LEN] {
        Self::mix(nonce, buffer);
        Self::tag(nonce, buffer)
    }

    fn open(&self, nonce: &[u8; N], sealed: &mut [u8]) -> bool {
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
        let prepared = if X_OPERATIONS.contains(&operation) { prepare_x(Toy, &task) } else { prepare(Toy, &task) };
        prepared.unwrap()
    }

    #[test]
    fn key_and_nonce_count() {
        assert!(KEY.iter().copied().eq(0..32));
        assert_eq!(nonce(), *b"@ABCDEFGHIJK");
        assert_eq!(nonce(), *b"@ABCDEFGHIJKLMNOPQRSTUVW");
    }

    #[test]
    fn every_operation_runs_again_and_again() {
        for operation in OPERATIONS.iter().chain(X_OPERATIONS).chain(SM4_OPERATIONS) {
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
        assert!(matches!(prepare_x(Toy, &task), Err(Refusal::Unsupported(_))));
    }

    #[test]
    fn sealing_puts_the_tag_behind_the_ciphertext() {
        for operation in ["aead/aes-256-gcm/seal", "workload/text/seal"] {
            let mut trial = trial(operation, b"abc");
            trial.run().unwrap();
            let ciphertext = b"abc".map(|byte| byte ^ 0xcb);
            assert_eq!(trial.output(), [&ciphertext[..], &Toy::tag(&nonce::<NONCE_LEN>(), &ciphertext)].concat());
        }
    }

    #[test]
    fn opening_gives_the_plaintext_every_time() {
        for operation in ["aead/chacha20-poly1305/open", "aead/xsalsa20-poly1305/open"] {
            let mut trial = trial(operation, b"abc");
            for _ in 0..3 {
                trial.run().unwrap();
                assert_eq!(trial.output(), b"abc");
            }
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
