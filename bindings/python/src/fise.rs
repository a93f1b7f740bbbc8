//! Envelopes and frames of FISE, which hide data and do not encrypt it.

use crate::boundary::{Raised, computed_with, or_raise};
use crate::keys::hash_of;
use crate::memory::Data;
use pyo3::exceptions::{PyBlockingIOError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyString};
use sealstone::interop::fise;
use std::borrow::Cow;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::{Mutex, MutexGuard, TryLockError};

/// Bytes that a reader asks a file for at once, at least.
const AHEAD_LEN: usize = 1 << 16;

// Python shows the default of a parameter only if it is a number here.
const _: () = assert!(fise::FRAME_LEN == 262_144);

/// An integer of Python's. One that has no room here becomes the greatest, and each call refuses that.
fn integer(number: &Bound<'_, PyAny>) -> PyResult<i64> {
    match number.extract::<i64>() {
        Err(error) if error.is_instance_of::<PyOverflowError>(number.py()) => Ok(i64::MAX),
        number => number,
    }
}

/// The rules of envelopes as data: where the marker stands, how long the salt is and where it is, and decoys. **This does not encrypt**:
/// whoever has an envelope can find out its rules.
///
/// `rules` is JSON text, or a `dict` of the same form. The same profile writes and reads the same envelopes in every language, and its defaults
/// are the rules of FISE 0.1.5. `str(profile)` is its JSON, and it is pickled as that. `FiseRules` names the member that breaks a rule.
///
/// The reader of an envelope needs the `timestamp` of its writer, an integer.
///
/// >>> from sealstone.fise import Profile
/// >>> profile = Profile({"fise": 1, "salt": {"place": "interleaved"}, "decoys": {"every": 16}})
/// >>> envelope = profile.encode_text("not a secret", timestamp=29_400_000)
/// >>> profile.decode_text(envelope, timestamp=29_400_000)
/// 'not a secret'
#[pyclass(frozen, module = "sealstone.fise")]
pub struct Profile(fise::Profile);

#[pymethods]
impl Profile {
    #[new]
    fn new(rules: &Bound<'_, PyAny>) -> PyResult<Self> {
        profile_of(rules).map(Self)
    }

    /// Makes the profile of a seed: the same in every language, and only as secret as the seed, which has at most 32 bits.
    ///
    /// >>> from sealstone.fise import Profile
    /// >>> Profile.random("2026-11-28") == Profile.random("2026-11-28")
    /// True
    #[staticmethod]
    fn random(seed: &str) -> Self {
        Self(fise::Profile::random(seed))
    }

    /// The profile with all members.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.getattr("loads")?.call1((self.0.to_json(),))
    }

    /// Shows that every text has an envelope that opens to it, and returns a `dict` with `ok`, `bytes` and `text` (`None` if the profile is for
    /// bytes alone). `by` of the last two is `exhaustion` if it is proved for all lengths and timestamps, `cases` if so many envelopes opened
    /// to their plaintext, or `failure`, with the text. It takes seconds.
    ///
    /// >>> from sealstone.fise import Profile
    /// >>> Profile({"fise": 1, "marker": {"kind": "uint16"}}).validate()
    /// {'bytes': {'by': 'exhaustion', 'lengths': 104, 'timestamps': 21}, 'ok': True, 'text': None}
    fn validate<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let validation = computed_with(py, usize::MAX, || self.0.validate())?;
        py.import("json")?.getattr("loads")?.call1((validation.to_json(),))
    }

    /// Hides bytes in an envelope. `FiseRules` for 256 MiB and more, and for a timestamp of over 53 bits.
    #[pyo3(signature = (data, *, timestamp=0))]
    fn encode<'py>(
        &self,
        py: Python<'py>,
        data: Data<'_>,
        #[pyo3(from_py_with = integer)] timestamp: i64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let data = data.read();
        let envelope = computed_with(py, data.len(), || self.0.encode(&data, timestamp))?;
        Ok(PyBytes::new(py, &envelope))
    }

    /// The bytes that an envelope hides.
    ///
    /// `FiseNoSalt`, `FiseNoMarker` or `FiseAmbiguous` for bytes that no writer made with this profile and timestamp. Changes that somebody
    /// makes on purpose are not noticed.
    #[pyo3(signature = (envelope, *, timestamp=0))]
    fn decode<'py>(
        &self,
        py: Python<'py>,
        envelope: Data<'_>,
        #[pyo3(from_py_with = integer)] timestamp: i64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let envelope = envelope.read();
        let data = computed_with(py, envelope.len(), || self.0.decode(&envelope, timestamp))?;
        Ok(PyBytes::new(py, &data))
    }

    /// Hides text in an envelope of ASCII. A text with a lone surrogate is a `UnicodeEncodeError`; otherwise as `encode`.
    #[pyo3(signature = (text, *, timestamp=0))]
    fn encode_text(
        &self,
        py: Python<'_>,
        text: &str,
        #[pyo3(from_py_with = integer)] timestamp: i64,
    ) -> PyResult<String> {
        computed_with(py, text.len(), || self.0.encode_text(text, timestamp))
    }

    /// The text that an envelope hides. Errors are those of `decode`; `FiseRules` for a profile that is for bytes alone.
    #[pyo3(signature = (envelope, *, timestamp=0))]
    fn decode_text(
        &self,
        py: Python<'_>,
        envelope: &Bound<'_, PyString>,
        #[pyo3(from_py_with = integer)] timestamp: i64,
    ) -> PyResult<String> {
        let envelope = units_of(envelope)?;
        computed_with(py, envelope.len(), || self.0.decode_text(&envelope, timestamp))
    }

    fn __str__(&self) -> String {
        self.0.to_json()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Profile({})", PyString::new(py, &self.0.to_json()).repr()?))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn __hash__(&self) -> u64 {
        hash_of(self.0.to_json())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.import("sealstone.fise")?.getattr("Profile")?, (self.0.to_json(),)))
    }
}

