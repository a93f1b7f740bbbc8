//! Compact messages, and chunked encryption under a key.

use crate::boundary::{computed, or_raise};
use crate::held::Held;
use crate::keys::{Identity, Recipient, Text, stays};
use crate::memory::Data;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use sealstone::message;
use zeroize::Zeroizing;

/// Seals a message of up to 16 MiB, in few bytes more: 50 for a key of `x25519`, 1,138 for `hybrid`. With `armour` it is text.
///
/// >>> import sealstone
/// >>> identity = sealstone.generate_identity("x25519")
/// >>> message = sealstone.seal_message(sealstone.recipient_of(identity), b"attack at dawn")
/// >>> len(message)
/// 64
/// >>> sealstone.open_message(identity, message)
/// b'attack at dawn'
#[pyfunction]
#[pyo3(signature = (recipient, data, *, aad=None, armour=false))]
pub fn seal_message<'py>(
    py: Python<'py>,
    recipient: &Recipient,
    data: Data<'_>,
    aad: Option<Data<'_>>,
    armour: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (data, aad) = (data.read(), aad.as_ref().map(Data::read));
    let aad = aad.as_deref().unwrap_or_default();
    let sealed = computed(py, usize::MAX, || message::seal(&recipient.0, &data, aad))?;
    Ok(if armour {
        PyString::new(py, &message::armour(&sealed)).into_any()
    } else {
        PyBytes::new(py, &sealed).into_any()
    })
}

/// Opens a message, which is `NotAuthentic` with any other key, bytes or `aad`.
#[pyfunction]
#[pyo3(signature = (identity, message, *, aad=None))]
pub fn open_message<'py>(
    py: Python<'py>,
    identity: &Identity,
    message: Text<'_>,
    aad: Option<Data<'_>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (identity, message, aad) = (identity.0.get()?, message.read()?, aad.as_ref().map(Data::read));
    let aad = aad.as_deref().unwrap_or_default();
    let opened = Zeroizing::new(computed(py, usize::MAX, || message::open(&identity, &message, aad))?);
    Ok(PyBytes::new(py, &opened))
}

/// A key under which much is encrypted, in chunks of 16 KiB and without a header.
///
/// >>> import sealstone
/// >>> key = sealstone.ChunkedKey("aes-256-gcm", bytes(range(32)))
/// >>> key.decrypt(b"films", key.encrypt(b"films", b"attack at dawn"))
/// b'attack at dawn'
#[pyclass(frozen, module = "sealstone")]
pub struct ChunkedKey {
    key: Held<sealstone::chunked::ChunkedKey>,
    suite: sealstone::Suite,
}

#[pymethods]
impl ChunkedKey {
    #[new]
    fn new(py: Python<'_>, suite: &str, key: Data<'_>) -> PyResult<Self> {
        let suite: sealstone::Suite = or_raise(py, suite.parse::<sealstone::Suite>())?;
        let key = or_raise(py, sealstone::chunked::ChunkedKey::new(suite, &key.read()))?;
        Ok(Self { key: Held::new(key), suite })
    }

    /// The suite, which says what its AEAD and its hash are.
    #[getter]
    fn suite(&self) -> &'static str {
        self.suite.name()
    }

    /// Encrypts bytes; `context` says what they are for, and decryption needs it again.
    fn encrypt<'py>(&self, py: Python<'py>, context: Data<'_>, data: Data<'_>) -> PyResult<Bound<'py, PyBytes>> {
        let (key, context, data) = (self.key.get()?, context.read(), data.read());
        Ok(PyBytes::new(py, &computed(py, usize::MAX, || key.encrypt(&context, &data))?))
    }

    /// Decrypts what `encrypt` has made, all or nothing.
    fn decrypt<'py>(&self, py: Python<'py>, context: Data<'_>, data: Data<'_>) -> PyResult<Bound<'py, PyBytes>> {
        let (key, context, data) = (self.key.get()?, context.read(), data.read());
        let opened = Zeroizing::new(computed(py, usize::MAX, || key.decrypt(&context, &data))?);
        Ok(PyBytes::new(py, &opened))
    }

    /// Zeroes the key, once no call uses it.
    fn destroy(&self) {
        self.key.destroy();
    }

    fn __repr__(&self) -> String {
        format!("ChunkedKey({})", self.suite.name())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(stays("ChunkedKey"))
    }
}
