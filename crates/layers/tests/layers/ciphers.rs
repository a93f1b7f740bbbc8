//! The kernels, `crates/ciphers`.

use sealstone_layers::{Row, Rules, Sources};

/// Every module of the crate root, and what it may use.
const MAY_USE: &[Row] = &[
    ("scrypt", &[]),
    ("argon2", &["wasm32", "backend", "cpu", "x86_64", "portable", "erasure", "compression"]),
    ("chacha20", &["aead", "keystream", "poly1305", "backend", "error", "lanes"]),
    ("padding", &[]),
    ("rsa", &[]),
    ("salsa20", &["aead", "keystream", "poly1305", "backend", "error", "lanes"]),
    ("sm4", &["ghash", "wasm32", "constant_time", "error", "x86_64", "cpu", "portable"]),
    ("aead", &["keystream", "poly1305", "backend", "constant_time", "erasure", "error", "lanes"]),
    ("ghash", &["wasm32", "x86_64", "cpu", "portable"]),
    ("keystream", &["poly1305", "wasm32", "backend", "x86_64", "portable", "erasure", "lanes"]),
    ("poly1305", &["backend", "constant_time", "cpu", "error", "x86_64", "portable"]),
    ("wasm32", &["portable", "erasure", "compression", "lanes"]),
    ("backend", &["cpu"]),
    ("constant_time", &[]),
    ("error", &[]),
    ("x86_64", &["cpu", "portable", "erasure", "compression", "lanes"]),
    ("cpu", &[]),
    ("portable", &["erasure", "compression", "lanes"]),
    ("erasure", &[]),
    ("compression", &[]),
    ("lanes", &[]),
];

pub(crate) const SOURCES: &str = "crates/ciphers/src";

#[test]
fn no_arrow_points_up() {
    crate::none(&Sources::of(SOURCES).arrows(&Rules { may_use: MAY_USE, ..Rules::default() }));
}
