//! What a caller gets: objects, bytes, text, and errors.

use crate::arguments::Read;
use crate::numbers::NUMBERS;
use sealstone_engine::delivery::Delivery;
use sealstone_engine::hashing::Made;
use sealstone_engine::memory::Wiped;
use sealstone_engine::parts::Part;
use sealstone_engine::text::TextOrBytes;
use sealstone_engine::{Failure, guarded_of_users};
use std::collections::BTreeMap;
use std::ffi::{CString, c_char, c_int};
use std::mem::take;
use std::ptr::{null, null_mut};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use zeroize::Zeroizing;

/// Runs a function: null of success.
pub fn guard(work: impl FnOnce() -> Result<(), Failure>) -> *mut Error {
    guarded_of_users(work).map_or_else(|failure| Box::into_raw(Box::new(Error::from(failure))), |()| null_mut())
}

/// Fails where a result cannot be put.
fn check<T>(at: *mut T, name: &str) -> Read<()> {
    if at.is_null() {
        return Err(Failure::invalid_argument(format!("{name} is NULL")));
    }
    if !at.is_aligned() {
        return Err(Failure::invalid_argument(format!("{name} is not aligned")));
    }
    Ok(())
}

/// Where a result is put.
pub struct Place<T>(*mut T);

impl<T> Place<T> {
    /// Memory for a result, which is `nothing` until there is one.
    ///
    /// # Safety
    /// It is null, or memory for a `T` that only this call uses.
    pub unsafe fn of(at: *mut T, nothing: T, name: &str) -> Read<Self> {
        check(at, name)?;
        // SAFETY: as above.
        unsafe { at.write(nothing) };
        Ok(Self(at))
    }

    /// Puts the result.
    pub fn put(self, result: T) {
        // SAFETY: `of` has checked it.
        unsafe { self.0.write(result) };
    }
}

/// Where a structure of numbers is put, as much as a caller has of it.
pub struct PlaceOfSize<T>(*mut T, usize);

impl<T> PlaceOfSize<T> {
    /// # Safety
    /// It is null, or memory that begins with its size and has that, which only this call uses.
    pub unsafe fn of(at: *mut T, name: &str) -> Read<Self> {
        check(at, name)?;
        // SAFETY: as above.
        let size = unsafe { at.cast::<usize>().read() };
        if size < size_of::<usize>() {
            return Err(Failure::invalid_argument(format!(
                "{name} has no struct_size: set that to sizeof the structure"
            )));
        }
        Ok(Self(at, size))
    }

    /// Puts the result; its size is the caller's.
    pub fn put(self, result: &T) {
        let (from, head) = (std::ptr::from_ref(result).cast::<u8>(), size_of::<usize>());
        let len = self.1.min(size_of::<T>());
        // SAFETY: on both sides there are so many bytes.
        unsafe { std::ptr::copy_nonoverlapping(from.add(head), self.0.cast::<u8>().add(head), len - head) };
    }
}

/// An object, which lives until it is freed and no work keeps it.
pub fn hold<T>(object: T) -> *mut T {
    Arc::into_raw(Arc::new(object)).cast_mut()
}

/// Frees an object; nothing of null.
///
/// # Safety
/// [`hold`] made it, and it was not freed.
pub unsafe fn release<T>(object: *mut T) {
    if !object.is_null() {
        // A panic of its end is none of the caller's.
        _ = guarded_of_users(|| {
            // SAFETY: as above.
            drop(unsafe { Arc::from_raw(object.cast_const()) });
            Ok(())
        });
    }
}

/// Objects of one kind.
pub struct List<T>(Vec<Arc<T>>);

impl<T> From<Vec<T>> for List<T> {
    fn from(objects: Vec<T>) -> Self {
        Self(objects.into_iter().map(Arc::new).collect())
    }
}

/// How many there are.
///
/// # Safety
/// As of [`crate::arguments::object`].
pub unsafe fn count<T>(list: *const List<T>) -> usize {
    // SAFETY: as above.
    unsafe { list.as_ref() }.map_or(0, |list| list.0.len())
}

/// One of them, which lives as long as the list; null where there is none.
///
/// # Safety
/// As of [`crate::arguments::object`].
pub unsafe fn item<T>(list: *const List<T>, at: usize) -> *const T {
    // SAFETY: as above.
    unsafe { list.as_ref() }.and_then(|list| list.0.get(at)).map_or(null(), Arc::as_ptr)
}

/// Bytes, which are zeroed when they are freed. A zero byte is behind them, so that text is a string of C's.
pub struct Bytes {
    bytes: Zeroizing<Vec<u8>>,
    len: usize,
}

/// A result that becomes bytes.
pub trait IntoBytes {
    fn into_bytes(self) -> Bytes;
}

