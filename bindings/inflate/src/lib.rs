//! Inflates the modules that compute, where the first call cannot wait for a browser's own functions. It is a module of its own,
//! without the standard library: JavaScript that does the same is slow until it is compiled, and it runs once.
//!
//! The format is LZMA (Igor Pavlov's LZMA specification of 2015) without its header, with lc = 3, lp = 0 and pb = 0, and without an
//! end marker, behind the length of the output as four bytes, lowest first. `examples/deflate.rs` writes it.

#![cfg_attr(target_family = "wasm", no_std)]

use core::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use core::slice;

/// Inflates bytes into others; returns whether they are a stream that fills them.
///
/// # Safety
///
/// Both are memory that JavaScript has grown, behind all that this module has of its own, and lie apart.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
#[must_use]
pub unsafe extern "C" fn inflate(from: usize, from_len: usize, to: usize, to_len: usize) -> bool {
    // SAFETY: The caller promises it, and writes nothing until this returns.
    let deflated = unsafe { slice::from_raw_parts(with_exposed_provenance(from), from_len) };
    // SAFETY: Likewise; nobody reads or writes them meanwhile.
    let inflated = unsafe { slice::from_raw_parts_mut(with_exposed_provenance_mut(to), to_len) };
    decode(deflated, inflated).is_some()
}

/// A probability of a zero bit, of 2^11 (section "Probability models").
type Bit = u16;
const EVEN: Bit = 1 << 10;
const STATES: usize = 12;
/// Up to this state, the last symbol was a literal.
const LITERAL_STATES: usize = 7;

/// The range decoder. Behind the end of its input it reads zeros, which `is_at_end` tells.
struct Input<'a> {
    bytes: &'a [u8],
    read: usize,
    range: u32,
    code: u32,
}

impl<'a> Input<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let mut input = Self { bytes, read: 0, range: u32::MAX, code: 0 };
        for _ in 0..5 {
            input.shift();
        }
        input
    }

    fn shift(&mut self) {
        self.code = self.code << 8 | u32::from(self.bytes.get(self.read).copied().unwrap_or_default());
        self.read += 1;
    }

    fn normalize(&mut self) {
        if self.range < 1 << 24 {
            self.range <<= 8;
            self.shift();
        }
    }

    fn is_at_end(&mut self) -> bool {
        self.normalize();
        self.code == 0 && self.read == self.bytes.len()
    }

    fn bit(&mut self, zero: &mut Bit) -> usize {
        self.normalize();
        let bound = (self.range >> 11) * u32::from(*zero);
        if self.code < bound {
            self.range = bound;
            *zero += ((1 << 11) - *zero) >> 5;
            0
        } else {
            self.range -= bound;
            self.code -= bound;
            *zero -= *zero >> 5;
            1
        }
    }

    /// Bits of even probability, highest first.
    fn even(&mut self, count: usize) -> usize {
        (0..count).fold(0, |bits, _| {
            self.normalize();
            self.range >>= 1;
            let is_one = self.code >= self.range;
            if is_one {
                self.code -= self.range;
            }
            bits << 1 | usize::from(is_one)
        })
    }

    /// Bits of a tree, highest first.
    fn tree(&mut self, tree: &mut [Bit], count: usize) -> usize {
        (0..count).fold(1, |node, _| node << 1 | self.bit(&mut tree[node])) - (1 << count)
    }

    /// Bits of a tree, lowest first.
    fn reversed(&mut self, tree: &mut [Bit], count: usize) -> usize {
        let (mut node, mut bits) = (1, 0);
        for i in 0..count {
            let bit = self.bit(&mut tree[node]);
            node = node << 1 | bit;
            bits |= bit << i;
        }
        bits
    }
}

/// The lengths of matches, less two.
struct Lengths {
    choice: [Bit; 2],
    low: [Bit; 8],
    middle: [Bit; 8],
    high: [Bit; 256],
}

impl Lengths {
    const NEW: Self = Self { choice: [EVEN; 2], low: [EVEN; 8], middle: [EVEN; 8], high: [EVEN; 256] };

