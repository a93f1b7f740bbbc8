//! Who encrypts, decrypts and rewraps: files by name, and bytes in memory.

use crate::boundary::{check_room, computed, in_turns, or_raise, raised, watched, watched_if_long};
use crate::keys::{Identity, Recipient};
use crate::memory::{Data, Target, made, wipe};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use sealstone::{ArmourDecoder, FileOpener, Input, Inspection, Summary};
use sealstone_engine::files::{self, EncryptOptions, path};
use sealstone_engine::keys::is_slow;
use sealstone_engine::parts::{Opening, Sealing, is_compressed};
use sealstone_engine::{Failure, batch, parts};
use std::sync::Arc;
use zeroize::Zeroizing;

/// From so many bytes on, work in memory has several threads, and can be interrupted.
const LONG: usize = 1 << 20;

/// Bytes that the tags of a turn take, and the last chunk of one before it.
const TURN_ROOM: usize = 1 << 18;

/// Bytes of the plaintext and of the file.
type Lengths = (u64, u64);

fn lengths(summary: Summary) -> Lengths {
    (summary.plaintext, summary.ciphertext)
}

fn memory_len(len: u64) -> sealstone::Result<usize> {
    usize::try_from(len).map_err(|_| sealstone::Error::TooLong)
}

/// Encrypts to recipients, with options.
#[pyclass(frozen, module = "sealstone._native")]
pub struct Encryptor {
    pub by: Arc<sealstone::Encryptor>,
    threads: Option<u32>,
    /// Whether it begins with a password hash.
    pub is_slow: bool,
}

#[pymethods]
impl Encryptor {
    #[new]
    fn new(
        py: Python<'_>,
        recipients: Vec<PyRef<'_, Recipient>>,
        suite: Option<String>,
        context: Option<Data<'_>>,
        allow_mixed: bool,
        profile: Option<String>,
        armour: bool,
        threads: Option<u32>,
    ) -> PyResult<Self> {
        let recipients: Vec<_> = recipients.iter().map(|one| Arc::clone(&one.0)).collect();
        let context = context.as_ref().map(Data::read);
        let is_slow = recipients.iter().any(|one| is_slow(one.kind()));
        let options = EncryptOptions {
            suite: suite.as_deref(),
            context: context.as_deref(),
            allow_mixed: Some(allow_mixed),
            profile: profile.as_deref(),
            armour: Some(armour),
            threads,
        };
        let by = Arc::new(or_raise(py, files::encryptor(&recipients, &options))?);
        Ok(Self { by, threads, is_slow })
    }

    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        data: Data<'_>,
        on_progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        if self.by.armours() {
            let data = data.read();
            let text = computed(py, usize::MAX, || self.by.encrypt(&data))?;
            return Ok(PyBytes::new(py, &text));
        }
        let sealing = self.sealing(py)?;
        let len = or_raise(py, sealing.file_len(data.len() as u64).and_then(memory_len))?;
        made(py, len, |file| self.seal(py, &sealing, &data, file, on_progress))
    }

    fn encrypt_into(&self, py: Python<'_>, data: Data<'_>, out: Target<'_>) -> PyResult<usize> {
        if self.by.armours() {
            return written(py, &out, self.encrypt(py, data, None)?.as_bytes());
        }
        let sealing = self.sealing(py)?;
        let len = or_raise(py, sealing.file_len(data.len() as u64).and_then(memory_len))?;
        check_room(py, &out, len)?;
        let head = sealing.head();
        out.write(0, &head);
        let mut at = head.len();
        let seal = |mut part: &[u8], is_end| {
            let mut sealed = Vec::with_capacity(part.len() + TURN_ROOM);
            while !part.is_empty() {
                part = &part[sealing.fill(part)..];
                if let Some(unit) = sealing.unit() {
                    sealed.extend(unit.run()?.0);
                }
            }
            if is_end {
                sealed.extend(sealing.finish().run()?.0);
            }
            Ok(sealed)
        };
        in_turns(py, &data, seal, |sealed| {
            out.write(at, &sealed);
            at += sealed.len();
        })?;
        Ok(at)
    }

    fn encrypted_length(&self, py: Python<'_>, len: u64) -> PyResult<u64> {
        let sealing = self.sealing(py)?;
        or_raise(py, sealing.file_len(len))
    }

    fn encrypt_file(
        &self,
        py: Python<'_>,
        input: Vec<u8>,
        output: Vec<u8>,
        replace: bool,
        allow_special: bool,
        on_progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Lengths> {
        let by = Arc::clone(&self.by);
        watched_if_long(
            py,
            on_progress,
            || !self.is_slow && is_short(&input),
            |job| files::encrypt_file(by, path(&input), path(&output), replace, allow_special, job),
        )
        .map(lengths)
    }

    fn encrypt_batch<'py>(
        &self,
        py: Python<'py>,
        items: Vec<Data<'_>>,
        on_progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (data, lengths) = joined(py, &items)?;
        let (by, threads) = (Arc::clone(&self.by), self.threads);
        let results = watched(py, on_progress, |job| batch::encrypt_batch(by, data, lengths, job, threads))?;
        split(py, results)
    }
}

