//! Authenticated encryption of one buffer, of many, and of the cells of a column.

use crate::boundary::{check_room, computed, or_raise, raised};
use crate::held::Held;
use crate::keys::stays;
use crate::memory::{Data, Lie, Read, Target, made, plain_bytes};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use sealstone::aead::{Aead, Algorithm, TAG_LEN};
use sealstone_engine::aead::{open_into, room, seal_in_place, seal_into, too_short};
use sealstone_engine::caught;
use sealstone_engine::records::{Column, Records, Width};
use zeroize::Zeroizing;

/// A key of an AEAD, with its schedule computed once for many buffers. Threads can share it.
///
/// Never use a nonce twice under one key: with AES-GCM a single repetition reveals the authentication key. `seal_random` draws nonces.
/// It is zeroed by `destroy`, or after it is collected, and is neither copied nor pickled.
///
/// >>> from sealstone.aead import AeadKey, generate_key
/// >>> key = AeadKey("aes-256-gcm", generate_key("aes-256-gcm"))
/// >>> sealed = key.seal(bytes(12), b"attack at dawn", b"header")
/// >>> len(sealed)
/// 30
/// >>> key.open(bytes(12), sealed, b"header")
/// b'attack at dawn'
#[pyclass(frozen, module = "sealstone.aead")]
pub struct AeadKey {
    key: Held<Aead>,
    algorithm: Algorithm,
}

#[pymethods]
impl AeadKey {
    #[new]
    fn new(py: Python<'_>, algorithm: &str, key: Data<'_>) -> PyResult<Self> {
        let algorithm = or_raise(py, algorithm.parse::<Algorithm>())?;
        let key = or_raise(py, Aead::new(algorithm, &key.read()))?;
        Ok(Self { key: Held::new(key), algorithm })
    }

