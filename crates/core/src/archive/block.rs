//! The header block (`ustar` of the standard pax), and padding.

use super::{BLOCK_LEN, is_zero};

/// Where the fields are, by the standard.
mod field {
    use std::ops::Range;

    pub(super) const NAME: Range<usize> = 0..100;
    pub(super) const MODE: Range<usize> = 100..108;
    pub(super) const USER: Range<usize> = 108..116;
    pub(super) const GROUP: Range<usize> = 116..124;
    pub(super) const SIZE: Range<usize> = 124..136;
    pub(super) const SECONDS: Range<usize> = 136..148;
    pub(super) const CHECKSUM: Range<usize> = 148..156;
    pub(super) const TYPEFLAG: usize = 156;
    pub(super) const LINK: Range<usize> = 157..257;
    pub(super) const MAGIC: Range<usize> = 257..265;
    pub(super) const USER_NAME: Range<usize> = 265..297;
    pub(super) const GROUP_NAME: Range<usize> = 297..329;
    pub(super) const DEVICE_MAJOR: Range<usize> = 329..337;
    pub(super) const DEVICE_MINOR: Range<usize> = 337..345;
    pub(super) const PREFIX: Range<usize> = 345..500;
}

/// Magic and version.
const MAGIC: &[u8; 8] = b"ustar\x0000";
/// The fields of a path and a linkname, which need no NUL behind them.
pub(super) const NAME_LEN: usize = 100;
/// The longest name of a user or group. A NUL ends these names.
pub(super) const OWNER_NAME_MAX_LEN: usize = 31;
/// The greatest user or group: 7 octal digits.
pub(super) const OWNER_MAX: u64 = (1 << 21) - 1;
/// The greatest size or time: 11 octal digits.
pub(super) const NUMBER_MAX: u64 = (1 << 33) - 1;

/// The zeros between data of `len` bytes and the end of their last block.
pub(crate) fn padding(len: u64) -> &'static [u8] {
    const ZEROS: [u8; BLOCK_LEN] = [0; BLOCK_LEN];
    let len = (BLOCK_LEN as u64 - 1) & len.wrapping_neg();
    &ZEROS[..usize::try_from(len).expect("archive: less than a block")]
}

/// The number of blocks for `len` bytes.
pub(super) fn blocks(len: u64) -> u64 {
    len.div_ceil(BLOCK_LEN as u64)
}

/// The fields of a header block. Texts end before the first NUL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Header<'a> {
    pub(super) name: &'a [u8],
    pub(super) mode: u32,
    pub(super) user: u64,
    pub(super) group: u64,
    pub(super) size: u64,
    pub(super) seconds: u64,
    pub(super) typeflag: u8,
    pub(super) link: &'a [u8],
    pub(super) user_name: &'a [u8],
    pub(super) group_name: &'a [u8],
    pub(super) prefix: &'a [u8],
}

impl<'a> Header<'a> {
    /// The block, as writers make it. Every value fits in its field; of `name` and `link` the first bytes are taken.
    pub(super) fn write(&self) -> [u8; BLOCK_LEN] {
        let mut block = [0; BLOCK_LEN];
        put_text(&mut block[field::NAME], self.name);
        put_number(&mut block[field::MODE], self.mode.into());
        put_number(&mut block[field::USER], self.user);
        put_number(&mut block[field::GROUP], self.group);
        put_number(&mut block[field::SIZE], self.size);
        put_number(&mut block[field::SECONDS], self.seconds);
        block[field::TYPEFLAG] = self.typeflag;
        put_text(&mut block[field::LINK], self.link);
        block[field::MAGIC].copy_from_slice(MAGIC);
        put_text(&mut block[field::USER_NAME], self.user_name);
        put_text(&mut block[field::GROUP_NAME], self.group_name);
        put_number(&mut block[field::DEVICE_MAJOR], 0);
        put_number(&mut block[field::DEVICE_MINOR], 0);
        put_text(&mut block[field::PREFIX], self.prefix);
        let checksum = checksum(&block);
        // Six digits, NUL and space (section 3.2).
        let (digits, space) = block[field::CHECKSUM].split_at_mut(7);
        put_number(digits, checksum);
        space[0] = b' ';
        block
    }

    /// Parses a block. An error is the rule that it breaks.
    pub(super) fn parse(block: &'a [u8; BLOCK_LEN]) -> Result<Self, &'static str> {
        if block[field::MAGIC] != *MAGIC {
            return Err("the magic of a header block is not that of ustar (archive section 3.2)");
        }
        if number(&block[field::CHECKSUM])? != checksum(block) {
            return Err("the checksum of a header block is wrong (archive section 3.2)");
        }
        number(&block[field::DEVICE_MAJOR])?;
        number(&block[field::DEVICE_MINOR])?;
        Ok(Self {
            name: text(&block[field::NAME]),
            mode: u32::try_from(number(&block[field::MODE])?).expect("archive: a mode has seven octal digits"),
            user: number(&block[field::USER])?,
            group: number(&block[field::GROUP])?,
            size: number(&block[field::SIZE])?,
            seconds: number(&block[field::SECONDS])?,
            typeflag: block[field::TYPEFLAG],
            link: text(&block[field::LINK]),
            user_name: text(&block[field::USER_NAME]),
            group_name: text(&block[field::GROUP_NAME]),
            prefix: text(&block[field::PREFIX]),
        })
    }
}

/// The sum of all bytes, with spaces in the field of the checksum.
fn checksum(block: &[u8; BLOCK_LEN]) -> u64 {
    const LANES: u64 = 0x00ff_00ff_00ff_00ff;
    // Eight bytes at a time, in four lanes: a lane gets at most 2 * 255 of each of 64 words, which is under 2^16.
    let words = block.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().expect("archive: eight bytes")));
    let lanes = words.fold(0, |lanes, word| lanes + (word & LANES) + (word >> 8 & LANES));
    let all: u64 = (0..64).step_by(16).map(|shift| lanes >> shift & 0xffff).sum();
    let own: u64 = block[field::CHECKSUM].iter().map(|byte| u64::from(*byte)).sum();
    all - own + field::CHECKSUM.len() as u64 * u64::from(b' ')
}

fn put_text(field: &mut [u8], text: &[u8]) {
    let len = text.len().min(field.len());
    field[..len].copy_from_slice(&text[..len]);
}

/// Octal digits up to a NUL.
fn put_number(field: &mut [u8], mut value: u64) {
    let len = field.len() - 1;
    for digit in field[..len].iter_mut().rev() {
        *digit = b'0' + (value & 7) as u8;
        value >>= 3;
    }
    assert_eq!(value, 0, "archive: a number fits in its field");
}

fn text(field: &[u8]) -> &[u8] {
    let len = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
    &field[..len]
}

fn number(field: &[u8]) -> Result<u64, &'static str> {
    let digits = field.iter().take_while(|byte| matches!(byte, b'0'..=b'7'));
    let (len, value) = digits.fold((0, 0), |(len, value), digit| (len + 1, value << 3 | u64::from(digit - b'0')));
    let ends = &field[len..];
    if len == 0 || ends.is_empty() || !ends.iter().all(|byte| matches!(byte, 0 | b' ')) {
        return Err("a number of a header block is not octal digits up to a NUL or space (archive section 3.2)");
    }
    Ok(value)
}

/// Whether a block is one of the two that end the members.
pub(super) fn is_end(block: &[u8; BLOCK_LEN]) -> bool {
    is_zero(block)
}
