//! The addon behind the npm package `sealstone`: it converts bytes, errors and threads, and decides nothing.
//!
//! Its exports are called by `bindings/js/src/` and by nothing else. `bytes.ts` and `option.ts` there check what a caller may pass;
//! here a wrong argument is a bug, and no undefined behaviour.
//!
//! The addon knows no length of a format. A panic in a call is an error of that call.

// napi-rs registers nothing in tests, of which there are none here; lints of all targets look at them.
#![cfg_attr(test, allow(dead_code, unused_imports))]

mod answer;
mod call;
mod calls;
mod handles;
mod memory;

use napi::bindgen_prelude::{JsValue, Object};
use napi_derive::napi;

/// Gives JavaScript all exports.
#[napi(module_exports)]
pub fn register(exports: Object<'_>, env: napi::Env) -> napi::Result<()> {
    for (name, export) in calls::EXPORTS.iter().chain(&handles::EXPORTS) {
        call::register(env.raw(), exports.raw(), name, *export);
    }
    Ok(())
}
