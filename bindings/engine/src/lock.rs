//! Access to a value behind a mutex.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks the value, after a panic too: the calls that follow fail by themselves.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
