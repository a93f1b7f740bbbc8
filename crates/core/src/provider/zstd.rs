//! Zstandard (RFC 8878), of frames in memory.

use zstd::bulk;
use zstd::zstd_safe::{CParameter, compress_bound};

/// The most bytes that `len` bytes can become in a frame.
pub(crate) fn bound(len: usize) -> usize {
    compress_bound(len)
}

/// Compresses, with memory that it uses again.
pub(crate) struct Compressor(bulk::Compressor<'static>);

impl Compressor {
    /// Makes the memory for a level, 1 to 22.
    pub(crate) fn new(level: i32) -> Self {
        let mut compressor = bulk::Compressor::new(level).expect("zstd: memory for a context");
        let parameters = [CParameter::ContentSizeFlag(true), CParameter::ChecksumFlag(false)];
        for parameter in parameters {
            compressor.set_parameter(parameter).expect("zstd: the parameter exists");
        }
        Self(compressor)
    }

    /// Compresses `content` into a frame at the beginning of `frame`, which has [`bound`] bytes; returns the frame's length.
    pub(crate) fn compress(&mut self, content: &[u8], frame: &mut [u8]) -> usize {
        self.0.compress_to_buffer(content, frame).expect("zstd: there is room for the frame")
    }
}

/// Decompresses, with memory that it uses again.
pub(crate) struct Decompressor(bulk::Decompressor<'static>);

impl Decompressor {
    pub(crate) fn new() -> Self {
        Self(bulk::Decompressor::new().expect("zstd: memory for a context"))
    }

    /// Decompresses one frame into memory of its content's length; `false` if that is not what the frame holds.
    pub(crate) fn decompress(&mut self, frame: &[u8], content: &mut [u8]) -> bool {
        let expected = content.len();
        self.0.decompress_to_buffer(frame, content).is_ok_and(|len| len == expected)
    }
}
