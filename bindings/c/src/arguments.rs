//! What a caller gives.

use sealstone::Error;
use sealstone_engine::memory::Moving;
use sealstone_engine::{Failure, Job, Wanted, files};
use std::ffi::{CStr, c_char};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::{ptr, slice};
use zeroize::Zeroize;

/// The result of reading an argument.
pub type Read<T> = Result<T, Failure>;

fn wrong<T>(name: &str, why: &str) -> Read<T> {
    Err(Failure::invalid_argument(format!("{name} {why}")))
}

/// An object.
///
/// # Safety
/// It is null, or an object of this type that was not freed, and is not while the result lives.
pub unsafe fn object<'a, T>(object: *const T, name: &str) -> Read<&'a T> {
    // SAFETY: as above.
    unsafe { object.as_ref() }.map_or_else(|| wrong(name, "is NULL"), Ok)
}

/// An object, for work that keeps it.
///
/// # Safety
/// As of [`object`].
pub unsafe fn shared<T>(object: *const T, name: &str) -> Read<Arc<T>> {
    if object.is_null() {
        return wrong(name, "is NULL");
    }
    // SAFETY: objects are those of `results::hold`, which an `Arc` has; so there is one more of it.
    unsafe {
        Arc::increment_strong_count(object);
        Ok(Arc::from_raw(object))
    }
}

/// Objects, whose pointers lie one behind the other.
///
/// # Safety
/// As of [`object`] and of [`numbers`].
pub unsafe fn objects<T>(at: *const *const T, count: usize, name: &str) -> Read<Vec<Arc<T>>> {
    // SAFETY: as above.
    unsafe { array(at, count, name)?.iter().map(|one| shared(*one, name)).collect() }
}

/// The job of work; where a caller has none, one that goes on to its end.
pub struct Watched(Arc<Job>);

impl Watched {
    /// # Safety
    /// As of [`object`].
    pub unsafe fn of(job: *const Wanted) -> Self {
        // SAFETY: as above.
        Self(unsafe { job.as_ref() }.map_or_else(|| Wanted::new().lasting_job(), Wanted::lasting_job))
    }

    pub fn get(&self) -> Arc<Job> {
        Arc::clone(&self.0)
    }
}

unsafe fn array<'a, T>(at: *const T, count: usize, name: &str) -> Read<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    if at.is_null() {
        return wrong(name, "is NULL, and its length is not 0");
    }
    if !at.is_aligned() {
        return wrong(name, "is not aligned");
    }
    if count.checked_mul(size_of::<T>()).is_none_or(|len| isize::try_from(len).is_err()) {
        return wrong(name, "has a length that no memory has");
    }
    // SAFETY: the caller has so many.
    Ok(unsafe { slice::from_raw_parts(at, count) })
}

/// Bytes.
///
/// # Safety
/// There are so many, and nothing writes to them while the result lives.
pub unsafe fn bytes<'a>(at: *const u8, len: usize, name: &str) -> Read<&'a [u8]> {
    // SAFETY: as above.
    unsafe { array(at, len, name) }
}

/// Bytes; none of a null pointer.
///
/// # Safety
/// As of [`bytes`].
pub unsafe fn optional_bytes<'a>(at: *const u8, len: usize, name: &str) -> Read<Option<&'a [u8]>> {
    if at.is_null() && len == 0 {
        return Ok(None);
    }
    // SAFETY: as above.
    unsafe { bytes(at, len, name) }.map(Some)
}

/// Numbers.
///
/// # Safety
/// As of [`bytes`].
pub unsafe fn numbers<'a>(at: *const u32, count: usize, name: &str) -> Read<&'a [u32]> {
    // SAFETY: as above.
    unsafe { array(at, count, name) }
}

/// Text that ends in a zero byte.
///
/// # Safety
/// It does, and nothing writes to it while the result lives.
pub unsafe fn text<'a>(at: *const c_char, name: &str) -> Read<&'a str> {
    // SAFETY: as above.
    unsafe { optional_text(at, name) }?.map_or_else(|| wrong(name, "is NULL"), Ok)
}

