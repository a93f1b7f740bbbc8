//! Kernels for WASM's registers of 128 bits. A module with them does not load in a runtime without them, so there is no
//! detection.

pub(crate) mod argon2;
pub(crate) mod ghash;
pub(crate) mod keystream;
pub(crate) mod sm4;

use core::arch::wasm32::*;

/// Turns columns into rows.
#[inline(always)]
fn transpose([a, b, c, d]: [v128; 4]) -> [v128; 4] {
    let (ab, ab_high) = (i32x4_shuffle::<0, 4, 1, 5>(a, b), i32x4_shuffle::<2, 6, 3, 7>(a, b));
    let (cd, cd_high) = (i32x4_shuffle::<0, 4, 1, 5>(c, d), i32x4_shuffle::<2, 6, 3, 7>(c, d));
    [
        i64x2_shuffle::<0, 2>(ab, cd),
        i64x2_shuffle::<1, 3>(ab, cd),
        i64x2_shuffle::<0, 2>(ab_high, cd_high),
        i64x2_shuffle::<1, 3>(ab_high, cd_high),
    ]
}

#[inline(always)]
fn load(bytes: &[u8; 16]) -> v128 {
    // SAFETY: `bytes` are as long as the register; the load asks for no alignment.
    unsafe { v128_load(bytes.as_ptr().cast()) }
}

#[inline(always)]
fn store(bytes: &mut [u8; 16], x: v128) {
    // SAFETY: `bytes` are as long as the register; the store asks for no alignment.
    unsafe { v128_store(bytes.as_mut_ptr().cast(), x) }
}
