//! Transforms a stream sequentially, part by part: one thread reads ahead, the caller's thread transforms and another writes
//! behind, so that the run takes no longer than the slowest of the three.

use super::{Meter, clear};
use crate::error::{Error, Result};
use std::io::{ErrorKind, Read, Write};
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::Builder;

/// Bytes of one read: large enough for few calls, and small enough to be still in the second-level cache when they are written.
const PART_LEN: usize = 128 * 1024;
/// The number of parts in flight on each side: one is filled or emptied while another waits.
const AHEAD: usize = 2;

/// Memory for a part, cleared on drop.
struct Part(Vec<u8>);

impl Part {
    fn new(len: usize) -> Self {
        // With room for one more block, so that no reallocation leaves a copy in memory.
        Self(Vec::with_capacity(len + 64))
    }
}

impl Deref for Part {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.0
    }
}

impl DerefMut for Part {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.0
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // Up to the capacity: the part may have been longer before.
        self.0.resize(self.0.capacity(), 0);
        clear(&mut self.0);
    }
}

/// A transformation that [`run`] applies to each part of its input.
pub(crate) trait Sequence {
    /// Transforms the next bytes and appends the result, which is at most one block shorter or longer.
    fn update(&mut self, input: &[u8], output: &mut Vec<u8>);

    /// Appends the rest of the result after the last bytes.
    fn finish(self, output: &mut Vec<u8>) -> Result<()>;
}

/// Transforms all bytes of `reader` and writes them; returns the numbers of bytes read and written.
///
/// # Errors
/// Those of reading, of the end of the transformation, or of writing. The whole parts before the error have been written.
pub(crate) fn run(
    mut sequence: impl Sequence,
    reader: &mut (dyn Read + Send),
    writer: &mut (dyn Write + Send),
    meter: &Meter<'_>,
) -> Result<(u64, u64)> {
    let mut counts = (0, 0);
    // If the input is known to be shorter than a part, the first part is the last.
    let known = meter.total().and_then(|len| usize::try_from(len).ok());
    let len = known.map_or(PART_LEN, |len| len.min(PART_LEN - 1) + 1);
    let mut part = Part::new(len);
    let stopped = AtomicBool::new(false);
    let mut more = fill(reader, &mut part, len, meter, &stopped)?;
    if more && meter.threads() > 1 {
        more = overlap(&mut sequence, &mut part, reader, writer, meter, &mut counts)?;
    }
    let mut output = Part::new(len);
    while more {
        output.clear();
        sequence.update(&part, &mut output);
        store(writer, &output)?;
        count(&mut counts, &part, &output, meter)?;
        more = fill(reader, &mut part, len, meter, &stopped)?;
    }
    output.clear();
    sequence.update(&part, &mut output);
    sequence.finish(&mut output)?;
    store(writer, &output)?;
    count(&mut counts, &part, &output, meter)?;
    writer.flush().map_err(write_error)?;
    Ok(counts)
}

/// A message to the transforming thread.
enum Next {
    /// A part, and whether more may follow.
    Part(Part, bool),
    Failed(Error),
    /// Another thread has ended early.
    Gone,
}

