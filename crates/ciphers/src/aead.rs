//! What ChaCha20-Poly1305 and XSalsa20-Poly1305 share: one pass over the data, the tag over the ciphertext, and Poly1305's key
//! from the keystream's beginning.

use crate::InvalidLength;
use crate::backend::Kernel;
use crate::constant_time::equal;
use crate::erasure::clear;
use crate::keystream::{BLOCK_LEN, Keystream, at_once, chunk_ahead};
use crate::lanes::CHACHA;
use crate::poly1305::{Factors, Mac, TAG_LEN, Tag};
use zeroize::Zeroizing;

/// Bytes of a key, that of Poly1305 too.
const KEY_LEN: usize = 32;

/// Bytes of data that are worked on by one cipher and then by the other, from the first-level cache.
const PIECE: usize = 4096;

/// The bytes of a key, and the backend that they are for. They stay where they are put, so that no move leaves a copy behind.
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

/// Writes how the types that are a [`Key`] and nothing else come from its bytes.
macro_rules! made_of_a_key {
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
pub(crate) use made_of_a_key;

/// Whether a tag was made, and is the one that came with the buffer. Only the caller branches on it.
pub(crate) fn is_right(made: Option<Tag>, tag: &[u8]) -> bool {
    match made {
        Some(made) if tag.len() == TAG_LEN => equal(&made, tag),
        _ => false,
    }
}

/// Encrypts or decrypts `data`, and returns the tag of the ciphertext. The keystream begins with the block that Poly1305's
/// key is of.
pub(crate) fn run<const CIPHER: bool, const SEAL: bool>(
    mut keystream: Keystream<CIPHER>,
    aad: &[u8],
    data: &mut [u8],
) -> Tag {
    // The first block is the key's alone (RFC 8439 section 2.6), or half of it is the data's (NaCl).
    let taken = if CIPHER == CHACHA { BLOCK_LEN } else { KEY_LEN };
    let data_len = data.len();
    // The blocks that are not as many as a kernel has at once come first, with the key's: what follows is whole.
    let at_once = at_once(keystream.kernel);
    let blocks = (taken + data.len()).div_ceil(BLOCK_LEN);
    let head_blocks = if blocks <= at_once { blocks } else { (blocks - 1) % at_once + 1 };
    let (first, rest) = data.split_at_mut((head_blocks * BLOCK_LEN - taken).min(data.len()));

    // Most messages are short, and clearing the long one takes as long as a block.
    let (mut short, mut long);
    let head_len = taken + first.len();
    // Whole blocks, since the kernels would copy a part of one.
    let head: &mut [u8] = if head_len <= SHORT {
        short = [0; SHORT];
        &mut short[..head_len.next_multiple_of(BLOCK_LEN)]
    } else {
        long = [0; MAX_AT_ONCE * BLOCK_LEN];
        &mut long[..head_len.next_multiple_of(BLOCK_LEN)]
    };
    head[taken..head_len].copy_from_slice(first);
    // The first chunk behind it need not wait for Poly1305's key: it is encrypted, or its keystream is kept for later.
    let chunk = Some(chunk_ahead::<SEAL>(keystream.kernel)).filter(|chunk| rest.len() >= *chunk).unwrap_or(0);
    let mut kept;
    let ahead: &mut [u8] = if SEAL || chunk == 0 {
        &mut []
    } else {
        kept = Lines([0; _]);
        &mut kept.0[..chunk]
    };
    keystream.add_both(head, if SEAL { &mut rest[..chunk] } else { ahead });
    let (key, _) = head.split_first_chunk().expect("aead: a key is shorter than what the first block is");
    let mut mac = Mac::<Factors>::without_key(keystream.kernel);
    mac.set_key(key);
    if head_len > taken {
        mac.expect(data_len);
    }
    if CIPHER == CHACHA {
        mac.update_padded(aad);
    }
    // With nothing behind it a part of a block may be in it, which is the last then.
    let update_end = |mac: &mut Mac<Factors>, bytes: &[u8]| {
        if CIPHER == CHACHA { mac.update_padded(bytes) } else { mac.update_last(bytes) }
    };
    let ciphertext = if SEAL { &head[taken..head_len] } else { &*first };
    update_end(&mut mac, ciphertext);
    first.copy_from_slice(&head[taken..head_len]);
    clear(head, 0);

    let done = keystream.add_beside_mac::<SEAL>(&mut mac, rest, chunk, ahead);
    // To clear nothing costs 200 cycles: the C library's masked store of no byte to nowhere.
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

/// Memory for a keystream that is kept, in whole lines of the cache.
#[repr(align(64))]
struct Lines([u8; MAX_AT_ONCE * BLOCK_LEN]);

/// Bytes of a short message's head.
const SHORT: usize = 256;
/// Blocks that any kernel has at once.
const MAX_AT_ONCE: usize = 16;
