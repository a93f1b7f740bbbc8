//! The shared part of ChaCha20-Poly1305 and XSalsa20-Poly1305: one pass over the data, the tag over the ciphertext, and
//! Poly1305's key from the beginning of the keystream.

use crate::InvalidLength;
use crate::backend::Kernel;
use crate::constant_time::equal;
use crate::erasure::clear;
use crate::keystream::{BLOCK_LEN, Keystream, at_once, chunk_ahead};
use crate::lanes::CHACHA;
use crate::poly1305::{Factors, Mac, TAG_LEN, Tag};
use zeroize::Zeroizing;

/// Bytes of a key of either cipher, and of Poly1305's key.
const KEY_LEN: usize = 32;

/// Bytes that the cipher and Poly1305 process in turn, so that the second finds them in the first-level cache.
const PIECE: usize = 4096;

/// A key and the backend that uses it. The bytes are in a box, so that no move leaves a copy behind.
pub(crate) struct Key {
    pub(crate) kernel: Kernel,
    pub(crate) bytes: Box<Zeroizing<[u8; KEY_LEN]>>,
}

impl Key {
    pub(crate) fn new(key: &[u8]) -> Result<Self, InvalidLength> {
        Ok(Self::of(Kernel::fastest(), key.try_into().map_err(|_| InvalidLength)?))
    }

    pub(crate) fn of(kernel: Kernel, key: &[u8; KEY_LEN]) -> Self {
        let mut bytes = Box::new(Zeroizing::new([0; KEY_LEN]));
        bytes.copy_from_slice(key);
        Self { kernel, bytes }
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Key").field("backend", &self.kernel.backend()).finish_non_exhaustive()
    }
}

/// The constructors of a type that wraps a [`Key`].
macro_rules! impl_key {
    ($Name:ident) => {
        impl $Name {
            /// Takes a key of 32 bytes, for the backend that is fastest on this CPU.
            ///
            /// # Errors
            /// [`InvalidLength`] for a key of another length.
            pub fn new(key: &[u8]) -> Result<Self, InvalidLength> {
                Ok(Self(Key::new(key)?))
            }

            /// Takes a key for a backend of the caller's choice; `None` if this CPU does not support it.
            #[must_use]
            pub fn with_backend(backend: Backend, key: &[u8; KEY_LEN]) -> Option<Self> {
                Some(Self(Key::of(Kernel::of(backend)?, key)))
            }

            /// The backend of this key.
            #[must_use]
            pub fn backend(&self) -> Backend {
                self.0.kernel.backend()
            }
        }
    };
}
pub(crate) use impl_key;

/// Whether the computed tag equals the received one, in constant time; false if there is none. Only the caller branches on the
/// result.
pub(crate) fn is_authentic(computed: Option<Tag>, received: &[u8]) -> bool {
    match computed {
        Some(computed) if received.len() == TAG_LEN => equal(&computed, received),
        _ => false,
    }
}

/// Encrypts or decrypts `data`, and returns the tag of the ciphertext. The keystream begins with the block that contains
/// Poly1305's key.
pub(crate) fn run<const CIPHER: bool, const SEAL: bool>(
    mut keystream: Keystream<CIPHER>,
    aad: &[u8],
    data: &mut [u8],
) -> Tag {
    // ChaCha20 keeps the first block for Poly1305's key (RFC 8439 section 2.6); NaCl encrypts data with its second half.
    let reserved = if CIPHER == CHACHA { BLOCK_LEN } else { KEY_LEN };
    let data_len = data.len();
    // The head has the key's block and the blocks that do not fill a kernel's batch, so that the rest is whole batches.
    let at_once = at_once(keystream.kernel);
    let blocks = (reserved + data.len()).div_ceil(BLOCK_LEN);
    let head_blocks = if blocks <= at_once { blocks } else { (blocks - 1) % at_once + 1 };
    let (first, rest) = data.split_at_mut((head_blocks * BLOCK_LEN - reserved).min(data.len()));

    // Most messages are short, and clearing the long buffer takes as long as encrypting a block.
    let (mut short, mut long);
    let head_len = reserved + first.len();
    // The head is padded to whole blocks: the kernels would copy a partial one.
    let head: &mut [u8] = if head_len <= SHORT {
        short = [0; SHORT];
        &mut short[..head_len.next_multiple_of(BLOCK_LEN)]
    } else {
        long = [0; MAX_AT_ONCE * BLOCK_LEN];
        &mut long[..head_len.next_multiple_of(BLOCK_LEN)]
    };
    head[reserved..head_len].copy_from_slice(first);
    // The first chunk after the head need not wait for Poly1305's key: sealing encrypts it now, opening keeps its keystream.
    let chunk = Some(chunk_ahead::<SEAL>(keystream.kernel)).filter(|chunk| rest.len() >= *chunk).unwrap_or(0);
    let mut kept;
    let ahead: &mut [u8] = if SEAL || chunk == 0 {
        &mut []
    } else {
        kept = Lines([0; _]);
        &mut kept.0[..chunk]
    };
    keystream.add_both(head, if SEAL { &mut rest[..chunk] } else { ahead });
    let (key, _) = head.split_first_chunk().expect("aead: a key is shorter than the first block");
    let mut mac = Mac::<Factors>::without_key(keystream.kernel);
    mac.set_key(key);
    if head_len > reserved {
        mac.expect_len(data_len);
    }
    if CIPHER == CHACHA {
        mac.update_padded(aad);
    }
    // Only the last piece of a message may end with a partial block.
    let update_end = |mac: &mut Mac<Factors>, bytes: &[u8]| {
        if CIPHER == CHACHA { mac.update_padded(bytes) } else { mac.update_last(bytes) }
    };
    let ciphertext = if SEAL { &head[reserved..head_len] } else { &*first };
    update_end(&mut mac, ciphertext);
    first.copy_from_slice(&head[reserved..head_len]);
    clear(head, 0);

    let done = keystream.add_beside_mac::<SEAL>(&mut mac, rest, chunk, ahead);
    // Clearing an empty slice costs 200 cycles: the C library does a masked store of no bytes to a dangling address.
    if !ahead.is_empty() {
        clear(ahead, 0);
    }
    for piece in rest[done..].chunks_mut(PIECE) {
        if !SEAL {
            update_end(&mut mac, piece);
        }
        keystream.add(piece);
        if SEAL {
            update_end(&mut mac, piece);
        }
    }
    if CIPHER == CHACHA {
        let lengths = u128::from(data_len as u64) << 64 | u128::from(aad.len() as u64);
        mac.update(&[lengths.to_le_bytes()]);
    }
    mac.tag()
}

/// A keystream that is kept until Poly1305 has its key, aligned to a cache line.
#[repr(align(64))]
struct Lines([u8; MAX_AT_ONCE * BLOCK_LEN]);

/// Bytes of the head's buffer for a short message.
const SHORT: usize = 256;
/// Blocks that the widest kernel processes at once.
const MAX_AT_ONCE: usize = 16;
