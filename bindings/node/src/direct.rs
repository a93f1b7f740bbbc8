//! Exports that are called for every packet of a protocol, or for 50 bytes of text. What napi-rs puts around an export costs as much as
//! their work, so these read their arguments themselves.

use crate::boundary::guard;
use crate::memory::Memory;
use napi::bindgen_prelude::FromNapiValue;
use napi::sys;
use sealstone::Result;
use std::ffi::{CString, c_char};
use std::mem::MaybeUninit;
use std::{ptr, slice};
use zeroize::{Zeroize, Zeroizing};

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
const ARGUMENTS: usize = 5;
/// Bytes of text that lie on the stack.
const TEXT_LEN: usize = 1024;

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
        let (mut stack, mut len) = ([const { MaybeUninit::<u8>::uninit() }; TEXT_LEN], 0);
        // SAFETY: the value is one of the running call's, and there is room for as many bytes.
        let status = unsafe {
            let memory = stack.as_mut_ptr().cast();
            sys::napi_get_value_string_utf8(self.env, self.values[at], memory, TEXT_LEN, &raw mut len)
        };
        if status != sys::Status::napi_ok {
            return self.needed(at).read(work);
        }
        // A character has four bytes at the most, and none is cut; behind the last one is a zero.
        if len + 4 < TEXT_LEN {
            // SAFETY: as many bytes were written.
            let text = Wiped(unsafe { slice::from_raw_parts_mut(stack.as_mut_ptr().cast(), len) });
            return work(text.0);
        }
        // It has the beginning of the text.
        stack.as_mut_slice().zeroize();
        work(&self.long_text(at))
    }

    fn long_text(&self, at: usize) -> Zeroizing<Vec<u8>> {
        let mut len = 0;
        let (env, value) = (self.env, self.values[at]);
        // SAFETY: as in `data`: without memory the length alone is answered, without the zero that memory has to have room for.
        let status = unsafe { sys::napi_get_value_string_utf8(env, value, ptr::null_mut(), 0, &raw mut len) };
        assert_eq!(status, sys::Status::napi_ok, "direct: text has a length");
        let mut text = Zeroizing::new(vec![0; len + 1]);
        // SAFETY: as above.
        unsafe { sys::napi_get_value_string_utf8(env, value, text.as_mut_ptr().cast(), len + 1, &raw mut len) };
        text.truncate(len);
        text
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

/// Text on the stack, which is zeroed also where the work panics.
struct Wiped<'a>(&'a mut [u8]);

impl Drop for Wiped<'_> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// What makes a string of JavaScript's.
type CreateString = unsafe extern "C" fn(sys::napi_env, *const c_char, isize, *mut sys::napi_value) -> sys::napi_status;

impl Answer {
    /// Of an export that returns nothing.
    pub const NOTHING: Self = Self(ptr::null_mut());
}
