//! What anyone can see of a file without a key, for every format.

use super::armour::{ArmourDecoder, Label};
use crate::error::{Error, Result};
use crate::pipeline::{Input, Source};
use crate::text::Text;

/// A format of files: how its armour and its head are read.
pub(crate) trait Format {
    /// What anyone can see of a file without a key.
    type Inspection;

    /// The suffix of the names of files.
    const SUFFIX: &str;

    /// The armour of this format, if it has one.
    const ARMOUR: Option<Label> = None;

    /// Whether the input begins as a file of this format, sound or not. Nothing is consumed.
    ///
    /// # Errors
    /// [`Error::Io`].
    fn is_in(input: &mut Input<'_>) -> Result<bool>;

    /// Whether the input is armour. Of a stream no more is read than that takes.
    ///
    /// # Errors
    /// [`Error::Io`].
    fn is_armoured(_: &mut Input<'_>) -> Result<bool> {
        Ok(false)
    }

    /// Calls `work` with the file: the input itself, or the bytes that its armour holds. With `is_alone`, other text around the armour
    /// is an error, since whatever replaces the file would lose that text.
    ///
    /// # Errors
    /// Those of the armour, and of `work`.
    fn dearmoured<T>(
        input: &mut Input<'_>,
        _is_alone: bool,
        work: impl FnOnce(&mut Input<'_>) -> Result<T>,
    ) -> Result<T> {
        work(input)
    }

    /// Inspects the head of a file without armour; returns where the payload begins, too.
    ///
    /// # Errors
    /// Those of the head; [`Error::Truncated`] if the input ends within the head.
    fn head(input: &mut Input<'_>) -> Result<(Self::Inspection, usize)>;

    /// Adds the form of the file, and its payload of `payload_len` bytes.
    ///
    /// # Errors
    /// A length that no payload has.
    fn complete(head: Self::Inspection, is_armoured: bool, payload_len: u64) -> Result<Self::Inspection>;

    /// Bytes of plaintext that the length of the payload stands for.
    fn plaintext_len(seen: &Self::Inspection) -> u64;

    /// What the file asks for before it opens.
    fn asked(seen: &Self::Inspection) -> Asked;
}

/// What a file asks for before it opens, whichever its format. Anyone can see it, and none of it is authenticated.
///
/// See [`FileFormat`](crate::FileFormat).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Asked {
    /// The kinds of the keys that open it, in the words of the format, in file order.
    pub keys: Vec<String>,
    /// Whether all of these keys are needed. Otherwise each opens the file by itself.
    pub needs_all: bool,
    /// Whether a passphrase opens it.
    pub passphrase: bool,
    /// Whether a symmetric key opens it.
    pub symmetric_key: bool,
    /// Whether it is bound to a context, which must be given.
    pub context: bool,
}

/// Characters of armour that are read at first for the head, and at most.
const TEXT_LEN: usize = 1 << 8;
const TEXT_MAX_LEN: usize = 1 << 24;
/// Of fewer bytes, heads say that they belong to another format.
const JUDGED_LEN: usize = 64;

/// Inspects a file. A stream is read to its end, for the length.
pub(crate) fn inspect<F: Format>(mut input: Input<'_>, is_alone: bool) -> Result<F::Inspection> {
    let is_armoured = F::is_armoured(&mut input)?;
    let seen = F::dearmoured(&mut input, is_alone, |input| {
        let (head, len) = F::head(input)?;
        F::complete(head, is_armoured, payload_len(input, len)?)
    })?;
    input.finish()?;
    Ok(seen)
}

/// Inspects the head of a file, armour or not. The input can be decrypted afterwards, since nothing is consumed.
pub(crate) fn inspect_head<F: Format>(input: &mut Input<'_>) -> Result<F::Inspection> {
    let label = match F::ARMOUR {
        Some(label) if F::is_armoured(input)? => label,
        _ => return Ok(F::head(input)?.0),
    };
    let mut len = TEXT_LEN;
    loop {
        let text = input.head(len)?;
        let is_all = text.len() < len;
        let (mut decoder, mut file) = (ArmourDecoder::with_label(label), Vec::new());
        let outcome = Text::of(text).map_err(Error::MalformedArmour).and_then(|text| {
            decoder.update(text.bytes().trim_ascii_start(), &mut file)?;
            if is_all { decoder.finish(&mut file) } else { Ok(()) }
        });
        match F::head(&mut Input::reader(&file[..])) {
            // What is wrong behind the head is found when the file is decrypted.
            Ok((seen, _)) => return Ok(seen),
            Err(Error::Truncated(_)) if outcome.is_ok() && !is_all => {}
            Err(_) if outcome.is_ok() && !is_all && file.len() < JUDGED_LEN => {}
            Err(error) => return outcome.and(Err(error)),
        }
        if len >= TEXT_MAX_LEN {
            return Err(Error::MalformedArmour("there are 16 MiB of text before the end of the header"));
        }
        len *= 2;
    }
}

/// Bytes behind the first `at` of an input; a stream is read to its end.
fn payload_len(input: &mut Input<'_>, at: usize) -> Result<u64> {
    match input.source(at) {
        Source::Region(region) => Ok(region.len()),
        Source::Reader(mut reader) => {
            std::io::copy(&mut reader, &mut std::io::sink()).map_err(|error| Error::from_io("read", None, error))
        }
    }
}
