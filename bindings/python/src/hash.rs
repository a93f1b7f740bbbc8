//! Digests.

use pyo3::prelude::*;

pub fn fill(_module: &Bound<'_, PyModule>) -> PyResult<()> {
    Ok(())
}
