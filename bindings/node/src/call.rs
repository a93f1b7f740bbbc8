//! A running call: its arguments. It reads them itself: napi-rs's wrapper of an export costs as much as the work of one that is called
//! for every packet of a protocol, or for 50 bytes of text.

use crate::answer::{Answer, Env, Returned, Value};
use crate::memory::Memory;
use napi::bindgen_prelude::{FromNapiValue, JsValue, Uint32ArraySlice};
use napi::sys;
use sealstone_engine::numbers::length;
use sealstone_engine::{Failure, Work, guarded};
use std::ffi::{CString, c_void};
use std::mem::{MaybeUninit, transmute};
use std::{ptr, slice};
use zeroize::{Zeroizing, optimization_barrier};

/// An export.
pub type Export = fn(&Call) -> Returned;

/// Arguments of a call at the most.
const ARGUMENTS: usize = 12;
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

/// Gives JavaScript a function of a name.
pub fn register(env: sys::napi_env, exports: sys::napi_value, name: &str, export: Export) {
    let (mut function, name) = (ptr::null_mut(), CString::new(name).expect("call: a name has no zero byte"));
    // SAFETY: these are of the running call, and `run` reads the pointer as an `Export`.
    let status = unsafe {
        let data = export as *mut c_void;
        let created =
            sys::napi_create_function(env, name.as_ptr(), length_of(&name), Some(run), data, &raw mut function);
        if created == sys::Status::napi_ok {
            sys::napi_set_named_property(env, exports, name.as_ptr(), function)
        } else {
            created
        }
    };
    assert_eq!(status, sys::Status::napi_ok, "call: an export is registered");
}

fn length_of(name: &CString) -> isize {
    isize::try_from(name.as_bytes().len()).expect("call: a name is short")
}

/// Runs an export; a failure is thrown, and nothing is returned.
extern "C" fn run(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    let done = guarded(|| {
        // Node writes the values where they are read. To move them costs a tenth of a call with 50 bytes: the CPU reads in twos what was just
        // written one by one, and waits for that.
        let mut call = Call { env, values: [ptr::null_mut(); ARGUMENTS] };
        let (values, mut count, mut data) = (call.values.as_mut_ptr(), ARGUMENTS, ptr::null_mut());
        // SAFETY: both are those of the running call, and there is room for `count` values; those not passed are `undefined`.
        let status =
            unsafe { sys::napi_get_cb_info(env, info, &raw mut count, values, ptr::null_mut(), &raw mut data) };
        assert_eq!(status, sys::Status::napi_ok, "call: there is a call");
        // SAFETY: `register` made it of an export.
        let export = unsafe { transmute::<*mut c_void, Export>(data) };
        export(&call)
    });
    done.map_or_else(
        |failure| {
            throw(env, &failure);
            ptr::null_mut()
        },
        |Value(value)| value,
    )
}

/// Throws JavaScript's error, unless the engine's own is to be thrown already.
fn throw(env: sys::napi_env, failure: &Failure) {
    let texts =
        [failure.code, &failure.message].map(|text| CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default());
    let mut is_pending = false;
    // SAFETY: `env` is that of the running call, and the texts end in a zero byte.
    unsafe {
        sys::napi_is_exception_pending(env, &raw mut is_pending);
        if !is_pending {
            sys::napi_throw_error(env, texts[0].as_ptr(), texts[1].as_ptr());
        }
    }
}

impl Call {
    /// The environment of the call.
    pub fn env(&self) -> Env {
        Env(self.env)
    }

    /// An argument as it is.
    pub fn value(&self, at: usize) -> sys::napi_value {
        self.values[at]
    }

    /// A whole number of 32 bits; also of an object.
    pub fn number(&self, at: usize) -> u32 {
        let mut number = 0;
        // SAFETY: the value is one of the running call's.
        let status = unsafe { sys::napi_get_value_uint32(self.env, self.values[at], &raw mut number) };
        assert!(status == sys::Status::napi_ok, "call: an argument is no number");
        number
    }

    /// As [`number`](Self::number); nothing of `undefined`.
    pub fn optional_number(&self, at: usize) -> Option<u32> {
        (!self.is_undefined(at)).then(|| self.number(at))
    }

    /// A length.
    pub fn length(&self, at: usize) -> u64 {
        let mut number = 0.0;
        // SAFETY: the value is one of the running call's.
        let status = unsafe { sys::napi_get_value_double(self.env, self.values[at], &raw mut number) };
        assert!(status == sys::Status::napi_ok, "call: an argument is no number");
        length(number)
    }

    /// The length of memory; a length that no memory has is one that is too long.
    pub fn size(&self, at: usize) -> usize {
        usize::try_from(self.length(at)).unwrap_or(usize::MAX)
    }

    pub fn flag(&self, at: usize) -> bool {
        self.boolean(at).expect("call: an argument is no boolean")
    }

    /// A boolean; nothing of `undefined`.
    pub fn choice(&self, at: usize) -> Option<bool> {
        let choice = self.boolean(at);
        assert!(choice.is_some() || self.is_undefined(at), "call: an argument is no boolean");
        choice
    }

    fn boolean(&self, at: usize) -> Option<bool> {
        let mut boolean = false;
        // SAFETY: the value is one of the running call's.
        let status = unsafe { sys::napi_get_value_bool(self.env, self.values[at], &raw mut boolean) };
        (status == sys::Status::napi_ok).then_some(boolean)
    }

    fn is_undefined(&self, at: usize) -> bool {
        let mut kind = 0;
        // SAFETY: the value is one of the running call's.
        let status = unsafe { sys::napi_typeof(self.env, self.values[at], &raw mut kind) };
        status == sys::Status::napi_ok && kind == sys::ValueType::napi_undefined
    }

