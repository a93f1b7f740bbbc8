//! An assembly line: workers claim units in order, work on them in parallel, and pass stations, where they take turns in the
//! order of the units.
//!
//! A station has a state that units change in their order, such as the offset of what was written so far. What a unit does
//! between two stations runs in parallel. A unit that fails stops all units behind it at their next station, and none before
//! it, so the first failure in the order of the units is the one that is reported.

use super::Meter;
use crate::error::{Error, Result};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The end of a worker: its unit, or one before it, has failed.
#[derive(Debug)]
pub(crate) struct Stop;

/// The order of the units, for one run.
pub(crate) struct Line<'a> {
    meter: &'a Meter<'a>,
    progress: Mutex<Progress>,
    changed: Condvar,
}

/// The most stations of a line.
const STATIONS: usize = 3;

struct Progress {
    /// The number of units that were claimed.
    claimed: u64,
    ended: bool,
    /// For each station, the unit whose turn it is.
    turns: [u64; STATIONS],
    /// The lowest unit that failed; without an error if a worker panicked.
    failure: Option<(u64, Option<Error>)>,
}

/// A state that units change in their order.
pub(crate) struct Station<S> {
    number: usize,
    state: Mutex<S>,
}

impl<S> Station<S> {
    /// The station of this number on its line, from 0 on. Each number belongs to one station.
    pub(crate) fn new(number: usize, state: S) -> Self {
        assert!(number < STATIONS, "line: there are {STATIONS} stations");
        Self { number, state: Mutex::new(state) }
    }

    /// The state behind the last unit.
    pub(crate) fn into_state(self) -> S {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A unit on the line.
pub(crate) struct Place<'l> {
    line: &'l Line<'l>,
    index: u64,
}

impl<'a> Line<'a> {
    /// Runs `worker` on `threads` threads, one of them this one, until each of them has returned.
    ///
    /// # Errors
    /// The error of the first unit that failed.
    pub(crate) fn run(
        meter: &'a Meter<'a>,
        threads: usize,
        worker: impl Fn(&Line<'_>) -> Result<(), Stop> + Sync,
    ) -> Result<()> {
        let progress = Progress { claimed: 0, ended: false, turns: [0; STATIONS], failure: None };
        let line = Line { meter, progress: Mutex::new(progress), changed: Condvar::new() };
        let work = || {
            let _stop = StopOnPanic(&line);
            // The failure is in the progress.
            let _ = worker(&line);
        };
        std::thread::scope(|scope| {
            for _ in 1..threads {
                // If the system starts no more threads, the others do the work.
                if std::thread::Builder::new().spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            work();
        });
        let progress = line.progress.into_inner().unwrap_or_else(PoisonError::into_inner);
        match progress.failure {
            Some((_, Some(error))) => Err(error),
            _ => Ok(()),
        }
    }

    /// Claims the next unit with `claim`, which returns whether there is one. One worker at a time is in `claim`, which has the
    /// state of the source.
    pub(crate) fn claim<S>(
        &self,
        source: &Mutex<S>,
        claim: impl FnOnce(&mut S) -> Result<bool>,
    ) -> Result<Option<Place<'_>>, Stop> {
        let mut source = source.lock().map_err(|_| Stop)?;
        let index = {
            let progress = self.lock();
            if progress.ended || progress.failure.is_some() {
                return Ok(None);
            }
            progress.claimed
        };
        let claimed = self.meter.check_cancelled().and_then(|()| claim(&mut source));
        let mut progress = self.lock();
        match claimed {
            Ok(true) => {
                progress.claimed += 1;
                Ok(Some(Place { line: self, index }))
            }
            Ok(false) => {
                progress.ended = true;
                Ok(None)
            }
            Err(error) => {
                progress.ended = true;
                drop(progress);
                // Units before it are still on their way.
                Err(self.fail(index, Some(error)))
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fail(&self, index: u64, error: Option<Error>) -> Stop {
        let mut progress = self.lock();
        if progress.failure.as_ref().is_none_or(|(lowest, _)| index < *lowest) {
            progress.failure = Some((index, error));
        }
        drop(progress);
        self.changed.notify_all();
        Stop
    }
}

impl Place<'_> {
    /// Waits for the turn of this unit at a station, and changes its state.
    pub(crate) fn turn<S, T>(&self, station: &Station<S>, change: impl FnOnce(&mut S) -> Result<T>) -> Result<T, Stop> {
        self.turn_unless(station, |state| Ok((change(state)?, false)))
    }

    /// As [`turn`](Self::turn), where `change` also returns whether this unit is about to fail. Then the units behind it get no
    /// turn.
    pub(crate) fn turn_unless<S, T>(
        &self,
        station: &Station<S>,
        change: impl FnOnce(&mut S) -> Result<(T, bool)>,
    ) -> Result<T, Stop> {
        let has_failed =
            |progress: &Progress| progress.failure.as_ref().is_some_and(|(lowest, _)| *lowest <= self.index);
        let is_waiting =
            |progress: &mut Progress| progress.turns[station.number] != self.index && !has_failed(progress);
        let waited = self.line.changed.wait_while(self.line.lock(), is_waiting);
        let progress = waited.unwrap_or_else(PoisonError::into_inner);
        if has_failed(&progress) {
            return Err(Stop);
        }
        drop(progress);
        let changed = change(&mut *station.state.lock().map_err(|_| Stop)?);
        let (value, is_last) = self.check(changed)?;
        if !is_last {
            self.line.lock().turns[station.number] += 1;
            self.line.changed.notify_all();
        }
        Ok(value)
    }

    /// Stops the line at this unit if its work has failed.
    pub(crate) fn check<T>(&self, result: Result<T>) -> Result<T, Stop> {
        result.map_err(|error| self.line.fail(self.index, Some(error)))
    }

    /// Counts what the unit has processed.
    pub(crate) fn done(self, bytes: usize) {
        self.line.meter.add(bytes);
    }
}

/// Stops the other workers if one of them panics.
struct StopOnPanic<'l>(&'l Line<'l>);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail(0, None);
        }
    }
}
