//! Threads that stay, for languages whose own thread must not wait. They are ours alone: those of Node are shared with its file
//! system and name lookups.

use crate::lock::locked;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

type Work = Box<dyn FnOnce() + Send>;

/// Threads that begin when there is work.
pub(crate) struct Pool {
    state: Mutex<State>,
    more: Condvar,
    threads_max: fn() -> usize,
    /// Whether they stay when there is none.
    stays: bool,
}

struct State {
    /// Whose threads these are.
    process: u32,
    waiting: VecDeque<Work>,
    threads: usize,
    idle: usize,
}

/// Threads that the machine runs at the same time; the system is asked once, since its answer takes microseconds.
pub(crate) fn width() -> usize {
    static WIDTH: OnceLock<usize> = OnceLock::new();
    *WIDTH.get_or_init(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get))
}

/// For work that computes.
pub(crate) static COMPUTE: Pool = Pool::new(width, true);
/// For derivations of passwords, each of which takes a tenth of a second and more: a queue of them, such as logins at once, holds up
/// no other computing.
pub(crate) static DERIVING: Pool = Pool::new(width, true);
/// For work on files, which brings threads of its own to compute.
pub(crate) static FILES: Pool = Pool::new(|| 8, true);
/// For work that may wait for another process, for ever: each has a thread, so that it holds up nothing else.
pub(crate) static WAITING: Pool = Pool::new(|| usize::MAX, false);

impl Pool {
    const fn new(threads_max: fn() -> usize, stays: bool) -> Self {
        let state = State { process: 0, waiting: VecDeque::new(), threads: 0, idle: 0 };
        Self { state: Mutex::new(state), more: Condvar::new(), threads_max, stays }
    }

    /// Runs `work`, which does not panic, on one of the threads. When the system gives none it runs here, and what may wait among
    /// the work on files.
    pub(crate) fn run(&'static self, work: Work) {
        let mut state = self.lock();
        let process = std::process::id();
        if state.process != process {
            // A process that was forked has none of its parent's threads, and what those were to do is not its own.
            *state = State { process, waiting: VecDeque::new(), threads: 0, idle: 0 };
        }
        if state.idle <= state.waiting.len() && state.threads < (self.threads_max)() {
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
        locked(&self.state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    /// As after a fork: the state is there, and its threads are not.
    #[test]
    fn threads_of_the_process_that_this_one_was_forked_from_are_not_waited_for() {
        static POOL: Pool = Pool::new(|| 2, true);
        *POOL.lock() = State { process: std::process::id() ^ 1, waiting: VecDeque::new(), threads: 2, idle: 2 };
        let (sender, receiver) = channel();
        POOL.run(Box::new(move || sender.send(()).unwrap()));
        receiver.recv_timeout(Duration::from_secs(600)).unwrap();
    }
}
