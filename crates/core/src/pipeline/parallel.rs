//! Units in any order: from a file to a file, from memory to memory, to nowhere, or to a function that looks at them.

use super::input::Region;
use super::output::TempFile;
use super::unit::{PIECES, Unit};
use super::{Meter, Transform};
use crate::error::{Error, Result};
use std::io::Read;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Under so many pieces (1 MiB) the caller's thread does the work alone: starting a thread costs more than it saves.
const INLINE_PIECES: u64 = 64;

/// Transforms a region of a file into another file, or, without one, only checks that every piece transforms.
///
/// # Errors
/// The error of the lowest piece that failed; what the output then holds is for the caller to throw away.
pub(crate) fn run_positional<T: Transform>(
    transform: &T,
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

/// Transforms bytes in memory; `out` has exactly the length of the result.
///
/// # Errors
/// The error of the lowest piece that failed; what `out` then holds is for the caller to throw away.
pub(crate) fn run_memory<T: Transform>(transform: &T, input: &[u8], out: &mut [u8], meter: &Meter<'_>) -> Result<()> {
    // Each unit's part of the output, taken by the one worker that claims the unit. The last unit of an opened
    // payload may have none: its only piece is empty.
    let parts: Vec<_> = out.chunks_mut(PIECES * transform.output_len()).map(Mutex::new).collect();
    run(transform, input.len() as u64, meter, |unit, offset, first, last| {
        let offset = usize::try_from(offset).expect("parallel: an offset in memory");
        let want = (input.len() - offset).min(unit.capacity());
        let mut rest = &input[offset..offset + want];
        unit.fill_from(want, &mut rest).expect("parallel: memory can be read");
        unit.transform(first, last)?;
        if let Some(part) = parts.get(usize::try_from(first).expect("parallel: an index in memory") / PIECES) {
            unit.copy_to(&mut part.lock().expect("parallel: no worker panics"));
        }
        Ok(())
    })
}

/// Calls `work(offset, bytes)` for every part of `len` bytes of a region, the last of them perhaps shorter, on several threads
/// that take the parts in their order. A part is read by the thread that uses it, into one buffer.
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
    share(parts, parts > 1, meter, buffer, |buffer, index| {
        let offset = index * len as u64;
        let want = usize::try_from(from.len() - offset).unwrap_or(usize::MAX).min(len);
        let read = from.reader(offset).read_exact(&mut buffer[..want]);
        read.map_err(|error| Error::from_io("read", from.path, error))?;
        work(offset, &buffer[..want]);
        Ok(want)
    })
}

/// Calls `work(unit, input offset, first piece, is last)` for every unit of `len` input bytes, on several threads.
fn run<'a, T: Transform>(
    transform: &'a T,
    len: u64,
    meter: &Meter<'_>,
    work: impl Fn(&mut Unit<'a, T>, u64, u64, bool) -> Result<()> + Sync,
) -> Result<()> {
    let pieces = len / transform.input_len() as u64 + 1;
    let unit_pieces = pieces.min(PIECES as u64);
    let units = pieces.div_ceil(unit_pieces);
    let unit = || Unit::new(transform, usize::try_from(unit_pieces).expect("parallel: PIECES fit"));
    share(units, pieces > INLINE_PIECES, meter, unit, |unit, index| {
        let offset = index * unit.capacity() as u64;
        work(unit, offset, index * unit_pieces, index == units - 1)?;
        Ok(unit.filled())
    })
}

/// Calls `work(state, index)` for every index below `units`, on several threads if that is `worth_it`, each with a state
/// of its own; `work` returns how many bytes it did.
///
/// # Errors
/// That of the lowest index that failed.
fn share<S>(
    units: u64,
    worth_it: bool,
    meter: &Meter<'_>,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, u64) -> Result<usize> + Sync,
) -> Result<()> {
    let next = AtomicU64::new(0);
    let failure: Mutex<Option<(u64, Error)>> = Mutex::new(None);
    // Units are claimed in order, so every unit below a failed one is finished by whoever has it: the failure that
    // remains is the lowest, at any number of threads.
    let stop = AtomicU64::new(units);
    let worker = || {
        let mut state = state();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= stop.load(Ordering::Acquire) {
                return;
            }
            match meter.check_cancelled().and_then(|()| work(&mut state, index)) {
                Ok(done) => meter.add(done),
                Err(error) => {
                    stop.fetch_min(index, Ordering::AcqRel);
                    let mut failure = failure.lock().expect("parallel: no worker panics");
                    if failure.as_ref().is_none_or(|(lowest, _)| index < *lowest) {
                        *failure = Some((index, error));
                    }
                }
            }
        }
    };
    let threads = if worth_it { meter.threads().min(usize::try_from(units).unwrap_or(usize::MAX)) } else { 1 };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // A refused thread is no failure: the others do its work.
            if std::thread::Builder::new().spawn_scoped(scope, worker).is_err() {
                break;
            }
        }
        worker();
    });
    match failure.into_inner().expect("parallel: no worker panics") {
        Some((_, error)) => Err(error),
        None => Ok(()),
    }
}
