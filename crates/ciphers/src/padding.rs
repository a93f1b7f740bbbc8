//! PKCS#7 padding (RFC 5652 section 6.3), of blocks of 16 bytes, and of 8 in old ciphers.

use std::hint::black_box;

/// The block that ends a message whose last bytes are these.
///
/// ```
/// use sealstone_ciphers::padding::{pad, unpadded_len};
///
/// assert_eq!(pad(b"attack at dawn"), *b"attack at dawn\x02\x02");
/// assert_eq!(unpadded_len::<16>(&pad(b"")), Some(0));
/// ```
///
/// # Panics
/// When they are a block or more, or a block has over 255 bytes.
#[must_use]
pub fn pad<const BLOCK_LEN: usize>(rest: &[u8]) -> [u8; BLOCK_LEN] {
    assert!(rest.len() < BLOCK_LEN, "padding: less than a block is padded");
    let missing = BLOCK_LEN - rest.len();
    let mut block = [u8::try_from(missing).expect("padding: at most a block"); BLOCK_LEN];
    block[..rest.len()].copy_from_slice(rest);
    block
}

/// How many bytes of the last block are the message's; `None` for any block that [`pad`] does not make. All bytes are
/// looked at in the same time; only the answer depends on them.
///
/// # Security
/// Whoever can choose ciphertexts and learns the answer can decrypt with it.
#[must_use]
pub fn unpadded_len<const BLOCK_LEN: usize>(block: &[u8; BLOCK_LEN]) -> Option<usize> {
    let len = const { if BLOCK_LEN < 256 { BLOCK_LEN as u8 } else { panic!("padding: a block has up to 255 bytes") } };
    let count = block[BLOCK_LEN - 1];
    // All ones where something is wrong: a count of 0 or above a block, or a byte of the padding that is not the count.
    let mut wrong = !below(count.wrapping_sub(1), len);
    for (at, byte) in (0..len).zip(block) {
        let is_padding = below(len - 1 - at, count);
        wrong |= is_padding & (byte ^ count);
    }
    (black_box(wrong) == 0).then(|| BLOCK_LEN - usize::from(count))
}

/// 255 if a < b, otherwise 0, without a branch.
fn below(a: u8, b: u8) -> u8 {
    let [borrow, _] = u16::from(a).wrapping_sub(u16::from(b)).to_be_bytes();
    black_box(borrow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rest_is_padded_and_found_again() {
        every_rest::<8>();
        every_rest::<16>();
    }

    fn every_rest<const BLOCK_LEN: usize>() {
        for len in 0..BLOCK_LEN {
            let rest: Vec<u8> = (100..).take(len).collect();
            let block = pad::<BLOCK_LEN>(&rest);
            assert_eq!((&block[..len], unpadded_len(&block)), (&rest[..], Some(len)));
        }
    }

    /// Against the definition, on blocks one byte away from good ones, and on all last bytes.
    #[test]
    fn a_block_is_good_by_definition_only() {
        by_definition::<8>(7_000);
        by_definition::<16>(30_000);
    }

    fn by_definition<const BLOCK_LEN: usize>(min: u32) {
        let by_definition = |block: &[u8; BLOCK_LEN]| {
            let count = usize::from(block[BLOCK_LEN - 1]);
            let good = (1..=BLOCK_LEN).contains(&count)
                && block[BLOCK_LEN - count..].iter().all(|byte| usize::from(*byte) == count);
            good.then(|| BLOCK_LEN - count)
        };
        let (mut good, mut bad) = (0, 0);
        for len in 0..BLOCK_LEN {
            for at in 0..BLOCK_LEN {
                for value in 0..=255 {
                    let mut block = pad::<BLOCK_LEN>(&[0x55; BLOCK_LEN][..len]);
                    block[at] = value;
                    let found = unpadded_len(&block);
                    assert_eq!(found, by_definition(&block), "{block:?}");
                    *if found.is_some() { &mut good } else { &mut bad } += 1;
                }
            }
        }
        assert!(good > min && bad > min, "{good} {bad}");
    }
}
