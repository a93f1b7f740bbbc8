//! The sponges over Keccak (FIPS 202): SHA-3, SHAKE, and with other paddings Keccak as it was submitted and cSHAKE (SP
//! 800-185), in constant time but for lengths, on every backend.

pub use crate::backend::Backend;
use crate::backend::Kernel;
use crate::erasure::clear;
use crate::permutation::{LANE_LEN, State};
use crate::portable;
#[cfg(target_arch = "x86_64")]
use crate::x86_64;

/// A sponge that absorbs blocks of `RATE` bytes and pads the message with the bits of `PADDING`: 0x06 for SHA-3, 0x1f for SHAKE,
/// 0x04 for cSHAKE, 0x01 for Keccak as it was submitted. Zeroed on drop. A clone continues independently.
///
/// ```
/// use sealstone_ciphers::keccak::Sponge;
///
/// let mut sha3_256 = Sponge::<136, 0x06>::new();
/// sha3_256.absorb(b"abc");
/// let mut digest = [0; 32];
/// sha3_256.squeeze(&mut digest);
/// assert_eq!(digest[..4], [0x3a, 0x98, 0x5d, 0xa7]);
/// ```
#[derive(Clone)]
pub struct Sponge<const RATE: usize, const PADDING: u8> {
    kernel: Kernel,
    state: State,
    /// Bytes of the block that were absorbed, or squeezed.
    at: usize,
    is_squeezing: bool,
}

impl<const RATE: usize, const PADDING: u8> Sponge<RATE, PADDING> {
    /// Begins with no bytes, on the backend that is fastest on this CPU.
    #[must_use]
    pub fn new() -> Self {
        Self::with_kernel(Kernel::fastest())
    }

    /// Begins on a backend of the caller's choice; `None` if this CPU does not support it.
    #[must_use]
    pub fn with_backend(backend: Backend) -> Option<Self> {
        Kernel::of(backend).map(Self::with_kernel)
    }

    fn with_kernel(kernel: Kernel) -> Self {
        const { assert!(RATE.is_multiple_of(LANE_LEN) && 0 < RATE && RATE < size_of::<State>()) };
        Self { kernel, state: [0; 25], at: 0, is_squeezing: false }
    }

    /// Absorbs the next bytes of the message.
    ///
    /// # Panics
    /// After [`squeeze`](Self::squeeze).
    pub fn absorb(&mut self, data: &[u8]) {
        assert!(!self.is_squeezing, "keccak: a message that was squeezed has ended");
        let room = if self.at == 0 { 0 } else { RATE - self.at };
        let (first, rest) = data.split_at(data.len().min(room));
        self.add(first);
        if self.at == RATE {
            self.permute();
        }
        let (blocks, last) = rest.as_chunks::<RATE>();
        self.absorb_blocks(blocks);
        self.add(last);
    }

    /// Ends the message at the first call, and writes the next bytes of its digest.
    pub fn squeeze(&mut self, out: &mut [u8]) {
        if !self.is_squeezing {
            self.state[self.at / LANE_LEN] ^= u64::from(PADDING) << (8 * (self.at % LANE_LEN));
            self.state[RATE / LANE_LEN - 1] ^= 0x80 << 56;
            self.is_squeezing = true;
            self.at = RATE;
        }
        let mut rest = out;
        while !rest.is_empty() {
            if self.at == RATE {
                self.permute();
            }
            let (now, later) = rest.split_at_mut(rest.len().min(RATE - self.at));
            let skipped = self.at % LANE_LEN;
            let (first, behind) = now.split_at_mut(now.len().min((LANE_LEN - skipped) % LANE_LEN));
            if !first.is_empty() {
                first.copy_from_slice(&self.state[self.at / LANE_LEN].to_le_bytes()[skipped..][..first.len()]);
            }
            let lanes = &self.state[self.at.div_ceil(LANE_LEN)..];
            let (whole, last) = behind.as_chunks_mut();
            for (bytes, lane) in whole.iter_mut().zip(lanes) {
                *bytes = lane.to_le_bytes();
            }
            if !last.is_empty() {
                last.copy_from_slice(&lanes[whole.len()].to_le_bytes()[..last.len()]);
            }
            self.at += now.len();
            rest = later;
        }
    }

    /// Adds bytes to the lanes of a block, which they do not exceed.
    fn add(&mut self, bytes: &[u8]) {
        let skipped = self.at % LANE_LEN;
        let (first, rest) = bytes.split_at(bytes.len().min((LANE_LEN - skipped) % LANE_LEN));
        if !first.is_empty() {
            self.state[self.at / LANE_LEN] ^= lane_of(first) << (8 * skipped);
        }
        let lanes = &mut self.state[self.at.div_ceil(LANE_LEN)..];
        let (whole, last) = rest.as_chunks();
        for (lane, bytes) in lanes.iter_mut().zip(whole) {
            *lane ^= u64::from_le_bytes(*bytes);
        }
        if !last.is_empty() {
            lanes[whole.len()] ^= lane_of(last);
        }
        self.at += bytes.len();
    }

    /// Permutes the state, for the next block.
    fn permute(&mut self) {
        self.absorb_blocks(&[[0; RATE]]);
        self.at = 0;
    }

    /// Adds each block to the state, and permutes it.
    fn absorb_blocks(&mut self, blocks: &[[u8; RATE]]) {
        match self.kernel {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512(cpu) => x86_64::keccak::absorb(cpu, &mut self.state, blocks),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512Ifma(cpu) => x86_64::keccak::absorb(cpu.into(), &mut self.state, blocks),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(cpu) => x86_64::keccak::absorb_words(cpu, &mut self.state, blocks),
            _ => portable::keccak::absorb(&mut self.state, blocks),
        }
    }
}

/// A lane of at most eight bytes.
fn lane_of(bytes: &[u8]) -> u64 {
    let mut lane = [0; LANE_LEN];
    lane[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(lane)
}

impl<const RATE: usize, const PADDING: u8> Default for Sponge<RATE, PADDING> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const RATE: usize, const PADDING: u8> Drop for Sponge<RATE, PADDING> {
    fn drop(&mut self) {
        clear(&mut self.state, 0);
    }
}

impl<const RATE: usize, const PADDING: u8> std::fmt::Debug for Sponge<RATE, PADDING> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sponge(..)")
    }
}
