//! Sealstone encrypts files and data to public keys, post-quantum by default, on all cores.
//!
//! ```
//! use sealstone::{Decryptor, Encryptor, Identity, Kind};
//!
//! let identity = Identity::generate(Kind::Hybrid)?;
//! let sealed = Encryptor::new([identity.recipient()]).encrypt(b"attack at dawn")?;
//! assert_eq!(Decryptor::new([identity]).decrypt(&sealed)?, b"attack at dawn");
//! # Ok::<(), sealstone::Error>(())
//! ```
//!
//! - [`Encryptor`] and [`Decryptor`] work on bytes, on `Read` and `Write`, and on files by name, which appear only when they
//!   are complete;
//! - [`Identity`] and [`Recipient`] are keys. [`parse_identities`] reads them as age's strings, PEM, DER or JWK;
//! - [`Rewrapper`] rewraps files for other recipients without decrypting them;
//! - [`inspect`] shows the facts about a file that are visible without a key;
//! - [`FileSealer`] and [`FileOpener`] process a file in parts, for callers with their own streams, memory and threads;
//! - [`chunked`] is the payload without a header, under the caller's key;
//! - [`message`] seals a small plaintext to one public key. The message is at least 50 bytes longer;
//! - [`aead`] seals one buffer under one key and nonce, for other protocols;
//! - [`nacl`] has the boxes of NaCl and libsodium, [`ed25519`] signatures;
//! - [`exchange`] agrees on secrets and encapsulates them, for other protocols;
//! - [`hash`] computes digests of bytes, and [`FileHasher`] digests of files;
//! - [`kdf`] derives keys from secrets and from passwords;
//! - [`mac`] computes tags of messages with HMAC, CMAC, KMAC, BLAKE2 and BLAKE3, and [`FileSigner`] tags of files;
//! - [`password`] hashes passwords for a later login;
//! - [`rsa`] encrypts a key to a public key of RSA, for protocols that use it;
//! - [`sign`] signs data with keys of all kinds, and verifies signatures; [`signature`] does so with signature files, as
//!   `ssh-keygen` does;
//! - [`sm2`] has SM2's signatures and encryption, for protocols that use them;
//! - [`hazmat`] has unauthenticated modes, old ciphers, key wrap, AES-CCM and Poly1305, for data that already uses them;
//! - [`random`] draws bytes, numbers, UUIDs, passwords and passphrases;
//! - [`plugin`] has keys of age's plugins, such as those in hardware tokens, for files of Sealstone and of age;
//! - [`interop`] reads and writes the formats of other software, and [`encoding`] has Base58, Base64 and hexadecimal digits;
//! - [`FileFormat`], [`EncryptFiles`], [`DecryptFiles`] and [`RewrapFiles`] are for programs that choose the format of a file
//!   at run time.
//!
//! # Features
//! All are on by default. With `default-features = false` the crate encrypts and decrypts Sealstone's files and data, and has hashes, MACs,
//! key derivation, AEADs, RSA and key exchange; two thirds of the crates are compiled.
//!
//! - `archive`: compressed files and archives of folders; not in WebAssembly;
//! - `gm`: SM2, and files of the suite `sm4-gcm`. SM3 and SM4 by themselves need no feature;
//! - `interop`: the formats of other software, age, nkCryptoTool, yuants and FISE, and with `gm` tjfoc/gmsm. It turns `sign` on;
//! - `jwk`: reads keys that are JSON Web Keys. Writing them needs no feature;
//! - `legacy`: ciphers, hashes and paddings of old data, such as DES, RC4, MD5 and PKCS#1 v1.5;
//! - `sign`: signatures of data and of files, Ed25519, and keys of SSH.
//!
//! Without a feature, its modules are missing, and its keys, suites and names are errors, like unknown ones.
//!
//! Without a file system, as in a browser, every function that opens a file or a folder by name fails with [`Error::Io`].
//!
//! `spec/format.md` specifies the format. In the repository, `make docs` builds it and the guides as a site with search.
//! Every error has a [`code`](Error::code) that never changes.

#![forbid(unsafe_code)]
// A helper of one feature lies beside those of all. WebAssembly has no archives.
#![cfg_attr(
    any(
        target_family = "wasm",
        not(all(
            feature = "archive",
            feature = "gm",
            feature = "interop",
            feature = "jwk",
            feature = "legacy",
            feature = "sign"
        ))
    ),
    allow(dead_code, unused_imports)
)]

