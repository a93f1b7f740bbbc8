//! A secret that Python holds until it destroys it.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// A key, which is zeroed when it was destroyed, or forgotten, and no call uses it any more.
pub struct Held<T>(Mutex<Option<Arc<T>>>);

impl<T> Held<T> {
    pub fn new(key: T) -> Self {
        Self(Mutex::new(Some(Arc::new(key))))
    }

    pub fn get(&self) -> PyResult<Arc<T>> {
        let key = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        key.ok_or_else(|| PyValueError::new_err("the key was destroyed"))
    }

    pub fn destroy(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}
