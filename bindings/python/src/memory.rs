//! Memory that Python and this module share: bytes of the caller's, and bytes that become a result.

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView};
use std::hint::black_box;
use std::marker::PhantomData;
use std::ops::Range;
use std::slice;
use zeroize::Zeroizing;

/// Bytes of a buffer that others may write to which are copied in one turn, while no other thread of Python runs.
pub const TURN_LEN: usize = 4 << 20;

/// Bytes that a caller gave, which are contiguous.
///
/// Nothing changes the bytes of an object `bytes`, so they are read while other threads run. Any other buffer may have writers: it is
/// copied, once, while no other thread of Python runs.
pub enum Data<'py> {
    Bytes(Bound<'py, PyBytes>),
    Buffer(PyUntypedBuffer, PhantomData<Python<'py>>),
}

impl<'py> FromPyObject<'_, 'py> for Data<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Self::Bytes(bytes.to_owned()));
        }
        let buffer = buffer_of(object).map_err(|error| {
            // Whatever else an exporter says, such as that it was released, is said to the caller.
            if !error.is_instance_of::<PyTypeError>(object.py()) {
                return error;
            }
            let name = object.get_type().name();
            let name = name.as_ref().map_or("an object", |name| name.to_str().unwrap_or("an object"));
            PyTypeError::new_err(format!("a bytes-like object is required, not '{name}'"))
        })?;
        if !buffer.is_c_contiguous() {
            return Err(PyBufferError::new_err("the buffer is not C-contiguous"));
        }
        Ok(Self::Buffer(buffer, PhantomData))
    }
}

/// The buffer of an object. An array of ctypes has no strides, but a `memoryview` of it has.
fn buffer_of(object: Borrowed<'_, '_, PyAny>) -> PyResult<PyUntypedBuffer> {
    PyUntypedBuffer::get(&object)
        .or_else(|error| PyMemoryView::from(&object).and_then(|view| PyUntypedBuffer::get(&view)).map_err(|_| error))
}

impl Data<'_> {
    /// How many bytes there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.as_bytes().len(),
            Self::Buffer(buffer, _) => buffer.len_bytes(),
        }
    }

    /// Copies a part to memory that has its length.
    pub fn copy(&self, part: Range<usize>, to: &mut [u8]) {
        assert!(part.end <= self.len() && part.len() == to.len(), "memory: a part lies within its buffer");
        match self {
            Self::Bytes(bytes) => to.copy_from_slice(&bytes.as_bytes()[part]),
            Self::Buffer(..) if part.is_empty() => {}
            Self::Buffer(buffer, _) => {
                let from = buffer.buf_ptr().cast::<u8>();
                // SAFETY: The buffer is contiguous and has at least `part.end` bytes, which its exporter keeps in place until it is
                // released. `to` is ours alone, so the two do not overlap. Python's lock is held, so its other threads do not write;
                // whoever writes without it has bytes of any value copied, which nothing relies on.
                unsafe { from.add(part.start).copy_to_nonoverlapping(to.as_mut_ptr(), part.len()) }
            }
        }
    }

    /// All bytes: those of the caller's, or a copy.
    pub fn read(&self) -> Read<'_> {
        match self {
            Self::Bytes(bytes) => Read::Bytes(bytes.as_bytes()),
            Self::Buffer(..) => {
                let mut copy = Zeroizing::new(vec![0; self.len()]);
                self.copy(0..self.len(), &mut copy);
                Read::Copy(copy)
            }
        }
    }

    /// A copy of all bytes.
    pub fn to_vec(&self) -> Zeroizing<Vec<u8>> {
        match self.read() {
            Read::Bytes(bytes) => Zeroizing::new(bytes.to_vec()),
            Read::Copy(copy) => copy,
        }
    }
}

/// Bytes that nobody writes to.
pub enum Read<'a> {
    Bytes(&'a [u8]),
    Copy(Zeroizing<Vec<u8>>),
}

impl std::ops::Deref for Read<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Copy(copy) => copy,
        }
    }
}

/// An object `bytes` of a length, which `fill` fills. When that fails, what it wrote is zeroed, and there is no object.
pub fn made<'py>(
    py: Python<'py>,
    len: usize,
    fill: impl FnOnce(&mut [u8]) -> PyResult<()>,
) -> PyResult<Bound<'py, PyBytes>> {
    let size = ffi::Py_ssize_t::try_from(len).map_err(|_| pyo3::exceptions::PyMemoryError::new_err(()))?;
    // SAFETY: Without bytes to copy this makes an object with room for so many, or sets an exception and returns null. Python's lock is
    // held.
    let object = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyBytes_FromStringAndSize(std::ptr::null(), size))? };
    if len > 0 {
        // SAFETY: The object is `bytes`.
        let start = unsafe { ffi::PyBytes_AsString(object.as_ptr()) }.cast::<u8>();
        // SAFETY: The object has `len` bytes there, and nobody else has seen it, so the slice is the only access to them. C has
        // allocated them, so to Rust they have some values. The slice ends before the object is handed out or freed.
        let memory = unsafe { slice::from_raw_parts_mut(start, len) };
        ask_for_large_pages(memory);
        if let Err(error) = fill(memory) {
            wipe(memory);
            return Err(error);
        }
    } else {
        fill(&mut [])?;
    }
    Ok(object.cast_into()?)
}

