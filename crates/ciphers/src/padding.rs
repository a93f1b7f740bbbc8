//! PKCS#7 padding (RFC 5652 section 6.3) for blocks of 16 bytes, or 8 in old ciphers; and the padding of RSA in PKCS#1 v1.5.

use std::hint::black_box;

/// The last block of a message: `rest`, the bytes after its whole blocks, and the padding.
///
/// ```
/// use sealstone_ciphers::padding::{pad, unpadded_len};
///
/// assert_eq!(pad(b"attack at dawn"), *b"attack at dawn\x02\x02");
/// assert_eq!(unpadded_len::<16>(&pad(b"")), Some(0));
/// ```
///
/// # Panics
/// If `rest` has a block or more, or a block has over 255 bytes.
#[must_use]
pub fn pad<const BLOCK_LEN: usize>(rest: &[u8]) -> [u8; BLOCK_LEN] {
    assert!(rest.len() < BLOCK_LEN, "padding: less than a block is padded");
    let missing = BLOCK_LEN - rest.len();
    let mut block = [u8::try_from(missing).expect("padding: at most a block"); BLOCK_LEN];
    block[..rest.len()].copy_from_slice(rest);
    block
}

/// The number of message bytes in the last block; `None` for a block that [`pad`] does not produce. The time does not depend on
/// the bytes; only the result does.
///
/// # Security
/// An attacker who can submit ciphertexts and learns the result can decrypt (a padding oracle).
#[must_use]
pub fn unpadded_len<const BLOCK_LEN: usize>(block: &[u8; BLOCK_LEN]) -> Option<usize> {
    let len = const { if BLOCK_LEN < 256 { BLOCK_LEN as u8 } else { panic!("padding: a block has up to 255 bytes") } };
    let count = block[BLOCK_LEN - 1];
    // Not zero if the count is 0 or above a block, or a byte of the padding differs from the count.
    let mut wrong = !below(count.wrapping_sub(1), len);
    for (at, byte) in (0..len).zip(block) {
        let is_padding = below(len - 1 - at, count);
        wrong |= is_padding & (byte ^ count);
    }
    (black_box(wrong) == 0).then(|| BLOCK_LEN - usize::from(count))
}

/// Bytes from which the length of the alternative message is chosen: 128 numbers of 16 bits.
pub const LENGTHS_LEN: usize = 256;

/// Removes the padding of PKCS#1 v1.5 (RFC 8017 section 7.2.2). If the padding is wrong, replaces `encoded` by a message from
/// `alternative` (draft-irtf-cfrg-rsa-guidance section 7.2, from step 3.3 on). Returns the offset of the message. Neither the
/// time nor the result tells which of the two it is.
///
/// # Panics
/// If `encoded` and `alternative` have different lengths, or under 11 or over 65,535 bytes.
#[must_use]
pub fn select(encoded: &mut [u8], alternative: &[u8], lengths: &[u8; LENGTHS_LEN]) -> usize {
    /// Bytes of 00, 02, the shortest padding and the 00 after it.
    const OVERHEAD: u32 = 11;
    let len = u32::from(u16::try_from(encoded.len()).expect("padding: a modulus is short"));
    assert!(alternative.len() == encoded.len() && len >= OVERHEAD, "padding: both are as long as the modulus");
    let longest = len - OVERHEAD;
    let bits = (longest + 1).next_power_of_two() - 1;
    // The last of the numbers that is not too long.
    let mut alternative_len = 0;
    for number in lengths.as_chunks::<2>().0 {
        let number = u32::from(u16::from_be_bytes(*number)) & bits;
        alternative_len = choose(!less(longest, number), number, alternative_len);
    }
    let [first, second, rest @ ..] = &*encoded else { unreachable!("padding: it has 11 bytes") };
    let (mut separator, mut is_found) = (0, 0);
    for (at, byte) in (2..).zip(rest) {
        let is_zero = less((*byte).into(), 1);
        separator = choose(is_zero & !is_found, at, separator);
        is_found |= is_zero;
    }
    let is_good = less((*first).into(), 1) & less((second ^ 2).into(), 1) & !less(separator, OVERHEAD - 1);
    let [byte_mask, ..] = is_good.to_be_bytes();
    for (byte, other) in encoded.iter_mut().zip(alternative) {
        *byte = *byte & byte_mask | other & !byte_mask;
    }
    choose(is_good, separator + 1, len - alternative_len) as usize
}

/// `a` if the mask is all ones, `b` if it is 0, without a branch.
fn choose(mask: u32, a: u32, b: u32) -> u32 {
    a & mask | b & !mask
}

/// All ones if a < b, otherwise 0, without a branch.
fn less(a: u32, b: u32) -> u32 {
    black_box((u64::from(a).wrapping_sub(b.into()) >> 32) as u32)
}

/// 255 if a < b, otherwise 0, without a branch.
fn below(a: u8, b: u8) -> u8 {
    let [borrow, _] = u16::from(a).wrapping_sub(u16::from(b)).to_be_bytes();
    black_box(borrow)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8017 section 7.2.2, step 3, and the alternative, without regard to time.
    fn by_the_book(encoded: &[u8], alternative: &[u8], lengths: &[u8; LENGTHS_LEN]) -> Vec<u8> {
        let separator = encoded[2..].iter().position(|byte| *byte == 0);
        match (encoded, separator) {
            ([0, 2, ..], Some(padding)) if padding >= 8 => encoded[2 + padding + 1..].to_vec(),
            _ => {
                let longest = encoded.len() - 11;
                let bits = (1 << (usize::BITS - longest.leading_zeros())) - 1;
                let mut numbers =
                    lengths.chunks(2).map(|number| (usize::from(number[0]) << 8 | usize::from(number[1])) & bits);
                let len = numbers.rfind(|number| *number <= longest).unwrap_or(0);
                alternative[alternative.len() - len..].to_vec()
            }
        }
    }

    #[test]
    fn a_message_is_selected_by_the_book_only() {
        let mut state = 1_u32;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state.to_le_bytes()[0]
        };
        let (mut good, mut bad) = (0, 0);
        // With 138 and 266 bytes the longest message has 127 and 255 bytes, with 139 and 267 a power of two.
        for len in [11, 12, 27, 138, 139, 256, 257, 266, 267, 512] {
            for padding in (0..len - 2).chain([8; 20]) {
                let lengths = std::array::from_fn(|_| random());
                let alternative: Vec<u8> = (0..len).map(|_| random()).collect();
                let mut right: Vec<u8> = (0..len).map(|_| random() | 1).collect();
                (right[0], right[1], right[2 + padding.min(len - 3)]) = (0, 2, 0);
                for (at, value) in
                    [(len - 1, right[len - 1]), (0, 1), (1, 1), (1, 3), (2, 0), (9.min(len - 1), 0), (len - 1, 0)]
                {
                    let mut encoded = right.clone();
                    encoded[at] = value;
                    let expected = by_the_book(&encoded, &alternative, &lengths);
                    let before = encoded.clone();
                    let start = select(&mut encoded, &alternative, &lengths);
                    assert_eq!(encoded[start..], expected, "{len} bytes, {padding} of padding, {value} at {at}");
                    *if encoded == before { &mut good } else { &mut bad } += 1;
                }
            }
        }
        assert!(good > 2000 && bad > 5000, "{good} {bad}");
        // Without a length that fits the alternative is empty.
        let mut encoded = [1; 256];
        assert_eq!(select(&mut encoded, &[7; 256], &[0xff; LENGTHS_LEN]), 256);
    }

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

    /// Compares with the definition on blocks that differ from a good one in one byte, and on all last bytes.
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
