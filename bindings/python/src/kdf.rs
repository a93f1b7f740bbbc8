//! Keys of secrets and of passwords. What is slow is a class's or a function's of Python: it names a cost by three numbers.

use crate::boundary::{computed, or_raise, watched};
use crate::keys::Text;
use crate::memory::{Data, taken};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sealstone::kdf::Input;
use sealstone_engine::deriving::{self, Deriving};
use sealstone_engine::kdf;

/// HKDF: a key of `length` bytes, of a secret that has enough entropy. `info` says what the key is for.
///
/// >>> from sealstone.kdf import hkdf
/// >>> len(hkdf("sha256", bytes(32), length=16, info=b"example.com v1, session key"))
/// 16
///
/// `TooLong` for more than 255 digests. RFC 5869.
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
    Ok(taken(py, &computed(py, length as usize, || kdf::hkdf(hash, &secret, salt, info, length))?))
}

/// The first half of HKDF: a key as long as the hash's digest. RFC 5869, section 2.2.
#[pyfunction]
fn hkdf_extract<'py>(py: Python<'py>, hash: &str, salt: Data<'_>, secret: Data<'_>) -> PyResult<Bound<'py, PyBytes>> {
    Ok(taken(py, &or_raise(py, kdf::hkdf_extract(hash, &salt.read(), &secret.read()))?))
}

/// The second half of HKDF: a key of `length` bytes, of one that `hkdf_extract` gave. RFC 5869, section 2.3.
#[pyfunction]
fn hkdf_expand<'py>(
    py: Python<'py>,
    hash: &str,
    key: Data<'_>,
    info: Data<'_>,
    length: u32,
) -> PyResult<Bound<'py, PyBytes>> {
    Ok(taken(py, &or_raise(py, kdf::hkdf_expand(hash, &key.read(), &info.read(), length))?))
}

/// The one-step KDF of SP 800-56C over a hash, as JOSE's ECDH-ES has it.
#[pyfunction]
fn concat_kdf<'py>(
    py: Python<'py>,
    hash: &str,
    secret: Data<'_>,
    info: Data<'_>,
    length: u32,
) -> PyResult<Bound<'py, PyBytes>> {
    Ok(taken(py, &or_raise(py, kdf::concat(hash, &secret.read(), &info.read(), length))?))
}

/// BLAKE3's key derivation. `context` is a text of the program's own: an application, a time and a purpose.
#[pyfunction]
#[pyo3(signature = (context, secret, length=32))]
fn blake3_derive_key<'py>(
    py: Python<'py>,
    context: &str,
    secret: Data<'_>,
    length: u32,
) -> PyResult<Bound<'py, PyBytes>> {
    Ok(taken(py, &or_raise(py, kdf::blake3_derive_key(context, &secret.read(), length))?))
}

/// A key of a password, at a cost by its name and numbers. Ctrl-C ends it.
#[pyfunction]
fn derive<'py>(
    py: Python<'py>,
    cost: (&str, [u32; 3]),
    password: Text<'_>,
    salt: Data<'_>,
    length: u32,
    secret: Option<Data<'_>>,
    associated_data: Option<Data<'_>>,
    allow_high_cost: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let cost = or_raise(py, kdf::cost(cost.0, cost.1))?;
    let (password, salt) = (password.read()?, salt.read());
    let (secret, data) = (secret.as_ref().map(Data::read), associated_data.as_ref().map(Data::read));
    let bounds = kdf::bounds(!allow_high_cost);
    let (secret, data) = (secret.as_deref().unwrap_or_default(), data.as_deref().unwrap_or_default());
    let input = Input { password: &password, salt: &salt, secret, data };
    let key = watched(py, None, |job| deriving::watched(|| Deriving::key(&cost, &input, bounds, length), job))?;
    Ok(taken(py, &key))
}

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(hkdf, module)?)?;
    module.add_function(wrap_pyfunction!(hkdf_extract, module)?)?;
    module.add_function(wrap_pyfunction!(hkdf_expand, module)?)?;
    module.add_function(wrap_pyfunction!(concat_kdf, module)?)?;
    module.add_function(wrap_pyfunction!(blake3_derive_key, module)?)?;
    module.add_function(wrap_pyfunction!(derive, module)?)
}