impl Encryptor {
    fn sealing(&self, py: Python<'_>) -> PyResult<Sealing> {
        if self.is_slow {
            return watched(py, None, |job| Sealing::later(Arc::clone(&self.by), job));
        }
        computed(py, usize::MAX, || Sealing::new(&self.by))
    }

    fn seal(
        &self,
        py: Python<'_>,
        sealing: &Sealing,
        data: &Data<'_>,
        file: &mut [u8],
        on_progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        match data {
            Data::Bytes(data) if data.as_bytes().len() < LONG => {
                let data = data.as_bytes();
                computed(py, data.len(), || sealing.seal_into(data, file, Some(1)))
            }
            Data::Bytes(data) => {
                let data = data.as_bytes();
                watched(py, on_progress, |job| sealing.seal_all(data, file, self.threads, job))
            }
            Data::Buffer(..) => {
                let seal = |part: &[u8], _| {
                    let start = sealing.placed();
                    match sealing.place(part, &mut file[start..])? {
                        Some((unit, place)) => unit.seal(&mut file[start..][place]),
                        None => Ok(()),
                    }
                };
                in_turns(py, data, seal, drop)
            }
        }
    }
}

/// Whether a file is worked on as fast as bytes that are no longer. Of a FIFO nobody knows how long it takes.
pub fn is_short(file: &[u8]) -> bool {
    std::fs::metadata(path(file)).is_ok_and(|about| about.is_file() && about.len() < LONG as u64)
}

/// Puts a result into memory that has room for it.
fn written(py: Python<'_>, out: &Target<'_>, result: &[u8]) -> PyResult<usize> {
    check_room(py, out, result.len())?;
    out.write(0, result);
    Ok(result.len())
}

fn is_armoured(file: &Data<'_>) -> bool {
    let len = ArmourDecoder::look_len(&part(file, 0, ArmourDecoder::START_LEN));
    sealstone::is_armoured(&part(file, 0, len))
}

/// Items one behind the other, and their lengths.
fn joined(py: Python<'_>, items: &[Data<'_>]) -> PyResult<(Zeroizing<Vec<u8>>, Vec<u32>)> {
    let lengths = items.iter().map(|item| u32::try_from(item.len()).map_err(|_| sealstone::Error::TooLong));
    let lengths = or_raise(py, lengths.collect::<sealstone::Result<Vec<_>>>())?;
    let mut data = Zeroizing::new(vec![0; items.iter().map(Data::len).sum()]);
    let mut rest = &mut data[..];
    for item in items {
        let (now, later) = rest.split_at_mut(item.len());
        item.copy(0..item.len(), now);
        rest = later;
    }
    Ok((data, lengths))
}

