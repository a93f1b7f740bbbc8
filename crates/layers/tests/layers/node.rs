//! The addon of the npm package, `bindings/node`.

use sealstone_layers::{Row, Rules, Sources};

/// Every module of the crate root, and what it may use.
const MAY_USE: &[Row] = &[
    ("age", &["exports", "boundary", "handles"]),
    ("exports", &["aead", "exchange", "hash", "hazmat", "mac", "sign", "direct", "boundary", "handles", "memory"]),
    ("aead", &["direct", "boundary", "handles", "memory"]),
    ("hazmat", &["direct", "boundary", "handles", "memory"]),
    ("hash", &["direct", "boundary", "handles", "memory"]),
    ("kdf", &["boundary", "handles"]),
    ("mac", &["direct", "boundary", "handles"]),
    ("sign", &["direct", "boundary", "handles"]),
    ("signature", &["boundary", "handles"]),
    ("exchange", &["direct", "boundary", "handles"]),
    ("rsa", &["boundary", "handles"]),
    ("direct", &["boundary", "memory"]),
    ("boundary", &[]),
    ("handles", &[]),
    ("memory", &[]),
];

pub(crate) const SOURCES: &str = "bindings/node/src";

#[test]
fn no_arrow_points_up() {
    crate::none(&Sources::of(SOURCES).arrows(&Rules { may_use: MAY_USE, ..Rules::default() }));
}
