//! The addon behind the npm package `sealstone`: it converts bytes, errors and threads, and decides nothing.
//!
//! Its exports are called by `bindings/js/src/native.ts` and by nobody else. That checks what JavaScript may pass; here a
//! wrong argument is a bug, and no undefined behaviour.

// napi-rs registers nothing in tests, of which there are none here; lints of all targets look at them.
#![cfg_attr(test, allow(dead_code, unused_imports))]

mod aead;
mod boundary;
mod direct;
mod files;
mod hash;
mod hazmat;
mod keys;
mod memory;
mod messages;
mod pool;
mod yuants;
