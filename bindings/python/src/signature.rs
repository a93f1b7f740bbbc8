//! Signature files.

use crate::boundary::{computed, fed, or_raise, watched};
use crate::keys::Text;
use crate::memory::Data;
use crate::sign::{PrivateKey, PublicKey};
use pyo3::prelude::*;
use sealstone::signature::{self, SignatureReader, SignatureWriter};
use sealstone_engine::files::path;
use sealstone_engine::signature::{self as engine, Parts, Trusting};
use std::sync::Arc;

/// Signs, with a key and options.
#[pyclass(frozen, module = "sealstone._native.signature")]
struct Writer(Arc<SignatureWriter>);

#[pymethods]
impl Writer {
    #[new]
    fn new(
        py: Python<'_>,
        key: &PrivateKey,
        namespace: Option<&str>,
        comment: Option<&str>,
        profile: Option<&str>,
    ) -> PyResult<Self> {
        let writer = engine::writer(key.0.get()?, namespace, comment, profile);
        or_raise(py, writer).map(|writer| Self(Arc::new(writer)))
    }

    fn begin(&self, py: Python<'_>) -> PyResult<Signing> {
        or_raise(py, self.0.begin()).map(|signing| Signing(Parts::new(signing)))
    }

    fn sign_file(
        &self,
        py: Python<'_>,
        file: Vec<u8>,
        allow_special: bool,
        on_progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let by = Arc::clone(&self.0);
        watched(py, on_progress, |job| engine::sign_file(by, path(&file), allow_special, job))
    }

    /// Bytes of the content, and of all that was written.
    fn attach_file(
        &self,
        py: Python<'_>,
        input: Vec<u8>,
        output: Vec<u8>,
        replace: bool,
        allow_special: bool,
        on_progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(u64, u64)> {
        let by = Arc::clone(&self.0);
        let signed = watched(py, on_progress, |job| {
            engine::attach_file(by, path(&input), path(&output), replace, allow_special, job)
        })?;
        Ok((signed.content, signed.written))
    }
}

/// Content in parts that is signed.
#[pyclass(frozen, module = "sealstone._native.signature")]
struct Signing(Parts<signature::Signing>);

#[pymethods]
impl Signing {
    fn update(&self, py: Python<'_>, content: Data<'_>) -> PyResult<()> {
        fed(py, &content, |part| self.0.update(part))
    }

    fn finish(&self, py: Python<'_>) -> PyResult<String> {
        computed(py, usize::MAX, || self.0.finish())
    }
}

/// Whom a reader trusts.
#[pyclass(frozen, module = "sealstone._native.signature")]
struct Signers(Trusting);

#[pymethods]
impl Signers {
    #[new]
    fn new(py: Python<'_>, namespace: Option<&str>, profile: Option<String>) -> PyResult<Self> {
        or_raise(py, Trusting::new(namespace, profile)).map(Self)
    }

    fn key(&self, py: Python<'_>, key: &PublicKey) -> PyResult<()> {
        or_raise(py, self.0.key(&key.0))
    }

    fn file(&self, py: Python<'_>, file: Text<'_>) -> PyResult<()> {
        or_raise(py, self.0.file(&file.read()?))
    }

    /// Those whom a file of allowed signers gives, at a second since 1970.
    fn allowed(&self, py: Python<'_>, file: Text<'_>, principal: Option<&str>, at: u64) -> PyResult<()> {
        or_raise(py, self.0.allowed(&file.read()?, principal, at))
    }

    fn reader(&self, py: Python<'_>) -> PyResult<Reader> {
        or_raise(py, self.0.reader()).map(|reader| Reader(Arc::new(reader)))
    }
}

/// Verifies, with signers and options.
#[pyclass(frozen, module = "sealstone._native.signature")]
struct Reader(Arc<SignatureReader>);

#[pymethods]
impl Reader {
    fn begin(&self, py: Python<'_>, signature: Text<'_>) -> PyResult<Verifying> {
        or_raise(py, self.0.begin(&signature.read()?)).map(|verifying| Verifying(Parts::new(verifying)))
    }

    fn verify_file<'py>(
        &self,
        py: Python<'py>,
        file: Vec<u8>,
        signature: Text<'_>,
        allow_special: bool,
        on_progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (by, signature) = (Arc::clone(&self.0), signature.read()?.to_vec());
        let work = |job| engine::verify_file(by, path(&file), signature, allow_special, job);
        said(py, &watched(py, on_progress, work)?)
    }

    fn detach_file<'py>(
        &self,
        py: Python<'py>,
        input: Vec<u8>,
        output: Option<Vec<u8>>,
        replace: bool,
        allow_special: bool,
        on_progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (by, output) = (Arc::clone(&self.0), output.as_deref().map(path));
        let work = |job| engine::detach_file(by, path(&input), output, replace, allow_special, job);
        said(py, &watched(py, on_progress, work)?)
    }
}

/// Content in parts that is verified.
#[pyclass(frozen, module = "sealstone._native.signature")]
struct Verifying(Parts<signature::Verifying>);

#[pymethods]
impl Verifying {
    fn update(&self, py: Python<'_>, content: Data<'_>) -> PyResult<()> {
        fed(py, &content, |part| self.0.update(part))
    }

    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        said(py, &computed(py, usize::MAX, || self.0.finish())?)
    }
}

/// The contents of a verified signature: a `Verified`.
fn said<'py>(py: Python<'py>, verified: &signature::Verified) -> PyResult<Bound<'py, PyAny>> {
    py.import("sealstone.signature")?.getattr("Verified")?.call1((
        verified.kind().name(),
        verified.fingerprint(),
        verified.signer().ssh_fingerprint(),
        verified.principals(),
        verified.comment(),
        verified.content_len(),
    ))
}

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Writer>()?;
    module.add_class::<Signing>()?;
    module.add_class::<Signers>()?;
    module.add_class::<Reader>()?;
    module.add_class::<Verifying>()
}
