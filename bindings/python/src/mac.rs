//! Message authentication codes.

use crate::boundary::{computed, encoded, fed, or_raise, watched};
use crate::held::Held;
use crate::keys::stays;
use crate::memory::{Data, TURN_LEN};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sealstone::mac::{Algorithm, Mac};
use sealstone_engine::files::path;
use sealstone_engine::mac::{self as engine, Signing};

/// A key of a message authentication code, read once for as many messages as there are.
///
/// Whoever has the key makes a tag of a message, and checks one. A key is random or derived, never a password: it has 16, 24 or 32 bytes
/// for `aes-128-cmac`, `aes-192-cmac` and `aes-256-cmac`, 32 for `blake3-keyed`, 1 to 64 for `blake2b-keyed`, and any number but 0 for the
/// others, where as many as a tag has are best. It is zeroed by `destroy`, or after it is collected, and is neither copied nor pickled.
///
/// `customization` and `length` are for `kmac256` alone: the first sets one use of a key apart from all others, and a tag has 8 to 64
/// bytes, 64 by default. The length enters the tag: the beginning of a long tag is not the short one.
///
/// `UnknownAlgorithm`; `WrongLength` for a key, a customization or a length of tags that the algorithm does not have.
///
/// >>> from sealstone.mac import MacKey
/// >>> key = MacKey("hmac-sha256", b"a secret that both sides have")
/// >>> tag = key.sign(b"order=17&state=paid")
/// >>> key.verify(b"order=17&state=paid", tag)
///
/// RFC 2104, SP 800-38B, SP 800-185, RFC 7693.
#[pyclass(frozen, module = "sealstone.mac")]
pub struct MacKey {
    key: Held<Mac>,
    algorithm: Algorithm,
    tag_len: usize,
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
        let key = engine::mac(algorithm, &key.read(), customization.as_deref(), length);
        let key = or_raise(py, key)?;
        Ok(Self { algorithm: key.algorithm(), tag_len: key.tag_len(), key: Held::new(key) })
    }

    /// The algorithm of this key.
    #[getter]
    fn algorithm(&self) -> &'static str {
        self.algorithm.name()
    }

    /// Bytes of a whole tag.
    #[getter]
    fn tag_length(&self) -> usize {
        self.tag_len
    }

    /// The tag of a message.
    fn sign<'py>(&self, py: Python<'py>, data: Data<'_>) -> PyResult<Bound<'py, PyBytes>> {
        let key = self.key.get()?;
        let tag = if data.len() > TURN_LEN {
            sign_all(py, &key, &data)?.tag()
        } else {
            let data = data.read();
            computed(py, data.len(), || Ok(key.sign(&data)))?
        };
        Ok(PyBytes::new(py, tag.as_bytes()))
    }

    /// Checks the tag of a message, in a time that does not depend on where they differ.
    ///
    /// It returns nothing: `NotAuthentic` for a tag of another message or key, and `WrongLength` for one that is not whole. A tag may be
    /// cut to 8 bytes at least where `truncated` is true: only for protocols that send such tags, since whoever forges one chooses the
    /// shortest.
    ///
    /// >>> from sealstone.errors import NotAuthentic
    /// >>> from sealstone.mac import MacKey
    /// >>> key = MacKey("hmac-sha256", b"a secret that both sides have")
    /// >>> try:
    /// ...     key.verify(b"attack at noon", key.sign(b"attack at dawn"))
    /// ... except NotAuthentic as error:
    /// ...     error.code
    /// 'not_authentic'
    #[pyo3(signature = (data, tag, *, truncated=false))]
    fn verify(&self, py: Python<'_>, data: Data<'_>, tag: Data<'_>, truncated: bool) -> PyResult<()> {
        let (key, tag) = (self.key.get()?, tag.read());
        if data.len() > TURN_LEN {
            return or_raise(py, sign_all(py, &key, &data)?.verify(&tag, truncated));
        }
        let data = data.read();
        computed(py, data.len(), || engine::verify(&key, &data, &tag, truncated))
    }

    /// Begins a tag of a message that comes in parts. It outlives `destroy`.
    fn begin(&self) -> PyResult<MacSigner> {
        Ok(MacSigner(Signing::new(&*self.key.get()?)))
    }

    /// The tag of a file, by its name.
    ///
    /// A FIFO or a device is `NotRegularFile`, unless `allow_special` is true. `Io`, and `InputChanged` for a file that is changed
    /// meanwhile.
    #[pyo3(signature = (file, *, allow_special=false, on_progress=None))]
    fn sign_file<'py>(
        &self,
        py: Python<'py>,
        file: &Bound<'_, PyAny>,
        allow_special: bool,
        on_progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (key, file) = (self.key.get()?, encoded(file)?);
        let tag = watched(py, on_progress, |job| engine::file(key, path(&file), allow_special, job))?;
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

/// Authenticates all of a message, part after part.
fn sign_all(py: Python<'_>, key: &Mac, data: &Data<'_>) -> PyResult<Signing> {
    let signing = Signing::new(key);
    fed(py, data, |part| signing.update(part))?;
    Ok(signing)
}

/// A tag of a message that comes in parts.
///
/// >>> from sealstone.mac import MacKey
/// >>> key = MacKey("blake3-keyed", bytes(range(32)))
/// >>> signer = key.begin()
/// >>> for part in (b"attack ", b"at dawn"):
/// ...     signer.update(part)
/// >>> signer.verify(key.sign(b"attack at dawn"))
#[pyclass(frozen, module = "sealstone.mac")]
pub struct MacSigner(Signing);

#[pymethods]
impl MacSigner {
    /// Takes the next bytes.
    fn update(&self, py: Python<'_>, data: Data<'_>) -> PyResult<()> {
        fed(py, &data, |part| self.0.update(part))
    }

    /// The tag of all bytes so far; more may follow.
    fn tag<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.tag().as_bytes())
    }

    /// Checks a tag of all bytes so far; see `MacKey.verify`.
    #[pyo3(signature = (tag, *, truncated=false))]
    fn verify(&self, py: Python<'_>, tag: Data<'_>, truncated: bool) -> PyResult<()> {
        or_raise(py, self.0.verify(&tag.read(), truncated))
    }

    fn __repr__(&self) -> &'static str {
        "MacSigner()"
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(stays("MacSigner"))
    }
}

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<MacKey>()?;
    module.add_class::<MacSigner>()
}
