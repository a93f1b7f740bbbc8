//! Encrypting, for files of every format.

use super::armour::Label;
use super::delivery::Delivery;
use super::{Payload, Prepared, Summary};
use crate::error::Result;
use crate::pipeline::{Input, Output, Settings};

/// The beginning of a new file, and what seals its chunks.
pub(crate) struct Head<P> {
    pub(crate) bytes: Vec<u8>,
    pub(crate) payload: P,
    /// What the file is text between.
    pub(crate) armour: Option<Label>,
}

/// Encrypts up to where the output would appear, as `begin` says, which is called when the output is known to be none of the input.
pub(crate) fn encrypt<'o, P: Payload>(
    begin: impl FnOnce() -> Result<Head<P>>,
    mut input: Input<'_>,
    output: Output<'o>,
    settings: &Settings,
) -> Result<Prepared<'o>> {
    output.check(&input)?;
    let Head { bytes, payload, armour } = begin()?;
    let len = input.len().map(|len| payload.chunks_len(len)).transpose()?;
    let settings = payload.bounded(settings);
    let delivery = Delivery { head: &bytes, transform: payload, len, armour };
    let (destination, written) = delivery.run(&mut input, 0, output, &settings)?;
    input.finish()?;
    let plaintext = delivery.transform.plaintext_len(written)?;
    Ok(Prepared::new((destination, Summary { plaintext, ciphertext: written + bytes.len() as u64 })))
}