    /// A text, which is zeroed. For data, which may be long, there is [`data`](Self::data).
    pub fn string(&self, at: usize) -> Zeroizing<String> {
        self.data(at, |text| Zeroizing::new(str::from_utf8(text).expect("call: text is UTF-8").to_owned()))
    }

    /// As [`string`](Self::string); nothing of `undefined`.
    pub fn optional_string(&self, at: usize) -> Option<Zeroizing<String>> {
        (!self.is_undefined(at)).then(|| self.string(at))
    }

    /// Of a `Uint8Array`.
    pub fn memory(&self, at: usize) -> Memory {
        self.optional(at).expect("call: an argument is missing")
    }

    /// Of a `Uint8Array`; nothing of `undefined`.
    pub fn optional(&self, at: usize) -> Option<Memory> {
        // SAFETY: the value is one of the running call's.
        unsafe { Memory::of(self.env, self.values[at]) }.or_else(|| {
            assert!(self.is_undefined(at), "call: an argument is no Uint8Array");
            None
        })
    }

    /// The bytes of a `Uint8Array`. The export writes to no memory of the call's while it has them.
    pub fn bytes(&self, at: usize) -> &[u8] {
        self.memory(at).bytes(self)
    }

    /// As [`bytes`](Self::bytes); nothing of `undefined`.
    pub fn optional_bytes(&self, at: usize) -> Option<&[u8]> {
        self.optional(at).map(|memory| memory.bytes(self))
    }

    /// The numbers of a `Uint32Array`.
    pub fn lengths(&self, at: usize) -> Vec<u32> {
        // SAFETY: the value is one of the running call's.
        let numbers = unsafe { Uint32ArraySlice::from_napi_value(self.env, self.values[at]) };
        numbers.expect("call: an argument is no Uint32Array").to_vec()
    }

    /// The numbers of a list.
    pub fn numbers(&self, at: usize) -> Vec<u32> {
        // SAFETY: the value is one of the running call's.
        unsafe { Vec::from_napi_value(self.env, self.values[at]) }.expect("call: an argument is no list of numbers")
    }

    /// Works on the bytes of a `Uint8Array`, or on the UTF-8 of text, which is zeroed then. The work writes to no memory of the call's.
    pub fn data<T>(&self, at: usize, work: impl FnOnce(&[u8]) -> T) -> T {
        let (env, value, mut units) = (self.env, self.values[at], 0);
        // SAFETY: the value is one of the running call's; without memory the length alone is answered. V8 knows it: it reads no text.
        let status = unsafe { sys::napi_get_value_string_utf16(env, value, ptr::null_mut(), 0, &raw mut units) };
        if status != sys::Status::napi_ok {
            return work(self.bytes(at));
        }
        let room = if units <= UNITS_MAX { UNIT_LEN * units } else { self.text_len(at) } + 1;
        if room <= TEXT_LEN {
            return self.short_text(at, work);
        }
        work(self.text_into(at, Vec::with_capacity(room).spare_capacity_mut()).0)
    }

    /// Works on text that the stack has room for. Only this function has such a frame, whose pages are touched one by one.
    #[inline(never)]
    fn short_text<T>(&self, at: usize, work: impl FnOnce(&[u8]) -> T) -> T {
        work(self.text_into(at, &mut [const { MaybeUninit::uninit() }; TEXT_LEN]).0)
    }

    /// Bytes of text, all of which V8 reads for that.
    fn text_len(&self, at: usize) -> usize {
        let mut len = 0;
        // SAFETY: as in `data`.
        let status =
            unsafe { sys::napi_get_value_string_utf8(self.env, self.values[at], ptr::null_mut(), 0, &raw mut len) };
        assert_eq!(status, sys::Status::napi_ok, "call: text has a length");
        len
    }

    /// Text, in memory that has room for it and for the zero that is put behind it.
    fn text_into<'a>(&self, at: usize, memory: &'a mut [MaybeUninit<u8>]) -> Wiped<'a> {
        let (text, mut len) = (memory.as_mut_ptr().cast::<u8>(), 0);
        // SAFETY: the value is one of the running call's, and there is room for as many bytes.
        let status = unsafe {
            sys::napi_get_value_string_utf8(self.env, self.values[at], text.cast(), memory.len(), &raw mut len)
        };
        assert_eq!(status, sys::Status::napi_ok, "call: text is read");
        // SAFETY: so many bytes were written.
        Wiped(unsafe { slice::from_raw_parts_mut(text, len) })
    }

    /// Runs work on one of its threads; `finish` makes a promise's value of the result, on JavaScript's thread. A failure
    /// fulfils the promise too. Without work there is null.
    pub fn promise<W, T, F>(
        &self,
        work: impl Into<Option<Work<F>>>,
        finish: impl FnOnce(W) -> T + Send + 'static,
    ) -> Returned
    where
        W: Send + 'static,
        T: Answer,
        F: FnOnce() -> sealstone::Result<W> + Send + 'static,
    {
        let Some(work) = work.into() else { return None::<String>.put(self.env()) };
        let env = napi::Env::from_raw(self.env);
        let made = env.create_deferred::<Value, _>();
        let (deferred, promise) = made.map_err(|error| Failure::internal(error.reason.clone()))?;
        work.on_pool(move |done| {
            deferred.resolve(move |env: napi::Env| {
                let env = Env(env.raw());
                let settled = done.and_then(|done| guarded(|| finish(done).put(env)));
                settled
                    .or_else(|failure| {
                        env.forget_exception();
                        guarded(|| failure.put(env))
                    })
                    .map_err(|failure| napi::Error::from_reason(failure.message))
            });
        });
        Ok(Value(promise.raw()))
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
