//! Processes units in order, from a reader to a writer: workers take turns at both, and transform in parallel.

use super::unit::{Unit, pieces_per_unit};
use super::{Ending, Meter, Transform};
use crate::error::{Error, Result};
use std::io::{self, ErrorKind, IoSliceMut, Read, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The pieces of the input that a reader contains.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    /// Index of the first piece.
    pub(crate) first: u64,
    /// The number of pieces, if it is known in advance and the last piece of the input is not among them; otherwise the pieces
    /// end with the reader.
    pub(crate) whole: Option<u64>,
}

impl Span {
    /// Every piece of the input.
    pub(crate) const ALL: Self = Self { first: 0, whole: None };
}

/// Transforms the bytes of `reader` and writes them in order; returns the number of bytes written.
///
/// Each worker holds one unit in memory.
///
/// # Errors
/// The error of the first piece that failed, or of the reader after its last whole piece. Everything before it has been
/// written, and nothing after it.
pub(crate) fn run(
    transform: &dyn Transform,
    span: Span,
    reader: &mut (dyn Read + Send),
    writer: &mut (dyn Write + Send),
    meter: &Meter<'_>,
) -> Result<u64> {
    let source = Mutex::new(ReadState { reader, ahead: None, span, unit: 0, ended: false, fault: None });
    let sink = Turns {
        state: Mutex::new(WriteState { writer, unit: 0, written: 0, stopped: false, failure: None }),
        changed: Condvar::new(),
    };
    let mut first = Unit::new(transform, pieces_per_unit(transform));
    let mut reading = source.lock().expect("ordered: nobody else has it yet");
    let place = reading.read(&mut first, meter)?;
    let more = !reading.ended;
    drop(reading);
    let worker = |mut unit: Unit<'_>, mut place: Option<Place>| {
        let _stop = StopOnPanic(&sink);
        loop {
            let Some(Place { index, piece, last }) = place else { return };
            let transformed = unit.transform(piece, last);
            if !sink.write(index, &unit, transformed) {
                return;
            }
            meter.add(unit.filled());
            // A poisoned lock means that the reader panicked: the run is over, and `scope` propagates the panic.
            let Ok(mut reading) = source.lock() else { return };
            place = match reading.read(&mut unit, meter) {
                Ok(place) => place,
                Err(error) => {
                    let index = reading.unit;
                    reading.ended = true;
                    drop(reading);
                    sink.fail(index, error);
                    return;
                }
            };
        }
    };
    // One worker more than the computing threads, since some of them wait for a pipe. A short input needs no other threads.
    if !more || meter.threads() == 1 {
        worker(first, place);
    } else {
        std::thread::scope(|scope| {
            for _ in 0..meter.threads() {
                let other = || {
                    let mut unit = Unit::new(transform, pieces_per_unit(transform));
                    let place = match source.lock() {
                        Ok(mut reading) => reading.read(&mut unit, meter).map_err(|error| {
                            reading.ended = true;
                            (reading.unit, error)
                        }),
                        Err(_) => return,
                    };
                    match place {
                        Ok(place) => worker(unit, place),
                        Err((index, error)) => sink.fail(index, error),
                    }
                };
                if std::thread::Builder::new().spawn_scoped(scope, other).is_err() {
                    break;
                }
            }
            worker(first, place);
        });
    }
    let state = sink.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = state.failure {
        return Err(error);
    }
    state.writer.flush().map_err(|error| Error::from_io("write", None, error))?;
    Ok(state.written)
}

/// The position of a unit.
struct Place {
    index: u64,
    piece: u64,
    last: bool,
}

struct ReadState<'a> {
    reader: &'a mut (dyn Read + Send),
    /// A byte that was read to detect the end of the input.
    ahead: Option<u8>,
    span: Span,
    /// Index of the next unit.
    unit: u64,
    ended: bool,
    /// The error of the reader, returned after the whole pieces before it.
    fault: Option<Error>,
}

