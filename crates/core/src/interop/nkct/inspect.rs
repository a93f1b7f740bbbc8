//! Inspects files of nkCryptoTool without a key.

use super::header::{Header, Scheme, kem_of};
use super::stream::opened_len;
use super::whole::Message;
use crate::aead::Algorithm;
use crate::error::Result;
use crate::exchange::Kind;
use crate::format::{self, Asked, Format};
use crate::interop::marked::sealed_chunks;
use crate::pipeline::Input;

/// The facts about a file of nkCryptoTool that are visible without a key. They are not authenticated.
///
/// ```
/// use sealstone::Input;
/// use sealstone::exchange::{Kind, PrivateKey};
/// use sealstone::interop::nkct::{Encryptor, Scheme, inspect};
///
/// let recipient = PrivateKey::generate(Kind::MlKem768)?.public_key().try_into()?;
/// let sealed = Encryptor::new([recipient]).encrypt(b"attack at dawn")?;
/// let seen = inspect(Input::reader(&sealed[..]))?;
/// assert_eq!((seen.version, seen.scheme, seen.plaintext_len), (3, Scheme::Pqc, 14));
/// assert_eq!(seen.kinds(), [Kind::MlKem768]);
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inspection {
    /// The version of the body, from 1 to 3. A hybrid file of version 2 has version 1 at its beginning.
    pub version: u16,
    /// The scheme of the keys that open the file.
    pub scheme: Scheme,
    /// The kind of the ML-KEM key, by the length of the ciphertext, whatever name the header has.
    pub kem: Option<Kind>,
    /// The AEAD of the body.
    pub aead: Algorithm,
    /// Bytes of the header.
    pub header_len: u64,
    /// Bytes of the body, behind the header.
    pub body_len: u64,
    /// Bytes of plaintext, computed from the body's length.
    pub plaintext_len: u64,
    /// Bytes of plaintext in a chunk, and the number of chunks; only in version 3.
    pub chunks: Option<(u32, u64)>,
}

impl Inspection {
    /// The kinds of the keys that open the file, all of which are needed.
    #[must_use]
    pub fn kinds(&self) -> Vec<Kind> {
        let point = (self.scheme != Scheme::Pqc).then_some(Kind::P256);
        point.into_iter().chain(self.kem).collect()
    }
}

/// Inspects a file without a key. A stream is read to its end to know its length.
///
/// # Errors
/// [`MalformedHeader`](crate::Error::MalformedHeader), [`Truncated`](crate::Error::Truncated), [`TooLong`](crate::Error::TooLong), and
/// [`Io`](crate::Error::Io).
pub fn inspect(input: Input<'_>) -> Result<Inspection> {
    format::inspect::<Nkct>(input, false)
}

/// Lists the kinds of the keys that open a file, all of which are needed. The result is not authenticated. Nothing is consumed,
/// so the input can be decrypted afterwards.
///
/// # Errors
/// As [`inspect`].
pub fn kinds(input: &mut Input<'_>) -> Result<Vec<Kind>> {
    Ok(format::inspect_head::<Nkct>(input)?.kinds())
}

/// The format of nkCryptoTool's files.
pub(crate) enum Nkct {}

impl Format for Nkct {
    type Inspection = Inspection;

    const SUFFIX: &str = ".nkct";

    fn is_in(input: &mut Input<'_>) -> Result<bool> {
        super::is_nkct(input)
    }

    fn head(input: &mut Input<'_>) -> Result<(Inspection, usize)> {
        let header = Header::of(input)?;
        let seen = Inspection {
            version: header.version,
            scheme: header.scheme,
            kem: header.keys.ciphertext().and_then(|ciphertext| kem_of(ciphertext.len())),
            aead: header.aead,
            header_len: header.len as u64,
            body_len: 0,
            plaintext_len: 0,
            chunks: (header.version == 3).then_some((header.chunk_len, 0)),
        };
        Ok((seen, header.len))
    }

    fn complete(head: Inspection, _is_armoured: bool, body_len: u64) -> Result<Inspection> {
        let plaintext_len = match head.chunks {
            Some((chunk_len, _)) => opened_len(body_len, chunk_len)?,
            None => Message::plaintext_len(head.aead, body_len)?,
        };
        let chunks = head.chunks.map(|(len, _)| (len, sealed_chunks(body_len, len as usize)));
        Ok(Inspection { body_len, plaintext_len, chunks, ..head })
    }

    fn plaintext_len(seen: &Inspection) -> u64 {
        seen.plaintext_len
    }

    fn asked(seen: &Inspection) -> Asked {
        let keys = seen.kinds().iter().map(|kind| kind.name().to_owned()).collect();
        Asked { keys, needs_all: true, ..Asked::default() }
    }
}