/// Asks Linux for pages of 2 MiB where much memory will be written: to give a hundred MiB of new memory 4 KiB at a time takes it longer
/// than sealing takes us.
fn ask_for_large_pages(memory: &mut [u8]) {
    #[cfg(target_os = "linux")]
    {
        use rustix::mm::{Advice, madvise};
        const PAGE_LEN: usize = 2 << 20;
        let skipped = memory.as_ptr().align_offset(PAGE_LEN);
        if let Some(pages @ 1..) = memory.len().checked_sub(skipped).map(|len| len / PAGE_LEN) {
            // SAFETY: This advice changes no byte and no right of access, whatever lies there.
            _ = unsafe { madvise(memory[skipped..].as_mut_ptr().cast(), pages * PAGE_LEN, Advice::LinuxHugepage) };
        }
    }
}

/// How the memory of a result lies to that of an input.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Lie {
    /// No byte is in both.
    Apart,
    /// Both begin with the same byte.
    Together,
    /// They share bytes, at other places.
    Across,
}

/// Memory of a caller's that becomes a result: a `bytearray`, or another writable buffer.
pub struct Target<'py>(PyUntypedBuffer, PhantomData<Python<'py>>);

impl<'py> FromPyObject<'_, 'py> for Target<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let buffer = buffer_of(object)?;
        if buffer.readonly() || !buffer.is_c_contiguous() {
            return Err(PyBufferError::new_err("the buffer is not writable and C-contiguous"));
        }
        Ok(Self(buffer, PhantomData))
    }
}

impl Target<'_> {
    /// How many bytes it has.
    pub fn len(&self) -> usize {
        self.0.len_bytes()
    }

    /// Whether these are the bytes of a buffer from their first on, none of them, or others.
    pub fn lie(&self, data: &Data<'_>) -> Lie {
        let Data::Buffer(buffer, _) = data else { return Lie::Apart };
        let (own, other) = (self.0.buf_ptr().addr(), buffer.buf_ptr().addr());
        if own + self.len() <= other || other + data.len() <= own {
            Lie::Apart
        } else if own == other {
            Lie::Together
        } else {
            Lie::Across
        }
    }

    /// Calls `work` with its first `len` bytes, while no other thread of Python runs. `work` is `Send`, so it has no token with which it
    /// could let one run.
    pub fn with<R>(&self, _: Python<'_>, len: usize, work: impl FnOnce(&mut [u8]) -> R + Send) -> R {
        assert!(len <= self.len(), "memory: a result lies within its buffer");
        if len == 0 {
            return work(&mut []);
        }
        // SAFETY: The buffer is contiguous and writable and has these bytes, which its exporter keeps in place until it is released.
        // Python's lock is held until `work` returns, so Python's other threads neither read nor write. `Data::read` gives bytes that
        // are in no writable buffer, so no other reference is to these.
        work(unsafe { slice::from_raw_parts_mut(self.0.buf_ptr().cast(), len) })
    }

    /// Zeroes its first bytes.
    pub fn wipe(&self, len: usize) {
        let zeros = [0; 1 << 12];
        for at in (0..len).step_by(zeros.len()) {
            self.write(at, &zeros[..zeros.len().min(len - at)]);
        }
    }

    /// Moves a part of a buffer to its beginning. The two may overlap.
    pub fn take(&self, data: &Data<'_>, part: Range<usize>) {
        let Data::Buffer(buffer, _) = data else { return self.write(0, &data.read()[part]) };
        assert!(part.end <= data.len() && part.len() <= self.len(), "memory: a part lies within its buffer");
        if part.is_empty() {
            return;
        }
        let (from, to) = (buffer.buf_ptr().cast::<u8>(), self.0.buf_ptr().cast::<u8>());
        // SAFETY: Both buffers are contiguous and have these bytes, which their exporters keep in place until they are released; this
        // one is writable. Python's lock is held, so its other threads neither read nor write.
        unsafe { from.add(part.start).copy_to(to, part.len()) }
    }

    /// Stores bytes from a place on.
    pub fn write(&self, at: usize, bytes: &[u8]) {
        assert!(at + bytes.len() <= self.len(), "memory: a result lies within its buffer");
        if bytes.is_empty() {
            return;
        }
        let to = self.0.buf_ptr().cast::<u8>();
        // SAFETY: The buffer is contiguous and writable and has these bytes, which its exporter keeps in place until it is released.
        // `bytes` are ours, so the two do not overlap. Python's lock is held, so its other threads neither read nor write.
        unsafe { to.add(at).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) }
    }
}

/// Zeroes memory, fast, in a way that is not optimised away.
pub fn wipe(memory: &mut [u8]) {
    memory.fill(0);
    black_box(memory);
}

/// Copies a secret into `bytes`, which Python cannot zero.
pub fn plain_bytes<'py>(py: Python<'py>, secret: &Zeroizing<Vec<u8>>) -> Bound<'py, PyBytes> {
    PyBytes::new(py, secret)
}
