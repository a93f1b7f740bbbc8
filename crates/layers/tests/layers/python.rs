//! The native part of the Python package, `bindings/python`.

use sealstone_layers::{Row, Rules, Sources};

/// Every module of the crate root, and what it may use.
const MAY_USE: &[Row] = &[
    ("aead", &["keys", "boundary", "held", "memory"]),
    ("exchange", &["pairs", "keys", "boundary", "held", "memory"]),
    ("hash", &["boundary", "memory"]),
    ("hazmat", &["keys", "boundary", "held", "memory"]),
    ("kdf", &["keys", "boundary", "memory"]),
    ("mac", &["keys", "boundary", "held", "memory"]),
    ("password", &["kdf", "keys", "boundary"]),
    ("rsa", &["pairs", "keys", "boundary", "held", "memory"]),
    ("sign", &["pairs", "keys", "boundary", "held", "memory"]),
    ("sm2", &["pairs", "keys", "boundary", "held", "memory"]),
    ("signature", &["sign", "keys", "boundary", "memory"]),
    ("streams", &["files", "boundary", "memory"]),
    ("prepared", &["files", "boundary"]),
    ("files", &["keys", "boundary", "memory"]),
    ("messages", &["keys", "boundary", "held", "memory"]),
    ("pairs", &["keys", "boundary", "memory"]),
    ("keys", &["boundary", "held", "memory"]),
    ("boundary", &["memory"]),
    ("held", &[]),
    ("memory", &[]),
];

pub(crate) const SOURCES: &str = "bindings/python/src";

#[test]
fn no_arrow_points_up() {
    crate::none(&Sources::of(SOURCES).arrows(&Rules { may_use: MAY_USE, ..Rules::default() }));
}
