//! The modules of WebAssembly, `bindings/wasm`.

use sealstone_layers::{Row, Rules, Sources};

/// Every module of the crate root, and what it may use.
const MAY_USE: &[Row] = &[
    ("age", &["boundary", "handles"]),
    ("base", &["boundary", "handles"]),
    ("cipher", &["boundary", "handles"]),
    ("compat", &["boundary"]),
    ("digest", &["boundary", "handles"]),
    ("exchange", &["boundary", "handles"]),
    ("forms", &[]),
    ("handles", &["boundary"]),
    ("rsa", &["boundary", "handles"]),
    ("sign", &["boundary", "handles"]),
    ("boundary", &[]),
    ("host", &[]),
];

pub(crate) const SOURCES: &str = "bindings/wasm/src";

#[test]
fn no_arrow_points_up() {
    crate::none(&Sources::of(SOURCES).arrows(&Rules { may_use: MAY_USE, ..Rules::default() }));
}
