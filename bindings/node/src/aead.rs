//! Sealing and opening of one buffer, the two functions that are called for every packet of a protocol. What napi-rs puts around an
//! export costs as much as sealing 50 bytes, so these read their arguments themselves.

use crate::boundary::guard;
use crate::handles::with;
use crate::memory::Memory;
use napi::bindgen_prelude::{FromNapiValue, JsObjectValue, Object};
use napi::sys;
use napi_derive::napi;
use sealstone::aead::Aead;
use sealstone::{Error, Result};
use sealstone_engine::aead;
use std::ffi::CString;
use std::ptr;

#[napi(module_exports)]
pub fn register(mut exports: Object) -> napi::Result<()> {
    exports.create_named_method("aeadSeal", direct::<false>)?;
    exports.create_named_method("aeadOpen", direct::<true>)
}

/// Runs an export of a key, a nonce, `aad`, an input and an output; an error is thrown, and nothing is returned.
extern "C" fn direct<const OPENS: bool>(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    let work = if OPENS { open } else { seal };
    let done = guard(|| {
        let (mut values, mut count) = ([ptr::null_mut(); 5], 5);
        // SAFETY: both are those of the running call, and there is room for `count` values; those not passed are `undefined`.
        let status = unsafe {
            sys::napi_get_cb_info(env, info, &raw mut count, values.as_mut_ptr(), ptr::null_mut(), ptr::null_mut())
        };
        assert_eq!(status, sys::Status::napi_ok, "aead: there is a call");
        let memory = |at: usize| memory(env, values[at]);
        let needed = |at: usize| memory(at).expect("aead: an argument is missing");
        // SAFETY: the value is one of the running call's.
        let key = unsafe { u32::from_napi_value(env, values[0]) }.expect("aead: the key is no number");
        let (nonce, aad, input, output) = (memory(1), memory(2), needed(3), needed(4));
        with(key, |key| work(key, nonce, aad, input, output))
    });
    if let Err(error) = done {
        let texts = [error.status, error.reason.as_str()].map(|text| CString::new(text).unwrap_or_default());
        // SAFETY: `env` is that of the running call, and the texts end in a zero byte.
        unsafe { sys::napi_throw_error(env, texts[0].as_ptr(), texts[1].as_ptr()) };
    }
    ptr::null_mut()
}

/// Of a `Uint8Array`; nothing of `undefined`.
fn memory(env: sys::napi_env, value: sys::napi_value) -> Option<Memory> {
    // SAFETY: the value is one of the running call's.
    unsafe { Memory::of(env, value) }.or_else(|| {
        let mut kind = 0;
        // SAFETY: as above.
        let status = unsafe { sys::napi_typeof(env, value, &raw mut kind) };
        let is_undefined = status == sys::Status::napi_ok && kind == sys::ValueType::napi_undefined;
        assert!(is_undefined, "aead: an argument is no Uint8Array");
        None
    })
}

/// Seals `plaintext` into `output`, which is longer by a tag and may overlap it. Without a nonce one is drawn and stands before
/// the ciphertext, and `output` is longer by that as well.
fn seal(key: &Aead, nonce: Option<Memory>, aad: Option<Memory>, plaintext: Memory, output: Memory) -> Result<()> {
    let (nonce, aad) = (nonce.map(|nonce| nonce.beside(output)), aad.map(|aad| aad.beside(output)));
    let (before, after) = aead::room(key, nonce.is_none());
    output.with_moved(plaintext, before, after, |output| {
        aead::seal_in_place(key, nonce.as_deref(), aad.as_deref().unwrap_or_default(), output)
    })
}

/// Opens `sealed` into `output`, which has the plaintext's length or room for the tag as well, and may overlap it. Without a nonce it
/// is read from before the ciphertext. After an error the memory is all zero.
fn open(key: &Aead, nonce: Option<Memory>, aad: Option<Memory>, sealed: Memory, output: Memory) -> Result<()> {
    let aad = aad.map(|aad| aad.beside(output));
    let aad = aad.as_deref().unwrap_or_default();
    let (nonce, sealed) = match nonce {
        Some(nonce) => (nonce, sealed),
        None => sealed.split_at(aead::room(key, true).0).ok_or_else(aead::too_short)?,
    };
    let nonce = nonce.beside(output);
    let done = match sealed.split_last() {
        Some((ciphertext, tag)) => output
            .part(0, ciphertext.len)
            .with_moved(ciphertext, 0, 0, |buffer| key.open_in_place_separate_tag(&nonce, aad, buffer, &tag)),
        None => key.open_in_place(&nonce, aad, &mut []).map(drop),
    };
    if let Err(error) = &done
        && (matches!(error, Error::NotAuthentic { .. }) || !output.overlaps(sealed))
    {
        output.clear();
    }
    done
}
