//! The kernels, `crates/ciphers`.

use sealstone_layers::{Rules, Sources};

/// The layers, from top to bottom.
const LAYERS: &[&[&str]] = &[
    &[
        "aead",
        "argon2",
        "chacha20",
        "ghash",
        "keccak",
        "keystream",
        "padding",
        "poly1305",
        "rsa",
        "salsa20",
        "scrypt",
        "sm2",
        "sm4",
    ],
    &["wasm32", "x86_64"],
    &["portable"],
    &["backend", "compression", "constant_time", "cpu", "erasure", "error", "field", "lanes", "permutation", "words"],
];

pub(crate) const SOURCES: &str = "crates/ciphers/src";

#[test]
fn no_arrow_points_up() {
    crate::none(&Sources::of(SOURCES).arrows(&Rules { layers: LAYERS, ..Rules::default() }));
}
