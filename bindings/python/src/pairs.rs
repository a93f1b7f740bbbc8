//! What keys of two halves have in common, whatever they are for.

use crate::boundary::{computed, or_raise, watched};
use crate::keys::Text;
use crate::memory::Read;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use sealstone::Result;
use sealstone_engine::Work;
use std::hash::{DefaultHasher, Hash, Hasher as _};
use zeroize::Zeroizing;

/// A private key in whatever form it is. One that is protected costs a password hash, which takes long.
pub fn private<T: Send, F: FnOnce() -> Result<T> + Send>(
    py: Python<'_>,
    key: &Text<'_>,
    passphrase: Option<&Text<'_>>,
    now: impl FnOnce(&[u8]) -> Result<T> + Send,
    later: impl FnOnce(Zeroizing<Vec<u8>>, &[u8]) -> Result<Work<F>>,
) -> PyResult<T> {
    let key = key.read()?;
    match passphrase {
        None => computed(py, usize::MAX, || now(&key)),
        Some(passphrase) => {
            let work = or_raise(py, later(key.to_vec().into(), &passphrase.read()?))?;
            watched(py, None, |_| work)
        }
    }
}

/// A public key likewise.
pub fn public<T: Send>(py: Python<'_>, key: &Text<'_>, read: impl FnOnce(&[u8]) -> Result<T> + Send) -> PyResult<T> {
    let key = key.read()?;
    computed(py, usize::MAX, || read(&key))
}

/// The bytes of a key alone, of which the caller names the kind.
pub fn raw<'a>(key: &'a Text<'_>, passphrase: Option<&Text<'_>>) -> PyResult<Read<'a>> {
    match key {
        Text::Text(_) => Err(PyTypeError::new_err("a key as text names its kind itself: leave out 'kind'")),
        Text::Data(_) if passphrase.is_some() => {
            Err(PyTypeError::new_err("raw bytes of a key have no passphrase: leave out 'passphrase' or 'kind'"))
        }
        Text::Data(bytes) => Ok(bytes.read()),
    }
}

/// What Python finds a public key by in its sets and dictionaries.
pub fn hash_of(key: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

/// How a private key shows itself: its secret never.
pub fn shown<T: std::fmt::Display>(named: PyResult<T>) -> String {
    named.map_or_else(|_| "PrivateKey(destroyed)".into(), |named| format!("PrivateKey({named})"))
}
