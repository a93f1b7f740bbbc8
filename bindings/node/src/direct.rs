//! Exports that are called for every packet of a protocol, or for 50 bytes of text. What napi-rs puts around an export costs as much as
//! their work, so these read their arguments themselves.

use crate::boundary::guard;
use crate::memory::Memory;
use napi::bindgen_prelude::FromNapiValue;
use napi::sys;
use sealstone::Result;
use sealstone_engine::numbers::short;
use std::ffi::{CString, c_char};
use std::mem::MaybeUninit;
use std::{ptr, slice};
use zeroize::optimization_barrier;

/// Exports by their names, and the functions of a [`Call`] that they are.
macro_rules! directs {
    ($exports:ident: $($name:literal = $work:path;)*) => { $({
        extern "C" fn export(env: napi::sys::napi_env, info: napi::sys::napi_callback_info) -> napi::sys::napi_value {
            crate::direct::run(env, info, $work)
        }
        $exports.create_named_method($name, export)?;
    })* };
}
pub(crate) use directs;

/// Arguments of such an export at the most.
const ARGUMENTS: usize = 6;
/// Bytes of the stack for text.
const TEXT_LEN: usize = 16 * 1024;
/// Bytes of a unit of UTF-16 in UTF-8 at the most. With room for as many V8 reads a text once; where it may not fit, twice.
const UNIT_LEN: usize = 3;
/// Units of a text for which there is that much room: for a longer one, as much as its bytes.
const UNITS_MAX: usize = 1 << 21;

/// A running call.
pub struct Call {
    env: sys::napi_env,
    values: [sys::napi_value; ARGUMENTS],
}

/// What a call answers.
pub struct Answer(sys::napi_value);

/// Runs an export; an error is thrown, and nothing is returned.
pub fn run(
    env: sys::napi_env,
    info: sys::napi_callback_info,
    work: impl FnOnce(&Call) -> Result<Answer>,
) -> sys::napi_value {
    let done = guard(|| {
        let (mut values, mut count) = ([ptr::null_mut(); ARGUMENTS], ARGUMENTS);
        // SAFETY: both are those of the running call, and there is room for `count` values; those not passed are `undefined`.
        let status = unsafe {
            sys::napi_get_cb_info(env, info, &raw mut count, values.as_mut_ptr(), ptr::null_mut(), ptr::null_mut())
        };
        assert_eq!(status, sys::Status::napi_ok, "direct: there is a call");
        work(&Call { env, values })
    });
    done.map_or_else(
        |error| {
            let texts = [error.status, error.reason.as_str()].map(|text| CString::new(text).unwrap_or_default());
            // SAFETY: `env` is that of the running call, and the texts end in a zero byte.
            unsafe { sys::napi_throw_error(env, texts[0].as_ptr(), texts[1].as_ptr()) };
            ptr::null_mut()
        },
        |Answer(value)| value,
    )
}

impl Call {
    /// A whole number; also of an object.
    pub fn number(&self, at: usize) -> u32 {
        // SAFETY: the value is one of the running call's.
        unsafe { u32::from_napi_value(self.env, self.values[at]) }.expect("direct: an argument is no number")
    }

    pub fn flag(&self, at: usize) -> bool {
        // SAFETY: the value is one of the running call's.
        unsafe { bool::from_napi_value(self.env, self.values[at]) }.expect("direct: an argument is no boolean")
    }

    /// Of a `Uint8Array`; nothing of `undefined`.
    pub fn memory(&self, at: usize) -> Option<Memory> {
        // SAFETY: the value is one of the running call's.
        unsafe { Memory::of(self.env, self.values[at]) }.or_else(|| {
            let mut kind = 0;
            // SAFETY: as above.
            let status = unsafe { sys::napi_typeof(self.env, self.values[at], &raw mut kind) };
            let is_undefined = status == sys::Status::napi_ok && kind == sys::ValueType::napi_undefined;
            assert!(is_undefined, "direct: an argument is no Uint8Array");
            None
        })
    }

    pub fn needed(&self, at: usize) -> Memory {
        self.memory(at).expect("direct: an argument is missing")
    }

    /// Works on the bytes of a `Uint8Array`; on nothing of `undefined`. The work writes to no memory of the call's.
    pub fn bytes<T>(&self, at: usize, work: impl FnOnce(Option<&[u8]>) -> T) -> T {
        match self.memory(at) {
            Some(memory) => memory.read(|bytes| work(Some(bytes))),
            None => work(None),
        }
    }

