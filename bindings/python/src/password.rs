//! Passwords that are kept for a later login.

use crate::boundary::{or_raise, watched};
use crate::keys::Text;
use pyo3::prelude::*;
use sealstone::password;
use sealstone_engine::deriving::{self, Deriving};
use sealstone_engine::kdf;
use std::time::Duration;

/// A text to be stored, of a password at a cost.
#[pyfunction]
fn hash(py: Python<'_>, password: Text<'_>, cost: (&str, [u32; 3])) -> PyResult<String> {
    let (password, cost) = (password.read()?, or_raise(py, kdf::cost(cost.0, cost.1))?);
    let text = watched(py, None, |job| deriving::watched(|| Deriving::hash(&password, &cost), job))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Checks a password.
#[pyfunction]
fn verify(py: Python<'_>, password: Text<'_>, stored: &str, allow_high_cost: bool) -> PyResult<()> {
    let (password, bounds) = (password.read()?, kdf::bounds(!allow_high_cost));
    watched(py, None, |job| deriving::watched(|| Deriving::verify(&password, stored, bounds), job)).map(drop)
}

/// Whether a stored password costs less than it should.
#[pyfunction]
fn needs_rehash(py: Python<'_>, stored: &str, cost: (&str, [u32; 3])) -> PyResult<bool> {
    let cost = or_raise(py, kdf::cost(cost.0, cost.1))?;
    or_raise(py, password::needs_rehash(stored, &cost))
}

/// The number of a cost that is raised for a target, of which a hash took so long; in seconds.
#[pyfunction]
fn raised(py: Python<'_>, cost: (&str, [u32; 3]), target: f64, took: f64) -> PyResult<u32> {
    let cost = or_raise(py, kdf::cost(cost.0, cost.1))?;
    let (target, took) = (Duration::from_secs_f64(target), Duration::from_secs_f64(took));
    or_raise(py, sealstone_engine::password::raised(cost, target, took))
}

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(hash, module)?)?;
    module.add_function(wrap_pyfunction!(verify, module)?)?;
    module.add_function(wrap_pyfunction!(needs_rehash, module)?)?;
    module.add_function(wrap_pyfunction!(raised, module)?)
}
