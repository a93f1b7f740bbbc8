//! The addon behind the npm package `sealstone`: it converts bytes, errors and threads, and decides nothing.
//!
//! Its exports are called by `bindings/js/src/native.ts` and by nobody else. That checks what JavaScript may pass; here a
//! wrong argument is a bug, and no undefined behaviour.

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
