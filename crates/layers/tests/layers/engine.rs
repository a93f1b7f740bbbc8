//! What all bindings share, `bindings/engine`.

use sealstone_layers::{Rules, Sources};

/// The layers, from top to bottom.
const LAYERS: &[&[&str]] = &[
    &["calls"],
    &[
        "age",
        "aead",
        "archives",
        "batch",
        "exchange",
        "hashing",
        "hazmat",
        "mac",
        "messages",
        "password",
        "rsa",
        "sign",
        "signature",
        "sm2",
        "streams",
        "yuants",
    ],
    &["deriving", "files", "forms", "kdf", "keys", "loading", "parts", "stretching"],
    &[
        "delivery", "failure", "handles", "job", "loan", "lock", "memory", "numbers", "pool", "process", "records",
        "text", "work",
    ],
];

pub(crate) const SOURCES: &str = "bindings/engine/src";

#[test]
fn no_arrow_points_up() {
    crate::none(&Sources::of(SOURCES).arrows(&Rules { layers: LAYERS, ..Rules::default() }));
}
