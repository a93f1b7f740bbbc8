//! Digests: of what comes in parts, of many items, of files, as bytes and as text.

use crate::batch::{check_results, items};
use crate::files::by_name;
use crate::job::{Job, watched};
use crate::lock::locked;
use crate::memory::Wiped;
use crate::work::Work;
use base64_simd::{AsOut as _, Base64, STANDARD, URL_SAFE_NO_PAD};
use data_encoding::HEXLOWER_PERMISSIVE;
use sealstone::hash::{self, Algorithm, Digest, Hasher};
use sealstone::{Error, FileHasher, Result};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// The place of an algorithm among the core's, by which bindings name it in calls that are short.
pub fn algorithm_id(name: &str) -> Result<u32> {
    let algorithm: Algorithm = name.parse()?;
    Ok(place(&Algorithm::ALL, |one| *one == algorithm))
}

/// The algorithm of such a place.
/// It panics when there is none.
pub fn algorithm_of(id: u32) -> Algorithm {
    Algorithm::ALL[id as usize]
}

/// Bytes of a digest: those that a caller chose, which the algorithm must have, or the algorithm's own.
pub fn digest_len(algorithm: Algorithm, chosen: Option<usize>) -> Result<usize> {
    let len = chosen.unwrap_or(algorithm.digest_len());
    algorithm.check_len(len).map(|()| len)
}

/// How a digest or a ciphertext, which is public, is written as text.
#[derive(Debug, Clone, Copy)]
pub struct Encoding(u32);

/// Hexadecimal digits, which are read in either case, Base64, and the Base64 of URLs, without padding (RFC 4648).
const ENCODINGS: [(&str, Table); 3] =
    [("hex", Table::Hex), ("base64", Table::Base64(STANDARD)), ("base64url", Table::Base64(URL_SAFE_NO_PAD))];

enum Table {
    Hex,
    Base64(Base64),
}

impl Table {
    fn encoded_len(&self, len: usize) -> usize {
        match self {
            Self::Hex => 2 * len,
            Self::Base64(base64) => base64.encoded_length(len),
        }
    }

    fn encode<'a>(&self, bytes: &[u8], text: &'a mut [u8]) -> &'a str {
        match self {
            Self::Hex => HEXLOWER_PERMISSIVE.encode_mut_str(bytes, text),
            Self::Base64(base64) => base64.encode_as_str(bytes, text.as_out()),
        }
    }
}

/// The place of an encoding by its name.
pub fn encoding_id(name: &str) -> Result<u32> {
    ENCODINGS
        .iter()
        .position(|(one, _)| *one == name)
        .map_or(Err(Error::unknown_algorithm(name, "hex, base64, base64url")), |at| {
            Ok(u32::try_from(at).expect("hashing: there are a few encodings"))
        })
}

/// The encoding of such a place.
/// It panics when there is none.
pub fn encoding_of(id: u32) -> Encoding {
    assert!((id as usize) < ENCODINGS.len(), "hashing: no encoding has this number");
    Encoding(id)
}

/// Whether a language's strings have room for the text of so many bytes.
///
/// # Errors
/// [`Error::TooLong`].
pub fn check_text(len: usize) -> Result<()> {
    /// In digits a quarter of what V8's strings have.
    const LEN: usize = 1 << 27;
    if len > LEN { Err(Error::TooLong) } else { Ok(()) }
}

impl Encoding {
    pub(crate) fn name(self) -> &'static str {
        ENCODINGS[self.0 as usize].0
    }

    /// Works with the text of some bytes.
    pub fn with<T>(self, bytes: &[u8], work: impl FnOnce(&str) -> T) -> T {
        /// Characters of the longest digest that is not extended.
        const LEN: usize = 128;
        let table = &ENCODINGS[self.0 as usize].1;
        let len = table.encoded_len(bytes.len());
        if len > LEN {
            return work(table.encode(bytes, &mut vec![0; len]));
        }
        work(table.encode(bytes, &mut [0; LEN][..len]))
    }

    /// The bytes whose text this is.
    pub fn decode(self, text: &[u8]) -> Result<Vec<u8>> {
        let (name, table) = &ENCODINGS[self.0 as usize];
        let decoded = match table {
            Table::Hex => HEXLOWER_PERMISSIVE.decode(text).ok(),
            Table::Base64(base64) => base64.decode_to_vec(text).ok(),
        };
        decoded.ok_or(Error::InvalidEncoding(match *name {
            "hex" => "the text is not pairs of hexadecimal digits",
            "base64" => "the text is not padded base64 without spaces",
            _ => "the text is not base64url without padding and spaces",
        }))
    }

    /// Works with the text of a ciphertext, which a language's strings have room for.
    pub fn sealed<T>(self, ciphertext: &[u8], work: impl FnOnce(&str) -> T) -> Result<T> {
        check_text(ciphertext.len())?;
        Ok(self.with(ciphertext, work))
    }

    /// Works with the plaintext of a ciphertext, both of them text. It may be opened where it is.
    pub fn opened<T>(
        self,
        ciphertext: &[u8],
        open: impl FnOnce(Vec<u8>) -> Result<Vec<u8>>,
        work: impl FnOnce(&str) -> T,
    ) -> Result<T> {
        let plaintext = Wiped(open(self.decode(ciphertext)?)?);
        let text = str::from_utf8(&plaintext.0).map_err(|_| Error::InvalidEncoding("the plaintext is not UTF-8"))?;
        Ok(work(text))
    }
}

