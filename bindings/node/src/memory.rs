//! Memory of JavaScript's, for the length of a call, or of work on a result that JavaScript does not show yet.
//!
//! Typed arrays stay where they are while no JavaScript runs, so a pointer to one holds until the call returns. A call may share
//! them with threads that it joins before it returns (core's `file/parts.rs`), each of which has other bytes. Arrays over shared
//! memory, which other threads could write to, do not pass our JavaScript. The danger that is left is that two arguments
//! may be views of the same memory: here an output is never borrowed while anything that overlaps it is.
//!
//! A result that comes in parts is memory that the export `memory` made. Our JavaScript keeps it to itself until all work on it has ended, so
//! no other code can read it, write to it or transfer it away; and each promise of such work has it as a property, since the engine keeps
//! a promise's properties alive until it is settled.

use napi::sys;
use sealstone::Error;
use sealstone_engine::memory::{Lending, Moving};
use sealstone_engine::{Lender, Loan};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::ops::{Deref, Range};
use std::sync::Arc;
use std::{ptr, slice};
use zeroize::{Zeroize, Zeroizing};

/// Where an argument lies. It is used within the call only.
#[derive(Clone, Copy)]
pub struct Memory {
    at: *mut u8,
    pub len: usize,
    env: sys::napi_env,
}

impl Memory {
    /// Of a `Uint8Array`.
    ///
    /// # Safety
    /// The value is one of the running call's.
    pub unsafe fn of(env: sys::napi_env, value: sys::napi_value) -> Option<Self> {
        let (mut kind, mut len, mut at) = (0, 0, ptr::null_mut());
        // SAFETY: as above, and unused outputs may be null.
        let status = unsafe {
            let (kind, len, at) = (&raw mut kind, &raw mut len, &raw mut at);
            sys::napi_get_typedarray_info(env, value, kind, len, at, ptr::null_mut(), ptr::null_mut())
        };
        let is_bytes = status == sys::Status::napi_ok && kind == sys::TypedarrayType::uint8_array;
        // Of an empty one the pointer may be anything.
        is_bytes.then(|| Self { at: if len == 0 { ptr::dangling_mut() } else { at.cast() }, len, env })
    }

    pub fn split_at(self, len: usize) -> Option<(Self, Self)> {
        let rest = self.len.checked_sub(len)?;
        Some((Self { len, ..self }, Self { at: self.at.wrapping_add(len), len: rest, ..self }))
    }

    /// A part of this memory, as long as `len`.
    /// It panics when there is none. Our JavaScript made it so, of lengths that a caller may have had its own getters for.
    pub fn part(self, at: usize, len: usize) -> Self {
        let rest = self.split_at(at).and_then(|(_, rest)| rest.split_at(len));
        rest.expect("memory: an output is too short").0
    }

    /// This memory, all of which will be written. Where that is much, Linux is asked for pages of 2 MiB: to give a hundred MiB of
    /// new memory 4 KiB at a time takes it longer than sealing takes us.
    pub fn to_fill(self) -> Self {
        const PAGE_LEN: usize = 2 << 20;
        let skipped = self.at.align_offset(PAGE_LEN);
        #[cfg(target_os = "linux")]
        if let Some(pages @ 1..) = self.len.checked_sub(skipped).map(|len| len / PAGE_LEN) {
            use rustix::mm::{Advice, madvise};
            // SAFETY: this advice changes no byte and no right of access, whatever lies there.
            _ = unsafe { madvise(self.at.wrapping_add(skipped).cast(), pages * PAGE_LEN, Advice::LinuxHugepage) };
        }
        self
    }

    pub fn overlaps(self, other: Self) -> bool {
        let (a, b) = (self.at.addr(), other.at.addr());
        self.len > 0 && other.len > 0 && a < b + other.len && b < a + self.len
    }

    /// These bytes, while a running call is borrowed and nothing is written to them.
    pub fn bytes<C>(self, _: &C) -> &[u8] {
        // SAFETY: see the module. No export writes while it reads so, and they stay where they are during the call.
        unsafe { slice::from_raw_parts(self.at, self.len) }
    }

    /// These bytes, to be read while `output` is written to: a copy if they are a part of it. It is made before the export refers to
    /// the output.
    pub fn beside<C>(self, output: Self, _: &C) -> Beside<'_> {
        // SAFETY: see the module. It is a whole typed array or a part of one, and where `output` overlaps it the borrow ends here.
        let bytes = unsafe { slice::from_raw_parts(self.at, self.len) };
        if self.overlaps(output) { Beside::Copied(Zeroizing::new(bytes.to_vec())) } else { Beside::Read(bytes) }
    }

    /// Has `work` write to this memory, which is zero when that panics.
    pub fn with<T>(self, work: impl FnOnce(&mut [u8]) -> T) -> T {
        let memory = self.to_fill();
        let unfinished = Unfinished(memory);
        // SAFETY: see the module. No reference into it is alive: all that is read was read before, or lies apart.
        let result = work(unsafe { slice::from_raw_parts_mut(memory.at, memory.len) });
        std::mem::forget(unfinished);
        result
    }

    /// Has `work` fill this memory, which is zero when that fails.
    pub fn fill<T, E>(self, work: impl FnOnce(&mut [u8]) -> Result<T, E>) -> Result<T, E> {
        self.with(|bytes| work(bytes).inspect_err(|_| bytes.zeroize()))
    }

    /// Fills this memory with zeros.
    pub fn clear(self) {
        // SAFETY: see the module. No reference into it is alive.
        unsafe { slice::from_raw_parts_mut(self.at, self.len) }.zeroize();
    }

    /// Fills this memory.
    /// It panics when the lengths differ.
    pub fn write(self, bytes: &[u8]) {
        assert_eq!(self.len, bytes.len(), "memory: an output has the wrong length");
        // SAFETY: see the module. The lengths are the same, and no reference into it is alive.
        unsafe { ptr::copy(bytes.as_ptr(), self.at, self.len) };
    }
}

