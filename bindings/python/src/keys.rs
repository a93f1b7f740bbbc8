//! Identities and recipients.

use crate::boundary::{computed, or_raise, raised, watched};
use crate::held::Held;
use crate::memory::{Data, Read, plain_bytes};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use sealstone::Passphrase;
use sealstone_engine::keys;
use sealstone_engine::text::TextOrBytes;
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::sync::Arc;

/// Text as Python has it, or its bytes.
pub enum Text<'py> {
    Text(Bound<'py, PyString>),
    Data(Data<'py>),
}

impl<'py> FromPyObject<'_, 'py> for Text<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match object.cast::<PyString>() {
            Ok(text) => Ok(Self::Text(text.to_owned())),
            Err(_) => object.extract().map(Self::Data),
        }
    }
}

impl Text<'_> {
    /// Its bytes in UTF-8.
    pub fn read(&self) -> PyResult<Read<'_>> {
        match self {
            Self::Text(text) => Ok(Read::Bytes(text.to_str()?.as_bytes())),
            Self::Data(data) => Ok(data.read()),
        }
    }
}

/// A passphrase, where there is one.
pub fn bytes_of<'t>(text: Option<&'t Text<'_>>) -> PyResult<Option<Read<'t>>> {
    text.map(Text::read).transpose()
}

/// A form of a key, as Python has it.
pub fn text_or_bytes<'py>(py: Python<'py>, form: TextOrBytes) -> Bound<'py, PyAny> {
    match form {
        TextOrBytes::Text(text) => PyString::new(py, &text).into_any(),
        TextOrBytes::Bytes(bytes) => plain_bytes(py, &bytes).into_any(),
    }
}

/// The error of copying or pickling a key: there is one of it, in the process that made it.
pub fn stays(what: &str) -> PyErr {
    PyTypeError::new_err(format!(
        "a secret stays in its process: '{what}' cannot be copied or pickled; export it if you must"
    ))
}

/// The hash by which sets and dictionaries find a public key.
pub fn hash_of(key: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

/// The half of a key that decrypts: a secret. `generate_identity` and `import_identity` make one.
///
/// It is neither copied nor pickled, and nothing prints it. Threads can share it.
#[pyclass(frozen, module = "sealstone")]
pub struct Identity(pub Held<sealstone::Identity>);

impl Identity {
    pub fn of(identity: sealstone::Identity) -> Self {
        Self(Held::new(identity))
    }
}

#[pymethods]
impl Identity {
    /// Which kind of key it is: `hybrid`, `x25519`, `p256`, `ml-kem-768`, `sm2`, `key` or `passphrase`.
    #[getter]
    fn kind(&self) -> PyResult<&'static str> {
        Ok(self.0.get()?.kind().name())
    }

    /// Zeroes the key, once no call uses it. It does nothing from then on.
    fn destroy(&self) {
        self.0.destroy();
    }

    fn __repr__(&self) -> String {
        self.0
            .get()
            .map_or_else(|_| "Identity(destroyed)".into(), |identity| format!("Identity({})", identity.kind().name()))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(stays("Identity"))
    }
}

/// The half of a key that encrypts: public, but for kinds that both sides share. Its text is `str(recipient)`.
#[pyclass(frozen, module = "sealstone")]
pub struct Recipient(pub Arc<sealstone::Recipient>);

impl Recipient {
    pub fn of(recipient: sealstone::Recipient) -> Self {
        Self(Arc::new(recipient))
    }
}

#[pymethods]
impl Recipient {
    /// Which kind of key it is.
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind().name()
    }

    /// `SHA256:` and 64 hexadecimal digits, short enough to compare by eye; `None` of what both sides keep secret.
    #[getter]
    fn fingerprint(&self) -> Option<String> {
        self.0.fingerprint()
    }

    fn __str__(&self) -> String {
        keys::text(&self.0).unwrap_or_else(|| self.__repr__())
    }

    fn __repr__(&self) -> String {
        format!("Recipient({})", self.0.kind().name())
    }

    fn __eq__(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || keys::text(&self.0).is_some_and(|text| keys::text(&other.0).as_ref() == Some(&text))
    }

    fn __hash__(&self) -> u64 {
        match keys::text(&self.0) {
            Some(text) => hash_of(text),
            None => hash_of(Arc::as_ptr(&self.0)),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let text = keys::text(&self.0).ok_or_else(|| stays("Recipient"))?;
        Ok((py.import("sealstone")?.getattr("import_recipient")?, (text,)))
    }
}

