//! Encrypts files of every format.

#[cfg(all(feature = "archive", not(target_family = "wasm")))]
use super::content::{Writing, encrypt_input};
use super::delivery::Delivery;
#[cfg(all(feature = "archive", not(target_family = "wasm")))]
use super::frames::Compression;
use super::{Configured, Format, Payload, Prepared, Summary};
use crate::error::Result;
use crate::pipeline::{Input, Output};

/// Writes files of one format.
pub(crate) trait Writer: Configured {
    type Format: Format;

    /// The transform that seals the chunks.
    type Payload: Payload;

    /// Begins a new file.
    ///
    /// # Errors
    /// The errors of invalid recipients, and of wrapping the file key.
    fn begin_file(&self) -> Result<Head<Self::Payload>>;

    /// Whether and how the content is compressed.
    #[cfg(all(feature = "archive", not(target_family = "wasm")))]
    fn compression(&self) -> Compression {
        Compression::None
    }
}

/// The head of a new file, and the transform that seals its chunks.
pub(crate) struct Head<P> {
    pub(crate) bytes: Vec<u8>,
    pub(crate) payload: P,
    /// Whether the file is armour.
    pub(crate) is_armoured: bool,
}

/// Encrypts without publishing the output.
pub(crate) fn encrypt<'o, W: Writer>(writer: &W, mut input: Input<'_>, output: Output<'o>) -> Result<Prepared<'o>> {
    output.check(&input)?;
    let Head { bytes, payload, is_armoured } = writer.begin_file()?;
    #[cfg(all(feature = "archive", not(target_family = "wasm")))]
    if writer.compression() != Compression::None {
        let armour = W::Format::ARMOUR.filter(|_| is_armoured);
        let writing = Writing { head: &bytes, payload: &payload, compression: writer.compression(), armour };
        let mut destination = output.begin(None)?;
        let summary = encrypt_input(&writing, &mut input, &mut destination, writer.settings())?;
        input.finish()?;
        return Ok(Prepared::new((destination, summary)));
    }
    let len = input.len().map(|len| payload.chunks_len(len)).transpose()?;
    let settings = payload.limit_threads(writer.settings());
    let armour = W::Format::ARMOUR.filter(|_| is_armoured);
    let delivery = Delivery { head: &bytes, transform: &payload, len, armour };
    let (destination, written) = delivery.run(&mut input, 0, output, &settings)?;
    input.finish()?;
    let plaintext = payload.plaintext_len(written)?;
    Ok(Prepared::new((destination, Summary { plaintext, ciphertext: written + bytes.len() as u64 })))
}