    fn read(&mut self, input: &mut Input<'_>) -> usize {
        if input.bit(&mut self.choice[0]) == 0 {
            input.tree(&mut self.low, 3)
        } else if input.bit(&mut self.choice[1]) == 0 {
            8 + input.tree(&mut self.middle, 3)
        } else {
            16 + input.tree(&mut self.high, 8)
        }
    }
}

/// Fills `output`; `None` for other data.
fn decode(bytes: &[u8], output: &mut [u8]) -> Option<()> {
    let (length, bytes) = bytes.split_first_chunk()?;
    if u32::from_le_bytes(*length) as usize != output.len() {
        return None;
    }
    // The first byte of a stream says nothing.
    if bytes.first() != Some(&0) {
        return None;
    }
    let input = &mut Input::new(bytes);
    let mut literals = [[EVEN; 0x300]; 8];
    let (mut is_match, mut is_repeated, mut is_long) = ([EVEN; STATES], [EVEN; STATES], [EVEN; STATES]);
    let mut is_older = [[EVEN; STATES]; 3];
    let (mut lengths, mut repeated_lengths) = (Lengths::NEW, Lengths::NEW);
    let (mut slots, mut middle, mut low) = ([[EVEN; 64]; 4], [EVEN; 128], [EVEN; 16]);
    // The last four distances, less one.
    let mut distances = [0; 4];
    let (mut state, mut at) = (0, 0);
    while at < output.len() {
        if input.bit(&mut is_match[state]) == 0 {
            let before = if at == 0 { 0 } else { output[at - 1] };
            let tree = &mut literals[usize::from(before >> 5)];
            let mut node = 1;
            if state >= LITERAL_STATES {
                // As long as its bits are those of the byte at the last distance, they have probabilities of their own.
                let mut expected = usize::from(*output.get(at.checked_sub(distances[0] + 1)?)?);
                while node < 0x100 {
                    expected <<= 1;
                    let bit = expected >> 8 & 1;
                    let found = input.bit(&mut tree[(1 + bit) * 0x100 + node]);
                    node = node << 1 | found;
                    if found != bit {
                        break;
                    }
                }
            }
            while node < 0x100 {
                node = node << 1 | input.bit(&mut tree[node]);
            }
            output[at] = node.to_le_bytes()[0];
            at += 1;
            state = match state {
                0..4 => 0,
                4..10 => state - 3,
                _ => state - 6,
            };
            continue;
        }
        let is_after_literal = state < LITERAL_STATES;
        let mut length = 2;
        if input.bit(&mut is_repeated[state]) == 0 {
            length += lengths.read(input);
            state = if is_after_literal { 7 } else { 10 };
            distances.rotate_right(1);
            distances[0] = distance(input, &mut slots[(length - 2).min(3)], &mut middle, &mut low);
        } else {
            let mut older = 0;
            while older < 3 && input.bit(&mut is_older[older][state]) == 1 {
                older += 1;
            }
            if older == 0 && input.bit(&mut is_long[state]) == 0 {
                length = 1;
                state = if is_after_literal { 9 } else { 11 };
            } else {
                distances[..=older].rotate_right(1);
                length += repeated_lengths.read(input);
                state = if is_after_literal { 8 } else { 11 };
            }
        }
        let start = at.checked_sub(distances[0].checked_add(1)?)?;
        let end = at + length;
        if end > output.len() {
            return None;
        }
        for i in 0..length {
            output[at + i] = output[start + i];
        }
        at = end;
    }
    input.is_at_end().then_some(())
}

/// A distance, less one: a slot that has its two highest bits and their place, and the bits below.
fn distance(input: &mut Input<'_>, slots: &mut [Bit], middle: &mut [Bit], low: &mut [Bit]) -> usize {
    let slot = input.tree(slots, 6);
    if slot < 4 {
        return slot;
    }
    let count = slot / 2 - 1;
    let high = (2 | slot & 1) << count;
    if slot < 14 {
        return high + input.reversed(&mut middle[high - slot..], count);
    }
    high + (input.even(count - 4) << 4) + input.reversed(low, 4)
}

#[cfg(target_family = "wasm")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
