//! The threads that work on tasks.

use super::{Outcome, Task};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, Scope};
use std::time::Instant;

/// Threads that take tasks in their order, each with its index. Whoever gives them takes some too.
#[derive(Default)]
pub(super) struct Crew<'a> {
    state: Mutex<State<'a>>,
    /// That a task was given, or that no more will be.
    given: Condvar,
    /// That a task is done.
    done: Condvar,
}

#[derive(Default)]
struct State<'a> {
    given: VecDeque<(usize, Task<'a>)>,
    done: Vec<(usize, std::thread::Result<Outcome>)>,
    /// Tasks that were given and are not done.
    in_flight: usize,
    is_over: bool,
}

/// Does a task on so many threads.
pub(super) fn run_on(task: Task<'_>, threads: usize) -> Outcome {
    let begun = Instant::now();
    let done = (task.work)(threads);
    (done, begun.elapsed())
}

impl<'a> Crew<'a> {
    /// Begins with so many threads, or with fewer, if the system refuses them. They end when the returned value is dropped.
    #[must_use]
    pub(super) fn begin<'scope, 'env>(&'env self, scope: &'scope Scope<'scope, 'env>, threads: usize) -> impl Drop
    where
        'a: 'env,
    {
        for _ in 0..threads {
            if Builder::new().spawn_scoped(scope, || self.work()).is_err() {
                break;
            }
        }
        Dismiss(self)
    }

    pub(super) fn give(&self, index: usize, task: Task<'a>) {
        let mut state = self.state();
        state.given.push_back((index, task));
        state.in_flight += 1;
        drop(state);
        self.given.notify_one();
    }

    pub(super) fn in_flight(&self) -> usize {
        self.state().in_flight
    }

    /// What came of the tasks that were done since this was asked last, and how many are in flight beside them. The panic of a
    /// task goes on here.
    pub(super) fn done(&self) -> (Vec<(usize, Outcome)>, usize) {
        let mut state = self.state();
        let (done, in_flight) = (std::mem::take(&mut state.done), state.in_flight);
        drop(state);
        let outcome = |outcome: std::thread::Result<Outcome>| outcome.unwrap_or_else(|panic| resume_unwind(panic));
        (done.into_iter().map(|(index, done)| (index, outcome(done))).collect(), in_flight)
    }

    /// Does the next task, or waits until one is done where another thread has taken the last.
    pub(super) fn help(&self) {
        let mut state = self.state();
        if let Some(next) = state.given.pop_front() {
            drop(state);
            self.run(next);
            return;
        }
        let waits = |state: &mut State<'_>| state.done.is_empty() && state.in_flight > 0;
        drop(self.done.wait_while(state, waits));
    }

    fn work(&self) {
        loop {
            let idle = |state: &mut State<'_>| state.given.is_empty() && !state.is_over;
            let state = self.given.wait_while(self.state(), idle);
            let Some(next) = state.unwrap_or_else(PoisonError::into_inner).given.pop_front() else { return };
            self.run(next);
        }
    }

    fn run(&self, (index, task): (usize, Task<'a>)) {
        let outcome = catch_unwind(AssertUnwindSafe(|| run_on(task, 1)));
        let mut state = self.state();
        state.done.push((index, outcome));
        state.in_flight -= 1;
        drop(state);
        self.done.notify_one();
    }

    fn state(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sends the threads home: what is given and not begun is not done.
struct Dismiss<'a, 'b>(&'b Crew<'a>);

impl Drop for Dismiss<'_, '_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.is_over = true;
        state.given.clear();
        drop(state);
        self.0.given.notify_all();
    }
}