/// Text; none of a null pointer.
///
/// # Safety
/// As of [`text`].
pub unsafe fn optional_text<'a>(at: *const c_char, name: &str) -> Read<Option<&'a str>> {
    if at.is_null() {
        return Ok(None);
    }
    // SAFETY: as above.
    let text = unsafe { CStr::from_ptr(at) };
    text.to_str().map_or_else(|_| wrong(name, "is not UTF-8"), |text| Ok(Some(text)))
}

/// The name of a file.
///
/// # Safety
/// As of [`text`].
pub unsafe fn path(at: *const c_char, name: &str) -> Read<PathBuf> {
    // SAFETY: as above.
    unsafe { optional_path(at) }.map_or_else(|| wrong(name, "is NULL"), Ok)
}

/// The name of a file; none of a null pointer.
///
/// # Safety
/// As of [`text`].
pub unsafe fn optional_path(at: *const c_char) -> Option<PathBuf> {
    if at.is_null() {
        return None;
    }
    // SAFETY: as above.
    Some(files::path(unsafe { CStr::from_ptr(at) }.to_bytes()))
}

/// A number; none of 0.
pub fn optional_number<T: Default + PartialEq>(number: T) -> Option<T> {
    Some(number).filter(|number| *number != T::default())
}

/// `SEALSTONE_DEFAULT`, `SEALSTONE_YES` or `SEALSTONE_NO`.
pub fn choice(choice: u32, name: &str) -> Read<Option<bool>> {
    match choice {
        0 => Ok(None),
        1 => Ok(Some(true)),
        2 => Ok(Some(false)),
        _ => wrong(name, "is not SEALSTONE_DEFAULT, SEALSTONE_YES or SEALSTONE_NO"),
    }
}

/// Bytes of the longest structure that any header will have.
const OPTIONS_MAX_LEN: usize = 4096;

/// Options: a structure that begins with its size. Without them, and behind the end of those of an older header, all is zero. What a newer
/// header has behind ours has to be zero: an option that this library does not know is refused, and not ignored.
///
/// # Safety
/// It is null, or there are as many bytes as it says; and a `T` whose bytes are zero is one.
pub unsafe fn options<T>(at: *const T, name: &str) -> Read<T> {
    // SAFETY: a `T` may be zero.
    let mut options = unsafe { std::mem::zeroed::<T>() };
    if at.is_null() {
        return Ok(options);
    }
    if !at.is_aligned() {
        return wrong(name, "is not aligned");
    }
    // SAFETY: it begins with its size.
    let size = unsafe { at.cast::<usize>().read() };
    if size < size_of::<usize>() {
        return wrong(name, "has no struct_size: set that to sizeof the structure");
    }
    if size > OPTIONS_MAX_LEN {
        return wrong(name, "has another struct_size: set that to sizeof the structure");
    }
    // SAFETY: so many bytes are there.
    let unknown = (size_of::<T>()..size).any(|behind| unsafe { at.cast::<u8>().add(behind).read() } != 0);
    if unknown {
        return wrong(name, "has an option that this version does not know");
    }
    // SAFETY: so many bytes are there, on both sides.
    unsafe { ptr::copy_nonoverlapping(at.cast::<u8>(), (&raw mut options).cast(), size.min(size_of::<T>())) };
    Ok(options)
}

/// Memory of a result.
#[derive(Clone, Copy)]
pub struct Memory {
    at: *mut u8,
    len: usize,
}

impl Memory {
    /// # Safety
    /// There are so many bytes, and for the time of the call only this call uses them.
    pub unsafe fn new(at: *mut u8, len: usize, name: &str) -> Read<Self> {
        // SAFETY: of the length alone; it is not read.
        unsafe { array(at.cast_const(), len, name)? };
        Ok(Self { at: if len == 0 { ptr::dangling_mut() } else { at }, len })
    }