/// The text of an envelope. A lone surrogate, which UTF-8 does not have, becomes another unit that no envelope has.
fn units_of<'e>(envelope: &'e Bound<'_, PyString>) -> PyResult<Cow<'e, str>> {
    if let Ok(text) = envelope.to_str() {
        return Ok(text.into());
    }
    let encoded: Vec<u8> = envelope.call_method1("encode", ("utf-16-le", "surrogatepass"))?.extract()?;
    let units: Vec<u16> = encoded.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect();
    Ok(String::from_utf16_lossy(&units).into())
}

/// A profile: an object, JSON text, or a `dict`.
fn profile_of(rules: &Bound<'_, PyAny>) -> PyResult<fise::Profile> {
    let py = rules.py();
    if let Ok(profile) = rules.cast::<Profile>() {
        return Ok(profile.get().0.clone());
    }
    if let Ok(json) = rules.cast::<PyString>() {
        return or_raise(py, fise::Profile::from_json(json.to_str()?));
    }
    if rules.is_instance_of::<PyDict>() {
        let json: String = py.import("json")?.getattr("dumps")?.call1((rules,))?.extract()?;
        return or_raise(py, fise::Profile::from_json(&json));
    }
    Err(PyTypeError::new_err(format!(
        "a profile is a Profile, a dict or JSON text, not '{}'",
        rules.get_type().name()?.to_str()?
    )))
}

/// The rules of a stream: a profile, or several.
fn rules_of(rules: &Bound<'_, PyAny>) -> PyResult<Vec<fise::Profile>> {
    let is_one = rules.is_instance_of::<PyString>() || rules.is_instance_of::<PyDict>();
    match rules.try_iter() {
        // One more than core takes: an iterator may have no end.
        Ok(several) if !is_one => several.take(256).map(|one| profile_of(&one?)).collect(),
        _ => Ok(vec![profile_of(rules)?]),
    }
}

/// What one thread at a time uses: the order of frames means nothing where two do.
fn used<T>(state: &Mutex<T>) -> PyResult<MutexGuard<'_, T>> {
    match state.try_lock() {
        Ok(state) => Ok(state),
        Err(TryLockError::Poisoned(state)) => Ok(state.into_inner()),
        Err(TryLockError::WouldBlock) => Err(PyValueError::new_err("another call uses the stream")),
    }
}

/// Writes a stream of frames, which hides a content of any length and **does not encrypt** it.
///
/// `rules` are those of the stream: a profile, or a list of 1 to 255 that is used in turn, each a `Profile`, a `dict` or JSON text. The reader
/// needs the same list and the same `timestamp`. `frame_length` is the most bytes of content in a frame, 16,384 to 1,048,576. With `index`, an
/// index for `FrameReader` follows the last frame; until then it takes 8 bytes of memory for each frame. `encode_frames` fills frames by
/// itself.
///
/// >>> from sealstone.fise import FrameDecoder, FrameEncoder, Profile
/// >>> rules = [Profile.random("even"), Profile.random("odd")]
/// >>> encoder = FrameEncoder(rules)
/// >>> stream = encoder.frame(b"hello", metadata=b"12:00") + encoder.last_frame(b"bye", metadata=b"12:01")
/// >>> decoder = FrameDecoder(rules)
/// >>> decoder.push(stream)
/// >>> for frame in decoder:
/// ...     print(frame.number, frame.metadata, frame.content)
/// 0 b'12:00' b'hello'
/// 1 b'12:01' b'bye'
/// >>> decoder.finish()
#[pyclass(frozen, module = "sealstone.fise")]
pub struct FrameEncoder(Mutex<fise::FrameEncoder>);