/// Results as objects, and in the place of each that failed its exception.
fn split(py: Python<'_>, results: batch::Batch) -> PyResult<Bound<'_, PyList>> {
    let bytes = Zeroizing::new(results.bytes);
    let mut failures = results.failures.into_iter().peekable();
    let (list, mut at) = (PyList::empty(py), 0);
    for (len, index) in results.lengths.into_iter().zip(0..) {
        let failed: Option<(u32, Failure)> = failures.next_if(|(failed, _)| *failed == index);
        match failed {
            Some((_, failure)) => list.append(raised(py, failure).into_value(py))?,
            None => list.append(PyBytes::new(py, &bytes[at..at + len as usize]))?,
        }
        at += len as usize;
    }
    Ok(list)
}

/// Decrypts with identities, with options.
#[pyclass(frozen, module = "sealstone._native")]
pub struct Decryptor {
    pub by: Arc<sealstone::Decryptor>,
    pub threads: Option<u32>,
    pub is_slow: bool,
}

#[pymethods]
impl Decryptor {
    #[new]
    fn new(
        py: Python<'_>,
        identities: Vec<PyRef<'_, Identity>>,
        context: Option<Data<'_>>,
        profile: Option<&str>,
        threads: Option<u32>,
    ) -> PyResult<Self> {
        let identities: Vec<_> = identities.iter().map(|one| one.0.get()).collect::<PyResult<_>>()?;
        let context = context.as_ref().map(Data::read);
        let is_slow = identities.iter().any(|one| is_slow(one.kind()));
        let by = Arc::new(or_raise(py, files::decryptor(&identities, context.as_deref(), profile, threads))?);
        Ok(Self { by, threads, is_slow })
    }

    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        file: Data<'_>,
        on_progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        if is_armoured(&file) {
            let file = file.read();
            let plaintext = Zeroizing::new(computed(py, usize::MAX, || self.by.decrypt(&file))?);
            return Ok(PyBytes::new(py, &plaintext));
        }
        let head = self.head(py, &file)?;
        if is_compressed(&head) {
            let (by, file) = (Arc::clone(&self.by), file.read());
            let plaintext = watched(py, on_progress, |job| parts::decrypt_all(by, &file, job, self.threads))?;
            return Ok(PyBytes::new(py, &Zeroizing::new(plaintext)));
        }
        let opening = self.opening(py, &head)?;
        let len = or_raise(py, opening.plaintext_len(file.len() as u64).and_then(memory_len))?;
        made(py, len, |plaintext| self.open(py, &opening, &file, plaintext, on_progress))
    }

    fn decrypt_into(&self, py: Python<'_>, file: Data<'_>, out: Target<'_>) -> PyResult<usize> {
        if is_armoured(&file) {
            return written(py, &out, self.decrypt(py, file, None)?.as_bytes());
        }
        let head = self.head(py, &file)?;
        if is_compressed(&head) {
            return written(py, &out, self.decrypt(py, file, None)?.as_bytes());
        }
        let opening = self.opening(py, &head)?;
        let len = or_raise(py, opening.plaintext_len(file.len() as u64).and_then(memory_len))?;
        check_room(py, &out, len)?;
        let (mut at, mut of_head) = (0, opening.head_len());
        let open = |part: &[u8], is_end| {
            let skipped = of_head.min(part.len());
            of_head -= skipped;
            let mut part = &part[skipped..];
            let mut opened = Zeroizing::new(Vec::with_capacity(part.len()));
            let mut take = |(mut bytes, failure): (Vec<u8>, Option<sealstone::Error>)| {
                opened.extend_from_slice(&bytes);
                wipe(&mut bytes);
                failure.map_or(Ok(()), Err)
            };
            while !part.is_empty() {
                part = &part[opening.fill(part)..];
                if let Some(unit) = opening.unit() {
                    take(unit.run()?)?;
                }
            }
            if is_end {
                take(opening.finish(true).run()?)?;
            }
            Ok(opened)
        };
        let done = in_turns(py, &file, open, |opened| {
            out.write(at, &opened);
            at += opened.len();
        });
        if let Err(error) = done {
            out.wipe(len);
            return Err(error);
        }
        Ok(at)
    }

    fn decrypt_range<'py>(
        &self,
        py: Python<'py>,
        file: Data<'_>,
        start: u64,
        end: u64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let file = file.read();
        let part = computed(py, usize::MAX, || self.by.decrypt_range(&file, start..end))?;
        Ok(PyBytes::new(py, &Zeroizing::new(part)))
    }

    fn decrypt_file(
        &self,
        py: Python<'_>,
        input: Vec<u8>,
        output: Vec<u8>,
        replace: bool,
        allow_special: bool,
        on_progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Lengths> {
        let by = Arc::clone(&self.by);
        watched_if_long(
            py,
            on_progress,
            || !self.is_slow && is_short(&input),
            |job| files::decrypt_file(by, path(&input), path(&output), replace, allow_special, job),
        )
        .map(lengths)
    }

    fn verify_file(
        &self,
        py: Python<'_>,
        input: Vec<u8>,
        allow_special: bool,
        on_progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Lengths> {
        let by = Arc::clone(&self.by);
        watched(py, on_progress, |job| files::verify_file(by, path(&input), allow_special, job)).map(lengths)
    }

    fn decrypt_range_file<'py>(
        &self,
        py: Python<'py>,
        input: Vec<u8>,
        start: u64,
        end: u64,
        allow_special: bool,
        on_progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let by = Arc::clone(&self.by);
        let range = start..end;
        let part =
            watched(py, on_progress, |job| files::decrypt_range_file(by, path(&input), range, allow_special, job))?;
        Ok(PyBytes::new(py, &Zeroizing::new(part)))
    }

    fn decrypt_batch<'py>(
        &self,
        py: Python<'py>,
        files: Vec<Data<'_>>,
        on_progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (data, lengths) = joined(py, &files)?;
        let (by, threads) = (Arc::clone(&self.by), self.threads);
        let results = watched(py, on_progress, |job| batch::decrypt_batch(by, data, lengths, job, threads))?;
        split(py, results)
    }
}

