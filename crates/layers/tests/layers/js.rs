//! The npm package, `bindings/js`: what its modules import, types too.

use sealstone_layers::{Row, Rules, Sources};

/// The layers, from top to bottom.
const LAYERS: &[&[&str]] = &[
    &["compat", "slim", "vue"],
    &["age", "hash", "index", "mac", "signature", "web"],
    &[
        "aead",
        "batch",
        "chunked",
        "encrypt",
        "exchange",
        "file",
        "file-in-memory",
        "kdf",
        "message",
        "password",
        "recipe",
        "rsa",
        "sign",
        "stream",
    ],
    &[
        "backend",
        "bench",
        "fise",
        "handle",
        "hazmat",
        "key-like",
        "keys",
        "monitor",
        "node",
        "pair",
        "passphrase",
        "random",
        "run",
        "text",
        "workers",
    ],
    &[
        "age-parts",
        "browser",
        "call",
        "copies",
        "cost",
        "draws",
        "encoding",
        "histogram",
        "inspection",
        "items",
        "output",
        "platform",
        "randomness",
        "range",
        "wasm",
    ],
    &["brand", "bytes", "error", "option", "receiver", "table", "turn"],
];

/// Every package that is imported, and the files that import it. Of `node:crypto`, `node:fs` and `node:net` these are
/// types alone.
const PACKAGES: &[Row] = &[
    ("#fallback", &["node/fallback-file.ts"]),
    ("#modules", &["browser/platform.ts", "browser/source.ts", "node/fallback.ts"]),
    ("#platform", &["call.ts"]),
    ("#randomness", &["draws.ts", "random.ts"]),
    ("#transcoder", &["fise/cipher.ts"]),
    ("#words", &["passphrase.ts"]),
    ("#worker", &["workers/index.ts"]),
    ("node:crypto", &["node/platform.ts", "platform/index.ts"]),
    ("node:fs", &["node/descriptor.ts"]),
    ("node:module", &["node/addon.ts"]),
    ("node:net", &["node/descriptor.ts", "node/output.ts"]),
    (
        "sealstone",
        &[
            "vue/defaults.ts",
            "vue/digest.ts",
            "vue/encryption.ts",
            "vue/file.ts",
            "vue/keyring.ts",
            "vue/keys.ts",
            "vue/signature.ts",
            "vue/task.ts",
        ],
    ),
    ("sealstone/compat/ldesign", &["compat/ldesign/vue.ts"]),
    ("sealstone/encoding", &["vue/digest.ts", "vue/index.ts", "vue/task.ts"]),
    ("sealstone/hash", &["vue/digest.ts"]),
    ("sealstone/sign", &["vue/signature.ts"]),
    ("sealstone/signature", &["vue/signature.ts"]),
    ("sealstone-linux-x64-gnu", &["node/addon-commonjs.ts", "node/addon.ts"]),
    (
        "vue",
        &[
            "compat/ldesign/vue.ts",
            "vue/defaults.ts",
            "vue/digest.ts",
            "vue/file.ts",
            "vue/keyring.ts",
            "vue/keys.ts",
            "vue/task.ts",
        ],
    ),
];

/// The names that only Node gives its programs, and the files outside of `node` that have one all the same: they look whether it is
/// there. In `compat/crypto-js` it is the name of a function.
const NODES: &[Row] = &[
    ("Buffer", &["fise/buffer.ts"]),
    ("__dirname", &[]),
    ("__filename", &[]),
    ("getBuiltinModule", &["fise/buffer.ts"]),
    ("process", &["compat/crypto-js/ciphers.ts", "fise/buffer.ts"]),
    ("require", &[]),
    ("setImmediate", &["turn.ts"]),
];

pub(crate) const SOURCES: &str = "bindings/js/src";

#[test]
fn no_arrow_points_up() {
    crate::none(&Sources::of(SOURCES).arrows(&Rules { layers: LAYERS, ..Rules::default() }));
}

#[test]
fn packages_are_named_in_their_own_module_only() {
    let sources = Sources::of(SOURCES);
    crate::none(&sources.libraries(PACKAGES));
    assert_eq!(sources.packages(), PACKAGES.iter().map(|(name, _)| *name).collect());
}

#[test]
fn what_only_node_has_is_in_the_folder_node() {
    let sources = Sources::of(SOURCES);
    crate::none(&sources.words(NODES, "node/"));
    assert!(PACKAGES.iter().all(|(name, files)| !name.starts_with("node:")
        || files.iter().all(|file| file.starts_with("node/") || *file == "platform/index.ts")));
}
