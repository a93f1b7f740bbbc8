//! Memory of the other language's that work uses after the call that lent it.

use crate::lock::locked;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Who has the memory, and waits for it before it is gone.
#[derive(Debug, Default)]
pub struct Lender {
    lent: Mutex<usize>,
    given_back: Condvar,
}

impl Lender {
    /// Lends some of it.
    pub fn lend(self: &Arc<Self>) -> Loan {
        *locked(&self.lent) += 1;
        Loan(Arc::clone(self))
    }

    /// Waits until everything has been given back.
    pub fn wait(&self) {
        let waited = self.given_back.wait_while(locked(&self.lent), |lent| *lent > 0);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }
}

/// Memory is lent until this is dropped.
#[derive(Debug)]
pub struct Loan(Arc<Lender>);

impl Drop for Loan {
    fn drop(&mut self) {
        *locked(&self.0.lent) -= 1;
        self.0.given_back.notify_all();
    }
}
