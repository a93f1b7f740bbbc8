//! The map of a sparse file (section 3.3), in the form that GNU tar calls 1.0.

use super::BLOCK_LEN;
use super::records::{Digits, decimal};
use std::ops::Range;

/// Bytes of the longest map, without its padding.
pub(super) const MAP_MAX_LEN: u64 = 1 << 20;
/// Digits of the greatest integer of 64 bits.
const DIGITS_MAX: usize = 20;

const RULE: &str = "the map of a sparse file breaks a rule (archive section 3.3)";
const UNALIGNED: &str = "a region of a sparse file other than the last is not whole blocks (archive section 3.3)";
const TOO_LONG: &str = "the map of a sparse file has over 2^20 bytes (archive section 3.3)";

/// Bytes of the map of a file of `size` bytes with these regions, without its padding. A sparse file can be stored as
/// such if this is at most 2^20.
pub(crate) fn map_len(regions: &[Range<u64>], size: u64) -> u64 {
    let mut len = 0;
    each_number(regions, size, |number| len += Digits::of(number).as_bytes().len() as u64 + 1);
    len
}

/// Appends the map, without its padding.
pub(super) fn put(out: &mut Vec<u8>, regions: &[Range<u64>], size: u64) {
    each_number(regions, size, |number| {
        out.extend_from_slice(Digits::of(number).as_bytes());
        out.push(b'\n');
    });
}

fn each_number(regions: &[Range<u64>], size: u64, mut take: impl FnMut(u64)) {
    // GNU tar gives the file its length by a last region of length 0, if it ends with a hole.
    let ends_with_hole = regions.last().map_or(0, |last| last.end) < size;
    take(regions.len() as u64 + u64::from(ends_with_hole));
    for region in regions {
        take(region.start);
        take(region.end - region.start);
    }
    if ends_with_hole {
        take(size);
        take(0);
    }
}

/// Widens the regions of a file of `size` bytes to whole blocks, and joins those that meet then.
///
/// GNU tar reads each region from a block of its own: if a region other than the last is not whole blocks, tar loses
/// the rest of the archive (measured with 1.34). Regions ascend, are not empty, and end within the file.
pub(crate) fn align(regions: &[Range<u64>], size: u64) -> Vec<Range<u64>> {
    let block = BLOCK_LEN as u64;
    let mut aligned: Vec<Range<u64>> = Vec::with_capacity(regions.len());
    for region in regions {
        let start = region.start / block * block;
        let end = region.end.checked_next_multiple_of(block).unwrap_or(size).min(size);
        match aligned.last_mut() {
            Some(last) if last.end >= start => last.end = end,
            _ => aligned.push(start..end),
        }
    }
    aligned
}

/// Checks what a writer is to store. An error is the rule that it breaks.
pub(super) fn check(regions: &[Range<u64>], size: u64) -> Result<(), &'static str> {
    let mut reached = 0;
    for region in regions {
        if region.start < reached || region.end <= region.start || region.end > size {
            return Err(RULE);
        }
        reached = region.end;
    }
    let others = &regions[..regions.len().saturating_sub(1)];
    if others.iter().any(|region| !(region.end - region.start).is_multiple_of(BLOCK_LEN as u64)) {
        return Err(UNALIGNED);
    }
    if map_len(regions, size) > MAP_MAX_LEN { Err(TOO_LONG) } else { Ok(()) }
}

/// Reads a map from pieces of any length.
#[derive(Debug)]
pub(super) struct MapReader {
    size: u64,
    /// Bytes so far.
    len: u64,
    digits: [u8; DIGITS_MAX],
    filled: usize,
    /// Numbers that follow, once the first one said how many regions there are.
    left: Option<u64>,
    offset: Option<u64>,
    reached: u64,
    regions: Vec<Range<u64>>,
}

impl MapReader {
    /// Begins the map of a file of `size` bytes.
    pub(super) fn new(size: u64) -> Self {
        let (digits, regions) = ([0; DIGITS_MAX], Vec::new());
        Self { size, len: 0, digits, filled: 0, left: None, offset: None, reached: 0, regions }
    }

    /// Bytes of the map so far.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Takes bytes up to the end of the map, and returns their number.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<usize, &'static str> {
        for (at, byte) in bytes.iter().enumerate() {
            if self.is_whole() {
                return Ok(at);
            }
            if self.len == MAP_MAX_LEN {
                return Err(TOO_LONG);
            }
            self.len += 1;
            if *byte == b'\n' {
                let number = decimal(&self.digits[..self.filled]).ok_or(RULE)?;
                self.filled = 0;
                self.number(number)?;
            } else {
                *self.digits.get_mut(self.filled).ok_or(RULE)? = *byte;
                self.filled += 1;
            }
        }
        Ok(bytes.len())
    }

    pub(super) fn is_whole(&self) -> bool {
        self.left == Some(0)
    }

    /// The regions with data.
    pub(super) fn finish(self) -> Vec<Range<u64>> {
        self.regions
    }

    fn number(&mut self, number: u64) -> Result<(), &'static str> {
        let Some(left) = self.left else {
            // Each region has four bytes of the map or more.
            self.left = Some(number.checked_mul(2).filter(|left| *left < MAP_MAX_LEN).ok_or(TOO_LONG)?);
            return Ok(());
        };
        self.left = Some(left - 1);
        let Some(offset) = self.offset.take() else {
            self.offset = Some(number);
            return Ok(());
        };
        let end = offset.checked_add(number).filter(|end| *end <= self.size && offset >= self.reached).ok_or(RULE)?;
        if number > 0 {
            self.regions.push(offset..end);
            self.reached = end;
            return Ok(());
        }
        // The end of a file that ends with a hole.
        if left == 1 && offset == self.size && offset > self.reached { Ok(()) } else { Err(RULE) }
    }
}