    /// The algorithm of this key.
    #[getter]
    fn algorithm(&self) -> &'static str {
        self.algorithm.name()
    }

    /// Seals bytes: the ciphertext, and behind it a tag of 16 bytes.
    ///
    /// A nonce has `nonce_length(algorithm)` bytes, and must never come twice under one key. GCM takes nonces of 8 and 16 bytes as well,
    /// for data of other programs: they are hashed, and two of them may come to the same, so new data should not have them. `aad` is
    /// authenticated, not encrypted. `WrongLength` for another nonce, and `TooLong` for more than the algorithm takes.
    ///
    /// >>> from sealstone.aead import AeadKey
    /// >>> AeadKey("aes-256-gcm", bytes(32)).seal(bytes(16), b"as PyCryptodome does")[-16:].hex()
    /// '804ddaaf0e03e487da955da56cf24a4e'
    #[pyo3(signature = (nonce, data, aad=None))]
    fn seal<'py>(
        &self,
        py: Python<'py>,
        nonce: Data<'_>,
        data: Data<'_>,
        aad: Option<Data<'_>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let nonce = nonce.read();
        self.sealed(py, Some(&nonce), &data, aad.as_ref())
    }

    /// Opens what `seal` has made.
    ///
    /// `NotAuthentic` for another key, nonce, byte or `aad`, and for what is shorter than a tag: nothing is returned then.
    #[pyo3(signature = (nonce, sealed, aad=None))]
    fn open<'py>(
        &self,
        py: Python<'py>,
        nonce: Data<'_>,
        sealed: Data<'_>,
        aad: Option<Data<'_>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let nonce = nonce.read();
        self.opened(py, Some(&nonce), &sealed, aad.as_ref())
    }

    /// Seals bytes with a nonce that is drawn, which stands before the ciphertext and the tag.
    ///
    /// Seal no more than 2^32 buffers under one key so; with `xchacha20-poly1305`, as many as you like.
    #[pyo3(signature = (data, aad=None))]
    fn seal_random<'py>(
        &self,
        py: Python<'py>,
        data: Data<'_>,
        aad: Option<Data<'_>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.sealed(py, None, &data, aad.as_ref())
    }

    /// Opens what `seal_random` has made. `NotAuthentic` as of `open`.
    #[pyo3(signature = (sealed, aad=None))]
    fn open_random<'py>(
        &self,
        py: Python<'py>,
        sealed: Data<'_>,
        aad: Option<Data<'_>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.opened(py, None, &sealed, aad.as_ref())
    }

    /// As `seal`, into a buffer of the caller's that has room for 16 bytes more than `data`; returns how many bytes it has now. `data` may
    /// be the beginning of that buffer.
    ///
    /// Up to 32 MiB are sealed where they will lie, which takes no other memory; other threads of Python wait meanwhile. After an error the
    /// place of the result is zero, or as it was.
    #[pyo3(signature = (nonce, data, out, aad=None))]
    fn seal_into(
        &self,
        py: Python<'_>,
        nonce: Data<'_>,
        data: Data<'_>,
        out: Target<'_>,
        aad: Option<Data<'_>>,
    ) -> PyResult<usize> {
        let (nonce, len) = (nonce.read(), data.len() + TAG_LEN);
        check_room(py, &out, len)?;
        if len > LOCKED_LEN || out.lie(&data) == Lie::Across {
            let sealed = self.sealed(py, Some(&nonce), &data, aad.as_ref())?;
            out.write(0, sealed.as_bytes());
            return Ok(len);
        }
        let (key, aad) = (self.key.get()?, aad.as_ref().map(Data::read));
        let (nonce, aad) = (Some(&*nonce), aad.as_deref().unwrap_or_default());
        let ends = (data.len(), len);
        let from = |data: &[u8], sealed: &mut [u8]| seal_into(&key, nonce, aad, data, sealed);
        fill_locked(py, &data, &out, ends, from, |sealed| seal_in_place(&key, nonce, aad, sealed))
    }

    /// As `open`, into a buffer of the caller's; returns how many bytes the plaintext has. `sealed` may be the beginning of that buffer.
    ///
    /// After an error the place of the plaintext is zero, or as it was. Up to 32 MiB are opened as `seal_into` seals them.
    #[pyo3(signature = (nonce, sealed, out, aad=None))]
    fn open_into(
        &self,
        py: Python<'_>,
        nonce: Data<'_>,
        sealed: Data<'_>,
        out: Target<'_>,
        aad: Option<Data<'_>>,
    ) -> PyResult<usize> {
        let (nonce, len) = (nonce.read(), sealed.len().saturating_sub(TAG_LEN));
        check_room(py, &out, len)?;
        if len > LOCKED_LEN || sealed.len() < TAG_LEN || out.lie(&sealed) == Lie::Across {
            let opened = self.opened(py, Some(&nonce), &sealed, aad.as_ref())?;
            out.write(0, opened.as_bytes());
            return Ok(len);
        }
        let (key, aad) = (self.key.get()?, aad.as_ref().map(Data::read));
        let (nonce, aad) = (&*nonce, aad.as_deref().unwrap_or_default());
        let mut tag = [0; TAG_LEN];
        sealed.copy(len..sealed.len(), &mut tag);
        let from = |sealed: &[u8], text: &mut [u8]| open_into(&key, Some(nonce), aad, sealed, text);
        fill_locked(py, &sealed, &out, (len, len), from, |text| key.open_in_place_separate_tag(nonce, aad, text, &tag))
    }

    /// Seals each of many items as `seal_random` does.
    ///
    /// >>> from sealstone.aead import AeadKey
    /// >>> key = AeadKey("aes-256-gcm", bytes(range(32)))
    /// >>> key.open_batch(key.seal_batch([b"attack", b"dawn"], b"words"), b"words")
    /// [b'attack', b'dawn']
    #[pyo3(signature = (items, aad=None))]
    fn seal_batch<'py>(
        &self,
        py: Python<'py>,
        items: Vec<Data<'_>>,
        aad: Option<Data<'_>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for item in &items {
            list.append(self.sealed(py, None, item, aad.as_ref())?)?;
        }
        Ok(list)
    }

    /// Opens each of many items. In the place of each that is not authentic there is its `NotAuthentic`.
    #[pyo3(signature = (sealed, aad=None))]
    fn open_batch<'py>(
        &self,
        py: Python<'py>,
        sealed: Vec<Data<'_>>,
        aad: Option<Data<'_>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for item in &sealed {
            match self.opened(py, None, item, aad.as_ref()) {
                Ok(plaintext) => list.append(plaintext)?,
                Err(error) => list.append(error.into_value(py))?,
            }
        }
        Ok(list)
    }

    /// Seals the cells of a column as Arrow lays it out: values one behind the other, and the offsets where each begins. Returns the values
    /// and the offsets of the sealed column, in which each cell is `prefix`, nonce, ciphertext and tag. All nonces come from one draw.
    /// The prefix is not authenticated: it is for what a reader needs before, such as the key's name.
    ///
    /// Offsets have 4 bytes (`binary`), or with `large` 8 (`large_binary`). `aad` is authenticated with each cell; where there are `names`,
    /// a column of as many cells, so is each one's name, behind its length in 4 bytes, the highest first: then no cell can take another's
    /// place.
    ///
    /// >>> import struct
    /// >>> from sealstone.aead import AeadKey
    /// >>> key = AeadKey("aes-256-gcm", bytes(range(32)))
    /// >>> values, offsets = key.seal_records(b"attackdawn", struct.pack("=3i", 0, 6, 10))
    /// >>> struct.unpack("=3i", offsets)
    /// (0, 34, 66)
    /// >>> key.open_records(values, offsets)[0]
    /// b'attackdawn'
    #[pyo3(signature = (values, offsets, *, prefix=None, aad=None, names=None, large=false, large_names=false))]
    #[expect(clippy::too_many_arguments, reason = "they are Python's keywords")]
    fn seal_records<'py>(
        &self,
        py: Python<'py>,
        values: Data<'_>,
        offsets: Data<'_>,
        prefix: Option<Data<'_>>,
        aad: Option<Data<'_>>,
        names: Option<(Data<'_>, Data<'_>)>,
        large: bool,
        large_names: bool,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let key = self.key.get()?;
        let given = Given::new(&values, &offsets, [prefix.as_ref(), aad.as_ref()], names.as_ref());
        let (records, (offsets, len)) = computed(py, values.len(), || {
            let records = given.records(large, large_names)?;
            let lengths = records.sealed_lengths(&key)?;
            Ok((records, lengths))
        })?;
        let sealed = made(py, len, |sealed| computed(py, sealed.len(), || records.seal(&key, sealed)))?;
        Ok((sealed, PyBytes::new(py, &offsets)))
    }

    /// Opens a column that `seal_records` has sealed, with the same `prefix`, `aad` and `names`.
    ///
    /// `NotAuthentic` says which is the first cell that is not (`chunk N is not authentic`, counted from 0); nothing is returned then.
    #[pyo3(signature = (values, offsets, *, prefix=None, aad=None, names=None, large=false, large_names=false))]
    #[expect(clippy::too_many_arguments, reason = "they are Python's keywords")]
    fn open_records<'py>(
        &self,
        py: Python<'py>,
        values: Data<'_>,
        offsets: Data<'_>,
        prefix: Option<Data<'_>>,
        aad: Option<Data<'_>>,
        names: Option<(Data<'_>, Data<'_>)>,
        large: bool,
        large_names: bool,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let key = self.key.get()?;
        let given = Given::new(&values, &offsets, [prefix.as_ref(), aad.as_ref()], names.as_ref());
        let (records, (offsets, len)) = computed(py, values.len(), || {
            let records = given.records(large, large_names)?;
            let lengths = records.opened_lengths(&key)?;
            Ok((records, lengths))
        })?;
        let opened = made(py, len, |opened| computed(py, opened.len(), || records.open(&key, opened)))?;
        Ok((opened, PyBytes::new(py, &offsets)))
    }

    /// Zeroes the key, once no call uses it.
    fn destroy(&self) {
        self.key.destroy();
    }

    fn __repr__(&self) -> String {
        format!("AeadKey({})", self.algorithm)
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(stays("AeadKey"))
    }
}

