//! The addon behind the npm package `sealstone`: it converts bytes, errors and threads, and decides nothing.
//!
//! Its exports are called by `bindings/js/src/native.ts` and by nobody else. That checks what JavaScript may pass; here a
//! wrong argument is a bug, and no undefined behaviour.

// napi-rs registers nothing in tests, of which there are none here; lints of all targets look at them.
#![cfg_attr(test, allow(dead_code, unused_imports))]

mod aead;
mod boundary;
mod delivery;
mod direct;
mod files;
mod hash;
mod hazmat;
mod keys;
mod memory;
mod messages;
mod pool;
mod yuants;

use napi_derive::napi;

/// Whether the environment asks for a backend that is not there. Nothing is computed then, whatever would compute it: who sets the
/// variable trusts that backend alone.
#[napi]
pub fn check_backend() -> boundary::Result<()> {
    boundary::guard(|| sealstone::forced_backend().map(drop))
}
