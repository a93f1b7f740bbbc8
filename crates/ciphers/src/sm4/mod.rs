//! SM4 (GB/T 32907-2016, RFC 8998): a block cipher of 128 bits with a key of 128 bits, in constant time on every backend.
//!
//! [`Sm4Gcm`] and [`Sm4Ccm`] authenticate; the bare modes do not detect changes. The caller pads data to blocks.

mod cbc;
mod ccm;
mod ctr;
mod feedback;
mod gcm;
mod schedule;
mod xts;

pub use cbc::Message;
pub use ccm::Sm4Ccm;
pub use gcm::Sm4Gcm;
pub use schedule::Backend;
pub use xts::{Sm4Xts, TweakOrder};

use schedule::Schedule;

/// Bytes of a key.
pub const KEY_LEN: usize = 16;
/// Bytes of a block, and of an IV.
pub const BLOCK_LEN: usize = 16;
/// Blocks that parallel modes process at once: as many as the widest kernel has in flight, which is 1 KiB.
const AT_ONCE: usize = 64;
/// Messages that CBC encrypts together.
const CHAINS: usize = 16;

/// A block.
pub type Block = [u8; BLOCK_LEN];

/// A key with its schedules computed once, for one backend. Zeroed on drop.
///
/// ```
/// use sealstone_ciphers::sm4::Sm4;
///
/// let key = Sm4::new(&[7; 16]);
/// let mut blocks = [[1; 16]; 3];
/// key.encrypt_blocks(&mut blocks);
/// key.decrypt_blocks(&mut blocks);
/// assert_eq!(blocks, [[1; 16]; 3]);
///
/// let mut message = *b"attack at dawn, or at noon";
/// key.ctr(&mut [9; 16], &mut message);
/// key.ctr(&mut [9; 16], &mut message);
/// assert_eq!(&message, b"attack at dawn, or at noon");
/// ```
pub struct Sm4 {
    encryption: Schedule,
    decryption: Schedule,
}

impl Sm4 {
    /// Computes the schedules for the backend that is fastest on this CPU.
    #[must_use]
    pub fn new(key: &[u8; KEY_LEN]) -> Self {
        Self::with_backend(Backend::fastest(), key).expect("sm4: the backend was picked for this CPU")
    }

    /// Computes the schedules for a backend of the caller's choice; `None` if this CPU does not support it.
    #[must_use]
    pub fn with_backend(backend: Backend, key: &[u8; KEY_LEN]) -> Option<Self> {
        let (encryption, decryption) = Schedule::new_pair(backend, key)?;
        Some(Self { encryption, decryption })
    }

    /// The backend of this key.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.encryption.backend()
    }

    /// Encrypts each block by itself (ECB), in place. Equal blocks stay equal, so patterns remain visible.
    pub fn encrypt_blocks(&self, blocks: &mut [Block]) {
        self.encryption.apply(blocks);
    }

    /// Decrypts each block by itself (ECB), in place.
    pub fn decrypt_blocks(&self, blocks: &mut [Block]) {
        self.decryption.apply(blocks);
    }
}

impl std::fmt::Debug for Sm4 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sm4").field("backend", &self.backend()).finish_non_exhaustive()
    }
}

fn xor(block: &mut Block, other: &Block) {
    *block = (u128::from_ne_bytes(*block) ^ u128::from_ne_bytes(*other)).to_ne_bytes();
}
