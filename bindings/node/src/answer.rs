//! Results of calls, as values of JavaScript's.

use napi::bindgen_prelude::ToNapiValue;
use napi::sys;
use sealstone::Error;
use sealstone_engine::Failure;
use sealstone_engine::calls::records::{ItemFailure, LeftOut, StanzaInfo};
use sealstone_engine::memory::Wiped;
use sealstone_engine::numbers::number;
use sealstone_engine::parts::Part;
use sealstone_engine::text::TextOrBytes;
use std::ffi::CStr;
use std::hint::black_box;
use std::mem::take;
use std::ptr::{self, null_mut as null};
use zeroize::Zeroizing;

/// The result of an export: a value, or a failure that is thrown.
pub type Returned = Result<Value, Failure>;

/// The environment of a running call.
#[derive(Clone, Copy)]
pub struct Env(pub sys::napi_env);

/// A value of JavaScript's, for the length of a call. A null pointer is `undefined`.
#[derive(Clone, Copy)]
pub struct Value(pub sys::napi_value);

impl Value {
    pub const NOTHING: Self = Self(ptr::null_mut());
}

impl ToNapiValue for Value {
    unsafe fn to_napi_value(env: sys::napi_env, value: Self) -> napi::Result<sys::napi_value> {
        if !value.0.is_null() {
            return Ok(value.0);
        }
        // SAFETY: as here.
        unsafe { <()>::to_napi_value(env, ()) }
    }
}

/// A result that becomes a value.
pub trait Answer {
    fn put(self, env: Env) -> Returned;
}

/// Makes a value by a function of Node-API. An environment that ends makes none.
fn made(create: impl FnOnce(*mut sys::napi_value) -> sys::napi_status) -> Returned {
    let mut value = null();
    done(create(&raw mut value))?;
    Ok(Value(value))
}

fn done(status: sys::napi_status) -> Result<(), Failure> {
    if status == sys::Status::napi_ok {
        return Ok(());
    }
    Err(Failure::internal(format!("the engine makes no value (Node-API's status {status})")))
}

macro_rules! answers {
    ($($type:ty: |$value:ident, $env:ident| $put:expr;)*) => { $(
        impl Answer for $type {
            fn put(self, $env: Env) -> Returned {
                let $value = self;
                $put
            }
        }
    )* };
}

answers! {
    (): |_nothing, _env| Ok(Value::NOTHING);
    // SAFETY: `env` is that of the running call.
    u32: |value, env| made(|at| unsafe { sys::napi_create_uint32(env.0, value, at) });
    // SAFETY: as above.
    i32: |value, env| made(|at| unsafe { sys::napi_create_int32(env.0, value, at) });
    // The engine has numbers that are short without memory.
    u64: |value, env| match u32::try_from(value) {
        Ok(short) => short.put(env),
        // SAFETY: as above.
        Err(_) => made(|at| unsafe { sys::napi_create_double(env.0, number(value), at) }),
    };
    // SAFETY: as above. Node-API gives the nearest number.
    i64: |value, env| made(|at| unsafe { sys::napi_create_int64(env.0, value, at) });
    usize: |value, env| (value as u64).put(env);
    // SAFETY: as above.
    bool: |value, env| made(|at| unsafe { sys::napi_get_boolean(env.0, value, at) });
    &str: |text, env| env.text(text);
    String: |text, env| env.text(&text);
    Zeroizing<String>: |text, env| env.text(&text);
    Vec<u8>: |bytes, env| env.bytes_of(&Wiped(bytes).0);
    Zeroizing<Vec<u8>>: |bytes, env| {
        let mut bytes = bytes;
        take(&mut *bytes).put(env)
    };
    TextOrBytes: |form, env| match form {
        TextOrBytes::Text(text) => text.put(env),
        TextOrBytes::Bytes(bytes) => bytes.put(env),
    };
    Failure: |failure, env| env.object(&[
        (c"code", failure.code.put(env)?),
        (c"message", failure.message.put(env)?),
        (c"errno", failure.errno.put_if_any(env)?),
    ]);
    Part: |part, env| {
        let (bytes, error) = part;
        env.object(&[(c"bytes", bytes.put(env)?), (c"failure", error.map(Failure::from).put_if_any(env)?)])
    };
}

/// Null, where there is nothing.
impl<T: Answer> Answer for Option<T> {
    fn put(self, env: Env) -> Returned {
        // SAFETY: `env` is that of the running call.
        self.map_or_else(|| made(|at| unsafe { sys::napi_get_null(env.0, at) }), |value| value.put(env))
    }
}

/// A property that is not there, where there is nothing.
pub trait IfAny {
    fn put_if_any(self, env: Env) -> Returned;
}

impl<T: Answer> IfAny for Option<T> {
    fn put_if_any(self, env: Env) -> Returned {
        self.map_or(Ok(Value::NOTHING), |value| value.put(env))
    }
}

macro_rules! lists {
    ($($of:ty),*) => { $(
        impl Answer for Vec<$of> {
            fn put(self, env: Env) -> Returned {
                // SAFETY: `env` is that of the running call.
                let Value(list) = made(|at| unsafe { sys::napi_create_array_with_length(env.0, self.len(), at) })?;
                for (at, item) in (0..).zip(self) {
                    let Value(item) = item.put(env)?;
                    // SAFETY: as above.
                    done(unsafe { sys::napi_set_element(env.0, list, at, item) })?;
                }
                Ok(Value(list))
            }
        }
    )* };
}

lists!(u32, u64, i64, StanzaInfo, ItemFailure, LeftOut);

