//! How calls of Python's become work of the engine's, and failures become exceptions.

use crate::memory::{Data, TURN_LEN, Target};
use pyo3::exceptions::PySystemError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use sealstone::Error;
use sealstone_engine::{Failure, Job, Wanted, Work, caught, guarded};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use zeroize::Zeroizing;

/// From so many bytes on other threads of Python run while this one computes; fewer take less time than handing over the lock.
const DETACHED_LEN: usize = 2048;

/// How often the calling thread looks for signals and shows progress.
const LOOK: Duration = Duration::from_millis(100);

/// A failure as an exception: `_errors.py` knows the class of each code.
pub fn raised(py: Python<'_>, failure: impl Into<Failure>) -> PyErr {
    static RAISED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let Failure { code, message, errno, .. } = failure.into();
    let exception = RAISED.import(py, "sealstone._errors", "of").and_then(|of| of.call1((code, &message, errno)));
    match exception {
        Ok(exception) => PyErr::from_value(exception),
        Err(_) => PySystemError::new_err(message),
    }
}

/// Core's result of short work, whose error is raised.
pub fn or_raise<T, E: Into<Failure>>(py: Python<'_>, result: Result<T, E>) -> PyResult<T> {
    result.map_err(|error| raised(py, error))
}

/// The exception of an object of Python's that core calls in the middle of its work. The caller is to see it.
#[derive(Clone, Default)]
pub struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    /// Calls an object, on a thread that does not hold Python's lock, and keeps what it raises.
    pub fn call<T>(&self, object: &Py<PyAny>, call: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> io::Result<T> {
        Python::attach(|py| call(object.bind(py))).map_err(|error| {
            let said = io::Error::other("an object raised an exception");
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            said
        })
    }

    /// What was raised, in place of the error that it led to.
    pub fn or(&self, error: PyErr) -> PyErr {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or(error)
    }
}

/// Computes on about so many bytes, on this thread.
pub fn computed<T: Send>(
    py: Python<'_>,
    len: usize,
    work: impl FnOnce() -> sealstone::Result<T> + Send,
) -> PyResult<T> {
    computed_with(py, len, work)
}

/// As [`computed`], of work that has errors of its own.
pub fn computed_with<T: Send, E: Into<Failure>>(
    py: Python<'_>,
    len: usize,
    work: impl FnOnce() -> Result<T, E> + Send,
) -> PyResult<T> {
    let work = || guarded(|| work().map_err(Into::into));
    or_raise(py, if len < DETACHED_LEN { work() } else { py.detach(work) })
}

/// Does work that takes long, while this thread looks for signals and shows progress. An exception of either ends the work.
pub fn watched<T: Send, F: FnOnce() -> sealstone::Result<T> + Send>(
    py: Python<'_>,
    on_progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(Arc<Job>) -> Work<F> + Send,
) -> PyResult<T> {
    let wanted = Wanted::new();
    let mut watch =
        Watch { job: wanted.job(), show: on_progress.map(|call| call.clone().unbind()), begun: Instant::now() };
    let mut exception = None;
    let done = py.detach(|| {
        work(wanted.job()).on_call(LOOK, || {
            if exception.is_none() {
                exception = Python::attach(|py| watch.look(py)).err();
                if exception.is_some() {
                    watch.job.cancel();
                }
            }
        })
    });
    if let Some(exception) = exception {
        return Err(exception);
    }
    let done = or_raise(py, done)?;
    watch.show(py)?;
    Ok(done)
}

/// Does work on a file: on this thread if it is over before anybody looks, since another one takes as long to start as 64 KiB to seal.
pub fn watched_if_long<T: Send, F: FnOnce() -> sealstone::Result<T> + Send>(
    py: Python<'_>,
    on_progress: Option<&Bound<'_, PyAny>>,
    is_short: impl FnOnce() -> bool + Send,
    work: impl FnOnce(Arc<Job>) -> Work<F> + Send,
) -> PyResult<T> {
    if on_progress.is_some() || !py.detach(is_short) {
        return watched(py, on_progress, work);
    }
    let wanted = Wanted::new();
    or_raise(py, py.detach(|| caught(|| work(wanted.job()).run())))
}

/// Works with the parts of a buffer, and hands over what each becomes. Between two of them signals are looked for. What others may write
/// to is copied, a part at a time, while no other thread of Python runs.
pub fn in_turns<T: Send>(
    py: Python<'_>,
    data: &Data<'_>,
    mut work: impl FnMut(&[u8], bool) -> sealstone::Result<T> + Send,
    mut hand_over: impl FnMut(T),
) -> PyResult<()> {
    let (len, mut at) = (data.len(), 0);
    let copied = if matches!(data, Data::Bytes(_)) { 0 } else { len.min(TURN_LEN) };
    let mut copy = Zeroizing::new(vec![0; copied]);
    loop {
        let end = len.min(at + TURN_LEN);
        let part = match data {
            Data::Bytes(bytes) => &bytes.as_bytes()[at..end],
            Data::Buffer(..) => {
                data.copy(at..end, &mut copy[..end - at]);
                &copy[..end - at]
            }
        };
        hand_over(computed(py, part.len(), || work(part, end == len))?);
        if end == len {
            return Ok(());
        }
        py.check_signals()?;
        at = end;
    }
}

/// Gives the parts of a buffer to what takes them and says nothing.
pub fn fed(py: Python<'_>, data: &Data<'_>, take: impl Fn(&[u8]) + Sync) -> PyResult<()> {
    let take = |part: &[u8], _| {
        take(part);
        Ok(())
    };
    in_turns(py, data, take, drop)
}

/// A path of Python's, of text, bytes or an object, as the system's bytes.
pub fn encoded(path: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    path.py().import("os")?.getattr("fsencode")?.call1((path,))?.extract()
}

/// The calling thread's part meanwhile: it shows progress and answers signals.
struct Watch {
    job: Arc<Job>,
    show: Option<Py<PyAny>>,
    begun: Instant,
}

impl Watch {
    fn look(&mut self, py: Python<'_>) -> PyResult<()> {
        py.check_signals()?;
        self.show(py)
    }

    fn show(&mut self, py: Python<'_>) -> PyResult<()> {
        static PROGRESS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let Some(show) = &self.show else { return Ok(()) };
        let mut progress = self.job.progress();
        let (done, total) = (progress.next().unwrap_or_default(), progress.next());
        let progress = PROGRESS.import(py, "sealstone._progress", "Progress")?;
        let progress = progress.call_method1("_of", (done, total, self.begun.elapsed().as_secs_f64()))?;
        show.call1(py, (progress,)).map(drop)
    }
}

/// Fails where a result has no room.
pub fn check_room(py: Python<'_>, out: &Target<'_>, expected: usize) -> PyResult<()> {
    let actual = out.len();
    let checked = if actual < expected {
        Err(Error::WrongLength { what: "the memory of the result", expected, actual })
    } else {
        Ok(())
    };
    or_raise(py, checked)
}
