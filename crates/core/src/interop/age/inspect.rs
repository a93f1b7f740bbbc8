//! Inspects files of age without a key.

use super::armour::{self, LABEL};
use super::header::Header;
use super::stream::{self, SALT_LEN, opened_len};
use crate::error::{Error, Result};
use crate::format::armour::Label;
use crate::format::{self, Asked, Format};
use crate::pipeline::Input;
use crate::plugin::Stanza;

/// The facts about a file of age that are visible without a key. They are not authenticated.
///
/// ```
/// use sealstone::Input;
/// use sealstone::interop::age::{Encryptor, Recipient, inspect};
///
/// let recipient: Recipient = "age13aqvttdk3ujkyjh9kg2w5an6dmy5mq5a84a4uxk3hfhnugfc9p0sy5p2wh".parse()?;
/// let sealed = Encryptor::new([recipient]).encrypt(b"attack at dawn")?;
/// let seen = inspect(Input::reader(&sealed[..]))?;
/// assert_eq!((seen.stanzas[0].kind(), seen.plaintext_len, seen.chunks), ("X25519", 14, 1));
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inspection {
    /// Whether the file is ASCII armour.
    pub armoured: bool,
    /// The stanzas, in file order.
    pub stanzas: Vec<Stanza>,
    /// Bytes of the header.
    pub header_len: u64,
    /// Bytes of the payload: a salt and chunks.
    pub payload_len: u64,
    /// Bytes of plaintext, computed from the payload's length.
    pub plaintext_len: u64,
    /// The number of chunks.
    pub chunks: u64,
}

/// Inspects a file without a key. A stream is read to its end to know its length.
///
/// # Errors
/// [`Error::MalformedHeader`], [`Error::MalformedArmour`], [`Error::Truncated`], and [`Error::Io`].
pub fn inspect(input: Input<'_>) -> Result<Inspection> {
    format::inspect::<Age>(input, false)
}

/// Lists the stanzas of a file, not authenticated. Nothing is consumed, so the input can be decrypted afterwards.
///
/// # Errors
/// As [`inspect`].
pub fn stanzas(input: &mut Input<'_>) -> Result<Vec<Stanza>> {
    Ok(format::inspect_head::<Age>(input)?.stanzas)
}

/// The format of age's files.
pub(crate) enum Age {}

impl Format for Age {
    type Inspection = Inspection;

    const SUFFIX: &str = ".age";

    const ARMOUR: Option<Label> = Some(LABEL);

    fn is_in(input: &mut Input<'_>) -> Result<bool> {
        super::is_age(input)
    }

    fn is_armoured(input: &mut Input<'_>) -> Result<bool> {
        armour::is_armoured(input)
    }

    fn strip_armour<T>(
        input: &mut Input<'_>,
        _is_alone: bool,
        work: impl FnOnce(&mut Input<'_>) -> Result<T>,
    ) -> Result<T> {
        if armour::is_armoured(input)? { work(&mut Input::reader(armour::open(input)?)) } else { work(input) }
    }

    fn head(input: &mut Input<'_>) -> Result<(Inspection, usize)> {
        let Header { stanzas, len, .. } = Header::of(input)?;
        let header_len = len as u64;
        let seen = Inspection { armoured: false, stanzas, header_len, payload_len: 0, plaintext_len: 0, chunks: 0 };
        Ok((seen, len))
    }

    fn complete(head: Inspection, is_armoured: bool, payload_len: u64) -> Result<Inspection> {
        let plaintext_len = plaintext_len(payload_len)?;
        let chunks = stream::chunks(plaintext_len);
        Ok(Inspection { armoured: is_armoured, payload_len, plaintext_len, chunks, ..head })
    }

    fn plaintext_len(seen: &Inspection) -> u64 {
        seen.plaintext_len
    }

    fn asked(seen: &Inspection) -> Asked {
        let keys: Vec<_> = seen.stanzas.iter().map(|stanza| stanza.kind().to_owned()).collect();
        Asked { passphrase: keys.iter().any(|kind| kind == "scrypt"), keys, ..Asked::default() }
    }
}

/// Bytes of plaintext in a payload of `payload_len` bytes.
pub(super) fn plaintext_len(payload_len: u64) -> Result<u64> {
    opened_len(payload_len.checked_sub(SALT_LEN as u64).ok_or(Error::Truncated("it ends before the first chunk"))?)
}