/// Transforms `part` and all following parts except the last, which is left in `part`. Returns whether more parts follow, which
/// is the case if no threads could be started and nothing was done.
///
/// If the writer fails, the run ends as soon as the current call of the reader returns.
fn overlap(
    sequence: &mut impl Sequence,
    part: &mut Part,
    reader: &mut (dyn Read + Send),
    writer: &mut (dyn Write + Send),
    meter: &Meter<'_>,
    counts: &mut (u64, u64),
) -> Result<bool> {
    let stopped = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (recycle_input, empty_inputs) = sync_channel(AHEAD + 1);
        let (filled, inputs) = sync_channel(AHEAD);
        let (outputs, to_write) = sync_channel::<Part>(AHEAD);
        let (written, empty_outputs) = sync_channel(AHEAD + 1);
        let (stopped, wake) = (&stopped, WakeOnDrop { stopped: &stopped, inputs: filled.clone() });
        let read = move || read_ahead(reader, &empty_inputs, &filled, meter, stopped);
        let write = move || write_behind(writer, &to_write, &written, &wake);
        let (reading, writing) = (Builder::new().spawn_scoped(scope, read), Builder::new().spawn_scoped(scope, write));
        let (Ok(reading), Ok(writing)) = (reading, writing) else { return Ok(true) };
        for _ in 0..AHEAD {
            _ = recycle_input.send(Part::new(PART_LEN));
        }
        let mut transform = || -> Result<()> {
            let mut more = true;
            while more {
                let mut output = empty_outputs.try_recv().unwrap_or_else(|_| Part::new(PART_LEN));
                output.clear();
                sequence.update(part, &mut output);
                count(counts, part, &output, meter)?;
                if outputs.send(output).is_err() {
                    // The writer has failed; its error is returned when it is joined.
                    return Ok(());
                }
                match inputs.recv() {
                    Ok(Next::Part(next, follows)) => {
                        _ = recycle_input.send(std::mem::replace(part, next));
                        more = follows;
                    }
                    Ok(Next::Failed(error)) => return Err(error),
                    // That thread has failed or panicked, which is reported when it is joined.
                    Ok(Next::Gone) | Err(_) => return Ok(()),
                }
            }
            Ok(())
        };
        let transformed = transform();
        drop((recycle_input, inputs, outputs));
        if transformed.is_err() {
            stopped.store(true, Ordering::Relaxed);
        }
        // The error of the writer comes first: it is about earlier bytes.
        let written = writing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        written.and(transformed).map(|()| false)
    })
}

fn read_ahead(
    reader: &mut (dyn Read + Send),
    empty: &Receiver<Part>,
    filled: &SyncSender<Next>,
    meter: &Meter<'_>,
    stopped: &AtomicBool,
) {
    let _wake = WakeOnPanic(filled);
    for mut part in empty {
        let (next, ended) = match fill(reader, &mut part, PART_LEN, meter, stopped) {
            Ok(more) => (Next::Part(part, more), !more),
            Err(error) => (Next::Failed(error), true),
        };
        if filled.send(next).is_err() || ended {
            return;
        }
    }
}

/// Wakes the transforming thread if the reader panics.
struct WakeOnPanic<'a>(&'a SyncSender<Next>);

impl Drop for WakeOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            _ = self.0.send(Next::Gone);
        }
    }
}

/// Wakes the transforming thread and stops the reader when the writer ends, by an error or a panic.
struct WakeOnDrop<'a> {
    stopped: &'a AtomicBool,
    inputs: SyncSender<Next>,
}

impl Drop for WakeOnDrop<'_> {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        // If the queue is full, no thread waits for it.
        _ = self.inputs.try_send(Next::Gone);
    }
}

fn write_behind(
    writer: &mut (dyn Write + Send),
    parts: &Receiver<Part>,
    written: &SyncSender<Part>,
    _wake: &WakeOnDrop<'_>,
) -> Result<()> {
    for part in parts {
        store(writer, &part)?;
        _ = written.try_send(part);
    }
    Ok(())
}

/// Reads a part of `len` bytes and returns whether more may follow. Returns early, with an incomplete part, if the run was
/// stopped.
fn fill(
    reader: &mut (dyn Read + Send),
    part: &mut Part,
    len: usize,
    meter: &Meter<'_>,
    stopped: &AtomicBool,
) -> Result<bool> {
    part.resize(len, 0);
    let mut filled = 0;
    while filled < len && !stopped.load(Ordering::Relaxed) {
        meter.check_cancelled()?;
        match reader.read(&mut part[filled..]) {
            Ok(0) => break,
            Ok(n) if n > len - filled => {
                let error = std::io::Error::other("the reader returned more bytes than the buffer holds");
                return Err(Error::from_io("read", None, error));
            }
            Ok(n) => filled += n,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::from_io("read", None, error)),
        }
    }
    part.truncate(filled);
    Ok(filled == len)
}

fn store(writer: &mut (dyn Write + Send), part: &[u8]) -> Result<()> {
    writer.write_all(part).map_err(write_error)
}

fn write_error(error: std::io::Error) -> Error {
    Error::from_io("write", None, error)
}

fn count(counts: &mut (u64, u64), input: &[u8], output: &[u8], meter: &Meter<'_>) -> Result<()> {
    counts.0 += input.len() as u64;
    counts.1 += output.len() as u64;
    meter.add(input.len());
    meter.check_cancelled()
}
