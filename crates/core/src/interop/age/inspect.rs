//! What anyone can see.

use super::armour::{dearmoured, is_armoured};
use super::header::Header;
use super::rewrap::plaintext_len;
use super::stream;
use crate::error::{Error, Result};
use crate::format::payload_len;
use crate::pipeline::Input;
use crate::plugin::Stanza;

/// What anyone can see of a file of age without a key. None of it is authenticated.
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
    /// Whether it came as ASCII armour.
    pub armoured: bool,
    /// In file order.
    pub stanzas: Vec<Stanza>,
    /// Bytes of the header.
    pub header_len: u64,
    /// Bytes behind it: a salt and chunks.
    pub payload_len: u64,
    /// Bytes of plaintext that the payload's length stands for.
    pub plaintext_len: u64,
    /// Chunks.
    pub chunks: u64,
}

/// Looks at a file without a key. A stream is read to its end, for the length.
///
/// # Errors
/// [`Error::MalformedHeader`], [`Error::MalformedArmour`], [`Error::Truncated`], and [`Error::Io`].
pub fn inspect(mut input: Input<'_>) -> Result<Inspection> {
    let armoured = is_armoured(&mut input)?;
    let seen = dearmoured(&mut input, |input| {
        let header = Header::of(input)?;
        let payload_len = payload_len(input, header.len)?;
        let plaintext_len = plaintext_len(payload_len)?;
        Ok(Inspection {
            armoured,
            stanzas: header.stanzas,
            header_len: header.len as u64,
            payload_len,
            plaintext_len,
            chunks: stream::chunks(plaintext_len),
        })
    })?;
    input.finish()?;
    Ok(seen)
}

/// The stanzas of a file. The input can be decrypted afterwards, since nothing is consumed. The result is not authenticated.
///
/// # Errors
/// As [`inspect`].
pub fn stanzas(input: &mut Input<'_>) -> Result<Vec<Stanza>> {
    if !is_armoured(input)? {
        return Ok(Header::of(input)?.stanzas);
    }
    // Of armour the beginning is decoded, more and more of it until it has the header.
    let mut want = 1024;
    loop {
        let start = input.head(want)?;
        let is_all = start.len() < want;
        let header = dearmoured(&mut Input::reader(start), Header::of);
        match header {
            Ok(header) => return Ok(header.stanzas),
            Err(Error::Truncated(_) | Error::MalformedArmour(_)) if !is_all && want < super::header::LEN_MAX * 2 => {
                want *= 4;
            }
            Err(error) => return Err(error),
        }
    }
}