#[macro_use]
mod debug;
#[macro_use]
mod named;

pub mod aead;
#[cfg(feature = "sign")]
pub mod ed25519;
pub mod encoding;
pub mod exchange;
pub mod hash;
pub mod hazmat;
#[cfg(feature = "interop")]
pub mod interop;
pub mod kdf;
pub mod mac;
pub mod nacl;
pub mod password;
pub mod plugin;
pub mod random;
pub mod rsa;
#[cfg(feature = "sign")]
pub mod sign;
#[cfg(feature = "gm")]
pub mod sm2;
#[cfg(not(feature = "gm"))]
#[path = "sm2/none.rs"]
mod sm2;

#[cfg(all(feature = "archive", not(target_family = "wasm")))]
mod archive;
mod argon2;
mod error;
mod file;
mod format;
mod formats;
mod kem;
mod kernel;
mod key;
/// Runs the examples on pages of the guide.
#[cfg(doctest)]
mod guide {
    #![doc = include_str!("../../../docs/guide/ciphers.md")]
    #![doc = include_str!("../../../docs/guide/derive.md")]
    #![doc = include_str!("../../../docs/guide/from-age.md")]
    #![doc = include_str!("../../../docs/guide/from-nkcryptotool.md")]
    #![doc = include_str!("../../../docs/guide/gm.md")]
    #![doc = include_str!("../../../docs/guide/hashes.md")]
    #![doc = include_str!("../../../docs/guide/macs.md")]
    #![doc = include_str!("../../../docs/guide/passwords.md")]
    #![doc = include_str!("../../../docs/guide/public-keys.md")]
    #![doc = include_str!("../../../docs/guide/signatures.md")]
}
#[cfg(test)]
#[path = "../tests/support/cases.rs"]
mod cases;
#[cfg(test)]
#[path = "../../cli/tests/support/chance.rs"]
mod chance;
#[cfg(all(test, feature = "legacy", feature = "sign"))]
mod openssl_tests;
mod pipeline;
mod profile;
mod provider;
mod recipient;
mod reserved;
mod suite;
mod text;

pub use aead::backend;
#[cfg(all(feature = "archive", not(target_family = "wasm")))]
pub use archive::{Entry, MemberKind, Time};
pub use error::{
    Error, KeyFault, Lengths, LooksLike, PluginFault, ProfileRule, RecipientsRule, Restriction, Result, SECRET_MARKS,
    SignatureForm, UnsupportedKey, Withheld, escape_bytes, escape_name, is_escaped, looks_secret,
};
#[cfg(feature = "sign")]
pub use file::signature;
#[cfg(all(feature = "archive", not(target_family = "wasm")))]
pub use file::{Archive, Archived, Archiver, Entries, Extracted, Extractor, Pattern};
pub use file::{
    Ciphered, Decryptor, Encryptor, FileCipher, FileHasher, FileOpener, FileSealer, FileSigner, FileWriter, Inspection,
    OpenUnit, OpenWork, Rewrapper, SealUnit, SealWork, StanzaInfo, chunked, inspect, inspect_alone, inspect_head,
    message, stanzas,
};
#[cfg(all(feature = "archive", not(target_family = "wasm")))]
pub use format::Compression;
pub use format::{
    ArmourDecoder, ArmourEncoder, Asked, Asks, DecryptFiles, EncryptFiles, Prepared, RewrapFiles, Summary, is_armoured,
};
pub use formats::FileFormat;
pub use kernel::forced_backend;
pub use key::{
    Identity, KeyFileError, KeyForm, Kind, Recipient, SymmetricKey, derivations, is_recipient_file,
    looks_like_file_name, parse_identities, parse_identity_strings, parse_recipient_strings, parse_recipients,
    protect_identities,
};
pub use password::Stretching;
pub use password::{Derivation, Passphrase};
pub use pipeline::{
    FileAccess, FileId, FileMode, Folder, Input, Output, Progress, Settings, before_temporaries, remove_temporaries,
};
pub use profile::Profile;
pub use recipient::Stretch;
pub use suite::Suite;
pub use text::Text;
