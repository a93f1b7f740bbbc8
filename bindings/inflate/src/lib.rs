//! Inflates the module that computes, where a browser promises to and the first call cannot wait. It is a module of its own, without
//! the standard library, and so 10 KB: JavaScript that does the same is slow until it is compiled, and it runs once.

#![cfg_attr(target_family = "wasm", no_std)]

use core::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use core::slice;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

/// Inflates bytes into others; returns how many they became, or 0 for a failure.
///
/// # Safety
///
/// Both are memory that JavaScript has grown, behind all that this module has of its own, and lie apart.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
#[must_use]
pub unsafe extern "C" fn inflate(from: usize, from_len: usize, to: usize, to_len: usize) -> usize {
    // SAFETY: The caller promises it, and writes nothing until this returns.
    let deflated = unsafe { slice::from_raw_parts(with_exposed_provenance(from), from_len) };
    // SAFETY: Likewise; nobody reads or writes them meanwhile.
    let inflated = unsafe { slice::from_raw_parts_mut(with_exposed_provenance_mut(to), to_len) };
    let mut state = DecompressorOxide::new();
    match decompress(&mut state, deflated, inflated, 0, TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF) {
        (TINFLStatus::Done, _, len) => len,
        _ => 0,
    }
}

#[cfg(target_family = "wasm")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
