//! Memory of JavaScript's, for the length of a call.
//!
//! Typed arrays stay where they are while no JavaScript runs, so a pointer to one holds until the call returns. A call may share
//! them with threads that it joins before it returns (core's `file/parts.rs`), each of which has other bytes. Arrays over shared
//! memory, which other threads could write to, do not pass our JavaScript. What is left to be careful about is that two arguments
//! may be views of the same memory: here an output is never borrowed while anything that overlaps it is.

use napi::bindgen_prelude::FromNapiValue;
use napi::{Error, Status, sys};
use std::borrow::Cow;
use std::{ptr, slice};
use zeroize::Zeroize;

/// Where an argument lies. It is used within the call only.
#[derive(Clone, Copy)]
pub struct Memory {
    at: *mut u8,
    pub len: usize,
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
        is_bytes.then(|| Self { at: if len == 0 { ptr::dangling_mut() } else { at.cast() }, len })
    }

    pub fn split_at(self, len: usize) -> Option<(Self, Self)> {
        let rest = self.len.checked_sub(len)?;
        Some((Self { at: self.at, len }, Self { at: self.at.wrapping_add(len), len: rest }))
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

    /// Works on this memory and on an output of the same call.
    /// It panics when they share memory; our JavaScript has copied the input then.
    pub fn apart<T>(self, output: Self, work: impl FnOnce(&[u8], &mut [u8]) -> T) -> T {
        assert!(!self.overlaps(output), "memory: an input and an output overlap");
        let output = output.to_fill();
        // SAFETY: see the module. Nothing else refers to the output, since the input lies apart from it.
        unsafe { work(slice::from_raw_parts(self.at, self.len), slice::from_raw_parts_mut(output.at, output.len)) }
    }
}
