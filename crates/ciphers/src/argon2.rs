//! The memory of Argon2 (RFC 9106): its blocks, and how they are filled. The caller hashes what goes in and what comes out.

pub use crate::backend::Backend;
use crate::backend::Kernel;
use crate::compression::{Block, WORDS};
use crate::cpu;
use crate::erasure::clear;
use crate::portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::wasm32;
#[cfg(target_arch = "x86_64")]
use crate::x86_64;
use std::ops::Range;
use std::sync::Mutex;

/// Bytes of a block.
pub const BLOCK_LEN: usize = 8 * WORDS;
/// Slices of a lane: between two of them every lane waits for the others.
const SLICES: usize = 4;

/// Which blocks a new one is made of: those that the password tells (d), those that it does not (i), or one after the other (id).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Argon2d: its addresses tell of the password to who can watch the memory.
    D = 0,
    /// Argon2i: its addresses depend on the costs alone.
    I = 1,
    /// Argon2id: half of the first pass is as i, the rest as d.
    Id = 2,
}

/// The blocks of one computation. Zeroed on drop.
///
/// ```
/// use sealstone_ciphers::argon2::{BLOCK_LEN, Memory, Variant};
///
/// let mut memory = Memory::new(64, 1).expect("64 KiB of memory");
/// memory.begin(0, [&[1; BLOCK_LEN], &[2; BLOCK_LEN]]); // What RFC 9106 hashes the password to.
/// let last = memory.fill(Variant::Id, 3, 1);
/// # assert_ne!(last, [0; BLOCK_LEN]);
/// ```
pub struct Memory {
    /// Of each slice the segments of all lanes: the order in which one thread fills them.
    words: Vec<u64>,
    /// Words before the first block, which begins a cache line.
    skipped: usize,
    lanes: usize,
    /// Blocks of a quarter of a lane.
    segment_len: usize,
    kernel: Kernel,
    /// Blocks that [`step`](Self::step) has filled, in all passes.
    filled: u64,
}

impl Memory {
    /// Memory of `kib` blocks, rounded down to four of equal length in each of so many lanes; none where the system has none.
    ///
    /// # Panics
    /// Where a lane has fewer than eight blocks, or there is no lane.
    #[must_use]
    pub fn new(kib: u32, lanes: u32) -> Option<Self> {
        Self::of(Kernel::fastest(), kib, lanes)
    }

    /// The same, computed by a backend of the caller's choice; none if this CPU does not support it.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    #[must_use]
    pub fn with_backend(backend: Backend, kib: u32, lanes: u32) -> Option<Self> {
        Self::of(Kernel::of(backend)?, kib, lanes)
    }

    fn of(kernel: Kernel, kib: u32, lanes: u32) -> Option<Self> {
        let (kib, lanes) = (kib as usize, lanes as usize);
        assert!(lanes > 0 && kib / lanes >= 2 * SLICES, "argon2: a lane has at least eight blocks");
        let segment_len = kib / (SLICES * lanes);
        let blocks = segment_len * SLICES * lanes;
        let words = room(blocks.checked_mul(WORDS)?.checked_add(LINE)?)?;
        let skipped = words.as_ptr().align_offset(LINE * size_of::<u64>());
        let skipped = if skipped < LINE { skipped } else { 0 };
        Some(Self { words, skipped, lanes, segment_len, kernel, filled: 0 })
    }

    /// Puts the first two blocks of a lane (RFC 9106 section 3.2, steps 3 and 4).
    ///
    /// # Panics
    /// Where there is no such lane.
    pub fn begin(&mut self, lane: usize, blocks: [&[u8; BLOCK_LEN]; 2]) {
        assert!(lane < self.lanes, "argon2: the memory has this lane");
        let at = lane * self.segment_len;
        self.reach(at + blocks.len());
        for (block, bytes) in self.blocks()[at..].iter_mut().zip(blocks) {
            for (word, bytes) in block.iter_mut().zip(bytes.as_chunks().0) {
                *word = u64::from_le_bytes(*bytes);
            }
        }
    }

    /// Fills all blocks, after [`begin`](Self::begin) for each lane, on as many threads as there are lanes and `threads` allows; those
    /// that [`step`](Self::step) has left, on this one. Returns the sum of the lanes' last blocks (RFC 9106 section 3.2, steps 5 to 7).
    #[must_use]
    pub fn fill(mut self, variant: Variant, passes: u32, threads: usize) -> [u8; BLOCK_LEN] {
        // On WASM there is one thread, and with this the compiler leaves out what begins others.
        if threads.min(self.lanes) < 2 || self.filled > 0 || cfg!(target_family = "wasm") {
            self.step(variant, passes, u64::MAX);
            return self.last();
        }
        let (kernel, lanes, segment_len) = (self.kernel, self.lanes, self.segment_len);
        let mut segments: Vec<_> = self.blocks().chunks_exact_mut(segment_len).collect();
        for pass in 0..passes {
            for slice in 0..SLICES {
                let mut current: Vec<_> = segments[slice * lanes..][..lanes].iter_mut().map(std::mem::take).collect();
                let queue = Mutex::new(current.iter_mut().enumerate());
                let work = || {
                    loop {
                        // Outside of `while let`, whose condition would hold the lock.
                        let next = queue.lock().expect("argon2: no thread has panicked").next();
                        let Some((lane, blocks)) = next else { break };
                        let others = &segments;
                        Segment { kernel, variant, pass, passes, lane, slice, lanes, len: segment_len, others }
                            .fill(blocks, 0..segment_len);
                    }
                };
                run(threads.min(lanes), &work);
                segments[slice * lanes..][..lanes].iter_mut().zip(current).for_each(|(place, blocks)| *place = blocks);
            }
        }
        self.last()
    }

