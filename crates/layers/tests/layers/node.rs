//! The addon of the npm package, `bindings/node`.

use sealstone_layers::{Row, Rules, Sources};

/// Every module of the crate root, and what it may use.
const MAY_USE: &[Row] = &[
    ("aead", &["direct", "boundary", "memory"]),
    ("hash", &["files", "boundary", "memory"]),
    ("hazmat", &["boundary", "memory"]),
    ("keys", &["boundary", "pool"]),
    ("messages", &["files", "delivery", "boundary", "pool"]),
    ("yuants", &["files", "delivery", "boundary", "memory", "pool"]),
    ("direct", &["boundary", "memory"]),
    ("files", &["delivery", "boundary", "memory", "pool"]),
    ("delivery", &["boundary", "memory", "pool"]),
    ("boundary", &["pool"]),
    ("memory", &[]),
    ("pool", &[]),
];

pub(crate) const SOURCES: &str = "bindings/node/src";

#[test]
fn no_arrow_points_up() {
    crate::none(&Sources::of(SOURCES).arrows(&Rules { may_use: MAY_USE, ..Rules::default() }));
}
