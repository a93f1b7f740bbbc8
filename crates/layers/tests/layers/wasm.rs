//! The modules of WebAssembly, `bindings/wasm`.

use sealstone_layers::{Rules, Sources};

/// The layers, from top to bottom.
const LAYERS: &[&[&str]] = &[
    &["age", "base", "cipher", "compat", "digest", "exchange", "forms", "rsa", "sign"],
    &["handles"],
    &["boundary", "records"],
    &["host", "json"],
];

pub(crate) const SOURCES: &str = "bindings/wasm/src";

#[test]
fn no_arrow_points_up() {
    crate::none(&Sources::of(SOURCES).arrows(&Rules { layers: LAYERS, ..Rules::default() }));
}
