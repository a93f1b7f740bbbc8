//! What the tests of ChaCha20, Salsa20, Poly1305 and Argon2 share.

use sealstone_ciphers::chacha20::Backend;

/// The backends that this CPU has; the emulator's script reads their names.
#[allow(dead_code, reason = "SM2 has backends of its own")]
pub(crate) fn backends() -> Vec<Backend> {
    let found: Vec<_> = Backend::ALL.into_iter().filter(|backend| backend.is_available()).collect();
    println!("backends here: {}", found.iter().map(|backend| backend.name()).collect::<Vec<_>>().join(", "));
    assert!(found.contains(&Backend::Portable));
    found
}

/// Bytes of hexadecimal digits, between which spaces may be.
pub(crate) fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

#[allow(dead_code, reason = "not each test has keys as digits")]
pub(crate) fn array<const N: usize>(text: &str) -> [u8; N] {
    hex(text).try_into().unwrap()
}

/// Bytes without a pattern, the same for a seed (a linear congruence).
pub(crate) fn noise(seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed ^ 0x1234_5678_9abc_def0;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    std::iter::repeat_with(next).take(len).collect()
}