    /// A boolean; nothing of anything else.
    pub fn choice(&self, at: usize) -> Option<bool> {
        let mut choice = false;
        // SAFETY: the value is one of the running call's.
        let status = unsafe { sys::napi_get_value_bool(self.env, self.values[at], &raw mut choice) };
        (status == sys::Status::napi_ok).then_some(choice)
    }

    /// Works on the bytes of a `Uint8Array`, or on the UTF-8 of text, which is zeroed then. The work writes to no memory of the call's.
    pub fn data<T>(&self, at: usize, work: impl FnOnce(&[u8]) -> T) -> T {
        let (env, value, mut units) = (self.env, self.values[at], 0);
        // SAFETY: the value is one of the running call's; without memory the length alone is answered. V8 knows it: it reads no text.
        let status = unsafe { sys::napi_get_value_string_utf16(env, value, ptr::null_mut(), 0, &raw mut units) };
        if status != sys::Status::napi_ok {
            return self.needed(at).read(work);
        }
        let room = if units <= UNITS_MAX { UNIT_LEN * units } else { self.text_len(at) } + 1;
        if room <= TEXT_LEN {
            return work(self.text_into(at, &mut [const { MaybeUninit::uninit() }; TEXT_LEN]).0);
        }
        work(self.text_into(at, Vec::with_capacity(room).spare_capacity_mut()).0)
    }

    /// Bytes of text, all of which V8 reads for that.
    fn text_len(&self, at: usize) -> usize {
        let mut len = 0;
        // SAFETY: as in `data`.
        let status =
            unsafe { sys::napi_get_value_string_utf8(self.env, self.values[at], ptr::null_mut(), 0, &raw mut len) };
        assert_eq!(status, sys::Status::napi_ok, "direct: text has a length");
        len
    }

    /// Text, in memory that has room for it and for the zero that is put behind it.
    fn text_into<'a>(&self, at: usize, memory: &'a mut [MaybeUninit<u8>]) -> Wiped<'a> {
        let (text, mut len) = (memory.as_mut_ptr().cast::<u8>(), 0);
        // SAFETY: the value is one of the running call's, and there is room for as many bytes.
        let status = unsafe {
            sys::napi_get_value_string_utf8(self.env, self.values[at], text.cast(), memory.len(), &raw mut len)
        };
        assert_eq!(status, sys::Status::napi_ok, "direct: text is read");
        // SAFETY: so many bytes were written.
        Wiped(unsafe { slice::from_raw_parts_mut(text, len) })
    }

    /// A length of what is never long.
    pub fn count(&self, len: usize) -> Answer {
        let mut value = ptr::null_mut();
        // SAFETY: `env` is that of the running call.
        let status = unsafe { sys::napi_create_uint32(self.env, short(len), &raw mut value) };
        assert_eq!(status, sys::Status::napi_ok, "direct: a number is made");
        Answer(value)
    }

    /// Text of ASCII characters.
    pub fn ascii(&self, text: &str) -> Answer {
        self.answer(text, sys::napi_create_string_latin1)
    }

    /// Text of any characters.
    pub fn text(&self, text: &str) -> Answer {
        if text.is_ascii() { self.ascii(text) } else { self.answer(text, sys::napi_create_string_utf8) }
    }

    fn answer(&self, text: &str, create: CreateString) -> Answer {
        let (len, mut value) = (isize::try_from(text.len()).expect("direct: text is in memory"), ptr::null_mut());
        // SAFETY: `env` is that of the running call, and so many bytes are there: characters of the encoding that this reads.
        let status = unsafe { create(self.env, text.as_ptr().cast(), len, &raw mut value) };
        assert_eq!(status, sys::Status::napi_ok, "direct: there is room for a text");
        Answer(value)
    }
}

/// Text, which is zeroed also where the work panics.
struct Wiped<'a>(&'a mut [u8]);

impl Drop for Wiped<'_> {
    fn drop(&mut self) {
        // All at once: `zeroize` writes byte by byte, which takes half as long as SHA-256.
        self.0.fill(0);
        optimization_barrier(self.0);
    }
}

/// What makes a string of JavaScript's.
type CreateString = unsafe extern "C" fn(sys::napi_env, *const c_char, isize, *mut sys::napi_value) -> sys::napi_status;

impl Answer {
    /// Of an export that returns nothing.
    pub const NOTHING: Self = Self(ptr::null_mut());
}