    /// Fills so many blocks more on this thread, after [`begin`](Self::begin) for each lane, or those that are left; returns whether
    /// all are filled. Variant and passes are those of the first step.
    pub fn step(&mut self, variant: Variant, passes: u32, blocks: u64) -> bool {
        let (kernel, lanes, segment_len) = (self.kernel, self.lanes, self.segment_len);
        let pass_len = (SLICES * lanes * segment_len) as u64;
        let mut left = blocks.min(pass_len * u64::from(passes) - self.filled);
        while left > 0 {
            let (pass, place) = (self.filled / pass_len, (self.filled % pass_len) as usize);
            let (segment, from) = (place / segment_len, place % segment_len);
            let to = segment_len.min(from.saturating_add(usize::try_from(left).unwrap_or(usize::MAX)));
            self.reach(segment * segment_len + to);
            let mut segments: Vec<_> = self.blocks().chunks_mut(segment_len).collect();
            let current = std::mem::take(&mut segments[segment]);
            let (pass, slice, lane, others) = (pass as u32, segment / lanes, segment % lanes, &segments);
            Segment { kernel, variant, pass, passes, lane, slice, lanes, len: segment_len, others }
                .fill(current, from..to);
            self.filled += (to - from) as u64;
            left -= (to - from) as u64;
        }
        self.filled == pass_len * u64::from(passes)
    }

    fn last(&mut self) -> [u8; BLOCK_LEN] {
        let (lanes, segment_len) = (self.lanes, self.segment_len);
        let mut sum = [0; BLOCK_LEN];
        for segment in self.blocks().chunks_exact(segment_len).skip((SLICES - 1) * lanes) {
            for (bytes, word) in sum.as_chunks_mut().0.iter_mut().zip(&segment[segment_len - 1]) {
                *bytes = (u64::from_le_bytes(*bytes) ^ word).to_le_bytes();
            }
        }
        sum
    }

    /// Has memory for so many blocks, which is zero where it is new.
    fn reach(&mut self, blocks: usize) {
        let len = LINE + blocks * WORDS;
        if self.words.len() < len {
            self.words.resize(len, 0);
        }
    }

    fn blocks(&mut self) -> &mut [Block] {
        let len = self.words.len() - LINE;
        self.words[self.skipped..][..len].as_chunks_mut().0
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        clear(&mut self.words, 0);
    }
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Memory")
            .field("lanes", &self.lanes)
            .field("segment_len", &self.segment_len)
            .finish_non_exhaustive()
    }
}

/// Words of a cache line.
const LINE: usize = 8;

/// Memory for so many words; none where the system has none. There they are and are zero; on WASM, whose allocator would write zeros
/// to all of them at once, they are yet to come.
fn room(len: usize) -> Option<Vec<u64>> {
    if cfg!(target_family = "wasm") {
        let mut words = Vec::new();
        return words.try_reserve_exact(len).is_ok().then_some(words);
    }
    zeros(len).map(Vec::from)
}

fn zeros(len: usize) -> Option<Box<[u64]>> {
    let layout = std::alloc::Layout::array::<u64>(len).ok().filter(|layout| layout.size() > 0)?;
    // SAFETY: the layout has a length.
    let at = unsafe { std::alloc::alloc_zeroed(layout) };
    if at.is_null() {
        return None;
    }
    ask_for_long_pages(at, layout.size());
    let words = std::ptr::slice_from_raw_parts_mut(at.cast(), len);
    // SAFETY: the allocator gave memory for `len` words of 0, with a `Box`'s layout, and nobody else has it.
    Some(unsafe { Box::from_raw(words) })
}

