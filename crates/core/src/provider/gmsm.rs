//! The mode of `Sm4GCM` of the Go module tjfoc/gmsm 1.4.1, which is not GCM, on our own kernels of SM4 and GHASH.
//!
//! It differs from SP 800-38D in three places: the lengths in GHASH count bytes, an empty ciphertext is hashed as a block of zeros, and
//! the counter has a step of its own over all 16 bytes.

use super::equal;
use sealstone_ciphers::ghash::Ghash;
use sealstone_ciphers::sm4::{Backend, Sm4};
use zeroize::Zeroizing;

type Block = [u8; 16];

/// Bytes of an IV that goes into the first counter block unchanged; other IVs are hashed.
const IV_LEN: usize = 12;
/// Blocks of keystream that are computed at once.
const AT_ONCE: usize = 64;

/// A key. Zeroed on drop.
pub(crate) struct GmsmGcm {
    key: Box<Sm4>,
    ghash: Ghash,
}

impl GmsmGcm {
    pub(crate) fn new(backend: Backend, key: &[u8; 16]) -> Self {
        let key = Box::new(Sm4::with_backend(backend, key).expect("gmsm: the backend was found"));
        let mut h = Zeroizing::new([[0; 16]]);
        key.encrypt_blocks(&mut h[..]);
        let ghash = Ghash::new(&h[0]);
        Self { key, ghash }
    }

    /// Seals in place, and returns the tag.
    pub(crate) fn seal(&self, iv: &[u8], aad: &[u8], buffer: &mut [u8]) -> Block {
        let first = self.first_counter(iv);
        self.add_keystream(&first, buffer);
        self.tag(&first, aad, buffer)
    }

    /// Opens in place. Returns false, and leaves the buffer as it is, if the tag differs; it is compared in constant time.
    pub(crate) fn open(&self, iv: &[u8], aad: &[u8], buffer: &mut [u8], tag: &[u8]) -> bool {
        let first = self.first_counter(iv);
        let is_authentic = equal(&self.tag(&first, aad, buffer), tag);
        if is_authentic {
            self.add_keystream(&first, buffer);
        }
        is_authentic
    }

    /// The counter block of the tag, from which the blocks of data count on. It is secret if the IV was hashed: it would reveal the
    /// authentication key.
    fn first_counter(&self, iv: &[u8]) -> Zeroizing<Block> {
        let mut first = Zeroizing::new([0; 16]);
        if iv.len() == IV_LEN {
            first[..IV_LEN].copy_from_slice(iv);
            first[15] = 1;
        } else {
            self.ghash.update_padded(&mut first, iv);
            self.ghash.update(&mut first, &[lengths(b"", iv)]);
        }
        first
    }

    /// Encrypts or decrypts with the keystream behind the counter block `first`.
    fn add_keystream(&self, first: &Block, data: &mut [u8]) {
        let mut counter = Zeroizing::new(*first);
        let mut keystream = Zeroizing::new([[0; 16]; AT_ONCE]);
        for part in data.chunks_mut(16 * AT_ONCE) {
            let keystream = &mut keystream[..part.len().div_ceil(16)];
            for block in &mut *keystream {
                step(&mut counter);
                *block = *counter;
            }
            self.key.encrypt_blocks(keystream);
            part.iter_mut().zip(keystream.as_flattened()).for_each(|(byte, key)| *byte ^= key);
        }
    }

    fn tag(&self, first: &Block, aad: &[u8], ciphertext: &[u8]) -> Block {
        let mut state = [0; 16];
        self.ghash.update_padded(&mut state, aad);
        self.ghash.update_padded(&mut state, if ciphertext.is_empty() { &[0; 16] } else { ciphertext });
        self.ghash.update(&mut state, &[lengths(aad, ciphertext)]);
        let mut mask = Zeroizing::new([*first]);
        self.key.encrypt_blocks(&mut mask[..]);
        state.iter_mut().zip(&mask[0]).for_each(|(byte, mask)| *byte ^= mask);
        state
    }
}

/// The next counter block. Its last byte counts from 00 to FF. Each other byte adds the carry from its right, and FF as the sum becomes
/// 00 with a carry. So FF itself becomes 00: without a carry from its right it gives one, and with it none. The block may be secret: no
/// branch depends on it.
fn step(counter: &mut Block) {
    let [others @ .., last] = counter;
    *last = last.wrapping_add(1);
    // 1 if the byte is now 00.
    let mut carry = (u16::from(*last).wrapping_sub(1) >> 15) as u8;
    for byte in others.iter_mut().rev() {
        let sum = byte.wrapping_add(carry);
        carry = ((u16::from(sum) + 1) >> 8) as u8;
        *byte = sum & carry.wrapping_sub(1);
    }
}

/// The block of both lengths in bytes.
fn lengths(aad: &[u8], text: &[u8]) -> Block {
    ((aad.len() as u128) << 64 | text.len() as u128).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_of_ff_before_the_last_becomes_00() {
        for (counter, next) in [
            ([0x00, 0x00, 0x00, 0x01], [0x00, 0x00, 0x00, 0x02]),
            ([0x00, 0x00, 0x00, 0xff], [0x00, 0x00, 0x01, 0x00]),
            // The sum FF is carried on.
            ([0x00, 0x00, 0xfe, 0xff], [0x00, 0x01, 0x00, 0x00]),
            ([0x00, 0x00, 0xfe, 0xfe], [0x00, 0x00, 0xfe, 0xff]),
            // FF without a carry gives one, and with a carry gives none.
            ([0x00, 0x00, 0xff, 0x01], [0x00, 0x01, 0x00, 0x02]),
            ([0x00, 0x00, 0xff, 0xff], [0x00, 0x00, 0x00, 0x00]),
            ([0x00, 0xff, 0xff, 0x01], [0x00, 0x00, 0x00, 0x02]),
            ([0xff, 0xfe, 0xff, 0x01], [0x00, 0x00, 0x00, 0x02]),
        ] {
            let mut block = [0; 16];
            block[12..].copy_from_slice(&counter);
            step(&mut block);
            assert_eq!(block[12..], next, "{counter:02x?}");
            assert_eq!(block[..12], [0; 12], "{counter:02x?}");
        }
    }
}
