//! Memory of JavaScript's, for the length of a call, or of work on a result that JavaScript shows to nobody yet.
//!
//! Typed arrays stay where they are while no JavaScript runs, so a pointer to one holds until the call returns. A call may share
//! them with threads that it joins before it returns (core's `file/parts.rs`), each of which has other bytes. Arrays over shared
//! memory, which other threads could write to, do not pass our JavaScript. What is left to be careful about is that two arguments
//! may be views of the same memory: here an output is never borrowed while anything that overlaps it is.
//!
//! A result that comes in parts is memory that `Fresh` made. Our JavaScript keeps it to itself until all work on it has ended, so
//! nobody else can read it, write to it or transfer it away; and each promise of such work has it as a property, since the engine keeps
//! alive what only a promise that is not settled refers to.

use napi::bindgen_prelude::FromNapiValue;
use napi::{Error, Status, sys};
use sealstone_engine::{Lender, Loan};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;
use std::{ptr, slice};
use zeroize::Zeroize;

/// Where an argument lies. It is used within the call only.
#[derive(Clone, Copy)]
pub struct Memory {
    at: *mut u8,
    pub len: usize,
    env: sys::napi_env,
}

impl FromNapiValue for Memory {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> napi::Result<Self> {
        // SAFETY: as here.
        unsafe { Self::of(env, value) }.ok_or_else(|| Error::new(Status::InvalidArg, "memory: it is no Uint8Array"))
    }
}

impl Memory {
    /// Of a `Uint8Array`.
    ///
    /// # Safety
    /// The value is one of the running call's.
    pub unsafe fn of(env: sys::napi_env, value: sys::napi_value) -> Option<Self> {
        let (mut kind, mut len, mut at) = (0, 0, ptr::null_mut());
        // SAFETY: as above, and what is not wanted may be null.
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

    /// What is before the last bytes, and a copy of those.
    pub fn split_last<const N: usize>(self) -> Option<(Self, [u8; N])> {
        let (rest, last) = self.split_at(self.len.checked_sub(N)?)?;
        let mut copy = [0; N];
        // SAFETY: see the module. There are `N` bytes, and nobody else has the copy.
        unsafe { ptr::copy_nonoverlapping(last.at, copy.as_mut_ptr(), N) };
        Some((rest, copy))
    }

    /// A part of this memory, as long as `len`.
    /// It panics when there is none, as [`with_moved`](Self::with_moved).
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

    /// These bytes, while nothing is written to them.
    pub fn read<T>(self, work: impl FnOnce(&[u8]) -> T) -> T {
        // SAFETY: see the module. No export writes while it reads so.
        work(unsafe { slice::from_raw_parts(self.at, self.len) })
    }

    /// These bytes, to be read while `output` is written to: a copy if they are a part of it.
    pub fn beside<'a>(self, output: Self) -> Cow<'a, [u8]> {
        // SAFETY: see the module. It is a whole typed array or a part of one, and where `output` overlaps it the borrow ends here.
        let bytes = unsafe { slice::from_raw_parts(self.at, self.len) };
        if self.overlaps(output) { Cow::Owned(bytes.to_vec()) } else { Cow::Borrowed(bytes) }
    }

    /// Works on this memory with the bytes of `input` moved into it, behind the first `before` and with `after` behind them. They
    /// may have been a part of it. When the work fails, nothing of an input that was not is left there.
    /// It panics when that is not its length. Our JavaScript made it so, of lengths that a caller may have had its own getters for.
    pub fn with_moved<T>(
        self,
        input: Self,
        before: usize,
        after: usize,
        work: impl FnOnce(&mut [u8]) -> sealstone::Result<T>,
    ) -> sealstone::Result<T> {
        let needed = before.checked_add(input.len).and_then(|len| len.checked_add(after));
        assert_eq!(needed, Some(self.len), "memory: an output has the wrong length");
        let was_there = self.to_fill().overlaps(input);
        // SAFETY: see the module. There is room for the input behind `before`, as was just checked, and no reference to either
        // is alive: `beside` gives none into an output.
        let output = unsafe {
            ptr::copy(input.at, self.at.add(before), input.len);
            slice::from_raw_parts_mut(self.at, self.len)
        };
        let done = work(output);
        if done.is_err() && !was_there {
            output.zeroize();
        }
        done
    }

    /// Has `work` fill this memory, which is zero when that fails.
    pub fn fill(self, work: impl FnOnce(&mut [u8]) -> sealstone::Result<()>) -> sealstone::Result<()> {
        // SAFETY: see the module. No reference into it is alive.
        let bytes = unsafe { slice::from_raw_parts_mut(self.at, self.len) };
        work(bytes).inspect_err(|_| bytes.zeroize())
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

    /// Has `place` put something into this memory, a result's that JavaScript shows to nobody yet, without its first `at` bytes, which
    /// may be lent already; lends what that says.
    /// It panics when there are not as many.
    pub fn lend<T>(
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

    /// Lends all of this memory, a result's that JavaScript shows to nobody yet and that has been filled.
    pub fn lend_all(self) -> Lent {
        Lent { memory: self, _loan: loan(self.env) }
    }

    /// Works on this memory and on an output of the same call.
    /// It panics when they share memory; our JavaScript has copied the input then.
    pub fn apart<T>(self, output: Self, work: impl FnOnce(&[u8], &mut [u8]) -> T) -> T {
        assert!(!self.overlaps(output), "memory: an input and an output overlap");
        let output = output.to_fill();
        // SAFETY: see the module. Nothing else refers to the output, since the input lies apart from it.
        unsafe { work(slice::from_raw_parts(self.at, self.len), slice::from_raw_parts_mut(output.at, output.len)) }
    }
}

/// A part of a result, for work of another thread after the call. Its environment does not end before it is given back.
pub struct Lent {
    memory: Memory,
    _loan: Loan,
}

// SAFETY: nobody else uses the bytes until they are given back, and the environment, which has them, outlives that.
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
        // SAFETY: it is the one of below, of which nobody else makes an `Arc`.
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
