//! What anyone can see.

use super::header::{Header, Scheme, kem_of};
use super::stream::opened_len;
use super::whole::Message;
use crate::aead::Algorithm;
use crate::error::Result;
use crate::exchange::Kind;
use crate::format::{self, Asked, Format};
use crate::interop::marked::sealed_chunks;
use crate::pipeline::Input;

/// What anyone can see of a file of nkCryptoTool without a key. None of it is authenticated.
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
    /// Of the body, from 1 to 3. A hybrid file of version 2 says 1 at its beginning.
    pub version: u16,
    /// Which keys open it.
    pub scheme: Scheme,
    /// The size of its key of ML-KEM, by the length of the ciphertext, whatever name the header has.
    pub kem: Option<Kind>,
    /// What the body is under.
    pub aead: Algorithm,
    /// Bytes of the header.
    pub header_len: u64,
    /// Bytes behind it.
    pub body_len: u64,
    /// Bytes of plaintext that the body's length stands for.
    pub plaintext_len: u64,
    /// Bytes of plaintext in a chunk, and how many chunks there are; of version 3.
    pub chunks: Option<(u32, u64)>,
}

impl Inspection {
    /// The kinds of the keys that open it, all of which are needed.
    #[must_use]
    pub fn kinds(&self) -> Vec<Kind> {
        let point = (self.scheme != Scheme::Pqc).then_some(Kind::P256);
        point.into_iter().chain(self.kem).collect()
    }
}

/// Looks at a file without a key. A stream is read to its end, for the length.
///
/// # Errors
/// [`MalformedHeader`](crate::Error::MalformedHeader), [`Truncated`](crate::Error::Truncated), [`TooLong`](crate::Error::TooLong), and
/// [`Io`](crate::Error::Io).
pub fn inspect(input: Input<'_>) -> Result<Inspection> {
    format::inspect::<Nkct>(input, false)
}

/// The kinds of the keys that open a file, all of which are needed. The input can be decrypted afterwards, since nothing is consumed. The
/// result is not authenticated.
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