impl ReadState<'_> {
    /// Fills `unit` with the next pieces; `None` if there are no more.
    fn read(&mut self, unit: &mut Unit<'_>, meter: &Meter<'_>) -> Result<Option<Place>> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        if self.ended {
            return Ok(None);
        }
        meter.check_cancelled()?;
        let unit_pieces = unit.pieces() as u64;
        let piece = self.span.first + self.unit * unit_pieces;
        let whole = self.span.whole.map(|whole| whole - self.unit * unit_pieces);
        let want = match whole {
            Some(pieces) if pieces < unit_pieces => {
                unit.capacity() / unit.pieces() * usize::try_from(pieces).expect("ordered: a unit is short")
            }
            _ => unit.capacity(),
        };
        let filled = match unit.ending() {
            Ending::Short => unit.fill_from(want, self.reader).map(|()| unit.filled() < want),
            Ending::Whole => {
                let mut reader = Ahead { reader: self.reader, byte: &mut self.ahead };
                unit.fill_from(want, &mut reader).and_then(|()| match whole {
                    // Only the next byte tells whether this was the end.
                    None if unit.filled() == want => reader.is_at_end(),
                    _ => Ok(unit.filled() < want),
                })
            }
        };
        let last = match filled {
            Ok(last) => {
                self.ended = last || whole.is_some_and(|pieces| pieces <= unit_pieces);
                last
            }
            Err(error) => {
                // It is reported after the pieces that were read before it.
                let fault = Error::from_io("read", None, error);
                unit.keep_whole();
                if unit.filled() == 0 {
                    return Err(fault);
                }
                self.fault = Some(fault);
                false
            }
        };
        let place = Place { index: self.unit, piece, last };
        self.unit += 1;
        Ok(Some(place))
    }
}

/// A reader that can check whether it is at its end.
struct Ahead<'a> {
    reader: &'a mut (dyn Read + Send),
    byte: &'a mut Option<u8>,
}

impl Ahead<'_> {
    fn is_at_end(&mut self) -> io::Result<bool> {
        let mut byte = [0];
        loop {
            match self.reader.read(&mut byte) {
                Ok(0) => return Ok(true),
                Ok(_) => {
                    *self.byte = Some(byte[0]);
                    return Ok(false);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Read for Ahead<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.read_vectored(&mut [IoSliceMut::new(buffer)])
    }

    fn read_vectored(&mut self, slices: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        let room = slices.iter_mut().find(|slice| !slice.is_empty());
        match (*self.byte, room) {
            (Some(byte), Some(room)) => {
                room[0] = byte;
                *self.byte = None;
                Ok(1)
            }
            _ => self.reader.read_vectored(slices),
        }
    }
}

struct WriteState<'a> {
    writer: &'a mut (dyn Write + Send),
    /// Index of the unit whose turn it is.
    unit: u64,
    written: u64,
    stopped: bool,
    failure: Option<Error>,
}

struct Turns<'a> {
    state: Mutex<WriteState<'a>>,
    changed: Condvar,
}

impl<'a> Turns<'a> {
    /// Waits for the turn of unit `index`; `None` if the run has stopped.
    fn wait(&self, index: u64) -> Option<MutexGuard<'_, WriteState<'a>>> {
        let state = self.state.lock().ok()?;
        let state = self.changed.wait_while(state, |state| !state.stopped && state.unit != index).ok()?;
        (!state.stopped).then_some(state)
    }

    /// Writes a unit in its turn, including the ready pieces of one that failed; `false` if the run has stopped.
    fn write(&self, index: u64, unit: &Unit<'_>, transformed: Result<()>) -> bool {
        let Some(mut state) = self.wait(index) else { return false };
        let stored = unit.store_to(&mut *state.writer).map_err(|error| Error::from_io("write", None, error));
        state.written += unit.ready() as u64;
        state.unit += 1;
        if let Err(error) = stored.and(transformed) {
            state.stopped = true;
            state.failure = Some(error);
        }
        let going = !state.stopped;
        drop(state);
        self.changed.notify_all();
        going
    }

    /// Stops the run at unit `index`, in its turn, so that the first failure is reported.
    fn fail(&self, index: u64, error: Error) {
        let Some(mut state) = self.wait(index) else { return };
        state.stopped = true;
        state.failure = Some(error);
        drop(state);
        self.changed.notify_all();
    }
}

/// Stops the other workers if one of them panics in the reader, writer or callback of the caller.
struct StopOnPanic<'a, 'b>(&'a Turns<'b>);

impl Drop for StopOnPanic<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.state.lock().unwrap_or_else(PoisonError::into_inner).stopped = true;
            self.0.changed.notify_all();
        }
    }
}
