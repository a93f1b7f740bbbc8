//! The addon of the npm package, `bindings/node`.

use sealstone_layers::{Rules, Sources};

/// The layers, from top to bottom.
const LAYERS: &[&[&str]] = &[
    &["age", "exports"],
    &["aead", "exchange", "hash", "hazmat", "kdf", "mac", "rsa", "sign", "signature"],
    &["boundary", "direct", "handles", "memory"],
];

pub(crate) const SOURCES: &str = "bindings/node/src";

#[test]
fn no_arrow_points_up() {
    crate::none(&Sources::of(SOURCES).arrows(&Rules { layers: LAYERS, ..Rules::default() }));
}
