//! Files that are complete and have no name yet: a job writes down what it is about to publish, and publishes then.

use crate::boundary::{computed, or_raise, watched_if_long};
use crate::files::{Decryptor, Encryptor, Rewrapper, is_short};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sealstone::{Error, Input};
use sealstone_engine::files::{self, path};
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A file that is complete and has no name yet. Forgotten, it leaves nothing.
#[pyclass(frozen, module = "sealstone._native")]
pub struct Prepared(Mutex<Option<sealstone::Prepared<'static>>>);

#[pymethods]
impl Prepared {
    /// Of an encryption.
    #[staticmethod]
    fn encryption(py: Python<'_>, encryptor: &Encryptor, input: Vec<u8>, output: Vec<u8>) -> PyResult<Self> {
        let by = Arc::clone(&encryptor.by);
        let is_quick = || !encryptor.is_slow && is_short(&input);
        let prepare = |job| files::prepare_encryption(by, path(&input), path(&output), job);
        watched_if_long(py, None, is_quick, prepare).map(Self::new)
    }

    /// Of a decryption: all of it is authentic.
    #[staticmethod]
    fn decryption(py: Python<'_>, decryptor: &Decryptor, input: Vec<u8>, output: Vec<u8>) -> PyResult<Self> {
        let by = Arc::clone(&decryptor.by);
        let is_quick = || !decryptor.is_slow && is_short(&input);
        let prepare = |job| files::prepare_decryption(by, path(&input), path(&output), job);
        watched_if_long(py, None, is_quick, prepare).map(Self::new)
    }

    /// Of a file that comes into the place of the one that it is made of.
    #[staticmethod]
    fn rewrapping(py: Python<'_>, rewrapper: &Rewrapper, file: Vec<u8>) -> PyResult<Self> {
        let by = Arc::clone(&rewrapper.0);
        let prepare = |job| files::prepare_rewrapping(by, path(&file), job);
        watched_if_long(py, None, || is_short(&file), prepare).map(Self::new)
    }

    /// Bytes of the plaintext and of the sealed file.
    fn lengths(&self, py: Python<'_>) -> PyResult<(u64, u64)> {
        let held = self.lock();
        let done = or_raise(py, held.as_ref().map(sealstone::Prepared::summary).ok_or(Error::Cancelled))?;
        Ok((done.plaintext, done.ciphertext))
    }

    /// As `content_of_file`.
    fn content<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyBytes>, String)> {
        let (head, payload) = computed(py, usize::MAX, || files::content(|from| self.input(from)))?;
        Ok((PyBytes::new(py, &head), payload.to_string()))
    }

    /// Gives it its name; returns the bytes of the plaintext and of the sealed file.
    fn publish(&self, py: Python<'_>) -> PyResult<(u64, u64)> {
        let publish = || self.lock().take().ok_or(Error::Cancelled)?.publish();
        computed(py, usize::MAX, publish).map(|done| (done.plaintext, done.ciphertext))
    }

    /// Leaves no file.
    fn abandon(&self, py: Python<'_>) {
        py.detach(|| drop(self.lock().take()));
    }
}

impl Prepared {
    fn new(prepared: sealstone::Prepared<'static>) -> Self {
        Self(Mutex::new(Some(prepared)))
    }

    fn lock(&self) -> MutexGuard<'_, Option<sealstone::Prepared<'static>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn input(&self, from: u64) -> sealstone::Result<Input<'static>> {
        self.lock().as_ref().ok_or(Error::Cancelled)?.input(from)
    }
}

/// All that stands before the first chunk of a sealed file, by its name, and BLAKE3 of its payload.
#[pyfunction]
pub fn content_of_file(py: Python<'_>, file: Vec<u8>) -> PyResult<(Bound<'_, PyBytes>, String)> {
    let path = path(&file);
    let input = |from| {
        let fail = |source: io::Error| Error::Io { action: "read", path: Some(path.clone()), source };
        let mut file = File::open(&path).map_err(fail)?;
        file.seek(SeekFrom::Start(from)).map_err(fail)?;
        Input::from_file(file, Some(&path))
    };
    let (head, payload) = computed(py, usize::MAX, || files::content(input))?;
    Ok((PyBytes::new(py, &head), payload.to_string()))
}
