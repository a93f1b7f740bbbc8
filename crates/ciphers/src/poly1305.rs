//! Poly1305 (RFC 8439 section 2.5), a one-time authenticator, in constant time on every backend.

pub use crate::backend::Backend;
use crate::backend::Kernel;
use crate::constant_time::equal;
use crate::portable::poly1305::{Sum, clamp, tag, update};
use crate::{InvalidLength, NotAuthentic};
#[cfg(target_arch = "x86_64")]
use crate::{
    cpu,
    portable::poly1305::{Accumulator, times},
    x86_64::poly1305 as vectors,
};
use std::borrow::BorrowMut;
#[cfg(target_arch = "x86_64")]
pub(crate) use vectors::Factors;
use zeroize::Zeroize;

/// The powers of r for IFMA, which only x86-64 has.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) type Factors = ();

/// Bytes of a key.
pub const KEY_LEN: usize = 32;
/// Bytes of a tag.
pub const TAG_LEN: usize = 16;
/// Bytes of a block.
const BLOCK_LEN: usize = 16;

/// A tag.
pub type Tag = [u8; TAG_LEN];

/// A Poly1305 computation over a message that may come in pieces. Zeroed on drop.
///
/// # Security
/// A key is for one message: two tags under one key reveal it. The AEADs of this crate derive a new key for each nonce.
///
/// ```
/// use sealstone_ciphers::poly1305::Poly1305;
///
/// let mut mac = Poly1305::new(&[7; 32])?;
/// mac.update(b"attack at ");
/// mac.update(b"dawn");
/// let tag = mac.tag();
///
/// let mut mac = Poly1305::new(&[7; 32])?;
/// mac.update(b"attack at dawn");
/// mac.verify(&tag)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Poly1305 {
    // The state is in a box, so that no move leaves a copy behind.
    mac: Box<Mac<Box<Factors>>>,
    /// The bytes of an incomplete block.
    pending: Box<[u8; BLOCK_LEN]>,
    pending_len: usize,
}

impl Poly1305 {
    /// Takes a key of 32 bytes, for the backend that is fastest on this CPU.
    ///
    /// # Errors
    /// [`InvalidLength`] for a key of another length.
    pub fn new(key: &[u8]) -> Result<Self, InvalidLength> {
        Ok(Self::of(Kernel::fastest(), key.try_into().map_err(|_| InvalidLength)?))
    }

    /// Takes a key for a backend of the caller's choice; `None` if this CPU does not support it.
    #[must_use]
    pub fn with_backend(backend: Backend, key: &[u8; KEY_LEN]) -> Option<Self> {
        Some(Self::of(Kernel::of(backend)?, key))
    }

    fn of(kernel: Kernel, key: &[u8; KEY_LEN]) -> Self {
        let mut mac = Box::new(Mac::without_key(kernel));
        mac.set_key(key);
        Self { mac, pending: Box::new([0; BLOCK_LEN]), pending_len: 0 }
    }

    /// Authenticates the next bytes of the message.
    pub fn update(&mut self, mut bytes: &[u8]) {
        if self.pending_len > 0 {
            let (now, later) = bytes.split_at((BLOCK_LEN - self.pending_len).min(bytes.len()));
            self.pending[self.pending_len..][..now.len()].copy_from_slice(now);
            self.pending_len += now.len();
            bytes = later;
            if self.pending_len < BLOCK_LEN {
                return;
            }
            self.mac.update(std::slice::from_ref(&*self.pending));
        }
        let (blocks, rest) = bytes.as_chunks();
        self.mac.update(blocks);
        self.pending[..rest.len()].copy_from_slice(rest);
        self.pending_len = rest.len();
    }

    /// The tag of the whole message.
    #[must_use]
    pub fn tag(mut self) -> Tag {
        let len = self.pending_len;
        self.mac.update_last(&self.pending[..len]);
        self.mac.tag()
    }

    /// Compares the tag with the received one, in constant time.
    ///
    /// # Errors
    /// [`NotAuthentic`] if they differ, or `tag` has another length.
    pub fn verify(self, tag: &[u8]) -> Result<(), NotAuthentic> {
        if tag.len() == TAG_LEN && equal(&self.tag(), tag) { Ok(()) } else { Err(NotAuthentic) }
    }
}

impl Drop for Poly1305 {
    fn drop(&mut self) {
        self.pending.zeroize();
    }
}

impl std::fmt::Debug for Poly1305 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Poly1305(..)")
    }
}

/// A Poly1305 computation over whole blocks. The value must not move once it has a key. `F` holds the powers for IFMA, inline
/// or in a box.
pub(crate) struct Mac<F: BorrowMut<Factors>> {
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "other targets have one kernel"))]
    kernel: Kernel,
    pub(crate) sum: Sum,
    s: [u8; BLOCK_LEN],
    /// Powers of r, computed for the first long piece.
    #[cfg(target_arch = "x86_64")]
    powers: Option<vectors::Powers>,
    /// Powers of r as IFMA takes them.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "other targets have no IFMA"))]
    factors: Option<F>,
}

