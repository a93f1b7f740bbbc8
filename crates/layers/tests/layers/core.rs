//! The toolkit, `crates/core`.

use sealstone_layers::{Row, Rules, Sources};

/// The layers, from top to bottom.
const LAYERS: &[&[&str]] = &[
    &["formats"],
    &["file", "interop"],
    &["format"],
    &["pipeline"],
    &["profile", "recipient"],
    &["archive", "key", "plugin"],
    &[
        "exchange", "sign", "suite", "password", "kem", "sm2", "rsa", "kdf", "ed25519", "aead", "hazmat", "nacl",
        "mac", "hash", "argon2",
    ],
    &["kernel", "provider"],
    &["encoding", "random", "debug", "named", "error", "reserved", "text"],
];

const RULES: &Rules = &Rules {
    layers: LAYERS,
    // I/O knows no format and no key, and a rule of an organisation no file.
    narrow: &[("pipeline", &["random", "error"]), ("profile", &["key", "sign", "suite", "error"])],
    siblings: &[&["file", "interop"], &["interop", "recipient"]],
    apart: &[],
};

/// Every dependency of the crate, and the files that name it: all of these and no other.
const THIRD_PARTY: &[Row] = &[
    ("aes", &["provider/block.rs", "provider/gcm.rs", "provider/legacy.rs", "provider/mac.rs", "provider/rust.rs"]),
    ("aes_gcm_siv", &["provider/rust.rs"]),
    ("aes_kw", &["provider/block.rs"]),
    ("aws_lc_rs", &["provider/aws_lc.rs", "provider/aws_lc/sign.rs"]),
    ("base16ct", &["encoding.rs", "hash.rs", "key/digits.rs", "random.rs"]),
    ("base32ct", &["encoding.rs"]),
    (
        "base64ct",
        &[
            "encoding.rs",
            "file/signature/armour.rs",
            "key/jwk.rs",
            "key/jwk/read.rs",
            "key/pem.rs",
            "key/sign.rs",
            "key/ssh.rs",
            "password/phc.rs",
        ],
    ),
    ("base64_simd", &["encoding.rs"]),
    ("bcrypt_pbkdf", &["provider/shared.rs"]),
    ("bech32", &["encoding.rs"]),
    ("blake2", &["provider/mac.rs", "provider/shared.rs"]),
    ("blake3", &["provider/mac.rs", "provider/shared.rs"]),
    ("blowfish", &["provider/legacy.rs", "provider/shared.rs"]),
    ("bs58", &["encoding.rs"]),
    ("cbc", &["provider/legacy.rs", "provider/rust.rs"]),
    ("cfb8", &["provider/block.rs"]),
    ("cfb_mode", &["provider/legacy.rs", "provider/rust.rs"]),
    ("chacha20poly1305", &["provider/rust.rs"]),
    ("cmac", &["provider/mac.rs"]),
    ("ctr", &["provider/rust.rs"]),
    ("curve25519_dalek", &["provider/ed25519.rs", "provider/rust.rs"]),
    ("der", &["key/asn1.rs", "key/names.rs", "key/pbes2.rs", "rsa/numbers.rs", "sign/numbers.rs", "sm2.rs"]),
    ("des", &["provider/legacy.rs"]),
    ("ecdsa", &["provider/ecdsa.rs"]),
    ("ed25519_dalek", &["provider/rust/sign.rs"]),
    ("getrandom", &["random.rs"]),
    ("globset", &["file/archive/pattern.rs"]),
    ("k256", &["provider/ecdsa.rs"]),
    ("md5", &["provider/mac.rs", "provider/shared.rs"]),
    ("ml_dsa", &["provider/ml_dsa.rs"]),
    ("ml_kem", &["provider/rust.rs", "provider/shared.rs"]),
    ("nix", &["pipeline/os/unix.rs"]),
    ("ofb", &["provider/legacy.rs", "provider/rust.rs"]),
    ("p256", &["provider/ecdsa.rs", "provider/rust.rs"]),
    ("p384", &["provider/ecdsa.rs", "provider/rust.rs"]),
    ("p521", &["provider/ecdsa.rs", "provider/rust.rs"]),
    ("pkcs8", &["key/asn1.rs", "key/pbes2.rs"]),
    ("rabbit", &["provider/legacy.rs"]),
    ("rc4", &["provider/legacy.rs"]),
    ("rfc6979", &["provider/shared.rs"]),
    ("ring", &["provider/ring.rs"]),
    ("ripemd", &["provider/mac.rs", "provider/shared.rs"]),
    (
        "rustix",
        &[
            "pipeline/os/linux.rs",
            "pipeline/os/macos.rs",
            "pipeline/os/system.rs",
            "pipeline/os/unix.rs",
            "pipeline/os/unix/tree.rs",
            "random.rs",
        ],
    ),
    ("scrypt", &["provider/shared.rs"]),
    (
        "sealstone_ciphers",
        &[
            "argon2.rs",
            "aead/pieces.rs",
            "aead/schedule.rs",
            "kernel.rs",
            "hazmat/cipher.rs",
            "hazmat/cipher/schedule.rs",
            "hazmat/legacy.rs",
            "hazmat/poly1305.rs",
            "kdf/scrypt.rs",
            "nacl.rs",
            "provider/aws_lc.rs",
            "provider/gcm.rs",
            "provider/gmsm.rs",
            "provider/keccak.rs",
            "provider/ring.rs",
            "rsa/legacy.rs",
        ],
    ),
    ("serde", &["interop/fise/profile.rs", "interop/fise/validation.rs", "key/jwk/read.rs"]),
    ("serde_json", &["interop/fise/profile.rs", "interop/fise/validation.rs", "key/jwk/read.rs"]),
    ("sha1", &["provider/mac.rs", "provider/shared.rs"]),
    ("sha2", &["provider/ecdsa.rs", "provider/mac.rs", "provider/rust.rs", "provider/shared.rs"]),
    ("sha3", &[]),
    ("shake", &[]),
    ("sm2", &["provider/rust/sm2.rs"]),
    ("sm3", &["provider/mac.rs", "provider/shared.rs"]),
    ("subtle", &["provider/rust.rs"]),
    ("unicode_normalization", &["password.rs"]),
    ("zstd", &["provider/zstd.rs"]),
];

/// These may be named anywhere: they adapt no algorithm.
const EVERYWHERE: &[&str] = &["thiserror", "zeroize"];

pub(crate) const SOURCES: &str = "crates/core/src";

#[test]
fn no_arrow_points_up() {
    crate::none(&Sources::of(SOURCES).arrows(RULES));
}

#[test]
fn each_third_party_crate_is_named_in_its_own_module_only() {
    crate::none(&Sources::of(SOURCES).libraries(THIRD_PARTY));
}

#[test]
fn every_dependency_has_a_rule() {
    crate::every_dependency_has_a_rule("crates/core", THIRD_PARTY, EVERYWHERE);
}

#[test]
fn only_the_pipeline_does_io_and_the_chunks_do_none() {
    let sources = Sources::of(SOURCES);
    let files = sources.name_std(&["fs", "os", "net", "process"]);
    assert!(!files.is_empty() && files.iter().all(|file| file.starts_with("pipeline/")), "{files:?}");
    let files = sources.name_std(&["io"]);
    assert!(files.contains("file/encrypt.rs") && !files.contains("file/chunks.rs"), "{files:?}");
}
