//! The native part of the Python package `sealstone`: it converts bytes, errors and threads, and decides nothing.
//!
//! `python/sealstone/` calls it, and nobody else. Each family of algorithms is a module of its own here and there.
//!
//! `unsafe` is only in `memory.rs`. No call leaves a thread behind.

mod aead;
mod boundary;
mod exchange;
mod files;
mod fise;
mod hash;
mod hazmat;
mod held;
mod kdf;
mod keys;
mod mac;
mod memory;
mod messages;
mod pairs;
mod password;
mod prepared;
mod rsa;
mod sign;
mod signature;
mod sm2;
mod streams;

use pyo3::prelude::*;

/// The backend on this machine: the library or kernel of each algorithm, and the features of the CPU.
#[pyfunction]
fn backend(py: Python<'_>) -> PyResult<String> {
    boundary::or_raise(py, sealstone::backend())
}

/// Python's allocator aligns to 16 bytes and no more, whatever a class asks for. What needs more is in a box.
macro_rules! aligned {
    ($($class:ty),* $(,)?) => { $(const _: () = assert!(align_of::<$class>() <= 16);)* };
}
aligned!(
    aead::AeadKey,
    exchange::PrivateKey,
    exchange::PublicKey,
    files::Decryptor,
    files::Encryptor,
    files::Rewrapper,
    fise::FrameDecoder,
    fise::FrameEncoder,
    fise::Profile,
    fise::Reader,
    hash::Hasher,
    hazmat::CcmKey,
    hazmat::Cipher,
    hazmat::KeyWrap,
    hazmat::LegacyCipher,
    kdf::KeyCache,
    keys::Identity,
    keys::Recipient,
    mac::MacKey,
    mac::MacSigner,
    messages::ChunkedKey,
    prepared::Prepared,
    rsa::PrivateKey,
    rsa::PublicKey,
    sign::PrivateKey,
    sign::PublicKey,
    sm2::PrivateKey,
    sm2::PublicKey,
    streams::Chunks,
    streams::StreamOpener,
    streams::Writer,
);

/// The families: the name of each, and what puts its classes and functions into its module.
type Family = (&'static str, fn(&Bound<'_, PyModule>) -> PyResult<()>);

const FAMILIES: [Family; 12] = [
    ("aead", aead::fill),
    ("exchange", exchange::fill),
    ("fise", fise::fill),
    ("hash", hash::fill),
    ("hazmat", hazmat::fill),
    ("kdf", kdf::fill),
    ("mac", mac::fill),
    ("password", password::fill),
    ("rsa", rsa::fill),
    ("sign", sign::fill),
    ("signature", signature::fill),
    ("sm2", sm2::fill),
];

#[pymodule]
mod _native {
    use super::FAMILIES;
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::backend;
    #[pymodule_export]
    const MAX_THREADS: u32 = sealstone_engine::files::MAX_THREADS;
    #[pymodule_export]
    use crate::files::{Decryptor, Encryptor, Rewrapper, inspect, inspect_file, inspect_head};
    #[pymodule_export]
    use crate::keys::{
        Identity, Recipient, export_identity, export_recipient, generate_identity, identity_from_key,
        identity_from_passphrase, import_identities, import_recipients, looks_like_file_name, recipient_of,
    };
    #[pymodule_export]
    use crate::messages::{ChunkedKey, open_message, seal_message};
    #[pymodule_export]
    use crate::prepared::{Prepared, content_of_file};
    #[pymodule_export]
    use crate::streams::{Chunks, StreamOpener, Writer, armour_look_len, is_armoured, read_head_len};

    /// Makes the families importable by their names.
    #[pymodule_init]
    fn init(native: &Bound<'_, PyModule>) -> PyResult<()> {
        let modules = native.py().import("sys")?.getattr("modules")?;
        for (name, fill) in FAMILIES {
            let path = format!("sealstone._native.{name}");
            let family = PyModule::new(native.py(), &path)?;
            fill(&family)?;
            native.add(name, &family)?;
            modules.set_item(path, family)?;
        }
        Ok(())
    }
}
