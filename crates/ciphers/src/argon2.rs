//! The memory of Argon2 (RFC 9106), and how its blocks are filled. The caller computes the hashes before and after.

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
/// Slices of a lane (RFC 9106 section 3.4): all lanes finish a slice before any begins the next.
const SLICES: usize = 4;

/// How Argon2 chooses the blocks that it combines: depending on the password (d), independent of it (i), or first one and then
/// the other (id).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Argon2d: whoever can watch the memory accesses learns something about the password.
    D = 0,
    /// Argon2i: the addresses depend on the costs alone.
    I = 1,
    /// Argon2id: the first half of the first pass as Argon2i, the rest as Argon2d.
    Id = 2,
}

/// The memory of one computation. Zeroed on drop.
///
/// ```
/// use sealstone_ciphers::argon2::{BLOCK_LEN, Memory, Variant};
///
/// let mut memory = Memory::new(64, 1).expect("64 KiB of memory");
/// memory.begin(0, [&[1; BLOCK_LEN], &[2; BLOCK_LEN]]); // The blocks that RFC 9106 derives from the password.
/// let last = memory.fill(Variant::Id, 3, 1);
/// # assert_ne!(last, [0; BLOCK_LEN]);
/// ```
pub struct Memory {
    /// The segments of all lanes, slice by slice: the order in which one thread fills them.
    words: Vec<u64>,
    /// Words before the first block, so that blocks are aligned to cache lines.
    skipped: usize,
    lanes: usize,
    /// Blocks of a segment: a quarter of a lane.
    segment_len: usize,
    kernel: Kernel,
    /// Blocks that [`step`](Self::step) has filled, in all passes.
    filled: u64,
}

impl Memory {
    /// Allocates `kib` blocks of 1 KiB, rounded down so that each lane has four segments of equal length. `None` if the system
    /// has too little memory.
    ///
    /// # Panics
    /// If a lane would have fewer than eight blocks, or `lanes` is 0.
    #[must_use]
    pub fn new(kib: u32, lanes: u32) -> Option<Self> {
        Self::of(Kernel::fastest(), kib, lanes)
    }

