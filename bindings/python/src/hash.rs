//! Digests: of bytes, of files, of what comes in parts.

use crate::boundary::{computed, or_raise, watched};
use crate::memory::{Data, TURN_LEN};
use pyo3::prelude::*;
use pyo3::sync::MutexExt as _;
use pyo3::types::{PyBytes, PyList, PyString};
use sealstone::hash::{Algorithm, Hasher as Core};
use sealstone_engine::files::path;
use sealstone_engine::hashing;
use std::sync::{Mutex, MutexGuard, PoisonError};
use zeroize::Zeroizing;

fn algorithm(py: Python<'_>, name: &str) -> PyResult<Algorithm> {
    or_raise(py, name.parse::<Algorithm>())
}

/// The digest of bytes. `length` is that of an extendable one: `shake128`, `shake256`, `blake3`; others have their own.
///
/// >>> from sealstone.hash import hash
/// >>> hash("sha256", b"abc").hex()[:16]
/// 'ba7816bf8f01cfea'
/// >>> len(hash("shake256", b"abc", length=100))
/// 100
///
/// `md5`, `sha1` and `ripemd160` are for old data alone: anyone can make two inputs with one digest of the first two.
#[pyfunction]
#[pyo3(signature = (algorithm, data, *, length=None))]
fn hash<'py>(py: Python<'py>, algorithm: &str, data: Data<'_>, length: Option<usize>) -> PyResult<Bound<'py, PyBytes>> {
    let algorithm = self::algorithm(py, algorithm)?;
    if let Some(0) = length {
        or_raise(py, algorithm.check_len(0))?;
    }
    if matches!(data, Data::Buffer(..)) && data.len() > TURN_LEN {
        let mut hasher = Core::new(algorithm);
        taken_in(py, &mut hasher, &data)?;
        return digested(py, &hasher, length);
    }
    let data = data.read();
    let made = computed(py, data.len(), || hashing::digest(algorithm, &data, length.unwrap_or_default()))?;
    Ok(PyBytes::new(py, made.as_bytes()))
}

/// Gives bytes to a hasher; those that others may write to are copied a part at a time.
fn taken_in(py: Python<'_>, hasher: &mut Core, data: &Data<'_>) -> PyResult<()> {
    match data {
        Data::Bytes(bytes) => {
            let bytes = bytes.as_bytes();
            computed(py, bytes.len(), || {
                hasher.update(bytes);
                Ok(())
            })
        }
        Data::Buffer(..) => {
            let mut part = Zeroizing::new(vec![0; data.len().min(TURN_LEN)]);
            for at in (0..data.len()).step_by(TURN_LEN) {
                let part = &mut part[..TURN_LEN.min(data.len() - at)];
                data.copy(at..at + part.len(), part);
                computed(py, part.len(), || {
                    hasher.update(part);
                    Ok(())
                })?;
            }
            Ok(())
        }
    }
}

fn digested<'py>(py: Python<'py>, hasher: &Core, length: Option<usize>) -> PyResult<Bound<'py, PyBytes>> {
    let algorithm = hasher.algorithm();
    let length = length.unwrap_or_else(|| algorithm.digest_len());
    or_raise(py, algorithm.check_len(length))?;
    let mut digest = vec![0; length];
    let hasher = hasher.clone();
    computed(py, length, || hasher.finish_into(&mut digest))?;
    Ok(PyBytes::new(py, &digest))
}

/// The digest of a file, in constant memory; BLAKE3 uses all cores.
///
/// What raises in `on_progress` ends the work, and so does Ctrl-C. A FIFO or a device is `NotRegularFile`, unless `allow_special` is true.
#[pyfunction]
#[pyo3(signature = (algorithm, file, *, length=None, allow_special=false, on_progress=None))]
fn hash_file<'py>(
    py: Python<'py>,
    algorithm: &str,
    file: &Bound<'py, PyAny>,
    length: Option<u32>,
    allow_special: bool,
    on_progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let algorithm = self::algorithm(py, algorithm)?;
    let file: Vec<u8> = py.import("os")?.call_method1("fsencode", (file,))?.extract()?;
    let length = length.map_or(0, |length| length as usize);
    let digest = watched(py, on_progress, |job| hashing::file(algorithm, path(&file), allow_special, length, job))?;
    Ok(PyBytes::new(py, &digest))
}

/// The digest of each of many items.
#[pyfunction]
fn hash_batch<'py>(py: Python<'py>, algorithm: &str, items: Vec<Data<'_>>) -> PyResult<Bound<'py, PyList>> {
    let algorithm = self::algorithm(py, algorithm)?;
    let list = PyList::empty(py);
    for item in &items {
        let data = item.read();
        let made = computed(py, data.len(), || hashing::digest(algorithm, &data, 0))?;
        list.append(PyBytes::new(py, made.as_bytes()))?;
    }
    Ok(list)
}

/// A digest of what comes in parts, as those of `hashlib`.
///
/// >>> from sealstone.hash import Hasher
/// >>> hasher = Hasher("sm3")
/// >>> hasher.update(b"attack ")
/// >>> hasher.update(b"at dawn")
/// >>> hasher.hexdigest()[:16]
/// '45f2a515e1e82271'
#[pyclass(frozen, module = "sealstone.hash")]
pub struct Hasher(Mutex<Box<Core>>);

impl Hasher {
    /// The hasher; who waits for another thread that computes with it does not hold Python's lock.
    fn locked(&self, py: Python<'_>) -> MutexGuard<'_, Box<Core>> {
        self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Hasher {
    #[new]
    #[pyo3(signature = (algorithm, data=None))]
    fn new(py: Python<'_>, algorithm: &str, data: Option<Data<'_>>) -> PyResult<Self> {
        let mut hasher = Core::new(self::algorithm(py, algorithm)?);
        if let Some(data) = data {
            taken_in(py, &mut hasher, &data)?;
        }
        Ok(Self(Mutex::new(Box::new(hasher))))
    }

    /// The algorithm's name.
    #[getter]
    fn name(&self, py: Python<'_>) -> &'static str {
        self.locked(py).algorithm().name()
    }

    /// Bytes of its digest; of an extendable one, of the usual digest.
    #[getter]
    fn digest_size(&self, py: Python<'_>) -> usize {
        self.locked(py).algorithm().digest_len()
    }

    /// Takes more.
    fn update(&self, py: Python<'_>, data: Data<'_>) -> PyResult<()> {
        taken_in(py, &mut self.locked(py), &data)
    }

    /// The digest of what was taken so far; more may follow. `length` is that of an extendable one.
    #[pyo3(signature = (length=None))]
    fn digest<'py>(&self, py: Python<'py>, length: Option<usize>) -> PyResult<Bound<'py, PyBytes>> {
        digested(py, &self.locked(py), length)
    }

    /// As `digest`, in hexadecimal digits.
    #[pyo3(signature = (length=None))]
    fn hexdigest<'py>(&self, py: Python<'py>, length: Option<usize>) -> PyResult<Bound<'py, PyString>> {
        let digest = self.digest(py, length)?;
        Ok(PyString::new(py, &sealstone::encoding::encode_hex(digest.as_bytes())))
    }

    /// Another hasher, which has taken the same and goes on by itself.
    fn copy(&self, py: Python<'_>) -> Self {
        Self(Mutex::new(self.locked(py).clone()))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("Hasher({})", self.locked(py).algorithm())
    }
}

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Hasher>()?;
    module.add_function(wrap_pyfunction!(hash, module)?)?;
    module.add_function(wrap_pyfunction!(hash_batch, module)?)?;
    module.add_function(wrap_pyfunction!(hash_file, module)?)
}