impl Decryptor {
    /// The bytes of a file before its chunks, or all there are.
    fn head(&self, py: Python<'_>, file: &Data<'_>) -> PyResult<Zeroizing<Vec<u8>>> {
        let start = part(file, 0, FileOpener::START_LEN);
        let len = or_raise(py, FileOpener::read_head_len(&start))?;
        Ok(part(file, 0, len))
    }

    pub fn opening(&self, py: Python<'_>, head: &[u8]) -> PyResult<Opening> {
        if self.is_slow {
            return watched(py, None, |job| Opening::later(Arc::clone(&self.by), head.to_vec(), job));
        }
        computed(py, usize::MAX, || Opening::new(&self.by, head))
    }

    fn open(
        &self,
        py: Python<'_>,
        opening: &Opening,
        file: &Data<'_>,
        plaintext: &mut [u8],
        on_progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        match file {
            Data::Bytes(file) if file.as_bytes().len() < LONG => {
                let file = file.as_bytes();
                computed(py, file.len(), || opening.open_into(file, plaintext, Some(1)))
            }
            Data::Bytes(file) => {
                let file = file.as_bytes();
                watched(py, on_progress, |job| opening.open_all(file, plaintext, self.threads, job))
            }
            Data::Buffer(..) => {
                let mut is_whole = false;
                let open = |part: &[u8], _| {
                    let start = opening.placed();
                    if let Some((unit, place)) = opening.place(part, &mut plaintext[start..])? {
                        is_whole = unit.is_last();
                        unit.open(&mut plaintext[start..][place])?;
                    }
                    Ok(())
                };
                in_turns(py, file, open, drop)?;
                if is_whole {
                    return Ok(());
                }
                wipe(plaintext);
                Err(raised(py, sealstone::Error::Truncated("its end is missing")))
            }
        }
    }
}

