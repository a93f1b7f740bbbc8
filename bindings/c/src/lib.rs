//! The C library: a function for each call of the engine that C has.
//!
//! `calls` is written by `make generate`, and so is `include/sealstone.h`, which has the rules for callers. `arguments` reads what a caller
//! gives, `results` makes what it gets, and decides nothing. Every function runs in `results::guard`, which makes a panic an error.
//!
//! # Safety
//! A caller keeps the rules at the head of `sealstone.h`: a pointer refers to memory of the length that is given with it, for the time of the
//! call; an object is one that a function of this library made and that was not freed. What can be checked is checked: a null pointer, a
//! length that no memory has, memory that overlaps, text that is not UTF-8.

mod arguments;
mod calls;
mod numbers;
mod results;

use std::ffi::c_char;

/// The version of this library.
#[unsafe(no_mangle)]
pub extern "C" fn sealstone_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The number of its binary interface, as in the name of the shared library.
#[unsafe(no_mangle)]
pub extern "C" fn sealstone_abi() -> *const c_char {
    concat!(env!("SEALSTONE_ABI"), "\0").as_ptr().cast()
}
