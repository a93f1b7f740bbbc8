//! What a form of keys holds: an algorithm and bytes. The form is read first; what type the bytes become is asked
//! afterwards, so that every type of keys has the same readers.

pub(super) use super::algorithm::Algorithm;
use super::file_name::looks_like_file_name;
pub(super) use super::refusal::Refusal;
use crate::error::{Error, KeyFault, UnsupportedKey};
use crate::kdf::Work;
use crate::password::Passphrase;
use zeroize::Zeroizing;

/// A key as its form has it. Nobody has looked yet whether the bytes are a key of the algorithm.
pub(super) struct Parsed {
    pub(super) algorithm: Algorithm,
    /// The half that was asked for, as its algorithm has it.
    pub(super) bytes: Zeroizing<Vec<u8>>,
    /// The public keys that stand beside a private one; or why one of them cannot be read.
    pub(super) beside: Vec<Result<Vec<u8>, KeyFault>>,
    /// What stands beside a seed as the private key that it expands to.
    pub(super) expanded: Option<Zeroizing<Vec<u8>>>,
    /// Whether the bytes are what a seed expands to, which is not there.
    pub(super) is_expanded: bool,
    /// What is said of bytes that are no key of the algorithm.
    pub(super) wrong: KeyFault,
    pub(super) was_encrypted: bool,
    /// Whether it had the form of OpenSSH.
    pub(super) is_of_ssh: bool,
}

impl Parsed {
    /// A key alone.
    pub(super) fn new(algorithm: Algorithm, bytes: Zeroizing<Vec<u8>>, wrong: KeyFault) -> Self {
        let (beside, expanded) = (Vec::new(), None);
        let (is_expanded, was_encrypted, is_of_ssh) = (false, false, false);
        Self { algorithm, bytes, beside, expanded, is_expanded, wrong, was_encrypted, is_of_ssh }
    }
}

/// A half of a key pair. A secret that both sides have is a private one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    Private,
    Public,
}

/// What a key is for, where a form says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// It encrypts, or agrees on keys.
    Encrypts,
    Signs,
}

/// What is asked of a form.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub(super) half: Half,
    pub(super) usage: Use,
    /// Whether a certificate is read for its public key.
    pub(super) certificates: bool,
    /// Whether a JSON Web Key is read.
    pub(super) jwk: bool,
    /// Whether a private key of ML-KEM or ML-DSA is read that was expanded from its seed, which is not there.
    pub(super) expanded: bool,
    /// Whether the type of keys is of an algorithm. Readers ask before they read the key itself.
    pub(super) takes: fn(Algorithm) -> Result<(), UnsupportedKey>,
}

/// A type of keys, made from what a form holds.
pub(super) trait Key: Sized {
    const WANTED: Wanted;

    fn from_parsed(parsed: Parsed) -> Result<Self, Refusal>;

    /// Why there is no key, as callers see it.
    fn error(refusal: Refusal) -> Error;

    /// As [`from_parsed`](Self::from_parsed), with one answer for whatever is wrong behind a passphrase.
    fn of(parsed: Parsed) -> Result<Self, Refusal> {
        let was_encrypted = parsed.was_encrypted;
        Self::from_parsed(parsed).map_err(|why| if was_encrypted { why.behind_a_passphrase() } else { why })
    }

    /// As [`of`](Self::of), of a form that has nothing beside a key. A module of WebAssembly that reads lines alone has no code for what is
    /// compared in other forms.
    fn alone(parsed: Parsed) -> Result<Self, Refusal> {
        Self::of(parsed)
    }

    /// Whether a line of a file has no key.
    fn is_comment(line: &[u8]) -> bool {
        line.starts_with(b"#")
    }

    /// A key that is a line of text.
    fn from_line(line: &str) -> Result<Parsed, Refusal>;

    /// Reads a key that is a line of text, alone or in a file.
    fn read_line(line: &str) -> Result<Self, Refusal> {
        let read = Self::from_line(line).and_then(Self::alone);
        read.map_err(|why| if looks_like_file_name(line) { KeyFault::FileName.into() } else { why })
    }

    /// A private key as OpenSSH has it, which most types are not read from.
    fn from_ssh(_bytes: &[u8], _passphrase: Option<&Passphrase>, _work: &mut Work) -> Result<Parsed, Refusal> {
        Err(UnsupportedKey::Ssh.into())
    }
}

/// What a family makes of the bytes of a key, in the words of the form.
pub(super) fn made<T>(made: crate::error::Result<T>, wrong: KeyFault) -> Result<T, Refusal> {
    made.map_err(|error| match error {
        Error::WrongLength { .. } => WRONG_LENGTH.into(),
        Error::InvalidKey(_) => wrong.into(),
        other => other.into(),
    })
}

/// What readers of several forms say.
pub(super) const WRONG_LENGTH: KeyFault = KeyFault::Other("the key has the wrong length");
pub(super) const NO_PRIVATE_KEY: KeyFault = KeyFault::Other("the private key has the wrong length, or is out of range");
pub(super) const INVALID_PUBLIC_KEY: KeyFault = KeyFault::Other("the key is not a valid public key of its kind");