/// A copy of a part of a buffer, or of what there is of it.
fn part(data: &Data<'_>, at: usize, len: usize) -> Zeroizing<Vec<u8>> {
    let len = len.min(data.len() - at);
    let mut part = Zeroizing::new(vec![0; len]);
    data.copy(at..at + len, &mut part);
    part
}

/// Gives files to other recipients.
#[pyclass(frozen, module = "sealstone._native")]
pub struct Rewrapper(pub Arc<sealstone::Rewrapper>);

#[pymethods]
impl Rewrapper {
    #[new]
    fn new(
        py: Python<'_>,
        identities: Vec<PyRef<'_, Identity>>,
        recipients: Vec<PyRef<'_, Recipient>>,
        replace: bool,
        allow_mixed: bool,
        profile: Option<&str>,
    ) -> PyResult<Self> {
        let identities: Vec<_> = identities.iter().map(|one| one.0.get()).collect::<PyResult<_>>()?;
        let recipients: Vec<_> = recipients.iter().map(|one| Arc::clone(&one.0)).collect();
        let by = files::rewrapper(&identities, &recipients, Some(replace), Some(allow_mixed), profile);
        or_raise(py, by).map(|by| Self(Arc::new(by)))
    }

    fn rewrap<'py>(&self, py: Python<'py>, file: Data<'_>) -> PyResult<Bound<'py, PyBytes>> {
        let file = file.read();
        Ok(PyBytes::new(py, &computed(py, usize::MAX, || self.0.rewrap(&file))?))
    }

    fn rewrap_head<'py>(&self, py: Python<'py>, head: Data<'_>) -> PyResult<Bound<'py, PyBytes>> {
        let head = head.read();
        Ok(PyBytes::new(py, &computed(py, usize::MAX, || self.0.rewrap_head(&head))?))
    }

    #[pyo3(signature = (file, on_progress, split_links=false))]
    fn rewrap_file(
        &self,
        py: Python<'_>,
        file: Vec<u8>,
        on_progress: Option<&Bound<'_, PyAny>>,
        split_links: bool,
    ) -> PyResult<Lengths> {
        let by = Arc::clone(&self.0);
        watched(py, on_progress, |job| files::rewrap_file(by, path(&file), split_links, job)).map(lengths)
    }
}

/// Inspects a file in memory: returns the fields of `Inspection`, which anybody can see.
#[pyfunction]
pub fn inspect<'py>(py: Python<'py>, file: Data<'_>) -> PyResult<Bound<'py, PyAny>> {
    let file = file.read();
    let seen = computed(py, usize::MAX, || sealstone::inspect(Input::reader(&*file)))?;
    inspected(py, seen)
}

/// The same, of a file of so many bytes that begins so.
#[pyfunction]
pub fn inspect_head<'py>(py: Python<'py>, head: Data<'_>, len: u64) -> PyResult<Bound<'py, PyAny>> {
    let seen = or_raise(py, sealstone::inspect_head(&head.read(), len))?;
    inspected(py, seen)
}

#[pyfunction]
pub fn inspect_file(py: Python<'_>, file: Vec<u8>, allow_special: bool) -> PyResult<Bound<'_, PyAny>> {
    let seen = watched(py, None, |job| files::inspect_file(path(&file), allow_special, job))?;
    inspected(py, seen)
}

fn inspected(py: Python<'_>, seen: Inspection) -> PyResult<Bound<'_, PyAny>> {
    let stanzas: Vec<_> = seen.stanzas.iter().map(|one| (one.kind, one.type_id, one.body_len)).collect();
    py.import("sealstone._inspection")?.getattr("_of")?.call1((
        seen.version,
        seen.suite.name(),
        seen.context_bound,
        seen.compressed,
        seen.archive,
        seen.armoured,
        stanzas,
        seen.header_len,
        seen.payload_len,
        seen.plaintext_len,
        seen.chunks,
    ))
}
