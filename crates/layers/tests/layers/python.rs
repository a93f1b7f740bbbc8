//! The native part of the Python package, `bindings/python`.

use sealstone_layers::{Row, Rules, Sources};

/// Every module of the crate root, and what it may use.
const MAY_USE: &[Row] = &[
    ("aead", &[]),
    ("exchange", &[]),
    ("hash", &[]),
    ("hazmat", &[]),
    ("kdf", &[]),
    ("mac", &[]),
    ("password", &[]),
    ("rsa", &[]),
    ("sign", &[]),
    ("signature", &[]),
    ("streams", &["files", "boundary", "memory"]),
    ("files", &["keys", "boundary", "memory"]),
    ("messages", &["keys", "boundary", "held", "memory"]),
    ("keys", &["boundary", "held", "memory"]),
    ("boundary", &[]),
    ("held", &[]),
    ("memory", &[]),
];

pub(crate) const SOURCES: &str = "bindings/python/src";

#[test]
fn no_arrow_points_up() {
    crate::none(&Sources::of(SOURCES).arrows(&Rules { may_use: MAY_USE, ..Rules::default() }));
}