fn place<T>(all: &[T], is: impl Fn(&T) -> bool) -> u32 {
    let at = all.iter().position(is).expect("hashing: all algorithms are listed");
    u32::try_from(at).expect("hashing: there are a few algorithms")
}

/// A digest of any length.
pub enum Made {
    /// As long as the algorithm's digests are.
    Usual(Digest),
    /// Extended, or cut.
    Other(Vec<u8>),
}

impl Made {
    /// All of it.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Usual(digest) => digest.as_bytes(),
            Self::Other(bytes) => bytes,
        }
    }
}

impl AsRef<[u8]> for Made {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

/// The digest of bytes in memory; a length of 0 is the algorithm's own.
pub fn digest(algorithm: Algorithm, data: &[u8], len: usize) -> Result<Made> {
    made(algorithm, len, || hash::hash(algorithm, data), |out| hash::hash_into(algorithm, data, out))
}

/// Works with such a digest where it was made: each copy of the usual one costs some nanoseconds, of the hundred of a short text.
pub fn with_digest<T>(algorithm: Algorithm, data: &[u8], len: usize, work: impl FnOnce(&[u8]) -> T) -> Result<T> {
    if len == 0 || len == algorithm.digest_len() {
        return Ok(work(hash::hash(algorithm, data).as_bytes()));
    }
    digest(algorithm, data, len).map(|made| work(made.as_bytes()))
}

fn made(
    algorithm: Algorithm,
    len: usize,
    usual: impl FnOnce() -> Digest,
    other: impl FnOnce(&mut [u8]) -> Result<()>,
) -> Result<Made> {
    if len == 0 || len == algorithm.digest_len() {
        return Ok(Made::Usual(usual()));
    }
    let mut bytes = memory(algorithm, len)?;
    other(&mut bytes).map(|()| Made::Other(bytes))
}

/// Memory for a digest of a length that the algorithm has; 0 is its own.
fn memory(algorithm: Algorithm, len: usize) -> Result<Vec<u8>> {
    let len = if len == 0 { algorithm.digest_len() } else { len };
    algorithm.check_len(len)?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(len).map_err(|_| Error::TooLong)?;
    bytes.resize(len, 0);
    Ok(bytes)
}

/// The digests of items that lie one behind the other, likewise.
pub fn batch(algorithm: Algorithm, data: &[u8], lengths: &[u32], digests: &mut [u8]) -> Result<()> {
    let len = algorithm.digest_len();
    check_results(lengths, digests, |_| Some(len));
    for (item, digest) in items(data, lengths).zip(digests.chunks_exact_mut(len)) {
        hash::hash_into(algorithm, item, digest)?;
    }
    Ok(())
}

/// As [`batch`], one text behind the other, each as long.
pub fn batch_text(algorithm: Algorithm, data: &[u8], lengths: &[u32], encoding: Encoding) -> String {
    let mut texts = String::new();
    for item in items(data, lengths) {
        encoding.with(hash::hash(algorithm, item).as_bytes(), |text| texts.push_str(text));
    }
    texts
}

/// The digest of a file; a length of 0 is the algorithm's own.
pub fn file(
    algorithm: Algorithm,
    file: PathBuf,
    special: bool,
    len: usize,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Vec<u8>> + Send + 'static> {
    by_name(special, job, move |access, job| {
        let hasher = watched!(FileHasher::new(Hasher::new(algorithm)), job);
        let mut out = memory(algorithm, len)?;
        hasher.run_into(access.input(file)?, &mut out)?;
        Ok(out)
    })
}

/// A digest that is not finished.
pub struct Hashing(Mutex<Hasher>);

impl Hashing {
    /// Of nothing yet.
    pub fn new(algorithm: Algorithm) -> Self {
        Self(Mutex::new(Hasher::new(algorithm)))
    }

    /// Takes more.
    pub fn update(&self, data: &[u8]) {
        locked(&self.0).update(data);
    }

    /// Another one, which has taken the same and goes on by itself.
    #[must_use]
    pub fn copy(&self) -> Self {
        Self(Mutex::new(locked(&self.0).clone()))
    }

    /// The digest of what was taken so far; more may follow. A length of 0 is the algorithm's own.
    pub fn digest(&self, len: usize) -> Result<Made> {
        let hasher = locked(&self.0).clone();
        made(hasher.algorithm(), len, || hasher.clone().finish(), |out| hasher.clone().finish_into(out))
    }
}
