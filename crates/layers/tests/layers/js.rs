//! The npm package, `bindings/js`: what its modules import, types too.

use sealstone_layers::{Row, Rules, Sources};

/// Every module of the package, and what it may use.
const MAY_USE: &[Row] = &[
    ("addon-commonjs", &[]),
    ("aead", &["output", "handle", "option", "backend", "brand", "bytes", "error", "table"]),
    ("browser", &["backend", "error"]),
    ("compat", &["output", "file-in-memory", "run", "handle", "option", "backend", "bytes", "error", "table"]),
    ("fise", &["option", "brand", "bytes", "error"]),
    ("hash", &["file", "output", "run", "recipe", "handle", "option", "backend", "brand", "bytes", "error", "table"]),
    ("hazmat", &["output", "handle", "option", "backend", "brand", "bytes", "error", "table"]),
    (
        "index",
        &[
            "batch",
            "chunked",
            "encrypt",
            "file",
            "message",
            "file-in-memory",
            "stream",
            "recipe",
            "keys",
            "backend",
            "bytes",
            "error",
        ],
    ),
    ("batch", &["run", "recipe", "handle", "backend", "bytes", "error"]),
    ("chunked", &["stream", "recipe", "handle", "option", "backend", "brand", "bytes", "error"]),
    ("encrypt", &["file-in-memory", "stream", "recipe", "handle", "backend", "bytes"]),
    ("file", &["file-in-memory", "run", "recipe", "handle", "option", "backend", "bytes", "error"]),
    ("message", &["file-in-memory", "run", "recipe", "keys", "handle", "option", "backend", "bytes"]),
    ("output", &["bytes"]),
    ("file-in-memory", &["run", "recipe", "handle", "backend", "bytes", "error"]),
    ("stream", &["run", "recipe", "handle", "backend", "bytes", "error", "turn"]),
    ("run", &["recipe", "backend", "bytes", "error", "turn"]),
    ("recipe", &["keys", "option", "backend", "bytes", "error", "table"]),
    ("keys", &["handle", "option", "backend", "brand", "bytes", "error", "table"]),
    ("handle", &["backend", "error"]),
    ("option", &["error"]),
    ("addon", &[]),
    ("backend", &["bytes", "error", "native", "turn", "table"]),
    ("brand", &[]),
    ("bytes", &["error"]),
    ("error", &["brand", "table"]),
    ("native", &["addon", "backend", "error"]),
    ("table", &[]),
    ("turn", &[]),
    ("wasm", &["backend", "error"]),
];

/// `backend.ts` loads the addon, and the addon's type is an interface of `backend.ts`. The circle goes when the entry file passes
/// the addon in.
const CIRCLES: &[(&str, &str, &str)] = &[("backend", "native", "the entry file does not pass the addon in yet")];

/// Every package that is imported, and the files that import it. `keys.ts` has `KeyObject` as a type, and asks the process for
/// its functions.
const PACKAGES: &[Row] = &[
    ("node:crypto", &["keys.ts"]),
    ("node:module", &["addon.ts"]),
    ("sealstone-linux-x64-gnu", &["addon-commonjs.ts", "addon.ts"]),
];

pub(crate) const SOURCES: &str = "bindings/js/src";

#[test]
fn no_arrow_points_up() {
    crate::none(&Sources::of(SOURCES).arrows(&Rules { may_use: MAY_USE, circles: CIRCLES, ..Rules::default() }));
}

#[test]
fn packages_are_named_in_their_own_module_only() {
    let sources = Sources::of(SOURCES);
    crate::none(&sources.libraries(PACKAGES));
    assert_eq!(sources.packages(), PACKAGES.iter().map(|(name, _)| *name).collect());
}
