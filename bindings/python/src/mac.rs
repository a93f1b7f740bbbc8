//! Tags of messages under a key.

use crate::boundary::{computed, or_raise, watched};
use crate::held::Held;
use crate::keys::stays;
use crate::memory::Data;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sealstone::mac::{Algorithm, Mac};
use sealstone_engine::files::path;
use sealstone_engine::mac::{self, Signing};

/// A key of a MAC: HMAC, AES-CMAC, KMAC256, `BLAKE2b` and BLAKE3 with a key. Threads can share it.
///
/// `customization` and `length`, of the tag, are of `kmac256` alone. The key is zeroed by `destroy`, or after it is collected, and is
/// neither copied nor pickled.
///
/// >>> from sealstone.mac import MacKey
/// >>> key = MacKey("hmac-sha256", bytes(range(32)))
/// >>> tag = key.sign(b"attack at dawn")
/// >>> key.verify(b"attack at dawn", tag)
///
/// RFC 2104, SP 800-38B, SP 800-185.
#[pyclass(frozen, module = "sealstone.mac")]
pub struct MacKey {
    key: Held<Mac>,
    algorithm: Algorithm,
}

#[pymethods]
impl MacKey {
    #[new]
    #[pyo3(signature = (algorithm, key, *, customization=None, length=None))]
    fn new(
        py: Python<'_>,
        algorithm: &str,
        key: Data<'_>,
        customization: Option<Data<'_>>,
        length: Option<u32>,
    ) -> PyResult<Self> {
        let customization = customization.as_ref().map(Data::read);
        let key = mac::mac(algorithm, &key.read(), customization.as_deref(), length.unwrap_or_default());
        let key = or_raise(py, key)?;
        Ok(Self { algorithm: key.algorithm(), key: Held::new(key) })
    }

    /// The algorithm of this key.
    #[getter]
    fn algorithm(&self) -> &'static str {
        self.algorithm.name()
    }

    /// Bytes of a tag.
    #[getter]
    fn tag_length(&self) -> PyResult<usize> {
        Ok(self.key.get()?.tag_len())
    }

    /// The tag of a message.
    fn sign<'py>(&self, py: Python<'py>, data: Data<'_>) -> PyResult<Bound<'py, PyBytes>> {
        let (key, data) = (self.key.get()?, data.read());
        let tag = computed(py, data.len(), || Ok(key.sign(&data)))?;
        Ok(PyBytes::new(py, tag.as_bytes()))
    }

    /// Checks a tag, in constant time: without an exception it is the message's.
    ///
    /// `NotAuthentic` for another message, tag or key. With `truncated` a tag may be cut: to no less than half, and 10 bytes.
    #[pyo3(signature = (data, tag, *, truncated=false))]
    fn verify(&self, py: Python<'_>, data: Data<'_>, tag: Data<'_>, truncated: bool) -> PyResult<()> {
        let (key, data, tag) = (self.key.get()?, data.read(), tag.read());
        computed(py, data.len(), || mac::verify(&key, &data, &tag, truncated))
    }

    /// A tag of what comes in parts.
    fn begin(&self) -> PyResult<MacSigner> {
        Ok(MacSigner(Held::new(Signing::new(&*self.key.get()?))))
    }

    /// The tag of a file, in constant memory.
    #[pyo3(signature = (file, *, allow_special=false, on_progress=None))]
    fn sign_file<'py>(
        &self,
        py: Python<'py>,
        file: &Bound<'py, PyAny>,
        allow_special: bool,
        on_progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let key = self.key.get()?;
        let file: Vec<u8> = py.import("os")?.call_method1("fsencode", (file,))?.extract()?;
        let tag = watched(py, on_progress, |job| mac::file(key, path(&file), allow_special, job))?;
        Ok(PyBytes::new(py, tag.as_bytes()))
    }

    /// Zeroes the key, once no call uses it.
    fn destroy(&self) {
        self.key.destroy();
    }

    fn __repr__(&self) -> String {
        format!("MacKey({})", self.algorithm)
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(stays("MacKey"))
    }
}

/// A tag in the making. `MacKey.begin` makes one.
#[pyclass(frozen, module = "sealstone.mac")]
pub struct MacSigner(Held<Signing>);

#[pymethods]
impl MacSigner {
    /// Takes more.
    fn update(&self, py: Python<'_>, data: Data<'_>) -> PyResult<()> {
        let (signing, data) = (self.0.get()?, data.read());
        // Another thread may compute with it, so whoever waits must not hold Python's lock.
        computed(py, usize::MAX, || {
            signing.update(&data);
            Ok(())
        })
    }

    /// The tag of what was taken so far; more may follow.
    fn tag<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let signing = self.0.get()?;
        let tag = computed(py, usize::MAX, || Ok(signing.tag()))?;
        Ok(PyBytes::new(py, tag.as_bytes()))
    }

    /// Checks a tag of what was taken so far, as `MacKey.verify` does.
    #[pyo3(signature = (tag, *, truncated=false))]
    fn verify(&self, py: Python<'_>, tag: Data<'_>, truncated: bool) -> PyResult<()> {
        let (signing, tag) = (self.0.get()?, tag.read());
        computed(py, usize::MAX, || signing.verify(&tag, truncated))
    }

    /// Zeroes what it holds.
    fn destroy(&self) {
        self.0.destroy();
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(stays("MacSigner"))
    }
}

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<MacKey>()?;
    module.add_class::<MacSigner>()
}
