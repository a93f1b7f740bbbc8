//! The npm package, `bindings/js`: what its modules import, types too.

use sealstone_layers::{Row, Rules, Sources};

/// The layers, from top to bottom: of all folders, and inside of those that have several.
const LAYERS: &[(&str, &[&[&str]])] = &[
    ("", &[&["extras"], &["api"], &["node", "workers"], &["browser", "work"], &["backend"], &["basics"]]),
    (
        "/api",
        &[
            &["slim"],
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
            &["backend", "hazmat", "keys", "passphrase", "random", "text"],
            &["encoding"],
        ],
    ),
    (
        "/work",
        &[
            &["pair", "run"],
            &["handle", "key-like"],
            &["age-parts", "call", "cost", "draws", "inspection"],
            &["copies", "range"],
        ],
    ),
    ("/basics", &[&["items", "output"], &["bytes", "option", "receiver"], &["error"], &["brand", "table", "turn"]]),
];

/// Every package that is imported, and the files that import it. Of `node:crypto`, `node:fs` and `node:net` these are
/// types alone.
const PACKAGES: &[Row] = &[
    ("#fallback", &["node/fallback-file.ts"]),
    ("#modules", &["browser/platform.ts", "browser/source.ts", "node/fallback.ts"]),
    ("#platform", &["work/call.ts"]),
    ("#randomness", &["work/draws.ts", "api/random.ts"]),
    ("#transcoder", &["extras/fise/cipher.ts"]),
    ("#words", &["api/passphrase.ts"]),
    ("#worker", &["workers/index.ts"]),
    ("node:crypto", &["node/platform.ts", "backend/index.ts"]),
    ("node:fs", &["node/descriptor.ts"]),
    ("node:module", &["node/addon.ts"]),
    ("node:net", &["node/descriptor.ts", "node/output.ts"]),
    (
        "sealstone",
        &[
            "extras/vue/defaults.ts",
            "extras/vue/digest.ts",
            "extras/vue/encryption.ts",
            "extras/vue/file.ts",
            "extras/vue/keyring.ts",
            "extras/vue/keys.ts",
            "extras/vue/signature.ts",
            "extras/vue/task.ts",
        ],
    ),
    ("sealstone/compat/ldesign", &["extras/ldesign/vue.ts"]),
    ("sealstone/encoding", &["extras/vue/digest.ts", "extras/vue/index.ts", "extras/vue/task.ts"]),
    ("sealstone/hash", &["extras/vue/digest.ts"]),
    ("sealstone/sign", &["extras/vue/signature.ts"]),
    ("sealstone/signature", &["extras/vue/signature.ts"]),
    ("sealstone-linux-x64-gnu", &["node/addon-commonjs.ts", "node/addon.ts"]),
    (
        "vue",
        &[
            "extras/ldesign/vue.ts",
            "extras/vue/defaults.ts",
            "extras/vue/digest.ts",
            "extras/vue/file.ts",
            "extras/vue/keyring.ts",
            "extras/vue/keys.ts",
            "extras/vue/task.ts",
        ],
    ),
];

/// The names that only Node gives its programs, and the files outside of `node` that have one all the same: they look whether it is
/// there. In `extras/crypto-js` it is the name of a function.
const NODES: &[Row] = &[
    ("Buffer", &["extras/fise/buffer.ts"]),
    ("__dirname", &[]),
    ("__filename", &[]),
    ("getBuiltinModule", &["extras/fise/buffer.ts"]),
    ("process", &["extras/crypto-js/ciphers.ts", "extras/fise/buffer.ts"]),
    ("require", &[]),
    ("setImmediate", &["basics/turn.ts"]),
];

pub(crate) const SOURCES: &str = "bindings/js/src";

#[test]
fn no_arrow_points_up() {
    for (folder, layers) in LAYERS {
        let sources = Sources::of(&format!("{SOURCES}{folder}"));
        crate::none(&sources.arrows(&Rules { layers, ..Rules::default() }));
    }
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
        || files.iter().all(|file| file.starts_with("node/") || *file == "backend/index.ts")));
}
