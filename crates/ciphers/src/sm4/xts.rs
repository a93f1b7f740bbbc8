//! XTS (IEEE 1619-2018; GB/T 17964-2021): for sectors of a disk, whose length may not change.

use super::{AT_ONCE, BLOCK_LEN, Block, KEY_LEN, Sm4, xor};
use zeroize::Zeroize;

/// How a tweak becomes the next one: the two standards multiply by x in different orders of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TweakOrder {
    /// IEEE 1619: the first byte is the lowest, and the top bit of each the highest.
    Ieee,
    /// GB/T 17964: bits in the order of GCM.
    Gbt,
}

/// A pair of keys for XTS, their schedules made once.
///
/// # Security
/// XTS authenticates nothing: whoever writes sectors can change, move and restore blocks. It is for disks, where there is
/// no room for a tag.
///
/// ```
/// use sealstone_ciphers::sm4::{Sm4Xts, TweakOrder};
///
/// let key = Sm4Xts::new(&[7; 16], &[8; 16], TweakOrder::Ieee);
/// let mut sector = [1; 512];
/// key.encrypt(&[0; 16], &mut sector);
/// key.decrypt(&[0; 16], &mut sector);
/// assert_eq!(sector, [1; 512]);
/// ```
#[derive(Debug)]
pub struct Sm4Xts {
    data: Sm4,
    tweak: Sm4,
    order: TweakOrder,
}

impl Sm4Xts {
    /// Makes the schedules of the key for data and the key for tweaks, which must differ.
    #[must_use]
    pub fn new(data: &[u8; KEY_LEN], tweak: &[u8; KEY_LEN], order: TweakOrder) -> Self {
        Self { data: Sm4::new(data), tweak: Sm4::new(tweak), order }
    }

    /// Makes the schedules on a backend of the caller's choice; `None` where this CPU has it not.
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

    /// Encrypts one sector in place; `sector` is its number, as IEEE 1619 writes it: the lowest byte first.
    ///
    /// # Panics
    /// When `data` is shorter than a block.
    pub fn encrypt(&self, sector: &Block, data: &mut [u8]) {
        let (whole, rest) = split(data);
        let mut tweak = self.first_tweak(sector);
        self.run(&mut tweak, whole, true);
        if let Some((last, tail)) = steal(data, rest) {
            tail.swap_with_slice(&mut last[..rest]);
            self.run(&mut tweak, last, true);
        }
    }

    /// Decrypts one sector in place.
    ///
    /// # Panics
    /// When `data` is shorter than a block.
    pub fn decrypt(&self, sector: &Block, data: &mut [u8]) {
        let (whole, rest) = split(data);
        let mut tweak = self.first_tweak(sector);
        if rest == 0 {
            return self.run(&mut tweak, whole, false);
        }
        // The last whole block was encrypted last, under the tweak behind that of the stolen one.
        let before_last = whole.len() - BLOCK_LEN;
        self.run(&mut tweak, &mut whole[..before_last], false);
        let mut last_tweak = tweak;
        self.advance(&mut last_tweak);
        self.run(&mut last_tweak, &mut whole[before_last..], false);
        if let Some((last, tail)) = steal(data, rest) {
            tail.swap_with_slice(&mut last[..rest]);
            self.run(&mut tweak, last, false);
        }
    }

    fn first_tweak(&self, sector: &Block) -> Block {
        let mut tweak = *sector;
        self.tweak.encryption.apply(std::slice::from_mut(&mut tweak));
        tweak
    }

    /// Whole blocks; the tweak becomes the one behind them.
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

    /// The tweak times x, without a branch.
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

/// The whole blocks, and how many bytes are left.
fn split(data: &mut [u8]) -> (&mut [u8], usize) {
    assert!(data.len() >= BLOCK_LEN, "xts: a sector has at least a block");
    let rest = data.len() % BLOCK_LEN;
    let whole = data.len() - rest;
    (&mut data[..whole], rest)
}

/// The last whole block and the bytes behind it, if there are any (ciphertext stealing).
fn steal(data: &mut [u8], rest: usize) -> Option<(&mut [u8], &mut [u8])> {
    let at = data.len() - rest;
    let (head, tail) = data.split_at_mut(at);
    (rest > 0).then(|| (&mut head[at - BLOCK_LEN..], tail))
}
