//! What all bindings share, `bindings/engine`.

use sealstone_layers::{Row, Rules, Sources};

/// Every module of the crate root, and what it may use.
const MAY_USE: &[Row] = &[
    ("age", &["parts", "job", "work", "pool", "lock"]),
    ("messages", &["loading", "text", "job", "work", "pool"]),
    ("yuants", &["loading", "work", "pool"]),
    ("batch", &["parts", "job", "failure", "work", "pool"]),
    ("loading", &["parts", "job", "work", "pool", "lock"]),
    ("parts", &["job", "work", "pool", "lock"]),
    ("files", &["job", "work", "pool"]),
    ("forms", &["keys"]),
    ("aead", &["batch", "hashing", "loading", "job", "work", "pool"]),
    ("sm2", &["sign", "text", "work"]),
    ("sign", &["keys", "loading", "text", "job", "work", "pool"]),
    ("signature", &["files", "job", "work", "lock"]),
    ("exchange", &["kdf", "keys", "text", "work", "pool"]),
    ("rsa", &["kdf", "keys", "text", "job", "work", "pool"]),
    ("keys", &["text", "work", "pool"]),
    ("delivery", &["text", "pool", "lock"]),
    ("work", &["failure", "pool", "lock"]),
    ("hashing", &["batch", "files", "job", "work", "lock"]),
    ("mac", &["files", "hashing", "job", "work", "lock"]),
    ("kdf", &["job", "work", "pool", "lock"]),
    ("deriving", &["kdf", "job", "work", "pool", "lock"]),
    ("password", &["deriving", "job", "work", "pool"]),
    ("failure", &["handles"]),
    ("pool", &["lock"]),
    ("handles", &[]),
    ("hazmat", &[]),
    ("job", &[]),
    ("loan", &["lock"]),
    ("records", &[]),
    ("stretching", &["lock"]),
    ("lock", &[]),
    ("numbers", &[]),
    ("text", &[]),
];

pub(crate) const SOURCES: &str = "bindings/engine/src";

#[test]
fn no_arrow_points_up() {
    crate::none(&Sources::of(SOURCES).arrows(&Rules { may_use: MAY_USE, ..Rules::default() }));
}
