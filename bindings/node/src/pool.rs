//! Threads of our own: those of Node are shared with its file system and name lookups.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

type Work = Box<dyn FnOnce() + Send>;

/// Threads that begin when there is work.
pub struct Pool {
    state: Mutex<State>,
    more: Condvar,
    threads_max: fn() -> usize,
    /// Whether they stay when there is none.
    stays: bool,
}

struct State {
    waiting: VecDeque<Work>,
    threads: usize,
    idle: usize,
}

/// For work that computes.
pub static COMPUTE: Pool = Pool::new(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get), true);
/// For work on files, which brings threads of its own to compute.
pub static FILES: Pool = Pool::new(|| 8, true);
/// For work that may wait for another process, for ever: each has a thread, so that it holds up nothing else.
pub static WAITING: Pool = Pool::new(|| usize::MAX, false);

impl Pool {
    const fn new(threads_max: fn() -> usize, stays: bool) -> Self {
        let state = State { waiting: VecDeque::new(), threads: 0, idle: 0 };
        Self { state: Mutex::new(state), more: Condvar::new(), threads_max, stays }
    }

    /// Threads that it has at the most.
    pub fn width(&self) -> usize {
        (self.threads_max)()
    }

    /// Runs `work`, which does not panic, on one of the threads. When the system gives none it runs here, and what may wait among
    /// the work on files.
    pub fn run(&'static self, work: Work) {
        let mut state = self.lock();
        if state.idle <= state.waiting.len() && state.threads < self.width() {
            let begun = std::thread::Builder::new().name("sealstone".to_owned()).spawn(|| self.serve());
            if begun.is_ok() {
                state.threads += 1;
            } else if !self.stays {
                drop(state);
                FILES.run(work);
                return;
            } else if state.threads == 0 {
                drop(state);
                work();
                return;
            }
        }
        state.waiting.push_back(work);
        drop(state);
        self.more.notify_one();
    }

    fn serve(&self) {
        let mut state = self.lock();
        loop {
            if let Some(work) = state.waiting.pop_front() {
                drop(state);
                work();
                state = self.lock();
            } else if !self.stays {
                state.threads -= 1;
                return;
            } else {
                state.idle += 1;
                state = self.more.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