/// Asks Linux for pages of 2 MiB: of 64 MiB in pages of 4 KiB the system's giving them, and looking up where they are, take a third of
/// the time.
fn ask_for_long_pages(at: *mut u8, len: usize) {
    #[cfg(target_os = "linux")]
    {
        use rustix::mm::{Advice, madvise};
        const PAGE_LEN: usize = 2 << 20;
        let skipped = at.align_offset(PAGE_LEN);
        if let Some(pages @ 1..) = len.checked_sub(skipped).map(|len| len / PAGE_LEN) {
            // SAFETY: this advice changes no byte and no right of access, whatever lies there.
            _ = unsafe { madvise(at.wrapping_add(skipped).cast(), pages * PAGE_LEN, Advice::LinuxHugepage) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (at, len);
}

/// Runs the work here, and on so many threads less one. A thread that does not begin leaves its part to the others.
fn run(threads: usize, work: &(impl Fn() + Sync)) {
    std::thread::scope(|scope| {
        for _ in 1..threads {
            _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
}

/// A quarter of a lane, which is filled without waiting.
struct Segment<'a> {
    kernel: Kernel,
    variant: Variant,
    pass: u32,
    passes: u32,
    lane: usize,
    slice: usize,
    lanes: usize,
    /// Blocks of each.
    len: usize,
    /// All segments, or those that there is memory for yet; this one is empty here, and those beside it may be.
    others: &'a [&'a mut [Block]],
}

impl Segment<'_> {
    /// Fills blocks of it, of which those before `range` are filled.
    fn fill(&self, blocks: &mut [Block], range: Range<usize>) {
        let first = if self.pass == 0 && self.slice == 0 { 2 } else { 0 };
        let range = range.start.max(first)..range.end;
        let mut addresses = self.is_independent().then(|| Addresses::new(self, range.start));
        for i in range {
            let (done, rest) = blocks.split_at_mut(i);
            let prev = done.last().unwrap_or_else(|| &self.segment(self.lane, self.slice + SLICES - 1)[self.len - 1]);
            let random = addresses.as_mut().map_or(prev[0], |addresses| addresses.at(i));
            compress(self.kernel, prev, self.reference(random, done), &mut rest[0]);
        }
    }

    fn is_independent(&self) -> bool {
        match self.variant {
            Variant::D => false,
            Variant::I => true,
            Variant::Id => self.pass == 0 && self.slice < SLICES / 2,
        }
    }

    fn segment(&self, lane: usize, slice: usize) -> &[Block] {
        &*self.others[slice % SLICES * self.lanes + lane]
    }

    /// The block that goes into the next one beside the one before (RFC 9106 section 3.4): `done` of this segment are there.
    fn reference<'b>(&'b self, random: u64, done: &'b [Block]) -> &'b Block {
        let segment_len = self.len;
        let is_first = self.pass == 0;
        let lane = if is_first && self.slice == 0 { self.lane } else { (random >> 32) as usize % self.lanes };
        let whole = if is_first { self.slice } else { SLICES - 1 } * segment_len;
        // Of its own lane it may be any but the one before; of others, where this segment is at its first, any but their last.
        let area = if lane == self.lane { whole + done.len() - 1 } else { whole - usize::from(done.is_empty()) } as u64;
        let x = (random & 0xffff_ffff).pow(2) >> 32;
        let position = (area - 1 - (area * x >> 32)) as usize;
        let begin = if is_first { 0 } else { self.slice + 1 };
        let (slice, i) = ((begin + position / segment_len) % SLICES, position % segment_len);
        if lane == self.lane && slice == self.slice { &done[i] } else { &self.segment(lane, slice)[i] }
    }
}

/// What takes the password's place in addresses that are independent of it (RFC 9106 section 3.4.1.2).
struct Addresses {
    kernel: Kernel,
    input: Block,
    block: Block,
    first: usize,
}

impl Addresses {
    /// Those of a segment from a block on.
    fn new(segment: &Segment<'_>, first: usize) -> Self {
        let mut input = [0; WORDS];
        let blocks = segment.len * SLICES * segment.lanes;
        let [lane, slice, blocks] = [segment.lane, segment.slice, blocks].map(|x| x as u64);
        let (pass, passes) = (segment.pass.into(), segment.passes.into());
        input[..6].copy_from_slice(&[pass, lane, slice, blocks, passes, segment.variant as u64]);
        input[6] = (first / WORDS) as u64;
        let mut addresses = Self { kernel: segment.kernel, input, block: [0; WORDS], first };
        addresses.next();
        addresses
    }

    fn next(&mut self) {
        const ZERO: Block = [0; WORDS];
        self.input[6] += 1;
        let mut once = ZERO;
        compress(self.kernel, &ZERO, &self.input, &mut once);
        self.block = ZERO;
        compress(self.kernel, &ZERO, &once, &mut self.block);
    }

    /// They are asked for in their order.
    fn at(&mut self, i: usize) -> u64 {
        if i > self.first && i.is_multiple_of(WORDS) {
            self.next();
        }
        self.block[i % WORDS]
    }
}

/// Adds G of RFC 9106 section 3.5, of two blocks, to what `next` has: to zeros in the first pass.
fn compress(kernel: Kernel, prev: &Block, reference: &Block, next: &mut Block) {
    match kernel {
        // Modules of WASM for browsers never choose this where there are vectors, so they do without it, as of SM4.
        Kernel::Portable => match cpu::Plain::detect() {
            Some(_) => portable::argon2::compress(prev, reference, next),
            None => unreachable!("argon2: there are vectors"),
        },
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Kernel::Simd128 => wasm32::argon2::compress(prev, reference, next),
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2(cpu) => x86_64::argon2::compress_avx2(cpu, prev, reference, next),
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx512(cpu) => x86_64::argon2::compress_avx512(cpu, prev, reference, next),
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx512Ifma(cpu) => x86_64::argon2::compress_avx512(cpu.into(), prev, reference, next),
    }
}
