//! The addon of the npm package, `bindings/node`.

use sealstone_layers::{Row, Rules, Sources};

/// Every module of the crate root, and what it may use.
const MAY_USE: &[Row] = &[
    ("exports", &["boundary", "handles", "memory"]),
    ("aead", &["boundary", "handles", "memory"]),
    ("boundary", &[]),
    ("handles", &[]),
    ("memory", &[]),
];

pub(crate) const SOURCES: &str = "bindings/node/src";

#[test]
fn no_arrow_points_up() {
    crate::none(&Sources::of(SOURCES).arrows(&Rules { may_use: MAY_USE, ..Rules::default() }));
}