/// Bytes that are read beside an output.
pub enum Beside<'a> {
    Read(&'a [u8]),
    Copied(Zeroizing<Vec<u8>>),
}

impl Deref for Beside<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Read(bytes) => bytes,
            Self::Copied(bytes) => bytes,
        }
    }
}

/// An output that is zeroed where a panic leaves it unfinished.
struct Unfinished(Memory);

impl Drop for Unfinished {
    fn drop(&mut self) {
        self.0.clear();
    }
}

/// An input, and memory for its result.
pub struct Moved {
    input: Memory,
    output: Memory,
}

impl Moved {
    pub fn new(input: Memory, output: Memory) -> Self {
        Self { input, output }
    }
}

impl Moving for Moved {
    fn input_len(&self) -> usize {
        self.input.len
    }

    fn output_len(&self) -> usize {
        self.output.len
    }

    fn read(&self, at: usize, copy: &mut [u8]) {
        let from = self.input.part(at, copy.len());
        // SAFETY: see the module. There are as many bytes, and no other code has the copy.
        unsafe { ptr::copy_nonoverlapping(from.at, copy.as_mut_ptr(), from.len) };
    }

    fn with<T>(
        self,
        part: Range<usize>,
        before: usize,
        after: usize,
        work: impl FnOnce(&mut [u8]) -> sealstone::Result<T>,
    ) -> sealstone::Result<T> {
        let Self { input, output } = self;
        let was_there = output.overlaps(input);
        let (part, output_part) =
            (input.part(part.start, part.len()), output.part(0, before + part.len() + after).to_fill());
        // SAFETY: see the module. There is room for the part behind `before`, and no reference to either is alive: `beside` gives none
        // into an output.
        let bytes = unsafe {
            ptr::copy(part.at, output_part.at.add(before), part.len);
            slice::from_raw_parts_mut(output_part.at, output_part.len)
        };
        let unfinished = Unfinished(output_part);
        let done = work(bytes);
        std::mem::forget(unfinished);
        done.inspect_err(|error| {
            if matches!(error, Error::NotAuthentic { .. }) || !was_there {
                output.clear();
            }
        })
    }
}

impl Lending for Memory {
    type Lent = Lent;

    fn lend<T>(
        self,
        at: usize,
        place: impl FnOnce(&mut [u8]) -> sealstone::Result<Option<(T, Range<usize>)>>,
    ) -> sealstone::Result<Option<(T, Lent)>> {
        let (_, rest) = self.to_fill().split_at(at).expect("memory: an output is too short");
        // SAFETY: see the module. Of the bytes from `at` on none is lent.
        let placed = place(unsafe { slice::from_raw_parts_mut(rest.at, rest.len) })?;
        let lent = |range: Range<usize>| Lent { memory: rest.part(range.start, range.len()), _loan: loan(self.env) };
        Ok(placed.map(|(it, range)| (it, lent(range))))
    }

    fn lend_all(self) -> Lent {
        Lent { memory: self, _loan: loan(self.env) }
    }
}

/// A part of a result, for work of another thread after the call. Its environment does not end before it is given back.
pub struct Lent {
    memory: Memory,
    _loan: Loan,
}

// SAFETY: nothing else uses the bytes until they are given back, and the environment, which has them, outlives that.
unsafe impl Send for Lent {}

impl AsMut<[u8]> for Lent {
    fn as_mut(&mut self) -> &mut [u8] {
        // SAFETY: as for `Send`.
        unsafe { slice::from_raw_parts_mut(self.memory.at, self.memory.len) }
    }
}

thread_local! {
    static LENDERS: RefCell<HashMap<usize, Arc<Lender>>> = RefCell::default();
}

/// Lends memory of an environment, whose end waits for it.
fn loan(env: sys::napi_env) -> Loan {
    extern "C" fn wait(lender: *mut c_void) {
        // SAFETY: it is the one of below, of which only this code makes an `Arc`.
        unsafe { Arc::from_raw(lender.cast::<Lender>()) }.wait();
        // Another environment may come to have the address of this one.
        _ = LENDERS.try_with(|lenders| lenders.borrow_mut().clear());
    }
    LENDERS.with_borrow_mut(|lenders| {
        let lender = lenders.entry(env.addr()).or_insert_with(|| {
            let lender = Arc::new(Lender::default());
            let waiting = Arc::into_raw(Arc::clone(&lender)).cast_mut().cast();
            // SAFETY: this is the environment's thread. Node calls it once, with this pointer, while JavaScript's memory is there.
            unsafe { sys::napi_add_env_cleanup_hook(env, Some(wait), waiting) };
            lender
        });
        lender.lend()
    })
}
