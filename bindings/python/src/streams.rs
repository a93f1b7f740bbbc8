//! Files that are written and read a part at a time.

use crate::boundary::{Raised, computed, or_raise, raised, watched};
use crate::files::{Decryptor, Encryptor};
use crate::memory::{Data, TURN_LEN, made, wipe};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sealstone::chunked::SEALED_CHUNK_LEN;
use sealstone::{ArmourDecoder, Error, FileMode, FileOpener, FileWriter, Output};
use sealstone_engine::caught;
use sealstone_engine::files::path;
use sealstone_engine::parts::{Dearmouring, Opening};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use zeroize::Zeroizing;

/// Bytes of a chunk's tag.
const TAG_LEN: usize = sealstone::aead::TAG_LEN;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An object of Python's with a method `write`.
struct Sink {
    target: Py<PyAny>,
    raised: Raised,
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.raised.call(&self.target, |target| {
            let written = target.call_method1("write", (PyBytes::new(target.py(), bytes),))?;
            // A raw file says how much it took; others take all, and some say nothing.
            let taken = if written.is_none() { bytes.len() } else { written.extract()? };
            if taken == 0 || taken > bytes.len() {
                return Err(PyValueError::new_err(format!(
                    "the target's write() took {taken} of {} bytes",
                    bytes.len()
                )));
            }
            Ok(taken)
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file that is encrypted as it is written.
#[pyclass(frozen, module = "sealstone._native")]
pub struct Writer {
    file: Mutex<Option<FileWriter<'static>>>,
    raised: Raised,
    /// Of the process that began the file. A fork of it has the same key, and would use the same nonces for what it writes.
    process: u32,
}

#[pymethods]
impl Writer {
    /// Of a file, by its name.
    #[staticmethod]
    fn file(py: Python<'_>, encryptor: &Encryptor, output: Vec<u8>, replace: bool) -> PyResult<Self> {
        let begin = || {
            let output = Output::file(path(&output))?.mode(FileMode::Shared).replace(replace);
            encryptor.by.writer(output)
        };
        let writer = encryptor.prepared(py, begin)?;
        Ok(Self { file: Mutex::new(Some(writer)), raised: Raised::default(), process: std::process::id() })
    }

    /// Into an object with a method `write`.
    #[staticmethod]
    fn into(py: Python<'_>, encryptor: &Encryptor, target: Py<PyAny>) -> PyResult<Self> {
        let raised = Raised::default();
        let sink = Sink { target, raised: raised.clone() };
        let writer = encryptor.prepared(py, || encryptor.by.writer(Output::writer(sink)));
        let writer = writer.map_err(|error| raised.or(error))?;
        Ok(Self { file: Mutex::new(Some(writer)), raised, process: std::process::id() })
    }

    /// Whether this is the process that began the file, and no fork of it.
    #[getter]
    fn is_here(&self) -> bool {
        self.process == std::process::id()
    }

    fn write(&self, py: Python<'_>, data: Data<'_>) -> PyResult<usize> {
        let len = data.len();
        for at in (0..len).step_by(TURN_LEN) {
            let end = len.min(at + TURN_LEN);
            match &data {
                Data::Bytes(bytes) => self.take(py, &bytes.as_bytes()[at..end])?,
                Data::Buffer(..) => {
                    let mut part = Zeroizing::new(vec![0; end - at]);
                    data.copy(at..end, &mut part);
                    self.take(py, &part)?;
                }
            }
            if end < len {
                py.check_signals()?;
            }
        }
        Ok(len)
    }

    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, Write::flush)
    }

    /// Ends the file; returns the bytes of its plaintext and of itself.
    fn finish(&self, py: Python<'_>) -> PyResult<(u64, u64)> {
        self.check()?;
        let done = computed(py, usize::MAX, || {
            let writer = locked(&self.file).take();
            writer.ok_or(Error::Cancelled)?.finish()
        });
        let done = done.map_err(|error| self.raised.or(error))?;
        Ok((done.plaintext, done.ciphertext))
    }

    /// Leaves no file. In a fork it does nothing.
    fn discard(&self, py: Python<'_>) {
        if self.is_here() {
            py.detach(|| drop(locked(&self.file).take()));
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if !self.is_here() {
            // Its end would remove the file that the other process writes.
            std::mem::forget(self.file.get_mut().unwrap_or_else(PoisonError::into_inner).take());
        }
    }
}

impl Writer {
    /// Refuses to work in a fork, where a lock may be held by a thread that is not there.
    fn check(&self) -> PyResult<()> {
        if self.is_here() {
            return Ok(());
        }
        Err(PyValueError::new_err(
            "another process began this file, and only that process can write to it: begin a new file after a fork",
        ))
    }

    fn take(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<()> {
        self.with(py, |writer| writer.write_all(bytes))
    }

    fn with(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut FileWriter<'static>) -> io::Result<()> + Send,
    ) -> PyResult<()> {
        self.check()?;
        // A target takes Python's lock, so whoever waits for the writer must not hold it.
        let done = computed(py, usize::MAX, || {
            let mut writer = locked(&self.file);
            let writer = writer.as_mut().ok_or(Error::Cancelled)?;
            work(writer).map_err(|error| match error.downcast::<Error>() {
                Ok(error) => error,
                Err(source) => Error::Io { action: "write", path: None, source },
            })
        });
        done.map_err(|error| self.raised.or(error))
    }
}

/// Bytes of a file before its first chunk, of its start.
#[pyfunction]
pub fn read_head_len(py: Python<'_>, start: Data<'_>) -> PyResult<usize> {
    or_raise(py, FileOpener::read_head_len(&start.read()))
}

/// Bytes of a file that `is_armoured` looks at, of one that begins so.
#[pyfunction]
pub fn armour_look_len(start: Data<'_>) -> usize {
    ArmourDecoder::look_len(&start.read())
}

/// Whether a file that begins so is armour.
#[pyfunction]
pub fn is_armoured(start: Data<'_>) -> bool {
    sealstone::is_armoured(&start.read())
}

/// A file whose chunks are opened in any order.
#[pyclass(frozen, module = "sealstone._native")]
pub struct Chunks(Opening);

#[pymethods]
impl Chunks {
    #[new]
    fn new(py: Python<'_>, decryptor: &Decryptor, head: Data<'_>) -> PyResult<Self> {
        decryptor.opening(py, &head.read()).map(Self)
    }

    #[getter]
    fn head_len(&self) -> usize {
        self.0.head_len()
    }

    /// Bytes of plaintext in a file of so many bytes.
    fn plaintext_len(&self, py: Python<'_>, file_len: u64) -> PyResult<u64> {
        if file_len < self.0.head_len() as u64 {
            return Err(raised(py, Error::Truncated("it ends before the first chunk")));
        }
        or_raise(py, self.0.plaintext_len(file_len))
    }

    /// Opens consecutive chunks from number `first` on. A length that is no whole number of chunks is that of the file's end.
    fn open<'py>(&self, py: Python<'py>, first: u64, sealed: Data<'_>) -> PyResult<Bound<'py, PyBytes>> {
        let mut places = sealed.to_vec();
        let rest = places.len() % SEALED_CHUNK_LEN;
        if places.is_empty() || (1..TAG_LEN).contains(&rest) {
            return Err(raised(py, Error::Truncated("a chunk ends within its tag")));
        }
        computed(py, places.len(), || self.0.open_places(first, &mut places))?;
        let len = places.chunks(SEALED_CHUNK_LEN).map(|place| place.len() - TAG_LEN).sum();
        made(py, len, |plaintext| {
            for (place, text) in places.chunks(SEALED_CHUNK_LEN).zip(plaintext.chunks_mut(SEALED_CHUNK_LEN - TAG_LEN)) {
                text.copy_from_slice(&place[..text.len()]);
            }
            Ok(())
        })
    }
}

/// A stream that is decrypted, with armour or without.
#[pyclass(frozen, module = "sealstone._native")]
pub struct StreamOpener {
    decryptor: Py<Decryptor>,
    state: Mutex<State>,
}

struct State {
    armour: Option<Dearmouring>,
    /// The bytes that came before the head was whole.
    start: Vec<u8>,
    opening: Option<Opening>,
    is_begun: bool,
}

/// Plaintext, and what failed behind it.
type Opened<'py> = (Bound<'py, PyBytes>, Option<Bound<'py, PyAny>>);

#[pymethods]
impl StreamOpener {
    #[new]
    fn new(decryptor: Py<Decryptor>) -> Self {
        let state = State { armour: None, start: Vec::new(), opening: None, is_begun: false };
        Self { decryptor, state: Mutex::new(state) }
    }

    /// Takes more of the file; returns the plaintext of the chunks that are whole, and the exception of what failed behind them.
    fn update<'py>(&self, py: Python<'py>, part: Data<'_>) -> PyResult<Opened<'py>> {
        self.turn(py, &part.read(), false)
    }

    /// The end of the file.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Opened<'py>> {
        self.turn(py, &[], true)
    }
}

impl StreamOpener {
    fn turn<'py>(&self, py: Python<'py>, part: &[u8], is_end: bool) -> PyResult<Opened<'py>> {
        let mut state = self.state.try_lock().map_err(|_| PyValueError::new_err("another thread uses the stream"))?;
        let state = &mut *state;
        let mut file = part.to_vec();
        let mut fault: Option<Error> = None;
        if !state.is_begun {
            state.start.append(&mut file);
            if state.start.len() < ArmourDecoder::look_len(&state.start) && !is_end {
                return opened(py, Vec::new(), None);
            }
            state.is_begun = true;
            file = std::mem::take(&mut state.start);
            if sealstone::is_armoured(&file) {
                state.armour = Some(Dearmouring::new(false));
            }
        }
        if let Some(armour) = &state.armour {
            (file, fault) = armour.update(&file);
            if is_end && fault.is_none() {
                let (rest, error) = armour.finish();
                file.extend(rest);
                fault = error;
            }
        }
        if state.opening.is_none() {
            state.start.append(&mut file);
            let is_whole = state.start.len() >= FileOpener::START_LEN
                && FileOpener::read_head_len(&state.start).is_ok_and(|len| state.start.len() >= len);
            if !is_whole && !is_end && fault.is_none() && !is_refused(&state.start) {
                return opened(py, Vec::new(), None);
            }
            if let Some(fault) = fault.take_if(|_| !is_whole && !is_refused(&state.start)) {
                return Err(raised(py, fault));
            }
            let opening = self.decryptor.get().opening(py, &state.start)?;
            file = state.start.split_off(opening.head_len());
            state.opening = Some(opening);
        }
        let threads = self.decryptor.get().threads;
        let opening = state.opening.as_ref().expect("streams: it has begun");
        let (plaintext, failure) = or_raise(
            py,
            py.detach(|| {
                caught(|| {
                    let (mut plaintext, mut failure) = opening.update(&file, threads);
                    if failure.is_none() && (is_end || fault.is_some()) {
                        let (mut rest, error) = opening.finish(is_end && fault.is_none()).run()?;
                        plaintext.extend_from_slice(&rest);
                        wipe(&mut rest);
                        failure = error.or(fault);
                    }
                    Ok((plaintext, failure))
                })
            }),
        )?;
        opened(py, plaintext, failure)
    }
}

/// Whether what a file begins with is refused, whatever follows.
fn is_refused(start: &[u8]) -> bool {
    start.len() >= FileOpener::START_LEN
        && FileOpener::read_head_len(start).is_err_and(|error| !matches!(error, Error::Truncated(_)))
}

fn opened(py: Python<'_>, mut plaintext: Vec<u8>, failure: Option<Error>) -> PyResult<Opened<'_>> {
    let bytes = PyBytes::new(py, &plaintext);
    wipe(&mut plaintext);
    Ok((bytes, failure.map(|failure| raised(py, failure).into_value(py).into_bound(py).into_any())))
}

impl Encryptor {
    /// Begins a file; one with a passphrase costs a password hash before, which can be interrupted.
    fn prepared<T: Send>(&self, py: Python<'_>, begin: impl FnOnce() -> sealstone::Result<T> + Send) -> PyResult<T> {
        if self.is_slow {
            watched(py, None, |job| sealstone_engine::parts::Sealing::later(Arc::clone(&self.by), job))?;
        }
        computed(py, usize::MAX, begin)
    }
}