    /// As [`new`](Self::new), for a backend of the caller's choice; `None` also if this CPU does not support it.
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
        let words = allocate(blocks.checked_mul(WORDS)?.checked_add(LINE)?)?;
        let skipped = words.as_ptr().align_offset(LINE * size_of::<u64>());
        let skipped = if skipped < LINE { skipped } else { 0 };
        Some(Self { words, skipped, lanes, segment_len, kernel, filled: 0 })
    }

    /// Sets the first two blocks of a lane (RFC 9106 section 3.2, steps 3 and 4).
    ///
    /// # Panics
    /// If the memory has no such lane.
    pub fn begin(&mut self, lane: usize, blocks: [&[u8; BLOCK_LEN]; 2]) {
        assert!(lane < self.lanes, "argon2: the memory has this lane");
        let at = lane * self.segment_len;
        self.grow(at + blocks.len());
        for (block, bytes) in self.blocks()[at..].iter_mut().zip(blocks) {
            for (word, bytes) in block.iter_mut().zip(bytes.as_chunks().0) {
                *word = u64::from_le_bytes(*bytes);
            }
        }
    }

    /// Fills all blocks, after [`begin`](Self::begin) for each lane, on up to `threads` threads and at most one for each lane.
    /// After [`step`](Self::step), fills the remaining blocks on this thread. Returns the sum of the last blocks of all lanes
    /// (RFC 9106 section 3.2, steps 5 to 7).
    #[must_use]
    pub fn fill(mut self, variant: Variant, passes: u32, threads: usize) -> [u8; BLOCK_LEN] {
        // WASM has one thread; the condition lets the compiler leave out the code that starts others.
        if threads.min(self.lanes) < 2 || self.filled > 0 || cfg!(target_family = "wasm") {
            self.step(variant, passes, u64::MAX);
            return self.sum_last_blocks();
        }
        let (kernel, lanes, segment_len) = (self.kernel, self.lanes, self.segment_len);
        let mut segments: Vec<_> = self.blocks().chunks_exact_mut(segment_len).collect();
        for pass in 0..passes {
            for slice in 0..SLICES {
                let mut current: Vec<_> = segments[slice * lanes..][..lanes].iter_mut().map(std::mem::take).collect();
                let queue = Mutex::new(current.iter_mut().enumerate());
                let work = || {
                    loop {
                        // A `while let` would hold the lock during its body.
                        let next = queue.lock().expect("argon2: no thread has panicked").next();
                        let Some((lane, blocks)) = next else { break };
                        let others = &segments;
                        Segment { kernel, variant, pass, passes, lane, slice, lanes, len: segment_len, others }
                            .fill(blocks, 0..segment_len);
                    }
                };
                run_on_threads(threads.min(lanes), &work);
                segments[slice * lanes..][..lanes].iter_mut().zip(current).for_each(|(place, blocks)| *place = blocks);
            }
        }
        self.sum_last_blocks()
    }

    /// Fills up to `blocks` more blocks on this thread, after [`begin`](Self::begin) for each lane. Returns whether all are
    /// filled. `variant` and `passes` must be the same in each step.
    pub fn step(&mut self, variant: Variant, passes: u32, blocks: u64) -> bool {
        let (kernel, lanes, segment_len) = (self.kernel, self.lanes, self.segment_len);
        let pass_len = (SLICES * lanes * segment_len) as u64;
        let mut left = blocks.min(pass_len * u64::from(passes) - self.filled);
        while left > 0 {
            let (pass, place) = (self.filled / pass_len, (self.filled % pass_len) as usize);
            let (segment, from) = (place / segment_len, place % segment_len);
            let to = segment_len.min(from.saturating_add(usize::try_from(left).unwrap_or(usize::MAX)));
            self.grow(segment * segment_len + to);
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

    /// The sum of the last blocks of all lanes.
    fn sum_last_blocks(&mut self) -> [u8; BLOCK_LEN] {
        let (lanes, segment_len) = (self.lanes, self.segment_len);
        let mut sum = [0; BLOCK_LEN];
        for segment in self.blocks().chunks_exact(segment_len).skip((SLICES - 1) * lanes) {
            for (bytes, word) in sum.as_chunks_mut().0.iter_mut().zip(&segment[segment_len - 1]) {
                *bytes = (u64::from_le_bytes(*bytes) ^ word).to_le_bytes();
            }
        }
        sum
    }

    /// Extends the memory to at least `blocks` blocks; new ones are zero.
    fn grow(&mut self, blocks: usize) {
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

/// Allocates `len` words; `None` if the system has too little memory. The words are zero, except on WASM: its allocator would
/// write all zeros at once, so there the vector is empty and has only the capacity.
fn allocate(len: usize) -> Option<Vec<u64>> {
    if cfg!(target_family = "wasm") {
        let mut words = Vec::new();
        return words.try_reserve_exact(len).is_ok().then_some(words);
    }
    allocate_zeros(len).map(Vec::from)
}

fn allocate_zeros(len: usize) -> Option<Box<[u64]>> {
    let layout = std::alloc::Layout::array::<u64>(len).ok().filter(|layout| layout.size() > 0)?;
    // SAFETY: the layout has a length.
    let at = unsafe { std::alloc::alloc_zeroed(layout) };
    if at.is_null() {
        return None;
    }
    request_huge_pages(at, layout.size());
    let words = std::ptr::slice_from_raw_parts_mut(at.cast(), len);
    // SAFETY: the allocator gave memory for `len` words of 0, with the layout of a `Box`, and nothing else points to it.
    Some(unsafe { Box::from_raw(words) })
}

/// Asks Linux for pages of 2 MiB. With pages of 4 KiB, filling 64 MiB spends a third of its time on page faults and on address
/// translation.
fn request_huge_pages(at: *mut u8, len: usize) {
    #[cfg(target_os = "linux")]
    {
        use rustix::mm::{Advice, madvise};
        const PAGE_LEN: usize = 2 << 20;
        let skipped = at.align_offset(PAGE_LEN);
        if let Some(pages @ 1..) = len.checked_sub(skipped).map(|len| len / PAGE_LEN) {
            // SAFETY: this advice changes no byte and no access right of the pages.
            _ = unsafe { madvise(at.wrapping_add(skipped).cast(), pages * PAGE_LEN, Advice::LinuxHugepage) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (at, len);
}

/// Runs the work on this thread and on `threads - 1` others. If a thread does not start, the others do its part.
fn run_on_threads(threads: usize, work: &(impl Fn() + Sync)) {
    std::thread::scope(|scope| {
        for _ in 1..threads {
            _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
}

/// A quarter of a lane, which is filled without waiting for other lanes.
struct Segment<'a> {
    kernel: Kernel,
    variant: Variant,
    pass: u32,
    passes: u32,
    lane: usize,
    slice: usize,
    lanes: usize,
    /// Blocks of each segment.
    len: usize,
    /// All segments that are allocated so far. The segment that is being filled is empty here, and those that other threads
    /// fill may be.
    others: &'a [&'a mut [Block]],
}

impl Segment<'_> {
    /// Fills the blocks in `range`; those before it are filled already.
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

    /// The reference block of the next one (RFC 9106 section 3.4). `done` are the blocks of this segment that are filled.
    fn reference<'b>(&'b self, random: u64, done: &'b [Block]) -> &'b Block {
        let segment_len = self.len;
        let is_first = self.pass == 0;
        let lane = if is_first && self.slice == 0 { self.lane } else { (random >> 32) as usize % self.lanes };
        let whole = if is_first { self.slice } else { SLICES - 1 } * segment_len;
        // In its own lane, any block but the previous one; in another lane any, but not the last one if this segment is empty.
        let area = if lane == self.lane { whole + done.len() - 1 } else { whole - usize::from(done.is_empty()) } as u64;
        let x = (random & 0xffff_ffff).pow(2) >> 32;
        let position = (area - 1 - (area * x >> 32)) as usize;
        let begin = if is_first { 0 } else { self.slice + 1 };
        let (slice, i) = ((begin + position / segment_len) % SLICES, position % segment_len);
        if lane == self.lane && slice == self.slice { &done[i] } else { &self.segment(lane, slice)[i] }
    }
}

/// The pseudo-random numbers of addresses that are independent of the password (RFC 9106 section 3.4.1.2).
struct Addresses {
    kernel: Kernel,
    input: Block,
    block: Block,
    first: usize,
}

impl Addresses {
    /// The addresses for a segment, from its block `first` on.
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

    /// The number for block `i`. Callers ask in ascending order.
    fn at(&mut self, i: usize) -> u64 {
        if i > self.first && i.is_multiple_of(WORDS) {
            self.next();
        }
        self.block[i % WORDS]
    }
}

/// Adds G of two blocks (RFC 9106 section 3.5) to `next`, which is zero in the first pass.
fn compress(kernel: Kernel, prev: &Block, reference: &Block, next: &mut Block) {
    match kernel {
        // A WASM module for browsers with vectors has no `Plain`, so the compiler leaves this kernel out, as it does for SM4.
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
