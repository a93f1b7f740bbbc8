//! The npm package, `bindings/js`: what its modules import, types too.

use sealstone_layers::{Row, Rules, Sources};
use std::collections::BTreeSet;

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
                "archive",
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
            &["backend", "hazmat", "keys", "passphrase", "path", "random", "source"],
            &["cipher-encoding", "digest-encoding"],
            &["encoding", "text"],
        ],
    ),
    (
        "/work",
        &[
            &["ahead", "pair", "run"],
            &[
                "age-calls",
                "cipher-calls",
                "compat-calls",
                "digest-calls",
                "exchange-calls",
                "handle",
                "key-like",
                "sign-calls",
                "whole-calls",
            ],
            &["age-parts", "call", "cost", "draws", "inspection"],
            &["copies", "range"],
        ],
    ),
    ("/basics", &[&["items", "output"], &["bytes", "option", "receiver"], &["error"], &["brand", "table", "turn"]]),
];

/// The list of the package's entries, with their files.
const ENTRIES: &str = include_str!("../../../../bindings/js/entries.js");

/// Files of `extras/`, imports that no user has, and the reason. All other imports there are entries, files of `basics/` and files of
/// the same folder.
const EXCEPTIONS: &[(&str, &[&str], &str)] = &[
    (
        "extras/crypto-js/ciphers.ts",
        &["work/cipher-calls.ts", "work/handle.ts"],
        "a key for one message: `hazmat` would register it for the garbage collector",
    ),
    (
        "extras/crypto-js/hashing.ts",
        &["work/digest-calls.ts", "work/handle.ts"],
        "the same: with a key of `mac`, an HMAC of 50 bytes takes 2.1 microseconds instead of 1.7 (2026-11-27)",
    ),
    (
        "extras/ldesign/messages.ts",
        &["work/cipher-calls.ts", "work/key-like.ts"],
        "asks whether WebCrypto is faster, and for Base64 as bytes: `encoding` makes text of it",
    ),
    (
        "extras/ldesign/performance.ts",
        &["extras/monitor/histogram.ts", "work/copies.ts"],
        "sums up times as the monitor does, and reads a running monitor without starting one",
    ),
    (
        "extras/ldesign/web-crypto.ts",
        &["work/key-like.ts"],
        "WebCrypto of a page whose realm has none: a test runner's",
    ),
    (
        "extras/monitor/index.ts",
        &["backend/calls.ts", "backend/index.ts", "work/copies.ts"],
        "counts the calls of all copies of the package, below the families",
    ),
    (
        "extras/yuants.ts",
        &["backend/calls.ts", "work/compat-calls.ts", "work/digest-calls.ts", "work/handle.ts", "work/run.ts"],
        "its formats are functions of core: it has calls of its own",
    ),
];

/// Every package that is imported, and the files that import it. Of `node:crypto`, `node:fs`, `node:net` and `node:stream` these
/// are types alone.
const PACKAGES: &[Row] = &[
    ("#fise-worker", &["extras/fise/workers.ts"]),
    ("#fallback", &["node/fallback-file.ts"]),
    ("#modules", &["node/fallback.ts"]),
    ("#modules/inflate", &["browser/source.ts"]),
    ("#platform", &["work/call.ts"]),
    ("#randomness", &["work/draws.ts", "api/random.ts"]),
    ("#threads", &["extras/fise/memory-module.ts", "extras/fise/worker.ts", "extras/fise/workers.ts"]),
    ("#transcoder", &["extras/fise/cipher.ts"]),
    ("#words", &["api/passphrase.ts"]),
    ("#worker", &["workers/index.ts"]),
    ("node:crypto", &["backend/index.ts", "node/host-crypto.ts", "node/host-rsa.ts", "node/platform.ts"]),
    ("node:fs", &["node/input.ts"]),
    ("node:module", &["node/addon.ts"]),
    ("node:net", &["node/input.ts"]),
    ("node:stream", &["node/output.ts"]),
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
    ("getBuiltinModule", &["extras/fise/buffer.ts", "extras/fise/threads-node.ts"]),
    ("process", &["extras/crypto-js/ciphers.ts", "extras/fise/buffer.ts", "extras/fise/threads-node.ts"]),
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
fn extras_import_what_users_can_import() {
    let entries: BTreeSet<_> = ENTRIES.split('\'').filter_map(|text| text.strip_prefix("src/")).collect();
    let is_public = |file: &str| entries.contains(file) || file.starts_with("basics/");
    let sources = Sources::of(SOURCES);
    let imports = sources.imports();
    let pairs = imports.iter().flat_map(|(file, imported)| imported.iter().map(move |other| (*file, other.as_str())));
    let own = |file: &str| file.split('/').take(2).map(str::to_owned).collect::<Vec<_>>();
    let found =
        pairs.filter(|(file, other)| file.starts_with("extras/") && !is_public(other) && own(file) != own(other));
    let permitted = EXCEPTIONS.iter().flat_map(|(file, others, _)| others.iter().map(|other| (*file, *other)));
    assert_eq!(found.collect::<BTreeSet<_>>(), permitted.collect(), "EXCEPTIONS of crates/layers/tests/layers/js.rs");
}

#[test]
fn interfaces_of_a_platform_import_no_webassembly() {
    for (file, imported) in Sources::of(SOURCES).imports() {
        let is_interface = file.starts_with("backend/") && !file.starts_with("backend/wasm/");
        assert!(!is_interface || imported.iter().all(|other| !other.starts_with("backend/wasm/")), "{file}");
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