/// The parts of a column that Python gave, as bytes to which no thread writes.
struct Given<'a> {
    values: Read<'a>,
    offsets: Read<'a>,
    /// The prefix and the associated data.
    fixed: [Option<Read<'a>>; 2],
    names: Option<(Read<'a>, Read<'a>)>,
}

impl<'a> Given<'a> {
    fn new(
        values: &'a Data<'_>,
        offsets: &'a Data<'_>,
        fixed: [Option<&'a Data<'_>>; 2],
        names: Option<&'a (Data<'_>, Data<'_>)>,
    ) -> Self {
        let names = names.map(|(values, offsets)| (values.read(), offsets.read()));
        Self { values: values.read(), offsets: offsets.read(), fixed: fixed.map(|one| one.map(Data::read)), names }
    }

    fn records(&self, large: bool, large_names: bool) -> sealstone::Result<Records<'_>> {
        let width = |large| if large { Width::Eight } else { Width::Four };
        let column = Column::new(&self.values, &self.offsets, width(large))?;
        let names = self.names.as_ref().map(|(values, offsets)| Column::new(values, offsets, width(large_names)));
        let [prefix, aad] = self.fixed.each_ref().map(|one| one.as_deref().unwrap_or_default());
        Records::new(column, prefix, aad, names.transpose()?)
    }
}