#[pymethods]
impl FrameEncoder {
    #[new]
    #[pyo3(signature = (rules, *, timestamp=0, frame_length=262_144, index=false))]
    fn new(
        py: Python<'_>,
        rules: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = integer)] timestamp: i64,
        #[pyo3(from_py_with = integer)] frame_length: i64,
        index: bool,
    ) -> PyResult<Self> {
        let encoder = fise::FrameEncoder::new(rules_of(rules)?)
            .and_then(|encoder| encoder.frame_len(usize::try_from(frame_length).unwrap_or(0)));
        Ok(Self(Mutex::new(or_raise(py, encoder)?.timestamp(timestamp).index(index))))
    }

    /// Writes the next frame; returns the bytes to be sent, with the header of the stream before the first frame.
    ///
    /// `FiseRules` for more content than a frame has, for over 65,535 bytes of metadata, and behind the last frame. Nothing is written then.
    #[pyo3(signature = (content, metadata=None))]
    fn frame<'py>(
        &self,
        py: Python<'py>,
        content: Data<'_>,
        metadata: Option<Data<'_>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.write(py, Some(&content), metadata.as_ref(), fise::FrameEncoder::frame)
    }

    /// Writes the last frame, which may be empty, and the index. Errors are those of `frame`.
    #[pyo3(signature = (content=None, metadata=None))]
    fn last_frame<'py>(
        &self,
        py: Python<'py>,
        content: Option<Data<'_>>,
        metadata: Option<Data<'_>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.write(py, content.as_ref(), metadata.as_ref(), fise::FrameEncoder::last_frame)
    }
}

impl FrameEncoder {
    fn write<'py>(
        &self,
        py: Python<'py>,
        content: Option<&Data<'_>>,
        metadata: Option<&Data<'_>>,
        frame: impl FnOnce(&mut fise::FrameEncoder, &[u8], &[u8]) -> fise::Result<Vec<u8>> + Send,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut encoder = used(&self.0)?;
        let (content, metadata) = (content.map(Data::read), metadata.map(Data::read));
        let (content, metadata) = (content.as_deref().unwrap_or_default(), metadata.as_deref().unwrap_or_default());
        let encoder = &mut *encoder;
        Ok(PyBytes::new(py, &computed_with(py, content.len(), || frame(encoder, metadata, content))?))
    }
}

/// Reads a stream of frames from bytes as they come. It holds the bytes of one frame, and those that were pushed since.
///
/// `rules` and `timestamp` are those of the writer. After an error no frame comes any more. `decode_frames` reads a file or another source.
///
/// >>> from sealstone.fise import FrameDecoder, FrameEncoder
/// >>> encoder = FrameEncoder({"fise": 1})
/// >>> decoder = FrameDecoder({"fise": 1})
/// >>> for part in (encoder.frame(b"hello"), encoder.last_frame(b"bye")):
/// ...     decoder.push(part)
/// ...     for frame in decoder:
/// ...         print(frame.content)
/// b'hello'
/// b'bye'
/// >>> decoder.finish()
#[pyclass(frozen, module = "sealstone.fise")]
pub struct FrameDecoder(Mutex<Option<fise::FrameDecoder>>);

#[pymethods]
impl FrameDecoder {
    #[new]
    #[pyo3(signature = (rules, *, timestamp=0))]
    fn new(py: Python<'_>, rules: &Bound<'_, PyAny>, #[pyo3(from_py_with = integer)] timestamp: i64) -> PyResult<Self> {
        let decoder = or_raise(py, fise::FrameDecoder::new(rules_of(rules)?))?;
        Ok(Self(Mutex::new(Some(decoder.timestamp(timestamp)))))
    }

    /// Takes the next bytes of the stream, in pieces of any length.
    fn push(&self, data: Data<'_>) -> PyResult<()> {
        used(&self.0)?.as_mut().ok_or_else(finished)?.push(&data.read());
        Ok(())
    }

