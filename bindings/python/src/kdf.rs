//! Keys of secrets and of passwords.

use crate::boundary::{computed, or_raise, watched};
use crate::keys::{Text, stays};
use crate::memory::{Data, plain_bytes};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sealstone::kdf::{Cost, Input};
use sealstone_engine::deriving::Deriving;
use sealstone_engine::kdf::{self as engine, Keys};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// HKDF (RFC 5869): extracts a key from a secret and a salt, and expands it to `length` bytes.
///
/// `info` says what the key is for: another text gives another key. `UnknownAlgorithm` for a hash without an HMAC, `TooLong` for more than
/// 255 digests.
///
/// >>> from sealstone.kdf import hkdf
/// >>> shared = bytes(32)  # from a key agreement, for example
/// >>> to_server = hkdf("sha256", shared, length=32, info=b"my app, to the server")
/// >>> to_client = hkdf("sha256", shared, length=32, info=b"my app, to the client")
/// >>> to_server == to_client
/// False
#[pyfunction]
#[pyo3(signature = (hash, secret, *, length, salt=None, info=None))]
fn hkdf<'py>(
    py: Python<'py>,
    hash: &str,
    secret: Data<'_>,
    length: u32,
    salt: Option<Data<'_>>,
    info: Option<Data<'_>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (secret, salt, info) = (secret.read(), salt.as_ref().map(Data::read), info.as_ref().map(Data::read));
    let (salt, info) = (salt.as_deref().unwrap_or_default(), info.as_deref().unwrap_or_default());
    let key = computed(py, secret.len() + info.len(), || engine::hkdf(hash, &secret, salt, info, length))?;
    Ok(plain_bytes(py, &key))
}

/// HKDF-Extract: a key as long as a digest.
///
/// >>> from sealstone.kdf import hkdf_expand, hkdf_extract
/// >>> key = hkdf_extract("sha512", b"salt", bytes(32))
/// >>> len(key), len(hkdf_expand("sha512", key, b"my app", 100))
/// (64, 100)
#[pyfunction]
fn hkdf_extract<'py>(py: Python<'py>, hash: &str, salt: Data<'_>, secret: Data<'_>) -> PyResult<Bound<'py, PyBytes>> {
    let (salt, secret) = (salt.read(), secret.read());
    Ok(plain_bytes(py, &computed(py, secret.len(), || engine::hkdf_extract(hash, &salt, &secret))?))
}

/// HKDF-Expand, from a key that is random or that `hkdf_extract` returned.
///
/// `WrongLength` for a key that is shorter than a digest, and `TooLong` for more than 255 digests.
#[pyfunction]
fn hkdf_expand<'py>(
    py: Python<'py>,
    hash: &str,
    key: Data<'_>,
    info: Data<'_>,
    length: u32,
) -> PyResult<Bound<'py, PyBytes>> {
    let (key, info) = (key.read(), info.read());
    Ok(plain_bytes(py, &computed(py, info.len(), || engine::hkdf_expand(hash, &key, &info, length))?))
}

/// The one-step KDF of SP 800-56C over a hash, which JOSE calls Concat KDF: a key from a shared secret and from what both sides know.
///
/// >>> from sealstone.kdf import concat_kdf
/// >>> len(concat_kdf("sha256", bytes(32), b"my app, from Alice to Bob", 16))
/// 16
#[pyfunction]
fn concat_kdf<'py>(
    py: Python<'py>,
    hash: &str,
    secret: Data<'_>,
    info: Data<'_>,
    length: u32,
) -> PyResult<Bound<'py, PyBytes>> {
    let (secret, info) = (secret.read(), info.read());
    let len = secret.len() + info.len() + length as usize;
    Ok(plain_bytes(py, &computed(py, len, || engine::concat(hash, &secret, &info, length))?))
}

/// BLAKE3's key derivation. The context says what the key is for. It must be a constant of the program, never an input.
///
/// >>> from sealstone.kdf import blake3_derive_key
/// >>> len(blake3_derive_key("example.com 2026-11-23 session tokens v1", bytes(32)))
/// 32
#[pyfunction]
#[pyo3(signature = (context, secret, length=32))]
fn blake3_derive_key<'py>(
    py: Python<'py>,
    context: &str,
    secret: Data<'_>,
    length: u32,
) -> PyResult<Bound<'py, PyBytes>> {
    let secret = secret.read();
    let len = secret.len() + length as usize;
    Ok(plain_bytes(py, &computed(py, len, || engine::blake3_derive_key(context, &secret, length))?))
}

