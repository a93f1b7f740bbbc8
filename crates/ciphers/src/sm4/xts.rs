//! XTS (IEEE 1619-2018; GB/T 17964-2021) for sectors of a disk: the ciphertext is as long as the plaintext.

use super::{AT_ONCE, BLOCK_LEN, Block, KEY_LEN, Sm4, xor};
use crate::InvalidLength;
use zeroize::Zeroize;

/// The order of bits in which a tweak is multiplied by x to get the next one; it differs between the two standards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TweakOrder {
    /// IEEE 1619: the first byte is the lowest, and the top bit of each byte the highest.
    Ieee,
    /// GB/T 17964: bits in the order of GCM.
    Gbt,
}

/// A pair of keys for XTS, with their schedules computed once.
///
/// # Security
/// XTS is unauthenticated: anyone who can write sectors can change, move and restore blocks. Use it only for disks, where there
/// is no room for a tag.
///
/// ```
/// use sealstone_ciphers::sm4::{Sm4Xts, TweakOrder};
///
/// let key = Sm4Xts::new(&[7; 16], &[8; 16], TweakOrder::Ieee);
/// let mut sector = [1; 512];
/// key.encrypt(&mut key.tweak(&[0; 16]), &mut sector)?;
/// key.decrypt(&mut key.tweak(&[0; 16]), &mut sector)?;
/// assert_eq!(sector, [1; 512]);
/// # Ok::<(), sealstone_ciphers::InvalidLength>(())
/// ```
#[derive(Debug)]
pub struct Sm4Xts {
    data: Sm4,
    tweak: Sm4,
    order: TweakOrder,
}

impl Sm4Xts {
    /// Computes the schedules of the key for data and the key for tweaks, which must differ.
    #[must_use]
    pub fn new(data: &[u8; KEY_LEN], tweak: &[u8; KEY_LEN], order: TweakOrder) -> Self {
        Self { data: Sm4::new(data), tweak: Sm4::new(tweak), order }
    }

    /// Computes the schedules for a backend of the caller's choice; `None` if this CPU does not support it.
    #[must_use]
    pub fn with_backend(
        backend: super::Backend,
        data: &[u8; KEY_LEN],
        tweak: &[u8; KEY_LEN],
        order: TweakOrder,
    ) -> Option<Self> {
        let (data, tweak) = (Sm4::with_backend(backend, data)?, Sm4::with_backend(backend, tweak)?);
        Some(Self { data, tweak, order })
    }

    /// The backend of this pair.
    #[must_use]
    pub fn backend(&self) -> super::Backend {
        self.data.backend()
    }

    /// The tweak of a sector's first block. `sector` is the sector's number in the byte order of IEEE 1619, the lowest byte
    /// first.
    #[must_use]
    pub fn tweak(&self, sector: &Block) -> Block {
        let mut tweak = *sector;
        self.tweak.encryption.apply(std::slice::from_mut(&mut tweak));
        tweak
    }

    /// Encrypts in place. The tweak becomes that of the next block, so that a sector may come in pieces: all of whole blocks
    /// but the last, which has at least one block.
    ///
    /// # Errors
    /// [`InvalidLength`] when `data` is shorter than a block.
    pub fn encrypt(&self, tweak: &mut Block, data: &mut [u8]) -> Result<(), InvalidLength> {
        let (whole, rest) = split(data)?;
        self.run(tweak, whole, true);
        if let Some((last, tail)) = steal(data, rest) {
            tail.swap_with_slice(&mut last[..rest]);
            self.run(tweak, last, true);
        }
        Ok(())
    }

    /// Decrypts in place, as [`encrypt`](Self::encrypt) encrypts.
    ///
    /// # Errors
    /// [`InvalidLength`] when `data` is shorter than a block.
    pub fn decrypt(&self, tweak: &mut Block, data: &mut [u8]) -> Result<(), InvalidLength> {
        let (whole, rest) = split(data)?;
        if rest == 0 {
            self.run(tweak, whole, false);
            return Ok(());
        }
        // The last whole block was encrypted last, under the tweak after that of the partial block.
        let before_last = whole.len() - BLOCK_LEN;
        self.run(tweak, &mut whole[..before_last], false);
        let mut last_tweak = *tweak;
        self.advance(&mut last_tweak);
        self.run(&mut last_tweak, &mut whole[before_last..], false);
        if let Some((last, tail)) = steal(data, rest) {
            tail.swap_with_slice(&mut last[..rest]);
            self.run(tweak, last, false);
        }
        Ok(())
    }

    /// Encrypts or decrypts whole blocks; the tweak becomes that of the next block.
    fn run(&self, tweak: &mut Block, data: &mut [u8], encrypt: bool) {
        let cipher = if encrypt { &self.data.encryption } else { &self.data.decryption };
        let (blocks, _) = data.as_chunks_mut::<BLOCK_LEN>();
        let mut tweaks = [[0; BLOCK_LEN]; AT_ONCE];
        for blocks in blocks.chunks_mut(AT_ONCE) {
            for (block, own) in blocks.iter_mut().zip(&mut tweaks) {
                *own = *tweak;
                xor(block, own);
                self.advance(tweak);
            }
            cipher.apply(blocks);
            for (block, own) in blocks.iter_mut().zip(&tweaks) {
                xor(block, own);
            }
        }
        tweaks.zeroize();
    }

    /// Multiplies the tweak by x, without a branch.
    fn advance(&self, tweak: &mut Block) {
        *tweak = match self.order {
            TweakOrder::Ieee => {
                let t = u128::from_le_bytes(*tweak);
                (t << 1 ^ (t >> 127) * 0x87).to_le_bytes()
            }
            TweakOrder::Gbt => {
                let t = u128::from_be_bytes(*tweak);
                (t >> 1 ^ (t & 1) * (0xe1 << 120)).to_be_bytes()
            }
        };
    }
}

/// The whole blocks, and the number of bytes after them.
fn split(data: &mut [u8]) -> Result<(&mut [u8], usize), InvalidLength> {
    if data.len() < BLOCK_LEN {
        return Err(InvalidLength);
    }
    let rest = data.len() % BLOCK_LEN;
    let whole = data.len() - rest;
    Ok((&mut data[..whole], rest))
}

/// The last whole block and the bytes after it, if there are any (ciphertext stealing).
fn steal(data: &mut [u8], rest: usize) -> Option<(&mut [u8], &mut [u8])> {
    let at = data.len() - rest;
    let (head, tail) = data.split_at_mut(at);
    (rest > 0).then(|| (&mut head[at - BLOCK_LEN..], tail))
}
