//! The native part of the Python package, `bindings/python`.

use sealstone_layers::{Rules, Sources};

/// The layers, from top to bottom.
const LAYERS: &[&[&str]] = &[
    &[
        "aead",
        "exchange",
        "fise",
        "hash",
        "hazmat",
        "kdf",
        "mac",
        "messages",
        "password",
        "prepared",
        "rsa",
        "sign",
        "signature",
        "sm2",
        "streams",
    ],
    &["files", "keys", "pairs"],
    &["boundary", "held", "memory"],
];

pub(crate) const SOURCES: &str = "bindings/python/src";

#[test]
fn no_arrow_points_up() {
    crate::none(&Sources::of(SOURCES).arrows(&Rules { layers: LAYERS, ..Rules::default() }));
}
