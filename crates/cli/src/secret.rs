//! Bare keys: bytes or hexadecimal digits.

use crate::digits;
use crate::failure::Failure;
use crate::keyring::Keyring;
use sealstone::{Error, Text};
use std::path::Path;
use zeroize::Zeroizing;

/// Reads a key of `len` bytes from a file. A file of `len` bytes is the key as it is, also where these bytes are hexadecimal digits.
pub(crate) fn read_with_len(path: &Path, len: usize, keys: &mut Keyring<'_>) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let bytes = keys.read_bare_key(path)?;
    if bytes.len() == len {
        return Ok(bytes);
    }
    let actual = bytes.len();
    let expected = format!("{len} bytes as they are, or {} hexadecimal digits and nothing else", 2 * len);
    let (found, hint) = match find_digits(&bytes) {
        Some(text) => (
            decode_hex(text, len, "the key"),
            format!("{expected}; the file has {actual} bytes as it is, and {} digits", text.len()),
        ),
        None => (Err(Error::WrongLength { what: "the key", expected: len, actual }.into()), expected),
    };
    found.map_err(|failure: Failure| failure.on(Some(path)).with_hint(hint))
}

/// Reads a key of any length from a file. If `is_text`, the key is the characters of the file's one line.
pub(crate) fn read_any_len(path: &Path, is_text: bool, keys: &mut Keyring<'_>) -> Result<Zeroizing<Vec<u8>>, Failure> {
    if is_text {
        let bytes = keys.read_bytes(path)?;
        let text = Text::of(&*bytes).map_err(|why| Failure::usage(why).on(Some(path)))?;
        let line = text.without_end().bytes();
        if line.contains(&b'\n') {
            return Err(Failure::usage("a key that is text is one line, but the file has more").on(Some(path)));
        }
        return Ok(Zeroizing::new(line.to_vec()));
    }
    let bytes = keys.read_bare_key(path)?;
    match find_digits(&bytes) {
        Some(text) => decode_digits(text, "the key").map_err(|failure| failure.on(Some(path))),
        None => Ok(bytes),
    }
}

/// The text, if it is all hexadecimal digits.
fn find_digits(bytes: &[u8]) -> Option<&str> {
    let text = Text::of(bytes).ok().and_then(Text::as_str).map_or("", str::trim_ascii);
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(text)
}

/// Decodes hexadecimal digits; the error names `what`.
pub(crate) fn decode_digits(text: &str, what: &'static str) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let none = || Failure::usage(format!("{what} is not hexadecimal digits, two for each byte"));
    digits::decode(text.as_bytes()).ok_or_else(none)
}

/// Decodes hexadecimal digits of exactly `len` bytes.
pub(crate) fn decode_hex(text: &str, len: usize, what: &'static str) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let bytes = decode_digits(text, what)?;
    if bytes.len() != len {
        return Err(Error::WrongLength { what, expected: len, actual: bytes.len() }.into());
    }
    Ok(bytes)
}
