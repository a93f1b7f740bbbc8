//! What data and protocols already use.

use pyo3::prelude::*;

pub fn fill(_module: &Bound<'_, PyModule>) -> PyResult<()> {
    Ok(())
}