/// A name and the numbers of a cost, as Python has them.
pub type Named = (String, [u32; 3]);

/// A cost of Python's.
pub fn cost_of(py: Python<'_>, (name, numbers): &Named) -> PyResult<Cost> {
    or_raise(py, engine::cost(name, *numbers))
}

/// A key of a password; the functions of `sealstone.kdf` say what it takes.
#[pyfunction]
fn derive<'py>(
    py: Python<'py>,
    cost: Named,
    password: Text<'_>,
    salt: Data<'_>,
    secret: Data<'_>,
    associated_data: Data<'_>,
    length: u32,
    allow_high_cost: bool,
    cache: Option<&KeyCache>,
) -> PyResult<Bound<'py, PyBytes>> {
    let cost = cost_of(py, &cost)?;
    let parts = (password.read()?, salt.read(), secret.read(), associated_data.read());
    let input = Input { password: &parts.0, salt: &parts.1, secret: &parts.2, data: &parts.3 };
    let bounds = engine::bounds(!allow_high_cost);
    let kept = cache.map(|cache| (cache.keys(), cache.begun));
    if let Some((keys, begun)) = &kept {
        let found = or_raise(py, keys.find(millis(begun.elapsed()), &cost, &input, bounds, length))?;
        if !found.is_empty() {
            return Ok(plain_bytes(py, &found));
        }
    }
    let key = watched(py, None, |job| Deriving::later(|| Deriving::key(&cost, &input, bounds, length), job))?;
    if let Some((keys, begun)) = &kept {
        keys.keep(millis(begun.elapsed()), &cost, &input, &key);
    }
    Ok(plain_bytes(py, &key))
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Keys of passwords that were derived before: the last used, each for a while. The same password, salt and cost give the key at once.
///
/// It has at most `entries` keys, each for `lifetime` seconds after it was derived. It knows passwords by a keyed hash alone. A key is
/// zeroed when it leaves: by a newer one, by `clear`, or by its age, which is looked at when the next key is asked for. With a cache, the
/// cost protects a password only against those who cannot read this memory, and the time of an answer tells whether the key was derived
/// before.
///
/// >>> from sealstone.kdf import KeyCache, argon2id
/// >>> cache = KeyCache()
/// >>> key = argon2id("correct horse battery staple", b"a random salt 16", cache=cache)
/// >>> argon2id("correct horse battery staple", b"a random salt 16", cache=cache) == key  # at once
/// True
/// >>> cache.clear()
#[pyclass(frozen, module = "sealstone.kdf")]
pub struct KeyCache {
    /// Cleared by others in their place: a key that was asked for before is kept by those that nobody sees any more.
    keys: Mutex<Arc<Keys>>,
    entries: u32,
    lifetime: Duration,
    begun: Instant,
}

#[pymethods]
impl KeyCache {
    #[new]
    #[pyo3(signature = (*, entries=100, lifetime=300.0))]
    fn new(py: Python<'_>, entries: u32, lifetime: f64) -> PyResult<Self> {
        let lifetime = Duration::try_from_secs_f64(lifetime)
            .map_err(|_| PyValueError::new_err("lifetime must be a number of seconds that is not negative"))?;
        let keys = Mutex::new(empty(py, entries, lifetime)?);
        Ok(Self { keys, entries, lifetime, begun: Instant::now() })
    }

    /// Forgets all keys.
    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        let none = empty(py, self.entries, self.lifetime)?;
        *self.keys.lock().unwrap_or_else(PoisonError::into_inner) = none;
        Ok(())
    }

    fn __repr__(&self) -> &'static str {
        "KeyCache()"
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(stays("KeyCache"))
    }
}

impl KeyCache {
    fn keys(&self) -> Arc<Keys> {
        Arc::clone(&self.keys.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn empty(py: Python<'_>, entries: u32, lifetime: Duration) -> PyResult<Arc<Keys>> {
    or_raise(py, Keys::new(entries, millis(lifetime))).map(Arc::new)
}

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<KeyCache>()?;
    module.add_function(wrap_pyfunction!(hkdf, module)?)?;
    module.add_function(wrap_pyfunction!(hkdf_extract, module)?)?;
    module.add_function(wrap_pyfunction!(hkdf_expand, module)?)?;
    module.add_function(wrap_pyfunction!(concat_kdf, module)?)?;
    module.add_function(wrap_pyfunction!(blake3_derive_key, module)?)?;
    module.add_function(wrap_pyfunction!(derive, module)?)
}