impl Env {
    /// Takes back an error of the engine's that is to be thrown. Where it is left, a promise never settles.
    pub fn forget_exception(self) {
        let mut error = ptr::null_mut();
        // SAFETY: `env` is that of the running call. Without an exception this gives `undefined`, which is not read.
        unsafe { sys::napi_get_and_clear_last_exception(self.0, &raw mut error) };
    }

    /// Text of any characters.
    pub fn text(self, text: &str) -> Returned {
        self.string_of(text).ok_or_else(too_long)
    }

    /// As [`text`](Self::text), of text that a string has room for.
    pub fn string(self, text: &str) -> Value {
        self.string_of(text).expect("answer: there is room for a text")
    }

    /// A string; nothing where there is no room for it.
    fn string_of(self, text: &str) -> Option<Value> {
        let len = isize::try_from(text.len()).expect("answer: text is in memory");
        let create = if text.is_ascii() { sys::napi_create_string_latin1 } else { sys::napi_create_string_utf8 };
        let mut value = null();
        // SAFETY: `env` is that of the running call, and so many bytes are there: characters of the encoding that this reads.
        let status = unsafe { create(self.0, text.as_ptr().cast(), len, &raw mut value) };
        (status == sys::Status::napi_ok).then_some(Value(value))
    }

    /// An object with these properties of its own, whatever setters its prototype has.
    pub fn object(self, properties: &[(&CStr, Value)]) -> Returned {
        let object = made(|at| unsafe {
            // SAFETY: `env` is that of the running call.
            sys::napi_create_object(self.0, at)
        })?;
        let there = properties.iter().filter(|(_, Value(value))| !value.is_null());
        let described: Vec<_> = there.map(|(name, Value(value))| described(name, *value)).collect();
        // SAFETY: as above, as are the values; the names end in a zero byte.
        done(unsafe { sys::napi_define_properties(self.0, object.0, described.len(), described.as_ptr()) })?;
        Ok(object)
    }

    /// An object, and a length where there is one.
    pub fn begun(self, object: u32, len: Option<u64>) -> Returned {
        let begun = [u64::from(object)].into_iter().chain(len);
        begun.collect::<Vec<_>>().put(self)
    }

    /// A result as memory of JavaScript's own. Memory of the addon's could not be transferred, and is given back between two turns of the
    /// event loop only: a loop without turns would keep all of it.
    fn bytes_of(self, bytes: &[u8]) -> Returned {
        let (at, array) = self.array(bytes.len())?;
        // SAFETY: the new memory has as many bytes.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), at, bytes.len()) };
        Ok(array)
    }

    /// An array over new memory, and where that is. The memory may have something of before.
    pub fn array(self, len: usize) -> Result<(*mut u8, Value), Failure> {
        /// What is longer is made by way of a Buffer: that is an error where it is too long, and an `ArrayBuffer` would end the process. Its
        /// memory is not zeroed before, either. To make one takes longer.
        const SHORT: usize = 4096;
        let env = self.0;
        self.check_room(len)?;
        let (mut at, mut buffer, mut memory, mut offset, mut array) = (null(), null(), null(), 0, null());
        // SAFETY: `env` is that of the running call, and pointers to results that are not wanted may be null.
        let status = unsafe {
            let mut status = if len <= SHORT {
                sys::napi_create_arraybuffer(env, len, &raw mut at, &raw mut memory)
            } else {
                sys::napi_create_buffer(env, len, &raw mut at, &raw mut buffer)
            };
            if status == sys::Status::napi_ok && !buffer.is_null() {
                let (memory, offset) = (&raw mut memory, &raw mut offset);
                status = sys::napi_get_typedarray_info(env, buffer, null(), null(), null(), memory, offset);
            }
            if status == sys::Status::napi_ok {
                let kind = sys::TypedarrayType::uint8_array;
                status = sys::napi_create_typedarray(env, kind, len, memory, offset, &raw mut array);
            }
            status
        };
        if status == sys::Status::napi_ok { Ok((at.cast(), Value(array))) } else { Err(too_long()) }
    }

    /// Throws the engine's own error where there is no room for so many bytes: of an addon's array the engine ends the process then.
    fn check_room(self, len: usize) -> Result<(), Failure> {
        /// Where there is no room for shorter memory, a process fails elsewhere.
        const LONG: usize = 1 << 20;
        let mut room = Vec::<u8>::new();
        // The engine asks the same allocator, next. The optimizer would leave out memory that nothing reads.
        if len < LONG || black_box(&mut room).try_reserve_exact(len).is_ok() {
            black_box(&room);
            return Ok(());
        }
        // SAFETY: `env` is that of the running call; there is no code, and the message ends with a zero.
        unsafe { sys::napi_throw_range_error(self.0, ptr::null(), c"Array buffer allocation failed".as_ptr()) };
        Err(too_long())
    }
}

/// A property as an object literal has it.
fn described(name: &CStr, value: sys::napi_value) -> sys::napi_property_descriptor {
    sys::napi_property_descriptor {
        utf8name: name.as_ptr(),
        name: null(),
        method: None,
        getter: None,
        setter: None,
        value,
        attributes: sys::PropertyAttributes::writable
            | sys::PropertyAttributes::enumerable
            | sys::PropertyAttributes::configurable,
        data: null(),
    }
}

/// Where the engine has thrown an error of its own, that one is thrown.
fn too_long() -> Failure {
    let message = "the result is longer than an array can be".to_owned();
    Failure { code: Error::TooLong.code(), message, errno: None, chunk: None }
}
