//! The threads that run several pieces of work at once.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, Scope};

/// A queue of work and the threads that run it in order. Each piece of work has an index, under which its result is returned.
pub(crate) struct Crew<'a, T> {
    state: Mutex<State<'a, T>>,
    /// Signals new work, or the end of all work.
    new_work: Condvar,
    /// Signals a new result.
    new_result: Condvar,
}

struct State<'a, T> {
    queue: VecDeque<(usize, Work<'a, T>)>,
    results: Vec<(usize, std::thread::Result<T>)>,
    /// Pieces of work that were given and have no result yet.
    in_flight: usize,
    is_over: bool,
}

type Work<'a, T> = Box<dyn FnOnce() -> T + Send + 'a>;

impl<T> Default for Crew<'_, T> {
    fn default() -> Self {
        let state = State { queue: VecDeque::new(), results: Vec::new(), in_flight: 0, is_over: false };
        Self { state: Mutex::new(state), new_work: Condvar::new(), new_result: Condvar::new() }
    }
}

impl<'a, T: Send> Crew<'a, T> {
    /// Starts `threads` threads, or fewer if the system refuses them, and returns their number. They end when the first returned
    /// value is dropped.
    #[must_use]
    pub(crate) fn begin<'scope, 'env>(
        &'env self,
        scope: &'scope Scope<'scope, 'env>,
        threads: usize,
    ) -> (impl Drop, usize)
    where
        'a: 'env,
    {
        let started = (0..threads).take_while(|_| Builder::new().spawn_scoped(scope, || self.work()).is_ok()).count();
        (Dismissal(self), started)
    }

    pub(crate) fn give(&self, index: usize, work: impl FnOnce() -> T + Send + 'a) {
        let mut state = self.state();
        state.queue.push_back((index, Box::new(work)));
        state.in_flight += 1;
        drop(state);
        self.new_work.notify_one();
    }

    pub(crate) fn in_flight(&self) -> usize {
        self.state().in_flight
    }

    /// Returns the results since the last call, and the number of pieces still in flight. A panic of the work resumes here.
    pub(crate) fn take_results(&self) -> (Vec<(usize, T)>, usize) {
        let mut state = self.state();
        let (done, in_flight) = (std::mem::take(&mut state.results), state.in_flight);
        drop(state);
        let outcome = |outcome: std::thread::Result<T>| outcome.unwrap_or_else(|panic| resume_unwind(panic));
        (done.into_iter().map(|(index, done)| (index, outcome(done))).collect(), in_flight)
    }

    /// Runs the next piece of work on this thread. If the queue is empty, waits for a result of another thread.
    pub(crate) fn help(&self) {
        let next = self.state().queue.pop_front();
        match next {
            Some(next) => self.run(next),
            None => self.wait(),
        }
    }

    /// Waits for a result, unless nothing is in flight.
    pub(crate) fn wait(&self) {
        let waits = |state: &mut State<'_, T>| state.results.is_empty() && state.in_flight > 0;
        drop(self.new_result.wait_while(self.state(), waits));
    }

    fn work(&self) {
        loop {
            let is_idle = |state: &mut State<'_, T>| state.queue.is_empty() && !state.is_over;
            let state = self.new_work.wait_while(self.state(), is_idle);
            let Some(next) = state.unwrap_or_else(PoisonError::into_inner).queue.pop_front() else { return };
            self.run(next);
        }
    }

    fn run(&self, (index, work): (usize, Work<'a, T>)) {
        let outcome = catch_unwind(AssertUnwindSafe(work));
        let mut state = self.state();
        state.results.push((index, outcome));
        state.in_flight -= 1;
        drop(state);
        self.new_result.notify_one();
    }

    fn state(&self) -> MutexGuard<'_, State<'a, T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the threads when dropped. Work that is still in the queue is discarded.
struct Dismissal<'a, 'b, T: Send>(&'b Crew<'a, T>);

impl<T: Send> Drop for Dismissal<'_, '_, T> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.is_over = true;
        let given = std::mem::take(&mut state.queue);
        drop(state);
        self.0.new_work.notify_all();
        drop(given);
    }
}
