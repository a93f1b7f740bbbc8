//! Work that was prepared and is run somewhere else.

use crate::failure::{Failure, caught};
use crate::lock::locked;
use crate::pool::Pool;
use sealstone::Result;
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Work that was prepared and not begun. A binding runs it on threads that stay, or on threads of the call.
#[must_use = "it does nothing until it is run"]
pub struct Work<F> {
    pool: &'static Pool,
    run: F,
}

impl<T, F: FnOnce() -> Result<T>> Work<F> {
    pub(crate) fn new(pool: &'static Pool, run: F) -> Self {
        Self { pool, run }
    }

    /// Runs it on a thread of the pool that suits it, and calls `done` there.
    pub fn on_pool(self, done: impl FnOnce(std::result::Result<T, Failure>) + Send + 'static)
    where
        F: Send + 'static,
    {
        let run = self.run;
        self.pool.run(Box::new(move || done(caught(run))));
    }

    /// The same work, and what is made of its result.
    pub(crate) fn then<R>(self, make: impl FnOnce(T) -> Result<R>) -> Work<impl FnOnce() -> Result<R>> {
        let run = self.run;
        Work { pool: self.pool, run: move || make(run()?) }
    }

    /// Runs it here, where there are no threads. A panic goes on.
    pub fn run(self) -> Result<T> {
        (self.run)()
    }

    /// Runs it on a thread that this call starts and joins, and calls `watch` on the caller's every so often. No thread is left
    /// behind, so the process may fork between two calls.
    pub fn on_call(self, every: Duration, mut watch: impl FnMut()) -> std::result::Result<T, Failure>
    where
        F: Send,
        T: Send,
    {
        let work = Mutex::new(Some(self.run));
        let run = || caught(locked(&work).take().expect("work: it runs once"));
        let (sender, receiver) = channel();
        std::thread::scope(|scope| {
            let send = || sender.send(run()).expect("work: the caller waits");
            if std::thread::Builder::new().spawn_scoped(scope, send).is_err() {
                // A refused thread is no failure: the caller's does the work.
                return run();
            }
            loop {
                match receiver.recv_timeout(every) {
                    Ok(done) => return done,
                    Err(RecvTimeoutError::Timeout) => watch(),
                    Err(RecvTimeoutError::Disconnected) => unreachable!("work: a panic is a failure"),
                }
            }
        })
    }
}
