//! Digests.

use crate::boundary::{computed, encoded, fed, or_raise, watched};
use crate::memory::{Data, TURN_LEN, made};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use sealstone::hash::{self as core_hash, Algorithm};
use sealstone_engine::files::path;
use sealstone_engine::hashing::{self, Hashing};

/// The digest of bytes in memory.
///
/// `length` is for `shake128`, `shake256` and `blake3`, whose digests have any length. `UnknownAlgorithm`; `WrongLength` for a length that
/// the algorithm does not have.
///
/// >>> from sealstone.hash import hash
/// >>> hash("sm3", b"abc").hex()
/// '66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0'
/// >>> len(hash("shake256", b"abc", length=100))
/// 100
#[pyfunction]
#[pyo3(signature = (algorithm, data, *, length=None))]
fn hash<'py>(py: Python<'py>, algorithm: &str, data: Data<'_>, length: Option<usize>) -> PyResult<Bound<'py, PyBytes>> {
    let algorithm = or_raise(py, algorithm.parse::<Algorithm>())?;
    digest(py, algorithm, &data, length)
}

fn digest<'py>(
    py: Python<'py>,
    algorithm: Algorithm,
    data: &Data<'_>,
    length: Option<usize>,
) -> PyResult<Bound<'py, PyBytes>> {
    if data.len() > TURN_LEN {
        let hashing = Hashing::new(algorithm);
        fed(py, data, |part| hashing.update(part))?;
        return ended(py, &hashing, algorithm, length);
    }
    let len = or_raise(py, hashing::digest_len(algorithm, length))?;
    let data = data.read();
    made(py, len, |digest| computed(py, data.len().max(len), || core_hash::hash_into(algorithm, &data, digest)))
}

/// The digest of what was taken so far.
fn ended<'py>(
    py: Python<'py>,
    hashing: &Hashing,
    algorithm: Algorithm,
    length: Option<usize>,
) -> PyResult<Bound<'py, PyBytes>> {
    let len = or_raise(py, hashing::digest_len(algorithm, length))?;
    // Python's memory first: where there is none, that is `MemoryError`.
    made(py, len, |digest| {
        digest.copy_from_slice(computed(py, len, || hashing.digest(len))?.as_bytes());
        Ok(())
    })
}

/// The digest of a file, by its name; BLAKE3 on all cores.
///
/// A FIFO or a device is `NotRegularFile`, unless `allow_special` is true. `Io`, and `InputChanged` for a file that is changed meanwhile.
///
/// >>> from sealstone.hash import hash_file
/// >>> with open("order", "wb") as order:
/// ...     _ = order.write(b"abc")
/// >>> hash_file("sha1", "order").hex()
/// 'a9993e364706816aba3e25717850c26c9cd0d89d'
#[pyfunction]
#[pyo3(signature = (algorithm, file, *, length=None, allow_special=false, on_progress=None))]
fn hash_file<'py>(
    py: Python<'py>,
    algorithm: &str,
    file: &Bound<'_, PyAny>,
    length: Option<usize>,
    allow_special: bool,
    on_progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let algorithm = or_raise(py, algorithm.parse::<Algorithm>())?;
    let len = or_raise(py, hashing::digest_len(algorithm, length))?;
    let file = encoded(file)?;
    let digest = watched(py, on_progress, |job| hashing::file(algorithm, path(&file), allow_special, len, job))?;
    Ok(PyBytes::new(py, &digest))
}

/// The digests of many items, in their order.
///
/// >>> from sealstone.hash import hash_batch
/// >>> one, two = hash_batch("sha256", [b"one", b"two"])
/// >>> one.hex()[:8], two.hex()[:8]
/// ('7692c3ad', '3fc4ccfe')
#[pyfunction]
fn hash_batch<'py>(py: Python<'py>, algorithm: &str, items: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let algorithm = or_raise(py, algorithm.parse::<Algorithm>())?;
    let digests =
        items.try_iter()?.map(|item| digest(py, algorithm, &item?.extract()?, None)).collect::<PyResult<Vec<_>>>()?;
    PyList::new(py, digests)
}

/// A digest of what comes in parts, as `hashlib` has it: also for `hashlib.file_digest`.
///
/// >>> from sealstone.hash import Hasher, hash
/// >>> hasher = Hasher("blake3")
/// >>> for part in (b"attack ", b"at dawn"):
/// ...     hasher.update(part)
/// >>> hasher.digest() == hash("blake3", b"attack at dawn")
/// True
#[pyclass(frozen, module = "sealstone.hash")]
pub struct Hasher {
    /// Apart: Python aligns its objects to 16 bytes, and states of hashes want 64.
    hashing: Box<Hashing>,
    algorithm: Algorithm,
}

#[pymethods]
impl Hasher {
    #[new]
    #[pyo3(signature = (algorithm, data=None))]
    fn new(py: Python<'_>, algorithm: &str, data: Option<Data<'_>>) -> PyResult<Self> {
        let algorithm = or_raise(py, algorithm.parse::<Algorithm>())?;
        let hasher = Self { hashing: Hashing::new(algorithm).into(), algorithm };
        if let Some(data) = data {
            hasher.update(py, data)?;
        }
        Ok(hasher)
    }

    /// The algorithm.
    #[getter]
    fn name(&self) -> &'static str {
        self.algorithm.name()
    }

    /// Bytes of a digest, where no other length is asked for.
    #[getter]
    fn digest_size(&self) -> usize {
        self.algorithm.digest_len()
    }

    /// Takes the next bytes.
    fn update(&self, py: Python<'_>, data: Data<'_>) -> PyResult<()> {
        fed(py, &data, |part| self.hashing.update(part))
    }

    /// The digest of all bytes so far; more may follow. `length` as that of `hash`.
    #[pyo3(signature = (length=None))]
    fn digest<'py>(&self, py: Python<'py>, length: Option<usize>) -> PyResult<Bound<'py, PyBytes>> {
        ended(py, &self.hashing, self.algorithm, length)
    }

    /// As `digest`, in hexadecimal digits.
    #[pyo3(signature = (length=None))]
    fn hexdigest<'py>(&self, py: Python<'py>, length: Option<usize>) -> PyResult<Bound<'py, PyAny>> {
        self.digest(py, length)?.call_method0("hex")
    }

    /// Another one, which has taken the same and goes on by itself.
    fn copy(&self) -> Self {
        Self { hashing: self.hashing.copy().into(), algorithm: self.algorithm }
    }

    fn __repr__(&self) -> String {
        format!("Hasher({})", self.algorithm)
    }
}

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Hasher>()?;
    module.add_function(wrap_pyfunction!(hash, module)?)?;
    module.add_function(wrap_pyfunction!(hash_file, module)?)?;
    module.add_function(wrap_pyfunction!(hash_batch, module)?)
}
