//! The parsed content of a form of keys: an algorithm and bytes. Readers return it before a type of keys is made, so that every
//! type shares the same readers.

pub(super) use super::algorithm::Algorithm;
use super::file_name::looks_like_file_name;
pub(super) use super::refusal::Refusal;
use crate::error::{Error, KeyFault, UnsupportedKey};
use crate::kdf::Work;
use crate::password::Passphrase;
use zeroize::Zeroizing;

/// A key parsed from its form. The bytes are not checked to be a key of the algorithm.
pub(super) struct Parsed {
    pub(super) algorithm: Algorithm,
    /// The requested half, in the encoding of its algorithm.
    pub(super) bytes: Zeroizing<Vec<u8>>,
    /// The public keys beside a private key, or the faults of those that cannot be read.
    pub(super) beside: Vec<Result<Vec<u8>, KeyFault>>,
    /// The expanded private key beside a seed.
    pub(super) expanded: Option<Zeroizing<Vec<u8>>>,
    /// Whether the bytes are an expanded key without its seed.
    pub(super) is_expanded: bool,
    /// The fault of bytes that are not a key of the algorithm.
    pub(super) wrong: KeyFault,
    pub(super) was_encrypted: bool,
    /// Whether the form is OpenSSH's.
    pub(super) is_of_ssh: bool,
}

impl Parsed {
    /// A key without copies beside it.
    pub(super) fn new(algorithm: Algorithm, bytes: Zeroizing<Vec<u8>>, wrong: KeyFault) -> Self {
        let (beside, expanded) = (Vec::new(), None);
        let (is_expanded, was_encrypted, is_of_ssh) = (false, false, false);
        Self { algorithm, bytes, beside, expanded, is_expanded, wrong, was_encrypted, is_of_ssh }
    }
}

/// A half of a key pair. A symmetric key is a private one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    Private,
    Public,
}

/// The use of a key, if a form states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// The key encrypts, or agrees on keys.
    Encrypts,
    Signs,
}

/// The properties of the keys that a reader accepts.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub(super) half: Half,
    pub(super) usage: Use,
    /// Whether the reader accepts a certificate for its public key.
    pub(super) certificates: bool,
    /// Whether the reader accepts a JSON Web Key.
    pub(super) jwk: bool,
    /// Whether the reader accepts an expanded private key of ML-KEM or ML-DSA without its seed.
    pub(super) expanded: bool,
    /// Checks whether the type of keys supports an algorithm. Readers call it before they read the key.
    pub(super) takes: fn(Algorithm) -> Result<(), UnsupportedKey>,
}

impl Wanted {
    /// All forms of a half: certificates for public keys, a JSON Web Key, and no expanded private key without its seed.
    pub(super) const fn new(half: Half, usage: Use, takes: fn(Algorithm) -> Result<(), UnsupportedKey>) -> Self {
        Self { half, usage, certificates: matches!(half, Half::Public), jwk: true, expanded: false, takes }
    }
}

/// A type of keys, made from parsed forms.
pub(super) trait Key: Sized {
    const WANTED: Wanted;

    fn from_parsed(parsed: Parsed) -> Result<Self, Refusal>;

    /// The error for callers when a key is refused.
    fn error(refusal: Refusal) -> Error {
        refusal.of_family(|fault| Error::InvalidKey(fault.text()))
    }

    /// As [`from_parsed`](Self::from_parsed), with one error for every fault behind a passphrase.
    fn of(parsed: Parsed) -> Result<Self, Refusal> {
        let was_encrypted = parsed.was_encrypted;
        Self::from_parsed(parsed).map_err(|why| if was_encrypted { why.behind_a_passphrase() } else { why })
    }

    /// As [`of`](Self::of), for a form without copies beside the key. So a module of WebAssembly that reads only lines contains
    /// no code for the comparisons of other forms.
    fn alone(parsed: Parsed) -> Result<Self, Refusal> {
        Self::of(parsed)
    }

    /// Whether a line of a file is a comment, without a key.
    fn is_comment(line: &[u8]) -> bool {
        line.starts_with(b"#")
    }

    /// Parses a key from a line of text, which most types of keys do not support.
    fn from_line(_line: &str) -> Result<Parsed, Refusal> {
        Err(KeyFault::Other(match Self::WANTED.half {
            Half::Private => "this does not look like a private key",
            Half::Public => "this does not look like a public key",
        })
        .into())
    }

    /// Reads a key from a line of text, alone or in a file.
    fn read_line(line: &str) -> Result<Self, Refusal> {
        let read = Self::from_line(line).and_then(Self::alone);
        read.map_err(|why| if looks_like_file_name(line) { KeyFault::FileName.into() } else { why })
    }

    /// Parses a private key of OpenSSH, which most types of keys do not support.
    fn from_ssh(_bytes: &[u8], _passphrase: Option<&Passphrase>, _work: &mut Work) -> Result<Parsed, Refusal> {
        Err(UnsupportedKey::Ssh.into())
    }
}

/// Maps an error of the key's bytes to the fault of their form.
pub(super) fn map_fault<T>(result: crate::error::Result<T>, wrong: KeyFault) -> Result<T, Refusal> {
    result.map_err(|error| match error {
        Error::WrongLength { .. } => WRONG_LENGTH.into(),
        Error::InvalidKey(_) => wrong.into(),
        other => other.into(),
    })
}

/// The faults that readers of several forms share.
pub(super) const WRONG_LENGTH: KeyFault = KeyFault::Other("the key has the wrong length");
pub(super) const NO_PRIVATE_KEY: KeyFault = KeyFault::Other("the private key has the wrong length, or is out of range");
pub(super) const INVALID_PUBLIC_KEY: KeyFault = KeyFault::Other("the key is not a valid public key of its kind");
