//! PKCS#7 padding (RFC 5652 section 6.3), of blocks of 16 bytes.

use std::hint::black_box;

const BLOCK_LEN: usize = 16;

/// The block that ends a message whose last bytes are these.
///
/// ```
/// use sealstone_ciphers::padding::{pad, unpadded_len};
///
/// assert_eq!(pad(b"attack at dawn"), *b"attack at dawn\x02\x02");
/// assert_eq!(unpadded_len(&pad(b"")), Some(0));
/// ```
///
/// # Panics
/// When they are a block or more.
#[must_use]
pub fn pad(rest: &[u8]) -> [u8; BLOCK_LEN] {
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
pub fn unpadded_len(block: &[u8; BLOCK_LEN]) -> Option<usize> {
    let count = block[BLOCK_LEN - 1];
    // All ones where something is wrong: a count of 0 or above 16, or a byte of the padding that is not the count.
    let mut wrong = !below(count.wrapping_sub(1), 16);
    for (at, byte) in (0..16).zip(block) {
        let is_padding = below(15 - at, count);
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
        for len in 0..BLOCK_LEN {
            let rest: Vec<u8> = (100..).take(len).collect();
            let block = pad(&rest);
            assert_eq!((&block[..len], unpadded_len(&block)), (&rest[..], Some(len)));
        }
    }

    /// Against the definition, on blocks one byte away from good ones, and on all last bytes.
    #[test]
    fn a_block_is_good_by_definition_only() {
        let by_definition = |block: &[u8; BLOCK_LEN]| {
            let count = usize::from(block[15]);
            let good = (1..=16).contains(&count) && block[16 - count..].iter().all(|byte| usize::from(*byte) == count);
            good.then(|| 16 - count)
        };
        let (mut good, mut bad) = (0, 0);
        for len in 0..BLOCK_LEN {
            for at in 0..BLOCK_LEN {
                for value in 0..=255 {
                    let mut block = pad(&[0x55; BLOCK_LEN][..len]);
                    block[at] = value;
                    let found = unpadded_len(&block);
                    assert_eq!(found, by_definition(&block), "{block:?}");
                    *if found.is_some() { &mut good } else { &mut bad } += 1;
                }
            }
        }
        assert!(good > 30_000 && bad > 30_000, "{good} {bad}");
    }
}
