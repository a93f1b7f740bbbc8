//! What all bindings share, `bindings/engine`.

use sealstone_layers::{Row, Rules, Sources};

/// Every module of the crate root, and what it may use.
const MAY_USE: &[Row] = &[
    ("messages", &["loading", "job", "work", "pool"]),
    ("yuants", &["loading", "work", "pool"]),
    ("batch", &["parts", "job", "failure", "work", "pool"]),
    ("loading", &["parts", "job", "work", "pool", "lock"]),
    ("parts", &["job", "work", "pool", "lock"]),
    ("files", &["job", "work", "pool"]),
    ("keys", &["work", "pool"]),
    ("delivery", &["pool", "lock"]),
    ("work", &["failure", "pool", "lock"]),
    ("hashing", &["lock"]),
    ("failure", &["handles"]),
    ("pool", &["lock"]),
    ("aead", &[]),
    ("handles", &[]),
    ("job", &[]),
    ("lock", &[]),
    ("text", &[]),
];

pub(crate) const SOURCES: &str = "bindings/engine/src";

#[test]
fn no_arrow_points_up() {
    crate::none(&Sources::of(SOURCES).arrows(&Rules { may_use: MAY_USE, ..Rules::default() }));
}
