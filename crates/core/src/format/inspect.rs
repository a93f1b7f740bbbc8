//! Inspects files of every format without a key.

use super::armour::{ArmourDecoder, Label};
use crate::error::{Error, Result};
use crate::pipeline::{Input, Source};
use crate::text::Text;

/// A format of files: how its armour and its head are read.
pub(crate) trait Format {
    /// The facts about a file that are visible without a key.
    type Inspection;

    /// The suffix of the names of files.
    const SUFFIX: &str;

    /// The armour of this format, if it has one.
    const ARMOUR: Option<Label> = None;

    /// Whether the input begins as a file of this format, valid or not. Nothing is consumed.
    ///
    /// # Errors
    /// [`Error::Io`].
    fn is_in(input: &mut Input<'_>) -> Result<bool>;

    /// Whether the input is armour. A stream is read only as far as necessary.
    ///
    /// # Errors
    /// [`Error::Io`].
    fn is_armoured(_: &mut Input<'_>) -> Result<bool> {
        Ok(false)
    }

    /// Calls `work` with the binary file: the input itself, or the bytes that its armour encodes. With `is_alone`, other text
    /// around the armour is an error, because replacing the file would lose that text.
    ///
    /// # Errors
    /// The errors of the armour, and of `work`.
    fn strip_armour<T>(
        input: &mut Input<'_>,
        _is_alone: bool,
        work: impl FnOnce(&mut Input<'_>) -> Result<T>,
    ) -> Result<T> {
        work(input)
    }

    /// Inspects the head of a file without armour; also returns the offset of the payload.
    ///
    /// # Errors
    /// The errors of the head; [`Error::Truncated`] if the input ends within the head.
    fn head(input: &mut Input<'_>) -> Result<(Self::Inspection, usize)>;

    /// Adds the armour and the payload's length to the inspection of a head.
    ///
    /// # Errors
    /// A length that no payload has.
    fn complete(head: Self::Inspection, is_armoured: bool, payload_len: u64) -> Result<Self::Inspection>;

    /// Bytes of plaintext, computed from the payload's length.
    fn plaintext_len(seen: &Self::Inspection) -> u64;

    /// The keys and the context that the file requires.
    fn asked(seen: &Self::Inspection) -> Asked;
}

/// The keys and the context that a file of any format requires. They are visible without a key, and not authenticated.
///
/// [`FileFormat::asked`](crate::FileFormat::asked) says them of a file. [`Asks::asked`](crate::Asks::asked) also says which key has to
/// be derived for the encryptor, decryptor or rewrapper that asks; then `S` is an `Option` of a [`Stretch`](crate::password::Stretch).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Asked<S = ()> {
    /// The kinds of the keys that open the file, by the format's names, in file order.
    pub keys: Vec<String>,
    /// Whether opening needs all of these keys. Otherwise each one opens the file by itself.
    pub needs_all: bool,
    /// Whether a passphrase opens the file.
    pub passphrase: bool,
    /// Whether a symmetric key opens the file.
    pub symmetric_key: bool,
    /// Whether the file is bound to a context, which opening needs.
    pub context: bool,
    /// The key to derive from a passphrase first.
    pub stretch: S,
}

impl Asked {
    /// Adds the key to derive.
    pub(crate) fn with_stretch<S>(self, stretch: S) -> Asked<S> {
        let Self { keys, needs_all, passphrase, symmetric_key, context, stretch: () } = self;
        Asked { keys, needs_all, passphrase, symmetric_key, context, stretch }
    }
}

/// Characters of armour that `inspect_head` reads at first, and at most.
const TEXT_LEN: usize = 1 << 8;
const TEXT_MAX_LEN: usize = 1 << 24;
/// With fewer bytes, an error may mean only that the head is incomplete.
const JUDGED_LEN: usize = 64;

/// Inspects a file. A stream is read to its end to know its length.
pub(crate) fn inspect<F: Format>(mut input: Input<'_>, is_alone: bool) -> Result<F::Inspection> {
    let is_armoured = F::is_armoured(&mut input)?;
    let seen = F::strip_armour(&mut input, is_alone, |input| {
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
            // Decryption finds faults behind the head.
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

/// The keys and the context that a file requires, by its beginning with the whole head.
pub(crate) fn asked<F: Format>(file: &[u8]) -> Result<Asked> {
    inspect_head::<F>(&mut Input::reader(file)).map(|seen| F::asked(&seen))
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
