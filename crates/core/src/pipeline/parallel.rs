//! Processes units in any order: from a file to a file, in memory, only for a check, or for a callback.

use super::input::Region;
use super::output::TempFile;
use super::unit::{Unit, pieces_per_short_unit, pieces_per_unit};
use super::{Meter, Transform};
use crate::error::{Error, Result};
use std::io::Read;
use std::iter::Enumerate;
use std::sync::{Mutex, MutexGuard};

/// Below this length the caller's thread works alone: starting a thread costs more than it saves.
const INLINE_LEN: usize = 1 << 20;

/// Transforms a region of a file into another file or, if `to` is `None`, only checks that every piece can be transformed.
///
/// # Errors
/// The error of the lowest piece that failed; the caller must then discard the output.
pub(crate) fn run_positional(
    transform: &dyn Transform,
    from: &Region<'_>,
    to: Option<&TempFile>,
    meter: &Meter<'_>,
) -> Result<()> {
    run(transform, from.len(), meter, |unit, offset, first, last| {
        let want = usize::try_from(from.len() - offset).unwrap_or(usize::MAX).min(unit.capacity());
        unit.fill(want, |done, slices| from.read_at(slices, offset + done as u64))
            .map_err(|error| Error::from_io("read", from.path, error))?;
        unit.transform(first, last)?;
        let Some(to) = to else { return Ok(()) };
        let base = first * transform.output_len() as u64;
        unit.store(|done, slices| to.write_at(slices, base + done as u64))
            .map_err(|error| Error::from_io("write", Some(to.path()), error))
    })
}

/// Calls `work(state, unit)` for every unit of `len` bytes in memory, on several threads if they are worth it, each with its
/// own state; `work` returns the number of bytes it processed.
///
/// # Errors
/// The error of the first unit that failed; the caller must then discard the results of the others.
pub(crate) fn run_memory<S, U: Send>(
    units: impl Iterator<Item = U> + Send,
    len: usize,
    meter: &Meter<'_>,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, U) -> Result<usize> + Sync,
) -> Result<()> {
    share(units, len >= INLINE_LEN, meter, state, work)
}

/// Calls `work(item)` for every item, on several threads: each item is enough work for a thread.
///
/// # Errors
/// The error of the first item that failed.
pub(crate) fn run_each<U: Send>(
    items: impl Iterator<Item = U> + Send,
    meter: &Meter<'_>,
    work: impl Fn(U) -> Result<usize> + Sync,
) -> Result<()> {
    share(items, true, meter, || (), |(), item| work(item))
}

/// Calls `work(offset, bytes)` for every part of `len` bytes of a region (the last one may be shorter), on several threads that
/// claim the parts in order. The thread that uses a part reads it, into its only buffer.
///
/// # Errors
/// The error of the lowest part that could not be read.
pub(crate) fn run_parts(
    from: &Region<'_>,
    len: usize,
    meter: &Meter<'_>,
    work: impl Fn(u64, &[u8]) + Sync,
) -> Result<()> {
    let parts = from.len().div_ceil(len as u64);
    let buffer = || vec![0; usize::try_from(from.len()).unwrap_or(usize::MAX).min(len)];
    share(0..parts, parts > 1, meter, buffer, |buffer, index| {
        let offset = index * len as u64;
        let want = usize::try_from(from.len() - offset).unwrap_or(usize::MAX).min(len);
        let read = from.reader(offset).read_exact(&mut buffer[..want]);
        read.map_err(|error| Error::from_io("read", from.path, error))?;
        work(offset, &buffer[..want]);
        Ok(want)
    })
}

/// Calls `work(unit, input offset, first piece, is last)` for every unit of `len` input bytes, on several threads.
fn run<'a>(
    transform: &'a dyn Transform,
    len: u64,
    meter: &Meter<'_>,
    work: impl Fn(&mut Unit<'a>, u64, u64, bool) -> Result<()> + Sync,
) -> Result<()> {
    let pieces = transform.ending().pieces(len, transform.input_len());
    let is_long = len >= INLINE_LEN as u64;
    let unit_pieces = if is_long { pieces_per_unit(transform) } else { pieces_per_short_unit(transform) };
    let unit_pieces = pieces.min(unit_pieces as u64);
    let units = pieces.div_ceil(unit_pieces);
    let unit = || Unit::new(transform, usize::try_from(unit_pieces).expect("parallel: a unit is short"));
    share(0..units, is_long, meter, unit, |unit, index| {
        let offset = index * unit.capacity() as u64;
        work(unit, offset, index * unit_pieces, index == units - 1)?;
        Ok(unit.filled())
    })
}

/// Calls `work(state, unit)` for every unit, on several threads if `in_parallel`, each with its own state; `work` returns the
/// number of bytes it processed.
///
/// # Errors
/// The error of the first unit that failed.
fn share<S, U>(
    units: impl Iterator<Item = U> + Send,
    in_parallel: bool,
    meter: &Meter<'_>,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, U) -> Result<usize> + Sync,
) -> Result<()> {
    let threads = if in_parallel { meter.threads().min(units.size_hint().0) } else { 1 };
    let shared = Mutex::new(Shared { units: units.enumerate(), failure: None });
    let worker = || {
        let mut state = state();
        loop {
            let claimed = lock(&shared).claim();
            let Some((index, unit)) = claimed else { return };
            match meter.check_cancelled().and_then(|()| work(&mut state, unit)) {
                Ok(done) => meter.add(done),
                Err(error) => lock(&shared).fail(index, error),
            }
        }
    };
    if threads > 1 {
        std::thread::scope(|scope| {
            for _ in 1..threads {
                // If the system starts no more threads, the others do the work.
                if std::thread::Builder::new().spawn_scoped(scope, worker).is_err() {
                    break;
                }
            }
            worker();
        });
    } else {
        worker();
    }
    match shared.into_inner().expect("parallel: no worker panics").failure {
        Some((_, error)) => Err(error),
        None => Ok(()),
    }
}

/// The shared state of the workers: the unclaimed units and the lowest failure.
struct Shared<I> {
    units: Enumerate<I>,
    failure: Option<(usize, Error)>,
}

impl<U, I: Iterator<Item = U>> Shared<I> {
    /// Claims the next unit, unless one has failed. Units are claimed in order, so every unit below a failed one has been
    /// claimed and will be finished: the reported failure is the lowest, with any number of threads.
    fn claim(&mut self) -> Option<(usize, U)> {
        if self.failure.is_some() { None } else { self.units.next() }
    }

    fn fail(&mut self, index: usize, error: Error) {
        if self.failure.as_ref().is_none_or(|(lowest, _)| index < *lowest) {
            self.failure = Some((index, error));
        }
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().expect("parallel: no worker panics")
}