    /// The next frame; `None` if it is not whole yet, and at the end. An iteration gives all frames that are whole.
    ///
    /// `FiseOrder` for frames that were lost, repeated, exchanged or mixed, `FiseMalformed`, `FiseKeyRequired`, and the errors of
    /// `Profile.decode`.
    fn next_frame<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut state = used(&self.0)?;
        let decoder = state.as_mut().ok_or_else(finished)?;
        let frame = computed_with(py, usize::MAX, || decoder.next_frame())?;
        frame.map(|frame| shown(py, &frame)).transpose()
    }

    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        py.import("builtins")?.getattr("iter")?.call1((slf.getattr("next_frame")?, py.None()))
    }

    /// Ends reading: the stream has to be whole, and only this says that it is.
    ///
    /// `FiseTruncated` if its end is missing, and `ValueError` if frames that came were not read.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        let mut decoder = used(&self.0)?.take().ok_or_else(finished)?;
        if computed_with(py, usize::MAX, || decoder.next_frame())?.is_some() {
            return Err(PyValueError::new_err("frames were not read: iterate over the decoder before finish()"));
        }
        or_raise(py, decoder.finish())
    }
}

fn finished() -> PyErr {
    PyValueError::new_err("the stream was finished: make another decoder")
}

/// A frame as Python has it.
fn shown<'py>(py: Python<'py>, frame: &fise::Frame) -> PyResult<Bound<'py, PyAny>> {
    static FRAME: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let (metadata, content) = (PyBytes::new(py, &frame.metadata), PyBytes::new(py, &frame.content));
    FRAME.import(py, "sealstone.fise", "Frame")?.call1((frame.number, frame.rule, metadata, content, frame.is_last))
}

/// A file of Python's that is open to read and to seek.
struct Source {
    file: Py<PyAny>,
    raised: Raised,
}

impl Read for Source {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.raised.call(&self.file, |file| {
            let part = file.call_method1("read", (bytes.len(),))?;
            if part.is_none() {
                return Err(PyBlockingIOError::new_err("the file has nothing to read yet: make it wait"));
            }
            let part: Data<'_> = part.extract()?;
            let len = part.len();
            if len > bytes.len() {
                return Err(PyValueError::new_err(format!(
                    "the file's read() gave {len} bytes, and {} were asked for",
                    bytes.len()
                )));
            }
            part.copy(0..len, &mut bytes[..len]);
            Ok(len)
        })
    }
}

impl Seek for Source {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.raised.call(&self.file, |file| {
            let place = match position {
                SeekFrom::Start(offset) => file.call_method1("seek", (offset, 0)),
                SeekFrom::Current(offset) => file.call_method1("seek", (offset, 1)),
                SeekFrom::End(offset) => file.call_method1("seek", (offset, 2)),
            };
            place?.extract()
        })
    }
}

/// Reads any part of a stream that has an index: the class `FrameReader` of Python calls it.
#[pyclass(frozen, module = "sealstone._native")]
pub struct Reader {
    stream: Mutex<fise::FrameReader<BufReader<Source>>>,
    raised: Raised,
    frames: u32,
    content_len: u64,
}

#[pymethods]
impl Reader {
    #[new]
    fn new(
        py: Python<'_>,
        file: Py<PyAny>,
        rules: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = integer)] timestamp: i64,
    ) -> PyResult<Self> {
        let (rules, raised) = (rules_of(rules)?, Raised::default());
        let source = BufReader::with_capacity(AHEAD_LEN, Source { file, raised: raised.clone() });
        let reader = computed_with(py, usize::MAX, || fise::FrameReader::open(source, rules, timestamp));
        let reader = reader.map_err(|error| raised.or(error))?;
        let (frames, content_len) = (reader.frames(), reader.content_len());
        Ok(Self { stream: Mutex::new(reader), raised, frames, content_len })
    }

    #[getter]
    fn frames(&self) -> u32 {
        self.frames
    }

    #[getter]
    fn content_length(&self) -> u64 {
        self.content_len
    }

    fn frame<'py>(&self, py: Python<'py>, #[pyo3(from_py_with = integer)] number: i64) -> PyResult<Bound<'py, PyAny>> {
        // No stream has a frame of the greatest number.
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        let frame = self.with(py, |reader| reader.frame(number))?;
        shown(py, &frame)
    }

    fn read<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = integer)] start: i64,
        #[pyo3(from_py_with = integer)] end: i64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let [start, end] = [start, end].map(|place| u64::try_from(place).unwrap_or(u64::MAX));
        let content = self.with(py, |reader| reader.read(start..end))?;
        Ok(PyBytes::new(py, &content))
    }
}

impl Reader {
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut fise::FrameReader<BufReader<Source>>) -> fise::Result<T> + Send,
    ) -> PyResult<T> {
        let mut stream = used(&self.stream)?;
        let reader = &mut *stream;
        computed_with(py, usize::MAX, || work(reader)).map_err(|error| self.raised.or(error))
    }
}

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("FRAME_LENGTH", fise::FRAME_LEN)?;
    module.add_class::<Profile>()?;
    module.add_class::<FrameEncoder>()?;
    module.add_class::<FrameDecoder>()?;
    module.add_class::<Reader>()
}