impl<F: BorrowMut<Factors> + Default> Mac<F> {
    /// A computation without a key. Call [`set_key`](Self::set_key) once the value no longer moves.
    pub(crate) fn without_key(kernel: Kernel) -> Self {
        Self {
            kernel,
            sum: Sum { r: [0; 2], h: [0; 3] },
            s: [0; BLOCK_LEN],
            #[cfg(target_arch = "x86_64")]
            powers: None,
            factors: None,
        }
    }

    pub(crate) fn set_key(&mut self, key: &[u8; KEY_LEN]) {
        let (r, s) = key.split_first_chunk().expect("poly1305: a key has more bytes");
        self.sum.r = clamp(r);
        self.s.copy_from_slice(s);
    }

    /// Authenticates whole blocks.
    pub(crate) fn update(&mut self, blocks: &[[u8; BLOCK_LEN]]) {
        #[cfg(target_arch = "x86_64")]
        let blocks = if blocks.len() < self.min_blocks() { blocks } else { self.update_vectors(blocks) };
        update(&mut self.sum, blocks, 1);
    }

    /// Announces roughly `len` bytes: for long data it pays to compute the powers at once.
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables, reason = "other targets have one kernel"))]
    pub(crate) fn expect_len(&mut self, len: usize) {
        #[cfg(target_arch = "x86_64")]
        if let Kernel::Avx512Ifma(cpu) = self.kernel
            && len / BLOCK_LEN >= self.min_blocks()
        {
            self.factors(cpu);
        }
    }

    /// The number of blocks from which on vectors are faster.
    #[cfg(target_arch = "x86_64")]
    fn min_blocks(&self) -> usize {
        match self.kernel {
            Kernel::Avx512Ifma(_) if self.factors.is_some() => vectors::MIN_BLOCKS_WITH_FACTORS,
            Kernel::Avx512Ifma(_) => vectors::MIN_BLOCKS_IFMA,
            _ => vectors::MIN_BLOCKS,
        }
    }

    /// Authenticates the blocks that fill vectors, and returns the rest.
    #[cfg(target_arch = "x86_64")]
    fn update_vectors<'a>(&mut self, blocks: &'a [[u8; BLOCK_LEN]]) -> &'a [[u8; BLOCK_LEN]] {
        match self.kernel {
            Kernel::Portable => blocks,
            Kernel::Avx2(cpu) => {
                let (powers, h) = self.powers(4);
                vectors::update_avx2(cpu, powers, h, blocks)
            }
            Kernel::Avx512(cpu) => {
                let (powers, h) = self.powers(8);
                vectors::update_avx512(cpu, powers, h, blocks)
            }
            Kernel::Avx512Ifma(cpu) => {
                let (factors, h) = self.factors(cpu);
                vectors::update_ifma(cpu, factors, h, blocks)
            }
        }
    }

    /// The first `lanes` powers of r, and the accumulator.
    #[cfg(target_arch = "x86_64")]
    fn powers(&mut self, lanes: usize) -> (&vectors::Powers, &mut Accumulator) {
        let r = self.sum.r;
        if self.powers.is_none() {
            // The powers are written in place, so that no copy is left behind.
            let powers = self.powers.insert([[0; 3]; _]);
            powers.fill([r[0], r[1], 0]);
            for i in 1..lanes {
                powers[i] = times(powers[i - 1], r);
            }
        }
        let powers = self.powers.as_ref().expect("poly1305: the powers were computed");
        (powers, &mut self.sum.h)
    }

    /// The powers of r as IFMA takes them, and the accumulator.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn factors(&mut self, cpu: cpu::Avx512Ifma) -> (&Factors, &mut Accumulator) {
        if self.factors.is_none() {
            // The powers are written in place, so that no copy is left behind.
            vectors::fill_ifma(cpu, self.factors.insert(F::default()).borrow_mut(), self.sum.r);
        }
        let factors = self.factors.as_ref().expect("poly1305: the factors were computed");
        (factors.borrow(), &mut self.sum.h)
    }

    /// Authenticates bytes, the last block padded with zeros, as the AEAD of RFC 8439 does.
    pub(crate) fn update_padded(&mut self, bytes: &[u8]) {
        let (blocks, rest) = bytes.as_chunks();
        self.update(blocks);
        if !rest.is_empty() {
            let mut block = [0; BLOCK_LEN];
            block[..rest.len()].copy_from_slice(rest);
            update(&mut self.sum, &[block], 1);
        }
    }

    /// Authenticates the last bytes of the message, a partial block ended by a 1 (RFC 8439 section 2.5).
    pub(crate) fn update_last(&mut self, bytes: &[u8]) {
        let (blocks, rest) = bytes.as_chunks();
        self.update(blocks);
        if !rest.is_empty() {
            let mut block = [0; BLOCK_LEN];
            block[..rest.len()].copy_from_slice(rest);
            block[rest.len()] = 1;
            update(&mut self.sum, &[block], 0);
        }
    }

    pub(crate) fn tag(&mut self) -> Tag {
        tag(&mut self.sum.h, &self.s)
    }
}

impl<F: BorrowMut<Factors>> Drop for Mac<F> {
    fn drop(&mut self) {
        self.sum.r.zeroize();
        self.sum.h.zeroize();
        self.s.zeroize();
        #[cfg(target_arch = "x86_64")]
        if let Some(powers) = &mut self.powers {
            powers.as_flattened_mut().zeroize();
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(factors) = &mut self.factors {
            factors.borrow_mut().clear();
        }
    }
}
