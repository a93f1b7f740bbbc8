//! Passwords that are kept for a later login.

use crate::boundary::{or_raise, watched};
use crate::kdf::{Named, cost_of};
use crate::keys::Text;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use sealstone_engine::deriving::Deriving;
use sealstone_engine::{kdf, password};
use std::time::Duration;

#[pyfunction]
fn hash(py: Python<'_>, password: Text<'_>, cost: Named) -> PyResult<String> {
    let (cost, password) = (cost_of(py, &cost)?, password.read()?);
    let stored = watched(py, None, |job| Deriving::later(|| Deriving::hash(&password, &cost), job))?;
    Ok(str::from_utf8(&stored).expect("password: what is stored is text").to_owned())
}

#[pyfunction]
fn verify(py: Python<'_>, password: Text<'_>, stored: &str, allow_high_cost: bool) -> PyResult<()> {
    let (bounds, password) = (kdf::bounds(!allow_high_cost), password.read()?);
    watched(py, None, |job| Deriving::later(|| Deriving::verify(&password, stored, bounds), job)).map(drop)
}

#[pyfunction]
fn needs_rehash(py: Python<'_>, stored: &str, cost: Named) -> PyResult<bool> {
    let cost = cost_of(py, &cost)?;
    or_raise(py, sealstone::password::needs_rehash(stored, &cost))
}

/// A cost, and the seconds that a hash takes with it.
#[pyfunction]
fn calibrate(py: Python<'_>, target: f64, cost: Named) -> PyResult<(Named, f64)> {
    let target = Duration::try_from_secs_f64(target)
        .map_err(|_| PyValueError::new_err("target must be a number of seconds that is not negative"))?;
    let from = cost_of(py, &cost)?;
    let found = watched(py, None, |job| password::calibrate_later(target, from, job))?;
    Ok((kdf::named(&found.cost), found.takes.as_secs_f64()))
}

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(hash, module)?)?;
    module.add_function(wrap_pyfunction!(verify, module)?)?;
    module.add_function(wrap_pyfunction!(needs_rehash, module)?)?;
    module.add_function(wrap_pyfunction!(calibrate, module)?)
}