impl AeadKey {
    fn sealed<'py>(
        &self,
        py: Python<'py>,
        nonce: Option<&[u8]>,
        data: &Data<'_>,
        aad: Option<&Data<'_>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (key, aad) = (self.key.get()?, aad.map(Data::read));
        let aad = aad.as_deref().unwrap_or_default();
        let (before, after) = room(&key, nonce.is_none());
        let len = data.len();
        made(py, before + len + after, |sealed| match data {
            Data::Bytes(bytes) => {
                let bytes = bytes.as_bytes();
                computed(py, len, || seal_into(&key, nonce, aad, bytes, sealed))
            }
            Data::Buffer(..) => {
                data.copy(0..len, &mut sealed[before..][..len]);
                computed(py, len, || seal_in_place(&key, nonce, aad, sealed))
            }
        })
    }

    fn opened<'py>(
        &self,
        py: Python<'py>,
        nonce: Option<&[u8]>,
        sealed: &Data<'_>,
        aad: Option<&Data<'_>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (key, aad) = (self.key.get()?, aad.map(Data::read));
        let aad = aad.as_deref().unwrap_or_default();
        let (before, after) = room(&key, nonce.is_none());
        let Some(len) = sealed.len().checked_sub(before + after) else {
            return Err(raised(py, too_short()));
        };
        if let Data::Bytes(bytes) = sealed {
            let bytes = bytes.as_bytes();
            return made(py, len, |text| computed(py, len, || open_into(&key, nonce, aad, bytes, text)));
        }
        // The ends are copied apart from the ciphertext, which is opened where the plaintext is to be.
        let mut ends = [0; MAX_NONCE_LEN + TAG_LEN];
        let (head, tag) = ends[..before + after].split_at_mut(before);
        sealed.copy(0..before, head);
        sealed.copy(before + len..before + len + after, tag);
        let tag: &[u8; TAG_LEN] = (&*tag).try_into().expect("aead: a tag has its length");
        let nonce = nonce.unwrap_or(head);
        made(py, len, |text| {
            sealed.copy(before..before + len, text);
            computed(py, len, || key.open_in_place_separate_tag(nonce, aad, text, tag))
        })
    }
}

/// Fills the first bytes of `out` while no other thread of Python runs: `from` works from bytes that nothing changes; those of a buffer
/// are moved there, and `within` works in place. `lens` are the bytes to move, and to fill.
fn fill_locked(
    py: Python<'_>,
    input: &Data<'_>,
    out: &Target<'_>,
    (moved, len): (usize, usize),
    from: impl FnOnce(&[u8], &mut [u8]) -> sealstone::Result<()> + Send,
    within: impl FnOnce(&mut [u8]) -> sealstone::Result<()> + Send,
) -> PyResult<usize> {
    let filled = match input {
        Data::Bytes(bytes) => {
            let bytes = bytes.as_bytes();
            out.with(py, len, |memory| caught(|| from(bytes, memory)))
        }
        Data::Buffer(..) => {
            out.take(input, 0..moved);
            out.with(py, len, |memory| caught(|| within(memory)))
        }
    };
    // Those bytes are a copy of the input: the caller loses nothing.
    if filled.is_err() && out.lie(input) == Lie::Apart {
        out.wipe(len);
    }
    or_raise(py, filled)?;
    Ok(len)
}

/// The most bytes that are written to a caller's buffer at once, while no other thread of Python runs: some 10 ms of work.
const LOCKED_LEN: usize = 32 << 20;

/// Bytes of the longest nonce.
const MAX_NONCE_LEN: usize = 24;

/// A new key of as many bytes as the algorithm has.
///
/// >>> from sealstone.aead import generate_key
/// >>> len(generate_key("aes-128-gcm"))
/// 16
#[pyfunction]
fn generate_key<'py>(py: Python<'py>, algorithm: &str) -> PyResult<Bound<'py, PyBytes>> {
    let key: Zeroizing<Vec<u8>> = or_raise(py, algorithm.parse::<Algorithm>().and_then(Algorithm::generate_key))?;
    Ok(plain_bytes(py, &key))
}

/// Bytes of a key.
#[pyfunction]
fn key_length(py: Python<'_>, algorithm: &str) -> PyResult<usize> {
    or_raise(py, algorithm.parse::<Algorithm>()).map(Algorithm::key_len)
}

/// Bytes of a nonce: 24 of `xchacha20-poly1305`, 12 of the others.
#[pyfunction]
fn nonce_length(py: Python<'_>, algorithm: &str) -> PyResult<usize> {
    or_raise(py, algorithm.parse::<Algorithm>()).map(Algorithm::nonce_len)
}

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<AeadKey>()?;
    module.add_function(wrap_pyfunction!(generate_key, module)?)?;
    module.add_function(wrap_pyfunction!(key_length, module)?)?;
    module.add_function(wrap_pyfunction!(nonce_length, module)?)
}