impl IntoBytes for Vec<u8> {
    fn into_bytes(self) -> Bytes {
        let mut all = Wiped(self);
        let len = all.0.len();
        if all.0.capacity() > len {
            all.0.push(0);
            return Bytes { bytes: Zeroizing::new(take(&mut all.0)), len };
        }
        // A push would leave the bytes behind in the memory that it gives back.
        let mut bytes = Zeroizing::new(Vec::with_capacity(len + 1));
        bytes.extend_from_slice(&all.0);
        bytes.push(0);
        Bytes { bytes, len }
    }
}

macro_rules! into_bytes {
    ($($type:ty: |$it:ident| $bytes:expr;)*) => { $(
        impl IntoBytes for $type {
            fn into_bytes(self) -> Bytes {
                #[allow(unused_mut)]
                let mut $it = self;
                let bytes: Vec<u8> = $bytes;
                bytes.into_bytes()
            }
        }
    )* };
}

into_bytes! {
    Zeroizing<Vec<u8>>: |it| take(&mut *it);
    String: |it| it.into_bytes();
    Zeroizing<String>: |it| take(&mut *it).into_bytes();
    Made: |it| it.as_bytes().to_vec();
    sealstone::mac::Tag: |it| it.as_bytes().to_vec();
    Delivery: |it| it.into_bytes();
}

impl IntoBytes for TextOrBytes {
    fn into_bytes(self) -> Bytes {
        match self {
            Self::Text(text) => text.into_bytes(),
            Self::Bytes(bytes) => bytes.into_bytes(),
        }
    }
}

/// Bytes to be freed by the caller.
pub fn bytes(result: impl IntoBytes) -> *mut Bytes {
    Box::into_raw(Box::new(result.into_bytes()))
}

/// Bytes; null where there are none.
pub fn bytes_if_any(result: Option<impl IntoBytes>) -> *mut Bytes {
    result.map_or(null_mut(), bytes)
}

/// A part, whose bytes come also with an error, which is about those behind them.
pub fn part(place: Place<*mut Bytes>, (result, error): Part) -> Read<()> {
    place.put(bytes(result));
    error.map_or(Ok(()), |error| Err(error.into()))
}

/// The bytes, or null of null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_bytes_data(bytes: *const Bytes) -> *const u8 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { bytes.as_ref() }.map_or(null(), |bytes| bytes.bytes.as_ptr())
}

/// How many they are, without the zero behind them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_bytes_len(bytes: *const Bytes) -> usize {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { bytes.as_ref() }.map_or(0, |bytes| bytes.len)
}

/// The bytes as a string of C's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_bytes_text(bytes: *const Bytes) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { sealstone_bytes_data(bytes) }.cast()
}

/// Zeroes the bytes, and frees them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_bytes_free(bytes: *mut Bytes) {
    if !bytes.is_null() {
        // SAFETY: the caller keeps the rules of the header.
        drop(unsafe { Box::from_raw(bytes) });
    }
}

/// Text of a record.
pub fn text(text: &str) -> CString {
    // No text of ours has a zero byte, but for a name that a file has.
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}

/// A name that the program has, as a string of C's, which lives for ever. There are some dozens.
pub fn name(name: &'static str) -> *const c_char {
    static NAMES: LazyLock<Mutex<BTreeMap<&'static str, CString>>> = LazyLock::new(Mutex::default);
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    names.entry(name).or_insert_with(|| text(name)).as_ptr()
}

/// An error.
pub struct Error {
    code: *const c_char,
    number: u32,
    message: CString,
    errno: c_int,
    chunk: u64,
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        let number = NUMBERS.iter().find(|(code, _)| *code == failure.code);
        Self {
            code: name(failure.code),
            number: number.map_or(0, |(_, number)| *number),
            message: text(&failure.message),
            errno: failure.errno.unwrap_or_default(),
            chunk: failure.chunk.unwrap_or(u64::MAX),
        }
    }
}

macro_rules! of_error {
    ($($function:ident: $type:ty = $nothing:expr, |$it:ident| $value:expr;)*) => { $(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $function(error: *const Error) -> $type {
            // SAFETY: the caller keeps the rules of the header.
            unsafe { error.as_ref() }.map_or($nothing, |$it| $value)
        }
    )* };
}

of_error! {
    sealstone_error_code: *const c_char = null(), |it| it.code;
    sealstone_error_number: u32 = 0, |it| it.number;
    sealstone_error_message: *const c_char = null(), |it| it.message.as_ptr();
    sealstone_error_errno: c_int = 0, |it| it.errno;
    sealstone_error_chunk: u64 = u64::MAX, |it| it.chunk;
}

/// Frees an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_error_free(error: *mut Error) {
    if !error.is_null() {
        // SAFETY: the caller keeps the rules of the header.
        drop(unsafe { Box::from_raw(error) });
    }
}
