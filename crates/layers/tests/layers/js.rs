//! The npm package, `bindings/js`: what its modules import, types too.

use sealstone_layers::{Row, Rules, Sources};

/// Every module of the package, and what it may use. What is in `node` and `browser` is the platform of one build each, which is
/// `#platform` to the module `call`, so that the rest is of every build.
const MAY_USE: &[Row] = &[
    (
        "aead",
        &[
            "text", "items", "output", "run", "handle", "option", "call", "platform", "receiver", "bytes", "error",
            "table",
        ],
    ),
    (
        "age",
        &[
            "age-parts",
            "range",
            "file",
            "file-in-memory",
            "stream",
            "run",
            "key-like",
            "handle",
            "option",
            "call",
            "platform",
            "receiver",
            "bytes",
            "error",
        ],
    ),
    (
        "compat",
        &[
            "aead",
            "hash",
            "mac",
            "kdf",
            "hazmat",
            "rsa",
            "sign",
            "random",
            "encoding",
            "bench",
            "monitor",
            "histogram",
            "copies",
            "key-like",
            "output",
            "run",
            "handle",
            "option",
            "call",
            "platform",
            "receiver",
            "bytes",
            "error",
            "table",
            "turn",
        ],
    ),
    ("fise", &["option", "receiver", "brand", "bytes", "error"]),
    // By the names that users have for the rest.
    ("vue", &[]),
    (
        "hash",
        &[
            "text", "items", "file", "stream", "platform", "output", "run", "handle", "option", "call", "receiver",
            "bytes", "error", "table",
        ],
    ),
    ("kdf", &["cost", "platform", "run", "handle", "option", "call", "receiver", "bytes", "error", "table"]),
    (
        "mac",
        &[
            "text", "file", "stream", "platform", "output", "run", "handle", "option", "call", "receiver", "bytes",
            "error", "table",
        ],
    ),
    (
        "sign",
        &[
            "encoding", "text", "pair", "key-like", "platform", "output", "run", "handle", "option", "call",
            "receiver", "bytes", "error", "table",
        ],
    ),
    (
        "signature",
        &["sign", "pair", "file", "stream", "run", "platform", "handle", "option", "call", "bytes", "error", "table"],
    ),
    (
        "exchange",
        &["pair", "key-like", "platform", "output", "handle", "option", "call", "receiver", "bytes", "error", "table"],
    ),
    ("rsa", &["pair", "key-like", "platform", "run", "handle", "option", "call", "receiver", "bytes", "error"]),
    ("pair", &["key-like", "platform", "handle", "option", "bytes", "error"]),
    ("password", &["cost", "platform", "run", "option", "call", "bytes", "error"]),
    ("random", &["draws", "encoding", "output", "option", "bytes", "error", "table"]),
    ("passphrase", &["draws", "option", "error", "table"]),
    ("draws", &["error"]),
    ("bench", &["option", "receiver", "error", "turn"]),
    ("monitor", &["copies", "histogram", "platform", "receiver", "bytes", "error", "table"]),
    ("histogram", &[]),
    ("encoding", &["option", "bytes", "error", "table"]),
    ("web", &["stream", "run", "option", "bytes", "error"]),
    ("hazmat", &["text", "output", "handle", "option", "call", "platform", "receiver", "bytes", "error", "table"]),
    (
        "index",
        &[
            "backend",
            "batch",
            "chunked",
            "encrypt",
            "file",
            "message",
            "file-in-memory",
            "stream",
            "recipe",
            "run",
            "keys",
            "platform",
            "bytes",
            "error",
        ],
    ),
    ("slim", &["index", "browser"]),
    ("workers", &["option", "call", "browser", "wasm", "platform", "receiver", "error", "turn"]),
    ("backend", &["call"]),
    ("batch", &["items", "run", "recipe", "handle", "call", "platform", "bytes", "error"]),
    ("chunked", &["stream", "recipe", "run", "handle", "option", "call", "receiver", "bytes", "error"]),
    ("encrypt", &["file-in-memory", "stream", "recipe", "run", "option", "call", "platform", "bytes", "error"]),
    ("items", &["bytes", "error"]),
    ("file", &["file-in-memory", "run", "recipe", "handle", "option", "call", "platform", "bytes", "error"]),
    ("message", &["output", "run", "keys", "option", "call", "platform", "bytes"]),
    ("output", &["bytes"]),
    ("file-in-memory", &["run", "recipe", "handle", "call", "platform", "bytes", "error"]),
    ("stream", &["run", "recipe", "handle", "call", "inspection", "platform", "bytes", "error", "turn"]),
    ("recipe", &["keys", "key-like", "option", "call", "platform", "bytes", "error", "table"]),
    ("run", &["handle", "option", "call", "platform", "bytes", "error", "turn"]),
    ("key-like", &["call", "platform", "bytes", "error"]),
    ("keys", &["key-like", "handle", "option", "call", "platform", "receiver", "bytes", "error", "table"]),
    ("handle", &["call", "platform", "error"]),
    ("option", &["error"]),
    ("call", &["copies", "platform", "bytes", "error", "turn"]),
    ("copies", &["platform"]),
    ("node", &["age-parts", "range", "call", "wasm", "inspection", "platform", "bytes", "error", "table"]),
    ("browser", &["wasm", "platform", "error"]),
    ("age-parts", &["range", "platform"]),
    ("range", &["platform", "bytes", "error"]),
    ("inspection", &["platform", "table"]),
    ("platform", &["bytes", "table"]),
    ("receiver", &["brand", "error"]),
    ("brand", &[]),
    ("bytes", &["error"]),
    ("error", &["brand", "table"]),
    ("table", &[]),
    ("cost", &["platform", "option", "error", "table"]),
    ("text", &["encoding", "platform", "option", "call", "bytes"]),
    ("turn", &[]),
    ("wasm", &["randomness", "platform", "error", "turn"]),
    ("randomness", &["bytes", "error"]),
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
    crate::none(&Sources::of(SOURCES).arrows(&Rules { may_use: MAY_USE, ..Rules::default() }));
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
