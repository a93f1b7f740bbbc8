//! Exports that read their arguments themselves, where what napi-rs puts around them would cost more than the work.

use crate::boundary::{guard, held};
use crate::memory::Memory;
use napi::sys;
use std::any::Any;
use std::ffi::CString;
use std::ptr;
use std::sync::Arc;

/// The arguments of a call.
pub struct Arguments<const N: usize> {
    env: sys::napi_env,
    values: [sys::napi_value; N],
}

/// Runs an export's work; an error is thrown, and nothing is returned.
pub fn direct<const N: usize>(
    env: sys::napi_env,
    info: sys::napi_callback_info,
    work: impl FnOnce(&Arguments<N>) -> sealstone::Result<()>,
) -> sys::napi_value {
    let done = guard(|| work(&Arguments::read(env, info)));
    if let Err(error) = done {
        let texts = [error.status, error.reason.as_str()].map(|text| CString::new(text).unwrap_or_default());
        // SAFETY: `env` is that of the running call, and the texts end in a zero byte.
        unsafe { sys::napi_throw_error(env, texts[0].as_ptr(), texts[1].as_ptr()) };
    }
    ptr::null_mut()
}

impl<const N: usize> Arguments<N> {
    /// Those that were not passed are `undefined`.
    fn read(env: sys::napi_env, info: sys::napi_callback_info) -> Self {
        let mut values = [ptr::null_mut(); N];
        let mut count = N;
        // SAFETY: both are those of the running call, and there is room for `count` values.
        let status = unsafe {
            sys::napi_get_cb_info(env, info, &raw mut count, values.as_mut_ptr(), ptr::null_mut(), ptr::null_mut())
        };
        assert_eq!(status, sys::Status::napi_ok, "direct: there is a call");
        Self { env, values }
    }

    /// The object of a number.
    pub fn object<T: Any + Send + Sync>(&self, index: usize) -> Arc<T> {
        let mut number = 0;
        // SAFETY: the value is one of the running call's.
        let status = unsafe { sys::napi_get_value_uint32(self.env, self.values[index], &raw mut number) };
        assert_eq!(status, sys::Status::napi_ok, "direct: argument {index} is no number");
        held(number)
    }

    pub fn needed_memory(&self, index: usize) -> Memory {
        self.memory(index).unwrap_or_else(|| panic!("direct: argument {index} is missing"))
    }

    /// Of a `Uint8Array`; nothing of `undefined`.
    pub fn memory(&self, index: usize) -> Option<Memory> {
        let (mut kind, mut len, mut at) = (0, 0, ptr::null_mut());
        // SAFETY: the value is one of the running call's, and what is not wanted may be null.
        let status = unsafe {
            sys::napi_get_typedarray_info(
                self.env,
                self.values[index],
                &raw mut kind,
                &raw mut len,
                &raw mut at,
                ptr::null_mut(),
                ptr::null_mut(),
            )
        };
        if status == sys::Status::napi_ok && kind == sys::TypedarrayType::uint8_array {
            // SAFETY: nothing moves a typed array's bytes while no JavaScript runs, and a direct export calls none.
            return Some(unsafe { Memory::new(at.cast(), len) });
        }
        let mut kind = 0;
        // SAFETY: the value is one of the running call's.
        let status = unsafe { sys::napi_typeof(self.env, self.values[index], &raw mut kind) };
        let is_undefined = status == sys::Status::napi_ok && kind == sys::ValueType::napi_undefined;
        assert!(is_undefined, "direct: argument {index} is no Uint8Array");
        None
    }
}