    /// Fails where bytes that are read lie in this memory.
    pub fn apart(self, name: &str, others: &[(&[u8], &str)]) -> Read<Self> {
        let own = self.at.addr()..self.at.addr() + self.len;
        let other = others.iter().find(|(bytes, _)| {
            let at = bytes.as_ptr().addr();
            !own.is_empty() && !bytes.is_empty() && at < own.end && own.start < at + bytes.len()
        });
        match other {
            Some((_, other)) => wrong(name, &format!("overlaps {other}")),
            None => Ok(self),
        }
    }

    /// Has `work` fill this memory, which is zero when that fails or panics.
    pub fn fill<T, E>(self, work: impl FnOnce(&mut [u8]) -> Result<T, E>) -> Result<T, E> {
        let unfinished = Unfinished(self);
        // SAFETY: only this call uses it, and nothing that is read lies in it.
        let done = work(unsafe { slice::from_raw_parts_mut(self.at, self.len) })?;
        std::mem::forget(unfinished);
        Ok(done)
    }

    /// Writes a result of the same length.
    pub fn write(self, result: &[u8], name: &str) -> Read<()> {
        if result.len() != self.len {
            let why = format!("has {} bytes, and the result has {}", self.len, result.len());
            return wrong(name, &why);
        }
        // SAFETY: the lengths are the same. The memory may be that of an argument, to which no reference is alive.
        unsafe { ptr::copy(result.as_ptr(), self.at, self.len) };
        Ok(())
    }

    /// Writes a result that may be shorter; returns its length.
    pub fn write_at_most(self, result: &[u8], name: &str) -> Read<usize> {
        if result.len() > self.len {
            let why = format!("has {} bytes, and the result has {}", self.len, result.len());
            return wrong(name, &why);
        }
        Self { len: result.len(), ..self }.write(result, name)?;
        Ok(result.len())
    }

    fn clear(self) {
        // SAFETY: only this call uses it, and no reference to it is alive.
        unsafe { slice::from_raw_parts_mut(self.at, self.len) }.zeroize();
    }
}

/// Memory that is zero where the work ends without a result.
struct Unfinished(Memory);

impl Drop for Unfinished {
    fn drop(&mut self) {
        self.0.clear();
    }
}

/// An input that moves to the memory of its result, which may be its own.
pub struct Moved {
    input: *const [u8],
    output: Memory,
}

impl Moved {
    /// # Safety
    /// The input is there, and nothing else writes to it, while this is.
    pub unsafe fn new(input: *const [u8], output: Memory) -> Self {
        Self { input, output }
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: it is there, and nothing has been written to the output yet.
        unsafe { &*self.input }
    }
}

impl Moving for Moved {
    fn input_len(&self) -> usize {
        self.input.len()
    }

    fn output_len(&self) -> usize {
        self.output.len
    }

    fn read(&self, at: usize, copy: &mut [u8]) {
        copy.copy_from_slice(&self.bytes()[at..][..copy.len()]);
    }

    fn with<T>(
        self,
        part: Range<usize>,
        before: usize,
        after: usize,
        work: impl FnOnce(&mut [u8]) -> sealstone::Result<T>,
    ) -> sealstone::Result<T> {
        let output = self.output;
        let was_there = output.apart("", &[(self.bytes(), "")]).is_err();
        let len = before + part.len() + after;
        if len > output.len {
            sealstone_engine::misused(format!("the memory of the result has {} bytes, and needs {len}", output.len));
        }
        let (from, part_len) = (self.bytes()[part.clone()].as_ptr(), part.len());
        // SAFETY: there is room for the part behind `before`, and the input, which may lie there, is not read after this.
        let bytes = unsafe {
            ptr::copy(from, output.at.add(before), part_len);
            slice::from_raw_parts_mut(output.at, len)
        };
        let unfinished = Unfinished(Memory { len, ..output });
        let done = work(bytes);
        std::mem::forget(unfinished);
        done.inspect_err(|error| {
            if matches!(error, Error::NotAuthentic { .. }) || !was_there {
                output.clear();
            }
        })
    }
}