/// Makes a key. `hybrid`, the default, is ML-KEM-768 and X25519 together, and holds as long as either does.
///
/// >>> import sealstone
/// >>> sealstone.generate_identity("x25519")
/// Identity(x25519)
#[pyfunction]
#[pyo3(signature = (kind=None))]
pub fn generate_identity(py: Python<'_>, kind: Option<String>) -> PyResult<Identity> {
    computed(py, usize::MAX, || keys::generate(kind.as_deref())).map(Identity::of)
}

/// The public half of a key, which others encrypt to.
#[pyfunction]
pub fn recipient_of(identity: &Identity) -> PyResult<Recipient> {
    Ok(Recipient::of(identity.0.get()?.recipient()))
}

/// Reads all private keys of a file, in whatever form it is: strings of age, PEM, DER, JWK, SM2 digits, or a file of them that a
/// passphrase seals.
#[pyfunction]
#[pyo3(signature = (key, *, passphrase=None))]
pub fn import_identities(py: Python<'_>, key: Text<'_>, passphrase: Option<Text<'_>>) -> PyResult<Vec<Identity>> {
    let (key, passphrase) = (key.read()?, bytes_of(passphrase.as_ref())?);
    let identities = match &passphrase {
        None => or_raise(py, keys::identities(&key, None))?,
        Some(passphrase) => {
            let work = or_raise(py, keys::identities_later(key.to_vec().into(), Some(passphrase)))?;
            watched(py, None, |_| work)?
        }
    };
    Ok(identities.into_iter().map(Identity::of).collect())
}

/// Reads all public keys of a file, in whatever form it is.
#[pyfunction]
pub fn import_recipients(py: Python<'_>, key: Text<'_>) -> PyResult<Vec<Recipient>> {
    let recipients = or_raise(py, keys::recipients(&key.read()?))?;
    Ok(recipients.into_iter().map(Recipient::of).collect())
}

/// Whether a text looks like the name of a file, and so like no key.
#[pyfunction]
pub fn looks_like_file_name(text: &str) -> bool {
    sealstone::looks_like_file_name(text)
}

/// A form of a private key, a secret: `age`, `pem`, `jwk` or `hex` as text, `der` as bytes. PEM and DER may have a passphrase.
///
/// >>> import sealstone
/// >>> text = sealstone.export_identity(sealstone.generate_identity())
/// >>> text.startswith("AGE-SECRET-KEY-PQ-1")
/// True
#[pyfunction]
#[pyo3(signature = (identity, form="age", *, passphrase=None))]
pub fn export_identity<'py>(
    py: Python<'py>,
    identity: &Identity,
    form: &str,
    passphrase: Option<Text<'_>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (identity, passphrase) = (identity.0.get()?, bytes_of(passphrase.as_ref())?);
    let form = computed(py, usize::MAX, || keys::export_identity(&identity, form, passphrase.as_deref()))?;
    Ok(text_or_bytes(py, form))
}

/// A form of a public key, as of `export_identity`.
#[pyfunction]
#[pyo3(signature = (recipient, form="age"))]
pub fn export_recipient<'py>(py: Python<'py>, recipient: &Recipient, form: &str) -> PyResult<Bound<'py, PyAny>> {
    Ok(text_or_bytes(py, or_raise(py, keys::export_recipient(&recipient.0, form))?))
}

/// A passphrase as an identity, and by `recipient_of` as a recipient. Each file costs a password hash, of about a third of a second.
#[pyfunction]
pub fn identity_from_passphrase(py: Python<'_>, passphrase: Text<'_>) -> PyResult<Identity> {
    let passphrase = Passphrase::from_utf8(&passphrase.read()?).map_err(|error| raised(py, error))?;
    Ok(Identity::of(passphrase.into()))
}

/// A symmetric key of 32 bytes as an identity, and by `recipient_of` as a recipient.
#[pyfunction]
pub fn identity_from_key(py: Python<'_>, key: Data<'_>) -> PyResult<Identity> {
    or_raise(py, keys::identity_of_key(&key.read())).map(Identity::of)
}
